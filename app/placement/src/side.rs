//! A side of the model as charts and texts draw it.

use crossover_chart::plan::Processor;
use crossover_chart::theme::Token;
use crossover_placement::Side;

/// What a chart calls it.
pub(super) fn processor(side: Side) -> Processor {
    match side {
        Side::Cpu => Processor::Cpu,
        Side::Gpu => Processor::Gpu,
    }
}

/// Its colour.
pub(super) fn token(side: Side) -> Token {
    processor(side).token()
}
