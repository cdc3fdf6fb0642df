//! Reports for those who decide, and charts of tools, exported from the window.

use crossover_export::report::ReportFormat;
use crossover_page::command::{Command, Picture};
use crossover_tool_pages::{map, sweep, uncertainty};
use egui_kittest::kittest::Queryable as _;

use super::{Window, send, settle, type_path, window};

#[test]
fn a_report_of_the_open_scenario_is_exported_as_the_command_line_writes_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = folder.path().join("scenario.ron");
    let mut window = window();
    send(&mut window, Command::SaveTo(scenario.clone()));
    for (format, name, key) in [(ReportFormat::Html, "r.html", "html"), (ReportFormat::Markdown, "r.md", "markdown")] {
        send(&mut window, Command::ExportReport(format));
        let path = folder.path().join(name);
        type_path(&mut window, &path);
        let written = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_crossover"));
        let program = program.args(["report", "scenario.ron", "--format", key]).current_dir(folder.path());
        let printed = program.output().expect("the program starts").stdout;
        assert!(written == String::from_utf8(printed).expect("UTF-8"), "{name} differs");
    }
}

#[test]
fn a_report_stands_among_the_exports_of_the_file_menu() {
    let mut window = window();
    window.get_by_label("File").click();
    settle(&mut window);
    // Menus stand above the page, which has exports of its own.
    let menu = window.get_all_by_label_contains("Export").last().expect("a menu");
    menu.click();
    settle(&mut window);
    window.get_by_label("Export report as Markdown…");
    window.get_by_label("Export report as HTML…").click();
    settle(&mut window);
    assert!(window.query_by_label("Export report as Markdown…").is_none(), "the menu is closed");
}

/// Exports the first chart of the page in front as SVG and as Vega-Lite, and its data: each file has the text.
#[track_caller]
pub(super) fn assert_exports(window: &mut Window, title: &str, data: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let chart = |picture| Command::ExportChart { chart: 0, picture };
    let all = [
        (chart(Picture::Svg), "svg", title),
        (chart(Picture::VegaLite), "json", title),
        (Command::ExportData, "csv", data),
    ];
    for (command, extension, expected) in all {
        send(window, command);
        let path = folder.path().join(format!("exported.{extension}"));
        type_path(window, &path);
        let written = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(written.contains(expected) && written.len() > 100, "{}: {written}", path.display());
    }
}

/// The charts of tools: a title, and a series for each curve or the cells of a map.
#[test]
fn charts_of_tools_are_exported_with_their_data() {
    let mut window = window();
    for (tool, title, data) in [
        (sweep::TOOL, "How does speedup change with CPU time per 100 MB?", "operators.join.cpu_seconds_per_100mb,"),
        (map::TOOL, "Where does filter: speedup reach 1×?", ""),
        (uncertainty::TOOL, "Distribution of speedup", "figure,present,mean,"),
    ] {
        send(&mut window, Command::SelectTab(0));
        send(&mut window, Command::ShowTool(tool));
        assert_exports(&mut window, title, data);
    }
    // Without a scenario there is no chart.
    send(&mut window, Command::CloseTabAt(0));
    send(&mut window, Command::ExportChart { chart: 0, picture: Picture::Svg });
    assert!(window.state().messages().any(|message| message == "This page has no chart to export now"));
}
