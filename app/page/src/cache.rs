//! Values that kinds of studies keep while the window is open, beside their documents.

use std::any::Any;

/// Values of different types, one of each.
#[derive(Default)]
pub struct Cache(Vec<Box<dyn Any>>);

impl Cache {
    /// The value of this type.
    #[must_use]
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.iter().find_map(|value| value.downcast_ref())
    }

    /// The value of this type, to be changed.
    pub fn get_mut<T: 'static>(&mut self) -> Option<&mut T> {
        self.0.iter_mut().find_map(|value| value.downcast_mut())
    }

    /// Stores a value instead of the one of its type.
    pub fn put<T: 'static>(&mut self, value: T) {
        self.remove::<T>();
        self.0.push(Box::new(value));
    }

    /// Removes the value of this type.
    pub fn remove<T: 'static>(&mut self) {
        self.0.retain(|value| !value.is::<T>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_takes_the_place_of_the_one_of_its_type_only() {
        let mut cache = Cache::default();
        cache.put(1_u8);
        cache.put("a");
        cache.put(2_u8);
        assert_eq!((cache.get::<u8>(), cache.get::<&str>(), cache.get::<u16>()), (Some(&2), Some(&"a"), None));
        cache.remove::<u8>();
        assert_eq!((cache.get::<u8>(), cache.get::<&str>()), (None, Some(&"a")));
    }
}
