//! Streamed responses as readers; a lost connection is resumed.

use std::io::{self, Read};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;

use super::network::{Connection, Failure, Tries};

/// Bytes after which a lost connection counts as the first one again.
const PROGRESS: u64 = 64 * 1024;

/// A streamed response. Nothing is fetched before it is read.
pub(super) struct Body {
    connection: Arc<Connection>,
    pieces: BoxStream<'static, Result<Bytes, Failure>>,
    piece: Bytes,
    /// Remaining bytes, if the server reported the length.
    left: Option<u64>,
}

impl Body {
    pub(super) fn new(
        connection: Arc<Connection>,
        pieces: BoxStream<'static, Result<Bytes, Failure>>,
        bytes: Option<u64>,
    ) -> Self {
        Self { connection, pieces, piece: Bytes::new(), left: bytes }
    }
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() && !buffer.is_empty() {
            match self.connection.wait(self.pieces.next())? {
                Some(piece) => self.piece = piece?,
                None => match self.left {
                    Some(left) if left > 0 => {
                        return Err(Failure::passing(format!("the response ended {left} bytes too early")).into());
                    }
                    _ => return Ok(0),
                },
            }
        }
        let count = buffer.len().min(self.piece.len());
        buffer[..count].copy_from_slice(&self.piece.split_to(count));
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(count as u64);
        }
        Ok(count)
    }
}

/// Opens a file at an offset, bytes.
pub(super) type Opener = Box<dyn FnMut(u64) -> Result<Box<dyn Read + Send>, Failure> + Send>;

/// A file that is reopened at the offset where its connection was lost.
pub(super) struct Resumed {
    connection: Arc<Connection>,
    open: Opener,
    file: Option<Box<dyn Read + Send>>,
    at: u64,
    /// Offset from which tries are counted.
    counted_from: u64,
    tries: Tries,
}

impl Resumed {
    /// Opens a file at its beginning.
    ///
    /// # Errors
    /// It cannot be opened, in as many tries as are allowed.
    pub(super) fn open(connection: Arc<Connection>, mut open: Opener) -> Result<Self, Failure> {
        let file = connection.retry(|| open(0))?;
        Ok(Self { connection, open, file: Some(file), at: 0, counted_from: 0, tries: Tries::default() })
    }

    fn lost(&mut self, failure: Failure) -> io::Result<()> {
        self.file = None;
        let at = self.at;
        let named = |failure: Failure| Failure { why: format!("{}, at byte {at}", failure.why), ..failure };
        Ok(self.connection.pause(&mut self.tries, failure).map_err(named)?)
    }
}

impl Read for Resumed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = match &mut self.file {
                Some(file) => file.read(buffer).map_err(Failure::of),
                None => (self.open)(self.at).and_then(|file| {
                    let file = self.file.insert(file);
                    file.read(buffer).map_err(Failure::of)
                }),
            };
            match read {
                Ok(count) => {
                    self.at += count as u64;
                    if self.at - self.counted_from >= PROGRESS {
                        (self.counted_from, self.tries) = (self.at, Tries::default());
                    }
                    return Ok(count);
                }
                Err(failure) => self.lost(failure)?,
            }
        }
    }
}
