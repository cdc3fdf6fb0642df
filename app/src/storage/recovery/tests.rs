//! Which snapshots a session offers, keeps and deletes.

use super::*;

fn snapshot(document_id: &str, saved_at_unix_seconds: u64) -> Snapshot {
    Snapshot {
        document_id: document_id.into(),
        name: format!("Study {document_id}"),
        path: Some("/home/anna/größe.ron".into()),
        only_settings: false,
        saved_at_unix_seconds,
        process_id: 4711,
        text: format!("text of {document_id}"),
    }
}

/// Leaves the snapshots as a killed process does: the lock is given back, nothing is deleted.
fn leave_behind(folder: &Path, snapshots: &[Snapshot]) {
    let store = RecoveryStore::open(folder.to_owned()).unwrap();
    for snapshot in snapshots {
        store.write(snapshot).unwrap();
    }
}

fn documents(orphans: &[Orphan]) -> Vec<&Snapshot> {
    orphans
        .iter()
        .filter_map(|orphan| match orphan {
            Orphan::Document { snapshot, .. } => Some(snapshot),
            Orphan::Unreadable { .. } => None,
        })
        .collect()
}

fn file_count(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn orphans_come_back_as_they_were_the_newest_first() {
    let folder = tempfile::tempdir().unwrap();
    let odd = Snapshot { path: None, text: "\0 \"#\r\n\u{feff}\\ 🦀\t'r#\"".into(), ..snapshot("../Ä b", 7) };
    leave_behind(folder.path(), &[snapshot("a", 5), odd.clone()]);
    leave_behind(folder.path(), &[snapshot("a", 6)]);

    let mut store = RecoveryStore::open(folder.path().to_owned()).unwrap();
    assert_eq!(documents(&store.orphans()), [&odd, &snapshot("a", 6), &snapshot("a", 5)]);
}

#[test]
fn a_file_has_the_text_of_the_document_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let text = "(name: \"a \\\"plan\\\"\",\n)\n";
    leave_behind(folder.path(), &[Snapshot { name: "two\nlines".into(), text: text.into(), ..snapshot("a", 1) }]);
    let mut store = RecoveryStore::open(folder.path().to_owned()).unwrap();
    let orphans = store.orphans();
    let file = fs::read_to_string(orphans[0].file()).unwrap();
    let (line, rest) = file.split_once('\n').unwrap();
    assert!(rest == text && line.contains("two\\nlines"), "{file}");
    assert_eq!(documents(&orphans)[0].text, text);
}

#[test]
fn only_the_last_snapshot_of_a_document_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    leave_behind(folder.path(), &[snapshot("a", 1), snapshot("A", 2), snapshot("a", 3)]);
    let mut store = RecoveryStore::open(folder.path().to_owned()).unwrap();
    assert_eq!(documents(&store.orphans()), [&snapshot("a", 3), &snapshot("A", 2)]);
}

#[test]
fn a_running_sessions_snapshots_are_not_offered() {
    let folder = tempfile::tempdir().unwrap();
    let running = RecoveryStore::open(folder.path().to_owned()).unwrap();
    running.write(&snapshot("a", 1)).unwrap();
    let mut store = RecoveryStore::open(folder.path().to_owned()).unwrap();
    store.write(&snapshot("mine", 1)).unwrap();
    assert_eq!(store.orphans(), []);

    drop(running);
    assert_eq!(documents(&store.orphans()), [&snapshot("a", 1)]);
}

#[test]
fn an_orphan_is_offered_by_one_session_only_until_that_one_ends_too() {
    let folder = tempfile::tempdir().unwrap();
    leave_behind(folder.path(), &[snapshot("a", 1)]);
    let mut first = RecoveryStore::open(folder.path().to_owned()).unwrap();
    let mut second = RecoveryStore::open(folder.path().to_owned()).unwrap();
    assert_eq!(first.orphans().len(), 1);
    assert_eq!(first.orphans().len(), 1, "asking again changes nothing");
    assert_eq!(second.orphans(), []);

    first.close().unwrap();
    assert_eq!(documents(&second.orphans()), [&snapshot("a", 1)]);
}

#[test]
fn of_many_sessions_starting_at_once_one_gets_each_orphan() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..20 {
        leave_behind(folder.path(), &[snapshot(&format!("a{number}"), number), snapshot("b", 100 + number)]);
    }
    let found: Vec<Snapshot> = std::thread::scope(|scope| {
        let sessions: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut store = RecoveryStore::open(folder.path().to_owned()).unwrap();
                    let orphans = store.orphans();
                    (store, documents(&orphans).into_iter().cloned().collect::<Vec<_>>())
                })
            })
            .collect();
        // All stores live until every one has looked.
        let finished: Vec<_> = sessions.into_iter().map(|session| session.join().unwrap()).collect();
        finished.into_iter().flat_map(|(_store, documents)| documents).collect()
    });
    let mut times: Vec<u64> = found.iter().map(|snapshot| snapshot.saved_at_unix_seconds).collect();
    times.sort_unstable();
    assert_eq!(times, (0..20).chain(100..120).collect::<Vec<u64>>());
}

#[test]
fn a_clean_exit_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = RecoveryStore::open(folder.path().join("made/on/demand")).unwrap();
    store.write(&snapshot("a", 1)).unwrap();
    store.write(&snapshot("b", 1)).unwrap();
    store.remove("a").unwrap();
    store.remove("never written").unwrap();
    assert_eq!(file_count(&folder.path().join("made/on/demand")), 2, "one lock and the snapshot of b");
    store.close().unwrap();
    assert_eq!(file_count(&folder.path().join("made/on/demand")), 0);
}

#[test]
fn discarded_orphans_are_gone_with_their_lock() {
    let folder = tempfile::tempdir().unwrap();
    leave_behind(folder.path(), &[snapshot("a", 1), snapshot("b", 2)]);
    leave_behind(folder.path(), &[]);
    let mut store = RecoveryStore::open(folder.path().to_owned()).unwrap();
    let orphans = store.orphans();
    assert_eq!(file_count(folder.path()), 4, "two locks, two snapshots; the empty session is tidied away");

    store.discard(orphans[0].file()).unwrap();
    assert_eq!(documents(&store.orphans()), [&snapshot("a", 1)]);
    store.discard(orphans[1].file()).unwrap();
    assert_eq!(store.orphans(), []);
    assert_eq!(file_count(folder.path()), 1, "this session's lock");
}

#[test]
fn an_orphan_that_is_set_aside_stays_under_another_name_and_is_not_listed_again() {
    let folder = tempfile::tempdir().unwrap();
    leave_behind(folder.path(), &[snapshot("a", 1), snapshot("b", 2)]);
    let mut store = RecoveryStore::open(folder.path().to_owned()).unwrap();
    let orphans = store.orphans();
    let contents = fs::read(orphans[0].file()).unwrap();
    let aside = store.set_aside(orphans[0].file()).unwrap();
    assert!(!orphans[0].file().exists());
    assert_eq!(fs::read(&aside).unwrap(), contents);
    assert_eq!(documents(&store.orphans()), [&snapshot("a", 1)]);
    store.set_aside(orphans[1].file()).unwrap();
    store.close().unwrap();
    assert_eq!(file_count(folder.path()), 2, "both snapshots, and no lock");
    assert_eq!(RecoveryStore::open(folder.path().to_owned()).unwrap().orphans(), []);
    assert!(aside.exists());
}

#[test]
fn an_orphan_whose_lock_file_was_deleted_is_still_offered_once() {
    let folder = tempfile::tempdir().unwrap();
    leave_behind(folder.path(), &[snapshot("a", 1)]);
    for entry in fs::read_dir(folder.path()).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|extension| extension == "lock") {
            fs::remove_file(file).unwrap();
        }
    }
    let mut first = RecoveryStore::open(folder.path().to_owned()).unwrap();
    let mut second = RecoveryStore::open(folder.path().to_owned()).unwrap();
    assert_eq!(first.orphans().len(), 1);
    assert_eq!(second.orphans(), []);
}

#[test]
fn damaged_and_foreign_files_are_named_and_never_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let whole = snapshot("a", 1).encoded().unwrap();
    let add = |name: &str, contents: &[u8]| fs::write(folder.path().join(name), contents).unwrap();
    add("session-dead.cut.ron", &whole.as_bytes()[..whole.len() / 2]);
    add("session-dead.cut-at-the-end.ron", &whole.as_bytes()[..whole.len() - 1]);
    add("session-dead.empty.ron", b"");
    add("session-dead.zeros.ron", &[0; 4096]);
    add("session-dead.not-utf8.ron", b"(document_id: \"\xff\")");
    add("session-dead.good.ron", whole.as_bytes());
    add("holiday.jpg", b"\xff\xd8");
    add("session-.lock", b"");
    add(".crossover-save-abc123.tmp", b"half a sa");
    fs::create_dir(folder.path().join("session-dead.folder.ron")).unwrap();

    let mut store = RecoveryStore::open(folder.path().to_owned()).unwrap();
    let before = file_count(folder.path());
    let orphans = store.orphans();
    assert_eq!(documents(&orphans), [&snapshot("a", 1)]);
    let listed: Vec<(&str, &str)> = orphans
        .iter()
        .filter_map(|orphan| match orphan {
            Orphan::Unreadable { file, reason } => {
                let kind = ["damaged", "did not write"].into_iter().find(|kind| reason.contains(kind));
                Some((file.file_name()?.to_str()?, kind.unwrap_or(reason)))
            }
            Orphan::Document { .. } => None,
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("holiday.jpg", "did not write"),
            ("session-.lock", "did not write"),
            ("session-dead.cut-at-the-end.ron", "damaged"),
            ("session-dead.cut.ron", "damaged"),
            ("session-dead.empty.ron", "damaged"),
            ("session-dead.folder.ron", "did not write"),
            ("session-dead.not-utf8.ron", "damaged"),
            ("session-dead.zeros.ron", "damaged"),
        ]
    );
    assert_eq!(file_count(folder.path()), before + 1, "the lock of the dead session, made to claim it");

    let foreign = orphans.iter().find(|orphan| orphan.file().ends_with("holiday.jpg")).unwrap();
    assert!(matches!(store.discard(foreign.file()), Err(RecoveryError::NotOurs { .. })));
    let damaged = orphans.iter().find(|orphan| orphan.file().ends_with("session-dead.cut.ron")).unwrap();
    store.discard(damaged.file()).unwrap();
    store.close().unwrap();
    assert!(folder.path().join("holiday.jpg").exists() && !damaged.file().exists());
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let occupied = folder.path().join("a-file");
    fs::write(&occupied, "").unwrap();
    let message = RecoveryStore::open(occupied.clone()).unwrap_err().to_string();
    assert!(message.contains(occupied.to_str().unwrap()) && message.contains("creating the folder"), "{message}");
}

#[test]
#[cfg(unix)]
fn a_path_that_is_not_utf8_does_not_cost_the_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(std::ffi::OsStr::from_bytes(b"/home/\xff.ron"));
    leave_behind(folder.path(), &[Snapshot { path: Some(path.into()), ..snapshot("a", 1) }]);
    let mut store = RecoveryStore::open(folder.path().to_owned()).unwrap();
    assert_eq!(documents(&store.orphans()), [&Snapshot { path: None, ..snapshot("a", 1) }]);
}
