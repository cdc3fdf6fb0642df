//! The plans of a text, line by line: the tree of each, those of its subqueries, and the numbered details below them.
//!
//! ```text
//! == Optimized Logical Plan ==      with EXTENDED and COST; of it the sizes of tables count
//! == Physical Plan ==
//! * Project (4)                     the tree, up to an empty line
//! +- * Filter (3)
//!
//! (3) Filter [codegen id : 1]       with FORMATTED: the details of every operator
//! Condition : isnotnull(key#1)
//!
//! ===== Subqueries =====
//! Subquery:1 Hosting operator id = 3 Hosting Expression = Subquery scalar-subquery#5, [id=#7]
//! * HashAggregate (9)               its tree, or nothing if it is one above
//! ```

use std::collections::BTreeMap;

use super::client::HEADER;
use super::line::{TreeLine, indent, is_below};
use super::relations::Relation;
use super::statistics::Statistics;

/// Letters, and lines, of a title.
const LONGEST_TITLE: usize = 2_000;
/// Letters of the name of a detail: "Aggregate Attributes".
const LONGEST_KEY: usize = 40;

/// A plan of a text.
#[derive(Debug, Default)]
pub(super) struct PlanText {
    /// The line at which its tree begins, from 1.
    pub(super) line: usize,
    /// The statement, or the comment, before it.
    pub(super) title: Option<String>,
    /// Its tree.
    pub(super) tree: Vec<TreeLine>,
    /// Its subqueries in their order.
    pub(super) subqueries: Vec<SubqueryText>,
    /// Details of operators by their numbers.
    pub(super) details: BTreeMap<u64, Detail>,
    /// Tables of the logical plan.
    pub(super) relations: Vec<Relation>,
    /// Exchanges that ran and that adaptive execution then left out.
    pub(super) left_out: usize,
    /// Whether its text was cut.
    pub(super) is_cut: bool,
}

/// A subquery of a plan.
#[derive(Debug, Default)]
pub(super) struct SubqueryText {
    /// Number of the operator that needs its result.
    pub(super) host: Option<u64>,
    /// The expression with which that operator uses it.
    pub(super) expression: String,
    /// Its tree; empty where it is one above.
    pub(super) tree: Vec<TreeLine>,
}

/// The details of an operator.
#[derive(Debug, Default)]
pub(super) struct Detail {
    /// Its name in Spark.
    pub(super) name: String,
    /// Number of the operator whose result it reuses.
    pub(super) reuses: Option<u64>,
    /// What is said of it: `Condition`, `Arguments` …
    fields: Vec<(String, String)>,
}

impl Detail {
    /// A field, by its name without the number of its entries.
    pub(super) fn field(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// All plans of a text, in order.
pub(super) fn plans(text: &str) -> Vec<PlanText> {
    let has_header = text.lines().any(|line| header(line).is_some_and(|name| name == HEADER));
    let mut reader = Reader { has_header, ..Reader::default() };
    let mut lines = text.lines().map(str::trim_end).enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let next = lines.peek().map_or("", |(_, next)| *next);
        reader.read(at + 1, line, next);
    }
    reader.plans
}

/// The header in a line: "== Physical Plan ==".
fn header(line: &str) -> Option<&str> {
    let at = line.find("== ")?;
    let (before, name) = (line[..at].trim(), line[at..].trim_end());
    let before = before.trim_matches(['|', '"', '\'', ' ']);
    let begins = before.is_empty() || before.ends_with("plan=");
    (begins && name.len() > 6 && name.ends_with(" ==")).then_some(name)
}

/// What the lines at hand are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    /// Before the first plan.
    #[default]
    Outside,
    /// Sections that say nothing of sizes.
    Skipped,
    /// The optimized logical plan.
    Logical,
    /// The tree of a plan.
    Tree,
    /// The tree of its last subquery.
    Subquery,
    /// A tree that does not count.
    LeftOut,
    /// Below the tree: details, or other output.
    Below,
}

/// State of reading a text.
#[derive(Default)]
struct Reader {
    has_header: bool,
    plans: Vec<PlanText>,
    place: Place,
    /// Blanks before the lines of the section at hand.
    indent: usize,
    /// Number of the operator whose details are read.
    open: Option<u64>,
    /// Whether exchanges follow that adaptive execution left out.
    in_left_out: bool,
    /// Lines since the last plan that may be its statement.
    title: Vec<String>,
    relations: Vec<Relation>,
    /// Rows that pass the filter on the line before, with its depth.
    filter: Option<(usize, Option<f64>)>,
}

impl Reader {
    fn read(&mut self, number: usize, line: &str, next: &str) {
        if let Some(name) = header(line) {
            self.indent = indent(line);
            self.begin_section(number, name);
            return;
        }
        if line.ends_with(" more characters")
            && line.contains("... ")
            && let Some(plan) = self.plans.last_mut()
        {
            plan.is_cut = true;
        }
        let is_blank = line.trim().is_empty() || line.trim() == "|";
        match self.place {
            Place::Outside | Place::Below if self.begins_tree(line, next) => {
                self.begin_plan(number);
                self.add_to_tree(line);
            }
            Place::Outside => self.note_title(line),
            Place::Logical => self.add_relation(line),
            Place::Tree if is_blank && self.is_tree_empty() => {}
            Place::Tree | Place::Subquery | Place::LeftOut if is_blank || is_prompt(line) => self.place = Place::Below,
            Place::Tree | Place::Subquery => self.add_to_tree(line),
            Place::LeftOut | Place::Skipped => {}
            Place::Below => self.read_below(line, is_blank),
        }
    }

    fn begin_section(&mut self, number: usize, name: &str) {
        self.open = None;
        self.place = match name {
            HEADER => {
                self.begin_plan(number + 1);
                Place::Tree
            }
            "== Optimized Logical Plan ==" => {
                self.relations.clear();
                Place::Logical
            }
            _ => Place::Skipped,
        };
    }

    fn begin_plan(&mut self, line: usize) {
        let title = title(&std::mem::take(&mut self.title));
        let relations = std::mem::take(&mut self.relations);
        self.plans.push(PlanText { line, title, relations, ..PlanText::default() });
        (self.place, self.open, self.in_left_out) = (Place::Tree, None, false);
    }

    /// Whether a line is the root of a tree: in a text without headers, if the next line is below it.
    fn begins_tree(&self, line: &str, next: &str) -> bool {
        let begins =
            line.trim_start().starts_with(|letter: char| letter.is_ascii_uppercase() || "*^!".contains(letter));
        !self.has_header && begins && !is_below(line) && is_below(next)
    }

    fn is_tree_empty(&self) -> bool {
        self.plans.last().is_none_or(|plan| plan.tree.is_empty())
    }

    fn add_to_tree(&mut self, line: &str) {
        let Some(plan) = self.plans.last_mut() else { return };
        let tree = match (self.place, plan.subqueries.last_mut()) {
            (Place::Subquery, Some(subquery)) => &mut subquery.tree,
            _ => &mut plan.tree,
        };
        if tree.is_empty() {
            self.indent = indent(line);
        }
        let Some(line) = TreeLine::new(line, self.indent) else { return };
        match tree.last_mut() {
            // A tree has one root: the rest of an operator with a line end in it.
            Some(last) if line.depth == 0 => {
                last.text.push(' ');
                last.text.push_str(&line.text);
            }
            _ => tree.push(line),
        }
    }

    /// A line below the tree of a plan.
    fn read_below(&mut self, line: &str, is_blank: bool) {
        let Some(plan) = self.plans.last_mut() else { return };
        let text = line.trim_start();
        if is_blank {
            self.open = None;
        } else if text.starts_with("===== ") {
            self.open = None;
            self.in_left_out = text.contains("Optimized Out");
        } else if let Some(subquery) = subquery(text) {
            plan.subqueries.push(subquery);
            (self.place, self.open) = (Place::Subquery, None);
        } else if text.starts_with("Subplan:") && self.in_left_out {
            plan.left_out += 1;
            (self.place, self.open) = (Place::LeftOut, None);
        } else if let Some((id, detail)) = detail(text) {
            plan.details.insert(id, detail);
            self.open = Some(id);
        } else if let Some(detail) = self.open.and_then(|id| plan.details.get_mut(&id)) {
            if let Some(field) = field(text) {
                detail.fields.push(field);
            } else if let Some((_, value)) = detail.fields.last_mut() {
                value.push(' ');
                value.push_str(text);
            }
        } else {
            self.note_title(line);
        }
    }

    /// A line outside of plans, which may be the statement of the next one.
    fn note_title(&mut self, line: &str) {
        let text = line.trim();
        if starts_with_word(text, "EXPLAIN") || is_comment(text) {
            self.title = vec![text.to_owned()];
        } else if let Some(first) = self.title.first()
            && !is_comment(first)
            && !text.is_empty()
            && self.title.len() < LONGEST_TITLE
        {
            self.title.push(text.to_owned());
        }
    }

    /// A line of the optimized logical plan.
    fn add_relation(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        let Some(line) = TreeLine::new(line, self.indent) else { return };
        let (text, statistics) = Statistics::split(&line.text);
        let filter = self.filter.take();
        if text.starts_with("Filter ") {
            self.filter = Some((line.depth, statistics.and_then(|statistics| statistics.rows)));
        } else if let Some(mut relation) = Relation::new(text, statistics.unwrap_or_default()) {
            let above = filter.filter(|(depth, _)| depth + 1 == line.depth);
            relation.filtered_rows = above.and_then(|(_, rows)| rows);
            self.relations.push(relation);
        }
    }
}

/// Whether a line is what a shell writes behind a plan.
fn is_prompt(line: &str) -> bool {
    let text = line.trim_start();
    let begins = ["Time taken:", "scala>", "spark-sql", ">>> ", "+--", "(1 row)", "')]", "\")]", "```"];
    begins.iter().any(|begin| text.starts_with(begin)) && !is_below(line)
}

/// Whether a text begins with a word in letters of any case.
fn starts_with_word(text: &str, word: &str) -> bool {
    let begins = text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
    begins && text[word.len()..].starts_with(char::is_whitespace)
}

fn is_comment(line: &str) -> bool {
    line.starts_with("--") || line.starts_with('#')
}

/// What a plan is called by the lines before it: its statement without `EXPLAIN`, or the comment.
fn title(lines: &[String]) -> Option<String> {
    let first = lines.first()?;
    let whole = if is_comment(first) {
        first.trim_start_matches(['-', '#', ' ']).trim_start_matches("!query").to_owned()
    } else {
        let whole = lines.join(" ");
        let mut rest = whole.as_str();
        for word in ["EXPLAIN", "FORMATTED", "EXTENDED", "COST", "CODEGEN"] {
            if starts_with_word(rest, word) {
                rest = rest[word.len()..].trim_start();
            }
        }
        rest.trim_end_matches([' ', ';']).to_owned()
    };
    let title: String = whole.trim().chars().take(LONGEST_TITLE).collect();
    (!title.is_empty()).then_some(title)
}

/// The subquery that a line begins.
fn subquery(text: &str) -> Option<SubqueryText> {
    let behind = text.strip_prefix("Subquery:")?;
    let (_, behind) = behind.split_once("Hosting operator id = ")?;
    let (host, expression) = behind.split_once(" Hosting Expression = ")?;
    Some(SubqueryText { host: host.trim().parse().ok(), expression: expression.to_owned(), tree: Vec::new() })
}

/// The number of an operator, and its details without fields: `(16) ReusedExchange [Reuses operator id: 36]`.
fn detail(text: &str) -> Option<(u64, Detail)> {
    let (number, behind) = text.strip_prefix('(')?.split_once(") ")?;
    let number = number.parse().ok()?;
    let mut name = behind.trim();
    let mut reuses = None;
    while let Some((before, mark)) = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
        if let Some(id) = mark.strip_prefix("Reuses operator id: ") {
            reuses = id.trim().parse().ok();
        } else if !mark.starts_with("codegen id") {
            break;
        }
        name = before.trim_end();
    }
    name.starts_with(|letter: char| letter.is_alphabetic())
        .then(|| (number, Detail { name: name.to_owned(), reuses, fields: Vec::new() }))
}

/// A field of details: "Output [2]: [a#1, b#2]", "Condition : (a#1 > 2)".
fn field(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once(':')?;
    let key = key.trim_end();
    let key = key.strip_suffix(']').and_then(|key| key.rsplit_once(" [")).map_or(key, |(key, _)| key);
    let is_key = key.len() <= LONGEST_KEY
        && key.starts_with(|letter: char| letter.is_ascii_uppercase())
        && key.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == ' ');
    is_key.then(|| (key.to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "\
Spark version 3.5.3

EXPLAIN FORMATTED
SELECT a FROM t WHERE a > (SELECT max(b) FROM u);
== Physical Plan ==
* Filter (2)
+- Scan parquet shop.t (1)


(1) Scan parquet shop.t
Output [1]: [a#1]
ReadSchema: struct<a:int>

(2) Filter [codegen id : 1]
Condition : (a#1 > Subquery scalar-subquery#3, [id=#4])

===== Subqueries =====

Subquery:1 Hosting operator id = 2 Hosting Expression = Subquery scalar-subquery#3, [id=#4]
* HashAggregate (4)
+- ReusedExchange (3)


(3) ReusedExchange [Reuses operator id: 9]
Output [1]: [b#2]

Time taken: 0.1 seconds, Fetched 1 row(s)
-- the second
== Physical Plan ==
   *(1) Range (0, 10, step=1, splits=2)
";

    #[test]
    fn a_text_has_the_plans_of_its_headers() {
        let plans = plans(TWO);
        let [first, second] = &plans[..] else { panic!("{} plans", plans.len()) };
        assert_eq!(first.title.as_deref(), Some("SELECT a FROM t WHERE a > (SELECT max(b) FROM u)"));
        assert_eq!((first.line, first.tree.len(), first.subqueries.len()), (6, 2, 1));
        assert_eq!(first.subqueries[0].host, Some(2));
        assert_eq!(first.subqueries[0].tree.len(), 2);
        assert_eq!(first.details[&2].field("Condition"), Some("(a#1 > Subquery scalar-subquery#3, [id=#4])"));
        assert_eq!((first.details[&3].name.as_str(), first.details[&3].reuses), ("ReusedExchange", Some(9)));
        assert_eq!(first.details[&1].field("Output"), Some("[a#1]"));
        assert_eq!(second.title.as_deref(), Some("the second"));
        assert_eq!(second.tree, [TreeLine { depth: 0, text: "Range (0, 10, step=1, splits=2)".to_owned() }]);
    }

    #[test]
    fn a_tree_without_a_header_is_a_plan() {
        let plans =
            plans("noise\n  Project [a#1]\n  +- Filter (a#1 > 2)\n     +- FileScan parquet t[a#1]\n\nmore noise\n");
        assert_eq!(plans.len(), 1);
        assert_eq!(plans[0].tree.iter().map(|line| line.depth).collect::<Vec<usize>>(), [0, 1, 2]);
    }

    #[test]
    fn an_operator_with_a_line_end_stays_one() {
        let plans = plans("== Physical Plan ==\nProject [a#1]\n+- Filter (a#1 = x\ny)\n   +- Range (0, 1)\n");
        let texts: Vec<&str> = plans[0].tree.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["Project [a#1]", "Filter (a#1 = x y)", "Range (0, 1)"]);
    }

    #[test]
    fn tables_of_the_logical_plan_have_the_rows_of_their_filter() {
        let text = "\
== Optimized Logical Plan ==
Project [a#1], Statistics(sizeInBytes=8.0 B, rowCount=10)
+- Filter (a#1 > 2), Statistics(sizeInBytes=8.0 B, rowCount=10)
   +- Relation shop.t[a#1,b#2] parquet, Statistics(sizeInBytes=1.0 KiB, rowCount=100)

== Physical Plan ==
Range (0, 1)
";
        let plans = plans(text);
        let [relation] = &plans[0].relations[..] else { panic!("one table") };
        assert_eq!((relation.bytes, relation.rows, relation.filtered_rows), (Some(1024.0), Some(100.0), Some(10.0)));
    }
}
