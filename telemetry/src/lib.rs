//! Telemetry: what the GPUs of this machine are doing.
//!
//! Reading only. Nothing here sets a clock, a limit or a mode of a card, and no type here could: a [`Source`] has no
//! way to change anything, and `nvml.rs` calls getters of the driver alone, which one of its tests lists.
//!
//! - [`source`]: what a source of readings is, and what a reading holds
//! - [`nvml`]: NVIDIA's driver, loaded at run time; its absence is an ordinary answer
//! - [`Opener`]: which source a program watches
//! - [`watch`]: a thread that samples, and the samples that are kept

pub mod nvml;
mod opener;
pub mod scripted;
pub mod source;
pub mod watch;

pub use opener::Opener;
pub use source::{Activity, Device, Link, Reading, Sample, Source, Trouble};
pub use watch::{Ended, Open, Watch};
