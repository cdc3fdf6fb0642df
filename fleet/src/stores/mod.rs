//! Sources of logs: local folders, buckets, and Spark History Servers.
//!
//! - `address`: parses paths
//! - `bucket`: S3, Google Cloud Storage and Azure, with `credentials`, `listing` and `refusal` (error responses)
//! - `history`: a History Server, with `applications` (its list), `archive` (the ZIP of a log) and `unpacked` (the log in it)
//! - `network` and `body`: timeouts, retries, and resuming after a lost connection
//!
//! Readers use threads; network requests run on an async runtime inside these stores.

mod address;
mod applications;
mod archive;
mod body;
mod bucket;
mod credentials;
mod history;
mod listing;
mod network;
mod refusal;
mod unpacked;

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use crossover_plan::store::Entry;
use crossover_plan::{Control, Folders, Store};
use tokio::runtime::{Builder, Runtime};

use self::address::Address;
use self::bucket::Bucket;
use self::history::Server;
use self::network::{Connection, Failure, Kind};

pub use self::credentials::Variables;
pub use self::network::RetryLimits;

/// Logs that are read at once from a network, at least.
const LOGS_OF_A_NETWORK: usize = 8;

/// All sources of logs, by path: `s3://…`, `gs://…`, `az://…`, `abfss://…`, `http://…`; every other path is local.
pub struct LogStores {
    variables: Variables,
    retry_limits: RetryLimits,
    control: Arc<Control>,
    open: Mutex<Open>,
}

/// Connections opened so far.
#[derive(Default)]
struct Open {
    runtime: Option<Arc<Runtime>>,
    buckets: BTreeMap<String, Arc<Bucket>>,
    servers: BTreeMap<String, Arc<Server>>,
}

impl LogStores {
    /// With environment variables, which have the keys; `control` cancels waiting.
    #[must_use]
    pub fn new(variables: Variables, control: Arc<Control>) -> Self {
        Self { variables, retry_limits: RetryLimits::default(), control, open: Mutex::default() }
    }

    /// Places of this process, with the variables of its environment.
    #[must_use]
    pub fn of_environment(control: Arc<Control>) -> Self {
        let variables = std::env::vars_os();
        let text = variables.filter_map(|(name, value)| name.into_string().ok().zip(value.into_string().ok()));
        Self::new(text.collect(), control)
    }

    /// Default number of logs to read at once: one for each core, and more if a path is remote, because waiting needs no core.
    #[must_use]
    pub fn at_once(paths: &[PathBuf]) -> usize {
        let cores = available_parallelism().map_or(1, usize::from);
        if paths.iter().any(|path| Self::is_remote(path)) { cores.max(LOGS_OF_A_NETWORK) } else { cores }
    }

    /// The same with other limits for retries.
    #[must_use]
    pub fn with_retry_limits(self, retry_limits: RetryLimits) -> Self {
        Self { retry_limits, ..self }
    }

    /// Whether a path is remote.
    #[must_use]
    pub fn is_remote(path: &Path) -> bool {
        Address::of(path) != Ok(Address::Local)
    }

    /// Rejects unsupported paths and paths with a password, before they are written anywhere.
    ///
    /// # Errors
    /// The number of the path, from 1, and why.
    pub fn check(paths: &[PathBuf]) -> Result<(), String> {
        for (path, number) in paths.iter().zip(1..) {
            let address = Address::of(path).map_err(|problem| format!("path {number}: {problem}"))?;
            // Application ids may have these characters; in a typed address they belong to a page, or to a key.
            if matches!(address, Address::History { .. }) && path.to_string_lossy().contains(['?', '#']) {
                return Err(format!("path {number}: an address with ? or # is not supported; omit that part"));
            }
        }
        Ok(())
    }

    fn bucket(&self, vendor: address::Vendor, address: &str) -> Result<Arc<Bucket>, Failure> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = open.buckets.get(address) {
            return Ok(Arc::clone(bucket));
        }
        let connection = self.connection(&mut open)?;
        let bucket = Arc::new(Bucket::open(vendor, address, &self.variables, connection)?);
        open.buckets.insert(address.to_owned(), Arc::clone(&bucket));
        Ok(bucket)
    }

    fn server(&self, address: &str) -> Result<Arc<Server>, Failure> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = open.servers.get(address) {
            return Ok(Arc::clone(server));
        }
        let connection = self.connection(&mut open)?;
        let named = self.variables.iter().find(|(name, _)| name == address::AUTHORIZATION);
        // A secret from a file often has a line end.
        let authorization = named.map(|(_, value)| value.trim());
        let server = Arc::new(Server::new(address, authorization, connection)?);
        open.servers.insert(address.to_owned(), Arc::clone(&server));
        Ok(server)
    }

    fn connection(&self, open: &mut Open) -> Result<Connection, Failure> {
        let runtime = if let Some(runtime) = &open.runtime {
            Arc::clone(runtime)
        } else {
            let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("network").enable_all().build();
            let failed = |error: io::Error| Failure::lasting(format!("cannot start a network thread ({error})"));
            Arc::clone(open.runtime.insert(Arc::new(runtime.map_err(failed)?)))
        };
        Ok(Connection::new(runtime, Arc::clone(&self.control), self.retry_limits))
    }
}

/// The failure for an invalid address.
fn wrong(problem: String) -> Failure {
    Failure::new(Kind::Lasting, problem)
}

impl Store for LogStores {
    fn entry(&self, path: &Path) -> io::Result<Entry> {
        Ok(match Address::of(path).map_err(wrong)? {
            Address::Local => return Folders.entry(path),
            Address::Objects { vendor, bucket, key } => self.bucket(vendor, bucket)?.entry(path, key)?,
            Address::History { server, parts } => self.server(server)?.entry(path, &parts)?,
        })
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(match Address::of(path).map_err(wrong)? {
            Address::Local => return Folders.real(path),
            Address::Objects { bucket, key, .. } => PathBuf::from(format!("{bucket}/{key}")),
            Address::History { server, parts } => PathBuf::from(format!("{server}/{}", parts.join("/"))),
        })
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        Ok(match Address::of(folder).map_err(wrong)? {
            Address::Local => return Folders.list(folder),
            Address::Objects { vendor, bucket, key } => self.bucket(vendor, bucket)?.list(folder, key)?,
            Address::History { server, parts } => self.server(server)?.list(&parts)?,
        })
    }

    fn open(&self, file: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(match Address::of(file).map_err(wrong)? {
            Address::Local => return Folders.open(file),
            Address::Objects { vendor, bucket, key } => Box::new(self.bucket(vendor, bucket)?.read(key)?),
            Address::History { server, parts } => Box::new(self.server(server)?.read(file, &parts)?),
        })
    }
}
