//! "This machine": a scripted source instead of NVIDIA's driver, and recordings as demand.

mod recordings;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crossover::workbench::{Start, Workbench};
use crossover_page::command::Command;
use crossover_regulation::Regulation;
use crossover_regulation_page::{self as regulation, Request};
use crossover_scenario as scenario;
use crossover_telemetry::scripted::{Scripted, Step, device, reading, vanished};
use crossover_telemetry::{Activity, Device, Opener, Sample, Source, SourceError};
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

use super::super::layout::assert_layout;
use super::super::{Window, can_draw, send, settle, type_path};

/// The published example: two clusters I and II, the controller PID with kp 1, ki 0.3, kd 0.5.
const PUBLISHED: &str = include_str!("../../../../scenarios/regulation-published.ron");

fn watch() -> Command {
    Command::ask(Request::Watch)
}

fn opener(script: Scripted) -> Opener {
    Opener::new(move || Ok(Box::new(script.clone())))
}

/// Looks of one GPU, and then nothing any more.
fn polls(polls: impl IntoIterator<Item = [f64; 2]>) -> Opener {
    opener(Scripted::new(vec![device("NVIDIA H200")], samples(polls).chain([Step::Hang])))
}

/// One sample a second.
fn samples(polls: impl IntoIterator<Item = [f64; 2]>) -> impl Iterator<Item = Step> {
    polls.into_iter().enumerate().map(|(index, [pcie, load])| {
        Step::Sample(Sample { seconds: index as f64, readings: vec![reading(0, pcie, load)] })
    })
}

/// The published regulation study with a shorter sampling period, as a driver is not asked more often than that.
fn page(telemetry: Opener) -> Window {
    page_with(telemetry, |harness| harness.with_size([1280.0, 800.0]).with_max_steps(24))
}

fn page_with(
    telemetry: Opener,
    build: impl FnOnce(egui_kittest::HarnessBuilder<Workbench>) -> egui_kittest::HarnessBuilder<Workbench>,
) -> Window {
    let builder = build(Harness::builder()).with_os(egui::os::OperatingSystem::Nix);
    let start = Start { telemetry, ..Start::default() };
    let mut window = builder.build_eframe(move |creation| {
        let mut workbench = Workbench::new(creation, start);
        let text = PUBLISHED.replace("period_seconds: 1.0", "period_seconds: 0.1");
        workbench.show_only("published.ron".into(), scenario::read(&text).expect("a valid example"));
        workbench
    });
    settle(&mut window);
    window
}

fn view(window: &Window) -> &regulation::View {
    window.state().active().and_then(|document| document.view.page()).expect("a regulation study is on screen")
}

fn study(window: &Window) -> &Regulation {
    window.state().active().and_then(|document| document.scenario.regulation()).expect("a regulation study")
}

/// Runs frames until something is so.
fn until(window: &mut Window, what: &str, is_so: impl Fn(&Window) -> bool) {
    super::super::until(window, what, is_so);
    settle(window);
}

/// Begins to watch, and waits for so many samples.
fn watch_until(window: &mut Window, count: usize) {
    send(window, watch());
    until(window, "samples", |window| view(window).live().sample_count() >= count);
}

fn shows(window: &Window, text: &str) -> bool {
    window.query_all_by_label_contains(text).next().is_some()
}

fn press(window: &mut Window, button: &str) {
    window.get_by_role_and_label(Role::Button, button).click();
    settle(window);
}

fn show_section(window: &mut Window) {
    window.get_by_label("This machine").click();
    settle(window);
}

#[test]
fn the_first_visit_says_that_it_is_advice_only() {
    let mut window = page(polls([[1.0, 0.5]]));
    show_section(&mut window);
    assert!(shows(&window, "Read-only: no GPU setting is changed."));
    assert!(!view(&window).live().is_watching());
    press(&mut window, "Start monitoring");
    until(&mut window, "a sample", |window| view(window).live().sample_count() == 1);
}

#[test]
fn samples_are_plotted_as_they_come() {
    let mut window = page(polls([[1.0, 0.5], [0.5, 0.5]]));
    watch_until(&mut window, 2);
    // (1.0 + 0.5) / 2 and (0.5 + 0.5) / 2.
    assert!(shows(&window, "On average p_p 75 %, p_d 50 %: transfer-bound."));
    // 1.0 − 0.5 lies outside ±0.1, 0.5 − 0.5 with a derivative of 0.5·(0 − 0.5) does too.
    assert!(shows(&window, "u lies outside the dead zone in 2 of 2 samples."));
    assert!(shows(&window, "p_d is SM activity"));
    assert!(shows(&window, "PCIe 5.0 ×16"));
}

#[test]
fn advice_is_what_the_control_table_says_for_a_reading() {
    // e = 1.0 − 0.5 = 0.5 and kp = 1 give u = 0.5, which the row from 0.3 to 0.5 holds: 2 vGPUs less.
    let mut window = page(polls([[1.0, 0.5]]));
    watch_until(&mut window, 1);
    assert!(shows(&window, "The controller would release 2 vGPUs"));
    assert!(shows(&window, "e = p_p − p_d = +0.5, u = +0.5"));
    assert!(shows(&window, "+0.3 … +0.5"));
}

#[test]
fn another_bus_speed_is_an_assumption_that_changes_the_occupancy() {
    // The link carries 63.02 GB/s; on a bus of twice that the same rate is half as much.
    let mut window = page(polls([[1.0, 0.5]]));
    watch_until(&mut window, 1);
    let field = window.get_by_role_and_label(Role::SpinButton, "bus speed, one direction");
    field.click();
    settle(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.event(egui::Event::Text("126.03 GB/s".into()));
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    assert!(shows(&window, "entered by you"));
    assert!(shows(&window, "p_p 50 %, p_d 50 %"));
    assert!(shows(&window, "The controller would change nothing"));
    press(&mut window, "Use the link's");
    assert!(shows(&window, "The controller would release 2 vGPUs"));
}

#[test]
fn a_source_that_fails_says_why_and_what_was_seen_stays() {
    let failing = [Step::Fail(SourceError::new("The GPU has fallen off the bus", "Restart the machine."))];
    let script = Scripted::new(vec![device("NVIDIA H200")], samples([[1.0, 0.5], [0.9, 0.5]]).chain(failing));
    let mut window = page(opener(script));
    send(&mut window, watch());
    until(&mut window, "the end", |window| !view(window).live().is_watching());
    assert!(shows(&window, "The GPU has fallen off the bus. Restart the machine."));
    assert_eq!(view(&window).live().sample_count(), 2);
    assert!(shows(&window, "Restart monitoring"));
    assert!(shows(&window, "Save recording…"));
}

#[test]
fn a_machine_without_a_driver_is_told_what_to_do_instead() {
    let none = || Err(SourceError::new("This machine has no NVIDIA driver", "Replay a recording instead."));
    let mut window = page(Opener::new(none));
    send(&mut window, watch());
    until(&mut window, "the answer", |window| !view(window).live().is_watching());
    assert!(shows(&window, "This machine has no NVIDIA driver. Replay a recording instead."));
    assert!(window.query_by_label("Try again").is_some());
    assert!(window.query_by_label("Import a recording as demand…").is_some());
}

#[test]
fn a_gpu_that_vanishes_gets_no_advice_of_before() {
    let gone = Step::Sample(Sample { seconds: 1.0, readings: vec![vanished(0)] });
    let steps = samples([[1.0, 0.5]]).chain([gone, Step::Hang]);
    let mut window = page(opener(Scripted::new(vec![device("NVIDIA H200")], steps)));
    watch_until(&mut window, 2);
    assert!(shows(&window, "No advice now"));
    assert!(shows(&window, "The GPU does not respond"));
    assert!(!shows(&window, "would release"));
}

#[test]
fn the_data_of_the_page_are_what_its_charts_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("live.csv");
    let mut window = page(polls([[1.0, 0.5], [0.75, 0.75]]));
    show_section(&mut window);
    send(&mut window, Command::ExportData);
    assert!(window.state().messages().any(|text| text.contains("No samples yet")));
    watch_until(&mut window, 2);
    send(&mut window, Command::ExportData);
    type_path(&mut window, &path);
    let text = std::fs::read_to_string(&path).expect("written");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "seconds,pcie_occupancy,load,error,u");
    // kp is 1, and the integral begins with the second look.
    assert!(lines[1].starts_with("0,1,0.5,0.5,0.5"), "{text}");
    assert!(lines[2].starts_with("1,0.75,0.75,0,") && lines.len() == 3, "{text}");
}

#[test]
fn utilisation_is_not_taken_for_sm_activity() {
    let mut busy = reading(0, 0.5, 0.5);
    busy.activity = Some(Activity::Busy(0.5));
    let sample = Step::Sample(Sample { seconds: 0.0, readings: vec![busy] });
    let mut window = page(opener(Scripted::new(vec![device("NVIDIA T4")], [sample, Step::Hang])));
    watch_until(&mut window, 1);
    assert!(shows(&window, "p_d is NVML's utilisation"));
}

#[test]
fn one_of_several_gpus_is_looked_at() {
    let sample = Sample { seconds: 0.0, readings: vec![reading(0, 1.0, 0.5), reading(1, 0.5, 1.0)] };
    let devices = vec![device("NVIDIA H200"), device("NVIDIA H100")];
    let script = Scripted::new(devices, [Step::Sample(sample), Step::Hang]);
    let mut window = page(opener(script));
    watch_until(&mut window, 1);
    assert!(shows(&window, "would release 2 vGPUs"));
    window.get_by_role_and_label(Role::ComboBox, "monitored GPU").click();
    settle(&mut window);
    window.get_by_label("1: NVIDIA H100").click();
    settle(&mut window);
    // e = 0.5 − 1.0 = −0.5: the row from −0.5 to −0.3.
    assert!(shows(&window, "would request 2 vGPUs"));
}

#[test]
fn a_sampling_period_beyond_what_a_driver_can_do_is_bounded_and_said() {
    let mut window = page(polls([]));
    window.state_mut().edit_active(|scenario| {
        scenario.study.regulation_mut().expect("a regulation study").run.period_seconds = 0.001;
    });
    settle(&mut window);
    show_section(&mut window);
    assert!(shows(&window, "One sample every 100 ms: the study's sampling period is shorter"));
}

/// A source that says when it is dropped.
struct Endless {
    devices: Vec<Device>,
    seconds: f64,
    open: Arc<AtomicUsize>,
}

impl Source for Endless {
    fn devices(&self) -> &[Device] {
        &self.devices
    }

    fn sample(&mut self) -> Result<Sample, SourceError> {
        self.seconds += 1.0;
        Ok(Sample { seconds: self.seconds, readings: vec![reading(0, 0.5, 0.5)] })
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A source without an end, and how many of it are open.
fn endless() -> (Opener, Arc<AtomicUsize>) {
    let open = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&open);
    let opener = Opener::new(move || {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(Endless { devices: vec![device("NVIDIA H200")], seconds: 0.0, open: Arc::clone(&count) }))
    });
    (opener, open)
}

#[test]
fn closing_the_tab_ends_the_thread() {
    let (opener, open) = endless();
    let mut window = page(opener);
    watch_until(&mut window, 2);
    assert_eq!(open.load(Ordering::SeqCst), 1);
    send(&mut window, Command::CloseTab);
    until(&mut window, "the thread's end", |_| open.load(Ordering::SeqCst) == 0);
}

#[test]
fn watching_goes_on_while_another_section_is_shown_and_ends_when_it_is_stopped() {
    let (opener, open) = endless();
    let mut window = page(opener);
    watch_until(&mut window, 1);
    window.get_by_label("Over time").click();
    settle(&mut window);
    assert!(view(&window).live().is_watching());
    send(&mut window, Command::ResetLayout);
    assert!(view(&window).live().is_watching(), "the layout is no recording");
    send(&mut window, watch());
    assert_eq!(open.load(Ordering::SeqCst), 1, "one watch is enough");
    show_section(&mut window);
    press(&mut window, "Stop");
    assert!(!view(&window).live().is_watching());
    until(&mut window, "the thread's end", |_| open.load(Ordering::SeqCst) == 0);
    let count = view(&window).live().sample_count();
    assert!(count >= 1, "what was seen stays");
}

#[test]
fn a_driver_that_hangs_is_said_and_holds_nothing_up() {
    let mut window = page(polls([[1.0, 0.5]]));
    watch_until(&mut window, 1);
    // Five periods of 0.1 s.
    until(&mut window, "a word about it", |window| shows(window, "The driver has not answered for 500 ms"));
    // The driver never answers, so who closes the page does not wait for it.
    send(&mut window, Command::CloseTab);
    assert!(window.state().documents().is_empty());
}

#[test]
fn a_page_without_a_new_sample_does_not_repaint() {
    let mut window = page(polls([[1.0, 0.5]]));
    watch_until(&mut window, 1);
    press(&mut window, "Stop");
    // Panics if the window asks for frame after frame.
    window.run();
    let delay = window.output().viewport_output[&egui::ViewportId::ROOT].repaint_delay;
    assert!(delay > Duration::from_hours(1), "the next repaint is in {delay:?}");
}

#[test]
fn a_placement_study_is_told_that_this_is_not_for_it() {
    let mut window = super::super::window();
    for command in [watch(), Command::ask(Request::IMPORT)] {
        send(&mut window, command);
        assert!(window.state().messages().any(|message| message.contains("regulation study")));
    }
}

/// Forty samples of a load that comes and goes.
fn wave() -> Opener {
    let at = |index: u8| {
        let angle = f64::from(index) / 8.0;
        [0.6 + 0.3 * angle.sin(), 0.5 + 0.2 * (1.3 * angle).cos()]
    };
    polls((0..40).map(at))
}

fn watch_forty(window: &mut Window) {
    watch_until(window, 40);
    press(window, "Stop");
    window.run_steps(6);
}

#[test]
fn the_section_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut window =
        page_with(wave(), |harness| harness.with_size([1280.0, 800.0]).with_theme(egui::Theme::Light).wgpu());
    send(&mut window, Command::ToggleInspector);
    show_section(&mut window);
    watch_forty(&mut window);
    window.snapshot("regulation-live-light");
}

#[test]
fn the_section_without_samples_and_the_question_for_a_recording_are_laid_out_as_agreed() {
    let mut window = page(wave());
    send(&mut window, Command::ToggleInspector);
    show_section(&mut window);
    assert_layout("regulation-live-empty", &window);
    watch_forty(&mut window);
    send(&mut window, Command::ask(Request::UseRecording));
    assert_layout("regulation-live-import", &window);
}
