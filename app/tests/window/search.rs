//! Tools → Search: what keeps limits and is best.

use crossover::workbench::Start;
use crossover_page::command::Command;
use crossover_placement::Placement;
use crossover_placement_page as placement;
use crossover_regulation_page as regulation;
use crossover_tool_pages::{map, search, sweep, uncertainty};
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::deciding::with_answer;
use super::pictures::{MAIN, drawn};
use super::{Window, can_draw, pick_number, send, settle, window};

/// The search page of the example with prices.
fn begun() -> Window {
    let mut window = window();
    send(&mut window, Command::OpenExample(placement::examples::MODERN));
    send(&mut window, Command::ShowTool(search::TOOL));
    settle(&mut window);
    window
}

fn study(window: &Window) -> &Placement {
    let modern = window
        .state()
        .documents()
        .iter()
        .find_map(|document| document.scenario.placement().filter(|study| study.bill.is_some()));
    modern.expect("the example with prices")
}

#[test]
fn the_page_leads_from_what_is_free_to_what_is_best_and_gives_it_to_the_scenario() {
    let mut window = begun();
    window.get_by_label_contains("Choose free parameters on the left");
    window.get_by(|node| {
        node.role() == Role::Button && node.label().is_some_and(|label| label.starts_with("Search over "))
    });
    pick_number(&mut window, "cluster.machines");
    window.get_by_label_contains("the lowest of all candidates; current scenario: cost of a run");
    window.get_by_label_contains("crossover search FILE --free 'cluster.machines=1..256:40:log' --minimise run_usd");

    // A limit that is tighter than what is now.
    window.get_by_label("Add constraint").click_accesskit();
    window.run_steps(2);
    window.get_by_role_and_label(Role::TextInput, "constraint 1").click();
    window.run_steps(2);
    window.event(egui::Event::Text("2 min".to_owned()));
    settle(&mut window);
    window.get_by_label_contains("--constraint 'seconds<=120'");

    let before = study(&window).cluster.machines;
    window.get_by_label("Apply recommendation").click_accesskit();
    settle(&mut window);
    let after = study(&window).cluster.machines;
    assert!(after < before, "{after} of {before}: fewer machines are paid for");
    send(&mut window, Command::SelectTab(1));
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).cluster.machines.to_bits(), before.to_bits(), "one step");
}

/// The cost of a run depends most on the network in use: nearly all operators wait for it.
#[test]
fn a_search_begins_with_the_decisions_that_its_objective_depends_on_most() {
    let mut window = begun();
    window.get_by_label("The first objective depends most on these decision variables:");
    window.get_by_label("effective speed (networks · 400 Gb Ethernet, RoCE)").click_accesskit();
    settle(&mut window);
    window.get_by_label_contains("crossover search FILE --free 'networks.400 Gb Ethernet, RoCE.effective_gbit_per_s=");
    assert!(window.query_by_label("The first objective depends most on these decision variables:").is_none());
}

/// The figures of a query in whole engines depend much on the errors of the engines' times, which are estimates.
#[test]
fn a_search_of_engines_begins_with_a_decision_and_lists_estimates_apart() {
    let mut window = with_answer();
    send(&mut window, Command::ShowTool(search::TOOL));
    let first = window.get_by(|node| {
        node.role() == Role::Button && node.label().is_some_and(|label| label.starts_with("Search over "))
    });
    let first = first.accesskit_node().label().expect("a name");
    // Another machine has another price; more machines have the price of each.
    assert!(first.starts_with("Search over machines (engines · "), "{first}");
    for of_one_machine in ["cores or GPUs each (engines", "vCPUs each (engines", "network per machine (engines"] {
        assert!(window.query_by_role_and_label(Role::Button, &format!("{of_one_machine} · gpu)")).is_none());
    }
    let top = |part: &str| window.query_all_by_label_contains(part).next().map(|node| node.rect().top());
    let places = ["(engines.gpu.machines)", "Estimates and facts", "(engines.gpu.time_ratio)"].map(top);
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    window.get_by_label_contains("Cost figures use the prices of this scenario.");
    assert!(window.query_by_label_contains("Enter prices to add cost").is_none());

    // An estimate can be chosen, and the answer says that nothing else is uncertain.
    pick_number(&mut window, "engines.gpu.time_ratio");
    window.get_by_label_contains("--free 'engines.gpu.time_ratio=");
    window.get_by_label_contains("the only uncertain numbers are free parameters, ");
}

/// The recommended option has other machines than the scenario, which the figures are of.
#[test]
fn tools_name_the_machines_that_their_figures_are_of() {
    let mut window = with_answer();
    let shown = window.state().documents().iter().find_map(|document| {
        let engines = document.scenario.placement()?.engines.as_deref()?;
        Some([engines.cpu.title(), engines.gpu.title()])
    });
    let [cpu, gpu] = shown.expect("engines");
    let line = format!("Figures of {cpu} and of {gpu}.");
    for tool in [search::TOOL, sweep::TOOL, map::TOOL, uncertainty::TOOL] {
        send(&mut window, Command::ShowTool(tool));
        settle(&mut window);
        assert!(window.query_by_label(&line).is_some(), "{}: {line}", tool.title);
    }
}

/// An option of a decision is read without scrolling to the right.
#[test]
fn every_column_of_the_decisions_of_a_search_is_on_the_page() {
    let mut window = with_answer();
    send(&mut window, Command::ShowTool(search::TOOL));
    pick_number(&mut window, "engines.gpu.machines");
    let headings = ["cost today", "verdict"].map(|heading| window.get_by_label(heading).rect());
    assert!(headings.iter().all(|rect| rect.right() <= 1280.0), "{headings:?}");
    let option = window.get_by_label("option").rect();
    assert!(option.right() <= 1280.0 - 110.0, "its column is as wide as the least legible one: {option:?}");
}

#[test]
fn what_is_sure_enough_is_found_and_given_to_the_scenario() {
    let mut window = begun();
    pick_number(&mut window, "cluster.machines");
    window.get_by_label("Add constraint").click_accesskit();
    window.run_steps(2);
    // No likelihood is required until one is entered, and nothing on the page looks like one.
    let required = window.get_by_role_and_label(Role::TextInput, "Likely feasible, at least");
    assert_eq!(required.accesskit_node().value().unwrap_or_default(), "");
    assert_ne!(required.accesskit_node().data().placeholder(), Some("90 %"));
    for (field, text) in
        [("constraint 1", "90 s"), ("Likely feasible, at least", "90 %"), ("Assumed uncertainty, ±", "20 %")]
    {
        window.get_by_role_and_label(Role::TextInput, field).click();
        window.run_steps(2);
        window.event(egui::Event::Text(text.to_owned()));
        settle(&mut window);
    }
    window.get_by_label_contains("The recommended candidate is ");
    window.get_by_label_contains("Best candidate that is at least 90 % likely to be feasible: ");
    window.get_by_label_contains("--likelihood '90 %' --spread-all '20 %'");
    window.get_by_label("Apply likely feasible candidate").click_accesskit();
    settle(&mut window);
    let safe = study(&window).cluster.machines;
    window.get_by_label("Apply recommendation").click_accesskit();
    settle(&mut window);
    let cheapest = study(&window).cluster.machines;
    assert!(cheapest < safe, "{cheapest} and {safe}: what is sure has more machines");

    // What was entered wrongly is said in place of the answer.
    window.get_by_role_and_label(Role::TextInput, "Assumed uncertainty, ±").click();
    window.run_steps(2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.event(egui::Event::Text("300 %".to_owned()));
    settle(&mut window);
    window.get_by_label_contains("other numbers: expected a share above 0 % and at most 99 %, found 300 %");
}

#[test]
fn entries_of_the_catalogue_come_with_their_prices_and_names() {
    let mut window = begun();
    window.get_by_label_contains("gpu: any of ").click_accesskit();
    settle(&mut window);
    window.get_by_label("Apply recommendation").click_accesskit();
    settle(&mut window);
    let chosen = study(&window).clone();
    assert_ne!(chosen.gpu.name, "NVIDIA H200 SXM");
    let bill = chosen.bill.as_deref().expect("prices");
    assert!(bill.items[0].usd_per_hour > 0.0 && bill.items[0].usd_per_hour != 4.75);
    assert_eq!(chosen.sources["bill.items.GPU.usd_per_hour"].kind(), "catalogue");
    assert_eq!(chosen.sources["gpu.gpu_parallelism"].kind(), "catalogue");
}

#[test]
fn prices_are_entered_where_there_are_none() {
    let mut window = window();
    send(&mut window, Command::ShowTool(search::TOOL));
    window.get_by_label("Enter prices").click_accesskit();
    settle(&mut window);
    let study = window.state().documents()[0].scenario.placement().expect("a placement study");
    let bill = study.bill.as_deref().expect("prices");
    assert_eq!(bill.items.iter().map(|item| item.name.as_str()).collect::<Vec<_>>(), ["machines", "GPUs"]);
    assert_eq!(bill.items[1].per, ["cluster.machines", "gpu.gpus_per_machine"]);
    window.get_by_role_and_label(Role::ComboBox, "objective 1");
    window.get_by_label("Remove prices").click_accesskit();
    settle(&mut window);
    assert!(window.state().documents()[0].scenario.placement().expect("a placement study").bill.is_none());
}

#[test]
fn a_regulation_scenario_is_searched_by_the_same_page() {
    let mut window = window();
    send(&mut window, Command::OpenExample(regulation::examples::PUBLISHED));
    send(&mut window, Command::ShowTool(search::TOOL));
    pick_number(&mut window, "controllers.PID.kp");
    window.get_by_label_contains("of all candidates; current scenario: ");
    assert!(window.query_by_label("Hardware choices").is_none(), "nothing of it fits such a study");
}

#[test]
fn without_a_scenario_the_page_says_what_to_do() {
    let mut window = window();
    send(&mut window, Command::CloseTabAt(0));
    send(&mut window, Command::ShowTool(search::TOOL));
    window.get_by_label_contains("Open a scenario");
}

#[test]
fn the_search_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut window = drawn(&MAIN, Start::default());
    send(&mut window, Command::OpenExample(placement::examples::MODERN));
    send(&mut window, Command::ShowTool(search::TOOL));
    pick_number(&mut window, "cluster.machines");
    window.get_by_label_contains("gpu: any of ").click_accesskit();
    window.get_by_label("Add objective").click_accesskit();
    settle(&mut window);
    window.snapshot("search-light");
}

#[test]
fn the_form_asks_for_goals_and_limits_before_free_parameters() {
    let window = begun();
    let top = |heading: &str| window.get_by_label(heading).rect().top();
    let tops = ["Objectives", "Constraints", "Free parameters"].map(top);
    assert!(tops[0] < tops[1] && tops[1] < tops[2], "{tops:?}");
}

/// Each machine has the same work (weak scaling), and more of them exchange more: a run on one is the cheapest, and nothing forbids it.
#[test]
fn one_machine_is_recommended_where_it_is_feasible() {
    let mut window = begun();
    pick_number(&mut window, "cluster.machines");
    window.get_by_role_and_label(Role::CheckBox, "Strong scaling").click_accesskit();
    settle(&mut window);
    window.get_by_label("Apply recommendation").click_accesskit();
    settle(&mut window);
    assert_eq!(study(&window).cluster.machines, 1.0);
}

/// The dearest of all numbers of machines is the largest, so any range ends too early.
#[test]
fn an_optimum_at_the_end_of_a_range_offers_a_wider_one() {
    let mut window = begun();
    pick_number(&mut window, "cluster.machines");
    assert!(window.query_by_label("Widen the range of machines").is_none(), "the cheapest is within it, or at 1");
    window.get_by_label("maximise").click_accesskit();
    settle(&mut window);
    window.get_by_label_contains("machines (cluster): optimum at the bound of its range");
    window.get_by_label("Widen the range of machines").click_accesskit();
    settle(&mut window);
    window.get_by_label_contains("--free 'cluster.machines=1..1024:40:log' --maximise run_usd");
}
