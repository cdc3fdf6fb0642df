//! "Who runs well beside whom?": a heat map of kernels against kernels.

use std::f32::consts::FRAC_PI_2;

use crossover_chart::theme::{RAMP_STEPS, Token};
use crossover_model::preemption::{Pair, Preemption, Table};
use crossover_model::unit::Unit;
use egui::epaint::TextShape;
use egui::{
    Align2, FontId, Label, Painter, Pos2, Rect, RichText, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::board::Shown;

/// Up to so many kernels have their numbers in the cells.
const NUMBERED: usize = 12;
/// Up to so many have their names beside the cells.
const NAMED: usize = 40;
/// Room for names, in points.
const NAMES: f32 = 150.0;
/// Sizes of a cell, in points.
const WIDEST: f32 = 76.0;
const HIGHEST: f32 = 26.0;
const LEAST: f32 = 5.0;
/// Distance of the lines through a guessed cell, in points.
const PITCH: f32 = 7.0;

/// What is remembered between frames.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The pair that is looked at, by its names.
    pub(super) chosen: Option<(String, String)>,
}

/// Draws the map, and what is known of the pair that was pressed.
pub(super) fn show(ui: &mut Ui, state: &mut State, shown: &Shown, study: &mut Preemption) {
    let (of, table) = (&shown.study, &shown.outcome.table);
    ui.add_space(10.0);
    ui.heading("Who runs well beside whom?");
    let text = "Speed of the kernel of a row beside that of a column, of what it has alone: what stands out is slow; hatched with ~: a guess, not measured; \
                press a cell to enter its numbers";
    ui.label(RichText::new(text).weak());
    let pressed = map(ui, state, of, table);
    if let Some([row, column]) = pressed {
        state.chosen = Some((of.kernels[row].name.clone(), of.kernels[column].name.clone()));
    }
    chosen(ui, state, of, table, study);
    ui.add_space(12.0);
}

/// The pair that was pressed, and a way to its numbers.
fn chosen(ui: &mut Ui, state: &mut State, of: &Preemption, table: &Table, study: &mut Preemption) {
    let place = |name: &str| of.kernels.iter().position(|kernel| kernel.name == name);
    let Some((first, second)) = state.chosen.clone() else { return };
    let (Some(row), Some(column)) = (place(&first), place(&second)) else {
        state.chosen = None;
        return;
    };
    ui.horizontal_wrapped(|ui| {
        ui.add(Label::new(in_words(of, table, [row, column])));
        if study.pair(&first, &second).is_some() {
            ui.weak("Its numbers stand under Pairs on the left.");
        } else if ui
            .button("Enter this pair")
            .on_hover_text("Adds it to the pairs, with these numbers to begin with")
            .clicked()
        {
            _ = study.put_pair(Pair {
                first_normalised: table.normalised(row, column),
                second_normalised: table.normalised(column, row),
                first,
                second,
            });
        }
    });
}

/// "A beside C: 0.85; C beside A: 0.9; together 1.75, measured."
fn in_words(study: &Preemption, table: &Table, [row, column]: [usize; 2]) -> String {
    let name = |place: usize| study.kernels[place].name.as_str();
    let [there, back] = [table.normalised(row, column), table.normalised(column, row)];
    let number = |value: f64| Unit::Ratio.format(value);
    let how = match (table.is_measured(row, column), study.pair(name(row), name(column))) {
        (true, _) => "entered or measured",
        (false, Some(_)) => "not measured: fitted to other pairs",
        (false, None) => "not measured: by their classes",
    };
    if row == column {
        return format!("{} beside itself: {}; together {}; {how}.", name(row), number(there), number(there + back));
    }
    format!(
        "{} beside {}: {}; {} beside {}: {}; together {}; {how}.",
        name(row),
        name(column),
        number(there),
        name(column),
        name(row),
        number(back),
        number(there + back)
    )
}

/// The cells with their names; the one that was pressed.
fn map(ui: &mut Ui, state: &State, study: &Preemption, table: &Table) -> Option<[usize; 2]> {
    let count = study.kernels.len();
    let dark = ui.visuals().dark_mode;
    let font = FontId::proportional(12.0);
    let is_named = count <= NAMED;
    let width_of =
        |name: &str| ui.painter().layout_no_wrap(name.to_owned(), font.clone(), Token::Text.color(dark)).size().x;
    let longest = study.kernels.iter().map(|kernel| width_of(&kernel.name)).fold(0.0_f32, f32::max).min(NAMES);
    let names = if is_named { longest + 10.0 } else { 0.0 };
    let cell_width = ((ui.available_width() - names - 4.0) / count as f32).clamp(LEAST, WIDEST);
    let cell_height = (520.0 / count as f32).clamp(LEAST, HIGHEST);
    let is_upright = longest > cell_width - 4.0;
    let above = match (is_named, is_upright) {
        (false, _) => 0.0,
        (true, true) => longest + 8.0,
        (true, false) => 18.0,
    };
    let size = vec2(names + cell_width * count as f32, above + cell_height * count as f32);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let corner = rect.min + vec2(names, above);
    let painter = ui.painter_at(rect.intersect(ui.clip_rect()));
    let cell = |row: usize, column: usize| {
        Rect::from_min_size(
            corner + vec2(column as f32 * cell_width, row as f32 * cell_height),
            vec2(cell_width, cell_height),
        )
    };
    if is_named {
        for (place, kernel) in study.kernels.iter().enumerate() {
            let text = Token::Text.color(dark);
            let left = Rect::from_min_size(pos2(rect.left(), cell(place, 0).top()), vec2(names - 6.0, cell_height));
            let at = left.right_center();
            painter.with_clip_rect(left.intersect(painter.clip_rect())).text(
                at,
                Align2::RIGHT_CENTER,
                &kernel.name,
                font.clone(),
                text,
            );
            let top = cell(0, place);
            if is_upright {
                let galley = painter.layout_no_wrap(kernel.name.clone(), font.clone(), text);
                let at = pos2(top.center().x - galley.size().y / 2.0, corner.y - 5.0);
                painter.add(TextShape::new(at, galley, text).with_angle(-FRAC_PI_2));
            } else {
                painter.text(
                    pos2(top.center().x, corner.y - 3.0),
                    Align2::CENTER_BOTTOM,
                    &kernel.name,
                    font.clone(),
                    text,
                );
            }
        }
    }
    let values = || (0..count).flat_map(|row| (0..count).map(move |column| table.normalised(row, column)));
    // Half and all of the speed have the same colours in every study, unless something is beyond them.
    let (low, high) = values().fold((0.5_f64, 1.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    for row in 0..count {
        for column in 0..count {
            let at = cell(row, column);
            if ui.clip_rect().intersects(at) {
                draw(
                    &painter,
                    at.shrink(if cell_width > 12.0 { 1.0 } else { 0.0 }),
                    table,
                    ([row, column], count),
                    [low, high],
                    dark,
                );
            }
        }
    }
    let place = |name: &str| study.kernels.iter().position(|kernel| kernel.name == name);
    let chosen = state.chosen.as_ref().and_then(|(first, second)| Some([place(first)?, place(second)?]));
    if let Some([row, column]) = chosen {
        painter.rect_stroke(cell(row, column), 2.0, Stroke::new(2.0, Token::Accent.color(dark)), StrokeKind::Inside);
    }
    let at = |pos: Pos2| -> Option<[usize; 2]> {
        let from = pos - corner;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and below the count"
        )]
        let index =
            |along: f32, size: f32| (along >= 0.0).then(|| (along / size) as usize).filter(|index| *index < count);
        Some([index(from.y, cell_height)?, index(from.x, cell_width)?])
    };
    // Every cell is there for the keyboard and for readers, where there are not too many.
    let mut pressed = None;
    if count <= NUMBERED {
        for row in 0..count {
            for column in 0..count {
                let id = response.id.with((row, column));
                let response = ui.interact(cell(row, column), id, Sense::click());
                let name = format!("{} beside {}", study.kernels[row].name, study.kernels[column].name);
                response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &name));
                if response.has_focus() {
                    let stroke = Stroke::new(2.0, Token::Accent.color(dark));
                    painter.rect_stroke(cell(row, column), 2.0, stroke, StrokeKind::Inside);
                }
                if response.on_hover_text(in_words(study, table, [row, column])).clicked() {
                    pressed = Some([row, column]);
                }
            }
        }
        return pressed;
    }
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, "pairs of kernels"));
    let is_clicked = response.clicked();
    let pointed = response.hover_pos().and_then(at);
    if let Some(pointed) = pointed {
        response.on_hover_text_at_pointer(in_words(study, table, pointed));
    }
    pointed.filter(|_| is_clicked)
}

/// One cell: what stands out is slow. A guess is hatched.
fn draw(
    painter: &Painter,
    at: Rect,
    table: &Table,
    ([row, column], count): ([usize; 2], usize),
    [low, high]: [f64; 2],
    dark: bool,
) {
    let value = table.normalised(row, column);
    let is_measured = table.is_measured(row, column);
    let share = if high > low { (high - value) / (high - low) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … the last step")]
    let step = (share.clamp(0.0, 1.0) * f64::from(RAMP_STEPS - 1)).round() as u8;
    let fill = Token::Ramp(step).color(dark);
    if is_measured {
        painter.rect_filled(at, 2.0, fill);
    } else {
        painter.rect_filled(at, 2.0, fill.gamma_multiply(0.22));
        let inside = painter.with_clip_rect(at.intersect(painter.clip_rect()));
        let stroke = Stroke::new(1.0, fill.gamma_multiply(0.55));
        let mut x = at.left() - at.height();
        while x < at.right() {
            inside.line_segment([pos2(x, at.bottom()), pos2(x + at.height(), at.top())], stroke);
            x += PITCH;
        }
    }
    if count > NUMBERED || at.width() < 26.0 {
        return;
    }
    let number = Unit::Ratio.format((100.0 * value).round() / 100.0);
    let number = if is_measured { number } else { format!("~{number}") };
    let token = if is_measured && step >= RAMP_STEPS / 2 { Token::Background } else { Token::Text };
    if !is_measured {
        // The lines end where the number stands.
        let galley = painter.layout_no_wrap(number.clone(), FontId::proportional(12.0), token.color(dark));
        let ground = Rect::from_center_size(at.center(), galley.size() + vec2(6.0, 0.0));
        painter.rect_filled(ground, 2.0, Token::Background.color(dark).gamma_multiply(0.75));
    }
    painter.text(at.center(), Align2::CENTER_CENTER, number, FontId::proportional(12.0), token.color(dark));
}
