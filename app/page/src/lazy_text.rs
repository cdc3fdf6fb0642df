//! Text that is made on demand.

use std::fmt;
use std::sync::Arc;

/// A text that is made on demand, on another thread: results of a long study take seconds.
#[derive(Clone)]
pub struct LazyText(Arc<dyn Fn() -> Result<String, String> + Send + Sync>);

impl LazyText {
    /// A text that this function makes.
    #[must_use]
    pub fn new(make: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self::fallible(move || Ok(make()))
    }

    /// A text that this function makes, or the reason why there is none.
    #[must_use]
    pub fn fallible(make: impl Fn() -> Result<String, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// Makes the text.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn text(&self) -> Result<String, String> {
        (self.0)()
    }
}

impl fmt::Debug for LazyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LazyText")
    }
}
