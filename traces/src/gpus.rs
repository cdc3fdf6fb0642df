//! Types of GPUs as nodes offer them: a product, whole or cut into parts that tasks request by name.

use std::collections::{BTreeMap, BTreeSet};

use crossover_allocation::{GpuAmount, NodeSpec, Part, THOUSANDTH, WHOLE};

/// Most nodes of a cluster.
pub(crate) const MOST_NODES: usize = 50_000;
/// Most types of GPUs of a cluster.
pub(crate) const MOST_TYPES: usize = crossover_allocation::study::MOST_TYPES;

/// A type of GPU, with the resources that tasks can request of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Device {
    /// Product, as the user knows it.
    pub(crate) product: String,
    /// How it is cut; empty if it is whole.
    pub(crate) cut: String,
    /// Product label that a task uses to select it.
    pub(crate) label: String,
    /// The part that one of each resource is.
    pub(crate) offers: BTreeMap<String, Part>,
    /// Memory, MiB; 0 if it is not known.
    pub(crate) memory_mib: u32,
}

/// How much of each of its GPUs a task requests, where that is not the part that a resource is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Limits {
    /// Share of a GPU, in units of which [`WHOLE`] are one: the largest of those that are named for compute and for memory.
    pub(crate) units: Option<u16>,
    /// GPU memory, MiB.
    pub(crate) memory_mib: Option<u64>,
}

impl Limits {
    /// Whether no amount is named.
    pub(crate) fn is_none(self) -> bool {
        self.units.is_none() && self.memory_mib.is_none()
    }

    /// With a further share; the larger one counts.
    pub(crate) fn at_least(self, units: u16) -> Self {
        Self { units: Some(self.units.unwrap_or(0).max(units)), ..self }
    }

    /// The share of a GPU of a type, in units: the largest of compute and memory, as both are taken at once. `None` if
    /// only memory is named, and that of the GPU is not known.
    pub(crate) fn share(self, device: &Device) -> Option<u16> {
        let all = u64::from(device.memory_mib);
        let of_memory = self.memory_mib.filter(|_| all > 0).map(|mib| {
            let units = u128::from(mib).saturating_mul(u128::from(WHOLE)).div_ceil(u128::from(all));
            u16::try_from(units).unwrap_or(u16::MAX)
        });
        let share = self.units.max(of_memory)?;
        Some(share.max(THOUSANDTH))
    }
}

impl Device {
    /// Whether a part that it offers is rounded, so that all of them together are less than the GPU.
    pub(crate) fn is_rounded(&self) -> bool {
        self.offers.values().any(|part| !part.is_exact())
    }
}

/// GPUs that a task requests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct GpuRequest {
    /// GPUs; more than a node has if a task cannot run.
    pub(crate) gpus: u64,
    /// Of each, by type; `None` where the task cannot run.
    pub(crate) shares: Vec<Option<u16>>,
}

/// A node that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParsedNode {
    /// Name.
    pub(crate) name: String,
    /// CPU cores, in thousandths.
    pub(crate) cpu_milli: u32,
    /// Memory, MiB.
    pub(crate) memory_mib: u32,
    /// Its GPUs, alike ones together.
    pub(crate) devices: Vec<(Device, usize)>,
}

/// All types of GPUs of a cluster.
pub(crate) struct Types {
    devices: Vec<Device>,
}

impl Types {
    /// Those of these nodes.
    ///
    /// # Errors
    /// There are more types or nodes than a cluster may have.
    pub(crate) fn of(nodes: &[ParsedNode]) -> Result<Self, String> {
        let devices = nodes.iter().flat_map(|node| node.devices.iter().map(|(device, _)| device));
        let devices: BTreeSet<&Device> = devices.collect();
        check(nodes.len(), devices.len())?;
        Ok(Self { devices: devices.into_iter().cloned().collect() })
    }

    /// Those of no node.
    pub(crate) fn none() -> Self {
        Self { devices: Vec::new() }
    }

    /// The one type of a record without nodes: it offers every requested resource.
    pub(crate) fn unknown(offers: BTreeMap<String, Part>) -> Self {
        let name = "GPU".to_owned();
        Self { devices: vec![Device { product: name.clone(), cut: String::new(), label: name, offers, memory_mib: 0 }] }
    }

    /// All of them.
    pub(crate) fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// Their names: the product, and how it is cut where nodes cut it differently.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for device in &self.devices {
            let is_cut_one_way = self.devices.iter().filter(|other| other.product == device.product).count() == 1;
            let is_plain = is_cut_one_way || device.cut.is_empty();
            let name = if is_plain { device.product.clone() } else { format!("{} ({})", device.product, device.cut) };
            let numbered = (2..).map(|number| format!("{name} {number}"));
            let free = std::iter::once(name.clone()).chain(numbered).find(|name| !names.contains(name));
            names.push(free.unwrap_or(name));
        }
        names
    }

    /// The nodes, sorted by name.
    pub(crate) fn nodes(&self, found: Vec<ParsedNode>) -> Vec<NodeSpec> {
        let place = |device: &Device| {
            let place = self.devices.binary_search(device).unwrap_or_default();
            u16::try_from(place).unwrap_or_default()
        };
        let nodes = found.into_iter().map(|ParsedNode { name, cpu_milli, memory_mib, devices }| {
            let devices =
                devices.iter().flat_map(|(device, count)| std::iter::repeat_n(place(device), *count)).collect();
            NodeSpec { name, cpu_milli, memory_mib, devices }
        });
        let mut nodes: Vec<NodeSpec> = nodes.collect();
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        nodes
    }

    /// GPUs of a task that requests so many of a resource, by the types that it may use. Several parts are of one GPU if they fit on
    /// one of each type; otherwise each is of another GPU. None if no type has this resource.
    pub(crate) fn taken(&self, resource: &str, count: u64, may_use: impl Fn(&Device) -> bool) -> Option<GpuRequest> {
        let part = |device: &Device| device.offers.get(resource).copied().filter(|_| may_use(device));
        let parts: Vec<Option<Part>> = self.devices.iter().map(part).collect();
        if parts.iter().all(Option::is_none) {
            return None;
        }
        let fit_on_one = parts.iter().flatten().all(|part| part.times(count) <= GpuAmount::ONE);
        let (gpus, each) = if fit_on_one { (1, count) } else { (count, 1) };
        let share = |part: Part| u16::try_from(part.times(each).units()).unwrap_or(WHOLE).min(WHOLE);
        let shares = parts.into_iter().map(|part| part.map(share)).collect();
        Some(GpuRequest { gpus, shares })
    }
}

/// Checks the supported size of a cluster.
///
/// # Errors
/// More nodes or more types of GPUs.
pub(crate) fn check(nodes: usize, types: usize) -> Result<(), String> {
    if nodes > MOST_NODES {
        return Err(format!("{nodes} nodes; at most {MOST_NODES} are supported: split the file"));
    }
    if types > MOST_TYPES {
        return Err(format!("{types} types of GPUs; at most {MOST_TYPES} are supported: use one name for equal types"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(product: &str, cut: &str, offers: &[(&str, Part)]) -> Device {
        let offers = offers.iter().map(|(name, part)| ((*name).to_owned(), *part)).collect();
        Device { product: product.to_owned(), cut: cut.to_owned(), label: product.to_owned(), offers, memory_mib: 0 }
    }

    /// 3,000 of 15,360 MiB are 8,203.1 units of 42,000, 30 % of the cores are more.
    #[test]
    fn the_larger_of_compute_and_memory_counts() {
        let card = Device { memory_mib: 15_360, ..device("T4", "", &[]) };
        let limits = Limits { units: None, memory_mib: Some(3_000) };
        assert_eq!(limits.share(&card), Some(8_204));
        assert_eq!(limits.at_least(300 * THOUSANDTH).share(&card), Some(300 * THOUSANDTH));
        assert_eq!(limits.at_least(100 * THOUSANDTH).share(&card), Some(8_204));
        // Three thirds of the memory fit on a GPU.
        assert_eq!(Limits { units: None, memory_mib: Some(5_120) }.share(&card), Some(WHOLE / 3));
        assert_eq!(limits.share(&device("T4", "", &[])), None);
        assert_eq!(Limits { units: None, memory_mib: Some(u64::MAX) }.share(&card), Some(u16::MAX));
    }

    #[test]
    fn types_are_told_apart_by_how_they_are_cut_only_where_needed() {
        let whole = device("A100", "", &[("gpu", Part::ONE)]);
        let cut = device("A100", "4 replicas", &[("gpu", Part { of: 1, whole: 4 })]);
        let other = device("T4", "4 replicas", &[("gpu", Part { of: 1, whole: 4 })]);
        let types = Types { devices: vec![whole, cut, other] };
        assert_eq!(types.names(), ["A100", "A100 (4 replicas)", "T4"]);
        let taken = types.taken("gpu", 2, |_| true).expect("all have it");
        assert_eq!(taken, GpuRequest { gpus: 2, shares: vec![Some(WHOLE), Some(WHOLE / 4), Some(WHOLE / 4)] });
        let taken = types.taken("gpu", 2, |device| !device.cut.is_empty()).expect("two have it");
        assert_eq!(taken, GpuRequest { gpus: 1, shares: vec![None, Some(WHOLE / 2), Some(WHOLE / 2)] });
        assert_eq!(types.taken("mig", 1, |_| true), None);
        assert_eq!(types.taken("gpu", 1_000, |_| true).expect("all have it").gpus, 1_000);
    }
}
