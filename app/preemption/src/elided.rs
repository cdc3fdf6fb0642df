//! Long names: shortened in the middle, as C++ names differ at both ends, and complete on hover.

use std::borrow::Cow;

use egui::{Color32, FontId, Label, Painter, Response, Sense, TextStyle, Ui};

/// The name, or as many of its first and last letters as fit around an ellipsis.
pub(super) fn middle(name: &str, fits: impl Fn(&str) -> bool) -> Cow<'_, str> {
    if fits(name) {
        return Cow::Borrowed(name);
    }
    let letters: Vec<char> = name.chars().collect();
    let cut = |kept: usize| -> String {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
    };
    let kept: Vec<usize> = (1..letters.len()).collect();
    Cow::Owned(cut(kept.partition_point(|kept| fits(&cut(*kept)))))
}

/// The name in at most so many characters.
pub(super) fn letters(name: &str, most: usize) -> Cow<'_, str> {
    middle(name, |text| text.chars().count() <= most)
}

/// How wide a text is in one line, in points.
pub(super) fn width(painter: &Painter, text: &str, font: &FontId) -> f32 {
    painter.layout_no_wrap(text.to_owned(), font.clone(), Color32::PLACEHOLDER).size().x
}

/// The name in at most so many points.
pub(super) fn within<'a>(painter: &Painter, name: &'a str, font: &FontId, most: f32) -> Cow<'a, str> {
    middle(name, |text| width(painter, text, font) <= most)
}

/// A name with a suffix that is never cut, in at most so many points; transparent to the pointer unless it was cut.
pub(super) fn label(ui: &mut Ui, name: &str, behind: &str, most: f32) -> Response {
    let font = TextStyle::Body.resolve(ui.style());
    let room = most - width(ui.painter(), behind, &font);
    let shown = within(ui.painter(), name, &font, room);
    let is_truncated = shown != name;
    let label = Label::new(format!("{shown}{behind}")).selectable(false).extend();
    let response = ui.add(if is_truncated { label.sense(Sense::HOVER) } else { label });
    if is_truncated { response.on_hover_text(format!("{name}{behind}")) } else { response }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_ends() {
        assert_eq!(letters("hotspot", 7), "hotspot");
        assert_eq!(letters("calculate_temp", 9), "calc…temp");
        assert_eq!(letters("void k<int, 4>(float*)", 8), "void…t*)");
        // Nothing fits: only the ellipsis is left.
        assert_eq!(middle("hotspot", |_| false), "…");
        assert_eq!(letters("ß結合結合", 3), "ß…合");
    }
}
