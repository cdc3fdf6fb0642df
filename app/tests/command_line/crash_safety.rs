//! What a user still has after Crossover was killed: whole files, and the unsaved work of dead processes only.

#![expect(clippy::unwrap_used, reason = "clippy.toml exempts test functions, and not the helpers between them")]

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crossover::storage::recovery::{Orphan, RecoveryStore, Snapshot};
use crossover_files::atomic;
use crossover_needs::{Random, wait_until};

const ROLE: &str = "CROSSOVER_TEST_ROLE";
const FOLDER: &str = "CROSSOVER_TEST_FOLDER";
/// Longer than a save takes.
const SEVERAL_SAVES: Duration = Duration::from_millis(50);
const FIRST_SAVE: &str = "CROSSOVER_TEST_FIRST_SAVE";

/// A test below starts itself again as a child, with a role in the environment: whether this is such a child, which
/// has now played its role.
fn was_child() -> bool {
    let Ok(role) = env::var(ROLE) else { return false };
    let folder = PathBuf::from(env::var_os(FOLDER).unwrap());
    match role.as_str() {
        "save forever" => {
            let first: u64 = env::var(FIRST_SAVE).unwrap().parse().unwrap();
            for number in first.. {
                atomic::write(&folder.join("study.ron"), &contents(number)).unwrap();
                tell_parent(&number.to_string());
            }
        }
        "save beyond the limit" => {
            let error = atomic::write(&folder.join("study.ron"), &contents(1)).unwrap_err();
            tell_parent(&error.to_string());
        }
        "hold unsaved work" => {
            let store = RecoveryStore::open(folder).unwrap();
            store.write(&unsaved_work(std::process::id())).unwrap();
            tell_parent("written");
            loop {
                thread::park();
            }
        }
        unknown => panic!("no role {unknown}"),
    }
    true
}

/// The mark tells the child's own lines from those of the test harness it runs in. A dead parent ends the child here.
const MARK: &str = "child: ";

#[expect(clippy::disallowed_methods, reason = "a word for the test that started this process")]
fn tell_parent(line: &str) {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "\n{MARK}{line}").unwrap();
    stdout.flush().unwrap();
}

/// A child that does not outlive its test, not even a failed one.
struct ChildProcess {
    child: Child,
    /// What it says, read by a thread: a full pipe would hold it up.
    lines: mpsc::Receiver<String>,
}

impl ChildProcess {
    fn start(role: &str, folder: &Path, first_save: u64) -> Self {
        Self::start_through(Command::new(env::current_exe().unwrap()), role, folder, first_save)
    }

    fn start_through(mut command: Command, role: &str, folder: &Path, first_save: u64) -> Self {
        let mut child = command
            // The test harness names its threads like its tests.
            .args(["--exact", thread::current().name().unwrap(), "--nocapture"])
            .env(ROLE, role)
            .env(FOLDER, folder)
            .env(FIRST_SAVE, first_save.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        let read = move || {
            for line in output.lines().map_while(Result::ok) {
                let Some(line) = line.strip_prefix(MARK) else { continue };
                if sender.send(line.to_owned()).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("lines of a child".into()).spawn(read).unwrap();
        Self { child, lines }
    }

    fn next_line(&self) -> String {
        self.lines.recv().expect("the child ended before it said anything")
    }

    /// SIGKILL on Unix; returns what the child had still said.
    fn kill(&mut self) -> Vec<String> {
        self.child.kill().unwrap();
        let last_lines = self.lines.iter().collect();
        assert!(was_killed(self.child.wait().unwrap()), "the child had ended by itself");
        last_lines
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // Fails only if the child has ended already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn was_killed(status: ExitStatus) -> bool {
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(9)
}

#[cfg(not(unix))]
fn was_killed(status: ExitStatus) -> bool {
    !status.success()
}

/// A long and a short text in turn, so that a mixture of two saves differs from each; the number leads and ends it.
fn contents(number: u64) -> Vec<u8> {
    let length = if number.is_multiple_of(2) { 20_000 } else { 7_000 };
    let mut text = format!("{number}\n").into_bytes();
    for line in 0..length {
        writeln!(text, "{number} {line}").unwrap();
    }
    write!(text, "end of {number}").unwrap();
    text
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_kill_during_a_thousand_saves_always_leaves_a_whole_file() {
    if was_child() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.ron");
    let mut random = Random::new(1);
    let (mut saves, mut kills) = (0, 0);
    let leftovers = || -> Vec<PathBuf> { files_in(folder.path()).into_iter().filter(|file| *file != path).collect() };
    // Without a leftover no kill has hit a save half-way, and nothing was tested.
    while saves < 1000 || kills < 20 || leftovers().is_empty() {
        // Taken while no save runs: one that is half-way would count as a leftover. The next save deletes them.
        let before = leftovers();
        let mut child = ChildProcess::start("save forever", folder.path(), saves + 1);
        let mut confirmed: u64 = child.next_line().parse().unwrap();
        for _ in 0..random.number() % 60 {
            confirmed = child.next_line().parse().unwrap();
        }
        // Every second kill comes while a save is half-way, the others at any moment.
        if kills % 2 == 1 {
            wait_until("a save that is half-way", || {
                // Through more than one save: a check at the same moment of each could miss every temporary file.
                let begun = Instant::now();
                while begun.elapsed() < SEVERAL_SAVES {
                    if leftovers().iter().any(|file| !before.contains(file)) {
                        return true;
                    }
                }
                confirmed = child.lines.try_iter().last().map_or(confirmed, |line| line.parse().unwrap());
                false
            });
        }
        if let Some(last) = child.kill().last() {
            confirmed = last.parse().unwrap();
        }
        kills += 1;

        let on_disk = fs::read(&path).unwrap();
        let first_line: Vec<u8> = on_disk.iter().copied().take_while(|byte| *byte != b'\n').collect();
        let number: u64 = String::from_utf8(first_line).unwrap().parse().unwrap();
        assert!(on_disk == contents(number), "after kill {kills}, save {number} is not whole");
        assert!(number >= confirmed, "after kill {kills}, save {confirmed} was confirmed, but {number} is on the disk");
        saves = number;
    }

    for leftover in &leftovers() {
        assert!(atomic::is_temporary(leftover), "{} could be taken for a document", leftover.display());
        let two_hours_ago = SystemTime::now() - Duration::from_hours(2);
        File::options().write(true).open(leftover).unwrap().set_modified(two_hours_ago).unwrap();
    }
    atomic::write(&path, b"the next save").unwrap();
    assert_eq!(files_in(folder.path()), [path], "the next save clears old leftovers away");
}

/// A file size limit stands in for the full disk: the system refuses in the middle of the write.
#[test]
#[cfg(unix)]
fn a_save_that_runs_out_of_space_keeps_the_old_file_and_leaves_no_other() {
    if was_child() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.ron");
    fs::write(&path, "old").unwrap();
    // `ulimit -f` counts 512-byte blocks (POSIX); with the signal ignored, the write fails as on a full disk.
    let mut command = Command::new("sh");
    command.args(["-c", r#"trap "" XFSZ; ulimit -f 8; exec "$0" "$@""#]).arg(env::current_exe().unwrap());
    let mut child = ChildProcess::start_through(command, "save beyond the limit", folder.path(), 1);

    let message = child.next_line();
    assert!(message.contains("no space left") && message.contains(path.to_str().unwrap()), "{message}");
    assert!(child.child.wait().unwrap().success());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(files_in(folder.path()), [path]);
}

fn unsaved_work(process_id: u32) -> Snapshot {
    Snapshot {
        document_id: "document-1".into(),
        name: "Untitled".into(),
        path: None,
        only_settings: false,
        saved_at_unix_seconds: 1_700_000_000,
        process_id,
        text: format!("unsaved work of process {process_id}\n").repeat(10_000),
    }
}

#[test]
fn unsaved_work_of_killed_processes_is_offered_and_that_of_running_ones_is_not() {
    if was_child() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut children: Vec<ChildProcess> =
        (0..3).map(|_| ChildProcess::start("hold unsaved work", folder.path(), 0)).collect();
    for child in &mut children {
        assert_eq!(child.next_line(), "written");
    }
    let mut store = RecoveryStore::open(folder.path().to_owned()).unwrap();
    assert_eq!(store.orphans(), [], "everybody is alive");

    for dead in 1..=2 {
        children[dead - 1].kill();
        let expected: BTreeSet<u32> = children[..dead].iter().map(|child| child.child.id()).collect();
        let orphans = store.orphans();
        let offered: BTreeSet<u32> = orphans
            .iter()
            .map(|orphan| match orphan {
                Orphan::Document { snapshot, .. } => {
                    assert_eq!(*snapshot, unsaved_work(snapshot.process_id));
                    snapshot.process_id
                }
                Orphan::Unreadable { file, reason } => panic!("{}: {reason}", file.display()),
            })
            .collect();
        assert_eq!((orphans.len(), offered), (dead, expected));
    }

    let mut started_later = RecoveryStore::open(folder.path().to_owned()).unwrap();
    assert_eq!(started_later.orphans(), [], "the first one offers them already");
}
