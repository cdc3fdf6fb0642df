//! How long the interface's thread is busy with a frame, without drawing it: `cargo bench -p crossover --bench frames`.
//!
//! Every figure is that of one frame of the window at 1280×800; what other threads compute for it is waited for
//! between frames, and told apart as the time until it is on the screen.

#![expect(clippy::print_stdout, reason = "figures are what a benchmark is for")]

#[expect(dead_code, reason = "the window's tests need more of it")]
#[path = "../tests/window/plan/fixture.rs"]
mod fixture;
#[expect(dead_code, reason = "an example is a program too")]
#[path = "../../fleet/examples/organisation.rs"]
mod organisation;
#[path = "frames/times.rs"]
mod times;

use std::time::{Duration, Instant};

use crossover::workbench::{Start, Workbench};
use crossover_allocation::evaluate;
use crossover_allocation_page as allocation;
use crossover_page::command::Command;
use crossover_page::storage::scenario::Loaded;
use crossover_placement_page as placement;
use crossover_probe_page as probe;
use crossover_query::Plan;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

use self::times::Times;

type Window = Harness<'static, Workbench>;

/// Size of most windows, in points.
const SIZE: [f32; 2] = [1280.0, 800.0];
/// Frames of each kind.
const FRAMES: u8 = 60;
/// Frames of each kind for a 99th percentile.
const MANY_FRAMES: u32 = 480;

fn main() {
    // `-- fleet` measures that part alone.
    let part = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let is_wanted = |name: &str| part.as_deref().is_none_or(|part| part == name);
    for operators in [20, 1_000, 10_000] {
        if is_wanted("plan") {
            println!("a plan of {operators} operators");
            frames(&fixture::large(operators));
        }
    }
    if is_wanted("documents") {
        documents();
    }
    if is_wanted("answer") {
        answer(&fixture::large(78));
    }
    if is_wanted("fleet") {
        fleet(10_000);
    }
    if is_wanted("gantt") {
        gantt();
    }
    #[cfg(unix)]
    if is_wanted("probing") {
        probing();
    }
}

/// The page of three centres while a probe of it runs on this machine, in processes beside the window, and at rest.
#[cfg(unix)]
fn probing() {
    use std::os::unix::fs::PermissionsExt as _;
    println!("a probe of three centres");
    let folder = tempfile::tempdir().expect("a folder");
    // The window starts a program and nothing before its arguments; the benchmarks of this one are a subcommand.
    let program = folder.path().join("measure");
    let script = format!("#!/bin/sh\nexec '{}' bench \"$@\"\n", env!("CARGO_BIN_EXE_crossover"));
    std::fs::write(&program, script).expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let start = Start {
        measuring_program: Some(program),
        measurements_folder: Some(folder.path().join("measurements")),
        ..Start::default()
    };
    let mut window = opened(start, SIZE);
    // On every core, and longer than a second a run.
    let mut scenario = crossover_scenario::read(probe::examples::CENTRES.text).expect("an example");
    let study = scenario.study.probe_mut().expect("a probe study");
    study.target.units = std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64);
    study.target.ratio = 100.0;
    window.state_mut().show_only("probe.ron".into(), scenario);
    settle(&mut window);
    let mut rest = Times::default();
    for _ in 0..4 * u32::from(FRAMES) {
        rest.add_frame(&mut window);
    }
    let runs = |window: &Window| -> usize {
        let study = window.state().active().and_then(|document| document.scenario.probe()).expect("a probe study");
        study.centres[0].units[0].runs.seconds.len()
    };
    let before = runs(&window);
    window.get_by_role_and_label(Role::Button, "Run").click();
    window.run_steps(2);
    let mut running = Times::default();
    let began = Instant::now();
    while window.state().is_busy() {
        running.add_frame(&mut window);
    }
    let (count, seconds) = (running.frames.len(), began.elapsed().as_secs_f64());
    assert!(runs(&window) > before, "the probe did not run");
    println!("  {} runs in {seconds:.1} s, {count} frames meanwhile", runs(&window) - before);
    running.tell("a probe runs");
    rest.tell("at rest");
}

/// Twenty documents with edits: at rest, dragging a number, typing, scrolling, and switching tabs.
fn documents() {
    /// Operators of their queries.
    const OPERATORS: [usize; 4] = [20, 78, 200, 1_000];
    println!("20 documents with edits, with queries of {OPERATORS:?} operators");
    let folder = tempfile::tempdir().expect("a folder for unsaved work");
    let loaded = (0..20).map(|number| {
        let mut scenario = fixture::scenario(fixture::study(fixture::large(OPERATORS[number % OPERATORS.len()])));
        scenario.name = format!("query {number}");
        Loaded { file: None, front: None, scenario }
    });
    let loaded = loaded.collect();
    let start = Start { loaded, recovery_folder: Some(folder.path().to_owned()), ..Start::default() };
    let mut window = opened(start, SIZE);
    for number in 0..20 {
        window.state_mut().send(Command::SelectTab(number));
        window.step();
        window.state_mut().edit_active(|scenario| scenario.notes = "edited".into());
        settle(&mut window);
    }
    // Until all of it is on disk, as it mostly is.
    let is_kept = |folder: &std::path::Path| {
        let files = std::fs::read_dir(folder).expect("listed").map(|entry| entry.expect("a file").path());
        files.filter(|file| file.extension().is_some_and(|extension| extension == "ron")).count() == 20
    };
    while !is_kept(folder.path()) {
        std::thread::sleep(Duration::from_millis(10));
        window.step();
    }
    settle(&mut window);

    let mut rest = Times::default();
    for _ in 0..MANY_FRAMES {
        rest.add_single(&mut window, |_| {});
    }
    rest.tell_each("nothing happens");

    // The document on screen has the largest plan. Up and down again, as a user looks for a value.
    let number = window.get_by_role_and_label(Role::SpinButton, "cluster.machines").rect().center();
    window.drag_at(number);
    window.step();
    let mut dragging = Times::default();
    for moved in 0..MANY_FRAMES {
        let step = (moved % 120) as f32;
        let to = number + egui::vec2(if step < 60.0 { 1.0 + step } else { 120.0 - step }, 0.0);
        dragging.add_single(&mut window, |window| window.hover_at(to));
    }
    dragging.tell_each("dragging a number");
    window.drop_at(number + egui::vec2(1.0, 0.0));
    settle(&mut window);

    window.get_by_role_and_label(Role::SpinButton, "cluster.machines").focus();
    window.run_steps(2);
    let mut typing = Times::default();
    for number in 0..MANY_FRAMES {
        typing.add_single(&mut window, |window| match number % 2 {
            0 => window.event(egui::Event::Text("1".to_owned())),
            _ => window.key_press(egui::Key::Backspace),
        });
    }
    typing.tell_each("typing");
    settle(&mut window);

    window.hover_at(egui::pos2(900.0, 500.0));
    let mut scrolling = Times::default();
    for number in 0..MANY_FRAMES {
        let down = if number / 60 % 2 == 0 { -80.0 } else { 80.0 };
        scrolling.add_single(&mut window, |window| {
            let (unit, modifiers) = (egui::MouseWheelUnit::Point, egui::Modifiers::NONE);
            let (delta, phase) = (egui::vec2(0.0, down), egui::TouchPhase::Move);
            let source = egui::MouseWheelSource::Unknown;
            window.event(egui::Event::MouseWheel { unit, delta, phase, modifiers, source });
        });
    }
    scrolling.tell_each("scrolling");

    let mut tabs = Times::default();
    for _ in 0..MANY_FRAMES {
        tabs.add_single(&mut window, |window| window.state_mut().send(Command::NextTab));
    }
    tabs.tell_each("another tab in each frame");
}

/// The answer about a measured query: opening it, another price, another time of today, and at rest.
fn answer(plan: &Plan) {
    println!("the answer about a query of {} operators", plan.nodes.len());
    let folder = tempfile::tempdir().expect("a folder for unsaved work");
    let start = Start { recovery_folder: Some(folder.path().to_owned()), ..Start::default() };
    let mut window = opened(start, SIZE);
    let mut scenario = crossover_scenario::read(placement::examples::MEASURED[0].1.text).expect("an example");
    let study = scenario.study.placement_mut().expect("a placement study");
    study.query = fixture::study(plan.clone()).query;
    study.engines.as_mut().expect("engines").measured_seconds = Some(60.0);
    let mut opening = Times::default();
    for _ in 0..FRAMES / 4 {
        let scenario = scenario.clone();
        opening.add(&mut window, |window| window.state_mut().show_only("answer.ron".into(), scenario));
    }
    window.get_by_label("What should run this query?");
    opening.tell("opening");
    let mut editing = Times::default();
    for times in 1..=FRAMES {
        editing.add(&mut window, |window| {
            window.state_mut().edit_active(|scenario| {
                let study = scenario.study.placement_mut().expect("a placement study");
                let engines = study.engines.as_mut().expect("engines");
                if times % 2 == 0 {
                    engines.cpu.usd_per_hour = Some(2.0 + 0.01 * f64::from(times));
                } else {
                    engines.measured_seconds = Some(60.0 + f64::from(times));
                }
            });
        });
    }
    editing.tell("another price or time of today");
    let mut rest = Times::default();
    for _ in 0..FRAMES {
        rest.add(&mut window, |_| {});
    }
    rest.tell("nothing happens");
}

/// All applications of an organisation: at rest, sorting, typing a filter, scrolling, and the pointer over ten thousand dots.
fn fleet(applications: usize) {
    println!("a fleet of {applications} applications");
    let folder = tempfile::tempdir().expect("a folder");
    organisation::write(folder.path(), applications);
    let mut window = opened(Start::default(), SIZE);
    let open = Command::ask(crossover_fleet_page::Request::OpenFolder(folder.path().to_owned()));
    let mut opening = Times::default();
    opening.add(&mut window, |window| window.state_mut().send(open));
    opening.tell("opening");
    settle(&mut window);

    let mut rest = Times::default();
    for _ in 0..FRAMES {
        rest.add(&mut window, |_| {});
    }
    rest.tell("nothing happens");

    let mut sorting = Times::default();
    for at in 0..FRAMES / 4 {
        let title = if at % 2 == 0 { "today" } else { "queue" };
        let title = window.get_by_label(title).rect().center();
        sorting.add(&mut window, |window| {
            window.drag_at(title);
            window.drop_at(title);
        });
    }
    sorting.tell("sorting");

    let mut scrolling = Times::default();
    let table = window.get_by_label("verdict").rect().center();
    window.hover_at(table + egui::vec2(0.0, 120.0));
    for _ in 0..FRAMES {
        scrolling.add(&mut window, |window| {
            let (unit, modifiers) = (egui::MouseWheelUnit::Point, egui::Modifiers::NONE);
            let (delta, phase) = (egui::vec2(0.0, -400.0), egui::TouchPhase::Move);
            let source = egui::MouseWheelSource::Unknown;
            window.event(egui::Event::MouseWheel { unit, delta, phase, modifiers, source });
        });
    }
    scrolling.tell("scrolling");

    let mut hovering = Times::default();
    let chart = window.get_all_by_role(Role::Image).next().expect("a chart").rect();
    for moved in 1..=FRAMES {
        let to = chart.center() + egui::vec2(f32::from(moved), 0.0);
        hovering.add(&mut window, |window| window.hover_at(to));
    }
    hovering.tell("over the dots");

    let mut typing = Times::default();
    window.get_by_role_and_label(Role::TextInput, "Filter").click();
    window.run_steps(2);
    for letter in "load-orders".chars() {
        typing.add(&mut window, |window| window.event(egui::Event::Text(letter.to_string())));
    }
    typing.tell("typing a filter");
}

/// Who ran where and when, of a replay with more than ten thousand tasks: playing, dragging the cursor, moving and zooming.
fn gantt() {
    let mut scenario = crossover_scenario::read(allocation::examples::SHARED.text).expect("an example");
    let study = scenario.study.allocation_mut().expect("an allocation study");
    study.replay.seconds = 10.0 * 86_400.0;
    study.replay.runs = 1.0;
    let outcome = evaluate(study);
    let log = &outcome.replayed[outcome.chosen].log;
    println!("a replay of {} runs of tasks on GPUs", log.task_runs.len());
    let mut window = opened(Start::default(), [1280.0, 1800.0]);
    window.state_mut().show_only("replay.ron".into(), scenario);
    settle(&mut window);

    window.get_by_label("Play").click();
    let mut playing = Times::default();
    for _ in 0..FRAMES {
        playing.add(&mut window, |_| {});
    }
    playing.tell("playing");

    let controls = window.get_by_label("Show all").rect();
    let slider = egui::pos2(controls.right() + 40.0, controls.center().y);
    window.drag_at(slider);
    window.step();
    let mut scrubbing = Times::default();
    for moved in 1..=FRAMES {
        let to = slider + egui::vec2(4.0 * f32::from(moved), 0.0);
        scrubbing.add(&mut window, |window| window.hover_at(to));
    }
    scrubbing.tell("dragging the cursor");
    window.drop_at(slider);
    settle(&mut window);

    let rows = egui::pos2(controls.left() + 400.0, controls.bottom() + 60.0);
    let mut moving = Times::default();
    window.hover_at(rows);
    for _ in 0..FRAMES {
        moving.add(&mut window, |window| {
            window.event(egui::Event::Zoom(1.05));
        });
    }
    moving.tell("zooming");
}

fn frames(plan: &Plan) {
    let folder = tempfile::tempdir().expect("a folder for unsaved work");
    let start = Start { recovery_folder: Some(folder.path().to_owned()), ..Start::default() };
    let mut window = opened(start, SIZE);

    let mut opening = Times::default();
    for _ in 0..5 {
        let scenario = fixture::scenario(fixture::study(plan.clone()));
        opening.add(&mut window, |window| window.state_mut().show_only("large.ron".into(), scenario));
    }
    opening.tell("opening");

    let mut idle = Times::default();
    for _ in 0..FRAMES {
        idle.add(&mut window, |_| {});
    }
    idle.tell("nothing happens");

    let mut dragging = Times::default();
    let number = window.get_by_role_and_label(Role::SpinButton, "cluster.machines").rect().center();
    window.drag_at(number);
    window.step();
    for moved in 1..=FRAMES {
        let to = number + egui::vec2(f32::from(moved), 0.0);
        dragging.add(&mut window, |window| window.hover_at(to));
    }
    dragging.tell("dragging a number");
    window.drop_at(number + egui::vec2(f32::from(FRAMES), 0.0));
    settle(&mut window);

    let mut undo = Times::default();
    for _ in 0..FRAMES / 4 {
        undo.add(&mut window, |window| window.state_mut().send(Command::Undo));
        undo.add(&mut window, |window| window.state_mut().send(Command::Redo));
    }
    undo.tell("undo, redo");

    let mut reset = Times::default();
    for _ in 0..5 {
        reset.add(&mut window, |window| window.state_mut().send(Command::ResetField("cluster.machines".into())));
        reset.add(&mut window, |window| window.state_mut().send(Command::Undo));
    }
    reset.tell("reset of a number, undo");

    let mut keeping = Times::default();
    for times in 0..3 {
        window.state_mut().edit_active(|scenario| scenario.notes = format!("edit {times}"));
        settle(&mut window);
        std::thread::sleep(Duration::from_millis(2_100));
        keeping.add(&mut window, |_| {});
    }
    keeping.tell("unsaved work is kept");

    let before = memory_mb();
    for times in 0..200_u8 {
        window.state_mut().edit_active(|scenario| scenario.notes = format!("step {times}"));
        window.run_steps(1);
    }
    println!("  200 steps that can be undone: {:.0} MB", memory_mb() - before);

    window.state_mut().send(Command::OpenExample(placement::examples::PUBLISHED));
    settle(&mut window);
    let mut tabs = Times::default();
    for _ in 0..FRAMES / 2 {
        tabs.add(&mut window, |window| window.state_mut().send(Command::NextTab));
    }
    tabs.tell("another tab");
}

/// Memory of this process; 0 where the system does not say.
fn memory_mb() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0) * 4096.0 / 1e6
}

/// A window of this size, with everything on the screen.
fn opened(start: Start, size: [f32; 2]) -> Window {
    let builder = Harness::builder().with_size(size).with_os(egui::os::OperatingSystem::Nix);
    let mut window = builder.build_eframe(move |creation| Workbench::new(creation, start));
    settle(&mut window);
    window
}

/// Runs frames until other threads have ended and their results are on the screen.
fn settle(window: &mut Window) {
    window.step();
    while window.state().is_busy() {
        std::thread::sleep(Duration::from_millis(1));
        window.step();
    }
    window.run_steps(3);
}
