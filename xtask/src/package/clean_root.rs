//! A fresh Debian or Ubuntu in a folder, in which the package is installed, started by an ordinary user, and removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use tempfile::TempDir;

use super::tree::Tree;
use super::{VERSION, debian};
use crate::display::VirtualDisplay;
use crate::packages::{install, is_root};
use crate::process::{is_installed, run as run_command, shown, succeeds};
use crate::report::Outcome;
use crate::smoke;

/// The scenario that is opened there.
const SCENARIO: &str = "share/doc/crossover/scenarios/placement-published.ron";

/// The type under which a desktop looks for what opens a link to a view.
const LINK_TYPE: &str = "x-scheme-handler/crossover";

/// What its type is to be.
const SCENARIO_TYPE: &str = "application/x-crossover-scenario";

/// Programs that read there what a desktop and a person read.
const READERS: [&str; 4] = ["desktop-file-utils", "libglib2.0-bin", "man-db", "shared-mime-info"];

/// Where programs are in that system.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The user and group that the program is started as: nobody.
const NOBODY: &str = "65534";

/// Installs the package in a fresh system, and says what was seen there.
pub(super) fn run(root: &Path, package: &Path, program: &Path, files: &Tree) -> Outcome {
    match why_not() {
        Some(reason) => Outcome::CouldNotRun(reason),
        None => try_out(root, package, program, files).into(),
    }
}

/// What is missing for a system in a folder.
fn why_not() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return Some("needs Linux".into());
    }
    if !is_root() {
        return Some("needs root, for a system in a folder".into());
    }
    for (program, package) in [("mmdebstrap", "mmdebstrap"), ("Xvfb", "xvfb")] {
        if !is_installed(program)
            && let Err(error) = install(&[package])
        {
            return Some(format!("{error:#}"));
        }
    }
    (!succeeds(Command::new("unshare").args(["--mount", "--pid", "--fork", "true"])))
        .then(|| "needs namespaces of its own, which are not allowed here".into())
}

fn try_out(root: &Path, package: &Path, program: &Path, files: &Tree) -> Result<String> {
    let system = System::make()?;
    fs::copy(package, system.path("crossover.deb")).context("the package cannot be copied into the system")?;
    // First without anything that it only recommends: the command line has to do without.
    system.apt_get(&["install", "--no-install-recommends", "/crossover.deb"])?;
    for (path, file) in files.files() {
        let installed = fs::read(system.path(&format!("usr/{path}")));
        ensure!(installed.is_ok_and(|content| content == file.content), "/usr/{path} is not as it was packaged");
    }
    let version = system.says("crossover", &["--version"])?;
    let first = version.lines().next().unwrap_or_default();
    ensure!(first == format!("crossover {VERSION}"), "`crossover --version` says “{first}” there");
    evaluates_the_same(&system, root, program)?;
    let completed = "source /usr/share/bash-completion/completions/crossover && complete -p crossover";
    system.says("bash", &["-c", completed])?;

    let mut wanted = READERS.to_vec();
    wanted.extend(debian::recommended());
    system.apt_get(&[&["install", "--no-install-recommends"], &*wanted].concat())?;
    desktop_knows_it(&system)?;
    let page = system.says("man", &["crossover-evaluate"])?;
    ensure!(page.contains("--format"), "`man crossover-evaluate` says nothing of --format: {page}");
    let window = draws_its_window(&system)?;

    system.apt_get(&["purge", "crossover"])?;
    for (path, _) in files.files() {
        ensure!(!system.path(&format!("usr/{path}")).exists(), "/usr/{path} is left behind");
    }
    Ok(format!("{}: installed, {window}, removed", system.name))
}

/// The program there answers what the program here does.
fn evaluates_the_same(system: &System, root: &Path, program: &Path) -> Result<()> {
    let there = system.says("crossover", &["evaluate", &format!("/usr/{SCENARIO}")])?;
    let scenario = SCENARIO.replace("share/doc/crossover/", "");
    let here = Command::new(program).arg("evaluate").arg(root.join(scenario)).output()?;
    ensure!(here.status.success() && here.stdout == there.as_bytes(), "`crossover evaluate` answers there:\n{there}");
    Ok(())
}

/// The desktop recognises scenario files, and opens them and `crossover://` links with Crossover.
fn desktop_knows_it(system: &System) -> Result<()> {
    let desktop_files = ["/usr/share/applications/crossover.desktop", "/usr/share/applications/crossover-link.desktop"];
    let complaints = system.output("desktop-file-validate", &desktop_files)?;
    ensure!(complaints.trim().is_empty(), "desktop-file-validate: {complaints}");
    let what = system.says("gio", &["info", "--attributes", "standard::content-type", &format!("/usr/{SCENARIO}")])?;
    ensure!(what.contains(SCENARIO_TYPE), "a scenario is taken for something else: {what}");
    fs::write(system.path("tmp/other.ron"), "(version: 1, names: [])")?;
    let other = system.says("gio", &["info", "--attributes", "standard::content-type", "/tmp/other.ron"])?;
    ensure!(!other.contains(SCENARIO_TYPE), "any .ron file is taken for a scenario: {other}");
    let opens = system.says("gio", &["mime", SCENARIO_TYPE])?;
    ensure!(opens.contains("crossover.desktop"), "nothing opens a scenario: {opens}");
    let opens = system.says("gio", &["mime", LINK_TYPE])?;
    ensure!(opens.contains("crossover-link.desktop"), "nothing opens a link: {opens}");
    Ok(())
}

/// The real window, with the drivers of that system, on a display of this one.
fn draws_its_window(system: &System) -> Result<String> {
    let display = VirtualDisplay::start()?;
    let mut command = system.command("crossover", &["--smoke-test"]);
    smoke::report(command.env("DISPLAY", &display.name).stdout(Stdio::piped()))
}

/// A system in a folder, which is removed with this value.
struct System {
    folder: TempDir,
    /// What it calls itself, such as `Debian GNU/Linux 12 (bookworm)`.
    name: String,
}

impl System {
    /// The smallest system of the same release as this one that has apt.
    fn make() -> Result<Self> {
        let folder = TempDir::with_prefix("crossover-system-")?;
        let release = os_release(Path::new("/etc/os-release"), "VERSION_CODENAME")?;
        let mut command = Command::new("mmdebstrap");
        command.args(["--quiet", "--variant=apt", "--skip=cleanup/apt", &release]);
        run_command(command.arg(folder.path()))?;
        let name = os_release(&folder.path().join("etc/os-release"), "PRETTY_NAME")?;
        Ok(Self { folder, name })
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// What runs a program there, with processes and mounts of its own, which end with it.
    fn enter(&self) -> Command {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--wd=/"]);
        command.arg(format!("--root={}", self.folder.path().display()));
        command.env("PATH", PATH);
        command
    }

    /// Changes what is installed, as root.
    fn apt_get(&self, arguments: &[&str]) -> Result<()> {
        let mut command = self.enter();
        // Without a terminal of its own, which that system has none for.
        command.args(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "--yes", "-o", "Dpkg::Use-Pty=0"]);
        run_command(command.args(arguments).stdout(Stdio::null()))
    }

    /// A program there, as an ordinary user who has nothing of this machine's settings.
    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = self.enter();
        command.args(["--setgid", NOBODY, "--setuid", NOBODY, program]).args(arguments);
        let own = [("HOME", "/tmp"), ("LC_ALL", "C.UTF-8"), ("PATH", PATH), ("XDG_RUNTIME_DIR", "/tmp")];
        command.env_clear().envs(own);
        command
    }

    /// What a program prints there, if it ends well.
    fn output(&self, program: &str, arguments: &[&str]) -> Result<String> {
        let mut command = self.command(program, arguments);
        eprintln!("$ {}", shown(&command));
        let output = command.stdin(Stdio::null()).output().with_context(|| format!("`{program}` cannot start"))?;
        if !output.status.success() {
            let (line, messages) = (arguments.join(" "), String::from_utf8_lossy(&output.stderr));
            bail!("`{program} {line}` ended there with {}: {}", output.status, messages.trim());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The same of a program that has something to say.
    fn says(&self, program: &str, arguments: &[&str]) -> Result<String> {
        let text = self.output(program, arguments)?;
        ensure!(!text.trim().is_empty(), "`{program} {}` says nothing there", arguments.join(" "));
        Ok(text)
    }
}

/// A value of a file in the form of `/etc/os-release`.
fn os_release(path: &Path, key: &str) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    value.map(|value| value.trim_matches('"').to_owned()).with_context(|| format!("{} has no {key}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_system_are_read_with_and_without_quotes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "PRETTY_NAME=\"Some System 1 (name)\"\nVERSION_CODENAME=name\nVERSION=2\n").unwrap();
        let value = |key| os_release(file.path(), key);
        assert_eq!(value("PRETTY_NAME").unwrap(), "Some System 1 (name)");
        assert_eq!(value("VERSION_CODENAME").unwrap(), "name");
        assert_eq!(value("VERSION").unwrap(), "2");
        assert!(value("VERSION_ID").is_err());
    }
}
