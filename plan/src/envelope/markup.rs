//! Plans of PostgreSQL in YAML and XML, as the JSON that they would have been. Only what `explain.c` writes is read.

use serde_json::{Map, Value};

use super::number;

/// Deepest nesting: an operator is two levels deeper than the one that reads it.
const DEEPEST: usize = 400;
/// Elements of XML whose children are a list.
const LISTS: [&str; 3] = ["Plans", "Triggers", "Workers"];

/// A line of YAML.
struct Line<'a> {
    /// From 1.
    number: usize,
    indent: usize,
    text: &'a str,
}

/// The documents of a text in YAML; `None`: it has none.
///
/// # Errors
/// What is wrong, with the line.
pub(crate) fn yaml(text: &str) -> Result<Option<Vec<Value>>, String> {
    let is_start = |line: &str| line.trim() == "- Plan:" || line.trim_start().starts_with("- Query Text:");
    if !text.lines().any(is_start) {
        return Ok(None);
    }
    let lines: Vec<Line<'_>> = (1..)
        .zip(text.lines())
        .map(|(number, line)| {
            let text = line.trim_start();
            Line { number, indent: line.len() - text.len(), text: text.trim_end() }
        })
        .collect();
    let mut documents = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if !is_start(lines[at].text) {
            at += 1;
            continue;
        }
        let indent = lines[at].indent;
        // What follows a plan, such as a number of rows, is no part of it.
        let follows = |line: &Line<'_>| {
            let is_item = line.indent == indent && line.text.starts_with("- ");
            line.text.is_empty() || line.indent <= indent && !is_item
        };
        let end = lines[at + 1..].iter().position(follows).map_or(lines.len(), |behind| at + 1 + behind);
        let mut reader = Yaml { lines: &lines[at..end], at: 0, dash: None };
        documents.push(reader.value(indent, 0)?);
        if reader.at < reader.lines.len() {
            return Err(reader.problem("a line of YAML has the indentation of no line before it"));
        }
        at = end;
    }
    Ok(Some(documents))
}

/// Reads lines of YAML.
struct Yaml<'a> {
    lines: &'a [Line<'a>],
    at: usize,
    /// Indentation behind the dash of the present line, if its dash is read.
    dash: Option<usize>,
}

impl Yaml<'_> {
    /// Indentation of the present line, behind a dash that is read.
    fn indent(&self) -> Option<usize> {
        self.lines.get(self.at).map(|line| self.dash.unwrap_or(line.indent))
    }

    /// Its text, behind a dash that is read.
    fn text(&self) -> &str {
        let text = self.lines.get(self.at).map_or("", |line| line.text);
        if self.dash.is_some() { text.strip_prefix('-').unwrap_or(text).trim_start() } else { text }
    }

    /// The list or the object whose lines have this indentation.
    fn value(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        if depth > DEEPEST {
            return Err(self.problem(&format!("nested deeper than {DEEPEST} levels; no plan is as deep")));
        }
        if self.text().starts_with("- ") { self.list(indent, depth) } else { self.object(indent, depth) }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        let mut items = Vec::new();
        while self.indent() == Some(indent) && self.text().starts_with("- ") {
            self.dash = Some(indent + 2);
            items.push(if self.key().is_some() {
                self.value(indent + 2, depth + 1)?
            } else {
                let item = scalar(self.text());
                self.step();
                item
            });
        }
        Ok(Value::Array(items))
    }

    fn object(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        let mut fields = Map::new();
        while self.indent() == Some(indent) {
            let Some((key, value)) = self.key() else {
                return Err(self.problem("expected a field of a plan in YAML, such as “Node Type: \"Seq Scan\"”"));
            };
            self.step();
            let value = match self.indent() {
                _ if !value.is_empty() => scalar(&value),
                Some(below) if below > indent => self.value(below, depth + 1)?,
                _ => Value::Array(Vec::new()),
            };
            fields.insert(key, value);
        }
        if self.indent().is_some_and(|below| below > indent) {
            return Err(self.problem("a line of YAML is indented further than the one before it"));
        }
        Ok(Value::Object(fields))
    }

    /// The key and the value of the present line. Keys have no quotes.
    fn key(&self) -> Option<(String, String)> {
        let text = self.text();
        let (key, value) = text.split_once(": ").or_else(|| Some((text.strip_suffix(':')?, "")))?;
        (!key.is_empty() && !key.contains('"')).then(|| (key.to_owned(), value.trim().to_owned()))
    }

    fn step(&mut self) {
        self.at += 1;
        self.dash = None;
    }

    fn problem(&self, what: &str) -> String {
        let line = self.lines.get(self.at).or(self.lines.last()).map_or(0, |line| line.number);
        format!("line {line}: {what}")
    }
}

/// A value: PostgreSQL quotes texts as JSON does, and nothing else.
fn scalar(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// The documents of a text in XML; `None`: it has none.
///
/// # Errors
/// What is wrong, with line and column.
pub(crate) fn xml(text: &str) -> Result<Option<Vec<Value>>, String> {
    let mut documents = Vec::new();
    let mut rest = text;
    while let Some(begin) = rest.find("<explain") {
        let line = text[..text.len() - rest.len() + begin].matches('\n').count();
        let end = rest[begin..].find("</explain>").map(|end| begin + end + "</explain>".len());
        let end = end.ok_or_else(|| format!("line {}: the file ends inside the plan that begins there", line + 1))?;
        let document = roxmltree::Document::parse(&rest[begin..end]).map_err(|error| {
            let place = error.pos();
            format!("line {}, column {}: not valid XML", line + place.row as usize, place.col)
        })?;
        for query in document.root_element().children().filter(|child| is_named(*child, "Query")) {
            documents.push(element(query, 0)?);
        }
        rest = &rest[end..];
    }
    Ok((!documents.is_empty()).then_some(documents))
}

/// Whether a node is an element of this name, whatever its namespace.
fn is_named(node: roxmltree::Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

fn element(node: roxmltree::Node<'_, '_>, depth: usize) -> Result<Value, String> {
    if depth > DEEPEST {
        return Err(format!("XML nested deeper than {DEEPEST} levels; no plan is as deep"));
    }
    let children: Vec<roxmltree::Node<'_, '_>> = node.children().filter(roxmltree::Node::is_element).collect();
    let name = node.tag_name().name();
    if children.is_empty() && !LISTS.contains(&name) {
        let text = node.text().unwrap_or_default().trim();
        return Ok(match text {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            // XML has no types: a text that is a number is one.
            text => number(text).map_or_else(|| Value::from(text), Value::Number),
        });
    }
    let is_list = LISTS.contains(&name) || children.iter().all(|child| is_named(*child, "Item"));
    if is_list {
        return children.into_iter().map(|child| element(child, depth + 1)).collect::<Result<_, _>>().map(Value::Array);
    }
    let mut fields = Map::new();
    for child in children {
        fields.insert(key(child.tag_name().name()), element(child, depth + 1)?);
    }
    Ok(Value::Object(fields))
}

/// The key in JSON: XML has hyphens for blanks and slashes.
fn key(name: &str) -> String {
    match name {
        "One-Time-Filter" => "One-Time Filter".to_owned(),
        name => name.replace("I-O-", "I/O ").replace('-', " "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn yaml_of_postgresql_is_the_json_it_would_have_been() {
        let text = "- Plan: \n    Node Type: \"Sort\"\n    Sort Key: \n      - \"t.a\"\n    Actual Rows: 3\n    Plans: \n      \
                    - Node Type: \"Seq Scan\"\n        Parent Relationship: \"Outer\"\n        Filter: \"(b = 'x: y'::text)\"\n  \
                    Planning Time: 0.1\n  Triggers: \n  Execution Time: 1.5\n(1 row)\n";
        let expected = json!([{
            "Plan": {
                "Node Type": "Sort", "Sort Key": ["t.a"], "Actual Rows": 3,
                "Plans": [{"Node Type": "Seq Scan", "Parent Relationship": "Outer", "Filter": "(b = 'x: y'::text)"}],
            },
            "Planning Time": 0.1, "Triggers": [], "Execution Time": 1.5,
        }]);
        assert_eq!(yaml(text), Ok(Some(vec![expected])));
        assert_eq!(yaml("[{\"Plan\": {}}]"), Ok(None));
    }

    #[test]
    fn xml_of_postgresql_is_the_json_it_would_have_been() {
        let text = "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n <Query>\n  <Plan>\n   <Node-Type>Sort</Node-Type>\n\
                    <Sort-Key><Item>t.a</Item></Sort-Key>\n<Plans>\n<Plan><Node-Type>Seq Scan</Node-Type>\
                    <Filter>(a &lt; 3)</Filter></Plan>\n</Plans>\n  </Plan>\n<Triggers>\n</Triggers>\n\
                    <Execution-Time>1.5</Execution-Time>\n </Query>\n</explain>";
        let expected = json!({
            "Plan": {
                "Node Type": "Sort", "Sort Key": ["t.a"], "Plans": [{"Node Type": "Seq Scan", "Filter": "(a < 3)"}],
            },
            "Triggers": [], "Execution Time": 1.5,
        });
        assert_eq!(xml(text), Ok(Some(vec![expected])));
        assert_eq!(xml("[{\"Plan\": {}}]"), Ok(None));
        assert!(xml("<explain><Query>").is_err_and(|problem| problem.starts_with("line 1")));
    }
}
