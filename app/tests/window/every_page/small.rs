//! Every page at 800 × 600: the charts of a page are there one at a time, one of them is legible, and no text is cut off at a side.

use crossover_chart::Chart;
use crossover_page::command::Command;
use crossover_scenario::Kind;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::super::layout::{LEGIBLE, height_of_largest_picture, is_seen};
use super::super::{Window, settle};
use super::charts;
use super::pages::{self, Shown};

const SIZE: [f32; 2] = [800.0, 600.0];
/// Widgets and what clips them are rounded to pixels on their own, in points.
const ROUNDING: f32 = 1.0;

/// Title and answer of each chart of the page on screen.
pub(super) fn texts(window: &Window) -> Vec<[String; 2]> {
    let mut texts: Vec<[String; 2]> = charts(window).into_iter().filter_map(text).collect();
    texts.sort();
    texts
}

fn text(chart: Chart) -> Option<[String; 2]> {
    match chart {
        Chart::Lines(chart) => Some([chart.title, chart.answer]),
        Chart::Bars(chart) => Some([chart.title, chart.answer]),
        Chart::Map(chart) => Some([chart.title, chart.answer]),
        Chart::Plan(_) | Chart::Gantt(_) | Chart::Grid(_) => None,
    }
}

fn assert_one_chart(page: &str, window: &Window) {
    let mut titles: Vec<String> = texts(window).into_iter().map(|[title, _]| title).collect();
    titles.dedup();
    let drawn: Vec<&String> =
        titles.iter().filter(|title| window.query_all_by_label(title.as_str()).next().is_some()).collect();
    assert!(drawn.len() <= 1, "{page}: {drawn:?} at once");
}

/// A page that shows pictures shows enough of one without scrolling.
fn assert_legible(page: &str, window: &Window) {
    let most = height_of_largest_picture(window);
    assert!(most >= LEGIBLE, "{page}: the largest picture shows {most} points of its height");
}

/// A title or an answer beyond the left or the right side of the window cannot be read; further down a page is scrolled.
fn assert_not_cut_off(page: &str, window: &Window) {
    for text in texts(window).iter().flatten().filter(|text| !text.is_empty()) {
        // A text beside a chart, for screen readers alone, is drawn nowhere.
        let is_drawn = |node: &egui_kittest::Node<'_>| node.accesskit_node().bounding_box().is_some();
        for label in window.query_all_by_label(text.as_str()).filter(is_drawn) {
            let range = label.rect().x_range();
            let is_inside = range.min >= -ROUNDING && range.max <= SIZE[0] + ROUNDING;
            assert!(is_inside, "{page}: “{text}” reaches over {range:?}");
        }
    }
}

fn small(shown: &mut Shown) {
    shown.window.set_size(SIZE.into());
    settle(&mut shown.window);
    shown.window.run_steps(4);
}

/// Checks a page; returns how many charts it has.
fn check_page(shown: &mut Shown, has_chart: bool) -> usize {
    small(shown);
    let (name, window) = (&shown.name, &shown.window);
    assert_one_chart(name, window);
    if has_chart {
        assert_legible(name, window);
    }
    assert_not_cut_off(name, window);
    texts(window).len()
}

/// Checks pages; returns how many charts they have.
fn check(pages: impl IntoIterator<Item = Shown>, has_chart: bool) -> usize {
    pages.into_iter().map(|mut shown| check_page(&mut shown, has_chart)).sum()
}

/// The bars of a chart with these names, each a text, are seen without scrolling.
fn assert_bars(shown: &Shown, names: &[&str]) {
    for name in names {
        assert!(is_seen(&shown.window, &format!("{name}: ")), "{}: the bar “{name}” is not seen", shown.name);
    }
}

/// At 150 % a window of 800 × 600 has the room of 533 × 400 points.
#[test]
fn the_answer_of_each_study_is_seen_at_800_by_600_however_large_it_is_drawn() {
    for (example, answer) in [
        (crossover_placement_page::examples::PUBLISHED, "100 Gb InfiniBand: GPU faster for filter from "),
        (crossover_regulation_page::examples::PUBLISHED, "I: transfer-bound without control, balanced with PID"),
        (crossover_allocation_page::examples::SHARED, "BestFit allocates most, "),
        (crossover_probe_page::examples::CENTRES, "south has the highest score on 4 units: "),
        (crossover_preemption_page::examples::RODINIA, "Cost-aware preemption: throughput (STP) "),
        (crossover_preemption_page::examples::PUBLISHED, "Cost-aware preemption: throughput (STP) "),
    ] {
        let mut window = super::super::layout::shown(SIZE, crossover::workbench::Start::default());
        super::super::send(&mut window, Command::OpenExample(example));
        for zoom in [1.1, 1.2, 1.3, 1.4, 1.5] {
            window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Plus);
            settle(&mut window);
            window.run_steps(4);
            assert!((window.ctx.zoom_factor() - zoom).abs() < 1e-3, "{zoom}");
            assert!(is_seen(&window, answer), "{}: no answer at {zoom}", example.label);
        }
    }
}

#[test]
fn studies_have_one_legible_chart_at_800_by_600() {
    for kind in Kind::ALL {
        // Scores of centres are bars, each a picture of its own.
        check(pages::examples_of(kind).take(2), kind != Kind::Probe);
    }
}

#[test]
fn sections_and_steps_have_one_chart_at_800_by_600() {
    check(pages::sections(), false);
    let (answers, others): (Vec<Shown>, Vec<Shown>) =
        pages::steps().into_iter().partition(|shown| shown.name.starts_with("3 Answer"));
    assert_eq!(answers.len(), 2, "about a query, and about its application");
    check(answers, true);
    check(others, false);
}

#[test]
fn tools_and_fleets_have_one_chart_at_800_by_600() {
    assert!(check(pages::tools(), false) > 0, "tools have charts");
    let mut charts = 0;
    for mut shown in pages::tools_with_results() {
        let has_picture = shown.name == "trained predictor";
        charts += check_page(&mut shown, has_picture);
        if shown.name == "replay of recorded jobs" {
            assert_bars(&shown, &["Recorded", "One queue (Slurm)"]);
        }
    }
    assert!(charts > 0, "results have charts");
    for mut shown in pages::fleets() {
        // The charts of an application and of a query are bars.
        let is_whole = shown.name == "fleet";
        check_page(&mut shown, is_whole);
        if !is_whole {
            assert_bars(&shown, &["today"]);
        }
    }
}

/// The other charts are behind tabs, each a button.
#[test]
fn the_charts_of_a_study_are_reached_by_tabs() {
    for (example, tabs) in [
        (crossover_placement_page::examples::PUBLISHED, vec![("Time", "Where does the time go?")]),
        (
            crossover_allocation_page::examples::SHARED,
            vec![("Fragments", "How many GPUs are in fragments?"), ("Timeline", "Timeline")],
        ),
        (
            crossover_probe_page::examples::CENTRES,
            vec![("Scaling", "How far does work scale?"), ("Probe and work", "What does the probe do?")],
        ),
        (
            crossover_regulation_page::examples::PUBLISHED,
            vec![("Actions", "What did the controller do?"), ("Controllers", "Which controller is best here?")],
        ),
    ] {
        let mut window = super::super::layout::shown(SIZE, crossover::workbench::Start::default());
        super::super::send(&mut window, Command::OpenExample(example));
        for (tab, title) in tabs {
            window.get_by_role_and_label(Role::Button, tab).click_accesskit();
            settle(&mut window);
            assert!(window.query_all_by_label(title).next().is_some(), "{}: {tab} shows {title}", example.label);
        }
    }
}
