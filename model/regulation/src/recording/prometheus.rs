//! Scrapes of dcgm-exporter or Prometheus: the text exposition format, one scrape after another.
//!
//! A sample is `METRIC{gpu="0",…} VALUE [MILLISECONDS]`. With timestamps the readings of one GPU at one time form a
//! row. Without them a metric that comes again for the same GPU begins the next scrape.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::column::COUNT;
use super::gather::{self, Position, Row};
use super::{Column, Recording, RecordingError};

/// Labels that name the machine, the most certain one first: those of dcgm-exporter, then those that Prometheus adds.
const HOSTS: [&str; 7] = ["Hostname", "hostname", "host", "kubernetes_node", "node", "exported_instance", "instance"];
/// Labels that change while a GPU stays the same: what runs on it, its errors and software, and who collected the sample.
const CHANGING: [&str; 16] = [
    "pod",
    "pod_name",
    "pod_namespace",
    "namespace",
    "container",
    "container_name",
    "hpc_job",
    "err_code",
    "err_msg",
    "DCGM_FI_DRIVER_VERSION",
    "job",
    "service",
    "endpoint",
    "prometheus",
    "prometheus_replica",
    "__name__",
];
/// How labels begin that Prometheus renames because it adds one of that name, which says what runs on the GPU.
const RENAMED: &str = "exported_";
/// Metrics that are named in a sentence about what was left out.
const NAMED: usize = 6;

/// Whether a text that begins with this line is of this kind.
pub(super) fn is_likely(first_line: &str) -> bool {
    let line = first_line.trim_start();
    line.starts_with(['#', '{']) || line.starts_with("DCGM_") || line.contains('{') && line.contains("=\"")
}

/// A GPU: its labels, and its rows by scrape or by time in milliseconds.
type Series = (Identity, BTreeMap<i64, Row>);

/// What distinguishes one GPU from another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Identity {
    /// Unique in the world; empty if no label has it.
    uuid: String,
    /// Machine, and the place of its label in [`HOSTS`].
    host: String,
    certainty: Option<usize>,
    /// Index on the machine.
    gpu: String,
    /// Part of a partitioned GPU.
    part: String,
    /// All other labels that stay the same as long as the GPU does.
    others: BTreeMap<String, String>,
}

impl Identity {
    fn take(&mut self, label: &str, value: Cow<'_, str>) {
        match label {
            "UUID" | "uuid" => self.uuid = value.into_owned(),
            "gpu" => self.gpu = value.into_owned(),
            "GPU_I_ID" => self.part = value.into_owned(),
            label => {
                let place = HOSTS.iter().position(|known| *known == label);
                if place.is_some_and(|place| self.certainty.is_none_or(|before| place < before)) {
                    (self.host, self.certainty) = (value.into_owned(), place);
                } else if place.is_none() && !CHANGING.contains(&label) && !label.starts_with(RENAMED) {
                    self.others.insert(label.to_owned(), value.into_owned());
                }
            }
        }
    }

    /// Whether it is the same GPU: by its UUID, or where one has none by machine, index, and all labels that both have.
    fn is_same(&self, other: &Self) -> bool {
        let is_known = !self.uuid.is_empty() && !other.uuid.is_empty();
        let is_same = || self.host == other.host && self.gpu == other.gpu && !self.contradicts(other);
        let is_same = if is_known { self.uuid == other.uuid } else { is_same() };
        is_same && self.part == other.part
    }

    /// Whether a label has another value.
    fn contradicts(&self, other: &Self) -> bool {
        self.others.iter().any(|(label, value)| other.others.get(label).is_some_and(|theirs| theirs != value))
    }
}

/// Reads scrapes; those without timestamps are `seconds_per_scrape` apart.
pub(super) fn read(text: &str, seconds_per_scrape: f64) -> Result<Recording, RecordingError> {
    let mut gpus: Vec<Series> = Vec::new();
    let mut is_timed = None;
    let mut scrape = 0_i64;
    let mut in_scrape = BTreeSet::new();
    let mut unknown = BTreeSet::new();
    let mut counters = BTreeSet::new();
    let mut metrics = BTreeSet::new();
    // The series of the line before, and the first line that repeats it.
    let (mut before, mut repeated) = (None, None);
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let trimmed = line.trim();
        let line_before = before.take();
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
        let position = gpus.iter().position(|(identity, _)| identity.is_same(&sample.identity));
        let gpu = position.unwrap_or_else(|| {
            gpus.push((sample.identity.clone(), BTreeMap::new()));
            gpus.len() - 1
        });
        // From now on another UUID is another GPU.
        if gpus[gpu].0.uuid.is_empty() {
            gpus[gpu].0.uuid.clone_from(&sample.identity.uuid);
        }
        let known = &mut gpus[gpu].0.others;
        for (label, value) in &sample.identity.others {
            if !known.contains_key(label) {
                known.insert(label.clone(), value.clone());
            }
        }
        metrics.insert(column);
        before = Some((gpu, column));
        if sample.milliseconds.is_none() && line_before == before {
            repeated.get_or_insert((sample.place, sample.metric));
        }
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
    // A scrape has all series of a metric one after the other, and each series once.
    if let Some((place, metric)) = repeated.filter(|_| metrics.len() > 1) {
        let problem = "a second value for the same GPU in one scrape: two machines without a label that distinguishes them; record with \
                       the label Hostname or UUID, or one file for each machine";
        return Err(place.error(Some(metric), problem));
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
    let hosts: BTreeSet<String> = gpus.iter().map(|(identity, _)| identity.host.clone()).collect();
    let short = |Identity { host, gpu, part, .. }: &Identity| {
        let host = if hosts.len() > 1 { format!("{host}/") } else { String::new() };
        let part = if part.is_empty() { String::new() } else { format!("/{part}") };
        format!("{host}{gpu}{part}")
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (identity, _) in &gpus {
        *counts.entry(short(identity)).or_default() += 1;
    }
    // Several GPUs with the same index and no machine: the UUID, or else what contradicts, tells them apart.
    let apart = |identity: &Identity| {
        if !identity.uuid.is_empty() {
            return identity.uuid.clone();
        }
        let differs = |label: &str, value: &str| {
            gpus.iter().any(|(other, _)| other.others.get(label).is_some_and(|theirs| theirs != value))
        };
        let labels = identity.others.iter().filter(|(label, value)| differs(label, value));
        labels.map(|(label, value)| format!("{label} {value}")).collect::<Vec<_>>().join(", ")
    };
    let names: Vec<String> = gpus
        .iter()
        .map(|(identity, _)| {
            let name = short(identity);
            let is_shared = counts.get(&name).is_some_and(|count| *count > 1);
            if is_shared { format!("{name} ({})", apart(identity)) } else { name }
        })
        .collect();
    let timed = |(key, row): (i64, Row)| {
        // As i128, since two timestamps may lie further apart than an i64 reaches.
        let passed = (i128::from(key) - i128::from(begin)) as f64;
        Row { seconds: passed * seconds_per_key, ..row }
    };
    let rows = gpus.into_iter().map(|(_, rows)| rows.into_iter().map(timed).collect());
    names.into_iter().zip(rows).collect()
}

/// A line with a sample.
struct Sample<'a> {
    metric: &'a str,
    identity: Identity,
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
        let mut identity = Identity::default();
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
                identity.take(name, value);
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
    use std::collections::BTreeSet;

    use super::read;

    /// Two machines, each with a GPU 0: the UUID, the name of the machine in small letters, or the address that Prometheus adds
    /// tells them apart.
    #[test]
    fn gpus_of_two_machines_are_two_by_any_label_that_tells_them_apart() {
        let scrape = |labels: [&str; 2], seconds: [u32; 2]| -> String {
            let line = |labels: &str, value: u32| format!("DCGM_FI_DEV_GPU_UTIL{{gpu=\"0\",{labels}}} {value}\n");
            line(labels[0], seconds[0]) + &line(labels[1], seconds[1])
        };
        for labels in [
            [r#"UUID="GPU-a""#, r#"UUID="GPU-b""#],
            [r#"hostname="a""#, r#"hostname="b""#],
            [r#"instance="10.0.0.1:9400""#, r#"instance="10.0.0.2:9400""#],
            [r#"Hostname="a",instance="10.0.0.1:9400""#, r#"Hostname="b",instance="10.0.0.1:9400""#],
            [r#"modelName="NVIDIA L4",pod="x""#, r#"modelName="NVIDIA T4",pod="x""#],
            [r#"cluster="north",node="n1""#, r#"cluster="south",node="n1""#],
        ] {
            let text = scrape(labels, [90, 10]) + &scrape(labels, [80, 20]);
            let recording = read(&text, 15.0).expect("two GPUs");
            let names: BTreeSet<&str> = recording.tracks.iter().map(|track| track.gpu.as_str()).collect();
            assert_eq!((recording.tracks.len(), names.len()), (2, 2), "{labels:?}");
        }
    }

    /// What runs on a GPU changes, and a label may be missing: both samples are of the one GPU.
    #[test]
    fn a_gpu_stays_one_whatever_runs_on_it() {
        let line = |labels: &str| format!("DCGM_FI_DEV_GPU_UTIL{{gpu=\"0\"{labels}}} 50\n");
        let text =
            line(r#",pci_bus_id="1",pod="a",exported_pod="x""#) + &line(r#",pci_bus_id="1",pod="b""#) + &line("");
        let recording = read(&text, 15.0).expect("one GPU");
        assert_eq!((recording.tracks.len(), recording.tracks[0].seconds.len()), (1, 3));
    }

    /// A scrape of two machines whose exporters write no label of their machine.
    #[test]
    fn two_machines_without_any_label_are_refused() {
        let two = |metric: &str| format!("{metric}{{gpu=\"0\"}} 0.9\n{metric}{{gpu=\"0\"}} 0.1\n");
        let text = two("DCGM_FI_PROF_SM_ACTIVE") + &two("DCGM_FI_PROF_PCIE_TX_BYTES");
        let error = read(&text, 15.0).expect_err("two machines");
        assert_eq!((error.line, error.field.as_deref()), (2, Some("DCGM_FI_PROF_SM_ACTIVE")));
        assert!(error.problem.contains("two machines without a label that distinguishes them"), "{error}");
        // One machine, scrape after scrape: with other metrics between, or with one metric alone.
        let one = "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"} 0.9\nDCGM_FI_PROF_PCIE_TX_BYTES{gpu=\"0\"} 1\n".repeat(3);
        assert_eq!(read(&one, 15.0).expect("one machine").tracks[0].seconds.len(), 3);
        assert_eq!(read(&two("DCGM_FI_PROF_SM_ACTIVE"), 15.0).expect("one metric").tracks.len(), 1);
    }

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
