//! A handler in Rust as an HTTP server: a POST a message.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::{Handler, answer};

/// How long a request's body may be, in bytes.
const MAX_BODY: usize = 32 << 20;

/// How many bytes the head of a request may take.
const MAX_HEAD: usize = 64 << 10;

/// How many connections are served at once; more wait.
const MAX_CONNECTIONS: usize = 64;

/// How many stores there may be.
const MAX_STORES: usize = 10_000;

/// How long the head of a request may take, an idle connection included, and how long its body.
const PATIENCE: Duration = Duration::from_secs(30);

/// Serves a handler. All requests are answered one after the other, in one thread; many connections may be open.
///
/// Requests that a browser sends from a page of another origin are refused, and so are those whose `Host` is a name that
/// is not this machine's while the server listens on loopback only: otherwise any page could send commands.
pub struct HttpServer {
    listener: TcpListener,
    stores: Stores,
}

/// Why there is no server.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ServerError {
    #[error("failed to listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("`{name}` is no name of a header")]
    NoHeader { name: String },
    #[error("the server failed: {0}")]
    Serve(#[from] io::Error),
}

type Make = Box<dyn Fn() -> Box<dyn Handler> + Send>;

struct Stores {
    /// Makes the handler of a new store.
    make: Option<Make>,
    header: Option<HeaderName>,
    handlers: HashMap<Option<HeaderValue>, Box<dyn Handler>>,
    is_loopback: bool,
}

impl HttpServer {
    /// Listens; port 0 is a free one. `make` makes a handler for each value of the header `session_header`.
    ///
    /// # Errors
    /// Where the address cannot be had, or the header has no proper name.
    pub fn bind(
        address: SocketAddr,
        session_header: &str,
        make: impl Fn() -> Box<dyn Handler> + Send + 'static,
    ) -> Result<HttpServer, ServerError> {
        let header = HeaderName::from_bytes(session_header.as_bytes())
            .map_err(|_| ServerError::NoHeader { name: session_header.to_owned() })?;
        Self::listen(address, Some(Box::new(make)), Some(header), HashMap::new())
    }

    /// Listens; port 0 is a free one. There is one store.
    ///
    /// # Errors
    /// Where the address cannot be had.
    pub fn bind_one(address: SocketAddr, handler: Box<dyn Handler>) -> Result<HttpServer, ServerError> {
        Self::listen(address, None, None, HashMap::from([(None, handler)]))
    }

    fn listen(
        address: SocketAddr,
        make: Option<Make>,
        header: Option<HeaderName>,
        handlers: HashMap<Option<HeaderValue>, Box<dyn Handler>>,
    ) -> Result<HttpServer, ServerError> {
        let listener = TcpListener::bind(address).map_err(|source| ServerError::Listen { address, source })?;
        let stores = Stores { make, header, handlers, is_loopback: address.ip().is_loopback() };
        Ok(HttpServer { listener, stores })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// Where the system does not say.
    pub fn address(&self) -> Result<SocketAddr, ServerError> {
        Ok(self.listener.local_addr()?)
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// Where there is no runtime to be had.
    pub fn serve(self) -> Result<(), ServerError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        self.listener.set_nonblocking(true)?;
        runtime.block_on(accept(self.listener, self.stores))
    }
}

async fn accept(listener: TcpListener, stores: Stores) -> Result<(), ServerError> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let stores = Arc::new(Mutex::new(stores));
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return Ok(()) };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                // No file descriptors, or a connection that is gone again: neither ends the server.
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let stores = Arc::clone(&stores);
        tokio::spawn(async move {
            let service = service_fn(|request| respond(request, &stores));
            // What is wrong with a connection concerns its other end only.
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(PATIENCE)
                .max_buf_size(MAX_HEAD)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            drop(place);
        });
    }
}

async fn respond(request: Request<Incoming>, stores: &Mutex<Stores>) -> Result<Response<Full<Bytes>>, Infallible> {
    let key = match stores.lock().unwrap_or_else(PoisonError::into_inner).admit(&request) {
        Ok(key) => key,
        Err(response) => return Ok(*response),
    };
    let body = match timeout(PATIENCE, Limited::new(request.into_body(), MAX_BODY).collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            return Ok(refusal(StatusCode::PAYLOAD_TOO_LARGE, "a message has at most 32 MiB"));
        }
        Ok(Err(_)) => return Ok(refusal(StatusCode::BAD_REQUEST, "the body did not come whole")),
        Err(_) => return Ok(refusal(StatusCode::REQUEST_TIMEOUT, "the body did not come in time")),
    };
    Ok(stores.lock().unwrap_or_else(PoisonError::into_inner).answer(key, &body))
}

impl Stores {
    /// The store that a request means, if it may be answered.
    fn admit(&self, request: &Request<Incoming>) -> Result<Option<HeaderValue>, Box<Response<Full<Bytes>>>> {
        let headers = request.headers();
        if request.method() != Method::POST {
            let mut response = refusal(StatusCode::METHOD_NOT_ALLOWED, "a message is a POST");
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
            return Err(Box::new(response));
        }
        if headers.contains_key(ORIGIN) || self.is_loopback && !headers.get(HOST).is_none_or(is_this_machine) {
            return Err(Box::new(refusal(StatusCode::FORBIDDEN, "requests from web pages are refused")));
        }
        let Some(name) = &self.header else { return Ok(None) };
        match headers.get(name) {
            Some(value) => Ok(Some(value.clone())),
            None => {
                Err(Box::new(refusal(StatusCode::BAD_REQUEST, &format!("the header {name} has to name the store"))))
            }
        }
    }

    fn answer(&mut self, key: Option<HeaderValue>, message: &[u8]) -> Response<Full<Bytes>> {
        if !self.handlers.contains_key(&key)
            && let Some(make) = self.make.as_ref().filter(|_| self.handlers.len() < MAX_STORES)
        {
            self.handlers.insert(key.clone(), make());
        }
        let Some(handler) = self.handlers.get_mut(&key) else {
            return refusal(StatusCode::INSUFFICIENT_STORAGE, "there are too many stores");
        };
        let mut reply = Vec::new();
        let status = match answer(handler.as_mut(), message, &mut reply) {
            true => StatusCode::OK,
            false => StatusCode::BAD_REQUEST,
        };
        response(status, "application/json", reply)
    }
}

/// A loopback address or `localhost`, with or without a port.
fn is_this_machine(host: &HeaderValue) -> bool {
    let host = host.to_str().unwrap_or("?");
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn refusal(status: StatusCode, why: &str) -> Response<Full<Bytes>> {
    response(status, "text/plain; charset=utf-8", format!("{why}\n").into_bytes())
}

fn response(status: StatusCode, media: &'static str, body: Vec<u8>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}
