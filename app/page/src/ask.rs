//! What a user can ask of one page only: of a kind of study, or of a tool.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crossover_scenario::Scenario;
use egui::KeyboardShortcut;

use crate::shelf::Shelf;

/// Something that only one page understands. Who made it carries it out: a room its own, the workbench those of its
/// tools.
pub trait Ask: Any + Debug + Send + Sync {
    /// What stands in a menu.
    fn text(&self) -> String;

    /// What it does, for a tooltip and for the palette.
    fn tooltip(&self) -> &'static str;

    /// The keys that send it.
    fn shortcut(&self) -> Option<KeyboardShortcut> {
        None
    }

    /// The extension of the file that it writes, if it writes one.
    fn extension(&self) -> Option<&'static str> {
        None
    }

    /// Whether it makes sense now, with this scenario on screen.
    fn is_possible(&self, _on_screen: Option<&Scenario>, _shelf: &Shelf) -> bool {
        true
    }

    /// Whether something else is the same request.
    fn is_same(&self, other: &dyn Any) -> bool;
}

/// A request to a page, whichever it is.
#[derive(Debug, Clone)]
pub struct Request(Arc<dyn Ask>);

impl Request {
    /// What this asks for.
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
