//! The Debian package: the same files below `/usr`, and what `dpkg` is to know of them.
//!
//! `cargo-deb` could replace this file, and no other: completions, manual pages and terms of others have to be made before
//! it runs, and the archive, which is for Windows and macOS too, has the same files. It would have to be compiled on every
//! machine that packages, and needs a second list of what the window recommends, in a manifest.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context as _, Result, bail, ensure};
use tempfile::TempDir;

use super::tree::{Tree, set_mode};
use super::{Release, VERSION, seconds};
use crate::packages;
use crate::process::{run, shown};

/// What the window needs where there is a desktop; the command line needs none of it, so it is recommended only. Beside
/// these, the libraries that tests need of a system, too.
const FOR_THE_WINDOW: [&str; 3] = ["libwayland-client0", "libwayland-egl1", "xdg-desktop-portal | zenity"];

/// Writes the package into a folder, and says where. Its bytes depend on the files and their time only.
pub(super) fn write(files: &Tree, release: &Release, folder: &Path) -> Result<PathBuf> {
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?;
    let staged = TempDir::with_prefix("crossover-deb-")?;
    files.write(&staged.path().join("usr"), release.time)?;
    let depends = depends(&staged.path().join("usr/bin/crossover"))?;
    stage_control(staged.path(), files, &control(&architecture, &depends, files), release.time)?;
    let package = folder.join(format!("crossover_{VERSION}_{architecture}.deb"));
    pack(staged.path(), release, &package)?;
    Ok(package)
}

/// The packages that the window needs, but for the choice of what asks for files.
pub(super) fn recommended() -> impl Iterator<Item = &'static str> {
    packages::for_the_window().chain(FOR_THE_WINDOW).filter(|package| !package.contains('|'))
}

/// `dpkg-deb` sorts what it packs, and cuts times off at `SOURCE_DATE_EPOCH`.
fn pack(staged: &Path, release: &Release, package: &Path) -> Result<()> {
    set_mode(staged, 0o755)?;
    let mut command = Command::new("dpkg-deb");
    command.args(["--root-owner-group", "-Zxz"]).arg(format!("-z{}", release.compression));
    command.arg("--build").arg(staged).arg(package);
    run(command.env("SOURCE_DATE_EPOCH", seconds(release.time)?.to_string()))
}

/// The files that are not installed: what the package is, and what its files are to be.
fn stage_control(staged: &Path, files: &Tree, control: &str, time: SystemTime) -> Result<()> {
    // Some umasks make folders that only their owner may enter.
    for folder in folders(files) {
        set_mode(&staged.join("usr").join(folder), 0o755)?;
    }
    let mut about = Tree::default();
    about.add("control", control);
    // `debsums` compares with them what is installed; dpkg wants MD5.
    let paths = files.files().map(|(path, _)| format!("usr/{path}"));
    let sums = output(Command::new("md5sum").current_dir(staged).args(paths))?;
    about.add("md5sums", sums + "\n");
    about.write(&staged.join("DEBIAN"), time)?;
    set_mode(&staged.join("DEBIAN"), 0o755)?;
    Ok(())
}

/// The folders that files lie in, from the outermost.
fn folders(files: &Tree) -> BTreeSet<&Path> {
    files.files().flat_map(|(path, _)| Path::new(path).ancestors().skip(1)).collect()
}

/// The libraries that the program cannot start without, with the versions it was linked with.
fn depends(program: &Path) -> Result<String> {
    // dpkg-shlibdeps reads where it runs what the package is called.
    let source = TempDir::with_prefix("crossover-deb-")?;
    fs::create_dir(source.path().join("debian"))?;
    fs::write(source.path().join("debian/control"), "Source: crossover\n\nPackage: crossover\nArchitecture: any\n")?;
    let mut command = Command::new("dpkg-shlibdeps");
    let found = output(command.current_dir(source.path()).arg("-O").arg(format!("-e{}", program.display())))?;
    let depends = found.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    let depends = depends.with_context(|| format!("dpkg-shlibdeps finds no libraries, but says `{found}`"))?;
    Ok(depends.to_owned())
}

/// Fields and their meaning: <https://www.debian.org/doc/debian-policy/ch-controlfields.html>.
fn control(architecture: &str, depends: &str, files: &Tree) -> String {
    let recommends: Vec<_> = packages::for_the_window().chain(FOR_THE_WINDOW).collect();
    format!(
        "Package: crossover\n\
         Version: {VERSION}\n\
         Architecture: {architecture}\n\
         Maintainer: The Crossover contributors\n\
         Installed-Size: {}\n\
         Depends: {depends}\n\
         Recommends: {}\n\
         Section: science\n\
         Priority: optional\n\
         Description: predicts where work runs faster or cheaper in CPU/GPU clusters\n \
         Crossover predicts where work runs faster or cheaper: on CPUs or GPUs, in\n \
         which engine, on which node, and in which compute centre. It reads logs,\n \
         query plans and profiles. Each answer states a reason and, where errors are\n \
         known, an interval. It has a window and a command line.\n",
        files.bytes().div_ceil(1024),
        recommends.join(", "),
    )
}

/// What a program prints, without the end of the last line.
fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("`{}` cannot start", shown(command)))?;
    if !output.status.success() {
        bail!("`{}`: {}", shown(command), String::from_utf8_lossy(&output.stderr).trim());
    }
    let text = String::from_utf8(output.stdout)?.trim_end().to_owned();
    ensure!(!text.is_empty(), "`{}` says nothing", shown(command));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn files() -> Tree {
        let mut files = Tree::default();
        files.add_program("bin/crossover", vec![0; 3000]);
        files.add("share/doc/crossover/copyright", "terms");
        files
    }

    #[test]
    fn control_says_what_the_package_is() {
        let text = control("amd64", "libc6 (>= 2.34)", &files());
        for line in ["Package: crossover", "Installed-Size: 3", "Depends: libc6 (>= 2.34)"] {
            assert!(text.lines().any(|written| written == line), "{line} in\n{text}");
        }
        let recommends = text.lines().find_map(|line| line.strip_prefix("Recommends: ")).unwrap();
        assert!(recommends.contains("mesa-vulkan-drivers") && recommends.contains("libxkbcommon0"), "{recommends}");
        // Those are for tests.
        assert!(!recommends.contains("xvfb") && !recommends.contains("xdotool"), "{recommends}");
    }

    #[test]
    fn a_package_is_the_same_whenever_it_is_made() {
        if !crate::process::is_installed("dpkg-deb") {
            crossover_needs::not_run("needs dpkg-deb, which Debian and its relatives have");
            return;
        }
        let release = Release {
            program: PathBuf::new(),
            target: String::new(),
            time: SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000),
            compression: 1,
        };
        let make = || {
            let (staged, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            files().write(&staged.path().join("usr"), release.time).unwrap();
            let control = control("all", "libc6", &files());
            stage_control(staged.path(), &files(), &control, release.time).unwrap();
            let package = out.path().join("a.deb");
            pack(staged.path(), &release, &package).unwrap();
            fs::read(package).unwrap()
        };
        let first = make();
        // What had a time of its own would differ in another second.
        let made = seconds(SystemTime::now()).unwrap();
        crossover_needs::wait_until("the next second", || seconds(SystemTime::now()).unwrap() > made);
        assert_eq!(first, make());
    }
}
