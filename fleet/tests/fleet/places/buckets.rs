//! Logs in buckets.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use crossover_fleet::stores::RetryLimits;
use crossover_fleet::tables::rows::Table;
use crossover_fleet::{FleetError, find};
use crossover_needs::{deadline, wait_until};
use crossover_plan::Control;

use super::super::logs::{App, fleet};
use super::super::rows;
use super::loopback::{Answer, Loopback};
use super::object_server::{Objects, answer, upload};
use super::{hasty, of_folder, places, read, refused, texts, try_read, why};

/// Bytes of an answer before a connection is lost: each log takes several.
const CUT: usize = 700;

/// A bucket of these objects that answers as it should.
fn bucket(objects: &Objects) -> Loopback {
    let objects = Arc::clone(objects);
    Loopback::start(move |request| answer("org", &objects, request))
}

/// Keys of S3 for a server.
fn keys(server: &Loopback) -> [(&str, &str); 4] {
    [
        ("AWS_ENDPOINT_URL", &server.address),
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ]
}

#[test]
fn logs_of_s3_google_and_azure_answer_as_those_of_a_folder_and_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    fleet(folder.path());
    fs::write(folder.path().join("é & space+%41"), "no log\n".repeat(200)).unwrap();
    let objects = upload(folder.path(), "spark/logs/");
    let server = bucket(&objects);
    let account =
        r#"{"gcs_base_url":"ADDRESS","disable_oauth":true,"client_email":"","private_key":"","private_key_id":""}"#;
    let account = account.replace("ADDRESS", &server.address);
    let azure = [
        ("AZURE_STORAGE_ACCOUNT_NAME", "org"),
        ("AZURE_STORAGE_ENDPOINT", &server.address),
        ("AZURE_SKIP_SIGNATURE", "true"),
    ];
    for (path, variables) in [
        ("s3://org/spark/logs", &keys(&server)[..]),
        ("s3a://org/spark/logs/", &keys(&server)),
        (
            "gs://org/spark/logs",
            &[("GOOGLE_SERVICE_ACCOUNT_KEY", account.as_str()), ("GOOGLE_BASE_URL", &server.address)],
        ),
        ("az://org/spark/logs", &azure),
        ("abfss://org@org.dfs.core.windows.net/spark/logs", &azure),
    ] {
        let out = tempfile::tempdir().unwrap();
        let outcomes = read(variables, &[path], out.path());
        assert_eq!((outcomes.read, outcomes.unchanged, outcomes.left_out.len()), (13, 0, 0), "{path}: {outcomes:?}");
        drop(outcomes);
        assert_eq!(texts(out.path()), of_folder(folder.path(), path.trim_end_matches('/')), "{path}");
        let read_so_far = server.count("GET /org/");
        let again = read(variables, &[path], out.path());
        assert_eq!((again.read, again.unchanged), (0, 13), "{path}");
        assert_eq!(server.count("GET /org/spark"), read_so_far, "nothing is read again");
    }
}

#[test]
fn buckets_folders_and_single_objects_are_read_together() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App::new("app-1").write(folder.path(), "app-1");
    App::new("app-2").write(folder.path(), "app-2");
    let server = bucket(&upload(folder.path(), ""));
    let local = tempfile::tempdir().unwrap();
    App::new("app-3").write(local.path(), "app-3");
    let paths = ["s3://org/app-2", "s3://org/nothing", local.path().to_str().unwrap()];
    let outcomes = read(&keys(&server), &paths, out.path());
    assert_eq!(outcomes.read, 2);
    drop(outcomes);
    let logs: Vec<String> = rows(out.path(), Table::Applications).iter().map(|row| row["log"].to_string()).collect();
    assert!(logs.len() == 2 && logs.contains(&"\"s3://org/app-2\"".to_owned()), "{logs:?}");
    assert!(
        why(out.path(), "/nothing").contains("no object with this name or prefix"),
        "{}",
        why(out.path(), "/nothing")
    );
}

#[test]
fn an_object_that_was_written_anew_is_read_again() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App::new("app-1").write(folder.path(), "app-1");
    App::new("app-2").write(folder.path(), "app-2");
    let objects = upload(folder.path(), "");
    let server = bucket(&objects);
    assert_eq!(read(&keys(&server), &["s3://org"], out.path()).read, 2);
    // Of the same size and date, which only its tag tells.
    let changed = App::new("app-1").log().replace("\"ada\"", "\"eva\"");
    objects.lock().unwrap().insert("app-1".to_owned(), changed.into_bytes());
    let outcomes = read(&keys(&server), &["s3://org"], out.path());
    assert_eq!((outcomes.read, outcomes.unchanged), (1, 1));
    drop(outcomes);
    assert_eq!(rows(out.path(), Table::Applications)[0]["user"], "eva");
}

#[test]
fn a_connection_that_is_lost_again_and_again_changes_nothing() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // Noise does not compress, so that the log is long: 1 MB.
    let mut log = App::new("app-1").log();
    let mut noise = 1_u64;
    for _ in 0..40_000 {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        log.push_str(&format!("{{\"Event\":\"Other\",\"n\":{noise}}}\n"));
    }
    fs::write(folder.path().join("app-1.zstd"), zstd::encode_all(log.as_bytes(), 1).unwrap()).unwrap();
    fs::write(folder.path().join("app-2"), log.replace("app-1", "app-2")).unwrap();
    let objects = upload(folder.path(), "");
    let requested: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let server = Loopback::start(move |request| {
        let mut requested = requested.lock().unwrap();
        let times = requested.entry(request.path.clone()).or_default();
        *times += 1;
        let whole = answer("org", &objects, request);
        match *times % 4 {
            0 => Answer { cut: Some(150_000), ..whole },
            1 => Answer::new(503, "<Error><Code>SlowDown</Code></Error>"),
            2 => Answer { cut: Some(0), ..whole },
            _ => Answer { cut: Some(80_000), ..whole },
        }
    });
    let outcomes = read(&keys(&server), &["s3://org"], out.path());
    assert_eq!((outcomes.read, &outcomes.left_out[..]), (2, &[][..]));
    drop(outcomes);
    assert_eq!(texts(out.path()), of_folder(folder.path(), "s3://org"));
    assert!(server.count("GET /org/app") > 20);
}

#[test]
fn what_stays_lost_is_named_and_read_by_the_next_run() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fleet(folder.path());
    let objects = upload(folder.path(), "");
    let behind = Arc::clone(&objects);
    let server = Loopback::start(move |request| {
        let whole = answer("org", &behind, request);
        if request.path.ends_with("application_1") { Answer { cut: Some(CUT), ..whole } } else { whole }
    });
    let outcomes = read(&keys(&server), &["s3://org"], out.path());
    assert_eq!((outcomes.read, outcomes.left_out.len()), (11, 1));
    drop(outcomes);
    let reason = why(out.path(), "application_1");
    assert!(reason.contains("reading from bucket org failed") && reason.contains("at byte"), "{reason}");
    drop(server);
    let server = bucket(&objects);
    let outcomes = read(&keys(&server), &["s3://org"], out.path());
    assert_eq!((outcomes.read, outcomes.unchanged), (1, 11));
    drop(outcomes);
    assert_eq!(texts(out.path()), of_folder(folder.path(), "s3://org"));
}

#[test]
fn an_object_that_changes_while_it_is_read_is_no_mixture() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App::new("app-1").write(folder.path(), "app-1");
    let objects = upload(folder.path(), "");
    let behind = Arc::clone(&objects);
    let server = Loopback::start(move |request| {
        let whole = answer("org", &behind, request);
        if request.path.ends_with("app-1") && request.method == "GET" {
            behind.lock().unwrap().insert("app-1".to_owned(), App::new("app-3").log().into_bytes());
            return Answer { cut: Some(CUT), ..whole };
        }
        whole
    });
    read(&keys(&server), &["s3://org"], out.path());
    let reason = why(out.path(), "app-1");
    assert!(reason.contains("changed while it was read"), "{reason}");
}

#[test]
fn a_bucket_without_rights_is_named_with_what_was_refused_and_what_to_do() {
    for (code, expected) in
        [("AccessDenied", "s3:ListBucket on closed"), ("InvalidAccessKeyId", "check AWS_ACCESS_KEY_ID")]
    {
        let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        App::new("app-1").write(folder.path(), "app-1");
        let server = Loopback::start(move |_| Answer::new(403, format!("<Error>\n<Code>{code}</Code>\x1b[2J</Error>")));
        let paths = ["s3://closed/logs", folder.path().to_str().unwrap()];
        let outcomes = read(&keys(&server), &paths, out.path());
        assert_eq!(outcomes.read, 1, "the others are read");
        drop(outcomes);
        let reason = why(out.path(), "s3://closed/logs");
        let begins = format!("listing bucket closed was refused (403 {code}): ");
        assert!(reason.starts_with(&begins) && reason.contains(expected), "{reason}");
        assert!(!reason.contains(char::is_control), "{reason}");
        assert!(server.count("") <= 2, "a refusal is not retried");
    }
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App::new("app-1").write(folder.path(), "app-1");
    let objects = upload(folder.path(), "");
    let server = Loopback::start(move |request| match request.path.as_str() {
        "/org/app-1" => Answer::new(403, "<Error><Code>AccessDenied</Code></Error>"),
        _ => answer("org", &objects, request),
    });
    read(&keys(&server), &["s3://org", "s3://other"], out.path());
    let reason = why(out.path(), "app-1");
    assert!(reason.contains("reading from bucket org was refused") && reason.contains("s3:GetObject"), "{reason}");
    let reason = why(out.path(), "s3://other");
    assert!(reason.contains("there is no bucket other") && reason.contains("AWS_REGION"), "{reason}");
}

#[test]
fn keys_that_no_path_has_cost_themselves_alone() {
    let out = tempfile::tempdir().unwrap();
    let log = |id: &str| App::new(id).log().into_bytes();
    let mut objects: BTreeMap<String, Vec<u8>> =
        (0..2500).map(|number| (format!("logs/a{number:04}"), b"x".to_vec())).collect();
    objects.insert("logs/app-1".to_owned(), log("app-1"));
    objects.insert("logs/day/../../../etc/app-2".to_owned(), log("app-2"));
    objects.insert("logs/day//app-3".to_owned(), log("app-3"));
    objects.insert("logs/z/app-4".to_owned(), log("app-4"));
    objects.insert("logs/z/".to_owned(), Vec::new());
    objects.insert("logs/z/=cmd|'1'!A".to_owned(), b"x".to_vec());
    let server = bucket(&Arc::new(Mutex::new(objects)));
    let outcomes = read(&keys(&server), &["s3://org/logs"], out.path());
    assert_eq!((outcomes.read, outcomes.left_out.len()), (2503, 2));
    drop(outcomes);
    let rows = rows(out.path(), Table::Applications);
    let ids: Vec<&str> = rows.iter().map(|row| row["application_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["app-1", "app-4"]);
    for path in ["logs/day/../../../etc/app-2", "logs/day//app-3"] {
        assert!(why(out.path(), path).contains("leads out of its folder"), "{}", why(out.path(), path));
    }
}

#[test]
fn a_hundred_thousand_objects_are_listed_in_a_hundred_requests() {
    let objects = (0..100_000).map(|number| (format!("logs/{}/app-{number}", number % 1000), b"x".to_vec())).collect();
    let server = bucket(&Arc::new(Mutex::new(objects)));
    let control = Arc::new(Control::default());
    let (paths, out) = ([PathBuf::from("s3://org/logs")], tempfile::tempdir().unwrap());
    let found = find::find(&places(&keys(&server), &control), &paths, out.path());
    assert_eq!((found.logs.len(), &found.left_out[..]), (100_000, &[][..]));
    assert_eq!(server.count("GET /org"), 100);
}

#[test]
fn a_silent_server_does_not_block_cancelling() {
    let server = Loopback::start(|_| Answer { is_silent: true, ..Answer::default() });
    let control = Arc::new(Control::default());
    // Only the wish to leave ends the wait for an answer.
    let retry_limits = RetryLimits { silence: 100 * deadline(), ..hasty() };
    let places = places(&keys(&server), &control).with_retry_limits(retry_limits);
    let (ended, came) = channel();
    let observed = Arc::clone(&control);
    let read = move || {
        let out = tempfile::tempdir().expect("as the test made it");
        let cancelled = try_read(&places, &["s3://org"], out.path(), &observed);
        ended.send((matches!(cancelled, Err(FleetError::Cancelled)), format!("{cancelled:?}")))
    };
    thread::Builder::new().name("read".to_owned()).spawn(read).unwrap();
    wait_until("a request", || server.count("") > 0);
    control.cancel();
    let (is_cancelled, outcome) = came.recv_timeout(deadline()).expect("it ends while the server is silent");
    assert!(is_cancelled, "{outcome}");
}

#[test]
fn a_server_that_is_gone_is_given_up_and_named() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App::new("app-1").write(folder.path(), "app-1");
    // No server listens on a port that was free a moment ago.
    let server = bucket(&upload(folder.path(), ""));
    let address = server.address.clone();
    drop(server);
    let variables =
        [("AWS_ENDPOINT_URL", address.as_str()), ("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")];
    let reason = refused(&variables, &["s3://org", "http://127.0.0.1:1"], out.path());
    let (bucket, server) = reason.split_once("; http://127.0.0.1:1: ").unwrap_or_else(|| panic!("{reason}"));
    assert!(bucket.contains("bucket org failed") && bucket.contains("given up after 4 tries"), "{reason}");
    assert!(server.contains("does not respond") && server.contains("given up after 4 tries"), "{reason}");
    assert!(fs::read_dir(out.path()).unwrap().next().is_none(), "nothing is written");
}

#[test]
fn objects_that_are_gone_are_in_no_table() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    App::new("app-1").write(folder.path(), "app-1");
    App::new("app-2").write(folder.path(), "app-2");
    let objects = upload(folder.path(), "");
    let server = bucket(&objects);
    drop(read(&keys(&server), &["s3://org"], out.path()));
    objects.lock().unwrap().remove("app-2");
    drop(read(&keys(&server), &["s3://org"], out.path()));
    assert_eq!(rows(out.path(), Table::Applications).len(), 1);
}
