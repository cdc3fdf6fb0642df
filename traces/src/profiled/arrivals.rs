//! Arrival times and sizes of requests: the traces of language models that Azure published
//! (<https://github.com/Azure/AzurePublicDataset>, `AzureLLMInferenceTrace`: a time, tokens of the question, tokens of the
//! answer), or a table with the columns `seconds` and, where sizes are known, `size`.

use std::path::Path;

use crossover_preemption::Recorded;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::ReadArrivals;
use super::columns::Columns;
use super::detect::reason;
use crate::error::{self, TraceError};
use crate::left_out::{LeftOut, shown};
use crate::table::{Row, Table};

/// Largest file: a million lines have some 40 MB.
const LARGEST_BYTES: u64 = 256 << 20;
/// Most requests of a file.
const MOST_REQUESTS: usize = 1_000_000;
/// Longest recording, seconds.
const LONGEST: f64 = 1e10;
/// Columns of Azure's traces.
const AZURE: [&str; 3] = ["timestamp", "contexttokens", "generatedtokens"];
/// Sizes of a request, as a study may have them.
const SIZES: std::ops::RangeInclusive<f64> = 1e-9..=1e12;

/// A request: nanoseconds from any beginning, and its size.
type Request = (f64, Option<f64>);

/// Reads all requests of a file.
///
/// # Errors
/// [`TraceError`]: unreadable, of no form that is known, without a usable line, or with too many.
pub(super) fn read(path: &Path) -> Result<ReadArrivals, TraceError> {
    let text = error::text(path, LARGEST_BYTES)?;
    let table = Table::of(path, &text, &[])?;
    let columns = Columns::of(&table.columns());
    let is_azure = AZURE.iter().any(|name| columns.place(name).is_some());
    if is_azure {
        columns.need(path, &AZURE)?;
    } else if columns.place("seconds").is_none() {
        let expected = "expected TIMESTAMP,ContextTokens,GeneratedTokens, or seconds and, where it is known, size";
        return Err(TraceError::unusable(path, format!("no arrivals: {}; {expected}", reason(&text))));
    }
    let mut origin = None;
    let mut requests: Vec<Request> = Vec::new();
    let mut left_out = LeftOut::new("line", "lines");
    table.each(|line, row| {
        let request =
            row.and_then(|row| if is_azure { of_azure(&columns, &row, &mut origin) } else { plain(&columns, &row) });
        match request {
            Ok(request) => requests.push(request),
            Err(problem) => left_out.add(|| format!("line {line}"), &problem),
        }
    });
    if requests.len() > MOST_REQUESTS {
        let problem = format!("{} requests; at most {MOST_REQUESTS} are read: leave some out", requests.len());
        return Err(TraceError::unusable(path, problem));
    }
    let mut notes = Vec::new();
    let late = requests.windows(2).filter(|pair| matches!(pair, [(one, _), (next, _)] if next < one)).count();
    if late > 0 {
        requests.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let is = if late == 1 { "1 request is" } else { &format!("{late} requests are") };
        notes.push(format!("{}: {is} out of order: sorted by time", path.display()));
    }
    let Some((first, _)) = requests.first().copied() else {
        return Err(TraceError::unusable(path, left_out.nothing_of("line")));
    };
    let seconds: Vec<f64> = requests.iter().map(|(at, _)| at - first).collect();
    if let Some(last) = seconds.last().filter(|last| **last > LONGEST) {
        let problem = format!("the last request is {last} s after the first; allowed: up to {LONGEST}");
        return Err(TraceError::unusable(path, problem));
    }
    let sizes: Vec<f64> = requests.iter().filter_map(|(_, size)| *size).collect();
    let mut all_left_out = Vec::new();
    left_out.note(path, &mut all_left_out);
    let recorded = Recorded { seconds: seconds.into(), sizes: sizes.into() };
    Ok(ReadArrivals { recorded, left_out: all_left_out, notes })
}

/// A request of Azure's; seconds count from the first line that has a time.
fn of_azure(columns: &Columns, row: &Row<'_>, origin: &mut Option<Timestamp>) -> Result<Request, String> {
    let text = columns.text(row, "timestamp");
    let time = text.parse::<Timestamp>().ok().or_else(|| {
        let time: DateTime = text.parse().ok()?;
        time.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp())
    });
    let time = time.ok_or_else(|| format!("timestamp is “{}”; expected 2023-11-16 18:17:03.97996", shown(text)))?;
    let tokens = |name: &str| columns.number(row, name, 0.0..=1e11);
    let size = tokens("contexttokens")? + tokens("generatedtokens")?;
    if !SIZES.contains(&size) {
        return Err("it has no tokens; expected at least 1".to_owned());
    }
    let seconds = time.duration_since(*origin.get_or_insert(time)).as_secs_f64();
    Ok((seconds, Some(size)))
}

fn plain(columns: &Columns, row: &Row<'_>) -> Result<Request, String> {
    let seconds = columns.number(row, "seconds", -LONGEST..=LONGEST)?;
    let size = columns.place("size").map(|_| columns.number(row, "size", SIZES)).transpose()?;
    Ok((seconds, size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossover_needs::test_data;

    fn read_text(text: &str) -> Result<ReadArrivals, TraceError> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("space");
        read(file.path())
    }

    #[test]
    fn requests_of_azure_count_from_the_first() {
        let text = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n\
                    2023-11-16 18:17:04.0319600,3180,8\r\n2023-11-16 18:17:05.9799600,110,27";
        let read = read_text(text).expect("requests");
        assert_eq!(
            (&read.recorded.seconds[..], &read.recorded.sizes[..]),
            (&[0.0, 0.052, 2.0][..], &[4_818.0, 3_188.0, 137.0][..])
        );
        assert!(read.notes.is_empty() && read.left_out.is_empty());
        let zoned = text.replace("9600,", "96+00:00,");
        assert_eq!(read_text(&zoned).expect("requests").recorded, read.recorded);
    }

    #[test]
    fn plain_tables_are_sorted_by_time_and_begin_at_0() {
        let read = read_text("Seconds,size\n1700000005,1\n1700000001,2\n1700000003,4\n").expect("requests");
        assert_eq!(
            (&read.recorded.seconds[..], &read.recorded.sizes[..]),
            (&[0.0, 2.0, 4.0][..], &[2.0, 4.0, 1.0][..])
        );
        assert!(read.notes[0].ends_with("1 request is out of order: sorted by time"), "{:?}", read.notes);
        let read = read_text("seconds\n0.5\n0.5\n").expect("requests");
        assert_eq!((&read.recorded.seconds[..], read.recorded.sizes.len()), (&[0.0, 0.0][..], 0));
    }

    #[test]
    fn bad_lines_and_other_tables_are_named() {
        let read = read_text("seconds,size\n1,1\nNaN,1\n2,0\n3,\n1e11,1\n4\n").expect("one request");
        assert_eq!(read.recorded.seconds.len(), 1);
        let left_out = &read.left_out[0];
        assert!(left_out.contains("5 lines were left out: line 3: seconds is “NaN”"), "{left_out}");
        for (text, why) in [
            ("", "it is empty"),
            ("time\n1\n", "the first line, “time”"),
            ("TIMESTAMP,ContextTokens\n", "no column “generatedtokens”"),
            ("TIMESTAMP,ContextTokens,GeneratedTokens\nyesterday,1,1\n", "timestamp is “yesterday”"),
            ("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,0,0\n", "it has no token"),
            ("seconds\n-1e10\n1e10\n", "is 20000000000 s after the first"),
        ] {
            let problem = read_text(text).expect_err(text).to_string();
            assert!(problem.contains(why), "{text}: {problem}");
        }
    }

    #[test]
    fn more_requests_than_any_are_refused() {
        let problem =
            read_text(&format!("seconds\n{}", "1\n".repeat(MOST_REQUESTS + 1))).expect_err("many").to_string();
        assert!(problem.contains("1000001 requests; at most 1000000 are read"), "{problem}");
    }

    /// `wc -l`: 8,820 lines, the last without its end.
    #[test]
    fn the_published_trace_is_read_whole() {
        let Some(file) = test_data("traces/AzureLLMInferenceTrace_code.csv") else { return };
        let read = read(&file).expect("the trace");
        assert_eq!((read.recorded.seconds.len(), read.recorded.sizes.len()), (8_819, 8_819));
        assert!(read.notes.is_empty() && read.left_out.is_empty(), "{:?} {:?}", read.notes, read.left_out);
        assert_eq!((read.recorded.seconds.first(), read.recorded.sizes.first()), (Some(&0.0), Some(&4_818.0)));
        assert!(read.recorded.seconds.is_sorted());
    }
}
