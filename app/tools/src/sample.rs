//! The scenario that empty pages show in a picture, and that *Open a sample* opens: the published setting.

use crossover_page::examples::PUBLISHED;
use crossover_scenario::{Study, read};
use crossover_tools::Range;

/// The number along which it is drawn, with its values.
const MACHINES: &str = "cluster.machines=10..10000:61:log";
/// The figure that is drawn.
pub(crate) const FIGURE: &str = "speedup";

/// Its study.
pub(crate) fn study() -> Option<Study> {
    Some(read(PUBLISHED.text).ok()?.study)
}

/// The values of the number.
pub(crate) fn machines(study: &Study) -> Option<Range> {
    range(study, MACHINES)
}

/// Values of a number, as a command line has them.
pub(crate) fn range(study: &Study, text: &str) -> Option<Range> {
    Range::read(study.subject(), text, crossover_tools::sweep::POINTS).ok()
}
