//! The operators of a target task, from a list, a query plan, an event log, a network, a profile of kernels or their code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use crossover_measured::probe::Category;
use crossover_measured::probe::library::{Amount, operator};
use crossover_plan::remarks::warnings;
use crossover_plan::{Control, Format, Import, Query};
use crossover_predict::features::{self, Network};
use crossover_probe::build::build;
use crossover_probe::{Input, Probe, Target, TargetOperator};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::text::counted;
use crossover_query::fill::fill;
use crossover_query::{Kind, Plan};
use crossover_study::sources;

use super::kernels;

/// Largest list of operators.
const LARGEST_BYTES: u64 = 4 << 20;

/// A target task.
pub(super) struct Task {
    /// Name.
    pub(super) name: String,
    /// Category, if the form of the file determines it.
    pub(super) category: Option<Category>,
    /// Operators.
    pub(super) operators: Vec<TargetOperator>,
    /// Notes for the user.
    pub(super) notes: Vec<String>,
}

impl Task {
    /// Replaces the operators of a study, with the file as source, and its category if the task has one; centres stay.
    pub(super) fn put(self, study: &mut Probe, file: &str) {
        study.target.category = self.category.or(study.target.category);
        study.operators = self.operators;
        sources::purge(study);
        for of in &study.operators {
            let path = format!("operators.{}.executions", of.name);
            study.sources.insert(path, Provenance::Imported { file: file.to_owned() });
        }
    }
}

/// Reads a target task: of a file of several queries the one with this id, otherwise all of them together.
///
/// # Errors
/// The file cannot be read, has an unknown form, no operator with work or no such query; or the control cancelled it.
pub(super) fn read(path: &Path, query: Option<&str>, control: &Control) -> Result<Task> {
    let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    if is_list(path) {
        let text = crossover_files::read::text(path, LARGEST_BYTES)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let operators = list(&text).with_context(|| path.display().to_string())?;
        return Ok(Task { name, category: None, operators, notes: Vec::new() });
    }
    if kernels::is_code(path) {
        let (operators, notes) = kernels::read_code(path)?;
        return Ok(Task { name, category: None, operators, notes });
    }
    if let Ok(format) = Format::of(path) {
        let import = crossover_plan::read(format, path, control).with_context(|| path.display().to_string())?;
        return of_queries(name, &import, query).with_context(|| path.display().to_string());
    }
    let unknown = match features::read(path) {
        Ok(network) => return Ok(Task { category: Some(Category::Ai), ..of_network(name, &network) }),
        Err(unknown) => unknown,
    };
    if let Ok((operators, notes)) = kernels::read(path) {
        return Ok(Task { name, category: None, operators, notes });
    }
    Err(unknown).with_context(|| {
        format!(
            "{}: unknown form; expected a list of operators (CSV with the columns name and executions), a query plan, a neural network or \
             a profile of kernels",
            path.display()
        )
    })
}

/// Whether a CSV has the columns of a list of operators.
fn is_list(path: &Path) -> bool {
    let Ok(text) = crossover_files::read::text(path, LARGEST_BYTES) else { return false };
    let first = text.lines().next().unwrap_or_default();
    let columns: Vec<String> = first.split(',').map(|column| column.trim().to_lowercase()).collect();
    ["name", "executions"].iter().all(|wanted| columns.iter().any(|column| column == wanted))
}

/// The rows of a list: name, executions, and optionally category, `library_operator` and from (names separated by
/// semicolons).
fn list(text: &str) -> Result<Vec<TargetOperator>> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let titles: Vec<String> = reader.headers()?.iter().map(str::to_lowercase).collect();
    let mut operators: Vec<TargetOperator> = Vec::new();
    for (row, record) in reader.records().enumerate() {
        let record = record?;
        let line = record.position().map_or(row as u64 + 2, csv::Position::line);
        let cell = |wanted: &str| {
            let place = titles.iter().position(|title| title == wanted)?;
            record.get(place).filter(|cell| !cell.is_empty())
        };
        let Some(name) = cell("name") else { continue };
        let executions: Option<f64> = cell("executions").and_then(|cell| cell.parse().ok());
        let Some(executions) = executions.filter(|executions| (1.0..=1e15).contains(executions)) else {
            bail!("line {line}: executions of {name}: expected a number from 1 to 10^15");
        };
        let category = cell("category").map(|cell| {
            let found = Category::ALL.into_iter().find(|category| category.label().eq_ignore_ascii_case(cell));
            found.with_context(|| format!("line {line}: category “{cell}”: expected HPC, AI or data"))
        });
        let from = cell("from").into_iter().flat_map(|cell| cell.split(';'));
        operators.push(TargetOperator {
            name: name.to_owned(),
            executions,
            category: category.transpose()?,
            library_operator: cell("library_operator").unwrap_or_default().to_owned(),
            from: from.map(|name| Input { operator: name.trim().to_owned() }).collect(),
        });
    }
    if operators.is_empty() {
        bail!("no operator found; expected one in each line below the header");
    }
    Ok(operators)
}

/// One query, or all of them: the kinds of operators with their executions.
fn of_queries(file: String, import: &Import, query: Option<&str>) -> Result<Task> {
    let found: Vec<&Query> = import.queries.iter().filter(|found| query.is_none_or(|id| found.id == id)).collect();
    let name = match (&found[..], query) {
        ([], Some(id)) => {
            let ids: Vec<&str> = import.queries.iter().take(20).map(|query| query.id.as_str()).collect();
            let queries = counted(import.queries.len() as f64, "query");
            bail!("{queries}, none with the id {id}; --query takes one of: {}", ids.join(", "));
        }
        ([], None) => bail!("no query found"),
        ([only], _) => only.id.clone(),
        _ if import.application.is_empty() => file,
        _ => import.application.clone(),
    };
    let (operators, estimated) = of_plans(found.iter().map(|query| &*query.plan));
    if operators.is_empty() {
        bail!("the plan of {name} has no operator with work");
    }
    let mut notes = warnings(import, query);
    if found.len() > 1 {
        notes.push(format!("{} together", counted(found.len() as f64, "query")));
    }
    if estimated > 0 {
        let operators = counted(estimated as f64, "operator");
        notes.push(format!("rows of {operators} were not reported and are estimated"));
    }
    Ok(Task { name: format!("{} {name}", import.engine), category: Some(Category::Data), operators, notes })
}

/// Operators of plans by kind, with the executions that an operator of the library needs for their rows; and how many operators
/// have estimated rows.
fn of_plans<'a>(plans: impl Iterator<Item = &'a Plan>) -> (Vec<TargetOperator>, usize) {
    let mut rows: BTreeMap<Kind, f64> = BTreeMap::new();
    let mut inputs: BTreeMap<Kind, BTreeSet<Kind>> = BTreeMap::new();
    let mut estimated = 0;
    for plan in plans {
        let numbers = fill(plan);
        for (node, numbers) in plan.nodes.iter().zip(&numbers).filter(|(node, _)| node.works()) {
            *rows.entry(node.kind).or_default() += numbers.rows_in.value.max(numbers.rows_out.value);
            estimated += usize::from(numbers.rows_in.is_estimated());
            // Only from an earlier kind to a later one, so that there is no cycle.
            let below = sources_of(plan, &node.inputs).filter(|kind| *kind < node.kind);
            inputs.entry(node.kind).or_default().extend(below);
        }
    }
    let library = |kind: Kind| match kind {
        Kind::Filter | Kind::Scan => Some("filter"),
        Kind::Join => Some("hash_join"),
        Kind::Aggregate | Kind::Window => Some("aggregate"),
        Kind::Sort => Some("sort"),
        _ => None,
    };
    let operators = rows.iter().map(|(kind, rows)| {
        let of_one = library(*kind).and_then(operator).map_or(1.0, |of| match of.amount {
            Amount::Rows(rows) | Amount::Flop(rows) | Amount::Numbers(rows) => rows,
        });
        TargetOperator {
            name: kind.label().to_owned(),
            executions: if library(*kind).is_some() { (rows / of_one).ceil().max(1.0) } else { 1.0 },
            category: None,
            library_operator: library(*kind).unwrap_or_default().to_owned(),
            from: inputs[kind].iter().map(|kind| Input { operator: kind.label().to_owned() }).collect(),
        }
    });
    (operators.collect(), estimated)
}

/// Kinds of the nearest operators with work below some nodes, skipping wrappers.
fn sources_of<'a>(plan: &'a Plan, inputs: &[usize]) -> impl Iterator<Item = Kind> + 'a {
    let mut open = inputs.to_vec();
    let mut found = Vec::new();
    while let Some(node) = open.pop().and_then(|id| plan.nodes.get(id)) {
        if node.works() { found.push(node.kind) } else { open.extend(&node.inputs) }
    }
    found.into_iter()
}

/// Layers of a network by kind, with the executions that their operations need.
fn of_network(name: String, network: &Network) -> Task {
    let mut kinds: Vec<(String, f64, f64)> = Vec::new();
    for layer in &network.layers {
        let kind = layer.operator.name().to_owned();
        let flop = layer.flops.map_or(0.0, |flop| flop as f64);
        let numbers = layer.output_size.map_or(0.0, |numbers| numbers as f64);
        match kinds.iter_mut().find(|(other, ..)| *other == kind) {
            Some((_, flops, all)) => (*flops, *all) = (*flops + flop, *all + numbers),
            None => kinds.push((kind, flop, numbers)),
        }
    }
    // The matched operator determines the work of one execution.
    let alone = |name: &str| TargetOperator { name: name.to_owned(), executions: 1.0, ..TargetOperator::default() };
    let one_each: Vec<TargetOperator> = kinds.iter().map(|(name, ..)| alone(name)).collect();
    let target = Target { category: Some(Category::Ai), ..Target::default() };
    let matches = build("layers", &target, &one_each).matches;
    let mut before: Option<String> = None;
    let mut operators = Vec::new();
    for ((name, flop, numbers), found) in kinds.into_iter().zip(matches) {
        let executions = match found.key().and_then(operator).map(|of| of.amount) {
            Some(Amount::Flop(one)) => flop / one,
            Some(Amount::Numbers(one) | Amount::Rows(one)) => numbers / one,
            None => 1.0,
        };
        operators.push(TargetOperator {
            name: name.clone(),
            executions: executions.ceil().max(1.0),
            category: None,
            library_operator: String::new(),
            from: before.replace(name).map(|operator| Input { operator }).into_iter().collect(),
        });
    }
    let mut notes = network.notes.clone();
    notes.push(
        "executions are those of one pass of one sample; multiply them by the samples of the task (probe build --multiplier)"
            .to_owned(),
    );
    Task { name, category: Some(Category::Ai), operators, notes }
}
