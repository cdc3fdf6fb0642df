//! Every command says the same of a query.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crossover_needs::test_data;
use crossover_plan::{Control, spark};
use crossover_quantity::shared::Shared;
use crossover_query::application::LeftOut;
use serde_json::Value;

use super::super::{PUBLISHED, records, refusal, result, run};
use super::{LOG, RAPIDS, ROUNDING, decided_one, list, option, parsed, printed, seconds, text};

/// Standard deviations within which 90 % of a normal distribution lie.
const Z_90: f64 = 1.644_853_626_951_472_7;

/// Time today, time on the GPU cluster with the ends of its interval, and the likelihood of being faster there.
type Answer = [Option<f64>; 5];

/// What `decide` says of a query.
fn answer_of_decision(decision: &Value) -> Answer {
    let rapids = option(decision, RAPIDS);
    let deviation = rapids["candidate"]["time"]["deviation"].as_f64();
    let end = |z: f64| deviation.map(|deviation| seconds(rapids) * (z * deviation).exp());
    let today = &decision["baseline"]["time"];
    assert_eq!((&decision["baseline"]["is_measured"], &today["known_seconds"]), (&true.into(), &0.0_f64.into()));
    [today["median_seconds"].as_f64(), Some(seconds(rapids)), end(-Z_90), end(Z_90), rapids["faster"].as_f64()]
}

/// What `import spark-log` says of it.
fn answer_of_import(log: &str, id: &str) -> Answer {
    let text = result(&["import", "spark-log", log, "--query", id, "--format", "json"]);
    let imported: Value = serde_json::from_str(&text).expect("JSON");
    answer_of_decision(&imported["queries"][0]["decision"])
}

/// What the tables of `fleet` say of each query, by its id.
fn answers_of_fleet(log: &str) -> BTreeMap<String, Answer> {
    let out = tempfile::tempdir().expect("a folder");
    let (code, _, messages) = run(&["fleet", log, "--out", text(out.path())]);
    assert_eq!(code, Some(0), "{log}: {messages}");
    let table = records(&fs::read_to_string(out.path().join("queries.csv")).expect("a table"));
    let (names, rows) = table.split_first().expect("a header");
    let place = |name: &str| names.iter().position(|other| other == name).unwrap_or_else(|| panic!("no {name}"));
    let columns = ["seconds", "gpu_seconds", "gpu_seconds_low", "gpu_seconds_high", "gpu_faster"].map(place);
    let id = place("query_id");
    rows.iter().map(|row| (row[id].clone(), columns.map(|column| row[column].parse().ok()))).collect()
}

/// Compares what each command says of every query of a log that `decide` predicts; gives their number.
fn compared(log: &str) -> usize {
    let decided = decided_one(&[log]);
    let is_predicted = |query: &&Value| !query["decision"].is_null();
    let predicted: Vec<&Value> = list(&decided["queries"]).iter().filter(is_predicted).collect();
    if predicted.is_empty() {
        return 0;
    }
    let fleet = answers_of_fleet(log);
    for query in &predicted {
        let id = query["id"].as_str().expect("an id");
        let answer = answer_of_decision(&query["decision"]);
        for (command, other) in [("import", answer_of_import(log, id)), ("fleet", fleet[id])] {
            for (place, (one, other)) in answer.iter().zip(other).enumerate() {
                let is_same = match (one, other) {
                    (Some(one), Some(other)) => (one - other).abs() <= ROUNDING * one.abs().max(other.abs()),
                    (one, other) => one.is_none() && other.is_none(),
                };
                assert!(is_same, "{log}: query {id}: decide has {one:?}, {command} has {other:?} at {place}");
            }
        }
    }
    predicted.len()
}

/// Whether two decisions are the same but for rounding, beside what only one of both has.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let of = |map: &serde_json::Map<String, Value>| {
                map.keys()
                    .filter(|key| !["sentence", "price_changes", "break_even_prices"].contains(&key.as_str()))
                    .cloned()
                    .collect()
            };
            let (keys, other_keys): (Vec<String>, Vec<String>) = (of(one), of(other));
            keys == other_keys && keys.iter().all(|key| is_same(&one[key], &other[key]))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Number(one), Value::Number(other)) => {
            let [one, other] = [one, other].map(|number| number.as_f64().expect("a number"));
            (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
        }
        (one, other) => one == other,
    }
}

/// Compares what every face says of the first queries of a file that `decide` predicts; gives their number.
fn faces(kind: &str, file: &str, most: usize) -> usize {
    let decided = decided_one(&[file]);
    let is_predicted = |query: &&Value| !query["decision"].is_null();
    let predicted: Vec<&Value> = list(&decided["queries"]).iter().filter(is_predicted).take(most).collect();
    for query in &predicted {
        let id = query["id"].as_str().expect("an id");
        let alone = decided_one(&[file, "--query", id]);
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| text(&folder.path().join(name)).to_owned();
        let (scenario, chosen) = (path("scenario.ron"), path("recommended.ron"));
        let imported = parsed(&["import", kind, file, "--query", id, "--out", &scenario]);
        let decision = &imported["queries"][0]["decision"];
        assert!(is_same(&alone["decision"], decision), "{file}: query {id}: {}\nis not\n{decision}", alone["decision"]);
        let sentence = decision["sentence"].as_str().expect("a sentence");
        assert_eq!(alone["sentence"].as_str(), Some(sentence), "{file}: query {id}");

        // All others read one scenario, so every bit is the same.
        let search = ["search", &scenario, "--free", "engines.gpu.machines=2..8:2", "--minimise", "gpu_seconds"];
        let found = parsed(&[&search[..], &["--out", chosen.as_str()][..]].concat());
        let sampled = parsed(&["uncertainty", &scenario, "--samples", "64"]);
        let compared = parsed(&["compare", &scenario, &chosen]);
        let of_chosen = &parsed(&["evaluate", &chosen])["plan"]["decision"];
        for (face, found, expected) in [
            ("evaluate", &parsed(&["evaluate", &scenario])["plan"]["decision"], decision),
            ("uncertainty", &sampled["decision"], decision),
            ("search", &found["decision"], decision),
            ("the recommended candidate of search", &found["recommended_decision"], of_chosen),
            ("compare", &compared["decisions"][0], decision),
            ("the other scenario of compare", &compared["decisions"][1], of_chosen),
        ] {
            assert!(found.is_object(), "{file}: query {id}: {face} has no decision");
            assert_eq!(found, expected, "{file}: query {id}: {face}");
        }
        // No face has a likelihood of its own.
        let figures = list(&sampled["figures"]);
        assert!(figures.iter().all(|figure| figure["at_least_1"].is_null()), "{figures:?}");

        for face in [
            &["evaluate", &scenario][..],
            &["uncertainty", &scenario, "--samples", "64"],
            &search,
            &["compare", &scenario, &scenario],
        ] {
            let table = printed(face);
            assert!(table.contains(sentence), "{face:?}: {sentence} is not in\n{table}");
        }
        let report = ["report", &scenario, "--samples", "64"];
        let html = printed(&report);
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let page = roxmltree::Document::parse_with_options(&html, options).expect("well-formed");
        let words: String = page.descendants().filter_map(|node| node.text()).collect();
        assert!(words.contains(sentence), "{sentence} is not in\n{words}");
        let markdown = printed(&[&report[..], &["--format", "markdown"]].concat());
        let lead = format!("**{}**", crossover_quantity::text::escaped(sentence));
        assert!(markdown.contains(&lead), "{lead} is not in\n{markdown}");
    }
    predicted.len()
}

/// The same query, the same engines, the same machines: the same numbers, whoever asks. Of an application as a whole
/// `decide`, `fleet`, `evaluate`, `report` and `compare` say something.
#[test]
fn every_face_gives_the_same_answer() {
    assert_eq!(compared(LOG), 9);
    assert_eq!(faces("spark-log", LOG, 9), 9);
}

#[test]
fn every_face_gives_the_same_answer_about_a_plan_of_duckdb() {
    let join = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-join.json");
    assert_eq!(faces("duckdb", join, 1), 1);
}

/// A plan without a run has a predicted time today.
#[test]
fn every_face_gives_the_same_answer_about_plans_that_never_ran() {
    for (kind, name) in [("spark-plan", "spark-plan-formatted.txt"), ("duckdb", "duckdb-estimate.json")] {
        assert_eq!(faces(kind, text(&sample(name)), 1), 1, "{name}");
    }
}

/// A plan that comes with the program.
fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../plan/samples").join(name)
}

/// The engines were measured against Spark and DuckDB.
#[test]
fn the_list_and_the_decision_agree_about_every_plan_that_comes_with_the_program() {
    let files = fs::read_dir(sample("")).expect("a folder").map(|file| file.expect("a file").path());
    let mut plans: Vec<(&str, PathBuf)> = files
        .filter_map(|path| {
            let is_json = path.extension().is_some_and(|extension| extension == "json");
            let kind = match path.file_name()?.to_str()? {
                name if name.starts_with("duckdb") && is_json => "duckdb",
                name if name.starts_with("spark-plan") => "spark-plan",
                _ => return None,
            };
            Some((kind, path))
        })
        .collect();
    plans.sort();
    assert!(plans.len() >= 12, "{plans:?}");
    for (kind, path) in plans {
        let file = text(&path);
        let imported = parsed(&["import", kind, file]);
        let decided = decided_one(&[file]);
        let (imported, queries) = (list(&imported["queries"]), list(&decided["queries"]));
        assert_eq!(imported.len(), queries.len(), "{file}");
        for (one, other) in imported.iter().zip(queries) {
            let (one, other) = (&one["decision"], &other["decision"]);
            assert!(one.is_object() && is_same(one, other), "{file}: {one}\nis not\n{other}");
        }
        // The file has one query.
        assert!(is_same(&decided["decision"], &imported[0]["decision"]), "{file}");
    }
}

/// What ran on GPUs, and what has no end in its log, is predicted by none.
#[test]
fn every_face_gives_the_same_answer_about_logs_of_others() {
    let Some(folder) = test_data("eventlogs") else { return };
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let is_log = |path: &PathBuf| path.is_file() && path.file_name().is_some_and(|name| name != "LICENSE");
    let mut logs: Vec<PathBuf> = entries.filter(is_log).collect();
    logs.sort();
    let counts: Vec<(String, usize)> = logs
        .iter()
        .map(|log| {
            let count = compared(text(log));
            // The first queries are enough for the faces of one scenario.
            assert_eq!(faces("spark-log", text(log), 2), count.min(2));
            (log.file_name().unwrap_or_default().to_string_lossy().into_owned(), count)
        })
        .collect();
    let of = |name: &str| counts.iter().find(|(log, _)| log == name).map(|(_, count)| *count);
    assert_eq!((of("nds_q66_gpu.zstd"), of("join_missing_sql_end")), (Some(0), Some(0)), "{counts:?}");
    assert!(counts.iter().filter(|(_, count)| *count > 0).count() >= 5, "{counts:?}");
}

/// A file with the scenario of a query of the log as the window saves it: with its application, or with why the queries are left out.
fn saved_by_window(folder: &Path, id: &str, left_out: Option<&str>) -> PathBuf {
    let import = spark::read(Path::new(LOG), &Control::default()).expect("a log");
    let base = crossover_fleet_page::shipped::base().expect("shipped engines");
    let query = import.queries.iter().find(|query| query.id == id).expect("a query");
    let mut scenario = base.of_engine(&import.engine).expect("Spark").scenario_of(&import, query);
    let mut application = import.to_application();
    if let Some(why) = left_out {
        application.left_out = Some(LeftOut { queries: application.queries.len(), why: why.to_owned() });
        application.queries.clear();
    }
    let query = scenario.study.placement_mut().and_then(|study| study.query.as_deref_mut()).expect("a query");
    query.application = Some(Shared::from(application));
    let path = folder.join("saved.ron");
    fs::write(&path, scenario.to_ron()).expect("written");
    path
}

/// As the window does where it opens the file: the log of nine queries has one answer, its query 6 another.
#[test]
fn evaluate_answers_about_the_application_of_a_saved_query_and_on_request_about_the_query() {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = saved_by_window(folder.path(), "6", None);
    let saved = text(&saved);
    // Measurements are as old as today for both.
    let whole = &parsed(&["decide", LOG])[0];
    let evaluated = parsed(&["evaluate", saved]);
    let application = &evaluated["application"];
    assert!(evaluated["plan"].is_null(), "{evaluated}");
    assert!(is_same(&application["decision"], &whole["decision"]), "{application}\nis not\n{whole}");
    assert_eq!(application["sentence"], whole["sentence"]);
    assert_eq!(list(&application["queries"]).len(), 9);
    let (_, table, messages) = run(&["evaluate", saved]);
    assert!(table.contains(whole["sentence"].as_str().expect("a sentence")), "{table}");
    assert_eq!(
        messages,
        "crossover: the answer is about the whole application; crossover evaluate --query answers about query 6 alone\n"
    );
    // Options as rows, as the window exports them.
    let options = printed(&["evaluate", saved, "--format", "csv"]);
    assert!(options.starts_with("option,is_today,time_seconds,"), "{options}");

    let alone = decided_one(&[LOG, "--query", "6"]);
    let of_query = parsed(&["evaluate", saved, "--query"]);
    assert!(is_same(&of_query["plan"]["decision"], &alone["decision"]) && of_query["application"].is_null());
    assert!(!is_same(&alone["decision"], &whole["decision"]));
    let (_, _, messages) = run(&["evaluate", saved, "--query"]);
    assert!(messages.contains("about query 6 alone; without --query it is about the whole application"), "{messages}");
    assert!(refusal(2, &["evaluate", PUBLISHED, "--query"]).contains("--query: this scenario has no query"));

    let saved = saved_by_window(folder.path(), "6", Some("its plans are too large for the scenario file"));
    let (code, table, messages) = run(&["evaluate", text(&saved)]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains(
        "cannot be judged: its plans are too large for the scenario file. The answer is about query 6 alone."
    ));
    assert!(table.contains(alone["sentence"].as_str().expect("a sentence")), "{table}");
}

/// All texts of a page in HTML, one after the other.
fn texts(html: &str) -> Vec<String> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let page = roxmltree::Document::parse_with_options(html, options).expect("well-formed");
    let is_read = |node: &roxmltree::Node<'_, '_>| {
        node.is_text() && node.parent().is_none_or(|parent| parent.tag_name().name() != "script")
    };
    let texts = page.descendants().filter(is_read).filter_map(|node| node.text());
    texts.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

/// The last texts of a page, from this one on.
fn texts_from<'a>(texts: &'a [String], first: &str) -> &'a [String] {
    let place = texts.iter().position(|text| text == first).unwrap_or_else(|| panic!("{first} is not in {texts:?}"));
    &texts[place..]
}

/// What results of a saved query are about: 10.446 s of query 6 are 18.4 % of 56.712 s.
const ABOUT: &str = "About query 6 of application shop (18.4 % of its time), not about the whole application.";

#[test]
fn a_report_of_a_saved_query_begins_with_the_decision_about_its_application() {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = saved_by_window(folder.path(), "6", None);
    let saved = text(&saved);
    let whole = &parsed(&["decide", LOG])[0]["sentence"];
    let whole = whole.as_str().expect("a sentence");
    let alone = parsed(&["evaluate", saved, "--query"]);
    let alone = alone["plan"]["decision"]["sentence"].as_str().expect("a sentence");
    assert_ne!(whole, alone);
    let report = ["report", saved, "--samples", "64"];

    // Every number and every word of `decide`, with its charts.
    let of_log = texts(&printed(&["decide", LOG, "--format", "html"]));
    let (code, html, messages) = run(&report);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("crossover report --query answers about query 6 alone"), "{messages}");
    let of_report = texts(&html);
    let (of_log, of_report) = (texts_from(&of_log, whole), texts_from(&of_report, whole));
    let apart = of_log.iter().zip(of_report).find(|(one, other)| one != other);
    assert!(of_log.len() > 50 && of_report.starts_with(of_log), "{apart:?}");
    assert_eq!(of_report[of_log.len()..][..2], ["The query alone", ABOUT]);
    assert!(texts_from(of_report, ABOUT).iter().any(|text| text == alone));

    let escaped = |sentence: &str| format!("**{}**", crossover_quantity::text::escaped(sentence));
    let markdown = printed(&[&report[..], &["--format", "markdown"]].concat());
    let places = [whole, alone].map(|sentence| markdown.find(&escaped(sentence)));
    assert!(places[0].is_some() && places[0] < places[1], "{places:?} in\n{markdown}");
    let of_query = printed(&[&report[..], &["--format", "markdown", "--query"]].concat());
    assert!(of_query.contains(&escaped(alone)) && !of_query.contains(&escaped(whole)), "{of_query}");
    assert!(of_query.contains(ABOUT) && of_query.contains(" --query --format markdown"), "{of_query}");
    assert!(refusal(2, &["report", PUBLISHED, "--query"]).contains("--query: this scenario has no query"));

    let why = "its plans are too large for the scenario file";
    let left_out = saved_by_window(folder.path(), "6", Some(why));
    let markdown = printed(&["report", text(&left_out), "--samples", "64", "--format", "markdown"]);
    assert!(
        markdown.contains(&format!("cannot be judged: {why}.")) && markdown.contains(&escaped(alone)),
        "{markdown}"
    );
}

#[test]
fn a_comparison_of_saved_queries_has_the_decisions_about_their_applications() {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = saved_by_window(folder.path(), "6", None);
    let saved = text(&saved);
    let whole = &parsed(&["decide", LOG])[0];
    let compared = parsed(&["compare", saved, saved]);
    let about = compared["about"].as_str().expect("what it is about");
    assert!(about.starts_with("The decisions are about whole applications, the figures about one query of each."));
    assert_eq!(about.matches(": query 6 of application shop (18.4 % of its time)").count(), 2, "{about}");
    let of_evaluate = &parsed(&["evaluate", saved])["application"];
    for decision in list(&compared["decisions"]) {
        assert_eq!(decision["sentence"], whole["sentence"]);
        assert_eq!(decision["price_changes"], of_evaluate["price_changes"]);
        assert_eq!(decision["break_even_prices"], of_evaluate["break_even_prices"]);
        let mut decision = decision.clone();
        let beside = ["sentence", "price_changes", "break_even_prices"];
        decision.as_object_mut().expect("a decision").retain(|key, _| !beside.contains(&key.as_str()));
        assert_eq!(decision, of_evaluate["decision"]);
        assert!(is_same(&decision, &whole["decision"]), "{decision}\nis not\n{}", whole["decision"]);
    }
    let table = printed(&["compare", saved, saved]);
    assert!(table.contains(whole["sentence"].as_str().expect("a sentence")) && table.contains(about), "{table}");

    // A query and an application are not compared with each other.
    let query = folder.path().join("query.ron");
    printed(&["import", "spark-log", LOG, "--query", "6", "--out", text(&query)]);
    let mixed = parsed(&["compare", saved, text(&query)]);
    assert!(mixed["about"].as_str().expect("what it is about").starts_with("The results are about queries, not about"));
    let alone = parsed(&["evaluate", text(&query)])["plan"]["decision"].clone();
    for decision in list(&mixed["decisions"]) {
        assert_eq!(decision["sentence"], alone["sentence"]);
    }
}

#[test]
fn every_tool_says_that_it_is_about_a_query_of_an_application() {
    let folder = tempfile::tempdir().expect("a folder");
    let saved = saved_by_window(folder.path(), "6", None);
    let saved = text(&saved);
    let sweep = ["sweep", saved, "--x", "engines.gpu.machines=2..8:2"];
    let engines = parsed(&sweep)["figure_engines"].clone();
    let [today, gpu] = [0, 1].map(|place| engines[place].as_str().expect("an engine"));
    assert!(today.starts_with("Spark ") && gpu.starts_with("RAPIDS "), "{engines}");
    let figures = format!("Figures of {today} and of {gpu}.");
    for tool in [
        &["uncertainty", saved, "--samples", "64"][..],
        &["sensitivity", saved, "--samples", "64"],
        &["search", saved, "--free", "engines.gpu.machines=2..8:2", "--minimise", "gpu_seconds"],
    ] {
        assert_eq!(printed(tool).lines().nth(1), Some(ABOUT), "{tool:?}");
        assert!(printed(tool).contains(&figures), "{tool:?}: {figures}");
        let record = parsed(tool);
        assert_eq!((record["about"].as_str(), &record["figure_engines"]), (Some(ABOUT), &engines), "{tool:?}");
        // A table for programs has no line of its own.
        let (_, csv, messages) = run(&[tool, &["--format", "csv"][..]].concat());
        assert!(messages.contains(ABOUT) && !csv.contains(ABOUT), "{tool:?}: {messages}");
        assert!(messages.contains(&figures) && !csv.contains(&figures), "{tool:?}: {messages}");
    }
    let map = ["map", saved, "--x", "engines.gpu.machines=2..8:2", "--y", "engines.cpu.machines=2..8:2"];
    let map = [&map[..], &["--figure", "gpu_seconds"]].concat();
    for tool in [&sweep[..], &map] {
        let (code, _, messages) = run(tool);
        assert!(code == Some(0) && messages.contains(ABOUT) && messages.contains(&figures), "{messages}");
        assert_eq!(parsed(tool)["figure_engines"], engines, "{tool:?}");
    }
    // Both scenarios have the same engines.
    let compare = ["compare", saved, saved];
    assert_eq!(printed(&compare).matches(&figures).count(), 1);
    assert_eq!(list(&parsed(&compare)["figure_engines"]), [engines.clone(), engines]);
}

/// The list decides about each query; only `decide` and a saved scenario have all of them.
#[test]
fn import_says_that_its_answers_are_about_queries() {
    const WHOLE: &str = "crossover decide LOG answers about the whole application.";
    let list = printed(&["import", "spark-log", LOG]);
    assert!(list.contains(&format!("Each query is decided alone; {WHOLE}")), "{list}");
    let one = printed(&["import", "spark-log", LOG, "--query", "6"]);
    assert!(one.contains(&format!("The answer is about this query alone; {WHOLE}")), "{one}");
    // A plan is no application.
    let join = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/duckdb-join.json");
    assert!(!printed(&["import", "duckdb", join]).contains(WHOLE));
}

/// RAPIDS wins where today's machines are dear, on other machines than those of the measured cluster.
#[test]
fn operators_have_their_times_on_the_recommended_machines() {
    let import = ["import", "spark-log", LOG, "--query", "6", "--set", "engines.cpu.usd_per_hour=100"];
    let text = result(&[&import[..], &["--format", "json"]].concat());
    let imported: Value = serde_json::from_str(&text).expect("JSON");
    let query = &imported["queries"][0];
    let best = query["decision"]["best"].as_u64().and_then(|best| usize::try_from(best).ok()).expect("an option");
    let best = &query["decision"]["options"][best];
    let title = best["candidate"]["title"].as_str().expect("a title");
    assert!(title.starts_with("RAPIDS") && title != RAPIDS, "{title}");
    assert_eq!(query["operator_engines"][1], title);
    let sum = query["totals"]["all_gpu_seconds"].as_f64().expect("a sum");
    assert!((sum / seconds(best) - 1.0).abs() < 1e-9, "{sum} instead of {}", seconds(best));
    assert!(result(&import).contains(&format!("and in {title}, the recommended option.")), "{title}");
}
