//! What window and command line know of allocation studies.

use anyhow::{Context as _, Result};
use crossover_model::allocation::evaluate;
use crossover_model::scenario::{Scenario, Study};

use super::{View, cli, examples, training};
use crate::ask;
use crate::desk::Desk;
use crate::examples::{Example, Template};
use crate::export::allocation::results;
use crate::export::{Format, Written};
use crate::page::Page;
use crate::room;
use crate::terminal::Subcommand;
use crate::tool::ToolKind;

/// Allocation studies.
pub(crate) struct Room;

impl room::Room for Room {
    fn template(&self) -> Template {
        examples::TEMPLATE
    }

    fn examples(&self) -> &'static [Example] {
        &examples::ALL
    }

    fn page(&self, study: &Study) -> Box<dyn Page> {
        Box::new(View::new(study.allocation().expect("an allocation study")))
    }

    fn subcommands(&self) -> &'static [Subcommand] {
        &cli::SUBCOMMANDS
    }

    fn tools(&self) -> &'static [&'static ToolKind] {
        &[&training::KIND]
    }

    fn carry_out(&self, request: &ask::Request, desk: &mut Desk<'_>) -> bool {
        request.of::<training::Request>().map(|request| request.carry_out(desk)).is_some()
    }

    fn write(&self, scenario: &Scenario, format: Format) -> Result<Written> {
        let study = scenario.allocation().context("this is no allocation scenario")?;
        let outcome = evaluate(study);
        let text = results(&scenario.name, study, &outcome).write(format);
        Ok(Written { text, warnings: outcome.warnings })
    }
}
