//! The wheel for pip: the program and the Python module that starts it. Form:
//! <https://packaging.python.org/en/latest/specifications/binary-distribution-format/>.
//!
//! maturin could replace this folder. It would compile the program again, with flags of its own, where the archive and the Debian
//! package have one that is built already, and has to be installed on every machine that packages.

mod zip;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use memchr::memmem;
use sha2::{Digest as _, Sha256};

use super::VERSION;
use super::tree::Tree;

/// Name of the package; without the second word it is another one in Python's index.
const NAME: &str = "crossover-workbench";

/// The same in names of files, which have no hyphen in it.
const FILE_NAME: &str = "crossover_workbench";

/// The module, in the repository and in the wheel.
const MODULE: &str = "crossover";

/// What a wheel is made of beside the module.
pub(super) struct Parts<'a> {
    /// The program.
    pub(super) program: &'a [u8],
    /// For which machines it was built, such as `x86_64-unknown-linux-gnu`.
    pub(super) target: &'a str,
    /// Terms of the program and of what it contains, each with the name of its file.
    pub(super) licences: Vec<(&'static str, Vec<u8>)>,
    /// How hard is compressed, 0 to 9.
    pub(super) compression: u32,
}

/// Writes the wheel into a folder, and says where. Its bytes depend on the files only.
pub(super) fn write(root: &Path, parts: &Parts<'_>, folder: &Path) -> Result<PathBuf> {
    let tag = format!("py3-none-{}", platform(parts.target, parts.program)?);
    let wheel = zip::pack(&files(root, parts, &tag)?, parts.compression)?;
    let path = folder.join(format!("{FILE_NAME}-{VERSION}-{tag}.whl"));
    fs::write(&path, wheel).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// The terms of Crossover itself.
pub(super) fn licences(root: &Path) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let read = |name: &'static str| -> Result<(&'static str, Vec<u8>)> {
        Ok((name, fs::read(root.join(name)).with_context(|| format!("cannot read {name}"))?))
    };
    ["LICENSE-APACHE", "LICENSE-MIT"].into_iter().map(read).collect()
}

/// Everything in the wheel.
fn files(root: &Path, parts: &Parts<'_>, tag: &str) -> Result<Tree> {
    let mut files = Tree::default();
    add_module(root, MODULE, &mut files)?;
    // pip puts what is in this folder into that of programs.
    let program = if parts.target.contains("windows") { "crossover.exe" } else { "crossover" };
    files.add_program(format!("{FILE_NAME}-{VERSION}.data/scripts/{program}"), parts.program.to_vec());
    let about = format!("{FILE_NAME}-{VERSION}.dist-info");
    for (name, content) in &parts.licences {
        files.add(format!("{about}/licenses/{name}"), content.clone());
    }
    files.add(format!("{about}/METADATA"), metadata(parts.licences.iter().map(|(name, _)| *name)));
    files.add(
        format!("{about}/WHEEL"),
        format!("Wheel-Version: 1.0\nGenerator: xtask ({VERSION})\nRoot-Is-Purelib: false\nTag: {tag}\n"),
    );
    let list = format!("{about}/RECORD");
    let record = record(&files, &list);
    files.add(list, record);
    Ok(files)
}

/// The sources of the module; a mark of its types is empty.
fn add_module(root: &Path, folder: &str, files: &mut Tree) -> Result<()> {
    let path = root.join("python").join(folder);
    for entry in fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))? {
        let entry = entry?;
        let name = entry.file_name().into_string().ok().context("a name in UTF-8")?;
        if name == "py.typed" || Path::new(&name).extension().is_some_and(|extension| extension == "py") {
            let content = fs::read(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?;
            files.add(format!("{folder}/{name}"), content);
        }
    }
    Ok(())
}

/// Fields and their meaning: <https://packaging.python.org/en/latest/specifications/core-metadata/>.
fn metadata<'a>(licences: impl Iterator<Item = &'a str>) -> String {
    let licences: Vec<String> = licences.map(|name| format!("License-File: {name}\n")).collect();
    let licences = licences.concat();
    format!(
        "Metadata-Version: 2.4\n\
         Name: {NAME}\n\
         Version: {VERSION}\n\
         Summary: Decides what should run a Spark application: time, cost and likelihoods of engines on CPUs and GPUs\n\
         License-Expression: MIT OR Apache-2.0\n\
         {licences}\
         Classifier: Framework :: Jupyter\n\
         Classifier: Typing :: Typed\n\
         Requires-Python: >=3.10\n\
         Provides-Extra: pandas\n\
         Requires-Dist: pandas>=2.2; extra == \"pandas\"\n\
         Description-Content-Type: text/plain\n\
         \n\
         The program `crossover`, and the Python module `crossover`, which starts it.\n"
    )
}

/// The list of all files, each with its digest and its size; the list itself has neither.
fn record(files: &Tree, own: &str) -> String {
    let lines = files.files().map(|(path, file)| {
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(&file.content));
        format!("{path},sha256={digest},{}\n", file.content.len())
    });
    lines.collect::<String>() + own + ",,\n"
}

/// The machines that the wheel is for, as
/// <https://packaging.python.org/en/latest/specifications/platform-compatibility-tags/> names them.
fn platform(target: &str, program: &[u8]) -> Result<String> {
    let architecture = target.split('-').next().unwrap_or_default();
    // Where the compiler is not asked for another one, it builds for these systems and newer ones:
    // <https://doc.rust-lang.org/rustc/platform-support/apple-darwin.html>.
    Ok(match (architecture, target) {
        (_, target) if target.ends_with("-linux-gnu") => {
            format!("manylinux_2_{}_{architecture}", glibc(program).context("the program names no version of glibc")?)
        }
        ("x86_64", target) if target.ends_with("-apple-darwin") => "macosx_10_12_x86_64".to_owned(),
        ("aarch64", target) if target.ends_with("-apple-darwin") => "macosx_11_0_arm64".to_owned(),
        ("x86_64", target) if target.contains("-windows-") => "win_amd64".to_owned(),
        ("aarch64", target) if target.contains("-windows-") => "win_arm64".to_owned(),
        _ => bail!("wheels have no name for machines such as {target}"),
    })
}

/// The newest version 2.x of glibc that a program needs: the largest x of its symbols, which it names as `GLIBC_2.x`.
fn glibc(program: &[u8]) -> Option<u32> {
    const NAMED: &[u8] = b"GLIBC_2.";
    let versions = memmem::find_iter(program, NAMED).map(|at| {
        let digits = program[at + NAMED.len()..].iter().take_while(|byte| byte.is_ascii_digit()).take(4);
        digits.fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINUX: &str = "x86_64-unknown-linux-gnu";

    const PROGRAM: &[u8] = b"GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_PRIVATE";

    #[test]
    fn a_wheel_has_the_module_the_program_and_their_terms() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let licences = licences(root).unwrap();
        let parts = Parts { program: PROGRAM, target: LINUX, licences, compression: 1 };
        let files = files(root, &parts, "py3-none-any").unwrap();
        let about = format!("crossover_workbench-{VERSION}.dist-info");
        for path in [
            "crossover/__init__.py",
            "crossover/py.typed",
            &format!("crossover_workbench-{VERSION}.data/scripts/crossover"),
            &format!("{about}/METADATA"),
            &format!("{about}/RECORD"),
            &format!("{about}/WHEEL"),
            &format!("{about}/licenses/LICENSE-MIT"),
        ] {
            let found = files.files().find(|(other, _)| *other == path);
            let (_, file) = found.unwrap_or_else(|| panic!("no {path}"));
            assert_eq!(file.is_program, path.ends_with("/scripts/crossover"), "{path}");
        }
        // Each file has a line, also the list.
        let (_, list) = files.files().find(|(path, _)| path.ends_with("/RECORD")).unwrap();
        let list = String::from_utf8(list.content.clone()).unwrap();
        assert_eq!(list.lines().count(), files.files().count(), "{list}");
        for (path, _) in files.files() {
            assert!(list.lines().any(|line| line.starts_with(&format!("{path},"))), "{path} in\n{list}");
        }
    }

    #[test]
    fn a_digest_is_written_as_wheels_have_it() {
        let mut files = Tree::default();
        files.add("a.py", "abc");
        // FIPS 180-2, appendix B.1: ba7816bf 8f01cfea 414140de 5dae2223 b00361a3 96177a9c b410ff61 f20015ad, in the alphabet of
        // RFC 4648, section 5.
        let expected = "a.py,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\na/RECORD,,\n";
        assert_eq!(record(&files, "a/RECORD"), expected);
    }

    #[test]
    fn metadata_names_the_terms_and_requires_nothing() {
        let text = metadata(["LICENSE-MIT", "third-party.txt"].into_iter());
        for line in ["Name: crossover-workbench", "License-File: LICENSE-MIT", "License-File: third-party.txt"] {
            assert!(text.lines().any(|written| written == line), "{line} in\n{text}");
        }
        assert!(
            text.lines().filter(|line| line.starts_with("Requires-Dist: ")).all(|line| line.contains("; extra =="))
        );
        // A version of Python is written as one of Rust is, where it is a release.
        assert!(VERSION.split('.').all(|number| number.parse::<u32>().is_ok()), "{VERSION}");
    }

    #[test]
    fn machines_have_the_names_of_python() {
        let name = |target| platform(target, PROGRAM);
        assert_eq!(name(LINUX).unwrap(), "manylinux_2_34_x86_64");
        assert_eq!(name("aarch64-unknown-linux-gnu").unwrap(), "manylinux_2_34_aarch64");
        assert_eq!(name("x86_64-pc-windows-msvc").unwrap(), "win_amd64");
        assert_eq!(name("aarch64-apple-darwin").unwrap(), "macosx_11_0_arm64");
        assert!(name("x86_64-unknown-linux-musl").is_err());
        assert!(platform(LINUX, b"static").is_err());
    }
}
