//! The whole application of a query that is on screen: what could run it, as `crossover decide` compares it.

use crossover_fleet::answer::answer;
use crossover_placement_page::import::ApplicationWorkload;
use crossover_plan::Import;
use crossover_plan::decide::Workload;
use crossover_plan::options::region::name_region;

use crate::cli::decide::reason;
use crate::shipped;

/// What could run the application of a log, with the shipped engines; `None` if none of them is its own.
pub(crate) fn workload(import: Import) -> Option<ApplicationWorkload> {
    let base = shipped::base().ok()?;
    let own = base.of_engine(&import.engine)?;
    let (queries, settings) = (import.queries.len(), import.cluster.settings.clone());
    let mut summary = answer(own, import, false).summary;
    let region_difference = name_region(summary.baseline.as_ref(), &mut summary.candidates, settings.region());
    let why_not = summary.blocked_by.first().copied().map_or("it has no prediction", reason);
    let workload = |baseline| Workload { baseline, candidates: summary.candidates, tried: None, region_difference };
    Some(ApplicationWorkload {
        name: summary.name,
        queries,
        workload: summary.baseline.map(workload).ok_or_else(|| why_not.to_owned()),
    })
}
