//! Warnings on the page of a study. The status bar has their number, counted as they are drawn: whatever stands on the page in the
//! colour of a warning is in it.

use crossover_chart::theme::Token;
use crossover_quantity::text::counted;
use egui::{Context, Id, Response, RichText, Ui};

/// A warning of the page.
pub fn show(ui: &mut Ui, text: impl Into<RichText>) -> Response {
    count(ui, 1);
    let color = Token::Warning.color(ui.visuals().dark_mode);
    ui.colored_label(color, text)
}

/// Counts warnings of which the page shows the number, with their texts on request.
pub fn count(ui: &Ui, warnings: usize) {
    ui.data_mut(|data| *data.get_temp_mut_or_default::<usize>(id()) += warnings);
}

/// Draws a page, and returns how many warnings it has.
pub(crate) fn counted_in(ctx: &Context, draw: impl FnOnce()) -> usize {
    ctx.data_mut(|data| data.insert_temp(id(), 0_usize));
    draw();
    ctx.data(|data| data.get_temp(id())).unwrap_or_default()
}

/// The number of warnings, for the status bar: "no warnings", "2 warnings".
pub(crate) fn number(warnings: usize) -> String {
    if warnings == 0 { "no warnings".to_owned() } else { counted(warnings as f64, "warning") }
}

fn id() -> Id {
    Id::unique("warnings of the page")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_of_a_page_are_counted_each_time_it_is_drawn() {
        let ctx = Context::default();
        let mut counts = Vec::new();
        for texts in [&["the link is slow", "the node is full"][..], &[]] {
            let draw = |ui: &mut Ui| {
                let found = counted_in(&ctx, || {
                    for text in texts {
                        show(ui, *text);
                    }
                    // A line that opens, with a warning for each text.
                    count(ui, texts.len());
                });
                counts.push(number(found));
            };
            ctx.run_ui(egui::RawInput::default(), draw).textures_delta.clear();
        }
        counts.dedup();
        assert_eq!(counts, ["4 warnings", "no warnings"]);
    }
}
