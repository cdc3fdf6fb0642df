//! A thread that samples a source and keeps the latest samples.
//!
//! No other thread waits for it, so a driver that hangs blocks only this thread.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Device, Sample, Source, SourceError};

/// Shortest polling interval; shorter ones load the driver without benefit.
pub const SHORTEST_PERIOD: Duration = Duration::from_millis(100);
/// Longest polling interval; with a longer one a watch would look stopped.
pub const LONGEST_PERIOD: Duration = Duration::from_mins(1);
/// Shortest time between two wake-ups.
const WAKE_INTERVAL: Duration = Duration::from_millis(100);

/// Opens a source; called on the thread of the watch, as a driver may be slow.
pub type Open = Box<dyn FnOnce() -> Result<Box<dyn Source>, SourceError> + Send>;

/// Requests an update after this time, because samples have arrived; called on the thread of the watch.
pub type Wake = Box<dyn Fn(Duration) + Send>;

/// Why a watch ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndReason {
    /// The source failed.
    Failed(SourceError),
    /// Reading the source panicked, which is a defect.
    Defect,
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => error.fmt(f),
            Self::Defect => {
                f.write_str("Monitoring ended because of a defect in Crossover; see standard error for details")
            }
        }
    }
}

/// A thread that samples. Dropping this ends the thread, without waiting for it.
#[derive(Debug)]
pub struct Watch {
    inbox: Arc<Mutex<Inbox>>,
    devices: Vec<Device>,
    samples: VecDeque<Sample>,
    keep: usize,
    ended: Option<EndReason>,
    heard: Instant,
    /// Dropping it ends the thread.
    stop: Option<Sender<()>>,
}

/// Samples that the watch has not taken yet, at most as many as it keeps.
#[derive(Debug, Default)]
struct Inbox {
    devices: Option<Vec<Device>>,
    samples: VecDeque<Sample>,
    ended: Option<EndReason>,
}

impl Watch {
    /// Begins to watch: opens a source and samples it every `period`, which is limited to between
    /// [`SHORTEST_PERIOD`] and [`LONGEST_PERIOD`]. The last `keep` samples are kept, at least one. New samples call
    /// `wake`, at most ten times a second.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(open: Open, period: Duration, keep: usize, wake: Wake) -> io::Result<Self> {
        Self::with_period(open, period.clamp(SHORTEST_PERIOD, LONGEST_PERIOD), keep, wake)
    }

    /// Begins to watch with any period.
    fn with_period(open: Open, period: Duration, keep: usize, wake: Wake) -> io::Result<Self> {
        let keep = keep.max(1);
        let inbox = Arc::new(Mutex::new(Inbox::default()));
        let (stop, stopped) = channel();
        let sampler = Sampler { inbox: Arc::clone(&inbox), keep, wake, woken: None };
        thread::Builder::new().name("telemetry".into()).spawn(move || sampler.run(open, period, &stopped))?;
        Ok(Self {
            inbox,
            devices: Vec::new(),
            samples: VecDeque::new(),
            keep,
            ended: None,
            heard: Instant::now(),
            stop: Some(stop),
        })
    }

    /// Ends the thread without waiting for it; samples stay.
    pub fn stop(&mut self) {
        self.stop = None;
    }

    /// Takes what has arrived; true if anything has.
    pub fn update(&mut self) -> bool {
        let inbox = std::mem::take(&mut *lock(&self.inbox));
        let has_news = inbox.devices.is_some() || inbox.ended.is_some() || !inbox.samples.is_empty();
        if let Some(devices) = inbox.devices {
            self.devices = devices;
        }
        self.samples.extend(inbox.samples);
        let surplus = self.samples.len().saturating_sub(self.keep);
        self.samples.drain(..surplus);
        self.ended = self.ended.take().or(inbox.ended);
        if has_news {
            self.heard = Instant::now();
        }
        has_news
    }

    /// The GPUs; none before the source is open.
    #[must_use]
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// The samples that are kept, the oldest first.
    #[must_use]
    pub fn samples(&self) -> &VecDeque<Sample> {
        &self.samples
    }

    /// Why it ended; `None` while it runs.
    #[must_use]
    pub fn ended(&self) -> Option<&EndReason> {
        self.ended.as_ref()
    }

    /// Time since the last sample, for a message about a driver that hangs.
    #[must_use]
    pub fn silent_for(&self) -> Duration {
        self.heard.elapsed()
    }
}

/// The data under this lock is consistent even after a panic elsewhere.
fn lock(inbox: &Mutex<Inbox>) -> MutexGuard<'_, Inbox> {
    inbox.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of the thread.
struct Sampler {
    inbox: Arc<Mutex<Inbox>>,
    keep: usize,
    wake: Wake,
    /// Time of the last or next wake-up.
    woken: Option<Instant>,
}

impl Sampler {
    fn run(mut self, open: Open, period: Duration, stopped: &Receiver<()>) {
        // The source is dropped and the inbox is complete before anything here can panic.
        let end = catch_unwind(AssertUnwindSafe(|| self.sample(open, period, stopped)));
        let ended = match end {
            Ok(Ok(())) => return,
            Ok(Err(trouble)) => EndReason::Failed(trouble),
            Err(_) => EndReason::Defect,
        };
        lock(&self.inbox).ended = Some(ended);
        (self.wake)(Duration::ZERO);
    }

    /// Samples until the watch is dropped.
    fn sample(&mut self, open: Open, period: Duration, stopped: &Receiver<()>) -> Result<(), SourceError> {
        let mut source = open()?;
        lock(&self.inbox).devices = Some(source.devices().to_vec());
        let mut next = Instant::now();
        loop {
            let sample = source.sample()?;
            self.put(sample, Instant::now());
            // From the plan, not from now, so that the period does not grow by what sampling takes.
            next = (next + period).max(Instant::now());
            match stopped.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    fn put(&mut self, sample: Sample, now: Instant) {
        let mut inbox = lock(&self.inbox);
        if inbox.samples.len() == self.keep {
            inbox.samples.pop_front();
        }
        inbox.samples.push_back(sample);
        drop(inbox);
        if self.woken.is_some_and(|woken| woken > now) {
            // The scheduled update takes this sample too.
            return;
        }
        let wait = self.woken.map_or(Duration::ZERO, |woken| WAKE_INTERVAL.saturating_sub(now - woken));
        self.woken = Some(now + wait);
        (self.wake)(wait);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use crossover_needs::{deadline, wait_until, wait_until_ok};

    use super::super::scripted::{Scripted, Step, device, reading, vanished};
    use super::*;

    const SOON: Duration = Duration::from_millis(1);

    fn unheard() -> Wake {
        Box::new(|_| {})
    }

    fn start(script: Scripted) -> Watch {
        Watch::start(Box::new(|| Ok(Box::new(script))), SOON, 100, unheard()).unwrap()
    }

    /// Takes over what arrives until this is so.
    fn until(watch: &mut Watch, is_so: impl Fn(&Watch) -> bool) {
        wait_until_ok("news of the source", || {
            watch.update();
            if is_so(watch) { Ok(()) } else { Err(format!("{watch:?}")) }
        });
    }

    #[test]
    fn samples_arrive_in_order_and_the_end_says_why() {
        let sample = |(seconds, pcie, load)| Step::Sample(Sample { seconds, readings: vec![reading(0, pcie, load)] });
        let samples = [(0.0, 0.25, 0.5), (1.0, 0.5, 0.75), (2.0, 1.0, 0.5)].map(sample);
        let mut watch = start(Scripted::new(vec![device("A")], samples));
        until(&mut watch, |watch| watch.ended().is_some());
        assert_eq!(watch.devices(), [device("A")]);
        let read: Vec<_> = watch
            .samples()
            .iter()
            .map(|sample| (sample.seconds, sample.readings[0].pcie_occupancy().unwrap(), sample.readings[0].load()))
            .collect();
        assert_eq!(read, [(0.0, 0.25, Some(0.5)), (1.0, 0.5, Some(0.75)), (2.0, 1.0, Some(0.5))]);
        let ended = watch.ended().unwrap().to_string();
        assert!(ended.contains("ended"), "{ended}");
        assert!(!watch.update(), "nothing follows the end");
    }

    #[test]
    fn an_error_midway_ends_the_watch_with_its_message_and_keeps_the_samples() {
        let sample = |seconds| Step::Sample(Sample { seconds, readings: vec![reading(0, 0.5, 0.5), vanished(1)] });
        let trouble = SourceError::new("The driver was unloaded", "Load it again.");
        let steps = [sample(0.0), sample(1.0), Step::Fail(trouble.clone()), sample(2.0)];
        let mut watch = start(Scripted::new(vec![device("A"), device("B")], steps));
        until(&mut watch, |watch| watch.ended().is_some());
        assert_eq!(watch.ended(), Some(&EndReason::Failed(trouble)));
        assert_eq!(watch.ended().unwrap().to_string(), "The driver was unloaded. Load it again.");
        assert_eq!(watch.samples().len(), 2);
        let vanished = &watch.samples()[1].readings[1];
        assert_eq!((vanished.pcie_occupancy(), vanished.load()), (None, None));
        assert_eq!(vanished.missing.len(), 1);
    }

    #[test]
    fn a_source_that_cannot_be_opened_gives_advice() {
        let open: Open = Box::new(|| Err(SourceError::new("No driver", "Install it.")));
        let mut watch = Watch::start(open, SOON, 10, unheard()).unwrap();
        until(&mut watch, |watch| watch.ended().is_some());
        assert_eq!(watch.ended().unwrap().to_string(), "No driver. Install it.");
        assert!(watch.devices().is_empty());
    }

    struct Panicking;

    impl Source for Panicking {
        fn devices(&self) -> &[Device] {
            &[]
        }

        fn sample(&mut self) -> Result<Sample, SourceError> {
            panic!("on purpose")
        }
    }

    #[test]
    fn a_source_that_panics_ends_the_watch_and_nothing_else() {
        let open: Open = Box::new(|| Ok(Box::new(Panicking)));
        let mut watch = Watch::start(open, SOON, 100, unheard()).unwrap();
        until(&mut watch, |watch| watch.ended().is_some());
        assert_eq!(watch.ended(), Some(&EndReason::Defect));
    }

    /// Tells when it is dropped, and counts how often it is sampled.
    struct Telling {
        ended: Arc<AtomicBool>,
        sampled: Arc<AtomicUsize>,
    }

    impl Source for Telling {
        fn devices(&self) -> &[Device] {
            &[]
        }

        fn sample(&mut self) -> Result<Sample, SourceError> {
            let seconds = self.sampled.fetch_add(1, Ordering::SeqCst) as f64;
            Ok(Sample { seconds, readings: Vec::new() })
        }
    }

    impl Drop for Telling {
        fn drop(&mut self) {
            self.ended.store(true, Ordering::SeqCst);
        }
    }

    #[test]
    fn dropping_the_watch_ends_its_thread_however_long_the_period() {
        let (ended, sampled) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let telling = Telling { ended: Arc::clone(&ended), sampled: Arc::clone(&sampled) };
        let open: Open = Box::new(|| Ok(Box::new(telling)));
        let watch = Watch::with_period(open, 100 * deadline(), 10, unheard()).unwrap();
        wait_until("a sample", || sampled.load(Ordering::SeqCst) > 0);
        drop(watch);
        wait_until("the end of the thread", || ended.load(Ordering::SeqCst));
        assert_eq!(sampled.load(Ordering::SeqCst), 1, "it ended within its first period");
    }

    #[test]
    fn a_source_that_hangs_blocks_neither_updates_nor_the_end() {
        let steps = [Step::Sample(Sample { seconds: 0.0, readings: vec![reading(0, 0.5, 0.5)] }), Step::Hang];
        let mut watch = start(Scripted::new(vec![device("A")], steps));
        until(&mut watch, |watch| watch.samples().len() == 1);
        wait_until("the silence of the source", || watch.silent_for() > SHORTEST_PERIOD);
        // It hangs for ever: who waits for it never gets here.
        assert!(!watch.update());
        assert_eq!(watch.ended(), None);
        drop(watch);
    }

    #[test]
    fn wake_ups_come_ten_times_a_second_at_most_and_the_oldest_samples_are_dropped() {
        let delays = Arc::new(Mutex::new(Vec::new()));
        let (begin, recorded) = (Instant::now(), Arc::clone(&delays));
        let wake: Wake = Box::new(move |after| recorded.lock().unwrap().push(after));
        let mut sampler = Sampler { inbox: Arc::default(), keep: 3, wake, woken: None };
        for number in 0..250_u32 {
            let sample = Sample { seconds: f64::from(number), readings: Vec::new() };
            sampler.put(sample, begin + number * Duration::from_millis(1));
        }
        // With the first sample at once; with the second, at 1 ms, at 100 ms; with those at 100 ms and 200 ms each 100 ms
        // later.
        assert_eq!(*delays.lock().unwrap(), [0, 99, 100, 100].map(Duration::from_millis));
        let kept: Vec<f64> = lock(&sampler.inbox).samples.iter().map(|sample| sample.seconds).collect();
        assert_eq!(kept, [247.0, 248.0, 249.0]);
    }
}
