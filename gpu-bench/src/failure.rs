//! Why a number could not be taken. Every failure is an ordinary result with a reason.

use std::time::Duration;

use thiserror::Error;

use crate::quantity::seconds;

/// Why a number could not be taken.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Failure {
    /// The system offers no adapter at all.
    #[error("no GPU adapter: no Vulkan, Metal, DirectX 12 or OpenGL driver answered; install the GPU's driver")]
    NoAdapter,
    /// The user wants the CPU alone.
    #[error("the GPU was left out as asked")]
    GpuLeftOut,
    /// No adapter fits what was asked for.
    #[error("no adapter matches “{wanted}”; there are: {available}")]
    NoSuchAdapter {
        /// What was asked for.
        wanted: String,
        /// The adapters that exist.
        available: String,
    },
    /// The driver refused to open the adapter.
    #[error("the driver does not open the adapter: {0}")]
    NoDevice(String),
    /// The device is gone: driver crash, reset, unplugged.
    #[error("the GPU was lost: {0}")]
    DeviceLost(String),
    /// The GPU's memory does not suffice.
    #[error("the GPU's memory does not suffice: {0}")]
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
    /// The GPU did not answer in time.
    #[error("the GPU did not answer within {} s", .0.as_secs())]
    Timeout(Duration),
    /// The driver or a shader compiler refused what it was given.
    #[error("the driver refused a call: {0}")]
    Refused(String),
    /// The adapter lacks something that the measurement needs.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// The result differs from the CPU's.
    #[error("the result is wrong: {0}")]
    WrongResult(String),
    /// Faster than physically possible according to the roof of the same run or to the link.
    #[error("{gb_per_s:.1} GB/s is more than 1.05 × the roof of {roof_gb_per_s:.1} GB/s, so the time is wrong")]
    AboveRoof {
        /// What was computed from the measured time.
        gb_per_s: f64,
        /// The fastest that the same run measured, or that the link carries.
        roof_gb_per_s: f64,
    },
    /// The timestamps of the GPU did not advance.
    #[error("the GPU's timer did not tick")]
    TimerStopped,
    /// The time set for the run does not suffice.
    #[error("the time budget does not suffice: {} needed, {} left", seconds(*needed_seconds), seconds(*left_seconds))]
    Budget {
        /// What the measurement would take.
        needed_seconds: f64,
        /// What is left of the run.
        left_seconds: f64,
    },
    /// A driver or this program broke down in the middle of a measurement.
    #[error("the measurement broke down: {0}")]
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
