//! Which source a program watches.

use std::fmt;
use std::sync::Arc;

use super::{Open, Source, Trouble, nvml};

/// Opens a source each time that watching begins; NVIDIA's driver unless told otherwise.
#[derive(Clone)]
pub struct Opener(Arc<dyn Fn() -> Result<Box<dyn Source>, Trouble> + Send + Sync>);

impl Opener {
    /// Opens with this; called on the watch's thread.
    #[must_use]
    pub fn new(open: impl Fn() -> Result<Box<dyn Source>, Trouble> + Send + Sync + 'static) -> Self {
        Self(Arc::new(open))
    }

    /// What a watch calls to open its source.
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
