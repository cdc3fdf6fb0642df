//! The modules of a crate, and what each of them names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use proc_macro2::{TokenStream, TokenTree};
use serde::Deserialize;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Macro, UseTree};

/// The part of the workspace's manifest that is read here.
#[derive(Deserialize)]
struct Manifest {
    workspace: Workspace,
}

#[derive(Deserialize)]
struct Workspace {
    members: Vec<PathBuf>,
}

/// Folders of the workspace's crates.
pub(super) fn crates(root: &Path) -> Result<Vec<PathBuf>> {
    let text = fs::read_to_string(root.join("Cargo.toml")).context("the workspace's manifest")?;
    let manifest: Manifest = toml::from_str(&text).context("the workspace's manifest")?;
    Ok(manifest.workspace.members)
}

/// The modules of a crate by their paths, each with the paths that it names.
pub(super) struct Modules(BTreeMap<Vec<String>, BTreeSet<Vec<String>>>);

impl Modules {
    /// Reads the sources below a folder; modules that only tests have are left out.
    pub(super) fn read(source: &Path) -> Result<Self> {
        let mut modules = Self(BTreeMap::new());
        for root in ["lib.rs", "main.rs"].map(|name| source.join(name)) {
            if root.exists() {
                modules.read_file(&root, source, &[])?;
            }
        }
        Ok(modules)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Every module with one that it needs.
    pub(super) fn needs(&self) -> Vec<(Vec<String>, Vec<String>)> {
        let needs = |(module, named): (&Vec<String>, &BTreeSet<Vec<String>>)| {
            let module = module.clone();
            let needed: BTreeSet<Vec<String>> = named.iter().map(|path| self.module_of(path)).collect();
            needed.into_iter().map(move |needed| (module.clone(), needed)).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(needs).collect()
    }

    /// The innermost module on the way to an item.
    fn module_of(&self, path: &[String]) -> Vec<String> {
        let prefixes = (0..=path.len()).rev().map(|length| &path[..length]);
        prefixes.map(<[String]>::to_vec).find(|prefix| self.0.contains_key(prefix)).unwrap_or_default()
    }

    /// Reads the file of a module, and those of the modules that it declares; they lie in `folder`.
    fn read_file(&mut self, file: &Path, folder: &Path, module: &[String]) -> Result<()> {
        let text = fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
        let parsed = syn::parse_file(&text).with_context(|| format!("{}", file.display()))?;
        let mut found = Found { module: module.to_vec(), named: BTreeSet::new(), declared: Vec::new() };
        found.visit_file(&parsed);
        self.0.entry(module.to_vec()).or_default().extend(found.named);
        for name in found.declared {
            let inside = folder.join(&name);
            let beside = folder.join(format!("{name}.rs"));
            let file = if beside.exists() { beside } else { inside.join("mod.rs") };
            self.read_file(&file, &inside, &[module, &[name]].concat())?;
        }
        Ok(())
    }
}

/// What is found in the file of a module.
struct Found {
    module: Vec<String>,
    /// Paths from the root of the crate.
    named: BTreeSet<Vec<String>>,
    /// Modules with a file of their own.
    declared: Vec<String>,
}

impl Found {
    /// Takes a path that begins with `crate`, `super` or `self`; others lead out of the crate, or to what such a one has
    /// brought.
    fn take(&mut self, path: &[String]) {
        let mut rest = path;
        let mut from = match rest {
            [first, ..] if first == "crate" => Vec::new(),
            [first, ..] if first == "super" || first == "self" => self.module.clone(),
            _ => return,
        };
        while let [first, after @ ..] = rest {
            match first.as_str() {
                "crate" | "self" => {}
                "super" => drop(from.pop()),
                _ => break,
            }
            rest = after;
        }
        self.named.insert([&from[..], rest].concat());
    }

    fn take_tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: String| [before, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.take_tree(&with(path.ident.to_string()), &path.tree),
            UseTree::Name(name) => self.take(&with(name.ident.to_string())),
            UseTree::Rename(rename) => self.take(&with(rename.ident.to_string())),
            UseTree::Glob(_) => self.take(before),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.take_tree(before, tree)),
        }
    }

    /// Paths among the tokens of a macro's call.
    fn take_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.take(&std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                other => {
                    self.take(&std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.take_tokens(group.stream());
                    }
                }
            }
        }
        self.take(&path);
    }
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item(&mut self, item: &'ast Item) {
        if !attributes(item).iter().any(is_for_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        match &module.content {
            None => self.declared.push(module.ident.to_string()),
            // What a module within the file names is named by the file.
            Some((_, items)) => {
                self.module.push(module.ident.to_string());
                for item in items {
                    self.visit_item(item);
                }
                self.module.pop();
            }
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.take_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.take(&names);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.take_tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// `#[cfg(test)]`.
fn is_for_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|what| what.is_ident("test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_name_a_module_counts_and_tests_do_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        };
        write("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\n#[cfg(test)]\nmod e;");
        write("a/mod.rs", "mod inner;\nuse crate::{b::{self, Of}, c as other};\nuse std::fs;");
        write("a/inner.rs", "fn f() { println!(\"{}\", super::super::d::text()); super::g(); }\nfn h() -> self::T {}");
        write("b.rs", "fn f(x: crate::c::T) {}\n#[cfg(test)]\nmod tests { use crate::a; }");
        write("c.rs", "");
        write("d.rs", "");
        let modules = Modules::read(folder.path()).expect("modules");
        let text = |path: &[String]| path.join("::");
        let needs: Vec<(String, String)> =
            modules.needs().iter().map(|(from, to)| (text(from), text(to))).filter(|(from, to)| from != to).collect();
        let needs: Vec<(&str, &str)> = needs.iter().map(|(from, to)| (&**from, &**to)).collect();
        assert_eq!(needs, [("a", "b"), ("a", "c"), ("a::inner", "a"), ("a::inner", "d"), ("b", "c")]);
    }
}
