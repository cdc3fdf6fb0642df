//! Logs of a Spark History Server, imitated as one of Spark 3.5.9 answers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crossover_fleet::LogStores;
use crossover_fleet::tables::rows::Table;
use serde_json::{Value, json};

use super::super::logs::{App, fleet};
use super::super::rows;
use super::loopback::{Answer, Loopback, Request};
use super::zip::archive;
use super::{of_folder, read, refused, texts, why};

/// When logs were written last, milliseconds since 1970.
const WRITTEN: u64 = 1_795_564_452_399;

/// Files of a log as the server's archive has them.
type Files = Vec<(String, Vec<u8>)>;

/// Logs of a server: by application and attempt.
#[derive(Default)]
struct Logs {
    logs: Mutex<BTreeMap<(String, Option<String>), Files>>,
    written: AtomicU64,
}

impl Logs {
    /// All logs of a folder, as they are called there.
    fn of(folder: &Path) -> Arc<Self> {
        let logs = Self { written: AtomicU64::new(WRITTEN), ..Self::default() };
        for day in fs::read_dir(folder).expect("as the test made it") {
            for file in fs::read_dir(day.expect("as the test made it").path()).expect("as the test made it") {
                let path = file.expect("as the test made it").path();
                let id =
                    path.file_stem().expect("as the test made it").to_str().expect("as the test made it").to_owned();
                logs.add(
                    &id,
                    None,
                    vec![(
                        path.file_name()
                            .expect("as the test made it")
                            .to_str()
                            .expect("as the test made it")
                            .to_owned(),
                        fs::read(&path).expect("as the test made it"),
                    )],
                );
            }
        }
        Arc::new(logs)
    }

    fn add(&self, id: &str, attempt: Option<&str>, files: Files) {
        self.logs.lock().expect("as the test made it").insert((id.to_owned(), attempt.map(str::to_owned)), files);
    }

    fn answer(&self, request: &Request) -> Answer {
        let logs = self.logs.lock().expect("as the test made it");
        let Some(rest) = request.path.strip_prefix("/api/v1/applications") else {
            return Answer::new(404, "no such page");
        };
        let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        let application = |id: &str| {
            let attempts = logs.keys().filter(|(known, _)| known == id).map(|(_, attempt)| {
                let mut attributes = json!({
                    "startTime": "2023-11-14T22:15:31.991GMT", "duration": 326_826, "sparkUser": "dmitri",
                    "completed": true, "lastUpdatedEpoch": self.written.load(Ordering::Relaxed),
                });
                if let Some(attempt) = attempt {
                    attributes["attemptId"] = json!(attempt);
                }
                attributes
            });
            json!({ "id": id, "name": "a \u{1b}[2J name", "attempts": attempts.collect::<Vec<Value>>() })
        };
        match &parts[..] {
            [] => {
                let mut ids: Vec<&String> = logs.keys().map(|(id, _)| id).collect();
                ids.dedup();
                let all: Vec<Value> = ids.into_iter().map(|id| application(id)).collect();
                Answer::new(200, json!(all).to_string())
            }
            [id] if logs.keys().any(|(known, _)| known == id) => Answer::new(200, application(id).to_string()),
            [id, attempt @ .., "logs"] => {
                let attempt = attempt.first().map(|attempt| (*attempt).to_owned());
                match logs.get(&((*id).to_owned(), attempt)) {
                    Some(files) => Answer { is_chunked: true, ..Answer::new(200, archive(files)) },
                    None => Answer::new(404, format!("no such app: {rest}")),
                }
            }
            _ => Answer::new(404, format!("no such app: {rest}")),
        }
    }

    fn serve(self: &Arc<Self>) -> Loopback {
        let logs = Arc::clone(self);
        Loopback::start(move |request| logs.answer(request))
    }
}

/// The tables without the paths of logs, which a server has in another order.
pub(super) fn without_paths(texts: &[String]) -> Vec<Vec<Value>> {
    let row = |line: &str| {
        let mut row: Value = serde_json::from_str(line).expect("as the test made it");
        row.as_object_mut().expect("as the test made it").remove("log");
        row
    };
    texts.iter().map(|text| text.lines().map(row).collect()).collect()
}

#[test]
fn logs_of_a_history_server_answer_as_those_of_a_folder_and_are_read_once() {
    let (folder, out) =
        (tempfile::tempdir().expect("as the test made it"), tempfile::tempdir().expect("as the test made it"));
    fleet(folder.path());
    let logs = Logs::of(folder.path());
    let server = logs.serve();
    let outcomes = read(&[], &[&server.address], out.path());
    assert_eq!((outcomes.read, &outcomes.left_out[..]), (12, &[][..]));
    drop(outcomes);
    assert_eq!(without_paths(&texts(out.path())), without_paths(&of_folder(folder.path(), "")));
    let applications = rows(out.path(), Table::Applications);
    let log = |row: &Value| {
        format!("{}/history/{}", server.address, row["application_id"].as_str().expect("as the test made it"))
    };
    assert!(applications.iter().all(|row| row["log"] == log(row)), "{applications:?}");
    let again = read(&[], &[&format!("{}/", server.address)], out.path());
    assert_eq!((again.read, again.unchanged), (0, 12));
    assert_eq!(server.count("GET /api/v1/applications/"), 12, "nothing is fetched again");
    drop(again);
    logs.written.store(WRITTEN + 1, Ordering::Relaxed);
    assert_eq!(read(&[], &[&server.address], out.path()).read, 12);
}

#[test]
fn attempts_and_single_applications_can_be_named() {
    let logs = Arc::new(Logs::default());
    let file = |app: &App| vec![(app.id.clone(), app.log().into_bytes())];
    let [mut first, second, other] = ["app-1", "app-1", "app-2"].map(App::new);
    first.seconds = None;
    logs.add("app-1", Some("1"), file(&first));
    logs.add("app-1", Some("2"), file(&App { attempt: "2", ..second }));
    logs.add("app-2", None, file(&other));
    let server = logs.serve();
    let history = format!("{}/history", server.address);
    for (path, read_logs, log) in [
        (server.address.clone(), 3, Some("app-1/2")),
        (format!("{history}/app-1"), 2, Some("app-1/2")),
        (format!("{history}/app-1/1/"), 1, Some("app-1/1/")),
        (format!("{history}/app-2"), 1, Some("app-2")),
        (format!("{history}/app-3"), 0, None),
        (format!("{history}/app-1/7"), 0, None),
    ] {
        let out = tempfile::tempdir().expect("as the test made it");
        let Some(log) = log else {
            assert!(refused(&[], &[&path], out.path()).contains(&format!("; {path}: ")));
            continue;
        };
        assert_eq!(read(&[], &[&path], out.path()).read, read_logs, "{path}");
        let applications = rows(out.path(), Table::Applications);
        assert_eq!(applications.first().map(|row| row["log"].clone()), Some(json!(format!("{history}/{log}"))));
    }
}

#[test]
fn the_parts_of_a_rolling_log_come_in_any_order() {
    let (folder, out) =
        (tempfile::tempdir().expect("as the test made it"), tempfile::tempdir().expect("as the test made it"));
    let log = App::new("app-1").log();
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let name = "eventlog_v2_app-1";
    let local = folder.path().join(name);
    fs::create_dir(&local).expect("as the test made it");
    let mut files = vec![(format!("{name}/"), Vec::new()), (format!("{name}/appstatus_app-1"), Vec::new())];
    // As names are ordered: 1, 10, 11, 2, 3 …
    let mut parts: Vec<(String, Vec<u8>)> = lines
        .chunks(lines.len() / 11 + 1)
        .zip(1..)
        .map(|(lines, number)| {
            (
                format!("events_{number}_app-1.zstd"),
                zstd::encode_all(lines.concat().as_bytes(), 1).expect("as the test made it"),
            )
        })
        .collect();
    assert_eq!(parts.len(), 11);
    parts.sort();
    for (part, content) in parts {
        fs::write(local.join(&part), &content).expect("as the test made it");
        files.push((format!("{name}/{part}"), content));
    }
    let logs = Arc::new(Logs::default());
    logs.add("app-1", None, files.clone());
    // One part is missing.
    files.retain(|(file, _)| !file.contains("events_4"));
    logs.add("app-2", None, files);
    let server = logs.serve();
    drop(read(&[], &[&server.address], out.path()));
    let reason = why(out.path(), "app-2");
    assert!(reason.contains("events_4_… is missing"), "{reason}");
    let expected = without_paths(&of_folder(folder.path(), ""));
    assert_eq!(without_paths(&texts(out.path()))[..3], expected[..3]);
    assert_eq!(expected[0].len(), 1);
}

#[test]
fn an_archive_that_is_cut_off_is_asked_for_again_and_its_beginning_passed_over() {
    let (folder, out) =
        (tempfile::tempdir().expect("as the test made it"), tempfile::tempdir().expect("as the test made it"));
    fleet(folder.path());
    let logs = Logs::of(folder.path());
    let requested: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let behind = Arc::clone(&logs);
    let server = Loopback::start(move |request| {
        let whole = behind.answer(request);
        let mut requested = requested.lock().expect("as the test made it");
        let times = requested.entry(request.path.clone()).or_default();
        *times += 1;
        match (*times % 3, whole.body.len()) {
            (1, length) => Answer { cut: Some(length - 3), ..whole },
            (2, length) => Answer { cut: Some(length / 2), ..whole },
            _ => whole,
        }
    });
    let outcomes = read(&[], &[&server.address], out.path());
    assert_eq!((outcomes.read, &outcomes.left_out[..]), (12, &[][..]));
    drop(outcomes);
    assert_eq!(without_paths(&texts(out.path())), without_paths(&of_folder(folder.path(), "")));
}

#[test]
fn damaged_archives_and_strange_ids_cost_themselves_alone() {
    let (folder, out) =
        (tempfile::tempdir().expect("as the test made it"), tempfile::tempdir().expect("as the test made it"));
    fs::create_dir(folder.path().join("day")).expect("as the test made it");
    App::new("app-1").write(&folder.path().join("day"), "app-1");
    let logs = Logs::of(folder.path());
    for id in ["..", "../../etc", "a/b", "a?b#c%41 é"] {
        logs.add(id, None, vec![("log".to_owned(), App::new(&format!("of {id}")).log().into_bytes())]);
    }
    for id in ["empty", "text", "flipped", "two"] {
        logs.add(id, None, Vec::new());
    }
    let behind = Arc::clone(&logs);
    let server = Loopback::start(move |request| {
        let log = || ("log".to_owned(), App::new("app-9").log().into_bytes());
        match request.path.rsplit('/').nth(1).unwrap_or_default() {
            "text" => Answer::new(200, "<html>log in</html>"),
            "two" => Answer::new(200, archive(&[log(), log()])),
            "flipped" => {
                let mut bytes = archive(&[log()]);
                let middle = bytes.len() / 3;
                bytes[middle] ^= 0x55;
                Answer::new(200, bytes)
            }
            _ => behind.answer(request),
        }
    });
    drop(read(&[], &[&server.address], out.path()));
    let applications = rows(out.path(), Table::Applications);
    let ids: Vec<&str> =
        applications.iter().map(|row| row["application_id"].as_str().expect("as the test made it")).collect();
    assert_eq!(ids, ["app-1", "of a?b#c%41 é"]);
    for (path, expected) in [
        ("history/empty", "has no log"),
        ("history/text", "not an archive"),
        ("history/two", "several logs"),
        ("history/flipped", "damaged"),
        ("history/..", "leads out of its folder"),
        ("history/../../etc", "leads out of its folder"),
        ("history/a/b", "leads out of its folder"),
    ] {
        let reason = why(out.path(), path);
        assert!(reason.contains(expected), "{path}: {reason}");
    }
}

#[test]
fn what_is_no_history_server_or_refuses_says_what_to_do() {
    for (answer, expected) in [
        (Answer::new(401, ""), "set CROSSOVER_HISTORY_AUTHORIZATION"),
        (Answer::new(403, ""), "spark.history.ui.acls"),
        (Answer::new(404, ""), "expected /api/v1/applications"),
        (Answer::new(500, ""), "the server failed (500"),
        (Answer::new(200, "<html>log in</html>"), "expected that of a Spark History Server"),
        (Answer::new(200, "{\"id\":\"app-1\"}"), "expected a list of applications"),
        (Answer::new(200, "[{\"id\":\"app-1\""), "cannot be read"),
        (Answer::new(200, "[".repeat(100_000)), "cannot be read"),
    ] {
        let out = tempfile::tempdir().expect("as the test made it");
        let server = Loopback::start(move |_| answer.clone());
        let reason = refused(&[], &[&server.address], out.path());
        assert!(reason.contains(expected), "{reason}");
    }
}

#[test]
fn a_secret_is_sent_in_a_header_and_refused_in_an_address() {
    let logs = Arc::new(Logs::default());
    logs.add("app-1", None, vec![("app-1".to_owned(), App::new("app-1").log().into_bytes())]);
    let server = Loopback::start(move |request| match request.headers.get("authorization").map(String::as_str) {
        Some("Bearer of good news") => logs.answer(request),
        _ => Answer::new(401, ""),
    });
    let out = tempfile::tempdir().expect("as the test made it");
    let variables = [("CROSSOVER_HISTORY_AUTHORIZATION", "Bearer of good news")];
    assert_eq!(read(&variables, &[&server.address], out.path()).read, 1);
    // A secret in a file of two lines.
    for (variable, path) in
        [("CROSSOVER_HISTORY_AUTHORIZATION", server.address.as_str()), ("AWS_SESSION_TOKEN", "s3://org/logs")]
    {
        let out = tempfile::tempdir().expect("as the test made it");
        let variables =
            [(variable, "Bearer of\ngood news"), ("AWS_ACCESS_KEY_ID", "key"), ("AWS_SECRET_ACCESS_KEY", "key")];
        let reason = refused(&variables, &[path], out.path());
        assert!(reason.contains(&format!("{variable} has a control character")), "{reason}");
        assert!(
            reason.contains("after 9 characters") && !reason.contains("Bearer") && !reason.contains("news"),
            "{reason}"
        );
    }
    for address in ["http://me:secret@host", "http://host/history/app-1?key=secret"] {
        let problem = LogStores::check(&["logs".into(), address.into()]).unwrap_err();
        assert!(problem.starts_with("path 2: ") && !problem.contains("secret"), "{problem}");
    }
}
