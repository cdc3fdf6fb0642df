//! The decision in sentences.

use crossover_quantity::unit::{Unit, chance, predicted};
use jiff::civil::Date;

use crate::candidate::Candidate;
use crate::decision::{Cost, Decision, DecisionOption, NearTie};
use crate::objective::Goal;
use crate::price::PriceBasis;
use crate::time::PredictedTime;
use crate::verdict::{MOVE_FROM, Verdict};

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
        let predicted = option.candidate.time.as_ref().map(time).unwrap_or_default();
        let better = option.better.map(likely).unwrap_or_default();
        let mut text = format!(
            "{what} {}: {predicted} instead of {}; {}{better} likely to be {}",
            self.in_sentence(&option.candidate),
            self.today(),
            // A measured time has none.
            if option.candidate.deviation_of_ratio > Some(0.0) {
                "by the measured errors of predictions, "
            } else {
                ""
            },
            self.wanted()
        );
        let usd = option.usd.zip(self.today_usd());
        if let Some((then, now)) = usd {
            text += &format!("; {} instead of {} per run", dollars(then.value), dollars(now.value));
        }
        if usd.is_some() && self.is_price_assumed() {
            text += ", at an assumed price of today’s machines";
        }
        text.push('.');
        text += &self.expected_saving(option);
        text += &self.about_the_same(option);
        text
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

    /// " Expected saving: $3.1 a month at 3,000 runs ($0.9 … $4.4, 90 % interval)."; empty where time decides.
    fn expected_saving(&self, option: &DecisionOption) -> String {
        let Some(saving) = option.saving.filter(|_| !self.is_by_time()) else { return String::new() };
        let (factor, of) = match self.objective.runs_per_month {
            Some(runs) => (runs, format!("a month at {} runs", Unit::Count.format(runs))),
            None => (1.0, "per run".to_owned()),
        };
        let interval = option.saving_interval.map(|ends| ends.map(|end| end * factor));
        let interval = interval.map(|[low, high]| format!(" ({} … {}, 90 % interval)", dollars(low), dollars(high)));
        format!(" Expected saving: {} {of}{}.", dollars(saving * factor), interval.unwrap_or_default())
    }

    /// Whether the price of today's machines is taken from other ones.
    fn is_price_assumed(&self) -> bool {
        self.baseline.price.as_ref().is_some_and(|price| price.basis == PriceBasis::Assumed)
    }

    /// An option as it is named in a sentence. One that runs on another version of the host engine than today's names that as the
    /// version of the measurement: "Gluten (Velox), same machines (measured with Spark 3.5.3)".
    fn in_sentence(&self, candidate: &Candidate) -> String {
        let Candidate { title, engine, .. } = candidate;
        let parts = engine.split_once(" on ").zip(title.strip_prefix(engine.as_str()));
        match parts {
            Some(((name, host), machines)) if !self.baseline.title.starts_with(host) => {
                format!("{name}{machines} (measured with {host})")
            }
            _ => title.clone(),
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
                self.in_sentence(&option.candidate),
                likely(option.better.unwrap_or(0.0))
            );
            if self.is_price_assumed() && !self.is_by_time() {
                text += ", at an assumed price of today’s machines";
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
                self.in_sentence(&option.candidate),
                option.cheaper.map(chance).unwrap_or_default(),
                Unit::Factor.format(limit)
            );
        }
        text
    }

    /// Why no option can keep the time limit, if the part of the time that no option changes is longer than it: "14 s outside
    /// of the queries stay with every option, and the limit is 0.57 s".
    fn impossible_limit(&self) -> Option<String> {
        if self.objective.goal != Goal::Cost {
            return None;
        }
        let limit = self.objective.time_limit * self.baseline.time.value();
        let judged = self.options.iter().filter(|option| option.better.is_some());
        let known = judged.filter_map(|option| option.candidate.time).map(|time| time.known_seconds);
        let known = known.min_by(f64::total_cmp).filter(|known| *known >= limit && *known > 0.0)?;
        Some(format!(
            "{} outside of the queries stay with every option, and the limit is {}",
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
