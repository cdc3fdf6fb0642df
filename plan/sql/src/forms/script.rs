//! `SELECT TRANSFORM (a, b) USING 'program' AS (x, y)` of Hive and Spark, and its older forms `MAP` and `REDUCE`: a call of a
//! function that makes rows.

use datafusion_sql::sqlparser::keywords::Keyword;
use datafusion_sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{MOST_GROUPS, QUERY, SCRIPT, Tokens, at, closing, find, is, is_one_of, is_sign, keyword, name};

/// What the call of a program begins with.
const PROGRAMS: [&str; 3] = ["TRANSFORM", "MAP", "REDUCE"];
/// Columns of a program that is given no names: Hive splits its lines at the first tab.
const COLUMNS: [&str; 2] = ["key", "value"];
/// What follows the columns of a program.
const BEHIND: [&str; 9] = ["FROM", "WHERE", "GROUP", "ORDER", "CLUSTER", "DISTRIBUTE", "SORT", "LIMIT", "UNION"];

/// A statement with the calls of programs as calls of a function.
pub(super) fn transformations(tokens: &[TokenWithSpan]) -> Tokens {
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    let (mut place, mut tried) = (0, 0);
    while let Some(token) = tokens.get(place) {
        let begins = tried < MOST_GROUPS && is_one_of(Some(token), &PROGRAMS);
        tried += usize::from(begins);
        if begins && let Some((call, end)) = transformation(tokens, place) {
            new.extend(call);
            place = end;
        } else {
            new.push(token.clone());
            place += 1;
        }
    }
    new
}

/// The call that stands for a program whose list begins at a place, and where what follows it begins.
fn transformation(tokens: &[TokenWithSpan], place: usize) -> Option<(Tokens, usize)> {
    let token = tokens.get(place)?;
    let before = place.checked_sub(1).and_then(|before| tokens.get(before));
    let is_transform =
        is(Some(token), "TRANSFORM") && is(before, "SELECT") && is_sign(tokens.get(place + 1), &Token::LParen);
    let is_short = is_one_of(Some(token), &["MAP", "REDUCE"]) && !is_sign(tokens.get(place + 1), &Token::LParen);
    if !is_transform && !is_short {
        return None;
    }
    let using = find(tokens, place + 1, |place| is(tokens.get(place), "USING"))?;
    let program = tokens.get(using + 1)?;
    let is_text = matches!(program.token, Token::SingleQuotedString(_) | Token::DoubleQuotedString(_));
    let has_query = tokens[place..using].iter().any(|token| is_one_of(Some(token), &QUERY));
    if !is_text || is_short && has_query {
        return None;
    }
    let arguments = if is_transform { place + 2..closing(tokens, place + 1).min(using) } else { place + 1..using };
    let end = find(tokens, using, |place| {
        is_one_of(tokens.get(place), &BEHIND) || is_sign(tokens.get(place), &Token::RParen)
    });
    let end = end.unwrap_or(tokens.len());
    let columns = columns(tokens, using + 2..end);
    let mut call = Tokens::new();
    if is_short {
        call.push(keyword(token, Keyword::SELECT, "SELECT"));
    }
    call.extend([name(token, SCRIPT), at(token, Token::LParen), program.clone(), at(token, Token::Comma)]);
    call.extend_from_slice(&tokens[arguments]);
    call.extend([at(token, Token::RParen), keyword(token, Keyword::AS, "AS")]);
    if let [column] = columns.as_slice() {
        call.push(column.clone());
        return Some((call, end));
    }
    call.push(at(token, Token::LParen));
    for (place, column) in columns.into_iter().enumerate() {
        if place > 0 {
            call.push(at(token, Token::Comma));
        }
        call.push(column);
    }
    call.push(at(token, Token::RParen));
    Some((call, end))
}

/// The names of the columns that a program gives, without their types.
fn columns(tokens: &[TokenWithSpan], range: std::ops::Range<usize>) -> Tokens {
    let place = &tokens[range.start - 1];
    let usual = || COLUMNS.iter().map(|column| name(place, column)).collect();
    if !is(tokens.get(range.start), "AS") {
        return usual();
    }
    let listed = is_sign(tokens.get(range.start + 1), &Token::LParen);
    let start = range.start + 1 + usize::from(listed);
    let end = if listed { closing(tokens, range.start + 1) } else { range.end };
    // Commas within MAP<STRING, INT> separate no columns.
    let (mut depth, mut begins, mut names) = (0_i32, true, Tokens::new());
    for token in tokens.iter().take(end).skip(start) {
        match &token.token {
            Token::Word(_) if begins => {
                names.push(token.clone());
                begins = false;
            }
            Token::Lt | Token::LParen => depth += 1,
            Token::Gt | Token::RParen => depth -= 1,
            Token::ShiftRight => depth -= 2,
            Token::Comma if depth == 0 => begins = true,
            // AS a, b ROW FORMAT …
            _ if is(Some(token), "ROW") => break,
            _ => {}
        }
    }
    if names.is_empty() { usual() } else { names }
}
