//! Edits that keep a study consistent: names stay unique, sources follow their field, the chosen
//! network exists.

use std::collections::BTreeSet;

use super::parameter::{Field, Group};
use super::study::{Network, Operator, Placement};
use crate::provenance::Sources;

impl Placement {
    /// Gives an operator another name; its sources follow. Nothing happens if there is no such operator.
    pub fn rename_operator(&mut self, index: usize, name: &str) {
        if let Some(operator) = self.operators.get_mut(index) {
            let before = std::mem::replace(&mut operator.name, name.to_owned());
            self.move_sources(Group::Operators, &before, name);
        }
    }

    /// Gives a network another name; its sources and the policy follow.
    pub fn rename_network(&mut self, index: usize, name: &str) {
        if let Some(network) = self.networks.get_mut(index) {
            let before = std::mem::replace(&mut network.name, name.to_owned());
            if self.policy.network == before {
                name.clone_into(&mut self.policy.network);
            }
            self.move_sources(Group::Networks, &before, name);
        }
    }

    /// Adds an operator at the end, under a name that is not taken yet.
    pub fn add_operator(&mut self, mut operator: Operator) {
        let name = free_name(&operator.name, self.operators.iter().map(|other| other.name.as_str()));
        operator.name = name;
        self.operators.push(operator);
    }

    /// Adds a network at the end, under a name that is not taken yet.
    pub fn add_network(&mut self, mut network: Network) {
        let name = free_name(&network.name, self.networks.iter().map(|other| other.name.as_str()));
        network.name = name;
        self.networks.push(network);
    }

    /// Adds a copy of an operator after it; the sources are copied too.
    pub fn duplicate_operator(&mut self, index: usize) {
        let Some(operator) = self.operators.get(index).cloned() else { return };
        let name = free_name(&operator.name, self.operators.iter().map(|other| other.name.as_str()));
        self.copy_sources(Group::Operators, &operator.name, &name);
        self.operators.insert(index + 1, Operator { name, ..operator });
    }

    /// Adds a copy of a network after it; the sources are copied too.
    pub fn duplicate_network(&mut self, index: usize) {
        let Some(network) = self.networks.get(index).cloned() else { return };
        let name = free_name(&network.name, self.networks.iter().map(|other| other.name.as_str()));
        self.copy_sources(Group::Networks, &network.name, &name);
        self.networks.insert(index + 1, Network { name, ..network });
    }

    /// Removes an operator unless it is the last one.
    pub fn remove_operator(&mut self, index: usize) {
        if self.operators.len() > 1 && index < self.operators.len() {
            self.operators.remove(index);
            self.purge_sources();
        }
    }

    /// Removes a network unless it is the last one; if it was the cluster's, the first one takes its place.
    pub fn remove_network(&mut self, index: usize) {
        if self.networks.len() > 1 && index < self.networks.len() {
            let removed = self.networks.remove(index);
            if self.policy.network == removed.name {
                self.policy.network.clone_from(&self.networks[0].name);
            }
            self.purge_sources();
        }
    }

    /// Drops the sources of fields that do not exist (any more).
    pub fn purge_sources(&mut self) {
        let known: BTreeSet<String> = Field::all(self).map(|field| field.path(self)).collect();
        self.sources.retain(|path, _| known.contains(path));
    }

    fn move_sources(&mut self, group: Group, from: &str, to: &str) {
        self.copy_sources(group, from, to);
        if from != to {
            self.purge_sources();
        }
    }

    fn copy_sources(&mut self, group: Group, from: &str, to: &str) {
        let (from, to) = (format!("{}.{from}.", group.key()), format!("{}.{to}.", group.key()));
        let copies: Sources = self
            .sources
            .iter()
            .filter_map(|(path, source)| Some((format!("{to}{}", path.strip_prefix(&from)?), source.clone())))
            .collect();
        self.sources.extend(copies);
    }
}

/// The name, or the name with the first number that makes it unique.
fn free_name<'a>(name: &str, taken: impl Iterator<Item = &'a str>) -> String {
    let taken: BTreeSet<&str> = taken.collect();
    let numbered = (2..).map(|number| format!("{name} {number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|free| !taken.contains(free.as_str())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::placement::Placement;
    use crate::placement::validate::validate;
    use crate::scenario::{Study, read};

    fn published() -> Placement {
        let Study::Placement(study) =
            read(include_str!("../../../scenarios/placement-published.ron")).expect("a valid scenario").study;
        study
    }

    #[test]
    fn sources_follow_a_renamed_operator_and_network() {
        let mut study = published();
        let count = study.sources.len();
        study.rename_operator(1, "hash join");
        study.rename_network(1, "IB");
        assert_eq!(study.sources.len(), count);
        assert!(study.sources.contains_key("operators.hash join.cpu_seconds_per_100mb"));
        assert!(study.sources.contains_key("networks.IB.effective_gbit_per_s"));
        assert_eq!(study.policy.network, "IB");
        assert_eq!(validate(&study), Ok(()));
    }

    #[test]
    fn a_duplicate_has_a_name_of_its_own_and_the_same_sources() {
        let mut study = published();
        study.duplicate_operator(0);
        study.duplicate_operator(0);
        let names: Vec<_> = study.operators.iter().map(|operator| operator.name.as_str()).collect();
        assert_eq!(names, ["filter", "filter 3", "filter 2", "join"]);
        let source = |name: &str| study.sources.get(&format!("operators.{name}.output_ratio")).cloned();
        assert!(source("filter 3").is_some() && source("filter 3") == source("filter"));
        assert_eq!(validate(&study), Ok(()));
    }

    #[test]
    fn the_last_operator_stays_and_the_cluster_always_has_a_network() {
        let mut study = published();
        study.remove_operator(0);
        study.remove_operator(0);
        assert_eq!(study.operators.len(), 1);
        study.remove_network(1);
        study.remove_network(0);
        assert_eq!((study.networks.len(), study.policy.network.as_str()), (1, "10 Gb Ethernet"));
        assert_eq!(validate(&study), Ok(()));
    }
}
