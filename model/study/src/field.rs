//! Static description of the fields of a part of a study, and access to their values.

use crossover_quantity::quantity::Quantity;

/// One field of a part.
#[derive(Debug)]
pub struct Field {
    /// Name in files and paths.
    pub key: &'static str,
    /// Kind of the field.
    pub kind: FieldKind,
}

/// Kind of a field.
#[derive(Debug)]
pub enum FieldKind {
    /// A number.
    Number(&'static Quantity),
    /// Recorded values, each such a number; they have one source together.
    Series(&'static Quantity),
    /// A group of fields, which may be absent.
    Part {
        /// Its fields.
        fields: &'static [Field],
        /// Example of its text, if it may be absent.
        example: Option<&'static str>,
    },
    /// A list of groups of fields.
    List {
        /// Fields of each entry.
        fields: &'static [Field],
        /// Whether an entry is addressed by its name; otherwise by its index from 0.
        is_named: bool,
        /// Fewest entries.
        least: usize,
        /// Most entries.
        most: usize,
    },
    /// The name of an entry, unique in its list.
    Name,
    /// The name of an entry of a list of the study.
    Reference {
        /// The list.
        list: &'static str,
        /// Noun for its entries, for messages.
        what: &'static str,
    },
    /// Text, a choice or anything else that is not a number.
    Plain,
}

/// Types whose fields are described.
pub trait Describe {
    /// The fields, in their order.
    const FIELDS: &'static [Field];
}

/// A part of a study. A field is addressed by its index in the description.
pub trait Part {
    /// Its fields.
    fn fields(&self) -> &'static [Field];

    /// The value of a field.
    fn field_value(&self, field: usize) -> FieldValue<'_>;

    /// The value of a field, mutable.
    fn field_value_mut(&mut self, field: usize) -> FieldValueMut<'_>;
}

/// Rare and large parts are boxed.
impl<P: Describe> Describe for Box<P> {
    const FIELDS: &'static [Field] = P::FIELDS;
}

impl<P: Part> Part for Box<P> {
    fn fields(&self) -> &'static [Field] {
        (**self).fields()
    }

    fn field_value(&self, field: usize) -> FieldValue<'_> {
        (**self).field_value(field)
    }

    fn field_value_mut(&mut self, field: usize) -> FieldValueMut<'_> {
        (**self).field_value_mut(field)
    }
}

/// The value of a field.
pub enum FieldValue<'a> {
    /// A number; `None` if it is absent.
    Number(Option<f64>),
    /// Recorded values.
    Series(&'a [f64]),
    /// A group of fields; `None` if it is absent.
    Part(Option<&'a dyn Part>),
    /// A list.
    List(&'a dyn List),
    /// A name, or the name of something else.
    Text(&'a str),
    /// Anything else.
    Plain,
}

/// The value of a field, mutable.
pub enum FieldValueMut<'a> {
    /// A number.
    Number(&'a mut dyn Number),
    /// A group of fields; `None` if it is absent.
    Part(Option<&'a mut dyn Part>),
    /// A list.
    List(&'a mut dyn List),
    /// A name, or the name of something else.
    Text(&'a mut String),
    /// Anything else.
    Plain,
}

/// A field that holds a number.
pub trait Number {
    /// The number; `None` if it is absent.
    fn get(&self) -> Option<f64>;

    /// Sets the number, even if it was absent.
    fn set(&mut self, value: f64);
}

impl Number for f64 {
    fn get(&self) -> Option<f64> {
        Some(*self)
    }

    fn set(&mut self, value: f64) {
        *self = value;
    }
}

impl Number for Option<f64> {
    fn get(&self) -> Option<f64> {
        *self
    }

    fn set(&mut self, value: f64) {
        *self = Some(value);
    }
}

/// A list of parts.
pub trait List {
    /// Entries.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An entry by its index.
    fn entry(&self, index: usize) -> Option<&dyn Part>;

    /// An entry by its index, mutable.
    fn entry_mut(&mut self, index: usize) -> Option<&mut dyn Part>;
}

impl<P: Part> List for Vec<P> {
    fn len(&self) -> usize {
        self.len()
    }

    fn entry(&self, index: usize) -> Option<&dyn Part> {
        self.get(index).map(|entry| entry as &dyn Part)
    }

    fn entry_mut(&mut self, index: usize) -> Option<&mut dyn Part> {
        self.get_mut(index).map(|entry| entry as &mut dyn Part)
    }
}

/// Methods of every part.
impl dyn Part + '_ {
    /// The name, if it has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        let place = self.fields().iter().position(|field| matches!(field.kind, FieldKind::Name))?;
        match self.field_value(place) {
            FieldValue::Text(name) => Some(name),
            _ => None,
        }
    }
}

/// The neutral value of a number in an absent part.
#[must_use]
pub fn number_when_absent(fields: &'static [Field], field: usize) -> f64 {
    match fields.get(field) {
        Some(Field { kind: FieldKind::Number(quantity), .. }) => quantity.when_absent(),
        _ => f64::NAN,
    }
}
