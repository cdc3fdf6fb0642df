//! Checks the footer of a Parquet file before the library reads it: that reserves memory for all row groups and nested columns that
//! a footer states, whether or not they follow, and calls itself for each level of nesting.
//!
//! A footer is a structure in Thrift's compact protocol (apache/thrift, `doc/specs/thrift-compact-protocol.md`) with the fields of
//! `FileMetaData` (apache/parquet-format, `parquet.thrift`). The library reads a field by its number, whatever type the footer states
//! for it. So a walk by the stated types alone would see other fields than the library: those that it reads must have their types.

use parquet::errors::ParquetError;

use self::Field::{Binary, Bool, Byte, Children, Column, Double, List, Number, RowGroup, Skipped, Struct};
use super::thrift::Compact;

/// Most row groups: the library numbers them with 16 bits.
const MOST_ROW_GROUPS: u64 = 32_767;

/// Deepest nesting of columns, levels; those that people write have a dozen.
const DEEPEST_COLUMN: usize = 128;

/// Deepest nesting of structures and lists; that of Parquet's own is 8.
const DEEPEST_FIELD: usize = 32;

/// The type of a field.
enum Field {
    /// Any: the library skips it by the type that the footer states.
    Skipped,
    Bool,
    Byte,
    /// A whole number of 16 bits or more.
    Number,
    Double,
    /// Text or bytes.
    Binary,
    List(&'static Field),
    Struct(Fields),
    /// A column of the schema, or a group of them.
    Column,
    /// How many columns follow that are part of this one.
    Children,
    RowGroup,
}

/// Fields by their numbers, from 1; others are skipped.
type Fields = &'static [Field];

const EMPTY: Field = Struct(&[]);
const KEY_VALUE: Field = Struct(&[Binary, Binary]);
const COLUMN_ORDER: Field = Struct(&[EMPTY]);
const SORTING_COLUMN: Field = Struct(&[Number, Bool, Bool]);
const TIME_UNIT: Field = Struct(&[EMPTY, EMPTY, EMPTY]);
/// Also that of a timestamp.
const TIME: Field = Struct(&[Bool, TIME_UNIT]);
const DECIMAL: Field = Struct(&[Number, Number]);
const INTEGER: Field = Struct(&[Byte, Bool]);
const VARIANT: Field = Struct(&[Byte]);
const GEOMETRY: Field = Struct(&[Binary]);
const GEOGRAPHY: Field = Struct(&[Binary, Number]);

const LOGICAL_TYPE: Field = Struct(&[
    EMPTY, EMPTY, EMPTY, EMPTY, DECIMAL, EMPTY, TIME, TIME, Skipped, INTEGER, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY,
    VARIANT, GEOMETRY, GEOGRAPHY,
]);

const SCHEMA_ELEMENT: Fields =
    &[Number, Number, Number, Binary, Children, Number, Number, Number, Number, LOGICAL_TYPE];

const STATISTICS: Field = Struct(&[Binary, Binary, Number, Number, Binary, Binary, Bool, Bool]);
const PAGE_ENCODING: Field = Struct(&[Number, Number, Number]);
const SIZES: Field = Struct(&[Number, List(&Number), List(&Number)]);
const BOUNDING_BOX: Field = Struct(&[Double, Double, Double, Double, Double, Double, Double, Double]);
const GEOSPATIAL: Field = Struct(&[BOUNDING_BOX, List(&Number)]);

const COLUMN_METADATA: Field = Struct(&[
    Number,
    List(&Number),
    Skipped,
    Number,
    Number,
    Number,
    Number,
    Skipped,
    Number,
    Number,
    Number,
    STATISTICS,
    List(&PAGE_ENCODING),
    Number,
    Number,
    SIZES,
    GEOSPATIAL,
]);

const COLUMN_CHUNK: Field = Struct(&[Binary, Number, COLUMN_METADATA, Number, Number, Number, Number]);

const ROW_GROUP: Fields = &[List(&COLUMN_CHUNK), Number, Number, List(&SORTING_COLUMN), Number, Skipped, Number];

const FILE: Fields = &[Number, List(&Column), Number, List(&RowGroup), List(&KEY_VALUE), Binary, List(&COLUMN_ORDER)];

/// The numbers of the protocol for types. A field's type is also the value of a Boolean.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Checks a footer: its bytes between the data and the last eight of the file.
///
/// # Errors
/// It is no footer of a Parquet file, or states more than its bytes can contain.
pub(super) fn check(footer: &[u8]) -> Result<(), ParquetError> {
    Walk { rest: Compact(footer), unclaimed: 0, children: 0, groups: Vec::new() }.fields(FILE, 0)
}

/// The way through a footer.
struct Walk<'a> {
    rest: Compact<'a>,
    /// Columns of the schema that no group has stated to be part of it yet.
    unclaimed: u64,
    /// Columns that are part of the present one, as it states.
    children: u64,
    /// Groups around the present column, outermost first: how many of their columns are still to come.
    groups: Vec<u64>,
}

impl Walk<'_> {
    fn fields(&mut self, known: Fields, depth: usize) -> Result<(), ParquetError> {
        let mut id = 0_i16;
        loop {
            let header = self.rest.byte().ok_or_else(malformed)?;
            let (step, stated) = (header >> 4, header & 0x0f);
            if stated == 0 {
                return Ok(());
            }
            let next = match step {
                0 => self.rest.natural().and_then(|id| i16::try_from(id).ok()),
                step => id.checked_add(i16::from(step)),
            };
            id = next.ok_or_else(malformed)?;
            let place = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
            let field = place.and_then(|place| known.get(place)).unwrap_or(&Skipped);
            self.value(stated, field, depth + 1)?;
        }
    }

    /// A value of the type that the footer states, which must be that of the field.
    fn value(&mut self, stated: u8, field: &'static Field, depth: usize) -> Result<(), ParquetError> {
        if depth > DEEPEST_FIELD {
            return Err(malformed());
        }
        match (stated, field) {
            (TRUE | FALSE, Bool | Skipped) => Ok(()),
            (BYTE, Byte | Skipped) => self.skip(1),
            (I16..=I64, Number | Skipped) => self.rest.number().map(|_| ()).ok_or_else(malformed),
            (I16..=I64, Children) => {
                let more = self.rest.natural().ok_or_else(malformed)?;
                self.children = self.children.saturating_add(more);
                Ok(())
            }
            (DOUBLE, Double | Skipped) => self.skip(8),
            (BINARY, Binary | Skipped) => {
                let length = self.rest.number().ok_or_else(malformed)?;
                self.skip(length)
            }
            (LIST, List(of)) => self.list(of, depth),
            (LIST, Skipped) => self.list(&Skipped, depth),
            (STRUCT, Struct(fields)) => self.fields(fields, depth),
            (STRUCT, Skipped) => self.fields(&[], depth),
            (STRUCT, Column) => self.column(depth),
            (STRUCT, RowGroup) => self.fields(ROW_GROUP, depth),
            _ => Err(malformed()),
        }
    }

    fn list(&mut self, of: &'static Field, depth: usize) -> Result<(), ParquetError> {
        let header = self.rest.byte().ok_or_else(malformed)?;
        let (short_count, stated) = (header >> 4, header & 0x0f);
        let count = if short_count == 15 { self.rest.number().ok_or_else(malformed)? } else { u64::from(short_count) };
        // An element has at least a byte.
        let most = self.rest.0.len() as u64;
        let most = if matches!(of, RowGroup) { most.min(MOST_ROW_GROUPS) } else { most };
        if count > most {
            return Err(ParquetError::General(format!("a list of {count} elements where at most {most} are possible")));
        }
        if matches!(of, Column) {
            // The first one is the table.
            self.unclaimed = count.saturating_sub(1);
            self.groups.clear();
        }
        for _ in 0..count {
            self.value(stated, of, depth + 1)?;
        }
        Ok(())
    }

    /// A column, or a group whose columns follow.
    fn column(&mut self, depth: usize) -> Result<(), ParquetError> {
        self.children = 0;
        self.fields(SCHEMA_ELEMENT, depth)?;
        let unclaimed = self.unclaimed.checked_sub(self.children);
        self.unclaimed = unclaimed.ok_or_else(|| {
            ParquetError::General(format!("a group of {} columns where {} follow", self.children, self.unclaimed))
        })?;
        while self.groups.pop_if(|to_come| *to_come == 0).is_some() {}
        if let Some(to_come) = self.groups.last_mut() {
            *to_come -= 1;
        }
        if self.children > 0 {
            self.groups.push(self.children);
        }
        if self.groups.len() > DEEPEST_COLUMN {
            return Err(ParquetError::General(format!("columns nested more than {DEEPEST_COLUMN} levels deep")));
        }
        Ok(())
    }

    fn skip(&mut self, bytes: u64) -> Result<(), ParquetError> {
        let all = self.rest.0;
        let rest = usize::try_from(bytes).ok().and_then(|bytes| all.get(bytes..));
        self.rest.0 = rest.ok_or_else(malformed)?;
        Ok(())
    }
}

fn malformed() -> ParquetError {
    ParquetError::General("its fields are not those of a Parquet file".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A schema of one group, “r”, that states so many columns (field 5, sign in the lowest bit), after the version 1.
    fn schema(children: &[u8]) -> Vec<u8> {
        [&[0x15, 0x02, 0x19, 0x1c, 0x48, 0x01, b'r', 0x15][..], children, &[0x00]].concat()
    }

    fn refused(footer: &[u8]) -> String {
        check(footer).expect_err("no footer").to_string()
    }

    #[test]
    fn an_empty_table_is_a_footer() {
        // No columns, no rows (field 3), no row groups (field 4).
        let footer = [&schema(&[0x00])[..], &[0x16, 0x00, 0x19, 0x0c, 0x00]].concat();
        assert!(check(&footer).is_ok());
        assert!(refused(&footer[..footer.len() - 1]).contains("not those of a Parquet file"), "it ends too early");
    }

    /// 2³¹ − 1 of each, the most that the protocol has, would take the library 16 GB and more.
    #[test]
    fn counts_beyond_the_bytes_of_a_footer_are_refused() {
        let row_groups = [&schema(&[0x00])[..], &[0x16, 0x00, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00]].concat();
        assert!(refused(&row_groups).contains("a list of 2147483647 elements where at most 1 are possible"));
        let columns = schema(&[0xfe, 0xff, 0xff, 0xff, 0x0f]);
        assert!(refused(&columns).contains("a group of 2147483647 columns where 0 follow"));
        // 32,768 row groups with their bytes.
        let many = [&schema(&[0x00])[..], &[0x16, 0x00, 0x19, 0xfc, 0x80, 0x80, 0x02], &[0x00].repeat(32_769)].concat();
        assert!(refused(&many).contains("a list of 32768 elements where at most 32767 are possible"));
    }

    #[test]
    fn columns_are_nested_a_few_levels_deep() {
        // Each of so many groups has one column, which is the next group; the last one has none.
        let nested = |groups: usize| {
            let count = u8::try_from(groups + 1).expect("a few");
            let group = [0x48, 0x01, b'g', 0x15, 0x02, 0x00].repeat(groups);
            let last = [0x48, 0x01, b'c', 0x00];
            let list = [0x15, 0x02, 0x19, 0xfc, 0x80 | count, 0x01];
            [&list[..], &group, &last, &[0x16, 0x00, 0x19, 0x0c, 0x00]].concat()
        };
        assert!(check(&nested(128)).is_ok());
        assert!(refused(&nested(129)).contains("columns nested more than 128 levels deep"));
    }

    /// The library reads a number whatever type the footer states, and would take the text for fields.
    #[test]
    fn a_field_has_its_type() {
        let footer = [&schema(&[0x00])[..], &[0x18, 0x01, 0x00, 0x19, 0x0c, 0x00]].concat();
        assert!(refused(&footer).contains("not those of a Parquet file"));
    }
}
