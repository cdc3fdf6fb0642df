//! The one build that tests, the window run and screenshots share.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::process::{cargo, run, target_folder};
use crate::report::on_build_server;

/// Builds the whole workspace with its tests. Building everything at once selects the same
/// dependency features for every later step, so no dependency is compiled twice.
pub(crate) fn everything(root: &Path) -> Result<()> {
    let mut command = cargo(root, ["build", "--workspace", "--all-targets"]);
    if on_build_server() {
        command.arg("--locked");
    }
    run(&mut command)
}

/// The application that [`everything`] has built.
pub(crate) fn application(root: &Path) -> PathBuf {
    program(root, "debug")
}

/// An example that [`everything`] has built.
pub(crate) fn example(root: &Path, name: &str) -> PathBuf {
    program(root, "debug").with_file_name("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// The application as a release has it, where one was built.
pub(crate) fn released_application(root: &Path) -> PathBuf {
    program(root, "release")
}

fn program(root: &Path, profile: &str) -> PathBuf {
    target_folder(root).join(profile).join(format!("crossover{}", std::env::consts::EXE_SUFFIX))
}
