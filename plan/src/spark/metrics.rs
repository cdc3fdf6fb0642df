//! SQL metrics of a node by the names of any Spark, in bytes, rows and seconds.

use super::raw::{RawMetric, RawNode};

/// Largest number that a plan takes.
const LARGEST: f64 = 1e18;

/// Output rows: Spark and Photon, the RAPIDS plugin.
pub(super) const ROWS_OUT: [&str; 2] = ["number of output rows", "output rows"];
/// Rows read, which only the RAPIDS plugin counts.
pub(super) const ROWS_IN: [&str; 2] = ["number of input rows", "input rows"];

/// Total of the first of these metrics that was reported, in Spark's own unit; one out of range does not count.
pub(super) fn total(node: &RawNode, names: &[&str]) -> Option<f64> {
    names.iter().find_map(|name| find(node, name)?.total.filter(|total| is_usable(*total)))
}

/// Total of a time, seconds.
pub(super) fn seconds(node: &RawNode, name: &str) -> Option<f64> {
    let metric = find(node, name)?;
    let total = metric.total.filter(|total| is_usable(*total))?;
    match metric.metric_type.as_str() {
        "timing" => Some(total / 1e3),
        "nsTiming" => Some(total / 1e9),
        // Spark 2 writes the unit into the name: "time to build (ms)".
        _ if metric.name.ends_with("(ms)") => Some(total / 1e3),
        _ => None,
    }
}

/// Whether a plan takes this number.
pub(super) fn is_usable(value: f64) -> bool {
    (0.0..=LARGEST).contains(&value)
}

fn find<'a>(node: &'a RawNode, name: &str) -> Option<&'a RawMetric> {
    node.metrics.iter().find(|metric| plain(&metric.name) == name)
}

/// A name without what Spark 2 adds: "data size total (min, med, max)", "data size (bytes)".
pub(super) fn plain(name: &str) -> &str {
    [" total (min, med, max)", " (min, med, max)", " (bytes)", " (ms)"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, metric_type: &str, total: f64) -> RawNode {
        let metric = RawMetric {
            name: name.to_owned(),
            metric_type: metric_type.to_owned(),
            accumulator: 1,
            total: Some(total),
        };
        RawNode { metrics: vec![metric], ..RawNode::default() }
    }

    #[test]
    fn names_of_spark_2_are_understood() {
        assert_eq!(total(&node("data size (bytes)", "sum", 168.0), &["data size"]), Some(168.0));
        assert_eq!(total(&node("data size total (min, med, max)", "size", 64.0), &["data size"]), Some(64.0));
        assert_eq!(seconds(&node("time to build (ms)", "sum", 30.0), "time to build"), Some(0.03));
        assert_eq!(seconds(&node("sort time total (min, med, max)", "timing", 1436.0), "sort time"), Some(1.436));
    }

    #[test]
    fn units_follow_the_metric_type() {
        assert_eq!(seconds(&node("sort time", "timing", 250.0), "sort time"), Some(0.25));
        assert_eq!(seconds(&node("op time", "nsTiming", 5e8), "op time"), Some(0.5));
        assert_eq!(seconds(&node("total time", "sum", 5.0), "total time"), None);
    }

    #[test]
    fn numbers_out_of_range_do_not_count() {
        assert_eq!(total(&node("number of output rows", "sum", -7.0), &ROWS_OUT), None);
        assert_eq!(total(&node("number of output rows", "sum", 1e300), &ROWS_OUT), None);
        assert_eq!(total(&node("number of output rows", "sum", f64::NAN), &ROWS_OUT), None);
    }
}
