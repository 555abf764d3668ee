//! memconf's own server under requests that are none.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;

use crate::served::Served;

/// How many connections get garbage.
const ROUNDS: u64 = 1500;

const VIEW: &str = r#"{"type":"tool_use","id":"t","name":"memory","input":{"command":"view","path":"/memories"}}"#;

/// Sends a POST and gives the whole answer, head and body.
pub fn post(served: &Served, headers: &[(&str, &str)], body: &[u8]) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(served.address())?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let extra: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let host = if extra.contains("Host:") { String::new() } else { format!("Host: {}\r\n", served.address()) };
    let length = body.len();
    write!(stream, "POST / HTTP/1.1\r\n{host}Connection: close\r\n{extra}Content-Length: {length}\r\n\r\n")?;
    stream.write_all(body)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

pub fn survives_garbage() -> Result<(), Failed> {
    let mut served = Served::memconf(&[])?;
    let mut random = Random(1);
    let started = Instant::now();
    for round in 0..ROUNDS {
        let bytes = request(&mut random);
        // What the server does with it is its own affair, as long as it lives.
        if let Ok(mut stream) = TcpStream::connect(served.address()) {
            let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
            let _ = stream.set_write_timeout(Some(Duration::from_secs(2)));
            let _ = stream.write_all(&bytes);
            if round % 2 == 0 {
                let _ = stream.shutdown(Shutdown::Write);
                let _ = stream.read(&mut [0; 512]);
            }
        }
        if round % 100 == 0 {
            is_served(&served).map_err(|error| format!("after round {round}: {error}"))?;
        }
        if started.elapsed() > Duration::from_secs(60) {
            break;
        }
    }
    // A body that is announced larger than any may be, one that never comes, and one of very many values.
    let large = format!("POST / HTTP/1.1\r\nHost: {}\r\nContent-Length: 99999999999\r\n\r\n", served.address());
    let mut stream = TcpStream::connect(served.address())?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    stream.write_all(large.as_bytes())?;
    let _ = stream.write_all(&vec![b'x'; 40 << 20]);
    let mut silent = Vec::new();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(served.address())?;
        stream.write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")?;
        silent.push(stream);
    }
    let bomb = format!("[{}0]", "0,".repeat(10 << 20));
    let answer = post(&served, &[], bomb.as_bytes())?;
    if !answer.contains("more than 100000 values") {
        return Err(answer.into());
    }
    is_served(&served)?;
    let peak = served.peak();
    if !served.is_alive() || peak > 400_000 { Err(format!("alive, with a peak of {peak} KiB?").into()) } else { Ok(()) }
}

pub fn refuses_web_pages() -> Result<(), Failed> {
    let served = Served::memconf(&[])?;
    for (headers, status) in [
        (&[][..], " 200 "),
        (&[("Origin", "http://evil.example")], " 403 "),
        (&[("Host", "evil.example:80")], " 403 "),
        (&[("Host", "localhost:80")], " 200 "),
        (&[("Host", "[::1]")], " 200 "),
    ] {
        let answer = post(&served, headers, VIEW.as_bytes())?;
        if !answer.lines().next().unwrap_or_default().contains(status) {
            return Err(format!("{headers:?}: {status} expected: {answer}").into());
        }
    }
    Ok(())
}

fn is_served(served: &Served) -> Result<(), String> {
    let answer = post(served, &[], VIEW.as_bytes()).map_err(|error| error.to_string())?;
    if answer.contains("\"tool_result\"") { Ok(()) } else { Err(format!("not served any more: {answer}")) }
}

/// Random bytes, or a request with some of its bytes changed.
fn request(random: &mut Random) -> Vec<u8> {
    let length = random.below(600);
    if random.below(3) == 0 {
        return (0..length).map(|_| random.byte()).collect();
    }
    let forms = [
        format!("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{VIEW}", VIEW.len()),
        format!(
            "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{{\"typ\r\n0\r\n\r\n{VIEW}"
        ),
        "GET /x?y HTTP/1.0\r\nA: b\r\nA: c\r\n\r\n".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        format!("POST / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "y".repeat(100_000)),
    ];
    let mut bytes = forms[usize::try_from(random.below(5)).unwrap()].clone().into_bytes();
    for _ in 0..random.below(8) {
        let at = usize::try_from(random.below(bytes.len() as u64)).unwrap();
        match random.below(3) {
            0 => bytes[at] = random.byte(),
            1 => bytes.insert(at, random.byte()),
            _ => drop(bytes.remove(at)),
        }
    }
    bytes
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}
