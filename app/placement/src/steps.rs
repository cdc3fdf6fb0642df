//! The three steps to an answer about a query: what runs, where it could run, and the answer.

use crossover_page::command::Tool;
use egui::{Role, Ui, WidgetInfo};

/// The first step, which is a page of its own.
pub const WHAT: Tool = Tool {
    title: "Move queries",
    tooltip: "Decide which engine and machines should run a query, in three steps: what, where, answer",
    help: "DECIDE-SPARK.md#decide-in-the-window",
};

/// A step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Which query.
    What,
    /// On which machines, today and instead.
    Where,
    /// What should run it.
    Answer,
}

impl Step {
    /// All steps, in their order.
    const ALL: [Self; 3] = [Self::What, Self::Where, Self::Answer];

    fn text(self) -> &'static str {
        match self {
            Self::What => "1 What",
            Self::Where => "2 Where",
            Self::Answer => "3 Answer",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::What => "Choose a log, a plan or SQL, and a query of it",
            Self::Where => "Check today’s machines, enter prices, and add clusters to compare",
            Self::Answer => "What should run the query, in which time and for which cost",
        }
    }

    fn before(self) -> Option<Self> {
        match self {
            Self::What => None,
            Self::Where => Some(Self::What),
            Self::Answer => Some(Self::Where),
        }
    }
}

/// Draws the steps with the present one marked, and a way back; gives the step that was picked, which may be the present
/// one: it has several pages. `last`: the last step that can be reached.
pub fn header(ui: &mut Ui, present: Step, last: Step) -> Option<Step> {
    let mut picked = None;
    let place = |step: Step| Step::ALL.iter().position(|other| *other == step);
    ui.horizontal_wrapped(|ui| {
        let back = ui.add_enabled(present.before().is_some(), egui::Button::new("Back"));
        if back.on_hover_text("Go to the previous step").clicked() {
            picked = present.before();
        }
        for step in Step::ALL {
            let is_present = step == present;
            let can_reach = place(step) <= place(last);
            let button = ui.add_enabled(can_reach, egui::Button::selectable(is_present, step.text()));
            button.widget_info(|| WidgetInfo::selected(Role::Tab, can_reach, is_present, step.text()));
            let button = button.on_hover_text(step.meaning()).on_disabled_hover_text("Choose a query first");
            if button.clicked() {
                picked = Some(step);
            }
        }
    });
    picked
}
