//! Links to a view: copied in one window, pasted into another one.

use std::path::Path;

use crossover::workbench::Start;
use crossover_page::command::Command;
use crossover_page::storage::link::{self, Front};
use crossover_page::storage::scenario;
use crossover_placement_page::examples;
use crossover_query::Kind;
use crossover_regulation_page as regulation;
use crossover_scenario::Scenario;
use crossover_scenario::views::{CameraView, PageView, SortedView, SweepView, ViewRange, Views, ZoomView};
use crossover_tool_pages::{map, sweep};
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{Window, send, settle, view, window, window_with};

/// What a command puts on the clipboard.
fn copied(window: &mut Window, command: Command) -> String {
    window.state_mut().send(command);
    let copied = crossover_needs::wait_for("a copied text", || {
        window.step();
        window.output().platform_output.commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    });
    settle(window);
    copied
}

/// Opens the question for a link, and pastes this into it.
fn paste(window: &mut Window, text: &str) {
    send(window, Command::OpenLink);
    window.get_by_role_and_label(Role::TextInput, "Open link").focus();
    window.run_steps(2);
    window.event(egui::Event::Paste(text.to_owned()));
    window.run_steps(2);
}

/// A sweep along the number of machines.
fn sweep_machines(window: &mut Window) {
    let x = ViewRange { path: "cluster.machines".into(), from: 2.0, to: 500.0, points: 51, log: true };
    let views = Views { sweep: Some(SweepView { x, parts: false, hidden: Vec::new() }), ..Views::default() };
    let document = window.state().active().expect("a document").id.clone();
    send(window, Command::SetViews { document, views: Box::new(views) });
    send(window, Command::ShowTool(sweep::TOOL));
}

fn scenario_of(window: &Window, document: usize) -> &Scenario {
    &window.state().documents()[document].scenario
}

#[test]
fn a_link_that_is_pasted_into_another_window_opens_the_scenario_and_its_tool() {
    let mut one = window();
    one.state_mut().edit_active(|scenario| scenario.name = "to share".into());
    settle(&mut one);
    sweep_machines(&mut one);
    let text = copied(&mut one, Command::CopyLink);
    assert!(text.starts_with("crossover://view/1/"), "{text}");
    assert!(one.state().messages().any(|message| message == "Copied a link to Sweep of “to share”"));

    let mut other = window();
    paste(&mut other, &format!("{text}\n"));
    other.key_press(egui::Key::Enter);
    settle(&mut other);
    assert_eq!(other.state().documents().len(), 2);
    assert_eq!(scenario_of(&other, 1), scenario_of(&one, 0));
    let document = &other.state().documents()[1];
    assert!(document.path.is_none() && document.is_dirty(), "in no file yet");
    assert_eq!(other.state().tab_titles(), ["Published setting", "to share", "Sweep"]);
    assert!(other.state().active().is_none(), "the tool is in front");
    assert!(other.query_by_label("How does speedup change with machines?").is_some());
    assert!(other.query_by_role_and_label(Role::TextInput, "Open link").is_none(), "the question is closed");
}

/// A map that the user changed no setting of begins around the present values: those moved since then, and the map stayed.
#[test]
fn a_link_to_a_map_has_its_ranges_also_where_the_user_changed_none() {
    let command = |window: &Window| {
        let texts = window.query_all_by_label_contains("crossover map FILE").filter_map(|node| {
            let node = node.accesskit_node();
            node.label().or_else(|| node.value())
        });
        texts.max_by_key(String::len).expect("a command")
    };
    let mut one = window();
    send(&mut one, Command::CloseTab);
    send(&mut one, Command::OpenExample(examples::SMALL));
    send(&mut one, Command::ShowTool(map::TOOL));
    let begun = command(&one);
    one.get_by(|node| node.label().is_some_and(|label| label.starts_with("now at "))).focus();
    one.run_steps(2);
    for _ in 0..4 {
        one.key_press(egui::Key::ArrowLeft);
        settle(&mut one);
    }
    assert_eq!(command(&one), begun);
    assert!(scenario_of(&one, 0).views.map.is_none());
    let text = copied(&mut one, Command::CopyLink);
    let mut other = window();
    paste(&mut other, &text);
    other.key_press(egui::Key::Enter);
    settle(&mut other);
    assert_eq!(command(&other), begun);
    assert_eq!(scenario_of(&other, 1).study, scenario_of(&one, 0).study);
}

#[test]
fn a_link_opens_the_content_of_a_page_that_was_on_screen() {
    let mut one = window();
    send(&mut one, Command::OpenExample(regulation::examples::PUBLISHED));
    send(&mut one, Command::ask(regulation::Request::Show(regulation::Section::Gains)));
    let gains = copied(&mut one, Command::CopyLink);
    send(&mut one, Command::ask(regulation::Request::Show(regulation::Section::Live)));
    let live = copied(&mut one, Command::CopyLink);
    let section = |link: &str| {
        let mut other = window();
        paste(&mut other, link);
        other.get_by_role_and_label(Role::Button, "Open").click();
        settle(&mut other);
        other.state().active().and_then(|document| document.view.page::<regulation::View>()).expect("its page").section
    };
    assert_eq!(section(&gains), regulation::Section::Gains);
    assert_eq!(section(&live), regulation::Section::Time, "the GPUs of one machine are not those of another one");
}

#[test]
fn a_link_has_what_is_selected_sorted_and_enlarged_on_the_page_of_a_plan() {
    let mut scenario = crossover_scenario::read(examples::SPARK.text).expect("a scenario");
    let query = scenario.placement().and_then(|study| study.query.as_deref()).expect("a query");
    let join = query.plan.nodes.iter().position(|node| node.kind == Kind::Join);
    let page = PageView {
        selected: Some(join.expect("a join")),
        sorted: Some(SortedView { column: "CPU time".into(), descending: true }),
        camera: Some(CameraView { scale: 1.25, x: 100.0, y: 80.0 }),
        ..PageView::default()
    };
    scenario.views.page = Some(page.clone());
    let front = Front::Page(Some("Plan".to_owned()));
    let link = link::write(&scenario, &front).expect("a link");
    let loaded = vec![scenario::load(Path::new(&link)).expect("loaded")];
    let mut one = window_with(Start { loaded, ..Start::default() });
    assert_eq!(view(&one).plan.selected, join);
    assert!((view(&one).plan.view.camera.scale() - 1.25).abs() < 1e-6);
    assert!(scenario_of(&one, 0).views.page.is_none(), "it is no part of the scenario");
    let again = link::open(&copied(&mut one, Command::CopyLink)).expect("a link");
    assert_eq!((again.scenario.views.page, again.front), (Some(page), front.clone()));

    // Names and numbers of another plan have no effect.
    let sorted = Some(SortedView { column: "no such column".into(), descending: true });
    let camera = Some(CameraView { scale: 1e30, x: -1e30, y: 1e30 });
    let zoomed = vec![ZoomView { chart: "x".repeat(9_999), x_from: -1e300, x_to: 1e300, y_from: 1.0, y_to: 0.0 }];
    scenario.views.page = Some(PageView { of_query: false, selected: Some(usize::MAX), sorted, camera, zoomed });
    let hostile = link::write(&scenario, &front).expect("a link");
    let loaded = vec![scenario::load(Path::new(&hostile)).expect("loaded")];
    let one = window_with(Start { loaded, ..Start::default() });
    assert_eq!(view(&one).plan.selected, None);
    assert!(view(&one).plan.view.camera.scale() < 10.0);
}

/// The chart of the published operators: speedup over the time of a task.
#[test]
fn a_link_has_the_part_of_a_line_chart_that_was_enlarged() {
    let mut scenario = scenario_of(&window(), 0).clone();
    let part = ZoomView { chart: "(\"class\", 0)".to_owned(), x_from: 0.01, x_to: 0.1, y_from: 0.5, y_to: 1.5 };
    scenario.views.page = Some(PageView { zoomed: vec![part.clone()], ..PageView::default() });
    let link = link::write(&scenario, &Front::Page(None)).expect("a link");
    let loaded = vec![scenario::load(Path::new(&link)).expect("loaded")];
    let mut one = window_with(Start { loaded, ..Start::default() });
    settle(&mut one);
    let again = link::open(&copied(&mut one, Command::CopyLink)).expect("a link");
    let found = again.scenario.views.page.expect("what is on screen").zoomed;
    assert_is_near(&found, &part);
}

/// There is one part of a chart, which is about this one.
fn assert_is_near(found: &[ZoomView], part: &ZoomView) {
    let [found] = found else { panic!("{found:?}") };
    let ends = |of: &ZoomView| [of.x_from, of.x_to, of.y_from, of.y_to];
    let is_near = |(found, part): (f64, f64)| (found / part - 1.0).abs() < 1e-6;
    assert!(found.chart == part.chart && ends(found).into_iter().zip(ends(part)).all(is_near), "{found:?}");
}

/// A sweep along the machines of the published setting: `crossover sweep` has speedups from 17.6 down to 2.2.
#[test]
fn a_link_to_a_tool_has_the_part_of_its_chart_that_was_enlarged() {
    let mut scenario = scenario_of(&window(), 0).clone();
    let chart = "(\"sweep\", \"speedup\")".to_owned();
    let part = ZoomView { chart, x_from: 20.0, x_to: 200.0, y_from: 4.0, y_to: 12.0 };
    let x = ViewRange { path: "cluster.machines".into(), from: 2.0, to: 500.0, points: 51, log: true };
    scenario.views.sweep = Some(SweepView { x, parts: false, hidden: Vec::new() });
    scenario.views.tool_zoomed = vec![part.clone()];
    let link = link::write(&scenario, &Front::Tool("Sweep".to_owned())).expect("a link");
    let loaded = vec![scenario::load(Path::new(&link)).expect("loaded")];
    let mut one = window_with(Start { loaded, ..Start::default() });
    settle(&mut one);
    assert!(scenario_of(&one, 0).views.tool_zoomed.is_empty(), "a file has none");
    let found = link::open(&copied(&mut one, Command::CopyLink)).expect("a link").scenario.views.tool_zoomed;
    assert_is_near(&found, &part);
}

#[test]
fn what_is_wrong_with_a_link_is_shown() {
    let mut window = window();
    paste(&mut window, "https://example.org");
    window.get_by_label("cannot open the link: it does not begin with crossover://view/");
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    window.get_by_role_and_label(Role::TextInput, "Open link");
    window.get_by_role_and_label(Role::Button, "Cancel").click();
    settle(&mut window);

    // A whole one in form, of which the end is missing.
    let link = link::write(scenario_of(&window, 0), &Front::Page(None)).expect("a link");
    paste(&mut window, &link[..link.len() - 40]);
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    assert_eq!(window.state().documents().len(), 1);
    assert!(window.state().messages().any(|message| message.contains("incomplete or damaged")));
}

#[test]
fn a_link_of_the_command_line_opens_only_tools_about_its_scenario() {
    let scenario = crossover_scenario::read(examples::SMALL.text).expect("a scenario");
    for (tool, titles) in [("Sweep", &["Sweep"][..]), ("Calibrate", &[]), ("no such tool", &[])] {
        let link = link::write(&scenario, &Front::Tool(tool.to_owned())).expect("a link");
        let loaded = vec![scenario::load(Path::new(&link)).expect("loaded")];
        let window = window_with(Start { loaded, ..Start::default() });
        assert_eq!(window.state().tab_titles()[1..], *titles, "{tool}");
        assert_eq!(scenario_of(&window, 0), &scenario);
        let is_said = window.state().messages().any(|message| message.contains(tool));
        assert_eq!(is_said, titles.is_empty(), "{tool}");
    }
}
