//! "Which kernels run well together?": a heat map of kernels against kernels.

mod cells;

use std::f32::consts::FRAC_PI_2;

use crossover_chart::grid::{GridCell, GridChart};
use crossover_chart::theme::Token;
use crossover_preemption::{Basis, Preemption, Table};
use crossover_quantity::unit::Unit;
use egui::epaint::TextShape;
use egui::{
    Align2, Color32, EventFilter, FontId, Key, Label, Painter, Pos2, Rect, Response, RichText, Sense, Stroke,
    StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2,
};

use super::elided;
use super::evaluated::EvaluatedStudy;
use cells::{Picture, draw, range, step, text_token, written};

/// Title of the chart.
const TITLE: &str = "Which kernels run well together?";
/// Letters of a name in a picture.
const LETTERS: usize = 26;
/// Up to so many kernels have their numbers in the cells.
const NUMBERED: usize = 12;
/// Up to so many have their names beside the cells.
const NAMED: usize = 40;
/// Room for names, in points.
const NAMES: f32 = 150.0;
/// Sizes of a cell, in points.
const WIDEST: f32 = 76.0;
const HIGHEST: f32 = 26.0;
const LEAST: f32 = 1.5;
/// Up to so many kernels have cells in which a pattern is seen.
const PATTERNED: usize = 50;
/// Margin kept visible around a cell selected by keys, in points.
const AROUND: f32 = 28.0;

/// State of the map between frames.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The selected pair, by its names.
    pub(super) chosen: Option<(String, String)>,
    /// The cells, where they are small.
    picture: Option<Picture>,
}

/// Draws the map, and the selected pair; `number` is that of the outcome, `export` draws the export menu.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    (shown, number): (&EvaluatedStudy, u64),
    study: &mut Preemption,
    export: impl FnOnce(&mut Ui),
) {
    let (of, table) = (&shown.study, &shown.outcome.table);
    ui.add_space(10.0);
    ui.horizontal_wrapped(|ui| {
        ui.heading(TITLE);
        export(ui);
    });
    let unmeasured = match of.kernels.len() {
        few if few <= NUMBERED => "hatched with ~",
        some if some <= PATTERNED => "hatched",
        _ => "pale",
    };
    let text = format!(
        "Normalised IPC of the row's kernel beside the column's kernel. Highlighted cells are slow; {unmeasured}: not \
         measured. Click a cell to enter its numbers"
    );
    ui.label(RichText::new(text).weak());
    let pressed = map(ui, state, (shown, number));
    if let Some([row, column]) = pressed {
        state.chosen = Some((of.kernels[row].name.clone(), of.kernels[column].name.clone()));
    }
    ui.label(&shown.best_pair);
    chosen(ui, state, of, table, study);
    ui.add_space(12.0);
}

/// The map as it is exported.
pub(super) fn chart(shown: &EvaluatedStudy) -> GridChart {
    let (study, table) = (&shown.study, &shown.outcome.table);
    let count = study.kernels.len();
    let range = range(table, count);
    let names: Vec<String> =
        study.kernels.iter().map(|kernel| elided::letters(&kernel.name, LETTERS).into_owned()).collect();
    let cell = |row: usize, column: usize| {
        let (is_measured, step) = (table.is_measured(row, column), step(table.normalised(row, column), range));
        GridCell {
            token: Token::Ramp(step),
            is_hatched: !is_measured,
            text: written(table, [row, column]),
            text_token: text_token(is_measured, step),
        }
    };
    GridChart {
        title: TITLE.to_owned(),
        subtitle: "normalised IPC of the row's kernel beside the column's kernel; highlighted cells are slow"
            .to_owned(),
        answer: shown.best_pair.clone(),
        rows: names.clone(),
        columns: names,
        cells: (0..count)
            .flat_map(|row| (0..count).map(move |column| (row, column)))
            .map(|(row, column)| cell(row, column))
            .collect(),
        hatched: "not measured",
    }
}

/// "Best together: A with C, 1.75; worst: A with itself, 1.453, not measured."
pub(super) fn best_pair(study: &Preemption, table: &Table) -> String {
    let count = study.kernels.len();
    let pairs = || (0..count).flat_map(|first| (first..count).map(move |second| [first, second]));
    let sum = |[first, second]: [usize; 2]| table.normalised(first, second) + table.normalised(second, first);
    let in_words = |pair: [usize; 2]| {
        let [first, second] = pair.map(|place| elided::letters(&study.kernels[place].name, 2 * LETTERS));
        let with = if pair[0] == pair[1] { "itself".into() } else { second };
        let is_measured = table.is_measured(pair[0], pair[1]) && table.is_measured(pair[1], pair[0]);
        let unmeasured = if is_measured { "" } else { ", not measured" };
        format!("{first} with {with}, {}{unmeasured}", Unit::Ratio.format(sum(pair)))
    };
    // The first of equal ones.
    let best = pairs().reduce(|best, pair| if sum(pair) > sum(best) { pair } else { best });
    let least = pairs().reduce(|least, pair| if sum(pair) < sum(least) { pair } else { least });
    match (best, least) {
        (Some(best), Some(least)) if sum(best) > sum(least) => {
            format!("Best together: {}; worst: {}.", in_words(best), in_words(least))
        }
        (Some(pair), _) if count == 1 => format!("Only one kernel: {}.", in_words(pair)),
        (Some(pair), _) => format!("All pairs have the same sum, {}.", Unit::Ratio.format(sum(pair))),
        (None, _) => String::new(),
    }
}

/// The selected pair, and a way to its numbers.
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
            ui.weak("Edit its numbers under Pairs on the left.");
        } else if ui
            .button("Enter this pair")
            .on_hover_text("Adds the pair on the left; each number is assumed until you change it")
            .clicked()
        {
            _ = study.put_assumed(&first, &second);
        }
    });
}

/// "A beside C: 0.85; C beside A: 0.9; together 1.75, measured."
fn in_words(study: &Preemption, table: &Table, [row, column]: [usize; 2]) -> String {
    let name = |place: usize| study.kernels[place].name.as_str();
    let [there, back] = [table.normalised(row, column), table.normalised(column, row)];
    let number = |value: f64| Unit::Ratio.format(value);
    let words = |basis: Basis| match basis {
        Basis::Measured => "entered or measured",
        Basis::Fitted => "not measured: fitted to other pairs",
        Basis::Classes => "not measured: assumed from their classes",
    };
    let how = match [table.basis(row, column), table.basis(column, row)] {
        [one, other] if one == other => words(one).to_owned(),
        [one, other] => format!("the first {}, the second {}", words(one), words(other)),
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

/// Where the cells are.
struct Grid {
    corner: Pos2,
    cell: Vec2,
    /// Kernels.
    count: usize,
}

impl Grid {
    fn cell(&self, [row, column]: [usize; 2]) -> Rect {
        Rect::from_min_size(self.corner + vec2(column as f32, row as f32) * self.cell, self.cell)
    }

    fn whole(&self) -> Rect {
        Rect::from_min_size(self.corner, self.count as f32 * self.cell)
    }

    /// The cell at a position.
    fn at(&self, place: Pos2) -> Option<[usize; 2]> {
        let from = place - self.corner;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and below the count"
        )]
        let index =
            |along: f32, size: f32| (along >= 0.0).then(|| (along / size) as usize).filter(|index| *index < self.count);
        Some([index(from.y, self.cell.y)?, index(from.x, self.cell.x)?])
    }
}

/// The cells with their names; returns the cell that was pressed or reached by keys. `number` is that of the outcome.
fn map(ui: &mut Ui, state: &mut State, (shown, number): (&EvaluatedStudy, u64)) -> Option<[usize; 2]> {
    let (study, table, best_pair) = (&shown.study, &shown.outcome.table, &shown.best_pair);
    let count = study.kernels.len();
    let dark = ui.visuals().dark_mode;
    let font = FontId::proportional(12.0);
    let is_named = count <= NAMED;
    let named = study.kernels.iter().filter(|_| is_named);
    let widths = named.map(|kernel| elided::width(ui.painter(), &kernel.name, &font));
    let longest = widths.fold(0.0_f32, f32::max).min(NAMES);
    let names = if is_named { longest + 10.0 } else { 0.0 };
    let width = ((ui.available_width() - names - 4.0) / count as f32).clamp(LEAST, WIDEST);
    // Small cells are square: easier to press, and all fit the width of the page.
    let height = if count > PATTERNED { width } else { 520.0 / count as f32 };
    let cell = vec2(width, height.min(HIGHEST));
    let is_upright = longest > cell.x - 4.0;
    let above = match (is_named, is_upright) {
        (false, _) => 0.0,
        (true, true) => longest + 8.0,
        (true, false) => 18.0,
    };
    // Where every cell is a button, the map itself is a picture.
    let sense = if count <= NUMBERED { Sense::hover() } else { Sense::click() };
    let (rect, response) = ui.allocate_exact_size(vec2(names, above) + count as f32 * cell, sense);
    let grid = Grid { corner: rect.min + vec2(names, above), cell, count };
    let painter = ui.painter_at(rect.intersect(ui.clip_rect()));
    if is_named {
        kernel_names(ui, &painter, study, &grid, (rect, is_upright));
    }
    if count > PATTERNED {
        let picture = state.picture.take().filter(|picture| picture.of == (number, dark));
        let picture = picture.unwrap_or_else(|| Picture::new(ui, table, (number, dark), count));
        let all = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
        painter.image(picture.texture.id(), grid.whole(), all, Color32::WHITE);
        state.picture = Some(picture);
    } else {
        let range = range(table, count);
        for place in (0..count).flat_map(|row| (0..count).map(move |column| [row, column])) {
            let at = grid.cell(place);
            if ui.clip_rect().intersects(at) {
                let at = at.shrink(if cell.x > 12.0 { 1.0 } else { 0.0 });
                draw(&painter, at, table, (place, count), range, dark);
            }
        }
    }
    let place = |name: &str| study.kernels.iter().position(|kernel| kernel.name == name);
    let chosen = state.chosen.as_ref().and_then(|(first, second)| Some([place(first)?, place(second)?]));
    if let Some(chosen) = chosen {
        let kind = if count > PATTERNED { StrokeKind::Outside } else { StrokeKind::Inside };
        painter.rect_stroke(grid.cell(chosen), 2.0, Stroke::new(2.0, Token::Accent.color(dark)), kind);
    }
    if count <= NUMBERED {
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, format!("{TITLE} {best_pair}")));
        return buttons(ui, &response, &painter, &grid, (study, table));
    }
    response.widget_info(|| {
        let words = chosen.map(|chosen| in_words(study, table, chosen));
        let words = words.unwrap_or_else(|| "pairs of kernels; arrow keys choose one".to_owned());
        WidgetInfo::labeled(egui::Role::Button, true, words)
    });
    let pointed = response.hover_pos().and_then(|place| grid.at(place));
    let walked = walked(ui, &response, chosen, count);
    if let Some(walked) = walked {
        ui.scroll_to_rect(grid.cell(walked).expand(AROUND), None);
    }
    let pressed = response.clicked().then(|| pointed.or(chosen).unwrap_or([0, 0]));
    if let Some(pointed) = pointed {
        response.on_hover_text_at_pointer(in_words(study, table, pointed));
    }
    walked.or(pressed)
}

/// The cell that arrow keys move to from the selected one, while the map has the focus.
fn walked(ui: &Ui, response: &Response, chosen: Option<[usize; 2]>, count: usize) -> Option<[usize; 2]> {
    if !response.has_focus() {
        return None;
    }
    let arrows = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
    let keys = [Key::ArrowDown, Key::ArrowUp, Key::ArrowRight, Key::ArrowLeft];
    let presses = ui.input(|input| keys.map(|key| input.num_presses(key)));
    if presses == [0; 4] {
        return None;
    }
    let Some([row, column]) = chosen else { return Some([0, 0]) };
    let moved = |from: usize, on: usize, back: usize| (from + on).saturating_sub(back).min(count - 1);
    let [down, up, right, left] = presses;
    Some([moved(row, down, up), moved(column, right, left)])
}

/// The names of kernels beside and above their cells; a shortened one is complete on hover.
fn kernel_names(ui: &Ui, painter: &Painter, study: &Preemption, grid: &Grid, (all, is_upright): (Rect, bool)) {
    let font = FontId::proportional(12.0);
    let text = Token::Text.color(ui.visuals().dark_mode);
    let above = grid.corner.y;
    for (place, kernel) in study.kernels.iter().enumerate() {
        let name = elided::within(painter, &kernel.name, &font, NAMES);
        let beside = grid.cell([place, 0]);
        let room = Rect::from_min_max(pos2(all.left(), beside.top()), pos2(beside.left() - 6.0, beside.bottom()));
        painter.text(room.right_center(), Align2::RIGHT_CENTER, &*name, font.clone(), text);
        let middle = grid.cell([0, place]).center().x;
        if is_upright {
            let galley = painter.layout_no_wrap(name.clone().into_owned(), font.clone(), text);
            let at = pos2(middle - galley.size().y / 2.0, above - 5.0);
            painter.add(TextShape::new(at, galley, text).with_angle(-FRAC_PI_2));
        } else {
            painter.text(pos2(middle, above - 3.0), Align2::CENTER_BOTTOM, &*name, font.clone(), text);
        }
        if name != kernel.name {
            let column = grid.cell([0, place]);
            let top = Rect::from_min_max(pos2(column.left(), all.top()), pos2(column.right(), above));
            for (rect, side) in [(room, "beside"), (top, "above")] {
                let id = ui.scope_id().with(("name of a kernel", side, place));
                ui.interact(rect, id, Sense::HOVER).on_hover_text(&kernel.name);
            }
        }
    }
}

/// Every cell as a button for keyboard and screen readers; returns the one that was pressed.
fn buttons(
    ui: &Ui,
    map: &Response,
    painter: &Painter,
    grid: &Grid,
    (study, table): (&Preemption, &Table),
) -> Option<[usize; 2]> {
    let mut pressed = None;
    for place in (0..grid.count).flat_map(|row| (0..grid.count).map(move |column| [row, column])) {
        let response = ui.interact(grid.cell(place), map.id.with(place), Sense::click());
        response.widget_info(|| {
            let [row, column] = place.map(|kernel| &study.kernels[kernel].name);
            WidgetInfo::labeled(egui::Role::Button, true, format!("{row} beside {column}"))
        });
        if response.has_focus() {
            let stroke = Stroke::new(2.0, Token::Accent.color(ui.visuals().dark_mode));
            painter.rect_stroke(grid.cell(place), 2.0, stroke, StrokeKind::Inside);
        }
        if response.on_hover_ui(|ui| drop(ui.label(in_words(study, table, place)))).clicked() {
            pressed = Some(place);
        }
    }
    pressed
}
