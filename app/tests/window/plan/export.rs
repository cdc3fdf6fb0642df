//! Where the operators of a plan run, as files for other programs.

use crossover_export::placement::plan::PlanFormat;
use crossover_page::command::Command;
use crossover_placement_page::request::Request;
use egui_kittest::kittest::Queryable as _;

use super::super::{send, type_path};
use super::{fixture, window};

#[test]
fn the_placement_of_a_plan_is_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window(fixture::plan());
    for (format, name, expected) in [
        (PlanFormat::SparkConf, "a.conf", "\nspark.rapids.sql.exec.SortMergeJoinExec="),
        (PlanFormat::Json, "a.json", "\"class\": \"SortMergeJoinExec\""),
    ] {
        send(&mut window, Command::ask(Request::Export(format)));
        let path = folder.path().join(name);
        type_path(&mut window, &path);
        let written = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(written.contains(expected), "{expected} in\n{written}");
    }
}

#[test]
fn a_study_without_a_plan_has_nothing_of_it_to_export() {
    let mut window = super::super::window();
    send(&mut window, Command::ask(Request::Export(PlanFormat::SparkConf)));
    assert!(window.query_by_label_contains("Nothing to export: the scenario has no query plan").is_some());
}
