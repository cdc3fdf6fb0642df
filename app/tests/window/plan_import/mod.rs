//! Importing query plans as a user meets it. What files hold is played by a reader of our own where the test needs to
//! know when it reads.

mod choosing;
mod lists;
mod pictures;
mod reading;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossover::workbench::PlanReader;
use crossover::workbench::Start;
use crossover_needs::{wait_for, wait_until};
use crossover_page::command::Command;
use crossover_placement_page::request::Request;
use crossover_plan::{Cluster, Control, Import, ImportError, Query};
use crossover_query::{Amount, Kind, Node, Plan};
use egui_kittest::kittest::Queryable as _;

use super::{Window, settle, until, window_with};

/// A chain of operators over a scan of a gigabyte.
pub(super) fn plan(operators: usize) -> Plan {
    let node = |id: usize| {
        let is_last = id + 1 == operators;
        let mut node = if is_last { Node::new("Scan parquet", Kind::Scan) } else { Node::new("Filter", Kind::Filter) };
        if is_last {
            node.bytes_out = Some(Amount::reported(1e9));
        } else {
            node.inputs = vec![id + 1];
            node.class = Some("FilterExec".to_owned());
        }
        node
    };
    Plan {
        engine: "Spark 3.5.1".into(),
        file: "app-7".into(),
        nodes: (0..operators).map(node).collect(),
        ..Plan::default()
    }
}

pub(super) fn query(id: usize, description: &str, seconds: Option<f64>, operators: usize) -> Query {
    Query {
        id: id.to_string(),
        description: description.to_owned(),
        duration_seconds: seconds,
        stages: operators / 3,
        plan: plan(operators).into(),
        ..Query::default()
    }
}

/// Four queries: the second is the longest, the third failed, the fourth has no plan.
pub(super) fn import() -> Import {
    let failed =
        Query { failure: Some("Job aborted due to stage failure".into()), ..query(2, "q19 brands", Some(9.0), 6) };
    Import {
        engine: "Spark 3.5.1".into(),
        file: "app-7".into(),
        application: "nightly report".into(),
        queries: vec![
            query(0, "q01 pricing summary", Some(2.0), 4),
            query(1, "q21 suppliers who kept orders waiting", Some(40.0), 12),
            failed,
            query(3, "create or replace view revenue", None, 0),
        ],
        cluster: Cluster { machines: Some(4), cores_per_machine: Some(16), ..Cluster::default() },
        ..Import::default()
    }
}

/// A window that reads this, whatever the file.
pub(super) fn window_of(import: Import) -> Window {
    window_with(start(move |_, _| Ok(import.clone())))
}

pub(super) fn start(read: impl Fn(&Path, &Control) -> Result<Import, ImportError> + Send + Sync + 'static) -> Start {
    Start { plan_reader: PlanReader::new(read), ..Start::default() }
}

/// What a test and a reader that waits tell each other.
#[derive(Default)]
pub(super) struct Gate {
    /// The reader stands before it.
    has_reader: AtomicBool,
    /// The reader may go on.
    is_open: AtomicBool,
    /// The reader heard that it was cancelled.
    pub(super) is_cancelled: AtomicBool,
}

impl Gate {
    /// Waits until the gate is open or the import is cancelled.
    pub(super) fn pass(&self, control: &Control) -> Result<(), ImportError> {
        self.has_reader.store(true, Ordering::Relaxed);
        wait_for("an open gate", || {
            if self.is_open.load(Ordering::Relaxed) {
                return Some(Ok(()));
            }
            control.check().inspect_err(|_| self.is_cancelled.store(true, Ordering::Relaxed)).err().map(Err)
        })
    }

    /// Waits until the reader stands before the gate: what is cancelled sooner is never read.
    pub(super) fn wait_for_the_reader(&self) {
        wait_until("the reader", || self.has_reader.load(Ordering::Relaxed));
    }

    pub(super) fn open(&self) {
        self.is_open.store(true, Ordering::Relaxed);
    }
}

/// A reader that says that it has read a quarter of 48 MB, and waits there.
pub(super) fn slow(gate: &Arc<Gate>) -> Start {
    let gate = Arc::clone(gate);
    start(move |_, control| {
        control.set_total(48_000_000);
        control.add(12_000_000);
        gate.pass(control)?;
        Ok(import())
    })
}

pub(super) fn import_file(window: &mut Window, path: &str) {
    window.state_mut().send(Command::ask(Request::ImportFile(path.into())));
    window.run_steps(2);
}

/// Imports and waits for the question.
pub(super) fn ask(window: &mut Window) {
    import_file(window, "/logs/app-7");
    settle(window);
    assert!(is_asked(window));
}

pub(super) fn is_asked(window: &Window) -> bool {
    window.query_by_label("Which query?").is_some()
}

pub(super) fn press(window: &mut Window, label: &str) {
    window.get_by_label(label).click();
    settle(window);
}

pub(super) fn key(window: &mut Window, key: egui::Key) {
    window.key_press(key);
    settle(window);
}

pub(super) fn messages(window: &Window) -> String {
    window.state().messages().collect::<Vec<_>>().join("\n")
}

/// Name of the scenario on screen.
pub(super) fn name(window: &Window) -> &str {
    &window.state().active().expect("a document is open").scenario.name
}

/// The plan of the document on screen.
pub(super) fn nodes(window: &Window) -> usize {
    super::study(window).query.as_ref().expect("a query").plan.nodes.len()
}
