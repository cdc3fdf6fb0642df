//! Readings by HTTP: dcgm-exporter on several machines, or queries of Prometheus.
//!
//! - `http`: one page, within limits of time and size
//! - `exporter`, `prometheus`: what a page says
//! - `poller`: all of them in each period, and their mean

mod exporter;
mod http;
mod poller;
mod prometheus;
mod reading;

pub(crate) use self::http::address;
pub(crate) use self::poller::{Page, Polled, Poller};
