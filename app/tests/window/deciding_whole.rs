//! The answer about the whole application of a query.

use std::path::{Path, PathBuf};

use crossover_page::command::Command;
use crossover_placement_page::request::Request;
use crossover_plan::decide::decision;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::deciding::{
    ANSWER, OF_APPLICATION, TODAYS_PRICE, is_there, log, press, with_answer, with_machines, with_machines_of,
};
use super::{Window, enter_number, send, study, type_path};

/// What the command line decides about a log.
fn of_command_line(log: &Path) -> String {
    crossover_fleet_page::cli::decide::answer_of(log).expect("an answer")
}

#[test]
fn the_headline_is_the_decision_of_the_command_line_about_the_application() {
    let mut window = with_answer();
    let printed = of_command_line(&log());
    let sentence = printed.lines().nth(1).expect("a sentence").to_owned();
    window.get_by_label(OF_APPLICATION);
    assert!(window.query_all_by_label(&sentence).count() > 0, "{sentence}");
    window.get_by_label_contains(" queries, 56.71 s from start to end");
    window.get_by_label_contains("19.38 s of the application’s 56.71 s are outside of queries with a prediction");
    // The strip has the same option, and the figures of the application.
    window.get_by_label("the application: to Gluten (Velox) on Spark 3.5.3, same machines");
    window.get_by_label_contains("56.71 s → ");
    // The query is below, with the same next step.
    let of_query = decision(study(&window)).expect("a decision").sentence();
    assert_ne!(of_query, sentence);
    let top = |label: &str| {
        // The strip describes itself by the sentence, without a place of its own.
        let nodes = window.query_all_by_label(label).filter(|node| node.accesskit_node().bounding_box().is_some());
        nodes.map(|node| node.rect().top()).max_by(f32::total_cmp).expect("on the page")
    };
    assert!(top(&sentence) < top(ANSWER) && top(ANSWER) < top(&of_query));
    assert_eq!(window.query_all_by_label_contains("Next step").count(), 1);
    // One table of options for each.
    let tables =
        |window: &Window| window.query_all_by_label("stay: Spark 4.3.0, 1 × host with 4 executor cores").count();
    assert_eq!(tables(&window), 1);
    press(&mut window, "Options for the application");
    assert_eq!(tables(&window), 2);
}

#[test]
fn the_headline_has_the_prices_the_runs_and_the_goal_that_were_entered() {
    const OTHERS: &str = "Machines and clusters that were entered for this query";
    let mut window = with_answer();
    enter_number(&mut window, "Runs per month", "720");
    // 56.71 s at 2.5 dollars an hour are 3.9 cents.
    press(&mut window, "2 Where");
    enter_number(&mut window, TODAYS_PRICE, "2.5");
    press(&mut window, "3 Answer");
    window.get_by_label_contains("$0.039 → ");
    window.get_by_label("expected saving per month");
    assert!(window.query_all_by_label_contains("a month at 720 runs").count() >= 2);
    assert!(window.query_by_label_contains(OTHERS).is_none());
    press(&mut window, "2 Where");
    press(&mut window, "Add a GPU cluster");
    enter_number(&mut window, "decision.candidates.cluster.machines", "3");
    press(&mut window, "3 Answer");
    window.get_by_label_contains(OTHERS);
}

#[test]
fn the_whole_application_has_the_runs_and_the_price_of_its_query() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = with_machines();
    enter_number(&mut window, "Runs per month", "720");
    enter_number(&mut window, TODAYS_PRICE, "2.5");
    send(&mut window, Command::ask(Request::Another));
    press(&mut window, "Whole application");
    // Results have no folder of their own in a test.
    type_path(&mut window, folder.path());
    window.get_by_label("1 application");
    let number = |field: &str| {
        let node = window.get_by_role_and_label(Role::SpinButton, field);
        node.accesskit_node().numeric_value()
    };
    assert_eq!((number("Runs per month"), number("Price today")), (Some(720.0), Some(2.5)));
    // The page opens at the application: its decision with costs, options and next step.
    for label in [" a month at 720 runs", "stay: Spark 4.3.0", "Next step: run it on "] {
        assert!(window.query_all_by_label_contains(label).count() > 0, "{label}");
    }
    assert!(window.query_by_label_contains("should not move").is_none());
    press(&mut window, "◀ All applications");
    window.get_by_label_contains("Cost per month: ");
}

#[test]
fn a_plan_of_one_query_has_no_application() {
    let plan = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-profile.json"));
    let mut alone = with_machines_of(&plan);
    press(&mut alone, "Show the answer");
    assert!(is_there(&alone, ANSWER) && !is_there(&alone, OF_APPLICATION));
    assert_eq!(alone.query_all_by_label_contains("the application: ").count(), 0);
}
