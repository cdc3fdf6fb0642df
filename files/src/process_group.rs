//! Process groups: child programs that are ended, stopped and continued with all their own children.

use std::process::{Child, Command};

/// Starts a program in its own process group, so that its children can be ended with it, and Ctrl-C in the terminal
/// reaches only this program.
pub fn own(program: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(program, 0);
    #[cfg(not(unix))]
    let _ = program;
}

/// Requests that a program and its children in the same group end, by SIGTERM, also if they are stopped; they may ignore it.
#[cfg(unix)]
pub fn request_end(child: &Child) {
    signal(child, rustix::process::Signal::TERM);
    // A stopped program receives a signal only after it continues.
    signal(child, rustix::process::Signal::CONT);
}

/// Stops a program and its children in the same group, until [`resume`].
#[cfg(unix)]
pub fn stop(child: &Child) {
    signal(child, rustix::process::Signal::STOP);
}

/// Continues a program and its children after [`stop`].
#[cfg(unix)]
pub fn resume(child: &Child) {
    signal(child, rustix::process::Signal::CONT);
}

/// Sends a signal to a group. A group that has ended is ignored.
#[cfg(unix)]
fn signal(child: &Child, signal: rustix::process::Signal) {
    _ = rustix::process::kill_process_group(rustix::process::Pid::from_child(child), signal);
}

/// Gives a program and its children in the same group a nice level that is so many levels above that of this program; those that
/// they start later inherit it.
///
/// # Errors
/// The system has no such level for the user, or the program has ended.
#[cfg(unix)]
pub fn raise_nice(child: &Child, levels: i32) -> std::io::Result<()> {
    let own = rustix::process::getpriority_process(None)?;
    let group = rustix::process::Pid::from_child(child);
    Ok(rustix::process::setpriority_pgrp(Some(group), own + levels)?)
}

/// Ends a program and its children in the same group; ended ones are ignored.
///
/// Call it before waiting for the program: its process id may be reused after that.
pub fn end(child: &mut Child) {
    #[cfg(unix)]
    signal(child, rustix::process::Signal::KILL);
    // A program may have left its group.
    _ = child.kill();
}
