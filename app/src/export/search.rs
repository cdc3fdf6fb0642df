//! What a search found, as text.

use std::fmt::Write as _;

use crossover_model::scenario::Scenario;
use crossover_model::text::csv::Records;
use crossover_model::text::{Align, Column, Table, escaped, one_line};
use crossover_model::tools::search::{Axle, Bound, Found, Neighbour, Why};
use crossover_model::tools::wanted::Wanted;
use crossover_model::tools::{Search, Searched};
use crossover_model::unit::Unit;
use serde::Serialize;

use super::described::unit;
use super::{Format, json, ron};

/// Candidates that a report lists.
const LISTED: usize = 20;

/// What came of a search, in a format.
pub(crate) fn written(scenario: &Scenario, search: &Search, found: &Searched, format: Format) -> String {
    match format {
        Format::Json => json(&Document::of(scenario, search, found)),
        Format::Ron => ron(&Document::of(scenario, search, found)),
        Format::Csv => csv(found),
        Format::Table => {
            let mut text = format!("{}\n{}\n\n", one_line(&scenario.name), one_line(&sentence(search, found)));
            text += &candidates(found).aligned();
            if !found.neighbours.is_empty() {
                _ = write!(text, "\nBeside it\n{}", beside(search, found).aligned());
            }
            text + "\n" + &tried(found) + "\n"
        }
        Format::Markdown => {
            let mut text = format!("# {}\n\n{}\n\n", escaped(&scenario.name), escaped(&sentence(search, found)));
            text += &candidates(found).markdown();
            if !found.neighbours.is_empty() {
                _ = write!(text, "\n## Beside it\n\n{}", beside(search, found).markdown());
            }
            text + "\n" + &tried(found) + "\n"
        }
    }
}

/// The answer: what is recommended, or what comes nearest.
pub(crate) fn sentence(search: &Search, found: &Searched) -> String {
    let goal = |values: &[Option<f64>]| {
        let Some(goal) = search.goals.first() else { return String::new() };
        let of = |figure: &(usize, &Wanted)| figure.1.key == goal.key;
        found.figures.iter().enumerate().find(of).map_or_else(String::new, |(place, figure)| {
            format!("{} {}", figure.label, value(figure, values.get(place).copied().flatten()))
        })
    };
    match (found.recommended(), &found.nearest) {
        (Some(best), _) => {
            let end = if search.goals.first().is_some_and(|goal| goal.is_least) { "least" } else { "most" };
            let all = match (found.is_exhaustive(), search.limits.is_empty()) {
                (true, true) => "of all",
                (true, false) => "that keeps every limit",
                (false, true) => "that was found",
                (false, false) => "found that keeps every limit",
            };
            let now = match found.present.broken.as_slice() {
                [] => format!("now {}", goal(&found.present.values)),
                _ => format!("now {}, and {}", goal(&found.present.values), breaks(search, found, &found.present)),
            };
            let others = match found.of_front {
                0 | 1 => String::new(),
                many => format!(" {} more are better by another goal.", Unit::Count.format((many - 1) as f64)),
            };
            format!("{}: {}, the {end} {all}; {now}.{others}", setting(found, best), goal(&best.values))
        }
        (None, Some(nearest)) => {
            format!(
                "Nothing keeps every limit. The nearest is {}: {}.",
                setting(found, nearest),
                breaks(search, found, nearest)
            )
        }
        (None, None) if found.kept > 0 => {
            "What keeps every limit has no value of the goal, so nothing is recommended.".to_owned()
        }
        (None, None) => "Nothing was found.".to_owned(),
    }
}

/// What is divided among which number.
pub(crate) fn divided(found: &Searched) -> Option<String> {
    let axis = found.axes.iter().find(|axis| !axis.shares.is_empty())?;
    let paths: Vec<&str> = axis.shares.iter().map(|(path, _)| path.as_str()).collect();
    let listed = match paths.as_slice() {
        [first, _, _, .., last] => format!("{first} … {last}"),
        few => few.join(" and "),
    };
    Some(format!("Divided among {}, so that the whole stays: {listed}", axis.name))
}

/// What a careful reader should know of an answer.
pub(crate) fn cautions(found: &Searched) -> Vec<String> {
    let idle = match found.decided {
        Some([0, of]) => Some(format!(
            "none of its {} decisions is a yes: what it has for them, such as GPUs, stands idle, and only the least of it is bought",
            Unit::Count.format(of as f64)
        )),
        _ => None,
    };
    let ends = found
        .at_ends()
        .map(|axis| format!("{} is recommended at an end of its values: beyond it may be better", axis.name));
    let idle_axes = found.idle().map(|axis| {
        format!(
            "{} makes no difference here: with the values beside it, goals are the same and no limit is broken",
            axis.name
        )
    });
    let unpriced = found.unpriced.iter().filter_map(|place| {
        let axis = found.axes.get(*place)?;
        Some(format!("{}: no price of the bill hangs on it, so what it costs is not counted", axis.name))
    });
    let cut = (found.of_front > found.front.len()).then(|| {
        let [shown, all] = [found.front.len(), found.of_front].map(|count| Unit::Count.format(count as f64));
        format!("of {all} candidates that none beats, the first {shown} by the first goal are kept")
    });
    idle.into_iter().chain(ends).chain(idle_axes).chain(unpriced).chain(cut).collect()
}

/// "gpu NVIDIA L4, cluster.machines 12".
fn setting(found: &Searched, of: &Found) -> String {
    let one =
        |(axis, place): (&crossover_model::tools::search::Axis, &usize)| format!("{} {}", axis.name, axis.text(*place));
    found.axes.iter().zip(&of.place).map(one).collect::<Vec<_>>().join(", ")
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

fn value(figure: &Wanted, value: Option<f64>) -> String {
    value.map_or_else(|| "without a value".to_owned(), |value| figure.figure.unit.format(value))
}

/// A row for each candidate that none beats; or the nearest; and the scenario as it is.
pub(crate) fn candidates(found: &Searched) -> Table {
    let mut columns: Vec<Column> = found.axes.iter().map(|axis| headed(&axis.name, Align::Left)).collect();
    columns.extend(found.figures.iter().map(|figure| headed(&figure.label, Align::Right)));
    let row = |of: &Found, settings: Vec<String>| {
        let values = found.figures.iter().zip(&of.values).map(|(figure, of)| value(figure, *of));
        settings.into_iter().chain(values).collect::<Vec<_>>()
    };
    let candidate =
        |of: &Found| row(of, found.axes.iter().zip(&of.place).map(|(axis, place)| axis.text(*place)).collect());
    let mut rows: Vec<Vec<String>> = found.front.iter().take(LISTED).map(candidate).collect();
    rows.extend(found.nearest.as_ref().map(candidate));
    let mut now = vec![String::new(); found.axes.len()];
    if let Some(first) = now.first_mut() {
        "(as it is)".clone_into(first);
    }
    rows.push(row(&found.present, now));
    Table { columns, rows }
}

/// A column under what something is called.
fn headed(title: &str, align: Align) -> Column {
    Column { title: title.to_owned().into(), align }
}

/// A row for each neighbour of what is recommended.
pub(crate) fn beside(search: &Search, found: &Searched) -> Table {
    let row = |neighbour: &Neighbour| {
        let axis = &found.axes[neighbour.axis];
        vec![axis.name.clone(), axis.text(neighbour.place), why(search, found, neighbour)]
    };
    Table {
        columns: vec![Column::text("instead"), Column::text("would be"), Column::text("loses because")],
        rows: found.neighbours.iter().map(row).collect(),
    }
}

/// Why a neighbour loses.
fn why(search: &Search, found: &Searched, neighbour: &Neighbour) -> String {
    match &neighbour.why {
        Why::NotAllowed(invalid) => format!("it does not fit: {}: {}", invalid.path, invalid.problem),
        Why::Breaks { limit, value } => limit_in_words(search, found, *limit, |_| *value),
        Why::Worse { goal, value: there } => {
            let Some(goal) = search.goals.get(*goal) else { return String::new() };
            let Some(place) = found.figures.iter().position(|figure| figure.key == goal.key) else {
                return String::new();
            };
            let figure = &found.figures[place];
            let best = found.recommended().and_then(|best| best.values[place]);
            let change = match (best, there) {
                // What no two digits tell apart is as good as the same.
                (Some(best), Some(there)) if best != 0.0 && (there / best - 1.0).abs() >= 1e-4 => {
                    let sign = if *there > best { "+" } else { "" };
                    format!(" ({sign}{})", Unit::Share.format(there / best - 1.0))
                }
                _ => String::new(),
            };
            format!("{} {}{change}", figure.label, value(figure, *there))
        }
        Why::Same => "nothing: it is the same by every goal".to_owned(),
    }
}

/// How many candidates there were.
fn tried(found: &Searched) -> String {
    let count = |count: usize| Unit::Count.format(count as f64);
    let kept = format!("{} of {} tried candidates keep every limit", count(found.kept), count(found.tried));
    if found.is_exhaustive() {
        format!("{kept}; all there are were tried.")
    } else {
        let all = Unit::Count.format(found.candidates as f64);
        format!("{kept}; there are {all}, so another may be better: a larger --budget tries more.")
    }
}

/// A line for each candidate that none beats.
fn csv(found: &Searched) -> String {
    let mut csv = Records::default();
    let columns = found.axes.iter().map(|axis| axis.name.clone());
    csv.push(columns.chain(found.figures.iter().map(|figure| figure.key.clone())).collect::<Vec<_>>());
    for of in &found.front {
        let settings = found.axes.iter().zip(&of.place).map(|(axis, place)| match &axis.what {
            Axle::Number { values, .. } => values[*place].to_string(),
            Axle::Choice(entries) => entries[*place].name.clone(),
        });
        let values = of.values.iter().map(|value| value.map_or_else(String::new, |value| value.to_string()));
        csv.push(settings.chain(values).collect::<Vec<_>>());
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
}

impl<'a> Setting<'a> {
    fn of(axis: &'a crossover_model::tools::search::Axis, place: usize) -> Self {
        match &axis.what {
            Axle::Number { values, .. } => Self::Number { number: &axis.name, value: values[place] },
            Axle::Choice(entries) => Self::Entry { list: &axis.name, entry: &entries[place].name },
        }
    }
}

impl<'a> Document<'a> {
    fn of(scenario: &'a Scenario, search: &Search, found: &'a Searched) -> Self {
        let candidate = |of: &'a Found| Candidate {
            settings: found.axes.iter().zip(&of.place).map(|(axis, place)| Setting::of(axis, *place)).collect(),
            values: &of.values,
        };
        let beside = |neighbour: &Neighbour| Beside {
            setting: Setting::of(&found.axes[neighbour.axis], neighbour.place),
            loses_because: why(search, found, neighbour),
        };
        let figure = |of: &'a Wanted| Figure { key: &of.key, label: &of.label, unit: unit(of.figure.unit) };
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
            front: found.front.iter().map(candidate).collect(),
            nearest: found.nearest.as_ref().map(candidate),
            present: found.present.values.clone(),
            beside: found.neighbours.iter().map(beside).collect(),
        }
    }
}
