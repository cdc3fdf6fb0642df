//! Edits that keep a study consistent: names stay unique, sources follow their field, what is needed stays there.

use super::study::{Centre, MOST_CENTRES, MOST_RUNS, MOST_TYPES, Probe, Route, Runs, TargetOperator, UnitType, Work};
use super::task::MOST_OPERATORS;
use crate::invalid::free_name;
use crate::shared::Shared;
use crate::study::sources;

/// Most sentences about failed runs that are kept.
const MOST_FAILED: usize = 1_000;

/// A run that is added to a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Units that it had.
    pub units: f64,
    /// How long it took, seconds.
    pub seconds: f64,
    /// Relative error of its output.
    pub error: Option<f64>,
    /// How long the target task takes by it, seconds.
    pub target_seconds: Option<f64>,
    /// When it began, hours from the midnight before a Monday.
    pub hours: Option<f64>,
}

impl Probe {
    /// Adds an operator at the end, under a name that is not taken yet, unless there are as many as are allowed.
    pub fn add_operator(&mut self, mut operator: TargetOperator) {
        let operators = &mut self.operators;
        if operators.len() < MOST_OPERATORS {
            operator.name = free_name(&operator.name, operators.iter().map(|other| other.name.as_str()));
            operators.push(operator);
        }
    }

    /// Removes an operator unless it is the last one; nothing takes its output any more.
    pub fn remove_operator(&mut self, index: usize) {
        let operators = &mut self.operators;
        if operators.len() > 1 && index < operators.len() {
            let gone = operators.remove(index).name;
            for of in operators {
                of.from.retain(|from| from.operator != gone);
            }
            sources::purge(self);
        }
    }

    /// Adds a centre at the end, under a name that is not taken yet, unless there are as many as are allowed; gives its place.
    pub fn add_centre(&mut self, mut centre: Centre) -> Option<usize> {
        if self.centres.len() >= MOST_CENTRES {
            return None;
        }
        centre.name = free_name(&centre.name, self.centres.iter().map(|other| other.name.as_str()));
        self.centres.push(centre);
        Some(self.centres.len() - 1)
    }

    /// Removes a centre unless it is the last one.
    pub fn remove_centre(&mut self, index: usize) {
        if self.centres.len() > 1 && index < self.centres.len() {
            self.centres.remove(index);
            sources::purge(self);
        }
    }

    /// Adds a type of units to a centre, under a name that is not taken yet, unless there are as many as are allowed; gives its
    /// place.
    pub fn add_units(&mut self, centre: usize, mut units: UnitType) -> Option<usize> {
        let centre = self.centres.get_mut(centre).filter(|centre| centre.units.len() < MOST_TYPES)?;
        units.name = free_name(&units.name, centre.units.iter().map(|other| other.name.as_str()));
        centre.units.push(units);
        Some(centre.units.len() - 1)
    }

    /// Removes a type of units of a centre unless it is the last one; a route that names it falls back to the table.
    pub fn remove_units(&mut self, centre: usize, index: usize) {
        if let Some(centre) = self.centres.get_mut(centre).filter(|centre| centre.units.len() > 1)
            && index < centre.units.len()
        {
            let gone = centre.units.remove(index).name;
            match &mut centre.route {
                Route::User(name) if *name == gone => centre.route = Route::Table,
                Route::Asked(names) => names.retain(|name| *name != gone),
                _ => {}
            }
            sources::purge(self);
        }
    }

    /// Adds work at the end, under a name that is not taken yet.
    pub fn add_work(&mut self, mut work: Work) {
        work.name = free_name(&work.name, self.work.iter().map(|other| other.name.as_str()));
        self.work.push(work);
    }

    /// Removes work.
    pub fn remove_work(&mut self, index: usize) {
        if index < self.work.len() {
            self.work.remove(index);
            sources::purge(self);
        }
    }
}

impl Runs {
    /// Makes room for runs of a probe with this fingerprint: those of another one go, whether there are any. `is_told`: the runs
    /// that follow say that they are of it.
    pub fn make_room_for(&mut self, fingerprint: &str, is_told: bool) -> bool {
        let are_of_another = self.probe.as_ref().is_some_and(|probe| probe != fingerprint);
        if are_of_another {
            *self = Self::default();
        }
        if is_told && self.seconds.is_empty() {
            self.probe = Some(fingerprint.to_owned());
        }
        are_of_another
    }

    /// Adds runs behind those that there are, and sentences about what failed; gives how many there was no room for.
    pub fn add(&mut self, runs: &[Run], failed: &[String]) -> usize {
        let room = MOST_RUNS.saturating_sub(self.seconds.len());
        let before = self.seconds.len();
        let taken = &runs[..runs.len().min(room)];
        let column = |values: &Shared<[f64]>, of: fn(&Run) -> f64| -> Shared<[f64]> {
            values.iter().copied().chain(taken.iter().map(of)).collect::<Vec<f64>>().into()
        };
        let optional = |values: &Shared<[Option<f64>]>, of: fn(&Run) -> Option<f64>| -> Shared<[Option<f64>]> {
            if values.is_empty() && taken.iter().all(|run| of(run).is_none()) {
                return values.clone();
            }
            let known = values.iter().copied().chain(std::iter::repeat(None)).take(before);
            known.chain(taken.iter().map(of)).collect::<Vec<Option<f64>>>().into()
        };
        // The newest say what is wrong now.
        let all = self.failed.len() + failed.len();
        let kept: Vec<String> =
            self.failed.iter().chain(failed).skip(all.saturating_sub(MOST_FAILED)).cloned().collect();
        *self = Self {
            units: column(&self.units, |run| run.units),
            seconds: column(&self.seconds, |run| run.seconds),
            errors: optional(&self.errors, |run| run.error),
            target_seconds: optional(&self.target_seconds, |run| run.target_seconds),
            hours: optional(&self.hours, |run| run.hours),
            failed: kept.into(),
            probe: self.probe.clone(),
        };
        runs.len() - taken.len()
    }
}
