//! Allocation studies on the command line.

mod apply;
mod import;
mod manifests;
mod others;
mod predict;
mod predicted;
mod progress;
mod replay;
mod resize;
mod roofline;
mod serve;
mod submit;
mod train;
mod trained;
mod watch;

use clap::{CommandFactory as _, FromArgMatches as _};
use crossover_page::terminal::Subcommand;

use import::{DecisionsOptions, KubectlOptions, OpenbOptions, PhillyOptions, SlurmOptions};
use manifests::ManifestsOptions;
use predict::PredictOptions;
use replay::ReplayOptions;
use resize::ResizeOptions;
use serve::ServeOptions;
use submit::SubmitOptions;
use train::TrainOptions;
use watch::WatchOptions;

/// The subcommands for allocation studies.
pub(crate) const SUBCOMMANDS: [Subcommand; 14] = [
    Subcommand {
        under: Some("import"),
        command: OpenbOptions::command,
        run: |matches| import::openb(&OpenbOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("import"),
        command: PhillyOptions::command,
        run: |matches| import::philly(&PhillyOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("import"),
        command: KubectlOptions::command,
        run: |matches| import::kubectl(&KubectlOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("import"),
        command: DecisionsOptions::command,
        run: |matches| import::decisions(&DecisionsOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("import"),
        command: SlurmOptions::command,
        run: |matches| import::slurm(&SlurmOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: || {
            clap::Command::new("allocate")
                .about("Applies scheduling policies to a cluster, live or with its recorded jobs")
                .display_order(51)
                .arg_required_else_help(true)
        },
        run: |_| Ok(()),
    },
    Subcommand {
        under: Some("allocate"),
        command: ServeOptions::command,
        run: |matches| serve::serve(&ServeOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("allocate"),
        command: SubmitOptions::command,
        run: |matches| submit::submit(&SubmitOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("allocate"),
        command: ResizeOptions::command,
        run: |matches| resize::resize(&ResizeOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("allocate"),
        command: WatchOptions::command,
        run: |matches| watch::watch(&WatchOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: Some("allocate"),
        command: ReplayOptions::command,
        run: |matches| replay::run(&ReplayOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: ManifestsOptions::command,
        run: |matches| manifests::write(&ManifestsOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: TrainOptions::command,
        run: |matches| train::run(&TrainOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: PredictOptions::command,
        run: |matches| predict::run(&PredictOptions::from_arg_matches(matches)?),
    },
];
