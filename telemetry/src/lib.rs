//! Telemetry: readings of the GPUs of this machine.
//!
//! Read-only: nothing here sets a clock, a limit or a mode of a card. A [`Source`] has no way to change anything, and
//! `nvml.rs` calls only getters of the driver, which one of its tests lists.
//!
//! - [`source`]: sources, samples and readings
//! - [`nvml`]: NVIDIA's driver, loaded at run time; it may be absent
//! - [`Opener`]: opens the source that a program watches
//! - [`watch`]: a thread that samples a source

pub mod nvml;
mod opener;
pub mod scripted;
pub mod source;
pub mod watch;

pub use opener::Opener;
pub use source::{Activity, Device, Link, Reading, Sample, Source, SourceError};
pub use watch::{EndReason, Open, Watch};
