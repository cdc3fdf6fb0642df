//! The sum of a fleet as a sentence.

use std::collections::BTreeMap;

use crossover_decision::words::{dollars, known_dollars};
use crossover_decision::{Goal, Objective, TimeLimit};
use crossover_fleet::application::{Range, Tie, TiedOption, Verdict};
use crossover_fleet::listed::{Arranged, Row, Total};
use crossover_quantity::text::{counted, counted_of};
use crossover_quantity::unit::Unit;

/// Sums of at least this many seconds are shown in hours.
const IN_HOURS: f64 = 7_200.0;
/// Seconds of an hour.
pub(super) const HOUR: f64 = 3_600.0;

/// Whether times are shown in hours, by the largest of them: neighbours share a unit.
pub(super) fn is_in_hours(largest: f64) -> bool {
    largest >= IN_HOURS
}

/// A time in hours or in seconds.
pub(super) fn time(seconds: f64, in_hours: bool) -> String {
    if in_hours { format!("{} h", Unit::Ratio.format(seconds / HOUR)) } else { Unit::Seconds.format(seconds) }
}

/// Why nothing is saved by moves alone; `trials`: how many of all applications are worth a trial.
pub(crate) fn none_moves(all: usize, trials: usize) -> String {
    let applications = counted(all as f64, "application");
    match (all, trials) {
        (1, 0) => "The application should not move.".to_owned(),
        (1, _) => "The application is worth a trial before a move.".to_owned(),
        (_, 0) => format!("None of {applications} should move."),
        _ => format!("None of {applications} should move without a trial."),
    }
}

/// "Goal: cheaper within 1.2× today’s time.", "Goal: done within 0.5× today’s time.", "Goal: faster, at no more than today’s cost.", "Goal:
/// faster, at no more than $0.01 per run of each application."; `None` for the usual goal.
pub(crate) fn goal_in_words(goal: Objective) -> Option<String> {
    if goal.goal == Goal::Time {
        let cost = goal.budget_usd.map(|usd| format!("{} per run of each application", known_dollars(usd)));
        return Some(format!("Goal: faster, at no more than {}.", cost.as_deref().unwrap_or("today’s cost")));
    }
    (goal.time_limit != TimeLimit::TODAY).then(|| format!("Goal: {}.", goal.wanted()))
}

/// Title of the column of likelihoods of meeting the goal: the time limit is named elsewhere.
pub(crate) fn likelihood_title(goal: &Objective) -> &'static str {
    if goal.goal == Goal::Time {
        "likely faster, within cost"
    } else if goal.time_limit == TimeLimit::TODAY {
        "likely cheaper, not slower"
    } else if goal.is_limit_below_today() {
        "likely within limit"
    } else {
        "likely cheaper, within limit"
    }
}

/// A verdict in a table: "move", of several options that are as good "move, tie".
pub(crate) fn verdict(verdict: Verdict, tie: Option<&Tie>) -> String {
    if tie.is_some() { format!("{}, tie", verdict.label()) } else { verdict.label().to_owned() }
}

/// The option that a verdict is about, which need not be the GPU cluster.
pub(crate) fn verdict_about(option: &str) -> String {
    format!("The verdict is about {option}.")
}

/// A tie as the answer says it, with the times of the other options: "They cost about the same: … Gluten, same machines: 12 s (10 s …
/// 14 s, 90 % interval)."
pub(crate) fn tie(tie: &Tie) -> String {
    let mut text = tie.sentence.clone();
    for TiedOption { title, time: Range { value, low, high } } in &tie.others {
        let [value, low, high] = [value, low, high].map(|seconds| Unit::Seconds.format(*seconds));
        text += &format!(" {title}: {value} ({low} … {high}, 90 % interval).");
    }
    text
}

/// "Moving 190 of 312 applications saves 27.92 h of 60.5 h (90 % interval: 17.96 h … 34.19 h). …" The saved cost is in the sentence on
/// costs.
pub(super) fn answer(total: &Total, verdicts: &BTreeMap<Verdict, usize>) -> String {
    let count = |count: usize| Unit::Count.format(count as f64);
    let of = |verdict: Verdict| verdicts.get(&verdict).copied().unwrap_or(0);
    let time = |seconds: f64| time(seconds, is_in_hours(total.seconds));
    let saving = if total.applications == 0 {
        "No applications found.".to_owned()
    } else if total.moving == 0 {
        none_moves(total.applications, of(Verdict::Try))
    } else {
        let Range { value, low, high } = total.saved();
        let what = match total.applications {
            1 => "the application".to_owned(),
            all => counted_of(total.moving as f64, all as f64, "application"),
        };
        format!(
            "Moving {what} saves {} of {} (90 % interval: {} … {}).",
            time(value),
            time(total.seconds),
            time(low),
            time(high),
        )
    };
    let others = [
        (Verdict::Try, ["is worth a trial", "are worth a trial"]),
        (Verdict::Stay, ["should stay", "should stay"]),
        (Verdict::CannotJudge, ["cannot be judged", "cannot be judged"]),
    ];
    let others: Vec<String> = others
        .into_iter()
        .filter(|(verdict, _)| of(*verdict) > 0)
        // One application has one verdict, and that of a trial is in the first sentence.
        .filter(|(verdict, _)| total.applications > 1 || *verdict != Verdict::Try)
        .map(|(verdict, [one, several])| match of(verdict) {
            1 if total.applications == 1 => format!("It {one}"),
            1 => format!("1 {one}"),
            number => format!("{} {several}", count(number)),
        })
        .collect();
    if others.is_empty() { saving } else { format!("{saving} {}.", others.join(", ")) }
}

/// The same for a filter, with the saved cost, because the sentence on costs is of all applications: "The filter shows 12 of 40
/// applications. Moving 3 of 12 applications saves …. Expected saving for one run of each: $13."
pub(super) fn answer_of_shown(rows: &[Row], arranged: &Arranged) -> String {
    let count = |count: usize| Unit::Count.format(count as f64);
    let applications = if rows.len() == 1 { "application" } else { "applications" };
    let all = format!("{} {applications}", count(rows.len()));
    if arranged.shown.is_empty() {
        return format!("The filter shows none of {all}.");
    }
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for row in arranged.shown.iter().filter_map(|at| rows.get(*at)) {
        *verdicts.entry(row.verdict).or_default() += 1;
    }
    let usd = arranged.total.saved_usd.map(|usd| format!(" Expected saving for one run of each: {}.", dollars(usd)));
    let shown = count(arranged.shown.len());
    format!("The filter shows {shown} of {all}. {}{}", answer(&arranged.total, &verdicts), usd.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use crossover_fleet::application::Summary;
    use crossover_fleet::listed::{Arrangement, Filter, arrange};

    use super::*;

    #[test]
    fn the_sentence_of_a_filter_counts_its_applications() {
        let row = |name: &str, verdict| {
            let option_time = Some(Range { value: 60.0, low: 50.0, high: 70.0 });
            let name = name.to_owned();
            let expected_saving_usd = Some(3.0);
            let seconds = Some(100.0);
            let of = Summary { name, seconds, option_time, expected_saving_usd, verdict, ..Summary::default() };
            Row::new("log", &of)
        };
        let rows = [row("load-1", Verdict::Move), row("load-2", Verdict::Try), row("report", Verdict::Stay)];
        let shown = |text: &str| {
            let filter = Filter { text: text.to_owned(), ..Filter::default() };
            answer_of_shown(&rows, &arrange(&rows, &Arrangement { filter, ..Arrangement::default() }))
        };
        assert_eq!(
            shown("re*"),
            "The filter shows 1 of 3 applications. The application should not move. It should stay."
        );
        assert!(shown("load*").starts_with("The filter shows 2 of 3 applications. Moving 1 of 2 applications saves "));
        assert!(shown("load*").ends_with(" Expected saving for one run of each: $3."), "{}", shown("load*"));
        assert_eq!(shown("nothing"), "The filter shows none of 3 applications.");
    }

    #[test]
    fn a_goal_names_its_limit() {
        let time = Objective { goal: Goal::Time, ..Objective::default() };
        let within = Objective { budget_usd: Some(0.02), ..time };
        assert_eq!(goal_in_words(time).as_deref(), Some("Goal: faster, at no more than today’s cost."));
        assert_eq!(
            goal_in_words(within).as_deref(),
            Some("Goal: faster, at no more than $0.02 per run of each application.")
        );
        assert_eq!(goal_in_words(Objective::default()), None);
        // Today's run takes longer, so an option may cost more.
        let short = Objective { time_limit: TimeLimit::Factor(0.5), ..Objective::default() };
        assert_eq!(goal_in_words(short).as_deref(), Some("Goal: done within 0.5× today’s time."));
        assert_eq!(likelihood_title(&short), "likely within limit");
    }

    #[test]
    fn a_tie_is_in_the_verdict_and_names_the_other_option_with_its_time() {
        let time = Range { value: 505.0, low: 421.0, high: 606.0 };
        let sentence = "They cost about the same: 52 % likely that the first is cheaper.".to_owned();
        let of = Tie { sentence, others: vec![TiedOption { title: "Gluten, same machines".to_owned(), time }] };
        assert_eq!([None, Some(&of)].map(|tie| verdict(Verdict::Move, tie)), ["move", "move, tie"]);
        assert_eq!(
            tie(&of),
            "They cost about the same: 52 % likely that the first is cheaper. Gluten, same machines: 505 s (421 s … 606 s, 90 % \
             interval)."
        );
    }

    #[test]
    fn the_answer_is_in_one_unit_and_counts_the_other_verdicts() {
        let moved = Range { value: 7_200.0, low: 3_600.0, high: 10_800.0 };
        let total = Total { applications: 12, seconds: 36_000.0, moving: 9, moved, saved_usd: Some(12.5) };
        let verdicts = BTreeMap::from([(Verdict::Move, 9), (Verdict::Try, 1), (Verdict::CannotJudge, 2)]);
        assert_eq!(
            answer(&total, &verdicts),
            "Moving 9 of 12 applications saves 8 h of 10 h (90 % interval: 7 h … 9 h). 1 is worth a trial, 2 cannot \
             be judged."
        );
        let none = Total { applications: 1, moving: 0, saved_usd: None, ..total };
        assert_eq!(answer(&none, &BTreeMap::new()), "The application should not move.");
        // A trial is no reason to stay.
        let to_try = BTreeMap::from([(Verdict::Try, 1)]);
        assert_eq!(answer(&none, &to_try), "The application is worth a trial before a move.");
        let three = Total { applications: 3, ..none };
        let verdicts = BTreeMap::from([(Verdict::Try, 1), (Verdict::Stay, 2)]);
        assert_eq!(
            answer(&three, &verdicts),
            "None of 3 applications should move without a trial. 1 is worth a trial, 2 should stay."
        );
    }
}
