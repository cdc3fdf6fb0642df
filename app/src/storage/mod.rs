//! Files that lose nothing: scenarios, recovery after a crash, and the list of recent files.

pub(crate) mod named;
pub mod on_disk;
pub mod recent;
pub mod recovery;
pub mod scenario;
pub(crate) mod window_state;
