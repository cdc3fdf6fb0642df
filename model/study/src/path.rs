//! Path of a field: `operators.join.input_gb`.

use std::fmt;

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment<'a> {
    /// A field.
    Key(&'static str),
    /// An entry of a list by its name, which may contain dots.
    Name(&'a str),
    /// An entry of a list by its index.
    Index(usize),
}

/// The path of a field; its text is what `--set` accepts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path<'a>(pub Vec<Segment<'a>>);

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            match segment {
                Segment::Key(text) | Segment::Name(text) => f.write_str(text)?,
                Segment::Index(index) => write!(f, "{index}")?,
            }
        }
        Ok(())
    }
}

/// The rest of a path after a name or key.
pub(super) fn after<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    path.strip_prefix(name)?.strip_prefix('.')
}
