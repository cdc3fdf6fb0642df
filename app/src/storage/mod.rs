//! Files that the window keeps between starts: recovery after a crash, the list of recent files, and its own state.

pub mod recent;
pub mod recovery;
pub(crate) mod window_state;
