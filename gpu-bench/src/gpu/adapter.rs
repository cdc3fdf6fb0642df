//! The adapters of this machine: listing, describing, choosing.

use serde::{Deserialize, Serialize};

use super::pcie::{self, Link};
use crate::failure::Failure;

/// An adapter that can be opened.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// What it is.
    pub description: Description,
    pub(super) inner: wgpu::Adapter,
}

/// What an adapter is, as reports keep it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Description {
    /// Name that the driver gives.
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `software` or `other`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `vulkan`, `metal`, `dx12` or `gl`.
    pub backend: String,
    /// Name of the driver.
    pub driver: String,
    /// Version and more of the driver.
    pub driver_info: String,
    /// PCI vendor.
    pub vendor: u32,
    /// PCI device.
    pub device: u32,
    /// PCI address, where the driver tells.
    pub pci: String,
    /// The link to the CPU, where the system tells.
    pub link: Option<Link>,
    /// Whether the "GPU" is a program on the CPU; such an adapter never yields a GPU speedup.
    pub software: bool,
    /// Bounds that matter here.
    pub limits: Limits,
    /// Features that kernels or timing use: `timestamps`, `subgroups`, `mappable buffers`.
    pub features: Vec<String>,
    /// Smallest and largest subgroup, lanes.
    pub subgroup: (u32, u32),
}

/// Bounds of an adapter that matter here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Largest buffer, bytes.
    pub buffer_bytes: u64,
    /// Largest part of a buffer that a kernel sees, bytes.
    pub binding_bytes: u64,
    /// Memory shared by a workgroup, bytes.
    pub workgroup_bytes: u32,
    /// Largest workgroup, invocations.
    pub workgroup_size: u32,
    /// Most workgroups along one dimension.
    pub workgroups: u32,
}

/// All adapters, the one to prefer first; a GPU that several drivers show stands once.
#[must_use]
pub fn list() -> Vec<Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        // Validation and debugging cost time; both would be on in debug builds.
        flags: wgpu::InstanceFlags::empty(),
        // An error instead of a machine that swaps.
        memory_budget_thresholds: wgpu::MemoryBudgetThresholds {
            for_resource_creation: Some(80),
            for_device_loss: Some(95),
        },
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let mut adapters: Vec<Adapter> = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()))
        .into_iter()
        .map(|inner| Adapter { description: describe(&inner), inner })
        .collect();
    adapters.sort_by_key(|adapter| rank(&adapter.description));
    let mut seen = Vec::new();
    adapters.retain(|adapter| {
        let key = identity(&adapter.description);
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    adapters
}

/// The adapter with this number in [`list`], or the first whose name contains the text; without a wish the first.
///
/// # Errors
/// [`Failure::NoAdapter`] if there is none, [`Failure::NoSuchAdapter`] if none fits.
pub fn choose(adapters: Vec<Adapter>, wanted: Option<&str>) -> Result<Adapter, Failure> {
    let names: Vec<String> = adapters.iter().map(|adapter| adapter.description.name.clone()).collect();
    let index = match wanted {
        None => 0,
        Some(wanted) => position(&names, wanted).ok_or_else(|| Failure::NoSuchAdapter {
            wanted: wanted.to_owned(),
            available: if names.is_empty() { "none".to_owned() } else { names.join(", ") },
        })?,
    };
    adapters.into_iter().nth(index).ok_or(Failure::NoAdapter)
}

/// A number is an index if it is one; otherwise text is part of a name, in any case.
fn position(names: &[String], wanted: &str) -> Option<usize> {
    if let Some(index) = wanted.parse::<usize>().ok().filter(|index| *index < names.len()) {
        return Some(index);
    }
    let wanted = wanted.to_lowercase();
    names.iter().position(|name| name.to_lowercase().contains(&wanted))
}

fn describe(adapter: &wgpu::Adapter) -> Description {
    let (info, limits, features) = (adapter.get_info(), adapter.limits(), adapter.features());
    let named = [
        (wgpu::Features::TIMESTAMP_QUERY, "timestamps"),
        (wgpu::Features::SUBGROUP, "subgroups"),
        (wgpu::Features::MAPPABLE_PRIMARY_BUFFERS, "mappable buffers"),
    ];
    Description {
        kind: match info.device_type {
            wgpu::DeviceType::DiscreteGpu => "discrete",
            wgpu::DeviceType::IntegratedGpu => "integrated",
            wgpu::DeviceType::VirtualGpu => "virtual",
            wgpu::DeviceType::Cpu => "software",
            wgpu::DeviceType::Other => "other",
        }
        .to_owned(),
        backend: info.backend.to_str().to_owned(),
        software: is_software(&info),
        link: pcie::link(&info.device_pci_bus_id),
        limits: Limits {
            buffer_bytes: limits.max_buffer_size,
            binding_bytes: limits.max_storage_buffer_binding_size,
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
            workgroup_size: limits.max_compute_invocations_per_workgroup,
            workgroups: limits.max_compute_workgroups_per_dimension,
        },
        features: named
            .into_iter()
            .filter(|(feature, _)| features.contains(*feature))
            .map(|(_, name)| name.to_owned())
            .collect(),
        subgroup: (info.subgroup_min_size, info.subgroup_max_size),
        name: info.name,
        driver: info.driver,
        driver_info: info.driver_info,
        vendor: info.vendor,
        device: info.device,
        pci: info.device_pci_bus_id,
    }
}

/// OpenGL does not tell its device type; the software rasterizers are known by name.
fn is_software(info: &wgpu::AdapterInfo) -> bool {
    let name = info.name.to_lowercase();
    info.device_type == wgpu::DeviceType::Cpu
        || ["llvmpipe", "lavapipe", "softpipe", "swiftshader", "basic render driver"]
            .iter()
            .any(|soft| name.contains(soft))
}

/// Smaller is preferred: a real GPU before software, a discrete one before the others, Vulkan and Metal first.
fn rank(description: &Description) -> (bool, usize, usize) {
    let kind = ["discrete", "integrated", "virtual", "other", "software"];
    let backend = ["vulkan", "metal", "dx12", "gl"];
    let place = |list: &[&str], name: &str| list.iter().position(|known| *known == name).unwrap_or(list.len());
    (description.software, place(&kind, &description.kind), place(&backend, &description.backend))
}

/// What tells two adapters apart: the PCI address where known, otherwise vendor and device.
fn identity(description: &Description) -> (String, u32, u32, bool) {
    if description.software {
        // llvmpipe shows up once through Vulkan and once through OpenGL.
        (String::new(), 0, 0, true)
    } else if description.pci.is_empty() {
        (description.name.clone(), description.vendor, description.device, false)
    } else {
        (description.pci.clone(), 0, 0, false)
    }
}
