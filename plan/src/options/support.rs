//! Versions of Spark that engines support, as their own documents say.
//!
//! | engine | release | documents | date |
//! |---|---|---|---|
//! | RAPIDS | 25.12, 26.06 | docs/download.md of NVIDIA/spark-rapids at v25.12.0 and v26.06.0 | 2025-12-16, 2026-06-14 |
//! | Gluten | 1.4, 1.6 | docs/get-started/Velox.md of apache/gluten, branch-1.4 and branch-1.6 | 2025-06-06, 2026-03-04 |
//! | Comet | 0.16.0, 0.17.0, 1.0.0 | docs/source/user-guide/latest/installation.md of apache/datafusion-comet at each of these tags | 2026-05-07, 2026-06-16, 2026-08-04 |
//!
//! The measurements on Spark 3.5.3 do not name the version of Gluten. 1.4 was its newest release at their date. Versions of Spark that Comet
//! calls experimental count as not supported.

use crossover_decision::evidence::VersionSupport;

use super::versions::{build, is_of_databricks, numbers};
use crate::today::is_spark;

/// What the documents of an engine say.
struct Documented {
    /// Beginning of its name.
    engine: &'static str,
    /// Whether every patch version is listed, and others are refused. Else a release is tested with one of each minor version.
    lists_patches: bool,
    /// Its measured releases. Measurements that name no version count as the first one; the last one is the newest.
    releases: &'static [Release],
    /// What is said of vendors' builds of Spark, and by whom: a sentence names the vendor before it.
    of_builds: &'static str,
}

/// A release, and the versions of Spark that its documents list.
struct Release {
    name: &'static str,
    /// Major and minor version, with the first and the last listed patch version.
    lines: &'static [(u32, u32, [u32; 2])],
    /// Versions of Databricks' runtime.
    runtimes: &'static [(u32, u32)],
    /// The documents, and their date.
    source: &'static str,
}

static DOCUMENTED: [Documented; 3] = [
    Documented {
        engine: "RAPIDS",
        lists_patches: true,
        releases: &[
            Release {
                name: "RAPIDS 25.12",
                lines: &[(3, 2, [0, 4]), (3, 3, [0, 4]), (3, 4, [0, 4]), (3, 5, [0, 7]), (4, 0, [0, 1])],
                runtimes: &[(12, 2), (13, 3), (14, 3)],
                source: "docs/download.md of NVIDIA/spark-rapids v25.12.0, 2025-12-16",
            },
            Release {
                name: "RAPIDS 26.06",
                lines: &[(3, 3, [0, 4]), (3, 4, [0, 4]), (3, 5, [0, 8]), (4, 0, [0, 3]), (4, 1, [1, 1])],
                runtimes: &[(13, 3), (14, 3), (17, 3)],
                source: "docs/download.md of NVIDIA/spark-rapids v26.06.0, 2026-06-14",
            },
        ],
        of_builds: "NVIDIA’s FAQ about the RAPIDS Accelerator says that most builds of supported versions should work, and guarantees none",
    },
    Documented {
        engine: "Gluten",
        lists_patches: false,
        releases: &[
            Release {
                name: "Gluten 1.4",
                lines: &[(3, 2, [2, 2]), (3, 3, [1, 1]), (3, 4, [4, 4]), (3, 5, [2, 2])],
                runtimes: &[],
                source: "docs/get-started/Velox.md of apache/gluten, branch-1.4, 2025-06-06",
            },
            Release {
                name: "Gluten 1.6",
                lines: &[(3, 2, [2, 2]), (3, 3, [1, 1]), (3, 4, [4, 4]), (3, 5, [5, 5])],
                runtimes: &[],
                source: "docs/get-started/Velox.md of apache/gluten, branch-1.6, 2026-03-04",
            },
        ],
        of_builds: "Gluten’s documents name no vendor’s build",
    },
    Documented {
        engine: "Comet",
        lists_patches: false,
        releases: &[
            Release {
                name: "Comet 0.16",
                lines: &[(3, 4, [3, 3]), (3, 5, [8, 8]), (4, 0, [2, 2]), (4, 1, [1, 1])],
                runtimes: &[],
                source: "docs/source/user-guide/latest/installation.md of apache/datafusion-comet 0.16.0, 2026-05-07",
            },
            Release {
                name: "Comet 0.17.0",
                lines: &[(3, 4, [3, 3]), (3, 5, [8, 8]), (4, 0, [2, 2]), (4, 1, [2, 2])],
                runtimes: &[],
                source: "docs/source/user-guide/latest/installation.md of apache/datafusion-comet 0.17.0, 2026-06-16",
            },
            Release {
                name: "Comet 1.0.0",
                lines: &[(3, 4, [3, 3]), (3, 5, [9, 9]), (4, 0, [4, 4]), (4, 1, [3, 3])],
                runtimes: &[],
                source: "docs/source/user-guide/latest/installation.md of apache/datafusion-comet 1.0.0, 2026-08-04",
            },
        ],
        of_builds: "Comet’s documents say that it may not fully work with vendors’ builds",
    },
];

impl Release {
    /// The listed patch versions of a version; `None` if it is not supported.
    fn line(&self, (major, minor, patch): (u32, u32, Option<u32>), lists_patches: bool) -> Option<[u32; 2]> {
        let (.., patches) = self.lines.iter().find(|(of, line, _)| (*of, *line) == (major, minor))?;
        let [first, last] = *patches;
        let is_listed = !lists_patches || patch.is_none_or(|patch| (first..=last).contains(&patch));
        is_listed.then_some(*patches)
    }

    /// The newest listed version of the nearest minor version, and how far that is: "Spark 3.2.4"; of a release that is tested with one
    /// patch version of each minor version, "Spark 3.5 (tested with 3.5.2)".
    fn nearest(&self, (major, minor, _): (u32, u32, Option<u32>), lists_patches: bool) -> Option<(u32, String)> {
        // Major versions are further apart than all minor ones.
        let place = |major: u32, minor: u32| 100 * major + minor;
        let distance = |of: u32, line: u32| place(of, line).abs_diff(place(major, minor));
        let (of, line, [_, last]) = self.lines.iter().min_by_key(|(of, line, _)| distance(*of, *line))?;
        let version = if lists_patches {
            format!("Spark {of}.{line}.{last}")
        } else {
            format!("Spark {of}.{line} (tested with {of}.{line}.{last})")
        };
        Some((distance(*of, *line), version))
    }
}

/// The versions of Spark that the documents of an engine's release list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedVersions {
    /// The release: "Gluten 1.4".
    pub release: &'static str,
    /// Whether the measured runs name their release; otherwise it was the newest one at their date.
    pub is_release_named: bool,
    /// "3.2, 3.3, 3.4 and 3.5"; with every patch version, where the documents list them: "3.2.0–3.2.4 and 4.1.1".
    pub spark: String,
    /// The documents, and their date.
    pub source: &'static str,
}

/// The versions of Spark that the release of an engine, "Gluten 1.6.0 (Velox) on Spark 3.5.8", supports; `None` for an engine or a release
/// without known documents.
#[must_use]
pub fn listed_versions(engine: &str) -> Option<ListedVersions> {
    let Measured { documented, release, is_named } = measured(engine)?;
    let of_line = |(major, minor, [first, last]): &(u32, u32, [u32; 2])| match (documented.lists_patches, first == last)
    {
        (false, _) => format!("{major}.{minor}"),
        (true, true) => format!("{major}.{minor}.{first}"),
        (true, false) => format!("{major}.{minor}.{first}–{major}.{minor}.{last}"),
    };
    let mut lines: Vec<String> = release.lines.iter().map(of_line).collect();
    let last = lines.pop()?;
    let spark = if lines.is_empty() { last } else { format!("{} and {last}", lines.join(", ")) };
    Some(ListedVersions { release: release.name, is_release_named: is_named, spark, source: release.source })
}

/// The release of an engine that was measured, with what its documents say.
struct Measured {
    documented: &'static Documented,
    release: &'static Release,
    /// Whether the measurements name it.
    is_named: bool,
}

/// The measured release of an engine, "RAPIDS 25.12 (L4)"; `None` for an engine or a release without known documents.
fn measured(engine: &str) -> Option<Measured> {
    let documented = DOCUMENTED.iter().find(|documented| engine.starts_with(documented.engine))?;
    let own = engine.split_once(" on ").map_or(engine, |(own, _)| own);
    let is_named = numbers(own).is_some();
    let release = documented.releases.iter().find(|release| own.starts_with(release.name));
    let release = release.or_else(|| documented.releases.first().filter(|_| !is_named))?;
    Some(Measured { documented, release, is_named })
}

/// Whether an engine, "RAPIDS 25.12 (L4)", supports the Spark of a log, "Spark 3.3.0-amzn-0"; `None` for an engine or a release without
/// known documents, and for a log without a version.
pub(super) fn support(engine: &str, log: &str) -> Option<VersionSupport> {
    let Measured { documented, release, .. } = measured(engine)?;
    let newer = documented.releases.last()?;
    if !is_spark(log) {
        return None;
    }
    let spark = numbers(log)?;
    if is_of_databricks(log) {
        return Some(of_runtime(documented, release, spark));
    }
    let name = release.name;
    // A vendor's build has the name of its version: "3.3.0-amzn-0".
    let today = match spark {
        (major, minor, Some(patch)) => format!("Spark {major}.{minor}.{patch}"),
        (major, minor, None) => format!("Spark {major}.{minor}"),
    };
    let source = release.source.to_owned();
    let Some([tested, _]) = release.line(spark, documented.lists_patches) else {
        let other = newer.line(spark, documented.lists_patches).filter(|_| newer.name != name);
        let (instead, source) = match other {
            Some(_) => (format!("{} does, but was not measured", newer.name), format!("{source}; {}", newer.source)),
            None => (nearest(documented.lists_patches, [release, newer], spark), source),
        };
        let sentence = format!("{name} does not support {today}; {instead}");
        return Some(VersionSupport { is_supported: Some(false), sentence, source });
    };
    let (major, minor, _) = spark;
    let listed = if documented.lists_patches {
        format!("{name} supports {today}")
    } else {
        format!("{name} supports Spark {major}.{minor}, and is tested with {major}.{minor}.{tested}")
    };
    Some(match build(log) {
        None => VersionSupport { is_supported: Some(true), sentence: listed, source },
        Some(product) => VersionSupport {
            is_supported: None,
            sentence: format!("{listed}; the log comes from {product}, and {}", documented.of_builds),
            source,
        },
    })
}

/// "the nearest supported version is Spark 3.2.4", "the nearest supported version is Spark 4.1.1, with RAPIDS 26.06", "the nearest
/// supported version is Spark 3.5 (tested with 3.5.2)"
fn nearest(lists_patches: bool, [release, newer]: [&Release; 2], spark: (u32, u32, Option<u32>)) -> String {
    let own = release.nearest(spark, lists_patches);
    let other = newer.nearest(spark, lists_patches).filter(|_| newer.name != release.name);
    match (own, other) {
        (Some((own, _)), Some((other, version))) if other < own => {
            format!("the nearest supported version is {version}, with {}", newer.name)
        }
        (Some((_, version)), _) => format!("the nearest supported version is {version}"),
        (None, _) => "it lists no version".to_owned(),
    }
}

/// Whether a release supports a runtime of Databricks.
fn of_runtime(
    documented: &Documented,
    release: &Release,
    (major, minor, _): (u32, u32, Option<u32>),
) -> VersionSupport {
    let (name, source) = (release.name, release.source.to_owned());
    let runtimes = release.runtimes;
    if runtimes.is_empty() {
        let sentence = format!("{name}: the log comes from Databricks Runtime, and {}", documented.of_builds);
        return VersionSupport { is_supported: None, sentence, source };
    }
    let is_listed = runtimes.contains(&(major, minor));
    let sentence = if is_listed {
        format!("{name} supports Databricks Runtime {major}.{minor} ML LTS")
    } else {
        let listed: Vec<String> = runtimes.iter().map(|(major, minor)| format!("{major}.{minor}")).collect();
        format!("{name} does not support Databricks Runtime {major}.{minor}; it supports {} ML LTS", listed.join(", "))
    };
    VersionSupport { is_supported: Some(is_listed), sentence, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAPIDS: &str = "RAPIDS 25.12 (L4)";
    const GLUTEN: &str = "Gluten (Velox) on Spark 3.5.3";
    const COMET: &str = "Comet 0.17.0 on Spark 3.5.8";
    const OLDER_COMET: &str = "Comet 0.16 on Spark 3.5.8";

    /// The lists are those of the documents that the head of this file names.
    #[test]
    fn a_version_is_supported_where_the_documents_list_it() {
        for (engine, log, expected) in [
            (RAPIDS, "Spark 3.2.0", Some(true)),
            (RAPIDS, "Spark 3.5.7", Some(true)),
            (RAPIDS, "Spark 3.5.8", Some(false)),
            (RAPIDS, "Spark 4.0.1", Some(true)),
            (RAPIDS, "Spark 3.1.1", Some(false)),
            (RAPIDS, "Spark 4.1.1", Some(false)),
            (RAPIDS, "Spark 2.4.8", Some(false)),
            // Any patch of a minor version that the engine is built for.
            (GLUTEN, "Spark 3.3.4", Some(true)),
            (GLUTEN, "Spark 3.1.1", Some(false)),
            (GLUTEN, "Spark 4.0.0", Some(false)),
            (COMET, "Spark 3.3.0", Some(false)),
            (COMET, "Spark 3.4.1", Some(true)),
            (COMET, "Spark 4.1.0", Some(true)),
            (COMET, "Spark 4.3.0", Some(false)),
            (OLDER_COMET, "Spark 3.3.0", Some(false)),
            (OLDER_COMET, "Spark 3.5.3", Some(true)),
            (OLDER_COMET, "Spark 4.1.0", Some(true)),
            // Experimental.
            (OLDER_COMET, "Spark 4.2.0", Some(false)),
            ("Gluten 1.6.0 (Velox) on Spark 3.5.8", "Spark 3.1.1", Some(false)),
            ("Gluten 1.6.0 (Velox) on Spark 3.5.8", "Spark 3.5.3", Some(true)),
        ] {
            let found = support(engine, log).unwrap_or_else(|| panic!("{engine}, {log}"));
            assert_eq!(found.is_supported, expected, "{engine}, {log}: {found:?}");
            assert!(found.source.contains(", 202"), "{found:?}");
        }
    }

    #[test]
    fn an_unsupported_version_names_the_nearest_one_or_the_release_that_supports_it() {
        let said = |engine: &str, log: &str| support(engine, log).expect("documents").sentence;
        assert_eq!(
            said(RAPIDS, "Spark 3.1.1"),
            "RAPIDS 25.12 does not support Spark 3.1.1; the nearest supported version is Spark 3.2.4"
        );
        assert_eq!(
            said(RAPIDS, "Spark 4.1.1"),
            "RAPIDS 25.12 does not support Spark 4.1.1; RAPIDS 26.06 does, but was not measured"
        );
        assert!(said(RAPIDS, "Spark 4.3.0").ends_with("is Spark 4.1.1, with RAPIDS 26.06"));
        assert!(
            said(GLUTEN, "Spark 3.1.1").ends_with("is Spark 3.2 (tested with 3.2.2)"),
            "{}",
            said(GLUTEN, "Spark 3.1.1")
        );
        assert!(
            said(COMET, "Spark 2.4.8").ends_with("is Spark 3.4 (tested with 3.4.3)"),
            "{}",
            said(COMET, "Spark 2.4.8")
        );
        assert_eq!(
            said(OLDER_COMET, "Spark 3.3.0"),
            "Comet 0.16 does not support Spark 3.3.0; the nearest supported version is Spark 3.4 (tested with 3.4.3)"
        );
        assert_eq!(said(OLDER_COMET, "Spark 4.1.0"), "Comet 0.16 supports Spark 4.1, and is tested with 4.1.1");
    }

    /// The table “Versions of Spark” of `docs/DECIDE-SPARK.md`.
    #[test]
    fn a_release_has_the_versions_that_its_documents_list() {
        for (engine, release, is_named, spark) in [
            (GLUTEN, "Gluten 1.4", false, "3.2, 3.3, 3.4 and 3.5"),
            ("Gluten 1.6.0 (Velox) on Spark 3.5.8", "Gluten 1.6", true, "3.2, 3.3, 3.4 and 3.5"),
            (COMET, "Comet 0.17.0", true, "3.4, 3.5, 4.0 and 4.1"),
            (RAPIDS, "RAPIDS 25.12", true, "3.2.0–3.2.4, 3.3.0–3.3.4, 3.4.0–3.4.4, 3.5.0–3.5.7 and 4.0.0–4.0.1"),
        ] {
            let found = listed_versions(engine).expect(engine);
            assert_eq!((found.release, found.is_release_named, found.spark.as_str()), (release, is_named, spark));
        }
        assert!(listed_versions("RAPIDS 26.06 (L4)").is_some_and(|found| found.spark.ends_with(" and 4.1.1")));
        assert_eq!([listed_versions("Gluten 1.2 (Velox)"), listed_versions("Sirius")], [None, None]);
    }

    #[test]
    fn builds_of_vendors_are_what_the_documents_say() {
        let of = |engine: &str, log: &str| support(engine, log).expect("documents");
        let emr = of(COMET, "Spark 3.5.2-amzn-1");
        assert!(emr.is_supported.is_none() && emr.sentence.contains("may not fully work"), "{emr:?}");
        assert!(emr.sentence.contains("Amazon EMR"), "{emr:?}");
        // What the documents exclude for Apache's version, they exclude for a build of it.
        assert_eq!(of(COMET, "Spark 3.3.0-amzn-0").is_supported, Some(false));
        let rapids = of(RAPIDS, "Spark 3.3.0-amzn-0");
        assert_eq!(rapids.is_supported, None);
        let faq = "the log comes from Amazon EMR, and NVIDIA’s FAQ about the RAPIDS Accelerator says that ";
        assert!(rapids.sentence.contains(faq), "{rapids:?}");
        assert_eq!(of(RAPIDS, "Databricks 13.3.x-scala2.12").is_supported, Some(true));
        assert_eq!(of(RAPIDS, "Databricks 15.4.x-scala2.12").is_supported, Some(false));
        assert_eq!(of(GLUTEN, "Databricks 13.3.x-scala2.12").is_supported, None);
    }

    #[test]
    fn nothing_is_said_of_unknown_engines_releases_and_versions() {
        for (engine, log) in [
            ("Spark 3.5.3", "Spark 3.5.3"),
            ("Sirius", "Spark 3.5.3"),
            ("RAPIDS 24.02 (A100)", "Spark 3.5.3"),
            (RAPIDS, "DuckDB 1.4.0"),
            (RAPIDS, "Spark"),
        ] {
            assert_eq!(support(engine, log), None, "{engine}, {log}");
        }
    }
}
