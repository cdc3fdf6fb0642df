//! Which parts of line charts are on the screen after the user moved them. They are kept where egui keeps the zoom itself, so that a
//! page can pass them on, and show those of another window.

use std::collections::BTreeMap;

use egui::util::IdTypeMap;
use egui::{Context, Id};
use egui_plot::PlotBounds;

use crate::axis::Axis;
use crate::lines::LineChart;

/// Most charts of which it is kept.
const MOST: usize = 64;
/// Longest name of a chart, in bytes; the zoom of a chart with a longer one is not passed on.
const LONGEST: usize = 200;
/// How far beyond an end of an axis a part from elsewhere may lie, in widths of the axis.
const BEYOND: f64 = 1.0;
/// Least width of a part from elsewhere, as a share of the axis.
const NARROWEST: f64 = 1e-6;

/// The part of a line chart that is on the screen, in the units of its axes.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartZoom {
    /// Which chart of the page, as it is drawn under this name in every window.
    pub chart: String,
    /// Ends of the horizontal axis, ascending.
    pub x: [f64; 2],
    /// Ends of the vertical axis, ascending.
    pub y: [f64; 2],
}

/// What is kept of the charts of a page.
#[derive(Debug, Clone, Default)]
struct Zooms {
    /// Parts on the screen, by chart.
    shown: BTreeMap<String, ChartZoom>,
    /// Parts from elsewhere, until their charts are drawn.
    wanted: BTreeMap<String, ChartZoom>,
}

/// The parts on the screen, of charts that the user moved.
#[must_use]
pub fn shown(kept: &IdTypeMap) -> Vec<ChartZoom> {
    let zooms = kept.get_temp::<Zooms>(Id::NULL).unwrap_or_default();
    // What is still wanted has not been on the screen since.
    let wanted = zooms.wanted.iter().filter(|(chart, _)| !zooms.shown.contains_key(*chart));
    zooms.shown.iter().chain(wanted).map(|(_, zoom)| zoom.clone()).take(MOST).collect()
}

/// Shows these parts once their charts are drawn. They may be any: those of no picture have no effect, and all are bounded.
pub fn show(kept: &mut IdTypeMap, zooms: impl IntoIterator<Item = ChartZoom>) {
    let zooms = zooms.into_iter().filter(|zoom| zoom.chart.len() <= LONGEST).take(MOST);
    let wanted = zooms.map(|zoom| (zoom.chart.clone(), zoom)).collect();
    *kept.get_temp_mut_or_default(Id::NULL) = Zooms { shown: BTreeMap::new(), wanted };
}

/// The part from elsewhere that a chart is to show now, in plot coordinates.
pub(super) fn take(ctx: &Context, name: &str, chart: &LineChart) -> Option<PlotBounds> {
    ctx.data_mut(|kept| kept.get_temp_mut_or_default::<Zooms>(Id::NULL).wanted.remove(name))?.bounds(chart)
}

/// Keeps the part of a chart that is on the screen; `None`: all of it.
pub(super) fn keep(ctx: &Context, name: &str, chart: &LineChart, bounds: Option<&PlotBounds>) {
    let zoom = bounds.and_then(|bounds| ChartZoom::of(name, chart, bounds));
    ctx.data_mut(|kept| {
        let shown = &mut kept.get_temp_mut_or_default::<Zooms>(Id::NULL).shown;
        match zoom {
            Some(zoom) if name.len() <= LONGEST && (shown.len() < MOST || shown.contains_key(name)) => {
                shown.insert(name.to_owned(), zoom);
            }
            _ => drop(shown.remove(name)),
        }
    });
}

impl ChartZoom {
    /// The part between these bounds; `None` where it has no ends on an axis.
    fn of(name: &str, chart: &LineChart, bounds: &PlotBounds) -> Option<Self> {
        let (min, max) = (bounds.min(), bounds.max());
        let ends = |axis: &Axis, side: usize| {
            let ends = [min[side], max[side]].map(|end| axis.from_plot(end));
            (ends.iter().all(|end| axis.has_place_for(*end)) && ends[0] < ends[1]).then_some(ends)
        };
        Some(Self { chart: name.to_owned(), x: ends(&chart.x, 0)?, y: ends(&chart.y, 1)? })
    }

    /// The same in plot coordinates, near the axes of the chart; `None` where there is no such part.
    fn bounds(&self, chart: &LineChart) -> Option<PlotBounds> {
        let [left, right] = near(&chart.x, self.x)?;
        let [bottom, top] = near(&chart.y, self.y)?;
        Some(PlotBounds::from_min_max([left, bottom], [right, top]))
    }
}

/// The part of an axis between two values, in plot coordinates, as far as it lies near the axis.
fn near(axis: &Axis, ends: [f64; 2]) -> Option<[f64; 2]> {
    if !ends.iter().all(|end| axis.has_place_for(*end)) {
        return None;
    }
    let [low, high] = axis.bounds().map(|end| axis.to_plot(end));
    let width = high - low;
    let [from, to] = ends.map(|end| axis.to_plot(end).clamp(low - BEYOND * width, high + BEYOND * width));
    (to - from >= NARROWEST * width).then_some([from, to])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Scale;

    fn chart() -> LineChart {
        let axis = |label: &str, scale, range| Axis {
            label: label.to_owned(),
            format: |x| x.to_string(),
            scale,
            range,
            step_unit: 1.0,
        };
        LineChart {
            series: vec![crate::lines::Series::line("a", crate::theme::Token::Cpu, vec![[1.0, 0.0], [100.0, 10.0]])],
            ..LineChart::new("", axis("x", Scale::Log, [1.0, 100.0]), axis("y", Scale::Linear, [0.0, 10.0]))
        }
    }

    fn zoom(x: [f64; 2], y: [f64; 2]) -> ChartZoom {
        // As “"chart"” is drawn.
        ChartZoom { chart: format!("{:?}", "chart"), x, y }
    }

    /// Draws the chart a few times.
    fn drawn(ctx: &Context) {
        for _ in 0..3 {
            let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
                ui.set_width(600.0);
                _ = super::super::lines(ui, "chart", &chart(), None, 300.0);
            });
            output.textures_delta.clear();
        }
    }

    /// By hand: from 1 to 100 in the logarithm is 0 … 2.
    #[test]
    fn a_part_from_elsewhere_is_finite_and_near_the_axes() {
        let near_x = |ends| near(&chart().x, ends);
        assert_eq!(near_x([1.0, 10.0]), Some([0.0, 1.0]));
        assert_eq!(near_x([1e-300, 1e300]), Some([-2.0, 4.0]), "a width beyond either end");
        for none in [[0.0, 10.0], [10.0, 1.0], [f64::NAN, 1.0], [1.0, f64::INFINITY], [5.0, 5.0], [1e9, 2e9]] {
            assert_eq!(near_x(none), None, "{none:?}");
        }
    }

    #[test]
    fn another_window_shows_the_part_that_this_one_shows() {
        let part = zoom([2.0, 20.0], [1.0, 4.0]);
        let one = Context::default();
        one.data_mut(|kept| show(kept, [part.clone()]));
        assert_eq!(one.data(shown), std::slice::from_ref(&part), "before it is drawn");
        drawn(&one);
        let found = one.data(shown);
        let [found] = &found[..] else { panic!("{found:?}") };
        let is_near = |found: [f64; 2], part: [f64; 2]| (0..2).all(|end| (found[end] / part[end] - 1.0).abs() < 1e-9);
        assert!(found.chart == part.chart && is_near(found.x, part.x) && is_near(found.y, part.y), "{found:?}");
    }

    #[test]
    fn an_unmoved_chart_has_no_zoom_and_hostile_zooms_have_no_effect() {
        let ctx = Context::default();
        drawn(&ctx);
        assert!(ctx.data(shown).is_empty());
        let hostile =
            [zoom([f64::NAN, 1.0], [0.0, 1.0]), ChartZoom { chart: "x".repeat(1_000), ..zoom([1.0, 2.0], [0.0, 1.0]) }];
        ctx.data_mut(|kept| show(kept, hostile));
        drawn(&ctx);
        assert!(ctx.data(shown).is_empty());
        let many = (0..1_000).map(|number| ChartZoom { chart: number.to_string(), ..zoom([1.0, 2.0], [0.0, 1.0]) });
        ctx.data_mut(|kept| show(kept, many));
        assert_eq!(ctx.data(shown).len(), MOST);
    }
}
