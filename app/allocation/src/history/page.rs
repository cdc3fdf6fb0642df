//! The page of histories: files and policies, waits as a chart, a table of the record and each policy, and the error of the replay.

use std::path::Path;
use std::sync::Arc;

use crossover_allocation::{HistoryOptions, Policy};
use crossover_chart::bars::BarChart;
use crossover_chart::theme::Token;
use crossover_chart::{Chart, screen};
use crossover_export::allocation::history::{HistoryFormat, HistoryResults, LEFT_OUT, QUESTION};
use crossover_page::ask::Ask;
use crossover_page::cache::Cache;
use crossover_page::command::{Command, Tool};
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_page::export_menu;
use crossover_page::services::name_of;
use crossover_page::storage::kept;
use crossover_page::tool::{PageContext, ToolPage};
use crossover_page::widgets::copied::copy;
use crossover_page::widgets::empty::{Sample, SamplePicture};
use crossover_page::widgets::{drawer, focus, text_table};
use crossover_quantity::text::counted;
use egui::{CentralPanel, DragValue, RichText, ScrollArea, Ui};

use super::jobs::{RecordedJobs, ReplayedJobs};
use super::kept::{KeptReplay, ReplaySettings};
use super::sample::SampleJobs;
use super::{Export, ExportForm, HistoryFiles, OpenedHistory, Request, TOOL, chart, sample};

/// Commands that write both files.
const EXAMPLE: &str =
    "sacct --allusers --duplicates --starttime now-30days --json > sacct.json\nscontrol show node > nodes.txt";

/// The inputs of the replays.
#[derive(Debug, Clone)]
struct Replaying {
    files: HistoryFiles,
    options: HistoryOptions,
}

impl Work for Replaying {
    type Outcome = Result<Arc<ReplayedJobs>, String>;
    const NAME: &'static str = "replay";
    const AGAIN: &'static str = "Replay";

    fn milliseconds(&self) -> f64 {
        // Reading files never fits in a frame.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        let policies = counted(self.options.policies.len() as f64, "policy");
        format!("Replaying {} under {policies}", name_of(&self.files.jobs))
    }

    fn compute(&self, _: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let jobs = match RecordedJobs::read(self.files.nodes.as_deref(), &self.files.jobs) {
            Ok(jobs) => jobs,
            Err(why) => return Some(Err(format!("{why:#}"))),
        };
        let replayed = watched(ticket, jobs.arrivals(&self.options), |watch| jobs.replay(&self.options, watch))?;
        Some(replayed.map(Arc::new).map_err(|why| {
            // They say which jobs were left out.
            let notes: Vec<String> = std::iter::once(format!("{why:#}")).chain(jobs.messages()).collect();
            notes.join("\n")
        }))
    }
}

/// The page.
#[derive(Debug)]
pub(super) struct Page {
    settings: ReplaySettings,
    replayed: Computed<Replaying>,
    /// The chart on the screen.
    drawn: Option<BarChart>,
    /// The picture of the page without jobs.
    sample: SamplePicture,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            settings: ReplaySettings::default(),
            replayed: Computed::new(),
            drawn: None,
            sample: SamplePicture::new(sample::picture),
        }
    }
}

impl ToolPage for Page {
    fn tool(&self) -> Tool {
        TOOL
    }

    fn status(&self) -> String {
        match self.replayed.shown().map(AsRef::as_ref) {
            _ if self.replayed.is_busy() => "replaying".to_owned(),
            Some(Ok(replayed)) => format!("replayed {}", counted(replayed.history.tasks as f64, "job")),
            Some(Err(_)) => "the jobs cannot be replayed".to_owned(),
            None => "no jobs opened".to_owned(),
        }
    }

    fn waits_for(&self) -> Option<&'static str> {
        (self.replayed.is_busy() || self.sample.is_busy()).then_some(Replaying::NAME)
    }

    fn is_at_work(&self) -> bool {
        self.replayed.is_busy()
    }

    fn cancel_prompt(&self) -> [&'static str; 4] {
        ["Cancel the replay?", "Closing discards its results.", "Cancel and close", "Keep replaying"]
    }

    fn charts(&self) -> Vec<Chart> {
        self.drawn.iter().cloned().map(Chart::Bars).collect()
    }

    fn kept(&self, cache: &Cache) -> Option<String> {
        let files = cache.get::<OpenedHistory>().and_then(|opened| opened.0.as_ref());
        let is_sample =
            |files: &HistoryFiles| cache.get::<SampleJobs>().is_some_and(|sample| sample.jobs() == files.jobs);
        kept::write(&KeptReplay::new(files.filter(|files| !is_sample(files)), self.settings.clone()))
    }

    fn restore(&mut self, kept: &str, cache: &mut Cache) -> Result<(), String> {
        let kept = kept::read::<KeptReplay>(kept)?;
        // What the user has opened meanwhile stays.
        if cache.get::<OpenedHistory>().is_none_or(|opened| opened.0.is_none()) {
            cache.put(OpenedHistory(kept.files()));
        }
        self.settings = kept.settings;
        Ok(())
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut PageContext<'_>) {
        self.drawn = None;
        let Some(files) = context.cache.get::<OpenedHistory>().and_then(|opened| opened.0.clone()) else {
            CentralPanel::default_margins().show(ui, |ui| {
                ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                    focus::follow(ui);
                    first_visit(ui, &mut self.sample, context.commands);
                });
            });
            return;
        };
        self.sample.forget();
        drawer::left(ui, Replaying::NAME, ["Jobs and policies", "jobs and policies"], true, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                show_files(ui, &files, context.commands);
                self.choose(ui);
            });
        });
        let ReplaySettings { policies, preempts, seed, .. } = self.settings.clone();
        let options = HistoryOptions { policies, seed, preempts };
        let is_same = |replaying: &Replaying| replaying.files == files && replaying.options == options;
        self.replayed.refresh(ui.ctx(), is_same, || Replaying { files: files.clone(), options: options.clone() });
        CentralPanel::default_margins().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.answer(ui, context.commands);
            });
        });
    }
}

impl Page {
    /// Policies, preemption, seed and price.
    fn choose(&mut self, ui: &mut Ui) {
        ui.add_space(8.0);
        ui.heading("Policies");
        for policy in Policy::ALL {
            let mut is_replayed = self.settings.policies.contains(&policy);
            if ui.checkbox(&mut is_replayed, policy.label()).on_hover_text(policy.meaning()).changed() {
                let is_chosen = |known: &Policy| {
                    if *known == policy { is_replayed } else { self.settings.policies.contains(known) }
                };
                self.settings.policies = Policy::ALL.into_iter().filter(is_chosen).collect();
            }
        }
        ui.checkbox(&mut self.settings.preempts, "Latency-sensitive jobs preempt")
            .on_hover_text("srun and salloc preempt others if they fit no node, under all policies but vCUDA");
        ui.add_space(8.0);
        ui.heading("Price and seed");
        ui.horizontal(|ui| {
            let label = ui.label("US dollars per GPU hour").on_hover_text("0: costs are not shown");
            let price =
                DragValue::new(&mut self.settings.usd_per_gpu_hour).range(0.0..=1e6).speed(0.05).max_decimals(4);
            ui.add(price).labelled_by(label.id);
        });
        ui.horizontal(|ui| {
            let seed = "Seed of the order of nodes that the policy ranks equally, and of random choices";
            let label = ui.label("seed").on_hover_text(seed);
            ui.add(DragValue::new(&mut self.settings.seed).range(0..=1_000_000)).labelled_by(label.id);
        });
    }

    fn price(&self) -> Option<f64> {
        Some(self.settings.usd_per_gpu_hour).filter(|price| *price > 0.0)
    }

    /// Chart, table, error of the replay, and what it leaves out.
    fn answer(&mut self, ui: &mut Ui, commands: &mut Vec<Command>) {
        let Some(shown) = self.replayed.outcome(ui) else { return };
        let Ok(replayed) = &*shown else { return };
        let dark = ui.visuals().dark_mode;
        let results = replayed.results(self.price());
        let chart = chart::waits(&results);
        ui.horizontal_wrapped(|ui| {
            ui.heading(&chart.title);
            export_menu::of_tool(ui, commands, [[chart.title.as_str(), chart.subtitle.as_str()]]);
        });
        ui.weak(format!("p95 wait, then the median; {}", chart.subtitle));
        screen::bars(ui, &chart);
        ui.label(&chart.answer);
        self.drawn = Some(chart);
        for warning in results.warnings() {
            ui.colored_label(Token::Warning.color(dark), warning);
        }
        ui.add_space(8.0);
        ui.horizontal_wrapped(|ui| {
            ui.heading(QUESTION);
            self.exports(ui, replayed, commands);
        });
        text_table::show(ui, "policies", &results.table(), &[]);
        ui.weak(results.footnote());
        ui.add_space(8.0);
        ui.heading("How accurate is the replay?");
        ui.label(results.error());
        left_out(ui, &results);
    }

    fn exports(&self, ui: &mut Ui, replayed: &Arc<ReplayedJobs>, commands: &mut Vec<Command>) {
        let usd_per_gpu_hour = self.price();
        if ui.button("Copy as CSV").on_hover_text("The record and each policy, for a spreadsheet").clicked() {
            let text = replayed.results(usd_per_gpu_hour).write(HistoryFormat::Csv);
            copy(ui, commands, text, "the record and each policy as CSV");
        }
        ui.menu_button("Export results", |ui| {
            for form in ExportForm::ALL {
                let export = Request::Export(Export { replayed: Arc::clone(replayed), usd_per_gpu_hour, form });
                push(ui, export, commands);
            }
        });
    }
}

/// A button that sends a request.
fn push(ui: &mut Ui, request: Request, commands: &mut Vec<Command>) {
    if ui.button(request.text()).on_hover_text(request.tooltip()).clicked() {
        commands.push(Command::ask(request));
    }
}

/// The files, and how to change them.
fn show_files(ui: &mut Ui, files: &HistoryFiles, commands: &mut Vec<Command>) {
    let named = |ui: &mut Ui, file: &Path| {
        ui.label(name_of(file)).on_hover_text(file.display().to_string());
    };
    ui.heading("Recorded jobs");
    named(ui, &files.jobs);
    ui.horizontal_wrapped(|ui| {
        push(ui, Request::PickJobs, commands);
        if ui.button("Read again").on_hover_text("Reads jobs and nodes again").clicked() {
            commands.push(Command::ask(Request::UseJobs(files.jobs.clone())));
        }
    });
    ui.add_space(8.0);
    ui.heading("Nodes");
    match &files.nodes {
        Some(nodes) => named(ui, nodes),
        None => drop(ui.label("Assumed: each has the most GPUs, cores and memory that its jobs used at once")),
    }
    ui.horizontal_wrapped(|ui| {
        push(ui, Request::PickNodes, commands);
        if files.nodes.is_some() {
            push(ui, Request::WithoutNodes, commands);
        }
    });
}

/// What to do without recorded jobs.
fn first_visit(ui: &mut Ui, sample: &mut SamplePicture, commands: &mut Vec<Command>) {
    ui.heading(QUESTION);
    ui.label(
        "The recorded jobs of a Slurm cluster are replayed under each policy, at their recorded arrivals and run times. Waits, GPU \
         hours, SLO violations and costs are shown beside those recorded.",
    );
    ui.add_space(8.0);
    push(ui, Request::PickJobs, commands);
    ui.add_space(8.0);
    let open = [Command::ask(Request::UseSample)];
    Sample { page: TOOL.title, name: sample::NAME, open: &open }.show(ui, sample, commands);
    ui.add_space(12.0);
    ui.label("These commands write the jobs of the last month, and the nodes of the cluster:");
    ui.label(RichText::new(EXAMPLE).monospace());
    if ui.button("Copy these lines").clicked() {
        copy(ui, commands, EXAMPLE.to_owned(), "the commands for jobs and nodes");
    }
}

/// Jobs that are not compared, and what the replay leaves out.
fn left_out(ui: &mut Ui, results: &HistoryResults<'_>) {
    ui.add_space(8.0);
    ui.heading("What is left out?");
    let not_compared = results.not_compared();
    if !not_compared.is_empty() {
        ui.label(format!("Not compared: {not_compared}"));
    }
    for note in results.notes.iter().cloned().chain(results.unread.sentences()) {
        ui.weak(format!("Note: {note}"));
    }
    for sentence in LEFT_OUT {
        ui.weak(sentence);
    }
}
