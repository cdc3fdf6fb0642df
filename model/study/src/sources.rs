//! Sources and uncertainty of numbers, kept consistent with edits: an edit removes the source, and both follow a rename and a
//! copy.

use std::collections::{BTreeMap, BTreeSet};

use super::field::{FieldKind, FieldValueMut, Part};
use super::path::{Path, Segment};
use super::subject::Subject;
use super::walk::{Found, names_of, number_at, numbers, set_number, sourced, walk};
use crossover_quantity::provenance::{Provenance, drop_at};

/// Number of numbers by kind of source, most first: "31 published, 4 catalogue, 2 entered".
#[must_use]
pub fn origins(study: &dyn Subject) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in sourced(study, false) {
        let kind = study.sources().get(&path.to_string()).map_or(Provenance::Entered.kind(), Provenance::kind);
        *counts.entry(kind).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
}

/// Removes the sources and spreads of numbers that no longer exist.
pub fn purge(study: &mut impl Subject) {
    if !study.sources().is_empty() {
        let known: BTreeSet<String> = sourced(study, false).iter().map(Path::to_string).collect();
        study.sources_mut().retain(|path, _| known.contains(path));
    }
    purge_spreads(study);
}

fn purge_spreads(study: &mut impl Subject) {
    if !study.spreads().is_empty() {
        let gone: Vec<String> =
            study.spreads().keys().filter(|path| number_at(study, path).is_none()).cloned().collect();
        for path in gone {
            study.spreads_mut().remove(&path);
        }
    }
}

/// Marks the field at the segments of a path, and every field inside or around it, as entered by hand.
pub fn mark_entered(study: &mut dyn Subject, segments: &[String]) {
    let mut sources = std::mem::take(study.sources_mut());
    let index = |segment: &Segment<'_>| match segment {
        Segment::Key(text) | Segment::Name(text) => (*text).to_owned(),
        Segment::Index(index) => index.to_string(),
    };
    let fields: Vec<Vec<String>> = sourced(study, true).iter().map(|path| path.0.iter().map(index).collect()).collect();
    drop_at(&mut sources, segments, fields.iter().map(|field| field.iter().map(String::as_str).collect()));
    *study.sources_mut() = sources;
}

/// Runs an edit; the numbers that it changes count as entered.
pub fn enter<S: Subject>(study: &mut S, edit: impl FnOnce(&mut S)) {
    let values = |study: &S| -> BTreeMap<String, u64> {
        numbers(study).into_iter().map(|(path, _, value)| (path.to_string(), value.to_bits())).collect()
    };
    let before = if study.sources().is_empty() { BTreeMap::new() } else { values(study) };
    edit(study);
    if !study.sources().is_empty() {
        let after = values(study);
        study.sources_mut().retain(|path, _| before.get(path) == after.get(path));
    }
    purge_spreads(study);
}

/// Gives the numbers at paths, as [`numbers`] has them, these values; those that change count as entered. Dependent fields do
/// not change. False if one of the paths has no number, for example in an absent part.
pub fn set_numbers(study: &mut dyn Subject, values: &[(String, f64)]) -> bool {
    values.iter().fold(true, |all, (path, value)| {
        let before = number_at(study, path).and_then(|(_, value)| value);
        if before == Some(*value) {
            return all;
        }
        study.sources_mut().remove(path);
        set_number(study, path, *value) && all
    })
}

/// Renames an entry of a named list of the study; references to it and its sources follow. False without any change if
/// there is no such entry or another one has that name.
pub fn rename(study: &mut dyn Subject, list: &str, index: usize, name: &str) -> bool {
    let names: Vec<String> = names_of(study, list).into_iter().map(str::to_owned).collect();
    let Some(before) = names.get(index).cloned() else { return false };
    if names.iter().enumerate().any(|(place, taken)| place != index && taken == name) {
        return false;
    }
    set_name(study, list, index, name);
    refer(study, list, &before, name);
    study.renamed(list, &before, name);
    follow(study, &[list, name], &before);
    true
}

/// Moves the sources of a renamed entry: `at` leads to it, its new name last, and `before` was its
/// name.
pub fn follow(study: &mut dyn Subject, at: &[&str], before: &str) {
    let paths = paths_below(study, at, before);
    move_to(study.sources_mut(), &paths);
    move_to(study.spreads_mut(), &paths);
    if let Some(bill) = study.bill_mut() {
        bill.follow(&paths);
    }
}

/// Moves entries to other paths; each pair is the new path and the one before.
fn move_to<V>(entries: &mut BTreeMap<String, V>, paths: &[(String, String)]) {
    // Remove all before inserting any: a new path may be the old one of another.
    let moved: Vec<(String, V)> =
        paths.iter().filter_map(|(path, before)| Some((path.clone(), entries.remove(before)?))).collect();
    entries.extend(moved);
}

/// The list and the index of the entry whose name is at a path such as `clusters.I.name`.
pub fn named_at(study: &dyn Part, path: &str) -> Option<(&'static str, usize)> {
    walk(study, false, &mut |at, found| match (at, found) {
        ([Segment::Key(key)], Found::List { list, is_named: true, .. }) => {
            let is_at = |index: &usize| {
                let entry = list.entry(*index).and_then(|entry| entry.name());
                entry.is_some_and(|entry| path == format!("{key}.{entry}.name"))
            };
            (0..list.len()).find(is_at).map(|index| (*key, index))
        }
        _ => None,
    })
}

/// Sets the number at a path to its value in another study of the same kind, with its source; dependent fields change
/// as far as needed. False if the number cannot have that value.
pub fn take_number_of(study: &mut dyn Subject, other: &dyn Subject, path: &str) -> bool {
    let there: BTreeMap<String, f64> =
        numbers(other).into_iter().map(|(path, _, value)| (path.to_string(), value)).collect();
    let before: BTreeMap<String, f64> =
        numbers(study).into_iter().map(|(path, _, value)| (path.to_string(), value)).collect();
    let Some(value) = there.get(path) else { return false };
    if !before.contains_key(path) || !set_number(study, path, *value) {
        return false;
    }
    study.sources_mut().remove(path);
    study.settle(path);
    let moved: Vec<(String, Provenance)> = numbers(study)
        .into_iter()
        .filter_map(|(moved, _, after)| {
            let moved = moved.to_string();
            let is_theirs = before.get(&moved) != Some(&after) && there.get(&moved) == Some(&after);
            Some((moved.clone(), other.sources().get(&moved).filter(|_| is_theirs)?.clone()))
        })
        .collect();
    study.sources_mut().extend(moved);
    number_at(study, path).and_then(|(_, value)| value) == Some(*value)
}

/// Copies the sources and spreads below one entry of a list to another entry.
pub fn copy(study: &mut dyn Subject, list: &str, from: &str, to: &str) {
    for (path, copy) in paths_below(study, &[list, from], to) {
        if let Some(source) = study.sources().get(&path).cloned() {
            study.sources_mut().insert(copy.clone(), source);
        }
        if let Some(spread) = study.spreads().get(&path).cloned() {
            study.spreads_mut().insert(copy, spread);
        }
    }
}

/// Moves sources and spreads with the entries of a list without names: `moved` gives the new index of an entry; those of
/// removed entries are removed.
pub fn move_entries(study: &mut dyn Subject, list: &str, moved: impl Fn(usize) -> Option<usize>) {
    move_indices(study.sources_mut(), list, &moved);
    move_indices(study.spreads_mut(), list, &moved);
}

fn move_indices<V>(entries: &mut BTreeMap<String, V>, list: &str, moved: impl Fn(usize) -> Option<usize>) {
    let taken = std::mem::take(entries);
    entries.extend(taken.into_iter().filter_map(|(path, source)| {
        let rest =
            path.strip_prefix(list).and_then(|rest| rest.strip_prefix('.')).and_then(|rest| rest.split_once('.'));
        match rest.and_then(|(index, field)| Some((index.parse::<usize>().ok()?, field))) {
            Some((index, field)) => Some((format!("{list}.{}.{field}", moved(index)?), source)),
            None => Some((path, source)),
        }
    }));
}

fn set_name(study: &mut dyn Part, list: &str, index: usize, name: &str) {
    let Some(place) = study.fields().iter().position(|field| field.key == list) else { return };
    let FieldValueMut::List(entries) = study.field_value_mut(place) else { return };
    let Some(entry) = entries.entry_mut(index) else { return };
    let place = entry.fields().iter().position(|field| matches!(field.kind, FieldKind::Name));
    if let Some(FieldValueMut::Text(text)) = place.map(|place| entry.field_value_mut(place)) {
        name.clone_into(text);
    }
}

/// Updates every reference to an entry of a list.
fn refer(part: &mut dyn Part, list: &str, before: &str, after: &str) {
    let fields = part.fields();
    for (place, field) in fields.iter().enumerate() {
        match (&field.kind, part.field_value_mut(place)) {
            (FieldKind::Reference { list: of, .. }, FieldValueMut::Text(name)) if *of == list && name == before => {
                after.clone_into(name);
            }
            (_, FieldValueMut::Part(Some(part))) => refer(part, list, before, after),
            (_, FieldValueMut::List(entries)) => {
                for index in 0..entries.len() {
                    if let Some(entry) = entries.entry_mut(index) {
                        refer(entry, list, before, after);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Paths below the entry at the segments `at`, each with its path if the entry had another name. A path alone is
/// ambiguous: `a.b` may be a name, or the field `b` of `a`.
fn paths_below(study: &dyn Subject, at: &[&str], other: &str) -> Vec<(String, String)> {
    let leads_here = |(segment, wanted): (&Segment<'_>, &&str)| match segment {
        Segment::Key(text) | Segment::Name(text) => text == wanted,
        Segment::Index(_) => false,
    };
    let below = |path: &Path<'_>| {
        let is_below = path.0.len() > at.len() && path.0.iter().zip(at).all(leads_here);
        is_below.then(|| {
            let mut moved = path.clone();
            moved.0[at.len() - 1] = Segment::Name(other);
            (path.to_string(), moved.to_string())
        })
    };
    sourced(study, true).iter().filter_map(below).collect()
}
