//! What PostgreSQL's plan nodes do.

use crossover_query::Kind;

/// How often a node ran.
pub(super) const LOOPS: &str = "Actual Loops";

/// What a node does, by its type (`ExplainNode` in PostgreSQL's source, `explain.c`).
pub(super) fn kind(node_type: &str, has_filter: bool, has_children: bool) -> Kind {
    match node_type {
        "Seq Scan" | "Sample Scan" | "Index Scan" | "Index Only Scan" | "Bitmap Heap Scan" | "Tid Scan"
        | "Tid Range Scan" | "Foreign Scan" => Kind::Scan,
        "Custom Scan" if !has_children => Kind::Scan,
        "Values Scan" | "Function Scan" | "Table Function Scan" | "Named Tuplestore Scan" | "WorkTable Scan" => {
            Kind::Values
        }
        "Subquery Scan" | "CTE Scan" if has_filter => Kind::Filter,
        // Both pass rows on. So does a gather, which collects from processes of the same machine: no network. `own_time` gives
        // them a kind where they have a time of their own.
        "Subquery Scan" | "CTE Scan" | "Gather" | "Gather Merge" => Kind::Wrapper,
        // How a join or a scan holds its input: its time counts as theirs.
        _ if holds_input(node_type) => Kind::Wrapper,
        "Result" if has_children => Kind::Project,
        "Result" => Kind::Values,
        "ProjectSet" => Kind::Expand,
        "Append" | "Merge Append" | "Recursive Union" => Kind::Union,
        "Nested Loop" | "Merge Join" | "Hash Join" => Kind::Join,
        "Sort" | "Incremental Sort" => Kind::Sort,
        "Group" | "Aggregate" | "Unique" | "SetOp" => Kind::Aggregate,
        "WindowAgg" => Kind::Window,
        "Limit" => Kind::Limit,
        "ModifyTable" => Kind::Write,
        _ => Kind::Other,
    }
}

/// Whether a node only buffers the input of the node above.
fn holds_input(node_type: &str) -> bool {
    matches!(node_type, "Hash" | "Materialize" | "Memoize" | "Bitmap Index Scan" | "BitmapAnd" | "BitmapOr")
}

/// Whether a scan reads its blocks once, one after the other.
pub(super) fn reads_sequentially(node_type: &str) -> bool {
    matches!(node_type, "Seq Scan" | "Sample Scan" | "Tid Range Scan")
}
