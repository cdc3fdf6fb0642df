//! Version of the program, how it was built, and what it includes.

use std::fmt::Write as _;
use std::sync::LazyLock;

use clap::Arg;
use crossover_page::study_module::StudyModule;
use crossover_scenario::Kind;
use eframe::wgpu::{Backends, Instance};

use crate::kinds;

/// The version, as `Cargo.toml` has it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit that it was built from, if the build environment sets `CROSSOVER_COMMIT`.
const COMMIT: Option<&str> = option_env!("CROSSOVER_COMMIT");

/// The graphics interfaces that can reach a GPU, with their names.
const GPU_INTERFACES: [(Backends, &str); 4] = [
    (Backends::VULKAN, "Vulkan"),
    (Backends::METAL, "Metal"),
    (Backends::DX12, "DirectX 12"),
    (Backends::GL, "OpenGL"),
];

/// Facts about the program beside its version, each with its label.
#[must_use]
pub fn parts() -> [(&'static str, String); 4] {
    let gpu = Instance::enabled_backend_features();
    let interfaces = GPU_INTERFACES.iter().filter(|(backend, _)| gpu.contains(*backend)).map(|(_, name)| *name);
    [
        ("build", build(env!("CROSSOVER_PROFILE"), env!("CROSSOVER_TARGET"), COMMIT)),
        ("GPU", interfaces.collect::<Vec<_>>().join(", ")),
        ("studies", Kind::ALL.map(Kind::key).join(", ")),
        ("imports", importers().join(", ")),
    ]
}

/// What `crossover --version` prints after the name.
#[must_use]
pub fn long_version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        parts().into_iter().fold(VERSION.to_owned(), |mut text, (name, part)| {
            // Writing into a String cannot fail.
            _ = write!(text, "\n{name:<8} {part}");
            text
        })
    });
    &TEXT
}

fn build(profile: &str, target: &str, commit: Option<&str>) -> String {
    let commit = commit.filter(|commit| !commit.is_empty());
    format!("{profile}, {target}, {}", commit.map_or("commit unknown".to_owned(), |commit| format!("commit {commit}")))
}

/// The formats of `crossover import`.
fn importers() -> Vec<String> {
    /// The parent subcommand of all importers.
    const IMPORT: &str = "import";
    let mut names = Vec::new();
    for subcommand in kinds::modules().flat_map(StudyModule::subcommands) {
        let command = (subcommand.command)();
        match subcommand.under {
            // Its first argument is the format of the file.
            None if command.get_name() == IMPORT => {
                let kinds = command.get_positionals().next().map(Arg::get_possible_values).unwrap_or_default();
                names.extend(kinds.iter().map(|kind| kind.get_name().to_owned()));
            }
            Some(IMPORT) => names.push(command.get_name().to_owned()),
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_commit_is_stated() {
        assert_eq!(build("release", "any-machine", Some("0123abc")), "release, any-machine, commit 0123abc");
        for commit in [None, Some("")] {
            assert_eq!(build("debug", "any-machine", commit), "debug, any-machine, commit unknown");
        }
    }

    #[test]
    fn importers_of_every_kind_of_study_are_named() {
        let names = importers();
        // Of placement, allocation and preemption, each in its own crate.
        for expected in ["spark-log", "duckdb", "openb", "ncu"] {
            assert!(names.iter().any(|name| name == expected), "{expected} in {names:?}");
        }
    }

    #[test]
    fn a_gpu_can_be_reached() {
        let parts = parts();
        let (_, interfaces) = parts.iter().find(|(name, _)| *name == "GPU").expect("a line about GPUs");
        assert!(!interfaces.is_empty());
    }
}
