//! Text that is made on demand.

use std::fmt;
use std::sync::Arc;

/// Makes the text; hands over each earlier version of one that is made in rounds.
type Make = dyn Fn(&mut dyn FnMut(String)) -> Result<String, String> + Send + Sync;

/// A text that is made on demand, on another thread: results of a long study take seconds.
#[derive(Clone)]
pub struct LazyText(Arc<Make>);

impl LazyText {
    /// A text that this function makes.
    #[must_use]
    pub fn new(make: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self::fallible(move || Ok(make()))
    }

    /// A text that this function makes, or the reason why there is none.
    #[must_use]
    pub fn fallible(make: impl Fn() -> Result<String, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(move |_: &mut dyn FnMut(String)| make()))
    }

    /// A text that this function makes in rounds: it hands over each version but the last, which it returns.
    #[must_use]
    pub fn in_rounds(make: impl Fn(&mut dyn FnMut(String)) -> Result<String, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// Makes the text, and hands over each earlier version of one that is made in rounds.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn text_in_rounds(&self, earlier: &mut dyn FnMut(String)) -> Result<String, String> {
        (self.0)(earlier)
    }

    /// Makes the text.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn text(&self) -> Result<String, String> {
        self.text_in_rounds(&mut |_: String| {})
    }
}

impl fmt::Debug for LazyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LazyText")
    }
}
