//! An engine on its machines, and the errors of its predictions.

use serde::{Deserialize, Serialize};

use super::anchored::Anchored;
use super::elsewhere::Elsewhere;
use super::from_plan::FromPlan;
use crossover_quantity::quantity::whole;
use crossover_quantity::spread::{Distribution, Group, Spread, Spreads};
use crossover_quantity::unit::Unit;
use crossover_query::{EstimatedVolumes, Volumes};
use crossover_study::Part;

/// Source of the terms, which the published method does not have.
const EXTENSION: &str = "extension of the published method: engine profiles (docs/model/engines.md)";

/// Name of the common factor of both engines' errors.
const OF_BOTH: &str = "common error of both engines";

/// The engines of both sides, each on machines of its own, and the tables that both read.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engines {
    /// The engine that runs queries on CPUs.
    #[part]
    pub cpu: Engine,
    /// The engine that runs queries on GPUs.
    #[part]
    pub gpu: Engine,
    /// Factor within which 90 % of measured speedups lay around the predicted one, in leave-one-out cross-validation.
    #[number(
        symbol = "ε_s", label = "speedup error (90 %)", unit = Ratio, range = 1.0..=1000.0, neutral = 1.0, chosen,
        source = EXTENSION
    )]
    #[serde(default = "one")]
    pub speedup_error_factor_90: f64,
    /// How far a measured time on CPUs corrects the predicted GPU time: 0 not at all, 1 fully.
    #[number(
        symbol = "κ", label = "anchoring factor", unit = Ratio, range = 0.0..=1.0, neutral = 0.0, chosen, source = EXTENSION
    )]
    #[serde(default)]
    pub anchoring_factor: f64,
    /// Factor within which 90 % of measured GPU times lay around the prediction, given a measured time on CPUs.
    #[number(
        symbol = "ε_m", label = "anchored error (90 %)", unit = Ratio, range = 1.0..=1000.0, neutral = 1.0, chosen,
        source = EXTENSION
    )]
    #[serde(default = "one")]
    pub anchored_error_factor_90: f64,
    /// The GPU time as a sum with the measured time on CPUs; it is used where the plan has data read, files and exchanges.
    #[part(example = "(start_seconds: 0.7, today_share: 0.08, …)")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchored: Option<Anchored>,
    /// Times on CPUs and on GPUs of a query that never ran, from the data volumes in its plan.
    #[part(example = "(exchange_memory_gb: 20, cpu: (…), …)")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_plan: Option<FromPlan>,
    /// Time on CPUs ÷ time on GPUs of every query that was not measured, where left-out queries were not predicted better by their plans.
    #[number(
        symbol = "S_p", label = "constant speedup", unit = Ratio, range = 1e-6..=1e6, neutral = f64::INFINITY, source = EXTENSION
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant_speedup: Option<f64>,
    /// The same of every query with a measured time, where left-out queries were not predicted better by that time and their plans.
    #[number(
        symbol = "S_m", label = "anchored constant", unit = Ratio, range = 1e-6..=1e6, neutral = f64::INFINITY, source = EXTENSION
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchored_constant_speedup: Option<f64>,
    /// The constant on other machines than those of the fit, where left-out clusters were not predicted better by a form.
    #[part(example = "(speedup: 1.6, error_factor_90: 2.2)")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Elsewhere>,
    /// Weight of the times in a plan against the usual cost of its kinds of operators: 1 uses the plan's times only, 0 ignores
    /// them. In between it is the exponent of a geometric mean. A plan made on a faster core reports shorter times.
    #[number(
        symbol = "λ", label = "plan-time weight", unit = Ratio, range = 0.0..=1.0, neutral = 1.0, chosen,
        source = EXTENSION
    )]
    #[serde(default = "one")]
    pub plan_time_weight: f64,
    /// Time of the study's query, measured on the CPU cluster; the answer starts from it.
    #[number(
        symbol = "T_m", label = "measured time", unit = Seconds, range = 1e-6..=1e9, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_seconds: Option<f64>,
    /// The largest table that is sent to every machine for a join; two larger tables are both exchanged.
    #[number(
        symbol = "β", label = "broadcast threshold", unit = Gigabytes, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION, decision
    )]
    #[serde(default)]
    pub broadcast_gb: f64,
    /// Partitioned tables: one file or more for each value of a column.
    #[list(named)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Partitioned>,
}

/// When the runs were measured that an engine's numbers were fitted to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// Day or month, `YYYY-MM-DD` or `YYYY-MM`.
    pub date: String,
    /// Where the date comes from.
    pub source: String,
}

/// One engine on its machines. Cores, GPUs, network and memory of one machine are those of its type, so they are not decision variables:
/// its price would not follow them.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// The engine and its version, free text.
    pub name: String,
    /// The engine and machines that its numbers were fitted to; empty: this version on these machines.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fitted_to: String,
    /// When the runs were measured that its numbers were fitted to, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measurement: Option<Measurement>,
    /// Type of its machines, e.g. "c5d.12xlarge"; empty if not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub machine: String,
    /// Machines that work on a query.
    #[number(symbol = "n_e", label = "machines", unit = Count, range = 1.0..=1e6, whole, source = EXTENSION, decision)]
    #[serde(serialize_with = "whole")]
    pub machines: f64,
    /// Cores, or GPUs, of one machine that work on a query.
    #[number(symbol = "l", label = "cores or GPUs each", unit = Count, range = 0.1..=1e5, source = EXTENSION)]
    pub lanes: f64,
    /// vCPUs of one machine, also those that the engine does not use; machine price ÷ vCPUs is the price per vCPU.
    #[number(
        symbol = "v_e", label = "vCPUs each", unit = Count, range = 0.1..=1e5, neutral = f64::INFINITY, source = EXTENSION
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vcpus: Option<f64>,
    /// Speed at which one machine sends, and at the same time receives.
    #[number(
        symbol = "B_e", label = "network per machine", unit = GigabitsPerSecond, range = 1e-3..=1e6,
        source = EXTENSION
    )]
    pub network_gbit_per_s: f64,
    /// Memory of one machine that holds exchanged data before it spills to disk.
    #[number(
        symbol = "m_e", label = "exchange memory", unit = Gigabytes, range = 0.0..=1e9, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default)]
    pub exchange_memory_gb: Option<f64>,
    /// Price of one machine for an hour.
    #[number(
        symbol = "p_e", label = "machine price", unit = UsDollarsPerHour, range = 0.0..=1e5,
        neutral = f64::INFINITY, source = EXTENSION, decision
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_per_hour: Option<f64>,
    /// Time that every query takes, whatever it does.
    #[number(symbol = "t_q", label = "start time", unit = Seconds, range = 0.0..=1e9, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub start_seconds: f64,
    /// Time from one exchange to the next; counts on the longest path of a plan.
    #[number(symbol = "t_x", label = "step time", unit = Seconds, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub exchange_seconds: f64,
    /// Time of one core or GPU of this engine for one core-second of the plan's engine.
    #[number(symbol = "ρ", label = "work ratio", unit = Ratio, range = 0.0..=1e5, source = EXTENSION)]
    pub work_ratio: f64,
    /// Data that one core or GPU reads and decodes per second, by its size in memory.
    #[number(
        symbol = "s_e", label = "read rate", unit = GigabytesPerSecond, range = 1e-5..=1e6, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default)]
    pub read_gb_per_s: Option<f64>,
    /// Time of one core or GPU to open a file.
    #[number(symbol = "t_f", label = "file open cost", unit = Seconds, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub file_seconds: f64,
    /// Time of an exchange ÷ time of the same bytes on the network; compression lowers it, writing and packing raise it.
    #[number(symbol = "χ", label = "exchange ÷ network", unit = Ratio, range = 0.0..=1e4, neutral = 0.0, source = EXTENSION)]
    #[serde(default)]
    pub exchange_ratio: f64,
    /// Data beyond its exchange memory that one machine writes to disk and reads back per second.
    #[number(
        symbol = "s_d", label = "spill rate", unit = GigabytesPerSecond, range = 1e-5..=1e5, neutral = f64::INFINITY,
        source = EXTENSION
    )]
    #[serde(default)]
    pub spill_gb_per_s: Option<f64>,
    /// Factor within which 90 % of measured times lay around the predicted one, in leave-one-out cross-validation.
    #[number(symbol = "ε", label = "error factor (90 %)", unit = Ratio, range = 1.0..=1000.0, neutral = 1.0, chosen, source = EXTENSION)]
    #[serde(default = "one")]
    pub error_factor_90: f64,
    /// Measured time ÷ predicted time, 1 until more is known; the error factor gives its spread.
    #[number(
        symbol = "δ", label = "time factor", unit = Ratio, range = 1e-6..=1e6, neutral = 1.0, chosen,
        source = EXTENSION
    )]
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub time_ratio: f64,
}

/// A table that is stored in partitions, one for each value of a column.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partitioned {
    /// Name of the table.
    #[name]
    pub name: String,
    /// The column; its values are in the file names, not in the files.
    pub column: String,
    /// Partitions of the table, each a file.
    #[number(symbol = "φ", label = "partition count", unit = Count, range = 1.0..=1e7, source = EXTENSION)]
    pub parts: f64,
}

/// The machines of an engine: the part of a profile that belongs to a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Machines {
    /// Type of the machines.
    name: String,
    /// Machines that work on a query.
    count: f64,
    /// Cores or GPUs of one machine.
    lanes: f64,
    vcpus: Option<f64>,
    network_gbit_per_s: f64,
    exchange_memory_gb: Option<f64>,
    usd_per_hour: Option<f64>,
}

impl Machines {
    /// Machines that work on a query.
    pub(crate) fn count(&self) -> f64 {
        self.count
    }

    /// Cores or GPUs of all machines.
    pub(crate) fn all_lanes(&self) -> f64 {
        self.count * self.lanes
    }

    /// Memory of all machines that holds exchanged data, if known.
    pub(crate) fn all_memory_gb(&self) -> Option<f64> {
        self.exchange_memory_gb.map(|memory| memory * self.count)
    }

    /// Network of all machines together.
    pub(crate) fn all_network_gbit_per_s(&self) -> f64 {
        self.count * self.network_gbit_per_s
    }
}

impl Engines {
    /// The machines of either side, CPU first.
    #[must_use]
    pub fn machines(&self) -> [Machines; 2] {
        [self.cpu.on(), self.gpu.on()]
    }

    /// What the engines are called in tables: "CPU" and "GPU", or their names if both run on the same type of machine, where
    /// neither is known to use GPUs.
    #[must_use]
    pub fn labels(&self) -> [String; 2] {
        let [cpu, gpu] = [&self.cpu, &self.gpu];
        let is_on_same = !cpu.machine.is_empty() && cpu.machine == gpu.machine;
        let has_names = !cpu.name.is_empty() && !gpu.name.is_empty() && cpu.name != gpu.name;
        if is_on_same && has_names {
            [&cpu.name, &gpu.name].map(String::clone)
        } else {
            ["CPU", "GPU"].map(str::to_owned)
        }
    }

    /// The same engines on other machines, CPU first.
    #[must_use]
    pub fn moved_to(&self, [cpu, gpu]: [Machines; 2]) -> Self {
        Self { cpu: self.cpu.moved_to(cpu), gpu: self.gpu.moved_to(gpu), ..self.clone() }
    }

    /// Engines that take exactly as long as the plan's engine on one core of one machine: the start of new entries.
    #[must_use]
    pub fn plain() -> Self {
        let engine = Engine {
            name: String::new(),
            fitted_to: String::new(),
            measurement: None,
            machine: String::new(),
            machines: 1.0,
            lanes: 1.0,
            vcpus: None,
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
            anchored: None,
            from_plan: None,
            constant_speedup: None,
            anchored_constant_speedup: None,
            elsewhere: None,
            plan_time_weight: 1.0,
            measured_seconds: None,
            broadcast_gb: 0.0,
            tables: Vec::new(),
        }
    }

    /// Errors of predicted times as distributions of the time factors, by path. If the query was measured on CPUs, the CPU time
    /// has no error, and that of the GPU time is that of the sum if `volumes` are known. Without a measured time, errors are those of times
    /// from the plan if what it moves is `estimated`. None if the query is outside what was measured.
    #[must_use]
    pub fn errors(&self, volumes: Option<&Volumes>, estimated: Option<&EstimatedVolumes>) -> Spreads {
        let spread = |within: f64, loading: f64| {
            let group = (loading != 0.0).then(|| Group { name: OF_BOTH.to_owned(), loading });
            (within > 1.0).then(|| Spread { distribution: Distribution::from_error_factor_90(within), group })
        };
        let (cpu, gpu) = if self.measured_seconds.is_some() {
            let within = match self.additive(volumes) {
                Some(additive) if additive.outside().is_some() => 1.0,
                Some(additive) if self.anchored_constant_speedup.is_none() => additive.error_factor_90(),
                _ => self.anchored_error_factor_90,
            };
            (None, spread(within, 0.0))
        } else {
            let planned = self.planned(estimated);
            let is_outside = planned.as_ref().is_some_and(|planned| planned.outside().is_some());
            let factors = if is_outside { [1.0; 3] } else { self.error_factors_90(planned.as_ref()) };
            let [cpu, gpu, speedup] = factors.map(f64::ln);
            // An error that both times share cancels in the speedup.
            let common = if cpu * gpu > 0.0 && speedup > 0.0 {
                ((cpu * cpu + gpu * gpu - speedup * speedup) / (2.0 * cpu * gpu)).clamp(-1.0, 1.0)
            } else {
                0.0
            };
            let loading = common.abs().sqrt();
            (spread(factors[0], loading), spread(factors[1], loading * common.signum()))
        };
        let of = |engine: &str, spread: Option<Spread>| {
            spread.map(|spread| (format!("{engine}.{}", Engine::TIME_RATIO.key), spread))
        };
        of("cpu", cpu).into_iter().chain(of("gpu", gpu)).collect()
    }

    /// The partitions of a table, if it has any.
    #[must_use]
    pub fn partitioned(&self, table: &str) -> Option<&Partitioned> {
        self.tables.iter().find(|partitioned| partitioned.name == table)
    }

    /// Whether a table is partitioned by this column.
    #[must_use]
    pub fn is_partition(&self, column: &str) -> bool {
        self.tables.iter().any(|table| table.column == column)
    }
}

impl Engine {
    /// Keys of the numbers that belong to its machines.
    pub const OF_MACHINES: [&'static str; 6] = [
        Self::MACHINES.key,
        Self::LANES.key,
        Self::VCPUS.key,
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
            vcpus: self.vcpus,
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
            vcpus: to.vcpus,
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

    /// Price of all machines for this time, US dollars; `None` if it is not known.
    #[must_use]
    pub fn usd(&self, seconds: f64) -> Option<f64> {
        Some(self.machines * self.usd_per_hour? * seconds / 3600.0)
    }

    /// Price of one core for an hour, US dollars, if the cores that the engine does not use were used by others.
    #[must_use]
    pub fn usd_per_core_hour(&self) -> Option<f64> {
        Some(self.usd_per_hour? / self.vcpus.unwrap_or(self.lanes).max(self.lanes))
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
    reason = "serde passes a reference; 1 is written exactly"
)]
fn is_one(number: &f64) -> bool {
    *number == 1.0
}

fn one() -> f64 {
    1.0
}
