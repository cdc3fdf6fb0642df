//! Forms of statements that the parser does not read, rewritten word by word: each into one that costs the same. They are tried where
//! a statement cannot be parsed as it is.

use crossover_plan::SqlDialect;
use datafusion_sql::sqlparser::keywords::Keyword;
use datafusion_sql::sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// Words and signs of a statement.
type Tokens = Vec<TokenWithSpan>;

/// Units of a span of time that is written without `INTERVAL`.
const UNITS: [&str; 8] = ["DAY", "DAYS", "WEEK", "WEEKS", "MONTH", "MONTHS", "YEAR", "YEARS"];
/// What a query begins with.
const QUERY: [&str; 4] = ["SELECT", "WITH", "FROM", "VALUES"];
/// Words that say which rows of a join meet, before those of its kind.
const STRICTNESS: [&str; 4] = ["ANY", "ALL", "ASOF", "GLOBAL"];
/// What follows such a word.
const JOINS: [&str; 9] = ["JOIN", "LEFT", "RIGHT", "INNER", "FULL", "ANY", "ALL", "SEMI", "ANTI"];
/// Most queries of a statement that begin with FROM; each is read to its end.
const MOST_GROUPS: usize = 200;
/// Suffixes of Spark's numbers.
const SUFFIXES: [&str; 6] = ["L", "S", "Y", "D", "F", "BD"];

/// A statement with all its forms rewritten; `None`: it has none of them.
pub(super) fn rewritten(tokens: &[TokenWithSpan], dialect: Option<SqlDialect>) -> Option<Tokens> {
    let mut new = tokens.to_vec();
    if dialect == Some(SqlDialect::Spark) {
        new = names_with_digits(new);
    }
    if matches!(dialect, Some(SqlDialect::ClickHouse | SqlDialect::DuckDb)) {
        new = join_words(new);
    }
    if dialect == Some(SqlDialect::ClickHouse) {
        new = limits(&new);
        new = named_values(new);
    }
    new = statement(new);
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

/// `ANY LEFT JOIN`, `GLOBAL IN`, `ASOF JOIN … ON`: which rows meet, and where, changes no work that is counted.
fn join_words(tokens: Tokens) -> Tokens {
    let dropped = |place: usize| {
        let next = tokens.get(place + 1);
        let is_strictness = is_one_of(tokens.get(place), &STRICTNESS) && is_one_of(next, &JOINS);
        // LEFT ANY JOIN
        let is_behind = is_one_of(tokens.get(place), &["ANY", "ALL", "ASOF"]) && is(next, "JOIN");
        let is_global = is(tokens.get(place), "GLOBAL") && is_one_of(next, &["IN", "NOT"]);
        // UNION ALL (…) and SELECT ALL are no joins.
        is_strictness && !is(tokens.get(place.wrapping_sub(1)), "UNION") || is_behind || is_global
    };
    let kept: Vec<bool> = (0..tokens.len()).map(|place| !dropped(place)).collect();
    tokens.into_iter().zip(kept).filter_map(|(token, is_kept)| is_kept.then_some(token)).collect()
}

/// `LIMIT 1 BY a LIMIT 10` keeps its first limit, `LIMIT 2 OFFSET 1 BY a` its number; `LIMIT 3 WITH TIES` ends before `WITH`.
fn limits(tokens: &[TokenWithSpan]) -> Tokens {
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    let mut has_by = false;
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        if is_sign(Some(token), &Token::RParen) || is(Some(token), "UNION") {
            has_by = false;
        }
        if is(Some(token), "WITH") && is(tokens.get(place + 1), "TIES") {
            place += 2;
            continue;
        }
        if is(Some(token), "LIMIT") {
            if has_by {
                let ends = |place: usize| {
                    is_sign(tokens.get(place), &Token::RParen)
                        || is_one_of(tokens.get(place), &["UNION", "SETTINGS", "FORMAT"])
                };
                place = find(tokens, place, ends).unwrap_or(tokens.len());
                continue;
            }
            let offset = is(tokens.get(place + 2), "OFFSET") && is(tokens.get(place + 4), "BY");
            has_by = offset || is(tokens.get(place + 2), "BY") || is(tokens.get(place + 4), "BY");
            if offset {
                new.extend_from_slice(&tokens[place..place + 2]);
                place += 4;
                continue;
            }
        }
        new.push(token.clone());
        place += 1;
    }
    new
}

/// `WITH 3 AS three, (SELECT 1) AS one SELECT …`: values with names, put in the places of the names.
fn named_values(tokens: Tokens) -> Tokens {
    if !is(tokens.first(), "WITH") || is(tokens.get(1), "RECURSIVE") {
        return tokens;
    }
    let Some(select) = find(&tokens, 1, |place| is_one_of(tokens.get(place), &["SELECT", "INSERT"])) else {
        return tokens;
    };
    let (mut values, mut tables): (Vec<(String, Tokens)>, Vec<Tokens>) = (Vec::new(), Vec::new());
    let mut start = 1;
    while start < select {
        let end = find(&tokens, start, |place| is_sign(tokens.get(place), &Token::Comma)).filter(|end| *end < select);
        let end = end.unwrap_or(select);
        let entry = &tokens[start..end];
        match entry {
            [value @ .., sign, TokenWithSpan { token: Token::Word(named), .. }]
                if is(Some(sign), "AS") && !value.is_empty() =>
            {
                values.push((named.value.clone(), value.to_vec()));
            }
            _ => tables.push(entry.to_vec()),
        }
        start = end + 1;
    }
    if values.is_empty() {
        return tokens;
    }
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    for (place, table) in tables.into_iter().enumerate() {
        new.push(if place == 0 { tokens[0].clone() } else { at(&tokens[0], Token::Comma) });
        new.extend(table);
    }
    for (place, token) in tokens.iter().enumerate().skip(select) {
        let value = match &token.token {
            Token::Word(word) if !is_sign(tokens.get(place - 1), &Token::Period) => {
                values.iter().find(|(name, _)| *name == word.value).map(|(_, value)| value)
            }
            _ => None,
        };
        match value {
            Some(value) => {
                new.push(at(token, Token::LParen));
                new.extend(value.iter().cloned());
                new.push(at(token, Token::RParen));
            }
            None => new.push(token.clone()),
        }
    }
    new
}

/// What stands around the query of a statement: the storage of a table, the actions of MERGE, the options of EXPLAIN.
fn statement(tokens: Tokens) -> Tokens {
    let Some(first) = tokens.first().cloned() else { return tokens };
    if is(Some(&first), "CREATE") {
        return created(tokens);
    }
    if is(Some(&first), "MERGE") {
        return merged(&tokens, &first);
    }
    if is(Some(&first), "EXPLAIN") {
        let begins = |place: usize| {
            is_one_of(tokens.get(place), &QUERY) || is_one_of(tokens.get(place), &["INSERT", "CREATE", "MERGE"])
        };
        if let Some(query) = find(&tokens, 1, begins) {
            return std::iter::once(first).chain(tokens.into_iter().skip(query)).collect();
        }
        return tokens;
    }
    if is(Some(&first), "TABLE") {
        let all = [
            keyword(&first, Keyword::SELECT, "SELECT"),
            at(&first, Token::Mul),
            keyword(&first, Keyword::FROM, "FROM"),
        ];
        return all.into_iter().chain(tokens.into_iter().skip(1)).collect();
    }
    // Redshift's count of about how many.
    let is_approximate = |place: usize| is(tokens.get(place), "APPROXIMATE") && is(tokens.get(place + 1), "COUNT");
    match find(&tokens, 0, is_approximate) {
        Some(place) => {
            let mut tokens = tokens;
            tokens.remove(place);
            tokens
        }
        None => tokens,
    }
}

/// `CREATE TABLE t <storage> AS SELECT …` is `CREATE TABLE t AS SELECT …`; how a table is stored, behind its columns, is dropped.
fn created(tokens: Tokens) -> Tokens {
    let Some(kind) = find(&tokens, 1, |place| is_one_of(tokens.get(place), &["TABLE", "VIEW"])) else { return tokens };
    let begins = |place: usize| {
        let next = tokens.get(place + 1);
        is(tokens.get(place), "AS") && (is_one_of(next, &QUERY) || is_sign(next, &Token::LParen))
    };
    let Some(query) = find(&tokens, kind, begins) else {
        let columns = find(&tokens, kind, |place| is_sign(tokens.get(place), &Token::LParen));
        let end = columns.map_or(tokens.len(), |open| closing(&tokens, open) + 1);
        return tokens.into_iter().take(end).collect();
    };
    let mut start = kind + 1;
    while is_one_of(tokens.get(start), &["IF", "NOT", "EXISTS"]) {
        start += 1;
    }
    let mut end = start + 1;
    while is_sign(tokens.get(end), &Token::Period) {
        end += 2;
    }
    if end > query {
        return tokens;
    }
    let mut new = vec![tokens[0].clone(), tokens[kind].clone()];
    new.extend_from_slice(&tokens[start..end]);
    new.extend_from_slice(&tokens[query..]);
    new
}

/// `UPDATE SET *` and `INSERT *` name all columns.
fn merged(tokens: &[TokenWithSpan], first: &TokenWithSpan) -> Tokens {
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    for (place, token) in tokens.iter().enumerate() {
        let is_all = is_sign(Some(token), &Token::Mul) || is(Some(token), "ROW");
        let before = place.checked_sub(1).and_then(|before| tokens.get(before));
        let one = || at(first, Token::Number("1".to_owned(), false));
        if is_all && is(before, "SET") {
            new.extend([name(first, "a"), at(first, Token::Eq), one()]);
        } else if is_all && is(before, "INSERT") {
            let open = || at(first, Token::LParen);
            let close = || at(first, Token::RParen);
            let values = keyword(first, Keyword::VALUES, "VALUES");
            new.extend([open(), name(first, "a"), close(), values, open(), one(), close()]);
        } else {
            new.push(token.clone());
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

/// `FOR VERSION AS OF 3`, `TIMESTAMP AS OF '…'`: a table is as large as it was.
fn versions(tokens: &[TokenWithSpan]) -> Tokens {
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        let word = if is(Some(token), "FOR") { place + 1 } else { place };
        let is_version = is_one_of(tokens.get(word), &["VERSION", "TIMESTAMP", "SYSTEM_TIME", "SYSTEM_VERSION"])
            && is(tokens.get(word + 1), "AS")
            && is(tokens.get(word + 2), "OF");
        if !is_version {
            new.push(token.clone());
            place += 1;
            continue;
        }
        let value = word + 3;
        let is_typed = matches!(tokens.get(value + 1).map(|next| &next.token), Some(Token::SingleQuotedString(_)));
        place = if is_sign(tokens.get(value + 1), &Token::LParen) {
            closing(tokens, value + 1) + 1
        } else if is_typed {
            value + 2
        } else {
            value + 1
        };
    }
    new
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
            let comma =
                find(tokens, place, |place| is_sign(tokens.get(place), &Token::Comma)).filter(|comma| *comma < end);
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
mod tests {
    use datafusion_sql::sqlparser::tokenizer::Tokenizer;

    use super::*;
    use crate::parsers::parser;

    /// A statement in its new form, with one space between its words.
    fn form(dialect: SqlDialect, sql: &str) -> Option<String> {
        let tokens = Tokenizer::new(parser(Some(dialect)), sql).tokenize_with_location().expect("words");
        let tokens: Tokens = tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
        let new = rewritten(&tokens, Some(dialect))?;
        Some(new.iter().map(|token| token.token.to_string()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn forms_of_dialects_become_those_that_the_parser_reads() {
        use SqlDialect::{ClickHouse, DuckDb, Postgres, Redshift, Spark, Trino};
        for (dialect, sql, expected) in [
            (Spark, "SELECT 1 AS 30_days", "SELECT 1 AS 30_days"),
            (Spark, "FROM t SELECT a WHERE b", "SELECT a FROM t WHERE b"),
            (Spark, "SELECT exists(l, x -> x)", "SELECT exists ( l , x -> x )"),
            (Spark, "SELECT a FROM t VERSION AS OF 3", "SELECT a FROM t"),
            (Spark, "CREATE TABLE a.o USING parquet PARTITIONED BY (b) AS SELECT 1", "CREATE TABLE a . o AS SELECT 1"),
            (
                Spark,
                "MERGE INTO t USING s ON a WHEN MATCHED THEN UPDATE SET *",
                "MERGE INTO t USING s ON a WHEN MATCHED THEN UPDATE SET a = 1",
            ),
            (DuckDb, "FROM t WHERE a", "SELECT * FROM t WHERE a"),
            (DuckDb, "SELECT a FROM (FROM t LIMIT 3)", "SELECT a FROM ( SELECT * FROM t LIMIT 3 )"),
            (Postgres, "TABLE t", "SELECT * FROM t"),
            (Redshift, "SELECT APPROXIMATE COUNT(DISTINCT a) FROM t", "SELECT COUNT ( DISTINCT a ) FROM t"),
            (Redshift, "SELECT a + 30 days", "SELECT a + INTERVAL 30 days"),
            (Trino, "SELECT a FROM t FOR TIMESTAMP AS OF TIMESTAMP '2026-01-01'", "SELECT a FROM t"),
            (Trino, "SELECT 1 IN (VALUES 1, 2)", "SELECT 1 IN ( VALUES ( 1 ) , ( 2 ) )"),
            (ClickHouse, "SELECT a FROM t ANY LEFT JOIN s USING b", "SELECT a FROM t LEFT JOIN s USING b"),
            (ClickHouse, "SELECT a FROM t WHERE a GLOBAL IN (1)", "SELECT a FROM t WHERE a IN ( 1 )"),
            (ClickHouse, "SELECT a FROM t LIMIT 1 BY b LIMIT 10", "SELECT a FROM t LIMIT 1 BY b"),
            (ClickHouse, "WITH 3 AS n, s AS (SELECT 1) SELECT n FROM s", "WITH s AS ( SELECT 1 ) SELECT ( 3 ) FROM s"),
            (ClickHouse, "CREATE TABLE t (a INT) ENGINE = X SETTINGS b = 1", "CREATE TABLE t ( a INT )"),
            (ClickHouse, "EXPLAIN PLAN SELECT 1", "EXPLAIN SELECT 1"),
        ] {
            assert_eq!(form(dialect, sql).as_deref(), Some(expected), "{sql}");
        }
    }

    #[test]
    fn usual_statements_stay_as_they_are() {
        for sql in [
            "SELECT a FROM t UNION ALL SELECT b FROM s LEFT JOIN r ON c",
            "SELECT extract(year FROM day), trim(both FROM a) FROM t WHERE EXISTS (SELECT 1)",
            "WITH s AS (SELECT 1 AS n) SELECT n FROM s LIMIT 3",
            "CREATE TABLE t AS SELECT 1",
            "INSERT INTO t VALUES (1, 2), (3, 4)",
        ] {
            for dialect in SqlDialect::ALL {
                assert_eq!(form(dialect, sql), None, "{sql}");
            }
        }
    }
}
