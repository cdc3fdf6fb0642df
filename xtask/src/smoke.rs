//! Opens the real window on a virtual display and sees that it draws.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result};
use crossover_needs::deadline;

use crate::build::application;
use crate::display::VirtualDisplay;
use crate::environment::TestEnvironment;
use crate::process::OwnedChild;

/// How the line starts that the application prints once its window has drawn.
const REPORT: &str = "smoke test: first frame after";

/// Runs `crossover --smoke-test`; the result is the line it reports.
pub(crate) fn run(root: &Path, environment: &TestEnvironment) -> Result<String> {
    let display = VirtualDisplay::start()?;
    let mut command = Command::new(application(root));
    environment.apply(command.arg("--smoke-test").current_dir(root));
    report(command.env("DISPLAY", &display.name).stdout(Stdio::piped()))
}

/// Starts a smoke test whose output is piped; the result is the line it reports.
pub(crate) fn report(command: &mut Command) -> Result<String> {
    let mut window = OwnedChild::start(command)?;
    let lines = window.lines()?;
    // To open, draw and close.
    let limit = deadline();
    window.wait_until(Instant::now() + limit).with_context(|| format!("the window (allowed {} s)", limit.as_secs()))?;

    let mut report = None;
    for line in lines {
        eprintln!("{line}");
        if line.starts_with(REPORT) {
            report = Some(line);
        }
    }
    report.with_context(|| format!("the application ended well, but never wrote `{REPORT} …`"))
}
