//! The decision in the strip on top: what to do, time, cost and chance.

use crossover_decision::saving::longest_payback;
use crossover_decision::words::one_or_other;
use crossover_decision::{Decision, DecisionOption, Payback, Verdict, is_extra, words};
use crossover_export::costs::cost_today;
use crossover_page::headline::{Figure, SteadyStrip};
use crossover_quantity::text::{between, counted, shortened};
use crossover_quantity::unit::Unit;

use super::long_answers::{long_answers, recommending};

/// Longest reason in the strip, in characters; its tooltip has the whole.
const LONGEST_REASON: usize = 100;
/// What the figure of a month is.
const SAVING: &str = "expected saving per month";
/// The same where the option costs more than today.
const EXTRA_COST: &str = "expected extra cost per month";

/// A decision, and what it is about.
#[derive(Clone, Copy)]
pub(super) struct Headline<'a> {
    pub(super) decision: &'a Decision,
    pub(super) sentence: &'a str,
    pub(super) likelihood: &'a Likelihood,
    /// Why no option can be judged; empty if one can be.
    pub(super) not_judged: &'a [String],
    pub(super) subject: Subject,
}

/// What a decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// A whole application.
    Application,
    /// A query of an application.
    Part,
    /// A query that is not known to be a part of something.
    Query,
}

impl Subject {
    /// How many there are.
    pub(super) const COUNT: usize = 3;

    /// The question of the page; `combined`: which queries a combined workload has, "3 queries of application shop (…)", empty for one query.
    pub(super) fn question(self, combined: &str) -> String {
        let several = combined.split_once(" of ").map(|(queries, _)| queries);
        let several = several.filter(|queries| queries.ends_with(" queries"));
        match (self, several) {
            (Self::Application, _) => "What should run this application?".to_owned(),
            (Self::Part | Self::Query, Some(queries)) => format!("What should run these {queries}?"),
            (Self::Part | Self::Query, None) => "What should run this query?".to_owned(),
        }
    }

    /// "the application: "; empty where it needs no name.
    fn prefix(self) -> &'static str {
        match self {
            Self::Application => "the application: ",
            Self::Part => "this query alone: ",
            Self::Query => "",
        }
    }
}

/// "; <1 % … >99 % at half to twice the price": the likelihoods of the recommended options over an assumed price that they depend on;
/// empty without one.
pub(super) fn over_assumed_price(decision: &Decision) -> String {
    let likelihoods = decision.likelihoods_over_assumed_price();
    likelihoods.map(|likelihoods| format!("; {likelihoods} at half to twice the price")).unwrap_or_default()
}

/// The first reason why no option can be judged, and how many others there are: "it has user code (1 other reason)".
fn first_reason(reasons: &[String]) -> String {
    let Some((first, others)) = reasons.split_first() else { return String::new() };
    let first = shortened(first, LONGEST_REASON);
    if others.is_empty() { first } else { format!("{first} ({})", counted(others.len() as f64, "other reason")) }
}

/// "3 options, verdict: move".
fn front(decision: &Decision) -> String {
    format!("{}, verdict: {}", counted(decision.front.len() as f64, "option"), decision.verdict.label())
}

/// What the strip has of the likelihood of a decision.
pub(super) struct Likelihood {
    /// [`Decision::likelihoods`] of the recommended options, or else of the one that is most likely to meet the goal; `None` if none can
    /// be judged.
    likely: Option<String>,
    /// The same over an assumed price.
    over_assumed_price: String,
}

impl Likelihood {
    pub(super) fn of(decision: &Decision) -> Self {
        let shown = decision.shown_place().filter(|_| decision.best.is_none() && decision.verdict == Verdict::Stay);
        let as_best = shown.map(|place| recommending(decision, &[place]));
        let of = as_best.as_ref().unwrap_or(decision);
        Self { likely: of.likelihoods(), over_assumed_price: over_assumed_price(of) }
    }
}

/// The strip about a decision: if two options are about as good, the figures of both. It has the height of long answers, so that what is below
/// stays in place whatever the limit.
pub(super) fn strip(headline: &Headline<'_>) -> SteadyStrip {
    let others = long_answers(headline.decision).into_iter().map(|decision| {
        let likelihood = Likelihood::of(&decision);
        figures_of(&Headline { decision: &decision, likelihood: &likelihood, not_judged: &[], ..*headline })
    });
    SteadyStrip::new(figures_of(headline), others.collect())
}

fn figures_of(headline: &Headline<'_>) -> Vec<Figure> {
    let Headline { decision, sentence, likelihood, not_judged, subject } = *headline;
    let Likelihood { likely, over_assumed_price } = likelihood;
    let today = &decision.baseline.time;
    let now =
        if decision.baseline.is_measured { Unit::Seconds.format(today.value()) } else { words::seconds(today.value()) };
    let of = subject.prefix();
    let recommended: Vec<&DecisionOption> = decision.recommended().map(|place| &decision.options[place]).collect();
    let of_each = |text: &dyn Fn(&DecisionOption) -> Option<String>| {
        let texts: Option<Vec<String>> = recommended.iter().map(|option| text(option)).collect();
        texts.filter(|texts| !texts.is_empty()).map(|texts| one_or_other(&texts))
    };
    let (figure, meaning) = match (decision.verdict, decision.recommended_title(" or ")) {
        (Verdict::Move, Some(options)) => ("Move", format!("{of}to {options}")),
        (Verdict::Try, Some(options)) => ("Try", format!("{of}{options}")),
        (Verdict::CannotJudge, _) => ("Cannot be judged", format!("{of}{}", first_reason(not_judged))),
        _ if decision.lists_front() => ("Pareto front", format!("{of}{}", front(decision))),
        _ => ("Stay", format!("{of}{}", decision.baseline.title)),
    };
    let reasons = if not_judged.len() > 1 { not_judged.join("\n") } else { sentence.to_owned() };
    let mut figures = vec![Figure::new(figure, meaning, reasons)];
    if let Some([times, costs]) = decision.front_ranges().filter(|_| decision.verdict != Verdict::CannotJudge) {
        let tooltip = "Medians of the options on the Pareto front, the fastest first";
        figures.push(Figure::new(times, "median time on the front", tooltip));
        let tooltip = "Medians of the cost of a run of the same options";
        figures.push(Figure::new(costs, "median cost on the front", tooltip));
        return figures;
    }
    if recommended.is_empty() {
        figures.push(Figure::new(now, "time today", decision.baseline.title.as_str()));
        if decision.verdict == Verdict::Stay {
            figures.extend(of_rejected(decision, likelihood, sentence));
        }
        return figures;
    }
    if let Some(then) = of_each(&|option| Some(decision.predicted_seconds(option.candidate.time?.value()))) {
        let intervals = of_each(&|option| option.candidate.time.as_ref().map(|time| decision.predicted_time(time)));
        let tooltip = format!("Predicted times are medians: {}", intervals.unwrap_or_default());
        figures.push(Figure::new(format!("{now} → {then}"), "median time, today → option", tooltip));
    }
    if let Some([now, then]) = decision.mean_costs() {
        let medians = of_each(&|option| option.usd.as_ref().map(words::cost));
        let tooltip = format!(
            "Mean costs of a run, whose difference is the expected saving. With the option, median: {}",
            medians.unwrap_or_default()
        );
        figures.push(Figure::new(format!("{now} → {then}"), "mean cost per run, today → option", tooltip));
    }
    if let Some(better) = likely {
        let meaning = format!("likely to be {}{over_assumed_price}", decision.wanted());
        figures.push(Figure::new(better, meaning, sentence));
    }
    // Before the runs are entered the block has the width of that of a month, so that the strip keeps its lines.
    let (noun, is_extra) = (decision.noun_of_saving(&recommended), is_extra(&recommended));
    let month = if is_extra { EXTRA_COST } else { SAVING };
    if decision.objective.runs_per_month.is_some() {
        let of_month = |option: &DecisionOption| {
            Some(between(decision.monthly_amounts(option, is_extra)?.map(words::monthly_dollars)))
        };
        let tooltip = format!("Mean {noun} of a run × runs per month.");
        figures.extend(of_each(&of_month).map(|amount| Figure::new(amount, month, tooltip)));
    } else if let Some(amount) = of_each(&|option| decision.amount_per_run(option, is_extra)) {
        let tooltip = format!("Mean {noun} of a run. Enter the runs per month for the {noun} per month.");
        let run = format!("expected {noun} per run");
        figures.push(Figure { other_meaning: month, ..Figure::new(amount, run, tooltip) });
    }
    figures
}

/// What a run costs today, and the figures of the option that is most likely to meet the goal, although it is not recommended: how likely
/// that is, what it saves, and when it has paid back the effort.
fn of_rejected(decision: &Decision, likelihood: &Likelihood, sentence: &str) -> Vec<Figure> {
    let mut figures = Vec::new();
    let title = decision.baseline.title.as_str();
    figures.extend(cost_today(decision).map(|cost| Figure::new(cost, "mean cost per run today", title)));
    let Some((option, likely)) = decision.shown().zip(likelihood.likely.as_deref()) else { return figures };
    let (title, over_assumed_price) = (&option.candidate.title, &likelihood.over_assumed_price);
    let meaning = format!("likely to be {}{over_assumed_price}: {title}", decision.wanted());
    figures.push(Figure::new(likely, meaning, sentence));
    let (noun, is_extra) = (decision.noun_of_saving(&[option]), is_extra(&[option]));
    let amounts =
        decision.monthly_amounts(option, is_extra).map(|amounts| between(amounts.map(words::monthly_dollars)));
    let tooltip = format!("Mean {noun} of a run with {title} × runs per month.");
    let meaning = if is_extra { EXTRA_COST } else { SAVING };
    figures.extend(amounts.map(|amount| Figure::new(amount, meaning, tooltip)));
    if let Some(Payback::Months(months)) = decision.payback(option).filter(|_| decision.is_kept_by_effort()) {
        let months = between(months.map(|months| Unit::Count.format(months.round())));
        let meaning = format!("to pay back the effort, not within {}", longest_payback());
        figures.push(Figure::new(format!("{months} months"), meaning, sentence));
    }
    figures
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Objective, PredictedTime, Price, PriceBasis, TimeLimit, decide};

    use super::*;

    /// 20 s today at a dollar an hour, and an option of 10 s within a factor of 1.1 at 1.5 dollars: it costs three quarters, but one and
    /// a half times as much where today's machines cost half.
    fn decision(basis: PriceBasis) -> Decision {
        let baseline = Baseline::measured("today", 20.0, Some(Price { basis, ..Price::entered(1.0) }));
        let time = PredictedTime::within(10.0, 1.1);
        let option = Candidate::predicted("GPUs", time, Some(Price::entered(1.5)));
        decide(baseline, vec![option], Objective::default())
    }

    #[test]
    fn what_cannot_be_judged_has_its_reason_in_the_strip() {
        let reasons = ["it has user code", "its exchange is too large", "too many GPUs"].map(str::to_owned);
        assert_eq!(first_reason(&reasons[..1]), "it has user code");
        assert_eq!(first_reason(&reasons[..2]), "it has user code (1 other reason)");
        assert_eq!(first_reason(&reasons), "it has user code (2 other reasons)");
    }

    #[test]
    fn the_question_names_how_many_queries_are_combined() {
        let combined = "1,204 queries of 4 applications of fleet (2,341 s of their 3,120 s)";
        assert_eq!(Subject::Query.question(combined), "What should run these 1,204 queries?");
        let one = "1 query of application shop (12.43 s of its 16.32 s)";
        assert_eq!([one, ""].map(|combined| Subject::Query.question(combined)), ["What should run this query?"; 2]);
        assert_eq!(Subject::Application.question(""), "What should run this application?");
    }

    /// 10 s within a factor of 1.1 at $4 an hour cost 10.017 s · 4 ÷ 3600 s = $0.01113 on average, $0.00557 more than 20 s at a dollar: at
    /// 1,000 runs $5.57 a month.
    #[test]
    fn an_option_that_costs_more_has_its_extra_cost_in_the_strip() {
        let of = |runs_per_month: Option<f64>| {
            let baseline = Baseline::measured("today", 20.0, Some(Price::entered(1.0)));
            let option = Candidate::predicted("GPUs", PredictedTime::within(10.0, 1.1), Some(Price::entered(4.0)));
            let objective = Objective { time_limit: TimeLimit::Factor(0.6), runs_per_month, ..Objective::default() };
            let decision = decide(baseline, vec![option], objective);
            let (sentence, likelihood) = (decision.sentence(), Likelihood::of(&decision));
            let headline = Headline {
                decision: &decision,
                sentence: &sentence,
                likelihood: &likelihood,
                not_judged: &[],
                subject: Subject::Query,
            };
            let last = figures_of(&headline).pop().expect("figures");
            assert!(sentence.contains(&format!(" Expected extra cost: {} ", last.figure)), "{sentence}");
            (last.meaning, last.figure)
        };
        assert_eq!(of(Some(1000.0)), ("expected extra cost per month".to_owned(), "$5.57".to_owned()));
        assert_eq!(of(None).0, "expected extra cost per run");
    }

    #[test]
    fn a_likelihood_at_an_assumed_price_has_its_range_over_half_to_twice_the_price() {
        let (own, assumed) = (decision(PriceBasis::Own), decision(PriceBasis::Assumed));
        for decision in [&own, &assumed] {
            assert_eq!(decision.likelihoods().as_deref(), Some(">99 %"));
            assert!(decision.sentence().contains(" it is >99 % likely to be "), "{}", decision.sentence());
        }
        assert_eq!(over_assumed_price(&own), "");
        assert_eq!(over_assumed_price(&assumed), "; <1 % … >99 % at half to twice the price");
    }

    /// 20 s at a dollar an hour cost 0.56 cents, and 10 s at half a dollar 0.14 cents: 1,000 runs save about $4 a month, and an effort of
    /// $5,000 takes about 1,200 months.
    #[test]
    fn figures_of_an_option_that_only_the_effort_rejects_are_in_the_strip() {
        let baseline = Baseline::measured("today", 20.0, Some(Price::entered(1.0)));
        let option = Candidate::predicted("GPUs", PredictedTime::within(10.0, 1.1), Some(Price::entered(0.5)));
        let objective = Objective { runs_per_month: Some(1000.0), effort_usd: Some(5000.0), ..Objective::default() };
        let decision = decide(baseline, vec![option], objective);
        assert!(decision.is_kept_by_effort(), "{}", decision.sentence());
        let likelihood = Likelihood::of(&decision);
        let figures = of_rejected(&decision, &likelihood, "");
        let meanings: Vec<&str> = figures.iter().map(|figure| figure.meaning.as_str()).collect();
        assert_eq!(
            meanings,
            [
                "mean cost per run today",
                "likely to be cheaper and not slower: GPUs",
                "expected saving per month",
                "to pay back the effort, not within 36 months"
            ]
        );
        assert_eq!(figures[1].figure, ">99 %");
    }

    /// The second one runs on today's machines, so that its likelihood depends on no price.
    #[test]
    fn the_likelihoods_of_a_near_tie_are_those_of_the_sentence() {
        let price = Price { basis: PriceBasis::Assumed, ..Price::entered(1.0) };
        let baseline = Baseline::measured("today", 20.0, Some(price.clone()));
        let on_gpus = Candidate::predicted("GPUs", PredictedTime::within(10.0, 1.1), Some(Price::entered(1.5)));
        let on_same = Candidate::predicted("same", PredictedTime::within(15.1, 1.4), Some(price));
        let on_same = Candidate { is_on_same_machines: true, ..on_same };
        let decision = decide(baseline, vec![on_gpus, on_same], Objective::default());
        assert_eq!(decision.recommended().count(), 2, "{}", decision.sentence());
        let likelihoods = decision.likelihoods().expect("two options");
        assert!(likelihoods.starts_with(">99 % and 9"), "{likelihoods}");
        assert!(decision.sentence().contains(&format!(" they are {likelihoods} likely to be ")), "{likelihoods}");
        assert_eq!(over_assumed_price(&decision), "; <1 % … >99 % of the first at half to twice the price");
    }
}
