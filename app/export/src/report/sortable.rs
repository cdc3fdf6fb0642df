//! Tables that a browser sorts by their columns. Their cells have their styles with them, because e-mail programs drop scripts and
//! parts of style sheets; without the script they are tables.

use std::fmt::Write as _;

use crossover_quantity::text::{Align, Table};
use crossover_quantity::unit::Unit;

use super::digest;

/// Sorts a table by a column when its title is clicked, or Enter is pressed on it: numbers by their keys, the largest first, and cells
/// without a number last; texts as they read, empty ones last. It is also XML, so it has neither `<` nor `&`. It stands in the head
/// of its page, so that the body, which notebooks show, has nothing that runs.
pub(super) const SCRIPT: &str = r#"
document.addEventListener("DOMContentLoaded", function () {
  document.querySelectorAll("table.sortable").forEach(function (table) {
    var titles = Array.from(table.tHead.rows[0].cells), body = table.tBodies[0];
    titles.forEach(function (title, column) {
      function number(row) { return row.cells[column].getAttribute("data-key"); }
      function key(row, isOfNumbers) {
        if (isOfNumbers) { return number(row) === null ? "" : Number(number(row)); }
        return row.cells[column].textContent;
      }
      function sort() {
        var before = title.getAttribute("aria-sort");
        var first = title.className === "number" ? "descending" : "ascending";
        var other = first === "ascending" ? "descending" : "ascending";
        var order = before === first ? other : first, sign = order === "ascending" ? 1 : -1;
        titles.forEach(function (one) { one.removeAttribute("aria-sort"); });
        title.setAttribute("aria-sort", order);
        var rows = Array.from(body.rows), isOfNumbers = rows.some(function (row) { return number(row) !== null; });
        rows.map(function (row) { return [key(row, isOfNumbers), row]; }).sort(function (a, b) {
          if (a[0] === b[0]) { return 0; }
          if (a[0] === "") { return 1; }
          if (b[0] === "") { return -1; }
          return a[0] > b[0] ? sign : -sign;
        }).forEach(function (pair) { body.appendChild(pair[1]); });
      }
      title.tabIndex = 0;
      title.title = "Sort by this column";
      title.addEventListener("click", sort);
      title.addEventListener("keydown", function (event) { if (event.key === "Enter") { sort(); } });
    });
  });
});
"#;

/// A table with what its numbers are sorted by.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SortableTable {
    /// The table.
    pub table: Table,
    /// The number behind each cell of each row; `None`: it has none, and is sorted as text in a column without numbers.
    pub keys: Vec<Vec<Option<f64>>>,
}

impl SortableTable {
    /// The same without empty columns.
    #[must_use]
    pub fn without_empty_columns(self) -> Self {
        let Self { table, keys } = self;
        let is_filled = |column: usize| table.rows.iter().any(|row| !row[column].is_empty());
        let filled: Vec<bool> = (0..table.columns.len()).map(is_filled).collect();
        let keep = |row: Vec<Option<f64>>| {
            row.into_iter().zip(&filled).filter(|(_, is_filled)| **is_filled).map(|(key, _)| key).collect::<Vec<_>>()
        };
        Self { keys: keys.into_iter().map(keep).collect(), table: table.without_empty_columns() }
    }
}

impl From<&Table> for SortableTable {
    /// A table that is sorted by the numbers which its cells begin with, in columns of numbers.
    fn from(table: &Table) -> Self {
        let units: Vec<Option<Unit>> = (0..table.columns.len()).map(|column| unit_of(table, column)).collect();
        let keys = |row: &Vec<String>| row.iter().zip(&units).map(|(cell, unit)| read((*unit)?, cell)).collect();
        Self { keys: table.rows.iter().map(keys).collect(), table: table.clone() }
    }
}

/// The first unit in which most cells of a column of numbers can be read; `None` where none can.
fn unit_of(table: &Table, column: usize) -> Option<Unit> {
    let is_of_numbers = table.columns[column].align == Align::Right;
    let cells = || table.rows.iter().filter_map(|row| row.get(column));
    let readable = |unit: Unit| cells().filter(|cell| read(unit, cell).is_some()).count();
    let counted = Unit::ALL.iter().filter(|_| is_of_numbers).map(|unit| (*unit, readable(*unit)));
    let most = counted.fold((Unit::Ratio, 0), |most, next| if next.1 > most.1 { next } else { most });
    (most.1 > 0).then_some(most.0)
}

/// The number that a cell begins with: of "≥ 1.2 s (0.9 s … 2 s)", 1.2.
fn read(unit: Unit, cell: &str) -> Option<f64> {
    let cell = cell.trim_start_matches([' ', '●', '±', '≈', '~', '<', '>', '≤', '≥', '$']);
    let end = [" (", " …", " ±"].iter().filter_map(|mark| cell.find(mark)).min().unwrap_or(cell.len());
    unit.parse(&cell[..end]).ok()
}

/// The opening tag of a sortable table.
pub(super) const OPENING: &str = "<table class=\"sortable\" cellpadding=\"4\">";

/// What the policy of a page with a sortable table allows beside styles: this script, and no other.
pub(super) fn policy() -> String {
    format!("; script-src {}", digest::source(SCRIPT))
}

/// Writes the table; `escaped` makes text safe.
pub(super) fn write(body: &mut String, of: &SortableTable, escaped: impl Fn(&str) -> String) {
    let attributes = |place: usize| match of.table.columns[place].align {
        Align::Left => " style=\"text-align: left; vertical-align: top\"",
        Align::Right => " class=\"number\" style=\"text-align: right; vertical-align: top; white-space: nowrap\"",
    };
    body.push_str("<div class=\"wide\">");
    body.push_str(OPENING);
    body.push_str("\n<thead><tr>");
    for (place, column) in of.table.columns.iter().enumerate() {
        _ = write!(body, "<th scope=\"col\"{}>{}</th>", attributes(place), escaped(&column.title));
    }
    body.push_str("</tr></thead>\n<tbody>\n");
    for (number, row) in of.table.rows.iter().enumerate() {
        body.push_str("<tr>");
        for (place, cell) in row.iter().enumerate() {
            let key = of.keys.get(number).and_then(|keys| *keys.get(place)?).filter(|key| key.is_finite());
            let key = key.map(|key| format!(" data-key=\"{key}\"")).unwrap_or_default();
            _ = write!(body, "<td{key}{}>{}</td>", attributes(place), escaped(cell));
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</tbody>\n</table></div>\n");
}

#[cfg(test)]
mod tests {
    use crossover_quantity::text::{Column, TextReport};

    use super::super::{Block, Report, ReportFormat};
    use super::*;

    fn report() -> Report {
        let table = Table {
            columns: vec![Column::text("name"), Column::number("cost")],
            rows: vec![
                vec!["</script><script>alert(1)</script>".to_owned(), "$1.2".to_owned()],
                vec!["b".to_owned(), String::new()],
            ],
        };
        let sortable = SortableTable { table, keys: vec![vec![None, Some(1.23)], vec![None, None]] };
        Report { title: "t".to_owned(), question: "Why?", blocks: vec![Block::Sortable(sortable)] }
    }

    #[test]
    fn a_page_with_a_sortable_table_runs_this_script_and_no_other() {
        let page = report().write(ReportFormat::Html);
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let parsed = roxmltree::Document::parse_with_options(&page, options).expect("well-formed");
        let scripts = parsed.descendants().filter(|node| node.tag_name().name() == "script");
        let scripts: Vec<Option<&str>> = scripts.map(|node| node.text()).collect();
        assert_eq!(scripts, [Some(SCRIPT)]);
        let policy =
            parsed.descendants().find_map(|node| node.attribute("content").filter(|text| text.contains("src")));
        let policy = policy.expect("a policy");
        assert!(policy.starts_with("default-src 'none';") && policy.contains(&digest::source(SCRIPT)), "{policy}");
        assert!(!policy.contains("script-src 'unsafe-inline'"), "{policy}");
        let without = Report { blocks: vec![Block::Text("t".to_owned())], ..report() }.write(ReportFormat::Html);
        assert!(!without.contains("<script") && !without.contains("script-src"), "{without}");
    }

    #[test]
    fn cells_have_their_numbers_and_styles_with_them() {
        let page = report().write(ReportFormat::Html);
        assert!(page.contains("<td data-key=\"1.23\" class=\"number\" style=\"text-align: right;"), "{page}");
        assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"), "{page}");
        assert!(!SCRIPT.contains(['<', '&']) && !SCRIPT.contains("http"));
    }

    #[test]
    fn every_table_of_a_report_is_sortable() {
        let table = Table { columns: vec![Column::text("name")], rows: vec![vec!["a".to_owned()]] };
        let mut outcome = TextReport::titled("t");
        outcome.table(table.clone());
        let blocks =
            vec![Block::Table(table), Block::TextReport(outcome), Block::Markdown("| a | b |\n|---|---|\n| 1 | 2 |\n")];
        let page = Report { blocks, ..report() }.write(ReportFormat::Html);
        assert_eq!((page.matches("<table").count(), page.matches(OPENING).count()), (3, 3), "{page}");
        assert_eq!(page.matches("<thead>").count(), 3, "{page}");
        assert!(page.contains(SCRIPT), "{page}");
    }

    /// A kilobyte is 10⁻⁶ gigabytes, 90 minutes are 1.5 hours.
    #[test]
    fn numbers_are_sorted_by_their_values_whatever_their_prefixes() {
        let cells = |cells: [&str; 4]| cells.map(str::to_owned);
        let [data, times] =
            [cells(["2 GB", "12 kB", "–", "1.5 TB"]), cells(["71 s (60 s … 95 s)", "", "1.5 h", "3 ms"])];
        let shares = cells(["43 %", "± 4 %", "1,234", "−2.5×"]);
        let names = cells(["10", "9", "b", "a"]);
        let rows = (0..4).map(|row| [&names, &data, &times, &shares].map(|column| column[row].clone()).to_vec());
        let columns = vec![Column::text("a"), Column::number("b"), Column::number("c"), Column::number("d")];
        let keys = SortableTable::from(&Table { columns, rows: rows.collect() }).keys;
        let column = |place: usize| keys.iter().map(|row| row[place]).collect::<Vec<_>>();
        assert_eq!(column(0), [None::<f64>; 4], "names are texts");
        let near = |found: Vec<Option<f64>>, expected: [Option<f64>; 4]| {
            found.iter().zip(expected).all(|(found, expected)| match (found, expected) {
                (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
                (found, expected) => found.is_none() && expected.is_none(),
            })
        };
        assert!(near(column(1), [Some(2.0), Some(12e-6), None, Some(1_500.0)]), "{keys:?}");
        assert!(near(column(2), [Some(71.0), None, Some(5_400.0), Some(0.003)]), "{keys:?}");
        assert!(near(column(3), [Some(0.43), Some(0.04), Some(1_234.0), Some(-2.5)]), "{keys:?}");
    }
}
