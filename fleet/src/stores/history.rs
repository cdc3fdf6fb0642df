//! The logs of a Spark History Server, by its REST API
//! (<https://spark.apache.org/docs/latest/monitoring.html#rest-api>).
//!
//! The path of a log is the address of its page on the server: `http://HOST:18080/history/APPLICATION/ATTEMPT`.

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossover_plan::store::{Entry, Sort};
use flate2::CrcWriter;
use futures_util::StreamExt as _;
use futures_util::stream::try_unfold;
use reqwest::header::{ACCEPT, AUTHORIZATION as HEADER, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use url::Url;

use super::address::{AUTHORIZATION, PAGES};
use super::applications::{self, Applications};
use super::archive::Archive;
use super::body::{Body, Resumed};
use super::credentials::no_header;
use super::network::{Connection, Failure, Kind, chain, one_line};
use super::unpacked::log_of;

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// One History Server.
pub(super) struct Server {
    /// Its base address, without a slash at the end.
    address: String,
    client: ServerClient,
    /// Its list of applications.
    applications: Mutex<Option<Arc<Applications>>>,
}

/// HTTP client of a server.
#[derive(Clone)]
struct ServerClient {
    client: Client,
    authorization: Option<HeaderValue>,
    connection: Arc<Connection>,
}

impl Server {
    /// Opens a server without a request.
    ///
    /// # Errors
    /// The certificates of this machine cannot be used, or the authorization is not valid in a header.
    pub(super) fn new(address: &str, authorization: Option<&str>, connection: Connection) -> Result<Self, Failure> {
        let authorization = authorization.map(header).transpose()?;
        let client = Client::builder().connect_timeout(CONNECT).build();
        let client = client.map_err(|error| Failure::lasting(one_line(&chain(&error))))?;
        let client = ServerClient { client, authorization, connection: Arc::new(connection) };
        Ok(Self { address: address.to_owned(), client, applications: Mutex::default() })
    }

    /// The entry at a path: the server and applications with numbered attempts are folders.
    ///
    /// # Errors
    /// There is no such entry, or the server does not respond.
    pub(super) fn entry(&self, path: &Path, parts: &[&str]) -> Result<Entry, Failure> {
        let missing = || Failure::new(Kind::Missing, "the server has no such application");
        match parts {
            [] | [PAGES] => {
                let applications = self.all()?;
                *self.applications.lock().unwrap_or_else(PoisonError::into_inner) = Some(applications);
                Ok(folder(path.to_owned()))
            }
            [_, id, attempt @ ..] => {
                let applications = self.known(id)?;
                let attempts = applications.get(*id).ok_or_else(missing)?;
                let here = self.attempts(id, attempts);
                let path_of = |path: PathBuf, entry: Entry| Entry { path, ..entry };
                match (attempt, here) {
                    ([], Attempts::One(entry)) => Ok(path_of(path.to_owned(), entry)),
                    ([], Attempts::Many(_)) => Ok(folder(path.to_owned())),
                    ([name], Attempts::Many(entries)) => {
                        let named = |entry: &Entry| entry.path.file_name().is_some_and(|last| last == *name);
                        entries.into_iter().find(named).map(|entry| path_of(path.to_owned(), entry)).ok_or_else(missing)
                    }
                    _ => Err(missing()),
                }
            }
            [_] => Err(missing()),
        }
    }

    /// The entries of a folder.
    ///
    /// # Errors
    /// The server does not respond.
    pub(super) fn list(&self, parts: &[&str]) -> Result<Vec<Entry>, Failure> {
        match parts {
            [] => Ok(vec![folder(PathBuf::from(format!("{}/{PAGES}", self.address)))]),
            [_] => {
                let known = self.applications.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let applications = known.map_or_else(|| self.all(), Ok)?;
                let entry = |(id, attempts): (&String, &Vec<_>)| match self.attempts(id, attempts) {
                    Attempts::One(entry) => entry,
                    Attempts::Many(_) => folder(self.page(id)),
                };
                Ok(applications.iter().map(entry).collect())
            }
            [_, id, ..] => Ok(match self.known(id)?.get(*id).map(|attempts| self.attempts(id, attempts)) {
                Some(Attempts::Many(entries)) => entries,
                _ => Vec::new(),
            }),
        }
    }

    /// The log of an application or of one of its attempts.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(super) fn read(&self, path: &Path, parts: &[&str]) -> Result<Resumed, Failure> {
        let [_, log @ ..] = parts else { return Err(Failure::lasting("not an application")) };
        let url = self.api(&log.iter().copied().chain(["logs"]).collect::<Vec<_>>())?;
        let (client, path) = (self.client.clone(), path.to_owned());
        // The checksum of the bytes that were read before the connection was lost.
        let seen = Arc::new(Mutex::new(CrcWriter::new(io::sink())));
        let open = move |at: u64| -> Result<Box<dyn Read + Send>, Failure> {
            let body = client.get(&url)?;
            let mut log = log_of(&path, Archive::new(BufReader::new(body)))?;
            // The server has no ranges, so the archive is read again from its beginning: a rolling log completely, another one
            // up to the lost offset.
            let mut again = CrcWriter::new(io::sink());
            let skipped = io::copy(&mut (&mut log).take(at), &mut again).map_err(Failure::of)?;
            let mut before = seen.lock().unwrap_or_else(PoisonError::into_inner);
            if at == 0 {
                *before = CrcWriter::new(io::sink());
            } else if skipped < at || again.crc().sum() != before.crc().sum() {
                return Err(Failure::lasting("the log changed while it was read; run the same command again"));
            }
            Ok(Box::new(Checksummed { log, sum: Arc::clone(&seen) }))
        };
        Resumed::open(Arc::clone(&self.client.connection), Box::new(open))
    }

    /// All applications, requested anew.
    fn all(&self) -> Result<Arc<Applications>, Failure> {
        let url = self.api(&[])?;
        self.client.connection.retry(|| applications::all(self.client.get(&url)?)).map(Arc::new)
    }

    /// At least this application.
    fn known(&self, id: &str) -> Result<Arc<Applications>, Failure> {
        let known = self.applications.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known {
            return Ok(known);
        }
        let url = self.api(&[id])?;
        self.client.connection.retry(|| applications::one(self.client.get(&url)?)).map(Arc::new)
    }

    /// The logs of an application.
    fn attempts(&self, id: &str, attempts: &[applications::Attempt]) -> Attempts {
        let entry = |path: PathBuf, sort: Sort, attempt: &applications::Attempt| {
            let (modified_ns, tag) = (attempt.modified_ns(), attempt.tag());
            Entry { path, sort, is_link: false, bytes: None, modified_ns, tag }
        };
        if let [attempt] = attempts
            && attempt.number.is_none()
        {
            return Attempts::One(entry(self.page(id), Sort::File, attempt));
        }
        let page = self.page(id);
        let one = |attempt: &applications::Attempt| match &attempt.number {
            Some(number) => entry(PathBuf::from(format!("{}/{number}", page.display())), Sort::File, attempt),
            // It cannot be requested separately.
            None => entry(page.join("attempt without a number"), Sort::Other, attempt),
        };
        Attempts::Many(attempts.iter().map(one).collect())
    }

    fn page(&self, id: &str) -> PathBuf {
        PathBuf::from(format!("{}/{PAGES}/{id}", self.address))
    }

    /// An address of the REST API, below that of the applications.
    fn api(&self, parts: &[&str]) -> Result<Url, Failure> {
        let mut url = Url::parse(&self.address).map_err(|error| Failure::lasting(error.to_string()))?;
        url.path_segments_mut()
            .map_err(|()| Failure::lasting("not a server address"))?
            .pop_if_empty()
            .extend(["api", "v1", "applications"])
            .extend(parts);
        Ok(url)
    }
}

/// The value of the authorization header. Error messages do not repeat it.
fn header(value: &str) -> Result<HeaderValue, Failure> {
    let mut value = HeaderValue::from_str(value).map_err(|_| Failure::lasting(no_header(AUTHORIZATION, value)))?;
    value.set_sensitive(true);
    Ok(value)
}

/// The logs of an application.
enum Attempts {
    /// Its only log.
    One(Entry),
    /// The logs of its attempts.
    Many(Vec<Entry>),
}

impl ServerClient {
    /// Sends one request.
    fn get(&self, url: &Url) -> Result<Body, Failure> {
        let mut request = self.client.get(url.clone()).header(ACCEPT, "*/*");
        if let Some(value) = &self.authorization {
            request = request.header(HEADER, value.clone());
        }
        let because = |what: &str, error: reqwest::Error| {
            Failure::passing(format!("{what} ({})", one_line(&chain(&error.without_url()))))
        };
        let silent = |error| because("the server does not respond", error);
        let response = self.connection.wait(request.send())?.map_err(silent)?;
        check_status(&response)?;
        let bytes = response.content_length();
        let pieces = try_unfold(response, move |mut response| async move {
            let piece = response.chunk().await.map_err(|error| because("the connection was lost", error))?;
            Ok(piece.map(|piece| (piece, response)))
        });
        Ok(Body::new(Arc::clone(&self.connection), pieces.boxed(), bytes))
    }
}

/// Turns an error status into a failure with advice.
fn check_status(response: &Response) -> Result<(), Failure> {
    let status = response.status();
    let api = "/api/v1/applications";
    match status {
        _ if status.is_success() => Ok(()),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
            let why = format!(
                "the server denied access ({status}): set {AUTHORIZATION} to the required header value, such as \"Bearer …\", or \
                 ask its administrator for the right to view (spark.history.ui.acls)"
            );
            Err(Failure::new(Kind::Refused, why))
        }
        StatusCode::NOT_FOUND => {
            let why = format!(
                "not found ({status}); expected {api} below the address, as on a Spark History Server. For a server below a path \
                 named {PAGES}, write …/{PAGES}/{PAGES}"
            );
            Err(Failure::new(Kind::Missing, why))
        }
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
            Err(Failure::passing(format!("the server is busy ({status})")))
        }
        _ if status.is_server_error() => Err(Failure::passing(format!("the server failed ({status})"))),
        _ => Err(Failure::lasting(format!("the server responded {status}; expected a Spark History Server"))),
    }
}

fn folder(path: PathBuf) -> Entry {
    Entry { path, sort: Sort::Folder, is_link: false, bytes: None, modified_ns: 0, tag: None }
}

/// A log with a checksum of the bytes that were read.
struct Checksummed {
    log: Box<dyn Read + Send>,
    sum: Arc<Mutex<CrcWriter<io::Sink>>>,
}

impl Read for Checksummed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.log.read(buffer)?;
        io::Write::write_all(&mut *self.sum.lock().unwrap_or_else(PoisonError::into_inner), &buffer[..count])?;
        Ok(count)
    }
}
