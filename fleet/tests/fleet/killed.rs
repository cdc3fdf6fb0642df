//! Processes that are killed at any moment, and disks that are full: the next run goes on, and the tables are the same.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crossover_fleet::Overview;
use crossover_fleet::ledger::{Ledger, LogRecord, NAME, Record};
use crossover_fleet::rapids::cluster::GpuCluster;
use crossover_needs::{Random, wait_until};
use crossover_plan::Control;

use super::logs::App;
use super::{base, counting, tables};

/// Folders of the logs and of the results: a process with them in its environment is a child that reads the logs into the results.
const FOLDERS: [&str; 2] = ["CROSSOVER_TEST_LOGS", "CROSSOVER_TEST_OUT"];
/// Folder of results: a process with it in its environment is a child that only opens its ledger.
const OPENED: &str = "CROSSOVER_TEST_OPENED";
/// What a child says before its error.
const MARK: &str = "refused: ";

/// A test starts itself again: whether this is such a child, which has read the logs now as `crossover fleet --rapids` does.
fn was_child() -> bool {
    let Some(logs) = env::var_os(FOLDERS[0]) else { return false };
    let out = PathBuf::from(env::var_os(FOLDERS[1]).expect("as the test made it"));
    let (base, paths) = (base(), [PathBuf::from(logs)]);
    let order = crossover_fleet::RunOptions {
        store: &crossover_plan::Folders,
        paths: &paths,
        base: &base,
        out: &out,
        shard: None,
        threads: 2,
    };
    let written = crossover_fleet::run(&order, &Control::default()).and_then(|outcomes| {
        let cluster = GpuCluster::of(&base, |_| None).expect("its GPU engine is RAPIDS");
        crossover_fleet::rapids::write(&out, &Overview::new(&outcomes), &cluster)
    });
    if let Err(error) = written {
        // As the command line does it: with all that an error comes from.
        let mut text = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(next) = source {
            text.push_str(&format!(": {next}"));
            source = next.source();
        }
        eprintln!("{MARK}{text}");
        std::process::exit(3);
    }
    true
}

/// Starts this test again as a child, through a shell command if there is one.
fn child(shell: Option<&str>, logs: &Path, out: &Path) -> Child {
    let this = env::current_exe().expect("as the test made it");
    let mut command = match shell {
        Some(line) => {
            let mut command = Command::new("sh");
            command.args(["-c", line]).arg(this);
            command
        }
        None => Command::new(this),
    };
    command.envs(FOLDERS.into_iter().zip([logs, out]));
    this_test(command)
}

/// Starts a command with the name of this test.
fn this_test(mut command: Command) -> Child {
    let test = std::thread::current().name().expect("the harness names it").to_owned();
    command.args(["--exact", &test, "--nocapture"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("as the test made it")
}

/// Bytes of all files in a folder and in those in it. A file may go away meanwhile.
fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_in(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.map(bytes).sum()
}

/// All files of the configuration, with their text.
fn configuration(out: &Path) -> Vec<(PathBuf, String)> {
    let mut files = vec![PathBuf::from("common.conf")];
    for kind in crossover_fleet::rapids::KINDS {
        let entries = fs::read_dir(out.join("rapids").join(kind)).expect("as the test made it");
        files.extend(entries.map(|entry| Path::new(kind).join(entry.expect("as the test made it").file_name())));
    }
    files.retain(|file| file.extension().is_some_and(|end| end == "conf"));
    files.sort();
    files
        .into_iter()
        .map(|file| (file.clone(), fs::read_to_string(out.join("rapids").join(&file)).expect("as the test made it")))
        .collect()
}

/// Kill -9, two hundred times, each when so many bytes more are written. A child that ends before is compared with a run
/// that was not disturbed; then all begins anew.
#[cfg(unix)]
#[test]
fn two_hundred_kills_at_any_moment_leave_the_same_tables() {
    const KILLS: u32 = 200;
    if was_child() {
        return;
    }
    let (folder, whole, out) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    super::logs::fleet(folder.path());
    assert!(child(None, folder.path(), whole.path()).wait().unwrap().success());
    let all = bytes_in(whole.path());
    let (expected, files) = (tables(whole.path()), configuration(whole.path()));
    let mut random = Random::new(1);
    let (mut kills, mut ends, mut half) = (0, 0, 0);
    while kills < KILLS {
        let there = bytes_in(out.path());
        // A tenth beyond the last byte, so that some runs end.
        let moment = there + random.number() % (all.saturating_sub(there) + all / 10);
        let mut running = child(None, folder.path(), out.path());
        let mut ended = None;
        wait_until("the moment of the kill", || {
            ended = running.try_wait().unwrap();
            ended.is_some() || bytes_in(out.path()) >= moment
        });
        if let Some(status) = ended {
            assert!(status.success(), "after {kills} kills it ended with {status}");
            assert!(expected == tables(out.path()), "after {kills} kills the tables are others");
            assert_eq!(files, configuration(out.path()), "after {kills} kills");
            fs::remove_dir_all(out.path()).unwrap();
            fs::create_dir(out.path()).unwrap();
            ends += 1;
            continue;
        }
        running.kill().unwrap();
        running.wait().unwrap();
        kills += 1;
        half += u32::from(fs::metadata(out.path().join(NAME)).is_ok_and(|there| there.len() > 0));
    }
    assert!(child(None, folder.path(), out.path()).wait().unwrap().success());
    assert!(expected == tables(out.path()), "the tables are others");
    assert_eq!(files, configuration(out.path()));
    assert!(half > KILLS / 10, "only {half} of {kills} kills hit a run that had read something ({ends} ended)");
}

/// Kill -9 when a part of the new ledger is written, or all of it.
#[cfg(unix)]
#[test]
fn kills_while_a_ledger_is_written_anew_leave_the_old_or_the_new_one() {
    const KILLS: u64 = 60;
    if let Some(out) = env::var_os(OPENED) {
        drop(Ledger::open(Path::new(&out)).unwrap());
        return;
    }
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    super::logs::fleet(folder.path());
    drop(super::read_all(folder.path(), out.path()));
    // The same applications in many logs: a ledger that is written long enough to be hit, and quickly read after each kill.
    let mut ledger = Ledger::open(out.path()).unwrap();
    let logs: Vec<LogRecord> = ledger.entries().values().map(|known| ledger.log(known).unwrap()).collect();
    for number in 0..20 {
        for log in &logs {
            let mut log = log.clone();
            log.head.key = format!("{}-{number}", log.head.key);
            ledger.add(&Record::Log(Box::new(log))).unwrap();
        }
    }
    let known = |ledger: &Ledger| -> Vec<(String, u32)> {
        ledger.entries().iter().map(|(key, known)| (key.clone(), known.check)).collect()
    };
    let expected = known(&ledger);
    drop(ledger);
    let path = out.path().join(NAME);
    let text = counting(&path);
    let begun = || {
        let entries = fs::read_dir(out.path()).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|end| end == "tmp")).collect::<Vec<PathBuf>>()
    };
    let opener = || {
        let mut command = Command::new(env::current_exe().unwrap());
        command.env(OPENED, out.path());
        this_test(command)
    };
    let length = text.len() as u64;
    let is_new = || fs::metadata(&path).unwrap().len() <= length;
    let mut random = Random::new(1);
    // Whether the kill hit a ledger that was being written.
    let mut kill = || {
        fs::write(&path, text.repeat(3)).unwrap();
        // A fifth of them is beyond the end: then the new ledger is in its place.
        let moment = random.number() % (length * 5 / 4);
        let mut running = opener();
        wait_until("a new ledger", || {
            let written = begun().iter().filter_map(|file| fs::metadata(file).ok()).map(|file| file.len()).max();
            written.is_some_and(|written| written >= moment) || is_new() || running.try_wait().unwrap().is_some()
        });
        running.kill().unwrap();
        running.wait().unwrap();
        assert!(known(&Ledger::of(out.path()).unwrap()) == expected, "after a kill at byte {moment} of {length}");
        let left = begun();
        for path in &left {
            fs::remove_file(path).unwrap();
        }
        !left.is_empty()
    };
    let mut inside = (0..KILLS).map(|_| u64::from(kill())).sum::<u64>();
    wait_until("enough kills that hit a ledger that is being written", || {
        let is_enough = inside > KILLS / 10;
        inside += u64::from(!is_enough && kill());
        is_enough
    });
    fs::write(&path, text.repeat(3)).unwrap();
    assert!(opener().wait().unwrap().success());
    assert!(known(&Ledger::of(out.path()).unwrap()) == expected);
    assert_eq!(fs::metadata(&path).unwrap().len(), text.len() as u64);
}

/// Who comes while another process writes is refused with a sentence; of two at once nothing is lost or mixed.
#[test]
fn of_two_processes_in_one_folder_one_is_refused() {
    const ROUNDS: usize = 4;
    if was_child() {
        return;
    }
    let (folder, whole) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    super::logs::fleet(folder.path());
    assert!(child(None, folder.path(), whole.path()).wait().unwrap().success());
    let (expected, files) = (tables(whole.path()), configuration(whole.path()));
    let assert_refused = |ended: &Output| {
        let messages = String::from_utf8_lossy(&ended.stderr).into_owned();
        let error = messages.lines().find_map(|line| line.strip_prefix(MARK)).unwrap_or_else(|| panic!("{messages}"));
        assert!(error.contains("another process writes here; wait until it ends"), "{error}");
    };
    let held = tempfile::tempdir().unwrap();
    // This process is the one that writes.
    let ledger = Ledger::open(held.path()).unwrap();
    let late = child(None, folder.path(), held.path()).wait_with_output().unwrap();
    assert!(!late.status.success(), "two processes write");
    assert_refused(&late);
    drop(ledger);
    for round in 0..ROUNDS {
        let out = tempfile::tempdir().unwrap();
        let both = [child(None, folder.path(), out.path()), child(None, folder.path(), out.path())];
        let ended = both.map(|child| child.wait_with_output().unwrap());
        assert!(ended.iter().any(|ended| ended.status.success()), "in round {round} no process wrote");
        ended.iter().filter(|ended| !ended.status.success()).for_each(assert_refused);
        assert!(expected == tables(out.path()) && files == configuration(out.path()), "in round {round}");
        assert_eq!(Ledger::of(out.path()).unwrap().entries().len(), 12);
    }
}

/// A file size limit stands in for the full disk: the system refuses in the middle of a write.
#[cfg(unix)]
#[test]
fn a_full_disk_is_named_and_the_next_run_goes_on() {
    if was_child() {
        return;
    }
    let (folder, whole, out) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    super::logs::fleet(folder.path());
    assert!(child(None, folder.path(), whole.path()).wait().unwrap().success());
    let (mut known, mut refusals) = (0, 0);
    for blocks in [1, 8, 20, 40, 60, 80, 100, 140, 200, 100_000] {
        // `ulimit -f` counts 512-byte blocks (POSIX); with the signal ignored, the write fails as on a full disk.
        let shell = format!(r#"trap "" XFSZ; ulimit -f {blocks}; exec "$0" "$@""#);
        let ended = child(Some(&shell), folder.path(), out.path()).wait_with_output().unwrap();
        let messages = String::from_utf8_lossy(&ended.stderr).into_owned();
        if !ended.status.success() {
            let error =
                messages.lines().find_map(|line| line.strip_prefix(MARK)).unwrap_or_else(|| panic!("{messages}"));
            assert!(error.contains(out.path().to_str().unwrap()), "{error} does not name the file");
            assert!(error.contains("File too large") || error.contains("no space left"), "{error}");
            assert_eq!(error.matches("os error").count(), 1, "{error} says it twice");
            refusals += 1;
        }
        let now = Ledger::of(out.path()).map_or(0, |ledger| ledger.entries().len());
        assert!(now >= known, "{known} logs were read, and now there are {now}");
        known = now;
    }
    assert!(refusals >= 3, "{refusals} runs were refused");
    assert!(tables(whole.path()) == tables(out.path()));
}

/// A log that is still written, read at many lengths.
#[test]
fn half_written_logs_are_applications_that_still_run() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let log = App::new("application_1").log();
    let path = folder.path().join("application_1.inprogress");
    for part in 1..40 {
        let length = log.len() * part / 40;
        fs::write(&path, &log.as_bytes()[..length]).unwrap();
        let outcomes = super::read_all(folder.path(), out.path());
        let overview = Overview::new(&outcomes);
        if let [(_, summary)] = overview.applications[..] {
            assert!(!summary.ended && summary.seconds.unwrap_or(0.0) <= 600.0, "{part} of 40");
        } else {
            assert_eq!(overview.left_out.len(), 1, "{part} of 40");
        }
    }
    fs::write(&path, &log).unwrap();
    let fresh = tempfile::tempdir().unwrap();
    drop((super::read_all(folder.path(), out.path()), super::read_all(folder.path(), fresh.path())));
    assert!(tables(out.path()) == tables(fresh.path()));
}
