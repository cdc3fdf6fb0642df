//! Devices and suites to measure: the adapters that the measuring process finds, or the CPU only.

use crossover_gpu_bench::benchmarks::case::Suite;
use crossover_gpu_bench::gpu::adapter::Description;

/// The adapters of this machine.
#[derive(Debug)]
pub(super) enum Devices {
    /// Another process is listing them.
    Listing,
    /// The adapters, the preferred one first.
    Found(Vec<Description>),
    /// Why they cannot be listed.
    Failed(String),
}

impl Devices {
    /// The adapters; empty until they are listed.
    pub(super) fn found(&self) -> &[Description] {
        match self {
            Self::Found(devices) => devices,
            Self::Listing | Self::Failed(_) => &[],
        }
    }
}

/// The device and suite to measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Choice {
    /// Index of the adapter in the list of the measuring process; `None`: the CPU only.
    pub(super) device: Option<usize>,
    /// How much to measure.
    pub(super) suite: Suite,
}

/// The suites, in the order of the picker.
pub(super) const SUITES: [Suite; 3] = [Suite::Quick, Suite::Full, Suite::Ci];

impl Choice {
    /// Arguments of the measuring process.
    pub(super) fn arguments(self) -> Vec<String> {
        let mut arguments = ["bench", "run", "--events", "--suite", self.suite.name()].map(str::to_owned).to_vec();
        match self.device {
            Some(index) => arguments.extend(["--device".to_owned(), index.to_string()]),
            None => arguments.push("--cpu-only".to_owned()),
        }
        arguments
    }
}

/// Arguments of the process that lists adapters.
pub(super) fn list_arguments() -> Vec<String> {
    ["bench", "list", "--json"].map(str::to_owned).into()
}

/// An adapter in the picker: "Example GPU (vulkan)"; a software adapter is marked.
pub(super) fn label(device: &Description) -> String {
    let software = if device.software { ", software" } else { "" };
    format!("{} ({}{software})", device.name, device.backend)
}

/// A suite in the picker, with the time it takes.
pub(super) fn suite_label(suite: Suite) -> String {
    let what = match suite {
        Suite::Quick => "quick: inputs of the calibration",
        Suite::Full => "full: every sweep, up to a gigabyte",
        Suite::Ci => "ci: every kernel once, small",
    };
    format!("{what}, {}", estimate(suite))
}

/// "up to about 55 s", "up to about 30 min": a measurement that has begun is finished, and comparing takes time too.
pub(super) fn estimate(suite: Suite) -> String {
    let seconds = suite.budget_seconds();
    if seconds < 120.0 {
        format!("up to about {seconds:.0} s")
    } else {
        format!("up to about {:.0} min", seconds / 60.0)
    }
}

/// Whether an adapter is the one that draws the window; `drawn_by` is that one's name.
pub(super) fn draws_window(device: &Description, drawn_by: Option<&str>) -> bool {
    drawn_by.is_some_and(|name| !name.is_empty() && name == device.name)
}
