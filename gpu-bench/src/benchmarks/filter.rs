//! Filter: the words below a bound, closed up.

use crossover_harness::generator::Generator;

use super::bench::{Bench, Outcome, Timed, verify_exact, verify_multiset};
use super::case::{Case, Scale};
use super::{Benchmark, Roof};
use crate::cpu;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::kernels;
use crate::kernels::filter::Filter;
use crate::kernels::scan::Form;
use crate::report::{Side, Verified};

/// The benchmarks of this module.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        id: "filter.append",
        explains: "Keeps the words below a bound, in one pass. Each workgroup handles a tile of up to 4096 words. It \
                   reserves space in the output by an atomic addition, so the order of tiles varies. The default variant suits \
                   the adapter; “portable” is without subgroup operations, “subgroups” with them.",
        traffic: "V + σ·V: every byte is read, kept words are written",
        roof: Roof::Copy,
        cases: append_cases,
        measure: append,
    },
    Benchmark {
        id: "filter.ordered",
        explains: "Keeps the words below a bound, in their order. On the GPU three passes: count, scan of the counts, \
                   write; the input is read twice. The default variant suits the adapter; “portable” \
                   is without subgroup operations, “subgroups” with them.",
        traffic: "V + σ·V: every byte is read, kept words are written; the second read is not counted",
        roof: Roof::Copy,
        cases: ordered_cases,
        measure: ordered,
    },
];

/// The share of words that is kept where only the size varies.
const USUAL_SELECTIVITY: f64 = 0.1;

/// The shares that are swept.
const SELECTIVITIES: [f64; 5] = [0.01, 0.1, 0.5, 0.9, 1.0];

fn append_cases(scale: &Scale) -> Vec<Case> {
    cases(scale, Side::Gpu, &scale.single(Side::Gpu, 4))
}

fn ordered_cases(scale: &Scale) -> Vec<Case> {
    cases(scale, Side::Cpu, &[scale.single(Side::Cpu, 4), scale.single(Side::Gpu, 4)].concat())
}

/// One case per size on that side, for the calibration; `single` with each share; both variants on the GPU.
fn cases(scale: &Scale, side: Side, single: &[Case]) -> Vec<Case> {
    let keeping = |case: Case, share: f64| case.with("selectivity", share);
    let sizes = scale.sweep(side, 4).into_iter();
    let mut cases: Vec<Case> = sizes.map(|case| keeping(case, USUAL_SELECTIVITY).calibrating()).collect();
    if scale.sweeps() {
        for case in single {
            for share in SELECTIVITIES {
                keeping(case.clone(), share).add_to(&mut cases);
            }
        }
    }
    for case in scale.single(Side::Gpu, 4) {
        cases.extend(Form::VARIANTS.map(|form| keeping(case.clone().variant(form), USUAL_SELECTIVITY)));
    }
    cases
}

fn append(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    on_gpu(bench, case, kernels::filter::append, verify_multiset)
}

fn ordered(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    if case.side == Side::Cpu {
        on_cpu(bench, case)
    } else {
        on_gpu(bench, case, kernels::filter::ordered, verify_exact)
    }
}

fn on_cpu(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let input = Input::new(case)?;
    let words = input.words();
    let mut kept = vec![0_u32; words.len()];
    let mut count = 0;
    let timed = bench.time_cpu(case.threads, || {
        let below = if case.threads > 1 { cpu::filter::below_parallel } else { cpu::filter::below };
        count = below(&words, input.bound, &mut kept);
    })?;
    let expected = input.expected(&words);
    let verified = verify_exact("filter", &kept[..count], &expected)?;
    Ok(outcome(timed, verified, words.len(), expected.len()))
}

fn on_gpu(
    bench: &Bench<'_>,
    case: &Case,
    prepare: impl Fn(&Gpu, Form, &wgpu::Buffer, u32, u32) -> Result<Filter, Failure>,
    verify: impl Fn(&str, &[u32], &[u32]) -> Result<Verified, Failure>,
) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let input = Input::new(case)?;
    let form = Form::of_variant(gpu, case.variant)?;
    let words = kernels::generate::words(gpu, input.generator, input.count, None)?;
    let filter = prepare(gpu, form, &words, input.count, input.bound)?;
    gpu.run(&filter.program)?;
    let expected = input.expected(&input.words());
    let count = gpu.download(&filter.count, 1)?;
    let kept = gpu.download(&filter.kept, u64::from(count[0]).min(case.rows))?;
    let verified = verify("filter", &kept, &expected)?;
    let timed = bench.time_program(&filter.program)?;
    Ok(outcome(timed, verified, input.count as usize, expected.len()))
}

fn outcome(timed: Timed, verified: Verified, words: usize, kept: usize) -> Outcome {
    let bytes = |words: usize| words as f64 * 4.0;
    Outcome::of(timed, verified, bytes(words), bytes(words) + bytes(kept))
}

/// The input of a case.
struct Input {
    generator: Generator,
    count: u32,
    bound: u32,
}

impl Input {
    fn new(case: &Case) -> Result<Self, Failure> {
        let count = case.row_count()?;
        // Words are uniform over all 2^32, so the bound is that share of them; the largest word is never kept.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
        let bound = (case.param("selectivity") * 4_294_967_296.0) as u32;
        Ok(Self { generator: Generator::new(21), count, bound })
    }

    fn words(&self) -> Vec<u32> {
        self.generator.words(self.count as usize)
    }

    /// The expected words, computed by neither implementation.
    fn expected(&self, words: &[u32]) -> Vec<u32> {
        words.iter().copied().filter(|word| *word < self.bound).collect()
    }
}
