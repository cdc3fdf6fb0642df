//! Readings from NVIDIA's driver through NVML, its management library.
//!
//! The library comes with the driver and is loaded when a watch begins, so that Crossover starts on machines without
//! it. Only getters are called: no GPU setting is changed. A test lists them.
//!
//! Units are NVML's: PCIe throughput is in KB/s over the last 20 ms and takes those 20 ms, clocks are in MHz, power
//! is in mW, utilisation in percent. SM activity comes from GPM, which Hopper and later have; a value is the average
//! between two samples at least 100 ms apart.

use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::{Clock, PcieUtilCounter};
use nvml_wrapper::enums::gpm::GpmMetricId;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::gpm::{GpmSample, gpm_metrics_get};

use super::{Activity, Device, Link, Reading, Sample, Source, SourceError};

/// Shortest time between two GPM samples: "100ms is a hard limitation" on Hopper,
/// NVIDIA/DCGM issue 310.
const SHORTEST_GPM_WINDOW: Duration = Duration::from_millis(100);

/// NVIDIA's driver as a source.
///
/// # Errors
/// There is no driver, it is not loaded, the user has no access, or it has no GPU.
pub fn open() -> Result<Box<dyn Source>, SourceError> {
    let nvml = library().map_err(|error| explain(&error))?;
    let count = nvml.device_count().map_err(|error| explain(&error))?;
    let mut cards = Vec::new();
    let mut devices = Vec::new();
    for index in 0..count {
        // A GPU that this process may not see is left out.
        let device = match nvml.device_by_index(index) {
            Ok(device) => device,
            Err(error) => {
                log::info!("GPU {index} is not monitored: {error}");
                continue;
            }
        };
        devices.push(Device {
            name: device.name().unwrap_or_else(|_| format!("GPU {index}")),
            id: device.uuid().unwrap_or_else(|_| index.to_string()),
        });
        let sm_activity = match device.gpm_support() {
            Ok(true) => Window::open(&device),
            Ok(false) | Err(_) => None,
        };
        cards.push(Card { device, sm_activity });
    }
    if cards.is_empty() {
        return Err(SourceError::new(
            "NVIDIA's driver shows no GPU to this process",
            "In a container, grant access to a GPU (with Docker: --gpus all); `nvidia-smi -L` lists the GPUs.",
        ));
    }
    Ok(Box::new(Driver { nvml, devices, cards, opened: Instant::now() }))
}

/// The driver's library, loaded once and kept until the process ends: GPM samples refer to it.
pub(super) fn library() -> Result<&'static Nvml, NvmlError> {
    static LIBRARY: OnceLock<Nvml> = OnceLock::new();
    if let Some(nvml) = LIBRARY.get() {
        return Ok(nvml);
    }
    let nvml = Nvml::init()?;
    Ok(LIBRARY.get_or_init(|| nvml))
}

/// The message for an error of the library.
pub(super) fn explain(error: &NvmlError) -> SourceError {
    match error {
        NvmlError::LibloadingError(_) | NvmlError::LibraryNotFound => SourceError::new(
            "This machine has no NVIDIA driver",
            "If it has an NVIDIA GPU, install the driver; without one, replay a recording instead.",
        ),
        NvmlError::DriverNotLoaded => SourceError::new(
            "NVIDIA's driver is installed but not loaded",
            "Load it (on Linux as root: modprobe nvidia) or restart the machine.",
        ),
        NvmlError::NoPermission | NvmlError::OperatingSystem => SourceError::new(
            "This user has no access to NVIDIA's driver",
            "Ask your administrator for access to /dev/nvidiactl and the GPUs beside it.",
        ),
        NvmlError::LibRmVersionMismatch => SourceError::new(
            "NVIDIA's driver and its library have different versions",
            "The driver was updated while it ran: restart the machine.",
        ),
        error => SourceError::new(
            format!("NVIDIA's driver does not respond: {error}"),
            "Run `nvidia-smi` in a terminal; if it fails too, restart the machine.",
        ),
    }
}

struct Driver {
    nvml: &'static Nvml,
    devices: Vec<Device>,
    cards: Vec<Card>,
    opened: Instant,
}

struct Card {
    device: nvml_wrapper::Device<'static>,
    /// Window over which SM activity is averaged; none for a GPU without GPM.
    sm_activity: Option<Window>,
}

impl Source for Driver {
    fn devices(&self) -> &[Device] {
        &self.devices
    }

    fn sample(&mut self) -> Result<Sample, SourceError> {
        let seconds = self.opened.elapsed().as_secs_f64();
        let nvml = self.nvml;
        let readings = self.cards.iter_mut().enumerate().map(|(index, card)| card.read(nvml, index));
        let readings: Vec<Option<Reading>> = readings.collect();
        if readings.iter().all(Option::is_none) {
            return Err(SourceError::new(
                "No GPU responds",
                "Run `nvidia-smi` for details; restart the machine if a GPU fell off the bus or needs a reset.",
            ));
        }
        let lost = |device| Reading {
            device,
            missing: vec!["The GPU does not respond; restart the machine if this persists".to_owned()],
            ..Reading::default()
        };
        let readings = readings.into_iter().enumerate();
        Ok(Sample {
            seconds,
            readings: readings.map(|(index, reading)| reading.unwrap_or_else(|| lost(index))).collect(),
        })
    }
}

impl Card {
    /// Reads the GPU; `None` if it no longer responds.
    fn read(&mut self, nvml: &'static Nvml, index: usize) -> Option<Reading> {
        let device = &self.device;
        let clock = device.clock_info(Clock::SM);
        if let Err(NvmlError::GpuLost | NvmlError::ResetRequired) = clock {
            return None;
        }
        let mut missing = Vec::new();
        let sm_clock_mhz = value_or_reason("SM clock", clock, &mut missing).map(f64::from);
        let max_sm_clock_mhz = value_or_reason("highest SM clock", device.max_clock_info(Clock::SM), &mut missing);
        let watts = value_or_reason("power", device.power_usage(), &mut missing);
        let limit_watts = value_or_reason("power limit", device.enforced_power_limit(), &mut missing);
        // Not the current state of the link: an idle GPU lowers the generation of its link.
        let generation = value_or_reason("generation of the PCIe link", device.max_pcie_link_gen(), &mut missing);
        let lanes = value_or_reason("lanes of the PCIe link", device.max_pcie_link_width(), &mut missing);
        let sent = value_or_reason("PCIe data sent", device.pcie_throughput(PcieUtilCounter::Send), &mut missing);
        let received =
            value_or_reason("PCIe data received", device.pcie_throughput(PcieUtilCounter::Receive), &mut missing);
        let activity = match &mut self.sm_activity {
            Some(window) => {
                value_or_reason("SM activity", window.turn_over(device, nvml), &mut missing).map(Activity::Sm)
            }
            None => value_or_reason("GPU utilisation", device.utilization_rates(), &mut missing)
                .map(|rates| Activity::Busy(f64::from(rates.gpu.min(100)) / 100.0)),
        };
        Some(Reading {
            device: index,
            pcie_tx_bytes_per_s: sent.map(|kilobytes| f64::from(kilobytes) * 1e3),
            pcie_rx_bytes_per_s: received.map(|kilobytes| f64::from(kilobytes) * 1e3),
            activity,
            sm_clock_mhz,
            max_sm_clock_mhz: max_sm_clock_mhz.map(f64::from),
            watts: watts.map(|milliwatts| f64::from(milliwatts) / 1e3),
            limit_watts: limit_watts.map(|milliwatts| f64::from(milliwatts) / 1e3),
            link: generation.zip(lanes).map(|(generation, lanes)| Link { generation, lanes }),
            missing,
        })
    }
}

/// The value; otherwise adds the reason to `missing`.
fn value_or_reason<T>(what: &str, answer: Result<T, NvmlError>, missing: &mut Vec<String>) -> Option<T> {
    let reason = match answer {
        Ok(value) => return Some(value),
        Err(NvmlError::NotSupported | NvmlError::FunctionNotFound | NvmlError::FailedToLoadSymbol(_)) => {
            "this GPU, its driver or its virtual machine does not report it".to_owned()
        }
        Err(NvmlError::NoPermission) => "this user has no permission to read it; ask your administrator".to_owned(),
        Err(error) => error.to_string(),
    };
    missing.push(format!("No {what}: {reason}"));
    None
}

/// The time over which SM activity is averaged.
struct Window {
    from: GpmSample<'static>,
    opened: Instant,
}

impl Window {
    /// `None` where GPM is not available, such as on a partitioned GPU.
    fn open(device: &nvml_wrapper::Device<'static>) -> Option<Self> {
        device.gpm_sample().ok().map(|from| Self { from, opened: Instant::now() })
    }

    /// SM activity since the window was opened, 0 … 1; opens the next window.
    fn turn_over(&mut self, device: &nvml_wrapper::Device<'static>, nvml: &'static Nvml) -> Result<f64, NvmlError> {
        thread::sleep(SHORTEST_GPM_WINDOW.saturating_sub(self.opened.elapsed()));
        let to = device.gpm_sample()?;
        let metrics = gpm_metrics_get(nvml, &self.from, &to, &[GpmMetricId::SmUtil]);
        *self = Self { from: to, opened: Instant::now() };
        let percent = metrics?.into_iter().next().ok_or(NvmlError::NoData)??.value;
        if percent.is_finite() { Ok((percent / 100.0).clamp(0.0, 1.0)) } else { Err(NvmlError::NoData) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Everything that is called of the driver's library. All of these read.
    const GETTERS: [&str; 16] = [
        "clock_info",
        "device_by_index",
        "device_count",
        "enforced_power_limit",
        "gpm_metrics_get",
        "gpm_sample",
        "gpm_support",
        "init",
        "max_clock_info",
        "max_pcie_link_gen",
        "max_pcie_link_width",
        "name",
        "pcie_throughput",
        "power_usage",
        "utilization_rates",
        "uuid",
    ];

    /// Everything else that is called: of this file and of the standard library.
    #[rustfmt::skip]
    const OTHERS: [&str; 41] = [
        "all", "as_secs_f64", "clamp", "collect", "default", "elapsed", "enumerate", "explain",
        "from", "from_millis", "get", "get_or_init", "info", "into_iter", "is_empty", "is_finite",
        "is_none", "iter", "iter_mut", "library", "lost", "map", "map_err", "min",
        "new", "next", "now", "ok", "ok_or", "open", "push", "read",
        "saturating_sub", "sleep", "thread", "to_owned", "to_string", "turn_over", "unwrap_or_else", "value_or_reason",
        "zip",
    ];

    /// Every function that a source text names: called, on whatever lines, as a value behind a path, or imported.
    fn named_functions(source: &str) -> BTreeSet<&str> {
        let lines = source.lines().map(|line| line.split("//").next().unwrap_or_default());
        // Every other part is between quotation marks; none in this file is escaped.
        let parts = lines.flat_map(|line| line.split('"').step_by(2));
        let tokens: Vec<&str> = parts.flat_map(tokens).collect();
        let mut names = BTreeSet::new();
        let mut is_import = false;
        for (place, token) in tokens.iter().enumerate() {
            let before = |count: usize| place.checked_sub(count).map_or("", |place| tokens[place]);
            let after = |count: usize| tokens.get(place + count).copied().unwrap_or_default();
            is_import = *token == "use" || (is_import && *token != ";");
            let is_name = token.starts_with(|first: char| first.is_lowercase());
            let is_called = after(1) == "(" || (after(1) == ":" && after(2) == ":" && after(3) == "<");
            let leads_on = after(1) == ":" && after(2) == ":";
            let is_end_of_path = before(1) == ":" && before(2) == ":" && !leads_on;
            let is_imported = is_import && !leads_on;
            let is_own = matches!(before(1), "fn" | "mod");
            let is_keyword =
                matches!(*token, "use" | "pub" | "as" | "self" | "super" | "crate" | "match" | "if" | "in" | "return");
            if is_name && !is_own && !is_keyword && (is_called || is_end_of_path || is_imported) {
                names.insert(*token);
            }
        }
        names
    }

    /// Words, and every other character as a token.
    fn tokens(line: &str) -> impl Iterator<Item = &str> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        line.split_whitespace().flat_map(move |word| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let first = rest.chars().next()?;
                let end = if is_word(first) { rest.find(|c| !is_word(c)) } else { Some(first.len_utf8()) };
                let (token, after) = rest.split_at(end.unwrap_or(rest.len()));
                rest = after;
                Some(token)
            })
        })
    }

    #[test]
    fn only_getters_of_the_driver_are_called() {
        let product = include_str!("nvml.rs").split("#[cfg(test)]").next().unwrap();
        let unknown: Vec<&str> = named_functions(product)
            .into_iter()
            .filter(|name| !GETTERS.contains(name) && !OTHERS.contains(name))
            .collect();
        assert!(unknown.is_empty(), "on neither list: {unknown:?}");
        for changing in ["set_", "reset_", "clear_", "validate_", "remove_", "with_flags"] {
            assert!(!product.contains(changing), "{changing} would change a card");
        }
    }

    #[test]
    fn no_way_to_name_a_function_escapes_the_test() {
        let source = "use nvml_wrapper::{Nvml, gpm::{imported, Metric}};\n\
                      // commented(device);\n\
                      fn own() { let text = \"quoted(1)\"; free(device); device\n    .broken()\n    \
                      .turbo::<u32>(); cards.map(Device::value); nvml_wrapper::path::whole(1) }";
        let named: Vec<&str> = named_functions(source).into_iter().collect();
        assert_eq!(named, ["broken", "free", "imported", "map", "turbo", "value", "whole"]);
    }

    #[test]
    fn a_machine_without_a_driver_gives_an_error_with_advice() {
        // On any machine the result is a source or an error with advice.
        if let Err(trouble) = open() {
            assert!(trouble.to_string().ends_with('.'), "{trouble}");
            assert!(!trouble.advice.is_empty());
        }
        let trouble = explain(&NvmlError::LibraryNotFound);
        assert!(trouble.problem.contains("no NVIDIA driver"), "{trouble}");
        assert!(explain(&NvmlError::DriverNotLoaded).advice.contains("modprobe"));
        assert!(explain(&NvmlError::NoPermission).advice.contains("administrator"));
    }

    #[test]
    fn a_missing_value_has_a_reason() {
        let mut missing = Vec::new();
        assert_eq!(value_or_reason("power", Ok(5), &mut missing), Some(5));
        assert_eq!(value_or_reason::<u32>("SM clock", Err(NvmlError::NotSupported), &mut missing), None);
        assert_eq!(value_or_reason::<u32>("power", Err(NvmlError::NoPermission), &mut missing), None);
        assert_eq!(missing.len(), 2);
        assert!(missing[0].starts_with("No SM clock: "), "{missing:?}");
        assert!(missing[1].contains("no permission"), "{missing:?}");
    }
}
