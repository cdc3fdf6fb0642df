//! Support lists and operator scores.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crossover_needs::test_data;
use crossover_plan::support::{scores, unsupported};
use tempfile::TempDir;

fn file(folder: &TempDir, content: &[u8]) -> PathBuf {
    let path = folder.path().join("list.csv");
    std::fs::write(&path, content).expect("a file is written");
    path
}

fn unsupported_in(content: &str) -> Result<BTreeMap<String, String>, String> {
    let folder = TempDir::new().expect("a folder");
    unsupported(&file(&folder, content.as_bytes())).map_err(|error| error.to_string())
}

fn scores_in(content: impl AsRef<[u8]>) -> Result<BTreeMap<String, f64>, String> {
    let folder = TempDir::new().expect("a folder");
    scores(&file(&folder, content.as_ref())).map_err(|error| error.to_string())
}

#[test]
fn a_class_is_unsupported_when_all_of_its_rows_say_so() {
    let list = "Exec,Supported,Notes,Params,BOOLEAN\n\
        FilterExec,S,None,Input/Output,S\n\
        CollectLimitExec,NS,slower on the GPU,Input/Output,S\n\
        NewExec,TNEW,None,Input/Output,S\n\
        OffExec,CO,None,Input/Output,S\n\
        JoinExec,NS,None,leftKeys,S\n\
        JoinExec,S,None,Input/Output,S\n\
        OtherJoinExec,NS,keys,leftKeys,S\n\
        OtherJoinExec,NS,rows,Input/Output,S\n";
    let found = unsupported_in(list).unwrap();
    let expected = [
        ("CollectLimitExec", "slower on the GPU"),
        ("OffExec", "no GPU version in the support list"),
        ("OtherJoinExec", "keys"),
    ];
    assert_eq!(found, expected.map(|(class, note)| (class.to_owned(), note.to_owned())).into());
}

#[test]
fn columns_are_found_by_name() {
    let found = unsupported_in("\u{FEFF}Notes,Exec,Supported\r\nwhy,XExec,NS\r\n").unwrap();
    assert_eq!(found["XExec"], "why");
}

#[test]
fn a_wrong_support_list_is_named_by_line_and_field() {
    for (content, expected) in [
        ("", "expected Exec,Supported,Notes"),
        ("CPUOperator,Score\nFilterExec,2\n", "no column “Exec” in “CPUOperator,Score”"),
        (
            "Exec,Supported,Notes\nFilterExec,S,None\nXExec,maybe,None\n",
            "line 3, field Supported: “maybe”; allowed: S, ",
        ),
        ("Exec,Supported,Notes\n,S,None\n", "line 2, field Exec: empty"),
        ("Exec,Supported,Notes\nFilterExec,S\n", "line 2: 2 fields; expected 3"),
    ] {
        let error = unsupported_in(content).unwrap_err();
        assert!(error.contains(expected), "“{expected}” is not in: {error}");
    }
}

#[test]
fn scores_of_operators_are_read_and_those_of_expressions_left_out() {
    let found = scores_in("CPUOperator,Score\nFilterExec,4.51\nSortExec,6.64\nAbs,3.0\n").unwrap();
    assert_eq!(found, [("FilterExec".to_owned(), 4.51), ("SortExec".to_owned(), 6.64)].into());
}

#[test]
fn wrong_scores_are_named_by_line_and_field() {
    for (content, expected) in [
        ("", "expected CPUOperator,Score"),
        ("Operator,Score\nFilterExec,1\n", "no column “CPUOperator” in “Operator,Score”"),
        ("CPUOperator,Score\nFilterExec,fast\n", "line 2, field Score: “fast”; allowed: a number above 0"),
        ("CPUOperator,Score\nFilterExec,0\n", "line 2, field Score"),
        ("CPUOperator,Score\nFilterExec,-3\n", "line 2, field Score"),
        ("CPUOperator,Score\nFilterExec,NaN\n", "line 2, field Score"),
        ("CPUOperator,Score\nFilterExec,inf\n", "line 2, field Score"),
        ("CPUOperator,Score\nFilterExec,2\nFilterExec,3\n", "line 3, field Score: FilterExec has 3, but 2 above"),
        ("CPUOperator,Score\nAbs,3\n", "no operator in the file"),
    ] {
        let error = scores_in(content).unwrap_err();
        assert!(error.contains(expected), "“{expected}” is not in: {error}");
    }
    assert!(scores_in(b"\x00\xFF\xFE").unwrap_err().contains("not a text file"));
}

#[test]
fn lists_of_nvidia_are_read() {
    let Some(folder) = test_data("eventlogs/scores") else { return };
    let found = unsupported(&folder.join("supportedExecs.csv")).unwrap();
    // `cut -d, -f1,2 supportedExecs.csv | grep ',NS$'`
    let classes: Vec<&str> = found.keys().map(String::as_str).collect();
    let expected =
        ["CollectLimitExec", "FlatMapCoGroupsInPandasExec", "TableCacheQueryStageExec", "WindowInPandasExec"];
    assert_eq!(classes, expected);
    assert!(found["CollectLimitExec"].starts_with("This is disabled by default"));
    let found = scores(&folder.join("operatorsScore-onprem-a100.csv")).unwrap();
    assert_eq!((found["FilterExec"], found["SortMergeJoinExec"], found["SortExec"]), (4.51, 22.33, 6.64));
}
