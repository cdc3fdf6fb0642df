//! From rows to complete tracks: without holes, in ascending time, without gaps.

use std::collections::BTreeMap;

use super::super::validate::MOST_VALUES;
use super::column::{COUNT, SECONDS};
use super::{Column, LiveReading, MOST_GPUS, Recording, RecordingError, Track};

/// Longest time from one reading to the next, in usual intervals: half a period of jitter, but no missing reading.
const LONGEST_INTERVAL: f64 = 1.5;

/// A position in the text: line and column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Position {
    /// The position after a text that begins here.
    pub(super) fn after(self, text: &str) -> Self {
        let mut place = self;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            // A carriage return alone ends a line too.
            let is_end = character == '\n' || character == '\r' && characters.peek() != Some(&'\n');
            match (is_end, character) {
                (true, _) => place = Self { line: place.line + 1, column: 1 },
                (false, '\r') => {}
                (false, _) => place.column += 1,
            }
        }
        place
    }

    pub(super) fn error(self, field: Option<&str>, problem: impl Into<String>) -> RecordingError {
        RecordingError::at(self.line, self.column, field, problem.into())
    }
}

/// A reading in the text.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) seconds: f64,
    pub(super) place: Position,
    /// By [`Column`]: the value, and its position or where it is missing.
    pub(super) cells: [(Option<f64>, Position); COUNT],
}

/// Rejects one GPU or one row too many.
pub(super) fn within_limits(place: Position, gpus: usize, rows: usize) -> Result<(), RecordingError> {
    if gpus > MOST_GPUS {
        return Err(place.error(None, format!("more than {MOST_GPUS} GPUs; leave some out")));
    }
    if rows > MOST_VALUES {
        return Err(place.error(None, format!("more than {MOST_VALUES} readings of one GPU; shorten the recording")));
    }
    Ok(())
}

/// A recording of these rows by GPU, each with the name of a field for messages.
pub(super) fn finish(
    tracks: Vec<(String, Vec<Row>)>,
    left_out: Vec<String>,
    name: impl Fn(Column) -> &'static str,
) -> Result<Recording, RecordingError> {
    let begin = tracks.iter().filter_map(|(_, rows)| rows.first()).map(|row| row.seconds).fold(f64::INFINITY, f64::min);
    let tracks = tracks.into_iter().map(|(gpu, rows)| {
        let seconds: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
        ascending(&rows)?;
        without_gap(&rows, &seconds)?;
        let mut values = BTreeMap::new();
        for column in Column::ALL {
            let cells = || rows.iter().map(|row| row.cells[column as usize]);
            if cells().all(|(value, _)| value.is_none()) {
                continue;
            }
            let complete: Result<Vec<f64>, Position> = cells().map(|(value, place)| value.ok_or(place)).collect();
            let complete = complete.map_err(|place| {
                let of = if gpu.is_empty() { String::new() } else { format!(" of GPU “{gpu}”") };
                place.error(Some(name(column)), format!("the value{of} is missing; other rows have one"))
            })?;
            values.insert(column, complete);
        }
        Ok(Track { gpu, seconds: seconds.into_iter().map(|time| time - begin).collect(), values })
    });
    Ok(Recording { tracks: tracks.collect::<Result<_, _>>()?, left_out })
}

fn ascending(rows: &[Row]) -> Result<(), RecordingError> {
    match rows.windows(2).find(|pair| pair[1].seconds <= pair[0].seconds) {
        None => Ok(()),
        Some(pair) => {
            let (before, after) = (pair[0].seconds, pair[1].seconds);
            let problem = format!("{after} does not come after {before}; the times of a GPU must ascend");
            Err(pair[1].place.error(Some(SECONDS), problem))
        }
    }
}

fn without_gap(rows: &[Row], seconds: &[f64]) -> Result<(), RecordingError> {
    match first_gap(seconds) {
        None => Ok(()),
        Some((after, usual)) => {
            let gap = seconds[after] - seconds[after - 1];
            let problem = format!(
                "no reading for {gap} s before this; expected one every {usual} s, at most {LONGEST_INTERVAL} times as far \
                 apart"
            );
            Err(rows[after].place.error(Some(SECONDS), problem))
        }
    }
}

/// The first reading that comes too long after the one before, and the usual interval.
fn first_gap(seconds: &[f64]) -> Option<(usize, f64)> {
    let usual = usual_interval(seconds)?;
    let is_gap = |pair: &[f64]| pair[1] - pair[0] > LONGEST_INTERVAL * usual * (1.0 + 1e-9);
    seconds.windows(2).position(is_gap).map(|before| (before + 1, usual))
}

/// The median of the times from one reading to the next; of two middle ones the shorter.
pub(super) fn usual_interval(seconds: &[f64]) -> Option<f64> {
    let mut intervals: Vec<f64> = seconds.windows(2).map(|pair| pair[1] - pair[0]).collect();
    intervals.sort_by(f64::total_cmp);
    intervals.get(intervals.len().checked_sub(1)? / 2).copied()
}

/// See [`Recording::of_readings`].
pub(super) fn of_readings(gpus: Vec<(String, Vec<LiveReading>)>) -> Recording {
    let mut left_out = Vec::new();
    let mut tracks = Vec::new();
    for (gpu, mut readings) in gpus {
        readings.dedup_by(|later, earlier| later.seconds <= earlier.seconds);
        let times: Vec<f64> = readings.iter().map(|reading| reading.seconds).collect();
        let kept = without_gaps(&times);
        if kept.len() < readings.len() {
            let dropped = readings.len() - kept.len();
            left_out.push(format!("GPU “{gpu}”: {dropped} readings before or after a gap in time"));
        }
        let kept = &readings[kept];
        let mut values = BTreeMap::new();
        for column in Column::ALL {
            let good = |reading: &LiveReading| {
                reading.values.get(&column).copied().filter(|value| column.problem(*value, 1.0).is_none())
            };
            let complete: Vec<f64> = kept.iter().map_while(good).collect();
            if complete.len() == kept.len() && !kept.is_empty() {
                values.insert(column, complete);
            } else if kept.iter().any(|reading| reading.values.contains_key(&column)) {
                left_out.push(format!("GPU “{gpu}”: {}, which some readings lack", column.key()));
            }
        }
        if !values.is_empty() {
            tracks.push(Track { gpu, seconds: kept.iter().map(|reading| reading.seconds).collect(), values });
        }
    }
    let begin = tracks.iter().filter_map(|track| track.seconds.first().copied()).fold(f64::INFINITY, f64::min);
    for time in tracks.iter_mut().flat_map(|track| &mut track.seconds) {
        *time -= begin;
    }
    Recording { tracks, left_out }
}

/// A stretch of ascending times that is without a gap by its own usual interval.
fn without_gaps(seconds: &[f64]) -> std::ops::Range<usize> {
    let mut kept = 0..seconds.len();
    loop {
        let longest = longest_stretch(&seconds[kept.clone()]);
        if longest.len() == kept.len() {
            return kept;
        }
        kept = kept.start + longest.start..kept.start + longest.end;
    }
}

/// The longest stretch without a gap; of two the earlier.
fn longest_stretch(seconds: &[f64]) -> std::ops::Range<usize> {
    let Some(usual) = usual_interval(seconds) else { return 0..seconds.len() };
    let mut longest = 0..0;
    let mut begin = 0;
    for end in 1..=seconds.len() {
        let goes_on = end < seconds.len() && seconds[end] - seconds[end - 1] <= LONGEST_INTERVAL * usual;
        if !goes_on {
            if end - begin > longest.len() {
                longest = begin..end;
            }
            begin = end;
        }
    }
    longest
}
