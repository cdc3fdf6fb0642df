//! Values that are too large to be dropped within a frame.

use std::ops::Deref;

/// A large value that is dropped on another thread, so that its owner does not wait.
#[derive(Debug)]
pub struct BackgroundDrop<T: Send + 'static>(Option<T>);

impl<T: Send + 'static> BackgroundDrop<T> {
    /// Wraps a large value.
    #[must_use]
    pub fn new(large: T) -> Self {
        Self(Some(large))
    }
}

impl<T: Send + 'static> Deref for BackgroundDrop<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("present until it is dropped")
    }
}

impl<T: Send + 'static> Drop for BackgroundDrop<T> {
    fn drop(&mut self) {
        let large = self.0.take();
        // Without a thread it is dropped here.
        drop(std::thread::Builder::new().name("background drop".to_owned()).spawn(move || drop(large)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{ThreadId, current};

    use crossover_needs::deadline;

    use super::*;

    struct DropReporter(Sender<ThreadId>);

    impl Drop for DropReporter {
        fn drop(&mut self) {
            self.0.send(current().id()).expect("a receiver");
        }
    }

    #[test]
    fn it_is_dropped_on_another_thread() {
        let (sender, dropped) = channel();
        drop(BackgroundDrop::new(DropReporter(sender)));
        let on = dropped.recv_timeout(deadline()).expect("it is dropped");
        assert_ne!(on, current().id());
    }
}
