//! A text of any size as batches of whole lines, in bounded memory.

use std::io::{self, Read};

use memchr::{memchr, memrchr};

/// Longest line in memory, bytes. The longest of a real log are plans, of a few megabytes.
pub(super) const LONGEST: usize = 64 * 1024 * 1024;
/// Bytes that are read at a time.
const BATCH_BYTES: usize = 256 * 1024;

/// A text in batches.
pub(super) struct Batches<R> {
    source: R,
    /// The beginning of the next line.
    begun: Vec<u8>,
    /// Inside a line that is too long.
    passing: bool,
    ended: bool,
}

/// Some lines that follow each other.
pub(super) struct Batch {
    /// Lines with their ends. The last one may lack its end if the text ends here.
    pub(super) text: Vec<u8>,
    /// What comes after them.
    pub(super) then: BatchEnd,
}

/// Text after the lines of a batch.
pub(super) enum BatchEnd {
    /// Possibly more.
    More,
    /// A line that is too long for memory.
    TooLong,
    /// The end of the text, or an error.
    End(io::Result<()>),
}

impl<R: Read> Batches<R> {
    /// The batches of a text.
    pub(super) fn new(source: R) -> Self {
        Self { source, begun: Vec::new(), passing: false, ended: false }
    }
}

impl<R: Read> Iterator for Batches<R> {
    type Item = Batch;

    /// The next batch. It is empty if only a part of a too long line was read, so that the caller can cancel.
    fn next(&mut self) -> Option<Batch> {
        if self.ended {
            return None;
        }
        let mut text = std::mem::take(&mut self.begun);
        loop {
            let before = text.len();
            text.reserve(BATCH_BYTES);
            let read = (&mut self.source).take(BATCH_BYTES as u64).read_to_end(&mut text);
            if self.passing {
                let end = memchr(b'\n', &text);
                self.passing = end.is_none();
                text.drain(..end.map_or(text.len(), |end| end + 1));
            }
            let then = match read {
                Ok(0) => BatchEnd::End(Ok(())),
                Err(error) => BatchEnd::End(Err(error)),
                Ok(_) => match memrchr(b'\n', &text[before..]) {
                    Some(end) => {
                        let lines = before + end + 1;
                        self.begun.reserve(text.len() - lines + BATCH_BYTES);
                        self.begun.extend_from_slice(&text[lines..]);
                        text.truncate(lines);
                        BatchEnd::More
                    }
                    None if self.passing => BatchEnd::More,
                    None if text.len() > LONGEST => {
                        (self.passing, text) = (true, Vec::new());
                        BatchEnd::TooLong
                    }
                    None => continue,
                },
            };
            self.ended = matches!(then, BatchEnd::End(_));
            return Some(Batch { text, then });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All batches of a text, one after the other, and whether too long a line was among them.
    fn together(source: impl Read) -> (Vec<u8>, usize, io::Result<()>) {
        let (mut all, mut too_long) = (Vec::new(), 0);
        for batch in Batches::new(source) {
            all.extend(&batch.text);
            match batch.then {
                BatchEnd::More => assert!(batch.text.is_empty() || batch.text.ends_with(b"\n")),
                BatchEnd::TooLong => too_long += 1,
                BatchEnd::End(end) => return (all, too_long, end),
            }
        }
        panic!("the end is said");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn batches_are_the_text(lengths in prop::collection::vec(0_usize..400_000, 0..12), is_open: bool) {
            let mut text: Vec<u8> = lengths.iter().flat_map(|length| [vec![b'x'; *length], vec![b'\n']]).flatten().collect();
            if is_open {
                text.pop();
            }
            let (all, too_long, end) = together(&text[..]);
            prop_assert!(all == text && too_long == 0 && end.is_ok());
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_none() {
        let long = io::repeat(b'x').take(3 * LONGEST as u64);
        let (all, too_long, end) = together((&b"a\nb\n"[..]).chain(long).chain(&b"\nc\n\nd"[..]));
        assert_eq!((String::from_utf8_lossy(&all).as_ref(), too_long), ("a\nb\nc\n\nd", 1));
        end.expect("it can be read");
    }

    #[test]
    fn what_comes_before_a_failure_is_there() {
        struct Broken;

        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::UnexpectedEof.into())
            }
        }

        let (all, _, end) = together((&b"a\nb"[..]).chain(Broken));
        assert_eq!(String::from_utf8_lossy(&all), "a\nb");
        assert_eq!(end.expect_err("it is broken").kind(), io::ErrorKind::UnexpectedEof);
    }
}
