//! Shared values with copy-on-write: a copy is a pointer, and copies compare equal at once.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A large value, such as a plan or a recorded series. A change copies it first if it is shared. In files it is written as
/// the value.
pub struct Shared<T: ?Sized>(Arc<T>);

impl<T: ?Sized> Shared<T> {
    /// Whether both are the same copy: nothing needs to be compared then.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> From<Vec<T>> for Shared<[T]> {
    fn from(values: Vec<T>) -> Self {
        Self(values.into())
    }
}

impl<T: ?Sized> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Copies the value if it is shared.
impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> Default for Shared<T>
where
    Arc<T>: Default,
{
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || **self == **other
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de, T: ?Sized> Deserialize<'de> for Shared<T>
where
    Box<T>: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Box::<T>::deserialize(deserializer)?.into()))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Counts how often it is compared.
    #[derive(Default)]
    struct Counted(Cell<u32>);

    impl PartialEq for Counted {
        fn eq(&self, _: &Self) -> bool {
            self.0.set(self.0.get() + 1);
            true
        }
    }

    #[test]
    fn copies_are_equal_without_being_compared() {
        let one = Shared::from(Counted::default());
        assert!(one == one.clone());
        assert_eq!(one.0.0.get(), 0);
        assert!(one == Shared::from(Counted::default()));
        assert_eq!(one.0.0.get(), 1);
    }

    #[test]
    fn a_change_does_not_affect_other_copies() {
        let one: Shared<Vec<i32>> = Shared::from(vec![1, 2]);
        let mut other = one.clone();
        other.push(3);
        assert_eq!((one.len(), other.len()), (2, 3));
        let before: *const Vec<i32> = &raw const *other;
        other.push(4);
        assert!(std::ptr::eq(before, &raw const *other), "not shared");
    }

    #[test]
    fn in_files_it_is_written_as_the_value() {
        let series: Shared<[f64]> = vec![1.5, 2.0].into();
        assert_eq!(ron::to_string(&series).unwrap(), "[1.5,2.0]");
        let read: Shared<[f64]> = ron::from_str("[1.5, 2.0]").unwrap();
        assert_eq!(read, series);
        assert!(!read.is_same(&series) && Shared::<[f64]>::default().is_empty());
    }
}
