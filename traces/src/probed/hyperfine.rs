//! What `hyperfine --export-json` writes: version 1 with lists of times and exit codes, version 2 with a list of
//! measurements. <https://github.com/sharkdp/hyperfine>

use crossover_quantity::unread::{Unread, UnreadKind, suggests_time};
use serde::de::DeserializeSeed as _;
use serde_json::Value;

use super::Probed;
use super::found::RunCollector;
use super::quantity;
use super::when::when;
use crate::json_value::Entry;
use crate::left_out::shown;

/// Parameters that tell how many units there are, in the order in which they are looked for.
const UNITS: [&str; 5] = ["units", "threads", "num_threads", "np", "n"];

/// Times that are used, and those of the processor beside the time on the clock.
const TIMES: [&str; 4] = ["times", "time_wall_clock", "time_user", "time_system"];

/// Reads all results; each time is a run.
///
/// # Errors
/// It is no JSON, or has no list of results; with line and column.
pub(super) fn read(text: &str, found: &mut RunCollector) -> Result<(), String> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let export = Entry::new().deserialize(&mut parser).and_then(|export| parser.end().map(|()| export));
    let export = export.map_err(|error| error.to_string())?;
    let Some(results) = export.get("results").and_then(Value::as_array) else {
        return Err("“results” is not a list; expected output of `hyperfine --export-json`".to_owned());
    };
    let start = export.get("metadata").and_then(|metadata| metadata.get("start_time")).and_then(Value::as_str);
    let at_hours = start.and_then(when).map(|when| found.hours(when));
    for (place, result) in (1..).zip(results) {
        name_unread(result, &format!("result {place}"), found.unread());
        if let Err(problem) = read_result(place, result, at_hours, found) {
            // One that has only statistics counts as one run.
            let runs = ["measurements", "times"].iter().find_map(|key| Some(result.get(key)?.as_array()?.len()));
            found.leave_out(runs.unwrap_or(1), || format!("result {place}"), &problem);
        }
    }
    Ok(())
}

/// Names the times of a result and of its measurements that are not used.
fn name_unread(result: &Value, place: &str, unread: &mut Unread) {
    let measurements = result.get("measurements").and_then(Value::as_array);
    let objects = std::iter::once(result).chain(measurements.into_iter().flatten()).filter_map(Value::as_object);
    for name in objects.flat_map(serde_json::Map::keys).filter(|name| suggests_time(name)) {
        if !TIMES.contains(&name.as_str()) {
            unread.add(UnreadKind::Time, name, place);
        }
    }
}

/// A result: one command with one set of parameters.
fn read_result(place: usize, result: &Value, at_hours: Option<f64>, found: &mut RunCollector) -> Result<(), String> {
    let text = |key: &str| result.get(key).and_then(Value::as_str);
    let command = text("name").or_else(|| text("command")).ok_or("it has no “command”")?;
    let parameter = UNITS.iter().find_map(|name| Some((*name, parameter(result.get("parameters")?, name)?)));
    let (probe, units) = match &parameter {
        Some((name, value)) => (without(command, name, value), Some(quantity::units(name, value)?)),
        None => (command.to_owned(), None),
    };
    let runs = runs(result)?;
    let units = found.units(units, &probe);
    for (run, (seconds, failure)) in (1..).zip(runs) {
        if let Some(seconds) = seconds.as_f64().filter(|seconds| quantity::is_above_zero(*seconds)) {
            found.add(Probed { at_hours, seconds: Some(seconds), failure, ..Probed::new(probe.as_str(), units) });
        } else {
            let problem = format!("its time is {}; expected a number above 0", shown(&seconds.to_string()));
            found.leave_out(1, || format!("result {place} ({}), run {run}", shown(command)), &problem);
        }
    }
    Ok(())
}

/// The value of a parameter, which version 1 writes as a text and version 2 as an object.
fn parameter(parameters: &Value, name: &str) -> Option<String> {
    let (_, value) = parameters.as_object()?.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?;
    match value.get("value").unwrap_or(value) {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The time of each run, and why it does not count.
fn runs(result: &Value) -> Result<Vec<(&Value, Option<String>)>, String> {
    let list = |key: &str| result.get(key).and_then(Value::as_array);
    if let Some(measurements) = list("measurements") {
        let timed = measurements.iter().map(|of| {
            let time = of.pointer("/time_wall_clock/value").unwrap_or(&Value::Null);
            (time, failure(of.get("exit_code")))
        });
        return Ok(timed.collect());
    }
    let times = list("times").ok_or("it has no “times”: only statistics were exported")?;
    let codes = list("exit_codes");
    let failure_of = |place: usize| failure(codes.and_then(|codes| codes.get(place)));
    Ok(times.iter().enumerate().map(|(place, time)| (time, failure_of(place))).collect())
}

/// What an exit code tells; nothing where there is none, null where a signal ended the process.
fn failure(code: Option<&Value>) -> Option<String> {
    match code? {
        Value::Null => Some("terminated by a signal".to_owned()),
        code if code.as_i64() == Some(0) => None,
        code => Some(format!("exit code {}", shown(&code.to_string()))),
    }
}

/// The command as it was before the value took the place of the parameter, so that it is the same for all units; as it is
/// where the value is in it more than once, as the right one is unknown.
fn without(command: &str, name: &str, value: &str) -> String {
    let is_part = |character: Option<char>| character.is_some_and(|of| of.is_alphanumeric() || of == '.' || of == '_');
    let mut places = command.match_indices(value).map(|(at, _)| at).filter(|at| {
        let end = at + value.len();
        !is_part(command[..*at].chars().next_back()) && !is_part(command[end..].chars().next())
    });
    match (places.next(), places.next()) {
        (Some(at), None) if !value.is_empty() => {
            format!("{}{{{name}}}{}", &command[..at], &command[at + value.len()..])
        }
        _ => command.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> super::super::Read {
        let mut found = RunCollector::new(["result", "results"]);
        read(text, &mut found).expect("JSON");
        found.end(std::path::Path::new("a.json"), "result").expect("a run")
    }

    #[test]
    fn each_time_is_a_run_and_a_parameter_tells_the_units() {
        let read = found(
            r#"{"results": [
              {"command": "./sim -t 2", "mean": 1.5, "stddev": 0.1, "median": 1.5, "user": 1, "system": 0, "min": 1, "max": 2,
               "times": [1.25, 1.75], "exit_codes": [0, 1], "parameters": {"threads": "2"}},
              {"command": "./sim -t 4", "times": [0.75], "exit_codes": [null], "parameters": {"threads": "4"}},
              {"command": "sleep 1", "times": [1.0]}
            ]}"#,
        );
        let of: Vec<_> = read.runs.iter().map(|run| (run.probe.as_str(), run.units, run.seconds)).collect();
        let sim = "./sim -t {threads}";
        let expected =
            [(sim, 2.0, Some(1.25)), (sim, 2.0, Some(1.75)), (sim, 4.0, Some(0.75)), ("sleep 1", 1.0, Some(1.0))];
        assert_eq!(of, expected);
        let failures: Vec<_> = read.runs.iter().map(|run| run.failure.as_deref()).collect();
        assert_eq!(failures, [None, Some("exit code 1"), Some("terminated by a signal"), None]);
        assert!(read.notes[0].contains("1 run (sleep 1)"), "{:?}", read.notes);
    }

    #[test]
    fn other_times_are_named_with_their_count() {
        let read = found(
            r#"{"results": [
              {"command": "a", "times": [1.5], "user": 1, "queue_time": 2.5, "parameters": {"n": "1"}},
              {"command": "a", "queue_time": 1, "measurements": [{"time_wall_clock": {"value": 1.5}, "time_user": {"value": 1},
               "time_waiting": {"value": 1}}], "parameters": {"n": "1"}}]}"#,
        );
        let first = "not used: time metrics queue_time (2, first in result 1), time_waiting (1, first in result 2)";
        assert_eq!(read.notes, [first]);
    }

    #[test]
    fn version_2_is_read_with_its_start() {
        let read = found(
            r#"{"schema_version": 2, "metadata": {"hyperfine_version": "2.0.0", "start_time": "2001-01-01T12:00:00Z"},
              "primary_metric": "time_wall_clock", "results": [{"command": "sleep 8", "name": "a", "measurements": [
                {"time_wall_clock": {"value": 8.5, "unit": "second"}, "exit_code": 0},
                {"time_wall_clock": {"value": 0.0, "unit": "second"}, "exit_code": 0},
                {"exit_code": 0}], "parameters": {"np": {"value": "8"}}}]}"#,
        );
        assert_eq!(read.runs, [Probed { at_hours: Some(12.0), seconds: Some(8.5), ..Probed::new("a", 8.0) }]);
        let left_out = read.left_out.expect("two runs");
        assert!(left_out.contains("result 1 (a), run 2: its time is 0.0"), "{left_out}");
        assert!(left_out.contains("run 3: its time is null"), "{left_out}");
    }

    #[test]
    fn the_command_is_the_same_for_all_units_where_that_is_sure() {
        let cases = [
            ("./a -t 4", "4", "./a -t {n}"),
            ("./a -t4", "4", "./a -t4"),
            ("./a --t=16 --grid 160", "16", "./a --t={n} --grid 160"),
            ("./a 4 -t 4", "4", "./a 4 -t 4"),
            ("./a", "4", "./a"),
            ("½4½", "4", "½4½"),
            ("a", "", "a"),
        ];
        for (command, value, expected) in cases {
            assert_eq!(without(command, "n", value), expected);
        }
    }

    #[test]
    fn bad_results_are_named_and_others_read() {
        let read = found(
            r#"{"results": [{"command": "a", "times": [-1, 1, "x"]}, {"times": [1]}, {"command": "b", "mean": 1}, 7,
               {"command": "c", "times": [1], "parameters": {"n": "many"}}]}"#,
        );
        assert_eq!(read.runs.len(), 1);
        let left_out = read.left_out.expect("six");
        assert!(
            left_out.contains("6 results were left out (6 of 7 runs): result 1 (a), run 1: its time is -1"),
            "{left_out}"
        );
        let mut none = RunCollector::new(["result", "results"]);
        for text in
            ["{\"results\": 1}", "{\"results\": [", "[]", "{\"results\": [{\"command\":\"a\",\"times\":[1e999]}]}"]
        {
            assert!(super::read(text, &mut none).is_err(), "{text}");
        }
    }
}
