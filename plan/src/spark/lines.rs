//! Lines of a text of any size in bounded memory.

use std::io::{self, BufRead, Read as _};

/// Longest line that is held, bytes. The longest of a real log are plans, of a few megabytes.
pub(super) const LONGEST: u64 = 64 * 1024 * 1024;
/// A buffer that one long line has made larger than this is given back.
const USUAL: usize = 1024 * 1024;

/// Lines of a text.
pub(super) struct Lines<R> {
    text: R,
    longest: u64,
    line: Vec<u8>,
    number: u64,
    /// Inside a line that is too long.
    passing: bool,
    /// An error after the text that was read before it.
    failure: Option<io::Error>,
}

/// A piece of the text.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// A line without its end.
    Whole(&'a [u8]),
    /// The last line, which has no end.
    Open(&'a [u8]),
    /// The beginning of a line that is too long to be held.
    TooLong,
    /// More of that line was passed.
    Passed,
}

impl<R: BufRead> Lines<R> {
    /// Lines of `text` up to `longest` bytes.
    pub(super) fn new(text: R, longest: u64) -> Self {
        Self { text, longest, line: Vec::new(), number: 0, passing: false, failure: None }
    }

    /// Number of the last line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next piece, or `None` at the end. Takes no longer than reading one line that can be held.
    ///
    /// # Errors
    /// The text cannot be read any further; what came before has been given as a last open line.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        if self.passing {
            let buffer = self.text.fill_buf()?;
            let end = buffer.iter().position(|byte| *byte == b'\n');
            self.passing = end.is_none() && !buffer.is_empty();
            let count = end.map_or(buffer.len(), |end| end + 1);
            self.text.consume(count);
            return Ok(Some(Line::Passed));
        }
        if self.line.capacity() > USUAL {
            self.line = Vec::new();
        }
        self.line.clear();
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        // One byte more than the longest line: its end, or the proof that it is too long.
        if let Err(failure) = (&mut self.text).take(self.longest + 1).read_until(b'\n', &mut self.line) {
            self.failure = Some(failure);
        }
        if self.line.is_empty() {
            return self.failure.take().map_or(Ok(None), Err);
        }
        self.number += 1;
        if self.line.ends_with(b"\n") {
            self.line.pop();
            return Ok(Some(Line::Whole(&self.line)));
        }
        self.passing = self.line.len() as u64 > self.longest;
        Ok(Some(if self.passing { Line::TooLong } else { Line::Open(&self.line) }))
    }
}
