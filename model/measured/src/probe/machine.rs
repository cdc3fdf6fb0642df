//! The compute units of a machine, as a centre reports them.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// Compute units of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MachineUnits {
    /// Name of the processor.
    pub processor: String,
    /// Processor sockets; 0: not known.
    pub sockets: u32,
    /// Processor cores; 0: not known.
    pub cores: u32,
    /// Threads that a process may run at once.
    pub threads: u32,
    /// Memory, bytes; 0: not known.
    pub memory_bytes: u64,
    /// GPUs.
    #[serde(default)]
    pub gpus: Vec<GpuUnits>,
}

/// A GPU of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GpuUnits {
    /// Name that the driver gives.
    pub name: String,
    /// Its identifier, if the driver gives one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Memory, bytes; 0: not known.
    #[serde(default)]
    pub memory_bytes: u64,
    /// Parts into which it is divided by MIG; empty: it is whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mig: Vec<MigUnits>,
}

/// A part of a GPU that is divided by MIG.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MigUnits {
    /// Its profile, e.g. 3g.20gb.
    pub profile: String,
    /// Its identifier.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
}

impl MachineUnits {
    /// All units as one text, which changes with them. Identifiers do not count: an equal GPU is the same unit.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut text = format!(
            "{} sockets, {} cores, {} threads of {}, {} bytes",
            self.sockets, self.cores, self.threads, self.processor, self.memory_bytes
        );
        for gpu in &self.gpus {
            _ = write!(text, "; {}, {} bytes", gpu.name, gpu.memory_bytes);
            for part in &gpu.mig {
                _ = write!(text, ", {}", part.profile);
            }
        }
        text
    }
}
