//! Charts of a plan's times along a number, and where one of two is shorter, in words.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Band, Labelled, LineChart, Series};
use crossover_chart::theme::Token;
use crossover_export::decided::engine_titles;
use crossover_placement::whole::{PlanAxis, PlanCurve, PlanTimes};
use crossover_placement::{Placement, Variant};
use crossover_quantity::unit::Unit;

use super::super::verdict::by_model;
use crate::charts::{rounded, variant_token};

/// Where a curve only continues.
pub(super) const OUTSIDE: &str = "outside what was measured";

/// From this ratio of their widths on, the step between two intervals is explained.
const STEP: f64 = 1.05;

/// The inputs of the charts.
pub(super) struct Sketch<'a> {
    pub(super) study: &'a Placement,
    pub(super) axis: PlanAxis,
    pub(super) is_linear: bool,
    pub(super) xs: &'a [f64],
}

impl Sketch<'_> {
    /// Name of a curve: its network, or the two engines, which have networks of their own.
    pub(super) fn name(&self, curve: &PlanCurve) -> String {
        match self.study.engines {
            Some(_) => "the two engines".to_owned(),
            None => curve.variant.label(self.study),
        }
    }

    fn title(&self) -> String {
        format!("{}, along {}?", question(self.study).trim_end_matches('?'), self.axis.label())
    }

    fn x(&self) -> Axis {
        let ends = [self.xs.first(), self.xs.last()].map(|end| end.copied().unwrap_or(1.0));
        Axis {
            label: self.axis.label().to_owned(),
            format: self.axis.unit(self.study).formatter(),
            scale: Scale::of(!self.is_linear),
            range: ends,
            step_unit: 1.0,
        }
    }

    fn series(&self, name: String, token: Token, dashed: bool, ys: impl Iterator<Item = f64>) -> Series {
        let points = self.xs.iter().zip(ys).map(|(x, y)| [*x, y]).collect();
        Series { dashed, ..Series::line(name, token, points) }
    }

    /// A curve's point at the present value of the axis, which is one of the values.
    fn now(&self, points: &[[f64; 2]]) -> Option<[f64; 2]> {
        let now = self.axis.now(self.study)?;
        points.iter().copied().find(|[x, _]| *x == now)
    }

    fn chart(&self, subtitle: &str, answer: &str, y: (&str, Unit), series: Vec<Series>, now: usize) -> LineChart {
        let all = || series.iter().flat_map(|series| series.points.iter().map(|point| point[1]));
        let known = || all().filter(|value| value.is_finite() && *value > 0.0);
        let (low, high) = known().fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), y| (low.min(y), high.max(y)));
        let range = if low <= high { [low / 1.15, high * 1.15] } else { [0.5, 2.0] };
        let token = series.get(now).map_or(Token::Text, |series| series.token);
        let here = series.get(now).and_then(|series| self.now(&series.points));
        LineChart {
            subtitle: subtitle.to_owned(),
            answer: answer.to_owned(),
            series,
            points: here
                .map(|[x, y]| Labelled { label: "now".to_owned(), short: String::new(), x, y, token })
                .into_iter()
                .collect(),
            ..LineChart::new(
                self.title(),
                self.x(),
                Axis { label: y.0.to_owned(), format: y.1.formatter(), scale: Scale::of(true), range, step_unit: 1.0 },
            )
        }
    }

    /// Speedups, all on CPU ÷ as placed, for each network with and without compression.
    pub(super) fn speedups(&self, curves: &[PlanCurve], answer: &str) -> LineChart {
        let chosen = Variant::chosen(self.study);
        let series = curves.iter().map(|curve| {
            let speedups = curve.times.iter().map(|times| times.speedup());
            self.series(self.name(curve), variant_token(self.study, curve.variant), curve.variant.compression, speedups)
        });
        let now = curves.iter().position(|curve| curve.variant == chosen).unwrap_or(0);
        self.chart("speedup: all on CPU ÷ as placed", answer, ("speedup", Unit::Factor), series.collect(), now)
    }

    /// Times over the chosen network: all on CPU, all on GPU, and as placed; of whole engines those of both.
    pub(super) fn times(&self, curve: &PlanCurve, answer: &str) -> LineChart {
        let of = |times: fn(&PlanTimes) -> f64| curve.times.iter().map(times);
        let engines = self.study.engines.as_deref().map(engine_titles);
        let (subtitle, [cpu, gpu]) = if let Some(titles) = engines {
            ("time in either engine".to_owned(), titles)
        } else {
            let names = ["all on CPU", "all on GPU"].map(str::to_owned);
            (format!("time over {}", curve.variant.label(self.study)), names)
        };
        let mut series = vec![
            self.series(cpu, Token::Cpu, false, of(|times| times.cpu)),
            self.series(gpu, Token::Gpu, false, of(|times| times.gpu)),
        ];
        if self.study.engines.is_none() {
            series.push(self.series("as placed".to_owned(), Token::Text, true, of(|times| times.placed)));
        }
        // The last curve as placed; of engines, today's.
        let now = if self.study.engines.is_none() { 2 } else { 0 };
        let intervals: Vec<Band> =
            [0, 1].into_iter().flat_map(|side| self.intervals(curve, side, &series[side])).collect();
        let mut chart = self.chart(&subtitle, answer, ("time", Unit::Seconds), series, now);
        for [_, low, high] in intervals.iter().flat_map(|band| &band.points) {
            chart.y.range = [chart.y.range[0].min(*low), chart.y.range[1].max(*high)];
        }
        chart.bands = self.outside(curve, chart.y.range);
        chart.bands.extend(intervals);
        let unit = self.axis.unit(self.study);
        // Equal times of a curve that only continues were not measured either.
        let ratio = |times: &PlanTimes| if times.is_outside { f64::NAN } else { times.cpu / times.gpu };
        for Crossing { x, y, .. } in self.crossings(curve, ratio) {
            let label = format!("equal at {}", unit.format(rounded(x)));
            chart.points.push(Labelled { label, short: String::new(), x, y, token: Token::TextWeak });
        }
        chart
    }

    /// The 90 % interval of the time on a side, where it is inside what was measured; none where no error is known.
    fn intervals(&self, curve: &PlanCurve, side: usize, of: &Series) -> Vec<Band> {
        let places: Vec<(&f64, &PlanTimes)> = self.xs.iter().zip(&curve.times).collect();
        let has_band = |times: &PlanTimes| {
            let [low, high] = times.intervals[side];
            !times.is_outside && low > 0.0 && low < high && high.is_finite()
        };
        let areas = places.chunk_by(|one, other| has_band(one.1) == has_band(other.1));
        let wide = areas.filter(|area| area.iter().all(|(_, times)| has_band(times)));
        let band = |(place, area): (usize, &[(&f64, &PlanTimes)])| Band {
            name: if place == 0 { format!("{}, 90 % interval", of.name) } else { String::new() },
            token: of.token,
            points: area.iter().map(|(x, times)| [**x, times.intervals[side][0], times.intervals[side][1]]).collect(),
        };
        wide.enumerate().map(band).collect()
    }

    /// The values that are outside what was measured, as areas of the whole height.
    fn outside(&self, curve: &PlanCurve, [low, high]: [f64; 2]) -> Vec<Band> {
        let places: Vec<(&f64, &PlanTimes)> = self.xs.iter().zip(&curve.times).collect();
        let areas = places.chunk_by(|one, other| one.1.is_outside == other.1.is_outside);
        let outside = areas.filter(|area| area.iter().all(|(_, times)| times.is_outside));
        let band = |(place, area): (usize, &[(&f64, &PlanTimes)])| Band {
            // One entry of the legend says it for all.
            name: if place == 0 { OUTSIDE.to_owned() } else { String::new() },
            token: Token::TextWeak,
            points: area.iter().map(|(x, _)| [**x, low, high]).collect(),
        };
        outside.enumerate().map(band).collect()
    }

    /// Where a ratio of times crosses 1, with the time of all on CPUs there.
    fn crossings(&self, curve: &PlanCurve, ratio: fn(&PlanTimes) -> f64) -> Vec<Crossing> {
        let pairs = self.xs.windows(2).zip(curve.times.windows(2));
        let crossing = |(x, times): (&[f64], &[PlanTimes])| {
            let (before, after) = (ratio(&times[0]).ln(), ratio(&times[1]).ln());
            if !(before.is_finite() && after.is_finite()) || (before > 0.0) == (after > 0.0) {
                return None;
            }
            let part = before / (before - after);
            let between =
                |a: f64, b: f64| if a > 0.0 && b > 0.0 { (a.ln() + part * (b.ln() - a.ln())).exp() } else { a };
            Some(Crossing { x: between(x[0], x[1]), y: between(times[0].cpu, times[1].cpu), is_better: after > 0.0 })
        };
        pairs.filter_map(crossing).collect()
    }

    /// Where a ratio of times is above 1, in words.
    fn where_above(&self, curve: &PlanCurve, ratio: fn(&PlanTimes) -> f64) -> String {
        let unit = self.axis.unit(self.study);
        let value = |x: f64| unit.format(rounded(x));
        let is_above = |times: Option<&PlanTimes>| times.is_some_and(|times| ratio(times) > 1.0);
        let crossings = self.crossings(curve, ratio);
        let mut parts = Vec::new();
        let mut from = is_above(curve.times.first()).then_some(None);
        for Crossing { x, is_better, .. } in &crossings {
            match (from.take(), is_better) {
                (_, true) => from = Some(Some(*x)),
                (Some(Some(start)), false) => parts.push(format!("from {} to {}", value(start), value(*x))),
                (_, false) => parts.push(format!("up to {}", value(*x))),
            }
        }
        match from {
            Some(None) => return "over the whole range".to_owned(),
            Some(Some(start)) => parts.push(format!("from {} on", value(start))),
            None if parts.is_empty() => return "nowhere in this range".to_owned(),
            None => {}
        }
        parts.join(" and ")
    }

    /// Where the GPU, or the other engine, is faster.
    pub(super) fn answer(&self, curve: &PlanCurve) -> String {
        let fixed = match self.axis {
            PlanAxis::Data => "Rows, bytes and work grow in proportion",
            _ => "The data of the query does not change",
        };
        let all = self.where_above(curve, |times| times.cpu / times.gpu);
        let answer = if let Some(engines) = self.study.engines.as_deref() {
            let [today, other] = engine_titles(engines);
            format!("The median time of {other} is below that of {today} {all}.")
        } else {
            let some = self.where_above(curve, |times| times.cpu / times.placed);
            format!("Faster than all-CPU: the recommended placement {some}; all-GPU {all}.")
        };
        let is_outside = curve.times.iter().any(|times| times.is_outside);
        let outside =
            if is_outside { " Where the chart is shaded, the query is outside what was measured." } else { "" };
        let (steps, wider) = (self.why_steps(), self.why_wider(curve));
        format!("{answer} {fixed}; each point has its own placement.{steps}{wider}{outside}")
    }

    /// Explains a step of the interval of the GPU time, or of the other engine’s time: a query that differs from the measured queries has a
    /// larger error.
    fn why_wider(&self, curve: &PlanCurve) -> String {
        let width = |times: &PlanTimes| {
            let [low, high] = times.intervals[1];
            if times.is_outside || low <= 0.0 { 1.0 } else { high / low }
        };
        let usual = curve.times.iter().filter(|times| !times.differs).map(width).filter(|width| *width > 1.0);
        let usual = usual.fold(f64::INFINITY, f64::min);
        let is_wider = |times: &PlanTimes| times.differs && width(times) > STEP * usual;
        let value = |x: f64| self.axis.unit(self.study).format(rounded(x));
        let places: Vec<(&f64, &PlanTimes)> = self.xs.iter().zip(&curve.times).collect();
        let ranges = places.chunk_by(|one, other| is_wider(one.1) == is_wider(other.1));
        let mut parts = Vec::new();
        let mut before = 0;
        for range in ranges {
            let is_last = before + range.len() == places.len();
            if let [(first, times), ..] = range
                && is_wider(times)
            {
                let last = range.last().map_or(**first, |(last, _)| **last);
                parts.push(match (before == 0, is_last) {
                    (true, _) => format!("up to {}", value(last)),
                    (false, true) => format!("from {} on", value(**first)),
                    (false, false) if range.len() == 1 => format!("at {}", value(last)),
                    (false, false) => format!("from {} to {}", value(**first), value(last)),
                });
            }
            before += range.len();
        }
        if parts.is_empty() {
            return String::new();
        }
        let parts = parts.join(" and ");
        format!(
            " The 90 % interval is wider {parts}: there the query has fewer or more core-seconds, or more rows in window functions, than \
             any measured query."
        )
    }

    /// Explains jumps of the engines' times as the data grows.
    fn why_steps(&self) -> String {
        match self.study.engines.as_deref() {
            Some(engines) if self.axis == PlanAxis::Data && engines.broadcast_gb > 0.0 => format!(
                " Times jump where the smaller side of a join grows beyond {} and is no longer sent to every machine.",
                Unit::Gigabytes.format(engines.broadcast_gb)
            ),
            _ => String::new(),
        }
    }
}

/// The question of the page, and by which model it is answered.
pub(super) fn question(study: &Placement) -> String {
    let question = match study.engines {
        Some(_) => "When is each engine faster for this query",
        None => "When is the GPU faster for this query",
    };
    format!("{question}, {}?", by_model(study))
}

/// Where two times are equal.
struct Crossing {
    x: f64,
    /// The equal times, seconds.
    y: f64,
    /// Whether the ratio is above 1 from here on.
    is_better: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIVE_SECONDS: PlanTimes = PlanTimes {
        cpu: 10.0,
        gpu: 5.0,
        placed: 5.0,
        is_outside: false,
        differs: false,
        intervals: [[10.0; 2], [5.0; 2]],
    };

    /// All on GPUs is faster from 10 to 100 and from 1,000 on, with the times equal in the middle of two values.
    #[test]
    fn every_range_where_gpus_are_faster_is_named() {
        let base = crossover_scenario::read(crate::examples::MODERN.text).expect("a scenario");
        let study = base.placement().expect("a placement study");
        let times = |gpu: f64| PlanTimes {
            cpu: 10.0,
            gpu,
            placed: gpu.min(10.0),
            is_outside: false,
            differs: false,
            intervals: [[10.0; 2], [gpu; 2]],
        };
        let curve = PlanCurve { variant: Variant::chosen(study), times: [20.0, 5.0, 20.0, 5.0].map(times).to_vec() };
        let of = |xs: &[f64], count: usize| {
            let sketch = Sketch { study, axis: PlanAxis::Data, is_linear: false, xs };
            let curve = PlanCurve { times: curve.times[..count].to_vec(), ..curve.clone() };
            (sketch.where_above(&curve, |times| times.cpu / times.gpu), sketch.answer(&curve))
        };
        let xs = [1.0, 100.0, 10_000.0, 1e6];
        assert_eq!(of(&xs, 4).0, "from 10× to 1,000× and from 100,000× on");
        assert_eq!(of(&xs, 3).0, "from 10× to 1,000×");
        assert_eq!(of(&xs, 1).0, "nowhere in this range");
        let answer = of(&xs, 2).1;
        assert!(answer.starts_with("Faster than all-CPU: the recommended placement from"), "{answer}");
        let sketch = Sketch { study, axis: PlanAxis::Data, is_linear: false, xs: &xs };
        let crossings = sketch.crossings(&curve, |times| times.cpu / times.gpu);
        assert!((crossings[0].x - 10.0).abs() < 1e-9 && (crossings[0].y - 10.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_outside_the_measured_range_is_shaded() {
        let base = crossover_scenario::read(crate::examples::MODERN.text).expect("a scenario");
        let study = base.placement().expect("a placement study");
        let intervals = [[10.0; 2], [5.0; 2]];
        let times = |is_outside: bool| PlanTimes { is_outside, intervals, ..FIVE_SECONDS };
        let is_outside = [true, false, false, true, true];
        let curve = PlanCurve { variant: Variant::chosen(study), times: is_outside.map(times).to_vec() };
        let xs = [0.1, 1.0, 2.0, 5.0, 10.0];
        let sketch = Sketch { study, axis: PlanAxis::Data, is_linear: false, xs: &xs };
        let bands = sketch.times(&curve, "").bands;
        let ends = |band: &Band| band.points.iter().map(|[x, ..]| *x).collect::<Vec<f64>>();
        assert_eq!(bands.iter().map(ends).collect::<Vec<_>>(), [vec![0.1], vec![5.0, 10.0]]);
        assert_eq!([&bands[0].name, &bands[1].name], [OUTSIDE, ""]);
        assert!(sketch.answer(&curve).ends_with("the query is outside what was measured."));
        let inside = PlanCurve { times: vec![times(false); 5], ..curve };
        assert!(sketch.times(&inside, "").bands.is_empty());
        assert!(!sketch.answer(&inside).contains("outside"));
    }

    /// Outside what was measured no interval is known.
    #[test]
    fn a_time_with_a_known_error_has_its_interval_as_a_band_inside_what_was_measured() {
        let base = crossover_scenario::read(crate::examples::MODERN.text).expect("a scenario");
        let study = base.placement().expect("a placement study");
        let intervals = [[10.0; 2], [4.0, 20.0]];
        let times = |is_outside: bool| PlanTimes { is_outside, intervals, ..FIVE_SECONDS };
        let curve = PlanCurve { variant: Variant::chosen(study), times: [false, false, true].map(times).to_vec() };
        let xs = [1.0, 2.0, 3.0];
        let sketch = Sketch { study, axis: PlanAxis::Data, is_linear: false, xs: &xs };
        let chart = sketch.times(&curve, "");
        let band = chart.bands.iter().find(|band| band.token == Token::Gpu).expect("a band");
        assert_eq!(band.points, [[1.0, 4.0, 20.0], [2.0, 4.0, 20.0]]);
        assert!(chart.y.range[0] <= 4.0 && chart.y.range[1] >= 20.0);
        assert!(chart.bands.iter().all(|band| band.token != Token::Cpu), "it has no error");
    }

    /// The error factor of measured queries is 1.5, and that of others 3.
    #[test]
    fn a_step_of_the_interval_is_explained_where_the_run_is_unlike_the_measured_ones() {
        let base = crossover_scenario::read(crate::examples::MODERN.text).expect("a scenario");
        let study = base.placement().expect("a placement study");
        let xs = [0.1, 0.7, 1.0, 2.0, 5.0];
        let of = |differs: [bool; 5], within: f64| {
            let times = differs.map(|differs| {
                let within = if differs { within } else { 1.5 };
                PlanTimes { differs, intervals: [[10.0; 2], [5.0 / within, 5.0 * within]], ..FIVE_SECONDS }
            });
            let curve = PlanCurve { variant: Variant::chosen(study), times: times.to_vec() };
            Sketch { study, axis: PlanAxis::Data, is_linear: false, xs: &xs }.why_wider(&curve)
        };
        let wider = |places: &str| {
            format!(
                " The 90 % interval is wider {places}: there the query has fewer or more core-seconds, or more rows in window functions, than \
                 any measured query."
            )
        };
        assert_eq!(of([true, true, false, false, false], 3.0), wider("up to 0.7×"));
        assert_eq!(of([true, false, false, true, true], 3.0), wider("up to 0.1× and from 2× on"));
        assert_eq!(of([false, false, true, false, false], 3.0), wider("at 1×"));
        assert_eq!(of([true, true, false, false, false], 1.5), "", "both have the same error");
        assert_eq!(of([false; 5], 3.0), "");
        assert_eq!(of([true; 5], 3.0), "", "there is no step");
    }
}
