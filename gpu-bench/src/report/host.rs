//! The machine that was measured, as far as its numbers depend on it.

use serde::{Deserialize, Serialize};
use sysinfo::System;

/// The machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    /// Operating system and version.
    pub os: String,
    /// Processor.
    pub cpu: String,
    /// Cores; 0 if unknown.
    pub physical_cores: usize,
    /// Threads that run at once.
    pub logical_cores: usize,
    /// Instruction set architecture.
    pub isa: String,
    /// Memory, bytes.
    pub ram_bytes: u64,
}

impl Host {
    /// This machine.
    #[must_use]
    pub fn here() -> Self {
        // An unknown field stays empty; no number depends on it.
        let mut system = System::new().ok();
        if let Some(system) = &mut system {
            system.refresh_memory();
            system.refresh_cpu_all();
        }
        let cpus = system.as_ref().map(System::cpus).unwrap_or_default();
        Self {
            os: System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned()),
            cpu: cpus.first().map(|cpu| cpu.brand().trim().to_owned()).unwrap_or_default(),
            physical_cores: System::physical_core_count().unwrap_or(0),
            logical_cores: std::thread::available_parallelism().map_or(1, Into::into),
            isa: std::env::consts::ARCH.to_owned(),
            ram_bytes: system.as_ref().map_or(0, System::total_memory),
        }
    }
}
