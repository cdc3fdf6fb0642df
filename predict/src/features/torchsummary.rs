//! The table that torchsummary prints of a `PyTorch` network (<https://github.com/sksq96/pytorch-summary>), saved as text: a line for
//! every module, in the order in which they ran, with the output shape and the parameters.
//!
//! A module with layers of its own follows them, without parameters; it is left out.

use std::collections::BTreeMap;
use std::path::Path;

use super::network::{Form, Layer, Network, first_names, shown};
use super::operator::Operator;
use super::shape::Shape;
use super::table::{self, TableLayer};
use super::{MOST_LAYERS, NetworkError, read_text};

/// Bytes of a megabyte as torchsummary counts.
const MEGABYTE: f64 = 1_048_576.0;

/// The network of a table.
///
/// # Errors
/// [`NetworkError`]: unreadable, or not such a table.
pub fn read(path: &Path) -> Result<Network, NetworkError> {
    read_text(path, of_text)
}

/// The network of the text of a table; otherwise what is wrong, and where.
pub(super) fn of_text(text: &str) -> Result<Network, String> {
    let lines: Vec<&str> = text.lines().collect();
    let at = table::header(&lines).ok_or("no header line “Layer (type)”; expected the table of torchsummary")?;
    let below = lines.get(at + 1..).unwrap_or_default();
    let mut rows = Vec::new();
    let mut begun = false;
    for (number, line) in (at + 2..).zip(below) {
        let line = line.trim();
        if line.starts_with("===") {
            if std::mem::replace(&mut begun, true) {
                break;
            }
            continue;
        }
        if line.is_empty() {
            continue;
        }
        if rows.len() > MOST_LAYERS {
            return Err(format!("line {number}: more than {MOST_LAYERS} layers"));
        }
        rows.push(row(line).map_err(|problem| format!("line {number}: {problem}"))?);
    }
    // The table has the batch only if summary() was given one.
    let (batch, _) = table::batch(rows.iter().flat_map(|(_, shapes, _)| shapes));
    let input = table::labelled(below, "Input size").and_then(|(size, _)| table::elements_of_megabytes(size, MEGABYTE));
    let input = input.map(|elements| elements / batch);
    let (mut layers, mut modules): (Vec<Layer>, BTreeMap<String, usize>) = (Vec::new(), BTreeMap::new());
    let mut above: Option<Vec<Shape>> = None;
    for (name, shapes, parameters) in rows {
        let operator = Operator::of_torch(name.rsplit_once('-').map_or(name, |(type_name, _)| type_name));
        if parameters == 0 && matches!(operator, Operator::Other(_)) {
            *modules.entry(operator.name().to_owned()).or_default() += 1;
            above = Some(shapes);
            continue;
        }
        let first = if layers.is_empty() { input } else { None };
        let sizes =
            [above.as_ref().and_then(|shapes| table::size(shapes, batch)).or(first), table::size(&shapes, batch)];
        let declared = TableLayer {
            input: above.as_ref().and_then(|shapes| shapes.first()),
            output: shapes.first(),
            parameters: Some(parameters),
            channels_first: true,
            ..TableLayer::default()
        };
        let steps = declared.steps(&operator, sizes);
        layers.push(Layer::new(name, operator, sizes, Some(parameters), steps));
        above = Some(shapes);
    }
    if layers.is_empty() {
        return Err(format!("line {}: no layer below the column names", at + 1));
    }
    let mut notes = vec![
        "torchsummary has no inputs and no windows of layers: the input of every layer is taken as the output of the layer above, and \
         function calls (torch.cat, F.relu, x + y) are not in the table; torchinfo with \
         col_names=(\"input_size\", \"output_size\", \"num_params\", \"kernel_size\") has them"
            .to_owned(),
    ];
    if batch > 1 {
        notes.push(format!("the first dimension, {batch}, is taken as the batch; sizes are of one sample"));
    }
    if !modules.is_empty() {
        let names = first_names(modules.keys().map(String::as_str));
        notes.push(format!("left out, as modules without parameters that are not known layers: {names}"));
    }
    Ok(Network { form: Form::Torchsummary, layers, input, notes })
}

/// Name, output shapes with a batch of 1, and parameters of a line.
fn row(line: &str) -> Result<(&str, Vec<Shape>, u64), String> {
    let (name, rest) = line
        .split_once(char::is_whitespace)
        .ok_or_else(|| format!("{}; expected a layer, its output shape and its parameters", shown(line)))?;
    let (shape, parameters) = rest.trim().rsplit_once(char::is_whitespace).unwrap_or((rest, ""));
    let parameters = table::count(parameters)
        .ok_or_else(|| format!("Param # is {}; expected a number", shown(parameters.trim())))?;
    // −1 stands for the batch.
    let shapes = table::shapes(&shape.replace("-1", "1")).ok_or_else(|| {
        format!("Output Shape is {}; expected a list such as [-1, 64, 112, 112]", shown(shape.trim()))
    })?;
    Ok((name, shapes, parameters))
}
