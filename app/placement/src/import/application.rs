//! The decision about the whole application of a query.

use crossover_decision::Objective;
use crossover_plan::Import;
use crossover_plan::decide::Workload;
use crossover_quantity::unit::Unit;

/// Finds what could run a whole application with the shipped engines: the crate of fleets, which this crate does not know. `None`
/// if no shipped engine is that of the file.
#[derive(Clone, Copy)]
pub struct DecideApplication(pub fn(Import) -> Option<ApplicationWorkload>);

/// A whole application with several queries.
#[derive(Debug, Clone, PartialEq)]
pub struct ApplicationWorkload {
    /// Its name; empty if the file has none.
    pub name: String,
    /// The number of its queries.
    pub queries: usize,
    /// What runs it today, and what could; else why it cannot be judged, as the end of a sentence.
    pub workload: Result<Workload, String>,
}

impl ApplicationWorkload {
    /// "Whole application (shop, 8 queries): Move to …"; the goal is that of one of its queries. A budget is one of a query, so
    /// that of the application is what a run costs today.
    #[must_use]
    pub fn sentence(&self, of_query: Objective) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!("{}, ", self.name) };
        let decided = match &self.workload {
            Ok(workload) => workload.decide(Objective { budget_usd: None, ..of_query }).sentence(),
            Err(why) => format!("Cannot be judged: {why}."),
        };
        format!("Whole application ({name}{} queries): {decided}", Unit::Count.format(self.queries as f64))
    }
}
