//! What stands around the query of a statement: where its rows are written, the storage of a table, the actions of MERGE, the
//! options of EXPLAIN.

use datafusion_sql::sqlparser::keywords::Keyword;
use datafusion_sql::sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use super::{LIKE, QUERY, Tokens, at, closing, find, from_first, is, is_one_of, is_sign, keyword, name, words};

/// What follows the query of INSERT.
const BEHIND_INSERT: [&str; 2] = ["CONFLICT", "DUPLICATE"];
/// Words of what follows the query of CREATE: `WITH NO DATA`, `WITH CHECK OPTION`, `WITH NO SCHEMA BINDING`.
const BEHIND_CREATE: [&str; 6] = ["NO", "DATA", "LOCAL", "CASCADED", "CHECK", "READ"];
/// Most words of that.
const MOST_BEHIND_CREATE: usize = 4;

/// A statement in the form that the parser reads.
pub(super) fn statement(tokens: Tokens) -> Tokens {
    let Some(first) = tokens.first().cloned() else { return tokens };
    if is(Some(&first), "CREATE") {
        return created(tokens);
    }
    if is(Some(&first), "MERGE") {
        return merged(&tokens, &first);
    }
    if is(Some(&first), "INSERT") {
        return inserted(tokens, &first);
    }
    if is(Some(&first), "FROM")
        && let Some(insert) = find(&tokens, 0, |place| is(tokens.get(place), "INSERT"))
    {
        return inserted_from(tokens, insert, &first);
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
    if is(Some(&first), "REPLACE") && is(tokens.get(1), "TABLE") {
        let create = keyword(&first, Keyword::CREATE, "CREATE");
        return created(std::iter::once(create).chain(tokens.into_iter().skip(1)).collect());
    }
    if is(Some(&first), "COPY") {
        return copied(tokens, &first);
    }
    tokens
}

/// `COPY (SELECT …) TO …` and `COPY INTO … FROM (SELECT …)`: what is written, and how, is no part of the plan.
fn copied(tokens: Tokens, first: &TokenWithSpan) -> Tokens {
    let opens = |place: usize| is_sign(tokens.get(place), &Token::LParen) && is_one_of(tokens.get(place + 1), &QUERY);
    let of_into = |place: usize| is(tokens.get(place), "FROM") && opens(place + 1);
    let open = if is(tokens.get(1), "INTO") {
        find(&tokens, 2, of_into).map(|from| from + 1)
    } else {
        Some(1).filter(|place| opens(*place))
    };
    match open {
        Some(open) => into(first, from_first(tokens[open + 1..closing(&tokens, open)].to_vec())),
        None => tokens,
    }
}

/// `CREATE TABLE t <storage> AS SELECT …` is `CREATE TABLE t AS SELECT …`; how a table is stored, behind its columns, is dropped.
fn created(tokens: Tokens) -> Tokens {
    // CREATE OR REPLACE TASK t SCHEDULE = '1 minute' AS INSERT INTO …
    if is(tokens.get(if is(tokens.get(1), "OR") { 3 } else { 1 }), "TASK") {
        let begins = |place: usize| {
            let next = tokens.get(place + 1);
            is(tokens.get(place), "AS")
                && (is_one_of(next, &QUERY) || is_one_of(next, &["INSERT", "MERGE", "CREATE", "COPY"]))
        };
        return match find(&tokens, 1, begins) {
            Some(task) => statement(tokens[task + 1..].to_vec()),
            None => tokens,
        };
    }
    let Some(kind) = find(&tokens, 1, |place| is_one_of(tokens.get(place), &["TABLE", "VIEW"])) else { return tokens };
    let begins = |place: usize| {
        let next = tokens.get(place + 1);
        is(tokens.get(place), "AS") && (is_one_of(next, &QUERY) || is_sign(next, &Token::LParen))
    };
    let Some(query) = find(&tokens, kind, begins) else {
        if let Some(copy) = copied_table(&tokens, kind) {
            return copy;
        }
        let Some(open) = find(&tokens, kind, |place| is_sign(tokens.get(place), &Token::LParen)) else { return tokens };
        return columns(&tokens, open);
    };
    let (start, end) = name_behind(&tokens, kind);
    if end > query {
        return tokens;
    }
    let is_behind = |place: &usize| {
        is(tokens.get(*place), "WITH")
            && is_one_of(tokens.get(*place + 1), &BEHIND_CREATE)
            && !is(tokens.get(*place + 2), "AS")
    };
    let last = tokens.len().saturating_sub(MOST_BEHIND_CREATE).max(query)..tokens.len();
    let query_end = last.clone().find(is_behind).unwrap_or(last.end);
    let mut new = vec![tokens[0].clone(), tokens[kind].clone()];
    new.extend_from_slice(&tokens[start..end]);
    new.extend_from_slice(&tokens[query..query_end]);
    new
}

/// A table up to the end of its columns, without its constraints, whose options are those of storage. `(LIKE s INCLUDING ALL, a INT)` has
/// the columns of another table among its own.
fn columns(tokens: &[TokenWithSpan], open: usize) -> Tokens {
    let end = closing(tokens, open);
    let mut new = tokens[..=open].to_vec();
    let mut start = open + 1;
    while start < end {
        let comma = find(&tokens[..end], start, |place| is_sign(tokens.get(place), &Token::Comma));
        let column = &tokens[start..comma.unwrap_or(end)];
        if !is(column.first(), "CONSTRAINT") {
            if new.len() > open + 1 {
                new.push(at(&tokens[start], Token::Comma));
            }
            match like(column) {
                Some(like) => new.extend(like),
                None => new.extend_from_slice(column),
            }
        }
        start = comma.map_or(end, |comma| comma + 1);
    }
    new.extend(tokens.get(end).cloned());
    new
}

/// `LIKE s INCLUDING ALL` in a list of columns becomes a column whose type is the name of the other table. The name is in quotes, because
/// a table may be named like a type, such as `date`.
fn like(column: &[TokenWithSpan]) -> Option<Tokens> {
    let first = column.first()?;
    if !is(Some(first), "LIKE") {
        return None;
    }
    let (start, end) = name_behind(column, 0);
    let mut like = vec![name(first, LIKE)];
    for part in column.get(start..end)? {
        like.push(match &part.token {
            Token::Word(word) => {
                let value =
                    if word.quote_style.is_some() { word.value.clone() } else { word.value.to_ascii_lowercase() };
                at(part, Token::Word(Word { value, quote_style: Some('"'), keyword: Keyword::NoKeyword }))
            }
            _ => part.clone(),
        });
    }
    Some(like)
}

/// Where the next name of a table begins and ends.
fn name_behind(tokens: &[TokenWithSpan], place: usize) -> (usize, usize) {
    let mut start = place + 1;
    while is_one_of(tokens.get(start), &["IF", "NOT", "EXISTS"]) {
        start += 1;
    }
    let mut end = start + 1;
    while is_sign(tokens.get(end), &Token::Period) {
        end += 2;
    }
    (start, end)
}

/// `CREATE TABLE t SHALLOW CLONE s`, `COPY s`, `(LIKE s INCLUDING ALL)`, and `ClickHouse`'s `AS s`: the columns of another table, with
/// its rows or without.
fn copied_table(tokens: &[TokenWithSpan], kind: usize) -> Option<Tokens> {
    if !is(tokens.get(kind), "TABLE") {
        return None;
    }
    let (start, mut end) = name_behind(tokens, kind);
    let named = tokens.get(start..end)?;
    if is_one_of(tokens.get(end), &["SHALLOW", "DEEP"]) {
        end += 1;
    }
    let is_list = is_sign(tokens.get(end), &Token::LParen) && is(tokens.get(end + 1), "LIKE");
    let has_more = |open: usize| find(tokens, open + 1, |place| is_sign(tokens.get(place), &Token::Comma)).is_some();
    let copies = is(tokens.get(end), "CLONE") || is(tokens.get(end), "COPY") && !is(tokens.get(end + 1), "GRANTS");
    let is_like = is(tokens.get(end), "LIKE")
        || is(tokens.get(end), "AS") && !is_one_of(tokens.get(end + 1), &["TABLE", "EXECUTE"]);
    // CLONE AS s
    let behind = if is_list && !has_more(end) || copies && is(tokens.get(end + 1), "AS") {
        end + 1
    } else if copies || is_like {
        end
    } else {
        return None;
    };
    let (from, to) = name_behind(tokens, behind);
    let other = tokens.get(from..to).filter(|other| matches!(other[0].token, Token::Word(_)))?;
    // A function that makes rows.
    if is_sign(tokens.get(to), &Token::LParen) {
        return None;
    }
    let first = tokens.first()?;
    let copy = words(first, if copies { "CLONE" } else { "LIKE" });
    Some([words(first, "CREATE TABLE").as_slice(), named, &copy, other].concat())
}

/// `MERGE … WHEN MATCHED AND … THEN <action>`: which rows are joined is said by the kinds of its clauses, not by their actions.
fn merged(tokens: &[TokenWithSpan], first: &TokenWithSpan) -> Tokens {
    let begins = |place: usize| {
        let next = tokens.get(place + 1);
        let is_not_matched = is(next, "NOT") && is(tokens.get(place + 2), "MATCHED");
        is(tokens.get(place), "WHEN") && (is(next, "MATCHED") || is_not_matched)
    };
    let Some(clauses) = find(tokens, 0, begins) else {
        // Redshift's MERGE … REMOVE DUPLICATES replaces what it finds and inserts the rest.
        let removes = |place: usize| is(tokens.get(place), "REMOVE") && is(tokens.get(place + 1), "DUPLICATES");
        let Some(end) = find(tokens, 0, removes) else { return tokens.to_vec() };
        let actions = "WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT (a) VALUES (1)";
        return [&tokens[..end], words(first, actions).as_slice()].concat();
    };
    // MERGE WITH SCHEMA EVOLUTION INTO t
    let start = match tokens.iter().position(|token| is(Some(token), "INTO")) {
        Some(into) if into < clauses && is(tokens.get(1), "WITH") => into,
        _ => 1,
    };
    let mut new: Tokens = std::iter::once(first).chain(&tokens[start..clauses]).cloned().collect();
    let one = || at(first, Token::Number("1".to_owned(), false));
    let mut clause = Some(clauses);
    while let Some(place) = clause {
        let kind_ends = |place: usize| is_one_of(tokens.get(place), &["THEN", "AND"]);
        let end = find(tokens, place, kind_ends).unwrap_or(tokens.len());
        let kind = &tokens[place..end];
        let has = |word: &str| kind.iter().any(|token| is(Some(token), word));
        new.extend_from_slice(kind);
        new.push(keyword(first, Keyword::THEN, "THEN"));
        if has("NOT") && !has("SOURCE") {
            let columns = [at(first, Token::LParen), name(first, "a"), at(first, Token::RParen)];
            let values = [at(first, Token::LParen), one(), at(first, Token::RParen)];
            new.push(keyword(first, Keyword::INSERT, "INSERT"));
            new.extend(columns);
            new.push(keyword(first, Keyword::VALUES, "VALUES"));
            new.extend(values);
        } else {
            let update = [keyword(first, Keyword::UPDATE, "UPDATE"), keyword(first, Keyword::SET, "SET")];
            new.extend(update);
            new.extend([name(first, "a"), at(first, Token::Eq), one()]);
        }
        clause = find(tokens, end, begins);
    }
    new
}

/// `INSERT OVERWRITE t PARTITION (…) SELECT …`, `INSERT ALL INTO a INTO b SELECT …`: where rows are written is no part of the plan.
fn inserted(tokens: Tokens, first: &TokenWithSpan) -> Tokens {
    let Some(query) = find(&tokens, 1, |place| is_one_of(tokens.get(place), &["SELECT", "WITH"])) else {
        return tokens;
    };
    let ends = |place: usize| {
        is(tokens.get(place), "RETURNING")
            || is(tokens.get(place), "ON") && is_one_of(tokens.get(place + 1), &BEHIND_INSERT)
    };
    let end = find(&tokens, query, ends).unwrap_or(tokens.len());
    into(first, tokens[query..end].to_vec())
}

/// `FROM s INSERT OVERWRITE TABLE t SELECT …`; several such parts are several queries, which one statement does not have here.
fn inserted_from(tokens: Tokens, insert: usize, first: &TokenWithSpan) -> Tokens {
    let is_insert = |place: usize| is(tokens.get(place), "INSERT");
    let query = find(&tokens, insert, |place| is(tokens.get(place), "SELECT"));
    match (query, find(&tokens, insert + 1, is_insert)) {
        (Some(query), None) => {
            let read = tokens[..insert].iter().chain(&tokens[query..]).cloned().collect();
            into(first, from_first(read))
        }
        _ => tokens,
    }
}

fn into(first: &TokenWithSpan, query: Tokens) -> Tokens {
    let insert = keyword(first, Keyword::INSERT, "INSERT");
    let head = [insert, keyword(first, Keyword::INTO, "INTO"), name(first, "t")];
    head.into_iter().chain(query).collect()
}
