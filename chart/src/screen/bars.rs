//! Stacked bars in the window: CPU above GPU for each group.

use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, FontId, Pos2, Rect, RichText, Sense, Ui, Vec2, vec2};

use super::{Swatch, swatch};
use crate::bars::{BarChart, BarRow};
use crate::theme::Token;

/// Half the height of the end of an interval, in points.
const CAP: f32 = 3.5;
/// Longest name before a bar, in points; with a longer one, all names are above their bars.
const LONGEST_NAME: f32 = 230.0;
/// Shortest room for the longest bar, in points.
const LEAST_BAR: f32 = 60.0;
/// Height of a bar, and of a name above one, in points.
const ROW: f32 = 17.0;

/// Draws stacked bars without the title.
pub fn show(ui: &mut Ui, chart: &BarChart) {
    draw(ui, chart, false);
}

/// The same with an axis above them: bars that begin at different places cannot be read without one.
pub fn show_course(ui: &mut Ui, chart: &BarChart) {
    draw(ui, chart, true);
}

fn draw(ui: &mut Ui, chart: &BarChart, has_axis: bool) {
    let dark = ui.visuals().dark_mode;
    let [lowest, highest] = chart.ends();
    let longest = highest - lowest;
    let font = FontId::proportional(12.5);
    let width_of =
        |text: &str| ui.fonts_mut(|fonts| fonts.layout_no_wrap(text.to_owned(), font.clone(), Color32::WHITE).size().x);
    let widest_name = chart.rows.iter().map(|row| width_of(&row.group)).fold(40.0_f32, f32::max);
    let label_width = chart.rows.iter().map(|row| width_of(&row.label)).fold(0.0_f32, f32::max);
    let label_width = if label_width > 0.0 { label_width.max(26.0) + 8.0 } else { 0.0 };
    let note_width = chart.rows.iter().map(|row| width_of(&behind(chart, row))).fold(60.0_f32, f32::max);
    // Names that leave no room for bars are above them.
    let beside = ui.available_width() - label_width - note_width - LEAST_BAR - 24.0;
    let is_above = widest_name > beside.min(LONGEST_NAME);
    let group_width = if is_above { 0.0 } else { widest_name + 8.0 };
    let ticks: Vec<f64> =
        if has_axis { chart.axis().ticks(6).iter().map(|tick| tick.value).collect() } else { Vec::new() };
    let bars_of = |rect: Rect| {
        let left = rect.left() + group_width + label_width;
        [left, (rect.right() - note_width - 16.0 - left).max(20.0)]
    };
    if !ticks.is_empty() {
        axis(ui, chart, &ticks, bars_of);
    }
    let mut previous: Option<&str> = None;
    for row in &chart.rows {
        let starts_group = previous != Some(row.group.as_str());
        if starts_group && previous.is_some() {
            ui.add_space(5.0);
        }
        previous = Some(&row.group);
        let has_line = starts_group && is_above;
        let height = if has_line { 2.0 * ROW } else { ROW };
        let (whole, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
        let rect = Rect::from_min_max(Pos2::new(whole.left(), whole.bottom() - ROW), whole.max);
        let painter = ui.painter().with_clip_rect(whole);
        let text = Token::Text.color(dark);
        if starts_group {
            let mut name = LayoutJob::simple_singleline(row.group.clone(), font.clone(), text);
            name.wrap = TextWrapping::truncate_at_width(if is_above { whole.width() } else { widest_name });
            let galley = painter.layout_job(name);
            painter.galley(whole.min, galley, text);
        }
        let label_at = Pos2::new(rect.left() + group_width, rect.center().y);
        painter.text(label_at, Align2::LEFT_CENTER, &row.label, font.clone(), row.token.text(dark));
        let [left, room] = bars_of(rect);
        let scale = if longest > 0.0 { f64::from(room) / longest } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "a length on the screen")]
        let place = |value: f64| left + ((value - lowest) * scale) as f32;
        for tick in &ticks {
            painter.vline(place(*tick), whole.y_range(), egui::Stroke::new(1.0, Token::Grid.color(dark)));
        }
        let mut x = place(row.begins());
        for segment in &row.segments {
            #[expect(clippy::cast_possible_truncation, reason = "a length on the screen")]
            let length = (segment.value.max(0.0) * scale) as f32;
            let bar = Rect::from_min_size(Pos2::new(x, rect.top() + 2.0), Vec2::new(length, rect.height() - 4.0));
            painter.rect_filled(bar, 0.0, segment.token.color(dark));
            x += length;
        }
        if lowest < 0.0 {
            // The line at zero, where the sign changes.
            let stroke = egui::Stroke::new(1.5, text);
            painter.vline(place(0.0), rect.y_range(), stroke);
        }
        if let Some(ends) = row.ends() {
            let [low, high] = ends.map(place);
            let stroke = egui::Stroke::new(1.2, text);
            painter.hline(low..=high, rect.center().y, stroke);
            for end in [low, high] {
                painter.vline(end, rect.center().y - CAP..=rect.center().y + CAP, stroke);
            }
            x = x.max(high);
        }
        let text_left = text_left(x, (lowest < 0.0).then(|| place(0.0)));
        painter.text(
            Pos2::new(text_left, rect.center().y),
            Align2::LEFT_CENTER,
            behind(chart, row),
            font.clone(),
            text,
        );
        let summary = format!("{}: {}", name(row), behind(chart, row));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, summary.clone()));
        response.on_hover_ui(|ui| segments(ui, chart, row));
    }
}

/// The ticks above bars that are a course of time; `bars_of`: where bars begin in a row, and their room.
fn axis(ui: &mut Ui, chart: &BarChart, ticks: &[f64], bars_of: impl Fn(Rect) -> [f32; 2]) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let [left, room] = bars_of(rect);
    let axis = chart.axis();
    let (color, font) = (Token::TextWeak.color(ui.visuals().dark_mode), FontId::proportional(11.0));
    let mut free_from = f32::NEG_INFINITY;
    for tick in ticks {
        #[expect(clippy::cast_possible_truncation, reason = "a length on the screen")]
        let x = left + room * axis.fraction(*tick) as f32;
        let galley = ui.painter().layout_no_wrap((chart.unit_format)(*tick), font.clone(), color);
        let half = galley.size().x / 2.0;
        if x - half >= free_from {
            free_from = x + half + 8.0;
            ui.painter().galley(Pos2::new(x - half, rect.top()), galley, color);
        }
    }
    let [from, to] = axis.range.map(chart.unit_format);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("axis: {from} … {to}")));
}

/// Where the text behind a bar begins: right of its end, and of the line at zero if there is one, which would cross the text.
fn text_left(end: f32, zero: Option<f32>) -> f32 {
    zero.map_or(end, |zero| end.max(zero)) + 6.0
}

/// What a bar is said to be: "filter on CPU".
fn name(row: &BarRow) -> String {
    if row.label.is_empty() { row.group.clone() } else { format!("{} on {}", row.group, row.label) }
}

/// Text behind a bar.
fn behind(chart: &BarChart, row: &BarRow) -> String {
    let total = (chart.unit_format)(row.total);
    if row.note.is_empty() { total } else { format!("{total}   {}", row.note) }
}

fn segments(ui: &mut Ui, chart: &BarChart, row: &BarRow) {
    ui.label(RichText::new(name(row)).strong());
    if !row.detail.is_empty() {
        ui.weak(&row.detail);
    }
    egui::Grid::new("segments").num_columns(3).spacing([8.0, 2.0]).show(ui, |ui| {
        for segment in &row.segments {
            swatch(ui, segment.token, Swatch::Square);
            ui.label(&segment.name);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.label((chart.unit_format)(segment.value))
            });
            ui.end_row();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::text_left;

    #[test]
    fn the_line_at_zero_crosses_no_text() {
        assert_eq!(
            [text_left(50.0, None), text_left(50.0, Some(80.0)), text_left(90.0, Some(80.0))],
            [56.0, 86.0, 96.0]
        );
    }
}
