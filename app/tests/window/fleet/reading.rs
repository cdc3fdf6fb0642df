//! Folders as they come: of logs, of results, of neither.

mod addresses;
mod engines;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover::workbench::Start;
use crossover_fleet::ledger::{Ledger, Outcome};
use crossover_fleet::{Base, RunOptions, run};
use crossover_fleet_page::{Request, TOOL};
use crossover_needs::wait_until_ok;
use crossover_page::command::Command;
use crossover_placement::whole::decide;
use crossover_placement_page::Mode;
use crossover_plan::{Control, Folders};
use crossover_scenario::read;
use crossover_study::set_number;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use tempfile::TempDir;

use super::super::deciding::{ANSWER, OF_APPLICATION};
use super::super::enter_number;
use super::super::files::Dropped;
use super::super::{Window, send, settle, study, type_path, until, view, window, window_with};
use super::{applications, click, look_into_the_first, open, organisation};

/// A real log of three queries in 56.7 s: `plan/samples/spark`.
const LOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/spark/shop-eventlog.zstd");

/// A folder with so many copies of the log.
pub(super) fn logs(copies: usize) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for copy in 0..copies {
        fs::copy(LOG, folder.path().join(format!("app-{copy}"))).expect("copied");
    }
    folder
}

/// What is wrong, in the words on screen.
pub(super) fn says(window: &Window, words: &str) {
    let labels = window.query_all_by_role(Role::Label).filter_map(|label| label.accesskit_node().value());
    let labels: Vec<String> = labels.collect();
    assert!(labels.iter().any(|label| label.contains(words)), "{words} is not among {labels:#?}");
}

#[test]
fn what_is_no_fleet_gives_a_sentence() {
    let folder = TempDir::new().expect("a folder");
    let mut window = window();
    open(&mut window, Path::new("/no/such/folder"));
    says(&window, "/no/such/folder: there is no such folder");
    open(&mut window, folder.path());
    says(&window, "no results of `crossover fleet` here");
    says(&window, "Choose the folder that --out named, or read a folder of logs.");
    // Bytes that mean nothing.
    fs::write(folder.path().join("ledger.jsonl"), [0xff; 4096]).expect("written");
    open(&mut window, folder.path());
    says(&window, "no ledger.jsonl with a complete line");
    // A folder of other files, read as logs.
    let (other, out) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    fs::write(other.path().join("notes.txt"), "nothing\n").expect("written");
    send(&mut window, Command::ask(Request::ReadLogs(vec![other.path().to_owned()], out.path().to_owned())));
    says(&window, "No Spark event log in ");
    says(&window, "Choose the folder that has the logs.");
    // What is wrong with one folder is gone with the next.
    open(&mut window, organisation(3).path());
    assert_eq!(applications(&window).len(), 3);
}

#[test]
fn results_that_were_cut_off_are_shown_as_far_as_they_go() {
    let folder = organisation(6);
    let ledger = folder.path().join("ledger.jsonl");
    let whole = fs::read(&ledger).expect("read");
    fs::write(&ledger, &whole[..whole.len() / 2]).expect("written");
    let mut window = window();
    open(&mut window, folder.path());
    says(&window, "The run has not ended");
    let count = applications(&window).len();
    assert!((1..6).contains(&count), "{count}");
}

#[test]
fn a_folder_of_logs_is_read_and_a_query_opens_as_a_scenario() {
    let (folder, home) = (logs(1), TempDir::new().expect("a folder"));
    let start = Start { fleets_folder: Some(home.path().to_owned()), ..Start::default() };
    let mut window = window_with(start);
    send(&mut window, Command::ShowTool(TOOL));
    click(&mut window, "Read logs…");
    type_path(&mut window, folder.path());
    assert_eq!(applications(&window), ["shop"]);
    let kept: Vec<PathBuf> =
        fs::read_dir(home.path()).expect("read").map(|entry| entry.expect("read").path()).collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(kept[0].join("applications.parquet").is_file());

    // A further folder is read into the same results.
    let more = logs(2);
    click(&mut window, "Add logs…");
    type_path(&mut window, more.path());
    window.get_by_label("2 files and folders are left out");
    assert_eq!(fs::read_dir(home.path()).expect("read").count(), 1);

    window.get_by_role_and_label(Role::Row, "application shop").click_accesskit();
    settle(&mut window);
    click(&mut window, "Open application");
    let query = super::rows(&window).into_iter().find(|row| row.starts_with("query ")).expect("queries");
    window.get_by_role_and_label(Role::Row, &query).click_accesskit();
    settle(&mut window);
    click(&mut window, "Open its plan");
    assert!(study(&window).query.is_some(), "{:?}", window.state().messages().collect::<Vec<_>>());
    let name = window.state().active().map(|document| document.scenario.name.clone()).unwrap_or_default();
    assert_eq!(name, format!("shop · {query}"));
    // In the engines that come with the program, as it was measured.
    assert_eq!(gpu_machines(&window), 4.0);
}

#[test]
fn an_application_has_its_decision_and_leads_to_its_answer() {
    let (folder, out) = (logs(1), TempDir::new().expect("a folder"));
    let mut window = window();
    send(&mut window, Command::ask(Request::ReadLogs(vec![folder.path().to_owned()], out.path().to_owned())));
    window.get_by_role_and_label(Role::Row, "application shop").click_accesskit();
    settle(&mut window);
    click(&mut window, "Open application");
    let printed = crossover_fleet_page::cli::decide::answer_of(Path::new(LOG), None, &[]).expect("an answer");
    window.get_by_label(printed.lines().nth(1).expect("a sentence"));
    // A bar of the first of two options that cost about the same, and one of the GPU cluster that the parts are of.
    let bars = |option: &str| {
        // The other option is "recommended, as is Gluten …".
        let texts = window.query_all_by_label_contains(option).filter_map(|node| {
            let node = node.accesskit_node();
            node.label().or_else(|| node.value())
        });
        texts.filter(|text| text.starts_with(option)).count()
    };
    let [gluten, comet] = ["Gluten (Velox) on Spark 3.5.3", "Comet 0.17.0 on Spark 3.5.8"];
    assert_eq!([gluten, comet].map(|option| bars(&format!("{option}, same machines: "))).iter().sum::<usize>(), 1);
    assert_eq!(bars("RAPIDS 25.12 (L4), 4 × g6.2xlarge: "), 1);
    // The answer about the application with what was entered, without a prompt for a query.
    for (name, number) in [("Runs per month", "720"), ("Price today", "2.5")] {
        window.get_by_role_and_label(Role::CheckBox, name).click_accesskit();
        settle(&mut window);
        enter_number(&mut window, name, number);
    }
    let sentence = sentence_with(&window, " instead of 56.71 s measured");
    assert!(sentence.contains(" a month at 720 runs"), "{sentence}");
    click(&mut window, "Open the answer");
    assert!(window.query_by_label("Which query?").is_none());
    window.get_by_label(OF_APPLICATION);
    assert!(window.query_all_by_label(&sentence).count() > 0, "{sentence}");
    assert_eq!(gpu_machines(&window), 4.0);
    assert_eq!(study(&window).engines.as_deref().and_then(|engines| engines.cpu.usd_per_hour), Some(2.5));
    click(&mut window, "This query");
    window.get_by_label(ANSWER);
}

#[test]
fn a_query_of_a_fleet_leads_to_its_own_answer_beside_that_of_its_application() {
    let (folder, out) = (logs(1), TempDir::new().expect("a folder"));
    let mut window = window();
    send(&mut window, Command::ask(Request::ReadLogs(vec![folder.path().to_owned()], out.path().to_owned())));
    // Query 0 is not the longest one.
    for query in ["query 0", "query 6"] {
        open(&mut window, out.path());
        look_into_the_first(&mut window);
        window.get_by_role_and_label(Role::Row, query).click_accesskit();
        settle(&mut window);
        click(&mut window, "Open the answer");
        window.get_by_label(ANSWER);
        let name = window.state().active().map(|document| document.scenario.name.clone()).unwrap_or_default();
        assert_eq!(name, format!("shop · {query}"));
        click(&mut window, "Application");
        window.get_by_label(OF_APPLICATION);
    }
}

/// Query 6 is the longest one, beside which the answer about the application opens.
#[test]
fn a_link_to_an_answer_that_is_open_leads_to_its_tab() {
    let (folder, out) = (logs(1), TempDir::new().expect("a folder"));
    let mut window = window();
    send(&mut window, Command::ask(Request::ReadLogs(vec![folder.path().to_owned()], out.path().to_owned())));
    let follow = |window: &mut Window, query: Option<&str>, link: &str| {
        open(window, out.path());
        look_into_the_first(window);
        if let Some(query) = query {
            window.get_by_role_and_label(Role::Row, query).click_accesskit();
            settle(window);
        }
        click(window, link);
        window.state().active().expect("a document").id.clone()
    };
    let first = follow(&mut window, None, "Open the answer");
    let count = window.state().documents().len();
    enter_number(&mut window, "Runs per month", "720");
    for (query, link) in
        [(Some("query 6"), "Open the answer"), (Some("query 6"), "Open its plan"), (None, "Open the answer")]
    {
        assert_eq!(follow(&mut window, query, link), first, "{query:?}: {link}");
        assert_eq!(window.state().documents().len(), count, "{query:?}: {link}");
        assert_eq!(study(&window).decision_inputs().runs_per_month, Some(720.0), "what the user entered stays");
        if link == "Open the answer" {
            window.get_by_label(if query.is_none() { OF_APPLICATION } else { ANSWER });
        } else {
            assert_eq!(view(&window).mode(), Mode::Plan);
        }
    }
    let other = follow(&mut window, Some("query 0"), "Open the answer");
    assert_ne!(other, first);
    assert_eq!(window.state().documents().len(), count + 1);
    // A closed one is opened again.
    send(&mut window, Command::CloseTab);
    click(&mut window, "Discard scenario");
    let again = follow(&mut window, Some("query 0"), "Open the answer");
    assert_ne!(again, other);
}

/// The first sentence on screen with these words.
fn sentence_with(window: &Window, words: &str) -> String {
    let mut labels = window.query_all_by_role(Role::Label).filter_map(|label| label.accesskit_node().value());
    labels.find(|label| label.contains(words)).expect(words)
}

#[test]
fn a_folder_of_logs_that_is_named_or_dropped_is_offered_to_be_read() {
    let (folder, home) = (logs(1), TempDir::new().expect("a folder"));
    let start = Start {
        dropped: vec![folder.path().to_owned()],
        fleets_folder: Some(home.path().to_owned()),
        ..Start::default()
    };
    let mut window = window_with(start);
    window.get_by_label("Read the logs in this folder?");
    says(&window, " has no fleet results.");
    click(&mut window, "Cancel");
    assert!(window.state().messages().next().is_none(), "{:?}", window.state().messages().collect::<Vec<_>>());
    drop_file(&mut window, folder.path());
    click(&mut window, "Read them");
    assert_eq!(applications(&window), ["shop"]);
    // A folder that is one log is imported as that.
    let rolling = folder.path().join("eventlog_v2_app-7");
    fs::create_dir(&rolling).expect("a folder");
    fs::copy(LOG, rolling.join("events_1_app-7.zstd")).expect("copied");
    send(&mut window, Command::ask(Request::OpenDropped(rolling)));
    window.get_by_label("Which query?");
}

#[test]
fn nothing_of_one_fleet_is_seen_under_the_name_of_another() {
    let (organisation, logs, out) = (organisation(3), logs(150), TempDir::new().expect("a folder"));
    let mut window = window();
    open(&mut window, organisation.path());
    let first = look_into_the_first(&mut window);
    window.get_by_label(&format!("Queries of {first}"));
    let read = Request::ReadLogs(vec![logs.path().to_owned()], out.path().to_owned());
    window.state_mut().send(Command::ask(read));
    until(&mut window, "something to cancel", |window| window.query_by_label("Cancel reading").is_some());
    let is_seen = |window: &Window| window.query_by_label(&format!("Queries of {first}")).is_some();
    assert!(!is_seen(&window));
    click_without_waiting(&mut window, "Cancel reading");
    settle(&mut window);
    says(&window, "Logs already read are kept");
    assert!(!is_seen(&window) && applications(&window).is_empty());
}

/// A plan of DuckDB with its times.
pub(super) const PLAN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-1.4-profile.json");

/// Results of a log of Spark and a plan of DuckDB, each against the base of its engine; gives the folder of both.
fn measured_together(out: &Path) -> TempDir {
    let folder = logs(1);
    fs::copy(PLAN, folder.path().join("q1.json")).expect("copied");
    let base = |text: &str| Base::new(&read(text).expect("a scenario")).expect("a base");
    let of_duckdb = base(include_str!("../../../../scenarios/placement-truth-gh200.ron"));
    let base = base(include_str!("../../../../scenarios/placement-truth-aws-l4.ron")).beside(of_duckdb);
    let paths = [folder.path().to_owned()];
    let order = RunOptions { store: &Folders, paths: &paths, base: &base, out, shard: None, threads: 1 };
    run(&order, &Control::default()).expect("read");
    folder
}

#[test]
fn logs_and_plans_of_another_engine_have_a_base_each() {
    let out = TempDir::new().expect("a folder");
    let folder = measured_together(out.path());
    let mut window = window();
    open(&mut window, out.path());
    says(&window, "GPU cluster: RAPIDS 25.12 (L4), 4 × g6.2xlarge.");
    says(&window, "GPU cluster for DuckDB plans: Sirius, GH200 (shipped)");
    assert!(window.query_by_label_contains("with different engines").is_none());
    // The plan is left out, and counted.
    click(&mut window, "Find a cluster for all 2");
    let scenario = &window.state().documents().last().expect("a document").scenario;
    assert!(scenario.name.starts_with("1 application of "), "{}", scenario.name);
    assert!(scenario.notes.contains("another engine than Spark: 1 application"), "{}", scenario.notes);
    // By itself it is opened in the engines of its base.
    send(&mut window, Command::ShowTool(TOOL));
    window.get_by_role_and_label(Role::Row, "application q1.json").click_accesskit();
    settle(&mut window);
    click(&mut window, "Open application");
    assert!(window.get_by_label("Find a cluster for it").accesskit_node().is_disabled());
    window.get_by_role_and_label(Role::Row, "query 1").click_accesskit();
    settle(&mut window);
    click(&mut window, "Open its plan");
    let engines = study(&window).engines.as_deref().expect("engines");
    assert_eq!(engines.gpu.name, "Sirius, GH200");
    // Reading the same again in the window replaces nothing, so it asks nothing.
    let read = Request::ReadLogs(vec![folder.path().to_owned()], out.path().to_owned());
    send(&mut window, Command::ask(read));
    assert!(window.query_by_label("Replace the results?").is_none());
    assert_eq!(applications(&window).len(), 2);
}

#[test]
fn a_plan_says_what_the_list_says_of_its_query() {
    let out = TempDir::new().expect("a folder");
    measured_with(7.0, out.path());
    let results = crossover_fleet::opened::open(out.path()).expect("results");
    let known = results.outcomes.logs().next().expect("a log");
    let Outcome::Application(application) = results.outcomes.ledger.log(known).expect("read").outcome else {
        panic!("the log is left out")
    };
    let mut window = window();
    for id in ["0", "6"] {
        open(&mut window, out.path());
        assert_eq!(look_into_the_first(&mut window), "shop");
        window.get_by_role_and_label(Role::Row, &format!("query {id}")).click_accesskit();
        settle(&mut window);
        click(&mut window, "Open its plan");
        assert_eq!(gpu_machines(&window), 7.0);
        let query = application.queries.iter().find(|query| query.id == id).expect("the query");
        let listed = query.predicted.as_ref().expect("a prediction").gpu;
        let verdict = decide(study(&window)).expect("a plan").verdict.expect("engines");
        for (here, listed) in
            [(verdict.gpu.value, listed.value), (verdict.gpu.low, listed.low), (verdict.gpu.high, listed.high)]
        {
            assert!((here / listed - 1.0).abs() < 1e-9, "query {id}: {here} s and {listed} s");
        }
        // What was measured is what the list says of today.
        assert!((verdict.cpu.value / query.seconds.expect("a time") - 1.0).abs() < 1e-9, "query {id}");
    }
}

#[test]
fn a_log_whose_path_is_of_another_folder_is_looked_for_beside_the_results() {
    let around = TempDir::new().expect("a folder");
    let results = around.path().join("results");
    super::fixture::write_of(&results, 1, "logs-of-a-test", &super::fixture::base());
    let mut window = window();
    open(&mut window, &results);
    look_into_the_first(&mut window);
    window.get_by_role_and_label(Role::Row, "query 0").click_accesskit();
    settle(&mut window);
    click(&mut window, "Open its plan");
    let messages: Vec<String> = window.state().messages().map(str::to_owned).collect();
    let has_message = |words: &str| messages.iter().any(|message| message.contains(words));
    assert!(has_message("Start Crossover in the folder in which they were read"), "{messages:?}");
    assert!(!has_message("os error"), "{messages:?}");
    // The fixture's logs have this name.
    let log = around.path().join("logs-of-a-test/application_1793491200000_00000");
    fs::create_dir(around.path().join("logs-of-a-test")).expect("a folder");
    fs::copy(LOG, log).expect("copied");
    click(&mut window, "Open its plan");
    let name = window.state().active().map(|document| document.scenario.name.clone()).unwrap_or_default();
    assert_eq!(name, "shop · query 0");
}

#[test]
fn what_was_read_before_it_was_cancelled_is_kept() {
    let (folder, out) = (logs(150), TempDir::new().expect("a folder"));
    let mut window = window();
    let read = Request::ReadLogs(vec![folder.path().to_owned()], out.path().to_owned());
    window.state_mut().send(Command::ask(read));
    let ledger = out.path().join("ledger.jsonl");
    until(&mut window, "something to cancel", |window| {
        window.query_by_label("Cancel reading").is_some() && fs::metadata(&ledger).is_ok_and(|file| file.len() > 0)
    });
    // Closing the tab asks first, in words that fit.
    window.state_mut().send(Command::CloseTab);
    window.run_steps(3);
    click_without_waiting(&mut window, "Keep reading");
    click_without_waiting(&mut window, "Cancel reading");
    settle(&mut window);
    says(&window, "Logs already read are kept; “Continue” reads the rest.");
    // The thread that reads may still have a log in its hands: no other run can write there as long.
    drop(wait_until_ok("the ledger", || Ledger::open(out.path())));
    // But for that which says that tables are being written.
    let lines = |out: &Path| {
        let ledger = fs::read_to_string(out.join("ledger.jsonl")).expect("read");
        ledger.lines().filter(|line| !line.contains("\"tables\":\"\"")).count()
    };
    let before = lines(out.path());
    assert!((1..150).contains(&before), "{before} of 150");
    click(&mut window, "Continue");
    assert_eq!(applications(&window), ["shop"]);
    // Each log once, and the end of the run.
    assert_eq!(lines(out.path()), 151);
}

fn click_without_waiting(window: &mut Window, label: &str) {
    window.get_by_label(label).click_accesskit();
    window.run_steps(3);
}

#[test]
fn what_is_dropped_is_opened_as_what_it_is() {
    let folder = organisation(3);
    // A path of the command line comes the same way.
    let mut window = window_with(Start { dropped: vec![folder.path().to_owned()], ..Start::default() });
    assert_eq!(applications(&window).len(), 3);
    // Names of folders have dots.
    let around = TempDir::new().expect("a folder");
    for (name, count) in [("out.d", 4), ("fleet-2026.11", 5)] {
        let folder = around.path().join(name);
        super::fixture::write(&folder, count);
        let window = window_with(Start { dropped: vec![folder.clone()], ..Start::default() });
        assert_eq!(applications(&window).len(), count, "{name} on the command line");
        let mut window = super::super::window();
        drop_file(&mut window, &folder);
        assert_eq!(applications(&window).len(), count, "{name} dropped");
    }
    let dropped = Request::OpenDropped(PathBuf::from(LOG));
    send(&mut window, Command::ask(dropped));
    window.get_by_label("Which query?");
}

/// Drops a file or folder on the window.
fn drop_file(window: &mut Window, path: &Path) {
    window.input_mut().dropped_files.push(Arc::new(Dropped(path.to_owned())));
    window.run_steps(1);
    settle(window);
}

/// Results of a log, measured with as many GPU machines.
fn measured_with(machines: f64, out: &Path) -> Base {
    let mut scenario = read(include_str!("../../../../scenarios/placement-truth-aws-l4.ron")).expect("a scenario");
    assert!(set_number(scenario.study.subject_mut(), "engines.gpu.machines", machines));
    let base = Base::new(&scenario).expect("a base");
    let paths = [PathBuf::from(LOG)];
    let order = RunOptions { store: &Folders, paths: &paths, base: &base, out, shard: None, threads: 1 };
    run(&order, &Control::default()).expect("read");
    base
}

/// The engines of the GPU side of the document that was opened last.
fn gpu_machines(window: &Window) -> f64 {
    let last = window.state().documents().last().expect("a document");
    last.scenario.placement().and_then(|study| study.engines.as_deref()).expect("engines").gpu.machines
}
