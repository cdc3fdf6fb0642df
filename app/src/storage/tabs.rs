//! The tabs of the last window, which the next one opens again.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crossover_files::atomic::{self, SaveError};
use crossover_files::read::{self, ReadTextError};
use crossover_scenario::views::OtherScenario;
use ron::ser::PrettyConfig;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Larger than the file of hundreds of tabs, each tool with its longest texts.
const LARGEST_BYTES: u64 = 16_000_000;
/// Most bytes of a text that a tool keeps: a longer one, as of a fleet of thousands of logs, is left out.
const LONGEST_TEXT: usize = 200_000;

/// Open tabs, in their order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OpenTabs {
    /// Scenarios.
    pub(crate) documents: Vec<OtherScenario>,
    /// Tools, which are right of them.
    pub(crate) tools: Vec<OpenTool>,
    /// The tab on screen.
    pub(crate) shown: Option<ShownTab>,
    /// The sizes that the user gave to panels of the pages of scenarios, also of those with edits that the user may recover.
    pub(crate) panel_sizes: Vec<(OtherScenario, SizesByPanel)>,
    /// The scenarios whose pages are about the query although its application has an answer.
    pub(crate) of_query: Vec<OtherScenario>,
    /// Files of closed scenarios that can be opened again; the last was closed last.
    pub(crate) closed: Vec<PathBuf>,
}

/// Sizes of the panels of a page, in points, by their names.
pub(crate) type SizesByPanel = BTreeMap<String, f32>;

/// The tab of a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// The sizes that the user gave to panels of its page.
    #[serde(default)]
    pub(crate) panel_sizes: SizesByPanel,
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

impl OpenTool {
    /// A tab with what it shows and keeps; too long a text is left out, and the others stay.
    pub(crate) fn new(title: &str, target: Option<OtherScenario>, shown: Option<String>, kept: Option<String>) -> Self {
        let bounded = |text: Option<String>| text.filter(|text| text.len() <= LONGEST_TEXT);
        Self { title: title.to_owned(), target, shown: bounded(shown), kept: bounded(kept), ..Self::default() }
    }
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
            OpenTool::new(title, target, shown.clone(), kept)
        };
        let mut tools =
            vec![tool("Sweep", Some(unsaved)), tool("Calibrate", None), tool("Map", Some(documents[2].clone()))];
        tools[1].panel_sizes = BTreeMap::from([("größe \"b\"".to_owned(), 251.031_25), ("runs".to_owned(), 0.1)]);
        for shown in [None, Some(ShownTab::Tool("Map".to_owned())), Some(ShownTab::Document(documents[1].clone()))] {
            let panel_sizes = vec![(documents[1].clone(), tools[1].panel_sizes.clone())];
            let (of_query, closed) = (vec![documents[0].clone()], vec![PathBuf::from("/nowhere/closed \"1\".ron")]);
            let (documents, tools) = (documents.clone(), tools.clone());
            let tabs = OpenTabs { documents, tools, shown, panel_sizes, of_query, closed };
            tabs.write(&path).unwrap();
            assert_eq!(OpenTabs::read(&path).as_ref(), Ok(&tabs));
            let files: Vec<PathBuf> = tabs.files().collect();
            assert_eq!(files, [Path::new("/nowhere/größe \"b\".ron"), Path::new("/nowhere/a.ron")]);
        }
    }

    #[test]
    fn the_longest_texts_fit_and_one_that_is_too_long_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tabs.ron");
        // Each quote is escaped.
        let longest = || Some("\"".repeat(LONGEST_TEXT));
        let too_long = || Some("x".repeat(LONGEST_TEXT + 1));
        let mut tools: Vec<OpenTool> =
            (0..3).map(|number| OpenTool::new(&number.to_string(), None, longest(), longest())).collect();
        tools.push(OpenTool::new("Fleet", None, longest(), too_long()));
        tools.push(OpenTool::new("Map", None, too_long(), longest()));
        let tabs = OpenTabs { documents: vec![file("/a.ron")], tools, ..OpenTabs::default() };
        tabs.write(&path).unwrap();
        let read = OpenTabs::read(&path).unwrap();
        assert!(read == tabs && read.tools[0].shown == longest() && read.tools[0].kept == longest());
        assert_eq!(read.tools[3], OpenTool::new("Fleet", None, longest(), None));
        assert_eq!(read.tools[4], OpenTool::new("Map", None, None, longest()));
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
