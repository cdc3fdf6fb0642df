//! The decision in sentences.

use crossover_quantity::unit::{Unit, chance, predicted};
use jiff::civil::Date;

use crate::decision::{Cost, Decision, DecisionOption};
use crate::objective::Goal;
use crate::price::date_of;
use crate::time::PredictedTime;
use crate::verdict::Verdict;

/// Prices whose dates are further apart are named.
const DATES_APART_DAYS: i32 = 92;

/// "4.1 s".
#[must_use]
pub fn seconds(value: f64) -> String {
    Unit::Seconds.format(predicted(value))
}

/// "$0.0044"; a loss is "−$0.0044".
#[must_use]
pub fn dollars(value: f64) -> String {
    let value = predicted(value);
    let sign = if value < 0.0 { "−" } else { "" };
    let amount = value.abs();
    if amount >= 100.0 {
        format!("{sign}${}", Unit::Count.format(amount.round()))
    } else {
        format!("{sign}${}", Unit::Ratio.format(amount))
    }
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

/// "$0.0044 ($0.0017 … $0.011)".
#[must_use]
pub fn cost(cost: &Cost) -> String {
    let value = dollars(cost.value);
    match cost.interval {
        Some([low, high]) => format!("{value} ({} … {})", dollars(low), dollars(high)),
        None => value,
    }
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

    /// "25.3 s measured".
    fn today(&self) -> String {
        let time = &self.baseline.time;
        if self.baseline.is_measured {
            format!("{} measured", Unit::Seconds.format(time.value()))
        } else {
            format!("{} predicted", seconds(time.value()))
        }
    }

    fn go(&self, verdict: Verdict, option: &DecisionOption) -> String {
        let what = match verdict {
            Verdict::Move => "Move to",
            _ => "Try",
        };
        let predicted = option.candidate.time.as_ref().map(time).unwrap_or_default();
        let better = option.better.map(chance).unwrap_or_default();
        let mut text = format!(
            "{what} {}: {predicted} instead of {}; {better} likely to be {}",
            option.candidate.title,
            self.today(),
            self.wanted()
        );
        if let Some((then, now)) = option.usd.zip(self.today_usd()) {
            text += &format!("; {} instead of {} per run", dollars(then.value), dollars(now.value));
        }
        text.push('.');
        if let Some(saving) = self.saving_per_month() {
            let runs = Unit::Count.format(self.objective.runs_per_month.unwrap_or(0.0));
            text += &format!(" Expected saving: {} a month at {runs} runs.", dollars(saving));
        }
        text
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
        let judged = options.filter(|(_, option)| option.candidate.blocked_by.is_none() && option.better.is_some());
        let better = |option: &DecisionOption| option.better.unwrap_or(0.0);
        judged.max_by(|(_, a), (_, b)| better(a).total_cmp(&better(b))).map(|(place, _)| place)
    }

    fn stay(&self) -> String {
        let mut text = format!("Stay with {} ({})", self.baseline.title, self.today());
        if let Some(option) = self.likeliest() {
            text += &format!(
                ". The option most likely to be {} is {}: {}",
                self.wanted(),
                option.candidate.title,
                chance(option.better.unwrap_or(0.0))
            );
        }
        text.push('.');
        if let Some((limit, place)) = self.limit_of_a_move() {
            let option = &self.options[place];
            text += &format!(
                " {} is {} likely to be cheaper; a time limit of {} today’s time would make it the recommendation.",
                option.candidate.title,
                option.cheaper.map(chance).unwrap_or_default(),
                Unit::Factor.format(limit)
            );
        }
        text
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
        let options = options.map(|candidate| (candidate.title.as_str(), candidate.price_source.as_str()));
        let today = (self.baseline.title.as_str(), self.baseline.price_source.as_str());
        let dated = std::iter::once(today).chain(options).filter_map(|(title, source)| Some((date_of(source)?, title)));
        let mut dated: Vec<(Date, &str)> = dated.collect();
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
