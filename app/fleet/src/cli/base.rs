//! The engines that logs are compared with: those of the scenarios that are named, and of shipped ones.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use crossover_fleet::{Base, Outcomes};
use crossover_page::storage::scenario;
use crossover_placement_page::examples::MEASURED;
use crossover_placement_page::truth::open_profile;
use crossover_scenario::{Scenario, read};

use super::FleetOptions;
use crate::shipped::with_shipped;

/// Error for a base that is not a scenario.
const NO_SCENARIO: &str = "not a scenario; expected a placement scenario with engines, such as \
                           scenarios/placement-truth-aws-l4.ron; for a file of `crossover fit`, use --profile";

/// Name of the base in messages.
fn base_name(path: Option<&Path>) -> String {
    path.map_or_else(|| "the base".to_owned(), |path| path.display().to_string())
}

/// The scenarios of all bases, in the order of the command line.
pub(super) fn scenarios(options: &FleetOptions) -> Result<Vec<Scenario>> {
    let first = scenario_of(options.base.first().map(PathBuf::as_path), options.profile.as_deref())?;
    let others = options.base.iter().skip(1).map(|path| scenario_of(Some(path), None));
    std::iter::once(Ok(first)).chain(others).collect()
}

/// All bases in one: these scenarios, and shipped ones.
pub(super) fn base_of(scenarios: &[Scenario], paths: &[PathBuf]) -> Result<Base> {
    let mut all: Option<Base> = None;
    for (place, scenario) in scenarios.iter().enumerate() {
        let base = Base::new(scenario).with_context(|| base_name(paths.get(place).map(PathBuf::as_path)))?;
        all = Some(match all {
            Some(all) => all.beside(base),
            None => base,
        });
    }
    with_shipped(all.context("no base")?).map_err(|problem| anyhow!(problem))
}

/// The scenario of a base.
pub(super) fn scenario_of(path: Option<&Path>, profile: Option<&Path>) -> Result<Scenario> {
    let name = base_name(path);
    let mut scenario: Scenario = match path {
        Some(path) => scenario::open(path).map_err(|error| {
            if begins_as_scenario(path) { error } else { error.context(format!("--base {name}: {NO_SCENARIO}")) }
        })?,
        None => read(MEASURED[0].1.text).map_err(|error| anyhow!("the shipped base: {error}"))?,
    };
    if let Some(profile) = profile {
        let profile = open_profile(profile).map_err(|problem| anyhow!(problem))?;
        let study = scenario.study.placement_mut();
        study.with_context(|| format!("{name}: only placement scenarios have engines"))?.set_engines(profile);
    }
    scenario.study.validate().map_err(|invalid| anyhow!("{name}: {}: {}", invalid.path, invalid.problem))?;
    Ok(scenario)
}

/// Whether a file begins like a scenario; true for a file that cannot be read, so that the reader reports the error.
fn begins_as_scenario(path: &Path) -> bool {
    let mut start = Vec::new();
    // A pipe is already drained.
    let is_read = path.is_file() && File::open(path).and_then(|file| file.take(64).read_to_end(&mut start)).is_ok();
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&start).trim_ascii_start();
    !is_read || text.starts_with(b"(") || text.starts_with(b"/")
}

/// The base that results were measured with: `named` if its digest fits, else the one in their folder.
pub(super) fn measured(outcomes: &Outcomes, folder: &Path, named: Option<Base>) -> Result<Option<Base>> {
    let digest = outcomes.ledger.done().map_or("", |done| done.base.as_str());
    match named.filter(|base| base.digest == digest) {
        Some(base) => Ok(Some(base)),
        None => Base::of_results(folder, digest).map(with_shipped).transpose().map_err(|problem| anyhow!(problem)),
    }
}
