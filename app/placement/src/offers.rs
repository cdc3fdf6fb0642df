//! Catalogue entries that a search may try in a placement study: with whole engines their machines, else the parts of the
//! cluster.

use crossover_engine::Engine;
use crossover_page::offer::{LeftOut, Offer};
use crossover_page::widgets::preset;
use crossover_placement::{Operator, Parameter, ParameterOf, Placement, Side};
use crossover_quantity::catalogue::{Catalogue, Confidence, Datum, Gpu, NetworkFamily, Node, Price, PricedPer};
use crossover_quantity::provenance::Provenance;
use crossover_study::bill::{Bill, Item, ItemKind};
use crossover_study::sources;
use crossover_tools::search::{Choice, Entry, Setting, Shared};

use super::presets;

/// Why an entry cannot be used.
const NO_PRICE: &str = "the catalogue has no price for it";
const NO_POWER: &str = "the catalogue has no power for it";

const IS_NEITHER: &str = "the GPUs of the bill have neither a price nor a rent";
const IS_BOUGHT: &str = "the catalogue lists only a purchase price, but this scenario rents GPUs";
const IS_RENTED: &str = "the catalogue lists only a rent, but this scenario buys GPUs";

const OTHER_GPU: &str = "the engine's speeds belong to another GPU";
const NO_NETWORK: &str = "the catalogue has no network speed for it";
const NO_RENT: &str = "the catalogue has no price for it, but the current machines have one";

/// The lists of machines of whole engines, by their sides.
pub const OF_ENGINES: [(Side, &str); 2] = [(Side::Cpu, "cpu-machines"), (Side::Gpu, "gpu-machines")];

/// Sets the name of an entry that was chosen from a list of [`offers`].
pub(super) fn name(study: &mut Placement, list: &str, entry: &str) {
    match list {
        "gpu" => entry.clone_into(&mut study.gpu.name),
        "node" => entry.clone_into(&mut study.node.name),
        "codec" => entry.clone_into(&mut study.compression.name),
        "cpu-machines" => study.engines.iter_mut().for_each(|engines| entry.clone_into(&mut engines.cpu.machine)),
        "gpu-machines" => study.engines.iter_mut().for_each(|engines| entry.clone_into(&mut engines.gpu.machine)),
        "network" => {
            let chosen = study.networks.iter().position(|network| network.name == study.policy.network);
            if let Some(chosen) = chosen {
                // Names are unique: a name in use stays with its network.
                sources::rename(study, "networks", chosen, entry);
            }
        }
        _ => {}
    }
}

/// The input of a machine is its share of the whole: with more machines each has less. A query has its own input.
pub(super) fn shared(study: &Placement) -> Vec<Shared> {
    if study.query.is_some() {
        return Vec::new();
    }
    let input = |operator: &Operator| format!("operators.{}.{}", operator.name, Operator::INPUT_GB.key);
    vec![Shared { by: "cluster.machines".to_owned(), paths: study.operators.iter().map(input).collect() }]
}

/// GPUs, machines, networks and codecs; with whole engines the machines of providers, because nothing else affects them.
pub(super) fn offers(study: &Placement, catalogue: &Catalogue) -> Vec<Offer> {
    if let Some(engines) = &study.engines {
        let sides = OF_ENGINES.into_iter().zip([&engines.cpu, &engines.gpu]);
        // A measured time belongs to the machines that it was measured on.
        let is_free = |side: Side| side == Side::Gpu || engines.measured_seconds.is_none();
        let sides = sides.filter(|((side, _), _)| is_free(*side));
        return sides.filter_map(|((side, name), engine)| machines(name, side, engine, catalogue)).collect();
    }
    let set = |entry: &str, index: usize, figures: &[(Parameter, &Datum)]| -> Vec<Setting> {
        let setting = |(parameter, figure): &(Parameter, &Datum)| Setting {
            path: ParameterOf { parameter: *parameter, index }.path(study),
            value: figure.value,
            source: preset::source(entry, figure),
        };
        figures.iter().map(setting).collect()
    };
    let gpus = catalogue.gpus.iter().map(|gpu| {
        let [to_gpu, from_gpu] = [&gpu.to_gpu_gb_per_s, &gpu.from_gpu_gb_per_s].map(|link| links(link, study));
        let figures = [
            (Parameter::GPU_MEMORY, &gpu.memory_gb),
            (Parameter::GPU_PARALLELISM, &gpu.parallelism),
            (Parameter::BUS_TO_GPU, &to_gpu),
            (Parameter::BUS_FROM_GPU, &from_gpu),
        ];
        let mut numbers = set(&gpu.name, 0, &figures);
        // The catalogue's M compares a whole GPU with one CPU core.
        numbers.extend((study.gpu.core_ratio != 1.0).then(|| Setting {
            path: ParameterOf { parameter: Parameter::CORE_RATIO, index: 0 }.path(study),
            value: 1.0,
            source: preset::source(&gpu.name, &gpu.parallelism),
        }));
        numbers.extend(gpu_prices(study.bill.as_deref(), gpu)?);
        Ok(Entry { name: gpu.name.clone(), numbers })
    });
    let nodes = catalogue.nodes.iter().map(|node| {
        let mut figures = vec![(Parameter::CPU_PARALLELISM, &node.cores)];
        figures.extend(node.effective_memory_gb_per_s.as_ref().map(|figure| (Parameter::MEMORY_BANDWIDTH, figure)));
        let mut numbers = set(&node.name, 0, &figures);
        numbers.extend(node_prices(study.bill.as_deref(), node)?);
        Ok(Entry { name: node.name.clone(), numbers })
    });
    let chosen = study.networks.iter().position(|network| network.name == study.policy.network).unwrap_or(0);
    // Other links connect GPUs, not machines.
    let between_machines = catalogue.networks.iter().filter(|network| network.family != NetworkFamily::Other);
    let networks = between_machines.map(|network| {
        let figures = [
            (Parameter::LINE_SPEED, &network.line_gbit_per_s),
            (Parameter::NETWORK_SPEED, &network.effective_gbit_per_s),
        ];
        Ok(Entry { name: network.name.clone(), numbers: set(&network.name, chosen, &figures) })
    });
    let codecs = catalogue.codecs.iter().map(|codec| {
        let figures = [
            (Parameter::NETWORK_RATIO, &codec.ratio),
            (Parameter::COMPRESS_SPEED, &codec.compress_gb_per_s),
            (Parameter::DECOMPRESS_SPEED, &codec.decompress_gb_per_s),
        ];
        Ok(Entry { name: codec.name.clone(), numbers: set(&codec.name, 0, &figures) })
    });
    let mut offers = vec![offer("gpu", gpus), offer("node", nodes), offer("network", networks)];
    if study.policy.compression {
        offers.push(offer("codec", codecs));
    }
    offers
}

/// Machines that an engine on a side can run on; none if its own machine type is not known, the baseline of the others.
fn machines(name: &str, side: Side, engine: &Engine, catalogue: &Catalogue) -> Option<Offer> {
    let present = presets::instance(catalogue, &engine.machine)?;
    let of_side = catalogue.instances.iter().filter(|instance| (instance.gpus > 0) == (side == Side::Gpu));
    let part = if side == Side::Gpu { "engines.gpu" } else { "engines.cpu" };
    let entry = |instance| {
        let (numbers, source) = presets::on_instance(engine, catalogue, instance, side);
        if instance.gpu != present.gpu {
            return Err(left_out(&instance.name, OTHER_GPU));
        }
        if instance.network_gbit_per_s.is_none() {
            return Err(left_out(&instance.name, NO_NETWORK));
        }
        if instance.usd_per_hour.is_none() && engine.usd_per_hour.is_some() {
            return Err(left_out(&instance.name, NO_RENT));
        }
        let setting = |(key, value): (&str, Option<f64>)| {
            let source = presets::source_of(key, instance, &source);
            // A share of other machines' cores is no whole number by itself.
            let is_share = key == Engine::LANES.key && instance.name != engine.machine;
            let value = if is_share { value.map(|cores| cores.round().max(1.0)) } else { value };
            value.map(|value| Setting { path: format!("{part}.{key}"), value, source })
        };
        Ok(Entry { name: instance.name.clone(), numbers: numbers.into_iter().filter_map(setting).collect() })
    };
    Some(offer(name, of_side.map(entry)))
}

/// Total speed of the links of all GPUs of a machine; each GPU has its own.
fn links(link: &Datum, study: &Placement) -> Datum {
    let count = study.gpu.gpus_per_machine;
    if count <= 1.0 {
        return link.clone();
    }
    Datum {
        value: count * link.value,
        confidence: Confidence::Derived,
        source: format!("{count} links of {} GB/s, one for each GPU: {}", link.value, link.source),
    }
}

fn offer(name: &str, entries: impl Iterator<Item = Result<Entry, LeftOut>>) -> Offer {
    let (entries, left_out): (Vec<_>, Vec<_>) = entries.partition(Result::is_ok);
    let choice = Choice { name: name.to_owned(), entries: entries.into_iter().filter_map(Result::ok).collect() };
    Offer { choice, left_out: left_out.into_iter().filter_map(Result::err).collect() }
}

/// Prices of the bill's items that are GPUs, for these GPUs; or why they are not known.
fn gpu_prices(bill: Option<&Bill>, gpu: &Gpu) -> Result<Vec<Setting>, LeftOut> {
    let Gpu { name, price, power_watt, .. } = gpu;
    let mut settings = Vec::new();
    for item in items(bill, ItemKind::Gpu) {
        let Some(Price { usd, per, source }) = price else {
            return Err(left_out(name, NO_PRICE));
        };
        if item.usd <= 0.0 && item.usd_per_hour <= 0.0 {
            return Err(left_out(name, IS_NEITHER));
        }
        // A purchase price excludes the machine, a rent includes it: they cannot be compared.
        match per {
            PricedPer::Card if item.usd_per_hour > 0.0 => return Err(left_out(name, IS_BOUGHT)),
            PricedPer::Hour if item.usd > 0.0 => return Err(left_out(name, IS_RENTED)),
            PricedPer::Card | PricedPer::Hour => {}
        }
        let source = Provenance::Preset { entry: name.clone(), source: source.clone() };
        let (bought, rented) = match per {
            PricedPer::Card => (*usd, 0.0),
            PricedPer::Hour => (0.0, *usd),
        };
        settings.push(setting(item, Item::USD.key, bought, &source));
        settings.push(setting(item, Item::USD_PER_HOUR.key, rented, &source));
        match (per, power_watt) {
            // A rent includes the electricity.
            (PricedPer::Hour, _) => settings.push(setting(item, Item::WATTS.key, 0.0, &source)),
            (PricedPer::Card, Some(watts)) => {
                settings.push(setting(item, Item::WATTS.key, watts.value, &preset::source(name, watts)));
            }
            (PricedPer::Card, None) => return Err(left_out(name, NO_POWER)),
        }
    }
    Ok(settings)
}

/// Power of the bill's items that are machines, for these machines. The catalogue has no prices of machines: if the bill has
/// one, another machine cannot be compared.
fn node_prices(bill: Option<&Bill>, node: &Node) -> Result<Vec<Setting>, LeftOut> {
    let item = |item: &Item| match &node.power_watt {
        _ if item.usd > 0.0 || item.usd_per_hour > 0.0 => Err(left_out(&node.name, NO_PRICE)),
        Some(watts) => Ok(setting(item, Item::WATTS.key, watts.value, &preset::source(&node.name, watts))),
        None => Err(left_out(&node.name, NO_POWER)),
    };
    items(bill, ItemKind::Node).map(item).collect()
}

fn left_out(entry: &str, reason: &'static str) -> LeftOut {
    LeftOut { entry: entry.to_owned(), reason }
}

fn items(bill: Option<&Bill>, kind: ItemKind) -> impl Iterator<Item = &Item> {
    bill.into_iter().flat_map(|bill| &bill.items).filter(move |item| item.kind == kind)
}

fn setting(item: &Item, key: &str, value: f64, source: &Provenance) -> Setting {
    Setting { path: format!("bill.items.{}.{key}", item.name), value, source: source.clone() }
}

#[cfg(test)]
mod tests {
    use crossover_scenario::read;

    use super::super::examples::MEASURED;
    use super::*;

    #[test]
    fn engines_take_machines_that_have_their_gpu_with_network_and_price() {
        let catalogue = crossover_page::catalogue::shipped().expect("a catalogue");
        let mut study = read(MEASURED[0].1.text).expect("a scenario").placement().expect("a placement study").clone();
        let of = |study: &Placement| -> Vec<(String, Vec<String>)> {
            let names = |offer: &Offer| offer.choice.entries.iter().map(|entry| entry.name.clone()).collect();
            offers(study, &catalogue).iter().map(|offer| (offer.choice.name.clone(), names(offer))).collect()
        };
        let lists = of(&study);
        assert_eq!(lists.iter().map(|(list, _)| list.as_str()).collect::<Vec<_>>(), ["cpu-machines", "gpu-machines"]);
        // Of `assets/instances.ron`: the machines with L4 whose network and price are known.
        assert_eq!(lists[1].1, ["g6.xlarge", "g6.2xlarge", "g6.4xlarge", "g6.12xlarge"]);
        let gpus = &offers(&study, &catalogue)[1];
        let four = gpus.choice.entries.iter().find(|entry| entry.name == "g6.12xlarge").expect("an entry");
        let number = |key: &str| {
            four.numbers
                .iter()
                .find(|setting| setting.path == format!("engines.gpu.{key}"))
                .map(|setting| setting.value)
        };
        assert_eq!(
            (number("lanes"), number("network_gbit_per_s"), number("usd_per_hour")),
            (Some(4.0), Some(40.0), Some(4.6016))
        );
        // Six times the memory of a g6.2xlarge.
        assert_eq!(number("exchange_memory_gb"), Some(45.0));
        let words = gpus.left_out_in_words().join("\n");
        assert!(words.contains(OTHER_GPU) && words.contains(NO_NETWORK), "{words}");

        // A measured time does not apply to other machines.
        study.engines.as_mut().expect("engines").measured_seconds = Some(100.0);
        assert_eq!(of(&study).len(), 1);
        // An unknown machine type offers no others.
        study.engines.as_mut().expect("engines").gpu.machine = "ours".to_owned();
        assert!(of(&study).is_empty());
    }
}
