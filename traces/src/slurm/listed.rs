//! Nodes as `scontrol show node --json` and `sinfo` print them, with the field names of `scontrol show node`.
//!
//! `sinfo --json` of Slurm 21.08 and 22.05 has the nodes of scontrol; from 23.02 on its entries are groups of nodes. The text of
//! `sinfo` is read by the names of its columns.

use std::collections::BTreeMap;

use serde_json::Value;

use super::gres::tracked;
use super::job::number;
use super::node::Record;

/// The command whose table has all that is read.
const COMMAND: &str = "sinfo --Node --format=\"%N %c %m %G %T\"";
/// Most names that the ranges of a list stand for.
const MOST_OF_LIST: u64 = 100_000;
/// Most characters of a name: as POSIX has it for hosts.
const LONGEST_NAME: usize = 255;

/// The list of nodes of a JSON text: its name.
pub(super) fn list_of(text: &str) -> &'static str {
    if text.contains("\"sinfo\"") { "sinfo" } else { "nodes" }
}

/// The records of an entry of a JSON list: one of scontrol, one for each node of sinfo.
pub(super) fn of_json(entry: &Value) -> Vec<Record> {
    let at = |pointer: &str| entry.pointer(pointer);
    let whole =
        |pointer: &str| at(pointer).and_then(number).filter(|value| *value > 0.0).map(|value| format!("{value:.0}"));
    let text = |pointer: &str| at(pointer).and_then(Value::as_str).map(str::to_owned);
    let words = |pointer: &str| match at(pointer) {
        Some(Value::String(word)) => word.clone(),
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("+"),
        _ => String::new(),
    };
    let record = |name: Option<String>, fields: [(&'static str, Option<String>); 6]| -> Record {
        let fields = fields.into_iter().chain([("NodeName", name)]);
        fields.filter_map(|(field, value)| Some((field, value?))).collect()
    };
    if let Some(names) = at("/nodes/nodes").and_then(Value::as_array) {
        let count = at("/nodes/total").and_then(number).unwrap_or(1.0).max(1.0);
        let total = || at("/cpus/total").and_then(number).map(|cores| format!("{:.0}", cores / count));
        let fields = [
            ("CPUTot", whole("/cpus/minimum").or_else(total)),
            ("CPUEfctv", None),
            ("RealMemory", whole("/memory/minimum")),
            ("MemSpecLimit", None),
            ("Gres", text("/gres/total")),
            ("State", Some(words("/node/state"))),
        ];
        let names = names.iter().filter_map(Value::as_str).flat_map(expanded);
        return names.map(|name| record(Some(name), fields.clone())).collect();
    }
    let state = format!("{}+{}", words("/state"), words("/state_flags")).to_ascii_uppercase();
    // Before 23.02 the cores that jobs may use are in the configured resources alone.
    let configured = || {
        let cores = tracked(at("/tres")?.as_str()?, "cpu")?;
        cores.parse::<u32>().ok().filter(|cores| *cores > 0).map(|cores| cores.to_string())
    };
    let fields = [
        ("CPUTot", whole("/cpus")),
        ("CPUEfctv", whole("/effective_cpus").or_else(configured)),
        ("RealMemory", whole("/real_memory")),
        ("MemSpecLimit", whole("/specialized_memory")),
        ("Gres", text("/gres")),
        ("State", Some(state.trim_end_matches('+').to_owned())),
    ];
    vec![record(text("/name").or_else(|| text("/hostname")), fields)]
}

/// The records of a table of `sinfo`, each with its line; `None` if it is none.
///
/// # Errors
/// A column is missing.
pub(super) fn of_table(text: &str) -> Option<Result<Vec<(usize, Record)>, String>> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (_, first) = lines.next()?;
    let separated = first.contains('|');
    let cells = |line: &str| -> Vec<String> {
        let cells: Vec<&str> = if separated { line.split('|').collect() } else { line.split_whitespace().collect() };
        cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
    };
    let names = cells(first);
    let place = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.to_ascii_uppercase().as_str()));
    let name = place(&["NODELIST", "HOSTNAMES", "NODE"])?;
    let (Some(cores), Some(memory), Some(gres)) = (place(&["CPUS"]), place(&["MEMORY"]), place(&["GRES"])) else {
        return Some(Err(format!("a table of sinfo without CPUS, MEMORY or GRES; run “{COMMAND}”")));
    };
    let state = place(&["STATE"]);
    // With --Format each column is as wide as the header says, and what does not fit is cut without a sign.
    let width = Some(first.chars().count()).filter(|_| first.ends_with(' ') && !separated);
    let mut records = Vec::new();
    for (number, line) in lines {
        let row = cells(line);
        let is_full = |width: usize| !line.ends_with(' ') && line.chars().count() >= width;
        if row.len() < names.len() || width.is_some_and(is_full) {
            return Some(Err(format!("line {number}: sinfo has cut a value; run “{COMMAND}”")));
        }
        let cell = |place: usize| row.get(place).cloned().unwrap_or_default();
        for node in expanded(&cell(name)) {
            // A plus sign: groups have nodes with more.
            let least = |text: String| text.trim_end_matches('+').to_owned();
            let record = BTreeMap::from([
                ("NodeName", node),
                ("CPUTot", least(cell(cores))),
                ("RealMemory", least(cell(memory))),
                ("Gres", cell(gres)),
                ("State", state.map(cell).unwrap_or_default().to_ascii_uppercase()),
            ]);
            records.push((number, record));
        }
    }
    Some(Ok(records))
}

/// The names of a list of hosts: `gpu[01-03,7]`, `a1,b[2-3]`. A part that is not understood, or has too many, stands for itself.
pub(super) fn expanded(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    for part in parts(list) {
        match Numbered::within(part, names.len() as u64) {
            Some(numbered) => numbered.add_to(&mut names),
            None => names.push(part.to_owned()),
        }
    }
    names
}

/// How many names a list of hosts has, by the same rules.
pub(super) fn count(list: &str) -> u64 {
    parts(list).fold(0, |before, part| before + Numbered::within(part, before).map_or(1, |numbered| numbered.count()))
}

/// The parts of a list of hosts, divided by commas outside of brackets.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let is_between = move |c: char| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    list.split(is_between).map(str::trim).filter(|part| !part.is_empty())
}

/// Names that differ by a number.
struct Numbered<'a> {
    before: &'a str,
    after: &'a str,
    /// First and last numbers, and how many digits each has at least.
    ranges: Vec<(u64, u64, usize)>,
}

impl<'a> Numbered<'a> {
    /// A part of a list with brackets, if there is room for its names behind so many others.
    fn within(part: &'a str, others: u64) -> Option<Self> {
        let (before, rest) = part.split_once('[')?;
        let (numbers, after) = rest.split_once(']')?;
        if after.contains('[') {
            return None;
        }
        let range = |text: &str| {
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            let is_name = before.len() + after.len() + first.len().max(last.len()) <= LONGEST_NAME;
            let (from, to): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
            (is_name && from <= to).then_some((from, to, first.len()))
        };
        let ranges = numbers.split(',').map(range).collect::<Option<Vec<_>>>()?;
        let numbered = Self { before, after, ranges };
        (numbered.count() <= MOST_OF_LIST.saturating_sub(others)).then_some(numbered)
    }

    fn count(&self) -> u64 {
        self.ranges.iter().fold(0, |sum, (first, last, _)| sum.saturating_add((last - first).saturating_add(1)))
    }

    fn add_to(&self, names: &mut Vec<String>) {
        let Self { before, after, ranges } = self;
        for &(first, last, width) in ranges {
            names.extend((first..=last).map(|number| format!("{before}{number:0width$}{after}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_NAME, count, expanded};

    #[test]
    fn lists_of_hosts_are_expanded_as_slurm_writes_them() {
        let cases = [
            ("n1", vec!["n1"]),
            ("gpu[08-11]", vec!["gpu08", "gpu09", "gpu10", "gpu11"]),
            ("a[1,3-4]-x,b", vec!["a1-x", "a3-x", "a4-x", "b"]),
            ("a[3-1]", vec!["a[3-1]"]),
            ("", vec![]),
        ];
        for (list, expected) in cases {
            assert_eq!(expanded(list), expected, "{list}");
            assert_eq!(count(list), expected.len() as u64, "{list}");
        }
    }

    /// A short text stands for no more memory than a cluster needs.
    #[test]
    fn a_list_stands_for_no_more_names_than_a_cluster_has() {
        assert_eq!(expanded("n[1-100000]").len(), 100_000);
        assert_eq!(count("n[1-100000]"), 100_000);
        assert_eq!(expanded("n[0-100000]"), ["n[0-100000]"]);
        assert_eq!(expanded("n[0-18446744073709551615]"), ["n[0-18446744073709551615]"]);
        // The first part leaves no room for the others.
        let all = "n[1-100000],".repeat(1_000);
        assert_eq!(expanded(&all).len(), 100_999);
        assert_eq!(count(&all), 100_999);
        for long in [format!("n[{}1-2]", "0".repeat(70_000)), format!("{}[1-100000]", "n".repeat(LONGEST_NAME))] {
            assert_eq!(expanded(&long), [long.as_str()]);
        }
    }
}
