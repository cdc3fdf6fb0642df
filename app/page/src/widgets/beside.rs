//! Charts beside each other, each with its texts: where a caption is wrapped, a gap keeps it apart from that of its neighbour.

use egui::Ui;

/// Gap between two charts, in points.
const GAP: f32 = 24.0;

/// Draws columns of the same width beside each other, with a gap between two of them.
#[expect(clippy::disallowed_methods, reason = "the one place that sets the gap between columns")]
pub fn show<R>(ui: &mut Ui, count: usize, content: impl FnOnce(&mut [Ui]) -> R) -> R {
    let usual = std::mem::replace(&mut ui.spacing_mut().item_spacing.x, GAP);
    let shown = ui.columns(count, |columns| {
        for column in columns.iter_mut() {
            column.spacing_mut().item_spacing.x = usual;
        }
        content(columns)
    });
    ui.spacing_mut().item_spacing.x = usual;
    shown
}

/// The number of columns of at least this width that fit beside each other, from 1 to `most`.
#[must_use]
pub fn fitting(ui: &Ui, narrowest: f32, most: usize) -> usize {
    let room = ui.available_width() + GAP;
    (1..=most).rev().find(|count| room / *count as f32 - GAP >= narrowest).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    const CAPTIONS: [&str; 2] = [
        "BestFit allocates most, 88.86 % of all GPUs; not significantly more than DotProd and vCUDA in the same orders than FGD in",
        "Fragments are idle GPU capacity that typical tasks cannot use; lower is better.",
    ];

    #[test]
    fn wrapped_captions_of_two_charts_have_a_gap_and_share_the_width() {
        for width in [400.0, 700.0, 900.0] {
            let mut page = Harness::builder().with_size([width, 300.0]).build_ui(|ui| {
                show(ui, 2, |columns| {
                    for (ui, caption) in columns.iter_mut().zip(CAPTIONS) {
                        ui.label(caption);
                    }
                });
            });
            page.run_steps(2);
            let [first, second] = CAPTIONS.map(|caption| page.get_by_label(caption).rect());
            assert!(second.left() - first.right() >= GAP - 1.0, "{width}: {first:?} beside {second:?}");
            assert!(second.right() <= width, "{width}: {second:?}");
        }
    }

    /// With a gap of 24 points: two columns of 100 take 224 points, three 348.
    #[test]
    fn as_many_columns_as_fit_with_their_gaps() {
        for (width, expected) in [(90.0, 1), (223.0, 1), (224.0, 2), (347.0, 2), (348.0, 3), (1000.0, 3)] {
            let page = Harness::builder().with_size([1200.0, 100.0]).build_ui_state(
                |ui, found: &mut usize| {
                    ui.set_max_width(width);
                    *found = fitting(ui, 100.0, 3);
                },
                0,
            );
            assert_eq!(*page.state(), expected, "{width}");
        }
    }
}
