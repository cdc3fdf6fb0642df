//! What window and command line know of regulation studies.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use crossover_model::regulation::{baselines, evaluate};
use crossover_model::scenario::{Scenario, Study};

use super::{Request, Section, View, cli, examples, handle, recording, reset};
use crate::ask;
use crate::desk::Desk;
use crate::examples::{Example, Template};
use crate::export::regulation::results;
use crate::export::{Format, Written};
use crate::page::Page;
use crate::room::{self, Place};
use crate::shelf::Shelf;
use crate::start::Start;
use crate::terminal::Subcommand;

/// Regulation studies.
pub(crate) struct Room;

impl room::Room for Room {
    fn template(&self) -> Template {
        examples::TEMPLATE
    }

    fn reset(&self, scenario: &Scenario, saved: &Scenario, path: &str) -> Option<Scenario> {
        reset::with_saved_field(scenario, saved, path)
    }

    fn examples(&self) -> &'static [Example] {
        &examples::ALL
    }

    fn page(&self, study: &Study) -> Box<dyn Page> {
        Box::new(View::new(study.regulation().expect("a regulation study")))
    }

    fn subcommands(&self) -> &'static [Subcommand] {
        &cli::SUBCOMMANDS
    }

    fn strategies(&self, scenario: &Scenario) -> Vec<String> {
        let controllers = scenario.regulation().into_iter().flat_map(|study| &study.controllers);
        baselines().map(str::to_owned).chain(controllers.map(|one| one.name.clone())).collect()
    }

    /// With the steps of a strategy, or of the chosen controller.
    fn write(&self, scenario: &Scenario, strategy: Option<&str>, format: Format) -> Result<Written> {
        let study = scenario.regulation().context("this is no regulation scenario")?;
        let outcome = evaluate(study);
        let results = results(&scenario.name, study, &outcome);
        let results = match strategy {
            Some(strategy) => results.with_steps_of(strategy).map_err(|problem| anyhow!("--strategy: {problem}"))?,
            None => results,
        };
        let text = results.write(format);
        Ok(Written { text, warnings: outcome.warnings })
    }

    fn requests(&self) -> Vec<(Place, ask::Request)> {
        let all = [
            (Place::Palette, Request::Show(Section::Gains)),
            (Place::File, Request::IMPORT),
            (Place::Palette, Request::Watch),
        ];
        all.map(|(place, request)| (place, ask::Request::new(request))).to_vec()
    }

    fn carry_out(&self, request: &ask::Request, desk: &mut Desk<'_>) {
        if let Some(request) = request.of::<Request>() {
            handle::carry_out(request, desk);
        }
    }

    fn begin(&self, start: &Start, shelf: &mut Shelf) {
        shelf.put(start.telemetry.clone());
    }

    fn imports(&self, on_screen: Option<&Scenario>) -> Option<&'static str> {
        on_screen?.regulation().map(|_| "a recording")
    }

    fn dropped(&self, file: &Path, on_screen: Option<&Scenario>) -> Option<ask::Request> {
        on_screen?.regulation()?;
        let extension = file.extension()?.to_string_lossy().to_lowercase();
        let is_recording = recording::EXTENSIONS.contains(&extension.as_str());
        is_recording.then(|| ask::Request::new(Request::ImportFile(file.to_owned())))
    }
}
