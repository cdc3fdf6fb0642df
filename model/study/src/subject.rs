//! The trait of a kind of study: checks, edits and figures.

use std::any::Any;
use std::fmt::Debug;

use super::bill::Bill;
use super::check;
use super::field::Part;
use super::figure::{Figure, FigureValue};
use super::walk::names_of;
use super::watch::Watch;
use crate::formula::Node;
use crossover_quantity::invalid::Invalid;
use crossover_quantity::provenance::Sources;
use crossover_quantity::spread::Spreads;

/// A study: a described part that is checked, edited and evaluated as a whole. `dyn Subject` can be cloned and compared.
pub trait Subject: Part + CloneEq + Debug + Any + Send + Sync {
    /// Name of the kind of study in files, such as `placement`.
    fn kind(&self) -> &'static str;

    /// Sources of the numbers.
    fn sources(&self) -> &Sources;

    /// Sources of the numbers, mutable.
    fn sources_mut(&mut self) -> &mut Sources;

    /// Uncertainty of the numbers.
    fn spreads(&self) -> &Spreads;

    /// Uncertainty of the numbers, mutable.
    fn spreads_mut(&mut self) -> &mut Spreads;

    /// Error of the model as a whole, by the path of the number that represents it. If there is one, numbers fitted together
    /// with it count as exact: their uncertainty is part of the model error.
    fn model_errors(&self) -> Spreads {
        Spreads::new()
    }

    /// Prices of the machines, if there are any.
    fn bill(&self) -> Option<&Bill>;

    /// Prices of the machines, mutable.
    fn bill_mut(&mut self) -> &mut Option<Box<Bill>>;

    /// Checks before the fields are checked one by one.
    ///
    /// # Errors
    /// The problem and its path.
    fn check_first(&self) -> Result<(), Invalid> {
        Ok(())
    }

    /// Checks the relations between fields that are each valid alone.
    ///
    /// # Errors
    /// The problem and its path.
    fn check(&self) -> Result<(), Invalid>;

    /// Why a search does not offer the study as it is, although it is valid: nothing was measured of it.
    fn why_not_offered(&self) -> Option<Invalid> {
        None
    }

    /// Adjusts the fields that depend on the number at a path after it was changed alone, so that the study stays valid. Does
    /// nothing if numbers do not limit each other.
    fn settle(&mut self, path: &str) {
        let _ = path;
    }

    /// Updates uses of an entry's name that are not described as references.
    fn renamed(&mut self, list: &str, before: &str, after: &str) {
        let _ = (list, before, after);
    }

    /// Sets a value that is not a field, such as an entry of a map. `None` if the path has no such value, else the problem
    /// of the value, if any.
    fn assign(&mut self, path: &str, value: &str) -> Option<Result<(), String>> {
        let _ = (path, value);
        None
    }

    /// The figures that a study of this kind can have.
    fn figures(&self) -> &'static [Figure];

    /// The figures of a valid study, without those of its bill: [`answer`] adds them. `None` if it was cancelled.
    fn answer(&self, watch: Watch<'_>) -> Option<Vec<FigureValue>>;

    /// The values of these figures, in their order, as formulas of the numbers that `number` gives by path and value: such a
    /// study is evaluated at many points at once. Each of its numbers is limited by its own range alone. `None` if the
    /// figures are not formulas.
    fn formulas<'t>(&self, number: &dyn Fn(&str, f64) -> Node<'t>) -> Option<Vec<Node<'t>>> {
        let _ = number;
        None
    }
}

/// The functions of a [`Subject`] for what stands beside its numbers, in its fields `sources`, `uncertain` and `bill`.
#[macro_export]
macro_rules! annotations {
    () => {
        fn sources(&self) -> &::crossover_quantity::provenance::Sources {
            &self.sources
        }

        fn sources_mut(&mut self) -> &mut ::crossover_quantity::provenance::Sources {
            &mut self.sources
        }

        fn spreads(&self) -> &::crossover_quantity::spread::Spreads {
            &self.uncertain
        }

        fn spreads_mut(&mut self) -> &mut ::crossover_quantity::spread::Spreads {
            &mut self.uncertain
        }

        fn bill(&self) -> Option<&$crate::bill::Bill> {
            self.bill.as_deref()
        }

        fn bill_mut(&mut self) -> &mut Option<Box<$crate::bill::Bill>> {
            &mut self.bill
        }
    };
}

/// `Clone` and `PartialEq` for `dyn Subject`, which a trait object cannot have as supertraits. Every study that has both has this.
pub trait CloneEq {
    /// A copy.
    fn boxed(&self) -> Box<dyn Subject>;

    /// Whether another study is of the same type, and equal.
    fn equals(&self, other: &dyn Subject) -> bool;
}

impl<S: Subject + Clone + PartialEq> CloneEq for S {
    fn boxed(&self) -> Box<dyn Subject> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn Subject) -> bool {
        (other as &dyn Any).downcast_ref::<S>().is_some_and(|other| self == other)
    }
}

impl ToOwned for dyn Subject {
    type Owned = Box<dyn Subject>;

    fn to_owned(&self) -> Box<dyn Subject> {
        self.boxed()
    }
}

impl Clone for Box<dyn Subject> {
    fn clone(&self) -> Self {
        (**self).to_owned()
    }
}

impl PartialEq for dyn Subject {
    fn eq(&self, other: &dyn Subject) -> bool {
        self.equals(other)
    }
}

/// The figures of a valid study, with those of its bill; `None` if it was cancelled.
#[must_use]
pub fn answer(study: &dyn Subject, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
    let mut figures = study.answer(watch)?;
    if let Some(bill) = study.bill() {
        let of_bill = bill.figures(study, &figures);
        figures.extend(of_bill);
    }
    Some(figures)
}

/// The values of [`answer`] as formulas of the numbers that `number` gives by path and value; not a number where there is no
/// value. `None` if the figures are not formulas.
#[must_use]
pub fn formulas<'t>(study: &dyn Subject, number: &dyn Fn(&str, f64) -> Node<'t>) -> Option<Vec<Node<'t>>> {
    let mut formulas = study.formulas(number)?;
    if let Some(bill) = study.bill() {
        let keys = figures(study);
        let time = keys.iter().zip(&formulas).find(|(one, _)| one.of.is_none() && one.figure.key == bill.run);
        let of_bill = bill.formulas(study, time.map(|(_, formula)| *formula), number);
        formulas.extend(of_bill);
    }
    Some(formulas)
}

/// The figures that a study can have, with those of its bill, without their values: nothing is computed.
#[must_use]
pub fn figures(study: &dyn Subject) -> Vec<FigureValue> {
    let of_lists = study.figures().iter().flat_map(|figure| match figure.list {
        None => vec![FigureValue::whole(figure, None)],
        Some(list) => names_of(study, list).into_iter().map(|name| FigureValue::of(figure, name, None)).collect(),
    });
    let mut figures: Vec<FigureValue> = of_lists.collect();
    let of_bill = study.bill().map_or_else(Vec::new, |bill| bill.figures(study, &[]));
    figures.extend(of_bill.into_iter().map(|one| FigureValue { value: None, ..one }));
    figures
}

/// Checks a study.
///
/// # Errors
/// The first problem and its path.
pub fn validate(study: &dyn Subject) -> Result<(), Invalid> {
    study.check_first()?;
    check::check(study)?;
    study.check()?;
    study.bill().map_or(Ok(()), |bill| bill.check(study, study.figures()))?;
    check::sources(study, study.sources())?;
    check::spreads(study, study.spreads())
}
