//! Costs and portfolios of a fleet in sentences: for the terminal, the window and the report.

use crossover_decision::difference::costs_and_saving;
use crossover_decision::words::dollars;
use crossover_decision::{Objective, Payback};
use crossover_fleet::application::Range;
use crossover_fleet::{Budget, Costs, EffortSum, Frequency, Overview, Portfolio};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;

/// Applications that are named in a sentence.
const NAMED: usize = 5;

/// What costs are of: "per month", or "for one run of each application".
pub(crate) fn period(frequency: Frequency) -> &'static str {
    if frequency.is_monthly() { "per month" } else { "for one run of each application" }
}

/// "$120 (90 % interval: $50 … $180)".
fn amount(saving: Range, is_price_assumed: bool) -> String {
    with_interval(dollars(saving.value), saving, is_price_assumed)
}

/// Costs today, with the recommended moves, and the expected saving with its interval. All are expected values and rounded to
/// the same place, so the first minus the second is the third.
pub(crate) fn sums(costs: &Costs) -> [String; 3] {
    let [today, recommended, saving] = costs_and_saving(costs.today_usd, costs.recommended_usd);
    [today, recommended, with_interval(saving, costs.saving_usd, costs.assumed > 0)]
}

/// The interval has the errors of the times; that of an assumed price is unknown.
fn with_interval(value: String, saving: Range, is_price_assumed: bool) -> String {
    match (saving.is_known(), is_price_assumed) {
        (true, false) => format!("{value} (90 % interval: {} … {})", dollars(saving.low), dollars(saving.high)),
        (true, true) => {
            format!("{value} (90 % interval at assumed prices: {} … {})", dollars(saving.low), dollars(saving.high))
        }
        (false, false) => value,
        (false, true) => format!("{value}, at assumed prices of today’s machines"),
    }
}

/// ", at assumed prices of today’s machines in 8 of 9 applications"; empty if all prices are known.
fn at_assumed_prices(costs: &Costs) -> String {
    match (costs.assumed, costs.priced) {
        (0, _) => String::new(),
        (1, 1) => ", at an assumed price of today’s machines".to_owned(),
        (assumed, priced) if assumed == priced => ", at assumed prices of today’s machines".to_owned(),
        (assumed, priced) => format!(
            ", at assumed prices of today’s machines in {} of {}",
            Unit::Count.format(assumed as f64),
            counted(priced as f64, "application")
        ),
    }
}

/// The costs of all applications and the effort of the recommended moves, in sentences; `None` without prices.
pub(crate) fn costs_and_effort(overview: &Overview<'_>, goal: &Objective, frequency: Frequency) -> Option<String> {
    let costs = costs(&overview.costs(frequency), frequency)?;
    let effort = overview.effort(goal, frequency).map(|sum| format!(" {}", effort(&sum)));
    Some(costs + &effort.unwrap_or_default())
}

/// "Effort: $5,000 for each of 9 applications, $45,000 in all, paid back in 12 months.": by the expected saving in sum.
fn effort(sum: &EffortSum) -> String {
    format!("Effort: {}.", effort_in_words(sum))
}

/// "$5,000 for each of 9 applications, $45,000 in all, paid back in 12 months".
pub(crate) fn effort_in_words(sum: &EffortSum) -> String {
    let usd = |usd: f64| format!("${}", Unit::Count.format(usd));
    let all = match sum.applications {
        1 => usd(sum.usd),
        several => format!(
            "{} for each of {}, {} in all",
            usd(sum.each_usd),
            counted(several as f64, "application"),
            usd(sum.usd)
        ),
    };
    let of_each = if matches!(sum.payback, Payback::Runs(_)) { " of each application" } else { "" };
    format!("{all}, {}{of_each}", sum.payback.in_words())
}

/// "Cost per month: $400 today, $280 with the recommended moves. Expected saving: $120 (90 % interval: $50 … $180)."; `None`
/// without prices.
fn costs(costs: &Costs, frequency: Frequency) -> Option<String> {
    if costs.priced == 0 {
        return None;
    }
    let [today, recommended, saving] = sums(costs);
    let assumed = at_assumed_prices(costs);
    let mut text = format!("Cost {}: {today} today", period(frequency));
    if costs.moving == 0 {
        text += &format!("{assumed}.");
    } else {
        text += &format!(", {recommended} with the recommended moves{assumed}. Expected saving: {saving}.");
    }
    text += &match costs.unpriced {
        0 => String::new(),
        1 => " 1 application without a price or known machines is not included.".to_owned(),
        count => {
            let applications = counted(count as f64, "application");
            format!(" {applications} without a price or known machines are not included.")
        }
    };
    Some(text)
}

/// Where the number of runs comes from.
pub(crate) fn runs(frequency: Frequency) -> String {
    match frequency {
        Frequency::Entered(runs) => {
            format!("Runs per month: {} of each application, as entered.", Unit::Ratio.format(runs))
        }
        Frequency::History(days) => {
            format!("Runs per month: as often as in the logs, which cover {} days.", Unit::Ratio.format(days))
        }
        Frequency::Unknown => "The logs cover less than a week, so the runs per month are unknown.".to_owned(),
        Frequency::Sparse { days, days_apart } => format!(
            "The logs cover {} days, but have no run for up to {} days in between, so the runs per month are unknown.",
            Unit::Count.format(days.round()),
            Unit::Count.format(days_apart.round())
        ),
    }
}

/// The choice within a budget, a sentence each; `left_out` are the names of the applications that are left out, and `effort_sum` is the effort
/// of the chosen ones.
pub(crate) fn portfolio(
    portfolio: &Portfolio,
    saving: Range,
    is_price_assumed: bool,
    frequency: Frequency,
    left_out: &[&str],
    effort_sum: Option<&EffortSum>,
) -> Vec<String> {
    if portfolio.chosen.is_empty() && left_out.is_empty() {
        return vec!["No application with the verdict “move” has a price, so there is nothing to choose.".to_owned()];
    }
    let machines = |count: f64| Unit::Count.format(count);
    let (limit, used, needed, further) = match portfolio.budget {
        Budget::Instances(count) => (
            format!("at most {} at a time", counted(count, "GPU machine")),
            format!("{} at a time", machines(portfolio.used)),
            format!("{} at a time", machines(portfolio.needed)),
            "One more machine".to_owned(),
        ),
        Budget::Usd(usd) => (
            format!("at most {} for GPU machines {}", dollars(usd), period(frequency)),
            dollars(portfolio.used),
            dollars(portfolio.needed),
            format!("{} more", dollars(portfolio.further[0])),
        ),
    };
    let all = portfolio.chosen.len() + left_out.len();
    let mut sentences = vec![format!(
        "With {limit}: move {} of {}, which need {used}. Expected saving {}: {}.",
        machines(portfolio.chosen.len() as f64),
        counted(all as f64, "application"),
        period(frequency),
        amount(saving, is_price_assumed)
    )];
    sentences.extend(effort_sum.map(effort));
    if !left_out.is_empty() {
        let mut names = left_out.iter().take(NAMED).copied().collect::<Vec<&str>>().join(", ");
        if left_out.len() > NAMED {
            names += &format!(" and {} more", machines((left_out.len() - NAMED) as f64));
        }
        sentences.push(format!("Left out, largest saving first: {names}."));
        let worth = match portfolio.further[1] {
            worth if worth > 0.0 => format!("would save {} more", dollars(worth)),
            _ => "would save nothing more".to_owned(),
        };
        sentences.push(format!("{further} {worth}; all {} need {needed}.", machines(all as f64)));
    }
    if !portfolio.is_best {
        let gap = dollars(portfolio.gap_usd);
        sentences.push(format!("The search stopped early: another choice may save at most {gap} more."));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use crossover_fleet::portfolio::Item;

    use super::*;

    const SAVING: Range = Range { value: 120.0, low: 50.0, high: 180.0 };

    #[test]
    fn costs_say_their_period_and_what_they_lack() {
        let all = Costs {
            priced: 9,
            unpriced: 1,
            assumed: 0,
            moving: 4,
            today_usd: 400.0,
            recommended_usd: 280.0,
            saving_usd: SAVING,
        };
        assert_eq!(
            costs(&all, Frequency::History(14.0)).as_deref(),
            Some(
                "Cost per month: $400 today, $280 with the recommended moves. Expected saving: $120 (90 % interval: $50 … \
                 $180). 1 application without a price or known machines is not included."
            )
        );
        let none = Costs { moving: 0, unpriced: 0, ..all };
        assert_eq!(
            costs(&none, Frequency::Unknown).as_deref(),
            Some("Cost for one run of each application: $400 today.")
        );
        assert_eq!(costs(&Costs { priced: 0, ..all }, Frequency::Unknown), None);
        let sparse = Frequency::Sparse { days: 1190.2, days_apart: 789.9 };
        assert!(costs(&all, sparse).is_some_and(|text| text.starts_with("Cost for one run of each application: ")));
        assert_eq!(
            runs(sparse),
            "The logs cover 1,190 days, but have no run for up to 790 days in between, so the runs per month are unknown."
        );
    }

    #[test]
    fn assumed_prices_are_said_beside_the_costs_and_the_interval() {
        let all = Costs {
            priced: 9,
            unpriced: 0,
            assumed: 8,
            moving: 4,
            today_usd: 400.0,
            recommended_usd: 280.0,
            saving_usd: SAVING,
        };
        let of = |costs_of: &Costs| costs(costs_of, Frequency::History(14.0)).expect("prices");
        assert_eq!(
            of(&all),
            "Cost per month: $400 today, $280 with the recommended moves, at assumed prices of today’s machines in 8 of 9 \
             applications. Expected saving: $120 (90 % interval at assumed prices: $50 … $180)."
        );
        assert!(of(&Costs { assumed: 9, ..all }).contains(" moves, at assumed prices of today’s machines. "));
        let alone = Costs { priced: 1, assumed: 1, moving: 0, ..all };
        assert_eq!(of(&alone), "Cost per month: $400 today, at an assumed price of today’s machines.");
        let known = Range { low: SAVING.value, high: SAVING.value, ..SAVING };
        assert!(!known.is_known());
        assert_eq!(amount(known, true), "$120, at assumed prices of today’s machines");
    }

    #[test]
    fn costs_today_less_the_expected_saving_are_those_with_the_moves() {
        let saving_usd = Range { value: 16.2, low: 3.0, high: 25.0 };
        let all = Costs {
            priced: 9,
            unpriced: 0,
            assumed: 0,
            moving: 4,
            today_usd: 206.4,
            recommended_usd: 190.2,
            saving_usd,
        };
        // Each amount to two digits would be 210, 190 and 16.
        assert_eq!(
            costs(&all, Frequency::Entered(30.0)).as_deref(),
            Some(
                "Cost per month: $206 today, $190 with the recommended moves. Expected saving: $16 (90 % interval: $3 … \
                 $25)."
            )
        );
    }

    #[test]
    fn an_effort_says_how_many_applications_it_is_of_and_when_it_is_paid_back() {
        let objective = Objective { effort_usd: Some(5000.0), ..Objective::default() };
        let of = |count: usize, frequency, saving_usd| {
            let moves = ["load", "report", "scores"].into_iter().take(count).map(|name| (name, "ada"));
            effort(&EffortSum::of(&objective, frequency, moves, saving_usd).expect("moves"))
        };
        assert_eq!(
            of(3, Frequency::Entered(30.0), 1250.0),
            "Effort: $5,000 for each of 3 applications, $15,000 in all, paid back in 12 months."
        );
        assert_eq!(of(1, Frequency::Entered(30.0), 5000.0), "Effort: $5,000, paid back in 1 month.");
        assert_eq!(of(1, Frequency::Unknown, 10.0), "Effort: $5,000, paid back after 500 runs of each application.");
        let item = Item { saving_usd: 120.0, instances: 4.0, usd: 1.0, start_ms: Some(0), seconds: 10.0 };
        let found = Portfolio::of(&[item], Budget::Instances(4.0));
        let sum = EffortSum::of(&objective, Frequency::Entered(30.0), [("load", "ada")], 120.0).expect("a move");
        let sentences = portfolio(&found, SAVING, false, Frequency::Entered(30.0), &[], Some(&sum));
        // $5,000 ÷ $120 are 41.7 months.
        assert_eq!(sentences[1], "Effort: $5,000, paid back in 42 months.");
    }

    #[test]
    fn a_portfolio_names_what_is_left_out_and_what_one_more_machine_saves() {
        let item = |saving_usd| Item { saving_usd, instances: 4.0, usd: 1.0, start_ms: Some(0), seconds: 10.0 };
        let items = [item(120.0), item(50.0)];
        let sentences = |budget| {
            let found = Portfolio::of(&items, budget);
            let names: Vec<&str> = found.left_out.iter().map(|_| "report").collect();
            portfolio(&found, SAVING, false, Frequency::Entered(30.0), &names, None).join(" ")
        };
        assert_eq!(
            sentences(Budget::Instances(7.0)),
            "With at most 7 GPU machines at a time: move 1 of 2 applications, which need 4 at a time. Expected saving per month: \
             $120 (90 % interval: $50 … $180). Left out, largest saving first: report. One more machine would save $50 more; \
             all 2 need 8 at a time."
        );
        assert!(sentences(Budget::Instances(4.0)).contains("One more machine would save nothing more"));
        assert!(!sentences(Budget::Instances(8.0)).contains("Left out"));
        assert!(sentences(Budget::Usd(1.0)).starts_with("With at most $1 for GPU machines per month: move 1 of 2 "));
    }
}
