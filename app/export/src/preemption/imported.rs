//! Imported kernels and requests for programs, with what of their files became none.

use crossover_preemption::Kernel;
use crossover_quantity::balance::Balance;
use crossover_quantity::unread::UnreadName;
use crossover_traces::profiled::{ReadArrivals, ReadKernels};
use serde::Serialize;

use crate::json;

/// Imported kernels.
#[derive(Debug, Serialize)]
struct KernelsRecord<'a> {
    /// What wrote the files.
    format: &'static str,
    /// The GPU of the kernels; null: the files name none.
    device: Option<&'a str>,
    kernels: &'a [Kernel],
    /// Lines that cannot be read, with the reasons, a text for each file.
    left_out: &'a [String],
    /// Kernels that cannot be converted, with the reasons.
    rejected: &'a [String],
    /// What else is said of the files, and what was assumed.
    notes: Vec<&'a String>,
    /// Metrics of time that were not used.
    unread: Vec<UnreadName<'a>>,
    /// The run time of all launches, and how much of it the kernels have.
    balances: &'a [Balance],
}

/// Imported requests.
#[derive(Debug, Serialize)]
struct ArrivalsRecord<'a> {
    requests: usize,
    span_seconds: f64,
    has_sizes: bool,
    /// Lines that cannot be read, with the reasons.
    left_out: &'a [String],
    notes: &'a [String],
    /// The number of requests in the file, and how many of them are read.
    balances: &'a [Balance],
}

/// Kernels of a device that were converted from profiles, as JSON. `assumed`: what was assumed; `rejected`: kernels that cannot be
/// converted, with the reasons.
#[must_use]
pub fn kernels_json(
    read: &ReadKernels,
    device: Option<&str>,
    kernels: &[Kernel],
    assumed: &[String],
    rejected: &[String],
) -> String {
    json(&KernelsRecord {
        format: read.form.label(),
        device,
        kernels,
        left_out: &read.left_out,
        rejected,
        notes: read.notes.iter().chain(assumed).collect(),
        unread: read.unread.names().collect(),
        balances: &read.balances,
    })
}

/// Requests of a file as JSON, without their times.
#[must_use]
pub fn arrivals_json(read: &ReadArrivals) -> String {
    json(&ArrivalsRecord {
        requests: read.recorded.seconds.len(),
        // They begin at 0.
        span_seconds: read.recorded.seconds.last().copied().unwrap_or(0.0),
        has_sizes: !read.recorded.sizes.is_empty(),
        left_out: &read.left_out,
        notes: &read.notes,
        balances: &read.balances,
    })
}
