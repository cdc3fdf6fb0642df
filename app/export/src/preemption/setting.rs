//! The setting of a study: streams, their launches and arrivals.

use crossover_preemption::outcome::{of_stream, streams};
use crossover_preemption::stream::is_fixed;
use crossover_preemption::{Preemption, Recorded};
use serde::Serialize;

/// The setting of a study.
#[derive(Debug, Serialize)]
pub(super) struct Setting<'a> {
    gpu: &'a str,
    /// Where the kernels were profiled; empty: not known.
    profiled_on: &'a str,
    kernels: usize,
    /// Streams that results are means over.
    streams: usize,
    /// Launches of each of them.
    launches: usize,
    /// Share of the time in which a GPU that runs one kernel at a time would be busy; null where launches are listed, as below.
    load: Option<f64>,
    /// Of the first stream; each further one has the next. Null where nothing is drawn.
    seed: Option<f64>,
    arrivals: Arrivals,
}

/// Arrivals of launches.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Arrivals {
    /// At random.
    Drawn,
    /// At the times of recorded requests, stretched to the load.
    Recorded { requests: usize, span_seconds: f64 },
    /// One by one.
    Listed,
}

impl<'a> Setting<'a> {
    pub(super) fn of(study: &'a Preemption) -> Self {
        let stream = &study.stream;
        let is_listed = !stream.listed.is_empty();
        let arrivals = match &stream.recorded {
            _ if is_listed => Arrivals::Listed,
            Some(recorded) => {
                Arrivals::Recorded { requests: recorded.seconds.len(), span_seconds: span_seconds(recorded) }
            }
            None => Arrivals::Drawn,
        };
        Self {
            gpu: &study.gpu.model,
            profiled_on: &study.profiled_on,
            kernels: study.kernels.len(),
            streams: streams(study),
            launches: of_stream(study),
            load: (!is_listed).then_some(stream.load),
            seed: (!is_fixed(study)).then_some(stream.seed),
            arrivals,
        }
    }
}

/// From the first recorded request to the last.
pub(super) fn span_seconds(recorded: &Recorded) -> f64 {
    recorded.seconds.last().copied().unwrap_or(0.0) - recorded.seconds.first().copied().unwrap_or(0.0)
}
