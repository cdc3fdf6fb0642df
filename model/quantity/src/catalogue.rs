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
mod tests {
    use super::*;

    const GPUS: &str = include_str!("../../../assets/gpus.ron");
    const NETWORKS: &str = include_str!("../../../assets/networks.ron");
    const NODES: &str = include_str!("../../../assets/nodes.ron");
    const CODECS: &str = include_str!("../../../assets/codecs.ron");
    const INSTANCES: &str = include_str!("../../../assets/instances.ron");

    fn shipped() -> Catalogue {
        Catalogue::parse([GPUS, NETWORKS, NODES, CODECS, INSTANCES]).expect("the shipped catalogue is well formed")
    }

    #[test]
    fn shipped_catalogue_is_large_and_its_names_are_unique() {
        fn check<'a>(names: impl Iterator<Item = &'a String>, at_least: usize) {
            let names: Vec<&String> = names.collect();
            let unique: BTreeSet<&String> = names.iter().copied().collect();
            assert_eq!(unique.len(), names.len());
            assert!(names.len() >= at_least, "{} of {at_least}", names.len());
        }
        let catalogue = shipped();
        check(catalogue.gpus.iter().map(|gpu| &gpu.name), 20);
        check(catalogue.networks.iter().map(|network| &network.name), 12);
        check(catalogue.nodes.iter().map(|node| &node.name), 8);
        check(catalogue.codecs.iter().map(|codec| &codec.name), 9);
    }

    #[test]
    fn every_shipped_figure_is_positive_and_sourced() {
        // Counted in the text, so that the check does not lean on the reader it checks.
        for text in [GPUS, NETWORKS, NODES, CODECS] {
            let figures: Vec<&str> = text.split("(value: ").skip(1).collect();
            assert!(figures.len() >= 20);
            for figure in figures {
                let (value, rest) = figure.split_once(", confidence: ").expect("a confidence follows");
                let value: f64 = value.parse().expect("a number");
                assert!(value.is_finite() && value > 0.0, "{figure}");
                let (_, source) = rest.split_once(", source: \"").expect("a source follows");
                assert!(source.find('"').is_some_and(|length| length >= 10), "{figure}");
            }
        }
    }

    #[test]
    fn every_instance_says_whose_it_is_and_what_its_gpus_are() {
        let instances = shipped().instances;
        assert!(instances.len() >= 30);
        for instance in &instances {
            assert_eq!(instance.gpus > 0, !instance.gpu.is_empty(), "{}", instance.name);
            assert!(["AWS", "Azure", "GCP"].contains(&instance.provider.as_str()), "{}", instance.name);
            assert!(instance.region.is_some() || instance.usd_per_hour.is_none(), "{}", instance.name);
        }
        // The cluster of the public comparison of Spark and RAPIDS: 8 × 2.304 $ against 4 × 0.9776 $.
        let usd = |name: &str| {
            let found = instances.iter().find(|instance| instance.name == name).expect("an instance");
            found.usd_per_hour.expect("a price")
        };
        assert!((8.0 * usd("c5d.12xlarge") - 18.432).abs() < 1e-9 && (4.0 * usd("g6.2xlarge") - 3.9104).abs() < 1e-9);
        let negative =
            "[(name: \"x\", provider: \"AWS\", vcpus: 4, memory_gib: 8, usd_per_hour: Some(-1), source: \"s\")]";
        let error = Catalogue::parse([GPUS, NETWORKS, NODES, CODECS, negative]).expect_err("a negative price");
        assert!(error.to_string().contains("instances.ron, line 1"), "{error}");
    }

    /// Amazon's price list has one price per vCPU for all sizes of a family, in us-east-1 (2026-07-20): $0.048 of m5 and m6i, $0.063 of r5 and
    /// r6i, $0.0425 of c5 and c6i. The families have 4, 8 and 2 GiB per vCPU.
    #[test]
    fn usual_workers_of_spark_have_the_price_and_memory_of_their_family() {
        let instances = shipped().instances;
        for (families, usd_per_vcpu, gib_per_vcpu) in
            [(["m5.", "m6i."], 0.048, 4.0), (["r5.", "r6i."], 0.063, 8.0), (["c5.", "c6i."], 0.042_5, 2.0)]
        {
            for family in families {
                let sizes: Vec<&Instance> =
                    instances.iter().filter(|instance| instance.name.starts_with(family)).collect();
                assert!(sizes.len() >= 5, "{family}: {}", sizes.len());
                for Instance { name, vcpus, memory_gib, usd_per_hour, .. } in sizes {
                    let usd = usd_per_hour.expect("a price");
                    assert!((usd - usd_per_vcpu * vcpus).abs() < 1e-9, "{name}: {usd}");
                    assert!((memory_gib - gib_per_vcpu * vcpus).abs() < 1e-9, "{name}: {memory_gib}");
                }
            }
        }
        let named = instances.iter().find(|instance| instance.name == "m5.2xlarge").expect("m5.2xlarge");
        assert_eq!((named.vcpus, named.usd_per_hour), (8.0, Some(0.384)));
    }

    #[test]
    fn no_codec_inflates_data_much() {
        for codec in shipped().codecs {
            assert!(codec.ratio.value < 1.5, "{}", codec.name);
        }
    }

    #[test]
    fn no_network_is_faster_than_its_line() {
        for network in shipped().networks {
            assert!(network.effective_gbit_per_s.value <= network.line_gbit_per_s.value, "{}", network.name);
        }
    }

    /// GB/s of a link such as `PCIe 4.0 ×16`, from the transfer rates and line codes of the PCI Express standards.
    fn pcie_limit_gb_per_s(host_link: &str) -> Option<f64> {
        let (generation, lanes) =
            host_link.strip_prefix("PCIe ")?.split_once(" ×").expect("PCIe <generation> ×<lanes>");
        let gigatransfers_per_s = match generation {
            "3.0" => 8.0,
            "4.0" => 16.0,
            "5.0" => 32.0,
            other => panic!("no limit known for PCIe {other}"),
        };
        let lanes: f64 = lanes.parse().expect("lanes are a number");
        Some(lanes * gigatransfers_per_s * 128.0 / 130.0 / 8.0)
    }

    #[test]
    fn no_bus_is_faster_than_its_link() {
        let catalogue = shipped();
        let links: Vec<_> =
            catalogue.gpus.iter().filter_map(|gpu| Some((gpu, pcie_limit_gb_per_s(&gpu.host_link)?))).collect();
        assert!(links.len() >= 20, "most GPUs hang on PCIe");
        for (gpu, limit_gb_per_s) in links {
            for speed in [&gpu.to_gpu_gb_per_s, &gpu.from_gpu_gb_per_s] {
                assert!(speed.value <= limit_gb_per_s, "{}: {} of {limit_gb_per_s} GB/s", gpu.name, speed.value);
            }
        }
    }

    #[test]
    fn gpu_parallelism_needs_no_more_than_the_stated_memory_bandwidth() {
        let catalogue = shipped();
        let estimated = catalogue.gpus.iter().filter(|gpu| gpu.parallelism.confidence != Confidence::Published);
        assert!(estimated.clone().count() >= 20, "one GPU is the published one");
        for gpu in estimated {
            let share = gpu.parallelism.value * 12.0 / gpu.memory_gb_per_s.value;
            assert!((0.7..=1.0).contains(&share), "{} uses {share} of its bandwidth", gpu.name);
        }
    }

    /// The compute capability that a source names.
    fn capability(source: &str) -> &str {
        let (_, rest) = source.split_once(", compute capability ").expect("the source names it");
        rest.split(':').next().unwrap_or(rest)
    }

    #[test]
    fn multiprocessors_of_one_compute_capability_are_alike() {
        /// Kibibytes of shared memory, threads, blocks.
        const LIMITS: [(&str, [f64; 3]); 11] = [
            ("3.5", [48.0, 2048.0, 16.0]),
            ("6.0", [64.0, 2048.0, 32.0]),
            ("6.1", [96.0, 2048.0, 32.0]),
            ("7.0", [96.0, 2048.0, 32.0]),
            ("7.5", [64.0, 1024.0, 16.0]),
            ("8.0", [164.0, 2048.0, 32.0]),
            ("8.6", [100.0, 1536.0, 16.0]),
            ("8.9", [100.0, 1536.0, 24.0]),
            ("9.0", [228.0, 2048.0, 32.0]),
            ("10.0", [228.0, 2048.0, 32.0]),
            ("12.0", [100.0, 1536.0, 24.0]),
        ];
        let mut seen = BTreeSet::new();
        for gpu in shipped().gpus {
            assert_eq!(gpu.multiprocessor.is_some(), gpu.name.starts_with("NVIDIA "), "{}", gpu.name);
            let Some(one) = gpu.multiprocessor else { continue };
            assert!(gpu.compute_units.is_some(), "{}: how many there are is known", gpu.name);
            let [of, others @ ..] = [&one.register_bytes, &one.shared_bytes, &one.threads, &one.blocks]
                .map(|figure| capability(&figure.source).to_owned());
            assert_eq!(others, [of.clone(), of.clone(), of.clone()], "{}", gpu.name);
            let (_, limits) = LIMITS.iter().find(|(known, _)| *known == of).expect("a known compute capability");
            let found = [one.shared_bytes.value / 1024.0, one.threads.value, one.blocks.value];
            assert_eq!((found, one.register_bytes.value), (*limits, 65_536.0 * 4.0), "{}", gpu.name);
            assert!((700.0..3_000.0).contains(&one.clock_mhz.value), "{}: in MHz", gpu.name);
            seen.insert(of);
        }
        assert_eq!(seen.len(), LIMITS.len(), "every known compute capability is in the catalogue: {seen:?}");
    }

    #[test]
    fn the_gpu_of_studies_from_2013_is_there() {
        let catalogue = shipped();
        let gpu = catalogue.gpu("NVIDIA Tesla K40").expect("GPU");
        assert_eq!((gpu.memory_gb.value, gpu.memory_gb_per_s.value), (12.0, 288.0));
        let multiprocessor = gpu.multiprocessor.as_ref().expect("known");
        assert_eq!(multiprocessor.clock_mhz.value, 745.0);
        assert_eq!(gpu.compute_units.as_ref().map(|units| units.value), Some(15.0));
    }

    #[test]
    fn a_node_reads_no_more_than_its_memory_delivers() {
        for node in shipped().nodes {
            let Some(effective) = &node.effective_memory_gb_per_s else {
                assert_eq!(node.cores.value, 1.0, "{}: only the yardstick of one core is without", node.name);
                continue;
            };
            let share = effective.value / node.memory_gb_per_s.value;
            assert!((0.7..=0.95).contains(&share), "{} reads {share} of its bandwidth", node.name);
        }
    }

    #[test]
    fn published_setting_is_in_the_catalogue() {
        fn check(figure: &Datum, value: f64) {
            assert_eq!((figure.value, figure.confidence), (value, Confidence::Published), "{}", figure.source);
        }
        let catalogue = shipped();
        let gpu = catalogue.gpu("NVIDIA GTX 1080 Ti (published setting)").expect("GPU");
        check(&gpu.parallelism, 64.0);
        check(&gpu.to_gpu_gb_per_s, 12.8);
        check(&gpu.from_gpu_gb_per_s, 12.8);
        assert_eq!((gpu.memory_gb.value, gpu.memory_gb_per_s.value), (11.0, 484.0));
        let ethernet = catalogue.network("10 Gb Ethernet (published setting)").expect("Ethernet");
        assert_eq!(ethernet.family, NetworkFamily::Ethernet);
        check(&ethernet.line_gbit_per_s, 10.0);
        check(&ethernet.effective_gbit_per_s, 1.0);
        let infiniband = catalogue.network("100 Gb InfiniBand (published setting)").expect("InfiniBand");
        assert_eq!(infiniband.family, NetworkFamily::InfiniBand);
        check(&infiniband.line_gbit_per_s, 100.0);
        check(&infiniband.effective_gbit_per_s, 80.0);
        check(&catalogue.node("1 core (published setting)").expect("node").cores, 1.0);
        let codec = catalogue.codec("Published setting").expect("codec");
        check(&codec.ratio, 0.3);
        check(&codec.compress_gb_per_s, 0.1);
        check(&codec.decompress_gb_per_s, 0.1);
        assert_eq!(catalogue.gpu("no such GPU"), None);
    }

    #[test]
    fn bad_entries_are_refused_with_the_place_and_the_remedy() {
        fn check(networks: &str, expected: &str) {
            let error = Catalogue::parse([GPUS, networks, NODES, CODECS, INSTANCES]).expect_err(networks).to_string();
            assert!(error.contains(expected), "{error:?} should say {expected:?}");
        }
        let entry = |name: &str, line: &str, effective: &str, source: &str, more: &str| {
            format!(
                "(name: \"{name}\", family: Other, {more}\n line_gbit_per_s: (value: {line}, confidence: Spec, source: \"s\"), \
                 effective_gbit_per_s: (value: {effective}, confidence: Derived, source: \"{source}\")),\n"
            )
        };
        let good = entry("a", "10", "9", "s", "");
        Catalogue::parse([GPUS, &format!("[{good}]"), NODES, CODECS, INSTANCES]).expect("the good entry is accepted");

        check(&format!("[{good}{}]", entry("b", "1", "1", "s", "colour: 3,")), "networks.ron, line 3, column");
        check(&format!("[{}]", entry("b", "1", "1", "s", "colour: 3,")), "`colour`");
        check(&format!("[{good}{good}]"), "two entries are called \"a\"");
        check(&format!("[{}]", entry("a", "10", "0", "s", "")), "0 is not a finite number above 0");
        check(&format!("[{}]", entry("a", "inf", "9", "s", "")), "inf is not a finite number above 0");
        check(&format!("[{}]", entry("a", "10", "9", " ", "")), "say where the value comes from");
        check(&format!("[{}]", entry("a", "10", "11", "s", "")), "11 Gbit/s on a line of 10 Gbit/s");
    }
}
