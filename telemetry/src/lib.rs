//! Telemetry: readings of the GPUs of this machine and of other programs, and the limits that a regulation loop sets.
//!
//! Watching is read-only: a [`Source`] has no way to change anything, and `nvml.rs` calls only getters of the driver, which one of
//! its tests lists. [`GpuLimits`] alone changes a GPU.
//!
//! - [`source`]: sources, samples and readings
//! - [`nvml`]: NVIDIA's driver, loaded at run time; it may be absent
//! - [`GpuLimits`]: locked clocks and power limit
//! - [`Opener`]: opens the source that a program watches
//! - [`watch`]: a thread that samples a source
//! - [`http`]: one page of a server, within limits of time and size; [`http::answer`] reads answers on any stream
//! - [`prometheus`]: answers of Prometheus to queries

pub mod http;
mod limits;
pub mod nvml;
mod opener;
pub mod prometheus;
pub mod scripted;
pub mod source;
pub mod watch;

pub use limits::GpuLimits;
pub use opener::Opener;
pub use source::{Activity, Device, Link, Reading, Sample, Source, SourceError};
pub use watch::{EndReason, Open, Watch};
