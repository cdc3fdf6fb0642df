//! A time axis across the screen: drag to pan, wheel to zoom.

use egui::{InputState, Response, Ui};

/// The shortest visible range, as a share of all time.
const CLOSEST: f64 = 1e-4;

/// Mapping of time to the screen.
#[derive(Clone, Copy)]
pub struct Span {
    /// Where it begins, in points.
    pub left: f32,
    /// How wide it is, in points.
    pub width: f32,
    /// The times at its ends.
    pub seen: [f64; 2],
}

impl Span {
    /// Where a time is on the screen.
    #[expect(clippy::cast_possible_truncation, reason = "points on a screen")]
    #[must_use]
    pub fn x(&self, time: f64) -> f32 {
        let [from, until] = self.seen;
        self.left + self.width * ((time - from) / (until - from)) as f32
    }

    /// The time at a position on the screen.
    #[must_use]
    pub fn time(&self, x: f32) -> f64 {
        let [from, until] = self.seen;
        from + (until - from) * f64::from((x - self.left) / self.width)
    }

    /// The visible range after panning (drag) and zooming (Ctrl and wheel, or pinch); `None` if unchanged.
    /// Times go from 0 to `end`.
    #[must_use]
    pub fn moved(&self, ui: &Ui, response: &Response, end: f64) -> Option<[f64; 2]> {
        let [from, until] = self.seen;
        let mut seen = [from, until];
        if response.dragged() {
            let time = f64::from(response.drag_delta().x / self.width) * (until - from);
            seen = [from - time, until - time];
        }
        if let Some(at) = response.hover_pos() {
            let factor = f64::from(ui.input(InputState::zoom_delta));
            if factor != 1.0 && factor > 0.0 {
                let middle = self.time(at.x);
                let length = ((seen[1] - seen[0]) / factor).clamp(CLOSEST * end, end);
                let share = (middle - seen[0]) / (seen[1] - seen[0]);
                seen = [middle - share * length, middle + (1.0 - share) * length];
            }
        }
        (seen != self.seen).then(|| {
            let length = (seen[1] - seen[0]).min(end);
            let from = seen[0].clamp(0.0, end - length);
            [from, from + length]
        })
    }
}
