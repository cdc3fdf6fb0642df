//! Boundaries: packages that a crate must not depend on, neither itself nor through others. Normal dependencies count; those
//! of tests and build scripts do not.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use anyhow::{Result, ensure};

use crate::metadata::Metadata;

/// A crate, and the package that it must not depend on; a `*` at the end stands for the rest of a name.
type Boundary = (&'static str, &'static str);

/// The studies, each a crate.
const STUDIES: [&str; 5] =
    ["crossover-placement", "crossover-regulation", "crossover-allocation", "crossover-probe", "crossover-preemption"];

/// The page of each study, each a crate.
const PAGES: [&str; 5] = [
    "crossover-placement-page",
    "crossover-regulation-page",
    "crossover-allocation-page",
    "crossover-probe-page",
    "crossover-preemption-page",
];

/// All boundaries, one a line, or one a line for every study.
fn boundaries() -> Vec<Boundary> {
    let mut all = vec![
        // Only crossover-sql plans SQL, and only the program depends on it; DataFusion is more packages than all that reads logs.
        ("crossover-plan", "datafusion*"),
        ("crossover-fleet", "datafusion*"),
        ("crossover-fleet-page", "datafusion*"),
        ("crossover-calibrate-page", "datafusion*"),
        ("crossover-tool-pages", "datafusion*"),
        // What every page is made of, charts and tools know no page.
        ("crossover-page", "crossover-tool-pages"),
        ("crossover-chart", "crossover-page"),
        ("crossover-chart", "crossover-quantity"),
        // Tools act on any study, by its trait.
        ("crossover-tools", "crossover-scenario"),
        // A decision gets times and prices, and knows nothing of what predicts them.
        ("crossover-decision", "crossover-engine"),
        ("crossover-decision", "crossover-query"),
        ("crossover-decision", "crossover-plan"),
        // What measures shares with studies what it reports, and knows none of them.
        ("crossover-gpu-bench", "crossover-scenario"),
        ("crossover-gpu-bench", "crossover-tools"),
        // Networks and shared devices are measured without wgpu, and neither crate depends on the other.
        ("crossover-harness", "wgpu*"),
        ("crossover-network", "wgpu*"),
        ("crossover-network", "crossover-share"),
        ("crossover-share", "wgpu*"),
        ("crossover-share", "crossover-network"),
    ];
    all.extend(STUDIES.map(|study| ("crossover-gpu-bench", study)));
    all.extend(STUDIES.map(|study| ("crossover-tools", study)));
    all.extend(STUDIES.map(|study| ("crossover-decision", study)));
    all.extend(PAGES.map(|page| (page, "datafusion*")));
    all.extend(PAGES.map(|page| ("crossover-page", page)));
    all.extend(PAGES.map(|page| ("crossover-tool-pages", page)));
    // A study knows neither the tools that act on it nor another study; nor does its page another page.
    all.extend(STUDIES.map(|study| (study, "crossover-tools")));
    for crates in [STUDIES, PAGES] {
        let pairs = crates.into_iter().flat_map(|one| crates.map(|other| (one, other)));
        all.extend(pairs.filter(|(one, other)| one != other));
    }
    all
}

/// Checks all boundaries of the workspace.
pub(crate) fn check(root: &Path) -> Result<String> {
    let metadata = Metadata::read(root, &[])?;
    let boundaries = boundaries();
    let mut crossed = Vec::new();
    for boundary in &boundaries {
        crossed.extend(crossing(&metadata, *boundary)?);
    }
    ensure!(
        crossed.is_empty(),
        "{} of {} boundaries are crossed\n{}",
        crossed.len(),
        boundaries.len(),
        crossed.join("\n")
    );
    Ok(format!("{} boundaries", boundaries.len()))
}

/// The shortest path of dependencies that crosses a boundary, in words; `None` if there is none.
///
/// # Errors
/// A boundary that nothing could cross: its crate is not in the workspace, or no package has the other name.
fn crossing(metadata: &Metadata, (from, forbidden): Boundary) -> Result<Option<String>> {
    let names: BTreeMap<&str, &str> = metadata.packages.iter().map(|package| (&*package.id, &*package.name)).collect();
    let is_forbidden =
        |name: &str| forbidden.strip_suffix('*').map_or(name == forbidden, |beginning| name.starts_with(beginning));
    let is_known = names.values().any(|name| is_forbidden(name));
    ensure!(is_known, "the boundary of {from}: no package is called {forbidden}; correct the name or delete the line");

    let parts = metadata.compiled_with();
    let start = metadata.own(from)?.id.as_str();
    let mut reached_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(id) = waiting.pop_front() {
        for part in parts.get(id).into_iter().flatten().copied() {
            if part == start || reached_from.contains_key(part) {
                continue;
            }
            reached_from.insert(part, id);
            if is_forbidden(names[part]) {
                let back = std::iter::successors(Some(part), |id| reached_from.get(id).copied());
                let mut path: Vec<&str> = back.map(|id| names[id]).collect();
                path.reverse();
                return Ok(Some(format!("{from} must not depend on {forbidden}: {}", path.join(" → "))));
            }
            waiting.push_back(part);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;

    /// Packages: in each row the first depends on the second, by a dependency of this kind.
    fn metadata(needs: &[(&str, &str, Option<&str>)]) -> Metadata {
        let names: BTreeSet<&str> = needs.iter().flat_map(|(from, to, _)| [*from, *to]).collect();
        let package =
            |name: &&str| json!({ "id": name, "name": name, "version": "1.0.0", "manifest_path": "Cargo.toml" });
        let node = |name: &&str| {
            let needs = needs.iter().filter(|(from, ..)| from == name);
            let parts = needs.map(|(_, to, kind)| json!({ "pkg": to, "dep_kinds": [{ "kind": kind }] }));
            json!({ "id": name, "deps": parts.collect::<Vec<Value>>() })
        };
        let packages: Vec<Value> = names.iter().map(package).collect();
        let nodes: Vec<Value> = names.iter().map(node).collect();
        serde_json::from_value(json!({ "packages": packages, "resolve": { "nodes": nodes } })).expect("metadata")
    }

    #[test]
    fn the_shortest_path_over_a_boundary_is_named() {
        let metadata = metadata(&[
            ("logs", "files", None),
            ("logs", "plans", None),
            ("files", "others", None),
            ("others", "planner-sql", None),
            ("plans", "planner-core", None),
        ]);
        let found = |boundary| crossing(&metadata, boundary).expect("a boundary");
        let expected = "logs must not depend on planner*: logs → plans → planner-core";
        assert_eq!(found(("logs", "planner*")).as_deref(), Some(expected));
        let expected = "logs must not depend on planner-sql: logs → files → others → planner-sql";
        assert_eq!(found(("logs", "planner-sql")).as_deref(), Some(expected));
        assert_eq!(found(("plans", "planner-sql")), None);
    }

    #[test]
    fn what_only_tests_and_build_scripts_need_does_not_count() {
        let metadata = metadata(&[("logs", "planner", Some("dev")), ("logs", "planner", Some("build"))]);
        assert_eq!(crossing(&metadata, ("logs", "planner")).expect("a boundary"), None);
    }

    #[test]
    fn a_crate_does_not_cross_its_own_name() {
        let metadata =
            metadata(&[("study-a", "model", None), ("model", "study-a", Some("dev")), ("study-b", "study-a", None)]);
        assert_eq!(crossing(&metadata, ("study-a", "study-*")).expect("a boundary"), None);
        let expected = "study-b must not depend on study-*: study-b → study-a";
        assert_eq!(crossing(&metadata, ("study-b", "study-*")).expect("a boundary").as_deref(), Some(expected));
    }

    #[test]
    fn a_boundary_that_nothing_could_cross_is_refused() {
        let metadata = metadata(&[("logs", "planner", Some("dev"))]);
        let refused = |boundary| crossing(&metadata, boundary).expect_err("a refusal").to_string();
        let expected = "the boundary of logs: no package is called planer*; correct the name or delete the line";
        assert_eq!(refused(("logs", "planer*")), expected);
        assert_eq!(refused(("log", "planner")), "`cargo metadata` names no package log of this workspace");
    }
}
