//! "Fit engines" without cases of a file: the fits to the measured queries that come with the program.

use crossover_engine::AnchoredFit;
use crossover_page::widgets::text_table;
use crossover_plan::shipped::{Scoreboard, ScoredSet, measured_sets};
use crossover_quantity::text::{Column, Table, counted};
use crossover_quantity::unit::{Unit, predicted};
use crossover_study::{Watch, numbers};
use egui::Ui;

use super::shipped::ShippedFinding;

/// The shipped sets that have a fit.
#[derive(Debug)]
pub(super) struct FittedSets {
    /// What was fitted to each set of the scoreboard.
    fits: Vec<AnchoredFit>,
    /// Each query, predicted by a fit to all others; without decisions.
    scoreboard: Scoreboard,
}

impl ShippedFinding for FittedSets {
    const NAME: &'static str = "fits";
    const AGAIN: &'static str = "Fit";
    const IN_WORDS: &'static str = "Fitting engines to the shipped queries";

    fn find(watch: &Watch<'_>) -> Result<Option<Self>, String> {
        let (mut fits, mut sets) = (Vec::new(), Vec::new());
        for set in measured_sets()? {
            // Too few queries have no fit.
            if let Some(fit) = set.fit() {
                sets.push(set.queries_left_out(&fit));
                fits.push(fit);
            }
            if watch.step().is_none() {
                return Ok(None);
            }
        }
        Ok(Some(Self { fits, scoreboard: Scoreboard { sets, decisions: None } }))
    }

    fn scoreboard(&self) -> &Scoreboard {
        &self.scoreboard
    }

    fn label(set: &ScoredSet) -> String {
        set.name.to_owned()
    }

    fn status(&self) -> String {
        format!("{} to shipped measurements", counted(self.fits.len() as f64, "fit"))
    }

    fn head(&self, ui: &mut Ui, picked: usize) {
        let (Some(fit), Some(scored)) = (self.fits.get(picked), self.scoreboard.sets.get(picked)) else { return };
        let [today, other] = scored.pair;
        ui.heading("Fit results");
        ui.label(format!(
            "Time in {other}, from the measured time in {today}: {}. Fitted to {} of {}.",
            fit.form,
            counted(scored.queries.len() as f64, "query"),
            scored.benchmark
        ));
        text_table::show(ui, "fitted-numbers", &fitted_numbers(fit), &[]);
        let factor = Unit::Ratio.format(predicted(fit.anchored.error_factor_90));
        ui.add_space(12.0);
        ui.label("Leave-one-out cross-validation: each query is predicted by a fit to all others.");
        ui.label(format!("90 % of the measured times are within a factor of {factor} of the prediction."));
    }
}

/// The fitted numbers with their meanings. What the fit only records, such as its machines, is left out, and so is what its form lacks.
fn fitted_numbers(fit: &AnchoredFit) -> Table {
    let columns = vec![Column::text("number"), Column::number("value"), Column::text("meaning")];
    let fitted = numbers(&fit.anchored).into_iter().filter(|(_, quantity, value)| !quantity.chosen && *value != 0.0);
    let rows = fitted.map(|(_, quantity, value)| {
        vec![quantity.label.to_owned(), quantity.unit.format(predicted(value)), quantity.meaning.to_owned()]
    });
    Table { columns, rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 90 % intervals of both numbers as scenarios/placement-truth-aws-l4.ron states them.
    #[test]
    fn the_fit_to_the_shipped_queries_has_the_numbers_of_their_scenario() {
        let found = Watch::uncancellable(|watch| FittedSets::find(&watch)).expect("readable").expect("not cancelled");
        let FittedSets { fits, scoreboard } = &found;
        let mut each = fits.iter().zip(&scoreboard.sets);
        let (fit, scored) = each.find(|(_, set)| FittedSets::label(set) == "Spark → RAPIDS, 4 × L4").expect("its fit");
        let anchored = &fit.anchored;
        assert!((0.001_686..=0.003_286).contains(&anchored.file_seconds), "{}", anchored.file_seconds);
        assert!(anchored.read_gb_per_s.is_some_and(|rate| (1.916..=4.272).contains(&rate)), "{anchored:?}");
        let table = fitted_numbers(fit);
        let labels: Vec<&str> = table.rows.iter().map(|row| row[0].as_str()).collect();
        assert!(labels.contains(&"file open cost") && !labels.contains(&"fitted cores"), "{labels:?}");
        assert_eq!(scored.queries.len(), 48, "queries of the benchmark");
    }
}
