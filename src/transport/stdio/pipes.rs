//! memconf's ends of a handler's three pipes. None of them blocks; what waits is one `poll`.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, read, retry_on_intr, write};

use super::tail::Tail;

/// How much is read at once: what a pipe holds.
const CHUNK: usize = 64 << 10;

/// A buffer that grew beyond this for one large reply is given back.
const IDLE: usize = 1 << 20;

/// The pipes, and what came through stdout but is not yet used.
pub(super) struct Pipes {
    pub(super) stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    buffer: Vec<u8>,
    /// Where in `buffer` the next line begins.
    start: usize,
    /// How far `buffer` is known to hold no LF.
    scanned: usize,
    /// What stderr is read into.
    chunk: Vec<u8>,
}

/// What to wait for beside stdout and stderr.
#[derive(Clone, Copy, Default)]
pub(super) struct Want<'a> {
    /// Room in stdin.
    pub(super) stdin: bool,
    /// The end of the process, by its pidfd.
    pub(super) exit: Option<BorrowedFd<'a>>,
}

/// What a wait found.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    pub(super) stdout: bool,
    pub(super) exit: bool,
    /// Nothing at all, up to the timeout.
    pub(super) nothing: bool,
}

/// What one attempt to read or to write came to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    Bytes(usize),
    WouldBlock,
    Closed,
}

impl Pipes {
    pub(super) fn new(stdin: OwnedFd, stdout: OwnedFd, stderr: OwnedFd) -> io::Result<Self> {
        for pipe in [&stdin, &stdout, &stderr] {
            ioctl_fionbio(pipe, true)?;
        }
        let (buffer, chunk) = (Vec::with_capacity(CHUNK), Vec::new());
        let (stdin, stdout, stderr) = (Some(stdin), Some(stdout), Some(stderr));
        Ok(Pipes { stdin, stdout, stderr, buffer, start: 0, scanned: 0, chunk })
    }

    /// Waits for any of the pipes, and stows away what came through stderr.
    pub(super) fn wait(&mut self, want: Want<'_>, timeout: Duration, log: &mut Tail) -> io::Result<Found> {
        let wanted = [
            self.stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)),
            self.stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)),
            self.stdin.as_ref().filter(|_| want.stdin).map(|pipe| PollFd::new(pipe, PollFlags::OUT)),
            want.exit.map(|pidfd| PollFd::from_borrowed_fd(pidfd, PollFlags::IN)),
        ];
        // Who is wanted, closed up to the front; an allocation would be felt here.
        let Some(filler) = wanted.iter().flatten().next() else {
            std::thread::sleep(timeout);
            return Ok(Found { nothing: true, ..Found::default() });
        };
        let mut set: [PollFd<'_>; 4] = std::array::from_fn(|_| filler.clone());
        let mut place = [None; 4];
        let mut count = 0;
        for (index, fd) in wanted.into_iter().enumerate() {
            if let Some(fd) = fd {
                set[count] = fd;
                place[index] = Some(count);
                count += 1;
            }
        }
        let nothing = match poll(&mut set[..count], Timespec::try_from(timeout).ok().as_ref()) {
            Ok(ready) => ready == 0,
            Err(Errno::INTR) => return Ok(Found::default()),
            Err(error) => return Err(error.into()),
        };
        let [stdout, stderr, _, exit] = place.map(|at| at.is_some_and(|at: usize| !set[at].revents().is_empty()));
        let found = Found { stdout, exit, nothing };
        if stderr {
            self.read_log(log);
        }
        Ok(found)
    }

    /// Writes what stdin takes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Moved {
        let Some(stdin) = &self.stdin else { return Moved::Closed };
        match retry_on_intr(|| write(stdin, bytes)) {
            Ok(count) => Moved::Bytes(count),
            Err(Errno::AGAIN) => Moved::WouldBlock,
            Err(_) => {
                self.stdin = None;
                Moved::Closed
            }
        }
    }

    /// Reads once from stdout.
    pub(super) fn read(&mut self) -> Moved {
        let Some(stdout) = &self.stdout else { return Moved::Closed };
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.buffer.shrink_to(IDLE);
        } else if self.start > 0 {
            self.buffer.drain(..self.start);
        }
        (self.scanned, self.start) = (self.scanned.saturating_sub(self.start), 0);
        if self.buffer.capacity() - self.buffer.len() < CHUNK {
            self.buffer.reserve(CHUNK);
        }
        match retry_on_intr(|| read(stdout, spare_capacity(&mut self.buffer))) {
            Ok(count) if count > 0 => Moved::Bytes(count),
            Err(Errno::AGAIN) => Moved::WouldBlock,
            _ => {
                self.stdout = None;
                Moved::Closed
            }
        }
    }

    /// The next line that came in full, without its LF.
    pub(super) fn line(&mut self) -> Option<&[u8]> {
        if self.scanned == self.buffer.len() {
            return None;
        }
        let Some(length) = find_lf(&self.buffer[self.scanned..]) else {
            self.scanned = self.buffer.len();
            return None;
        };
        let line = self.start..self.scanned + length;
        self.start = line.end + 1;
        self.scanned = self.start;
        Some(&self.buffer[line])
    }

    /// Whether bytes have come that [`line`](Pipes::line) was not yet asked about.
    pub(super) fn has_news(&self) -> bool {
        self.scanned < self.buffer.len()
    }

    /// What came after the last whole line.
    pub(super) fn rest(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Forgets what came after the last whole line.
    pub(super) fn drop_rest(&mut self) {
        self.buffer.clear();
        (self.start, self.scanned) = (0, 0);
    }

    /// Stows away what stderr holds at the moment, at most `limit` bytes.
    pub(super) fn drain_log(&mut self, log: &mut Tail, limit: usize) {
        let mut left = limit;
        while left > 0 && self.stderr.is_some() {
            match self.read_log(log) {
                0 => break,
                count => left = left.saturating_sub(count),
            }
        }
    }

    /// Keeps the pipes flowing, so that the process can end, until it has or until `until`. What comes through
    /// stdout is dropped.
    pub(super) fn drain(&mut self, exit: Option<BorrowedFd<'_>>, until: Instant, log: &mut Tail) {
        let mut is_ended = false;
        while !is_ended {
            let left = until.saturating_duration_since(Instant::now());
            let want = Want { stdin: false, exit };
            match self.wait(want, left, log) {
                Ok(found) if found.nothing => break,
                Ok(found) => is_ended = found.exit,
                Err(_) => break,
            }
            if self.read() != Moved::WouldBlock {
                self.drop_rest();
            }
            if left.is_zero() {
                break;
            }
        }
    }

    fn read_log(&mut self, log: &mut Tail) -> usize {
        let Some(stderr) = &self.stderr else { return 0 };
        self.chunk.clear();
        self.chunk.reserve(CHUNK);
        match retry_on_intr(|| read(stderr, spare_capacity(&mut self.chunk))) {
            Ok(count) if count > 0 => {
                log.push(&self.chunk);
                count
            }
            Err(Errno::AGAIN) => 0,
            _ => {
                self.stderr = None;
                0
            }
        }
    }
}

fn find_lf(bytes: &[u8]) -> Option<usize> {
    // `contains` looks at many bytes at a time, `position` at one.
    const STEP: usize = 256;
    let step = bytes.chunks(STEP).position(|chunk| chunk.contains(&b'\n'))? * STEP;
    bytes[step..].iter().position(|&byte| byte == b'\n').map(|index| step + index)
}
