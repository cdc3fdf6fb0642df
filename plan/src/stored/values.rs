//! What the row groups of a column say of its values: how many different ones there are, and how long its texts are.

use std::fs::File;
use std::io;

use parquet::basic::{ConvertedType, Encoding, Type};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;

use super::dictionary::Dictionary;

/// Rows per value of a row group that has the values of its table: of values in any order, 1 − e^(−5) = 99.3 % are then in it.
const ROWS_PER_VALUE: f64 = 5.0;
/// Bytes of the length of a text, before it (Parquet's encoding PLAIN).
const LENGTH: f64 = 4.0;
/// Spark's rows have texts in whole words of so many bytes (`UnsafeRow`).
const WORD: f64 = 8.0;
/// Bytes that this adds to texts of any length: the mean of 0 to 7.
const PADDING: f64 = 3.5;

/// What the row groups of a column say, while they are read.
#[derive(Debug)]
pub(super) struct Values {
    /// Most different values in a row group; `None` if the dictionary of one does not have them all.
    most: Option<f64>,
    /// Least number of rows for each of them in a row group.
    rows_per_value: f64,
    /// Texts, and their bytes in Spark's rows.
    texts: f64,
    text_bytes: f64,
}

impl Default for Values {
    fn default() -> Self {
        Self { most: Some(0.0), rows_per_value: f64::INFINITY, texts: 0.0, text_bytes: 0.0 }
    }
}

impl Values {
    /// Adds a row group of the column. `dictionary`: where its dictionary begins in the file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn add(&mut self, file: &File, column: &ColumnChunkMetaData, dictionary: Option<u64>) -> io::Result<()> {
        let nulls = column.statistics().and_then(Statistics::null_count_opt).unwrap_or(0);
        let count = column.num_values() as f64 - nulls as f64;
        if count <= 0.0 {
            return Ok(());
        }
        let dictionary = match dictionary {
            Some(start) => Dictionary::at(file, start)?,
            None => None,
        };
        let all = dictionary.filter(|_| is_in_dictionary(column)).map(|dictionary| dictionary.values);
        self.most = self.most.zip(all).map(|(most, values)| most.max(values));
        self.rows_per_value = self.rows_per_value.min(all.map_or(0.0, |values| count / values));
        let is_text = matches!(column.column_type(), Type::BYTE_ARRAY)
            && matches!(column.column_descr().converted_type(), ConvertedType::UTF8);
        if let Some(length) = mean_length(column, dictionary, count).filter(|_| is_text) {
            self.texts += count;
            self.text_bytes += count * in_words(column, length);
        }
        Ok(())
    }

    /// Different values of the column in a table of so many row groups; `None` if they do not state it.
    pub(super) fn different(&self, row_groups: f64) -> Option<f64> {
        let has_all = row_groups <= 1.0 || self.rows_per_value >= ROWS_PER_VALUE;
        self.most.filter(|most| *most > 0.0 && has_all)
    }

    /// Mean bytes of a text in a row of Spark, behind its word; `None` for other types.
    pub(super) fn text_bytes(&self) -> Option<f64> {
        (self.texts > 0.0).then(|| self.text_bytes / self.texts)
    }
}

/// Whether the dictionary of a row group has all of its values: a writer gives up a dictionary that gets too large.
fn is_in_dictionary(column: &ColumnChunkMetaData) -> bool {
    if let Some(pages) = column.page_encoding_stats_mask() {
        pages.is_only(Encoding::PLAIN_DICTIONARY) || pages.is_only(Encoding::RLE_DICTIONARY)
    } else {
        let all = column.encodings_mask();
        all.is_set(Encoding::PLAIN_DICTIONARY) && !all.is_set(Encoding::PLAIN)
    }
}

/// Mean length of the texts of a row group, of which so many are not null: as the footer states it, of those in the dictionary, or of a
/// column without one.
fn mean_length(column: &ColumnChunkMetaData, dictionary: Option<Dictionary>, count: f64) -> Option<f64> {
    if let Some(bytes) = column.unencoded_byte_array_data_bytes() {
        return Some(bytes.max(0) as f64 / count);
    }
    let is_plain = column.encodings_mask().is_set(Encoding::PLAIN);
    let plain = is_plain.then_some((column.uncompressed_size() as f64, count));
    let (bytes, texts) = dictionary.map(|found| (found.bytes, found.values)).or(plain)?;
    Some((bytes / texts.max(1.0) - LENGTH).max(0.0))
}

/// Bytes of texts of this mean length in whole words. If the least and the largest text are as long, all are: those of an identifier.
fn in_words(column: &ColumnChunkMetaData, mean: f64) -> f64 {
    let bounds = column.statistics().and_then(|found| found.min_bytes_opt().zip(found.max_bytes_opt()));
    let same = bounds.filter(|(least, largest)| least.len() == largest.len()).map(|(least, _)| least.len() as f64);
    match same.filter(|length| (mean - length).abs() < 1.0) {
        Some(length) => (length / WORD).ceil() * WORD,
        None => (mean + PADDING).max(WORD),
    }
}
