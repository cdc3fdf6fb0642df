//! Whether a text is meant as SQL. Prose begins with “Select” and “With” too, so the first statement must have the
//! shape of one; whether it is a good one is another question, which its reader answers with a place.

use sqlparser::dialect::{Dialect, GenericDialect, MsSqlDialect};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

/// Beginnings of statements and comments; other texts are not tokenized.
const BEGINNINGS: [&str; 7] = ["select", "with", "create", "insert", "values", "--", "/*"];
/// Number of consecutive non-SQL words that counts as prose: a name and its alias are two.
const WORDS_OF_PROSE: usize = 3;

/// Whether the first statement of a text has the shape of SQL. The text may be cut off anywhere.
pub(crate) fn is_sql(text: &str) -> bool {
    // Some editors put a mark first.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_start();
    let begins_with = |word: &&str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if !BEGINNINGS.iter().any(begins_with) {
        return false;
    }
    // Names in brackets, as in [Order Details], are words of T-SQL.
    is_statement(text, &GenericDialect {}) || text.contains('[') && is_statement(text, &MsSqlDialect {})
}

fn is_statement(text: &str, dialect: &dyn Dialect) -> bool {
    let mut tokens = Vec::new();
    // What cannot be cut into words ends the text: its beginning decides.
    _ = Tokenizer::new(dialect, text).tokenize_with_location_into_buf(&mut tokens);
    let is_comment = |token: &Token| {
        matches!(token, Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)))
    };
    let statement: Vec<Token> = tokens
        .into_iter()
        .map(|token| token.token)
        .skip_while(|token| matches!(token, Token::Whitespace(_) | Token::SemiColon))
        .filter(|token| !is_comment(token))
        .take_while(|token| *token != Token::SemiColon)
        .collect();
    if is_prose(&statement) {
        return false;
    }
    has_shape(&Words(statement.iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect()))
}

/// Whether words are prose: many in a row, or before the end of a sentence.
fn is_prose(statement: &[Token]) -> bool {
    let mut in_a_row = 0;
    for (place, token) in statement.iter().enumerate() {
        in_a_row = match token {
            Token::Whitespace(_) => in_a_row,
            Token::Word(word) if word.keyword == Keyword::NoKeyword && word.quote_style.is_none() => in_a_row + 1,
            _ => 0,
        };
        let before_space = statement.get(place + 1).is_none_or(|next| matches!(next, Token::Whitespace(_)));
        let ends_sentence = matches!(token, Token::Period | Token::Colon | Token::ExclamationMark) && before_space;
        if in_a_row == WORDS_OF_PROSE || ends_sentence {
            return true;
        }
    }
    false
}

/// The words and signs of a statement, without blanks.
struct Words<'t>(Vec<&'t Token>);

impl Words<'_> {
    fn keyword(&self, place: usize) -> Option<Keyword> {
        match self.0.get(place) {
            Some(Token::Word(word)) => Some(word.keyword),
            _ => None,
        }
    }

    fn is_keyword(&self, place: usize) -> bool {
        self.keyword(place).is_some_and(|keyword| keyword != Keyword::NoKeyword)
    }

    fn is_name(&self, place: usize) -> bool {
        matches!(self.0.get(place), Some(Token::Word(_)))
    }

    fn opens(&self, place: usize) -> bool {
        self.0.get(place) == Some(&&Token::LParen)
    }

    fn is_end(&self, place: usize) -> bool {
        place >= self.0.len()
    }

    /// The position after these keywords if they are here, else this position.
    fn behind(&self, place: usize, keywords: &[Keyword]) -> usize {
        let stand_here = (place..).zip(keywords).all(|(place, keyword)| self.keyword(place) == Some(*keyword));
        if stand_here { place + keywords.len() } else { place }
    }

    /// The place behind a name with its schema.
    fn behind_name(&self, name: usize) -> usize {
        let behind = (name + 1..self.0.len()).step_by(2).find(|place| self.0[*place] != &Token::Period);
        behind.unwrap_or(self.0.len())
    }
}

/// Whether the tokens of a statement are in the order of SQL.
fn has_shape(words: &Words<'_>) -> bool {
    match words.keyword(0) {
        // Something is read, or computed from what stands here: SELECT 1, SELECT now().
        Some(Keyword::SELECT) => {
            let reads =
                (2..words.0.len()).any(|place| words.keyword(place) == Some(Keyword::FROM) && !words.is_end(place + 1));
            reads || !words.is_end(1) && (!words.is_name(1) || words.opens(2))
        }
        // WITH a AS (, WITH RECURSIVE a (b, c) AS (
        Some(Keyword::WITH) => {
            let name = words.behind(1, &[Keyword::RECURSIVE]);
            let columns = words.0.iter().skip(name + 1).take_while(|word| ***word != Token::RParen).count();
            let behind = if words.opens(name + 1) { name + columns + 2 } else { name + 1 };
            let materialized = (behind + 1..=behind + 3).find(|place| words.opens(*place));
            words.is_name(name) && words.keyword(behind) == Some(Keyword::AS) && materialized.is_some()
        }
        Some(Keyword::CREATE) => creates(words),
        Some(Keyword::INSERT) => {
            matches!(words.keyword(1), Some(Keyword::INTO | Keyword::OVERWRITE)) && words.is_name(2)
        }
        Some(Keyword::VALUES) => words.opens(1),
        _ => false,
    }
}

/// Whether something is created: CREATE TABLE a (, CREATE OR REPLACE TEMPORARY VIEW IF NOT EXISTS a AS
fn creates(words: &Words<'_>) -> bool {
    const OBJECTS: [Keyword; 5] = [Keyword::TABLE, Keyword::VIEW, Keyword::INDEX, Keyword::SCHEMA, Keyword::DATABASE];
    let object = (1..5).find_map(|place| Some((place, words.keyword(place).filter(|it| OBJECTS.contains(it))?)));
    let Some((place, object)) = object.filter(|(place, _)| (1..*place).all(|place| words.is_keyword(place))) else {
        return false;
    };
    let name = words.behind(place + 1, &[Keyword::CONCURRENTLY]);
    let name = words.behind(name, &[Keyword::IF, Keyword::NOT, Keyword::EXISTS]);
    let behind = words.behind_name(name);
    words.is_name(name)
        && match object {
            Keyword::SCHEMA | Keyword::DATABASE => words.is_end(behind) || words.is_keyword(behind),
            // An index may have no name.
            Keyword::INDEX => [name, behind].into_iter().any(|place| words.keyword(place) == Some(Keyword::ON)),
            _ => (behind..behind + 8).any(|place| has_content(words, place)),
        }
}

/// Whether the definition of a table or view is here: its columns, a query, another table, or a format with its place,
/// as in USING delta LOCATION …, but not in “using paper cups”.
fn has_content(words: &Words<'_>, place: usize) -> bool {
    match words.keyword(place) {
        Some(Keyword::AS | Keyword::LIKE) => true,
        Some(Keyword::USING) => {
            let behind = place + 2;
            let ends = words.is_end(behind) || words.is_keyword(behind) || words.opens(behind);
            words.is_name(place + 1) && ends
        }
        _ => words.opens(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_sql_even_with_mistakes() {
        for text in [
            "SELECT 1",
            "select now()",
            "\u{feff}SELECT 1",
            "select *\nfrom sales s join customers c on s.customer = c.id",
            "SELECT a,, b FORM FROM t WHERE",
            "SELECT DISTINCT t.a AS first, 'it''s' || b label FROM t;",
            "-- rows of sales: 1000\n-- of last year. And before.\nselect 1",
            "/* three\nlines\n */ WITH a AS (SELECT 1) SELECT * FROM a",
            "with recursive t (n) as (values (1)) select n from t",
            "WITH a AS NOT MATERIALIZED (SELECT 1) SELECT * FROM a",
            "CREATE TABLE lineitem (l_orderkey BIGINT)",
            "create or replace temp view v as select 1",
            "CREATE TABLE IF NOT EXISTS a.b.c AS SELECT 1",
            "CREATE TABLE t USING parquet LOCATION '/data/t'",
            "CREATE TABLE IF NOT EXISTS db.t USING delta",
            "CREATE SCHEMA IF NOT EXISTS tpch;\nSELECT 1",
            "create database tpcds",
            "CREATE UNIQUE INDEX i ON t (a)",
            "CREATE INDEX ON t (a)",
            "CREATE INDEX CONCURRENTLY i ON t (a)",
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON t (a)",
            "INSERT INTO t SELECT 1",
            "VALUES (1), (2)",
            "SELECT [Order ID] FROM [Sales Person Name] AS [o d]",
            "CREATE TABLE [dbo].[Order Details] ([Order ID] [int])",
            "SELECT a FROM t WHERE b = 'cut off in the mid",
        ] {
            assert!(is_sql(text), "{text}");
        }
    }

    #[test]
    fn prose_is_no_sql() {
        for text in [
            "",
            "With best regards",
            "With best regards,\nthe team from Ohio",
            "With this (as agreed) we close.",
            "Select one item from the menu. Thank you.",
            "Select your favourite colour from the palette",
            "Select 2 of the following options:",
            "Selected works, from A to Z",
            "select",
            "Create a table for two people (by the window) today",
            "Create a new folder and put it on the table as described below.",
            "Create table scenes using paper cups",
            "Create database backups nightly",
            "Create index cards for the exam",
            "Insert coin",
            "Select [one] item from the menu. Thank you.",
            "Create a [new] folder and put it on the table as described below.",
            "Insert into the slot whatever coin you have",
            "-- Ann, from the harbour",
            "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-select 1\n+select 2",
            "---\ntitle: select 1\n---\n",
            "/* a style sheet */\nbody { color: red; }",
            "values: honesty, courage",
        ] {
            assert!(!is_sql(text), "{text}");
        }
    }
}
