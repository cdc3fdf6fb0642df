//! Replaces a file in one step: after a crash or a full disk it holds the old or the new bytes, never a mixture.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

mod save_error;
mod temporary;

pub use save_error::SaveError;
pub use temporary::{is_temporary, remove_leftovers, temporary_in};

use save_error::explain;

/// As many links as Linux follows before it gives up (`path_resolution(7)`).
const MAX_LINKS: usize = 40;

/// Replaces the file at `path` by `contents`, or creates it.
///
/// The bytes go to a temporary file in the same folder, reach the disk, and take the file's name in one rename; the
/// folder reaches the disk last. A symbolic link stays, its target is replaced. An existing file keeps its permissions
/// and, where the operating system lets this user set them, its owner and group. Temporary files that killed processes left
/// in the folder are deleted.
///
/// # Errors
/// [`SaveError`] says what to do. No temporary file stays behind on an error.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), SaveError> {
    prepare(path, contents)?.commit()
}

/// The first half of [`write()`]: the bytes are on the disk, under another name.
///
/// # Errors
/// As [`write()`].
pub fn prepare(path: &Path, contents: &[u8]) -> Result<Prepared, SaveError> {
    let mut replacement = Replacement::of_bytes(path, contents.len())?;
    let written = replacement.file().write_all(contents);
    written.map_err(|cause| replacement.failed(cause))?;
    replacement.prepare()
}

/// A file that takes the place of another one once it is saved, as [`write()`] does it: of contents that come piece by
/// piece, or of several files that are to be there at once. Nothing is left of one that is dropped.
#[derive(Debug)]
pub struct Replacement {
    path: PathBuf,
    target: PathBuf,
    folder: PathBuf,
    old: Option<Metadata>,
    temporary: NamedTempFile,
    /// Size in bytes, for messages; 0 where it is not known.
    bytes: usize,
}

/// A file whose bytes are on the disk under another name, next to the place that it takes. Nothing is left of one that is
/// dropped.
#[derive(Debug)]
#[must_use = "the file gets its name by `commit`"]
pub struct Prepared {
    path: PathBuf,
    target: PathBuf,
    folder: PathBuf,
    replaces: bool,
    temporary: NamedTempFile,
    bytes: usize,
}

impl Prepared {
    /// The path as the caller named it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it takes the place of a file.
    #[must_use]
    pub fn replaces(&self) -> bool {
        self.replaces
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`SaveError`] says what to do. No temporary file stays behind on an error.
    pub fn commit(self) -> Result<(), SaveError> {
        let Self { path, target, folder, temporary, bytes, .. } = self;
        let persisted = temporary.persist(&target);
        persisted.map_err(|refused| explain(&path, &folder, bytes, "replacing the old file", refused.error))?;
        sync_folder(&folder).map_err(|cause| SaveError::Unconfirmed { path, cause })?;

        remove_leftovers(&folder);
        Ok(())
    }
}

impl Replacement {
    /// Begins to replace the file at `path`.
    ///
    /// # Errors
    /// [`SaveError`] says what to do.
    pub fn of(path: &Path) -> Result<Self, SaveError> {
        Self::of_bytes(path, 0)
    }

    fn of_bytes(path: &Path, bytes: usize) -> Result<Self, SaveError> {
        let target = follow_links(path).map_err(|cause| explain(path, path, bytes, "reading the old file", cause))?;
        let folder = match target.parent() {
            Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
            Some(parent) => parent.to_owned(),
            None => {
                return Err(SaveError::IsFolder { path: path.to_owned() });
            }
        };
        let explain = |step, cause| explain(path, &folder, bytes, step, cause);

        let old = match fs::metadata(&target) {
            Ok(old) => Some(old),
            Err(cause) if cause.kind() == ErrorKind::NotFound => None,
            Err(cause) => return Err(explain("reading the old file", cause)),
        };
        if let Some(old) = &old {
            check_replaceable(path, &target, old)?;
        }
        let temporary = temporary_in(&folder).map_err(|cause| explain("creating a temporary file", cause))?;
        Ok(Self { path: path.to_owned(), target, folder, old, temporary, bytes })
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        self.temporary.as_file_mut()
    }

    /// Why writing to the file failed, in words.
    #[must_use]
    pub fn failed(&self, cause: io::Error) -> SaveError {
        self.explain("writing", cause)
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// [`SaveError`] says what to do. No temporary file stays behind on an error.
    pub fn save(self) -> Result<(), SaveError> {
        self.prepare()?.commit()
    }

    /// Brings the bytes to the disk; the file gets its name by [`Prepared::commit`].
    ///
    /// # Errors
    /// [`SaveError`] says what to do. No temporary file stays behind on an error.
    pub fn prepare(mut self) -> Result<Prepared, SaveError> {
        self.file().flush().map_err(|cause| self.explain("writing", cause))?;
        if let Some(old) = &self.old {
            let kept = keep_permissions(self.temporary.as_file(), old);
            kept.map_err(|cause| self.explain("keeping the file's permissions", cause))?;
        }
        self.file().sync_all().map_err(|cause| self.explain("writing to the disk", cause))?;
        let Self { path, target, folder, old, temporary, bytes } = self;
        Ok(Prepared { path, target, folder, replaces: old.is_some(), temporary, bytes })
    }

    fn explain(&self, step: &'static str, cause: io::Error) -> SaveError {
        explain(&self.path, &self.folder, self.bytes, step, cause)
    }
}

/// Where the bytes go: `path`, or the end of its chain of symbolic links, which need not exist yet.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&target) {
            Ok(metadata) if metadata.is_symlink() => {
                let next = fs::read_link(&target)?;
                target = target.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
            }
            Ok(_) => return Ok(target),
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(target),
            Err(cause) => return Err(cause),
        }
    }
    Err(io::Error::other(format!("more than {MAX_LINKS} symbolic links in a row")))
}

/// A rename asks only the folder for permission, so it would replace a protected file or a device silently.
fn check_replaceable(path: &Path, target: &Path, old: &Metadata) -> Result<(), SaveError> {
    let path = path.to_owned();
    if old.is_dir() {
        return Err(SaveError::IsFolder { path });
    }
    if !old.is_file() {
        return Err(SaveError::NotAFile { path });
    }
    if old.permissions().readonly() {
        return Err(SaveError::WriteProtected { path });
    }
    match OpenOptions::new().write(true).open(target) {
        Ok(_) => Ok(()),
        Err(cause) if cause.kind() == ErrorKind::PermissionDenied => Err(SaveError::WriteProtected { path }),
        Err(cause) => Err(SaveError::Io { path, step: "opening the old file", cause }),
    }
}

#[cfg(unix)]
fn keep_permissions(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let new = file.metadata()?;
    // Only root may give a file away; then the file belongs to whoever saved it, as in any editor.
    if new.uid() != old.uid() && fchown(file, Some(old.uid()), None).is_err() {
        log::debug!("the saved file now belongs to user {} instead of {}", new.uid(), old.uid());
    }
    let mut mode = old.permissions().mode();
    if new.gid() != old.gid() && fchown(file, None, Some(old.gid())).is_err() {
        mode = without_group_rights(mode);
    }
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_permissions(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// The rights were meant for the old group: the members of the new one get the rights of others.
#[cfg(unix)]
fn without_group_rights(mode: u32) -> u32 {
    (mode & !0o070) | ((mode & 0o007) << 3)
}

/// Makes the rename outlast a power cut. Windows has no such call, and journals its renames.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // A folder one may write but not list, and file systems that cannot sync folders (some network ones): the
        // rename is done, and there is no stronger promise to get.
        Err(cause)
            if matches!(
                cause.kind(),
                ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            log::debug!("{} cannot be synchronised: {cause}", folder.display());
            Ok(())
        }
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    /// The names in `folder`, sorted.
    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn refuses(path: &Path, expected: &[&str]) {
        let message = write(path, b"new").unwrap_err().to_string();
        for part in expected.iter().copied().chain([path.to_str().unwrap()]) {
            assert!(message.contains(part), "{part:?} is missing in: {message}");
        }
    }

    #[test]
    fn saving_creates_or_replaces_the_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.ron");
        for contents in [&b"first"[..], b"", b"a longer third one"] {
            write(&path, contents).unwrap();
            assert_eq!(fs::read(&path).unwrap(), contents);
            assert_eq!(names(folder.path()), ["study.ron"]);
        }
    }

    #[test]
    fn a_refused_save_says_why_and_leaves_everything_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let inside = |name: &str| folder.path().join(name);
        fs::create_dir(inside("a-folder")).unwrap();
        fs::write(inside("protected.ron"), "old").unwrap();
        let mut permissions = fs::metadata(inside("protected.ron")).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(inside("protected.ron"), permissions).unwrap();

        refuses(&inside("a-folder"), &["this is a folder", "Choose a file name"]);
        refuses(&inside("absent/study.ron"), &["no folder", inside("absent").to_str().unwrap(), "Create it"]);
        refuses(&inside("protected.ron/study.ron"), &["no folder"]);
        if cfg!(target_os = "linux") {
            refuses(Path::new("/proc/study.ron"), &["no permission to create or replace files in /proc"]);
        }
        refuses(&inside("protected.ron"), &["write-protected", "another name"]);
        refuses(&inside(&"x".repeat(300)), &["File name too long", "another folder"]);
        refuses(Path::new("/"), &["this is a folder"]);

        assert_eq!(fs::read(inside("protected.ron")).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a-folder", "protected.ron"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn devices_and_read_only_folders_are_refused() {
        refuses(Path::new("/dev/full"), &["a device"]);
        // No user may create files in /sys, not even root, for whom a folder's permission bits mean nothing.
        refuses(Path::new("/sys/study.ron"), &["no permission", "in /sys", "another one"]);
    }

    #[test]
    #[cfg(unix)]
    fn the_old_files_permissions_are_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.ron");
        for mode in [0o600, 0o640, 0o664, 0o755] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            write(&path, b"new").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_new_file_gets_the_permissions_any_new_file_gets() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        fs::write(folder.path().join("ordinary"), "").unwrap();
        write(&folder.path().join("saved"), b"").unwrap();
        assert_eq!(mode("saved"), mode("ordinary"));
    }

    #[test]
    #[cfg(unix)]
    fn a_group_that_cannot_be_kept_does_not_hand_its_rights_to_another() {
        for (old, expected) in [(0o640, 0o600), (0o664, 0o644), (0o775, 0o755), (0o600, 0o600)] {
            assert_eq!(without_group_rights(old), expected, "{old:o}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn saving_through_links_replaces_the_target_and_keeps_the_links() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let inside = |name: &str| folder.path().join(name);
        fs::create_dir(inside("elsewhere")).unwrap();
        fs::write(inside("elsewhere/study.ron"), "old").unwrap();
        symlink("elsewhere/study.ron", inside("link")).unwrap();
        symlink(inside("link"), inside("link-to-link")).unwrap();
        symlink("elsewhere/new.ron", inside("dangling")).unwrap();
        symlink("circle", inside("circle")).unwrap();

        write(&inside("link-to-link"), b"new").unwrap();
        write(&inside("dangling"), b"created").unwrap();
        refuses(&inside("circle"), &["symbolic links"]);

        assert_eq!(fs::read(inside("elsewhere/study.ron")).unwrap(), b"new");
        assert_eq!(fs::read(inside("elsewhere/new.ron")).unwrap(), b"created");
        for link in ["link", "link-to-link", "dangling", "circle"] {
            assert!(inside(link).is_symlink(), "{link}");
        }
        assert_eq!(names(&inside("elsewhere")), ["new.ron", "study.ron"]);
    }

    #[test]
    #[cfg(unix)]
    fn a_temporary_file_stays_while_a_process_has_it_and_goes_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let held = temporary_in(folder.path()).unwrap();
        held.as_file().set_modified(SystemTime::now() - Duration::from_hours(2)).unwrap();
        // A long save on a slow disk: its process lives.
        remove_leftovers(folder.path());
        assert_eq!(names(folder.path()).len(), 1);
        // As a kill leaves it: the file stays, the lock goes.
        let (file, path) = held.keep().unwrap();
        drop(file);
        remove_leftovers(folder.path());
        assert!(!path.exists());
    }

    #[test]
    fn a_prepared_file_has_its_name_only_when_it_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.ron");
        fs::write(&path, "old").unwrap();
        drop(prepare(&path, b"dropped").unwrap());
        assert_eq!((fs::read(&path).unwrap(), names(folder.path()).len()), (b"old".to_vec(), 1));
        let prepared = prepare(&path, b"new").unwrap();
        assert!(prepared.replaces());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        prepared.commit().unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(folder.path()).len()), (b"new".to_vec(), 1));
        assert!(!prepare(&folder.path().join("other.ron"), b"").unwrap().replaces());
    }

    #[test]
    fn only_old_temporary_files_of_our_own_are_cleaned_away() {
        let folder = tempfile::tempdir().unwrap();
        let two_hours_ago = SystemTime::now() - Duration::from_hours(2);
        let add = |name: &str, modified: SystemTime| {
            File::create(folder.path().join(name)).unwrap().set_modified(modified).unwrap();
        };
        add(".crossover-save-old123.tmp", two_hours_ago);
        if cfg!(unix) {
            add(".crossover-save-less12.tmp", SystemTime::now() - Duration::from_mins(2));
        }
        add(".crossover-save-new123.tmp", SystemTime::now());
        add(".crossover-save-future.tmp", SystemTime::now() + Duration::from_hours(2));
        add(".crossover-save-notes-of-mine.tmp", two_hours_ago);
        add("crossover-save-old123.tmp", two_hours_ago);
        fs::create_dir(folder.path().join(".crossover-save-folder.tmp")).unwrap();

        write(&folder.path().join("study.ron"), b"new").unwrap();

        assert_eq!(
            names(folder.path()),
            [
                ".crossover-save-folder.tmp",
                ".crossover-save-future.tmp",
                ".crossover-save-new123.tmp",
                ".crossover-save-notes-of-mine.tmp",
                "crossover-save-old123.tmp",
                "study.ron",
            ]
        );
    }
}
