//! Settings of tool pages that a scenario keeps, such as the number of a sweep. No result depends on them.
//!
//! A number or a figure that the study lacks is no error: it may have gone with an operator, and come back with it.

use serde::{Deserialize, Serialize};

use crossover_quantity::invalid::Invalid;

/// Settings of tool pages; a page that was left as it begins has none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Views {
    /// Figures along a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<SweepView>,
    /// A figure over two numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map: Option<MapView>,
    /// A comparison with this scenario as baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare: Option<CompareView>,
    /// Samples of the figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<UncertaintyView>,
    /// The best feasible values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchView>,
    /// What is on screen of the page of the study: in links only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<PageView>,
    /// The parts of line charts that are shown of the tool in front: in links only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_zoomed: Vec<ZoomView>,
}

/// What is on screen of the page of a study. Names and numbers that the study lacks have no effect.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageView {
    /// Whether the answer is about the query although its application has one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub of_query: bool,
    /// The node of the plan whose details are shown; none: those of the whole plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<usize>,
    /// How the table is sorted; none: as in the study.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sorted: Option<SortedView>,
    /// The part of the plan that is shown; none: as it is shown at first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<CameraView>,
    /// The parts of line charts that are shown; of others all is shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub zoomed: Vec<ZoomView>,
}

/// Which part of a line chart is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoomView {
    /// Name of the chart on its page.
    pub chart: String,
    /// Ends of the horizontal axis, in its unit.
    pub x_from: f64,
    /// The upper one.
    pub x_to: f64,
    /// Ends of the vertical axis, in its unit.
    pub y_from: f64,
    /// The upper one.
    pub y_to: f64,
}

/// Most charts of which a part is shown.
const MOST_ZOOMED: usize = 64;

/// How a table is sorted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SortedView {
    /// Name of the column.
    pub column: String,
    /// Whether the largest is first.
    #[serde(default)]
    pub descending: bool,
}

/// Which part of a picture is shown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CameraView {
    /// Points on the screen for each point of the picture.
    pub scale: f32,
    /// The point of the picture in the middle: from its left edge, in points of the picture.
    pub x: f32,
    /// From its top edge.
    pub y: f32,
}

/// A number with its range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewRange {
    /// Path of the number.
    pub path: String,
    /// First value, in the unit of the number.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// How many values.
    pub points: usize,
    /// Whether the values are evenly spaced in their logarithm.
    #[serde(default)]
    pub log: bool,
}

/// Settings of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepView {
    /// The number.
    pub x: ViewRange,
    /// Whether the figures of parts are drawn.
    #[serde(default)]
    pub parts: bool,
    /// Keys of the figures that are not drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
}

/// Settings of a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapView {
    /// The number along the horizontal axis.
    pub x: ViewRange,
    /// The number along the vertical axis.
    pub y: ViewRange,
    /// Whether all points are evaluated, however long that takes.
    #[serde(default)]
    pub exact: bool,
    /// Key of the figure; none: the first at which a decision flips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
    /// The level of the contour as it was typed; empty: the usual one of the figure.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub level: String,
}

/// Settings of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompareView {
    /// The number of the curves; none: the first that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<ViewRange>,
    /// The scenarios that this one is compared with, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<OtherScenario>,
}

/// How settings name a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OtherScenario {
    /// By its file: an absolute path, or in a file a path below the folder of that file.
    File(String),
    /// One that is not in a file: by its id, which recovery keeps.
    Unsaved(String),
}

impl CompareView {
    /// The files of the other scenarios.
    pub fn files_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.with.iter_mut().filter_map(|other| match other {
            OtherScenario::File(path) => Some(path),
            OtherScenario::Unsaved(_) => None,
        })
    }
}

/// Settings of the samples of figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UncertaintyView {
    /// Uncertainty of numbers without a distribution, as a share of their values; none: that of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread_all: Option<f64>,
    /// Key of the drawn figure; none: the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
}

/// Settings of a search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchView {
    /// Free parameters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub free: Vec<ViewRange>,
    /// Lists of the catalogue to choose from, by their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<String>,
    /// Constraints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<ConstraintView>,
    /// Objectives.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objectives: Vec<ObjectiveView>,
    /// Whether each part of a total stays constant, instead of the total.
    pub weak_scaling: bool,
    /// Required likelihood of meeting every constraint, as it was typed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub likelihood: String,
    /// Uncertainty of numbers without a distribution, as it was typed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub spread_all: String,
}

/// A constraint of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstraintView {
    /// Key of the figure.
    pub figure: String,
    /// On which side of the value it must be.
    pub side: Limit,
    /// The value as it was typed.
    pub value: String,
}

/// The side of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Limit {
    /// Not above.
    AtMost,
    /// Not below.
    AtLeast,
}

/// An objective of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveView {
    /// Key of the figure.
    pub figure: String,
    /// Which values are better.
    pub goal: Goal,
}

/// Which values of an objective are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Goal {
    /// Lower ones.
    Minimise,
    /// Higher ones.
    Maximise,
}

impl Views {
    /// Whether no page has settings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These settings, with those of others for tools that have none here.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            sweep: self.sweep.or(others.sweep),
            map: self.map.or(others.map),
            compare: self.compare.or(others.compare),
            uncertainty: self.uncertainty.or(others.uncertainty),
            search: self.search.or(others.search),
            page: self.page.or(others.page),
            tool_zoomed: if self.tool_zoomed.is_empty() { others.tool_zoomed } else { self.tool_zoomed },
        }
    }

    /// Checks that every number is finite, and that parts of few charts are shown.
    ///
    /// # Errors
    /// The first that is not.
    pub(crate) fn validate(&self) -> Result<(), Invalid> {
        let mut values = Vec::new();
        let mut add = |path: &str, range: &ViewRange| {
            values.extend([(format!("{path}.from"), range.from), (format!("{path}.to"), range.to)]);
        };
        if let Some(sweep) = &self.sweep {
            add("views.sweep.x", &sweep.x);
        }
        if let Some(map) = &self.map {
            add("views.map.x", &map.x);
            add("views.map.y", &map.y);
        }
        if let Some(x) = self.compare.as_ref().and_then(|compare| compare.x.as_ref()) {
            add("views.compare.x", x);
        }
        for (place, range) in self.search.iter().flat_map(|search| &search.free).enumerate() {
            add(&format!("views.search.free.{place}"), range);
        }
        let spread = self.uncertainty.as_ref().and_then(|uncertainty| uncertainty.spread_all);
        values.extend(spread.map(|spread| ("views.uncertainty.spread_all".to_owned(), spread)));
        if let Some(CameraView { scale, x, y }) = self.page.as_ref().and_then(|page| page.camera) {
            let camera = [("scale", scale), ("x", x), ("y", y)];
            values.extend(camera.map(|(name, value)| (format!("views.page.camera.{name}"), f64::from(value))));
        }
        let of_page = self.page.as_ref().map_or(&[][..], |page| &page.zoomed);
        for (path, zoomed) in [("views.page.zoomed", of_page), ("views.tool_zoomed", &self.tool_zoomed[..])] {
            if zoomed.len() > MOST_ZOOMED {
                let problem = format!("expected at most {MOST_ZOOMED} charts, found {}", zoomed.len());
                return Err(Invalid { path: path.to_owned(), problem });
            }
            for (place, ZoomView { x_from, x_to, y_from, y_to, .. }) in zoomed.iter().enumerate() {
                let ends = [("x_from", x_from), ("x_to", x_to), ("y_from", y_from), ("y_to", y_to)];
                values.extend(ends.map(|(name, value)| (format!("{path}.{place}.{name}"), *value)));
            }
        }
        match values.into_iter().find(|(_, value)| !value.is_finite()) {
            Some((path, value)) => Err(Invalid { path, problem: format!("expected a finite number, found {value}") }),
            None => Ok(()),
        }
    }
}
