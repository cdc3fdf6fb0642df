//! Reads what the JVM's libraries compress block by block: LZ4, Snappy and LZF, in their own frames and in those of Spark.
//!
//! | beginning | frames | source |
//! |---|---|---|
//! | `LZ4Block` | magic, token, sizes and checksum of every block | `LZ4BlockOutputStream` of lz4-java |
//! | `04 22 4D 18` | LZ4 frame format 1.6 | `lz4`, Hadoop |
//! | `82 SNAPPY 00` | size of every block | `SnappyOutputStream` of snappy-java |
//! | `FF 06 00 00 sNaPpY` | Snappy framing format | `snzip`, Hadoop |
//! | `ZV` | type and sizes of every block | `LZFOutputStream` of compress-lzf |
//!
//! Check sums are not computed: damage shows in the events.

use std::io::{self, BufRead, ErrorKind, Read};

/// Most bytes of a block, compressed or not: that of lz4-java.
const MOST_BYTES: usize = 1 << 25;
/// How far back a copy may reach: the largest distance of LZ4.
const WINDOW: usize = 1 << 16;

/// How blocks stand in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frames {
    /// lz4-java's, which Spark writes.
    Lz4Block,
    /// LZ4's own; whether every block, and the whole, has a check sum behind it is said in its header.
    Lz4Frame {
        /// After each block.
        block_sums: bool,
        /// After the last block.
        whole_sum: bool,
        /// Whether the header is read.
        begun: bool,
    },
    /// snappy-java's, which Spark writes.
    SnappyJava,
    /// Snappy's own.
    Snappy,
    /// compress-lzf's, which Spark writes.
    Lzf,
}

impl Frames {
    /// Those of a file that begins so.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        let known: [(&[u8], Self); 5] = [
            (b"LZ4Block", Self::Lz4Block),
            (b"\x04\x22\x4d\x18", Self::Lz4Frame { block_sums: false, whole_sum: false, begun: false }),
            (b"\x82SNAPPY\0", Self::SnappyJava),
            (b"\xff\x06\0\0sNaPpY", Self::Snappy),
            (b"ZV", Self::Lzf),
        ];
        known.into_iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, frames)| frames)
    }
}

/// A file of blocks, without their compression.
pub(super) struct Blocks<R> {
    file: R,
    frames: Frames,
    /// What was decompressed last; copies reach back into it.
    window: Vec<u8>,
    /// How much of it was passed on.
    passed: usize,
}

impl<R: BufRead> Blocks<R> {
    /// Reads a file of these frames from its beginning.
    pub(super) fn new(file: R, frames: Frames) -> Self {
        Self { file, frames, window: Vec::new(), passed: 0 }
    }

    /// Reads one block, if there is one.
    fn block(&mut self) -> io::Result<bool> {
        self.window.drain(..self.window.len().saturating_sub(WINDOW));
        self.passed = self.window.len();
        if self.file.fill_buf()?.is_empty() {
            return Ok(false);
        }
        match self.frames {
            Frames::Lz4Block => self.lz4_block()?,
            Frames::Lz4Frame { .. } => self.lz4_frame()?,
            Frames::SnappyJava => self.snappy_java()?,
            Frames::Snappy => self.snappy()?,
            Frames::Lzf => self.lzf()?,
        }
        Ok(true)
    }

    fn lz4_block(&mut self) -> io::Result<()> {
        let [magic @ .., token] = self.bytes::<9>()?;
        if &magic != b"LZ4Block" {
            return Err(damaged("an LZ4 block does not start with “LZ4Block”"));
        }
        let (packed, size) = (size(self.little()?)?, size(self.little()?)?);
        self.little()?;
        let data = self.data(packed)?;
        match token & 0xf0 {
            0x10 => self.window.extend_from_slice(&data),
            0x20 => lz4(&data, &mut self.window, size)?,
            _ => return Err(damaged("an LZ4 block has an unknown compression method")),
        }
        Ok(())
    }

    fn lz4_frame(&mut self) -> io::Result<()> {
        let Frames::Lz4Frame { block_sums, whole_sum, begun } = self.frames else { return Ok(()) };
        if !begun {
            let [_, _, _, _, flags, _] = self.bytes::<6>()?;
            let (has_size, has_dictionary) = (flags & 0x08 != 0, flags & 0x01 != 0);
            self.data(8 * usize::from(has_size) + 4 * usize::from(has_dictionary) + 1)?;
            self.frames = Frames::Lz4Frame { block_sums: flags & 0x10 != 0, whole_sum: flags & 0x04 != 0, begun: true };
            return Ok(());
        }
        let word = self.little()?;
        if word == 0 {
            self.data(if whole_sum { 4 } else { 0 })?;
            self.frames = Frames::Lz4Frame { block_sums: false, whole_sum: false, begun: false };
            return Ok(());
        }
        let data = self.data(size(word & 0x7fff_ffff)?)?;
        if word & 0x8000_0000 == 0 {
            lz4(&data, &mut self.window, MOST_BYTES)?;
        } else {
            self.window.extend_from_slice(&data);
        }
        self.data(if block_sums { 4 } else { 0 })?;
        Ok(())
    }

    fn snappy_java(&mut self) -> io::Result<()> {
        let word = self.bytes::<4>()?;
        // A header, at the beginning and where streams are joined: eight bytes, and two versions.
        if word == *b"\x82SNA" {
            self.data(12)?;
            return Ok(());
        }
        let data = self.data(size(u32::from_be_bytes(word))?)?;
        snappy(&data, &mut self.window)
    }

    fn snappy(&mut self) -> io::Result<()> {
        let [sort, a, b, c] = self.bytes::<4>()?;
        let data = self.data(size(u32::from_le_bytes([a, b, c, 0]))?)?;
        let body = || data.get(4..).ok_or_else(|| damaged("a Snappy block has no checksum"));
        match sort {
            0 => snappy(body()?, &mut self.window),
            1 => {
                self.window.extend_from_slice(body()?);
                Ok(())
            }
            0x80..=0xff => Ok(()),
            _ => Err(damaged("a Snappy block has an unknown type")),
        }
    }

    fn lzf(&mut self) -> io::Result<()> {
        let [z, v, sort, high, low] = self.bytes::<5>()?;
        if [z, v] != *b"ZV" {
            return Err(damaged("an LZF block does not start with “ZV”"));
        }
        let packed = usize::from(u16::from_be_bytes([high, low]));
        match sort {
            0 => {
                let data = self.data(packed)?;
                self.window.extend_from_slice(&data);
                Ok(())
            }
            1 => {
                let size = usize::from(u16::from_be_bytes(self.bytes()?));
                let data = self.data(packed)?;
                lzf(&data, &mut self.window, size)
            }
            _ => Err(damaged("an LZF block has an unknown type")),
        }
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn little(&mut self) -> io::Result<u32> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn data(&mut self, size: usize) -> io::Result<Vec<u8>> {
        let mut data = vec![0; size];
        self.file.read_exact(&mut data)?;
        Ok(data)
    }
}

impl<R: BufRead> Read for Blocks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A block may be empty: the mark at the end of a stream, behind which another may begin.
        while self.passed == self.window.len() {
            if !self.block()? {
                return Ok(0);
            }
        }
        let rest = &self.window[self.passed..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.passed += count;
        Ok(count)
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.to_owned())
}

/// A size that a block may have.
fn size(bytes: u32) -> io::Result<usize> {
    let bytes = usize::try_from(bytes).ok().filter(|bytes| *bytes <= MOST_BYTES);
    bytes.ok_or_else(|| damaged("a block is larger than 32 MiB"))
}

/// The input of a decoder.
struct Input<'a> {
    data: &'a [u8],
}

impl<'a> Input<'a> {
    fn byte(&mut self) -> io::Result<u8> {
        let (first, rest) = self.data.split_first().ok_or_else(|| damaged("a block ends early"))?;
        self.data = rest;
        Ok(*first)
    }

    fn take(&mut self, count: usize) -> io::Result<&'a [u8]> {
        let (first, rest) = self.data.split_at_checked(count).ok_or_else(|| damaged("a block ends early"))?;
        self.data = rest;
        Ok(first)
    }

    /// A number of so many bytes, the lowest first.
    fn little(&mut self, bytes: usize) -> io::Result<usize> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |number, byte| (number << 8) | usize::from(*byte)))
    }
}

/// Copies what was written `distance` bytes before; source and copy may overlap.
fn copy(out: &mut Vec<u8>, distance: usize, length: usize, end: usize) -> io::Result<()> {
    let start = out.len().checked_sub(distance).filter(|_| distance > 0);
    let start = start.ok_or_else(|| damaged("a block refers to data before its start"))?;
    fits(out.len() + length, end)?;
    let mut copied = 0;
    while copied < length {
        let part = distance.min(length - copied);
        out.extend_from_within(start + copied..start + copied + part);
        copied += part;
    }
    Ok(())
}

fn fits(length: usize, end: usize) -> io::Result<()> {
    if length > end { Err(damaged("a block is larger than its stated size")) } else { Ok(()) }
}

/// LZ4's block format.
fn lz4(data: &[u8], out: &mut Vec<u8>, size: usize) -> io::Result<()> {
    let end = out.len() + size;
    let mut input = Input { data };
    let length = |input: &mut Input<'_>, short: u8| -> io::Result<usize> {
        let mut length = usize::from(short);
        if short == 15 {
            loop {
                let more = input.byte()?;
                length += usize::from(more);
                if more != 255 {
                    break;
                }
            }
        }
        Ok(length)
    };
    while !input.data.is_empty() {
        let token = input.byte()?;
        let literals = length(&mut input, token >> 4)?;
        fits(out.len() + literals, end)?;
        out.extend_from_slice(input.take(literals)?);
        if input.data.is_empty() {
            break;
        }
        let distance = input.little(2)?;
        let matched = length(&mut input, token & 15)? + 4;
        copy(out, distance, matched, end)?;
    }
    Ok(())
}

/// Snappy's block format.
fn snappy(data: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    let mut input = Input { data };
    let (mut size, mut shift) = (0_usize, 0);
    loop {
        let byte = input.byte()?;
        size |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            break;
        }
        if shift > 28 {
            return Err(damaged("a Snappy block has no size"));
        }
    }
    fits(size, MOST_BYTES)?;
    let end = out.len() + size;
    while !input.data.is_empty() {
        let tag = input.byte()?;
        let high = usize::from(tag >> 2);
        match tag & 3 {
            0 => {
                let length = if high < 60 { high + 1 } else { input.little(high - 59)? + 1 };
                fits(out.len() + length, end)?;
                out.extend_from_slice(input.take(length)?);
            }
            1 => {
                let distance = (usize::from(tag >> 5) << 8) | input.little(1)?;
                copy(out, distance, 4 + (high & 7), end)?;
            }
            2 => {
                let distance = input.little(2)?;
                copy(out, distance, high + 1, end)?;
            }
            _ => {
                let distance = input.little(4)?;
                copy(out, distance, high + 1, end)?;
            }
        }
    }
    Ok(())
}

/// LZF's block format.
fn lzf(data: &[u8], out: &mut Vec<u8>, size: usize) -> io::Result<()> {
    let end = out.len() + size;
    let mut input = Input { data };
    while !input.data.is_empty() {
        let control = usize::from(input.byte()?);
        if control < 32 {
            fits(out.len() + control + 1, end)?;
            out.extend_from_slice(input.take(control + 1)?);
            continue;
        }
        let mut length = control >> 5;
        if length == 7 {
            length += input.little(1)?;
        }
        let distance = (((control & 31) << 8) | input.little(1)?) + 1;
        copy(out, distance, length + 2, end)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "abcabcabcd": three literals, a copy of six bytes from three before, a literal.
    const TEXT: &[u8] = b"abcabcabcd";

    #[track_caller]
    fn read(file: &[u8]) -> Vec<u8> {
        let frames = Frames::of(file).expect("known frames");
        let mut text = Vec::new();
        Blocks::new(file, frames).read_to_end(&mut text).expect("a readable file");
        text
    }

    /// LZ4's block format: token (3 literals, match of 2 + 4), literals, distance 3; token (1 literal), literal.
    const LZ4: &[u8] = b"\x32abc\x03\x00\x10d";
    /// Snappy's: size 10; literal of 3; copy of 6 by one byte: (6 - 4) << 2 | 1, distance 3; literal of 1.
    const SNAPPY: &[u8] = b"\x0a\x08abc\x09\x03\x00d";
    /// LZF's: run of 3; copy of 6 = (6 - 2) << 5, distance 3 - 1; run of 1.
    const LZF: &[u8] = b"\x02abc\x80\x02\x00d";

    #[test]
    fn every_frame_gives_its_text() {
        let block = |token: u8, packed: &[u8], size: u32| {
            let lengths = [u32::try_from(packed.len()).expect("small"), size, 0];
            [&b"LZ4Block"[..], &[token], &lengths.map(u32::to_le_bytes).concat(), packed].concat()
        };
        // Two streams, one behind the mark at the end of the other.
        let lz4_java = [block(0x26, LZ4, 10), block(0x16, b"", 0), block(0x16, TEXT, 10)].concat();
        assert_eq!(read(&lz4_java), [TEXT, TEXT].concat());
        // Version 1, independent blocks; blocks of up to 64 KiB; header check sum; two blocks, one not compressed; the end.
        let frame = [
            &b"\x04\x22\x4d\x18\x60\x40\x82"[..],
            &8_u32.to_le_bytes(),
            LZ4,
            &0x8000_000a_u32.to_le_bytes(),
            TEXT,
            &[0; 4],
        ]
        .concat();
        assert_eq!(read(&frame), [TEXT, TEXT].concat());
        let java = [&b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01"[..], &9_u32.to_be_bytes(), SNAPPY].concat();
        assert_eq!(read(&java), TEXT);
        let snappy = [&b"\xff\x06\0\0sNaPpY\0\x0d\0\0"[..], &[0; 4], SNAPPY, b"\x01\x0e\0\0", &[0; 4], TEXT].concat();
        assert_eq!(read(&snappy), [TEXT, TEXT].concat());
        let lzf = [&b"ZV\x01\0\x08\0\x0a"[..], LZF, b"ZV\0\0\x0a", TEXT].concat();
        assert_eq!(read(&lzf), [TEXT, TEXT].concat());
    }

    #[test]
    fn files_that_end_early_or_are_damaged_say_so() {
        let end = |file: &[u8]| {
            let frames = Frames::of(file).expect("known frames");
            Blocks::new(file, frames).read_to_end(&mut Vec::new()).expect_err("an error").kind()
        };
        assert_eq!(end(b"LZ4Block\x26\x08\0"), ErrorKind::UnexpectedEof);
        assert_eq!(end(b"ZV\x01\0\x08\0\x0a\x02a"), ErrorKind::UnexpectedEof);
        // A copy from before the beginning, a larger text than stated, a size without bounds.
        assert_eq!(end(b"ZV\x01\0\x02\0\x0a\x80\x02"), ErrorKind::InvalidData);
        assert_eq!(end(b"ZV\x01\0\x04\0\x01\x02abc"), ErrorKind::InvalidData);
        assert_eq!(end(b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01\xff\xff\xff\xff"), ErrorKind::InvalidData);
    }
}
