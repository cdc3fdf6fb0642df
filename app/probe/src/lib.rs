//! The probe page: compute centres compared, and work scheduled on them.

mod allowing;
mod board;
mod cards;
mod centres;
mod charts;
mod cli;
mod dag;
pub mod examples;
mod findings;
mod inspector;
mod kept;
mod kept_list;
mod kernels;
mod module;
mod panel;
mod planned;
mod reading;
mod request;
mod requested;
mod running;
mod sample;
mod several;
mod shortened;
mod strip;
mod subject;
mod table;
mod target;
mod tour;
mod transport;

use std::sync::Arc;

use crossover_chart::{Chart, screen};
use crossover_export::{self as export, Format};
use crossover_page::compute::computed::Computed;
use crossover_page::lazy_text::LazyText;
use crossover_page::page::{Env, Page};
use crossover_page::tour::{Step, part};
use crossover_page::widgets::chart_tabs::{self, ChartTab, OnScreen};
use crossover_page::widgets::empty::SamplePicture;
use crossover_page::widgets::table::height_of_picked_text;
use crossover_page::widgets::{beside, drawer, focus};
use crossover_page::{export_menu, headline};
use crossover_probe::Probe;
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, elapsed};
use crossover_scenario::{Scenario, Study};
use egui::{CentralPanel, RichText, ScrollArea, Ui};

use board::{Evaluation, Shown};
pub use module::Module;

/// Below this width charts are stacked, in points.
const NARROW: f32 = 760.0;
/// Seconds of an hour.
const HOUR: f64 = 3_600.0;

/// The view of a probe study.
pub struct View {
    board: Computed<Evaluation>,
    inspector: inspector::State,
    /// Index of the selected centre.
    picked: usize,
    panel: panel::State,
    /// The running probes, if any.
    running: Option<running::Running>,
    /// The picture of the page without centres.
    sample: SamplePicture,
}

impl View {
    /// The initial view of a study.
    #[must_use]
    pub fn new(study: &Probe) -> Self {
        Self {
            board: Computed::of(Evaluation(study.clone())),
            inspector: inspector::State::default(),
            picked: 0,
            panel: panel::State::new(study),
            running: None,
            sample: SamplePicture::new(sample::picture),
        }
    }

    fn draw(&mut self, ui: &mut Ui, study: &mut Probe, env: &mut Env<'_>) {
        let rows = study.centres.len().min(8) as f32;
        self.board.refresh(ui.ctx(), |Evaluation(shown)| shown == study, || Evaluation(study.clone()));
        let usual = 76.0 + height_of_picked_text(ui) + (table::ROW + 3.0) * rows;
        let below = drawer::below(ui, "centres", "What does each centre deliver?", [90.0, usual]);
        let shown = self.board.shown().map(Arc::clone);
        drawer::inspector(ui, env.inspector_open, |ui| {
            let built = shown.as_ref().map(|shown| &shown.outcome.built);
            inspector::show(ui, &mut self.inspector, study, built, env);
        });
        self.board.refresh(ui.ctx(), |Evaluation(shown)| shown == study, || Evaluation(study.clone()));
        self.strip(ui);
        CentralPanel::default_margins().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.board.dim(ui);
                if let Some(shown) = self.board.shown().map(Arc::clone) {
                    let on_screen = on_screen(ui, &shown);
                    if on_screen.has(0) {
                        part(ui, tour::CENTRES, |ui| cards::show(ui, &shown, &mut self.picked));
                        part(ui, tour::RUN, |ui| {
                            panel::show(ui, &mut self.panel, self.running.as_ref(), (study, self.picked), env);
                        });
                    }
                    part(ui, tour::CHARTS, |ui| {
                        if shown.study.centres.is_empty() {
                            sample::show(ui, &mut self.sample, env.commands);
                        } else {
                            self.sample.forget();
                            plots(ui, &shown, on_screen, env);
                        }
                    });
                    if on_screen.has(3) {
                        ui.add_space(8.0);
                        ui.heading("What does the probe do?");
                        ui.label(built(&shown));
                        dag::show(ui, &shown.study, &shown.outcome.built);
                        planned::show(ui, &shown);
                    }
                }
            });
        });
        let shown = self.board.shown().map(Arc::clone);
        table::show(ui, below, shown.as_deref(), &mut self.picked, env);
    }

    fn strip(&mut self, ui: &mut Ui) {
        headline::panel(ui, &mut self.board, |ui, shown| {
            headline::strip(ui, |ui| figures(ui, shown));
            headline::answer_of_chart(ui, || shown.outcome.sentence(&shown.study));
            headline::warnings(ui, &shown.outcome.warnings);
        });
    }

    fn current(&self, study: &Study) -> Option<Arc<Shown>> {
        let study = study.probe()?;
        self.board.shown().filter(|shown| shown.study == *study).map(Arc::clone)
    }
}

fn figures(ui: &mut Ui, shown: &Shown) {
    let (study, outcome) = (&shown.study, &shown.outcome);
    match outcome.ranking.first() {
        Some(best) => {
            let of = &outcome.centres[best.centre];
            let name = &study.centres[best.centre].name;
            let meaning = match best.tied.len() {
                0 => "highest score".to_owned(),
                1 => format!("highest score; not significantly above {}", study.centres[best.tied[0]].name),
                several => format!("highest score; not significantly above {several} others"),
            };
            headline::headline(ui, name, &meaning, &outcome.sentence(study));
            let score = of.score.map_or(0.0, |score| score.value);
            let interval = of.score.and_then(|score| score.interval);
            let meaning = interval.map_or_else(
                || "score, from one run".to_owned(),
                |[low, high]| {
                    format!("score, 95 % interval {} – {}", Unit::Ratio.format(low), Unit::Ratio.format(high))
                },
            );
            headline::headline(
                ui,
                &Unit::Ratio.format(score),
                &meaning,
                "Weighted sum of the points for mean time and mean error of the probe, with its 95 % interval.",
            );
            if let Some((target, method)) = of.target {
                let units = counted(of.recommended, "unit");
                headline::headline(
                    ui,
                    &elapsed(target.mean),
                    &format!("for the task on {units}"),
                    &format!("Estimated time of the whole task: {}.", export::probe::estimate_method(method)),
                );
            }
        }
        None => headline::headline(
            ui,
            "–",
            "no centre has run the probe yet",
            "Run the probe with “crossover probe run”, or read reports with “crossover probe read”.",
        ),
    }
    if let Some(plan) = outcome.plan() {
        headline::headline(
            ui,
            &elapsed(plan.makespan * HOUR),
            &format!("makespan of the work, cost {}", Unit::UsDollars.format(plan.cost)),
            "Time to the end of the last task of the plan; cost of all its tasks, US dollars.",
        );
    }
}

/// "3 operators with 6 executions represent 6,000 executions of the task."
fn built(shown: &Shown) -> String {
    let built = &shown.outcome.built;
    let (mut operators, mut executed, mut in_target) = (0.0, 0.0, 0.0);
    for of in built.operators() {
        operators += 1.0;
        executed += f64::from(of.executions);
        in_target += of.in_target;
    }
    let input = if built.operators().all(|of| of.from.is_empty()) {
        ""
    } else {
        " An operator with an input reads the mean output of all executions of its input operator."
    };
    let represent = if operators == 1.0 { "represents" } else { "represent" };
    format!(
        "{} with {} {represent} {} of the task.{input}",
        counted(operators, "operator"),
        counted(executed, "execution"),
        counted(in_target, "execution")
    )
}

/// The parts of the page that are drawn: cards and runs, scores, scaling, the probe, and hours of the day, if there are any.
fn on_screen(ui: &mut Ui, shown: &Shown) -> OnScreen {
    // Without centres there is the sample.
    if shown.study.centres.is_empty() {
        return OnScreen::All;
    }
    let tabs = [
        ChartTab { name: "Centres", parts: &[tour::CENTRES, tour::RUN] },
        ChartTab { name: "Scores", parts: &[tour::CHARTS] },
        ChartTab::new("Scaling"),
        ChartTab::new("Probe and work"),
        ChartTab::new("Hours"),
    ];
    let count = tabs.len() - usize::from(shown.charts.day.is_none());
    chart_tabs::choose(ui, "probe", 1, &tabs[..count])
}

fn plots(ui: &mut Ui, shown: &Shown, on_screen: OnScreen, env: &mut Env<'_>) {
    if matches!(on_screen, OnScreen::One(0 | 3)) {
        return;
    }
    let charts = &shown.charts;
    let columns = on_screen.columns(if ui.available_width() < NARROW { 1 } else { 2 });
    let height = (ui.available_height() * 0.5).clamp(170.0, 340.0);
    beside::show(ui, columns, |columns| {
        let last = columns.len() - 1;
        let ui = &mut columns[0];
        if on_screen.has(1) {
            ui.horizontal_wrapped(|ui| {
                ui.heading(&charts.ranking.title);
                export_menu::show(ui, env, 0, true);
            });
            screen::bars(ui, &charts.ranking);
            ui.label(&charts.ranking.answer);
        }
        if let Some(day) = charts.day.as_ref().filter(|_| on_screen.has(4)) {
            ui.add_space(8.0);
            ui.horizontal_wrapped(|ui| {
                ui.heading(&day.title);
                export_menu::show(ui, env, 2, false);
            });
            strip::show(ui, shown);
            ui.label(&day.answer);
        }
        if !on_screen.has(2) {
            return;
        }
        let ui = &mut columns[last];
        ui.horizontal_wrapped(|ui| {
            ui.heading(&charts.scaling.title);
            export_menu::show(ui, env, 1, false);
        });
        if charts.scaling.series.is_empty() {
            ui.label(&charts.scaling.answer);
            ui.weak("Probe a centre on three numbers of units or more, for example 1, 2, 4.");
            return;
        }
        ui.label(
            RichText::new("Marks: measured means. Curves: fitted law. Bands: 90 % prediction intervals of means.")
                .weak(),
        );
        screen::legend(ui, &charts.scaling);
        screen::lines(ui, "probe scaling", &charts.scaling, None, height);
        ui.label(&charts.scaling.answer);
    });
}

impl Page for View {
    fn help(&self) -> &'static str {
        "COMPARE-CENTRES.md#compare-compute-centres"
    }

    fn tour(&self) -> &'static [Step] {
        &tour::STEPS
    }

    fn ui(&mut self, ui: &mut Ui, study: &mut Study, env: &mut Env<'_>) {
        if let Some(study) = study.probe_mut() {
            self.draw(ui, study, env);
        }
    }

    fn status(&self, warnings: &str) -> String {
        let Some(shown) = self.board.shown() else { return "comparing".to_owned() };
        let runs: usize =
            shown.study.centres.iter().flat_map(|centre| &centre.units).map(|of| of.runs.seconds.len()).sum();
        let centres = counted(shown.study.centres.len() as f64, "centre");
        format!("{centres}  ·  {}  ·  {warnings}", counted(runs as f64, "run"))
    }

    fn is_busy(&self) -> bool {
        self.board.is_busy() || self.sample.is_busy() || self.running.as_ref().is_some_and(running::Running::is_at_work)
    }

    fn charts(&self) -> Vec<Chart> {
        self.board.shown().map(|shown| shown.charts.all()).unwrap_or_default()
    }

    fn data_csv(&self, study: &Study) -> Result<LazyText, String> {
        let shown = self.current(study).ok_or("The comparison is not finished; export again once it is shown")?;
        Ok(LazyText::new(move || export::probe::data_csv(&shown.study, &shown.outcome)))
    }

    fn results(&self, scenario: &Scenario, format: Format) -> Option<LazyText> {
        let (name, shown) = (scenario.name.clone(), self.current(&scenario.study)?);
        Some(LazyText::new(move || export::probe::results(&name, &shown.study, &shown.outcome).write(format)))
    }

    fn reset_layout(&mut self, study: &Study) {
        if let Some(study) = study.probe() {
            // Running probes continue.
            let running = self.running.take();
            *self = Self { running, ..Self::new(study) };
        }
    }
}
