//! Lists of what a GPU can run, and how fast, for the query on screen.

use std::path::PathBuf;

use crossover_page::command::Command;
use crossover_placement_page::List;
use crossover_placement_page::request::Request;

use super::super::files::Dropped;
use super::super::{send, study, type_path};
use super::*;

/// The format of NVIDIA's list: a class has a row for each of its parameters.
const SUPPORT: &str = "Exec,Supported,Notes,Params,BOOLEAN,INT\n\
                       FilterExec,NS,no strings,Input/Output,S,S\n\
                       SortExec,S,None,Input/Output,S,S\n";
const SCORES: &str = "CPUOperator,Score\nFilterExec,2.5\nSortExec,8\nAdd,4\n";

fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("written");
    path
}

/// A window with a query on screen.
fn window_with_query() -> Window {
    let mut window = window_of(import());
    ask(&mut window);
    key(&mut window, egui::Key::Enter);
    window
}

fn unsupported(window: &Window) -> Vec<(&str, &str)> {
    let query = study(window).query.as_ref().expect("a query");
    query.unsupported.iter().map(|(class, note)| (class.as_str(), note.as_str())).collect()
}

fn scores(window: &Window) -> Vec<(&str, f64)> {
    let query = study(window).query.as_ref().expect("a query");
    query.scores.iter().map(|(class, score)| (class.as_str(), *score)).collect()
}

#[test]
fn a_support_list_is_one_edit_and_can_be_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "supportedExecs.csv", SUPPORT);
    let mut window = window_with_query();
    send(&mut window, Command::ask(Request::Use(List::Support)));
    type_path(&mut window, &path);
    assert_eq!(unsupported(&window), [("FilterExec", "no strings")]);
    assert!(messages(&window).contains("supportedExecs.csv: 1 class has no GPU version"), "{}", messages(&window));
    send(&mut window, Command::Undo);
    assert!(unsupported(&window).is_empty());
    send(&mut window, Command::Redo);
    send(&mut window, Command::ask(Request::Remove(List::Support)));
    assert!(unsupported(&window).is_empty());
    send(&mut window, Command::Undo);
    assert_eq!(unsupported(&window).len(), 1);
}

#[test]
fn scores_are_one_edit_and_can_be_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "operatorsScore.csv", SCORES);
    let mut window = window_with_query();
    send(&mut window, Command::ask(Request::Use(List::Scores)));
    type_path(&mut window, &path);
    assert_eq!(scores(&window), [("FilterExec", 2.5), ("SortExec", 8.0)]);
    assert!(study(&window).query.as_ref().expect("a query").use_scores);
    send(&mut window, Command::ask(Request::Remove(List::Scores)));
    assert!(scores(&window).is_empty() && !study(&window).query.as_ref().expect("a query").use_scores);
    send(&mut window, Command::Undo);
    assert_eq!(scores(&window).len(), 2);
}

#[test]
fn a_dropped_list_is_used_whichever_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window_with_query();
    for (name, text) in [("a.csv", SUPPORT), ("b.csv", SCORES)] {
        window.input_mut().dropped_files.push(Arc::new(Dropped(written(&folder, name, text))));
        settle(&mut window);
    }
    assert_eq!((unsupported(&window).len(), scores(&window).len()), (1, 2), "{}", messages(&window));
}

#[test]
fn a_list_that_is_none_says_where_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "scores.csv", "CPUOperator,Score\nFilterExec,fast\n");
    let mut window = window_with_query();
    send(&mut window, Command::ask(Request::Use(List::Scores)));
    type_path(&mut window, &path);
    for part in ["scores.csv", "2", "Score", "fast"] {
        assert!(messages(&window).contains(part), "“{part}” is missing in: {}", messages(&window));
    }
    assert!(scores(&window).is_empty() && !window.state().active().expect("open").can_undo());
}

#[test]
fn a_list_without_a_query_says_what_it_is_for() {
    let mut window = super::super::window();
    for request in Request::LISTS {
        send(&mut window, Command::ask(request));
        assert!(messages(&window).contains("import a query plan first"), "{}", messages(&window));
    }
}

#[test]
fn a_list_for_a_closed_query_is_dropped_with_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "supportedExecs.csv", SUPPORT);
    let mut window = window_with_query();
    window.state_mut().send(Command::ask(Request::UseFile(path)));
    window.run_steps(1);
    window
        .state_mut()
        .show_only("other.ron".into(), super::super::window().state().active().expect("open").scenario.clone());
    settle(&mut window);
    assert!(messages(&window).contains("its query was closed meanwhile"), "{}", messages(&window));
}
