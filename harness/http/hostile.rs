//! Servers that drip, flood, cut and lie: each ends in the right verdict, in bounded time and memory, and the cases
//! beside it are judged as ever.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use memconf::reference::{MemoryStore, Reference};
use memconf::transport::answer;
use serde_json::{Value, json};

/// What a mode does to the case that triggers it: the verdict, and words of its message or of the run's warnings.
const MODES: [(&str, &str, &str); 30] = [
    ("none", "pass", ""),
    ("slow-body", "fail", "bytes of the body came); a slower server needs a longer `--timeout`"),
    ("slow-head", "fail", "the head of the answer has not all come"),
    ("silent", "fail", "no whole answer within"),
    ("endless-chunks", "fail", "longer than 33554432 bytes"),
    ("endless-body", "fail", "longer than 33554432 bytes"),
    ("endless-head", "fail", "not proper HTTP/1.1"),
    ("one-gigabyte", "fail", "(1073741824 are announced)"),
    ("cut-at-once", "fail", "the connection was cut before an answer"),
    ("cut-in-head", "fail", "the connection was cut before an answer"),
    ("cut-in-body", "fail", "bytes of the body: look into the server's log"),
    ("cut-in-chunk", "fail", "bytes of the body: look into the server's log"),
    ("length-too-short", "fail", "is not a JSON object"),
    ("chunked", "pass", ""),
    ("broken-chunks", "fail", "not proper HTTP/1.1"),
    ("two-lengths", "fail", "not proper HTTP/1.1"),
    ("gzip", "fail", "compressed (gzip)"),
    ("page", "fail", "the answer is `text/html`, neither a message"),
    ("typed-as-page", "pass", "the server sends messages as text/html"),
    ("redirect-away", "fail", "another origin: not followed"),
    ("redirect-here", "fail", "commands are not sent twice, so give that as `--url`"),
    ("invalid-json", "fail", "is not a JSON object"),
    ("invalid-utf8", "fail", "is not UTF-8"),
    ("deep-json", "fail", "recursion limit"),
    ("many-values", "fail", "more than 100000 values"),
    ("failed", "fail", "failed with 503 Service Unavailable (`down`): look into its log"),
    ("failed-with-message", "pass", ""),
    ("unauthorized", "could-not-run", "refuses the request with 401 Unauthorized"),
    ("not-http", "fail", "not proper HTTP/1.1"),
    ("wrong-id", "fail", "names the id"),
];

/// How long memconf may take in all.
const PATIENCE: Duration = Duration::from_secs(40);

pub fn trials() -> Vec<Trial> {
    let trial = |(mode, verdict, words): &(&'static str, &'static str, &'static str)| {
        let (mode, verdict, words) = (*mode, *verdict, *words);
        Trial::test(format!("hostile/{mode}"), move || is_judged(mode, verdict, words))
    };
    MODES.iter().map(trial).collect()
}

fn is_judged(mode: &'static str, verdict: &str, words: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    for (id, name) in [("a/before", "before.txt"), ("b/trigger", "trigger.txt"), ("c/after", "after.txt")] {
        write(folder.path(), id, name)?;
    }
    let port = serve(mode)?;
    // What floods is to be stopped by its length, also on a slow machine.
    let timeout = if ["longer than", "more than"].iter().any(|one| words.contains(one)) { "20" } else { "1" };
    let started = Instant::now();
    // Memory is bounded: 1 GB of address space.
    let output = Command::new("bash")
        .args(["-c", "ulimit -v 1000000; exec \"$@\"", "memconf"])
        .arg(crate::common::command::binary())
        .args([
            "run",
            "--report",
            "json=-",
            "--timeout",
            timeout,
            "--url",
            &format!("http://127.0.0.1:{port}/"),
            "--cases",
        ])
        .arg(folder.path())
        .output()?;
    let took = started.elapsed();
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("no report: {error}\n{}", String::from_utf8_lossy(&output.stderr)))?;
    let case = |id: &str| report["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap().clone();
    let (before, trigger, after) = (case("a/before"), case("b/trigger"), case("c/after"));
    let text = format!("{trigger:#}\nwarnings: {:#}", report["warnings"]);
    if trigger["verdict"] != verdict || !text.contains(words) {
        return Err(format!("{verdict} with `{words}` expected:\n{text}").into());
    }
    for other in [before, after] {
        if other["verdict"] != "pass" {
            return Err(format!("a case beside it is not judged as ever:\n{other:#}").into());
        }
    }
    if took < PATIENCE { Ok(()) } else { Err(format!("it took {took:?}").into()) }
}

fn write(folder: &Path, id: &str, name: &str) -> Result<(), Failed> {
    let path = format!("/memories/{name}");
    let case = json!({
        "id": id,
        "title": "A file is shown as it was written",
        "requirements": ["create.stores-text"],
        "steps": [
            { "call": { "command": "create", "path": path, "file_text": "quiet" },
              "expect": { "ok": format!("File created successfully at: {path}") } },
            { "call": { "command": "view", "path": path },
              "expect": { "ok": [format!("Here's the content of {path} with line numbers:"), "     1\tquiet"] } }
        ]
    });
    let file = folder.join(format!("{id}.json"));
    std::fs::create_dir_all(file.parent().unwrap())?;
    Ok(std::fs::write(file, case.to_string())?)
}

/// Starts the server; it ends with the test.
fn serve(mode: &'static str) -> Result<u16, Failed> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    let handler = Arc::new(Mutex::new(Reference::in_memory()));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let handler = Arc::clone(&handler);
            // An error is memconf closing a connection that it has had enough of.
            std::thread::spawn(move || connection(mode, stream, &handler));
        }
    });
    Ok(port)
}

fn connection(mode: &str, stream: TcpStream, handler: &Mutex<Reference<MemoryStore>>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    loop {
        let (mut length, mut line) = (0, String::new());
        while reader.read_line(&mut line)? > 2 {
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            line.clear();
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        if body.is_empty() {
            return Ok(());
        }
        let mut reply = Vec::new();
        answer(&mut *handler.lock().unwrap(), &body, &mut reply);
        let mode = if String::from_utf8_lossy(&body).contains("trigger.txt") { mode } else { "none" };
        if !misbehave(mode, &mut stream, &reply)? {
            return Ok(());
        }
    }
}

/// Answers in the way of the mode; `false` where the connection ends there.
fn misbehave(mode: &str, stream: &mut TcpStream, reply: &[u8]) -> std::io::Result<bool> {
    let head = |status: &str, headers: &str| format!("HTTP/1.1 {status}\r\n{headers}\r\n");
    let json = "Content-Type: application/json\r\n";
    let length = |length: usize| format!("{json}Content-Length: {length}\r\n");
    let mut whole = |status: &str, headers: &str, body: &[u8]| {
        let headers = format!("{headers}Content-Length: {}\r\n", body.len());
        stream.write_all(&[head(status, &headers).as_bytes(), body].concat()).map(|()| true)
    };
    match mode {
        "typed-as-page" => return whole("200 OK", "Content-Type: text/html\r\n", reply),
        "failed-with-message" => return whole("500 Internal Server Error", json, reply),
        "gzip" => return whole("200 OK", &format!("{json}Content-Encoding: gzip\r\n"), b"\x1f\x8b\x08\x00"),
        "page" => return whole("200 OK", "Content-Type: text/html\r\n", b"<html>Welcome</html>"),
        "redirect-away" => return whole("307 Temporary Redirect", "Location: http://127.0.0.1:1/\r\n", b""),
        "redirect-here" => return whole("308 Permanent Redirect", "Location: /other\r\n", b""),
        "invalid-json" => return whole("200 OK", json, b"{\"type\":\"tool_result\","),
        "invalid-utf8" => return whole("200 OK", json, b"{\"type\":\"tool_result\xff\"}"),
        "deep-json" => {
            return whole(
                "200 OK",
                json,
                format!("{{\"type\":\"tool_result\",\"content\":{}", "[".repeat(90_000)).as_bytes(),
            );
        }
        "many-values" => {
            let bomb = format!("{{\"type\":\"tool_result\",\"content\":[{}0]}}", "0,".repeat(8 << 20));
            return whole("200 OK", json, bomb.as_bytes());
        }
        "failed" => return whole("503 Service Unavailable", "Content-Type: text/plain\r\n", b"down"),
        "unauthorized" => return whole("401 Unauthorized", "Content-Type: text/plain\r\n", b"who are you?"),
        "wrong-id" => return whole("200 OK", json, br#"{"type":"tool_result","tool_use_id":"other","content":"ok"}"#),
        "none" => return whole("200 OK", json, reply),
        _ => {}
    }
    let chunk = |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    let chunked = head("200 OK", &format!("{json}Transfer-Encoding: chunked\r\n"));
    match mode {
        "slow-body" => {
            stream.write_all(head("200 OK", &length(100_000)).as_bytes())?;
            drip(stream, b"x")?;
        }
        "slow-head" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nX: ")?;
            drip(stream, b"x")?;
        }
        "silent" => std::thread::sleep(Duration::from_secs(60)),
        "endless-chunks" => {
            stream.write_all(chunked.as_bytes())?;
            flood(stream, &chunk(&[b'x'; 16 << 10]))?;
        }
        "endless-body" => {
            stream.write_all(head("200 OK", &format!("{json}Connection: close\r\n")).as_bytes())?;
            flood(stream, &[b'x'; 16 << 10])?;
        }
        "endless-head" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nX: ")?;
            flood(stream, &[b'x'; 16 << 10])?;
        }
        "one-gigabyte" => {
            stream.write_all(head("200 OK", &length(1 << 30)).as_bytes())?;
            flood(stream, &[b' '; 16 << 10])?;
        }
        "cut-in-head" => stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Le")?,
        "cut-in-body" => stream.write_all(&[head("200 OK", &length(1000)).as_bytes(), reply].concat())?,
        "cut-in-chunk" => stream.write_all(&[chunked.as_bytes(), b"fff\r\n", reply].concat())?,
        "length-too-short" => stream.write_all(&[head("200 OK", &length(20)).as_bytes(), reply].concat())?,
        "chunked" => {
            let (first, second) = reply.split_at(reply.len() / 2);
            stream.write_all(&[chunked.as_bytes(), &chunk(first), &chunk(second), b"0\r\n\r\n"].concat())?;
            return Ok(true);
        }
        "broken-chunks" => stream.write_all(&[chunked.as_bytes(), b"zz\r\n", reply].concat())?,
        "two-lengths" => {
            let headers = format!("{}Content-Length: 5\r\n", length(reply.len()));
            stream.write_all(&[head("200 OK", &headers).as_bytes(), reply].concat())?;
        }
        "not-http" => stream.write_all(b"220 mail.example ESMTP ready\r\n\r\n")?,
        // "cut-at-once"
        _ => {}
    }
    Ok(false)
}

fn drip(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    for _ in 0..2000 {
        stream.write_all(bytes)?;
        std::thread::sleep(Duration::from_millis(30));
    }
    Ok(())
}

/// Up to a gigabyte, or as long as anybody reads.
fn flood(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    for _ in 0..(1 << 30) / bytes.len() {
        stream.write_all(bytes)?;
    }
    Ok(())
}
