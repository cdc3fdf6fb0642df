//! What is kept of the tabs about measured cases for the next window: the file of the cases, which measurements are on the screen, and the
//! file of the selected engines.

use std::path::{Path, PathBuf};

use crossover_page::storage::on_disk::absolute;
use serde::{Deserialize, Serialize};

use super::{Cases, SharedState};

/// The state of a tab about measured cases. Paths are absolute: the next window may be started in another folder.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptCases {
    /// The file of the cases.
    cases: PathBuf,
    /// Whether the measurements that come with the program are on the screen, not those of the file.
    shows_shipped: bool,
    /// The file of the selected engines.
    engines: Option<PathBuf>,
}

impl KeptCases {
    /// The tab with these engines; `None`: no file of cases was opened.
    pub(super) fn new(state: &SharedState, engines: Option<&Path>) -> Option<Self> {
        let cases = absolute(&state.cases.as_ref()?.file);
        // A path that no text can hold does not keep the cases from being written.
        let engines = engines.map(absolute).filter(|engines| engines.to_str().is_some());
        Some(Self { cases, shows_shipped: state.shows_shipped, engines })
    }

    /// Puts the cases into a state without any; what the user has opened meanwhile stays. Returns the file of the engines.
    pub(super) fn restore(self, state: &mut SharedState) -> Option<PathBuf> {
        if state.cases.is_none() {
            state.cases = Some(Cases { file: self.cases, revision: 0 });
            state.shows_shipped = self.shows_shipped;
        }
        self.engines
    }
}

#[cfg(test)]
mod tests {
    use crossover_page::storage::kept::{read, write};

    use super::*;

    fn state(file: &str, shows_shipped: bool) -> SharedState {
        let cases = Some(Cases { file: PathBuf::from(file), revision: 3 });
        SharedState { cases, shows_shipped, ..SharedState::default() }
    }

    #[test]
    fn what_was_written_is_read_again_with_absolute_paths() {
        for shows_shipped in [true, false] {
            let before = state("/cases/größe \"b\"\n.csv", shows_shipped);
            for engines in [None, Some(Path::new("/engines/größe\n.ron"))] {
                let text = write(&KeptCases::new(&before, engines).expect("cases")).expect("a text");
                let mut after = SharedState::default();
                let kept: KeptCases = read(&text).expect("read");
                assert_eq!(kept.restore(&mut after), engines.map(Path::to_owned));
                let cases = after.cases.as_ref().expect("cases");
                assert_eq!(
                    (&cases.file, after.shows_shipped),
                    (&before.cases.as_ref().expect("cases").file, shows_shipped)
                );
            }
        }
        let relative = KeptCases::new(&state("cases.csv", false), Some(Path::new("engines.ron"))).expect("cases");
        assert!(relative.cases.is_absolute() && relative.engines.is_some_and(|engines| engines.is_absolute()));
        assert_eq!(KeptCases::new(&SharedState::default(), None), None);
    }

    #[test]
    fn other_texts_are_refused_and_opened_cases_stay() {
        let mut opened = state("/opened.csv", false);
        let kept = KeptCases::new(&state("/kept.csv", true), None).expect("cases");
        assert_eq!(kept.restore(&mut opened), None);
        assert!(!opened.shows_shipped && opened.cases == state("/opened.csv", false).cases);
        for text in ["", "{}", "file 0\n/kept.csv", "{\"cases\": 1, \"shows_shipped\": true}"] {
            assert!(read::<KeptCases>(text).is_err(), "{text:?}");
        }
    }
}
