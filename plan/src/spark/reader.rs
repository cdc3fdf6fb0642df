//! Reads the files of a log batch by batch.

use std::io::{self, ErrorKind};
use std::num::NonZero;
use std::path::Path;
use std::thread;

use super::batches::{BatchEnd, Batches, LONGEST};
use super::codec::{self, Unreadable};
use super::json::Malformed;
use super::log::{Log, Unusable};
use super::parsed::Parsed;
use super::source::{EXPECTED, name};
use super::workers::Workers;
use crate::control::Control;
use crate::error::ImportError;
use crate::store::Store;

/// A file is not an event log if its first lines, this many, are not events.
const STRANGE_LINES: u64 = 100;
/// Batches that are read before threads start: enough for a small log.
const ALONE: usize = 2;

/// Cores for reading a log. With one, the calling thread does everything; with more, as many threads parse, another one
/// decompresses, and the calling thread sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cores(pub usize);

impl Cores {
    /// All of the machine.
    #[must_use]
    pub fn all() -> Self {
        Self(thread::available_parallelism().map_or(1, NonZero::get))
    }
}

/// State of reading a log.
#[derive(Default)]
pub(super) struct Reader {
    /// Sums of its events.
    pub(super) log: Log,
    /// Lines that are not events.
    pub(super) skipped: u64,
    /// Position of the first of them.
    pub(super) first_skipped: Option<String>,
    /// Positions where the log is truncated.
    pub(super) truncations: Vec<String>,
    /// Lines among the skipped ones that are the open end of a truncated log, which `truncations` names.
    pub(super) open: u64,
    /// Whether a compressed file ends early.
    pub(super) ends_early: bool,
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
        let mut batches = Batches::new(codec::open(store, path, control)?);
        let mut part = Part { reader: self, path, control, lines: 0 };
        if cores.0 <= 1 {
            return part.add_all(batches.map(Parsed::of)).map(|_| ());
        }
        if part.add_all(batches.by_ref().take(ALONE).map(Parsed::of))? == Rest::End {
            return Ok(());
        }
        thread::scope(|scope| {
            let read = |cause| ImportError::Read { path: path.to_owned(), cause };
            part.add_all(Workers::start(scope, batches, cores.0).map_err(read)?).map(|_| ())
        })
    }
}

/// One file while it is read.
struct Part<'a> {
    reader: &'a mut Reader,
    path: &'a Path,
    control: &'a Control,
    /// Lines so far.
    lines: u64,
}

/// The rest of a file: more, or none.
#[derive(PartialEq, Eq)]
enum Rest {
    More,
    End,
}

impl Part<'_> {
    /// Adds batches until they or the file end.
    fn add_all(&mut self, batches: impl Iterator<Item = Parsed>) -> Result<Rest, ImportError> {
        for batch in batches {
            self.control.check()?;
            if self.add(batch)? == Rest::End {
                return Ok(Rest::End);
            }
        }
        Ok(Rest::More)
    }

    fn add(&mut self, batch: Parsed) -> Result<Rest, ImportError> {
        let Parsed { events, lines, is_open, then } = batch;
        let open_before = self.reader.open;
        for (place, event) in events {
            match event {
                Ok(event) => self.reader.log.add(event).map_err(|Unusable(problem)| self.unusable(problem))?,
                Err(Malformed) => self.skip(self.lines + place, is_open && place == lines)?,
            }
        }
        self.lines += lines;
        match then {
            BatchEnd::More => Ok(Rest::More),
            // A device without end is one long line.
            BatchEnd::TooLong if self.reader.log.lines == 0 => {
                let (line, most) = (self.lines + 1, LONGEST >> 20);
                let problem = format!("line {line} has more than {most} MiB, without an event before it");
                Err(self.unusable(format!("{problem}; {EXPECTED}")))
            }
            BatchEnd::TooLong => {
                self.lines += 1;
                self.skip(self.lines, false).map(|()| Rest::More)
            }
            BatchEnd::End(Ok(())) => Ok(Rest::End),
            BatchEnd::End(Err(error)) if error.kind() == ErrorKind::UnexpectedEof && !is_of_place(&error) => {
                self.reader.ends_early = true;
                // An open line has been named.
                if self.reader.open == open_before {
                    self.reader.truncations.push(format!("{} is truncated after line {}", name(self.path), self.lines));
                }
                Ok(Rest::End)
            }
            BatchEnd::End(Err(error)) => Err(damaged(self.path, self.lines, error)),
        }
    }

    /// Leaves out a line that is not an event.
    fn skip(&mut self, line: u64, is_open: bool) -> Result<(), ImportError> {
        let (reader, name) = (&mut *self.reader, name(self.path));
        reader.skipped += 1;
        if is_open {
            reader.open += 1;
            reader.truncations.push(format!("{name} is truncated in line {line}"));
        } else {
            reader.first_skipped.get_or_insert_with(|| format!("line {line} of {name}"));
        }
        if reader.log.lines == 0 && reader.skipped >= STRANGE_LINES {
            let problem = format!("none of the first {line} lines is an event; {EXPECTED}");
            return Err(self.unusable(problem));
        }
        Ok(())
    }

    fn unusable(&self, problem: String) -> ImportError {
        ImportError::unusable(self.path, problem)
    }
}

/// Whether the store failed, and not the file's content.
fn is_of_place(error: &io::Error) -> bool {
    matches!(error.get_ref(), Some(inner) if inner.is::<Unreadable>())
}

/// An error while a file is read: of the store, or of its compression.
fn damaged(path: &Path, line: u64, error: io::Error) -> ImportError {
    match error.downcast::<Unreadable>() {
        Ok(Unreadable(cause)) => ImportError::Read { path: path.to_owned(), cause },
        Err(error) => ImportError::unusable(path, format!("its compression is damaged after line {line}: {error}")),
    }
}
