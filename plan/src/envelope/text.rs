//! Plans of PostgreSQL as text, which is what `EXPLAIN` prints by default, as the JSON that they would have been.
//!
//! ```text
//! Hash Join  (cost=1.07..2.16 rows=4 width=8) (actual time=0.03..0.04 rows=4 loops=1)
//!   Hash Cond: (a.id = b.id)
//!   ->  Seq Scan on a  (cost=0.00..1.04 rows=4 width=8) (actual time=0.01..0.01 rows=4 loops=1)
//! ```
//! An arrow begins a node below the last node that is further to the left; a line without one is a field of that node. What
//! `explain.c` joins to one name, such as `Partial HashAggregate`, are several fields.

mod names;
mod outside;

use names::named;
use outside::Outside;
use serde_json::{Map, Number, Value};

use super::number;

/// Deepest nesting: an operator is two levels deeper than the one that reads it.
const DEEPEST: usize = 400;
/// What follows the name of a node.
const MEASURES: [&str; 4] = [" (cost=", " (actual time=", " (actual rows=", " (never executed)"];
/// What stands behind a plan, and what is part of it.
const STATEMENT_TIMES: [&str; 3] = ["Execution Time:", "Execution time:", "Total runtime:"];
/// The column of EXPLAIN's only row.
const COLUMN: &str = "QUERY PLAN";
/// Sides of cells.
const SIDES: [char; 4] = ['│', '║', '┃', '|'];

/// A node, with the column of its name and of its arrow.
struct Node {
    fields: Map<String, Value>,
    children: Vec<usize>,
    column: usize,
    depth: usize,
}

/// A plan so far.
#[derive(Default)]
struct Statement {
    nodes: Vec<Node>,
    /// The nodes from the root to the last one.
    path: Vec<usize>,
    /// Name of the subplan that the next node is.
    label: Option<String>,
    /// Nodes further to the right are not of this plan: they are of other servers (Citus).
    other_servers: Option<usize>,
    /// Whether the plan has ended, so that further fields are of the statement.
    is_complete: bool,
    sql: Option<String>,
    /// The statement of the next plan.
    next_sql: Option<String>,
    milliseconds: Option<f64>,
    outside: Outside,
}

/// Whether a text has a node of such a plan.
pub(crate) fn is_text(text: &str) -> bool {
    text.lines().any(|line| !line.trim_start().starts_with("--") && node(&cell(line)).is_some())
}

/// The documents of a text; `None`: it has no node of such a plan.
///
/// # Errors
/// What is wrong, with the line.
pub(crate) fn text(text: &str) -> Result<Option<Vec<Value>>, String> {
    let mut documents = Vec::new();
    let mut statement = Statement::default();
    for (number, line) in (1..).zip(text.lines()) {
        let line = cell(line);
        let at = |problem: String| format!("line {number}: {problem}");
        if let Some((column, name, measures)) = node(&line) {
            let fields = fields(name, measures).map_err(at)?;
            if !line.trim_start().starts_with("->") && !statement.nodes.is_empty() {
                let next = Statement { sql: statement.next_sql.take(), ..Statement::default() };
                documents.extend(std::mem::replace(&mut statement, next).document());
            }
            statement.add(column, fields).map_err(at)?;
        } else {
            statement.take(&line).map_err(at)?;
        }
    }
    documents.extend(statement.document());
    Ok((!documents.is_empty()).then_some(documents))
}

/// The inside of a line: without psql's frame, the quotes of pgAdmin and CSV, or tabs of a log.
fn cell(line: &str) -> String {
    let line = line.trim_end().replace('\t', "        ");
    if let Some(quoted) = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return quoted.replace("\"\"", "\"");
    }
    let begin = line.trim_start();
    let named = begin.strip_prefix(COLUMN).map(str::trim_start).filter(|rest| rest.starts_with(SIDES));
    match named.unwrap_or(begin).strip_prefix(SIDES) {
        Some(inside) => inside.strip_suffix(SIDES).unwrap_or(inside).trim_end().to_owned(),
        None => line,
    }
}

/// The column of a node's name, the name and what was measured; `None`: the line is none.
fn node(line: &str) -> Option<(usize, &str, &str)> {
    let begin = MEASURES.iter().filter_map(|mark| line.find(mark)).min()?;
    let (name, measures) = line.split_at(begin);
    // MySQL writes one cost, not two.
    let cost = measures.strip_prefix(MEASURES[0]).and_then(|cost| cost.split_whitespace().next());
    if cost.is_some_and(|cost| !cost.contains("..")) {
        return None;
    }
    let trimmed = name.trim_start();
    let arrow = trimmed.strip_prefix("->").map(str::trim_start);
    let name = arrow.unwrap_or(trimmed);
    let column = begin - name.len();
    // Amazon Redshift has other operators.
    let is_name = name.starts_with(|letter: char| letter.is_ascii_uppercase()) && !name.starts_with("XN ");
    is_name.then(|| (column, name.trim_end(), measures))
}

impl Statement {
    fn add(&mut self, column: usize, mut fields: Map<String, Value>) -> Result<(), String> {
        if self.other_servers.is_some_and(|task| column > task) {
            return Ok(());
        }
        self.other_servers = None;
        while self.path.last().is_some_and(|last| self.nodes[*last].column >= column) {
            self.path.pop();
        }
        let id = self.nodes.len();
        let mut depth = 0;
        if let Some(parent) = self.path.last().copied() {
            depth = self.nodes[parent].depth + 1;
            if depth > DEEPEST {
                return Err(format!("nested deeper than {DEEPEST} levels; no plan is as deep"));
            }
            let relationship = self.relationship(parent);
            fields.insert("Parent Relationship".to_owned(), Value::from(relationship));
            if let Some(label) = self.label.take() {
                fields.insert("Subplan Name".to_owned(), Value::String(label));
            }
            self.nodes[parent].children.push(id);
        } else if id > 0 {
            return Err("an arrow that is left of the first operator of its plan".to_owned());
        }
        self.nodes.push(Node { fields, children: Vec::new(), column, depth });
        self.path.push(id);
        Ok(())
    }

    /// What the next child of a node is to it.
    fn relationship(&self, parent: usize) -> &'static str {
        match self.label.as_deref() {
            Some(label) if label.starts_with("SubPlan") => return "SubPlan",
            Some(_) => return "InitPlan",
            None => {}
        }
        // A node may have a child for each of many partitions, so they are not all looked at for each.
        let is_input = |child: &usize| !self.nodes[*child].fields.contains_key("Subplan Name");
        let has_input = || self.nodes[parent].children.iter().any(is_input);
        match self.nodes[parent].fields.get("Node Type").and_then(Value::as_str) {
            Some("Append" | "Merge Append" | "BitmapAnd" | "BitmapOr") => "Member",
            Some("Subquery Scan") => "Subquery",
            _ if has_input() => "Inner",
            _ => "Outer",
        }
    }

    /// Takes a line that is no node.
    fn take(&mut self, line: &str) -> Result<(), String> {
        let words = line.trim_start();
        let column = line.len() - words.len();
        // psql's line between the rows of \x.
        if words.contains("[ RECORD ") {
            return Ok(());
        }
        let sql = if self.nodes.is_empty() { &mut self.sql } else { &mut self.next_sql };
        if let Some(begin) = words.strip_prefix("Query Text:").filter(|_| self.nodes.is_empty() || self.is_complete) {
            *sql = Some(begin.trim().to_owned());
            return Ok(());
        }
        if let Some(sql) = sql.as_mut() {
            // It goes on over several lines.
            sql.push('\n');
            sql.push_str(words);
            return Ok(());
        }
        let Some(root) = self.nodes.first().map(|node| node.column) else { return Ok(()) };
        if let Some(time) = STATEMENT_TIMES.iter().find_map(|name| words.strip_prefix(name)) {
            let number = time.trim().strip_suffix("ms").map(str::trim).and_then(|time| time.parse::<f64>().ok());
            let number = number.filter(|time| time.is_finite() && *time >= 0.0);
            self.milliseconds = Some(number.ok_or("expected a time such as “Execution Time: 0.7 ms”")?);
            self.is_complete = true;
            return Ok(());
        }
        if column <= root + 1 {
            self.is_complete |= !words.is_empty();
            return self.outside.take(words);
        }
        if self.is_complete {
            return Ok(());
        }
        if words.starts_with("->  Task") {
            self.other_servers = Some(column);
            return Ok(());
        }
        if self.other_servers.is_some_and(|task| column > task) {
            return Ok(());
        }
        if ["SubPlan ", "InitPlan ", "CTE "].iter().any(|kind| words.starts_with(kind)) && !words.contains(": ") {
            self.label = Some(words.to_owned());
            // It is of the node to whose left it stands.
            while self.path.last().is_some_and(|last| self.nodes[*last].column >= column) {
                self.path.pop();
            }
            return Ok(());
        }
        let of = self.path.iter().rev().find(|node| self.nodes[**node].column < column).copied();
        // Further to the right are the fields of single processes. The first line of a pasted plan may lack psql's blank.
        let of = of.filter(|node| (2..=3).contains(&(column - self.nodes[*node].column)));
        if let (Some(of), Some((key, value))) = (of, words.split_once(": ")) {
            set(&mut self.nodes[of].fields, key, value.trim())?;
        }
        Ok(())
    }

    /// The statement as a document; `None`: it has no node.
    fn document(self) -> Option<Value> {
        let mut objects: Vec<Option<Map<String, Value>>> = Vec::new();
        let mut children = Vec::new();
        for node in self.nodes {
            objects.push(Some(node.fields));
            children.push(node.children);
        }
        for id in (0..objects.len()).rev() {
            let below = children[id].iter().filter_map(|child| objects[*child].take().map(Value::Object));
            let below: Vec<Value> = below.collect();
            if let Some(fields) = objects[id].as_mut().filter(|_| !below.is_empty()) {
                fields.insert("Plans".to_owned(), Value::Array(below));
            }
        }
        let root = objects.into_iter().next().flatten()?;
        let mut document = Map::from_iter([("Plan".to_owned(), Value::Object(root))]);
        if let Some(sql) = self.sql.filter(|sql| !sql.is_empty()) {
            document.insert("Query Text".to_owned(), Value::String(sql));
        }
        if let Some(time) = self.milliseconds.and_then(Number::from_f64) {
            document.insert("Execution Time".to_owned(), Value::Number(time));
        }
        document.extend(self.outside.fields());
        Some(Value::Object(document))
    }
}

/// Sets a field of a node.
fn set(fields: &mut Map<String, Value>, key: &str, value: &str) -> Result<(), String> {
    let is_number = key.starts_with("Rows Removed by ") || key.starts_with("Workers ");
    match key {
        "Buffers" => {
            for (kind, names) in [
                ("shared", [("hit", "Shared Hit Blocks"), ("read", "Shared Read Blocks")]),
                ("temp", [("read", "Temp Read Blocks"), ("written", "Temp Written Blocks")]),
            ] {
                let of_kind = value.split(", ").find_map(|part| part.strip_prefix(kind));
                for (name, field) in names {
                    // What is not named is 0.
                    let count = of_kind
                        .into_iter()
                        .flat_map(str::split_whitespace)
                        .find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
                    fields.insert(field.to_owned(), parsed(count.unwrap_or("0"))?);
                }
            }
        }
        _ if is_number => drop(fields.insert(key.to_owned(), parsed(value)?)),
        // Processes of a parallel plan one by one.
        _ if key.starts_with("Worker ") => {}
        _ => drop(fields.insert(key.to_owned(), Value::from(value))),
    }
    Ok(())
}

fn parsed(text: &str) -> Result<Value, String> {
    number(text)
        .map(Value::Number)
        .ok_or_else(|| format!("“{}” is not a number", text.chars().take(40).collect::<String>()))
}

/// The fields of a node: those of its name, and its costs, rows and times.
fn fields(name: &str, measures: &str) -> Result<Map<String, Value>, String> {
    let mut fields = Map::new();
    named(name, &mut fields);
    for group in measures.split('(').skip(1) {
        let group = group.split(')').next().unwrap_or_default();
        if group == "never executed" {
            for (field, zero) in [
                ("Actual Rows", Value::from(0)),
                ("Actual Loops", Value::from(0)),
                ("Actual Startup Time", Value::from(0.0)),
                ("Actual Total Time", Value::from(0.0)),
            ] {
                fields.insert(field.to_owned(), zero);
            }
        }
        let is_actual = group.starts_with("actual");
        for (key, value) in group.split_whitespace().filter_map(|word| word.split_once('=')) {
            let range = match key {
                "cost" => Some(["Startup Cost", "Total Cost"]),
                "time" => Some(["Actual Startup Time", "Actual Total Time"]),
                _ => None,
            };
            let one = match (key, is_actual) {
                ("rows", true) => Some("Actual Rows"),
                ("rows", false) => Some("Plan Rows"),
                ("width", _) => Some("Plan Width"),
                ("loops", _) => Some("Actual Loops"),
                _ => None,
            };
            if let Some([from, to]) = range {
                let (first, last) =
                    value.split_once("..").ok_or_else(|| format!("{key} is not a range of two numbers"))?;
                fields.insert(from.to_owned(), parsed(first)?);
                fields.insert(to.to_owned(), parsed(last)?);
            } else if let Some(field) = one {
                fields.insert(field.to_owned(), parsed(value)?);
            }
        }
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const JOIN: &str = "\
 Hash Left Join  (cost=1.09..2.19 rows=4 width=12) (actual time=0.031..0.040 rows=3 loops=1)
   Hash Cond: (o.customer = c.id)
   Buffers: shared hit=2 read=1
   ->  Parallel Seq Scan on public.orders o  (cost=0.00..1.04 rows=4 width=8) (actual time=0.010..0.011 rows=4 loops=1)
         Filter: (total > 5)
         Rows Removed by Filter: 7
   ->  Hash  (cost=1.04..1.04 rows=4 width=4) (never executed)
         ->  Index Only Scan Backward using \"c on id\" on c  (cost=0.00..1.04 rows=4 width=4) (never executed)
 Planning:
   Buffers: shared hit=99
 Planning Time: 0.116 ms
 Execution Time: 0.700 ms
";

    fn of(text: &str) -> Vec<Value> {
        super::text(text).expect("a plan").expect("a plan")
    }

    fn expected() -> Value {
        let text = r#"{
            "Plan": {
                "Node Type": "Hash Join", "Join Type": "Left", "Startup Cost": 1.09, "Total Cost": 2.19, "Plan Rows": 4,
                "Plan Width": 12, "Actual Startup Time": 0.031, "Actual Total Time": 0.04, "Actual Rows": 3,
                "Actual Loops": 1, "Hash Cond": "(o.customer = c.id)", "Shared Hit Blocks": 2, "Shared Read Blocks": 1,
                "Temp Read Blocks": 0, "Temp Written Blocks": 0,
                "Plans": [
                    {
                        "Node Type": "Seq Scan", "Parallel Aware": "true", "Relation Name": "orders", "Alias": "o",
                        "Parent Relationship": "Outer", "Startup Cost": 0.0, "Total Cost": 1.04, "Plan Rows": 4,
                        "Plan Width": 8, "Actual Startup Time": 0.01, "Actual Total Time": 0.011, "Actual Rows": 4,
                        "Actual Loops": 1, "Filter": "(total > 5)", "Rows Removed by Filter": 7
                    },
                    {
                        "Node Type": "Hash", "Parent Relationship": "Inner", "Startup Cost": 1.04, "Total Cost": 1.04,
                        "Plan Rows": 4, "Plan Width": 4, "Actual Startup Time": 0.0, "Actual Total Time": 0.0,
                        "Actual Rows": 0, "Actual Loops": 0,
                        "Plans": [{
                            "Node Type": "Index Only Scan", "Scan Direction": "Backward", "Index Name": "c on id",
                            "Relation Name": "c", "Parent Relationship": "Outer", "Startup Cost": 0.0, "Total Cost": 1.04,
                            "Plan Rows": 4, "Plan Width": 4, "Actual Startup Time": 0.0, "Actual Total Time": 0.0,
                            "Actual Rows": 0, "Actual Loops": 0
                        }]
                    }
                ]
            },
            "Execution Time": 0.7
        }"#;
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn a_plan_of_lines_is_the_json_it_would_have_been() {
        assert_eq!(of(JOIN), [expected()]);
    }

    /// psql with a header, with borders, as \x; pgAdmin with quotes; a log with tabs.
    #[test]
    fn clients_put_something_around_every_line() {
        let around = |line: &dyn Fn(&str) -> String| JOIN.lines().map(line).collect::<Vec<String>>().join("\n");
        let texts = [
            format!("                 QUERY PLAN\n-------------------\n{JOIN}(12 rows)\n"),
            format!("+------------+\n| QUERY PLAN |\n+------------+\n{}", around(&|line| format!("|{line:<130}|"))),
            around(&|line| format!("-[ RECORD 1 ]---\nQUERY PLAN |{line}")),
            format!("\"QUERY PLAN\"\n{}", around(&|line| format!("\"{}\"", line.replace('"', "\"\"")))),
            format!("LOG:  duration: 0.7 ms  plan:\n{}", around(&|line| format!("\t{line}"))),
            JOIN.replace('\n', "\r\n"),
        ];
        for text in texts {
            assert!(is_text(&text), "{text}");
            assert_eq!(of(&text), [expected()], "{text}");
        }
    }

    #[test]
    fn subplans_and_expressions_are_told_from_inputs() {
        let text = "\
CTE Scan on x  (cost=1.00..2.00 rows=1 width=4) (actual rows=1 loops=1)
  Filter: (a < $1)
  CTE x
    ->  Seq Scan on t  (cost=0.00..1.00 rows=1 width=4) (actual rows=1 loops=1)
  InitPlan 2 (returns $1)
    ->  Finalize GroupAggregate  (cost=0.00..1.00 rows=1 width=4) (actual rows=1 loops=1)
          ->  Partial HashAggregate  (cost=0.00..1.00 rows=1 width=4) (actual rows=1 loops=1)
  SubPlan 3
    ->  Result  (cost=0.00..0.01 rows=1 width=4) (actual rows=1 loops=5)
";
        let found = of(text);
        let plans = found[0]["Plan"]["Plans"].as_array().expect("subplans");
        let names = plans.iter().map(|plan| ["Parent Relationship", "Subplan Name"].map(|key| plan[key].as_str()));
        let expected = [["InitPlan", "CTE x"], ["InitPlan", "InitPlan 2 (returns $1)"], ["SubPlan", "SubPlan 3"]];
        assert_eq!(names.collect::<Vec<_>>(), expected.map(|names| names.map(Some)));
        assert_eq!((&plans[1]["Strategy"], &plans[1]["Partial Mode"]), (&json!("Sorted"), &json!("Finalize")));
        let below = &plans[1]["Plans"][0];
        assert_eq!((&below["Node Type"], &below["Strategy"]), (&json!("Aggregate"), &json!("Hashed")));
        assert_eq!(found[0]["Plan"]["CTE Name"], "x");
        assert_eq!(found[0].get("Execution Time"), None);
    }

    #[test]
    fn what_is_joined_to_a_name_is_taken_apart() {
        for (name, node_type, field, value) in [
            ("Insert on public.t", "ModifyTable", "Operation", "Insert"),
            ("Custom Scan (Citus Adaptive)", "Custom Scan", "Custom Plan Provider", "Citus Adaptive"),
            ("HashSetOp Except All", "SetOp", "Command", "Except All"),
            ("Nested Loop Anti Join", "Nested Loop", "Join Type", "Anti"),
            ("Merge Right Anti Join", "Merge Join", "Join Type", "Right Anti"),
            ("Nested Loop", "Nested Loop", "Join Type", "Inner"),
            ("Bitmap Index Scan on t_a_idx", "Bitmap Index Scan", "Index Name", "t_a_idx"),
            ("Function Scan on generate_series g", "Function Scan", "Function Name", "generate_series"),
            ("Foreign Scan on remote", "Foreign Scan", "Relation Name", "remote"),
            ("Seq Scan on \"A b\" c", "Seq Scan", "Relation Name", "A b"),
        ] {
            let mut fields = Map::new();
            named(name, &mut fields);
            assert_eq!((&fields["Node Type"], &fields[field]), (&json!(node_type), &json!(value)), "{name}");
        }
    }

    #[test]
    fn several_plans_and_statements_of_a_log_are_told_apart() {
        let text = format!(
            "LOG:  duration: 1 ms  plan:\n\tQuery Text: select 1\n\tfrom t\n{JOIN}LOG:  duration: 2 ms  plan:\n\tQuery Text: select 2\n{JOIN}"
        );
        let found = of(&text);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (&found[0]["Query Text"], &found[1]["Query Text"]),
            (&json!("select 1\nfrom t"), &json!("select 2"))
        );
    }

    #[test]
    fn other_texts_are_no_plan_and_damaged_ones_say_the_line() {
        let redshift = "XN Seq Scan on t  (cost=0.00..1.00 rows=1 width=4)";
        for text in [
            "",
            "select 1",
            redshift,
            "-> Filter: (t.a > 1)  (cost=2.75 rows=2) (actual time=0.05..0.06 rows=3 loops=1)",
        ] {
            assert_eq!(super::text(text), Ok(None), "{text}");
            assert!(!is_text(text), "{text}");
        }
        let damaged = JOIN.replace("rows=4 width=8", "rows=four width=8");
        assert_eq!(super::text(&damaged), Err("line 4: “four” is not a number".to_owned()));
    }
}
