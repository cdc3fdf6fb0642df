//! A fleet in the window: from a folder of results, or of logs, to one operator of one query.

#[expect(dead_code, reason = "an example is a program too")]
#[path = "../../../../fleet/examples/organisation.rs"]
mod fixture;
mod pictures;
mod reading;
mod restarting;
mod searching;

use std::path::{Path, PathBuf};

use crossover_fleet::entered;
use crossover_fleet_page::{Request, TOOL};
use crossover_page::command::Command;
use crossover_placement::EnteredInputs;
use crossover_scenario::glossary::definition;
use egui::accesskit::{Role, Toggled};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use tempfile::TempDir;

use super::enter_number;
use super::report::assert_exports;
use super::{Window, send, settle, type_path, until, window};

/// Results of so many applications.
pub(super) fn organisation(applications: usize) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fixture::write(folder.path(), applications);
    folder
}

/// The same, predicted with engines that are neither kept nor shipped, and the logs that they are of.
pub(super) fn of_unknown_engines(applications: usize) -> (TempDir, PathBuf) {
    const LOGS: &str = "/var/log/spark-history";
    let folder = TempDir::new().expect("a folder");
    fixture::write_of(folder.path(), applications, LOGS, "others");
    (folder, PathBuf::from(LOGS))
}

pub(super) fn open(window: &mut Window, folder: &Path) {
    send(window, Command::ask(Request::OpenFolder(folder.to_owned())));
}

/// The names of the rows in view, from top to bottom.
fn rows(window: &Window) -> Vec<String> {
    let mut rows: Vec<(f32, String)> = window
        .query_all_by_role(Role::Row)
        .map(|row| (row.rect().top(), row.accesskit_node().label().unwrap_or_default()))
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows.into_iter().map(|(_, name)| name).collect()
}

fn applications(window: &Window) -> Vec<String> {
    rows(window).into_iter().filter_map(|row| row.strip_prefix("application ").map(str::to_owned)).collect()
}

fn click(window: &mut Window, label: &str) {
    window.get_by_label(label).click_accesskit();
    settle(window);
}

/// Looks into the first application of the list, and gives its name.
pub(super) fn look_into_the_first(window: &mut Window) -> String {
    let first = applications(window)[0].clone();
    window.get_by_role_and_label(Role::Row, &format!("application {first}")).click_accesskit();
    settle(window);
    click(window, "Open application");
    first
}

/// Sorts by a column.
fn sort(window: &mut Window, title: &str) {
    window.get_by_label(title).click();
    settle(window);
}

fn type_filter(window: &mut Window, text: &str) {
    window.get_by_role_and_label(Role::TextInput, "Filter").click();
    window.run_steps(2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.event(egui::Event::Text(text.to_owned()));
    settle(window);
}

#[test]
fn without_a_fleet_the_page_says_what_to_do_first() {
    let mut window = window();
    send(&mut window, Command::ShowTool(TOOL));
    window.get_by_label_contains("Choose “Read logs…”");
    click(&mut window, "Open fleet…");
    window.get_by_label("Open a fleet by the path of its results");
    let folder = organisation(3);
    type_path(&mut window, folder.path());
    window.get_by_label("3 applications");
    assert_eq!(applications(&window).len(), 3);
}

#[test]
fn charts_of_a_fleet_and_of_an_application_are_exported() {
    let folder = organisation(40);
    let mut window = window();
    open(&mut window, folder.path());
    // The first one of the list saves most.
    let first = applications(&window)[0].clone();
    assert_exports(&mut window, "Where can time be saved?", &format!(",mark,{first},"));
    click(&mut window, "Export");
    for title in ["Where can time be saved?", "Why do applications not move?"] {
        window.get_by_label(&format!("“{title}” as SVG…"));
    }
    window.key_press(egui::Key::Escape);
    settle(&mut window);
    look_into_the_first(&mut window);
    assert_exports(&mut window, "Time today and with other engines", ",,today,part of a bar,today,,");
    // Escape closes the menu, and only then the application.
    click(&mut window, "Export");
    for is_open in [true, false] {
        window.key_press(egui::Key::Escape);
        settle(&mut window);
        assert_eq!(window.query_by_label("◀ All applications").is_some(), is_open);
    }
}

#[test]
fn the_title_of_a_column_shows_its_line_of_the_glossary() {
    let folder = organisation(3);
    let mut window = window();
    open(&mut window, folder.path());
    for (title, term) in [("90 % interval", "90 % interval"), ("likelihood", "likelihood"), ("blocked by", "blocker")] {
        let at = window.get_by_label(title).rect().center();
        window.hover_at(at);
        let line = definition(term).expect(term);
        until(&mut window, title, |window| window.query_all_by_label_contains(line).next().is_some());
    }
}

#[test]
fn runs_an_effort_todays_price_and_the_time_limit_decide_anew_without_losing_the_selection() {
    let folder = organisation(40);
    let mut window = window();
    open(&mut window, folder.path());
    let switch = |window: &mut Window, name: &str| {
        window.get_by_role_and_label(Role::CheckBox, name).click_accesskit();
        settle(window);
    };
    assert!(window.query_by_label("move 0").is_none(), "some are to move");
    let first = applications(&window)[0].clone();
    window.get_by_role_and_label(Role::Row, &format!("application {first}")).click_accesskit();
    settle(&mut window);
    window.get_by_label("Open application");
    switch(&mut window, "Runs per month");
    enter_number(&mut window, "Runs per month", "100");
    window.get_by_label_contains("Cost per month: ");
    // A dollar for each application is paid back soon, and a billion never.
    switch(&mut window, "Effort");
    enter_number(&mut window, "Effort", "1");
    window.get_by_label_contains(" Effort: $1 for each of ");
    // Two hours at 50 cents are another dollar.
    enter_number(&mut window, "Work", "2");
    enter_number(&mut window, "Hourly rate", "0.5");
    window.get_by_label_contains(" Effort: $2 for each of ");
    enter_number(&mut window, "Work", "0");
    assert!(window.query_by_role_and_label(Role::SpinButton, "Hourly rate").is_none());
    enter_number(&mut window, "Effort", "1000000000");
    window.get_by_label("move 0");
    window.get_by_label("Open application");
    switch(&mut window, "Effort");
    assert!(window.query_by_label("move 0").is_none(), "no effort is counted again");
    // Four GPU machines cost more than these whatever the saved time.
    switch(&mut window, "Price today");
    enter_number(&mut window, "Price today", "0.0001");
    window.get_by_label("move 0");
    window.get_by_label("Open application");
    switch(&mut window, "Price today");
    assert!(window.query_by_label("move 0").is_none(), "the price of the results counts again");
    // Nothing ends in a hundredth of today's time.
    switch(&mut window, "Time limit");
    enter_number(&mut window, "Time limit", "0.01");
    window.get_by_label("move 0");
    window.get_by_label("Open application");
}

/// The fixture has eight machines for $18 an hour: $2.25 each.
#[test]
fn todays_price_begins_at_the_price_that_is_used_and_names_its_source() {
    let folder = organisation(12);
    let mut window = window();
    open(&mut window, folder.path());
    window.get_by_label("$2.25, on-demand price");
    window.get_by_role_and_label(Role::CheckBox, "Price today").click_accesskit();
    settle(&mut window);
    let number = window.get_by_role_and_label(Role::SpinButton, "Price today").accesskit_node().numeric_value();
    assert_eq!(number, Some(2.25));
    let at = window.get_by_label("on-demand price").rect().center();
    window.hover_at(at);
    let source = "$2.25 per machine and hour (on-demand: made up).";
    until(&mut window, "the source", |window| window.query_all_by_label_contains(source).next().is_some());
    enter_number(&mut window, "Price today", "3");
    window.get_by_label("entered, instead of $2.25, on-demand price");
}

/// The command keeps them in the folder of results.
#[test]
fn a_fleet_opens_with_the_runs_that_the_command_was_given() {
    let folder = organisation(12);
    let inputs = EnteredInputs { runs_per_month: Some(720.0), ..EnteredInputs::default() };
    entered::keep(inputs, folder.path()).expect("kept");
    let mut window = window();
    open(&mut window, folder.path());
    let is_on = |window: &Window, name: &str| {
        let node = window.get_by_role_and_label(Role::CheckBox, name);
        node.accesskit_node().toggled() == Some(Toggled::True)
    };
    assert!(is_on(&window, "Runs per month") && !is_on(&window, "Price today"));
    window.get_by_label_contains("Cost per month: ");
    // Switched off here, they are not taken over again, and come back as they were.
    for is_monthly in [false, true] {
        window.get_by_role_and_label(Role::CheckBox, "Runs per month").click_accesskit();
        settle(&mut window);
        assert_eq!(is_on(&window, "Runs per month"), is_monthly);
    }
    window.get_by_label_contains("Cost per month: ");
    assert_eq!(entered::of(folder.path()), inputs);
}

#[test]
fn every_column_sorts_both_ways() {
    let folder = organisation(12);
    let mut window = window();
    open(&mut window, folder.path());
    let by_saving = applications(&window);
    sort(&mut window, "application");
    let by_name = applications(&window);
    let mut expected = by_saving.clone();
    expected.sort();
    assert_eq!(by_name, expected);
    sort(&mut window, "application ▲");
    expected.reverse();
    assert_eq!(applications(&window), expected);
    for title in ["user", "queue", "with option", "90 % interval", "verdict", "blocked by"] {
        sort(&mut window, title);
        let once = applications(&window);
        assert_eq!(once.len(), 12, "{title}");
        let arrow = if window.query_by_label(&format!("{title} ▲")).is_some() { "▲" } else { "▼" };
        sort(&mut window, &format!("{title} {arrow}"));
        assert_ne!(applications(&window), once, "{title}");
    }
}

#[test]
fn a_verdict_is_not_cut_in_a_window_of_1280_points() {
    const VERDICT: &str = "cannot be judged";
    let folder = organisation(100);
    let mut window = window();
    open(&mut window, folder.path());
    sort(&mut window, "verdict");
    sort(&mut window, "verdict ▲");
    let font = egui::TextStyle::Body.resolve(&window.ctx.global_style());
    let whole =
        window.ctx.fonts_mut(|fonts| fonts.layout_no_wrap(VERDICT.to_owned(), font, egui::Color32::BLACK)).size().x;
    let widths: Vec<f32> = window.query_all_by_label(VERDICT).map(|cell| cell.rect().width()).collect();
    assert!(!widths.is_empty());
    assert!(widths.iter().all(|width| *width >= whole - 1.0), "{widths:?} of {whole}");
}

#[test]
fn text_verdicts_and_blockers_filter_and_all_are_shown_again() {
    let folder = organisation(40);
    let mut window = window();
    open(&mut window, folder.path());
    type_filter(&mut window, "load-*");
    let shown = applications(&window);
    assert!(!shown.is_empty() && shown.iter().all(|name| name.starts_with("load-")), "{shown:?}");
    window.get_by_label(&format!("{} of 40 applications", shown.len()));
    type_filter(&mut window, "no such name");
    window.get_by_label_contains("No application matches the filter");
    window.get_by_label("The filter shows none of 40 applications.");
    // Of nothing there are no charts.
    assert!(window.query_by_label("Why do applications not move?").is_none());
    click(&mut window, "Show all");
    assert!(window.query_by_label_contains("The filter shows ").is_none());
    assert!(window.query_by_label("Show all").is_none());

    // Hide those to move: others alone are left.
    window.get_by(|node| node.label().is_some_and(|label| label.starts_with("move "))).click_accesskit();
    settle(&mut window);
    let (shown, all) = (applications_counted(&window), 40);
    window.get_by_label_contains(&format!(
        "The filter shows {shown} of {all} applications. None of {shown} applications "
    ));
    window.get_by_label("The blockers are shown beside it.");
    click(&mut window, "Show all");

    let bar = |window: &Window| {
        let bars = window.query_all_by_role(Role::Button);
        let bar =
            bars.filter_map(|bar| bar.accesskit_node().label()).find(|label| label.contains(" of the applications"));
        bar.expect("something blocks")
    };
    let bar = bar(&window);
    let count: usize = bar
        .split(": ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .and_then(|count| count.parse().ok())
        .expect("a count");
    click(&mut window, &bar);
    window.get_by_label(&format!("{count} of 40 applications"));
    click(&mut window, &bar);
    assert!(window.query_by_label("Show all").is_none());
}

/// How many applications the filter shows, as it says itself.
fn applications_counted(window: &Window) -> usize {
    let mut counts = window.query_all_by_role(Role::Label).filter_map(|label| label.accesskit_node().value());
    let count = |label: String| label.strip_suffix(" of 40 applications")?.parse().ok();
    counts.find_map(count).expect("a count")
}

#[test]
fn between_two_applications_those_before_are_counted() {
    let folder = organisation(40);
    let mut window = window();
    open(&mut window, folder.path());
    let chart = window.get_by(|node| {
        node.role() == Role::Image && node.label().is_some_and(|label| label.contains(" 80 % of the saving"))
    });
    let rect = chart.rect();
    for across in [0.37, 0.52, 0.68] {
        window.hover_at(rect.lerp_inside(egui::vec2(across, 0.5)));
        // The words come when the pointer has rested for 0.35 s; a frame of a test takes 0.25 s.
        window.run_steps(8);
        let labels = window.query_all_by_role(Role::Label).filter_map(|label| label.accesskit_node().value());
        let title = "applications, largest saving first ";
        let read: Vec<String> = labels.filter_map(|label| label.strip_prefix(title).map(str::to_owned)).collect();
        assert!(
            matches!(&read[..], [count] if count.parse::<u32>().is_ok_and(|count| count > 0)),
            "{across}: {read:?}"
        );
    }
}

#[test]
fn in_a_window_that_becomes_low_a_chart_keeps_its_room() {
    let folder = organisation(40);
    let mut window = window();
    open(&mut window, folder.path());
    window.set_size(egui::vec2(800.0, 600.0));
    settle(&mut window);
    let chart = window.get_by(|node| {
        node.role() == Role::Image && node.label().is_some_and(|label| label.starts_with("Where can time be saved?"))
    });
    let (chart, list) = (chart.rect(), window.get_by_label("Find a cluster for all 40").rect());
    let seen = chart.bottom().min(list.top()) - chart.top();
    assert!(seen >= 150.0, "{seen} points of {chart:?} above {list:?}");
}

#[test]
fn groups_show_sums_and_open() {
    let folder = organisation(40);
    let mut window = window();
    open(&mut window, folder.path());
    window.get_by_role_and_label(Role::ComboBox, "Group by").click_accesskit();
    settle(&mut window);
    click(&mut window, "by name pattern");
    let groups = rows(&window);
    assert!(groups.iter().all(|row| row.starts_with("group ") && row.ends_with("-#")), "{groups:?}");
    assert!(groups.len() <= 10, "{groups:?}");
    window.get_by_role_and_label(Role::Row, "group load-orders-#").click_accesskit();
    settle(&mut window);
    assert!(applications(&window).iter().all(|name| name.starts_with("load-orders-")));
    assert!(!applications(&window).is_empty());
    window.get_by_role_and_label(Role::Row, "group load-orders-#").click_accesskit();
    settle(&mut window);
    assert!(applications(&window).is_empty());
}

#[test]
fn an_application_leads_to_its_queries_and_a_query_to_its_operators() {
    let folder = organisation(12);
    let mut window = window();
    open(&mut window, folder.path());
    let first = look_into_the_first(&mut window);
    window.get_by_label(&format!("Queries of {first}"));
    window.get_by_label("Time today and with other engines");
    // The decision about it, with its options and the next step.
    for label in ["Cost today", "stay: Spark 3.5.3", "Next step: run it "] {
        assert!(window.query_all_by_label_contains(label).count() > 0, "{label}");
    }
    window.get_by_label("Spark 3.5.3 · 8 machines, 14 cores each");
    window.get_by_role_and_label(Role::Row, "query 0").click_accesskit();
    settle(&mut window);
    window.get_by_label("Operators of query 0");
    window.get_by_role_and_label(Role::Row, "class SortMergeJoinExec");
    window.get_by_label("it runs Python, which has no GPU version");

    // The log is not on this machine: opening the plan says so.
    click(&mut window, "Open its plan");
    assert!(
        window.state().messages().any(|message| message.contains("/var/log/spark-history/application_")),
        "{:?}",
        window.state().messages().collect::<Vec<_>>()
    );
    window.key_press(egui::Key::Escape);
    settle(&mut window);
    window.get_by_label(&format!("Queries of {first}"));
    click(&mut window, "◀ All applications");
    assert_eq!(applications(&window)[0], first);
}

#[test]
fn a_dot_is_its_application() {
    let folder = organisation(30);
    let mut window = window();
    open(&mut window, folder.path());
    let chart = window.get_by(|node| {
        node.role() == Role::Image && node.label().is_some_and(|label| label.starts_with("Where can time be saved?"))
    });
    let rect = chart.rect();
    // Somewhere on the diagonal of savings there is a dot.
    let picked = |window: &Window| window.query_by_label("Open application").is_some();
    let mut steps = 0;
    while !picked(&window) && steps < 400 {
        let (column, line) = (steps % 40, steps / 40);
        let at = rect.left_top() + rect.size() * egui::vec2(0.15 + column as f32 / 50.0, 0.05 + line as f32 / 16.0);
        window.hover_at(at);
        window.drag_at(at);
        window.drop_at(at);
        window.run_steps(2);
        steps += 1;
    }
    assert!(picked(&window), "no dot in {rect:?}");
    click(&mut window, "Open application");
    window.get_by_label("Time today and with other engines");
}

#[test]
fn ten_thousand_applications_lay_out_the_rows_in_view_alone() {
    let folder = organisation(10_000);
    let mut window = window();
    open(&mut window, folder.path());
    window.get_by_label("10,000 applications");
    let most = 40;
    let counted = rows(&window).len();
    assert!((5..=most).contains(&counted), "{counted} rows");
    sort(&mut window, "application");
    assert!(rows(&window).len() <= most);
    assert!(applications(&window)[0].starts_with("catalog-sync-2026-11-01"));
    window.get_by_role_and_label(Role::ComboBox, "Group by").click_accesskit();
    settle(&mut window);
    click(&mut window, "by queue");
    assert_eq!(rows(&window).len(), 3);
    window.get_by_role_and_label(Role::Row, "group batch").click_accesskit();
    settle(&mut window);
    assert!(rows(&window).len() <= most, "an open group has thousands of rows");

    // Panics if the window asks for frame after frame.
    window.run();
    let delay = window.output().viewport_output[&egui::ViewportId::ROOT].repaint_delay;
    assert!(delay > std::time::Duration::from_hours(1), "the next repaint is in {delay:?}");
}

#[test]
fn a_limit_of_gpu_machines_chooses_applications() {
    let folder = organisation(40);
    let mut window = window();
    open(&mut window, folder.path());
    window.get_by_label_contains("Cost per month: $");
    assert!(window.query_by_label_contains("With at most ").is_none());
    click(&mut window, "Limit GPU machines");
    window.get_by_label_contains("With at most 8 GPU machines at a time: move ");
    window.get_by_label("Save report…");
    // The number has the label of the box too.
    window.get_by_role_and_label(Role::CheckBox, "Limit GPU machines").click_accesskit();
    settle(&mut window);
    assert!(window.query_by_label_contains("With at most ").is_none());
}
