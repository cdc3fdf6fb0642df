//! The link between CPU and GPU, as reported by the system.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// A PCIe link.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Transfers per lane, GT/s.
    pub gt_per_s: f64,
    /// Lanes.
    pub width: u32,
}

impl Link {
    /// Bytes per second after line coding, one direction, GB/s: 8b/10b up to 5 GT/s, 128b/130b above
    /// (PCI Express Base Specification), 242/256 FLITs from 64 GT/s.
    #[must_use]
    pub fn gb_per_s(self) -> f64 {
        let coding = if self.gt_per_s <= 5.0 {
            8.0 / 10.0
        } else if self.gt_per_s < 64.0 {
            128.0 / 130.0
        } else {
            242.0 / 256.0
        };
        self.gt_per_s * f64::from(self.width) * coding / 8.0
    }

    /// "PCIe 5.0 ×16".
    #[must_use]
    pub fn label(self) -> String {
        let generation = [(2.5, "1.0"), (5.0, "2.0"), (8.0, "3.0"), (16.0, "4.0"), (32.0, "5.0"), (64.0, "6.0")];
        let name = generation.iter().find(|(rate, _)| (rate - self.gt_per_s).abs() < 0.1).map_or("", |(_, name)| name);
        format!("PCIe {name} ×{}", self.width)
    }
}

/// The link of the device with this PCI address at its full speed; `None` if unknown.
#[must_use]
pub fn link(pci: &str) -> Option<Link> {
    if pci.is_empty() || pci.contains('/') {
        return None;
    }
    slowest(&std::fs::canonicalize(format!("/sys/bus/pci/devices/{pci}")).ok()?)
}

/// The slowest link between a device's folder and the root: the folders above it are the bridges on its way.
/// Some cards carry a bridge of their own, whose inner link is faster than the slot.
fn slowest(device: &Path) -> Option<Link> {
    let at_full_speed = |folder: &Path| {
        let port = folder.parent().and_then(capability);
        // The topmost folder is the upper end of a link that was looked at from its lower end.
        (folder == device || port.is_some())
            .then(|| link_at(folder).map(|link| link.at_full_speed(capability(folder), port)))
            .flatten()
    };
    device.ancestors().map_while(at_full_speed).min_by(|a, b| a.gb_per_s().total_cmp(&b.gb_per_s()))
}

impl Link {
    /// Idle GPUs run their link at 2.5 GT/s. What both ends are capable of is its speed under load; where a
    /// virtual machine's bridge claims less than runs now, what runs now counts.
    fn at_full_speed(self, device: Option<f64>, port: Option<f64>) -> Self {
        let both = device.zip(port).map_or(self.gt_per_s, |(device, port)| device.min(port));
        Self { gt_per_s: self.gt_per_s.max(both), ..self }
    }
}

/// The link as it runs now.
fn link_at(folder: &Path) -> Option<Link> {
    parse(&read(folder, "current_link_speed")?, &read(folder, "current_link_width")?)
}

/// The fastest rate that an end of a link is capable of, GT/s.
fn capability(folder: &Path) -> Option<f64> {
    rate(&read(folder, "max_link_speed")?)
}

fn read(folder: &Path, file: &str) -> Option<String> {
    std::fs::read_to_string(folder.join(file)).ok()
}

/// Reads "16.0 GT/s PCIe" and "16".
fn parse(speed: &str, width: &str) -> Option<Link> {
    let width = width.trim().parse().ok().filter(|width| (1..=64).contains(width))?;
    Some(Link { gt_per_s: rate(speed)?, width })
}

/// Reads "16.0 GT/s PCIe".
fn rate(speed: &str) -> Option<f64> {
    speed.split_whitespace().next()?.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_read_as_linux_writes_it() {
        let link = parse("32.0 GT/s PCIe\n", "16\n").expect("a link");
        assert_eq!((link.gt_per_s, link.width, link.label().as_str()), (32.0, 16, "PCIe 5.0 ×16"));
        // 63 GB/s is the figure commonly quoted for PCIe 5.0 ×16.
        assert!((link.gb_per_s() - 63.0).abs() < 0.1, "{}", link.gb_per_s());
        assert_eq!(parse("Unknown", "16"), None);
        assert_eq!(parse("8.0 GT/s", "0"), None);
    }

    /// A folder as Linux shows a PCI device: current rate, greatest rate, width.
    fn device(folder: &Path, current: &str, greatest: &str, width: u32) {
        std::fs::create_dir_all(folder).expect("a folder");
        for (file, text) in [
            ("current_link_speed", format!("{current} GT/s PCIe\n")),
            ("max_link_speed", format!("{greatest} GT/s PCIe\n")),
            ("current_link_width", format!("{width}\n")),
        ] {
            std::fs::write(folder.join(file), text).expect("written");
        }
    }

    #[test]
    fn an_idle_link_counts_at_full_speed_and_the_slowest_on_the_way_decides() {
        let root = tempfile::tempdir().expect("a folder");
        let port = root.path().join("0000:00:01.0");
        let bridge = port.join("0000:01:00.0");
        let card = bridge.join("0000:02:00.0");
        // A card of PCIe 5.0 in a slot of PCIe 4.0, idle.
        device(&port, "2.5", "16.0", 16);
        device(&bridge, "2.5", "32.0", 16);
        assert_eq!(slowest(&bridge).map(Link::label).as_deref(), Some("PCIe 4.0 ×16"));
        // Behind the card's own bridge.
        device(&card, "32.0", "32.0", 16);
        assert_eq!(slowest(&card).map(Link::label).as_deref(), Some("PCIe 4.0 ×16"));
        // A virtual machine's bridge that knows nothing, and a card that runs faster.
        device(&port, "2.5", "2.5", 1);
        device(&bridge, "32.0", "32.0", 16);
        assert_eq!(slowest(&bridge).map(Link::label).as_deref(), Some("PCIe 5.0 ×16"));
        assert_eq!(slowest(root.path()), None);
    }
}
