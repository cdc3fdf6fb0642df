//! Measures kernels alone and in pairs, in random order, so that drift of the machine affects all of them alike.

use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crossover_harness::Cancel;
use crossover_harness::generator::Generator;

use super::kernels::{Kernel, Size};
use super::report::{PairMode, PairsReport, combinations};
use super::worker::{Order, Reply};
use super::worker_handle::{WorkerError, WorkerHandle};
use crate::failure::Failure;
use crate::gpu::adapter::{self, Description};
use crate::gpu::{Gpu, PATIENCE};
use crate::quantity;

/// Time limit for a worker to open the GPU, compile its kernel and check it.
const READY: Duration = Duration::from_mins(1);
/// Time limit for a reply: longer than the wait of a worker for the GPU.
const ANSWER: Duration = Duration::from_secs(PATIENCE.as_secs() + 5);
/// Warm-up of all workers: idle processors clock low.
const LEAD: Duration = Duration::from_millis(100);
/// Polling interval of the workers during a measurement.
const TICK: Duration = Duration::from_millis(20);

/// Measurements of a run.
#[derive(Debug)]
pub struct Plan {
    /// GPU, as for [`adapter::choose`].
    pub device: Option<String>,
    /// Kernels, none twice.
    pub kernels: Vec<&'static Kernel>,
    /// Time of each measurement; none: 2 s on a GPU, 0.5 s on a software adapter.
    pub seconds: Option<f64>,
    /// Repetitions of each.
    pub repeats: u32,
    /// Where pairs run.
    pub mode: PairMode,
}

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// All measurements.
    pub report: PairsReport,
    /// The failed measurement that ended the run early, if any.
    pub stopped: Option<Stopped>,
}

/// Why a run ended early.
#[derive(Debug)]
pub struct Stopped {
    /// The measurement: the kernel, or both.
    pub what: String,
    /// The kernel of the failed worker.
    pub kernel: &'static str,
    /// Why.
    pub why: WorkerError,
}

/// One measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    Alone(usize),
    Pair(usize, usize),
}

/// Measures. `worker` makes the command of a process that calls [`super::worker::serve`]; `on_measurement` is called with the number
/// of each measurement, their count and its name.
///
/// # Errors
/// There is no such GPU, it cannot be opened, or a kernel cannot be calibrated on it.
pub fn run(
    plan: &Plan,
    cancel: &Cancel,
    worker: impl Fn() -> Command,
    mut on_measurement: impl FnMut(usize, usize, &str),
) -> Result<Outcome, Failure> {
    let adapter = adapter::choose(adapter::list(), plan.device.as_deref())?;
    let seconds = plan.seconds.unwrap_or(if adapter.description.software { 0.5 } else { 2.0 });
    let sizes = {
        // Closed again before any measurement: only the measured workers may use the GPU.
        let gpu = Gpu::open(&adapter)?;
        plan.kernels.iter().map(|kernel| kernel.calibrated(&gpu, cancel)).collect::<Result<Vec<Size>, Failure>>()?
    };
    let description = adapter.description.clone();
    let mut report = PairsReport::new(&description, plan.mode, seconds, &plan.kernels);
    let shared = match plan.mode {
        PairMode::Processes => None,
        PairMode::Queues => Some(adapter),
    };
    let start = |kernel: usize| {
        let (kernel, size) = (plan.kernels[kernel], sizes[kernel]);
        let worker_handle = match &shared {
            None => WorkerHandle::process(worker(), kernel, size, plan.device.as_deref()),
            Some(adapter) => WorkerHandle::thread(adapter.clone(), kernel, size),
        };
        worker_handle.map_err(|why| Failed { kernel: kernel.key, why })
    };
    let items: Vec<Item> = (0..plan.repeats).flat_map(|repeat| schedule(plan.kernels.len(), repeat)).collect();
    let mut stopped = None;
    for (index, item) in items.iter().enumerate() {
        let kernels = match *item {
            Item::Alone(kernel) => vec![kernel],
            Item::Pair(first, second) => vec![first, second],
        };
        let what = kernels.iter().map(|kernel| plan.kernels[*kernel].key).collect::<Vec<&str>>().join(" + ");
        on_measurement(index + 1, items.len(), &what);
        let workers = kernels.into_iter().map(start).collect::<Result<Vec<WorkerHandle>, Failed>>();
        match workers.and_then(|workers| WorkerGroup { workers, cancel }.throughputs(&description, seconds)) {
            Ok(per_second) => note(&mut report, *item, &per_second),
            Err(Failed { kernel, why }) => {
                stopped = Some(Stopped { what, kernel, why });
                break;
            }
        }
    }
    report.drop_empty();
    Ok(Outcome { report, stopped })
}

/// All measurements of one repeat, shuffled, so that a GPU that slows down affects numerator and denominator alike. The order
/// is the same in every run.
fn schedule(kernels: usize, repeat: u32) -> Vec<Item> {
    let pairs = combinations(kernels).map(|(first, second)| Item::Pair(first, second));
    let generator = Generator::new(repeat);
    let mut items: Vec<(u32, Item)> =
        (0..kernels).map(Item::Alone).chain(pairs).zip(0..).map(|(item, place)| (generator.at(place), item)).collect();
    items.sort_by_key(|(word, _)| *word);
    items.into_iter().map(|(_, item)| item).collect()
}

/// Adds a measurement to a report of the same kernels.
fn note(report: &mut PairsReport, item: Item, per_second: &[f64]) {
    match (item, per_second) {
        (Item::Alone(kernel), [alone]) => report.kernels[kernel].alone_per_second.push(*alone),
        (Item::Pair(first, second), [of_first, of_second]) => {
            let place = combinations(report.kernels.len()).position(|pair| pair == (first, second));
            if let Some(pair) = place.and_then(|place| report.pairs.get_mut(place)) {
                pair.first_per_second.push(*of_first);
                pair.second_per_second.push(*of_second);
            }
        }
        _ => {}
    }
}

/// Workers that share the GPU. They end when this is dropped.
struct WorkerGroup<'run> {
    workers: Vec<WorkerHandle>,
    cancel: &'run Cancel,
}

/// A failed worker, and why.
struct Failed {
    kernel: &'static str,
    why: WorkerError,
}

impl WorkerGroup<'_> {
    /// Dispatches per second of each of them while all of them run.
    fn throughputs(mut self, description: &Description, seconds: f64) -> Result<Vec<f64>, Failed> {
        let same = (description.name.clone(), description.pci.clone());
        self.each(|worker_handle, cancel| match worker_handle.wait(READY, cancel)? {
            Reply::Ready { adapter } if adapter == same => Ok(()),
            Reply::Ready { adapter: (name, pci) } => {
                Err(WorkerError::Failed(format!("it opened another GPU, {name} {pci}; choose the GPU with --device")))
            }
            reply => Err(WorkerError::UnexpectedReply(reply)),
        })?;
        self.order(Order::Start);
        self.each(|worker_handle, cancel| match worker_handle.wait(ANSWER, cancel)? {
            Reply::Running => Ok(()),
            reply => Err(WorkerError::UnexpectedReply(reply)),
        })?;
        // All of them run until their workers are dropped, so every counted dispatch shares the GPU.
        self.rest(LEAD)?;
        self.order(Order::Count);
        self.rest(Duration::from_secs_f64(seconds))?;
        self.order(Order::Report);
        self.each(|worker_handle, cancel| match worker_handle.wait(ANSWER, cancel)? {
            Reply::Counted { completed: 0, .. } => {
                let time = quantity::seconds(seconds);
                Err(WorkerError::Failed(format!("no dispatch was completed within {time}; increase --seconds")))
            }
            Reply::Counted { completed, seconds } => Ok(completed as f64 / seconds),
            reply => Err(WorkerError::UnexpectedReply(reply)),
        })
    }

    fn each<T>(
        &mut self,
        mut act: impl FnMut(&mut WorkerHandle, &Cancel) -> Result<T, WorkerError>,
    ) -> Result<Vec<T>, Failed> {
        let act = |worker_handle: &mut WorkerHandle| {
            act(worker_handle, self.cancel).map_err(|why| Failed { kernel: worker_handle.kernel.key, why })
        };
        self.workers.iter_mut().map(act).collect()
    }

    fn order(&mut self, order: Order) {
        for worker_handle in &mut self.workers {
            worker_handle.order(order);
        }
    }

    /// Lets them run for a while.
    fn rest(&mut self, time: Duration) -> Result<(), Failed> {
        let end = Instant::now() + time;
        loop {
            self.each(WorkerHandle::check_running)?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(TICK));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_repeat_has_every_kernel_alone_and_every_pair_once_in_another_order() {
        let [first, second] = [0, 1].map(|repeat| schedule(4, repeat));
        assert_ne!(first, second);
        for items in [first, second] {
            assert_eq!(items.len(), 4 + 10);
            for kernel in 0..4 {
                assert_eq!(items.iter().filter(|item| **item == Item::Alone(kernel)).count(), 1);
                for other in kernel..4 {
                    assert_eq!(items.iter().filter(|item| **item == Item::Pair(kernel, other)).count(), 1);
                }
            }
            // Neither side comes first as a whole.
            let alone = |item: &Item| matches!(item, Item::Alone(_));
            assert!(!items[..4].iter().all(alone) && !items[10..].iter().all(alone), "{items:?}");
        }
        assert_eq!(schedule(4, 7), schedule(4, 7));
    }
}
