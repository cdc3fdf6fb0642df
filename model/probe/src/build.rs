//! Builds a probe from a target task: matches each operator with the library, and scales its executions by the reference ratio.

use std::collections::BTreeMap;

use super::study::{Input, Target, TargetOperator};
use crossover_measured::probe::task::MOST_EXECUTIONS;
use crossover_measured::probe::{Category, Executed, LIBRARY, ProbeOperator, ProbeTask};

/// Least similarity (Jaro–Winkler) of two names that match.
const LEAST_SIMILARITY: f64 = 0.9;

/// How an operator of the target task was matched with the library.
#[derive(Debug, Clone, PartialEq)]
pub enum Match {
    /// Chosen by an expert.
    Chosen(String),
    /// Same name as this operator of the library.
    Name(String),
    /// Most similar name of the library, with its similarity from 0 to 1.
    Similar(String, f64),
    /// No match in the library.
    None,
}

impl Match {
    /// Key of the operator of the library.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Chosen(key) | Self::Name(key) | Self::Similar(key, _) => Some(key),
            Self::None => None,
        }
    }
}

/// A probe made of a target task.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// The match of each operator of the target, in their order.
    pub matches: Vec<Match>,
    /// The probe, or one for each independent group; none is empty.
    pub probes: Vec<ProbeTask>,
}

impl Built {
    /// Operators of all probes.
    pub fn operators(&self) -> impl Iterator<Item = &ProbeOperator> {
        self.probes.iter().flat_map(|probe| &probe.operators)
    }

    /// Names of the target's operators without a match, which are in no probe.
    #[must_use]
    pub fn unmatched<'a>(&self, operators: &'a [TargetOperator]) -> Vec<&'a str> {
        let unmatched = operators.iter().zip(&self.matches).filter(|(_, found)| **found == Match::None);
        unmatched.map(|(of, _)| of.name.as_str()).collect()
    }
}

/// An operator to match with: of the library, or added by the user.
struct Candidate<'a> {
    key: &'a str,
    categories: &'a [Category],
    aliases: Vec<String>,
    runs: Executed,
}

/// Builds a probe with this name from the operators of a target task.
#[must_use]
pub fn build(name: &str, target: &Target, operators: &[TargetOperator]) -> Built {
    let own = LIBRARY.iter().map(|of| Candidate {
        key: of.key,
        categories: of.categories,
        aliases: of.aliases.iter().map(|name| words(name)).collect(),
        runs: Executed::Library(of.key.to_owned()),
    });
    let theirs = target.programs.iter().map(|of| Candidate {
        key: &of.key,
        categories: &of.categories,
        aliases: of.aliases.iter().map(|name| words(name)).collect(),
        runs: Executed::Command(of.command.clone()),
    });
    // Programs of the user have priority over the library.
    let known: Vec<Candidate<'_>> = theirs.chain(own).collect();
    let found: Vec<(Match, Option<&Candidate<'_>>)> =
        operators.iter().map(|of| matched(of, target.category, &known)).collect();
    let matches: Vec<Match> = found.iter().map(|(found, _)| found.clone()).collect();
    let mut executed: Vec<ProbeOperator> = Vec::new();
    for index in in_order(operators) {
        let of = &operators[index];
        if let Some(known) = found[index].1 {
            executed.push(ProbeOperator {
                name: of.name.clone(),
                runs: known.runs.clone(),
                executions: executions(of.executions, target),
                in_target: of.executions,
                from: inputs(index, operators, &matches),
            });
        }
    }
    let groups = if target.is_split { groups(executed) } else { vec![executed] };
    let groups: Vec<Vec<ProbeOperator>> = groups.into_iter().filter(|group| !group.is_empty()).collect();
    let several = groups.len() > 1;
    let probe = |(index, operators): (usize, Vec<ProbeOperator>)| ProbeTask {
        name: if several { format!("{name} {}", index + 1) } else { name.to_owned() },
        task_type: target.task_type.clone(),
        operators,
    };
    Built { matches, probes: groups.into_iter().enumerate().map(probe).collect() }
}

/// Executions in the probe for executions in the target: divided by the reference ratio above `scale_above`, otherwise unchanged.
#[must_use]
pub fn executions(in_target: f64, target: &Target) -> u32 {
    let count = if in_target <= target.scale_above { in_target } else { in_target / target.ratio };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and the most")]
    let count = count.round().clamp(1.0, f64::from(MOST_EXECUTIONS)) as u32;
    count
}

/// The first match of: the expert's choice, the same name in the category, the same name in any, a similar name in the
/// category, a similar name in any.
fn matched<'a, 'b>(
    of: &TargetOperator,
    task: Option<Category>,
    known: &'a [Candidate<'b>],
) -> (Match, Option<&'a Candidate<'b>>) {
    let by_key = |key: &str| known.iter().find(|known| known.key == key);
    if !of.library_operator.is_empty() {
        return match by_key(&of.library_operator) {
            Some(known) => (Match::Chosen(of.library_operator.clone()), Some(known)),
            None => (Match::None, None),
        };
    }
    let category = of.category.or(task);
    let is_of = |known: &&Candidate<'_>| category.is_none_or(|category| known.categories.contains(&category));
    let name = words(&of.name);
    let stem = stem(&name);
    let has_name = |known: &&Candidate<'_>| {
        let key = words(known.key);
        [name.as_str(), stem].iter().any(|name| key == *name || known.aliases.iter().any(|alias| alias == name))
    };
    if let Some(found) = known.iter().filter(is_of).find(has_name).or_else(|| known.iter().find(has_name)) {
        return (Match::Name(found.key.to_owned()), Some(found));
    }
    let similarity = |known: &Candidate<'_>| {
        let names = std::iter::once(words(known.key)).chain(known.aliases.iter().cloned());
        names.map(|alias| strsim::jaro_winkler(&alias, stem)).fold(0.0, f64::max)
    };
    let best = |all: &mut dyn Iterator<Item = &'a Candidate<'b>>| {
        let mut best: Option<(f64, &'a Candidate<'b>)> = None;
        for known in all {
            let similarity = similarity(known);
            if similarity >= LEAST_SIMILARITY && best.is_none_or(|(other, _)| similarity > other) {
                best = Some((similarity, known));
            }
        }
        best
    };
    let found = best(&mut known.iter().filter(is_of)).or_else(|| best(&mut known.iter()));
    match found {
        Some((similarity, known)) => (Match::Similar(known.key.to_owned(), similarity), Some(known)),
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

/// A name without the number at its end: "conv2d 17" is another "conv2d".
fn stem(name: &str) -> &str {
    match name.rsplit_once(' ') {
        Some((stem, number)) if number.chars().all(|c| c.is_ascii_digit()) => stem,
        _ => name,
    }
}

/// Indices of operators in topological order, otherwise in their order. Operators in a cycle are rejected by validation and left
/// out here.
fn in_order(operators: &[TargetOperator]) -> Vec<usize> {
    let index_of: BTreeMap<&str, usize> =
        operators.iter().enumerate().map(|(index, of)| (of.name.as_str(), index)).collect();
    let inputs: Vec<Vec<usize>> = operators
        .iter()
        .map(|of| of.from.iter().filter_map(|from| index_of.get(from.operator.as_str()).copied()).collect())
        .collect();
    let mut waits_for: Vec<usize> = inputs.iter().map(Vec::len).collect();
    let mut feeds: Vec<Vec<usize>> = vec![Vec::new(); operators.len()];
    for (index, inputs) in inputs.iter().enumerate() {
        for input in inputs {
            feeds[*input].push(index);
        }
    }
    let mut ready: std::collections::BTreeSet<usize> =
        (0..operators.len()).filter(|index| waits_for[*index] == 0).collect();
    let mut order = Vec::new();
    while let Some(index) = ready.pop_first() {
        order.push(index);
        for fed in &feeds[index] {
            waits_for[*fed] -= 1;
            if waits_for[*fed] == 0 {
                ready.insert(*fed);
            }
        }
    }
    order
}

/// Whether the inputs of operators form a cycle.
pub(super) fn has_cycle(operators: &[TargetOperator]) -> bool {
    in_order(operators).len() < operators.len()
}

/// The matched inputs of an operator; an input without a match is replaced by its own inputs.
fn inputs(index: usize, operators: &[TargetOperator], matches: &[Match]) -> Vec<String> {
    let index_of = |from: &Input| operators.iter().position(|of| of.name == from.operator);
    let mut seen = vec![false; operators.len()];
    let mut open: Vec<usize> = operators[index].from.iter().rev().filter_map(index_of).collect();
    let mut names = Vec::new();
    while let Some(input) = open.pop() {
        if std::mem::replace(&mut seen[input], true) {
            continue;
        }
        if matches[input] == Match::None {
            open.extend(operators[input].from.iter().rev().filter_map(index_of));
        } else {
            names.push(operators[input].name.clone());
        }
    }
    names
}

/// Groups of operators without connections, in the order of their first operators.
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
