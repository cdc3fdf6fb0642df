//! What is asked of the regulation study on screen.

use std::any::Any;
use std::path::PathBuf;

use crossover_page::ask::Ask;
use crossover_page::shelf::Shelf;
use crossover_scenario::Scenario;

/// What is asked of the regulation study on screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Show this section of the page.
    Show(Section),
    /// Ask for a recording, read it, and offer it as the demand of a cluster.
    Import {
        /// The cluster that is proposed; none: the first.
        cluster: Option<String>,
    },
    /// Read this recording and offer it as the demand of a cluster.
    ImportFile(PathBuf),
    /// Begin to watch the GPUs of this machine, and show the section.
    Watch,
    /// End watching; what was seen stays.
    StopWatching,
    /// Ask for a file name and write what was seen there.
    SaveRecording,
    /// Offer what was seen as the demand of a cluster.
    UseRecording,
}

/// What stands in the middle of the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Section {
    /// The simulated runs over time.
    #[default]
    Time,
    /// Which gains are safe, and how to find them.
    Gains,
    /// What the controller would do on this machine.
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
    /// Asks for a recording that becomes the demand of a cluster.
    pub const IMPORT: Self = Self::Import { cluster: None };
}

impl Ask for Request {
    fn text(&self) -> String {
        match self {
            Self::Show(Section::Time) => "Show the runs over time".into(),
            Self::Show(Section::Gains) => "Tune gains: search, Ziegler–Nichols, stability map".into(),
            Self::Show(Section::Live) => "Show what this machine does".into(),
            Self::Import { .. } => "Import a recording as demand…".into(),
            Self::ImportFile(path) => format!("Import the recording {}", path.display()),
            Self::Watch => "Watch this machine's GPUs".into(),
            Self::StopWatching => "Stop watching".into(),
            Self::SaveRecording => "Save recording…".into(),
            Self::UseRecording => "Use as demand of a cluster…".into(),
        }
    }

    fn tooltip(&self) -> &'static str {
        match self {
            Self::Show(_) => "A section of the page of this regulation study",
            Self::Import { .. } | Self::ImportFile(_) => {
                "A CSV recording of Crossover, or a text series of dcgm-exporter, as the work that arrives at a cluster \
                 of a regulation study"
            }
            Self::Watch => {
                "What would the controller of this regulation study do here? Advice only; nothing on a card is changed"
            }
            Self::StopWatching => "What was seen stays on the page",
            Self::SaveRecording => "Write every reading to a CSV file, which can be imported again",
            Self::UseRecording => "Replay what was seen as the work that arrives at a cluster",
        }
    }

    fn is_possible(&self, on_screen: Option<&Scenario>, _shelf: &Shelf) -> bool {
        on_screen.is_some_and(|scenario| scenario.regulation().is_some())
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}
