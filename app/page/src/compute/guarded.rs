//! Work whose panic is caught and reported.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a job; a panic in it becomes an error to report, so that its event always arrives.
///
/// # Errors
/// The job panicked.
pub fn guarded<T>(what: &str, job: impl FnOnce() -> T) -> Result<T, String> {
    // What the job has touched is dropped or, in the writer, complete before anything in it can panic.
    catch_unwind(AssertUnwindSafe(job))
        .map_err(|_| format!("{what}: stopped by a defect in Crossover; see standard error for details"))
}
