//! Scenario files, links to scenarios, the files that they name, and their state on the disk.

pub mod link;
pub mod named;
pub mod on_disk;
pub mod scenario;
