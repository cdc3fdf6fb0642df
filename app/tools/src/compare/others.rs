//! The scenarios that the baseline of a comparison is compared with, as its document keeps them.

use std::path::Path;

use crossover_page::command::Command;
use crossover_page::services::name_of;
use crossover_page::terminal::called;
use crossover_scenario::views::OtherScenario;
use egui::Ui;

use crate::pick::Target;

/// The scenarios that the baseline is compared with.
pub(super) struct Others {
    /// Ids of those that are compared.
    pub(super) open: Vec<String>,
    /// Those that are not compared: they are not open, or of another kind.
    pub(super) left_out: Vec<OtherScenario>,
}

impl Others {
    /// Those that the baseline keeps; `alike`: the open scenarios of its kind.
    pub(super) fn of(kept: &[OtherScenario], alike: &[Target<'_>], baseline: &Target<'_>) -> Self {
        let mut others = Self { open: Vec::new(), left_out: Vec::new() };
        for other in kept {
            match alike.iter().find(|target| target.document.is_named(other)) {
                // Two names may lead to one scenario.
                Some(target) if target.id == baseline.id || others.open.iter().any(|id| id == target.id) => {}
                Some(target) => others.open.push(target.id.to_owned()),
                None => others.left_out.push(other.clone()),
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

/// A line for each scenario that is left out of the comparison, with what can be done about it.
pub(super) fn show_left_out(
    ui: &mut Ui,
    left_out: &mut Vec<OtherScenario>,
    targets: &[Target<'_>],
    baseline: &Target<'_>,
    commands: &mut Vec<Command>,
) {
    left_out.retain(|other| {
        let open = targets.iter().find(|target| target.document.is_named(other));
        let removes = ui.horizontal_wrapped(|ui| match (open, other) {
            (Some(target), _) => {
                let [kind, of_baseline] = [target, baseline].map(|of| called(of.scenario.study.kind()));
                ui.label(format!("“{}” is {kind} and cannot be compared with {of_baseline}.", target.title));
                ui.button(format!("Remove {}", target.title)).clicked()
            }
            (None, OtherScenario::File(path)) => {
                let name = name_of(Path::new(path));
                ui.label(format!("“{name}” of this comparison is not open.")).on_hover_text(path);
                if ui.button(format!("Open {name}")).on_hover_text(path).clicked() {
                    commands.push(Command::OpenPath(path.into()));
                }
                ui.button(format!("Remove {name}")).clicked()
            }
            (None, OtherScenario::Unsaved(_)) => {
                ui.label("A scenario of this comparison was closed without being saved to a file.");
                ui.button("Remove the closed scenario").clicked()
            }
        });
        !removes.inner
    });
}
