//! Programs that this one starts, ended together with all that they started.

use std::process::{Child, Command};

/// Lets a program start as the first of a group of its own, so that all it starts can be ended with it, and Ctrl-C in the
/// terminal reaches this program alone.
pub(crate) fn own(program: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(program, 0);
    #[cfg(not(unix))]
    let _ = program;
}

/// Ends a program and all that it started, as far as that stayed in its group; what has ended already is none the worse.
///
/// Before anybody waits for the program: its number may belong to another one after that.
pub(crate) fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = rustix::process::Pid::from_child(child);
        _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    // A program may have left its group.
    _ = child.kill();
}
