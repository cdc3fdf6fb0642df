//! The preemption page as a user meets it.

use std::sync::Arc;

use crossover_measured::kernels::Class;
use crossover_page::command::Command;
use crossover_page::examples::Example;
use crossover_preemption::{Kernel, Launch, Pair, Policy, Preemption};
use crossover_preemption_page::examples;
use crossover_scenario::{self as scenario, Study};
use egui::Key::{ArrowDown, ArrowLeft, ArrowRight, ArrowUp};
use egui::accesskit::{Role, Toggled};
use egui::{Key, Memory};
use egui_kittest::SnapshotResults;
use egui_kittest::kittest::{AccessKitNode, NodeT as _, Queryable as _};

use super::files::Dropped;
use super::layout::{assert_layout, is_seen, shown};
use super::pictures::{Look, MAIN, STATE, drawn};
use super::{Start, Window, can_draw, send, settle, type_path, until};

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
        "Which policy is best?",
        "Which policy is best at which load?",
        "How long do launches take?",
        "Which kernel runs when?",
        "Preemption decisions",
        "Which kernels run well together?",
    ] {
        window.get_by_label(question);
    }
    window.get_by_label(
        "B is preempted for C at cycle 100,000. In the next 800,000 cycles, without preemption, the GPU completes work that takes \
         1,040,000 cycles if each kernel runs alone. With preemption, the context switch takes 209,695 of these 800,000 cycles, and the \
         completed work is 1,165,141 cycles. Break-even switch cost: 321,429 cycles.",
    );
    for figure in ["125,141", "321,429", "209,695", "1,165,141"] {
        assert!(has(&window, figure), "{figure}");
    }
    // Launches that are listed have no load.
    assert!(has(&window, "Listed launches have no load"));
}

#[test]
fn a_policy_is_chosen_by_its_row_and_the_page_follows() {
    let mut window = tall(examples::PUBLISHED);
    assert_eq!(study(&window).rule.policy, Policy::Weighing);
    assert!(has(&window, "throughput (STP), cost-aware preemption"));
    press(&mut window, Role::RowHeader, "policy best pairs");
    assert_eq!(study(&window).rule.policy, Policy::Combining);
    assert!(has(&window, "throughput (STP), best pairs"));
    // A policy that weighs no tasks has no preemption to show, and the page says what to do.
    assert!(has(&window, "This policy does not preempt; choose “cost-aware preemption”"));
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).rule.policy, Policy::Weighing);
    assert!(has(&window, "B is preempted for C"));
}

#[test]
fn each_policy_says_what_it_asks_before_a_kernel_leaves() {
    let mut window = tall(examples::RODINIA);
    assert!(has(&window, "evaluated in the first stream"));
    for (policy, answer) in [
        ("context switch", "this policy preempts regardless of the gain"),
        ("drain", "preempts when the resident blocks have ended"),
        ("flush", "restarts the resident blocks"),
        ("time slicing", "preempts at the end of each time slice"),
        ("partial (DRF)", "preempts blocks for every arrival"),
        ("sharing", "This policy does not preempt"),
    ] {
        press(&mut window, Role::RowHeader, &format!("policy {policy}"));
        assert!(has(&window, answer), "{policy}");
        assert!(!has(&window, "evaluated in the first stream"), "{policy}");
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
    window.run_steps(10);
    let shapes = window.output().shapes.len();
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
    walk(&[ArrowLeft], "k000 beside itself: 0.7265; together 1.453; not measured: assumed from their classes.");
    walk(
        &[ArrowUp, ArrowLeft],
        "k000 beside itself: 0.7265; together 1.453; not measured: assumed from their classes.",
    );
    walk(
        &[ArrowDown, ArrowRight, ArrowRight],
        "k001 beside k002: 0.783; k002 beside k001: 0.783; together 1.566; not measured: assumed from their classes.",
    );
    walk(
        &[ArrowRight; 30],
        "k001 beside k019: 0.783; k019 beside k001: 0.783; together 1.566; not measured: assumed from their classes.",
    );
    walk(&[ArrowLeft], "k001 beside k018: 0.75; k018 beside k001: 0.5; together 1.25; entered or measured.");
}

#[test]
fn policies_are_compared_along_the_load_by_what_is_chosen() {
    let mut window = tall(examples::RODINIA);
    assert!(has(&window, "Best at 110 %:"));
    for metric in ["Turnaround", "Fairness", "Mean latency", "p99 latency", "Throughput"] {
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
        let all: Vec<_> = window.query_all_by_label_contains("cycles if each kernel runs alone").collect();
        assert_eq!(all.len(), 1);
        let node = all[0].accesskit_node();
        node.label().or_else(|| node.value()).unwrap_or_default()
    };
    let explanation = explained(&window);
    let rows = window.query_all_by_label_contains("decision ").count();
    assert!(rows > 2, "{rows}");
    window.query_all_by_label_contains("decision ").next().expect("a row").click_accesskit();
    settle(&mut window);
    assert_ne!(explained(&window), explanation);
}

fn has_focus(node: &AccessKitNode<'_>) -> bool {
    node.is_focused()
}

/// The list has scrolled to the largest gain, and the page shows its top: the list is out of sight.
#[test]
fn tab_enters_the_decisions_out_of_sight_and_enter_selects_one() {
    let mut window = super::window();
    send(&mut window, Command::OpenExample(examples::H100));
    let is_timeline = |name: &str| name.starts_with("Which kernel runs when? ");
    let timeline = window.get_by(|node| node.role() == Role::Image && is_timeline(&node.label().unwrap_or_default()));
    timeline.focus();
    window.run_steps(2);
    let focused = |window: &Window| {
        let node = window.query_by(has_focus)?.accesskit_node();
        Some((node.label()?, node.toggled()))
    };
    window.key_press(Key::Tab);
    window.run_steps(8);
    let (name, toggled) = focused(&window).expect("a row has the focus");
    assert!(name.starts_with("decision ") && toggled == Some(Toggled::False), "{name}, {toggled:?}");
    let row = window.ctx.memory(Memory::focused).and_then(|id| window.ctx.read_response(id)).expect("a row");
    assert!(row.interact_rect.is_positive(), "{name} is out of sight");
    window.key_press(Key::Enter);
    settle(&mut window);
    assert_eq!(focused(&window), Some((name, Some(Toggled::True))));
}

#[test]
fn a_pair_that_was_not_measured_is_entered_from_the_map() {
    let mut window = tall(examples::RODINIA);
    let before = study(&window).pairs.len();
    assert!(study(&window).pair("hotspot", "heartwall").is_none());
    press(&mut window, Role::Button, "hotspot beside heartwall");
    assert!(has(&window, "not measured: assumed from their classes"));
    press(&mut window, Role::Button, "Enter this pair");
    assert_eq!(study(&window).pairs.len(), before + 1);
    let pair = study(&window).pair("hotspot", "heartwall").expect("a pair").clone();
    assert_eq!((pair.first_normalised, pair.second_normalised), (0.783, 0.783));
    // It is still an estimate, until a number is entered, and then that number alone is known.
    assert!(has(&window, "Edit its numbers under Pairs on the left."));
    assert!(has(&window, "not measured: assumed from their classes"));
    assert!(has(&window, "Neither number is measured (F: fitted); a number counts as entered once you change it"));
    let field = format!("pairs.{before}.first_normalised");
    window.get_by_role_and_label(Role::SpinButton, &field).focus();
    window.run_steps(2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.run_steps(1);
    window.event(egui::Event::Text("0.9".to_owned()));
    window.run_steps(1);
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    assert_eq!(study(&window).pairs[before].first_normalised, 0.9);
    assert!(has(&window, "the first entered or measured, the second not measured: assumed from their classes"));
    assert!(has(&window, "The second number is not measured (F: fitted)"));
    send(&mut window, Command::Undo);
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).pairs.len(), before);
}

fn is_told(window: &Window, text: &str) -> bool {
    window.state().messages().any(|message| message.contains(text))
}

/// Takes something from a file with this text.
fn import(window: &mut Window, label: &str, (folder, name): (&tempfile::TempDir, &str), text: &str) {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("written");
    press(window, Role::Button, label);
    type_path(window, &path);
}

#[test]
fn kernels_pairs_and_requests_are_taken_from_files_in_one_step_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = tall(examples::RODINIA);
    let before = study(&window).clone();
    let table = "name,instructions,ipc,threads,blocks,class,colour\nA,1e8,30,256,4096,compute,red\nB,2e8,20,256,4096,memory,blue\n\
                 C,1e8,20,1e9,4096,memory,blue\n";
    import(&mut window, "Import profiled kernels…", (&folder, "mine.csv"), table);
    let names: Vec<&str> = study(&window).kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(names, ["A", "B"]);
    assert!(is_told(&window, "mine.csv read: 2 kernels."));
    // With what was left out, what is not read, and what was assumed.
    for note in ["line 4", "“colour”", "the profile names no GPU", "choose another one under GPU"] {
        assert!(is_told(&window, note), "{note}");
    }
    let taken = study(&window).clone();
    let pairs = "device,first,second,first_normalised,second_normalised\none,A,B,0.9,0.8\none,B,B,0.6,0.6\none,A,A,0.7,0.7\n\
                 two,A,B,0.5,0.4\ntwo,B,B,0.6,0.6\n";
    import(&mut window, "Import measured pairs…", (&folder, "pairs.csv"), pairs);
    // The file is of two GPUs.
    assert!(has(&window, "pairs.csv has data of 2 GPUs"));
    assert!(study(&window).pairs.is_empty());
    press(&mut window, Role::Button, "one");
    let notices: Vec<&str> = window.state().messages().collect();
    assert_eq!(study(&window).pair("A", "B").map(|pair| pair.first_normalised), Some(0.9), "{notices:?}");
    assert!(is_told(&window, "pairs.csv read: 3 measured pairs"));
    import(&mut window, "Import recorded requests…", (&folder, "requests.csv"), "seconds,size\n0,1\n0.5,3\n4,2\n");
    assert_eq!(study(&window).stream.recorded.as_ref().map(|recorded| recorded.seconds.len()), Some(3));
    assert!(is_told(&window, "requests.csv read: 3 requests in 4 s, each with its size"));
    // Each is one step.
    send(&mut window, Command::Undo);
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), taken);
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), before);
    // What tells nothing changes nothing.
    import(&mut window, "Import recorded requests…", (&folder, "other.csv"), "a,b\n1,2\n");
    assert!(is_told(&window, "nothing was imported"));
    assert_eq!(*study(&window), before);
}

#[test]
fn a_dropped_file_is_taken_for_what_it_tells() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = tall(examples::RODINIA);
    let mut drop = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        window.input_mut().dropped_files.push(Arc::new(Dropped(path)));
        settle(&mut window);
        study(&window).clone()
    };
    assert!(drop("requests.csv", "seconds\n0\n3\n").stream.recorded.is_some());
    let pairs = "first,second,first_normalised,second_normalised\nhotspot,heartwall,0.9,0.8\nhotspot,hotspot,0.6,0.6\n";
    assert_eq!(drop("pairs.csv", pairs).pair("hotspot", "heartwall").map(|pair| pair.second_normalised), Some(0.8));
    assert_eq!(drop("kernels.csv", "name,instructions,ipc,threads,blocks\nA,1e8,30,256,4096\n").kernels.len(), 1);
}

#[test]
fn a_window_of_usual_size_shows_every_policy_with_the_best_marked_and_five_decisions() {
    let mut window = super::window();
    send(&mut window, Command::OpenExample(examples::RODINIA));
    let is_seen = |node: &egui_kittest::Node<'_>| node.rect().bottom() < 780.0 && node.rect().height() > 10.0;
    for policy in Policy::ALL {
        let label = format!("policy {}", policy.label());
        let row = window.get_by_role_and_label(Role::RowHeader, &label);
        assert!(is_seen(&row), "{policy:?}");
    }
    assert!(is_seen(&window.get_by_label("bound")));
    // Throughput, turnaround, fairness and both latencies have a best one.
    let best = window.query_all_by_label_contains("◉ ").filter(|node| node.rect().width() < 130.0).count();
    assert_eq!(best, 5);
    // The list has its room wherever it stands on the page.
    window.get_by_label("Which kernels run well together?").scroll_to_me();
    until(&mut window, "five decisions in view", |window| {
        window.query_all_by_label_contains("decision ").filter(is_seen).count() >= 5
    });
}

/// The description of a policy is wider than its column.
#[test]
fn what_the_selected_policy_does_is_seen_as_a_whole() {
    for example in examples::ALL {
        let mut window = super::window();
        send(&mut window, Command::OpenExample(example));
        for policy in [Policy::Flushing, Policy::Partial, Policy::Weighing] {
            press(&mut window, Role::RowHeader, &format!("policy {}", policy.label()));
            assert!(is_seen(&window, policy.meaning()), "{}: {policy:?}", example.label);
        }
    }
}

#[test]
fn launches_over_time_and_pairs_are_exported_as_pictures() {
    let window = tall(examples::PUBLISHED);
    let charts = window.state().active().expect("a document").view.charts();
    let pictures: Vec<String> = charts.iter().map(|chart| chart.to_svg(false, [900.0, 500.0])).collect();
    let [latencies, gantt, pairs] = &pictures[..] else { panic!("{} charts", pictures.len()) };
    assert!(latencies.contains("How long do launches take?"));
    for text in ["Which kernel runs when?", ">A · 1<", "launch 2: cycles", "preempted", "queue, ≤ 1"] {
        assert!(gantt.contains(text), "{text}: {gantt}");
    }
    // A beside C keeps 0.85, C beside A 0.9; A beside itself was not measured.
    for text in ["Which kernels run well together?", ">0.85<", ">0.9<", ">~0.73<", "Best together: A with C, 1.75"] {
        assert!(pairs.contains(text), "{text}: {pairs}");
    }
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
    press(&mut window, Role::Button, "Generate launches");
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

/// Kernels as C++ names them.
fn with_long_names() -> Preemption {
    let mut study = scenario::read(examples::RODINIA.text).expect("an example").preemption().expect("a study").clone();
    for (place, kernel) in study.kernels.iter_mut().enumerate() {
        let with = ["float", "double", "cutlass::half_t", "int", "signed char"][place];
        kernel.name =
            format!("void at::native::vectorized_elementwise_kernel<{with}, {place}>({with} const*, {with}*)");
    }
    study.sources.retain(|path, _| !path.starts_with("kernels."));
    study
}

#[test]
fn the_page_of_preemption_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    for (name, theme) in [("preemption-light", egui::Theme::Light), ("preemption-dark", egui::Theme::Dark)] {
        let mut window = drawn(&Look { theme, ..MAIN }, Start::default());
        send(&mut window, Command::OpenExample(examples::RODINIA));
        window.run_steps(6);
        results.add(window.try_snapshot(name));
    }
}

#[test]
fn the_page_of_preemption_is_laid_out_as_agreed() {
    let mut window = shown([1100.0, 2500.0], Start::default());
    open(&mut window, with_long_names());
    window.run_steps(6);
    assert_layout("preemption-long-names", &window);
    for (name, example, size) in [
        ("preemption-large-screen", examples::RODINIA, [1920.0, 1080.0]),
        ("preemption-tall", examples::RODINIA, [1280.0, 2000.0]),
        ("preemption-narrow", examples::RODINIA, STATE.size),
        ("preemption-published", examples::PUBLISHED, [1280.0, 1900.0]),
    ] {
        let mut window = shown(size, Start::default());
        send(&mut window, Command::OpenExample(example));
        window.run_steps(6);
        assert_layout(name, &window);
    }
}
