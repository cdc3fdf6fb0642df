//! A source that plays a script, for tests. The program never calls it, so the linker leaves it out.

use std::collections::VecDeque;
use std::thread;

use super::{Activity, Device, Link, Reading, Sample, Source, SourceError};

/// Result of one call of [`Source::sample`].
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A sample of all GPUs.
    Sample(Sample),
    /// The source never returns, as a driver may.
    Hang,
    /// The source fails.
    Fail(SourceError),
}

/// A source that plays a script, then fails.
#[derive(Debug, Clone, PartialEq)]
pub struct Scripted {
    devices: Vec<Device>,
    steps: VecDeque<Step>,
}

impl Scripted {
    /// Plays a script for these GPUs.
    #[must_use]
    pub fn new(devices: Vec<Device>, steps: impl IntoIterator<Item = Step>) -> Self {
        Self { devices, steps: steps.into_iter().collect() }
    }
}

impl Source for Scripted {
    fn devices(&self) -> &[Device] {
        &self.devices
    }

    fn sample(&mut self) -> Result<Sample, SourceError> {
        match self.steps.pop_front() {
            Some(Step::Sample(sample)) => Ok(sample),
            Some(Step::Hang) => loop {
                thread::park();
            },
            Some(Step::Fail(trouble)) => Err(trouble),
            None => Err(SourceError::new("The script has ended", "No action is needed.")),
        }
    }
}

/// A GPU of this name.
#[must_use]
pub fn device(name: &str) -> Device {
    Device { name: name.to_owned(), id: format!("script {name}") }
}

/// A reading of a GPU on PCIe 5.0 ×16 with this PCIe occupancy and compute load, 0 … 1.
#[must_use]
pub fn reading(device: usize, pcie: f64, load: f64) -> Reading {
    let link = Link { generation: 5, lanes: 16 };
    let rate = link.gb_per_s().map(|speed| pcie * speed * 1e9);
    Reading {
        device,
        pcie_tx_bytes_per_s: rate.map(|rate| 0.25 * rate),
        pcie_rx_bytes_per_s: rate,
        activity: Some(Activity::Sm(load)),
        sm_clock_mhz: Some(1500.0),
        max_sm_clock_mhz: Some(1980.0),
        watts: Some(100.0 + 500.0 * load),
        limit_watts: Some(700.0),
        link: Some(link),
        missing: Vec::new(),
    }
}

/// A reading of a GPU that no longer responds.
#[must_use]
pub fn vanished(device: usize) -> Reading {
    Reading { device, missing: vec!["The GPU does not respond".to_owned()], ..Reading::default() }
}
