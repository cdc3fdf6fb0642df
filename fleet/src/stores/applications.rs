//! The applications of a History Server: `/api/v1/applications`.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};

use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, de};

use super::network::Failure;

/// Most applications of one server.
const MOST_APPLICATIONS: usize = 1_000_000;
/// Longest id of an application or attempt.
const LONGEST_ID: usize = 1000;
/// Longest list, bytes.
const LONGEST: u64 = 2 << 30;

/// Attempts of each application.
pub(super) type Applications = BTreeMap<String, Vec<Attempt>>;

/// One application.
#[derive(Debug, Deserialize)]
pub(super) struct Application {
    id: String,
    #[serde(default)]
    attempts: Vec<Attempt>,
}

/// One attempt of an application.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Attempt {
    /// Id of the attempt; in client mode there is none.
    #[serde(default, rename = "attemptId")]
    pub(super) number: Option<String>,
    /// When its log was written last, milliseconds since 1970.
    #[serde(default)]
    last_updated_epoch: i64,
    /// The same as text; old servers have no number.
    #[serde(default)]
    last_updated: Option<String>,
}

impl Attempt {
    /// When its log was written last, nanoseconds since 1970; 0 if unknown.
    pub(super) fn modified_ns(&self) -> u64 {
        u64::try_from(self.last_updated_epoch).unwrap_or(0).saturating_mul(1_000_000)
    }

    /// The same as text of the server.
    pub(super) fn tag(&self) -> Option<String> {
        self.last_updated.clone()
    }
}

/// Reads the list of all applications, without the whole of its text in memory.
///
/// # Errors
/// It cannot be read, or is no such list.
pub(super) fn all(text: impl Read) -> Result<Applications, Failure> {
    let mut applications = Applications::new();
    parsed(text, Many(&mut applications))?;
    Ok(applications)
}

/// Reads one application.
///
/// # Errors
/// As [`all`].
pub(super) fn one(text: impl Read) -> Result<Applications, Failure> {
    let mut applications = Applications::new();
    parsed(text, One(&mut applications))?;
    Ok(applications)
}

fn parsed<'de, T: DeserializeSeed<'de, Value = ()>>(text: impl Read, what: T) -> Result<(), Failure> {
    let mut json = serde_json::Deserializer::from_reader(io::BufReader::new(text.take(LONGEST)));
    let read = what.deserialize(&mut json).and_then(|()| json.end());
    read.map_err(|error| {
        if error.is_io() {
            return Failure::of(error.into());
        }
        let why = format!("its list of applications cannot be read ({error}); expected that of a Spark History Server");
        // A truncated response may be complete the next time.
        if error.is_eof() { Failure::passing(why) } else { Failure::lasting(why) }
    })
}

fn add<E: de::Error>(applications: &mut Applications, application: Application) -> Result<(), E> {
    let Application { id, attempts } = application;
    let ids = attempts.iter().filter_map(|attempt| attempt.number.as_ref()).chain([&id]);
    if ids.into_iter().any(|id| id.len() > LONGEST_ID) {
        return Err(E::custom(format!("an id has more than {LONGEST_ID} characters")));
    }
    applications.entry(id).or_default().extend(attempts);
    if applications.len() > MOST_APPLICATIONS {
        return Err(E::custom(format!("more than {MOST_APPLICATIONS} applications")));
    }
    Ok(())
}

struct Many<'a>(&'a mut Applications);

impl<'de> DeserializeSeed<'de> for Many<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Many<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of applications")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(application) = list.next_element()? {
            add(self.0, application)?;
        }
        Ok(())
    }
}

struct One<'a>(&'a mut Applications);

impl<'de> DeserializeSeed<'de> for One<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        add(self.0, Application::deserialize(json)?)
    }
}
