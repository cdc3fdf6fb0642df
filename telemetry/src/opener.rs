//! Opens the source that a program watches.

use std::fmt;
use std::sync::Arc;

use super::{Open, Source, SourceError, nvml};

/// Opens a source each time that watching begins; by default NVIDIA's driver.
#[derive(Clone)]
pub struct Opener(Arc<dyn Fn() -> Result<Box<dyn Source>, SourceError> + Send + Sync>);

impl Opener {
    /// An opener with this function, which is called on the thread of the watch.
    #[must_use]
    pub fn new(open: impl Fn() -> Result<Box<dyn Source>, SourceError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(open))
    }

    /// The function with which a watch opens its source.
    #[must_use]
    pub fn open(&self) -> Open {
        let open = Arc::clone(&self.0);
        Box::new(move || open())
    }
}

impl Default for Opener {
    fn default() -> Self {
        Self::new(nvml::open)
    }
}

impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opener")
    }
}
