//! Bytes of a row, from the types of its columns.

use std::collections::HashMap;

use crossover_query::{Amount, Rule};
use datafusion_common::DFSchema;
use datafusion_common::arrow::datatypes::{DataType, Field, IntervalUnit};
use datafusion_sql::sqlparser::ast::{CharacterLength, DataType as SqlType};

/// Bytes of text of unknown length: `StringType.defaultSize` of Spark.
const TEXT: f64 = 20.0;
/// Bytes of binary data of unknown length: `BinaryType.defaultSize` of Spark.
const BINARY: f64 = 100.0;
/// Up to this declared length a text is assumed to be full.
const FULL_UP_TO: f64 = 32.0;
/// Texts are assumed to be at most this long, whatever the declared length.
const LONGEST: f64 = 1000.0;
/// Rows without columns are still counted.
const LEAST: f64 = 1.0;
/// Key of a column's width in its metadata, which the planner carries through the plan.
const KEY: &str = "crossover.bytes";

/// Bytes of one row; a guess where it has text or binary columns.
pub(super) fn of_row(schema: &DFSchema) -> Amount {
    let width = schema.fields().iter().map(|field| of_column(field)).sum::<f64>().max(LEAST);
    if schema.fields().iter().all(|field| is_fixed(field.data_type())) {
        Amount::derived(width, Rule::ColumnTypes)
    } else {
        Amount::estimated(width, Rule::ColumnTypes)
    }
}

/// Bytes of one value of a column: as noted with the table, else by its type.
pub(super) fn of_column(field: &Field) -> f64 {
    // Metadata survives a cast, the width does not.
    let noted = field.metadata().get(KEY).and_then(|note| {
        let (bytes, data_type) = note.split_once(' ')?;
        (data_type == field.data_type().to_string()).then(|| bytes.parse().ok())?
    });
    noted.unwrap_or_else(|| of_type(field.data_type()))
}

/// The column with its width noted.
pub(super) fn note(field: Field, bytes: f64) -> Field {
    let note = format!("{bytes} {}", field.data_type());
    field.with_metadata(HashMap::from([(KEY.to_owned(), note)]))
}

/// Whether all values of a type have the same width.
pub(super) fn is_fixed(data_type: &DataType) -> bool {
    data_type.is_null()
        || data_type.is_numeric()
        || data_type.is_temporal()
        || matches!(data_type, DataType::Boolean | DataType::FixedSizeBinary(_))
}

/// Bytes of a declared text: `CHAR(n)` is n; `VARCHAR(n)` is n up to 32, beyond that 32 and half of the rest, and
/// never more than for 1000: `get_typavgwidth` of PostgreSQL. `None`: no length is declared.
pub(super) fn of_declared_text(data_type: &SqlType) -> Option<f64> {
    let (length, is_full) = match data_type {
        SqlType::Char(length) | SqlType::Character(length) => (length, true),
        SqlType::Varchar(length)
        | SqlType::Nvarchar(length)
        | SqlType::CharVarying(length)
        | SqlType::CharacterVarying(length) => (length, false),
        _ => return None,
    };
    let Some(CharacterLength::IntegerLength { length, .. }) = length else { return None };
    let length = *length as f64;
    if is_full || length <= FULL_UP_TO {
        return Some(length);
    }
    Some(FULL_UP_TO + (length.min(LONGEST) - FULL_UP_TO) / 2.0)
}

/// Bytes of one value, as Spark's planner counts them (`DataType.defaultSize`).
fn of_type(data_type: &DataType) -> f64 {
    match data_type {
        DataType::Null | DataType::Boolean | DataType::Int8 | DataType::UInt8 => 1.0,
        DataType::Int16 | DataType::UInt16 | DataType::Float16 => 2.0,
        DataType::Int32
        | DataType::UInt32
        | DataType::Float32
        | DataType::Date32
        | DataType::Time32(_)
        | DataType::Decimal32(..)
        | DataType::Interval(IntervalUnit::YearMonth) => 4.0,
        DataType::Decimal128(precision, _) if *precision <= 18 => 8.0,
        DataType::Decimal128(..) | DataType::Interval(IntervalUnit::MonthDayNano) => 16.0,
        DataType::Decimal256(..) => 32.0,
        DataType::FixedSizeBinary(bytes) => f64::from(*bytes),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => BINARY,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => TEXT,
        DataType::List(item) | DataType::LargeList(item) | DataType::ListView(item) => of_column(item),
        DataType::FixedSizeList(item, length) => of_column(item) * f64::from(*length),
        DataType::Struct(fields) => fields.iter().map(|field| of_column(field)).sum(),
        DataType::Dictionary(_, value) => of_type(value),
        _ => 8.0,
    }
}
