//! Reads a ZIP archive as a stream.
//!
//! A History Server writes sizes and checksums after the content (APPNOTE.TXT of PKWARE, 4.3.9), so sizes are unknown before
//! the content was read, and completeness only at the end.

use std::io::{self, BufRead, Read, Take};

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use super::network::Failure;

/// Beginning of a file, of its sizes behind it, of the directory, and of the end. 4.3.7, 4.3.9, 4.3.12, 4.3.16.
const FILE: [u8; 4] = *b"PK\x03\x04";
const SIZES: [u8; 4] = *b"PK\x07\x08";
const DIRECTORY: [u8; 4] = *b"PK\x01\x02";
const END: [u8; 4] = *b"PK\x05\x06";
/// Bytes of the end of an archive without a comment. 4.3.16.
const END_BYTES: usize = 22;
/// Longest name of a file.
const LONGEST_NAME: u16 = 4096;

/// An archive that is read file by file.
pub(super) struct Archive<R> {
    at: Position<R>,
    header: Header,
    crc: Crc,
}

/// Position in an archive.
enum Position<R> {
    Between(R),
    Deflated(DeflateDecoder<R>),
    Stored(Take<R>),
    /// All of it was read.
    Over,
    /// Something failed before.
    Lost,
}

/// The header of a file. 4.3.7.
#[derive(Default)]
struct Header {
    /// Checksum, compressed size and size; `None`: they follow the file.
    sizes: Option<(u32, u64, u64)>,
}

impl<R: BufRead> Archive<R> {
    pub(super) fn new(input: R) -> Self {
        Self { at: Position::Between(input), header: Header::default(), crc: Crc::new() }
    }

    /// Moves to the next file or folder and returns its name; `None` at the end of a complete archive.
    ///
    /// # Errors
    /// It cannot be read, or is not an archive.
    pub(super) fn next(&mut self) -> io::Result<Option<String>> {
        if !matches!(self.at, Position::Between(_)) {
            io::copy(self, &mut io::sink())?;
        }
        if matches!(self.at, Position::Over) {
            return Ok(None);
        }
        let Position::Between(mut input) = std::mem::replace(&mut self.at, Position::Lost) else {
            return Err(Failure::lasting("the archive failed earlier").into());
        };
        match array(&mut input)? {
            FILE => {}
            signature @ (DIRECTORY | END) => {
                let end = last_bytes(&signature, input)?;
                if !end.starts_with(&END) {
                    return Err(cut());
                }
                self.at = Position::Over;
                return Ok(None);
            }
            _ => return Err(Failure::lasting("the response is not an archive of logs").into()),
        }
        let fields: [u8; 26] = array(&mut input)?;
        let number = |at: usize| u16::from_le_bytes([fields[at], fields[at + 1]]);
        let long = |at: usize| u32::from_le_bytes([fields[at], fields[at + 1], fields[at + 2], fields[at + 3]]);
        let (flags, method, name_bytes, extra_bytes) = (number(2), number(4), number(22), number(24));
        let (crc, packed, size) = (long(10), long(14), long(18));
        if name_bytes > LONGEST_NAME {
            return Err(Failure::lasting("a name in the archive of logs is too long").into());
        }
        let mut name = vec![0; name_bytes.into()];
        exactly(&mut input, &mut name)?;
        exactly(&mut input, &mut vec![0; extra_bytes.into()])?;
        // Bit 3: sizes follow the file. 4.4.4.
        let sizes = (flags & 8 == 0).then_some((crc, u64::from(packed), u64::from(size)));
        (self.header, self.crc) = (Header { sizes }, Crc::new());
        self.at = match (method, sizes) {
            _ if flags & 1 != 0 => return Err(Failure::lasting("the archive of logs is encrypted").into()),
            (8, _) => Position::Deflated(DeflateDecoder::new(input)),
            (0, Some((_, packed, _))) if packed < u64::from(u32::MAX) => Position::Stored(input.take(packed)),
            _ => {
                return Err(Failure::lasting(format!(
                    "the archive of logs uses compression method {method}, which is not supported"
                ))
                .into());
            }
        };
        Ok(Some(String::from_utf8_lossy(&name).into_owned()))
    }

    /// Checks the size and checksum of a file.
    fn close(&mut self) -> io::Result<()> {
        let (mut input, packed, size) = match std::mem::replace(&mut self.at, Position::Lost) {
            Position::Deflated(decoder) => {
                let (packed, size) = (decoder.total_in(), decoder.total_out());
                (decoder.into_inner(), packed, size)
            }
            Position::Stored(input) => {
                let size = self.header.sizes.map_or(0, |(_, packed, _)| packed - input.limit());
                (input.into_inner(), size, size)
            }
            other => {
                self.at = other;
                return Ok(());
            }
        };
        let (crc, expected_packed, expected_size) = if let Some(sizes) = self.header.sizes {
            sizes
        } else {
            let first: [u8; 4] = array(&mut input)?;
            let crc = u32::from_le_bytes(if first == SIZES { array(&mut input)? } else { first });
            // Java writes 8 bytes where a size needs them (`java.util.zip.ZipOutputStream.writeEXT`).
            if packed.max(size) >= u64::from(u32::MAX) {
                (crc, u64::from_le_bytes(array(&mut input)?), u64::from_le_bytes(array(&mut input)?))
            } else {
                (crc, u32::from_le_bytes(array(&mut input)?).into(), u32::from_le_bytes(array(&mut input)?).into())
            }
        };
        if (crc, expected_packed, expected_size) != (self.crc.sum(), packed, size) {
            return Err(Failure::passing("the archive of logs is damaged").into());
        }
        self.at = Position::Between(input);
        Ok(())
    }
}

impl<R: BufRead> Read for Archive<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.at {
            Position::Between(_) | Position::Over => return Ok(0),
            Position::Deflated(decoder) => decoder.read(buffer),
            Position::Stored(input) => input.read(buffer),
            Position::Lost => return Err(Failure::lasting("the archive failed earlier").into()),
        };
        let count = read.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                Failure::passing("the archive of logs is damaged").into()
            }
            _ => error,
        })?;
        if count == 0 && !buffer.is_empty() {
            self.close()?;
        }
        self.crc.update(&buffer[..count]);
        Ok(count)
    }
}

/// The next bytes.
fn array<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    exactly(input, &mut bytes)?;
    Ok(bytes)
}

fn exactly(input: &mut impl Read, bytes: &mut [u8]) -> io::Result<()> {
    input.read_exact(bytes).map_err(|error| if error.kind() == io::ErrorKind::UnexpectedEof { cut() } else { error })
}

fn cut() -> io::Error {
    Failure::passing("the archive of logs was cut off").into()
}

/// The last bytes of `start` and the rest of the input.
fn last_bytes(start: &[u8], mut input: impl Read) -> io::Result<Vec<u8>> {
    let (mut last, mut piece) = (start.to_vec(), vec![0; 8 * 1024]);
    loop {
        let count = input.read(&mut piece)?;
        if count == 0 {
            return Ok(last);
        }
        last.extend_from_slice(&piece[..count]);
        last.drain(..last.len().saturating_sub(END_BYTES));
    }
}
