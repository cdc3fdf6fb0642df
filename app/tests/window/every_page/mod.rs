//! Every page by keys alone and as a screen reader meets it: all that takes the focus has a name, Tab reaches all of it and is
//! held by nothing, lists and dialogs open and close by keys, and charts say what they show.

mod apart;
mod dialogs;
mod helped;
mod pages;
mod small;

use std::collections::BTreeSet;

use crossover_chart::Chart;
use crossover_page::document::Document;
use crossover_scenario::Kind;
use egui::accesskit::{Action, NodeId, Role, TreeId};
use egui::{Event, Id, Key, LayerId, Memory, Modifiers, Order, Popup, Rect};
use egui_kittest::kittest::{AccessKitNode, NodeT as _, Queryable as _};

use super::{Window, settle};
use pages::Shown;

/// What takes the focus.
struct Stop {
    id: NodeId,
    role: Role,
    name: String,
    /// Whether Enter, Space and assistive technologies press it.
    can_be_pressed: bool,
}

/// What a screen reader calls it: its label, or the hint of an empty field.
fn name(node: &AccessKitNode<'_>) -> String {
    let hint = || node.data().placeholder().map(str::to_owned);
    node.label().or_else(hint).unwrap_or_default().trim().to_owned()
}

/// What no dialog is above.
fn in_front(window: &Window) -> BTreeSet<NodeId> {
    let widgets: Vec<(NodeId, LayerId)> = window.ctx.viewport(|viewport| {
        let widgets = viewport.prev_pass.widgets.layers().flat_map(|(_, widgets)| widgets);
        widgets.map(|widget| (widget.id.accesskit_id(), widget.layer_id)).collect()
    });
    let in_front = |layer: LayerId| window.ctx.memory(|memory| memory.allows_interaction(layer));
    widgets.into_iter().filter(|(_, layer)| in_front(*layer)).map(|(id, _)| id).collect()
}

/// All that takes the focus.
fn stops(window: &Window) -> Vec<Stop> {
    let in_front = in_front(window);
    let nodes = window.query_all_by(|node| node.data().supports_action(Action::Focus));
    let stop = |node: AccessKitNode<'_>| Stop {
        id: node.locate().0,
        role: node.role(),
        name: name(&node),
        can_be_pressed: node.data().supports_action(Action::Click),
    };
    nodes
        .filter_map(|node| {
            let node = node.accesskit_node();
            let is_stop = !node.is_disabled() && !node.is_hidden() && in_front.contains(&node.locate().0);
            is_stop.then(|| stop(node))
        })
        .collect()
}

/// Everything on the page that takes the focus or input has a role and a name, and what says that it is pressed can be.
fn assert_named(page: &str, window: &Window) {
    assert_eq!(window.unnamed_widgets(), Vec::<String>::new(), "{page}: without a name");
    let stops = stops(window);
    assert!(!stops.is_empty(), "{page}: nothing takes the focus");
    for Stop { id, role, name, can_be_pressed } in stops {
        let place = || window.get_by(move |node| node.locate().0 == id).rect();
        assert!(!name.is_empty(), "{page}: {role:?} at {:?} takes the focus and has no name", place());
        assert!(
            !matches!(role, Role::Unknown | Role::GenericContainer | Role::Label),
            "{page}: {name} at {:?} takes the focus and has no role that says so",
            place()
        );
        let is_pressed = matches!(
            role,
            Role::Button
                | Role::CheckBox
                | Role::ColumnHeader
                | Role::ComboBox
                | Role::DisclosureTriangle
                | Role::Link
                | Role::RadioButton
                | Role::RowHeader
                | Role::Tab
        );
        assert!(can_be_pressed || !is_pressed, "{page}: {role:?} {name} cannot be pressed by a key");
    }
}

/// Charts that their page draws in parts: title, and what the text of each part has.
const IN_PARTS: [(&str, &str); 1] = [("When is the network fastest?", ": mean of the dated runs ")];

/// The charts of the page on screen.
fn charts(window: &Window) -> Vec<Chart> {
    let workbench = window.state();
    match (workbench.active(), workbench.active_tool()) {
        (Some(document), _) => document.view.charts(),
        (None, Some(page)) => page.charts(),
        (None, None) => Vec::new(),
    }
}

/// Every picture has a text, and that of a chart has its title and its answer.
fn assert_charts(page: &str, window: &Window) {
    let pictures: Vec<String> =
        window.query_all_by_role(Role::Image).map(|picture| name(&picture.accesskit_node())).collect();
    assert!(pictures.iter().all(|text| text.contains(' ')), "{page}: a picture without a text: {pictures:?}");
    for chart in charts(window) {
        let (title, answer) = match &chart {
            // Without a curve there is the answer alone.
            Chart::Lines(chart) if chart.series.is_empty() => continue,
            Chart::Lines(chart) => (&chart.title, &chart.answer),
            Chart::Map(chart) => (&chart.title, &chart.answer),
            // Each bar and each box has a text of its own; a timeline and a map of cells are drawn otherwise.
            Chart::Bars(_) | Chart::Plan(_) | Chart::Gantt(_) | Chart::Grid(_) => continue,
        };
        if let Some((_, part)) = IN_PARTS.iter().find(|(of, _)| of == title) {
            assert!(window.query_all_by_label_contains(part).next().is_some(), "{page}: no {part} of {title}");
            assert!(window.query_all_by_label(answer).next().is_some(), "{page}: {title} without {answer}");
            continue;
        }
        // Some are only exported from this page.
        if window.query_all_by_label(title).next().is_some() {
            let has_both = |text: &String| text.starts_with(title.as_str()) && text.contains(answer.as_str());
            let heading = window.query_all_by_label(title).next().map(|node| node.rect());
            assert!(pictures.iter().any(has_both), "{page}: {title} {answer} at {heading:?}, beside {pictures:?}");
        }
    }
}

/// Presses Tab, with or without Shift; gives what has the focus then.
fn tab(window: &mut Window, modifiers: Modifiers) -> Option<Id> {
    window.event(Event::Key { key: Key::Tab, physical_key: None, pressed: true, repeat: false, modifiers });
    // Backwards the focus moves in the next frame, and a table draws a row that comes into sight in another one.
    window.run_steps(if modifiers.shift { 3 } else { 2 });
    window.ctx.memory(Memory::focused)
}

/// The first of all that takes the focus.
const TOP: &str = "File";

/// What Tab has reached.
#[derive(Default)]
struct Lap {
    stops: Vec<NodeId>,
    /// Tables with a row among them: from one row the arrow keys lead to the others.
    tables: BTreeSet<String>,
}

/// The table of a row: the first word of its name.
fn table(row: &str) -> String {
    row.split(' ').next().unwrap_or_default().to_owned()
}

/// What Tab reaches, once around, from where nothing has the focus. Every press goes on to something else.
fn lap(page: &str, window: &mut Window, modifiers: Modifiers) -> Lap {
    const MOST: usize = 4_000;
    if let Some(focused) = window.ctx.memory(Memory::focused) {
        window.ctx.memory_mut(|memory| memory.surrender_focus(focused));
    }
    window.run_steps(2);
    let mut reached = Lap::default();
    while reached.stops.len() < MOST {
        let focused = tab(window, modifiers).map(|id| id.accesskit_id());
        let Some(focused) = focused.filter(|focused| reached.stops.first() != Some(focused)) else { return reached };
        if let Some(place) = reached.stops.iter().position(|earlier| *earlier == focused) {
            let named = |id: NodeId| stops(window).into_iter().find(|stop| stop.id == id).map(|stop| stop.name);
            let last = reached.stops.last().copied().and_then(named);
            // From the top it goes on at the end, where a table that has scrolled meanwhile shows other rows than at first.
            if last.as_deref() == Some(TOP) {
                return reached;
            }
            panic!("{page}: from {last:?}, {modifiers:?} Tab goes back to {:?}, stop {place}", named(focused));
        }
        reached.stops.push(focused);
        // Found by its key, as each press would search everything on screen otherwise.
        let tree = window.root().accesskit_node().tree_state;
        let row = tree.node_by_tree_local_id(focused, TreeId::ROOT).filter(|node| node.role() == Role::RowHeader);
        reached.tables.extend(row.map(|row| table(&name(&row))));
    }
    panic!("{page}: Tab goes through more than {MOST} stops");
}

/// The names of what takes the focus and was not reached.
fn missed(window: &Window, reached: &Lap) -> Vec<String> {
    let is_reached = |stop: &Stop| {
        let is_row = || stop.role == Role::RowHeader && reached.tables.contains(&table(&stop.name));
        reached.stops.contains(&stop.id) || is_row()
    };
    let missed = stops(window).into_iter().filter(|stop| !is_reached(stop));
    missed.map(|stop| format!("{:?} {}", stop.role, stop.name)).collect()
}

/// Tab and Shift+Tab reach everything that takes the focus, and edit nothing.
fn assert_reached(page: &str, window: &mut Window) {
    let is_edited = |window: &Window| window.state().active().is_some_and(Document::can_undo);
    let was_edited = is_edited(window);
    for modifiers in [Modifiers::NONE, Modifiers::SHIFT] {
        let mut reached = lap(page, window, modifiers);
        // The focus may open something before it, as an operator of a plan opens its details.
        if !missed(window, &reached).is_empty() {
            reached = lap(page, window, modifiers);
        }
        assert_eq!(missed(window, &reached), Vec::<String>::new(), "{page}: not reached by {modifiers:?} Tab");
    }
    settle(window);
    assert_eq!(is_edited(window), was_edited, "{page}: Tab edits the study");
}

/// The layer of everything on screen, and the part of it that is not scrolled out of sight.
fn layers(window: &Window) -> Vec<(LayerId, Rect)> {
    window.ctx.viewport(|viewport| {
        let widgets = viewport.prev_pass.widgets.layers().flat_map(|(_, widgets)| widgets);
        widgets.map(|widget| (widget.layer_id, widget.interact_rect)).collect()
    })
}

/// Enter opens each list of choices above everything else, also above its dialog, and Esc closes it.
fn assert_lists(page: &str, window: &mut Window) {
    let lists = stops(window).into_iter().filter(|stop| stop.role == Role::ComboBox);
    for Stop { id, name, .. } in lists.collect::<Vec<_>>() {
        window.get_by(move |node| node.locate().0 == id).focus();
        window.run_steps(2);
        let before: Vec<LayerId> = layers(window).into_iter().map(|(layer, _)| layer).collect();
        window.key_press(Key::Enter);
        window.run_steps(2);
        assert!(Popup::is_any_open(&window.ctx), "{page}: Enter does not open {name}");
        // Its size is known, and it is in its place.
        window.run_steps(2);
        let is_of_list = |(layer, rect): &(LayerId, Rect)| {
            layer.order == Order::Foreground && !before.contains(layer) && rect.is_positive()
        };
        let list: Vec<(LayerId, Rect)> = layers(window).into_iter().filter(is_of_list).collect();
        assert!(!list.is_empty(), "{page}: {name} shows no list");
        for (layer, rect) in list {
            let on_top = window.ctx.layer_id_at(rect.center());
            assert_eq!(on_top, Some(layer), "{page}: the list of {name} is covered at {rect:?}");
        }
        window.key_press(Key::Escape);
        window.run_steps(2);
        assert!(!Popup::is_any_open(&window.ctx), "{page}: Esc does not close {name}");
    }
}

fn is_folded(node: &AccessKitNode<'_>) -> bool {
    node.role() == Role::DisclosureTriangle && node.data().is_expanded() == Some(false) && !node.is_disabled()
}

/// Opens all folded sections, those in others too.
fn unfold(window: &mut Window) {
    const DEPTH: usize = 4;
    for _ in 0..DEPTH {
        let mut count = 0;
        for folded in window.query_all_by(is_folded) {
            folded.click_accesskit();
            count += 1;
        }
        if count == 0 {
            return;
        }
        settle(window);
    }
}

fn check_page(Shown { name, window, .. }: &mut Shown, goes_round: bool) {
    assert_named(name, window);
    if goes_round {
        assert_reached(name, window);
    }
    assert_lists(name, window);
    unfold(window);
    assert_named(name, window);
    assert_charts(name, window);
}

fn check(pages: impl IntoIterator<Item = Shown>) {
    let mut count = 0;
    for mut shown in pages {
        check_page(&mut shown, true);
        count += 1;
    }
    assert!(count > 0, "no page was checked");
}

/// Examples of a kind have the same page, and Tab goes round it in the first one.
fn check_examples(kind: Kind) {
    let mut count = 0;
    for mut shown in pages::examples_of(kind) {
        check_page(&mut shown, count == 0);
        count += 1;
    }
    assert!(count > 0, "{kind:?} has no example");
}

#[test]
fn examples_of_placement_are_used_by_keys_and_read_aloud() {
    check_examples(Kind::Placement);
}

#[test]
fn examples_of_regulation_are_used_by_keys_and_read_aloud() {
    check_examples(Kind::Regulation);
    check(pages::sections());
}

#[test]
fn examples_of_allocation_are_used_by_keys_and_read_aloud() {
    check_examples(Kind::Allocation);
}

#[test]
fn examples_of_probes_are_used_by_keys_and_read_aloud() {
    check_examples(Kind::Probe);
}

#[test]
fn examples_of_preemption_are_used_by_keys_and_read_aloud() {
    check_examples(Kind::Preemption);
}

/// A new kind of study has a test above.
#[test]
fn every_kind_has_its_examples_checked() {
    let checked = [Kind::Placement, Kind::Regulation, Kind::Allocation, Kind::Probe, Kind::Preemption];
    assert!(Kind::ALL.iter().all(|kind| checked.contains(kind)));
}

#[test]
fn every_field_of_a_new_study_is_reached_with_all_sections_open() {
    for mut shown in pages::new_studies() {
        let (name, window) = (&shown.name, &mut shown.window);
        unfold(window);
        assert_named(name, window);
        let reached = lap(name, window, Modifiers::NONE);
        assert_eq!(missed(window, &reached), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn tools_are_used_by_keys_and_read_aloud() {
    check(pages::tools());
}

#[test]
fn tools_with_results_are_used_by_keys_and_read_aloud() {
    check(pages::tools_with_results());
}

#[test]
fn fleets_are_used_by_keys_and_read_aloud() {
    check(pages::fleets());
}

#[test]
fn the_steps_to_an_answer_are_used_by_keys_and_read_aloud() {
    check(pages::steps());
}

#[cfg(target_os = "linux")]
#[test]
fn measurements_are_used_by_keys_and_read_aloud() {
    check(pages::measurements());
}
