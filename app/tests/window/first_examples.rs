//! The first example of a kind of study: real recordings and measurements, with an answer on the page.

use crossover::workbench::listed;
use crossover_page::command::Command;
use crossover_regulation::Shape;
use crossover_scenario::{Kind, Scenario};
use egui_kittest::kittest::Queryable as _;

use super::{Window, send, window};

/// The window with the example of this kind that menus list first, and its scenario.
fn first(kind: Kind) -> (Window, Scenario) {
    let read = |text| crossover_scenario::read(text).expect("a valid example");
    let mut commands = listed().into_iter();
    let command = commands.find(|command| match command {
        Command::OpenExample(example) => read(example.text).study.kind() == kind,
        _ => false,
    });
    let mut window = window();
    window.set_size(egui::vec2(1280.0, 2200.0));
    send(&mut window, command.expect("an example"));
    let scenario = (*window.state().active().expect("it is open").scenario).clone();
    (window, scenario)
}

fn has(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

/// `gpu-bench/results/nvidia-h100-80gb-hbm3-2026-11-26-pairs-torch.csv`: best pairs wait for long jobs, preemption need not.
#[test]
fn preemption_gains_in_the_first_example() {
    let (window, scenario) = first(Kind::Preemption);
    assert_eq!(scenario.name, "Jobs on a shared H100");
    assert!(has(&window, "shorter than that of best pairs."));
}

#[test]
fn regulation_begins_with_a_recording_of_a_gpu() {
    let (window, scenario) = first(Kind::Regulation);
    let study = scenario.regulation().expect("a regulation study");
    let is_recorded = study.clusters.iter().map(|cluster| cluster.demand.shape == Shape::Recorded);
    assert_eq!(is_recorded.collect::<Vec<_>>(), [false, true], "beside a cluster that PCIe limits");
    assert!(has(&window, "What did the controller do?"));
}

/// The types of GPUs in the export of the cluster: openb of hkust-adsl/kubernetes-scheduler-simulator.
#[test]
fn allocation_begins_with_the_export_of_a_real_cluster() {
    const TYPES: [&str; 6] = ["G2", "G3", "P100", "T4", "V100M16", "V100M32"];
    let (window, scenario) = first(Kind::Allocation);
    let study = scenario.allocation().expect("an allocation study");
    assert_eq!(study.types.iter().map(|of| of.name.as_str()).collect::<Vec<_>>(), TYPES);
    assert!(scenario.notes.contains("from its export"));
    assert!(has(&window, "Which policy allocates most?"));
}

/// What a new study of these kinds begins with is what the examples begin with.
#[test]
fn a_new_study_begins_as_the_first_example() {
    for kind in [Kind::Preemption, Kind::Regulation, Kind::Allocation] {
        let (_, example) = first(kind);
        let is_new = |command: &Command| matches!(command, Command::New(template) if template.kind == kind);
        let mut window = window();
        send(&mut window, listed().into_iter().find(is_new).expect("a new study"));
        let new = window.state().active().expect("it is open").scenario.study.clone();
        assert!(new == example.study, "{kind:?}");
    }
}
