//! The preemption page as a user meets it.

use crossover::command::Command;
use crossover::examples::Example;
use crossover::studies::preemption::examples;
use crossover_model::preemption::{Class, Kernel, Launch, Pair, Policy, Preemption};
use crossover_model::scenario::{self, Study};
use egui::Key::{ArrowDown, ArrowLeft, ArrowRight, ArrowUp};
use egui::accesskit::Role;
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::pictures::{Look, MAIN, STATE, drawn};
use super::{Start, Window, can_draw, send, settle};

fn study(window: &Window) -> &Preemption {
    window.state().active().and_then(|document| document.scenario.preemption()).expect("a preemption study")
}

/// The window with an example, tall enough for the whole page.
fn tall(example: Example) -> Window {
    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 3000.0));
    send(&mut window, Command::OpenExample(example));
    window
}

fn press(window: &mut Window, role: Role, label: &str) {
    window.get_by_role_and_label(role, label).click_accesskit();
    settle(window);
}

fn has(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).count() > 0
}

#[test]
fn the_published_case_is_on_the_page_with_its_numbers() {
    let window = tall(examples::PUBLISHED);
    for question in [
        "Which policy does most?",
        "Which policy at which load?",
        "How long do launches take?",
        "Who is on the GPU when?",
        "Why now?",
        "Who runs well beside whom?",
    ] {
        window.get_by_label(question);
    }
    window.get_by_label(
        "B leaves for C at cycle 100,000: without the switch the next 800,000 cycles do 1,040,000 cycles of work; with it \
         1,165,141, of which 209,695 cycles are the switch. It would pay up to a switch of 321,429 cycles.",
    );
    for figure in ["125,141", "321,429", "209,695", "1,165,141"] {
        assert!(has(&window, figure), "{figure}");
    }
    // Launches that are listed have no load.
    assert!(has(&window, "there is no load to change"));
}

#[test]
fn a_policy_is_chosen_by_its_row_and_the_page_follows() {
    let mut window = tall(examples::PUBLISHED);
    assert_eq!(study(&window).rule.policy, Policy::Weighing);
    assert!(has(&window, "throughput (STP), weighed preemption"));
    press(&mut window, Role::RowHeader, "policy best pairs");
    assert_eq!(study(&window).rule.policy, Policy::Combining);
    assert!(has(&window, "throughput (STP), best pairs"));
    // What nobody weighs cannot be shown, and the page says what to do.
    assert!(has(&window, "Under this policy nobody leaves before it is done; choose “weighed preemption”"));
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).rule.policy, Policy::Weighing);
    assert!(has(&window, "B leaves for C"));
}

#[test]
fn each_policy_says_what_it_asks_before_a_kernel_leaves() {
    let mut window = tall(examples::RODINIA);
    assert!(has(&window, "weighed in the first stream"));
    for (policy, said) in [
        ("context switch", "this policy does not ask whether they pay"),
        ("drain", "a kernel leaves when its resident blocks are done"),
        ("flush", "its resident blocks begin anew"),
        ("time slices", "a kernel leaves when its time is over"),
        ("partial (DRF)", "parts of kernels leave"),
        ("sharing", "nobody leaves before it is done"),
    ] {
        press(&mut window, Role::RowHeader, &format!("policy {policy}"));
        assert!(has(&window, said), "{policy}");
        assert!(!has(&window, "weighed in the first stream"), "{policy}");
    }
}

/// So many kernels, each pair of which was measured if `pair` has numbers for it.
fn many(count: usize, pair: impl Fn(usize, usize) -> Option<[f64; 2]>) -> Preemption {
    let mut study =
        scenario::read(examples::PUBLISHED.text).expect("an example").preemption().expect("a study").clone();
    let name = |place: usize| format!("k{place:03}");
    let class = |place: usize| if place.is_multiple_of(3) { Class::Memory } else { Class::Compute };
    study.kernels =
        (0..count).map(|place| Kernel { name: name(place), class: class(place), ..Kernel::default() }).collect();
    study.pairs.clear();
    for first in 0..count {
        for second in first..count {
            let Some([first_normalised, second_normalised]) = pair(first, second) else { continue };
            study.pairs.push(Pair { first: name(first), second: name(second), first_normalised, second_normalised });
        }
    }
    study.stream.listed = (0..3).map(|place| Launch { kernel: name(place), at_cycle: 0.0 }).collect();
    study.sources.retain(|path, _| !path.starts_with("kernels.") && !path.starts_with("pairs."));
    study
}

fn open(window: &mut Window, study: Preemption) {
    let mut scenario = scenario::read(examples::PUBLISHED.text).expect("an example");
    scenario.study = Study::Preemption(study);
    window.state_mut().show_only("many.ron".into(), scenario);
    settle(window);
}

/// As many kernels and pairs as a study may have: what is drawn in a frame does not grow with them.
#[test]
fn a_page_of_256_kernels_draws_no_more_than_is_seen() {
    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 3000.0));
    open(
        &mut window,
        many(256, |first, second| Some([0.5 + (first % 50) as f64 / 100.0, 0.6 + (second % 40) as f64 / 100.0])),
    );
    assert_eq!(study(&window).pairs.len(), 32_896);
    assert!(has(&window, "and 32,855 more in the file"));
    let begun = std::time::Instant::now();
    window.run_steps(10);
    println!("{:.0} ms a frame", begun.elapsed().as_secs_f64() * 100.0);
    let shapes = window.output().shapes.len();
    println!("{shapes} shapes");
    assert!(shapes < 3_000, "{shapes}");
    let headers = window.query_all_by_label_contains(" with k").count();
    assert!((41..60).contains(&headers), "{headers}");
    // The pair that is looked at stands in the list, wherever it is in the file.
    let map = window.get_by_role_and_label(Role::Button, "pairs of kernels; arrow keys choose one");
    map.focus();
    window.run_steps(2);
    for key in [ArrowDown, ArrowDown, ArrowRight] {
        window.key_press(key);
        window.run_steps(2);
    }
    let label = "k001 beside k001";
    assert!(!has(&window, label));
    window.get_by_role_and_label(Role::Button, "k001 beside itself: 0.56; together 1.12; entered or measured.");
}

#[test]
fn arrow_keys_walk_over_the_pairs_where_there_are_too_many_for_buttons() {
    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 3000.0));
    open(&mut window, many(20, |first, second| (first + second == 19).then_some([0.75, 0.5])));
    window.get_by_role_and_label(Role::Button, "pairs of kernels; arrow keys choose one").focus();
    window.run_steps(2);
    let mut walk = |keys: &[egui::Key], expected: &str| {
        for key in keys {
            window.key_press(*key);
            window.run_steps(2);
        }
        window.get_by_role_and_label(Role::Button, expected);
    };
    walk(&[ArrowLeft], "k000 beside itself: 0.7265; together 1.453; not measured: by their classes.");
    walk(&[ArrowUp, ArrowLeft], "k000 beside itself: 0.7265; together 1.453; not measured: by their classes.");
    walk(
        &[ArrowDown, ArrowRight, ArrowRight],
        "k001 beside k002: 0.783; k002 beside k001: 0.783; together 1.566; not measured: by their classes.",
    );
    walk(
        &[ArrowRight; 30],
        "k001 beside k019: 0.783; k019 beside k001: 0.783; together 1.566; not measured: by their classes.",
    );
    walk(&[ArrowLeft], "k001 beside k018: 0.75; k018 beside k001: 0.5; together 1.25; entered or measured.");
}

#[test]
fn policies_are_compared_along_the_load_by_what_is_chosen() {
    let mut window = tall(examples::RODINIA);
    assert!(has(&window, "Best at 110 %:"));
    for metric in ["Turnaround", "Fairness", "Mean latency", "99 % latency", "Throughput"] {
        press(&mut window, Role::Button, metric);
        assert!(has(&window, "Best at 110 %:"), "{metric}");
    }
    // Another policy has the same curves.
    press(&mut window, Role::RowHeader, "policy sharing");
    assert!(has(&window, "throughput (STP), sharing"));
}

#[test]
fn decisions_are_explained_one_by_one() {
    let mut window = tall(examples::RODINIA);
    // The one that gains most is explained at first, and in view.
    let explained = |window: &Window| {
        let all: Vec<_> = window.query_all_by_label_contains("without the switch the next").collect();
        assert_eq!(all.len(), 1);
        let node = all[0].accesskit_node();
        node.label().or_else(|| node.value()).unwrap_or_default()
    };
    let telling = explained(&window);
    let rows = window.query_all_by_label_contains("decision ").count();
    assert!(rows > 2, "{rows}");
    window.query_all_by_label_contains("decision ").next().expect("a row").click_accesskit();
    settle(&mut window);
    assert_ne!(explained(&window), telling);
}

#[test]
fn a_pair_that_was_not_measured_is_entered_from_the_map() {
    let mut window = tall(examples::RODINIA);
    let before = study(&window).pairs.len();
    assert!(study(&window).pair("hotspot", "heartwall").is_none());
    press(&mut window, Role::Button, "hotspot beside heartwall");
    assert!(has(&window, "not measured: by their classes"));
    press(&mut window, Role::Button, "Enter this pair");
    assert_eq!(study(&window).pairs.len(), before + 1);
    let pair = study(&window).pair("hotspot", "heartwall").expect("entered").clone();
    assert_eq!((pair.first_normalised, pair.second_normalised), (0.783, 0.783));
    assert!(has(&window, "Its numbers stand under Pairs on the left."));
    window.get_by_role_and_label(Role::SpinButton, &format!("pairs.{before}.first_normalised"));
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).pairs.len(), before);
}

#[test]
fn kernels_pairs_and_launches_are_edited_and_the_study_stays_valid() {
    let mut window = tall(examples::PUBLISHED);
    press(&mut window, Role::Button, "Add kernel");
    assert_eq!(study(&window).kernels[3].name, "kernel");
    press(&mut window, Role::Button, "Add pair");
    let last = study(&window).pairs.last().expect("a pair").clone();
    assert_eq!((last.first.as_str(), last.second.as_str()), ("A", "kernel"));
    press(&mut window, Role::Button, "Add launch");
    assert_eq!(study(&window).stream.listed.len(), 4);
    press(&mut window, Role::Button, "Draw launches");
    assert!(study(&window).stream.listed.is_empty());
    assert!(study(&window).sources.keys().all(|path| !path.starts_with("stream.listed")));
    assert!(has(&window, "Best at 100 %:"));
    press(&mut window, Role::Button, "List launches one by one");
    assert_eq!(study(&window).stream.listed.len(), 4);
    let document = window.state().active().expect("a document");
    document.scenario.study.validate().expect("a valid study");
}

#[test]
fn a_gpu_of_the_catalogue_takes_the_place_of_the_entered_one() {
    let mut window = tall(examples::RODINIA);
    window.get_by_role_and_label(Role::ComboBox, "gpu preset").click();
    settle(&mut window);
    window.get_all_by_label_contains("A100").next().expect("an A100").click();
    settle(&mut window);
    let gpu = &study(&window).gpu;
    assert!(gpu.model.contains("A100"), "{}", gpu.model);
    assert_eq!((gpu.multiprocessors, gpu.threads), (108.0, 2_048.0));
    assert!(study(&window).sources.contains_key("gpu.threads"));
}

#[test]
fn the_page_of_preemption_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    let large = Look { size: [1920.0, 1080.0], ..MAIN };
    for (name, example, look) in [
        ("preemption-light", examples::RODINIA, MAIN),
        ("preemption-dark", examples::RODINIA, Look { theme: egui::Theme::Dark, ..MAIN }),
        ("preemption-light-scale-2", examples::RODINIA, Look { scale: 2.0, ..MAIN }),
        ("preemption-large-screen", examples::RODINIA, large),
        ("preemption-tall", examples::RODINIA, Look { size: [1280.0, 2000.0], ..MAIN }),
        ("preemption-narrow", examples::RODINIA, STATE),
        ("preemption-published", examples::PUBLISHED, Look { size: [1280.0, 1900.0], ..MAIN }),
        (
            "preemption-published-dark",
            examples::PUBLISHED,
            Look { theme: egui::Theme::Dark, size: [1280.0, 1900.0], ..MAIN },
        ),
    ] {
        let mut window = drawn(&look, Start::default());
        send(&mut window, Command::OpenExample(example));
        window.run_steps(6);
        results.add(window.try_snapshot(name));
    }
}
