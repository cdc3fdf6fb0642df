//! The hardware catalogue: GPUs, networks, nodes and codecs with a source for every figure.
//!
//! The data are the `.ron` files under `assets/`; this module gives their types and reads their text.

use std::collections::BTreeSet;

use jiff::civil::Date;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, Error as _},
};

use crate::provenance::Provenance;

/// Confidence of a [`Datum`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Confidence {
    /// Measured on this hardware; the source gives the tool and the place of the result.
    Measured,
    /// The maker states it in a datasheet, or a standard fixes it.
    Spec,
    /// Computed from other figures; the source gives the reason or the arithmetic.
    Derived,
    /// Stated by the published method, the Chinese patent "一种资源调度方法、设备及存储介质".
    Published,
}

/// A number of the catalogue with its source. The field name contains the unit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Datum {
    /// Finite and above zero.
    #[serde(deserialize_with = "positive")]
    pub value: f64,
    /// Confidence of the value.
    pub confidence: Confidence,
    /// Source of the value; never empty.
    #[serde(deserialize_with = "stated")]
    pub source: String,
}

/// Unit of a [`Price`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum PricedPer {
    /// One card, bought.
    Card,
    /// One card for one hour, rented.
    Hour,
}

/// Price of a GPU.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// US dollars, above zero.
    #[serde(deserialize_with = "positive")]
    pub usd: f64,
    /// Unit of the price.
    pub per: PricedPer,
    /// Source and date of the price; never empty.
    #[serde(deserialize_with = "stated")]
    pub source: String,
}

/// Resources and clock of a multiprocessor of a GPU.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multiprocessor {
    /// Clock in MHz: the boost clock that the maker states, else what the source says.
    pub clock_mhz: Datum,
    /// All its registers, in bytes.
    pub register_bytes: Datum,
    /// The most of its memory that can be shared memory, in bytes.
    pub shared_bytes: Datum,
    /// Most resident threads.
    pub threads: Datum,
    /// Most resident thread blocks.
    pub blocks: Datum,
}

/// A GPU: memory, link to the host, and its speed relative to one CPU core.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// Unique among the GPUs.
    pub name: String,
    /// Memory size in GB.
    pub memory_gb: Datum,
    /// Memory bandwidth as the maker states it, in GB/s.
    pub memory_gb_per_s: Datum,
    /// The link to the host, such as `PCIe 4.0 ×16`.
    pub host_link: String,
    /// Achievable host-to-GPU speed from pinned memory, in GB/s.
    pub to_gpu_gb_per_s: Datum,
    /// Achievable GPU-to-host speed into pinned memory, in GB/s.
    pub from_gpu_gb_per_s: Datum,
    /// M: GPU throughput over ONE CPU core for memory-bound operators, achievable memory bandwidth / 12 GB/s.
    pub parallelism: Datum,
    /// Streaming multiprocessors, compute units or cores; the source says which.
    #[serde(default)]
    pub compute_units: Option<Datum>,
    /// Resources of one compute unit, where the maker states them, as NVIDIA does.
    #[serde(default)]
    pub multiprocessor: Option<Multiprocessor>,
    /// Power limit in watts.
    #[serde(default)]
    pub power_watt: Option<Datum>,
    /// Price, where one is public.
    #[serde(default)]
    pub price: Option<Price>,
}

/// Kind of network between the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NetworkFamily {
    /// Ethernet, whether TCP or RoCE runs on it.
    Ethernet,
    /// InfiniBand.
    InfiniBand,
    /// Anything else, such as `NVLink`.
    Other,
}

/// A network between nodes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Unique among the networks.
    pub name: String,
    /// Kind of network.
    pub family: NetworkFamily,
    /// Nominal speed in one direction, in Gbit/s.
    pub line_gbit_per_s: Datum,
    /// Effective speed of large messages in one direction, in Gbit/s; at most the line rate.
    pub effective_gbit_per_s: Datum,
}

/// A machine without its GPUs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Unique among the nodes.
    pub name: String,
    /// Physical cores of all sockets.
    pub cores: Datum,
    /// Theoretical memory bandwidth of all sockets, in GB/s.
    pub memory_gb_per_s: Datum,
    /// Measured memory bandwidth of all cores, in GB/s; none for the reference core.
    #[serde(default)]
    pub effective_memory_gb_per_s: Option<Datum>,
    /// Power of the processors in watts; the source says what is included.
    #[serde(default)]
    pub power_watt: Option<Datum>,
}

/// A machine of a cloud provider. Every figure is finite and above zero.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Unique among the instances.
    pub name: String,
    /// Cloud provider.
    pub provider: String,
    /// Virtual cores.
    #[serde(deserialize_with = "positive")]
    pub vcpus: f64,
    /// Memory in GiB, as providers state it.
    #[serde(deserialize_with = "positive")]
    pub memory_gib: f64,
    /// GPUs.
    #[serde(default)]
    pub gpus: u32,
    /// Model of the GPUs; empty without GPUs.
    #[serde(default)]
    pub gpu: String,
    /// Sustained network speed, Gbit/s.
    #[serde(default, deserialize_with = "positive_if_known")]
    pub network_gbit_per_s: Option<f64>,
    /// Local disks, GB.
    #[serde(default, deserialize_with = "positive_if_known")]
    pub disk_gb: Option<f64>,
    /// Price of an hour, US dollars.
    #[serde(default, deserialize_with = "positive_if_known")]
    pub usd_per_hour: Option<f64>,
    /// Region of the price, if that is known.
    #[serde(default)]
    pub region: Option<String>,
    /// Day of the price, if that is known.
    #[serde(default)]
    pub date: Option<Date>,
    /// Source of the figures; never empty.
    #[serde(deserialize_with = "stated")]
    pub source: String,
}

impl Instance {
    /// Origin of its price.
    #[must_use]
    pub fn price_source(&self) -> Provenance {
        Provenance::PriceList { source: self.source.clone(), date: self.date, region: self.region.clone() }
    }
}

/// A way to compress data before a transfer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Codec {
    /// Unique among the codecs.
    pub name: String,
    /// The hardware its speeds belong to.
    pub runs_on: String,
    /// c: compressed size / raw size.
    pub ratio: Datum,
    /// Raw data compressed per second, in GB/s.
    pub compress_gb_per_s: Datum,
    /// Raw data restored per second, in GB/s.
    pub decompress_gb_per_s: Datum,
}

/// All hardware the application offers as presets, in the order of the files.
#[derive(Default, Debug, Clone, PartialEq)]
pub struct Catalogue {
    /// GPUs.
    pub gpus: Vec<Gpu>,
    /// Networks between nodes.
    pub networks: Vec<Network>,
    /// Nodes without their GPUs.
    pub nodes: Vec<Node>,
    /// Compression methods.
    pub codecs: Vec<Codec>,
    /// Machines of cloud providers.
    pub instances: Vec<Instance>,
}

/// Why a catalogue file was rejected. `file` is its name under `assets/`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// The text is not a list of entries of the expected form, or a value is not above zero or without a source.
    #[error("{file}, line {line}, column {column}: {problem}; correct the entry at that place")]
    Malformed {
        /// File name.
        file: &'static str,
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// Found and expected.
        problem: String,
    },
    /// Two entries of one file share a name, so neither could be looked up.
    #[error("{file}: two entries are called \"{name}\"; give each entry a name of its own")]
    NameTaken {
        /// File name.
        file: &'static str,
        /// The shared name.
        name: String,
    },
    /// The effective speed of a network exceeds its line rate.
    #[error(
        "networks.ron: \"{name}\" has an effective speed of {effective_gbit_per_s} Gbit/s on a line of \
         {line_gbit_per_s} Gbit/s; lower the effective speed or correct the line rate"
    )]
    FasterThanLine {
        /// Entry.
        name: String,
        /// The effective speed.
        effective_gbit_per_s: f64,
        /// The line rate.
        line_gbit_per_s: f64,
    },
}

impl Catalogue {
    /// Reads the catalogue from the texts of `gpus.ron`, `networks.ron`, `nodes.ron`, `codecs.ron` and `instances.ron`.
    ///
    /// # Errors
    /// The first problem of the first invalid file: a malformed or unknown field, a name used twice, a value that is
    /// not above zero, a missing source, or a network faster than its line.
    pub fn parse([gpus, networks, nodes, codecs, instances]: [&str; 5]) -> Result<Self, CatalogueError> {
        let gpus = read("gpus.ron", gpus, |gpu: &Gpu| &gpu.name)?;
        let networks = read("networks.ron", networks, |network: &Network| &network.name)?;
        for network in &networks {
            if network.effective_gbit_per_s.value > network.line_gbit_per_s.value {
                return Err(CatalogueError::FasterThanLine {
                    name: network.name.clone(),
                    effective_gbit_per_s: network.effective_gbit_per_s.value,
                    line_gbit_per_s: network.line_gbit_per_s.value,
                });
            }
        }
        let nodes = read("nodes.ron", nodes, |node: &Node| &node.name)?;
        let codecs = read("codecs.ron", codecs, |codec: &Codec| &codec.name)?;
        let instances = read("instances.ron", instances, |instance: &Instance| &instance.name)?;
        Ok(Self { gpus, networks, nodes, codecs, instances })
    }

    /// The GPU of this name.
    #[must_use]
    pub fn gpu(&self, name: &str) -> Option<&Gpu> {
        self.gpus.iter().find(|gpu| gpu.name == name)
    }

    /// The network of this name.
    #[must_use]
    pub fn network(&self, name: &str) -> Option<&Network> {
        self.networks.iter().find(|network| network.name == name)
    }

    /// The node of this name.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// The codec of this name.
    #[must_use]
    pub fn codec(&self, name: &str) -> Option<&Codec> {
        self.codecs.iter().find(|codec| codec.name == name)
    }
}

fn read<E: DeserializeOwned>(file: &'static str, text: &str, name: fn(&E) -> &str) -> Result<Vec<E>, CatalogueError> {
    let entries: Vec<E> = ron::from_str(text).map_err(|error| CatalogueError::Malformed {
        file,
        line: error.span.start.line,
        column: error.span.start.col,
        problem: error.code.to_string(),
    })?;
    let mut names = BTreeSet::new();
    if let Some(taken) = entries.iter().map(name).find(|name| !names.insert(*name)) {
        return Err(CatalogueError::NameTaken { file, name: taken.to_owned() });
    }
    Ok(entries)
}

/// The model divides by catalogue figures, so zero is rejected.
fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(D::Error::custom(format!("{value} is not a finite number above 0")))
    }
}

fn positive_if_known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let value = Option::<f64>::deserialize(deserializer)?;
    let is_wrong = value.is_some_and(|value| !(value.is_finite() && value > 0.0));
    if is_wrong { Err(D::Error::custom("not a finite number above 0")) } else { Ok(value) }
}

fn stated<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let source = String::deserialize(deserializer)?;
    if source.trim().is_empty() {
        Err(D::Error::custom("the source is empty; say where the value comes from"))
    } else {
        Ok(source)
    }
}

#[cfg(test)]
mod tests;
