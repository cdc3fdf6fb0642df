//! The answer about the whole application of a query, and about options that are about as good.

use std::path::{Path, PathBuf};

use crossover::workbench::Start;
use crossover_export::Format;
use crossover_export::report::ReportFormat;
use crossover_page::command::{Command, Picture};
use crossover_page::storage::scenario;
use crossover_placement_page::request::Request;
use crossover_plan::decide::decision;
use crossover_query::Application;
use crossover_query::application::LeftOut;
use crossover_tool_pages::sweep;
use egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::deciding::{
    ANSWER, OF_APPLICATION, TODAYS_PRICE, is_there, log, messages, open_notes, press, with_machines, with_machines_in,
    with_machines_of,
};
use super::{Window, enter_number, send, settle, study, type_path, window_with};

/// Title of the bars, and of the section of a report.
const DEPENDS_ON: &str = "What the answer depends on most";
const CHANGES: &str = "What would change it";
const NEXT_STEP: &str = "Next step";

/// The longest query of the log with the answer, which is that about the application.
fn with_answer() -> Window {
    let mut window = with_machines();
    press(&mut window, "Show the answer");
    window.get_by_label(OF_APPLICATION);
    window
}

fn count(window: &Window, label: &str) -> usize {
    window.query_all_by_label(label).count()
}

/// The text that begins so and has this part.
fn text_with(window: &Window, begin: &str, part: &str) -> String {
    let mut texts = window.query_all_by_label_contains(part).filter_map(|node| {
        let node = node.accesskit_node();
        node.label().or_else(|| node.value())
    });
    texts.find(|text| text.starts_with(begin)).unwrap_or_else(|| panic!("{begin}…{part}"))
}

/// Mean costs of a run in the strip, today and with the option: "$0.0394 → $0.0201".
fn costs_of_strip(window: &Window) -> String {
    text_with(window, "$", " → ")
}

/// The recommended options of the application in the strip.
fn options_of_strip(window: &Window) -> String {
    text_with(window, "the application: ", "the application: ")
}

/// What the command line decides about a log, also on these clusters.
fn of_command_line(log: &Path, clusters: &[&str]) -> String {
    let clusters: Vec<String> = clusters.iter().map(|cluster| (*cluster).to_owned()).collect();
    crossover_fleet_page::cli::decide::answer_of(log, None, &clusters).expect("an answer")
}

/// The lines with text below a heading of a report, up to another heading.
fn section<'a>(printed: &'a str, heading: &str, next: &str) -> Vec<&'a str> {
    let lines = printed.lines().skip_while(|line| *line != heading).skip(1).take_while(|line| *line != next);
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_answer_is_that_of_the_command_line_about_the_application() {
    let window = with_answer();
    let printed = of_command_line(&log(), &[]);
    let sentence = printed.lines().nth(1).expect("a sentence");
    assert!(count(&window, sentence) > 0, "{sentence}");
    window.get_by_label_contains(" queries, 56.71 s from start to end");
    window.get_by_label_contains("19.38 s of the application’s 56.71 s are outside of queries with a prediction");
    assert!(window.state().tab_titles().contains(&"shop".to_owned()), "{:?}", window.state().tab_titles());
    // The strip has the same options, and the figures of the application.
    let options = options_of_strip(&window);
    for (engine, version) in [("Gluten (Velox)", "3.5.3"), ("Comet 0.17.0", "3.5.8")] {
        assert!(sentence.contains(engine), "{sentence}");
        assert!(options.contains(&format!("{engine} on Spark {version}")), "{options}");
    }
    for text in [sentence, &options] {
        assert!(text.contains(", both on the same machines"), "{text}");
    }
    window.get_by_label_contains("56.71 s → ");
}

/// As many, too: the line that opens has their number.
#[test]
fn the_notes_about_the_application_are_those_of_the_command_line() {
    let mut window = with_answer();
    let printed = of_command_line(&log(), &[]);
    open_notes(&mut window);
    let notes = printed.lines().filter(|line| line.starts_with("Note: "));
    let notes: Vec<&str> = notes.collect();
    assert!(!notes.is_empty(), "{printed}");
    assert_eq!(window.query_all_by_label_contains("Note: ").count(), notes.len());
    for note in notes {
        assert!(window.query_all_by_label_contains(note).count() > 0, "{note}");
    }
}

/// As the table *Queries* of the terminal: query 6 is the one of 10.446 s. The status bar counts the operators of this query.
#[test]
fn the_queries_of_an_application_are_below_its_answer() {
    let mut window = with_answer();
    let printed = of_command_line(&log(), &[]);
    let rows = section(&printed, "Queries", "");
    assert!(rows.len() > 2, "{printed}");
    press(&mut window, "Go to the queries");
    for title in ["median time with option", "option, and why not"] {
        window.get_by_label(title);
    }
    assert!(count(&window, "10.446 s") > 0 || count(&window, "10.45 s") > 0, "{rows:?}");
    window.get_by_label_contains(" operators of query 6  ·  ");
}

/// 56.71 s are those of the application, and 10.446 s those of its query 6.
#[test]
fn the_step_where_says_of_what_each_time_is() {
    let window = with_machines();
    assert!(options_of_strip(&window).contains("same machines"), "{}", options_of_strip(&window));
    window.get_by_label_contains(" queries, 56.71 s from start to end");
    window.get_by_label("Query 6 alone:");
}

#[test]
fn the_strip_has_the_costs_and_the_saving_of_the_sentence() {
    let mut window = with_answer();
    let printed = of_command_line(&log(), &[]);
    let sentence = printed.lines().nth(1).expect("a sentence");
    let (_, savings) = sentence.split_once("Expected saving: ").expect("a saving");
    // "$0.0006 per run (…, 90 % interval) or $0.0005 (…). At half …".
    let (savings, _) = savings.split_once(". ").expect("an end");
    let of_each = savings.split(" or ").filter_map(|saving| saving.split_whitespace().next());
    let savings = of_each.collect::<Vec<&str>>().join(" or ");
    assert!(savings.starts_with('$') && count(&window, &savings) > 0, "{savings}");
    for page in ["Application", "This query"] {
        press(&mut window, page);
        let costs = costs_of_strip(&window);
        let (today, option) = costs.split_once(" → ").expect("two costs");
        let expected = format!("costs {option} instead of {today}");
        assert!(window.query_all_by_label_contains(&expected).count() > 0, "{page}: {expected}");
    }
}

/// 41 of the 60 operators of all queries, and 13 of the 21 of query 6.
#[test]
fn numbers_of_operators_are_those_of_what_is_on_screen_and_say_so() {
    const OF_APPLICATION: &str = "in the application’s queries, rows or bytes of 41 of 60 operators are estimated";
    const OF_QUERY: &str = "Warning: in this query, rows or bytes of 13 of 21 operators are estimated";
    let counts =
        |window: &Window| [OF_APPLICATION, OF_QUERY].map(|part| window.query_all_by_label_contains(part).count());
    let mut window = with_answer();
    open_notes(&mut window);
    assert_eq!(counts(&window), [1, 0]);
    press(&mut window, "This query");
    open_notes(&mut window);
    assert_eq!(counts(&window), [0, 1]);
}

/// Everything on the page is about the application; one click shows everything about the query, and nothing of the application.
#[test]
fn the_page_is_about_the_application_or_with_one_click_about_the_query() {
    let mut window = with_answer();
    for (page, title) in [("This query", "shop · query 6"), ("Application", "shop")] {
        press(&mut window, page);
        assert!(window.state().tab_titles().contains(&title.to_owned()), "{:?}", window.state().tab_titles());
    }
    let printed = of_command_line(&log(), &[]);
    let depends_on = *section(&printed, DEPENDS_ON, CHANGES).first().expect("numbers with ranges");
    let changes = section(&printed, CHANGES, NEXT_STEP);
    assert!(!changes.is_empty(), "{printed}");
    for text in changes.iter().copied().chain([depends_on]) {
        assert_eq!(count(&window, text), 1, "{text}");
    }
    for part in [DEPENDS_ON, CHANGES, NEXT_STEP, "Options", "Evidence", "Copy spark-submit command"] {
        assert_eq!(count(&window, part), 1, "{part}");
    }
    let decided = decision(study(&window)).expect("a decision");
    let of_query = decided.sentence();
    assert_eq!(count(&window, &of_query), 0, "{of_query}");

    press(&mut window, "This query");
    assert_eq!((count(&window, ANSWER), count(&window, OF_APPLICATION)), (1, 0));
    assert!(count(&window, &of_query) > 0, "{of_query}");
    assert_eq!(count(&window, depends_on), 0, "{depends_on}");
    let sentence = printed.lines().nth(1).expect("a sentence");
    assert_eq!(count(&window, sentence), 0, "{sentence}");
    for part in [DEPENDS_ON, NEXT_STEP, "Options", "Evidence", "Copy spark-submit command"] {
        assert_eq!(count(&window, part), 1, "{part}");
    }
    window.get_by_label_contains("this query alone: ");

    press(&mut window, "Application");
    assert_eq!(count(&window, OF_APPLICATION), 1);
    assert!(count(&window, sentence) > 0, "{sentence}");
}

#[test]
fn the_exported_report_is_that_of_the_command_line_while_the_application_is_on_screen() {
    let folder = tempfile::tempdir().expect("a folder");
    let exported = |window: &mut Window, format: ReportFormat, name: &str| {
        let path = folder.path().join(name);
        send(window, Command::ExportReport(format));
        type_path(window, &path);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let mut window = with_answer();
    for (format, name) in [(ReportFormat::Html, "application.html"), (ReportFormat::Markdown, "application.md")] {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_crossover"));
        let program = program.arg("decide").arg(log()).args(["--format", format.key()]);
        let printed = String::from_utf8(program.output().expect("the program starts").stdout).expect("UTF-8");
        let written = exported(&mut window, format, name);
        let apart = written.lines().zip(printed.lines()).find(|(one, other)| one != other);
        assert!(written == printed, "{name} differs: {apart:?}");
    }
    press(&mut window, "This query");
    let of_query = exported(&mut window, ReportFormat::Markdown, "query.md");
    assert!(!of_query.contains("19.38 s of the 56.71 s"), "{of_query}");
    assert!(of_query.contains("About query 6 of application shop (18.4 % of its time)"), "{of_query}");
    assert!(of_query.contains(" --query --format markdown"), "{of_query}");
    send(&mut window, Command::ShowTool(sweep::TOOL));
    settle(&mut window);
    window.get_by_label("About query 6 of application shop, not about the whole application.");
}

/// Writes what a command exports to a file, and reads it.
fn exported_by(window: &mut Window, command: Command, extension: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("exported.{extension}"));
    send(window, command);
    type_path(window, &path);
    std::fs::read_to_string(&path).expect("written")
}

/// The application takes 56.71 s today, and its query 6 takes 10.446 s.
#[test]
fn the_exported_data_are_those_of_the_options_on_screen() {
    let mut window = with_answer();
    let decided = decision(study(&window)).expect("a decision");
    let of_query = decided.options.iter().filter(|option| option.candidate.time.is_some()).count();
    for (page, today) in [("Application", ",true,56.7"), ("This query", ",true,10.4")] {
        press(&mut window, page);
        let text = exported_by(&mut window, Command::ExportData, "csv");
        let (options, depends_on) = text.split_once("\r\n\r\n").expect("two tables");
        let lines: Vec<&str> = options.lines().collect();
        assert!(lines[0].starts_with("option,is_today,time_seconds,time_seconds_low,"), "{page}: {text}");
        assert!(lines[1].contains(today), "{page}: {text}");
        assert!(depends_on.starts_with("number,unit,low,high,"), "{page}: {text}");
        assert!(lines[2..].iter().any(|line| line.ends_with(",true")), "{page} recommends an option: {text}");
        if page == "This query" {
            assert_eq!(lines.len(), 2 + of_query, "{text}");
        }
    }
    press(&mut window, "2 Where");
    send(&mut window, Command::ExportData);
    assert!(window.state().messages().any(|text| text.contains("This step has no chart")));
    send(&mut window, Command::ExportChart { chart: 0, picture: Picture::Svg });
    assert!(window.state().messages().any(|text| text.contains("no chart to export")));
}

#[test]
fn an_exported_chart_names_the_application_or_the_query() {
    const TITLE: &str = "How long does each option take, and what does it cost?";
    let mut window = with_answer();
    for (page, name) in [("Application", "shop"), ("This query", "shop · query 6")] {
        press(&mut window, page);
        for (picture, extension) in [(Picture::Svg, "svg"), (Picture::VegaLite, "vl.json")] {
            let text = exported_by(&mut window, Command::ExportChart { chart: 0, picture }, extension);
            assert!(text.contains(&format!("{name}: {TITLE}")), "{page}: {}", &text[..text.len().min(600)]);
        }
    }
}

/// The results are those of the query on both pages.
#[test]
fn the_proposed_name_of_a_file_is_that_of_what_is_exported() {
    let mut window = with_answer();
    let chart = || Command::ExportChart { chart: 0, picture: Picture::Svg };
    for (page, name) in [("Application", "shop"), ("This query", "shop · query 6")] {
        press(&mut window, page);
        for (command, proposed) in [
            (Command::ExportReport(ReportFormat::Markdown), format!("{name}-report.md")),
            (Command::ExportData, format!("{name}-data.csv")),
            (chart(), format!("{name}-chart-1.svg")),
            (Command::Export(Format::Csv), "shop · query 6-results.csv".to_owned()),
        ] {
            send(&mut window, command);
            let fields = window.query_all_by_role(Role::TextInput);
            let texts: Vec<String> = fields.filter_map(|field| field.accesskit_node().value()).collect();
            let is_proposed = |text: &String| text.strip_prefix('~').is_some_and(|text| text[1..] == proposed);
            assert!(texts.iter().any(is_proposed), "{page}: {proposed}: {texts:?}");
            press(&mut window, "Cancel");
        }
    }
}

#[test]
fn a_cluster_that_is_entered_is_compared_for_the_application_as_by_the_command_line() {
    const THREE: &str = "RAPIDS 25.12 (L4), 3 × g6.2xlarge (entered)";
    let mut window = with_machines();
    press(&mut window, "Add a GPU cluster");
    enter_number(&mut window, "decision.candidates.cluster.machines", "3");
    press(&mut window, "Show the answer");
    window.get_by_label(OF_APPLICATION);
    let printed = of_command_line(&log(), &["3xg6.2xlarge"]);
    let row = printed.lines().find(|line| line.contains(THREE)).expect("a row");
    // Number, option, time and its interval.
    let cells: Vec<&str> = row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).take(4).collect();
    assert_eq!(cells[1], THREE);
    for cell in &cells[1..] {
        assert!(count(&window, cell) > 0, "{cell}: {row}");
    }
    let sentence = printed.lines().nth(1).expect("a sentence");
    assert!(count(&window, sentence) > 0, "{sentence}");
    // The cluster is undone for both.
    press(&mut window, "2 Where");
    press(&mut window, "Remove cluster");
    press(&mut window, "3 Answer");
    assert_eq!(count(&window, THREE), 0);
}

/// 56.71 s at 2.5 dollars an hour are 3.9 cents, on two such machines 7.9 cents.
#[test]
fn prices_runs_and_machines_that_are_entered_count_for_the_application() {
    let mut window = with_answer();
    enter_number(&mut window, "Runs per month", "720");
    press(&mut window, "2 Where");
    enter_number(&mut window, TODAYS_PRICE, "2.5");
    press(&mut window, "3 Answer");
    let usd_today = |window: &Window| -> f64 {
        let costs = costs_of_strip(window);
        let today = costs.trim_start_matches('$').split(' ').next();
        today.and_then(|number| number.parse().ok()).expect("a number")
    };
    let of_one = 56.71 * 2.5 / 3600.0;
    assert!((usd_today(&window) / of_one - 1.0).abs() < 0.02, "{}", costs_of_strip(&window));
    window.get_by_label("expected saving per month");
    assert!(window.query_all_by_label_contains("a month at 720 runs").count() > 0);
    press(&mut window, "2 Where");
    enter_number(&mut window, "engines.cpu.machines", "2");
    press(&mut window, "3 Answer");
    assert!((usd_today(&window) / (2.0 * of_one) - 1.0).abs() < 0.02, "{}", costs_of_strip(&window));
}

/// The budget is per run of what the page is about, as with `--budget` and `--query`; until it is entered, it is the cost today.
#[test]
fn the_budget_is_entered_beside_the_application_and_the_query() {
    let mut window = with_answer();
    window.state_mut().edit_active(|scenario| {
        let study = scenario.study.placement_mut().expect("a placement study");
        study.edit_decision(|inputs| inputs.goal = crossover_decision::Goal::Time);
    });
    settle(&mut window);
    for page in ["This query", "Application"] {
        press(&mut window, page);
        window.get_by_label("per run, today’s cost");
        let field = window.get_by_role_and_label(Role::SpinButton, "at no more than");
        let shown = field.accesskit_node().value().unwrap_or_default();
        assert!(shown.starts_with("$0.0") && !shown.trim_start_matches(['$', '0', '.']).is_empty(), "{page}: {shown}");
    }
    enter_number(&mut window, "at no more than", "30/month");
    assert_eq!(study(&window).decision_inputs().budget_usd, None);
    assert_eq!(window.query_all_by_label_contains("The budget is for one run").count(), 1);
    enter_number(&mut window, "at no more than", "$0.01");
    assert_eq!(study(&window).decision_inputs().budget_usd, Some(0.01));
    window.get_by_label("per run");
    assert_eq!(window.query_all_by_label_contains("The budget is for one run").count(), 0);
    press(&mut window, "This query");
    window.get_by_label("per run");
}

#[test]
fn the_pareto_front_is_listed_without_a_recommendation() {
    let mut window = with_answer();
    press(&mut window, "This query");
    window.state_mut().edit_active(|scenario| {
        let study = scenario.study.placement_mut().expect("a placement study");
        study.edit_decision(|inputs| inputs.goal = crossover_decision::Goal::ParetoFront);
    });
    settle(&mut window);
    window.get_by_label("of time and cost");
    let decided = decision(study(&window)).expect("a decision");
    let [options, _] = decided.recommendation_and_details();
    window.get_by_label(&options);
    window.get_by_label("median time on the front");
    assert!(decided.front.len() > 1 && window.query_by_label_contains("Choose one by time and cost").is_some());
}

/// Query 6 takes 6.5 s with Gluten and 6.3 s with Comet on the machine of the log, and costs $0.00045 with RAPIDS on two machines: the same
/// at 0.00045 · 3,600 ÷ 6.5 = 0.25 dollars an hour. RAPIDS has the narrowest error and saves most at 0.28 dollars.
#[test]
fn options_that_are_about_as_good_are_all_named_with_the_settings_of_each() {
    let mut window = with_machines();
    enter_number(&mut window, TODAYS_PRICE, "0.28");
    press(&mut window, "Show the answer");
    press(&mut window, "This query");
    let decided = decision(study(&window)).expect("a decision");
    let titles: Vec<&str> =
        decided.recommended().map(|place| decided.options[place].candidate.title.as_str()).collect();
    let [best, others @ ..] = &titles[..] else { panic!("{}", decided.sentence()) };
    assert_eq!(others.len(), 2, "{}", decided.sentence());
    window.get_by_label(&format!("this query alone: {best}; {}; or {}", others[0], others[1]));
    window.get_by_label_contains("Run each of them once and keep the cheaper.");
    let plugin = |title: &str| match title.split([' ', ',']).next() {
        Some("Gluten") => "GlutenPlugin",
        Some("Comet") => "CometPlugin",
        _ => "SQLPlugin",
    };
    let shows = |window: &Window, title: &str| {
        window.query_all_by_label_contains("spark.plugins=").count() == 1
            && window.query_all_by_label_contains(plugin(title)).count() == 1
    };
    let is_shown = |title: &&str| shows(&window, title);
    assert!(is_shown(best) && !others.iter().any(is_shown), "the best option is shown first");
    for title in [others[1], others[0], *best] {
        // A row of the table has the same text.
        window.get_by_role_and_label(Role::Button, title).click_accesskit();
        settle(&mut window);
        assert!(shows(&window, title), "{title}");
    }
}

#[test]
fn the_whole_application_has_the_runs_and_the_price_of_its_query() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = with_machines();
    enter_number(&mut window, "Runs per month", "720");
    enter_number(&mut window, TODAYS_PRICE, "2.5");
    send(&mut window, Command::ask(Request::Another));
    press(&mut window, "Read in Fleet");
    // Results have no folder of their own in a test.
    type_path(&mut window, folder.path());
    window.get_by_label("1 application");
    let number = |field: &str| {
        let node = window.get_by_role_and_label(Role::SpinButton, field);
        node.accesskit_node().numeric_value()
    };
    assert_eq!((number("Runs per month"), number("Price today")), (Some(720.0), Some(2.5)));
    // The page opens at the application: its decision with costs, options and next step.
    for label in [" a month at 720 runs", "stay: Spark 4.3.0", "Next step: run it on "] {
        assert!(window.query_all_by_label_contains(label).count() > 0, "{label}");
    }
    assert!(window.query_by_label_contains("should not move").is_none());
    press(&mut window, "◀ All applications");
    window.get_by_label_contains("Cost per month: ");
}

/// Chance, time and cost in the first sentence of the answer, which is that of the command line about the log.
fn check_sentence(window: &Window) {
    let printed = of_command_line(&log(), &[]);
    let sentence = printed.lines().nth(1).expect("a sentence");
    assert!(is_there(window, OF_APPLICATION), "{}", messages(window));
    assert!(count(window, sentence) > 0, "{sentence}");
}

#[test]
fn a_saved_answer_about_an_application_opens_as_the_same_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("shop.ron");
    let mut window = with_answer();
    check_sentence(&window);
    send(&mut window, Command::SaveTo(file.clone()));
    send(&mut window, Command::CloseTab);
    send(&mut window, Command::ReopenClosed);
    check_sentence(&window);
    drop(window);
    let loaded = vec![scenario::load(&file).expect("a scenario")];
    let mut window = window_with(Start { loaded, ..Start::default() });
    check_sentence(&window);
    // It is decided anew, as the log is.
    let before = costs_of_strip(&window);
    press(&mut window, "2 Where");
    enter_number(&mut window, TODAYS_PRICE, "2.5");
    press(&mut window, "3 Answer");
    assert_ne!(costs_of_strip(&window), before);
    assert!(is_there(&window, OF_APPLICATION));
    send(&mut window, Command::Undo);
    check_sentence(&window);
}

#[test]
fn a_restart_shows_the_answer_about_the_application_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = || Start {
        recovery_folder: Some(folder.path().join("unsaved")),
        tabs_file: Some(folder.path().join("tabs.ron")),
        ..Start::default()
    };
    let mut window = with_machines_in(window_with(start()), &log());
    press(&mut window, "Show the answer");
    send(&mut window, Command::SaveTo(folder.path().join("shop.ron")));
    check_sentence(&window);
    eframe::App::on_exit(window.state_mut(), None);
    drop(window);
    let mut window = window_with(start());
    settle(&mut window);
    check_sentence(&window);
    // What the page is about is kept, too, also if the tab was not drawn in between.
    press(&mut window, "This query");
    assert!(is_there(&window, ANSWER) && !is_there(&window, OF_APPLICATION));
    for _ in 0..2 {
        eframe::App::on_exit(window.state_mut(), None);
        drop(window);
        window = window_with(start());
        settle(&mut window);
        assert!(is_there(&window, ANSWER) && !is_there(&window, OF_APPLICATION), "{}", messages(&window));
    }
}

/// The title of the tab stays the name of the query or of the application.
#[test]
fn a_saved_answer_keeps_the_title_of_its_tab() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = with_answer();
    send(&mut window, Command::SaveTo(folder.path().join("march.ron")));
    for (page, title) in [("This query", "shop · query 6"), ("Application", "shop")] {
        press(&mut window, page);
        assert!(window.state().tab_titles().contains(&title.to_owned()), "{:?}", window.state().tab_titles());
    }
}

/// A scenario without the plans says so, and does not answer for the one query without a word.
#[test]
fn an_application_whose_plans_are_not_in_the_scenario_is_said_not_to_be_judged() {
    let mut window = with_answer();
    window.state_mut().edit_active(|scenario| {
        let query = scenario.study.placement_mut().and_then(|study| study.query.as_deref_mut()).expect("a query");
        let kept = query.application.take().expect("an application");
        let why = "its plans are too large for the scenario file".to_owned();
        let left_out = Some(LeftOut { queries: kept.queries.len(), why });
        query.application = Some(Application { name: kept.name.clone(), left_out, ..Application::default() }.into());
    });
    settle(&mut window);
    assert!(is_there(&window, ANSWER) && !is_there(&window, OF_APPLICATION));
    window.get_by_label_contains("cannot be judged: its plans are too large for the scenario file.");
    window.get_by_label("This query alone:");
    send(&mut window, Command::Undo);
    check_sentence(&window);
}

#[test]
fn a_plan_of_one_query_has_no_application() {
    let plan = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-profile.json"));
    let mut alone = with_machines_of(&plan);
    press(&mut alone, "Show the answer");
    assert!(is_there(&alone, ANSWER) && !is_there(&alone, OF_APPLICATION));
    assert_eq!(alone.query_all_by_label_contains("the application: ").count(), 0);
}
