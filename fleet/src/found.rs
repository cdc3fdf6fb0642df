//! Logs below folders, and files that are left out.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::Bound;
use std::path::{Path, PathBuf, is_separator};

use crossover_plan::spark::Source;
use flate2::CrcWriter;

/// One log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// Its path as text, unique.
    pub key: String,
    /// Its path.
    pub path: PathBuf,
    /// Its files.
    pub source: Source,
    /// Shows whether it has changed.
    pub stamp: Stamp,
    /// Whether Spark still writes it, by its name or its status file.
    pub is_in_progress: bool,
}

/// Size and times of a log, which show cheaply whether it has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stamp {
    /// Size of all its files, bytes; 0 if unknown.
    pub bytes: u64,
    /// Latest modification of a file, nanoseconds since 1970.
    pub modified_ns: u64,
    /// Check sum of names, sizes, times and tags of its files.
    pub files: u32,
}

/// A file or folder that is left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct LeftOut {
    /// Its path.
    pub path: String,
    /// The reason, as text after the path.
    pub reason: String,
}

/// Logs and other files below paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The logs, by key.
    pub logs: Vec<Log>,
    /// Everything else, by path.
    pub left_out: Vec<LeftOut>,
    /// Paths of `left_out` that cannot be listed now, in any order.
    pub unlisted: Vec<LeftOut>,
}

impl Stamp {
    pub(crate) fn of(source: &Source) -> Self {
        let mut files = CrcWriter::new(std::io::sink());
        for part in &source.parts {
            let name = part.path.file_name().unwrap_or_default().as_encoded_bytes();
            let size = part.bytes.unwrap_or(0).to_le_bytes();
            let tag = part.tag.as_deref().unwrap_or_default().as_bytes();
            for bytes in [name, &[0], &size, &part.modified_ns.to_le_bytes(), tag] {
                // A sink takes everything.
                _ = files.write_all(bytes);
            }
        }
        Self {
            bytes: source.bytes().unwrap_or(0),
            modified_ns: source.parts.iter().map(|part| part.modified_ns).max().unwrap_or(0),
            files: files.crc().sum(),
        }
    }
}

/// The entries of a map by path at or below a path.
pub(crate) fn below<'a, T>(map: &'a BTreeMap<String, T>, path: &'a str) -> impl Iterator<Item = (&'a String, &'a T)> {
    let path = path.trim_end_matches(is_separator);
    let begin_alike = map
        .range::<str, _>((Bound::Included(path), Bound::Unbounded))
        .take_while(move |(key, _)| key.starts_with(path));
    begin_alike.filter(move |(key, _)| key.len() == path.len() || key[path.len()..].starts_with(is_separator))
}

/// A path as text; bytes that are not UTF-8 as `\xFF`, so that different paths stay different.
pub(crate) fn text(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02X}"));
        }
    }
    text
}
