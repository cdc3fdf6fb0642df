//! Plans of engines that are not read: named, with what can be imported instead.

use self::Sign::{Begins, Has};
use crate::envelope;

/// Bytes of a file that show its kind.
pub(crate) const HEAD_BYTES: u64 = 1 << 20;

/// A kind of file that is not read.
struct Foreign {
    /// What it is, as the subject of a sentence.
    what: &'static str,
    /// Signs that only such files have, all of them; each is in the text, or begins a line if it is marked so.
    signs: &'static [Sign],
    /// The dialect of its SQL, if statements of it can be imported.
    dialect: Option<&'static str>,
}

/// A sign of a kind of file.
enum Sign {
    /// Anywhere in the text.
    Has(&'static str),
    /// At the beginning of a line, blanks aside.
    Begins(&'static str),
}

const TRINO: &str = "a plan of Trino or Presto";
const QUERY_INFO: &str = "the query info of Trino or Presto";

/// Kinds of files, the first that fits.
const KINDS: [Foreign; 25] = [
    // EXPLAIN ANALYZE as text.
    sql(TRINO, &[Begins("Trino version:")], "trino"),
    sql(TRINO, &[Begins("Fragment "), Has("Output layout:")], "trino"),
    sql(TRINO, &[Begins("Fragment "), Has("Output partitioning:")], "trino"),
    // EXPLAIN (FORMAT JSON): Trino, and Presto.
    sql(TRINO, &[Has("\"descriptor\""), Has("\"children\""), Has("\"outputs\"")], "trino"),
    sql(TRINO, &[Has("\"remoteSources\""), Has("\"children\"")], "trino"),
    // /v1/query/ID, what the web interface offers as JSON; and the event of a completed query.
    sql(QUERY_INFO, &[Has("\"queryId\""), Has("\"queryStats\"")], "trino"),
    sql(QUERY_INFO, &[Has("\"queryId\""), Has("\"outputStage\"")], "trino"),
    sql(QUERY_INFO, &[Has("\"queryId\""), Has("\"ioMetadata\"")], "trino"),
    sql("a plan of ClickHouse", &[Has("\"Node Type\""), Has("\"ReadFromMergeTree\"")], "clickhouse"),
    sql("a plan of ClickHouse", &[Begins("Expression ("), Has("ReadFromMergeTree")], "clickhouse"),
    sql("a plan of Snowflake", &[Has("\"GlobalStats\""), Has("\"Operations\"")], "snowflake"),
    sql("a plan of BigQuery", &[Has("\"queryPlan\""), Has("\"totalSlotMs\"")], "bigquery"),
    sql("a plan of Amazon Redshift", &[Begins("XN "), Has("(cost=")], "redshift"),
    other("a plan of MySQL or MariaDB", &[Has("\"query_block\"")]),
    other("a plan of MySQL or MariaDB", &[Begins("-> "), Has("  (cost=")]),
    other("a plan of SQL Server", &[Has("<ShowPlanXML")]),
    other("a plan of Oracle", &[Begins("Plan hash value:")]),
    other("a plan of Hive", &[Begins("STAGE DEPENDENCIES:")]),
    other("a plan of Hive", &[Begins("Plan optimized by CBO")]),
    // EXPLAIN FORMATTED.
    other("a plan of Hive", &[Has("\"STAGE DEPENDENCIES\"")]),
    // EXPLAIN of Flink SQL, the plan of a job as JSON, what the web interface gives of a job, and an archived job.
    other("a plan of Flink", &[Begins("== Abstract Syntax Tree =="), Begins("== Optimized ")]),
    other("a plan of Flink", &[Has("\"nodes\""), Has("\"parallelism\""), Has("\"ship_strategy\"")]),
    other("a job of Flink", &[Has("\"jid\""), Has("\"vertices\"")]),
    other("a job of Flink", &[Has("\"archive\""), Has("/jobs/overview")]),
    other("a query profile of Impala", &[Begins("Query (id=")]),
];

const fn sql(what: &'static str, signs: &'static [Sign], dialect: &'static str) -> Foreign {
    Foreign { what, signs, dialect: Some(dialect) }
}

const fn other(what: &'static str, signs: &'static [Sign]) -> Foreign {
    Foreign { what, signs, dialect: None }
}

/// The beginning of a file as text.
pub(crate) fn decoded(head: &[u8]) -> String {
    // UTF-16 of the keys of a format is UTF-8 with a zero beside every byte.
    let is_utf16 = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    let text: Vec<u8> = head.iter().copied().filter(|byte| !(is_utf16 && *byte == 0)).collect();
    String::from_utf8_lossy(&text).into_owned()
}

/// What a text is and what to import instead, as a sentence; `None`: it is of no known engine that is not read.
pub(crate) fn problem(text: &str) -> Option<String> {
    // Its arrows are those of MySQL, and its columns may have any name.
    if envelope::is_text(text) {
        return None;
    }
    let begins = |sign: &str| text.lines().any(|line| line.trim_start().starts_with(sign));
    let has = |sign: &Sign| match sign {
        Has(sign) => text.contains(sign),
        Begins(sign) => begins(sign),
    };
    let found = KINDS.iter().find(|kind| kind.signs.iter().all(has))?;
    let advice = match found.dialect {
        Some(dialect) => format!(
            "import its SQL, with the sizes of its tables as comments such as “-- rows of sales: 1000”: import sql FILE --dialect {dialect}"
        ),
        None => "import its SQL, with the sizes of its tables as comments such as “-- rows of sales: 1000”".to_owned(),
    };
    Some(format!("this is {}, which Crossover does not read; {advice}", found.what))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The forms that the documents of the engines show, shortened.
    #[test]
    fn plans_of_other_engines_are_named_with_what_to_import() {
        for (text, what, advice) in [
            (
                "Trino version: 435\nQueued: 1us\nFragment 1 [HASH]\n    CPU: 1.00ms\n",
                "Trino or Presto",
                "--dialect trino",
            ),
            ("Fragment 0 [SINGLE]\n    Output layout: [count]\n", "a plan of Trino or Presto", "--dialect trino"),
            (
                r#"{"0": {"id": "9", "name": "Output", "descriptor": {}, "outputs": [], "children": []}}"#,
                "a plan of Trino or Presto",
                "--dialect trino",
            ),
            (
                r#"{"id": "3", "name": "Output", "details": "", "children": [], "remoteSources": [], "estimates": []}"#,
                "a plan of Trino or Presto",
                "--dialect trino",
            ),
            (
                r#"{"queryId": "2024_a", "query": "select 1", "queryStats": {"elapsedTime": "1.00s"}, "outputStage": {}}"#,
                "the query info of Trino or Presto",
                "--dialect trino",
            ),
            (
                r#"[{"Plan": {"Node Type": "Expression", "Plans": [{"Node Type": "ReadFromMergeTree"}]}}]"#,
                "ClickHouse",
                "--dialect clickhouse",
            ),
            ("XN Seq Scan on sales  (cost=0.00..1.00 rows=100 width=4)\n", "Amazon Redshift", "--dialect redshift"),
            (r#"{"query_block": {"select_id": 1}}"#, "MySQL or MariaDB", "import its SQL"),
            (
                "-> Filter: (a > 1)  (cost=2.75 rows=2)\n    -> Table scan on t  (cost=2.75 rows=5)\n",
                "MySQL",
                "import its SQL",
            ),
            ("Plan hash value: 123\n", "Oracle", "import its SQL"),
            ("STAGE DEPENDENCIES:\n  Stage-1 is a root stage\n", "a plan of Hive", "import its SQL"),
            (r#"{"STAGE DEPENDENCIES":{"Stage-1":{"ROOT STAGE":"TRUE"}},"STAGE PLANS":{}}"#, "Hive", "import its SQL"),
            (
                "== Abstract Syntax Tree ==\nLogicalFilter(...)\n\n== Optimized Physical Plan ==\nCalc(...)\n",
                "a plan of Flink",
                "import its SQL",
            ),
            (
                r#"{"nodes":[{"id":2,"type":"Calc","parallelism":1,"predecessors":[{"id":1,"ship_strategy":"FORWARD"}]}]}"#,
                "a plan of Flink",
                "import its SQL",
            ),
            (r#"{"jid":"a1","name":"insert","state":"FINISHED","vertices":[]}"#, "a job of Flink", "import its SQL"),
        ] {
            let problem = problem(text).expect(text);
            assert!(problem.contains(what) && problem.contains(advice), "{problem}");
        }
    }

    #[test]
    fn files_that_are_read_are_not_of_others() {
        for text in [
            "",
            r#"{"Event":"SparkListenerSQLExecutionStart","physicalPlanDescription":"== Physical Plan ==\nScan"}"#,
            r#"[{"Plan": {"Node Type": "Seq Scan"}}]"#,
            r#"{"latency": 0.1, "children": [{"operator_type": "TABLE_SCAN"}]}"#,
            " Hash Join  (cost=1.09..2.19 rows=4 width=12)\n   ->  Seq Scan on t  (cost=0.00..1.04 rows=4 width=8)\n",
            "-- rows of sales: 1000\nselect 1",
            "Fragment of a letter",
        ] {
            assert_eq!(problem(text), None, "{text}");
        }
    }
}
