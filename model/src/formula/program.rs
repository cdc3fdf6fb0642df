//! Recorded formulas, run over arrays.

#![expect(clippy::inline_always, reason = "vector instructions are in force only in what is inlined")]

use pulp::{Arch, NullaryFnOnce};

use super::real::power;
use super::tape::{Node, Step, Tape, Value};

/// So many values of each number are worked out at a time: all that is in between stays in the nearest cache.
pub const LANES: usize = 256;

/// Formulas of some numbers, ready to run.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// In their order; each writes the register beside it.
    steps: Vec<(Step, usize)>,
    outputs: Vec<Value>,
    registers: usize,
}

/// What is in between, while a program runs: made once, used for many runs.
#[derive(Debug, Clone, Default)]
pub struct Registers {
    all: Vec<Register>,
    /// What the processor can; asking it takes longer than a short run.
    arch: Arch,
}

/// Values of one step. Vectors that lie within lines of the cache are read twice as fast.
#[derive(Debug, Clone)]
#[repr(align(64))]
struct Register([f64; LANES]);

impl Program {
    /// What these formulas need of all that is recorded on a tape.
    #[must_use]
    pub fn new(tape: &Tape, formulas: &[Node<'_>]) -> Self {
        let outputs: Vec<Value> = formulas.iter().map(|formula| formula.value).collect();
        let steps = fused(tape.steps(), &outputs);
        // By step: after which other one nobody reads it any more.
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

    /// How much is done for each point, constants apart.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether nothing hangs on a number that varies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Works out every formula at some points: writes `outputs[formula][point]`, of `inputs[number][point]`.
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

/// The same steps, where a product that is only added to something is no step of its own.
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
