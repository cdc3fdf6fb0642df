//! The page: devices, the run and its results, and the list of earlier runs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crossover_chart::Chart;
use crossover_chart::theme::Token;
use crossover_gpu_bench::benchmarks::case::Suite;
use crossover_gpu_bench::gpu::adapter::Description;
use crossover_harness::tool::NOT_OPTIMISED;
use crossover_page::cache::Cache;
use crossover_page::command::{Command, Tool};
use crossover_page::export_menu;
use crossover_page::storage::on_disk::absolute;
use crossover_page::tool::{PageContext, ToolPage};
use crossover_page::widgets::panel::{self, Side};
use crossover_page::widgets::{chart_tabs, drawer, focus};
use crossover_quantity::text::counted;
use egui::{CentralPanel, CollapsingHeader, Context, Id, Modal, Panel, RichText, ScrollArea, Ui};

use super::board::Board;
use super::child::{Child, Message};
use super::device::{Choice, Devices};
use super::run::{self, Run, State};
use super::sweeps;
use super::{
    Answer, Env, Request, TOOL, Target, apply, compare, device, figures, history, results, roof, setup, validation,
};

/// Width below which the list of earlier runs is a drawer that starts closed.
const NARROW: f32 = 1000.0;

/// Notes of a run that are shown unfolded.
const NOTES_AT_ONCE: usize = 2;

/// Time limit for listing the GPUs; a driver may hang.
const LISTING_TIME: Duration = Duration::from_secs(20);

/// The page.
#[derive(Debug)]
pub struct Page {
    /// The program that measures.
    program: PathBuf,
    devices: Devices,
    /// The process that lists the GPUs, and its output so far.
    looking: Option<(Child<String>, String)>,
    choice: Choice,
    run: Option<Run>,
    measuring: Option<Child<run::Line>>,
    history: history::History,
    is_history_open: bool,
    comparison: Option<Box<compare::Comparison>>,
    board: Board,
    table: results::Table,
    apply: Option<apply::Apply>,
    /// A run that is deleted if the user agrees.
    to_delete: Option<PathBuf>,
    /// The run that the last window showed, until it is requested.
    to_show: Option<PathBuf>,
}

impl ToolPage for Page {
    fn tool(&self) -> Tool {
        TOOL
    }

    fn status(&self) -> String {
        match &self.run {
            Some(run) if run.is_going_on() => format!("measuring: {}", run.progress()),
            Some(run) => counted(run.results().len() as f64, "result"),
            None => "no measurement yet".to_owned(),
        }
    }

    fn waits_for(&self) -> Option<&'static str> {
        self.looking.is_some().then_some("the list of GPUs or of measurements")
    }

    fn is_at_work(&self) -> bool {
        self.is_measuring()
    }

    fn is_modal(&self) -> bool {
        self.apply.is_some() || self.to_delete.is_some()
    }

    fn charts(&self) -> Vec<Chart> {
        let has_sections = self.comparison.is_none() && self.run.is_some();
        if has_sections { self.board.charts() } else { Vec::new() }
    }

    fn kept(&self, _: &Cache) -> Option<String> {
        let file = self.to_show.as_deref().or_else(|| self.shown_file())?;
        absolute(file).to_str().map(str::to_owned)
    }

    fn restore(&mut self, kept: &str, _: &mut Cache) -> Result<(), String> {
        let file = PathBuf::from(kept);
        if !file.is_absolute() {
            return Err(format!("expected the whole path of a run, found “{kept}”"));
        }
        self.to_show = Some(file);
        Ok(())
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut PageContext<'_>) {
        if let Some(file) = self.to_show.take().filter(|_| self.run.is_none()) {
            context.commands.push(Command::ask(Request::Show(file)));
        }
        let targets: Vec<Target<'_>> =
            context.documents.iter().filter_map(|document| Target::new(document, context.last)).collect();
        self.draw(ui, &mut Env { targets: &targets, drawn_by: context.drawn_by, commands: context.commands });
    }
}

impl Page {
    /// The page as it is first shown; `program` measures.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            devices: Devices::Listing,
            looking: None,
            choice: Choice { device: None, suite: Suite::Quick },
            run: None,
            measuring: None,
            history: history::History::default(),
            is_history_open: false,
            comparison: None,
            board: Board::default(),
            table: results::Table::default(),
            apply: None,
            to_delete: None,
            to_show: None,
        }
    }

    /// The file of the run on screen; none while it is measured.
    fn shown_file(&self) -> Option<&Path> {
        let run = self.run.as_ref()?;
        match run.state() {
            State::Loaded(path) => Some(path),
            State::Measuring | State::Cancelling => None,
            State::Finished | State::Cancelled | State::Failed(_) => self.history.file_of(run.report()?),
        }
    }

    /// The run on screen.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    /// Whether a process is measuring.
    #[must_use]
    pub fn is_measuring(&self) -> bool {
        self.measuring.is_some()
    }

    /// Starts the process that lists the GPUs; the window's own process never opens one to measure.
    pub fn look_for_devices(&mut self, ctx: &Context) {
        match Child::start(&self.program, &device::list_arguments(), str::to_owned, Some(LISTING_TIME), ctx) {
            Ok(child) => {
                self.devices = Devices::Listing;
                self.looking = Some((child, String::new()));
            }
            Err(error) => self.devices = Devices::Failed(self.cannot_start(&error)),
        }
    }

    /// Starts measuring the chosen device and suite.
    pub fn start(&mut self, ctx: &Context) {
        if self.is_measuring() {
            return;
        }
        self.leave_run();
        self.run = Some(match Child::start(&self.program, &self.choice.arguments(), run::read, None, ctx) {
            Ok(child) => {
                self.measuring = Some(child);
                Run::new()
            }
            Err(error) => Run::failed(self.cannot_start(&error)),
        });
    }

    /// Another run is about to be shown.
    fn leave_run(&mut self) {
        self.comparison = None;
        self.table.of_another_run();
        self.apply = None;
        self.board = Board::default();
    }

    fn cannot_start(&self, error: &std::io::Error) -> String {
        format!("cannot start {}: {error}", self.program.display())
    }

    /// Ends the measurement; results so far stay.
    pub fn cancel(&mut self) {
        if let (Some(child), Some(run)) = (&mut self.measuring, &mut self.run) {
            child.cancel();
            run.cancelling();
        }
    }

    /// Receives the messages of processes; true when a run has ended, so that the folder of runs has changed.
    pub fn receive(&mut self) -> bool {
        self.receive_devices();
        let mut has_ended = false;
        if let (Some(child), Some(run)) = (&self.measuring, &mut self.run) {
            for message in child.messages() {
                has_ended |= matches!(message, Message::Ended(_));
                run.take(message);
            }
        }
        if has_ended {
            self.measuring = None;
        }
        has_ended
    }

    fn receive_devices(&mut self) {
        let Some((child, text)) = &mut self.looking else { return };
        let mut end = None;
        for message in child.messages() {
            match message {
                Message::Line(line) => *text += &line,
                Message::Ended(ending) => end = Some(ending),
            }
        }
        let Some(ending) = end else { return };
        let parsed: Result<Vec<Description>, String> = if ending.is_success {
            serde_json::from_str(text)
                .map_err(|error| format!("the output of the measuring process is not valid: {error}"))
        } else if ending.is_killed {
            Err(format!("a driver did not respond within {} s", LISTING_TIME.as_secs()))
        } else {
            Err(format!("the measuring process failed ({})", ending.words))
        };
        self.looking = None;
        self.devices = match parsed {
            Ok(devices) => Devices::Found(devices),
            Err(reason) => Devices::Failed(reason),
        };
        self.choice.device = if self.devices.found().is_empty() { None } else { Some(0) };
    }

    /// Takes the result of reading the folder of runs; returns a problem for the user.
    pub fn take(&mut self, answer: Answer) -> Option<String> {
        match answer {
            Answer::Listed(listed) => self.history.listed(listed),
            // A running measurement stays on the page; a result requested before it started is dropped.
            Answer::Opened(..) | Answer::Compared(_) if self.is_measuring() => {}
            Answer::Opened(path, Ok(report)) => {
                self.leave_run();
                self.run = Some(Run::loaded(path, *report));
            }
            Answer::Compared(Ok(comparison)) => self.comparison = Some(comparison),
            Answer::Opened(_, Err(problem)) | Answer::Compared(Err(problem)) => return Some(problem),
        }
        None
    }

    /// Draws the page.
    fn draw(&mut self, ui: &mut Ui, env: &mut Env<'_>) {
        if let Some(run) = &self.run {
            self.board.refresh(run);
            if run.is_going_on() {
                // The next whole second.
                let past = Duration::from_nanos(run.elapsed().subsec_nanos().into());
                ui.ctx().request_repaint_after(Duration::from_secs(1).saturating_sub(past));
            }
        }
        let is_narrow = ui.available_width() < NARROW;
        self.strip(ui, is_narrow, env);
        let has_results = self.comparison.is_none() && self.run.as_ref().is_some_and(|run| !run.results().is_empty());
        let below = has_results.then(|| {
            let height = if is_narrow { 170.0 } else { 220.0 };
            drawer::below(ui, "measurements", "All measurements", [90.0, height])
        });
        if !is_narrow || self.is_history_open {
            self.history_panel(ui, env);
        }
        CentralPanel::default_margins().show(ui, |ui| {
            if let Some(comparison) = &mut self.comparison {
                if compare::show(ui, comparison) {
                    self.comparison = None;
                }
            } else if self.run.is_some() {
                ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                    focus::follow(ui);
                    self.sections(ui, env.commands);
                });
            } else {
                ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                    setup::first_visit(ui, &self.devices, &mut self.choice, env);
                });
            }
        });
        if let (Some(below), Some(run)) = (below, &self.run) {
            below.show(ui, |ui| results::show(ui, run, &mut self.table));
        }
        self.questions(ui.ctx(), env);
    }

    /// The strip on top: the progress of the measurement, or the choice of the next one.
    fn strip(&mut self, ui: &mut Ui, is_narrow: bool, env: &mut Env<'_>) {
        if self.run.is_none() && !is_narrow {
            return;
        }
        Panel::top("calibrate").resizable(false).show(ui, |ui| {
            ui.add_space(4.0);
            match &self.run {
                Some(run) if run.is_going_on() => {
                    ui.horizontal(|ui| {
                        if is_narrow {
                            ui.toggle_value(&mut self.is_history_open, "Earlier runs");
                        }
                        setup::progress(ui, run, env);
                    });
                }
                run => {
                    ui.horizontal_wrapped(|ui| {
                        if is_narrow {
                            ui.toggle_value(&mut self.is_history_open, "Earlier runs");
                        }
                        let Some(run) = run else { return };
                        setup::pickers(ui, &self.devices, &mut self.choice, env);
                        let calibration = run.report().and_then(|report| report.calibration.as_ref());
                        let button = egui::Button::new("Apply to scenario…");
                        let button = ui.add_enabled(calibration.is_some(), button);
                        if button.on_disabled_hover_text("This run has no calibration").clicked() {
                            self.apply = Some(apply::Apply::new(env.targets));
                        }
                    });
                    if run.is_some() {
                        setup::warnings(ui, &self.devices, self.choice, env);
                    }
                }
            }
            ui.add_space(4.0);
        });
    }

    fn history_panel(&mut self, ui: &mut Ui, env: &mut Env<'_>) {
        let shown = self.run.as_ref().and_then(|run| match run.state() {
            State::Loaded(path) => Some(path.clone()),
            _ => None,
        });
        panel::show(ui, (Side::Left, "runs"), 248.0, 200.0..=400.0, |ui| {
            let unwanted = history::show(ui, &mut self.history, shown.as_deref(), env);
            if unwanted.is_some() {
                self.to_delete = unwanted;
            }
        });
    }

    /// The results of the run, section by section.
    fn sections(&self, ui: &mut Ui, commands: &mut Vec<Command>) {
        let Some(run) = &self.run else { return };
        heading(ui, run);
        export_menu::of_tool(ui, commands, self.board.captions());
        ui.add_space(6.0);
        let calibration = run.report().and_then(|report| report.calibration.as_ref());
        let validation = calibration.and_then(|calibration| calibration.validation.as_ref());
        let validation = validation.filter(|validation| !validation.points.is_empty());
        let [operators, speedup, roofline, validated] = ["Operators", "Speedup", "Roofline", "Validation"];
        let parts = [
            (operators, true),
            (speedup, self.board.speedups.is_some()),
            (roofline, self.board.roof.is_some()),
            (validated, validation.is_some()),
        ];
        let drawn = chart_tabs::choose_of(ui, "calibrate", &parts);
        if drawn.has(operators) {
            sweeps::show(ui, &self.board.sweeps, run.is_going_on());
        }
        if let Some(speedups) = self.board.speedups.as_ref().filter(|_| drawn.has(speedup)) {
            ui.add_space(6.0);
            speedups.show(ui);
        }
        if let Some(chart) = self.board.roof.as_ref().filter(|_| drawn.has(roofline)) {
            ui.add_space(10.0);
            roof::show(ui, chart);
        }
        if let Some(validation) = validation.filter(|_| drawn.has(validated)) {
            ui.add_space(10.0);
            validation::show(ui, validation);
        }
        if let Some(calibration) = calibration.filter(|calibration| figures::has_any(calibration)) {
            ui.add_space(10.0);
            figures::show(ui, calibration);
        }
        ui.add_space(8.0);
    }

    fn questions(&mut self, ctx: &Context, env: &mut Env<'_>) {
        if let (Some(apply), Some(calibration)) =
            (&mut self.apply, self.run.as_ref().and_then(|run| run.report()?.calibration.as_ref()))
            && !apply::show(ctx, apply, calibration, env)
        {
            self.apply = None;
        }
        if let Some(path) = self.to_delete.clone() {
            let (mut delete, mut keep) = (false, false);
            let modal = Modal::new(Id::unique("delete run")).show(ctx, |ui| {
                ui.set_width(420.0);
                ui.heading("Delete this run?");
                ui.label(format!(
                    "{} will be deleted permanently. Scenarios keep the figures that you applied.",
                    path.display()
                ));
                ui.add_space(8.0);
                ui.horizontal(|ui| {
                    delete = ui.button("Delete the run").clicked();
                    keep = ui.button("Keep it").clicked();
                });
            });
            if delete {
                env.commands.push(Command::ask(Request::Delete(path)));
            }
            if delete || keep || modal.should_close() {
                self.to_delete = None;
            }
        }
    }
}

/// Device, time, outcome and notes of a run.
fn heading(ui: &mut Ui, run: &Run) {
    let dark = ui.visuals().dark_mode;
    if let Some(report) = run.report() {
        ui.horizontal_wrapped(|ui| {
            ui.heading(run::device(report));
            if run.is_software() {
                ui.colored_label(Token::Warning.color(dark), "software");
            }
            ui.weak(format!("{} suite · {} UTC · {}", report.suite, run::when(report), report.host.cpu));
        });
    }
    let took = setup::clock(run.elapsed());
    match run.state() {
        State::Measuring | State::Cancelling => {}
        State::Finished => {
            ui.horizontal(|ui| {
                ui.label(format!("Finished: {}.", run.outcome()));
                ui.weak(format!("Duration: {took}."));
            });
        }
        State::Cancelled => {
            ui.colored_label(
                Token::Warning.color(dark),
                format!("Cancelled. Results so far are kept: {}.", run.outcome()),
            );
        }
        State::Failed(reason) => drop(ui.colored_label(Token::Error.color(dark), reason)),
        State::Loaded(path) => drop(ui.weak(format!("from {}", path.display()))),
    }
    let Some(report) = run.report() else { return };
    if !report.tool.optimised {
        ui.colored_label(Token::Warning.color(dark), format!("The measuring program was {NOT_OPTIMISED}."));
    }
    let note = |ui: &mut Ui, note: &String| {
        ui.colored_label(Token::Warning.color(dark), format!("Note: {}.", note.trim_end_matches('.')));
    };
    // Several notes would hide the figures.
    let at_once = if report.notes.len() > NOTES_AT_ONCE { 1 } else { report.notes.len() };
    let (first, others) = report.notes.split_at(at_once);
    for text in first {
        note(ui, text);
    }
    if !others.is_empty() {
        let title = RichText::new(format!("{} more notes", others.len())).color(Token::Warning.color(dark));
        CollapsingHeader::new(title).id_salt("notes").show(ui, |ui| others.iter().for_each(|text| note(ui, text)));
    }
}
