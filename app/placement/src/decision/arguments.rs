//! The arguments of `crossover decide` that repeat the decision of a study.

use std::sync::LazyLock;

use crossover_decision::{Price, PriceBasis};
use crossover_engine::{Engine, Engines};
use crossover_export::arguments::{DecideArguments, EnteredPrice};
use crossover_page::catalogue;
use crossover_placement::{CandidateCluster, DecisionInputs, Placement, Side};
use crossover_plan::options::price_of;
use crossover_plan::today::{is_same_engine, take_today};
use crossover_quantity::catalogue::Catalogue;
use crossover_quantity::provenance::Provenance;
use crossover_scenario::read;

use super::super::examples::MEASURED;
use super::super::presets::{enter_todays_machines, on_instance, run_of};

/// Most machines of a cluster on the command line.
const MOST_MACHINES: f64 = 1e5;
/// Path of the price of today's machines.
const PRICE_TODAY: &str = "engines.cpu.usd_per_hour";
/// Path of the price of the machines of the GPU engine.
const PRICE_GPU: &str = "engines.gpu.usd_per_hour";

/// What the command line has, read once: the page decides at each edit.
static CATALOGUE: LazyLock<Option<Catalogue>> = LazyLock::new(|| catalogue::shipped().ok());
static SHIPPED: LazyLock<Vec<Placement>> = LazyLock::new(|| {
    let studies = MEASURED.iter().map(|(_, example)| Some(read(example.text).ok()?.placement()?.clone()));
    studies.flatten().collect()
});

/// The arguments of `crossover decide` that repeat the decision about the application of the query of a study, or about this query. What no
/// option carries is left out, and named.
#[must_use]
pub fn decide_arguments(study: &Placement, is_about_query: bool) -> DecideArguments {
    let default = DecisionInputs::default();
    let inputs = study.decision.as_deref().unwrap_or(&default);
    let mut arguments = DecideArguments::of_objective(&inputs.objective());
    arguments.take_effort(inputs.effort_usd, inputs.effort_hours, inputs.hourly_rate_usd);
    if is_about_query {
        let id = study.query.as_deref().map(|query| query.plan.query.clone());
        arguments.query = id.filter(|id| !id.is_empty());
    }
    let Some(engines) = study.engines.as_deref() else { return arguments };
    let Some((shipped, catalogue)) = of_file(study).zip(CATALOGUE.as_ref()) else {
        arguments.left_out.push("the chosen engines".to_owned());
        return arguments;
    };
    let mut found = Found { arguments, study, inputs, engines, shipped, catalogue };
    found.add_today();
    found.add_gpus();
    for cluster in &inputs.candidates {
        found.add_cluster(cluster);
    }
    found.add_others(is_about_query);
    found.arguments
}

/// The study that the command has without arguments: shipped engines, today's as the file of a study has them; `None` if no shipped engine
/// is that of the file.
fn of_file(study: &Placement) -> Option<Placement> {
    let (import, run) = run_of(study)?;
    let fits = |shipped: &&Placement| {
        shipped.engines.as_deref().is_some_and(|engines| is_same_engine(&import.engine, &engines.cpu.name))
    };
    let mut shipped = SHIPPED.iter().find(fits)?.clone();
    take_today(&mut shipped, &import, &run);
    Some(shipped)
}

/// The arguments that are known so far, and what they are found from.
struct Found<'a> {
    arguments: DecideArguments,
    study: &'a Placement,
    inputs: &'a DecisionInputs,
    engines: &'a Engines,
    /// The study that the command has with these arguments, except prices.
    shipped: Placement,
    catalogue: &'a Catalogue,
}

impl Found<'_> {
    /// Today's machines, and their price.
    fn add_today(&mut self) {
        let today = &self.engines.cpu;
        let is_picked = matches!(
            self.study.sources.get("engines.cpu.vcpus"),
            Some(Provenance::Preset { entry, .. }) if *entry == today.machine
        );
        let is_other = !other_sizes(today, &self.of_command().cpu, "cores").is_empty();
        let mut known = self.catalogue.instances.iter();
        let chosen = known.find(|instance| instance.gpus == 0 && instance.name == today.machine);
        if let Some(chosen) = chosen
            && (is_picked || is_other)
            && today.machines <= MOST_MACHINES
        {
            self.arguments.today = Some(format!("{}x{}", today.machines, today.machine));
            enter_todays_machines(&mut self.shipped, self.catalogue, chosen, today.machines);
        }
        let sizes = other_sizes(today, &self.of_command().cpu, "cores");
        self.leave_out(&sizes, "today’s machines");

        let price = price_of(today.usd_per_hour, self.study.sources.get(PRICE_TODAY));
        let price = price.map(|price| Price { basis: self.inputs.today_price.unwrap_or(price.basis), ..price });
        let of_command = price_of(self.of_command().cpu.usd_per_hour, self.shipped.sources.get(PRICE_TODAY));
        match other_price(price.as_ref(), of_command.as_ref()) {
            Ok(price) => self.arguments.price_today = price,
            Err(lost) => self.leave_out(&[lost], "today’s machines"),
        }
        let region = of_command.and_then(|price| price.region);
        if !self.inputs.today_region.is_empty() && region.as_ref() != Some(&self.inputs.today_region) {
            self.leave_out(&["price region"], "today’s machines");
        }
    }

    /// The machines of the GPU engine, and their price.
    fn add_gpus(&mut self) {
        const OF: &str = "the measured GPU cluster";
        let sizes = other_sizes(&self.engines.gpu, &self.of_command().gpu, "GPUs");
        self.leave_out(&sizes, OF);
        let price = price_of(self.engines.gpu.usd_per_hour, self.study.sources.get(PRICE_GPU));
        let of_command = price_of(self.of_command().gpu.usd_per_hour, self.shipped.sources.get(PRICE_GPU));
        match other_price(price.as_ref(), of_command.as_ref()) {
            Ok(price) => self.arguments.price_gpu = price,
            Err(lost) => self.leave_out(&[lost], OF),
        }
    }

    /// A cluster to compare.
    fn add_cluster(&mut self, cluster: &CandidateCluster) {
        let name = format!("“{}”", cluster.name);
        let mut known = self.catalogue.instances.iter();
        let chosen = known.find(|instance| instance.gpus > 0 && instance.name == cluster.machine);
        let Some(chosen) = chosen.filter(|_| cluster.machines <= MOST_MACHINES) else {
            self.arguments.left_out.push(format!("the cluster {name}"));
            return;
        };
        let machines = format!("{}x{}", cluster.machines, cluster.machine);
        if !cluster.other_gpu.is_empty() {
            // It has no time, so nothing else counts.
            self.arguments.on.push(machines);
            return;
        }
        let measured = &self.of_command().gpu;
        let (numbers, _) = on_instance(measured, self.catalogue, chosen, Side::Gpu);
        let [(_, lanes), _, (_, memory), (_, network), (_, usd_per_hour)] = numbers;
        let of_command = Engine {
            machine: cluster.machine.clone(),
            machines: cluster.machines,
            lanes: lanes.unwrap_or(measured.lanes),
            exchange_memory_gb: memory.or(measured.exchange_memory_gb),
            network_gbit_per_s: network.unwrap_or(measured.network_gbit_per_s),
            ..measured.clone()
        };
        let entered = Engine {
            lanes: cluster.lanes,
            exchange_memory_gb: cluster.exchange_memory_gb.or(self.engines.gpu.exchange_memory_gb),
            network_gbit_per_s: cluster.network_gbit_per_s.unwrap_or(self.engines.gpu.network_gbit_per_s),
            ..of_command.clone()
        };
        self.leave_out(&other_sizes(&entered, &of_command, "GPUs"), &name);

        let source = self.study.sources.get(&format!("decision.candidates.{}.usd_per_hour", cluster.name));
        let price = price_of(cluster.usd_per_hour, source);
        let price = price.map(|price| Price { basis: cluster.price_basis, ..price });
        let listed = price_of(usd_per_hour, Some(&chosen.price_source()));
        // A price of all GPU clusters takes the place of the list price.
        let of_command = match &self.arguments.price_gpu {
            Some(of_all) => of_all.of_machine(None, 0.0).ok(),
            None => listed.clone(),
        };
        match other_price(price.as_ref(), of_command.as_ref()) {
            Ok(Some(price)) => self.arguments.on.push(format!("{machines}@{price}")),
            Ok(None) => self.arguments.on.push(machines),
            Err(lost) => {
                self.leave_out(&[lost], &name);
                self.arguments.on.push(machines);
            }
        }
        let region = listed.and_then(|price| price.region);
        if !cluster.region.is_empty() && region.as_ref() != Some(&cluster.region) {
            self.leave_out(&["price region"], &name);
        }
    }

    /// Names the other numbers of the engines that differ, and with `is_about_query` the measured time.
    fn add_others(&mut self, is_about_query: bool) {
        let of_command = self.of_command();
        let measured_seconds = of_command.measured_seconds;
        let same = Engines {
            cpu: on_machines_of(&self.engines.cpu, &of_command.cpu),
            gpu: on_machines_of(&self.engines.gpu, &of_command.gpu),
            measured_seconds,
            ..self.engines.clone()
        };
        let is_other = same != *of_command;
        let left_out = &mut self.arguments.left_out;
        if self.inputs.learned.is_some() {
            left_out.push("what was learned from the trial".to_owned());
        } else if is_other {
            left_out.push("numbers of the engines".to_owned());
        }
        if is_about_query && self.engines.measured_seconds != measured_seconds {
            left_out.push("the measured time".to_owned());
        }
    }

    /// The engines that the command has with these arguments, except prices.
    fn of_command(&self) -> &Engines {
        self.shipped.engines.as_deref().unwrap_or(self.engines)
    }

    /// Names what no option carries of some machines.
    fn leave_out(&mut self, what: &[&'static str], of: &str) {
        self.arguments.left_out.extend(what.iter().map(|what| format!("the {what} of {of}")));
    }
}

/// An engine with the machines, the sizes and the price of another one, and what its numbers are said to be fitted to.
fn on_machines_of(engine: &Engine, other: &Engine) -> Engine {
    let Engine { machines, lanes, vcpus, network_gbit_per_s, exchange_memory_gb, usd_per_hour, .. } = *other;
    Engine {
        machine: other.machine.clone(),
        fitted_to: other.fitted_to.clone(),
        machines,
        lanes,
        vcpus,
        network_gbit_per_s,
        exchange_memory_gb,
        usd_per_hour,
        ..engine.clone()
    }
}

/// What differs between the machines of two engines; `lanes`: what the engine uses of a machine.
fn other_sizes(one: &Engine, other: &Engine, lanes: &'static str) -> Vec<&'static str> {
    // Numbers that follow from a catalogue through several machines are rounded.
    let is_same = |[one, other]: [Option<f64>; 2]| match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= 1e-9 * one.abs().max(other.abs()),
        (one, other) => one.is_none() && other.is_none(),
    };
    let numbers = [
        ("number", [one, other].map(|engine| Some(engine.machines))),
        (lanes, [one, other].map(|engine| Some(engine.lanes))),
        ("vCPUs", [one, other].map(|engine| engine.vcpus)),
        ("network", [one, other].map(|engine| Some(engine.network_gbit_per_s))),
        ("exchange memory", [one, other].map(|engine| engine.exchange_memory_gb)),
    ];
    let of_type = (one.machine != other.machine).then_some("type");
    let others = numbers.into_iter().filter(|(_, values)| !is_same(*values)).map(|(name, _)| name);
    of_type.into_iter().chain(others).collect()
}

/// The price as an argument, unless the command has it without one.
///
/// # Errors
/// No argument can be this price; what of it is lost.
fn other_price(price: Option<&Price>, of_command: Option<&Price>) -> Result<Option<EnteredPrice>, &'static str> {
    let Some(price) = price else {
        return if of_command.is_none() { Ok(None) } else { Err("missing price") };
    };
    let is_same = |other: &Price| {
        other.usd_per_hour == price.usd_per_hour && other.basis == price.basis && other.date == price.date
    };
    if of_command.is_some_and(is_same) {
        Ok(None)
    } else if price.basis == PriceBasis::Assumed {
        Err("assumed price")
    } else if price.usd_per_hour > 0.0 {
        Ok(Some(EnteredPrice::per_machine(price.usd_per_hour, price.basis, price.date)))
    } else {
        Err("price of 0")
    }
}
