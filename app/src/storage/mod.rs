//! Files that lose nothing: atomic saving, recovery after a crash, and the list of recent files.

pub mod atomic;
pub(crate) mod list;
pub mod on_disk;
pub mod plan;
pub mod recent;
pub mod recording;
pub mod recovery;
pub mod scenario;
