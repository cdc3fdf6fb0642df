//! The page that replays the recorded jobs of a Slurm cluster, as a user meets it.

use std::path::{Path, PathBuf};

use crossover::workbench::Start;
use crossover_allocation_page::history::{Request, TOOL};
use crossover_page::command::Command;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use serde_json::json;

use super::report::assert_exports;
use super::{Window, enter_number, send, settle, type_path, until, window_with};

/// A job as `sacct --json` of Slurm 24.05 lists it: number, state, GPUs, then submission, start and end.
type Job = (u32, &'static str, u32, [u32; 3]);

/// Job 1 has both GPUs of the node for an hour. 2 and 3 could start then; the cluster left 3 waiting for half an hour more. Job 7 is
/// too large for the node.
pub(super) const JOBS: [Job; 4] = [
    (1, "COMPLETED", 2, [1_000, 1_000, 4_600]),
    (2, "COMPLETED", 1, [1_600, 4_600, 6_400]),
    (3, "TIMEOUT", 1, [1_600, 6_400, 8_200]),
    (7, "COMPLETED", 3, [1_000, 1_000, 1_600]),
];

pub(super) fn jobs(folder: &tempfile::TempDir, jobs: &[Job]) -> PathBuf {
    let entries = jobs.iter().map(|(id, state, gpus, [submission, start, end])| {
        let tres = json!([
            { "type": "cpu", "name": "", "id": 1, "count": 4 }, { "type": "mem", "name": "", "id": 2, "count": 1024 },
            { "type": "node", "name": "", "id": 4, "count": 1 },
            { "type": "gres", "name": "gpu", "id": 1001, "count": gpus }
        ]);
        json!({
            "job_id": id, "name": "train", "allocation_nodes": 1, "state": { "current": [state], "reason": "None" },
            "time": { "submission": submission, "eligible": submission, "start": start, "end": end,
                "limit": { "set": true, "infinite": false, "number": 60 } },
            "required": { "CPUs": 4 }, "tres": { "requested": tres, "allocated": tres },
            "nodes": "n1", "steps": [{ "step": { "id": { "job_id": id, "step_id": "batch" }, "name": "batch" } }]
        })
    });
    let path = folder.path().join("sacct.json");
    let text = json!({ "jobs": entries.collect::<Vec<_>>(), "meta": {}, "errors": [], "warnings": [] }).to_string();
    std::fs::write(&path, text).expect("written");
    path
}

/// A node with two GPUs.
pub(super) fn nodes(folder: &tempfile::TempDir) -> PathBuf {
    let path = folder.path().join("nodes.txt");
    let text = "NodeName=n1 CPUTot=32 RealMemory=256000 Gres=gpu:a100:2(S:0-1) State=IDLE\n";
    std::fs::write(&path, text).expect("written");
    path
}

/// The page in a window that shows all of it.
fn page() -> Window {
    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 1600.0));
    send(&mut window, Command::ShowTool(TOOL));
    window
}

pub(super) fn has(window: &Window, part: &str) -> bool {
    window.query_all_by_label_contains(part).next().is_some()
}

#[test]
fn recorded_jobs_are_replayed_under_every_policy_beside_what_happened() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = page();
    window.get_by_label("What would each scheduling policy have done?");
    window.get_by_label("Open recorded jobs…").click();
    settle(&mut window);
    type_path(&mut window, &jobs(&folder, &JOBS));
    // The node has the GPUs of jobs 1 and 7 together.
    until(&mut window, "the jobs on the nodes that they name", |window| {
        has(window, "4 jobs with GPUs in 2 h on 5 GPUs")
    });
    send(&mut window, Command::ask(Request::UseNodes(nodes(&folder))));
    until(&mut window, "the jobs on two GPUs", |window| has(window, "3 jobs with GPUs in 2 h on 2 GPUs"));
    // Recorded waits of 0, 3,000 and 4,800 s: p95 is 4,620 s. Replayed, job 3 starts with job 2, after 3,000 s.
    for bar in [
        "Recorded: 1.28 h   median 50 min",
        "One queue (Slurm): 50 min   median 50 min",
        "FGD: 50 min   median 50 min",
        "vCUDA: 50 min   median 50 min",
    ] {
        window.get_by_label(bar);
    }
    assert_exports(&mut window, "How long do jobs wait?", "p95 wait,part of a bar,Recorded,,");
    // 0, 0 and 1,800 s off, beside 3,000, 0 and 1,800 s of a constant.
    assert!(has(&window, "a wait is off by 0 s (median) and 10 min (mean)"));
    assert!(has(&window, "Not compared: 1 job too large for these nodes"));
    assert!(window.query_by_label("Cost used").is_none());

    window.get_by_role_and_label(Role::CheckBox, "FGD").click();
    until(&mut window, "the other policies alone", |window| {
        window.query_by_label("FGD: 50 min   median 50 min").is_none()
    });
    settle(&mut window);
    window.get_by_label("BestFit: 50 min   median 50 min");
    window.get_by_label("Remove nodes").click();
    until(&mut window, "the jobs on assumed nodes again", |window| has(window, "in 2 h on 5 GPUs"));
}

#[test]
fn the_replay_is_written_with_costs_as_a_table_and_as_a_chart() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = page();
    send(&mut window, Command::ask(Request::UseJobs(jobs(&folder, &JOBS))));
    send(&mut window, Command::ask(Request::UseNodes(nodes(&folder))));
    until(&mut window, "the jobs on two GPUs", |window| has(window, "3 jobs with GPUs in 2 h on 2 GPUs"));
    enter_number(&mut window, "US dollars per GPU hour", "2");
    window.get_by_label("Cost used");
    let mut exported = |item: &str, name: &str| {
        window.get_by_label("Export results").click();
        settle(&mut window);
        window.get_by_label(item).click();
        settle(&mut window);
        let path = folder.path().join(name);
        type_path(&mut window, &path);
        std::fs::read_to_string(&path).expect("written")
    };
    let table = exported("Export results as CSV…", "replay.csv");
    let recorded = table.lines().find(|line| line.starts_with("Recorded,")).expect("the record");
    // The median of the waits; 3 of 4 GPU hours at $2, and the last end after 7,200 s.
    assert!(recorded.starts_with("Recorded,3000,") && recorded.ends_with(",3,1,6,2,7200,0"), "{recorded}");
    assert_eq!(table.lines().count(), 1 + 2 + 8);
    let chart = exported("Export chart as SVG…", "waits.svg");
    assert!(chart.starts_with("<svg") && chart.contains("How long do jobs wait?"), "{chart}");
}

#[test]
fn files_that_cannot_be_replayed_say_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = page();
    send(&mut window, Command::ask(Request::UseJobs(jobs(&folder, &[(5, "PENDING", 1, [1_700, 0, 0])]))));
    send(&mut window, Command::ask(Request::UseNodes(nodes(&folder))));
    until(&mut window, "the reason", |window| has(window, "no job with GPUs started and fits a node"));
    assert!(has(&window, "not started yet"));
    send(&mut window, Command::ask(Request::UseJobs(folder.path().join("missing.json"))));
    until(&mut window, "the missing file", |window| has(window, "missing.json: "));
}

/// A window that keeps its tabs in this folder, and shows all of the page.
fn window_with_tabs(folder: &Path) -> Window {
    let mut window = window_with(Start { tabs_file: Some(folder.join("tabs.ron")), ..Start::default() });
    window.set_size(egui::vec2(1280.0, 1600.0));
    settle(&mut window);
    window
}

fn restart(mut window: Window, folder: &Path) -> Window {
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);
    window_with_tabs(folder)
}

#[test]
fn a_restart_shows_the_replay_with_its_files_policies_and_price() {
    let (folder, tabs) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let mut window = window_with_tabs(tabs.path());
    send(&mut window, Command::ask(Request::UseJobs(jobs(&folder, &JOBS))));
    send(&mut window, Command::ask(Request::UseNodes(nodes(&folder))));
    until(&mut window, "the jobs on two GPUs", |window| has(window, "3 jobs with GPUs in 2 h on 2 GPUs"));
    window.get_by_role_and_label(Role::CheckBox, "FGD").click_accesskit();
    settle(&mut window);
    enter_number(&mut window, "US dollars per GPU hour", "2");

    let mut window = restart(window, tabs.path());
    until(&mut window, "the same jobs on the same nodes", |window| has(window, "3 jobs with GPUs in 2 h on 2 GPUs"));
    settle(&mut window);
    window.get_by_label("BestFit: 50 min   median 50 min");
    assert!(window.query_by_label("FGD: 50 min   median 50 min").is_none(), "the policy is still left out");
    window.get_by_label("Cost used");
}

/// The files of the sample end with the window.
#[test]
fn a_restart_after_the_sample_offers_it_again() {
    let tabs = tempfile::tempdir().expect("a folder");
    let mut window = window_with_tabs(tabs.path());
    send(&mut window, Command::ask(Request::UseSample));
    until(&mut window, "the sample", |window| has(window, "96 jobs with GPUs in "));
    let window = restart(window, tabs.path());
    assert!(has(&window, "Sample: "));
    window.get_by_label("Open recorded jobs…");
}
