//! An engine on its machines, and how much its predictions are wrong.

use serde::{Deserialize, Serialize};

use crossover_quantity::quantity::whole;
use crossover_quantity::spread::{Distribution, Group, Spread, Spreads};
use crossover_quantity::unit::Unit;
use crossover_study::Part;

/// Source of the terms: they are no part of the published method.
const EXTENSION: &str = "extension of the published method: engine profiles (docs/model/engines.md)";

/// What is off in the times of both engines alike.
const OF_BOTH: &str = "errors of both engines";

/// The engine of either side, each on machines of its own, and what both read.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engines {
    /// What runs queries on CPUs.
    #[part]
    pub cpu: Engine,
    /// What runs queries on GPUs.
    #[part]
    pub gpu: Engine,
    /// Nine of ten measured speedups were within this factor of the predicted one, queries left out of the fit.
    #[number(
        symbol = "ε_s", label = "error of the speedup", unit = Ratio, range = 1.0..=1000.0, neutral = 1.0, chosen,
        source = EXTENSION
    )]
    #[serde(default = "one")]
    pub speedup_error_factor_90: f64,
    /// How much of what makes a measured CPU time longer than predicted makes the GPU's longer too: 0 nothing, 1 all.
    #[number(
        symbol = "κ", label = "carried over", unit = Ratio, range = 0.0..=1.0, neutral = 0.0, chosen, source = EXTENSION
    )]
    #[serde(default)]
    pub anchoring_factor: f64,
    /// Nine of ten GPU times were within this factor of what was predicted knowing the measured CPU time.
    #[number(
        symbol = "ε_m", label = "error beside a measured run", unit = Ratio, range = 1.0..=1000.0, neutral = 1.0, chosen,
        source = EXTENSION
    )]
    #[serde(default = "one")]
    pub anchored_error_factor_90: f64,
    /// How far times that a plan reports decide the work of its operators: 1 alone, 0 not at all, between them as the
    /// exponent of a geometric mean with what their kinds usually cost. A plan made on a faster core reports less.
    #[number(
        symbol = "λ", label = "trust in a plan's times", unit = Ratio, range = 0.0..=1.0, neutral = 1.0, chosen,
        source = EXTENSION
    )]
    #[serde(default = "one")]
    pub plan_time_weight: f64,
    /// Time of the study's query as it was measured on the CPU side's machines; the answer starts from it.
    #[number(
        symbol = "T_m", label = "measured on CPUs", unit = Seconds, range = 1e-6..=1e9, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_seconds: Option<f64>,
    /// A table up to this size is sent to every machine for a join; two larger ones are both exchanged.
    #[number(
        symbol = "β", label = "broadcast up to", unit = Gigabytes, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION
    )]
    #[serde(default)]
    pub broadcast_gb: f64,
    /// Tables that are stored in a file or more for each value of a column.
    #[list(named)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Partitioned>,
}

/// One engine on its machines.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// The engine and its version, free text.
    pub name: String,
    /// What its machines are called, e.g. "c5d.12xlarge"; empty: nothing is said of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// Machines that work on a query.
    #[number(symbol = "n_e", label = "machines", unit = Count, range = 1.0..=1e6, whole, source = EXTENSION)]
    #[serde(serialize_with = "whole")]
    pub machines: f64,
    /// Cores, or GPUs, of one machine that work on a query.
    #[number(symbol = "l", label = "cores or GPUs per machine", unit = Count, range = 0.1..=1e5, source = EXTENSION)]
    pub lanes: f64,
    /// What one machine sends and receives at a time.
    #[number(
        symbol = "B_e", label = "network per machine", unit = GigabitsPerSecond, range = 1e-3..=1e6,
        source = EXTENSION
    )]
    pub network_gbit_per_s: f64,
    /// Memory of one machine that holds what is exchanged; the rest goes to its disks.
    #[number(
        symbol = "m_e", label = "memory for exchanges", unit = Gigabytes, range = 0.0..=1e9, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default)]
    pub exchange_memory_gb: Option<f64>,
    /// Price of one machine for an hour.
    #[number(
        symbol = "p_e", label = "price of a machine, US dollars per hour", unit = Ratio, range = 0.0..=1e5,
        neutral = f64::INFINITY, source = EXTENSION
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_per_hour: Option<f64>,
    /// Time that every query takes, whatever it does.
    #[number(symbol = "t_q", label = "start of a query", unit = Seconds, range = 0.0..=1e9, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub start_seconds: f64,
    /// Time from one exchange to the next; counts on the longest path of a plan.
    #[number(symbol = "t_x", label = "each exchange in a row", unit = Seconds, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub exchange_seconds: f64,
    /// Time of one core or GPU for what the plan's engine did in a second of one core.
    #[number(symbol = "ρ", label = "work", unit = Ratio, range = 0.0..=1e5, source = EXTENSION)]
    pub work_ratio: f64,
    /// Data that one core or GPU reads and decodes per second, counted as it lies in memory.
    #[number(
        symbol = "s_e", label = "reading", unit = GigabytesPerSecond, range = 1e-5..=1e6, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default)]
    pub read_gb_per_s: Option<f64>,
    /// Time of one core or GPU to open a file.
    #[number(symbol = "t_f", label = "opening a file", unit = Seconds, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub file_seconds: f64,
    /// Time that an exchange takes ÷ time of the same bytes on the network: compression makes it less, writing and
    /// packing make it more.
    #[number(symbol = "χ", label = "exchange ÷ network", unit = Ratio, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub exchange_ratio: f64,
    /// What one machine writes to its disks and reads again per second of what does not fit in its memory.
    #[number(
        symbol = "s_d", label = "spilling", unit = GigabytesPerSecond, range = 1e-5..=1e5, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default)]
    pub spill_gb_per_s: Option<f64>,
    /// Nine of ten measured times were within this factor of the predicted one, queries left out of the fit.
    #[number(symbol = "ε", label = "error", unit = Ratio, range = 1.0..=1000.0, neutral = 1.0, chosen, source = EXTENSION)]
    #[serde(default = "one")]
    pub error_factor_90: f64,
    /// How many times as long as predicted everything takes: 1, until more is known. What it may be, the errors say.
    #[number(
        symbol = "δ", label = "time ÷ predicted time", unit = Ratio, range = 1e-6..=1e6, neutral = 1.0, chosen,
        source = EXTENSION
    )]
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub time_ratio: f64,
}

/// A table that is stored in parts, one for each value of a column.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partitioned {
    /// Name of the table.
    #[name]
    pub name: String,
    /// The column; its values stand in the names of the parts, not in them.
    pub column: String,
    /// Parts of the table, each a file.
    #[number(symbol = "φ", label = "parts", unit = Count, range = 1.0..=1e7, source = EXTENSION)]
    pub parts: f64,
}

/// The machines of an engine: what of a profile is of a cluster, not of the engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Machines {
    /// What they are called.
    name: String,
    /// How many work on a query.
    count: f64,
    /// Cores or GPUs of one.
    lanes: f64,
    network_gbit_per_s: f64,
    exchange_memory_gb: Option<f64>,
    usd_per_hour: Option<f64>,
}

impl Engines {
    /// The machines of either side, CPU first.
    #[must_use]
    pub fn machines(&self) -> [Machines; 2] {
        [self.cpu.on(), self.gpu.on()]
    }

    /// The same engines on other machines, CPU first.
    #[must_use]
    pub fn moved_to(&self, [cpu, gpu]: [Machines; 2]) -> Self {
        Self { cpu: self.cpu.moved_to(cpu), gpu: self.gpu.moved_to(gpu), ..self.clone() }
    }

    /// An engine that takes exactly as long as the plan's engine on one core, on one machine: where entries begin.
    #[must_use]
    pub fn plain() -> Self {
        let engine = Engine {
            name: String::new(),
            machine: String::new(),
            machines: 1.0,
            lanes: 1.0,
            network_gbit_per_s: 10.0,
            exchange_memory_gb: None,
            usd_per_hour: None,
            start_seconds: 0.0,
            exchange_seconds: 0.0,
            work_ratio: 1.0,
            read_gb_per_s: None,
            file_seconds: 0.0,
            exchange_ratio: 0.0,
            spill_gb_per_s: None,
            error_factor_90: 1.0,
            time_ratio: 1.0,
        };
        Self {
            cpu: engine.clone(),
            gpu: engine,
            speedup_error_factor_90: 1.0,
            anchoring_factor: 0.0,
            anchored_error_factor_90: 1.0,
            plan_time_weight: 1.0,
            measured_seconds: None,
            broadcast_gb: 0.0,
            tables: Vec::new(),
        }
    }

    /// How far predicted times may be off, by the path of the number in this part: as nine of ten were. Where the query was
    /// measured on CPUs, its time there is known.
    #[must_use]
    pub fn errors(&self) -> Spreads {
        let spread = |within: f64, loading: f64| {
            let group = (loading != 0.0).then(|| Group { name: OF_BOTH.to_owned(), loading });
            (within > 1.0).then(|| Spread { distribution: Distribution::nine_of_ten(within), group })
        };
        let (cpu, gpu) = if self.measured_seconds.is_some() {
            (None, spread(self.anchored_error_factor_90, 0.0))
        } else {
            let [cpu, gpu, speedup] = [self.cpu.error_factor_90, self.gpu.error_factor_90, self.speedup_error_factor_90].map(f64::ln);
            // What is off in both alike is not off in the speedup.
            let common = if cpu * gpu > 0.0 && speedup > 0.0 {
                ((cpu * cpu + gpu * gpu - speedup * speedup) / (2.0 * cpu * gpu)).clamp(-1.0, 1.0)
            } else {
                0.0
            };
            let loading = common.abs().sqrt();
            (spread(self.cpu.error_factor_90, loading), spread(self.gpu.error_factor_90, loading * common.signum()))
        };
        let of = |engine: &str, spread: Option<Spread>| {
            spread.map(|spread| (format!("{engine}.{}", Engine::TIME_RATIO.key), spread))
        };
        of("cpu", cpu).into_iter().chain(of("gpu", gpu)).collect()
    }

    /// How a table is stored, if in parts.
    #[must_use]
    pub fn partitioned(&self, table: &str) -> Option<&Partitioned> {
        self.tables.iter().find(|partitioned| partitioned.name == table)
    }

    /// Whether a column is the one by whose values a table is stored in parts.
    #[must_use]
    pub fn is_partition(&self, column: &str) -> bool {
        self.tables.iter().any(|table| table.column == column)
    }
}

impl Engine {
    /// Keys of the numbers that are of its machines.
    pub const OF_MACHINES: [&'static str; 5] = [
        Self::MACHINES.key,
        Self::LANES.key,
        Self::NETWORK_GBIT_PER_S.key,
        Self::EXCHANGE_MEMORY_GB.key,
        Self::USD_PER_HOUR.key,
    ];

    /// Its machines.
    fn on(&self) -> Machines {
        Machines {
            name: self.machine.clone(),
            count: self.machines,
            lanes: self.lanes,
            network_gbit_per_s: self.network_gbit_per_s,
            exchange_memory_gb: self.exchange_memory_gb,
            usd_per_hour: self.usd_per_hour,
        }
    }

    fn moved_to(&self, to: Machines) -> Self {
        Self {
            machine: to.name,
            machines: to.count,
            lanes: to.lanes,
            network_gbit_per_s: to.network_gbit_per_s,
            exchange_memory_gb: to.exchange_memory_gb,
            usd_per_hour: to.usd_per_hour,
            ..self.clone()
        }
    }

    /// The engine and its machines: "Spark 3.5.3, 8 × c5d.12xlarge".
    #[must_use]
    pub fn title(&self) -> String {
        match (self.name.as_str(), self.machine.as_str()) {
            (name, "") => name.to_owned(),
            (name, machine) => format!("{name}, {} × {machine}", Unit::Count.format(self.machines)),
        }
    }

    /// Price of all machines for so many seconds, US dollars; `None` where it is not known.
    #[must_use]
    pub fn usd(&self, seconds: f64) -> Option<f64> {
        Some(self.machines * self.usd_per_hour? * seconds / 3600.0)
    }

    /// Cores or GPUs of all machines.
    #[must_use]
    pub fn all_lanes(&self) -> f64 {
        self.machines * self.lanes
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::float_cmp,
    reason = "serde calls it so; what is written as 1 is 1"
)]
fn is_one(number: &f64) -> bool {
    *number == 1.0
}

fn one() -> f64 {
    1.0
}
