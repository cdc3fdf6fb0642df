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

/// Multiply-adds of the table and of its layers count as equal within this share: torchinfo counts biases too.
const DIFFERENCE: f64 = 0.03;

/// A total of multiply-adds below this share of what follows from the parameters is not used.
const LEAST_TOTAL: f64 = 0.5;

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

/// Positions of an output at which parameters are used: places of an image, or tokens of a text. Channels of an image are first, or
/// last if the other two sizes are equal as those of a square.
fn positions(shape: Option<&Shape>) -> f64 {
    let sizes = match shape.map(Vec::as_slice) {
        Some([_, places @ .., channels]) if places.len() == 2 && places[0] == places[1] && places[1] != *channels => {
            places
        }
        Some([_, _, places @ ..]) if places.len() > 1 => places,
        Some([_, tokens, _]) => std::slice::from_ref(tokens),
        _ => &[],
    };
    sizes.iter().map(|size| size.unwrap_or(1) as f64).product()
}

/// Multiply-adds of the products of queries with keys and of weights with values in a transformer block, which has 12 · width² +
/// 13 · width parameters: four projections, two layers of four times the width, two normalisations. 0 for another module.
fn attention_products(parameters: u64, shape: Option<&Shape>) -> f64 {
    /// Blocks without some biases count too.
    const DIFFERENCE: f64 = 0.01;
    let Some([_, Some(tokens), Some(width)]) = shape.map(Vec::as_slice) else { return 0.0 };
    let (tokens, width) = (*tokens as f64, *width as f64);
    let is_block = (parameters as f64 / (12.0 * width * width + 13.0 * width) - 1.0).abs() < DIFFERENCE;
    if is_block { 2.0 * tokens * tokens * width } else { 0.0 }
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
    let below = lines.get(at + 1..).unwrap_or_default();
    let totals = Totals {
        multiply_adds: multiply_adds(below),
        input: table::labelled(below, "Input size").map(|(size, _)| size),
        parameters: table::labelled(below, "Total params").map(|(count, _)| count),
    };
    let mut network = network(&rows, place("Input Shape").is_some(), &totals, notes);
    table::set_parameter_bits(&mut network, below);
    Ok(network)
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

/// Numbers below the table, of the whole batch.
struct Totals {
    /// Multiply-adds.
    multiply_adds: Option<f64>,
    /// Megabytes of the input.
    input: Option<f64>,
    /// Parameters.
    parameters: Option<f64>,
}

/// Multiply-adds as `Total mult-adds (M): 10.42`, or `(Units.MEGABYTES)` in version 1.8.
fn multiply_adds(lines: &[&str]) -> Option<f64> {
    let (value, unit) = table::labelled(lines, "Total mult-adds")?;
    let factor = match unit.trim_start_matches("Units.").chars().next() {
        None => 1.0,
        Some('K') => 1e3,
        Some('M') => 1e6,
        Some('G') => 1e9,
        Some('T') => 1e12,
        Some(_) => return None,
    };
    Some(value * factor)
}

/// A module whose layers are not in the table.
struct Module {
    /// Place in the list of layers.
    place: usize,
    /// Its parameters times the positions of its output.
    weight: f64,
    /// Whether it is one of images, for which torchinfo counts so too.
    is_of_images: bool,
}

/// Counts modules whose layers are not in the table by their parameters, each used once for every position of the output. Those of
/// images get what is left of the multiply-adds of the whole network instead, in these proportions. Without such modules compares
/// the two sums.
fn count_modules(layers: &mut [Layer], modules: &[Module], total: Option<f64>, notes: &mut Vec<String>) {
    let millions = |count: f64| format!("{:.4} million", count / 1e6);
    let known: f64 = layers.iter().filter_map(Layer::multiply_adds).map(|count| count as f64).sum();
    let total = total.filter(|total| *total > 0.0);
    if modules.is_empty() {
        if let Some(total) = total.filter(|total| (known / total - 1.0).abs() > DIFFERENCE) {
            notes.push(format!(
                "the table counts {} multiply-adds for a sample, and its layers add up to {}: torchinfo counts a linear layer once for \
                 a sample, whatever its positions",
                millions(total),
                millions(known)
            ));
        }
        return;
    }
    let of_images = || modules.iter().filter(|module| module.is_of_images).map(|module| module.weight).sum::<f64>();
    let others = modules.iter().filter(|module| !module.is_of_images).map(|module| module.weight).sum::<f64>();
    // torchinfo counts a linear layer once for a sample, whatever its positions: such a total is far too small.
    let least = LEAST_TOTAL * (known + others + of_images());
    let rest = total.filter(|total| *total > least && of_images() > 0.0);
    let rest = rest.map(|total| total - known - others).filter(|rest| *rest > 0.0);
    let factor = rest.map_or(1.0, |rest| rest / of_images());
    for Module { place, weight, is_of_images } in modules {
        let count = if *is_of_images { weight * factor } else { *weight };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded, not negative")]
        let flops = (2.0 * count).min(1e18) as u64;
        layers[*place].flops = Some(flops);
    }
    let names: Vec<&str> = modules.iter().map(|module| layers[module.place].name.as_str()).collect();
    let by = if rest.is_some() { "what is left of “Total mult-adds”" } else { "their parameters" };
    notes.push(format!(
        "the layers of these modules are not in the table; their multiply-adds follow from {by}; print all layers with depth=10: {}",
        first_names(names)
    ));
}

/// Adds the parameters of the total that no layer has: those of modules with layers of their own, and of modules that did not run.
fn add_other_parameters(layers: &mut Vec<Layer>, total: Option<f64>, notes: &mut Vec<String>) {
    let known = layers.iter().filter_map(|layer| layer.parameters).fold(0_u64, u64::saturating_add);
    let Some(others) = total.map(|total| total - known as f64).filter(|others| (1.0..1e18).contains(others)) else {
        return;
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded, not negative")]
    let others = others as u64;
    notes.push(format!("{others} parameters of “Total params” belong to no layer of the table, and take memory only"));
    layers.push(Layer::new("parameters of no layer", Operator::Parameters, [Some(0), Some(0)], Some(others), None));
}

fn network(rows: &[Row], has_inputs: bool, totals: &Totals, mut notes: Vec<String>) -> Network {
    let is_leaf = |place: usize| rows.get(place + 1).is_none_or(|next| next.depth <= rows[place].depth);
    let leaves: Vec<&Row> = (0..rows.len()).filter(|place| is_leaf(*place)).map(|place| &rows[place]).collect();
    let (batch, fits) = table::batch(rows.iter().flat_map(|row| row.input.iter().chain(&row.output)).flatten());
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
    let first_input = totals.input.and_then(|size| table::elements_of_megabytes(size, 1e6)).map(|size| size / batch);
    let mut above: Option<&Vec<Shape>> = None;
    let mut not_run = Vec::new();
    let (mut layers, mut modules): (Vec<Layer>, Vec<Module>) = (Vec::new(), Vec::new());
    let mut transformers = 0_usize;
    for row in leaves {
        if row.output.is_none() && row.input.is_none() {
            not_run.push(row.name.as_str());
            continue;
        }
        let input = if has_inputs { row.input.as_ref() } else { above };
        let mut sizes = [input, row.output.as_ref()].map(|shapes| shapes.and_then(|shapes| table::size(shapes, batch)));
        if layers.is_empty() {
            sizes[0] = sizes[0].or(first_input);
        }
        let operator = Operator::of_torch(&row.type_name);
        let declared = TableLayer {
            input: input.and_then(|shapes| shapes.first()),
            output: row.output.as_ref().and_then(|shapes| shapes.first()),
            parameters: row.parameters,
            kernel: row.kernel.as_deref(),
            groups: row.groups,
            is_separable: false,
            channels_first: true,
        };
        let steps = declared.steps(&operator, sizes);
        if let (Operator::Other(_), Some(parameters @ 1..)) = (&operator, row.parameters) {
            let products = attention_products(parameters, declared.output);
            transformers += usize::from(products > 0.0);
            let weight = parameters as f64 * positions(declared.output) + products;
            let is_of_images = declared.output.is_some_and(|shape| shape.len() > 3);
            modules.push(Module { place: layers.len(), weight, is_of_images });
        }
        layers.push(Layer::new(row.name.clone(), operator, sizes, row.parameters, steps));
        above = row.output.as_ref();
    }
    count_modules(&mut layers, &modules, totals.multiply_adds.map(|total| total / batch as f64), &mut notes);
    if transformers > 0 {
        notes.push(format!(
            "{transformers} modules have the parameters of a transformer block (12 · width² + 13 · width), so their attention products are counted"
        ));
    }
    add_other_parameters(&mut layers, totals.parameters, &mut notes);
    if !not_run.is_empty() {
        notes.push(format!("left out, as the table has no shapes for them: {}", first_names(not_run)));
    }
    let whole = rows.first().filter(|row| row.depth == 0).and_then(|row| row.input.as_deref());
    let input = whole.and_then(|shapes| table::size(shapes, batch));
    let input = input.or_else(|| layers.first().and_then(|layer| layer.input_size));
    Network { form: Form::Torchinfo, layers, input, notes }
}
