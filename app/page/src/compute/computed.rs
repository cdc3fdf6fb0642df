//! The newest finished outcome of an input. A small computation runs within the frame, so that dragging stays immediate;
//! every other one on another thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::{Context, Ui};

use super::background::{Background, PATIENCE, Ticket};
use crossover_chart::theme::Token;

/// Estimates up to this are computed within a frame, in milliseconds. A frame may take 4 ms; machines differ.
pub const IN_FRAME_MS: f64 = 3.0;
/// Time for which a computation continues after a newer input: else nothing would be shown while a number is dragged.
const GRACE: Duration = Duration::from_millis(150);

/// An input from which something is computed.
pub trait Work: Clone + Send + 'static {
    /// What is computed.
    type Outcome: Send + Sync + 'static;
    /// Name in threads, errors and on the cancel button: "simulation".
    const NAME: &'static str;
    /// Text of the button that restarts a cancelled computation: "Simulate".
    const AGAIN: &'static str;

    /// Upper estimate of its time in milliseconds, found without reading large data.
    fn milliseconds(&self) -> f64;

    /// Description with the amount of work: "Simulating 7 runs of 100,000 periods".
    fn in_words(&self) -> String;

    /// Computes the outcome; `before` is the outcome on the screen, parts of which may be reused. None if cancelled.
    fn compute(&self, before: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome>;

    /// Whether computing again with this outcome as the one before gives a more exact one. Then that is computed while this one is shown.
    fn is_refinable(&self, outcome: &Self::Outcome) -> bool {
        let _ = outcome;
        false
    }
}

/// How often something was computed, and where.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evaluations {
    /// On the interface's thread.
    pub in_frame: u64,
    /// The largest estimate among these, milliseconds.
    pub longest_in_frame_ms: f64,
    /// On another thread; cancelled ones are not counted.
    pub in_background: u64,
}

impl Evaluations {
    /// All of them.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.in_frame + self.in_background
    }
}

/// The newest finished outcome of an input that changes.
#[derive(Debug)]
pub struct Computed<I: Work> {
    /// The last requested input; none before the first request.
    requested: Option<I>,
    /// Number of requests.
    requested_number: u64,
    /// Whether the thread has not received it yet.
    is_waiting: bool,
    /// Shared with exports that write it to a file.
    shown: Option<Arc<I::Outcome>>,
    /// Number of the request on the screen.
    shown_number: u64,
    /// The outcome that was on the screen before; the thread drops it, which is slow for a large one.
    former: Option<Arc<I::Outcome>>,
    /// Since when the screen shows an older outcome, or when it was last updated.
    behind_since: Option<Instant>,
    worker: Worker<I>,
    problem: Option<String>,
    /// Whether the user cancelled the last request.
    is_given_up: bool,
    /// Whether the outcome on the screen was computed within a frame, and may become more exact on the thread.
    is_first: bool,
    evaluations: Evaluations,
    grace: Duration,
}

/// The thread.
type Worker<I> = Background<Task<I>, (u64, Arc<<I as Work>::Outcome>)>;

/// An input for the thread.
struct Task<I: Work> {
    number: u64,
    input: I,
    before: Option<Arc<I::Outcome>>,
    /// Dropped on the thread.
    former: Option<Arc<I::Outcome>>,
}

impl<I: Work> Default for Computed<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Work> Computed<I> {
    /// Without an outcome yet.
    #[must_use]
    pub fn new() -> Self {
        let worker = Background::new(I::NAME, |task: Task<I>, ticket| {
            let Task { number, input, before, former } = task;
            drop(former);
            let outcome = input.compute(before.as_deref(), ticket)?;
            Some((number, Arc::new(outcome)))
        });
        Self {
            requested: None,
            requested_number: 0,
            is_waiting: false,
            shown: None,
            shown_number: 0,
            former: None,
            behind_since: None,
            worker,
            problem: None,
            is_given_up: false,
            is_first: false,
            evaluations: Evaluations::default(),
            grace: GRACE,
        }
    }

    /// Computes a small outcome at once; a large one is computed on request.
    #[must_use]
    pub fn of(input: I) -> Self {
        let mut computed = Self::new();
        if is_small(&input) {
            computed.want(input);
        }
        computed
    }

    /// With the outcome of an input that was computed elsewhere.
    #[must_use]
    pub fn with(input: I, outcome: Arc<I::Outcome>) -> Self {
        let mut computed = Self::new();
        computed.requested = Some(input);
        computed.requested_number = 1;
        computed.show(1, outcome);
        computed
    }

    /// Drops the request and its outcome. The next outcome has another number, so that nothing made from the dropped one is taken for it.
    pub fn forget(&mut self) {
        if self.requested.is_some() {
            let number = self.requested_number;
            *self = Self { requested_number: number, shown_number: number, ..Self::new() };
        }
    }

    /// Requests the outcome of an input, unless it was requested last, and takes the outcomes that have arrived.
    pub fn refresh(&mut self, ctx: &Context, is_same: impl FnOnce(&I) -> bool, input: impl FnOnce() -> I) {
        if !self.requested.as_ref().is_some_and(is_same) {
            self.want(input());
        }
        match self.worker.poll() {
            Some((_, Ok((number, outcome)))) => {
                self.evaluations.in_background += 1;
                self.show(number, outcome);
                self.refine(ctx, Background::go_on);
            }
            // The waiting input may succeed.
            Some((_, Err(problem))) if !self.is_waiting => self.problem = Some(problem),
            Some((_, Err(_))) | None => {}
        }
        if std::mem::take(&mut self.is_first) {
            // Its time begins now.
            self.refine(ctx, Background::submit);
        }
        self.hand_over(ctx);
        if let Some(since) = self.behind_since.filter(|_| self.is_busy()) {
            ctx.request_repaint_after(PATIENCE.saturating_sub(since.elapsed()));
        }
    }

    fn want(&mut self, input: I) {
        // An outcome of an older request may be of this very input: to make it more exact may take longer than a frame.
        let before = self.shown.clone().filter(|_| !self.is_stale());
        self.problem = None;
        self.is_given_up = false;
        self.requested_number += 1;
        if is_small(&input) {
            self.worker.cancel();
            self.is_waiting = false;
            self.evaluations.in_frame += 1;
            self.evaluations.longest_in_frame_ms = self.evaluations.longest_in_frame_ms.max(input.milliseconds());
            if let Some(outcome) = input.compute(before.as_deref(), &Ticket::default()) {
                self.show(self.requested_number, Arc::new(outcome));
                self.is_first = true;
            }
        } else {
            self.is_first = false;
            self.is_waiting = true;
            self.behind_since.get_or_insert_with(Instant::now);
        }
        self.requested = Some(input);
    }

    fn show(&mut self, number: u64, outcome: Arc<I::Outcome>) {
        self.former = self.shown.replace(outcome);
        self.shown_number = number;
        self.behind_since = (number != self.requested_number).then(Instant::now);
    }

    /// Computes the outcome on the screen more exactly, if it is the requested one and that is possible.
    fn refine(&mut self, ctx: &Context, begin: fn(&mut Worker<I>, &Context, Task<I>) -> u64) {
        let is_refinable = |input: &&I| self.shown.as_ref().is_some_and(|outcome| input.is_refinable(outcome));
        let Some(input) = self.requested.as_ref().filter(|_| !self.is_stale()).filter(is_refinable) else { return };
        let (number, input, before, former) =
            (self.requested_number, input.clone(), self.shown.clone(), self.former.take());
        begin(&mut self.worker, ctx, Task { number, input, before, former });
        ctx.request_repaint_after(PATIENCE);
    }

    /// Sends the requested input to the thread, once the running computation has had its grace time.
    fn hand_over(&mut self, ctx: &Context) {
        let Some(input) = self.requested.as_ref().filter(|_| self.is_waiting) else { return };
        let elapsed = self.worker.elapsed();
        if self.worker.is_busy() && elapsed < self.grace {
            ctx.request_repaint_after(self.grace.saturating_sub(elapsed));
            return;
        }
        self.is_waiting = false;
        let (before, former) = (self.shown.clone(), self.former.take());
        self.worker.submit(ctx, Task { number: self.requested_number, input: input.clone(), before, former });
    }

    /// The outcome on the screen; none before the first.
    #[must_use]
    pub fn shown(&self) -> Option<&Arc<I::Outcome>> {
        self.shown.as_ref()
    }

    /// Changes with each outcome on the screen.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.shown_number
    }

    /// Whether the outcome on the screen is of an earlier input.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.shown_number != self.requested_number
    }

    /// Whether another thread is computing.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.is_waiting || self.worker.is_busy()
    }

    /// How often it was computed, and where.
    #[must_use]
    pub fn evaluations(&self) -> Evaluations {
        self.evaluations
    }

    /// Whether to mark the screen as outdated: not for a short time.
    fn is_noticeable(&self) -> bool {
        let is_long = |input: &I| input.milliseconds() / 1e3 > PATIENCE.as_secs_f64();
        self.is_stale()
            && (!self.is_busy()
                || self.requested.as_ref().is_some_and(is_long)
                || self.behind_since.is_some_and(|since| since.elapsed() >= PATIENCE))
    }

    /// Fades the following content while it is of an earlier input.
    pub fn dim(&self, ui: &mut Ui) {
        if self.is_noticeable() {
            ui.multiply_opacity(0.45);
        }
    }

    /// The outcome that the page shows next. Before it, progress or a cancellation is shown, and it is faded while it is of an earlier
    /// input. `None`: there is none yet, or it is an error, which is shown in its place.
    pub fn outcome<T>(&mut self, ui: &mut Ui) -> Option<Arc<Result<T, String>>>
    where
        I: Work<Outcome = Result<T, String>>,
    {
        self.state(ui);
        let shown = self.shown.clone()?;
        self.dim(ui);
        if let Err(problem) = &*shown {
            ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
            return None;
        }
        Some(shown)
    }

    /// Shows progress, a cancellation, or the error.
    pub fn state(&mut self, ui: &mut Ui) {
        let has_ended_early = self.is_given_up || self.problem.is_some();
        let is_shown = if self.is_stale() {
            self.is_noticeable() && (self.is_busy() || has_ended_early)
        } else {
            // A shorter refinement would only flash.
            self.worker.is_busy() && self.worker.elapsed() >= PATIENCE || self.problem.is_some()
        };
        // Shown or not, it takes one id of this `ui`: widgets behind it keep theirs, and with it the focus, while something is computed.
        if is_shown {
            ui.scope(|ui| self.show_state(ui));
        } else {
            ui.skip_ahead_auto_ids(1);
        }
    }

    fn show_state(&mut self, ui: &mut Ui) {
        if !self.is_stale() {
            self.refining(ui);
        } else if self.is_busy() {
            ui.horizontal_wrapped(|ui| {
                ui.label(self.requested.as_ref().map(Work::in_words).unwrap_or_default());
                if self.worker.show_progress(ui, I::NAME) {
                    self.is_given_up = true;
                    self.is_waiting = false;
                }
            });
        } else {
            ui.horizontal_wrapped(|ui| {
                let dark = ui.visuals().dark_mode;
                match &self.problem {
                    Some(problem) => ui.colored_label(Token::Error.color(dark), problem),
                    None if self.shown.is_some() => ui.label("Cancelled; the figures are of an earlier study"),
                    None => ui.label("Cancelled"),
                };
                if ui.button(I::AGAIN).clicked() {
                    self.requested = None;
                }
            });
        }
    }
}

impl<I: Work> Computed<I> {
    /// Shows that the outcome on the screen becomes more exact; cancelling keeps it.
    fn refining(&mut self, ui: &mut Ui) {
        if self.worker.is_busy() {
            ui.horizontal_wrapped(|ui| {
                ui.label("Refining");
                _ = self.worker.show_progress(ui, I::NAME);
            });
        } else if let Some(problem) = &self.problem {
            ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
        }
    }
}

fn is_small<I: Work>(input: &I) -> bool {
    input.milliseconds() <= IN_FRAME_MS
}

#[cfg(test)]
mod tests;
