//! Normalised speed of kernels or jobs that ran on one GPU together: Gavel's table, the output of `gpu-bench pairs --json`, or a
//! plain table.

use std::path::Path;

use serde::de::DeserializeSeed as _;
use serde_json::Value;

use super::collected::Pairs;
use super::columns::Columns;
use super::detect::reason;
use super::{MeasuredPair, ReadPairs, bench, gavel, number};
use crate::error::{self, TraceError};
use crate::json_value::Entry;
use crate::table::{Row, Table};

/// Largest file. JSON takes up to thirty times as much in memory as on disk.
const LARGEST_BYTES: u64 = 32 << 20;
/// Columns of the plain table, in its two forms.
const NORMAL: [&str; 4] = ["first", "second", "first_normalised", "second_normalised"];
/// With throughputs, of any unit.
const THROUGHPUTS: [&str; 6] = ["first", "second", "first_alone", "second_alone", "first_shared", "second_shared"];

/// Reads all pairs of a file.
///
/// # Errors
/// [`TraceError`]: unreadable, of no form that is known, without a usable pair, or with too many.
pub(super) fn read(path: &Path) -> Result<ReadPairs, TraceError> {
    let text = error::text(path, LARGEST_BYTES)?;
    let unusable = |problem: String| TraceError::unusable(path, problem);
    if !text.trim_start().starts_with(['{', '[']) {
        let mut pairs = Pairs::new(["line", "lines"]);
        plain(path, &text, &mut pairs)?;
        return pairs.end(path);
    }
    let mut parser = serde_json::Deserializer::from_str(&text);
    let value = Entry::new().deserialize(&mut parser).and_then(|value| parser.end().map(|()| value));
    let value = value.map_err(|error| unusable(error.to_string()))?;
    let mut pairs = Pairs::new(["entry", "entries"]);
    if value.get("pairs").is_some_and(Value::is_array) {
        bench::read(&value, &mut pairs).map_err(unusable)?;
    } else if gavel::is_table(&value) {
        gavel::read(&value, &mut pairs);
    } else {
        return Err(unusable(format!("no measured pairs: unknown JSON format; {EXPECTED}")));
    }
    pairs.end(path)
}

/// The supported files of pairs.
const EXPECTED: &str = "expected what `gpu-bench pairs --json` writes, Gavel's table of throughputs (JSON), or a table with the \
                        columns first,second,first_normalised,second_normalised or first,second,first_alone,second_alone,\
                        first_shared,second_shared";

/// Reads a plain table.
fn plain(path: &Path, text: &str, pairs: &mut Pairs) -> Result<(), TraceError> {
    let table = Table::of(path, text, &[])?;
    let columns = Columns::of_table(&table);
    let has_any = |names: &[&str]| names.iter().any(|name| columns.place(name).is_some());
    if !has_any(&THROUGHPUTS) && !has_any(&NORMAL) {
        return Err(TraceError::unusable(path, format!("no measured pairs: {}; {EXPECTED}", reason(text))));
    }
    let is_normal = !has_any(&THROUGHPUTS[2..]);
    columns.need(path, if is_normal { &NORMAL } else { &THROUGHPUTS })?;
    table.each(|line, row| {
        let outcome = row.and_then(|row| line_of(&columns, &row, is_normal, pairs));
        if let Err(problem) = outcome {
            pairs.leave_out(1, || format!("line {line}"), &problem);
        }
    });
    Ok(())
}

fn line_of(columns: &Columns, row: &Row<'_>, is_normal: bool, pairs: &mut Pairs) -> Result<(), String> {
    let (first, second) = (columns.named(row, "first")?, columns.named(row, "second")?);
    let device = columns.text(row, "device");
    let numbers = |names: [&str; 2], least: f64| {
        let [first, second] = names.map(|name| columns.number(row, name, least..=1e18));
        Ok::<_, String>([first?, second?])
    };
    let left = if is_normal {
        numbers(["first_normalised", "second_normalised"], 0.0)?
    } else {
        let alone = numbers(["first_alone", "second_alone"], f64::MIN_POSITIVE)?;
        let shared = numbers(["first_shared", "second_shared"], 0.0)?;
        [shared[0] / alone[0], shared[1] / alone[1]]
    };
    if left.contains(&0.0) {
        pairs.not_together(device, &first, &second);
        return Ok(());
    }
    let class = |name: &str| number::class(name, columns.text(row, name));
    let [first_normalised, second_normalised] = left;
    let (first_class, second_class) = (class("first_class")?, class("second_class")?);
    pairs.add(device, MeasuredPair { first, second, first_normalised, second_normalised, first_class, second_class })
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::MeasuredOn;
    use super::*;
    use crossover_measured::kernels::Class;

    /// Reads a text as a file.
    pub(in super::super) fn read_text(text: &str) -> Result<ReadPairs, TraceError> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("space");
        read(file.path())
    }

    #[test]
    fn a_plain_table_of_shares_is_read() {
        let text = "First,SECOND,first_normalised,second_normalised,device,first_class,second_class\n\
                    a,b,0.7,0.8,K40,memory,compute\nb,a,0.6,0.9,K40,,\na,a,0.5,0.5,K40,,\na,b,0.4,0.4,V100,,\n";
        let read = read_text(text).expect("pairs");
        let [k40, v100] = &read.devices[..] else { panic!("{:?}", read.devices) };
        assert_eq!((&*k40.device, k40.pairs.len(), v100.pairs.len()), ("K40", 2, 1));
        let mean = &k40.pairs[0];
        assert_eq!((&*mean.first, &*mean.second), ("a", "b"));
        assert_eq!((mean.first_class, mean.second_class), (Some(Class::Memory), Some(Class::Compute)));
        assert!(
            (mean.first_normalised - 0.8).abs() < 1e-12 && (mean.second_normalised - 0.7).abs() < 1e-12,
            "{mean:?}"
        );
        assert!(
            read.notes[0]
                .ends_with("1 pair (a + b): measured more than once, with different results: the mean is used")
        );
    }

    #[test]
    fn a_plain_table_of_throughputs_is_read() {
        let text = "first,second,first_alone,second_alone,first_shared,second_shared\n\
                    a,b,10,4,5,3\na,c,10,1,0,0\na,d,0,1,1,1\na,e,1,1,3,1\n,b,1,1,1,1\na,b,1\n";
        let read = read_text(text).expect("pairs");
        let expected = MeasuredPair {
            first: "a".into(),
            second: "b".into(),
            first_normalised: 0.5,
            second_normalised: 0.75,
            first_class: None,
            second_class: None,
        };
        assert_eq!(read.devices, [MeasuredOn { device: String::new(), pairs: vec![expected] }]);
        assert!(read.notes[0].contains("1 pair (a + c): could not run together"), "{:?}", read.notes);
        let left_out = &read.left_out[0];
        assert!(left_out.contains("4 lines were left out (4 of 6 pairs): line 4: first_alone is “0”"), "{left_out}");
        assert!(left_out.contains("line 5: normalised speed of the first is 3; allowed: 0.001 to 2"), "{left_out}");
    }

    #[test]
    fn other_files_are_refused_in_a_sentence() {
        for (text, why) in [
            ("", "it is empty"),
            ("a,b\n1,2\n", "the first line, “a,b”"),
            ("first,second\na,b\n", "no columns “first_normalised”, “second_normalised”"),
            ("first,second,first_alone\na,b,1\n", "no columns “second_alone”, “first_shared”, “second_shared”"),
            ("{\"a\": 1}", "unknown JSON format"),
            ("[1, 2", "EOF"),
            ("{}", "unknown JSON format"),
            ("first,second,first_normalised,second_normalised\na,b,NaN,1\n", "no valid pair; line 2"),
        ] {
            let problem = read_text(text).expect_err(text).to_string();
            assert!(problem.contains(why), "{text}: {problem}");
        }
    }
}
