//! The centres of a call: each by its name and its address.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use crossover_probe::{Centre, Probe, UnitType};

use super::{CentreAddress, RunSettings};
use crate::subject::{self, Subject};
use crate::transport::address::Address;
use crate::transport::slurm::{self, Cluster};
use crate::transport::{RunRequest, Transport, kubernetes, ssh};

/// A centre at which the probe is run.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// Centre, units and probe.
    pub(crate) subject: Subject,
    /// How the centre is reached.
    pub(crate) address: Address,
    /// Time limit of the centre for all of its runs, waiting in its queue included.
    pub(crate) answer_within: Option<Duration>,
}

/// Finds the centres of a call in the study. A centre that the study does not have lists its units; `note` receives a note of it. If
/// centres are not queried, the units are assumed.
///
/// # Errors
/// A centre is absent or named twice, cannot run the probe, or has too few units.
pub(crate) fn targets(
    settings: &RunSettings,
    study: &Probe,
    centres: &[CentreAddress],
    note: &mut dyn FnMut(String),
) -> Result<Vec<Target>> {
    let mut targets: Vec<Target> = Vec::new();
    for centre in centres {
        let target = target(settings, study, centre, note)?;
        let name = &target.subject.centre;
        if targets.iter().any(|other| other.subject.centre == *name) {
            bail!("{name}: this centre is named twice");
        }
        if target.address == Address::Local && targets.iter().any(|other| other.address == Address::Local) {
            bail!("{name}: two centres on this machine would slow each other down");
        }
        targets.push(target);
    }
    Ok(targets)
}

fn target(
    settings: &RunSettings,
    study: &Probe,
    centre: &CentreAddress,
    note: &mut dyn FnMut(String),
) -> Result<Target> {
    let unit_type = settings.unit_type.as_deref();
    let CentreAddress { name, address, answer_within } = centre;
    let name = name.as_deref();
    let is_known = name.is_none_or(|name| study.centres.iter().any(|centre| centre.name == name));
    let subject = match name {
        Some(name) if !is_known && *address != Address::Local => {
            let centre = if settings.asks_centres {
                asked(settings, name, address, note)?
            } else {
                assumed(name, settings.units(study).into_iter().max().unwrap_or(1))
            };
            subject::new_centre(study, centre, unit_type)
        }
        None | Some(subject::THIS_MACHINE) if *address == Address::Local => subject::this_machine(study, unit_type),
        name => subject::find(study, name, unit_type),
    };
    let subject = subject.map_err(anyhow::Error::msg)?;
    let units = settings.units(study);
    if let Some(units) = units.iter().find(|units| f64::from(**units) > subject.count) {
        bail!("{} has {} units of type “{}”; {units} requested", subject.centre, subject.count, subject.unit);
    }
    Ok(Target { subject, address: address.clone(), answer_within: *answer_within })
}

/// A centre that the study does not have: its host or the nodes of its cluster are its units.
fn asked(settings: &RunSettings, name: &str, address: &Address, note: &mut dyn FnMut(String)) -> Result<Centre> {
    let listed = transport(settings, address)?.listed_units(&settings.program(address), settings.is_divided);
    let listed = listed.map_err(anyhow::Error::msg).with_context(|| {
        format!("{name}: it is not in the scenario, and its units are not known; describe it in the scenario")
    })?;
    let centre = new_centre(name, listed.cpus, listed.gpus);
    if centre.units.is_empty() {
        bail!("{name}: it lists no units");
    }
    note(format!("{name} is a new centre of the scenario: {}", listed.summary));
    Ok(centre)
}

/// A centre that the study does not have and that is not queried: it is assumed to have as many units of each type as a run needs.
fn assumed(name: &str, units: u32) -> Centre {
    new_centre(name, units, units)
}

fn new_centre(name: &str, cpus: u32, gpus: u32) -> Centre {
    let units = [("cpu", cpus), ("gpu", gpus)].into_iter().filter(|(_, count)| *count > 0).map(|(of, count)| {
        UnitType { name: of.to_owned(), count: f64::from(count), runs_on: of.to_owned(), ..UnitType::default() }
    });
    Centre { name: name.to_owned(), units: units.collect(), ..Centre::default() }
}

/// The transport to an address.
fn transport(settings: &RunSettings, address: &Address) -> Result<Transport> {
    Ok(match address {
        Address::Local => Transport::Local,
        Address::Slurm(partition) => Transport::Slurm(cluster(settings, partition.clone())),
        Address::Ssh(host) => Transport::Ssh(Arc::new(ssh::Connection::new(host.clone()).map_err(anyhow::Error::msg)?)),
        Address::Kubernetes(context) => {
            Transport::Kubernetes(kubernetes::Cluster { context: context.clone(), image: settings.image.clone() })
        }
    })
}

fn cluster(settings: &RunSettings, partition: Option<String>) -> Cluster {
    Cluster { partition, arguments: settings.sbatch.clone() }
}

impl Target {
    /// What the centre runs.
    pub(crate) fn request(
        &self,
        settings: &RunSettings,
        study: &Probe,
        folder: &Path,
        has_programs: bool,
    ) -> RunRequest {
        RunRequest {
            task: folder.join("probe.ron"),
            unit: self.subject.runs_on.clone(),
            units: settings.units(study),
            repeats: settings.repeats,
            limit: settings.limit,
            program: settings.program(&self.address),
            has_allowed_programs: has_programs,
            divided: settings.is_divided.then(|| self.subject.probe.clone()),
        }
    }

    /// The type of its units if it is not in the study and has not listed them: it was assumed.
    pub(crate) fn assumed_unit(&self, settings: &RunSettings) -> Option<&str> {
        let is_assumed = self.subject.new.is_some() && self.address != Address::Local && !settings.asks_centres;
        is_assumed.then_some(self.subject.unit.as_str())
    }

    /// The transport to the centre.
    pub(crate) fn transport(&self, settings: &RunSettings) -> Result<Transport> {
        transport(settings, &self.address)
    }

    /// The Slurm cluster of the centre.
    pub(crate) fn cluster(&self, settings: &RunSettings) -> Cluster {
        let partition = match &self.address {
            Address::Slurm(partition) => partition.clone(),
            _ => None,
        };
        cluster(settings, partition)
    }

    /// A folder for the reports of the centre with the probe in it: in the folder of the call, for Slurm otherwise one that nodes
    /// may see, for others a temporary one.
    pub(crate) fn folder(&self, settings: &RunSettings, temporary: &Path) -> Result<PathBuf> {
        let shared = match (&settings.folder, &self.address) {
            (Some(folder), _) => slurm::shared(Some(folder.clone())).map_err(anyhow::Error::msg)?,
            (None, Address::Slurm(_)) => slurm::shared(settings.slurm_folder.clone()).map_err(anyhow::Error::msg)?,
            _ => temporary.to_owned(),
        };
        // Jobs of earlier runs may still use theirs.
        let folder = slurm::new_folder(&shared).map_err(anyhow::Error::msg)?;
        let task = folder.join("probe.ron");
        fs::write(&task, subject::ron(&self.subject.probe)?)
            .with_context(|| format!("cannot write {}", task.display()))?;
        Ok(folder)
    }
}
