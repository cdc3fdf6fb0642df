//! The clusters: vGPUs, frequency, precision, transfer ceiling, power and demand of each.

use crossover_page::widgets::form;
use crossover_page::widgets::form::list::{self, Edit, Limits};
use crossover_page::widgets::form::name;
use crossover_quantity::unit::Unit;
use crossover_regulation::study::MOST_CLUSTERS;
use crossover_regulation::{Cluster, Regulation};
use egui::{CollapsingHeader, Ui};

use super::precision::Precision;
use super::{Env, demand, gpu, precision, terms};

/// Draws the section.
pub(super) fn show(ui: &mut Ui, names: &mut name::State, study: &mut Regulation, env: &mut Env<'_>) {
    let mut edit = None;
    let count = study.clusters.len();
    for index in 0..count {
        ui.push_id(index, |ui| {
            let cluster = &study.clusters[index];
            let title = format!("{} · {} vGPUs", cluster.name, Unit::Count.format(cluster.vgpus));
            let header = CollapsingHeader::new(title).id_salt("cluster").default_open(index == 0).show(ui, |ui| {
                cluster_form(ui, names, study, index, env);
                edit = edit.or(list::buttons(ui, index, Limits { count, most: MOST_CLUSTERS, stays: None }));
            });
            header.header_response.on_hover_text(terms::VGPU.text());
        });
    }
    match edit {
        Some(Edit::Remove(index)) => study.remove_cluster(index),
        Some(Edit::Duplicate(index)) => drop(study.duplicate_cluster(index)),
        Some(Edit::Swap(a, b)) => study.clusters.swap(a, b),
        None => {}
    }
    let is_wanted = list::add_button(ui, "Add cluster", count, MOST_CLUSTERS);
    if let (true, Some(last)) = (is_wanted, study.clusters.last().cloned()) {
        study.add_cluster(Cluster { name: "cluster".into(), ..last });
    }
}

fn cluster_form(ui: &mut Ui, names: &mut name::State, study: &mut Regulation, index: usize, env: &mut Env<'_>) {
    name::field(ui, names, study, ("clusters", index), env.commands);
    let part = &format!("clusters.{}", study.clusters[index].name);
    let mut placed = vec![&Cluster::VGPUS, &Cluster::MIN_VGPUS, &Cluster::MAX_VGPUS, &Cluster::TOPS_PER_VGPU];
    form::numbers(ui, study, part, &placed, env.commands);
    let frequencies =
        [&Cluster::START_GHZ, &Cluster::BASE_GHZ, &Cluster::MIN_GHZ, &Cluster::MAX_GHZ, &Cluster::STEP_GHZ];
    form::numbers(ui, study, part, &frequencies, env.commands);
    placed.extend(frequencies);
    for which in Precision::ALL {
        precision::row(ui, study, index, which, env);
    }
    form::grid(ui, "transfer and power", |ui| {
        let first = [&Cluster::PCIE_TOPS, &Cluster::BACKLOG_LIMIT];
        form::rows(ui, study, part, &first, env.commands);
        placed.extend(first);
        form::all_rows(ui, study, part, &placed, env.commands);
    });
    for optional in ["voltage", "concurrency"] {
        form::all(ui, study, &format!("{part}.{optional}"), &[], env.commands);
    }
    gpu::show(ui, study, index, env);
    demand::show(ui, study, index, env);
}
