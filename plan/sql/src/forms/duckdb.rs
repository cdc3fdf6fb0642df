//! Forms of `DuckDB`: the statements `PIVOT t ON a USING sum(b)` and `UNPIVOT t ON a, b INTO NAME k VALUE v` as queries, and samples.

use datafusion_sql::sqlparser::keywords::Keyword;
use datafusion_sql::sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use super::{MOST_GROUPS, MOST_WRITTEN, QUERY, Tokens, at, closing, find, is, is_one_of, is_sign, keyword, words};

/// What such statements begin with.
const PIVOTS: [&str; 2] = ["PIVOT", "PIVOT_WIDER"];
const UNPIVOTS: [&str; 2] = ["UNPIVOT", "PIVOT_LONGER"];
/// What follows such a statement within another one.
const BEHIND: [&str; 5] = ["ORDER", "LIMIT", "UNION", "EXCEPT", "INTERSECT"];

/// A statement with such statements as queries.
pub(super) fn statements(mut tokens: Tokens) -> Tokens {
    let (mut place, mut tried) = (0, 0);
    while place < tokens.len() && tokens.len() <= MOST_WRITTEN && tried < MOST_GROUPS {
        if is_one_of(tokens.get(place), &PIVOTS) || is_one_of(tokens.get(place), &UNPIVOTS) {
            tried += 1;
            if let Some((query, end)) = statement(&tokens, place) {
                tokens.splice(place..end, query);
            }
        }
        place += 1;
    }
    tokens
}

/// `SELECT … USING SAMPLE 10%` is `SELECT * FROM (SELECT …) TABLESAMPLE (10 PERCENT)`, and `TABLESAMPLE bernoulli(10%)` is
/// `TABLESAMPLE (10 PERCENT)`.
pub(super) fn samples(tokens: &[TokenWithSpan]) -> Tokens {
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    let (mut place, mut of_queries) = (0, 0);
    while let Some(token) = tokens.get(place) {
        let is_of_table = is(Some(token), "TABLESAMPLE");
        let is_of_query = of_queries < MOST_GROUPS && is(Some(token), "USING") && is(tokens.get(place + 1), "SAMPLE");
        let sample = match (is_of_table, is_of_query && is_one_of(tokens.first(), &QUERY)) {
            // Without a unit the parser reads it.
            (true, _) => sample(tokens, place + 1).filter(|(_, end)| has_unit(&tokens[place..*end])),
            (_, true) => sample(tokens, place + 2),
            _ => None,
        };
        let Some((sample, end)) = sample else {
            new.push(token.clone());
            place += 1;
            continue;
        };
        if is_of_query {
            of_queries += 1;
            new = concat(&[&words(token, "SELECT * FROM ("), &new, &words(token, ")")]);
        }
        new.push(keyword(token, Keyword::TABLESAMPLE, "TABLESAMPLE"));
        new.extend(sample);
        place = end;
    }
    new
}

fn has_unit(sample: &[TokenWithSpan]) -> bool {
    sample.iter().any(|token| token.token == Token::Mod || is_one_of(Some(token), &["PERCENT", "ROWS"]))
}

/// The size of a sample that begins at a place, in the parser's form, and where it ends: `10%`, `50 ROWS`, `reservoir(50 ROWS)`,
/// `10 PERCENT (bernoulli)`. A number alone is one of rows.
fn sample(tokens: &[TokenWithSpan], start: usize) -> Option<(Tokens, usize)> {
    let has_method = is_sign(tokens.get(start + 1), &Token::LParen);
    let open = if has_method { start + 1 } else { start };
    let is_open = is_sign(tokens.get(open), &Token::LParen);
    let mut end = if is_open { open + 1 } else { open };
    let number = tokens.get(end).filter(|token| matches!(token.token, Token::Number(..)))?;
    end += 1;
    let is_share = is_sign(tokens.get(end), &Token::Mod) || is(tokens.get(end), "PERCENT");
    if is_share || is(tokens.get(end), "ROWS") {
        end += 1;
    }
    if is_open {
        end = (closing(tokens, open) + 1).min(tokens.len());
    } else if is_sign(tokens.get(end), &Token::LParen) {
        end = (closing(tokens, end) + 1).min(tokens.len());
    }
    let unit = words(number, if is_share { "PERCENT )" } else { "ROWS )" });
    Some((concat(&[&words(number, "("), std::slice::from_ref(number), &unit]), end))
}

/// The query that stands for a statement that begins at a place, and where the statement ends.
fn statement(tokens: &[TokenWithSpan], place: usize) -> Option<(Tokens, usize)> {
    let is_pivot = is_one_of(tokens.get(place), &PIVOTS);
    let before = place.checked_sub(1).and_then(|before| tokens.get(before));
    let begins = before.is_none() || is_sign(before, &Token::LParen) || is_one_of(before, &["AS", "ALL"]);
    // WITH s AS (…) PIVOT s ON …; a table is followed by PIVOT (…).
    let is_behind_with = is_sign(before, &Token::RParen) && !is_sign(tokens.get(place + 1), &Token::LParen);
    if !begins && !is_behind_with {
        return None;
    }
    let ends = |place: usize| is_sign(tokens.get(place), &Token::RParen) || is_one_of(tokens.get(place), &BEHIND);
    let end = find(tokens, place, ends).unwrap_or(tokens.len());
    let word =
        |from: usize, word: &str| find(tokens, from, |place| is(tokens.get(place), word)).filter(|found| *found < end);
    let on = word(place + 1, "ON")?;
    let source = &tokens[place + 1..on];
    if !is_pivot {
        return Some((unpivoted(source, &tokens[on + 1..end]), end));
    }
    let using = word(on, "USING");
    let group = word(using.unwrap_or(on), "GROUP");
    let list_end = using.or(group).unwrap_or(end);
    let counted = words(&tokens[place], "count(*)");
    let aggregates = using.map_or(counted.as_slice(), |using| &tokens[using + 1..group.unwrap_or(end)]);
    let groups = group.map(|group| &tokens[(group + 2).min(end)..end]);
    Some((pivoted(source, &tokens[on + 1..list_end], aggregates, groups)?, end))
}

/// The query of PIVOT; `None`: it has lists of values for several columns, which give a column for each combination, or it is too large.
fn pivoted(
    source: &[TokenWithSpan],
    column: &[TokenWithSpan],
    aggregates: &[TokenWithSpan],
    groups: Option<&[TokenWithSpan]>,
) -> Option<Tokens> {
    let first = column.first()?;
    let list = find(column, 0, |place| is(column.get(place), "IN"));
    let values = list.map(|list| {
        let start = (list + 2).min(column.len());
        &column[start..closing(column, list + 1).max(start)]
    });
    let column = &column[..list.unwrap_or(column.len())];
    let has_several = parts(column).len() > 1;
    if has_several && values.is_some() {
        return None;
    }
    let aggregates = parts(aggregates);
    let Some(groups) = groups else {
        let all = aggregates.join(&at(first, Token::Comma));
        let any = words(first, "ANY");
        let head = words(first, "SELECT * FROM");
        let (open, of, listed, close) =
            (words(first, "PIVOT ("), words(first, "FOR"), words(first, "IN ("), words(first, "))"));
        let values = values.unwrap_or(&any);
        let (before, behind) = if has_several { ("(", ")") } else { ("", "") };
        let column = concat(&[&words(first, before), column, &words(first, behind)]);
        return Some(concat(&[&head, source, &open, &all, &of, &column, &listed, values, &close]));
    };
    let plain: Vec<&[TokenWithSpan]> = aggregates.iter().map(|aggregate| without_name(aggregate)).collect();
    let (select, from, by) = (words(first, "SELECT"), words(first, "FROM"), words(first, "GROUP BY"));
    let comma = words(first, ",");
    let mut items: Vec<Tokens> = vec![groups.to_vec()];
    let Some(values) = values else {
        // The values of each group side by side.
        items.push(concat(&[column, &words(first, "AS pivot_value")]));
        let mut lists = vec![groups.to_vec(), words(first, "array_agg(pivot_value) AS pivot_value")];
        for (place, aggregate) in plain.iter().enumerate() {
            let name = format!("pivot_{}", place + 1);
            items.push(concat(&[aggregate, &words(first, &format!("AS {name}"))]));
            lists.push(words(first, &format!("array_agg({name}) AS {name}")));
        }
        let inner = concat(&[&select, &joined(&items, &comma), &from, source, &by, groups, &comma, column]);
        let (open, close) = (words(first, "("), words(first, ")"));
        return Some(concat(&[&select, &joined(&lists, &comma), &from, &open, &inner, &close, &by, groups]));
    };
    let mut written = 0;
    for value in parts(values) {
        for aggregate in &plain {
            if written > MOST_WRITTEN {
                return None;
            }
            let (filter, equal, close) = (words(first, "FILTER (WHERE"), words(first, "="), words(first, ")"));
            let mut item = concat(&[aggregate, &filter, column, &equal, value, &close]);
            if let ([one], [_]) = (value, plain.as_slice()) {
                item.extend(words(first, "AS"));
                item.push(quoted(one));
            }
            written += item.len();
            items.push(item);
        }
    }
    Some(concat(&[&select, &joined(&items, &comma), &from, source, &by, groups]))
}

/// The query of UNPIVOT.
fn unpivoted(source: &[TokenWithSpan], rest: &[TokenWithSpan]) -> Tokens {
    let into = find(rest, 0, |place| is(rest.get(place), "INTO"));
    let columns = &rest[..into.unwrap_or(rest.len())];
    let Some(first) = columns.first() else { return source.to_vec() };
    let value = find(rest, into.unwrap_or(rest.len()), |place| is(rest.get(place), "VALUE"));
    let names = match (into, value) {
        // INTO NAME k VALUE v
        (Some(into), Some(value)) if into + 2 <= value => rest[into + 2..value].to_vec(),
        _ => words(first, "name"),
    };
    let values = value.map_or_else(|| words(first, "value"), |value| rest[value + 1..].to_vec());
    let values =
        if parts(&values).len() > 1 { concat(&[&words(first, "("), &values, &words(first, ")")]) } else { values };
    let (head, open) = (words(first, "SELECT * FROM"), words(first, "UNPIVOT ("));
    let (of, listed, close) = (words(first, "FOR"), words(first, "IN ("), words(first, "))"));
    concat(&[&head, source, &open, &values, &of, &names, &listed, columns, &close])
}

/// Parts between commas, outside of parentheses.
fn parts(tokens: &[TokenWithSpan]) -> Vec<&[TokenWithSpan]> {
    let (mut parts, mut start) = (Vec::new(), 0);
    while let Some(comma) = find(tokens, start, |place| is_sign(tokens.get(place), &Token::Comma)) {
        parts.push(&tokens[start..comma]);
        start = comma + 1;
    }
    parts.push(&tokens[start..]);
    parts
}

/// An aggregate without the name of its column.
fn without_name(aggregate: &[TokenWithSpan]) -> &[TokenWithSpan] {
    let named = find(aggregate, 0, |place| is(aggregate.get(place), "AS"));
    &aggregate[..named.unwrap_or(aggregate.len())]
}

fn concat(parts: &[&[TokenWithSpan]]) -> Tokens {
    parts.concat()
}

fn joined(items: &[Tokens], comma: &[TokenWithSpan]) -> Tokens {
    items.join(comma)
}

/// The name of the column of a value.
fn quoted(value: &TokenWithSpan) -> TokenWithSpan {
    let name = match &value.token {
        Token::SingleQuotedString(text) => text.clone(),
        other => other.to_string(),
    };
    at(value, Token::Word(Word { value: name, quote_style: Some('"'), keyword: Keyword::NoKeyword }))
}
