//! No circles: of the files and folders that stand side by side, none needs another one that needs it.
//!
//! What a module needs is read from its source: from its `use` items, and from every path that begins with `crate`,
//! `super` or `self`, macros included; what others re-export is needed where it stands. What only tests need does not
//! count. Methods are called without a path, so that this finds most circles, not all.

mod graph;
mod modules;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};

use graph::{Graph, shortest_circle};
use modules::Modules;

/// Checks every crate of the workspace.
pub(crate) fn check(root: &Path) -> Result<String> {
    let mut circles = Vec::new();
    let (mut crates, mut count) = (0, 0);
    for folder in modules::crates(root)? {
        let modules = Modules::read(&root.join(&folder).join("src"))?;
        crates += 1;
        count += modules.len();
        for (parent, graph) in beside_each_other(&modules.needs()) {
            if let Some(circle) = shortest_circle(&graph) {
                let inside = if parent.is_empty() { String::new() } else { format!(" in {parent}") };
                let folder = folder.display();
                circles.push(format!("{folder}{inside}: {}", circle.join(" → ")));
            }
        }
    }
    ensure!(circles.is_empty(), "{} circles, at least\n{}", circles.len(), circles.join("\n"));
    Ok(format!("{count} modules of {crates} crates"))
}

/// What needs what among the modules of one parent, for every parent: if `a::b::c` needs `a::d`, then `b` needs `d`
/// in `a`. What a module needs of those around it is no question of order.
fn beside_each_other(needs: &[(Vec<String>, Vec<String>)]) -> BTreeMap<String, Graph> {
    let mut parents: BTreeMap<String, Graph> = BTreeMap::new();
    for (from, to) in needs {
        let shared = from.iter().zip(to).take_while(|(from, to)| from == to).count();
        if let (Some(beside), Some(needed)) = (from.get(shared), to.get(shared)) {
            let graph = parents.entry(from[..shared].join("::")).or_default();
            graph.entry(beside.clone()).or_default().insert(needed.clone());
        }
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Vec<String> {
        text.split("::").map(str::to_owned).collect()
    }

    #[test]
    fn modules_are_compared_where_their_ways_part() {
        let needs = [("a::b::c", "a::d"), ("a::d", "a::b"), ("a::b", "a"), ("e", "a::b")];
        let parents = beside_each_other(&needs.map(|(from, to)| (path(from), path(to))));
        assert_eq!(parents.keys().collect::<Vec<_>>(), ["", "a"]);
        assert_eq!(shortest_circle(&parents["a"]), Some(vec!["b", "d", "b"]));
        assert_eq!(shortest_circle(&parents[""]), None);
    }
}
