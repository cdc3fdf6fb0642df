//! The menus that write charts and results to files, or copy results.

use std::ops::Range;

use crossover_export::Format;
use crossover_export::report::ReportFormat;
use egui::Ui;

use crate::command::{Command, Picture};
use crate::page::Env;

/// Offers the charts of a range as pictures and, with `with_data`, the data of the page.
pub fn show(ui: &mut Ui, env: &mut Env<'_>, charts: Range<usize>, with_data: bool) {
    menu(ui, env, charts, with_data, &[]);
}

/// The same with the data, and the report of the page in every format first.
pub fn with_reports(ui: &mut Ui, env: &mut Env<'_>, charts: Range<usize>) {
    menu(ui, env, charts, true, &ReportFormat::ALL.map(Command::ExportReport));
}

fn menu(ui: &mut Ui, env: &mut Env<'_>, charts: Range<usize>, with_data: bool, reports: &[Command]) {
    ui.menu_button("Export", |ui| {
        for report in reports {
            if ui.button(report.text()).on_hover_text(report.tooltip()).clicked() {
                env.commands.push(report.clone());
            }
        }
        for chart in charts.clone() {
            for picture in Picture::ALL {
                let command = Command::ExportChart { chart, picture };
                let text = if charts.len() > 1 {
                    format!("Plot {} as {}…", chart + 1 - charts.start, picture.label())
                } else {
                    command.text()
                };
                if ui.button(text).on_hover_text(command.tooltip()).clicked() {
                    env.commands.push(command);
                }
            }
        }
        if with_data && ui.button(Command::ExportData.text()).clicked() {
            env.commands.push(Command::ExportData);
        }
    });
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
