//! From a fleet to Search: the cluster for one query, or for all queries of the selected applications.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover_files::shell;
use crossover_fleet::opened::open;
use crossover_fleet::{Base, CombinedWorkload, FleetError};
use crossover_page::services::{Services, name_of};
use crossover_placement::Placement;
use crossover_placement_page::offers::OF_ENGINES;
use crossover_plan::Control;
use crossover_quantity::unit::Unit;
use crossover_scenario::Scenario;
use crossover_tool_pages::search::{self, Proposal};
use crossover_tools::search::{Bound, Objective};

/// The machines of the GPU engine.
const MACHINES: &str = "engines.gpu.machines";
/// Most machines to try, as a multiple of the base's.
const MOST: f64 = 4.0;
/// Figures of a query in whole engines.
const SECONDS: &str = "gpu_seconds";
const USD: &str = "gpu_usd";

/// Applications of a fleet that need a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedApplications {
    /// The folder of results.
    pub folder: PathBuf,
    /// Paths of their logs.
    pub logs: Vec<String>,
    /// The engines that they were measured with.
    pub base: Arc<Base>,
}

/// Combines the applications on a thread of its own, opens them as one scenario, and shows it in Search.
pub(super) fn search_for(services: &mut Services<'_>, chosen: SelectedApplications) {
    let folder = chosen.folder.clone();
    let add_up = move |folder: &Path, control: &Control| scenario(folder, &chosen, control);
    services.read("Combining applications", folder, add_up, |services, made| match made {
        Ok(scenario) => {
            let name = scenario.name.clone();
            let document = services.open(scenario);
            propose(services, &document);
            services.notify(format!("Opened {name}"));
        }
        Err(problem) => services.notify_error(problem),
    });
}

fn scenario(folder: &Path, chosen: &SelectedApplications, control: &Control) -> Result<Scenario, String> {
    let logs: BTreeSet<&str> = chosen.logs.iter().map(String::as_str).collect();
    let workload = open(folder)
        .and_then(|opened| CombinedWorkload::new(&opened.outcomes, &logs, &chosen.base, control))
        .map_err(|error: FleetError| error.to_string())?;
    let problem = |error| format!("{}: {error}", folder.display());
    workload.scenario(&chosen.base, &name_of(folder)).map_err(|error| problem(error.to_string()))
}

/// Proposes to search the GPU machines of a document that is in whole engines, and shows Search.
pub(super) fn propose(services: &mut Services<'_>, document: &str) {
    let study = services.document(document).and_then(|document| document.scenario.placement());
    if let Some(study) = study {
        let proposal = proposal(document, study);
        proposal.put(services.cache());
    }
    services.show_tool(search::TOOL);
}

/// A search over catalogue machines with the base's GPU and their number: least cost in at most today's time, or least time if
/// there are no prices.
fn proposal(document: &str, study: &Placement) -> Proposal {
    let engines = study.engines.as_deref();
    let today = engines.and_then(|engines| engines.measured_seconds);
    let has_prices = engines.is_some_and(|engines| engines.cpu.usd_per_hour.and(engines.gpu.usd_per_hour).is_some());
    let [_, (_, machines)] = OF_ENGINES;
    let constraint = |seconds| (SECONDS.to_owned(), Bound::AtMost, Unit::Seconds.format(seconds));
    Proposal {
        document: document.to_owned(),
        free: vec![(MACHINES.to_owned(), ends(engines.map_or(1.0, |engines| engines.gpu.machines)))],
        lists: vec![machines.to_owned()],
        constraints: today.map(constraint).into_iter().collect(),
        objectives: vec![Objective { key: if has_prices { USD } else { SECONDS }.to_owned(), is_minimised: true }],
    }
}

/// The range of the number of machines. One machine exchanges nothing, which a profile of several does not cover.
fn ends(machines: f64) -> [f64; 2] {
    let least = if machines > 1.0 { 2.0 } else { 1.0 };
    [least, (MOST * machines).clamp(least + 1.0, 1e6)]
}

/// The same search on the command line.
pub(crate) fn command_line(file: &str, study: &Placement) -> String {
    let Proposal { free, lists, constraints, objectives, .. } = proposal("", study);
    let mut words = ["crossover", "search", file].map(str::to_owned).to_vec();
    let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
    for (path, [from, to]) in free {
        add("--free", format!("{path}={from}..{to}"));
    }
    for list in lists {
        add("--choose", list);
    }
    for (key, side, value) in constraints {
        let sign = if side == Bound::AtMost { "<=" } else { ">=" };
        add("--constraint", format!("{key}{sign}{value}"));
    }
    for Objective { key, is_minimised } in objectives {
        add(if is_minimised { "--minimise" } else { "--maximise" }, key);
    }
    shell::line(words)
}
