//! A whole workload: the tables of TPC-H at scale factor 1000 and thirteen of its queries.

use crossover_plan::Control;
use crossover_query::{Kind, fill};
use insta::assert_snapshot;

use super::{drawn, file};

#[test]
fn a_decision_support_workload_becomes_plans() {
    let import = crossover_sql::read(&file("tests/sql/tpch.sql"), &Control::default()).expect("an import");
    assert_eq!(import.queries.len(), 13);
    for query in &import.queries {
        let text = drawn(query);
        assert!(!text.contains("__common"), "{}\n{text}", query.id);
    }
    let find = |id: &str| import.queries.iter().find(|query| query.id == id).expect("a query of that name");
    assert_snapshot!("price_summary", drawn(find("price summary")));
    assert_snapshot!("unshipped_orders", drawn(find("unshipped orders")));
    assert_snapshot!("market_share", drawn(find("market share")));
    assert_snapshot!("sales_opportunity", drawn(find("sales opportunity")));
}

#[test]
fn the_forecast_reads_what_its_columns_take() {
    let import = crossover_sql::read(&file("tests/sql/tpch.sql"), &Control::default()).expect("an import");
    let query = import.queries.iter().find(|query| query.id == "forecast").expect("the query");
    let scan = query.plan.nodes.iter().position(|node| node.kind == Kind::Scan).expect("a scan");
    // 6 billion rows of three DECIMAL(15, 2) of 8 B and a DATE of 4 B.
    assert_eq!(fill(&query.plan)[scan].bytes_out.value, 6e9 * 28.0);
}
