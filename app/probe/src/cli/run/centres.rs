//! The centres of a call: each by its name and its address.

use std::time::Duration;

use anyhow::{Result, bail};
use crossover_page::terminal::message;
use crossover_probe::Probe;

use super::RunOptions;
use crate::centres::target::{self, Target};
use crate::centres::{CentreAddress, RunSettings};
use crate::transport::address::Address;

/// The centres of a call; this machine, if it names none.
///
/// # Errors
/// A centre is not there or named twice, cannot run the probe, or has too few units; an option is for other centres.
pub(super) fn targets(options: &RunOptions, settings: &RunSettings, study: &Probe) -> Result<Vec<Target>> {
    let mut named: Vec<CentreAddress> = Vec::new();
    for text in &options.centres {
        let (name, address) = parse(text, study)?;
        named.push(centre(options, Some(name), address));
    }
    if named.is_empty() {
        named.push(centre(options, None, None));
    }
    let is_named = |name: &String| named.iter().any(|centre| centre.name.as_ref() == Some(name));
    if let Some(name) = options.answer_within.iter().filter_map(|(name, _)| name.as_ref()).find(|name| !is_named(name))
    {
        bail!("--answer-within {name}: no --centre has this name");
    }
    let targets = target::targets(settings, study, &named, &mut |note| message(format!("note: {note}")))?;
    let has_slurm = targets.iter().any(|target| matches!(target.address, Address::Slurm(_)));
    if !has_slurm && (options.partition.is_some() || !options.sbatch.is_empty()) {
        bail!("--partition and --sbatch are for centres through Slurm");
    }
    if options.tasks {
        if let Some(other) = targets.iter().find(|target| !matches!(target.address, Address::Slurm(_))) {
            bail!("--tasks is for centres through Slurm; {} is reached {}", other.subject.centre, other.address);
        }
        for target in &targets {
            for units in settings.units(study) {
                target.subject.probe.divided(units).map_err(anyhow::Error::msg)?;
            }
        }
    }
    Ok(targets)
}

/// A centre with the options that are for all of them.
fn centre(options: &RunOptions, name: Option<&str>, address: Option<Address>) -> CentreAddress {
    let address = match address.unwrap_or_else(|| options.transport.clone()) {
        Address::Slurm(None) => Address::Slurm(options.partition.clone()),
        address => address,
    };
    CentreAddress { name: name.map(str::to_owned), address, answer_within: answer_within(options, name) }
}

/// The time limit of a centre: its own, else that of all.
fn answer_within(options: &RunOptions, name: Option<&str>) -> Option<Duration> {
    let limit = |wanted: Option<&str>| {
        let mut limits = options.answer_within.iter().rev();
        limits.find(|(name, _)| name.as_deref() == wanted).map(|(_, limit)| *limit)
    };
    name.and_then(|name| limit(Some(name))).or_else(|| limit(None))
}

/// "NAME" or "NAME=TRANSPORT". A name may have an equals sign.
pub(in crate::cli) fn parse<'a>(text: &'a str, study: &Probe) -> Result<(&'a str, Option<Address>)> {
    if study.centres.iter().any(|centre| centre.name == text) || !text.contains('=') {
        return Ok((text, None));
    }
    // Of several ways to read it, the problem of the first one is named.
    let mut problem = None;
    for (place, _) in text.match_indices('=') {
        match text[place + 1..].parse() {
            Ok(address) => return Ok((&text[..place], Some(address))),
            Err(why) => _ = problem.get_or_insert(why),
        }
    }
    bail!("--centre {text}: {}", problem.unwrap_or_default())
}
