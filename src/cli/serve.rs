//! `memconf serve`: the reference handler as a server.

use std::io::{BufRead, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{ArgGroup, Args};
use memconf::event::exit;
use memconf::reference::Reference;
use memconf::transport::{Handler, HttpServer, answer};

use super::Stop;

const EXAMPLES: &str = "Examples:
  memconf serve --stdio                      in memory
  memconf serve --stdio --disk               below the folder that `reset` names, or MEMCONF_ROOT
  memconf serve --http 8080                  a POST a message, on this machine only
  memconf run -- memconf serve --stdio       memconf, pointed at itself";

#[derive(Args)]
#[command(after_help = EXAMPLES, group(ArgGroup::new("carrier").required(true)))]
pub struct Serve {
    /// One JSON object a line on standard input and output
    #[arg(long, group = "carrier")]
    stdio: bool,
    /// A POST a message at this address: PORT (0: a free one) for this machine only, or IP:PORT
    #[arg(long, group = "carrier", value_name = "ADDR", value_parser = address)]
    http: Option<SocketAddr>,
    /// A store of its own, in memory, for each value of this header
    #[arg(long, value_name = "NAME", requires = "http", conflicts_with = "disk")]
    session_header: Option<String>,
    /// Keep the store in a directory: the one that `reset` names, or else MEMCONF_ROOT
    #[arg(long)]
    disk: bool,
}

impl Serve {
    pub fn run(self) -> Result<u8, Stop> {
        match self.http {
            Some(address) => self.over_http(address),
            None => self.over_stdio(),
        }
    }

    fn over_stdio(&self) -> Result<u8, Stop> {
        let mut handler = self.handler()?;
        let mut input = std::io::stdin().lock();
        let mut output = std::io::stdout().lock();
        let (mut line, mut reply) = (Vec::new(), Vec::new());
        while input.read_until(b'\n', &mut line)? > 0 {
            reply.clear();
            answer(handler.as_mut(), &line, &mut reply);
            output.write_all(&reply)?;
            output.flush()?;
            line.clear();
        }
        Ok(exit::OK)
    }

    fn over_http(&self, address: SocketAddr) -> Result<u8, Stop> {
        let failed = |error| Stop::usage(format!("{error}"));
        let server = match &self.session_header {
            Some(name) => HttpServer::bind(address, name, || Box::new(Reference::in_memory())),
            // One store, so one handler: it is made here, where what is wrong with it can still be said.
            None => HttpServer::bind_one(address, self.handler()?),
        };
        let server = server.map_err(failed)?;
        let bound = server.address().map_err(failed)?;
        writeln!(anstream::stdout(), "memconf serves at http://{bound}/")?;
        server.serve().map_err(|error| Stop::Message(error.to_string(), exit::OWN_FAULT))?;
        Ok(exit::OK)
    }

    fn handler(&self) -> Result<Box<dyn Handler>, Stop> {
        Ok(match (self.disk, std::env::var_os("MEMCONF_ROOT")) {
            (true, Some(root)) => {
                let opened = Reference::open_directory(&PathBuf::from(root));
                Box::new(opened.map_err(|error| Stop::usage(format!("failed to open MEMCONF_ROOT: {error}")))?)
            }
            (true, None) => Box::new(Reference::in_directory()),
            (false, _) => Box::new(Reference::in_memory()),
        })
    }
}

/// Without an address, this machine only.
fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').or_else(|| text.strip_prefix("localhost:")).unwrap_or(text);
    if let Ok(port) = port.parse::<u16>() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| "write PORT, or IP:PORT as in 127.0.0.1:8080 or [::1]:8080".into())
}
