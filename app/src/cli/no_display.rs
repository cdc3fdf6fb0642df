//! The text that is printed where no window can be opened.

use std::env;

use anyhow::{Result, anyhow};
use crossover_export::Format;
use crossover_page::storage::scenario::BUILT_IN;
use crossover_scenario::{Scenario, read};

use super::evaluate::outcome;

/// Reason that is printed.
pub const WHY: &str = "no display found (WAYLAND_DISPLAY and DISPLAY are not set)";

/// Whether a window can be opened. Only X11 and Wayland can be missing; they announce themselves by a variable.
#[must_use]
pub fn has_display() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(any(target_os = "macos", target_os = "windows"))
        || ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"].into_iter().any(is_set)
}

/// The reports of scenarios, or of the built-in one.
///
/// # Errors
/// If the built-in scenario is not valid.
pub fn report(mut scenarios: Vec<Scenario>) -> Result<String> {
    if scenarios.is_empty() {
        scenarios.push(read(BUILT_IN).map_err(|error| anyhow!("cannot read the built-in scenario: {error}"))?);
    }
    let reports: Result<Vec<String>> =
        scenarios.iter().map(|scenario| outcome(scenario, None, Format::Table, false)).collect();
    Ok(reports?.join("\n"))
}
