//! The way to a decision: the start panel, and the three steps from a log to its answer.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover::workbench::{Start, Workbench};
use crossover_decision::{PriceBasis, Verdict, words};
use crossover_export::decision::{OptionColumn, OptionsTable, dependence, growth_sentence, trial};
use crossover_page::command::Command;
use crossover_placement_page::examples;
use crossover_placement_page::request::{Request, Source};
use crossover_plan::decide::{decision, growth_of_a_change};
use egui::Key;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::files::Dropped;
use super::{Window, enter_number, send, settle, study, type_path, window, window_with};

const PANEL: &str = "What do you want to decide?";
const CLOSE: &str = "Close the start panel";
const WHAT: &str = "Which queries could move to GPUs?";
const WHERE: &str = "Where does it run today, and where could it run?";
const ANSWER: &str = "What should run this query?";
const OF_APPLICATION: &str = "What should run this application?";
const TODAYS_PRICE: &str = "engines.cpu.usd_per_hour";

/// A log of several queries that comes with the program.
fn log() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/spark/shop-eventlog.zstd"))
}

fn with_panel() -> Start {
    Start { offers_start: true, ..Start::default() }
}

fn press(window: &mut Window, label: &str) {
    window.get_by_label(label).click_accesskit();
    settle(window);
}

fn is_there(window: &Window, label: &str) -> bool {
    window.query_by_label(label).is_some()
}

fn messages(window: &Window) -> String {
    window.state().messages().collect::<Vec<_>>().join("\n")
}

/// The longest query of the log, with its machines on screen.
fn with_machines() -> Window {
    with_machines_of(&log())
}

/// The same for another log.
fn with_machines_of(log: &Path) -> Window {
    let mut window = window();
    send(&mut window, Command::ask(Request::MoveQuery(Source::Path)));
    type_path(&mut window, log);
    window.key_press(Key::Enter);
    settle(&mut window);
    assert!(is_there(&window, WHERE), "{}", messages(&window));
    window
}

/// Settings that outlive a window.
#[derive(Debug, Default)]
struct Memory(BTreeMap<String, String>);

impl eframe::Storage for Memory {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }

    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }

    fn remove_string(&mut self, key: &str) {
        self.0.remove(key);
    }

    fn flush(&mut self) {}
}

/// A window that begins with stored settings.
fn window_after(memory: Memory) -> Window {
    let memory: &'static Memory = Box::leak(Box::new(memory));
    let mut window = Harness::builder()
        .with_size([1280.0, 800.0])
        .with_os(egui::os::OperatingSystem::Nix)
        .with_max_steps(24)
        .build_eframe(|creation| {
            creation.storage = Some(memory);
            Workbench::new(creation, with_panel())
        });
    settle(&mut window);
    window
}

#[test]
fn the_panel_stands_beside_the_live_curves_and_one_click_closes_it_for_good() {
    let mut window = window_with(with_panel());
    assert!(is_there(&window, PANEL));
    for choice in ["Move queries to GPUs", "Share GPUs among tasks", "Compare centres"] {
        window.get_by_label(choice);
    }
    // The curves and the inspector of the published setting are there too.
    window.get_by_role_and_label(Role::SpinButton, "cluster.machines");
    assert!(!super::board(&window).charts().is_empty());
    press(&mut window, CLOSE);
    assert!(!is_there(&window, PANEL));

    let mut memory = Memory::default();
    eframe::App::save(window.state_mut(), &mut memory);
    let mut window = window_after(memory);
    assert!(!is_there(&window, PANEL), "it stays closed after a restart");
    send(&mut window, Command::ShowStart);
    assert!(is_there(&window, PANEL));
}

#[test]
fn the_panel_is_only_beside_the_scenario_that_the_window_began_with() {
    let mut window = window_with(with_panel());
    send(&mut window, Command::OpenExample(examples::SMALL));
    assert!(!is_there(&window, PANEL));
    send(&mut window, Command::ShowStart);
    assert!(is_there(&window, PANEL));
    assert_eq!(window.state().documents().len(), 2, "the published setting is shown, not opened again");
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::ShowStart);
    assert!(is_there(&window, PANEL));
    assert_eq!(window.state().documents().len(), 2, "it was closed, so it is opened again");
}

#[test]
fn every_choice_of_the_panel_leads_to_its_page() {
    for (choice, kind) in [("Share GPUs among tasks", "allocation"), ("Compare centres", "probe")] {
        let mut window = window_with(with_panel());
        press(&mut window, choice);
        assert_eq!(window.state().active().expect("open").scenario.study.kind().key(), kind);
    }
    let mut window = window_with(with_panel());
    press(&mut window, "Move queries to GPUs");
    window.get_by_label(WHAT);
}

#[test]
fn three_steps_lead_from_a_log_to_its_answer_and_back() {
    let mut window = window_with(with_panel());
    press(&mut window, "Move queries to GPUs");
    press(&mut window, "Type a path…");
    type_path(&mut window, &log());
    // What: the queries of the application, with their shares of its time.
    for label in ["Which query?", "share", "Whole application"] {
        window.get_by_label(label);
    }
    window.key_press(Key::Enter);
    settle(&mut window);
    // Where: today’s machines as in the log, which has one machine with four cores.
    window.get_by_label(WHERE);
    let engines = study(&window).engines.as_deref().expect("engines");
    assert_eq!((engines.cpu.machines, engines.cpu.lanes), (1.0, 4.0));
    press(&mut window, "Show the answer");
    window.get_by_label(OF_APPLICATION);
    press(&mut window, "This query");
    window.get_by_label(ANSWER);
    let sentence = decision(study(&window)).expect("a decision").sentence();
    assert!(window.query_all_by_label(&sentence).next().is_some(), "{sentence}");
    press(&mut window, "Back");
    window.get_by_label(WHERE);
    press(&mut window, "Back");
    window.get_by_label(WHAT);
    // The query stays chosen.
    window.get_by_label_contains("Chosen: shop");
    press(&mut window, "Show its answer");
    window.get_by_label(ANSWER);
    press(&mut window, "1 What");
    press(&mut window, "3 Answer");
    assert!(study(&window).query.is_some());
    window.get_by_label(ANSWER);
    press(&mut window, "1 What");
    press(&mut window, "2 Where");
    window.get_by_label(WHERE);
    press(&mut window, "3 Answer");
    // The steps stay on the other pages of the answer.
    press(&mut window, "Plan");
    press(&mut window, "2 Where");
    window.get_by_label(WHERE);
}

#[test]
fn the_goal_and_the_clusters_are_saved_with_the_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("goal.ron");
    let mut window = with_machines();
    assert_eq!(study(&window).decision, None, "defaults are not kept");
    enter_number(&mut window, "Runs per month", "720");
    enter_number(&mut window, "within", "1.5");
    press(&mut window, "Add a GPU cluster");
    enter_number(&mut window, "decision.candidates.cluster.usd_per_hour", "0.4");
    let inputs = study(&window).decision_inputs();
    assert_eq!((inputs.runs_per_month, inputs.time_limit), (Some(720.0), 1.5));
    assert_eq!(inputs.candidates[0].usd_per_hour, Some(0.4));
    let expected = decision(study(&window)).expect("a decision");
    send(&mut window, Command::SaveTo(path.clone()));
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::OpenPath(path));
    assert_eq!(study(&window).decision_inputs(), inputs);
    assert_eq!(decision(study(&window)).as_ref(), Some(&expected));
    // A saved query opens with its answer.
    window.get_by_label(ANSWER);
    assert!(window.query_all_by_label(&expected.sentence()).next().is_some());
}

#[test]
fn undo_takes_back_an_edit_of_todays_price() {
    let mut window = with_machines();
    let price = |window: &Window| study(window).engines.as_deref().expect("engines").cpu.usd_per_hour;
    let before = study(&window).clone();
    enter_number(&mut window, TODAYS_PRICE, "2.5");
    assert_eq!(price(&window), Some(2.5));
    assert!(!study(&window).sources.contains_key(TODAYS_PRICE), "it is entered now");
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), before);
    send(&mut window, Command::Redo);
    assert_eq!(price(&window), Some(2.5));
}

#[test]
fn a_price_that_is_missing_is_named_in_its_place_and_can_be_entered() {
    const MISSING: &str = "No price: only times can be compared.";
    let mut window = with_machines();
    window.state_mut().edit_active(|scenario| {
        let study = scenario.study.placement_mut().expect("a placement study");
        study.engines.as_mut().expect("engines").cpu.usd_per_hour = None;
        study.sources.remove(TODAYS_PRICE);
    });
    settle(&mut window);
    window.get_by_label(MISSING);
    press(&mut window, "Enter today’s price");
    enter_number(&mut window, TODAYS_PRICE, "0.2");
    assert_eq!(study(&window).engines.as_deref().expect("engines").cpu.usd_per_hour, Some(0.2));
    assert!(!is_there(&window, MISSING));
}

#[test]
fn a_time_limit_that_no_option_meets_is_named_with_one_that_is_met() {
    let mut window = with_answer();
    enter_number(&mut window, "within", "0.01");
    window.get_by_label("No option is likely to finish within 0.01× today’s time.");
    window.get_by_label_contains("Set the limit to ").click_accesskit();
    settle(&mut window);
    let limit = study(&window).decision_inputs().time_limit;
    let decided = decision(study(&window)).expect("a decision");
    assert!(limit > 0.01, "{limit}");
    assert!(decided.options.iter().any(|option| option.feasible.is_some_and(|chance| chance >= 0.5)));
    assert!(window.query_by_label_contains("No option is likely to finish").is_none());
}

#[test]
fn pasted_sql_is_planned_and_says_that_no_engine_was_measured() {
    const SQL: &str = "-- rows: 1000\nCREATE TABLE t (a INT, b INT);\nSELECT a, sum(b) FROM t GROUP BY a;";
    let mut window = window();
    send(&mut window, Command::ask(Request::MoveQuery(Source::Text(SQL.to_owned()))));
    assert!(study(&window).query.is_some(), "{}", messages(&window));
    window.get_by_label_contains("No engine was measured against SQL");
    press(&mut window, "Show operators");
    assert!(window.query_by_label_contains("No engine was measured").is_none());
}

/// The longest query of the log, with its own answer on screen.
fn with_answer() -> Window {
    let mut window = with_machines();
    press(&mut window, "Show the answer");
    press(&mut window, "This query");
    assert!(is_there(&window, ANSWER), "{}", messages(&window));
    window
}

/// The log as another engine writes it, whose projections have this name; query 6 takes so many seconds.
fn trial_log(folder: &Path, projection: &str, seconds: u64) -> PathBuf {
    let text = zstd::decode_all(&fs::read(log()).expect("the log")[..]).expect("zstd");
    let text = String::from_utf8(text).expect("text");
    // Query 6 began at 1,795,292,404.294 s and took 10.446 s.
    let end = |ms: u64| format!("\"executionId\":6,\"time\":{ms}");
    assert!(text.contains(&end(1_795_292_414_740)), "the end of query 6");
    let text = text.replace(&end(1_795_292_414_740), &end(1_795_292_404_294 + seconds * 1000));
    let text = text.replace("\"nodeName\":\"Project\"", &format!("\"nodeName\":\"{projection}\""));
    let path = folder.join(format!("{projection}-{seconds}"));
    fs::write(&path, text).expect("written");
    path
}

/// Compares with the log of a trial, by its path.
fn compare(window: &mut Window, log: &Path) {
    press(window, "Compare with the trial’s log…");
    assert!(is_there(window, "Compare with the trial’s log by path"), "there is no file dialog in a test");
    type_path(window, log);
}

#[test]
fn the_answer_names_what_it_depends_on_what_would_change_it_and_the_pareto_front() {
    let mut window = with_answer();
    // With a price of their own, other machines win with more data.
    for price in ["0.2", "4"] {
        press(&mut window, "2 Where");
        enter_number(&mut window, TODAYS_PRICE, price);
        press(&mut window, "3 Answer");
        let decided = decision(study(&window)).expect("a decision");
        let found = decided.depends_on().expect("an option");
        assert!(!found.swings.is_empty() && found.swings.len() <= 3, "{found:?}");
        window.get_by_label("What the answer depends on most");
        window.get_by_label(&dependence::sentence(&decided, &found));
        for swing in &found.swings {
            let bars = window.query_all_by_label_contains(&format!("{}: ", swing.number)).count();
            assert_eq!(bars, 1, "{}", swing.number);
        }
        let change = growth_of_a_change(study(&window), &decided, || false);
        match &change {
            Some(change) => _ = window.get_by_label(&growth_sentence(&decided, change)),
            None => assert!(window.query_by_label_contains("If the data grows").is_none()),
        }
        let measured = decided.options.iter().filter(|option| option.candidate.time.is_some());
        let on_front = measured.filter(|option| option.is_efficient).count();
        let of_today = usize::from(decided.is_today_efficient() == Some(true));
        assert!(on_front + of_today > 0);
        assert_eq!(window.query_all_by_label("yes").count(), on_front + of_today, "at {price} dollars per hour");
    }
}

/// The log is of Spark 4, and the shipped engines were measured against Spark 3.
#[test]
fn another_version_of_spark_is_warned_of_in_its_row_and_below() {
    let window = with_answer();
    let decided = decision(study(&window)).expect("a decision");
    let warned = decided.options.iter().filter(|option| !option.candidate.evidence.warnings.is_empty());
    let warned: Vec<_> = warned.filter(|option| option.candidate.time.is_some()).collect();
    assert!(!warned.is_empty());
    assert_eq!(window.query_all_by_label_contains(", see below").count(), warned.len());
    for option in warned {
        let warning = format!("Warning: {}: {}", option.candidate.engine, option.candidate.evidence.warnings[0]);
        window.get_by_label(&warning);
    }
}

#[test]
fn a_trial_is_compared_with_its_prediction_saved_and_undone() {
    const COMET: &str = "Comet 0.17.0 on Spark 3.5.8, same machines";
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = with_answer();
    let before = decision(study(&window)).expect("a decision");
    let (place, option) =
        (0..).zip(&before.options).find(|(_, option)| option.candidate.title == COMET).expect("Comet");
    let [low, high] = option.candidate.time.expect("a time").interval().expect("an error");
    for (seconds, is_faster) in [(3, true), (30, false)] {
        compare(&mut window, &trial_log(folder.path(), "CometProject", seconds));
        let run = study(&window).decision_inputs().trial.expect("a trial");
        assert_eq!((run.option.as_str(), run.query.as_str(), run.seconds), (COMET, "6", seconds as f64));
        let decided = decision(study(&window)).expect("a decision");
        assert_eq!(decided.options[place].faster, Some(f64::from(u8::from(is_faster))));
        assert_eq!(
            decided.verdict == Verdict::Move && decided.best == Some(place),
            is_faster,
            "{}",
            decided.sentence()
        );
        window.get_by_label(&format!("Trial of {COMET} ({})", run.file));
        window.get_by_label(&format!("After the trial: {}", decided.sentence()));
        window.get_by_label(&format!("Before the trial: {}", before.sentence()));
        let is_within = (low..=high).contains(&run.seconds);
        let place = if is_within { "within the interval." } else { "outside the interval, " };
        window.get_by_label_contains(&format!(" predicted: {place}"));
    }
    let inputs = study(&window).decision_inputs();
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).decision_inputs().trial.map(|run| run.seconds), Some(3.0), "a trial is one step");
    send(&mut window, Command::Redo);
    let path = folder.path().join("tried.ron");
    send(&mut window, Command::SaveTo(path.clone()));
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::OpenPath(path));
    assert_eq!(study(&window).decision_inputs(), inputs);
    press(&mut window, "Remove the trial");
    assert_eq!(decision(study(&window)), Some(before));
    window.get_by_label("Compare with the trial’s log…");
}

#[test]
fn a_log_of_something_else_is_no_trial() {
    let folder = tempfile::tempdir().expect("a folder");
    let photon = trial_log(folder.path(), "PhotonProject", 3);
    let plan = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-join.json"));
    let mut window = with_answer();
    let before = study(&window).clone();
    for (log, expected) in [
        (&photon, "Photon ran it, and no option with a predicted time has this engine"),
        (&plan, "it is not an event log of Spark"),
        (&log(), "Spark ran it"),
    ] {
        compare(&mut window, log);
        let said = messages(&window);
        assert!(said.contains(expected), "{}: {said}", log.display());
        assert_eq!(*study(&window), before, "{}", log.display());
    }
}

#[test]
fn a_dropped_log_opens_with_its_answer_unless_its_machines_are_not_known() {
    const UNKNOWN: &str = "The file does not say how many machines";
    let drop_file = |path: PathBuf| {
        let mut window = window();
        window.input_mut().dropped_files.push(Arc::new(Dropped(path)));
        settle(&mut window);
        window
    };
    let mut window = drop_file(log());
    window.get_by_label("Which query?");
    window.key_press(Key::Enter);
    settle(&mut window);
    assert!(is_there(&window, OF_APPLICATION) && !is_there(&window, WHERE), "{}", messages(&window));
    assert!(window.query_by_label_contains(UNKNOWN).is_none());
    // A plan of DuckDB has one machine, without a price.
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-profile.json");
    let window = drop_file(PathBuf::from(plan));
    assert!(is_there(&window, WHERE), "{}", messages(&window));
    assert!(window.query_by_label_contains(UNKNOWN).is_none(), "{}", messages(&window));
}

#[test]
fn the_whole_application_has_the_runs_and_the_price_of_its_query() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = with_machines();
    enter_number(&mut window, "Runs per month", "720");
    enter_number(&mut window, TODAYS_PRICE, "2.5");
    send(&mut window, Command::ask(Request::Another));
    press(&mut window, "Whole application");
    // Results have no folder of their own in a test.
    type_path(&mut window, folder.path());
    window.get_by_label("1 application");
    let number = |field: &str| {
        let node = window.get_by_role_and_label(Role::SpinButton, field);
        node.accesskit_node().numeric_value()
    };
    assert_eq!((number("Runs per month"), number("Price today")), (Some(720.0), Some(2.5)));
    window.get_by_label_contains("Cost per month: ");
}

/// The log with a setting of Spark, of machines in a region of AWS.
fn log_with_settings(folder: &Path) -> PathBuf {
    let text = zstd::decode_all(&fs::read(log()).expect("the log")[..]).expect("zstd");
    let text = String::from_utf8(text).expect("text");
    assert!(text.contains("\"Spark Properties\":{") && text.contains("\"Host\":\"worker\""), "another form");
    let heap = "\"Spark Properties\":{\"spark.executor.memory\":\"9397m\",";
    let text = text.replace("\"Spark Properties\":{", heap);
    let text = text.replace("\"Host\":\"worker\"", "\"Host\":\"ip-10-0-0-1.eu-west-1.compute.internal\"");
    let path = folder.join("with-settings");
    fs::write(&path, text).expect("written");
    path
}

#[test]
fn the_table_has_prices_with_their_dates_and_the_numbers_of_its_rows() {
    let window = with_answer();
    let decided = decision(study(&window)).expect("a decision");
    let table = OptionsTable::new(&decided);
    // The list of AWS of 2026-07-20: g6.2xlarge for $0.9776 an hour, on two, four and eight machines.
    for price in ["$2", "$3.9", "$7.8"] {
        assert!(window.query_all_by_label(price).count() > 0, "{price}");
    }
    // Also the price of today's machines is assumed from that list, and with it those of the options on the same machines.
    let on_same_machines = decided.options.iter().filter(|option| option.candidate.is_on_same_machines).count();
    assert_eq!(window.query_all_by_label("2026-07-20").count(), 3 + 1 + on_same_machines);
    window.get_by_label("price per hour\nprice date");
    for (place, row) in table.rows.iter().enumerate() {
        assert_eq!(row.cell(OptionColumn::Row), (place + 1).to_string());
        assert!(window.query_all_by_label(row.cell(OptionColumn::Title)).count() > 0, "{row:?}");
    }
}

/// 70 % of the 9,397 MiB of an executor are for the native engine, as users of Gluten give it: 30 % are 2,819.1 MiB.
#[test]
fn the_next_step_starts_from_the_settings_of_the_log_also_after_saving() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = with_machines_of(&log_with_settings(folder.path()));
    press(&mut window, "Show the answer");
    let decided = decision(study(&window)).expect("a decision");
    let best = decided.best_option().expect("an option");
    assert!(best.candidate.title.starts_with("Gluten"), "{}", decided.sentence());
    let sizes = ["spark.executor.memory=2820m", "spark.memory.offHeap.size=6577m"];
    let shows_sizes = |window: &Window| sizes.iter().all(|size| window.query_all_by_label_contains(size).count() == 1);
    // The next step is that of the application; a saved query has its own.
    assert!(shows_sizes(&window));
    let path = folder.path().join("settings.ron");
    send(&mut window, Command::SaveTo(path.clone()));
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::OpenPath(path));
    assert!(is_there(&window, ANSWER) && shows_sizes(&window), "{}", messages(&window));
}

#[test]
fn prices_of_another_region_are_named_with_the_step_that_enters_them() {
    const NOTE: &str = "the log ran in eu-west-1; prices are those of us-east-1. Enter the prices of your region";
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = with_machines_of(&log_with_settings(folder.path()));
    assert_eq!(window.query_all_by_label_contains(NOTE).count(), 1);
    press(&mut window, "Show the answer");
    assert_eq!(window.query_all_by_label_contains(NOTE).count(), 1);
    // Its machines do not name a region.
    assert_eq!(with_answer().query_all_by_label_contains("prices are those of").count(), 0);
}

#[test]
fn the_pages_of_the_operators_name_their_engines_and_lead_to_the_decision() {
    const LINK: &str = "The decision is on the page Answer";
    let mut window = with_answer();
    assert!(!is_there(&window, LINK));
    for (page, question) in [("Plan", "How long does each operator"), ("Curves", "When is each engine faster")] {
        press(&mut window, page);
        let titles = window.query_all_by_label_contains(question).filter_map(|node| {
            let node = node.accesskit_node();
            node.label().or_else(|| node.value())
        });
        let titles: Vec<String> = titles.collect();
        let names_both =
            |title: &String| title.contains("by the model of Spark") && title.contains("RAPIDS 25.12 (L4)");
        assert!(titles.iter().any(names_both), "{page}: {titles:?}");
        for verdict in ["query speedup", "all on CPU → as placed"] {
            assert!(!is_there(&window, verdict), "{page}: {verdict}");
        }
        assert_eq!(window.query_all_by_label_contains("speedup: all on CPU").count(), 0, "{page}");
        press(&mut window, LINK);
        window.get_by_label(ANSWER);
    }
}

/// The shop query goes to Gluten, and the pages compare Spark with RAPIDS.
#[test]
fn the_pages_of_the_operators_say_that_the_decision_recommends_another_option() {
    let mut window = with_answer();
    let decided = decision(study(&window)).expect("a decision");
    let best = &decided.best_option().expect("an option").candidate;
    let time = best.time.expect("a time").value();
    let expected = format!("recommends {}: {}. This page compares Spark 4.3.0", best.title, words::seconds(time));
    for page in ["Plan", "Curves"] {
        press(&mut window, page);
        assert_eq!(window.query_all_by_label_contains(&expected).count(), 1, "{page}");
        window.get_by_label_contains("The measured pair of engines");
    }
}

#[test]
fn the_basis_of_todays_price_is_that_of_its_source_until_another_is_picked() {
    let basis = |window: &Window| {
        let combo = window.get_by_role_and_label(Role::ComboBox, "decision.today_price");
        combo.accesskit_node().value()
    };
    let mut window = with_machines();
    assert_eq!(basis(&window).as_deref(), Some("assumed"));
    enter_number(&mut window, TODAYS_PRICE, "1.5");
    assert_eq!(basis(&window).as_deref(), Some("own"));
    // The range of a list price: down to the largest discount for a commitment.
    window.get_by_role_and_label(Role::ComboBox, "decision.today_price").click_accesskit();
    settle(&mut window);
    press(&mut window, "on-demand");
    assert_eq!(study(&window).decision_inputs().today_price, Some(PriceBasis::OnDemand));
    let decided = decision(study(&window)).expect("a decision");
    assert_eq!(decided.baseline.price.expect("a price").basis, PriceBasis::OnDemand);
}

/// RAPIDS wins where today's machines are dear.
#[test]
fn the_copied_settings_of_a_query_are_those_of_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = zstd::decode_all(&fs::read(log()).expect("the log")[..]).expect("zstd");
    let text = String::from_utf8(text).expect("text");
    let on = "\"Spark Properties\":{\"spark.dynamicAllocation.enabled\":\"true\",";
    let path = folder.path().join("dynamic");
    fs::write(&path, text.replace("\"Spark Properties\":{", on)).expect("written");
    let mut window = with_machines_of(&path);
    enter_number(&mut window, TODAYS_PRICE, "100");
    press(&mut window, "Show the answer");
    press(&mut window, "This query");
    let decided = decision(study(&window)).expect("a decision");
    let best = decided.best_option().expect("an option");
    assert!(best.candidate.title.starts_with("RAPIDS"), "{}", decided.sentence());
    let settings = &study(&window).query.as_deref().expect("a query").plan.settings;
    let expected = trial(best, decided.verdict, settings).expect("settings");
    assert!(expected.settings.contains(&"spark.dynamicAllocation.enabled=false".to_owned()), "{expected:?}");
    window.get_by_label("Copy settings").click_accesskit();
    let copied = crossover_needs::wait_for("copied settings", || {
        window.step();
        window.output().platform_output.commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    });
    assert_eq!(copied, expected.command().join("\n"));
}

#[test]
fn a_plan_of_one_query_has_no_application() {
    let plan = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-profile.json"));
    let mut alone = with_machines_of(&plan);
    press(&mut alone, "Show the answer");
    assert!(is_there(&alone, ANSWER) && !is_there(&alone, OF_APPLICATION));
    assert_eq!(alone.query_all_by_label_contains("the application: ").count(), 0);
}
