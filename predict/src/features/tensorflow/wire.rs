//! Fields of protobuf messages, one after the other, without copies: <https://protobuf.dev/programming-guides/encoding/>.

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field<'a> {
    /// A whole number.
    Number(u64),
    /// A message, a text or packed numbers.
    Bytes(&'a [u8]),
    /// A number of fixed size, which is not read.
    Fixed,
}

/// The fields of a message, each with its number.
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    place: usize,
    is_over: bool,
}

impl<'a> Fields<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, place: 0, is_over: false }
    }

    fn field(&mut self) -> Result<(u64, Field<'a>), String> {
        let start = self.place;
        let wrong = |what: &str| format!("byte {start} of a message: {what}; truncated or damaged");
        let key = number(self.bytes, &mut self.place).ok_or_else(|| wrong("an incomplete number"))?;
        let length = match key & 7 {
            0 => {
                let value = number(self.bytes, &mut self.place).ok_or_else(|| wrong("an incomplete number"))?;
                return Ok((key >> 3, Field::Number(value)));
            }
            1 => 8,
            5 => 4,
            2 => number(self.bytes, &mut self.place).ok_or_else(|| wrong("an incomplete number"))?,
            kind => return Err(wrong(&format!("a field of type {kind}"))),
        };
        let end = usize::try_from(length).ok().and_then(|length| self.place.checked_add(length));
        let content = end.and_then(|end| Some((end, self.bytes.get(self.place..end)?)));
        let (end, content) = content.ok_or_else(|| wrong("a field that ends beyond the message"))?;
        self.place = end;
        Ok((key >> 3, if key & 7 == 2 { Field::Bytes(content) } else { Field::Fixed }))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Field<'a>), String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over || self.place >= self.bytes.len() {
            return None;
        }
        let field = self.field();
        self.is_over = field.is_err();
        Some(field)
    }
}

/// The first text in a field of a message; empty if there is none.
pub(super) fn first_text(bytes: &[u8], number: u64) -> &str {
    let found = Fields::of(bytes).filter_map(Result::ok).find_map(|field| match field {
        (found, Field::Bytes(content)) if found == number => Some(content),
        _ => None,
    });
    found.and_then(|content| std::str::from_utf8(content).ok()).unwrap_or_default()
}

/// A number of seven bits a byte, the lowest first.
fn number(bytes: &[u8], place: &mut usize) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..70).step_by(7) {
        let byte = *bytes.get(*place)?;
        *place += 1;
        number |= u64::from(byte & 127).checked_shl(shift).unwrap_or(0);
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

/// Packed numbers, at most so many.
pub(super) fn packed(bytes: &[u8], most: usize) -> Option<Vec<i64>> {
    let (mut numbers, mut place) = (Vec::new(), 0);
    while place < bytes.len() {
        if numbers.len() == most {
            return None;
        }
        numbers.push(number(bytes, &mut place)?.cast_signed());
    }
    Some(numbers)
}
