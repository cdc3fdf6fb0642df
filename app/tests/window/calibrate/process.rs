//! The process that measures ends when it is cancelled, killed or damaged, and always with the window.

use crossover_calibrate_page::State;
use crossover_needs::wait_until;
use crossover_page::command::Command;
use egui_kittest::kittest::Queryable as _;

use super::super::{send, settle};
use super::{CRASHING, Page, WAITING, WHOLE, page, results, run, total};

/// Measures the first ten, and never listens.
const HANGING: &str = "head -n 21 \"$events\"; trap '' TERM INT; while :; do sleep 0.2; done";
/// Measures the first ten, hears the wish to end, and goes on all the same.
const STUBBORN: &str = "head -n 21 \"$events\"; trap '' TERM INT; read wish; echo \"$wish\" > \"$folder/wish\"; \
                        while :; do sleep 0.2; done";

#[test]
fn cancelling_tells_the_process_and_keeps_what_was_measured() {
    let mut page = page(WAITING);
    page.measure(10);
    page.press("Cancel");
    page.until("the end", |window| !run(window).is_going_on());
    assert_eq!(std::fs::read_to_string(page.folder.path().join("wish")).expect("asked"), "cancel\n");
    assert_eq!(*run(&page.window).state(), State::Cancelled);
    // The counts add up to the plan.
    assert!(page.shows(&format!("Cancelled. Results so far are kept: 10 measured, {} not begun.", total() - 10)));
    assert!(page.shows("cancelled after 10 of 89 measurements"));
    assert!(page.window.query_by_label("Start").is_some());
}

#[test]
fn a_process_that_does_not_end_when_asked_is_killed() {
    let mut page = page(STUBBORN);
    page.measure(10);
    assert!(page.is_alive());
    page.press("Cancel");
    page.until("the end", |window| !run(window).is_going_on());
    let wish = std::fs::read_to_string(page.folder.path().join("wish"));
    assert_eq!(wish.expect("it had the time to hear it"), "cancel\n");
    assert!(!page.is_alive());
    assert_eq!(results(&page.window), 10, "what it had measured stays");
    assert!(page.shows("did not end after the cancellation"));
}

#[test]
fn a_crash_is_a_message_and_what_was_measured_stays() {
    let mut page = page(CRASHING);
    page.finish();
    assert!(page.shows("The measuring process ended early while it measured filter.ordered, CPU"));
    assert!(page.shows("the driver gave up"));
    assert!(page.shows("The 10 results so far are kept."));
    assert_eq!(results(&page.window), 10);
    // Two sizes on one core are enough for a curve: 5 µs + 0.1 GB / 2.5 GB/s.
    assert!(page.shows("100 MB take 40 ms on one core"));
}

#[test]
fn garbage_between_the_events_is_skipped_with_a_note() {
    let mut page = page(
        "head -n 5 \"$events\"; echo 'no event'; printf '\\377\\000{\\n'; tail -n +6 \"$events\" | head -n 20; exit 0",
    );
    page.finish();
    assert!(page.shows("printed unexpected lines, e.g. “no event”"));
    assert_eq!(results(&page.window), 12);
}

#[test]
fn a_program_that_is_not_there_is_a_message() {
    let mut page = page(WHOLE);
    std::fs::remove_file(page.folder.path().join("measure.sh")).expect("removed");
    page.press("Start");
    assert!(page.shows("cannot start"));
}

#[test]
fn closing_the_tab_while_it_measures_asks_and_ends_the_process() {
    let mut page = page(HANGING);
    page.measure(10);
    send(&mut page.window, Command::CloseTab);
    assert!(page.shows("Cancel the measurement?"));
    page.press("Keep measuring");
    assert!(page.is_alive() && page.window.state().calibrate().is_some());
    send(&mut page.window, Command::CloseTab);
    page.press("Cancel and close");
    assert!(page.window.state().calibrate().is_none());
    page_ends(&page);
}

#[test]
fn closing_the_window_while_it_measures_asks_and_ends_the_process() {
    let mut page = page(HANGING);
    page.measure(10);
    let ask = |page: &mut Page| {
        let viewports = &mut page.window.input_mut().viewports;
        viewports.entry(egui::ViewportId::ROOT).or_default().events.push(egui::ViewportEvent::Close);
        page.window.run_steps(1);
        page.window.output().viewport_output[&egui::ViewportId::ROOT].commands.clone()
    };
    assert!(ask(&mut page).contains(&egui::ViewportCommand::CancelClose));
    settle(&mut page.window);
    assert!(page.is_alive());
    page.press("Cancel and close");
    page_ends(&page);
    assert!(!ask(&mut page).contains(&egui::ViewportCommand::CancelClose), "nothing is left to ask");
}

#[test]
fn a_window_that_goes_without_asking_leaves_no_process_behind() {
    let mut page = page(HANGING);
    page.measure(10);
    let Page { folder, window } = page;
    let pid = std::fs::read_to_string(folder.path().join("pid")).expect("a process");
    drop(window);
    let alive = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        stat.is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| !rest.trim().starts_with('Z')))
    };
    wait_until("the end of the process", || !alive());
}

fn page_ends(page: &Page) {
    wait_until("the end of the process", || !page.is_alive());
}
