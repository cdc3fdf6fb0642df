//! Measured figures are applied to a scenario.

use crossover_calibrate_page::TOOL;
use crossover_gpu_bench::report::file;
use crossover_page::command::Command;
use crossover_placement_page::examples;
use crossover_quantity::provenance::Provenance;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::super::{recorded, send, settle, study};
use super::{Page, WHOLE, page};

#[test]
fn measured_values_are_taken_over_in_one_step_that_undo_takes_back() {
    let mut page = page(WHOLE);
    page.finish();
    let before = page.window.state().documents()[0].scenario.placement().expect("a study").clone();
    page.press("Apply to scenario…");
    assert!(page.shows("Which figures to apply to the scenario?"));
    page.window.get_by_label("Apply node.cpu_parallelism");
    page.window.get_by_label("Apply bus.to_gpu_gb_per_s").click();
    settle(&mut page.window);
    assert!(page.window.ctx.content_rect().contains_rect(apply_button(&page).rect()), "the button is on screen");
    apply_button(&page).click();
    settle(&mut page.window);
    let after = study(&page.window).clone();
    assert_eq!(after.bus.to_gpu_gb_per_s, before.bus.to_gpu_gb_per_s, "its tick was taken away");
    assert_eq!(after.bus.from_gpu_gb_per_s, 22.1);
    assert_eq!(
        after.sources.get("bus.from_gpu_gb_per_s"),
        Some(&Provenance::Measured {
            device: "Example GPU".into(),
            date: "2026-01-02".into(),
            interval: (22.1 * 0.98, 22.1 * 1.02)
        })
    );
    send(&mut page.window, Command::Undo);
    assert_eq!(*study(&page.window), before);
    assert!(!page.window.state().active().expect("open").can_undo());
}

/// A click of the pointer reaches what is on top.
#[test]
fn a_list_of_a_dialog_is_above_its_dialog() {
    let mut page = page(WHOLE);
    send(&mut page.window, Command::OpenExample(examples::SMALL));
    send(&mut page.window, Command::ShowTool(TOOL));
    page.finish();
    let scenario = |page: &Page| page.window.state().documents()[0].scenario.clone();
    let before = scenario(&page);
    page.press("Apply to scenario…");
    let list = page.window.get_by_role_and_label(Role::ComboBox, "scenario to change");
    let below = list.rect().bottom();
    list.click();
    settle(&mut page.window);
    let title = page.window.state().documents()[0].label().to_owned();
    let entries = page.window.query_all_by_label(&title);
    entries.into_iter().find(|entry| entry.rect().top() >= below).expect("an entry below the list").click();
    settle(&mut page.window);
    apply_button(&page).click();
    settle(&mut page.window);
    assert_ne!(scenario(&page), before, "the scenario of the list");
}

/// Only a second, explicit step applies it, and says why.
#[test]
fn figures_of_a_disturbed_machine_are_applied_only_after_a_second_step_with_the_reason() {
    let mut page = page(WHOLE);
    let mut disturbed = recorded::report(false);
    let calibration = disturbed.calibration.as_mut().expect("a calibration");
    calibration.drift = Some(-0.34);
    calibration.validation.as_mut().expect("a validation").worst_error = 0.81;
    file::write(&page.folder.path().join("runs/one.json"), &disturbed).expect("written");
    send(&mut page.window, Command::CloseTab);
    send(&mut page.window, Command::ShowTool(TOOL));
    page.press("2026-01-02 10:11");
    let before = page.window.state().documents()[0].scenario.placement().expect("a study").clone();
    let press_apply = |page: &mut Page| {
        page.window.get_by(|node| node.label().is_some_and(|label| label.ends_with(" values…"))).click_accesskit();
        settle(&mut page.window);
    };
    page.press("Apply to scenario…");
    assert!(page.shows("changed by 34 % during the run") && page.shows("off by up to 81 %"));
    press_apply(&mut page);
    assert!(page.shows("Apply the figures of a disturbed machine?") && page.shows("changed by 34 % during the run"));
    page.press("Back");
    assert!(page.shows("Which figures to apply to the scenario?"));
    assert_eq!(page.window.state().documents()[0].scenario.placement(), Some(&before), "nothing is applied yet");
    press_apply(&mut page);
    page.press("Apply anyway");
    assert_ne!(*study(&page.window), before);
}

/// "Apply 14 values".
fn apply_button(page: &Page) -> egui_kittest::Node<'_> {
    page.window.get_by(|node| {
        let label = node.label().unwrap_or_default();
        node.role() == Role::Button && label.starts_with("Apply ") && label.ends_with(" values")
    })
}
