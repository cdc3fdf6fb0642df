//! The next step of a decision: the price of today's machines, if the recommendation depends on an assumed one, and a trial of the
//! recommended option, or of each of several that are about as good or on the Pareto front.

use crossover_decision::{Decision, Goal, Objective, Verdict};
use crossover_quantity::text::TextReport;
use crossover_query::settings::SparkSettings;

use super::next_steps::{Trial, trial};

/// What stands in the place of the program in [`Trial::command`].
pub const APPLICATION: &str = "APPLICATION stands for your program with its arguments.";

/// Where the price of today's machines is entered in the command line.
const PRICE_FLAG: &str = "The option of crossover decide is --price-today.";

/// What to do next: run the recommended option, or each of several that are about as good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStep {
    /// "Enter what today’s machines cost: the price is assumed. At half of it, …", before any trial; the user interface adds where to enter
    /// it. `None` if the recommendation does not depend on an assumed price of today's machines.
    pub enter_price: Option<String>,
    /// What the trials decide; `None` if one option is recommended.
    pub what_decides: Option<String>,
    /// How each recommended option is tried, the best one first; on the Pareto front the fastest one.
    pub trials: Vec<Trial>,
    /// The goal, its limit, runs and effort as arguments of `crossover decide`, each as a shell reads it.
    pub arguments: Vec<String>,
}

/// What the user wants, as arguments of `crossover decide`.
fn arguments_of(objective: &Objective) -> Vec<String> {
    let least = match objective.goal {
        Goal::Cost => None,
        Goal::Time => Some("time".to_owned()),
        Goal::ParetoFront => Some("pareto-front".to_owned()),
    };
    let is_limited = objective.goal == Goal::Cost && (objective.time_limit - 1.0).abs() >= f64::EPSILON;
    let budget = objective.budget_usd.filter(|_| objective.goal == Goal::Time);
    let runs = objective.runs().map(|[low, high]| if low < high { format!("{low}..{high}") } else { low.to_string() });
    let named = [
        ("--least", least),
        ("--within", is_limited.then(|| format!("{}x", objective.time_limit))),
        ("--budget", budget.map(|usd| usd.to_string())),
        ("--runs-per-month", runs),
        ("--effort", objective.effort_usd.map(|usd| usd.to_string())),
    ];
    named.into_iter().filter_map(|(flag, value)| Some([flag.to_owned(), value?])).flatten().collect()
}

impl NextStep {
    /// The next step of a decision instead of a run with these settings; `None` if no price is to be entered, and nothing is recommended,
    /// or only engines without known settings.
    #[must_use]
    pub fn new(decision: &Decision, today: &SparkSettings) -> Option<Self> {
        // Whichever is better is not known before each has run once.
        let choices = decision.choices();
        let lists_front = decision.lists_front() && choices.len() > 1;
        let is_choice = lists_front || !decision.near_ties.is_empty();
        let verdict = if is_choice { Verdict::Try } else { decision.verdict };
        let trials: Vec<Trial> =
            choices.iter().filter_map(|place| trial(&decision.options[*place], verdict, today)).collect();
        let what_decides = is_choice.then(|| {
            if lists_front {
                return "No option on the Pareto front is both faster and cheaper than another. Choose one by time and cost, and run it \
                        once."
                    .to_owned();
            }
            let [same, better] = decision.tie_words();
            format!(
                "{} are predicted to {same} about the same. Run each of them once and keep the {better}.",
                decision.recommended_title(" and ").unwrap_or_default()
            )
        });
        let depends = decision.recommendation_over_price_today();
        let enter_price = depends.map(|depends| format!("Enter what today’s machines cost: {depends}"));
        // Engines without known settings cannot be tried, whatever decides between them.
        let what_decides = what_decides.filter(|_| !trials.is_empty());
        let is_any = enter_price.is_some() || !trials.is_empty();
        let arguments = arguments_of(&decision.objective);
        is_any.then_some(Self { enter_price, what_decides, trials, arguments })
    }

    /// As a section of a report: the settings of each option, one after the other. The log of a trial is compared with these arguments of
    /// `crossover decide`; if there are none, with [`Self::arguments`].
    pub(super) fn section(&self, arguments: &[String]) -> TextReport {
        let arguments = if arguments.is_empty() { &self.arguments } else { arguments };
        let mut text_report = TextReport::default();
        text_report.heading("Next step");
        if let Some(enter_price) = &self.enter_price {
            text_report.paragraph(format!("{enter_price} {PRICE_FLAG}"));
        }
        text_report.paragraph(self.what_decides.clone().unwrap_or_default());
        for (place, trial) in self.trials.iter().enumerate() {
            text_report.paragraph(trial.text_with(arguments)).command(trial.command());
            if place == 0 {
                text_report.paragraph(APPLICATION);
            }
            for need in &trial.needs {
                text_report.paragraph(need.clone());
            }
        }
        text_report
    }
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, PredictedTime, Price, PriceBasis, decide};

    use super::*;

    #[test]
    fn arguments_say_what_the_user_wants() {
        let of = |objective: Objective| arguments_of(&objective).join(" ");
        assert_eq!(of(Objective::default()), "");
        let limited = Objective { time_limit: 0.5, runs_per_month: Some(2000.0), ..Objective::default() };
        assert_eq!(of(limited), "--within 0.5x --runs-per-month 2000");
        let range =
            Objective { runs_per_month: Some(3000.0), runs_range: Some([2000.0, 4000.0]), ..Objective::default() };
        assert_eq!(of(Objective { effort_usd: Some(1600.0), ..range }), "--runs-per-month 2000..4000 --effort 1600");
        let budget = Objective { goal: Goal::Time, budget_usd: Some(0.01), ..Objective::default() };
        assert_eq!(of(budget), "--least time --budget 0.01");
        assert_eq!(of(Objective { goal: Goal::ParetoFront, ..Objective::default() }), "--least pareto-front");
    }

    fn baseline() -> Baseline {
        Baseline::measured("today", 20.0, Some(Price::entered(1.0)))
    }

    /// 20 s today; options of 10 s and 10.2 s whose errors cannot be told apart.
    #[test]
    fn of_two_options_that_are_about_as_good_each_has_its_settings_of_a_trial() {
        let candidate = |engine: &str, seconds: f64| {
            let time = PredictedTime::within(seconds, 1.5);
            Candidate {
                title: format!("{engine}, 2 × machine"),
                ..Candidate::predicted(engine, time, Some(Price::entered(1.0)))
            }
        };
        let both = vec![candidate("Gluten 1.4", 10.0), candidate("Comet 0.17.0", 10.2)];
        let decision = decide(baseline(), both, Objective::default());
        let next = NextStep::new(&decision, &SparkSettings::default()).expect("a step");
        let tried: Vec<&str> = next.trials.iter().map(|trial| trial.option.as_str()).collect();
        assert_eq!(tried, ["Gluten 1.4, 2 × machine", "Comet 0.17.0, 2 × machine"]);
        for (trial, plugin) in next.trials.iter().zip(["GlutenPlugin", "CometPlugin"]) {
            assert!(trial.text.starts_with(&format!("Run it once on {} ", trial.option)), "{trial:?}");
            assert!(trial.settings.iter().any(|setting| setting.ends_with(plugin)), "{trial:?}");
        }
        let what = next.what_decides.as_deref().expect("two options");
        assert!(what.contains("Run each of them once and keep the cheaper."), "{what}");
        let report = next.section(&[]).terminal();
        let places = ["GlutenPlugin", "CometPlugin"].map(|plugin| report.find(plugin).expect(plugin));
        assert!(places[0] < places[1], "{report}");
        let arguments = ["--query", "1", "--runs-per-month", "3000"].map(str::to_owned);
        let report = next.section(&arguments).terminal();
        assert_eq!(
            report.matches("decide LOG --query 1 --runs-per-month 3000 --trial TRIAL_LOG").count(),
            2,
            "{report}"
        );
        let alone = decide(baseline(), vec![candidate("Gluten 1.4", 10.0)], Objective::default());
        let next = NextStep::new(&alone, &SparkSettings::default()).expect("a step");
        assert_eq!((next.what_decides, next.trials.len()), (None, 1));
    }

    /// 20 s today and 10 s on machines that cost as much per hour: at twice today's price the move saves more, at half of it a run costs the
    /// same, and saves nothing. On machines that cost a tenth, the move saves at either end. On those that cost 2.2 times as much, a run costs
    /// 1.1 times as much as today, and at twice today's price 0.55 times, with Φ(ln(1/0.55) ÷ (ln 1.5 ÷ 1.645)) = 99 %.
    #[test]
    fn an_assumed_price_that_decides_is_entered_first() {
        let of = |basis: PriceBasis, usd_per_hour: f64| {
            let today = Price { basis, ..Price::entered(1.0) };
            let time = PredictedTime::within(10.0, 1.5);
            let candidate = Candidate::predicted("Gluten 1.4", time, Some(Price::entered(usd_per_hour)));
            let decision =
                decide(Baseline::measured("today", 20.0, Some(today)), vec![candidate], Objective::default());
            NextStep::new(&decision, &SparkSettings::default())
        };
        let next = of(PriceBasis::Assumed, 1.0).expect("a step");
        let said = "Enter what today’s machines cost: the price is assumed. At half of it, $0.50 per hour, the recommendation would be to \
                    stay; at twice, $2.00, it would be the same.";
        assert_eq!((next.enter_price.as_deref(), next.trials.len()), (Some(said), 1));
        let report = next.section(&[]).terminal();
        let places = ["Enter what today’s machines cost: the price is assumed", "--price-today", "spark-submit"];
        let places = places.map(|text| report.find(text).expect(text));
        assert!(places.is_sorted(), "{report}");
        assert_eq!(of(PriceBasis::Own, 1.0).expect("a step").enter_price, None);
        assert_eq!(of(PriceBasis::Assumed, 0.1).expect("a step").enter_price, None);
        // Today's engine stays at the assumed price, and not at twice that price.
        let stays = of(PriceBasis::Assumed, 2.2).expect("a step");
        let said = "Enter what today’s machines cost: the price is assumed. At twice that price, $2.00 per hour, the recommendation would be \
                    to move to Gluten 1.4; at half, $0.50, it would be the same.";
        assert_eq!((stays.enter_price.as_deref(), stays.trials.len()), (Some(said), 0));
        assert_eq!(of(PriceBasis::Own, 2.2), None);
    }
}
