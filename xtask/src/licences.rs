//! What the dependencies may be: the part of `deny.toml` that can be checked without cargo-deny.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use crate::metadata::{Metadata, Package};

/// The part of `deny.toml` that is read here; cargo-deny reads all of it.
#[derive(Deserialize)]
struct Policy {
    licenses: LicencePolicy,
    bans: BanPolicy,
}

#[derive(Deserialize)]
struct LicencePolicy {
    allow: Vec<String>,
    #[serde(default)]
    exceptions: Vec<Exception>,
}

/// Licences that are fine in one crate only.
#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    package: String,
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct BanPolicy {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Ban {
    name: String,
    #[serde(default)]
    deny_multiple_versions: bool,
}

/// Checks that every package comes from a registry or this workspace, under an allowed licence.
pub(crate) fn check_licences(root: &Path) -> Result<String> {
    let (policy, packages) = read(root)?;
    let mut complaints = Vec::new();
    for package in &packages {
        if let Err(error) = check_package(&policy.licenses, package) {
            complaints.push(format!("{} {}: {error:#}", package.name, package.version));
        }
    }
    ensure!(complaints.is_empty(), "{}", complaints.join("\n"));
    Ok(format!("{} packages, all under a licence of deny.toml", packages.len()))
}

/// Checks that a package which must be there once is there once, and counts all others.
pub(crate) fn check_versions(root: &Path) -> Result<String> {
    let (policy, packages) = read(root)?;
    let duplicates = duplicates(&packages);
    for (name, versions) in &duplicates {
        eprintln!("{name}: {}", versions.join(", "));
    }
    for ban in policy.bans.deny.iter().filter(|ban| ban.deny_multiple_versions) {
        if let Some(versions) = duplicates.get(ban.name.as_str()) {
            bail!("{} must be there in one version only, not in {}", ban.name, versions.join(", "));
        }
    }
    Ok(format!("{} packages in more than one version, none that must be single", duplicates.len()))
}

fn read(root: &Path) -> Result<(Policy, Vec<Package>)> {
    let path = root.join("deny.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    let policy = toml::from_str(&text).with_context(|| format!("{}", path.display()))?;
    Ok((policy, Metadata::read(root, &[])?.packages))
}

fn check_package(policy: &LicencePolicy, package: &Package) -> Result<()> {
    if let Some(source) = &package.source {
        ensure!(source.starts_with("registry+"), "comes from {source}, which is no registry");
    }
    let expression = package.license.as_deref().context("names no licence")?;
    // Older manifests write `MIT/Apache-2.0`.
    let lax = Expression::parse_mode(expression, ParseMode::LAX)
        .map_err(|error| anyhow::anyhow!("licence `{expression}`: {}", error.reason))?;
    let exceptions = policy.exceptions.iter().filter(|exception| exception.package == package.name);
    let allowed = policy
        .allow
        .iter()
        .chain(exceptions.flat_map(|exception| &exception.allow))
        .map(|name| {
            Licensee::parse(name).map_err(|error| anyhow::anyhow!("deny.toml allows `{name}`: {}", error.reason))
        })
        .collect::<Result<Vec<_>>>()?;
    let is_allowed = lax.evaluate(|required| allowed.iter().any(|one| one.satisfies(required)));
    ensure!(is_allowed, "licence `{expression}` is not allowed by deny.toml");
    Ok(())
}

/// Names that occur in more than one version, each with its versions.
fn duplicates(packages: &[Package]) -> BTreeMap<&str, Vec<&str>> {
    let mut versions = BTreeMap::<&str, BTreeSet<&str>>::new();
    for package in packages {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    versions
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| (name, versions.into_iter().collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, version: &str, license: Option<&str>) -> Package {
        Package { name: name.into(), version: version.into(), license: license.map(Into::into), ..Package::default() }
    }

    #[test]
    fn licence_expression_needs_one_allowed_choice() {
        let policy = LicencePolicy {
            allow: vec!["MIT".into(), "Unicode-3.0".into()],
            exceptions: vec![Exception { package: "fonts".into(), allow: vec!["OFL-1.1".into()] }],
        };
        let check = |name, licence, allowed: bool| {
            let result = check_package(&policy, &package(name, "1.0.0", licence));
            assert_eq!(result.is_ok(), allowed, "{name} under {licence:?}: {result:?}");
        };
        check("any", Some("MIT"), true);
        check("any", Some("MIT OR GPL-3.0-only"), true);
        check("any", Some("MIT/Apache-2.0"), true);
        check("any", Some("(Apache-2.0 OR MIT) AND Unicode-3.0"), true);
        check("any", Some("MIT AND GPL-3.0-only"), false);
        check("any", Some("GPL-3.0-only"), false);
        check("any", Some("Apache-2.0 WITH LLVM-exception"), false);
        check("any", Some("MIT AND OFL-1.1"), false);
        check("fonts", Some("MIT AND OFL-1.1"), true);
        check("any", Some("not a licence"), false);
        check("any", None, false);
    }

    #[test]
    fn package_from_a_repository_is_refused() {
        let policy = LicencePolicy { allow: vec!["MIT".into()], exceptions: Vec::new() };
        let mut package = package("any", "1.0.0", Some("MIT"));
        package.source = Some("git+https://example.org/any".into());
        let error = check_package(&policy, &package).unwrap_err().to_string();
        assert_eq!(error, "comes from git+https://example.org/any, which is no registry");
    }

    #[test]
    fn duplicates_are_names_in_several_versions() {
        let packages = [
            package("wgpu", "30.0.1", None),
            package("syn", "2.0.1", None),
            package("syn", "3.0.0", None),
            package("egui", "0.37.0", None),
        ];
        assert_eq!(duplicates(&packages), BTreeMap::from([("syn", vec!["2.0.1", "3.0.0"])]));
    }
}
