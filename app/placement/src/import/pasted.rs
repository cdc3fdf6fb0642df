//! A text that was pasted, read by the reader of files.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crossover_plan::{Import, ImportError};

/// What messages call the text.
pub(super) const NAME: &str = "pasted text";

/// Reads a text by a reader of files.
///
/// # Errors
/// The text cannot be kept in a file for the reader, or is no plan and no SQL.
pub(super) fn read(text: &str, read: impl FnOnce(&Path) -> Result<Import, ImportError>) -> Result<Import, String> {
    let file = TextFile::new(text).map_err(|error| format!("{NAME}: cannot keep it in a file: {error}"))?;
    match read(&file.0) {
        Ok(mut import) => {
            NAME.clone_into(&mut import.file);
            for query in &mut import.queries {
                NAME.clone_into(&mut query.plan.file);
            }
            Ok(import)
        }
        Err(error) => Err(error.to_string().replace(&file.0.display().to_string(), NAME)),
    }
}

/// A file that is removed when it is dropped. It has no extension: the content says what it is.
struct TextFile(PathBuf);

impl TextFile {
    fn new(text: &str) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let folder = std::env::temp_dir();
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("crossover-pasted-{}-{number}", process::id()));
            // Never a file or a link that is there already.
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    let kept = Self(path);
                    file.write_all(text.as_bytes())?;
                    return Ok(kept);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for TextFile {
    fn drop(&mut self) {
        // What is left in the folder for temporary files is removed by the system.
        _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_a_file_that_is_gone_afterwards() {
        let mut at = PathBuf::new();
        let import = read("select 1", |path| {
            path.clone_into(&mut at);
            assert_eq!(fs::read_to_string(path).expect("a file"), "select 1");
            Ok(Import { file: "a name for a moment".to_owned(), ..Import::default() })
        });
        assert_eq!(import.expect("an import").file, NAME);
        assert!(!at.exists(), "{}", at.display());
    }

    #[test]
    fn a_problem_names_the_text_and_not_the_file() {
        let problem = read("?", |path| Err(ImportError::unusable(path, "line 1: expected a statement")));
        let problem = problem.expect_err("a problem");
        assert!(problem.starts_with(NAME) && problem.contains("line 1"), "{problem}");
    }
}
