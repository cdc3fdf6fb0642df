//! The decision in sentences.

use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, chance, predicted};
use jiff::civil::Date;

use crate::alternatives::{Part, each, interval};
use crate::candidate::Candidate;
use crate::decision::{Cost, Decision, DecisionOption};
pub use crate::money::{dollars, known_dollars, monthly_dollars, price_dollars, price_limit, price_limit_of_several};
use crate::objective::{Goal, Objective};
use crate::time::PredictedTime;
use crate::time_digits::TimeDigits;
use crate::time_limit::TimeLimit;
use crate::verdict::{MOVE_FROM, Verdict};

/// Prices whose dates are further apart are named.
const DATES_APART_DAYS: i32 = 92;
/// An option that is less likely than this to meet the goal is not named as the likeliest: which one it is would be arbitrary.
const IMPOSSIBLE: f64 = 1e-4;

/// "4.1 s": a predicted time that nothing is compared with; else [`Decision::predicted_seconds`].
#[must_use]
pub fn seconds(value: f64) -> String {
    Unit::Seconds.format(predicted(value))
}

/// "4.1 s (1.6 s … 11 s, 90 % interval)": one that nothing is compared with; else [`Decision::predicted_time`].
#[must_use]
pub fn time(time: &PredictedTime) -> String {
    time_parts(time, seconds).iter().map(Part::text).collect()
}

fn time_parts(time: &PredictedTime, text: impl Fn(f64) -> String) -> Vec<Part> {
    let mut parts = vec![Part::Own(text(time.value()))];
    parts.extend(interval(time.interval().map(|ends| ends.map(&text)), ""));
    parts
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

/// The fewest and the most runs of a month: "1 run", "720 runs", "600 to 720 runs".
#[must_use]
pub fn runs([fewest, most]: [f64; 2]) -> String {
    let (from, to) = (Unit::Count.format(fewest), counted(most, "run"));
    if Unit::Count.format(most) == from { to } else { format!("{from} to {to}") }
}

/// " The move needs a change of version: Gluten 1.4 does not support Spark 3.1.1; …."; of several options a sentence for each engine.
/// Empty if the engines support today's version, or that is not known.
pub(crate) fn unsupported(options: &[&DecisionOption]) -> String {
    let mut sentences: Vec<&str> = Vec::new();
    for support in options.iter().filter_map(|option| option.candidate.evidence.support.as_ref()) {
        let sentence = support.sentence.as_str();
        if support.is_supported == Some(false) && !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    if sentences.is_empty() {
        return String::new();
    }
    format!(" The move needs a change of version: {}.", sentences.join(". "))
}

/// "Move to", "Try".
pub(crate) fn go_to(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Move => "Move to",
        _ => "Try",
    }
}

/// "4.2 s or 5 s", "4.2 s, 5 s or 5 s": in the order of what they are of; what all have is written once.
#[must_use]
pub fn one_or_other(texts: &[String]) -> String {
    match texts {
        [first, others @ ..] if others.iter().all(|other| other == first) => first.clone(),
        _ => joined(&texts.iter().map(String::as_str).collect::<Vec<&str>>(), " or "),
    }
}

/// Texts with a conjunction such as " or " before the last one: "a, b or c"; where a text has commas, "a, 1; b, 2; or c, 3".
pub(crate) fn joined(texts: &[&str], conjunction: &str) -> String {
    let Some((last, others)) = texts.split_last() else { return String::new() };
    if others.is_empty() {
        return (*last).to_owned();
    }
    let has_commas = texts.iter().any(|text| text.contains(','));
    let separator = if has_commas { "; " } else { ", " };
    let before_last = if has_commas && others.len() > 1 { ";" } else { "" };
    format!("{}{before_last}{conjunction}{last}", others.join(separator))
}

/// Titles of options with a conjunction such as " or "; if all run on today's machines, these are named once: "Gluten or Comet, both on the
/// same machines". What all have is written once.
#[must_use]
pub fn joined_titles(titles: &[&str], conjunction: &str) -> String {
    if let [first, others @ ..] = titles
        && others.iter().all(|other| other == first)
    {
        return (*first).to_owned();
    }
    let engines: Option<Vec<&str>> = titles.iter().map(|title| title.strip_suffix(", same machines")).collect();
    let all = if titles.len() == 2 { "both" } else { "all" };
    match engines {
        Some(engines) if engines.len() > 1 => format!("{}, {all} on the same machines", joined(&engines, conjunction)),
        _ => joined(titles, conjunction),
    }
}

impl Decision {
    /// With how many digits predicted times are written.
    #[must_use]
    pub fn time_digits(&self) -> TimeDigits {
        TimeDigits::new(&self.baseline, &self.objective)
    }

    /// A predicted time, "4.1 s", or with the digits that tell it from today's time and from the limit: "19.8 s".
    #[must_use]
    pub fn predicted_seconds(&self, seconds: f64) -> String {
        self.time_digits().text(seconds)
    }

    /// The same with its interval: "19.8 s (19 s … 22 s, 90 % interval)".
    #[must_use]
    pub fn predicted_time(&self, time: &PredictedTime) -> String {
        self.parts_of_time(time).iter().map(Part::text).collect()
    }

    fn parts_of_time(&self, time: &PredictedTime) -> Vec<Part> {
        let digits = self.time_digits();
        time_parts(time, |seconds| digits.text(seconds))
    }

    /// The decision in sentences: what to do, in which time, how likely that is better, and what it saves.
    #[must_use]
    pub fn sentence(&self) -> String {
        let [recommendation, details] = self.recommendation_and_details();
        if details.is_empty() { recommendation } else { format!("{recommendation} {details}") }
    }

    /// The same in two parts: what to do, in which time, and how likely that is better; and what it costs and saves. Without a
    /// recommended option, the second part has the largest effort that is paid back, if the entered effort is above it, and what depends on an
    /// assumed price; else it is empty.
    #[must_use]
    pub fn recommendation_and_details(&self) -> [String; 2] {
        let [recommendation, details] = self.recommended_in_words();
        let named = self.named_without_data();
        // The user asked about these, whatever else is recommended.
        let parts = [named, details].into_iter().filter(|part| !part.is_empty());
        [recommendation, parts.collect::<Vec<String>>().join(" ")]
    }

    /// The same without what has no data.
    fn recommended_in_words(&self) -> [String; 2] {
        match (self.verdict, self.best_option()) {
            (Verdict::CannotJudge, _) => {
                let reason = self.reasons_not_judged().into_iter().next().unwrap_or_default();
                [format!("Cannot be judged: {reason}."), String::new()]
            }
            (Verdict::Stay, _) => {
                let [recommendation, details] = self.front_in_words().unwrap_or_else(|| [self.stay(), String::new()]);
                let rejected = self.rejected_by_effort().map(|place| self.over_assumed_price(&[&self.options[place]]));
                let price = rejected.map(|text| text.trim_start().to_owned()).unwrap_or_default();
                let parts = [details, self.effort_that_is_paid_back(), price];
                let parts = parts.into_iter().filter(|part| !part.is_empty());
                [recommendation, parts.collect::<Vec<String>>().join(" ")]
            }
            (_, None) => self.front_in_words().unwrap_or_else(|| [self.stay(), String::new()]),
            (verdict, Some(option)) if self.near_ties.is_empty() => self.go(verdict, option),
            (_, Some(option)) => self.choose(option),
        }
    }

    /// "25.3 s measured"; of several runs "47 s measured, median of 7 runs from 41 s to 58 s".
    pub(crate) fn today(&self) -> String {
        let time = &self.baseline.time;
        if self.baseline.is_measured {
            format!("{} measured{}", Unit::Seconds.format(time.value()), self.baseline.of_runs())
        } else {
            format!("{} predicted", seconds(time.value()))
        }
    }

    fn go(&self, verdict: Verdict, option: &DecisionOption) -> [String; 2] {
        let better = self.likelihoods().unwrap_or_default();
        // A measured time has no error.
        let is_predicted = option.candidate.deviation_of_ratio > Some(0.0);
        let recommendation = format!(
            "{} {}: {} instead of {}. {} {better} likely to be {}{}.",
            go_to(verdict),
            self.in_sentence(&option.candidate).0,
            self.times_in_sentence(&[option]),
            self.today(),
            if is_predicted { "By the measured errors of predictions, it is" } else { "It is" },
            self.wanted(),
            self.depends_on_price(option)
        );
        // A condition of the move stands before what the move saves.
        let mut text = unsupported(&[option]);
        if let Some([now, costs]) = self.mean_costs() {
            let what = if is_predicted { "On average a run" } else { "A run" };
            text += &format!(" {what} costs {costs} instead of {now}{}.", self.at_assumed_price(option));
        }
        text += &self.saving_sentence(&[option]);
        text += &self.why_limit_decides(&[option]);
        text += &self.over_assumed_price(&[option]);
        text += &self.effort(&[option]);
        // Another option: what is above is about the recommended ones.
        text += &self.move_without_trial();
        [recommendation, text.trim_start().to_owned()]
    }

    /// "predicted 28 s (22 s … 45 s, 90 % interval; fitted on Spark 3.5.3)", "measured 28 s"; of several options "predicted 28 s (22 s …
    /// 45 s, 90 % interval) or 27 s (20 s … 50 s)".
    pub(crate) fn times_in_sentence(&self, options: &[&DecisionOption]) -> String {
        let times: Vec<Vec<Part>> =
            options.iter().filter_map(|option| self.time_in_sentence(&option.candidate)).collect();
        let texts = each(&times);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        joined(&texts, " or ")
    }

    fn time_in_sentence(&self, candidate: &Candidate) -> Option<Vec<Part>> {
        let time = candidate.time.as_ref()?;
        let is_measured = time.deviation == Some(0.0);
        let kind = if is_measured { "measured " } else { "predicted " };
        let mut parts = vec![Part::Clause(kind.to_owned())];
        parts.extend(self.parts_of_time(time));
        if let Some(host) = self.in_sentence(candidate).1.filter(|_| !is_measured) {
            let fitted = format!("fitted on {host})");
            match parts.last_mut() {
                Some(Part::Own(end)) if end.as_str() == ")" => *end = format!("; {fitted}"),
                _ => parts.push(Part::Own(format!(" ({fitted}"))),
            }
        }
        Some(parts)
    }

    /// Whether the likelihood of an option depends on prices: not where both run on machines of one type, whose price is the same.
    pub(crate) fn depends_on_price(&self, option: &DecisionOption) -> &'static str {
        if self.is_by_time() || self.is_limit_broken_today() || option.cheaper.is_none() {
            ""
        } else if option.candidate.is_on_same_machines {
            ", whatever today’s machines cost"
        } else {
            " at the prices used"
        }
    }

    /// An option as it is named in a sentence, and the host engine that it was measured on if that is another version than
    /// today's: "Gluten (Velox), same machines" and "Spark 3.5.3".
    pub(crate) fn in_sentence<'a>(&self, candidate: &'a Candidate) -> (String, Option<&'a str>) {
        match candidate.title_and_host() {
            Some((title, host)) if !self.baseline.title.starts_with(host) => (title, Some(host)),
            _ => (candidate.title.clone(), None),
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
        self.likeliest_of(|option| option.candidate.blocked_by.is_none())
    }

    /// Index of the option that is named where today's engine stays: the one that only the effort of the move rejects, or else the one that is
    /// most likely to meet the goal.
    pub(crate) fn named_beside_today(&self) -> Option<usize> {
        self.rejected_by_effort().or_else(|| self.likeliest_place())
    }

    /// Index of the one of these options that is most likely to meet the goal.
    pub(crate) fn likeliest_of(&self, is_wanted: impl Fn(&DecisionOption) -> bool) -> Option<usize> {
        let options = self.options.iter().enumerate();
        let better = |option: &DecisionOption| option.better.unwrap_or(0.0);
        let wanted = options.filter(|(_, option)| is_wanted(option) && better(option) > IMPOSSIBLE);
        wanted.max_by(|(_, a), (_, b)| better(a).total_cmp(&better(b))).map(|(place, _)| place)
    }

    fn stay(&self) -> String {
        let mut text = format!("Stay with {} ({})", self.baseline.title, self.today());
        if let Some(place) = self.named_beside_today() {
            let option = &self.options[place];
            let (title, wanted) = (self.in_sentence(&option.candidate).0, self.wanted());
            let better = likely(option.better.unwrap_or(0.0));
            text += &if self.is_kept_by_effort() {
                format!(
                    ". Without the effort of the move, {title} would be recommended: {better} likely to be {wanted}"
                )
            } else {
                format!(". The option most likely to be {wanted} is {title}: {better}")
            };
            let is_by_price = !self.is_by_time() && !self.is_limit_broken_today();
            if self.is_price_assumed() && is_by_price && !option.candidate.is_on_same_machines {
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
        text += &self.broken_limit().map(|broken| format!(" {broken}.")).unwrap_or_default();
        if let Some((limit, place)) = self.limit_of_a_move() {
            let option = &self.options[place];
            let (title, within) = (self.in_sentence(&option.candidate).0, self.limit_in_words(limit));
            let cheaper = option.cheaper.map(chance).unwrap_or_default();
            text += &if limit.factor(self.baseline.time.value()) < 1.0 {
                format!(" With a time limit of {within}, the recommendation would be to move to {title}.")
            } else {
                format!(
                    " {title} is {cheaper} likely to be cheaper; a time limit of {within} would make it the recommendation."
                )
            };
        }
        text
    }

    /// " Today’s run takes 20 s, longer than the limit of 10 s: of the options that are likely to meet it, this one costs least."; empty if
    /// today's run keeps the limit.
    pub(crate) fn why_limit_decides(&self, recommended: &[&DecisionOption]) -> String {
        let Some(broken) = self.broken_limit() else { return String::new() };
        let these = match (recommended, self.is_by_time()) {
            ([_], true) => "this one is fastest",
            ([_], false) => "this one costs least",
            (_, true) => "these are fastest",
            (_, false) => "these cost least",
        };
        format!(" {broken}: of the options that are likely to meet it, {these}.")
    }

    /// "Today’s run takes 43.66 s, longer than the limit of 10 s", "Today’s run costs $0.00272, more than the budget of $0.001"; `None` if
    /// today's run keeps the limit of the goal.
    fn broken_limit(&self) -> Option<String> {
        if !self.is_limit_broken_today() {
            return None;
        }
        Some(match (self.objective.budget_usd, self.spending_today()) {
            (Some(budget), Some(today)) if self.objective.goal == Goal::Time => {
                let [today, budget] = [today.usd_per_run, budget].map(known_dollars);
                format!("Today’s run costs {today}, more than the budget of {budget}")
            }
            _ => {
                let [today, limit] =
                    [self.baseline.time.value(), self.limit_seconds()].map(|at| Unit::Seconds.format(at));
                format!("Today’s run takes {today}, longer than the limit of {limit}")
            }
        })
    }

    /// The time limit, seconds.
    pub(crate) fn limit_seconds(&self) -> f64 {
        self.objective.time_limit.seconds(self.baseline.time.value())
    }

    /// Why no option can keep the time limit, if the part of the time that no option changes is longer than it: "14 s outside
    /// of the queries remain with every option, and the limit is 0.57 s".
    fn impossible_limit(&self) -> Option<String> {
        if self.objective.goal != Goal::Cost {
            return None;
        }
        let limit = self.limit_seconds();
        let [known, limit] =
            [self.known_seconds().filter(|known| *known >= limit)?, limit].map(|at| Unit::Seconds.format(at));
        Some(format!("{known} outside of the queries remain with every option, and the limit is {limit}"))
    }

    /// The part of the time that no option changes, seconds; `None` if there is none.
    pub(crate) fn known_seconds(&self) -> Option<f64> {
        let judged = self.options.iter().filter(|option| option.better.is_some());
        let known = judged.filter_map(|option| option.candidate.time).map(|time| time.known_seconds);
        known.min_by(f64::total_cmp).filter(|known| *known > 0.0)
    }

    /// A time limit in the form in which it was entered; a time has its factor beside it.
    #[must_use]
    pub fn limit_in_words(&self, limit: TimeLimit) -> String {
        match limit {
            TimeLimit::Factor(_) => limit.in_words(),
            TimeLimit::Seconds(_) => limit.in_both_forms(self.baseline.time.value()),
        }
    }

    /// What an option has to be: "cheaper and not slower", "cheaper within 1.5× today’s time (30 s)", and where today's run breaks the limit
    /// "done within 0.5× today’s time (10 s)". A limit that was entered as a time is first: "done within 20 s (0.46× today’s time)".
    #[must_use]
    pub fn wanted(&self) -> String {
        let Objective { goal, time_limit, budget_usd, .. } = self.objective;
        let today = self.baseline.time.value();
        let limit = || time_limit.in_both_forms(today);
        match goal {
            // Without a budget and a price today, no cost is a limit.
            Goal::Time if budget_usd.is_none() && self.baseline.price.is_none() => "faster".to_owned(),
            Goal::Time => match budget_usd.filter(|_| self.is_limit_broken_today()) {
                Some(usd) => format!("within the budget of {} per run", known_dollars(usd)),
                None => self.objective.wanted(),
            },
            Goal::Cost if self.is_limit_broken_today() => format!("done within {}", limit()),
            _ if self.lacks_price => "faster".to_owned(),
            Goal::Cost if !time_limit.is_today(today) => format!("cheaper within {}", limit()),
            Goal::Cost | Goal::ParetoFront => "cheaper and not slower".to_owned(),
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

    /// Why no option can be judged: each reason once, in the order of the options, as the end of a sentence; empty if one can be.
    #[must_use]
    pub fn reasons_not_judged(&self) -> Vec<String> {
        if self.verdict != Verdict::CannotJudge {
            return Vec::new();
        }
        let mut reasons: Vec<String> = Vec::new();
        // Options without a time were never measured; the reasons are those of the others.
        let measured = self.options.iter().filter(|option| option.candidate.time.is_some());
        for reason in measured.filter_map(|option| option.candidate.blocked_by.as_ref()) {
            if !reasons.contains(reason) {
                reasons.push(reason.clone());
            }
        }
        if reasons.is_empty() {
            let without_options = self.options.is_empty();
            let reason = if without_options { "no option to compare with" } else { "no measured error for any option" };
            reasons.push(reason.to_owned());
        }
        reasons
    }
}
