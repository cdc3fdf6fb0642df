//! Repairs the window state that eframe stores, where the next window could not open with it.

use std::ops::RangeInclusive;
use std::path::Path;

use crossover_files::{atomic, read};

/// Factors that egui's own settings allow.
const ZOOM: RangeInclusive<f32> = 0.1..=10.0;
/// The key of the zoom in the memory of egui.
const KEY: &str = "zoom_factor:";
/// Larger than any such file.
const LARGEST_BYTES: u64 = 64_000_000;

/// Repairs the state in a folder before a window reads it: with a zoom of 0 or infinity, no window would open. A file that
/// cannot be read or written stays unchanged.
pub(crate) fn repair(folder: &Path) {
    let file = folder.join("app.ron");
    let Ok(text) = read::text(&file, LARGEST_BYTES) else { return };
    let Some((repaired, found)) = repaired(&text) else { return };
    match atomic::write(&file, repaired.as_bytes()) {
        Ok(()) => log::warn!("the saved zoom {found} is not valid; reset to 100 %"),
        Err(error) => log::warn!("the saved zoom {found} is not valid and cannot be reset: {error}"),
    }
}

/// The text with a zoom of 1, and its former zoom; `None` if the zoom is valid.
fn repaired(text: &str) -> Option<(String, String)> {
    let start = text.find(KEY)? + KEY.len();
    let rest = &text[start..];
    let end = rest.find([',', ')']).unwrap_or(rest.len());
    let found = rest[..end].trim();
    let is_usable = found.parse::<f32>().is_ok_and(|zoom| ZOOM.contains(&zoom));
    (!is_usable).then(|| (format!("{}1.0{}", &text[..start], &rest[end..]), found.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zoom_that_no_window_can_have_is_100_percent() {
        let state =
            |zoom: &str| format!("{{\"egui_memory_ron\":\"(options:(zoom_factor:{zoom},zoom_with_keyboard:true))\"}}");
        for zoom in ["0", "0.0", "-1.0", "NaN", "inf", "1e5", "soon", ""] {
            assert_eq!(repaired(&state(zoom)), Some((state("1.0"), zoom.to_owned())), "{zoom}");
        }
        for zoom in ["1.0", " 0.5", "2.25"] {
            assert_eq!(repaired(&state(zoom)), None, "{zoom}");
        }
        assert_eq!(repaired("{}"), None);
    }

    #[test]
    fn the_file_is_mended_where_it_lies() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("app.ron");
        repair(folder.path());
        assert!(!file.exists(), "nothing is made where nothing was");
        std::fs::write(&file, "(zoom_factor:0.0)").expect("written");
        repair(folder.path());
        assert_eq!(std::fs::read_to_string(&file).expect("a file"), "(zoom_factor:1.0)");
    }
}
