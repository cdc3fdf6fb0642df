//! The SVG writer: shapes, escaped text, and what every chart shares (heading, legend, background).

mod text;

use std::fmt::Write as _;

use crate::theme::Token;
use text::is_sign;
pub(super) use text::{ellipsize, text_width, wrap};

/// Text size of everything but titles, in pixels.
pub(super) const TEXT_SIZE: f64 = 12.0;
/// Distance of a marker's corners from its middle, in pixels.
pub(super) const MARKER_SIZE: f64 = 4.5;
/// Text size of titles, in pixels.
const TITLE_SIZE: f64 = 17.0;
/// From one line of text to the next, in text sizes.
const LINE_HEIGHT: f64 = 1.4;
/// Free space at the four edges, in pixels.
pub(super) const MARGIN: f64 = 16.0;
/// Dash pattern of compression.
pub(super) const DASHES: &str = "6 4";
/// The same in numbers: a dash and the gap after it, in pixels.
pub(super) const DASH: [f64; 2] = [6.0, 4.0];
/// Distance of the lines of a hatched area along an axis, in pixels.
const HATCHING: f64 = 6.0;
/// Dash pattern of lines that lead the eye.
pub(super) const DOTS: &str = "1.5 3";

/// A rectangle in pixels, y growing downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The corners, the first one again at the end.
    pub(super) fn outline(&self) -> [[f64; 2]; 5] {
        let Self { left, top, right, bottom } = *self;
        [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]]
    }

    pub(super) fn contains(&self, [x, y]: [f64; 2]) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
}

/// How a line is drawn.
#[derive(Clone, Copy)]
pub(super) struct Stroke<'a> {
    pub(super) token: Token,
    pub(super) width: f64,
    /// SVG dash pattern; empty for a solid line.
    pub(super) dash: &'a str,
}

/// Anchor of a text: the end that is at its position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// What a legend shows beside a name.
pub(super) enum Swatch {
    Line {
        token: Token,
        dash: &'static str,
    },
    Box(Token),
    /// A mark with these corners around its middle.
    Mark(Token, &'static [[f32; 2]]),
    /// A square of a colour that is this opaque.
    Tint(Token, f64),
    /// A square with lines across it.
    Hatched(Token),
    /// Nothing: the text is a sentence about the others.
    None,
}

/// The corners of a mark around a spot of the picture.
pub(super) fn around_spot(corners: &[[f32; 2]], [x, y]: [f64; 2], size: f64) -> Vec<[f64; 2]> {
    let corner = |[dx, dy]: &[f32; 2]| [x + size * f64::from(*dx), y + size * f64::from(*dy)];
    corners.iter().map(corner).collect()
}

/// An SVG picture being drawn from top to bottom.
pub(super) struct Canvas {
    body: String,
    dark: bool,
    width: f64,
}

impl Canvas {
    pub(super) fn new(dark: bool, width: f64) -> Self {
        Self { body: String::new(), dark, width }
    }

    pub(super) fn rect(&mut self, rect: Rect, fill: Token, opacity: f64, tooltip: &str) {
        let (x, y, width, height) = (px(rect.left), px(rect.top), px(rect.width()), px(rect.height()));
        let fill = self.hex(fill);
        let _ = write!(self.body, r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}""#);
        if opacity < 1.0 {
            let _ = write!(self.body, r#" fill-opacity="{}""#, px(opacity));
        }
        let _ = if tooltip.is_empty() {
            writeln!(self.body, "/>")
        } else {
            writeln!(self.body, "><title>{}</title></rect>", escape(tooltip))
        };
    }

    /// A rectangle with rising lines across it.
    pub(super) fn hatched(&mut self, rect: Rect, token: Token, tooltip: &str) {
        self.rect(rect, token, 0.16, tooltip);
        let stroke = Stroke { token, width: 1.2, dash: "" };
        // On a rising line x + y stays, because y grows downwards.
        let first = ((rect.left + rect.top) / HATCHING).ceil();
        let sums = std::iter::successors(Some(first), |number| Some(number + 1.0)).map(|number| number * HATCHING);
        for sum in sums.take_while(|sum| *sum < rect.right + rect.bottom) {
            let [from, to] = [(sum - rect.bottom).max(rect.left), (sum - rect.top).min(rect.right)];
            if to > from {
                self.polyline(&[[from, sum - from], [to, sum - to]], stroke);
            }
        }
        self.polyline(&rect.outline(), Stroke { width: 1.0, ..stroke });
    }

    /// A polyline; a single point becomes a dot.
    pub(super) fn polyline(&mut self, points: &[[f64; 2]], stroke: Stroke<'_>) {
        let mut path = String::new();
        let mut last = String::new();
        for &[x, y] in points {
            let point = format!("{} {}", px(x), px(y));
            if point != last {
                path.push(if path.is_empty() { 'M' } else { 'L' });
                path.push_str(&point);
                last = point;
            }
        }
        if !path.contains('L') {
            path.push_str("h0");
        }
        let (colour, width) = (self.hex(stroke.token), px(stroke.width));
        let _ = write!(self.body, r#"<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}""#);
        if !stroke.dash.is_empty() {
            let _ = write!(self.body, r#" stroke-dasharray="{}""#, stroke.dash);
        }
        // A dot is a line without length, which only its round ends make visible.
        let ends = if path.ends_with("h0") { r#" stroke-linecap="round""# } else { "" };
        let _ = writeln!(self.body, r#" stroke-linejoin="round"{ends}/>"#);
    }

    /// A filled closed shape with an outline in the colour of the background, so that it stands out on curves.
    pub(super) fn marker(&mut self, corners: &[[f64; 2]], fill: Token) {
        self.polygon(corners, fill, Token::Background, "");
    }

    /// The outline of a closed shape, filled with the background.
    pub(super) fn hollow_marker(&mut self, corners: &[[f64; 2]], outline: Token) {
        self.polygon(corners, Token::Background, outline, "");
    }

    /// A marker with a tooltip; a hollow one is its outline, filled with the background.
    pub(super) fn sample(&mut self, corners: &[[f64; 2]], token: Token, is_filled: bool, tooltip: &str) {
        let [fill, outline] = if is_filled { [token, Token::Background] } else { [Token::Background, token] };
        self.polygon(corners, fill, outline, tooltip);
    }

    /// A closed area in a tint of a colour, without an outline.
    pub(super) fn tinted(&mut self, corners: &[[f64; 2]], fill: Token, opacity: f64) {
        if corners.len() < 3 {
            return;
        }
        let points: Vec<String> = corners.iter().map(|&[x, y]| format!("{},{}", px(x), px(y))).collect();
        let (points, fill, opacity) = (points.join(" "), self.hex(fill), px(opacity));
        let _ = writeln!(self.body, r#"<polygon points="{points}" fill="{fill}" fill-opacity="{opacity}"/>"#);
    }

    fn polygon(&mut self, corners: &[[f64; 2]], fill: Token, outline: Token, tooltip: &str) {
        let points: Vec<String> = corners.iter().map(|&[x, y]| format!("{},{}", px(x), px(y))).collect();
        let (fill, outline) = (self.hex(fill), self.hex(outline));
        let points = points.join(" ");
        let _ = write!(self.body, r#"<polygon points="{points}" fill="{fill}" stroke="{outline}" stroke-width="1.5""#);
        let _ = if tooltip.is_empty() {
            writeln!(self.body, "/>")
        } else {
            writeln!(self.body, "><title>{}</title></polygon>", escape(tooltip))
        };
    }

    /// A filled circle with an outline in the colour of the background.
    pub(super) fn dot(&mut self, at: [f64; 2], radius: f64, fill: Token) {
        self.ring(at, radius, fill, Token::Background);
    }

    /// A filled circle with an outline.
    pub(super) fn ring(&mut self, [x, y]: [f64; 2], radius: f64, fill: Token, outline: Token) {
        let (x, y, radius, fill, outline) = (px(x), px(y), px(radius), self.hex(fill), self.hex(outline));
        let _ = writeln!(
            self.body,
            r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="{outline}" stroke-width="1.5"/>"#
        );
    }

    /// A line of text whose baseline is at `at`.
    pub(super) fn text(&mut self, at: [f64; 2], text: &str, token: Token, anchor: Anchor) {
        self.sized_text(at, text, token, anchor, TEXT_SIZE, "");
    }

    /// A line of text that runs upwards from `at`, which is the left end of its baseline.
    pub(super) fn upright_text(&mut self, [x, y]: [f64; 2], text: &str, token: Token) {
        let turned = format!(r#" transform="rotate(-90 {} {})""#, px(x), px(y));
        self.run_of_text([x, y], text, token, Anchor::Start, TEXT_SIZE, &turned);
    }

    /// Text on top of curves: a halo keeps it readable.
    pub(super) fn text_with_halo(&mut self, at: [f64; 2], text: &str, token: Token) {
        let background = self.hex(Token::Background);
        let halo = format!(r#" stroke="{background}" stroke-width="3" stroke-linejoin="round" paint-order="stroke""#);
        self.sized_text(at, text, token, Anchor::Start, TEXT_SIZE, &halo);
    }

    /// A text; signs that fonts of letters seldom have are texts of their own, as a renderer may set all of a text in the one
    /// font that has them.
    fn sized_text(&mut self, [x, y]: [f64; 2], text: &str, token: Token, anchor: Anchor, size: f64, extra: &str) {
        if !text.contains(is_sign) {
            self.run_of_text([x, y], text, token, anchor, size, extra);
            return;
        }
        let mut left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - text_width(text, size) / 2.0,
            Anchor::End => x - text_width(text, size),
        };
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|letter| is_sign(letter) != is_sign(first)).unwrap_or(rest.len());
            let (run, others) = rest.split_at(end);
            // Spaces at the start of a text are not drawn.
            let bare = run.trim_start();
            let indent = text_width(&run[..run.len() - bare.len()], size);
            if !bare.is_empty() {
                self.run_of_text([left + indent, y], bare, token, Anchor::Start, size, extra);
            }
            left += text_width(run, size);
            rest = others;
        }
    }

    fn run_of_text(&mut self, [x, y]: [f64; 2], text: &str, token: Token, anchor: Anchor, size: f64, extra: &str) {
        let (x, y, size, fill) = (px(x), px(y), px(size), self.hex(token));
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let text = escape(text);
        let _ = writeln!(
            self.body,
            r#"<text x="{x}" y="{y}" font-size="{size}" fill="{fill}"{anchor}{extra}>{text}</text>"#
        );
    }

    /// Question, answer and subtitle; returns where the space below them begins.
    pub(super) fn heading(&mut self, title: &str, answer: &str, subtitle: &str) -> f64 {
        let mut bottom = MARGIN;
        let blocks = [
            (title, TITLE_SIZE, Token::Text, 2),
            (answer, TEXT_SIZE, Token::Text, 4),
            (subtitle, TEXT_SIZE, Token::TextWeak, 2),
        ];
        for (text, size, token, max_lines) in blocks {
            for line in wrap(text, size, self.width - 2.0 * MARGIN, max_lines) {
                self.sized_text([MARGIN, bottom + size], &line, token, Anchor::Start, size, "");
                bottom += size * LINE_HEIGHT;
            }
        }
        bottom + 6.0
    }

    /// Names with their swatches in as many lines as they need; returns where the space below them begins.
    pub(super) fn legend(&mut self, top: f64, items: &[(String, Swatch)]) -> f64 {
        let (mut x, mut y) = (MARGIN, top);
        for (name, swatch) in items {
            let swatch_width = match swatch {
                Swatch::Line { .. } => 22.0,
                Swatch::Box(_) | Swatch::Tint(..) | Swatch::Mark(..) => 12.0,
                Swatch::Hatched(_) => 18.0,
                Swatch::None => 0.0,
            };
            let before = if swatch_width > 0.0 { swatch_width + 6.0 } else { 0.0 };
            let name = ellipsize(name, TEXT_SIZE, self.width - 2.0 * MARGIN - before);
            let width = before + text_width(&name, TEXT_SIZE);
            if x > MARGIN && x + width > self.width - MARGIN {
                (x, y) = (MARGIN, y + TEXT_SIZE * 1.5);
            }
            let middle = y + TEXT_SIZE * 0.6;
            match *swatch {
                Swatch::Line { token, dash } => {
                    self.polyline(&[[x, middle], [x + swatch_width, middle]], Stroke { token, width: 2.0, dash });
                }
                Swatch::Box(token) | Swatch::Tint(token, _) => {
                    let opacity = if let Swatch::Tint(_, opacity) = *swatch { opacity } else { 1.0 };
                    let right = x + swatch_width;
                    let square = Rect { left: x, top: middle - 6.0, right, bottom: middle + 6.0 };
                    self.rect(square, token, opacity, "");
                }
                Swatch::Hatched(token) => {
                    let area = Rect { left: x, top: middle - 6.0, right: x + swatch_width, bottom: middle + 6.0 };
                    self.hatched(area, token, "");
                }
                Swatch::Mark(token, corners) => {
                    self.marker(&around_spot(corners, [x + swatch_width / 2.0, middle], MARKER_SIZE), token);
                }
                Swatch::None => {}
            }
            self.text([x + before, y + TEXT_SIZE - 1.0], &name, Token::Text, Anchor::Start);
            x += width + 18.0;
        }
        if items.is_empty() { top } else { y + TEXT_SIZE * 1.5 + 8.0 }
    }

    /// The finished document. `title` and `description` are what a screen reader says.
    pub(super) fn finish(self, height: f64, title: &str, description: &str) -> String {
        // Whole pixels: half a pixel of background at the edge would be a dark line in a PNG.
        let (width, height) = (px(self.width.ceil()), px(height.ceil()));
        let background = self.hex(Token::Background);
        let (title, description, body) = (escape(title), escape(description), &self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"Ubuntu, sans-serif\">\n\
             <title>{title}</title>\n<desc>{description}</desc>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{background}\"/>\n{body}</svg>\n"
        )
    }

    fn hex(&self, token: Token) -> String {
        let [red, green, blue] = token.rgb(self.dark);
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

/// A coordinate with at most two decimals.
fn px(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text as XML 1.0 allows it (production 2, Char): markup is escaped, what cannot be written is replaced.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{escape, px};

    #[test]
    fn coordinates_are_short() {
        let check = |value, expected: &str| assert_eq!(px(value), expected);
        check(1.0, "1");
        check(0.127, "0.13");
        check(-0.001, "0");
        check(100.0, "100");
        check(12.3, "12.3");
    }

    #[test]
    fn text_cannot_break_the_document() {
        assert_eq!(escape(r#"a<b>&"c'"#), "a&lt;b&gt;&amp;&quot;c&apos;");
        assert_eq!(escape("x\0\u{1b}[31m\u{ffff}\n"), "x\u{fffd}\u{fffd}[31m\u{fffd} ");
        assert_eq!(escape("結合 ×"), "結合 ×");
    }
}
