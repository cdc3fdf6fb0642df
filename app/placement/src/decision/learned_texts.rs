//! What was learned from a trial, beside the prediction before and after it.

use crossover_decision::PredictedTime;
use crossover_decision::words::time;
use crossover_page::widgets::text_table;
use crossover_placement::Placement;
use crossover_plan::decide::Workload;
use crossover_plan::site::predicted_before;
use crossover_quantity::text::{Column, Table};
use crossover_quantity::unit::{Unit, predicted};
use egui::{Label, Ui};

/// What was learned from a trial, in words, and the prediction for the query before and after it.
pub(super) struct LearnedTexts {
    sentence: String,
    /// Without a row if the study has no trial.
    predictions: Table,
}

impl LearnedTexts {
    /// `None` if the study learned nothing.
    pub(super) fn new(study: &Placement, workload: &Workload) -> Option<Self> {
        let learned = study.decision.as_deref()?.learned.as_deref()?;
        let [before, after] = learned.error_factors_90.map(|factor| Unit::Ratio.format(predicted(factor)));
        let sentence = format!(
            "Learned from {}: measured ÷ predicted time of {} is {} (geometric mean). The 90 % error factor changes from {before} to {after}.",
            learned.runs,
            learned.option,
            Unit::Factor.format(predicted(learned.mean_ratio))
        );
        let tried = workload.tried.as_ref();
        let row = |(when, of_query): (&str, Option<PredictedTime>)| {
            let (of_query, run) = (of_query?, &tried?.run);
            let ratio = Unit::Factor.format(predicted(run.seconds / of_query.value()));
            Some(vec![when.to_owned(), time(&of_query), ratio])
        };
        let predictions = [
            ("before learning", predicted_before(study)),
            ("after learning", tried.and_then(|tried| tried.predicted.time)),
        ];
        let predictions = Table {
            columns: vec![
                Column::text("prediction"),
                Column::number("time of this query"),
                Column::number("measured ÷ predicted"),
            ],
            rows: predictions.into_iter().filter_map(row).collect(),
        };
        Some(Self { sentence, predictions })
    }

    pub(super) fn show(&self, ui: &mut Ui) {
        ui.add(Label::new(&self.sentence).wrap());
        if !self.predictions.rows.is_empty() {
            text_table::show(ui, "learned", &self.predictions, &[]);
        }
    }
}
