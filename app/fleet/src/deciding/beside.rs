//! What a decision about a log says beside its options: warnings, notes, settings, a step on today's machines, and the growth that
//! changes it.

use crossover_export::decision::{DecidedWorkload, WithoutAMove};
use crossover_fleet::Base;
use crossover_fleet::answer::note_of_runs;
use crossover_fleet::application::Application;
use crossover_plan::remarks::{Remarks, remarks};
use crossover_plan::skew::{self, SkewStep};
use crossover_plan::{Cluster, Import};

use super::growth::Growing;

/// What is known of a log before it is an application.
pub(crate) struct BesideOptions {
    growing: Growing,
    remarks: Remarks,
    skew: Option<SkewStep>,
    /// Its machines and settings of Spark.
    pub(crate) cluster: Cluster,
}

impl BesideOptions {
    /// That of a log, or of its query with the id `only`.
    pub(crate) fn new(base: &Base, import: &Import, only: Option<&str>) -> Self {
        let mut remarks = remarks(import, only);
        remarks.warnings.extend(base.entered_instead(&import.cluster));
        Self {
            growing: Growing::new(base, import, only),
            remarks,
            skew: skew::next_step(import, only),
            cluster: import.cluster.clone(),
        }
    }

    /// Adds a warning about what is assumed, if something is.
    pub(crate) fn assume(&mut self, warning: Option<String>) {
        self.remarks.warnings.extend(warning);
    }

    /// Adds it to a decision about the application, or about its query at the place `only`, after this note.
    pub(crate) fn add_to(
        self,
        decided: &mut DecidedWorkload,
        note: Option<String>,
        base: &Base,
        application: &Application,
        only: Option<usize>,
    ) {
        decided.growth = decided
            .decision
            .as_ref()
            .and_then(|decision| self.growing.change(base, application, decision, only, &|| false));
        let of_runs = if only.is_none() { note_of_runs(&application.queries) } else { None };
        self.add_remarks(decided, note.into_iter().chain(of_runs));
    }

    /// Adds all of it but the growth, after these notes.
    pub(crate) fn add_remarks(self, decided: &mut DecidedWorkload, first: impl IntoIterator<Item = String>) {
        let Remarks { warnings, notes } = &mut decided.remarks;
        warnings.extend(self.remarks.warnings);
        notes.extend(first);
        notes.extend(self.remarks.notes);
        decided.settings = self.cluster.settings;
        decided.without_a_move = self.skew.map(|step| WithoutAMove::new(&step, decided.decision.as_ref()));
    }
}
