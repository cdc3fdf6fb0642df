//! A plan as SVG: the whole of it, in its natural size.

use egui::Rect as Place;

use super::{Mark, NETWORK_MARK, PlanBox, PlanChart, PlanEdge, Processor, Route, bus_mark};
use crate::svg::{Anchor, Canvas, MARGIN, Rect, Stroke, Swatch, TEXT_SIZE, ellipsize, text_width};
use crate::theme::Token;

/// Below this width, in pixels, the heading cannot be read.
const SMALLEST_WIDTH: f64 = 480.0;
/// Opacity of the fill of a box on the GPU.
pub(crate) const GPU_TINT: f64 = 0.16;
/// Width of the stripe in the colour of the processor, in pixels.
pub(crate) const STRIPE: f32 = 5.0;
/// Height of the bar that is the box's share of the time, in pixels.
pub(crate) const SHARE: f32 = 3.0;
/// From the edge of a box to its text, in pixels.
const PAD: f64 = 8.0;

impl PlanChart {
    /// The picture is as large as the plan, whatever size is requested, so that it is legible.
    pub(crate) fn to_svg(&self, dark: bool, size: [f64; 2]) -> String {
        let plan = [f64::from(self.layout.size.x), f64::from(self.layout.size.y)];
        let width = SMALLEST_WIDTH.max(size[0].min(f64::from(f32::MAX))).max(plan[0] + 2.0 * MARGIN);
        let mut canvas = Canvas::new(dark, width);
        let below_heading = canvas.heading(&self.title, &self.answer, &self.subtitle);
        let top = canvas.legend(below_heading, &self.legend()) + 6.0;
        let shift = [(width - plan[0]) / 2.0, top];
        for (edge, route) in self.edges.iter().zip(&self.layout.routes) {
            line(&mut canvas, edge, route, shift);
        }
        for (item, place) in self.boxes.iter().zip(&self.layout.boxes) {
            operator(&mut canvas, item, &moved(place, shift), self.network);
        }
        for (edge, route) in self.edges.iter().zip(&self.layout.routes) {
            label(&mut canvas, edge, route, shift);
        }
        canvas.finish(top + plan[1] + MARGIN, &self.title, &self.answer)
    }

    fn legend(&self) -> Vec<(String, Swatch)> {
        let mut items = Vec::new();
        for processor in [Processor::Cpu, Processor::Gpu] {
            if self.boxes.iter().any(|item| item.processor == processor) {
                items.push((processor.label().to_owned(), Swatch::Box(processor.token())));
            }
        }
        let line = |token| Swatch::Line { token, dash: "" };
        for to in [Processor::Gpu, Processor::Cpu] {
            if let Some(bus) = self.edges.iter().filter_map(|edge| edge.bus.as_ref()).find(|bus| bus.to == to) {
                items.push((format!("{} bus to {}", bus_mark(to), to.label()), line(bus.token)));
            }
        }
        if self.boxes.iter().any(|item| item.is_exchange) {
            items.push((format!("{NETWORK_MARK} over the network"), line(self.network)));
        }
        items
    }
}

fn moved(place: &Place, [x, y]: [f64; 2]) -> Rect {
    Rect {
        left: f64::from(place.left()) + x,
        top: f64::from(place.top()) + y,
        right: f64::from(place.right()) + x,
        bottom: f64::from(place.bottom()) + y,
    }
}

fn line(canvas: &mut Canvas, edge: &PlanEdge, route: &Route, [x, y]: [f64; 2]) {
    let points: Vec<[f64; 2]> =
        route.points.iter().map(|point| [f64::from(point.x) + x, f64::from(point.y) + y]).collect();
    let token = edge.bus.as_ref().map_or(Token::TextWeak, |bus| bus.token);
    canvas.polyline(&points, Stroke { token, width: f64::from(edge.width()), dash: "" });
}

fn label(canvas: &mut Canvas, edge: &PlanEdge, route: &Route, [x, y]: [f64; 2]) {
    let Some(label) = route.label else { return };
    let room = f64::from(label.room);
    let full = edge.text();
    let text = if text_width(&full, TEXT_SIZE) <= room { full } else { ellipsize(&edge.short_text(), TEXT_SIZE, room) };
    let at = [f64::from(label.at.x) + x, f64::from(label.at.y) + y + TEXT_SIZE * 0.35];
    let left = if label.ends_here { at[0] - text_width(&text, TEXT_SIZE) } else { at[0] };
    canvas.text_with_halo([left, at[1]], &text, if edge.bus.is_some() { Token::Text } else { Token::TextWeak });
}

fn operator(canvas: &mut Canvas, item: &PlanBox, place: &Rect, network: Token) {
    let token = item.processor.token();
    canvas.rect(*place, Token::Background, 1.0, &item.accessible_name());
    if item.processor == Processor::Gpu {
        canvas.rect(*place, token, GPU_TINT, "");
    }
    canvas.rect(Rect { right: place.left + f64::from(STRIPE), ..*place }, token, 1.0, "");
    if item.is_exchange {
        canvas.rect(Rect { left: place.right - f64::from(STRIPE), ..*place }, network, 1.0, "");
    }
    let share = Rect {
        left: place.left + f64::from(STRIPE),
        top: place.bottom - f64::from(SHARE),
        right: place.left + f64::from(STRIPE) + f64::from(item.share) * (place.width() - 2.0 * f64::from(STRIPE)),
        ..*place
    };
    canvas.rect(share, token, 1.0, "");
    canvas.polyline(&place.outline(), Stroke { token, width: 1.5, dash: "" });

    let [left, right] = [place.left + f64::from(STRIPE) + PAD, place.right - f64::from(STRIPE) - PAD];
    let [first, second] = [place.top + 15.0, place.top + 31.0];
    let mark = item.mark.map_or("", Mark::symbol);
    let corner = format!("{mark} {}", item.processor.label());
    let room = |beside: &str| right - left - text_width(beside, TEXT_SIZE) - 8.0;
    canvas.text([left, first], &ellipsize(&item.name, TEXT_SIZE, room(&corner)), Token::Text, Anchor::Start);
    canvas.text([right, first], corner.trim(), Token::Text, Anchor::End);
    let line = ellipsize(&item.second_line(), TEXT_SIZE, room(&item.time));
    canvas.text([left, second], &line, Token::TextWeak, Anchor::Start);
    canvas.text([right, second], &item.time, Token::Text, Anchor::End);
}
