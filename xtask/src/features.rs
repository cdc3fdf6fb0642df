//! One set of features: a dependency is compiled alike for one crate, for the whole workspace, with and without tests.
//!
//! Cargo asks of a dependency what the crates that are built ask of it together. Where two commands build different crates, it may
//! compile the same dependency twice, and everything that stands on it. `features/Cargo.toml` states what all crates together ask.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::metadata::Metadata;
use crate::process::cargo;

/// The crate that states the features.
const FEATURES: &str = "crossover-features";

/// Sets of features of each package; one may be built for this machine and for macros in different ways.
type Features = BTreeMap<String, BTreeSet<String>>;

/// Compares what each crate alone asks of its dependencies, with and without tests, with what the workspace asks of them.
pub(crate) fn check(root: &Path) -> Result<String> {
    let together = features(root, &["--workspace", "--edges", "normal,build,dev"])?;
    let metadata = Metadata::read(root, &[])?;
    let own = metadata.packages.iter().filter(|package| package.source.is_none());
    let members: Vec<_> = own.map(|package| package.name.clone()).collect();
    let without = metadata.own_without(FEATURES);
    ensure!(without.is_empty(), "these crates do not depend on {FEATURES}: {}", without.join(", "));
    let mut complaints = BTreeMap::<String, Vec<String>>::new();
    for member in &members {
        for edges in ["normal,build,dev", "normal,build"] {
            let alone = features(root, &["--package", member, "--edges", edges])?;
            for complaint in missing(&alone, &together) {
                complaints.entry(complaint).or_default().push(member.clone());
            }
        }
    }
    let lines = complaints.into_iter().map(|(complaint, mut members)| {
        members.dedup();
        format!("{complaint} in {}", members.join(", "))
    });
    let lines: Vec<_> = lines.collect();
    ensure!(lines.is_empty(), "add these features to features/Cargo.toml:\n{}", lines.join("\n"));
    Ok(format!("{} packages, {} crates", together.len(), members.len()))
}

fn features(root: &Path, selection: &[&str]) -> Result<Features> {
    let form = ["tree", "--locked", "--prefix", "none", "--format", "{p}|{f}"];
    let output = cargo(root, form.into_iter().chain(selection.iter().copied())).output()?;
    ensure!(output.status.success(), "`cargo tree`: {}", String::from_utf8_lossy(&output.stderr).trim());
    parse(&String::from_utf8(output.stdout).context("`cargo tree` writes UTF-8")?)
}

/// Reads lines such as `serde v1.0.229|default,std`, with what cargo adds: `(proc-macro)`, a path, `(*)` for what it has said before.
fn parse(tree: &str) -> Result<Features> {
    let mut features = Features::new();
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let (package, of_package) = line.split_once('|').with_context(|| format!("no features in “{line}”"))?;
        let package = package.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        let of_package = of_package.trim_end_matches("(*)").trim();
        features.entry(package).or_default().insert(of_package.to_owned());
    }
    Ok(features)
}

/// Each package that is built in a way in which the workspace does not build it, with the features that it lacks.
fn missing(alone: &Features, together: &Features) -> Vec<String> {
    let split = |features: &str| features.split(',').map(str::to_owned).collect::<BTreeSet<String>>();
    let mut complaints = Vec::new();
    for (package, sets) in alone {
        let known = together.get(package).cloned().unwrap_or_default();
        for set in sets.difference(&known) {
            let all = known.iter().flat_map(|set| split(set)).collect::<BTreeSet<_>>();
            let lacking: Vec<_> = all.difference(&split(set)).cloned().collect();
            complaints.push(format!("{package} lacks {}", lacking.join(", ")));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_one_crate_has_with_fewer_features_is_named() {
        let together =
            parse("serde v1.0.229 (proc-macro)|default,rc,std\nlibc v0.2.1|std (*)\n\nlibc v0.2.1|\n").unwrap();
        let check = |alone: &str, expected: &[&str]| {
            assert_eq!(missing(&parse(alone).unwrap(), &together), expected, "{alone}");
        };
        check("serde v1.0.229|default,rc,std\nlibc v0.2.1|", &[]);
        check("serde v1.0.229|default,std", &["serde v1.0.229 lacks rc"]);
        check("serde v1.0.229|", &["serde v1.0.229 lacks default, rc, std"]);
        assert!(parse("serde v1.0.229").is_err());
    }
}
