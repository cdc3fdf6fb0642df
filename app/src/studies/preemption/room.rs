//! What window and command line know of preemption studies.

use anyhow::{Context as _, Result};
use crossover_model::preemption::evaluate;
use crossover_model::scenario::{Scenario, Study};

use super::{View, cli, examples, findings};
use crate::examples::{Example, Template};
use crate::export::preemption::results;
use crate::export::report::Findings;
use crate::export::{Format, Written};
use crate::page::Page;
use crate::room;
use crate::terminal::Subcommand;

/// Preemption studies.
pub(crate) struct Room;

impl room::Room for Room {
    fn template(&self) -> Template {
        examples::TEMPLATE
    }

    fn examples(&self) -> &'static [Example] {
        &examples::ALL
    }

    fn page(&self, study: &Study) -> Box<dyn Page> {
        Box::new(View::new(study.preemption().expect("a preemption study")))
    }

    fn subcommands(&self) -> &'static [Subcommand] {
        &cli::SUBCOMMANDS
    }

    fn findings(&self, scenario: &Scenario) -> Result<Findings> {
        findings::findings(&scenario.name, scenario.preemption().context("this is no preemption scenario")?)
    }

    fn write(&self, scenario: &Scenario, format: Format) -> Result<Written> {
        let study = scenario.preemption().context("this is no preemption scenario")?;
        let outcome = evaluate(study);
        let text = results(&scenario.name, study, &outcome).write(format);
        Ok(Written { text, warnings: outcome.warnings })
    }
}
