//! Reasons why a measurement failed; each is an ordinary result.

use std::time::Duration;

use thiserror::Error;

use crate::quantity::seconds;

/// Why a measurement failed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Failure {
    /// The system offers no adapter at all.
    #[error("no GPU adapter: no Vulkan, Metal, DirectX 12 or OpenGL driver found; install the driver of the GPU")]
    NoAdapter,
    /// The user selected the CPU only.
    #[error("the GPU was excluded by --cpu-only")]
    GpuLeftOut,
    /// No adapter matches the selection.
    #[error("no adapter matches “{wanted}”; available: {available}")]
    NoSuchAdapter {
        /// The selection.
        wanted: String,
        /// The adapters that exist.
        available: String,
    },
    /// The driver refused to open the adapter.
    #[error("the driver cannot open the adapter: {0}")]
    NoDevice(String),
    /// The device is gone: driver crash, reset, unplugged.
    #[error("the GPU was lost: {0}")]
    DeviceLost(String),
    /// Not enough GPU memory.
    #[error("not enough GPU memory: {0}")]
    OutOfMemory(String),
    /// The data does not fit what the adapter allows.
    #[error("{what} needs {bytes} bytes, the adapter allows {limit}")]
    TooLarge {
        /// What was to be created.
        what: String,
        /// Its size.
        bytes: u64,
        /// The adapter's limit.
        limit: u64,
    },
    /// The GPU did not respond in time.
    #[error("the GPU did not respond within {} s", .0.as_secs())]
    Timeout(Duration),
    /// The driver or a shader compiler rejected its input.
    #[error("the driver rejected a call: {0}")]
    Refused(String),
    /// The adapter lacks something that the measurement needs.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// The result differs from the CPU's.
    #[error("the result is wrong: {0}")]
    WrongResult(String),
    /// Faster than physically possible according to the roof of the same run or to the link.
    #[error("{gb_per_s:.1} GB/s exceeds 1.05 × the roof of {roof_gb_per_s:.1} GB/s, so the time is not plausible")]
    AboveRoof {
        /// Speed from the measured time.
        gb_per_s: f64,
        /// The highest speed of the same run, or of the link.
        roof_gb_per_s: f64,
    },
    /// The timestamps of the GPU did not advance.
    #[error("the GPU timer did not advance")]
    TimerStopped,
    /// The time budget of the run is too short.
    #[error("the time budget is too short: {} needed, {} left", seconds(*needed_seconds), seconds(*left_seconds))]
    Budget {
        /// Estimated time of the measurement.
        needed_seconds: f64,
        /// Remaining time of the run.
        left_seconds: f64,
    },
    /// A driver or this program panicked during a measurement.
    #[error("the measurement panicked: {0}")]
    Panicked(String),
    /// The user ended the run.
    #[error("cancelled")]
    Cancelled,
}

impl Failure {
    /// Whether nothing more can be measured with the same device.
    #[must_use]
    pub fn ends_device(&self) -> bool {
        matches!(self, Self::DeviceLost(_) | Self::Timeout(_))
    }
}
