//! Runs of `GPUMemNet`, each with a list of layers. <https://github.com/itu-rad/GPUMemNet>

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use csv::StringRecord;

use super::dataset::{Dataset, ONLY_DEVICE, Row, Target};
use super::error::TrainError;
use super::table::{LARGEST, MOST_CHARACTERS, Table, number, shown};

const LAYERS: &str = "Activations-Params";
const BATCH: &str = "Batch Size";
const DEPTH: &str = "Depth";
const MEMORY: &str = "Max GPU Memory (MiB)";
const COMPUTE: &str = "Avg GPUTL";
/// Most layers of a network.
const MOST_LAYERS: usize = 100_000;
/// Most operator types of a table; its networks have up to seven.
const MOST_TYPES: usize = 64;

/// Sizes of one operator type of a network.
#[derive(Clone, Copy, Default)]
struct OfType {
    activations: f64,
    parameters: f64,
}

struct Run {
    types: BTreeMap<String, OfType>,
    /// Activations in all layers, parameters in all layers, activations of the first and of the last.
    sums: [f64; 4],
    batch: f64,
    depth: f64,
    value: f64,
}

/// Whether a table is of this form.
pub(super) fn is_such(table: &Table<'_>) -> bool {
    [LAYERS, BATCH, DEPTH].iter().all(|column| table.place(column).is_some())
}

/// The runs of a table. Features: for each operator type the largest activations and parameters of a layer, and sums of the
/// network. The tables have no times.
pub(super) fn read(table: &Table<'_>, path: &Path, target: Target) -> Result<Dataset, TrainError> {
    let (column, unit, most) = match target {
        Target::Compute => (COMPUTE, "%", 100.0),
        Target::Memory => (MEMORY, "MiB", 1e9),
        Target::Time => {
            let problem = "a table of GPUMemNet has no execution times; predict utilisation or memory, or use a table \
                           with a column “seconds”";
            return Err(TrainError::unusable(path, problem));
        }
    };
    let Some(value_place) = table.place(column) else {
        let problem = format!("line 1: a table of GPUMemNet without its column “{column}”, the target");
        return Err(TrainError::unusable(path, problem));
    };
    let [layers, batch, depth] = [LAYERS, BATCH, DEPTH].map(|column| table.place(column).unwrap_or(usize::MAX));
    let mut types = BTreeSet::new();
    let rows = table.rows(|record: &StringRecord| {
        let mut run = network(record.get(layers).unwrap_or_default())?;
        run.batch = number(BATCH, record.get(batch), 1.0..=LARGEST)?;
        run.depth = number(DEPTH, record.get(depth), 0.0..=LARGEST)?;
        run.value = number(column, record.get(value_place), 0.0..=most)?;
        for name in run.types.keys() {
            if types.len() == MOST_TYPES && !types.contains(name) {
                return Err(format!("operator type “{}”: more than {MOST_TYPES} types", shown(name)));
            }
            types.insert(name.clone());
        }
        Ok(run)
    })?;
    let per_type = ["largest activations", "largest parameters"];
    let mut features: Vec<String> =
        types.iter().flat_map(|name| per_type.map(|what| format!("{what}: {name}"))).collect();
    let of_network =
        ["total activations", "total parameters", "first activations", "last activations", "batch", "depth"];
    features.extend(of_network.map(str::to_owned));
    let list = rows.usable.into_iter().map(|run| {
        let of_type = |name: &String| run.types.get(name).copied().unwrap_or_default();
        let mut values: Vec<f64> = types.iter().map(of_type).flat_map(|of| [of.activations, of.parameters]).collect();
        values.extend(run.sums);
        values.extend([run.batch, run.depth]);
        Row { features: values, device: 0, value: run.value }
    });
    Ok(Dataset {
        source: String::new(),
        digest: String::new(),
        target,
        unit: unit.to_owned(),
        features,
        devices: vec![ONLY_DEVICE.to_owned()],
        rows: list.collect(),
        left_out: rows.left_out,
        notes: rows.note.into_iter().collect(),
    })
}

/// The layers of a network: `[('linear', 629, 792540), ('ReLU', 629, 0)]`, each with type, activations and parameters.
fn network(cell: &str) -> Result<Run, String> {
    let problem = |layer: usize| {
        format!(
            "column “{LAYERS}”, layer {layer} in “{}”; expected [('linear', 629, 792540), …]: type, activations, parameters",
            shown(cell)
        )
    };
    let inner = cell.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or_else(|| problem(1))?;
    let mut run = Run { types: BTreeMap::new(), sums: [0.0; 4], batch: 0.0, depth: 0.0, value: 0.0 };
    let mut count = 0;
    for layer in inner.split('(').skip(1) {
        count += 1;
        if count > MOST_LAYERS {
            return Err(format!("column “{LAYERS}”: more than {MOST_LAYERS} layers"));
        }
        let read = || -> Option<(String, [f64; 2])> {
            let (layer, _) = layer.split_once(')')?;
            let (rest, parameters) = layer.rsplit_once(',')?;
            let (name, activations) = rest.rsplit_once(',')?;
            let name = name.trim().trim_matches(['\'', '"']);
            let size = |text: &str| text.trim().parse::<f64>().ok().filter(|size| (0.0..=LARGEST).contains(size));
            (1..=MOST_CHARACTERS)
                .contains(&name.chars().count())
                .then_some((name.to_owned(), [size(activations)?, size(parameters)?]))
        };
        let (name, [activations, parameters]) = read().ok_or_else(|| problem(count))?;
        let of = run.types.entry(name).or_default();
        of.activations = of.activations.max(activations);
        of.parameters = of.parameters.max(parameters);
        let [all, parameters_of_all, first, last] = &mut run.sums;
        *all = (*all + activations).min(LARGEST);
        *parameters_of_all = (*parameters_of_all + parameters).min(LARGEST);
        if count == 1 {
            *first = activations;
        }
        *last = activations;
    }
    if count == 0 { Err(problem(1)) } else { Ok(run) }
}
