//! Common parts of the tables that frameworks print: recognition, shapes, and multiply-adds of a layer from its sizes and
//! parameters.

use super::network::{Form, Network};
use super::operator::Operator;
use super::shape::{MOST_DIMENSIONS, Shape, elements};

/// The index of the line with the column names.
pub(super) fn header(lines: &[&str]) -> Option<usize> {
    lines.iter().position(|line| {
        line.contains("Layer (type") && (line.contains(" Shape") || line.contains("Param") || line.contains('┃'))
    })
}

/// The form of a table, if a text has one.
pub(super) fn form(text: &str) -> Option<Form> {
    let lines: Vec<&str> = text.lines().collect();
    let at = header(&lines)?;
    let above = lines[..at].iter().rev().map(|line| line.trim()).find(|line| !line.is_empty()).unwrap_or_default();
    if lines[at].contains("depth-idx") || lines[at].contains("var_name") || above.starts_with("===") {
        Some(Form::Torchinfo)
    } else if above.starts_with("---") {
        Some(Form::Torchsummary)
    } else {
        Some(Form::KerasSummary)
    }
}

/// Most tensors of a cell.
const MOST_SHAPES: usize = 64;

/// Shapes as `[7, 1, 28, 28]`, `(None, 28, 28)`, or several in a list; `None` if the text is not a shape.
pub(super) fn shapes(text: &str) -> Option<Vec<Shape>> {
    let mut shapes = Vec::new();
    let mut open: Option<(Shape, String)> = None;
    let mut depth = 0_usize;
    let close = |number: &str| -> Option<Option<u64>> {
        match number.trim() {
            "None" | "?" => Some(None),
            number => number.parse().ok().map(Some),
        }
    };
    for letter in text.trim().chars() {
        match letter {
            '[' | '(' => {
                depth += 1;
                open = Some((Vec::new(), String::new()));
            }
            ']' | ')' => {
                depth = depth.checked_sub(1)?;
                if let Some((mut shape, number)) = open.take() {
                    if !number.trim().is_empty() {
                        shape.push(close(&number)?);
                    }
                    shapes.push(shape);
                    if shapes.len() > MOST_SHAPES {
                        return None;
                    }
                }
            }
            ',' => {
                if let Some((shape, number)) = &mut open {
                    shape.push(close(number)?);
                    number.clear();
                    if shape.len() > MOST_DIMENSIONS {
                        return None;
                    }
                }
            }
            letter if letter.is_whitespace() => {}
            letter => open.as_mut()?.1.push(letter),
        }
    }
    (depth == 0 && !shapes.is_empty()).then_some(shapes)
}

/// A count as `1,234`; frozen ones in parentheses.
pub(super) fn count(text: &str) -> Option<u64> {
    text.trim().trim_matches(['(', ')']).replace(',', "").parse().ok()
}

/// Elements of several tensors for one sample. A tensor whose first dimension is not the batch, such as positions in a text, is the
/// same for all samples.
pub(super) fn size(shapes: &[Shape], batch: u64) -> Option<u64> {
    shapes.iter().try_fold(0_u64, |sum, shape| {
        let all = elements(shape)?;
        sum.checked_add(if has_batch(shape, batch) { all / batch } else { all })
    })
}

/// Whether the first dimension of a tensor holds the samples of a batch.
fn has_batch(shape: &[Option<u64>], batch: u64) -> bool {
    batch > 0 && shape.first().copied().flatten().is_some_and(|first| first.is_multiple_of(batch))
}

/// The batch of a table, from the shapes of its rows: the first dimension of the first one, if most of the others have it; with it
/// whether all have.
pub(super) fn batch<'a>(shapes: impl Iterator<Item = &'a Shape> + Clone) -> (u64, bool) {
    let first = shapes.clone().find(|shape| shape.len() > 1).and_then(|shape| shape[0]);
    let Some(batch) = first.filter(|batch| *batch > 1) else { return (1, true) };
    let known = shapes.filter(|shape| shape.first().is_some_and(Option::is_some));
    let (with, without): (Vec<&Shape>, Vec<&Shape>) = known.partition(|shape| has_batch(shape, batch));
    if with.len() > without.len() { (batch, true) } else { (1, false) }
}

/// Bits of a parameter, from what is printed below a table: how many parameters there are, and how many bytes they take.
pub(super) fn parameter_bits(lines: &[&str]) -> Option<u32> {
    /// Rounding, and statistics of batch normalisation that stay in single precision.
    const DIFFERENCE: f64 = 0.02;
    let line = lines.iter().find_map(|line| line.trim().strip_prefix("Total params:"))?.trim();
    let (total, size) = line.split_once(' ').unwrap_or((line, ""));
    let total = count(total)? as f64;
    let bytes = match size.trim().trim_matches(['(', ')']).split_once(' ') {
        Some((size, unit)) => {
            let factor = match unit {
                "B" | "Byte" => 1.0,
                "KB" => 1_024.0,
                "MB" => 1_048_576.0,
                "GB" => 1_073_741_824.0,
                _ => return None,
            };
            size.parse::<f64>().ok()? * factor
        }
        None => labelled(lines, "Params size")?.0 * 1e6,
    };
    [8, 16, 32, 64].into_iter().find(|bits| (bytes * 8.0 / (total * f64::from(*bits)) - 1.0).abs() < DIFFERENCE)
}

/// Gives the tensors of a network the element size of its parameters, if what is printed below its table has one that is not that
/// of single precision.
pub(super) fn set_parameter_bits(network: &mut Network, lines: &[&str]) {
    if let Some(bits) = parameter_bits(lines).filter(|bits| *bits != 32) {
        network.set_bits(bits);
        network.notes.push(format!(
            "by the sizes below the table a parameter has {bits} bits, which is assumed for all tensors; --element-bits sets another size"
        ));
    }
}

/// The number behind a label at the start of a line, such as `Input size (MB): 0.57`; with it the text in brackets.
pub(super) fn labelled<'a>(lines: &[&'a str], label: &str) -> Option<(f64, &'a str)> {
    let line = lines.iter().find_map(|line| line.trim().strip_prefix(label))?;
    let (unit, value) = line.split_once(':')?;
    let value: f64 =
        value.trim().replace(',', "").parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)?;
    Some((value, unit.trim().trim_matches(['(', ')'])))
}

/// Elements of an input of which a table has the megabytes with two decimals; `None` where rounding may hide more than 5 %.
pub(super) fn elements_of_megabytes(megabytes: f64, bytes_in_megabyte: f64) -> Option<u64> {
    /// Half of the last digit, over 5 %.
    const LEAST: f64 = 0.005 / 0.05;
    let elements = megabytes * bytes_in_megabyte / 4.0;
    if !(LEAST..1e9).contains(&megabytes) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded, not negative")]
    let elements = elements.round() as u64;
    Some(elements)
}

/// Weights of a filter without its bias, from its parameters: windows are mostly odd squares. Of a window of one element the bias is
/// not told apart.
fn weights_of_filter(parameters: u64) -> u64 {
    let windows = [9, 25, 49, 81, 121];
    let is_whole = |count: u64| count > 0 && windows.iter().any(|window| count.is_multiple_of(*window));
    if !is_whole(parameters) && is_whole(parameters - 1) { parameters - 1 } else { parameters }
}

/// A layer in a table.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TableLayer<'a> {
    pub(super) input: Option<&'a Shape>,
    pub(super) output: Option<&'a Shape>,
    pub(super) parameters: Option<u64>,
    /// Sizes of its window; one number applies to all dimensions.
    pub(super) kernel: Option<&'a [u64]>,
    pub(super) groups: Option<u64>,
    /// Whether it is a depthwise and a pointwise convolution in one.
    pub(super) is_separable: bool,
    /// Whether channels follow the batch; otherwise they are last.
    pub(super) channels_first: bool,
}

impl TableLayer<'_> {
    /// Steps for [`Operator::flops`], from input and output elements of one sample.
    ///
    /// A filter has a weight for each element of its window and each of its channels, and possibly a bias. The divisors of the
    /// number of parameters determine which; if its input is not known, a window of an odd square is assumed. A pool of unknown
    /// window reads each input once.
    pub(super) fn steps(&self, operator: &Operator, [input, output]: [Option<u64>; 2]) -> Option<u64> {
        let channels = |shape: &Shape| {
            let place = if self.channels_first { 1 } else { shape.len().checked_sub(1)? };
            shape.get(place).copied().flatten()
        };
        match operator {
            Operator::Conv2D => {
                let incoming = self.input.and_then(channels);
                let window = self.window();
                if let (Some(incoming), Some(window), Some(groups)) = (incoming, window, self.groups) {
                    return output?.checked_mul(incoming.checked_div(groups)?.checked_mul(window)?);
                }
                let (filters, parameters) = (channels(self.output?)?, self.parameters.filter(|count| *count > 0)?);
                if self.is_separable {
                    // Every weight of both is used once for each position, and so is a bias.
                    return output?.checked_div(filters)?.checked_mul(parameters);
                }
                let per_filter = parameters.checked_div(filters).filter(|_| parameters.is_multiple_of(filters))?;
                let part = [window, incoming].into_iter().flatten().find(|part| *part > 1);
                let of_part = part.and_then(|part| {
                    [per_filter, per_filter - 1].into_iter().find(|count| *count > 0 && count.is_multiple_of(part))
                });
                output?.checked_mul(of_part.unwrap_or_else(|| weights_of_filter(per_filter)))
            }
            Operator::MatMul => output?.checked_mul(self.summed(input)?),
            Operator::MaxPool | Operator::AvgPool => {
                let shape = self.output?;
                let is_global = match shape.len() {
                    0..=2 => true,
                    _ if self.channels_first => shape[2..].iter().all(|size| *size == Some(1)),
                    rank => shape[1..rank - 1].iter().all(|size| *size == Some(1)),
                };
                let window = self.window().filter(|_| !is_global);
                window.map_or(input, |window| output?.checked_mul(window))
            }
            // Each input is spread over the weights of its channel.
            Operator::ConvTranspose => {
                let (incoming, filters) = (self.input.and_then(channels)?, self.output.and_then(channels)?);
                let parameters = self.parameters?;
                let weights = [parameters, parameters.saturating_sub(filters)]
                    .into_iter()
                    .find(|count| *count > 0 && count.is_multiple_of(incoming))?;
                input?.checked_mul(weights.checked_div(incoming)?)
            }
            // Four projections of every token, then the products of queries with keys and of weights with values.
            Operator::Attention => {
                let [_, Some(tokens), Some(width)] = self.input?.as_slice() else { return None };
                let (parameters, of_width) =
                    (self.parameters.filter(|count| *count > 0)?, width.checked_add(1)?.checked_mul(4)?);
                let projected = parameters.checked_add(of_width / 2)?.checked_div(of_width)?;
                let projections = tokens.checked_mul(*width)?.checked_mul(projected)?.checked_mul(4)?;
                let products = tokens.checked_mul(*tokens)?.checked_mul(projected)?.checked_mul(2)?;
                projections.checked_add(products)
            }
            Operator::Recurrent => match self.input?.as_slice() {
                [_, Some(times), _] => self.parameters.filter(|count| *count > 0)?.checked_mul(*times),
                _ => None,
            },
            _ => None,
        }
    }

    /// Inputs that each output of a matrix product sums, from the parameters: the last dimension, all elements of a sample where a
    /// flattening before it is not in the table, or neither where a function call is not.
    fn summed(&self, input: Option<u64>) -> Option<u64> {
        let last = self.input.and_then(|shape| *shape.last()?);
        let outputs = self.output.and_then(|shape| *shape.last()?).filter(|count| *count > 0);
        let of_output = self
            .parameters
            .filter(|count| *count > 0)
            .zip(outputs)
            .and_then(|(parameters, outputs)| parameters.is_multiple_of(outputs).then(|| parameters / outputs));
        let Some(of_output) = of_output else { return last };
        let fits = |count: &u64| *count == of_output || count.checked_add(1) == Some(of_output);
        // Widths are mostly even, so an odd number has a bias.
        let alone = if of_output > 1 && !of_output.is_multiple_of(2) { of_output - 1 } else { of_output };
        [last, input].into_iter().flatten().find(fits).or(Some(alone))
    }

    /// Elements of its window.
    fn window(&self) -> Option<u64> {
        match self.kernel? {
            [size] => {
                let dimensions = u32::try_from(self.output?.len().checked_sub(2)?).ok()?;
                size.checked_pow(dimensions)
            }
            sizes => sizes.iter().try_fold(1_u64, |product, size| product.checked_mul(*size)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_a_filter_are_told_from_its_bias() {
        // 3 × 3 × 3 with and without a bias, 7 × 7 × 3 without, a depthwise 3 × 3 with one, 32 channels of one element.
        for (parameters, expected) in [(28, 27), (27, 27), (147, 147), (10, 9), (9, 9), (32, 32), (1, 1)] {
            assert_eq!(weights_of_filter(parameters), expected, "{parameters}");
        }
    }

    #[test]
    fn numbers_below_a_table_are_found_by_their_labels() {
        let lines = ["Total params: 1,234", "Input size (MB): 0.57", "Total mult-adds (M): 10.42"];
        assert_eq!(labelled(&lines, "Input size"), Some((0.57, "MB")));
        assert_eq!(labelled(&lines, "Total mult-adds"), Some((10.42, "M")));
        assert_eq!(labelled(&lines, "Total params"), Some((1234.0, "")));
        assert_eq!(labelled(&lines, "Params size"), None);
        // 3 · 224 · 224 · 4 bytes are 0.574 MiB.
        assert_eq!(elements_of_megabytes(0.57, 1_048_576.0), Some(149_422));
        assert_eq!(elements_of_megabytes(0.02, 1e6), None, "anything from 0.015 to 0.025");
    }

    #[test]
    fn shapes_are_read_as_torch_and_keras_write_them() {
        assert_eq!(shapes("[7, 1, 28]"), Some(vec![vec![Some(7), Some(1), Some(28)]]));
        assert_eq!(shapes("(None, 10)"), Some(vec![vec![None, Some(10)]]));
        assert_eq!(shapes("(None,)"), Some(vec![vec![None]]));
        assert_eq!(shapes("[(None, 3), (None, 4)]"), Some(vec![vec![None, Some(3)], vec![None, Some(4)]]));
        for none in ["--", "multiple", "?", "[1, 2", "1]", "[x]", ""] {
            assert_eq!(shapes(none), None, "{none}");
        }
    }
}
