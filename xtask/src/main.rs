//! `cargo xtask test | ci | fuzz | monkey | package | python | screenshots | steps | texts | truth-network`: runs everything that decides whether Crossover is sound.

mod actionlint;
mod boundaries;
mod build;
mod ci;
mod circles;
mod display;
mod doctests;
mod environment;
mod features;
mod fuzz;
mod metadata;
mod monkey;
mod package;
mod packages;
mod plurals;
mod positions;
mod process;
mod report;
mod screenshots;
mod shares;
mod smoke;
mod steps;
mod subcommand;
mod test;
mod tests_run;
mod texts;
mod tidy;
mod truth_network;
mod usage;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::report::Report;

#[derive(Parser)]
#[command(bin_name = "cargo xtask", about = "Tests, checks and screenshots of Crossover")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Installs what the tests need, runs every test, then opens the real window on a virtual display
    Test,
    /// Checks formatting, lints, documentation and rules of the repository
    Ci {
        /// Checks the fuzz targets, licences, workflows and packages, too, and installs the Debian package in a fresh system:
        /// before a release, and when their own files change
        #[arg(long)]
        release: bool,
    },
    /// Tries made-up files on the importers of query plans
    Fuzz {
        /// How long each importer is tried
        #[arg(long, default_value_t = 10, value_name = "N")]
        minutes: u32,
    },
    /// Uses the real window at random on a virtual display, and compares memory, panics and lost edits
    Monkey {
        /// How long
        #[arg(long, default_value_t = 30, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        minutes: u32,
        /// The same number gives the same clicks, keys and commands
        #[arg(long, default_value_t = 1, value_name = "N")]
        seed: u64,
    },
    /// Makes a Debian package, an archive, a wheel for Python and their checksums in target/package
    Package(package::Options),
    /// Builds the program, and tests its Python module with it in an environment of its own
    Python,
    /// Draws every page in every look to target/screenshots with the application itself, and updates docs/images
    Screenshots {
        /// Draws only the pages whose names begin so, such as answer
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
    },
    /// Shows the steps that runs have added to a file, in one table
    Steps {
        /// The file that `CROSSOVER_STEPS` named for these runs
        list: PathBuf,
    },
    /// Writes every text of the program to target/texts.txt, to be read from top to bottom
    Texts,
    /// Runs a real Spark cluster on links of known speed, and compares it with what Crossover predicts
    TruthNetwork {
        /// Compares what the last run measured, without another one
        #[arg(long)]
        compare_only: bool,
    },
}

fn main() -> ExitCode {
    let task = Arguments::parse().task;
    let result = process::workspace_root().and_then(|root| match task {
        Task::Test => test::run(&root),
        Task::Ci { release } => ci::run(&root, release),
        Task::Fuzz { minutes } => Ok(fuzz::run(&root, minutes)),
        Task::Monkey { minutes, seed } => Ok(monkey::run(&root, minutes, seed)),
        Task::Package(options) => package::run(&root, &options),
        Task::Python => package::run_python(&root),
        Task::Screenshots { only } => screenshots::run(&root, only.as_deref()),
        Task::Steps { list } => Report::read(&root, &list),
        Task::Texts => Ok(tidy::write_texts(&root)),
        Task::TruthNetwork { compare_only } => truth_network::run(&root, compare_only),
    });
    match result {
        Ok(report) => report.finish(),
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
