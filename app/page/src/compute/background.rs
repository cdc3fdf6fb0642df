//! Computations that would delay a frame: one thread for each kind, which computes the newest input, cancels older ones
//! and wakes the window with the result. Limit for computations within a frame: [`IN_FRAME_MS`](super::computed::IN_FRAME_MS).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use egui::{Context, ProgressBar, Ui};

use crate::compute::guarded::guarded;

/// How often progress is drawn.
const FRAME: Duration = Duration::from_millis(100);
/// Minimum time before progress is shown: a shorter one would only flash.
pub(crate) const PATIENCE: Duration = Duration::from_millis(150);

/// The cancellation flag and the progress of a computation.
#[derive(Debug, Clone, Default)]
pub struct Ticket {
    cancelled: Arc<AtomicBool>,
    /// Bits of an `f32`.
    progress: Arc<AtomicU32>,
}

impl Ticket {
    /// Whether the result is no longer needed; a computation checks it often enough to end within milliseconds.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Reports the progress, 0 … 1.
    pub fn set_progress(&self, share: f32) {
        self.progress.store(share.clamp(0.0, 1.0).to_bits(), Ordering::Relaxed);
    }

    fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    fn progress(&self) -> f32 {
        f32::from_bits(self.progress.load(Ordering::Relaxed))
    }
}

type Compute<I, O> = dyn Fn(I, &Ticket) -> Option<O> + Send + Sync;

/// A computation on a thread of its own. The newest input counts; results of older ones never arrive.
pub struct Background<I, O> {
    name: &'static str,
    /// Gives nothing if it was cancelled.
    compute: Arc<Compute<I, O>>,
    /// To the thread, which is started with the first input and ends when this is dropped.
    inputs: Option<Sender<Task<I>>>,
    outbox: Sender<Done<O>>,
    results: Receiver<Done<O>>,
    generation: u64,
    /// The ticket of the newest input.
    running: Option<Ticket>,
    /// When the newest input, or the first of its parts, was submitted.
    since: Instant,
}

/// An input on its way to the thread.
struct Task<I> {
    generation: u64,
    input: I,
    ticket: Ticket,
    ctx: Context,
}

/// The result of an input; none if it was cancelled.
struct Done<O> {
    generation: u64,
    result: Result<Option<O>, String>,
}

impl<I: Send + 'static, O: Send + 'static> Background<I, O> {
    /// A computation without an input yet; `name` appears in profiles and errors.
    #[must_use]
    pub fn new(name: &'static str, compute: impl Fn(I, &Ticket) -> Option<O> + Send + Sync + 'static) -> Self {
        let (outbox, results) = channel();
        let (compute, since) = (Arc::new(compute), Instant::now());
        Self { name, compute, inputs: None, outbox, results, generation: 0, running: None, since }
    }

    /// Computes this input instead of the one before; returns its generation, which identifies its result. The window is
    /// woken by the result.
    pub fn submit(&mut self, ctx: &Context, input: I) -> u64 {
        self.since = Instant::now();
        self.go_on(ctx, input)
    }

    /// Computes the next part of an input: as [`Background::submit`], but its elapsed time continues, so that the cancel
    /// button stays visible.
    pub fn go_on(&mut self, ctx: &Context, input: I) -> u64 {
        self.cancel();
        self.generation += 1;
        let ticket = Ticket::default();
        self.running = Some(ticket.clone());
        let task = Task { generation: self.generation, input, ticket, ctx: ctx.clone() };
        if let Err(problem) = self.hand_over(task) {
            // The receiver is in `self`, so sending cannot fail.
            drop(self.outbox.send(Done { generation: self.generation, result: Err(problem) }));
            ctx.request_repaint();
        }
        self.generation
    }

    /// The result of the newest input, once, with its generation; an error if the computation panicked.
    pub fn poll(&mut self) -> Option<(u64, Result<O, String>)> {
        while let Ok(done) = self.results.try_recv() {
            if self.running.is_some() && done.generation == self.generation {
                self.running = None;
                return done.result.transpose().map(|result| (done.generation, result));
            }
        }
        None
    }

    /// Cancels the computation; its result never arrives.
    pub fn cancel(&mut self) {
        if let Some(ticket) = self.running.take() {
            ticket.cancel();
        }
    }

    /// Whether a computation is running.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// Its progress, 0 … 1; 0 if nothing is computed.
    #[must_use]
    pub fn progress(&self) -> f32 {
        self.running.as_ref().map_or(0.0, Ticket::progress)
    }

    /// The time since it started; 0 if nothing is computed.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        if self.is_busy() { self.since.elapsed() } else { Duration::ZERO }
    }

    /// Draws progress, elapsed time and a cancel button during a long computation; true if it was cancelled. `what` names it: "stability map".
    pub fn show_progress(&mut self, ui: &mut Ui, what: &str) -> bool {
        if !self.is_busy() {
            return false;
        }
        ui.ctx().request_repaint_after(FRAME);
        if self.elapsed() < PATIENCE {
            return false;
        }
        let text = format!("{:.0} %  {:.1} s", 100.0 * self.progress(), self.elapsed().as_secs_f32());
        let bar = ui.add(ProgressBar::new(self.progress()).desired_width(180.0).text(text.clone()));
        bar.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ProgressIndicator, true, format!("{what}: {text}")));
        let button = ui.button("Cancel");
        button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Cancel {what}")));
        let is_cancelled = button.clicked();
        if is_cancelled {
            self.cancel();
        }
        is_cancelled
    }

    fn hand_over(&mut self, task: Task<I>) -> Result<(), String> {
        if self.inputs.is_none() {
            self.inputs = Some(self.start()?);
        }
        let sent = self.inputs.as_ref().map(|inputs| inputs.send(task));
        if matches!(sent, Some(Err(_))) {
            self.inputs = None;
            return Err(format!("{}: the computing thread has ended; try again", self.name));
        }
        Ok(())
    }

    fn start(&self) -> Result<Sender<Task<I>>, String> {
        let (inputs, inbox) = channel::<Task<I>>();
        let (name, compute, outbox) = (self.name, Arc::clone(&self.compute), self.outbox.clone());
        let work = move || {
            while let Ok(first) = inbox.recv() {
                let Task { generation, input, ticket, ctx } = inbox.try_iter().last().unwrap_or(first);
                if ticket.is_cancelled() {
                    continue;
                }
                let result = guarded(name, || compute(input, &ticket));
                // The page may have closed in the meantime; then the result is not needed.
                drop(outbox.send(Done { generation, result }));
                ctx.request_repaint();
            }
        };
        let started = std::thread::Builder::new().name(name.to_owned()).spawn(work);
        started.map(|_| inputs).map_err(|error| format!("{name}: cannot start a thread: {error}"))
    }
}

impl<I, O> Drop for Background<I, O> {
    fn drop(&mut self) {
        // Not joined: the thread sees the cancellation, and then the closed channel.
        if let Some(ticket) = &self.running {
            ticket.cancel();
        }
    }
}

impl<I, O> std::fmt::Debug for Background<I, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Background")
            .field("name", &self.name)
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crossover_needs::{deadline, wait_for, wait_until};

    use super::*;

    fn result(background: &mut Background<u32, u32>) -> (u64, Result<u32, String>) {
        wait_for("a result", || background.poll())
    }

    /// Computes until it is cancelled if the input is 0, else gives the input back.
    fn endless_for_zero() -> Background<u32, u32> {
        Background::new("test", |input, ticket: &Ticket| {
            ticket.set_progress(0.5);
            while input == 0 && !ticket.is_cancelled() {
                std::thread::yield_now();
            }
            (!ticket.is_cancelled()).then_some(input)
        })
    }

    #[test]
    fn the_result_comes_once_and_with_its_generation() {
        let mut background = endless_for_zero();
        let generation = background.submit(&Context::default(), 7);
        assert!(background.is_busy());
        assert_eq!(result(&mut background), (generation, Ok(7)));
        assert!(!background.is_busy() && background.poll().is_none());
    }

    #[test]
    fn a_newer_input_cancels_the_older_one_whose_result_never_arrives() {
        let ctx = Context::default();
        let mut background = endless_for_zero();
        let first = background.submit(&ctx, 0);
        wait_until("progress", || background.progress() > 0.0);
        for input in 1..=50 {
            background.submit(&ctx, input);
        }
        assert_eq!(result(&mut background), (first + 50, Ok(50)));
        assert!(background.poll().is_none());
    }

    #[test]
    fn cancelling_ends_the_computation_and_the_next_input_is_computed() {
        let ctx = Context::default();
        let mut background = endless_for_zero();
        background.submit(&ctx, 0);
        wait_until("progress", || background.progress() > 0.0);
        assert!(background.elapsed() > Duration::ZERO);
        background.cancel();
        assert!(!background.is_busy());
        // There is one thread, and only cancelling frees it.
        background.submit(&ctx, 3);
        assert_eq!(result(&mut background).1, Ok(3));
    }

    #[test]
    fn the_time_goes_on_over_the_parts_of_a_computation_and_not_over_a_new_one() {
        let ctx = Context::default();
        let mut background = endless_for_zero();
        background.submit(&ctx, 1);
        let since = background.since;
        assert_eq!(result(&mut background).1, Ok(1));
        assert_eq!(background.elapsed(), Duration::ZERO);
        wait_until("the clock to go on", || Instant::now() > since);
        background.go_on(&ctx, 0);
        assert_eq!(background.since, since);
        assert!(background.elapsed() > Duration::ZERO);
        background.submit(&ctx, 0);
        assert!(background.since > since);
    }

    #[test]
    fn a_panic_is_reported_and_the_next_input_is_computed() {
        let ctx = Context::default();
        let mut background = Background::new("stability map", |input: u32, _: &Ticket| {
            assert!(input != 13, "on purpose");
            Some(input)
        });
        background.submit(&ctx, 13);
        let problem = result(&mut background).1.unwrap_err();
        assert!(problem.starts_with("stability map: stopped by a defect"), "{problem}");
        assert!(!background.is_busy());
        background.submit(&ctx, 14);
        assert_eq!(result(&mut background).1, Ok(14));
    }

    #[test]
    fn its_thread_ends_when_it_is_dropped_in_the_middle_of_a_computation() {
        let mut background = endless_for_zero();
        background.submit(&Context::default(), 0);
        wait_until("progress", || background.progress() > 0.0);
        // The thread holds the other one.
        let compute = Arc::downgrade(&background.compute);
        drop(background);
        wait_until("the thread's end", || compute.strong_count() == 0);
    }

    #[test]
    fn the_window_is_woken_when_the_result_is_there() {
        let ctx = Context::default();
        let (sender, woken) = channel();
        ctx.set_request_repaint_callback(move |_| sender.send(()).unwrap_or_default());
        let mut background = endless_for_zero();
        background.submit(&ctx, 1);
        assert!(woken.recv_timeout(deadline()).is_ok());
        assert_eq!(result(&mut background).1, Ok(1));
    }
}
