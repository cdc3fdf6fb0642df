//! The options of a log: what could run its queries instead of today's engine.

use crossover_decision::{Baseline, Candidate, Evidence, PredictedTime};
use crossover_engine::{Engine, Engines};
use crossover_placement::Query as StudyQuery;
use crossover_placement::whole::{EngineWork, PlanVerdict};
use crossover_plan::Cluster;
use crossover_plan::scenario::on_machines_of;
use crossover_quantity::provenance::{Provenance, Sources};
use crossover_quantity::unit::Unit;

use crate::application::Range;

/// Machines of an option ÷ machines that its engine was measured on.
const SCALES: [f64; 3] = [0.5, 1.0, 2.0];

/// Engines that were measured beside the engine of today, on machines of their own or on the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// The engine of today and the other one, on the machines of the measurement.
    pub engines: Engines,
    /// The measured runs.
    pub runs: String,
    /// Whether it runs on the machines of today; else on machines of its own.
    pub is_on_same_machines: bool,
    /// It on machines of its own: those of the measurement, half and twice as many, or those that the user named.
    clusters: Vec<Engine>,
}

/// An option that nothing was measured of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmeasured {
    /// Engine and machines.
    pub title: String,
    /// What is missing.
    pub why: String,
}

impl Unmeasured {
    /// It as a candidate.
    pub(crate) fn candidate(&self) -> Candidate {
        Candidate {
            title: self.title.clone(),
            engine: self.title.clone(),
            time: None,
            deviation_of_ratio: None,
            usd_per_hour: None,
            blocked_by: Some(format!("no measured data: {}", self.why)),
            evidence: Evidence::default(),
        }
    }
}

impl Alternative {
    /// The alternative of fitted engines.
    #[must_use]
    pub fn new(engines: Engines, sources: &Sources) -> Self {
        let runs = sources.values().find_map(|source| match source {
            Provenance::Fitted { runs, .. } => Some(runs.clone()),
            _ => None,
        });
        let [cpu, other] = [&engines.cpu, &engines.gpu].map(|engine| (&engine.machine, engine.machines));
        let is_on_same_machines = cpu == other;
        let of_scale = |scale: f64| (engines.gpu.machines * scale).round().max(1.0);
        let mut counts: Vec<f64> = SCALES.into_iter().map(of_scale).collect();
        counts.dedup();
        let clusters = counts.into_iter().map(|machines| Engine { machines, ..engines.gpu.clone() }).collect();
        Self { is_on_same_machines, runs: runs.unwrap_or_default(), clusters, engines }
    }

    /// The same on these machines instead.
    #[must_use]
    pub fn on(self, clusters: Vec<Engine>) -> Self {
        Self { clusters, ..self }
    }

    /// Its options for a log.
    fn options(&self, cluster: &Cluster, engine: &str) -> Vec<EngineOption> {
        let on_log = on_machines_of(&self.engines, cluster, engine);
        let mut distance = Vec::new();
        if !engine.is_empty() && version(engine) != version(&self.engines.cpu.name) {
            distance.push(format!("measured beside {}, not {engine}", self.engines.cpu.name));
        }
        if self.is_on_same_machines {
            if on_log.cpu.all_lanes() != self.engines.cpu.all_lanes() {
                distance.push(format!(
                    "measured on {} × {}, {} cores",
                    Unit::Count.format(self.engines.cpu.machines),
                    self.engines.cpu.machine,
                    Unit::Count.format(self.engines.cpu.all_lanes().round())
                ));
            }
            let Engine { machines, lanes, usd_per_hour, .. } = on_log.cpu;
            let gpu = Engine { machines, lanes, usd_per_hour, machine: String::new(), ..on_log.gpu.clone() };
            let machines = machines_of(&on_log.cpu, "core", "cores");
            let title = format!("{}, the same {machines}", gpu.name);
            return vec![EngineOption::new(Engines { gpu, ..on_log }, title, self, distance)];
        }
        let option = |cluster: &Engine| {
            let measured = &self.engines.gpu;
            let mut engines = Engines { gpu: cluster.clone(), ..on_log.clone() };
            let mut distance = distance.clone();
            if (cluster.machines - measured.machines).abs() > 0.5 || cluster.machine != measured.machine {
                // The errors of a run on these machines are not known: those without a measured run are larger.
                if engines.anchored_error_factor_90 > 1.0 {
                    engines.anchored_error_factor_90 =
                        engines.anchored_error_factor_90.max(engines.gpu.error_factor_90);
                }
                distance.push(format!("measured on {} × {}", Unit::Count.format(measured.machines), measured.machine));
            }
            let title = engines.gpu.title();
            EngineOption::new(engines, title, self, distance)
        };
        self.clusters.iter().map(option).collect()
    }
}

/// An engine on its machines that could run the queries of a log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EngineOption {
    /// Today's engine on the machines of the log, and the other one.
    pub(crate) engines: Engines,
    title: String,
    evidence: Evidence,
}

impl EngineOption {
    fn new(engines: Engines, title: String, of: &Alternative, distance: Vec<String>) -> Self {
        let evidence = Evidence { runs: of.runs.clone(), date: String::new(), distance };
        Self { engines, title, evidence }
    }

    /// It as a candidate with its time.
    pub(crate) fn candidate(&self, time: Option<PredictedTime>) -> Candidate {
        let gpu = &self.engines.gpu;
        Candidate {
            title: self.title.clone(),
            engine: gpu.name.clone(),
            deviation_of_ratio: time.and_then(|time| time.deviation),
            time,
            usd_per_hour: gpu.usd_per_hour.map(|usd| usd * gpu.machines),
            blocked_by: None,
            evidence: self.evidence.clone(),
        }
    }
}

/// The options of a log with this engine and these machines.
pub(crate) fn options(alternatives: &[Alternative], cluster: &Cluster, engine: &str) -> Vec<EngineOption> {
    alternatives.iter().flat_map(|alternative| alternative.options(cluster, engine)).collect()
}

/// What runs a log today, with its time.
pub(crate) fn baseline(engines: &Engines, cluster: &Cluster, engine: &str, time: PredictedTime) -> Baseline {
    let cpu = &engines.cpu;
    let name = if engine.is_empty() { cpu.name.as_str() } else { engine };
    let machine = cluster.machine_type.clone().unwrap_or_default();
    let machines = if machine.is_empty() {
        machines_of(cpu, "core", "cores")
    } else {
        format!("{} × {machine}", Unit::Count.format(cpu.machines))
    };
    Baseline {
        title: format!("{name}, {machines}"),
        time,
        is_measured: true,
        usd_per_hour: cpu.usd_per_hour.map(|usd| usd * cpu.machines),
        price_source: format!("assumed: the price of a core of {}", cpu.machine),
    }
}

/// "2 machines with 15 cores each".
fn machines_of(engine: &Engine, one: &str, several: &str) -> String {
    let lanes = if (engine.lanes - 1.0).abs() < 1e-9 { one } else { several };
    let lanes = format!("{} {lanes}", Unit::Count.format(engine.lanes));
    match engine.machines.round() {
        1.0 => format!("machine with {lanes}"),
        count => format!("{} machines with {lanes} each", Unit::Count.format(count)),
    }
}

/// The first numbers of a name: "3.5" of "Spark 3.5.3".
fn version(engine: &str) -> Option<(&str, &str)> {
    let word = engine.split([' ', ',']).find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let mut parts = word.split(['.', '-']);
    Some((parts.next()?, parts.next().unwrap_or_default()))
}

/// Times of a query for each option; `None` where there is none.
pub(crate) fn times(options: &[EngineOption], query: &StudyQuery, seconds: f64) -> Vec<Option<PlanVerdict>> {
    let Some(first) = options.first() else { return Vec::new() };
    let work_of_first = EngineWork::new(query, &first.engines);
    let time = |option: &EngineOption| {
        let engines = Engines { measured_seconds: Some(seconds), ..option.engines.clone() };
        if has_same_work(&first.engines, &engines) {
            work_of_first.verdict(&engines)
        } else {
            EngineWork::new(query, &engines).verdict(&engines)
        }
    };
    options.iter().map(time).collect()
}

/// Whether a plan has the same work in both: that depends on the tables and on when they are copied.
fn has_same_work(one: &Engines, other: &Engines) -> bool {
    one.tables == other.tables
        && one.broadcast_gb.total_cmp(&other.broadcast_gb).is_eq()
        && one.plan_time_weight.total_cmp(&other.plan_time_weight).is_eq()
}

/// A range of times as one with an error.
pub(crate) fn range(verdict: &PlanVerdict) -> Range {
    Range { value: verdict.gpu.value, low: verdict.gpu.low, high: verdict.gpu.high }
}
