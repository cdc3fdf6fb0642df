//! What `cargo metadata` says of packages, and of what each is compiled with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use crate::process::cargo;

/// The part of it that is read here.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    /// The packages of the workspace, and all that these need.
    pub(crate) packages: Vec<Package>,
    resolve: Resolve,
}

/// A package in one version.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    #[serde(default)]
    pub(crate) authors: Vec<String>,
    pub(crate) repository: Option<String>,
    /// Where it comes from; `None` for a package of this workspace.
    pub(crate) source: Option<String>,
    pub(crate) manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `None` for what a package is compiled with, otherwise `dev` or `build`.
    kind: Option<String>,
}

impl Metadata {
    /// Asks cargo, with these arguments besides.
    pub(crate) fn read(root: &Path, arguments: &[&str]) -> Result<Self> {
        let arguments = [&["metadata", "--format-version", "1", "--locked"], arguments].concat();
        let output = cargo(root, arguments).output().context("`cargo metadata` cannot start")?;
        let messages = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "`cargo metadata --locked`: {}", messages.trim());
        serde_json::from_slice(&output.stdout).context("what `cargo metadata` writes")
    }

    /// A package of this workspace.
    pub(crate) fn own(&self, name: &str) -> Result<&Package> {
        let package = self.packages.iter().find(|package| package.name == name && package.source.is_none());
        package.with_context(|| format!("`cargo metadata` names no package {name} of this workspace"))
    }

    /// The names of the packages of this workspace that are not compiled with a package, other than itself.
    pub(crate) fn own_without(&self, name: &str) -> Vec<&str> {
        let compiled_with = self.compiled_with();
        let wanted: Vec<&str> =
            self.packages.iter().filter(|package| package.name == name).map(|package| package.id.as_str()).collect();
        let is_without = |package: &&Package| {
            let parts = compiled_with.get(package.id.as_str());
            package.name != name && !parts.is_some_and(|parts| parts.iter().any(|part| wanted.contains(part)))
        };
        let own = self.packages.iter().filter(|package| package.source.is_none());
        own.filter(is_without).map(|package| package.name.as_str()).collect()
    }

    /// The ids of what each package is compiled with, by its id. What only its tests or its build script need is left out.
    pub(crate) fn compiled_with(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut all = BTreeMap::new();
        for node in &self.resolve.nodes {
            let parts = node.deps.iter().filter(|part| part.dep_kinds.iter().any(|kind| kind.kind.is_none()));
            all.insert(node.id.as_str(), parts.map(|part| part.pkg.as_str()).collect());
        }
        all
    }
}
