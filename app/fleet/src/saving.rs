//! Saves the report of a fleet from the window.

use std::path::{Path, PathBuf};

use crossover_fleet::opened::{DAMAGED, open};
use crossover_fleet::{Budget, Overview};
use crossover_page::lazy_text::LazyText;
use crossover_page::services::{Services, name_of};
use crossover_placement::EnteredInputs;

use super::measured::Measured;
use super::report::{ReportContext, report};

/// Makes the report on a thread of its own, and asks where to save it.
pub(super) fn save_report(services: &mut Services<'_>, folder: PathBuf, machines: Option<u32>, inputs: EnteredInputs) {
    let make = move || html(&folder, machines, inputs);
    services.work("fleet report", make, |services, made| match made {
        Ok(text) => {
            services.save("Save the report", "fleet-report", "html", LazyText::new(move || text.clone()));
        }
        Err(problem) => services.notify_error(problem),
    });
}

fn html(folder: &Path, machines: Option<u32>, inputs: EnteredInputs) -> Result<String, String> {
    let mut opened = open(folder).map_err(|error| error.to_string())?;
    opened.outcomes.decide_again(inputs);
    let overview = Overview::new(&opened.outcomes);
    let (engines, problems) = Measured::of(&opened.folder, &opened.outcomes).in_words(None);
    let engines = std::iter::once(engines).filter(|engines| !engines.is_empty());
    let partial = (!opened.has_ended).then(|| "the run has not ended: these are partial results".to_owned());
    let damaged = opened.is_damaged.then(|| format!("these results are incomplete: {DAMAGED}"));
    let context = ReportContext {
        name: name_of(&opened.folder),
        frequency: overview.frequency(inputs.runs_per_month),
        goal: inputs.objective(),
        budget: machines.map(|count| Budget::Instances(f64::from(count))),
        engines: engines.chain(problems).collect(),
        warnings: partial.into_iter().chain(damaged).collect(),
    };
    Ok(report(&overview, context).html())
}
