//! Why a file could not be saved, in words.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file could not be saved. In every case but [`SaveError::Unconfirmed`] the old file is untouched.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The folder the file should go into is missing.
    #[error("cannot save {path}: there is no folder {folder}. Create it, or save in another folder.",
        path = path.display(), folder = folder.display())]
    NoFolder {
        /// The file as the caller named it.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// The name belongs to a folder.
    #[error("cannot save {path}: this is a folder. Choose a file name inside it.", path = path.display())]
    IsFolder {
        /// The path as the caller named it.
        path: PathBuf,
    },
    /// The name belongs to a device, a pipe or a socket, which must not be replaced.
    #[error("cannot save {path}: this is a device, a pipe or a socket, not a file. Choose another file name.",
        path = path.display())]
    NotAFile {
        /// The path as the caller named it.
        path: PathBuf,
    },
    /// The existing file may not be changed by this user.
    #[error("cannot save {path}: the file is write-protected. Allow writing to it, or save under another name.",
        path = path.display())]
    WriteProtected {
        /// The file as the caller named it.
        path: PathBuf,
    },
    /// The folder is read-only, or belongs to another user.
    #[error("cannot save {path}: no permission to create or replace files in {folder} ({cause}). \
        Allow writing to the folder, or save in another one.",
        path = path.display(), folder = folder.display())]
    FolderNotWritable {
        /// The file as the caller named it.
        path: PathBuf,
        /// The folder that refuses.
        folder: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// What would be written could not be read again.
    #[error("cannot save {path}: it would be larger than {most_mb} MB, the largest file that can be opened. \
        Remove large parts, such as a recording or a plan; the old file is unchanged.",
        path = path.display())]
    TooLarge {
        /// The file as the caller named it.
        path: PathBuf,
        /// The size of the largest file that can be opened, MB.
        most_mb: u64,
    },
    /// Disk full, quota used up, or file size limit reached.
    #[error("cannot save {path}: no space left{room} ({cause}). \
        Free some space, or save on another disk; the old file is unchanged.",
        path = path.display(), room = if *bytes > 0 { format!(" for {bytes} bytes") } else { String::new() })]
    NoSpace {
        /// The file as the caller named it.
        path: PathBuf,
        /// The size of the contents to save; 0 where it is not known.
        bytes: usize,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The new file is in place, but the disk did not confirm that its name would outlast a power cut.
    #[error("{path} is saved, but the disk did not confirm it ({cause}). \
        Save again, and check the disk if this comes back.",
        path = path.display())]
    Unconfirmed {
        /// The file as the caller named it.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// Anything else the operating system refuses.
    #[error("cannot save {path}: {step} failed ({cause}). \
        The old file is unchanged; try again, or save in another folder.",
        path = path.display())]
    Io {
        /// The file as the caller named it.
        path: PathBuf,
        /// The step that failed, as a noun.
        step: &'static str,
        /// The error of the operating system.
        cause: io::Error,
    },
}

/// The error of a step of saving, by the answer of the operating system; `bytes`: 0 where the size is not known.
pub(super) fn explain(path: &Path, folder: &Path, bytes: usize, step: &'static str, cause: io::Error) -> SaveError {
    let path = path.to_owned();
    match cause.kind() {
        // Folders that the system makes up, e.g. /proc, answer so to any new file.
        ErrorKind::NotFound if folder.is_dir() => {
            SaveError::FolderNotWritable { path, folder: folder.to_owned(), cause }
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory => SaveError::NoFolder { path, folder: folder.to_owned() },
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            SaveError::FolderNotWritable { path, folder: folder.to_owned(), cause }
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            SaveError::NoSpace { path, bytes, cause }
        }
        _ => SaveError::Io { path, step, cause },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_with_the_size_that_was_needed() {
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge] {
            let error = explain(Path::new("/home/a.ron"), Path::new("/home"), 1234, "writing", kind.into());
            let message = error.to_string();
            assert!(message.starts_with("cannot save /home/a.ron: no space left for 1234 bytes"), "{message}");
            assert!(message.contains("the old file is unchanged"), "{message}");
        }
    }
}
