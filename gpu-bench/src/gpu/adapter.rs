//! The adapters of this machine: listing, describing, choosing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};

use super::pcie::{self, Link};
use crate::failure::Failure;
use crate::gpu::WORKGROUP;

/// An adapter that can be opened.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// Its description.
    pub description: Description,
    pub(super) inner: wgpu::Adapter,
}

/// Description of an adapter, as in reports.
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
    /// PCI address, if the driver reports it.
    pub pci: String,
    /// The link to the CPU, if the system reports it.
    pub link: Option<Link>,
    /// Whether it is a software adapter, which runs on the CPU and gives no GPU speedup.
    pub software: bool,
    /// Limits for buffers and kernels.
    pub limits: Limits,
    /// Features that kernels or timing use: `timestamps`, `subgroups`, `mappable buffers`.
    pub features: Vec<String>,
    /// Smallest and largest subgroup, lanes.
    pub subgroup: (u32, u32),
}

/// Limits of an adapter for buffers and kernels.
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

impl Limits {
    /// Whether kernels of 256 invocations run at all; OpenGL below ES 3.1 has no compute shaders.
    ///
    /// # Errors
    /// [`Failure::Unsupported`] with what is missing.
    pub fn suffice(self) -> Result<(), Failure> {
        let missing = if self.workgroups == 0 {
            "the driver has no compute shaders".to_owned()
        } else if u64::from(self.workgroup_size) < WORKGROUP {
            format!("workgroups of {WORKGROUP} invocations, the driver allows {}", self.workgroup_size)
        } else if self.binding_bytes == 0 || self.buffer_bytes == 0 {
            "the driver has no storage buffers".to_owned()
        } else {
            return Ok(());
        };
        Err(Failure::Unsupported(missing))
    }
}

impl Description {
    /// Whether the GPU has memory of its own, so that data must cross a link to reach it.
    #[must_use]
    pub fn has_own_memory(&self) -> bool {
        !self.software && self.kind != "integrated"
    }
}

/// All adapters, the preferred one first; a GPU that several drivers show is listed once.
#[must_use]
pub fn list() -> Vec<Adapter> {
    let mut adapters: Vec<Adapter> = wgpu::Backends::all()
        .iter()
        // A driver that panics affects only its own backend.
        .filter_map(|backend| catch_unwind(AssertUnwindSafe(|| list_backend(backend))).ok())
        .flatten()
        .collect();
    adapters.sort_by_key(|adapter| rank(&adapter.description));
    let mut kept: Vec<Adapter> = Vec::new();
    for adapter in adapters {
        if !kept.iter().any(|earlier| same_gpu(&earlier.description, &adapter.description)) {
            kept.push(adapter);
        }
    }
    kept
}

fn list_backend(backend: wgpu::Backends) -> Vec<Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: backend,
        // Validation and debugging are slow; both would be on in debug builds.
        flags: wgpu::InstanceFlags::empty(),
        // An error instead of a machine that swaps.
        memory_budget_thresholds: wgpu::MemoryBudgetThresholds {
            for_resource_creation: Some(80),
            for_device_loss: Some(95),
        },
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    pollster::block_on(instance.enumerate_adapters(backend))
        .into_iter()
        .map(|inner| Adapter { description: describe(&inner), inner })
        .collect()
}

/// The adapter with this number in [`list`], or the first whose name contains the text; by default the first.
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
        link: pcie::link(&info.device_pci_bus_id).filter(|_| !has_faster_link(&info.name)),
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

/// Grace processors reach their GPU over NVLink-C2C, 7 times as fast as the PCIe link that the system shows.
fn has_faster_link(name: &str) -> bool {
    ["GH200", "GB200", "GB300", "GB10"].iter().any(|superchip| name.contains(superchip))
}

/// OpenGL does not report its device type; software rasterizers are recognised by name.
fn is_software(info: &wgpu::AdapterInfo) -> bool {
    let name = info.name.to_lowercase();
    info.device_type == wgpu::DeviceType::Cpu
        || ["llvmpipe", "lavapipe", "softpipe", "swiftshader", "basic render driver"]
            .iter()
            .any(|soft| name.contains(soft))
}

/// Smaller is preferred: what can compute first, a real GPU before software, a discrete one before the others,
/// Vulkan and Metal first.
fn rank(description: &Description) -> (bool, bool, usize, usize) {
    let kind = ["discrete", "integrated", "virtual", "other", "software"];
    let backend = ["vulkan", "metal", "dx12", "gl"];
    let place = |list: &[&str], name: &str| list.iter().position(|known| *known == name).unwrap_or(list.len());
    (
        description.limits.suffice().is_err(),
        description.software,
        place(&kind, &description.kind),
        place(&backend, &description.backend),
    )
}

/// Whether two drivers show the same GPU. All software renderers count as one: llvmpipe shows up through
/// Vulkan and through OpenGL.
fn same_gpu(a: &Description, b: &Description) -> bool {
    if a.software || b.software {
        a.software && b.software
    } else if !a.pci.is_empty() && !b.pci.is_empty() {
        a.pci == b.pci
    } else {
        // One driver shows two equal cards as two adapters. OpenGL reports neither address nor device, only
        // the vendor, and never offers more than one GPU.
        let vendor_only = a.device == 0 || b.device == 0;
        a.backend != b.backend && a.vendor == b.vendor && (vendor_only || a.device == b.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu(backend: &str, device: u32, pci: &str) -> Description {
        Description {
            backend: backend.to_owned(),
            kind: "discrete".to_owned(),
            vendor: 0x10de,
            device,
            pci: pci.to_owned(),
            limits: Limits {
                buffer_bytes: 1 << 30,
                binding_bytes: 1 << 30,
                workgroup_bytes: 1 << 14,
                workgroup_size: 256,
                workgroups: 65_535,
            },
            ..Description::default()
        }
    }

    #[test]
    fn a_gpu_that_several_drivers_show_is_one_but_two_equal_cards_are_two() {
        let vulkan = gpu("vulkan", 0x2335, "0000:17:00.0");
        assert!(same_gpu(&vulkan, &gpu("dx12", 0x2335, "0000:17:00.0")));
        assert!(same_gpu(&vulkan, &gpu("dx12", 0x2335, "")));
        assert!(same_gpu(&vulkan, &gpu("gl", 0, "")), "OpenGL names the vendor alone");
        assert!(!same_gpu(&vulkan, &gpu("vulkan", 0x2335, "0000:65:00.0")));
        assert!(!same_gpu(&gpu("metal", 0x2335, ""), &gpu("metal", 0x2335, "")));
        let software = Description { software: true, ..gpu("gl", 0, "") };
        assert!(!same_gpu(&vulkan, &software));
        assert!(same_gpu(&software, &Description { software: true, ..Description::default() }));
    }

    #[test]
    fn what_can_compute_is_preferred_and_the_rest_says_why_not() {
        let (able, mut unable) = (Description { software: true, ..gpu("vulkan", 0, "") }, gpu("gl", 0, ""));
        unable.limits.workgroups = 0;
        assert!(rank(&able) < rank(&unable));
        assert_eq!(able.limits.suffice(), Ok(()));
        let reason = unable.limits.suffice().expect_err("cannot").to_string();
        assert!(reason.contains("no compute shaders"), "{reason}");
        assert!(rank(&gpu("vulkan", 1, "")) < rank(&gpu("gl", 1, "")));
        assert!(rank(&gpu("gl", 1, "")) < rank(&able), "a GPU through OpenGL before software");
    }

    #[test]
    fn the_pcie_link_of_a_superchip_is_not_its_link() {
        assert!(has_faster_link("NVIDIA GH200 480GB"));
        assert!(!has_faster_link("NVIDIA H200") && !has_faster_link("NVIDIA B200"));
    }

    #[test]
    fn names_and_numbers_choose() {
        let names = ["NVIDIA H200".to_owned(), "llvmpipe (LLVM 15)".to_owned()];
        assert_eq!(position(&names, "1"), Some(1));
        assert_eq!(position(&names, "h200"), Some(0));
        assert_eq!(position(&names, "15"), Some(1), "a number beyond the list is part of a name");
        assert_eq!(position(&names, "Arc"), None);
    }
}
