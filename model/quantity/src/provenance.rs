//! Provenance: the origin of a number. Every number of a scenario has exactly one.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Origin of one number of a scenario.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Provenance {
    /// Typed by the user, or written into the file without a source.
    #[default]
    Entered,
    /// Stated by the published method, or published elsewhere; the text is the place.
    Published(String),
    /// Taken from the hardware catalogue.
    Preset {
        /// Name of the catalogue entry.
        entry: String,
        /// Source of the catalogue figure, with its confidence.
        source: String,
    },
    /// Taken from a list of prices.
    PriceList {
        /// The list.
        source: String,
        /// Day of the list, if that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        date: Option<Date>,
        /// Region of its prices, if that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        region: Option<String>,
    },
    /// Assumed to follow from another number.
    Assumed {
        /// How it follows.
        why: String,
        /// Origin of the other number.
        from: Box<Provenance>,
    },
    /// Measured by a micro-benchmark.
    Measured {
        /// The device that was measured.
        device: String,
        /// Day of the measurement, `YYYY-MM-DD`.
        date: String,
        /// 95 % confidence interval of the value, in the unit of the field.
        interval: (f64, f64),
    },
    /// Fitted, with others, to measured runs of whole queries.
    Fitted {
        /// The runs.
        runs: String,
        /// 90 % interval of the value, in the unit of the field.
        interval: (f64, f64),
    },
    /// Read from a query plan, trace or log.
    Imported {
        /// Name of the file.
        file: String,
    },
}

/// The kind of the source of a number, without its details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// [`Provenance::Published`].
    Published,
    /// [`Provenance::PriceList`].
    PriceList,
    /// [`Provenance::Preset`].
    Catalogue,
    /// [`Provenance::Measured`].
    Measured,
    /// [`Provenance::Fitted`].
    Fitted,
    /// [`Provenance::Imported`].
    Imported,
    /// [`Provenance::Assumed`].
    Assumed,
    /// [`Provenance::Entered`].
    Entered,
}

impl SourceKind {
    /// All kinds, in the order of a legend.
    pub const ALL: [Self; 8] = [
        Self::Published,
        Self::PriceList,
        Self::Catalogue,
        Self::Measured,
        Self::Fitted,
        Self::Imported,
        Self::Assumed,
        Self::Entered,
    ];

    /// One or two words.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::PriceList => "price list",
            Self::Catalogue => "catalogue",
            Self::Measured => "measured",
            Self::Fitted => "fitted",
            Self::Imported => "imported",
            Self::Assumed => "assumed",
            Self::Entered => "entered",
        }
    }

    /// The letter that marks a number; a price list is published.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Published | Self::PriceList => 'P',
            Self::Catalogue => 'C',
            Self::Measured => 'M',
            Self::Fitted => 'F',
            Self::Imported => 'I',
            Self::Assumed => 'A',
            Self::Entered => 'E',
        }
    }

    /// The legend of the letters: "P published or price list  C catalogue  …".
    #[must_use]
    pub fn legend() -> String {
        let mut entries: Vec<(char, String)> = Vec::new();
        for kind in Self::ALL {
            match entries.iter_mut().find(|(letter, _)| *letter == kind.letter()) {
                Some((_, labels)) => *labels += &format!(" or {}", kind.label()),
                None => entries.push((kind.letter(), kind.label().to_owned())),
            }
        }
        let entries: Vec<String> = entries.into_iter().map(|(letter, labels)| format!("{letter} {labels}")).collect();
        entries.join("  ")
    }
}

impl Provenance {
    /// The kind of source.
    #[must_use]
    pub fn source_kind(&self) -> SourceKind {
        match self {
            Self::Entered => SourceKind::Entered,
            Self::Published(_) => SourceKind::Published,
            Self::Preset { .. } => SourceKind::Catalogue,
            Self::PriceList { .. } => SourceKind::PriceList,
            Self::Assumed { .. } => SourceKind::Assumed,
            Self::Measured { .. } => SourceKind::Measured,
            Self::Fitted { .. } => SourceKind::Fitted,
            Self::Imported { .. } => SourceKind::Imported,
        }
    }

    /// One or two words for the kind of source, as shown beside a number.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.source_kind().label()
    }

    /// The problem, if any: an interval that is not finite, or with its ends exchanged.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        match self {
            Self::Measured { interval: (low, high), .. } | Self::Fitted { interval: (low, high), .. }
                if !(low.is_finite() && high.is_finite() && low <= high) =>
            {
                Some(format!("the interval ({low}, {high}) must be two finite numbers, the smaller one first"))
            }
            _ => None,
        }
    }

    /// The origin of the number in one sentence.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Entered => "Entered in this scenario".to_owned(),
            Self::Published(place) => format!("Published: {place}"),
            Self::Preset { entry, source } => format!("Catalogue, “{entry}”: {source}"),
            Self::PriceList { source, date, region } => {
                let list = [Some("Price list".to_owned()), region.clone(), date.map(|date| date.to_string())];
                format!("{}: {source}", list.into_iter().flatten().collect::<Vec<String>>().join(", "))
            }
            Self::Assumed { why, from } => format!("Assumed: {why}. {}", from.describe()),
            Self::Measured { device, date, interval: (low, high) } => {
                format!("Measured on {device}, {date}, 95 % interval {low} … {high}")
            }
            Self::Fitted { runs, interval: (low, high) } => format!("Fitted to {runs}, 90 % interval {low} … {high}"),
            Self::Imported { file } => format!("Imported from {file}"),
        }
    }
}

/// Provenance by field path (`cluster.machines`, `operators.join.input_gb`).
/// A field that is not listed was entered.
pub type Sources = BTreeMap<String, Provenance>;

/// Removes the sources of the field at the segments of a path, of fields inside it and of a field around it. `fields` are
/// the segments of every field that may have a source. A path alone is ambiguous: "a.demand" may be a name, or the
/// demand of "a".
pub fn drop_at<'a>(sources: &mut Sources, segments: &[String], fields: impl Iterator<Item = Vec<&'a str>>) {
    for field in fields {
        if segments.iter().zip(&field).all(|(segment, of_field)| segment == of_field) {
            sources.remove(&field.join("."));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each.
    fn all() -> [Provenance; 8] {
        let text = String::new;
        [
            Provenance::Published(text()),
            Provenance::PriceList { source: text(), date: None, region: None },
            Provenance::Preset { entry: text(), source: text() },
            Provenance::Measured { device: text(), date: text(), interval: (0.0, 0.0) },
            Provenance::Fitted { runs: text(), interval: (0.0, 0.0) },
            Provenance::Imported { file: text() },
            Provenance::Assumed { why: text(), from: Box::default() },
            Provenance::Entered,
        ]
    }

    #[test]
    fn the_legend_has_the_letter_and_the_name_of_every_source() {
        assert_eq!(all().map(|source| source.source_kind()), SourceKind::ALL);
        let legend = SourceKind::legend();
        let entries: Vec<&str> = legend.split("  ").collect();
        for kind in SourceKind::ALL {
            let of_letter: Vec<&&str> = entries.iter().filter(|entry| entry.starts_with(kind.letter())).collect();
            assert!(matches!(of_letter[..], [entry] if entry.contains(kind.label())), "{kind:?}: {legend}");
        }
    }
}
