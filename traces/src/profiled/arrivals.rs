//! Arrival times and sizes of requests: the traces of language models that Azure published
//! (<https://github.com/Azure/AzurePublicDataset>, `AzureLLMInferenceTrace`: a time, tokens of the question, tokens of the
//! answer), `BurstGPT` (<https://github.com/HPMLL/BurstGPT>: seconds, tokens of request and response), Mooncake
//! (<https://github.com/kvcache-ai/Mooncake>: a JSON object a line, milliseconds), Qwen
//! (<https://github.com/alibaba-edu/qwen-bailian-usagetraces-anon>: the same fields, seconds, and a `chat_id`), or a table with the
//! columns `seconds` and, where sizes are known, `size`.

use std::path::Path;

use crossover_preemption::Recorded;
use crossover_quantity::balance::BalanceOf;
use crossover_quantity::unread::{Unread, UnreadKind, suggests_accelerator, suggests_time};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

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
/// Columns of `BurstGPT`.
const BURST: [&str; 3] = ["timestamp", "request tokens", "response tokens"];
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
    let mut requests: Vec<Request> = Vec::new();
    let mut left_out = LeftOut::new("line", "lines");
    let take = |line: u64, request: Result<Request, String>| match request {
        Ok(request) => requests.push(request),
        Err(problem) => left_out.add(|| format!("line {line}"), &problem),
    };
    let mut unread = Unread::default();
    if text.trim_start().starts_with('{') {
        of_lines(&text, &mut unread, take);
    } else {
        of_table(path, &text, &mut unread, take)?;
    }
    if requests.len() > MOST_REQUESTS {
        let problem = format!("{} requests; at most {MOST_REQUESTS} are read: leave some out", requests.len());
        return Err(TraceError::unusable(path, problem));
    }
    let mut notes = unread.sentences();
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
    let balance = left_out.total(BalanceOf::Requests, seconds.len()).balance();
    left_out.note_of(path, balance.as_ref(), &mut all_left_out);
    let recorded = Recorded { seconds: seconds.into(), sizes: sizes.into() };
    Ok(ReadArrivals { recorded, left_out: all_left_out, notes, balances: balance.into_iter().collect() })
}

/// Requests of a table, each with its line.
fn of_table(
    path: &Path,
    text: &str,
    unread: &mut Unread,
    mut take: impl FnMut(u64, Result<Request, String>),
) -> Result<(), TraceError> {
    let table = Table::of(path, text, &[])?;
    table.name_unread(&["seconds"], unread);
    let columns = Columns::of_table(&table);
    let is_burst = columns.has(&BURST);
    let is_azure = !is_burst && AZURE.iter().any(|name| columns.place(name).is_some());
    if is_azure {
        columns.need(path, &AZURE)?;
    } else if !is_burst && columns.place("seconds").is_none() {
        let expected = "expected TIMESTAMP,ContextTokens,GeneratedTokens, the columns of BurstGPT, lines of Mooncake or Qwen, or seconds \
                        and, where it is known, size";
        return Err(TraceError::unusable(path, format!("no arrivals: {}; {expected}", reason(text))));
    }
    let mut origin = None;
    table.each(|line, row| {
        let request = row.and_then(|row| {
            if is_azure {
                of_azure(&columns, &row, &mut origin)
            } else if is_burst {
                of_burst(&columns, &row)
            } else {
                plain(&columns, &row)
            }
        });
        take(line, request);
    });
    Ok(())
}

/// Requests of Mooncake or Qwen: an object a line. Only Qwen has chats, and counts seconds instead of milliseconds.
fn of_lines(text: &str, unread: &mut Unread, mut take: impl FnMut(u64, Result<Request, String>)) {
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let mut read = || -> Result<Request, String> {
            let entry: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
            for name in entry.as_object().into_iter().flatten().map(|(name, _)| name) {
                if suggests_time(name) || suggests_accelerator(name) {
                    unread.add(UnreadKind::Column, name, &format!("line {line}"));
                }
            }
            let number = |name: &str, most: f64| {
                let value = entry.get(name).and_then(Value::as_f64).filter(|value| (0.0..=most).contains(value));
                value.ok_or_else(|| format!("{name} is absent or not a number from 0 to {most}"))
            };
            let per_second = if entry.get("chat_id").is_some() { 1.0 } else { 1e3 };
            let time = number("timestamp", LONGEST * per_second)?;
            sized(time / per_second, number("input_length", 1e11)? + number("output_length", 1e11)?)
        };
        take(line, read());
    }
}

/// A request with its tokens.
fn sized(seconds: f64, tokens: f64) -> Result<Request, String> {
    if SIZES.contains(&tokens) {
        Ok((seconds, Some(tokens)))
    } else {
        Err("it has no tokens; expected at least 1".to_owned())
    }
}

/// A request of `BurstGPT`: seconds from the beginning of the recording.
fn of_burst(columns: &Columns, row: &Row<'_>) -> Result<Request, String> {
    let [time, request, response] = BURST;
    let tokens = columns.number(row, request, 0.0..=1e11)? + columns.number(row, response, 0.0..=1e11)?;
    sized(columns.number(row, time, -LONGEST..=LONGEST)?, tokens)
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
    let (_, size) = sized(0.0, size)?;
    // Lines without tokens do not set the beginning.
    Ok((time.duration_since(*origin.get_or_insert(time)).as_secs_f64(), size))
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
    fn requests_of_burst_gpt_mooncake_and_qwen_are_read_by_their_names() {
        let burst = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n\
                     5,ChatGPT,472,18,490,Conversation log\n45.5,GPT-4,1087,230,1317,API log\n";
        let mooncake = "{\"timestamp\": 1000, \"input_length\": 400, \"output_length\": 90, \"hash_ids\": [1, 2]}\n\
                        {\"timestamp\": 41500, \"input_length\": 1000, \"output_length\": 317, \"hash_ids\": []}\n{\"timestamp\": 1}\n";
        let qwen = "{\"chat_id\": 159, \"parent_chat_id\": -1, \"timestamp\": 1.0, \"input_length\": 400, \"output_length\": 90, \"type\": \
                    \"text\", \"turn\": 1, \"hash_ids\": [1]}\n{\"chat_id\": 160, \"parent_chat_id\": 159, \"timestamp\": 41.5, \
                    \"input_length\": 1000, \"output_length\": 317, \"type\": \"text\", \"turn\": 2, \"hash_ids\": [1]}\n";
        for (text, left_out) in [(burst, 0), (mooncake, 1), (qwen, 0)] {
            let read = read_text(text).expect("requests");
            let expected = (&[0.0, 40.5][..], &[490.0, 1_317.0][..]);
            assert_eq!((&read.recorded.seconds[..], &read.recorded.sizes[..]), expected);
            assert_eq!(read.left_out.len(), left_out, "{:?}", read.left_out);
        }
    }

    #[test]
    fn times_beside_the_arrivals_are_named_with_their_count() {
        let burst = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens\n\
                     5,1,3.5,ChatGPT,472,18\n45,2,,GPT-4,1087,230\n50,2,9.1,GPT-4,7,30\n";
        let mooncake = "{\"timestamp\": 1, \"input_length\": 4, \"output_length\": 9, \"ttft_ms\": 7.5}\n";
        for (text, expected) in
            [(burst, ": column Elapsed time (2, first in "), (mooncake, ": column ttft_ms (1, first in line 1)")]
        {
            let notes = read_text(text).expect("requests").notes;
            assert!(notes[0].starts_with("not used") && notes[0].contains(expected), "{notes:?}");
            assert_eq!(notes.len(), 1);
        }
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
        assert!(left_out.contains("5 lines were left out (5 of 6 requests): line 3: seconds is “NaN”"), "{left_out}");
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
