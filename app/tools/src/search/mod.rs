//! The Search page: finds the best feasible values of numbers and entries of the catalogue.

mod bill;
mod charts;
mod command_line;
mod entered;
mod form;
mod proposal;
mod request;

use crossover_chart::lines::LineChart;
use crossover_chart::theme::Token;
use crossover_chart::{Chart, screen};
use crossover_export::search::{NumberNames, applied, cautions, csv, divided};
use crossover_page::command::{Command, Tool};
use crossover_page::compute::computed::Computed;
use crossover_page::export_menu;
use crossover_page::lazy_text::LazyText;
use crossover_page::offer::{Offer, Offering};
use crossover_page::tool::{PageContext, ToolKind, ToolPage};
use crossover_page::widgets::empty::SamplePicture;
use crossover_page::widgets::{drawer, empty, focus, text_table};
use crossover_quantity::invalid::Invalid;
use crossover_quantity::text::counted;
use crossover_scenario::views::SearchView;
use crossover_scenario::{Kind, Study};
use crossover_study::{Watch, figures};
use crossover_tools::search::{Domain, Objective};
use crossover_tools::titles::title_at;
use crossover_tools::{Search, search};
use egui::{CentralPanel, RichText, ScrollArea, Ui};

use super::influence::{Influence, Ranking};
use super::kept::{self, Kept};
use super::pick::{self, Target};
use super::{sample, sweep};
use proposal::Proposed;
use request::{Answer, SearchRequest};

pub use proposal::Proposal;

/// Finds the best feasible candidate.
pub const TOOL: Tool = Tool {
    title: "Search",
    tooltip: "Find the best feasible configuration, such as the cheapest",
    help: "TOOLS.md#search-for-an-optimum",
};
/// How its page is opened.
pub const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(Page::default()) };

/// What answers the question of the page.
const ANSWER: &str =
    "Search finds the values of the free parameters that meet the constraints and are best for the objectives.";

/// Height of the chart, in points.
const HEIGHT: f32 = 260.0;

/// Free numbers of the picture of the page without a scenario, with their values.
const SAMPLE: [&str; 2] = ["cluster.machines=10..10000:25:log", "gpu.gpu_parallelism=64..1024:5:log"];

/// The picture of the page without a scenario: the trade-off between time and speedup, or the speedup along a free number where one
/// candidate is best for both.
fn picture() -> Option<Chart> {
    let study = sample::study()?;
    let objective = |key: &str, is_minimised| Objective { key: key.to_owned(), is_minimised };
    let request = Search {
        free: SAMPLE.iter().map(|text| sample::range(&study, text)).collect::<Option<_>>()?,
        choices: Vec::new(),
        shared: Vec::new(),
        constraints: Vec::new(),
        objectives: vec![objective("seconds", true), objective(sample::FIGURE, false)],
        seed: 1,
        budget: 200,
    };
    let found = Watch::uncancellable(|watch| search(study.subject(), &request, watch)).ok()??;
    charts::front(&request, &found, &[]).map(Chart::Lines).or_else(sweep::picture)
}

/// The page.
#[derive(Debug)]
pub struct Page {
    /// The document that it is about, by its id.
    picked: Option<String>,
    kept: Kept<SearchView>,
    influence: Influence,
    form: entered::State,
    found: Computed<SearchRequest>,
    /// The chart on the screen.
    drawn: Option<LineChart>,
    /// The picture of the page without a scenario.
    sample: SamplePicture,
    /// The study, and the hardware that the catalogue offers for it.
    offers: Option<(Study, Vec<Offer>)>,
    /// How many proposals were used.
    taken: u64,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            picked: None,
            kept: Kept::default(),
            influence: Influence::default(),
            form: entered::State::default(),
            found: Computed::new(),
            drawn: None,
            sample: SamplePicture::new(picture),
            offers: None,
            taken: 0,
        }
    }
}

impl ToolPage for Page {
    fn tool(&self) -> Tool {
        TOOL
    }

    fn status(&self) -> String {
        match self.found.shown().map(AsRef::as_ref) {
            Some(Ok(answer)) => format!("{} evaluated", counted(answer.found.evaluated as f64, "candidate")),
            Some(Err(_)) | None => "no search".to_owned(),
        }
    }

    fn waits_for(&self) -> Option<&'static str> {
        (self.found.is_busy() || self.influence.is_busy() || self.sample.is_busy())
            .then_some("the candidates of a search")
    }

    fn target(&self) -> Option<&str> {
        self.picked.as_deref()
    }

    fn set_target(&mut self, document: &str) {
        self.picked = Some(document.to_owned());
    }

    fn charts(&self) -> Vec<Chart> {
        self.drawn.iter().cloned().map(Chart::Lines).collect()
    }

    fn data_csv(&self) -> Option<LazyText> {
        let Some(Ok(answer)) = self.found.shown().map(AsRef::as_ref) else { return None };
        let text = csv(&answer.found, None);
        self.drawn.is_some().then(|| LazyText::new(move || text.clone()))
    }

    fn ui(&mut self, ui: &mut Ui, around: &mut PageContext<'_>) {
        self.drawn = None;
        let targets: Vec<Target<'_>> = around.documents.iter().map(Target::new).collect();
        let proposal = self.take_proposal(&targets, around.cache.get());
        let Some(target) = Target::find(&targets, &mut self.picked, around.last) else {
            self.found.forget();
            let missing = "Open a scenario to search its configurations.";
            let texts = ["Which configuration is best?", ANSWER, missing];
            empty::no_scenario(ui, TOOL, texts, &mut self.sample, around.commands);
            return;
        };
        self.sample.forget();
        let study = &target.scenario.study;
        let offerings = around.offering;
        let offering = offerings(study.kind());
        self.learn(study, offering);
        let figures = figures(study.subject());
        let of_document = target.scenario.views.search.as_ref();
        if self.kept.is_of_another(target.id) {
            self.found.forget();
        }
        if self.kept.is_new(target.id, of_document) {
            let form = of_document.map_or_else(entered::State::default, |view| entered::State::kept(view, study));
            self.form = form.filtered_as(std::mem::take(&mut self.form));
        }
        self.influence.refresh(ui.ctx(), study);
        let ranking = self.influence.ranking();
        self.form.begin(&figures);
        let before = self.form.view();
        if let Some(proposal) = proposal {
            self.form = entered::State::proposed(proposal, study);
            self.form.begin(&figures);
        }
        if let Some(id) = pick::scenario(ui, &targets, target, around.commands) {
            self.picked = Some(id);
        }
        drawer::left(ui, "search", ["Search", "search settings"], true, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                // Room for the scroll bar.
                ui.set_max_width(ui.available_width() - 12.0);
                let offers = self.offers.as_ref().map_or(&[][..], |(_, offers)| offers);
                let around_study =
                    entered::Around { study, figures: &figures, offers, shared: &offering.shared(study) };
                form::show(ui, &mut self.form, &around_study, ranking.as_deref(), around.commands);
                ui.add_space(8.0);
                bill::show(ui, target, around.commands);
            });
        });
        CentralPanel::default().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.answer(ui, target, ranking.as_deref(), offerings, around.commands);
            });
        });
        let now = self.form.view();
        if now != before {
            kept::keep(target, around.commands, |views| views.search = Some(now));
        }
    }
}

impl Page {
    /// The search that was proposed since the last one, if its scenario is open; the page is about that scenario then.
    fn take_proposal<'p>(&mut self, targets: &[Target<'_>], proposed: Option<&'p Proposed>) -> Option<&'p Proposal> {
        let Proposed { number, proposal } = proposed.filter(|proposed| proposed.number > self.taken)?;
        self.taken = *number;
        let is_open = targets.iter().any(|target| target.id == proposal.document);
        is_open.then(|| {
            self.picked = Some(proposal.document.clone());
            proposal
        })
    }

    /// Finds what the catalogue offers for another study.
    fn learn(&mut self, study: &Study, offering: &dyn Offering) {
        if self.offers.as_ref().is_none_or(|(of, _)| of != study) {
            let catalogue = crossover_page::catalogue::shipped().unwrap_or_default();
            self.offers = Some((study.clone(), offering.offers(study, &catalogue)));
        }
    }

    /// The recommended candidate, and the alternatives.
    fn answer(
        &mut self,
        ui: &mut Ui,
        target: &Target<'_>,
        ranking: Option<&Ranking>,
        offerings: fn(Kind) -> &'static dyn Offering,
        commands: &mut Vec<Command>,
    ) {
        let study = &target.scenario.study;
        let offering = offerings(study.kind());
        ui.heading("Recommended candidate");
        let offers = self.offers.as_ref().map_or(&[][..], |(_, offers)| offers);
        let around =
            entered::Around { study, figures: &figures(study.subject()), offers, shared: &offering.shared(study) };
        let requested = match self.form.search(&around) {
            Ok(requested) => requested,
            Err(next) => {
                self.found.forget();
                ui.label(ANSWER);
                ui.label(next);
                self.form.first_step(ui, study, ranking);
                return;
            }
        };
        let required = match self.form.required() {
            Ok(required) => required,
            Err(problem) => {
                self.found.forget();
                ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
                return;
            }
        };
        let is_same = |request: &SearchRequest| {
            request.search == requested && request.required == required && request.study == *study
        };
        let request =
            || SearchRequest { study: study.clone(), search: requested.clone(), required, offering: offerings };
        self.found.refresh(ui.ctx(), is_same, request);
        let Some(shown) = self.found.outcome(ui) else { return };
        let Ok(answer) = &*shown else { return };
        let Answer {
            search,
            found,
            likely_feasible,
            sentences,
            no_likelihood,
            samples,
            ranges,
            candidates,
            decisions,
            neighbours,
            ..
        } = answer;
        for sentence in sentences {
            ui.label(sentence);
        }
        if let Some(no_likelihood) = no_likelihood {
            ui.weak(no_likelihood);
        }
        if let Some(divided) = divided(study.subject(), found, NumberNames::Labels) {
            ui.weak(divided);
        }
        for caution in cautions(found, NumberNames::Labels) {
            ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), caution);
        }
        for axis in found.at_ends() {
            let Domain::Number { quantity, .. } = &axis.what else { continue };
            let about = format!("Searches further beyond both ends\n{}", pick::about(quantity, &axis.name));
            if ui.button(format!("Widen the range of {}", quantity.label)).on_hover_text(about).clicked() {
                self.form.widen(&axis.name, quantity);
            }
        }
        if let Some((count, problem)) = &found.not_allowed {
            let candidates = counted(*count as f64, "candidate");
            let are = if *count == 1 { "is" } else { "are" };
            let Invalid { path, problem } = problem;
            let what = title_at(study.subject(), path);
            let text = format!("{candidates} {are} not valid in this scenario; the first: {what}: {problem}");
            ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), text);
        }
        ui.horizontal_wrapped(|ui| {
            let offers = [
                ("Apply recommendation", found.recommended()),
                ("Apply likely feasible candidate", likely_feasible.as_ref()),
            ];
            for (label, of) in offers {
                let Some(of) = of else { continue };
                let changes = applied(study, found, of);
                let about = format!("{changes}. Undo reverts it in one step.");
                let is_clicked = ui.button(label).on_hover_text(about).clicked();
                ui.weak(changes);
                if is_clicked {
                    let mut chosen = study.clone();
                    offering.take(&mut chosen, found, of);
                    commands.push(Command::ChangeStudy { document: target.id.to_owned(), study: Box::new(chosen) });
                }
            }
        });
        if let Some(chart) = charts::front(search, found, ranges) {
            ui.add_space(8.0);
            ui.heading(&chart.title);
            ui.label(&chart.answer);
            export_menu::of_tool(ui, commands, [chart.captions()]);
            _ = screen::lines(ui, "front", &chart, None, HEIGHT);
            self.drawn = Some(chart);
        }
        ui.add_space(8.0);
        ui.heading(if found.front.is_empty() { "Nearest candidate" } else { "Pareto front" });
        let paths: Vec<&str> = found.axes.iter().map(|axis| axis.name.as_str()).collect();
        text_table::show(ui, "candidates", candidates, &paths);
        if !decisions.rows.is_empty() {
            ui.add_space(8.0);
            ui.heading("Decisions");
            text_table::show(ui, "decisions", decisions, &[]);
        }
        if !found.neighbours.is_empty() {
            ui.add_space(8.0);
            ui.heading("Neighbouring candidates");
            text_table::show(ui, "neighbours", neighbours, &[]);
        }
        ui.add_space(6.0);
        let line = command_line::command_line(&self.form, search, required, *samples);
        ui.add(egui::Label::new(RichText::new(&line).monospace().weak()).truncate().show_tooltip_when_elided(false))
            .on_hover_text(line);
    }
}
