//! Decompression on a thread of its own, so that it goes on while lines are parsed.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};

/// Bytes of one buffer.
const BUFFER_BYTES: usize = 256 * 1024;
/// Buffers that may wait to be parsed.
const BUFFERS: usize = 8;

/// What another thread reads.
pub(super) struct Pipe {
    receiver: Receiver<io::Result<Vec<u8>>>,
    buffer: Vec<u8>,
    at: usize,
}

impl Pipe {
    /// Reads `source` on a thread of its own until it ends, fails or nobody listens any more.
    ///
    /// # Errors
    /// The system has no thread for it.
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        source: impl Read + Send + 'scope,
    ) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(BUFFERS);
        thread::Builder::new().name("decompress".to_owned()).spawn_scoped(scope, move || pump(source, &sender))?;
        Ok(Self { receiver, buffer: Vec::new(), at: 0 })
    }
}

/// Sends buffers until the end, an error, or the receiver is gone.
fn pump(mut source: impl Read, sender: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut buffer = Vec::with_capacity(BUFFER_BYTES);
        let result = (&mut source).take(BUFFER_BYTES as u64).read_to_end(&mut buffer);
        let ended = buffer.is_empty();
        if !ended && sender.send(Ok(buffer)).is_err() {
            return;
        }
        match result {
            Ok(_) if ended => return,
            Ok(_) => {}
            // Nobody listening needs no error.
            Err(error) => return sender.send(Err(error)).unwrap_or_default(),
        }
    }
}

impl BufRead for Pipe {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.buffer.len() {
            self.at = 0;
            self.buffer.clear();
            // A thread that is gone has sent everything.
            self.buffer = self.receiver.recv().unwrap_or(Ok(Vec::new()))?;
        }
        Ok(&self.buffer[self.at..])
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
    }
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}
