//! `gpu-bench units`: the compute units of this machine.

use anyhow::Result;
use clap::Args;
use crossover_measured::probe::machine::{GpuUnits, MachineUnits};
use crossover_quantity::text::TextReport;

use super::print;
use crate::gpu::adapter;
use crate::probe::machine;
use crate::quantity;

#[derive(Debug, Args)]
pub struct Options {
    /// Writes JSON
    #[arg(long)]
    json: bool,
}

/// Prints the units of this machine.
pub(super) fn units(options: &Options) -> Result<()> {
    let machine = machine::here(adapters);
    if options.json {
        return print(&(serde_json::to_string_pretty(&machine)? + "\n"));
    }
    let mut text_report = TextReport::default();
    text_report.facts(facts(&machine));
    print(text_report.terminal())
}

/// GPUs that NVIDIA's driver does not list.
fn adapters() -> Vec<GpuUnits> {
    let adapters = adapter::list().into_iter().map(|adapter| adapter.description);
    let gpus = adapters.filter(|description| !description.software);
    gpus.map(|description| GpuUnits { name: description.name, id: description.pci, ..GpuUnits::default() }).collect()
}

fn facts(machine: &MachineUnits) -> Vec<(String, String)> {
    let known = |count: u32| if count == 0 { "not known".to_owned() } else { count.to_string() };
    let size = |bytes: u64| if bytes == 0 { "not known".to_owned() } else { quantity::bytes(bytes as f64) };
    let mut facts = vec![
        ("processor".to_owned(), machine.processor.clone()),
        ("sockets".to_owned(), known(machine.sockets)),
        ("cores".to_owned(), known(machine.cores)),
        ("threads".to_owned(), known(machine.threads)),
        ("memory".to_owned(), size(machine.memory_bytes)),
    ];
    if machine.gpus.is_empty() {
        facts.push(("GPUs".to_owned(), "none".to_owned()));
    }
    for (place, gpu) in machine.gpus.iter().enumerate() {
        facts.push((format!("GPU {place}"), format!("{}, memory {}", gpu.name, size(gpu.memory_bytes))));
        for (part, mig) in gpu.mig.iter().enumerate() {
            facts.push((format!("GPU {place}, MIG {part}"), mig.profile.clone()));
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use crossover_measured::probe::machine::MigUnits;

    use super::*;

    #[test]
    fn every_unit_has_a_line_and_what_is_not_known_is_told() {
        let mig = vec![MigUnits { profile: "3g.20gb".to_owned(), id: String::new() }];
        let gpu = GpuUnits { name: "A100".to_owned(), mig, ..GpuUnits::default() };
        let machine = MachineUnits {
            processor: "a processor".to_owned(),
            cores: 64,
            threads: 128,
            gpus: vec![gpu],
            ..MachineUnits::default()
        };
        let facts = facts(&machine);
        let of = |name: &str| facts.iter().find(|(fact, _)| fact == name).map(|(_, value)| value.as_str());
        assert_eq!((of("sockets"), of("cores"), of("threads")), (Some("not known"), Some("64"), Some("128")));
        assert_eq!((of("GPU 0"), of("GPU 0, MIG 0")), (Some("A100, memory not known"), Some("3g.20gb")));
    }
}
