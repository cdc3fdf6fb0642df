//! The answer of the page, its charts over time, the cursor through time, and what is exported.

use std::time::Duration;

use crossover::workbench::Start;
use crossover_chart::Chart;
use crossover_page::command::{Command, Picture};
use crossover_page::compute::computed::Evaluations;
use crossover_regulation::{Cluster, Regulation, Shape};
use crossover_regulation_page::{self as regulation, examples};
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::{change, study, window};
use crate::layout::{assert_layout, shown};
use crate::pictures::{MAIN, STATE, drawn};
use crate::{Window, can_draw, send, settle, type_path};

fn press(window: &mut Window, label: &str) {
    window.get_by_label(label).click_accesskit();
    settle(window);
}

fn assert_shown(window: &Window, labels: &[&str]) {
    for label in labels {
        assert!(window.query_all_by_label(label).next().is_some(), "{label} is not on screen");
    }
}

/// The charts of the page that have a band with this name, after that of a controller if they compare them.
fn bands(window: &Window, name: &str) -> usize {
    let charts = window.state().active().expect("a document is open").view.charts();
    let has_band = |chart: &Chart| matches!(chart, Chart::Lines(chart) if chart.bands.iter().any(|band| band.name.ends_with(name)));
    charts.iter().filter(|chart| has_band(chart)).count()
}

#[test]
fn curves_over_time_have_bands_where_the_measurement_has_noise() {
    const BAND: &str = "90 % interval, 39 seeds";
    let mut window = crate::window();
    send(&mut window, Command::OpenExample(examples::NOISY));
    settle(&mut window);
    // Of two clusters balance, vGPUs and frequency; throughput, power, and the controllers.
    assert!(bands(&window, BAND) >= 2 * 3 + 3, "{}", bands(&window, BAND));
    assert_shown(&window, &[BAND]);
    // Of the four controllers, that of the study has a band, and the others have lines.
    let charts = window.state().active().expect("a document is open").view.charts();
    let compared = charts.iter().find_map(|chart| match chart {
        Chart::Lines(chart) if chart.bands.iter().any(|band| band.name == format!("PI: {BAND}")) => Some(chart),
        _ => None,
    });
    let compared = compared.expect("the controllers");
    let has_lines: Vec<bool> = compared.series.iter().map(|series| !series.samples.whiskers.is_empty()).collect();
    assert_eq!((compared.bands.len(), has_lines), (1, vec![true, true, true, false]));
    send(&mut window, Command::OpenExample(examples::RECORDED));
    settle(&mut window);
    assert_eq!(bands(&window, BAND), 0, "a run without noise has no random part");
}

/// How long until the window wants to be drawn again.
fn repaint_delay(window: &Window) -> Duration {
    window.output().viewport_output[&egui::ViewportId::ROOT].repaint_delay
}

#[test]
fn the_strip_shows_the_published_result_and_follows_the_chosen_controller() {
    let mut window = window();
    // The document: 15,000 to 21,500 TOPS with power ∝ vGPUs × frequency; 21,500 / 215 over 15,000 / 200.
    assert_shown(
        &window,
        &["15,000 → 21,500 TOPS", "+43.3 % throughput", "1.333×", "throughput per watt, power ∝ vGPUs × frequency"],
    );
    window.get_by_role_and_label(Role::ComboBox, "controller of the clusters").click();
    settle(&mut window);
    window.get_all_by_role_and_label(Role::Button, "P").last().expect("an entry of the list").click();
    settle(&mut window);
    assert_eq!(study(&window).policy.controller, "P");
    // 55 × 100 + 145 × 110 TOPS, limited by transfer to 5,000 in I: 20,950 for 214.5 instead of 200 units of power.
    assert_shown(&window, &["15,000 → 20,950 TOPS", "+39.7 % throughput", "1.302×", "31 periods"]);
}

#[test]
fn the_record_of_a_period_is_what_the_formulas_give_by_hand() {
    let mut window = window();
    press(&mut window, "Next period");
    // I: X = min(5000, 100 · 100, 5000) = 5000, of the transfer all, of the compute half. u = 1 · 0.5, nothing yet to
    // integrate or differentiate. II: the mirror image, on the end of a row that belongs to the row nearer to zero.
    let first = [
        "period 0 · 0 s",
        "I p_p: 100 %",
        "I p_d: 50 %",
        "I e: 0.5",
        "I P: 0.5",
        "I I: 0",
        "I D: 0",
        "I u: 0.5",
        "I table row: 0.3 … 0.5",
        "I action: −2 vGPUs",
        "I vGPUs: 100",
        "I throughput: 5,000 TOPS",
        "I power: 10 kW",
        "I energy: 2.778 Wh",
        "I backlog: 0 tera-op",
        "II p_p: 50 %",
        "II e: −0.5",
        "II table row: −0.5 … −0.3",
        "II action: +2 vGPUs",
        "II clock: 1 GHz",
        "II precision: int8",
    ];
    assert_shown(&window, &first);
    window.key_press(egui::Key::ArrowRight);
    settle(&mut window);
    // 5000 / 9800 = 0.5102; D = 0.5 · (0.4898 − 0.5).
    assert_shown(&window, &["period 1 · 1 s", "I p_d: 51.02 %", "I e: 0.4898", "I D: −0.005102", "I u: 0.4847"]);
    press(&mut window, "Previous period");
    assert_shown(&window, &["period 0 · 0 s"]);
    press(&mut window, "Unpin");
    assert!(window.query_by_label("I e: 0.5").is_none());
}

#[test]
fn the_table_below_is_the_table_of_the_document() {
    let window = window();
    let cells = [
        "I before, PCIe occupancy, light / full: 50 % / 100 %",
        "I after, PCIe occupancy, light / full: 50 % / 100 %",
        "II before, PCIe occupancy, light / full: 25 % / 50 %",
        "II after, PCIe occupancy, light / full: 27.5 % / 82.5 %",
        "I before, compute load, light / full: 25 % / 50 %",
        "I after, compute load, light / full: 50 % / 100 %",
        "II before, compute load, light / full: 50 % / 100 %",
        "II after, compute load, light / full: 33.33 % / 100 %",
        "II after, frequency: 1.1 GHz",
        "I after, vGPUs: 50",
        "II after, vGPUs: 150",
        "I after, throughput at full load: 5,000 TOPS",
        "II after, throughput at full load: 16,500 TOPS",
        "all clusters before, throughput at full load: 15,000 TOPS",
        "all clusters after, throughput at full load: 21,500 TOPS",
    ];
    assert_shown(&window, &cells);
}

#[test]
fn controllers_are_compared_and_the_best_figures_are_marked() {
    let mut window = window();
    assert_shown(
        &window,
        &[
            "P settling time: 31 periods (31 s), best",
            "P TOPS: 20,950 TOPS",
            "PI TOPS: 21,500 TOPS, best",
            "PID energy per operation: 1 J/tera-op, best",
            "PI and PID deliver the highest throughput, 21,500 TOPS; PI settles first, after 56 periods (56 s).",
            "PID delivers 43.3 % more than no control and 25 % more than load-proportional, the better of the two \
             schedulers (the other: round robin).",
            "no control: 15,000 TOPS   1× per watt · 1.333 J/tera-op",
        ],
    );
    let radio = window.get_by_role_and_label(Role::RadioButton, "PD");
    radio.click_accesskit();
    settle(&mut window);
    assert_eq!(study(&window).policy.controller, "PD");
}

#[test]
fn playing_moves_the_cursor_and_an_idle_window_does_not_repaint() {
    let mut window = window();
    window.run();
    assert!(repaint_delay(&window) > Duration::from_hours(1), "{:?}", repaint_delay(&window));
    press(&mut window, "Next period");
    assert_shown(&window, &["period 0 · 0 s"]);
    window.get_by_label("Play").click_accesskit();
    // A quarter of a second each, by the clock of the harness.
    window.run_steps(4);
    assert!(repaint_delay(&window) < Duration::from_secs(1), "it plays");
    assert!(window.query_by_label("period 0 · 0 s").is_none());
    press(&mut window, "Pause");
    window.run();
    assert!(repaint_delay(&window) > Duration::from_hours(1), "{:?}", repaint_delay(&window));
}

/// How often the runs were simulated, and where.
fn evaluations(window: &Window) -> Evaluations {
    let document = window.state().active().expect("a document is open");
    document.view.page::<regulation::View>().expect("a regulation study is on screen").board().evaluations()
}

/// Sixteen clusters, each with a day of its own, over as many periods as fit.
fn make_long(study: &mut Regulation) {
    let of = |cluster: &Cluster, index: u8| {
        let mut cluster = Cluster { name: format!("cluster {index}"), ..cluster.clone() };
        cluster.demand.shape = Shape::Day;
        cluster.demand.low_tops = 0.2 * cluster.demand.high_tops;
        cluster.demand.start_seconds = 5000.0 * f64::from(index);
        cluster
    };
    study.clusters = (0..16).map(|index| of(&study.clusters[usize::from(index % 2)], index)).collect();
    study.run.periods = 12_500.0;
    study.run.period_seconds = 10.0;
    crossover_study::sources::purge(study);
}

#[test]
fn a_long_run_of_many_clusters_is_simulated_aside_and_the_window_stays_usable() {
    let mut window = window();
    window.state_mut().edit_active(|scenario| {
        if let crossover_scenario::Study::Regulation(study) = &mut scenario.study {
            make_long(study);
        }
    });
    let before = evaluations(&window);
    window.run_steps(2);
    assert!(window.query_by_label_contains("Simulating 7 runs of 12,500 periods in 16 clusters").is_some());
    window.state_mut().send(Command::ExportData);
    window.run_steps(2);
    assert!(window.state().messages().any(|text| text.contains("not simulated yet")));
    // What was there stays until the new runs are.
    assert_shown(&window, &["15,000 → 21,500 TOPS"]);
    settle(&mut window);
    assert!(window.query_by_label_contains("Simulating").is_none());
    assert!(window.query_by_label("15,000 → 21,500 TOPS").is_none());
    assert_shown(&window, &["cluster 15", "All clusters"]);
    let after = evaluations(&window);
    assert!(
        after.in_frame == before.in_frame && after.in_background > before.in_background,
        "{after:?}, {before:?} before"
    );
    press(&mut window, "All clusters");
    press(&mut window, "Next period");
    assert_shown(&window, &["cluster 4 vGPUs: 100"]);
    assert_eq!(evaluations(&window), after, "looking at it simulates nothing");
}

#[test]
fn a_controller_that_is_gone_cannot_be_chosen_from_the_figures_of_before() {
    let mut window = window();
    window.state_mut().edit_active(|scenario| {
        if let crossover_scenario::Study::Regulation(study) = &mut scenario.study {
            make_long(study);
            study.controllers[0].name = "renamed".into();
            crossover_study::sources::purge(study);
        }
    });
    window.run_steps(2);
    assert!(window.query_by_label_contains("Simulating").is_some());
    let is_enabled = |name: &str| !window.get_by_role_and_label(Role::RadioButton, name).accesskit_node().is_disabled();
    assert!(!is_enabled("P") && is_enabled("PI"));
    window.get_by_role_and_label(Role::RadioButton, "P").click_accesskit();
    window.run_steps(2);
    assert_eq!(study(&window).policy.controller, "PID");
}

#[test]
fn every_chart_and_the_records_can_be_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window();
    let charts = window.state().active().expect("a document").view.charts().len();
    // Of each cluster occupancies, vGPUs and frequency; throughput, power, strategies, controllers.
    assert_eq!(charts, 2 * 3 + 4);
    for chart in 0..charts {
        let path = folder.path().join(format!("chart-{chart}.svg"));
        send(&mut window, Command::ExportChart { chart, picture: Picture::Svg });
        type_path(&mut window, &path);
        let svg = std::fs::read_to_string(&path).expect("written");
        assert!(svg.starts_with("<svg") && svg.contains("<path"), "chart {chart}");
    }
    let path = folder.path().join("chart.png");
    send(&mut window, Command::ExportChart { chart: 0, picture: Picture::Png });
    type_path(&mut window, &path);
    assert!(std::fs::read(&path).expect("written").starts_with(b"\x89PNG"));
    let path = folder.path().join("data.csv");
    send(&mut window, Command::ExportData);
    type_path(&mut window, &path);
    let text = std::fs::read_to_string(&path).expect("written");
    // A title, and 600 periods of two clusters: without feedback in three ways, and under four controllers.
    assert_eq!(text.lines().count(), 1 + (3 + 4) * 600 * 2);
    for strategy in ["no control", "round robin", "load-proportional", "P", "PD", "PI", "PID"] {
        assert_eq!(text.matches(&format!("\r\n{strategy},")).count(), 1200, "{strategy}");
    }
}

#[test]
fn a_step_of_demand_is_a_step_in_the_charts() {
    let mut window = window();
    change(&mut window, |study| {
        study.clusters[0].demand.shape = Shape::Step;
        study.clusters[0].demand.low_tops = 1000.0;
        study.clusters[0].demand.start_seconds = 200.0;
    });
    let charts = window.state().active().expect("a document").view.charts();
    let crossover_chart::Chart::Lines(balance) = &charts[0] else { panic!("a line chart") };
    let demand = &balance.series[0];
    // 1,000 and 5,000 of a ceiling of 5,000 TOPS.
    assert!(demand.steps && demand.name.starts_with("demand"));
    assert_eq!(demand.points[0], [0.0, 0.2]);
    assert!(demand.points.contains(&[199.0, 0.2]) && demand.points.contains(&[200.0, 1.0]), "{:?}", demand.points);
}

fn published(mut window: Window) -> Window {
    send(&mut window, Command::OpenExample(examples::PUBLISHED));
    window.run_steps(6);
    window
}

#[test]
fn the_page_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    published(drawn(&MAIN, Start::default())).snapshot("regulation-light");
}

#[test]
fn the_page_is_laid_out_as_agreed() {
    let tall = [1280.0, 1750.0];
    for (name, size) in [("regulation-tall", tall), ("regulation-narrow", STATE.size)] {
        assert_layout(name, &published(shown(size, Start::default())));
    }
    let mut window = published(shown(MAIN.size, Start::default()));
    for _ in 0..34 {
        window.key_press(egui::Key::ArrowRight);
        window.run_steps(1);
    }
    settle(&mut window);
    assert_layout("regulation-record", &window);
    let mut window = published(shown(tall, Start::default()));
    change(&mut window, |study| {
        make_long(study);
        study.run.periods = 8640.0;
    });
    window.run_steps(6);
    assert_layout("regulation-many-clusters", &window);
}
