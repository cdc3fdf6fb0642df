//! Common parts of the tables that frameworks print: recognition, shapes, and multiply-adds of a layer from its sizes and
//! parameters.

use super::network::Form;
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
        // The table of torchsummary has other columns.
        None
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

/// Elements of several tensors whose first dimension is the batch.
pub(super) fn size(shapes: &[Shape], batch: u64) -> Option<u64> {
    shapes.iter().try_fold(0_u64, |sum, shape| {
        let all = elements(shape)?;
        sum.checked_add(if all.is_multiple_of(batch) { all / batch } else { all })
    })
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
    /// Whether its filters are split in a way that sizes do not determine.
    pub(super) is_split: bool,
    /// Whether channels follow the batch; otherwise they are last.
    pub(super) channels_first: bool,
}

impl TableLayer<'_> {
    /// Steps for [`Operator::flops`], from input and output elements of one sample.
    ///
    /// A filter has a weight for each element of its window and each of its channels, and possibly a bias. The divisors of the
    /// number of parameters determine which. Without groups it has all channels.
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
                if self.is_split {
                    return None;
                }
                let (filters, parameters) = (channels(self.output?)?, self.parameters.filter(|count| *count > 0)?);
                let per_filter = parameters.checked_div(filters).filter(|_| parameters.is_multiple_of(filters))?;
                let part = [window, incoming].into_iter().flatten().find(|part| *part > 1)?;
                let without_bias = [per_filter, per_filter - 1].into_iter().find(|count| count.is_multiple_of(part))?;
                output?.checked_mul(without_bias)
            }
            Operator::MatMul => output?.checked_mul((*self.input?.last()?)?),
            Operator::MaxPool | Operator::AvgPool => {
                let shape = self.output?;
                let is_global = match shape.len() {
                    0..=2 => true,
                    _ if self.channels_first => shape[2..].iter().all(|size| *size == Some(1)),
                    rank => shape[1..rank - 1].iter().all(|size| *size == Some(1)),
                };
                if is_global { input } else { output?.checked_mul(self.window()?) }
            }
            Operator::Recurrent => match self.input?.as_slice() {
                [_, Some(times), _] => self.parameters.filter(|count| *count > 0)?.checked_mul(*times),
                _ => None,
            },
            _ => None,
        }
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
