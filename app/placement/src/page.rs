//! What the page provides to the window: its subject, content and state, and its exports.

use std::path::Path;
use std::sync::Arc;

use crossover_chart::{Chart, Form};
use crossover_export::decided::in_shown_engines;
use crossover_export::decision::{DecidedWorkload, html, markdown};
use crossover_export::report::ReportFormat;
use crossover_export::{self as export, Format};
use crossover_page::lazy_text::LazyText;
use crossover_page::page::{Env, Page};
use crossover_page::tour::Step;
use crossover_placement::whole::decide;
use crossover_placement::{Aggregation, Placement, evaluate};
use crossover_quantity::text::{counted, counted_of};
use crossover_quantity::unit::Unit;
use crossover_scenario::views::PageView;
use crossover_scenario::{Scenario, Study};

use super::{Board, Mode, View, charts_of, decision, plan, tour};

impl Page for View {
    fn help(&self) -> &'static str {
        match (self.board().and_then(Board::plan), self.mode()) {
            (None, _) => "WORKBENCH.md#read-a-placement-study",
            (Some(_), Mode::Answer) => "DECIDE-SPARK.md#use-the-answer-tab",
            (Some(_), Mode::Where) => "DECIDE-SPARK.md#decide-in-the-window",
            (Some(_), Mode::Plan | Mode::Curves | Mode::Run) => "DECIDE-SPARK.md#in-the-window",
        }
    }

    fn subject<'a>(&self, study: &'a Study) -> Option<&'a str> {
        let study = study.placement().filter(|_| self.decision.is_about_application())?;
        let application = study.query.as_deref()?.application.as_deref()?;
        if application.name.is_empty() {
            Path::new(&application.file).file_stem()?.to_str()
        } else {
            Some(&application.name)
        }
    }

    fn is_named_by_scenario(&self, study: &Study) -> bool {
        study.placement().is_some_and(|study| study.query.is_some())
    }

    fn machines(&self, study: &Study) -> Option<String> {
        let study = study.placement()?;
        let name = study.gpu.name.split(" (").next().unwrap_or_default();
        let name = name.strip_prefix("NVIDIA ").unwrap_or(name);
        let gpus = study.cluster.machines * study.gpu.gpus_per_machine;
        (!name.is_empty()).then(|| format!("{} × {name}", Unit::Count.format(gpus)))
    }

    fn tour(&self) -> &'static [Step] {
        match self.board().and_then(Board::plan) {
            None => &tour::OF_OPERATORS,
            Some(plan) if plan.workload().is_some() => &tour::OF_ANSWER,
            Some(_) => &tour::OF_PLAN,
        }
    }

    fn show_for_tour(&mut self) {
        self.mode = None;
    }

    fn content(&self) -> Option<&'static str> {
        self.board().and_then(Board::plan)?;
        Some(self.mode().label())
    }

    fn show_content(&mut self, name: &str) {
        let linked = [Mode::Answer, Mode::Plan, Mode::Curves, Mode::Run];
        self.mode = linked.into_iter().find(|mode| mode.label() == name);
    }

    fn shown(&self) -> PageView {
        let is_plan = self.board().and_then(Board::plan).is_some();
        let shown =
            if is_plan { self.plan.shown() } else { PageView { sorted: self.sort.shown(), ..PageView::default() } };
        PageView { of_query: !self.decision.shows_application(), ..shown }
    }

    fn show_again(&mut self, shown: &PageView) {
        self.sort.show_again(shown.sorted.as_ref());
        self.plan.show_again(shown);
        if shown.of_query {
            self.decision.show_query();
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, study: &mut Study, env: &mut Env<'_>) {
        if let Some(study) = study.placement_mut() {
            self.draw(ui, study, env);
        }
    }

    fn status(&self, warnings: &str) -> String {
        let Some(board) = self.board() else { return "placing".to_owned() };
        let aggregation = match board.study().cluster.aggregation {
            Aggregation::Published => "published aggregation",
            Aggregation::Exact => "exact aggregation",
        };
        let plan = board.plan();
        if let Some(plan) = plan {
            let (gpu, all) = (plan.counts().on_gpu, plan.whole().operators.len());
            // With engines, the decision states what runs the query.
            let operators = if board.study().engines.is_some() {
                let id = board.study().query.as_deref().map_or("", |query| query.plan.query.as_str());
                let of_query = if id.is_empty() { String::new() } else { format!(" of query {id}") };
                format!("{}{of_query}", counted(all as f64, "operator"))
            } else {
                format!("{} on GPU", counted_of(gpu as f64, all as f64, "operator"))
            };
            // Each page of a plan has warnings of its own.
            return format!("{operators}  ·  sources of numbers: {}  ·  {warnings} on this page", board.provenance());
        }
        format!("{aggregation}  ·  sources of numbers: {}  ·  {warnings}", board.provenance())
    }

    fn is_busy(&self) -> bool {
        // Only curves on the screen delay the status.
        let follows = self.mode() == Mode::Curves && self.plan.along.is_busy();
        let decides = self.decision.is_busy() || self.mode() == Mode::Answer && self.decision.is_page_busy();
        self.board.is_busy() || self.plan.is_busy() || follows || decides
    }

    fn charts(&self) -> Vec<Chart> {
        self.board().map(|board| charts_of(board, self.mode(), &self.curves())).unwrap_or_default()
    }

    fn picture(&self, scenario: &Scenario, chart: usize, form: Form) -> Option<LazyText> {
        let (board, mode) = (self.board.shown().map(Arc::clone)?, self.mode());
        let along = if mode == Mode::Answer { self.decision.named_charts(&scenario.name) } else { self.curves() };
        // A plan of thousands of boxes is copied where it is drawn.
        let count = match (board.plan(), mode) {
            (Some(_), Mode::Plan) => 2,
            (Some(_), Mode::Run) => 1,
            (Some(_), Mode::Curves | Mode::Answer | Mode::Where) => along.len(),
            (None, _) => board.charts().len() + 1,
        };
        let draw = move || {
            let charts = charts_of(&board, mode, &along);
            charts.get(chart).map(|chart| chart.text(form)).unwrap_or_default()
        };
        (chart < count).then(|| LazyText::new(draw))
    }

    fn reset_layout(&mut self, study: &Study) {
        if let Study::Placement(study) = study {
            let decision = decision::State::with_application_of(&mut self.decision);
            *self = Self { decision, ..Self::new(study) };
        }
    }

    fn report(&self, scenario: &Scenario, format: ReportFormat) -> Option<LazyText> {
        // The other pages are about the query.
        let is_decided = matches!(self.mode(), Mode::Answer | Mode::Where);
        let file = self.decision.application_on_screen().filter(|_| is_decided)?;
        let study = scenario.placement()?.clone();
        Some(LazyText::new(move || {
            let decided: Vec<DecidedWorkload> = file.report(&study).into_iter().collect();
            match format {
                ReportFormat::Html => html(&decided),
                ReportFormat::Markdown => markdown(&decided),
            }
        }))
    }

    fn data_csv(&self, _study: &Study) -> Result<LazyText, String> {
        let shown = self.board.shown().map(Arc::clone);
        let board = shown.ok_or("The placement is not ready; export it when it is on the screen")?;
        if board.plan().is_some() {
            return match self.mode() {
                Mode::Curves => {
                    let csv = self
                        .plan
                        .along
                        .csv()
                        .ok_or("The curves are not ready; export them when they are on the screen")?;
                    Ok(LazyText::new(move || csv.clone()))
                }
                Mode::Run => {
                    Ok(LazyText::new(move || board.plan().map(|plan| plan::run::csv(plan.plan())).unwrap_or_default()))
                }
                Mode::Plan => Ok(LazyText::new(move || text_of(board.study()))),
                Mode::Answer => {
                    let ready = self.decision.data_csv();
                    ready.ok_or_else(|| "The answer is not ready; export it when it is on the screen".to_owned())
                }
                Mode::Where => Err("This step has no chart; show the answer, and export its data".to_owned()),
            };
        }
        let operators: Vec<usize> = (0..board.study().operators.len()).collect();
        Ok(LazyText::new(move || export::placement::curves_csv(board.study(), &operators, board.axis(), board.xs())))
    }
}

/// The side of every operator and its reason, as CSV.
fn text_of(study: &Placement) -> String {
    let whole = decide(&in_shown_engines(study));
    export::placement::recommendations("", study, &evaluate(study), whole.as_ref()).write(Format::Csv)
}
