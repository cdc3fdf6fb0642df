//! The scenarios that the baseline of a comparison is compared with, as its document keeps them.

use std::path::Path;

use crossover_page::command::Command;
use crossover_page::services::name_of;
use crossover_scenario::views::OtherScenario;
use egui::Ui;

use crate::pick::Target;

/// The scenarios that the baseline is compared with.
pub(super) struct Others {
    /// Ids of those that are open.
    pub(super) open: Vec<String>,
    /// Those that are not.
    pub(super) gone: Vec<OtherScenario>,
}

impl Others {
    /// Those that the baseline keeps; `alike`: the open scenarios of its kind.
    pub(super) fn of(kept: &[OtherScenario], alike: &[Target<'_>], baseline: &Target<'_>) -> Self {
        let mut others = Self { open: Vec::new(), gone: Vec::new() };
        for other in kept {
            match alike.iter().find(|target| target.document.is_named(other)) {
                // Two names may lead to one scenario.
                Some(target) if target.id == baseline.id || others.open.iter().any(|id| id == target.id) => {}
                Some(target) => others.open.push(target.id.to_owned()),
                None => others.gone.push(other.clone()),
            }
        }
        others
    }
}

/// The same scenarios as they are named now: one that was unsaved may have a file.
pub(super) fn named_now(kept: &[OtherScenario], targets: &[Target<'_>]) -> Vec<OtherScenario> {
    let named_now = |other: &OtherScenario| {
        let open = targets.iter().find(|target| target.document.is_named(other));
        open.map_or_else(|| other.clone(), |target| target.document.reference())
    };
    kept.iter().map(named_now).collect()
}

/// A line for each scenario of the comparison that is not open, with what can be done about it.
pub(super) fn show_gone(ui: &mut Ui, gone: &mut Vec<OtherScenario>, commands: &mut Vec<Command>) {
    gone.retain(|other| {
        let removes = ui.horizontal_wrapped(|ui| match other {
            OtherScenario::File(path) => {
                let name = name_of(Path::new(path));
                ui.label(format!("“{name}” of this comparison is not open.")).on_hover_text(path);
                if ui.button(format!("Open {name}")).on_hover_text(path).clicked() {
                    commands.push(Command::OpenPath(path.into()));
                }
                ui.button(format!("Remove {name}")).clicked()
            }
            OtherScenario::Unsaved(_) => {
                ui.label("A scenario of this comparison was closed without being saved to a file.");
                ui.button("Remove the closed scenario").clicked()
            }
        });
        !removes.inner
    });
}
