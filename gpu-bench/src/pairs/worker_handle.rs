//! Control of a worker: a process or thread that receives orders, replies within a time limit, and is always ended.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossover_files::process_group;
use crossover_harness::Cancel;
use thiserror::Error;

use super::kernels::{Kernel, Size};
use super::worker::{self, Job, Order, Reply, Timed};
use crate::gpu::adapter::Adapter;
use crate::gpu::{Gpu, PATIENCE};

/// Polling interval of the cancellation.
const TICK: Duration = Duration::from_millis(20);
/// Time in which a process must end before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// How long a thread may take to end: longer than any wait for the GPU.
const THREAD_GRACE: Duration = Duration::from_secs(PATIENCE.as_secs() + 5);

/// Why a worker failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The user ended the run.
    #[error("cancelled")]
    Cancelled,
    /// The process or thread cannot be started.
    #[error("cannot start it: {0}")]
    NotStarted(io::Error),
    /// It reported a failure.
    #[error("{0}")]
    Failed(String),
    /// It ended.
    #[error("its {0}")]
    Ended(String),
    /// It does not reply.
    #[error("it did not reply within {} s and was terminated", .0.as_secs_f64())]
    NoReply(Duration),
    /// Its reply does not match the order.
    #[error("unexpected reply {0:?}")]
    UnexpectedReply(Reply),
}

/// A worker that was started.
#[derive(Debug)]
pub struct WorkerHandle {
    /// The kernel that it dispatches.
    pub kernel: &'static Kernel,
    /// None after the last order.
    orders: Option<Orders>,
    replies: Receiver<Reply>,
    runs: Runs,
}

/// Channel of the orders.
#[derive(Debug)]
enum Orders {
    Lines(ChildStdin),
    Channel(Sender<Timed>),
}

/// The process or thread.
#[derive(Debug)]
enum Runs {
    Process(Child),
    Thread(Option<JoinHandle<()>>),
}

impl WorkerHandle {
    /// Starts a process by this command, which is to call [`worker::serve`].
    ///
    /// # Errors
    /// [`WorkerError::NotStarted`].
    pub fn process(
        mut command: Command,
        kernel: &'static Kernel,
        size: Size,
        device: Option<&str>,
    ) -> Result<Self, WorkerError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        process_group::own(&mut command);
        let mut child = command.spawn().map_err(WorkerError::NotStarted)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (tell, replies) = mpsc::channel();
        // From here on the process ends with this value.
        let mut worker_handle = Self { kernel, orders: input.map(Orders::Lines), replies, runs: Runs::Process(child) };
        let listen = move || {
            for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()).map_while(Result::ok) {
                // Some drivers write to standard output too.
                let Ok(reply) = serde_json::from_str(&line) else { continue };
                if tell.send(reply).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new()
            .name(format!("replies of {}", kernel.key))
            .spawn(listen)
            .map_err(WorkerError::NotStarted)?;
        let job = Job { device: device.map(str::to_owned), kernel: kernel.key.to_owned(), size };
        worker_handle.write(&job);
        Ok(worker_handle)
    }

    /// Starts a thread with a device of its own.
    ///
    /// # Errors
    /// [`WorkerError::NotStarted`].
    pub fn thread(adapter: Adapter, kernel: &'static Kernel, size: Size) -> Result<Self, WorkerError> {
        let (give, orders) = mpsc::channel();
        let (tell, replies) = mpsc::channel();
        let run = move || {
            // Nothing receives after the run has failed.
            let reply = |reply| _ = tell.send(reply);
            let worked = Gpu::open(&adapter).and_then(|gpu| worker::work(&gpu, kernel, size, &orders, reply));
            if let Err(failure) = worked {
                reply(Reply::Failed(failure.to_string()));
            }
        };
        let thread = thread::Builder::new().name(kernel.key.to_owned()).spawn(run).map_err(WorkerError::NotStarted)?;
        Ok(Self { kernel, orders: Some(Orders::Channel(give)), replies, runs: Runs::Thread(Some(thread)) })
    }

    /// Sends an order. If the worker has ended, the next wait returns the error.
    pub fn order(&mut self, order: Order) {
        match &self.orders {
            Some(Orders::Channel(give)) => _ = give.send((order, Instant::now())),
            Some(Orders::Lines(_)) => self.write(&order),
            None => {}
        }
    }

    fn write(&mut self, value: &impl serde::Serialize) {
        let Some(Orders::Lines(input)) = &mut self.orders else { return };
        let written = serde_json::to_writer(&mut *input, value).map_err(io::Error::from);
        // A process that has ended reads nothing; its replies end as well, which is reported.
        _ = written.and_then(|()| writeln!(input)).and_then(|()| input.flush());
    }

    /// Waits for the next reply.
    ///
    /// # Errors
    /// The worker failed, ended or did not reply, or the user cancelled.
    pub fn wait(&mut self, limit: Duration, cancel: &Cancel) -> Result<Reply, WorkerError> {
        let end = Instant::now() + limit;
        loop {
            if cancel.is_requested() {
                return Err(WorkerError::Cancelled);
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.replies.recv_timeout(left.min(TICK)) {
                Ok(Reply::Failed(reason)) => return Err(WorkerError::Failed(reason)),
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(WorkerError::NoReply(limit)),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Checks that the worker is running and has sent no reply.
    ///
    /// # Errors
    /// As [`Self::wait`], or an unexpected reply.
    pub fn check_running(&mut self, cancel: &Cancel) -> Result<(), WorkerError> {
        match self.wait(Duration::ZERO, cancel) {
            Err(WorkerError::NoReply(_)) => Ok(()),
            Err(broken) => Err(broken),
            Ok(reply) => Err(WorkerError::UnexpectedReply(reply)),
        }
    }

    /// The error for a worker whose replies have ended.
    fn ended(&mut self) -> WorkerError {
        match &mut self.runs {
            Runs::Thread(_) => WorkerError::Ended("thread panicked".to_owned()),
            Runs::Process(child) => WorkerError::Ended(match exit_status(child, GRACE) {
                None => "process stopped replying and was terminated".to_owned(),
                Some(status) => match status.code() {
                    Some(code) => format!("process ended with exit code {code}"),
                    None => format!("process was killed: {status}"),
                },
            }),
        }
    }
}

/// The exit status, if the process ends in time.
fn exit_status(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let end = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(2)),
            Ok(None) | Err(_) => return None,
        }
    }
}

impl Drop for WorkerHandle {
    /// Ends the worker by closing its orders. A process that does not end is killed; a thread cannot be killed, and ends
    /// with this process at the latest.
    fn drop(&mut self) {
        self.orders = None;
        match &mut self.runs {
            Runs::Process(child) => {
                if exit_status(child, GRACE).is_none() {
                    process_group::end(child);
                    _ = child.wait();
                }
            }
            Runs::Thread(thread) => {
                let end = Instant::now() + THREAD_GRACE;
                let left = || end.saturating_duration_since(Instant::now());
                while self.replies.recv_timeout(left()).is_ok() {}
                // A thread that still hangs is left behind.
                if let Some(thread) = thread.take().filter(JoinHandle::is_finished) {
                    _ = thread.join();
                }
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use crossover_needs::{deadline, wait_for, wait_until};

    use super::super::kernels::KERNELS;
    use super::*;

    fn size() -> Size {
        serde_json::from_str(r#"{"size": 1, "repetitions": 1}"#).expect("a size")
    }

    /// A worker that is a script.
    fn script(text: &str) -> WorkerHandle {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        WorkerHandle::process(command, &KERNELS[0], size(), None).expect("sh starts")
    }

    #[test]
    fn a_worker_that_ends_is_told_of_with_its_exit_code_or_signal() {
        let cancel = Cancel::default();
        for (text, expected) in [
            ("exit 7", "its process ended with exit code 7"),
            ("kill -9 $$", "its process was killed: signal: 9 (SIGKILL)"),
            ("echo 'a driver chats'; echo '{\"failed\":\"no memory\"}'; read line; exit 1", "no memory"),
        ] {
            let broken = script(text).wait(deadline(), &cancel).expect_err("no reply");
            assert_eq!(broken.to_string(), expected, "{text}");
        }
    }

    #[test]
    fn a_worker_that_hangs_is_ended_with_all_that_it_started() {
        let cancel = Cancel::default();
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("pids");
        let mut worker_handle =
            script(&format!("sleep 1000 & echo $! $$ > '{0}.part'; mv '{0}.part' '{0}'; wait", file.display()));
        let broken = worker_handle.wait(Duration::from_millis(50), &cancel).expect_err("no reply");
        assert_eq!(broken.to_string(), "it did not reply within 0.05 s and was terminated");
        wait_until("the script to start", || file.exists());
        drop(worker_handle);
        let text = std::fs::read_to_string(file).expect("written");
        for pid in text.split_whitespace() {
            let pid = rustix::process::Pid::from_raw(pid.parse().expect("a number")).expect("a process");
            // A zombie disappears when its new parent waits for it.
            wait_until("the end of the script and of what it started", || {
                let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
                stat.contains(") Z ") || rustix::process::test_kill_process(pid).is_err()
            });
        }
    }

    #[test]
    fn orders_reach_a_worker_one_a_line_after_its_job() {
        let cancel = Cancel::default();
        let mut worker_handle =
            script("read job; read order; echo '\"running\"'; echo \"{\\\"failed\\\":$order}\"; read more");
        worker_handle.order(Order::Count);
        assert_eq!(worker_handle.wait(deadline(), &cancel).expect("a reply"), Reply::Running);
        assert_eq!(worker_handle.wait(deadline(), &cancel).expect_err("as told").to_string(), "count");
        cancel.request();
        assert!(matches!(worker_handle.wait(deadline(), &cancel), Err(WorkerError::Cancelled)));
    }

    #[test]
    fn a_worker_that_talks_unasked_does_not_go_on() {
        let cancel = Cancel::default();
        let mut quiet = script("read job; read order; read order");
        quiet.check_running(&cancel).expect("quiet");
        let mut worker_handle = script("echo '\"running\"'; read job; read order");
        let broken = wait_for("a word of the worker", || worker_handle.check_running(&cancel).err());
        assert_eq!(broken.to_string(), "unexpected reply Running");
    }
}
