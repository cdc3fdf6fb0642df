//! Scrapes of dcgm-exporter or Prometheus: the text exposition format, one scrape after another.
//!
//! A sample is `METRIC{gpu="0",…} VALUE [MILLISECONDS]`. With timestamps the readings of one GPU at one time form a
//! row. Without them a metric that comes again for the same GPU begins the next scrape.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::column::COUNT;
use super::gather::{self, Position, Row};
use super::{Column, Recording, RecordingError};

/// Labels that tell one GPU from another: machine, GPU, and part of a partitioned GPU.
const IDENTITY: [&str; 3] = ["Hostname", "gpu", "GPU_I_ID"];
/// Metrics that are named in a sentence about what was left out.
const NAMED: usize = 6;

/// Whether a text that begins with this line is of this kind.
pub(super) fn is_likely(first_line: &str) -> bool {
    let line = first_line.trim_start();
    line.starts_with(['#', '{']) || line.starts_with("DCGM_") || line.contains('{') && line.contains("=\"")
}

/// A GPU: its labels, and its rows by scrape or by time in milliseconds.
type Series = ([String; 3], BTreeMap<i64, Row>);

/// Reads scrapes; those without timestamps are `seconds_per_scrape` apart.
pub(super) fn read(text: &str, seconds_per_scrape: f64) -> Result<Recording, RecordingError> {
    let mut gpus: Vec<Series> = Vec::new();
    let mut is_timed = None;
    let mut scrape = 0_i64;
    let mut in_scrape = BTreeSet::new();
    let mut unknown = BTreeSet::new();
    let mut counters = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let trimmed = line.trim();
        if let Some(comment) = trimmed.strip_prefix('#') {
            let mut words = comment.split_whitespace();
            if let (Some("TYPE"), Some(metric), Some("counter")) = (words.next(), words.next(), words.next()) {
                counters.insert(metric);
            }
            continue;
        }
        if trimmed.is_empty() {
            continue;
        }
        let sample = Sample::read(line, line_number)?;
        let Some((column, per_unit)) = known(sample.metric) else {
            unknown.insert(sample.metric);
            continue;
        };
        let problem = |problem: String| Err(sample.place.error(Some(sample.metric), problem));
        if let Some(wrong) = column.problem(sample.value, per_unit) {
            return problem(wrong);
        }
        if *is_timed.get_or_insert(sample.milliseconds.is_some()) != sample.milliseconds.is_some() {
            return problem("some samples have a timestamp and some have none; all or none are expected".to_owned());
        }
        let position = gpus.iter().position(|(identity, _)| *identity == sample.identity);
        let gpu = position.unwrap_or_else(|| {
            gpus.push((sample.identity.clone(), BTreeMap::new()));
            gpus.len() - 1
        });
        if sample.milliseconds.is_none() && !in_scrape.insert((gpu, column)) {
            scrape += 1;
            in_scrape = BTreeSet::from([(gpu, column)]);
        }
        let key = sample.milliseconds.unwrap_or(scrape);
        let count = gpus.len();
        let rows = &mut gpus[gpu].1;
        let row = rows.entry(key).or_insert_with(|| Row {
            seconds: 0.0,
            place: sample.place,
            cells: [(None, Position { line: line_number, column: 1 }); COUNT],
        });
        let cell = &mut row.cells[column as usize];
        let value = sample.value / per_unit;
        if cell.0.is_some_and(|before| before != value) {
            return problem("a second value for the same GPU and time; one series for each GPU is expected".to_owned());
        }
        *cell = (Some(value), sample.place);
        gather::within_limits(sample.place, count, rows.len())?;
    }
    if gpus.is_empty() {
        let known: Vec<_> = Column::ALL.into_iter().filter_map(|column| Some(column.metric()?.0)).collect();
        let problem = format!("no sample of a known metric; known: {}", known.join(", "));
        return Err(RecordingError::at(1, 1, None, problem));
    }
    let seconds_per_key = if is_timed == Some(true) { 1e-3 } else { seconds_per_scrape };
    if !(seconds_per_key.is_finite() && seconds_per_key > 0.0) {
        let problem = format!(
            "the samples have no timestamps, and a scrape interval of {seconds_per_scrape} s is not valid; \
             enter the scrape interval"
        );
        return Err(RecordingError::at(1, 1, None, problem));
    }
    let mut left_out = Vec::new();
    if !unknown.is_empty() {
        left_out.push(not_known(&unknown));
    }
    for metric in counters.into_iter().filter(|metric| known(metric).is_some()) {
        left_out.push(format!("“TYPE {metric} counter”: read as a rate, as DCGM defines it"));
    }
    let tracks = tracks(gpus, seconds_per_key);
    gather::finish(tracks, left_out, |column| column.metric().map_or(column.key(), |(metric, _)| metric))
}

fn known(metric: &str) -> Option<(Column, f64)> {
    Column::ALL.into_iter().find_map(|column| {
        let (name, per_unit) = column.metric()?;
        (name == metric).then_some((column, per_unit))
    })
}

fn not_known(metrics: &BTreeSet<&str>) -> String {
    let named: Vec<&str> = metrics.iter().copied().take(NAMED).collect();
    let more = metrics.len() - named.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("Metrics that are not used: {}{more}", named.join(", "))
}

/// The GPUs under names that tell them apart, with their times in seconds after the first sample.
fn tracks(gpus: Vec<Series>, seconds_per_key: f64) -> Vec<(String, Vec<Row>)> {
    let begin = gpus.iter().filter_map(|(_, rows)| rows.keys().next()).min().copied().unwrap_or_default();
    let hosts: BTreeSet<String> = gpus.iter().map(|([host, ..], _)| host.clone()).collect();
    let name = |[host, gpu, part]: [String; 3]| {
        let host = if hosts.len() > 1 { format!("{host}/") } else { String::new() };
        let part = if part.is_empty() { part } else { format!("/{part}") };
        format!("{host}{gpu}{part}")
    };
    let timed = |(key, row): (i64, Row)| {
        // As i128, since two timestamps may lie further apart than an i64 reaches.
        let passed = (i128::from(key) - i128::from(begin)) as f64;
        Row { seconds: passed * seconds_per_key, ..row }
    };
    gpus.into_iter().map(|(identity, rows)| (name(identity), rows.into_iter().map(timed).collect())).collect()
}

/// A line with a sample.
struct Sample<'a> {
    metric: &'a str,
    identity: [String; 3],
    value: f64,
    milliseconds: Option<i64>,
    /// Position of its value.
    place: Position,
}

impl<'a> Sample<'a> {
    fn read(line: &'a str, line_number: usize) -> Result<Self, RecordingError> {
        let place_of = |rest: &str| {
            let before = line.len() - rest.len();
            Position { line: line_number, column: line[..line.floor_char_boundary(before)].chars().count() + 1 }
        };
        let line_start = line.trim_start();
        let end = line_start.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ':');
        let (metric, mut rest) = line_start.split_at(end.unwrap_or(line_start.len()));
        let wrong = |rest: &str, expected: &str| {
            let field = (!metric.is_empty()).then_some(metric);
            Err(place_of(rest).error(field, format!("{expected} is expected, as in METRIC{{gpu=\"0\"}} 0.5")))
        };
        if metric.is_empty() {
            return wrong(line_start, "the name of a metric");
        }
        let mut identity = [const { String::new() }; 3];
        if let Some(labels) = rest.trim_start().strip_prefix('{') {
            rest = labels;
            loop {
                rest = rest.trim_start();
                if let Some(after) = rest.strip_prefix('}') {
                    rest = after;
                    break;
                }
                let Some((name, value, after)) = label(rest) else {
                    return wrong(rest, "a label and its value in quotation marks, or “}”");
                };
                if let Some(index) = IDENTITY.iter().position(|known| *known == name) {
                    identity[index] = value.into_owned();
                }
                rest = after.trim_start();
                rest = rest.strip_prefix(',').unwrap_or(rest);
            }
        }
        let rest = rest.trim_start();
        let (value, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let Ok(number) = value.parse() else {
            return wrong(rest, "a number");
        };
        let after = after.trim();
        let milliseconds = if after.is_empty() { None } else { Some(after.parse()) };
        let Ok(milliseconds) = milliseconds.transpose() else {
            return wrong(after, "a timestamp in whole milliseconds, or nothing after the value");
        };
        Ok(Self { metric, identity, value: number, milliseconds, place: place_of(rest) })
    }
}

/// A label, its value, and what follows.
fn label(text: &str) -> Option<(&str, Cow<'_, str>, &str)> {
    let (name, rest) = text.split_once('=')?;
    let quoted = rest.trim_start().strip_prefix('"')?;
    let mut is_escaped = false;
    let end = quoted.find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    let value = &quoted[..end];
    let value = if value.contains('\\') { Cow::Owned(unescaped(value)) } else { Cow::Borrowed(value) };
    Some((name.trim(), value, &quoted[end + 1..]))
}

/// `\\`, `\"` and `\n` as the format escapes them.
fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => {}
            },
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::read;

    /// A blank after the last word moves the computed position into a letter of several bytes.
    #[test]
    fn a_letter_of_several_bytes_after_the_value_is_rejected_with_its_position() {
        for (letter, blanks) in [("é", " "), ("€", " "), ("€", "  "), ("𝛼", " "), ("𝛼", "   "), ("€", "\u{a0}")]
        {
            let line = format!("DCGM_FI_DEV_GPU_UTIL{{gpu=\"0\"}} 5 {letter}{blanks}");
            let error = read(&line, 1.0).expect_err("no timestamp");
            let column = line.chars().position(|c| letter.contains(c)).expect("a letter") + 1;
            let place = (error.line, error.column, error.field.as_deref());
            assert_eq!(place, (1, column, Some("DCGM_FI_DEV_GPU_UTIL")), "{line}");
            assert!(error.problem.starts_with("a timestamp in whole milliseconds"), "{line}: {error}");
        }
    }
}
