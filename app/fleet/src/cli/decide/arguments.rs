//! The arguments of `crossover decide` that ask the same about a log, for the command that compares the log of a trial.

use std::path::Path;

use clap::ValueEnum as _;
use crossover_files::shell::quoted;

use super::{DecideOptions, Least};

/// The arguments beside the log, the trial and the format, each as a shell reads it: "--query", "1", "--runs-per-month", "3000".
pub(super) fn arguments(options: &DecideOptions) -> Vec<String> {
    fn text<T: ToString>(value: Option<&T>) -> Option<String> {
        value.map(ToString::to_string)
    }
    let path = |path: Option<&Path>| path.map(|path| path.display().to_string());
    let least = options.least.to_possible_value().filter(|_| options.least != Least::Cost);
    let clusters = options.clusters.iter().map(|cluster| ("--on", Some(cluster.clone())));
    let others = [
        ("--least", least.map(|least| least.get_name().to_owned())),
        ("--within", text(options.within.as_ref())),
        ("--budget", text(options.budget.as_ref())),
        ("--runs-per-month", text(options.runs_per_month.as_ref())),
        ("--effort", text(options.effort.as_ref())),
        ("--hourly-rate", text(options.hourly_rate.as_ref())),
        ("--today", options.today.clone()),
        ("--price-today", text(options.price_today.as_ref())),
        ("--price-gpu", text(options.price_gpu.as_ref())),
        ("--base", path(options.base.as_deref())),
        ("--profile", path(options.profile.as_deref())),
        ("--date", text(options.date.as_ref())),
    ];
    let named = std::iter::once(("--query", options.query.clone())).chain(clusters).chain(others);
    named.filter_map(|(flag, value)| Some([flag.to_owned(), quoted(&value?)])).flatten().collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        options: DecideOptions,
    }

    fn again(asked: &[&str]) -> Vec<String> {
        let command = Command::try_parse_from([&["decide", "LOG"][..], asked].concat()).expect("arguments");
        arguments(&command.options)
    }

    #[test]
    fn the_arguments_that_ask_the_same_are_those_of_the_command() {
        let asked = ["--query", "1", "--on", "4xg6.2xlarge@0.4", "--least", "time", "--budget", "0.01"];
        assert_eq!(again(&asked), asked);
        let asked = ["--within", "10s", "--runs-per-month", "2000..4000", "--effort", "40h", "--hourly-rate", "90"];
        assert_eq!(again(&asked), asked);
        let asked = ["--today", "8xc5d.12xlarge", "--price-gpu", "0.8/gpu:spot", "--date", "2026-11-26"];
        assert_eq!(again(&asked), asked);
        assert_eq!(again(&["--trial", "TRIAL_LOG", "--format", "json"]), [""; 0]);
        assert_eq!(again(&["--base", "my scenario.ron"]), ["--base", "'my scenario.ron'"]);
    }
}
