//! Probes at several centres from the page: this machine, where a program stands in for the one that measures, and a cluster that
//! does not exist.

use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::probe::{choose, name_program, press, probing, study};
use super::{Window, enter, settle};

/// A list of this machine and the example's centre, whose context is not there: kubectl fails at once, or is not there itself.
fn list(window: &mut Window) {
    press(window, "Run at several centres");
    press(window, "Add centre to the list");
    press(window, "Add centre to the list");
    choose(window, "transport of centre 2", "Kubernetes");
    enter(window, Role::TextInput, "context of centre 2", "no-such-context");
}

fn run(window: &mut Window) {
    window.get_by_role_and_label(Role::Button, "Run at these centres").click_accesskit();
    window.run_steps(2);
    settle(window);
}

/// How often a text is part of a label.
fn shown(window: &Window, text: &str) -> usize {
    window.query_all_by_label_contains(text).count()
}

const FAULT: &str = "example centre: 1 unit: kubectl did not apply the job: ";

#[test]
fn a_centre_at_fault_is_one_line_and_the_runs_of_the_others_are_added() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = env!("CARGO_BIN_EXE_crossover");
    let mut window = probing(&folder, &format!("exec {own} bench \"$@\""));
    list(&mut window);
    run(&mut window);
    let [example, here] = &study(&window).centres[..] else { panic!("two centres") };
    let runs = &here.units[0].runs;
    assert_eq!(
        (here.name.as_str(), runs.seconds.len(), runs.failed.len()),
        ("this machine", 5, 0),
        "{:?}",
        runs.failed
    );
    // A failure of all runs of a job is one.
    let failed: Vec<&String> = example.units.iter().flat_map(|of| of.runs.failed.iter()).collect();
    assert!(matches!(&failed[..], [why] if why.contains("kubectl did not apply the job")), "{failed:?}");
    assert!(example.units.iter().all(|of| of.runs.seconds.is_empty()));
    window.get_by_label("this machine: done");
    assert_eq!(shown(&window, FAULT), 1);
    let history = std::fs::read_to_string(folder.path().join("probes.jsonl")).expect("a history");
    assert_eq!(history.lines().count(), 6);
}

#[test]
fn a_centre_that_never_answers_is_cancelled_at_its_limit_and_costs_the_others_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = probing(&folder, "exec sleep 300");
    list(&mut window);
    // 3 s.
    enter(&mut window, Role::SpinButton, "limit of centre 1", "0.05");
    run(&mut window);
    window.get_by_label("this machine: did not answer within 3 s; its other runs were cancelled");
    assert_eq!(shown(&window, FAULT), 1);
    let [example] = &study(&window).centres[..] else { panic!("what was cancelled adds no centre") };
    assert_eq!(example.units.iter().map(|of| of.runs.failed.len()).sum::<usize>(), 1);
    // The list stays, and can be changed.
    press(&mut window, "remove centre 1");
    assert!(window.query_by_label("limit of centre 2").is_none());
    enter(&mut window, Role::TextInput, "name of centre 1", "west");
    run(&mut window);
    let why = "west: it is not in the scenario, and its units are not known";
    assert!(window.state().messages().any(|message| message.contains(why)));
    window.get_by_label("west: not run");
}

#[test]
fn programs_and_what_is_sent_are_shown_before_anything_starts() {
    let folder = tempfile::tempdir().expect("a folder");
    let own = env!("CARGO_BIN_EXE_crossover");
    let mut window = probing(&folder, &format!("exec {own} bench \"$@\""));
    let started = folder.path().join("started");
    name_program(&mut window, &started);
    list(&mut window);
    press(&mut window, "Show what is sent");
    for text in
        ["# program of the file: sh -c 'touch ", "# this machine, on this machine: 5 runs of the probe", "probe.ron"]
    {
        assert!(shown(&window, text) > 0, "{text}");
    }
    assert!(shown(&window, "# example centre, through Kubernetes, context no-such-context: 5 runs of the probe") > 0);
    press(&mut window, "Hide what is sent");
    assert_eq!(shown(&window, "# program of the file: "), 0);

    run(&mut window);
    window.get_by_label("Run the programs of this scenario?");
    window.get_by_label("example centre, through Kubernetes, context no-such-context");
    press(&mut window, "Cancel");
    window.get_by_label("this machine: not run");
    assert!(!started.exists());
    run(&mut window);
    press(&mut window, "Run programs");
    settle(&mut window);
    assert!(started.exists());
    window.get_by_label("this machine: done");
    assert_eq!(shown(&window, FAULT), 1);
}
