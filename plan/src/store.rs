//! Access to files: local folders, or any other store that can list and open.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Type of an entry, after following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A pipe, a device, a socket or a broken link: not read.
    Other,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path.
    pub path: PathBuf,
    /// Its type.
    pub sort: Sort,
    /// Whether its name is a link to it.
    pub is_link: bool,
    /// Size of a file, bytes; `None` if unknown before it is read.
    pub bytes: Option<u64>,
    /// When it was written last, nanoseconds since 1970; 0 if unknown.
    pub modified_ns: u64,
    /// A version of its content, such as an entity tag: a different one means a change.
    pub tag: Option<String>,
}

/// A store of files.
pub trait Store: Sync {
    /// The entry at a path.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    fn entry(&self, path: &Path) -> io::Result<Entry>;

    /// The path after following all links.
    ///
    /// # Errors
    /// There is no entry, or it cannot be read.
    fn real(&self, path: &Path) -> io::Result<PathBuf>;

    /// The entries of a folder, in any order.
    ///
    /// # Errors
    /// It cannot be listed.
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>>;

    /// The bytes of a file.
    ///
    /// # Errors
    /// It cannot be opened.
    fn open(&self, file: &Path) -> io::Result<Box<dyn Read + Send>>;
}

/// The folders of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Folders;

impl Store for Folders {
    fn entry(&self, path: &Path) -> io::Result<Entry> {
        let is_link = fs::symlink_metadata(path)?.is_symlink();
        Ok(Entry::of(path.to_owned(), is_link, &fs::metadata(path)?))
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        let of = |entry: io::Result<fs::DirEntry>| {
            let entry = entry?;
            let (path, own) = (entry.path(), entry.metadata());
            let is_link = own.as_ref().is_ok_and(Metadata::is_symlink);
            // Deleted entries and broken links are still listed.
            let there = if is_link { fs::metadata(&path) } else { own };
            let nothing =
                Entry { path: path.clone(), sort: Sort::Other, is_link, bytes: None, modified_ns: 0, tag: None };
            Ok(there.map_or(nothing, |there| Entry::of(path, is_link, &there)))
        };
        fs::read_dir(folder)?.map(of).collect()
    }

    fn open(&self, file: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(File::open(file)?))
    }
}

impl Entry {
    fn of(path: PathBuf, is_link: bool, there: &Metadata) -> Self {
        let sort = match there.file_type() {
            of if of.is_dir() => Sort::Folder,
            of if of.is_file() => Sort::File,
            _ => Sort::Other,
        };
        let since = there.modified().ok().and_then(|modified| modified.duration_since(UNIX_EPOCH).ok());
        let modified_ns = since.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or(0);
        let bytes = (sort == Sort::File).then_some(there.len());
        Self { path, sort, is_link, bytes, modified_ns, tag: None }
    }
}
