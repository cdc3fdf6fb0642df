//! Runs of two programs: started, watched, stopped and continued in turn, and ended with all their child processes.

use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crossover_files::process_group;
use crossover_harness::Cancel;
use crossover_measured::sharing::Side;
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::actuator::Actuator;
use super::error::ShareError;

/// Polling interval of the cancellation.
const TICK: Duration = Duration::from_millis(50);
/// How long a program may take to end after SIGTERM; then it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// Two programs of which each runs or does not. All end when this is dropped.
pub(super) struct Stage<'run> {
    lines: &'run [Vec<String>; 2],
    limit: Duration,
    cancel: &'run Cancel,
    running: [Option<Running>; 2],
    /// Duration of a turn of the setting that was used last.
    slice: Option<Duration>,
    turn: Option<Turn>,
    runs: u64,
    tell: Sender<Ended>,
    ended: Receiver<Ended>,
}

/// A program that runs.
struct Running {
    child: Child,
    run: u64,
    began: Instant,
    is_stopped: bool,
}

/// The program that runs while the other one is stopped.
#[derive(Clone, Copy)]
struct Turn {
    side: Side,
    until: Instant,
}

/// The end of a run.
struct Ended {
    side: Side,
    run: u64,
    at: Instant,
}

impl<'run> Stage<'run> {
    /// With two programs that do not run yet, by their command lines. No run may be longer than the limit.
    pub(super) fn new(lines: &'run [Vec<String>; 2], limit: Duration, cancel: &'run Cancel) -> Self {
        let (tell, ended) = mpsc::channel();
        Self { lines, limit, cancel, running: [None, None], slice: None, turn: None, runs: 0, tell, ended }
    }

    /// Whether a program runs.
    pub(super) fn is_running(&self, side: Side) -> bool {
        self.running[side.index()].is_some()
    }

    /// Starts a program that does not run.
    pub(super) fn start(&mut self, side: Side, actuator: &dyn Actuator) -> Result<(), ShareError> {
        let [program, arguments @ ..] = &self.lines[side.index()][..] else { return Err(ShareError::NoProgram) };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.envs(actuator.environment(side));
        process_group::own(&mut command);
        let began = Instant::now();
        let child = command.spawn().map_err(|why| ShareError::Start { program: program.clone(), why })?;
        self.runs += 1;
        self.slice = actuator.slice();
        let (run, process, tell) = (self.runs, Pid::from_child(&child), self.tell.clone());
        let running = self.running[side.index()].insert(Running { child, run, began, is_stopped: false });
        let watch = move || {
            // It stays a zombie, so that its number is not given to another process before its group is ended.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            if retry_on_intr(|| waitid(WaitId::Pid(process), options)).is_ok() {
                // Nothing receives after a failure.
                _ = tell.send(Ended { side, run, at: Instant::now() });
            }
        };
        let watched = thread::Builder::new().name("end of a program".to_owned()).spawn(watch);
        watched.map_err(|why| ShareError::Watch { program: program.clone(), why })?;
        match actuator.act(side, &running.child) {
            // It has ended already.
            Err((_, why)) if why.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => Ok(()),
            acted => acted.map_err(|(what, why)| ShareError::Control { what, program: program.clone(), why }),
        }
    }

    /// Waits until a program ends, and lets both run in turn meanwhile if their setting has turns. Returns the wall time of its run.
    pub(super) fn next_end(&mut self) -> Result<(Side, f64), ShareError> {
        loop {
            if self.cancel.is_requested() {
                return Err(ShareError::Cancelled);
            }
            self.take_turns();
            let wait = self.until_next_check()?;
            // The sender is here too, so that only time can pass.
            if let Ok(ended) = self.ended.recv_timeout(wait)
                && let Some(seconds) = self.take(&ended)?
            {
                return Ok((ended.side, seconds));
            }
        }
    }

    /// Time until a turn or the limit of a run may be over.
    fn until_next_check(&self) -> Result<Duration, ShareError> {
        let now = Instant::now();
        let mut wait = self.turn.map_or(TICK, |turn| turn.until.saturating_duration_since(now).min(TICK));
        for side in Side::BOTH {
            let Some(running) = &self.running[side.index()] else { continue };
            let left = self.limit.saturating_sub(now.duration_since(running.began));
            if left.is_zero() {
                return Err(ShareError::Limit { program: self.program(side), seconds: self.limit.as_secs_f64() });
            }
            wait = wait.min(left);
        }
        Ok(wait)
    }

    /// The wall time of a run that has ended; none of an earlier one that was ended here.
    fn take(&mut self, ended: &Ended) -> Result<Option<f64>, ShareError> {
        let running = self.running[ended.side.index()].take_if(|running| running.run == ended.run);
        let Some(mut running) = running else { return Ok(None) };
        // What it left behind would slow down the next run.
        process_group::end(&mut running.child);
        let program = self.program(ended.side);
        match running.child.wait() {
            Err(why) => Err(ShareError::Watch { program, why }),
            Ok(status) if !status.success() => Err(ShareError::Failed { program, status }),
            Ok(_) => Ok(Some(ended.at.duration_since(running.began).as_secs_f64())),
        }
    }

    /// Stops one program and continues the other if a turn is over. A program with nothing beside it always runs.
    fn take_turns(&mut self) {
        let is_shared = self.running.iter().all(Option::is_some);
        let Some(slice) = self.slice.filter(|_| is_shared) else {
            for running in self.running.iter_mut().flatten() {
                running.set_stopped(false);
            }
            self.turn = None;
            return;
        };
        let now = Instant::now();
        let turn = match self.turn {
            Some(turn) if now < turn.until => turn,
            Some(turn) => Turn { side: turn.side.other(), until: now + slice },
            None => Turn { side: Side::First, until: now + slice },
        };
        self.turn = Some(turn);
        // One stops before the other continues.
        for side in [turn.side.other(), turn.side] {
            if let Some(running) = &mut self.running[side.index()] {
                running.set_stopped(side != turn.side);
            }
        }
    }

    fn program(&self, side: Side) -> String {
        self.lines[side.index()].first().cloned().unwrap_or_default()
    }
}

impl Running {
    fn set_stopped(&mut self, is_stopped: bool) {
        if is_stopped != self.is_stopped {
            self.is_stopped = is_stopped;
            let act = if is_stopped { process_group::stop } else { process_group::resume };
            act(&self.child);
        }
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        let mut running: Vec<Running> = self.running.iter_mut().filter_map(Option::take).collect();
        for one in &running {
            process_group::request_end(&one.child);
        }
        let until = Instant::now() + GRACE;
        let mut left: Vec<u64> = running.iter().map(|one| one.run).collect();
        while !left.is_empty() {
            match self.ended.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(ended) => left.retain(|run| *run != ended.run),
                Err(_) => break,
            }
        }
        for one in &mut running {
            process_group::end(&mut one.child);
            // It was killed; nothing can be done about one that the system does not end.
            _ = one.child.wait();
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use crossover_needs::{deadline, wait_until};

    use super::*;
    use crate::actuator::{TimeSlices, Uncontrolled};

    fn shell(script: &str) -> Vec<String> {
        ["sh", "-c", script].map(str::to_owned).to_vec()
    }

    /// State of a process; none if there is none, or only its exit status is left.
    fn state(process: u32) -> Option<char> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let state = stat.rsplit_once(") ")?.1.chars().next()?;
        Some(state).filter(|state| *state != 'Z')
    }

    #[test]
    fn in_time_slices_one_program_is_stopped_while_the_other_runs_and_both_end() {
        let lines = [shell("while :; do :; done"), shell("while :; do :; done")];
        let cancel = Cancel::default();
        let mut stage = Stage::new(&lines, deadline() * 2, &cancel);
        let slices = TimeSlices(Duration::from_millis(20));
        let [first, second] = Side::BOTH.map(|side| {
            stage.start(side, &slices).expect("started");
            stage.running[side.index()].as_ref().expect("it runs").child.id()
        });
        thread::scope(|scope| {
            scope.spawn(|| {
                for (stopped, name) in [(first, "first"), (second, "second"), (first, "first")] {
                    wait_until(&format!("the {name} program to be stopped"), || state(stopped) == Some('T'));
                }
                cancel.request();
            });
            assert!(matches!(stage.next_end(), Err(ShareError::Cancelled)));
        });
        drop(stage);
        assert_eq!([first, second].map(state), [None, None]);
    }

    #[test]
    fn a_program_with_nothing_beside_it_has_every_turn() {
        // A turn is longer than the test: the second program ends only if it need not wait for its turn.
        let lines = [shell("exit 0"), shell("exit 0")];
        let cancel = Cancel::default();
        let mut stage = Stage::new(&lines, deadline(), &cancel);
        let slices = TimeSlices(deadline() * 2);
        for side in Side::BOTH {
            stage.start(side, &slices).expect("started");
        }
        let mut ended = [0, 1].map(|_| stage.next_end().expect("an end").0.index());
        ended.sort_unstable();
        assert_eq!(ended, [0, 1]);
        assert!(Side::BOTH.into_iter().all(|side| !stage.is_running(side)));
    }

    #[test]
    fn what_a_program_leaves_behind_ends_with_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("left");
        let lines = [shell(&format!("sleep 1000 & echo $! > '{}'", file.display())), shell("exit 0")];
        let cancel = Cancel::default();
        let mut stage = Stage::new(&lines, deadline(), &cancel);
        stage.start(Side::First, &Uncontrolled).expect("started");
        let (side, seconds) = stage.next_end().expect("an end");
        assert!(side == Side::First && seconds > 0.0, "{seconds}");
        let left = fs::read_to_string(file).expect("written").trim().parse().expect("a process id");
        wait_until("what it left to end", || state(left).is_none());
    }
}
