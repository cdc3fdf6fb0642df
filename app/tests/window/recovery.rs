//! Unsaved work survives `kill -9`.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command as Process, Stdio};

use crossover::storage::recovery::{RecoveryStore, Snapshot};
use crossover::workbench::Start;
use crossover_files::atomic;
use crossover_page::command::Command;
use crossover_page::document::Document;
use crossover_page::storage::scenario;
use crossover_placement_page::examples;
use crossover_scenario::Views;
use crossover_scenario::views::{CompareView, OtherScenario, UncertaintyView};
use egui_kittest::kittest::Queryable as _;

use super::{Window, send, settle, until, window_with};

/// Set for the process that the next test starts and kills: itself again, with unsaved edits.
const FOLDER: &str = "CROSSOVER_TEST_RECOVERY_FOLDER";

fn wait_to_be_killed(folder: &Path) -> ! {
    let mut window = window_with(Start { recovery_folder: Some(folder.to_owned()), ..Start::default() });
    window.state_mut().edit_active(|scenario| scenario.name = "half-finished plan".into());
    until(&mut window, "a snapshot", |_| {
        std::fs::read_dir(folder).is_ok_and(|entries| {
            let mut files = entries.flatten().map(|entry| entry.path()).filter(|path| !atomic::is_temporary(path));
            files.any(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains("half-finished plan")))
        })
    });
    #[expect(clippy::disallowed_methods, reason = "a word for the test that started this process")]
    let mut output = std::io::stdout();
    std::io::Write::write_all(&mut output, b"ready to be killed\n").expect("somebody reads");
    // Its input ends with the test that started it, however that ends.
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).expect("an input");
    panic!("nobody has killed it");
}

#[test]
fn a_killed_window_offers_its_unsaved_edits_at_the_next_start() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        wait_to_be_killed(Path::new(&folder));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Process::new(std::env::current_exe().expect("this test"))
        .args([
            "--exact",
            "recovery::a_killed_window_offers_its_unsaved_edits_at_the_next_start",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(FOLDER, folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a second window");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let is_ready = lines.map_while(Result::ok).any(|line| line.contains("ready to be killed"));
    assert!(is_ready, "the edits were never kept");
    child.kill().expect("killed");
    child.wait().expect("ended");

    let mut window = window_with(Start { recovery_folder: Some(folder.path().to_owned()), ..Start::default() });
    assert!(window.query_by_label("Unsaved work was found").is_some());
    window.get_by_label("Recover").click();
    settle(&mut window);
    let document = window.state().active().expect("the recovered document");
    assert_eq!(document.scenario.name, "half-finished plan");
    assert!(document.is_dirty(), "it is still not saved anywhere");
    assert!(window.query_by_label("Unsaved work was found").is_none());
}

fn window_in(folder: &Path) -> Window {
    window_with(Start { recovery_folder: Some(folder.to_owned()), ..Start::default() })
}

fn end(window: &mut Window) {
    eframe::App::on_exit(window.state_mut(), None);
}

fn snapshot_count(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).expect("listed").flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "ron")).count()
}

#[test]
fn a_window_that_ends_without_asking_keeps_what_was_not_saved_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window_in(folder.path());
    window.state_mut().edit_active(|scenario| scenario.name = "not asked about".into());
    send(&mut window, Command::OpenExample(examples::SMALL));
    end(&mut window);
    drop(window);
    assert_eq!(snapshot_count(folder.path()), 1, "the example has no edits");

    let mut window = window_in(folder.path());
    window.get_by_label("Recover").click();
    settle(&mut window);
    assert_eq!(window.state().active().expect("recovered").scenario.name, "not asked about");
}

#[test]
fn a_window_that_a_panic_ends_keeps_edits_that_no_snapshot_has_yet() {
    let folder = tempfile::tempdir().expect("a folder");
    let ended: std::thread::Result<()> = std::panic::catch_unwind(|| {
        let mut window = window_in(folder.path());
        window.state_mut().edit_active(|scenario| scenario.name = "typed just now".into());
        assert_eq!(snapshot_count(folder.path()), 0, "too early for a snapshot");
        panic!("as winit does if another program destroys the window");
    });
    assert!(ended.is_err());
    assert_eq!(snapshot_count(folder.path()), 1);

    let mut window = window_in(folder.path());
    window.get_by_label("Recover").click();
    settle(&mut window);
    assert_eq!(window.state().active().expect("recovered").scenario.name, "typed just now");
}

#[test]
fn nothing_is_kept_of_edits_that_the_user_discarded() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window_in(folder.path());
    window.state_mut().edit_active(|scenario| scenario.name = "not wanted".into());
    until(&mut window, "a snapshot", |_| snapshot_count(folder.path()) == 1);
    window.input_mut().viewports.entry(egui::ViewportId::ROOT).or_default().events.push(egui::ViewportEvent::Close);
    settle(&mut window);
    window.get_by_label("Discard edits").click();
    settle(&mut window);
    end(&mut window);
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 0);
}

#[test]
fn a_failed_snapshot_is_told_and_tried_again_after_the_next_edit() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("unsaved");
    let mut window = window_in(&inner);
    std::fs::remove_dir_all(&inner).expect("the folder is gone");
    let is_told =
        |window: &Window| window.state().messages().any(|text| text.contains("is not protected against a crash"));
    window.state_mut().edit_active(|scenario| scenario.name = "first edit".into());
    until(&mut window, "a message", is_told);

    std::fs::create_dir(&inner).expect("the folder is back");
    window.state_mut().edit_active(|scenario| scenario.name = "second edit".into());
    until(&mut window, "the message to go", |window| !is_told(window));
    assert_eq!(snapshot_count(&inner), 1);
}

#[test]
fn an_orphan_goes_only_when_its_work_is_kept_elsewhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("unsaved");
    let mut window = window_in(&inner);
    window.state_mut().edit_active(|scenario| scenario.name = "of an earlier run".into());
    settle(&mut window);
    end(&mut window);
    drop(window);

    let mut window = window_in(&inner);
    window.get_by_label("Recover").click();
    until(&mut window, "the orphan to be replaced", |window| {
        !window.state().is_busy() && snapshot_count(&inner) == 1 && window.state().documents().len() == 2
    });
    end(&mut window);
    drop(window);
    assert_eq!(snapshot_count(&inner), 1, "one copy of the work, and still there");
    let window = window_in(&inner);
    assert!(window.query_by_label("of an earlier run").is_some());
}

/// Edits what is on screen, ends the window, and recovers the edits in the next one.
fn recovered(mut window: Window, start: Start) -> Window {
    window.state_mut().edit_active(|scenario| scenario.name = "edited plan".into());
    settle(&mut window);
    end(&mut window);
    drop(window);

    let mut window = window_with(start);
    window.get_by_label("Recover").click();
    settle(&mut window);
    window
}

#[test]
fn a_recovered_file_takes_the_place_of_its_unedited_tab() {
    let folder = tempfile::tempdir().expect("a folder");
    let (inner, file) = (folder.path().join("unsaved"), folder.path().join("plan.ron"));
    std::fs::write(&file, examples::SMALL.text).expect("written");
    let loaded = scenario::load(&file).expect("a scenario");
    let start = Start { recovery_folder: Some(inner.clone()), loaded: vec![loaded], ..Start::default() };
    let mut window = recovered(window_with(start.clone()), start);
    assert_eq!(window.state().documents().len(), 1);
    send(&mut window, Command::Save);
    // What the edits were made on is not known, so an existing file is asked about.
    window.get_by_label("Replace").click();
    settle(&mut window);
    let document = window.state().active().expect("open");
    assert!(!document.is_dirty());
    assert!(std::fs::read_to_string(&file).expect("read").contains("edited plan"));
}

#[test]
fn recovered_edits_stand_where_the_tab_of_their_file_was_and_all_others_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = ["first", "second", "third"].map(|name| folder.path().join(name).with_extension("ron"));
    let loaded = files.iter().map(|file| {
        std::fs::write(file, examples::SMALL.text).expect("written");
        scenario::load(file).expect("a scenario")
    });
    let loaded = loaded.collect();
    let start = Start { recovery_folder: Some(folder.path().join("unsaved")), loaded, ..Start::default() };
    let mut window = window_with(start.clone());
    send(&mut window, Command::SelectTab(1));
    let window = recovered(window, start);
    assert_eq!(window.state().tab_titles(), ["first", "second", "third"]);
    let edited: Vec<bool> = window.state().documents().iter().map(Document::is_dirty).collect();
    assert_eq!(edited, [false, true, false]);
    let on_screen = window.state().active().expect("the recovered document");
    assert_eq!(on_screen.scenario.name, "edited plan");
}

#[test]
fn recovered_edits_keep_the_settings_of_tools_that_only_the_tab_of_their_file_had() {
    let folder = tempfile::tempdir().expect("a folder");
    let (inner, file) = (folder.path().join("unsaved"), folder.path().join("plan.ron"));
    std::fs::write(&file, examples::SMALL.text).expect("written");
    let unedited = scenario::open(&file).expect("a scenario");
    let drawn = |figure: &str| UncertaintyView { spread_all: None, figure: Some(figure.to_owned()) };
    let compared = CompareView { x: None, with: vec![OtherScenario::Unsaved("another".to_owned())] };
    let of_edits = Views { uncertainty: Some(drawn("speedup")), ..Views::default() };
    let of_settings =
        Views { uncertainty: Some(drawn("seconds")), compare: Some(compared.clone()), ..Views::default() };
    for (only_settings, name, views) in [(false, "edited plan", of_edits), (true, "plan", of_settings)] {
        let mut scenario = unedited.clone();
        name.clone_into(&mut scenario.name);
        scenario.views = views;
        let snapshot = Snapshot {
            document_id: name.to_owned(),
            name: name.to_owned(),
            path: Some(file.clone()),
            only_settings,
            saved_at_unix_seconds: 1_700_000_000,
            process_id: 1,
            text: scenario.to_ron(),
        };
        RecoveryStore::open(inner.clone()).expect("a session").write(&snapshot).expect("written");
    }
    let mut window = window_in(&inner);
    window.get_by_label("Recover").click();
    settle(&mut window);
    let [document] = window.state().documents() else { panic!("one document") };
    let scenario = &document.scenario;
    assert_eq!(scenario.name, "edited plan");
    assert_eq!(scenario.views.uncertainty, Some(drawn("speedup")), "the own settings of the edits");
    assert_eq!(scenario.views.compare, Some(compared));
}

#[test]
fn a_foreign_file_is_mentioned_and_throwing_away_is_asked_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window_in(folder.path());
    window.state_mut().edit_active(|scenario| scenario.name = "to be thrown away".into());
    settle(&mut window);
    end(&mut window);
    drop(window);
    std::fs::write(folder.path().join("holiday.txt"), "").expect("written");

    let mut window = window_in(folder.path());
    assert!(window.state().messages().any(|text| text.contains("holiday.txt")));
    window.get_by_label("Discard").click();
    settle(&mut window);
    assert_eq!(snapshot_count(folder.path()), 1, "asked once more");
    window.get_by_label("Really discard").click();
    settle(&mut window);
    assert!(window.query_by_label("Unsaved work was found").is_none(), "the foreign file asks nothing");
    end(&mut window);
    drop(window);
    assert_eq!(snapshot_count(folder.path()), 0);
}

#[test]
fn all_that_was_left_is_recovered_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window_in(folder.path());
    for name in ["first", "second", "third"] {
        send(&mut window, Command::OpenExample(examples::SMALL));
        window.state_mut().edit_active(|scenario| name.clone_into(&mut scenario.name));
        settle(&mut window);
    }
    end(&mut window);
    drop(window);
    assert_eq!(snapshot_count(folder.path()), 3);

    let mut window = window_in(folder.path());
    let before = window.state().documents().len();
    window.get_by_label("Recover all 3").click();
    settle(&mut window);
    assert!(window.query_by_label("Unsaved work was found").is_none());
    assert_eq!(window.state().documents().len(), before + 3);
}
