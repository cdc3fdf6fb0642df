//! Times that stand behind the nodes of a plan, because they are outside of it:
//!
//! ```text
//! Trigger for constraint c: time=1.500 calls=3
//! Serialization: time=0.100 ms  output=1kB  format=text
//! ```

use serde_json::{Map, Value};

use super::parsed;

/// The times of one statement.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outside {
    /// Its triggers, each with its time unless it ran with `TIMING OFF`.
    triggers: Vec<Value>,
    /// What turning its rows into text took.
    serialization: Option<Value>,
}

impl Outside {
    /// Takes a line, if it has such a time.
    ///
    /// # Errors
    /// The time is no number.
    pub(super) fn take(&mut self, words: &str) -> Result<(), String> {
        if let Some((name, measures)) = words.strip_prefix("Trigger ").and_then(|rest| rest.rsplit_once(": ")) {
            let mut trigger = Map::from_iter([("Trigger Name".to_owned(), Value::from(name))]);
            trigger.extend(time(measures)?);
            self.triggers.push(Value::Object(trigger));
        } else if let Some(measures) = words.strip_prefix("Serialization: ") {
            self.serialization = time(measures)?.map(|time| Value::Object(Map::from_iter([time])));
        }
        Ok(())
    }

    /// The fields that they are of the statement in JSON.
    pub(super) fn fields(self) -> impl Iterator<Item = (String, Value)> {
        let triggers = (!self.triggers.is_empty()).then(|| ("Triggers".to_owned(), Value::Array(self.triggers)));
        triggers.into_iter().chain(self.serialization.map(|part| ("Serialization".to_owned(), part)))
    }
}

/// The field `Time` of measures such as "time=1.500 calls=3".
fn time(measures: &str) -> Result<Option<(String, Value)>, String> {
    let time = measures.split_whitespace().find_map(|word| word.strip_prefix("time="));
    Ok(time.map(parsed).transpose()?.map(|time| ("Time".to_owned(), time)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// As `explain.c` prints them: with the name of the trigger or of its constraint, and with the table if there are several.
    #[test]
    fn triggers_and_rows_as_text_have_the_fields_of_json() {
        let mut outside = Outside::default();
        for line in [
            "Planning Time: 0.116 ms",
            "Trigger for constraint c: time=1.500 calls=3",
            "Trigger \"a: b\" on t: time=0.250 calls=1",
            "Trigger without_time: calls=2",
            "Serialization: time=0.100 ms  output=1kB  format=text",
        ] {
            assert_eq!(outside.take(line), Ok(()), "{line}");
        }
        let triggers = json!([
            {"Trigger Name": "for constraint c", "Time": 1.5},
            {"Trigger Name": "\"a: b\" on t", "Time": 0.25},
            {"Trigger Name": "without_time"},
        ]);
        let expected = [("Triggers".to_owned(), triggers), ("Serialization".to_owned(), json!({"Time": 0.1}))];
        assert_eq!(outside.fields().collect::<Vec<_>>(), expected);
        assert_eq!(Outside::default().fields().next(), None);
    }

    #[test]
    fn a_time_that_is_no_number_is_damage() {
        let problem = Outside::default().take("Trigger t: time=fast calls=1");
        assert_eq!(problem, Err("“fast” is not a number".to_owned()));
    }
}
