//! Ids of documents. They are unique, also across runs, so the id of an unsaved document is valid after a restart.

use std::time::{SystemTime, UNIX_EPOCH};

/// Makes the ids of the documents of one run.
#[derive(Debug)]
pub struct DocumentIds {
    /// Prefix that ids of other runs do not have.
    run: String,
    next: u64,
}

impl DocumentIds {
    /// Ids of a run that begins now.
    #[must_use]
    pub fn start() -> Self {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        Self { run: format!("{since_1970:x}-{:x}", std::process::id()), next: 1 }
    }

    /// An id that no document has had.
    #[must_use]
    pub fn make(&mut self) -> String {
        let id = format!("{}-{}", self.run, self.next);
        self.next += 1;
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_within_a_run_and_between_runs() {
        let mut ids = DocumentIds { run: "1f-2".to_owned(), next: 1 };
        assert_eq!([ids.make(), ids.make()], ["1f-2-1", "1f-2-2"]);
        let mut first = DocumentIds::start();
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert_ne!(first.make(), DocumentIds::start().make());
    }
}
