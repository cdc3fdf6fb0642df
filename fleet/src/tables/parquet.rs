//! Tables as Parquet: a row group for each few ten thousand rows, compressed with zstd.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::column::{Cell, Column, Sort};

/// Rows of a group, which are in memory.
const GROUP: usize = 20_000;
/// The file's creator, without a version, so that files of the same results are equal.
const CREATED_BY: &str = "crossover";

type Writer = SerializedFileWriter<BufWriter<File>>;
type Group<'a> = SerializedRowGroupWriter<'a, BufWriter<File>>;

/// A table that is being written.
pub(super) struct ParquetRows {
    writer: Writer,
    columns: Vec<ColumnBuffer>,
    rows: usize,
}

/// The cells of one column in a group, without unknown ones.
struct ColumnBuffer {
    values: Values,
    /// 1 for a cell with a value, 0 for one without.
    levels: Vec<i16>,
}

enum Values {
    Text(Vec<ByteArray>),
    Number(Vec<f64>),
    Whole(Vec<i64>),
    Flag(Vec<bool>),
}

impl ParquetRows {
    pub(super) fn begin(out: BufWriter<File>, name: &str, columns: &[Column]) -> io::Result<Self> {
        let fields = columns.iter().map(|column| field(column).map(Arc::new)).collect::<Result<_, _>>();
        let schema = Type::group_type_builder(name).with_fields(fields.map_err(of)?).build().map_err(of)?;
        let level = ZstdLevel::try_new(3).map_err(of)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(level))
            .set_created_by(CREATED_BY.to_owned())
            .build();
        let writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties)).map_err(of)?;
        Ok(Self { writer, columns: columns.iter().map(|column| ColumnBuffer::new(column.sort)).collect(), rows: 0 })
    }

    pub(super) fn add(&mut self, row: &[Cell<'_>]) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(row) {
            column.push(cell);
        }
        self.rows += 1;
        if self.rows == GROUP { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut group = self.writer.next_row_group().map_err(of)?;
        for column in &mut self.columns {
            column.write(&mut group).map_err(of)?;
        }
        group.close().map_err(of)?;
        self.rows = 0;
        Ok(())
    }

    pub(super) fn end(mut self) -> io::Result<()> {
        if self.rows > 0 {
            self.flush()?;
        }
        self.writer.into_inner().map_err(of)?.flush()
    }
}

/// An error of the writer as an I/O error.
fn of(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => *source,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    }
}

fn field(column: &Column) -> Result<Type, ParquetError> {
    let physical = match column.sort {
        Sort::Text => Physical::BYTE_ARRAY,
        Sort::Number => Physical::DOUBLE,
        Sort::Count | Sort::Time => Physical::INT64,
        Sort::Flag => Physical::BOOLEAN,
    };
    let builder = Type::primitive_type_builder(column.name, physical).with_repetition(Repetition::OPTIONAL);
    let builder = match column.sort {
        Sort::Text => builder.with_converted_type(ConvertedType::UTF8).with_logical_type(Some(LogicalType::String)),
        Sort::Time => builder
            .with_converted_type(ConvertedType::TIMESTAMP_MILLIS)
            .with_logical_type(Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
        Sort::Number | Sort::Count | Sort::Flag => builder,
    };
    builder.build()
}

impl ColumnBuffer {
    fn new(sort: Sort) -> Self {
        let values = match sort {
            Sort::Text => Values::Text(Vec::new()),
            Sort::Number => Values::Number(Vec::new()),
            Sort::Count | Sort::Time => Values::Whole(Vec::new()),
            Sort::Flag => Values::Flag(Vec::new()),
        };
        Self { values, levels: Vec::new() }
    }

    fn push(&mut self, cell: &Cell<'_>) {
        let is_there = match (&mut self.values, cell) {
            (Values::Text(values), Cell::Text(text)) => {
                values.push(ByteArray::from(text.as_bytes().to_vec()));
                true
            }
            (Values::Number(values), Cell::Number(number)) => {
                values.push(*number);
                true
            }
            (Values::Whole(values), Cell::Count(whole) | Cell::Time(whole)) => {
                let whole = i64::try_from(*whole).ok();
                values.extend(whole);
                whole.is_some()
            }
            (Values::Flag(values), Cell::Flag(flag)) => {
                values.push(*flag);
                true
            }
            _ => false,
        };
        self.levels.push(i16::from(is_there));
    }

    fn write(&mut self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        let levels = std::mem::take(&mut self.levels);
        match &mut self.values {
            Values::Text(values) => write_column::<ByteArrayType>(group, &std::mem::take(values), &levels),
            Values::Number(values) => write_column::<DoubleType>(group, &std::mem::take(values), &levels),
            Values::Whole(values) => write_column::<Int64Type>(group, &std::mem::take(values), &levels),
            Values::Flag(values) => write_column::<BoolType>(group, &std::mem::take(values), &levels),
        }
    }
}

fn write_column<T: DataType>(group: &mut Group<'_>, values: &[T::T], levels: &[i16]) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("more columns than the table has".to_owned()));
    };
    column.typed::<T>().write_batch(values, Some(levels), None)?;
    column.close()
}
