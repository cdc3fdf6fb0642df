//! Two runs side by side: what became faster or slower, given their intervals.

use crossover_chart::theme::Token;
use crossover_gpu_bench::report::compare::{self, Pair, Verdict};
use crossover_gpu_bench::report::{Measurement, Report, summary};
use crossover_page::widgets::table::name_edges;
use crossover_quantity::unit::Unit;
use egui::{Align, Label, Layout, RichText, Ui};
use egui_extras::{Column, TableBuilder};

use super::results::{dash, number};
use super::{results, run};

/// Every verdict, the most important first.
const VERDICTS: [Verdict; 4] = [Verdict::Slower, Verdict::Faster, Verdict::Unclear, Verdict::Same];

/// Two runs side by side.
#[derive(Debug)]
pub struct Comparison {
    /// "2026-01-02 10:11 · Example GPU" of the older and the newer run.
    names: [String; 2],
    /// How differences were tested.
    caution: String,
    /// Why the two are hard to compare.
    warnings: Vec<String>,
    rows: Vec<Row>,
    /// Measurements that only the older, or only the newer, run has.
    alone: [usize; 2],
    /// The only verdict that the table shows; none: all.
    filter: Option<Verdict>,
}

/// A measurement that both runs have.
#[derive(Debug)]
struct Row {
    what: String,
    parameters: String,
    medians: [Option<f64>; 2],
    ratio: Option<f64>,
    verdict: Verdict,
    remark: String,
}

impl Comparison {
    /// Compares what both runs have.
    pub(super) fn new(before: &Report, after: &Report) -> Self {
        let name = |report: &Report| format!("{} · {}", run::when(report), run::device(report));
        let compared = compare::Comparison::new(before, after);
        let alone = [compared.only_old.len(), compared.only_new.len()];
        let mut rows: Vec<Row> = compared.pairs.iter().map(Row::new).collect();
        let rank = |row: &Row| VERDICTS.iter().position(|verdict| *verdict == row.verdict);
        rows.sort_by_key(rank);
        let caution = compared.caution();
        Self { names: [name(before), name(after)], caution, warnings: compared.warnings, rows, alone, filter: None }
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }

    /// One sentence about all rows.
    fn answer(&self) -> String {
        let mut answer = if self.rows.is_empty() {
            "The two runs have no common measurement.".to_owned()
        } else {
            format!(
                "Of {} common measurements, {} are faster, {} slower, {} the same and {} unclear.",
                self.rows.len(),
                self.count(Verdict::Faster),
                self.count(Verdict::Slower),
                self.count(Verdict::Same),
                self.count(Verdict::Unclear)
            )
        };
        let [before, after] = self.alone;
        if before + after > 0 {
            answer += &format!(" Only before: {before}; only after: {after}.");
        }
        answer
    }
}

impl Row {
    fn new(pair: &Pair<'_>) -> Self {
        let median = |measurement: &Measurement| measurement.time.map(|time| time.median_s);
        Self {
            what: format!("{}, {}", results::name(pair.new), results::side(pair.new)),
            parameters: summary::parameters(pair.new),
            medians: [median(pair.old), median(pair.new)],
            ratio: pair.ratio(),
            verdict: pair.verdict,
            remark: pair.remark(),
        }
    }
}

fn token(verdict: Verdict) -> Token {
    match verdict {
        Verdict::Same | Verdict::Unclear => Token::TextWeak,
        Verdict::Faster => Token::Accent,
        Verdict::Slower => Token::Warning,
    }
}

/// Draws the comparison; true when the user goes back.
pub(super) fn show(ui: &mut Ui, comparison: &mut Comparison) -> bool {
    let dark = ui.visuals().dark_mode;
    let is_over = ui
        .horizontal_wrapped(|ui| {
            ui.heading("What changed between the two runs?");
            ui.button("Back to the run").clicked()
        })
        .inner;
    ui.label(comparison.answer());
    let [before, after] = &comparison.names;
    ui.weak(format!("before: {before}    after: {after}"));
    ui.weak(format!("{}.", comparison.caution));
    for warning in &comparison.warnings {
        ui.colored_label(Token::Warning.color(dark), format!("Hard to compare: {warning}."));
    }
    ui.add_space(4.0);
    pick_verdict(ui, comparison);
    let rows: Vec<&Row> =
        comparison.rows.iter().filter(|row| comparison.filter.is_none_or(|verdict| verdict == row.verdict)).collect();
    egui::ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        TableBuilder::new(ui)
            .id_salt("comparison")
            .striped(true)
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::initial(230.0).at_least(120.0).clip(true).resizable(true))
            .column(Column::initial(150.0).at_least(80.0).clip(true).resizable(true))
            .columns(Column::exact(76.0), 2)
            .column(Column::exact(92.0))
            .column(Column::exact(68.0))
            .column(Column::remainder().at_least(60.0).clip(true))
            .header(22.0, |mut header| {
                for (title, is_number) in [
                    ("measurement", false),
                    ("parameters", false),
                    ("before", true),
                    ("after", true),
                    ("after / before", true),
                    ("verdict", false),
                    ("remark", false),
                ] {
                    header.col(|ui| results::title(ui, title, is_number));
                }
            })
            .body(|body| {
                body.rows(20.0, rows.len(), |mut table_row| {
                    let row = rows[table_row.index()];
                    table_row.col(|ui| drop(ui.add(Label::new(&row.what).truncate())));
                    table_row.col(|ui| drop(ui.add(Label::new(&row.parameters).truncate())));
                    for median in row.medians {
                        table_row.col(|ui| number(ui, median.map_or_else(dash, |time| Unit::Seconds.format(time))));
                    }
                    table_row.col(|ui| number(ui, row.ratio.map_or_else(dash, |ratio| Unit::Ratio.format(ratio))));
                    table_row.col(|ui| {
                        ui.label(RichText::new(row.verdict.label()).strong().color(token(row.verdict).color(dark)));
                    });
                    table_row.col(|ui| drop(ui.add(Label::new(&row.remark).truncate())));
                });
            });
        name_edges(ui, "comparison", &[(0, "measurement"), (1, "parameters")]);
    });
    is_over
}

/// Draws the filter of the table.
fn pick_verdict(ui: &mut Ui, comparison: &mut Comparison) {
    if comparison.rows.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.label("show");
        ui.selectable_value(&mut comparison.filter, None, format!("all {}", comparison.rows.len()));
        for verdict in VERDICTS {
            let count = comparison.count(verdict);
            if count > 0 {
                let text = format!("{} {count}", verdict.label().to_lowercase());
                ui.selectable_value(&mut comparison.filter, Some(verdict), text);
            }
        }
    });
}
