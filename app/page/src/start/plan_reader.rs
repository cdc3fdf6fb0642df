//! Query plans from files.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crossover_plan::{Control, Format, Import, ImportError};

type Read = dyn Fn(&Path, &Control) -> Result<Import, ImportError> + Send + Sync;

/// The reader of the queries of a file or folder; by default the importer of its format.
#[derive(Clone)]
pub struct PlanReader(Arc<Read>);

impl PlanReader {
    /// Reads with this function, on a separate thread.
    #[must_use]
    pub fn new(read: impl Fn(&Path, &Control) -> Result<Import, ImportError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// Reads a file or folder.
    ///
    /// # Errors
    /// [`ImportError`]: it cannot be read, is of no format that can be imported, or is damaged, or the user cancelled.
    pub fn read(&self, path: &Path, control: &Control) -> Result<Import, ImportError> {
        (self.0)(path, control)
    }
}

impl Default for PlanReader {
    fn default() -> Self {
        Self::new(|path, control| crossover_plan::read(Format::of(path)?, path, control))
    }
}

impl fmt::Debug for PlanReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlanReader")
    }
}
