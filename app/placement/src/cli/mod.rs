//! Placement studies on the command line.

mod calibrate;
mod curves;
mod import;
mod plan;
mod profile;
mod validate;

use clap::{CommandFactory as _, FromArgMatches as _};
use crossover_page::terminal::Subcommand;

use calibrate::CalibrateOptions;
use curves::CurvesOptions;
use import::ImportOptions;
pub use import::watched;
use plan::PlanOptions;
use profile::FitOptions;
use validate::ValidateOptions;

/// Commands for placement studies only.
pub(crate) const SUBCOMMANDS: [Subcommand; 6] = [
    Subcommand {
        under: None,
        command: CurvesOptions::command,
        run: |matches| curves::curves(&CurvesOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: ImportOptions::command,
        run: |matches| import::import(&ImportOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: PlanOptions::command,
        run: |matches| plan::plan(&PlanOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: CalibrateOptions::command,
        run: |matches| calibrate::calibrate(&CalibrateOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: FitOptions::command,
        run: |matches| profile::fit_profile(&FitOptions::from_arg_matches(matches)?),
    },
    Subcommand {
        under: None,
        command: ValidateOptions::command,
        run: |matches| validate::validate(&ValidateOptions::from_arg_matches(matches)?),
    },
];
