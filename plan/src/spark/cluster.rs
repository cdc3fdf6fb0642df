//! What a log says about the machines: executors and Spark's properties.

use std::collections::{BTreeMap, BTreeSet};

use super::events::ExecutorAdded;
use crate::import::Cluster;

/// Id of the driver, which only runs tasks in local mode.
const DRIVER: &str = "driver";
/// Properties that name the machine type of the workers, as Databricks writes them.
const MACHINE_TYPE: [&str; 2] =
    ["spark.databricks.clusterUsageTags.clusterNodeType", "spark.databricks.workerNodeTypeId"];
/// GPUs of one executor.
const GPUS: &str = "spark.executor.resource.gpu.amount";
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
    /// The most machines that had executors at the same time.
    most: usize,
    gpus_per_executor: Option<u64>,
    machine_type: Option<String>,
    /// Version of Databricks' runtime.
    pub(super) databricks: Option<String>,
    /// The queue, pool or namespace.
    pub(super) queue: Option<String>,
}

/// The most that ran on a machine at the same time.
#[derive(Default)]
struct Host {
    is_driver: bool,
    executors: u64,
    cores: u64,
    gpus: u64,
}

struct Executor {
    host: String,
    cores: u64,
    gpus: u64,
}

impl Machines {
    /// Properties of Spark.
    pub(super) fn configure(&mut self, properties: &BTreeMap<String, String>) {
        let find = |name: &str| properties.get(name).cloned();
        self.gpus_per_executor = find(GPUS).and_then(|amount| amount.parse().ok()).or(self.gpus_per_executor);
        self.machine_type = MACHINE_TYPE.into_iter().find_map(find).or(self.machine_type.take());
        self.queue = QUEUE.into_iter().find_map(find).or(self.queue.take());
        self.databricks = find(DATABRICKS_VERSION).or(self.databricks.take());
    }

    /// An executor came.
    pub(super) fn add(&mut self, event: ExecutorAdded) {
        let ExecutorAdded { id, mut info } = event;
        let is_driver = id == DRIVER;
        // No two executors share a GPU; in containers each calls its first one "0".
        let gpus = info.resources.remove("gpu").map(|gpu| gpu.addresses.into_iter().collect::<BTreeSet<_>>().len());
        let gpus = gpus.unwrap_or(0) as u64;
        self.running.insert(id, Executor { host: info.host.clone(), cores: info.cores, gpus });
        let now: Vec<&Executor> = self.running.values().filter(|executor| executor.host == info.host).collect();
        let host = self.hosts.entry(info.host).or_insert(Host { is_driver, ..Host::default() });
        host.is_driver &= is_driver;
        host.executors = host.executors.max(now.len() as u64);
        let cores = now.iter().fold(0_u64, |sum, executor| sum.saturating_add(executor.cores));
        host.cores = host.cores.max(cores);
        host.gpus = host.gpus.max(now.iter().fold(0_u64, |sum, executor| sum.saturating_add(executor.gpus)));
        let workers = self.running.iter().filter(|(id, _)| *id != DRIVER);
        let machines: BTreeSet<&str> = workers.map(|(_, executor)| executor.host.as_str()).collect();
        self.most = self.most.max(machines.len());
    }

    /// How many machines and executors are held.
    pub(super) fn held(&self) -> usize {
        self.hosts.len() + self.running.len()
    }

    /// An executor went.
    pub(super) fn remove(&mut self, id: &str) {
        self.running.remove(id);
    }

    /// What the log says in all: the most machines that had executors at the same time, and what each had on average.
    pub(super) fn cluster(&self) -> Cluster {
        let mut hosts: Vec<&Host> = self.hosts.values().filter(|host| !host.is_driver).collect();
        if hosts.is_empty() {
            // Local mode: the driver runs the tasks.
            hosts = self.hosts.values().collect();
        }
        let seen = hosts.len() as u64;
        let machines = if self.most > 0 { self.most as u64 } else { seen };
        let average = |amount: fn(&Host) -> u64| {
            let total = hosts.iter().fold(0_u64, |sum, host| sum.saturating_add(amount(host)));
            total.saturating_add(seen / 2).checked_div(seen).filter(|amount| *amount > 0)
        };
        let gpus = average(|host| host.gpus);
        let gpus = gpus.or_else(|| {
            Some(average(|host| host.executors)?.saturating_mul(self.gpus_per_executor.filter(|gpus| *gpus > 0)?))
        });
        Cluster {
            machines: Some(machines).filter(|machines| *machines > 0),
            cores_per_machine: average(|host| host.cores),
            gpus_per_machine: gpus,
            machine_type: self.machine_type.clone(),
        }
    }
}
