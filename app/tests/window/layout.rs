//! The layout of a window as text: everything in view, in the order of a screen reader, with role, name, value, state and
//! place in points. Fonts are egui's own, so the text is the same on every machine and needs no GPU adapter.

use std::collections::BTreeMap;

use crossover::workbench::{Start, Workbench};
use egui::WidgetRect;
use egui::accesskit::{NodeId, Role, Toggled};
use egui_kittest::Harness;
use egui_kittest::kittest::{AccessKitNode, NodeT as _, Queryable as _};

use super::{Window, settle};

/// Clip rectangles and widgets are rounded to the pixel grid on their own; this much outside is not cut off. Points.
const ROUNDING: f32 = 0.5;

/// A chart of this height, in points, can be read.
pub(crate) const LEGIBLE: f32 = 100.0;

type Widgets = BTreeMap<NodeId, WidgetRect>;

/// The window at a size in points, without a renderer.
pub(crate) fn shown(size: [f32; 2], start: Start) -> Window {
    let mut window = Harness::builder()
        .with_size(size)
        .with_os(egui::os::OperatingSystem::Nix)
        .with_max_steps(24)
        .build_eframe(|creation| Workbench::new(creation, start));
    settle(&mut window);
    window.run_steps(6);
    window
}

/// Compares the layout with `snapshots/window__layout__NAME.snap`.
#[track_caller]
pub(crate) fn assert_layout(name: &str, window: &Window) {
    assert_layout_except(&[], name, window);
}

/// Compares the layout; of a part whose text contains one of `varying` only the role, as the text differs between runs.
#[track_caller]
pub(crate) fn assert_layout_except(varying: &[&str], name: &str, window: &Window) {
    window.check_accessibility();
    let layout = layout(window);
    let compared = layout.lines().map(|line| {
        let is_varying = varying.iter().any(|text| line.contains(text));
        let role = line.split_once('"').map(|(role, _)| role.trim_end());
        role.filter(|_| is_varying).unwrap_or(line)
    });
    let text = compared.collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(name, text);
}

/// The height that is seen of the picture of which most is seen, in points.
pub(crate) fn height_of_largest_picture(window: &Window) -> f32 {
    let widgets = widgets(window);
    let pictures = window.query_all_by_role(Role::Image);
    let widgets = pictures.filter_map(|picture| widgets.get(&picture.accesskit_node().locate().0));
    widgets.map(|widget| widget.interact_rect.height()).fold(0.0_f32, f32::max)
}

/// Whether a widget is there whose name begins with this text, and is seen as a whole.
pub(crate) fn is_seen(window: &Window, name: &str) -> bool {
    let widgets = widgets(window);
    let is_named = |text: Option<String>| text.is_some_and(|text| text.starts_with(name));
    let named = window.query_all_by(|node| is_named(node.label().or_else(|| node.value())));
    let mut seen = named.filter_map(|node| widgets.get(&node.accesskit_node().locate().0));
    seen.any(|widget| widget.interact_rect.expand(ROUNDING).contains_rect(widget.rect))
}

fn widgets<State>(window: &Harness<'_, State>) -> Widgets {
    window.ctx.viewport(|viewport| {
        let widgets = viewport.prev_pass.widgets.layers().flat_map(|(_, widgets)| widgets);
        widgets.map(|widget| (widget.id.accesskit_id(), *widget)).collect()
    })
}

fn layout<State>(window: &Harness<'_, State>) -> String {
    let widgets = widgets(window);
    let mut text = String::new();
    for node in window.root().accesskit_node().children() {
        describe(&node, 0, &widgets, &mut text);
    }
    text
}

/// Adds a line for the node, if it is in view, and one for each node inside it.
fn describe(node: &AccessKitNode<'_>, depth: usize, widgets: &Widgets, text: &mut String) {
    let widget = widgets.get(&node.locate().0);
    let is_structure = match node.role() {
        Role::GenericContainer | Role::TextRun => true,
        Role::Unknown => !node.has_label(),
        _ => false,
    };
    let is_in_view = widget.is_none_or(|widget| widget.interact_rect.is_positive());
    let inside = if is_structure || !is_in_view {
        depth
    } else {
        text.push_str(&"  ".repeat(depth));
        text.push_str(&line(node, widget));
        text.push('\n');
        depth + 1
    };
    for child in node.children() {
        describe(&child, inside, widgets, text);
    }
}

/// `Role "name" = "value" drawn as "text", state [left top width×height]`, each where there is one.
fn line(node: &AccessKitNode<'_>, widget: Option<&WidgetRect>) -> String {
    let mut line = format!("{:?}", node.role());
    let (name, value) = (node.label(), node.raw_value());
    if let Some(name) = &name {
        line += &format!(" {name:?}");
    }
    if let Some(value) = value {
        let sign = if name.is_some() { " =" } else { "" };
        line += &format!("{sign} {value:?}");
    } else if let Some(number) = node.numeric_value() {
        line += &format!(" = {}", rounded(number));
    }
    let drawn = drawn(node);
    if !drawn.is_empty() && Some(drawn.as_str()) != value && Some(&drawn) != name.as_ref() {
        line += &format!(" drawn as {drawn:?}");
    }
    if let Some(hint) = node.data().placeholder().filter(|_| value.is_none_or(str::is_empty)) {
        line += &format!(" hint {hint:?}");
    }
    for state in states(node, widget) {
        line += &format!(", {state}");
    }
    if let Some([left, top, right, bottom]) = edges(node, widget) {
        line += &format!(" [{left} {top} {}×{}]", right - left, bottom - top);
    }
    line
}

/// The text row by row. It ends in "…" where the value is longer than its place.
fn drawn(node: &AccessKitNode<'_>) -> String {
    let runs = node.children().filter(|child| child.role() == Role::TextRun);
    runs.filter_map(|run| run.raw_value().map(str::to_owned)).collect()
}

fn states(node: &AccessKitNode<'_>, widget: Option<&WidgetRect>) -> Vec<&'static str> {
    let toggled = node.toggled().map(|toggled| match toggled {
        Toggled::True => "on",
        Toggled::False => "off",
        Toggled::Mixed => "partly on",
    });
    let expanded = node.data().is_expanded().map(|is_expanded| if is_expanded { "expanded" } else { "collapsed" });
    let is_cut_off = widget.is_some_and(|widget| !widget.interact_rect.expand(ROUNDING).contains_rect(widget.rect));
    let flags = [(node.is_disabled(), "disabled"), (node.is_focused(), "focused"), (is_cut_off, "cut off")];
    let flags = flags.into_iter().filter_map(|(is_so, state)| is_so.then_some(state));
    toggled.into_iter().chain(expanded).chain(flags).collect()
}

/// Left, top, right and bottom in whole points. A container has bounds as a widget only.
fn edges(node: &AccessKitNode<'_>, widget: Option<&WidgetRect>) -> Option<[f64; 4]> {
    let of_node = node.raw_bounds().map(|bounds| [bounds.x0, bounds.y0, bounds.x1, bounds.y1]);
    let of_widget = widget.map(|widget| {
        let (min, max) = (widget.rect.min, widget.rect.max);
        [min.x, min.y, max.x, max.y].map(f64::from)
    });
    let known = of_node.into_iter().chain(of_widget).find(|edges| edges.iter().all(|edge| edge.is_finite()));
    // Zero has no sign.
    known.map(|edges| edges.map(|edge| edge.round() + 0.0))
}

/// To six digits: what is behind them may differ between machines.
fn rounded(number: f64) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(number)
}

#[test]
fn text_that_is_shortened_cut_off_or_out_of_view_is_distinguished() {
    const LONG: &str = "a name that is longer than a window of two hundred points";
    let window = Harness::builder().with_size([200.0, 120.0]).build_ui(|ui| {
        ui.add_enabled(false, egui::Button::new("Save"));
        ui.checkbox(&mut true, "log axis");
        ui.add(egui::Label::new(LONG).truncate());
        ui.add(egui::Label::new(LONG).extend());
        ui.add_space(200.0);
        ui.label("below the window");
    });
    let text = layout(&window);
    assert!(text.contains("Button \"Save\", disabled ["), "{text}");
    assert!(text.contains("CheckBox \"log axis\", on ["), "{text}");
    assert!(text.contains(&format!("Label \"{LONG}\" drawn as \"a name ")), "{text}");
    assert!(text.contains(&format!("Label \"{LONG}\", cut off [")), "{text}");
    assert!(!text.contains("below the window"), "{text}");
}
