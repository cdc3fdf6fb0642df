//! Allocation studies on the command line.

mod openb;

use clap::{CommandFactory as _, FromArgMatches as _};

use crate::terminal::Subcommand;
use openb::OpenbOptions;

/// What the command line does with allocation studies alone.
pub(crate) const SUBCOMMANDS: [Subcommand; 1] = [Subcommand {
    under: Some("import"),
    command: OpenbOptions::command,
    run: |matches| openb::import(&OpenbOptions::from_arg_matches(matches)?),
}];
