//! An entry of a JSON file as a value, up to a limit: some megabytes of text can become gigabytes of values.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Most values of an entry. A cluster keeps an object only up to 1.5 MB.
const MOST_VALUES: usize = 1_000_000;

/// Makes a value of an entry, and counts what is in it.
pub(crate) struct Entry {
    left: usize,
}

impl Entry {
    /// Nothing counted yet.
    pub(crate) fn new() -> Self {
        Self { left: MOST_VALUES }
    }

    fn take<E: Error>(&mut self) -> Result<(), E> {
        let left = self.left.checked_sub(1);
        self.left = left.ok_or_else(|| E::custom(format!("an entry of more than {MOST_VALUES} values")))?;
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for &mut Entry {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.take()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Entry {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(&mut *self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(key) = map.next_key()? {
            values.insert(key, map.next_value_seed(&mut *self)?);
        }
        Ok(Value::Object(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Value, serde_json::Error> {
        Entry::new().deserialize(&mut serde_json::Deserializer::from_str(text))
    }

    #[test]
    fn a_value_is_what_serde_json_makes_of_it() {
        for text in [
            "null",
            "true",
            "-3",
            "18446744073709551615",
            "1.5e3",
            r#""a\n½""#,
            r#"[[], {"a": {"b": [1, "x"]}, "c": null}]"#,
        ] {
            assert_eq!(read(text).expect(text), serde_json::from_str::<Value>(text).expect(text));
        }
    }

    #[test]
    fn an_entry_of_more_values_than_any_is_refused() {
        let many = format!("[{}0]", "0,".repeat(MOST_VALUES));
        assert!(read(&many).expect_err("too many").to_string().starts_with("an entry of more than 1000000 values"));
    }
}
