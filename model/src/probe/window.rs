//! When a network is good: the same probe over days takes longer at some times than at others.

use super::pelt::{parts, usual_penalty};

/// Hours of a day.
const DAY: f64 = 24.0;
/// Hours of a week.
const WEEK: f64 = 168.0;
/// Fewest probes between two changes: a single slow one is no change of the network.
const LEAST: usize = 2;

/// A probe of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timed {
    /// When it began, hours from the midnight before some Monday.
    pub at: f64,
    /// How long it took, seconds.
    pub seconds: f64,
}

/// A time in which probes take equally long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// When its first probe began, hours.
    pub from: f64,
    /// When the first probe after it began, hours; of the last level, when its last one began.
    pub until: f64,
    /// Mean time of a probe, seconds.
    pub seconds: f64,
    /// Probes.
    pub probes: usize,
}

/// A time of the day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// When it begins, hours from midnight.
    pub from: f64,
    /// When it ends, hours from midnight; 24 or more on the next day.
    pub until: f64,
    /// Mean time of the probes in it, seconds.
    pub seconds: f64,
    /// Standard error of that mean, seconds; none of a single probe.
    pub error: Option<f64>,
    /// Probes.
    pub probes: usize,
}

/// Mean time of the probes of an hour of the day, or of a day of the week; none without probes.
pub type Band = Option<f64>;

/// What a series says of the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// In the order of time.
    pub levels: Vec<Level>,
    /// Mean time of all probes, seconds.
    pub seconds: f64,
    /// For each hour of the day, from midnight.
    pub hours: [Band; 24],
    /// For each day of the week, from Monday.
    pub weekdays: [Band; 7],
    /// The time of the day with the shortest probes; none if no window of the length was probed throughout.
    pub best: Option<Window>,
}

impl Network {
    /// What probes say, and the best window of so many hours; above 0 and below 24. Probes in the order of time, each with a time
    /// above 0; at least one.
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

/// Times between changes. Noise grows with the time of a probe, so logarithms are compared.
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

/// The window that begins with some probe's time of the day in which levels are lowest; of equals the first after midnight.
fn best(probes: &[Timed], levels: &[Level], hours: f64) -> Option<Window> {
    // What the network gave at each probe, without the noise of the probe.
    let denoised: Vec<f64> = levels.iter().flat_map(|level| std::iter::repeat_n(level.seconds, level.probes)).collect();
    let mut begins: Vec<f64> = probes.iter().map(|probe| of_day(probe.at)).collect();
    begins.sort_by(f64::total_cmp);
    begins.dedup_by(|a, b| (*a - *b).abs() < 1.0 / 60.0);
    // Nowhere in a window may be a hole that is longer than twice the usual time between two probes.
    let mut gaps: Vec<f64> = probes.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    gaps.sort_by(f64::total_cmp);
    let longest = 2.0 * gaps.get(gaps.len() / 2).copied().unwrap_or(hours);
    let in_window = |from: f64| {
        let inside = move |at: f64| (at - from).rem_euclid(DAY);
        let mut places: Vec<(f64, usize)> = (0..probes.len())
            .map(|place| (inside(probes[place].at), place))
            .filter(|(after, _)| *after < hours - 1e-9)
            .collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ends = places.iter().map(|(after, _)| *after).chain([hours]);
        let is_probed =
            std::iter::once(0.0).chain(places.iter().map(|(after, _)| *after)).zip(ends).all(|(a, b)| b - a <= longest);
        (is_probed && !places.is_empty()).then(|| places.into_iter().map(|(_, place)| place).collect::<Vec<usize>>())
    };
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        sum / count
    };
    let candidates = begins.into_iter().filter_map(|from| Some((from, in_window(from)?)));
    let expected = |places: &[usize]| mean(&mut places.iter().map(|place| denoised[*place]));
    let (from, places) = candidates.min_by(|(_, a), (_, b)| expected(a).total_cmp(&expected(b)))?;
    let seconds = mean(&mut places.iter().map(|place| probes[*place].seconds));
    let squares: f64 = places.iter().map(|place| (probes[*place].seconds - seconds).powi(2)).sum();
    let count = places.len() as f64;
    let error = (places.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt());
    Some(Window { from, until: from + hours, seconds, error, probes: places.len() })
}
