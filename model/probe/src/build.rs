//! A probe task made of a target task: each operator is matched against the library, and executed as often as the reference
//! ratio says.

use std::collections::BTreeMap;

use super::study::{Input, Target, TargetOperator};
use crossover_measured::probe::task::MOST_EXECUTIONS;
use crossover_measured::probe::{Category, Executed, LIBRARY, ProbeOperator, ProbeTask};

/// Names that are less alike are no match.
const ALIKE: f64 = 0.9;

/// What became of an operator of the target task.
#[derive(Debug, Clone, PartialEq)]
pub enum Match {
    /// An expert said what it is.
    Chosen(String),
    /// The library calls it by this name.
    Name(String),
    /// A name of the library is so much like it, of 1.
    Like(String, f64),
    /// The library has nothing like it.
    None,
}

impl Match {
    /// The operator of the library.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Chosen(key) | Self::Name(key) | Self::Like(key, _) => Some(key),
            Self::None => None,
        }
    }
}

/// A probe made of a target task.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// What each operator of the target was matched with, in their order.
    pub matches: Vec<Match>,
    /// The probe; several if independent groups stay apart. None has no operator.
    pub probes: Vec<ProbeTask>,
}

impl Built {
    /// Operators of the probes altogether.
    pub fn operators(&self) -> impl Iterator<Item = &ProbeOperator> {
        self.probes.iter().flat_map(|probe| &probe.operators)
    }
}

/// What operators are matched against: those of the library, and those that the user added.
struct Known<'a> {
    key: &'a str,
    categories: &'a [Category],
    also: Vec<String>,
    runs: Executed,
}

/// Makes a probe with this name of the operators of a target task.
#[must_use]
pub fn build(name: &str, target: &Target, operators: &[TargetOperator]) -> Built {
    let own = LIBRARY.iter().map(|of| Known {
        key: of.key,
        categories: of.categories,
        also: of.also.iter().map(|name| words(name)).collect(),
        runs: Executed::Library(of.key.to_owned()),
    });
    let theirs = target.added.iter().map(|of| Known {
        key: &of.key,
        categories: &of.categories,
        also: of.also.iter().map(|name| words(name)).collect(),
        runs: Executed::Command(of.command.clone()),
    });
    // What a user adds goes before what there is.
    let known: Vec<Known<'_>> = theirs.chain(own).collect();
    let found: Vec<(Match, Option<&Known<'_>>)> =
        operators.iter().map(|of| matched(of, target.category, &known)).collect();
    let matches: Vec<Match> = found.iter().map(|(found, _)| found.clone()).collect();
    let mut executed: Vec<ProbeOperator> = Vec::new();
    for place in in_order(operators) {
        let of = &operators[place];
        if let Some(known) = found[place].1 {
            executed.push(ProbeOperator {
                name: of.name.clone(),
                runs: known.runs.clone(),
                executions: executions(of.executions, target),
                in_target: of.executions,
                from: inputs(place, operators, &matches),
            });
        }
    }
    let groups = if target.is_split { groups(executed) } else { vec![executed] };
    let groups: Vec<Vec<ProbeOperator>> = groups.into_iter().filter(|group| !group.is_empty()).collect();
    let several = groups.len() > 1;
    let probe = |(place, operators): (usize, Vec<ProbeOperator>)| ProbeTask {
        name: if several { format!("{name} {}", place + 1) } else { name.to_owned() },
        task_type: target.task_type.clone(),
        operators,
    };
    Built { matches, probes: groups.into_iter().enumerate().map(probe).collect() }
}

/// How often the probe executes what the target executes so often: a few stay, more are divided by the ratio.
#[must_use]
pub fn executions(in_target: f64, target: &Target) -> u32 {
    let count = if in_target <= target.few { in_target } else { in_target / target.ratio };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and the most")]
    let count = count.round().clamp(1.0, f64::from(MOST_EXECUTIONS)) as u32;
    count
}

/// First what an expert chose, then names of the category, then names of all, then what is like a name of the category, then
/// what is like any.
fn matched<'a, 'b>(
    of: &TargetOperator,
    task: Option<Category>,
    known: &'a [Known<'b>],
) -> (Match, Option<&'a Known<'b>>) {
    let by_key = |key: &str| known.iter().find(|known| known.key == key);
    if !of.runs.is_empty() {
        return match by_key(&of.runs) {
            Some(known) => (Match::Chosen(of.runs.clone()), Some(known)),
            None => (Match::None, None),
        };
    }
    let category = of.category.or(task);
    let is_of = |known: &&Known<'_>| category.is_none_or(|category| known.categories.contains(&category));
    let name = words(&of.name);
    let stem = stem(&name);
    let has_name = |known: &&Known<'_>| {
        let key = words(known.key);
        [name.as_str(), stem].iter().any(|name| key == *name || known.also.iter().any(|also| also == name))
    };
    if let Some(found) = known.iter().filter(is_of).find(has_name).or_else(|| known.iter().find(has_name)) {
        return (Match::Name(found.key.to_owned()), Some(found));
    }
    let likeness = |known: &Known<'_>| {
        let names = std::iter::once(words(known.key)).chain(known.also.iter().cloned());
        names.map(|also| strsim::jaro_winkler(&also, stem)).fold(0.0, f64::max)
    };
    let best = |all: &mut dyn Iterator<Item = &'a Known<'b>>| {
        let mut best: Option<(f64, &'a Known<'b>)> = None;
        for known in all {
            let likeness = likeness(known);
            if likeness >= ALIKE && best.is_none_or(|(other, _)| likeness > other) {
                best = Some((likeness, known));
            }
        }
        best
    };
    let found = best(&mut known.iter().filter(is_of)).or_else(|| best(&mut known.iter()));
    match found {
        Some((likeness, known)) => (Match::Like(known.key.to_owned(), likeness), Some(known)),
        None => (Match::None, None),
    }
}

/// `Conv2d_bias` and `conv2d bias` are the same name: lower case, words apart by spaces.
fn words(name: &str) -> String {
    let mut text = String::new();
    let mut before = ' ';
    for c in name.chars() {
        let is_new_word = c.is_uppercase() && before.is_lowercase();
        if is_new_word || !c.is_alphanumeric() {
            text.push(' ');
        }
        if c.is_alphanumeric() {
            text.extend(c.to_lowercase());
        }
        before = c;
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name without the number behind it: "conv2d 17" is another "conv2d".
fn stem(name: &str) -> &str {
    match name.rsplit_once(' ') {
        Some((stem, number)) if number.chars().all(|c| c.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// Places of operators, each behind those whose outputs it takes; in the order given as far as that goes. What takes its own
/// output over others is refused by validation and left out here.
fn in_order(operators: &[TargetOperator]) -> Vec<usize> {
    let place_of: BTreeMap<&str, usize> =
        operators.iter().enumerate().map(|(place, of)| (of.name.as_str(), place)).collect();
    let inputs: Vec<Vec<usize>> = operators
        .iter()
        .map(|of| of.from.iter().filter_map(|from| place_of.get(from.operator.as_str()).copied()).collect())
        .collect();
    let mut waits_for: Vec<usize> = inputs.iter().map(Vec::len).collect();
    let mut feeds: Vec<Vec<usize>> = vec![Vec::new(); operators.len()];
    for (place, inputs) in inputs.iter().enumerate() {
        for input in inputs {
            feeds[*input].push(place);
        }
    }
    let mut ready: std::collections::BTreeSet<usize> =
        (0..operators.len()).filter(|place| waits_for[*place] == 0).collect();
    let mut order = Vec::new();
    while let Some(place) = ready.pop_first() {
        order.push(place);
        for fed in &feeds[place] {
            waits_for[*fed] -= 1;
            if waits_for[*fed] == 0 {
                ready.insert(*fed);
            }
        }
    }
    order
}

/// Whether an operator takes its own output, over others or at once.
pub(super) fn has_circle(operators: &[TargetOperator]) -> bool {
    in_order(operators).len() < operators.len()
}

/// The matched operators whose outputs one takes; where an operator between them has no match, those whose outputs that takes.
fn inputs(place: usize, operators: &[TargetOperator], matches: &[Match]) -> Vec<String> {
    let place_of = |from: &Input| operators.iter().position(|of| of.name == from.operator);
    let mut seen = vec![false; operators.len()];
    let mut open: Vec<usize> = operators[place].from.iter().rev().filter_map(place_of).collect();
    let mut names = Vec::new();
    while let Some(input) = open.pop() {
        if std::mem::replace(&mut seen[input], true) {
            continue;
        }
        if matches[input] == Match::None {
            open.extend(operators[input].from.iter().rev().filter_map(place_of));
        } else {
            names.push(operators[input].name.clone());
        }
    }
    names
}

/// Operators that take nothing of each other stay apart, in the order of their first ones.
fn groups(operators: Vec<ProbeOperator>) -> Vec<Vec<ProbeOperator>> {
    let mut groups: Vec<Vec<ProbeOperator>> = Vec::new();
    for operator in operators {
        let takes_of = |group: &[ProbeOperator]| group.iter().any(|other| operator.from.contains(&other.name));
        let (joined, mut apart): (Vec<_>, Vec<_>) =
            groups.into_iter().enumerate().partition(|(_, group)| takes_of(group));
        let place = joined.first().map_or(apart.len(), |(place, _)| *place);
        let mut group: Vec<ProbeOperator> = joined.into_iter().flat_map(|(_, group)| group).collect();
        group.push(operator);
        let at = apart.partition_point(|(other, _)| *other < place);
        apart.insert(at, (place, group));
        groups = apart.into_iter().map(|(_, group)| group).collect();
    }
    groups
}
