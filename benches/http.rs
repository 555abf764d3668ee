//! A round trip over HTTP, beside a bare client that keeps its connection alive and does nothing else.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use memconf::reference::Reference;
use memconf::transport::{Http, HttpServer, HttpTarget, Transport};
use serde_json::json;

const ROUNDS: usize = 40;
const TRIPS: usize = 250;

fn main() {
    let server =
        HttpServer::bind_one("127.0.0.1:0".parse().unwrap(), Box::new(Reference::in_memory())).expect("a free port");
    let address = server.address().unwrap();
    std::thread::spawn(move || server.serve());
    let mut http = Http::new(HttpTarget::new(&format!("http://{address}/")).unwrap());
    http.begin(Path::new("/unused")).unwrap();
    let mut bare = TcpStream::connect(address).unwrap();
    bare.set_nodelay(true).unwrap();
    let body = "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"memory\",\"input\":{\"command\":\"view\",\"path\":\"/memories\"}}\n";
    let request = format!(
        "POST / HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let input = json!({ "command": "view", "path": "/memories" });
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut buffer = [0; 4096];
    for _ in 0..ROUNDS {
        theirs.push(time(|| {
            bare.write_all(request.as_bytes()).unwrap();
            let mut got = 0;
            while !buffer[..got].ends_with(b"}\n") {
                got += bare.read(&mut buffer[got..]).unwrap();
            }
        }));
        ours.push(time(|| drop(http.call(&input).unwrap())));
    }
    ours.sort();
    theirs.sort();
    let (ours, theirs) = (ours[ROUNDS / 2], theirs[ROUNDS / 2]);
    println!("memconf {ours:?}, bare {theirs:?}: {:.2} times", ours.as_secs_f64() / theirs.as_secs_f64());
}

/// The mean time of a trip.
fn time(mut trip: impl FnMut()) -> Duration {
    let started = Instant::now();
    (0..TRIPS).for_each(|_| trip());
    started.elapsed() / u32::try_from(TRIPS).unwrap()
}
