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

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::Stdio;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpriority_process, waitid};

    use super::*;

    /// A program that does nothing until it is ended.
    fn sleeper() -> Child {
        let mut program = Command::new("sleep");
        program.arg("1000").stdin(Stdio::null());
        own(&mut program);
        program.spawn().expect("it starts")
    }

    /// Waits until a program stops or continues; it is not ended by that.
    fn wait_for(child: &Child, options: WaitIdOptions) {
        let status = waitid(WaitId::Pid(Pid::from_child(child)), options).expect("a child");
        assert!(!status.expect("a change").exited());
    }

    #[test]
    fn a_stopped_program_continues_and_ends_when_that_is_requested() {
        let mut child = sleeper();
        stop(&child);
        wait_for(&child, WaitIdOptions::STOPPED);
        resume(&child);
        wait_for(&child, WaitIdOptions::CONTINUED);
        stop(&child);
        wait_for(&child, WaitIdOptions::STOPPED);
        request_end(&child);
        assert_eq!(child.wait().expect("ended").signal(), Some(Signal::TERM.as_raw()));
    }

    #[test]
    fn a_nice_level_is_above_that_of_this_program() {
        let mut child = sleeper();
        let level = |process| getpriority_process(process).expect("a level");
        let own = level(None);
        raise_nice(&child, 3).expect("allowed");
        assert_eq!(level(Some(Pid::from_child(&child))), (own + 3).min(19));
        end(&mut child);
        child.wait().expect("ended");
    }
}
