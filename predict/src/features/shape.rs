//! Shapes of tensors with unknown dimensions, and rules that several readers share.

/// Dimensions, `None` where one is not known.
pub(crate) type Shape = Vec<Option<u64>>;

/// Most dimensions of a tensor.
pub(crate) const MOST_DIMENSIONS: usize = 16;

/// Elements; `None` if a dimension is not known, or there are more than 2⁶⁴.
pub(crate) fn elements(shape: &[Option<u64>]) -> Option<u64> {
    if shape.contains(&Some(0)) {
        return Some(0);
    }
    shape.iter().try_fold(1_u64, |product, dimension| product.checked_mul((*dimension)?))
}

/// How a window moves over a dimension.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) size: u64,
    pub(crate) stride: u64,
    pub(crate) dilation: u64,
    pub(crate) padding: Padding,
}

/// Padding of a dimension.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Padding {
    /// Elements at both ends together; a last, incomplete step counts if `ceil`.
    Explicit { both: u64, ceil: bool },
    /// As much as gives one output per stride.
    Same,
}

impl Window {
    /// Outputs along a dimension of this size; `None` if the window does not fit.
    pub(crate) fn outputs(self, input: u64) -> Option<u64> {
        if self.stride == 0 || self.size == 0 {
            return None;
        }
        match self.padding {
            Padding::Same => Some(input.div_ceil(self.stride)),
            Padding::Explicit { both, ceil } => {
                let reach = self.dilation.checked_mul(self.size - 1)?.checked_add(1)?;
                let room = input.checked_add(both)?.checked_sub(reach)?;
                let steps = if ceil { room.div_ceil(self.stride) } else { room / self.stride };
                steps.checked_add(1)
            }
        }
    }
}

/// The shape of a function of two tensors whose dimensions agree from the last on, or are 1.
pub(crate) fn broadcast(a: &[Option<u64>], b: &[Option<u64>]) -> Option<Shape> {
    let rank = a.len().max(b.len());
    let at = |shape: &[Option<u64>], place: usize| match (place + shape.len()).checked_sub(rank) {
        Some(own) => shape[own],
        None => Some(1),
    };
    let both = (0..rank).map(|place| match (at(a, place), at(b, place)) {
        (Some(1), other) | (other, Some(1)) => Some(other),
        (Some(a), Some(b)) if a != b => None,
        (Some(known), _) | (None, Some(known)) => Some(Some(known)),
        (None, None) => Some(None),
    });
    both.collect()
}

/// The shape of tensors concatenated along a dimension.
pub(crate) fn concatenated(shapes: &[&[Option<u64>]], axis: usize) -> Option<Shape> {
    let mut joined = shapes.first()?.to_vec();
    if shapes.iter().any(|shape| shape.len() != joined.len()) {
        return None;
    }
    *joined.get_mut(axis)? = shapes.iter().try_fold(0_u64, |sum, shape| sum.checked_add(shape[axis]?));
    Some(joined)
}

/// The index of an axis that may be counted from the end.
pub(crate) fn axis(axis: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    let place = if axis < 0 { axis.checked_add(rank)? } else { axis };
    usize::try_from(place).ok().filter(|_| place < rank)
}

/// A shape with −1 replaced so that the number of elements matches, if possible.
pub(crate) fn filled(target: &[Option<i64>], elements: Option<u64>) -> Shape {
    let known: Shape = target.iter().map(|size| size.and_then(|size| u64::try_from(size).ok())).collect();
    let mut shape = known.clone();
    let open: Vec<usize> = (0..target.len()).filter(|place| target[*place] == Some(-1)).collect();
    if let ([open], Some(elements)) = (open.as_slice(), elements) {
        let mut others = known;
        others.remove(*open);
        if let Some(product) = self::elements(&others).filter(|product| *product > 0) {
            shape[*open] = elements.is_multiple_of(product).then_some(elements / product);
        }
    }
    shape
}

/// Elements of a dimension from a start to an end, with a step.
pub(crate) fn taken(size: i64, start: i64, end: i64, by: i64) -> Option<u64> {
    let (lowest, highest) = if by > 0 { (0, size) } else { (-1, size.checked_sub(1)?) };
    let clamped = |place: i64| if place < 0 { place.saturating_add(size) } else { place }.clamp(lowest, highest);
    let (start, end) = (clamped(start).max(0), clamped(end));
    let distance = if by > 0 { end.checked_sub(start)? } else { start.checked_sub(end)? };
    let step = by.unsigned_abs();
    (step > 0).then(|| u64::try_from(distance).map_or(0, |distance| distance.div_ceil(step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_gives_as_many_outputs_as_the_formula_of_dumoulin_and_visin_says() {
        // A guide to convolution arithmetic for deep learning, relationships 1 to 6 and 15, with their examples.
        let window = |size, stride, dilation, both| Window {
            size,
            stride,
            dilation,
            padding: Padding::Explicit { both, ceil: false },
        };
        assert_eq!(window(3, 1, 1, 0).outputs(4), Some(2));
        assert_eq!(window(4, 1, 1, 4).outputs(5), Some(6));
        assert_eq!(window(3, 2, 1, 0).outputs(5), Some(2));
        assert_eq!(window(3, 2, 1, 2).outputs(6), Some(3));
        assert_eq!(window(3, 1, 2, 0).outputs(7), Some(3));
        assert_eq!(window(8, 1, 1, 0).outputs(7), None);
    }

    #[test]
    fn shapes_broadcast_from_the_last_dimension_on() {
        assert_eq!(
            broadcast(&[Some(8), Some(1), Some(6), Some(1)], &[Some(7), Some(1), Some(5)]).expect("fits"),
            [Some(8), Some(7), Some(6), Some(5)]
        );
        assert_eq!(broadcast(&[Some(3)], &[Some(4)]), None);
        assert_eq!(elements(&[Some(u64::MAX), Some(2)]), None);
        assert_eq!(filled(&[Some(1), Some(-1)], Some(20)), [Some(1), Some(20)]);
    }
}
