//! Files that the window keeps between starts: recovery after a crash, the list of recent files and of open ones, the open tabs,
//! and what killed saves left.

pub(crate) mod leftovers;
pub(crate) mod open_files;
pub mod recent;
pub mod recovery;
pub(crate) mod tabs;
