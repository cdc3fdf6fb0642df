//! PNG pictures from SVG, with the fonts of the window.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{FontResolver, Options, Tree};

/// The longest side of a picture in pixels; 16 times a full-HD screen, and still less than 1 GB.
const LONGEST_SIDE: f32 = 15_360.0;

/// Why there is no PNG.
#[derive(Debug, thiserror::Error)]
pub enum NoPng {
    /// The scale is not a positive number.
    #[error("the PNG scale is {0}; use a positive number such as 2")]
    Scale(f32),
    /// The document is not SVG.
    #[error("the picture is not valid SVG")]
    Svg(#[source] resvg::usvg::Error),
    /// The picture would have this width and height.
    #[error(
        "the PNG would be {width} × {height} pixels; choose a scale that keeps both sides under {LONGEST_SIDE}",
        width = .0[0],
        height = .0[1]
    )]
    TooLarge([f32; 2]),
    /// There is no room for the pixels.
    #[error("there is not enough memory for the PNG")]
    Memory,
    /// The pixels could not be packed.
    #[error("the PNG could not be written: {0}")]
    Packing(String),
}

/// Draws an SVG document as PNG, `scale` pixels to the SVG pixel (2.0 for print and high-density screens).
///
/// # Errors
/// When the document is not SVG, when the scale is not a positive number, or when the picture would be too large.
pub fn encode(svg: &str, scale: f32) -> Result<Vec<u8>, NoPng> {
    if !(scale.is_finite() && scale > 0.0) {
        return Err(NoPng::Scale(scale));
    }
    let tree = Tree::from_str(svg, &options()).map_err(NoPng::Svg)?;
    let [width, height] = [tree.size().width() * scale, tree.size().height() * scale].map(|side| side.ceil().max(1.0));
    if width.max(height) > LONGEST_SIDE {
        return Err(NoPng::TooLarge([width, height]));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and LONGEST_SIDE")]
    let mut pixmap = Pixmap::new(width as u32, height as u32).ok_or(NoPng::Memory)?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| NoPng::Packing(error.to_string()))
}

/// Fonts: those of the window, then, for characters none of them has, those of the system.
fn options() -> Options<'static> {
    let mut fonts = Database::new();
    for (_, font) in egui::FontDefinitions::default().font_data {
        fonts.load_font_source(Source::Binary(Arc::clone(&font.font)));
    }
    fonts.set_sans_serif_family("Ubuntu");
    let bundled = FontResolver::default_fallback_selector();
    let has_fonts_of_system = AtomicBool::new(false);
    Options {
        font_family: "Ubuntu".to_owned(),
        font_resolver: FontResolver {
            select_font: FontResolver::default_font_selector(),
            select_fallback: Box::new(move |character, used, fonts| {
                bundled(character, used, fonts).or_else(|| {
                    // Reading them takes long, and another time would add them all again.
                    if has_fonts_of_system.swap(true, Ordering::Relaxed) {
                        return None;
                    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_of_the_system_are_read_once_however_many_texts_lack_a_letter() {
        let options = options();
        let mut fonts = Arc::clone(&options.fontdb);
        let used = fonts.faces().next().expect("the fonts of the window").id;
        let mut fall_back = || {
            // A letter for private use, which has no glyph.
            _ = (options.font_resolver.select_fallback)('\u{10fffd}', &[used], &mut fonts);
            fonts.len()
        };
        let once = fall_back();
        assert_eq!(fall_back(), once);
    }
}
