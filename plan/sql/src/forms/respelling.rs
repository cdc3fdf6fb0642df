//! Words and signs that the parser of a dialect does not read: those that change no work that is counted are dropped, others are
//! written as it reads them.

use crossover_plan::SqlDialect;
use datafusion_sql::sqlparser::keywords::Keyword;
use datafusion_sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{QUERY, Tokens, at, closing, find, is, is_one_of, is_sign, keyword, words};

/// Deepest nesting of lists in a type.
const MOST_NESTED: usize = 20;

/// What stands in the place of words, and the place behind them.
type Respelt = Option<(Tokens, usize)>;

/// A statement with all such words respelt.
pub(super) fn statement(tokens: &[TokenWithSpan], dialect: Option<SqlDialect>) -> Tokens {
    let has_pattern = tokens.iter().any(|token| is(Some(token), "MATCH_RECOGNIZE"));
    let mut new = Tokens::with_capacity(tokens.len());
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        let words = Words { tokens, place };
        if let Some((respelt, end)) = words.of_all(has_pattern).or_else(|| words.of(dialect?)) {
            new.extend(respelt);
            place = end.max(place + 1);
        } else {
            new.push(token.clone());
            place += 1;
        }
    }
    new
}

/// The words of a statement from a place on.
#[derive(Clone, Copy)]
struct Words<'a> {
    tokens: &'a [TokenWithSpan],
    place: usize,
}

impl<'a> Words<'a> {
    fn at(self, ahead: usize) -> Option<&'a TokenWithSpan> {
        self.tokens.get(self.place + ahead)
    }

    fn before(self) -> Option<&'a TokenWithSpan> {
        self.place.checked_sub(1).and_then(|before| self.tokens.get(before))
    }

    fn is(self, ahead: usize, word: &str) -> bool {
        is(self.at(ahead), word)
    }

    fn is_sign(self, ahead: usize, sign: &Token) -> bool {
        is_sign(self.at(ahead), sign)
    }

    fn is_word(self, ahead: usize) -> bool {
        matches!(self.at(ahead).map(|token| &token.token), Some(Token::Word(_)))
    }

    /// The first place of a word from here on.
    fn find(self, word: &str) -> Option<usize> {
        find(self.tokens, self.place, |place| is(self.tokens.get(place), word))
    }

    fn without(self, count: usize) -> (Tokens, usize) {
        (Tokens::new(), self.place + count)
    }

    /// Forms that several dialects have.
    fn of_all(self, has_pattern: bool) -> Respelt {
        let follows_table = is_sign(self.before(), &Token::RParen);
        if self.is(0, "SIBLINGS") && is(self.before(), "ORDER") && self.is(1, "BY") {
            return Some(self.without(1));
        }
        // RUNNING LAST(x)
        if has_pattern && is_one_of(self.at(0), &["RUNNING", "FINAL"]) && self.is_sign(2, &Token::LParen) {
            return Some(self.without(1));
        }
        if is_one_of(self.at(0), &["SYMMETRIC", "ASYMMETRIC"]) && is(self.before(), "BETWEEN") {
            return Some(self.without(1));
        }
        // count(DISTINCT x) of about how many, percentiles that are about right.
        if self.is(0, "APPROXIMATE") && self.is_word(1) && self.is_sign(2, &Token::LParen) {
            return Some(self.without(1));
        }
        // GROUP BY DISTINCT ROLLUP (a), CUBE (b)
        if is(self.before(), "BY") && is(self.tokens.get(self.place.wrapping_sub(2)), "GROUP") {
            let begins_sets = self.is_sign(1, &Token::LParen) || is_one_of(self.at(1), &["ROLLUP", "CUBE", "GROUPING"]);
            if self.is(0, "DISTINCT") || self.is(0, "ALL") && begins_sets {
                return Some(self.without(1));
            }
        }
        if let Some(count) = self.exclusion() {
            return Some(self.without(count));
        }
        // RANGE BETWEEN '7 days'::interval PRECEDING
        if let Some(text) = self.at(0)
            && matches!(text.token, Token::SingleQuotedString(_))
            && self.is_sign(1, &Token::DoubleColon)
            && self.is(2, "INTERVAL")
            && is_one_of(self.at(3), &["PRECEDING", "FOLLOWING"])
        {
            let interval = keyword(text, Keyword::INTERVAL, "INTERVAL");
            return Some((vec![interval, text.clone()], self.place + 3));
        }
        // The order of recursion, and what ends it: WITH RECURSIVE r AS (…) SEARCH DEPTH FIRST BY a SET b CYCLE a SET c USING d
        if follows_table && self.is(0, "SEARCH") && is_one_of(self.at(1), &["DEPTH", "BREADTH"]) {
            return Some((Tokens::new(), self.find("SET")? + 2));
        }
        let is_cycle = self.is(0, "CYCLE") && (self.is(2, "SET") || self.is_sign(2, &Token::Comma));
        // Behind SEARCH stands the name of its column.
        if is_cycle && self.is_word(1) && (follows_table || self.tokens.iter().any(|token| is(Some(token), "SEARCH"))) {
            return Some((Tokens::new(), self.find("USING")? + 2));
        }
        None
    }

    /// Words of `EXCLUDE CURRENT ROW`, `GROUP`, `TIES` or `NO OTHERS` at the end of a window frame.
    fn exclusion(self) -> Option<usize> {
        let has_two = self.is(1, "CURRENT") && self.is(2, "ROW") || self.is(1, "NO") && self.is(2, "OTHERS");
        let count = match (has_two, is_one_of(self.at(1), &["GROUP", "TIES"])) {
            (true, _) => 3,
            (_, true) => 2,
            _ => return None,
        };
        (self.is(0, "EXCLUDE") && self.is_sign(count, &Token::RParen)).then_some(count)
    }

    /// Forms of one dialect.
    fn of(self, dialect: SqlDialect) -> Respelt {
        match dialect {
            SqlDialect::Spark => self.spark(),
            SqlDialect::Postgres | SqlDialect::Redshift => self.postgres(),
            SqlDialect::DuckDb => self.duckdb(),
            SqlDialect::BigQuery => self.bigquery(),
            SqlDialect::ClickHouse => self.clickhouse(),
            SqlDialect::Trino => self.trino(),
            SqlDialect::Snowflake | SqlDialect::SqlServer => None,
        }
    }

    /// `FROM t |> WHERE a`: two signs to its tokenizer.
    fn spark(self) -> Respelt {
        let (first, second) = (self.at(0)?, self.at(1)?);
        let is_pipe = first.token == Token::Pipe && second.token == Token::Gt && first.span.end == second.span.start;
        is_pipe.then(|| (vec![at(first, Token::VerticalBarRightAngleBracket)], self.place + 2))
    }

    /// `FROM ONLY t`: without the tables that inherit from it.
    fn postgres(self) -> Respelt {
        let is_only = self.is(0, "ONLY") && is_one_of(self.before(), &["FROM", "JOIN"]) && self.is_word(1);
        is_only.then(|| (Tokens::new(), self.place + 1))
    }

    fn duckdb(self) -> Respelt {
        let first = self.at(0)?;
        // A power costs what a product costs.
        if self.is_sign(0, &Token::Mul) && self.is_sign(1, &Token::Mul) {
            return Some((vec![first.clone()], self.place + 2));
        }
        let is_text = matches!(self.at(1).map(|token| &token.token), Some(Token::SingleQuotedString(_)));
        if self.is(0, "GLOB") && is_text {
            return Some((words(first, "LIKE"), self.place + 1));
        }
        // count(*) FILTER (a > 3)
        let begins_filter = self.is(0, "FILTER") && is_sign(self.before(), &Token::RParen);
        if begins_filter && self.is_sign(1, &Token::LParen) && !self.is(2, "WHERE") {
            return Some((words(first, "FILTER (WHERE"), self.place + 2));
        }
        // WITH RECURSIVE r (a) USING KEY (a) AS (…)
        if self.is(0, "USING") && self.is(1, "KEY") && self.is_sign(2, &Token::LParen) {
            return Some((Tokens::new(), closing(self.tokens, self.place + 2) + 1));
        }
        let number = self.at(1).filter(|token| matches!(token.token, Token::Number(..)))?;
        let is_share = self.is_sign(2, &Token::Mod) || self.is(2, "PERCENT");
        let ends = self.at(3).is_none_or(|next| !matches!(next.token, Token::Number(..)));
        if self.is(0, "LIMIT") && is_share && ends {
            let first_rows = [words(first, "FETCH FIRST"), vec![number.clone()], words(first, "PERCENT ROWS ONLY")];
            return Some((first_rows.concat(), self.place + 3));
        }
        None
    }

    fn bigquery(self) -> Respelt {
        let first = self.at(0)?;
        // SAFE.substr(a, 1)
        if self.is(0, "SAFE") && self.is_sign(1, &Token::Period) && self.is_word(2) && self.is_sign(3, &Token::LParen) {
            return Some(self.without(2));
        }
        // SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (…) a
        if self.is(0, "SELECT") && self.is(1, "WITH") && self.is(3, "OPTIONS") && self.is_sign(4, &Token::LParen) {
            return Some((vec![first.clone()], closing(self.tokens, self.place + 4) + 1));
        }
        // ARRAY<INT64>[1, 2]
        if self.is(0, "ARRAY") && self.is_sign(1, &Token::Lt) {
            let mut depth = 0_usize;
            for (place, token) in self.tokens.iter().enumerate().skip(self.place + 1) {
                depth = match token.token {
                    Token::Lt => depth + 1,
                    Token::Gt => depth.checked_sub(1)?,
                    Token::ShiftRight => depth.checked_sub(2)?,
                    Token::Word(_) | Token::Comma => depth,
                    _ => return None,
                };
                if depth == 0 {
                    let is_list = is_sign(self.tokens.get(place + 1), &Token::LBracket);
                    return is_list.then(|| (Tokens::new(), place + 1));
                }
            }
        }
        None
    }

    fn clickhouse(self) -> Respelt {
        // t FINAL
        let follows_table = is_sign(self.before(), &Token::RParen)
            || matches!(self.before().map(|before| &before.token), Some(Token::Word(_)))
                && !is_one_of(
                    self.before(),
                    &["SELECT", "AS", "WHERE", "AND", "OR", "BY", "ON", "CASE", "WHEN", "THEN"],
                );
        let ends_table = !matches!(
            self.at(1).map(|next| &next.token),
            Some(Token::Period | Token::LParen | Token::Eq | Token::Lt | Token::Gt | Token::Neq)
        );
        if self.is(0, "FINAL") && follows_table && ends_table {
            return Some(self.without(1));
        }
        // Types of columns: states of aggregate functions, and aggregated values.
        if self.is(0, "AGGREGATEFUNCTION") && self.is_sign(1, &Token::LParen) {
            return Some((words(self.at(0)?, "TEXT"), closing(self.tokens, self.place + 1) + 1));
        }
        if self.is(0, "SIMPLEAGGREGATEFUNCTION") && self.is_sign(1, &Token::LParen) {
            let comma = find(self.tokens, self.place + 2, |place| is_sign(self.tokens.get(place), &Token::Comma))?;
            let end = closing(self.tokens, self.place + 1);
            return Some((self.tokens.get(comma + 1..end)?.to_vec(), end + 1));
        }
        if self.is(0, "INTO") && self.is(1, "OUTFILE") {
            let ends = |place: usize| is_one_of(self.tokens.get(place), &["FORMAT", "SETTINGS"]);
            return Some((Tokens::new(), find(self.tokens, self.place, ends).unwrap_or(self.tokens.len())));
        }
        // FROM view(SELECT …)
        if self.is(0, "VIEW") && self.is_sign(1, &Token::LParen) && is_one_of(self.at(2), &QUERY) {
            return Some(self.without(1));
        }
        // f(x).1, an element of a tuple
        let is_element =
            matches!(self.at(0).map(|token| &token.token), Some(Token::Number(text, _)) if text.starts_with('.'));
        if is_element && is_sign(self.before(), &Token::RParen) {
            return Some(self.without(1));
        }
        // SEMI LEFT JOIN
        let (kind, side) = (self.at(0)?, self.at(1)?);
        let is_swapped = is_one_of(Some(kind), &["SEMI", "ANTI"]) && is_one_of(Some(side), &["LEFT", "RIGHT"]);
        (is_swapped && self.is(2, "JOIN")).then(|| (vec![side.clone(), kind.clone()], self.place + 2))
    }

    fn trino(self) -> Respelt {
        // json_query(a, 'lax $.b' WITH CONDITIONAL ARRAY WRAPPER)
        if is_one_of(self.at(0), &["WITH", "WITHOUT"]) {
            let wrapper = (1..=3).find(|ahead| self.is(*ahead, "WRAPPER"))?;
            return Some(self.without(wrapper + 1));
        }
        // CAST(x AS ARRAY(ROW(a INT))): lists have ARRAY[…]
        if self.is(0, "ARRAY") && self.is_sign(1, &Token::LParen) {
            let end = closing(self.tokens, self.place + 1);
            let of = list_type(self.tokens.get(self.place..=end)?, MOST_NESTED)?;
            return Some((of, end + 1));
        }
        let names_type = is(self.before(), "AS") && is_one_of(self.at(0), &["ROW", "MAP"]);
        if names_type && self.is_sign(1, &Token::LParen) {
            return Some((words(self.at(0)?, "TEXT"), closing(self.tokens, self.place + 1) + 1));
        }
        // PREPARE p FROM SELECT …
        if self.place == 2 && self.is(0, "FROM") && is(self.tokens.first(), "PREPARE") {
            return Some((words(self.at(0)?, "AS"), self.place + 1));
        }
        None
    }
}

/// `ARRAY(bigint)` is `ARRAY<bigint>`, at any depth; rows and maps are texts.
fn list_type(of: &[TokenWithSpan], depth: usize) -> Option<Tokens> {
    let first = of.first()?;
    if is_one_of(Some(first), &["ROW", "MAP"]) {
        return Some(words(first, "TEXT"));
    }
    if !is(Some(first), "ARRAY") || !is_sign(of.get(1), &Token::LParen) {
        return Some(of.to_vec());
    }
    let mut list = vec![first.clone(), at(first, Token::Lt)];
    list.extend(list_type(of.get(2..of.len() - 1)?, depth.checked_sub(1)?)?);
    list.push(at(first, Token::Gt));
    Some(list)
}
