//! The figures of the strip on top of a page.

use std::cell::Cell;

use crossover_chart::theme::Token;
use crossover_quantity::text::counted;
use egui::text::LayoutJob;
use egui::{Align, Color32, Label, Layout, Panel, RichText, TextStyle, TextWrapMode, Ui, Vec2, WidgetText, vec2};

use crate::compute::computed::{Computed, Work};
use crate::tour;
use crate::widgets::{drawer, warning};

/// The strip: what `show` adds about the outcome on the screen, dimmed while a newer one is computed, and the state of the computation.
pub fn panel<I: Work>(ui: &mut Ui, board: &mut Computed<I>, show: impl FnOnce(&mut Ui, &I::Outcome)) {
    let strip = Panel::top("summary").resizable(false).show(ui, |ui| {
        ui.add_space(4.0);
        if let Some(shown) = board.shown() {
            ui.scope(|ui| {
                board.dim(ui);
                show(ui, shown);
            });
        }
        board.state(ui);
        ui.add_space(2.0);
    });
    tour::mark(ui, tour::STRIP, strip.response.rect);
}

/// How large figures are, in points.
struct Sizes {
    /// Type of a figure.
    figure: f32,
    /// Type of its meaning.
    meaning: TextStyle,
    /// Height of both.
    block: f32,
    /// Between two figures.
    space: f32,
}

impl Sizes {
    const USUAL: Self = Self { figure: 20.0, meaning: TextStyle::Body, block: 40.0, space: 22.0 };
    /// The room of a short window is for the chart.
    const SHORT: Self = Self { figure: 15.0, meaning: TextStyle::Small, block: 32.0, space: 14.0 };

    fn of(ui: &Ui) -> Self {
        if drawer::is_short(ui) { Self::SHORT } else { Self::USUAL }
    }
}

/// Lines of an answer in a short window; its tooltip has the rest.
const ANSWER_LINES: usize = 4;

/// The answer of the page in words. The strip does not scroll, so the answer is visible in every window.
pub fn answer(ui: &mut Ui, text: &str) {
    let font = TextStyle::Body.resolve(ui.style());
    // The label has the colour of text.
    let mut job = LayoutJob::simple(text.to_owned(), font, Color32::PLACEHOLDER, f32::INFINITY);
    if drawer::is_short(ui) {
        job.wrap.max_rows = ANSWER_LINES;
    }
    ui.add(Label::new(job).wrap());
}

/// The same for an answer that is usually below its chart: only a low window has no room for it there.
pub fn answer_of_chart(ui: &mut Ui, text: impl FnOnce() -> String) {
    if drawer::is_low(ui) {
        answer(ui, &text());
    }
}

/// Figures beside each other, on as many lines as necessary; smaller ones in a short window.
pub fn strip(ui: &mut Ui, figures: impl FnOnce(&mut Ui)) {
    let space = Sizes::of(ui).space;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = space;
        figures(ui);
    });
}

/// Warnings in full; in a low window their number, with the texts as a tooltip.
pub fn warnings(ui: &mut Ui, warnings: &[String]) {
    if drawer::is_low(ui) && warnings.iter().map(String::len).sum::<usize>() > SHORT {
        warning::count(ui, warnings.len());
        let color = Token::Warning.color(ui.visuals().dark_mode);
        let text = counted(warnings.len() as f64, "warning");
        ui.colored_label(color, text).on_hover_ui(|ui| {
            for warning in warnings {
                ui.label(warning);
            }
        });
        return;
    }
    for text in warnings {
        warning::show(ui, format!("Warning: {text}"));
    }
}

/// Maximum number of characters of warnings in a low window.
const SHORT: usize = 60;

/// A figure with its meaning below, as one block.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The figure.
    pub figure: String,
    /// The label below the figure.
    pub meaning: String,
    /// A meaning that may replace this one: the block is as wide as the wider of the two, so that nothing moves. Empty if there is none.
    pub other_meaning: &'static str,
    /// Tooltip of the block.
    pub tooltip: String,
}

impl Figure {
    /// A figure with its meaning and a tooltip.
    #[must_use]
    pub fn new(figure: impl Into<String>, meaning: impl Into<String>, tooltip: impl Into<String>) -> Self {
        Self { figure: figure.into(), meaning: meaning.into(), tooltip: tooltip.into(), other_meaning: "" }
    }

    /// Its texts: figure, meaning and other meaning.
    fn texts(&self, sizes: &Sizes) -> [RichText; 3] {
        let weak = |text: &str| RichText::new(text).weak().text_style(sizes.meaning.clone());
        [RichText::new(&self.figure).size(sizes.figure).strong(), weak(&self.meaning), weak(self.other_meaning)]
    }

    /// Its width in a strip of this width. A text that is wider takes several lines.
    fn width(&self, ui: &Ui, sizes: &Sizes, widest: f32) -> f32 {
        let width = |text: RichText| size_of(ui, text, TextWrapMode::Extend, widest).x;
        self.texts(sizes).map(width).into_iter().fold(0.0, f32::max).min(widest)
    }

    /// The same with its height.
    fn size(&self, ui: &Ui, sizes: &Sizes, widest: f32) -> Vec2 {
        let width = self.width(ui, sizes, widest);
        let mode = if width < widest { TextWrapMode::Extend } else { TextWrapMode::Wrap };
        let [figure, meaning, _] = self.texts(sizes);
        vec2(width, size_of(ui, figure, mode, widest).y + size_of(ui, meaning, mode, widest).y)
    }

    fn show(&self, ui: &mut Ui) {
        let sizes = Sizes::of(ui);
        let widest = ui.max_rect().width();
        let width = self.width(ui, &sizes, widest);
        let label = |text: RichText| if width < widest { Label::new(text).extend() } else { Label::new(text).wrap() };
        let block = ui.allocate_ui_with_layout(vec2(width, sizes.block), Layout::top_down(Align::Min), |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let [figure, meaning, _] = self.texts(&sizes);
            ui.add(label(figure));
            ui.add(label(meaning));
        });
        block.response.on_hover_text(&self.tooltip);
    }
}

/// The size of a text in a strip of this width.
fn size_of(ui: &Ui, text: RichText, mode: TextWrapMode, widest: f32) -> Vec2 {
    WidgetText::from(text).into_galley(ui, Some(mode), widest, TextStyle::Body).size()
}

/// A figure with its meaning below, as one block.
pub fn headline(ui: &mut Ui, figure: &str, meaning: &str, tooltip: &str) {
    Figure::new(figure, meaning, tooltip).show(ui);
}

/// Figures that are made once, and drawn as [`strip`] does with the height of others that may replace them, so that nothing below moves. A
/// short window reserves no height.
#[derive(Debug)]
pub struct SteadyStrip {
    figures: Vec<Figure>,
    others: Vec<Vec<Figure>>,
    /// The height that the others take more, and what it was measured with.
    missing: Cell<Option<(Measure, f32)>>,
}

/// What the height of figures depends on beside their texts, as bits: width, height of a line of text, pixels per point, and spacing.
type Measure = [u32; 4];

impl SteadyStrip {
    /// A strip with the height of others that may take its place.
    #[must_use]
    pub fn new(figures: Vec<Figure>, others: Vec<Vec<Figure>>) -> Self {
        Self { figures, others, missing: Cell::new(None) }
    }

    /// Draws the figures with the room of the others.
    pub fn show(&self, ui: &mut Ui) {
        let missing = if drawer::is_short(ui) { 0.0 } else { self.missing(ui) };
        strip(ui, |ui| {
            for figure in &self.figures {
                figure.show(ui);
            }
        });
        if missing > 0.0 {
            // An area, because space at the end of a scope counts the spacing before it.
            ui.allocate_space(vec2(0.0, (missing - ui.spacing().item_spacing.y).max(0.0)));
        }
    }

    /// The height that the others take more. Laying them out in every frame takes longer than drawing the strip.
    fn missing(&self, ui: &Ui) -> f32 {
        let line = ui.text_style_height(&TextStyle::Body);
        let measure = [ui.max_rect().width(), line, ui.ctx().pixels_per_point(), ui.spacing().item_spacing.y];
        let measure = measure.map(f32::to_bits);
        if let Some((of, missing)) = self.missing.get()
            && of == measure
        {
            return missing;
        }
        let most = self.others.iter().map(|others| height(ui, others)).fold(0.0, f32::max);
        let missing = most - height(ui, &self.figures);
        self.missing.set(Some((measure, missing)));
        missing
    }
}

/// The height of figures in a strip, as `horizontal_wrapped` lays out their blocks.
fn height(ui: &Ui, figures: &[Figure]) -> f32 {
    let (sizes, widest) = (Sizes::of(ui), ui.max_rect().width());
    let between = ui.spacing().item_spacing.y;
    let (mut above, mut line, mut left) = (0.0_f32, 0.0_f32, 0.0_f32);
    for figure in figures {
        let size = figure.size(ui, &sizes, widest);
        if left > 0.0 && left + size.x > widest {
            above += line + between;
            (line, left) = (0.0, 0.0);
        }
        line = line.max(size.y);
        left += size.x + sizes.space;
    }
    above + line
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    /// The figures of an answer about an application, and one that is wider than any window.
    const FIGURES: [[&str; 2]; 6] = [
        ["Move", "the application: to Gluten (Velox) on Spark 3.5.3, same machines"],
        ["56.71 s to 36 s", "time, today and with the option"],
        ["$0.003025 to $0.002037", "cost per run, today and with the option"],
        ["95 %", "likely to be cheaper and not slower"],
        ["$0.000988", "expected saving per run"],
        [
            "Cannot be judged",
            "this query alone: its exchange is larger than any measured one, and its plan has functions of the user that \
             no engine but that of today runs, so that neither its time nor its cost is known (2 other reasons)",
        ],
    ];

    /// Top of a label below a strip that shows some figures and reserves the height of others, in a window of each of these sizes.
    fn tops_below<const N: usize>(sizes: [[f32; 2]; N], [shown, others]: [&[[&str; 2]]; 2]) -> [f32; N] {
        let figures = |texts: &[[&str; 2]]| -> Vec<Figure> {
            texts.iter().map(|[figure, meaning]| Figure::new(*figure, *meaning, "")).collect()
        };
        let strip = SteadyStrip::new(figures(shown), vec![figures(others)]);
        let mut window = Harness::builder().build_ui(move |ui| {
            ui.scope(|ui| strip.show(ui));
            ui.label("below");
        });
        sizes.map(|size| {
            window.set_size(size.into());
            window.run_steps(2);
            window.get_by_label("below").rect().top()
        })
    }

    /// The same in a window of one size.
    fn top_below(size: [f32; 2], texts: [&[[&str; 2]]; 2]) -> f32 {
        let [top] = tops_below([size], texts);
        top
    }

    #[test]
    fn what_is_below_a_strip_stays_in_place_when_other_figures_take_more_or_fewer_lines() {
        for width in [500.0, 800.0, 1280.0] {
            let size = [width, 800.0];
            let [few, many] = [&FIGURES[..2], &FIGURES[..]];
            let most = top_below(size, [many, &[]]);
            assert!(top_below(size, [few, &[]]) < most, "{width}: they need fewer lines");
            assert!((top_below(size, [few, many]) - most).abs() < 0.5, "{width}");
            assert!((top_below(size, [many, few]) - most).abs() < 0.5, "{width}");
        }
        // The height is measured again when the window is resized.
        let sizes = [[1280.0, 800.0], [500.0, 800.0], [1280.0, 800.0]];
        let texts = [&FIGURES[..2], &FIGURES[..]];
        assert_eq!(tops_below(sizes, texts), sizes.map(|size| top_below(size, texts)));
        let short = [800.0, 600.0];
        assert_eq!(top_below(short, [&FIGURES[..2], &FIGURES]), top_below(short, [&FIGURES[..2], &[]]));
    }

    #[test]
    fn an_answer_is_whole_and_in_a_short_window_it_has_four_lines() {
        const ANSWER: &str = "Cost-aware preemption: throughput (STP) 1.464, 1.464× that of exclusive execution, with turnaround \
                              0.858 % shorter. That is 21.48 % more throughput than best pairs, which never preempts. Its turnaround \
                              is 14.83 % longer than that of best pairs. Highest throughput: drain, 1.577.";
        let height = |size: [f32; 2], text: &'static str| {
            let mut window = Harness::builder().with_size(size).build_ui(move |ui| answer(ui, text));
            window.run_steps(2);
            window.get_by_label(text).rect().height()
        };
        let line = height([300.0, 800.0], "A line.");
        assert!(height([300.0, 800.0], ANSWER) > 4.5 * line);
        assert!((height([300.0, 400.0], ANSWER) - 4.0 * line).abs() < 4.0);
        assert!(height([800.0, 600.0], ANSWER) < 3.5 * line);
    }

    #[test]
    fn no_figure_of_a_strip_is_cut_off() {
        for size in [[800.0, 600.0], [1280.0, 800.0]] {
            let mut window = Harness::builder().with_size(size).build_ui(|ui| {
                strip(ui, |ui| {
                    for [figure, meaning] in FIGURES {
                        headline(ui, figure, meaning, "");
                    }
                });
            });
            window.run_steps(2);
            for text in FIGURES.as_flattened() {
                let range = window.get_by_label(text).rect().x_range();
                assert!(range.min >= 0.0 && range.max <= size[0] + 1.0, "{text}: {range:?} in {size:?}");
            }
        }
    }
}
