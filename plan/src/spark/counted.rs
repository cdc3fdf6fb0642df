//! What a log does not count of what a query moves.

use std::collections::BTreeSet;

use crossover_query::Plan;
use crossover_query::volumes::{has_run, uncounted};

/// Names of operators in a note.
const MOST_NAMES: usize = 3;

/// A note on scans whose files or data the log does not count; `None` if it counts those of all, or if the query did not end.
pub(super) fn note(plan: &Plan) -> Option<String> {
    if plan.duration_seconds.is_none() || !has_run(plan) {
        return None;
    }
    let nodes = uncounted(plan).into_iter().map(|id| &plan.nodes[id]);
    let scans: Vec<&str> = nodes.filter(|node| node.kind.is_source()).map(|node| node.name.as_str()).collect();
    let names: BTreeSet<&str> = scans.iter().copied().collect();
    let rest = if names.len() > MOST_NAMES { ", …" } else { "" };
    let names = names.into_iter().take(MOST_NAMES).collect::<Vec<&str>>().join(", ");
    let of_scans = match scans.len() {
        0 => return None,
        1 => "1 scan".to_owned(),
        count => format!("{count} scans"),
    };
    Some(format!(
        "files and data of {of_scans} are not counted in the log ({names}{rest}): predictions for GPUs are less certain"
    ))
}

#[cfg(test)]
mod tests {
    use crossover_query::{Kind, Metric, Node};

    use super::*;

    fn scan(name: &str, metric: &str, total: Option<f64>) -> Node {
        let metrics = vec![Metric { name: metric.to_owned(), unit: "sum".to_owned(), total }];
        Node { metrics, ..Node::new(name, Kind::Scan) }
    }

    fn note_of(nodes: Vec<Node>) -> Option<String> {
        note(&Plan { engine: "Spark 3.5.3".to_owned(), duration_seconds: Some(1.0), nodes, ..Plan::default() })
    }

    #[test]
    fn scans_without_counted_files_are_named() {
        let text = scan("Scan hive shop.notes", "number of output rows", Some(5.0));
        let database = scan("Scan JDBCRelation(people)", "number of output rows", Some(5.0));
        let note = note_of(vec![text.clone(), database, text]).expect("three are not counted");
        assert!(note.starts_with("files and data of 3 scans are not counted in the log ("), "{note}");
        assert!(note.contains("(Scan JDBCRelation(people), Scan hive shop.notes)"), "{note}");
    }

    #[test]
    fn there_is_no_note_if_all_is_counted_or_nothing_ran() {
        let counted = scan("Scan parquet shop.sales", "number of files read", Some(0.0));
        assert_eq!(note_of(vec![counted]), None);
        assert_eq!(note_of(vec![Node::new("Scan parquet shop.sales", Kind::Scan)]), None);
        assert_eq!(note_of(vec![scan("Scan hive shop.notes", "number of output rows", None)]), None);
    }
}
