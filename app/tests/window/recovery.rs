//! Unsaved work survives `kill -9`.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};

use crossover::storage::atomic;
use crossover::workbench::Start;
use egui_kittest::kittest::Queryable as _;

use super::{settle, window_with};

const FOLDER: &str = "CROSSOVER_TEST_RECOVERY_FOLDER";

/// Not a check of its own: the process that the next test starts and kills. Without the variable it ends at once.
#[test]
fn window_that_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let mut window = window_with(Start { recovery_folder: Some(folder.clone()), ..Start::default() });
    window.state_mut().edit_active(|scenario| scenario.name = "half-finished plan".into());
    loop {
        window.run_steps(1);
        let is_kept = std::fs::read_dir(&folder).is_ok_and(|entries| {
            let files = entries.flatten().map(|entry| entry.path()).filter(|path| !atomic::is_temporary(path));
            files
                .into_iter()
                .any(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains("half-finished plan")))
        });
        if is_kept {
            println!("ready to be killed");
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_killed_window_offers_its_unsaved_edits_at_the_next_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = Process::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "recovery::window_that_is_killed", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder.path())
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
