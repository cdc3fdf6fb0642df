//! Pictures of the pages and their states, and the layout of further states as text.

use std::time::{SystemTime, UNIX_EPOCH};

use crossover_page::command::{Command, Tool};
use crossover_page::density::Density;
use crossover_page::examples::Example;
use crossover_placement_page::examples;
use crossover_tool_pages::{map, sweep};

use crossover::storage::recovery::{RecoveryStore, Snapshot};
use crossover::workbench::{Start, Workbench};
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use egui_kittest::{Harness, SnapshotResults};

use super::layout::{LEGIBLE, assert_layout, height_of_largest_picture, shown};
use super::{Window, can_draw, fleet, send, settle};

pub(crate) struct Look {
    pub(crate) theme: egui::Theme,
    pub(crate) scale: f32,
    pub(crate) size: [f32; 2],
}

pub(crate) const MAIN: Look = Look { theme: egui::Theme::Light, scale: 1.0, size: [1280.0, 800.0] };
/// Small windows keep the pictures of the states small.
pub(crate) const STATE: Look = Look { size: [800.0, 600.0], ..MAIN };

/// The window with a renderer, for a picture.
pub(crate) fn drawn(look: &Look, start: Start) -> Window {
    let mut window = Harness::builder()
        .with_size(look.size)
        .with_pixels_per_point(look.scale)
        .with_theme(look.theme)
        .with_os(egui::os::OperatingSystem::Nix)
        .wgpu()
        .build_eframe(|creation| Workbench::new(creation, start));
    settle(&mut window);
    window.run_steps(6);
    window
}

#[test]
fn the_main_page_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    for (name, scale) in [("main-light", 1.0), ("main-light-scale-2", 2.0)] {
        results.add(drawn(&Look { scale, ..MAIN }, Start::default()).try_snapshot(name));
    }
}

#[test]
fn the_help_window_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    let narrow = Look { theme: egui::Theme::Dark, scale: 2.0, ..STATE };
    for (name, look) in [("help-light", MAIN), ("help-dark-scale-2", narrow)] {
        let mut window = drawn(&look, Start::default());
        send(&mut window, Command::ShowHelp);
        window.run_steps(4);
        results.add(window.try_snapshot(name));
    }
}

#[test]
fn the_help_window_is_on_screen_at_any_size() {
    for size in [[1920.0, 1080.0], [800.0, 600.0], [400.0, 300.0]] {
        let mut window = shown(size, Start::default());
        send(&mut window, Command::ShowHelp);
        window.run_steps(4);
        let list = window.get_by_label("Document").rect();
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, size.into());
        assert!(screen.contains_rect(list), "{list:?} of {size:?}");
    }
}

#[test]
fn controls_have_more_room_in_the_comfortable_density_until_it_is_compact_again() {
    let mut window = shown(MAIN.size, Start::default());
    let distance = |window: &Window| {
        let top = |path: &str| window.get_by_role_and_label(Role::SpinButton, path).rect().top();
        top("cluster.fan_in") - top("cluster.machines")
    };
    let compact = distance(&window);
    send(&mut window, Command::Density(Density::Comfortable));
    window.run_steps(4);
    assert!(distance(&window) > compact, "{} after {compact}", distance(&window));
    send(&mut window, Command::Density(Density::Compact));
    window.run_steps(4);
    assert_eq!(distance(&window), compact);
}

/// An example of each kind of study whose first chart is one picture; the scores of a probe are bars.
const WITH_CHART: [Example; 4] = [
    examples::PUBLISHED,
    crossover_allocation_page::examples::SHARED,
    crossover_regulation_page::examples::PUBLISHED,
    crossover_preemption_page::examples::H100,
];

/// A chart of the page on screen can be read without scrolling.
#[track_caller]
fn assert_legible(window: &Window, page: &str) {
    let most = height_of_largest_picture(window);
    assert!(most >= LEGIBLE, "{page}: {most} points of a chart");
}

/// Tools that begin with a chart of the published setting.
const TOOLS_WITH_CHART: [Tool; 2] = [sweep::TOOL, map::TOOL];

/// Draws everything smaller and larger by keys, back at 100 % at last; a chart of the page on screen can be read each time.
fn zoom(window: &mut Window, page: &str) {
    // On most keyboards “+” is Shift and “=”, which is pressed without Shift too.
    for (key, times, expected) in [
        (egui::Key::Plus, 2, 1.2),
        (egui::Key::Equals, 3, 1.5),
        (egui::Key::Num0, 1, 1.0),
        (egui::Key::Minus, 2, 0.8),
        (egui::Key::Num0, 1, 1.0),
    ] {
        for _ in 0..times {
            window.key_press_modifiers(egui::Modifiers::COMMAND, key);
            settle(window);
        }
        window.run_steps(4);
        assert!((window.ctx.zoom_factor() - expected).abs() < 1e-3, "{key:?}: {}", window.ctx.zoom_factor());
        assert_legible(window, &format!("{page} at {expected}"));
    }
}

#[test]
fn keys_draw_everything_smaller_and_larger_and_a_chart_of_each_page_stays_legible() {
    for example in WITH_CHART {
        let mut window = shown(MAIN.size, Start::default());
        send(&mut window, Command::OpenExample(example));
        zoom(&mut window, example.label);
    }
}

#[test]
fn keys_draw_everything_smaller_and_larger_and_charts_of_tools_and_of_a_fleet_stay_legible() {
    let folder = fleet::organisation(12);
    let mut window = shown(MAIN.size, Start::default());
    for tool in TOOLS_WITH_CHART {
        send(&mut window, Command::ShowTool(tool));
        zoom(&mut window, tool.title);
    }
    fleet::open(&mut window, folder.path());
    zoom(&mut window, "fleet");
}

#[test]
fn a_chart_of_each_page_stays_legible_in_the_comfortable_density() {
    for example in WITH_CHART {
        let mut window = shown(MAIN.size, Start::default());
        send(&mut window, Command::Density(Density::Comfortable));
        send(&mut window, Command::OpenExample(example));
        window.run_steps(4);
        assert_legible(&window, example.label);
    }
}

/// A screen of 3840 × 2160 pixels has 1920 × 1080 points at scale 2, and 1280 × 720 at scale 3.
#[test]
fn a_4k_screen_has_the_pages_of_its_points_at_scale_2_and_3() {
    const PIXELS: [f32; 2] = [3840.0, 2160.0];
    let folder = fleet::organisation(12);
    for scale in [2.0, 3.0] {
        let points = PIXELS.map(|pixels| pixels / scale);
        let mut window = Harness::builder()
            .with_size(points)
            .with_pixels_per_point(scale)
            .with_os(egui::os::OperatingSystem::Nix)
            .with_max_steps(24)
            .build_eframe(|creation| Workbench::new(creation, Start::default()));
        settle(&mut window);
        assert_eq!(window.ctx.pixels_per_point(), scale);
        let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, points.into());
        let check = |window: &mut Window, page: &str| {
            window.run_steps(6);
            for name in ["File", "+ New"] {
                let button = window.get_by_role_and_label(Role::Button, name).rect();
                assert!(screen.contains_rect(button), "{page}: {name} at {button:?} of {points:?}");
            }
            assert_legible(window, &format!("{page} at scale {scale}"));
        };
        // Tools are about the published setting.
        for tool in TOOLS_WITH_CHART {
            send(&mut window, Command::ShowTool(tool));
            check(&mut window, tool.title);
        }
        for example in WITH_CHART {
            send(&mut window, Command::OpenExample(example));
            check(&mut window, example.label);
        }
        fleet::open(&mut window, folder.path());
        check(&mut window, "fleet");
    }
}

/// In the smallest window that is supported, one chart of each page is seen nearly whole: the table below it gives way.
#[test]
fn one_chart_of_each_page_is_legible_at_800_by_600() {
    for (example, below) in [
        (examples::PUBLISHED, "Operator placement"),
        (crossover_allocation_page::examples::SHARED, "Which policy allocates most?"),
        (crossover_regulation_page::examples::PUBLISHED, "What changes in each cluster?"),
        (crossover_preemption_page::examples::H100, "Which policy is best?"),
    ] {
        let mut window = shown([800.0, 600.0], Start::default());
        send(&mut window, Command::OpenExample(example));
        settle(&mut window);
        let table = window.get_by_label(below).rect().top();
        let seen = |chart: egui::Rect| chart.bottom().min(table) - chart.top();
        let most = window.query_all_by_role(Role::Image).map(|chart| seen(chart.rect())).fold(0.0_f32, f32::max);
        assert!(most >= 100.0, "{}: {most} points of a chart above {below}", example.label);
    }
}

#[test]
fn a_modern_cluster_is_laid_out_as_agreed() {
    let mut window = shown(MAIN.size, Start::default());
    send(&mut window, Command::OpenExample(examples::MODERN));
    assert_layout("modern-cluster", &window);
}

#[test]
fn networks_of_one_speed_are_both_seen_and_named() {
    let mut window = shown(STATE.size, Start::default());
    window.state_mut().edit_active(|scenario| {
        let study = scenario.study.placement_mut().expect("a placement study");
        study.networks[0].effective_gbit_per_s = study.networks[1].effective_gbit_per_s;
    });
    settle(&mut window);
    window.run_steps(6);
    let sentence = "10 Gb Ethernet and 100 Gb InfiniBand coincide.";
    // Both charts and the answer below them say it.
    assert_eq!(window.query_all_by_label_contains(sentence).count(), 3);
    assert_layout("state-equal-networks", &window);
}

#[test]
fn states_of_the_window_look_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut results = SnapshotResults::new();
    results.add(drawn(&STATE, Start::default()).try_snapshot("state-narrow"));

    let mut window = drawn(&STATE, Start::default());
    send(&mut window, Command::CloseTab);
    results.add(window.try_snapshot("state-empty"));

    let mut window = drawn(&STATE, Start::default());
    send(&mut window, Command::OpenPath("/no/such/file.ron".into()));
    results.add(window.try_snapshot("state-error"));
}

#[test]
fn states_of_the_window_are_laid_out_as_agreed() {
    let mut window = shown(STATE.size, Start::default());
    window.get_by_label("▼ Parameters").click();
    settle(&mut window);
    window.run_steps(6);
    assert_layout("state-narrow-with-inspector", &window);

    let mut window = shown(STATE.size, Start::default());
    window.state_mut().edit_active(|scenario| scenario.name = "edited".into());
    send(&mut window, Command::CloseTab);
    assert_layout("state-unsaved-edits", &window);

    let mut window = shown(STATE.size, Start::default());
    send(&mut window, Command::Palette);
    assert_layout("state-palette", &window);
}

#[test]
fn recovered_work_is_offered_as_agreed() {
    if !can_draw() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let store = RecoveryStore::open(folder.path().to_owned()).expect("a recovery folder");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    // Three minutes and a half ago, whenever the picture is drawn.
    let snapshot = Snapshot {
        document_id: "1".into(),
        name: "half-finished plan".into(),
        path: Some("/home/anna/plan.ron".into()),
        only_settings: false,
        saved_at_unix_seconds: now.as_secs() - 210,
        process_id: 1,
        text: examples::SMALL.text.into(),
    };
    store.write(&snapshot).expect("written");
    // Dropped without being closed, as after a crash.
    drop(store);
    let start = Start { recovery_folder: Some(folder.path().to_owned()), ..Start::default() };
    drawn(&STATE, start).snapshot("state-recovery");
}
