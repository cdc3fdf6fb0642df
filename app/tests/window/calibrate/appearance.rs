//! Pictures and layouts of the page.

use egui_kittest::kittest::Queryable as _;

use super::super::recorded::device;
use super::super::{can_draw, settle};
use super::{CRASHING, Page, WAITING, WHOLE, page_with, pictured, run, two_runs};

fn sized(size: [f32; 2], measure: &str) -> Page {
    page_with(&[device(false)], measure, false, |harness| harness.with_size(size))
}

const WIDE: [f32; 2] = [1280.0, 800.0];
/// High enough for a whole chart: the plot leaves room for the labels of an axis only once they were visible.
const NARROW: [f32; 2] = [800.0, 700.0];

#[test]
fn the_page_looks_as_agreed() {
    if !can_draw() {
        return;
    }
    let mut page = pictured(WIDE, WHOLE);
    two_runs(page.folder.path());
    page.finish();
    page.rest();
    let times: Vec<egui::Rect> =
        page.window.query_all_by_label_contains("Duration: ").map(|node| node.rect()).collect();
    for rect in times {
        page.window.mask(rect);
    }
    page.window.snapshot("calibrate-finished");
}

#[test]
fn the_page_is_laid_out_as_agreed() {
    let page = sized(WIDE, WHOLE);
    page.assert_layout("calibrate-empty");
    let mut page = sized([1280.0, 1760.0], WHOLE);
    two_runs(page.folder.path());
    page.finish();
    page.rest();
    page.assert_layout("calibrate-all-sections");
    let mut page = sized(WIDE, WHOLE);
    page.finish();
    page.press("Apply to scenario…");
    page.rest();
    page.assert_layout("calibrate-apply");
    let mut page = sized(NARROW, WHOLE);
    page.finish();
    page.rest();
    page.assert_layout("calibrate-narrow");
    let mut page = sized(WIDE, WAITING);
    page.measure(10);
    page.rest();
    page.assert_layout("calibrate-measuring");
}

#[test]
fn every_state_of_the_page_is_laid_out_as_agreed() {
    let page = page_with(&[], WHOLE, false, |harness| harness.with_size([800.0, 600.0]));
    page.assert_layout("calibrate-no-gpu");
    let mut page = sized(NARROW, CRASHING);
    page.finish();
    page.rest();
    page.assert_layout("calibrate-failed");
    let mut page = sized(NARROW, WAITING);
    page.measure(10);
    page.press("Cancel");
    page.until("the end", |window| !run(window).is_going_on());
    page.rest();
    page.assert_layout("calibrate-cancelled");
    let mut page = sized([1000.0, 600.0], WHOLE);
    two_runs(page.folder.path());
    page.finish();
    for when in ["2026-01-02 10:11", "2026-01-03 10:11"] {
        page.window.get_by_label(&format!("Compare the run of {when}")).click();
        settle(&mut page.window);
    }
    page.press("Compare");
    page.rest();
    page.assert_layout("calibrate-compare");
    let mut page = page_with(&[device(true)], WHOLE, true, |harness| harness.with_size([1000.0, 1500.0]));
    page.finish();
    page.rest();
    page.assert_layout("calibrate-software");
}
