//! Cases and what is predicted for them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crossover_model::engine::predict::{Part, of_work};
use crossover_model::engine::{Engines, Judged, Prediction, Profile, Run, Work, WorkOf};
use crossover_model::placement::Placement;
use crossover_model::placement::whole::decide;
use crossover_model::plan::{Graph, Plan, fill};
use crossover_model::provenance::Sources;
use crossover_plan::Control;
use crossover_plan::cases::{Case, CaseError};
use crossover_plan::scenario::{Machines, placement};

use crate::storage::scenario;

/// A case, its prediction, and what was measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Compared {
    /// The case.
    pub(crate) case: Case,
    /// Prediction and measurement.
    pub(crate) judged: Judged,
}

/// Scenarios that cases name, each read once.
#[derive(Default)]
pub(crate) struct Scenarios(BTreeMap<PathBuf, Placement>);

impl Scenarios {
    /// The study of a case's scenario.
    ///
    /// # Errors
    /// It cannot be read or is no placement scenario.
    pub(crate) fn of(&mut self, case: &Case) -> Result<&Placement, CaseError> {
        if !self.0.contains_key(&case.scenario) {
            let study = open(&case.scenario).map_err(|problem| case.error("scenario", problem))?;
            self.0.insert(case.scenario.clone(), study);
        }
        Ok(&self.0[&case.scenario])
    }
}

fn open(path: &Path) -> Result<Placement, String> {
    let scenario = scenario::open(path).map_err(|error| format!("{error:#}"))?;
    let study = scenario.placement().cloned();
    study.ok_or_else(|| format!("{}: only placement scenarios have engines", path.display()))
}

/// What each case's plan takes, beside what was measured; notes on the way go to `note`.
///
/// # Errors
/// A case's files cannot be read.
pub(crate) fn compare(
    cases: Vec<Case>,
    profile: Option<&Engines>,
    control: &Control,
    mut note: impl FnMut(String),
) -> Result<Vec<Compared>, CaseError> {
    let mut scenarios = Scenarios::default();
    let mut compared = Vec::with_capacity(cases.len());
    for case in cases {
        let planned = case.planned(control)?;
        planned.notes.into_iter().for_each(&mut note);
        let mut base = scenarios.of(&case)?.clone();
        if let Some(profile) = profile {
            base.engines = Some(Box::new(profile.clone()));
        }
        let study = placement(&base, Machines::OfBase, &planned.import, &planned.query);
        let prediction = prediction(&study, &planned.query.plan);
        compared.push(Compared {
            judged: Judged { prediction, cpu_seconds: case.cpu_seconds, gpu_seconds: case.gpu_seconds },
            case,
        });
    }
    Ok(compared)
}

/// What a plan takes: in the study's engines, or by the published method where it names none.
pub(crate) fn prediction(study: &Placement, plan: &Plan) -> Prediction {
    match &study.engines {
        Some(engines) => crossover_model::engine::predict(plan, engines),
        None => by_method(study),
    }
}

/// The plan on CPUs only and on GPUs only, by the published method, which says nothing of its errors.
fn by_method(study: &Placement) -> Prediction {
    let baselines = decide(study).map(|whole| whole.baselines);
    let (cpu, gpu) = baselines.map_or((0.0, 0.0), |baselines| (baselines.all_cpu, baselines.all_gpu));
    // As engines that start as long as that, and do nothing besides.
    let mut engines = Engines::plain();
    (engines.cpu.start_seconds, engines.gpu.start_seconds) = (cpu, gpu);
    of_work(&Work::default(), false, &engines)
}

/// Cases as runs to fit a profile to, and the profile to begin with: `from`, or that of their scenario.
///
/// # Errors
/// A case's files cannot be read, its scenario has no engines, or others than those of the first case.
pub(crate) fn runs(
    cases: &[Case],
    from: Option<Profile>,
    control: &Control,
    mut note: impl FnMut(String),
) -> Result<(Vec<Run>, Profile), CaseError> {
    let mut scenarios = Scenarios::default();
    let mut start: Option<(Profile, PathBuf)> = from.map(|profile| (profile, PathBuf::new()));
    let is_named = start.is_some();
    let mut names: BTreeMap<(PathBuf, String), String> = BTreeMap::new();
    let mut runs = Vec::with_capacity(cases.len());
    for case in cases {
        let planned = case.planned(control)?;
        planned.notes.into_iter().for_each(&mut note);
        if !is_named {
            begin(case, scenarios.of(case)?, &mut start)?;
        }
        let engines = start.as_ref().map_or_else(Engines::plain, |(profile, _)| profile.engines.clone());
        let plan = &planned.query.plan;
        let numbers = fill(plan);
        let work = WorkOf::new(plan, &numbers, &Graph::new(plan, &numbers), &engines);
        let plan_of = (case.plan.clone(), case.query.clone());
        runs.push(Run {
            // One plan is one query, whatever its cases are called.
            query: names.entry(plan_of).or_insert_with(|| case.name.clone()).clone(),
            work: work.total(),
            implied_exchanges: work.implied_exchanges,
            cpu_seconds: case.cpu_seconds,
            gpu_seconds: case.gpu_seconds,
        });
    }
    let plain = || Profile { engines: Engines::plain(), sources: Sources::new() };
    Ok((runs, start.map_or_else(plain, |(profile, _)| profile)))
}

/// Takes the engines of a case's scenario to begin with, which have to be those of the cases before.
fn begin(case: &Case, study: &Placement, start: &mut Option<(Profile, PathBuf)>) -> Result<(), CaseError> {
    let Some(engines) = &study.engines else {
        let why = "has no engines to fit; a fit begins with those of the scenario";
        return Err(case.error("scenario", format!("{} {why}", case.scenario.display())));
    };
    match start {
        Some((first, file)) if first.engines != **engines => {
            let why =
                format!("its engines are others than those of {}; one profile is fitted at a time", file.display());
            return Err(case.error("scenario", why));
        }
        Some(_) => {}
        None => {
            let own = study
                .sources
                .iter()
                .filter_map(|(path, source)| Some((path.strip_prefix("engines.")?.to_owned(), source.clone())));
            *start = Some((Profile { engines: (**engines).clone(), sources: own.collect() }, case.scenario.clone()));
        }
    }
    Ok(())
}

/// The parts that make most of a time, with their share, largest first.
pub(crate) fn largest_parts(seconds: &[f64; Part::ALL.len()], least: f64) -> Vec<(Part, f64)> {
    let total: f64 = seconds.iter().sum();
    let mut parts: Vec<(Part, f64)> = Part::ALL.map(|part| (part, seconds[part as usize] / total)).to_vec();
    parts.retain(|(_, share)| *share >= least);
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    parts
}
