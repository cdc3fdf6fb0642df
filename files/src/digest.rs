//! Digests of files.

use std::fmt::Write as _;
use std::io::{self, Read as _, Write};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::read::{self, ReadTextError};

/// Bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// SHA-256 of a file of at most so many bytes, as `sha256sum` prints it: 64 hexadecimal digits.
///
/// # Errors
/// [`ReadTextError`]: it cannot be read, or is larger.
pub fn sha256(path: &Path, most_bytes: u64) -> Result<String, ReadTextError> {
    let mut file = read::open(path, most_bytes)?;
    let (mut hash, mut piece, mut all) = (Sha256::new(), vec![0; PIECE], 0);
    loop {
        let count = file.read(&mut piece)?;
        if count == 0 {
            break;
        }
        all += count as u64;
        if all > most_bytes {
            return Err(ReadTextError::TooLarge(most_bytes));
        }
        hash.update(&piece[..count]);
    }
    Ok(hex(&hash.finalize()))
}

/// SHA-256 of what is written to it.
#[derive(Debug, Default)]
pub struct DigestWriter(Sha256);

impl DigestWriter {
    /// The digest as 64 hexadecimal digits.
    #[must_use]
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

impl Write for DigestWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// SHA-256 of a text: 64 hexadecimal digits.
#[must_use]
pub fn of_text(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// Bytes as hexadecimal digits, two for each.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_that_of_the_standard() {
        // FIPS 180-2, appendix B.1: the message "abc".
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "abc").expect("written");
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(file.path(), 3).expect("a digest"), expected);
        assert_eq!(of_text("abc"), expected);
        assert!(matches!(sha256(file.path(), 2), Err(ReadTextError::TooLarge(2))));
        assert!(matches!(sha256(Path::new("/no/such/file"), 2), Err(ReadTextError::Unreadable(_))));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_without_end_has_none() {
        assert!(matches!(sha256(Path::new("/dev/zero"), 1_000_000), Err(ReadTextError::TooLarge(_))));
    }
}
