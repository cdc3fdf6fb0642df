//! The page of a tool names the scenario that it is about at its top, and the query where the scenario has a whole application.

use crossover_page::command::Command;
use crossover_page::document::Document;
use crossover_tool_pages::{map, search, sweep, uncertainty};
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::deciding::{messages, press, with_machines};
use super::{send, settle};

#[test]
fn a_tool_about_an_application_names_its_query_at_the_top_also_in_a_narrow_window() {
    let mut window = with_machines();
    let said = messages(&window);
    assert!(said.contains("Opened application shop: ") && !said.contains("Opened query"), "{said}");
    let tab = window.state().documents().len() - 1;
    // The settings of a tool are a closed drawer in the narrow window.
    for (tool, size) in [
        (sweep::TOOL, [1280.0, 800.0]),
        (sweep::TOOL, [800.0, 600.0]),
        (map::TOOL, [800.0, 600.0]),
        (search::TOOL, [800.0, 600.0]),
        (uncertainty::TOOL, [800.0, 600.0]),
    ] {
        window.set_size(size.into());
        send(&mut window, Command::SelectTab(tab));
        send(&mut window, Command::ShowTool(tool));
        settle(&mut window);
        let list = window.get_by_role_and_label(Role::ComboBox, "scenario").rect();
        let about = window.get_by_label("About query 6 of application shop, not about the whole application.").rect();
        assert!(list.bottom() <= about.top() && about.bottom() < 140.0, "{}: {list:?}, {about:?}", tool.title);
        assert!(about.right() < size[0], "{}: {about:?}", tool.title);
        press(&mut window, "Show the scenario");
        assert_eq!(window.state().active().map(Document::label), Some("shop"), "{}", tool.title);
    }
}
