//! The link to the help on every page and tool leads to its section.

use egui_kittest::kittest::{NodeT as _, Queryable as _};

use super::super::{Window, settle};
use super::pages::{self, Shown};

/// A heading as links of GitHub name it.
fn slug(heading: &str) -> String {
    let letters = heading.trim().chars().flat_map(char::to_lowercase);
    let letters = letters.map(|letter| if letter == ' ' { '-' } else { letter });
    letters.filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect()
}

/// Where the help of the page on screen is, as "TOOLS.md#map-two-numbers".
fn help(window: &Window) -> &'static str {
    let workbench = window.state();
    match (workbench.active(), workbench.active_tool()) {
        (Some(document), _) => document.view.help(),
        (None, Some(page)) => page.tool().help,
        (None, None) => panic!("no page is open"),
    }
}

/// How many texts on screen are the heading of a section. A page may have one of the same words.
fn headings(window: &Window, section: &str) -> usize {
    let height = window.ctx.content_rect().height();
    let is_heading = |text: Option<String>| text.is_some_and(|text| slug(&text) == section);
    let headings = window.query_all_by(|node| is_heading(node.label().or_else(|| node.value())));
    let on_screen = headings.filter(|heading| {
        heading.accesskit_node().bounding_box().is_some() && (0.0..height).contains(&heading.rect().top())
    });
    on_screen.count()
}

fn check(pages: impl IntoIterator<Item = Shown>) -> usize {
    let mut count = 0;
    for Shown { name, mut window, .. } in pages {
        let (_, section) = help(&window).split_once('#').unwrap_or_else(|| panic!("{name}: help without a section"));
        let before = headings(&window, section);
        window.get_by_label("Help on this page").click_accesskit();
        settle(&mut window);
        settle(&mut window);
        assert!(headings(&window, section) > before, "{name}: no {section} on screen");
        count += 1;
    }
    count
}

#[test]
fn the_link_of_every_page_and_tool_shows_its_section() {
    assert!(check(pages::new_studies()) >= 5, "a page of each kind");
    assert!(check(pages::tools()) >= 10, "the tools");
    assert_eq!(check(pages::fleets()), 3, "a fleet, an application, a query");
}
