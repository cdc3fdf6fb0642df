//! Applying measured figures to a scenario: old and new values, each with a tick box.

use std::collections::BTreeSet;

use crossover_measured::calibration::Calibration;
use crossover_page::command::Command;
use crossover_page::document::Document;
use crossover_page::services::Services;
use crossover_page::widgets::form::{self, quantity};
use crossover_page::widgets::table::name_edges;
use crossover_placement::Placement;
use crossover_placement::calibration::{Change, apply, changes, withheld};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use egui::{Align, Button, Checkbox, ComboBox, Context, Id, Label, Layout, Modal, RichText, Ui, WidgetInfo};
use egui_extras::{Column, TableBuilder};

use super::results::{dash, interval, number, title};
use super::{Env, Request, Target};
use crossover_chart::theme::Token;

/// The open dialog: which figures to apply, and to which scenario.
#[derive(Debug, Default)]
pub(super) struct Apply {
    /// The document; the first one if it is gone.
    document: String,
    /// Paths whose tick the user has changed.
    toggled: BTreeSet<String>,
    /// Whether the figures of a disturbed machine were requested once, and not yet confirmed.
    is_confirming: bool,
}

/// Draws the question; false when it is answered.
pub(super) fn show(ctx: &Context, apply: &mut Apply, calibration: &Calibration, env: &mut Env<'_>) -> bool {
    let mut is_open = true;
    let size = ctx.content_rect().size();
    let modal = Modal::new(Id::unique("apply")).show(ctx, |ui| {
        ui.set_width((size.x - 48.0).min(980.0));
        let doubts = calibration.doubts();
        if apply.is_confirming {
            let answer = confirm(ui, &doubts);
            if answer == Some(true)
                && let Some(target) = target(&apply.document, env.targets)
            {
                let changes = apply.taken(changes(calibration, target.study));
                env.commands.push(Command::ask(Request::Apply { document: target.id.to_owned(), changes }));
                is_open = false;
            }
            apply.is_confirming &= answer.is_none();
            return;
        }
        ui.heading("Which figures to apply to the scenario?");
        let Some(target) = target(&apply.document, env.targets) else {
            ui.label("No placement scenario is open. Open one, then return: the measurement stays here.");
            is_open &= !ui.button("Close").clicked();
            return;
        };
        pick_document(ui, apply, target, env.targets);
        let changes = changes(calibration, target.study);
        for doubt in &doubts {
            ui.colored_label(Token::Error.color(ui.visuals().dark_mode), format!("Disturbed: {doubt}."));
        }
        for caution in &calibration.cautions {
            ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), format!("Caution: {caution}."));
        }
        for reason in withheld(calibration, target.study) {
            ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), format!("Not offered: {reason}."));
        }
        if changes.is_empty() {
            ui.label("The scenario already has every figure of this measurement.");
        } else {
            ui.add_space(4.0);
            let height = (size.y - 290.0).clamp(80.0, 24.0 * changes.len() as f32 + 4.0);
            table(ui, apply, target.study, &changes, height);
            form::legend(ui, target.study);
        }
        let taken = apply.taken(changes);
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            let more = if doubts.is_empty() { "" } else { "…" };
            let button = Button::new(format!("Apply {}{more}", counted(taken.len() as f64, "value")));
            let is_clicked = ui.add_enabled(!taken.is_empty(), button).clicked();
            if is_clicked && !doubts.is_empty() {
                apply.is_confirming = true;
            } else if is_clicked {
                let document = target.id.to_owned();
                env.commands.push(Command::ask(Request::Apply { document, changes: taken }));
                is_open = false;
            }
            is_open &= !ui.button("Cancel").clicked();
            ui.weak("One undo reverts all changes.");
        });
    });
    is_open && !modal.should_close()
}

/// Asks once more, with the reasons: whether the figures of a disturbed machine are applied; `None` without an answer yet.
fn confirm(ui: &mut Ui, doubts: &[String]) -> Option<bool> {
    ui.heading("Apply the figures of a disturbed machine?");
    for doubt in doubts {
        ui.label(format!("{}.", capitalised(doubt)));
    }
    ui.label("Other programs, throttling or a shared host cause this. Measure again on an idle machine for figures that last.");
    ui.add_space(8.0);
    let mut answer = None;
    ui.horizontal(|ui| {
        if ui.button("Back").clicked() {
            answer = Some(false);
        }
        if ui.button("Apply anyway").clicked() {
            answer = Some(true);
        }
    });
    answer
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Changes a document in one step and shows it.
pub fn take_over(services: &mut Services<'_>, document: &str, changes: &[Change]) {
    services.edit(document, |study| {
        if let Some(study) = study.placement_mut() {
            apply(study, changes);
        }
    });
    let target = services.document(document).filter(|document| document.scenario.placement().is_some());
    let Some(title) = target.map(Document::title) else { return };
    services.show(document);
    let values = counted(changes.len() as f64, "value");
    services.notify(format!("Applied {values} to “{title}”; Edit → Undo reverts them"));
}

impl Apply {
    /// The question about this document.
    pub(super) fn new(targets: &[Target<'_>]) -> Self {
        let last = targets.iter().find(|target| target.was_last).or(targets.first());
        Self { document: last.map(|target| target.id.to_owned()).unwrap_or_default(), ..Self::default() }
    }

    /// Whether a change is selected: by default all that are valid in the study.
    fn is_taken(&self, change: &Change) -> bool {
        change.caution.is_none() != self.toggled.contains(&change.path)
    }

    fn taken(&self, changes: Vec<Change>) -> Vec<Change> {
        changes.into_iter().filter(|change| self.is_taken(change)).collect()
    }

    fn toggle(&mut self, path: &str) {
        if !self.toggled.remove(path) {
            self.toggled.insert(path.to_owned());
        }
    }
}

fn target<'a, 'b>(document: &str, targets: &'b [Target<'a>]) -> Option<&'b Target<'a>> {
    targets.iter().find(|target| target.id == document).or(targets.first())
}

fn pick_document(ui: &mut Ui, apply: &mut Apply, target: &Target<'_>, targets: &[Target<'_>]) {
    ui.horizontal(|ui| {
        ui.label("scenario:");
        let before = target.id.to_owned();
        let mut chosen = before.clone();
        let combo = ComboBox::from_id_salt("target").selected_text(&target.title).width(240.0).show_ui(ui, |ui| {
            for other in targets {
                ui.selectable_value(&mut chosen, other.id.to_owned(), &other.title);
            }
        });
        combo.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "scenario to change"));
        if chosen != before {
            apply.toggled.clear();
        }
        apply.document = chosen;
    });
}

fn table(ui: &mut Ui, apply: &mut Apply, study: &Placement, changes: &[Change], height: f32) {
    let dark = ui.visuals().dark_mode;
    egui::ScrollArea::horizontal().auto_shrink([false, true]).show(ui, |ui| {
        TableBuilder::new(ui)
            .id_salt("changes")
            .striped(true)
            .max_scroll_height(height)
            .auto_shrink([false, true])
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::exact(24.0))
            .column(Column::initial(210.0).at_least(120.0).clip(true).resizable(true))
            .columns(Column::exact(100.0), 2)
            .column(Column::exact(150.0))
            .column(Column::remainder().at_least(180.0).clip(true))
            .header(22.0, |mut header| {
                for (text, is_number) in [
                    ("", false),
                    ("parameter", false),
                    ("now", true),
                    ("measured", true),
                    ("95 % interval", true),
                    ("note", false),
                ] {
                    header.col(|ui| title(ui, text, is_number));
                }
            })
            .body(|body| {
                body.rows(22.0, changes.len(), |mut row| {
                    let change = &changes[row.index()];
                    row.col(|ui| {
                        let mut is_taken = apply.is_taken(change);
                        let tick = ui.add(Checkbox::without_text(&mut is_taken));
                        tick.widget_info(|| {
                            WidgetInfo::selected(egui::Role::CheckBox, true, is_taken, format!("Apply {}", change.path))
                        });
                        if tick.changed() {
                            apply.toggle(&change.path);
                        }
                    });
                    row.col(|ui| drop(ui.add(Label::new(&change.label).truncate()).on_hover_text(&change.path)));
                    row.col(|ui| {
                        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                            let entered = Provenance::Entered;
                            if change.old.is_some() {
                                quantity::mark(ui, study.sources.get(&change.path).unwrap_or(&entered));
                            }
                            ui.label(change.old.map_or_else(dash, |old| short(change.unit).format(old)));
                        });
                    });
                    row.col(|ui| number(ui, short(change.unit).format(change.new)));
                    row.col(|ui| {
                        if let Provenance::Measured { interval: ends, .. } = &change.provenance {
                            number(ui, interval(short(change.unit), *ends));
                        }
                    });
                    row.col(|ui| {
                        let caution = change.caution.as_deref().unwrap_or_default();
                        let text = RichText::new(caution).color(Token::Warning.color(dark));
                        let label = ui.add(Label::new(text).truncate());
                        if !caution.is_empty() {
                            label.on_hover_text(caution);
                        }
                    });
                });
            });
        name_edges(ui, "changes", &[(1, "parameter")]);
    });
}

/// Times per 100 MB have it in their name, not in the unit.
fn short(unit: Unit) -> Unit {
    if unit == Unit::SecondsPer100Mb { Unit::Seconds } else { unit }
}
