//! Tools → Uncertainty and sensitivity: how certain figures of any scenario are, and what they depend on.

use crossover::workbench::Start;
use crossover_allocation_page as allocation;
use crossover_page::command::Command;
use crossover_page::tool::ToolPage;
use crossover_quantity::spread::{Distribution, Spread};
use crossover_regulation_page as regulation;
use crossover_tool_pages::uncertainty;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::pictures::{MAIN, drawn};
use super::{can_draw, pick_number, send, settle, window};

#[test]
fn a_scenario_that_says_nothing_is_sampled_around_its_numbers_and_says_so() {
    let mut window = window();
    send(&mut window, Command::ShowTool(uncertainty::TOOL));
    settle(&mut window);
    window.get_by_label_contains("No number of this scenario has a distribution, so each is assumed to be within");
    window.get_by_label("Distribution of speedup");
    assert!(window.query_all_by_label_contains("90 % interval: ").count() > 0);
    window.get_by_label("What does speedup depend on most?");
    assert!(window.query_all_by_label_contains("speedup depends most on").count() > 0);
    window.get_by_label_contains("crossover uncertainty FILE --spread-all 10%");
    window.get_by_role_and_label(Role::Button, "time on CPUs").click_accesskit();
    settle(&mut window);
    window.get_by_label("Distribution of time on CPUs");
}

#[test]
fn a_number_gets_a_spread_that_stands_in_the_scenario_and_can_be_taken_back() {
    let mut window = window();
    send(&mut window, Command::ShowTool(uncertainty::TOOL));
    settle(&mut window);
    let path = "operators.join.cpu_seconds_per_100mb";
    pick_number(&mut window, path);
    let spread =
        |window: &super::Window| window.state().documents()[0].scenario.study.subject().spreads().get(path).cloned();
    assert_eq!(spread(&window), Some(Spread::alone(Distribution::LogNormal { factor: 1.2 })));
    // Now that one number says how far it can be off, the others are known.
    assert!(window.query_by_label_contains("No number of this scenario has a distribution").is_none());
    let depends = "depends most on CPU time per 100 MB (operators · join) ";
    assert!(window.query_all_by_label_contains(depends).count() > 0);
    window.get_by_label("Set as exact").click_accesskit();
    settle(&mut window);
    assert_eq!(spread(&window), None);
    send(&mut window, Command::SelectTab(0));
    send(&mut window, Command::Undo);
    assert!(spread(&window).is_some());
}

#[test]
fn a_regulation_scenario_is_sampled_by_the_same_page() {
    let mut window = window();
    send(&mut window, Command::OpenExample(regulation::examples::PUBLISHED));
    send(&mut window, Command::ShowTool(uncertainty::TOOL));
    settle(&mut window);
    assert!(window.query_all_by_label_contains("Distribution of ").count() > 0);
    window.get_by_label("Figures");
}

#[test]
fn samples_are_counted_with_the_error_so_far() {
    let mut window = window();
    send(&mut window, Command::OpenExample(allocation::examples::TIE));
    send(&mut window, Command::ShowTool(uncertainty::TOOL));
    settle(&mut window);
    assert!(window.query_by_label("Refining").is_none(), "all rounds are done");
    assert!(window.query_all_by_label_contains("samples; each end of the interval ± ").count() > 0);
    assert!(window.query_all_by_label_contains("samples of the sensitivities").count() > 0);
}

#[test]
fn without_a_scenario_the_page_says_what_to_do() {
    let mut window = window();
    send(&mut window, Command::CloseTabAt(0));
    send(&mut window, Command::ShowTool(uncertainty::TOOL));
    window.get_by_label_contains("Open a scenario");
}

#[test]
fn the_page_of_uncertainty_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut window = drawn(&MAIN, Start::default());
    send(&mut window, Command::ShowTool(uncertainty::TOOL));
    settle(&mut window);
    window.snapshot("uncertainty-light");
}

/// The command search finds the chart by the name that other programs have for it.
#[test]
fn sensitivity_is_in_the_menu_and_found_by_its_other_names() {
    let mut window = window();
    window.get_by_label("Tools").click();
    window.run_steps(3);
    window.get_by_label("Uncertainty and sensitivity").click();
    settle(&mut window);
    window.get_by_label("What does speedup depend on most?");
    for word in ["sensitivity", "tornado", "influence"] {
        send(&mut window, Command::SelectTab(0));
        send(&mut window, Command::Palette);
        window.event(egui::Event::Text(word.to_owned()));
        settle(&mut window);
        window.key_press(egui::Key::Enter);
        settle(&mut window);
        let tool = window.state().active_tool().map(ToolPage::tool);
        assert_eq!(tool, Some(uncertainty::TOOL), "{word}");
    }
}
