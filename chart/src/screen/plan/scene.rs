//! What of a plan is drawn: boxes with their texts, lines with their labels, or specks where it is small.

use egui::{Align2, Color32, CornerRadius, FontId, Mesh, Pos2, Rect, Shape, Stroke, StrokeKind, Vec2, pos2, vec2};

use super::super::camera::Camera;
use crate::plan::layout::Label;
use crate::plan::{GPU_TINT, PlanBox, PlanChart, PlanEdge, Processor, SHARE, STRIPE};
use crate::theme::Token;

/// Text sizes of the first and the second line of a box, in points of the picture.
pub(super) const TEXT: [f32; 2] = [13.0, 12.0];
/// Text smaller than this on the screen is left out, in points.
const SMALLEST_TEXT: f32 = 6.5;
/// Size of the text that names the operators which take most time, where boxes have no text of their own, in points.
const CALLOUT_TEXT: f32 = 11.5;
/// Room for the name of such an operator, in points.
const CALLOUT_ROOM: f32 = 130.0;

/// A plan, the part of it that is on the screen, and where.
pub(super) struct Scene<'a> {
    pub(super) chart: &'a PlanChart,
    pub(super) camera: Camera,
    pub(super) canvas: Rect,
    pub(super) dark: bool,
}

impl Scene<'_> {
    fn color(&self, token: Token) -> Color32 {
        token.color(self.dark)
    }

    /// A length of the picture on the screen.
    pub(super) fn size(&self, length: f32) -> f32 {
        length * self.camera.scale()
    }

    fn at(&self, point: Pos2) -> Pos2 {
        self.camera.to_screen(point, self.canvas)
    }

    /// The font of a text of this size, if it can be read. In steps, so that zooming needs few glyphs.
    pub(super) fn font(&self, size: f32) -> Option<FontId> {
        let size = (self.size(size) * 2.0).floor() / 2.0;
        (size >= SMALLEST_TEXT).then(|| FontId::proportional(size))
    }

    pub(super) fn lines(&self, painter: &egui::Painter, selected: Option<usize>, seen: Rect) {
        for (edge, route) in self.chart.edges.iter().zip(&self.chart.layout.routes) {
            if !bounds(&route.points).expand(4.0).intersects(seen) {
                continue;
            }
            let is_picked = selected.is_some_and(|place| place == edge.from || place == edge.to);
            let token = match (&edge.bus, is_picked) {
                (Some(bus), _) => bus.token,
                (None, true) => Token::Text,
                (None, false) => Token::TextWeak,
            };
            let width = self.size(edge.width() + if is_picked { 1.0 } else { 0.0 }).max(0.8);
            let points: Vec<Pos2> = route.points.iter().map(|point| self.at(*point)).collect();
            if let Some(end) = points.last().copied() {
                let half = self.size(4.0).max(width);
                let head = vec![end, end + vec2(-half, 1.6 * half), end + vec2(half, 1.6 * half)];
                painter.add(Shape::convex_polygon(head, self.color(token), Stroke::NONE));
            }
            painter.line(points, Stroke::new(width, self.color(token)));
        }
    }

    pub(super) fn labels(&self, painter: &egui::Painter, seen: Rect) {
        let Some(font) = self.font(TEXT[1]) else { return };
        for (edge, route) in self.chart.edges.iter().zip(&self.chart.layout.routes) {
            if let Some(label) = route.label.filter(|label| seen.expand(label.room).contains(label.at)) {
                self.label(painter, edge, &label, &font);
            }
        }
    }

    fn label(&self, painter: &egui::Painter, edge: &PlanEdge, label: &Label, font: &FontId) {
        let text = self.color(if edge.bus.is_some() { Token::Text } else { Token::TextWeak });
        // A label with an outline needs room for it.
        let pad = if edge.bus.is_some() { self.size(4.0) } else { 0.0 };
        let room = self.size(label.room) - 2.0 * pad;
        let full = painter.layout_no_wrap(edge.text(), font.clone(), text);
        let galley = if full.size().x <= room { full } else { one_line(painter, &edge.short_text(), font, text, room) };
        let at = self.at(label.at);
        let left = if label.ends_here { at.x - galley.size().x - pad } else { at.x + pad };
        let rect = Rect::from_min_size(pos2(left, at.y - galley.size().y / 2.0), galley.size());
        let ground = self.color(Token::Background);
        match &edge.bus {
            Some(bus) => {
                let pill = rect.expand2(vec2(self.size(3.0), self.size(1.0)));
                let stroke = Stroke::new(self.size(1.5).max(1.0), self.color(bus.token));
                painter.rect(pill, self.size(5.0), ground, stroke, StrokeKind::Inside);
            }
            None => {
                painter.rect_filled(rect, 2.0, ground.gamma_multiply(0.85));
            }
        }
        painter.galley(rect.min, galley, text);
    }

    pub(super) fn operator(&self, painter: &egui::Painter, place: usize) {
        let item = &self.chart.boxes[place];
        let rect = self.camera.rect_to_screen(self.chart.layout.boxes[place], self.canvas);
        let color = self.color(item.processor.token());
        let corner = CornerRadius::same(3);
        painter.rect_filled(rect, corner, self.color(Token::Background));
        if item.processor == Processor::Gpu {
            #[expect(clippy::cast_possible_truncation, reason = "an opacity between 0 and 1")]
            painter.rect_filled(rect, corner, color.gamma_multiply(GPU_TINT as f32));
        }
        let stripe = self.size(STRIPE);
        painter.rect_filled(rect.with_max_x(rect.left() + stripe), CornerRadius { nw: 3, sw: 3, ne: 0, se: 0 }, color);
        if item.is_exchange {
            let right = rect.with_min_x(rect.right() - stripe);
            let network = self.color(self.chart.network);
            painter.rect_filled(right, CornerRadius { nw: 0, sw: 0, ne: 3, se: 3 }, network);
        }
        let inner = rect.shrink2(vec2(stripe, 0.0));
        let share =
            inner.with_min_y(rect.bottom() - self.size(SHARE)).with_max_x(inner.left() + item.share * inner.width());
        painter.rect_filled(share, 0.0, color);
        painter.rect_stroke(rect, corner, Stroke::new(self.size(1.5).max(1.0), color), StrokeKind::Inside);
        self.texts(painter, item, inner.shrink2(vec2(self.size(7.0), 0.0)));
    }

    fn texts(&self, painter: &egui::Painter, item: &PlanBox, inner: Rect) {
        let (text, weak) = (self.color(Token::Text), self.color(Token::TextWeak));
        let [first, second] = [inner.top() + self.size(11.0), inner.top() + self.size(26.5)];
        let Some(font) = self.font(TEXT[0]) else { return };
        let corner = match item.mark {
            Some(mark) => format!("{} {}", mark.symbol(), item.processor.label()),
            None => item.processor.label().to_owned(),
        };
        let corner = painter.text(pos2(inner.right(), first), Align2::RIGHT_CENTER, corner, font.clone(), text);
        let name = one_line(painter, &item.name, &font, text, corner.left() - inner.left() - self.size(6.0));
        painter.galley(pos2(inner.left(), first - name.size().y / 2.0), name, text);
        let Some(font) = self.font(TEXT[1]) else { return };
        let time = painter.text(pos2(inner.right(), second), Align2::RIGHT_CENTER, &item.time, font.clone(), text);
        let line = one_line(painter, &item.second_line(), &font, weak, time.left() - inner.left() - self.size(6.0));
        painter.galley(pos2(inner.left(), second - line.size().y / 2.0), line, weak);
    }

    /// Names the operators that take most time beside their boxes, as far as no name hides another one.
    pub(super) fn callouts(&self, painter: &egui::Painter, places: &[usize]) {
        let mut ranked: Vec<(usize, usize)> =
            places.iter().filter_map(|place| Some((self.chart.boxes[*place].rank?, *place))).collect();
        ranked.sort_unstable();
        let (font, text) = (FontId::proportional(CALLOUT_TEXT), self.color(Token::Text));
        let mut taken: Vec<Rect> = Vec::new();
        for (rank, place) in ranked {
            let item = &self.chart.boxes[place];
            let rect = self.camera.rect_to_screen(self.chart.layout.boxes[place], self.canvas);
            let full = one_line(painter, &format!("{rank}  {} {}", item.name, item.time), &font, text, CALLOUT_ROOM);
            let short = one_line(painter, &rank.to_string(), &font, text, CALLOUT_ROOM);
            // To the right of the box, or to its left; where names do not fit, the number of the list beside.
            let at = |galley: &egui::Galley, is_right: bool| {
                let size = galley.size() + vec2(8.0, 2.0);
                let x = if is_right { rect.right() + 3.0 } else { rect.left() - 3.0 - size.x };
                Rect::from_min_size(pos2(x, rect.center().y - size.y / 2.0), size)
            };
            let ways = [(&full, true), (&full, false), (&short, true), (&short, false)];
            let free = ways.into_iter().map(|(galley, is_right)| (galley, at(galley, is_right))).find(|(_, pill)| {
                self.canvas.contains_rect(*pill) && taken.iter().all(|other| !other.intersects(*pill))
            });
            let Some((galley, pill)) = free else { continue };
            let stroke = Stroke::new(1.0, self.color(item.processor.token()));
            painter.rect(pill, CornerRadius::same(4), self.color(Token::Background), stroke, StrokeKind::Inside);
            painter.galley(pill.min + vec2(4.0, 1.0), std::sync::Arc::clone(galley), text);
            taken.push(pill);
        }
    }

    pub(super) fn selection(&self, painter: &egui::Painter, place: usize) {
        let rect = self.camera.rect_to_screen(self.chart.layout.boxes[place], self.canvas);
        let stroke = Stroke::new(2.5, self.color(Token::Accent));
        painter.rect_stroke(rect.expand(2.5), CornerRadius::same(5), stroke, StrokeKind::Outside);
    }

    /// Boxes too small for anything but their colour, with their lines, in one piece: filled on the GPU, hollow on the
    /// CPU, and the stronger the more time they take.
    pub(super) fn specks(&self, painter: &egui::Painter, places: &[usize], seen: Rect) {
        let mut mesh = Mesh::default();
        for (edge, route) in self.chart.edges.iter().zip(&self.chart.layout.routes) {
            if bounds(&route.points).intersects(seen) {
                let token = edge.bus.as_ref().map_or(Token::TextWeak, |bus| bus.token);
                let half = (self.size(edge.width()) / 2.0).max(0.3);
                for pair in route.points.windows(2) {
                    // Lines are vertical or horizontal.
                    let line = Rect::from_two_pos(self.at(pair[0]), self.at(pair[1])).expand(half);
                    mesh.add_colored_rect(line, self.color(token));
                }
            }
        }
        let ground = self.color(Token::Background);
        let most = self.chart.boxes.iter().map(|item| item.share).fold(f32::MIN_POSITIVE, f32::max);
        for place in places {
            let rect = self.camera.rect_to_screen(self.chart.layout.boxes[*place], self.canvas);
            let rect = Rect::from_center_size(rect.center(), rect.size().max(Vec2::splat(1.0)));
            let item = &self.chart.boxes[*place];
            let color = self.color(item.processor.token());
            mesh.add_colored_rect(rect, color);
            // The eye compares areas as it compares lengths of many sizes: by root.
            let heat = (item.share / most).sqrt();
            let (edge, empty) = match item.processor {
                Processor::Cpu => (1.0 + 2.0 * heat, ground),
                Processor::Gpu => (1.0, ground.lerp_to_gamma(color, 0.25 + 0.75 * heat)),
            };
            let inner = rect.shrink(edge.min(rect.height() / 3.0));
            if inner.is_positive() && rect.height() > 3.0 {
                mesh.add_colored_rect(inner, empty);
            } else if item.processor == Processor::Cpu && rect.shrink(1.0).is_positive() {
                mesh.add_colored_rect(rect.shrink(1.0), ground);
            }
        }
        painter.add(mesh);
    }
}

fn bounds(points: &[Pos2]) -> Rect {
    Rect::from_points(points)
}

/// A text in one line, cut where there is no more room.
fn one_line(
    painter: &egui::Painter,
    text: &str,
    font: &FontId,
    color: Color32,
    room: f32,
) -> std::sync::Arc<egui::Galley> {
    let mut job = egui::text::LayoutJob::simple_singleline(text.to_owned(), font.clone(), color);
    job.wrap = egui::text::TextWrapping::truncate_at_width(room.max(0.0));
    painter.layout_job(job)
}
