//! Text that is made on demand.

use std::fmt;
use std::sync::Arc;

/// A text that is made on demand, on another thread: results of a long study take seconds.
#[derive(Clone)]
pub struct LazyText(Arc<dyn Fn() -> String + Send + Sync>);

impl LazyText {
    /// A text that this function makes.
    #[must_use]
    pub fn new(make: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// Makes the text.
    #[must_use]
    pub fn text(&self) -> String {
        (self.0)()
    }
}

impl fmt::Debug for LazyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LazyText")
    }
}
