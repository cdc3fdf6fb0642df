//! Programs that a file names: shown, and started only after the user has allowed them, which is remembered.
//!
//! A file may come from anybody, and its programs run with all permissions of the user. Whoever starts one asks an [`AllowList`]
//! first: in a terminal by [`AllowList::check`], in the window by a question with the same lines.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::atomic::{self, SaveError};
use crate::digest::hex;
use crate::read::{self, ReadTextError};
use crate::shell;

/// Most characters of a command line as it is shown. A longer one could hide from the user what it does.
pub const LONGEST_LINE: usize = 2_000;

/// Largest list: some ten thousand digests.
const LARGEST_BYTES: u64 = 1 << 20;

/// Option that allows the programs of a file.
pub const ALLOW: &str = "--allow-programs";

/// Why programs are not started.
#[derive(Debug, Error)]
pub enum NotAllowed {
    /// A command line that a user cannot check.
    #[error("nothing was started: the command line of “{program}” has {characters} characters; allowed: {most}. \
        Put it into a script, and name the script", most = LONGEST_LINE)]
    TooLong {
        /// The beginning of the program's name.
        program: String,
        /// Characters of the command line.
        characters: usize,
    },
    /// Relative names lead to nothing.
    #[error("nothing was started: the working folder is not available ({0})")]
    NoFolder(#[from] io::Error),
    /// The user has not allowed them.
    #[error("nothing was started: the file names these programs, and they are not allowed yet. Start them with \
        {allow}; they are then allowed from now on in the folder in which they start", allow = ALLOW)]
    NotYet,
}

/// Why it is not remembered that programs are allowed.
#[derive(Debug, Error)]
pub enum RememberError {
    /// The list is there, but cannot be read; writing it would remove what it has.
    #[error("cannot read the list of allowed programs {}: {cause}. It is unchanged; repair it, or delete it to begin a new one",
        .file.display())]
    Unreadable {
        /// The list.
        file: PathBuf,
        /// Why it cannot be read.
        cause: ReadTextError,
    },
    /// The list cannot be written.
    #[error(transparent)]
    Save(#[from] SaveError),
}

/// Programs that a file names, and the folder in which they would start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    folder: PathBuf,
    lines: Vec<Vec<String>>,
}

impl Programs {
    /// Programs with their arguments, to be started in the working folder; none if there are none.
    ///
    /// # Errors
    /// A command line is too long to be checked by a user, or there is no working folder.
    pub fn of<'a>(lines: impl IntoIterator<Item = &'a [String]>) -> Result<Option<Self>, NotAllowed> {
        let lines = kept(lines)?;
        if lines.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self { folder: env::current_dir()?, lines }))
    }

    /// The same, to be started in another folder.
    ///
    /// # Errors
    /// A command line is too long to be checked by a user.
    pub fn in_folder<'a>(
        folder: &Path,
        lines: impl IntoIterator<Item = &'a [String]>,
    ) -> Result<Option<Self>, NotAllowed> {
        let lines = kept(lines)?;
        Ok((!lines.is_empty()).then(|| Self { folder: folder.to_owned(), lines }))
    }

    /// The folder in which they start.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The command lines, as they are [shown](shell::shown) to the user who allows them.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.lines.iter().map(shell::shown).collect()
    }

    /// SHA-256 of the folder and of every word, with their lengths: no other programs have the same.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        add(self.folder.as_os_str().as_encoded_bytes());
        for words in &self.lines {
            add(&(words.len() as u64).to_le_bytes());
            for word in words {
                add(word.as_bytes());
            }
        }
        hex(&hash.finalize())
    }
}

/// Each command line once.
fn kept<'a>(lines: impl IntoIterator<Item = &'a [String]>) -> Result<Vec<Vec<String>>, NotAllowed> {
    let mut kept: Vec<Vec<String>> = Vec::new();
    for line in lines {
        let characters = shell::shown(line).chars().count();
        if characters > LONGEST_LINE {
            let program = line.first().map(|word| word.chars().take(40).collect()).unwrap_or_default();
            return Err(NotAllowed::TooLong { program, characters });
        }
        if !kept.iter().any(|known| known == line) {
            kept.push(line.to_vec());
        }
    }
    Ok(kept)
}

/// The programs that the user has allowed: a file with the digest of each list of programs on a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList {
    file: Option<PathBuf>,
}

impl AllowList {
    /// The list in this file, which need not exist; without a file nothing is remembered.
    #[must_use]
    pub fn at(file: Option<PathBuf>) -> Self {
        Self { file }
    }

    /// Whether the user has allowed these programs in this folder before. What cannot be read has not been allowed.
    #[must_use]
    pub fn allows(&self, programs: &Programs) -> bool {
        self.text().is_ok_and(|text| has(&text, &programs.digest()))
    }

    /// Remembers that the user allows these programs in this folder.
    ///
    /// # Errors
    /// The list cannot be read, so that it is not replaced, or cannot be written.
    pub fn allow(&self, programs: &Programs) -> Result<(), RememberError> {
        let Some(file) = &self.file else { return Ok(()) };
        let digest = programs.digest();
        let mut text = self.text().map_err(|cause| RememberError::Unreadable { file: file.clone(), cause })?;
        if has(&text, &digest) {
            return Ok(());
        }
        if let Some(folder) = file.parent() {
            // A failure is one of writing, too.
            _ = fs::create_dir_all(folder);
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text += &digest;
        text.push('\n');
        Ok(atomic::write(file, text.as_bytes())?)
    }

    /// Checks programs before a command starts them: `show` gets a line about each that was not allowed before. With `is_allowed`
    /// they are allowed now.
    ///
    /// # Errors
    /// [`NotAllowed::NotYet`]: they were not allowed before, and are not now.
    pub fn check(&self, programs: &Programs, is_allowed: bool, show: &mut dyn FnMut(String)) -> Result<(), NotAllowed> {
        if self.allows(programs) {
            return Ok(());
        }
        for line in programs.lines() {
            show(format!("program of the file: {line}"));
        }
        if !is_allowed {
            return Err(NotAllowed::NotYet);
        }
        if let Err(error) = self.allow(programs) {
            show(format!("note: not remembered: {error}"));
        }
        Ok(())
    }

    /// The list; empty if there is none yet.
    fn text(&self) -> Result<String, ReadTextError> {
        let Some(file) = &self.file else { return Ok(String::new()) };
        match read::text(file, LARGEST_BYTES) {
            Err(ReadTextError::Unreadable(cause)) if cause.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            text => text,
        }
    }
}

/// Whether a list has a digest on a line.
fn has(list: &str, digest: &str) -> bool {
    list.lines().any(|line| line.trim() == digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs(lines: &[&[&str]]) -> Programs {
        let lines: Vec<Vec<String>> =
            lines.iter().map(|words| words.iter().map(|word| (*word).to_owned()).collect()).collect();
        Programs::of(lines.iter().map(Vec::as_slice)).expect("allowed lengths").expect("programs")
    }

    #[test]
    fn nothing_is_allowed_until_the_user_has_seen_and_allowed_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = AllowList::at(Some(folder.path().join("new").join("allowed.txt")));
        let theirs = programs(&[&["sh", "-c", "touch it"], &["./mine", "--size=3"], &["sh", "-c", "touch it"]]);
        let mut shown = Vec::new();
        let refused = list.check(&theirs, false, &mut |line| shown.push(line)).expect_err("not allowed");
        assert!(matches!(refused, NotAllowed::NotYet) && refused.to_string().contains("--allow-programs"));
        assert_eq!(shown, ["program of the file: sh -c 'touch it'", "program of the file: ./mine --size=3"]);
        assert!(!list.allows(&theirs) && !folder.path().join("new").exists(), "nothing is remembered");

        list.check(&theirs, true, &mut |line| shown.push(line)).expect("allowed now");
        assert_eq!(shown.len(), 4, "shown again");
        list.check(&theirs, false, &mut |line| panic!("{line}")).expect("allowed before");
        assert!(
            AllowList::default().check(&theirs, false, &mut |_| ()).is_err(),
            "without a file nothing is remembered"
        );
    }

    #[test]
    fn any_other_word_or_folder_has_to_be_allowed_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = AllowList::at(Some(folder.path().join("allowed.txt")));
        let allowed = programs(&[&["a", "b"], &["c"]]);
        list.allow(&allowed).expect("remembered");
        list.allow(&programs(&[&["more"]])).expect("remembered");
        assert!(list.allows(&allowed) && list.allows(&programs(&[&["more"]])));
        let elsewhere = Programs { folder: folder.path().to_owned(), ..allowed.clone() };
        let others = [
            programs(&[&["a", "b"]]),
            programs(&[&["a"], &["b", "c"]]),
            programs(&[&["a", "b", "c"]]),
            programs(&[&["ab"], &["c"]]),
            programs(&[&["c"], &["a", "b"]]),
            elsewhere,
        ];
        for other in &others {
            assert!(!list.allows(other), "{other:?}");
        }
        let text = fs::read_to_string(folder.path().join("allowed.txt")).expect("the list");
        assert!(text.lines().count() == 2 && text.lines().all(|line| line.len() == 64), "{text}");
    }

    #[test]
    fn the_folder_of_programs_is_the_working_folder_or_the_one_that_is_named() {
        let line = ["a".to_owned(), "b".to_owned()];
        let here = env::current_dir().expect("a folder");
        let named = |folder: &Path| Programs::in_folder(folder, [&line[..]]).expect("short").expect("programs");
        assert_eq!(named(&here), programs(&[&["a", "b"]]));
        assert_ne!(named(&here.join("other")).digest(), named(&here).digest());
    }

    #[test]
    fn what_cannot_be_checked_is_not_started() {
        assert_eq!(Programs::of(std::iter::empty()).expect("no problem"), None);
        let long = [vec!["sh".to_owned(), "-c".to_owned(), "x".repeat(LONGEST_LINE)]];
        let refused = Programs::of(long.iter().map(Vec::as_slice)).expect_err("too long").to_string();
        assert!(refused.contains("“sh” has 2006 characters; allowed: 2000"), "{refused}");
    }

    /// What it allows already would be lost.
    #[test]
    fn a_list_that_cannot_be_read_allows_nothing_and_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("allowed.txt");
        let list = AllowList::at(Some(file.clone()));
        let mine = programs(&[&["a"]]);
        let not_text = [mine.digest().as_bytes(), b"\n\xff\n"].concat();
        let too_large = vec![b'\n'; usize::try_from(LARGEST_BYTES).expect("a size") + 1];
        for (bytes, why) in [(not_text, "not UTF-8 text"), (too_large, "larger than 2 MB")] {
            fs::write(&file, &bytes).expect("a damaged list");
            assert!(!list.allows(&mine), "{why}");
            let refused = list.allow(&mine).expect_err(why).to_string();
            assert!(
                refused.contains("allowed.txt") && refused.contains(why) && refused.contains("unchanged"),
                "{refused}"
            );
            assert!(fs::read(&file).expect("the list") == bytes, "{why}: the list was replaced");
            let mut shown = Vec::new();
            list.check(&mine, true, &mut |line| shown.push(line)).expect("the user has allowed it");
            assert!(shown.len() == 2 && shown[1].contains("not remembered: cannot read the list"), "{shown:?}");
        }
    }

    #[test]
    fn a_list_that_is_a_folder_is_said_and_the_programs_start() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = AllowList::at(Some(folder.path().to_owned()));
        let mut shown = Vec::new();
        list.check(&programs(&[&["a"]]), true, &mut |line| shown.push(line)).expect("the user has allowed it");
        assert!(shown.len() == 2 && shown[1].contains("not remembered: cannot "), "{shown:?}");
    }
}
