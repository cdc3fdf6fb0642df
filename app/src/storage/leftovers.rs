//! Temporary files of saves that killed processes left, cleared away at the start of the window.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::thread;

use crossover_files::atomic;
use crossover_page::start::Start;

use super::recent::RecentFiles;

/// Clears the folders away in which the window saves, or saved last. On a thread that nothing waits for: a network drive may
/// be slow.
pub(crate) fn clear(start: &Start, recent: &RecentFiles) {
    let documents = start.loaded.iter().filter_map(|loaded| loaded.file.as_ref()?.path.parent());
    // Lists of the program are beside the folder of measurements.
    let lists = start.measurements_folder.as_deref().and_then(Path::parent);
    let own = start.recovery_folder.as_deref().into_iter().chain(lists);
    let folders: BTreeSet<PathBuf> = recent.folders().chain(documents).chain(own).map(Path::to_owned).collect();
    let clear = move || folders.iter().for_each(|folder| atomic::remove_leftovers(folder));
    if let Err(error) = thread::Builder::new().name("leftovers of saves".to_owned()).spawn(clear) {
        log::debug!("leftovers of saves stay: {error}");
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use crossover_page::storage::on_disk::OnDisk;

    use super::*;

    #[test]
    fn folders_of_recent_files_and_of_snapshots_are_cleared() {
        let [documents, snapshots] = [(), ()].map(|()| tempfile::tempdir().unwrap());
        let left = [&documents, &snapshots].map(|folder| folder.path().join(".crossover-save-abc123.tmp"));
        for path in &left {
            let file = fs::File::create(path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_hours(2)).unwrap();
        }
        let mut recent = RecentFiles::default();
        recent.push(&OnDisk::at(&documents.path().join("study.ron")));
        let start = Start { recovery_folder: Some(snapshots.path().to_owned()), ..Start::default() };
        clear(&start, &recent);
        crossover_needs::wait_until("the leftovers to go", || left.iter().all(|path| !path.exists()));
    }
}
