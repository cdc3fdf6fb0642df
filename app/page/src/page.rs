//! The page of an open study.

use std::any::Any;
use std::collections::BTreeMap;

use crossover_chart::{Chart, Form};
use crossover_export::Format;
use crossover_export::report::ReportFormat;
use crossover_quantity::catalogue::Catalogue;
use crossover_scenario::views::PageView;
use crossover_scenario::{Scenario, Study};
use egui::{Id, Ui};

use crate::cache::Cache;
use crate::command::Command;
use crate::lazy_text::LazyText;
use crate::page_memory::PageMemory;
use crate::tour::Step;
use crate::widgets::warning;

/// What a page may read besides its own study, and its commands.
pub struct Env<'a> {
    /// Hardware presets.
    pub catalogue: &'a Catalogue,
    /// Values that are kept while the window is open.
    pub cache: &'a Cache,
    /// Whether the inspector is shown.
    pub inspector_open: bool,
    /// Commands for the workbench.
    pub commands: &'a mut Vec<Command>,
}

/// Makes the page of a study as it is first shown.
pub type MakePage = fn(&Study) -> Box<dyn Page>;

/// A study on the screen; nothing of it is saved. A page only ever meets studies of its own kind, see [`View`]. Its
/// memory is freed on another thread when the document is closed.
pub trait Page: Any + Send {
    /// Draws the study and edits it.
    fn ui(&mut self, ui: &mut Ui, study: &mut Study, env: &mut Env<'_>);

    /// One line about the study for the status bar; `warnings`: the number of those on the page, such as “2 warnings”.
    fn status(&self, warnings: &str) -> String;

    /// Where the help is about what the page shows now: a document below `docs`, `#`, and its section.
    fn help(&self) -> &'static str;

    /// The cards of the tour of what the page shows now, in their order.
    fn tour(&self) -> &'static [Step];

    /// Shows the content that the tour is about, where the page has several.
    fn show_for_tour(&mut self) {}

    /// The name of the content on screen that a link shows, where the page has several.
    fn content(&self) -> Option<&'static str> {
        None
    }

    /// Shows the content of this name, if it has one; a link may name any.
    fn show_content(&mut self, _name: &str) {}

    /// What is selected, sorted and enlarged, for a link; not of line charts, which is known of every page.
    fn shown(&self) -> PageView {
        PageView::default()
    }

    /// Shows what another window showed; a link may name anything.
    fn show_again(&mut self, _shown: &PageView) {}

    /// The title of the document if the page is about more than the scenario, such as the application of its query.
    fn subject<'a>(&self, _study: &'a Study) -> Option<&'a str> {
        None
    }

    /// Whether the title of the document stays the name of the scenario after it is saved, such as a query of a log. Otherwise it is the
    /// name of the file.
    fn is_named_by_scenario(&self, _study: &Study) -> bool {
        false
    }

    /// The machines of the study in a few words, for the title of a document: “4 × L4”.
    fn machines(&self, _study: &Study) -> Option<String> {
        None
    }

    /// Whether a background computation for the screen is running.
    fn is_busy(&self) -> bool;

    /// The charts of the page, as they are on the screen now.
    fn charts(&self) -> Vec<Chart>;

    /// A chart of the page in a form, as it is on the screen now; drawn on demand. A title that does not say what it is about has the
    /// name of the scenario before it.
    fn picture(&self, _scenario: &Scenario, chart: usize, form: Form) -> Option<LazyText> {
        let chart = self.charts().into_iter().nth(chart)?;
        Some(LazyText::new(move || chart.text(form)))
    }

    /// Every number behind the charts of the page as CSV.
    ///
    /// # Errors
    /// Why there is no data now.
    fn data_csv(&self, study: &Study) -> Result<LazyText, String>;

    /// The outcome as text, if the page has already computed it for this scenario.
    fn results(&self, _scenario: &Scenario, _format: Format) -> Option<LazyText> {
        None
    }

    /// The report, if the page is about more than the study, such as the application of its query.
    fn report(&self, _scenario: &Scenario, _format: ReportFormat) -> Option<LazyText> {
        None
    }

    /// Resets zoom, selection and sections; recorded data stays.
    fn reset_layout(&mut self, study: &Study);
}

/// The page of a document; a document never holds a study of another kind than before.
pub struct View {
    page: Box<dyn Page>,
    memory: PageMemory,
    /// How many warnings the page had when it was drawn last.
    warnings: usize,
}

impl View {
    /// The view of a study as it is first shown.
    #[must_use]
    pub fn new(page: Box<dyn Page>) -> Self {
        Self { page, memory: PageMemory::default(), warnings: 0 }
    }

    /// The page, if it has this type.
    #[must_use]
    pub fn page<P: 'static>(&self) -> Option<&P> {
        let page: &dyn Any = &*self.page;
        page.downcast_ref()
    }

    /// The page, if it has this type, mutable.
    pub(crate) fn page_mut<P: 'static>(&mut self) -> Option<&mut P> {
        let page: &mut dyn Any = &mut *self.page;
        page.downcast_mut()
    }

    /// Draws the study and edits it.
    pub fn ui(&mut self, ui: &mut Ui, study: &mut Study, env: &mut Env<'_>) {
        let ctx = ui.ctx().clone();
        let had_subject = self.page.subject(study).is_some();
        let warnings = self.memory.show(&ctx, || warning::counted_in(&ctx, || self.page.ui(ui, study, env)));
        if warnings != self.warnings || self.page.subject(study).is_some() != had_subject {
            self.warnings = warnings;
            // The status bar and the tabs may be drawn already.
            ctx.request_repaint();
        }
    }

    /// The sizes that the user gave to panels, in points, by their names, for the next start.
    #[must_use]
    pub fn panel_sizes(&self) -> BTreeMap<String, f32> {
        self.memory.panel_sizes()
    }

    /// Gives panels, before they are first drawn, the sizes that they had in the last window.
    pub fn give_panel_sizes(&mut self, sizes: BTreeMap<String, f32>) {
        self.memory.give_panel_sizes(sizes);
    }

    /// Whether this widget is a field of the page for text or a number that is typed.
    #[must_use]
    pub fn has_field(&self, widget: Id) -> bool {
        self.memory.has_field(widget)
    }

    /// One line about the study for the status bar.
    #[must_use]
    pub fn status(&self) -> String {
        self.page.status(&warning::number(self.warnings))
    }

    /// Where the help is about what the page shows now.
    #[must_use]
    pub fn help(&self) -> &'static str {
        self.page.help()
    }

    /// The cards of the tour of what the page shows now, in their order.
    #[must_use]
    pub fn tour(&self) -> &'static [Step] {
        self.page.tour()
    }

    /// Shows the content that the tour is about.
    pub fn show_for_tour(&mut self) {
        self.page.show_for_tour();
    }

    /// The name of the content on screen that a link shows.
    #[must_use]
    pub fn content(&self) -> Option<&'static str> {
        self.page.content()
    }

    /// Shows the content of this name, if the page has one.
    pub fn show_content(&mut self, name: &str) {
        self.page.show_content(name);
    }

    /// What is selected, sorted and enlarged, for a link.
    #[must_use]
    pub fn shown(&self) -> PageView {
        PageView { zoomed: self.memory.zoomed(), ..self.page.shown() }
    }

    /// Shows what another window showed.
    pub fn show_again(&mut self, shown: &PageView) {
        self.memory.zoom(&shown.zoomed);
        self.page.show_again(shown);
    }

    /// The name of what the page is about, where that is more than the scenario.
    #[must_use]
    pub fn subject<'a>(&self, study: &'a Study) -> Option<&'a str> {
        self.page.subject(study)
    }

    /// Whether the name of the scenario is the title of the document also after it is saved.
    #[must_use]
    pub fn is_named_by_scenario(&self, study: &Study) -> bool {
        self.page.is_named_by_scenario(study)
    }

    /// The machines of the study in a few words.
    #[must_use]
    pub fn machines(&self, study: &Study) -> Option<String> {
        self.page.machines(study)
    }

    /// Whether a background computation for the screen is running.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.page.is_busy()
    }

    /// The charts of the page, as they are on the screen now.
    #[must_use]
    pub fn charts(&self) -> Vec<Chart> {
        self.page.charts()
    }

    /// A chart of the page in a form, as it is on the screen now.
    #[must_use]
    pub fn picture(&self, scenario: &Scenario, chart: usize, form: Form) -> Option<LazyText> {
        self.page.picture(scenario, chart, form)
    }

    /// Every number behind the charts of the page as CSV.
    ///
    /// # Errors
    /// Why there is no data now.
    pub fn data_csv(&self, study: &Study) -> Result<LazyText, String> {
        self.page.data_csv(study)
    }

    /// The outcome as text, if the page has already computed it for this scenario.
    #[must_use]
    pub fn results(&self, scenario: &Scenario, format: Format) -> Option<LazyText> {
        self.page.results(scenario, format)
    }

    /// The report, if the page is about more than the study, such as the application of its query.
    #[must_use]
    pub fn report(&self, scenario: &Scenario, format: ReportFormat) -> Option<LazyText> {
        self.page.report(scenario, format)
    }

    /// Resets zoom, selection, sections and sizes of panels; recorded data stays.
    pub fn reset_layout(&mut self, study: &Study) {
        self.memory.clear();
        self.page.reset_layout(study);
    }
}
