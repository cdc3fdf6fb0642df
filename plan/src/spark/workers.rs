//! Batches read and parsed on threads of their own, and given in their order.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};

use super::batches::{Batch, Batches};
use super::parsed::Parsed;

/// Batches that may wait before each parser, and behind it.
const WAITING: usize = 1;
/// So many parse as fast as one thread decompresses.
const MOST_PARSERS: usize = 4;

/// Parsed batches in their order. Threads end when the text ends or this is dropped.
pub(super) struct Workers {
    /// Of each parser; they take turns.
    parsed: Vec<Receiver<Parsed>>,
    turn: usize,
}

impl Workers {
    /// Reads and parses what is left of a text on threads of their own.
    ///
    /// # Errors
    /// The system has no threads for it.
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        batches: Batches<impl Read + Send + 'scope>,
    ) -> io::Result<Self> {
        let parsers = thread::available_parallelism()?.get().min(MOST_PARSERS);
        let (mut texts, mut parsed) = (Vec::new(), Vec::new());
        for _ in 0..parsers {
            let (text, to_parse) = sync_channel::<Batch>(WAITING);
            let (done, to_add) = sync_channel(WAITING);
            // Whoever adds may have given up.
            let parse = move || to_parse.into_iter().map(Parsed::of).try_for_each(|parsed| done.send(parsed)).ok();
            thread::Builder::new().name("parse".to_owned()).spawn_scoped(scope, parse)?;
            texts.push(text);
            parsed.push(to_add);
        }
        let read = move || deal(batches, &texts);
        thread::Builder::new().name("decompress".to_owned()).spawn_scoped(scope, read)?;
        Ok(Self { parsed, turn: 0 })
    }
}

/// Gives each parser a batch in turn, until the end or until nobody listens.
fn deal(batches: Batches<impl Read>, parsers: &[SyncSender<Batch>]) {
    for (batch, parser) in batches.zip(parsers.iter().cycle()) {
        if parser.send(batch).is_err() {
            return;
        }
    }
}

impl Iterator for Workers {
    type Item = Parsed;

    fn next(&mut self) -> Option<Parsed> {
        // The last batch has been given when the parser whose turn it is has gone.
        let parsed = self.parsed[self.turn].recv().ok();
        self.turn = (self.turn + 1) % self.parsed.len();
        parsed
    }
}
