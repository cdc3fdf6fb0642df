//! Start and limits of the precision of a cluster.

use crossover_page::widgets::form::{self, Choice};
use crossover_regulation::Regulation;
use crossover_study::Subject;
use egui::Ui;

use super::Env;

/// Start, lowest or highest precision of a cluster.
#[derive(Debug, Clone, Copy)]
pub(super) enum Precision {
    Start,
    Lowest,
    Highest,
}

impl Precision {
    pub(super) const ALL: [Self; 3] = [Self::Start, Self::Lowest, Self::Highest];

    fn text(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Start => ("precision", "precision", "Precision at the start"),
            Self::Lowest => ("lowest_precision", "lowest precision", "The lowest precision that its work allows"),
            Self::Highest => ("highest_precision", "highest precision", "The highest precision that its work allows"),
        }
    }
}

/// Draws the row; the other two follow where they must.
pub(super) fn row(ui: &mut Ui, study: &mut Regulation, cluster: usize, precision: Precision, env: &mut Env<'_>) {
    let (key, label, explanation) = precision.text();
    let path = format!("clusters.{}.{key}", study.clusters[cluster].name);
    let choices = study.precisions.iter().map(|level| Choice::new(level.name.clone(), &level.name, &level.note));
    let cluster = &mut study.clusters[cluster];
    let field = match precision {
        Precision::Start => &mut cluster.precision,
        Precision::Lowest => &mut cluster.lowest_precision,
        Precision::Highest => &mut cluster.highest_precision,
    };
    if form::choose(ui, (label, explanation), &path, field, choices, env.commands) {
        study.settle(&path);
    }
}
