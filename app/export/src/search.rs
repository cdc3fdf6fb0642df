//! The result of a search, as text.

use std::fmt::Write as _;

use crossover_quantity::text::csv::Records;
use crossover_quantity::text::{Align, Column, Table, escaped, one_line};
use crossover_quantity::unit::Unit;
use crossover_scenario::Scenario;
use crossover_tools::search::likelihood::{CandidateLikelihood, LISTED, Likelihoods};
use crossover_tools::search::{Bound, Domain, Found, Neighbour, Why};
use crossover_tools::selected::SelectedFigure;
use crossover_tools::uncertainty::Sampled;
use crossover_tools::{Search, Searched};
use serde::Serialize;

use super::candidate::{goal_in_words, setting, value};
use super::described::unit;
use super::likelihood::{cases, likelihood_sentences, range_in_words, rounded};
use super::{Format, json, ron};

/// The result of a search in a format, with its likelihoods where they are known.
#[must_use]
pub fn written(
    scenario: &Scenario,
    search: &Search,
    found: &Searched,
    sure: Option<&Likelihoods>,
    format: Format,
) -> String {
    let sentences = sure.map_or_else(Vec::new, |sure| likelihood_sentences(search, found, sure));
    match format {
        Format::Json => json(&Document::of(scenario, search, found, sure)),
        Format::Ron => ron(&Document::of(scenario, search, found, sure)),
        Format::Csv => csv(found, sure),
        Format::Table => {
            let mut text = format!("{}\n{}\n", one_line(&scenario.name), one_line(&sentence(search, found)));
            for sentence in &sentences {
                _ = writeln!(text, "{}", one_line(sentence));
            }
            _ = write!(text, "\n{}", candidates(search, found, sure).aligned());
            if !found.neighbours.is_empty() {
                _ = write!(text, "\nNeighbours\n{}", beside(search, found, sure).aligned());
            }
            text + "\n" + &tried(found) + "\n"
        }
        Format::Markdown => {
            let mut text = format!("# {}\n\n{}\n\n", escaped(&scenario.name), escaped(&sentence(search, found)));
            for sentence in &sentences {
                _ = writeln!(text, "{}\n", escaped(sentence));
            }
            text += &candidates(search, found, sure).markdown();
            if !found.neighbours.is_empty() {
                _ = write!(text, "\n## Neighbours\n\n{}", beside(search, found, sure).markdown());
            }
            text + "\n" + &tried(found) + "\n"
        }
    }
}

/// The answer: the recommended candidate, or the nearest one.
#[must_use]
pub fn sentence(search: &Search, found: &Searched) -> String {
    let goal = |values: &[Option<f64>]| goal_in_words(search, found, values);
    match (found.recommended(), &found.nearest) {
        (Some(best), _) => {
            let end = if search.goals.first().is_some_and(|goal| goal.is_least) { "least" } else { "most" };
            let all = match (found.is_exhaustive(), search.limits.is_empty()) {
                (true, true) => "of all",
                (true, false) => "that meets every constraint",
                (false, true) => "that was found",
                (false, false) => "found that meets every constraint",
            };
            let now = match found.present.broken.as_slice() {
                [] => format!("now {}", goal(&found.present.values)),
                _ => format!("now {}, and {}", goal(&found.present.values), breaks(search, found, &found.present)),
            };
            let others = match found.of_front {
                0 | 1 => String::new(),
                many => format!(" {} more candidates are on the Pareto front.", Unit::Count.format((many - 1) as f64)),
            };
            format!("{}: {}, the {end} {all}; {now}.{others}", setting(found, best), goal(&best.values))
        }
        (None, Some(nearest)) => {
            format!(
                "No feasible candidate. The nearest is {}: {}.",
                setting(found, nearest),
                breaks(search, found, nearest)
            )
        }
        (None, None) if found.kept > 0 => {
            "No feasible candidate has a value of the objective, so none is recommended.".to_owned()
        }
        (None, None) => "No candidate found.".to_owned(),
    }
}

/// Strong scaling: which total is divided among which number.
#[must_use]
pub fn divided(found: &Searched) -> Option<String> {
    let axis = found.axes.iter().find(|axis| !axis.shares.is_empty())?;
    let paths: Vec<&str> = axis.shares.iter().map(|(path, _)| path.as_str()).collect();
    let listed = match paths.as_slice() {
        [first, _, _, .., last] => format!("{first} … {last}"),
        few => few.join(" and "),
    };
    Some(format!("Strong scaling: the total of {listed} stays as {} changes.", axis.name))
}

/// Warnings about an answer.
#[must_use]
pub fn cautions(found: &Searched) -> Vec<String> {
    let idle = match found.decided {
        Some([0, of]) => Some(format!(
            "none of its {} decisions is yes, so hardware for them, such as GPUs, is idle and only the least of it is bought",
            Unit::Count.format(of as f64)
        )),
        _ => None,
    };
    let ends = found.at_ends().map(|axis| format!("{}: optimum at the bound of its range; widen the range", axis.name));
    let idle_axes = found.idle().map(|axis| {
        format!(
            "{} makes no difference here: neighbouring values have equal objectives and meet every constraint",
            axis.name
        )
    });
    let unpriced = found.unpriced.iter().filter_map(|place| {
        let axis = found.axes.get(*place)?;
        Some(format!("{}: no price of the bill depends on it, so its cost is not counted", axis.name))
    });
    let cut = (found.of_front > found.front.len()).then(|| {
        let [shown, all] = [found.front.len(), found.of_front].map(|count| Unit::Count.format(count as f64));
        format!("of {all} candidates on the Pareto front, the first {shown} by the first objective are kept")
    });
    idle.into_iter().chain(ends).chain(idle_axes).chain(unpriced).chain(cut).collect()
}

/// "time as placed 80 s, at most 60 s is allowed".
fn breaks(search: &Search, found: &Searched, of: &Found) -> String {
    let one = |limit: &usize| limit_in_words(search, found, *limit, |place| of.values.get(place).copied().flatten());
    of.broken.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn limit_in_words(search: &Search, found: &Searched, limit: usize, at: impl Fn(usize) -> Option<f64>) -> String {
    let Some(limit) = search.limits.get(limit) else { return String::new() };
    let Some(place) = found.figures.iter().position(|figure| figure.key == limit.key) else { return String::new() };
    let figure = &found.figures[place];
    let side = match limit.side {
        _ if figure.figure.unit == Unit::Decision => "only",
        Bound::AtMost => "at most",
        Bound::AtLeast => "at least",
    };
    let allowed = figure.figure.unit.format(limit.value);
    format!("{} {}, {side} {allowed} is allowed", figure.label, value(figure, at(place)))
}

/// A row for each candidate of the Pareto front, or the nearest; and the scenario as it is.
#[must_use]
pub fn candidates(search: &Search, found: &Searched, sure: Option<&Likelihoods>) -> Table {
    let mut columns: Vec<Column> = found.axes.iter().map(|axis| headed(&axis.name, Align::Left)).collect();
    columns.extend(found.figures.iter().map(|figure| headed(&figure.label, Align::Right)));
    let says_kept = sure.is_some() && !search.limits.is_empty();
    if says_kept {
        columns.push(headed("likely feasible", Align::Right));
    }
    let row = |of: &Found, settings: Vec<String>, likelihood: Option<&CandidateLikelihood>| {
        let range = |place: usize| likelihood.and_then(|likelihood| likelihood.ranges.get(place).copied().flatten());
        let figures = found.figures.iter().zip(&of.values).enumerate();
        let values = figures
            .map(|(place, (figure, of))| format!("{}{}", value(figure, *of), range_in_words(figure, range(place))));
        let kept = likelihood.map_or_else(String::new, |likelihood| rounded(likelihood.feasible.value));
        settings.into_iter().chain(values).chain(says_kept.then_some(kept)).collect::<Vec<_>>()
    };
    let listed = found.front.iter().chain(&found.nearest).take(LISTED).enumerate();
    let candidate = |(number, of): (usize, &Found)| {
        let settings = found.axes.iter().zip(&of.place).map(|(axis, place)| axis.text(*place)).collect();
        row(of, settings, sure.and_then(|sure| sure.listed.get(number)))
    };
    let mut rows: Vec<Vec<String>> = listed.map(candidate).collect();
    let mut now = vec![String::new(); found.axes.len()];
    if let Some(first) = now.first_mut() {
        "(as it is)".clone_into(first);
    }
    rows.push(row(&found.present, now, sure.map(|sure| &sure.present)));
    Table { columns, rows }
}

/// A column under what something is called.
fn headed(title: &str, align: Align) -> Column {
    Column { title: title.to_owned().into(), align }
}

/// A row for each neighbour of the recommended candidate.
#[must_use]
pub fn beside(search: &Search, found: &Searched, sure: Option<&Likelihoods>) -> Table {
    let row = |(number, neighbour): (usize, &Neighbour)| {
        let axis = &found.axes[neighbour.axis];
        let loses = loses(sure, number, neighbour).map(|share| format!("{} likely", cases(share)));
        let said = [axis.name.clone(), axis.text(neighbour.place), why(search, found, neighbour)];
        said.into_iter().chain(sure.map(|_| loses.unwrap_or_default())).collect()
    };
    let mut columns = ["parameter", "value", "why not"].map(Column::text).to_vec();
    columns.extend(sure.map(|_| Column::text("no better")));
    Table { columns, rows: found.neighbours.iter().enumerate().map(row).collect() }
}

/// How likely a neighbour is no better; `None` where it is invalid or never differs.
fn loses(sure: Option<&Likelihoods>, number: usize, neighbour: &Neighbour) -> Option<Sampled> {
    let share = sure?.beside.get(number).copied().flatten();
    share.filter(|share| share.value.is_finite() && neighbour.why != Why::Same)
}

/// Why a neighbour is not recommended.
fn why(search: &Search, found: &Searched, neighbour: &Neighbour) -> String {
    match &neighbour.why {
        Why::NotAllowed(invalid) => format!("invalid: {}: {}", invalid.path, invalid.problem),
        Why::Breaks { limit, value } => limit_in_words(search, found, *limit, |_| *value),
        Why::Worse { goal, value: there } => {
            let Some(goal) = search.goals.get(*goal) else { return String::new() };
            let Some(place) = found.figures.iter().position(|figure| figure.key == goal.key) else {
                return String::new();
            };
            let figure = &found.figures[place];
            let best = found.recommended().and_then(|best| best.values[place]);
            let change = match (best, there) {
                // A difference that is too small for the digits is not shown.
                (Some(best), Some(there)) if best != 0.0 && (there / best - 1.0).abs() >= 1e-4 => {
                    let sign = if *there > best { "+" } else { "" };
                    format!(" ({sign}{})", Unit::Share.format(there / best - 1.0))
                }
                _ => String::new(),
            };
            format!("{} {}{change}", figure.label, value(figure, *there))
        }
        Why::Same => "equal in every objective".to_owned(),
    }
}

/// How many candidates there were.
fn tried(found: &Searched) -> String {
    let count = |count: usize| Unit::Count.format(count as f64);
    let kept = format!("{} of {} evaluated candidates are feasible", count(found.kept), count(found.tried));
    if found.is_exhaustive() {
        format!("{kept}; the search space has no others.")
    } else {
        let all = Unit::Count.format(found.candidates as f64);
        format!("{kept}; the search space has {all}. Increase --budget to evaluate more.")
    }
}

/// A line for each candidate of the Pareto front.
fn csv(found: &Searched, sure: Option<&Likelihoods>) -> String {
    let mut csv = Records::default();
    let columns = found.axes.iter().map(|axis| axis.name.clone());
    let mut columns: Vec<String> = columns.chain(found.figures.iter().map(|figure| figure.key.clone())).collect();
    if sure.is_some() {
        let ends = |figure: &SelectedFigure| [format!("5 % of {}", figure.key), format!("95 % of {}", figure.key)];
        columns.extend(found.figures.iter().flat_map(ends));
        columns.push("likely feasible".to_owned());
    }
    csv.push(&columns);
    for (number, of) in found.front.iter().enumerate() {
        let settings = found.axes.iter().zip(&of.place).map(|(axis, place)| match &axis.what {
            Domain::Number { values, .. } => values[*place].to_string(),
            Domain::Choice(entries) => entries[*place].name.clone(),
        });
        let values = of.values.iter().map(|value| value.map_or_else(String::new, |value| value.to_string()));
        let mut row: Vec<String> = settings.chain(values).collect();
        if let Some(likelihood) = sure.and_then(|sure| sure.listed.get(number)) {
            let ends =
                |range: &Option<[f64; 2]>| range.map_or_else(Default::default, |ends| ends.map(|end| end.to_string()));
            row.extend(likelihood.ranges.iter().flat_map(ends));
            row.push(likelihood.feasible.value.to_string());
        }
        // The others were not sampled.
        row.resize(columns.len(), String::new());
        csv.push(row);
    }
    csv.into_text()
}

#[derive(Serialize)]
struct Document<'a> {
    study: &'static str,
    scenario: &'a str,
    answer: String,
    candidates: String,
    tried: usize,
    exhaustive: bool,
    kept: usize,
    divided: Option<String>,
    seed: u64,
    figures: Vec<Figure<'a>>,
    front: Vec<Candidate<'a>>,
    nearest: Option<Candidate<'a>>,
    present: Vec<Option<f64>>,
    beside: Vec<Beside<'a>>,
    /// `None`: not sampled, or no number is uncertain.
    sure: Option<HowSure<'a>>,
}

#[derive(Serialize)]
struct HowSure<'a> {
    samples: usize,
    unknown: usize,
    present: OfCases<'a>,
    safe: Option<Safe<'a>>,
}

/// The likelihood of a candidate.
#[derive(Serialize)]
struct OfCases<'a> {
    keeps_every_limit: f64,
    standard_error: f64,
    /// 5 and 95 % of each figure.
    ranges: &'a [Option<[f64; 2]>],
}

#[derive(Serialize)]
struct Safe<'a> {
    share: f64,
    looked: usize,
    is_enough: bool,
    candidate: Option<Candidate<'a>>,
}

impl<'a> OfCases<'a> {
    fn of(likelihood: &'a CandidateLikelihood) -> Self {
        Self {
            keeps_every_limit: likelihood.feasible.value,
            standard_error: likelihood.feasible.error,
            ranges: &likelihood.ranges,
        }
    }
}

#[derive(Serialize)]
struct Figure<'a> {
    key: &'a str,
    label: &'a str,
    unit: &'static str,
}

#[derive(Serialize)]
struct Candidate<'a> {
    settings: Vec<Setting<'a>>,
    values: &'a [Option<f64>],
    sure: Option<OfCases<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Setting<'a> {
    Number { number: &'a str, value: f64 },
    Entry { list: &'a str, entry: &'a str },
}

#[derive(Serialize)]
struct Beside<'a> {
    #[serde(flatten)]
    setting: Setting<'a>,
    loses_because: String,
    /// The share of cases.
    loses: Option<f64>,
}

impl<'a> Setting<'a> {
    fn of(axis: &'a crossover_tools::search::Axis, place: usize) -> Self {
        match &axis.what {
            Domain::Number { values, .. } => Self::Number { number: &axis.name, value: values[place] },
            Domain::Choice(entries) => Self::Entry { list: &axis.name, entry: &entries[place].name },
        }
    }
}

impl<'a> Document<'a> {
    fn of(scenario: &'a Scenario, search: &Search, found: &'a Searched, sure: Option<&'a Likelihoods>) -> Self {
        let candidate = |of: &'a Found, likelihood: Option<&'a CandidateLikelihood>| Candidate {
            settings: found.axes.iter().zip(&of.place).map(|(axis, place)| Setting::of(axis, *place)).collect(),
            values: &of.values,
            sure: likelihood.map(OfCases::of),
        };
        let listed = |(number, of): (usize, &'a Found)| candidate(of, sure.and_then(|sure| sure.listed.get(number)));
        let beside = |(number, neighbour): (usize, &Neighbour)| Beside {
            setting: Setting::of(&found.axes[neighbour.axis], neighbour.place),
            loses_because: why(search, found, neighbour),
            loses: loses(sure, number, neighbour).map(|share| share.value),
        };
        let figure = |of: &'a SelectedFigure| Figure { key: &of.key, label: &of.label, unit: unit(of.figure.unit) };
        Self {
            study: scenario.study.kind().key(),
            scenario: &scenario.name,
            answer: sentence(search, found),
            candidates: found.candidates.to_string(),
            tried: found.tried,
            exhaustive: found.is_exhaustive(),
            kept: found.kept,
            divided: divided(found),
            seed: search.seed,
            figures: found.figures.iter().map(figure).collect(),
            front: found.front.iter().enumerate().map(listed).collect(),
            nearest: found.nearest.as_ref().map(|of| listed((0, of))),
            present: found.present.values.clone(),
            beside: found.neighbours.iter().enumerate().map(beside).collect(),
            sure: sure.map(|sure| HowSure {
                samples: sure.samples,
                unknown: sure.unknown,
                present: OfCases::of(&sure.present),
                safe: sure.safe.as_ref().map(|safe| Safe {
                    share: safe.share,
                    looked: safe.looked,
                    is_enough: safe.found.is_some(),
                    candidate: safe
                        .found
                        .as_ref()
                        .or(safe.likeliest.as_ref())
                        .map(|(of, likelihood)| candidate(of, Some(likelihood))),
                }),
            }),
        }
    }
}
