//! psql's formats `wrapped`, `html` and `asciidoc`, as its format `aligned` would have printed them. Line numbers stay what they are.

use super::SIDES;

/// Marks at the end of a wrapped line and at the beginning of the next, by psql's styles `ascii` and `unicode`.
const WRAPPED: [char; 2] = ['.', '…'];
/// The header of EXPLAIN's only column in HTML.
const HTML: &str = "QUERY PLAN</th>";
/// The same in `AsciiDoc`.
const ASCIIDOC: &str = "^l|QUERY PLAN";
/// What psql escapes in HTML; the ampersand comes last, so that nothing is decoded twice.
const ENTITIES: [(&str, &str); 5] = [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&amp;", "&")];

/// A text as psql prints it in its format `aligned`.
pub(crate) fn aligned(text: String) -> String {
    let found = if text.contains(HTML) {
        Some(of_html(&text))
    } else if text.contains(ASCIIDOC) {
        Some(of_asciidoc(&text))
    } else {
        joined(&text)
    };
    found.unwrap_or(text)
}

/// Without tags; the content of cells has none, as psql escapes it.
fn of_html(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        plain.push_str(before);
        rest = tag.split_once('>').map_or(tag, |(_, behind)| behind);
    }
    plain.push_str(rest);
    ENTITIES.iter().fold(plain, |plain, (escaped, letter)| plain.replace(escaped, letter))
}

/// Without what stands around the cells.
fn of_asciidoc(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let is_around = ["[options=", ASCIIDOC, "|====", "...."].iter().any(|begin| line.starts_with(begin));
        let cell = if is_around { "" } else { line.strip_prefix('|').unwrap_or(line) };
        cell.replace("\\|", "|")
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// Wrapped lines in one piece, each with as many empty lines behind it as it took; `None`: no line is wrapped.
fn joined(text: &str) -> Option<String> {
    let mut lines = text.split('\n').peekable();
    let mut found = Vec::new();
    let mut is_wrapped = false;
    while let Some(line) = lines.next() {
        let mut whole = line.to_owned();
        let mut taken = 0_usize;
        while let Some(length) = without_mark(&whole)
            && let Some(rest) = lines.peek().copied().and_then(behind_mark)
        {
            whole.truncate(length);
            whole.push_str(rest);
            lines.next();
            taken += 1;
        }
        is_wrapped |= taken > 0;
        found.push(whole);
        found.extend(std::iter::repeat_n(String::new(), taken));
    }
    is_wrapped.then(|| found.join("\n"))
}

/// Length of a line before the mark that it goes on.
fn without_mark(line: &str) -> Option<usize> {
    let inside = line.trim_end();
    inside.strip_suffix(SIDES).unwrap_or(inside).strip_suffix(WRAPPED).map(str::len)
}

/// What stands behind the mark that a line continues the one above.
fn behind_mark(line: &str) -> Option<&str> {
    line.strip_prefix(SIDES).unwrap_or(line).strip_prefix(WRAPPED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        aligned(text.to_owned())
    }

    #[test]
    fn wrapped_lines_are_joined_and_keep_the_numbers_of_the_others() {
        // \pset format wrapped, \pset columns 12; border 1 and 2, ascii and unicode.
        assert_eq!(
            of(" {         +\n  \"Plan\": .\n.\"abc   .\n.def\"    +\n }\n"),
            " {         +\n  \"Plan\": \"abc   def\"    +\n\n\n }\n"
        );
        assert_eq!(of("│ \"Node Ty…│\n│…pe\": 1  ↵│\n"), "│ \"Node Type\": 1  ↵│\n\n");
        for plain in ["It ends.\nAnd begins.\n", ".hidden\n", "a.\n\n.b", ""] {
            assert_eq!(of(plain), plain);
        }
    }

    #[test]
    fn html_loses_its_tags_and_its_escapes() {
        let html = "<table border=\"1\">\n  <tr>\n    <th align=\"center\">QUERY PLAN</th>\n  </tr>\n  <tr valign=\"top\">\n    \
            <td align=\"left\">[<br />\n&nbsp; {&quot;Filter&quot;: &quot;(a &lt; 3 &amp;&amp; b)&quot;}]</td>\n  </tr>\n</table>\n";
        let expected = "\n  \n    QUERY PLAN\n  \n  \n    [\n  {\"Filter\": \"(a < 3 && b)\"}]\n  \n\n";
        assert_eq!(of(html), expected);
    }

    #[test]
    fn asciidoc_loses_its_table() {
        let table = "\n[options=\"header\",cols=\"<l\",frame=\"none\"]\n|====\n^l|QUERY PLAN\n|[\n  {\"Filter\": \"a \\|\\| b\"}]\n|====\n\n....\n(1 row)\n....\n";
        assert_eq!(of(table), "\n\n\n\n[\n  {\"Filter\": \"a || b\"}]\n\n\n\n(1 row)\n\n");
    }
}
