//! Bytes that an exchange writes: Spark's rows as LZ4 compresses them, the default of `spark.io.compression.codec`.
//!
//! Spark writes the length of each row, then the row. The rows that a task sends to one partition are a stream, which is compressed in
//! blocks on its own. LZ4 replaces bytes that occurred before by a copy. Most bytes of a row are equal to those of the row before it:
//! lengths, null bits, the high bytes of numbers. So a row costs, for each of its columns,
//!
//! `share of rows in which the value changes × (a copy + bytes of a value × e^(−rows in reach ÷ distinct values))`
//!
//! where a value changes if it is not that of the row before, the bytes of a number are log₂₅₆ of its distinct values, and the rows in
//! reach are those of the last half block. A partition has only its share of the values of a column by whose hash alone rows are
//! distributed. A copy of more than 18 bytes takes one byte more.
//!
//! The exchange brings together rows that are far from each other in the files. A value that rarely changes in the files, such as the day
//! of a sale, still rarely changes if that is true of the keys by whose hash rows are distributed, too. Otherwise it changes in a share
//! 1 − e^(−partitions × share in the files) of the rows.
//!
//! The first row of a stream has no row before it. LZ4 replaces only its zeros: in the length, the null bits and the high bytes of numbers.
//!
//! Formats: `UnsafeRowSerializer` of Spark, `LZ4BlockOutputStream` of lz4-java, block format of lz4/lz4. Its errors:
//! `scenarios/truth/shuffle_bytes.py`, `scenarios/truth/exchange_bytes.py`, docs/FIDELITY.md.

use super::super::node::{RowColumn, StoredValues};

/// Bytes of the length before a row.
const LENGTH: f64 = 4.0;
/// Bytes of a block before its compression (Spark's `spark.io.compression.lz4.blockSize`).
const BLOCK: f64 = 32_768.0;
/// Bytes of the header of a block; a block without rows ends a stream.
const HEADER: f64 = 21.0;
/// Bytes of a copy in LZ4's block format: a token and an offset.
const COPY: f64 = 3.0;
/// Bytes of a copy whose length takes one byte more: 15 and more beyond the least length of 4.
const LONG_COPY: f64 = 19.0;
/// Bytes of the length and the null bits of a first row: five that are stored, and a copy of the zeros behind them.
const FIRST_ZEROS: f64 = 5.0 + COPY;
/// Bytes before the final bytes of a block, which no copy may replace: a token.
const LAST_TOKEN: f64 = 1.0;
/// Bytes of a computed number, such as a sum, that are not zero: up to 16 million.
const COMPUTED: f64 = 3.0;
/// Bytes that LZ4 writes for each byte of mixed data: the reciprocal of its compression ratio of the Silesia corpus (README of
/// lz4/lz4: 2.084, r101).
const SHARE_WRITTEN: f64 = 0.48;
/// Bytes of a word of Spark's rows, and the mean bytes that fill up the last word of a text.
const WORD: f64 = 8.0;
const PADDING: f64 = 3.5;
/// Bytes for the length of a text and for a copy after it, if lengths differ.
const LENGTH_OF_TEXT: f64 = 1.0 + COPY;
/// Rows with the same value are taken to follow each other if the value changes in less than this share of the rows.
const STAYS: f64 = 0.5;

/// What an exchange moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent<'a> {
    pub(super) rows: f64,
    /// Bytes in Spark's rows.
    pub(super) bytes: f64,
    /// Tasks that write.
    pub(super) tasks: f64,
    /// Partitions to which each of them writes.
    pub(super) partitions: f64,
    pub(super) columns: &'a [RowColumn],
    /// Whether the rows are in the order of the files of a table.
    pub(super) is_in_order: bool,
    /// Columns by whose hash rows are distributed, by their names in the tables.
    pub(super) keys: &'a [&'a str],
}

impl Sent<'_> {
    /// Bytes that the exchange writes.
    pub(super) fn written(&self) -> f64 {
        if self.rows <= 0.0 || self.bytes <= 0.0 {
            return 0.0;
        }
        let row = self.bytes / self.rows;
        let streams = self.streams();
        let compressed = self.compressed_row().unwrap_or(row * SHARE_WRITTEN);
        let stored = row + LENGTH;
        (self.rows - streams) * compressed
            + streams * (self.first_row() + 2.0 * HEADER)
            + HEADER * self.rows * stored / BLOCK
    }

    /// Bytes of the first row of a stream; not compressed if its columns are unknown.
    fn first_row(&self) -> f64 {
        let row = self.bytes / self.rows;
        let texts: f64 = self.columns.iter().filter_map(|column| column.text_bytes).sum();
        let null_bits = WORD * (self.columns.len() as f64 / (8.0 * WORD)).ceil();
        // Texts, and numbers that do not fit into a word.
        let behind = (row - null_bits - WORD * self.columns.len() as f64).max(texts).max(0.0);
        let Some((last, others)) = self.columns.split_last() else { return row + LENGTH };
        let of_last = if behind >= 1.0 { word_bytes(last) } else { WORD };
        let words: f64 = others.iter().map(word_bytes).sum();
        (FIRST_ZEROS + words + of_last + behind + LAST_TOKEN).min(row + LENGTH)
    }

    /// Streams with at least one row: a task writes one for each partition to which it sends rows.
    fn streams(&self) -> f64 {
        let (tasks, partitions) = (self.tasks.max(1.0), self.partitions.max(1.0));
        let without = (1.0 - partitions.recip()).powf(self.rows / tasks);
        (tasks * partitions * (1.0 - without)).clamp(1.0, self.rows.max(1.0))
    }

    /// Bytes that LZ4 writes for a row; `None` if the order of the rows is unknown, or if the files do not state the values of all columns.
    fn compressed_row(&self) -> Option<f64> {
        if !self.is_in_order {
            return None;
        }
        let stored_row = self.bytes / self.rows + LENGTH;
        let reach = (BLOCK / 2.0 / stored_row).min(self.rows / self.streams() / 2.0);
        let is_key = |column: &&RowColumn| self.keys.contains(&column.name.as_str());
        let keys = self.columns.iter().filter(is_key).filter_map(|column| Some(column.stored?.changes));
        let key = keys.reduce(f64::max).unwrap_or(1.0);
        let mut shares = Vec::with_capacity(self.columns.len());
        let (mut copies, mut values) = (0.0, 0.0);
        for column in self.columns {
            let stored = column.stored.filter(|stored| stored.different >= 1.0)?;
            let share = self.share_changed(stored, key);
            let in_stream = self.different_in_stream(column, stored.different);
            let changed = share * (1.0 - in_stream.recip());
            copies += changed;
            values += changed * value_bytes(column, stored.different, (-reach / in_stream).exp());
            shares.push(share);
        }
        let most = shares.iter().copied().reduce(f64::max)?;
        if most > STAYS {
            // Adjacent columns that keep their values between columns that change take one copy.
            let stays = |share: f64| share > 0.0 && share < STAYS;
            let before = shares.iter().cycle().skip(shares.len() - 1);
            let groups = shares.iter().zip(before).filter(|(own, before)| stays(**own) && !stays(**before)).count();
            copies += groups as f64 * (1.0 - key);
        }
        let is_long = (stored_row - values) / copies.max(1.0) >= LONG_COPY;
        Some(copies * (COPY + f64::from(u8::from(is_long))) + values)
    }

    /// Distinct values of a column in a stream: a partition has its share of them if rows are distributed by this column alone.
    fn different_in_stream(&self, column: &RowColumn, different: f64) -> f64 {
        let is_only_key = matches!(self.keys, [key] if *key == column.name);
        if is_only_key { (different / self.partitions.max(1.0)).max(1.0) } else { different }
    }

    /// Share of the rows of a stream in which the value changes; `key`: the same share of the keys, in the files.
    fn share_changed(&self, stored: StoredValues, key: f64) -> f64 {
        if stored.different <= 1.0 {
            0.0
        } else if key < STAYS {
            stored.changes.max(key)
        } else if stored.changes < 1.0 {
            -(-self.partitions * stored.changes).exp_m1()
        } else {
            1.0
        }
    }
}

/// Bytes of the word of a column in a first row: a text has its length and place there, a number its bytes and a copy of zeros.
fn word_bytes(column: &RowColumn) -> f64 {
    let number = column.stored.map_or(COMPUTED, |stored| stored.different.max(1.0).log(256.0).ceil().max(1.0));
    if column.text_bytes.is_some() { WORD } else { (number + COPY).min(WORD) }
}

/// Bytes of a value that differ from those of the row before; `unseen`: share of the values that no row in reach has.
fn value_bytes(column: &RowColumn, different: f64, unseen: f64) -> f64 {
    match column.text_bytes {
        Some(bytes) if bytes % WORD == 0.0 => SHARE_WRITTEN * bytes * unseen,
        Some(bytes) => SHARE_WRITTEN * (bytes - PADDING).max(0.0) * unseen + LENGTH_OF_TEXT,
        None => different.log(256.0) * unseen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, different: f64, changes: f64) -> RowColumn {
        RowColumn { name: name.to_owned(), text_bytes: None, stored: Some(StoredValues { different, changes }) }
    }

    /// Rows of a task to 200 partitions.
    fn of(columns: &[RowColumn]) -> Sent<'_> {
        Sent { rows: 0.0, bytes: 0.0, tasks: 1.0, partitions: 200.0, columns, is_in_order: true, keys: &[] }
    }

    fn within_tenth(found: f64, counted: f64) {
        assert!((found / counted - 1.0).abs() < 0.1, "{found} instead of {counted}");
    }

    /// A sample log of NVIDIA/spark-rapids-tools (dsAndDf, Spark 3.1.1): 200 tasks write a count of 16 bytes each to one partition,
    /// 11,800 bytes in all.
    #[test]
    fn streams_of_one_row_are_mostly_headers() {
        let columns = [RowColumn::default()];
        let count = Sent { rows: 200.0, bytes: 3_200.0, tasks: 200.0, partitions: 1.0, ..of(&columns) };
        assert!((count.written() / 11_800.0 - 1.0).abs() < 1e-3, "{}", count.written());
        within_tenth(Sent { columns: &[], ..count }.written(), 11_800.0);
    }

    /// TPC-DS at scale factor 1 in Spark 3.5.3, by its event log. q43: 6 groups with a name of 8 letters, an identifier of 16 and seven
    /// sums have 624 bytes, of which 785 are written. q6: 51 groups with a state, which 3 % do not have, and a count: 1,624 and 3,233 bytes.
    /// q1: 6 groups with a number, the sum of a decimal, which takes two words, and a count: 288 and 492 bytes.
    #[test]
    fn the_first_row_of_a_stream_has_zeros_that_are_copied() {
        let text = |bytes| RowColumn { text_bytes: Some(bytes), ..RowColumn::default() };
        let number = RowColumn::default;
        let weekdays: Vec<RowColumn> =
            [text(8.0), text(16.0)].into_iter().chain(std::iter::repeat_with(number).take(7)).collect();
        let states = [text(7.8), number()];
        let shops = [column("shop", 6.0, 1.0), number(), number()];
        for (rows, bytes, columns, counted) in
            [(6.0, 624.0, &weekdays[..], 785.0), (51.0, 1_624.0, &states[..], 3_233.0), (6.0, 288.0, &shops[..], 492.0)]
        {
            within_tenth(Sent { rows, bytes, ..of(columns) }.written(), counted);
        }
    }

    /// TPC-DS, q82 at scale factor 1 in Spark 3.5.3, by its event log: 2,880,404 sales, of which only the item is distributed, are
    /// 11,944,483 bytes. A partition has 90 of the 18,000 items, so all its values are in reach, and a copy replaces a whole row.
    #[test]
    fn a_partition_has_its_share_of_the_values_of_its_only_key() {
        let columns = [column("item", 18_000.0, 1.0)];
        let sent = Sent { rows: 2_880_404.0, bytes: 16.0 * 2_880_404.0, keys: &["item"], ..of(&columns) };
        within_tenth(sent.written(), 11_944_483.0);
        // A copy of 20 bytes takes four, in 89 of 90 rows; half a block has nine rows for each of the 90 values.
        let in_reach = 18_000_f64.log(256.0) * (-16_384.0 / 20.0 / 90.0_f64).exp();
        let row = sent.compressed_row().expect("stored values");
        assert!((row / ((4.0 + in_reach) * 89.0 / 90.0) - 1.0).abs() < 1e-9, "{row}");
        // By two keys, a partition may have all values of each.
        let both = Sent { keys: &["item", "ticket"], ..sent };
        assert!(both.compressed_row().expect("stored values") > 1.1 * row);
    }

    /// TPC-DS, q93 at scale factor 1 in Spark 3.5.3 (`spark-volumes.csv`, setting “off”): both exchanges of tables have 149.7 MB of
    /// rows, and the query writes 72.7 MB. The sales of a ticket are 12 rows with one customer and one ticket number; the exchange
    /// distributes them by item.
    #[test]
    fn tables_of_numbers_are_compressed_as_spark_counts_it() {
        let sales = [
            column("item", 18_000.0, 1.0),
            column("customer", 100_000.0, 1.0 / 12.0),
            column("ticket", 240_000.0, 1.0 / 12.0),
            column("quantity", 100.0, 1.0),
            column("price", 18_691.0, 1.0),
        ];
        let returns = [
            column("item", 17_997.0, 1.0),
            column("reason", 35.0, 1.0),
            column("ticket", 240_000.0, 1.0),
            column("returned", 100.0, 1.0),
        ];
        let written = |columns: &[RowColumn], rows: f64, row: f64| {
            Sent { rows, bytes: rows * row, keys: &["item", "ticket"], ..of(columns) }.written()
        };
        within_tenth(written(&sales, 2_880_404.0, 48.0) + written(&returns, 287_867.0, 40.0), 72.7e6);
    }

    /// A stream of a million rows of 20 bytes, each with one of 65,536 numbers. Half a block has 819.2 rows. One of them has the same number
    /// with the probability 1 − e^(−0.0125), so a row takes a copy and 2 × 0.98758 bytes.
    #[test]
    fn a_number_takes_the_bytes_in_which_its_values_differ() {
        let columns = [column("item", 65_536.0, 1.0)];
        let sent = Sent { rows: 1e6, bytes: 16e6, partitions: 1.0, ..of(&columns) };
        let bytes = (3.0 + 2.0 * (-0.0125_f64).exp()) * (1.0 - 1.0 / 65_536.0);
        // The first row: five bytes and a copy of zeros, a word at the end, which no copy may replace, and a token.
        let headers = 17.0 + 42.0 + 21.0 * 20e6 / 32_768.0;
        assert!((sent.written() / ((1e6 - 1.0) * bytes + headers) - 1.0).abs() < 1e-12);
        // Ten values, each of which is in reach: a copy of 20 bytes takes four, in nine of ten rows.
        let few = Sent { columns: &[column("item", 10.0, 1.0)], ..sent }.written();
        assert!((few / ((1e6 - 1.0) * 3.6 + headers) - 1.0).abs() < 1e-12, "{few}");
    }

    /// The customer changes in one of a hundred rows. If rows are distributed by customer, adjacent rows stay together. By item, the next
    /// row of a partition has another customer with the probability 1 − e^(−2). A partition by customer has 500 of them, and a copy replaces
    /// rows of 20 bytes, so it takes four; with a new customer it replaces fewer than 19.
    #[test]
    fn rows_of_a_customer_stay_together_where_customers_are_distributed() {
        let columns = [column("customer", 1e5, 0.01)];
        let row = |keys: &[&str]| {
            Sent { rows: 1e7, bytes: 16e7, keys, ..of(&columns) }.compressed_row().expect("stored values")
        };
        let changed = |share: f64, copy: f64, values: f64| {
            share * (copy + 1e5_f64.log(256.0) * (-819.2 / values).exp()) * (1.0 - 1.0 / values)
        };
        let (by_item, by_customer) = (changed(1.0 - (-2.0_f64).exp(), 3.0, 1e5), changed(0.01, 4.0, 500.0));
        assert!((row(&["item"]) / by_item - 1.0).abs() < 1e-9, "{}", row(&["item"]));
        assert!((row(&["customer"]) / by_customer - 1.0).abs() < 1e-9, "{}", row(&["customer"]));
    }

    /// A text of 16 bytes in all rows; and a text of 5 bytes with 3.5 bytes to fill up its word, whose length is written, too.
    #[test]
    fn texts_are_compressed_as_texts_are() {
        let text = |bytes| RowColumn { text_bytes: Some(bytes), ..column("name", 1e6, 1.0) };
        assert!((value_bytes(&text(16.0), 1e6, 1.0) - 0.48 * 16.0).abs() < 1e-12);
        assert!((value_bytes(&text(8.5), 1e6, 1.0) - (0.48 * 5.0 + 4.0)).abs() < 1e-12);
    }

    /// Files state nothing about a computed column: 0.48 of the bytes of its rows.
    #[test]
    fn rows_of_unknown_values_are_compressed_as_data_of_all_kinds() {
        let columns = [column("item", 10.0, 1.0), RowColumn { stored: None, ..column("", 10.0, 1.0) }];
        let sent = Sent { rows: 1e6, bytes: 24e6, partitions: 1.0, ..of(&columns) };
        // The first row: eight bytes of the length and the null bits, four of the item, a word at the end, and a token.
        let expected = (1e6 - 1.0) * 11.52 + 21.0 + 42.0 + 21.0 * 28e6 / 32_768.0;
        assert!((sent.written() / expected - 1.0).abs() < 1e-12);
        // So are rows whose order is unknown.
        let unordered = Sent { columns: &columns[..1], is_in_order: false, ..sent };
        assert_eq!(unordered.compressed_row(), None);
    }
}
