//! Recording of formulas: operations on numbers, in order.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{Add, Div, Mul, Sub};

use super::real::{Real, power};

/// A number of a recorded formula.
#[derive(Debug, Clone, Copy)]
pub struct Node<'t> {
    pub(super) value: Value,
    /// The tape; none for a constant.
    tape: Option<&'t Tape>,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// A constant.
    Constant(f64),
    /// The input with this number.
    Input(usize),
    /// The result of the step with this number.
    Step(usize),
}

/// An operation on values.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Add(Value, Value),
    /// The product of the first two and the third: made of two steps when a program is.
    MultiplyAdd([Value; 3]),
    Subtract(Value, Value),
    Multiply(Value, Value),
    Divide(Value, Value),
    Larger(Value, Value),
    Ceil(Value),
    Ln(Value),
    Power(Value, Value),
    /// The third value where the first is above the second, else the fourth.
    IfAbove([Value; 4]),
    Of(fn(f64, f64) -> f64, Value, Value),
}

/// Identity of a step: its sort, and the bits of its values.
type Key = (u8, [(u8, u64); 4]);

/// Records formulas; equal steps are recorded once.
#[derive(Debug, Default)]
pub struct Tape {
    recorded: RefCell<Recorded>,
}

#[derive(Debug, Default)]
struct Recorded {
    steps: Vec<Step>,
    known: HashMap<Key, usize>,
}

impl Tape {
    /// An input.
    pub fn input(&self, number: usize) -> Node<'_> {
        Node { value: Value::Input(number), tape: Some(self) }
    }

    /// All recorded steps.
    pub(super) fn steps(&self) -> Vec<Step> {
        self.recorded.borrow().steps.clone()
    }

    fn record(&self, step: Step) -> Value {
        let mut recorded = self.recorded.borrow_mut();
        let next = recorded.steps.len();
        let place = *recorded.known.entry(step.key()).or_insert(next);
        if place == next {
            recorded.steps.push(step);
        }
        Value::Step(place)
    }

    /// The factors of a value that is some other one multiplied by a constant.
    fn scaled(&self, value: Value) -> (Value, f64) {
        if let Value::Step(place) = value
            && let Step::Multiply(of, Value::Constant(factor)) = self.recorded.borrow().steps[place]
        {
            return (of, factor);
        }
        (value, 1.0)
    }

    fn add(&self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Value::Constant(a), Value::Constant(b)) => Value::Constant(a + b),
            (Value::Constant(a), b) => self.add(b, Value::Constant(a)),
            (a, Value::Constant(0.0)) => a,
            (a, b) => {
                let ((of_a, by_a), (of_b, by_b)) = (self.scaled(a), self.scaled(b));
                // Two multiples of the same value.
                if of_a == of_b {
                    self.multiply(of_a, Value::Constant(by_a + by_b))
                } else {
                    self.record(Step::Add(a, b))
                }
            }
        }
    }

    fn subtract(&self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Value::Constant(a), Value::Constant(b)) => Value::Constant(a - b),
            (a, Value::Constant(0.0)) => a,
            (a, b) if a == b => Value::Constant(0.0),
            (a, b) => self.record(Step::Subtract(a, b)),
        }
    }

    fn multiply(&self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Value::Constant(a), Value::Constant(b)) => Value::Constant(a * b),
            (Value::Constant(a), b) => self.multiply(b, Value::Constant(a)),
            (_, Value::Constant(0.0)) => Value::Constant(0.0),
            (a, Value::Constant(1.0)) => a,
            (a, Value::Constant(b)) => {
                let (of, by) = self.scaled(a);
                self.record(Step::Multiply(of, Value::Constant(by * b)))
            }
            (a, b) => {
                // Constants go to the end, where they meet those that follow.
                let ((of_a, by_a), (of_b, by_b)) = (self.scaled(a), self.scaled(b));
                let product = self.record(Step::Multiply(of_a, of_b));
                self.multiply(product, Value::Constant(by_a * by_b))
            }
        }
    }

    fn divide(&self, a: Value, b: Value) -> Value {
        match (a, b) {
            (Value::Constant(a), Value::Constant(b)) => Value::Constant(a / b),
            (Value::Constant(0.0), _) => Value::Constant(0.0),
            (a, Value::Constant(b)) if (1.0 / b).is_finite() => self.multiply(a, Value::Constant(1.0 / b)),
            (a, b) => {
                let ((of_a, by_a), (of_b, by_b)) = (self.scaled(a), self.scaled(b));
                let by = by_a / by_b;
                match of_a {
                    Value::Constant(of_a) => self.record(Step::Divide(Value::Constant(of_a * by), of_b)),
                    _ if by.is_finite() => {
                        let quotient = self.record(Step::Divide(of_a, of_b));
                        self.multiply(quotient, Value::Constant(by))
                    }
                    _ => self.record(Step::Divide(a, b)),
                }
            }
        }
    }
}

impl Step {
    /// Its operands.
    pub(super) fn values(&self) -> impl Iterator<Item = Value> + use<> {
        let values: [Option<Value>; 4] = match *self {
            Self::Ceil(a) | Self::Ln(a) => [Some(a), None, None, None],
            Self::Add(a, b)
            | Self::Subtract(a, b)
            | Self::Multiply(a, b)
            | Self::Divide(a, b)
            | Self::Larger(a, b)
            | Self::Power(a, b)
            | Self::Of(_, a, b) => [Some(a), Some(b), None, None],
            Self::MultiplyAdd([a, b, c]) => [Some(a), Some(b), Some(c), None],
            Self::IfAbove(values) => values.map(Some),
        };
        values.into_iter().flatten()
    }

    /// The same step with other operands.
    pub(super) fn with(self, mut of: impl FnMut(Value) -> Value) -> Self {
        match self {
            Self::Add(a, b) => Self::Add(of(a), of(b)),
            Self::MultiplyAdd(values) => Self::MultiplyAdd(values.map(of)),
            Self::Subtract(a, b) => Self::Subtract(of(a), of(b)),
            Self::Multiply(a, b) => Self::Multiply(of(a), of(b)),
            Self::Divide(a, b) => Self::Divide(of(a), of(b)),
            Self::Larger(a, b) => Self::Larger(of(a), of(b)),
            Self::Ceil(a) => Self::Ceil(of(a)),
            Self::Ln(a) => Self::Ln(of(a)),
            Self::Power(a, b) => Self::Power(of(a), of(b)),
            Self::IfAbove(values) => Self::IfAbove(values.map(of)),
            Self::Of(function, a, b) => Self::Of(function, of(a), of(b)),
        }
    }

    fn key(&self) -> Key {
        let (sort, function) = match self {
            Self::Add(..) => (0, 0),
            Self::Subtract(..) => (1, 0),
            Self::Multiply(..) => (2, 0),
            Self::Divide(..) => (3, 0),
            Self::Larger(..) => (4, 0),
            Self::Ceil(..) => (5, 0),
            Self::Ln(..) => (6, 0),
            Self::Power(..) => (7, 0),
            Self::IfAbove(..) => (8, 0),
            Self::MultiplyAdd(..) => (10, 0),
            Self::Of(function, ..) => (9, *function as usize as u64),
        };
        let mut values = [(u8::MAX, function); 4];
        for (place, value) in self.values().enumerate() {
            values[place] = match value {
                Value::Constant(value) => (0, value.to_bits()),
                Value::Input(number) => (1, number as u64),
                Value::Step(number) => (2, number as u64),
            };
        }
        (sort, values)
    }
}

impl From<f64> for Node<'_> {
    fn from(value: f64) -> Self {
        Self { value: Value::Constant(value), tape: None }
    }
}

impl<'t> Node<'t> {
    /// The result of some values: recorded if one of them is on a tape, else evaluated by `known`.
    fn of<const N: usize>(
        of: [Self; N],
        record: impl FnOnce(&'t Tape, [Value; N]) -> Value,
        known: impl FnOnce([f64; N]) -> f64,
    ) -> Self {
        let constant = |node: &Self| if let Value::Constant(value) = node.value { value } else { f64::NAN };
        match of.iter().find_map(|node| node.tape) {
            Some(tape) if of.iter().any(|node| !matches!(node.value, Value::Constant(_))) => {
                Self { value: record(tape, of.map(|node| node.value)), tape: Some(tape) }
            }
            _ => Self::from(known(of.each_ref().map(constant))),
        }
    }
}

impl Add for Node<'_> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::of([self, other], |tape, [a, b]| tape.add(a, b), |[a, b]| a + b)
    }
}

impl Sub for Node<'_> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::of([self, other], |tape, [a, b]| tape.subtract(a, b), |[a, b]| a - b)
    }
}

impl Mul for Node<'_> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::of([self, other], |tape, [a, b]| tape.multiply(a, b), |[a, b]| a * b)
    }
}

impl Div for Node<'_> {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        Self::of([self, other], |tape, [a, b]| tape.divide(a, b), |[a, b]| a / b)
    }
}

impl Real for Node<'_> {
    fn max(self, other: Self) -> Self {
        Self::of([self, other], |tape, [a, b]| tape.record(Step::Larger(a, b)), |[a, b]| a.max(b))
    }

    fn ceil(self) -> Self {
        Self::of([self], |tape, [a]| tape.record(Step::Ceil(a)), |[a]| a.ceil())
    }

    fn ln(self) -> Self {
        Self::of([self], |tape, [a]| tape.record(Step::Ln(a)), |[a]| a.ln())
    }

    fn power(self, exponent: Self) -> Self {
        let record = |tape: &Tape, [a, b]: [Value; 2]| match b {
            Value::Constant(1.0) => a,
            Value::Constant(2.0) => tape.multiply(a, a),
            b => tape.record(Step::Power(a, b)),
        };
        Self::of([self, exponent], record, |[a, b]| power(a, b))
    }

    fn if_above(self, bound: Self, then: Self, otherwise: Self) -> Self {
        let record = |tape: &Tape, [of, bound, then, otherwise]: [Value; 4]| match (of, bound) {
            (Value::Constant(of), Value::Constant(bound)) => {
                if of > bound {
                    then
                } else {
                    otherwise
                }
            }
            _ if then == otherwise => then,
            _ => tape.record(Step::IfAbove([of, bound, then, otherwise])),
        };
        let known = |[of, bound, then, otherwise]: [f64; 4]| of.if_above(bound, then, otherwise);
        Self::of([self, bound, then, otherwise], record, known)
    }

    fn of_both(function: fn(f64, f64) -> f64, a: Self, b: Self) -> Self {
        Self::of([a, b], |tape, [a, b]| tape.record(Step::Of(function, a, b)), |[a, b]| function(a, b))
    }
}
