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
/// Most nodes that one name stands for.
const MOST_OF_NAME: u64 = 100_000;

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

/// The names of a list of hosts: `gpu[01-03,7]`, `a1,b[2-3]`. One that is not understood stands for itself.
pub(super) fn expanded(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let is_between = |c: char| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    for part in list.split(is_between).map(str::trim).filter(|part| !part.is_empty()) {
        match of_brackets(part) {
            Some(mut of_part) => names.append(&mut of_part),
            None => names.push(part.to_owned()),
        }
    }
    names
}

fn of_brackets(part: &str) -> Option<Vec<String>> {
    let (before, rest) = part.split_once('[')?;
    let (numbers, after) = rest.split_once(']')?;
    if after.contains('[') {
        return None;
    }
    let mut names = Vec::new();
    for range in numbers.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let width = first.len();
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        if last < first || last - first >= MOST_OF_NAME || names.len() as u64 >= MOST_OF_NAME {
            return None;
        }
        names.extend((first..=last).map(|number| format!("{before}{number:0width$}{after}")));
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::expanded;

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
        }
    }
}
