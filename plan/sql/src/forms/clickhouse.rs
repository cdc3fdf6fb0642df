//! Forms of ClickHouse, some of which DuckDB has too: which rows of a join meet, `LIMIT … BY`, values with names, lists to join.

use std::collections::BTreeMap;

use datafusion_sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{MOST_WRITTEN, Tokens, at, find, is, is_one_of, is_sign, name};

/// Words that say which rows of a join meet, before those of its kind.
const STRICTNESS: [&str; 4] = ["ANY", "ALL", "ASOF", "GLOBAL"];
/// What follows such a word.
const JOINS: [&str; 9] = ["JOIN", "LEFT", "RIGHT", "INNER", "FULL", "ANY", "ALL", "SEMI", "ANTI"];

/// What ends lists that are joined.
const BEHIND_LISTS: [&str; 8] = ["WHERE", "PREWHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "SETTINGS", "UNION"];

/// `ANY LEFT JOIN`, `GLOBAL IN`, `ASOF JOIN … ON`: which rows meet, and where, changes no work that is counted.
pub(super) fn join_words(tokens: Tokens) -> Tokens {
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
pub(super) fn limits(tokens: &[TokenWithSpan]) -> Tokens {
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
pub(super) fn named_values(tokens: Tokens) -> Tokens {
    if !is(tokens.first(), "WITH") || is(tokens.get(1), "RECURSIVE") {
        return tokens;
    }
    let Some(select) = find(&tokens, 1, |place| is_one_of(tokens.get(place), &["SELECT", "INSERT"])) else {
        return tokens;
    };
    let (mut values, mut tables): (BTreeMap<String, Tokens>, Vec<Tokens>) = (BTreeMap::new(), Vec::new());
    let mut start = 1;
    while start < select {
        let end = find(&tokens, start, |place| is_sign(tokens.get(place), &Token::Comma)).filter(|end| *end < select);
        let end = end.unwrap_or(select);
        let entry = &tokens[start..end];
        match entry {
            [value @ .., sign, TokenWithSpan { token: Token::Word(named), .. }]
                if is(Some(sign), "AS") && !value.is_empty() =>
            {
                values.entry(named.value.clone()).or_insert_with(|| value.to_vec());
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
        if new.len() > MOST_WRITTEN {
            return tokens;
        }
        let value = match &token.token {
            Token::Word(word) if !is_sign(tokens.get(place - 1), &Token::Period) => values.get(&word.value),
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

/// `ARRAY JOIN [1, 2] AS a, [3] AS b` is `ARRAY JOIN array(1, 2) AS a, array(3) AS b`.
pub(super) fn joined_lists(tokens: &[TokenWithSpan]) -> Tokens {
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    // Whether lists are joined here, and the brackets that are open in one of them.
    let (mut joins, mut depth) = (false, 0_usize);
    for (place, token) in tokens.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| tokens.get(before));
        if is(Some(token), "JOIN") {
            joins = is(before, "ARRAY");
        } else if is_one_of(Some(token), &BEHIND_LISTS) {
            joins = false;
        }
        let begins = joins && depth == 0 && (is(before, "JOIN") || is_sign(before, &Token::Comma));
        match token.token {
            Token::LBracket if begins => {
                new.extend([name(token, "array"), at(token, Token::LParen)]);
                depth = 1;
            }
            Token::RBracket if depth == 1 => {
                new.push(at(token, Token::RParen));
                depth = 0;
            }
            Token::LBracket if depth > 0 => {
                new.push(token.clone());
                depth += 1;
            }
            Token::RBracket if depth > 1 => {
                new.push(token.clone());
                depth -= 1;
            }
            _ => new.push(token.clone()),
        }
    }
    new
}

/// `JOIN t USING a, b` is `JOIN t USING (a, b)`.
pub(super) fn using_columns(tokens: &[TokenWithSpan]) -> Tokens {
    let is_name = |token: Option<&TokenWithSpan>| matches!(token.map(|token| &token.token), Some(Token::Word(_)));
    let mut new: Tokens = Vec::with_capacity(tokens.len());
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        new.push(token.clone());
        place += 1;
        if !is(Some(token), "USING") || !is_name(tokens.get(place)) {
            continue;
        }
        let start = place;
        place += 1;
        while is_sign(tokens.get(place), &Token::Comma) && is_name(tokens.get(place + 1)) {
            place += 2;
        }
        new.push(at(token, Token::LParen));
        new.extend_from_slice(&tokens[start..place]);
        new.push(at(token, Token::RParen));
    }
    new
}
