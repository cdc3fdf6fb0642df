//! Engines that run Spark's plans in its place.

/// An engine that runs Spark's plans in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NativeEngine {
    /// The RAPIDS Accelerator, on GPUs.
    Rapids,
    /// Apache Gluten with Velox or `ClickHouse`, on CPUs.
    Gluten,
    /// Apache Gluten with Velox and cuDF, on GPUs.
    GlutenOnGpus,
    /// `DataFusion` Comet.
    Comet,
    /// Apache Auron, formerly Blaze.
    Auron,
    /// Databricks' Photon.
    Photon,
}

impl NativeEngine {
    /// All engines whose names begin differently.
    const BY_NAME: [Self; 5] = [Self::Rapids, Self::Gluten, Self::Comet, Self::Auron, Self::Photon];

    /// The engine of this name: "Gluten 1.4.0 (Velox) on Spark 3.5.1", "RAPIDS 25.12 (L4)". `None` for Spark and other engines.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let first = name.split_whitespace().next()?;
        let engine = Self::BY_NAME.into_iter().find(|engine| engine.name() == first)?;
        Some(if engine == Self::Gluten && name.contains("cuDF") { Self::GlutenOnGpus } else { engine })
    }

    /// Its name, with which the names of all its versions begin.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rapids => "RAPIDS",
            Self::Gluten => "Gluten",
            Self::GlutenOnGpus => "Gluten on GPUs",
            Self::Comet => "Comet",
            Self::Auron => "Auron",
            Self::Photon => "Photon",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_known_by_its_name_whatever_its_version() {
        for (name, expected) in [
            ("RAPIDS 25.12 (L4)", Some(NativeEngine::Rapids)),
            ("RAPIDS 25.02.0 on Spark 3.5.1", Some(NativeEngine::Rapids)),
            ("Gluten (Velox) on Spark 3.5.3", Some(NativeEngine::Gluten)),
            ("Gluten 1.4.0 (ClickHouse) on Spark 3.5.1", Some(NativeEngine::Gluten)),
            ("Gluten (Velox, cuDF) on Spark 3.5.1", Some(NativeEngine::GlutenOnGpus)),
            ("Comet 0.17.0 on Spark 3.5.8", Some(NativeEngine::Comet)),
            ("Auron on Spark 3.5.1", Some(NativeEngine::Auron)),
            ("Photon on Databricks 13.3.x-scala2.12", Some(NativeEngine::Photon)),
            ("Spark 3.5.3", None),
            ("DuckDB 1.4.0", None),
            ("", None),
        ] {
            assert_eq!(NativeEngine::of(name), expected, "{name}");
        }
    }
}
