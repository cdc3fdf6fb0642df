//! Whether every number of a result is finite: the one check before a result is written.
//!
//! JSON has no infinity, and writes null for it; a table writes “∞” and looks like a result. Both came of input that no
//! computation can use, and are refused with the name of the number.

use std::fmt::{self, Display};

use serde::ser::{self, Serialize, Serializer};

/// A result has a number that is not finite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no result: {path} would be {value}; numbers of the input are too large, or too small, to compute with")]
pub struct NotFinite {
    /// The path of the number in the result.
    pub path: String,
    /// "inf", "-inf" or "NaN".
    pub value: String,
}

/// Checks every number of a result, however deep.
///
/// # Errors
/// The first number that is not finite.
pub fn check(result: &(impl Serialize + ?Sized)) -> Result<(), NotFinite> {
    let mut walk = Walk { path: Vec::new(), key: None };
    match result.serialize(&mut walk) {
        Err(Stop(Some(value))) => Err(NotFinite { path: walk.path.join("."), value: value.to_string() }),
        // A record that cannot be serialised is the writer's concern.
        Ok(()) | Err(Stop(None)) => Ok(()),
    }
}

/// Goes through a record; the path stays where the walk stopped.
struct Walk {
    path: Vec<String>,
    /// The key of a map that is being read, if it is a text.
    key: Option<String>,
}

/// Why the walk stopped: at this number, or because the record failed.
#[derive(Debug)]
struct Stop(Option<f64>);

impl Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped")
    }
}

impl std::error::Error for Stop {}

impl ser::Error for Stop {
    fn custom<T: Display>(_: T) -> Self {
        Self(None)
    }
}

impl Walk {
    fn below<T: Serialize + ?Sized>(&mut self, name: String, value: &T) -> Result<(), Stop> {
        self.path.push(name);
        value.serialize(&mut *self)?;
        self.path.pop();
        Ok(())
    }
}

/// The parts of a list, a map or a record.
struct Parts<'a> {
    walk: &'a mut Walk,
    count: usize,
}

impl Parts<'_> {
    fn numbered<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        let name = self.count.to_string();
        self.count += 1;
        self.walk.below(name, value)
    }
}

/// Methods for values that are no floating-point numbers.
macro_rules! sound {
    ($($method:ident: $type:ty),*) => { $(fn $method(self, _: $type) -> Result<(), Stop> { Ok(()) })* };
}

impl<'a> Serializer for &'a mut Walk {
    type Ok = ();
    type Error = Stop;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    sound!(serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64);
    sound!(serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64);
    sound!(serialize_char: char, serialize_bytes: &[u8], serialize_unit_struct: &'static str);

    fn serialize_str(self, text: &str) -> Result<(), Stop> {
        if let Some(key) = &mut self.key {
            text.clone_into(key);
        }
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Stop> {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Stop> {
        if value.is_finite() { Ok(()) } else { Err(Stop(Some(value))) }
    }

    fn serialize_none(self) -> Result<(), Stop> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Stop> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Stop> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), Stop> {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Stop> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Stop> {
        self.below(variant.to_owned(), value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, Stop> {
        Ok(Parts { walk: self, count: 0 })
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>, Stop> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Stop> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<Parts<'a>, Stop> {
        self.serialize_seq(None)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'a>, Stop> {
        self.serialize_seq(None)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a>, Stop> {
        self.serialize_seq(None)
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<Parts<'a>, Stop> {
        self.serialize_seq(None)
    }
}

/// Lists, whose parts have numbers.
macro_rules! lists {
    ($($list:ident: $method:ident),*) => { $(
        impl ser::$list for Parts<'_> {
            type Ok = ();
            type Error = Stop;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
                self.numbered(value)
            }

            fn end(self) -> Result<(), Stop> {
                Ok(())
            }
        }
    )* };
}

lists!(SerializeSeq: serialize_element, SerializeTuple: serialize_element);
lists!(SerializeTupleStruct: serialize_field, SerializeTupleVariant: serialize_field);

impl ser::SerializeMap for Parts<'_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Stop> {
        self.walk.key = Some(String::new());
        key.serialize(&mut *self.walk)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        match self.walk.key.take().filter(|key| !key.is_empty()) {
            Some(key) => self.walk.below(key, value),
            None => self.numbered(value),
        }
    }

    fn end(self) -> Result<(), Stop> {
        Ok(())
    }
}

/// Records, whose parts have names.
macro_rules! records {
    ($($record:ident),*) => { $(
        impl ser::$record for Parts<'_> {
            type Ok = ();
            type Error = Stop;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Stop> {
                self.walk.below(key.to_owned(), value)
            }

            fn end(self) -> Result<(), Stop> {
                Ok(())
            }
        }
    )* };
}

records!(SerializeStruct, SerializeStructVariant);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;

    use super::*;

    #[derive(Serialize)]
    struct Outer {
        name: &'static str,
        rows: Vec<Inner>,
        pair: (f64, Option<f32>),
        by_name: BTreeMap<String, f64>,
        kind: Kind,
        #[serde(flatten)]
        flat: Inner,
    }

    #[derive(Serialize)]
    struct Inner {
        seconds: Option<f64>,
    }

    #[derive(Serialize)]
    enum Kind {
        None,
        Rate(f64),
        Range { low: f64 },
    }

    fn outer() -> Outer {
        let rows = vec![Inner { seconds: Some(f64::MAX) }, Inner { seconds: None }];
        let by_name = BTreeMap::from([("a".to_owned(), f64::MIN_POSITIVE)]);
        let flat = Inner { seconds: None };
        Outer { name: "inf NaN ∞", rows, pair: (-0.0, Some(f32::MAX)), by_name, kind: Kind::None, flat }
    }

    #[test]
    fn every_number_is_found_however_deep() {
        assert_eq!(check(&outer()), Ok(()));
        let found = |change: &dyn Fn(&mut Outer)| {
            let mut outer = outer();
            change(&mut outer);
            let NotFinite { path, value } = check(&outer).expect_err("not finite");
            (path, value)
        };
        let is = |path: &str, value: &str| (path.to_owned(), value.to_owned());
        assert_eq!(found(&|outer| outer.rows[1].seconds = Some(f64::INFINITY)), is("rows.1.seconds", "inf"));
        assert_eq!(found(&|outer| outer.pair.0 = f64::NEG_INFINITY), is("pair.0", "-inf"));
        assert_eq!(found(&|outer| outer.pair.1 = Some(f32::NAN)), is("pair.1", "NaN"));
        let in_map = found(&|outer| _ = outer.by_name.insert("b".to_owned(), f64::NAN));
        assert_eq!(in_map, is("by_name.b", "NaN"));
        assert_eq!(found(&|outer| outer.kind = Kind::Rate(f64::INFINITY)), is("kind.Rate", "inf"));
        assert_eq!(found(&|outer| outer.kind = Kind::Range { low: f64::NAN }), is("kind.low", "NaN"));
        // What is flattened is written as a map.
        assert_eq!(found(&|outer| outer.flat.seconds = Some(f64::NAN)), is("seconds", "NaN"));
    }
}
