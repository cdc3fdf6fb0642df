//! The documents of the formulas, as they are in the repository.

/// All files of `docs/model`, one after the other, beginning with the list of them.
pub const FORMULAS: &str = concat!(
    include_str!("../../../docs/model/README.md"),
    "\n",
    include_str!("../../../docs/model/placement.md"),
    "\n",
    include_str!("../../../docs/model/engines.md"),
    "\n",
    include_str!("../../../docs/model/fleet.md"),
    "\n",
    include_str!("../../../docs/model/regulation.md"),
    "\n",
    include_str!("../../../docs/model/allocation.md"),
    "\n",
    include_str!("../../../docs/model/probe.md"),
    "\n",
    include_str!("../../../docs/model/preemption.md"),
    "\n",
    include_str!("../../../docs/model/tools.md"),
);
