//! The next step of a decision: the price of today's machines, if the recommendation depends on an assumed one, and a trial of the
//! recommended option, or of each of several that are about as good or on the Pareto front.

use crossover_decision::{Decision, Verdict};
use crossover_quantity::text::TextReport;
use crossover_query::settings::SparkSettings;

use super::next_steps::{Trial, trial};
use crate::arguments::DecideArguments;

/// What stands in the place of the program in [`Trial::command`].
pub const APPLICATION: &str = "APPLICATION stands for your program with its arguments.";

/// Where the price of today's machines is entered in the command line.
const PRICE_FLAG: &str = "The option of crossover decide is --price-today.";

/// What to do next: run the recommended option, or each of several that are about as good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStep {
    /// "Enter what today’s machines cost: the price is assumed. At half that price, …", before any trial; the user interface adds where to enter
    /// it. `None` if the recommendation does not depend on an assumed price of today's machines.
    pub enter_price: Option<String>,
    /// What the trials decide; `None` if one option is recommended.
    pub what_decides: Option<String>,
    /// How each recommended option is tried, the best one first; on the Pareto front the fastest one.
    pub trials: Vec<Trial>,
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
                "Predicted to {same} about the same: {}. Run each of them once and keep the {better}.",
                decision.recommended_title(" and ").unwrap_or_default()
            )
        });
        let depends = decision.recommendation_over_price_today();
        let enter_price = depends.map(|depends| format!("Enter what today’s machines cost: {depends}"));
        // Engines without known settings cannot be tried, whatever decides between them.
        let what_decides = what_decides.filter(|_| !trials.is_empty());
        let is_any = enter_price.is_some() || !trials.is_empty();
        is_any.then_some(Self { enter_price, what_decides, trials })
    }

    /// As a section of a report: the settings of each option, one after the other. The log of a trial is compared with these
    /// arguments of `crossover decide`.
    pub(super) fn section(&self, arguments: &DecideArguments) -> TextReport {
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
                text_report.paragraph(arguments.left_out_in_words().unwrap_or_default());
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
    use crossover_decision::{Baseline, Candidate, Objective, PredictedTime, Price, PriceBasis, decide};

    use super::*;

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
        let report = next.section(&DecideArguments::default()).terminal();
        let places = ["GlutenPlugin", "CometPlugin"].map(|plugin| report.find(plugin).expect(plugin));
        assert!(places[0] < places[1], "{report}");
        let monthly = Objective { runs_per_month: Some(3000.0), ..Objective::default() };
        let arguments = DecideArguments {
            query: Some("1".to_owned()),
            left_out: vec!["the measured time".to_owned()],
            ..DecideArguments::of_objective(&monthly)
        };
        let report = next.section(&arguments).terminal();
        assert_eq!(
            report.matches("decide LOG --query 1 --runs-per-month 3000 --trial TRIAL_LOG").count(),
            2,
            "{report}"
        );
        assert_eq!(report.matches("The command leaves out the measured time").count(), 1, "{report}");
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
        let said = "Enter what today’s machines cost: the price is assumed. At half that price, $0.50 per hour, the recommendation would be to \
                    stay; at twice, $2.00, it would not change.";
        assert_eq!((next.enter_price.as_deref(), next.trials.len()), (Some(said), 1));
        let report = next.section(&DecideArguments::default()).terminal();
        let places = ["Enter what today’s machines cost: the price is assumed", "--price-today", "spark-submit"];
        let places = places.map(|text| report.find(text).expect(text));
        assert!(places.is_sorted(), "{report}");
        assert_eq!(of(PriceBasis::Own, 1.0).expect("a step").enter_price, None);
        assert_eq!(of(PriceBasis::Assumed, 0.1).expect("a step").enter_price, None);
        // Today's engine stays at the assumed price, and not at twice that price.
        let stays = of(PriceBasis::Assumed, 2.2).expect("a step");
        let said = "Enter what today’s machines cost: the price is assumed. At twice that price, $2.00 per hour, the recommendation would be \
                    to move to Gluten 1.4; at half, $0.50, it would not change.";
        assert_eq!((stays.enter_price.as_deref(), stays.trials.len()), (Some(said), 0));
        assert_eq!(of(PriceBasis::Own, 2.2), None);
    }
}
