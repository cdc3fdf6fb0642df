//! Colours and processors of the two sides in charts and texts.

use crossover_chart::plan::Processor;
use crossover_chart::theme::Token;
use crossover_placement::Side;

/// The side as a chart's processor.
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
