//! Text that is made where it is needed.

use std::fmt;
use std::sync::Arc;

/// How a text is made. Results of a long study take seconds: whoever needs the text makes it, on a thread of its own.
#[derive(Clone)]
pub struct Made(Arc<dyn Fn() -> String + Send + Sync>);

impl Made {
    /// A text that this makes.
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

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Made")
    }
}
