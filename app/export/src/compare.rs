//! Scenarios side by side, for people and for other programs.

mod curves;
mod decisions;
mod record;

use crossover_decision::Decision;
use crossover_quantity::text::csv::Records;
use crossover_quantity::text::{Align, Column, Table, TextReport, counted};
use crossover_quantity::unit::{Unit, share_of_samples};
use crossover_study::Better;
use crossover_tools::compare::{ComparedFigure, ComparedNumber, Standing};
use crossover_tools::paired::{Against, PairedFigure};
use crossover_tools::{Comparison, Paired};

pub use self::curves::{curves_csv, curves_json};
pub use self::decisions::ComparedDecisions;
pub use self::record::json;
use super::about::figures_of_all;
use super::decided;
use super::described::{self, unit};
use super::likelihood::cases;

/// A comparison, with the names of its scenarios.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// Names of the scenarios, in the order of the comparison.
    pub names: &'a [String],
    /// The comparison.
    pub comparison: &'a Comparison,
    /// Likelihoods, where numbers are uncertain and were sampled.
    pub paired: Option<&'a Paired>,
    /// What should run the query of each scenario, or its application, in whole engines.
    pub decisions: &'a ComparedDecisions,
}

/// In place of a value that a scenario lacks.
const ABSENT: &str = "–";

impl Named<'_> {
    /// How many numbers differ, and how each scenario compares with the baseline: one sentence.
    #[must_use]
    pub fn answer(&self) -> String {
        let Some((baseline, others)) = self.names.split_first() else { return String::new() };
        let count = |scenario, wanted| {
            let whole = self.comparison.figures.iter().filter(|figure| figure.is_of_whole);
            whole.filter(|figure| figure.standing(scenario) == Some(wanted)).count()
        };
        let compared = |(place, name): (usize, &String)| {
            let counts = [(Standing::Better, "better"), (Standing::Worse, "worse")];
            let counts = counts.map(|(wanted, word)| (count(place + 1, wanted), word));
            let standings: Vec<String> = counts
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| format!("{word} in {count}"))
                .collect();
            let standings =
                if standings.is_empty() { "neither better nor worse".to_owned() } else { standings.join(", ") };
            format!("“{name}” is {standings}")
        };
        let others: Vec<String> = others.iter().enumerate().map(compared).collect();
        let numbers = numbers_that_differ(self.comparison);
        let figures = self.comparison.figures.iter().filter(|figure| figure.is_of_whole).count();
        format!(
            "{numbers}. Compared with “{baseline}” in {} of the whole study: {}.",
            counted(figures as f64, "figure"),
            others.join("; ")
        )
    }

    /// What figures and decisions are about; `None` if no scenario has the application of its query.
    fn about(&self) -> Option<String> {
        self.decisions.about(self.names)
    }

    /// What results state first: what they are about, and the engines and machines of the figures.
    pub fn statements(&self) -> impl Iterator<Item = String> {
        self.about().into_iter().chain(figures_of_all(self.names, &self.decisions.figure_engines))
    }

    /// Which scenarios differ in more than numbers; nothing if none does.
    #[must_use]
    pub fn otherwise(&self) -> Option<String> {
        let differing = self.names.iter().zip(&self.comparison.differs_otherwise).filter(|(_, differs)| **differs);
        let names: Vec<String> = differing.map(|(name, _)| format!("“{name}”")).collect();
        let baseline = self.names.first().filter(|_| !names.is_empty())?;
        let verb = if names.len() == 1 { "differs" } else { "differ" };
        Some(format!(
            "{} {verb} from “{baseline}” in more than numbers: in a choice, a name, or a recording.",
            names.join(" and ")
        ))
    }

    /// The figures that are worth a line: those of the whole study, and those of parts that differ.
    pub fn figures(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows().filter(|row| row.figure.is_of_whole || row.figure.differs())
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let row = |(place, figure)| Row { figure, paired: self.paired.map(|paired| &paired.figures[place]) };
        self.comparison.figures.iter().enumerate().map(row)
    }

    /// The meaning of ranges and likelihoods; `None` without samples.
    #[must_use]
    pub fn sampling_note(&self) -> Option<String> {
        let paired = self.paired?;
        let unknown = self.names.iter().zip(&paired.unknown);
        let unknown = unknown.map(|(name, count)| format!("{} in “{name}”", Unit::Count.format(*count as f64)));
        let samples = Unit::Count.format(paired.samples as f64);
        let of_decisions = match self.decided().next() {
            Some(_) => " The samples vary the times in the two engines only; the decisions do not use the samples.",
            None => "",
        };
        Some(format!(
            "Ranges are 90 % intervals: {samples} samples of the uncertain numbers ({}). Scenarios that share a number share its \
             samples.{of_decisions}",
            unknown.collect::<Vec<_>>().join(", ")
        ))
    }

    /// The scenarios with a decision.
    fn decided(&self) -> impl Iterator<Item = (&String, &Decision)> {
        self.names.iter().zip(&self.decisions.decisions).filter_map(|(name, decision)| Some((name, decision.as_ref()?)))
    }

    /// The decision of each scenario that has one: "a: Move to …".
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        self.decided().map(|(name, decision)| format!("{name}: {}", decision.sentence()))
    }

    /// What it is about, the answer, the decisions, the figures, and the numbers that differ.
    fn text_report(&self) -> TextReport {
        let mut text_report = TextReport::titled(self.names.join(" and "));
        for statement in self.statements() {
            text_report.paragraph(statement);
        }
        text_report.paragraph(self.answer()).paragraph(self.otherwise().unwrap_or_default());
        text_report.section("Decisions", |section| {
            let named = || self.decided().map(|(name, decision)| (name.clone(), decision));
            let sentences = named().map(|(name, decision)| (name, decision.sentence()));
            section.facts(sentences).table(decided::table("Scenario", named()))
        });
        for (title, table) in self.tables() {
            text_report.section(title, |section| section.table(table));
        }
        text_report.paragraph(same(self.comparison)).paragraph(self.sampling_note().unwrap_or_default());
        text_report
    }

    /// Samples that scenarios do not allow, a sentence for each.
    #[must_use]
    pub fn not_allowed(&self) -> Vec<String> {
        let all = self.paired.iter().flat_map(|paired| self.names.iter().zip(&paired.not_allowed));
        all.filter_map(|(name, not_allowed)| Some(format!("{name}: {}", not_allowed.as_ref()?))).collect()
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
        let cells = |row: Row<'_>| {
            let mut cells = vec![row.figure.label.clone()];
            for place in 0..self.names.len() {
                let range = row.range_in_words(place).map(|range| format!(" ({range})")).unwrap_or_default();
                cells.push(format!("{}{range}", row.value_in_words(place)));
                if place > 0 {
                    let cases = row.cases_in_words(place).map(|cases| format!(", {cases}")).unwrap_or_default();
                    cells.push(format!("{}{cases}", row.change_in_words(place)));
                }
            }
            cells.push(self.best(row.figure));
            cells
        };
        let figures = Table { columns, rows: self.figures().map(cells).collect() };
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

/// A figure of all scenarios, with its likelihoods.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The figure.
    pub figure: &'a ComparedFigure,
    /// Its distribution, where numbers are uncertain.
    pub paired: Option<&'a PairedFigure>,
}

impl Row<'_> {
    /// Its value in a scenario.
    #[must_use]
    pub fn value_in_words(&self, scenario: usize) -> String {
        let value = self.figure.values.get(scenario).copied().flatten();
        value.map_or_else(|| ABSENT.to_owned(), |value| self.figure.figure.unit.format(value))
    }

    /// The 90 % interval: "35 s … 41 s; no value in 3 %"; `None` where the figure is exact.
    #[must_use]
    pub fn range_in_words(&self, scenario: usize) -> Option<String> {
        let unit = self.figure.figure.unit;
        // A decision has no range.
        let range = self.range(scenario).filter(|[low, high]| low < high && unit != Unit::Decision);
        let range = range.map(|[low, high]| format!("{} … {}", unit.format(low), unit.format(high)));
        let missing = self.missing(scenario).filter(|share| (f64::MIN_POSITIVE..1.0).contains(share));
        let missing = missing.map(|share| format!("no value in {}", share_of_samples(share)));
        match (range, missing) {
            (Some(range), Some(missing)) => Some(format!("{range}; {missing}")),
            (range, missing) => range.or(missing),
        }
    }

    /// Its difference from the baseline, and their ratio: "−5 s (0.8×) better".
    #[must_use]
    pub fn change_in_words(&self, scenario: usize) -> String {
        let Some((standing, difference)) = self.figure.standing(scenario).zip(self.figure.difference(scenario)) else {
            return String::new();
        };
        let word = match standing {
            Standing::Same => return "the same".to_owned(),
            Standing::Better => " better",
            Standing::Worse => " worse",
            Standing::Other => "",
        };
        if self.figure.figure.unit == Unit::Decision {
            let change = if difference > 0.0 { "yes instead of no" } else { "no instead of yes" };
            return format!("{change}{word}");
        }
        let sign = if difference > 0.0 { "+" } else { "" };
        let ratio = self.figure.ratio(scenario).filter(|ratio| *ratio > 0.0);
        let ratio = ratio.map(|ratio| format!(" ({})", Unit::Factor.format(ratio))).unwrap_or_default();
        format!("{sign}{}{ratio}{word}", described::difference(self.figure.figure.unit, difference))
    }

    /// How likely it is better or worse than the baseline, as [`change_in_words`](Self::change_in_words) states: "97 % likely";
    /// `None` where it is the same in all samples.
    #[must_use]
    pub fn cases_in_words(&self, scenario: usize) -> Option<String> {
        let Against { better, worse, .. } = self.against(scenario)?;
        match self.figure.standing(scenario)? {
            Standing::Better => Some(format!("{} likely", cases(better))),
            Standing::Worse => Some(format!("{} likely", cases(worse))),
            _ if better.value > 0.0 || worse.value > 0.0 => {
                Some(format!("{} likely better, {} likely worse", cases(better), cases(worse)))
            }
            _ => None,
        }
    }

    fn range(&self, scenario: usize) -> Option<[f64; 2]> {
        self.paired?.ranges.get(scenario).copied().flatten()
    }

    fn missing(&self, scenario: usize) -> Option<f64> {
        self.paired?.missing.get(scenario).copied()
    }

    fn against(&self, scenario: usize) -> Option<Against> {
        self.paired?.against.get(scenario).copied().flatten()
    }
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
    named.text_report().terminal()
}

/// For a document.
#[must_use]
pub fn markdown(named: &Named<'_>) -> String {
    named.text_report().markdown()
}

/// The result of a round in a few words: "speedup 1.6× and 2.1×" before samples; with them "speedup: b better in 71.3 % of samples (each
/// likelihood ± 3.6 % or less)".
#[must_use]
pub fn so_far(names: &[String], comparison: &Comparison, paired: Option<&Paired>) -> String {
    let Some(paired) = paired else {
        let Some(figure) = comparison.figures.first() else { return String::new() };
        let value =
            |value: &Option<f64>| value.map_or_else(|| ABSENT.to_owned(), |value| figure.figure.unit.format(value));
        return format!("{} {}", figure.label, figure.values.iter().map(value).collect::<Vec<_>>().join(" and "));
    };
    let against = |found: &PairedFigure| found.against.iter().skip(1).copied().flatten().next();
    let all = || comparison.figures.iter().zip(&paired.figures);
    let first = all().find(|(figure, found)| figure.figure.better != Better::Neither && against(found).is_some());
    let Some((figure, found)) = first else { return "no figure is better in any sample".to_owned() };
    let better = names.iter().zip(&found.against).skip(1).filter_map(|(name, against)| {
        let share = share_of_samples(against.as_ref()?.better.value);
        Some(format!("{name} better in {share} of samples"))
    });
    let better: Vec<String> = better.collect();
    let errors = all().flat_map(|(_, found)| found.against.iter().flatten());
    let error = errors.flat_map(|against| [against.better.half_95(), against.worse.half_95()]);
    let error = error.filter(|error| error.is_finite() && *error > 0.0).reduce(f64::max);
    let error = error.map_or_else(String::new, |error| {
        let most = Unit::Share.format((error * 1_000.0).ceil() / 1_000.0);
        format!(" (each likelihood ± {most} or less)")
    });
    format!("{}: {}{error}", figure.label, better.join(", "))
}

/// How many numbers differ: "No number differs", "1 number differs", "1,200 numbers differ".
#[must_use]
pub fn numbers_that_differ(comparison: &Comparison) -> String {
    match comparison.numbers.len() {
        0 => "No number differs".to_owned(),
        1 => "1 number differs".to_owned(),
        count => format!("{} differ", counted(count as f64, "number")),
    }
}

fn same(comparison: &Comparison) -> String {
    match comparison.same {
        0 => "No number is the same in all of them.".to_owned(),
        1 => "1 number is the same in all of them.".to_owned(),
        count => format!("{} are the same in all of them.", counted(count as f64, "number")),
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
    if named.paired.is_some() {
        head.extend(named.names.iter().flat_map(|name| [format!("5 % of {name}"), format!("95 % of {name}")]));
        head.extend(
            named.names.iter().skip(1).flat_map(|name| [format!("better of {name}"), format!("worse of {name}")]),
        );
    }
    csv.push(&head);
    let written = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let others = 1..named.names.len();
    for number in &named.comparison.numbers {
        let mut row = vec!["number".to_owned(), number.path.clone(), number.quantity.label.to_owned()];
        row.push(unit(number.quantity.unit).to_owned());
        row.extend(number.values.iter().map(|stated| written(stated.map(|stated| stated.value))));
        row.extend(number.values.iter().map(|stated| stated.map_or("", |stated| stated.source).to_owned()));
        // The other columns are for figures.
        row.resize(head.len(), String::new());
        csv.push(&row);
    }
    for of in named.rows() {
        let figure = of.figure;
        let mut row = vec!["figure".to_owned(), figure.key.clone(), figure.label.clone()];
        row.push(unit(figure.figure.unit).to_owned());
        row.extend(figure.values.iter().map(|value| written(*value)));
        row.extend(named.names.iter().map(|_| String::new()));
        row.extend(others.clone().flat_map(|place| [written(figure.difference(place)), written(figure.ratio(place))]));
        row.push(named.best(figure));
        if named.paired.is_some() {
            let ends = |place| of.range(place).map_or([None; 2], |range| range.map(Some)).map(written);
            let shares = |place| {
                let shares = of.against(place).map(|of| [of.better, of.worse].map(|share| Some(share.value)));
                shares.unwrap_or([None; 2]).map(written)
            };
            row.extend((0..named.names.len()).flat_map(ends));
            row.extend(others.clone().flat_map(shares));
        }
        csv.push(&row);
    }
    csv.into_text()
}
