//! What the page says, and what it says after a change.

use crossover_engine::Engine;
use crossover_page::command::Command;
use crossover_placement::whole::decide;
use crossover_placement::{Placement, Side};
use crossover_placement_page::examples;
use crossover_quantity::provenance::Provenance;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::super::{Window, board, send, settle, stress, study, view};
use super::{boxes, click, fixture, name, query, window};

fn change(window: &mut Window, edit: impl FnOnce(&mut Placement)) {
    window.state_mut().edit_active(|scenario| {
        if let crossover_scenario::Study::Placement(study) = &mut scenario.study {
            edit(study);
        }
    });
    settle(window);
}

fn has(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).count() > 0
}

#[test]
fn a_weaker_gpu_moves_every_operator_to_the_cpu_at_once() {
    let mut window = window(fixture::plan());
    assert!(boxes(&window).iter().any(|name| name.contains(", GPU, ")));
    // One GPU as fast as one core, beside 192 cores.
    change(&mut window, |study| (study.gpu.gpu_parallelism, study.gpu.gpus_per_machine) = (1.0, 1.0));
    assert!(boxes(&window).iter().all(|name| name.contains(", CPU, ")), "{:?}", boxes(&window));
    assert!(has(&window, "All 16 operators stay on the CPU"));
    assert_eq!(view(&window).evaluations().count(), 2);
}

#[test]
fn numbers_say_where_they_come_from() {
    let mut window = window(fixture::plan());
    click(&mut window, 9);
    // Read and given.
    assert!(window.get_all_by_label("60 M rows").count() >= 2);
    assert!(window.get_all_by_label("4.8 GB").count() >= 2);
    assert!(window.get_all_by_label("reported by the engine").count() >= 2);
    window.get_by_label("≈ 212 s");
    window.get_by_label("estimated: share of its stage's CPU time, by the model's weights");
    window.get_by_label("4, 5");
    // What the engine counted: 208,500 ms of "timing", and the 8 GiB of memory.
    window.get_by_label("sort time");
    assert!(window.get_all_by_label("208.5 s").count() >= 1);
    window.get_by_label("8.59 GB");
    window.get_by_label("not reported");
    assert!(has(&window, "Sort [customer_id#51 ASC NULLS FIRST]"));
}

#[test]
fn what_is_read_again_is_one_box_with_two_readers() {
    let mut window = window(fixture::plan());
    assert_eq!(boxes(&window).iter().filter(|name| name.ends_with(", node 14")).count(), 1);
    click(&mut window, 14);
    window.get_by_label("to Sort");
    window.get_by_label("to BroadcastExchange");
    window.get_by_label("from Filter");
}

#[test]
fn totals_name_the_origin_of_the_plan() {
    let window = window(fixture::plan());
    for text in ["Spark 3.5.1", "application_1700000000000_0042.zstd", "148.2 s", "SELECT region, count(*)"] {
        assert!(has(&window, text), "{text}");
    }
    for placement in ["as placed", "all on CPU", "all on GPU", "per-operator greedy", "by class"] {
        assert!(has(&window, &format!("{placement}: ")), "{placement}");
    }
}

#[test]
fn scores_are_used_when_asked_for() {
    let mut window = window(fixture::plan());
    assert!(window.query_by_label("Use the imported scores").is_none());
    change(&mut window, |study| {
        if let Some(query) = &mut study.query {
            query.scores.insert("SortExec".into(), 6.0);
        }
    });
    window.get_by_label("Use the imported scores").click();
    settle(&mut window);
    assert!(query(&window).use_scores);
    assert!(has(&window, "Scores for 2 operators"));
}

#[test]
fn a_support_list_keeps_its_classes_on_the_cpu() {
    let mut window = window(fixture::plan());
    change(&mut window, |study| {
        if let Some(query) = &mut study.query {
            query.unsupported.insert("SortExec".into(), "out of memory".into());
        }
    });
    for node in [9, 13] {
        assert!(name(&window, node).starts_with("Sort, CPU, no GPU version, "), "{}", name(&window, node));
    }
    assert!(has(&window, "Support list: 1 class without a GPU version, 2 operators here"));
}

#[test]
fn a_study_without_a_query_has_curves_only() {
    let mut window = super::super::window();
    assert!(window.query_by_label("Plan").is_none());
    super::show(&mut window, fixture::plan());
    window.get_by_label("Curves").click();
    settle(&mut window);
    assert!(boxes(&window).is_empty());
    assert!(has(&window, "When is the GPU faster for this query, by the hardware model of "));
    window.get_by_label("Plan").click();
    settle(&mut window);
    assert!(!boxes(&window).is_empty());
}

#[test]
fn a_narrow_window_shows_tree_and_details() {
    let mut window = super::super::window();
    window.set_size(egui::vec2(800.0, 600.0));
    super::show(&mut window, fixture::plan());
    assert!(!boxes(&window).is_empty());
    click(&mut window, 2);
    window.get_by_label("node 2 · shuffle");
}

#[test]
fn a_plan_of_one_operator_has_one_box() {
    let mut plan = fixture::large(1);
    plan.nodes[0].kind = crossover_query::Kind::Scan;
    let window = window(plan);
    assert_eq!(boxes(&window).len(), 1);
}

#[test]
fn another_study_in_the_same_window_has_no_plan() {
    let mut window = window(fixture::plan());
    send(&mut window, Command::OpenExample(examples::SMALL));
    assert!(study(&window).query.is_none());
    assert!(boxes(&window).is_empty());
}

#[test]
fn random_events_on_a_plan_break_nothing() {
    let mut scenarios = 0;
    for seed in 0..3 {
        let mut window = super::super::window();
        super::show(&mut window, fixture::plan());
        stress::random_events(&mut window, 7 + seed, 60);
        scenarios += stress::valid_scenarios(&window);
    }
    assert!(scenarios > 0, "all tabs were closed, so nothing was tested");
}

#[test]
fn a_pin_on_the_gpu_beats_the_support_list_and_is_warned_of() {
    let mut window = window(fixture::plan());
    change(&mut window, |study| {
        if let Some(query) = &mut study.query {
            query.unsupported.insert("SortExec".into(), String::new());
            query.pins.insert(9, Side::Gpu);
        }
    });
    assert!(name(&window, 9).starts_with("Sort, GPU, pinned, "));
    assert!(board(&window).plan().is_some_and(|plan| !plan.whole().warnings.is_empty()));
}

/// Picks the entry of a list that has a text.
fn pick(window: &mut Window, list: &str, entry: &str) {
    window.get_by_role_and_label(Role::ComboBox, list).click_accesskit();
    settle(window);
    window.get_all_by_label_contains(entry).last().expect("an entry of the list").click_accesskit();
    settle(window);
}

#[test]
fn a_query_is_planned_for_measured_engines_on_machines_of_ones_choice() {
    let mut window = window(fixture::plan());
    let alone = decide(study(&window)).expect("a plan").seconds;
    pick(&mut window, "engines preset", "Spark on 8 × c5d");
    let engines = study(&window).engines.clone().expect("engines");
    assert_eq!((engines.cpu.machine.as_str(), engines.gpu.machine.as_str()), ("c5d.12xlarge", "g6.2xlarge"));
    let fitted = study(&window).sources.get("engines.gpu.start_seconds").map(Provenance::kind);
    assert_eq!(fitted, Some("fitted"));
    assert!(decide(study(&window)).expect("a plan").verdict.is_some());
    // The numbers of either engine are in groups, each with what it means.
    for group in ["start-up", "work", "reading", "exchange", "spilling", "error"] {
        assert!(window.query_all_by_label(group).count() >= 2, "{group}");
    }
    assert_eq!(window.query_all_by_label("Time to open files, and to read and decode their data").count(), 2);

    pick(&mut window, "CPU machine preset", "r8g.12xlarge");
    let cpu = study(&window).engines.as_ref().expect("engines").cpu.clone();
    // The list of AWS, us-east-1, on demand, of 2026-07-20; as many of as many cores, the same part of four times the memory.
    assert_eq!((cpu.lanes, cpu.network_gbit_per_s, cpu.usd_per_hour), (engines.cpu.lanes, 22.5, Some(2.8277)));
    let memory = |engine: &Engine| engine.exchange_memory_gb.expect("a limit");
    assert!((memory(&cpu) / memory(&engines.cpu) - 4.0).abs() < 1e-9, "{} GB", memory(&cpu));
    assert_eq!(study(&window).sources.get("engines.cpu.usd_per_hour").map(Provenance::kind), Some("price list"));

    // The speeds are those of L4s: other GPUs are not offered.
    window.get_by_role_and_label(Role::ComboBox, "GPU machine preset").click_accesskit();
    settle(&mut window);
    assert!(window.query_by_label_contains("g6.12xlarge").is_some());
    assert!(window.query_by_label_contains("p5.48xlarge").is_none());
    window.key_press(egui::Key::Escape);
    settle(&mut window);

    window.get_by_label("Plan without engines").click_accesskit();
    settle(&mut window);
    assert!(study(&window).engines.is_none());
    assert!(study(&window).sources.keys().all(|path| !path.starts_with("engines.")));
    assert_eq!(decide(study(&window)).expect("a plan").seconds, alone);
}
