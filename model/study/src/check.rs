//! Checks by the description of a study: unique names, lengths of lists, ranges of numbers, references to existing
//! entries, sources of existing numbers.

use std::collections::BTreeSet;

use super::field::{List, Part};
use super::path::{Path, Segment};
use super::walk::{Found, names_of, number_at, numbers, sourced, usual_path, walk};
use crossover_quantity::invalid::{self, Invalid, did_you_mean, unknown};
use crossover_quantity::provenance::Sources;
use crossover_quantity::spread::Spreads;

/// Checks a part against its description, except for sources.
///
/// # Errors
/// The first problem and its path.
pub fn check(part: &dyn Part) -> Result<(), Invalid> {
    let first = |visit: fn(&[Segment<'_>], &Found<'_>) -> Option<Invalid>| {
        walk(part, false, &mut |path, found| visit(path, &found)).map_or(Ok(()), Err)
    };
    first(names)?;
    first(number)?;
    let refers = walk(part, false, &mut |path, found| match found {
        Found::Reference { list, what, name } => {
            let names = names_of(part, list);
            let is_there = names.contains(&name);
            (!is_there).then(|| unknown(&text(path), what, name, names.iter().copied()))
        }
        _ => None,
    });
    refers.map_or(Ok(()), Err)
}

/// Checks that every source is valid and belongs to a number of the part.
///
/// # Errors
/// The first problem and its path.
pub fn sources(part: &dyn Part, sources: &Sources) -> Result<(), Invalid> {
    if sources.is_empty() {
        return Ok(());
    }
    let known: BTreeSet<String> = sourced(part, false).iter().map(Path::to_string).collect();
    invalid::sources(sources, &known)
}

/// Checks that every spread is valid and belongs to a number of the part.
///
/// # Errors
/// The first problem and its path.
pub fn spreads(part: &dyn Part, spreads: &Spreads) -> Result<(), Invalid> {
    for (path, spread) in spreads {
        let invalid = |problem| Invalid { path: format!("uncertain.{path}"), problem };
        let Some((quantity, value)) = number_at(part, path) else {
            let known: BTreeSet<String> = numbers(part).iter().map(|(path, ..)| path.to_string()).collect();
            return Err(invalid(format!("“{path}” is not a number of this study{}", did_you_mean(path, &known))));
        };
        if value.is_none() {
            return Err(invalid(format!("“{path}” has no value, so it cannot be uncertain; set a value first")));
        }
        if let Some(usual) = usual_path(part, path).filter(|usual| usual != path) {
            return Err(invalid(format!("expected the path “{usual}”, found “{path}”")));
        }
        if let Some(problem) = spread.problem(quantity) {
            return Err(invalid(problem));
        }
    }
    Ok(())
}

fn text(path: &[Segment<'_>]) -> String {
    Path(path.to_vec()).to_string()
}

fn names(path: &[Segment<'_>], found: &Found<'_>) -> Option<Invalid> {
    let Found::List { list, is_named, least, most } = found else { return None };
    let entries = |list: &dyn List| -> Vec<String> {
        (0..list.len()).filter_map(|index| Some(list.entry(index)?.name()?.to_owned())).collect()
    };
    let path = text(path);
    let may_be_empty = *least == 0 && list.is_empty();
    if *is_named
        && !may_be_empty
        && let Err(invalid) = invalid::names(&path, entries(*list).iter().map(String::as_str))
    {
        return Some(invalid);
    }
    let problem = if list.len() < *least {
        format!("{} entries; at least {least} are needed", list.len())
    } else if list.len() > *most {
        format!("{} entries; at most {most} are allowed", list.len())
    } else {
        return None;
    };
    Some(Invalid { path, problem })
}

fn number(path: &[Segment<'_>], found: &Found<'_>) -> Option<Invalid> {
    match found {
        Found::Number(quantity, Some(value)) => {
            quantity.problem(*value).map(|problem| Invalid { path: text(path), problem })
        }
        Found::Series(quantity, values) => values.iter().enumerate().find_map(|(index, value)| {
            let problem = quantity.problem(*value)?;
            Some(Invalid { path: format!("{}.{index}", text(path)), problem })
        }),
        _ => None,
    }
}
