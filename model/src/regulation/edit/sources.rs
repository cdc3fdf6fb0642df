//! Sources follow the fields they belong to, and go when the field or its value goes.

use std::collections::{BTreeMap, BTreeSet};

use crate::provenance::{Provenance, drop_at};
use crate::regulation::study::{Cluster, Controller, Fuzzy, Regulation, Rung, Schedule};

/// A list whose entries have names.
#[derive(Debug, Clone, Copy)]
pub(super) enum List {
    Clusters,
    Controllers,
    Ladder,
}

impl List {
    /// Name of the list in files.
    fn key(self) -> &'static str {
        match self {
            Self::Clusters => "clusters",
            Self::Controllers => "controllers",
            Self::Ladder => "ladder",
        }
    }

    /// What stands in a path after the name of an entry, for every field that may have a source.
    fn fields(self) -> Vec<String> {
        let keys = |group: &'static [&crate::quantity::Quantity], inside: &'static str| {
            group.iter().map(move |quantity| format!("{inside}{}", quantity.key))
        };
        match self {
            Self::Clusters => {
                keys(Cluster::QUANTITIES, "").chain(std::iter::once("demand.series".to_owned())).collect()
            }
            Self::Controllers => keys(Controller::QUANTITIES, "")
                .chain(keys(Schedule::QUANTITIES, "schedule."))
                .chain(keys(Fuzzy::QUANTITIES, "fuzzy."))
                .collect(),
            Self::Ladder => keys(Rung::QUANTITIES, "").collect(),
        }
    }
}

impl Regulation {
    /// Drops the sources of fields that do not exist (any more).
    pub fn purge_sources(&mut self) {
        let known = self.sourced_paths();
        self.sources.retain(|path, _| known.contains(path));
    }

    /// Paths of all fields that may have a source: every number, and every recorded series.
    pub(in crate::regulation) fn sourced_paths(&self) -> BTreeSet<String> {
        let series = self.clusters.iter().map(|cluster| format!("clusters.{}.demand.series", cluster.name));
        self.numbers().into_iter().map(|(path, ..)| path).chain(series).collect()
    }

    /// Drops the sources of the fields at the segments of a path.
    pub(crate) fn mark_entered(&mut self, segments: &[String]) {
        let lists = [List::Clusters, List::Controllers, List::Ladder].map(|list| (list, list.fields()));
        let names = |list: List| -> Vec<&str> {
            match list {
                List::Clusters => self.clusters.iter().map(|cluster| cluster.name.as_str()).collect(),
                List::Controllers => self.controllers.iter().map(|controller| controller.name.as_str()).collect(),
                List::Ladder => self.ladder.iter().map(|rung| rung.name.as_str()).collect(),
            }
        };
        let of_entries = lists.iter().flat_map(|(list, fields)| {
            let of_entry = move |name| {
                fields.iter().map(move |field| [list.key(), name].into_iter().chain(field.split('.')).collect())
            };
            names(*list).into_iter().flat_map(of_entry)
        });
        let paths = self.sourced_paths();
        let has_name = |path: &&String| lists.iter().any(|(list, _)| path.split('.').next() == Some(list.key()));
        let others = paths.iter().filter(|path| !has_name(path)).map(|path| path.split('.').collect());
        drop_at(&mut self.sources, segments, of_entries.chain(others));
    }

    /// Runs an edit and drops the sources of the numbers that it changed or took away. The edit must not rename or
    /// move entries.
    pub(super) fn enter(&mut self, edit: impl FnOnce(&mut Self)) {
        let values = |study: &Self| -> BTreeMap<String, u64> {
            study.numbers().into_iter().map(|(path, _, value)| (path, value.to_bits())).collect()
        };
        let before = if self.sources.is_empty() { BTreeMap::new() } else { values(self) };
        edit(self);
        if !self.sources.is_empty() {
            let after = values(self);
            self.sources.retain(|path, _| before.get(path) == after.get(path));
        }
    }

    pub(super) fn move_sources(&mut self, list: List, from: &str, to: &str) {
        for (path, moved, source) in self.sources_of(list, from, to) {
            self.sources.remove(&path);
            self.sources.insert(moved, source);
        }
    }

    pub(super) fn copy_sources(&mut self, list: List, from: &str, to: &str) {
        let copies = self.sources_of(list, from, to);
        self.sources.extend(copies.into_iter().map(|(_, path, source)| (path, source)));
    }

    /// The sources of one entry of a list: path, the path under another name, and source. Compared whole, because
    /// "a.b" is a name too.
    fn sources_of(&self, list: List, name: &str, other: &str) -> Vec<(String, String, Provenance)> {
        let path = |name: &str, field: &str| format!("{}.{name}.{field}", list.key());
        let fields = list.fields().into_iter();
        fields
            .filter_map(|field| {
                let source = self.sources.get(&path(name, &field))?.clone();
                Some((path(name, &field), path(other, &field), source))
            })
            .collect()
    }

    /// Lets the sources of the control table follow its rows, which moved from one place to another.
    pub(super) fn move_table_sources(&mut self, moved: impl Fn(usize) -> usize) {
        let sources = std::mem::take(&mut self.sources);
        self.sources = sources
            .into_iter()
            .map(|(path, source)| {
                let row = path.strip_prefix("table.").and_then(|rest| rest.split_once('.'));
                let row = row.and_then(|(row, field)| Some((row.parse::<usize>().ok()?, field)));
                (row.map_or_else(|| path.clone(), |(row, field)| format!("table.{}.{field}", moved(row))), source)
            })
            .collect();
    }
}
