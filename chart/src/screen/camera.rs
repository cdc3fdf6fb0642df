//! Which part of a large picture is on the screen, and how large it is drawn.

use egui::{Pos2, Rect, Vec2, pos2, vec2};

/// Largest drawing, points on the screen for each point of the picture.
const CLOSEST: f32 = 2.5;
/// Smallest drawing of a place from elsewhere.
const FARTHEST: f32 = 0.01;
/// The smallest drawing at first: text of 12 points is 9 points high.
const READABLE: f32 = 0.75;
/// Free space around the picture, in points.
const MARGIN: f32 = 14.0;
/// One step of the zoom buttons.
pub const STEP: f32 = 1.25;

/// Which part of a large picture is on the screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Points on the screen for each point of the picture.
    scale: f32,
    /// The point of the picture in the middle of the canvas.
    centre: Pos2,
    /// Whether the user has not moved it yet: it follows the size of the window.
    is_free: bool,
    /// Whether it shows everything, whatever the size of the window.
    is_fitted: bool,
}

impl Default for Camera {
    fn default() -> Self {
        Self { scale: 1.0, centre: Pos2::ZERO, is_free: true, is_fitted: false }
    }
}

impl Camera {
    /// Points on the screen for each point of the picture.
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// The scale and the point in the middle, if the user has moved the picture: for [`Self::place`].
    #[must_use]
    pub fn placed(&self) -> Option<[f32; 3]> {
        (!self.is_free).then_some([self.scale, self.centre.x, self.centre.y])
    }

    /// Shows what another camera showed. Values may be any: those of no picture have no effect, and the middle stays on the picture.
    pub fn place(&mut self, [scale, x, y]: [f32; 3]) {
        if [scale, x, y].into_iter().all(f32::is_finite) {
            *self =
                Self { scale: scale.clamp(FARTHEST, CLOSEST), centre: pos2(x, y), is_free: false, is_fitted: false };
        }
    }

    /// Follows the size of the canvas as long as the user has not moved the picture. Where not everything fits,
    /// `first` is in the middle of the top.
    pub fn settle(&mut self, picture: Vec2, first: Pos2, canvas: Rect) {
        if !self.is_free {
            return;
        }
        let whole = whole(picture, canvas);
        self.scale = if self.is_fitted { whole } else { whole.max(READABLE) };
        let half = canvas.size() / self.scale / 2.0 - Vec2::splat(MARGIN / self.scale);
        let middle = |first: f32, picture: f32, half: f32| {
            if 2.0 * half < picture { first.clamp(half, picture - half) } else { picture / 2.0 }
        };
        self.centre = pos2(middle(first.x, picture.x, half.x), middle(first.y, picture.y, half.y));
    }

    /// Shows everything.
    pub fn fit(&mut self) {
        (self.is_free, self.is_fitted) = (true, true);
    }

    /// Moves the picture by a distance on the screen.
    pub fn pan(&mut self, by: Vec2) {
        if by != Vec2::ZERO {
            self.is_free = false;
            self.centre -= by / self.scale;
        }
    }

    /// Makes everything larger or smaller; what is at `anchor` on the screen stays there.
    pub fn zoom(&mut self, by: f32, anchor: Pos2, picture: Vec2, canvas: Rect) {
        let smallest = whole(picture, canvas) * 0.8;
        let scale = (self.scale * by).clamp(smallest.min(CLOSEST), CLOSEST);
        if !scale.is_finite() || scale == self.scale {
            return;
        }
        self.is_free = false;
        let fixed = self.to_picture(anchor, canvas);
        self.scale = scale;
        self.centre = fixed - (anchor - canvas.center()) / scale;
    }

    /// Moves just so far that a part of the picture is on the screen, with some room around; makes it readable.
    pub fn reveal(&mut self, part: Rect, canvas: Rect) {
        let scale = self.scale.max(READABLE);
        let room = (canvas.size() / scale - part.size()).max(Vec2::ZERO) / 2.0;
        let around = room.min(part.size() * vec2(0.3, 1.2));
        let seen = Rect::from_center_size(self.centre, canvas.size() / scale);
        let wanted = part.expand2(around);
        let past = (wanted.max - seen.max).max(Vec2::ZERO) - (seen.min - wanted.min).max(Vec2::ZERO);
        if past != Vec2::ZERO || scale != self.scale {
            self.is_free = false;
            self.scale = scale;
            self.centre += past;
        }
    }

    /// Keeps some of the picture on the screen.
    pub fn hold(&mut self, picture: Vec2) {
        self.centre = self.centre.clamp(Pos2::ZERO, picture.to_pos2());
    }

    /// Where a point of the picture is on the screen.
    #[must_use]
    pub fn to_screen(&self, point: Pos2, canvas: Rect) -> Pos2 {
        canvas.center() + (point - self.centre) * self.scale
    }

    /// Where a rectangle of the picture is on the screen.
    #[must_use]
    pub fn rect_to_screen(&self, rect: Rect, canvas: Rect) -> Rect {
        Rect::from_min_max(self.to_screen(rect.min, canvas), self.to_screen(rect.max, canvas))
    }

    /// The point of the picture that is at a point of the screen.
    #[must_use]
    pub fn to_picture(&self, point: Pos2, canvas: Rect) -> Pos2 {
        self.centre + (point - canvas.center()) / self.scale
    }

    /// The part of the picture that is on the screen.
    #[must_use]
    pub fn seen(&self, canvas: Rect) -> Rect {
        Rect::from_center_size(self.centre, canvas.size() / self.scale)
    }
}

/// The scale at which everything is on the screen, never larger than natural.
fn whole(picture: Vec2, canvas: Rect) -> f32 {
    let room = (canvas.size() - Vec2::splat(2.0 * MARGIN)).max(Vec2::splat(1.0));
    (room / picture.max(Vec2::splat(1.0))).min_elem().min(1.0)
}

#[cfg(test)]
mod tests {
    use egui::{Rect, Vec2, pos2, vec2};

    use super::Camera;

    const CANVAS: Rect = Rect { min: pos2(100.0, 50.0), max: pos2(900.0, 650.0) };

    fn camera(picture: Vec2) -> Camera {
        let mut camera = Camera::default();
        camera.settle(picture, pos2(picture.x / 2.0, 0.0), CANVAS);
        camera
    }

    #[test]
    fn a_place_is_taken_from_another_camera_within_bounds() {
        let mut moved = camera(vec2(4000.0, 3000.0));
        assert_eq!(moved.placed(), None, "it follows the window");
        moved.zoom(1.5, CANVAS.center(), vec2(4000.0, 3000.0), CANVAS);
        let place = moved.placed().expect("moved");
        let mut other = Camera::default();
        other.place(place);
        other.settle(vec2(4000.0, 3000.0), pos2(0.0, 0.0), CANVAS);
        assert_eq!((other.placed(), other.scale()), (Some(place), moved.scale()));
        other.place([f32::NAN, 0.0, 0.0]);
        assert_eq!(other.placed(), Some(place));
        for scale in [0.0, -1e30, 1e30] {
            other.place([scale, 1e30, -1e30]);
            other.hold(vec2(4000.0, 3000.0));
            assert!(other.scale() > 0.0 && other.scale() <= 2.5);
            assert!(
                other.to_screen(pos2(4000.0, 0.0), CANVAS).distance(CANVAS.center()) < 1.0,
                "a corner of the picture"
            );
        }
    }

    #[test]
    fn a_small_picture_stands_in_the_middle_in_its_natural_size() {
        let camera = camera(vec2(200.0, 100.0));
        assert!((camera.scale() - 1.0).abs() < 1e-6);
        assert_eq!(camera.to_screen(pos2(100.0, 50.0), CANVAS), CANVAS.center());
    }

    #[test]
    fn a_large_picture_begins_at_its_top_and_is_readable() {
        let camera = camera(vec2(300.0, 100_000.0));
        assert!(camera.scale() > 0.6);
        let top = camera.to_screen(pos2(150.0, 0.0), CANVAS);
        assert!((top.y - CANVAS.top() - 14.0).abs() < 0.01, "{top:?}");
    }

    /// By hand: the text of a box is 12 points high, and 9 points is what can be read.
    #[test]
    fn a_picture_that_fits_when_readable_is_shown_whole() {
        let picture = vec2(300.0, 572.0 / 0.75);
        let camera = camera(picture);
        let drawn = camera.rect_to_screen(Rect::from_min_size(pos2(0.0, 0.0), picture), CANVAS);
        assert!(CANVAS.contains_rect(drawn), "{drawn:?}");
    }

    #[test]
    fn the_result_is_in_view_wherever_it_stands_in_a_wide_picture() {
        for x in [100.0, 5_000.0, 19_900.0] {
            let mut camera = Camera::default();
            camera.settle(vec2(20_000.0, 700.0), pos2(x, 0.0), CANVAS);
            let drawn = camera.to_screen(pos2(x, 0.0), CANVAS);
            assert!(CANVAS.contains(drawn), "{drawn:?}");
            assert!(camera.scale() > 0.7);
        }
    }

    #[test]
    fn fitting_shows_everything() {
        let picture = vec2(20_000.0, 700.0);
        let mut camera = camera(picture);
        camera.fit();
        camera.settle(picture, pos2(0.0, 0.0), CANVAS);
        let drawn = camera.rect_to_screen(Rect::from_min_size(pos2(0.0, 0.0), picture), CANVAS);
        assert!(CANVAS.contains_rect(drawn), "{drawn:?}");
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer() {
        let picture = vec2(3000.0, 3000.0);
        let mut camera = camera(picture);
        let pointer = pos2(300.0, 200.0);
        let before = camera.to_picture(pointer, CANVAS);
        for by in [1.1, 1.5, 0.3, 4.0, f32::NAN, 0.0, f32::INFINITY] {
            camera.zoom(by, pointer, picture, CANVAS);
            assert!((camera.to_picture(pointer, CANVAS) - before).length() < 0.05, "{by}");
            assert!(camera.scale() > 0.1 && camera.scale() <= 2.5);
        }
    }

    #[test]
    fn a_part_that_is_on_the_screen_already_moves_nothing() {
        let mut camera = camera(vec2(600.0, 400.0));
        let before = camera;
        camera.reveal(Rect::from_min_size(pos2(200.0, 150.0), vec2(200.0, 46.0)), CANVAS);
        assert_eq!(camera, before);
    }

    #[test]
    fn a_part_far_away_comes_on_the_screen() {
        let picture = vec2(9000.0, 9000.0);
        let mut camera = camera(picture);
        for at in [pos2(8000.0, 8000.0), pos2(0.0, 0.0), pos2(0.0, 8900.0)] {
            let part = Rect::from_min_size(at, vec2(200.0, 46.0));
            camera.reveal(part, CANVAS);
            assert!(CANVAS.contains_rect(camera.rect_to_screen(part, CANVAS)), "{at:?}");
        }
    }
}
