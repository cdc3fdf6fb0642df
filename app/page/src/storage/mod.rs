//! Scenario files, the files that they name, and what is known of them on the disk.

pub mod named;
pub mod on_disk;
pub mod scenario;
