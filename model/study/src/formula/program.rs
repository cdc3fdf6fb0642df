//! Recorded formulas, run over arrays.

#![expect(clippy::inline_always, reason = "vector instructions are in force only in what is inlined")]

use pulp::{Arch, NullaryFnOnce};

use super::real::power;
use super::tape::{Node, Step, Tape, Value};

/// Number of values that are evaluated at a time; intermediate results stay in the nearest cache.
pub const LANES: usize = 256;

/// Formulas of some numbers, ready to run.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// In their order; each writes the register next to it.
    steps: Vec<(Step, usize)>,
    outputs: Vec<Value>,
    registers: usize,
}

/// Intermediate results of a run; allocated once, used for many runs.
#[derive(Debug, Clone, Default)]
pub struct Registers {
    all: Vec<Register>,
    /// Instruction set of the processor; detection takes longer than a short run.
    arch: Arch,
}

/// Values of one step. Vectors that lie within lines of the cache are read twice as fast.
#[derive(Debug, Clone)]
#[repr(align(64))]
struct Register([f64; LANES]);

impl Program {
    /// The steps of a tape that these formulas need.
    #[must_use]
    pub fn new(tape: &Tape, formulas: &[Node<'_>]) -> Self {
        let outputs: Vec<Value> = formulas.iter().map(|formula| formula.value).collect();
        let steps = fused(tape.steps(), &outputs);
        // By step: the last step that reads it.
        let mut last_read: Vec<Option<usize>> = vec![None; steps.len()];
        for output in &outputs {
            if let Value::Step(place) = output {
                last_read[*place] = Some(usize::MAX);
            }
        }
        for (reader, step) in steps.iter().enumerate().rev() {
            if last_read[reader].is_some() {
                for value in step.values() {
                    if let Value::Step(place) = value {
                        last_read[place].get_or_insert(reader);
                    }
                }
            }
        }
        let mut program = Self::default();
        let mut free: Vec<usize> = Vec::new();
        let mut register_of = vec![0; steps.len()];
        for (place, step) in steps.into_iter().enumerate() {
            if last_read[place].is_none() {
                continue;
            }
            let to = free.pop().unwrap_or_else(|| {
                program.registers += 1;
                program.registers - 1
            });
            register_of[place] = to;
            let read = |value| if let Value::Step(of) = value { Value::Step(register_of[of]) } else { value };
            program.steps.push((step.with(read), to));
            for value in step.values() {
                if let Value::Step(of) = value
                    && last_read[of] == Some(place)
                {
                    // A step may read a value twice.
                    last_read[of] = Some(usize::MAX);
                    free.push(register_of[of]);
                }
            }
        }
        let read = |value| if let Value::Step(of) = value { Value::Step(register_of[of]) } else { value };
        program.outputs = outputs.into_iter().map(read).collect();
        program
    }

    /// Steps for each point, without constants.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether all formulas are constant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Evaluates every formula at some points: writes `outputs[formula][point]`, of `inputs[number][point]`.
    ///
    /// # Panics
    /// If there are fewer inputs or outputs than the formulas have, or they are of different lengths.
    pub fn run(&self, inputs: &[&[f64]], outputs: &mut [&mut [f64]], registers: &mut Registers) {
        let points = outputs.first().map_or(0, |output| output.len());
        registers.all.resize_with(self.registers.max(registers.all.len()), || Register([0.0; LANES]));
        for from in (0..points).step_by(LANES) {
            let to = (from + LANES).min(points);
            registers.arch.dispatch(Block { program: self, inputs, registers: &mut registers.all, from, to });
            for (output, value) in outputs.iter_mut().zip(&self.outputs) {
                let output = &mut output[from..to];
                match *value {
                    Value::Constant(value) => output.fill(value),
                    Value::Input(number) => output.copy_from_slice(&inputs[number][from..to]),
                    Value::Step(register) => output.copy_from_slice(&registers.all[register].0[..to - from]),
                }
            }
        }
    }
}

/// The same steps, with a product that is only added fused into the addition.
fn fused(mut steps: Vec<Step>, outputs: &[Value]) -> Vec<Step> {
    let mut readers = vec![0; steps.len()];
    let read = outputs.iter().copied().chain(steps.iter().flat_map(Step::values));
    for value in read {
        if let Value::Step(place) = value {
            readers[place] += 1;
        }
    }
    for place in 0..steps.len() {
        let Step::Add(a, b) = steps[place] else { continue };
        let product = |value| match value {
            Value::Step(of) if readers[of] == 1 => match steps[of] {
                Step::Multiply(a, b) => Some([a, b]),
                _ => None,
            },
            _ => None,
        };
        let found = product(a).map(|product| (product, b)).or_else(|| product(b).map(|product| (product, a)));
        if let Some(([of, by], rest)) = found {
            steps[place] = Step::MultiplyAdd([of, by, rest]);
        }
    }
    steps
}

/// Some points of a run.
struct Block<'a> {
    program: &'a Program,
    inputs: &'a [&'a [f64]],
    registers: &'a mut [Register],
    from: usize,
    to: usize,
}

/// One value of many, or the same for all.
#[derive(Clone, Copy)]
enum Lanes<'a> {
    Each(&'a [f64]),
    All(f64),
}

impl NullaryFnOnce for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { program, inputs, registers, from, to } = self;
        for (step, register) in &program.steps {
            // A step never reads what it writes.
            let (before, rest) = registers.split_at_mut(*register);
            let Some((written, after)) = rest.split_first_mut() else { return };
            let of = |value: Value| match value {
                Value::Constant(value) => Lanes::All(value),
                Value::Input(number) => Lanes::Each(&inputs[number][from..to]),
                Value::Step(place) if place < *register => Lanes::Each(&before[place].0[..to - from]),
                Value::Step(place) => Lanes::Each(&after[place - register - 1].0[..to - from]),
            };
            let out = &mut written.0[..to - from];
            match *step {
                Step::Add(a, b) => both(out, of(a), of(b), |a, b| a + b),
                Step::MultiplyAdd(values) => multiply_add(out, values.map(of)),
                Step::Subtract(a, b) => both(out, of(a), of(b), |a, b| a - b),
                Step::Multiply(a, b) => both(out, of(a), of(b), |a, b| a * b),
                Step::Divide(a, b) => both(out, of(a), of(b), |a, b| a / b),
                Step::Larger(a, b) => both(out, of(a), of(b), |a, b| if a > b { a } else { b }),
                Step::Ceil(a) => both(out, of(a), Lanes::All(0.0), |a, _| a.ceil()),
                Step::Ln(a) => both(out, of(a), Lanes::All(0.0), |a, _| a.ln()),
                Step::Power(a, b) => both(out, of(a), of(b), power),
                Step::Of(function, a, b) => both(out, of(a), of(b), function),
                Step::IfAbove(values) => choose(out, values.map(of)),
            }
        }
    }
}

#[inline(always)]
fn both(out: &mut [f64], a: Lanes<'_>, b: Lanes<'_>, of: impl Fn(f64, f64) -> f64) {
    match (a, b) {
        (Lanes::Each(a), Lanes::Each(b)) => {
            for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
                *out = of(*a, *b);
            }
        }
        (Lanes::Each(a), Lanes::All(b)) => {
            for (out, a) in out.iter_mut().zip(a) {
                *out = of(*a, b);
            }
        }
        (Lanes::All(a), Lanes::Each(b)) => {
            for (out, b) in out.iter_mut().zip(b) {
                *out = of(a, *b);
            }
        }
        (Lanes::All(a), Lanes::All(b)) => out.fill(of(a, b)),
    }
}

/// The product of two and a third one; what is constant of the first two comes second.
#[inline(always)]
fn multiply_add(out: &mut [f64], [a, b, c]: [Lanes<'_>; 3]) {
    match (a, b, c) {
        (Lanes::Each(a), Lanes::Each(b), Lanes::Each(c)) => {
            for (((out, a), b), c) in out.iter_mut().zip(a).zip(b).zip(c) {
                *out = a * b + c;
            }
        }
        (Lanes::Each(a), Lanes::All(b), Lanes::Each(c)) => both(out, Lanes::Each(a), Lanes::Each(c), |a, c| a * b + c),
        (Lanes::Each(a), Lanes::Each(b), Lanes::All(c)) => both(out, Lanes::Each(a), Lanes::Each(b), |a, b| a * b + c),
        (Lanes::Each(a), Lanes::All(b), Lanes::All(c)) => both(out, Lanes::Each(a), Lanes::All(c), |a, c| a * b + c),
        (Lanes::All(a), b, c) => both(out, b, c, |b, c| a * b + c),
    }
}

/// The third of four where the first is above the second, else the fourth.
#[inline(always)]
fn choose(out: &mut [f64], [of, bound, then, otherwise]: [Lanes<'_>; 4]) {
    both(out, of, bound, |of, bound| if of > bound { 1.0 } else { 0.0 });
    let pick = |is_above: f64, then: f64, otherwise: f64| if is_above > 0.0 { then } else { otherwise };
    match (then, otherwise) {
        (Lanes::Each(then), Lanes::Each(otherwise)) => {
            for ((out, then), otherwise) in out.iter_mut().zip(then).zip(otherwise) {
                *out = pick(*out, *then, *otherwise);
            }
        }
        (Lanes::Each(then), Lanes::All(otherwise)) => {
            for (out, then) in out.iter_mut().zip(then) {
                *out = pick(*out, *then, otherwise);
            }
        }
        (Lanes::All(then), Lanes::Each(otherwise)) => {
            for (out, otherwise) in out.iter_mut().zip(otherwise) {
                *out = pick(*out, then, *otherwise);
            }
        }
        (Lanes::All(then), Lanes::All(otherwise)) => {
            for out in out.iter_mut() {
                *out = pick(*out, then, otherwise);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::formula::Real;

    /// A formula of three numbers, in the order in which it is worked out: each step takes values that were there before it, by
    /// their places modulo how many there are.
    type Steps = Vec<(u8, [usize; 4], f64)>;

    fn worked_out<N: Real>(numbers: [N; 3], steps: &Steps) -> Vec<N> {
        let mut values = numbers.to_vec();
        for (sort, places, constant) in steps {
            let of = |place: usize| values[places[place] % values.len()];
            let constant = N::from(*constant);
            values.push(match sort % 11 {
                0 => of(0) + of(1),
                1 => of(0) - of(1),
                2 => of(0) * of(1),
                3 => of(0) / of(1),
                4 => of(0).max(of(1)),
                5 => of(0).if_above(of(1), of(2), of(3)),
                6 => of(0) * constant,
                7 => of(0) + constant,
                8 => constant / of(0),
                9 => of(0) * of(1) + of(2),
                _ => N::of_both(f64::min, of(0), of(1)),
            });
        }
        values
    }

    fn run(steps: &Steps, points: &[[f64; 3]]) -> Vec<Vec<f64>> {
        let tape = Tape::default();
        let formulas = worked_out([0, 1, 2].map(|number| tape.input(number)), steps);
        let columns: [Vec<f64>; 3] = std::array::from_fn(|number| points.iter().map(|point| point[number]).collect());
        let mut out = vec![vec![0.0; points.len()]; formulas.len()];
        let mut outputs: Vec<&mut [f64]> = out.iter_mut().map(Vec::as_mut_slice).collect();
        let inputs: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        Program::new(&tape, &formulas).run(&inputs, &mut outputs, &mut Registers::default());
        out
    }

    /// Whole numbers and powers of two: nothing is rounded, so whatever is put together elsewhere comes to the same.
    fn exact() -> impl Strategy<Value = f64> {
        prop::sample::select(vec![0.25, 0.5, 1.0, 2.0, 3.0, 4.0])
    }

    proptest! {
        #[test]
        fn a_program_works_out_what_its_formulas_say(
            steps in prop::collection::vec((any::<u8>(), any::<[usize; 4]>(), exact()), 1..14),
            points in prop::collection::vec([exact(), exact(), exact()], 1..40),
        ) {
            let found = run(&steps, &points);
            for (place, point) in points.iter().enumerate() {
                for (formula, expected) in worked_out(*point, &steps).into_iter().enumerate() {
                    let found = found[formula][place];
                    // Overflows, and values that depend on them, are not finite either way.
                    if !expected.is_finite() || expected.abs() > 1e12 || (expected != 0.0 && expected.abs() < 1e-12) {
                        break;
                    }
                    prop_assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{formula}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn blocks_are_as_long_as_there_are_points() {
        let steps: Steps = vec![(2, [0, 1, 0, 0], 1.0), (0, [3, 2, 0, 0], 1.0)];
        for points in [1, LANES - 1, LANES, LANES + 1, 3 * LANES + 7] {
            let points: Vec<[f64; 3]> = (0..points).map(|point| [point as f64, 2.0, 0.5]).collect();
            let found = run(&steps, &points);
            let expected: Vec<f64> = points.iter().map(|[a, b, c]| a * b + c).collect();
            assert_eq!(found[4], expected);
        }
    }

    #[test]
    fn what_is_known_or_stands_there_twice_takes_no_step() {
        let tape = Tape::default();
        let [a, b] = [0, 1].map(|number| tape.input(number));
        let constant = Node::from(3.0) * Node::from(4.0) + Node::from(1.0);
        assert!(Program::new(&tape, &[constant]).is_empty());
        let twice = Program::new(&tape, &[a * b, b.max(a) - a * b, a * b]);
        // The product, the larger one, and the difference.
        assert_eq!(twice.len(), 3);
        let scaled = Program::new(&tape, &[a * Node::from(2.0) * Node::from(3.0) / Node::from(4.0)]);
        assert_eq!(scaled.len(), 1);
    }
}
