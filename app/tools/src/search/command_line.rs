//! A search as a command line.

use crossover_files::shell::quoted;
use crossover_quantity::unit::Unit;
use crossover_tools::Search;
use crossover_tools::range::written;
use crossover_tools::search::{BUDGET, Bound, Constraint, Objective, POINTS};

use super::entered::{RequiredLikelihood, State};

/// The same search on the command line; `samples`: those of its likelihoods, if the command takes none by itself.
pub(super) fn command_line(
    state: &State,
    search: &Search,
    required: RequiredLikelihood,
    samples: Option<usize>,
) -> String {
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
    if let Some(samples) = samples {
        line += &format!(" --samples {samples}");
    }
    if search.budget != BUDGET {
        line += &format!(" --budget {}", search.budget);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_likelihoods_in_the_window_has_the_samples_that_give_them() {
        let search = Search {
            free: Vec::new(),
            choices: Vec::new(),
            shared: Vec::new(),
            constraints: Vec::new(),
            objectives: vec![Objective { key: "seconds".to_owned(), is_minimised: true }],
            seed: 1,
            budget: BUDGET,
        };
        let none = RequiredLikelihood { share: None, spread_all: None };
        let line = |samples: Option<usize>| command_line(&State::default(), &search, none, samples);
        assert_eq!(line(None), "crossover search FILE --minimise seconds");
        assert_eq!(line(Some(64)), "crossover search FILE --minimise seconds --samples 64");
    }
}
