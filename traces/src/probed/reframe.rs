//! Performance logs of `ReFrame`: `perflogs/<system>/<partition>/<test>.log`.
//! <https://reframe-hpc.readthedocs.io/en/stable/tutorial.html>
//!
//! Up to 3.x each line is a performance variable: `…|reframe 3.9.2|Test on system:partition using env|jobid=1|Copy=6606.1|ref=0
//! (l=null, u=null)|MB/s`. From 4.0 on a header names the columns, and each variable has several: `copy_bw_value`,
//! `copy_bw_unit` and so on. The file name and the folders tell what the lines do not.

use std::path::Path;

use crossover_quantity::text::counted;
use crossover_quantity::unread::{UnreadKind, suggests_accelerator, suggests_time};

use super::Probed;
use super::found::RunCollector;
use super::quantity::{self, Quantity};
use super::when::{RecordedTime, unix, when};
use crate::left_out::shown;
use crate::unread::{UnreadColumns, file_name};

/// What separates the columns: that of the default, and that of the manual's own example.
const SEPARATORS: [char; 2] = ['|', ','];
/// Columns of which a header has at least one.
const RESULTS: [&str; 2] = ["result", "job_completion_time"];

/// Columns of points in time: the end is used, and none of them is a duration.
const POINTS: [&str; 3] = ["job_completion_time", "job_completion_time_unix", "job_submit_time"];
/// Ends of the columns of a performance variable.
const OF_VARIABLE: [&str; 5] = ["value", "unit", "ref", "lower_thres", "upper_thres"];

/// Whether a line is the header of a log, or a line of one without.
pub(super) fn is_of_log(line: &str) -> bool {
    Header::of(line).is_some() || HeaderlessLine::of(line).is_some()
}

/// Reads all lines of a log.
pub(super) fn read(path: &Path, text: &str, found: &mut RunCollector) {
    let folders = Place::in_path(path);
    let mut header: Option<Header> = None;
    let (file, mut unread) = (file_name(path), UnreadColumns::default());
    for (number, line) in (1_u64..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        if let Some(next) = Header::of(line) {
            unread.report(&file, found.unread());
            unread = UnreadColumns::at(next.unread());
            header = Some(next);
            continue;
        }
        let mut leave_out =
            |found: &mut RunCollector, problem: &str| found.leave_out(1, || format!("line {number}"), problem);
        let before = found.stated();
        let (runs, outcome) = if let Some(old) = HeaderlessLine::of(line) {
            old.name_unread(&file, found);
            (1, old.read_line(&folders, found))
        } else if let Some(header) = &header {
            let outcome = header.fields(line).and_then(|fields| {
                unread.count(|place| filled(fields[place]).unwrap_or_default());
                header.read_line(&fields, &folders, found, &mut leave_out)
            });
            (header.variables.len(), outcome)
        } else {
            (1, Err("not a line of a performance log, and no header above".to_owned()))
        };
        if let Err(problem) = outcome {
            let rest = runs.saturating_sub(found.stated() - before);
            found.leave_out(rest, || format!("line {number}"), &problem);
        }
    }
    unread.report(&file, found.unread());
}

/// Where a test ran.
#[derive(Debug, Clone, Default, PartialEq)]
struct Place {
    test: String,
    system: String,
    partition: String,
}

impl Place {
    /// By the folders in which the log stands.
    fn in_path(path: &Path) -> Self {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        let test = path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match parts.iter().rposition(|part| part == "perflogs").map(|at| &parts[at + 1..]) {
            Some([system, partition, _]) => Self { test, system: system.to_string(), partition: partition.to_string() },
            _ => Self { test, ..Self::default() },
        }
    }

    /// By what `ReFrame` calls the general information of a test: `name on system:partition using environment` up to 3.x,
    /// `name /hash @system:partition+environment` from 4.0 on.
    fn of_info(info: &str) -> Option<Self> {
        let (name, rest) = info.split_once(" @").or_else(|| info.split_once(" on "))?;
        let (system, rest) = rest.split_once(':')?;
        let partition = rest.split([' ', '+']).next().unwrap_or_default();
        let name = name.rsplit_once(" /").map_or(name, |(name, _)| name);
        let is_whole = ![name, system, partition].iter().any(|part| part.trim().is_empty());
        is_whole.then(|| Self { test: name.trim().into(), system: system.trim().into(), partition: partition.into() })
    }

    /// A run of one of its performance variables.
    fn run(
        &self,
        variable: &str,
        num_tasks: &str,
        time: Option<RecordedTime>,
        found: &mut RunCollector,
    ) -> Result<Probed, String> {
        let tasks = filled(num_tasks).map(|text| quantity::units("num_tasks", text)).transpose()?;
        let probe = format!("{} {variable}", self.test);
        let units = found.units(tasks, &probe);
        Ok(Probed {
            centre: self.system.clone(),
            unit: self.partition.clone(),
            at_hours: time.map(|time| found.hours(time)),
            ..Probed::new(probe, units)
        })
    }
}

/// Whether a column that is not used is named: it speaks of a time or of an accelerator.
fn is_named(column: &str) -> bool {
    (suggests_time(column) || suggests_accelerator(column)) && !POINTS.contains(&column)
}

/// A field that says something.
fn filled(text: &str) -> Option<&str> {
    let is_none = ["", "null", "none", "na", "n/a"].iter().any(|none| text.eq_ignore_ascii_case(none));
    (!is_none).then_some(text)
}

/// A line without a header.
struct HeaderlessLine<'a> {
    fields: Vec<&'a str>,
    /// Which field has the performance variable and its value.
    at: usize,
}

impl<'a> HeaderlessLine<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let at =
            fields.iter().position(|field| field.starts_with("ref=") || field.starts_with("(ref="))?.checked_sub(1)?;
        fields[at].contains('=').then_some(Self { fields, at })
    }

    /// Names the fields before the performance variable that are not used; `file`: its name.
    fn name_unread(&self, file: &str, found: &mut RunCollector) {
        for (name, value) in self.fields[..self.at].iter().filter_map(|field| field.split_once('=')) {
            if is_named(name) && filled(value).is_some() {
                found.unread().add(UnreadKind::Column, name, file);
            }
        }
    }

    fn read_line(&self, folders: &Place, found: &mut RunCollector) -> Result<(), String> {
        let (variable, value) = self.fields[self.at].split_once('=').unwrap_or_default();
        let unit = self.fields.get(self.at + 2).copied().unwrap_or_default();
        let quantity = quantity::above_zero(variable, value).and_then(|value| Quantity::of(value, unit))?;
        let before = &self.fields[..self.at];
        let place = before.iter().find_map(|field| Place::of_info(field));
        let num_tasks = before.iter().find_map(|field| field.strip_prefix("num_tasks=")).unwrap_or_default();
        let time = before.iter().find_map(|field| when(field));
        let mut run = place.as_ref().unwrap_or(folders).run(variable, num_tasks, time, found)?;
        quantity.put_into(&mut run);
        found.add(run);
        Ok(())
    }
}

/// The names of columns.
struct Header {
    separator: char,
    names: Vec<String>,
    /// Performance variables.
    variables: Vec<String>,
}

impl Header {
    fn of(line: &str) -> Option<Self> {
        SEPARATORS.iter().find_map(|separator| {
            let names = line.split(*separator).map(|name| name.trim().trim_start_matches("check_").to_owned());
            let names: Vec<String> = names.collect();
            let has = |name: &str| names.iter().any(|column| column == name);
            if !RESULTS.iter().any(|name| has(name)) {
                return None;
            }
            let values = names.iter().filter_map(|name| name.strip_suffix("_value"));
            // A parameter of the test may be called so, too.
            let is_measured = |variable: &&str| has(&format!("{variable}_unit"));
            let variables: Vec<String> = values.filter(is_measured).map(str::to_owned).collect();
            (!variables.is_empty()).then_some(Self { separator: *separator, names, variables })
        })
    }

    /// Places and names of the columns that are not used.
    fn unread(&self) -> impl Iterator<Item = (usize, String)> {
        let is_of_variable = move |name: &str| {
            let is_of = |variable: &String| {
                let end = name.strip_prefix(variable.as_str()).and_then(|rest| rest.strip_prefix('_'));
                end.is_some_and(|end| OF_VARIABLE.contains(&end))
            };
            self.variables.iter().any(is_of)
        };
        let unread = self.names.iter().enumerate().filter(move |(_, name)| is_named(name) && !is_of_variable(name));
        unread.map(|(place, name)| (place, name.clone()))
    }

    /// The fields of a line below it.
    fn fields<'a>(&self, line: &'a str) -> Result<Vec<&'a str>, String> {
        let fields: Vec<&str> = line.split(self.separator).map(str::trim).collect();
        if fields.len() == self.names.len() {
            return Ok(fields);
        }
        let found = counted(fields.len() as f64, "field");
        Err(format!("{found}; expected {}, as many as the header has", self.names.len()))
    }

    /// A line below it: a run for each performance variable.
    fn read_line(
        &self,
        fields: &[&str],
        folders: &Place,
        found: &mut RunCollector,
        leave_out: &mut impl FnMut(&mut RunCollector, &str),
    ) -> Result<(), String> {
        let field = |name: &str| {
            let place = self.names.iter().position(|column| column == name);
            place.map(|place| fields[place]).and_then(filled)
        };
        let place = Self::place(&field, folders);
        let time = field("job_completion_time_unix").and_then(unix);
        let time = time.or_else(|| field("job_completion_time").and_then(when));
        let result = field("result").unwrap_or("pass");
        let failure = (result != "pass").then(|| format!("ReFrame result is “{}”", shown(result)));
        for variable in &self.variables {
            let value = field(&format!("{variable}_value"));
            let unit = field(&format!("{variable}_unit")).unwrap_or_default();
            let quantity = match value {
                None if failure.is_some() => None,
                value => {
                    let number = quantity::above_zero(variable, value.unwrap_or("null"));
                    match number.and_then(|number| Quantity::of(number, unit)) {
                        Ok(quantity) => Some(quantity),
                        Err(problem) => {
                            leave_out(found, &problem);
                            continue;
                        }
                    }
                }
            };
            let mut run = place.run(variable, field("num_tasks").unwrap_or_default(), time, found)?;
            run.failure.clone_from(&failure);
            if let Some(quantity) = quantity {
                quantity.put_into(&mut run);
            }
            found.add(run);
        }
        Ok(())
    }

    fn place<'a>(field: &impl Fn(&str) -> Option<&'a str>, folders: &Place) -> Place {
        let info = field("info").and_then(Place::of_info).unwrap_or_else(|| folders.clone());
        let both = field("system:partition").and_then(|both| both.split_once(':'));
        let system = field("system").or(both.map(|(system, _)| system));
        let partition = field("partition").or(both.map(|(_, partition)| partition));
        let name = ["display_name", "name", "unique_name", "short_name"].iter().find_map(|name| field(name));
        Place {
            test: name.map_or(info.test, str::to_owned),
            system: system.map_or(info.system, str::to_owned),
            partition: partition.map_or(info.partition, str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the manual of 4.x shows it.
    const NEW: &str = "result|job_completion_time|descr|env_vars|environ|exclusive_access|extra_resources|\
job_completion_time_unix|job_exitcode|job_nodelist|job_submit_time|jobid|modules|name|num_cpus_per_task|num_gpus_per_node|\
num_tasks|num_tasks_per_core|num_tasks_per_node|num_tasks_per_socket|partition|copy_bw_value|copy_bw_unit|copy_bw_ref|\
copy_bw_lower_thres|copy_bw_upper_thres|triad_bw_value|triad_bw_unit|triad_bw_ref|triad_bw_lower_thres|triad_bw_upper_thres|\
short_name|system|unique_name|use_multithreading\n\
pass|2024-02-21T22:51:16||{}|gnu|false|{}|1708555876.746763|null|None|1708555874.6122677|65||stream_test|null|null|1|null|\
null|null|compute|21116.7|MB/s|0|None|None|14813.0|MB/s|0|None|None|stream_test|pseudo-cluster|stream_test|null\n";

    fn found(path: &str, text: &str) -> super::super::Read {
        let mut found = RunCollector::new(["line", "lines"]);
        read(Path::new(path), text, &mut found);
        found.end(Path::new(path), "line").expect("a run")
    }

    #[test]
    fn a_log_with_a_header_has_a_run_for_each_variable() {
        let read = found("stream_test.log", NEW);
        let run = |variable: &str, rate: f64| Probed {
            centre: "pseudo-cluster".into(),
            unit: "compute".into(),
            at_hours: Some((1_708_555_876.746_763 - 978_307_200.0) / 3_600.0),
            rate: Some((rate, "MB/s".into())),
            ..Probed::new(format!("stream_test {variable}"), 1.0)
        };
        assert_eq!(read.runs, [run("copy_bw", 21_116.7), run("triad_bw", 14_813.0)]);
        assert_eq!((read.left_out, read.notes), (None, Vec::new()));
    }

    #[test]
    fn a_failed_test_does_not_count_and_keeps_what_was_measured() {
        let text = format!(
            "{NEW}{}",
            NEW.lines().nth(1).expect("a line").replace("pass|", "fail|").replace("21116.7", "null")
        );
        let runs = found("a.log", &text).runs;
        assert_eq!(runs.len(), 4);
        let failure = Some("ReFrame result is “fail”".to_owned());
        assert_eq!((&runs[2].failure, &runs[2].rate), (&failure, &None));
        assert_eq!((&runs[3].failure, &runs[3].rate), (&failure, &Some((14_813.0, "MB/s".to_owned()))));
    }

    /// The time in which it was submitted is no duration, and the thresholds of a variable are of that variable.
    #[test]
    fn other_times_and_accelerators_are_named_with_their_count() {
        let text = NEW.replace("|num_gpus_per_node|", "|num_gpus_per_node|queue_seconds|");
        let text = text.replace("||stream_test|null|null|", "||stream_test|null|4|2.5|");
        let text = text.replace("copy_bw_", "copy_time_").replace("21116.7|MB/s", "21116.7|s");
        let headerless = "2022-06-23T20:18:19+00:00|T on a:b using c|num_gpus_per_node=2|jobid=9|Copy=1|ref=0|MB/s\n";
        let read = found("a.log", &format!("{text}{headerless}"));
        let expected = "not used: columns num_gpus_per_node (2, first in a.log), queue_seconds (1, first in a.log)";
        assert_eq!((read.left_out, read.notes.last().map(String::as_str)), (None, Some(expected)));
    }

    #[test]
    fn columns_of_the_user_are_read_with_their_separator() {
        let text = "result,job_completion_time,system:partition,environ,copy_bw_value,copy_bw_unit,t_value,t_unit\n\
                    pass,2001-01-01T22:30:00,pseudo-cluster:compute,gnu,11527.4,MB/s,250,ms\n";
        let read = found("/home/a/perflogs/other/partition/stream.log", text);
        let [bandwidth, time] = &read.runs[..] else { panic!("{:?}", read.runs) };
        assert_eq!((bandwidth.centre.as_str(), bandwidth.unit.as_str()), ("pseudo-cluster", "compute"));
        assert_eq!((bandwidth.probe.as_str(), bandwidth.at_hours), ("stream copy_bw", Some(22.5)));
        assert_eq!((time.seconds, &time.rate), (Some(0.25), &None));
        assert_eq!(read.notes.len(), 2, "units are not said, nor offsets: {:?}", read.notes);
    }

    #[test]
    fn lines_without_a_header_are_read() {
        let text = "2022-06-23T20:18:19+00:00|reframe 3.9.2|StreamTest on yoltla:q1h-20p using builtin-gcc-7.2.0|jobid=926963|\
                    num_tasks=20|Copy=6606.1|ref=0 (l=null, u=null)|MB/s\n\
                    2022-06-23T20:18:19|reframe 4.0.0|stream_test /2e15a047 @generic:default+builtin|jobid=7|\
                    elapsed=12.5|ref=12 (l=-0.1, u=0.1)|s\n";
        let read = found("a.log", text);
        let [copy, elapsed] = &read.runs[..] else { panic!("{:?}", read.runs) };
        assert_eq!((copy.centre.as_str(), copy.unit.as_str(), copy.units), ("yoltla", "q1h-20p", 20.0));
        assert_eq!((copy.probe.as_str(), &copy.rate), ("StreamTest Copy", &Some((6606.1, "MB/s".to_owned()))));
        assert_eq!((elapsed.centre.as_str(), elapsed.unit.as_str(), elapsed.units), ("generic", "default", 1.0));
        assert_eq!((elapsed.probe.as_str(), elapsed.seconds), ("stream_test elapsed", Some(12.5)));
        assert_eq!(copy.at_hours, elapsed.at_hours);
    }

    #[test]
    fn folders_tell_the_system_where_lines_do_not() {
        let text = "NA|Copy=6606.1|ref=0 (l=null, u=null)|MB/s\n";
        let run = &found("/scratch/perflogs/daint/gpu/Stream.log", text).runs[0];
        assert_eq!((run.centre.as_str(), run.unit.as_str(), run.probe.as_str()), ("daint", "gpu", "Stream Copy"));
        assert_eq!(run.at_hours, None);
        assert_eq!(found("/scratch/daint/gpu/Stream.log", text).runs[0].centre, "");
    }

    #[test]
    fn bad_lines_are_left_out_with_their_numbers() {
        let line = NEW.lines().nth(1).expect("a line");
        let cases = [
            (line.replace("21116.7", "-3"), "line 3: copy_bw is “-3”", 3),
            (line.replace("21116.7", "null"), "line 3: copy_bw is “null”", 3),
            (line.replace("21116.7|MB/s", "40|C"), "line 3: its unit is “C”", 3),
            (line.replace("|1|null", "|0|null"), "line 3: num_tasks is “0”", 2),
            (line.replace("||{}", "|a|b|{}"), "line 3: 36 fields; expected 35", 2),
            ("x".to_owned(), "line 3: 1 field;", 2),
        ];
        for (bad, expected, runs) in cases {
            let read = found("a.log", &format!("{NEW}{bad}\n"));
            let left_out = read.left_out.unwrap_or_else(|| panic!("{expected}"));
            assert!(left_out.contains(expected) && read.runs.len() == runs, "{expected}: {left_out}");
        }
        let read = found("a.log", "x\nNA|Copy=1|ref=0|MB/s\nNA|Copy=inf|ref=0|MB/s\nNA|Copy=1|ref=0\n");
        let left_out = read.left_out.expect("three lines");
        assert!(
            left_out.contains("line 1: ")
                && left_out.contains("line 3: ")
                && left_out.contains("line 4: its unit is “”")
        );
    }
}
