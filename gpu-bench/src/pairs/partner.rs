//! A worker as its starter sees it: a process or a thread that takes orders, answers within a limit, and is ended for certain.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::kernels::{Kernel, Size};
use super::worker::{self, Job, Order, Reply, Timed};
use crate::gpu::adapter::Adapter;
use crate::gpu::{Gpu, PATIENCE};
use crate::process_group;
use crate::timing::Cancel;

/// How often somebody who cancels is listened to.
const TICK: Duration = Duration::from_millis(20);
/// How long a process may take to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// How long a thread may take to end: longer than any wait for the GPU.
const THREAD_GRACE: Duration = Duration::from_secs(PATIENCE.as_secs() + 5);

/// Why a worker is of no more use.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Broken {
    /// The user ended the run.
    #[error("cancelled")]
    Cancelled,
    /// The system starts no process or thread.
    #[error("it cannot be started: {0}")]
    NotStarted(io::Error),
    /// It said why.
    #[error("{0}")]
    Failed(String),
    /// It is gone.
    #[error("its {0}")]
    Ended(String),
    /// It does not answer.
    #[error("it did not answer within {} s and was ended", .0.as_secs_f64())]
    Silent(Duration),
    /// It does not do as it was told.
    #[error("it answered {0:?} out of turn")]
    OutOfTurn(Reply),
}

/// A worker that was started.
#[derive(Debug)]
pub struct Partner {
    /// The kernel that it dispatches.
    pub kernel: &'static Kernel,
    /// None: it has had its last order.
    orders: Option<Orders>,
    replies: Receiver<Reply>,
    runs: Runs,
}

/// Where orders go.
#[derive(Debug)]
enum Orders {
    Lines(ChildStdin),
    Channel(Sender<Timed>),
}

/// What carries the orders out.
#[derive(Debug)]
enum Runs {
    Process(Child),
    Thread(Option<JoinHandle<()>>),
}

impl Partner {
    /// Starts a process by this command, which is to call [`worker::serve`].
    ///
    /// # Errors
    /// [`Broken::NotStarted`].
    pub fn process(
        mut command: Command,
        kernel: &'static Kernel,
        size: Size,
        device: Option<&str>,
    ) -> Result<Self, Broken> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        process_group::own(&mut command);
        let mut child = command.spawn().map_err(Broken::NotStarted)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (tell, replies) = mpsc::channel();
        // From here on the process ends with this value.
        let mut partner = Self { kernel, orders: input.map(Orders::Lines), replies, runs: Runs::Process(child) };
        let listen = move || {
            for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()).map_while(Result::ok) {
                // Some drivers write to standard output too.
                let Ok(reply) = serde_json::from_str(&line) else { continue };
                if tell.send(reply).is_err() {
                    break;
                }
            }
        };
        thread::Builder::new().name(format!("replies of {}", kernel.key)).spawn(listen).map_err(Broken::NotStarted)?;
        let job = Job { device: device.map(str::to_owned), kernel: kernel.key.to_owned(), size };
        partner.write(&job);
        Ok(partner)
    }

    /// Starts a thread with a device of its own.
    ///
    /// # Errors
    /// [`Broken::NotStarted`].
    pub fn thread(adapter: Adapter, kernel: &'static Kernel, size: Size) -> Result<Self, Broken> {
        let (give, orders) = mpsc::channel();
        let (tell, replies) = mpsc::channel();
        let run = move || {
            // Nobody listens any more once the run has failed.
            let reply = |reply| _ = tell.send(reply);
            let worked = Gpu::open(&adapter).and_then(|gpu| worker::work(&gpu, kernel, size, &orders, reply));
            if let Err(failure) = worked {
                reply(Reply::Failed(failure.to_string()));
            }
        };
        let thread = thread::Builder::new().name(kernel.key.to_owned()).spawn(run).map_err(Broken::NotStarted)?;
        Ok(Self { kernel, orders: Some(Orders::Channel(give)), replies, runs: Runs::Thread(Some(thread)) })
    }

    /// Gives an order. If the worker is gone, the next wait for its answer says so.
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
        // A process that has ended reads nothing; its replies end as well, and that is told of.
        _ = written.and_then(|()| writeln!(input)).and_then(|()| input.flush());
    }

    /// Waits for what the worker tells next.
    ///
    /// # Errors
    /// It told of a failure, it is gone, it is silent, or the user cancelled.
    pub fn wait(&mut self, limit: Duration, cancel: &Cancel) -> Result<Reply, Broken> {
        let end = Instant::now() + limit;
        loop {
            if cancel.asked() {
                return Err(Broken::Cancelled);
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.replies.recv_timeout(left.min(TICK)) {
                Ok(Reply::Failed(reason)) => return Err(Broken::Failed(reason)),
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Broken::Silent(limit)),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Whether the worker goes on without having told anything.
    ///
    /// # Errors
    /// As [`Self::wait`]; and it told something unasked.
    pub fn goes_on(&mut self, cancel: &Cancel) -> Result<(), Broken> {
        match self.wait(Duration::ZERO, cancel) {
            Err(Broken::Silent(_)) => Ok(()),
            Err(broken) => Err(broken),
            Ok(reply) => Err(Broken::OutOfTurn(reply)),
        }
    }

    /// How a worker whose replies have ended came to its end.
    fn ended(&mut self) -> Broken {
        match &mut self.runs {
            Runs::Thread(_) => Broken::Ended("thread broke down".to_owned()),
            Runs::Process(child) => Broken::Ended(match exit_status(child, GRACE) {
                None => "process says nothing more and was ended".to_owned(),
                Some(status) => match status.code() {
                    Some(code) => format!("process ended with exit code {code}"),
                    None => format!("process was ended from outside: {status}"),
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

impl Drop for Partner {
    /// Ends the worker: its last order is that there are no more. A process that does not end of that is killed; a thread
    /// cannot be, and ends with this process at the latest.
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
    fn script(text: &str) -> Partner {
        let mut command = Command::new("sh");
        command.args(["-c", text]);
        Partner::process(command, &KERNELS[0], size(), None).expect("sh starts")
    }

    #[test]
    fn a_worker_that_ends_is_told_of_with_its_exit_code_or_signal() {
        let cancel = Cancel::default();
        for (text, expected) in [
            ("exit 7", "its process ended with exit code 7"),
            ("kill -9 $$", "its process was ended from outside: signal: 9 (SIGKILL)"),
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
        let mut partner =
            script(&format!("sleep 1000 & echo $! $$ > '{0}.part'; mv '{0}.part' '{0}'; wait", file.display()));
        let broken = partner.wait(Duration::from_millis(50), &cancel).expect_err("no reply");
        assert_eq!(broken.to_string(), "it did not answer within 0.05 s and was ended");
        wait_until("the script to start", || file.exists());
        drop(partner);
        let text = std::fs::read_to_string(file).expect("written");
        for pid in text.split_whitespace() {
            let pid = rustix::process::Pid::from_raw(pid.parse().expect("a number")).expect("a process");
            // A zombie of nobody's goes as soon as its new parent waits for it.
            wait_until("the end of the script and of what it started", || {
                let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
                stat.contains(") Z ") || rustix::process::test_kill_process(pid).is_err()
            });
        }
    }

    #[test]
    fn orders_reach_a_worker_one_a_line_after_its_job() {
        let cancel = Cancel::default();
        let mut partner =
            script("read job; read order; echo '\"running\"'; echo \"{\\\"failed\\\":$order}\"; read more");
        partner.order(Order::Count);
        assert_eq!(partner.wait(deadline(), &cancel).expect("a reply"), Reply::Running);
        assert_eq!(partner.wait(deadline(), &cancel).expect_err("as told").to_string(), "count");
        cancel.ask();
        assert!(matches!(partner.wait(deadline(), &cancel), Err(Broken::Cancelled)));
    }

    #[test]
    fn a_worker_that_talks_unasked_does_not_go_on() {
        let cancel = Cancel::default();
        let mut quiet = script("read job; read order; read order");
        quiet.goes_on(&cancel).expect("quiet");
        let mut partner = script("echo '\"running\"'; read job; read order");
        let broken = wait_for("a word of the worker", || partner.goes_on(&cancel).err());
        assert_eq!(broken.to_string(), "it answered Running out of turn");
    }
}
