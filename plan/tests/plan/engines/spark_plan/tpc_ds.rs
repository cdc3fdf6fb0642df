//! The published plans of TPC-DS: every operator is read.

use std::fs::File;
use std::io::Read as _;

use crossover_needs::test_data;
use crossover_query::{Graph, Kind, fill};
use flate2::read::GzDecoder;

use super::{named, only};

/// The texts in a compressed archive of files, by name.
fn archive(file: File) -> Vec<(String, String)> {
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    let mut files = Vec::new();
    let mut at = 0;
    let field = |at: usize, from: usize, to: usize| {
        let field = bytes.get(at + from..at + to).unwrap_or_default();
        String::from_utf8_lossy(field).trim_matches(['\0', ' ']).to_owned()
    };
    // A block of 512 bytes for each header: name, and size in octal digits.
    while !field(at, 0, 100).is_empty() {
        let size = usize::from_str_radix(&field(at, 124, 136), 8).expect("a size");
        let content = &bytes[at + 512..at + 512 + size];
        files.push((field(at, 0, 100), String::from_utf8_lossy(content).into_owned()));
        at += 512 + size.div_ceil(512) * 512;
    }
    files
}

#[test]
fn plans_of_tpc_ds_are_whole() {
    let Some(path) = test_data("truth/tpcds_sf1000_spark_explain.tgz") else { return };
    let files = archive(File::open(path).expect("the archive"));
    let mut checked = 0;
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".explain.txt")) {
        let plan = only(text);
        // The details list every operator once; subqueries have a line of their own.
        let is_detail = |line: &&str| {
            line.strip_prefix('(').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
        };
        let details = text.lines().filter(is_detail).count();
        let subqueries = text.lines().filter(|line| line.starts_with("Subquery:")).count();
        assert_eq!(plan.nodes.len(), details + subqueries, "{name}");
        let scans = text.lines().filter(is_detail).filter(|line| line.contains(") Scan parquet ")).count();
        let of_kind = |kind: Kind| plan.nodes.iter().filter(|node| node.kind == kind).count();
        assert_eq!((of_kind(Kind::Scan), of_kind(Kind::Other), of_kind(Kind::UserCode)), (scans, 0, 0), "{name}");
        // Every scan runs, and those below a reused part once.
        let graph = Graph::new(&plan, &fill(&plan));
        let running = graph.operators.iter().filter(|id| plan.nodes[**id].kind == Kind::Scan).count();
        assert_eq!(running, scans, "{name}");
        let reused = text.lines().filter(|line| line.contains("[Reuses operator id: ")).count();
        let links = named(&plan, "ReusedExchange");
        assert_eq!(links.len(), reused, "{name}");
        assert!(links.iter().all(|(_, node)| node.reuses.is_some()), "{name}");
        for node in &plan.nodes {
            let needs = matches!(node.kind, Kind::Join | Kind::Aggregate | Kind::Window | Kind::Expand)
                || node.kind.is_exchange();
            assert!(!needs || node.operation.is_some(), "{name}: {} {}", node.name, node.detail);
            if node.kind == Kind::Scan {
                let source = node.source.as_deref().expect("a source");
                let is_named = node.name.ends_with(&format!(".{}", source.table));
                let has_types = source.types.is_empty() || source.types.len() == source.columns.len();
                assert!(is_named && has_types, "{name}: {source:?}");
            }
        }
        checked += 1;
    }
    assert!(checked >= 103, "{checked}");
}
