//! Detects the format of a file by its content.

mod sql;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crossover_files::extension;

use self::sql::is_sql;
use crate::envelope;
use crate::error::ImportError;
use crate::foreign::{self, HEAD_BYTES, decoded};
use crate::format::Format;
use crate::spark::explain;

/// Magic bytes of compressed files; only event logs are read compressed.
const COMPRESSED: [&[u8]; 9] = [
    b"\x1F\x8B",               // gzip
    b"\x28\xB5\x2F\xFD",       // zstd
    b"\x04\x22\x4D\x18",       // LZ4 frames
    b"LZ4Block",               // Spark's LZ4
    b"\xFF\x06\x00\x00sNaPpY", // Snappy frames
    b"\x82SNAPPY\x00",         // Spark's Snappy
    b"ZV",                     // LZF
    b"BZh",                    // bzip2
    b"\xFD7zXZ\x00",           // xz
];
/// Keys that only one format has; the first one in the file decides.
const KEYS: [(&str, Format); 17] = [
    ("\"Event\"", Format::SparkLog),
    ("\"Plan\"", Format::Postgres),
    ("\"QUERY PLAN\"", Format::Postgres),
    ("\"Query Text\"", Format::Postgres),
    // In a message of the server's log as JSON; YAML; XML.
    ("\\\"Node Type\\\"", Format::Postgres),
    ("- Plan:", Format::Postgres),
    ("- Query Text:", Format::Postgres),
    ("http://www.postgresql.org/2009/explain", Format::Postgres),
    ("\"children\"", Format::DuckDb),
    ("\"operator\"", Format::DuckDb),
    ("\"operator_type\"", Format::DuckDb),
    ("\"operator_name\"", Format::DuckDb),
    ("\"query_name\"", Format::DuckDb),
    ("\"extra-info\"", Format::DuckDb),
    ("\"explain_key\"", Format::DuckDb),
    ("\"physical_plan\"", Format::DuckDb),
    ("\"analyzed_plan\"", Format::DuckDb),
];

impl Format {
    /// The format of a file or folder, by its content, or by the extension `.sql`.
    ///
    /// # Errors
    /// [`ImportError`]: it cannot be read, is empty, or is none of the formats.
    pub fn of(path: &Path) -> Result<Self, ImportError> {
        let failed = |cause| ImportError::Read { path: path.to_owned(), cause };
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Ok(Self::SparkLog);
        }
        let mut head = Vec::new();
        file.take(HEAD_BYTES).read_to_end(&mut head).map_err(failed)?;
        Self::of_beginning(path, &head).ok_or_else(|| {
            if let Some(problem) = foreign::problem(&decoded(&head)) {
                return ImportError::unusable(path, problem);
            }
            let formats: Vec<&str> = Self::ALL.into_iter().map(Self::label).collect();
            let what = if head.is_empty() { "the file is empty" } else { "its format is unknown" };
            ImportError::unusable(path, format!("{what}; expected one of: {}", formats.join(", ")))
        })
    }

    /// The same by the first bytes of a file; a few hundred are enough for files of engines. `None`: it
    /// is none of the formats.
    #[must_use]
    pub fn of_beginning(path: &Path, beginning: &[u8]) -> Option<Self> {
        let is_sql = extension::is_one_of(path, &["sql"]);
        if is_sql { Some(Self::Sql) } else { by_content(beginning) }
    }
}

fn by_content(head: &[u8]) -> Option<Format> {
    if COMPRESSED.iter().any(|magic| head.starts_with(magic)) {
        return Some(Format::SparkLog);
    }
    let text = envelope::aligned(decoded(head));
    let beginning = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}' || c == '\u{FFFD}');
    // A shell may print the statement before its plan.
    if explain::is_plan(&text) {
        return Some(Format::SparkPlan);
    }
    if !beginning.starts_with(['{', '[']) && envelope::is_text(beginning) {
        return Some(Format::Postgres);
    }
    if is_sql(beginning) {
        return Some(Format::Sql);
    }
    let places = KEYS.iter().filter_map(|(key, format)| Some((text.find(key)?, *format)));
    let format = places.min_by_key(|(place, _)| *place).map(|(_, format)| format)?;
    // Plans of other engines have some of these keys.
    (format == Format::SparkLog || foreign::problem(beginning).is_none()).then_some(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(content: &[u8]) -> Option<Format> {
        by_content(content)
    }

    #[test]
    fn content_says_what_a_file_is() {
        for (content, expected) in [
            (&br#"{"Event":"SparkListenerLogStart","Spark Version":"3.1.1"}"#[..], Format::SparkLog),
            (b"\x1F\x8B\x08\x00", Format::SparkLog),
            (b"\x28\xB5\x2F\xFD\x04", Format::SparkLog),
            (b"LZ4Block\x25", Format::SparkLog),
            (b"[\n  {\n    \"Plan\": {\n", Format::Postgres),
            (b"  QUERY PLAN\n-----\n [   +\n  {  +\n   \"Plan\": {", Format::Postgres),
            (br#"{"Query Text": "select \"Event\"", "Plan": {}}"#, Format::Postgres),
            (br#"{"latency": 0.1, "children": []}"#, Format::DuckDb),
            (br#"[["analyzed_plan", "{\"children\": []}"]]"#, Format::DuckDb),
            (b"\xFF\xFE[\0{\0\"\0P\0l\0a\0n\0\"\0:\0{\0", Format::Postgres),
            (b"With this plan:\n[{\"Plan\": {}}]", Format::Postgres),
            (b"<th>QUERY PLAN</th>\n<td>[<br />\n{&quot;Plan&quot;: {}}]</td>", Format::Postgres),
            (b" QUERY PLAN\n----\n Seq Scan on t  (cost=0.00..1.04 rows=4 width=8)\n", Format::Postgres),
            (b"\"Seq Scan on t  (cost=0.00..1.04 rows=4 width=8)\"\n", Format::Postgres),
            (b"== Physical Plan ==\n* Range (1)\n", Format::SparkPlan),
            (b"EXPLAIN SELECT 1;\n== Physical Plan ==\nScan OneRowRelation[]\n", Format::SparkPlan),
            (b"SELECT a FROM t;\n== Physical Plan ==\n*(1) ColumnarToRow\n", Format::SparkPlan),
            (
                br#"{"Event":"SparkListenerSQLExecutionStart","physicalPlanDescription":"== Physical Plan =="}"#,
                Format::SparkLog,
            ),
            (b"\n  SELECT 1", Format::Sql),
            (b"-- rows of sales: 1000\nselect 1", Format::Sql),
        ] {
            assert_eq!(of(content), Some(expected), "{}", String::from_utf8_lossy(content));
        }
    }

    #[test]
    fn other_content_is_none_of_them() {
        for content in [
            &b""[..],
            b"\x89PNG\r\n\x1A\n",
            b"id,amount\n1,2\n",
            b"{}",
            br#"{"a": 1}"#,
            b"\0\0\0",
            b"With best regards",
            // Other engines, which are named.
            br#"{"0": {"name": "Output", "descriptor": {}, "outputs": [], "children": []}}"#,
            b"Fragment 0 [SINGLE]\n    Output layout: [count]\n",
            b"-> Table scan on t  (cost=2.75 rows=5)\n",
        ] {
            assert_eq!(of(content), None, "{}", String::from_utf8_lossy(content));
        }
    }
}
