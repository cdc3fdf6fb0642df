//! A value, and a name for its present state: what was found of a state holds until the value may have been changed.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Names one state of one value. Two values never have the same, as it is kept as long as anything names it.
#[derive(Debug, Clone, Default)]
pub struct Revision(Arc<()>);

impl PartialEq for Revision {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A value whose revision changes with every mutable access.
#[derive(Debug)]
pub struct Revised<T> {
    value: T,
    revision: Revision,
}

impl<T> Revised<T> {
    /// The value in its first state.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self { value, revision: Revision::default() }
    }

    /// The present state.
    #[must_use]
    pub fn revision(&self) -> &Revision {
        &self.revision
    }

    /// The value is as it was at this revision, whatever had access to it since.
    pub(crate) fn restore_revision(&mut self, revision: &Revision) {
        self.revision = revision.clone();
    }
}

impl<T> Deref for Revised<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Revised<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.revision = Revision::default();
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_lasts_while_a_value_is_only_read() {
        let mut value = Revised::new(vec![1]);
        let first = value.revision().clone();
        assert_eq!((value.len(), value.revision()), (1, &first));
        value.push(2);
        let second = value.revision().clone();
        assert_ne!(second, first);
        value.pop();
        assert!(*value.revision() != first && *value.revision() != second);
        value.restore_revision(&first);
        assert_eq!(*value.revision(), first);
        assert_ne!(Revised::new(vec![1]).revision(), &first, "an equal value of its own");
    }
}
