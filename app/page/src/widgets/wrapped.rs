//! Texts on several lines.

use egui::{Label, Response, RichText, Role, Ui, WidgetInfo};

/// Draws a text on as many lines as necessary, without a break between a number and its percent sign. Its accessible name is the text
/// itself.
pub fn wrapped(ui: &mut Ui, text: &str, styled: impl FnOnce(RichText) -> RichText) -> Response {
    let label = ui.add(Label::new(styled(RichText::new(unbroken(text)))).wrap());
    label.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    label
}

/// The same with a no-break space before each percent sign.
fn unbroken(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
}

#[cfg(test)]
mod tests {
    use super::unbroken;

    #[test]
    fn a_percentage_stays_on_one_line() {
        assert_eq!(unbroken("it is >99 % likely, 5 of 6"), "it is >99\u{a0}% likely, 5 of 6");
    }
}
