//! The list of kept probes, from which a copy is opened.

use crossover_page::services::{Question, Services};
use crossover_quantity::text::{counted, one_line};
use egui::{Grid, Id, Modal, Role, ScrollArea, TextEdit, WidgetInfo};

use super::kept::KeptProbe;

/// Width of the list, in points.
const WIDTH: f32 = 620.0;
/// Height of the list, in points.
const HEIGHT: f32 = 320.0;

/// Kept probes to choose from.
pub(super) struct KeptList {
    kept: Vec<KeptProbe>,
    /// Part of the type of task that is looked for.
    wanted: String,
}

impl KeptList {
    /// Begins with probes of this type, if there are any.
    pub(super) fn new(kept: Vec<KeptProbe>, task_type: &str) -> Self {
        let mut list = Self { kept, wanted: task_type.to_owned() };
        if list.found().next().is_none() {
            list.wanted.clear();
        }
        list
    }

    /// The probes of types that contain what is looked for.
    fn found(&self) -> impl Iterator<Item = &KeptProbe> {
        let wanted = self.wanted.trim().to_lowercase();
        self.kept.iter().filter(move |kept| kept.task_type().to_lowercase().contains(&wanted))
    }
}

impl Question for KeptList {
    fn show(&mut self, services: &mut Services<'_>) -> bool {
        let ctx = services.ctx().clone();
        let (mut opened, mut is_closed) = (None, false);
        let modal = Modal::new(Id::unique("kept probes")).show(&ctx, |ui| {
            ui.set_width(WIDTH);
            ui.heading("Kept probes");
            ui.horizontal(|ui| {
                ui.label("task type");
                let field = ui.add(TextEdit::singleline(&mut self.wanted).desired_width(200.0));
                field.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "task type to find"));
            });
            ScrollArea::vertical().max_height(HEIGHT).show(ui, |ui| {
                Grid::new("kept").num_columns(5).striped(true).spacing([14.0, 3.0]).show(ui, |ui| {
                    for kept in self.found() {
                        let [operators, _, runs] = kept.counts().map(|count| count as f64);
                        ui.label(one_line(kept.task_type()));
                        ui.label(one_line(&kept.scenario.name));
                        ui.label(format!("{}, {}", counted(operators, "operator"), counted(runs, "run")));
                        ui.weak(kept.kept_at());
                        if ui.button("Open copy").clicked() {
                            opened = Some(kept.scenario.clone());
                        }
                        ui.end_row();
                    }
                });
            });
            if self.found().next().is_none() {
                ui.weak("No probe of this type is kept.");
            }
            ui.add_space(8.0);
            is_closed = ui.button("Cancel").clicked();
        });
        if let Some(scenario) = opened {
            _ = services.open(scenario);
            return false;
        }
        !(is_closed || modal.should_close())
    }
}
