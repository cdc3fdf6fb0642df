//! PNG pictures from SVG, with the fonts of the window.

use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{FontResolver, Options, Tree};

/// The longest side of a picture in pixels; 16 times a full-HD screen, and still less than 1 GB.
const LONGEST_SIDE: f32 = 15_360.0;

/// Draws an SVG document as PNG, `scale` pixels to the SVG pixel (2.0 for print and high-density screens).
///
/// # Errors
/// When the document is not SVG, when the scale is not a positive number, or when the picture would be too large.
pub fn encode(svg: &str, scale: f32) -> Result<Vec<u8>> {
    ensure!(scale.is_finite() && scale > 0.0, "the PNG scale is {scale}; use a positive number such as 2");
    let tree = Tree::from_str(svg, &options()).context("the picture is not valid SVG")?;
    let [width, height] = [tree.size().width() * scale, tree.size().height() * scale].map(|side| side.ceil().max(1.0));
    ensure!(
        width <= LONGEST_SIDE && height <= LONGEST_SIDE,
        "the PNG would be {width} × {height} pixels; choose a scale that keeps both sides under {LONGEST_SIDE}"
    );
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and LONGEST_SIDE")]
    let mut pixmap = Pixmap::new(width as u32, height as u32).context("there is not enough memory for the PNG")?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().context("the PNG could not be written")
}

/// Fonts: those of the window, then, for characters none of them has, those of the system.
fn options() -> Options<'static> {
    let mut fonts = Database::new();
    for (_, font) in egui::FontDefinitions::default().font_data {
        fonts.load_font_source(Source::Binary(Arc::clone(&font.font)));
    }
    fonts.set_sans_serif_family("Ubuntu");
    let bundled = FontResolver::default_fallback_selector();
    Options {
        font_family: "Ubuntu".to_owned(),
        font_resolver: FontResolver {
            select_font: FontResolver::default_font_selector(),
            select_fallback: Box::new(move |character, used, fonts| {
                bundled(character, used, fonts).or_else(|| {
                    Arc::make_mut(fonts).load_system_fonts();
                    bundled(character, used, fonts)
                })
            }),
        },
        fontdb: Arc::new(fonts),
        ..Options::default()
    }
}

/// The width a text has in the fonts of the window, in pixels.
#[cfg(test)]
pub(super) fn real_text_width(text: &str, size: f64) -> f64 {
    let svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="900" height="50"><text y="20" font-family="Ubuntu" font-size="{size}">{text}</text></svg>"#
    );
    let tree = Tree::from_str(&svg, &options()).unwrap();
    f64::from(tree.root().bounding_box().width())
}
