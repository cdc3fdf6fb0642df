//! Scenario files, links to scenarios, the files that they name and their state on the disk, and what pages keep for the next window.

pub mod kept;
pub mod link;
pub mod named;
pub mod on_disk;
pub mod scenario;
