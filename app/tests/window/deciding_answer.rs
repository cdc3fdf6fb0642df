//! The answer about a query: its tables, what would change it, trials, settings, and the pages of its operators.

use std::fs;
use std::path::{Path, PathBuf};

use crossover_decision::{Verdict, words};
use crossover_export::decision::{EVEN_TASKS, OptionColumn, OptionsTable, dependence, growth_sentence, trial};
use crossover_page::command::Command;
use crossover_plan::decide::{decision, growth_of_a_change};
use crossover_scenario::glossary::definition;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use serde_json::Value;

use super::deciding::{
    ANSWER, OF_APPLICATION, TODAYS_PRICE, is_there, log, messages, open_notes, press, with_answer, with_machines,
    with_machines_of,
};
use super::{Window, enter_number, send, settle, study, type_path, until};

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

/// The window has 1280×800 points; below the page is a bar with a link to the help.
#[test]
fn the_first_screen_has_the_recommendation_and_the_whole_chart_of_the_options() {
    const QUESTION: &str = "How long does each option take, and what does it cost?";
    let mut window = with_answer();
    // At this price one option is best for both.
    press(&mut window, "2 Where");
    enter_number(&mut window, TODAYS_PRICE, "2");
    press(&mut window, "3 Answer");
    for page in ["Application", "This query"] {
        press(&mut window, page);
        let is_chart = |label: Option<String>| label.is_some_and(|label| label.starts_with(QUESTION));
        let chart = window.get_by(|node| node.role() == Role::Image && is_chart(node.label())).rect();
        let bar = window.get_by_label("Help on this page").rect();
        assert!(chart.bottom() < bar.top() && chart.height() > 150.0, "{page}: {chart:?} above {bar:?}");
        let of_application = "Move to RAPIDS 25.12 (L4), 2 × g6.2xlarge: predicted 25 s";
        let text = if page == "Application" { of_application } else { "Move to " };
        let is_text = |value: Option<String>| value.is_some_and(|value| value.starts_with(text));
        let recommendation = window.get_by(|node| node.role() == Role::Label && is_text(node.value())).rect();
        assert!(recommendation.bottom() <= chart.top(), "{page}: {recommendation:?} above {chart:?}");
        let table = window.get_by_label("Options").rect();
        assert!(table.bottom() < bar.top() - 60.0, "{page}: the table begins at {table:?}, above {bar:?}");
        // The next step is one click away.
        let next_step = |window: &Window| window.get_by_label("Next step").rect();
        assert!(next_step(&window).top() > bar.top(), "{page}");
        press(&mut window, "Go to the next step");
        until(&mut window, "the next step", |window| next_step(window).bottom() < bar.top());
        press(&mut window, "3 Answer");
    }
}

/// By the assumed price, two options cost about the same for the application. The costs of both, and of today, are beside the chart as a
/// whole.
#[test]
fn the_costs_of_two_options_are_visible_beside_the_chart_with_the_table_below() {
    let mut window = with_answer();
    press(&mut window, "Application");
    assert_eq!(window.query_all_by_label_contains("Cost with second option: ").count(), 1);
    let is_chart =
        |label: Option<String>| label.is_some_and(|label| label.starts_with("How long does each option take"));
    let chart = window.get_by(|node| node.role() == Role::Image && is_chart(node.label())).rect();
    let bar = window.get_by_label("Help on this page").rect();
    let heading = window.get_by_label("Options").rect();
    for what in ["Cost today: ", "Cost with first option: ", "Cost with second option: "] {
        let cost = window.get_by_label_contains(what).rect();
        assert!(
            cost.bottom() <= heading.top() && cost.bottom() < bar.top(),
            "{what}: {cost:?} above {heading:?} and {bar:?}"
        );
    }
    // Below the chart are the labels of its axis, and nothing else.
    let below = heading.top() - chart.bottom();
    assert!((0.0..60.0).contains(&below), "{below} points between {chart:?} and {heading:?}");
    let links = ["Explore operators", "Go to the next step"].map(|link| window.get_by_label(link).rect());
    assert!(links.iter().all(|link| link.bottom() < heading.top() && link.left() > chart.right()), "{links:?}");
}

/// The lines of the intervals have no cost of their own between two points.
#[test]
fn a_tooltip_of_the_chart_names_time_and_cost() {
    const INTERVALS: &str = "90 % interval of the time";
    let mut window = with_answer();
    let is_chart =
        |label: Option<String>| label.is_some_and(|label| label.starts_with("How long does each option take"));
    let chart = window.get_by(|node| node.role() == Role::Image && is_chart(node.label())).rect();
    assert_eq!(window.query_all_by_label(INTERVALS).count(), 1, "the legend");
    window.hover_at(chart.center());
    settle(&mut window);
    assert_eq!(window.query_all_by_label(INTERVALS).count(), 1, "the legend");
    for what in ["median time of a run", "median cost of a run"] {
        assert!(window.query_all_by_label_contains(what).count() > 0, "{what}");
    }
}

/// Three remarks about the log are one line, so that the chart is on the first screen.
#[test]
fn notes_about_the_log_open_on_request() {
    let mut window = with_answer();
    press(&mut window, "Application");
    assert_eq!(window.query_all_by_label_contains("Note: ").count(), 0);
    open_notes(&mut window);
    window.get_by_label_contains("Note: the log has 2 executors with 2 cores each on 1 host");
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
        let on_front = measured.filter(|option| option.is_efficient == Some(true)).count();
        let of_today = usize::from(decided.is_today_efficient() == Some(true));
        assert!(on_front + of_today > 0);
        assert_eq!(window.query_all_by_label("yes").count(), on_front + of_today, "at {price} dollars per hour");
    }
}

#[test]
fn the_title_of_a_column_of_the_answer_shows_its_line_of_the_glossary() {
    let mut window = with_answer();
    window.set_size(egui::vec2(1280.0, 2400.0));
    settle(&mut window);
    for (title, term) in [("median cost per run", "cost of a run"), ("likely to meet goal", "likely to meet the goal")]
    {
        // A title may take two lines.
        let heading = window.get_by(|node| {
            let text = node.value().unwrap_or_default();
            node.role() == Role::Label && text.split_whitespace().eq(title.split(' '))
        });
        let at = heading.rect().center();
        window.hover_at(at);
        let line = definition(term).expect(term);
        until(&mut window, title, |window| window.query_all_by_label_contains(line).next().is_some());
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
        let text = option.candidate.evidence.warnings[0].trim_end_matches('.');
        let warning = format!("Warning: {}: {text}.", option.candidate.engine);
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
        let [recommendation, _] = decided.recommendation_and_details();
        window.get_by_label(&format!("After the trial: {recommendation}"));
        window.get_by_label(&format!("Before the trial: {}", before.sentence()));
        let is_within = (low..=high).contains(&run.seconds);
        let place = if is_within { "within the interval." } else { "outside the interval, " };
        window.get_by_label_contains(&format!(" predicted: {place}"));
    }
    press(&mut window, "Learn from the trial");
    until(&mut window, "what is learned", |window| study(window).decision_inputs().learned.is_some());
    for text in ["before learning", "after learning", "Forget what was learned"] {
        window.get_by_label(text);
    }
    window.get_by_label_contains(&format!("measured ÷ predicted time of {COMET} is "));
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).decision_inputs().learned, None, "learning is one step");
    let inputs = study(&window).decision_inputs();
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).decision_inputs().trial.map(|run| run.seconds), Some(3.0), "a trial is one step");
    send(&mut window, Command::Redo);
    let path = folder.path().join("tried.ron");
    send(&mut window, Command::SaveTo(path.clone()));
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::OpenPath(path));
    assert_eq!(study(&window).decision_inputs(), inputs);
    // The page opens with the answer about the application.
    press(&mut window, "This query");
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
        (&photon, "Photon ran it; expected the log of a run with the recommended configuration: Gluten (Velox)"),
        (&plan, "it is not an event log of Spark"),
        (&log(), "Spark ran it"),
    ] {
        compare(&mut window, log);
        let said = messages(&window);
        assert!(said.contains(expected), "{}: {said}", log.display());
        assert_eq!(*study(&window), before, "{}", log.display());
    }
}

/// The log with stages of four tasks in which the first task takes nearly all of the time: by hand, the longest is four times the mean.
fn skewed_log(folder: &Path) -> PathBuf {
    let text = zstd::decode_all(&fs::read(log()).expect("the log")[..]).expect("zstd");
    let text = String::from_utf8(text).expect("text");
    let lines = text.lines().map(|line| {
        let mut event: Value = serde_json::from_str(line).expect("an event");
        let is_of_stage = event["Stage ID"].as_u64().is_some_and(|stage| [2, 11, 29, 34].contains(&stage));
        if event["Event"] != "SparkListenerTaskEnd" || !is_of_stage || event["Task Info"]["Index"] == 0 {
            return line.to_owned();
        }
        let start = event["Task Info"]["Launch Time"].as_u64().expect("a time");
        event["Task Info"]["Finish Time"] = (start + 10).into();
        event["Task Metrics"]["Executor Run Time"] = 5.into();
        event.to_string()
    });
    let lines: Vec<String> = lines.collect();
    let path = folder.join("skewed");
    fs::write(&path, lines.join("\n")).expect("written");
    path
}

/// Stage 29 is of query 6; four stages are of the application.
#[test]
fn skewed_stages_have_a_next_step_on_todays_machines() {
    const TITLE: &str = "Next step on today’s machines";
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = with_machines_of(&skewed_log(folder.path()));
    press(&mut window, "Show the answer");
    for (page, stages) in [("Application", "in 4 stages"), ("This query", "in 1 stage")] {
        press(&mut window, page);
        assert!(is_there(&window, TITLE), "{page}");
        let step = format!("Skewed tasks: {stages}");
        assert_eq!(window.query_all_by_label_contains(&step).count(), 1, "{page}");
        assert!(is_there(&window, EVEN_TASKS), "{page}");
        // The way there from beside the answer.
        press(&mut window, "Save without a move");
        assert_eq!(window.query_all_by_label_contains("Note: Skewed").count(), 0, "{page}");
    }
    assert!(!is_there(&with_answer(), TITLE), "its tasks are even");
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
    for price in ["$1.96", "$3.91", "$7.82"] {
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
    // The next step is that of the application, also after it was saved.
    assert!(shows_sizes(&window));
    let path = folder.path().join("settings.ron");
    send(&mut window, Command::SaveTo(path.clone()));
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::OpenPath(path));
    assert!(is_there(&window, OF_APPLICATION) && shows_sizes(&window), "{}", messages(&window));
}

#[test]
fn prices_of_another_region_are_named_with_the_step_that_enters_them() {
    const NOTE: &str = "the log ran in eu-west-1; prices are those of us-east-1. Enter the prices of your region";
    const OF_GPUS: &str = "for the measured GPU cluster in the inspector of the page Answer, under Engines.";
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = with_machines_of(&log_with_settings(folder.path()));
    let is_named = |window: &Window, of_today: &str| {
        let text = format!("{NOTE}: for today’s machines {of_today}, {OF_GPUS}");
        window.query_all_by_label_contains(&text).count() == 1
    };
    assert!(is_named(&window, "here"));
    press(&mut window, "Show the answer");
    assert!(is_named(&window, "under 2 Where"));
    // With the price of today's machines entered, that of the GPU cluster is missing.
    press(&mut window, "2 Where");
    enter_number(&mut window, TODAYS_PRICE, "0.2");
    assert_eq!(window.query_all_by_label_contains("Enter the prices of your region: for today’s").count(), 0);
    assert!(window.query_all_by_label_contains("Enter the prices of your region: for the measured").count() > 0);
    // Its machines do not name a region.
    assert_eq!(with_answer().query_all_by_label_contains("prices are those of").count(), 0);
}

#[test]
fn the_pages_of_the_operators_name_their_engines_and_lead_to_the_decision() {
    const LINK: &str = "The decision is on the page Answer";
    let mut window = with_answer();
    assert!(!is_there(&window, LINK));
    for (page, question) in
        [("Explore operators", "How long does each operator"), ("Curves", "When is each engine faster")]
    {
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

/// The pages of the operators warn of estimated rows and bytes; the answer has this warning in a line of its own.
#[test]
fn the_tabs_have_one_place_on_all_pages_of_a_query() {
    const TABS: [&str; 4] = ["Answer", "Plan", "Curves", "Run"];
    let mut window = with_answer();
    for about in ["This query", "Application"] {
        press(&mut window, about);
        let places = |window: &Window| TABS.map(|tab| window.get_by_role_and_label(Role::Button, tab).rect());
        let of_answer = places(&window);
        for tab in ["Plan", "Curves", "Run", "Answer"] {
            window.get_by_role_and_label(Role::Button, tab).click_accesskit();
            settle(&mut window);
            assert_eq!(places(&window), of_answer, "{about}: {tab}");
            let warned = window.query_all_by_label_contains("Warning: ").count();
            assert!(warned > 0 || tab == "Answer", "{about}: {tab} lists its warnings");
        }
    }
}

/// The strip above the field has as many figures before as after.
#[test]
fn entering_the_runs_per_month_moves_nothing_above_them() {
    let mut window = with_answer();
    let top = |window: &Window| window.get_by_role_and_label(Role::SpinButton, "Runs per month").rect().top();
    window.get_by_label("expected saving per run");
    let before = top(&window);
    // As the sentence prints it.
    enter_number(&mut window, "Runs per month", "3,000");
    assert_eq!(study(&window).decision_inputs().runs_per_month, Some(3000.0));
    window.get_by_label("expected saving per month");
    assert!((top(&window) - before).abs() < 0.5, "{} instead of {before}", top(&window));
}

/// Beside the inspector, which is 348 points wide.
#[test]
fn every_column_of_the_options_is_in_a_window_of_1280_points_with_runs_per_month() {
    const LAST: [&str; 4] = [
        "median cost per run mean per month",
        "mean saving per run 90 % interval mean per month",
        "likely to meet goal",
        "Pareto front",
    ];
    let mut window = with_answer();
    enter_number(&mut window, "Runs per month", "3000");
    for page in ["This query", "Application"] {
        press(&mut window, page);
        window.get_by_label_contains("The measured pair of engines");
        for title in LAST {
            let heading = window.get_by(|node| {
                let text = node.value().unwrap_or_default();
                // Headings have several lines; the chart's legend has the Pareto front, too.
                text.contains('\n') && text.split_whitespace().eq(title.split(' '))
            });
            let [left, right] = [heading.rect().left(), heading.rect().right()];
            assert!(left > 348.0 && right < 1272.0, "{page}: {title} from {left} to {right}");
        }
    }
}

/// RAPIDS wins where today's machines are dear, and more machines save more of them. The table of operators is below both pages.
#[test]
fn the_plan_its_curves_and_its_table_are_of_the_recommended_cluster() {
    let mut window = with_machines();
    enter_number(&mut window, TODAYS_PRICE, "100");
    press(&mut window, "Show the answer");
    let decided = decision(study(&window)).expect("a decision");
    let best = decided.best_option().expect("an option").candidate.title.clone();
    let measured = study(&window).engines.as_deref().expect("engines").gpu.title();
    assert!(best.starts_with("RAPIDS") && best != measured, "{}", decided.sentence());
    for page in ["Plan", "Curves"] {
        press(&mut window, page);
        assert_eq!(window.query_all_by_label_contains("This page compares").count(), 0, "{page}");
        window.get_by_label_contains("Plan and Curves compare ");
    }
    let pair = super::board(&window).plan().and_then(|plan| plan.pair()).expect("engines");
    assert!(best.starts_with(&pair[1]), "{pair:?}");
    let charts = window.state().active().expect("a document").view.charts();
    let [crossover_chart::Chart::Lines(times)] = &charts[..] else { panic!("one chart of both engines") };
    let curves: Vec<&str> = times.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(curves, *pair);
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
    for (button, text) in [
        ("Copy spark-submit command", expected.command().join("\n")),
        ("Copy spark-defaults.conf lines", expected.defaults().join("\n")),
    ] {
        window.get_by_label(button).click_accesskit();
        let copied = crossover_needs::wait_for("copied settings", || {
            window.step();
            window.output().platform_output.commands.iter().find_map(|command| match command {
                egui::OutputCommand::CopyText(text) => Some(text.clone()),
                _ => None,
            })
        });
        assert_eq!(copied, text);
        settle(&mut window);
        let messages = messages(&window);
        let said = |part: &str| messages.lines().any(|line| line.starts_with("Copied ") && line.contains(part));
        assert!(said(button.split(' ').nth(1).expect("a name")) && said(&best.candidate.title), "{messages}");
    }
}
