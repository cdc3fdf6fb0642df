//! Edits that keep a study consistent: names stay unique, sources follow their field, the last entry of a list stays.

use super::build::Built;
use super::centre::supports;
use super::study::{Centre, MOST_CENTRES, MOST_RUNS, MOST_TYPES, Probe, Route, Runs, TargetOperator, UnitType, Work};
use crossover_measured::probe::library;
use crossover_measured::probe::task::{Command, MOST_OPERATORS, Program};
use crossover_quantity::invalid::free_name;
use crossover_quantity::shared::Shared;
use crossover_study::sources;

/// Most sentences about failed runs that are kept.
const MOST_FAILED: usize = 1_000;

/// A run that is added to a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Units of the run.
    pub units: f64,
    /// Time of the run, seconds.
    pub seconds: f64,
    /// Relative error of its output.
    pub error: Option<f64>,
    /// Time of the target task estimated from the run, seconds.
    pub target_seconds: Option<f64>,
    /// Start of the run, hours from the midnight before a Monday, UTC.
    pub hours: Option<f64>,
}

impl Probe {
    /// Adds an operator at the end under a unique name, unless the list is full.
    pub fn add_operator(&mut self, mut operator: TargetOperator) {
        let operators = &mut self.operators;
        if operators.len() < MOST_OPERATORS {
            operator.name = free_name(&operator.name, operators.iter().map(|other| other.name.as_str()));
            operators.push(operator);
        }
    }

    /// Removes an operator unless it is the last one, also from the inputs of others.
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

    /// Adds a centre at the end under a unique name, unless the list is full; returns its index.
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

    /// Adds a type of units to a centre under a unique name, unless the list is full; returns its index.
    pub fn add_units(&mut self, centre: usize, mut units: UnitType) -> Option<usize> {
        let centre = self.centres.get_mut(centre).filter(|centre| centre.units.len() < MOST_TYPES)?;
        units.name = free_name(&units.name, centre.units.iter().map(|other| other.name.as_str()));
        centre.units.push(units);
        Some(centre.units.len() - 1)
    }

    /// Removes a type of units of a centre unless it is the last one. A route to it falls back to the table.
    pub fn remove_units(&mut self, centre: usize, index: usize) {
        if let Some(centre) = self.centres.get_mut(centre).filter(|centre| centre.units.len() > 1)
            && index < centre.units.len()
        {
            let gone = centre.units.remove(index).name;
            match &mut centre.route {
                Route::User(name) if *name == gone => centre.route = Route::Table,
                Route::Named(names) => names.retain(|name| *name != gone),
                _ => {}
            }
            sources::purge(self);
        }
    }

    /// Renames a type of units of a centre, also in its route and sources. Returns false and changes nothing if there is no
    /// such type, or the name is empty or taken.
    pub fn rename_units(&mut self, centre: usize, index: usize, name: &str) -> bool {
        let Some(of) = self.centres.get_mut(centre).filter(|of| index < of.units.len()) else { return false };
        let is_taken = of.units.iter().enumerate().any(|(place, other)| place != index && other.name == name);
        if name.trim().is_empty() || is_taken {
            return false;
        }
        let before = std::mem::replace(&mut of.units[index].name, name.to_owned());
        let named = match &mut of.route {
            Route::Table | Route::Centre => &mut [],
            Route::Named(names) => &mut names[..],
            Route::User(name) => std::slice::from_mut(name),
        };
        for of_route in named.iter_mut().filter(|named| **named == before) {
            name.clone_into(of_route);
        }
        let centre = of.name.clone();
        sources::follow(self, &["centres", &centre, "units", name], &before);
        true
    }

    /// Renames an operator of the task in the lists of supported operators.
    pub(super) fn follow_operator(&mut self, before: &str, after: &str) {
        for of in self.centres.iter_mut().flat_map(|centre| &mut centre.units) {
            if let Some(place) = of.supports.iter().position(|name| name == before) {
                // The library may have an operator of the old name, which the units still support.
                match library::operator(before) {
                    Some(_) => of.supports.push(after.to_owned()),
                    None => after.clone_into(&mut of.supports[place]),
                }
            }
        }
    }

    /// Adds a program at the end under a unique name, unless the list is full.
    pub fn add_program(&mut self) {
        let added = &mut self.target.programs;
        if added.len() < MOST_OPERATORS {
            let key = free_name("program", added.iter().map(|other| other.key.as_str()));
            let command = Command::new(vec![format!("./{}", key.replace(' ', "-"))]);
            added.push(Program {
                key,
                categories: self.target.category.into_iter().collect(),
                aliases: Vec::new(),
                command,
            });
        }
    }

    /// Renames a program, also in the operators that run it. Returns false and changes nothing if there is no such program, or
    /// the key is empty or taken.
    pub fn rename_program(&mut self, index: usize, key: &str) -> bool {
        let added = &mut self.target.programs;
        let is_taken = added.iter().enumerate().any(|(place, other)| place != index && other.key == key);
        if index >= added.len() || is_taken || key.trim().is_empty() {
            return false;
        }
        let before = std::mem::replace(&mut added[index].key, key.to_owned());
        for of in self.operators.iter_mut().filter(|of| of.library_operator == before) {
            key.clone_into(&mut of.library_operator);
        }
        true
    }

    /// Removes a program; operators that ran it are matched by name again.
    pub fn remove_program(&mut self, index: usize) {
        if index < self.target.programs.len() {
            let gone = self.target.programs.remove(index).key;
            if library::operator(&gone).is_none() {
                for of in self.operators.iter_mut().filter(|of| of.library_operator == gone) {
                    of.library_operator.clear();
                }
            }
        }
    }

    /// Adds work at the end under a unique name.
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

impl UnitType {
    /// Sets whether the units support an operator of the task; `built` is the probe of the task. The last operator of the list
    /// stays, because an empty list means all operators.
    pub fn support(&mut self, name: &str, is_supported: bool, built: &Built) {
        if self.supports.is_empty() {
            return;
        }
        if is_supported {
            if !self.supports.iter().any(|other| other == name) {
                self.supports.push(name.to_owned());
            }
            return;
        }
        // A key of the library covers all operators that execute it; the others stay supported by name.
        let key = built.operators().find(|of| of.name == name).and_then(|of| of.runs.key());
        let others = built.operators().filter(|of| of.name != name && key.is_some() && of.runs.key() == key);
        let others = others.filter(|of| supports(self, of)).map(|of| of.name.clone());
        let kept = self.supports.iter().filter(|other| *other != name && Some(other.as_str()) != key).cloned();
        let mut left: Vec<String> = kept.collect();
        for other in others {
            if !left.contains(&other) {
                left.push(other);
            }
        }
        if !left.is_empty() {
            self.supports = left;
        }
    }
}

impl Runs {
    /// Prepares for runs of the probe with this fingerprint: removes runs of another probe, and returns whether there were any.
    /// `is_recorded`: the runs to be added record their probe.
    pub fn start_probe(&mut self, fingerprint: &str, is_recorded: bool) -> bool {
        let are_of_another = self.probe.as_ref().is_some_and(|probe| probe != fingerprint);
        if are_of_another {
            *self = Self::default();
        }
        if is_recorded && self.seconds.is_empty() {
            self.probe = Some(fingerprint.to_owned());
        }
        are_of_another
    }

    /// Appends runs and the reasons of failed ones; returns how many runs exceeded the limit.
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
        // The newest reasons are kept: they describe what is wrong now.
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

#[cfg(test)]
mod tests {
    use super::super::build::build;
    use super::*;
    use crossover_quantity::provenance::Provenance;
    use crossover_study::sources::rename;
    use crossover_study::validate;

    /// The published example: operators 1, 2 and 3 run dgemm, spmv and trigonometry; units 1, 2 and 3 of one centre.
    fn published() -> Probe {
        crossover_needs::study_in(include_str!("../../../scenarios/probe-published.ron"))
    }

    fn of_task(study: &Probe) -> Built {
        build("probe", &study.target, &study.operators)
    }

    fn source(study: &Probe, path: &str) -> Option<&'static str> {
        study.sources.get(path).map(Provenance::kind)
    }

    #[test]
    fn units_get_another_name_and_route_and_sources_follow() {
        let mut study = published();
        study.centres[0].units[1]
            .runs
            .add(&[Run { units: 1.0, seconds: 2.0, error: None, target_seconds: None, hours: None }], &[]);
        for column in ["units", "seconds"] {
            let path = format!("centres.example centre.units.unit 2.runs.{column}");
            study.sources.insert(path, Provenance::Imported { file: "runs.csv".to_owned() });
        }
        let count = study.sources.len();
        study.centres[0].route = Route::User("unit 2".to_owned());
        assert!(study.rename_units(0, 1, "unit 2.runs"));
        assert_eq!(study.centres[0].units[1].name, "unit 2.runs");
        assert_eq!(study.centres[0].route, Route::User("unit 2.runs".to_owned()));
        assert_eq!(study.sources.len(), count);
        assert_eq!(source(&study, "centres.example centre.units.unit 2.runs.runs.seconds"), Some("imported"));
        assert_eq!(source(&study, "centres.example centre.units.unit 2.runs.count"), Some("published"));
        assert_eq!(source(&study, "centres.example centre.units.unit 2.count"), None);
        assert_eq!(source(&study, "centres.example centre.units.unit 1.count"), Some("published"));
        assert_eq!(validate(&study), Ok(()));
        // What the centre named keeps its order.
        let named = |names: [&str; 2]| Route::Named(names.map(str::to_owned).to_vec());
        study.centres[0].route = named(["unit 3", "unit 2.runs"]);
        assert!(study.rename_units(0, 1, "b") && study.rename_units(0, 2, "c"));
        assert_eq!(study.centres[0].route, named(["c", "b"]));
        assert_eq!((study.sources.len(), validate(&study)), (count, Ok(())));
    }

    #[test]
    fn units_of_another_centre_keep_their_sources() {
        let mut study = published();
        let copy = Centre { name: "other".to_owned(), ..study.centres[0].clone() };
        study.add_centre(copy);
        let published = Provenance::Published("Table 1".to_owned());
        study.sources.insert("centres.other.units.unit 1.count".to_owned(), published);
        assert!(study.rename_units(1, 0, "new"));
        assert_eq!(source(&study, "centres.other.units.new.count"), Some("published"));
        assert_eq!(source(&study, "centres.example centre.units.unit 1.count"), Some("published"));
    }

    #[test]
    fn an_empty_or_taken_name_of_units_changes_nothing() {
        let mut study = published();
        let before = study.clone();
        for (centre, index, name) in [(0, 0, ""), (0, 0, " "), (0, 0, "unit 2"), (0, 3, "new"), (1, 0, "new")] {
            assert!(!study.rename_units(centre, index, name), "{name}");
        }
        assert_eq!(study, before);
        assert!(study.rename_units(0, 0, "unit 1"), "its own name");
        assert_eq!(study, before);
    }

    #[test]
    fn operators_are_supported_one_by_one_and_a_key_covers_all_that_execute_it() {
        let mut study = published();
        study.add_operator(TargetOperator { library_operator: "dgemm".to_owned(), ..study.operators[0].clone() });
        let built = of_task(&study);
        let names: Vec<&str> = built.operators().map(|of| of.name.as_str()).collect();
        assert_eq!(names, ["operator 1", "operator 2", "operator 3", "operator 1 2"]);
        let mut of = UnitType { supports: vec!["dgemm".to_owned()], ..UnitType::default() };
        let supported = |of: &UnitType| -> Vec<bool> { built.operators().map(|one| supports(of, one)).collect() };
        assert_eq!(supported(&of), [true, false, false, true]);
        of.support("operator 3", true, &built);
        assert_eq!(supported(&of), [true, false, true, true]);
        of.support("operator 1", false, &built);
        assert_eq!(supported(&of), [false, false, true, true]);
        assert_eq!(of.supports, ["operator 3", "operator 1 2"]);
        of.support("operator 3", false, &built);
        of.support("operator 1 2", false, &built);
        assert_eq!(of.supports, ["operator 1 2"], "the last one stays");
        let mut all = UnitType::default();
        all.support("operator 1", false, &built);
        assert_eq!(all.supports, <[String; 0]>::default(), "every operator");
    }

    #[test]
    fn supported_operators_follow_a_renamed_operator() {
        let mut study = published();
        assert!(rename(&mut study, "operators", 0, "solver"));
        assert_eq!(study.centres[0].units[0].supports, ["solver", "operator 3", "operator 4"]);
        // The library has a dgemm, which other operators may execute.
        assert!(rename(&mut study, "operators", 0, "dgemm") && rename(&mut study, "operators", 0, "product"));
        assert_eq!(study.centres[0].units[2].supports, ["dgemm", "operator 2", "operator 5", "product"]);
    }

    #[test]
    fn programs_are_added_named_and_removed_and_operators_that_run_them_follow() {
        let mut study = published();
        study.add_program();
        study.add_program();
        let keys: Vec<&str> = study.target.programs.iter().map(|of| of.key.as_str()).collect();
        assert_eq!(keys, ["program", "program 2"]);
        study.operators[1].library_operator = "program 2".to_owned();
        assert_eq!(validate(&study), Ok(()));
        assert!(!study.rename_program(1, "program") && !study.rename_program(1, " ") && !study.rename_program(2, "x"));
        assert!(study.rename_program(1, "poisson"));
        assert_eq!((study.operators[1].library_operator.as_str(), validate(&study)), ("poisson", Ok(())));
        study.remove_program(1);
        assert_eq!((study.operators[1].library_operator.as_str(), validate(&study)), ("", Ok(())));
        // An operator of the library that a program replaced is there again.
        assert!(study.rename_program(0, "dgemm"));
        study.remove_program(0);
        assert_eq!((study.operators[0].library_operator.as_str(), validate(&study)), ("dgemm", Ok(())));
    }
}
