//! The figures of the strip on top of a page.

use crossover_chart::theme::Token;
use crossover_quantity::text::counted;
use egui::{Align, Label, Layout, Panel, RichText, TextStyle, TextWrapMode, Ui, vec2};

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
pub fn headline(ui: &mut egui::Ui, figure: &str, meaning: &str, tooltip: &str) {
    headline_as_wide(ui, figure, meaning, meaning, tooltip);
}

/// The same with room for another meaning, so that nothing moves when that one takes its place.
pub fn headline_as_wide(ui: &mut egui::Ui, figure: &str, meaning: &str, other: &str, tooltip: &str) {
    let sizes = Sizes::of(ui);
    let weak = |text: &str| RichText::new(text).weak().text_style(sizes.meaning.clone());
    let figure = RichText::new(figure).size(sizes.figure).strong();
    let meaning = weak(meaning);
    let mut width = 0.0_f32;
    for text in [figure.clone(), meaning.clone(), weak(other)] {
        let galley =
            egui::WidgetText::from(text).into_galley(ui, Some(TextWrapMode::Extend), f32::INFINITY, TextStyle::Body);
        width = width.max(galley.size().x);
    }
    // A text that is wider than the strip takes several lines.
    let widest = ui.max_rect().width();
    let label = |text: RichText| if width > widest { Label::new(text).wrap() } else { Label::new(text).extend() };
    let size = vec2(width.min(widest), sizes.block);
    let block = ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.add(label(figure));
        ui.add(label(meaning));
    });
    block.response.on_hover_text(tooltip);
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
