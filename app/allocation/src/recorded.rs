//! A scenario of a recorded cluster: groups of nodes and tasks that are alike. Tasks with recorded times arrive at them in the
//! replay.

use std::path::{Path, PathBuf};

use crossover_allocation::summary::{Files, summarised};
use crossover_allocation::{Arrivals, Form, Policy, Trace};
use crossover_scenario::{Scenario, Study};
use crossover_traces::named;

/// Machines that are assumed for a trace without machines; each has eight GPUs.
pub(super) const MACHINES: u16 = 12;

/// The trace and the files of a scenario.
pub(super) struct Source<'a> {
    pub(super) trace: &'a Trace,
    /// File of nodes and file of tasks; one file may have both.
    pub(super) files: [&'a Path; 2],
    /// How the scenario names its files; `None`: times were not recorded.
    pub(super) form: Option<Form>,
}

impl Source<'_> {
    /// The scenario, and what was left out.
    ///
    /// # Errors
    /// No task, no GPU, or more than a study may have.
    pub(super) fn scenario(&self, policy: Policy, arrivals: Arrivals) -> Result<(Scenario, Vec<String>), String> {
        let name = |file: &Path| file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let [nodes, tasks] = self.files.map(name);
        let (mut study, mut notes) = summarised(self.trace, Files { nodes: &nodes, tasks: &tasks }, policy, arrivals);
        if let Some(form) = self.form.filter(|_| self.trace.tasks.iter().any(|task| task.seconds.is_some())) {
            match named::name(form, &self.paths(form), self.trace.clone()) {
                Ok(named) => notes.extend(study.replay_recorded(named)),
                Err(error) => notes.push(format!("the recorded times of tasks are not used: {error}")),
            }
        }
        let about = format!(
            "Imported from {tasks}. Nodes that are alike form a group. Tasks that are alike form a group with their \
             mean memory."
        );
        let scenario = Scenario::new(tasks, about, Study::Allocation(study));
        match scenario.study.validate() {
            Ok(()) => Ok((scenario, notes)),
            Err(invalid) => Err(format!("{}: {}", invalid.path, invalid.problem)),
        }
    }

    fn paths(&self, form: Form) -> Vec<PathBuf> {
        let [nodes, tasks] = self.files;
        if form.files().len() == 1 { vec![tasks.to_owned()] } else { vec![nodes.to_owned(), tasks.to_owned()] }
    }
}
