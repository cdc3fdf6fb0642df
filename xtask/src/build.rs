//! Programs and examples of the workspace: how they are built, and where they lie.

use std::path::{Path, PathBuf};

use anyhow::Result;
use crossover_needs::on_build_server;

use crate::process::{cargo, run, target_folder};

/// Builds all programs and examples of the workspace.
pub(crate) fn programs(root: &Path) -> Result<()> {
    let mut command = cargo(root, ["build", "--workspace", "--bins", "--examples"]);
    if on_build_server() {
        command.arg("--locked");
    }
    run(&mut command)
}

/// The application that [`programs`] builds, and the tests before they run.
pub(crate) fn application(root: &Path) -> PathBuf {
    program(root, "debug")
}

/// An example that [`programs`] has built.
pub(crate) fn example(root: &Path, name: &str) -> PathBuf {
    program(root, "debug").with_file_name("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// An example as a release would have it, where it was built so.
pub(crate) fn released_example(root: &Path, name: &str) -> PathBuf {
    program(root, "release").with_file_name("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// The application as a release has it, where one was built.
pub(crate) fn released_application(root: &Path) -> PathBuf {
    program(root, "release")
}

fn program(root: &Path, profile: &str) -> PathBuf {
    target_folder(root).join(profile).join(format!("crossover{}", std::env::consts::EXE_SUFFIX))
}
