//! The study of a scenario file, for tests of the crates on which the file format depends.

use std::fmt;
use std::marker::PhantomData;

use ron::extensions::Extensions;
use serde::de::{DeserializeOwned, Deserializer, EnumAccess, IgnoredAny, VariantAccess as _, Visitor};
use serde::{Deserialize, de};

/// The study in the text of a scenario, of whatever kind; the rest of the file is ignored.
///
/// # Panics
/// If there is none, or one that is no `S`.
#[must_use]
pub fn study_in<S: DeserializeOwned>(scenario: &str) -> S {
    let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
    let Scenario { study } = options.from_str(scenario).unwrap_or_else(|error| panic!("a scenario: {error}"));
    study
}

#[derive(Deserialize)]
struct Scenario<S: DeserializeOwned> {
    #[serde(deserialize_with = "any_variant")]
    study: S,
}

/// The name of a variant. [`IgnoredAny`] alone would take what the variant holds, too.
struct AnyName;

impl<'de> Deserialize<'de> for AnyName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(IgnoredAny).map(|_| Self)
    }
}

/// What a variant with one value holds, whatever its name.
fn any_variant<'de, D: Deserializer<'de>, S: DeserializeOwned>(deserializer: D) -> Result<S, D::Error> {
    struct Inside<S>(PhantomData<S>);

    impl<'de, S: DeserializeOwned> Visitor<'de> for Inside<S> {
        type Value = S;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a study")
        }

        fn visit_enum<A: EnumAccess<'de>>(self, study: A) -> Result<S, A::Error> {
            let (AnyName, inside) = study.variant()?;
            inside.newtype_variant()
        }
    }

    deserializer.deserialize_enum("Study", &[], Inside(PhantomData)).map_err(de::Error::custom)
}
