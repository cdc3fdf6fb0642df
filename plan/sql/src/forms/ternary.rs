//! ClickHouse's `condition ? a : b` is `if(condition, a, b)`.

use datafusion_sql::sqlparser::keywords::Keyword;
use datafusion_sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{Tokens, at, is, is_one_of, is_sign, name};

/// Words that stand between expressions.
const BETWEEN: [&str; 33] = [
    "SELECT",
    "DISTINCT",
    "FROM",
    "WHERE",
    "PREWHERE",
    "GROUP",
    "BY",
    "HAVING",
    "ORDER",
    "LIMIT",
    "OFFSET",
    "SETTINGS",
    "FORMAT",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "WINDOW",
    "QUALIFY",
    "ASC",
    "DESC",
    "NULLS",
    "WITH",
    "WHEN",
    "THEN",
    "ELSE",
    "JOIN",
    "LEFT",
    "RIGHT",
    "INNER",
    "FULL",
    "ON",
    "USING",
    "AS",
];
/// Words of `BETWEEN` that are functions before a parenthesis.
const FUNCTIONS: [&str; 3] = ["LEFT", "RIGHT", "FORMAT"];
/// Words that a value follows: a question mark there is a parameter.
const OPERATORS: [&str; 13] =
    ["AND", "OR", "NOT", "XOR", "IN", "LIKE", "ILIKE", "REGEXP", "BETWEEN", "IS", "DIV", "MOD", "INTERVAL"];

/// Replaces ternary operators by calls of `if`. A statement with an unpaired `?` or `:` is not changed.
pub(super) fn calls(tokens: Tokens) -> Tokens {
    if !tokens.iter().any(|token| matches!(token.token, Token::Placeholder(_))) {
        return tokens;
    }
    match Calls::of(&tokens) {
        Some(calls) if calls.signs.contains(&true) => calls.written(tokens),
        _ => tokens,
    }
}

/// An expression, or a list of them in brackets.
#[derive(Default)]
struct Level {
    /// Where the current expression begins.
    start: usize,
    /// Its ternary operators that have not ended, and whether each has its colon.
    open: Vec<bool>,
    /// Whether it is `CASE … END`.
    is_case: bool,
}

impl Level {
    /// Ends the operators of the current expression; `None`: one has no colon.
    fn end(&mut self, next: usize) -> Option<usize> {
        self.start = next;
        let ended = std::mem::take(&mut self.open);
        ended.iter().all(|has_colon| *has_colon).then_some(ended.len())
    }
}

/// Where calls stand in the place of operators.
struct Calls {
    /// Calls that begin before each word.
    begins: Vec<usize>,
    /// Calls that end before each word, and at the end.
    ends: Vec<usize>,
    /// Signs that become commas.
    signs: Vec<bool>,
}

impl Calls {
    fn of(tokens: &[TokenWithSpan]) -> Option<Self> {
        let count = tokens.len();
        let mut calls = Self { begins: vec![0; count], ends: vec![0; count + 1], signs: vec![false; count] };
        let mut levels = vec![Level::default()];
        for (place, token) in tokens.iter().enumerate() {
            let level = levels.last_mut()?;
            let is_part = is_sign(before(tokens, place), &Token::Period);
            match &token.token {
                Token::LParen | Token::LBracket | Token::LBrace => {
                    levels.push(Level { start: place + 1, ..Level::default() });
                }
                Token::RParen | Token::RBracket | Token::RBrace => {
                    calls.ends[place] += level.end(place)?;
                    levels.pop();
                }
                Token::Word(_) if !is_part && is(Some(token), "CASE") => {
                    levels.push(Level { start: place + 1, is_case: true, ..Level::default() });
                }
                Token::Word(_) if !is_part && level.is_case && is(Some(token), "END") => {
                    calls.ends[place] += level.end(place)?;
                    levels.pop();
                }
                Token::Comma | Token::Arrow => calls.ends[place] += level.end(place + 1)?,
                Token::Word(_) if !is_part && is_between(tokens, place) => {
                    calls.ends[place] += level.end(place + 1)?;
                }
                // a ? b : c alias
                Token::Word(word)
                    if level.open.last() == Some(&true)
                        && word.keyword == Keyword::NoKeyword
                        && is_value(before(tokens, place)) =>
                {
                    calls.ends[place] += level.end(place)?;
                }
                Token::Placeholder(text) if text.starts_with('?') && is_value(before(tokens, place)) => {
                    calls.begins[level.start] += 1;
                    calls.signs[place] = true;
                    level.open.push(false);
                    level.start = place + 1;
                }
                // {name:UInt8} has a colon of its own.
                Token::Colon if !level.open.is_empty() => {
                    while level.open.pop_if(|has_colon| *has_colon).is_some() {
                        calls.ends[place] += 1;
                    }
                    *level.open.last_mut()? = true;
                    calls.signs[place] = true;
                    level.start = place + 1;
                }
                _ => {}
            }
        }
        let mut whole = levels.pop()?;
        calls.ends[count] = whole.end(count)?;
        levels.is_empty().then_some(calls)
    }

    fn written(&self, tokens: Tokens) -> Tokens {
        let mut new = Tokens::with_capacity(tokens.len());
        let mut last = None;
        for (place, token) in tokens.into_iter().enumerate() {
            new.extend((0..self.ends[place]).map(|_| at(&token, Token::RParen)));
            for _ in 0..self.begins[place] {
                new.extend([name(&token, "if"), at(&token, Token::LParen)]);
            }
            if self.signs[place] {
                new.push(at(&token, Token::Comma));
                // a ?1 : 2
                if let Token::Placeholder(text) = &token.token
                    && text.len() > 1
                {
                    new.push(at(&token, Token::Number(text[1..].to_owned(), false)));
                }
            } else {
                new.push(token.clone());
            }
            last = Some(token);
        }
        if let Some(last) = last {
            new.extend((0..self.ends[self.begins.len()]).map(|_| at(&last, Token::RParen)));
        }
        new
    }
}

fn before(tokens: &[TokenWithSpan], place: usize) -> Option<&TokenWithSpan> {
    place.checked_sub(1).and_then(|before| tokens.get(before))
}

/// Whether a word stands between expressions.
fn is_between(tokens: &[TokenWithSpan], place: usize) -> bool {
    let (word, next) = (tokens.get(place), tokens.get(place + 1));
    let is_function = is_one_of(word, &FUNCTIONS) && is_sign(next, &Token::LParen);
    is_one_of(word, &BETWEEN) && !is_function || is(word, "ARRAY") && is(next, "JOIN")
}

/// Whether a value ends with this word or sign.
fn is_value(token: Option<&TokenWithSpan>) -> bool {
    match token.map(|token| &token.token) {
        Some(Token::Word(_)) => !is_one_of(token, &OPERATORS) && !is_one_of(token, &BETWEEN),
        Some(
            Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::Placeholder(_)
            | Token::RParen
            | Token::RBracket
            | Token::RBrace,
        ) => true,
        _ => false,
    }
}
