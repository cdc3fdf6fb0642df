//! How many thread blocks are resident on a GPU, and how blocks of several kernels share a multiprocessor.

use super::study::{Gpu, Kernel};
use crossover_quantity::unit::Unit;

/// What limits the resident blocks of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Registers of a multiprocessor.
    Registers,
    /// Shared memory of a multiprocessor.
    Shared,
    /// Threads of a multiprocessor.
    Threads,
    /// Blocks of a multiprocessor.
    Blocks,
    /// Blocks of the launch.
    Launch,
}

impl Limit {
    /// "registers".
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::Shared => "shared memory",
            Self::Threads => "threads",
            Self::Blocks => "blocks",
            Self::Launch => "blocks of the launch",
        }
    }
}

/// Blocks of a kernel that has the GPU to itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residency {
    /// Resident blocks of a multiprocessor.
    pub per_multiprocessor: f64,
    /// Blocks on the whole GPU at a time.
    pub resident: f64,
    /// How often the GPU fills with blocks during one launch.
    pub waves: f64,
    /// Registers and shared memory of the resident blocks, bytes.
    pub context_bytes: f64,
    /// What limits the resident blocks.
    pub limit: Limit,
}

/// Resources of one multiprocessor: registers, shared memory, threads, blocks.
fn capacity(gpu: &Gpu) -> [f64; 4] {
    [gpu.register_bytes, gpu.shared_bytes, gpu.threads, gpu.blocks]
}

/// Resources of one block, in the same order.
fn demand(kernel: &Kernel) -> [f64; 4] {
    [kernel.register_bytes, kernel.shared_bytes, kernel.threads, 1.0]
}

/// Resident blocks of a kernel that has the GPU to itself.
///
/// # Errors
/// Not even one block fits a multiprocessor; the text names the missing resource.
pub fn residency(gpu: &Gpu, kernel: &Kernel) -> Result<Residency, String> {
    const LIMITS: [Limit; 4] = [Limit::Registers, Limit::Shared, Limit::Threads, Limit::Blocks];
    let mut per = f64::INFINITY;
    let mut limit = Limit::Blocks;
    for ((has, takes), which) in capacity(gpu).into_iter().zip(demand(kernel)).zip(LIMITS) {
        let fit = if takes > 0.0 { (has / takes).floor() } else { f64::INFINITY };
        if fit < per {
            (per, limit) = (fit, which);
        }
        if fit < 1.0 {
            let unit = if matches!(which, Limit::Registers | Limit::Shared) { Unit::Bytes } else { Unit::Count };
            return Err(format!(
                "a block needs {} of {}; a multiprocessor has {}",
                unit.format(takes),
                which.label(),
                unit.format(has)
            ));
        }
    }
    let full = per * gpu.multiprocessors;
    let resident = full.min(kernel.blocks);
    if kernel.blocks < full {
        limit = Limit::Launch;
    }
    Ok(Residency {
        per_multiprocessor: per,
        resident,
        waves: (kernel.blocks / full).ceil(),
        context_bytes: resident * (kernel.register_bytes + kernel.shared_bytes),
        limit,
    })
}

/// Blocks of one launch on a multiprocessor that it has to itself.
pub(super) fn per_multiprocessor(gpu: &Gpu, kernel: &Kernel) -> f64 {
    let most = residency(gpu, kernel).map_or(1.0, |found| found.per_multiprocessor);
    most.min((kernel.blocks / gpu.multiprocessors).ceil())
}

/// Shares of the registers, shared memory, threads and blocks of a multiprocessor that these blocks take.
pub(super) fn taken_alone(gpu: &Gpu, kernel: &Kernel) -> [f64; 4] {
    let blocks = per_multiprocessor(gpu, kernel);
    let mut taken = demand(kernel);
    for (taken, has) in taken.iter_mut().zip(capacity(gpu)) {
        *taken = if has > 0.0 { blocks * *taken / has } else { 0.0 };
    }
    taken
}

/// Dominant-resource fairness: the next block goes to the kernel with the smallest dominant share whose block fits
/// (Ghodsi and others, NSDI 2011). Ties go to the first kernel. No kernel gets more than `at_most`.
#[must_use]
pub fn dominant_fair<const R: usize>(capacity: [f64; R], demands: &[[f64; R]], at_most: &[f64]) -> Vec<f64> {
    let step: Vec<f64> = demands
        .iter()
        .map(|demand| {
            demand
                .iter()
                .zip(capacity)
                .map(|(takes, has)| if *takes > 0.0 { takes / has } else { 0.0 })
                .fold(0.0, f64::max)
        })
        .collect();
    let mut given = vec![0.0; demands.len()];
    let mut left = capacity;
    loop {
        let fits = |who: &usize| {
            let all = demands[*who].iter().zip(left).all(|(takes, left)| *takes <= left * (1.0 + 1e-12));
            all && given[*who] < at_most[*who] && step[*who] > 0.0
        };
        let next =
            (0..demands.len()).filter(fits).min_by(|a, b| (given[*a] * step[*a]).total_cmp(&(given[*b] * step[*b])));
        let Some(next) = next else { return given };
        given[next] += 1.0;
        for (left, takes) in left.iter_mut().zip(demands[next]) {
            *left -= takes;
        }
    }
}

/// Whether a multiprocessor holds a block of each of two kernels at a time.
#[must_use]
pub fn fit_together(gpu: &Gpu, [first, second]: [&Kernel; 2]) -> bool {
    let both = demand(first).into_iter().zip(demand(second)).map(|(first, second)| first + second);
    both.zip(capacity(gpu)).all(|(both, has)| both <= has)
}

/// Blocks of each kernel on a multiprocessor that they share by dominant-resource fairness.
#[must_use]
pub fn shared(gpu: &Gpu, kernels: &[&Kernel]) -> Vec<f64> {
    let demands: Vec<[f64; 4]> = kernels.iter().map(|kernel| demand(kernel)).collect();
    let at_most: Vec<f64> = kernels.iter().map(|kernel| (kernel.blocks / gpu.multiprocessors).ceil()).collect();
    dominant_fair(capacity(gpu), &demands, &at_most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn k40() -> Gpu {
        Gpu {
            model: "Tesla K40".to_owned(),
            clock_mhz: 745.0,
            multiprocessors: 15.0,
            register_bytes: 262_144.0,
            shared_bytes: 49_152.0,
            threads: 2_048.0,
            blocks: 16.0,
        }
    }

    /// Ghodsi and others, section 4: 9 processors and 18 GB; tasks of ⟨1, 4⟩ and ⟨3, 1⟩.
    #[test]
    fn the_classic_example_gives_three_tasks_and_two() {
        let many = [f64::INFINITY; 2];
        assert_eq!(dominant_fair([9.0, 18.0], &[[1.0, 4.0], [3.0, 1.0]], &many), [3.0, 2.0]);
    }

    /// CUDA's occupancy calculator: 49,152 / 6,144 = 8 blocks by shared memory, 262,144 / 32,768 = 8 by registers.
    #[test]
    fn blocks_are_limited_by_what_runs_out_first() {
        let kernel = Kernel { shared_bytes: 6_144.0, blocks: 1_200.0, ..Kernel::default() };
        let found = residency(&k40(), &kernel).expect("fits");
        assert_eq!((found.per_multiprocessor, found.resident, found.waves), (8.0, 120.0, 10.0));
        assert_eq!(found.context_bytes, 120.0 * (32_768.0 + 6_144.0));
        assert_eq!(found.limit, Limit::Registers);

        let small = Kernel { blocks: 7.0, ..kernel.clone() };
        let found = residency(&k40(), &small).expect("fits");
        assert_eq!((found.resident, found.waves, found.limit), (7.0, 1.0, Limit::Launch));

        let large = Kernel { shared_bytes: 50_000.0, ..kernel };
        let why = residency(&k40(), &large).expect_err("does not fit");
        assert_eq!(why, "a block needs 50,000 B of shared memory; a multiprocessor has 49,152 B");
    }

    #[test]
    fn two_kernels_that_are_alike_get_half_each() {
        let kernel = Kernel { shared_bytes: 6_144.0, blocks: 1_200.0, ..Kernel::default() };
        assert_eq!(shared(&k40(), &[&kernel, &kernel]), [4.0, 4.0]);
    }
}
