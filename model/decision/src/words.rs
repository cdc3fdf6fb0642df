//! The decision in sentences.

use crossover_quantity::unit::{Unit, chance, predicted};
use jiff::civil::Date;

use crate::candidate::Candidate;
use crate::decision::{Cost, Decision, DecisionOption, NearTie};
use crate::objective::Goal;
use crate::price::PriceBasis;
use crate::price_change::PricedMachines;
use crate::saving::{MonthlySaving, Payback};
use crate::time::PredictedTime;
use crate::verdict::{MOVE_FROM, Verdict};

/// Months of a year.
const MONTHS_PER_YEAR: f64 = 12.0;
/// Prices whose dates are further apart are named.
const DATES_APART_DAYS: i32 = 92;
/// An option that is less likely than this to meet the goal is not named as the likeliest: which one it is would be arbitrary.
const IMPOSSIBLE: f64 = 1e-4;
/// Smallest amount, US dollars, that is written without an exponent: its two digits are within ten decimals.
const SMALLEST_PLAIN: f64 = 1e-9;

/// "4.1 s".
#[must_use]
pub fn seconds(value: f64) -> String {
    Unit::Seconds.format(predicted(value))
}

/// "$0.0044", "$0.000022"; a loss is "−$0.0044".
#[must_use]
pub fn dollars(value: f64) -> String {
    let value = predicted(value);
    let sign = if value < 0.0 { "−" } else { "" };
    let amount = value.abs();
    let digits = if amount >= 100.0 {
        Unit::Count.format(amount.round())
    } else if (SMALLEST_PLAIN..0.001).contains(&amount) {
        format!("{amount:.10}").trim_end_matches('0').to_owned()
    } else {
        Unit::Ratio.format(amount)
    };
    format!("{sign}${digits}")
}

/// A positive number with two digits: "0.26", "4.1", "260", "930,000".
fn amount(value: f64) -> String {
    let value = predicted(value);
    if value >= 100.0 { Unit::Count.format(value.round()) } else { Unit::Ratio.format(value) }
}

/// "$13", "$13 … $26".
fn dollars_between([low, high]: [f64; 2]) -> String {
    let [low, high] = [dollars(low), dollars(high)];
    if low == high { low } else { format!("{low} … {high}") }
}

/// "4.1 s (1.6 s … 11 s, 90 % interval)".
#[must_use]
pub fn time(time: &PredictedTime) -> String {
    let value = seconds(time.value());
    match time.interval() {
        Some([low, high]) => format!("{value} ({} … {}, 90 % interval)", seconds(low), seconds(high)),
        None => value,
    }
}

/// A likelihood of meeting the goal: "93 %". What is just below the 90 % of a move has a decimal, so that it does not look like
/// them: "89.6 %".
#[must_use]
pub fn likely(better: f64) -> String {
    let percent = better * 100.0;
    if better < MOVE_FROM && percent.round() >= MOVE_FROM * 100.0 {
        format!("{:.1} %", (percent * 10.0).floor() / 10.0)
    } else {
        chance(better)
    }
}

/// "$0.0044 ($0.0017 … $0.011)".
#[must_use]
pub fn cost(cost: &Cost) -> String {
    let value = dollars(cost.value);
    match cost.interval {
        Some([low, high]) => format!("{value} ({} … {})", dollars(low), dollars(high)),
        None => value,
    }
}

/// A number with its noun: "1 month", "4.2 months".
fn plural(number: &str, noun: &str) -> String {
    let end = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{end}")
}

/// " Gluten 1.4 does not support Spark 3.1.1: …."; empty if the engine supports today's version, or that is not known.
fn unsupported(candidate: &Candidate) -> String {
    let support = candidate.evidence.support.as_ref().filter(|support| support.is_supported == Some(false));
    support.map(|support| format!(" {}.", support.sentence)).unwrap_or_default()
}

impl Decision {
    /// The decision in one or two sentences: what to do, in which time, how likely that is better, and what it saves.
    #[must_use]
    pub fn sentence(&self) -> String {
        match (self.verdict, self.best_option()) {
            (Verdict::CannotJudge, _) => format!("Cannot be judged: {}.", self.why_not_judged()),
            (Verdict::Stay, _) | (_, None) => self.stay(),
            (verdict, Some(option)) => self.go(verdict, option),
        }
    }

    /// "25.3 s measured"; of several runs "47 s measured, median of 7 runs from 41 s to 58 s".
    fn today(&self) -> String {
        let time = &self.baseline.time;
        if self.baseline.is_measured {
            format!("{} measured{}", Unit::Seconds.format(time.value()), self.baseline.of_runs())
        } else {
            format!("{} predicted", seconds(time.value()))
        }
    }

    fn go(&self, verdict: Verdict, option: &DecisionOption) -> String {
        let what = match verdict {
            Verdict::Move => "Move to",
            _ => "Try",
        };
        let better = option.better.map(likely).unwrap_or_default();
        // A measured time has no error.
        let is_predicted = option.candidate.deviation_of_ratio > Some(0.0);
        let mut text = format!(
            "{what} {}: {} instead of {}. {} {better} likely to be {}{}.",
            self.in_sentence(&option.candidate).0,
            self.time_in_sentence(&option.candidate),
            self.today(),
            if is_predicted { "By the measured errors of predictions, it is" } else { "It is" },
            self.wanted(),
            self.depends_on_price(option)
        );
        if let Some((then, now)) = option.usd.zip(self.today_usd()) {
            let median = if is_predicted { " (median)" } else { "" };
            text += &format!(" A run costs {}{median} instead of {}", dollars(then.value), dollars(now.value));
            if self.is_price_assumed() {
                text += ", at an assumed price of today’s machines";
            }
            text.push('.');
            text += &self.over_assumed_price(option);
        }
        text += &self.expected_saving(option);
        text += &self.effort(option);
        text += &self.about_the_same(option);
        text += &unsupported(&option.candidate);
        text
    }

    /// " At half to twice this price, $0.72 to $2.9 per hour, the likelihood is <1 % … >99 %."; empty if today's price is not assumed,
    /// or does not matter.
    fn over_assumed_price(&self, option: &DecisionOption) -> String {
        let price = self.baseline.price.as_ref().filter(|_| self.is_price_assumed() && !self.is_by_time());
        let place = self.options.iter().position(|other| std::ptr::eq(other, option));
        let Some((price, place)) = price.zip(place).filter(|_| !option.candidate.is_on_same_machines) else {
            return String::new();
        };
        let ends = price.basis.range();
        let at = |factor: f64| self.with_price(PricedMachines::Today, factor).options[place].better;
        let [Some(low), Some(high)] = ends.map(at) else { return String::new() };
        let [from, to] = ends.map(|factor| dollars(price.usd_per_hour * factor));
        let likelihood = match [low, high].map(likely) {
            [low, high] if low == high => format!("stays {low}"),
            [low, high] => format!("is {low} … {high}"),
        };
        format!(" At half to twice this price, {from} to {to} per hour, the likelihood {likelihood}.")
    }

    /// "predicted 28 s (22 s … 45 s, 90 % interval), from runs with Spark 3.5.3,", "measured 28 s".
    fn time_in_sentence(&self, candidate: &Candidate) -> String {
        let Some(of_option) = &candidate.time else { return String::new() };
        let time = time(of_option);
        match self.in_sentence(candidate).1 {
            _ if of_option.deviation == Some(0.0) => format!("measured {time}"),
            Some(host) => format!("predicted {time}, from runs with {host},"),
            None => format!("predicted {time}"),
        }
    }

    /// Whether the likelihood of an option depends on prices: not where both run on machines of one type, whose price is the same.
    fn depends_on_price(&self, option: &DecisionOption) -> &'static str {
        if self.is_by_time() || option.cheaper.is_none() {
            ""
        } else if option.candidate.is_on_same_machines {
            ", whatever today’s machines cost"
        } else {
            " at the prices used"
        }
    }

    /// " Gluten (Velox), same machines and Comet 0.17.0, same machines cost about the same: 52 % likely that the first is cheaper.";
    /// empty if no other option is about as good as the best one.
    fn about_the_same(&self, best: &DecisionOption) -> String {
        let Some(NearTie { other, likelihood }) = self.near_tie() else { return String::new() };
        let (what, better) = if self.is_by_time() { ("take", "faster") } else { ("cost", "cheaper") };
        format!(
            " {} and {} {what} about the same: {} likely that the first is {better}.",
            best.candidate.title,
            self.options[other].candidate.title,
            chance(likelihood)
        )
    }

    /// " Expected saving: $3.1 a month at 3,000 runs ($0.9 … $4.4, 90 % interval), $37 a year."; a range of runs gives a range of
    /// savings. Empty where time decides.
    fn expected_saving(&self, option: &DecisionOption) -> String {
        let Some(saving) = option.saving.filter(|_| !self.is_by_time()) else { return String::new() };
        let between = |interval: Option<[f64; 2]>| {
            let interval =
                interval.map(|[low, high]| format!(" ({} … {}, 90 % interval)", dollars(low), dollars(high)));
            interval.unwrap_or_default()
        };
        let Some((MonthlySaving { expected, interval }, runs)) = self.monthly_saving(option).zip(self.objective.runs())
        else {
            return format!(" Expected saving: {} per run{}.", dollars(saving), between(option.saving_interval));
        };
        let runs = match runs.map(|runs| Unit::Count.format(runs)) {
            [fewest, most] if fewest == most => most,
            [fewest, most] => format!("{fewest} to {most}"),
        };
        format!(
            " Expected saving: {} a month at {runs} runs{}, {} a year.",
            dollars_between(expected),
            between(interval),
            dollars_between(expected.map(|usd| usd * MONTHS_PER_YEAR))
        )
    }

    /// " An effort of $5,000 is paid back in 4.2 months."; " The effort of the move is not counted." if it is not known; empty where
    /// time decides.
    fn effort(&self, option: &DecisionOption) -> String {
        if self.is_by_time() {
            return String::new();
        }
        let Some((payback, effort)) = self.payback(option).zip(self.objective.effort_usd) else {
            return " The effort of the move is not counted.".to_owned();
        };
        let effort = format!(" An effort of ${} is", Unit::Count.format(effort));
        match payback {
            Payback::Never => format!("{effort} never paid back."),
            Payback::Runs(runs) => format!("{effort} paid back after {}.", plural(&amount(runs), "run")),
            Payback::Months(months) => {
                let months = match months.map(amount) {
                    [least, most] if least == most => plural(&most, "month"),
                    [least, most] => format!("{least} to {most} months"),
                };
                format!("{effort} paid back in {months}.")
            }
        }
    }

    /// Whether the price of today's machines is taken from other ones.
    fn is_price_assumed(&self) -> bool {
        self.baseline.price.as_ref().is_some_and(|price| price.basis == PriceBasis::Assumed)
    }

    /// An option as it is named in a sentence, and the host engine that it was measured on if that is another version than
    /// today's: "Gluten (Velox), same machines" and "Spark 3.5.3".
    fn in_sentence<'a>(&self, candidate: &'a Candidate) -> (String, Option<&'a str>) {
        let Candidate { title, engine, .. } = candidate;
        let parts = engine.split_once(" on ").zip(title.strip_prefix(engine.as_str()));
        match parts {
            Some(((name, host), machines)) if !self.baseline.title.starts_with(host) => {
                (format!("{name}{machines}"), Some(host))
            }
            _ => (title.clone(), None),
        }
    }

    /// The option that is most likely to meet the goal.
    #[must_use]
    pub fn likeliest(&self) -> Option<&DecisionOption> {
        self.likeliest_place().map(|place| &self.options[place])
    }

    /// Index of the option that is most likely to meet the goal.
    #[must_use]
    pub fn likeliest_place(&self) -> Option<usize> {
        let options = self.options.iter().enumerate();
        let better = |option: &DecisionOption| option.better.unwrap_or(0.0);
        let judged = options.filter(|(_, option)| option.candidate.blocked_by.is_none() && better(option) > IMPOSSIBLE);
        judged.max_by(|(_, a), (_, b)| better(a).total_cmp(&better(b))).map(|(place, _)| place)
    }

    fn stay(&self) -> String {
        let mut text = format!("Stay with {} ({})", self.baseline.title, self.today());
        if let Some(option) = self.likeliest() {
            text += &format!(
                ". The option most likely to be {} is {}: {}",
                self.wanted(),
                self.in_sentence(&option.candidate).0,
                likely(option.better.unwrap_or(0.0))
            );
            if self.is_price_assumed() && !self.is_by_time() && !option.candidate.is_on_same_machines {
                text += ", at an assumed price of today’s machines";
            }
            if let Some(why) = self.why_too_little(option) {
                text += &format!("; {why}");
            }
        } else {
            text += &match self.impossible_limit() {
                Some(why) => format!(". No option can be {}: {why}", self.wanted()),
                None => format!(". No option is likely to be {}", self.wanted()),
            };
        }
        text.push('.');
        if let Some((limit, place)) = self.limit_of_a_move() {
            let option = &self.options[place];
            text += &format!(
                " {} is {} likely to be cheaper; a time limit of {} today’s time would make it the recommendation.",
                self.in_sentence(&option.candidate).0,
                option.cheaper.map(chance).unwrap_or_default(),
                Unit::Factor.format(limit)
            );
        }
        text
    }

    /// Why no option can keep the time limit, if the part of the time that no option changes is longer than it: "14 s outside
    /// of the queries remain with every option, and the limit is 0.57 s".
    fn impossible_limit(&self) -> Option<String> {
        if self.objective.goal != Goal::Cost {
            return None;
        }
        let limit = self.objective.time_limit * self.baseline.time.value();
        let judged = self.options.iter().filter(|option| option.better.is_some());
        let known = judged.filter_map(|option| option.candidate.time).map(|time| time.known_seconds);
        let known = known.min_by(f64::total_cmp).filter(|known| *known >= limit && *known > 0.0)?;
        Some(format!(
            "{} outside of the queries remain with every option, and the limit is {}",
            seconds(known),
            seconds(limit)
        ))
    }

    /// What an option has to be: "cheaper and not slower".
    #[must_use]
    pub fn wanted(&self) -> String {
        let limit = self.objective.time_limit;
        match self.objective.goal {
            Goal::Time => "faster within the budget".to_owned(),
            Goal::Cost if self.lacks_price && limit < 1.0 => {
                format!("done within {} today’s time", Unit::Factor.format(limit))
            }
            Goal::Cost if self.lacks_price => "faster".to_owned(),
            Goal::Cost if (limit - 1.0).abs() < f64::EPSILON => "cheaper and not slower".to_owned(),
            Goal::Cost => format!("cheaper within {} today’s time", Unit::Factor.format(limit)),
        }
    }

    /// The dates of the oldest and the newest price, if they are far apart: "prices are of different dates: …".
    #[must_use]
    pub fn dates_of_prices(&self) -> Option<String> {
        let options = self.options.iter().map(|option| &option.candidate).filter(|candidate| candidate.time.is_some());
        let options = options.map(|candidate| (candidate.title.as_str(), &candidate.price));
        let today = (self.baseline.title.as_str(), &self.baseline.price);
        let all = std::iter::once(today).chain(options);
        let mut dated: Vec<(Date, &str)> =
            all.filter_map(|(title, price)| Some((price.as_ref()?.date?, title))).collect();
        dated.sort_by_key(|(date, _)| *date);
        let ((oldest, one), (newest, other)) = (dated.first()?, dated.last()?);
        let is_far = (*newest - *oldest).get_days() > DATES_APART_DAYS;
        is_far.then(|| format!("prices are of different dates: {oldest} ({one}) and {newest} ({other})"))
    }

    fn why_not_judged(&self) -> String {
        // Options without a time were never measured; the reason is that of the others.
        let measured = self.options.iter().filter(|option| option.candidate.time.is_some());
        let blocked = measured.filter_map(|option| option.candidate.blocked_by.clone());
        let mut reasons: Vec<String> = blocked.collect();
        reasons.dedup();
        match reasons.first() {
            Some(reason) => reason.clone(),
            None if self.options.is_empty() => "no option to compare with".to_owned(),
            None => "no measured error for any option".to_owned(),
        }
    }
}
