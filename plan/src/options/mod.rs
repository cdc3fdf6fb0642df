//! The options of a query: what could run it instead of today's engine.

mod baseline;
mod errors;
pub mod growth;
pub mod region;
mod shipped;
pub mod support;
pub mod trial;
pub(crate) mod versions;

pub(crate) use baseline::entered_price_today;
pub use baseline::{baseline, price_of};
pub use errors::TimeEvidence;
pub use shipped::{ONE_MACHINE, PROFILES, alternatives, shipped};

use crossover_decision::candidate::{NO_DATA, OUTSIDE_MEASURED};
use crossover_decision::evidence::{PredictionError, VersionDifference};
use crossover_decision::{Baseline, Candidate, Evidence, PredictedTime, Price};
use crossover_engine::{Additive, Engine, Engines};
use crossover_placement::Placement;
use crossover_placement::whole::{EngineWork, PlanVerdict};
use crossover_quantity::provenance::{Provenance, Sources};
use crossover_query::{NativeEngine, Plan};

use self::baseline::machines_of;
use self::errors::{error_of, error_of_sum, widened};
use self::versions::VersionDistance;
use crate::today::{engines_in, is_spark, on_engine};

/// Machines of an option ÷ machines that its engine was measured on.
const SCALES: [f64; 3] = [0.5, 1.0, 2.0];

/// An engine that was measured against an engine of today.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// The engine of today and the other one, on the machines of the measurement.
    pub engines: Engines,
    /// The measured runs.
    pub runs: String,
    /// Sources of the engines' numbers, by path in them.
    pub sources: Sources,
}

/// An option that nothing was measured of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmeasured {
    /// Engine and machines.
    pub title: String,
    /// What is missing.
    pub why: String,
    /// Whether the user named it.
    pub is_named: bool,
}

/// What could run queries beside the GPU engine of a study.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Alternatives {
    /// Engines that run on the machines of today.
    pub on_same_machines: Vec<Alternative>,
    /// The GPU engine on these machines, beside those of the measurement, half and twice as many, and those of the study, and the price of one
    /// of them.
    pub clusters: Vec<(Engine, Option<Price>)>,
    /// Options without measured data.
    pub unmeasured: Vec<Unmeasured>,
}

impl Alternative {
    /// An alternative of fitted engines.
    #[must_use]
    pub fn new(engines: Engines, sources: &Sources) -> Self {
        Self { runs: runs(sources), sources: sources.clone(), engines }
    }

    /// The option on the machines of today.
    fn option(&self, today: &Engine) -> EngineOption {
        let mut engines = on_engine(&self.engines, today);
        let Engine { machines, lanes, vcpus, usd_per_hour, machine, .. } = today.clone();
        engines.gpu = Engine { machines, lanes, vcpus, usd_per_hour, machine, ..engines.gpu };
        let title = format!("{}, same machines", engines.gpu.name);
        EngineOption { is_on_same_machines: true, ..EngineOption::new(engines, title, self.runs.clone()) }
    }
}

/// The runs that numbers were fitted to.
fn runs(sources: &Sources) -> String {
    let fitted = sources.values().find_map(|source| match source {
        Provenance::Fitted { runs, .. } => Some(runs.clone()),
        _ => None,
    });
    fitted.unwrap_or_default()
}

impl Unmeasured {
    /// It as a candidate.
    #[must_use]
    pub fn candidate(&self) -> Candidate {
        Candidate {
            title: self.title.clone(),
            engine: self.title.clone(),
            blocked_by: Some(format!("{NO_DATA}{}", self.why)),
            is_named: self.is_named,
            ..Candidate::default()
        }
    }
}

/// An engine on its machines that could run a query.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineOption {
    /// Today's engine on its machines, and the other one.
    engines: Engines,
    title: String,
    evidence: Evidence,
    /// Price of its machines; `None` if it is not known, or today's.
    price: Option<Price>,
    /// Whether it runs on machines of today's type, by CPUs; a list of what GPUs support has no meaning for it.
    is_on_same_machines: bool,
    /// Whether the user named its cluster.
    is_named: bool,
}

impl EngineOption {
    fn new(engines: Engines, title: String, runs: String) -> Self {
        let mut distance = Vec::new();
        let fitted_to = &engines.cpu.fitted_to;
        if !fitted_to.is_empty() && *fitted_to != engines.cpu.title() {
            distance.push(format!("measured against {fitted_to}"));
        }
        let fitted_to = &engines.gpu.fitted_to;
        if !fitted_to.is_empty() && *fitted_to != engines.gpu.title() {
            distance.push(format!("measured on {fitted_to}"));
        }
        let measured = if engines.cpu.fitted_to.is_empty() { &engines.cpu.name } else { &engines.cpu.fitted_to };
        let (mut warnings, mut version): (Vec<String>, Option<VersionDifference>) = (Vec::new(), None);
        let todays = engines_in(&engines.cpu.name);
        for today in &todays {
            let found: VersionDistance = versions::distance(today, measured);
            distance.extend(found.notes);
            warnings.extend(found.warnings);
            if version.as_ref().is_none_or(|known| !known.is_major) {
                version = found.version.or(version);
            }
        }
        // Of several versions, one that is not supported counts.
        let supports = todays.iter().filter_map(|today| support::support(&engines.gpu.name, today));
        let support = supports.min_by_key(|support| support.is_supported != Some(false));
        let unsupported = support.as_ref().filter(|support| support.is_supported == Some(false));
        warnings.extend(unsupported.map(|support| support.sentence.clone()));
        let error = error_of(&engines);
        let date = engines.gpu.measurement.as_ref().map(|measurement| measurement.date.clone()).unwrap_or_default();
        let basis = if engines.anchored_constant_speedup.is_some() {
            Engines::CONSTANT_BASIS.to_owned()
        } else {
            String::new()
        };
        let evidence = Evidence { runs, date, basis, distance, warnings, version, support, error };
        Self { engines, title, evidence, price: None, is_on_same_machines: false, is_named: false }
    }

    /// It as a candidate with its time. On the same machines it has no price until [`baseline()`] sets today's.
    #[must_use]
    pub fn candidate(&self, time: Option<PredictedTime>) -> Candidate {
        let gpu = &self.engines.gpu;
        Candidate {
            title: self.title.clone(),
            engine: gpu.name.clone(),
            deviation_of_ratio: time.and_then(|time| time.deviation),
            time,
            machines: Some(gpu.machines),
            lanes: Some(gpu.lanes),
            is_on_same_machines: self.is_on_same_machines,
            price: self.price.clone(),
            blocked_by: None,
            is_named: self.is_named,
            evidence: self.evidence.clone(),
        }
    }

    /// The candidate with the evidence of a time that is a sum with the measured one; unchanged if its engines have no such sum.
    #[must_use]
    pub fn with_sum(&self, mut candidate: Candidate) -> Candidate {
        let is_sum = self.engines.anchored_constant_speedup.is_none();
        let Some(anchored) = self.engines.anchored.as_ref().filter(|_| is_sum) else { return candidate };
        Additive::BASIS.clone_into(&mut candidate.evidence.basis);
        let factor_90 = anchored.error_factor_90;
        candidate.evidence.error = (factor_90 > 1.0).then(|| error_of_sum(&self.engines, factor_90, false));
        candidate
    }

    /// The engines of the option.
    #[must_use]
    pub fn engines(&self) -> &Engines {
        &self.engines
    }
}

/// The options for engines of which today's is on its machines already; `sources` are those of the engines, by path in them.
#[must_use]
pub fn options(engines: &Engines, sources: &Sources, alternatives: &Alternatives) -> Vec<EngineOption> {
    let runs = runs(sources);
    let measured = &engines.gpu;
    let scaled = compared_counts(measured).into_iter().map(|machines| Engine { machines, ..measured.clone() });
    let named = &alternatives.clusters;
    let is_named = |cluster: &Engine| {
        let is_same =
            |other: &Engine| other.machine == cluster.machine && (other.machines - cluster.machines).abs() < 0.5;
        named.iter().any(|(other, _)| is_same(other))
    };
    let of_measured = price_of(measured.usd_per_hour, sources.get("gpu.usd_per_hour"));
    let scaled = scaled.filter(|cluster| !is_named(cluster));
    // What the user named is first, as it was entered.
    let clusters = named.iter().cloned().map(|cluster| (true, cluster));
    let clusters = clusters.chain(scaled.map(|cluster| (false, (cluster, of_measured.clone()))));
    let on_cluster = |(is_named, (cluster, price)): (bool, (Engine, Option<Price>))| {
        let engines = moved(engines, cluster);
        let title = engines.gpu.title();
        let price = price.map(|price| price.times(engines.gpu.machines));
        EngineOption { price, is_named, ..EngineOption::new(engines, title, runs.clone()) }
    };
    let of_gpus = clusters.map(on_cluster);
    let on_same_machines = alternatives.on_same_machines.iter().map(|other| other.option(&engines.cpu));
    let mut all: Vec<EngineOption> = of_gpus.chain(on_same_machines).collect();
    if is_spark(&engines.cpu.name) {
        all.extend(other_counts(engines).map(|today| of_today(engines, today, runs.clone())));
    }
    all
}

/// Numbers of machines that are compared of a cluster with GPUs: half of the measured number, itself and twice as many, so that they do not
/// depend on what was entered last; and the present number. One machine is left out where several were measured.
fn compared_counts(gpu: &Engine) -> Vec<f64> {
    let (measured, _) = gpu.fitted_machines();
    // An engine that was measured on one machine may not run on several.
    let scales: &[f64] = if measured > 1.0 { &SCALES } else { &[1.0] };
    let mut counts: Vec<f64> = scales.iter().map(|scale| (measured * scale).round().max(1.0)).collect();
    counts.push(gpu.machines);
    counts.retain(|count| *count > 1.0 || measured <= 1.0);
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    counts
}

/// The engines with the measured engine of GPUs on this cluster.
pub(crate) fn moved(engines: &Engines, cluster: Engine) -> Engines {
    let measured = &engines.gpu;
    let (count, machine) = measured.fitted_machines();
    let mut moved = Engines { gpu: cluster, ..engines.clone() };
    if (moved.gpu.machines - count).abs() > 0.5 || moved.gpu.machine != machine {
        if moved.gpu.fitted_to.is_empty() {
            moved.gpu.fitted_to = measured.title();
        }
        // The errors of a ratio hold on the machines of the measurement only; the constant has an error of its own elsewhere.
        moved.on_unmeasured_machines();
        if moved.elsewhere.is_none() && moved.speedup_error_factor_90 > 1.0 {
            moved.speedup_error_factor_90 = moved.speedup_error_factor_90.max(moved.gpu.error_factor_90);
        }
    }
    moved
}

/// Today's engine on half and twice as many of its machines. None from or to one machine: the model has no exchanges there.
fn other_counts(engines: &Engines) -> impl Iterator<Item = Engine> {
    let today = &engines.cpu;
    let counts =
        if today.machines > 1.5 { vec![(today.machines / 2.0).round(), today.machines * 2.0] } else { Vec::new() };
    counts.into_iter().filter(|count| *count > 1.5).map(|machines| Engine { machines, ..today.clone() })
}

/// Today's engine on another number of its machines. Its time is the measured one times the ratio of the modelled ones. How
/// well the model scales was not measured, so the error is that of a prediction without a measured time.
fn of_today(engines: &Engines, moved: Engine, runs: String) -> EngineOption {
    let today = &engines.cpu;
    let fitted_to = if today.fitted_to.is_empty() { today.title() } else { today.fitted_to.clone() };
    let title = format!("{}, {}", moved.name, machines_of(&moved));
    let engines = Engines {
        gpu: Engine { fitted_to, ..moved },
        anchoring_factor: 1.0,
        anchored_error_factor_90: today.error_factor_90,
        // Those numbers are of the GPU engine.
        anchored: None,
        from_plan: None,
        constant_speedup: None,
        anchored_constant_speedup: None,
        elsewhere: None,
        speedup_error_factor_90: today.error_factor_90,
        ..engines.clone()
    };
    let mut option = EngineOption { is_on_same_machines: true, ..EngineOption::new(engines, title, runs) };
    option.evidence.distance.push("the effect of the number of machines on its time was not measured".to_owned());
    if let Some(error) = &mut option.evidence.error {
        "error factor of predicted Spark times, because the effect of the number of machines was not measured"
            .clone_into(&mut error.why);
    }
    option
}

/// Sets the time of a query today, seconds, which the times for each option start from; `None`: it was not measured. Copies of engines
/// for every query would take longer than its times.
pub fn set_measured_seconds(options: &mut [EngineOption], seconds: Option<f64>) {
    for option in options {
        option.engines.measured_seconds = seconds;
    }
}

/// Times of a query for each option; `None` where there is none.
#[must_use]
pub fn times(options: &[EngineOption], work: &EngineWork<'_>) -> Vec<Option<PlanVerdict>> {
    let time = |EngineOption { engines, is_on_same_machines, .. }: &EngineOption| {
        if *is_on_same_machines { work.verdict_on_cpus(engines) } else { work.verdict(engines) }
    };
    options.iter().map(time).collect()
}

/// Why an option with this time cannot be judged: it is outside what was measured.
#[must_use]
pub fn why_outside(verdict: &PlanVerdict) -> Option<String> {
    verdict.outside.as_ref().map(|why| format!("{OUTSIDE_MEASURED}{why}"))
}

/// What runs the query of a study with engines today, and what could; `None` without engines or a query, or if it takes no
/// time. If it ran on GPUs already, or in an engine that no option was measured against, or if too much of its time belongs to no
/// operator, every candidate is blocked, so that nothing is recommended.
#[must_use]
pub fn workload_of(study: &Placement, alternatives: &Alternatives) -> Option<(Baseline, Vec<Candidate>)> {
    let profile = study.profile()?;
    let engines = study.engines.as_deref()?;
    let query = study.query.as_deref()?;
    let mut options = options(engines, &profile.sources, alternatives);
    set_measured_seconds(&mut options, engines.measured_seconds);
    let times = times(&options, &EngineWork::new(query, engines));
    let (today, is_measured) = times.iter().flatten().next().map(|verdict| {
        let error = if verdict.cpu.is_known() { verdict.cpu.high / verdict.cpu.value } else { 1.0 };
        let seconds = verdict.cpu.value;
        let time =
            if verdict.is_measured { PredictedTime::measured(seconds) } else { PredictedTime::within(seconds, error) };
        (time, verdict.is_measured)
    })?;
    let blocked_by = query.plan.why_not_judged().or_else(|| ran_in_another_engine(&query.plan, engines));
    let candidate = |(option, verdict): (&EngineOption, &Option<PlanVerdict>)| {
        let Some(verdict) = verdict else { return option.candidate(None) };
        let within = |range: &crossover_engine::Range| if range.is_known() { range.high / range.value } else { 1.0 };
        // Without a measured time each profile has its own time of today; only its ratio counts.
        let seconds =
            if is_measured { verdict.gpu.value } else { today.value() * verdict.gpu.value / verdict.cpu.value };
        let time = PredictedTime::within(seconds, within(&verdict.gpu));
        let ratio = PredictedTime::within(1.0, within(&verdict.speedup));
        let blocked_by = blocked_by.clone().or_else(|| why_outside(verdict));
        let mut candidate =
            Candidate { deviation_of_ratio: ratio.deviation, blocked_by, ..option.candidate(Some(time)) };
        if let Some(of_time) = TimeEvidence::new(option, verdict) {
            of_time.add_to(&mut candidate.evidence);
        }
        verdict.basis.clone_into(&mut candidate.evidence.basis);
        candidate.evidence.distance.extend(verdict.assumed.iter().cloned());
        if !is_measured && verdict.speedup.is_known() {
            let why = "error factor of the ratio to today’s time, because both times are predicted".to_owned();
            let factor_90 = within(&verdict.speedup) / verdict.widening;
            candidate.evidence.error = Some(widened(PredictionError { factor_90, why }, verdict.widening));
        }
        candidate
    };
    let candidates = options.iter().zip(&times).map(candidate);
    let mut candidates: Vec<Candidate> =
        candidates.chain(alternatives.unmeasured.iter().map(Unmeasured::candidate)).collect();
    let price = entered_price_today(study, engines, &profile.sources);
    let baseline = baseline(engines, price.as_ref(), today, is_measured, &mut candidates);
    Some((baseline, candidates))
}

/// Why the options of these engines cannot be judged by a run of this plan: another engine ran it than the one that they were
/// measured against. Its operators' times are those of the native engine, not of Spark.
#[must_use]
pub fn ran_in_another_engine(plan: &Plan, engines: &Engines) -> Option<String> {
    let native = plan.native_engine()?;
    let cpu = &engines.cpu;
    let measured = if cpu.fitted_to.is_empty() { &cpu.name } else { &cpu.fitted_to };
    let is_measured = NativeEngine::of(measured) == Some(native);
    (!is_measured && !measured.is_empty())
        .then(|| format!("the query ran in {}, but the options were measured against {measured}", plan.engine))
}
