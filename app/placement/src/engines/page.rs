//! A page about measured cases: which cases and which engines, the outcome, and each case with its measurement.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover_chart::Chart;
use crossover_engine::Profile;
use crossover_page::command::Tool;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_page::tool::{PageContext, ToolPage};
use crossover_page::widgets::{drawer, focus};
use egui::{CentralPanel, ScrollArea, Ui};

use super::board::{CaseView, Drawn};
use super::choose::{self, Engines, KeptProfile};
use super::{Cases, Request};
use crossover_plan::cases::Compared;
use crossover_study::Watch;

/// The outcome that a page computes from measured cases.
pub(super) trait Finding: Debug + Clone + Send + Sync + Sized + 'static {
    /// The tool that it is.
    const TOOL: Tool;
    /// Name in threads, in errors and on the button that cancels.
    const NAME: &'static str;
    /// Text of the button that starts a cancelled computation again.
    const AGAIN: &'static str;
    /// Question of the page, and what it does with the cases of a file.
    const FIRST_VISIT: [&'static str; 2];
    /// Heading above the choice of engines.
    const WHICH_ENGINES: &'static str;
    /// Whether it uses engines that were just fitted.
    const TAKES_FITS: bool;

    /// Computes the outcome, with these engines or those of the cases' scenarios. Nothing if it was cancelled.
    fn find(cases: &Cases, engines: Option<&Profile>, watch: &Watch<'_>) -> Result<Option<Self>, String>;

    /// Every case with its measurement.
    fn compared(&self) -> &[Compared];

    /// Warnings, one sentence each.
    fn notes(&self) -> &[String];

    /// One line for the status bar.
    fn status(&self) -> String;

    /// The part of the page above the chart.
    fn head(&self, _ui: &mut Ui, _cases: &Cases, _context: &mut PageContext<'_>) {}

    /// The engines that predicted the cases, if not those of their scenarios; `chosen`: the selected ones.
    fn engines(&self, chosen: Option<Arc<Profile>>) -> Option<Arc<Profile>>;
}

/// What a finding depends on.
#[derive(Debug)]
struct CaseInput<F> {
    cases: Cases,
    engines: Option<Arc<Profile>>,
    finding: std::marker::PhantomData<fn() -> F>,
}

impl<F> Clone for CaseInput<F> {
    fn clone(&self) -> Self {
        Self { cases: self.cases.clone(), engines: self.engines.clone(), finding: self.finding }
    }
}

impl<F: Finding> Work for CaseInput<F> {
    type Outcome = Result<Found<F>, String>;
    const NAME: &'static str = F::NAME;
    const AGAIN: &'static str = F::AGAIN;

    fn milliseconds(&self) -> f64 {
        // Files are read: never within a frame.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        format!("Reading the cases of {}", self.cases.file.display())
    }

    fn compute(&self, _: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let count = self.cases.count();
        let found = watched(ticket, count, |watch| F::find(&self.cases, self.engines.as_deref(), &watch)).transpose();
        found.map(|found| found.map(|finding| Found { finding, engines: self.engines.clone() }))
    }
}

/// The outcome and its engines; none: those of the cases' scenarios.
#[derive(Debug, Clone)]
struct Found<F> {
    finding: F,
    engines: Option<Arc<Profile>>,
}

/// The page.
#[derive(Debug)]
pub(super) struct Page<F: Finding> {
    engines: Engines,
    /// The engines that the last window used, until they are read.
    kept_profile: Option<KeptProfile>,
    found: Computed<CaseInput<F>>,
    drawn: Drawn,
    /// Whether its chart is on the screen.
    is_drawn: bool,
    look: CaseView,
    /// The cases on screen.
    cases: Option<Cases>,
    /// Offers of engines that were seen.
    seen: u64,
}

impl<F: Finding> Page<F> {
    /// The page in its initial state.
    pub(super) fn new() -> Self {
        Self {
            engines: Engines::default(),
            kept_profile: None,
            found: Computed::new(),
            drawn: Drawn::default(),
            is_drawn: false,
            look: CaseView::default(),
            cases: None,
            seen: 0,
        }
    }

    /// Begins with the engines of this file.
    pub(super) fn begin_with(&mut self, profile: Option<PathBuf>) {
        self.kept_profile = profile.map(KeptProfile::new);
    }

    /// The file of the selected engines, if they came from a file.
    pub(super) fn profile_file(&self) -> Option<&Path> {
        self.kept_profile.as_ref().map(KeptProfile::file).or_else(|| self.engines.file())
    }

    /// The inputs: cases, engines and quantity; and the errors.
    fn choose(&mut self, ui: &mut Ui, cases: &Cases, found: Option<&F>, context: &mut PageContext<'_>) {
        choose::which_cases(ui, cases, context.commands);
        choose::ask(ui, Request::ShowShipped, "Shipped measurements", context.commands);
        ui.add_space(8.0);
        self.engines.choose(ui, F::WHICH_ENGINES, context);
        if let Some(found) = found {
            self.look.overview(ui, &mut self.drawn, self.found.number(), found.compared(), context.commands);
        }
    }

    /// The outcome; `room` is the visible height.
    fn answer(
        &mut self,
        ui: &mut Ui,
        cases: &Cases,
        outcome: Option<&Result<Found<F>, String>>,
        context: &mut PageContext<'_>,
        room: f32,
    ) {
        self.found.state(ui);
        self.found.dim(ui);
        match outcome {
            None => {}
            Some(Err(problem)) => choose::problem(ui, problem),
            Some(Ok(Found { finding: found, engines })) => {
                choose::notes(ui, found.notes());
                found.head(ui, cases, context);
                let engines = found.engines(engines.clone());
                let (number, compared) = (self.found.number(), found.compared());
                self.look.chart(ui, &mut self.drawn, number, compared, engines.as_ref(), context.commands, room);
                self.is_drawn = true;
            }
        }
    }
}

impl<F: Finding> ToolPage for Page<F> {
    fn tool(&self) -> Tool {
        F::TOOL
    }

    fn status(&self) -> String {
        match self.found.shown().map(AsRef::as_ref) {
            Some(Ok(found)) => found.finding.status(),
            Some(Err(_)) => "the cases cannot be read".to_owned(),
            None if self.found.is_busy() => "reading the cases".to_owned(),
            None => "no cases are open".to_owned(),
        }
    }

    fn waits_for(&self) -> Option<&'static str> {
        self.found.is_busy().then_some(F::NAME)
    }

    fn charts(&self) -> Vec<Chart> {
        self.drawn.chart().filter(|_| self.is_drawn).cloned().map(Chart::Lines).into_iter().collect()
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut PageContext<'_>) {
        self.is_drawn = false;
        // Without cases of a file, the shipped ones are on the screen.
        let Some(cases) = choose::cases(context) else { return };
        if self.cases.as_ref() != Some(cases) {
            self.look.of_other_cases();
            self.cases = Some(cases.clone());
        }
        self.engines.take_kept(&mut self.kept_profile, context);
        self.engines.take_offer(&mut self.seen, F::TAKES_FITS, context);
        let engines = self.engines.profile(context);
        let is_same = |input: &CaseInput<F>| input.cases == *cases && input.engines == engines;
        self.found.refresh(ui.ctx(), is_same, || CaseInput {
            cases: cases.clone(),
            engines: engines.clone(),
            finding: std::marker::PhantomData,
        });
        let outcome = self.found.shown().cloned();
        let found = outcome.as_deref().and_then(|outcome| outcome.as_ref().ok()).map(|found| &found.finding);
        let below = found.map(|found| (CaseView::below(ui), found));
        drawer::left(ui, F::NAME, ["Cases and engines", "inputs of the comparison"], true, |ui| {
            ScrollArea::both().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.choose(ui, cases, found, context);
            });
        });
        CentralPanel::default_margins().show(ui, |ui| {
            let room = ui.available_height();
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.answer(ui, cases, outcome.as_deref(), context, room);
            });
        });
        if let Some((below, found)) = below {
            self.look.list(ui, below, &mut self.drawn, self.found.number(), found.compared());
        }
    }
}
