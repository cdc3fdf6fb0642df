//! Probe studies on the command line.

mod fit;

use clap::{CommandFactory as _, FromArgMatches as _};

use crate::terminal::Subcommand;
use fit::{FitOptions, WindowOptions};

/// What the command line does with probe studies alone.
pub(crate) const SUBCOMMANDS: [Subcommand; 3] = [
    Subcommand {
        under: None,
        command: || {
            clap::Command::new("probe")
                .about("Measures what compute centres deliver for a task, by small tasks made of its operators")
                .display_order(60)
                .arg_required_else_help(true)
        },
        run: |_| Ok(()),
    },
    Subcommand {
        under: Some("probe"),
        command: FitOptions::command,
        run: |matches| fit::fit(&FitOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("probe"),
        command: WindowOptions::command,
        run: |matches| fit::window(&WindowOptions::from_arg_matches(matches)?),
    },
];
