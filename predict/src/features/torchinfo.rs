//! The table that torchinfo prints of a `PyTorch` network (<https://github.com/TylerYep/torchinfo>), saved as text: a line
//! per module, nested modules indented, columns as selected.
//!
//! Layers are the modules without nested ones. Function calls of a network (`torch.cat`, `F.relu`, `x + y`) are not in the
//! table.

use std::path::Path;

use super::network::{Form, Layer, Network, first_names, shown};
use super::operator::Operator;
use super::shape::Shape;
use super::table::{self, TableLayer};
use super::{MOST_LAYERS, NetworkError, read_text};

/// Possible columns.
const COLUMNS: [&str; 8] =
    ["Input Shape", "Output Shape", "Param #", "Kernel Shape", "Groups", "Mult-Adds", "Param %", "Trainable"];

/// The network of a table.
///
/// # Errors
/// [`NetworkError`]: unreadable, or not such a table.
pub fn read(path: &Path) -> Result<Network, NetworkError> {
    read_text(path, of_text)
}

/// A line of the table.
struct Row {
    /// Number of enclosing modules.
    depth: usize,
    name: String,
    type_name: String,
    input: Option<Vec<Shape>>,
    output: Option<Vec<Shape>>,
    parameters: Option<u64>,
    kernel: Option<Vec<u64>>,
    groups: Option<u64>,
}

/// The network of the text of a table; otherwise what is wrong, and where.
pub(super) fn of_text(text: &str) -> Result<Network, String> {
    let lines: Vec<&str> = text.lines().collect();
    let at = table::header(&lines).ok_or("no header line “Layer (type…”; expected torchinfo's table")?;
    let mut columns: Vec<(usize, &str)> = COLUMNS
        .iter()
        .filter_map(|name| lines[at].find(name).map(|byte| (lines[at][..byte].chars().count(), *name)))
        .collect();
    columns.sort_unstable();
    let place = |name: &str| columns.iter().position(|(_, column)| *column == name);
    if place("Output Shape").is_none() {
        return Err(format!(
            "line {}: no column Output Shape; print it with summary(…, input_size=…, col_names=(\"input_size\", \"output_size\", \
             \"num_params\", \"kernel_size\"), depth=10)",
            at + 1
        ));
    }
    let width = columns.first().map_or(0, |(start, _)| *start);
    let mut rows = Vec::new();
    let mut ended = false;
    for (number, line) in lines.iter().enumerate().skip(at + 1) {
        if line.trim_start().starts_with("===") {
            if rows.is_empty() {
                continue;
            }
            ended = true;
            break;
        }
        if let Some(row) =
            row(line, width, columns.len(), &place).map_err(|problem| format!("line {}: {problem}", number + 1))?
        {
            rows.push(row);
        }
        if rows.len() > MOST_LAYERS {
            return Err(format!("line {}: more than {MOST_LAYERS} layers", number + 1));
        }
    }
    if rows.is_empty() {
        return Err(format!("line {}: no layer below the column names", at + 1));
    }
    let mut notes =
        vec!["function calls of the network (torch.cat, F.relu, x + y) are not in the table of torchinfo".to_owned()];
    if !ended {
        notes.push("the end of the table is missing; it may be truncated".to_owned());
    }
    Ok(network(&rows, place("Input Shape").is_some(), notes))
}

/// A row of the table. Lines of single weights have fewer values; they belong to the module above.
fn row(
    line: &str,
    width: usize,
    columns: usize,
    place: &impl Fn(&str) -> Option<usize>,
) -> Result<Option<Row>, String> {
    let title: String = line.chars().take(width).collect();
    let indent = title.chars().take_while(|letter| " │├└─|+".contains(*letter)).count();
    let name: String = title.chars().skip(indent).collect();
    let name = name.trim();
    if name.is_empty() {
        return Ok(None);
    }
    let rest: String = line.chars().skip(width).collect();
    let cells = cells(&rest);
    if cells.len() < columns {
        return Ok(None);
    }
    if cells.len() > columns {
        return Err(format!("{} values; expected {columns}, as many as the columns above", cells.len()));
    }
    let cell = |name: &str| place(name).and_then(|place| cells.get(place)).map_or("--", String::as_str);
    let parameters = match cell("Param #") {
        _ if place("Param #").is_none() => None,
        // Parameters of a repeated module are counted at its first run.
        "--" | "(recursive)" => Some(0),
        written => Some(
            table::count(written)
                .ok_or_else(|| format!("Param # is {}; expected a number, -- or (recursive)", shown(written)))?,
        ),
    };
    let kernel = cell("Kernel Shape");
    let kernel = table::count(kernel)
        .map(|size| vec![size])
        .or_else(|| table::shapes(kernel)?.first()?.iter().copied().collect::<Option<Vec<u64>>>());
    let type_name = name.split([' ', ':']).next().unwrap_or_default().to_owned();
    Ok(Some(Row {
        depth: (indent + 3) / 5,
        name: name.to_owned(),
        type_name,
        input: table::shapes(cell("Input Shape")),
        output: table::shapes(cell("Output Shape")),
        parameters,
        kernel,
        groups: table::count(cell("Groups")),
    }))
}

/// Values of a line, separated by spaces outside brackets.
fn cells(line: &str) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    let (mut depth, mut is_new) = (0_usize, true);
    for letter in line.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter.is_whitespace() && depth == 0 {
            is_new = true;
            continue;
        }
        if std::mem::take(&mut is_new) {
            cells.push(String::new());
        }
        if let Some(cell) = cells.last_mut() {
            cell.push(letter);
        }
    }
    cells
}

fn network(rows: &[Row], has_inputs: bool, mut notes: Vec<String>) -> Network {
    let is_leaf = |place: usize| rows.get(place + 1).is_none_or(|next| next.depth <= rows[place].depth);
    let leaves: Vec<&Row> = (0..rows.len()).filter(|place| is_leaf(*place)).map(|place| &rows[place]).collect();
    let mut declared = rows.iter().flat_map(|row| row.input.iter().chain(&row.output)).flatten();
    let batch =
        declared.find(|shape| shape.len() > 1).and_then(|shape| shape[0]).filter(|batch| *batch > 0).unwrap_or(1);
    let mut others = leaves.iter().flat_map(|row| row.input.iter().chain(&row.output)).flatten();
    let fits = others.all(|shape| shape.first().copied().flatten().is_none_or(|first| first.is_multiple_of(batch)));
    let batch = if fits { batch } else { 1 };
    if batch > 1 {
        notes.push(format!("the first dimension, {batch}, is taken as the batch; sizes are of one sample"));
    } else if !fits {
        notes.push("the first dimensions differ, so sizes are of the whole batch".to_owned());
    }
    if !has_inputs {
        notes.push(
            "without the column Input Shape the input of every layer is taken as the output of the layer above; print the \
             column with col_names=(\"input_size\", \"output_size\", \"num_params\", \"kernel_size\")"
                .to_owned(),
        );
    }
    let mut above: Option<&Vec<Shape>> = None;
    let mut not_run = Vec::new();
    let mut layers = Vec::new();
    for row in leaves {
        if row.output.is_none() && row.input.is_none() {
            not_run.push(row.name.as_str());
            continue;
        }
        let input = if has_inputs { row.input.as_ref() } else { above };
        let sizes = [input, row.output.as_ref()].map(|shapes| shapes.and_then(|shapes| table::size(shapes, batch)));
        let operator = Operator::named(&row.type_name);
        let declared = TableLayer {
            input: input.and_then(|shapes| shapes.first()),
            output: row.output.as_ref().and_then(|shapes| shapes.first()),
            parameters: row.parameters,
            kernel: row.kernel.as_deref(),
            groups: row.groups,
            is_split: false,
            channels_first: true,
        };
        let steps = declared.steps(&operator, sizes);
        layers.push(Layer::new(row.name.clone(), operator, sizes, row.parameters, steps));
        above = row.output.as_ref();
    }
    if !not_run.is_empty() {
        notes.push(format!("left out, as the table has no shapes for them: {}", first_names(not_run)));
    }
    let whole = rows.first().filter(|row| row.depth == 0).and_then(|row| row.input.as_deref());
    let input = whole.and_then(|shapes| table::size(shapes, batch));
    let input = input.or_else(|| layers.first().and_then(|layer| layer.input_size));
    Network { form: Form::Torchinfo, layers, input, notes }
}
