//! One chart at a time in a window without room for several: a row of tabs chooses which part of the page is drawn.

use egui::{Id, Ui};

use super::drawer;
use crate::tour::{self, Part};

/// Gap between a single chart and the end of the page, in points: without it the page would scroll.
const BELOW: f32 = 12.0;

/// A part of a page, with a chart that needs the room of all.
#[derive(Debug, Clone, Copy)]
pub struct ChartTab<'a> {
    /// Its name: one or two words.
    pub name: &'a str,
    /// The parts of the tour in it; a tour that points at one of them shows it.
    pub parts: &'a [Part],
}

impl<'a> ChartTab<'a> {
    /// A part that no tour points at.
    #[must_use]
    pub fn new(name: &'a str) -> Self {
        Self { name, parts: &[] }
    }
}

/// Which parts of a page are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnScreen {
    /// All of them, in the order of the page.
    All,
    /// The one at this place.
    One(usize),
}

impl OnScreen {
    /// Whether the part at this place is drawn.
    #[must_use]
    pub fn has(self, place: usize) -> bool {
        self == Self::All || self == Self::One(place)
    }

    /// Charts side by side, where so many would fit.
    #[must_use]
    pub fn columns(self, fitting: usize) -> usize {
        if self == Self::All { fitting } else { 1 }
    }
}

/// Draws the tabs in a window without room for several charts, and says which part is drawn; elsewhere all are. `page` names the choice,
/// which stays with the page; `first`: the part that is drawn before the user chooses.
pub fn choose(ui: &mut Ui, page: &'static str, first: usize, tabs: &[ChartTab<'_>]) -> OnScreen {
    if tabs.len() < 2 || !drawer::is_short(ui) {
        return OnScreen::All;
    }
    let id = Id::unique(("chart tab", page));
    // By its name: another study may have other parts.
    let before: Option<String> = ui.data(|data| data.get_temp(id));
    let place = before.and_then(|before| tabs.iter().position(|tab| tab.name == before));
    let mut place = place.unwrap_or(first).min(tabs.len() - 1);
    let sought = |tab: &ChartTab<'_>| tab.parts.iter().any(|part| tour::is_sought(ui.ctx(), *part));
    let mut chosen = tabs.iter().position(sought);
    ui.horizontal_wrapped(|ui| {
        for (other, tab) in tabs.iter().enumerate() {
            if ui.selectable_label(other == place, tab.name).on_hover_text("Shows this part of the page").clicked() {
                chosen = Some(other);
            }
        }
    });
    if let Some(chosen) = chosen {
        place = chosen;
        ui.data_mut(|data| data.insert_temp(id, tabs[chosen].name.to_owned()));
    }
    OnScreen::One(place)
}

/// Height of a chart at the end of a page, in points: the usual one, or the rest of the page if it is the only chart.
#[must_use]
pub fn height(ui: &Ui, usual: f32, is_alone: bool) -> f32 {
    let left = ui.available_height() - BELOW;
    // Without an end of the page there is no room to fill.
    if is_alone && left.is_finite() { left.max(usual) } else { usual }
}

/// Which parts are drawn, by their names.
#[derive(Debug)]
pub struct DrawnParts {
    names: Vec<&'static str>,
    on_screen: OnScreen,
}

impl DrawnParts {
    /// Whether there is room for all parts.
    #[must_use]
    pub fn are_all(&self) -> bool {
        self.on_screen == OnScreen::All
    }

    /// Whether the part is there and drawn.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().position(|one| *one == name).is_some_and(|place| self.on_screen.has(place))
    }
}

/// The same as [`choose`] for parts that are not always there: their names, and whether each is there now. The first one is drawn
/// before the user chooses.
pub fn choose_of(ui: &mut Ui, page: &'static str, parts: &[(&'static str, bool)]) -> DrawnParts {
    let names: Vec<&str> = parts.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name).collect();
    let tabs: Vec<ChartTab<'_>> = names.iter().map(|name| ChartTab::new(name)).collect();
    let on_screen = choose(ui, page, 0, &tabs);
    DrawnParts { names, on_screen }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    const LAST: Part = Part("last");

    /// A page of three parts, each a label; the state is the part that a tour points at.
    fn page(height: f32, pointed: Option<Part>) -> Harness<'static> {
        let mut page = Harness::builder().with_size([800.0, height]).build_ui(move |ui| {
            tour::point_at(ui.ctx(), pointed);
            let tabs = [ChartTab::new("Load"), ChartTab::new("Latency"), ChartTab { name: "Pairs", parts: &[LAST] }];
            let on_screen = choose(ui, "a page", 1, &tabs);
            for (place, text) in ["the load", "the latency", "the pairs"].into_iter().enumerate() {
                if on_screen.has(place) {
                    tour::part(ui, if place == 2 { LAST } else { Part("other") }, |ui| ui.label(text));
                }
            }
        });
        page.run_steps(3);
        page
    }

    fn drawn(page: &Harness<'_>) -> Vec<&'static str> {
        let is_there = |text: &&str| page.query_by_label(text).is_some();
        ["the load", "the latency", "the pairs"].into_iter().filter(is_there).collect()
    }

    #[test]
    fn a_window_with_room_has_all_parts_and_no_tabs() {
        let page = page(800.0, None);
        assert_eq!(drawn(&page), ["the load", "the latency", "the pairs"]);
        assert!(page.query_by_label("Load").is_none());
    }

    #[test]
    fn a_window_of_600_points_has_one_part_and_tabs_for_the_others() {
        let mut page = page(600.0, None);
        assert_eq!(drawn(&page), ["the latency"]);
        page.get_by_label("Load").click();
        page.run_steps(3);
        assert_eq!(drawn(&page), ["the load"]);
    }

    #[test]
    fn a_part_that_is_absent_has_no_tab_and_is_not_drawn() {
        for (height, expected) in [(800.0, [true, false, true]), (600.0, [true, false, false])] {
            let page = Harness::builder().with_size([800.0, height]).build_ui_state(
                |ui, drawn: &mut [bool; 3]| {
                    let names = ["Load", "Latency", "Pairs"];
                    let parts = choose_of(ui, "a page", &[(names[0], true), (names[1], false), (names[2], true)]);
                    *drawn = names.map(|name| parts.has(name));
                },
                [false; 3],
            );
            assert_eq!(*page.state(), expected, "{height}");
            assert!(page.query_by_label("Latency").is_none());
        }
    }

    #[test]
    fn a_chart_alone_takes_the_height_that_is_left_and_no_less_than_the_usual_one() {
        for (window, is_alone, expected) in [(600.0, true, 600.0 - 100.0), (600.0, false, 190.0), (250.0, true, 190.0)]
        {
            let mut page = Harness::builder().with_size([800.0, window]).build_ui_state(
                move |ui, found: &mut f32| {
                    ui.set_max_height(window - 100.0 + BELOW);
                    *found = height(ui, 190.0, is_alone);
                },
                0.0,
            );
            page.run_steps(3);
            assert_eq!(*page.state(), expected, "{window} {is_alone}");
        }
    }

    #[test]
    fn a_tour_shows_the_part_that_it_points_at() {
        assert_eq!(drawn(&page(600.0, Some(LAST))), ["the pairs"]);
    }
}
