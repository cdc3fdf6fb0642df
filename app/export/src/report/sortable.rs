//! A table that a browser sorts by its columns. Its cells have their styles with them, because e-mail programs drop scripts and
//! parts of style sheets; without its script it is a table.

use std::fmt::Write as _;

use crossover_quantity::text::{Align, Table};

use super::digest;

/// Sorts a table by a column when its title is clicked, or Enter is pressed on it: numbers by their keys, the largest first;
/// texts as they read; empty cells last. It is also XML, so it has neither `<` nor `&`.
pub(super) const SCRIPT: &str = r#"
document.querySelectorAll("table.sortable").forEach(function (table) {
  var titles = Array.from(table.tHead.rows[0].cells), body = table.tBodies[0];
  titles.forEach(function (title, column) {
    function key(row) {
      var cell = row.cells[column], number = cell.getAttribute("data-key");
      return number === null ? cell.textContent : Number(number);
    }
    function sort() {
      var before = title.getAttribute("aria-sort");
      var first = title.className === "number" ? "descending" : "ascending";
      var other = first === "ascending" ? "descending" : "ascending";
      var order = before === first ? other : first, sign = order === "ascending" ? 1 : -1;
      titles.forEach(function (one) { one.removeAttribute("aria-sort"); });
      title.setAttribute("aria-sort", order);
      Array.from(body.rows).map(function (row) { return [key(row), row]; }).sort(function (a, b) {
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
"#;

/// A table with what its numbers are sorted by.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SortableTable {
    /// The table.
    pub table: Table,
    /// The number behind each cell of each row; `None`: the cell is sorted as text.
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
    body.push_str("<div class=\"wide\"><table class=\"sortable\" cellpadding=\"4\">\n<thead><tr>");
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
    use crossover_quantity::text::Column;

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
        let without = Report { blocks: vec![Block::Table(Table::default())], ..report() }.write(ReportFormat::Html);
        assert!(!without.contains("<script") && !without.contains("script-src"), "{without}");
    }

    #[test]
    fn cells_have_their_numbers_and_styles_with_them() {
        let page = report().write(ReportFormat::Html);
        assert!(page.contains("<td data-key=\"1.23\" class=\"number\" style=\"text-align: right;"), "{page}");
        assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"), "{page}");
        assert!(!SCRIPT.contains(['<', '&']) && !SCRIPT.contains("http"));
    }
}
