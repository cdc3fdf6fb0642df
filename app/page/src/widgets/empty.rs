//! What a page shows where it has nothing to show: a small picture of what will be there, what is missing, and the commands that
//! lead on.

use crossover_chart::{Chart, screen};
use egui::{Align, Label, Layout, RichText, ScrollArea, Ui, vec2};

use super::focus;
use crate::command::{Command, Tool};
use crate::compute::background::Ticket;
use crate::compute::computed::{Computed, IN_FRAME_MS, Work};
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
    /// What opens the sample.
    pub open: &'a [Command],
}

/// The chart that a page shows of its sample. It is computed on a thread when the page is first drawn: reading a log takes longer than
/// a frame.
#[derive(Debug)]
pub struct SamplePicture {
    of: SampleChart,
    drawn: Computed<SampleChart>,
}

impl SamplePicture {
    /// The picture that this function makes; of `None` the button is drawn alone.
    #[must_use]
    pub fn new(make: fn() -> Option<Chart>) -> Self {
        Self { of: SampleChart(make), drawn: Computed::new() }
    }

    /// Whether it is being computed.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.drawn.is_busy()
    }

    /// Forgets it: the page has something to show.
    pub fn forget(&mut self) {
        self.drawn.forget();
    }
}

/// What makes the chart of a sample.
#[derive(Debug, Clone, Copy)]
struct SampleChart(fn() -> Option<Chart>);

impl Work for SampleChart {
    type Outcome = Option<Chart>;
    const NAME: &'static str = "picture of a sample";
    const AGAIN: &'static str = "Draw";

    fn milliseconds(&self) -> f64 {
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        "Drawing a sample".to_owned()
    }

    fn compute(&self, _: Option<&Self::Outcome>, _: &Ticket) -> Option<Self::Outcome> {
        Some((self.0)())
    }
}

impl Sample<'_> {
    /// Draws the picture and the button that opens the sample.
    pub fn show(&self, ui: &mut Ui, picture: &mut SamplePicture, commands: &mut Vec<Command>) {
        let ([widest, height], of) = (PICTURE, picture.of);
        picture.drawn.refresh(ui.ctx(), |_| true, || of);
        let size = vec2(widest.min(ui.available_width()), 0.0);
        // Computed or not, it takes one id of this `ui`: the button keeps its own, and with it the focus.
        ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
            ui.set_width(size.x);
            if picture.is_busy() {
                ui.set_min_height(height);
            }
            if let Some(Some(chart)) = picture.drawn.shown().map(AsRef::as_ref) {
                ui.add(Label::new(RichText::new(format!("Sample: {}", self.name)).weak()).wrap());
                draw(ui, self.page, chart, height);
            }
        });
        let button = ui.button("Open a sample").on_hover_text(format!("Shows {} on this page", self.name));
        if button.clicked() {
            commands.extend_from_slice(self.open);
        }
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
    picture: &mut SamplePicture,
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
            Sample { page: tool.title, name: "the published setting", open: &open }.show(ui, picture, commands);
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
    use std::sync::atomic::{AtomicBool, Ordering};

    use crossover_chart::bars::{BarChart, BarRow, Segment};
    use crossover_chart::theme::Token;
    use crossover_needs::wait_until;
    use egui_kittest::Harness;
    use egui_kittest::kittest::{NodeT as _, Queryable as _};

    use super::*;

    /// Whether the picture of [`late`] may be computed.
    static GATE: AtomicBool = AtomicBool::new(false);

    fn late() -> Option<Chart> {
        wait_until("an open gate", || GATE.load(Ordering::Relaxed));
        picture()
    }

    #[expect(clippy::unnecessary_wraps, reason = "the picture of a page may be missing")]
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
            step_unit: 1.0,
            unit_format: |seconds| format!("{seconds} s"),
            rows: vec![row],
        }))
    }

    type State = (SamplePicture, Vec<Command>);

    /// The page while its picture is computed.
    fn begun(picture: fn() -> Option<Chart>) -> Harness<'static, State> {
        Harness::builder().with_size([800.0, 600.0]).build_ui_state(
            |ui, (picture, commands): &mut State| {
                let open = [Command::ShowStart];
                Sample { page: "a page", name: "the sample", open: &open }.show(ui, picture, commands);
            },
            (SamplePicture::new(picture), Vec::new()),
        )
    }

    fn finish(page: &mut Harness<'_, State>) {
        wait_until("the picture", || {
            page.run_steps(1);
            !page.state().0.is_busy()
        });
        page.run_steps(2);
    }

    fn page(picture: fn() -> Option<Chart>) -> Harness<'static, State> {
        let mut page = begun(picture);
        finish(&mut page);
        page
    }

    #[test]
    fn a_sample_has_its_chart_with_question_and_answer_and_a_button_that_opens_it() {
        let mut page = page(picture);
        for text in ["Sample: the sample", "How long does it take?", "Two seconds."] {
            assert!(page.query_by_label(text).is_some(), "{text}");
        }
        page.get_by_label("Open a sample").click();
        page.run_steps(2);
        assert_eq!(page.state().1, [Command::ShowStart]);
    }

    #[test]
    fn a_picture_that_takes_long_holds_up_no_frame_and_moves_no_focus() {
        let mut page = begun(late);
        let button = |page: &Harness<'_, State>| page.get_by_label("Open a sample").accesskit_node().locate().0;
        let before = button(&page);
        assert!(page.query_by_label("Two seconds.").is_none(), "the page is drawn without it");
        GATE.store(true, Ordering::Relaxed);
        finish(&mut page);
        assert!(page.query_by_label("Two seconds.").is_some());
        assert_eq!(button(&page), before, "the button has the same id");
    }

    #[test]
    fn without_a_picture_the_button_stays() {
        let page = page(|| None);
        assert!(page.query_by_label("Sample: the sample").is_none());
        page.get_by_label("Open a sample");
    }
}
