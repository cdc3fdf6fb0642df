//! The placement scenarios that come with the program.

pub use crossover_page::examples::PUBLISHED;
use crossover_page::examples::{Example, Template};
use crossover_scenario::Kind;

/// The template of a new placement study.
pub const TEMPLATE: Template =
    Template { kind: Kind::Placement, hint: "Where is the GPU faster? A new scenario in its own tab", example: SMALL };

/// All of them, in the order of the menu.
pub const ALL: [Example; 6] = [PUBLISHED, MODERN, SMALL, SPARK, QUERY, QUERY_FILTER];

/// A current cluster.
pub const MODERN: Example =
    Example { label: "A current cluster: 64 machines", text: include_str!("../../../scenarios/placement-modern.ron") };

/// Eight machines.
pub const SMALL: Example =
    Example { label: "A small cluster: 8 machines", text: include_str!("../../../scenarios/placement-small.ron") };

/// A query that Spark ran.
pub const SPARK: Example = Example {
    label: "A query plan: a join that Spark ran",
    text: include_str!("../../../scenarios/placement-spark.ron"),
};

/// The join of the published setting as a query plan.
pub const QUERY: Example = Example {
    label: "A query plan: the published join in SQL",
    text: include_str!("../../../scenarios/placement-query.ron"),
};

/// The filter of the published setting as a query plan.
pub const QUERY_FILTER: Example = Example {
    label: "A query plan: the published filter in SQL",
    text: include_str!("../../../scenarios/placement-query-filter.ron"),
};

/// Scenarios whose engines were fitted to measured runs, with these runs. They are not examples: each needs a query.
pub const MEASURED: [(&str, Example); 3] = [
    (
        "48 queries, TPC-DS 1 TB",
        Example {
            label: "Spark on 8 × c5d.12xlarge, RAPIDS on 4 × L4",
            text: include_str!("../../../scenarios/placement-truth-aws-l4.ron"),
        },
    ),
    (
        "11 queries, TPC-H 100 GB",
        Example {
            label: "DuckDB and Sirius on a GH200",
            text: include_str!("../../../scenarios/placement-truth-gh200.ron"),
        },
    ),
    (
        "scaled, 3 queries, NDS 3 TB",
        Example {
            label: "Spark on 8 × 128 cores, RAPIDS on 8 × A100",
            text: include_str!("../../../scenarios/placement-truth-a100.ron"),
        },
    ),
];
