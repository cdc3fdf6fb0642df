//! What a user can ask of one kind of study only.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crossover_model::scenario::Scenario;
use egui::KeyboardShortcut;

use super::{Desk, Shelf};

/// Something that only one kind of study understands, and carries out.
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

    /// Does it.
    fn carry_out(&self, desk: &mut Desk<'_>);

    /// Whether something else is the same request.
    fn is_same(&self, other: &dyn Any) -> bool;
}

/// A request to a kind of study, whichever it is.
#[derive(Debug, Clone)]
pub struct Request(Arc<dyn Ask>);

impl Request {
    /// What this asks for.
    #[must_use]
    pub fn new(ask: impl Ask) -> Self {
        Self(Arc::new(ask))
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
