//! What the tests see of the machine: software rendering and folders of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use crossover_needs::TESTS_NOT_RUN;
use tempfile::TempDir;

use crate::packages::lavapipe;

/// Folders a program keeps its user's data in, by the XDG base directory specification, and the
/// name each has inside the private folder.
const USER_FOLDERS: [(&str, &str); 6] = [
    ("HOME", "home"),
    ("XDG_CACHE_HOME", "cache"),
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_RUNTIME_DIR", "runtime"),
    ("XDG_STATE_HOME", "state"),
];

/// The user's session: a test must neither open a window there nor ask its services anything.
const SESSION_VARIABLES: [&str; 6] =
    ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XAUTHORITY", "XDG_SESSION_TYPE"];

/// Private folders that end with this value, and the renderer every picture comes from.
pub(crate) struct TestEnvironment {
    folders: TempDir,
    vulkan_driver: Option<PathBuf>,
}

impl TestEnvironment {
    /// Makes fresh private folders and looks for lavapipe, Mesa's software Vulkan driver.
    pub(crate) fn new() -> Result<Self> {
        let folders = TempDir::with_prefix("crossover-test-").context("no folder for temporary files can be made")?;
        for (_, name) in USER_FOLDERS {
            make_private(&folders.path().join(name))?;
        }
        Ok(Self { folders, vulkan_driver: lavapipe() })
    }

    /// The list to which every test adds that ends early because something is missing.
    pub(crate) fn tests_not_run(&self) -> PathBuf {
        self.folders.path().join("not-run.txt")
    }

    /// Puts a command into this environment.
    pub(crate) fn apply<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        // Both default to a folder in HOME, which is another one now.
        for (variable, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            if std::env::var_os(variable).is_none()
                && let Some(home) = std::env::home_dir()
                && home.join(folder).is_dir()
            {
                command.env(variable, home.join(folder));
            }
        }
        for (variable, name) in USER_FOLDERS {
            command.env(variable, self.folders.path().join(name));
        }
        for variable in SESSION_VARIABLES {
            command.env_remove(variable);
        }
        command.env(TESTS_NOT_RUN, self.tests_not_run());
        if let Some(driver) = &self.vulkan_driver {
            // VK_ICD_FILENAMES is the name that Vulkan loaders before 1.3.207 know.
            command.env("VK_DRIVER_FILES", driver).env("VK_ICD_FILENAMES", driver);
        }
        command
    }
}

/// Makes a folder only this user can enter, as `XDG_RUNTIME_DIR` has to be.
fn make_private(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).with_context(|| format!("{} cannot be made", folder.display()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn variable(environment: &TestEnvironment, name: &str) -> Option<PathBuf> {
        let mut command = Command::new("true");
        environment.apply(&mut command);
        let (_, value) = command.get_envs().find(|(key, _)| *key == name)?;
        value.map(PathBuf::from)
    }

    #[test]
    fn users_folders_are_out_of_reach_and_gone_afterwards() {
        let environment = TestEnvironment::new().unwrap();
        let private = environment.folders.path().to_path_buf();
        for (name, _) in USER_FOLDERS {
            let folder = variable(&environment, name).unwrap();
            assert!(folder.starts_with(&private) && folder.is_dir(), "{name}");
        }
        drop(environment);
        assert!(!private.exists());
    }

    #[test]
    fn cargo_still_finds_its_toolchain() {
        let environment = TestEnvironment::new().unwrap();
        let mut command = Command::new("cargo");
        command.arg("--version");
        assert!(crate::process::succeeds(environment.apply(&mut command)));
    }

    #[test]
    fn session_of_the_user_is_hidden() {
        let environment = TestEnvironment::new().unwrap();
        let mut command = Command::new("true");
        environment.apply(&mut command);
        for name in SESSION_VARIABLES {
            assert!(command.get_envs().any(|(key, value)| key == name && value.is_none()), "{name}");
        }
    }
}
