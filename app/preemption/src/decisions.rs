//! Preemption decisions: every preemption that was evaluated, with its gain.

use crossover_chart::screen::{self, Swatch};
use crossover_page::widgets::cell::right;
use crossover_page::widgets::table::{self, CELLS};
use crossover_preemption::{Decision, Policy, Preemption};
use crossover_quantity::unit::Unit;
use crossover_scenario::glossary::Meaning;
use egui::{Align, Label, Layout, RichText, ScrollArea, Ui};
use egui_extras::{Column, TableBuilder};

use super::evaluated::EvaluatedStudy;
use super::{elided, token};

/// Columns: title, whether it has numbers, meaning.
const COLUMNS: [(&str, bool, Meaning); 9] = [
    ("at cycle", true, Meaning::own("When the preemption was evaluated")),
    ("running", false, Meaning::own("The kernel that runs")),
    ("waiting", false, Meaning::own("The kernel that waits")),
    ("work without", true, Meaning::own("Without the preemption").and_term("cycles alone")),
    ("work with", true, Meaning::own("With the preemption").and_term("cycles alone")),
    ("work gain", true, Meaning::term("work gain")),
    ("switch cost", true, Meaning::term("switch cost")),
    ("break-even", true, Meaning::term("break-even switch cost")),
    ("result", false, Meaning::own("What the policy did")),
];

/// Decisions that are listed.
const LISTED: usize = 200;
/// Height of a row, and of the list, in points.
const ROW: f32 = 18.0;
const HEIGHT: f32 = 190.0;
/// Letters of a name in a sentence about all of them.
const LETTERS: usize = 30;
/// Width of a kernel with the number of its launch, in points.
const KERNEL: f32 = 156.0;

/// The selected decision: the picked one, else the one with the largest gain.
pub(super) fn chosen(shown: &EvaluatedStudy, picked: Option<usize>) -> Option<usize> {
    picked.filter(|picked| *picked < shown.outcome.log.decisions.len()).or(shown.largest_gain)
}

/// Draws the decisions; returns one that was pressed. Of a new outcome the chosen one is scrolled into view.
pub(super) fn show(ui: &mut Ui, shown: &EvaluatedStudy, chosen: Option<usize>, is_new: bool) -> Option<usize> {
    let (study, decisions) = (&shown.study, &shown.outcome.log.decisions);
    ui.add_space(10.0);
    ui.heading("Preemption decisions");
    if decisions.is_empty() {
        ui.weak(nothing(study));
        return None;
    }
    let left = decisions.iter().filter(|of| of.is_preempted).count();
    let count = |count: usize| Unit::Count.format(count as f64);
    let cut = if shown.outcome.log.is_truncated { " (log truncated)" } else { "" };
    let preemptions = match decisions.len() {
        1 => "1 preemption".to_owned(),
        several => format!("{} preemptions", count(several)),
    };
    let text = if study.rule.policy == Policy::Weighing {
        let were = if decisions.len() == 1 { "was" } else { "were" };
        format!("{preemptions} {were} evaluated in the first stream{cut}, {} carried out", count(left))
    } else {
        format!(
            "{preemptions} in the first stream{cut}; this policy preempts regardless of the gain, shown for comparison"
        )
    };
    let example = &decisions[chosen.filter(|chosen| *chosen < decisions.len()).unwrap_or(0)];
    let text = format!(
        "{text}; work in cycles alone (without other kernels), costs in cycles; {} · {} is launch {} of the stream",
        elided::letters(name(study, example.running.1), LETTERS),
        example.running.0 + 1,
        example.running.0 + 1
    );
    ui.label(RichText::new(text).weak());
    if let Some(decision) = chosen.and_then(|chosen| decisions.get(chosen)) {
        ui.label(decision.sentence(study));
    }
    ui.add_space(2.0);
    let picked = list(ui, study, decisions, (chosen, is_new));
    if decisions.len() > LISTED {
        ui.weak(format!("and {} more in the exported data", count(decisions.len() - LISTED)));
    }
    picked
}

/// Why there are no decisions.
fn nothing(study: &Preemption) -> String {
    let why = match study.rule.policy {
        Policy::Weighing => {
            return "No preemption was evaluated in the first stream: no arriving kernel gave a higher sum of normalised IPC."
                .to_owned();
        }
        Policy::Switching => {
            return "No preemption in the first stream: no arriving kernel gave a higher sum of normalised IPC."
                .to_owned();
        }
        Policy::Combining | Policy::Exclusive | Policy::Sharing => "This policy does not preempt",
        Policy::Slicing => "This policy preempts at the end of each time slice",
        Policy::Draining => {
            "This policy preempts when the resident blocks have ended, so there is no switch cost to evaluate"
        }
        Policy::Flushing => {
            "This policy preempts at once and restarts the resident blocks, so there is no switch cost to evaluate"
        }
        Policy::Partial => "This policy preempts blocks for every arrival, without evaluating the switch cost",
    };
    format!("{why}; choose “cost-aware preemption” to see what each switch costs and gains.")
}

fn list(
    ui: &mut Ui,
    study: &Preemption,
    decisions: &[Decision],
    (chosen, is_new): (Option<usize>, bool),
) -> Option<usize> {
    let mut picked = None;
    table::mark_picked(ui);
    let rows = decisions.len().min(LISTED);
    // The height does not depend on the position on the page, which scrolls.
    let height = (24.0 + (ROW + 4.0) * rows as f32).min(HEIGHT);
    let mut stops = table::Rows::new(ui, "decisions");
    let area = ScrollArea::horizontal().id_salt("decisions").max_height(height).auto_shrink([false, true]);
    let shown = area.show(ui, |ui| {
        let mut table = TableBuilder::new(ui)
            .id_salt("decisions")
            .striped(true)
            .max_scroll_height(height)
            .min_scrolled_height(height)
            .sense(CELLS)
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::exact(88.0))
            .columns(Column::exact(KERNEL), 2)
            .column(Column::exact(86.0))
            .columns(Column::exact(76.0), 4)
            .column(Column::remainder().at_least(52.0));
        if let Some(row) = chosen.filter(|chosen| is_new && *chosen < rows) {
            table = table.scroll_to_row(row, Some(Align::Center));
        }
        table
            .header(20.0, |mut header| {
                for (text, is_number, meaning) in COLUMNS {
                    header.col(|ui| {
                        if !is_number {
                            ui.add_space(4.0);
                        }
                        table::fixed_title(ui, text, is_number, meaning);
                    });
                }
            })
            .body(|body| {
                body.rows(ROW, rows, |mut row| {
                    let place = row.index();
                    let of = &decisions[place];
                    let is_chosen = chosen == Some(place);
                    row.set_selected(is_chosen);
                    let mut is_pressed = false;
                    row.col(|ui| {
                        is_pressed = stops.stop(ui, is_chosen, &described(place));
                        right(ui, whole(of.at));
                    });
                    for (launch, kernel) in [of.running, of.waiting] {
                        row.col(|ui| {
                            ui.add_space(4.0);
                            screen::swatch(ui, token::kernel(kernel as usize), Swatch::Square);
                            let room = ui.available_width();
                            elided::label(ui, name(study, kernel), &format!(" · {}", launch + 1), room);
                        });
                    }
                    for value in [
                        of.weighed.before,
                        of.weighed.after,
                        of.weighed.gain,
                        of.case.preempt_cycles,
                        of.weighed.break_even_cycles,
                    ] {
                        row.col(|ui| drop(right(ui, whole(value))));
                    }
                    let result = if of.is_preempted { "preempt" } else { "keep" };
                    row.col(|ui| {
                        ui.add_space(4.0);
                        ui.add(Label::new(result).selectable(false));
                    });
                    let response = row.response().on_hover_ui(|ui| drop(ui.label(of.sentence(study))));
                    if is_pressed || response.clicked() {
                        picked = Some(place);
                    }
                });
            })
    });
    let first = first_in_view(shown.inner.state.clamped_offset().y, ui.spacing().item_spacing.y).min(rows - 1);
    if stops.stand_in(ui, shown.inner_rect, chosen == Some(first), &described(first)) {
        picked = Some(first);
    }
    picked
}

/// The name of a row.
fn described(place: usize) -> String {
    format!("decision {}", place + 1)
}

/// The first row in view of a list that has scrolled this far; `space` is between rows. Points.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a list, at least 0")]
fn first_in_view(scrolled: f32, space: f32) -> usize {
    (scrolled / (ROW + space)) as usize
}

fn name(study: &Preemption, kernel: u32) -> &str {
    study.kernels.get(kernel as usize).map_or("", |kernel| kernel.name.as_str())
}

/// "1,040,000".
pub(super) fn whole(cycles: f64) -> String {
    Unit::Count.format(cycles.round())
}
