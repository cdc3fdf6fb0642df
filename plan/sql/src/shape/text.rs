//! Expressions as people write them. `DataFusion` writes the type of every constant: `Int64(1)`, `Utf8("a")`; it does
//! so in the names of computed columns too, which is why texts are read here and not expressions.

use datafusion_expr::Expr;

/// Constants with a type prefix of `DataFusion`, and the prefix in SQL instead.
const CONSTANTS: [(&str, &str); 14] = [
    ("Boolean(", ""),
    ("Int8(", ""),
    ("Int16(", ""),
    ("Int32(", ""),
    ("Int64(", ""),
    ("UInt8(", ""),
    ("UInt16(", ""),
    ("UInt32(", ""),
    ("UInt64(", ""),
    ("Float32(", ""),
    ("Float64(", ""),
    ("Utf8(", ""),
    ("Date32(", "DATE "),
    ("Decimal128(", ""),
];

/// An expression as people write it; a name only if the query has one.
pub(super) fn text(expression: &Expr) -> String {
    let is_word = |name: &str| name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    match expression {
        Expr::Alias(alias) if !is_word(&alias.name) => text(&alias.expr),
        _ => plain(&expression.to_string()),
    }
}

/// Expressions as people write them.
pub(super) fn list<'a>(expressions: impl IntoIterator<Item = &'a Expr>) -> String {
    expressions.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

/// A text without the types of constants.
fn plain(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let inside_word = written.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let constant = CONSTANTS.iter().filter(|_| !inside_word).find_map(|(start, before)| {
            let (value, after) = value(rest.strip_prefix(start)?, *start == "Decimal128(")?;
            Some((format!("{before}{value}"), after))
        });
        if let Some((constant, after)) = constant {
            written += &constant;
            rest = after;
        } else {
            written.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    written
}

/// The value of a constant and what follows it.
fn value(text: &str, is_decimal: bool) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (value, after) = quoted.split_once("\")")?;
        return Some((format!("'{value}'"), after));
    }
    let (value, after) = text.split_once(')')?;
    if !is_decimal {
        return Some((value.to_owned(), after));
    }
    // Precision and scale follow the value; without a value it is the name of a type.
    let parts: Vec<&str> = value.split(',').collect();
    (parts.len() == 3).then(|| (parts[0].to_owned(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_written_without_their_types() {
        for (text, expected) in [
            ("t.a < Int64(10) AND t.b = Utf8(\"x (y)\")", "t.a < 10 AND t.b = 'x (y)'"),
            ("substr(t.a, Int64(1), Int64(2))", "substr(t.a, 1, 2)"),
            ("Date32(\"1998-09-02\")", "DATE '1998-09-02'"),
            ("Decimal128(0.05,15,2) - Decimal128(-12.34,15,2)", "0.05 - -12.34"),
            ("CAST(t.a AS Decimal128(22, 2))", "CAST(t.a AS Decimal128(22, 2))"),
            ("Float64(NULL)", "NULL"),
            ("my_Int64(3) + Int64(", "my_Int64(3) + Int64("),
            ("Decimal128(5,3", "Decimal128(5,3"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }
}
