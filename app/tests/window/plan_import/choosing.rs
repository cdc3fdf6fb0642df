//! The question which query is opened, and on whose hardware.

use crossover_page::command::Command;
use crossover_placement_page::examples;
use crossover_placement_page::request::Request;
use crossover_plan::{Cluster, Import};
use egui::Key;
use egui_kittest::kittest::Queryable as _;

use super::super::{send, study};
use super::*;

const ROWS: [&str; 4] = [
    "query 0: q01 pricing summary",
    "query 1: q21 suppliers who kept orders waiting",
    "query 2: q19 brands",
    "query 3: create or replace view revenue",
];

/// The rows on screen from top to bottom, by their place in the file.
fn order(window: &Window) -> Vec<usize> {
    let mut rows: Vec<(f32, usize)> = ROWS
        .iter()
        .enumerate()
        .filter_map(|(index, row)| Some((window.query_by_label(row)?.rect().top(), index)))
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows.into_iter().map(|(_, index)| index).collect()
}

#[test]
fn the_question_says_what_the_file_holds() {
    let warnings = ["the log ends early", "a stage was retried", "line 3 is no JSON"].map(str::to_owned).to_vec();
    let mut window = window_of(Import { warnings, ..import() });
    ask(&mut window);
    for text in [
        "app-7  ·  Spark 3.5.1  ·  “nightly report”  ·  4 queries",
        "Machines according to the file: 4 machines, 16 cores each",
        "Warning: the log ends early",
        "failed",
        "no plan",
    ] {
        assert!(window.query_by_label(text).is_some(), "{text}");
    }
    let folded = "Warning: a stage was retried";
    assert!(window.query_by_label(folded).is_none());
    press(&mut window, "2 more warnings");
    window.run_steps(20);
    assert!(window.query_by_label(folded).is_some());
}

#[test]
fn the_longest_query_is_on_top_and_a_click_on_a_column_sorts() {
    let mut window = window_of(import());
    ask(&mut window);
    assert_eq!(order(&window), [1, 2, 0, 3]);
    press(&mut window, "id");
    assert_eq!(order(&window), [0, 1, 2, 3]);
    press(&mut window, "id ▲");
    assert_eq!(order(&window), [3, 2, 1, 0]);
    press(&mut window, "operators");
    assert_eq!(order(&window), [1, 2, 0, 3]);
    press(&mut window, "description");
    assert_eq!(order(&window), [3, 0, 2, 1]);
}

#[test]
fn typing_filters_and_arrows_choose() {
    let mut window = window_of(import());
    ask(&mut window);
    window.event(egui::Event::Text("Q".into()));
    settle(&mut window);
    assert_eq!(order(&window), [1, 2, 0]);
    assert!(window.query_by_label("3 of 4 queries").is_some());
    key(&mut window, Key::ArrowDown);
    key(&mut window, Key::ArrowDown);
    key(&mut window, Key::ArrowDown);
    key(&mut window, Key::ArrowUp);
    key(&mut window, Key::Enter);
    assert_eq!(name(&window), "nightly report · query 2");
    assert!(window.state().active().expect("open").scenario.notes.contains("The query failed: Job aborted"));
}

#[test]
fn a_click_chooses_and_a_second_one_opens() {
    let mut window = window_of(import());
    ask(&mut window);
    press(&mut window, ROWS[0]);
    assert!(is_asked(&window));
    press(&mut window, "Open as new scenario");
    assert_eq!(name(&window), "nightly report · query 0");
}

#[test]
fn a_query_without_a_plan_cannot_be_opened_and_says_so() {
    let mut window = window_of(import());
    ask(&mut window);
    press(&mut window, ROWS[3]);
    assert!(window.query_by_label("The file has no plan for this query; it cannot be opened").is_some());
    key(&mut window, Key::Enter);
    assert!(is_asked(&window));
    assert_eq!(window.state().documents().len(), 1);
}

#[test]
fn nothing_is_opened_where_the_filter_finds_nothing() {
    let mut window = window_of(import());
    ask(&mut window);
    window.event(egui::Event::Text("no such query".into()));
    settle(&mut window);
    assert!(window.query_by_label("No id or description matches the filter").is_some());
    key(&mut window, Key::ArrowDown);
    key(&mut window, Key::Enter);
    assert!(is_asked(&window));
    key(&mut window, Key::Escape);
    assert!(!is_asked(&window));
    assert_eq!(window.state().documents().len(), 1);
}

#[test]
fn the_hardware_is_that_of_the_template_or_of_the_study_on_screen() {
    let choices = [
        (None, examples::MEASURED[0].1),
        (Some("hardware model"), examples::SMALL),
        (Some("“64 machines"), examples::MODERN),
    ];
    for (choice, gpu) in choices {
        let mut window = window_of(Import { cluster: Cluster::default(), ..import() });
        send(&mut window, Command::OpenExample(examples::MODERN));
        ask(&mut window);
        if let Some(choice) = choice {
            press(&mut window, "planned for");
            window.get_by_label_contains(choice).click();
            settle(&mut window);
        }
        press(&mut window, "Open as new scenario");
        let expected = crossover_scenario::read(gpu.text).expect("a valid example");
        let expected = expected.placement().expect("a placement study");
        assert_eq!(study(&window).cluster, expected.cluster);
        assert_eq!(study(&window).gpu, expected.gpu);
    }
}

#[test]
fn a_regulation_study_on_screen_gives_no_hardware() {
    let mut window = window_of(Import { cluster: Cluster::default(), ..import() });
    send(&mut window, Command::OpenExample(crossover_regulation_page::examples::PUBLISHED));
    ask(&mut window);
    key(&mut window, Key::Enter);
    assert_eq!(study(&window).cluster.machines, 8.0, "the template has eight machines");
}

#[test]
fn what_the_file_says_about_machines_takes_the_place_of_the_hardware() {
    let mut window = window_of(import());
    ask(&mut window);
    key(&mut window, Key::Enter);
    assert_eq!((study(&window).cluster.machines, study(&window).node.cpu_parallelism), (4.0, 16.0));
}

#[test]
fn another_query_of_the_same_file_opens_without_reading_it_again() {
    let reads = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let counter = Arc::clone(&reads);
    let mut window = window_with(start(move |_, _| {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(import())
    }));
    ask(&mut window);
    key(&mut window, Key::Enter);
    send(&mut window, Command::ask(Request::Another));
    assert!(is_asked(&window));
    press(&mut window, ROWS[0]);
    press(&mut window, "Open as new scenario");
    assert_eq!(window.state().documents().len(), 3);
    assert_eq!(reads.load(Ordering::Relaxed), 1);
    // At the end of the window the question names no edits, nor do its buttons: what is discarded is all of a scenario.
    window.input_mut().viewports.entry(egui::ViewportId::ROOT).or_default().events.push(egui::ViewportEvent::Close);
    settle(&mut window);
    assert!(window.query_by_label_contains(" is not in a file yet. 1 more scenario is not saved.").is_some());
    window.get_by_label("Discard scenario");
    window.get_by_label("Discard all");
    press(&mut window, "Cancel");
    // What is kept goes with the last tab that was made of it.
    for _ in 0..2 {
        send(&mut window, Command::CloseTab);
        press(&mut window, "Discard scenario");
    }
    send(&mut window, Command::ask(Request::Another));
    assert!(!is_asked(&window));
    assert!(messages(&window).contains("import it again"), "{}", messages(&window));
}

#[test]
fn a_query_that_makes_no_valid_study_is_refused_whole() {
    let mut broken = query(1, "a loop", Some(1.0), 3);
    broken.plan.nodes[1].inputs = vec![0];
    let mut window = window_of(Import { queries: vec![broken, query(2, "fine", None, 3)], ..import() });
    ask(&mut window);
    key(&mut window, Key::Enter);
    assert!(messages(&window).contains("app-7, query 1: query.plan"), "{}", messages(&window));
    assert_eq!(window.state().documents().len(), 1);
}

#[test]
fn of_ten_thousand_queries_only_those_in_view_are_drawn() {
    let queries = (0..10_000).map(|id| query(id, &format!("report {id} of the night"), Some(id as f64), 2)).collect();
    let mut window = window_of(Import { queries, ..import() });
    ask(&mut window);
    assert!(window.query_by_label("query 9999: report 9999 of the night").is_some());
    let drawn = window.query_all_by_label_contains("of the night").count();
    // Each row in view has its own name and that of its description.
    assert!((10..100).contains(&drawn), "{drawn} rows are drawn");
    for _ in 0..5 {
        key(&mut window, Key::PageDown);
    }
    // Five pages of twelve rows.
    assert!(window.query_by_label("query 9939: report 9939 of the night").is_some(), "the selection is in view");
    window.event(egui::Event::Text("report 77 of".into()));
    settle(&mut window);
    key(&mut window, Key::Enter);
    assert_eq!(name(&window), "nightly report · query 77");
}
