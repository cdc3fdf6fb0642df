//! Reads files up to a size. A file that is larger by its own account is refused before it is read, so that it does not fill the
//! memory first; all others are counted while they are read, as a device has no end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use thiserror::Error;

/// Why a text cannot be read: the reason of “cannot read FILE: REASON”.
#[derive(Debug, Error)]
pub enum ReadTextError {
    /// It cannot be opened or read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// It has more bytes than a file of its sort.
    #[error("larger than {} MB", .0.div_ceil(1_000_000))]
    TooLarge(u64),
    /// It is no text.
    #[error("not UTF-8 text")]
    NotText,
}

/// The text of a file of at most so many bytes, without the mark that some editors put first.
///
/// # Errors
/// [`ReadTextError`]: it cannot be read, is larger, or is no text.
pub fn text(path: &Path, most_bytes: u64) -> Result<String, ReadTextError> {
    text_of(open(path, most_bytes)?, most_bytes)
}

/// The bytes of a file of at most so many.
///
/// # Errors
/// [`ReadTextError`]: it cannot be read, or is larger.
pub fn bytes(path: &Path, most_bytes: u64) -> Result<Vec<u8>, ReadTextError> {
    bytes_of(open(path, most_bytes)?, most_bytes)
}

/// Opens a file of at most so many bytes.
///
/// # Errors
/// [`ReadTextError`]: it cannot be opened, or is larger.
pub fn open(path: &Path, most_bytes: u64) -> Result<File, ReadTextError> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() > most_bytes {
        return Err(ReadTextError::TooLarge(most_bytes));
    }
    Ok(file)
}

/// As [`text`], of anything that is read.
///
/// # Errors
/// [`ReadTextError`]: it cannot be read, is larger, or is no text.
pub fn text_of(source: impl Read, most_bytes: u64) -> Result<String, ReadTextError> {
    let text = String::from_utf8(bytes_of(source, most_bytes)?).map_err(|_| ReadTextError::NotText)?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// As [`text_of`], of bytes of any sort.
///
/// # Errors
/// [`ReadTextError`]: they cannot be read, or are more.
pub fn bytes_of(source: impl Read, most_bytes: u64) -> Result<Vec<u8>, ReadTextError> {
    let mut bytes = Vec::new();
    source.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes { Err(ReadTextError::TooLarge(most_bytes)) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_refused_after_its_limit() {
        assert!(matches!(text_of(io::repeat(b'a'), 1000), Err(ReadTextError::TooLarge(1000))));
        assert_eq!(text_of(&b"abc"[..], 3).expect("within the limit"), "abc");
        assert!(matches!(text_of(&b"abcd"[..], 3), Err(ReadTextError::TooLarge(3))));
        assert_eq!(ReadTextError::TooLarge(2_500_000).to_string(), "larger than 3 MB");
    }

    #[test]
    fn what_is_no_text_is_said_to_be_none_and_the_mark_of_editors_is_left_out() {
        assert!(matches!(text_of(&b"\xff\xfe"[..], 9), Err(ReadTextError::NotText)));
        assert_eq!(text_of(&b"\xef\xbb\xbfname"[..], 9).expect("a text"), "name");
        assert!(matches!(text(Path::new("/no/such/file"), 9), Err(ReadTextError::Unreadable(_))));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_without_end_and_a_file_with_holes_are_refused_at_once() {
        assert!(matches!(text(Path::new("/dev/zero"), 1_000_000), Err(ReadTextError::TooLarge(_))));
        let file = tempfile::NamedTempFile::new().expect("a file");
        file.as_file().set_len(8_000_000_000).expect("holes take no space");
        assert!(matches!(text(file.path(), 1_000_000), Err(ReadTextError::TooLarge(_))));
        // Of these two a machine would read more than it has: they are refused by their size.
        assert!(matches!(text(file.path(), 7_999_999_999), Err(ReadTextError::TooLarge(_))));
        assert!(matches!(bytes(file.path(), 7_999_999_999), Err(ReadTextError::TooLarge(_))));
    }
}
