//! The layout of the question and of progress as text.

use super::super::layout::{assert_layout, shown};
use super::super::pictures::{MAIN, STATE};
use super::*;

/// Queries as a benchmark has them.
fn many() -> Import {
    const TITLES: [&str; 8] = [
        "pricing summary report",
        "minimum cost supplier",
        "shipping priority: the ten orders of the largest revenue that had not been shipped",
        "order priority checking",
        "local supplier volume",
        "forecasting revenue change",
        "SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue FROM customer, orders, lineitem, supplier, \
         nation, region WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey GROUP BY n_name ORDER BY revenue DESC",
        "suppliers who kept orders waiting",
    ];
    let mut queries: Vec<Query> = (0..1_234)
        .map(|id| query(id, TITLES[id % TITLES.len()], Some(0.5 + (id * 7919 % 1000) as f64 / 4.0), 5 + id * 31 % 90))
        .collect();
    queries[1].duration_seconds = Some(900.0);
    queries[2].failure = Some("Job aborted due to stage failure: 4 attempts".into());
    queries[2].duration_seconds = Some(800.0);
    queries[3].plan.nodes.clear();
    queries[3].duration_seconds = Some(700.0);
    let warnings =
        ["the application has no end in this log", "2 stages were attempted again", "line 88,123 is truncated"];
    Import { queries, skipped_lines: 1, warnings: warnings.map(str::to_owned).to_vec(), ..import() }
}

#[test]
fn the_question_which_query_is_laid_out_as_agreed() {
    for (name, size) in [("plan-import", MAIN.size), ("plan-import-narrow", STATE.size)] {
        let mut window = shown(size, start(|_, _| Ok(many())));
        ask(&mut window);
        window.run_steps(6);
        assert_layout(name, &window);
    }
}

#[test]
fn an_import_that_begins_is_laid_out_as_agreed() {
    let gate = Arc::new(Gate::default());
    let watched = Arc::clone(&gate);
    let mut window = shown(STATE.size, start(move |_, control| watched.pass(control).map(|()| import())));
    import_file(&mut window, "/logs/application_1700000000000_0042.zstd");
    until(&mut window, "the progress", |window| window.query_by_label("Cancel the import").is_some());
    window.run_steps(6);
    assert_layout("plan-import-progress", &window);
}
