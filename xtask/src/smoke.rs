//! Opens the real window on a virtual display and sees that it draws.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::build::application;
use crate::display::VirtualDisplay;
use crate::environment::TestEnvironment;
use crate::process::OwnedChild;

/// How long the application may take to open, draw and close.
const TIMEOUT: Duration = Duration::from_mins(2);

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
    window
        .wait_until(Instant::now() + TIMEOUT)
        .with_context(|| format!("the window (allowed {} s)", TIMEOUT.as_secs()))?;

    let mut report = None;
    for line in lines {
        eprintln!("{line}");
        if line.starts_with(REPORT) {
            report = Some(line);
        }
    }
    report.with_context(|| format!("the application ended well, but never wrote `{REPORT} …`"))
}
