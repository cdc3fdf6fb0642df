//! Repairs the window state that eframe stores, where the next window could not open with it or would overwrite it.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crossover_files::atomic;
use crossover_files::read::{self, ReadTextError};

use crate::settings::Settings;

/// Factors that egui's own settings allow.
const ZOOM: RangeInclusive<f32> = 0.1..=10.0;
/// The key of the zoom in the memory of egui.
const KEY: &str = "zoom_factor:";
/// Larger than any such file.
const LARGEST_BYTES: u64 = 64_000_000;

/// The name of a state that no window can read.
const SET_ASIDE: &str = "app-unreadable.ron";

/// Repairs the state in a folder before a window reads it: with a zoom of 0 or infinity, no window would open. A state that
/// cannot be read gets another name, since the window replaces it at its end; that is the message.
pub(crate) fn repair(folder: &Path) -> Option<String> {
    let file = folder.join("app.ron");
    match text(&file) {
        Ok(text) => repair_zoom(&file, &text?),
        Err(why) => return Some(set_aside(folder, &file, &why)),
    }
    None
}

/// The text of the state, or why no window can read it. `None`: there is none, or it may not be read.
fn text(file: &Path) -> Result<Option<String>, String> {
    match fs::metadata(file) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err("it is not a file".to_owned()),
        Err(_) => return Ok(None),
    }
    let text = match read::text(file, LARGEST_BYTES) {
        Ok(text) => text,
        Err(ReadTextError::Unreadable(cause)) if cause.kind() != ErrorKind::InvalidData => return Ok(None),
        Err(problem) => return Err(problem.to_string()),
    };
    let parts: HashMap<String, String> = ron::from_str(&text).map_err(|problem| problem.to_string())?;
    if let Some(settings) = parts.get(Settings::KEY) {
        ron::from_str::<Settings>(settings).map_err(|problem| format!("{}: {problem}", Settings::KEY))?;
    }
    Ok(Some(text))
}

fn set_aside(folder: &Path, file: &Path, why: &str) -> String {
    let aside: PathBuf = folder.join(SET_ASIDE);
    let begins = format!("the settings of the window in {} are damaged or of a newer version ({why})", file.display());
    match fs::rename(file, &aside) {
        Ok(()) => format!("{begins}: they are kept in {}, and the window starts with its defaults", aside.display()),
        Err(problem) => format!("{begins}, and cannot be renamed ({problem}): the window replaces them at its end"),
    }
}

fn repair_zoom(file: &Path, text: &str) {
    let Some((repaired, found)) = repaired(text) else { return };
    match atomic::write(file, repaired.as_bytes()) {
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
        assert_eq!(repair(folder.path()), None);
        assert!(!file.exists(), "nothing is made where nothing was");
        fs::write(&file, r#"{"egui": "(zoom_factor:0.0)"}"#).expect("written");
        assert_eq!(repair(folder.path()), None);
        assert_eq!(fs::read_to_string(&file).expect("a file"), r#"{"egui": "(zoom_factor:1.0)"}"#);
    }

    #[test]
    fn a_state_that_is_damaged_or_of_a_newer_version_is_kept_under_another_name() {
        let newer = r#"{"crossover-settings": "(theme:HighContrast,recent:[\"/a.ron\"])"}"#;
        for state in ["", "{\"egui\": \"(zoom", "\0\u{1}", newer] {
            let folder = tempfile::tempdir().expect("a folder");
            fs::write(folder.path().join("app.ron"), state).expect("written");
            let message = repair(folder.path()).expect("a message");
            let kept = folder.path().join(SET_ASIDE);
            assert!(message.contains(&kept.display().to_string()), "{message}");
            assert_eq!(fs::read_to_string(kept).expect("kept"), state);
            assert!(!folder.path().join("app.ron").exists());
        }
        let known = r#"{"crossover-settings": "(theme:Dark,recent:[],of_a_newer_version:1)"}"#;
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("app.ron"), known).expect("written");
        assert_eq!(repair(folder.path()), None, "what is unknown is left out");
    }

    #[cfg(unix)]
    #[test]
    fn a_state_that_is_no_file_does_not_keep_the_window_away() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("app.ron");
        let _socket = std::os::unix::net::UnixListener::bind(&file).expect("a socket");
        let message = repair(folder.path()).expect("a message");
        assert!(message.contains("it is not a file") && !file.exists(), "{message}");
    }
}
