//! Cases: their predictions, and fits of profiles to them, for the command line and the window.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crossover_decision::candidate::OUTSIDE_MEASURED;
use crossover_engine::fit::LEAST_FOR_ERROR;
use crossover_engine::{Engines, Fit, Judged, Prediction, Profile, Run, WorkOf, file, fit};
use crossover_files::read::text;
use crossover_page::storage::scenario;
use crossover_placement::Placement;
use crossover_placement::whole::decide;
use crossover_plan::Control;
use crossover_plan::cases::{Case, CaseError, Compared, Planned, Plans, cases};
use crossover_plan::scenario::{Machines, placement};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_query::{Graph, Plan, fill};
use crossover_scenario::Scenario;
use crossover_study::Watch;

/// A fit that changes a number by more than this factor gets a warning.
const SUSPICIOUS_FACTOR: f64 = 30.0;

/// Scenarios that cases name, each read once.
#[derive(Default)]
struct Scenarios(BTreeMap<PathBuf, Placement>);

impl Scenarios {
    /// The study of a case's scenario.
    ///
    /// # Errors
    /// It cannot be read or is no placement scenario.
    fn of(&mut self, case: &Case) -> Result<&Placement, CaseError> {
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

/// Cases with their predictions.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Every case, in the order of the file.
    pub compared: Vec<Compared>,
    /// Warnings, one sentence each.
    pub notes: Vec<String>,
}

/// Predicted and measured times of each case's plan, in these engines or in those of its scenario. Nothing if it was
/// cancelled.
///
/// # Errors
/// The file of cases cannot be read, or a file that a case names.
pub fn check(file: &Path, profile: Option<&Profile>, watch: &Watch<'_>) -> Result<Option<Checked>, CaseError> {
    let (mut scenarios, mut plans) = (Scenarios::default(), Plans::new(crossover_plan::read));
    let (mut compared, mut notes) = (Vec::new(), Vec::new());
    for case in cases(file)? {
        let Some(planned) = planned(&case, &mut plans, watch)? else { return Ok(None) };
        notes.extend(planned.notes.iter().cloned());
        let base = based_on(scenarios.of(&case)?, profile);
        note_fitted(&base, &mut notes);
        let study = placement(&base, Machines::OfBase, &planned.import, &planned.query);
        let prediction = prediction(&study, &planned.query.plan);
        notes.extend(prediction.outside.as_ref().map(|why| format!("{}: {OUTSIDE_MEASURED}{why}", case.name)));
        compared.push(Compared {
            judged: Judged { prediction, cpu_seconds: planned.cpu_seconds, gpu_seconds: planned.gpu_seconds },
            case,
            labels: study.engines.as_deref().map_or_else(|| ["CPU", "GPU"].map(str::to_owned), Engines::labels),
        });
        if watch.step().is_none() {
            return Ok(None);
        }
    }
    Ok(Some(Checked { compared, notes }))
}

/// Interval at which reading a plan checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Reads the case's query; nothing if it was cancelled meanwhile.
fn planned(case: &Case, plans: &mut Plans, watch: &Watch<'_>) -> Result<Option<Planned>, CaseError> {
    let control = Control::default();
    let (reading, is_read) = channel::<()>();
    let planned = thread::scope(|scope| {
        let control = &control;
        scope.spawn(move || {
            while is_read.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if watch.is_cancelled() {
                    control.cancel();
                }
            }
        });
        let planned = case.planned(plans, control);
        drop(reading);
        planned
    });
    match planned {
        Err(_) if watch.is_cancelled() => Ok(None),
        planned => planned.map(Some),
    }
}

/// A case's query as a scenario of its own, with these engines or those of its scenario.
///
/// # Errors
/// The case's files cannot be read.
pub(crate) fn as_scenario(case: &Case, profile: Option<&Profile>) -> Result<Scenario, CaseError> {
    let planned = case.planned(&mut Plans::new(crossover_plan::read), &Control::default())?;
    let base = based_on(Scenarios::default().of(case)?, profile);
    let scenario = crossover_plan::scenario::scenario(&base, Machines::OfBase, &planned.import, &planned.query);
    Ok(Scenario { name: case.name.clone(), ..scenario })
}

/// A study with these engines instead of its own.
fn based_on(study: &Placement, profile: Option<&Profile>) -> Placement {
    let mut base = study.clone();
    if let Some(profile) = profile {
        base.set_engines(profile.clone());
    }
    base
}

/// The runs to which the first fitted number among these was fitted.
fn fitted_to<'a>(mut sources: impl Iterator<Item = (&'a String, &'a Provenance)>) -> Option<&'a str> {
    sources.find_map(|(_, source)| match source {
        Provenance::Fitted { runs, .. } => Some(runs.as_str()),
        _ => None,
    })
}

/// Notes once that errors on runs that the engines were fitted to are too small.
fn note_fitted(study: &Placement, notes: &mut Vec<String>) {
    let note = fitted_to(study.sources.iter().filter(|(path, _)| path.starts_with("engines."))).map(|runs| {
        let why = "if your cases include any of those, the errors shown here are too small; `fit` prints leave-one-out errors";
        format!("the engines were fitted to {runs}; {why}")
    });
    notes.extend(note.filter(|note| !notes.contains(note)));
}

/// Predicted time of a plan, in the study's engines, or by the published method if it has none.
fn prediction(study: &Placement, plan: &Plan) -> Prediction {
    match &study.engines {
        Some(engines) => crossover_engine::predict(plan, engines),
        None => by_method(study),
    }
}

/// The plan on CPUs only and on GPUs only, by the published method, which has no error factors.
fn by_method(study: &Placement) -> Prediction {
    let baselines = decide(study).map(|whole| whole.baselines);
    let (cpu, gpu) = baselines.map_or((0.0, 0.0), |baselines| (baselines.all_cpu, baselines.all_gpu));
    Prediction::of_times(cpu, gpu)
}

/// A profile that was fitted to runs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fitted {
    /// The numbers.
    pub(crate) fit: Fit,
    /// Every case, predicted from all other queries.
    pub(crate) left_out: Vec<Compared>,
    /// The profile with the sources of its numbers.
    pub(crate) profile: Profile,
    /// Warnings, one sentence each.
    pub(crate) notes: Vec<String>,
}

/// Fits a profile to cases, starting from this one or from the engines of their scenario. Nothing if it was cancelled.
///
/// # Errors
/// A file cannot be read, the cases' scenarios have no engines or different ones, or nothing was measured.
pub(crate) fn fit_cases(file: &Path, from: Option<&Profile>, watch: &Watch<'_>) -> Result<Option<Fitted>, String> {
    let cases = cases(file).map_err(|error| error.to_string())?;
    let mut notes = Vec::new();
    let Some((runs, start)) = runs(&cases, from, watch, &mut notes).map_err(|error| error.to_string())? else {
        return Ok(None);
    };
    let Some(fit) = fit(&runs, &start.engines) else {
        let why = "no case has a measured time; a fit needs cpu_seconds or gpu_seconds";
        return Err(format!("{}: {why}", file.display()));
    };
    let measured = runs.iter().filter(|run| run.cpu_seconds.is_some() || run.gpu_seconds.is_some()).count();
    notes.extend(fitted_to(start.sources.iter()).map(|runs| {
        let why = "if your cases include any of those, the leave-one-out errors shown here are too small";
        format!("the fit starts from numbers that were fitted to {runs}; {why} (choose another profile to start from)")
    }));
    let queries = runs.iter().map(|run| run.query.as_str()).collect::<BTreeSet<&str>>().len();
    cautions(&fit, measured, queries, &mut notes);
    let word = if measured == 1 { "run" } else { "runs" };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let profile = fit.profile(&format!("{measured} {word} of {name}"), &start.sources);
    let left_out = cases.into_iter().zip(&runs).zip(&fit.left_out).map(|((case, run), prediction)| Compared {
        judged: Judged { prediction: prediction.clone(), cpu_seconds: run.cpu_seconds, gpu_seconds: run.gpu_seconds },
        case,
        labels: fit.engines.labels(),
    });
    let left_out = left_out.collect();
    Ok(Some(Fitted { fit, left_out, profile, notes }))
}

/// Warnings about a fit.
fn cautions(fit: &Fit, measured: usize, queries: usize, notes: &mut Vec<String>) {
    if measured < fit.numbers.len() {
        let why = "numbers that the runs do not determine stay near their starting values";
        let (runs, numbers) = (counted(measured as f64, "run"), counted(fit.numbers.len() as f64, "number"));
        notes.push(format!("{runs} for {numbers}: {why}"));
    }
    let [cpu, gpu] = fit.engines.labels();
    for (side, within) in [
        (format!("{cpu} times"), fit.engines.cpu.error_factor_90),
        (format!("{gpu} times"), fit.engines.gpu.error_factor_90),
        ("speedups".to_owned(), fit.engines.speedup_error_factor_90),
    ] {
        if within <= 1.0 {
            let required = format!("at least {LEAST_FOR_ERROR} distinct measured queries are required");
            notes.push(format!("no error factor for {side}: {required}, {queries} given (repeated runs count once)"));
        }
    }
    let largest = fit.numbers.iter().map(|number| number.factor.ln().abs()).fold(0.0, f64::max).exp();
    if largest > SUSPICIOUS_FACTOR {
        let factor = Unit::Count.format(largest.round());
        notes.push(format!(
            "a number changed by a factor of {factor}; are the times in seconds, and in the right columns?"
        ));
    }
}

/// Cases as runs to fit a profile to, and the profile to start from: `from`, or that of their scenario.
fn runs(
    cases: &[Case],
    from: Option<&Profile>,
    watch: &Watch<'_>,
    notes: &mut Vec<String>,
) -> Result<Option<(Vec<Run>, Profile)>, CaseError> {
    let (mut scenarios, mut plans) = (Scenarios::default(), Plans::new(crossover_plan::read));
    let mut first = None;
    let mut names: BTreeMap<(PathBuf, String), String> = BTreeMap::new();
    let mut runs = Vec::with_capacity(cases.len());
    for case in cases {
        let Some(planned) = planned(case, &mut plans, watch)? else { return Ok(None) };
        notes.extend(planned.notes);
        let study = scenarios.of(case)?;
        let profile = if let Some(named) = from { named } else { begin(case, study, &mut first)? };
        let engines = &profile.engines;
        let engines = study.engines.as_ref().map_or(engines.clone(), |own| engines.moved_to(own.machines()));
        let plan = &planned.query.plan;
        let numbers = fill(plan);
        let work = WorkOf::new(plan, &numbers, &Graph::new(plan, &numbers), &engines);
        let plan_of = (case.plan.clone(), case.query.clone());
        runs.push(Run {
            // One plan is one query, under any case name.
            query: names.entry(plan_of).or_insert_with(|| case.name.clone()).clone(),
            work: work.total(),
            implied_exchanges: work.implied_exchanges,
            machines: engines.machines(),
            cpu_seconds: planned.cpu_seconds,
            gpu_seconds: planned.gpu_seconds,
        });
        if watch.step().is_none() {
            return Ok(None);
        }
    }
    // A file of cases has at least one.
    let begun = || first.map(|(profile, _)| profile);
    Ok(from.cloned().or_else(begun).map(|profile| (runs, profile)))
}

/// The engines of the first case's scenario, to start from; those of all others must be the same, but may run on other
/// machines.
fn begin<'f>(
    case: &Case,
    study: &Placement,
    first: &'f mut Option<(Profile, PathBuf)>,
) -> Result<&'f Profile, CaseError> {
    let Some(own) = study.profile() else {
        let why = "has no engines to fit; a fit starts from those of the scenario";
        return Err(case.error("scenario", format!("{} {why}", case.scenario.display())));
    };
    let (profile, file) = first.get_or_insert_with(|| (own.clone(), case.scenario.clone()));
    if profile.engines != own.engines.moved_to(profile.engines.machines()) {
        let why = format!("its engines differ from those of {}; one profile is fitted at a time", file.display());
        return Err(case.error("scenario", why));
    }
    Ok(profile)
}

/// A larger file is not a profile of engines.
const LARGEST_PROFILE_BYTES: u64 = 4_000_000;

/// Reads a profile.
///
/// # Errors
/// It cannot be read, or is not a profile; with line and column if known.
pub fn open_profile(path: &Path) -> Result<Profile, String> {
    let text =
        text(path, LARGEST_PROFILE_BYTES).map_err(|problem| format!("cannot read {}: {problem}", path.display()))?;
    file::read(&text).map_err(|error| {
        let place = error.place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        let is_scenario = text.contains("study:");
        let hint = if is_scenario { "; this is a scenario; `crossover fit` writes profiles" } else { "" };
        format!("{}{place}: {}{hint}", path.display(), error.problem)
    })
}
