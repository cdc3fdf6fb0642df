//! Versions: how far the Spark of a log is from the one that an engine was measured against.

use crossover_decision::evidence::VersionDifference;

use crate::today::is_spark;

/// Parts of the names of versions that vendors build, in lower case, and their products.
const BUILDS: [(&str, &str); 2] = [("amzn", "Amazon EMR"), ("databricks", "Databricks Runtime")];

/// How far the Spark of a log is from that of a measurement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct VersionDistance {
    /// Differences, a sentence each.
    pub(super) notes: Vec<String>,
    /// Differences that may change the answer, a sentence each.
    pub(super) warnings: Vec<String>,
    /// The difference of the versions of Spark, which is also among the notes or warnings.
    pub(super) version: Option<VersionDifference>,
}

/// How far the Spark of a log, "Spark 3.3.0-amzn-0", is from that of a measurement, "Spark 3.5.3, 8 × c5d.12xlarge".
pub(super) fn distance(log: &str, measured: &str) -> VersionDistance {
    let mut found = VersionDistance::default();
    if !is_spark(log) || !is_spark(measured) {
        return found;
    }
    let measured = measured.split_once(", ").map_or(measured, |(name, _)| name);
    if let Some(product) = build(log) {
        found.notes.push(format!("{log} is a build of {product}; Apache {measured} was measured"));
        found.notes.push(format!("the surcharge of {product} on the price of machines is not included"));
    }
    // Databricks counts the versions of its own runtime.
    let own = if is_of_databricks(log) { None } else { version(log) };
    if let Some((own, other)) = own.zip(version(measured)).filter(|(own, other)| own != other) {
        let is_major = own.0 != other.0;
        let difference = VersionDifference { measured: measured.to_owned(), today: log.to_owned(), is_major };
        let sentences = if is_major { &mut found.warnings } else { &mut found.notes };
        sentences.push(difference.to_string());
        found.version = Some(difference);
    }
    found
}

/// The product whose vendor built the Spark of a log; `None` for Apache's.
pub(crate) fn build(log: &str) -> Option<&'static str> {
    let text = log.to_lowercase();
    BUILDS.iter().find(|(mark, _)| text.contains(mark)).map(|(_, product)| *product)
}

/// Whether a log is of Databricks, whose versions are not those of Spark.
pub(super) fn is_of_databricks(log: &str) -> bool {
    log.to_lowercase().contains("databricks")
}

/// Major and minor version in the name of an engine; that of Spark where another engine runs on it.
pub(crate) fn version(name: &str) -> Option<(u32, u32)> {
    numbers(name).map(|(major, minor, _)| (major, minor))
}

/// The same with the patch version, if it has one.
pub(super) fn numbers(name: &str) -> Option<(u32, u32, Option<u32>)> {
    let name = name.split_once(" on ").map_or(name, |(_, spark)| spark);
    let number = name.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    let mut parts = number.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse::<u32>().ok());
    Some((parts.next()??, parts.next()??, parts.next().flatten()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEASURED_BESIDE: &str = "Spark 3.5.3, 8 × c5d.12xlarge";

    #[test]
    fn another_patch_is_said_nowhere_another_minor_version_is_noted_another_major_one_warned_of() {
        let counts = |log: &str| {
            let VersionDistance { notes, warnings, version } = distance(log, MEASURED_BESIDE);
            let is_major = version.map(|difference| difference.is_major);
            let is_said = (is_major == Some(false), is_major == Some(true));
            assert_eq!(is_said, (!notes.is_empty(), !warnings.is_empty()), "{log}");
            (notes.len(), warnings.len())
        };
        for (log, expected) in [
            ("Spark 3.5.3", (0, 0)),
            ("Spark 3.5.8", (0, 0)),
            ("Spark 3.1.1", (1, 0)),
            ("Spark 4.3.0", (0, 1)),
            ("Spark 2.4.8", (0, 1)),
            ("Spark", (0, 0)),
            ("DuckDB 1.4.0", (0, 0)),
            ("Gluten 1.4.0 (Velox) on Spark 3.5.1", (0, 0)),
            ("Comet 0.9.0 on Spark 4.0.0", (0, 1)),
            ("", (0, 0)),
        ] {
            assert_eq!(counts(log), expected, "{log}");
        }
    }

    #[test]
    fn builds_of_vendors_are_named() {
        let emr = distance("Spark 3.3.0-amzn-0", MEASURED_BESIDE);
        assert!(
            emr.notes[0].contains("Amazon EMR")
                && emr.notes[1].contains("surcharge")
                && emr.notes[2].contains("minor version"),
            "{emr:?}"
        );
        let same = distance("Spark 3.5.2-amzn-1", MEASURED_BESIDE);
        assert_eq!((same.notes.len(), same.warnings.len()), (2, 0), "{same:?}");
        // Databricks 13.3 is not Spark 13.3.
        let databricks = distance("Databricks 13.3.x-scala2.12", MEASURED_BESIDE);
        assert!(databricks.notes[0].contains("Databricks Runtime") && databricks.warnings.is_empty(), "{databricks:?}");
    }
}
