//! Fills fields from the hardware catalogue and records it as their source.

use crossover_decision::words::price_dollars;
use crossover_engine::Engine;
use crossover_page::widgets::preset::{self, Choice};
use crossover_placement::{Parameter, ParameterOf, Placement, Side};
use crossover_plan::today::{is_same_engine, take_today};
use crossover_plan::{Cluster, Import, Query};
use crossover_quantity::catalogue::{Catalogue, Codec, Datum, Gpu, Instance, Network, Node};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::unit::Unit;
use crossover_scenario as scenario;
use crossover_study::sources;

use super::examples;

/// The GPUs of the catalogue.
pub(super) fn gpus(catalogue: &Catalogue) -> impl Iterator<Item = Choice<'_>> {
    catalogue.gpus.iter().map(|gpu| {
        let memory = Unit::Gigabytes.format(gpu.memory_gb.value);
        let bus = Unit::GigabytesPerSecond.format(gpu.to_gpu_gb_per_s.value);
        (gpu.name.as_str(), format!("{memory}   bus {bus}   M {}", Unit::Ratio.format(gpu.parallelism.value)))
    })
}

/// The networks of the catalogue.
pub(super) fn networks(catalogue: &Catalogue) -> impl Iterator<Item = Choice<'_>> {
    catalogue
        .networks
        .iter()
        .map(|network| (network.name.as_str(), Unit::GigabitsPerSecond.format(network.effective_gbit_per_s.value)))
}

/// The nodes of the catalogue.
pub(super) fn nodes(catalogue: &Catalogue) -> impl Iterator<Item = Choice<'_>> {
    catalogue.nodes.iter().map(|node| {
        let memory = node.effective_memory_gb_per_s.as_ref();
        let memory = memory.map_or_else(String::new, |figure| Unit::GigabytesPerSecond.format(figure.value));
        (node.name.as_str(), format!("P {}   {memory}", Unit::Count.format(node.cores.value)))
    })
}

/// The codecs of the catalogue.
pub(super) fn codecs(catalogue: &Catalogue) -> impl Iterator<Item = Choice<'_>> {
    catalogue.codecs.iter().map(|codec| {
        let speed = |figure: &Datum| Unit::GigabytesPerSecond.format(figure.value);
        let (compress, decompress) = (speed(&codec.compress_gb_per_s), speed(&codec.decompress_gb_per_s));
        (codec.name.as_str(), format!("c {}   {compress} / {decompress}", Unit::Ratio.format(codec.ratio.value)))
    })
}

/// The machines of cloud providers that an engine on a side can run on, with their index. The speeds of an engine are those
/// of one GPU, so one on GPUs moves to machines with the same GPU only.
pub(super) fn instances<'a>(
    catalogue: &'a Catalogue,
    side: Side,
    engine: &Engine,
) -> impl Iterator<Item = (usize, &'a Instance)> + Clone {
    let present = instance(catalogue, &engine.machine);
    let is_fit = move |instance: &Instance| match (side, present) {
        (Side::Cpu, _) => instance.gpus == 0,
        (Side::Gpu, None) => instance.gpus > 0,
        (Side::Gpu, Some(present)) => instance.gpu == present.gpu,
    };
    catalogue.instances.iter().enumerate().filter(move |(_, instance)| is_fit(instance))
}

/// The description of a machine in a list.
pub(super) fn choice(instance: &Instance) -> Choice<'_> {
    let gpus = if instance.gpus > 0 { format!("   {} × {}", instance.gpus, instance.gpu) } else { String::new() };
    let price = instance.usd_per_hour.map(|usd| format!("   {} per hour", price_dollars(usd))).unwrap_or_default();
    (instance.name.as_str(), format!("{}   {} vCPU{gpus}{price}", instance.provider, instance.vcpus))
}

/// A machine of the catalogue by its name.
pub(super) fn instance<'a>(catalogue: &'a Catalogue, name: &str) -> Option<&'a Instance> {
    catalogue.instances.iter().find(|instance| instance.name == name)
}

/// Engines that were fitted to measured runs, by their scenarios' names.
pub(super) fn engines() -> impl Iterator<Item = Choice<'static>> {
    examples::MEASURED.iter().map(|(runs, example)| (example.label, (*runs).to_owned()))
}

/// Sets the study's engines to an entry of [`engines`], with its machines.
pub(super) fn fill_engines(study: &mut Placement, index: usize) -> Option<String> {
    let (_, example) = examples::MEASURED.get(index)?;
    let profile = scenario::read(example.text).ok()?.placement()?.profile()?;
    study.clear_engines();
    study.set_engines(profile);
    take_run(study);
    Some(format!("The engines are those of “{}”; choose machines of your own for each", example.label))
}

/// Sets today's machines and measured time of a study's query, as the file of its plan had them.
fn take_run(study: &mut Placement) {
    let (Some(engines), Some((import, run))) = (study.engines.as_deref(), run_of(study)) else { return };
    if is_same_engine(&import.engine, &engines.cpu.name) {
        take_today(study, &import, &run);
    }
}

/// The file of a study's query with its machines, and the run of the query, as far as the study has them; `None` without a query.
pub(super) fn run_of(study: &Placement) -> Option<(Import, Query)> {
    let query = study.query.as_deref()?;
    let plan = &query.plan;
    let file = study.sources.values().find_map(|source| match source {
        Provenance::Imported { file } => Some(file.clone()),
        _ => None,
    });
    let kept = query.application.as_deref().filter(|application| application.left_out.is_none());
    let import = Import {
        engine: plan.engine.clone(),
        file: file.unwrap_or_default(),
        cluster: kept.map_or_else(|| imported_cluster(study), |application| application.cluster.clone()),
        ..Import::default()
    };
    let run = Query { duration_seconds: plan.duration_seconds, plan: plan.clone(), ..Query::default() };
    Some((import, run))
}

/// The machines of a study that are those of its file.
fn imported_cluster(study: &Placement) -> Cluster {
    let is_imported = |path: &str| matches!(study.sources.get(path), Some(Provenance::Imported { .. }));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "cores and machines of files are whole and positive"
    )]
    let imported = |path: &str, value: f64| is_imported(path).then_some(value as u64);
    let today = study.engines.as_deref().map(|engines| &engines.cpu);
    Cluster {
        machines: imported("cluster.machines", study.cluster.machines),
        cores_per_machine: imported("node.cpu_parallelism", study.node.cpu_parallelism),
        // Machines of another type have cores of their own.
        machine_type: today.filter(|_| is_imported("engines.cpu.lanes")).map(|today| today.machine.clone()),
        ..Cluster::default()
    }
}

/// The numbers of an engine on a machine of a provider, by key, with their source; `None` if not known. The engine keeps
/// the share of a machine's cores and memory that it uses now.
#[must_use]
pub fn on_instance(
    engine: &Engine,
    catalogue: &Catalogue,
    chosen: &Instance,
    side: Side,
) -> ([(&'static str, Option<f64>); 5], Provenance) {
    let present = instance(catalogue, &engine.machine);
    let of = |count: fn(&Instance) -> f64| present.map_or(1.0, |present| count(chosen) / count(present));
    let lanes = match (side, present) {
        (Side::Gpu, _) => f64::from(chosen.gpus),
        (Side::Cpu, None) => chosen.vcpus,
        (Side::Cpu, Some(_)) => engine.lanes * of(|instance| instance.vcpus),
    };
    let memory = engine.exchange_memory_gb.filter(|_| present.is_some());
    let source = match present {
        Some(present) if side == Side::Cpu => {
            format!("{}; cores and memory used as on {}", chosen.source, present.name)
        }
        _ => chosen.source.clone(),
    };
    let numbers = [
        (Engine::LANES.key, Some(lanes)),
        (Engine::VCPUS.key, (side == Side::Cpu).then_some(chosen.vcpus)),
        (Engine::EXCHANGE_MEMORY_GB.key, memory.map(|memory| memory * of(|instance| instance.memory_gib))),
        (Engine::NETWORK_GBIT_PER_S.key, chosen.network_gbit_per_s),
        (Engine::USD_PER_HOUR.key, chosen.usd_per_hour),
    ];
    (numbers, Provenance::Preset { entry: chosen.name.clone(), source })
}

/// Source of a number of [`on_instance`]: the price has its own.
pub(super) fn source_of(key: &str, chosen: &Instance, source: &Provenance) -> Provenance {
    if key == Engine::USD_PER_HOUR.key { chosen.price_source() } else { source.clone() }
}

/// Enters today's machines in a study with engines: so many of a type, as the fields of the window do.
pub fn enter_todays_machines(study: &mut Placement, catalogue: &Catalogue, chosen: &Instance, machines: f64) {
    take_instance(study, catalogue, chosen, Side::Cpu);
    sources::enter(study, |study| {
        if let Some(engines) = study.engines.as_deref_mut() {
            engines.cpu.machines = machines;
        }
    });
    // Entered, although as many as before.
    study.sources.remove("engines.cpu.machines");
}

/// Fills the machines of an engine; returns the notification.
pub(super) fn fill_instance(study: &mut Placement, catalogue: &Catalogue, index: usize, side: Side) -> Option<String> {
    let chosen = catalogue.instances.get(index).filter(|_| study.engines.is_some())?;
    take_instance(study, catalogue, chosen, side);
    let kept =
        if chosen.network_gbit_per_s.is_none() { "; its network speed is not known and was not changed" } else { "" };
    Some(format!("The machines are “{}” now{kept}", chosen.name))
}

/// Fills the machines of an engine: cores or GPUs, memory, network and price. Values that the catalogue does not have are
/// kept as entered, except the price, which becomes unknown.
fn take_instance(study: &mut Placement, catalogue: &Catalogue, chosen: &Instance, side: Side) {
    let Some(engines) = study.engines.as_deref_mut() else { return };
    let (engine, part) = match side {
        Side::Cpu => (&mut engines.cpu, "engines.cpu"),
        Side::Gpu => (&mut engines.gpu, "engines.gpu"),
    };
    let (numbers, source) = on_instance(engine, catalogue, chosen, side);
    let [(_, lanes), (_, vcpus), (_, memory), (_, network), (_, usd_per_hour)] = numbers;
    engine.vcpus = vcpus;
    engine.lanes = lanes.unwrap_or(engine.lanes);
    engine.exchange_memory_gb = memory.or(engine.exchange_memory_gb);
    engine.network_gbit_per_s = network.unwrap_or(engine.network_gbit_per_s);
    engine.usd_per_hour = usd_per_hour;
    chosen.name.clone_into(&mut engine.machine);
    for (key, value) in numbers {
        let path = format!("{part}.{key}");
        match value {
            Some(_) => study.sources.insert(path, source_of(key, chosen, &source)),
            None => study.sources.remove(&path),
        };
    }
}

/// Fills the GPU and the bus; returns the notification.
pub(super) fn fill_gpu(study: &mut Placement, catalogue: &Catalogue, index: usize) -> Option<String> {
    let Gpu { name, memory_gb, host_link, to_gpu_gb_per_s, from_gpu_gb_per_s, parallelism, .. } =
        catalogue.gpus.get(index)?;
    name.clone_into(&mut study.gpu.name);
    host_link.clone_into(&mut study.bus.name);
    study.gpu.gpu_memory_gb = Some(memory_gb.value);
    let figures = [
        (Parameter::GPU_MEMORY, memory_gb),
        (Parameter::GPU_PARALLELISM, parallelism),
        (Parameter::BUS_TO_GPU, to_gpu_gb_per_s),
        (Parameter::BUS_FROM_GPU, from_gpu_gb_per_s),
    ];
    fill(study, name, 0, &figures);
    study.set_whole_gpu();
    Some(format!("Filled memory, parallelism and bus speeds from “{name}”"))
}

/// Fills a network.
pub(super) fn fill_network(
    study: &mut Placement,
    catalogue: &Catalogue,
    index: usize,
    network: usize,
) -> Option<String> {
    let Network { name, family, line_gbit_per_s, effective_gbit_per_s } = catalogue.networks.get(index)?;
    study.networks.get_mut(network)?.family = *family;
    // Names are unique: a name in use stays with its network.
    sources::rename(study, "networks", network, name);
    let figures = [(Parameter::LINE_SPEED, line_gbit_per_s), (Parameter::NETWORK_SPEED, effective_gbit_per_s)];
    fill(study, name, network, &figures);
    Some(format!("Filled line and effective speed from “{name}”"))
}

/// Fills the CPU side.
pub(super) fn fill_node(study: &mut Placement, catalogue: &Catalogue, index: usize) -> Option<String> {
    let Node { name, cores, effective_memory_gb_per_s, .. } = catalogue.nodes.get(index)?;
    name.clone_into(&mut study.node.name);
    study.set_memory_bandwidth(effective_memory_gb_per_s.as_ref().map(|figure| figure.value));
    let mut figures = vec![(Parameter::CPU_PARALLELISM, cores)];
    figures.extend(effective_memory_gb_per_s.as_ref().map(|figure| (Parameter::MEMORY_BANDWIDTH, figure)));
    fill(study, name, 0, &figures);
    Some(format!("Filled cores and memory bandwidth from “{name}”"))
}

/// Fills the compression.
pub(super) fn fill_codec(study: &mut Placement, catalogue: &Catalogue, index: usize) -> Option<String> {
    let Codec { name, ratio, compress_gb_per_s, decompress_gb_per_s, .. } = catalogue.codecs.get(index)?;
    name.clone_into(&mut study.compression.name);
    let figures = [
        (Parameter::NETWORK_RATIO, ratio),
        (Parameter::COMPRESS_SPEED, compress_gb_per_s),
        (Parameter::DECOMPRESS_SPEED, decompress_gb_per_s),
    ];
    fill(study, name, 0, &figures);
    Some(format!("Filled ratio and speeds from “{name}”"))
}

fn fill(study: &mut Placement, entry: &str, index: usize, figures: &[(Parameter, &Datum)]) {
    for (parameter, figure) in figures {
        let field = ParameterOf { parameter: *parameter, index };
        field.set(study, figure.value);
        study.sources.insert(field.path(study), preset::source(entry, figure));
    }
}
