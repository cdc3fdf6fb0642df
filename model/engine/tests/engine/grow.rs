//! Plans over tables of other sizes.

use std::collections::BTreeMap;

use crossover_query::{Amount, Kind, Node, Plan, TableSizes, grow, scale, validate::validate};

use super::{keys, node, sales, scan};

fn sizes(sizes: &[(&str, f64)]) -> TableSizes {
    sizes.iter().map(|(table, rows)| ((*table).to_owned(), *rows)).collect()
}

fn rows(plan: &Plan) -> Vec<f64> {
    plan.nodes.iter().map(|node| node.rows_out.expect("rows").value).collect()
}

#[test]
fn sources_get_their_sizes_and_what_follows_grows_with_them() {
    let grown = grow(&sales(), &sizes(&[("sales", 5e7), ("items", 2e3)]));
    assert_eq!(grown.unchanged, Vec::<String>::new());
    assert_eq!(validate(&grown.plan, "plan"), Ok(()));
    let [groups, joined, sold, items] = rows(&grown.plan)[..] else { panic!("four nodes") };
    assert_eq!((joined, sold, items), (5e7, 5e7, 2e3));
    // A million rows fill all of a thousand groups, so there are a thousand; twice as many items, twice as many groups.
    assert!((groups / 2e3 - 1.0).abs() < 1e-3, "{groups}");
    let seconds: Vec<f64> = grown.plan.nodes.iter().map(|node| node.cpu_seconds.expect("time").value).collect();
    assert!((seconds[2] - 50.0).abs() < 1e-9, "{seconds:?}");
    assert!(grown.plan.nodes.iter().all(|node| node.rows_out.is_some_and(Amount::is_estimated)));
}

#[test]
fn a_plan_over_the_tables_that_it_has_keeps_its_numbers() {
    let plan = sales();
    let grown = grow(&plan, &sizes(&[("sales", 1e6), ("items", 1e3)])).plan;
    for (before, after) in rows(&plan).iter().zip(rows(&grown)) {
        assert!((after / before - 1.0).abs() < 1e-3, "{before} → {after}");
    }
}

#[test]
fn a_table_without_a_size_stays_and_is_told_of() {
    let grown = grow(&sales(), &sizes(&[("sales", 2e6)]));
    assert_eq!(grown.unchanged, ["items"]);
    assert_eq!(rows(&grown.plan)[3], 1e3);
}

/// A count just below the size of a table leaves out what the engine skipped; a size that nothing states is no count.
#[test]
fn a_table_whose_rows_were_not_counted_gets_its_size() {
    let rows_after = |counted: Option<Amount>| {
        let mut people = scan("people", &["age"], 1e6);
        (people.rows_in, people.rows_out) = (None, counted);
        if let Some(source) = people.source.as_mut() {
            (source.table_rows, source.filters) = (None, "IsNotNull(age)".to_owned());
        }
        let plan = Plan { nodes: vec![people], ..Plan::default() };
        grow(&plan, &sizes(&[("people", 1.92e6)])).plan.nodes[0].rows_in.expect("rows").value
    };
    assert!((rows_after(None) / 1.92e6 - 1.0).abs() < 1e-9, "{}", rows_after(None));
    assert_eq!(rows_after(Some(Amount::reported(1e6))), 1e6);
}

#[test]
fn keys_that_never_repeat_grow_with_the_rows() {
    let aggregate = Node { keys: keys(&[&["ticket"]]), ..node(Kind::Aggregate, &[1], 1e6) };
    let plan = Plan { nodes: vec![aggregate, scan("sales", &["ticket"], 1e6)], ..Plan::default() };
    let grown = grow(&plan, &sizes(&[("sales", 1e8)])).plan;
    assert!((rows(&grown)[0] / 1e8 - 1.0).abs() < 1e-9);
}

#[test]
fn pairs_without_equal_keys_grow_as_the_product() {
    let join = Node { detail: "a > b".to_owned(), ..node(Kind::Join, &[1, 2], 5e5) };
    let plan = Plan { nodes: vec![join, scan("left", &["a"], 1e3), scan("right", &["b"], 1e3)], ..Plan::default() };
    let grown = grow(&plan, &sizes(&[("left", 1e4), ("right", 1e4)])).plan;
    assert_eq!(rows(&grown)[0], 5e7);
    // Half a second of work for all pairs, a hundred times as many.
    assert!((grown.nodes[0].cpu_seconds.expect("time").value - 50.0).abs() < 1e-9);
}

#[test]
fn a_factor_multiplies_rows_and_times() {
    let scaled = scale(&sales(), 3.0);
    assert_eq!(rows(&scaled), [3e3, 3e6, 3e6, 3e3]);
    let total: BTreeMap<&str, f64> =
        scaled.nodes.iter().map(|node| (node.name.as_str(), node.cpu_seconds.expect("time").value)).collect();
    assert!((total["join"] - 3.0).abs() < 1e-12);
}

/// A log counts the rows of the partitions that a query needs, and not those of the table.
#[test]
fn a_table_of_which_a_run_read_some_partitions_keeps_its_size() {
    let mut plan = sales();
    let source = plan.nodes[2].source.as_mut().expect("a source");
    source.table_rows = None;
    source.partition_filters = vec!["isnotnull(day)".to_owned()];
    let stated = sizes(&[("sales", 5e7), ("items", 2e3)]);
    let grown = grow(&plan, &stated);
    assert_eq!(grown.unchanged, ["sales"]);
    let sold = |plan: &Plan| {
        let scan = &plan.nodes[2];
        (scan.rows_out.map(|rows| rows.value), scan.source.as_ref().and_then(|source| source.table_rows))
    };
    assert_eq!(sold(&grown.plan), (Some(1e6), None));

    // Another scan of the table reads all of it: both grow by the same factor.
    plan.nodes.push(scan("sales", &["item", "day"], 5e6));
    plan.nodes[1].inputs.push(4);
    let grown = grow(&plan, &stated);
    assert_eq!((grown.unchanged, sold(&grown.plan)), (Vec::new(), (Some(1e7), None)));
}
