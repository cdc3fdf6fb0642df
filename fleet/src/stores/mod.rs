//! Where logs may lie: folders of this machine, buckets, and Spark History Servers.
//!
//! - `address`: what a path means
//! - `bucket`: S3, Google Cloud Storage and Azure, with `credentials`, `listing` and `refusal` (what an answer means)
//! - `history`: a History Server, with `applications` (its list), `archive` (the ZIP in which it gives logs) and `unpacked` (the
//!   log in it)
//! - `network` and `body`: waiting with limits, and going on where a connection was lost
//!
//! Whoever reads does so on threads; what waits for a network does it on a runtime of its own inside these places.

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
pub use self::network::Patience;

/// Logs that are read at once from a network, at least.
const LOGS_OF_A_NETWORK: usize = 8;

/// All places where logs may lie. A path says which: `s3://…`, `gs://…`, `az://…`, `abfss://…`, `http://…`; every other
/// one is of this machine.
pub struct Places {
    variables: Variables,
    patience: Patience,
    control: Arc<Control>,
    open: Mutex<Open>,
}

/// What was asked for so far.
#[derive(Default)]
struct Open {
    runtime: Option<Arc<Runtime>>,
    buckets: BTreeMap<String, Arc<Bucket>>,
    servers: BTreeMap<String, Arc<Server>>,
}

impl Places {
    /// With environment variables, which hold keys; `control` ends what waits.
    #[must_use]
    pub fn new(variables: Variables, control: Arc<Control>) -> Self {
        Self { variables, patience: Patience::default(), control, open: Mutex::default() }
    }

    /// Places of this process, with the variables of its environment.
    #[must_use]
    pub fn of_environment(control: Arc<Control>) -> Self {
        let variables = std::env::vars_os();
        let text = variables.filter_map(|(name, value)| name.into_string().ok().zip(value.into_string().ok()));
        Self::new(text.collect(), control)
    }

    /// How many logs below these paths are read at once where nobody says otherwise: one for each core, and more where a path
    /// leads to a network, because whoever waits for it needs none.
    #[must_use]
    pub fn at_once(paths: &[PathBuf]) -> usize {
        let cores = available_parallelism().map_or(1, usize::from);
        if paths.iter().any(|path| Self::is_remote(path)) { cores.max(LOGS_OF_A_NETWORK) } else { cores }
    }

    /// The same with another patience.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// Whether a path leads to another machine.
    #[must_use]
    pub fn is_remote(path: &Path) -> bool {
        Address::of(path) != Ok(Address::Local)
    }

    /// Refuses paths that cannot be read and those with a password, before they are written anywhere.
    ///
    /// # Errors
    /// Which of them, counted from 1, and why.
    pub fn check(paths: &[PathBuf]) -> Result<(), String> {
        for (path, number) in paths.iter().zip(1..) {
            let address = Address::of(path).map_err(|problem| format!("path {number}: {problem}"))?;
            // Ids of applications may have these; in what a user typed they belong to a page, or hide a key.
            if matches!(address, Address::History { .. }) && path.to_string_lossy().contains(['?', '#']) {
                return Err(format!("path {number}: an address with ? or # is not read; leave that part out"));
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
        // A secret that stands in a file often ends its line.
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
            let failed = |error: io::Error| Failure::lasting(format!("no thread for the network ({error})"));
            Arc::clone(open.runtime.insert(Arc::new(runtime.map_err(failed)?)))
        };
        Ok(Connection::new(runtime, Arc::clone(&self.control), self.patience))
    }
}

/// A path that is no address.
fn wrong(problem: String) -> Failure {
    Failure::new(Kind::Lasting, problem)
}

impl Store for Places {
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
