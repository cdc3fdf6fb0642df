//! The menus that write charts and results to files, or copy results.

use crossover_export::Format;
use crossover_export::report::ReportFormat;
use egui::Ui;

use crate::command::{Command, Picture};
use crate::page::Env;

/// Offers a chart of the page as a picture and, with `with_data`, the data of the page.
pub fn show(ui: &mut Ui, env: &mut Env<'_>, chart: usize, with_data: bool) {
    // The menu stands beside the title of its chart.
    menu(ui, env.commands, chart, [[""; 2]], with_data, &[]);
}

/// Offers charts of the page, the first of them at a place, and the data of the page. Each chart has its title and subtitle.
pub fn of_charts<'a>(ui: &mut Ui, env: &mut Env<'_>, first: usize, captions: impl IntoIterator<Item = [&'a str; 2]>) {
    menu(ui, env.commands, first, captions, true, &[]);
}

/// The same for the charts of the page of a tool; nothing without a chart.
pub fn of_tool<'a>(ui: &mut Ui, commands: &mut Vec<Command>, captions: impl IntoIterator<Item = [&'a str; 2]>) {
    let captions: Vec<[&str; 2]> = captions.into_iter().collect();
    if !captions.is_empty() {
        menu(ui, commands, 0, captions, true, &[]);
    }
}

/// The same for all charts of the page, after the report of the page in every format.
pub fn with_reports<'a>(ui: &mut Ui, env: &mut Env<'_>, captions: impl IntoIterator<Item = [&'a str; 2]>) {
    menu(ui, env.commands, 0, captions, true, &ReportFormat::ALL.map(Command::ExportReport));
}

fn menu<'a>(
    ui: &mut Ui,
    commands: &mut Vec<Command>,
    first: usize,
    captions: impl IntoIterator<Item = [&'a str; 2]>,
    with_data: bool,
    reports: &[Command],
) {
    ui.menu_button("Export", |ui| {
        for report in reports {
            if ui.button(report.text()).on_hover_text(report.tooltip()).clicked() {
                commands.push(report.clone());
            }
        }
        let captions: Vec<[&str; 2]> = captions.into_iter().collect();
        for (place, name) in names(&captions).iter().enumerate() {
            for picture in Picture::ALL {
                let command = Command::ExportChart { chart: first + place, picture };
                let text =
                    if captions.len() > 1 { format!("“{name}” as {}…", picture.label()) } else { command.text() };
                if ui.button(text).on_hover_text(command.tooltip()).clicked() {
                    commands.push(command);
                }
            }
        }
        if with_data && ui.button(Command::ExportData.text()).clicked() {
            commands.push(Command::ExportData);
        }
    });
}

/// What tells charts apart, by their titles and subtitles: the title, and behind a title that several have the subtitle without its
/// notes, which follow a semicolon.
fn names(captions: &[[&str; 2]]) -> Vec<String> {
    let is_shared = |title: &str| captions.iter().filter(|[other, _]| *other == title).count() > 1;
    let name = |[title, subtitle]: &[&str; 2]| {
        let subtitle = subtitle.split_once("; ").map_or(*subtitle, |(subtitle, _)| subtitle);
        if is_shared(title) && !subtitle.is_empty() { format!("{title} {subtitle}") } else { (*title).to_owned() }
    };
    captions.iter().map(name).collect()
}

/// Offers the results of the study: to copy, and as files; `more` are further commands.
pub fn results(ui: &mut Ui, env: &mut Env<'_>, more: &[Command]) {
    ui.menu_button("Copy", |ui| {
        for format in [Format::Csv, Format::Markdown] {
            if ui.button(Command::Copy(format).text()).clicked() {
                env.commands.push(Command::Copy(format));
            }
        }
    });
    ui.menu_button("Export", |ui| {
        let reports = ReportFormat::ALL.map(Command::ExportReport);
        for command in reports.iter().chain(&Format::EXPORTED.map(Command::Export)).chain(more) {
            if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
                env.commands.push(command.clone());
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_have_their_titles_and_those_with_one_title_their_subtitles() {
        let different = [["What did the controller do?", "GPU 0"], ["How far is it from balance?", "GPU 0"]];
        assert_eq!(names(&different), ["What did the controller do?", "How far is it from balance?"]);
        let classes = [
            ["Where is the GPU faster?", "linear · filter"],
            ["Where is the GPU faster?", "quadratic · curves: join; grey points: other operators"],
        ];
        assert_eq!(
            names(&classes),
            ["Where is the GPU faster? linear · filter", "Where is the GPU faster? quadratic · curves: join"]
        );
    }
}
