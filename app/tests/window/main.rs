//! The window as a user meets it: found by accessible names, driven by pointer and keys, no display needed.

mod allocation;
#[cfg(target_os = "linux")]
mod calibrate;
mod closing;
mod compare;
mod deciding;
mod deciding_answer;
mod deciding_application;
mod deciding_missing;
mod deciding_steps;
mod editing;
mod engines;
mod every_page;
mod files;
mod fleet;
mod foreign_names;
mod help;
mod history;
mod kept_tabs;
mod kept_views;
mod keyboard;
mod layout;
mod links;
mod map;
mod pictures;
mod plan;
mod plan_import;
mod preemption;
mod probe;
#[cfg(unix)]
mod probe_centres;
#[cfg(target_os = "linux")]
mod recorded;
mod recovery;
mod regulation;
mod report;
mod search;
mod stress;
mod sweep;
mod tabs;
mod tour;
mod uncertainty;

use crossover::workbench::{Start, Workbench};
use crossover_needs::{wait_until, wait_until_ok};
use crossover_page::command::Command;
use crossover_placement::Placement;
use crossover_placement_page as placement;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

type Window = Harness<'static, Workbench>;

/// The window at 1280×800 with the published scenario.
fn window() -> Window {
    window_with(Start::default())
}

fn window_with(start: Start) -> Window {
    let mut window = Harness::builder()
        .with_size([1280.0, 800.0])
        .with_os(egui::os::OperatingSystem::Nix)
        .with_max_steps(24)
        .build_eframe(move |creation| Workbench::new(creation, start));
    settle(&mut window);
    window
}

/// Runs frames until jobs on other threads have ended and their results are on screen.
fn settle(window: &mut Window) {
    wait_until_ok("the end of all work", || {
        window.run_steps(3);
        if window.state().is_busy() { Err(window.state().busy_with().join(", ")) } else { Ok(()) }
    });
    window.run_steps(3);
}

/// Runs frames until something is so.
fn until(window: &mut Window, what: &str, mut is_so: impl FnMut(&Window) -> bool) {
    wait_until(what, || {
        let holds = is_so(window);
        if !holds {
            window.run_steps(1);
        }
        holds
    });
}

/// Types into a field and leaves it.
fn enter(window: &mut Window, role: Role, field: &str, text: &str) {
    window.get_by_role_and_label(role, field).focus();
    window.run_steps(2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.run_steps(1);
    window.event(egui::Event::Text(text.to_owned()));
    window.run_steps(1);
    window.key_press(egui::Key::Enter);
    settle(window);
}

/// Types into a number field and leaves it.
fn enter_number(window: &mut Window, field: &str, text: &str) {
    enter(window, Role::SpinButton, field, text);
}

/// Answers the question for a path.
fn type_path(window: &mut Window, path: &std::path::Path) {
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.run_steps(1);
    window.event(egui::Event::Text(path.display().to_string()));
    window.run_steps(2);
    window.key_press(egui::Key::Enter);
    settle(window);
}

fn send(window: &mut Window, command: Command) {
    window.state_mut().send(command);
    settle(window);
}

/// Whether pictures can be drawn; where not, the test that asks is told of as not run.
fn can_draw() -> bool {
    crossover_needs::gpu_adapter(crossover_gpu_bench::gpu::adapter::list().first()).is_some()
}

fn study(window: &Window) -> &Placement {
    window.state().active().and_then(|document| document.scenario.placement()).expect("a placement study")
}

/// What the placement page shows.
fn board(window: &Window) -> &placement::Board {
    view(window).board().expect("something is placed")
}

fn view(window: &Window) -> &placement::View {
    window.state().active().and_then(|document| document.view.page()).expect("a placement study is on screen")
}
