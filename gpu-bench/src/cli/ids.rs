//! Ids of benchmarks on the command line.

use crate::benchmarks;

/// An id, or a group of ids.
///
/// # Errors
/// There is none of this name; names the nearest.
pub(super) fn prefix(text: &str) -> Result<String, String> {
    let ids: Vec<&str> = benchmarks::all().into_iter().map(|benchmark| benchmark.id).collect();
    if ids.iter().any(|id| benchmarks::is_inside(id, text)) {
        return Ok(text.to_owned());
    }
    let nearest = nearest(text, &ids);
    let hint = if nearest.is_empty() { String::new() } else { format!("; did you mean: {}", nearest.join(", ")) };
    Err(format!("no benchmark or group has this id{hint} (“gpu-bench explain” or “crossover bench explain” lists all)"))
}

/// At most three ids within a small edit distance of `text`: of the id, or of the part before or after
/// its dot.
fn nearest<'a>(text: &str, ids: &[&'a str]) -> Vec<&'a str> {
    let text = text.to_lowercase();
    let distance = |id: &str| {
        let (group, what) = id.split_once('.').unwrap_or((id, id));
        [id, group, what].map(|part| strsim::damerau_levenshtein(&text, part)).into_iter().min().unwrap_or(usize::MAX)
    };
    let mut near: Vec<(usize, &str)> = ids.iter().map(|id| (distance(id), *id)).collect();
    near.retain(|(distance, _)| *distance <= 1 + text.chars().count() / 3);
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().take(3).map(|(_, id)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_fingers_finds_the_id() {
        let ids = ["memory.copy", "memory.read", "filter.append", "sort.radix"];
        let cases: [(&str, &[&str]); 6] = [
            ("memroy", &["memory.copy", "memory.read"]),
            ("memory.coyp", &["memory.copy", "memory.read"]),
            ("Filter", &["filter.append"]),
            ("append", &["filter.append"]),
            ("", &[]),
            ("entirely different", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(nearest(text, &ids), expected, "{text}");
        }
    }

    #[test]
    fn every_id_and_group_is_known() {
        for benchmark in benchmarks::all() {
            assert_eq!(prefix(benchmark.id), Ok(benchmark.id.to_owned()));
            let group = benchmark.id.split('.').next().expect("a group");
            assert_eq!(prefix(group), Ok(group.to_owned()));
        }
        assert!(prefix("").is_err() && prefix("memory.copying").is_err());
    }
}
