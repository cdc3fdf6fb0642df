//! The Calibrate page, fed by programs that play a recorded run.

mod appearance;
mod applying;
mod process;

use std::path::Path;
use std::time::Duration;

use crossover::workbench::{Start, Workbench};
use crossover_calibrate_page::{State, TOOL};
use crossover_gpu_bench::gpu::adapter::Description;
use crossover_gpu_bench::report::file;
use crossover_needs::wait_until;
use crossover_page::command::Command;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use egui_kittest::{Harness, HarnessBuilder};
use tempfile::TempDir;

use super::layout::assert_layout_except;
use super::recorded::{self, device, program};
use super::report::assert_exports;
use super::{Window, can_draw, send, settle, until, window_with};

/// Measures all of the recorded run.
const WHOLE: &str = "cat \"$events\"";
/// Measures the first ten and waits for a wish to end; then ends as the measuring process does.
const WAITING: &str = "head -n 22 \"$events\"; read wish; echo \"$wish\" > \"$folder/wish\"; \
                       cat \"$folder/cancelled.jsonl\"; exit 130";
/// Measures the first ten and breaks down.
const CRASHING: &str = "head -n 22 \"$events\"; echo 'the driver gave up' >&2; kill -SEGV $$";

/// The page, opened through the command, with a program that measures in the folder.
pub(super) struct Page {
    pub(super) folder: TempDir,
    pub(super) window: Window,
}

fn page(measure: &str) -> Page {
    page_with(&[device(false)], measure, false, |harness| harness.with_size([1280.0, 800.0]))
}

fn page_with(
    devices: &[Description],
    measure: &str,
    is_software: bool,
    build: impl FnOnce(HarnessBuilder<Workbench>) -> HarnessBuilder<Workbench>,
) -> Page {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = folder.path().join("runs");
    std::fs::create_dir(&runs).expect("a folder");
    let start = Start {
        measuring_program: Some(program(folder.path(), devices, measure, is_software)),
        measurements_folder: Some(runs),
        ..Start::default()
    };
    let builder = build(Harness::builder()).with_os(egui::os::OperatingSystem::Nix).with_max_steps(24);
    let mut window = builder.build_eframe(move |creation| Workbench::new(creation, start));
    settle(&mut window);
    send(&mut window, Command::ShowTool(TOOL));
    Page { folder, window }
}

impl Page {
    /// Runs frames until something is so.
    fn until(&mut self, what: &str, is_so: impl Fn(&Window) -> bool) {
        until(&mut self.window, what, is_so);
        settle(&mut self.window);
    }

    /// Presses the button of this name.
    fn press(&mut self, button: &str) {
        self.window.get_by_role_and_label(Role::Button, button).click();
        settle(&mut self.window);
    }

    /// Starts, and waits until so many are measured.
    fn measure(&mut self, count: usize) {
        self.press("Start");
        self.until("measurements", |window| results(window) >= count);
    }

    /// Starts, and waits for the end.
    fn finish(&mut self) {
        self.press("Start");
        self.until("the end", |window| !run(window).is_going_on());
    }

    /// Runs frames with the pointer outside the window: nothing is hovered.
    fn rest(&mut self) {
        self.window.remove_cursor();
        self.window.run_steps(4);
    }

    /// Compares the layout, without how long this run took.
    #[track_caller]
    fn assert_layout(&self, name: &str) {
        assert_layout_except(&[" elapsed", "Duration: "], name, &self.window);
    }

    fn shows(&self, text: &str) -> bool {
        self.window.query_all_by_label_contains(text).next().is_some()
    }

    /// The process that measures.
    fn process(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("pid")).expect("a process").trim().to_owned()
    }

    fn is_alive(&self) -> bool {
        // What has ended and is not waited for yet is a zombie, "Z".
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process()));
        stat.is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| !rest.trim().starts_with('Z')))
    }
}

fn run(window: &Window) -> &crossover_calibrate_page::Run {
    window.state().calibrate().and_then(|page| page.run()).expect("a run")
}

fn results(window: &Window) -> usize {
    run(window).results().len()
}

fn total() -> usize {
    recorded::report(false).results.len()
}

#[test]
fn the_first_visit_says_what_it_does_and_needs() {
    let page = page(WHOLE);
    assert!(page.shows("checks every result against the CPU"));
    assert!(page.shows("needs an otherwise idle machine"));
    assert!(page.window.query_by_label("Start").is_some());
    assert!(page.window.state().calibrate().expect("open").run().is_none());
}

#[test]
fn a_run_is_asked_for_with_the_arguments_that_the_command_line_takes() {
    let mut page = page(WHOLE);
    page.finish();
    let arguments = std::fs::read_to_string(page.folder.path().join("arguments")).expect("called");
    assert_eq!(arguments, "bench list --json\nbench run --events --suite quick --device 0\n");
}

#[test]
fn progress_and_rows_grow_while_it_measures() {
    let mut page = page(WAITING);
    page.measure(10);
    assert!(page.shows(&format!("10 of {}", total())));
    assert!(page.shows("elapsed"));
    assert!(page.shows("memory.copy") && page.shows("filter.ordered"));
    assert!(page.shows("The curves are fitted when the run ends."));
    assert!(page.window.query_by_label("Start").is_none(), "one run at a time");
}

#[test]
fn a_whole_run_answers_its_questions() {
    let mut page = page(WHOLE);
    page.finish();
    assert_eq!(*run(&page.window).state(), State::Finished);
    let left_out = recorded::report(false).results.iter().filter(|result| result.time.is_none()).count();
    assert!(left_out > 0);
    let (measured, table) = (total() - left_out, "(see the remarks in the table)");
    assert!(page.shows(&format!("Finished: {measured} measured, {left_out} without a value {table}.")));
    // 5 µs + 0.1 GB / 2.5 GB/s; 30 µs + 0.1 / 15; 12 µs + 0.1 / 900; 80 µs + 0.1 / 20. The second and the last
    // meet at 50 µs / (1/15 − 1/20 s/GB) = 3 MB.
    assert!(page.shows(
        "100 MB take 40 ms on one core, 6.697 ms on all cores, 123.1 µs on the GPU with resident data and \
         5.08 ms on the GPU end to end; end to end the GPU is faster than all cores above 3 MB."
    ));
    assert!(page.shows("memory.copy reaches the largest share of its bandwidth, 100 %; sort.keys the smallest, 12 %"));
    assert!(page.shows("2 of the 3 predictions are within 3.1 % of the measurement; the largest error is 5.3 %"));
    assert_exports(&mut page.window, "From how much data is the GPU faster?", "\"CPU, one core\",mark,,");
    // 100 MB of the join: (5 µs + 0.4 s) / (20 µs + 0.8333 ms).
    assert!(page.shows("is largest for the join: 468.8× over one core"));
}

#[test]
fn what_was_skipped_or_wrong_says_why() {
    let mut page = page(WHOLE);
    page.finish();
    page.press("2 without a value");
    assert!(page.shows("no value: the device has no subgroups"));
    assert!(page.shows("no value: word 7 is 3, not 2"));
}

#[test]
fn the_table_is_narrowed_by_words() {
    let mut page = page(WHOLE);
    page.finish();
    let rows = |page: &Page| page.window.query_all_by_role(Role::Row).count();
    assert!(rows(&page) > 2);
    page.window.get_by_label("filter of measurements").focus();
    settle(&mut page.window);
    page.window.event(egui::Event::Text("end sort rows 33.55".into()));
    settle(&mut page.window);
    // The sort from host memory to host memory of 128 MiB: 33.55 million words.
    assert_eq!(rows(&page), 1);
    assert!(page.shows("end_to_end.sort, end to end, rows 33.55 M"));
}

#[test]
fn a_run_of_one_size_is_a_table_without_curves() {
    let mut page = page(WHOLE);
    let mut report = recorded::report(false);
    report.results.retain(|one| one.bytes_logical == 1_048_576.0);
    report.calibration = None;
    file::write(&page.folder.path().join("runs/one.json"), &report).expect("written");
    send(&mut page.window, Command::CloseTab);
    send(&mut page.window, Command::ShowTool(TOOL));
    page.press("2026-01-02 10:11");
    assert!(page.shows("Only one size was measured, so there are no curves"));
    assert!(!page.shows("From how much data is the GPU faster?"));
    // 5 µs + 1 MiB / 2.5 GB/s.
    assert!(page.shows("424.4 µs"));
}

#[test]
fn a_picked_row_says_what_it_measures() {
    let mut page = page(WHOLE);
    two_runs(page.folder.path());
    page.finish();
    page.press("2026-01-02 10:11");
    let benchmark = crossover_gpu_bench::benchmarks::find("memory.copy").expect("there");
    let explained = format!("{} Bytes transferred: {}.", benchmark.explains, benchmark.traffic);
    assert!(!page.shows(&explained));
    page.window.query_all_by_label("memory.copy").next().expect("a row").click();
    settle(&mut page.window);
    assert!(page.shows(&explained));
}

#[test]
fn a_software_adapter_gives_no_speedup_and_no_figure_of_a_gpu() {
    let mut page = page_with(&[device(true)], WHOLE, true, |harness| harness.with_size([1280.0, 800.0]));
    assert!(page.shows("it runs on the CPU and gives no GPU speedup"));
    page.finish();
    assert!(page.shows("Example rasteriser is a software adapter: every kernel ran, but on the CPU"));
    assert!(!page.shows("speedup is largest"));
    assert!(!page.shows("share of the memory bandwidth"));
    page.press("Apply to scenario…");
    assert!(page.shows("its measurements do not describe a GPU"));
    assert!(page.window.query_by_label("Apply bus.to_gpu_gb_per_s").is_none());
    assert!(page.window.query_by_label("Apply operators.filter.cpu_seconds_per_100mb").is_some());
}

#[test]
fn without_a_gpu_the_cpu_alone_is_measured() {
    let mut page = page_with(&[], WHOLE, false, |harness| harness.with_size([1280.0, 800.0]));
    assert!(page.shows("No GPU was found; you can measure the CPU only."));
    page.finish();
    let arguments = std::fs::read_to_string(page.folder.path().join("arguments")).expect("called");
    assert!(arguments.ends_with("--suite quick --cpu-only\n"), "{arguments}");
}

/// Puts two runs into the folder, the second with a filter that is twice as fast on one core.
fn two_runs(folder: &Path) {
    let first = recorded::report(false);
    let mut second = first.clone();
    second.time = "2026-01-03T10:11:12Z".into();
    for one in second.results.iter_mut().filter(|one| one.id == "filter.ordered" && one.threads == 1) {
        let time = one.time.as_mut().expect("a time");
        time.median_s /= 2.0;
        time.ci95_s = (time.ci95_s.0 / 2.0, time.ci95_s.1 / 2.0);
    }
    for (name, report) in [("a.json", &first), ("b.json", &second)] {
        file::write(&folder.join("runs").join(name), report).expect("written");
    }
}

/// The page that lists these two.
pub(super) fn with_two_runs() -> Page {
    let mut page = page(WHOLE);
    two_runs(page.folder.path());
    send(&mut page.window, Command::CloseTab);
    send(&mut page.window, Command::ShowTool(TOOL));
    page
}

#[test]
fn a_restart_shows_the_run_that_was_on_screen() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("runs")).expect("a folder");
    two_runs(folder.path());
    let measuring = program(folder.path(), &[device(false)], WHOLE, false);
    let start = || Start {
        measuring_program: Some(measuring.clone()),
        measurements_folder: Some(folder.path().join("runs")),
        tabs_file: Some(folder.path().join("tabs.ron")),
        ..Start::default()
    };
    let mut window = window_with(start());
    send(&mut window, Command::ShowTool(TOOL));
    window.get_by_role_and_label(Role::Button, "2026-01-02 10:11").click_accesskit();
    settle(&mut window);
    let shown = run(&window).state().clone();
    assert_eq!(shown, State::Loaded(folder.path().join("runs").join("a.json")));
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);
    let mut window = window_with(start());
    until(&mut window, "the run", |window| window.state().calibrate().is_some_and(|page| page.run().is_some()));
    assert_eq!(*run(&window).state(), shown);
}

#[test]
fn earlier_runs_are_listed_opened_compared_and_deleted() {
    let mut page = with_two_runs();
    page.press("2026-01-03 10:11");
    assert!(matches!(run(&page.window).state(), State::Loaded(_)));
    assert_eq!(results(&page.window), total());
    for when in ["2026-01-02 10:11", "2026-01-03 10:11"] {
        page.window.get_by_label(&format!("Compare the run of {when}")).click();
        settle(&mut page.window);
    }
    page.press("Compare");
    // Five sizes on one core; two measurements have no time to compare.
    let same = total() - 2 - 5;
    assert!(
        page.shows(&format!("{} common measurements, 5 are faster, 0 slower, {same} the same and 2 unclear", total()))
    );
    page.press("unclear 2");
    assert!(page.shows("old: word 7 is 3, not 2; new: word 7 is 3, not 2"));
    page.press("Back to the run");
    page.press("Delete the run of 2026-01-02 10:11");
    page.press("Keep it");
    assert!(page.folder.path().join("runs/a.json").exists());
    page.press("Delete the run of 2026-01-02 10:11");
    page.press("Delete the run");
    assert!(!page.folder.path().join("runs/a.json").exists());
    assert!(page.window.query_by_label("2026-01-02 10:11").is_none());
    assert!(page.window.query_by_label("2026-01-03 10:11").is_some());
}

#[test]
fn a_second_command_shows_the_page_that_is_open() {
    let mut page = page(WHOLE);
    send(&mut page.window, Command::SelectTab(0));
    assert!(page.window.state().active().is_some());
    send(&mut page.window, Command::ShowTool(TOOL));
    assert!(page.window.state().active().is_none(), "the page is on screen, no document");
    send(&mut page.window, Command::NextTab);
    assert!(page.window.state().active().is_some(), "tabs go round");
    assert_eq!(page.window.get_all_by_label("Calibrate").count(), 1);
}

#[test]
fn a_device_that_draws_the_window_is_warned_about() {
    if !can_draw() {
        return;
    }
    let page = pictured([800.0, 600.0], WHOLE);
    assert!(!page.shows("also draws the window"));
    let adapter = page.window.state().adapter();
    let name = adapter.strip_prefix("wgpu (").and_then(|rest| rest.rsplit_once(", ")).expect("drawn by wgpu").0;
    let device = Description { name: name.to_owned(), ..device(false) };
    let page = page_with(&[device], WHOLE, false, HarnessBuilder::wgpu);
    assert!(page.shows("This device also draws the window"));
}

#[test]
fn measuring_repaints_at_most_twice_a_second_and_a_finished_run_not_at_all() {
    let repaint = |page: &mut Page| {
        page.window.run_steps(6);
        page.window.output().viewport_output[&egui::ViewportId::ROOT].repaint_delay
    };
    let mut page = page(WAITING);
    page.measure(10);
    page.window.remove_cursor();
    let delays: Vec<Duration> = (0..20).map(|_| repaint(&mut page)).collect();
    assert!(delays.iter().all(|delay| !delay.is_zero() && *delay <= Duration::from_secs(1)), "{delays:?}");
    // At the next whole second of the run: how far that is changes with the time.
    wait_until("a pause between two frames", || repaint(&mut page) > Duration::from_millis(100));
    page.press("Cancel");
    page.until("the end", |window| !run(window).is_going_on());
    page.window.remove_cursor();
    assert!(repaint(&mut page) > Duration::from_mins(1));
}

/// The page with a renderer, for a picture.
fn pictured(size: [f32; 2], measure: &str) -> Page {
    let build = |harness: HarnessBuilder<Workbench>| harness.with_size(size).with_theme(egui::Theme::Light).wgpu();
    page_with(&[device(false)], measure, false, build)
}
