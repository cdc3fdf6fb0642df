//! The link between CPU and GPU, as the system tells it.

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

/// The link of the device with this PCI address; `None` where the system does not tell.
#[must_use]
pub fn link(pci: &str) -> Option<Link> {
    if pci.is_empty() || pci.contains('/') {
        return None;
    }
    let read = |file: &str| std::fs::read_to_string(format!("/sys/bus/pci/devices/{pci}/{file}")).ok();
    parse(&read("current_link_speed")?, &read("current_link_width")?)
}

/// Reads "16.0 GT/s PCIe" and "16".
fn parse(speed: &str, width: &str) -> Option<Link> {
    let gt_per_s = speed.split_whitespace().next()?.parse().ok()?;
    let width = width.trim().parse().ok().filter(|width| (1..=64).contains(width))?;
    Some(Link { gt_per_s, width })
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
}
