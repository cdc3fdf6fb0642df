//! Every number of a study with its path, and the number at a path.

use super::field::{Field, FieldKind, FieldValue, FieldValueMut, List, Part};
use super::path::{Path, Segment, after};
use crossover_quantity::quantity::Quantity;

/// An item visited by a walk.
pub(super) enum Found<'a> {
    /// A number; `None` if it is absent.
    Number(&'static Quantity, Option<f64>),
    /// Recorded values.
    Series(&'static Quantity, &'a [f64]),
    /// A list.
    List { list: &'a dyn List, is_named: bool, least: usize, most: usize },
    /// The name of an entry of another list.
    Reference { list: &'static str, what: &'static str, name: &'a str },
}

/// Visits everything below a part, in the order of its description, until `visit` returns a value. Numbers of parts
/// that are absent are visited only with `with_absent`.
pub(super) fn walk<'a, T>(
    part: &'a dyn Part,
    with_absent: bool,
    visit: &mut dyn FnMut(&[Segment<'a>], Found<'a>) -> Option<T>,
) -> Option<T> {
    inside(part, part.fields(), with_absent, &mut Vec::new(), visit)
}

fn inside<'a, T>(
    part: &'a dyn Part,
    fields: &'static [Field],
    with_absent: bool,
    path: &mut Vec<Segment<'a>>,
    visit: &mut dyn FnMut(&[Segment<'a>], Found<'a>) -> Option<T>,
) -> Option<T> {
    for (place, field) in fields.iter().enumerate() {
        path.push(Segment::Key(field.key));
        let found = match (&field.kind, part.field_value(place)) {
            (FieldKind::Number(quantity), FieldValue::Number(value)) => visit(path, Found::Number(quantity, value)),
            (FieldKind::Series(quantity), FieldValue::Series(values)) => visit(path, Found::Series(quantity, values)),
            (FieldKind::Part { fields, .. }, FieldValue::Part(Some(part))) => {
                inside(part, fields, with_absent, path, visit)
            }
            (FieldKind::Part { fields, .. }, FieldValue::Part(None)) if with_absent => absent(fields, path, visit),
            (FieldKind::List { fields, is_named, least, most }, FieldValue::List(list)) => {
                let (is_named, least, most) = (*is_named, *least, *most);
                visit(path, Found::List { list, is_named, least, most }).or_else(|| {
                    (0..list.len()).find_map(|index| {
                        let entry = list.entry(index)?;
                        path.push(segment(entry, is_named, index));
                        let found = inside(entry, fields, with_absent, path, visit);
                        path.pop();
                        found
                    })
                })
            }
            (FieldKind::Reference { list, what }, FieldValue::Text(name)) => {
                visit(path, Found::Reference { list, what, name })
            }
            _ => None,
        };
        path.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Visits the numbers of an absent part.
fn absent<'a, T>(
    fields: &'static [Field],
    path: &mut Vec<Segment<'a>>,
    visit: &mut dyn FnMut(&[Segment<'a>], Found<'a>) -> Option<T>,
) -> Option<T> {
    fields.iter().find_map(|field| {
        path.push(Segment::Key(field.key));
        let found = match &field.kind {
            FieldKind::Number(quantity) => visit(path, Found::Number(quantity, None)),
            FieldKind::Part { fields, .. } => absent(fields, path, visit),
            _ => None,
        };
        path.pop();
        found
    })
}

fn segment(entry: &dyn Part, is_named: bool, index: usize) -> Segment<'_> {
    match entry.name().filter(|_| is_named) {
        Some(name) => Segment::Name(name),
        None => Segment::Index(index),
    }
}

/// Every number of a part of a study with its path, in the order of the description, except absent ones and recorded
/// values.
#[must_use]
pub fn numbers(part: &dyn Part) -> Vec<(Path<'_>, &'static Quantity, f64)> {
    let mut numbers = Vec::new();
    walk(part, false, &mut |path, found| -> Option<()> {
        if let Found::Number(quantity, Some(value)) = found {
            numbers.push((Path(path.to_vec()), quantity, value));
        }
        None
    });
    numbers
}

/// Paths of everything that may have a source: every number and every recorded series; with `with_absent` also those
/// that are absent now.
pub(super) fn sourced(part: &dyn Part, with_absent: bool) -> Vec<Path<'_>> {
    let mut paths = Vec::new();
    walk(part, with_absent, &mut |path, found| -> Option<()> {
        match found {
            Found::Number(_, value) if with_absent || value.is_some() => paths.push(Path(path.to_vec())),
            Found::Series(..) => paths.push(Path(path.to_vec())),
            _ => {}
        }
        None
    });
    paths
}

/// Names of the entries of a named list of a study, in its order; empty if there is no such list.
#[must_use]
pub fn names_of<'a>(part: &'a dyn Part, list: &str) -> Vec<&'a str> {
    let entries = walk(part, false, &mut |path, found| match (path, found) {
        ([Segment::Key(key)], Found::List { list: entries, .. }) if *key == list => Some(entries),
        _ => None,
    });
    entries
        .map_or_else(Vec::new, |entries| (0..entries.len()).filter_map(|index| entries.entry(index)?.name()).collect())
}

/// The number at a path: its quantity, and its value unless it is absent. `None` if the path is not that of a number.
#[must_use]
pub fn number_at(part: &dyn Part, path: &str) -> Option<(&'static Quantity, Option<f64>)> {
    below(part, part.fields(), path)
}

fn below(part: &dyn Part, fields: &'static [Field], path: &str) -> Option<(&'static Quantity, Option<f64>)> {
    let key = path.split('.').next()?;
    let place = fields.iter().position(|field| field.key == key)?;
    let rest = after(path, key);
    match (&fields[place].kind, part.field_value(place), rest) {
        (FieldKind::Number(quantity), FieldValue::Number(value), None) => Some((quantity, value)),
        (FieldKind::Part { fields, .. }, FieldValue::Part(Some(part)), Some(rest)) => below(part, fields, rest),
        (FieldKind::Part { fields, .. }, FieldValue::Part(None), Some(rest)) => {
            Some((quantity_at(fields, rest)?, None))
        }
        (FieldKind::List { fields, is_named, .. }, FieldValue::List(list), Some(rest)) => {
            By::ALL.into_iter().find_map(|by| {
                (0..list.len()).find_map(|index| {
                    let entry = list.entry(index)?;
                    below(entry, fields, entry_path(entry, by, *is_named, index, rest)?)
                })
            })
        }
        _ => None,
    }
}

/// The usual path of a number: a path may address an entry of a named list by its index. `None` if the path is not that of
/// a number.
#[must_use]
pub fn usual_path(part: &dyn Part, path: &str) -> Option<String> {
    let key = path.split('.').next()?;
    let place = part.fields().iter().position(|field| field.key == key)?;
    match (&part.fields()[place].kind, part.field_value(place), after(path, key)) {
        (FieldKind::Number(_), FieldValue::Number(_), None) => Some(key.to_owned()),
        (FieldKind::Part { .. }, FieldValue::Part(Some(part)), Some(rest)) => {
            Some(format!("{key}.{}", usual_path(part, rest)?))
        }
        (FieldKind::Part { fields, .. }, FieldValue::Part(None), Some(rest)) => {
            quantity_at(fields, rest).map(|_| path.to_owned())
        }
        (FieldKind::List { is_named, .. }, FieldValue::List(list), Some(rest)) => By::ALL.into_iter().find_map(|by| {
            (0..list.len()).find_map(|index| {
                let entry = list.entry(index)?;
                let below = usual_path(entry, entry_path(entry, by, *is_named, index, rest)?)?;
                Some(format!("{key}.{}.{below}", Path(vec![segment(entry, *is_named, index)])))
            })
        }),
        _ => None,
    }
}

/// How a path addresses an entry of a list.
#[derive(Clone, Copy)]
enum By {
    Name,
    Index,
}

impl By {
    /// Names come first: an entry may be called “0”.
    const ALL: [Self; 2] = [Self::Name, Self::Index];
}

/// The rest of a path after an entry of a list.
fn entry_path<'p>(entry: &dyn Part, by: By, is_named: bool, index: usize, path: &'p str) -> Option<&'p str> {
    match by {
        By::Name => after(path, entry.name().filter(|_| is_named)?),
        By::Index => after(path, &index.to_string()),
    }
}

/// The quantities of the numbers in the part at a path such as `clusters.I`, in the order of its description, without
/// those of inner parts and absent ones. Empty if there is no such part.
#[must_use]
pub fn numbers_in(study: &dyn Part, path: &str) -> Vec<&'static Quantity> {
    part_at(study, study.fields(), &format!("{path}.")).unwrap_or_default()
}

fn part_at(part: &dyn Part, fields: &'static [Field], path: &str) -> Option<Vec<&'static Quantity>> {
    let Some(key) = path.split('.').next().filter(|key| !key.is_empty()) else {
        let number = |(place, field): (usize, &'static Field)| match (&field.kind, part.field_value(place)) {
            (FieldKind::Number(quantity), FieldValue::Number(Some(_))) => Some(*quantity),
            _ => None,
        };
        return Some(fields.iter().enumerate().filter_map(number).collect());
    };
    let place = fields.iter().position(|field| field.key == key)?;
    let rest = after(path, key)?;
    match (&fields[place].kind, part.field_value(place)) {
        (FieldKind::Part { fields, .. }, FieldValue::Part(Some(part))) => part_at(part, fields, rest),
        (FieldKind::List { fields, is_named, .. }, FieldValue::List(list)) => By::ALL.into_iter().find_map(|by| {
            (0..list.len()).find_map(|index| {
                let entry = list.entry(index)?;
                part_at(entry, fields, entry_path(entry, by, *is_named, index, rest)?)
            })
        }),
        _ => None,
    }
}

/// Sets the number at a path, even if it was absent; false if the path has no number, for example in an absent part.
/// Dependent fields do not change.
pub fn set_number(part: &mut dyn Part, path: &str, value: f64) -> bool {
    let fields = part.fields();
    let Some(key) = path.split('.').next() else { return false };
    let Some(place) = fields.iter().position(|field| field.key == key) else { return false };
    let is_named = matches!(fields[place].kind, FieldKind::List { is_named: true, .. });
    match (part.field_value_mut(place), after(path, key)) {
        (FieldValueMut::Number(number), None) => {
            number.set(value);
            true
        }
        (FieldValueMut::Part(Some(part)), Some(rest)) => set_number(part, rest, value),
        (FieldValueMut::List(list), Some(rest)) => By::ALL.into_iter().any(|by| {
            (0..list.len()).any(|index| {
                let Some(entry) = list.entry_mut(index) else { return false };
                entry_path(entry, by, is_named, index, rest).is_some_and(|rest| set_number(entry, rest, value))
            })
        }),
        _ => false,
    }
}

/// The quantity at a path such as `operators.join.input_gb`, by the description alone.
#[must_use]
pub fn quantity_at(fields: &'static [Field], path: &str) -> Option<&'static Quantity> {
    let key = path.split('.').next()?;
    let field = fields.iter().find(|field| field.key == key)?;
    match (&field.kind, after(path, key)) {
        (FieldKind::Number(quantity), None) => Some(quantity),
        (FieldKind::Part { fields, .. }, Some(rest)) => quantity_at(fields, rest),
        // A value of a series by its index.
        (FieldKind::Series(quantity), Some(rest)) => rest.parse::<usize>().is_ok().then_some(*quantity),
        // The shortest name that leaves the path of a number: names may contain dots.
        (FieldKind::List { fields, .. }, Some(rest)) => {
            rest.match_indices('.').find_map(|(dot, _)| quantity_at(fields, &rest[dot + 1..]))
        }
        _ => None,
    }
}

/// Every number that studies of a description can have, with its path; “…” stands for the name or the index of an entry,
/// and `[]` for each of the recorded values.
#[must_use]
pub fn described(fields: &'static [Field]) -> Vec<(String, &'static Quantity)> {
    fields
        .iter()
        .flat_map(|field| {
            let below = |fields, way: &str| {
                let inside = described(fields).into_iter();
                inside.map(|(path, quantity)| (format!("{}.{way}{path}", field.key), quantity)).collect()
            };
            match &field.kind {
                FieldKind::Number(quantity) => vec![(field.key.to_owned(), *quantity)],
                FieldKind::Series(quantity) => vec![(format!("{}[]", field.key), *quantity)],
                FieldKind::Part { fields, .. } => below(fields, ""),
                FieldKind::List { fields, .. } => below(fields, "…."),
                FieldKind::Name | FieldKind::Reference { .. } | FieldKind::Plain => Vec::new(),
            }
        })
        .collect()
}
