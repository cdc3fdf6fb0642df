//! Files that lose nothing: atomic saving, recovery after a crash, and the list of recent files.

pub mod atomic;
pub mod on_disk;
pub mod recent;
pub mod recovery;
pub mod scenario;
