//! One page of an HTTP server as text, within limits of time and size.
//!
//! Exporters and Prometheus in a cluster serve plain HTTP; where they do not, a proxy on this machine adds TLS.

pub mod answer;

use std::io::{ErrorKind, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use crossover_quantity::text::shortened;
use url::Url;

use answer::{Answer, SHOWN, Unanswered};

/// An address that can be read, with the usual path of such servers if it has none.
///
/// # Errors
/// It is not one of plain HTTP, or would send a password; one line.
pub fn address(text: &str, usual_path: &str) -> Result<Url, String> {
    let mut url = Url::parse(text).map_err(|why| format!("“{text}” is not an address: {why}"))?;
    match url.scheme() {
        "http" => {}
        "https" => {
            return Err(format!(
                "“{text}”: only plain HTTP is read; use a local proxy that terminates TLS, and name its http:// address"
            ));
        }
        _ => return Err(format!("“{text}” is not an address of an HTTP server; expected http://HOST:PORT")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address with a user name or a password is not supported: plain HTTP would show it".to_owned());
    }
    if url.host_str().is_none() {
        return Err(format!("“{text}” has no host"));
    }
    if url.path() == "/" {
        url.set_path(usual_path);
    }
    Ok(url)
}

/// The text at an address; all of it has to arrive within the time limit.
///
/// # Errors
/// It did not arrive, is not HTTP, or has another status than 200; one line.
pub fn get(url: &Url, limit: Duration) -> Result<String, String> {
    let deadline = Instant::now() + limit;
    let late = || format!("no answer within {} s", limit.as_secs_f64());
    let host = url.host_str().unwrap_or_default();
    let authority = format!("{host}:{}", url.port_or_known_default().unwrap_or(80));
    let mut stream = connect(&authority, deadline)?.ok_or_else(late)?;
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let request = format!(
        "GET {}{query} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: crossover\r\nAccept: */*\r\nConnection: close\r\n\r\n",
        url.path()
    );
    stream.set_write_timeout(Some(limit)).map_err(|why| why.to_string())?;
    stream.write_all(request.as_bytes()).map_err(|why| format!("the connection was lost: {why}"))?;
    let answer = answer::receive(&mut stream, deadline).map_err(|why| match why {
        Unanswered::Late => late(),
        Unanswered::Broken(why) => why,
    })?;
    text(answer)
}

/// The text of an answer with status 200.
fn text(answer: Answer) -> Result<String, String> {
    if answer.status == 200 {
        return String::from_utf8(answer.body).map_err(|_| "it sent no UTF-8 text".to_owned());
    }
    let said = shortened(String::from_utf8_lossy(&answer.body).trim(), SHOWN);
    let said = if said.is_empty() { said } else { format!(": {said}") };
    Err(format!("it answered with status {}{said}", answer.status))
}

/// Connects to the first address that takes it; none after the deadline.
fn connect(authority: &str, deadline: Instant) -> Result<Option<TcpStream>, String> {
    let addresses = authority.to_socket_addrs().map_err(|why| format!("cannot resolve the host name: {why}"))?;
    let mut problem = "the host name has no address".to_owned();
    for address in addresses {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        match TcpStream::connect_timeout(&address, left) {
            Ok(stream) => return Ok(Some(stream)),
            Err(why) if why.kind() == ErrorKind::TimedOut => return Ok(None),
            Err(why) => problem = format!("cannot connect: {why}"),
        }
    }
    Err(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_with_status_200_is_taken() {
        let of = |status: u16, body: &[u8]| text(Answer { status, body: body.to_vec(), is_kept: false });
        assert_eq!(of(200, b"hello"), Ok("hello".to_owned()));
        assert_eq!(of(200, b"\xff"), Err("it sent no UTF-8 text".to_owned()));
        assert_eq!(of(404, b"not found\n"), Err("it answered with status 404: not found".to_owned()));
        assert_eq!(of(503, b""), Err("it answered with status 503".to_owned()));
    }

    #[test]
    fn only_addresses_of_plain_http_are_read() {
        let of = |text: &str| address(text, "/metrics").map(|url| url.to_string());
        assert_eq!(of("http://node1:9400"), Ok("http://node1:9400/metrics".to_owned()));
        assert_eq!(of("http://[::1]:9400/m?a=b"), Ok("http://[::1]:9400/m?a=b".to_owned()));
        for (text, problem) in [
            ("https://node1", "only plain HTTP is read"),
            ("http://me:secret@node1", "a user name or a password is not supported"),
            ("file:///etc/passwd", "is not an address of an HTTP server"),
            ("node1", "is not an address"),
        ] {
            assert!(of(text).expect_err(text).contains(problem), "{text}");
        }
    }
}
