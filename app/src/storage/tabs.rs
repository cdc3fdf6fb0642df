//! The tabs of the last window, which the next one opens again.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crossover_files::atomic::{self, SaveError};
use crossover_files::read::{self, ReadTextError};
use crossover_scenario::views::OtherScenario;
use ron::ser::PrettyConfig;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Larger than any such file.
const LARGEST_BYTES: u64 = 1_000_000;

/// Open tabs, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OpenTabs {
    /// Scenarios.
    pub(crate) documents: Vec<OtherScenario>,
    /// Tools, which are right of them.
    pub(crate) tools: Vec<OpenTool>,
    /// The tab on screen.
    pub(crate) shown: Option<ShownTab>,
}

/// The tab of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenTool {
    /// Its title.
    pub(crate) title: String,
    /// The scenario that it is about; none: it is about no scenario or about all.
    #[serde(default)]
    pub(crate) target: Option<OtherScenario>,
    /// What it shows of that scenario, as RON of its own: another version may not read it, and opens the tabs without it.
    #[serde(default)]
    pub(crate) shown: Option<String>,
    /// What its page keeps beside scenarios, in a form that only the page knows.
    #[serde(default)]
    pub(crate) kept: Option<String>,
}

/// The tab on screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ShownTab {
    /// That of a scenario.
    Document(OtherScenario),
    /// That of a tool, by its title.
    Tool(String),
}

/// Why the tabs are not kept. The file has those of before.
#[derive(Debug, Error)]
pub(crate) enum WriteTabsError {
    /// They cannot be written as RON.
    #[error("the list of tabs cannot be written as RON ({0})")]
    Encode(#[from] ron::Error),
    /// They did not reach the disk.
    #[error(transparent)]
    Save(#[from] SaveError),
}

impl OpenTabs {
    /// Reads the tabs of the last window; none if there was no window.
    ///
    /// # Errors
    /// The file is damaged or cannot be read; the message has the reason.
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        match read::text(file, LARGEST_BYTES) {
            Ok(text) => ron::from_str(&text).map_err(|problem| format!("{}: {problem}", file.display())),
            Err(ReadTextError::Unreadable(cause)) if cause.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(problem) => Err(format!("{}: {problem}", file.display())),
        }
    }

    /// Writes them in one step.
    ///
    /// # Errors
    /// [`WriteTabsError`]; the old file is unchanged.
    pub(crate) fn write(&self, file: &Path) -> Result<(), WriteTabsError> {
        write(self, file)
    }

    /// The files of the scenarios.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.documents.iter().filter_map(|document| match document {
            OtherScenario::File(path) => Some(PathBuf::from(path)),
            OtherScenario::Unsaved(_) => None,
        })
    }
}

fn write(tabs: &impl Serialize, file: &Path) -> Result<(), WriteTabsError> {
    let text = ron::ser::to_string_pretty(tabs, PrettyConfig::default())?;
    Ok(atomic::write(file, text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde::Serializer;

    use super::*;

    fn file(path: &str) -> OtherScenario {
        OtherScenario::File(path.to_owned())
    }

    #[test]
    fn the_tabs_that_were_written_are_read_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tabs.ron");
        assert_eq!(OpenTabs::read(&path), Ok(OpenTabs::default()), "the first window");
        let unsaved = OtherScenario::Unsaved("1f-2-3".to_owned());
        let documents = vec![file("/nowhere/größe \"b\".ron"), unsaved.clone(), file("/nowhere/a.ron")];
        let shown = Some("(views: (), points: 64)".to_owned());
        let tool = |title: &str, target| {
            let kept = (title == "Calibrate").then(|| r#"{"folder": "größe \"b\""}"#.to_owned());
            OpenTool { title: title.to_owned(), target, shown: shown.clone(), kept }
        };
        let tools =
            vec![tool("Sweep", Some(unsaved)), tool("Calibrate", None), tool("Map", Some(documents[2].clone()))];
        for shown in [None, Some(ShownTab::Tool("Map".to_owned())), Some(ShownTab::Document(documents[1].clone()))] {
            let tabs = OpenTabs { documents: documents.clone(), tools: tools.clone(), shown };
            tabs.write(&path).unwrap();
            assert_eq!(OpenTabs::read(&path).as_ref(), Ok(&tabs));
            let files: Vec<PathBuf> = tabs.files().collect();
            assert_eq!(files, [Path::new("/nowhere/größe \"b\".ron"), Path::new("/nowhere/a.ron")]);
        }
    }

    #[test]
    fn parts_that_a_version_does_not_know_are_left_out_and_a_damaged_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tabs.ron");
        fs::write(&path, "(documents: [File(\"/a.ron\")], of_a_newer_version: 1)").unwrap();
        let expected = OpenTabs { documents: vec![file("/a.ron")], ..OpenTabs::default() };
        assert_eq!(OpenTabs::read(&path), Ok(expected));
        for text in ["", "(documents: [File(", "(documents: 1)"] {
            fs::write(&path, text).unwrap();
            let problem = OpenTabs::read(&path).unwrap_err();
            assert!(problem.starts_with(&path.display().to_string()), "{problem}");
        }
    }

    /// What no format can write.
    struct Unwritable;

    impl Serialize for Unwritable {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("no text for this"))
        }
    }

    #[test]
    fn tabs_that_cannot_be_written_leave_the_file_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tabs.ron");
        fs::write(&path, "of before").unwrap();
        let problem = write(&Unwritable, &path).unwrap_err().to_string();
        assert!(problem.contains("no text for this"), "{problem}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "of before");
        let problem = OpenTabs::default().write(&folder.path().join("missing/tabs.ron")).unwrap_err();
        assert!(matches!(problem, WriteTabsError::Save(SaveError::NoFolder { .. })), "{problem}");
    }
}
