//! When the GPU, or the other engine, is faster for a query: times of the plan along one number, or as its data grows.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Band, Labelled, LineChart, Series};
use crossover_chart::screen;
use crossover_chart::theme::Token;
use crossover_export::decided::engine_titles;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, Work};
use crossover_page::compute::watched::watched;
use crossover_page::export_menu;
use crossover_page::widgets::focus;
use crossover_placement::whole::{PlanAxis, PlanCurve, PlanTimes, along_plan};
use crossover_placement::{Placement, Variant};
use crossover_quantity::text::csv::Records;
use crossover_quantity::unit::Unit;
use crossover_study::along::samples;
use egui::{ComboBox, Role, ScrollArea, Ui, WidgetInfo};

use super::super::charts::{NARROWEST_PLOT, rounded, variant_token};
use super::super::{Env, Mode, Modes, mode_switch};
use super::decision_link;
use super::verdict::by_model;

/// Most points of a curve, and fewest.
const POINTS: [usize; 2] = [25, 121];
/// Approximate limit of decided operators over all points of all curves: 0.3 s of two cores.
const DECISIONS: usize = 200_000;
/// Time to decide one operator, ms: that of the plan page, without texts and layout.
const NODE_MS: f64 = 0.0015;

/// Where a curve only continues.
const OUTSIDE: &str = "outside what was measured";

/// The axis that the user chose, and its curves.
pub(in super::super) struct State {
    /// The x axis, once the user chose one.
    axis: Option<PlanAxis>,
    is_linear: bool,
    followed: Computed<CurvesInput>,
}

impl Default for State {
    fn default() -> Self {
        Self { axis: None, is_linear: false, followed: Computed::new() }
    }
}

impl State {
    /// Whether curves are computed on another thread.
    pub(in super::super) fn is_busy(&self) -> bool {
        self.followed.is_busy()
    }

    /// The charts, once there are any.
    pub(in super::super) fn charts(&self) -> &[LineChart] {
        self.followed.shown().map_or(&[], |followed| &followed.charts)
    }

    /// The curves as CSV, once there are any.
    pub(in super::super) fn csv(&self) -> Option<String> {
        self.followed.shown().map(|followed| followed.csv())
    }
}

/// What curves depend on.
#[derive(Clone)]
struct CurvesInput {
    study: Placement,
    axis: PlanAxis,
    is_linear: bool,
}

/// Curves of a plan and their pictures.
struct Followed {
    axis: PlanAxis,
    xs: Vec<f64>,
    names: Vec<String>,
    curves: Vec<PlanCurve>,
    charts: Vec<LineChart>,
    /// Which curves coincide, in words.
    coincidences: String,
    answer: String,
}

impl CurvesInput {
    fn nodes(&self) -> usize {
        self.study.query.as_ref().map_or(1, |query| query.plan.nodes.len().max(1))
    }

    fn values(&self) -> Vec<f64> {
        let [fewest, most] = POINTS;
        let points = (DECISIONS / self.nodes() / self.variants()).clamp(fewest, most);
        let mut values = samples(self.axis.window(&self.study), points, !self.is_linear);
        // The present value has a point of its own and is not interpolated.
        if let Some(now) = self.axis.now(&self.study) {
            let at = values.partition_point(|value| *value < now);
            if values.get(at) != Some(&now) && at > 0 && at < values.len() {
                values.insert(at, now);
            }
        }
        if self.axis.is_whole(&self.study) {
            values = values.into_iter().map(f64::round).collect();
            values.dedup();
        }
        values
    }

    fn variants(&self) -> usize {
        if self.study.engines.is_some() { 1 } else { Variant::all(&self.study).count().max(1) }
    }
}

impl Work for CurvesInput {
    type Outcome = Followed;
    const NAME: &'static str = "curves of a plan";
    const AGAIN: &'static str = "Follow again";

    fn milliseconds(&self) -> f64 {
        NODE_MS * (self.nodes() * self.variants() * self.values().len()) as f64
    }

    fn in_words(&self) -> String {
        format!("Placing the plan at {} values", self.values().len() * self.variants())
    }

    fn compute(&self, _: Option<&Followed>, ticket: &Ticket) -> Option<Followed> {
        let Self { study, axis, is_linear } = self;
        let query = study.query.as_ref()?;
        let xs = self.values();
        let total = xs.len() * self.variants();
        let curves = watched(ticket, total, |watch| along_plan(study, query, *axis, &xs, watch))?;
        let chosen = Variant::chosen(study);
        let of_chosen = curves.iter().find(|curve| curve.variant == chosen).or(curves.first())?;
        let sketch = Sketch { study, axis: *axis, is_linear: *is_linear, xs: &xs };
        let answer = sketch.answer(of_chosen);
        // The ratio of two engines is a verdict on the query, which the answer gives.
        let speedups = study.engines.is_none().then(|| sketch.speedups(&curves, &answer));
        let charts: Vec<LineChart> = speedups.into_iter().chain([sketch.times(of_chosen, &answer)]).collect();
        let names = curves.iter().map(|curve| sketch.name(curve)).collect();
        let coincide = charts.iter().map(LineChart::coincidences).filter(|text| !text.is_empty());
        let coincidences = coincide.collect::<Vec<String>>().join(" ");
        Some(Followed { axis: *axis, names, charts, coincidences, answer, curves, xs })
    }
}

impl Followed {
    fn csv(&self) -> String {
        let mut columns = vec![
            ("all on CPU, s", (|times| times.cpu) as fn(&PlanTimes) -> f64),
            ("all on GPU, s", |times| times.gpu),
            ("as placed, s", |times| times.placed),
        ];
        if self.curves.iter().flat_map(|curve| &curve.times).any(|times| times.has_intervals()) {
            columns.extend([
                ("all on CPU, 5 %, s", (|times| times.intervals[0][0]) as fn(&PlanTimes) -> f64),
                ("all on CPU, 95 %, s", |times| times.intervals[0][1]),
                ("all on GPU, 5 %, s", |times| times.intervals[1][0]),
                ("all on GPU, 95 %, s", |times| times.intervals[1][1]),
            ]);
        }
        let mut csv = Records::default();
        let titles =
            self.names.iter().flat_map(|name| columns.iter().map(move |(title, _)| format!("{name}: {title}")));
        let outside = self.has_outside().then(|| OUTSIDE.to_owned());
        csv.push(std::iter::once(self.axis.label().to_owned()).chain(titles).chain(outside));
        for (index, x) in self.xs.iter().enumerate() {
            let numbers =
                self.curves.iter().flat_map(|curve| columns.iter().map(move |(_, of)| of(&curve.times[index])));
            let numbers = std::iter::once(*x).chain(numbers).map(|number| number.to_string());
            csv.push(numbers.chain(self.has_outside().then(|| self.outside_at(index).to_owned())));
        }
        csv.into_text()
    }

    /// Whether some values are outside what was measured.
    fn has_outside(&self) -> bool {
        self.curves.iter().flat_map(|curve| &curve.times).any(|times| times.is_outside)
    }

    /// Whether a value is outside what was measured, as in a table.
    fn outside_at(&self, index: usize) -> &'static str {
        if self.curves.iter().any(|curve| curve.times[index].is_outside) { "yes" } else { "no" }
    }
}

/// The inputs of the charts.
struct Sketch<'a> {
    study: &'a Placement,
    axis: PlanAxis,
    is_linear: bool,
    xs: &'a [f64],
}

impl Sketch<'_> {
    /// Name of a curve: its network, or the two engines, which have networks of their own.
    fn name(&self, curve: &PlanCurve) -> String {
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
            title: self.title(),
            subtitle: subtitle.to_owned(),
            answer: answer.to_owned(),
            x: self.x(),
            y: Axis { label: y.0.to_owned(), format: y.1.formatter(), scale: Scale::of(true), range },
            bands: Vec::new(),
            series,
            threshold: None,
            points: here
                .map(|[x, y]| Labelled { label: "now".to_owned(), short: String::new(), x, y, token })
                .into_iter()
                .collect(),
            breakevens: Vec::new(),
            is_editable: false,
        }
    }

    /// Speedups, all on CPU ÷ as placed, for each network with and without compression.
    fn speedups(&self, curves: &[PlanCurve], answer: &str) -> LineChart {
        let chosen = Variant::chosen(self.study);
        let series = curves.iter().map(|curve| {
            let speedups = curve.times.iter().map(|times| times.speedup());
            self.series(self.name(curve), variant_token(self.study, curve.variant), curve.variant.compression, speedups)
        });
        let now = curves.iter().position(|curve| curve.variant == chosen).unwrap_or(0);
        self.chart("speedup: all on CPU ÷ as placed", answer, ("speedup", Unit::Factor), series.collect(), now)
    }

    /// Times over the chosen network: all on CPU, all on GPU, and as placed; of whole engines those of both.
    fn times(&self, curve: &PlanCurve, answer: &str) -> LineChart {
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

    fn answer(&self, curve: &PlanCurve) -> String {
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
        format!("{answer} {fixed}; each point has its own placement.{}{outside}", self.why_steps())
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
fn question(study: &Placement) -> String {
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

/// Draws the page; `other_pair`: what the decision recommends, if the page does not compare it.
pub(in super::super) fn show(
    ui: &mut Ui,
    state: &mut State,
    mode: &mut Option<Mode>,
    plan: &super::PlanBoard,
    study: &Placement,
    other_pair: Option<&str>,
    env: &mut Env<'_>,
) {
    let axes = PlanAxis::all(study);
    let usual = if study.engines.is_some() { PlanAxis::Data } else { axes.get(1).copied().unwrap_or(PlanAxis::Data) };
    let mut axis = state.axis.filter(|axis| axes.contains(axis)).unwrap_or(usual);
    ui.horizontal_wrapped(|ui| {
        mode_switch(ui, mode, Mode::Curves, Modes::of(plan));
        ui.heading(question(study));
        ui.add_space(12.0);
        ui.label("x:");
        let before = axis;
        let combo = ComboBox::from_id_salt("x axis of a plan").selected_text(axis.label()).width(180.0);
        let combo = combo.show_ui(ui, |ui| {
            for choice in &axes {
                ui.selectable_value(&mut axis, *choice, choice.label());
            }
        });
        combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "x axis"));
        if axis != before {
            state.axis = Some(axis);
        }
        let mut is_log = !state.is_linear;
        if ui.toggle_value(&mut is_log, "log x").on_hover_text("Logarithmic or linear x axis").clicked() {
            state.is_linear = !is_log;
        }
        let charts = if study.engines.is_some() { 1 } else { 2 };
        export_menu::show(ui, env, 0..charts, true);
    });
    decision_link(ui, plan, mode, other_pair);
    let is_linear = state.is_linear;
    state.followed.refresh(
        ui.ctx(),
        |input| input.axis == axis && input.is_linear == is_linear && input.study == *study,
        || CurvesInput { study: study.clone(), axis, is_linear },
    );
    state.followed.state(ui);
    let Some(followed) = state.followed.shown().cloned() else { return };
    ui.scope(|ui| {
        state.followed.dim(ui);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            focus::follow(ui);
            ui.label(&followed.answer);
            let fits_two = ui.available_width() - ui.spacing().item_spacing.x >= 2.0 * NARROWEST_PLOT;
            let columns = if fits_two { 2 } else { 1 };
            let height = (ui.available_height() - 84.0).clamp(150.0, 460.0);
            for row in followed.charts.chunks(columns).enumerate() {
                ui.columns(columns, |columns| {
                    for (place, (ui, chart)) in columns.iter_mut().zip(row.1).enumerate() {
                        ui.strong(&chart.subtitle);
                        screen::legend(ui, chart);
                        screen::lines(ui, ("along a plan", row.0, place), chart, None, height);
                    }
                });
            }
            ui.weak(&followed.coincidences);
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All on GPUs is faster from 10 to 100 and from 1,000 on, with the times equal in the middle of two values.
    #[test]
    fn every_range_where_gpus_are_faster_is_named() {
        let base = crossover_scenario::read(super::super::super::examples::MODERN.text).expect("a scenario");
        let study = base.placement().expect("a placement study");
        let times = |gpu: f64| PlanTimes {
            cpu: 10.0,
            gpu,
            placed: gpu.min(10.0),
            is_outside: false,
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
        let base = crossover_scenario::read(super::super::super::examples::MODERN.text).expect("a scenario");
        let study = base.placement().expect("a placement study");
        let intervals = [[10.0; 2], [5.0; 2]];
        let times = |is_outside: bool| PlanTimes { cpu: 10.0, gpu: 5.0, placed: 5.0, is_outside, intervals };
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
        let base = crossover_scenario::read(super::super::super::examples::MODERN.text).expect("a scenario");
        let study = base.placement().expect("a placement study");
        let intervals = [[10.0; 2], [4.0, 20.0]];
        let times = |is_outside: bool| PlanTimes { cpu: 10.0, gpu: 5.0, placed: 5.0, is_outside, intervals };
        let curve = PlanCurve { variant: Variant::chosen(study), times: [false, false, true].map(times).to_vec() };
        let xs = [1.0, 2.0, 3.0];
        let sketch = Sketch { study, axis: PlanAxis::Data, is_linear: false, xs: &xs };
        let chart = sketch.times(&curve, "");
        let band = chart.bands.iter().find(|band| band.token == Token::Gpu).expect("a band");
        assert_eq!(band.points, [[1.0, 4.0, 20.0], [2.0, 4.0, 20.0]]);
        assert!(chart.y.range[0] <= 4.0 && chart.y.range[1] >= 20.0);
        assert!(chart.bands.iter().all(|band| band.token != Token::Cpu), "it has no error");
    }
}
