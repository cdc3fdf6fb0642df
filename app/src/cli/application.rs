//! What results are about: the query of a scenario, or its whole application.

use anyhow::Result;
use crossover_export::about::{query_in_words, statements};
use crossover_export::decision::ApplicationAnswer;
use crossover_fleet_page::answer_of_application;
use crossover_page::terminal::message;
use crossover_scenario::Scenario;

use super::wrong_usage;

/// Checks that `--query` was given for a scenario that has a query.
pub(super) fn check_query(command: &str, scenario: &Scenario, is_of_query: bool) -> Result<()> {
    let has_query = scenario.placement().is_some_and(|study| study.query.is_some());
    if is_of_query && !has_query {
        return Err(wrong_usage(command, "--query: this scenario has no query; leave --query out").into());
    }
    Ok(())
}

/// The answer about the application of the scenario's query, as the window shows it where the scenario opens; a message says which of the
/// two the result of a command is about. `is_of_query`: about the query alone, although its application has an answer. `None`: the result is
/// about the query, or the scenario has no application.
pub(super) fn answer(command: &str, scenario: &Scenario, is_of_query: bool) -> Option<ApplicationAnswer> {
    let query = query_in_words(&scenario.placement()?.query.as_deref()?.plan);
    let answer = answer_of_application(&scenario.study)?;
    match &answer {
        ApplicationAnswer::Decided(_) if is_of_query => {
            message(format!("the answer is about {query} alone; without --query it is about the whole application"));
        }
        ApplicationAnswer::Decided(_) => {
            let alone = format!("crossover {command} --query answers about {query} alone");
            message(format!("the answer is about the whole application; {alone}"));
        }
        ApplicationAnswer::NotJudged(why_not) => message(format!("{why_not} The answer is about {query} alone.")),
    }
    (!is_of_query).then_some(answer)
}

/// Says on standard error which query and which engines the results of a scenario are about, for formats that have no place for it.
pub(super) fn message_about(scenario: &Scenario) {
    statements(&scenario.study).for_each(message);
}
