//! Readings by HTTP: dcgm-exporter on several machines, or queries of Prometheus.
//!
//! - `exporter`: what a page says
//! - `poller`: all of them in each period, and their mean

mod exporter;
mod poller;
mod reading;

pub(crate) use self::poller::{Page, Polled, Poller};
