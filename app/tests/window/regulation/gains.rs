//! Which gains settle: the stability map, the relay experiment and the search.

use crossover::workbench::{Start, Workbench};
use crossover_page::command::Command;
use crossover_quantity::provenance::Provenance;
use crossover_regulation::{Controller, Form, Regulation, Schedule, Shape, evaluate};
use crossover_regulation_page::examples;
use egui::accesskit::Role;
use egui::{Key, Pos2, Rect};
use egui_kittest::kittest::Queryable as _;
use egui_kittest::{Harness, SnapshotResults};

use crate::{Window, can_draw, send, settle, type_path, until, window};

/// How the description of a map that has been computed to the end begins.
const MAP: &str = "Which gains settle? PID · Kd 0.5 · 64 × 64 runs of 600 periods The gains of PID";
/// The remark on a map of an earlier study.
const STALE: &str = "before the last change";

/// The window with the published scenario, the gains in the middle.
fn gains() -> Window {
    let mut window = window();
    window.set_size(egui::vec2(1600.0, 1000.0));
    send(&mut window, Command::OpenExample(examples::PUBLISHED));
    press(&mut window, "Gains");
    window
}

/// The published scenario, made so long and noisy that its map takes seconds. With noise a run never settles.
fn slow(folder: &std::path::Path) -> Window {
    let text = examples::PUBLISHED.text.replace("periods: 600", "periods: 50000");
    let text = text.replace("policy: (", "measurement: (noise_share: 0.05), policy: (");
    let file = folder.join("slow.ron");
    std::fs::write(&file, text).expect("written");
    let mut window = window();
    window.set_size(egui::vec2(1600.0, 1000.0));
    send(&mut window, Command::OpenPath(file));
    window.get_by_label("Gains").click();
    window.run_steps(2);
    window
}

fn press(window: &mut Window, button: &str) {
    window.get_by_label(button).click();
    settle(window);
}

fn study(window: &Window) -> &Regulation {
    let document = window.state().active().expect("a document is open");
    document.scenario.regulation().expect("a regulation study")
}

fn edit(window: &mut Window, edit: impl FnOnce(&mut Regulation)) {
    window.state_mut().edit_active(|scenario| edit(scenario.study.regulation_mut().expect("a regulation study")));
}

fn pid(window: &Window) -> &Controller {
    study(window).controllers.iter().find(|controller| controller.name == "PID").expect("a PID controller")
}

/// vGPUs of both clusters in the end.
fn vgpus(window: &Window) -> Vec<f64> {
    evaluate(study(window)).after().clusters.iter().map(|cluster| cluster.vgpus).collect()
}

/// Whether this is to be read, in a text or in the description of a chart.
fn shows(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

/// Runs frames until the map can be cancelled.
fn until_cancellable(window: &mut Window) {
    until(window, "a button that cancels", |window| window.query_by_label("Cancel stability map").is_some());
}

/// Where gains stand on the map at first: cells of 0.05 by 0.02, whole ones at the ends.
fn place(map: Rect, kp: f64, ki: f64) -> Pos2 {
    #[expect(clippy::cast_possible_truncation, reason = "a share of the screen")]
    let share = |gain: f64, step: f64| ((gain / step + 0.5) / 64.0) as f32;
    egui::pos2(map.left() + share(kp, 0.05) * map.width(), map.bottom() - share(ki, 0.02) * map.height())
}

fn click_on_map(window: &mut Window, kp: f64, ki: f64) {
    let at = place(window.get_by_label_contains("Which gains settle? PID").rect(), kp, ki);
    window.hover_at(at);
    window.run_steps(1);
    window.drag_at(at);
    window.run_steps(1);
    window.drop_at(at);
    settle(window);
}

#[test]
fn the_map_appears_and_says_whether_the_present_gains_are_safe() {
    let window = gains();
    let map = window.get_by_label_contains(MAP);
    assert!(map.rect().width() > 300.0 && map.rect().height() > 250.0, "{:?}", map.rect());
    // The published figures: PID reaches 50/150 vGPUs and settles.
    assert!(shows(&window, "The gains of PID settle: "));
    assert!(!shows(&window, STALE));
    assert!(window.query_by_label("PID at 1, 0.3: drag to change").is_some());
}

#[test]
fn a_click_on_a_cell_sets_both_gains_as_one_undo_step() {
    let mut window = gains();
    let path = |gain: &str| format!("controllers.PID.{gain}");
    edit(&mut window, |study| {
        for gain in ["kp", "ki", "kd"] {
            study.sources.insert(path(gain), Provenance::Published("worked example".into()));
        }
    });
    settle(&mut window);
    let original = study(&window).clone();
    click_on_map(&mut window, 2.0, 0.5);
    let controller = pid(&window);
    assert_eq!((controller.kp, controller.ki, controller.kd), (2.0, 0.5, 0.5));
    // The gains that changed are the user's now.
    let sources = &study(&window).sources;
    let has_source = ["kp", "ki", "kd"].map(|gain| sources.contains_key(&path(gain)));
    assert_eq!(has_source, [false, false, true]);
    assert_eq!(sources.len() + 2, original.sources.len());
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), original);
}

#[test]
fn without_the_integral_the_dead_zone_keeps_an_error_and_with_it_the_clusters_are_balanced() {
    let mut window = gains();
    // The document: P and PD stop at 55/145 vGPUs, PI and PID reach 50/150.
    click_on_map(&mut window, 1.0, 0.0);
    assert_eq!(pid(&window).ki, 0.0);
    assert_eq!(vgpus(&window), [55.0, 145.0]);
    assert!(shows(&window, "too low: steady-state error that higher gains remove"));
    click_on_map(&mut window, 1.0, 0.5);
    assert_eq!(vgpus(&window), [50.0, 150.0]);
    assert!(shows(&window, "The gains of PID settle: "));
}

#[test]
fn a_drag_over_the_map_is_one_undo_step_and_needs_no_new_map() {
    let mut window = gains();
    let original = study(&window).clone();
    let map = window.get_by_label_contains(MAP).rect();
    let start = place(map, 1.0, 0.3);
    window.hover_at(start);
    window.run_steps(1);
    window.drag_at(start);
    window.run_steps(1);
    for step in 1..=8 {
        window.hover_at(place(map, 1.0 + 0.1 * f64::from(step), 0.3 + 0.04 * f64::from(step)));
        window.run_steps(1);
        assert!(!shows(&window, STALE));
    }
    window.drop_at(place(map, 1.8, 0.62));
    settle(&mut window);
    assert_eq!((pid(&window).kp, pid(&window).ki), (1.8, 0.62));
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), original);
}

#[test]
fn arrow_keys_move_the_gains_by_a_cell() {
    let mut window = gains();
    window.get_by_label("PID at 1, 0.3: drag to change").focus();
    window.run_steps(2);
    for key in [Key::ArrowRight, Key::ArrowUp, Key::ArrowUp] {
        window.key_press(key);
        settle(&mut window);
    }
    assert_eq!((pid(&window).kp, pid(&window).ki), (1.05, 0.34));
}

#[test]
fn while_kd_is_dragged_the_map_follows_and_older_ones_never_arrive() {
    let mut window = gains();
    for step in 1..=15 {
        edit(&mut window, |study| study.controllers[3].kd = 0.5 + 0.1 * f64::from(step));
        window.run_steps(1);
    }
    settle(&mut window);
    assert!(shows(&window, "PID · Kd 2 · 64 × 64 runs"));
    assert!(!shows(&window, STALE));
}

#[test]
fn the_older_map_stays_dimmed_until_the_new_one_is_there_and_computing_can_be_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = slow(folder.path());
    // A coarse map comes first.
    until(&mut window, "the coarse map", |window| shows(window, "22 × 22 runs of 50,000 periods"));
    edit(&mut window, |study| study.controllers[3].kd = 0.6);
    // In the first frame: the next map may be there in the second.
    window.run_steps(1);
    assert!(shows(&window, STALE));
    until_cancellable(&mut window);
    window.get_by_label("Cancel stability map").click_accesskit();
    window.run_steps(3);
    assert!(window.query_by_label("The map was cancelled.").is_some());
    // The runs over time are computed too, and are not cancelled.
    until(&mut window, "the end of all work", |window| !window.state().is_busy());
    assert!(window.query_by_label("The map was cancelled.").is_some());
    window.get_by_label("Compute the map").click_accesskit();
    until_cancellable(&mut window);
    assert!(window.query_by_label("The map was cancelled.").is_none());
}

#[test]
fn a_tab_can_be_closed_while_its_map_is_computed() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = slow(folder.path());
    assert!(window.state().is_busy());
    let before = window.state().documents().len();
    send(&mut window, Command::CloseTab);
    assert_eq!(window.state().documents().len(), before - 1);
    assert!(!window.state().is_busy());
}

#[test]
fn a_controller_without_integral_part_is_offered_one() {
    let mut window = gains();
    edit(&mut window, |study| study.policy.controller = "PD".into());
    settle(&mut window);
    assert!(shows(&window, "has no integral part, so Ki has no effect"));
    press(&mut window, "Make it PID");
    assert_eq!(study(&window).controllers[1].form, Form::PID);
    assert!(!shows(&window, "has no integral part"));
}

#[test]
fn a_schedule_is_said_to_stand_in_the_place_of_the_gains() {
    let mut window = gains();
    edit(&mut window, |study| {
        study.set_schedule(3, Some(Schedule::expert()));
    });
    settle(&mut window);
    assert!(shows(&window, "A gain schedule sets the gains of this controller"));
    press(&mut window, "Use constant gains");
    assert!(pid(&window).schedule.is_none());
    assert_eq!((pid(&window).kp, pid(&window).ki), (1.0, 0.3));
}

#[test]
fn the_relay_experiment_gives_gains_that_can_be_used_and_undone() {
    let mut window = gains();
    let original = study(&window).clone();
    press(&mut window, "Run the experiment");
    assert!(shows(&window, "How does the loop oscillate? cluster I under a relay of ±0.2"));
    assert!(shows(&window, "the loop is not linear"));
    press(&mut window, "Use Ziegler–Nichols PI");
    let controller = pid(&window).clone();
    assert_eq!((controller.form, controller.kd), (Form::PI, 0.0));
    // One period is 1 s. PI: Ti = Tu / 1.2, so Ki = Kp · 1.2 / Tu; the chart says Tu.
    assert!(shows(&window, "Tu 4 s"));
    assert!((controller.ki / controller.kp - 0.3).abs() < 0.002, "{controller:?}");
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), original);
    // P: Kp = 0.5 · Ku, where PI has 0.45.
    press(&mut window, "Use Ziegler–Nichols P");
    assert!((pid(&window).kp / controller.kp - 0.5 / 0.45).abs() < 0.005);
}

#[test]
fn an_older_experiment_keeps_the_name_of_its_cluster_even_if_that_is_gone() {
    let mut window = gains();
    // I comes second, and is chosen.
    edit(&mut window, |study| study.clusters.swap(0, 1));
    settle(&mut window);
    window.get_by_role_and_label(Role::ComboBox, "cluster of the relay").click();
    settle(&mut window);
    window.get_all_by_role_and_label(Role::Button, "I").last().expect("an entry of the list").click();
    settle(&mut window);
    press(&mut window, "Run the experiment");
    edit(&mut window, |study| study.clusters[1].name = "III".into());
    settle(&mut window);
    assert!(shows(&window, "How does the loop oscillate? cluster I under a relay of ±0.2"));
    edit(&mut window, |study| drop(study.clusters.pop()));
    settle(&mut window);
    assert!(shows(&window, "How does the loop oscillate? cluster I under a relay of ±0.2"));
    assert!(shows(&window, "The study has changed. Run the experiment again."));
}

#[test]
fn the_data_of_the_page_are_the_cells_of_the_map() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("map.csv");
    let mut window = gains();
    send(&mut window, Command::ExportData);
    type_path(&mut window, &path);
    let text = std::fs::read_to_string(&path).expect("written");
    assert!(text.starts_with("kp,ki,class,settling_periods,"), "{text}");
    assert_eq!(text.lines().count(), 1 + 64 * 64);
}

#[test]
fn gains_outside_the_map_are_said_to_be_and_can_be_shown() {
    let mut window = gains();
    press(&mut window, "Run the experiment");
    assert!(window.query_by_label_contains("Ziegler–Nichols (Kp").is_some());
    press(&mut window, "Show Ziegler–Nichols on the map");
    assert!(!shows(&window, "lies outside the map"));
    assert!(shows(&window, "Ziegler–Nichols, Kd "));
}

#[test]
fn a_relay_that_moves_nothing_says_why_and_what_to_do() {
    let mut window = gains();
    edit(&mut window, |study| {
        for cluster in &mut study.clusters {
            cluster.demand.high_tops = 0.0;
        }
    });
    settle(&mut window);
    press(&mut window, "Run the experiment");
    assert!(shows(&window, "No gains: the error of “I” is 0 in every period"));
    assert!(shows(&window, "Choose a cluster whose transfer and compute are out of balance"));
}

#[test]
fn a_search_offers_better_gains_and_they_are_better() {
    let mut window = gains();
    let original = study(&window).clone();
    let before = evaluate(&original).chosen().figures.clone();
    press(&mut window, "Search");
    press(&mut window, "Use these gains");
    let after = evaluate(study(&window)).chosen().figures.clone();
    assert!(after.settling_periods <= before.settling_periods, "{after:?}");
    assert!(after.overshoot <= 0.05 && after.steady_state_error <= before.steady_state_error + 0.005, "{after:?}");
    assert!(window.query_by_label("These gains are in use").is_some());
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), original);
}

#[test]
fn map_and_search_report_demand_that_never_becomes_constant() {
    let mut window = gains();
    edit(&mut window, |study| {
        study.clusters[0].demand.low_tops = 1000.0;
        study.set_shape(0, Shape::Day);
    });
    settle(&mut window);
    assert!(shows(&window, "None of these gains settles in this run."));
    press(&mut window, "Search");
    assert!(shows(&window, "No gains settle, because demand changes until the end of the run; gains unchanged."));
    assert!(!shows(&window, "Use these gains"));
}

#[test]
fn a_result_of_before_a_change_of_the_study_is_not_used() {
    let mut window = gains();
    press(&mut window, "Search");
    edit(&mut window, |study| study.clusters[0].pcie_tops = 4000.0);
    settle(&mut window);
    assert!(window.query_by_label("The study has changed. Search again.").is_some());
    window.get_by_label("Use these gains").click();
    settle(&mut window);
    assert_eq!((pid(&window).kp, pid(&window).ki), (1.0, 0.3));
}

#[test]
fn the_measure_of_the_colours_can_be_chosen() {
    let mut window = gains();
    window.get_by_role_and_label(Role::Button, "overshoot").click();
    settle(&mut window);
    assert!(shows(&window, "All gains: overshoot 0 %."));
}

#[test]
fn the_gains_look_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    for (name, theme, scale, size) in [
        ("regulation-gains-light", egui::Theme::Light, 1.0, [1280.0, 800.0]),
        ("regulation-gains-dark", egui::Theme::Dark, 1.0, [1280.0, 800.0]),
    ] {
        let mut window = Harness::builder()
            .with_size(size)
            .with_pixels_per_point(scale)
            .with_theme(theme)
            .with_os(egui::os::OperatingSystem::Nix)
            .wgpu()
            .build_eframe(|creation| Workbench::new(creation, Start::default()));
        settle(&mut window);
        send(&mut window, Command::OpenExample(examples::PUBLISHED));
        for button in ["Gains", "Run the experiment", "Search"] {
            press(&mut window, button);
        }
        // Nothing is under the pointer.
        window.remove_cursor();
        window.run_steps(6);
        results.add(window.try_snapshot(name));
    }
}
