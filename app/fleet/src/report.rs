//! The report of a fleet, for the command line and the window.

mod fleet_report;

use std::collections::{BTreeMap, BTreeSet};

use crossover_decision::saving::longest_payback;
use crossover_decision::{Candidate, Goal, Objective, TimeDigits};
use crossover_fleet::application::{Summary, Tie, Verdict};
use crossover_fleet::blocker::Blocker;
use crossover_fleet::overview::Chosen;
use crossover_fleet::tables::rows::id_of;
use crossover_fleet::{ApplicationCosts, Budget, Frequency, Overview, Portfolio};
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, predicted};

use self::fleet_report::{FleetApplication, FleetBlocker, FleetOption, FleetReport};
use crate::money;
use crate::words::{goal_in_words, likelihood_title, none_moves, tie};

/// Differences of an option that are named.
const DIFFERENCES: usize = 12;
/// Sizes of the portfolio that the chart shows.
const SIZES: u32 = 13;

/// What a report is of, beside the applications.
pub(crate) struct ReportContext {
    /// Name of the folder of results.
    pub(crate) name: String,
    /// How often the applications run.
    pub(crate) frequency: Frequency,
    /// What the applications are judged by.
    pub(crate) goal: Objective,
    /// A budget of GPU machines.
    pub(crate) budget: Option<Budget>,
    /// The engines of the predictions, a sentence each.
    pub(crate) engines: Vec<String>,
    /// Warnings about the results.
    pub(crate) warnings: Vec<String>,
}

/// The report of all applications.
pub(crate) fn report(overview: &Overview<'_>, context: ReportContext) -> FleetReport {
    let ReportContext { name, frequency, goal, budget, engines, warnings } = context;
    let chosen = budget.map(|budget| overview.within(budget, frequency));
    let (_, items) = overview.items(frequency);
    let by_machines = match chosen.as_ref().map(|chosen| &chosen.portfolio) {
        Some(Portfolio { budget: Budget::Instances(count), saving_usd, .. }) => Some([*count, *saving_usd]),
        _ => None,
    };
    FleetReport {
        name,
        answer: [Some(answer(overview, frequency, &goal)), goal_in_words(goal)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
        period: money::period(frequency),
        sums: sums(overview, frequency, &goal),
        warnings,
        likelihood_title: likelihood_title(&goal),
        applications: applications(overview, frequency, &goal, chosen.as_ref()),
        blockers: blockers(overview),
        portfolio: chosen.as_ref().map(|chosen| in_words(overview, chosen, frequency, &goal)).unwrap_or_default(),
        curve: Portfolio::curve(&items, SIZES),
        // A budget above what all need has no place in the chart.
        budget: by_machines.filter(|[count, _]| Portfolio::needed(&items) >= *count),
        options: options(overview),
        sources: sources(overview, frequency, &goal, engines),
    }
}

/// A choice within a budget in words, with the names of the applications that are left out.
pub(crate) fn in_words(
    overview: &Overview<'_>,
    chosen: &Chosen,
    frequency: Frequency,
    goal: &Objective,
) -> Vec<String> {
    let name = |place: &usize| {
        let (log, summary) = overview.applications[*place];
        if summary.name.trim().is_empty() { id_of(&log.head.key, summary) } else { summary.name.as_str() }
    };
    let left_out: Vec<&str> = chosen.left_out.iter().map(name).collect();
    let effort = overview.effort_of(chosen, goal, frequency);
    let Chosen { portfolio, saving_usd, is_price_assumed, .. } = chosen;
    money::portfolio(portfolio, *saving_usd, *is_price_assumed, frequency, &left_out, effort.as_ref())
}

/// "Move 190 of 312 applications. Cost per month: …"
fn answer(overview: &Overview<'_>, frequency: Frequency, goal: &Objective) -> String {
    let count = overview.applications.len();
    let all = counted(count as f64, "application");
    let moves = match overview.saving.applications {
        0 => none_moves(count, overview.verdicts.get(&Verdict::Try).copied().unwrap_or(0)),
        moving => format!("Move {} of {all}.", Unit::Count.format(moving as f64)),
    };
    let costs = money::costs_and_effort(overview, goal, frequency);
    costs.map_or_else(|| moves.clone(), |costs| format!("{moves} {costs}"))
}

fn sums(overview: &Overview<'_>, frequency: Frequency, goal: &Objective) -> Vec<(String, String)> {
    let time = |seconds: f64| Unit::Seconds.format(seconds);
    let costs = overview.costs(frequency);
    let [today, recommended, expected] = money::sums(&costs);
    let usd = |usd: String| (costs.priced > 0).then(|| format!("{usd} {}", money::period(frequency)));
    let saved = overview.saving.seconds;
    let saved = (overview.saving.applications > 0)
        .then(|| format!("{} (90 % interval: {} … {})", time(saved.value), time(saved.low), time(saved.high)));
    let verdicts = Verdict::ALL.iter().filter_map(|verdict| {
        let count = overview.verdicts.get(verdict)?;
        Some(format!("{} {}", verdict.label(), Unit::Count.format(*count as f64)))
    });
    let saving = usd(expected).filter(|_| costs.moving > 0);
    let effort = overview.effort(goal, frequency).as_ref().map(money::effort_in_words);
    let facts = [
        ("Cost today", usd(today)),
        ("Cost with the recommended moves", usd(recommended)),
        ("Expected saving", saving),
        ("Effort of the recommended moves", effort),
        ("Time of all runs today", Some(time(overview.today_seconds))),
        ("Saved time", saved),
        ("Verdicts", Some(verdicts.collect::<Vec<String>>().join(", "))),
    ];
    facts.into_iter().filter_map(|(label, value)| Some((label.to_owned(), value?))).collect()
}

fn applications(
    overview: &Overview<'_>,
    frequency: Frequency,
    goal: &Objective,
    chosen: Option<&Chosen>,
) -> Vec<FleetApplication> {
    let recurrence = overview.recurrence(frequency);
    let members = chosen.map(|chosen| {
        let places = |places: &[usize]| places.iter().copied().collect::<BTreeSet<usize>>();
        (places(&chosen.applications), places(&chosen.left_out))
    });
    let application = |(place, (log, summary)): (usize, &(&crossover_fleet::ledger::LedgerEntry, &Summary))| {
        let costs = ApplicationCosts::of(summary, frequency.runs());
        let digits = summary.seconds.map(|today| TimeDigits::beside_measured(today, goal));
        let shown = |seconds: f64| digits.map_or_else(|| predicted(seconds), |digits| digits.rounded(seconds));
        FleetApplication {
            id: id_of(&log.head.key, summary).to_owned(),
            name: summary.name.clone(),
            user: summary.user.clone(),
            queue: summary.queue.clone(),
            seconds: summary.seconds,
            today_usd: costs.map(|costs| costs.today_usd),
            option: option_with_tie(summary),
            option_seconds: summary.option_time.map(|time| shown(time.value)),
            recommended_usd: costs.map(|costs| costs.recommended_usd),
            saving_usd: costs.and_then(|costs| costs.saving_usd).map(|saving| [saving.value, saving.low, saving.high]),
            payback: recurrence.payback(goal, summary),
            likelihood: summary.likelihood,
            verdict: summary.verdict,
            why: why(summary).to_owned(),
            is_chosen: members.as_ref().and_then(|(chosen, left_out)| {
                let is_member = chosen.contains(&place);
                (is_member || left_out.contains(&place)).then_some(is_member)
            }),
        }
    };
    let mut all: Vec<FleetApplication> = overview.applications.iter().enumerate().map(application).collect();
    // By money; those that save none keep their order by time.
    let saving = |one: &FleetApplication| one.saving_usd.map_or(f64::NEG_INFINITY, |[value, ..]| value);
    all.sort_by(|a, b| saving(b).total_cmp(&saving(a)));
    all
}

/// The option; of several that are as good all, with the times of the others.
fn option_with_tie(summary: &Summary) -> String {
    let with = |of: &Tie| format!("{}. {}", summary.option, tie(of));
    summary.tie.as_ref().map_or_else(|| summary.option.clone(), with)
}

/// What limits an application that does not move, in words; empty if it moves.
pub(crate) fn why(summary: &Summary) -> &'static str {
    summary.limits().first().map_or("", |blocker| blocker.explanation())
}

fn blockers(overview: &Overview<'_>) -> Vec<FleetBlocker> {
    let mut by: BTreeMap<Blocker, (usize, f64)> = BTreeMap::new();
    for (_, summary) in &overview.applications {
        let Some(first) = summary.blocker() else { continue };
        let (applications, seconds) = by.entry(first).or_default();
        *applications += 1;
        *seconds += summary.seconds.unwrap_or(0.0);
    }
    let blocker = |(blocker, (applications, seconds)): (Blocker, (usize, f64))| FleetBlocker {
        name: blocker.label(),
        explanation: blocker.explanation(),
        applications,
        seconds,
    };
    by.into_iter().map(blocker).collect()
}

/// The options that the numbers of the applications are of.
fn options(overview: &Overview<'_>) -> Vec<FleetOption> {
    let mut by: BTreeMap<&str, FleetOption> = BTreeMap::new();
    let mut differences: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (_, summary) in overview.applications.iter().filter(|(_, summary)| !summary.option.is_empty()) {
        let candidate = summary.option_place.and_then(|place| summary.candidates.get(place));
        // Of several recommended options the numbers are those of the first.
        let title = candidate.map_or(&summary.option, |candidate| &candidate.title);
        let option = by.entry(title).or_insert_with(|| {
            let is_as_today = summary.option_instances() == Some(0.0);
            FleetOption {
                title: title.clone(),
                applications: 0,
                usd_per_hour: candidate.and_then(Candidate::usd_per_hour).filter(|_| !is_as_today),
                runs: candidate.map(|candidate| candidate.evidence.runs.clone()).unwrap_or_default(),
                distance: String::new(),
            }
        });
        option.applications += 1;
        let of_option = differences.entry(title).or_default();
        let distance: BTreeSet<&str> =
            candidate.into_iter().flat_map(|candidate| &candidate.evidence.distance).map(String::as_str).collect();
        for difference in distance {
            *of_option.entry(difference).or_default() += 1;
        }
    }
    for (title, option) in &mut by {
        option.distance = differences.get(title).map(|counts| union(counts, option.applications)).unwrap_or_default();
    }
    by.into_values().collect()
}

/// The differences of several applications, the most common ones first: "Spark 3.1.2 (3 of 5 applications); …". A difference of all of
/// them has no count.
fn union(differences: &BTreeMap<&str, usize>, applications: usize) -> String {
    let mut sorted: Vec<(&str, usize)> = differences.iter().map(|(text, count)| (*text, *count)).collect();
    sorted.sort_by_key(|(text, count)| (std::cmp::Reverse(*count), *text));
    let all = counted(applications as f64, "application");
    let one = |(text, count): &(&str, usize)| {
        if *count == applications {
            (*text).to_owned()
        } else {
            format!("{text} ({} of {all})", Unit::Count.format(*count as f64))
        }
    };
    let mut texts: Vec<String> = sorted.iter().take(DIFFERENCES).map(one).collect();
    if let Some(more) = sorted.len().checked_sub(DIFFERENCES).filter(|more| *more > 0) {
        texts.push(format!("{} more", Unit::Count.format(more as f64)));
    }
    texts.join("; ")
}

/// Where the other numbers come from.
fn sources(overview: &Overview<'_>, frequency: Frequency, goal: &Objective, engines: Vec<String>) -> Vec<String> {
    let mut prices: BTreeMap<String, usize> = BTreeMap::new();
    for (_, summary) in &overview.applications {
        if let Some(price) = summary.baseline.as_ref().and_then(|today| today.price.as_ref()) {
            *prices.entry(price.origin()).or_default() += 1;
        }
    }
    let prices = prices.into_iter().map(|(source, count)| {
        format!("Price of today’s machines: {source} ({}).", counted(count as f64, "application"))
    });
    let mut sources = vec!["Time today: from the start to the end of each log.".to_owned()];
    sources.extend(engines);
    sources.extend(prices);
    let hint = if frequency.is_monthly() {
        ""
    } else {
        " For costs per month, add --runs-per-month, or enter them in the window."
    };
    sources.push(money::runs(frequency) + hint);
    if goal.goal == Goal::Cost
        && let Some(effort) = goal.effort_usd
    {
        let same = if matches!(frequency, Frequency::History(_)) {
            " Logs with the same name and user are runs of one application."
        } else {
            ""
        };
        sources.push(format!(
            "Effort of a move: ${} for each application, as entered. With runs per month, an application whose expected saving does not \
             pay it back within {} stays.{same} The expected saving does not include the effort.",
            Unit::Count.format(effort),
            longest_payback()
        ));
    }
    sources.push(
        "Expected saving: the mean of today’s cost minus the option’s. Its 90 % interval contains the errors of predicted times, \
         not of prices."
            .to_owned(),
    );
    sources.push(
        "Intervals of sums assume these correlations of errors: 1 between runs of a query, 0.5 between queries in one \
         engine, 0 between engines."
            .to_owned(),
    );
    sources.push(verdicts(goal));
    sources
}

/// What the verdicts mean for a goal.
fn verdicts(goal: &Objective) -> String {
    let wanted = goal.wanted();
    if goal.goal == Goal::Cost && goal.is_limit_below_today() {
        return format!(
            "Verdict move: at least 90 % likely to be {wanted}, at any cost. Try: at least 50 %. Stay: neither."
        );
    }
    let broken = if goal.goal == Goal::Time && goal.budget_usd.is_some() {
        " Where today’s run costs more than the budget, an option only has to be within it."
    } else {
        ""
    };
    format!(
        "Verdict move: at least 90 % likely to be {wanted}, and an expected saving. Try: at least 50 %, and the expected saving exceeds the \
         expected regret. Stay: neither.{broken}"
    )
}

#[cfg(test)]
mod tests {
    use crossover_decision::TimeLimit;

    use super::*;

    #[test]
    fn differences_are_those_of_all_applications_with_their_counts() {
        let differences = BTreeMap::from([("other cores", 1), ("other Spark", 3), ("other storage", 2)]);
        assert_eq!(
            union(&differences, 3),
            "other Spark; other storage (2 of 3 applications); other cores (1 of 3 applications)"
        );
        assert_eq!(union(&BTreeMap::new(), 3), "");
        let names: Vec<String> = (10..24).map(|number| format!("d{number}")).collect();
        let many = names.iter().map(|name| (name.as_str(), 1)).collect();
        assert!(union(&many, 14).ends_with("d21 (1 of 14 applications); 2 more"), "{}", union(&many, 14));
    }

    /// The rules of the decision model: without a broken limit, a move needs a saving.
    #[test]
    fn verdicts_need_a_saving_only_where_todays_run_keeps_the_limit() {
        let usual = verdicts(&Objective::default());
        assert!(usual.contains("likely to be cheaper and not slower, and an expected saving. Try: "), "{usual}");
        assert!(usual.ends_with(" Stay: neither."), "{usual}");
        let short = verdicts(&Objective { time_limit: TimeLimit::Factor(0.5), ..Objective::default() });
        let expected = "Verdict move: at least 90 % likely to be done within 0.5× today’s time, at any cost. Try: at least 50 %. Stay: neither.";
        assert_eq!(short, expected);
        let budget = verdicts(&Objective { goal: Goal::Time, budget_usd: Some(0.01), ..Objective::default() });
        assert!(
            budget.ends_with(" Where today’s run costs more than the budget, an option only has to be within it."),
            "{budget}"
        );
    }
}
