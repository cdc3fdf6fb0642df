//! Dispatches one kernel repeatedly, and counts the dispatches completed between two orders.
//!
//! Orders and replies use channels, or lines on standard input and output. A worker ends when its orders end.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, Write as _};
use std::sync::mpsc::{self, Receiver, RecvError, TryRecvError};
use std::time::{Duration, Instant};
use std::{process, thread};

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::kernels::{self, Kernel, Size};
use crate::failure::Failure;
use crate::gpu::{Gpu, PATIENCE, adapter};

/// Submissions that wait for the GPU at a time, so that it never waits for the CPU.
const IN_FLIGHT: usize = 2;

/// How long a process may go on after its orders have ended: longer than any wait for the GPU.
const GRACE: Duration = Duration::from_secs(PATIENCE.as_secs() + 5);

/// An order to a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Start to dispatch.
    Start,
    /// Start to count.
    Count,
    /// Report the dispatches completed since; dispatching continues.
    Report,
}

/// An order and the time of its arrival.
pub type Timed = (Order, Instant);

/// A reply of a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// The kernel is compiled, and its result was right.
    Ready {
        /// Name and PCI address of the adapter.
        adapter: (String, String),
    },
    /// The first dispatch is completed.
    Running,
    /// The dispatches completed between [`Order::Count`] and [`Order::Report`].
    Counted {
        /// Dispatches.
        completed: u64,
        /// Time between the orders.
        seconds: f64,
    },
    /// Why the worker ends.
    Failed(String),
}

/// What a process dispatches, the first line that it reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// GPU, as for [`adapter::choose`].
    pub device: Option<String>,
    /// Key of the kernel.
    pub kernel: String,
    /// The work of a dispatch.
    pub size: Size,
}

/// Dispatches until the orders end.
///
/// # Errors
/// What the GPU reports, or that the kernel's result is wrong.
pub fn work(
    gpu: &Gpu,
    kernel: &Kernel,
    size: Size,
    orders: &Receiver<Timed>,
    mut tell: impl FnMut(Reply),
) -> Result<(), Failure> {
    let program = kernel.checked(gpu, size)?;
    tell(Reply::Ready { adapter: (gpu.description.name.clone(), gpu.description.pci.clone()) });
    loop {
        match orders.recv() {
            Ok((Order::Start, _)) => break,
            Ok(_) => {}
            Err(RecvError) => return Ok(()),
        }
    }
    let mut submitted = VecDeque::new();
    let mut completed: Vec<Instant> = Vec::new();
    let mut begin = Instant::now();
    loop {
        while submitted.len() < IN_FLIGHT {
            submitted.push_back(gpu.launch(&program)?);
        }
        if let Some(first) = submitted.pop_front() {
            gpu.wait_until(first)?;
        }
        if completed.is_empty() {
            tell(Reply::Running);
        }
        completed.push(Instant::now());
        loop {
            match orders.try_recv() {
                Ok((Order::Count, at)) => begin = at,
                Ok((Order::Report, end)) => tell(counted(&completed, begin, end)),
                Ok((Order::Start, _)) => {}
                Err(TryRecvError::Empty) => break,
                // What is in flight uses buffers that go with this function.
                Err(TryRecvError::Disconnected) => return gpu.wait(),
            }
        }
    }
}

/// Dispatches that were completed after the beginning and not after the end. One that the beginning falls into counts in
/// full, one that the end falls into not at all, so that on average it is right.
fn counted(completed: &[Instant], begin: Instant, end: Instant) -> Reply {
    let within = completed.iter().filter(|at| begin < **at && **at <= end).count();
    Reply::Counted { completed: within as u64, seconds: end.duration_since(begin).as_secs_f64() }
}

/// Works for another process: its orders are lines on standard input, the first of them a [`Job`]; replies are lines of JSON on
/// standard output. Ends with standard input.
///
/// # Errors
/// Standard input does not begin with a job, or the replies cannot be written.
pub fn serve() -> Result<()> {
    let mut first = String::new();
    io::stdin().lock().read_line(&mut first).context("cannot read the job from standard input")?;
    let job: Job = serde_json::from_str(&first).context("not a job; only “gpu-bench pairs” starts a worker")?;
    let (give, orders) = mpsc::channel();
    let listen = move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            let at = Instant::now();
            let Ok(order) = serde_json::from_str(&line) else { break };
            if give.send((order, at)).is_err() {
                break;
            }
        }
        drop(give);
        // The parent has ended. A driver that hangs must not keep this process alive.
        thread::sleep(GRACE);
        process::exit(1);
    };
    thread::Builder::new().name("orders".to_owned()).spawn(listen).context("cannot start a thread for orders")?;
    let mut outcome = Ok(());
    let mut tell = |reply| {
        let written = write(&reply);
        outcome = std::mem::replace(&mut outcome, Ok(())).and(written);
    };
    if let Err(failure) = open_and_work(&job, &orders, &mut tell) {
        tell(Reply::Failed(failure.to_string()));
    }
    outcome.context("cannot write replies to standard output")
}

fn open_and_work(job: &Job, orders: &Receiver<Timed>, tell: impl FnMut(Reply)) -> Result<(), Failure> {
    let kernel =
        kernels::kernel(&job.kernel).ok_or_else(|| Failure::Unsupported(format!("unknown kernel “{}”", job.kernel)))?;
    let gpu = Gpu::open(&adapter::choose(adapter::list(), job.device.as_deref())?)?;
    work(&gpu, kernel, job.size, orders, tell)
}

#[expect(clippy::disallowed_methods, reason = "JSON for the program that reads it")]
fn write(reply: &Reply) -> io::Result<()> {
    let mut output = io::stdout().lock();
    serde_json::to_writer(&mut output, reply)?;
    writeln!(output)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_completed_between_the_orders_counts() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let completed: Vec<Instant> = [0, 10, 20, 30, 40, 50].map(at).to_vec();
        for (begin, end, expected) in [(10, 40, 3), (5, 45, 4), (50, 60, 0), (0, 0, 0)] {
            let reply = counted(&completed, at(begin), at(end));
            let Reply::Counted { completed, seconds } = reply else { panic!("{reply:?}") };
            assert_eq!(completed, expected, "from {begin} to {end} ms");
            assert!((seconds * 1e3 - (end - begin) as f64).abs() < 1e-6);
        }
    }

    #[test]
    fn orders_and_replies_are_lines_of_json() {
        let line = |reply: &Reply| serde_json::to_string(reply).expect("JSON");
        assert_eq!(line(&Reply::Running), r#""running""#);
        assert_eq!(line(&Reply::Failed("no".to_owned())), r#"{"failed":"no"}"#);
        let counted = Reply::Counted { completed: 3, seconds: 0.5 };
        assert_eq!(serde_json::from_str::<Reply>(&line(&counted)).expect("a reply"), counted);
        assert_eq!(serde_json::to_string(&Order::Count).expect("JSON"), r#""count""#);
    }
}
