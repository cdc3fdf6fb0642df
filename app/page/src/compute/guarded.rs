//! Work whose panic ends nothing but itself.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a job; a panic in it becomes a problem to report, so that nobody waits for its event for ever.
///
/// # Errors
/// The job panicked.
pub fn guarded<T>(what: &str, job: impl FnOnce() -> T) -> Result<T, String> {
    // What the job has touched is dropped or, in the writer, complete before anything in it can panic.
    catch_unwind(AssertUnwindSafe(job))
        .map_err(|_| format!("{what}: ended by a defect in Crossover; standard error has the details"))
}
