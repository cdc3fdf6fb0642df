//! What probes say, as text.

pub(crate) mod network;
pub(crate) mod scaling;
