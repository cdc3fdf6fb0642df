//! What is too large to be given back within a frame.

use std::ops::Deref;

/// Something large. Whoever drops it does not wait: its memory is given back on a thread of its own.
#[derive(Debug)]
pub struct Aside<T: Send + 'static>(Option<T>);

impl<T: Send + 'static> Aside<T> {
    /// This large thing.
    #[must_use]
    pub fn new(large: T) -> Self {
        Self(Some(large))
    }
}

impl<T: Send + 'static> Deref for Aside<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("there until it is dropped")
    }
}

impl<T: Send + 'static> Drop for Aside<T> {
    fn drop(&mut self) {
        let large = self.0.take();
        // Where there is no thread it is given back here.
        drop(std::thread::Builder::new().name("give back".to_owned()).spawn(move || drop(large)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{ThreadId, current};

    use crossover_needs::deadline;

    use super::*;

    struct Tells(Sender<ThreadId>);

    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.send(current().id()).expect("somebody listens");
        }
    }

    #[test]
    fn it_is_given_back_on_another_thread() {
        let (sender, given_back) = channel();
        drop(Aside::new(Tells(sender)));
        let on = given_back.recv_timeout(deadline()).expect("it is given back");
        assert_ne!(on, current().id());
    }
}
