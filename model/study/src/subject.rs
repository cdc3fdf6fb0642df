//! What a kind of study says besides its description.

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

/// What a scenario is about: a described part that is checked, edited and evaluated as a whole. Behind `dyn Subject` it is
/// cloned and compared like any other value.
pub trait Subject: Part + CloneEq + Debug + Any + Send + Sync {
    /// The kind of study by its name for programs, as `placement`.
    fn kind(&self) -> &'static str;

    /// Where the numbers come from.
    fn sources(&self) -> &Sources;

    /// Where the numbers come from, to be changed.
    fn sources_mut(&mut self) -> &mut Sources;

    /// How far numbers may be from their values.
    fn spreads(&self) -> &Spreads;

    /// How far numbers may be from their values, to be changed.
    fn spreads_mut(&mut self) -> &mut Spreads;

    /// How far the model may be off as a whole, by the path of a number that stands for that. Where it says something, numbers
    /// that were fitted together with it are taken to be known: that they are not makes the model be off.
    fn model_errors(&self) -> Spreads {
        Spreads::new()
    }

    /// What the machines cost, if that is asked.
    fn bill(&self) -> Option<&Bill>;

    /// What the machines cost, to be changed.
    fn bill_mut(&mut self) -> &mut Option<Box<Bill>>;

    /// What must hold before the fields are looked at one by one.
    ///
    /// # Errors
    /// What does not hold, and where.
    fn check_first(&self) -> Result<(), Invalid> {
        Ok(())
    }

    /// What must hold between fields that each fit their description.
    ///
    /// # Errors
    /// What does not hold, and where.
    fn check(&self) -> Result<(), Invalid>;

    /// Moves what depends on the number at a path after that was changed alone, so that the study stays valid. Nothing
    /// where numbers do not limit each other.
    fn settle(&mut self, path: &str) {
        let _ = path;
    }

    /// Lets what names an entry of a list, without being described as a reference, follow to its new name.
    fn renamed(&mut self, list: &str, before: &str, after: &str) {
        let _ = (list, before, after);
    }

    /// Sets what is no field, such as an entry of a map that comes and goes. `None` if the path leads to nothing of
    /// that kind, else what is wrong with the value, if anything.
    fn assign(&mut self, path: &str, value: &str) -> Option<Result<(), String>> {
        let _ = (path, value);
        None
    }

    /// The figures that a study of this kind can have.
    fn figures(&self) -> &'static [Figure];

    /// The figures of a valid study, without those of its bill: [`answer`] has these too. `None` if it was called off.
    fn answer(&self, watch: Watch<'_>) -> Option<Vec<FigureValue>>;

    /// The values of these figures, in their order, as formulas of numbers that `number` stands for by path and value: a study
    /// that has them is evaluated at many points at once. Each of its numbers is limited by its own range alone. `None` where
    /// figures are no formulas.
    fn formulas<'t>(&self, number: &dyn Fn(&str, f64) -> Node<'t>) -> Option<Vec<Node<'t>>> {
        let _ = number;
        None
    }
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

/// The figures of a valid study, with those of its bill; `None` if it was called off.
#[must_use]
pub fn answer(study: &dyn Subject, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
    let mut figures = study.answer(watch)?;
    if let Some(bill) = study.bill() {
        let of_bill = bill.figures(study, &figures);
        figures.extend(of_bill);
    }
    Some(figures)
}

/// The values that [`answer`] has, as formulas of numbers that `number` stands for by path and value; not a number where there
/// is no value. `None` where figures are no formulas.
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

/// The first thing that is wrong with a study.
///
/// # Errors
/// What is wrong, and where.
pub fn validate(study: &dyn Subject) -> Result<(), Invalid> {
    study.check_first()?;
    check::check(study)?;
    study.check()?;
    study.bill().map_or(Ok(()), |bill| bill.check(study, study.figures()))?;
    check::sources(study, study.sources())?;
    check::spreads(study, study.spreads())
}
