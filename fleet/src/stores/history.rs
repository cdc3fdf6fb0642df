//! The logs of a Spark History Server, by its REST API
//! (<https://spark.apache.org/docs/latest/monitoring.html#rest-api>).
//!
//! A log is called as its page in the server's own interface: `http://HOST:18080/history/APPLICATION/ATTEMPT`.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossover_plan::spark::Source;
use crossover_plan::store::{Entry, Sort};
use flate2::CrcWriter;
use futures_util::StreamExt as _;
use futures_util::stream::try_unfold;
use reqwest::header::{ACCEPT, AUTHORIZATION as HEADER};
use reqwest::{Client, Response, StatusCode};
use url::Url;

use super::address::{AUTHORIZATION, PAGES};
use super::applications::{self, Applications};
use super::archive::Archive;
use super::body::{Body, Resumed};
use super::network::{Connection, Failure, Kind, chain, said};

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// One History Server.
pub(super) struct Server {
    /// Where its pages begin, without a slash at the end.
    address: String,
    way: Way,
    /// What it said of its applications.
    applications: Mutex<Option<Arc<Applications>>>,
}

/// How a server is asked.
#[derive(Clone)]
struct Way {
    client: Client,
    authorization: Option<String>,
    connection: Arc<Connection>,
}

impl Server {
    /// Nothing is asked of it yet.
    ///
    /// # Errors
    /// The certificates of this machine cannot be used.
    pub(super) fn new(address: &str, authorization: Option<String>, connection: Connection) -> Result<Self, Failure> {
        let client = Client::builder().connect_timeout(CONNECT).build();
        let client = client.map_err(|error| Failure::lasting(said(&chain(&error))))?;
        let way = Way { client, authorization, connection: Arc::new(connection) };
        Ok(Self { address: address.to_owned(), way, applications: Mutex::default() })
    }

    /// What lies at a path: the server and its applications are folders, and those with numbered attempts.
    ///
    /// # Errors
    /// Nothing is there, or the server does not answer.
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

    /// What lies in a folder.
    ///
    /// # Errors
    /// The server does not answer.
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
        let [_, log @ ..] = parts else { return Err(Failure::lasting("this is no application")) };
        let url = self.api(&log.iter().copied().chain(["logs"]).collect::<Vec<_>>())?;
        let (way, path) = (self.way.clone(), path.to_owned());
        // The check sum of what was read before the connection was lost.
        let seen = Arc::new(Mutex::new(CrcWriter::new(io::sink())));
        let open = move |at: u64| -> Result<Box<dyn Read + Send>, Failure> {
            let body = way.get(&url)?;
            let mut log = log_of(&path, Archive::new(BufReader::new(body)))?;
            // The server has no ranges, so the archive comes again from its beginning.
            let mut again = CrcWriter::new(io::sink());
            let skipped = io::copy(&mut (&mut log).take(at), &mut again).map_err(Failure::of)?;
            let mut before = seen.lock().unwrap_or_else(PoisonError::into_inner);
            if at == 0 {
                *before = CrcWriter::new(io::sink());
            } else if skipped < at || again.crc().sum() != before.crc().sum() {
                return Err(Failure::lasting("it was written anew while it was read; run the same command again"));
            }
            Ok(Box::new(Seen { log, sum: Arc::clone(&seen) }))
        };
        Resumed::open(Arc::clone(&self.way.connection), Box::new(open))
    }

    /// All applications, asked anew.
    fn all(&self) -> Result<Arc<Applications>, Failure> {
        let url = self.api(&[])?;
        self.way.connection.ask(|| applications::all(self.way.get(&url)?)).map(Arc::new)
    }

    /// At least this application.
    fn known(&self, id: &str) -> Result<Arc<Applications>, Failure> {
        let known = self.applications.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known {
            return Ok(known);
        }
        let url = self.api(&[id])?;
        self.way.connection.ask(|| applications::one(self.way.get(&url)?)).map(Arc::new)
    }

    /// What lies at the page of an application.
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
            // It cannot be asked for alone.
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
            .map_err(|()| Failure::lasting("this is no address of a server"))?
            .pop_if_empty()
            .extend(["api", "v1", "applications"])
            .extend(parts);
        Ok(url)
    }
}

/// What lies at the page of an application.
enum Attempts {
    /// Its only log.
    One(Entry),
    /// The logs of its attempts.
    Many(Vec<Entry>),
}

impl Way {
    /// Asks once.
    fn get(&self, url: &Url) -> Result<Body, Failure> {
        let mut request = self.client.get(url.clone()).header(ACCEPT, "*/*");
        if let Some(value) = &self.authorization {
            request = request.header(HEADER, value);
        }
        let because = |what: &str, error: reqwest::Error| {
            Failure::passing(format!("{what} ({})", said(&chain(&error.without_url()))))
        };
        let silent = |error| because("the server does not answer", error);
        let response = self.connection.wait(request.send())?.map_err(silent)?;
        answered(&response)?;
        let bytes = response.content_length();
        let pieces = try_unfold(response, move |mut response| async move {
            let piece = response.chunk().await.map_err(|error| because("the connection was lost", error))?;
            Ok(piece.map(|piece| (piece, response)))
        });
        Ok(Body::new(Arc::clone(&self.connection), pieces.boxed(), bytes))
    }
}

/// What the status of an answer means, and what to do.
fn answered(response: &Response) -> Result<(), Failure> {
    let status = response.status();
    let api = "/api/v1/applications";
    match status {
        _ if status.is_success() => Ok(()),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
            let why = format!(
                "the server refused it ({status}): set {AUTHORIZATION} to the value of the header that it wants, such as \
                 \"Bearer …\", or ask whoever runs it for the right to view (spark.history.ui.acls)"
            );
            Err(Failure::new(Kind::Refused, why))
        }
        StatusCode::NOT_FOUND => {
            let why = format!(
                "it is not there ({status}); of a server, expected {api} below the address, as Spark History Servers have it"
            );
            Err(Failure::new(Kind::Missing, why))
        }
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => {
            Err(Failure::passing(format!("the server is busy ({status})")))
        }
        _ if status.is_server_error() => Err(Failure::passing(format!("the server failed ({status})"))),
        _ => Err(Failure::lasting(format!("the server answered {status}; expected a Spark History Server"))),
    }
}

fn folder(path: PathBuf) -> Entry {
    Entry { path, sort: Sort::Folder, is_link: false, bytes: None, modified_ns: 0, tag: None }
}

/// The log in an archive: its only file as it comes, or the parts of a rolling log in the order of their events.
fn log_of(path: &Path, mut archive: Archive<BufReader<Body>>) -> Result<Box<dyn Read + Send>, Failure> {
    match archive.next().map_err(Failure::of)? {
        None => Err(Failure::lasting("the server's archive has no log")),
        Some(name) if name.ends_with('/') => Ok(Box::new(rolling(path, archive)?)),
        Some(_) => Ok(Box::new(Only { archive })),
    }
}

/// The only file of an archive. Its end is that of the whole archive.
struct Only {
    archive: Archive<BufReader<Body>>,
}

impl Read for Only {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.archive.read(buffer)?;
        if count == 0 && !buffer.is_empty() && self.archive.next()?.is_some() {
            return Err(Failure::lasting("the server's archive has several logs; name one attempt").into());
        }
        Ok(count)
    }
}

/// The parts of a rolling log, in a file that no one else sees. Their order is known at the end of the archive only.
struct Parts {
    file: File,
    /// Where each begins, and its length, bytes.
    places: VecDeque<(u64, u64)>,
    /// What is left of the part that is read.
    left: u64,
}

fn rolling(path: &Path, mut archive: Archive<BufReader<Body>>) -> Result<Parts, Failure> {
    let kept = |error: io::Error| {
        let folder = std::env::temp_dir();
        Failure::lasting(format!("its parts cannot be kept in {} meanwhile ({error})", folder.display()))
    };
    let mut file = tempfile::tempfile().map_err(kept)?;
    let (mut entries, mut places, mut end) = (Vec::new(), Vec::new(), 0);
    let mut piece = vec![0; 64 * 1024];
    while let Some(name) = archive.next().map_err(Failure::of)? {
        let start = end;
        loop {
            let count = archive.read(&mut piece).map_err(Failure::of)?;
            if count == 0 {
                break;
            }
            io::Write::write_all(&mut file, &piece[..count]).map_err(kept)?;
            end += count as u64;
        }
        let Some(name) = name.rsplit('/').next().filter(|name| !name.is_empty()) else { continue };
        let bytes = Some(end - start);
        let (path, sort) = (path.join(name), Sort::File);
        entries.push(Entry { path: path.clone(), sort, is_link: false, bytes, modified_ns: 0, tag: None });
        places.push((path, (start, end - start)));
    }
    let source = Source::of_folder(path, &entries).map_err(|error| Failure::lasting(said(&error.to_string())))?;
    let source = source.ok_or_else(|| Failure::lasting("the server's archive has no part of a rolling log"))?;
    let place = |part: &Entry| places.iter().find(|(path, _)| *path == part.path).map(|(_, place)| *place);
    Ok(Parts { file, places: source.parts.iter().filter_map(place).collect(), left: 0 })
}

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.left == 0 {
            let Some((start, bytes)) = self.places.pop_front() else { return Ok(0) };
            self.file.seek(SeekFrom::Start(start))?;
            self.left = bytes;
        }
        let count = (&mut self.file).take(self.left).read(buffer)?;
        self.left -= count as u64;
        Ok(count)
    }
}

/// A log, of which is known what was read.
struct Seen {
    log: Box<dyn Read + Send>,
    sum: Arc<Mutex<CrcWriter<io::Sink>>>,
}

impl Read for Seen {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.log.read(buffer)?;
        io::Write::write_all(&mut *self.sum.lock().unwrap_or_else(PoisonError::into_inner), &buffer[..count])?;
        Ok(count)
    }
}
