//! "This machine": a scripted source instead of NVIDIA's driver, and recordings as demand.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crossover::workbench::{Start, Workbench};
use crossover_page::command::Command;
use crossover_quantity::provenance::Provenance;
use crossover_regulation::{Regulation, Shape};
use crossover_regulation_page::{self as regulation, Request};
use crossover_scenario as scenario;
use crossover_telemetry::scripted::{Scripted, Step, device, reading, vanished};
use crossover_telemetry::{Activity, Device, Opener, Sample, Source, SourceError};
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

use super::super::files::Dropped;
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

/// Answers the question for a recording with this path.
fn import(window: &mut Window, path: &Path) {
    send(window, Command::ask(Request::IMPORT));
    type_path(window, path);
}

fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> std::path::PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("written");
    path
}

/// Three seconds of a GPU that is half busy, at a quarter of a bus of 31.5 GB/s.
const GOOD: &str = "seconds,gpu,pcie_tx_gb_per_s,pcie_rx_gb_per_s,sm_active\n\
                    0,A,1.0,7.875,0.5\n\
                    1,A,1.0,7.875,0.25\n\
                    2,A,1.0,7.875,0.5\n";

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
fn a_good_recording_becomes_the_demand_in_one_undo_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "night.csv", GOOD);
    let mut window = page(polls([]));
    let before = study(&window).clone();
    import(&mut window, &path);
    assert!(shows(&window, "3 values, one every 1 s, 3 s in all: 2,500 TOPS … 5,000 TOPS"));
    press(&mut window, "Import");
    // 100 vGPUs × 100 TOPS, half and a quarter busy.
    let after = study(&window).clone();
    let demand = &after.clusters[0].demand;
    assert_eq!((demand.shape, demand.seconds_per_value), (Shape::Recorded, 1.0));
    assert_eq!(*demand.series, [5000.0, 2500.0, 5000.0]);
    // p_p is 7.875 of 31.5 GB/s, a quarter: the median of 5,000, 2,500 and 5,000 over that is 20,000 TOPS.
    assert!((after.clusters[0].pcie_tops - 20_000.0).abs() < 1e-6, "{}", after.clusters[0].pcie_tops);
    for path in ["clusters.I.demand.series", "clusters.I.pcie_tops"] {
        assert_eq!(after.sources.get(path), Some(&Provenance::Imported { file: "night.csv".into() }), "{path}");
    }
    assert_eq!(after.clusters[1], before.clusters[1]);
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), before);
    send(&mut window, Command::Redo);
    assert_eq!(*study(&window), after);
}

#[test]
fn the_cluster_and_whether_the_ceiling_is_taken_are_the_users_choice() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "night.csv", &GOOD.replace("7.875", "15.75"));
    let mut window = page(polls([]));
    let before = study(&window).clone();
    send(&mut window, Command::ask(Request::Import { cluster: Some("II".into()) }));
    type_path(&mut window, &path);
    // p_p is half of the bus.
    window.get_by_label("Set the transfer ceiling of II to 10,000 TOPS, now 20,000 TOPS").click();
    settle(&mut window);
    press(&mut window, "Import");
    assert_eq!(study(&window).clusters[0], before.clusters[0]);
    assert_eq!(study(&window).clusters[1].demand.series.len(), 3);
    assert_eq!(study(&window).clusters[1].pcie_tops, before.clusters[1].pcie_tops);
}

#[test]
fn a_cancelled_import_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "night.csv", GOOD);
    let mut window = page(polls([]));
    let before = study(&window).clone();
    import(&mut window, &path);
    press(&mut window, "Cancel");
    assert_eq!(*study(&window), before);
    assert!(!window.state().active().expect("open").can_undo());
}

#[test]
fn a_recording_with_a_hole_is_refused_with_file_line_and_field() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "hole.csv", "seconds,gpu,sm_active\n0,A,0.5\n1,A,\n2,A,0.5\n");
    let mut window = page(polls([]));
    let before = study(&window).clone();
    import(&mut window, &path);
    let message = window.state().messages().next().expect("a message").to_owned();
    assert!(message.starts_with(&format!("{}:3:5: sm_active: the value", path.display())), "{message}");
    assert_eq!(*study(&window), before);
    // It stays until it is read.
    window.step();
    press(&mut window, "Dismiss");
    assert_eq!(window.state().messages().count(), 0);
}

#[test]
fn a_dropped_recording_is_offered_on_a_regulation_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "night.csv", GOOD);
    let mut window = page(polls([]));
    window.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    settle(&mut window);
    assert!(shows(&window, "3 values, one every 1 s"));
    press(&mut window, "Import");
    assert_eq!(study(&window).clusters[0].demand.shape, Shape::Recorded);
}

#[test]
fn a_text_series_of_dcgm_exporter_becomes_the_demand_of_all_its_gpus() {
    let folder = tempfile::tempdir().expect("a folder");
    let scrape = |second: u32, first: f64, other: f64| {
        let metric = "DCGM_FI_PROF_SM_ACTIVE";
        let time = second * 1000;
        format!("{metric}{{gpu=\"0\"}} {first} {time}\n{metric}{{gpu=\"1\"}} {other} {time}\n")
    };
    let path = written(&folder, "scrapes.prom", &[scrape(0, 0.5, 1.0), scrape(30, 0.5, 0.0)].concat());
    let mut window = page(polls([]));
    import(&mut window, &path);
    window.get_by_role_and_label(Role::ComboBox, "GPU of the recording").click();
    settle(&mut window);
    window.get_by_label("all GPUs").click();
    settle(&mut window);
    assert!(shows(
        &window,
        "No transfer ceiling is proposed. The recording lacks the PCIe transfer of at least one GPU."
    ));
    press(&mut window, "Import");
    let demand = &study(&window).clusters[0].demand;
    // 100 vGPUs × 100 TOPS, as busy as both on average: (0.5 + 1) / 2 and (0.5 + 0) / 2.
    assert_eq!((demand.seconds_per_value, &*demand.series), (30.0, [7500.0, 2500.0].as_slice()));
}

#[test]
fn the_inspector_imports_for_its_cluster() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "night.csv", GOOD);
    let mut window = page(polls([]));
    window.set_size(egui::vec2(1280.0, 2600.0));
    settle(&mut window);
    window.get_by_label("II · 100 vGPUs").click();
    settle(&mut window);
    window.run_steps(20);
    window.get_all_by_label("Import a recording…").last().expect("that of the last cluster").click();
    settle(&mut window);
    type_path(&mut window, &path);
    press(&mut window, "Import");
    assert_eq!(study(&window).clusters[1].demand.series.len(), 3);
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

#[test]
fn a_recording_for_a_closed_scenario_is_dropped_with_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "night.csv", GOOD);
    let mut window = page(polls([]));
    window.state_mut().send(Command::ask(Request::ImportFile(path)));
    window.state_mut().send(Command::CloseTab);
    settle(&mut window);
    let message = window.state().messages().next().expect("a message");
    assert_eq!(message, "night.csv: the target scenario is closed; nothing was imported");
}

#[test]
fn a_saved_recording_holds_the_values_that_were_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("seen.csv");
    let mut window = page(polls([[0.25, 0.5], [0.25, 0.3], [0.25, 0.1]]));
    watch_until(&mut window, 3);
    send(&mut window, Command::ask(Request::SaveRecording));
    type_path(&mut window, &path);
    assert!(path.exists());

    send(&mut window, Command::ask(Request::UseRecording));
    press(&mut window, "Import");
    let direct = study(&window).clusters[0].clone();
    // 100 vGPUs × 100 TOPS, as busy as the GPU was.
    assert_eq!(*direct.demand.series, [5000.0, 3000.0, 1000.0]);
    send(&mut window, Command::Undo);
    import(&mut window, &path);
    press(&mut window, "Import");
    assert_eq!(study(&window).clusters[0], direct);
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
