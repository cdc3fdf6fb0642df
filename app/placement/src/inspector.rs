//! The left panel: every number of the study, section by section.

use crossover_engine::Work;
use crossover_measured::calibration::CostCurve;
use crossover_page::command::Command;
use crossover_page::widgets::focus;
use crossover_page::widgets::form::list::{self, Edit, Limits};
use crossover_page::widgets::form::{self, Choice, legend, name, section};
use crossover_page::widgets::preset;
use crossover_placement::{
    Aggregation, Class, Cluster, Gpu, MOST_NETWORKS, MOST_OPERATORS, Network, NetworkFamily, Node, Operator, Overlap,
    Placement, Side,
};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use egui::{CollapsingHeader, Label, RichText, Ui};

use super::{Env, engine_groups, presets};

/// State of the panel between frames.
#[derive(Default)]
pub(super) struct State {
    name: name::State,
}

/// Draws the panel; `other_pair`: says which engines these are, if the decision recommends others; `work`: that of the query, in whole
/// engines.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    study: &mut Placement,
    other_pair: Option<&str>,
    work: Option<&Work>,
    env: &mut Env<'_>,
) {
    // Next to the numbers, not above their marks.
    ui.spacing_mut().scroll = egui::style::ScrollStyle::solid();
    egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        focus::follow(ui);
        let has_engines = study.engines.is_some();
        if has_engines {
            section(ui, "Engines", true, |ui| {
                if let Some(text) = other_pair {
                    ui.add(Label::new(RichText::new(text).weak()).wrap());
                }
                engines(ui, study, work, env);
            });
        }
        // The query runs in whole engines: no other number of the study applies.
        if has_engines && study.query.is_some() {
            let text = "The query runs in whole engines. The numbers of the cluster, the networks, the GPU and the \
                        operators apply only without engines; the file keeps them.";
            ui.label(RichText::new(text).weak());
            section(ui, "Policy", true, |ui| form::all(ui, study, "policy", &[], env.commands));
            legend(ui, study);
            return;
        }
        section(ui, "Cluster", true, |ui| cluster(ui, study, env));
        section(ui, "Network", true, |ui| networks(ui, state, study, env));
        section(ui, "GPU and bus", true, |ui| gpu(ui, study, env));
        section(ui, "Compression", true, |ui| compression(ui, study, env));
        section(ui, "Operators", true, |ui| operators(ui, state, study, env));
        section(ui, "Policy", true, |ui| policy(ui, study, env));
        if !has_engines && study.query.is_some() {
            section(ui, "Engines", true, |ui| engines(ui, study, work, env));
        }
        legend(ui, study);
    });
}

fn cluster(ui: &mut Ui, study: &mut Placement, env: &mut Env<'_>) {
    // A plan has its exchanges, so there are no aggregation rounds.
    let is_of_plan = study.query.is_some();
    let no_rounds = [&Cluster::FAN_IN];
    form::all(ui, study, "cluster", if is_of_plan { &no_rounds } else { &[] }, env.commands);
    if !is_of_plan {
        aggregation(ui, study);
    }
    node(ui, study, env);
}

fn aggregation(ui: &mut Ui, study: &mut Placement) {
    let choices = [
        Choice::new(
            Aggregation::Published,
            "published",
            "Rounds r = log_k n, as a real number; senders A = n·k/(k−1): as in the published figures",
        ),
        Choice::new(
            Aggregation::Exact,
            "exact",
            "Whole rounds r = ⌈log_k n⌉; senders A = Σ⌈n/k^i⌉, down to one machine",
        ),
    ];
    let explanation = "How aggregation rounds and sending nodes are counted";
    let aggregation = &mut study.cluster.aggregation;
    form::pick(ui, ("aggregation", explanation), "cluster.aggregation", aggregation, choices);
}

fn node(ui: &mut Ui, study: &mut Placement, env: &mut Env<'_>) {
    if let Some(picked) = preset::picker(ui, "node", &study.node.name, presets::nodes(env.catalogue)) {
        notify(env, presets::fill_node(study, env.catalogue, picked));
    }
    let explanation = "All cores together read at most this; off: no limit";
    let is_on = study.node.memory_gb_per_s.is_some();
    if let Some(is_on) = form::switch(ui, "limit memory bandwidth", explanation, "node.memory_gb_per_s", is_on) {
        study.set_memory_bandwidth(is_on.then_some(100.0));
    }
    let explanation = "Adds the time to scan the input, on both sides; off: the input is in memory";
    let is_on = study.node.scan_gb_per_s.is_some();
    if let Some(is_on) = form::switch(ui, "read the input from storage", explanation, "node.scan_gb_per_s", is_on) {
        study.set_scan(is_on.then_some(5.0));
    }
    if study.query.is_some() {
        let explanation = "Adds the time to convert rows to columns, or back, where data moves between CPU and GPU; Spark \
                           is row-based on CPUs";
        let is_on = study.node.row_conversion_gb_per_s.is_some();
        if let Some(is_on) = form::switch(ui, "CPUs work on rows", explanation, "node.row_conversion_gb_per_s", is_on) {
            study.set_row_conversion(is_on.then_some(Node::SPARK_ROW_CONVERSION));
        }
    }
    form::all(ui, study, "node", &[], env.commands);
}

fn networks(ui: &mut Ui, state: &mut State, study: &mut Placement, env: &mut Env<'_>) {
    let mut edit = None;
    let count = study.networks.len();
    for index in 0..count {
        ui.push_id(index, |ui| {
            let network = &study.networks[index];
            let is_chosen = network.name == study.policy.network;
            let title = if is_chosen { format!("{} · cluster network", network.name) } else { network.name.clone() };
            CollapsingHeader::new(title).id_salt("network").default_open(is_chosen).show(ui, |ui| {
                name::field(ui, &mut state.name, study, ("networks", index), env.commands);
                if let Some(picked) = preset::picker(ui, "network", "", presets::networks(env.catalogue)) {
                    notify(env, presets::fill_network(study, env.catalogue, picked, index));
                }
                let path = format!("networks.{}.family", study.networks[index].name);
                let choices = [
                    Choice::new(NetworkFamily::Ethernet, "Ethernet", ""),
                    Choice::new(NetworkFamily::InfiniBand, "InfiniBand", ""),
                    Choice::new(NetworkFamily::Other, "other", ""),
                ];
                let explanation = "Kind of network; decides the colour of its curves";
                form::pick(ui, ("kind", explanation), &path, &mut study.networks[index].family, choices);
                let part = format!("networks.{}", study.networks[index].name);
                form::grid(ui, "network numbers", |ui| {
                    let first = [&Network::EFFECTIVE_GBIT_PER_S];
                    form::rows(ui, study, &part, &first, env.commands);
                    form::all_rows(ui, study, &part, &first, env.commands);
                });
                if ui.add_enabled(!is_chosen, egui::Button::new("Use for the cluster")).clicked() {
                    study.policy.network.clone_from(&study.networks[index].name);
                }
                edit = edit.or(list::buttons(ui, index, Limits { count, most: MOST_NETWORKS, stays: None }));
            });
        });
    }
    match edit {
        Some(Edit::Remove(index)) => study.remove_network(index),
        Some(Edit::Duplicate(index)) => study.duplicate_network(index),
        Some(Edit::Swap(a, b)) => study.networks.swap(a, b),
        None => {}
    }
    if list::add_button(ui, "Add network", count, MOST_NETWORKS) {
        study.add_network(Network {
            name: "network".into(),
            family: NetworkFamily::Other,
            line_gbit_per_s: 100.0,
            effective_gbit_per_s: 97.0,
        });
    }
}

fn gpu(ui: &mut Ui, study: &mut Placement, env: &mut Env<'_>) {
    if let Some(picked) = preset::picker(ui, "GPU", &study.gpu.name, presets::gpus(env.catalogue)) {
        notify(env, presets::fill_gpu(study, env.catalogue, picked));
    }
    let explanation = "Data that does not fit in GPU memory is processed in passes; off: it always fits";
    let is_on = study.gpu.gpu_memory_gb.is_some();
    if let Some(is_on) = form::switch(ui, "limit GPU memory", explanation, "gpu.gpu_memory_gb", is_on) {
        study.set_gpu_memory(is_on.then_some(16.0));
    }
    form::grid(ui, "gpu", |ui| {
        let first = [&Gpu::GPU_PARALLELISM];
        form::rows(ui, study, "gpu", &first, env.commands);
        form::all_rows(ui, study, "gpu", &first, env.commands);
        form::all_rows(ui, study, "bus", &[], env.commands);
    });
    if !study.bus.name.is_empty() {
        ui.label(RichText::new(format!("bus: {}", study.bus.name)).weak());
    }
}

fn compression(ui: &mut Ui, study: &mut Placement, env: &mut Env<'_>) {
    if let Some(picked) = preset::picker(ui, "codec", &study.compression.name, presets::codecs(env.catalogue)) {
        notify(env, presets::fill_codec(study, env.catalogue, picked));
    }
    form::all(ui, study, "compression", &[], env.commands);
}

fn operators(ui: &mut Ui, state: &mut State, study: &mut Placement, env: &mut Env<'_>) {
    let mut edit = None;
    let count = study.operators.len();
    for index in 0..count {
        ui.push_id(index, |ui| {
            let title = format!("{} · {}", study.operators[index].name, study.operators[index].class.label());
            CollapsingHeader::new(title).id_salt("operator").default_open(index < 2).show(ui, |ui| {
                operator(ui, state, study, index, env);
                edit = edit.or(list::buttons(ui, index, Limits { count, most: MOST_OPERATORS, stays: None }));
            });
        });
    }
    match edit {
        Some(Edit::Remove(index)) => study.remove_operator(index),
        Some(Edit::Duplicate(index)) => study.duplicate_operator(index),
        Some(Edit::Swap(a, b)) => study.operators.swap(a, b),
        None => {}
    }
    if list::add_button(ui, "Add operator", count, MOST_OPERATORS) {
        study.add_operator(Operator {
            name: "operator".into(),
            class: Class::Linear,
            cpu_seconds_per_100mb: 0.05,
            input_gb: study.operators.first().map_or(1.0, |first| first.input_gb),
            output_ratio: 0.1,
            fixed_seconds: 0.0,
            cpu_curve: None,
            gpu_curve: None,
            pin: None,
            kind: None,
        });
    }
}

fn operator(ui: &mut Ui, state: &mut State, study: &mut Placement, index: usize, env: &mut Env<'_>) {
    name::field(ui, &mut state.name, study, ("operators", index), env.commands);
    let part = format!("operators.{}", study.operators[index].name);
    let current = study.operators[index].class;
    let power = Class::Power(if let Class::Power(p) = current { p } else { 1.5 });
    let choices = [
        Choice::new(Class::Linear, "linear", "(t/0.1)·D, e.g. a filter"),
        Choice::new(Class::Quadratic, "quadratic", "(t/0.1)²·D, e.g. a join"),
        Choice::new(power, "power p", "(t/0.1)^p·D"),
    ];
    let explanation = "How the work grows with the time per 100 MB";
    let mut class = current;
    if form::pick(ui, ("class", explanation), &format!("{part}.class"), &mut class, choices) {
        study.set_class(index, class);
    }
    // With a plan these are the costs of a kind; the plan's nodes run, and are pinned in the plan.
    let is_of_plan = study.query.is_some();
    if !is_of_plan {
        let choices = [
            Choice::new(None, "by speedup", "The GPU if the speedup exceeds the threshold"),
            Choice::new(Some(Side::Cpu), "CPU", "Pin to the CPU; the table shows the time that this costs"),
            Choice::new(Some(Side::Gpu), "GPU", "Pin to the GPU; the table shows the time that this costs"),
        ];
        let explanation = "Side of the operator: by speedup, or pinned";
        form::pick(ui, ("runs on", explanation), &format!("{part}.pin"), &mut study.operators[index].pin, choices);
    }
    let explanation = "T = a + D/b as measured, instead of the time per 100 MB";
    let start = CostCurve { fixed_seconds: 0.0, gb_per_s: 1.0 };
    let is_on = study.operators[index].cpu_curve.is_some();
    if let Some(is_on) = form::switch(ui, "measured CPU curve", explanation, &format!("{part}.cpu_curve"), is_on) {
        study.set_cpu_curve(index, is_on.then_some(start));
    }
    let is_on = study.operators[index].gpu_curve.is_some();
    if let Some(is_on) = form::switch(ui, "measured GPU curve", explanation, &format!("{part}.gpu_curve"), is_on) {
        study.set_gpu_curve(index, is_on.then_some(start));
    }
    form::grid(ui, "operator numbers", |ui| {
        let first = [&Operator::CPU_SECONDS_PER_100MB, &Operator::CLASS];
        let has_exponent = matches!(study.operators[index].class, Class::Power(_));
        form::rows(ui, study, &part, if has_exponent { &first } else { &first[..1] }, env.commands);
        let [t, class] = first;
        let of_plan = [t, class, &Operator::INPUT_GB, &Operator::OUTPUT_RATIO];
        form::all_rows(ui, study, &part, if is_of_plan { &of_plan } else { &first }, env.commands);
        for curve in ["cpu_curve", "gpu_curve"] {
            form::all_rows(ui, study, &format!("{part}.{curve}"), &[], env.commands);
        }
    });
    if !is_of_plan {
        let (each, machines) = (study.operators[index].input_gb, study.cluster.machines);
        let text = format!("{} on {} together", Unit::Gigabytes.format(each * machines), counted(machines, "machine"));
        ui.label(RichText::new(text).weak().small());
    }
}

/// Whole engines: those of both sides, and the tables that both read.
fn engines(ui: &mut Ui, study: &mut Placement, work: Option<&Work>, env: &mut Env<'_>) {
    if let Some(picked) = preset::picker(ui, "engines", "", presets::engines()) {
        notify(env, presets::fill_engines(study, picked));
    }
    let Some(engines) = &study.engines else {
        ui.label(RichText::new("Without engines, operators are placed one by one on the cluster above.").weak());
        return;
    };
    let sides = [(Side::Cpu, "cpu", engines.cpu.clone()), (Side::Gpu, "gpu", engines.gpu.clone())];
    let tables: Vec<String> = engines.tables.iter().map(|table| table.name.clone()).collect();
    let (has_sum, has_planned) = (engines.anchored.is_some(), engines.from_plan.is_some());
    let is_measured = engines.measured_seconds.is_some();
    let (is_constant, has_elsewhere) = (engines.is_constant(), engines.elsewhere.is_some());
    for (side, key, engine) in sides {
        let title = format!("{}: {}", side.label(), engine.title());
        CollapsingHeader::new(title).id_salt(key).default_open(true).show(ui, |ui| {
            let mut instances = presets::instances(env.catalogue, side, &engine);
            let id = format!("{} machine", side.label());
            let choices = instances.clone().map(|(_, instance)| presets::choice(instance));
            let picked = preset::picker(ui, &id, &engine.machine, choices);
            if let Some((index, _)) = picked.and_then(|picked| instances.nth(picked)) {
                notify(env, presets::fill_instance(study, env.catalogue, index, side));
            }
            // A sum with the measured time on CPUs, or times from the plan of a query that never ran, take the place of its own parts.
            // So does one speedup for all queries.
            let is_own = if is_measured { side == Side::Cpu || !has_sum } else { !has_planned };
            let is_own = is_own && (side == Side::Cpu || !is_constant);
            if work.is_some() && !is_own {
                ui.label(
                    RichText::new("The present answer does not use these numbers. Those that it uses are below")
                        .weak()
                        .small(),
                );
            }
            let seconds = work.filter(|_| is_own).map(|work| engine.seconds(work));
            engine_groups::show(ui, study, &format!("engines.{key}"), seconds.as_ref(), env.commands);
        });
    }
    form::all(ui, study, "engines", &[], env.commands);
    if has_sum {
        CollapsingHeader::new("Measured time in the sum").default_open(false).show(ui, |ui| {
            form::all(ui, study, "engines.anchored", &[], env.commands);
        });
    }
    if has_elsewhere {
        CollapsingHeader::new("Constant on other machines").default_open(false).show(ui, |ui| {
            form::all(ui, study, "engines.elsewhere", &[], env.commands);
        });
    }
    if has_planned {
        CollapsingHeader::new("Times from a plan").default_open(false).show(ui, |ui| {
            for (title, path) in
                [("", "engines.from_plan"), ("CPU", "engines.from_plan.cpu"), ("GPU", "engines.from_plan.gpu")]
            {
                ui.push_id(path, |ui| {
                    ui.label(title);
                    form::all(ui, study, path, &[], env.commands);
                });
            }
        });
    }
    let without = ui.button("Plan without engines").on_hover_text("Operators are placed one by one on one cluster");
    if without.clicked() {
        study.clear_engines();
    }
    if !tables.is_empty() {
        CollapsingHeader::new("Partitioned tables").default_open(false).show(ui, |ui| {
            for table in tables {
                ui.push_id(&table, |ui| {
                    ui.label(&table);
                    form::all(ui, study, &format!("engines.tables.{table}"), &[], env.commands);
                });
            }
        });
    }
}

fn policy(ui: &mut Ui, study: &mut Placement, env: &mut Env<'_>) {
    form::all(ui, study, "policy", &[], env.commands);
    let names = study.networks.iter().map(|network| Choice::new(network.name.clone(), &network.name, ""));
    let explanation = "The network that the cluster has; the others are compared with it";
    form::choose(ui, ("network", explanation), "policy.network", &mut study.policy.network, names, env.commands);
    let explanation =
        "Compresses results before they cross the network; charts show times with and without compression";
    let is_on = study.policy.compression;
    if let Some(is_on) = form::switch(ui, "compress on the GPU", explanation, "policy.compression", is_on) {
        study.policy.compression = is_on;
    }
    // A plan has no data on which of its terms overlap.
    if study.query.is_some() {
        return;
    }
    let choices = [
        Choice::new(Overlap::Nothing, "none", "All terms add up, the published form"),
        Choice::new(Overlap::BusAndCompute, "bus", "Both bus directions and the work on the GPU run at the same time"),
        Choice::new(Overlap::Everything, "all", "Bus, network, storage and work run at the same time, on either side"),
    ];
    let explanation = "Terms that run at the same time: the longest counts instead of the sum";
    form::pick(ui, ("overlap", explanation), "policy.overlap", &mut study.policy.overlap, choices);
}

fn notify(env: &mut Env<'_>, text: Option<String>) {
    env.commands.extend(text.map(Command::Notify));
}
