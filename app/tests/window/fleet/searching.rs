//! From a list of applications to the cluster that serves the chosen ones.

use crossover_page::command::Command;
use crossover_placement::Placement;
use crossover_placement::whole::decide;
use egui::Modifiers;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::super::{Window, send, settle, window};
use super::{applications, click, look_into_the_first, open, organisation, type_filter};

/// Clicks an application of the list, with these keys held.
fn click_row(window: &mut Window, name: &str, modifiers: Modifiers) {
    let label = format!("application {name}");
    window.get_all_by_role_and_label(Role::Row, &label).next().expect("a row").click_modifiers(modifiers);
    settle(window);
}

/// The document that was opened last.
fn opened(window: &Window) -> (&str, &Placement) {
    let scenario = &window.state().documents().last().expect("a document").scenario;
    (&scenario.name, scenario.placement().expect("a placement study"))
}

/// How many applications the document that was opened last is of, as its name says.
fn count(window: &Window) -> usize {
    opened(window).0.split(' ').next().and_then(|count| count.parse().ok()).expect("a count")
}

#[test]
fn the_chosen_applications_are_searched_together() {
    let folder = organisation(40);
    let mut window = window();
    open(&mut window, folder.path());
    window.get_by_label("Find a cluster for all 40");
    let names = applications(&window);
    click_row(&mut window, &names[0], Modifiers::NONE);
    window.get_by_label("Find a cluster for it");
    click_row(&mut window, &names[3], Modifiers::COMMAND);
    window.get_by_label("Find a cluster for the 2 selected");
    click_row(&mut window, &names[5], Modifiers::SHIFT);
    // The first, and the fourth to the sixth.
    click(&mut window, "Find a cluster for the 4 selected");
    window.get_by_label("Recommended candidate");
    assert_eq!(count(&window), 4);
    let (_, study) = opened(&window);
    let verdict = decide(study).expect("a plan").verdict.expect("engines");
    let today = study.engines.as_deref().and_then(|engines| engines.measured_seconds).expect("a measured time");
    assert!((verdict.cpu.value / today - 1.0).abs() < 1e-9, "{} of {today}", verdict.cpu.value);
    assert!(verdict.usd.is_some());
    // Ready to be searched: what is free, what must hold, what is best, and an answer.
    assert!(window.query_by_label("engines.gpu.machines from").is_some());
    window.get_by_label("Apply recommendation");
    let limit = window.get_by_role_and_label(Role::TextInput, "constraint 1").accesskit_node().value();
    assert!(limit.is_some_and(|limit| !limit.is_empty()));
}

#[test]
fn what_the_filter_shows_is_searched_where_nothing_is_chosen() {
    let folder = organisation(40);
    let mut window = window();
    open(&mut window, folder.path());
    type_filter(&mut window, "load-*");
    let shown = applications(&window).len();
    assert!((2..40).contains(&shown));
    window.get_by_label(&format!("Find a cluster for the {shown} shown"));
    let name = applications(&window)[0].clone();
    click_row(&mut window, &name, Modifiers::NONE);
    // What is not shown any more is not chosen any more.
    type_filter(&mut window, "no such name");
    assert!(window.get_by_label("Find a cluster for the 0 shown").accesskit_node().is_disabled());
    type_filter(&mut window, "load-*");
    click(&mut window, &format!("Find a cluster for the {shown} shown"));
    assert!((1..=shown).contains(&count(&window)), "those without a prediction are not in it");
}

#[test]
fn an_application_that_is_looked_into_is_searched_alone() {
    let folder = organisation(12);
    let mut window = window();
    open(&mut window, folder.path());
    let name = look_into_the_first(&mut window);
    click(&mut window, "Find a cluster for it");
    assert_eq!(count(&window), 1);
    send(&mut window, Command::ShowTool(crossover_fleet_page::TOOL));
    window.get_by_label(&format!("Queries of {name}"));
}
