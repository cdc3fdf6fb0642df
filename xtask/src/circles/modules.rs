//! The modules of a crate, and what each of them names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use proc_macro2::{TokenStream, TokenTree};
use serde::Deserialize;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, ImplItemFn, Item, ItemMod, ItemUse, Macro, UseTree};

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

/// The modules of a crate by their paths.
pub(super) struct Modules(BTreeMap<Vec<String>, Module>);

/// What stands in a module; paths begin at the root of the crate.
#[derive(Default)]
struct Module {
    /// What it names.
    named: BTreeSet<Vec<String>>,
    /// What its `use` items bring, by the names that it has here.
    brought: BTreeMap<String, Vec<String>>,
    /// Modules of which its `use` items bring everything.
    globs: Vec<Vec<String>>,
    /// Names of its own items.
    defined: BTreeSet<String>,
}

/// Longest chain of re-exports that is followed.
const MOST_STEPS: usize = 16;

impl Modules {
    /// Reads the sources below a folder; modules that only tests have are left out.
    pub(super) fn read(source: &Path) -> Result<Self> {
        let mut modules = Self(BTreeMap::new());
        for root in ["lib.rs", "main.rs"].map(|name| source.join(name)) {
            if root.exists() {
                modules.read_file(&root, source, &[])?;
            }
        }
        ensure!(!modules.0.is_empty(), "{}: there is neither lib.rs nor main.rs", source.display());
        Ok(modules)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Every module with one that it needs.
    pub(super) fn needs(&self) -> Vec<(Vec<String>, Vec<String>)> {
        let needs = |(path, module): (&Vec<String>, &Module)| {
            let path = path.clone();
            let needed: BTreeSet<Vec<String>> = module.named.iter().map(|named| self.module_of(named)).collect();
            needed.into_iter().map(move |needed| (path.clone(), needed)).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(needs).collect()
    }

    /// The module in which an item stands: re-exports on the way to it are followed.
    fn module_of(&self, path: &[String]) -> Vec<String> {
        let (mut at, mut rest) = (Vec::new(), path.to_vec());
        let mut steps = 0;
        while let Some(name) = rest.first().cloned() {
            let child = [&at[..], std::slice::from_ref(&name)].concat();
            let here = self.0.get(&at);
            if self.0.contains_key(&child) {
                at = child;
                rest.remove(0);
            } else if let Some(target) = here.and_then(|here| here.brought.get(&name)).filter(|_| steps < MOST_STEPS) {
                steps += 1;
                rest = [&target[..], &rest[1..]].concat();
                at.clear();
            } else if let Some(module) = here.and_then(|here| self.glob_of(here, &name)) {
                return module;
            } else {
                break;
            }
        }
        at
    }

    /// The module of which everything is brought, and which has this.
    fn glob_of(&self, here: &Module, name: &str) -> Option<Vec<String>> {
        let of = here.globs.iter().find(|glob| self.0.get(*glob).is_some_and(|module| module.defined.contains(name)));
        of.cloned()
    }

    /// Reads the file of a module, and those of the modules that it declares; they lie in `folder`.
    fn read_file(&mut self, file: &Path, folder: &Path, path: &[String]) -> Result<()> {
        let text = fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
        let parsed = syn::parse_file(&text).with_context(|| format!("{}", file.display()))?;
        let mut found = Found { path: path.to_vec(), module: Module::default(), declared: Vec::new() };
        found.visit_file(&parsed);
        let Found { module, declared, .. } = found;
        let known = self.0.entry(path.to_vec()).or_default();
        known.named.extend(module.named);
        known.brought.extend(module.brought);
        known.globs.extend(module.globs);
        known.defined.extend(module.defined);
        for name in declared {
            let inside = folder.join(&name);
            let beside = folder.join(format!("{name}.rs"));
            let file = if beside.exists() { beside } else { inside.join("mod.rs") };
            self.read_file(&file, &inside, &[path, &[name]].concat())?;
        }
        Ok(())
    }
}

/// What is found in the file of a module.
struct Found {
    path: Vec<String>,
    module: Module,
    /// Modules with a file of their own.
    declared: Vec<String>,
}

impl Found {
    /// A path from the root of the crate, if it begins with `crate`, `super` or `self`. Others begin with what a `use` has
    /// brought, or lead out of the crate.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let mut from = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "super" | "self" => self.path.clone(),
            _ => return None,
        };
        let mut rest = path;
        while let [first, after @ ..] = rest {
            match first.as_str() {
                "crate" | "self" => {}
                "super" => drop(from.pop()),
                _ => break,
            }
            rest = after;
        }
        Some([&from[..], rest].concat())
    }

    fn take(&mut self, path: &[String]) {
        self.module.named.extend(self.absolute(path));
    }

    fn take_tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: String| [before, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.take_tree(&with(path.ident.to_string()), &path.tree),
            UseTree::Name(name) if name.ident == "self" => {
                let local = before.last().cloned().unwrap_or_default();
                self.bring(local, before);
            }
            UseTree::Name(name) => self.bring(name.ident.to_string(), &with(name.ident.to_string())),
            UseTree::Rename(rename) => self.bring(rename.rename.to_string(), &with(rename.ident.to_string())),
            UseTree::Glob(_) => {
                self.take(before);
                let here = [&self.path[..], before].concat();
                self.module.globs.push(self.absolute(before).unwrap_or(here));
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.take_tree(before, tree)),
        }
    }

    /// Takes what a `use` brings under a name.
    fn bring(&mut self, name: String, path: &[String]) {
        self.take(path);
        // A path that begins with none of the words may begin with a module of this one.
        let here = || [&self.path[..], path].concat();
        let path = self.absolute(path).unwrap_or_else(here);
        self.module.brought.insert(name, path);
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
        let (attributes, name) = of_item(item);
        if attributes.iter().any(is_for_tests) {
            return;
        }
        self.module.defined.extend(name.map(ToString::to_string));
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        if !function.attrs.iter().any(is_for_tests) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        match &module.content {
            None => self.declared.push(module.ident.to_string()),
            // What a module within the file names is named by the file.
            Some((_, items)) => {
                self.path.push(module.ident.to_string());
                for item in items {
                    self.visit_item(item);
                }
                self.path.pop();
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

/// Attributes and name of an item.
fn of_item(item: &Item) -> (&[Attribute], Option<&Ident>) {
    match item {
        Item::Const(item) => (&item.attrs, Some(&item.ident)),
        Item::Enum(item) => (&item.attrs, Some(&item.ident)),
        Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
        Item::Impl(item) => (&item.attrs, None),
        Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
        Item::Mod(item) => (&item.attrs, Some(&item.ident)),
        Item::Static(item) => (&item.attrs, Some(&item.ident)),
        Item::Struct(item) => (&item.attrs, Some(&item.ident)),
        Item::Trait(item) => (&item.attrs, Some(&item.ident)),
        Item::Type(item) => (&item.attrs, Some(&item.ident)),
        Item::Union(item) => (&item.attrs, Some(&item.ident)),
        Item::Use(item) => (&item.attrs, None),
        _ => (&[], None),
    }
}

/// `#[cfg(test)]`, alone or with more.
fn is_for_tests(attribute: &Attribute) -> bool {
    let Ok(list) = attribute.meta.require_list() else { return false };
    let words: Vec<String> = list.tokens.to_string().split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
    list.path.is_ident("cfg") && words.iter().any(|word| word == "test") && words.iter().all(|word| word != "not")
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

    /// `super::Of` is what the parent takes from `b`, whether by name, by another name or with everything else.
    #[test]
    fn what_a_parent_brings_is_needed_where_it_stands() {
        for parent in ["pub use b::Of;", "pub(crate) use self::b::T as Of;", "pub use b::*;", "use crate::b::{Of};"] {
            let folder = tempfile::tempdir().expect("a folder");
            let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
            write("lib.rs", &format!("mod a;\nmod b;\n{parent}"));
            write("a.rs", "use super::Of;");
            write("b.rs", "pub struct Of;\npub struct T;");
            let modules = Modules::read(folder.path()).expect("modules");
            assert!(modules.needs().contains(&(vec!["a".to_owned()], vec!["b".to_owned()])), "{parent}");
        }
    }
}
