//! The one place where commands are carried out.

use crossover_chart::Form;
use crossover_export::Format;
use crossover_export::about::QueryOfApplication;
use crossover_export::report::ReportFormat;
use crossover_page::ask::Request;
use crossover_page::command::{Command, Picture};
use crossover_page::document::Document;
use crossover_page::examples::Template;
use crossover_page::lazy_text::LazyText;
use crossover_page::titles;
use crossover_quantity::spread::Spread;
use crossover_scenario::{Kind, Scenario, Study};
use crossover_study::Watch;
use crossover_study::sources::set_numbers;
use crossover_tool_pages::report;
use crossover_tools::{Sampling, UncertaintyError};

use super::documents::{self, Place};
use super::help::Help;
use super::links::PastedLink;
use super::palette::Palette;
use super::purpose::Purpose;
use super::typed_path::TypedPath;
use super::{Workbench, prompts};
use crate::jobs::Content;
use crate::kinds;

/// Size of an exported picture, in points.
const PICTURE_SIZE: [f32; 2] = [960.0, 600.0];
/// Pixels per point of an exported PNG.
const PICTURE_SCALE: f32 = 2.0;
/// Why there is nothing to export.
const NO_CHART: &str = "This page has no chart to export now";

impl Workbench {
    /// Carries out a command.
    pub(super) fn handle(&mut self, ctx: &egui::Context, command: Command) {
        match command {
            Command::New(template) => self.new_document(template),
            Command::Open => self.ask(Purpose::Open, "Open a scenario", "ron", String::new()),
            Command::TypeOpenPath => self.typed_path = Some(TypedPath::new(Purpose::Open, "ron", String::new())),
            Command::TypeSavePath => self.type_save_path(),
            Command::OpenLink => self.pasted_link = Some(PastedLink::default()),
            Command::OpenPath(path) => self.jobs.open(path),
            Command::OpenExample(example) => _ = self.open_example(example.label, example.text),
            Command::Save => self.for_active(Self::save),
            Command::SaveAs => self.for_active(Self::save_as),
            Command::SaveTo(path) => self.for_active(|workbench, id| workbench.save_to(id, path, false)),
            Command::CloseTab => self.close_tab(self.active),
            Command::CloseTabAt(index) => self.close_tab(index),
            Command::CloseOtherTabs => self.close_others(self.active),
            Command::CloseTabsExcept(index) => self.close_others(index),
            Command::ReopenClosed => self.reopen_closed(ctx),
            Command::SelectTab(index) => self.show_tab(index),
            Command::MoveTab { from, to } => self.move_tab(from, to),
            Command::MoveTabLeft => self.move_tab(self.active, self.active.saturating_sub(1)),
            Command::MoveTabRight => self.move_tab(self.active, self.active + 1),
            Command::ListTabs => self.palette = Some(Palette::of_tabs()),
            Command::NextTab => self.step_tab(1),
            Command::PreviousTab => self.step_tab((self.documents.len() + self.tools.len()).saturating_sub(1)),
            Command::ShowTool(tool) => self.show_tool(ctx, tool),
            Command::Ask(request) => self.carry_out(ctx, &request),
            Command::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            Command::Undo => self.with_active(Document::undo),
            Command::Redo => self.with_active(Document::redo),
            Command::SetNumbers { document, numbers } => {
                self.with_services(|services| {
                    services.edit(&document, |study| _ = set_numbers(study.subject_mut(), &numbers));
                });
            }
            Command::ResetField(path) => self.reset_field(&path),
            Command::ChangeStudy { document, study } => {
                self.with_services(|services| services.edit(&document, |before| *before = *study));
            }
            Command::SetSpread { document, path, spread } => {
                self.with_services(|services| services.edit(&document, |study| set_spread(study, path, spread)));
            }
            Command::SetViews { document, views } => {
                if let Some(document) = self.documents.iter_mut().find(|open| open.id == document) {
                    document.set_views(&views);
                }
            }
            Command::Copy(format) => {
                if let Some(made) = self.active().map(|document| results(document, format)) {
                    self.jobs.copy(made, format!("the results as {}", format.label()));
                }
            }
            Command::CopyLink => self.copy_link(),
            Command::Export(format) => {
                let made = self.active().map(|document| results(document, format));
                self.export_of(Document::title, "results", format.extension(), made.map(Content::Text));
            }
            Command::ExportReport(format) => {
                let made = self.active().map(|document| report_of(document, format));
                self.export("report", format.extension(), made.map(Content::Text));
            }
            Command::ExportData => self.export_data(),
            Command::ExportChart { chart, picture } => self.export_chart(chart, picture),
            Command::Theme(choice) => {
                self.settings.theme = choice;
                ctx.set_theme(choice.preference());
            }
            Command::Density(density) => {
                self.settings.density = density;
                crate::appearance::set_density(ctx, density);
            }
            Command::ZoomIn => egui::gui_zoom::zoom_in(ctx),
            Command::ZoomOut => egui::gui_zoom::zoom_out(ctx),
            Command::ZoomReset => ctx.set_zoom_factor(1.0),
            Command::ToggleInspector => self.settings.inspector_open = !self.settings.inspector_open,
            Command::ShowStart => self.show_start(),
            Command::CloseStart => self.settings.start_open = false,
            Command::ResetLayout => self.reset_layout(ctx),
            Command::Palette => self.palette = Some(Palette::of_commands()),
            Command::ShowShortcuts => self.page = Some(prompts::Page::Shortcuts),
            Command::ShowHelp => {
                let kind = self.active().map_or(Kind::Placement, |document| document.scenario.study.kind());
                self.show_help(&documents::formulas(kind.key()));
            }
            Command::HelpOnPage => self.show_help(&Place::named(self.help_on_page())),
            Command::TakeTour(kind) => self.take_tour(kind),
            Command::ShowAbout => self.page = Some(prompts::Page::About),
            Command::Notify(text) => self.notify(text),
        }
    }

    fn show_help(&mut self, place: &Place) {
        self.page = Some(prompts::Page::Documents(Box::new(Help::at(place))));
    }

    /// The section of the help about what is on screen.
    fn help_on_page(&self) -> &'static str {
        match (self.active(), self.active_tool()) {
            (Some(document), _) => document.view.help(),
            (None, Some(page)) => page.tool().help,
            (None, None) => "WORKBENCH.md#open",
        }
    }

    /// Carries out a request through the kind of study or tool that made it.
    fn carry_out(&mut self, ctx: &egui::Context, request: &Request) {
        if let Some(request) = request.of() {
            return self.calibrate_request(ctx, request);
        }
        if !self.with_services(|services| kinds::carry_out(request, services)) {
            self.notify_error(format!("“{}” has no handler; this is a defect in Crossover: report it", request.text()));
        }
    }

    fn with_active(&mut self, edit: impl FnOnce(&mut Document)) {
        if let Some(document) = self.documents.get_mut(self.active) {
            edit(document);
        }
    }

    fn new_document(&mut self, template: Template) {
        let name = titles::unused(&Command::New(template).text(), &self.documents);
        match crossover_scenario::read(template.example.text) {
            Ok(template) => {
                let scenario = Scenario { name, notes: String::new(), ..template };
                self.add(|id| Document::new(kinds::page, id, None, scenario).without_file("new, not saved"));
            }
            Err(error) => self.notify_error(format!("Cannot read the template of a new scenario: {error}")),
        }
    }

    /// The id of the document on screen, or of that which the tool on screen is about.
    pub(super) fn document_in_front(&self) -> Option<&str> {
        let of_tool = || self.document(self.active_tool()?.target()?);
        self.active().or_else(of_tool).map(|document| document.id.as_str())
    }

    /// Acts on the document in front.
    fn for_active(&mut self, act: impl FnOnce(&mut Self, &str)) {
        if let Some(id) = self.document_in_front().map(str::to_owned) {
            act(self, &id);
        }
    }

    fn step_tab(&mut self, by: usize) {
        let count = self.documents.len() + self.tools.len();
        if count > 0 {
            self.show_tab((self.active + by) % count);
        }
    }

    fn reset_field(&mut self, path: &str) {
        let Some(document) = self.documents.get_mut(self.active) else { return };
        match document
            .saved()
            .map(|saved| kinds::module(document.scenario.study.kind()).reset(&document.scenario, saved, path))
        {
            Some(Some(reset)) => *document.scenario = reset,
            Some(None) => {
                self.notify(
                    "Not reset: the saved scenario lacks this field, or its value is not valid with the current ones",
                );
            }
            None => self.notify("This scenario has no saved value to reset to; save it first"),
        }
    }

    /// Asks where to write what a page or a tool shows.
    fn export(&mut self, what: &str, extension: &'static str, content: Option<Content>) {
        // A tool is about the scenario.
        let title: fn(&Document) -> String = if self.active_tool().is_some() { Document::title } else { title_of_page };
        self.export_of(title, what, extension, content);
    }

    /// Asks where to write content; `title`: what of the document it is about.
    fn export_of(
        &mut self,
        title: fn(&Document) -> String,
        what: &str,
        extension: &'static str,
        content: Option<Content>,
    ) {
        let Some(content) = content else { return };
        let document = self.document_in_front().and_then(|id| self.document(id)).map(title);
        let tool = self.active_tool().map(|page| page.tool().title.to_lowercase());
        let name: Vec<String> = document.into_iter().chain(tool).map(|title| file_name(&title)).collect();
        self.ask(Purpose::Export(content), "Export", extension, format!("{}-{what}.{extension}", name.join("-")));
    }

    fn export_data(&mut self) {
        let data = match (self.active(), self.active_tool()) {
            (Some(document), _) => document.view.data_csv(&document.scenario.study),
            (None, Some(page)) => page.data_csv().ok_or_else(|| NO_CHART.to_owned()),
            (None, None) => return,
        };
        match data {
            Ok(made) => self.export("data", "csv", Some(Content::Text(made))),
            Err(why) => self.notify(why),
        }
    }

    fn export_chart(&mut self, chart: usize, picture: Picture) {
        let form = if picture == Picture::VegaLite { Form::VegaLite } else { Form::Svg(PICTURE_SIZE) };
        let drawn = match (self.active(), self.active_tool()) {
            (Some(document), _) => document.view.picture(&document.scenario, chart, form),
            (None, Some(page)) => {
                let chart = page.charts().into_iter().nth(chart);
                chart.map(|chart| LazyText::new(move || chart.text(form)))
            }
            (None, None) => return,
        };
        if drawn.is_none() {
            return self.notify(NO_CHART);
        }
        let content = drawn.map(|text| match picture {
            Picture::Svg | Picture::VegaLite => Content::Text(text),
            Picture::Png => Content::Png { svg: text, scale: PICTURE_SCALE },
        });
        let kind = if picture == Picture::VegaLite { ".vl" } else { "" };
        self.export(&format!("chart-{}{kind}", chart + 1), picture.extension(), content);
    }

    fn reset_layout(&mut self, ctx: &egui::Context) {
        ctx.memory_mut(egui::Memory::reset_areas);
        ctx.data_mut(egui::util::IdTypeMap::clear);
        ctx.set_zoom_factor(1.0);
        ctx.set_theme(self.settings.theme.preference());
        self.settings.inspector_open = true;
        self.settings.start_open = true;
        for document in &mut self.documents {
            document.view.reset_layout(&document.scenario.study);
        }
        for tool in &mut self.tools {
            tool.reset_layout();
        }
    }
}

/// A title as a file name: no separators, not hidden, not empty.
pub(super) fn file_name(title: &str) -> String {
    let clean: String =
        title.chars().map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { '-' } else { c }).collect();
    let clean = clean.trim().trim_start_matches('.').to_owned();
    if clean.is_empty() { "scenario".to_owned() } else { clean }
}

/// What the page of a document is about, if its exports are about that, too; else the title of the document.
fn title_of_page(document: &Document) -> String {
    let (view, scenario) = (&document.view, &document.scenario);
    // Pages on which the application is decided have a report on it; the others are about its query.
    let is_about_subject = view.report(scenario, ReportFormat::Markdown).is_some();
    let subject = view.subject(&scenario.study).filter(|_| is_about_subject);
    subject.map_or_else(|| document.title(), str::to_owned)
}

/// The outcome of a document as text: computed on demand, unless the page has it.
fn results(document: &Document, format: Format) -> LazyText {
    document.view.results(&document.scenario, format).unwrap_or_else(|| {
        let (module, scenario) = (kinds::module(document.scenario.study.kind()), document.scenario.clone());
        LazyText::fallible(move || {
            let written = module.write(&scenario, format).map_err(|problem| format!("{problem:#}"))?;
            Ok(written.text)
        })
    })
}

/// A report on a document, computed on demand: that of what its page is about, if that is more than the query of the scenario.
fn report_of(document: &Document, format: ReportFormat) -> LazyText {
    if let Some(report) = document.view.report(&document.scenario, format) {
        return report;
    }
    let file =
        document.path.as_deref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    let file = file.unwrap_or_else(|| format!("{}.ron", file_name(&document.title())));
    let scenario = document.scenario.clone();
    LazyText::in_rounds(move |earlier| {
        let alone: &[&str] = if QueryOfApplication::of(&scenario.study).is_some() { &["--query"] } else { &[] };
        let typed = [alone, &["--format", format.key()][..]].concat();
        let findings = kinds::module(scenario.study.kind()).findings(&scenario);
        let findings = findings.map_err(|problem| format!("{problem:#}"))?;
        let (all, mut rounds) = (report::SAMPLES, report::Rounds::default());
        let mut written = |samples: usize| -> Result<String, UncertaintyError> {
            let found = Watch::uncancellable(|watch| {
                let every = Sampling { samples: all, ..Sampling::default() };
                rounds.round(&scenario, &every, samples, watch)
            })?;
            let Some(found) = found else { return Ok(String::new()) };
            let sampling = Sampling { samples: if samples == 0 { all } else { samples }, ..Sampling::default() };
            let command = report::command(&file, &sampling, &typed);
            let request = report::ReportRequest { sampling, command, application: None };
            let report =
                Watch::uncancellable(|watch| report::written(&scenario, findings.clone(), &request, &found, watch))?;
            Ok(report.map(|report| report.write(format)).unwrap_or_default())
        };
        // The file has a first report at once.
        for samples in report::Rounds::sizes(&scenario, all).into_iter().filter(|samples| *samples < all) {
            earlier(written(samples).map_err(|problem| problem.to_string())?);
        }
        written(all).map_err(|problem| problem.to_string())
    })
}

fn set_spread(study: &mut Study, path: String, spread: Option<Box<Spread>>) {
    let spreads = study.subject_mut().spreads_mut();
    match spread {
        Some(spread) => drop(spreads.insert(path, *spread)),
        None => drop(spreads.remove(&path)),
    }
}
