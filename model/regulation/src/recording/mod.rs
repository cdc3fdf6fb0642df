//! Recordings of GPUs over time: read from text, written as CSV, and used as the demand of a cluster.
//!
//! Two kinds of text are read, told apart by their content: Crossover's own CSV, whose columns are named by
//! [`Column`], and scrapes of `dcgm-exporter` or of Prometheus, one after another in one file.
//!
//! - `column`: names, units and ranges of the columns
//! - `csv`, `prometheus`: the two kinds of text
//! - `gather`: from rows to complete tracks without holes
//! - [`demand`]: a recording as the demand of a cluster

pub mod column;
mod csv;
pub mod demand;
mod error;
mod gather;
mod prometheus;

use std::collections::BTreeMap;

pub use column::Column;
pub use demand::{Gpus, Replay, ReplayError, to_demand};
pub use error::RecordingError;

/// Most GPUs of a recording.
pub const MOST_GPUS: usize = 64;

/// Readings of GPUs over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recording {
    /// One track for each GPU, in the order in which they appear.
    pub tracks: Vec<Track>,
    /// Parts of the text that were not used, one sentence for each kind.
    pub left_out: Vec<String>,
}

/// Readings of one GPU over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Track {
    /// Name of the GPU in the text; empty if it has none.
    pub gpu: String,
    /// Times of the readings, seconds after the first one of the recording; ascending, without a gap.
    pub seconds: Vec<f64>,
    /// Recorded columns, each with one finite value for each time.
    pub values: BTreeMap<Column, Vec<f64>>,
}

impl Track {
    /// The usual time from one reading to the next, the median; `None` for a single reading.
    #[must_use]
    pub fn interval(&self) -> Option<f64> {
        gather::usual_interval(&self.seconds)
    }
}

impl Recording {
    /// The recording as CSV, which [`read`] reads back.
    #[must_use]
    pub fn to_csv(&self) -> String {
        csv::write(self)
    }

    /// A recording of readings that may have holes, such as a live one: of each GPU the longest stretch without a
    /// gap in time, and of that the columns that are complete. Dropped readings and columns are named in `left_out`.
    #[must_use]
    pub fn of_readings(readings: Vec<(String, Vec<LiveReading>)>) -> Self {
        gather::of_readings(readings)
    }
}

/// Readings of a GPU at one time, as far as they are known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LiveReading {
    /// When, in seconds after any moment that all readings share; ascending.
    pub seconds: f64,
    /// The known values.
    pub values: BTreeMap<Column, f64>,
}

/// Reads a recording. Scrapes without timestamps are taken as `seconds_per_scrape` apart; other texts do not need it.
///
/// # Errors
/// A text that is empty, of neither kind, with a hole or with a value out of range: the first such position.
pub fn read(text: &str, seconds_per_scrape: f64) -> Result<Recording, RecordingError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(first) = text.lines().find(|line| !line.trim().is_empty()) else {
        return Err(RecordingError::at(1, 1, None, "the file is empty; a recording has a header and rows".to_owned()));
    };
    if prometheus::is_likely(first) { prometheus::read(text, seconds_per_scrape) } else { csv::read(text) }
}
