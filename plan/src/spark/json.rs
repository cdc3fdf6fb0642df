//! JSON read piece by piece, so that its depth needs no stack.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr2;
use serde::de::{Deserialize, Deserializer, Visitor};

/// A text that is not the JSON that was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

impl From<serde_json::Error> for Malformed {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

/// A JSON text and a place in it.
pub(super) struct Json<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Json<'a> {
    /// The beginning of a text.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Steps over `byte` if it is the next one.
    pub(super) fn takes(&mut self, byte: u8) -> bool {
        self.pass_space();
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn pass_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    /// Steps over `byte`.
    pub(super) fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.takes(byte) { Ok(()) } else { Err(Malformed) }
    }

    /// Reads a value, which may be nested 128 levels deep.
    pub(super) fn value<T: Deserialize<'a>>(&mut self) -> Result<T, Malformed> {
        let mut values = serde_json::Deserializer::from_slice(&self.text[self.at..]).into_iter::<T>();
        let value = values.next().ok_or(Malformed)??;
        self.at += values.byte_offset();
        Ok(value)
    }

    /// Reads the name of a field and its colon: as it is written, which is as it is meant where it has no escapes.
    pub(super) fn name(&mut self) -> Result<Cow<'a, [u8]>, Malformed> {
        self.expect(b'"')?;
        let rest = &self.text[self.at..];
        let name = match quote_or_escape(rest) {
            Some(end) if rest[end] == b'"' => {
                self.at += end + 1;
                Cow::Borrowed(&rest[..end])
            }
            Some(_) => {
                self.at -= 1;
                Cow::Owned(self.value::<String>()?.into_bytes())
            }
            None => return Err(Malformed),
        };
        self.expect(b':')?;
        Ok(name)
    }

    /// Reads an object: `each` is given the name of every field, and reads the value or steps over it.
    pub(super) fn object(
        &mut self,
        mut each: impl FnMut(&mut Self, &[u8]) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        self.expect(b'{')?;
        if self.takes(b'}') {
            return Ok(());
        }
        loop {
            let name = self.name()?;
            each(self, &name)?;
            if !self.more(b'}')? {
                return Ok(());
            }
        }
    }

    /// Reads a list: `each` reads an element.
    pub(super) fn list(&mut self, mut each: impl FnMut(&mut Self) -> Result<(), Malformed>) -> Result<(), Malformed> {
        self.expect(b'[')?;
        if self.takes(b']') {
            return Ok(());
        }
        loop {
            each(self)?;
            if !self.more(b']')? {
                return Ok(());
            }
        }
    }

    /// Steps over `null` if it is the next value.
    pub(super) fn takes_null(&mut self) -> bool {
        if !self.takes(b'n') {
            return false;
        }
        self.at -= 1;
        let is_null = self.text[self.at..].starts_with(b"null");
        self.at += if is_null { 4 } else { 0 };
        is_null
    }

    /// Reads a number.
    pub(super) fn number(&mut self) -> Result<f64, Malformed> {
        match self.digits() {
            Some(number) => Ok(number as f64),
            None => self.value(),
        }
    }

    /// Reads a whole number that is not negative.
    pub(super) fn whole(&mut self) -> Result<u64, Malformed> {
        match self.digits() {
            Some(number) => Ok(number),
            None => self.value(),
        }
    }

    /// Steps over a number of up to 15 digits and nothing else.
    fn digits(&mut self) -> Option<u64> {
        self.pass_space();
        let rest = &self.text[self.at..];
        let count = rest.iter().take(MOST_DIGITS + 1).take_while(|byte| byte.is_ascii_digit()).count();
        let number = whole(&rest[..count])?;
        if matches!(rest.get(count), Some(b'.' | b'e' | b'E')) {
            return None;
        }
        self.at += count;
        Some(number)
    }

    /// Steps over a value and gives it as it is written. Brackets are counted, and what is between them is not looked at; it may be
    /// nested as deeply as it likes.
    pub(super) fn skip(&mut self) -> Result<&'a [u8], Malformed> {
        self.pass_space();
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match self.text.get(self.at).ok_or(Malformed)? {
                b'"' => self.skip_string()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1).ok_or(Malformed)?;
                    self.at += 1;
                }
                b',' | b':' if depth == 0 => return Err(Malformed),
                b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    let rest = &self.text[self.at..];
                    self.at += rest.iter().position(|byte| ENDS[usize::from(*byte)]).unwrap_or(rest.len());
                }
            }
            if depth == 0 {
                return Ok(&self.text[start..self.at]);
            }
        }
    }

    fn skip_string(&mut self) -> Result<(), Malformed> {
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..).ok_or(Malformed)?;
            let end = quote_or_escape(rest).ok_or(Malformed)?;
            if rest[end] == b'"' {
                self.at += end + 1;
                return Ok(());
            }
            // Whatever is escaped ends no string.
            self.at += end + 2;
        }
    }

    /// Whether nothing follows but white space.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.pass_space();
        self.at == self.text.len()
    }

    /// Whether another field or element follows; otherwise steps over `close`.
    pub(super) fn more(&mut self, close: u8) -> Result<bool, Malformed> {
        if self.takes(b',') { Ok(true) } else { self.expect(close).map(|()| false) }
    }
}

/// So many digits are exact in every type of number.
const MOST_DIGITS: usize = 15;

/// The number that a text is, if it is one of up to 15 digits and nothing else.
pub(super) fn whole(text: &[u8]) -> Option<u64> {
    // JSON has no zeros before other digits.
    let is_short = matches!(text, [_] | [b'1'..=b'9', ..]) && text.len() <= MOST_DIGITS;
    if !is_short {
        return None;
    }
    text.iter().try_fold(0, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u64::from(byte - b'0')))
}

/// Whether a byte ends a number or a word such as `true`: those that begin something else.
const ENDS: [bool; 256] = {
    let mut ends = [false; 256];
    let mut bytes: &[u8] = b",:{}[]\" \t\r\n";
    while let [first, rest @ ..] = bytes {
        ends[*first as usize] = true;
        bytes = rest;
    }
    ends
};

/// Place of the first quote or backslash. Most strings are short: those are looked through by words, without the call of
/// a search that is for long ones.
fn quote_or_escape(text: &[u8]) -> Option<usize> {
    /// Words that are looked at.
    const WORDS: usize = 4;

    let (words, _) = text.as_chunks::<8>();
    let mut passed = 0;
    for word in words.iter().take(WORDS) {
        let word = u64::from_le_bytes(*word);
        let found = zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\')));
        if found != 0 {
            return Some(passed + found.trailing_zeros() as usize / 8);
        }
        passed += 8;
    }
    Some(passed + memchr2(b'"', b'\\', &text[passed..])?)
}

/// A 1 in every byte.
const ONES: u64 = u64::MAX / 255;

/// The highest bit of the first byte that is 0, and perhaps of some behind it; none if no byte is 0.
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & (ONES << 7)
}

/// A string of a JSON text, borrowed from it where it has no escapes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// Any JSON.
    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[\"\\\\{}a]{0,70}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    /// A value as it is written with some white space, or with much.
    fn written(value: &Value, is_spaced: bool) -> String {
        if is_spaced { format!(" \r\n{value:#}\t") } else { value.to_string() }
    }

    /// All of a value, read piece by piece.
    fn read(json: &mut Json<'_>, like: &Value) -> Result<Value, Malformed> {
        Ok(match like {
            Value::Object(_) => {
                let mut fields = serde_json::Map::new();
                json.object(|json, name| {
                    let name = std::str::from_utf8(name).map_err(|_| Malformed)?.to_owned();
                    // One that was not written as it is meant is not found, and so not looked into.
                    let like = like.get(&name).cloned().unwrap_or_default();
                    fields.insert(name, read(json, &like)?);
                    Ok(())
                })?;
                Value::Object(fields)
            }
            Value::Array(elements) => {
                let (mut list, mut like) = (Vec::new(), elements.iter());
                json.list(|json| {
                    list.push(read(json, like.next().ok_or(Malformed)?)?);
                    Ok(())
                })?;
                Value::Array(list)
            }
            Value::Null if json.takes_null() => Value::Null,
            Value::Number(number) if number.is_u64() => json.whole()?.into(),
            Value::Number(number) if number.is_f64() => json.number()?.into(),
            _ => json.value()?,
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(value in values(), is_spaced: bool) {
            let text = written(&value, is_spaced);
            let mut json = Json::new(text.as_bytes());
            prop_assert_eq!(read(&mut json, &value), Ok(value));
            prop_assert!(json.is_at_end());
        }

        #[test]
        fn what_is_stepped_over_is_what_was_written(value in values(), is_spaced: bool) {
            let text = format!("{},1", written(&value, is_spaced));
            let mut json = Json::new(text.as_bytes());
            let skipped = json.skip().map(|skipped| serde_json::from_slice(skipped).ok());
            prop_assert_eq!(skipped, Ok(Some(value)));
            prop_assert!(json.takes(b',') && json.whole() == Ok(1) && json.is_at_end());
        }

        /// Whatever it is, it ends, and nothing is read behind it.
        #[test]
        fn every_text_ends(text in prop::collection::vec(prop_oneof![prop::sample::select(&b"{}[]\":,\\ 01\x0c"[..]), any::<u8>()], 0..60)) {
            let mut json = Json::new(&text);
            while json.skip().is_ok_and(|skipped| !skipped.is_empty()) {
                prop_assert!(json.at <= text.len());
            }
        }

        #[test]
        fn a_string_ends_at_its_quote(before in "[^\"\\\\]{0,80}", after in ".{0,20}", end in "[\"\\\\]") {
            let text = format!("{before}{end}{after}");
            prop_assert_eq!(quote_or_escape(text.as_bytes()), Some(before.len()));
            prop_assert_eq!(quote_or_escape(before.as_bytes()), None);
        }
    }

    #[test]
    fn numbers_in_short() {
        let cases =
            [("0", Some(0)), ("7", Some(7)), ("07", None), ("", None), ("-1", None), ("1.5", None), ("١", None)];
        for (text, number) in
            cases.into_iter().chain([("123456789012345", Some(123_456_789_012_345)), ("1234567890123456", None)])
        {
            assert_eq!(whole(text.as_bytes()), number, "{text}");
        }
    }
}
