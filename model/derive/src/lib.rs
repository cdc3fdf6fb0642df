//! `#[derive(Part)]`: what a part of a study consists of, taken from the struct that holds it.
//!
//! A number is described where its field stands: its doc comment is what it means, `#[number(…)]` has the rest. Paths,
//! checks, forms, tooltips and tables follow from that; see `crossover_study`.

mod attributes;
mod part;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct a part of a study.
///
/// | attribute of a field | what the field is |
/// |---|---|
/// | `#[number(symbol = "n", label = "machines", unit = Count, range = 1.0..=1e6, source = PUBLISHED)]` | a number; also `whole`, `chosen`, `neutral = 1.0`, and `key = "…"` where the name of the field is not unique in the study |
/// | `#[series(…)]` | recorded values, each as such a number |
/// | `#[part]` | a struct of fields, or an `Option` of one; `example = "(…)"` shows how it is written, `numbers = LIST` describes its numbers where they stand for something else here, `alone = Name` is the struct of its numbers alone |
/// | `#[list]` | a `Vec` of entries found by their place; `named`: by their name; `least = 1`, `most = 16` entries |
/// | `#[name]` | the name of an entry, unique in its list |
/// | `#[reference(list = "networks", what = "network")]` | the name of an entry of a list of the study |
/// | none | text, a choice or anything else |
///
/// Every number is also a constant of the struct, in capitals: `Cluster::MACHINES`. On the struct, `#[numbers(Name)]`
/// makes a `Copy` struct of this name that holds the numbers alone, of whatever type they are.
#[proc_macro_derive(Part, attributes(number, series, part, list, name, reference, numbers))]
pub fn derive_part(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    part::derive(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
