//! The machines of a log: executors and Spark's properties.

use std::collections::{BTreeMap, BTreeSet};

use crossover_query::SparkSettings;

use super::events::ExecutorAdded;
use crate::import::Cluster;

/// Id of the driver, which only runs tasks in local mode.
const DRIVER: &str = "driver";
/// Properties that name the machine type of the workers, as Databricks writes them.
const MACHINE_TYPE: [&str; 2] =
    ["spark.databricks.clusterUsageTags.clusterNodeType", "spark.databricks.workerNodeTypeId"];
/// GPUs of one executor.
pub(super) const GPUS: &str = "spark.executor.resource.gpu.amount";
/// Databricks' name of its version, in whose logs Spark's is missing.
const DATABRICKS_VERSION: &str = "spark.databricks.clusterUsageTags.sparkVersion";

/// Properties that name the queue, pool or namespace in which an application runs.
const QUEUE: [&str; 3] = ["spark.yarn.queue", "spark.scheduler.pool", "spark.kubernetes.namespace"];

/// Executors and properties seen so far.
#[derive(Default)]
pub(super) struct Machines {
    hosts: BTreeMap<String, Host>,
    /// Executors that run: their host, cores and GPUs.
    running: BTreeMap<String, Executor>,
    /// Machines that have executors now.
    busy: usize,
    /// The most that had some at the same time.
    most: usize,
    /// Bytes of all names.
    text: usize,
    gpus_per_executor: Option<u64>,
    machine_type: Option<String>,
    settings: SparkSettings,
    /// Version of Databricks' runtime.
    pub(super) databricks: Option<String>,
    /// The queue, pool or namespace.
    pub(super) queue: Option<String>,
}

/// A machine.
#[derive(Default)]
struct Host {
    is_driver: bool,
    /// Executors that run, but for the driver.
    workers: u64,
    now: Load,
    /// The most of each at the same time.
    most: Load,
}

/// What runs on a machine.
#[derive(Default)]
struct Load {
    executors: u64,
    cores: u64,
    gpus: u64,
}

struct Executor {
    host: String,
    cores: u64,
    gpus: u64,
}

impl Load {
    fn add(&mut self, executor: &Executor) {
        self.executors += 1;
        self.cores = self.cores.saturating_add(executor.cores);
        self.gpus = self.gpus.saturating_add(executor.gpus);
    }

    fn remove(&mut self, executor: &Executor) {
        self.executors -= 1;
        self.cores = self.cores.saturating_sub(executor.cores);
        self.gpus = self.gpus.saturating_sub(executor.gpus);
    }

    fn raise(&mut self, other: &Self) {
        self.executors = self.executors.max(other.executors);
        self.cores = self.cores.max(other.cores);
        self.gpus = self.gpus.max(other.gpus);
    }
}

impl Machines {
    /// Properties of Spark.
    pub(super) fn configure(&mut self, properties: &BTreeMap<String, String>) {
        let find = |name: &str| properties.get(name).cloned();
        self.gpus_per_executor = find(GPUS).and_then(|amount| amount.parse().ok()).or(self.gpus_per_executor);
        self.machine_type = MACHINE_TYPE.into_iter().find_map(find).or(self.machine_type.take());
        self.queue = QUEUE.into_iter().find_map(find).or(self.queue.take());
        self.databricks = find(DATABRICKS_VERSION).or(self.databricks.take());
        self.settings.take(properties);
    }

    /// Adds an executor.
    pub(super) fn add(&mut self, event: ExecutorAdded) {
        let ExecutorAdded { id, mut info } = event;
        // An executor that is added again was removed before.
        self.remove(&id);
        self.text += id.len() + info.host.len();
        let is_driver = id == DRIVER;
        // No two executors share a GPU; in containers each calls its first one "0".
        let gpus = info.resources.remove("gpu").map(|gpu| gpu.addresses.into_iter().collect::<BTreeSet<_>>().len());
        let executor = Executor { host: info.host.clone(), cores: info.cores, gpus: gpus.unwrap_or(0) as u64 };
        let host = self.hosts.entry(info.host).or_insert(Host { is_driver, ..Host::default() });
        host.is_driver &= is_driver;
        host.now.add(&executor);
        host.most.raise(&host.now);
        if !is_driver {
            host.workers += 1;
            self.busy += usize::from(host.workers == 1);
            self.most = self.most.max(self.busy);
        }
        self.running.insert(id, executor);
    }

    /// How many machines and executors are held.
    pub(super) fn held(&self) -> usize {
        self.hosts.len() + self.running.len()
    }

    /// Bytes of the names of all that came.
    pub(super) fn text_bytes(&self) -> usize {
        self.text
    }

    /// Removes an executor.
    pub(super) fn remove(&mut self, id: &str) {
        let Some(executor) = self.running.remove(id) else { return };
        let Some(host) = self.hosts.get_mut(&executor.host) else { return };
        host.now.remove(&executor);
        if id != DRIVER {
            host.workers -= 1;
            self.busy -= usize::from(host.workers == 0);
        }
    }

    /// The cluster of the log: the most machines with executors at the same time, and the mean of each machine's resources.
    pub(super) fn cluster(&self) -> Cluster {
        let mut hosts: Vec<&Host> = self.hosts.values().filter(|host| !host.is_driver).collect();
        let is_local = hosts.is_empty();
        if is_local {
            // Local mode: the driver runs the tasks.
            hosts = self.hosts.values().collect();
        }
        let seen = hosts.len() as u64;
        let machines = if self.most > 0 { self.most as u64 } else { seen };
        let average = |amount: fn(&Host) -> u64| {
            let total = hosts.iter().fold(0_u64, |sum, host| sum.saturating_add(amount(host)));
            total.saturating_add(seen / 2).checked_div(seen).filter(|amount| *amount > 0)
        };
        let gpus = average(|host| host.most.gpus);
        let gpus = gpus.or_else(|| {
            Some(average(|host| host.most.executors)?.saturating_mul(self.gpus_per_executor.filter(|gpus| *gpus > 0)?))
        });
        let mut settings = self.settings.clone();
        self.hosts.keys().for_each(|host| settings.take_host(host));
        Cluster {
            machines: Some(machines).filter(|machines| *machines > 0),
            cores_per_machine: average(|host| host.most.cores),
            executors_per_machine: average(|host| host.most.executors).filter(|_| !is_local),
            gpus_per_machine: gpus,
            machine_type: self.machine_type.clone(),
            settings,
        }
    }
}
