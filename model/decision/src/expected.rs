//! The expected saving of a run, of a month and of a year, and the payback, in words.

use std::mem::discriminant;

use crossover_quantity::text::between;
use crossover_quantity::unit::{Unit, predicted, significant};

use crate::alternatives::{Part, each, interval};
use crate::decision::{Decision, DecisionOption};
use crate::money::{known_dollars, largest_dollars, rounded_down};
use crate::saving::{ASSUMED_HOURLY_RATE_USD, LONGEST_PAYBACK_MONTHS, MonthlySaving, Payback, longest_payback};
use crate::words::{self, dollars, likely, monthly_dollars, one_or_other, seconds};

/// Months of a year.
const MONTHS_PER_YEAR: f64 = 12.0;

/// A positive number with two digits: "0.26", "4.1", "260", "930,000".
fn amount(value: f64) -> String {
    let value = predicted(value);
    if value >= 100.0 { Unit::Count.format(value.round()) } else { Unit::Ratio.format(value) }
}

/// Whether every one of these options costs more, or takes longer, than today on average: amounts are then what it is more.
#[must_use]
pub fn is_extra(options: &[&DecisionOption]) -> bool {
    !options.is_empty() && options.iter().all(|option| option.saving.is_some_and(|saving| saving < 0.0))
}

/// Months with two digits, or with as many as tell them from the longest payback: "4.2", "36.1".
fn months(value: f64) -> String {
    let longest = LONGEST_PAYBACK_MONTHS;
    if value <= longest || predicted(value) > longest {
        return amount(value);
    }
    let later = [3, 4].map(|digits| significant(value, digits)).into_iter().find(|rounded| *rounded > longest);
    Unit::Ratio.format(later.unwrap_or(longest + 0.01))
}

/// A number with its noun: "1 month", "4.2 months".
fn plural(number: &str, noun: &str) -> String {
    let end = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{end}")
}

/// "pays back at most $10.5 within 36 months"
fn pays_back_at_most(most: &str) -> String {
    format!("pays back at most {most} within {}", longest_payback())
}

impl Payback {
    /// "4.2 months", "4 to 5 months", "500 runs", "never".
    #[must_use]
    pub fn time(self) -> String {
        match self {
            Self::Never => "never".to_owned(),
            Self::Runs(runs) => plural(&amount(runs), "run"),
            Self::Months(ends) => match ends.map(months) {
                [least, most] if least == most => plural(&most, "month"),
                [least, most] => format!("{least} to {most} months"),
            },
        }
    }

    /// "never paid back", "paid back in 4.2 months", "paid back after 500 runs".
    #[must_use]
    pub fn in_words(self) -> String {
        self.paid_back(&self.time())
    }

    /// "paid back in 4.2 months or 5 months": of several options in their order.
    fn in_words_of(paybacks: &[Self]) -> String {
        let of_all = |words: fn(Self) -> String| one_or_other(&paybacks.iter().copied().map(words).collect::<Vec<_>>());
        match paybacks {
            [first, others @ ..] if others.iter().all(|other| discriminant(other) == discriminant(first)) => {
                first.paid_back(&of_all(Self::time))
            }
            _ => of_all(Self::in_words),
        }
    }

    fn paid_back(self, time: &str) -> String {
        match self {
            Self::Never => format!("{time} paid back"),
            Self::Runs(_) => format!("paid back after {time}"),
            Self::Months(_) => format!("paid back in {time}"),
        }
    }
}

impl Decision {
    /// What the recommended options are expected to save, or what they cost or take more ([`Self::noun_of_saving`]): "$18.6 a month",
    /// "$0.00218 per run or $0.00210 per run", where time decides "2.3 s per run"; `None` without a recommendation.
    #[must_use]
    pub fn saving_in_words(&self) -> Option<String> {
        let options = self.recommended_options();
        let savings = options.iter().map(|option| self.saving_of(option, is_extra(&options)));
        let savings = savings.collect::<Option<Vec<String>>>()?;
        (!savings.is_empty()).then(|| one_or_other(&savings))
    }

    /// The same of one option; `is_extra`: what it costs or takes more.
    pub(crate) fn saving_of(&self, option: &DecisionOption, is_extra: bool) -> Option<String> {
        if self.is_by_time() {
            let saving = option.saving?;
            return Some(format!("{} per run", seconds(if is_extra { -saving } else { saving })));
        }
        if let Some(month) = self.monthly_amounts(option, is_extra) {
            return Some(format!("{} a month", between(month.map(monthly_dollars))));
        }
        Some(format!("{} per run", self.amount_per_run(option, is_extra)?))
    }

    /// The mean saving of a month, or what an option costs more; least and most over the range of the runs.
    #[must_use]
    pub fn monthly_amounts(&self, option: &DecisionOption, is_extra: bool) -> Option<[f64; 2]> {
        let [least, most] = self.monthly_saving(option)?.expected;
        Some(if is_extra { [-most, -least] } else { [least, most] })
    }

    /// [`Self::mean_saving`], or what an option costs more.
    #[must_use]
    pub fn amount_per_run(&self, option: &DecisionOption, is_extra: bool) -> Option<String> {
        let saving = self.mean_saving(option)?;
        Some(if is_extra { saving.trim_start_matches('−').to_owned() } else { saving })
    }

    /// " Without a trial, move to RAPIDS, 8 × g6.2xlarge: 91 % likely to be cheaper and not slower, expected saving $0.0516 per run."; empty
    /// unless the best option needs a trial and another one does not.
    pub(crate) fn move_without_trial(&self) -> String {
        let Some(option) = self.without_trial().map(|place| &self.options[place]) else { return String::new() };
        let saving = self.saving_or_extra(&[option]).map(|(what, amount)| format!(", expected {what} {amount}"));
        let saving = saving.unwrap_or_default();
        format!(
            " Without a trial, move to {}: {} likely to be {}{saving}.",
            self.in_sentence(&option.candidate).0,
            likely(option.better.unwrap_or(0.0)),
            self.wanted(),
        )
    }

    /// " Expected saving: $3.06 a month at 3,000 runs (…), $36.7 a year.", " Expected extra cost: $0.0079 per run (…)."; empty without prices.
    pub(crate) fn saving_sentence(&self, options: &[&DecisionOption]) -> String {
        let saving = self.saving_or_extra(options);
        saving.map(|(what, amount)| format!(" Expected {what}: {amount}.")).unwrap_or_default()
    }

    /// "saving" or, if every option costs more or takes longer than today, "extra cost" or "extra time"; and how much.
    fn saving_or_extra(&self, options: &[&DecisionOption]) -> Option<(&'static str, String)> {
        Some((self.noun_of_saving(options), self.expected_saving(options, is_extra(options))?))
    }

    /// What is expected of these options: a "saving" or, if every one of them costs more or takes longer than today, an "extra cost" or
    /// "extra time", whose amounts are positive.
    #[must_use]
    pub fn noun_of_saving(&self, options: &[&DecisionOption]) -> &'static str {
        match (is_extra(options), self.is_by_time()) {
            (false, _) => "saving",
            (true, false) => "extra cost",
            (true, true) => "extra time",
        }
    }

    /// "$3.06 a month at 3,000 runs ($0.9 … $4.4, 90 % interval), $36.7 a year"; a range of runs gives a range of savings. Of several
    /// options in their order "$0.0006 per run (−$0.0004 … $0.0013, 90 % interval) or $0.0005 (−$0.0011 … $0.0015)". Where time
    /// decides, "2.3 s per run (−3.5 s … 5.6 s, 90 % interval)". The interval has the errors of the times; that of an assumed price is unknown.
    /// `is_extra`: the amounts are those that an option costs more than today.
    fn expected_saving(&self, options: &[&DecisionOption], is_extra: bool) -> Option<String> {
        let savings = options.iter().map(|option| self.saving_parts(option, is_extra));
        let savings: Vec<Vec<Part>> = savings.collect::<Option<_>>()?;
        // A saving of a month ends with that of a year.
        let is_of_month = self.objective.runs().is_some() && !self.is_by_time();
        let separator = if is_of_month { "; or " } else { " or " };
        Some(each(&savings).join(separator))
    }

    fn saving_parts(&self, option: &DecisionOption, is_extra: bool) -> Option<Vec<Part>> {
        let turned = |[low, high]: [f64; 2]| if is_extra { [-high, -low] } else { [low, high] };
        if self.is_by_time() {
            let saving = if is_extra { -option.saving? } else { option.saving? };
            let mut parts = vec![Part::Own(seconds(saving)), Part::Clause(" per run".to_owned())];
            parts.extend(interval(option.saving_interval.map(|ends| turned(ends).map(seconds)), ""));
            return Some(parts);
        }
        let saving = self.amount_per_run(option, is_extra)?;
        let holds = if self.assumed_price(option).is_some() { " at the assumed price" } else { "" };
        let in_parentheses = |ends: Option<[f64; 2]>| interval(ends.map(|ends| turned(ends).map(dollars)), holds);
        let month = self.monthly_saving(option).zip(self.objective.runs());
        let Some((MonthlySaving { expected, interval: of_month }, runs)) = month else {
            let mut parts = vec![Part::Own(saving), Part::Clause(" per run".to_owned())];
            parts.extend(in_parentheses(option.saving_interval));
            return Some(parts);
        };
        let expected = turned(expected);
        let a_month = format!("{} a month", between(expected.map(monthly_dollars)));
        let mut parts = vec![Part::Own(a_month), Part::Clause(format!(" at {}", words::runs(runs)))];
        parts.extend(in_parentheses(of_month));
        let a_year = between(expected.map(|usd| monthly_dollars(usd * MONTHS_PER_YEAR)));
        parts.push(Part::Own(format!(", {a_year} a year")));
        Some(parts)
    }

    /// " An effort of $5,000 is paid back in 4.2 months."; of several options in their order " in 4.2 months or 5 months". If it is not
    /// known, " The effort of the move is not counted: the saving pays back at most $180 within 36 months, 1.8 hours of work at $100 an hour
    /// (assumed).", so that a saving too small to matter looks like one. If every option costs more than today, " The effort of $1,440 comes
    /// on top: the option costs more than today, so nothing pays it back." Empty where time decides, and without an effort unless every option
    /// saves.
    pub(crate) fn effort(&self, options: &[&DecisionOption]) -> String {
        if self.is_by_time() {
            return String::new();
        }
        let paybacks: Option<Vec<Payback>> = options.iter().map(|option| self.payback(option)).collect();
        if let (Some(paybacks), Some(effort)) = (paybacks, self.objective.effort_usd) {
            let effort = Unit::Count.format(effort);
            if is_extra(options) {
                let cost = if options.len() == 1 { "option costs" } else { "options cost" };
                return format!(
                    " The effort of ${effort} comes on top: the {cost} more than today, so nothing pays it back."
                );
            }
            return format!(" An effort of ${effort} is {}.", Payback::in_words_of(&paybacks));
        }
        let saves = options.iter().all(|option| option.saving.is_some_and(|saving| saving > 0.0));
        if !saves {
            return String::new();
        }
        format!(" The effort of the move is not counted: {}.", self.worth_in_work(options))
    }

    /// What the saving is worth in hours of work: "the saving pays back at most $180 within 36 months, 1.8 hours of work at $100 an hour
    /// (assumed)", "… at most $43.9 within 36 months, less than one hour of work at $100 an hour (assumed). Move only if the effort is smaller".
    /// Without runs per month "one hour of work at $100 an hour (assumed) is paid back after 10,000 runs".
    fn worth_in_work(&self, options: &[&DecisionOption]) -> String {
        let at_rate = format!("of work at {} an hour (assumed)", known_dollars(ASSUMED_HOURLY_RATE_USD));
        let most = options.iter().map(|option| self.largest_effort(option));
        let Some(most) = most.collect::<Option<Vec<f64>>>() else {
            let after_runs = |option: &&DecisionOption| match option.saving {
                Some(saving) if saving > 0.0 => Payback::Runs((ASSUMED_HOURLY_RATE_USD / saving).ceil()),
                _ => Payback::Never,
            };
            let paid_back = Payback::in_words_of(&options.iter().map(after_runs).collect::<Vec<Payback>>());
            return format!("one hour {at_rate} is {paid_back}");
        };
        let is_worth_an_hour = most.iter().any(|usd| rounded_down(*usd) >= ASSUMED_HOURLY_RATE_USD);
        let in_words =
            |words: fn(f64) -> String| one_or_other(&most.iter().copied().map(words).collect::<Vec<String>>());
        let work = if is_worth_an_hour {
            let hours = in_words(|usd: f64| Unit::Ratio.format(rounded_down(usd) / ASSUMED_HOURLY_RATE_USD));
            format!("{} {at_rate}", plural(&hours, "hour"))
        } else {
            format!("less than one hour {at_rate}. Move only if the effort is smaller")
        };
        format!("the saving {}, {work}", pays_back_at_most(&in_words(largest_dollars)))
    }

    /// "The saving with Gluten (Velox), same machines pays back at most $10.5 within 36 months.": of the option that the effort keeps from being
    /// recommended; empty if the effort does not keep today's engine.
    pub(crate) fn effort_that_is_paid_back(&self) -> String {
        let option = self.rejected_by_effort().map(|place| &self.options[place]);
        let most = option.and_then(|option| Some((option, self.largest_effort(option)?)));
        let Some((option, usd)) = most else { return String::new() };
        let title = self.in_sentence(&option.candidate).0;
        format!("The saving with {title} {}.", pays_back_at_most(&largest_dollars(usd)))
    }
}
