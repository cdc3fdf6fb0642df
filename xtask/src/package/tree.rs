//! Files as they are installed: paths from where everything goes, contents, and which are programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context as _, Result, ensure};

/// Files by their path, with `/` between folders, such as `share/doc/crossover/copyright`; in the same order always.
#[derive(Default)]
pub(super) struct Tree(BTreeMap<String, File>);

/// What a file has in it.
pub(super) struct File {
    pub(super) content: Vec<u8>,
    pub(super) is_program: bool,
}

impl File {
    /// Who may do what with it: anybody may read it, and start it if it is a program.
    pub(super) fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

impl Tree {
    /// Adds a file.
    pub(super) fn add(&mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.insert(path.into(), content.into(), false);
    }

    /// Adds a program.
    pub(super) fn add_program(&mut self, path: impl Into<String>, content: Vec<u8>) {
        self.insert(path.into(), content, true);
    }

    fn insert(&mut self, path: String, content: Vec<u8>, is_program: bool) {
        self.0.insert(path, File { content, is_program });
    }

    /// All files, in the order of their paths.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &File)> {
        self.0.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// The bytes of all files.
    pub(super) fn bytes(&self) -> usize {
        self.0.values().map(|file| file.content.len()).sum()
    }

    /// How many files there are, and how large.
    pub(super) fn summary(&self) -> String {
        format!("{} files, {:.1} MB", self.0.len(), self.bytes() as f64 / 1e6)
    }

    /// Writes all files below a folder, each with the same time.
    pub(super) fn write(&self, folder: &Path, time: SystemTime) -> Result<()> {
        for (path, file) in self.files() {
            let at = folder.join(path);
            let write = || -> Result<()> {
                fs::create_dir_all(at.parent().context("a folder above it")?)?;
                fs::write(&at, &file.content)?;
                set_mode(&at, file.mode())?;
                fs::File::options().write(true).open(&at)?.set_modified(time)?;
                Ok(())
            };
            write().with_context(|| format!("cannot write {}", at.display()))?;
        }
        Ok(())
    }

    /// Refuses a file that is empty: nothing is handed out that says nothing.
    pub(super) fn check(self) -> Result<Self> {
        for (path, file) in self.files() {
            ensure!(!file.content.is_empty(), "{path} would be empty");
        }
        Ok(self)
    }
}

#[cfg(unix)]
pub(super) fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is something that can fail")]
pub(super) fn set_mode(_: &Path, _: u32) -> std::io::Result<()> {
    Ok(())
}
