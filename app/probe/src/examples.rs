//! The probe scenarios that come with the program.

use crossover_page::examples::{Example, Template};
use crossover_scenario::Kind;

/// What a new probe study starts from.
pub const TEMPLATE: Template = Template {
    kind: Kind::Probe,
    hint: "What do compute centres deliver, and where should work run? A new scenario in its own tab",
    example: NEW,
};

/// One operator and no centre: nothing in it was measured or assumed.
const NEW: Example = Example { label: "Probe: new study", text: include_str!("new.ron") };

/// All of them, in the order of the menu.
pub const ALL: [Example; 2] = [CENTRES, PUBLISHED];

/// Three assumed centres.
pub const CENTRES: Example =
    Example { label: "Probe: three compute centres", text: include_str!("../../../scenarios/probe-centres.ron") };

/// Example of the published method.
pub const PUBLISHED: Example =
    Example { label: "Probe: the published example", text: include_str!("../../../scenarios/probe-published.ron") };
