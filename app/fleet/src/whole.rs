//! The whole application of a query that is on screen: what could run it, as `crossover decide` compares it.

use crossover_fleet::answer::answer;
use crossover_placement_page::import::ApplicationWorkload;
use crossover_plan::Import;
use crossover_plan::decide::Workload;
use crossover_plan::remarks::remarks;
use crossover_plan::skew;

use crate::cli::decide::reason;
use crate::shipped;

/// What could run the application of a log, with the shipped engines; `None` if none of them is its own.
pub(crate) fn workload(import: Import) -> Option<ApplicationWorkload> {
    let base = shipped::base().ok()?;
    let own = base.of_engine(&import.engine)?;
    let queries = import.queries.len();
    let region = import.cluster.settings.region().map(str::to_owned);
    let mut remarks = remarks(&import, None);
    // The list ends each entry with a full stop.
    remarks.extend(skew::next_step(&import, None).map(|step| step.trim_end_matches('.').to_owned()));
    let summary = answer(own, import, false).summary;
    let why_not = summary.blocked_by.first().copied().map_or("it has no prediction", reason);
    // Prices may be entered before regions are compared.
    let workload =
        |baseline| Workload { baseline, candidates: summary.candidates, tried: None, region_difference: None };
    Some(ApplicationWorkload {
        name: summary.name,
        queries,
        seconds: summary.seconds,
        unchanged_seconds: summary.staying_seconds,
        region,
        remarks,
        workload: summary.baseline.map(workload).ok_or_else(|| why_not.to_owned()),
    })
}
