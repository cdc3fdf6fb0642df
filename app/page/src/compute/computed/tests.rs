//! When outcomes are computed and shown, and on which thread.

use std::sync::atomic::{AtomicBool, Ordering};

use crossover_needs::{deadline, wait_until};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

use super::*;

/// Is computed at once, or when its gate is opened.
#[derive(Debug, Clone)]
struct Number {
    value: u32,
    milliseconds: f64,
    gate: Option<Arc<AtomicBool>>,
}

impl Work for Number {
    type Outcome = (u32, std::thread::ThreadId);
    const NAME: &'static str = "squaring";
    const AGAIN: &'static str = "Square";

    fn milliseconds(&self) -> f64 {
        self.milliseconds
    }

    fn in_words(&self) -> String {
        format!("Squaring {}", self.value)
    }

    fn compute(&self, _: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let is_open = || self.gate.as_ref().is_none_or(|gate| gate.load(Ordering::Relaxed));
        wait_until("an open gate", || is_open() || ticket.is_cancelled());
        is_open().then(|| (self.value * self.value, std::thread::current().id()))
    }
}

fn small(value: u32) -> Number {
    Number { value, milliseconds: IN_FRAME_MS, gate: None }
}

fn large(value: u32) -> Number {
    Number { value, milliseconds: 1e4, gate: None }
}

/// Never ends by itself until its gate is opened.
fn endless(value: u32) -> (Number, Arc<AtomicBool>) {
    let gate = Arc::new(AtomicBool::new(false));
    (Number { gate: Some(Arc::clone(&gate)), ..large(value) }, gate)
}

fn ask(computed: &mut Computed<Number>, input: &Number) {
    computed.refresh(&Context::default(), |requested| requested.value == input.value, || input.clone());
}

fn value(computed: &Computed<Number>) -> Option<u32> {
    computed.shown().map(|shown| shown.0)
}

fn until(computed: &mut Computed<Number>, input: &Number, is_so: impl Fn(&Computed<Number>) -> bool) {
    wait_until("an outcome", || {
        ask(computed, input);
        is_so(computed)
    });
}

#[test]
fn what_is_small_is_there_at_once_and_what_is_not_comes_from_another_thread() {
    let here = std::thread::current().id();
    let mut computed = Computed::of(small(3));
    assert_eq!(computed.shown().map(|shown| **shown), Some((9, here)));
    ask(&mut computed, &large(4));
    assert_eq!((value(&computed), computed.is_stale(), computed.is_busy()), (Some(9), true, true));
    until(&mut computed, &large(4), |computed| !computed.is_stale());
    let shown = computed.shown().map(|shown| **shown).expect("an outcome");
    assert_eq!(shown.0, 16);
    assert_ne!(shown.1, here);
    let expected = Evaluations { in_frame: 1, longest_in_frame_ms: IN_FRAME_MS, in_background: 1 };
    assert_eq!(computed.evaluations(), expected);
    assert!(Computed::of(large(5)).shown().is_none());
}

#[test]
fn what_was_computed_elsewhere_is_not_computed_again() {
    let mut computed = Computed::with(large(3), Arc::new((9, std::thread::current().id())));
    ask(&mut computed, &large(3));
    let state = (value(&computed), computed.is_stale(), computed.is_busy(), computed.evaluations().count());
    assert_eq!(state, (Some(9), false, false, 0));
    until(&mut computed, &large(4), |computed| !computed.is_stale());
    assert_eq!(value(&computed), Some(16));
}

#[test]
fn the_same_input_is_computed_once() {
    let mut computed = Computed::of(small(3));
    for _ in 0..5 {
        ask(&mut computed, &small(3));
    }
    assert_eq!(computed.evaluations().count(), 1);
}

/// What a page made from the first outcome, it keeps by its number.
#[test]
fn the_first_outcome_after_forgetting_has_a_number_of_its_own() {
    let mut computed = Computed::of(small(3));
    let first = computed.number();
    computed.forget();
    assert_eq!((value(&computed), computed.is_stale(), computed.is_busy()), (None, false, false));
    ask(&mut computed, &small(4));
    assert_eq!(value(&computed), Some(16));
    assert_ne!(computed.number(), first);
}

#[test]
fn a_newer_input_waits_a_moment_for_the_older_one_and_then_takes_its_place() {
    let mut computed = Computed { grace: deadline(), ..Computed::new() };
    let (first, gate) = endless(2);
    ask(&mut computed, &first);
    ask(&mut computed, &large(3));
    // In time: it is shown although a newer input was requested.
    gate.store(true, Ordering::Relaxed);
    until(&mut computed, &large(3), |computed| !computed.is_stale());
    assert_eq!(computed.evaluations().in_background, 2);

    computed.grace = Duration::from_millis(1);
    let (second, _gate) = endless(4);
    ask(&mut computed, &second);
    until(&mut computed, &large(5), |computed| !computed.is_stale());
    assert_eq!((value(&computed), computed.evaluations().in_background), (Some(25), 3));
}

#[test]
fn a_small_input_cancels_the_large_one_before() {
    let mut computed = Computed::new();
    let (first, gate) = endless(2);
    ask(&mut computed, &first);
    ask(&mut computed, &small(3));
    assert_eq!((value(&computed), computed.is_busy()), (Some(9), false));
    gate.store(true, Ordering::Relaxed);
    // Held here twice, and by the thread until it has computed or given up.
    wait_until("the end of the large one", || Arc::strong_count(&gate) == 2);
    ask(&mut computed, &small(3));
    assert_eq!((value(&computed), computed.evaluations().in_background), (Some(9), 0));
    // The next result of the same thread comes after all earlier ones.
    until(&mut computed, &large(4), |computed| !computed.is_stale());
    assert_eq!((value(&computed), computed.evaluations().in_background), (Some(16), 1));
}

/// Counts up to a number, one with each outcome.
#[derive(Debug, Clone)]
struct Counting {
    to: u32,
    gate: Arc<AtomicBool>,
}

impl Work for Counting {
    type Outcome = u32;
    const NAME: &'static str = "counting";
    const AGAIN: &'static str = "Count";

    fn milliseconds(&self) -> f64 {
        1e4
    }

    fn in_words(&self) -> String {
        format!("Counting to {}", self.to)
    }

    fn compute(&self, before: Option<&u32>, ticket: &Ticket) -> Option<u32> {
        // The first outcome is there at once, the others wait.
        let is_open = || before.is_none() || self.gate.load(Ordering::Relaxed);
        wait_until("an open gate", || is_open() || ticket.is_cancelled());
        is_open().then(|| before.map_or(1, |before| before + 1))
    }

    fn is_refinable(&self, outcome: &u32) -> bool {
        *outcome < self.to
    }
}

fn counting(to: u32, is_open: bool) -> (Counting, Arc<AtomicBool>) {
    let gate = Arc::new(AtomicBool::new(is_open));
    (Counting { to, gate: Arc::clone(&gate) }, gate)
}

#[test]
fn an_outcome_is_shown_while_it_becomes_more_exact() {
    let (work, gate) = counting(3, false);
    let mut computed = Computed::new();
    let ask = |computed: &mut Computed<Counting>| {
        computed.refresh(&Context::default(), |requested| requested.to == work.to, || work.clone());
    };
    wait_until("the first outcome", || {
        ask(&mut computed);
        computed.shown().is_some()
    });
    assert_eq!((computed.shown().map(|shown| **shown), computed.is_stale()), (Some(1), false));
    assert!(computed.is_busy());
    gate.store(true, Ordering::Relaxed);
    wait_until("the last outcome", || {
        ask(&mut computed);
        !computed.is_busy()
    });
    assert_eq!((computed.shown().map(|shown| **shown), computed.is_stale()), (Some(3), false));
    assert_eq!(computed.evaluations().in_background, 3);
}

/// A count whose first outcome is small, below [`LONG`].
#[derive(Debug, Clone)]
struct Quick(Counting);

/// From here on, a count takes long.
const LONG: u32 = 100;

impl Work for Quick {
    type Outcome = u32;
    const NAME: &'static str = "counting";
    const AGAIN: &'static str = "Count";

    fn milliseconds(&self) -> f64 {
        if self.0.to < LONG { IN_FRAME_MS } else { 1e4 }
    }

    fn in_words(&self) -> String {
        self.0.in_words()
    }

    fn compute(&self, before: Option<&u32>, ticket: &Ticket) -> Option<u32> {
        self.0.compute(before, ticket)
    }

    fn is_refinable(&self, outcome: &u32) -> bool {
        self.0.is_refinable(outcome)
    }
}

#[test]
fn what_is_there_at_once_becomes_more_exact_on_the_thread() {
    let (work, gate) = counting(2, false);
    let mut computed = Computed::of(Quick(work.clone()));
    let ask = |computed: &mut Computed<Quick>| {
        computed.refresh(&Context::default(), |Quick(requested)| requested.to == work.to, || Quick(work.clone()));
    };
    ask(&mut computed);
    assert_eq!((computed.shown().map(|shown| **shown), computed.is_busy()), (Some(1), true));
    gate.store(true, Ordering::Relaxed);
    wait_until("the last outcome", || {
        ask(&mut computed);
        !computed.is_busy()
    });
    assert_eq!((computed.shown().map(|shown| **shown), computed.is_stale()), (Some(2), false));
    assert_eq!((computed.evaluations().in_frame, computed.evaluations().in_background), (1, 1));
}

#[test]
fn what_is_requested_again_is_not_made_more_exact_within_the_frame() {
    let (work, _gate) = counting(2, false);
    let long = Counting { to: LONG, ..work.clone() };
    let mut computed = Computed::of(Quick(work.clone()));
    let ask = |computed: &mut Computed<Quick>, of: &Counting| {
        computed.refresh(&Context::default(), |Quick(requested)| requested.to == of.to, || Quick(of.clone()));
    };
    ask(&mut computed, &work);
    ask(&mut computed, &long);
    assert!(computed.is_stale());
    // The gate is closed: it would wait for it.
    ask(&mut computed, &work);
    assert_eq!((computed.shown().map(|shown| **shown), computed.is_stale()), (Some(1), false));
    assert_eq!(computed.evaluations().in_frame, 2);
}

#[test]
fn a_refinement_that_is_cancelled_keeps_the_outcome() {
    let (work, _gate) = counting(3, false);
    let show = |ui: &mut Ui, computed: &mut Computed<Counting>| {
        computed.refresh(ui.ctx(), |requested| requested.to == work.to, || work.clone());
        computed.state(ui);
    };
    let mut harness = Harness::builder().build_ui_state(show, Computed::new());
    wait_until("a button that cancels", || {
        harness.run_steps(1);
        harness.query_by_label("Refining").is_some() && harness.query_by_label("Cancel counting").is_some()
    });
    harness.get_by_label("Cancel counting").click_accesskit();
    harness.run_steps(3);
    assert!(!harness.state().is_busy() && !harness.state().is_stale());
    assert_eq!(harness.state().shown().map(|shown| **shown), Some(1));
    assert!(harness.query_by_label("Refining").is_none());
}

#[test]
fn what_is_behind_the_progress_keeps_the_focus_when_it_appears_and_goes() {
    let (long, _gate) = endless(7);
    let show = |ui: &mut Ui, (computed, is_wanted): &mut (Computed<Number>, bool)| {
        if *is_wanted {
            computed.refresh(ui.ctx(), |requested| requested.value == long.value, || long.clone());
        }
        computed.state(ui);
        _ = ui.button("behind it");
    };
    let mut harness = Harness::builder().build_ui_state(show, (Computed::of(small(3)), false));
    harness.get_by_label("behind it").focus();
    harness.run_steps(2);
    let focused = harness.ctx.memory(egui::Memory::focused);
    assert!(focused.is_some() && harness.query_by_label("Squaring 7").is_none());
    harness.state_mut().1 = true;
    wait_until("the progress", || {
        harness.run_steps(1);
        harness.query_by_label("Squaring 7").is_some()
    });
    harness.run_steps(2);
    assert_eq!(harness.ctx.memory(egui::Memory::focused), focused);
    // As if the outcome had arrived.
    *harness.state_mut() = (Computed::of(small(3)), false);
    harness.run_steps(2);
    assert!(harness.query_by_label("Squaring 7").is_none());
    assert_eq!(harness.ctx.memory(egui::Memory::focused), focused);
}

#[test]
fn what_was_cancelled_says_so_and_can_be_asked_for_again() {
    let (long, _gate) = endless(7);
    let show = |ui: &mut Ui, computed: &mut Computed<Number>| {
        computed.refresh(ui.ctx(), |requested| requested.value == long.value, || long.clone());
        computed.state(ui);
    };
    let mut harness = Harness::builder().build_ui_state(show, Computed::of(small(3)));
    harness.get_by_label("Squaring 7");
    wait_until("a button that cancels", || {
        harness.run_steps(1);
        harness.query_by_label("Cancel squaring").is_some()
    });
    assert!(harness.state().is_busy() && harness.state().is_stale());
    harness.get_by_label("Cancel squaring").click_accesskit();
    harness.run_steps(2);
    assert!(!harness.state().is_busy() && harness.state().is_stale());
    harness.get_by_label("Cancelled; the figures are of an earlier study");
    assert_eq!(value(harness.state()), Some(9));
    harness.get_by_label("Square").click_accesskit();
    harness.run_steps(2);
    assert!(harness.state().is_busy());
}
