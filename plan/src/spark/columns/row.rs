//! The columns that an operator gives, and the bytes of a row of them.

/// Bytes of a value of which nothing is known: a number.
pub(super) const USUAL: f64 = 8.0;
/// Bytes of a word.
const WORD: f64 = 8.0;

/// A column by its number, and bytes of one value.
pub(super) type Column = (u64, f64);

/// The columns that an operator gives.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Columns {
    pub(super) known: Vec<Column>,
    /// How many more the log left out of a long list ("... 3 more fields").
    pub(super) left_out: f64,
}

impl Columns {
    /// Bytes of a row: what was left out is as wide as the rest on average.
    pub(super) fn width(&self) -> f64 {
        let sum: f64 = self.known.iter().map(|(_, width)| width).sum();
        let count = self.known.len() as f64;
        if count > 0.0 { sum * (1.0 + self.left_out / count) } else { self.left_out * USUAL }
    }

    /// Bytes of a row in Spark's own format (`UnsafeRow`): a word of null bits for each 64 columns, a word for each column, and
    /// behind them what needs more than a word, in whole words.
    pub(super) fn spark_row(&self) -> f64 {
        let behind = |width: f64| if width > WORD { (width / WORD).ceil() * WORD } else { 0.0 };
        let count = self.known.len() as f64;
        let long: f64 = self.known.iter().map(|(_, width)| behind(*width)).sum();
        let all = count + self.left_out;
        let long = if count > 0.0 { long * all / count } else { 0.0 };
        WORD * ((all / 64.0).ceil() + all) + long
    }

    pub(super) fn and(mut self, other: &Self) -> Self {
        self.known.extend(&other.known);
        self.left_out += other.left_out;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `UnsafeRow.calculateBitSetWidthInBytes`: a word for each 64 fields; a field has a word, and a text its letters in whole words
    /// behind them. Spark 3.5.3 counts 16 bytes for each row of a `bigint`, and 32 for each row of three.
    #[test]
    fn rows_of_spark_have_null_bits_and_whole_words() {
        let row = |widths: &[f64], left_out| {
            let known = widths.iter().enumerate().map(|(place, width)| (place as u64, *width)).collect();
            Columns { known, left_out }.spark_row()
        };
        assert_eq!(row(&[8.0], 0.0), 16.0);
        assert_eq!(row(&[8.0, 4.0, 8.0], 0.0), 32.0);
        assert_eq!(row(&[20.0, 1.0], 0.0), 8.0 + 16.0 + 24.0);
        assert_eq!(row(&[16.0], 0.0), 8.0 + 8.0 + 16.0);
        assert_eq!(row(&[4.0; 65], 0.0), 16.0 + 65.0 * 8.0);
        // As many more as are known.
        assert_eq!(row(&[20.0, 8.0], 2.0), 8.0 + 32.0 + 48.0);
    }
}
