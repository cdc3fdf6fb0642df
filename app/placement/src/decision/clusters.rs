//! The second step: today's machines as the file has them, their price, and the clusters to compare.

use std::sync::Arc;

use crossover_decision::PriceBasis;
use crossover_engine::Engine;
use crossover_page::command::Command;
use crossover_page::widgets::form::{self, Choice, text};
use crossover_page::widgets::{beside, exact, focus, preset, warning};
use crossover_placement::{CandidateCluster, MOST_CANDIDATES, Placement, Side};
use crossover_quantity::catalogue::{Catalogue, Instance};
use crossover_quantity::unit::Unit;
use egui::{Button, RichText, ScrollArea, Ui};

use super::super::plan::PlanBoard;
use super::super::steps::{self, Step};
use super::super::{Env, Mode, presets};
use super::{missing, objective};

/// The question of the page.
const TITLE: &str = "Where does it run today, and where could it run?";
/// Width of a cluster, in points.
const CARD: f32 = 300.0;
/// Price that an unknown one begins with, US dollars per hour.
const FIRST_PRICE: f64 = 1.0;
/// Highest price of a core or a GPU, US dollars per hour.
const HIGHEST_PRICE: f64 = 1e4;

/// Text that is being typed.
#[derive(Default)]
pub(super) struct State {
    text: text::State,
}

/// Draws today's machines, the goal, and the clusters to compare; edits them.
pub(in super::super) fn show(
    ui: &mut Ui,
    state: &mut super::State,
    mode: &mut Option<Mode>,
    plan: &Arc<PlanBoard>,
    study: &mut Placement,
    env: &mut Env<'_>,
) {
    let last = if plan.workload().is_some() { Step::Answer } else { Step::Where };
    super::go_to(steps::header(ui, Step::Where, last), mode, env);
    ui.heading(TITLE);
    if study.engines.is_none() {
        missing::engines(ui, study, mode, env);
        return;
    }
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        focus::follow(ui);
        objective::show(ui, study, state.today());
        // The user may have entered another goal.
        state.refresh(ui.ctx(), plan, study);
        state.show_unmet(ui, study);
        // The same as in the answer, whose warnings may lead here.
        state.application.remarks(ui, plan, !state.is_about_application());
        if let Some(decided) = state.shown() {
            missing::about_options(ui, decided.warnings.iter(), false);
        }
        ui.add_space(8.0);
        // The strip is about the application then, and the measured time is that of the query.
        let whole = state.application_in_words().map(str::to_owned);
        let columns = beside::fitting(ui, CARD, 3);
        let count = study.decision.as_deref().map_or(0, |inputs| inputs.candidates.len());
        let cards: Vec<Option<usize>> = std::iter::once(None).chain((0..count).map(Some)).collect();
        let mut removed = None;
        for row in cards.chunks(columns) {
            beside::show(ui, columns, |columns| {
                for (column, card) in columns.iter_mut().zip(row) {
                    // Columns stretch the spaces of their texts.
                    column.vertical(|ui| match card {
                        None => today(ui, &mut state.clusters, plan, (&mut *study, whole.as_deref()), env),
                        Some(index) => {
                            if candidate(ui, &mut state.clusters, study, *index, env) {
                                removed = Some(*index);
                            }
                        }
                    });
                }
            });
            ui.add_space(8.0);
        }
        if let Some(index) = removed {
            study.remove_candidate(index);
        }
        form::legend(ui, study);
        ui.add_space(8.0);
        let text = "The answer compares the measured GPU cluster, also with half and twice as many machines, and engines on \
                    today’s machines. Clusters that you add are compared beside them.";
        ui.label(RichText::new(text).weak());
        ui.horizontal(|ui| {
            let add = ui.add_enabled(count < MOST_CANDIDATES, Button::new("Add a GPU cluster"));
            if add.on_hover_text("Compare with machines, prices or a region of your own").clicked() {
                begin(study);
            }
            if ui.add_enabled(last == Step::Answer, Button::new(RichText::new("Show the answer").strong())).clicked() {
                *mode = Some(Mode::Answer);
            }
        });
    });
}

/// The machines that run the query today; `whole`: its application with its time, if the strip is about that.
fn today(
    ui: &mut Ui,
    texts: &mut State,
    plan: &PlanBoard,
    (study, whole): (&mut Placement, Option<&str>),
    env: &mut Env<'_>,
) {
    let Some(engine) = study.engines.as_deref().map(|engines| engines.cpu.clone()) else { return };
    let baseline = plan.workload().map(|workload| &workload.baseline);
    ui.strong(format!("Today: {}", engine.title()));
    missing::machines(ui, study);
    let mut instances = presets::instances(env.catalogue, Side::Cpu, &engine);
    let choices = instances.clone().map(|(_, instance)| presets::choice(instance));
    let picked = preset::picker(ui, "today’s machine", &engine.machine, choices);
    if let Some((index, _)) = picked.and_then(|picked| instances.nth(picked)) {
        env.commands.extend(presets::fill_instance(study, env.catalogue, index, Side::Cpu).map(Command::Notify));
    }
    let numbers = [&Engine::MACHINES, &Engine::LANES, &Engine::VCPUS, &Engine::USD_PER_HOUR];
    form::numbers(ui, study, "engines.cpu", &numbers, env.commands);
    if engine.usd_per_hour.is_none() {
        warning::show(ui, "No price: only times can be compared.");
        if ui.button("Enter today’s price").clicked() {
            missing::enter(study, |engines| engines.cpu.usd_per_hour = Some(FIRST_PRICE));
        }
    }
    let cores = engine.vcpus.unwrap_or(engine.lanes).max(engine.lanes);
    if let Some(usd) = price_of_part(ui, "core", cores, engine.usd_per_hour) {
        missing::enter(study, |engines| engines.cpu.usd_per_hour = Some(usd));
    }
    let inputs = study.decision_inputs();
    // What its source says, until the user says something else.
    let of_source = baseline.and_then(|baseline| baseline.price.as_ref()).map(|price| price.basis);
    if let Some(basis) = inputs.today_price.or(of_source)
        && let Some(basis) = price_basis(ui, "decision.today_price", basis, env)
    {
        study.edit_decision(|inputs| inputs.today_price = Some(basis));
    }
    // That of the price list, as the basis.
    let of_list = baseline.and_then(|baseline| baseline.price.as_ref()?.region.as_deref()).unwrap_or_default();
    let today_region = if inputs.today_region.is_empty() { of_list } else { inputs.today_region.as_str() };
    if let Some(region) = region(ui, texts, "decision.today_region", today_region, env) {
        study.edit_decision(|inputs| inputs.today_region = region);
    }
    let of_log = study.query.as_deref().and_then(|query| query.plan.settings.region()).map(str::to_owned);
    if let Some(region) = of_log.as_deref().filter(|region| *region != today_region) {
        ui.weak(format!("The log ran in {region}."));
    }
    if let Some(difference) = plan.workload().and_then(|workload| workload.region_difference.as_deref()) {
        let text = missing::region(difference, baseline, of_log.as_deref(), "here");
        warning::show(ui, format!("Warning: {text}"));
    }
    missing::run(ui, study, baseline, whole, env);
    // Last, because its height changes with the price.
    if let Some(price) = baseline.and_then(|baseline| baseline.price.as_ref()) {
        ui.add(egui::Label::new(RichText::new(format!("Price: {}", price.origin())).weak()).wrap());
    }
}

/// A cluster to compare; true to remove it.
fn candidate(ui: &mut Ui, texts: &mut State, study: &mut Placement, index: usize, env: &mut Env<'_>) -> bool {
    let found = study.decision.as_deref().and_then(|inputs| inputs.candidates.get(index));
    let Some(cluster) = found.cloned() else { return false };
    let part = format!("decision.candidates.{}", cluster.name);
    let mut is_removed = false;
    ui.horizontal(|ui| {
        ui.strong(format!("{}: {}", cluster.name, cluster.title()));
        let remove = ui.button("Remove");
        remove.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Remove {}", cluster.name)));
        is_removed = remove.clicked();
    });
    let catalogue = env.catalogue;
    let mut instances = catalogue.instances.iter().filter(|instance| instance.gpus > 0);
    let choices = instances.clone().map(presets::choice);
    let picked = preset::picker(ui, &format!("{} machine", cluster.name), &cluster.machine, choices);
    if let Some(chosen) = picked.and_then(|picked| instances.nth(picked)) {
        fill(study, catalogue, index, chosen);
    }
    if !cluster.other_gpu.is_empty() {
        let text = format!("The GPU engine was not measured on {}: no time is predicted.", cluster.other_gpu);
        warning::show(ui, text);
    }
    let numbers = [&CandidateCluster::MACHINES, &CandidateCluster::LANES, &CandidateCluster::USD_PER_HOUR];
    form::numbers(ui, study, &part, &numbers, env.commands);
    let change = |study: &mut Placement, change: &dyn Fn(&mut CandidateCluster)| {
        study.edit_decision(|inputs| {
            if let Some(cluster) = inputs.candidates.get_mut(index) {
                change(cluster);
            }
        });
    };
    if cluster.usd_per_hour.is_none() {
        warning::show(ui, "No price: this cluster cannot be judged by cost.");
        let button = ui.button("Enter its price");
        button.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Enter the price of {}", cluster.name))
        });
        if button.clicked() {
            change(study, &|cluster| cluster.usd_per_hour = Some(FIRST_PRICE));
        }
    }
    if let Some(usd) = price_of_part(ui, "GPU", cluster.lanes, cluster.usd_per_hour) {
        change(study, &|cluster| cluster.usd_per_hour = Some(usd));
    }
    if let Some(basis) = price_basis(ui, &format!("{part}.price_basis"), cluster.price_basis, env) {
        change(study, &|cluster| cluster.price_basis = basis);
    }
    if let Some(region) = region(ui, texts, &format!("{part}.region"), &cluster.region, env) {
        change(study, &|cluster| cluster.region.clone_from(&region));
    }
    is_removed
}

/// The price of a core or a GPU of a machine with so many; the price of the machine for an hour, if that of the part was entered.
fn price_of_part(ui: &mut Ui, part: &str, count: f64, usd_per_hour: Option<f64>) -> Option<f64> {
    let mut usd = usd_per_hour.filter(|_| count > 0.0)? / count;
    let is_entered = ui
        .horizontal(|ui| {
            let label = ui.label(format!("price per {part}"));
            let drag = exact::drag(&mut usd, Unit::UsDollarsPerHour).range(0.0..=HIGHEST_PRICE).speed(0.001);
            let meaning =
                format!("Price of a machine ÷ its {part}s; a price that you enter here sets that of the machine");
            ui.add(drag).labelled_by(label.id).on_hover_text(meaning).changed()
        })
        .inner;
    is_entered.then_some(usd * count)
}

/// What a price is based on; another basis, if it was picked.
fn price_basis(ui: &mut Ui, path: &str, basis: PriceBasis, env: &mut Env<'_>) -> Option<PriceBasis> {
    let mut chosen = basis;
    // A price that is assumed is none of those that are entered.
    let bases = PriceBasis::ENTERED.into_iter().chain((basis == PriceBasis::Assumed).then_some(basis));
    let choices = bases.map(|basis| Choice::new(basis, basis.label(), basis.meaning()));
    let explanation = "Enter the price itself above; the basis sets its range in “What the answer depends on most”";
    form::choose(ui, ("price basis", explanation), path, &mut chosen, choices, env.commands).then_some(chosen)
}

/// A region; another one, if it was typed.
fn region(ui: &mut Ui, texts: &mut State, path: &str, region: &str, env: &mut Env<'_>) -> Option<String> {
    let explanation = "Where the machines are, such as eu-west-1; the price is that of the region";
    text::field(ui, &mut texts.text, ("price region", explanation), (path, region), |_| None, env.commands)
}

/// Adds a cluster with the machines and the price of the measured GPU engine.
fn begin(study: &mut Placement) {
    let Some(engine) = study.engines.as_deref().map(|engines| engines.gpu.clone()) else { return };
    let name = study.add_candidate(CandidateCluster {
        name: "cluster".to_owned(),
        machine: engine.machine,
        other_gpu: String::new(),
        machines: engine.machines,
        lanes: engine.lanes,
        network_gbit_per_s: Some(engine.network_gbit_per_s),
        exchange_memory_gb: engine.exchange_memory_gb,
        usd_per_hour: engine.usd_per_hour,
        price_basis: PriceBasis::OnDemand,
        region: String::new(),
    });
    let Some(name) = name else { return };
    let keys = [
        (CandidateCluster::MACHINES.key, true),
        (CandidateCluster::LANES.key, true),
        (CandidateCluster::NETWORK_GBIT_PER_S.key, true),
        (CandidateCluster::EXCHANGE_MEMORY_GB.key, engine.exchange_memory_gb.is_some()),
        (CandidateCluster::USD_PER_HOUR.key, engine.usd_per_hour.is_some()),
    ];
    // The numbers have the same names in the engine.
    for (key, _) in keys.into_iter().filter(|(_, is_known)| *is_known) {
        if let Some(source) = study.sources.get(&format!("engines.gpu.{key}")).cloned() {
            study.sources.insert(format!("decision.candidates.{name}.{key}"), source);
        }
    }
}

/// Sets the machines of a cluster to those of the catalogue: GPUs, memory, network and list price.
fn fill(study: &mut Placement, catalogue: &Catalogue, index: usize, chosen: &Instance) {
    let Some(engine) = study.engines.as_deref().map(|engines| engines.gpu.clone()) else { return };
    let (numbers, source) = presets::on_instance(&engine, catalogue, chosen, Side::Gpu);
    let [(_, lanes), _, (_, memory), (_, network), (_, usd_per_hour)] = numbers;
    let measured = presets::instance(catalogue, &engine.machine);
    let is_measured = measured.is_some_and(|measured| measured.gpu == chosen.gpu);
    let mut name = String::new();
    study.edit_decision(|inputs| {
        let Some(cluster) = inputs.candidates.get_mut(index) else { return };
        chosen.name.clone_into(&mut cluster.machine);
        cluster.other_gpu = if is_measured { String::new() } else { chosen.gpu.clone() };
        cluster.lanes = lanes.unwrap_or(cluster.lanes);
        cluster.exchange_memory_gb = memory;
        cluster.network_gbit_per_s = network;
        cluster.usd_per_hour = usd_per_hour;
        cluster.price_basis = PriceBasis::OnDemand;
        cluster.name.clone_into(&mut name);
    });
    let known = [
        (CandidateCluster::LANES.key, lanes),
        (CandidateCluster::EXCHANGE_MEMORY_GB.key, memory),
        (CandidateCluster::NETWORK_GBIT_PER_S.key, network),
        (CandidateCluster::USD_PER_HOUR.key, usd_per_hour),
    ];
    for (key, value) in known {
        if value.is_some() {
            let source = presets::source_of(key, chosen, &source);
            study.sources.insert(format!("decision.candidates.{name}.{key}"), source);
        }
    }
}
