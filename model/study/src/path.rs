//! The way to a field: `operators.join.input_gb`.

use std::fmt;

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment<'a> {
    /// A field.
    Key(&'static str),
    /// An entry of a list by its name, which may hold dots.
    Name(&'a str),
    /// An entry of a list by its place.
    Index(usize),
}

/// The way to a field. As text, `--set` takes it.
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

/// What follows a name or a key in a path below it.
pub(super) fn after<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    path.strip_prefix(name)?.strip_prefix('.')
}
