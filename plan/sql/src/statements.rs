//! Cuts a file into statements, each with the comments that belong to it.

use crossover_plan::SqlDialect;
use datafusion_sql::sqlparser::ast::Statement as Parsed;
use datafusion_sql::sqlparser::keywords::Keyword;
use datafusion_sql::sqlparser::parser::Parser;
use datafusion_sql::sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, Whitespace, Word};

use super::forms;
use super::parsers::{ignores_case, parser};
use super::problem::Problem;

/// Most words and signs of one statement; what works on it needs stack space in proportion.
const MOST_TOKENS: usize = 60_000;
/// Most operations of one statement. A chain of them is a tree as deep as it is long, and the optimiser names every
/// part of it: time grows with the square.
const MOST_OPERATIONS: usize = 4_000;
/// Most places of a file that cannot be cut into words and are passed over.
const MOST_BREAKS: usize = 20;

/// One statement of a file and the comments that belong to it: those before it, those in it, and what stands behind
/// its semicolon on the same line.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Statement {
    tokens: Vec<TokenWithSpan>,
    /// Lines of comments and where each starts.
    pub(super) comments: Vec<(Location, String)>,
}

/// A file cut into statements, and the places where it cannot be cut.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// The statements, in order.
    pub(super) statements: Vec<Statement>,
    /// What ended a statement too early, such as a quote that is never closed.
    pub(super) problems: Vec<Problem>,
}

/// The statements of a file. Comments at its end that belong to none are left out. Where the text cannot be cut into words, the
/// statement there is left out, and cutting goes on behind the end of a line with a semicolon.
pub(super) fn split(text: &str, dialect: Option<SqlDialect>) -> Split {
    let mut cut = Split::default();
    let (mut begin, mut place) = (0, Location { line: 1, column: 1 });
    while begin < text.len() {
        let mut tokens = Vec::new();
        let tokenized = Tokenizer::new(parser(dialect), &text[begin..]).tokenize_with_location_into_buf(&mut tokens);
        for token in &mut tokens {
            token.span.start = moved(token.span.start, place);
            token.span.end = moved(token.span.end, place);
            if let Token::Word(word) = &mut token.token
                && word.quote_style.is_some()
            {
                unbracket(word);
                if ignores_case(dialect) {
                    word.value.make_ascii_lowercase();
                }
            }
        }
        if dialect == Some(SqlDialect::SqlServer) {
            end_batches(&mut tokens);
        }
        let open = add(tokens, &mut cut.statements);
        let Err(error) = tokenized else {
            cut.statements.extend(open);
            break;
        };
        let failed = moved(error.location, place);
        cut.problems.push(Problem::at(failed, error.message));
        // Every attempt may read to the end of the file.
        if cut.problems.len() == MOST_BREAKS {
            break;
        }
        let Some(next) = behind_statement(text, failed) else { break };
        (begin, place) = next;
    }
    cut
}

/// A name in brackets, as T-SQL and Redshift write it, in quotes: `[a b]`, and Redshift's `["a b"]`.
fn unbracket(word: &mut Word) {
    if word.quote_style != Some('[') {
        return;
    }
    word.quote_style = Some('"');
    let within = word.value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).map(str::to_owned);
    if let Some(within) = within {
        word.value = within;
    }
}

/// `GO` on a line of its own ends a batch of statements, as a semicolon does.
fn end_batches(tokens: &mut [TokenWithSpan]) {
    let is_space = |place: &usize| matches!(tokens[*place].token, Token::Whitespace(_));
    let places: Vec<usize> = (0..tokens.len()).filter(|place| !is_space(place)).collect();
    for (index, &place) in places.iter().enumerate() {
        let is_go = matches!(&tokens[place].token, Token::Word(word) if word.quote_style.is_none()
            && word.value.eq_ignore_ascii_case("go"));
        let line = tokens[place].span.start.line;
        let before = index.checked_sub(1).map(|before| tokens[places[before]].span.end.line);
        let next = places.get(index + 1).map(|next| tokens[*next].span.start.line);
        if is_go && before.is_none_or(|before| before < line) && next.is_none_or(|next| next > line) {
            tokens[place].token = Token::SemiColon;
        }
    }
}

/// Adds statements; returns the one that no semicolon ends.
fn add(tokens: Vec<TokenWithSpan>, statements: &mut Vec<Statement>) -> Option<Statement> {
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
    (!open.tokens.is_empty()).then_some(open)
}

/// A place in a part of the file that begins at `begin`, as a place in the file.
fn moved(place: Location, begin: Location) -> Location {
    match place.line {
        0 => place,
        1 => Location { line: begin.line, column: place.column + begin.column - 1 },
        line => Location { line: line + begin.line - 1, column: place.column },
    }
}

/// Where the line behind the first semicolon at the end of a line, from a place on, begins.
fn behind_statement(text: &str, from: Location) -> Option<(usize, Location)> {
    let mut offset = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        offset += line.len();
        if number >= from.line && line.trim_end().ends_with(';') {
            return (offset < text.len()).then_some((offset, Location { line: number + 1, column: 1 }));
        }
    }
    None
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

    /// Parses it in a dialect; where its parser fails, in other forms, and with the general parser.
    pub(super) fn parse(&self, dialect: Option<SqlDialect>) -> Result<Parsed, Problem> {
        self.check_size()?;
        let tokens = forms::without_hints(&self.tokens);
        let problem = match self.parse_tokens(tokens.to_vec(), dialect) {
            Ok(parsed) => return Ok(parsed),
            Err(problem) => problem,
        };
        let rewritten = forms::rewritten(tokens, dialect);
        for parser in [dialect, None] {
            for tokens in rewritten.as_deref().into_iter().chain([tokens]) {
                if let Ok(parsed) = self.parse_tokens(tokens.to_vec(), parser) {
                    return Ok(parsed);
                }
            }
        }
        Err(problem)
    }

    /// Whether it is a statement of a dialect: its own parser reads it, or another form of it.
    pub(super) fn is_of(&self, dialect: Option<SqlDialect>) -> bool {
        let tokens = forms::without_hints(&self.tokens);
        let is_parsed = |tokens: Vec<TokenWithSpan>| self.parse_tokens(tokens, dialect).is_ok();
        self.check_size().is_ok()
            && (is_parsed(tokens.to_vec()) || forms::rewritten(tokens, dialect).is_some_and(is_parsed))
    }

    fn check_size(&self) -> Result<(), Problem> {
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
        Ok(())
    }

    fn parse_tokens(&self, tokens: Vec<TokenWithSpan>, dialect: Option<SqlDialect>) -> Result<Parsed, Problem> {
        let end = self.tokens.last().map_or(Location::empty(), |token| token.span.end);
        let mut parser = Parser::new(parser(dialect)).with_tokens_with_locations(tokens);
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
