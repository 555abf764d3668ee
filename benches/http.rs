//! A round trip over HTTP, beside two bare clients that keep their connection alive: the library that memconf uses, in
//! a loop that does nothing else, and a socket without any HTTP client. The server is memconf's own, or the one whose
//! URL is given: `cargo bench --bench http -- http://127.0.0.1:8080/`.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use memconf::reference::Reference;
use memconf::transport::{Http, HttpServer, HttpTarget, Transport};
use serde_json::json;

const ROUNDS: usize = 41;
const TRIPS: usize = 250;
const BODY: &str = "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"memory\",\"input\":{\"command\":\"view\",\"path\":\"/memories\"}}\n";

fn main() {
    let given = std::env::args().skip(1).find(|arg| arg.starts_with("http://"));
    let url = given.unwrap_or_else(own_server);
    let address: SocketAddr = url.split('/').nth(2).and_then(|host| host.parse().ok()).expect("http://ADDRESS:PORT/");
    let mut http = Http::new(HttpTarget::new(&url).unwrap());
    http.begin(Path::new("/unused")).unwrap();
    let input = json!({ "command": "view", "path": "/memories" });
    let agent = ureq::Agent::new_with_defaults();
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_nodelay(true).unwrap();
    let mut times: [Vec<Duration>; 3] = Default::default();
    for _ in 0..ROUNDS {
        times[0].push(mean(|| drop(http.call(&input).unwrap())));
        times[1].push(mean(|| {
            let mut answer = agent.post(&url).content_type("application/json").send(BODY).unwrap();
            drop(answer.body_mut().read_to_vec().unwrap());
        }));
        times[2].push(mean(|| bare(&mut socket, address)));
    }
    let [ours, library, socket] = times.map(|mut times| {
        times.sort();
        (times[0].as_secs_f64() * 1e6, times[ROUNDS / 2].as_secs_f64() * 1e6)
    });
    println!("microseconds a trip, the least and the median of {ROUNDS} means");
    for (name, (least, median)) in [("memconf", ours), ("ureq alone", library), ("a socket", socket)] {
        println!("{name:<11} {least:>7.1} {median:>7.1}   memconf takes {:.2} times", ours.1 / median);
    }
}

fn own_server() -> String {
    let server =
        HttpServer::bind_one("127.0.0.1:0".parse().unwrap(), Box::new(Reference::in_memory())).expect("a free port");
    let address = server.address().unwrap();
    std::thread::spawn(move || server.serve());
    format!("http://{address}/")
}

/// One request, and its answer: as many bytes as its head says.
fn bare(socket: &mut TcpStream, address: SocketAddr) {
    let length = BODY.len();
    let head =
        format!("POST / HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {length}");
    socket.write_all(format!("{head}\r\n\r\n{BODY}").as_bytes()).unwrap();
    let (mut got, mut buffer) = (0, [0; 4096]);
    while whole(&buffer[..got]).is_none_or(|whole| got < whole) {
        let more = socket.read(&mut buffer[got..]).unwrap();
        assert!(more > 0, "the server closed the connection, or its answer is long");
        got += more;
    }
}

/// How long the answer is with its head, once that is there.
fn whole(answer: &[u8]) -> Option<usize> {
    let head = answer.windows(4).position(|end| end == b"\r\n\r\n")?;
    let text = std::str::from_utf8(&answer[..head]).unwrap().to_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:")).expect("content-length");
    Some(head + 4 + length.trim().parse::<usize>().unwrap())
}

/// The mean time of a trip.
fn mean(mut trip: impl FnMut()) -> Duration {
    let started = Instant::now();
    (0..TRIPS).for_each(|_| trip());
    started.elapsed() / u32::try_from(TRIPS).unwrap()
}
