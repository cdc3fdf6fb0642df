//! The documents of the formulas, as they are in the repository.

/// All files of `docs/model` with their names, beginning with the list of them.
pub const FORMULAS: [(&str, &str); 10] = [
    ("README.md", include_str!("../../../docs/model/README.md")),
    ("placement.md", include_str!("../../../docs/model/placement.md")),
    ("engines.md", include_str!("../../../docs/model/engines.md")),
    ("decision.md", include_str!("../../../docs/model/decision.md")),
    ("fleet.md", include_str!("../../../docs/model/fleet.md")),
    ("regulation.md", include_str!("../../../docs/model/regulation.md")),
    ("allocation.md", include_str!("../../../docs/model/allocation.md")),
    ("probe.md", include_str!("../../../docs/model/probe.md")),
    ("preemption.md", include_str!("../../../docs/model/preemption.md")),
    ("tools.md", include_str!("../../../docs/model/tools.md")),
];
