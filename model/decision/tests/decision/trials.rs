//! The decision after a trial.

use crossover_decision::trial::TrialTime;
use crossover_decision::{Baseline, Candidate, Decision, PredictedTime, Verdict, decide};
use proptest::collection::vec;
use proptest::prelude::*;

use super::laws::{any_candidate, power};
use super::{assert_near, candidate, cost_within, measured, time};

/// 20 s today; an option that takes 15 s within a factor of 2 at the same price.
fn worth_a_trial() -> Decision {
    let option = candidate("option", PredictedTime::within(15.0, 2.0), Some(1.0));
    decide(measured(20.0, Some(1.0)), vec![option], cost_within(1.0))
}

#[test]
fn a_trial_ends_the_doubt() {
    let before = worth_a_trial();
    assert_eq!(before.verdict, Verdict::Try);
    let after = |seconds: f64| before.after_trial(0, PredictedTime::measured(seconds));
    assert_eq!((after(15.0).verdict, after(15.0).best), (Verdict::Move, Some(0)));
    assert_eq!((after(25.0).verdict, after(25.0).best), (Verdict::Stay, None));
    assert_near(after(15.0).options[0].saving.expect("prices"), 5.0 / 3600.0, 1e-12);
    assert_eq!(after(15.0).options[0].faster, Some(1.0));
    assert_eq!(after(25.0).options[0].faster, Some(0.0));
}

#[test]
fn a_measured_time_is_compared_with_the_interval() {
    let of = |seconds: f64| TrialTime { name: String::new(), predicted: PredictedTime::within(10.0, 2.0), seconds };
    for (seconds, is_within) in [(4.9, false), (5.1, true), (10.0, true), (19.9, true), (20.1, false)] {
        assert_eq!(of(seconds).is_within(), Some(is_within), "{seconds} s");
    }
    assert_near(of(15.0).ratio(), 1.5, 1e-12);
    let without = PredictedTime { deviation: None, ..PredictedTime::measured(10.0) };
    assert_eq!(TrialTime { name: String::new(), predicted: without, seconds: 10.0 }.is_within(), None);
}

/// What was measured tells nothing about the error of today's time.
#[test]
fn a_predicted_time_of_today_keeps_its_error() {
    let today = Baseline { time: time(0.0, 20.0, 0.4), is_measured: false, ..measured(20.0, Some(1.0)) };
    let option = candidate("option", time(0.0, 15.0, 0.5), Some(1.0));
    let after = decide(today, vec![option], cost_within(1.0)).after_trial(0, PredictedTime::measured(15.0));
    assert_near(after.options[0].candidate.deviation_of_ratio.expect("an error"), 0.4, 1e-12);
}

proptest! {
    /// A trial of the recommended option that takes the predicted time leaves the recommendation, and makes it sure.
    #[test]
    fn a_trial_as_predicted_changes_no_recommendation(
        options in vec(any_candidate(-0.5..2.5, 0.05..1.5, -1.5..1.5), 1..6),
        today in power(0.0..2.5),
        usd in power(-1.5..1.5),
    ) {
        let name = |(place, option): (usize, Candidate)| Candidate { title: format!("option {place}"), ..option };
        let options: Vec<Candidate> = options.into_iter().enumerate().map(name).collect();
        let before = decide(measured(today, Some(usd)), options, cost_within(1.0));
        let Some(best) = before.best else { return Ok(()) };
        let predicted = before.options[best].candidate.time.expect("a time");
        let after = before.after_trial(best, PredictedTime::measured(predicted.value()));
        prop_assert_eq!((after.verdict, after.best), (Verdict::Move, Some(best)));
        // Nothing else has changed.
        for (place, (one, other)) in before.options.iter().zip(&after.options).enumerate() {
            prop_assert!(place == best || one.candidate == other.candidate, "{other:?}");
        }
    }
}
