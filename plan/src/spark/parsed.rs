//! The events of a batch of lines.

use memchr::memchr_iter;

use super::batches::{Batch, BatchEnd};
use super::events::Event;
use super::json::Malformed;

/// The parsed lines of a batch.
pub(super) struct Parsed {
    /// Each line that is not blank: its place in the batch from 1, and its event.
    pub(super) events: Vec<(u64, Result<Event, Malformed>)>,
    /// Lines, also the blank ones and an open one.
    pub(super) lines: u64,
    /// Whether the last line lacks its end.
    pub(super) is_open: bool,
    /// What comes after them.
    pub(super) then: BatchEnd,
}

impl Parsed {
    /// Parses a batch.
    pub(super) fn of(batch: Batch) -> Self {
        let Batch { text, then } = batch;
        let mut parsed = Self { events: Vec::new(), lines: 0, is_open: false, then };
        let mut start = 0;
        for end in memchr_iter(b'\n', &text) {
            parsed.add(&text[start..end]);
            start = end + 1;
        }
        if start < text.len() {
            parsed.add(&text[start..]);
            parsed.is_open = true;
        }
        parsed
    }

    fn add(&mut self, line: &[u8]) {
        self.lines += 1;
        if !line.trim_ascii().is_empty() {
            self.events.push((self.lines, Event::parse(line)));
        }
    }
}
