//! JSON read piece by piece, so that its depth needs no stack.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, Visitor};

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
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    /// Steps over `byte`.
    pub(super) fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.takes(byte) { Ok(()) } else { Err(Malformed) }
    }

    /// Reads a value. One that is ignored may be nested as deeply as it likes, any other 128 levels.
    pub(super) fn value<T: Deserialize<'a>>(&mut self) -> Result<T, Malformed> {
        let mut values = serde_json::Deserializer::from_slice(&self.text[self.at..]).into_iter::<T>();
        let value = values.next().ok_or(Malformed)??;
        self.at += values.byte_offset();
        Ok(value)
    }

    /// Reads the name of a field and its colon.
    pub(super) fn name(&mut self) -> Result<Text<'a>, Malformed> {
        let name = self.value()?;
        self.expect(b':')?;
        Ok(name)
    }

    /// Steps over a value.
    pub(super) fn skip(&mut self) -> Result<(), Malformed> {
        self.value::<IgnoredAny>().map(|_| ())
    }

    /// Whether another field or element follows; otherwise steps over `close`.
    pub(super) fn more(&mut self, close: u8) -> Result<bool, Malformed> {
        if self.takes(b',') { Ok(true) } else { self.expect(close).map(|()| false) }
    }
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
