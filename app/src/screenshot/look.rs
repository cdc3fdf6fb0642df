//! How a picture is drawn: colours, size and scale.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use crossover_page::theme_choice::ThemeChoice;

/// Allowed width and height in points.
const SIDE: std::ops::RangeInclusive<u16> = 200..=4096;
/// Allowed pixels per point.
const SCALE: std::ops::RangeInclusive<u8> = 1..=3;
/// Most pixels of a side: a texture that every renderer takes.
const MOST_PIXELS: u32 = 8192;

/// Colours of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// The same choice in the window.
    pub(super) fn choice(self) -> ThemeChoice {
        match self {
            Self::Light => ThemeChoice::Light,
            Self::Dark => ThemeChoice::Dark,
        }
    }

    fn name(self) -> &'static str {
        self.choice().label()
    }
}

/// Colours, size in points, and pixels per point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The colours.
    pub theme: Theme,
    /// Width and height in points.
    pub size: [u16; 2],
    /// Pixels per point.
    pub scale: u8,
}

impl Look {
    /// The side that has more pixels than a renderer takes, in points.
    pub(super) fn too_long_side(self) -> Option<u16> {
        self.size.into_iter().find(|side| u32::from(*side) * u32::from(self.scale) > MOST_PIXELS)
    }

    /// The message about such a side.
    pub(super) fn too_long(self, side: u16) -> String {
        format!(
            "--size and --scale: {side} points at scale {} are more than {MOST_PIXELS} pixels; choose less",
            self.scale
        )
    }

    /// The file of this look beside a file: `answer.png` gives `answer-light-1280x800.png`.
    pub(super) fn file(self, out: &Path) -> PathBuf {
        let stem = out.file_stem().unwrap_or_default().to_string_lossy();
        out.with_file_name(format!("{stem}-{self}.png"))
    }
}

impl Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [width, height] = self.size;
        write!(f, "{}-{width}x{height}", self.theme.name())?;
        if self.scale == 1 { Ok(()) } else { write!(f, "@{}", self.scale) }
    }
}

/// Reads a look: `light-1280x800`, or `dark-1280x800@2` with two pixels per point.
pub(super) fn look(text: &str) -> Result<Look, String> {
    let read = || {
        let (theme, rest) = text.split_once('-')?;
        let theme = [Theme::Light, Theme::Dark].into_iter().find(|one| one.name() == theme)?;
        let (sides, scale) = match rest.split_once('@') {
            Some((sides, scale)) => (sides, scale.parse().ok()?),
            None => (rest, 1),
        };
        Some(Look { theme, size: size(sides).ok()?, scale })
    };
    read().filter(|look| SCALE.contains(&look.scale)).ok_or_else(|| {
        let (least, most) = (SIDE.start(), SIDE.end());
        format!("expected a look such as light-1280x800 or dark-1280x800@2, each side {least} to {most}, scale 1 to 3")
    })
}

/// Reads a size in points.
pub(super) fn size(text: &str) -> Result<[u16; 2], String> {
    let sides =
        text.split_once(['x', '×']).and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    sides
        .filter(|sides: &[u16; 2]| sides.iter().all(|side| SIDE.contains(side)))
        .ok_or_else(|| format!("expected a size such as 1280x800, each side {} to {}", SIDE.start(), SIDE.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_width_x_height_within_reason() {
        let check = |text: &str, expected: Option<[u16; 2]>| assert_eq!(size(text).ok(), expected, "{text}");
        check("1280x800", Some([1280, 800]));
        check("4096x200", Some([4096, 200]));
        check("1280", None);
        check("1280x", None);
        check("-1280x800", None);
        check("0x0", None);
        check("100000x800", None);
    }

    #[test]
    fn a_look_is_written_as_it_is_read_and_names_its_file() {
        let check = |text: &str, theme, size, scale, file: &str| {
            let read = look(text).expect(text);
            assert_eq!(read, Look { theme, size, scale });
            assert_eq!(read.to_string(), text);
            assert_eq!(read.file(Path::new("pictures/answer.png")), Path::new(file));
        };
        check("light-1280x800", Theme::Light, [1280, 800], 1, "pictures/answer-light-1280x800.png");
        check("dark-1920x1080@2", Theme::Dark, [1920, 1080], 2, "pictures/answer-dark-1920x1080@2.png");
        for wrong in ["", "light", "grey-1280x800", "light-1280", "light-1280x800@", "light-1280x800@4", "light-1x1"] {
            assert!(look(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_side_has_at_most_the_pixels_of_a_texture() {
        assert_eq!(look("light-4096x800@2").expect("a look").too_long_side(), None, "8192 pixels");
        assert_eq!(look("light-4096x800@3").expect("a look").too_long_side(), Some(4096), "12288 pixels");
    }
}
