//! Scenario files, links to scenarios, the files that they name and their state on disk, and the state that pages keep for the next window.

pub mod kept;
pub mod link;
pub mod named;
pub mod on_disk;
pub mod scenario;
