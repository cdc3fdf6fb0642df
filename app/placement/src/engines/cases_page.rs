//! A page about measured cases that opens with the measurements that come with the program: those, or the cases of a file once one was
//! opened.

use crossover_chart::Chart;
use crossover_page::cache::Cache;
use crossover_page::command::Tool;
use crossover_page::storage::kept;
use crossover_page::tool::{PageContext, ToolPage};
use egui::Ui;

use super::kept::KeptCases;
use super::page::{Finding, Page};
use super::shipped::{Shipped, ShippedFinding};
use super::{SharedState, choose};

/// The page: `F` is found of the cases of a file, `S` of the shipped measurements.
#[derive(Debug)]
pub(super) struct CasesPage<F: Finding, S: ShippedFinding> {
    own: Page<F>,
    shipped: Shipped<S>,
    shows_own: bool,
}

impl<F: Finding, S: ShippedFinding> CasesPage<F, S> {
    /// The page in its initial state.
    pub(super) fn new() -> Self {
        Self { own: Page::new(), shipped: Shipped::new(), shows_own: false }
    }
}

impl<F: Finding, S: ShippedFinding> ToolPage for CasesPage<F, S> {
    fn tool(&self) -> Tool {
        F::TOOL
    }

    fn status(&self) -> String {
        if self.shows_own { self.own.status() } else { self.shipped.status() }
    }

    fn waits_for(&self) -> Option<&'static str> {
        if self.shows_own { self.own.waits_for() } else { self.shipped.waits_for() }
    }

    fn charts(&self) -> Vec<Chart> {
        if self.shows_own { self.own.charts() } else { self.shipped.charts() }
    }

    fn kept(&self, cache: &Cache) -> Option<String> {
        kept::write(&KeptCases::new(cache.get::<SharedState>()?, self.own.profile_file())?)
    }

    fn restore(&mut self, kept: &str, cache: &mut Cache) -> Result<(), String> {
        let engines = kept::read::<KeptCases>(kept)?.restore(SharedState::of(cache));
        self.own.begin_with(engines);
        Ok(())
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut PageContext<'_>) {
        let has_own = choose::cases(context).is_some();
        self.shows_own = has_own && !choose::wants_shipped(context);
        if self.shows_own {
            self.own.ui(ui, context);
        } else {
            self.shipped.ui(ui, F::FIRST_VISIT, has_own, context);
        }
    }
}
