//! The socket below a connection, as ureq's own but for two things that make a round trip short: head and body of a
//! request go out together, and what the server sends is acknowledged at once. Many servers send the head of an answer
//! and wait with its body for that acknowledgement, which otherwise takes 40 ms.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::net::{RecvFlags, recv};
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport};
use ureq::{Error, Timeout};

/// What is held back, at most, in bytes; a larger body goes out in pieces.
const HELD: usize = 64 << 10;

/// The size of the buffers, in bytes.
const BUFFER: usize = 16 << 10;

/// The least time that one of several addresses gets.
const LEAST: Duration = Duration::from_millis(10);

/// Opens sockets, where no proxy has done so already.
#[derive(Debug)]
pub(super) struct SocketConnector;

impl<In: Transport> Connector<In> for SocketConnector {
    type Out = Box<dyn Transport>;

    fn connect(&self, details: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        if let Some(proxied) = chained {
            return Ok(Some(Box::new(proxied)));
        }
        let until = deadline(&details.timeout);
        let mut last = Error::HostNotFound;
        for (index, address) in details.addrs.iter().enumerate() {
            let left = until.saturating_duration_since(Instant::now());
            let others = u32::try_from(details.addrs.len() - index).unwrap_or(1);
            match TcpStream::connect_timeout(address, (left / others).max(LEAST)) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    let buffers = LazyBuffers::new(BUFFER, BUFFER);
                    return Ok(Some(Box::new(Socket { stream, buffers, held: Vec::new(), patience: [None; 2] })));
                }
                Err(error) if error.kind() == io::ErrorKind::TimedOut => last = Error::Timeout(Timeout::Connect),
                Err(error) => last = Error::Io(error),
            }
        }
        Err(last)
    }
}

#[derive(Debug)]
struct Socket {
    stream: TcpStream,
    buffers: LazyBuffers,
    /// What is still to be written.
    held: Vec<u8>,
    /// The timeouts that the system knows for reading and for writing.
    patience: [Option<Duration>; 2],
}

impl Socket {
    fn flush(&mut self, timeout: &NextTimeout) -> Result<(), Error> {
        let until = deadline(timeout);
        let mut sent = 0;
        while sent < self.held.len() {
            self.wait_until(until, timeout, 1)?;
            match self.stream.write(&self.held[sent..]) {
                Ok(0) => return Err(Error::Io(io::ErrorKind::BrokenPipe.into())),
                Ok(count) => sent += count,
                Err(error) => again(error, timeout)?,
            }
        }
        self.held.clear();
        Ok(())
    }

    /// Tells the system how long it may wait, unless it nearly knows.
    fn wait_until(&mut self, until: Instant, timeout: &NextTimeout, direction: usize) -> Result<(), Error> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::Timeout(timeout.reason));
        }
        let known = self.patience[direction].unwrap_or_default();
        if known.abs_diff(left) > left / 20 {
            match direction {
                0 => self.stream.set_read_timeout(Some(left))?,
                _ => self.stream.set_write_timeout(Some(left))?,
            }
            self.patience[direction] = Some(left);
        }
        Ok(())
    }
}

impl Transport for Socket {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.held.extend_from_slice(&self.buffers.output()[..amount]);
        if self.held.len() >= HELD { self.flush(&timeout) } else { Ok(()) }
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.flush(&timeout)?;
        let until = deadline(&timeout);
        loop {
            self.wait_until(until, &timeout, 0)?;
            acknowledge_at_once(&self.stream);
            let room = self.buffers.input_append_buf();
            if room.is_empty() {
                // Only a head has to be there as a whole.
                return Err(Error::LargeResponseHeader(BUFFER, BUFFER));
            }
            match self.stream.read(room) {
                Ok(count) => {
                    self.buffers.input_appended(count);
                    return Ok(count > 0);
                }
                Err(error) => again(error, &timeout)?,
            }
        }
    }

    fn is_open(&mut self) -> bool {
        // Neither an end nor bytes that nobody asked for.
        let mut byte = [0];
        let found = recv(&self.stream, &mut byte, RecvFlags::DONTWAIT | RecvFlags::PEEK);
        found.is_err_and(|error| error == rustix::io::Errno::WOULDBLOCK)
    }
}

/// What a failed read or write means; nothing where it is to be tried again.
fn again(error: io::Error, timeout: &NextTimeout) -> Result<(), Error> {
    match error.kind() {
        io::ErrorKind::Interrupted => Ok(()),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Err(Error::Timeout(timeout.reason)),
        _ => Err(Error::Io(error)),
    }
}

fn deadline(timeout: &NextTimeout) -> Instant {
    /// An `Instant` cannot hold any duration.
    const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);
    Instant::now() + (*timeout.after).min(LONGEST)
}

#[cfg(target_os = "linux")]
fn acknowledge_at_once(stream: &TcpStream) {
    // Only a wish: without it the answer comes later.
    let _ = rustix::net::sockopt::set_tcp_quickack(stream, true);
}

#[cfg(not(target_os = "linux"))]
fn acknowledge_at_once(_: &TcpStream) {}
