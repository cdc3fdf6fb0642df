//! What each centre would get, as a shell or kubectl would take it: `crossover probe run --dry-run`, and before runs from the page.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use crossover_files::programs::Programs;
use crossover_files::shell::{line, quoted};
use crossover_probe::Probe;
use crossover_quantity::text::{counted, one_line};

use super::target::Target;
use super::{RunSettings, estimate};
use crate::subject;
use crate::transport::address::Address;
use crate::transport::history::Entry;
use crate::transport::{RunRequest, kubernetes, slurm, ssh, tasks};

/// The folder of reports, which only a run makes.
const FOLDER: &str = "FOLDER";

/// Programs of the scenario, and for each centre the estimated time, its command lines, scripts or manifests.
pub(crate) fn text(
    settings: &RunSettings,
    study: &Probe,
    targets: &[Target],
    programs: Option<&Programs>,
    history: &[Entry],
) -> Result<String> {
    let mut text = String::new();
    for line in programs.map(Programs::lines).unwrap_or_default() {
        _ = writeln!(text, "# program of the file: {line}");
    }
    for target in targets {
        let request = target.request(settings, study, Path::new(FOLDER), programs.is_some());
        let runs = f64::from(request.repeats) * request.units.len() as f64;
        let name = one_line(&target.subject.centre);
        let fewest = request.units.iter().copied().min().unwrap_or(1);
        let time = estimate::in_words(&estimate::time(&target.subject, study, fewest, history));
        _ = writeln!(text, "# {name}, {}: {} of the probe, {time}", target.address, counted(runs, "run"));
        if let Some(unit) = target.assumed_unit(settings) {
            let lists = listing(&target.address, &request.program);
            _ = writeln!(
                text,
                "# {name} is not in the scenario: a run first lists its units ({lists}); assumed here: type “{unit}”"
            );
        }
        for units in &request.units {
            sent(&mut text, settings, target, &request, *units)?;
        }
    }
    Ok(text)
}

/// What lists the units of a centre.
fn listing(address: &Address, program: &[String]) -> String {
    match address {
        Address::Slurm(_) => "sinfo".to_owned(),
        Address::Kubernetes(_) => "kubectl get nodes".to_owned(),
        Address::Local | Address::Ssh(_) => format!("{} units", line(program)),
    }
}

/// What a centre gets for its runs on a number of units.
fn sent(text: &mut String, settings: &RunSettings, target: &Target, request: &RunRequest, units: u32) -> Result<()> {
    let folder = Path::new(FOLDER);
    match &target.address {
        Address::Local => {
            let json = format!("{FOLDER}/report.json");
            let words = request.arguments(&request.task.to_string_lossy(), units, Some(&json));
            _ = writeln!(text, "{} {}", line(&request.program), line(&words));
        }
        Address::Slurm(_) => {
            let words = slurm::options(request, &target.cluster(settings), units, folder);
            _ = writeln!(text, "sbatch {} {FOLDER}/probe-{units}.sh", line(&words));
            for line in slurm::script(request, units, folder).lines() {
                _ = writeln!(text, "#   {line}");
            }
            if request.divided.is_some() {
                _ = writeln!(text, "# {FOLDER}/task-{units}.sh:");
                for line in tasks::process_script(request, units, folder).lines() {
                    _ = writeln!(text, "#   {line}");
                }
            }
        }
        Address::Ssh(host) => {
            let task = subject::ron(&target.subject.probe)?;
            let line = ssh::remote(request, units, task.len());
            _ = writeln!(text, "ssh -o BatchMode=yes -- {} {}", quoted(host), quoted(&line));
        }
        Address::Kubernetes(_) => {
            let task = subject::ron(&target.subject.probe).context("the probe")?;
            let name = format!("crossover-probe-{units}");
            _ = write!(text, "{}", kubernetes::manifest(request, &name, &settings.image, &task, units));
        }
    }
    Ok(())
}
