//! Tools → Compare: open scenarios of one kind side by side.

use crossover::workbench::Start;
use crossover_page::command::Command;
use crossover_placement_page as placement;
use crossover_regulation_page as regulation;
use crossover_scenario::views::{CompareView, OtherScenario};
use crossover_tool_pages::compare;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::layout::{assert_layout, shown};
use super::pictures::{MAIN, drawn};
use super::{Window, can_draw, send, settle, window};

#[test]
fn scenarios_of_one_kind_are_side_by_side_once_a_second_one_is_chosen() {
    let mut window = window();
    send(&mut window, Command::OpenExample(regulation::examples::PUBLISHED));
    send(&mut window, Command::OpenExample(placement::examples::MODERN));
    send(&mut window, Command::ShowTool(compare::TOOL));
    settle(&mut window);
    window.get_by_label("What differs, and which scenario is better?");
    window.get_by_label_contains("Choose a second scenario");
    assert!(window.query_by_label_contains("numbers differ").is_none(), "nothing is compared unasked");
    choose_second(&mut window);
    window.get_by_label_contains("numbers differ. Compared with “");
    assert!(window.query_all_by_label_contains("● ").count() > 1, "the best of a row is marked by a sign");
    // In the list on the left and in the table; the path is in the tooltip only.
    assert_eq!(window.query_all_by_label("machines (cluster)").count(), 2);
    assert!(window.query_by_label("cluster.machines").is_none());
    window.get_by_label("crossover compare FILE FILE");
    window.get_by_label("Scenarios of one kind can be compared, up to four of them.");
    // Every figure along the first number that differs, which is the one that they begin with.
    window.get_by_label("Number of the curves");
    window.get_by_label_contains("crossover compare FILE FILE --x 'cluster.machines=");
    assert!(window.query_all_by_label_contains("Which scenario has the better time as placed along").count() > 0);

    // Without the second one there is nothing to compare.
    window.get_by_label("remove the second scenario").click_accesskit();
    settle(&mut window);
    window.get_by_label_contains("Choose a second scenario");

    // No other scenario of the kind of this baseline is open.
    window.get_by_role_and_label(Role::ComboBox, "baseline").click_accesskit();
    window.run_steps(2);
    let named = window.query_all_by_label("Published regulation").last();
    named.expect("an entry of the list").click_accesskit();
    settle(&mut window);
    window.get_by_label_contains(
        "“Published regulation” is a regulation scenario, and no other one of this kind is open",
    );
}

#[test]
fn a_scenario_that_became_one_of_another_kind_is_named_as_such() {
    let folder = tempfile::tempdir().expect("a folder");
    let [baseline, other] = ["baseline.ron", "other.ron"].map(|name| folder.path().join(name));
    std::fs::write(&other, regulation::examples::PUBLISHED.text).expect("written");
    let mut scenario = crossover_scenario::read(placement::examples::SMALL.text).expect("a scenario");
    let with = vec![OtherScenario::File(other.display().to_string())];
    scenario.views.compare = Some(CompareView { x: None, with });
    std::fs::write(&baseline, scenario.to_ron()).expect("written");

    let mut window = window();
    send(&mut window, Command::OpenPath(other));
    send(&mut window, Command::OpenPath(baseline));
    send(&mut window, Command::ShowTool(compare::TOOL));
    window.get_by_label("“other” is a regulation scenario and cannot be compared with a placement scenario.");
    assert!(window.query_by_label_contains("is not open").is_none());
    window.get_by_label("Remove other").click_accesskit();
    settle(&mut window);
    assert!(window.query_by_label_contains("cannot be compared").is_none());
    assert_eq!(window.state().documents()[2].scenario.views.compare, None);
}

#[test]
fn one_number_is_not_in_the_plural() {
    let mut window = window();
    let published = Command::OpenExample(placement::examples::PUBLISHED);
    send(&mut window, published);
    window.state_mut().edit_active(|scenario| {
        scenario.study.placement_mut().expect("a placement study").cluster.machines += 1.0;
    });
    send(&mut window, Command::ShowTool(compare::TOOL));
    choose_second(&mut window);
    window.get_by_label_contains("1 number differs. Compared with “");
    assert!(window.query_by_label_contains("1 numbers").is_none(), "neither here nor in the status bar");
}

#[test]
fn without_a_scenario_the_page_says_what_to_do() {
    let mut window = window();
    send(&mut window, Command::ShowTool(compare::TOOL));
    window.get_by_label_contains("no other one of this kind is open. Open one");
    send(&mut window, Command::CloseTabAt(0));
    window.get_by_label("Open two scenarios of one kind.");
    window.get_by_label_contains("Compare lists the numbers and figures that differ");
    window.get_by_label("Open…");
    window.get_by_label("What do you want to decide?");
}

/// Compares with the only other scenario of the kind.
fn choose_second(window: &mut Window) {
    window.get_by_label_contains("Compare with ").click_accesskit();
    settle(window);
}

fn compare_two(window: &mut Window) {
    send(window, Command::OpenExample(placement::examples::MODERN));
    send(window, Command::ShowTool(compare::TOOL));
    settle(window);
    choose_second(window);
}

#[test]
fn the_comparison_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut window = drawn(&MAIN, Start::default());
    compare_two(&mut window);
    window.snapshot("compare-light");
}

#[test]
fn the_whole_comparison_is_laid_out_as_agreed() {
    let mut window = shown([1280.0, 2600.0], Start::default());
    compare_two(&mut window);
    assert_layout("compare-tall", &window);
}
