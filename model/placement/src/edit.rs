//! Edits that keep a study consistent: names stay unique, sources follow their fields and are removed with
//! their values, the chosen network exists.

use std::collections::BTreeMap;

use super::decision::{CandidateCluster, DecisionInputs, MOST_CANDIDATES};
use super::study::{Class, MOST_NETWORKS, MOST_OPERATORS, Network, Operator, Placement, Side};
use crossover_engine::{Engine, Engines, Profile};
use crossover_measured::calibration::CostCurve;
use crossover_quantity::invalid::free_name;
use crossover_quantity::provenance::{Provenance, Sources};
use crossover_study::sources;

/// Prefix of the paths of the engines' numbers.
const ENGINES_PREFIX: &str = "engines.";
/// Prefix of the paths of the tables' numbers after that.
const TABLES_PREFIX: &str = "tables.";
/// Path of the measured time of the study's query after that.
const MEASURED: &str = "measured_seconds";

impl Placement {
    /// The engines with the sources of their numbers, if the study has any, without the measured time of the query.
    #[must_use]
    pub fn profile(&self) -> Option<Profile> {
        let engines = Engines { measured_seconds: None, ..self.engines.as_deref()?.clone() };
        let of_engines = |(path, source): (&String, &Provenance)| {
            Some((path.strip_prefix(ENGINES_PREFIX)?.to_owned(), source.clone()))
        };
        let mut sources: Sources = self.sources.iter().filter_map(of_engines).collect();
        sources.remove(MEASURED);
        Some(Profile { engines, sources })
    }

    /// Sets the engines, with the sources of their numbers. If the study has engines already, it keeps its machines, tables and
    /// measured time. What a trial taught about the GPU engine before is dropped.
    pub fn set_engines(&mut self, Profile { engines, sources }: Profile) {
        self.drop_learned_of_gpu();
        let before = self.engines.take();
        let is_of_study = |path: &str| {
            let key = path.strip_prefix("cpu.").or_else(|| path.strip_prefix("gpu."));
            key.is_some_and(|key| Engine::OF_MACHINES.contains(&key))
                || path == MEASURED
                || path.starts_with(TABLES_PREFIX)
        };
        let stays = |path: &str| before.is_some() && is_of_study(path);
        self.sources.retain(|path, _| path.strip_prefix(ENGINES_PREFIX).is_none_or(stays));
        let taken = sources.into_iter().filter(|(path, _)| !stays(path));
        self.sources.extend(taken.map(|(path, source)| (format!("{ENGINES_PREFIX}{path}"), source)));
        let engines = match before {
            None => engines,
            Some(before) => Engines {
                measured_seconds: before.measured_seconds,
                tables: before.tables.clone(),
                ..engines.moved_to(before.machines())
            },
        };
        self.engines = Some(Box::new(engines));
    }

    /// Removes the measured times of the study's query, today and in a trial, before another query replaces it.
    pub fn clear_run(&mut self) {
        if self.decision.as_deref().is_some_and(|inputs| inputs.trial.is_some()) {
            self.edit_decision(|inputs| inputs.trial = None);
        }
        if let Some(engines) = &mut self.engines {
            engines.measured_seconds = None;
        }
        self.sources.remove(&format!("{ENGINES_PREFIX}{MEASURED}"));
    }

    /// Removes the engines, with the sources of their numbers, and what a trial taught about the GPU engine.
    pub fn clear_engines(&mut self) {
        self.drop_learned_of_gpu();
        self.engines = None;
        self.sources.retain(|path, _| !path.starts_with(ENGINES_PREFIX));
    }

    /// The inputs of the decision; the defaults if the study has none.
    #[must_use]
    pub fn decision_inputs(&self) -> DecisionInputs {
        self.decision.as_deref().cloned().unwrap_or_default()
    }

    /// Edits the inputs of the decision; numbers that change count as entered. Defaults are not kept.
    pub fn edit_decision(&mut self, edit: impl FnOnce(&mut DecisionInputs)) {
        sources::enter(self, |study| {
            let mut inputs = study.decision_inputs();
            edit(&mut inputs);
            study.decision = (inputs != DecisionInputs::default()).then(|| Box::new(inputs));
        });
    }

    /// Adds a cluster to compare under an unused name, which it gives; nothing if the limit is reached.
    pub fn add_candidate(&mut self, candidate: CandidateCluster) -> Option<String> {
        let taken = self.decision_inputs().candidates;
        if taken.len() >= MOST_CANDIDATES {
            return None;
        }
        let name = free_name(&candidate.name, taken.iter().map(|other| other.name.as_str()));
        let candidate = CandidateCluster { name: name.clone(), ..candidate };
        self.edit_decision(|inputs| inputs.candidates.push(candidate));
        Some(name)
    }

    /// Removes a cluster to compare, with the sources of its numbers.
    pub fn remove_candidate(&mut self, index: usize) {
        self.edit_decision(|inputs| {
            if index < inputs.candidates.len() {
                inputs.candidates.remove(index);
            }
        });
    }

    /// Adds an operator at the end under an unused name; nothing if the limit is reached.
    pub fn add_operator(&mut self, mut operator: Operator) {
        if self.operators.len() >= MOST_OPERATORS {
            return;
        }
        let name = free_name(&operator.name, self.operators.iter().map(|other| other.name.as_str()));
        operator.name = name;
        self.operators.push(operator);
    }

    /// Adds a network at the end under an unused name; nothing if the limit is reached.
    pub fn add_network(&mut self, mut network: Network) {
        if self.networks.len() >= MOST_NETWORKS {
            return;
        }
        let name = free_name(&network.name, self.networks.iter().map(|other| other.name.as_str()));
        network.name = name;
        self.networks.push(network);
    }

    /// Adds a copy of an operator after it, with its sources; nothing if the limit is reached.
    pub fn duplicate_operator(&mut self, index: usize) {
        if self.operators.len() >= MOST_OPERATORS {
            return;
        }
        let Some(operator) = self.operators.get(index).cloned() else { return };
        let name = free_name(&operator.name, self.operators.iter().map(|other| other.name.as_str()));
        sources::copy(self, "operators", &operator.name, &name);
        // A kind has one operator with costs.
        self.operators.insert(index + 1, Operator { name, kind: None, ..operator });
    }

    /// Adds a copy of a network after it, with its sources; nothing if the limit is reached.
    pub fn duplicate_network(&mut self, index: usize) {
        if self.networks.len() >= MOST_NETWORKS {
            return;
        }
        let Some(network) = self.networks.get(index).cloned() else { return };
        let name = free_name(&network.name, self.networks.iter().map(|other| other.name.as_str()));
        sources::copy(self, "networks", &network.name, &name);
        self.networks.insert(index + 1, Network { name, ..network });
    }

    /// Removes an operator unless it is the last one.
    pub fn remove_operator(&mut self, index: usize) {
        if self.operators.len() > 1 && index < self.operators.len() {
            self.operators.remove(index);
            self.purge_sources();
        }
    }

    /// Removes a network unless it is the last one; if it was the cluster's, the first one replaces it.
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
        sources::purge(self);
    }

    /// Sets the class of an operator; the source of the old one is removed.
    pub fn set_class(&mut self, index: usize, class: Class) {
        sources::enter(self, |study| {
            if let Some(operator) = study.operators.get_mut(index) {
                operator.class = class;
            }
        });
    }

    /// Sets the memory bandwidth of a machine, or lets its cores add up without limit; the source of the
    /// old figure is removed.
    pub fn set_memory_bandwidth(&mut self, gb_per_s: Option<f64>) {
        sources::enter(self, |study| study.node.memory_gb_per_s = gb_per_s);
    }

    /// Sets the storage speed, or switches the scan off; the source of the old speed is removed.
    pub fn set_scan(&mut self, gb_per_s: Option<f64>) {
        sources::enter(self, |study| study.node.scan_gb_per_s = gb_per_s);
    }

    /// Sets the row conversion speed, or makes CPUs columnar; the source of the old speed is removed.
    pub fn set_row_conversion(&mut self, gb_per_s: Option<f64>) {
        sources::enter(self, |study| study.node.row_conversion_gb_per_s = gb_per_s);
    }

    /// Sets the memory of a GPU, or lets the data always fit; the source of the old figure is removed.
    pub fn set_gpu_memory(&mut self, gb: Option<f64>) {
        sources::enter(self, |study| study.gpu.gpu_memory_gb = gb);
    }

    /// Sets the core ratio to 1, as for a GPU parallelism that compares a whole GPU with one CPU core; the source of a changed
    /// ratio is removed.
    pub fn set_whole_gpu(&mut self) {
        sources::enter(self, |study| study.gpu.core_ratio = 1.0);
    }

    /// Sets or removes an operator's measured CPU curve; sources of changed figures are removed.
    pub fn set_cpu_curve(&mut self, index: usize, curve: Option<CostCurve>) {
        sources::enter(self, |study| {
            if let Some(operator) = study.operators.get_mut(index) {
                operator.cpu_curve = curve;
            }
        });
    }

    /// Sets or removes an operator's measured GPU curve; sources of changed figures are removed.
    pub fn set_gpu_curve(&mut self, index: usize, curve: Option<CostCurve>) {
        sources::enter(self, |study| {
            if let Some(operator) = study.operators.get_mut(index) {
                operator.gpu_curve = curve;
            }
        });
    }

    /// Pins a node of the query to a side, or unpins it. Nothing happens if there is no such node.
    pub fn pin_node(&mut self, id: usize, side: Option<Side>) {
        let Some(query) = self.query.as_mut().filter(|query| id < query.plan.nodes.len()) else { return };
        match side {
            Some(side) => query.pins.insert(id, side),
            None => query.pins.remove(&id),
        };
    }

    /// Replaces the classes of the query without a GPU version, each with its note; with an empty list all have one.
    pub fn set_support(&mut self, unsupported: BTreeMap<String, String>) {
        if let Some(query) = &mut self.query {
            query.unsupported = unsupported;
        }
    }

    /// Replaces the scores of the query's classes, which then replace GPU times; with an empty list none has one.
    pub fn set_scores(&mut self, scores: BTreeMap<String, f64>) {
        if let Some(query) = &mut self.query {
            query.use_scores = !scores.is_empty();
            query.scores = scores;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Class;
    use crate::published;
    use crate::{CandidateCluster, TrialRun};
    use crossover_decision::{PriceBasis, TimeLimit};
    use crossover_measured::calibration::CostCurve;
    use crossover_quantity::provenance::{Provenance, Sources};
    use crossover_study::{sources, validate};

    #[test]
    fn sources_follow_a_renamed_operator_and_network() {
        let mut study = published();
        let count = study.sources.len();
        sources::rename(&mut study, "operators", 1, "hash join");
        sources::rename(&mut study, "networks", 1, "IB");
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
    fn a_name_that_begins_like_another_keeps_its_own_sources() {
        let mut study = published();
        sources::rename(&mut study, "operators", 0, "a");
        sources::rename(&mut study, "operators", 1, "a.b");
        study.duplicate_operator(1);
        sources::rename(&mut study, "operators", 2, "a 2.b");
        let own = Provenance::Published("its own".to_owned());
        study.sources.insert("operators.a 2.b.output_ratio".to_owned(), own);
        let of_others = |sources: &Sources| {
            let mut others = sources.clone();
            others.retain(|path, _| path.contains(".b."));
            others
        };
        let before = study.sources.clone();
        study.duplicate_operator(0); // "a 2"
        assert_eq!(validate(&study), Ok(()));
        assert!(study.sources.contains_key("operators.a 2.output_ratio"));
        assert_eq!(study.sources.len(), before.len() + 2, "a filter has two sources");
        sources::rename(&mut study, "operators", 0, "c");
        assert_eq!(validate(&study), Ok(()));
        assert!(study.sources.contains_key("operators.c.output_ratio"));
        assert_eq!(of_others(&study.sources), of_others(&before));
    }

    #[test]
    fn the_source_of_a_term_goes_when_the_term_changes_and_stays_when_it_does_not() {
        let mut study = published();
        let curve = CostCurve { fixed_seconds: 0.5, gb_per_s: 4.0 };
        study.set_scan(Some(5.0));
        study.set_gpu_memory(Some(16.0));
        study.set_cpu_curve(0, Some(curve));
        study.set_gpu_curve(1, Some(curve));
        let paths = [
            "node.scan_gb_per_s",
            "gpu.gpu_memory_gb",
            "operators.filter.cpu_curve.fixed_seconds",
            "operators.filter.cpu_curve.gb_per_s",
            "operators.join.gpu_curve.fixed_seconds",
            "operators.join.gpu_curve.gb_per_s",
            "operators.join.class",
        ];
        for path in paths {
            study.sources.insert(path.to_owned(), Provenance::Published("anywhere".to_owned()));
        }
        let sourced = study.clone();
        study.set_scan(Some(5.0));
        study.set_gpu_memory(Some(16.0));
        study.set_cpu_curve(0, Some(curve));
        study.set_gpu_curve(1, Some(CostCurve { gb_per_s: 8.0, ..curve }));
        study.set_class(1, Class::Quadratic);
        let mut expected = sourced.sources.clone();
        expected.remove("operators.join.gpu_curve.gb_per_s");
        assert_eq!(study.sources, expected);
        study.set_scan(None);
        study.set_gpu_memory(None);
        study.set_cpu_curve(0, None);
        study.set_gpu_curve(1, None);
        study.set_class(1, Class::Power(1.5));
        assert!(paths.iter().all(|path| !study.sources.contains_key(*path)), "{:?}", study.sources);
        assert_eq!(validate(&study), Ok(()));
        assert_eq!(study.operators[1].class, Class::Power(1.5));
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

    #[test]
    fn the_inputs_of_a_decision_are_kept_unless_they_are_the_defaults() {
        let mut study = published();
        study.edit_decision(|inputs| inputs.time_limit = 1.5);
        assert_eq!(study.decision.as_deref().map(|inputs| inputs.time_limit), Some(1.5));
        assert_eq!(validate(&study), Ok(()));
        // The factor is replaced by a time.
        study.edit_decision(|inputs| inputs.set_limit(TimeLimit::Seconds(20.0)));
        let inputs = study.decision_inputs();
        assert_eq!((inputs.time_limit, inputs.time_limit_seconds), (1.0, Some(20.0)));
        assert_eq!(
            (inputs.limit(), inputs.objective().time_limit),
            (TimeLimit::Seconds(20.0), TimeLimit::Seconds(20.0))
        );
        assert_eq!(validate(&study), Ok(()));
        study.edit_decision(|inputs| inputs.set_limit(TimeLimit::TODAY));
        assert_eq!(study, published());
    }

    #[test]
    fn a_trial_is_kept_with_its_query_only_and_its_time_is_checked() {
        let mut study = published();
        let trial = |seconds: f64| TrialRun {
            file: "trial.zstd".to_owned(),
            query: "6".to_owned(),
            option: "RAPIDS, 4 × g6.2xlarge".to_owned(),
            seconds,
        };
        study.edit_decision(|inputs| inputs.trial = Some(trial(3.0)));
        assert_eq!(validate(&study), Ok(()));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut study = study.clone();
            study.edit_decision(|inputs| inputs.trial = Some(trial(wrong)));
            assert_eq!(validate(&study).expect_err("no time").path, "decision.trial.seconds", "{wrong}");
        }
        study.clear_run();
        assert_eq!(study, published());
    }

    #[test]
    fn the_sources_of_a_cluster_are_removed_with_it() {
        let mut study = published();
        let cluster = CandidateCluster {
            name: "cluster".to_owned(),
            machine: "g6.2xlarge".to_owned(),
            other_gpu: String::new(),
            machines: 4.0,
            lanes: 1.0,
            network_gbit_per_s: None,
            exchange_memory_gb: None,
            usd_per_hour: Some(0.5),
            price_basis: PriceBasis::OnDemand,
            region: String::new(),
        };
        let added = [cluster.clone(), cluster.clone()].map(|cluster| study.add_candidate(cluster).expect("room"));
        assert_eq!(added, ["cluster", "cluster 2"]);
        let price = |name: &str| format!("decision.candidates.{name}.usd_per_hour");
        for name in &added {
            study.sources.insert(price(name), Provenance::Published("a list".to_owned()));
        }
        assert_eq!(validate(&study), Ok(()));
        study.remove_candidate(0);
        assert_eq!(validate(&study), Ok(()));
        assert!(!study.sources.contains_key(&price("cluster")) && study.sources.contains_key(&price("cluster 2")));
        for _ in 1..crate::MOST_CANDIDATES {
            study.add_candidate(cluster.clone()).expect("room");
        }
        assert_eq!(study.add_candidate(cluster), None);
    }
}
