//! T-SQL as SQL Server's tools write it: names in brackets with spaces, batches that `GO` ends, storage options of tables.

use crossover_plan::{Import, SqlDialect};
use crossover_query::{Kind, fill};

use super::{import, import_as};

const TABLES: &str = "
    USE [shop]
    GO
    -- rows: 1000
    CREATE TABLE [dbo].[Order Details] (
        [Order ID] [int] IDENTITY(1,1) NOT NULL,
        [Unit Price] [float] NULL,
        [Ship Name] [nvarchar](20) NULL,
        [select] DATETIMEOFFSET,
        CONSTRAINT [PK Orders] PRIMARY KEY CLUSTERED ([Order ID] ASC) WITH (PAD_INDEX = OFF) ON [PRIMARY]
    ) ON [PRIMARY]
    GO
    -- rows: 40
    CREATE TABLE shops ([Ship Name] NVARCHAR(20), [Cost [net]]] MONEY);
";
/// Queries with names in brackets at every place of a name, and the columns that each reads of the orders.
const QUERIES: [(&str, &str); 5] = [
    (
        "SELECT TOP 10 [Order ID], SUM([Unit Price]) AS [Total Price] FROM [dbo].[Order Details] AS [o d] WITH (NOLOCK) \
         GROUP BY [Order ID] ORDER BY [Total Price] DESC",
        "order id, unit price",
    ),
    (
        "SELECT [o d].[SELECT], [Ship Name] + N' / ' + [Ship Name] FROM [Order Details] [o d] WHERE [Unit Price] > 3",
        "unit price, ship name, select",
    ),
    (
        "WITH [the first] AS (SELECT [Order ID] AS [n o] FROM [order details]) SELECT [last one] = MAX([n o]) FROM [the first] \
         OPTION (RECOMPILE)",
        "order id",
    ),
    (
        "SELECT d.[Order ID], s.[cost [net]]] FROM dbo.[Order Details] d JOIN [shops] s ON s.[Ship Name] = d.[Ship Name]",
        "order id, ship name",
    ),
    ("SELECT [Unit Price] AS [Price], [Ship Name] INTO [kept prices] FROM [Order Details]", "unit price, ship name"),
];

fn text() -> String {
    let queries = QUERIES.map(|(query, _)| query).join("\nGO\n");
    format!("{TABLES}{queries}\nGO\nSELECT [Price] FROM [Kept Prices]")
}

#[track_caller]
fn check(import: &Import) {
    let ids: Vec<&str> = import.queries.iter().map(|query| query.id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3", "4", "5", "6"], "{:?}", import.warnings);
    for (query, (statement, columns)) in import.queries.iter().zip(QUERIES) {
        let scans = query.plan.nodes.iter().filter(|node| node.kind == Kind::Scan);
        let details: Vec<&str> = scans.map(|node| node.detail.as_str()).collect();
        let read = format!(": {columns}");
        assert!(details.iter().any(|detail| detail.ends_with(&read)), "{statement}: {details:?}");
    }
}

#[test]
fn names_in_brackets_are_names_at_every_place() {
    check(&import_as(SqlDialect::SqlServer, &text()).expect("an import"));
}

#[test]
fn brackets_of_names_are_a_mark_of_the_dialect() {
    let import = import(&text()).expect("an import");
    assert!(import.warnings[0].contains("T-SQL"), "{:?}", import.warnings);
    check(&import);
}

#[test]
fn redshift_has_names_in_brackets_too() {
    let tables = "-- rows: 10\nCREATE TABLE sales (id INT, shop INT);";
    let query = "SELECT [id] AS [sales id] FROM [sales] s WHERE s.[\"shop\"] = 1";
    let import = import_as(SqlDialect::Redshift, &format!("{tables}\n{query};")).expect("an import");
    let scan = import.queries[0].plan.nodes.iter().find(|node| node.kind == Kind::Scan).expect("a scan");
    assert_eq!(scan.detail, "sales: id, shop");
}

#[test]
fn types_in_brackets_are_those_of_their_names() {
    // Microsoft's manual: int 4 bytes, float without a length 8. A text of up to 32 characters is assumed to be full.
    for (column, bytes) in [("[int]", 4.0), ("[float]", 8.0), ("[nvarchar](20)", 20.0), ("FLOAT", 8.0)] {
        let text = format!("-- rows: 10\nCREATE TABLE t ([a b] {column});\nSELECT [a b] FROM t;");
        let import = import_as(SqlDialect::SqlServer, &text).expect("an import");
        let plan = &import.queries[0].plan;
        let scan = plan.nodes.iter().position(|node| node.kind == Kind::Scan).expect("a scan");
        assert_eq!(fill(plan)[scan].row_width.value, bytes, "{column}");
    }
}
