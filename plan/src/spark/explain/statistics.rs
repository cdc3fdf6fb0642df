//! `Statistics(sizeInBytes=48.0 B, rowCount=3)`: sizes of tables by the planner, and of finished stages.

/// Spark writes a size that it does not know as 8 EiB; nothing of this size exists.
const UNKNOWN: f64 = 1e18;

/// Bytes and rows, where they are known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Statistics {
    /// Bytes.
    pub(super) bytes: Option<f64>,
    /// Rows.
    pub(super) rows: Option<f64>,
}

impl Statistics {
    /// Those at the end of a text, and the text before them.
    pub(super) fn split(text: &str) -> (&str, Option<Self>) {
        let Some((before, behind)) = text.rsplit_once(", Statistics(") else { return (text, None) };
        let inside = behind.split(')').next().unwrap_or_default();
        let value = |key: &str| inside.split(", ").find_map(|part| part.trim().strip_prefix(key)?.strip_prefix('='));
        let known = |value: f64| Some(value).filter(|value| (0.0..UNKNOWN).contains(value));
        let bytes = value("sizeInBytes").and_then(size).and_then(known);
        let rows = value("rowCount").and_then(|rows| rows.trim().parse().ok()).and_then(known);
        (before, Some(Self { bytes, rows }))
    }
}

/// Bytes of "48.0 B", "1.5 GiB", "1.84E+19 B".
fn size(text: &str) -> Option<f64> {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let (number, unit) = text.trim().split_once(' ')?;
    let power = UNITS.iter().position(|known| *known == unit.trim())?;
    let number: f64 = number.parse().ok()?;
    Some(number * 1024_f64.powi(i32::try_from(power).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_all_units() {
        for (text, bytes, rows) in [
            ("Relation t[a#1] parquet, Statistics(sizeInBytes=1.5 KiB, rowCount=3)", Some(1536.0), Some(3.0)),
            ("ShuffleQueryStage (5), Statistics(sizeInBytes=48.0 B, rowCount=2.88E+9)", Some(48.0), Some(2.88e9)),
            ("Filter (a#1 > 2), Statistics(sizeInBytes=8.0 EiB)", None, None),
            ("Join Inner, Statistics(sizeInBytes=1.84E+19 B, rowCount=-1)", None, None),
            ("Join Inner, Statistics(", None, None),
        ] {
            assert_eq!(Statistics::split(text).1, Some(Statistics { bytes, rows }), "{text}");
        }
        assert_eq!(Statistics::split("Project [a#1]"), ("Project [a#1]", None));
    }
}
