//! The tabs of a window are opened again at the next start.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crossover::workbench::Start;
use crossover_page::command::Command;
use crossover_page::storage::link::{self, Front};
use crossover_page::storage::scenario;
use crossover_page::tool::ToolPage;
use crossover_placement_page::examples;
use crossover_scenario::views::OtherScenario;
use crossover_tool_pages::{compare, map, sweep};
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::kept_views::{has_machines, scenario_of, sweep_machines};
use super::{Window, send, settle, until, window_with};

/// A window that keeps its tabs in this folder.
fn window_with_tabs(folder: &Path) -> Window {
    let start = Start {
        recovery_folder: Some(folder.join("unsaved")),
        tabs_file: Some(folder.join("tabs.ron")),
        ..Start::default()
    };
    window_with(start)
}

fn restart(mut window: Window, folder: &Path) -> Window {
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);
    let mut window = window_with_tabs(folder);
    settle(&mut window);
    window
}

/// Two files of the small cluster.
fn two_files(folder: &Path) -> [PathBuf; 2] {
    ["first.ron", "second.ron"].map(|name| {
        let file = folder.join(name);
        std::fs::write(&file, examples::SMALL.text).expect("written");
        file
    })
}

/// A window with this file in its only tab.
fn window_with_file(folder: &Path, file: PathBuf) -> Window {
    let mut window = window_with_tabs(folder);
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::OpenPath(file));
    window
}

#[test]
fn a_closed_file_can_be_reopened_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = two_files(folder.path());
    let mut window = window_with_file(folder.path(), first);
    send(&mut window, Command::OpenPath(second.clone()));
    send(&mut window, Command::CloseTab);
    let mut window = restart(window, folder.path());
    assert_eq!(window.state().documents().len(), 1);
    send(&mut window, Command::ReopenClosed);
    settle(&mut window);
    assert_eq!(window.state().active().and_then(|document| document.path.clone()), Some(second));
}

#[test]
fn tabs_are_opened_again_in_their_order_with_tools_about_their_scenarios() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = two_files(folder.path());
    let mut window = window_with_file(folder.path(), second);
    send(&mut window, Command::OpenPath(first));
    send(&mut window, Command::ShowTool(map::TOOL));
    send(&mut window, Command::SelectTab(0));
    sweep_machines(&mut window);
    let titles = window.state().tab_titles();
    assert_eq!(titles, ["second", "first", "Map", "Sweep"]);

    let mut window = restart(window, folder.path());
    assert_eq!(window.state().tab_titles(), titles);
    assert!(window.state().active().is_none() && has_machines(&window), "the tab that was on screen");
    // From the page of a tool, its scenario is saved.
    send(&mut window, Command::Save);
    let saved = |name: &str| scenario::open(&folder.path().join(name)).expect("a scenario").views.sweep.is_some();
    assert!(saved("second.ron") && !saved("first.ron"));
}

/// What a map shows: the same map on the command line, with both ranges, its picture as an assistive technology reads it, and the
/// present values.
fn map_on_screen(window: &Window) -> [String; 3] {
    ["crossover map FILE", "Where does ", "now at "].map(|start| {
        let texts = window.query_all_by_label_contains(start).filter_map(|node| {
            let node = node.accesskit_node();
            node.label().or_else(|| node.value())
        });
        // The heading is a part of the text of the picture.
        let longest = texts.filter(|text| text.starts_with(start)).max_by_key(String::len);
        longest.unwrap_or_else(|| panic!("no “{start}”"))
    })
}

/// A map that the user changed no setting of begins around the present values: those moved since then, and the map stayed.
#[test]
fn a_map_that_was_opened_again_shows_the_same_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, _] = two_files(folder.path());
    let mut window = window_with_file(folder.path(), first);
    send(&mut window, Command::ShowTool(map::TOOL));
    let begun = map_on_screen(&window);
    window.get_by(|node| node.label().is_some_and(|label| label.starts_with("now at "))).focus();
    window.run_steps(2);
    for _ in 0..4 {
        window.key_press(egui::Key::ArrowLeft);
        settle(&mut window);
    }
    send(&mut window, Command::Save);
    let shown = map_on_screen(&window);
    assert_eq!(shown[0], begun[0], "the ranges stay");
    assert_ne!(shown[2], begun[2], "the present values moved");
    // Also where the tab was not looked at in between.
    let mut window = restart(window, folder.path());
    assert_eq!(map_on_screen(&window), shown);
    send(&mut window, Command::SelectTab(0));
    let window = restart(window, folder.path());
    let mut window = restart(window, folder.path());
    send(&mut window, Command::SelectTab(1));
    assert_eq!(map_on_screen(&window), shown);
    assert!(scenario_of(&window, 0).views.map.is_none(), "a page that was only opened changes no document");
}

/// The middle of the edge that changes the width of the settings beside a tool, or of the inspector.
fn edge(window: &Window) -> egui::Pos2 {
    let mut edges = window.get_all_by_role_and_label(Role::Splitter, "Resize panel").map(|edge| edge.rect());
    edges.find(|edge| edge.height() > edge.width()).expect("an edge at the side").center()
}

/// Drags that edge to the right.
fn drag_edge(window: &mut Window, by: f32) -> egui::Pos2 {
    let begun = edge(window);
    let dropped = begun + egui::vec2(by, 0.0);
    window.hover_at(begun);
    window.run_steps(2);
    window.drag_at(begun);
    window.run_steps(2);
    window.hover_at(dropped);
    window.run_steps(2);
    window.drop_at(dropped);
    settle(window);
    dropped
}

fn is_at(window: &Window, x: f32) -> bool {
    (edge(window).x - x).abs() < 1.0
}

#[test]
fn the_inspector_of_a_scenario_is_as_wide_as_the_user_made_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = two_files(folder.path());
    let mut window = window_with_file(folder.path(), first);
    let usual = edge(&window).x;
    let dropped = drag_edge(&mut window, 90.0).x;
    assert!(is_at(&window, dropped), "{:?}", edge(&window));
    send(&mut window, Command::OpenPath(second));
    assert!(is_at(&window, usual), "the inspector of another scenario: {:?}", edge(&window));

    // Also where the tab was not looked at in between.
    let window = restart(window, folder.path());
    let mut window = restart(window, folder.path());
    assert!(is_at(&window, usual), "{:?}", edge(&window));
    send(&mut window, Command::SelectTab(0));
    assert!(is_at(&window, dropped), "{:?}", edge(&window));
    send(&mut window, Command::ResetLayout);
    assert!(is_at(&window, usual), "{:?}", edge(&window));
    let window = restart(window, folder.path());
    assert!(is_at(&window, usual), "{:?}", edge(&window));
}

#[test]
fn the_settings_beside_a_tool_are_as_wide_as_the_user_made_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, _] = two_files(folder.path());
    let mut window = window_with_file(folder.path(), first);
    send(&mut window, Command::ShowTool(map::TOOL));
    let of_map = edge(&window);
    send(&mut window, Command::ShowTool(sweep::TOOL));
    let begun = edge(&window);
    let dropped = drag_edge(&mut window, 90.0);
    assert!(is_at(&window, dropped.x), "{:?}", edge(&window));

    // Also where the tab was not looked at in between.
    let tab = |window: &Window, title: &str| {
        let titles = window.state().tab_titles();
        Command::SelectTab(titles.iter().position(|open| open == title).expect("a tab"))
    };
    let mut window = restart(window, folder.path());
    assert!(is_at(&window, dropped.x), "{:?}", edge(&window));
    let map = tab(&window, "Map");
    send(&mut window, map);
    assert!(is_at(&window, of_map.x), "the panel of another tool: {:?}", edge(&window));
    let window = restart(window, folder.path());
    let mut window = restart(window, folder.path());
    let sweep = tab(&window, "Sweep");
    send(&mut window, sweep);
    assert!(is_at(&window, dropped.x), "{:?}", edge(&window));
    send(&mut window, Command::ResetLayout);
    assert!(is_at(&window, begun.x), "{:?}", edge(&window));
    let window = restart(window, folder.path());
    assert!(is_at(&window, begun.x), "{:?}", edge(&window));
}

/// A place for what windows keep, which the tabs are not part of.
struct Nowhere;

impl eframe::Storage for Nowhere {
    fn get_string(&self, _: &str) -> Option<String> {
        None
    }

    fn set_string(&mut self, _: &str, _: String) {}

    fn remove_string(&mut self, _: &str) {}

    fn flush(&mut self) {}
}

#[test]
fn a_window_beside_another_one_leaves_its_tabs_until_it_is_the_last() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = two_files(folder.path());
    let tabs_file = folder.path().join("tabs.ron");
    let start = Start {
        tabs_file: Some(tabs_file.clone()),
        open_files_folder: Some(folder.path().join("open")),
        ..Start::default()
    };
    let kept = || {
        let text = std::fs::read_to_string(&tabs_file).expect("tabs");
        ["first.ron", "second.ron"].map(|name| text.contains(name))
    };
    let open = |file: PathBuf| {
        let mut window = window_with(start.clone());
        send(&mut window, Command::OpenPath(file));
        window
    };
    let mut one = open(first);
    eframe::App::save(one.state_mut(), &mut Nowhere);
    assert_eq!(kept(), [true, false]);

    let mut other = open(second);
    eframe::App::save(other.state_mut(), &mut Nowhere);
    assert_eq!(kept(), [true, false], "the first window is open");
    eframe::App::on_exit(other.state_mut(), None);
    drop(other);
    assert_eq!(kept(), [false, true], "the end of a window, which may be the last");
    eframe::App::save(one.state_mut(), &mut Nowhere);
    assert_eq!(kept(), [true, false], "it is alone again");
}

#[test]
fn a_link_in_a_second_window_leaves_what_the_first_one_keeps() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = two_files(folder.path());
    let (unsaved, tabs_file) = (folder.path().join("unsaved"), folder.path().join("tabs.ron"));
    let start = Start {
        recovery_folder: Some(unsaved.clone()),
        tabs_file: Some(tabs_file.clone()),
        open_files_folder: Some(folder.path().join("open")),
        ..Start::default()
    };
    let snapshots = || -> BTreeMap<PathBuf, Vec<u8>> {
        let files = std::fs::read_dir(&unsaved).expect("listed").map(|entry| entry.expect("a file").path());
        let files = files.filter(|file| file.extension().is_some_and(|extension| extension == "ron"));
        files.map(|file| (file.clone(), std::fs::read(&file).expect("read"))).collect()
    };
    let mut one = window_with(start.clone());
    send(&mut one, Command::OpenPath(first));
    one.state_mut().edit_active(|scenario| scenario.name = "of the first window".into());
    until(&mut one, "a snapshot", |_| snapshots().len() == 1);
    eframe::App::save(one.state_mut(), &mut Nowhere);
    let before = (snapshots(), std::fs::read(&tabs_file).expect("tabs"));

    let link = link::write(&scenario::open(&second).expect("a scenario"), &Front::Page(None)).expect("a link");
    let loaded = vec![scenario::load(Path::new(&link)).expect("a scenario")];
    let mut other = window_with(Start { loaded, ..start.clone() });
    assert!(other.query_by_label("Unsaved work was found").is_none(), "the work of the first window is its own");
    assert!(other.query_by_label("The file is open in another window").is_none(), "a link has no file");
    assert_eq!(other.state().tab_titles().len(), 1);
    until(&mut other, "a snapshot of the link's scenario", |_| snapshots().len() == 2);
    eframe::App::save(other.state_mut(), &mut Nowhere);
    eframe::App::on_exit(other.state_mut(), None);
    drop(other);
    let after = snapshots();
    assert!(before.0.iter().all(|(file, content)| after.get(file) == Some(content)));
    assert_eq!(std::fs::read(&tabs_file).expect("tabs"), before.1);

    // Nothing is lost at the end of both.
    eframe::App::on_exit(one.state_mut(), None);
    drop(one);
    let mut again = window_with(start);
    again.get_by_label("Recover all 2").click();
    settle(&mut again);
    assert!(again.state().documents().iter().any(|document| document.scenario.name == "of the first window"));
}

#[test]
fn a_tool_and_the_sizes_of_panels_return_to_edits_once_they_are_recovered() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window_with_tabs(folder.path());
    window.state_mut().edit_active(|scenario| scenario.name = "half-finished plan".into());
    settle(&mut window);
    let dropped = drag_edge(&mut window, 60.0).x;
    sweep_machines(&mut window);
    let mut window = restart(window, folder.path());
    window.get_by_label("Recover").click();
    settle(&mut window);
    send(&mut window, Command::SelectTab(2));
    assert!(has_machines(&window), "{:?}", window.state().tab_titles());
    let mut documents = window.state().documents().iter();
    let recovered = documents.position(|document| document.scenario.name == "half-finished plan").expect("it is open");
    send(&mut window, Command::SelectTab(recovered));
    assert!(is_at(&window, dropped), "{:?}", edge(&window));
}

#[test]
fn scenarios_without_anything_of_the_user_do_not_return_and_a_start_with_a_file_opens_that() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = two_files(folder.path());
    let mut window = window_with_tabs(folder.path());
    send(&mut window, Command::OpenPath(first));
    let window = restart(window, folder.path());
    assert_eq!(window.state().tab_titles(), ["first"]);
    drop(window);
    let link = link::write(&scenario::open(&second).expect("a scenario"), &Front::Page(None)).expect("a link");
    for path in [second, PathBuf::from(link)] {
        let loaded = vec![scenario::load(&path).expect("a scenario")];
        let tabs_file = Some(folder.path().join("tabs.ron"));
        let mut window = window_with(Start { loaded, tabs_file, ..Start::default() });
        let titles = window.state().tab_titles();
        assert!(titles.len() == 1 && titles[0] != "first", "{titles:?}");
        eframe::App::save(window.state_mut(), &mut Nowhere);
        let window = restart(window, folder.path());
        assert_eq!(window.state().tab_titles(), ["first"], "the tabs of before are still kept");
    }
}

#[test]
fn a_start_with_what_cannot_be_opened_shows_why_beside_the_tabs_of_the_last_window() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, _] = two_files(folder.path());
    let mut window = window_with_tabs(folder.path());
    send(&mut window, Command::OpenPath(first));
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);
    let problem = "cannot open the link: it is incomplete or damaged; copy it again as a whole";
    let tabs_file = Some(folder.path().join("tabs.ron"));
    let mut window = window_with(Start { problems: vec![problem.to_owned()], tabs_file, ..Start::default() });
    settle(&mut window);
    assert!(window.state().messages().any(|message| message == problem));
    assert_eq!(window.state().tab_titles(), ["first"]);
}

#[test]
fn a_scenario_that_is_being_saved_for_the_first_time_when_the_window_ends_is_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window_with_tabs(folder.path());
    send(&mut window, Command::ShowTool(sweep::TOOL));
    send(&mut window, Command::SelectTab(0));
    window.state_mut().send(Command::SaveTo(folder.path().join("first.ron")));
    // One frame begins to save; the outcome would arrive in the next one, which never comes.
    window.run_steps(1);
    assert!(window.state().is_busy() && window.state().documents()[0].path.is_none());
    let window = restart(window, folder.path());
    assert_eq!(window.state().tab_titles(), ["first", "Sweep"]);
}

#[test]
fn a_comparison_has_its_scenarios_after_a_restart_and_names_those_that_are_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let [first, second] = two_files(folder.path());
    let mut window = window_with_tabs(folder.path());
    // One that is in no file, and is kept for its settings.
    sweep_machines(&mut window);
    send(&mut window, Command::OpenPath(second));
    send(&mut window, Command::OpenPath(first));
    send(&mut window, Command::ShowTool(compare::TOOL));
    for title in ["second", "Published setting"] {
        choose_next(&mut window, title);
    }
    let with = |window: &Window| {
        let documents = window.state().documents().iter();
        let first = documents.map(|document| &*document.scenario).find(|scenario| scenario.views.compare.is_some());
        first.and_then(|scenario| scenario.views.compare.clone()).expect("a comparison").with
    };
    let before = with(&window);
    assert!(matches!(&*before, [OtherScenario::File(_), OtherScenario::Unsaved(_)]), "{before:?}");

    let mut window = restart(window, folder.path());
    window.get_by_role_and_label(Role::ComboBox, "third scenario");
    assert_eq!(with(&window), before);

    for title in ["second", "Published setting"] {
        let titles = window.state().tab_titles();
        send(&mut window, Command::CloseTabAt(titles.iter().position(|open| open == title).expect("a tab")));
    }
    send(&mut window, Command::ShowTool(compare::TOOL));
    window.get_by_label("“second.ron” of this comparison is not open.");
    window.get_by_label("A scenario of this comparison was closed without being saved to a file.");
    window.get_by_label("Remove the closed scenario").click_accesskit();
    settle(&mut window);
    assert_eq!(with(&window), before[..1]);
    window.get_by_label("Open second.ron").click_accesskit();
    settle(&mut window);
    let titles = window.state().tab_titles();
    send(&mut window, Command::SelectTab(titles.iter().position(|open| open == "Compare").expect("its tab")));
    window.get_by_label("remove the second scenario");
    assert!(window.query_by_label_contains("of this comparison is not open").is_none());
}

/// Examples without edits and without settings: one is compared, and a sweep is about the other.
#[test]
fn examples_that_tools_are_about_or_compare_return_with_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window_with_tabs(folder.path());
    send(&mut window, Command::OpenExample(examples::SMALL));
    send(&mut window, Command::OpenExample(examples::MODERN));
    send(&mut window, Command::ShowTool(compare::TOOL));
    choose_next(&mut window, "Published setting");
    send(&mut window, Command::SelectTab(1));
    send(&mut window, Command::ShowTool(sweep::TOOL));
    let titles = window.state().tab_titles();
    let ids_of = |window: &Window| -> Vec<String> {
        window.state().documents().iter().map(|document| document.id.clone()).collect()
    };
    let ids = ids_of(&window);
    for _ in 0..2 {
        window = restart(window, folder.path());
        assert_eq!((window.state().tab_titles(), ids_of(&window)), (titles.clone(), ids.clone()));
        assert!(window.state().documents().iter().all(|document| !document.is_dirty()));
        let target = window.state().active_tool().and_then(ToolPage::target).map(str::to_owned);
        assert_eq!(target.as_ref(), Some(&ids[1]), "the sweep is about the second scenario");
    }
    send(&mut window, Command::SelectTab(2));
    send(&mut window, Command::ShowTool(compare::TOOL));
    window.get_by_label("remove the second scenario");
    assert!(window.query_by_label_contains("was closed without being saved").is_none());

    // Nothing needs them any more.
    send(&mut window, Command::CloseOtherTabs);
    let window = restart(window, folder.path());
    assert_eq!(window.state().documents().len(), 1, "{:?}", window.state().tab_titles());
}

/// Adds a scenario to the comparison: with the button for the second one, then in the list for the next one.
fn choose_next(window: &mut Window, title: &str) {
    let button = format!("Compare with {title}");
    if window.query_by_label(&button).is_some() {
        window.get_by_label(&button).click_accesskit();
    } else {
        window.get_by_role_and_label(Role::ComboBox, "third scenario").click_accesskit();
        window.run_steps(2);
        window.query_all_by_label(title).last().expect("an entry of the list").click_accesskit();
    }
    settle(window);
}
