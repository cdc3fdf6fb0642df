//! Opens the real window: on wgpu, else on OpenGL.

use crossover_page::start::{PlanReader, Start};
use crossover_page::storage::scenario::Loaded;
use crossover_page::terminal;
use crossover_telemetry::Opener;
use std::any::Any;
use std::cell::Cell;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, anyhow};
use crossover_quantity::text::Printable;
use eframe::{CreationContext, NativeOptions, Renderer, icon_data};

use crate::drawing;
use crate::window_state;
use crate::workbench::Workbench;

/// Name of the folder for the window's data.
const APP_ID: &str = "crossover";
/// Icon of the window: `assets/desktop/crossover.svg` in pixels.
const ICON: &[u8] = include_bytes!("../../assets/desktop/crossover.png");
/// Frames that a smoke test draws.
const SMOKE_FRAMES: u32 = 5;

/// The outcome of opening the window.
pub enum Opened {
    /// It was shown, and closed by the user.
    Shown,
    /// There is no display; the text is the reason.
    NoDisplay(String),
}

/// Opens the window with scenarios (none: the published one), dropped paths, and the problems of further files; returns
/// when it is closed. If no adapter for wgpu is found, OpenGL is tried.
///
/// # Errors
/// If there is a display, but neither renderer works on it.
pub fn open(loaded: Vec<Loaded>, dropped: Vec<PathBuf>, mut problems: Vec<String>, smoke_test: bool) -> Result<Opened> {
    env_logger::Builder::new()
        .filter_module(env!("CARGO_CRATE_NAME"), log::LevelFilter::Warn)
        .parse_env(env_logger::Env::new().filter("CROSSOVER_LOG"))
        // Names of files and of what is in them are in these lines.
        .format(|line, record| {
            let text = Printable::from(record.args().to_string());
            writeln!(line, "[{} {}] {}", record.level(), record.target(), text.message())
        })
        .init();
    let started = Instant::now();
    let folder = eframe::storage_dir(APP_ID);
    problems.extend(folder.as_deref().and_then(window_state::repair));
    let start = Start {
        loaded,
        offers_start: true,
        problems,
        dropped,
        open_files_folder: folder.as_ref().map(|folder| folder.join("open")),
        recovery_folder: folder.as_ref().map(|folder| folder.join("unsaved")),
        tabs_file: folder.as_ref().filter(|_| !smoke_test).map(|folder| folder.join("tabs.ron")),
        fleets_folder: folder.as_ref().map(|folder| folder.join("fleets")),
        has_file_dialog: crate::jobs::has_file_dialog(),
        measurements_folder: crossover_gpu_bench::report::history::folder(),
        measuring_program: None,
        telemetry: Opener::default(),
        plan_reader: PlanReader::default(),
    };
    let is_shown = Cell::new(false);
    let draw = || match run(Renderer::Wgpu, &start, smoke_test.then_some(started), &is_shown) {
        Err(eframe::Error::Wgpu(error)) => {
            log::warn!("no adapter for wgpu ({error}); trying OpenGL");
            run(Renderer::Glow, &start, smoke_test.then_some(started), &is_shown)
        }
        other => other,
    };
    let outcome = match catch_unwind(AssertUnwindSafe(draw)) {
        Ok(outcome) => outcome,
        Err(panic) if text_of(&*panic).is_some_and(is_gone) => {
            terminal::message(GONE);
            return Ok(Opened::Shown);
        }
        Err(panic) => resume_unwind(panic),
    };
    match outcome {
        Ok(()) => Ok(Opened::Shown),
        // The display ended while the window was on it.
        Err(eframe::Error::WinitEventLoop(_)) if is_shown.get() && !smoke_test => {
            terminal::message(GONE);
            Ok(Opened::Shown)
        }
        Err(error @ (eframe::Error::Winit(_) | eframe::Error::WinitEventLoop(_))) if !smoke_test => {
            Ok(Opened::NoDisplay(error.to_string()))
        }
        Err(error) => Err(anyhow!(
            "cannot open the window: {error}. Install a Vulkan or OpenGL driver (Debian: mesa-vulkan-drivers, \
             libegl1), or use `crossover evaluate`"
        )),
    }
}

/// What is said if the window was destroyed.
const GONE: &str =
    "another program closed the window, or its display server ended; unsaved edits are offered at the next start";

/// Whether the text of a panic says that the window is gone: winit takes the next answer of the X server about it for granted.
/// Another program can destroy the window (`X11Error`), and `xkill` or the end of the server breaks the connection.
#[must_use]
pub fn is_gone(panic: &str) -> bool {
    let is_destroyed = ["error_kind: Drawable", "error_kind: Window"].iter().any(|kind| panic.contains(kind));
    panic.contains("X11Error") && is_destroyed || panic.contains("Connection(IoError(")
}

fn text_of(panic: &(dyn Any + Send)) -> Option<&str> {
    panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied())
}

/// `is_shown` becomes true once the window is there.
fn run(renderer: Renderer, start: &Start, smoke_test: Option<Instant>, is_shown: &Cell<bool>) -> eframe::Result {
    let mut viewport = egui::ViewportBuilder::default()
        .with_app_id(APP_ID)
        .with_title("Crossover")
        .with_inner_size([1280.0, 800.0])
        .with_min_inner_size([480.0, 320.0])
        .with_drag_and_drop(true);
    match icon_data::from_png_bytes(ICON) {
        Ok(icon) => viewport = viewport.with_icon(icon),
        Err(error) => log::warn!("the icon of the window: {error}"),
    }
    let mut options =
        NativeOptions { viewport, renderer, persist_window: smoke_test.is_none(), ..NativeOptions::default() };
    drawing::allow_large(&mut options.wgpu_options);
    let start = start.clone();
    eframe::run_native(
        APP_ID,
        options,
        Box::new(move |creation: &CreationContext<'_>| {
            let mut workbench = Workbench::new(creation, start);
            if let Some(state) = &creation.wgpu_render_state {
                workbench.limit_size(drawing::guard(&state.device));
            }
            is_shown.set(true);
            Ok(match smoke_test {
                Some(started) => Box::new(SmokeTest { workbench, started, frames: 0, seconds: 0.0 }),
                None => Box::new(workbench),
            })
        }),
    )
}

/// The real window: prints the time of its first frame, and closes.
struct SmokeTest {
    workbench: Workbench,
    started: Instant,
    frames: u32,
    seconds: f64,
}

impl eframe::App for SmokeTest {
    fn logic(&mut self, ctx: &egui::Context, frame: &mut eframe::Frame) {
        self.workbench.logic(ctx, frame);
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        self.workbench.ui(ui, frame);
        self.frames += 1;
        if self.frames == 2 {
            // The second frame begins when the first is on screen.
            self.seconds = self.started.elapsed().as_secs_f64();
        }
        if self.frames == SMOKE_FRAMES {
            // The test that reads this line fails without it.
            let line =
                format!("smoke test: first frame after {:.2} s, renderer {}", self.seconds, self.workbench.adapter());
            drop(terminal::print(&(line + "\n")));
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
        }
        ui.ctx().request_repaint();
    }

    fn on_exit(&mut self, gl: Option<&eframe::glow::Context>) {
        self.workbench.on_exit(gl);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_another_program_destroyed_is_told_from_a_fault() {
        // What winit 0.30 panics with, as x11rb prints an error of the X server.
        let gone = "called `Result::unwrap()` on an `Err` value: X11(X11Error { error_kind: Drawable, error_code: 9, sequence: 120, \
                    bad_value: 2097154, minor_opcode: 0, major_opcode: 14, extension_name: None, request_name: Some(\"GetGeometry\") })";
        assert!(is_gone(gone) && is_gone(&gone.replace("Drawable", "Window")));
        let broken = "called `Result::unwrap()` on an `Err` value: Connection(IoError(Custom { kind: Other, error: UnknownError }))";
        assert!(is_gone(broken), "the connection ended, as by xkill");
        for fault in ["index out of bounds", "X11Error { error_kind: Alloc }", "error_kind: Drawable"] {
            assert!(!is_gone(fault), "{fault}");
        }
    }

    /// `UPDATE_SNAPSHOTS=1 cargo test -p crossover --lib icon` draws it anew.
    #[test]
    fn the_icon_is_the_drawing_in_pixels() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/desktop/crossover.png");
        let drawing = include_str!("../../assets/desktop/crossover.svg");
        let drawn = crossover_chart::png::encode(drawing, 1.0).expect("a picture");
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(path, &drawn).expect("the icon can be written");
        }
        let pixels = |bytes: &[u8]| icon_data::from_png_bytes(bytes).expect("a picture");
        let (drawn, kept) = (pixels(&drawn), pixels(&std::fs::read(path).expect("the icon")));
        assert_eq!([kept.width, kept.height], [256, 256]);
        // Processors round the edges of shapes differently.
        let far = drawn.rgba.iter().zip(&kept.rgba).filter(|(drawn, kept)| drawn.abs_diff(**kept) > 2).count();
        assert_eq!((far, drawn.rgba.len()), (0, kept.rgba.len()));
    }
}
