//! `cargo xtask monkey`: the real window under random use, on a virtual display.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use crossover_needs::{deadline, on_build_server};

use crate::build::released_example;
use crate::display::VirtualDisplay;
use crate::environment::TestEnvironment;
use crate::process::{OwnedChild, cargo, run as run_command};
use crate::report::Report;

/// Uses the window for so many minutes, with the events of this seed.
pub(crate) fn run(root: &Path, minutes: u32, seed: u64) -> Report {
    let mut report = Report::new(root);
    report.check(&format!("monkey, seed {seed}"), || at_the_window(root, minutes, seed).into());
    report
}

/// The last line that the monkey wrote: memory at the start and at the end, panics, lost edits.
fn at_the_window(root: &Path, minutes: u32, seed: u64) -> Result<String> {
    let mut build = cargo(root, ["build", "--release", "--package", "crossover", "--example", "monkey"]);
    if on_build_server() {
        build.arg("--locked");
    }
    run_command(&mut build)?;
    let environment = TestEnvironment::new()?;
    let display = VirtualDisplay::start()?;
    let mut command = Command::new(released_example(root, "monkey"));
    environment.apply(command.args([minutes.to_string(), seed.to_string()]).current_dir(root));
    command.env("DISPLAY", &display.name).stdout(Stdio::piped());
    let mut window = OwnedChild::start(&mut command)?;
    let lines = window.lines()?;
    // It rests longer than it acts where edits are slow to reach the disk.
    let end = Instant::now() + 2 * Duration::from_mins(1) * minutes + deadline();
    let mut last = None;
    while let Ok(line) = lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
        eprintln!("{line}");
        last = Some(line);
    }
    window.wait_until(end).with_context(|| format!("the window under random use, seed {seed}"))?;
    last.context("the window ended well, but wrote nothing")
}
