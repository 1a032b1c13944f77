//! `goshawk report trace --serve`: the page on a loopback address, and parts of its timeline as it asks for them

use super::gather::{cores, SPANS};
use crate::{signals, Failure};
use host::views::thinned::Thinned;
use report::trace::Level;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

/// Maximum size of a request. Those of browsers have less than 2 KiB.
const REQUEST: u64 = 16 << 10;
/// Maximum number of open connections.
const CONNECTIONS: usize = 32;
/// How long a client may take to send or receive.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a signal is looked for.
const POLL: Duration = Duration::from_millis(20);

/// The value of `--serve`: a port, or a loopback address and a port.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let right = "expected a port, or a loopback address and a port, such as 8080, 127.0.0.1:8080 or [::1]:8080";
    if let Ok(port) = text.parse() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    let parsed = match text.strip_prefix("localhost:") {
        Some(port) => port.parse().ok().map(|port: u16| (Ipv4Addr::LOCALHOST, port).into()),
        None => text.parse().ok(),
    };
    let address: SocketAddr = parsed.ok_or(right)?;
    if !address.ip().is_loopback() {
        return Err(format!("{} is not a loopback address, and others could read the page; {right}", address.ip()));
    }
    Ok(address)
}

/// What is served.
pub struct Served {
    /// The page.
    pub page: Vec<u8>,
    /// Its timeline.
    pub thinned: Thinned,
}

/// A socket at the address.
pub fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    let failed = |e| Failure::Other(format!("`--serve {address}`: {e}"));
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    Ok(listener)
}

/// Serves until a signal requests the end.
pub fn serve(listener: &TcpListener, served: Served) {
    signals::stop_on_request();
    let (served, open) = (Arc::new(served), Arc::new(AtomicUsize::new(0)));
    while !signals::stop_requested() {
        let Ok((stream, _)) = listener.accept() else {
            std::thread::sleep(POLL);
            continue;
        };
        if open.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
            // closed without a response: a browser tries again
            open.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let (served, open) = (Arc::clone(&served), Arc::clone(&open));
        std::thread::spawn(move || {
            // what happens to one connection is the client's matter
            let _ = respond(stream, &served);
            open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

/// Reads one request, sends its response and ends the connection.
fn respond(stream: TcpStream, served: &Served) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new((&stream).take(REQUEST)).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let mut host = None;
    let mut complete = false;
    for line in lines {
        let line = line?;
        if line.is_empty() {
            complete = true;
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        if name.eq_ignore_ascii_case("host") {
            host = Some(value.trim().to_string());
        }
    }
    let Response { status, kind, body } = if complete {
        response(&first, host.as_deref(), served)
    } else {
        Response::text("400 Bad Request", "the request has no end, or is too long")
    };
    let mut out = &stream;
    write!(
        out,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if !first.starts_with("HEAD ") {
        out.write_all(&body)?;
    }
    out.flush()
}

struct Response<'a> {
    status: &'static str,
    kind: &'static str,
    body: std::borrow::Cow<'a, [u8]>,
}

impl Response<'_> {
    fn text(status: &'static str, text: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: format!("{text}\n").into_bytes().into() }
    }
}

/// Whether the `Host` of a request names this computer. A page of another site, whose name leads here, could read the trace otherwise.
fn is_local(host: Option<&str>) -> bool {
    let name = host.map(|host| {
        host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(name, _)| name)
    });
    name.is_some_and(|name| {
        let address = name.trim_start_matches('[').trim_end_matches(']');
        name == "localhost" || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    })
}

fn response<'a>(first: &str, host: Option<&str>, served: &'a Served) -> Response<'a> {
    let mut words = first.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !words.next().is_some_and(|version| version.starts_with("HTTP/1.")) {
        return Response::text("400 Bad Request", "not a request of HTTP/1");
    }
    if !is_local(host) {
        return Response::text("403 Forbidden", "the page is only for this computer, as localhost");
    }
    if !matches!(method, "GET" | "HEAD") {
        return Response::text("405 Method Not Allowed", "only GET and HEAD");
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    match path {
        "/" => Response { status: "200 OK", kind: "text/html; charset=utf-8", body: served.page.as_slice().into() },
        "/timeline" => {
            let number = |name: &str| {
                query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')?.parse::<u64>().ok())
            };
            match (number("from"), number("to")) {
                (Some(from), Some(to)) if from <= to => {
                    let part = served.thinned.part(from..=to, SPANS / 4);
                    let level = Level { width: part.width, cores: cores(&served.thinned, &part) };
                    let body = serde_json::to_vec(&level).unwrap_or_default();
                    Response { status: "200 OK", kind: "application/json", body: body.into() }
                }
                _ => Response::text("400 Bad Request", "expected /timeline?from=NUMBER&to=NUMBER"),
            }
        }
        _ => Response::text("404 Not Found", "only / and /timeline"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_addresses_are_accepted() {
        for (text, address) in [
            ("8080", "127.0.0.1:8080"),
            ("0", "127.0.0.1:0"),
            ("localhost:80", "127.0.0.1:80"),
            ("127.0.0.9:80", "127.0.0.9:80"),
            ("[::1]:80", "[::1]:80"),
        ] {
            assert_eq!(super::address(text), Ok(address.parse().unwrap()), "{text}");
        }
        for text in ["0.0.0.0:80", "192.168.0.1:80", "[::]:80", "[::ffff:127.0.0.1]:80"] {
            assert!(super::address(text).unwrap_err().contains("is not a loopback address"), "{text}");
        }
        for text in ["", "70000", "localhost", "127.0.0.1", "example.org:80", "-1"] {
            assert!(super::address(text).unwrap_err().starts_with("expected a port"), "{text}");
        }
    }

    #[test]
    fn a_host_is_local_by_name_or_address() {
        for host in ["localhost", "localhost:80", "127.0.0.1:80", "[::1]:80", "[::1]", "127.0.0.1"] {
            assert!(is_local(Some(host)), "{host}");
        }
        for host in ["", "example.org", "example.org:80", "localhost.example.org", "192.168.0.1:80", "[::]:80"] {
            assert!(!is_local(Some(host)), "{host}");
        }
        assert!(!is_local(None));
    }
}
