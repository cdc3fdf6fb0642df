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
    /// Parsers, in turn.
    parsers: Vec<Parser>,
    turn: usize,
}

/// Where batches are parsed.
enum Parser {
    /// On a thread.
    Thread(Receiver<Parsed>),
    /// On the calling thread, if the system has no threads.
    Here(Receiver<Batch>),
}

impl Workers {
    /// Reads what is left of a text on a thread of its own, and parses it on up to so many others.
    ///
    /// # Errors
    /// The system has no thread that reads.
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        batches: Batches<impl Read + Send + 'scope>,
        parsers: usize,
    ) -> io::Result<Self> {
        let (mut texts, mut started) = (Vec::new(), Vec::new());
        for _ in 0..parsers.clamp(1, MOST_PARSERS) {
            let (text, to_parse) = sync_channel::<Batch>(WAITING);
            let (done, parsed) = sync_channel(WAITING);
            // The receiver may have stopped.
            let parse = move || to_parse.into_iter().map(Parsed::of).try_for_each(|parsed| done.send(parsed)).ok();
            if thread::Builder::new().name("parse".to_owned()).spawn_scoped(scope, parse).is_err() {
                break;
            }
            texts.push(text);
            started.push(Parser::Thread(parsed));
        }
        if started.is_empty() {
            let (text, to_parse) = sync_channel(WAITING);
            texts.push(text);
            started.push(Parser::Here(to_parse));
        }
        let read = move || deal(batches, &texts);
        thread::Builder::new().name("decompress".to_owned()).spawn_scoped(scope, read)?;
        Ok(Self { parsers: started, turn: 0 })
    }
}

/// Gives each parser a batch in turn, until the end or until the receiver stops.
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
        let parsed = match &self.parsers[self.turn] {
            Parser::Thread(parsed) => parsed.recv().ok(),
            Parser::Here(texts) => texts.recv().ok().map(Parsed::of),
        };
        self.turn = (self.turn + 1) % self.parsers.len();
        parsed
    }
}
