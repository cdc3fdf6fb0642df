//! Scenarios side by side, for people and for other programs.

use std::fmt::Write as _;

use crossover_model::scenario::Kind;
use crossover_model::text::csv::Records;
use crossover_model::text::{Align, Column, Table, escaped, one_line};
use crossover_model::tools::Comparison;
use crossover_model::tools::compare::{ComparedFigure, ComparedNumber, Standing};
use crossover_model::unit::Unit;
use serde::Serialize;

use super::described::{better, unit};

/// A comparison, and what its scenarios are called.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// Names of the scenarios, in the order of the comparison.
    pub names: &'a [String],
    /// The comparison.
    pub comparison: &'a Comparison,
}

/// In place of what a scenario does not have.
const ABSENT: &str = "–";

impl Named<'_> {
    /// How many numbers differ, and how each scenario stands against the baseline: one sentence.
    #[must_use]
    pub fn answer(&self) -> String {
        let Some((baseline, others)) = self.names.split_first() else { return String::new() };
        let count = |scenario, wanted| {
            let whole = self.comparison.figures.iter().filter(|figure| figure.is_of_whole);
            whole.filter(|figure| figure.standing(scenario) == Some(wanted)).count()
        };
        let stands = |(place, name): (usize, &String)| {
            let counts = [(Standing::Better, "better"), (Standing::Worse, "worse")];
            let counts = counts.map(|(wanted, word)| (count(place + 1, wanted), word));
            let said: Vec<String> = counts
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| format!("{word} in {count}"))
                .collect();
            let said = if said.is_empty() { "neither better nor worse".to_owned() } else { said.join(", ") };
            format!("{name} is {said}")
        };
        let others: Vec<String> = others.iter().enumerate().map(stands).collect();
        let numbers = match self.comparison.numbers.len() {
            0 => "No number differs".to_owned(),
            1 => "1 number differs".to_owned(),
            count => format!("{count} numbers differ"),
        };
        format!("{numbers}; of the figures of the whole study, against {baseline}, {}.", others.join("; "))
    }

    /// Which scenarios differ in more than numbers; nothing if none does.
    #[must_use]
    pub fn otherwise(&self) -> Option<String> {
        let differing = self.names.iter().zip(&self.comparison.differs_otherwise).filter(|(_, differs)| **differs);
        let names: Vec<&str> = differing.map(|(name, _)| name.as_str()).collect();
        let baseline = self.names.first().filter(|_| !names.is_empty())?;
        let verb = if names.len() == 1 { "differs" } else { "differ" };
        Some(format!(
            "{} {verb} from {baseline} in more than numbers too: in a choice, a name, or what was recorded.",
            names.join(" and ")
        ))
    }

    /// The figures that are worth a line: those of the whole study, and those of parts that differ.
    pub fn figures(&self) -> impl Iterator<Item = &ComparedFigure> {
        self.comparison.figures.iter().filter(|figure| figure.is_of_whole || figure.differs())
    }

    /// The scenario, or those, in which no other is better.
    #[must_use]
    pub fn best(&self, figure: &ComparedFigure) -> String {
        let best = self.names.iter().enumerate().filter(|(place, _)| figure.is_best(*place));
        best.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn tables(&self) -> [(&'static str, Table); 2] {
        let right = |title: String| Column { title: title.into(), align: Align::Right };
        let mut columns = vec![Column::text("Figure")];
        for (place, name) in self.names.iter().enumerate() {
            columns.push(right(name.clone()));
            if place > 0 {
                columns.push(Column { title: "against the baseline".into(), align: Align::Left });
            }
        }
        columns.push(Column::text("Best"));
        let row = |figure: &ComparedFigure| {
            let mut row = vec![figure.label.clone()];
            for place in 0..self.names.len() {
                row.push(figure_in_words(figure, place));
                if place > 0 {
                    row.push(change_in_words(figure, place));
                }
            }
            row.push(self.best(figure));
            row
        };
        let figures = Table { columns, rows: self.figures().map(row).collect() };
        let names = self.names.iter().map(|name| right(name.clone()));
        let row = |number: &ComparedNumber| {
            let values = (0..self.names.len()).map(|place| number_in_words(number, place));
            std::iter::once(number.path.clone()).chain(values).collect()
        };
        let numbers = Table {
            columns: std::iter::once(Column::text("Number")).chain(names).collect(),
            rows: self.comparison.numbers.iter().map(row).collect(),
        };
        [("Figures", figures), ("Numbers that differ", numbers)]
    }
}

/// The value of a figure in a scenario.
#[must_use]
pub fn figure_in_words(figure: &ComparedFigure, scenario: usize) -> String {
    let value = figure.values.get(scenario).copied().flatten();
    value.map_or_else(|| ABSENT.to_owned(), |value| figure.figure.unit.format(value))
}

/// How a figure stands against that of the baseline: "−5 s (0.8×) better".
#[must_use]
pub fn change_in_words(figure: &ComparedFigure, scenario: usize) -> String {
    let Some((standing, difference)) = figure.standing(scenario).zip(figure.difference(scenario)) else {
        return String::new();
    };
    let word = match standing {
        Standing::Same => return "the same".to_owned(),
        Standing::Better => " better",
        Standing::Worse => " worse",
        Standing::Other => "",
    };
    let sign = if difference > 0.0 { "+" } else { "" };
    let ratio = figure.ratio(scenario).filter(|ratio| *ratio > 0.0);
    let ratio = ratio.map(|ratio| format!(" ({})", Unit::Factor.format(ratio))).unwrap_or_default();
    format!("{sign}{}{ratio}{word}", figure.figure.unit.format(difference))
}

/// A number of a scenario with the kind of its source: "1,000 · published".
#[must_use]
pub fn number_in_words(number: &ComparedNumber, scenario: usize) -> String {
    let stated = number.values.get(scenario).copied().flatten();
    stated.map_or_else(
        || ABSENT.to_owned(),
        |stated| format!("{} · {}", number.quantity.unit.format(stated.value), stated.source),
    )
}

/// For a terminal.
#[must_use]
pub fn table(named: &Named<'_>) -> String {
    let mut text = format!("{}\n", one_line(&named.answer()));
    if let Some(otherwise) = named.otherwise() {
        _ = writeln!(text, "{}", one_line(&otherwise));
    }
    for (title, table) in named.tables().into_iter().filter(|(_, table)| !table.rows.is_empty()) {
        _ = write!(text, "\n{title}\n{}", table.aligned());
    }
    _ = writeln!(text, "\n{}", same(named.comparison));
    text
}

/// For a document.
#[must_use]
pub fn markdown(named: &Named<'_>) -> String {
    let names: Vec<String> = named.names.iter().map(|name| escaped(name)).collect();
    let mut text = format!("# {}\n\n{}\n", names.join(" and "), escaped(&named.answer()));
    if let Some(otherwise) = named.otherwise() {
        _ = writeln!(text, "\n{}", escaped(&otherwise));
    }
    for (title, table) in named.tables().into_iter().filter(|(_, table)| !table.rows.is_empty()) {
        _ = write!(text, "\n## {title}\n\n{}", table.markdown());
    }
    _ = writeln!(text, "\n{}", same(named.comparison));
    text
}

fn same(comparison: &Comparison) -> String {
    match comparison.same {
        0 => "No number is the same in all of them.".to_owned(),
        1 => "1 number is the same in all of them.".to_owned(),
        count => format!("{} numbers are the same in all of them.", Unit::Count.format(count as f64)),
    }
}

/// A line for each number that differs and for each figure; what is absent is empty. Units are those of [`json`].
#[must_use]
pub fn csv(named: &Named<'_>) -> String {
    let mut csv = Records::default();
    let mut head = vec!["row".to_owned(), "key".to_owned(), "label".to_owned(), "unit".to_owned()];
    head.extend(named.names.iter().cloned());
    head.extend(named.names.iter().map(|name| format!("source of {name}")));
    for name in named.names.iter().skip(1) {
        head.extend([format!("difference of {name}"), format!("ratio of {name}")]);
    }
    head.push("best".to_owned());
    csv.push(&head);
    let written = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let others = 1..named.names.len();
    for number in &named.comparison.numbers {
        let mut row = vec!["number".to_owned(), number.path.clone(), number.quantity.label.to_owned()];
        row.push(unit(number.quantity.unit).to_owned());
        row.extend(number.values.iter().map(|stated| written(stated.map(|stated| stated.value))));
        row.extend(number.values.iter().map(|stated| stated.map_or("", |stated| stated.source).to_owned()));
        row.extend(others.clone().flat_map(|_| [String::new(), String::new()]));
        row.push(String::new());
        csv.push(&row);
    }
    for figure in &named.comparison.figures {
        let mut row = vec!["figure".to_owned(), figure.key.clone(), figure.label.clone()];
        row.push(unit(figure.figure.unit).to_owned());
        row.extend(figure.values.iter().map(|value| written(*value)));
        row.extend(named.names.iter().map(|_| String::new()));
        row.extend(others.clone().flat_map(|place| [written(figure.difference(place)), written(figure.ratio(place))]));
        row.push(named.best(figure));
        csv.push(&row);
    }
    csv.into_text()
}

/// Everything, for programs.
#[must_use]
pub fn json(kind: Kind, named: &Named<'_>) -> String {
    let Named { names, comparison } = named;
    let stated = |number: &ComparedNumber, place: usize| {
        number.values[place].map(|stated| Value { value: stated.value, source: stated.source })
    };
    super::json(&Document {
        study: kind.key(),
        scenarios: names,
        differs_otherwise: &comparison.differs_otherwise,
        same: comparison.same,
        numbers: comparison
            .numbers
            .iter()
            .map(|number| Number {
                path: &number.path,
                label: number.quantity.label,
                unit: unit(number.quantity.unit),
                values: (0..names.len()).map(|place| stated(number, place)).collect(),
            })
            .collect(),
        figures: comparison
            .figures
            .iter()
            .map(|figure| Figure {
                key: &figure.key,
                label: &figure.label,
                unit: unit(figure.figure.unit),
                better: better(figure.figure.better),
                values: &figure.values,
                differences: (0..names.len()).map(|place| figure.difference(place)).collect(),
                ratios: (0..names.len()).map(|place| figure.ratio(place)).collect(),
                best: (0..names.len()).filter(|place| figure.is_best(*place)).collect(),
            })
            .collect(),
    })
}

#[derive(Serialize)]
struct Document<'a> {
    study: &'static str,
    scenarios: &'a [String],
    differs_otherwise: &'a [bool],
    same: usize,
    numbers: Vec<Number<'a>>,
    figures: Vec<Figure<'a>>,
}

#[derive(Serialize)]
struct Number<'a> {
    path: &'a str,
    label: &'a str,
    unit: &'a str,
    values: Vec<Option<Value>>,
}

#[derive(Serialize)]
struct Value {
    value: f64,
    source: &'static str,
}

#[derive(Serialize)]
struct Figure<'a> {
    key: &'a str,
    label: &'a str,
    unit: &'a str,
    better: &'static str,
    values: &'a [Option<f64>],
    differences: Vec<Option<f64>>,
    ratios: Vec<Option<f64>>,
    best: Vec<usize>,
}
