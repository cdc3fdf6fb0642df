//! The header of a dictionary page of Parquet: how many different values a column has in a row group, and how many bytes they take.
//!
//! The crate `parquet` reads it, but keeps it to itself. Its structures are `PageHeader` and `DictionaryPageHeader` of parquet.thrift
//! (apache/parquet-format), in Thrift's compact protocol.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use super::thrift::Compact;

/// Bytes that hold any header: eight fields of at most eleven bytes.
const LARGEST_HEADER: u64 = 96;
/// Thrift's types of fields: a number of 32 bits, and a structure.
const INTEGER: u8 = 5;
const STRUCTURE: u8 = 12;
/// `PageType.DICTIONARY_PAGE`.
const DICTIONARY_PAGE: u64 = 2;

/// The different values of a column in a row group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dictionary {
    /// How many.
    pub(super) values: f64,
    /// Their bytes, not compressed; a text has four more for its length.
    pub(super) bytes: f64,
}

impl Dictionary {
    /// The dictionary that begins at this byte of a file; `None` if there is no header of one.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn at(mut file: &File, start: u64) -> io::Result<Option<Self>> {
        let mut header = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        file.take(LARGEST_HEADER).read_to_end(&mut header)?;
        Ok(Self::parse(&header))
    }

    fn parse(header: &[u8]) -> Option<Self> {
        let mut fields = Compact(header);
        let (mut id, mut bytes) = (0, None);
        loop {
            let (next, kind) = next_field(&mut fields, id)?;
            id = next;
            match (id, kind) {
                (1, INTEGER) => {
                    if fields.natural()? != DICTIONARY_PAGE {
                        return None;
                    }
                }
                (2, INTEGER) => bytes = Some(fields.natural()?),
                // The compressed size, and a checksum of any sign.
                (_, INTEGER) => {
                    fields.number()?;
                }
                (7, STRUCTURE) => {
                    let (1, INTEGER) = next_field(&mut fields, 0)? else { return None };
                    return Some(Self { values: fields.natural()? as f64, bytes: bytes? as f64 });
                }
                _ => return None,
            }
        }
    }
}

/// Id and type of the next field, behind the one with the id `last`; `None` at the end of the structure.
fn next_field(fields: &mut Compact<'_>, last: u64) -> Option<(u64, u8)> {
    let head = fields.byte().filter(|head| *head != 0)?;
    let step = u64::from(head >> 4);
    let id = if step > 0 { last + step } else { fields.natural()? };
    Some((id, head & 0x0f))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the specification: a dictionary page (type 2) of 388 bytes, compressed 393, of 97 values in the encoding 0. A number with a sign
    /// is doubled: 388 is 776, which is 6 · 128 + 8.
    const HEADER: [u8; 15] = [0x15, 4, 0x15, 0x88, 6, 0x15, 0x92, 6, 0x4c, 0x15, 0xc2, 1, 0x15, 0, 0];

    #[test]
    fn a_header_states_values_and_bytes() {
        let expected = Some(Dictionary { values: 97.0, bytes: 388.0 });
        assert_eq!(Dictionary::parse(&HEADER), expected);
        // With a checksum of −1, which is 1: the dictionary is then three fields behind it.
        let mut with_checksum = HEADER.to_vec();
        with_checksum.splice(8..9, [0x15, 1, 0x3c]);
        assert_eq!(Dictionary::parse(&with_checksum), expected);
    }

    #[test]
    fn what_is_no_dictionary_has_no_values() {
        // A data page has the type 0.
        let mut data_page = HEADER;
        data_page[1] = 0;
        assert_eq!(Dictionary::parse(&data_page), None);
        for end in 0..12 {
            assert_eq!(Dictionary::parse(&HEADER[..end]), None, "cut off behind {end} bytes");
        }
        assert_eq!(Dictionary::parse(&[0xff; 96]), None);
    }
}
