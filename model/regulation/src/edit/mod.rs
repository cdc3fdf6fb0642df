//! Edits that keep a study consistent: names stay unique, sources follow their field and are removed when its value
//! changes, required entries stay.
//!
//! After one number was changed alone, [`Regulation::settle`] moves what depends on it.

mod curve;
mod import;
mod settle;

use std::cmp::Ordering;

use super::gain_table::GainTable;
use super::pid::Gains;
use super::study::{
    Actuator, Band, Cluster, Concurrency, Controller, CurvePoint, Form, Fuzzy, MOST_CLUSTERS, MOST_CONTROLLERS,
    PowerLaw, PrecisionLevel, Regulation, Schedule, Shape, Voltage,
};
use super::tuning::with_gains;
use crossover_quantity::invalid::free_name;
use crossover_quantity::provenance::Provenance;
use crossover_study::{Subject, numbers, sources};
pub use curve::MOST_CURVE_POINTS;

/// Width of a row that is added at an end of the control table.
const NEW_BAND: f64 = 0.2;
/// Voltage of a cluster that had none: a tenth down and up, an assumption.
const VOLTAGE: Voltage = Voltage { start: 1.0, least: 0.9, most: 1.1 };
/// Concurrency of a cluster that had none: one task that uses a whole vGPU.
const CONCURRENCY: Concurrency = Concurrency { start: 1.0, most: 8.0, task_share: 1.0 };

impl Regulation {
    /// Adds a cluster at the end, under a name that is not taken yet; the run becomes shorter where it would be too
    /// long for so many clusters. False if the study has as many as are allowed.
    pub fn add_cluster(&mut self, mut cluster: Cluster) -> bool {
        if self.clusters.len() >= MOST_CLUSTERS {
            return false;
        }
        cluster.name = free_name(&cluster.name, self.clusters.iter().map(|other| other.name.as_str()));
        self.clusters.push(cluster);
        self.settle("run.periods");
        true
    }

    /// Adds a copy of a cluster after it, with its sources; false if there is none or no more are allowed.
    pub fn duplicate_cluster(&mut self, index: usize) -> bool {
        let Some(cluster) = self.clusters.get(index).cloned() else { return false };
        let before = cluster.name.clone();
        if !self.add_cluster(cluster) {
            return false;
        }
        let name = self.clusters[self.clusters.len() - 1].name.clone();
        sources::copy(self, "clusters", &before, &name);
        self.clusters[index + 1..].rotate_right(1);
        true
    }

    /// Removes a cluster unless it is the last one.
    pub fn remove_cluster(&mut self, index: usize) {
        if self.clusters.len() > 1 && index < self.clusters.len() {
            self.clusters.remove(index);
            sources::purge(self);
        }
    }

    /// Adds a controller at the end, under a name that is not taken yet; false if the study has as many as are
    /// allowed.
    pub fn add_controller(&mut self, mut controller: Controller) -> bool {
        if self.controllers.len() >= MOST_CONTROLLERS {
            return false;
        }
        controller.name = free_name(&controller.name, self.controllers.iter().map(|other| other.name.as_str()));
        self.controllers.push(controller);
        true
    }

    /// Adds a copy of a controller after it, with its sources; false if there is none or no more are allowed.
    pub fn duplicate_controller(&mut self, index: usize) -> bool {
        let Some(controller) = self.controllers.get(index).cloned() else { return false };
        let before = controller.name.clone();
        if !self.add_controller(controller) {
            return false;
        }
        let name = self.controllers[self.controllers.len() - 1].name.clone();
        sources::copy(self, "controllers", &before, &name);
        self.controllers[index + 1..].rotate_right(1);
        true
    }

    /// Removes a controller unless it is the last one; if it was the clusters' own, the first one takes its place.
    pub fn remove_controller(&mut self, index: usize) {
        if self.controllers.len() > 1 && index < self.controllers.len() {
            let removed = self.controllers.remove(index);
            if self.policy.controller == removed.name {
                self.policy.controller.clone_from(&self.controllers[0].name);
            }
            sources::purge(self);
        }
    }

    /// Sets or removes the learned gains of a controller; set, they take the place of a schedule. False, and nothing happens, if
    /// there is no such controller or the table has a [problem](GainTable::problem).
    pub fn set_learned(&mut self, index: usize, table: Option<GainTable>) -> bool {
        let is_valid = table.as_ref().is_none_or(|table| table.problem().is_none());
        if index >= self.controllers.len() || !is_valid {
            return false;
        }
        sources::enter(self, |study| {
            let controller = &mut study.controllers[index];
            if table.is_some() {
                controller.schedule = None;
            }
            controller.learned = table;
        });
        true
    }

    /// Sets or removes the gain schedule of a controller; sources of numbers that change go.
    pub fn set_schedule(&mut self, index: usize, schedule: Option<Schedule>) {
        sources::enter(self, |study| {
            if let Some(controller) = study.controllers.get_mut(index) {
                if schedule.is_some() {
                    controller.learned = None;
                }
                controller.schedule = schedule;
            }
        });
    }

    /// Gives a controller another form and constant gains, in place of a schedule too; sources of numbers that change
    /// go. False, and nothing happens, if there is no such controller or a gain is beyond its range, see
    /// [`Gains::problem`].
    pub fn set_gains(&mut self, index: usize, form: Form, gains: Gains) -> bool {
        if index >= self.controllers.len() || gains.problem().is_some() {
            return false;
        }
        sources::enter(self, |study| {
            let controller = &mut study.controllers[index];
            *controller = Controller { form, ..with_gains(controller, gains) };
        });
        true
    }

    /// Corrects the gains of a controller by fuzzy rules, or not; sources of numbers that change go.
    pub fn set_fuzzy(&mut self, index: usize, fuzzy: Option<Fuzzy>) {
        sources::enter(self, |study| {
            if let Some(controller) = study.controllers.get_mut(index) {
                controller.fuzzy = fuzzy;
            }
        });
    }

    /// Gives the demand of a cluster another shape. What the shape needs and the study lacks is filled in: a recorded
    /// series begins with the one value that the demand has now, and a ramp ends after it begins.
    pub fn set_shape(&mut self, cluster: usize, shape: Shape) {
        let Some(Cluster { name, demand, .. }) = self.clusters.get_mut(cluster) else { return };
        demand.shape = shape;
        if shape == Shape::Recorded && demand.series.is_empty() {
            demand.series = vec![demand.high_tops].into();
        }
        let path = format!("clusters.{name}.demand.start_seconds");
        self.settle(&path);
    }

    /// Sets how power grows with frequency. A measured curve that has fewer than two points becomes a straight line,
    /// power ∝ f.
    pub fn set_power_law(&mut self, law: PowerLaw) {
        sources::enter(self, |study| {
            study.power.law = law;
            if law == PowerLaw::Measured && study.power.curve.len() < 2 {
                let straight = |ratio| CurvePoint { frequency_ratio: ratio, power_ratio: ratio };
                study.power.curve = vec![straight(0.5), straight(1.5)];
            }
        });
    }

    /// Uses an actuator, as the last one in the order, or uses it no longer unless it is the last one that is used. Clusters
    /// without a voltage or a concurrency get one that leaves their speed and power as they are.
    pub fn use_actuator(&mut self, actuator: Actuator, is_used: bool) {
        let order = &mut self.actuators.order;
        if is_used && !order.contains(&actuator) {
            order.push(actuator);
            for cluster in &mut self.clusters {
                match actuator {
                    Actuator::Voltage => _ = cluster.voltage.get_or_insert(VOLTAGE),
                    Actuator::Concurrency => _ = cluster.concurrency.get_or_insert(CONCURRENCY),
                    Actuator::Vgpus | Actuator::Frequency | Actuator::Precision => {}
                }
            }
        } else if !is_used && order.len() > 1 {
            order.retain(|other| *other != actuator);
        }
    }

    /// Uses the control table of the published method, which becomes the source of its numbers.
    pub fn use_published_table(&mut self) {
        self.table = super::table::published();
        self.sources.retain(|path, _| !path.starts_with("table."));
        let source = Provenance::Published("the control table of the worked example".to_owned());
        let paths: Vec<String> = numbers(self).into_iter().map(|(path, ..)| path.to_string()).collect();
        let of_table = paths.into_iter().filter(|path| path.starts_with("table."));
        self.sources.extend(of_table.map(|path| (path, source.clone())));
    }

    /// Divides a row of the control table in the middle; both halves act as it did. The half of the dead zone in which
    /// zero is not stays without action. The dead zone keeps zero inside: where its middle is zero it is not divided.
    pub fn split_band(&mut self, index: usize) {
        let Some(band) = self.table.get(index).cloned() else { return };
        let middle = f64::midpoint(band.from, band.to);
        if middle <= band.from || middle >= band.to || middle == 0.0 {
            return;
        }
        self.table[index].to = middle;
        self.table.insert(index + 1, Band { from: middle, ..band });
        sources::move_entries(self, "table", |row| Some(if row > index { row + 1 } else { row }));
        self.sources.remove(&format!("table.{index}.to"));
    }

    /// Adds a row before the first one of the control table (`before`) or after the last one; it acts as its neighbour
    /// does. Nothing happens where the table reaches as far as is allowed.
    pub fn add_band(&mut self, before: bool) {
        let most = Band::TO.max;
        if before && self.table.first().is_some_and(|first| first.from > -most) {
            let first = self.table[0].clone();
            let row = Band { from: (first.from - NEW_BAND).max(-most), to: first.from, ..first };
            self.table.insert(0, row);
            sources::move_entries(self, "table", |row| Some(row + 1));
        } else if !before && self.table.last().is_some_and(|last| last.to < most) {
            let last = self.table[self.table.len() - 1].clone();
            self.table.push(Band { from: last.to, to: (last.to + NEW_BAND).min(most), ..last });
        }
    }

    /// Removes a row of the control table, but never the dead zone. The neighbour nearer to zero takes over its
    /// outputs, except where it was the outermost row: outputs beyond the table take the outermost one anyway.
    pub fn remove_band(&mut self, index: usize) {
        let Some(dead_zone) = super::table::dead_zone_row(&self.table) else { return };
        if index == dead_zone || index >= self.table.len() {
            return;
        }
        let removed = self.table.remove(index);
        if index > 0 && index < self.table.len() {
            let changed = if index < dead_zone {
                self.table[index].from = removed.from;
                format!("table.{}.from", index + 1)
            } else {
                self.table[index - 1].to = removed.to;
                format!("table.{}.to", index - 1)
            };
            self.sources.remove(&changed);
        }
        sources::move_entries(self, "table", |row| match row.cmp(&index) {
            Ordering::Less => Some(row),
            Ordering::Equal => None,
            Ordering::Greater => Some(row - 1),
        });
    }

    /// Adds a precision level above the highest one, under a name that is not taken yet.
    pub fn add_precision(&mut self, mut level: PrecisionLevel) {
        level.name = free_name(&level.name, self.precisions.iter().map(|other| other.name.as_str()));
        self.precisions.push(level);
    }

    /// Whether a cluster starts at a precision level or has it as a limit.
    #[must_use]
    pub fn uses_precision(&self, index: usize) -> bool {
        self.precisions.get(index).is_some_and(|level| {
            self.clusters.iter().any(|cluster| {
                [&cluster.precision, &cluster.lowest_precision, &cluster.highest_precision].contains(&&level.name)
            })
        })
    }

    /// Swaps two precision levels; the limits of each cluster then enclose its precision again.
    pub fn swap_precisions(&mut self, a: usize, b: usize) {
        let count = self.precisions.len();
        if a >= count || b >= count {
            return;
        }
        self.precisions.swap(a, b);
        let paths: Vec<String> =
            self.clusters.iter().map(|cluster| format!("clusters.{}.precision", cluster.name)).collect();
        for path in paths {
            self.settle(&path);
        }
    }

    /// Removes a precision level unless a cluster uses it.
    pub fn remove_precision(&mut self, index: usize) {
        if index < self.precisions.len() && !self.uses_precision(index) {
            self.precisions.remove(index);
            sources::purge(self);
        }
    }
}
