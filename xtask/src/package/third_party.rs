//! The terms of every package that is in the program, as the packages themselves have them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::metadata::{Metadata, Package};

/// How names of files begin that have terms; fonts have theirs under the names of their licences.
const BEGINNINGS: [&str; 8] =
    ["licence", "license", "copying", "copyright", "notice", "unlicense", "ofl.txt", "ufl.txt"];

/// How deep below a package such files are looked for.
const DEPTH: usize = 2;

/// Longer files are no terms.
const LONGEST_BYTES: u64 = 200_000;

/// The terms of all packages of others in the program for these machines; each text stands there once.
pub(super) fn text(root: &Path, target: &str) -> Result<String> {
    let metadata = Metadata::read(root, &["--filter-platform", target])?;
    let inside = inside("crossover", &metadata)?;
    let packages = metadata.packages.iter().filter(|package| package.source.is_some() && inside.contains(&*package.id));
    let listed = packages.map(|package| Ok((package, terms(package)?))).collect::<Result<Vec<_>>>()?;
    ensure!(!listed.is_empty(), "`cargo metadata` names no package of others");
    Ok(written(&listed))
}

/// The packages that a package is made of, through whatever others.
fn inside<'m>(name: &str, metadata: &'m Metadata) -> Result<BTreeSet<&'m str>> {
    let parts = metadata.compiled_with();
    let (mut inside, mut next) = (BTreeSet::new(), vec![metadata.own(name)?.id.as_str()]);
    while let Some(id) = next.pop() {
        if inside.insert(id) {
            next.extend(parts.get(id).into_iter().flatten());
        }
    }
    Ok(inside)
}

/// The texts that a package brings, in the order of their names.
fn terms(package: &Package) -> Result<Vec<String>> {
    let folder = package.manifest_path.parent().context("a manifest lies in a folder")?;
    let mut paths = Vec::new();
    collect(folder, DEPTH, &mut paths)?;
    paths.sort();
    let mut texts = Vec::new();
    for path in paths {
        // What is not text is no terms either.
        if let Ok(text) = fs::read_to_string(&path) {
            texts.push(text.replace("\r\n", "\n").trim().to_owned());
        }
    }
    texts.retain(|text| !text.is_empty());
    Ok(texts)
}

fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if kind.is_dir() && depth > 1 {
            collect(&entry.path(), depth - 1, paths)?;
        }
        let is_source = [".rs", ".toml"].iter().any(|ending| name.ends_with(ending));
        if kind.is_file()
            && !is_source
            && BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
            && entry.metadata()?.len() <= LONGEST_BYTES
        {
            paths.push(entry.path());
        }
    }
    Ok(())
}

/// The list of packages, and below it every text once.
fn written(listed: &[(&Package, Vec<String>)]) -> String {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut packages, mut texts) = (String::new(), String::new());
    for (package, terms) in listed {
        let licence = package.license.as_deref().unwrap_or("see the text");
        _ = write!(packages, "{} {}: {licence}", package.name, package.version);
        let mut named = Vec::new();
        for text in terms {
            let next = numbers.len() + 1;
            let number = *numbers.entry(text).or_insert_with(|| {
                _ = write!(texts, "\n==== Text {next} ====\n\n{text}\n");
                next
            });
            named.push(number.to_string());
        }
        if named.is_empty() {
            // The package has no text of its own; those of the licences are below, from other packages.
            let authors = if package.authors.is_empty() { String::new() } else { package.authors.join(", ") };
            let home = package.repository.as_deref().unwrap_or_default();
            _ = write!(packages, "; without a text of its own; {authors} {home}");
        } else {
            _ = write!(packages, "; text {}", named.join(", "));
        }
        packages.truncate(packages.trim_end().len());
        packages.push('\n');
    }
    format!(
        "Crossover contains these packages, under the terms that stand behind each, of which the texts follow.\n\n\
         {packages}{texts}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> Metadata {
        let package = |id: &str, source: Option<&str>| {
            serde_json::json!({
                "id": id, "name": id, "version": "1.0.0", "license": "MIT", "authors": [], "repository": null,
                "source": source, "manifest_path": format!("{id}/Cargo.toml"),
            })
        };
        let part = |id: &str, kind: Option<&str>| serde_json::json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let all = serde_json::json!({
            "packages": [
                package("program", None), package("ours", None), package("far", Some("a registry")),
                package("tested-with", Some("a registry")), package("built-with", Some("a registry")),
            ],
            "resolve": { "nodes": [
                { "id": "program", "deps": [
                    part("ours", None), part("tested-with", Some("dev")), part("built-with", Some("build")),
                ] },
                { "id": "ours", "deps": [part("far", None), part("program", Some("dev"))] },
                { "id": "far", "deps": [] },
            ] },
        });
        serde_json::from_value(all).unwrap()
    }

    #[test]
    fn what_becomes_part_of_the_program_is_found_through_packages_of_ours() {
        let metadata = metadata();
        let found: Vec<_> = inside("program", &metadata).unwrap().into_iter().collect();
        assert_eq!(found, ["far", "ours", "program"]);
        assert!(inside("nothing", &metadata).is_err());
    }

    #[test]
    fn the_same_text_stands_there_once() {
        let metadata = metadata();
        let [_, _, one, other, without] = &metadata.packages[..] else { panic!("five packages") };
        let shared = "Terms of both".to_owned();
        let listed =
            [(one, vec![shared.clone()]), (other, vec!["Own terms".to_owned(), shared]), (without, Vec::new())];
        let text = written(&listed);
        assert_eq!(text.matches("Terms of both").count(), 1);
        for line in [
            "far 1.0.0: MIT; text 1",
            "tested-with 1.0.0: MIT; text 2, 1",
            "built-with 1.0.0: MIT; without a text of its own;",
            "==== Text 2 ====",
        ] {
            assert!(text.lines().any(|written| written == line), "{line} in\n{text}");
        }
    }

    #[test]
    fn terms_are_found_in_folders_and_sources_are_not_taken_for_them() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("fonts/deep")).unwrap();
        for (path, content) in [
            ("LICENSE-MIT", "MIT\r\nterms\n"),
            ("license.rs", "fn main() {}"),
            ("fonts/OFL.txt", "font terms"),
            ("fonts/deep/LICENSE", "too deep"),
            ("NOTICE", "  \n"),
            ("README", "no terms"),
        ] {
            fs::write(folder.path().join(path), content).unwrap();
        }
        let mut package = metadata().packages.remove(2);
        package.manifest_path = folder.path().join("Cargo.toml");
        assert_eq!(terms(&package).unwrap(), ["MIT\nterms", "font terms"]);
    }
}
