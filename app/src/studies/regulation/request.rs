//! What the regulation page asks the workbench for.

use std::path::PathBuf;

use super::Section;

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
