//! Probe studies on the command line.

mod build;
mod fit;
mod kept;
mod read;
mod run;
mod send;
mod shown;
mod summary;

use clap::{CommandFactory as _, FromArgMatches as _};
use crossover_page::terminal::Subcommand;

use build::BuildOptions;
use fit::{FitOptions, WindowOptions};
use kept::{FindOptions, KeepOptions};
use read::ReadOptions;
use run::RunOptions;
use send::SendOptions;
use shown::{RankOptions, ScheduleOptions};

/// Subcommands of probe studies.
pub(crate) const SUBCOMMANDS: [Subcommand; 11] = [
    Subcommand {
        under: None,
        command: || {
            clap::Command::new("probe")
                .about("Compares compute centres for a task by probes: small tasks made of its operators")
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
    Subcommand {
        under: Some("probe"),
        command: BuildOptions::command,
        run: |matches| build::run(&BuildOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("probe"),
        command: RunOptions::command,
        run: |matches| run::run(&RunOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("probe"),
        command: ReadOptions::command,
        run: |matches| read::run(&ReadOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("probe"),
        command: RankOptions::command,
        run: |matches| shown::rank(&RankOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("probe"),
        command: ScheduleOptions::command,
        run: |matches| shown::schedule(&ScheduleOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("probe"),
        command: SendOptions::command,
        run: |matches| send::send(&SendOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("probe"),
        command: KeepOptions::command,
        run: |matches| kept::keep(&KeepOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("probe"),
        command: FindOptions::command,
        run: |matches| kept::find(&FindOptions::from_arg_matches(matches)?),
    },
];
