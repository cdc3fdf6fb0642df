//! Samples of a network to figures: round trips to quantiles, counts of bytes to the throughput of slices.

use crossover_harness::statistics::{Summary, quantile};
use crossover_measured::calibration::Measured;
use crossover_measured::network::{NetworkDirection, RoundTrips, Throughput};

use super::wire::{Count, MESSAGE};

/// Quantiles beside a median.
const QUANTILES: (f64, f64) = (0.05, 0.95);

/// Figures of round trips; none without any.
pub(super) fn round_trips(seconds: &[f64]) -> Option<RoundTrips> {
    let (median, quantiles) = summarised(seconds)?;
    Some(RoundTrips { count: seconds.len(), message_bytes: MESSAGE, seconds: median, quantiles })
}

/// Throughput between consecutive counts of a receiver; none if at least half of the slices are empty.
pub(super) fn throughput(streams: u32, direction: NetworkDirection, counts: &[Count]) -> Option<Throughput> {
    of_slices(streams, direction, counts.windows(2).filter_map(|pair| gbit_per_s(pair[0], pair[1])).collect())
}

/// Throughput of slices or runs, Gbit/s; none if at least half of them are empty.
pub(super) fn of_slices(streams: u32, direction: NetworkDirection, slices: Vec<f64>) -> Option<Throughput> {
    let (gbit_per_s, quantiles) = summarised(&slices)?;
    (gbit_per_s.value > 0.0).then_some(Throughput { streams, direction, gbit_per_s, quantiles, slices })
}

/// Bits per nanosecond; none if a count runs backwards.
fn gbit_per_s(before: Count, after: Count) -> Option<f64> {
    let bytes = after.bytes.checked_sub(before.bytes)?;
    let nanoseconds = after.nanoseconds.checked_sub(before.nanoseconds).filter(|time| *time > 0)?;
    Some(8.0 * bytes as f64 / nanoseconds as f64)
}

/// Median with its interval, and quantiles.
fn summarised(samples: &[f64]) -> Option<(Measured, (f64, f64))> {
    let summary = Summary::of(samples)?;
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = QUANTILES;
    let median = Measured { value: summary.median, interval: summary.ci95 };
    Some((median, (quantile(&sorted, low), quantile(&sorted, high))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(bytes: u64, nanoseconds: u64) -> Count {
        Count { bytes, nanoseconds }
    }

    #[test]
    fn slices_are_bytes_by_the_time_of_the_receiver() {
        // 125 MB in 0.2 s are 5 Gbit/s; then 2.5, then 10 Gbit/s in half the time.
        let counts = [
            count(7, 1_000),
            count(125_000_007, 200_001_000),
            count(187_500_007, 400_001_000),
            count(312_500_007, 500_001_000),
        ];
        let measured = throughput(4, NetworkDirection::HereToThere, &counts).expect("data");
        assert_eq!((measured.slices, measured.gbit_per_s.value), (vec![5.0, 2.5, 10.0], 5.0));
        let (low, high) = measured.gbit_per_s.interval;
        assert!(low <= 5.0 && 5.0 <= high && (measured.quantiles.0 - 2.75).abs() < 1e-9, "{low} … {high}");
    }

    #[test]
    fn a_link_without_data_has_no_throughput() {
        let of = |counts: &[Count]| throughput(1, NetworkDirection::ThereToHere, counts);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[count(0, 0)]), None);
        assert_eq!(of(&[count(5, 0), count(5, 10), count(5, 20)]), None);
        assert_eq!(of(&[count(5, 10), count(4, 20), count(4, 20)]), None, "counts of a broken peer");
    }

    #[test]
    fn round_trips_have_a_median_between_their_quantiles() {
        let seconds: Vec<f64> = (1..=101).map(f64::from).collect();
        let measured = round_trips(&seconds).expect("samples");
        // Type 7 of Hyndman and Fan: 1 + 0.05 · 100 and 1 + 0.95 · 100.
        assert_eq!((measured.count, measured.seconds.value, measured.quantiles), (101, 51.0, (6.0, 96.0)));
    }
}
