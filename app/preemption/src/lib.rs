//! The preemption page: which kernels should share a GPU, and when is one preempted for another?

mod board;
mod charts;
mod cli;
mod decisions;
mod elided;
mod evaluated;
pub mod examples;
mod findings;
mod gantt;
mod hardware;
mod importing;
mod inspector;
mod legend;
mod module;
mod pairs;
mod request;
mod table;
mod timeline;
mod token;
mod tour;

use std::sync::Arc;

use crossover_chart::lines::LineChart;
use crossover_chart::{Chart, screen};
use crossover_export::preemption::with_interval;
use crossover_export::{self as export, Format};
use crossover_page::compute::computed::Computed;
use crossover_page::lazy_text::LazyText;
use crossover_page::page::{Env, Page};
use crossover_page::tour::{Step, part};
use crossover_page::widgets::chart_tabs::{self, ChartTab, OnScreen};
use crossover_page::widgets::table::height_of_picked_text;
use crossover_page::widgets::{beside, drawer, focus};
use crossover_page::{export_menu, headline};
use crossover_preemption::outcome::seconds;
use crossover_preemption::{Policy, Preemption};
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, elapsed};
use crossover_scenario::glossary::Meaning;
use crossover_scenario::{Scenario, Study};
use crossover_study::validate;
use egui::{CentralPanel, RichText, ScrollArea, Ui};

use board::{Evaluation, LoadSweep};
use charts::Metric;
use evaluated::{Curves, EvaluatedStudy};
pub use module::Module;

/// Width below which charts are stacked, in points.
const NARROW: f32 = 760.0;
/// Height of a page on which the table shows all policies without scrolling and a chart above it stays legible, in points.
const ROOM_FOR_ALL: f32 = 700.0;

/// The page of a preemption study.
pub struct View {
    board: Computed<Evaluation>,
    loads: Computed<LoadSweep>,
    metric: Metric,
    /// The last chart along the load, with its curves, policy and metric.
    along: Option<((u64, Policy, Metric), LineChart)>,
    inspector: inspector::State,
    gantt: gantt::State,
    /// The selected decision, by its index in the log; none: the one with the largest gain.
    decision: Option<usize>,
    /// The outcome whose decisions were listed last.
    listed: u64,
    pairs: pairs::State,
}

impl View {
    /// The view as it is first shown.
    #[must_use]
    pub fn new(study: &Preemption) -> Self {
        Self {
            board: Computed::of(Evaluation(study.clone())),
            loads: Computed::new(),
            metric: Metric::default(),
            along: None,
            inspector: inspector::State::default(),
            gantt: gantt::State::default(),
            decision: None,
            listed: 0,
            pairs: pairs::State::default(),
        }
    }

    fn draw(&mut self, ui: &mut Ui, study: &mut Preemption, env: &mut Env<'_>) {
        self.refresh(ui, study);
        let rows = match ui.available_height() {
            height if height > ROOM_FOR_ALL => Policy::ALL.len() as f32 + 1.0,
            _ => 2.0,
        };
        let usual = 76.0 + height_of_picked_text(ui) + (table::ROW + 3.0) * rows;
        let below = drawer::below(ui, "policies", "Which policy is best?", [90.0, usual]);
        drawer::inspector(ui, env.inspector_open, |ui| {
            inspector::show(ui, &mut self.inspector, self.pairs.chosen.as_ref(), study, env);
        });
        self.refresh(ui, study);
        self.strip(ui);
        CentralPanel::default_margins().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                let Some(shown) = self.board.shown().map(Arc::clone) else { return };
                let tabs = [
                    ChartTab { name: "Load", parts: &[tour::CHARTS] },
                    ChartTab::new("Latencies"),
                    ChartTab { name: "Timeline", parts: &[tour::TIMELINE] },
                    ChartTab::new("Pairs"),
                ];
                // Listed launches have no load.
                let first = usize::from(!shown.study.stream.listed.is_empty());
                let on_screen = chart_tabs::choose(ui, "preemption", first, &tabs);
                part(ui, tour::CHARTS, |ui| self.plots(ui, &shown, on_screen, env));
                self.board.dim(ui);
                let chosen = decisions::chosen(&shown, self.decision);
                // Exported are the curves along the load, if any, latencies, timeline and pairs.
                let charts = self.before(&shown.study) + 1;
                if on_screen.has(2) {
                    let export = |ui: &mut Ui| export_menu::show(ui, env, charts, false);
                    part(ui, tour::TIMELINE, |ui| {
                        gantt::show(ui, &mut self.gantt, &shown, (self.board.number(), chosen), export);
                    });
                    let new = std::mem::replace(&mut self.listed, self.board.number()) != self.board.number();
                    if let Some(picked) = decisions::show(ui, &shown, chosen, new) {
                        self.decision = Some(picked);
                        self.gantt.reveal();
                    }
                }
                if on_screen.has(3) {
                    let export = |ui: &mut Ui| export_menu::show(ui, env, charts + 1, false);
                    pairs::show(ui, &mut self.pairs, (&shown, self.board.number()), study, export);
                }
            });
        });
        table::show(ui, below, &self.board, study, env);
    }

    fn refresh(&mut self, ui: &Ui, study: &Preemption) {
        let before = self.board.number();
        // An invalid study, while a number is dragged, is not computed.
        let fits = || validate(study).is_ok();
        self.board.refresh(ui.ctx(), |Evaluation(wanted)| wanted == study || !fits(), || Evaluation(study.clone()));
        if self.board.number() != before {
            self.decision = None;
        }
        if study.stream.listed.is_empty() {
            self.loads.refresh(ui.ctx(), |wanted| wanted.is_of(study) || !fits(), || LoadSweep(study.clone()));
        }
    }

    fn strip(&mut self, ui: &mut Ui) {
        headline::panel(ui, &mut self.board, |ui, shown| {
            headline::strip(ui, |ui| figures(ui, shown));
            headline::answer(ui, &shown.outcome.sentence(&shown.study));
            headline::warnings(ui, &shown.outcome.warnings);
        });
    }

    fn plots(&mut self, ui: &mut Ui, shown: &EvaluatedStudy, on_screen: OnScreen, env: &mut Env<'_>) {
        if !on_screen.has(0) && !on_screen.has(1) {
            return;
        }
        let is_listed = !shown.study.stream.listed.is_empty();
        let columns = on_screen.columns(if is_listed || ui.available_width() < NARROW { 1 } else { 2 });
        let height = (ui.available_height() * 0.55).clamp(180.0, if is_listed { 220.0 } else { 340.0 });
        let before = self.before(&shown.study);
        beside::show(ui, columns, |columns| {
            let last = columns.len() - 1;
            if on_screen.has(0) {
                self.along_load(&mut columns[0], shown, env, height);
            }
            if !on_screen.has(1) {
                return;
            }
            let ui = &mut columns[last];
            if last == 0 && on_screen == OnScreen::All {
                ui.add_space(8.0);
            }
            ui.scope(|ui| {
                self.board.dim(ui);
                let chart = &shown.latencies;
                ui.horizontal_wrapped(|ui| {
                    ui.heading(&chart.title);
                    export_menu::show(ui, env, before, before == 0);
                });
                let of = "Share of the launches of the first stream (a sequence of arrivals) that end within a given latency; no \
                          intervals for a single stream";
                ui.label(RichText::new(of).weak());
                legend::of(ui, chart);
                screen::lines(ui, "preemption latencies", chart, None, height);
                ui.label(&chart.answer);
            });
        });
    }

    /// "Which policy is best at which load?"
    fn along_load(&mut self, ui: &mut Ui, shown: &EvaluatedStudy, env: &mut Env<'_>, height: f32) {
        let policy = shown.study.rule.policy;
        if !shown.study.stream.listed.is_empty() {
            ui.heading("Which policy is best at which load?");
            ui.weak("Listed launches have no load; remove the list to compare policies along the load.");
            return;
        }
        let curves = self.loads.shown().map(Arc::clone);
        ui.horizontal_wrapped(|ui| {
            ui.heading("Which policy is best at which load?");
            if self.curves(&shown.study).is_some() {
                export_menu::show(ui, env, 0, true);
            }
        });
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            for metric in Metric::ALL {
                let button = ui.selectable_label(self.metric == metric, metric.label());
                if button.on_hover_text(metric.meaning().text()).clicked() {
                    self.metric = metric;
                }
            }
        });
        self.loads.state(ui);
        let Some(curves) = curves else {
            if !self.loads.is_busy() {
                return;
            }
            ui.weak("Comparing policies along the load …");
            return;
        };
        let of = (self.loads.number(), policy, self.metric);
        let chart = self.along.take().filter(|(drawn, _)| *drawn == of).map(|(_, chart)| chart);
        let chart = chart.unwrap_or_else(|| charts::along_load(&curves, policy, self.metric));
        ui.scope(|ui| {
            self.loads.dim(ui);
            legend::of(ui, &chart);
            screen::lines(ui, ("preemption load", self.metric.label()), &chart, None, height);
            ui.label(&chart.answer);
        });
        self.along = Some((of, chart));
    }

    /// How many charts are exported before the latencies.
    fn before(&self, study: &Preemption) -> usize {
        usize::from(self.curves(study).is_some_and(|curves| !curves.at.is_empty()))
    }

    /// The curves along the load of a study with a load, unless they are outdated.
    fn curves(&self, study: &Preemption) -> Option<&Arc<Curves>> {
        self.loads.shown().filter(|_| study.stream.listed.is_empty() && !self.loads.is_stale())
    }

    fn current(&self, study: &Study) -> Option<Arc<EvaluatedStudy>> {
        let study = study.preemption()?;
        self.board.shown().filter(|shown| shown.study == *study).map(Arc::clone)
    }
}

fn figures(ui: &mut Ui, shown: &EvaluatedStudy) {
    let (study, outcome) = (&shown.study, &shown.outcome);
    let own = &outcome.chosen(study).means;
    let name = study.rule.policy.label();
    headline::headline(
        ui,
        &with_interval(own.throughput, Unit::Ratio.formatter()),
        &format!("throughput (STP), {name}"),
        &format!(
            "1: one kernel after the other without gaps. With its 90 % interval. {}\n{}",
            outcome.sentence(study),
            Meaning::term("throughput").text()
        ),
    );
    headline::headline(
        ui,
        &Unit::Ratio.format(outcome.bound.throughput),
        "STP upper bound",
        &Meaning::own("On these streams").and_term("upper bound").text(),
    );
    headline::headline(
        ui,
        &with_interval(own.turnaround, Unit::Factor.formatter()),
        "turnaround (ANTT)",
        &Meaning::own("1×: as fast as alone").and_term("turnaround").text(),
    );
    headline::headline(
        ui,
        &elapsed(seconds(study, own.latency.mean)),
        "mean latency",
        "Time from arrival to end, mean over all launches.",
    );
    headline::headline(
        ui,
        &elapsed(seconds(study, own.latency_p99.mean)),
        "p99 latency",
        &Meaning::term("p99 latency").text(),
    );
    headline::headline(
        ui,
        &Unit::Ratio.format(own.preemptions),
        "preemptions per launch",
        "Preemptions of kernels before they end, per launch.",
    );
}

impl Page for View {
    fn help(&self) -> &'static str {
        "SHARE-GPUS.md#choose-kernels-that-share-a-gpu"
    }

    fn tour(&self) -> &'static [Step] {
        &tour::STEPS
    }

    fn ui(&mut self, ui: &mut Ui, study: &mut Study, env: &mut Env<'_>) {
        if let Some(study) = study.preemption_mut() {
            self.draw(ui, study, env);
        }
    }

    fn status(&self, warnings: &str) -> String {
        let Some(shown) = self.board.shown() else { return "simulating".to_owned() };
        let kernels = counted(shown.study.kernels.len() as f64, "kernel");
        format!("{}  ·  {kernels}  ·  {warnings}", shown.study.rule.policy.label())
    }

    fn is_busy(&self) -> bool {
        self.board.is_busy() || self.loads.is_busy()
    }

    fn charts(&self) -> Vec<Chart> {
        let Some(shown) = self.board.shown() else { return Vec::new() };
        let mut all = charts::all(shown, self.curves(&shown.study).map(|curves| &**curves), self.metric);
        all.push(Chart::Gantt(gantt::chart(&self.gantt, shown, decisions::chosen(shown, self.decision))));
        all.push(Chart::Grid(pairs::chart(shown)));
        all
    }

    fn data_csv(&self, study: &Study) -> Result<LazyText, String> {
        let shown = self.current(study).ok_or("No results yet; export them when the simulation is complete")?;
        let curves = self.curves(&shown.study).map(Arc::clone);
        Ok(LazyText::new(move || {
            let at = curves.as_ref().map_or(&[][..], |curves| &curves.at);
            export::preemption::data_csv(&shown.study, &shown.outcome, at)
        }))
    }

    fn results(&self, scenario: &Scenario, format: Format) -> Option<LazyText> {
        let (name, shown) = (scenario.name.clone(), self.current(&scenario.study)?);
        Some(LazyText::new(move || export::preemption::results(&name, &shown.study, &shown.outcome).write(format)))
    }

    fn reset_layout(&mut self, study: &Study) {
        if let Some(study) = study.preemption() {
            *self = Self::new(study);
        }
    }
}
