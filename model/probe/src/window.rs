//! The hours of the day in which the network is fast, from the times of one probe over days.

use super::pelt::{parts, usual_penalty};

/// The midnight before a Monday from which hours of dates are counted: 2001-01-01 UTC, seconds since 1970.
pub const MONDAY: i64 = 978_307_200;

/// Hours of a day.
const DAY: f64 = 24.0;
/// Hours of a week.
const WEEK: f64 = 168.0;
/// Fewest probes between two change points: a single slow probe is no change of the network.
const LEAST: usize = 2;

/// A timed probe of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timed {
    /// Start, hours from the midnight before a Monday.
    pub at: f64,
    /// Time, seconds.
    pub seconds: f64,
}

/// A part of a series between two change points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Start of its first probe, hours.
    pub from: f64,
    /// Start of the first probe of the next level, hours; of the last level, start of its last probe.
    pub until: f64,
    /// Mean time of a probe, seconds.
    pub seconds: f64,
    /// Number of probes.
    pub probes: usize,
}

/// A window of the day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Start, hours from midnight.
    pub from: f64,
    /// End, hours from midnight; 24 or more on the next day.
    pub until: f64,
    /// Mean time of the probes in it, seconds.
    pub seconds: f64,
    /// Standard error of that mean, seconds.
    pub error: f64,
    /// Number of probes.
    pub probes: usize,
}

/// Mean time of the probes of an hour of the day, or of a day of the week; none without probes.
pub type Band = Option<f64>;

/// Profile of the network from a series of probes.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Levels between change points, in the order of time.
    pub levels: Vec<Level>,
    /// Mean time of all probes, seconds.
    pub seconds: f64,
    /// Mean time for each hour of the day, from midnight.
    pub hours: [Band; 24],
    /// Mean time for each day of the week, from Monday.
    pub weekdays: [Band; 7],
    /// The window of the day with the shortest probes; none if no window of this length was probed without gaps.
    pub best: Option<Window>,
}

impl Network {
    /// Profile of a series, with the best window of this many hours, above 0 and below 24. Probes in the order of time, at least
    /// one, each with a time above 0.
    #[must_use]
    pub fn new(probes: &[Timed], hours: f64) -> Self {
        let levels = levels(probes);
        let mean = |of: &dyn Fn(&Timed) -> bool| {
            let (sum, count) = probes
                .iter()
                .filter(|probe| of(probe))
                .fold((0.0, 0_u32), |(sum, count), probe| (sum + probe.seconds, count + 1));
            (count > 0).then(|| sum / f64::from(count))
        };
        let hour = |hour: usize| mean(&|probe| of_day(probe.at).floor() == hour as f64);
        let weekday = |day: usize| mean(&|probe| (probe.at.rem_euclid(WEEK) / DAY).floor() == day as f64);
        Self {
            best: best(probes, &levels, hours),
            seconds: mean(&|_| true).unwrap_or(0.0),
            hours: std::array::from_fn(hour),
            weekdays: std::array::from_fn(weekday),
            levels,
        }
    }
}

fn of_day(at: f64) -> f64 {
    at.rem_euclid(DAY)
}

/// Levels between change points. Noise grows with the time of a probe, so logarithms are compared.
fn levels(probes: &[Timed]) -> Vec<Level> {
    let logarithms: Vec<f64> = probes.iter().map(|probe| libm::log(probe.seconds)).collect();
    let begins = parts(&logarithms, usual_penalty(&logarithms), LEAST);
    let ends = begins.iter().skip(1).copied().chain([probes.len()]);
    let level = |(from, until): (usize, usize)| {
        let inside = &probes[from..until];
        let last = probes.get(until).or(inside.last());
        Some(Level {
            from: inside.first()?.at,
            until: last?.at,
            seconds: inside.iter().map(|probe| probe.seconds).sum::<f64>() / inside.len() as f64,
            probes: inside.len(),
        })
    };
    begins.iter().copied().zip(ends).filter_map(level).collect()
}

/// The window with the lowest mean level that begins at a probe's time of the day; of equals the first after midnight.
fn best(probes: &[Timed], levels: &[Level], hours: f64) -> Option<Window> {
    /// Probes closer than this count as one time of the day, hours.
    const ALIKE: f64 = 1.0 / 60.0;
    // The level at each probe, without the noise of the probe.
    let denoised = levels.iter().flat_map(|level| std::iter::repeat_n(level.seconds, level.probes));
    let mut by_clock: Vec<(f64, f64, f64)> =
        probes.iter().zip(denoised).map(|(probe, level)| (of_day(probe.at), level, probe.seconds)).collect();
    by_clock.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut begins: Vec<f64> = by_clock.iter().map(|(clock, ..)| *clock).collect();
    begins.dedup_by(|a, b| (*a - *b).abs() < ALIKE);
    // A window may have no gap longer than twice the median gap between two probes, or than half of the window.
    let mut gaps: Vec<f64> = begins.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_by(f64::total_cmp);
    let longest = (2.0 * gaps.get(gaps.len() / 2).copied()?).min(hours / 2.0) + 1e-9;
    // The next day follows, so that windows may go beyond midnight.
    let next_day = by_clock.iter().map(|(clock, level, seconds)| (clock + DAY, *level, *seconds));
    let two_days: Vec<(f64, f64, f64)> = by_clock.iter().copied().chain(next_day).collect();
    let mut sums = vec![(0.0, 0.0)];
    for (_, level, seconds) in &two_days {
        let (levels, all) = sums[sums.len() - 1];
        sums.push((levels + level, all + seconds));
    }
    // Number of long gaps that end at or before each probe; a window must not contain one.
    let mut long_gaps = vec![0];
    for pair in two_days.windows(2) {
        long_gaps.push(long_gaps[long_gaps.len() - 1] + usize::from(pair[1].0 - pair[0].0 > longest));
    }
    let window = |from: f64| {
        let first = two_days.partition_point(|(clock, ..)| *clock < from - 1e-9);
        let end = two_days.partition_point(|(clock, ..)| *clock < from + hours - 1e-9);
        let is_probed =
            end >= first + 2 && long_gaps[end - 1] == long_gaps[first] && from + hours - two_days[end - 1].0 <= longest;
        is_probed.then(|| (from, first, end, (sums[end].0 - sums[first].0) / (end - first) as f64))
    };
    // Sums differ by rounding; the first of equals counts.
    let mut best: Option<(f64, usize, usize, f64)> = None;
    for candidate in begins.into_iter().filter_map(window) {
        if best.is_none_or(|best| candidate.3 < best.3 * (1.0 - 1e-9)) {
            best = Some(candidate);
        }
    }
    let (from, first, end, _) = best?;
    let count = (end - first) as f64;
    let seconds = (sums[end].1 - sums[first].1) / count;
    let squares: f64 = two_days[first..end].iter().map(|(.., probe)| (probe - seconds).powi(2)).sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    Some(Window { from, until: from + hours, seconds, error, probes: end - first })
}
