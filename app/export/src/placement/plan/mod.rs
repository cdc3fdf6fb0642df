//! The decision for a whole query plan: as records for programs, reports for people, and configuration of an engine.

mod decisions;
mod node;
mod report;
mod spark_conf;
mod spreadsheet;

use crossover_engine::{Engine, Engines};
use crossover_placement::whole::{self, ByClass, ClassChoice, Flow, Whole, decide};
use crossover_placement::{Placement, Query, Side, Variant};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use serde::Serialize;

use super::{by_term, key};
use crate::as_map;
use crate::decided::{DecisionRecord, engine_titles, in_shown_engines};
use crate::decision::all_warnings;
pub use node::{Estimate, NodeRecord, Number, Recorded};
pub(crate) use report::text_report;
pub(super) use spreadsheet::csv;

/// Formats of the placement of a plan for other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum PlanFormat {
    /// Switches and costs of the RAPIDS Accelerator for Apache Spark, for spark-submit --properties-file
    SparkConf,
    /// Side, reason and confidence of every operator, for programs
    Json,
}

/// Whether Spark made the plan of a query.
#[must_use]
pub fn is_of_spark(query: &Query) -> bool {
    ["Spark", "Databricks"].iter().any(|engine| query.plan.engine.starts_with(engine))
}

/// Least gain, as a share of a plan's time, for which a class of operators moves to the other side.
const INDIFFERENT: f64 = 0.01;

/// The best decision that an engine can be configured with: one side for each class that the RAPIDS Accelerator for Apache
/// Spark can switch. A class with a negligible gain keeps its side.
#[must_use]
pub fn by_class(query: &Query, whole: &Whole) -> ByClass {
    let usual = |class: &str| spark_conf::default_of(class).map(|is_on| if is_on { Side::Gpu } else { Side::Cpu });
    whole::by_class(query, whole, usual, INDIFFERENT)
}

impl PlanFormat {
    /// All formats, in the order of menus.
    pub const ALL: [Self; 2] = [Self::SparkConf, Self::Json];

    /// Name of the format in a menu.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::SparkConf => "Spark configuration",
            Self::Json => "placement (JSON)",
        }
    }

    /// Suffix of the name of a file in this format.
    #[must_use]
    pub fn what(self) -> &'static str {
        match self {
            Self::SparkConf => "spark",
            Self::Json => "placement",
        }
    }

    /// Extension of a file in this format.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::SparkConf => "conf",
            Self::Json => "json",
        }
    }

    /// Why a study cannot be written in this format, if so.
    ///
    /// # Errors
    /// It has no plan, or none of Spark.
    pub fn check(self, study: &Placement) -> Result<(), &'static str> {
        let Some(query) = &study.query else {
            return Err("the scenario has no query plan; import one first");
        };
        if self == Self::SparkConf && !is_of_spark(query) {
            return Err("the plan is not from Spark; only Spark uses this configuration");
        }
        if self == Self::SparkConf && !spark_conf::has_switches(query) {
            return Err("no operator of the plan has a class that the RAPIDS Accelerator for Apache Spark can switch");
        }
        Ok(())
    }

    /// The placement of a study's plan as text.
    ///
    /// # Errors
    /// See [`Self::check`].
    pub fn write(self, scenario: &str, study: &Placement) -> Result<String, &'static str> {
        self.check(study)?;
        let shown = in_shown_engines(study);
        let (Some(query), Some(whole)) = (&study.query, decide(&shown)) else {
            return Err("the scenario has no query plan; import one first");
        };
        Ok(match self {
            Self::SparkConf => spark_conf::spark_conf(scenario, &shown, query, &whole),
            Self::Json => decisions::json_of(scenario, study, &shown, query, &whole),
        })
    }
}

/// The decision for a whole plan, as JSON and RON hold it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanRecord<'a> {
    /// The engine and its version.
    pub engine: &'a str,
    /// Name of the file that it was read from.
    pub file: &'a str,
    /// The engine's name of the query.
    pub query: &'a str,
    /// The query in words or in SQL.
    pub description: &'a str,
    /// From start to end as recorded, seconds.
    pub duration_seconds: Option<f64>,
    /// What should run it, by whole engines; absent without engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionRecord>,
    /// Engines and machines of the predicted times of its operators, today's first; absent without engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_engines: Option<[String; 2]>,
    /// Its predicted times.
    pub totals: Totals,
    /// Where the seconds go as decided.
    #[serde(serialize_with = "as_map")]
    pub breakdown: Vec<(&'static str, f64)>,
    /// The best decision that treats all operators of a class alike; absent where no operator has a class that
    /// can be switched.
    pub by_class: Option<Classes>,
    /// Every node of the plan, wrappers included.
    pub nodes: Vec<NodeRecord<'a>>,
    /// Data between its operators.
    pub edges: Vec<EdgeRecord>,
    /// Warnings about the numbers, and about the options of the decision.
    pub warnings: Vec<String>,
}

/// Times of a plan by the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Totals {
    /// Why no placement can be judged; absent if it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_judged: Option<String>,
    /// As decided, seconds.
    pub seconds: f64,
    /// Everything on CPUs, seconds.
    pub all_cpu_seconds: f64,
    /// Everything on GPUs, seconds; pins and missing support hold.
    pub all_gpu_seconds: f64,
    /// Per-operator greedy placement, seconds.
    pub greedy_seconds: f64,
    /// As decided without pins, seconds; absent if there are no pins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpinned_seconds: Option<f64>,
    /// Everything on CPUs ÷ as decided; absent where whole engines decide: their times and likelihoods are in the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup: Option<f64>,
    /// Operators on CPU.
    pub on_cpu: usize,
    /// Operators on GPU.
    pub on_gpu: usize,
    /// Edges on which data moves between CPU and GPU.
    pub transfers: usize,
    /// Time that takes, seconds.
    pub transfer_seconds: f64,
}

/// The best decision that treats all operators of a class alike.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Classes {
    /// Time of the plan, seconds.
    pub seconds: f64,
    /// The side of every class.
    #[serde(serialize_with = "as_map")]
    pub classes: Vec<(String, ClassRecord)>,
}

/// The side of one class.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ClassRecord {
    /// "cpu" or "gpu": the best side for all of them.
    pub placement: &'static str,
    /// Operators that the decision per operator puts on the CPU.
    pub per_operator_on_cpu: usize,
    /// Operators that the decision per operator puts on the GPU.
    pub per_operator_on_gpu: usize,
}

/// Data between two operators.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EdgeRecord {
    /// Id of the node that gives it.
    pub from: usize,
    /// Id of the node that reads it.
    pub to: usize,
    /// Its size over the whole cluster.
    pub bytes: Number,
    /// Time to move it from CPU to GPU.
    pub to_gpu_seconds: f64,
    /// Time to move it from GPU to CPU.
    pub from_gpu_seconds: f64,
    /// Time to move it as decided; 0 where both ends are on one side.
    pub seconds: f64,
}

impl<'a> PlanRecord<'a> {
    /// The record of a placement, and of what should run the query as a whole.
    #[must_use]
    pub fn new(
        query: &'a Query,
        whole: &'a Whole,
        engines: Option<&Engines>,
        decision: Option<DecisionRecord>,
    ) -> Self {
        let plan = &query.plan;
        let warnings = all_warnings(&whole.warnings, decision.as_ref().map(|record| &record.decision));
        Self {
            engine: &plan.engine,
            file: &plan.file,
            query: &plan.query,
            description: &plan.description,
            duration_seconds: plan.duration_seconds,
            decision,
            operator_engines: engines.map(engine_titles),
            totals: Totals::new(whole),
            breakdown: by_term(&whole.breakdown().seconds),
            by_class: Classes::new(query, whole),
            nodes: NodeRecord::all(query, whole),
            edges: whole.edges.iter().map(EdgeRecord::new).collect(),
            warnings,
        }
    }
}

impl Totals {
    /// The times of a decision.
    #[must_use]
    pub fn new(whole: &Whole) -> Self {
        Self {
            not_judged: whole.not_judged.clone(),
            seconds: whole.seconds,
            all_cpu_seconds: whole.baselines.all_cpu,
            all_gpu_seconds: whole.baselines.all_gpu,
            greedy_seconds: whole.baselines.greedy,
            unpinned_seconds: whole.unpinned.map(|unpinned| unpinned.seconds),
            speedup: whole.work.is_none().then(|| whole.speedup()),
            on_cpu: whole.count(Side::Cpu),
            on_gpu: whole.count(Side::Gpu),
            transfers: whole.transfers(),
            transfer_seconds: whole.transfer_seconds(),
        }
    }
}

impl Classes {
    fn new(query: &Query, whole: &Whole) -> Option<Self> {
        let ByClass { sides, seconds } = by_class(query, whole);
        let record = |(class, choice): (String, ClassChoice)| {
            let record = ClassRecord {
                placement: key(choice.side),
                per_operator_on_cpu: choice.on_cpu,
                per_operator_on_gpu: choice.on_gpu,
            };
            (class, record)
        };
        (!sides.is_empty()).then(|| Self { seconds, classes: sides.into_iter().map(record).collect() })
    }
}

impl EdgeRecord {
    pub(crate) fn new(flow: &Flow) -> Self {
        Self {
            from: flow.edge.from,
            to: flow.edge.to,
            bytes: Number(flow.edge.bytes),
            to_gpu_seconds: flow.cost.to_gpu.seconds(),
            from_gpu_seconds: flow.cost.from_gpu.seconds(),
            seconds: flow.seconds(),
        }
    }
}

/// "Planned for 1 machine with 16 cores, 2 × NVIDIA L4 over PCIe 4.0 ×16, …": the hardware of every query.
pub(crate) fn planned_for(study: &Placement, variant: Variant) -> String {
    if let Some(engines) = &study.engines {
        let of = |engine: &Engine, lane: &str| {
            // A combined workload has the mean of its logs.
            let mean = if engine.lanes.fract() == 0.0 { "" } else { " on average" };
            let (lanes, speed) = (counted(engine.lanes, lane), engine.network_gbit_per_s);
            format!("{} with {lanes}{mean} and {} each", engine.title(), Unit::GigabitsPerSecond.format(speed))
        };
        return format!("Planned for {}, or {}", of(&engines.cpu, "core"), of(&engines.gpu, "GPU"));
    }
    let named = |name: &str, other: &str| if name.is_empty() { other.to_owned() } else { name.to_owned() };
    let (machines, network) = machines_and_network(study, variant);
    let starts = study.operators.iter().map(|operator| operator.fixed_seconds);
    let (least, most) = (starts.clone().fold(f64::INFINITY, f64::min), starts.fold(0.0, f64::max));
    let start = match (Unit::Seconds.format(least), Unit::Seconds.format(most)) {
        _ if study.operators.is_empty() => String::new(),
        (least, most) if least == most => format!(", {most} to start an operator on the GPU"),
        (least, most) => format!(", {least} to {most} to start an operator on the GPU"),
    };
    let threshold = match study.policy.threshold {
        1.0 => String::new(),
        threshold => format!(", with a decision threshold of {}", Unit::Factor.format(threshold)),
    };
    format!(
        "Planned for {machines} with {}, {} × {} over {}, {network}{start}{threshold}",
        counted(study.node.cpu_parallelism, "core"),
        Unit::Count.format(study.gpu.gpus_per_machine),
        named(&study.gpu.name, "GPU"),
        named(&study.bus.name, "its bus"),
    )
}

/// "64 machines, 400 Gb Ethernet, RoCE without compression".
pub(super) fn setting(study: &Placement, variant: Variant) -> String {
    let (machines, network) = machines_and_network(study, variant);
    format!("{machines}, {network}")
}

/// "64 machines" and "400 Gb Ethernet, RoCE without compression".
pub(crate) fn machines_and_network(study: &Placement, variant: Variant) -> (String, String) {
    let compression = if variant.compression { "with" } else { "without" };
    (
        counted(study.cluster.machines, "machine"),
        format!("{} {compression} compression", study.networks[variant.network].name),
    )
}

#[cfg(test)]
mod tests;
