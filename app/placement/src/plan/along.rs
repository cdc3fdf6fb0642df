//! When the GPU, or the other engine, is faster for a query: times of the plan along one number, or as its data grows.

mod sketch;

use crossover_chart::lines::LineChart;
use crossover_chart::screen;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, Work};
use crossover_page::compute::watched::watched;
use crossover_page::export_menu;
use crossover_page::widgets::chart_tabs::{self, ChartTab};
use crossover_page::widgets::{beside, drawer, focus};
use crossover_placement::whole::{PlanAxis, PlanCurve, PlanTimes, along_plan};
use crossover_placement::{Placement, Variant};
use crossover_quantity::text::csv::Records;
use crossover_study::along::samples;
use egui::{ComboBox, Role, ScrollArea, Ui, WidgetInfo};

use self::sketch::{OUTSIDE, Sketch, question};
use super::super::charts::NARROWEST_PLOT;
use super::super::{Env, Mode, Modes, mode_switch};
use super::{decision_link, query_warnings};

/// Most points of a curve, and fewest.
const POINTS: [usize; 2] = [25, 121];
/// Approximate limit of decided operators over all points of all curves: 0.3 s of two cores.
const DECISIONS: usize = 200_000;
/// Time to decide one operator, ms: that of the plan page, without texts and layout.
const NODE_MS: f64 = 0.0015;

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
    // The engines and machines are those of the plan and of the table of its operators.
    let study = plan.study(study);
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
        export_menu::of_charts(ui, env, 0, state.charts().iter().map(LineChart::captions));
    });
    decision_link(ui, plan, mode, other_pair);
    query_warnings(ui, plan);
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
            // In a short window the chart comes first.
            let is_short = drawer::is_short(ui);
            if !is_short {
                ui.label(&followed.answer);
            }
            let tabs: Vec<ChartTab<'_>> = followed.charts.iter().map(|chart| ChartTab::new(&chart.y.label)).collect();
            let on_screen = chart_tabs::choose(ui, "curves of a plan", 0, &tabs);
            let drawn: Vec<(usize, &LineChart)> =
                followed.charts.iter().enumerate().filter(|(place, _)| on_screen.has(*place)).collect();
            let columns = beside::fitting(ui, NARROWEST_PLOT, drawn.len().min(2));
            let height = (ui.available_height() - 84.0).clamp(150.0, 460.0);
            for row in drawn.chunks(columns) {
                beside::show(ui, columns, |columns| {
                    for (ui, (place, chart)) in columns.iter_mut().zip(row) {
                        ui.strong(&chart.subtitle);
                        screen::legend(ui, chart);
                        screen::lines(ui, ("along a plan", *place), chart, None, height);
                    }
                });
            }
            if is_short {
                ui.label(&followed.answer);
            }
            ui.weak(&followed.coincidences);
        });
    });
}
