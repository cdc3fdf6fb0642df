//! Forms of statements that the parser does not read, rewritten word by word: each into one that costs the same. They are tried where
//! a statement cannot be parsed as it is.

mod clickhouse;
mod duckdb;
mod respelling;
mod script;
mod ternary;
mod written;

use crossover_plan::SqlDialect;
use datafusion_sql::sqlparser::keywords::Keyword;
use datafusion_sql::sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer, Word};

use crate::parsers::parser;

/// Words and signs of a statement.
type Tokens = Vec<TokenWithSpan>;

/// The function that stands for `(+)` behind a column.
pub(super) const OPTIONAL: &str = "crossover_optional";
/// The column that stands for the columns of the table that its type names.
pub(super) const LIKE: &str = "crossover_like";
/// The function that stands for a program to which rows are written.
pub(super) const SCRIPT: &str = "script_transformation";
/// Units of a span of time that is written without `INTERVAL`.
const UNITS: [&str; 8] = ["DAY", "DAYS", "WEEK", "WEEKS", "MONTH", "MONTHS", "YEAR", "YEARS"];
/// What a query begins with.
const QUERY: [&str; 4] = ["SELECT", "WITH", "FROM", "VALUES"];
/// Smaller units.
const SMALL_UNITS: [&str; 6] = ["HOUR", "HOURS", "MINUTE", "MINUTES", "SECOND", "SECONDS"];
/// What a version of a table is named by.
const VERSIONS: [&str; 7] = ["VERSION", "TIMESTAMP", "OFFSET", "STATEMENT", "STREAM", "SNAPSHOT", "SNAPSHOT_ID"];
/// Most queries of a statement that begin with FROM, pivots, calls of programs, and samples of queries; each is read to its end, or
/// copied.
const MOST_GROUPS: usize = 200;
/// Most words and signs of what stands for a name or a pivot: each name is as long as its value, and a pivot has a column for each value
/// with each aggregate. A statement that has grown to as many is not written on.
const MOST_WRITTEN: usize = 200_000;
/// Suffixes of Spark's numbers.
const SUFFIXES: [&str; 6] = ["L", "S", "Y", "D", "F", "BD"];

/// A statement without the hints that end it, `FROM t OPTION (RECOMPILE)` of T-SQL: a parser takes them for a name of the table and of
/// its columns.
pub(super) fn without_hints(tokens: &[TokenWithSpan]) -> &[TokenWithSpan] {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().rev() {
        match token.token {
            Token::RParen => depth += 1,
            Token::LParen if depth > 1 => depth -= 1,
            Token::LParen => {
                let before = |count: usize| place.checked_sub(count).and_then(|place| tokens.get(place));
                let is_hint = is(before(1), "OPTION") && before(2).is_some_and(|token| !is(Some(token), "SELECT"));
                return if is_hint { &tokens[..place - 1] } else { tokens };
            }
            _ if depth == 0 => break,
            _ => {}
        }
    }
    tokens
}

/// A statement with all its forms rewritten; `None`: it has none of them.
pub(super) fn rewritten(tokens: &[TokenWithSpan], dialect: Option<SqlDialect>) -> Option<Tokens> {
    let mut new = optional_columns(tokens);
    if dialect == Some(SqlDialect::Spark) {
        new = names_with_digits(new);
    }
    if matches!(dialect, Some(SqlDialect::DuckDb) | None) {
        new = duckdb::statements(new);
        new = duckdb::samples(&new);
    }
    new = script::transformations(&new);
    new = respelling::statement(&new, dialect);
    if matches!(dialect, Some(SqlDialect::ClickHouse | SqlDialect::DuckDb)) {
        new = clickhouse::join_words(new);
    }
    if dialect == Some(SqlDialect::ClickHouse) {
        new = ternary::calls(new);
        new = clickhouse::limits(&new);
        new = clickhouse::named_values(new);
        new = clickhouse::joined_lists(&new);
        new = clickhouse::using_columns(&new);
    }
    new = written::statement(new);
    new = intervals(&new);
    new = versions(&new);
    new = conditions_of_lists(new);
    new = rows_of_values(&new);
    new = from_first(new);
    (new != tokens).then_some(new)
}

/// Whether a token is this word, unquoted.
fn is(token: Option<&TokenWithSpan>, word: &str) -> bool {
    matches!(token.map(|token| &token.token), Some(Token::Word(found)) if found.quote_style.is_none()
        && found.value.eq_ignore_ascii_case(word))
}

fn is_one_of(token: Option<&TokenWithSpan>, words: &[&str]) -> bool {
    words.iter().any(|word| is(token, word))
}

fn is_sign(token: Option<&TokenWithSpan>, sign: &Token) -> bool {
    token.is_some_and(|token| token.token == *sign)
}

/// A token at the place of another one.
fn at(place: &TokenWithSpan, token: Token) -> TokenWithSpan {
    TokenWithSpan::new(token, place.span)
}

/// A keyword at the place of another token.
fn keyword(place: &TokenWithSpan, keyword: Keyword, word: &str) -> TokenWithSpan {
    at(place, Token::Word(Word { value: word.to_owned(), quote_style: None, keyword }))
}

/// A name at the place of another token.
fn name(place: &TokenWithSpan, name: &str) -> TokenWithSpan {
    keyword(place, Keyword::NoKeyword, name)
}

/// Words and signs of a text of the program, at the place of a token.
fn words(place: &TokenWithSpan, text: &str) -> Tokens {
    let tokens = Tokenizer::new(parser(None), text).tokenize().unwrap_or_default();
    let tokens = tokens.into_iter().filter(|token| !matches!(token, Token::Whitespace(_)));
    tokens.map(|token| at(place, token)).collect()
}

/// Where the parentheses that open at a place close.
fn closing(tokens: &[TokenWithSpan], open: usize) -> usize {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().skip(open) {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen if depth <= 1 => return place,
            Token::RParen => depth -= 1,
            _ => {}
        }
    }
    tokens.len()
}

/// The first place from `start` on, outside of parentheses that open there, that fits; none behind the end of the parentheses around.
fn find(tokens: &[TokenWithSpan], start: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().skip(start) {
        if depth == 0 && fits(place) {
            return Some(place);
        }
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// `b.y (+)`, a column of the optional side of a join.
fn optional_columns(tokens: &[TokenWithSpan]) -> Tokens {
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        let is_mark = is_sign(Some(token), &Token::LParen)
            && is_sign(tokens.get(place + 1), &Token::Plus)
            && is_sign(tokens.get(place + 2), &Token::RParen);
        let is_word = |token: Option<&TokenWithSpan>| matches!(token.map(|token| &token.token), Some(Token::Word(_)));
        if !is_mark || !is_word(new.last()) {
            new.push(token.clone());
            place += 1;
            continue;
        }
        let mut begin = new.len() - 1;
        while begin >= 2 && is_sign(new.get(begin - 1), &Token::Period) && is_word(new.get(begin - 2)) {
            begin -= 2;
        }
        let first = new[begin].clone();
        new.splice(begin..begin, [name(&first, OPTIONAL), at(&first, Token::LParen)]);
        new.push(tokens[place + 2].clone());
        place += 3;
    }
    new
}

/// `30_days` is a name in Spark.
fn names_with_digits(tokens: Tokens) -> Tokens {
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    for token in tokens {
        let joined = match (new.last(), &token.token) {
            (Some(before), Token::Word(word)) if word.quote_style.is_none() && before.span.end == token.span.start => {
                let is_suffix = SUFFIXES.iter().any(|suffix| word.value.eq_ignore_ascii_case(suffix));
                match &before.token {
                    Token::Number(digits, false) if !is_suffix && digits.chars().all(|one| one.is_ascii_digit()) => {
                        Some(name(before, &format!("{digits}{}", word.value)))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        match joined {
            Some(joined) => {
                new.pop();
                new.push(joined);
            }
            None => new.push(token),
        }
    }
    new
}

/// dsqgen writes `cast('2000-01-01' as date) + 30 days`, which only some engines read.
fn intervals(tokens: &[TokenWithSpan]) -> Tokens {
    let lacks = |place: usize| {
        let before = place.checked_sub(1).and_then(|before| tokens.get(before));
        let is_span = is_sign(before, &Token::Plus) || is_sign(before, &Token::Minus);
        is_span && matches!(tokens[place].token, Token::Number(..)) && is_one_of(tokens.get(place + 1), &UNITS)
    };
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    for (place, token) in tokens.iter().enumerate() {
        if lacks(place) {
            new.push(keyword(token, Keyword::INTERVAL, "INTERVAL"));
        }
        new.push(token.clone());
    }
    new
}

/// `FOR VERSION AS OF 3`, `TIMESTAMP AS OF '…'`, `AT (VERSION => 3)`: a table is as large as it was.
fn versions(tokens: &[TokenWithSpan]) -> Tokens {
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        let word = if is(Some(token), "FOR") { place + 1 } else { place };
        let is_version = is_one_of(tokens.get(word), &["VERSION", "TIMESTAMP", "SYSTEM_TIME", "SYSTEM_VERSION"])
            && is(tokens.get(word + 1), "AS")
            && is(tokens.get(word + 2), "OF");
        let is_call = is_one_of(Some(token), &["AT", "BEFORE"])
            && is_sign(tokens.get(place + 1), &Token::LParen)
            && is_one_of(tokens.get(place + 2), &VERSIONS)
            && is_sign(tokens.get(place + 3), &Token::RArrow);
        if is_version {
            place = behind_value(tokens, word + 3);
        } else if is_call {
            place = closing(tokens, place + 1) + 1;
        } else {
            new.push(token.clone());
            place += 1;
        }
    }
    new
}

/// Where a point in time ends that begins at a place: `3`, `TIMESTAMP '…'`, `date_sub(…, 1)`, `now() - INTERVAL 1 DAY`.
fn behind_value(tokens: &[TokenWithSpan], start: usize) -> usize {
    let mut place = start;
    loop {
        let next = tokens.get(place + 1);
        let is_typed = matches!(next.map(|next| &next.token), Some(Token::SingleQuotedString(_)));
        place = if is_sign(tokens.get(place), &Token::LParen) {
            closing(tokens, place) + 1
        } else if is_sign(next, &Token::LParen) {
            closing(tokens, place + 1) + 1
        } else if is_typed || is(tokens.get(place), "INTERVAL") {
            place + 2
        } else {
            place + 1
        };
        if is_one_of(tokens.get(place), &UNITS) || is_one_of(tokens.get(place), &SMALL_UNITS) {
            place += 1;
        }
        if !is_sign(tokens.get(place), &Token::Plus) && !is_sign(tokens.get(place), &Token::Minus) {
            return place;
        }
        place += 1;
    }
}

/// Spark's `exists(list, x -> …)` is a function.
fn conditions_of_lists(mut tokens: Tokens) -> Tokens {
    for place in 0..tokens.len() {
        let begins = tokens.get(place + 2);
        let is_query = is_one_of(begins, &QUERY) || is(begins, "TABLE") || is_sign(begins, &Token::LParen);
        if is(tokens.get(place), "EXISTS") && is_sign(tokens.get(place + 1), &Token::LParen) && !is_query {
            tokens[place] = name(&tokens[place], "exists");
        }
    }
    tokens
}

/// `VALUES 1, 2` is `VALUES (1), (2)`.
fn rows_of_values(tokens: &[TokenWithSpan]) -> Tokens {
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        new.push(token.clone());
        place += 1;
        let follows = tokens.get(place);
        let begins_row =
            matches!(follows.map(|next| &next.token), Some(Token::Number(..) | Token::SingleQuotedString(_)));
        if !is(Some(token), "VALUES") || !begins_row {
            continue;
        }
        let ends = |place: usize| {
            is_sign(tokens.get(place), &Token::RParen)
                || is_one_of(tokens.get(place), &["UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT"])
        };
        let end = find(tokens, place, ends).unwrap_or(tokens.len());
        while place < end {
            let comma = find(&tokens[..end], place, |place| is_sign(tokens.get(place), &Token::Comma));
            let row = place..comma.unwrap_or(end);
            new.push(at(token, Token::LParen));
            new.extend_from_slice(&tokens[row.clone()]);
            new.push(at(token, Token::RParen));
            new.extend(comma.map(|comma| tokens[comma].clone()));
            place = row.end + usize::from(comma.is_some());
        }
    }
    new
}

/// `FROM t WHERE …` is `SELECT * FROM t WHERE …`, and `FROM t SELECT a WHERE …` is `SELECT a FROM t WHERE …`.
fn from_first(mut tokens: Tokens) -> Tokens {
    let (mut place, mut groups) = (0, 0);
    while place < tokens.len() && groups < MOST_GROUPS {
        let before = place.checked_sub(1).and_then(|before| tokens.get(before));
        let begins = before.is_none() || is_sign(before, &Token::LParen) || is_one_of(before, &["AS", "ALL"]);
        // extract(year FROM day) has a word before it, trim(FROM a) no space for a query.
        if begins && is(tokens.get(place), "FROM") && !is(tokens.get(place.wrapping_sub(2)), "TRIM") {
            groups += 1;
            let group_ends = |at: usize| {
                is_sign(tokens.get(at), &Token::RParen) || is_one_of(tokens.get(at), &["UNION", "EXCEPT", "INTERSECT"])
            };
            let end = find(&tokens, place, group_ends).unwrap_or(tokens.len());
            let select = find(&tokens, place, |at| is(tokens.get(at), "SELECT")).filter(|select| *select < end);
            // FROM t |> SELECT a: what follows is done in the order in which it is written.
            let pipe = find(&tokens, place, |at| is_sign(tokens.get(at), &Token::VerticalBarRightAngleBracket));
            let select = select.filter(|select| pipe.is_none_or(|pipe| *select < pipe));
            if let Some(select) = select {
                let clauses = [
                    "WHERE",
                    "GROUP",
                    "HAVING",
                    "ORDER",
                    "LIMIT",
                    "QUALIFY",
                    "WINDOW",
                    "SORT",
                    "CLUSTER",
                    "DISTRIBUTE",
                ];
                let list_ends = |at: usize| is_one_of(tokens.get(at), &clauses);
                let list_end = find(&tokens, select, list_ends).filter(|at| *at < end).unwrap_or(end);
                // FROM t WHERE … SELECT a: what stands between is behind the list.
                tokens[place..list_end].rotate_left(select - place);
            } else {
                let first = tokens[place].clone();
                let all = [keyword(&first, Keyword::SELECT, "SELECT"), at(&first, Token::Mul)];
                tokens.splice(place..place, all);
                place += 2;
            }
        }
        place += 1;
    }
    tokens
}

#[cfg(test)]
mod tests;
