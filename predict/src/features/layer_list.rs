//! A layer list as CSV: the form to write by hand, or to generate from other data.
//!
//! Columns `operator` and `input_size` (input elements of the layer, for one sample); optionally `name`, `output_size`,
//! `parameters` and `flops` (operations for one sample).

use std::path::Path;

use super::network::{Form, Layer, Network, shown};
use super::operator::Operator;
use super::{MOST_LAYERS, NetworkError, read_text};

/// Columns; the first two are required.
const COLUMNS: [&str; 6] = ["operator", "input_size", "name", "output_size", "parameters", "flops"];
/// Largest size: beyond it a feature cannot represent every whole number.
const LARGEST: u64 = 1 << 53;

/// The network of a layer list.
///
/// # Errors
/// [`NetworkError`]: unreadable, missing columns, or a field that is not a size.
pub fn read(path: &Path) -> Result<Network, NetworkError> {
    read_text(path, of_text)
}

/// Whether a line is the header of a layer list.
pub(crate) fn is_header(line: &str) -> bool {
    let names: Vec<String> = line.split(',').map(column).collect();
    COLUMNS[..2].iter().any(|column| names.iter().any(|name| name == column))
}

/// A normalised column name.
fn column(name: &str) -> String {
    name.trim().trim_matches('"').trim().to_ascii_lowercase().replace(' ', "_")
}

/// The network of the text of a layer list; otherwise what is wrong, and where.
pub(crate) fn of_text(text: &str) -> Result<Network, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header: Vec<String> = reader.headers().map_err(|error| error.to_string())?.iter().map(column).collect();
    let place = |name: &str| header.iter().position(|column| column == name);
    if let Some(absent) = COLUMNS[..2].iter().find(|name| place(name).is_none()) {
        let found = shown(&header.join(","));
        return Err(format!(
            "line 1: no column “{absent}” in {found}; expected operator,input_size, optionally name, output_size, parameters, flops"
        ));
    }
    let places = COLUMNS.map(place);
    let mut layers = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| explained(&error))? {
        let line = record.position().map_or(0, csv::Position::line);
        if layers.len() == MOST_LAYERS {
            return Err(format!("line {line}: more than {MOST_LAYERS} layers"));
        }
        let field = |column: usize| places[column].and_then(|place| record.get(place)).unwrap_or_default();
        let size = |column: usize| {
            size(field(column)).map_err(|problem| format!("line {line}, column {}: {problem}", COLUMNS[column]))
        };
        if field(0).is_empty() {
            return Err(format!("line {line}, column operator: empty; expected a type such as Conv2D"));
        }
        let operator = Operator::named(field(0));
        let input = size(1)?.ok_or_else(|| {
            format!("line {line}, column input_size: empty; expected the number of input elements of the layer")
        })?;
        let (output, parameters) = (size(3)?, size(4)?);
        let name =
            if field(2).is_empty() { format!("{} of line {line}", operator.name()) } else { field(2).to_owned() };
        let steps = steps(&operator, input, output, parameters);
        let mut layer = Layer::new(name, operator, [Some(input), output], parameters, steps);
        if let Some(flops) = size(5)? {
            layer.flops = Some(flops);
        }
        layers.push(layer);
    }
    if layers.is_empty() {
        return Err("no layer; expected a line for each below the header".to_owned());
    }
    let mut notes = Vec::new();
    let left_out: Vec<&str> = header.iter().map(String::as_str).filter(|name| !COLUMNS.contains(name)).collect();
    if !left_out.is_empty() {
        notes.push(format!("columns left out: {}", super::network::first_names(left_out)));
    }
    Ok(Network { form: Form::LayerList, layers, input: None, notes })
}

/// Multiply-adds that follow from sizes alone: those of a dense matrix.
fn steps(operator: &Operator, input: u64, output: Option<u64>, parameters: Option<u64>) -> Option<u64> {
    let products = input.checked_mul(output?)?;
    let weights = parameters?;
    let is_full = weights == products || weights == products.checked_add(output?)?;
    (*operator == Operator::MatMul && is_full).then_some(products)
}

/// A size; `None` for an empty field.
fn size(text: &str) -> Result<Option<u64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let size = text.parse::<u64>().ok().filter(|size| *size <= LARGEST);
    size.map(Some).ok_or_else(|| format!("{}; expected a whole number from 0 to {LARGEST}", shown(text)))
}

fn explained(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line}: number of fields: {len}; expected {expected_len}, as many as the header has")
        }
        _ => error.to_string(),
    }
}
