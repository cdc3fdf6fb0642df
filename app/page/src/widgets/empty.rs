//! What a page shows where it has nothing to show: a small picture of what will be there, what is missing, and the commands that
//! lead on.

use std::sync::Arc;

use crossover_chart::{Chart, screen};
use egui::{Align, Id, Label, Layout, RichText, ScrollArea, Ui, vec2};

use super::focus;
use crate::command::{Command, Tool};
use crate::examples::PUBLISHED;

/// Space above the text at most, in points.
const ABOVE: f32 = 60.0;
/// Largest width and height of a picture, in points: the page with it has room in a window of 800 × 600.
const PICTURE: [f32; 2] = [420.0, 150.0];

/// A sample that comes with the program, and a small picture of what a page shows of it.
pub struct Sample<'a> {
    /// The page: each has a picture of its own.
    pub page: &'static str,
    /// What the sample is: “the published setting”.
    pub name: &'a str,
    /// The chart that the page shows of the sample. It is computed when the page is first drawn, within the frame; `None` draws the
    /// button alone.
    pub picture: fn() -> Option<Chart>,
    /// What opens the sample.
    pub open: &'a [Command],
}

impl Sample<'_> {
    /// Draws the picture and the button that opens the sample.
    pub fn show(&self, ui: &mut Ui, commands: &mut Vec<Command>) {
        let [widest, height] = PICTURE;
        if let Some(chart) = &*self.chart(ui) {
            let size = vec2(widest.min(ui.available_width()), 0.0);
            ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
                ui.set_width(size.x);
                ui.add(Label::new(RichText::new(format!("Sample: {}", self.name)).weak()).wrap());
                draw(ui, self.page, chart, height);
            });
        }
        let button = ui.button("Open a sample").on_hover_text(format!("Shows {} on this page", self.name));
        if button.clicked() {
            commands.extend_from_slice(self.open);
        }
    }

    /// The picture, which is kept while the window is open.
    fn chart(&self, ui: &Ui) -> Arc<Option<Chart>> {
        let id = Id::unique(("picture of a sample", self.page));
        if let Some(chart) = ui.data(|data| data.get_temp(id)) {
            return chart;
        }
        let chart = Arc::new((self.picture)());
        ui.data_mut(|data| data.insert_temp(id, Arc::clone(&chart)));
        chart
    }
}

/// Draws a chart with its question and its answer. Nothing can be edited in it.
fn draw(ui: &mut Ui, page: &str, chart: &Chart, height: f32) {
    let [title, answer] = match chart {
        Chart::Lines(chart) => [&chart.title, &chart.answer],
        Chart::Bars(chart) => [&chart.title, &chart.answer],
        Chart::Map(chart) => [&chart.title, &chart.answer],
        // They need a page.
        Chart::Plan(_) | Chart::Gantt(_) | Chart::Grid(_) => return,
    };
    ui.add(Label::new(RichText::new(title).strong()).wrap());
    match chart {
        Chart::Lines(chart) => _ = screen::lines(ui, ("sample", page), chart, None, height),
        Chart::Bars(chart) => screen::bars(ui, chart),
        Chart::Map(chart) => {
            let at = |axis: &crossover_chart::axis::Axis, value: Option<&f64>| {
                format!("{}: {}", axis.label, value.map_or_else(String::new, |value| (axis.format)(*value)))
            };
            let read = |[column, row]: [usize; 2]| {
                [at(&chart.x, chart.xs.get(column)), at(&chart.y, chart.ys.get(row))].join("\n")
            };
            _ = screen::map(ui, ("sample", page), chart, height, read);
        }
        Chart::Plan(_) | Chart::Gantt(_) | Chart::Grid(_) => {}
    }
    if !answer.is_empty() {
        ui.add(Label::new(answer).wrap());
    }
}

/// The page of a tool that needs a scenario and finds none: its question, a sentence about what answers it, what is missing, the
/// tool with the published setting, and how to get a scenario.
pub fn no_scenario(
    ui: &mut Ui,
    tool: Tool,
    [question, answer, missing]: [&str; 3],
    picture: fn() -> Option<Chart>,
    commands: &mut Vec<Command>,
) {
    ScrollArea::vertical().id_salt("no scenario").auto_shrink(false).show(ui, |ui| {
        focus::follow(ui);
        let above = (0.1 * ui.available_height()).min(ABOVE);
        ui.vertical_centered(|ui| {
            ui.add_space(above);
            ui.heading(question);
            for text in [answer, missing] {
                ui.add(Label::new(text).wrap());
            }
            ui.add_space(8.0);
            let open = [Command::OpenExample(PUBLISHED), Command::ShowTool(tool)];
            Sample { page: tool.title, name: "the published setting", picture, open: &open }.show(ui, commands);
            steps(ui, &[Command::Open, Command::ShowStart], commands);
        });
    });
}

/// A button for each command that leads on.
pub fn steps(ui: &mut Ui, steps: &[Command], commands: &mut Vec<Command>) {
    for step in steps {
        if ui.button(step.text()).on_hover_text(step.tooltip()).clicked() {
            commands.push(step.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use crossover_chart::bars::{BarChart, BarRow, Segment};
    use crossover_chart::theme::Token;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    fn picture() -> Option<Chart> {
        let row = BarRow {
            group: "today".to_owned(),
            label: String::new(),
            token: Token::Cpu,
            start: 0.0,
            segments: vec![Segment { name: "time".to_owned(), token: Token::Cpu, value: 2.0 }],
            total: 2.0,
            interval: None,
            note: String::new(),
            detail: String::new(),
        };
        Some(Chart::Bars(BarChart {
            title: "How long does it take?".to_owned(),
            subtitle: String::new(),
            answer: "Two seconds.".to_owned(),
            unit_format: |seconds| format!("{seconds} s"),
            rows: vec![row],
        }))
    }

    fn page(picture: fn() -> Option<Chart>) -> Harness<'static, Vec<Command>> {
        Harness::builder().with_size([800.0, 600.0]).build_ui_state(
            move |ui, commands: &mut Vec<Command>| {
                let open = [Command::ShowStart];
                Sample { page: "a page", name: "the sample", picture, open: &open }.show(ui, commands);
            },
            Vec::new(),
        )
    }

    #[test]
    fn a_sample_has_its_chart_with_question_and_answer_and_a_button_that_opens_it() {
        let mut page = page(picture);
        for text in ["Sample: the sample", "How long does it take?", "Two seconds."] {
            assert!(page.query_by_label(text).is_some(), "{text}");
        }
        page.get_by_label("Open a sample").click();
        page.run_steps(2);
        assert_eq!(*page.state(), [Command::ShowStart]);
    }

    #[test]
    fn without_a_picture_the_button_stays() {
        let page = page(|| None);
        assert!(page.query_by_label("Sample: the sample").is_none());
        page.get_by_label("Open a sample");
    }
}
