//! Numbers in Thrift's compact protocol (apache/thrift, `doc/specs/thrift-compact-protocol.md`), in which Parquet has its footers and the
//! headers of its pages.

/// The bytes that are still to be read. A number that they do not contain is `None`.
#[derive(Debug)]
pub(super) struct Compact<'a>(pub(super) &'a [u8]);

impl Compact<'_> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A whole number in groups of seven bits, the lowest first.
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A whole number with its sign in the lowest bit; `None` if it is negative.
    pub(super) fn natural(&mut self) -> Option<u64> {
        let number = self.number()?;
        number.is_multiple_of(2).then_some(number / 2)
    }
}
