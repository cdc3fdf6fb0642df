//! Machines on the command line: "4xg6.2xlarge@0.40" of a cluster to compare, "8xc5d.12xlarge" of today's.

use anyhow::Result;
use crossover_engine::Engine;
use crossover_export::arguments::{DecideArguments, EnteredPrice, price};
use crossover_fleet::Base;
use crossover_placement::Side;
use crossover_placement_page::{enter_todays_machines, on_instance};
use crossover_plan::Import;
use crossover_plan::options::{Alternatives, ONE_MACHINE, Unmeasured, price_of};
use crossover_quantity::catalogue::{Catalogue, Instance};
use crossover_quantity::invalid::did_you_mean;

use super::super::wrong_usage_of;

/// A machine of a cluster to compare, as an example.
const CLUSTER: &str = "4xg6.2xlarge";
/// Today's machines, as an example.
const TODAY: &str = "8xc5d.12xlarge";

/// Machines of one type, and the price of one of them if it was named.
#[derive(Debug, Clone, Copy, PartialEq)]
struct NamedMachines<'a> {
    count: f64,
    machine: &'a str,
    price: Option<EnteredPrice>,
}

impl<'a> NamedMachines<'a> {
    /// Reads the value of a flag; a message has this example.
    fn read(flag: &str, example: &str, text: &'a str) -> Result<Self, String> {
        let refused = || {
            format!("{flag} {text}: expected a number of machines and their type, such as {example} or {example}@0.40")
        };
        let (count, rest) = text.split_once(['x', '×']).ok_or_else(refused)?;
        let count: u32 = count.trim().parse().ok().filter(|count| (1..=100_000).contains(count)).ok_or_else(refused)?;
        let (machine, price) = match rest.split_once('@') {
            None => (rest.trim(), None),
            Some((machine, text)) => {
                (machine.trim(), Some(price(text).map_err(|problem| format!("{}; {problem}", refused()))?))
            }
        };
        if machine.is_empty() { Err(refused()) } else { Ok(Self { count: f64::from(count), machine, price }) }
    }
}

/// The machine of the catalogue with this name, of those that fit; an error has the name, and those that are known.
fn instance<'a>(
    catalogue: &'a Catalogue,
    name: &str,
    is_fit: impl Fn(&Instance) -> bool,
) -> Result<&'a Instance, String> {
    let found = catalogue.instances.iter().find(|instance| instance.name == name && is_fit(instance));
    found.ok_or_else(|| {
        let fit = catalogue.instances.iter().filter(|instance| is_fit(instance));
        let names: Vec<&str> = fit.map(|instance| instance.name.as_str()).collect();
        let guess = did_you_mean(name, &names);
        let end = if guess.is_empty() { "." } else { "" };
        format!("“{name}”{guess}{end} Known machines: {}", names.join(", "))
    })
}

/// Today's machines that the user named instead of those of a log.
#[derive(Debug, Clone, Copy)]
pub(super) struct TodaysMachines<'a> {
    catalogue: &'a Catalogue,
    chosen: &'a Instance,
    count: f64,
    price: Option<EnteredPrice>,
}

impl<'a> TodaysMachines<'a> {
    /// Reads "8xc5d.12xlarge@1.80"; `price_today`: the price of another flag.
    ///
    /// # Errors
    /// It names no machines, or machines that the catalogue does not have or that have GPUs; or there are two prices.
    pub(super) fn new(text: &str, price_today: Option<EnteredPrice>, catalogue: &'a Catalogue) -> Result<Self> {
        let wrong = |problem: &str| wrong_usage_of("decide", problem);
        let NamedMachines { count, machine, price } =
            NamedMachines::read("--today", TODAY, text).map_err(|problem| wrong(&problem))?;
        let chosen = instance(catalogue, machine, |instance| instance.gpus == 0)
            .map_err(|problem| wrong(&format!("--today: the catalogue has no machine without GPUs {problem}")))?;
        if price.is_some() && price_today.is_some() {
            return Err(
                wrong(&format!("--today {text}: --price-today names a price, too; leave one of them out")).into()
            );
        }
        Ok(Self { catalogue, chosen, count, price })
    }

    /// The base with today's engine on these machines, as the window enters them; `None` for a file without a query.
    pub(super) fn enter(&self, base: &Base, import: &Import) -> Option<Base> {
        let mut scenario = base.scenario_of(import, import.queries.first()?);
        let study = scenario.study.placement_mut()?;
        enter_todays_machines(study, self.catalogue, self.chosen, self.count);
        Some(base.as_entered(study)?.or(base.alternatives().clone()))
    }

    /// Price of one of them, if it was named with them.
    pub(super) fn price(&self) -> Option<EnteredPrice> {
        self.price
    }

    /// Virtual cores of one of them.
    pub(super) fn cores(&self) -> f64 {
        self.chosen.vcpus
    }
}

/// The base with its GPU engine on the machines that the user named.
pub(super) fn on_clusters(base: Base, arguments: &DecideArguments, catalogue: &Catalogue) -> Result<Base> {
    let own = base.gpu_engine().clone();
    let measured = catalogue.instances.iter().find(|instance| instance.name == own.machine);
    let (mut clusters, mut unmeasured) = (Vec::new(), Vec::new());
    let mut is_one_named = false;
    for text in &arguments.on {
        let NamedMachines { count, machine, price } =
            NamedMachines::read("--on", CLUSTER, text).map_err(|problem| wrong_usage_of("decide", &problem))?;
        let chosen = instance(catalogue, machine, |_| true)
            .map_err(|problem| wrong_usage_of("decide", &format!("--on: the catalogue has no machine {problem}")))?;
        let title = |engine: &str| format!("{engine}, {count} × {machine}");
        match measured.filter(|measured| chosen.gpus > 0 && measured.gpu == chosen.gpu) {
            None if chosen.gpus == 0 => unmeasured.push(Unmeasured {
                title: title("Spark"),
                why: "no query was measured both on this machine and on those of the log".to_owned(),
                is_named: true,
            }),
            None => unmeasured.push(Unmeasured {
                title: title(&own.name),
                why: format!(
                    "measured on {} only, not on {}",
                    measured.map_or("its own GPU", |measured| &measured.gpu),
                    chosen.gpu
                ),
                is_named: true,
            }),
            Some(_) => {
                let (numbers, _) = on_instance(&own, catalogue, chosen, Side::Gpu);
                let [(_, lanes), _, (_, memory), (_, network), (_, usd_per_hour)] = numbers;
                let entered = price.or(arguments.price_gpu);
                let entered =
                    entered.map(|price| price.of_machine(Some(chosen.vcpus), f64::from(chosen.gpus))).transpose();
                let entered =
                    entered.map_err(|problem| wrong_usage_of("decide", &format!("--on {text}: {problem}")))?;
                let price = entered.or_else(|| price_of(usd_per_hour, Some(&chosen.price_source())));
                let cluster = Engine {
                    machine: machine.to_owned(),
                    machines: count,
                    lanes: lanes.unwrap_or(own.lanes),
                    exchange_memory_gb: memory.or(own.exchange_memory_gb),
                    network_gbit_per_s: network.unwrap_or(own.network_gbit_per_s),
                    usd_per_hour: price.as_ref().map(|price| price.usd_per_hour),
                    ..own.clone()
                };
                is_one_named |= count <= 1.0;
                clusters.push((cluster, price));
            }
        }
    }
    let mut alternatives: Alternatives = base.alternatives().clone();
    alternatives.clusters = clusters;
    // One machine that is named has a time, with a warning.
    alternatives.unmeasured.retain(|other| !is_one_named || other.title != ONE_MACHINE);
    alternatives.unmeasured.extend(unmeasured);
    Ok(base.or(alternatives))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_a_count_a_type_and_a_price() {
        let read = |text: &'static str| NamedMachines::read("--on", CLUSTER, text);
        let named = |count: f64, machine: &'static str, of: Option<&str>| -> Result<NamedMachines<'static>, String> {
            Ok(NamedMachines { count, machine, price: of.map(price).transpose()? })
        };
        assert_eq!(read("4xg6.2xlarge"), named(4.0, "g6.2xlarge", None));
        assert_eq!(read("16×g6.xlarge@0.4"), named(16.0, "g6.xlarge", Some("0.4")));
        assert_eq!(read("2xg6.xlarge@0.4/gpu:spot"), named(2.0, "g6.xlarge", Some("0.4/gpu:spot")));
        for wrong in ["g6.2xlarge", "0xg6.2xlarge", "4x", "4xg6.2xlarge@", "4xg6.2xlarge@-1", "-1xg6.2xlarge"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
