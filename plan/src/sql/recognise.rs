//! Whether a text is meant as SQL. Prose begins with “Select” and “With” too, so the first statement must have the
//! shape of one; whether it is a good one is another question, which its reader answers with a place.

use datafusion_sql::sqlparser::dialect::GenericDialect;
use datafusion_sql::sqlparser::keywords::Keyword;
use datafusion_sql::sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

/// How statements and their comments begin; any other text need not be cut into words.
const BEGINNINGS: [&str; 7] = ["select", "with", "create", "insert", "values", "--", "/*"];
/// So many words in a row that mean nothing in SQL are prose: a name and its alias are two.
const WORDS_OF_PROSE: usize = 3;

/// Whether the first statement of a text has the shape of SQL. The text may be cut off anywhere.
pub(crate) fn is_sql(text: &str) -> bool {
    let text = text.trim_start();
    let begins_with = |word: &&str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if !BEGINNINGS.iter().any(begins_with) {
        return false;
    }
    let mut tokens = Vec::new();
    // What cannot be cut into words ends the text: its beginning decides.
    _ = Tokenizer::new(&GenericDialect {}, text).tokenize_with_location_into_buf(&mut tokens);
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
    let words: Vec<&Token> = statement.iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    has_shape(&words)
}

/// Whether words stand as in prose: many in a row, or before a sign that ends a sentence.
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

/// Whether the words and signs of a statement stand where SQL has them.
fn has_shape(words: &[&Token]) -> bool {
    let keyword = |place: usize| match words.get(place) {
        Some(Token::Word(word)) => Some(word.keyword),
        _ => None,
    };
    let is_name = |place: usize| matches!(words.get(place), Some(Token::Word(_)));
    let opens = |place: usize| words.get(place) == Some(&&Token::LParen);
    match keyword(0) {
        // Something is read, or computed from what stands here: SELECT 1, SELECT now().
        Some(Keyword::SELECT) => {
            let reads = (2..words.len()).any(|place| keyword(place) == Some(Keyword::FROM) && words.len() > place + 1);
            reads || words.len() > 1 && (!is_name(1) || opens(2))
        }
        // WITH a AS (, WITH RECURSIVE a (b, c) AS (
        Some(Keyword::WITH) => {
            let name = if keyword(1) == Some(Keyword::RECURSIVE) { 2 } else { 1 };
            let columns = words.iter().skip(name + 1).take_while(|word| ***word != Token::RParen).count();
            let behind = if opens(name + 1) { name + columns + 2 } else { name + 1 };
            let materialized = (behind + 1..=behind + 3).find(|place| opens(*place));
            is_name(name) && keyword(behind) == Some(Keyword::AS) && materialized.is_some()
        }
        // CREATE TABLE a (, CREATE OR REPLACE TEMPORARY VIEW IF NOT EXISTS a AS
        Some(Keyword::CREATE) => {
            const OBJECTS: [Keyword; 5] =
                [Keyword::TABLE, Keyword::VIEW, Keyword::INDEX, Keyword::SCHEMA, Keyword::DATABASE];
            let is_keyword = |place: usize| keyword(place).is_some_and(|keyword| keyword != Keyword::NoKeyword);
            let object = (1..5).find_map(|place| Some((place, keyword(place).filter(|it| OBJECTS.contains(it))?)));
            let Some((place, object)) = object.filter(|(place, _)| (1..*place).all(is_keyword)) else { return false };
            let exists = [Keyword::IF, Keyword::NOT, Keyword::EXISTS];
            let has_exists = (1..).zip(exists).all(|(after, word)| keyword(place + after) == Some(word));
            let name = if has_exists { place + 4 } else { place + 1 };
            // Behind a name with its schema.
            let behind = (name + 1..words.len()).step_by(2).find(|place| words[*place] != &Token::Period);
            let behind = behind.unwrap_or(words.len());
            let any_behind = |is: &dyn Fn(usize) -> bool| (behind..behind + 8).any(is);
            is_name(name)
                && match object {
                    Keyword::SCHEMA | Keyword::DATABASE => behind >= words.len() || is_keyword(behind),
                    Keyword::INDEX => (name..=behind).any(|place| keyword(place) == Some(Keyword::ON)),
                    // USING delta LOCATION …, but not “using paper cups”.
                    _ => {
                        let is_format = |place: usize| {
                            keyword(place) == Some(Keyword::USING)
                                && is_name(place + 1)
                                && (place + 2 >= words.len() || is_keyword(place + 2) || opens(place + 2))
                        };
                        let as_or_like = |place| matches!(keyword(place), Some(Keyword::AS | Keyword::LIKE));
                        any_behind(&|place| opens(place) || as_or_like(place) || is_format(place))
                    }
                }
        }
        Some(Keyword::INSERT) => matches!(keyword(1), Some(Keyword::INTO | Keyword::OVERWRITE)) && is_name(2),
        Some(Keyword::VALUES) => opens(1),
        _ => false,
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
            "INSERT INTO t SELECT 1",
            "VALUES (1), (2)",
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
