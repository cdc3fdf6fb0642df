//! Settings of real systems that a controller changes: how they are read and set, what is restored, and from what readings.
//!
//! - [`actuators`]: the file that lists them
//! - [`control`]: reads and sets one, by a program or by NVIDIA's driver
//! - [`driver`]: calls of NVIDIA's driver, with a time limit
//! - [`journal`]: what was changed, so that it is restored however the program ends
//! - [`mig`]: GPU instances of a GPU as a setting
//! - [`pool`]: what settings of several loops share
//! - [`readings`]: occupancies, as they arrive
//! - [`scraped`]: occupancies by HTTP, of exporters and of Prometheus

pub(crate) mod actuators;
pub(crate) mod control;
mod driver;
pub(crate) mod journal;
mod mig;
mod pool;
mod process;
pub(crate) mod readings;
pub(crate) mod scraped;
