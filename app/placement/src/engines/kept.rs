//! What is kept of the tabs about measured cases for the next window: the file of the cases, and which measurements are on the screen.

use std::path::{PathBuf, absolute};

use super::{Cases, SharedState};

/// The first line while the measurements that come with the program are on the screen, and while those of the file are.
const SHOWN: [&str; 2] = ["shipped", "file"];

/// The cases, as they are written: which are on the screen, and then the whole path, as the next window may be started in another folder.
/// `None`: no file was opened, or no text can hold its path.
pub(super) fn write(state: &SharedState) -> Option<String> {
    let file = &state.cases.as_ref()?.file;
    let file = absolute(file).unwrap_or_else(|_| file.clone());
    let [shipped, own] = SHOWN;
    Some(format!("{}\n{}", if state.shows_shipped { shipped } else { own }, file.to_str()?))
}

/// Reads a text of [`write`] into a state without cases; what the user has opened meanwhile stays.
///
/// # Errors
/// It is not one; the message has the reason.
pub(super) fn read(text: &str, state: &mut SharedState) -> Result<(), String> {
    let (shown, file) = text.split_once('\n').ok_or("expected two lines")?;
    let Some(place) = SHOWN.iter().position(|known| *known == shown) else {
        return Err(format!("expected {} or {} in the first line", SHOWN[0], SHOWN[1]));
    };
    if state.cases.is_none() {
        state.cases = Some(Cases { file: PathBuf::from(file), revision: 0 });
        state.shows_shipped = place == 0;
    }
    Ok(())
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
            let text = write(&before).expect("a text");
            let mut after = SharedState::default();
            assert_eq!(read(&text, &mut after), Ok(()));
            let cases = after.cases.as_ref().expect("cases");
            assert_eq!((&cases.file, after.shows_shipped), (&before.cases.expect("cases").file, shows_shipped));
        }
        let whole = write(&state("cases.csv", false)).expect("a text");
        assert!(whole.len() > "file\ncases.csv".len() && whole.ends_with("cases.csv"), "{whole}");
        assert_eq!(write(&SharedState::default()), None);
    }

    #[test]
    fn other_texts_are_refused_and_opened_cases_stay() {
        let mut opened = state("/opened.csv", false);
        assert_eq!(read("shipped\n/kept.csv", &mut opened), Ok(()));
        assert!(!opened.shows_shipped && opened.cases == state("/opened.csv", false).cases);
        for text in ["", "file", "other\n/kept.csv"] {
            let mut state = SharedState::default();
            assert!(read(text, &mut state).is_err() && state.cases.is_none(), "{text:?}");
        }
    }
}
