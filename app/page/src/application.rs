//! The answer about the whole application of a study's query, for tools, which know no kind of study.

use crossover_export::decision::ApplicationAnswer;
use crossover_scenario::Study;

/// Finds it, from the cache of the window; `None` if the study has no application that is more than its query.
#[derive(Debug, Clone, Copy)]
pub struct AnswerApplication(pub fn(&Study) -> Option<ApplicationAnswer>);
