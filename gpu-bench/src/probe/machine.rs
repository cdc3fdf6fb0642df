//! The compute units of this machine: sockets, cores, threads, memory, GPUs, and the parts of GPUs that MIG has divided.
//!
//! `nvidia-smi` reads what NVIDIA's driver knows, and changes nothing.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossover_files::process_group;
use crossover_measured::probe::machine::{GpuUnits, MachineUnits, MigUnits};

use super::units::available_threads;
use crate::report::Host;

/// Time limit of `nvidia-smi`: a driver that hangs delays no probe for long.
const LIMIT: Duration = Duration::from_secs(10);
/// Polling interval for its end.
const POLL: Duration = Duration::from_millis(5);
/// Largest output.
const MOST_BYTES: u64 = 1 << 20;

/// The units of this machine; `others` are its GPUs where NVIDIA's driver has none.
#[must_use]
pub fn here(others: impl FnOnce() -> Vec<GpuUnits>) -> MachineUnits {
    let host = Host::here();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let listed = nvidia_smi(&["-L"]).map(|text| gpus(&text)).filter(|gpus| !gpus.is_empty());
    let gpus = match listed {
        Some(mut gpus) => {
            let query = ["--query-gpu=uuid,memory.total", "--format=csv,noheader,nounits"];
            add_memory(&mut gpus, &nvidia_smi(&query).unwrap_or_default());
            gpus
        }
        None => others(),
    };
    MachineUnits {
        processor: host.cpu,
        sockets: sockets(),
        cores: count(host.physical_cores),
        threads: available_threads(),
        memory_bytes: host.ram_bytes,
        gpus,
    }
}

/// Sockets of this machine; 0 where the system does not tell.
fn sockets() -> u32 {
    let Ok(processors) = fs::read_dir("/sys/devices/system/cpu") else { return 0 };
    let packages: BTreeSet<String> = processors
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("topology/physical_package_id")).ok())
        .map(|package| package.trim().to_owned())
        .collect();
    u32::try_from(packages.len()).unwrap_or(0)
}

/// The output of `nvidia-smi`; none if there is no driver, or it does not answer.
fn nvidia_smi(arguments: &[&str]) -> Option<String> {
    let mut output = tempfile::tempfile().ok()?;
    let written = run("nvidia-smi", arguments, &output, LIMIT).ok()?;
    if !written {
        return None;
    }
    let mut bytes = Vec::new();
    output.seek(SeekFrom::Start(0)).ok()?;
    output.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Runs a program with its output in a file; whether it succeeded within its limit.
fn run(program: &str, arguments: &[&str], output: &File, limit: Duration) -> io::Result<bool> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(output.try_clone()?).stderr(Stdio::null());
    process_group::own(&mut command);
    let mut child = command.spawn()?;
    let until = Instant::now() + limit;
    while Instant::now() < until {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        thread::sleep(POLL);
    }
    process_group::end(&mut child);
    child.wait()?;
    Ok(false)
}

/// The GPUs in a list of `nvidia-smi -L`, each with its parts below it.
fn gpus(text: &str) -> Vec<GpuUnits> {
    let mut gpus: Vec<GpuUnits> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let Some((named, id)) = line.split_once(" (UUID: ") else { continue };
        let id = id.trim_end_matches(')').to_owned();
        if let Some(profile) = named.strip_prefix("MIG ") {
            // "MIG 3g.20gb     Device  0:"
            let profile = profile.split_whitespace().next().unwrap_or_default().to_owned();
            if let Some(gpu) = gpus.last_mut() {
                gpu.mig.push(MigUnits { profile, id });
            }
        } else if let Some((_, name)) = named.strip_prefix("GPU ").and_then(|rest| rest.split_once(": ")) {
            gpus.push(GpuUnits { name: name.trim().to_owned(), id, ..GpuUnits::default() });
        }
    }
    gpus
}

/// Adds the memory of GPUs from lines of identifier and MiB.
fn add_memory(gpus: &mut [GpuUnits], text: &str) {
    for line in text.lines() {
        let Some((id, mib)) = line.split_once(',') else { continue };
        let mib: Option<u64> = mib.trim().parse().ok();
        if let (Some(gpu), Some(mib)) = (gpus.iter_mut().find(|gpu| gpu.id == id.trim()), mib) {
            gpu.memory_bytes = mib.saturating_mul(1 << 20);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NVIDIA's documentation of MIG, section “Creating GPU Instances”: the list of an A100 with two instances.
    const LISTED: &str = "GPU 0: A100-SXM4-40GB (UUID: GPU-e86cb44c-6756-fd30-cd4a-1e6da3caf9b0)\n  \
                          MIG 3g.20gb Device 0: (UUID: MIG-c7384736-a75d-5afc-978f-d2f1294409fd)\n  \
                          MIG 3g.20gb     Device  1: (UUID: MIG-a28ad590-3fda-56dd-84fc-0a0b96edc58d)\n\
                          GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n";

    #[test]
    fn gpus_and_their_parts_are_listed() {
        let mut found = gpus(LISTED);
        add_memory(&mut found, "GPU-1, 81559\nGPU-2, 1\n[N/A]\nGPU-e86cb44c-6756-fd30-cd4a-1e6da3caf9b0, [N/A]\n");
        let names: Vec<&str> = found.iter().map(|gpu| gpu.name.as_str()).collect();
        assert_eq!(names, ["A100-SXM4-40GB", "NVIDIA H100 80GB HBM3"]);
        let profiles: Vec<&str> = found[0].mig.iter().map(|part| part.profile.as_str()).collect();
        assert_eq!((profiles, found[1].mig.len()), (vec!["3g.20gb", "3g.20gb"], 0));
        assert_eq!(found[0].mig[0].id, "MIG-c7384736-a75d-5afc-978f-d2f1294409fd");
        assert_eq!((found[0].memory_bytes, found[1].memory_bytes), (0, 81_559 << 20));
    }

    #[test]
    fn text_of_another_kind_lists_no_gpu() {
        assert!(gpus("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n").is_empty());
        assert!(gpus("  MIG 1g.5gb Device 0: (UUID: MIG-1)\n").is_empty(), "a part without a GPU");
    }

    #[test]
    fn this_machine_has_threads_and_memory() {
        let machine = here(Vec::new);
        assert!(machine.threads > 0 && machine.memory_bytes > 0, "{machine:?}");
    }
}
