//! Sortable tables: column titles, and rows that arrow keys select.

use crossover_chart::theme::Token;
use crossover_scenario::glossary::Meaning;
use egui::style::ScrollAnimation;
use egui::{
    Align, AsIdSalt, Id, IdSalt, InputState, Key, Label, Layout, Rect, Response, RichText, Sense, TextStyle,
    TextWrapMode, Ui, WidgetInfo, WidgetText, accesskit,
};

use super::drawer;

/// Sense of the cells of a row: a click anywhere picks the row, without focus; the focus is on its [`stop`], or moves by
/// arrow keys.
pub const CELLS: Sense = Sense::CLICK;

/// How a column is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sorted {
    /// Sorted by another column.
    Not,
    /// The smallest first.
    Ascending,
    /// The largest first.
    Descending,
}

impl Sorted {
    /// For the column that sorts, or another one.
    #[must_use]
    pub fn new(decides: bool, is_descending: bool) -> Self {
        match (decides, is_descending) {
            (false, _) => Self::Not,
            (true, false) => Self::Ascending,
            (true, true) => Self::Descending,
        }
    }

    fn arrow(self) -> &'static str {
        match self {
            Self::Not => "",
            Self::Ascending => " ▲",
            Self::Descending => " ▼",
        }
    }
}

/// The last line of the tooltip of a title that sorts.
const SORTS: &str = "Click to sort";

/// Gives picked rows their colour.
pub fn mark_picked(ui: &mut Ui) {
    ui.visuals_mut().selection.bg_fill = Token::Picked.color(ui.visuals().dark_mode);
}

/// The title of a column that can be sorted; true if it was clicked.
pub fn title(ui: &mut Ui, text: &str, sorted: Sorted, meaning: Meaning) -> bool {
    let text = format!("{text}{}", sorted.arrow());
    let shown = RichText::new(&text).strong();
    let label = ui.add(Label::new(shown).truncate().selectable(false).sense(Sense::click()));
    label.widget_info(|| WidgetInfo::labeled(egui::Role::ColumnHeader, true, &text));
    ui.ctx().accesskit_node_builder(label.id, |node| {
        // The text is the name, not a value beside it.
        node.clear_value();
        match sorted {
            Sorted::Not => {}
            Sorted::Ascending => node.set_sort_direction(accesskit::SortDirection::Ascending),
            Sorted::Descending => node.set_sort_direction(accesskit::SortDirection::Descending),
        }
    });
    let meaning = meaning.text();
    let tooltip = if meaning.is_empty() { SORTS.to_owned() } else { format!("{meaning}\n{SORTS}") };
    label.on_hover_text(tooltip).clicked()
}

/// The title of a column that cannot be sorted, of texts or of numbers.
pub fn fixed_title(ui: &mut Ui, text: &str, is_number: bool, meaning: Meaning) {
    let label = Label::new(RichText::new(text).strong()).truncate();
    let shown = if is_number {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.add(label)).inner
    } else {
        ui.add(label)
    };
    let meaning = meaning.text();
    if !meaning.is_empty() {
        shown.on_hover_text(meaning);
    }
}

/// The width in points at which no text of a column is cut off, title included.
#[must_use]
pub fn width_of<'a>(ui: &Ui, texts: impl IntoIterator<Item = &'a str>) -> f32 {
    let width = |text: &str| {
        let text = WidgetText::from(RichText::new(text).strong());
        text.into_galley(ui, Some(TextWrapMode::Extend), f32::INFINITY, TextStyle::Body).size().x
    };
    texts.into_iter().map(width).fold(0.0, f32::max).ceil()
}

/// Height of [`picked_text`], in points.
const PICKED: f32 = 22.0;

/// The height that [`picked_text`] takes, in points.
#[must_use]
pub fn height_of_picked_text(ui: &Ui) -> f32 {
    if drawer::is_short(ui) { 0.0 } else { PICKED }
}

/// The text about the picked row, on as many lines as it needs: a column would cut it off. In a short window, only the tooltip of the row
/// has it.
pub fn picked_text(ui: &mut Ui, name: &str, text: &str) {
    if !drawer::is_short(ui) {
        ui.horizontal_wrapped(|ui| {
            ui.strong(name);
            ui.label(text);
        });
    }
}

/// Names the edges by which columns are made wider: they take the focus, and the table gives them no name. `table` is the
/// salt of its builder in this `ui`, `columns` are the places and titles of the columns.
pub fn name_edges(ui: &Ui, table: impl AsIdSalt, columns: &[(usize, &str)]) {
    let edges = ui.scope_id().with(IdSalt::new(table)).with("resize_column");
    for (place, title) in columns {
        ui.ctx().accesskit_node_builder(edges.with(*place), |node| {
            node.set_role(accesskit::Role::Splitter);
            node.set_label(format!("Resize column {title}"));
        });
    }
}

/// Makes a row one tab stop, in the cell of its name; true if it was pressed by a key. It ignores the pointer, so that the
/// whole row senses clicks.
pub fn stop(ui: &mut Ui, is_picked: bool, described: &str) -> bool {
    let rect = ui.max_rect();
    let row = row(ui, row_id(ui), rect, is_picked, described);
    if row.gained_focus() {
        // With neighbouring rows and at once, so that the focus can move on: rows out of sight are not drawn.
        let rows = rect.expand2(egui::vec2(0.0, 2.0 * rect.height()));
        ui.scroll_to_rect_animation(rows, None, ScrollAnimation::none());
    }
    is_pressed(ui, &row)
}

/// The tab stop of the row of which this is the cell of its name.
fn row_id(ui: &Ui) -> Id {
    ui.scope_id().with("row")
}

fn row(ui: &Ui, id: Id, rect: Rect, is_picked: bool, described: &str) -> Response {
    let row = ui.interact(rect, id, Sense::FOCUSABLE);
    row.widget_info(|| WidgetInfo::selected(egui::Role::RowHeader, true, is_picked, described));
    ui.ctx().accesskit_node_builder(row.id, |node| node.add_action(accesskit::Action::Click));
    row
}

/// Whether a key or an assistive technology presses the row.
fn is_pressed(ui: &Ui, row: &Response) -> bool {
    let is_key = |input: &InputState| input.key_pressed(Key::Enter) || input.key_pressed(Key::Space);
    let is_assisted = ui.input(|input| input.has_accesskit_action_request(row.id, accesskit::Action::Click));
    is_assisted || row.has_focus() && ui.input(is_key)
}

/// Tab stops of the rows of a table that scrolls inside a page that scrolls too.
///
/// Where the page has scrolled the table out of sight, the table draws no row, and Tab would pass it. A stop outside the
/// table then stands for its rows. The page scrolls to that stop, and the first row that is drawn takes its focus.
#[derive(Debug)]
pub struct Rows {
    stand_in: Id,
    /// Whether the focus is on the stand-in.
    is_entered: bool,
    is_drawn: bool,
}

impl Rows {
    /// Before the table is drawn in this `ui`; `table` is the salt of its builder.
    #[must_use]
    pub fn new(ui: &Ui, table: impl AsIdSalt) -> Self {
        let stand_in = ui.scope_id().with(IdSalt::new(table)).with("rows");
        Self { stand_in, is_entered: ui.memory(|memory| memory.has_focus(stand_in)), is_drawn: false }
    }

    /// The [`stop`] of a row.
    pub fn stop(&mut self, ui: &mut Ui, is_picked: bool, described: &str) -> bool {
        self.is_drawn = true;
        if std::mem::take(&mut self.is_entered) {
            ui.memory_mut(|memory| memory.request_focus(row_id(ui)));
        }
        stop(ui, is_picked, described)
    }

    /// After the table, which has this rectangle: stands for its first row in view, if no row was drawn. True if it was
    /// pressed.
    #[must_use]
    pub fn stand_in(self, ui: &Ui, rect: Rect, is_picked: bool, described: &str) -> bool {
        !self.is_drawn && is_pressed(ui, &row(ui, self.stand_in, rect, is_picked, described))
    }
}
