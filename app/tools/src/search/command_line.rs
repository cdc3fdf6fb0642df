//! A search as a command line.

use crossover_files::shell::quoted;
use crossover_quantity::unit::Unit;
use crossover_tools::Search;
use crossover_tools::range::written;
use crossover_tools::search::{BUDGET, Bound, Constraint, Objective, POINTS};

use super::entered::{RequiredLikelihood, State};

/// The same search on the command line.
pub(super) fn command_line(state: &State, search: &Search, required: RequiredLikelihood) -> String {
    let mut line = "crossover search FILE".to_owned();
    if state.weak_scaling {
        line += " --weak-scaling";
    }
    for range in &search.free {
        line += &format!(" --free {}", quoted(&written(range, POINTS)));
    }
    for choice in &search.choices {
        line += &format!(" --choose {}", quoted(&choice.name));
    }
    for Constraint { key, side, value } in &search.constraints {
        let sign = match side {
            Bound::AtMost => "<=",
            Bound::AtLeast => ">=",
        };
        line += &format!(" --constraint {}", quoted(&format!("{key}{sign}{value}")));
    }
    for Objective { key, is_minimised } in &search.objectives {
        line += &format!(" --{} {}", if *is_minimised { "minimise" } else { "maximise" }, quoted(key));
    }
    for (option, share) in [("--likelihood", required.share), ("--spread-all", required.spread_all)] {
        if let Some(share) = share {
            line += &format!(" {option} {}", quoted(&Unit::Share.format(share)));
        }
    }
    if search.budget != BUDGET {
        line += &format!(" --budget {}", search.budget);
    }
    line
}
