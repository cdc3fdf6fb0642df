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

impl Provenance {
    /// One word for the kind of source, as shown beside a number.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Entered => "entered",
            Self::Published(_) => "published",
            Self::Preset { .. } => "catalogue",
            Self::PriceList { .. } => "price list",
            Self::Assumed { .. } => "assumed",
            Self::Measured { .. } => "measured",
            Self::Fitted { .. } => "fitted",
            Self::Imported { .. } => "imported",
        }
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
