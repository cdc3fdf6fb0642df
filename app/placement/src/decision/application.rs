//! The decision about the whole application, in a sentence above that about the query.

use std::sync::Arc;

use crossover_decision::Objective;
use crossover_placement::Placement;
use egui::{Label, RichText, Ui};

use super::super::import::ApplicationWorkload;

/// The application of the query, and the sentence about it.
#[derive(Default)]
pub(super) struct State {
    /// `None` if the query is the only one of its file, or the file is not in memory.
    workload: Option<Arc<ApplicationWorkload>>,
    sentence: Option<(Objective, String)>,
}

impl State {
    pub(super) fn new(workload: Option<Arc<ApplicationWorkload>>) -> Self {
        Self { workload, sentence: None }
    }

    pub(super) fn workload(&self) -> Option<Arc<ApplicationWorkload>> {
        self.workload.clone()
    }

    /// The sentence for this objective, made anew if it changed.
    fn sentence(&mut self, objective: Objective) -> Option<&str> {
        let workload = self.workload.as_deref()?;
        if self.sentence.as_ref().is_none_or(|(of, _)| *of != objective) {
            self.sentence = Some((objective, workload.sentence(objective)));
        }
        self.sentence.as_ref().map(|(_, sentence)| sentence.as_str())
    }
}

/// Draws the sentence, if there is an application.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &Placement, objective: Objective) {
    let Some(sentence) = state.sentence(objective) else { return };
    ui.add(Label::new(sentence).wrap());
    if has_own_inputs(study) {
        let text = "It uses the prices of the catalogue and the default clusters, not those entered for this query. \
                    “Whole application” in the list of queries uses yours.";
        ui.add(Label::new(RichText::new(text).weak()).wrap());
    }
    ui.add_space(6.0);
    ui.weak("This query:");
}

/// Whether the user entered a price or clusters for the query.
fn has_own_inputs(study: &Placement) -> bool {
    let is_entered = |path: &str| !study.sources.contains_key(path);
    let prices = study.engines.as_deref().is_some_and(|engines| {
        engines.cpu.usd_per_hour.is_some() && is_entered("engines.cpu.usd_per_hour")
            || engines.gpu.usd_per_hour.is_some() && is_entered("engines.gpu.usd_per_hour")
    });
    prices || study.decision.as_deref().is_some_and(|inputs| !inputs.candidates.is_empty())
}
