//! Checks the footer of a Parquet file before the library reads it: that reserves memory for all row groups and nested columns that
//! a footer states, whether or not they follow, and calls itself for each level of nesting.
//!
//! A footer is a structure in Thrift's compact protocol (apache/thrift, `doc/specs/thrift-compact-protocol.md`) with the fields of
//! `FileMetaData` (apache/parquet-format, `parquet.thrift`). A field that the library reads must have its type, so that both read the
//! same fields; others are skipped.

use parquet::errors::ParquetError;

use super::thrift::Compact;

/// Most row groups: the library numbers them with 16 bits.
const MOST_ROW_GROUPS: u64 = 32_767;

/// Deepest nesting of columns, levels; those that people write have a dozen.
const DEEPEST_COLUMN: usize = 128;

/// Deepest nesting of structures and lists; that of Parquet's own is 8.
const DEEPEST_FIELD: usize = 32;

/// The type of a field.
enum Field {
    Bool,
    Byte,
    /// A whole number of 16 bits or more.
    Number,
    Double,
    /// Text or bytes.
    Binary,
    /// Elements of a type, if that is known, and how many at most.
    List(Option<&'static Field>, u64),
    Struct(Fields),
    /// A column of the schema, or a group of them.
    Column,
    /// How many columns follow that are part of this one.
    Children,
}

/// Fields by their numbers.
type Fields = &'static [(i16, Field)];

/// As many elements as the bytes of a list allow.
const ANY: u64 = u64::MAX;

const EMPTY: Field = Field::Struct(&[]);
const KEY_VALUE: Field = Field::Struct(&[(1, Field::Binary), (2, Field::Binary)]);
const COLUMN_ORDER: Field = Field::Struct(&[(1, EMPTY)]);
const SORTING_COLUMN: Field = Field::Struct(&[(1, Field::Number), (2, Field::Bool), (3, Field::Bool)]);
const TIME_UNIT: Field = Field::Struct(&[(1, EMPTY), (2, EMPTY), (3, EMPTY)]);
const TIME: Field = Field::Struct(&[(1, Field::Bool), (2, TIME_UNIT)]);

const LOGICAL_TYPE: Field = Field::Struct(&[
    (1, EMPTY),
    (2, EMPTY),
    (3, EMPTY),
    (4, EMPTY),
    // Decimal.
    (5, Field::Struct(&[(1, Field::Number), (2, Field::Number)])),
    (6, EMPTY),
    (7, TIME),
    // Timestamp.
    (8, TIME),
    // Integer.
    (10, Field::Struct(&[(1, Field::Byte), (2, Field::Bool)])),
    (11, EMPTY),
    (12, EMPTY),
    (13, EMPTY),
    (14, EMPTY),
    (15, EMPTY),
    // Variant.
    (16, Field::Struct(&[(1, Field::Byte)])),
    // Geometry.
    (17, Field::Struct(&[(1, Field::Binary)])),
    // Geography.
    (18, Field::Struct(&[(1, Field::Binary), (2, Field::Number)])),
]);

const SCHEMA_ELEMENT: Fields = &[
    (1, Field::Number),
    (2, Field::Number),
    (3, Field::Number),
    (4, Field::Binary),
    (5, Field::Children),
    (6, Field::Number),
    (7, Field::Number),
    (8, Field::Number),
    (9, Field::Number),
    (10, LOGICAL_TYPE),
];

const STATISTICS: Field = Field::Struct(&[
    (1, Field::Binary),
    (2, Field::Binary),
    (3, Field::Number),
    (4, Field::Number),
    (5, Field::Binary),
    (6, Field::Binary),
    (7, Field::Bool),
    (8, Field::Bool),
]);

const PAGE_ENCODING: Field = Field::Struct(&[(1, Field::Number), (2, Field::Number), (3, Field::Number)]);
const SIZES: Field = Field::Struct(&[
    (1, Field::Number),
    (2, Field::List(Some(&Field::Number), ANY)),
    (3, Field::List(Some(&Field::Number), ANY)),
]);

const BOUNDING_BOX: Field = Field::Struct(&[
    (1, Field::Double),
    (2, Field::Double),
    (3, Field::Double),
    (4, Field::Double),
    (5, Field::Double),
    (6, Field::Double),
    (7, Field::Double),
    (8, Field::Double),
]);
const GEOSPATIAL: Field = Field::Struct(&[(1, BOUNDING_BOX), (2, Field::List(Some(&Field::Number), ANY))]);

const COLUMN_METADATA: Field = Field::Struct(&[
    (1, Field::Number),
    (2, Field::List(Some(&Field::Number), ANY)),
    (4, Field::Number),
    (5, Field::Number),
    (6, Field::Number),
    (7, Field::Number),
    (9, Field::Number),
    (10, Field::Number),
    (11, Field::Number),
    (12, STATISTICS),
    (13, Field::List(Some(&PAGE_ENCODING), ANY)),
    (14, Field::Number),
    (15, Field::Number),
    (16, SIZES),
    (17, GEOSPATIAL),
]);

const COLUMN_CHUNK: Field = Field::Struct(&[
    (1, Field::Binary),
    (2, Field::Number),
    (3, COLUMN_METADATA),
    (4, Field::Number),
    (5, Field::Number),
    (6, Field::Number),
    (7, Field::Number),
]);

const ROW_GROUP: Field = Field::Struct(&[
    (1, Field::List(Some(&COLUMN_CHUNK), ANY)),
    (2, Field::Number),
    (3, Field::Number),
    (4, Field::List(Some(&SORTING_COLUMN), ANY)),
    (5, Field::Number),
    (7, Field::Number),
]);

const FILE: Fields = &[
    (1, Field::Number),
    (2, Field::List(Some(&Field::Column), ANY)),
    (3, Field::Number),
    (4, Field::List(Some(&ROW_GROUP), MOST_ROW_GROUPS)),
    (5, Field::List(Some(&KEY_VALUE), ANY)),
    (6, Field::Binary),
    (7, Field::List(Some(&COLUMN_ORDER), ANY)),
];

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
            let field = known.iter().find(|(known, _)| *known == id).map(|(_, field)| field);
            self.value(stated, field, depth + 1)?;
        }
    }

    /// A value of the type that the footer states, which must be that of the field if that is known.
    fn value(&mut self, stated: u8, known: Option<&'static Field>, depth: usize) -> Result<(), ParquetError> {
        if depth > DEEPEST_FIELD {
            return Err(malformed());
        }
        match (known.or_else(|| unknown(stated)).ok_or_else(malformed)?, stated) {
            (Field::Bool, TRUE | FALSE) => Ok(()),
            (Field::Byte, BYTE) => self.skip(1),
            (Field::Number, I16..=I64) => self.rest.number().map(|_| ()).ok_or_else(malformed),
            (Field::Double, DOUBLE) => self.skip(8),
            (Field::Binary, BINARY) => {
                let length = self.rest.number().ok_or_else(malformed)?;
                self.skip(length)
            }
            (Field::List(of, most), LIST) => self.list(*of, *most, depth),
            (Field::Struct(fields), STRUCT) => self.fields(fields, depth),
            (Field::Column, STRUCT) => self.column(depth),
            (Field::Children, I16..=I64) => {
                let more = self.rest.natural().ok_or_else(malformed)?;
                self.children = self.children.saturating_add(more);
                Ok(())
            }
            _ => Err(malformed()),
        }
    }

    fn list(&mut self, of: Option<&'static Field>, most: u64, depth: usize) -> Result<(), ParquetError> {
        let header = self.rest.byte().ok_or_else(malformed)?;
        let (short_count, stated) = (header >> 4, header & 0x0f);
        let count = if short_count == 15 { self.rest.number().ok_or_else(malformed)? } else { u64::from(short_count) };
        // An element has at least a byte.
        let most = most.min(self.rest.0.len() as u64);
        if count > most {
            return Err(ParquetError::General(format!("a list of {count} elements where at most {most} are possible")));
        }
        if matches!(of, Some(Field::Column)) {
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

/// A field that is not known, by the type that the footer states.
fn unknown(stated: u8) -> Option<&'static Field> {
    match stated {
        TRUE | FALSE => Some(&Field::Bool),
        BYTE => Some(&Field::Byte),
        I16..=I64 => Some(&Field::Number),
        DOUBLE => Some(&Field::Double),
        BINARY => Some(&Field::Binary),
        LIST => Some(&Field::List(None, ANY)),
        STRUCT => Some(&EMPTY),
        _ => None,
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
