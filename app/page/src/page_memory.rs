//! What egui keeps of the widgets of a page: how far areas are scrolled, which sections are open, what fields can undo.
//!
//! egui keeps it by the ids of widgets, and forgets none that is gone. It is therefore kept with its page, and dropped with it.

use std::collections::{BTreeMap, BTreeSet};

use crossover_chart::screen::zoom::{self, ChartZoom};
use crossover_scenario::views::ZoomView;
use egui::text_edit::TextEditState;
use egui::util::IdTypeMap;
use egui::{Context, Id, Rect};

/// Less is rounding to pixels, in points.
const LEAST_CHANGE: f32 = 1.0;

/// What egui keeps of the widgets of one page, while the page is not drawn.
#[derive(Debug, Default)]
pub(crate) struct PageMemory {
    widgets: IdTypeMap,
}

impl PageMemory {
    /// Draws the page: what egui keeps meanwhile is of this page.
    pub(crate) fn show<T>(&mut self, ctx: &Context, draw: impl FnOnce() -> T) -> T {
        self.swap(ctx);
        let drawn = draw();
        self.swap(ctx);
        drawn
    }

    fn swap(&mut self, ctx: &Context) {
        ctx.data_mut(|data| {
            let shared = data.remove_temp::<Shared>(Id::NULL);
            std::mem::swap(data, &mut self.widgets);
            if let Some(shared) = shared {
                data.insert_temp(Id::NULL, shared);
            }
        });
    }

    /// Whether this widget is a field of the page for text or a number that is typed.
    pub(crate) fn has_field(&self, widget: Id) -> bool {
        self.widgets.get_temp::<TextEditState>(widget).is_some()
    }

    /// The parts of line charts that are on the screen, for a link.
    pub(crate) fn zoomed(&self) -> Vec<ZoomView> {
        let view = |ChartZoom { chart, x, y }| ZoomView { chart, x_from: x[0], x_to: x[1], y_from: y[0], y_to: y[1] };
        zoom::shown(&self.widgets).into_iter().map(view).collect()
    }

    /// Shows the parts of line charts that another window showed.
    pub(crate) fn zoom(&mut self, zoomed: &[ZoomView]) {
        let zoom =
            |of: &ZoomView| ChartZoom { chart: of.chart.clone(), x: [of.x_from, of.x_to], y: [of.y_from, of.y_to] };
        zoom::show(&mut self.widgets, zoomed.iter().map(zoom));
    }

    /// The sizes that the user gave to panels, in points, by their names.
    pub(crate) fn panel_sizes(&self) -> BTreeMap<String, f32> {
        self.widgets.get_temp::<PanelSizes>(Id::NULL).unwrap_or_default().given
    }

    /// Gives panels that were not drawn yet the sizes that they had in an earlier window.
    pub(crate) fn give_panel_sizes(&mut self, sizes: BTreeMap<String, f32>) {
        let given = sizes.into_iter().filter(|(_, size)| size.is_finite()).collect();
        self.widgets.insert_temp(Id::NULL, PanelSizes { given, ..PanelSizes::default() });
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.widgets.clear();
    }
}

/// Sizes of the panels of one page whose edge can be dragged, in points, by their names.
#[derive(Debug, Clone, Default)]
pub(crate) struct PanelSizes {
    /// Those that the user gave them, in this window or in an earlier one.
    given: BTreeMap<String, f32>,
    /// Their usual sizes, which may follow the window.
    usual: BTreeMap<String, f32>,
    /// Those that they were first drawn with at this usual size: a panel that still has it was not changed.
    first: BTreeMap<String, f32>,
}

impl PanelSizes {
    /// The size that the user gave to this panel.
    pub(crate) fn given(ctx: &Context, panel: &str) -> Option<f32> {
        ctx.data_mut(|data| data.get_temp_mut_or_default::<Self>(Id::NULL).given.get(panel).copied())
    }

    /// Whether a panel to which the user gave no size had another usual size so far: it is to be drawn as if for the first time.
    pub(crate) fn begins_anew(ctx: &Context, panel: &str, size: f32) -> bool {
        ctx.data_mut(|data| {
            let Self { given, usual, first } = data.get_temp_mut_or_default::<Self>(Id::NULL);
            if given.contains_key(panel) {
                return false;
            }
            let Some(usual) = usual.get_mut(panel) else {
                usual.insert(panel.to_owned(), size);
                return false;
            };
            let is_changed = (size - *usual).abs() >= LEAST_CHANGE;
            if is_changed {
                *usual = size;
                first.remove(panel);
            }
            is_changed
        })
    }

    /// The panel was drawn with this size.
    pub(crate) fn drawn(ctx: &Context, panel: &str, size: f32) {
        ctx.data_mut(|data| {
            let Self { given, first, .. } = data.get_temp_mut_or_default::<Self>(Id::NULL);
            if let Some(given) = given.get_mut(panel) {
                *given = size;
            } else if let Some(first) = first.get(panel) {
                if (size - first).abs() >= LEAST_CHANGE {
                    given.insert(panel.to_owned(), size);
                }
            } else {
                first.insert(panel.to_owned(), size);
            }
        });
    }
}

/// What is the same on all pages.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shared {
    /// Names of the drawers that are open.
    pub(crate) open_drawers: BTreeSet<&'static str>,
    /// Whether keys moved the focus last, not the pointer.
    pub(crate) focus_moved_by_keys: bool,
    /// What a tour points at.
    pub(crate) pointed: Option<Pointed>,
}

/// A part of the page on screen that a tour points at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pointed {
    /// Its name.
    pub(crate) part: &'static str,
    /// Its visible place in this frame, once it is drawn.
    pub(crate) rect: Option<Rect>,
    /// Whether it is still to be scrolled into view.
    pub(crate) is_sought: bool,
}

impl Shared {
    /// The present state.
    pub(crate) fn read(ctx: &Context) -> Self {
        ctx.data(|data| data.get_temp(Id::NULL)).unwrap_or_default()
    }

    /// Changes the state.
    pub(crate) fn change(ctx: &Context, change: impl FnOnce(&mut Self)) {
        ctx.data_mut(|data| change(data.get_temp_mut_or_default(Id::NULL)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zoom(ctx: &Context) -> Option<u8> {
        ctx.data(|data| data.get_temp(Id::unique("zoom")))
    }

    #[test]
    fn a_page_finds_what_it_kept_and_no_other_page_does() {
        let ctx = Context::default();
        let [mut one, mut other] = [PageMemory::default(), PageMemory::default()];
        one.show(&ctx, || ctx.data_mut(|data| _ = data.insert_temp(Id::unique("zoom"), 2_u8)));
        assert_eq!(zoom(&ctx), None, "outside of pages");
        assert_eq!(other.show(&ctx, || zoom(&ctx)), None);
        assert_eq!(one.show(&ctx, || zoom(&ctx)), Some(2));
        one.clear();
        assert_eq!(one.show(&ctx, || zoom(&ctx)), None);
    }

    #[test]
    fn what_pages_share_is_the_same_on_all_of_them_and_around_them() {
        let ctx = Context::default();
        let [mut one, mut other] = [PageMemory::default(), PageMemory::default()];
        Shared::change(&ctx, |shared| shared.focus_moved_by_keys = true);
        one.show(&ctx, || {
            assert!(Shared::read(&ctx).focus_moved_by_keys);
            Shared::change(&ctx, |shared| _ = shared.open_drawers.insert("inspector"));
        });
        assert!(other.show(&ctx, || Shared::read(&ctx)).open_drawers.contains("inspector"));
        assert!(Shared::read(&ctx).open_drawers.contains("inspector"));
    }

    #[test]
    fn a_panel_has_a_size_of_its_own_once_its_edge_was_moved() {
        let ctx = Context::default();
        let mut page = PageMemory::default();
        let draw = |page: &mut PageMemory, size: f32| page.show(&ctx, || PanelSizes::drawn(&ctx, "runs", size));
        let given = |page: &mut PageMemory| page.show(&ctx, || PanelSizes::given(&ctx, "runs"));
        draw(&mut page, 248.0);
        draw(&mut page, 248.5);
        assert_eq!((given(&mut page), page.panel_sizes()), (None, BTreeMap::new()), "as it was first drawn");
        draw(&mut page, 300.0);
        assert_eq!((given(&mut page), PanelSizes::given(&ctx, "runs")), (Some(300.0), None));
        // Back at the first size, which is now the user's.
        draw(&mut page, 248.0);
        let kept = page.panel_sizes();
        assert_eq!(kept, BTreeMap::from([("runs".to_owned(), 248.0)]));

        let mut next = PageMemory::default();
        next.give_panel_sizes(kept.into_iter().chain([("damaged".to_owned(), f32::NAN)]).collect());
        assert_eq!((given(&mut next), next.panel_sizes().len()), (Some(248.0), 1));
        next.clear();
        assert_eq!(given(&mut next), None);
    }

    #[test]
    fn a_panel_follows_its_usual_size_until_the_user_gives_it_one() {
        let ctx = Context::default();
        let begins_anew = |usual: f32| PanelSizes::begins_anew(&ctx, "table", usual);
        let draw = |size: f32| PanelSizes::drawn(&ctx, "table", size);
        assert!(!begins_anew(300.0), "never drawn");
        draw(300.0);
        assert!(!begins_anew(300.4), "rounded");
        assert!(begins_anew(120.0));
        draw(120.0);
        assert_eq!(PanelSizes::given(&ctx, "table"), None, "not the user's");
        draw(200.0);
        assert_eq!((begins_anew(300.0), PanelSizes::given(&ctx, "table")), (false, Some(200.0)));
    }

    #[test]
    fn a_field_is_known_by_its_page_alone() {
        let ctx = Context::default();
        let [mut one, other] = [PageMemory::default(), PageMemory::default()];
        let field = Id::unique("name");
        one.show(&ctx, || TextEditState::default().store(&ctx, field));
        assert!(one.has_field(field) && !one.has_field(Id::unique("button")));
        assert!(!other.has_field(field));
    }
}
