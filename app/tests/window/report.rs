//! Reports for those who decide, exported from the window.

use crossover_export::report::ReportFormat;
use crossover_page::command::Command;
use egui_kittest::kittest::Queryable as _;

use super::{send, settle, type_path, window};

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
