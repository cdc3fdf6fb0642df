//! The reference ratio chosen so that a run of the probe takes seconds.

use crossover_measured::probe::{Executed, ProbeTask};
use crossover_probe::build::build;
use crossover_probe::estimate::{fitting_ratio, rough};
use crossover_probe::{Probe, ProbeTime};
use crossover_quantity::unit::Unit;

/// Raises the reference ratio of a study until a run of each of its probes takes at most `most` seconds on one thread, by reference
/// times; returns a note if a run took longer.
pub(super) fn fit(study: &mut Probe, most: f64) -> Option<String> {
    let probes = build("probe", &study.target, &study.operators).probes;
    let reference = Place { threads: Some(1.0), measured: Box::new(|_: &Executed| None) };
    fit_for(study, &probes, &[reference], most, "one thread")
}

/// The measured time of one execution, seconds; `None` if there is none.
type MeasuredTime<'a> = Box<dyn Fn(&Executed) -> Option<f64> + 'a>;

/// Where a run takes place.
pub(super) struct Place<'a> {
    /// Its threads; none: reference times do not apply.
    pub(super) threads: Option<f64>,
    /// Measured time of one execution there, seconds.
    pub(super) measured: MeasuredTime<'a>,
}

/// The same for runs at places; `on` says where the longest one runs.
pub(super) fn fit_for(
    study: &mut Probe,
    probes: &[ProbeTask],
    places: &[Place<'_>],
    most: f64,
    on: &str,
) -> Option<String> {
    let target = &study.target;
    let (mut longest, mut ratio) = (0.0_f64, target.ratio);
    let mut is_possible = true;
    for probe in probes {
        for Place { threads, measured } in places {
            let seconds = ProbeTime::new(probe, target, *threads, &**measured).seconds;
            if seconds <= most {
                continue;
            }
            longest = longest.max(seconds);
            match fitting_ratio(probe, target, *threads, &**measured, most) {
                Some(fitting) => ratio = ratio.max(fitting),
                None => is_possible = false,
            }
        }
    }
    if longest <= most {
        return None;
    }
    let (before, most) = (rough(longest), rough(most));
    if !is_possible {
        return Some(format!("a run takes about {before} on {on}; no reference ratio brings it to {most}"));
    }
    let from = std::mem::replace(&mut study.target.ratio, ratio);
    study.sources.remove("target.ratio");
    let [from, ratio] = [from, ratio].map(|ratio| Unit::Count.format(ratio));
    Some(format!(
        "reference ratio raised from {from} to {ratio}; a run on {on} would take about {before}, above the limit of {most}"
    ))
}

#[cfg(test)]
mod tests {
    use crossover_probe::TargetOperator;

    use super::*;

    fn joins(executions: f64) -> Probe {
        let scenario = crossover_scenario::read(crate::examples::PUBLISHED.text).expect("a scenario");
        let mut study = scenario.probe().expect("a probe study").clone();
        study.operators = vec![TargetOperator { name: "hash_join".into(), executions, ..TargetOperator::default() }];
        study
    }

    /// 9,000 joins of 46 ms, and one to warm up, at 1,000 to 1; 180 of them at 50,000 to 1 take 8.3 s.
    #[test]
    fn a_long_probe_is_shortened_and_the_user_is_told() {
        let mut study = joins(9e6);
        let note = fit(&mut study, 10.0);
        assert_eq!(
            note.as_deref(),
            Some(
                "reference ratio raised from 1,000 to 50,000; a run on one thread would take about 6 min 50 s, above the limit \
                 of 10 s"
            )
        );
        assert_eq!(study.target.ratio, 50_000.0);
        assert_eq!((fit(&mut study, 10.0), study.target.ratio), (None, 50_000.0));
    }

    #[test]
    fn a_probe_that_no_ratio_makes_short_stays_as_it_is() {
        let mut study = joins(9e6);
        let note = fit(&mut study, 0.05).expect("a note");
        assert!(note.ends_with("on one thread; no reference ratio brings it to 50 ms"), "{note}");
        assert_eq!(study.target.ratio, 1_000.0);
    }
}
