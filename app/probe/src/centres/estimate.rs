//! How long a probe takes, before it is sent: by earlier reports of the centre, otherwise by reference times. A probe that takes longer
//! than seconds is shortened.

use crossover_gpu_bench::probe::UnitType;
use crossover_measured::probe::{Executed, ProbeReport};
use crossover_probe::build::build;
use crossover_probe::estimate::rough;
use crossover_probe::{Probe, ProbeTime, outcome};

use super::RunSettings;
use super::target::Target;
use crate::shortened::{Place, fit_for};
use crate::subject::Subject;
use crate::transport::RunRequest;
use crate::transport::history::Entry;

/// The time of a run at a centre, on the fewest of the requested units.
pub(crate) fn time(subject: &Subject, study: &Probe, units: u32, history: &[Entry]) -> ProbeTime {
    let Place { threads, measured } = place(subject, units, history);
    ProbeTime::new(&subject.probe, &study.target, threads, &*measured)
}

/// What is known about times at a centre.
fn place<'a>(subject: &Subject, units: u32, history: &'a [Entry]) -> Place<'a> {
    let reports =
        history.iter().filter(|entry| entry.centre == subject.centre).filter_map(|entry| entry.report.as_ref());
    let reports: Vec<&'a ProbeReport> =
        reports.filter(|report| report.unit == subject.runs_on && report.fault().is_none()).collect();
    let measured = move |runs: &Executed| reports.iter().rev().find_map(|report| one_execution(report, runs, units));
    let threads = match subject.runs_on.parse() {
        Ok(UnitType::Cpu { threads }) => Some(f64::from(threads) * f64::from(units)),
        Ok(UnitType::Gpu) | Err(_) => None,
    };
    Place { threads, measured: Box::new(measured) }
}

/// Raises the reference ratio until a run on the fewest of the requested units takes at most `most` seconds at each centre; returns a
/// note if a run took longer. A study with runs stays as it is: they are those of its probe.
pub(crate) fn shorten(
    study: &mut Probe,
    targets: &mut [Target],
    settings: &RunSettings,
    most: f64,
    history: &[Entry],
) -> Option<String> {
    if study.centres.iter().flat_map(|centre| &centre.units).any(|of| !of.runs.seconds.is_empty()) {
        return None;
    }
    let units = settings.units(study).into_iter().min().unwrap_or(1);
    let probe = targets.first()?.subject.probe.clone();
    let places: Vec<Place<'_>> = targets.iter().map(|target| place(&target.subject, units, history)).collect();
    let on = outcome::units(f64::from(units));
    let note = fit_for(study, std::slice::from_ref(&probe), &places, most, &on);
    if let [probe] = &build("probe", &study.target, &study.operators).probes[..] {
        for target in targets {
            target.subject.probe.clone_from(probe);
        }
    }
    note
}

/// Measured time of one execution on these units, as if the time fell with their number.
fn one_execution(report: &ProbeReport, runs: &Executed, units: u32) -> Option<f64> {
    let place = report.task.operators.iter().position(|of| of.runs == *runs)?;
    let seconds = &report.operators.get(place)?.seconds;
    let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
    mean.is_finite().then(|| mean * f64::from(report.units) / f64::from(units))
}

/// "each about 0.2 s; the time of poisson is not known".
pub(crate) fn in_words(time: &ProbeTime) -> String {
    let unknown = time.unknown.join(", ");
    match (time.seconds > 0.0, time.unknown.is_empty()) {
        (true, true) => format!("each about {}", rough(time.seconds)),
        (true, false) => format!("each more than about {}; the time of {unknown} is not known", rough(time.seconds)),
        (false, _) => "each of unknown time".to_owned(),
    }
}

/// A warning of a run that takes longer than a minute, with what makes it shorter.
pub(crate) fn warning(subject: &Subject, time: &ProbeTime, request: &RunRequest, units: u32) -> Option<String> {
    if !time.is_long() {
        return None;
    }
    let limit = request.limit.as_secs_f64();
    let limit =
        if time.seconds > limit { format!(", and its time limit of {limit} s ends it before") } else { String::new() };
    let remedy = time
        .better_ratio
        .map_or_else(String::new, |ratio| format!("; with “--set target.ratio={ratio}” it takes seconds"));
    let (centre, units) = (&subject.centre, outcome::units(f64::from(units)));
    Some(format!("warning: a run at {centre} takes about {} on {units}{limit}{remedy}", rough(time.seconds)))
}
