//! From host memory to host memory through the GPU: transfer in, kernel, transfer out, one after the other.
//!
//! The time of an operator whose data is in host memory. wgpu has one queue, so nothing overlaps.

use super::aggregate::verify_groups;
use super::bench::{Bench, Outcome, Timed, verify_exact, verify_multiset};
use super::case::{Case, Scale};
use super::join::swept_build_rows;
use super::{Benchmark, Roof};
use crate::cpu;
use crate::failure::Failure;
use crate::generator::Generator;
use crate::gpu::Gpu;
use crate::gpu::program::Program;
use crate::gpu::transfer::{DeviceToHost, HostToDevice};
use crate::kernels;
use crate::kernels::scan::Form;
use crate::report::{Side, Verified};
use crate::zipf::ForeignKeys;

/// The benchmarks of this module.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        id: "end_to_end.filter",
        explains: "Sends a column to the GPU, filters it there (filter.append, a tenth is kept), reads how many words \
                   were kept and receives them. By the wall clock, through reused staging buffers.",
        traffic: "V + σ·V: both cross the bus",
        roof: Roof::Unbounded,
        cases: filter_cases,
        measure: filter,
    },
    Benchmark {
        id: "end_to_end.join",
        explains: "Sends the keys of the probe side to the GPU, probes a table that is already there \
                   (join.probe_materialise, every row matches once), reads the number of pairs and receives them.",
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
    let mut kept = vec![0; words.len()];
    let mut count = 0;
    let mut bus = Bus::new(bench, gpu)?;
    let mut work = || {
        bus.send(&words, &from)?;
        gpu.run(&filter.program)?;
        count = bus.receive_count(&filter.count, kept.len())?;
        bus.receive(&filter.kept, &mut kept[..count])
    };
    work()?;
    let timed = bench.time_wall(&mut work)?;
    let expected: Vec<u32> = words.iter().copied().filter(|word| *word < bound).collect();
    let verified = verify_multiset("filter", &kept[..count], &expected)?;
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
    let (mut out_rows, mut out_payloads) = (vec![0; keys.len()], vec![0; keys.len()]);
    let mut count = 0;
    let mut bus = Bus::new(bench, gpu)?;
    let mut work = || {
        bus.send(&keys, &from)?;
        gpu.run(&probe.program)?;
        count = usize::try_from(probe.count(gpu)?).unwrap_or(usize::MAX).min(keys.len());
        bus.receive(&probe.rows, &mut out_rows[..count])?;
        bus.receive(&probe.payloads, &mut out_payloads[..count])
    };
    work()?;
    let timed = bench.time_wall(&mut work)?;
    // In the order of rows the payloads must be those of the rows' partners.
    let mut by_row = vec![None; keys.len()];
    for (row, payload) in out_rows[..count].iter().zip(&out_payloads[..count]) {
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
    let mut found = cpu::aggregate::Groups::default();
    let mut bus = Bus::new(bench, gpu)?;
    let mut work = || {
        bus.send(&codes, &code_buffer)?;
        bus.send(&values, &value_buffer)?;
        gpu.run(&grouped.program)?;
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
    let mut sorted = vec![0; keys.len()];
    let mut bus = Bus::new(bench, gpu)?;
    let mut work = || {
        bus.send(&keys, &from)?;
        gpu.run(&program)?;
        bus.receive(&to, &mut sorted)
    };
    work()?;
    let timed = bench.time_wall(&mut work)?;
    let mut expected = keys.clone();
    expected.sort_unstable();
    let verified = verify_exact("sorted keys", &sorted, &expected)?;
    Ok(outcome(case, timed, verified, 4))
}

/// Transfers through staging buffers, copied on all threads where there are several.
struct Bus<'bench> {
    bench: &'bench Bench<'bench>,
    to_gpu: HostToDevice<'bench>,
    from_gpu: DeviceToHost<'bench>,
}

impl<'bench> Bus<'bench> {
    fn new(bench: &'bench Bench<'_>, gpu: &'bench Gpu) -> Result<Self, Failure> {
        Ok(Self { bench, to_gpu: HostToDevice::new(gpu)?, from_gpu: DeviceToHost::new(gpu)? })
    }

    fn send(&mut self, words: &[u32], to: &wgpu::Buffer) -> Result<(), Failure> {
        if self.bench.pool.current_num_threads() > 1 {
            self.bench.pool.install(|| self.to_gpu.send_parallel(words, to))
        } else {
            self.to_gpu.send(words, to)
        }
    }

    fn receive(&mut self, from: &wgpu::Buffer, words: &mut [u32]) -> Result<(), Failure> {
        if self.bench.pool.current_num_threads() > 1 {
            self.bench.pool.install(|| self.from_gpu.receive_parallel(from, words))
        } else {
            self.from_gpu.receive(from, words)
        }
    }

    /// The first word of a buffer, but never more than there is room for.
    fn receive_count(&mut self, from: &wgpu::Buffer, room: usize) -> Result<usize, Failure> {
        let mut count = [0];
        self.from_gpu.receive(from, &mut count)?;
        Ok((count[0] as usize).min(room))
    }
}

fn outcome(case: &Case, timed: Timed, verified: Verified, bytes_per_row: u32) -> Outcome {
    let bytes = case.rows as f64 * f64::from(bytes_per_row);
    Outcome::of(timed, verified, bytes, bytes + case.param("bytes_out"))
}
