//! Which Crossover this is: its version, how it was built, and what is in it.

use std::fmt::Write as _;
use std::sync::LazyLock;

use clap::Arg;
use crossover_page::room::Room;
use crossover_scenario::Kind;
use eframe::wgpu::{Backends, Instance};

use crate::kinds;

/// The version, as `Cargo.toml` has it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit it was built from, where the build was told: `CROSSOVER_COMMIT`.
const COMMIT: Option<&str> = option_env!("CROSSOVER_COMMIT");

/// What a GPU can be reached through, with the names that people use.
const GPU_INTERFACES: [(Backends, &str); 4] = [
    (Backends::VULKAN, "Vulkan"),
    (Backends::METAL, "Metal"),
    (Backends::DX12, "DirectX 12"),
    (Backends::GL, "OpenGL"),
];

/// What there is to say about this program beside its version, each with its name.
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
    format!(
        "{profile}, {target}, {}",
        commit.map_or("commit not known".to_owned(), |commit| format!("commit {commit}"))
    )
}

/// What `crossover import` takes.
fn importers() -> Vec<String> {
    /// The subcommand below which all of them stand.
    const IMPORT: &str = "import";
    let mut names = Vec::new();
    for subcommand in kinds::rooms().flat_map(Room::subcommands) {
        let command = (subcommand.command)();
        match subcommand.under {
            // Its first argument says what a file is.
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
    fn a_build_says_what_it_does_not_know() {
        assert_eq!(build("release", "any-machine", Some("0123abc")), "release, any-machine, commit 0123abc");
        for commit in [None, Some("")] {
            assert_eq!(build("debug", "any-machine", commit), "debug, any-machine, commit not known");
        }
    }

    #[test]
    fn importers_of_every_kind_of_study_are_named() {
        let names = importers();
        // Of placement, allocation and preemption, each in its own room.
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
