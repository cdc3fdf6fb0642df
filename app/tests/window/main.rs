//! The window as a user meets it: found by accessible names, driven by pointer and keys, no display needed.

mod allocation;
#[cfg(target_os = "linux")]
mod calibrate;
mod closing;
mod compare;
mod deciding;
mod deciding_answer;
mod deciding_application;
mod deciding_fields;
mod deciding_missing;
mod deciding_steps;
mod editing;
mod empty;
mod engines;
mod every_page;
mod files;
mod first_examples;
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
mod tool_targets;
mod tour;
mod uncertainty;

use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crossover::workbench::{Start, Workbench};
use crossover_needs::{wait_until, wait_until_ok};
use crossover_page::command::Command;
use crossover_placement::Placement;
use crossover_placement_page as placement;
use egui::ViewportId;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

/// That of the program: each frame makes and drops thousands of texts and shapes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Window = Harness<'static, Workbench>;

/// Longest time without a frame while jobs work: a desktop draws a window anew now and then.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// The same where a state of these jobs may be waited for, which does not last.
const SHORT_PAUSE: Duration = Duration::from_millis(5);

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
    let wakes = Wakes::of(window);
    wait_until_ok("the end of all work", || {
        wakes.forget();
        run_requested(window);
        if !window.state().is_busy() {
            return Ok(());
        }
        wakes.wait(window, LONGEST_PAUSE);
        Err(window.state().busy_with().join(", "))
    });
    window.run_steps(3);
}

/// Runs a frame, and the next ones as long as each requests another one at once: at most three, as an animation always does.
fn run_requested(window: &mut Window) {
    for _ in 0..3 {
        window.step();
        if !next_frame(window).is_zero() {
            return;
        }
    }
}

/// How long after the last frame that frame requested the next one.
fn next_frame(window: &Window) -> Duration {
    window.output().viewport_output[&ViewportId::ROOT].repaint_delay
}

/// Requests of other threads for a frame. Between frames a test waits for one, as the event loop of a desktop does: more frames would
/// take the processor from the jobs that the test waits for.
struct Wakes(Receiver<()>);

impl Wakes {
    /// Those from now on. The next call for this window ends it.
    fn of(window: &Window) -> Self {
        let (waker, wakes) = channel();
        let own_thread = thread::current().id();
        window.ctx.set_repaint_observer(move |_| {
            if thread::current().id() != own_thread {
                // An error: the wait is over.
                waker.send(()).unwrap_or_default();
            }
        });
        Self(wakes)
    }

    /// Forgets those so far, which the next frame answers.
    fn forget(&self) {
        while self.0.try_recv().is_ok() {}
    }

    /// Waits until the next frame is due, by a job or by the last frame, at most so long.
    fn wait(&self, window: &Window, longest: Duration) {
        // An error: that time is over.
        _ = self.0.recv_timeout(next_frame(window).min(longest));
    }
}

/// Runs frames until something is so.
fn until(window: &mut Window, what: &str, mut is_so: impl FnMut(&Window) -> bool) {
    let wakes = Wakes::of(window);
    wait_until(what, || {
        let holds = is_so(window);
        if !holds {
            wakes.forget();
            window.run_steps(1);
            wakes.wait(window, SHORT_PAUSE);
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

/// Picks the number at a path by the search field on the screen.
fn pick_number(window: &mut Window, path: &str) {
    window.get_by_role_and_label(Role::SearchInput, "search a number").click();
    window.run_steps(2);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.event(egui::Event::Text(path.to_owned()));
    window.run_steps(2);
    window.get_by(|node| node.label().is_some_and(|label| label.ends_with(&format!(" ({path})")))).click_accesskit();
    settle(window);
}

fn send(window: &mut Window, command: Command) {
    window.state_mut().send(command);
    settle(window);
}

/// Whether pictures can be drawn; where not, the calling test is reported as not run.
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
