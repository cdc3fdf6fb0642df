//! Requests on the regulation study on screen.

use std::any::Any;
use std::path::PathBuf;

use crossover_page::ask::Ask;
use crossover_page::cache::Cache;
use crossover_scenario::Scenario;

/// A request on the regulation study on screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Show this section of the page.
    Show(Section),
    /// Pick and read a recording, and open the import dialog.
    Import {
        /// The cluster that is proposed; none: the first.
        cluster: Option<String>,
    },
    /// Read this recording and open the import dialog.
    ImportFile(PathBuf),
    /// Start to watch the GPUs of this machine, and show the section.
    Watch,
    /// End watching and keep the samples.
    StopWatching,
    /// Pick a file name and write the samples there.
    SaveRecording,
    /// Open the import dialog for the samples.
    UseRecording,
}

/// A section in the middle of the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Section {
    /// The simulated runs over time.
    #[default]
    Time,
    /// Which gains settle, and how to find them.
    Gains,
    /// Actions that the controller would take on this machine.
    Live,
}

impl Section {
    pub(super) const ALL: [Self; 3] = [Self::Time, Self::Gains, Self::Live];

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Time => "Over time",
            Self::Gains => "Gains",
            Self::Live => "This machine",
        }
    }
}

impl Request {
    /// Imports a recording as the demand of a cluster.
    pub const IMPORT: Self = Self::Import { cluster: None };
}

impl Ask for Request {
    fn text(&self) -> String {
        match self {
            Self::Show(Section::Time) => "Show the runs over time".into(),
            Self::Show(Section::Gains) => "Tune gains: search, Ziegler–Nichols, stability map".into(),
            Self::Show(Section::Live) => "Show this machine's GPUs".into(),
            Self::Import { .. } => "Import a recording as demand…".into(),
            Self::ImportFile(path) => format!("Import the recording {}", path.display()),
            Self::Watch => "Monitor this machine's GPUs".into(),
            Self::StopWatching => "Stop monitoring".into(),
            Self::SaveRecording => "Save recording…".into(),
            Self::UseRecording => "Use as demand of a cluster…".into(),
        }
    }

    fn tooltip(&self) -> &'static str {
        match self {
            Self::Show(_) => "A section of the page of this regulation study",
            Self::Import { .. } | Self::ImportFile(_) => {
                "Uses a CSV recording of Crossover, or a text series of dcgm-exporter, as the demand of a cluster of a \
                 regulation study"
            }
            Self::Watch => {
                "Shows the actions that the controller of this study would take here. Advice only; nothing on a GPU is changed"
            }
            Self::StopWatching => "The samples stay on the page",
            Self::SaveRecording => "Write every reading to a CSV file, which can be imported again",
            Self::UseRecording => "Replay the samples as the demand of a cluster",
        }
    }

    fn is_possible(&self, on_screen: Option<&Scenario>, _cache: &Cache) -> bool {
        on_screen.is_some_and(|scenario| scenario.regulation().is_some())
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}
