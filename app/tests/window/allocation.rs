//! The allocation page as a user meets it.

use crossover::command::Command;
use crossover::studies::allocation::examples;
use crossover_model::allocation::{Allocation, Policy};
use egui::accesskit::Role;
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::Queryable as _;

use super::pictures::{Look, MAIN, STATE, drawn};
use super::{Start, Window, can_draw, send, settle};

fn open(window: &mut Window) {
    send(window, Command::OpenExample(examples::SHARED));
}

fn study(window: &Window) -> &Allocation {
    window.state().active().and_then(|document| document.scenario.allocation()).expect("an allocation study")
}

#[test]
fn every_rule_stands_beside_the_others_and_a_click_takes_it() {
    let mut window = super::window();
    open(&mut window);
    for question in [
        "How much can be given away?",
        "How much is left that typical tasks cannot use?",
        "Who is turned away, and why?",
        "Which rule gives most?",
    ] {
        window.get_by_label(question);
    }
    assert_eq!(study(&window).policy.rule, Policy::Fgd);
    window.get_by_role_and_label(Role::RowHeader, "rule BestFit").click_accesskit();
    settle(&mut window);
    assert_eq!(study(&window).policy.rule, Policy::BestFit);
    assert!(window.query_all_by_label_contains("of all GPUs given away by BestFit").count() > 0);
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).policy.rule, Policy::Fgd);
}

#[test]
fn numbers_nodes_and_tasks_are_edited_and_the_answer_follows() {
    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 2200.0));
    open(&mut window);
    let count = study(&window).nodes.len();
    window.get_by_label("Add group of nodes").click();
    settle(&mut window);
    assert_eq!(study(&window).nodes.len(), count + 1);
    // Twice the nodes for inference: fewer tasks are turned away.
    window.get_by_label("Add group of tasks").click();
    settle(&mut window);
    assert_eq!(study(&window).tasks.last().expect("a group").name, "preparing data 2");
    // What a group can run on is marked type by type; none marked means all.
    window.get_by_role_and_label(Role::CheckBox, "tasks.small inference.runs_on.T4").click();
    settle(&mut window);
    assert_eq!(study(&window).tasks[0].runs_on[0].gpu_type, "T4");
    window.get_by_role_and_label(Role::CheckBox, "tasks.small inference.runs_on.T4").click();
    settle(&mut window);
    assert!(study(&window).tasks[0].runs_on.is_empty());
}

#[test]
fn the_page_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    for (name, look) in [
        ("allocation-light", MAIN),
        ("allocation-dark", Look { theme: egui::Theme::Dark, ..MAIN }),
        ("allocation-light-scale-2", Look { scale: 2.0, ..MAIN }),
        ("allocation-narrow", STATE),
    ] {
        let mut window = drawn(&look, Start::default());
        open(&mut window);
        window.run_steps(6);
        results.add(window.try_snapshot(name));
    }
}
