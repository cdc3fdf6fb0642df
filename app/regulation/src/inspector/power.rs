//! Power law and price of energy.

use crossover_chart::theme::Token;
use crossover_page::widgets::form;
use crossover_quantity::quantity::Quantity;
use crossover_regulation::{CurvePoint, MOST_CURVE_POINTS, PowerLaw, Regulation};
use egui::{Button, Grid, RichText, Role, TextEdit, Ui, WidgetInfo, vec2};

use super::Env;

/// Points that are being pasted, if any.
#[derive(Default)]
pub(super) struct State {
    pasted: Option<String>,
}

/// Draws the section.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Regulation, env: &mut Env<'_>) {
    for (law, text, explanation) in [
        (PowerLaw::Linear, "power ∝ frequency", "Constant voltage; the law behind the published +33 %"),
        (PowerLaw::Square, "power ∝ frequency²", "Between the other two"),
        (PowerLaw::Cube, "power ∝ frequency³", "The voltage grows too: power ∝ voltage² × frequency"),
        (PowerLaw::Measured, "measured curve", "Linear between its points, constant beyond them"),
    ] {
        let is_current = study.power.law == law;
        let radio = ui.radio(is_current, text);
        let name = format!("power.law={law:?}");
        radio.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, is_current, &name));
        if radio.on_hover_text(explanation).clicked() && !is_current {
            study.set_power_law(law);
        }
    }
    if study.power.law == PowerLaw::Measured {
        points(ui, study, env);
        paste(ui, state, study);
    }
    form::all(ui, study, "power", &[], env.commands);
}

/// The points of the measured curve.
fn points(ui: &mut Ui, study: &mut Regulation, env: &mut Env<'_>) {
    let width = ((ui.available_width() - 44.0) / 2.0).clamp(60.0, 120.0);
    let mut removed = None;
    Grid::new("curve").num_columns(3).spacing([4.0, 3.0]).min_col_width(20.0).show(ui, |ui| {
        for head in ["frequency / base", "power / at base"] {
            ui.label(RichText::new(head).weak().small());
        }
        ui.end_row();
        let count = study.power.curve.len();
        for index in 0..count {
            let point = format!("power.curve.{index}");
            form::cell(ui, study, &point, &CurvePoint::FREQUENCY_RATIO, width, env.commands);
            form::cell(ui, study, &point, &CurvePoint::POWER_RATIO, width, env.commands);
            let remove = ui.add_enabled(count > 2, Button::new("×").small().min_size(vec2(20.0, 16.0)));
            let name = format!("remove {point}");
            remove.widget_info(|| WidgetInfo::labeled(Role::Button, count > 2, &name));
            if remove.on_hover_text("Remove the point").on_disabled_hover_text("Two points are needed").clicked() {
                removed = Some(index);
            }
            ui.end_row();
        }
    });
    if let Some(index) = removed {
        study.remove_curve_point(index);
    }
    if ui.add_enabled(study.power.curve.len() < MOST_CURVE_POINTS, Button::new("Add point")).clicked() {
        study.add_curve_point();
    }
}

/// Reads points from a pasted text.
fn paste(ui: &mut Ui, state: &mut State, study: &mut Regulation) {
    let Some(text) = &mut state.pasted else {
        if ui
            .button("Paste points…")
            .on_hover_text("Two columns: frequency and power, both relative to the base frequency")
            .clicked()
        {
            state.pasted = Some(String::new());
        }
        return;
    };
    let edit = TextEdit::multiline(text)
        .desired_rows(4)
        .desired_width(ui.available_width() - form::MARK_WIDTH)
        .hint_text("0.8, 0.6\n1.0, 1.0\n1.1, 1.25");
    let response = ui.add(edit);
    response.widget_info(|| WidgetInfo::labeled(Role::MultilineTextInput, true, "power.curve"));
    let points = read_points(text);
    if let (false, Err(problem)) = (text.trim().is_empty(), &points) {
        ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
    }
    ui.horizontal(|ui| {
        let apply = ui.add_enabled(points.is_ok(), Button::new("Apply"));
        if let (true, Ok(points)) = (apply.clicked(), points) {
            study.set_curve(points);
            state.pasted = None;
        }
        if ui.button("Cancel").clicked() {
            state.pasted = None;
        }
    });
}

/// Reads one point per line: two numbers with a comma, a semicolon or blanks between them. Frequencies must ascend.
fn read_points(text: &str) -> Result<Vec<CurvePoint>, String> {
    let mut points: Vec<CurvePoint> = Vec::new();
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    for (line, text) in lines.filter(|(_, text)| !text.is_empty()) {
        let words: Vec<&str> =
            text.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|word| !word.is_empty()).collect();
        let [frequency, power] = words[..] else {
            return Err(format!("Line {line}: expected two numbers such as “1.1, 1.25”, found “{text}”"));
        };
        let point = CurvePoint {
            frequency_ratio: number(line, &CurvePoint::FREQUENCY_RATIO, frequency)?,
            power_ratio: number(line, &CurvePoint::POWER_RATIO, power)?,
        };
        if points.last().is_some_and(|last| last.frequency_ratio >= point.frequency_ratio) {
            return Err(format!("Line {line}: the frequency {frequency} must be above that of the line before"));
        }
        points.push(point);
    }
    match points.len() {
        0 | 1 => Err("At least two points are needed".into()),
        count if count > MOST_CURVE_POINTS => Err(format!("{count} points; at most {MOST_CURVE_POINTS} are allowed")),
        _ => Ok(points),
    }
}

fn number(line: usize, quantity: &Quantity, text: &str) -> Result<f64, String> {
    let value: f64 =
        text.parse().map_err(|_| format!("Line {line}: {}: “{text}” is not a number such as 1.1", quantity.label))?;
    quantity.problem(value).map_or(Ok(value), |problem| Err(format!("Line {line}: {}: {problem}", quantity.label)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_from_the_usual_separators() {
        let expected = vec![
            CurvePoint { frequency_ratio: 0.8, power_ratio: 0.6 },
            CurvePoint { frequency_ratio: 1.1, power_ratio: 1.25 },
        ];
        for text in ["0.8, 0.6\n1.1, 1.25", "0.8;0.6\n\n1.1;1.25\n", " 0.8\t0.6 \r\n1.1   1.25"] {
            assert_eq!(read_points(text).as_ref(), Ok(&expected), "{text:?}");
        }
    }

    #[test]
    fn invalid_points_are_rejected_with_line_and_reason() {
        for (text, parts) in [
            ("0.8 0.6", ["At least two points", "needed"]),
            ("0.8 0.6\n1.1", ["Line 2: expected two numbers", "“1.1”"]),
            ("0.8 0.6\n1.1 many", ["Line 2: power", "“many”"]),
            ("0.8 0.6\n\n0.7 0.5", ["Line 3: the frequency 0.7", "above"]),
            ("0.8 -1\n1 1", ["Line 1: power", "allowed"]),
            ("0.8 NaN\n1 1", ["Line 1: power", "not a finite number"]),
        ] {
            let problem = read_points(text).expect_err(text);
            assert!(parts.iter().all(|part| problem.contains(part)), "{problem:?}");
        }
    }
}
