//! Opens a file of a log, whatever it is compressed with. The content decides, not the name.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::blocks::{Blocks, Frames};
use crate::control::Control;
use crate::error::ImportError;
use crate::store::Store;

/// Bytes read from the system at a time.
const READ_BYTES: usize = 256 * 1024;
/// Largest window that a zstd frame may ask for, as a power of two: 128 MB, what zstd itself allows by default.
const ZSTD_WINDOW_LOG: u32 = 27;

/// Opens a file: its content without compression. Reading it reports progress in compressed bytes.
///
/// # Errors
/// The file cannot be read, or is compressed with bzip2, xz or zip.
pub(super) fn open<'a>(
    store: &dyn Store,
    path: &Path,
    control: &'a Control,
) -> Result<Box<dyn Read + Send + 'a>, ImportError> {
    let read = |cause| ImportError::Read { path: path.to_owned(), cause };
    let file = store.open(path).map_err(read)?;
    let mut file = BufReader::with_capacity(READ_BYTES, Watched { inner: file, control });
    let start = file.fill_buf().map_err(read)?;
    if let Some(codec) = unreadable(start) {
        return Err(ImportError::unusable(path, advice(codec)));
    }
    if let Some(frames) = Frames::of(start) {
        return Ok(Box::new(Blocks::new(file, frames)));
    }
    if start.starts_with(&[0x1f, 0x8b]) {
        return Ok(Box::new(MultiGzDecoder::new(file)));
    }
    if is_zstd(start) {
        let mut decoder = zstd::Decoder::with_buffer(file).map_err(read)?;
        decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(read)?;
        return Ok(Box::new(decoder));
    }
    Ok(Box::new(file))
}

/// A frame of zstd, or one that its decoder skips.
fn is_zstd(start: &[u8]) -> bool {
    let Some(magic) = start.first_chunk().copied().map(u32::from_le_bytes) else { return false };
    magic == zstd::zstd_safe::MAGICNUMBER || magic & 0xffff_fff0 == zstd::zstd_safe::MAGIC_SKIPPABLE_START
}

/// Name of a compression that is not read.
fn unreadable(start: &[u8]) -> Option<&'static str> {
    let known: [(&[u8], &str); 4] =
        [(b"BZh", "bzip2"), (b"\xfd7zXZ\0", "xz"), (b"PK\x03\x04", "zip"), (b"7z\xbc\xaf\x27\x1c", "7-Zip")];
    known.into_iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, codec)| codec)
}

/// What to do with such a file.
fn advice(codec: &str) -> String {
    format!(
        "compressed with {codec}, which is not supported; expected plain text, gzip, zstd, lz4, snappy or lzf: decompress it \
         first"
    )
}

/// A read error of the store, as opposed to damage of the file.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) struct Unreadable(pub(super) io::Error);

/// Counts the bytes that are read.
struct Watched<'a> {
    inner: Box<dyn Read + Send>,
    control: &'a Control,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer).map_err(|error| match error.kind() {
            // The caller retries.
            ErrorKind::Interrupted => error,
            kind => io::Error::new(kind, Unreadable(error)),
        })?;
        self.control.add(count as u64);
        Ok(count)
    }
}
