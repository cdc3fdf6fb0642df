//! Reports of the probe command: one JSON object, a list of them, or lines of a log between which others stand, as
//! `kubectl logs` prints them.

use std::collections::BTreeMap;

use crossover_measured::probe::report::REPORT;
use crossover_measured::probe::{LIBRARY_VERSION, ProbeReport};
use serde::de::DeserializeSeed as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::Probed;
use super::found::RunCollector;
use super::quantity::{is_above_zero, is_error, is_units};
use super::when::when;
use crate::json_value::Entry;
use crate::left_out::shown;

/// How far clocks may be apart, hours.
const APART_HOURS: f64 = 5.0 / 60.0;
/// Characters of what is wrong with a report, which may repeat a text of it.
const SENTENCE: usize = 200;
/// Machines whose clocks are named.
const NAMED: usize = 3;
/// How often a text may be read anew from a later line because what began on an earlier one was no JSON.
const TIMES: usize = 4;

/// Reads all reports of a text; `now_hours`: the time now, to find clocks that are wrong.
pub(super) fn read(text: &str, now_hours: Option<f64>, found: &mut RunCollector) {
    read_counting(text, now_hours, found);
}

/// The same; gives the bytes that the parser looked at, once for each time.
fn read_counting(text: &str, now_hours: Option<f64>, found: &mut RunCollector) -> usize {
    let mut reports = Reports { found, now_hours, ahead: BTreeMap::new() };
    let mut looked_at = 0_usize;
    let mut half = None;
    let mut patience = text.len().saturating_mul(TIMES);
    let (mut at, mut line) = (0, 1_u64);
    while at < text.len() {
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length + 1);
        let from = end - text[at..end].trim_start().len();
        if !text[from..end].starts_with(['{', '[']) {
            (at, line) = (end, line + 1);
            continue;
        }
        let slice = &text[from..if patience > 0 { text.len() } else { end }];
        let mut documents = serde_json::Deserializer::from_str(slice).into_iter::<Document>();
        match documents.next() {
            Some(Ok(Document(value))) => {
                reports.document(value, line);
                let next = from + documents.byte_offset().max(1);
                looked_at += next - from;
                line += newlines(&text[from..next]);
                at = next;
            }
            outcome => {
                let is_list = slice.starts_with('[');
                match outcome {
                    Some(Err(error)) if error.is_eof() => {
                        if half.is_none_or(|(_, was_list)| was_list && !is_list) {
                            half = Some((line, is_list));
                        }
                        looked_at += slice.len();
                        patience = patience.saturating_sub(slice.len());
                    }
                    Some(Err(error)) => {
                        if text[from..end].contains("\"report\"") {
                            reports.found.leave_out(
                                1,
                                || format!("line {line}"),
                                &format!("no JSON: {}", problem_of(&error)),
                            );
                        }
                        let until_error: usize = slice.split_inclusive('\n').take(error.line()).map(str::len).sum();
                        looked_at += until_error;
                        if error.line() > 1 {
                            patience = patience.saturating_sub(until_error);
                        }
                    }
                    _ => {}
                }
                (at, line) = (end, line + 1);
            }
        }
    }
    if let Some((line, _)) = half {
        reports.found.leave_out(1, || format!("line {line}"), "the file ends within its JSON");
    }
    reports.note_clocks();
    looked_at
}

/// Bytes are enough: a newline is no part of another character.
fn newlines(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

/// What is wrong, without the place within the JSON, which is not the place in the file.
fn problem_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// A JSON document that is not larger than any.
struct Document(Value);

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Entry::new().deserialize(deserializer).map(Self)
    }
}

/// The reports that are found.
struct Reports<'a> {
    found: &'a mut RunCollector,
    now_hours: Option<f64>,
    /// Machines whose clocks are ahead, and how many hours at most.
    ahead: BTreeMap<String, f64>,
}

impl Reports<'_> {
    fn document(&mut self, value: Value, line: u64) {
        match value {
            Value::Array(entries) => {
                for (place, entry) in (1..).zip(entries) {
                    self.entry(entry, || format!("line {line}, entry {place}"));
                }
            }
            value => self.entry(value, || format!("line {line}")),
        }
    }

    /// Anything that does not call itself a report is another line of the log.
    fn entry(&mut self, value: Value, place: impl FnOnce() -> String) {
        // A line of the history holds the report of a run, with the centre that it is of.
        if let Some(kept) = value.get("report").filter(|report| report.is_object()) {
            let centre = value.get("centre").and_then(Value::as_str).unwrap_or_default().to_owned();
            let before = self.found.count();
            self.entry(kept.clone(), place);
            self.found.name_centre(before, &centre);
            return;
        }
        if value.get("report").and_then(Value::as_str) != Some(REPORT) {
            return;
        }
        let version = value.get("library").and_then(Value::as_u64);
        let parsed = serde_json::from_value::<ProbeReport>(value).map_err(|error| match version {
            Some(version) if version != u64::from(LIBRARY_VERSION) => {
                format!("its probe library has version {version}; expected {LIBRARY_VERSION}: {error}")
            }
            _ => error.to_string(),
        });
        if let Err(problem) = parsed.and_then(|report| self.report(report)) {
            self.found.leave_out(1, place, &problem.chars().take(SENTENCE).collect::<String>());
        }
    }

    fn report(&mut self, report: ProbeReport) -> Result<(), String> {
        check(&report)?;
        let began = when(&report.began);
        let began =
            began.ok_or_else(|| format!("began is “{}”; expected 2026-11-02T14:00:00Z", shown(&report.began)))?;
        let at_hours = self.found.hours(began);
        if let Some(ahead) = self.now_hours.map(|now| at_hours - now).filter(|ahead| *ahead > APART_HOURS) {
            let machine = if report.processor.is_empty() { &report.unit } else { &report.processor };
            let most = self.ahead.entry(shown(machine)).or_insert(ahead);
            *most = most.max(ahead);
        }
        self.found.add(Probed {
            at_hours: Some(at_hours),
            seconds: Some(report.seconds).filter(|seconds| is_above_zero(*seconds)),
            error: report.error(),
            target_seconds: report.target_seconds().filter(|seconds| is_above_zero(*seconds)),
            failure: report.fault(),
            fingerprint: Some(report.task.fingerprint()),
            library: Some(report.library),
            unit: report.unit,
            ..Probed::new(report.task.name, f64::from(report.units))
        });
        Ok(())
    }

    fn note_clocks(&mut self) {
        for (machine, hours) in self.ahead.iter().take(NAMED) {
            let ahead = if *hours < 2.0 { format!("{:.0} min", hours * 60.0) } else { format!("{hours:.1} h") };
            self.found.note(format!("the clock of “{machine}” is ahead by {ahead}: a probe has a start in the future"));
        }
        if let Some(more @ 1..) = self.ahead.len().checked_sub(NAMED) {
            self.found.note(format!("the clocks of {more} more types of machines are ahead"));
        }
    }
}

/// Whether the numbers can be.
fn check(report: &ProbeReport) -> Result<(), String> {
    let problem =
        |field: &str, value: f64, expected: &str| Err(format!("{field} is {value}; expected a number {expected}"));
    if !is_units(f64::from(report.units)) {
        return problem("units", f64::from(report.units), "from 1 to 10⁹");
    }
    // Where every operator failed, none has a time.
    let has_time = report.seconds != 0.0 || report.failure().is_none();
    if has_time && !is_above_zero(report.seconds) {
        return problem("seconds", report.seconds, "above 0");
    }
    let names = report.task.operators.iter().map(|of| &of.name);
    if !names.eq(report.operators.iter().map(|of| &of.name)) {
        return Err("its operators are not those of its task".to_owned());
    }
    for (planned, ran) in report.task.operators.iter().zip(&report.operators) {
        let name = shown(&ran.name);
        if let Some(seconds) = ran.seconds.iter().find(|seconds| !is_error(**seconds)) {
            return problem(&format!("a time of operator {name}"), *seconds, "from 0 on");
        }
        if let Some(error) = ran.error.filter(|error| !is_error(*error)) {
            return problem(&format!("the error of operator {name}"), error, "from 0 on");
        }
        if !is_error(planned.in_target) {
            return problem(&format!("in_target of operator {name}"), planned.in_target, "from 0 on");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TraceError;

    /// What gpu-bench writes of a run, on one line.
    fn report(units: u32, seconds: f64, began: &str) -> String {
        format!(
            r#"{{"report":"probe","library":{LIBRARY_VERSION},"tool":"gpu-bench 0.1.0","began":"{began}","processor":"Xeon","unit":"core","units":{units},"threads":{units},"task":{{"name":"solver","operators":[{{"name":"a","runs":{{"Library":"dgemm"}},"executions":2,"in_target":100.0}}]}},"seconds":{seconds},"operators":[{{"name":"a","seconds":[0.5,1.5],"value":1.0,"true_value":1.0,"error":1e-9,"tolerance":1e-6}}]}}"#
        )
    }

    fn usual() -> String {
        report(4, 2.0, "2001-01-01T06:00:00Z")
    }

    fn found(text: &str, now_hours: Option<f64>) -> Result<super::super::Read, TraceError> {
        let mut found = RunCollector::new(["probe report", "probe reports"]);
        read(text, now_hours, &mut found);
        found.end(std::path::Path::new("log"), "probe report")
    }

    fn task_of(report: &str) -> crossover_measured::probe::ProbeTask {
        serde_json::from_str::<ProbeReport>(report).expect("a report").task
    }

    #[test]
    fn a_report_is_a_run_with_the_time_of_its_target() {
        let run = Probed {
            unit: "core".into(),
            at_hours: Some(6.0),
            seconds: Some(2.0),
            error: Some(1e-9),
            // 100 executions of 1 s on average.
            target_seconds: Some(100.0),
            fingerprint: Some(task_of(&usual()).fingerprint()),
            library: Some(LIBRARY_VERSION),
            ..Probed::new("solver", 4.0)
        };
        let read = found(&usual(), None).expect("a report");
        assert_eq!((&read.runs[..], &read.left_out, read.notes.len()), (&[run][..], &None, 0));
    }

    #[test]
    fn one_a_list_and_lines_of_a_log_hold_the_same_reports() {
        let one = usual();
        let value: Value = serde_json::from_str(&one).expect("JSON");
        let pretty = serde_json::to_string_pretty(&value).expect("text");
        let list = serde_json::to_string_pretty(&vec![&value, &value]).expect("text");
        let log = format!(
            "pulling image\n{{\"level\":\"info\"}}\n{one}\n[INFO] half time\n{{no JSON}}\n\n  {one}\r\ndone {{\n"
        );
        for text in [format!("[{one},\n {one}]"), format!("{one}\n{one}"), format!("{one}{one}"), list, log] {
            let read = found(&text, None).expect("reports");
            assert_eq!((read.runs.len(), &read.left_out), (2, &None), "{text}");
            assert_eq!(read.runs[0], read.runs[1]);
        }
        assert_eq!(found(&pretty, None).expect("a report").runs.len(), 1);
    }

    #[test]
    fn half_a_report_is_left_out_with_its_line() {
        let one = usual();
        let half = &one[..one.len() / 2];
        let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&one).expect("JSON")).expect("text");
        let half_pretty = &pretty[..pretty.len() - 9];
        let cases = [
            (format!("{one}\n{half}"), "line 2: the file ends within its JSON"),
            (format!("started\n{one}\n{half_pretty}"), "line 3: the file ends within its JSON"),
            (format!("[\n{one},\n{half}"), "line 3: the file ends within its JSON"),
            (format!("{half}\n{one}"), "line 1: no JSON: "),
        ];
        for (text, expected) in cases {
            let read = found(&text, None).expect("one report");
            assert_eq!(read.runs.len(), 1, "{text}");
            let left_out = read.left_out.expect("half a report");
            assert!(left_out.contains("1 probe report was") && left_out.contains(expected), "{left_out}");
        }
    }

    #[test]
    fn another_version_of_the_library_is_kept_apart() {
        let other = usual().replace(&format!("\"library\":{LIBRARY_VERSION}"), "\"library\":77");
        let run = &found(&other, None).expect("a report").runs[0];
        let failure = run.failure.as_deref().expect("another version");
        assert!(
            failure.contains("version 77") && failure.contains(&format!("this program has version {LIBRARY_VERSION}")),
            "{failure}"
        );
        assert_eq!(run.library, Some(77));
        // With another shape it says so too.
        let problem = found(&other.replace("\"threads\"", "\"strands\""), None).expect_err("no threads").to_string();
        assert!(problem.contains("its probe library has version 77"), "{problem}");
    }

    #[test]
    fn what_failed_says_why() {
        let wrong = usual().replace("1e-6}]}", "1e-6,\"failure\":\"error 2e-3 above 1e-6\"}]}");
        let run = &found(&wrong, None).expect("a report").runs[0];
        assert_eq!(run.failure.as_deref(), Some("a: error 2e-3 above 1e-6"));
        // Nothing ran: gpu-bench sums no times.
        let ended = wrong.replace("\"seconds\":2,", "\"seconds\":-0.0,").replace("[0.5,1.5]", "[]");
        let run = &found(&ended, None).expect("a report").runs[0];
        assert_eq!((run.seconds, run.target_seconds, run.failure.is_some()), (None, None, true));
    }

    #[test]
    fn a_clock_that_is_ahead_by_more_than_5_minutes_is_named() {
        let notes = |now| found(&usual(), Some(now)).expect("a report").notes;
        assert!(notes(6.0).is_empty() && notes(5.95).is_empty() && notes(100.0).is_empty());
        let expected = "the clock of “Xeon” is ahead by 30 min: a probe has a start in the future";
        assert_eq!(notes(5.5), [expected]);
        assert!(notes(2.0)[0].contains("ahead by 4.0 h"));
    }

    #[test]
    fn numbers_that_cannot_be_are_left_out() {
        let good = usual();
        let cases = [
            (report(0, 1.0, "2001-01-01T06:00:00Z"), "units is 0"),
            (report(1, 0.0, "2001-01-01T06:00:00Z"), "seconds is 0"),
            (report(1, -1.0, "2001-01-01T06:00:00Z"), "seconds is -1"),
            (report(1, 1.0, "yesterday"), "began is “yesterday”"),
            (good.replace("[0.5,1.5]", "[0.5,-1.5]"), "a time of operator a is -1.5"),
            (good.replace("1e-9", "-1e-9"), "the error of operator a"),
            (good.replace("100.0", "-1"), "in_target of operator a"),
            (good.replace("\"seconds\":2,", "\"seconds\":null,"), "line 2"),
            (good.replace("\"seconds\":2,", "\"seconds\":1e999,"), "line 2: no JSON: number out of range"),
            (good.replace("{\"name\":\"a\",\"seconds\"", "{\"name\":\"b\",\"seconds\""), "not those of its task"),
        ];
        for (bad, expected) in cases {
            let read = found(&format!("{good}\n{bad}\n"), None).expect("one report");
            let left_out = read.left_out.unwrap_or_else(|| panic!("{expected}"));
            assert!(read.runs.len() == 1 && left_out.contains(expected), "{expected}: {left_out}");
        }
    }

    #[test]
    fn many_beginnings_of_json_are_read_in_steps_that_grow_with_the_text() {
        let count = |text: &str| {
            let mut found = RunCollector::new(["probe report", "probe reports"]);
            let looked_at = read_counting(text, None, &mut found);
            // Anew so many times, the last of them maybe to the end, and each line by itself.
            assert!(looked_at <= (TIMES + 2) * text.len(), "{looked_at} of {} bytes", text.len());
            found.end(std::path::Path::new("log"), "probe report")
        };
        let text = format!("{}{}\n", "{\"a\":[\n".repeat(40), "[1,\n".repeat(300_000));
        assert!(count(&text).is_err());
        let text = format!("{}\n{}", "[\"\",\n".repeat(300_000), usual());
        assert!(count(&text).is_ok());
    }
}
