//! What is kept of the tabs about measured cases for the next window: the file of the cases, which measurements are on the screen, and the
//! file of the selected engines.

use std::path::{Path, PathBuf, absolute};

use super::{Cases, SharedState};

/// The first word while the shipped measurements are on the screen, and while those of the file are.
const SHOWN: [&str; 2] = ["shipped", "file"];

/// The cases and the file of the selected engines, as they are written: a line with which cases are on the screen and the length of the
/// path of the engines, 0 without one, and then both whole paths, as the next window may be started in another folder. `None`: no file of
/// cases was opened, or no text can hold its path.
pub(super) fn write(state: &SharedState, engines: Option<&Path>) -> Option<String> {
    let whole = |file: &Path| absolute(file).unwrap_or_else(|_| file.to_owned());
    let file = whole(&state.cases.as_ref()?.file);
    let engines = engines.map(whole);
    let engines = engines.as_deref().and_then(Path::to_str).unwrap_or_default();
    let [shipped, own] = SHOWN;
    let shown = if state.shows_shipped { shipped } else { own };
    Some(format!("{shown} {}\n{engines}{}", engines.len(), file.to_str()?))
}

/// Reads a text of [`write`] into a state without cases; what the user has opened meanwhile stays. Returns the file of the engines.
///
/// # Errors
/// The text is not of this form; the message has the reason.
pub(super) fn read(text: &str, state: &mut SharedState) -> Result<Option<PathBuf>, String> {
    let (first, paths) = text.split_once('\n').ok_or("expected two lines")?;
    let (shown, length) = first.split_once(' ').ok_or("expected two words in the first line")?;
    let length = length.parse::<usize>().map_err(|error| error.to_string())?;
    let (engines, file) = paths.split_at_checked(length).ok_or("expected two paths after the first line")?;
    let Some(place) = SHOWN.iter().position(|known| *known == shown) else {
        return Err(format!("expected {} or {} in the first line", SHOWN[0], SHOWN[1]));
    };
    if state.cases.is_none() {
        state.cases = Some(Cases { file: PathBuf::from(file), revision: 0 });
        state.shows_shipped = place == 0;
    }
    Ok((!engines.is_empty()).then(|| PathBuf::from(engines)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(file: &str, shows_shipped: bool) -> SharedState {
        let cases = Some(Cases { file: PathBuf::from(file), revision: 3 });
        SharedState { cases, shows_shipped, ..SharedState::default() }
    }

    #[test]
    fn what_was_written_is_read_again_with_a_whole_path() {
        for shows_shipped in [true, false] {
            let before = state("/cases/größe \"b\"\n.csv", shows_shipped);
            for engines in [None, Some(Path::new("/engines/größe\n.ron"))] {
                let text = write(&before, engines).expect("a text");
                let mut after = SharedState::default();
                assert_eq!(read(&text, &mut after), Ok(engines.map(Path::to_owned)));
                let cases = after.cases.as_ref().expect("cases");
                assert_eq!(
                    (&cases.file, after.shows_shipped),
                    (&before.cases.as_ref().expect("cases").file, shows_shipped)
                );
            }
        }
        let whole = write(&state("cases.csv", false), None).expect("a text");
        assert!(whole.len() > "file 0\ncases.csv".len() && whole.ends_with("cases.csv"), "{whole}");
        assert_eq!(write(&SharedState::default(), None), None);
    }

    #[test]
    fn other_texts_are_refused_and_opened_cases_stay() {
        let mut opened = state("/opened.csv", false);
        assert_eq!(read("shipped 0\n/kept.csv", &mut opened), Ok(None));
        assert!(!opened.shows_shipped && opened.cases == state("/opened.csv", false).cases);
        for text in ["", "file", "file\n/kept.csv", "file x\n/kept.csv", "file 99\n/kept.csv", "other 0\n/kept.csv"] {
            let mut state = SharedState::default();
            assert!(read(text, &mut state).is_err() && state.cases.is_none(), "{text:?}");
        }
    }
}
