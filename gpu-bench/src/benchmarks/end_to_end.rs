//! From host memory to host memory through the GPU: transfer in, kernel, transfer out, one after the other.
//!
//! The time of an operator whose data is in pinned host memory, where engines keep what crosses the bus. wgpu has one queue,
//! so nothing overlaps.

use crossover_harness::generator::Generator;

use super::aggregate::verify_groups;
use super::bench::{Bench, Outcome, Timed, verify_exact, verify_multiset};
use super::case::{Case, Scale};
use super::join::swept_build_rows;
use super::{Benchmark, Roof};
use crate::cpu;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::program::Program;
use crate::gpu::transfer::Copy;
use crate::kernels;
use crate::kernels::scan::Form;
use crate::report::{Side, Verified};
use crate::zipf::ForeignKeys;

/// The benchmarks of this module.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        id: "end_to_end.filter",
        explains: "Sends a column to the GPU and filters it there (filter.append keeps a tenth). Then reads how many \
                   words were kept, and receives them. From and to pinned host memory, by the wall clock.",
        traffic: "V + σ·V: both cross the bus",
        roof: Roof::Unbounded,
        cases: filter_cases,
        measure: filter,
    },
    Benchmark {
        id: "end_to_end.join",
        explains: "Sends the keys of the probe side to the GPU, and probes a table that is already there \
                   (join.probe_materialise, every row matches once). Then reads the number of pairs, and receives the \
                   pairs.",
        traffic: "3·V: keys cross the bus in one direction, pairs in the other",
        roof: Roof::Unbounded,
        cases: join_cases,
        measure: join,
    },
    Benchmark {
        id: "end_to_end.group_by",
        explains: "Sends codes and values to the GPU, counts and adds up by 1000 codes (aggregate.group_by) and \
                   receives the groups.",
        traffic: "V: rows cross the bus; the groups are few",
        roof: Roof::Unbounded,
        cases: group_by_cases,
        measure: group_by,
    },
    Benchmark {
        id: "end_to_end.sort",
        explains: "Sends keys to the GPU, sorts them there (sort.keys) and receives them.",
        traffic: "2·V: keys cross the bus in both directions",
        roof: Roof::Unbounded,
        cases: sort_cases,
        measure: sort,
    },
];

/// The share of words that the filter keeps.
const SELECTIVITY: f64 = 0.1;

/// Groups of the group-by.
const GROUPS: u32 = 1_000;

/// One case per size. `bytes_out` are the received bytes, `sends` and `receives` the numbers of transfers, for
/// predictions from the parts.
fn cases(scale: &Scale, bytes_per_row: u64, bytes_out: impl Fn(f64) -> f64, sends: f64, receives: f64) -> Vec<Case> {
    let described = |case: Case| {
        let bytes_out = bytes_out((case.rows * bytes_per_row) as f64).round();
        case.with("bytes_out", bytes_out).with("sends", sends).with("receives", receives).calibrating()
    };
    scale.sweep(Side::EndToEnd, bytes_per_row).into_iter().map(described).collect()
}

fn filter_cases(scale: &Scale) -> Vec<Case> {
    let cases = cases(scale, 4, |bytes| SELECTIVITY * bytes, 1.0, 2.0);
    cases.into_iter().map(|case| case.with("selectivity", SELECTIVITY)).collect()
}

fn join_cases(scale: &Scale) -> Vec<Case> {
    let build_rows = swept_build_rows(scale) as f64;
    let cases = cases(scale, 4, |bytes| 2.0 * bytes, 1.0, 3.0).into_iter();
    cases.map(|case| case.with("build_rows", build_rows).with("match_rate", 1.0)).collect()
}

fn group_by_cases(scale: &Scale) -> Vec<Case> {
    let cases = cases(scale, 8, |_| f64::from(GROUPS) * 12.0, 2.0, 1.0);
    cases.into_iter().map(|case| case.with("groups", f64::from(GROUPS))).collect()
}

fn sort_cases(scale: &Scale) -> Vec<Case> {
    // Sorting takes seconds for large inputs on a software adapter.
    let most_rows = if scale.software { 1 << 20 } else { u64::MAX };
    cases(scale, 4, |bytes| bytes, 1.0, 1.0).into_iter().filter(|case| case.rows <= most_rows).collect()
}

fn filter(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let words = Generator::new(51).words(case.row_count()? as usize);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 2^32")]
    let bound = (SELECTIVITY * 4_294_967_296.0) as u32;
    let from = gpu.buffer("words", case.rows)?;
    let filter = kernels::filter::append(gpu, Form::preferred(gpu), &from, case.row_count()?, bound)?;
    let sent = gpu.pinned_words("words", &words)?;
    let received = gpu.pinned("words kept", case.rows)?;
    let counted = Count::new(gpu)?;
    let mut count = 0;
    let mut work = || {
        let send = [Copy { from: &sent, to: &from, words: case.rows }];
        count = counted.after(&send, &filter.program, &filter.count, case.rows)?;
        gpu.copy(&filter.kept, &received, count)
    };
    work()?;
    let timed = bench.time_wall(&mut work)?;
    let expected: Vec<u32> = words.iter().copied().filter(|word| *word < bound).collect();
    let verified = verify_multiset("filter", &content(gpu, &received, count)?, &expected)?;
    Ok(outcome(case, timed, verified, 4))
}

fn join(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of rows of a case")]
    let build_rows = case.param("build_rows") as u32;
    let foreign = ForeignKeys::new(Generator::new(52), build_rows, 1.0, 0.0);
    let (build_keys, payloads) = (Generator::new(52), Generator::new(53));
    let key_buffer = kernels::generate::words(gpu, build_keys, build_rows, None)?;
    let payload_buffer = kernels::generate::words(gpu, payloads, build_rows, None)?;
    let table = kernels::join::Table::new(gpu, &key_buffer, &payload_buffer, build_rows)?;
    gpu.run(&table.program)?;
    table.check(gpu)?;
    let keys = foreign.keys(case.row_count()?);
    let from = gpu.buffer("keys", case.rows)?;
    let probe = table.probe_materialise(gpu, &from, case.row_count()?, case.row_count()?)?;
    let sent = gpu.pinned_words("keys", &keys)?;
    let (rows, partners) = (gpu.pinned("rows", case.rows)?, gpu.pinned("payloads", case.rows)?);
    let counted = Count::new(gpu)?;
    let mut count = 0;
    let mut work = || {
        let send = [Copy { from: &sent, to: &from, words: case.rows }];
        count = counted.after(&send, &probe.program, &probe.counters, case.rows)?;
        let receive =
            [(&probe.rows, &rows), (&probe.payloads, &partners)].map(|(from, to)| Copy { from, to, words: count });
        gpu.run_between(&[], &Program::default(), &receive)
    };
    work()?;
    let timed = bench.time_wall(&mut work)?;
    // In the order of rows the payloads must be those of the rows' partners.
    let mut by_row = vec![None; keys.len()];
    for (row, payload) in content(gpu, &rows, count)?.iter().zip(&content(gpu, &partners, count)?) {
        if let Some(place) = by_row.get_mut(*row as usize) {
            *place = Some(*payload);
        }
    }
    let found: Vec<u32> = by_row.into_iter().flatten().collect();
    let expected: Vec<u32> =
        (0..case.row_count()?).filter_map(|row| Some(payloads.at(foreign.partner(row)?.into()))).collect();
    let verified = verify_exact("payloads by row", &found, &expected)?;
    Ok(outcome(case, timed, verified, 4))
}

fn group_by(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let codes = Generator::new(54).words_below(case.row_count()? as usize, GROUPS.into());
    let values = Generator::new(55).words(codes.len());
    let (code_buffer, value_buffer) = (gpu.buffer("codes", case.rows)?, gpu.buffer("values", case.rows)?);
    let grouped = kernels::aggregate::group_by(gpu, &code_buffer, &value_buffer, case.row_count()?, GROUPS)?;
    let (sent_codes, sent_values) = (gpu.pinned_words("codes", &codes)?, gpu.pinned_words("values", &values)?);
    let mut found = cpu::aggregate::Groups::default();
    let mut work = || {
        let send = [(&sent_codes, &code_buffer), (&sent_values, &value_buffer)];
        let send = send.map(|(from, to)| Copy { from, to, words: case.rows });
        gpu.run_between(&send, &grouped.program, &[])?;
        found = grouped.result(gpu)?;
        Ok(())
    };
    work()?;
    let timed = bench.time_wall(&mut work)?;
    let expected = cpu::aggregate::group_by(&codes, &values, GROUPS as usize);
    let verified = verify_groups(&found, &expected)?;
    Ok(outcome(case, timed, verified, 8))
}

fn sort(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let keys = Generator::new(56).words(case.row_count()? as usize);
    let (from, to) = (gpu.buffer("keys", case.rows)?, gpu.buffer("sorted keys", case.rows)?);
    let program: Program = kernels::sort::keys(gpu, Form::preferred(gpu), &from, &to, case.row_count()?)?;
    let (sent, received) = (gpu.pinned_words("keys", &keys)?, gpu.pinned("sorted keys", case.rows)?);
    let mut work = || {
        let send = [Copy { from: &sent, to: &from, words: case.rows }];
        gpu.run_between(&send, &program, &[Copy { from: &to, to: &received, words: case.rows }])
    };
    work()?;
    let timed = bench.time_wall(&mut work)?;
    let mut expected = keys.clone();
    expected.sort_unstable();
    let verified = verify_exact("sorted keys", &content(gpu, &received, case.rows)?, &expected)?;
    Ok(outcome(case, timed, verified, 4))
}

/// Reads how many words a kernel wrote, through a word of pinned memory.
struct Count<'gpu> {
    gpu: &'gpu Gpu,
    received: wgpu::Buffer,
}

impl<'gpu> Count<'gpu> {
    fn new(gpu: &'gpu Gpu) -> Result<Self, Failure> {
        Ok(Self { gpu, received: gpu.pinned("count", 1)? })
    }

    /// Copies, runs, and reads the first word of `count`, but never more than there is room for.
    fn after(&self, copies: &[Copy<'_>], program: &Program, count: &wgpu::Buffer, room: u64) -> Result<u64, Failure> {
        self.gpu.run_between(copies, program, &[Copy { from: count, to: &self.received, words: 1 }])?;
        let mut counted = [0];
        self.gpu.read_mapped(&self.received, &mut counted)?;
        Ok(u64::from(counted[0]).min(room))
    }
}

/// The beginning of pinned memory.
fn content(gpu: &Gpu, pinned: &wgpu::Buffer, words: u64) -> Result<Vec<u32>, Failure> {
    let mut content = vec![0; usize::try_from(words).unwrap_or(usize::MAX)];
    gpu.read_mapped(pinned, &mut content)?;
    Ok(content)
}

fn outcome(case: &Case, timed: Timed, verified: Verified, bytes_per_row: u32) -> Outcome {
    let bytes = case.rows as f64 * f64::from(bytes_per_row);
    Outcome::of(timed, verified, bytes, bytes + case.param("bytes_out"))
}
