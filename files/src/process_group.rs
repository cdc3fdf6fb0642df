//! Process groups: child programs that are ended with all their own children.

use std::process::{Child, Command};

/// Starts a program in its own process group, so that its children can be ended with it, and Ctrl-C in the terminal
/// reaches only this program.
pub fn own(program: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(program, 0);
    #[cfg(not(unix))]
    let _ = program;
}

/// Ends a program and its children in the same group; ended ones are ignored.
///
/// Call it before waiting for the program: its process id may be reused after that.
pub fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = rustix::process::Pid::from_child(child);
        _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    // A program may have left its group.
    _ = child.kill();
}
