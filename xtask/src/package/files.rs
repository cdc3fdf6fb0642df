//! Which files are installed, and where they come from. The archive and the Debian package have the same ones.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use flate2::{Compression, GzBuilder};
use tempfile::TempDir;

use super::tree::Tree;
use super::{Release, third_party};
use crate::process::{run, shown};

/// Shells, each with where its completions are looked for.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "share/bash-completion/completions/crossover"),
    ("zsh", "share/zsh/vendor-completions/_crossover"),
    ("fish", "share/fish/vendor_completions.d/crossover.fish"),
];

/// What a desktop reads: files of the repository, each with where it goes.
const DESKTOP: [(&str, &str); 5] = [
    ("assets/desktop/crossover.desktop", "share/applications/crossover.desktop"),
    ("assets/desktop/crossover-link.desktop", "share/applications/crossover-link.desktop"),
    ("assets/desktop/crossover.svg", "share/icons/hicolor/scalable/apps/crossover.svg"),
    ("assets/desktop/crossover.png", "share/icons/hicolor/256x256/apps/crossover.png"),
    ("assets/desktop/crossover-mime.xml", "share/mime/packages/crossover.xml"),
];

/// What a person reads.
const DOCUMENTS: [(&str, &str); 3] = [
    ("LICENSE-MIT", "share/doc/crossover/LICENSE-MIT"),
    ("LICENSE-APACHE", "share/doc/crossover/LICENSE-APACHE"),
    ("README.md", "share/doc/crossover/README.md"),
];

/// Everything that is installed.
pub(super) fn installed(root: &Path, release: &Release) -> Result<Tree> {
    let mut files = Tree::default();
    let (is_linux, is_windows) = (release.target.contains("linux"), release.target.contains("windows"));
    files.add_program(if is_windows { "bin/crossover.exe" } else { "bin/crossover" }, program(release)?);
    for (from, to) in DOCUMENTS {
        files.add(to, read(&root.join(from))?);
    }
    files.add("share/doc/crossover/CHANGELOG.md.gz", compressed(&read(&root.join("CHANGELOG.md"))?)?);
    files.add("share/doc/crossover/copyright", copyright());
    files.add("share/doc/crossover/third-party.gz", compressed(third_party::text(root, &release.target)?.as_bytes())?);
    add_documentation(root, "docs", &mut files)?;
    add_scenarios(root, &mut files)?;
    if is_linux {
        for (from, to) in DESKTOP {
            files.add(to, read(&root.join(from))?);
        }
    }
    if !is_windows {
        for (shell, to) in COMPLETIONS {
            files.add(to, completions(&release.program, shell)?);
        }
        add_manual(&release.program, &mut files)?;
    }
    files.check()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The program without the names that only a debugger reads; a release has none to begin with.
fn program(release: &Release) -> Result<Vec<u8>> {
    if !release.target.contains("linux") {
        return read(&release.program);
    }
    let folder = TempDir::new()?;
    let stripped = folder.path().join("crossover");
    run(Command::new("strip").arg("--strip-all").arg("-o").arg(&stripped).arg(&release.program))?;
    read(&stripped)
}

/// Compressed as Debian has manual pages and changelogs, without a time of its own.
fn compressed(content: &[u8]) -> Result<Vec<u8>> {
    let mut writer = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    writer.write_all(content)?;
    Ok(writer.finish()?)
}

/// The examples that tests open; what they were fitted to is left in the repository.
/// Guides and their pictures, which README.md links.
fn add_documentation(root: &Path, folder: &str, files: &mut Tree) -> Result<()> {
    for entry in fs::read_dir(root.join(folder)).with_context(|| format!("cannot read {folder}"))? {
        let entry = entry?;
        let name = format!("{folder}/{}", entry.file_name().to_str().context("a name in UTF-8")?);
        if entry.file_type()?.is_dir() {
            add_documentation(root, &name, files)?;
        } else {
            files.add(format!("share/doc/crossover/{name}"), read(&entry.path())?);
        }
    }
    Ok(())
}

fn add_scenarios(root: &Path, files: &mut Tree) -> Result<()> {
    let folder = root.join("scenarios");
    let mut count = 0;
    for entry in fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "ron") {
            let name = path.file_name().and_then(|name| name.to_str()).context("a name")?;
            files.add(format!("share/doc/crossover/scenarios/{name}"), read(&path)?);
            count += 1;
        }
    }
    ensure!(count > 0, "{} has no scenario", folder.display());
    Ok(())
}

fn completions(program: &Path, shell: &str) -> Result<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(["completions", shell]);
    let output = command.output().with_context(|| format!("`{}` cannot start", shown(&command)))?;
    if !output.status.success() {
        bail!("`{}`: {}", shown(&command), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}

fn add_manual(program: &Path, files: &mut Tree) -> Result<()> {
    let folder = TempDir::new()?;
    run(Command::new(program).args(["manual", "--out"]).arg(folder.path()))?;
    for entry in fs::read_dir(folder.path())? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).context("a name")?;
        files.add(format!("share/man/man1/{name}.gz"), compressed(&read(&path)?)?);
    }
    Ok(())
}

/// What Debian reads, in the form of <https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/>.
fn copyright() -> String {
    let mit = include_str!("../../../LICENSE-MIT");
    let (holder, terms) = mit.split_once("\n\nPermission").unwrap_or(("", mit));
    let holder = holder.lines().find_map(|line| line.strip_prefix("Copyright (c) ")).unwrap_or_default();
    let terms = format!("Permission{terms}");
    let terms: String = terms
        .lines()
        .map(|line| if line.trim().is_empty() { " .\n".to_owned() } else { format!(" {line}\n") })
        .collect();
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: Crossover\n\
         Comment: The program contains packages of others; third-party.gz beside this file has the terms of each.\n\
         \n\
         Files: *\n\
         Copyright: {holder}\n\
         License: MIT or Apache-2.0\n\
         \n\
         License: MIT\n{terms}\n\
         License: Apache-2.0\n \
         LICENSE-APACHE beside this file, and on Debian /usr/share/common-licenses/Apache-2.0.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copyright_names_who_holds_it_and_both_licences() {
        let text = copyright();
        assert!(text.contains("\nCopyright: 2026 The Crossover contributors\n"), "{text}");
        assert!(text.contains("\n Permission is hereby granted, free of charge"), "{text}");
        assert!(text.contains("\nLicense: Apache-2.0\n LICENSE-APACHE"), "{text}");
        // A line of text that does not begin with a space would begin a field.
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with(' ')) {
            assert!(line.contains(": "), "{line}");
        }
    }

    #[test]
    fn what_is_compressed_twice_is_the_same() {
        assert_eq!(compressed(b"text").unwrap(), compressed(b"text").unwrap());
        let bytes = compressed(b"text").unwrap();
        // RFC 1952: bytes 4 to 7 are the time, 0 where there is none.
        assert_eq!(bytes[4..8], [0; 4]);
    }
}
