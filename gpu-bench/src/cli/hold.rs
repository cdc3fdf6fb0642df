//! `gpu-bench hold-clocks`: the child process of a run that keeps a CUDA context.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use anyhow::{Result, anyhow};
use clap::Args;

use crate::gpu::Gpu;
use crate::gpu::clock_hold;

/// Name of this command.
const NAME: &str = "hold-clocks";

#[derive(Debug, Args)]
pub struct Options {
    /// PCI address of the GPU, as “gpu-bench list” prints it
    pci: String,
}

/// Holds until standard input is closed.
pub(super) fn hold_clocks(options: &Options) -> Result<()> {
    clock_hold::serve(&options.pci).map_err(|reason| anyhow!(reason))
}

/// Holds the clocks of this GPU by a child of this program, whose command `name` is being carried out.
pub(super) fn hold(gpu: &mut Gpu, name: &str) {
    // Without its own path this program has no child, and the clocks are those of the driver.
    let Ok(program) = env::current_exe() else { return };
    let mut command = Command::new(program);
    command.args(before_name(env::args_os(), name)).args([NAME, &gpu.description.pci]);
    gpu.hold_clocks(command);
}

/// The arguments of this process before the name of a command: `crossover bench pairs` is the same as `gpu-bench pairs`.
pub(super) fn before_name(arguments: impl Iterator<Item = OsString>, name: &str) -> Vec<OsString> {
    arguments.skip(1).take_while(|argument| argument != name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_before_the_command_select_the_program() {
        let before = |line: &str, name: &str| before_name(line.split(' ').map(OsString::from), name);
        assert_eq!(before("gpu-bench pairs --queues", "pairs"), [""; 0].map(OsString::from));
        assert_eq!(before("crossover bench pairs --kernels pairs", "pairs"), [OsString::from("bench")]);
        assert_eq!(before("crossover bench run --suite full", "run"), [OsString::from("bench")]);
    }
}
