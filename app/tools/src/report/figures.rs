//! Figures of a report: their values, intervals, and what they depend on most.

use crossover_chart::Chart;
use crossover_export::decided::sampling_note;
use crossover_export::report::Block;
use crossover_export::sensitivity::{LEAST, by_label, named, share};
use crossover_export::uncertainty::{decisions, missing, unusual};
use crossover_quantity::text::{Column, Table, TextReport, between, counted};
use crossover_quantity::unit::Unit;
use crossover_scenario::Scenario;
use crossover_study::{Better, Figure, FigureValue};
use crossover_tools::selected::SelectedFigure;
use crossover_tools::sensitivity::OfFigure;
use crossover_tools::uncertainty::Distributed;
use crossover_tools::{Sampling, Sensitivity};

use super::Sampled;
use crate::uncertainty::charts::{distribution, effects, tornado};

/// Most figures of parts that are listed.
const LISTED: usize = 400;

/// The requested figures, with their meanings.
pub(super) fn key(blocks: &mut Vec<Block>, now: &[FigureValue], key: &[SelectedFigure], sampled: &Sampled) {
    let rows = key
        .iter()
        .map(|selected| (selected.key.as_str(), selected.label.as_str(), selected.figure, selected.value(now)));
    blocks.push(Block::Table(table(rows, sampled, true)));
}

/// All other figures.
pub(super) fn of_parts(blocks: &mut Vec<Block>, now: &[FigureValue], key: &[SelectedFigure], sampled: &Sampled) {
    let keys: Vec<String> = now.iter().map(FigureValue::key).collect();
    let labels: Vec<String> = now.iter().map(FigureValue::label).collect();
    let others = (0..now.len()).filter(|place| key.iter().all(|selected| selected.key != keys[*place]));
    let others: Vec<usize> = others.collect();
    if others.is_empty() {
        return;
    }
    let shown = others.iter().take(LISTED);
    let rows =
        shown.map(|place| (keys[*place].as_str(), labels[*place].as_str(), now[*place].figure, now[*place].value));
    let mut heading = TextReport::default();
    heading.heading("All other figures");
    blocks.push(Block::TextReport(heading));
    blocks.push(Block::Table(table(rows, sampled, false)));
    if let Some(more) = others.len().checked_sub(LISTED).filter(|more| *more > 0) {
        let more = Unit::Count.format(more as f64);
        blocks.push(Block::Text(format!(
            "And {more} more. Run `crossover uncertainty` with --figure \"*\" for all of them."
        )));
    }
}

fn table<'a>(
    figures: impl Iterator<Item = (&'a str, &'a str, &'static Figure, Option<f64>)>,
    sampled: &Sampled,
    with_meaning: bool,
) -> Table {
    let found = |key: &str| match sampled {
        Sampled::Found(found) => found.0.figures.iter().find(|figure| figure.selected.key == key),
        Sampled::Nothing | Sampled::Nowhere(_) | Sampled::NotYet => None,
    };
    let row = |(key, label, figure, value): (&str, &str, &'static Figure, Option<f64>)| {
        let format = |value: f64| if value.is_finite() { figure.unit.format(value) } else { "–".to_owned() };
        let mut row = vec![label.to_owned(), value.map_or_else(|| "–".to_owned(), format)];
        let interval = |found: &Distributed| {
            let [low, middle, high] = found.quantiles.map(|quantile| format(quantile.value));
            [between([low, high]) + &missing(found).map(|missing| format!("; {missing}")).unwrap_or_default(), middle]
        };
        row.extend(found(key).map_or_else(Default::default, interval));
        let better = match figure.better {
            Better::Higher => "higher",
            Better::Lower => "lower",
            Better::Neither => "",
        };
        row.push(better.to_owned());
        row.push(if with_meaning { figure.meaning.to_owned() } else { String::new() });
        row
    };
    let columns = vec![
        Column::text("figure"),
        Column::number("value"),
        Column::number("90 % interval"),
        Column::number("median"),
        Column::text("better"),
        Column::text("meaning"),
    ];
    Table { columns, rows: figures.map(row).collect() }.without_empty_columns()
}

/// How many numbers are uncertain, and from what; the table of all numbers shows which.
pub(super) fn uncertainty(blocks: &mut Vec<Block>, scenario: &Scenario, sampling: &Sampling, sampled: &Sampled) {
    let within = sampling.spread_all.map(|share| Unit::Share.format(share));
    let found = match sampled {
        Sampled::Found(found) => &found.0,
        Sampled::Nothing => {
            let text = "No number of this scenario is uncertain, so every figure is one value. With --spread-all 10%, the report assumes \
                        an uncertainty of ± 10 % for every number.";
            return blocks.push(Block::Text(text.to_owned()));
        }
        Sampled::Nowhere(why) => {
            let text = "Every figure is one value, because no sample of the uncertain numbers is valid";
            return blocks.push(Block::Text(format!("{text}: {why}.")));
        }
        Sampled::NotYet => {
            let text = "This first report has no intervals, as the uncertain numbers are not sampled yet.";
            return blocks.push(Block::Text(text.to_owned()));
        }
    };
    let unknowns = &found.unknowns.numbers;
    let of_sources = unknowns.iter().filter(|unknown| unknown.is_of_source).count();
    let spreads = scenario.study.subject().spreads();
    let entered = unknowns.iter().filter(|unknown| spreads.contains_key(&unknown.path)).count();
    let guessed = unknowns.len() - of_sources - entered;
    let numbers = |count: usize| Unit::Count.format(count as f64);
    let mut parts = Vec::new();
    if of_sources > 0 {
        parts.push(format!("{} from the intervals of their sources", numbers(of_sources)));
    }
    if entered > 0 {
        parts.push(format!("{} as entered", numbers(entered)));
    }
    if let (Some(within), true) = (&within, guessed > 0) {
        parts.push(format!("{} with an assumed uncertainty of ± {within} (--spread-all)", numbers(guessed)));
    }
    let all = counted(unknowns.len() as f64, "uncertain number");
    let text = format!("{all}: {}. The table of all numbers has their distributions.", parts.join(", "));
    blocks.push(Block::Text(text));
    let decisions = decisions(found);
    if !decisions.is_empty() {
        blocks.push(Block::Text(decisions));
    }
    if let Some(unusual) = unusual(found) {
        blocks.push(Block::Text(unusual));
    }
    if within.is_none() {
        let text = "All other numbers are taken as exact, so the true intervals may be wider.";
        blocks.push(Block::Text(text.to_owned()));
    }
    let note = sampling_note(&scenario.study);
    let is_decided = note.is_some();
    blocks.extend(note.map(Block::Text));
    let varying = found.figures.iter().find(|figure| varies(figure));
    if let Some(chart) = varying.and_then(|figure| distribution(figure, is_decided)) {
        blocks.push(Block::Chart(Box::new(Chart::Lines(chart))));
    }
}

fn varies(figure: &Distributed) -> bool {
    figure.values.first() < figure.values.last()
}

/// What each key figure depends on most, the largest first.
pub(super) fn sensitivities(blocks: &mut Vec<Block>, sampled: &Sampled) {
    let found = match sampled {
        Sampled::Found(found) => found,
        Sampled::Nothing => {
            let text = "Not sampled, because no number is uncertain. With --spread-all 10%, the report shows the sensitivities.";
            return blocks.push(Block::Text(text.to_owned()));
        }
        Sampled::Nowhere(_) => {
            let text = "Not available: no sample of the uncertain numbers is valid.";
            return blocks.push(Block::Text(text.to_owned()));
        }
        Sampled::NotYet => {
            let text = "Not available: the uncertain numbers are not sampled yet.";
            return blocks.push(Block::Text(text.to_owned()));
        }
    };
    let sensitive = &found.1;
    let varies = |figure: &&OfFigure| figure.standard_deviation > 0.0;
    if let Some(first) = sensitive.figures.iter().find(varies) {
        blocks.push(Block::Chart(Box::new(Chart::Bars(effects(sensitive, first)))));
        blocks.extend(tornado(sensitive, first).map(|chart| Block::Chart(Box::new(Chart::Bars(chart)))));
    }
    let columns = vec![Column::text("figure"), Column::text("depends most on (95 % interval)")];
    let row = |figure: &OfFigure| vec![figure.selected.label.clone(), causes(sensitive, figure)];
    blocks.push(Block::Table(Table { columns, rows: sensitive.figures.iter().map(row).collect() }));
    let text = "Total Sobol indices: the share of the variance of a figure that a number explains, with all its interactions. \
                Interactions count for each of their numbers, so the shares may add up to more than 100 %.";
    blocks.push(Block::Text(text.to_owned()));
}

/// "machines (cluster) 71 % ± 2 %, rate (gpu) 18 % ± 1 %".
fn causes(sensitive: &Sensitivity, figure: &OfFigure) -> String {
    if figure.standard_deviation.is_nan() {
        return "too few samples with a value".to_owned();
    }
    if figure.standard_deviation <= 0.0 {
        return "none of them".to_owned();
    }
    let share = |value: f64| Unit::Share.format(share(value));
    let named = named(figure).into_iter().map(|cause| {
        let total = figure.effects[cause].total;
        format!("{} {} ± {}", by_label(sensitive, cause), share(total.value), share(total.half_95()))
    });
    let named: Vec<String> = named.collect();
    if named.is_empty() { format!("many, none above {}", Unit::Share.format(LEAST)) } else { named.join(", ") }
}
