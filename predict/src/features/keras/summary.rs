//! The table of `model.summary()`: ruled by underscores in Keras 2, boxed in Keras 3.
//!
//! It has neither windows nor activations of layers, and truncates long names.

use std::collections::BTreeMap;

use super::super::MOST_LAYERS;
use super::super::network::{Form, Layer, Network, first_names, shown};
use super::super::operator::Operator;
use super::super::shape::Shape;
use super::super::table::{self, TableLayer};

/// Columns that are read; others may follow.
const COLUMNS: [&str; 4] = ["Layer (type", "Output Shape", "Param", "Connected to"];
/// Models within a model.
const MODELS: [&str; 3] = ["Sequential", "Functional", "Model"];

/// A row with its cells in the order of [`COLUMNS`], and the line where it begins.
struct Row {
    line: usize,
    cells: [String; 4],
    /// Whether it belongs to the model above.
    is_within: bool,
}

/// The network of the text of a table; otherwise what is wrong, and where.
pub(in super::super) fn of_text(text: &str) -> Result<Network, String> {
    let lines: Vec<&str> = text.lines().collect();
    let at = table::header(&lines).ok_or("no header line “Layer (type)”; expected Keras' summary")?;
    if !lines[at].contains("Output Shape") || !lines[at].contains("Param") {
        return Err(format!(
            "line {}: expected the columns Layer (type), Output Shape and Param #; if the table is truncated at the right, print it \
             narrower, or use model.to_json()",
            at + 1
        ));
    }
    let is_boxed = lines[at].contains(['┃', '│']) || lines[at].trim_start().starts_with('|');
    let rows = if is_boxed { boxed(&lines, at) } else { ruled(&lines, at) };
    if rows.len() > MOST_LAYERS {
        return Err(format!("more than {MOST_LAYERS} layers"));
    }
    // Some versions leave the column empty.
    let is_connected = rows.iter().any(|row| !row.cells[3].trim().is_empty());
    let mut network = network(&rows, lines[at].contains("Connected to") && is_connected)?;
    table::set_parameter_bits(&mut network, lines.get(at + 1..).unwrap_or_default());
    Ok(network)
}

/// Rows of a table in boxes: cells between lines, rows between rules.
fn boxed(lines: &[&str], at: usize) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut is_new = true;
    for (number, line) in lines.iter().enumerate().skip(at + 1) {
        let line = line.trim();
        if !line.starts_with(['│', '┃', '|']) {
            if line.starts_with(['└', '╰']) || line.starts_with("Total params") {
                break;
            }
            is_new = true;
            continue;
        }
        let cells: Vec<&str> = line.trim_matches(['│', '┃', '|']).split(['│', '┃', '|']).collect();
        if std::mem::take(&mut is_new) {
            let is_within = cells.first().is_some_and(|cell| cell.trim_start().starts_with('└'));
            rows.push(Row { line: number + 1, cells: Default::default(), is_within });
        }
        let Some(row) = rows.last_mut() else { continue };
        for (whole, part) in row.cells.iter_mut().zip(cells) {
            whole.push(' ');
            whole.push_str(part.trim().trim_start_matches('└').trim());
        }
    }
    rows
}

/// Rows of a table with columns at fixed places. A row begins where there is a number of parameters.
fn ruled(lines: &[&str], at: usize) -> Vec<Row> {
    let starts = COLUMNS.map(|name| lines[at].find(name).map(|byte| lines[at][..byte].chars().count()));
    let mut rows: Vec<Row> = Vec::new();
    for (number, line) in lines.iter().enumerate().skip(at + 1) {
        let is_rule = line.trim().starts_with("___") || line.trim().starts_with("===") || line.contains("¯¯¯");
        if line.trim().starts_with("Total params") {
            break;
        }
        if is_rule || line.trim().is_empty() {
            continue;
        }
        let letters: Vec<char> = line.chars().collect();
        let mut cells: [String; 4] = Default::default();
        for (place, cell) in cells.iter_mut().enumerate() {
            let Some(start) = starts[place] else { continue };
            let start = if place == 0 { 0 } else { start };
            let end = starts[place + 1..].iter().flatten().next().copied().unwrap_or(usize::MAX).min(letters.len());
            let part: String = letters.get(start..end).unwrap_or_default().iter().collect();
            part.trim_matches([' ', '|']).clone_into(cell);
        }
        if cells[2].chars().any(|letter| letter.is_ascii_digit()) {
            rows.push(Row { line: number + 1, cells, is_within: line.starts_with('|') });
        } else if let Some(row) = rows.last_mut() {
            row.cells.iter_mut().zip(cells).for_each(|(whole, part)| whole.push_str(&part));
        }
    }
    rows
}

fn network(rows: &[Row], is_connected: bool) -> Result<Network, String> {
    let mut layers = Vec::new();
    let mut given: BTreeMap<String, Vec<Shape>> = BTreeMap::new();
    let mut above: Option<(String, Vec<Shape>)> = None;
    let (mut input, mut unresolved, mut completed): (Option<u64>, Vec<String>, Vec<String>) =
        (None, Vec::new(), Vec::new());
    let (mut cut, mut nested): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (place, row) in rows.iter().enumerate() {
        let [title, shape, parameters, connected] = &row.cells;
        let (name, type_name) = title_of(title);
        if parameters.contains("unbuilt") {
            return Err(format!(
                "line {}: the model is not built, so layer {} has no shape and no parameters; call model.build(input_shape), or the \
                 model on a batch, before model.summary()",
                row.line,
                shown(&name)
            ));
        }
        let parameters = table::count(parameters.trim())
            .ok_or_else(|| format!("line {}: Param # is {}; expected a number", row.line, shown(parameters.trim())))?;
        let output = table::shapes(shape).map(|shapes| shapes.into_iter().map(one_sample).collect::<Vec<_>>());
        if output.is_none() && shape.trim_start().starts_with(['(', '[']) {
            cut.push(name.clone());
        }
        if MODELS.contains(&type_name.as_str())
            && rows.get(place + 1).is_some_and(|next| next.is_within && !row.is_within)
        {
            // Its own layers follow.
            if let Some(output) = output {
                given.insert(name, output);
            }
            continue;
        }
        if type_name == "InputLayer" {
            let size = output.as_ref().and_then(|shapes| table::size(shapes, 1));
            input = Some(input.unwrap_or(0)).zip(size).and_then(|(sum, size)| sum.checked_add(size));
        } else {
            let taken = if is_connected && !row.is_within {
                let taken = connections(connected, &given, above.as_ref());
                if taken.as_ref().is_some_and(|(_, was_cut)| *was_cut) {
                    completed.push(name.clone());
                }
                taken.map(|(shapes, _)| shapes)
            } else {
                above.as_ref().map(|(_, shapes)| shapes.clone())
            };
            if taken.is_none() {
                unresolved.push(name.clone());
            }
            let sizes = [&taken, &output].map(|shapes| shapes.as_ref().and_then(|shapes| table::size(shapes, 1)));
            if MODELS.contains(&type_name.as_str()) {
                nested.push(name.clone());
            }
            let operator = operator(&name, &type_name);
            let declared = TableLayer {
                input: taken.as_ref().and_then(|shapes| shapes.first()),
                output: output.as_ref().and_then(|shapes| shapes.first()),
                parameters: Some(parameters),
                is_separable: type_name.starts_with("Separable"),
                ..TableLayer::default()
            };
            let steps = declared.steps(&operator, sizes);
            layers.push(Layer::new(name.clone(), operator, sizes, Some(parameters), steps));
        }
        above = output.clone().map(|output| (name.clone(), output));
        if let Some(output) = output {
            given.insert(name, output);
        }
    }
    if layers.is_empty() {
        return Err("no layer below the column names; expected a row for each".to_owned());
    }
    let mut notes =
        vec!["the summary of Keras has no windows and no activations of layers; model.to_json() has them".to_owned()];
    if !is_connected {
        notes.push(
            "the input of every layer is taken as the output of the layer above, as there is no column “Connected to”, or an empty one"
                .to_owned(),
        );
    }
    if !completed.is_empty() {
        let names = first_names(completed.iter().map(String::as_str));
        notes.push(format!(
            "truncated names in “Connected to” are taken as the layer just above; model.to_json() has full names: {names}"
        ));
    }
    if !nested.is_empty() {
        let names = first_names(nested.iter().map(String::as_str));
        notes.push(format!(
            "the layers of these models are not in the table; print them with model.summary(expand_nested=True), or use model.to_json(): \
             {names}"
        ));
    }
    if !cut.is_empty() {
        let names = first_names(cut.iter().map(String::as_str));
        notes.push(format!(
            "the column Output Shape is truncated, so the sizes of these layers are not known; print the table with \
             model.summary(line_length=150), or use model.to_json(): {names}"
        ));
    }
    if !unresolved.is_empty() {
        let names = first_names(unresolved.iter().map(String::as_str));
        notes.push(format!("the summary does not have the inputs of these layers: {names}"));
    }
    let input = input.or_else(|| layers.first().and_then(|layer| layer.input_size));
    Ok(Network { form: Form::KerasSummary, layers, input, notes })
}

/// A shape with a batch of 1.
fn one_sample(mut shape: Shape) -> Shape {
    if let Some(batch) = shape.first_mut() {
        *batch = Some(1);
    }
    shape
}

/// Name and type of `conv2d (Conv2D)`.
fn title_of(title: &str) -> (String, String) {
    let (name, type_name) = title.split_once('(').unwrap_or((title, ""));
    (name.trim().to_owned(), type_name.trim().trim_end_matches(')').trim().to_owned())
}

/// The operator of a type; if that is truncated, of all types that begin so, or of the name that Keras derives from it. An activation
/// is known by the end of its name alone, as in `conv1_relu`.
fn operator(name: &str, type_name: &str) -> Operator {
    let is_known = |operator: &Operator| !matches!(operator, Operator::Other(_));
    if type_name == "Activation" {
        let own = Operator::named(name.rsplit(['_', '/']).next().unwrap_or_default());
        return if is_known(&own) { own } else { Operator::named(type_name) };
    }
    let whole = Some(Operator::named(type_name)).filter(is_known);
    let begun = || type_name.split_once('…').and_then(|(begun, _)| Operator::of_beginning(begun));
    let derived = || Operator::named(name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '_'));
    whole
        .or_else(begun)
        .or_else(|| Some(derived()).filter(is_known))
        .unwrap_or_else(|| Operator::Other(type_name.trim_end_matches('…').to_owned()))
}

/// The shapes of `conv2d[0][0], add[0][0]`, and whether an ambiguous name was completed. A truncated name means the layer just
/// above if that begins with it, otherwise the only layer that does.
fn connections(
    text: &str,
    given: &BTreeMap<String, Vec<Shape>>,
    above: Option<&(String, Vec<Shape>)>,
) -> Option<(Vec<Shape>, bool)> {
    let (mut shapes, mut was_cut) = (Vec::new(), false);
    for part in text.split([',', '\'', ' ']).flat_map(|part| part.split_inclusive("][0]")) {
        let is_cut = part.contains('…') && !part.contains('[');
        let name = part.split('[').next().unwrap_or_default().trim_end_matches('…').trim();
        if name.is_empty() || name == "]" || name == "-" {
            continue;
        }
        if !is_cut && given.contains_key(name) {
            shapes.extend(given.get(name)?.iter().cloned());
            continue;
        }
        let mut begun = given.range(name.to_owned()..).take_while(|(known, _)| known.starts_with(name));
        let first = begun.next();
        let is_only = begun.next().is_none();
        let is_above = |known: &str| {
            let known = known.trim_end_matches('…');
            known.starts_with(name) || name.starts_with(known)
        };
        match (above.filter(|(known, _)| is_above(known)), first) {
            (_, Some((_, found))) if is_only => shapes.extend(found.iter().cloned()),
            (Some((_, found)), _) => {
                was_cut = true;
                shapes.extend(found.iter().cloned());
            }
            _ => return None,
        }
    }
    (!shapes.is_empty()).then_some((shapes, was_cut))
}
