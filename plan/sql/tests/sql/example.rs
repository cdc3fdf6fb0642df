//! The two statements of the published example, and the scenarios of them that come with the program.

use crossover_placement::whole::decide;
use crossover_plan::{Control, Import, scenario};
use crossover_query::{Kind, fill};
use crossover_scenario::{Scenario, Study, read};
use insta::assert_snapshot;

use super::{drawn, file};

/// A statement of the published example that comes along as a scenario of its own.
struct Shipped {
    /// What the statement, and the published operator whose cost it has, are called.
    name: &'static str,
    kind: Kind,
    file: &'static str,
    sql: &'static str,
    reads: &'static str,
}

const SHIPPED: [Shipped; 2] = [
    Shipped {
        name: "join",
        kind: Kind::Join,
        file: "../../scenarios/placement-query.ron",
        sql: "SELECT a.id_int FROM data_100g a JOIN data_100m b ON a.id_int = b.id",
        reads: "only the key columns are read",
    },
    Shipped {
        name: "filter",
        kind: Kind::Filter,
        file: "../../scenarios/placement-query-filter.ron",
        sql: "SELECT * FROM data_100g WHERE id_int < 10",
        reads: "a fifth of the rows pass",
    },
];

fn notes(of: &Shipped) -> String {
    let Shipped { name, sql, reads, .. } = of;
    format!(
        "The {name} of the published example, imported from scenarios/placement-sql.sql: {sql}. Published are the \
         cluster, the networks, the bus, the GPU and the cost of the {name}. Assumed: the tables have the sizes in their \
         names, 100 GB and 100 MB, in rows of 100 bytes; {reads}; what the example does not name costs what is usual."
    )
}

fn statements() -> Import {
    crossover_sql::read(&file("../../scenarios/placement-sql.sql"), &Control::default()).expect("an import")
}

#[test]
fn the_published_statements_are_a_filter_and_a_join() {
    let import = statements();
    assert_snapshot!("published_filter", drawn(&import.queries[0]));
    assert_snapshot!("published_join", drawn(&import.queries[1]));
    // 100 GB in rows of 100 B; the filter reads all of it, the join the INT of 4 B.
    let scanned = |query: usize| {
        let plan = &import.queries[query].plan;
        let scan = plan.nodes.iter().position(|node| node.kind == Kind::Scan).expect("a scan");
        fill(plan)[scan]
    };
    assert_eq!((scanned(0).rows_out.value, scanned(0).bytes_out.value), (1e9, 100e9));
    assert_eq!((scanned(1).rows_out.value, scanned(1).bytes_out.value), (1e9, 4e9));
}

/// After a change of the importer: `CROSSOVER_WRITE_EXAMPLES=1 cargo test -p crossover-sql --test sql example`.
#[test]
fn the_shipped_scenarios_are_what_the_importer_gives() {
    let base =
        std::fs::read_to_string(file("../../scenarios/placement-published.ron")).expect("the published scenario");
    let base = read(&base).expect("a valid scenario");
    let base = base.placement().expect("a placement study");
    let import = statements();
    let writes = std::env::var_os("CROSSOVER_WRITE_EXAMPLES").is_some();
    for of in &SHIPPED {
        let query = import.queries.iter().find(|query| query.id == of.name).expect("the statement");
        assert_eq!(query.description, of.sql);
        let mut study = scenario::placement(base, scenario::Machines::OfFile, &import, query);
        // The example says what its operator costs.
        let published = base.operators.iter().find(|operator| operator.name == of.name).expect("a published operator");
        let operator = study.operators.iter_mut().find(|operator| operator.kind == Some(of.kind)).expect("its costs");
        (operator.class, operator.cpu_seconds_per_100mb) = (published.class, published.cpu_seconds_per_100mb);
        operator.fixed_seconds = published.fixed_seconds;
        let cost = format!("operators.{}.cpu_seconds_per_100mb", of.name);
        study.sources.insert(cost.clone(), base.sources[&cost].clone());
        let made = Scenario::new(format!("The published {} in SQL", of.name), notes(of), Study::Placement(study));
        made.study.validate().expect("a valid study");
        let path = file(of.file);
        if writes {
            std::fs::write(&path, made.to_ron()).expect("a written scenario");
            continue;
        }
        let shipped = std::fs::read_to_string(&path).expect("the shipped scenario");
        assert_eq!(read(&shipped).expect("a valid scenario"), made);
        assert_eq!(shipped, made.to_ron());
    }
    assert!(!writes, "the examples are written; look at what changed, then run this without CROSSOVER_WRITE_EXAMPLES");
}

#[test]
fn the_shipped_join_has_its_published_cost() {
    let shipped = std::fs::read_to_string(file("../../scenarios/placement-query.ron")).expect("the shipped scenario");
    let shipped = read(&shipped).expect("a valid scenario");
    let study = shipped.placement().expect("a placement study");
    let join = study.operators.iter().find(|operator| operator.kind == Some(Kind::Join)).expect("the join");
    assert_eq!(join.cpu_seconds_per_100mb, 0.2);
    assert_eq!(join.class.power(), 2.0);
    assert!(study.sources.contains_key("operators.join.cpu_seconds_per_100mb"));
    let whole = decide(study).expect("a decision");
    assert_eq!(whole.operators.len(), 5);
}
