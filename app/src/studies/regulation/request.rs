//! What the regulation page asks the workbench for.

use std::path::PathBuf;

/// What the regulation page asks the workbench for; it is about the document on screen.
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
