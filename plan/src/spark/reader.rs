//! Reads the files of a log line by line.

use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::thread;

use super::codec::{self, Unreadable};
use super::events::Event;
use super::json::Malformed;
use super::lines::{LONGEST, Line, Lines};
use super::log::{Log, Refused};
use super::pipe::Pipe;
use super::source::{EXPECTED, name};
use crate::control::Control;
use crate::error::ImportError;
use crate::store::Store;

/// A file is no event log if so many lines in a row at its beginning are no events.
const STRANGE_LINES: u64 = 100;
/// Bytes that are decompressed at a time on the thread that parses them.
const BUFFER_BYTES: usize = 256 * 1024;

/// What a log may take of the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cores {
    /// Another thread decompresses what is parsed next.
    Two,
    /// The thread that asks does both: where as many logs are read at once as there are cores.
    One,
}

/// What was read of a log so far.
#[derive(Default)]
pub(super) struct Reader {
    /// What its events add up to.
    pub(super) log: Log,
    /// Lines that are no events.
    pub(super) skipped: u64,
    /// Where the first of them is.
    pub(super) first_skipped: Option<String>,
    /// Where the log is cut off.
    pub(super) cuts: Vec<String>,
    /// Lines among the skipped ones that are the open end of a cut log, which `cuts` names.
    pub(super) open: u64,
}

impl Reader {
    /// Reads one file.
    ///
    /// # Errors
    /// It cannot be read or decompressed, has no event in its first lines, begins another application, or the user
    /// cancelled.
    pub(super) fn read(
        &mut self,
        store: &dyn Store,
        path: &Path,
        cores: Cores,
        control: &Control,
    ) -> Result<(), ImportError> {
        let text = codec::open(store, path, control)?;
        if cores == Cores::One {
            return self.lines(Lines::new(BufReader::with_capacity(BUFFER_BYTES, text), LONGEST), path, control);
        }
        thread::scope(|scope| {
            let pipe =
                Pipe::start(scope, text).map_err(|source| ImportError::Read { path: path.to_owned(), source })?;
            self.lines(Lines::new(pipe, LONGEST), path, control)
        })
    }

    /// Reads all lines of one file.
    fn lines(&mut self, mut lines: Lines<impl BufRead>, path: &Path, control: &Control) -> Result<(), ImportError> {
        let mut ends_open = false;
        loop {
            control.check()?;
            let number = lines.number() + 1;
            let (event, is_open) = match lines.next() {
                Ok(None) => return Ok(()),
                Ok(Some(Line::Passed)) => continue,
                Ok(Some(Line::Whole(line) | Line::Open(line))) if line.trim_ascii().is_empty() => continue,
                Ok(Some(Line::Whole(line))) => (Event::parse(line), false),
                Ok(Some(Line::Open(line))) => (Event::parse(line), true),
                // A device without end is one long line.
                Ok(Some(Line::TooLong)) if self.log.lines == 0 => {
                    let problem =
                        format!("line {number} has more than {} MiB, and no event is before it", LONGEST >> 20);
                    return Err(ImportError::unusable(path, format!("{problem}; {EXPECTED}")));
                }
                Ok(Some(Line::TooLong)) => (Err(Malformed), false),
                Err(error) if error.kind() == ErrorKind::UnexpectedEof && !is_of_place(&error) => {
                    // The open line before has been named.
                    if !ends_open {
                        self.cuts.push(format!("{} is cut off after line {}", name(path), number - 1));
                    }
                    return Ok(());
                }
                Err(error) => return Err(damaged(path, number - 1, error)),
            };
            if let Ok(event) = event {
                self.log.add(event).map_err(|Refused(problem)| ImportError::unusable(path, problem))?;
                continue;
            }
            self.skipped += 1;
            if is_open {
                ends_open = true;
                self.open += 1;
                self.cuts.push(format!("{} is cut off in line {number}", name(path)));
            } else {
                self.first_skipped.get_or_insert_with(|| format!("line {number} of {}", name(path)));
            }
            if self.log.lines == 0 && self.skipped >= STRANGE_LINES {
                let problem = format!("none of the first {number} lines is an event; {EXPECTED}");
                return Err(ImportError::unusable(path, problem));
            }
        }
    }
}

/// Whether the place failed where the file lies, and not its content.
fn is_of_place(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(inner) if inner.is::<Unreadable>())
}

/// An error while a file is read: of the place where it lies, or of its compression.
fn damaged(path: &Path, line: u64, error: io::Error) -> ImportError {
    match error.downcast::<Unreadable>() {
        Ok(Unreadable(source)) => ImportError::Read { path: path.to_owned(), source },
        Err(error) => ImportError::unusable(path, format!("its compression is damaged after line {line}: {error}")),
    }
}
