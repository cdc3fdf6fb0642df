//! Starting other programs: cargo, the package manager, Xvfb and the application.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};

/// The folder of the workspace: the nearest one above the current folder that holds this program.
pub(crate) fn workspace_root() -> Result<PathBuf> {
    let here = std::env::current_dir().context("cannot read the current folder")?;
    here.ancestors()
        .find(|folder| folder.join("xtask/Cargo.toml").is_file())
        .map(Path::to_path_buf)
        .ok_or_else(|| anyhow!("{} is not inside the Crossover repository", here.display()))
}

/// Where cargo puts final artefacts.
pub(crate) fn target_folder(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// The cargo that runs this program, in the workspace's folder.
///
/// `cargo run` says in variables which package runs. Without them, build scripts that look at such variables (ring's does) see
/// what they see under a cargo that is typed, so that neither compiles again what the other has.
pub(crate) fn cargo<'a>(root: &Path, arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    for (name, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|start| name.to_string_lossy().starts_with(start)) {
            command.env_remove(name);
        }
    }
    command.current_dir(root).args(arguments);
    command
}

/// Runs a program in the foreground, its output visible and its standard input closed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = shown(command);
    eprintln!("$ {line}");
    let status = command.stdin(Stdio::null()).status().with_context(|| format!("`{line}` cannot start"))?;
    if !status.success() {
        bail!("`{line}` ended with {status}");
    }
    Ok(())
}

/// Whether a program runs and ends well, its output hidden: for `--version` and its kind.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Whether a program of this name lies in `PATH`.
pub(crate) fn is_installed(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

/// A child process that does not outlive this value: dropping it ends the child, by its id.
pub(crate) struct OwnedChild(Child);

impl OwnedChild {
    /// Starts a program with its standard input closed.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let line = shown(command);
        eprintln!("$ {line}");
        let child = command.stdin(Stdio::null()).spawn().with_context(|| format!("`{line}` cannot start"))?;
        Ok(Self(child))
    }

    /// The lines of the child's standard output as they come, if it was piped. The channel closes
    /// when the child closes its output.
    pub(crate) fn lines(&mut self) -> Result<std::sync::mpsc::Receiver<String>> {
        let output = self.0.stdout.take().context("the program's output is not piped")?;
        let (sender, receiver) = std::sync::mpsc::channel();
        thread::Builder::new().name("child output".into()).spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // A receiver that is gone has what it wanted; reading on keeps the child from
                // blocking on a full pipe.
                let _ = sender.send(line);
            }
        })?;
        Ok(receiver)
    }

    /// Waits for the child to end well, at most until `deadline`.
    pub(crate) fn wait_until(&mut self, deadline: Instant) -> Result<()> {
        loop {
            if let Some(status) = self.0.try_wait()? {
                if !status.success() {
                    bail!("ended with {status}");
                }
                return Ok(());
            }
            if Instant::now() >= deadline {
                bail!("did not end in time and was stopped");
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for OwnedChild {
    fn drop(&mut self) {
        // Both fail only when the child has already ended and been waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The command line as a person would type it, without the folder of the program.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn program_that_hangs_is_stopped_at_the_deadline() {
        let mut child = OwnedChild::start(Command::new("sleep").arg("600")).unwrap();
        let error = child.wait_until(Instant::now()).unwrap_err();
        assert!(error.to_string().contains("did not end in time"));
        let id = child.0.id();
        drop(child);
        assert!(!succeeds(Command::new("kill").args(["-0", &id.to_string()])));
    }

    #[test]
    fn failing_program_is_named_with_its_status() {
        let error = run(Command::new("/bin/sh").args(["-c", "exit 3"])).unwrap_err().to_string();
        assert_eq!(error, "`sh -c exit 3` ended with exit status: 3");
    }

    #[test]
    fn piped_output_arrives_line_by_line() {
        let mut command = Command::new("printf");
        let mut child = OwnedChild::start(command.arg("one\\ntwo\\n").stdout(Stdio::piped())).unwrap();
        let lines: Vec<_> = child.lines().unwrap().iter().collect();
        assert_eq!(lines, ["one", "two"]);
    }
}
