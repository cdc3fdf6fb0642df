//! `cargo xtask package`: what is handed to those who do not build Crossover: a Debian package, an archive, a wheel for Python,
//! and their checksums.

mod archive;
mod clean_root;
mod debian;
mod files;
mod python;
mod third_party;
mod tree;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use crossover_files::digest::sha256;

use crate::build;
use crate::environment::TestEnvironment;
use crate::process::{cargo, is_installed, run as run_command};
use crate::report::{Outcome, Report};
pub(crate) use python::PythonEnvironment;

/// The version of all crates, and so of what they make.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where packages are put, from the repository's folder.
const FOLDER: &str = "target/package";

/// The checksums, in the form that `sha256sum --check` reads.
const CHECKSUMS: &str = "SHA256SUMS";

/// Environment variable: the commit that the program says it was built from.
const COMMIT: &str = "CROSSOVER_COMMIT";

/// A package that is larger has something in it that it should not have.
const LARGEST_BYTES: u64 = 1_000_000_000;

#[derive(Args)]
pub(crate) struct Options {
    /// Installs the Debian package in a fresh system in a folder, starts it there and removes it; needs root and Debian's
    /// packages. Then installs the wheel, and tests its Python module; needs Python's package index
    #[arg(long)]
    pub(crate) install: bool,
}

/// What is packaged, and how.
struct Release {
    /// The program.
    program: PathBuf,
    /// For which machines it was built, such as `x86_64-unknown-linux-gnu`.
    target: String,
    /// The time of everything in a package: the same program makes the same package at any time.
    time: SystemTime,
    /// How hard is compressed, 0 to 9.
    compression: u32,
}

/// Builds the program and packages it.
pub(crate) fn run(root: &Path, options: &Options) -> Result<Report> {
    let mut report = Report::new(root);
    add(root, options, &mut report)?;
    Ok(report)
}

/// Adds to a report what [`run`] does.
pub(crate) fn add(root: &Path, options: &Options, report: &mut Report) -> Result<()> {
    let folder = root.join(FOLDER);
    // What lies there from another version would be handed out with this one.
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("{} cannot be emptied", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;

    let mut built = None;
    report.check("program", || keep(&mut built, release(root), |release| release.target.clone()));
    let Some(release) = built else { return Ok(()) };

    let mut staged = None;
    report.check("files", || keep(&mut staged, files::installed(root, &release), tree::Tree::summary));
    let Some(files) = staged else { return Ok(()) };

    let mut packages = Vec::new();
    report.check("archive", || {
        let path = folder.join(format!("crossover-{VERSION}-{}.tar.gz", release.target));
        let written = archive::write(&files, &release, &path);
        written.and_then(|()| added(&mut packages, path)).into()
    });
    let mut debian_package = None;
    if release.target.contains("linux") {
        report.check("Debian package", || {
            if !is_installed("dpkg-deb") {
                return Outcome::CouldNotRun("needs dpkg-deb, which Debian and its relatives have".into());
            }
            let package = debian::write(&files, &release, &folder);
            debian_package = package.as_ref().ok().cloned();
            package.and_then(|path| added(&mut packages, path)).into()
        });
    }
    let mut python_wheel = None;
    report.check("wheel", || {
        let wheel = write_wheel(root, &files, &release, &folder);
        python_wheel = wheel.as_ref().ok().cloned();
        wheel.and_then(|path| added(&mut packages, path)).into()
    });
    report.check("checksums", || write_checksums(&folder, &packages).into());
    if options.install {
        report.check("clean system", || match &debian_package {
            Some(package) => clean_root::run(root, package, &release.program, &files),
            None => Outcome::CouldNotRun("there is no Debian package".into()),
        });
        let environment = TestEnvironment::new()?;
        report.check("wheel, installed", || match &python_wheel {
            Some(wheel) => python::check(PythonEnvironment::make(root), wheel, &environment),
            None => Outcome::CouldNotRun("there is no wheel".into()),
        });
    }
    Ok(())
}

/// `cargo xtask python`: builds the program as tests do, and tests the Python module with it.
pub(crate) fn run_python(root: &Path) -> Result<Report> {
    let environment = TestEnvironment::new()?;
    let mut report = Report::new(root);
    let mut is_built = false;
    report.check("program", || {
        let built = build::programs(root);
        is_built = built.is_ok();
        built.map(|()| String::new()).into()
    });
    if is_built {
        report.check("Python module", || check_python(root, PythonEnvironment::make(root), &environment));
    }
    Ok(report)
}

/// Tests the Python module with the program that tests have built.
pub(crate) fn check_python(root: &Path, python: Result<PythonEnvironment>, environment: &TestEnvironment) -> Outcome {
    match python::wheel_with(root, &build::application(root)) {
        Ok((_folder, wheel)) => python::check(python, &wheel, environment),
        Err(error) => Outcome::Failed(format!("{error:#}")),
    }
}

/// The wheel of a release: with the program that the other packages have, and the terms of what is inside.
fn write_wheel(root: &Path, files: &tree::Tree, release: &Release, folder: &Path) -> Result<PathBuf> {
    let program = files.files().find_map(|(_, file)| file.is_program.then_some(&file.content));
    let mut licences = wheel::licences(root)?;
    licences.push(("third-party.txt", third_party::text(root, &release.target)?.into_bytes()));
    let parts = wheel::Parts {
        program: program.context("there is no program among the files")?,
        target: &release.target,
        licences,
        compression: release.compression,
    };
    wheel::write(root, &parts, folder)
}

/// Keeps a result for the next step, and says something of it.
fn keep<T>(kept: &mut Option<T>, result: Result<T>, say: impl FnOnce(&T) -> String) -> Outcome {
    result.map(|value| say(kept.insert(value))).into()
}

/// One more package; says its name and size.
fn added(packages: &mut Vec<PathBuf>, path: PathBuf) -> Result<String> {
    let bytes = fs::metadata(&path).with_context(|| format!("{}", path.display()))?.len();
    let size_in_words = format!("{}, {:.1} MB", file_name(&path)?, bytes as f64 / 1e6);
    packages.push(path);
    Ok(size_in_words)
}

fn release(root: &Path) -> Result<Release> {
    let target = host(root)?;
    let time = time_of_source(root)?;
    let mut command = cargo(root, ["build", "--release", "--package", "crossover", "--locked"]);
    if std::env::var_os(COMMIT).is_none()
        && let Some(commit) = commit(root)
    {
        command.env(COMMIT, commit);
    }
    run_command(&mut command)?;
    Ok(Release { program: build::released_application(root), target, time, compression: 9 })
}

/// The commit that is checked out, and whether files were changed since.
fn commit(root: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(root).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if changed.is_empty() { commit } else { commit + " with changes" })
}

/// The machines that the compiler builds for when nothing else is said.
fn host(root: &Path) -> Result<String> {
    let output = Command::new("rustc").current_dir(root).arg("-vV").output().context("`rustc -vV` cannot start")?;
    let text = String::from_utf8(output.stdout)?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).context("`rustc -vV` names no host")
}

/// `SOURCE_DATE_EPOCH`, as <https://reproducible-builds.org/specs/source-date-epoch/> has it, or the time of the commit.
fn time_of_source(root: &Path) -> Result<SystemTime> {
    let seconds = if let Ok(seconds) = std::env::var("SOURCE_DATE_EPOCH") {
        seconds
    } else {
        let output = Command::new("git").current_dir(root).args(["log", "-1", "--format=%ct"]).output();
        let output = output.ok().filter(|output| output.status.success());
        let output = output.context("there is no commit here; set SOURCE_DATE_EPOCH to the time of the source")?;
        String::from_utf8(output.stdout)?
    };
    let seconds = seconds.trim();
    let number = seconds.parse().with_context(|| format!("SOURCE_DATE_EPOCH: “{seconds}” is no count of seconds"))?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(number)).context("SOURCE_DATE_EPOCH is too late")
}

/// Whole seconds since 1970.
fn seconds(time: SystemTime) -> Result<u64> {
    Ok(time.duration_since(SystemTime::UNIX_EPOCH).context("a time before 1970")?.as_secs())
}

fn write_checksums(folder: &Path, packages: &[PathBuf]) -> Result<String> {
    ensure!(!packages.is_empty(), "there is no package to check");
    let mut lines = packages
        .iter()
        .map(|path| Ok(format!("{}  {}\n", sha256(path, LARGEST_BYTES)?, file_name(path)?)))
        .collect::<Result<Vec<_>>>()?;
    lines.sort();
    let path = folder.join(CHECKSUMS);
    fs::write(&path, lines.concat()).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(format!("{FOLDER}/{CHECKSUMS}"))
}

fn file_name(path: &Path) -> Result<&str> {
    path.file_name().and_then(|name| name.to_str()).with_context(|| format!("{} has no name", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_that_sha256sum_reads() {
        let folder = tempfile::tempdir().unwrap();
        let packages = ["b.deb", "a.tar.gz"].map(|name| folder.path().join(name));
        for path in &packages {
            fs::write(path, "abc").unwrap();
        }
        write_checksums(folder.path(), &packages).unwrap();
        let text = fs::read_to_string(folder.path().join(CHECKSUMS)).unwrap();
        // FIPS 180-2, appendix B.1: the message "abc".
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(text, format!("{digest}  a.tar.gz\n{digest}  b.deb\n"));
        assert!(write_checksums(folder.path(), &[]).is_err());
    }
}
