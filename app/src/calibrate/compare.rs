//! Two runs side by side: what became faster or slower, as far as their intervals tell.

use crossover_gpu_bench::report::{Measurement, Report, Time};
use crossover_model::unit::Unit;
use egui::{Align, Layout, RichText, Ui};
use egui_extras::{Column, TableBuilder};

use super::results::{number, params};
use super::{history, results};
use crate::theme::Token;

/// Two runs side by side.
#[derive(Debug)]
pub(crate) struct Comparison {
    /// "2026-01-02 10:11 · Example GPU" of the older and the newer run.
    names: [String; 2],
    rows: Vec<Row>,
}

/// A measurement that both runs have.
#[derive(Debug)]
struct Row {
    what: String,
    params: String,
    medians: [f64; 2],
    verdict: Verdict,
}

/// What two medians and their 95 % intervals say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The intervals overlap and the medians are within 2 %.
    Same,
    /// The newer interval lies below the older one.
    Faster,
    /// The newer interval lies above the older one.
    Slower,
    /// The intervals overlap, yet the medians differ.
    Unclear,
}

/// Medians within this are the same: a repetition on a quiet machine differs as much.
const SAME: f64 = 0.02;

impl Verdict {
    fn of(before: &Time, after: &Time) -> Self {
        if after.ci95_s.1 < before.ci95_s.0 {
            Self::Faster
        } else if after.ci95_s.0 > before.ci95_s.1 {
            Self::Slower
        } else if (after.median_s / before.median_s - 1.0).abs() <= SAME {
            Self::Same
        } else {
            Self::Unclear
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Same => "SAME",
            Self::Faster => "FASTER",
            Self::Slower => "SLOWER",
            Self::Unclear => "UNCLEAR",
        }
    }

    fn token(self) -> Token {
        match self {
            Self::Same | Self::Unclear => Token::TextWeak,
            Self::Faster => Token::Accent,
            Self::Slower => Token::Warning,
        }
    }
}

impl Comparison {
    /// Compares what both runs have.
    pub(super) fn new(before: &Report, after: &Report) -> Self {
        let name = |report: &Report| format!("{} · {}", history::when(report), history::device(report));
        let is_same = |one: &Measurement, other: &Measurement| {
            (&one.id, one.side, one.threads, &one.variant, &one.params)
                == (&other.id, other.side, other.threads, &other.variant, &other.params)
        };
        let row = |new: &Measurement| {
            let old = before.results.iter().find(|old| is_same(old, new))?;
            let (before, after) = (old.time?, new.time?);
            Some(Row {
                what: format!("{}, {}", new.id, results::side(new)),
                params: params(new),
                medians: [before.median_s, after.median_s],
                verdict: Verdict::of(&before, &after),
            })
        };
        Self { names: [name(before), name(after)], rows: after.results.iter().filter_map(row).collect() }
    }

    /// One sentence about all rows.
    fn answer(&self) -> String {
        if self.rows.is_empty() {
            return "The two runs have no measurement in common.".to_owned();
        }
        let count = |verdict: Verdict| self.rows.iter().filter(|row| row.verdict == verdict).count();
        format!(
            "Of {} measurements that both have, {} became faster, {} slower, {} are the same and {} are unclear.",
            self.rows.len(),
            count(Verdict::Faster),
            count(Verdict::Slower),
            count(Verdict::Same),
            count(Verdict::Unclear)
        )
    }
}

/// Draws the comparison; true when the user has seen enough.
pub(super) fn show(ui: &mut Ui, comparison: &Comparison) -> bool {
    let is_over = ui
        .horizontal_wrapped(|ui| {
            ui.heading("What changed between the two runs?");
            ui.button("Back to the run").clicked()
        })
        .inner;
    ui.label(comparison.answer());
    let [before, after] = &comparison.names;
    ui.weak(format!("before: {before}    after: {after}    faster and slower: the 95 % intervals do not overlap"));
    ui.add_space(4.0);
    let dark = ui.visuals().dark_mode;
    egui::ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
        TableBuilder::new(ui)
            .id_salt("comparison")
            .striped(true)
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::initial(196.0).at_least(120.0).clip(true).resizable(true))
            .column(Column::initial(150.0).at_least(80.0).clip(true).resizable(true))
            .columns(Column::exact(76.0), 2)
            .column(Column::exact(92.0))
            .column(Column::remainder().at_least(80.0))
            .header(22.0, |mut header| {
                for (title, is_number) in [
                    ("measurement", false),
                    ("parameters", false),
                    ("before", true),
                    ("after", true),
                    ("after / before", true),
                    ("verdict", false),
                ] {
                    header.col(|ui| results::title(ui, title, is_number));
                }
            })
            .body(|body| {
                body.rows(20.0, comparison.rows.len(), |mut table_row| {
                    let row = &comparison.rows[table_row.index()];
                    let [before, after] = row.medians;
                    table_row.col(|ui| drop(ui.add(egui::Label::new(&row.what).truncate())));
                    table_row.col(|ui| drop(ui.add(egui::Label::new(&row.params).truncate())));
                    table_row.col(|ui| number(ui, Unit::Seconds.format(before)));
                    table_row.col(|ui| number(ui, Unit::Seconds.format(after)));
                    table_row.col(|ui| number(ui, Unit::Ratio.format(after / before)));
                    table_row.col(|ui| {
                        ui.label(RichText::new(row.verdict.label()).strong().color(row.verdict.token().color(dark)));
                    });
                });
            });
    });
    is_over
}

#[cfg(test)]
mod tests {
    use crossover_gpu_bench::gpu::clock::TimingSource;
    use crossover_gpu_bench::timing::sampling::StopReason;

    use super::*;

    fn time(median_s: f64, ci95_s: (f64, f64)) -> Time {
        let (stop, source) = (StopReason::Precise, TimingSource::WallClock);
        Time { median_s, iqr_s: 0.0, min_s: median_s, ci95_s, n: 12, stop, source }
    }

    #[test]
    fn only_intervals_apart_make_a_difference() {
        let check = |before: &Time, after: &Time, expected| assert_eq!(Verdict::of(before, after), expected);
        let one = time(1.0, (0.9, 1.1));
        check(&one, &time(0.5, (0.4, 0.6)), Verdict::Faster);
        check(&one, &time(2.0, (1.9, 2.1)), Verdict::Slower);
        check(&one, &time(1.01, (0.95, 1.05)), Verdict::Same);
        check(&one, &time(1.2, (1.0, 1.4)), Verdict::Unclear);
    }
}
