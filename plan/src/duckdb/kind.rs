//! What DuckDB's physical operators do.

use crossover_query::Kind;

/// What an operator does, by its type (`PhysicalOperatorType` in DuckDB's source, `physical_operator_type.hpp`) and,
/// for table functions, by its name.
pub(super) fn kind(operator: &str, name: &str, is_leaf: bool) -> Kind {
    match operator {
        "TABLE_SCAN" => table_function(name),
        "CHUNK_SCAN"
        | "COLUMN_DATA_SCAN"
        | "DUMMY_SCAN"
        | "EXPRESSION_SCAN"
        | "EMPTY_RESULT"
        | "DELIM_SCAN"
        | "CTE_SCAN"
        | "CTE_REF"
        | "RECURSIVE_CTE_SCAN"
        | "RECURSIVE_RECURRING_CTE_SCAN"
        | "REC_CTE_SCAN"
        | "REC_REC_CTE_SCAN" => Kind::Values,
        // Both keep some rows.
        "FILTER" | "RESERVOIR_SAMPLE" | "STREAMING_SAMPLE" => Kind::Filter,
        "PROJECTION" | "PIVOT" => Kind::Project,
        "HASH_JOIN"
        | "NESTED_LOOP_JOIN"
        | "BLOCKWISE_NL_JOIN"
        | "INDEX_JOIN"
        | "PIECEWISE_MERGE_JOIN"
        | "IE_JOIN"
        | "ASOF_JOIN"
        | "CROSS_PRODUCT"
        | "POSITIONAL_JOIN"
        | "POSITIONAL_SCAN" => Kind::Join,
        "UNGROUPED_AGGREGATE"
        | "SIMPLE_AGGREGATE"
        | "HASH_GROUP_BY"
        | "PERFECT_HASH_GROUP_BY"
        | "SORT_GROUP_BY"
        | "PARTITIONED_AGGREGATE"
        | "DISTINCT" => Kind::Aggregate,
        "ORDER_BY" | "TOP_N" => Kind::Sort,
        "WINDOW" | "STREAMING_WINDOW" => Kind::Window,
        "UNNEST" | "INOUT_FUNCTION" => Kind::Expand,
        "UNION" | "RECURSIVE_CTE" | "RECURSIVE_KEY_CTE" | "REC_CTE" | "REC_KEY_CTE" => Kind::Union,
        "LIMIT" | "LIMIT_PERCENT" | "STREAMING_LIMIT" => Kind::Limit,
        "COPY_TO_FILE"
        | "BATCH_COPY_TO_FILE"
        | "FIXED_BATCH_COPY_TO_FILE"
        | "COPY_DATABASE"
        | "EXPORT"
        | "INSERT"
        | "BATCH_INSERT"
        | "DELETE"
        | "DELETE_OPERATOR"
        | "UPDATE"
        | "MERGE_INTO"
        | "CREATE_TABLE"
        | "CREATE_TABLE_AS"
        | "BATCH_CREATE_TABLE_AS"
        | "CREATE_INDEX" => Kind::Write,
        "RESULT_COLLECTOR" | "EXPLAIN" | "EXPLAIN_ANALYZE" | "EXECUTE" | "PREPARE" | "QUERY" | "CTE" | "DELIM_JOIN"
        | "LEFT_DELIM_JOIN" | "RIGHT_DELIM_JOIN" | "FAN_OUT" | "VERIFY_VECTOR" => Kind::Wrapper,
        _ if is_leaf => table_function(operator),
        _ => Kind::Other,
    }
}

/// A scan carries the name of the function that reads: `SEQ_SCAN`, `READ_PARQUET`, `RANGE`.
fn table_function(name: &str) -> Kind {
    match name {
        "RANGE" | "GENERATE_SERIES" | "REPEAT" | "REPEAT_ROW" | "UNNEST" => Kind::Values,
        "TABLE_SCAN" => Kind::Scan,
        _ if name.contains("SCAN") || name.contains("READ_") => Kind::Scan,
        // Settings, sequences and other things that are no data.
        _ => Kind::Other,
    }
}

/// Whether DuckDB counts no rows for it although rows go through: its reports have 0 then.
pub(super) fn is_uncounted(operator: &str, kind: Kind) -> bool {
    kind == Kind::Wrapper || matches!(operator, "UNION" | "DELIM_SCAN")
}
