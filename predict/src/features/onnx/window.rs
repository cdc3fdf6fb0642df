//! Output shapes of convolutions and pooling: <https://onnx.ai/onnx/operators/onnx__Conv.html> and its neighbours.

use super::super::shape::{Padding, Shape, Window};
use super::node::{Attributes, Inputs};

/// Output shape of a convolution or pooling: channels, and outputs of its windows.
pub(super) fn windows(
    attributes: &Attributes<'_>,
    shape: &[Option<u64>],
    kernel: Option<&[Option<u64>]>,
    channels: Option<u64>,
) -> Option<Shape> {
    let dimensions = shape.len().checked_sub(2)?;
    let declared: Option<Shape> =
        attributes.numbers("kernel_shape").map(|sizes| sizes.iter().map(|size| u64::try_from(*size).ok()).collect());
    let kernel = declared.or_else(|| kernel.map(<[_]>::to_vec)).filter(|kernel| kernel.len() == dimensions)?;
    let auto = attributes.text("auto_pad");
    let at = |name: &str, place: usize, otherwise: u64| match attributes.numbers(name) {
        Some(numbers) => numbers.get(place).and_then(|number| u64::try_from(*number).ok()),
        None => Some(otherwise),
    };
    let ceil = attributes.number("ceil_mode", 0) != 0;
    let spatial = (0..dimensions).map(|place| {
        let both = at("pads", place, 0)?.checked_add(at("pads", place + dimensions, 0)?)?;
        let padding = match auto {
            b"SAME_UPPER" | b"SAME_LOWER" => Padding::Same,
            b"VALID" => Padding::Explicit { both: 0, ceil },
            _ => Padding::Explicit { both, ceil },
        };
        let (stride, dilation) = (at("strides", place, 1)?, at("dilations", place, 1)?);
        let window = Window { size: kernel[place]?, stride, dilation, padding };
        let outputs = window.outputs(shape[place + 2]?)?;
        // A last window that would begin beyond the input and its first padding does not count.
        let begins = (outputs - 1).checked_mul(stride)?;
        let reaches = shape[place + 2]?.checked_add(at("pads", place, 0)?)?;
        Some(if ceil && outputs > 1 && begins >= reaches { outputs - 1 } else { outputs })
    });
    Some([shape[0], channels].into_iter().chain(spatial).collect())
}

/// Shape of a transposed convolution.
pub(super) fn transposed_convolution(attributes: &Attributes<'_>, inputs: &Inputs<'_>) -> Option<Shape> {
    let (shape, weights) = (inputs.shape(0)?, inputs.shape(1)?);
    let dimensions = shape.len().checked_sub(2)?;
    let groups = u64::try_from(attributes.number("group", 1)).ok()?;
    let channels = weights.get(1).copied()??.checked_mul(groups);
    let declared = attributes.numbers("output_shape");
    let auto = attributes.text("auto_pad");
    let number = |name: &str, place: usize, otherwise: i64| match attributes.numbers(name) {
        Some(numbers) => numbers.get(place).copied(),
        None => Some(otherwise),
    };
    let spatial = (0..dimensions).map(|place| {
        if let Some(declared) = declared {
            return u64::try_from(*declared.get(place + declared.len().checked_sub(dimensions)?)?).ok();
        }
        let input = i64::try_from(shape[place + 2]?).ok()?;
        let kernel = i64::try_from((*weights.get(place + 2)?)?).ok()?;
        let stride = number("strides", place, 1)?;
        if auto.starts_with(b"SAME") {
            return u64::try_from(input.checked_mul(stride)?).ok();
        }
        let reach = number("dilations", place, 1)?.checked_mul(kernel.checked_sub(1)?)?.checked_add(1)?;
        let pads = number("pads", place, 0)?.checked_add(number("pads", place + dimensions, 0)?)?;
        let size = stride.checked_mul(input.checked_sub(1)?)?.checked_add(number("output_padding", place, 0)?)?;
        u64::try_from(size.checked_add(reach)?.checked_sub(pads)?).ok()
    });
    Some([shape[0], channels].into_iter().chain(spatial).collect())
}
