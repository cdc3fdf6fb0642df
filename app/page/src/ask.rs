//! Requests that only one page handles: a kind of study, or a tool.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crossover_scenario::Scenario;
use egui::KeyboardShortcut;

use crate::cache::Cache;

/// A request that only one page handles. A study module carries out its own, the workbench those of its tools.
pub trait Ask: Any + Debug + Send + Sync {
    /// Text in a menu.
    fn text(&self) -> String;

    /// What it does: text of the tooltip and in the palette.
    fn tooltip(&self) -> &'static str;

    /// Its keyboard shortcut.
    fn shortcut(&self) -> Option<KeyboardShortcut> {
        None
    }

    /// The extension of the file that it writes, if it writes one.
    fn extension(&self) -> Option<&'static str> {
        None
    }

    /// Whether it is possible with this scenario on screen.
    fn is_possible(&self, _on_screen: Option<&Scenario>, _cache: &Cache) -> bool {
        true
    }

    /// Whether something else is the same request.
    fn is_same(&self, other: &dyn Any) -> bool;
}

/// A request to any page.
#[derive(Debug, Clone)]
pub struct Request(Arc<dyn Ask>);

impl Request {
    /// Wraps a request.
    #[must_use]
    pub fn new(ask: impl Ask) -> Self {
        Self(Arc::new(ask))
    }

    /// The request, if it is of this type.
    #[must_use]
    pub fn of<T: Ask>(&self) -> Option<&T> {
        let ask: &dyn Any = &*self.0;
        ask.downcast_ref()
    }
}

impl std::ops::Deref for Request {
    type Target = dyn Ask;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl PartialEq for Request {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same(&*other.0)
    }
}
