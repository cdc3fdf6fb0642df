//! The archive that a wheel is: a ZIP file of compressed files with their modes.
//!
//! Numbers of sections are those of PKWARE's APPNOTE.TXT 6.3.10. A crate for this format brings encryption and more formats of
//! compression, with their own dependencies; flate2 is here for the other packages.

use std::io::Write as _;

use anyhow::{Context as _, Result};
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use crate::package::tree::{File, Tree};

/// Begins a file (4.3.7).
const LOCAL: &[u8] = b"PK\x03\x04";

/// Begins its entry in the directory (4.3.12).
const CENTRAL: &[u8] = b"PK\x01\x02";

/// Begins the end of the directory (4.3.16).
const END: &[u8] = b"PK\x05\x06";

/// Version 2.0 of the format, which has deflate (4.4.3).
const VERSION: u16 = 20;

/// Modes of files are those of Unix (4.4.2).
const UNIX: u16 = 3 << 8;

/// Names are UTF-8 (4.4.4).
const UTF_8: u16 = 1 << 11;

/// Deflate (4.4.5).
const DEFLATE: u16 = 8;

/// Midnight, as MS-DOS has times (4.4.6).
const TIME: u16 = 0;

/// 1 January 1980, as MS-DOS has dates: what pip installs has the time of the installation.
const DATE: u16 = (1 << 5) | 1;

/// Type of a regular file among the bits of its mode.
const REGULAR: u32 = 0o100_000;

/// Without extensions (4.3.14), sizes and offsets have 32 bits.
const TOO_LARGE: &str = "a ZIP file holds at most 4 GB and 65,535 files";

/// Packs files. The bytes depend on the files only.
pub(super) fn pack(files: &Tree, compression: u32) -> Result<Vec<u8>> {
    let (mut archive, mut directory, mut count) = (Vec::new(), Vec::new(), 0_u16);
    for (path, file) in files.files() {
        let offset = u32::try_from(archive.len()).context(TOO_LARGE)?;
        let content = deflated(&file.content, compression)?;
        let header = header(path, file, content.len())?;

        archive.extend_from_slice(LOCAL);
        archive.extend_from_slice(&header);
        archive.extend_from_slice(path.as_bytes());
        archive.extend_from_slice(&content);

        directory.extend_from_slice(CENTRAL);
        directory.extend_from_slice(&(UNIX | VERSION).to_le_bytes());
        directory.extend_from_slice(&header);
        // No comment, the first disk, no internal attributes.
        directory.extend_from_slice(&[0; 6]);
        directory.extend_from_slice(&((REGULAR | file.mode()) << 16).to_le_bytes());
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(path.as_bytes());
        count = count.checked_add(1).context(TOO_LARGE)?;
    }
    let offset = u32::try_from(archive.len()).context(TOO_LARGE)?;
    let size = u32::try_from(directory.len()).context(TOO_LARGE)?;
    archive.append(&mut directory);
    archive.extend_from_slice(END);
    // The first disk has everything.
    archive.extend_from_slice(&[0; 4]);
    archive.extend_from_slice(&count.to_le_bytes());
    archive.extend_from_slice(&count.to_le_bytes());
    archive.extend_from_slice(&size.to_le_bytes());
    archive.extend_from_slice(&offset.to_le_bytes());
    // No comment.
    archive.extend_from_slice(&[0; 2]);
    Ok(archive)
}

/// What a file and its entry in the directory both say, up to the length of what follows the name.
fn header(path: &str, file: &File, compressed: usize) -> Result<Vec<u8>> {
    let mut crc = Crc::new();
    crc.update(&file.content);
    let size = |bytes: usize| u32::try_from(bytes).context(TOO_LARGE);
    let mut header = Vec::new();
    for number in [VERSION, UTF_8, DEFLATE, TIME, DATE] {
        header.extend_from_slice(&number.to_le_bytes());
    }
    for number in [crc.sum(), size(compressed)?, size(file.content.len())?] {
        header.extend_from_slice(&number.to_le_bytes());
    }
    for number in [u16::try_from(path.len()).context(TOO_LARGE)?, 0] {
        header.extend_from_slice(&number.to_le_bytes());
    }
    Ok(header)
}

fn deflated(content: &[u8], compression: u32) -> Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(compression));
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_the_one_that_python_writes() {
        let mut files = Tree::default();
        files.add_program("é", b"a".to_vec());
        files.add("ü", "a");
        // Written by zipfile of Python 3.11: ZipInfo("é") with external_attr = 0o100755 << 16, and ZipInfo("ü") with 0o100644 << 16,
        // both with compress_type = ZIP_DEFLATED and the content b"a".
        let expected = [
            &b"PK\x03\x04\x14\x00\x00\x08\x08\x00\x00\x00!\x00C\xbe\xb7\xe8\x03\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00"[..],
            b"\xc3\xa9K\x04\x00",
            b"PK\x03\x04\x14\x00\x00\x08\x08\x00\x00\x00!\x00C\xbe\xb7\xe8\x03\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00",
            b"\xc3\xbcK\x04\x00",
            b"PK\x01\x02\x14\x03\x14\x00\x00\x08\x08\x00\x00\x00!\x00C\xbe\xb7\xe8\x03\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00",
            b"\x00\x00\x00\x00\x00\x00\x00\x00\xed\x81\x00\x00\x00\x00\xc3\xa9",
            b"PK\x01\x02\x14\x03\x14\x00\x00\x08\x08\x00\x00\x00!\x00C\xbe\xb7\xe8\x03\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00",
            b"\x00\x00\x00\x00\x00\x00\x00\x00\xa4\x81#\x00\x00\x00\xc3\xbc",
            b"PK\x05\x06\x00\x00\x00\x00\x02\x00\x02\x00`\x00\x00\x00F\x00\x00\x00\x00\x00",
        ];
        assert_eq!(pack(&files, 6).unwrap(), expected.concat());
    }

    #[test]
    fn an_archive_is_the_same_whenever_it_is_made() {
        let mut files = Tree::default();
        files.add("folder/one", "1".repeat(100_000));
        let first = pack(&files, 9).unwrap();
        assert!(first.len() < 1_000, "{} bytes", first.len());
        assert_eq!(first, pack(&files, 9).unwrap());
    }
}
