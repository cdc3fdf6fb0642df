//! Reads a ZIP archive from its beginning to its end, as it comes over a network.
//!
//! A History Server writes sizes and check sums behind the content (APPNOTE.TXT of PKWARE, 4.3.9), so nothing of an
//! archive can be known before it was read, and that it is whole only at its end.

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

/// An archive, of which one file after the other is read.
pub(super) struct Archive<R> {
    at: At<R>,
    header: Header,
    crc: Crc,
}

/// Where in an archive it is.
enum At<R> {
    Between(R),
    Deflated(DeflateDecoder<R>),
    Stored(Take<R>),
    /// All of it was read.
    Over,
    /// Something failed before.
    Lost,
}

/// What stands before a file. 4.3.7.
#[derive(Default)]
struct Header {
    /// Check sum, size in the archive and size; `None`: they stand behind the file.
    sizes: Option<(u32, u64, u64)>,
}

impl<R: BufRead> Archive<R> {
    pub(super) fn new(input: R) -> Self {
        Self { at: At::Between(input), header: Header::default(), crc: Crc::new() }
    }

    /// Goes on to the next file or folder and gives its name; `None` at the end of a whole archive.
    ///
    /// # Errors
    /// It cannot be read, or is no archive.
    pub(super) fn next(&mut self) -> io::Result<Option<String>> {
        if !matches!(self.at, At::Between(_)) {
            io::copy(self, &mut io::sink())?;
        }
        if matches!(self.at, At::Over) {
            return Ok(None);
        }
        let At::Between(mut input) = std::mem::replace(&mut self.at, At::Lost) else {
            return Err(Failure::lasting("the archive failed before").into());
        };
        match array(&mut input)? {
            FILE => {}
            signature @ (DIRECTORY | END) => {
                let end = last_bytes(&signature, input)?;
                if !end.starts_with(&END) {
                    return Err(cut());
                }
                self.at = At::Over;
                return Ok(None);
            }
            _ => return Err(Failure::lasting("the answer is no archive of logs").into()),
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
        // Bit 3: sizes stand behind the file. 4.4.4.
        let sizes = (flags & 8 == 0).then_some((crc, u64::from(packed), u64::from(size)));
        (self.header, self.crc) = (Header { sizes }, Crc::new());
        self.at = match (method, sizes) {
            _ if flags & 1 != 0 => return Err(Failure::lasting("the archive of logs is encrypted").into()),
            (8, _) => At::Deflated(DeflateDecoder::new(input)),
            (0, Some((_, packed, _))) if packed < u64::from(u32::MAX) => At::Stored(input.take(packed)),
            _ => {
                return Err(Failure::lasting(format!(
                    "the archive of logs is packed in a way (method {method}) that is not read"
                ))
                .into());
            }
        };
        Ok(Some(String::from_utf8_lossy(&name).into_owned()))
    }

    /// Compares what was read of a file with what the archive says of it.
    fn close(&mut self) -> io::Result<()> {
        let (mut input, packed, size) = match std::mem::replace(&mut self.at, At::Lost) {
            At::Deflated(decoder) => {
                let (packed, size) = (decoder.total_in(), decoder.total_out());
                (decoder.into_inner(), packed, size)
            }
            At::Stored(input) => {
                let size = self.header.sizes.map_or(0, |(_, packed, _)| packed - input.limit());
                (input.into_inner(), size, size)
            }
            other => {
                self.at = other;
                return Ok(());
            }
        };
        let (crc, told_packed, told_size) = if let Some(sizes) = self.header.sizes {
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
        if (crc, told_packed, told_size) != (self.crc.sum(), packed, size) {
            return Err(Failure::passing("the archive of logs came damaged").into());
        }
        self.at = At::Between(input);
        Ok(())
    }
}

impl<R: BufRead> Read for Archive<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.at {
            At::Between(_) | At::Over => return Ok(0),
            At::Deflated(decoder) => decoder.read(buffer),
            At::Stored(input) => input.read(buffer),
            At::Lost => return Err(Failure::lasting("the archive failed before").into()),
        };
        let count = read.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                Failure::passing("the archive of logs came damaged").into()
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

/// The last bytes of what begins with `start`.
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
