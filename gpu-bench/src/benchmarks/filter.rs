//! Filter: the words below a bound, closed up.

use super::bench::{Bench, Outcome, verify_exact, verify_multiset};
use super::case::{Case, Scale};
use super::{Benchmark, Roof};
use crate::cpu;
use crate::failure::Failure;
use crate::generator::Generator;
use crate::gpu::Gpu;
use crate::gpu::clock::TimingSource;
use crate::kernels;
use crate::kernels::filter::Filter;
use crate::kernels::scan::Form;
use crate::report::{Side, Verified};
use crate::timing::sampling::Samples;

/// What this module measures.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        id: "filter.append",
        explains: "Keeps the words below a bound, in one pass: each tile of 4096 words reserves its room in the output \
                   by one atomic addition, so the order of tiles is open. Without a variant in the form that suits \
                   the adapter; “portable” is without subgroup operations, “subgroups” with them.",
        traffic: "V + σ·V: every byte is read, what is kept is written",
        roof: Roof::Copy,
        cases: append_cases,
        measure: append,
    },
    Benchmark {
        id: "filter.ordered",
        explains: "Keeps the words below a bound, in their order. On the GPU three passes: count, scan of the counts, \
                   write; the input is read twice. Without a variant in the form that suits the adapter; “portable” \
                   is without subgroup operations, “subgroups” with them.",
        traffic: "V + σ·V: every byte is read, what is kept is written; the second reading is not counted",
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
    let mut cases = sizes(scale, Side::Gpu, |words| Case::new(Side::Gpu, words));
    let single = Case::new(Side::Gpu, scale.single_bytes(Side::Gpu) / 4);
    add_selectivities(&mut cases, scale, &single);
    cases.extend(forms(&single));
    cases
}

fn ordered_cases(scale: &Scale) -> Vec<Case> {
    let mut cases = Vec::new();
    for threads in scale.thread_counts() {
        cases.extend(sizes(scale, Side::Cpu, |words| Case::cpu(threads, words)));
        add_selectivities(&mut cases, scale, &Case::cpu(threads, scale.single_bytes(Side::Cpu) / 4));
    }
    let single = Case::new(Side::Gpu, scale.single_bytes(Side::Gpu) / 4);
    add_selectivities(&mut cases, scale, &single);
    cases.extend(forms(&single));
    cases
}

/// One case per size; calibration needs them.
fn sizes(scale: &Scale, side: Side, case: impl Fn(u64) -> Case) -> Vec<Case> {
    let usual = |bytes| case(bytes / 4).with("selectivity", USUAL_SELECTIVITY).calibrating();
    scale.sweep_bytes(side).into_iter().map(usual).collect()
}

/// One case per share, unless it is one of the sizes already.
fn add_selectivities(cases: &mut Vec<Case>, scale: &Scale, case: &Case) {
    for share in SELECTIVITIES.into_iter().filter(|_| scale.sweeps()) {
        let case = case.clone().with("selectivity", share);
        if !cases.contains(&case.clone().calibrating()) {
            cases.push(case);
        }
    }
}

/// Both forms at one size, to compare.
fn forms(case: &Case) -> [Case; 2] {
    ["portable", "subgroups"].map(|form| case.clone().variant(form).with("selectivity", USUAL_SELECTIVITY))
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
    let measured = bench.time_cpu(case.threads, || {
        let below = if case.threads > 1 { cpu::filter::below_parallel } else { cpu::filter::below };
        count = below(&words, input.bound, &mut kept);
    })?;
    let expected = input.expected(&words);
    let verified = verify_exact("filter", &kept[..count], &expected)?;
    Ok(outcome(measured, verified, words.len(), expected.len()))
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
    let measured = bench.time_program(&filter.program)?;
    Ok(outcome(measured, verified, input.count as usize, expected.len()))
}

fn outcome((samples, source): (Samples, TimingSource), verified: Verified, words: usize, kept: usize) -> Outcome {
    let bytes = |words: usize| words as f64 * 4.0;
    Outcome {
        samples,
        source,
        verified,
        bytes_logical: bytes(words),
        bytes_traffic: bytes(words) + bytes(kept),
        ratio: None,
    }
}

/// What a case filters.
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

    /// What is kept, by neither of the twins.
    fn expected(&self, words: &[u32]) -> Vec<u32> {
        words.iter().copied().filter(|word| *word < self.bound).collect()
    }
}
