//! Cuts a file into statements, each with the comments that belong to it.

use datafusion_sql::sqlparser::ast::Statement as Parsed;
use datafusion_sql::sqlparser::dialect::GenericDialect;
use datafusion_sql::sqlparser::keywords::Keyword;
use datafusion_sql::sqlparser::parser::Parser;
use datafusion_sql::sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, Whitespace};

use super::problem::Problem;

/// Most words and signs of one statement; what works on it needs stack space in proportion.
const MOST_TOKENS: usize = 60_000;
/// Most operations of one statement. A chain of them is a tree as deep as it is long, and the optimiser names every
/// part of it: time grows with the square.
const MOST_OPERATIONS: usize = 4_000;

/// One statement of a file and the comments that belong to it: those before it, those in it, and what stands behind
/// its semicolon on the same line.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Statement {
    tokens: Vec<TokenWithSpan>,
    /// Lines of comments and where each starts.
    pub(super) comments: Vec<(Location, String)>,
}

/// The statements of a file. Comments at its end that belong to none are left out.
pub(super) fn split(text: &str) -> Result<Vec<Statement>, Problem> {
    let tokens = Tokenizer::new(&GenericDialect {}, text).tokenize_with_location()?;
    let mut statements: Vec<Statement> = Vec::new();
    let mut open = Statement::default();
    let mut ended_in_line = 0;
    for token in tokens {
        match &token.token {
            Token::SemiColon => {
                ended_in_line = token.span.start.line;
                if !open.tokens.is_empty() {
                    statements.push(std::mem::take(&mut open));
                }
            }
            Token::Whitespace(
                Whitespace::SingleLineComment { comment: text, .. } | Whitespace::MultiLineComment(text),
            ) => {
                let start = token.span.start;
                let lines = text.lines().enumerate().map(|(index, line)| {
                    let place = Location { line: start.line + index as u64, ..start };
                    (place, line.trim().to_owned())
                });
                let follows = open.tokens.is_empty() && start.line == ended_in_line;
                let owner = statements.last_mut().filter(|_| follows).unwrap_or(&mut open);
                owner.comments.extend(lines);
            }
            Token::Whitespace(_) => {}
            _ => open.tokens.push(token),
        }
    }
    if !open.tokens.is_empty() {
        statements.push(open);
    }
    Ok(statements)
}

impl Statement {
    /// Where it starts.
    pub(super) fn start(&self) -> Location {
        self.tokens.first().map_or(Location::empty(), |token| token.span.start)
    }

    /// The line in which it ends.
    pub(super) fn last_line(&self) -> u64 {
        self.tokens.last().map_or(0, |token| token.span.end.line)
    }

    /// Its first words, e.g. "INSERT INTO".
    pub(super) fn first_words(&self) -> String {
        let words = self.tokens.iter().take(2).filter_map(|token| match &token.token {
            Token::Word(word) => Some(word.value.to_uppercase()),
            _ => None,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// Its text.
    pub(super) fn parse(&self) -> Result<Parsed, Problem> {
        if self.tokens.len() > MOST_TOKENS {
            let problem =
                format!("the statement has {} words and signs; at most {MOST_TOKENS} are supported", self.tokens.len());
            return Err(Problem::at(self.start(), problem));
        }
        let operations = self.tokens.iter().filter(|token| is_operation(&token.token)).count();
        if operations > MOST_OPERATIONS {
            let problem = format!(
                "the statement has {operations} operations like AND, = and +; at most {MOST_OPERATIONS} are supported \
                 (a list after IN is one)"
            );
            return Err(Problem::at(self.start(), problem));
        }
        let end = self.tokens.last().map_or(Location::empty(), |token| token.span.end);
        let dialect = GenericDialect {};
        let mut parser = Parser::new(&dialect).with_tokens_with_locations(self.tokens.clone());
        let parsed = parser.parse_statement().map_err(|error| {
            // Nesting is a matter of the whole statement, all else was noticed where the text ends.
            Problem::from(error).or_at(end)
        })?;
        let rest = parser.peek_token();
        if rest.token != Token::EOF {
            let problem = format!("expected the end of the statement or a semicolon, found {}", rest.token);
            return Err(Problem::at(rest.span.start, problem));
        }
        Ok(parsed)
    }
}

/// Whether a word or sign joins two expressions.
fn is_operation(token: &Token) -> bool {
    match token {
        Token::Word(word) => matches!(
            word.keyword,
            Keyword::AND | Keyword::OR | Keyword::XOR | Keyword::LIKE | Keyword::IS | Keyword::JOIN | Keyword::UNION
        ),
        Token::Comma
        | Token::SemiColon
        | Token::LParen
        | Token::RParen
        | Token::Period
        | Token::Number(..)
        | Token::SingleQuotedString(_) => false,
        _ => true,
    }
}
