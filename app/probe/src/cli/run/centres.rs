//! The centres of a call: each by its name and its address.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use crossover_page::terminal::message;
use crossover_probe::{Centre, Probe, UnitType};

use super::super::super::subject::{self, Subject};
use super::super::super::transport::address::Address;
use super::super::super::transport::slurm::{self, Cluster};
use super::super::super::transport::{RunRequest, Transport, kubernetes, ssh};
use super::RunOptions;

/// A centre at which the probe is run.
#[derive(Debug)]
pub(super) struct Target {
    /// Centre, units and probe.
    pub(super) subject: Subject,
    /// How the centre is reached.
    pub(super) address: Address,
}

/// The centres of a call; this machine, if it names none.
///
/// # Errors
/// A centre is not there or named twice, cannot run the probe, or has too few units.
pub(super) fn targets(options: &RunOptions, study: &Probe) -> Result<Vec<Target>> {
    let mut named: Vec<(Option<&str>, Address)> = Vec::new();
    for text in &options.centres {
        let (name, address) = parse(text, study)?;
        named.push((Some(name), address.unwrap_or_else(|| options.transport.clone())));
    }
    if named.is_empty() {
        named.push((None, options.transport.clone()));
    }
    let mut targets: Vec<Target> = Vec::new();
    for (name, address) in named {
        let target = target(options, study, name, address)?;
        if targets.iter().any(|other| other.subject.centre == target.subject.centre) {
            bail!("--centre {}: this centre is named twice", target.subject.centre);
        }
        if target.address == Address::Local && targets.iter().any(|other| other.address == Address::Local) {
            bail!("--centre {}: two centres on this machine would slow each other down", target.subject.centre);
        }
        targets.push(target);
    }
    let has_slurm = targets.iter().any(|target| matches!(target.address, Address::Slurm(_)));
    if !has_slurm && (options.partition.is_some() || !options.sbatch.is_empty()) {
        bail!("--partition and --sbatch are for centres through Slurm");
    }
    if options.tasks {
        if let Some(other) = targets.iter().find(|target| !matches!(target.address, Address::Slurm(_))) {
            bail!("--tasks is for centres through Slurm; {} is reached {}", other.subject.centre, other.address);
        }
        for target in &targets {
            for units in units(options, study) {
                target.subject.probe.divided(units).map_err(anyhow::Error::msg)?;
            }
        }
    }
    Ok(targets)
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

fn target(options: &RunOptions, study: &Probe, name: Option<&str>, address: Address) -> Result<Target> {
    let unit_type = options.unit_type.as_deref();
    let is_known = name.is_none_or(|name| study.centres.iter().any(|centre| centre.name == name));
    let subject = match name {
        Some(name) if !is_known && matches!(address, Address::Ssh(_)) && !options.dry_run => {
            let centre = asked(options, name, &address)?;
            subject::new_centre(study, centre, unit_type)
        }
        None | Some(subject::THIS_MACHINE) if address == Address::Local => subject::this_machine(study, unit_type),
        name => subject::find(study, name, unit_type),
    };
    let subject = subject.map_err(anyhow::Error::msg)?;
    let units = units(options, study);
    if let Some(units) = units.iter().find(|units| f64::from(**units) > subject.count) {
        bail!("{} has {} units of type “{}”; {units} requested", subject.centre, subject.count, subject.unit);
    }
    let address = match address {
        Address::Slurm(None) => Address::Slurm(options.partition.clone()),
        address => address,
    };
    Ok(Target { subject, address })
}

/// A centre that the study does not have: its host lists its units.
fn asked(options: &RunOptions, name: &str, address: &Address) -> Result<Centre> {
    let transport = transport(options, address)?;
    let machine = transport.units(&program(options, address)?).context("a host")?;
    let machine =
        machine.map_err(anyhow::Error::msg).with_context(|| format!("--centre {name}: its units are not known"))?;
    let of_type = |name: &str, count: u32| {
        let runs_on = name.to_owned();
        (count > 0).then(|| UnitType { name: name.to_owned(), count: f64::from(count), runs_on, ..UnitType::default() })
    };
    let gpus = u32::try_from(machine.gpus.len()).unwrap_or(u32::MAX);
    let units: Vec<UnitType> = [of_type("cpu", machine.threads), of_type("gpu", gpus)].into_iter().flatten().collect();
    if units.is_empty() {
        bail!("--centre {name}: it lists no units");
    }
    message(format!("note: {name} is a new centre of the scenario: {}", machine.summary()));
    Ok(Centre { name: name.to_owned(), units, ..Centre::default() })
}

/// The measuring program at a centre, with its first arguments.
fn program(options: &RunOptions, address: &Address) -> Result<Vec<String>> {
    let own = || -> Result<String> {
        let path = std::env::current_exe().context("the path of this program is not available")?;
        Ok(path.to_string_lossy().into_owned())
    };
    Ok(match (&options.program, address) {
        (Some(program), _) => vec![program.clone()],
        (None, Address::Local | Address::Slurm(_)) => vec![own()?, "bench".to_owned()],
        (None, Address::Ssh(_) | Address::Kubernetes(_)) => vec!["gpu-bench".to_owned()],
    })
}

/// The transport to an address.
fn transport(options: &RunOptions, address: &Address) -> Result<Transport> {
    Ok(match address {
        Address::Local => Transport::Local,
        Address::Slurm(partition) => Transport::Slurm(cluster(options, partition.clone())),
        Address::Ssh(host) => Transport::Ssh(Arc::new(ssh::Connection::new(host.clone()).map_err(anyhow::Error::msg)?)),
        Address::Kubernetes(context) => {
            Transport::Kubernetes(kubernetes::Cluster { context: context.clone(), image: options.image.clone() })
        }
    })
}

fn cluster(options: &RunOptions, partition: Option<String>) -> Cluster {
    Cluster { partition, arguments: options.sbatch.clone() }
}

/// Numbers of units of a call.
fn units(options: &RunOptions, study: &Probe) -> Vec<u32> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 10^7")]
    let at = study.target.units as u32;
    if options.units.is_empty() { vec![at] } else { options.units.clone() }
}

impl Target {
    /// What the centre runs.
    pub(super) fn request(
        &self,
        options: &RunOptions,
        study: &Probe,
        folder: &Path,
        has_programs: bool,
    ) -> Result<RunRequest> {
        Ok(RunRequest {
            task: folder.join("probe.ron"),
            unit: self.subject.runs_on.clone(),
            units: units(options, study),
            repeats: options.repeats,
            limit: options.limit,
            program: program(options, &self.address)?,
            has_allowed_programs: has_programs,
            divided: options.tasks.then(|| self.subject.probe.clone()),
        })
    }

    /// The transport to the centre.
    pub(super) fn transport(&self, options: &RunOptions) -> Result<Transport> {
        transport(options, &self.address)
    }

    /// The Slurm cluster of the centre.
    pub(super) fn cluster(&self, options: &RunOptions) -> Cluster {
        let partition = match &self.address {
            Address::Slurm(partition) => partition.clone(),
            _ => None,
        };
        cluster(options, partition)
    }

    /// A folder for the reports of the centre with the probe in it: in the folder of the call, for Slurm otherwise one that nodes
    /// may see, for others a temporary one.
    pub(super) fn folder(&self, options: &RunOptions, temporary: &Path) -> Result<PathBuf> {
        let shared = match (&options.folder, &self.address) {
            (Some(_), _) | (None, Address::Slurm(_)) => {
                slurm::shared(options.folder.clone()).map_err(anyhow::Error::msg)?
            }
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
