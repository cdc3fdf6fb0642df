//! Undo, settings of tools, files, and what all states of a document share.

use crossover_chart::Chart;
use crossover_placement::Side;
use crossover_query::Plan;
use crossover_scenario::Study;
use crossover_scenario::views::UncertaintyView;
use egui::Ui;

use super::history::MOST_UNDOS;
use super::*;
use crate::lazy_text::LazyText;
use crate::page::{Env, Page};
use crate::storage::scenario::BUILT_IN;
use crate::tour::Step;

/// A page that shows nothing.
struct Blank;

impl Page for Blank {
    fn ui(&mut self, _: &mut Ui, _: &mut Study, _: &mut Env<'_>) {}

    fn help(&self) -> &'static str {
        ""
    }

    fn tour(&self) -> &'static [Step] {
        &[]
    }

    fn status(&self, _: &str) -> String {
        String::new()
    }

    fn is_busy(&self) -> bool {
        false
    }

    fn charts(&self) -> Vec<Chart> {
        Vec::new()
    }

    fn data_csv(&self, _: &Study) -> Result<LazyText, String> {
        Err("a blank page has no data".to_owned())
    }

    fn reset_layout(&mut self, _: &Study) {}
}

fn blank(_: &Study) -> Box<dyn Page> {
    Box::new(Blank)
}

fn document() -> Document {
    let scenario = crossover_scenario::read(BUILT_IN).expect("a valid example");
    Document::new(blank, "1".into(), None, scenario)
}

#[test]
fn undo_and_redo_walk_through_the_edits() {
    let mut document = document();
    let original = document.scenario.clone();
    for name in ["a", "b", "c"] {
        document.scenario.name = name.into();
        document.settle().expect("valid");
    }
    document.undo();
    document.undo();
    assert_eq!(document.scenario.name, "a");
    document.redo();
    assert_eq!(document.scenario.name, "b");
    document.scenario.name = "d".into();
    document.settle().expect("a changed study is still valid");
    assert!(!document.can_redo(), "a new edit drops what was taken back");
    for _ in 0..10 {
        document.undo();
    }
    assert_eq!(*document.scenario, original);
    assert!(!document.is_dirty() && !document.can_undo());
}

#[test]
fn what_stands_in_no_file_changes_in_every_state_without_an_edit() {
    let mut document = document();
    for name in ["a", "b"] {
        document.scenario.name = name.into();
        document.settle().expect("valid");
    }
    document.undo();
    document.amend(|scenario| scenario.notes = "found".into());
    assert!(document.can_redo() && document.can_undo());
    document.redo();
    assert_eq!((document.scenario.name.as_str(), document.scenario.notes.as_str()), ("b", "found"));
    document.undo();
    document.undo();
    assert!(!document.is_dirty() && document.scenario.notes == "found");
}

fn drawn_by(figure: &str) -> Views {
    let uncertainty = Some(UncertaintyView { spread_all: None, figure: Some(figure.to_owned()) });
    Views { uncertainty, ..Views::default() }
}

#[test]
fn settings_of_tools_are_kept_without_an_edit_and_stay_when_edits_are_undone() {
    let mut document = document();
    document.scenario.name = "edited".into();
    document.settle().expect("valid");
    document.set_views(&drawn_by("speedup"));
    document.settle().expect("valid");
    document.undo();
    assert!(!document.is_dirty() && !document.can_undo(), "the edit was the only step");
    assert!(document.has_unsaved_views() && document.scenario.views == drawn_by("speedup"));
    document.redo();
    assert_eq!((document.scenario.name.as_str(), &document.scenario.views), ("edited", &drawn_by("speedup")));
}

#[test]
fn settings_of_tools_that_change_during_a_save_are_still_to_be_saved() {
    let mut document = document();
    document.set_views(&drawn_by("speedup"));
    let during = document.scenario.clone();
    document.set_views(&drawn_by("seconds"));
    let file = OnDisk::at(Path::new("plan.ron"));
    document.mark_saved(file.clone(), during);
    assert!(document.has_unsaved_views() && !document.is_dirty());
    document.mark_saved(file, document.scenario.clone());
    assert!(!document.has_unsaved_views());
}

/// 10,000 nodes with what Spark counts.
fn large() -> Scenario {
    use crossover_query::{Kind, Metric, Node};
    let text = include_str!("../../../../scenarios/placement-spark.ron");
    let mut scenario = crossover_scenario::read(text).expect("a valid example");
    let query = scenario.study.placement_mut().and_then(|study| study.query.as_mut()).expect("a query");
    let metric = |name: u8| Metric { name: format!("metric {name}"), unit: "sum".into(), total: Some(1e9) };
    query.plan.nodes = (0..10_000)
        .map(|id| Node {
            inputs: if id < 9_999 { vec![id + 1] } else { Vec::new() },
            metrics: (0..10).map(metric).collect(),
            ..Node::new(format!("Filter {id}"), Kind::Filter)
        })
        .collect();
    scenario
}

/// What a state of a document holds besides its plan is small: all undo steps together take less than 50 MB.
#[test]
fn all_undo_steps_hold_the_same_plan() {
    let mut document = Document::new(blank, "1".into(), None, large());
    for edit in 0..2 * MOST_UNDOS {
        document.scenario.study.placement_mut().expect("a study").cluster.machines = 2.0 + edit as f64;
        document.scenario.study.placement_mut().expect("a study").pin_node(edit, Some(Side::Gpu));
        document.settle().expect("valid");
    }
    for _ in 0..MOST_UNDOS / 4 {
        document.undo();
    }
    let History { undo, settled, redo } = &document.history;
    assert_eq!(undo.len() + redo.len(), MOST_UNDOS);
    let query =
        |scenario: &Scenario| scenario.placement().and_then(|study| study.query.as_deref()).expect("a query").clone();
    let plan = query(&document.scenario).plan;
    let all = undo.iter().chain(redo).chain([settled]).chain(document.saved());
    assert!(all.clone().all(|scenario| query(scenario).plan.is_same(&plan)));
    let bytes_beside_plans = all.map(|scenario| {
        let mut scenario = scenario.clone();
        let mut query = query(&scenario);
        query.plan = Plan::default().into();
        scenario.study.placement_mut().expect("a study").query = Some(Box::new(query));
        // Numbers and names take about as much room in memory as in a file.
        scenario.to_ron().len()
    });
    let (beside, of_plan) = (bytes_beside_plans.sum::<usize>(), large().to_ron().len());
    assert!(beside < 50_000_000 / 4, "{beside} bytes beside plans");
    assert!(of_plan > 50_000_000 / MOST_UNDOS, "{of_plan} bytes: a plan worth sharing");
}

#[test]
fn settings_name_a_document_by_its_file_and_without_one_by_its_id() {
    let mut document = document();
    let by_id = OtherScenario::Unsaved("1".to_owned());
    assert_eq!(document.reference(), by_id);
    let file = OnDisk { path: "/link/plan.ron".into(), identity: "/real/plan.ron".into(), version: None };
    document.mark_saved(file, document.scenario.clone());
    let [by_path, by_identity] = ["/link/plan.ron", "/real/plan.ron"].map(|path| OtherScenario::File(path.to_owned()));
    assert_eq!(document.reference(), by_identity);
    assert!([by_path, by_identity, by_id].iter().all(|reference| document.is_named(reference)));
    let others = [OtherScenario::File("/link/other.ron".to_owned()), OtherScenario::Unsaved("2".to_owned())];
    assert!(!others.iter().any(|reference| document.is_named(reference)));
}

#[test]
fn whether_there_are_edits_follows_every_change_of_the_scenario_and_of_what_is_saved() {
    let mut document = document();
    let original = document.scenario.name.clone();
    document.settle().expect("valid");
    let revision = document.scenario.revision().clone();
    // As a page that changes nothing: it has access to the scenario in each frame.
    _ = &mut document.scenario.study;
    assert_ne!(*document.scenario.revision(), revision);
    document.settle().expect("valid");
    assert_eq!(*document.scenario.revision(), revision);
    assert!(!document.is_dirty());
    for name in ["edited", "edited again"] {
        document.scenario.name = name.into();
        assert!(document.is_dirty());
        document.settle().expect("valid");
        assert!(document.is_dirty() && *document.scenario.revision() != revision);
    }
    document.undo();
    document.settle().expect("valid");
    assert!(document.is_dirty(), "one edit is left");
    document.undo();
    document.settle().expect("valid");
    assert!(!document.is_dirty());
    document.scenario.name = "edited".into();
    assert!(document.is_dirty());
    document.mark_saved(OnDisk::at(Path::new("plan.ron")), document.scenario.clone());
    assert!(!document.is_dirty());
    document.scenario.name = original;
    document.settle().expect("valid");
    assert!(document.is_dirty(), "the file has another name");
    document.amend(|scenario| scenario.name = "of all states".into());
    assert!(!document.is_dirty());
    document.settle().expect("valid");
    assert!(!document.is_dirty());
}

#[test]
fn an_unsettled_edit_is_taken_back_too() {
    let mut document = document();
    document.scenario.notes = "half typed".into();
    assert!(document.can_undo() && document.is_dirty());
    document.undo();
    assert!(!document.is_dirty());
}
