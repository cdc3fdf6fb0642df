//! Width of the rows of a scan, from the types of its columns.
//!
//! Widths of types are Spark's own guesses, `DataType.defaultSize`: 20 bytes for a string, 100 for a binary, one
//! element for an array.

use super::raw::RawNode;

/// The `ReadSchema` of a scan: in its metadata, in older logs at the end of its text.
pub(super) fn schema(raw: &RawNode) -> Option<&str> {
    let text = || raw.simple_string.split_once("ReadSchema: ").map(|(_, schema)| schema);
    raw.metadata.get("ReadSchema").map(String::as_str).or_else(text)
}

/// Bytes of one row of a `ReadSchema`, e.g. `struct<id:bigint,name:string>`; `None` if it has no column or is not a
/// schema. Columns that Spark left out ("... 3 more fields") count as much as the others on average.
#[must_use]
pub fn row_width(schema: &str) -> Option<f64> {
    let mut width = 0.0;
    let mut columns = 0_u32;
    let mut left_out = 0.0;
    for column in columns_of(schema)? {
        count(&column, &mut width, &mut columns, &mut left_out);
    }
    (columns > 0).then(|| width * (1.0 + left_out / f64::from(columns)))
}

/// The columns of a `ReadSchema`, in small letters, with bytes of one value.
pub(super) fn fields(schema: &str) -> impl Iterator<Item = (String, f64)> {
    let columns = columns_of(schema).unwrap_or_default().into_iter();
    columns.filter_map(|column| {
        let (name, data_type) = column.split_once(':')?;
        Some((name.trim().to_lowercase(), type_width(data_type)))
    })
}

/// The columns of a schema, "name:type", and the note on those left out.
pub(super) fn columns_of(schema: &str) -> Option<Vec<String>> {
    let fields = schema.trim().strip_prefix("struct<")?;
    let mut columns = Vec::new();
    let mut depth = 0_usize;
    let mut column = String::new();
    for letter in fields.chars() {
        match letter {
            '<' | '(' => depth += 1,
            // The end of the schema.
            '>' if depth == 0 => break,
            '>' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter == ',' && depth == 0 {
            columns.push(std::mem::take(&mut column));
        } else {
            column.push(letter);
        }
    }
    columns.push(column);
    Some(columns)
}

/// Adds one column, "name:type", or the note on those left out, "... 3 more fields".
fn count(column: &str, width: &mut f64, columns: &mut u32, left_out: &mut f64) {
    let column = column.trim();
    if let Some(note) = column.strip_prefix("...") {
        *left_out += note.split_whitespace().next().and_then(|count| count.parse().ok()).unwrap_or(1.0);
    } else if let Some((_, data_type)) = column.split_once(':') {
        *width += type_width(data_type);
        *columns += 1;
    }
}

/// Bytes of one value of a type. Nested types are the sum of the plain types in them.
pub(super) fn type_width(data_type: &str) -> f64 {
    let mut depth = 0_usize;
    let mut width = 0.0;
    // Types stand between the signs of "map<string,array<int>>" and "struct<a:int,b:decimal(10,2)>".
    let mut start = 0;
    let mut decimal_digits = None;
    for (at, letter) in data_type.char_indices() {
        match letter {
            '(' => {
                depth += 1;
                decimal_digits = data_type[at + 1..].split([',', ')']).next().and_then(|digits| digits.parse().ok());
            }
            ')' => depth = depth.saturating_sub(1),
            '<' | '>' | ',' | ':' if depth == 0 => {
                // What stands before a colon is a name, before an angle bracket a container.
                if matches!(letter, '>' | ',') {
                    width += plain_width(&data_type[start..at], decimal_digits);
                }
                start = at + 1;
                decimal_digits = None;
            }
            _ => {}
        }
    }
    width + plain_width(&data_type[start..], decimal_digits)
}

/// Bytes of one value of a type without parts.
fn plain_width(data_type: &str, digits: Option<f64>) -> f64 {
    let name = data_type.split('(').next().unwrap_or_default().trim();
    match name {
        "" => 0.0,
        "boolean" | "tinyint" | "void" | "null" => 1.0,
        "smallint" => 2.0,
        "int" | "float" | "date" => 4.0,
        "decimal" if digits.is_some_and(|digits: f64| digits > 18.0) => 16.0,
        "string" | "varchar" | "char" => 20.0,
        "binary" => 100.0,
        "interval" => 16.0,
        // bigint, double, timestamp, timestamp_ntz, decimal of at most 18 digits, intervals.
        _ => 8.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_of_types_are_those_of_spark() {
        for (schema, width) in [
            ("struct<col1:int,col2:int>", 8.0),
            ("struct<value:string>", 20.0),
            ("struct<id:bigint,price:decimal(10,2),total:decimal(38,4),day:date>", 8.0 + 8.0 + 16.0 + 4.0),
            ("struct<flags:array<tinyint>,names:map<string,int>>", 1.0 + 24.0),
            ("struct<a:struct<b:int,c:array<double>>,d:boolean>", 4.0 + 8.0 + 1.0),
            ("struct<a:struct<x:decimal(20,0),y:string>>", 36.0),
            ("struct<blob:binary,at:timestamp,short:smallint>", 110.0),
        ] {
            assert_eq!(row_width(schema), Some(width), "{schema}");
        }
    }

    #[test]
    fn columns_left_out_are_as_wide_as_the_others_on_average() {
        // Two columns of 4 and 8 bytes and four more of 6 on average.
        assert_eq!(row_width("struct<a:int,b:bigint,... 4 more fields>"), Some(36.0));
    }

    #[test]
    fn what_is_no_schema_has_no_width() {
        for text in ["", "struct<>", "int", "struct<", "struct<...>", "struct<>>>", "struct<,,>"] {
            assert_eq!(row_width(text), None, "{text}");
        }
    }
}
