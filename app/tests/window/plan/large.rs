//! A plan of 10,000 operators: nothing that grows with it happens on the interface's thread.

use crossover_page::command::Command;
use crossover_page::compute::computed::{Evaluations, IN_FRAME_MS};
use crossover_page::page::View;
use crossover_placement::whole::decide;
use crossover_placement::{Placement, Side};
use crossover_placement_page as placement;
use crossover_quantity::shared::Shared;
use crossover_query::Plan;
use crossover_regulation_page as regulation;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::super::{Window, board, send, settle, study, view};
use super::{fixture, show, window};

const OPERATORS: usize = 10_000;

fn evaluations(window: &Window) -> Vec<Evaluations> {
    let of = |view: &View| {
        let placement = view.page::<placement::View>().map(placement::View::evaluations);
        let regulation = view.page::<regulation::View>().map(|page| page.board().evaluations());
        placement.or(regulation).expect("a page of either kind")
    };
    window.state().documents().iter().map(|document| of(&document.view)).collect()
}

fn plan(window: &Window) -> &Shared<Plan> {
    &study(window).query.as_deref().expect("a query").plan
}

/// What is on the screen is the decision for the study as it is now.
fn assert_current(window: &Window) {
    let expected = decide(study(window)).expect("a plan");
    let shown = board(window).plan().expect("a plan").whole();
    assert_eq!((shown.seconds, shown.count(Side::Gpu)), (expected.seconds, expected.count(Side::Gpu)));
}

fn machines(window: &Window) -> f64 {
    study(window).cluster.machines
}

#[test]
fn a_large_plan_is_never_placed_on_the_interface_s_thread() {
    let mut window = window(fixture::large(OPERATORS));
    assert_current(&window);
    let before = machines(&window);

    let number = window.get_by_role_and_label(Role::SpinButton, "cluster.machines").rect().center();
    window.drag_at(number);
    for moved in 1..=20_u8 {
        window.hover_at(number - egui::vec2(f32::from(moved), 0.0));
        window.run_steps(1);
    }
    window.drop_at(number - egui::vec2(20.0, 0.0));
    settle(&mut window);
    let dragged = machines(&window);
    assert!(dragged < before);
    assert_current(&window);

    send(&mut window, Command::Undo);
    assert_eq!(machines(&window), before);
    assert_current(&window);
    send(&mut window, Command::Redo);
    window.state_mut().edit_active(|scenario| {
        scenario.study.placement_mut().expect("a placement study").pin_node(77, Some(Side::Cpu));
    });
    settle(&mut window);
    assert_current(&window);
    send(&mut window, Command::ResetField("cluster.machines".into()));
    assert_eq!(machines(&window), before);
    assert_current(&window);
    // Small studies are placed within the frame, so that dragging is immediate.
    send(&mut window, Command::OpenExample(placement::examples::PUBLISHED));
    send(&mut window, Command::OpenExample(regulation::examples::PUBLISHED));
    send(&mut window, Command::NextTab);

    let [large, others @ ..] = evaluations(&window).try_into().map(|all: [Evaluations; 3]| all).expect("three tabs");
    assert_eq!((large.in_frame, large.longest_in_frame_ms), (0, 0.0), "{large:?}");
    assert!(large.in_background >= 5, "{large:?}");
    for small in others {
        assert_eq!((small.in_frame, small.in_background), (1, 0), "{small:?}");
        assert!(small.longest_in_frame_ms <= IN_FRAME_MS, "{small:?}");
    }
}

#[test]
fn the_older_placement_stays_until_the_newer_one_is_there() {
    let mut window = window(fixture::large(OPERATORS));
    let before = board(&window).plan().expect("a plan").whole().seconds;
    window.state_mut().edit_active(|scenario| {
        scenario.study.placement_mut().expect("a placement study").cluster.machines = 4.0;
    });
    window.run_steps(1);
    assert_eq!(board(&window).plan().expect("a plan").whole().seconds, before);
    settle(&mut window);
    assert_ne!(board(&window).plan().expect("a plan").whole().seconds, before);
    assert_current(&window);
}

#[test]
fn before_the_first_placement_the_study_can_be_edited_already() {
    let mut window = super::super::window();
    window.state_mut().show_only("large.ron".into(), fixture::scenario(fixture::study(fixture::large(OPERATORS))));
    window.run_steps(1);
    assert!(view(&window).board().is_none());
    window.get_by_role_and_label(Role::SpinButton, "cluster.machines");
    settle(&mut window);
    assert_current(&window);
}

#[test]
fn a_plan_that_goes_away_while_it_is_placed_leaves_no_trace() {
    let mut window = window(fixture::large(OPERATORS));
    let edit = |window: &mut Window, edit: &dyn Fn(&mut Placement)| {
        window.state_mut().edit_active(|scenario| edit(scenario.study.placement_mut().expect("a placement study")));
        window.run_steps(1);
    };
    edit(&mut window, &|study| study.cluster.machines = 4.0);
    edit(&mut window, &|study| study.query = None);
    settle(&mut window);
    assert!(board(&window).plan().is_none());
    send(&mut window, Command::Undo);
    assert_current(&window);
    // Fewer operators and networks than on the screen.
    edit(&mut window, &|study| {
        study.operators.truncate(1);
        study.networks.retain(|network| network.name == study.policy.network);
        crossover_study::sources::purge(study);
    });
    window.get_by_label("Curves").click();
    settle(&mut window);
    assert_eq!(board(&window).study().operators.len(), 1);
}

#[test]
fn all_states_of_a_document_share_one_plan() {
    let mut window = window(fixture::large(OPERATORS));
    let first = plan(&window).clone();
    for machines in 2..10_u8 {
        window.state_mut().edit_active(|scenario| {
            scenario.study.placement_mut().expect("a placement study").cluster.machines = f64::from(machines);
        });
        settle(&mut window);
    }
    assert!(plan(&window).is_same(&first));
    for _ in 0..4 {
        send(&mut window, Command::Undo);
        assert!(plan(&window).is_same(&first));
    }
    let saved = window.state().active().and_then(|document| document.saved()).expect("a saved state");
    assert!(saved.placement().and_then(|study| study.query.as_deref()).expect("a query").plan.is_same(&first));
    show(&mut window, fixture::plan());
    assert!(!plan(&window).is_same(&first));
}
