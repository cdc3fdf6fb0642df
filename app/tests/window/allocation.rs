//! The allocation page as a user meets it.

use std::path::{Path, PathBuf};

use crossover_allocation::{Allocation, Policy, evaluate};
use crossover_allocation_page::examples;
use crossover_allocation_page::importing::Request;
use crossover_allocation_page::training;
use crossover_page::command::Command;
use crossover_quantity::unit::Unit;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::layout::{assert_layout, is_seen, shown};
use super::pictures::{MAIN, STATE, drawn};
use super::report::assert_exports;
use super::{Start, Window, can_draw, enter_number, send, settle, type_path, until, window_with};

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
        "How many GPUs are allocated?",
        "How many GPUs are in fragments?",
        "Which tasks are rejected, and why?",
        "Which policy allocates most?",
    ] {
        window.get_by_label(question);
    }
    assert_eq!(study(&window).policy.name, Policy::Fgd);
    window.get_by_role_and_label(Role::RowHeader, "policy BestFit").click_accesskit();
    settle(&mut window);
    assert_eq!(study(&window).policy.name, Policy::BestFit);
    assert!(is_seen(&window, Policy::BestFit.meaning()));
    assert!(window.query_all_by_label_contains("of all GPUs allocated by BestFit").count() > 0);
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).policy.name, Policy::Fgd);
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
    // The demand is a share of the GPUs: with more of them another share of the tasks is rejected, and the page shows it.
    let rejected = |study: &Allocation| evaluate(study).own().rejected;
    let now = rejected(study(&window));
    let before = crossover_scenario::read(examples::SHARED.text).expect("a scenario");
    assert_ne!(now, rejected(before.allocation().expect("an allocation study")));
    assert!(window.query_all_by_label(&Unit::Share.format(now)).count() > 0);
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
fn a_task_that_is_pressed_says_why_it_is_there() {
    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 1800.0));
    send(&mut window, Command::OpenExample(examples::SLO));
    window.get_by_label("Timeline");
    assert!(window.query_by_label("Why on this node?").is_none());
    // The only GPU lies below the controls; at the beginning both tasks share it.
    let controls = window.get_by_label("Show all").rect();
    let at = egui::pos2(controls.left() + 200.0, controls.bottom() + 12.0);
    window.hover_at(at);
    settle(&mut window);
    window.drag_at(at);
    window.drop_at(at);
    settle(&mut window);
    window.get_by_label("Why on this node?");
    assert!(window.query_all_by_label_contains("MostLeft gave C 1 the score").count() > 0);
    // The cursor tells how many run.
    window.get_by_label("Play").click();
    settle(&mut window);
    assert!(window.query_all_by_label_contains("running task").count() > 0);
    window.get_by_label("Close").click();
    settle(&mut window);
    assert!(window.query_by_label("Why on this node?").is_none());
}

/// Measured runs of a made-up GPU: use grows with the batch and with the largest product of matrices.
pub(super) fn runs(folder: &tempfile::TempDir) -> std::path::PathBuf {
    let mut table = "batch,matmul,compute_percent\n".to_owned();
    for run in 0..300 {
        let (batch, matmul) = (1 + run % 20, 1 + run % 7);
        table.push_str(&format!("{batch},{matmul},{}\n", 0.5 * f64::from(batch * matmul) + 3.0));
    }
    let path = folder.path().join("runs.csv");
    std::fs::write(&path, table).expect("written");
    path
}

/// Runs the window until the training has ended.
pub(super) fn trained(window: &mut Window) {
    until(window, "the end of the training", |window| {
        window.query_by_label("How accurate is the predictor?").is_some()
    });
}

#[test]
fn a_predictor_is_trained_with_its_learning_curve_and_says_how_far_it_is_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = super::window();
    send(&mut window, Command::ShowTool(training::TOOL));
    window.get_by_label("What does a task need of a GPU?");
    send(&mut window, Command::ask(training::Request::UseRuns(runs(&folder))));
    trained(&mut window);
    window.get_by_label("Does the validation error still fall?");
    assert!(window.query_all_by_label_contains("test runs: network").count() > 0);
    assert_exports(&mut window, "Does the validation error still fall?", "validation set,curve,,");
    // What cannot be learned is said.
    window.get_by_role_and_label(Role::RadioButton, "run time").click();
    until(&mut window, "a sentence that there is no such column", |window| {
        window.query_all_by_label_contains("no column “seconds”").next().is_some()
    });
}

#[test]
fn a_restart_trains_on_the_same_runs_with_the_same_settings() {
    let (folder, tabs) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let start = || Start { tabs_file: Some(tabs.path().join("tabs.ron")), ..Start::default() };
    let mut window = window_with(start());
    send(&mut window, Command::ShowTool(training::TOOL));
    send(&mut window, Command::ask(training::Request::UseRuns(runs(&folder))));
    trained(&mut window);
    enter_number(&mut window, "seed", "5");
    trained(&mut window);
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);

    let mut window = window_with(start());
    trained(&mut window);
    window.get_by_label("runs.csv");
    let seed = window.get_by_role_and_label(Role::SpinButton, "seed");
    assert_eq!(seed.accesskit_node().numeric_value(), Some(5.0));
}

#[test]
fn the_page_of_training_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = drawn(&STATE, Start::default());
    send(&mut window, Command::ShowTool(training::TOOL));
    send(&mut window, Command::ask(training::Request::UseRuns(runs(&folder))));
    trained(&mut window);
    window.run_steps(4);
    window.snapshot("training-light");
}

#[test]
fn the_page_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut window = drawn(&MAIN, Start::default());
    open(&mut window);
    window.run_steps(6);
    window.snapshot("allocation-light");
}

#[test]
fn the_whole_page_and_a_narrow_window_are_laid_out_as_agreed() {
    for (name, size) in [("allocation-timeline", [1280.0, 1800.0]), ("allocation-narrow", STATE.size)] {
        let mut window = shown(size, Start::default());
        open(&mut window);
        window.run_steps(6);
        assert_layout(name, &window);
    }
}

/// A node with two GPUs, and two pods of which the second waits for the first.
fn recorded_cluster(folder: &Path) -> [PathBuf; 2] {
    let nodes = "sn,cpu_milli,memory_mib,gpu,model\na,64000,262144,2,V100\n";
    let pods = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time,scheduled_time\n\
                first,4000,1024,2,1000,V100,BE,100,200,100\nsecond,4000,1024,1,1000,,BE,110,150,120\n";
    [("nodes.csv", nodes), ("pods.csv", pods)].map(|(name, text)| {
        std::fs::write(folder.join(name), text).expect("written");
        folder.join(name)
    })
}

#[test]
fn a_recorded_cluster_is_opened_file_by_file_and_its_tasks_come_at_their_times() {
    let folder = tempfile::tempdir().expect("a folder");
    let [nodes, pods] = recorded_cluster(folder.path());
    let mut window = super::window();
    // The pods first: the nodes are asked for.
    send(&mut window, Command::ask(Request::Import));
    type_path(&mut window, &pods);
    type_path(&mut window, &nodes);
    assert_eq!(study(&window).nodes[0].gpus, 2.0);
    assert!(window.query_all_by_label_contains("Tasks of pods.csv arrive at their recorded times").count() > 0);
    // It came at 10 s after the first and waited until that ended: (0 s + 90 s) / 2, by hand.
    assert!(window.query_all_by_label_contains("waited 45 s").count() > 0);
    window.set_size(egui::vec2(1280.0, 2200.0));
    settle(&mut window);
    window.get_by_label("2 recorded tasks of pods.csv");

    // The file changes; what is on screen stays until it is read again.
    let changed = std::fs::read_to_string(&pods).expect("text").replace(",110,", ",160,");
    std::fs::write(&pods, changed.replace(",150,120", ",200,160")).expect("written");
    window.get_by_label("Read again").click();
    settle(&mut window);
    assert!(window.query_all_by_label_contains("waited 20 s").count() > 0);
    std::fs::remove_file(&pods).expect("removed");
    window.get_by_label("Read again").click();
    settle(&mut window);
    assert!(
        window
            .state()
            .messages()
            .any(|message| message.contains("pods.csv") && message.contains("nothing was changed"))
    );
    window.get_by_label("Use generated tasks").click();
    settle(&mut window);
    assert_eq!(study(&window).replay.trace, None);
    window.get_by_label("Replay recorded tasks…");
}

#[test]
fn files_that_are_no_record_or_do_not_belong_together_open_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let [nodes, _] = recorded_cluster(folder.path());
    let other = folder.path().join("notes.csv");
    std::fs::write(&other, "a,b\n1,2\n").expect("written");
    let mut window = super::window();
    let count = window.state().documents().len();
    send(&mut window, Command::ask(Request::ImportFile(other)));
    assert!(window.state().messages().any(|message| message.contains("not a recorded cluster; expected")));
    send(&mut window, Command::ask(Request::Import));
    type_path(&mut window, &nodes);
    type_path(&mut window, &nodes);
    assert!(
        window.state().messages().any(|message| message.contains("nodes.csv and nodes.csv do not belong together"))
    );
    assert_eq!(window.state().documents().len(), count);
}

/// Decisions of `crossover allocate serve` under `MostLeft`, as it writes them: two nodes of one GPU. Two pods with half of a GPU got a node
/// each, so one that requests a whole GPU waited 90 s. `BestFit` puts both on one GPU, and nothing waits.
#[test]
fn a_log_of_decisions_is_replayed_beside_other_policies() {
    let node = |name: &str| format!(r#"{{"name":"{name}","cpu_milli":16000,"memory_mib":65536,"devices":[0]}}"#);
    let bind = |(pod, node, at): (&str, &str, &str), share: u32, waited: u32| {
        format!(
            r#"{{"event":"bind","time":"2026-03-01T12:{at}Z","pod":"default/{pod}","uid":"{pod}","policy":"MostLeft","node":"{node}","gpus":[0],"share":{},"memory_mib":null,"waited_seconds":{waited},"is_sensitive":false,"request":{{"cpu_milli":1000,"memory_mib":1024,"gpus":1,"shares":[{share}]}},"others":{{"BestFit":"a"}},"outcome":"bound"}}"#,
            f64::from(share) / 42_000.0
        )
    };
    let release = |pod: &str, at: &str| {
        format!(r#"{{"event":"release","time":"2026-03-01T12:{at}Z","pod":"default/{pod}","uid":"{pod}"}}"#)
    };
    let nodes = [node("a"), node("b")].join(",");
    let lines = [
        format!(r#"{{"event":"cluster","time":"2026-03-01T11:59:00Z","types":["A100"],"nodes":[{nodes}]}}"#),
        bind(("one", "a", "00:00"), 21_000, 0),
        bind(("two", "b", "00:01"), 21_000, 0),
        release("one", "01:40"),
        bind(("whole", "a", "01:40"), 42_000, 90),
        release("two", "01:41"),
        release("whole", "02:40"),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("decisions.jsonl");
    std::fs::write(&log, lines.map(|line| line + "\n").concat()).expect("written");

    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 2200.0));
    send(&mut window, Command::ask(Request::ImportFile(log)));
    window.get_by_label("3 recorded tasks of decisions.jsonl");
    assert!(window.query_all_by_label_contains("Timeline: 3 runs on 2 GPUs.").next().is_some());
    // (0 s + 0 s + 90 s) / 3.
    let outcome = evaluate(study(&window));
    for (policy, wait) in [(Policy::MostLeft, 30.0), (Policy::BestFit, 0.0)] {
        let place = outcome.policies.iter().position(|of| of.policy == policy).expect("every policy");
        assert_eq!(outcome.replayed[place].served[1].mean_wait, wait, "{policy:?}");
    }
    window.get_by_role_and_label(Role::RowHeader, "policy MostLeft").click_accesskit();
    settle(&mut window);
    assert!(window.query_all_by_label_contains("3 other tasks waited 30 s on average").next().is_some());
    window.get_by_role_and_label(Role::RowHeader, "policy BestFit").click_accesskit();
    settle(&mut window);
    assert!(window.query_all_by_label_contains("3 other tasks waited 0 s on average").next().is_some());
}
