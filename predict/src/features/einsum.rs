//! Einstein summation, such as `abc,cde->abde`: the shape of its output and its multiply-adds.

use std::collections::BTreeMap;

use super::shape::{MOST_DIMENSIONS, Shape};

/// An index of an equation: a letter, or a dimension that `...` stands for, counted from the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Index {
    Any(usize),
    Letter(char),
}

/// The shape of the output, and the multiply-adds: one for every combination of indices, none for a single tensor. `None` if the
/// equation does not fit the tensors.
pub(crate) fn summed(equation: &str, shapes: &[&[Option<u64>]]) -> Option<(Shape, Option<u64>)> {
    let equation: String = equation.chars().filter(|letter| !letter.is_whitespace()).collect();
    let (terms, output) = equation.split_once("->").map_or((equation.as_str(), None), |(all, to)| (all, Some(to)));
    let terms: Vec<&str> = terms.split(',').collect();
    if terms.len() != shapes.len() {
        return None;
    }
    let mut sizes: BTreeMap<Index, Option<u64>> = BTreeMap::new();
    let (mut most_any, mut seen) = (0, Vec::new());
    for (term, shape) in terms.iter().zip(shapes) {
        let letters = term.chars().filter(|letter| *letter != '.').count();
        let any = if term.contains("...") { shape.len().checked_sub(letters)? } else { 0 };
        most_any = most_any.max(any);
        let indices = indices(term, any);
        if indices.len() != shape.len() {
            return None;
        }
        for (index, size) in indices.iter().zip(shape.iter()) {
            // A dimension of 1 is repeated.
            let known = sizes.entry(*index).or_insert(*size);
            if *known == Some(1) || known.is_none() {
                *known = *size;
            }
        }
        seen.extend(indices);
    }
    let output = match output {
        Some(output) => indices(output, most_any),
        // Without an output, indices that occur once, in the order of the alphabet.
        None => sizes
            .keys()
            .rev()
            .filter(|index| matches!(index, Index::Any(_)))
            .chain(sizes.keys().filter(|index| {
                matches!(index, Index::Letter(_)) && seen.iter().filter(|other| other == index).count() == 1
            }))
            .copied()
            .collect(),
    };
    let shape = output.iter().map(|index| sizes.get(index).copied()).collect::<Option<Shape>>()?;
    let steps = if terms.len() > 1 {
        sizes.values().try_fold(1_u64, |product, size| product.checked_mul((*size)?))
    } else {
        Some(0)
    };
    (shape.len() <= MOST_DIMENSIONS).then_some((shape, steps))
}

/// The indices of a term; `...` stands for so many dimensions.
fn indices(term: &str, any: usize) -> Vec<Index> {
    let (before, after) = term.split_once("...").unwrap_or((term, ""));
    let any = if before.len() == term.len() { 0 } else { any };
    let letters = |part: &str| part.chars().map(Index::Letter).collect::<Vec<Index>>();
    [letters(before), (0..any).rev().map(Index::Any).collect(), letters(after)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(sizes: &[u64]) -> Shape {
        sizes.iter().copied().map(Some).collect()
    }

    #[test]
    fn an_equation_gives_the_shape_and_a_multiply_add_for_every_combination_of_indices() {
        let both = |equation: &str, a: &[u64], b: &[u64]| summed(equation, &[&shape(a), &shape(b)]);
        // Projection of 64 tokens, 128 wide, to 4 heads of 32; then the products of queries and keys.
        assert_eq!(
            both("abc,cde->abde", &[1, 64, 128], &[128, 4, 32]),
            Some((shape(&[1, 64, 4, 32]), Some(64 * 128 * 4 * 32)))
        );
        assert_eq!(
            both("aecd,abcd->acbe", &[1, 64, 4, 32], &[1, 64, 4, 32]),
            Some((shape(&[1, 4, 64, 64]), Some(4 * 64 * 64 * 32)))
        );
        assert_eq!(both("...x,xy->...y", &[2, 5, 8], &[8, 3]), Some((shape(&[2, 5, 3]), Some(2 * 5 * 8 * 3))));
        assert_eq!(both("ij,jk", &[2, 3], &[3, 4]), Some((shape(&[2, 4]), Some(24))));
        assert_eq!(summed("ab->ba", &[&shape(&[2, 3])]), Some((shape(&[3, 2]), Some(0))));
        assert_eq!(both("abc,cd->abd", &[2, 3], &[3, 4]), None);
    }
}
