//! `#[derive(Part)]`: the description of a part of a study, derived from its struct.
//!
//! A number is described at its field: the doc comment is its meaning, `#[number(…)]` has the rest. Paths, checks, forms,
//! tooltips and tables follow from it; see `crossover_study`.

mod attributes;
mod part;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct a part of a study.
///
/// | attribute of a field | kind of the field |
/// |---|---|
/// | `#[number(symbol = "n", label = "machines", unit = Count, range = 1.0..=1e6, source = PUBLISHED)]` | a number; also `whole`, `chosen`, `decision`, `neutral = 1.0`, and `key = "…"` where the name of the field is not unique in the study |
/// | `#[series(…)]` | recorded values, each as such a number |
/// | `#[part]` | a struct of fields, or an `Option` of one; `example = "(…)"` shows how it is written, `numbers = LIST` replaces the description of its numbers, `alone = Name` is the struct of its numbers only |
/// | `#[list]` | a `Vec` of entries found by their index; `named`: by their name; `least = 1`, `most = 16` entries |
/// | `#[name]` | the name of an entry, unique in its list |
/// | `#[reference(list = "networks", what = "network")]` | the name of an entry of a list of the study |
/// | none | text, a choice or anything else |
///
/// Every number is also a constant of the struct, in capitals: `Cluster::MACHINES`. On the struct, `#[numbers(Name)]`
/// makes a `Copy` struct of this name with the numbers only, generic over their type.
#[proc_macro_derive(Part, attributes(number, series, part, list, name, reference, numbers))]
pub fn derive_part(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    part::derive(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
