//! Telemetry of the program, with the source that plays a script instead of a driver.

pub(crate) use crossover::telemetry::{Activity, Device, Link, Opener, Reading, Sample, Source, Trouble};

#[path = "../../src/telemetry/scripted.rs"]
pub(crate) mod scripted;
