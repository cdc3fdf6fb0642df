//! Tools in rounds, each more exact than the one before: a first result within seconds. A terminal shows the result so far; a time limit
//! ends with it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use crossover_page::terminal::{is_watched, message, with_progress};
use crossover_quantity::text::between;
use crossover_quantity::unit::Unit;
use crossover_study::Watch;

/// The rounds of a tool.
#[derive(Debug)]
pub(super) struct Rounds<S = usize> {
    /// How much each round computes, such as its samples; the last one is the whole run.
    pub(super) sizes: Vec<S>,
    /// When a result is enough, after the start; the first round always ends.
    pub(super) limit: Option<Duration>,
    /// What is counted, in the plural: "evaluations".
    pub(super) counted: &'static str,
}

/// The last round that has ended.
#[derive(Debug)]
pub(super) struct LastRound<T, S = usize> {
    pub(super) found: T,
    /// How much it computed.
    pub(super) size: S,
}

/// Reads the value of `--time`.
pub(super) fn time_limit(
    text: Option<&str>,
    usage: impl Fn(&str) -> clap::Error,
) -> Result<Option<Duration>, clap::Error> {
    let Some(text) = text else { return Ok(None) };
    let seconds = Unit::Seconds.parse(text).map_err(|error| usage(&format!("--time: {error}")))?;
    let limit = Duration::try_from_secs_f64(seconds);
    limit.map(Some).map_err(|_| usage(&format!("--time: {text} is out of range; expected a time such as 2s or 5 min")))
}

impl<S: Copy> Rounds<S> {
    /// Runs round after round, until the whole or the time limit; `None` if a round was cancelled. `so_far` has the result of a round in
    /// a few words.
    ///
    /// # Errors
    /// Those of the last round. An earlier one may fail where it meets too few valid points.
    pub(super) fn run<T, E>(
        self,
        so_far: impl Fn(&LastRound<T, S>) -> String,
        mut round: impl FnMut(S, Watch<'_>) -> Result<Option<T>, E>,
    ) -> Result<Option<LastRound<T, S>>, E> {
        let Self { mut sizes, limit, counted } = self;
        if limit.is_none() && !is_watched() {
            // Earlier rounds are not shown.
            sizes.drain(..sizes.len().saturating_sub(1));
        }
        let (began, done, shown) = (Instant::now(), AtomicUsize::new(0), Mutex::new(String::new()));
        let line = || {
            let shown = shown.lock().map(|text| text.clone()).unwrap_or_default();
            format!("{} {counted}{shown}", Unit::Count.format(done.load(Ordering::Relaxed) as f64))
        };
        with_progress(line, || {
            let mut last: Option<LastRound<T, S>> = None;
            for (place, size) in sizes.iter().enumerate() {
                let has_result = last.is_some();
                let is_over = || has_result && limit.is_some_and(|limit| began.elapsed() >= limit);
                match round(*size, Watch { is_cancelled: &is_over, done: &done }) {
                    Ok(Some(found)) => {
                        let found = LastRound { found, size: *size };
                        if let Ok(mut text) = shown.lock() {
                            *text = format!("; so far: {}", so_far(&found));
                        }
                        last = Some(found);
                    }
                    Ok(None) => break,
                    Err(error) if place + 1 == sizes.len() => return Err(error),
                    Err(_) => {}
                }
            }
            Ok(last)
        })
    }
}

/// "speedup 0.8× … 3.1×": the values of a figure.
pub(super) fn range_of(label: &str, unit: Unit, values: &[Option<f64>]) -> String {
    let values = || values.iter().flatten().copied().filter(|value| value.is_finite());
    match (values().reduce(f64::min), values().reduce(f64::max)) {
        (Some(least), Some(most)) => format!("{label} {}", between([least, most].map(|value| unit.format(value)))),
        _ => format!("{label} has no value"),
    }
}

/// Writes that the time limit ended a run before the whole: what it has, and how to repeat it.
pub(super) fn message_if_partial(size: usize, of: usize, noun: &str, repeat: &str, so_far: &str) {
    if size < of {
        let [size, of] = [size, of].map(|count| Unit::Count.format(count as f64));
        message_of_partial(&format!("{size} of {of} {noun}"), repeat, so_far);
    }
}

/// The same of a run that did so much: “16 of 1,024 samples”.
pub(super) fn message_of_partial(done: &str, repeat: &str, so_far: &str) {
    message(format!("--time: stopped after {done}{repeat}; {so_far}"));
}
