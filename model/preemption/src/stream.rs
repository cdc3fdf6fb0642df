//! Launches and their arrivals: drawn, recorded or listed.

use rand_distr::{Distribution as _, Exp1, StandardNormal, StandardUniform};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::study::{Preemption, count};

/// Spreads seeds: 2⁶⁴ over the golden ratio, odd.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Fewest cycles of a launch.
const LEAST_CYCLES: f64 = 1.0;

/// A stream of launches, in order of arrival. Work is measured in cycles alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Launches {
    /// Kernel of each, by its position in the study.
    pub kernel: Vec<u32>,
    /// Arrival of each, cycles.
    pub arrivals: Vec<f64>,
    /// Cycles of each alone on the GPU.
    pub cycles: Vec<f64>,
    /// The scheduler's estimate of these cycles.
    pub estimated: Vec<f64>,
}

impl Launches {
    /// Number of launches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kernel.len()
    }

    /// Whether there are no launches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kernel.is_empty()
    }

    /// Draws one of the streams of a valid study, by its number from 0: the same for the same seed, whatever the load, but for the
    /// times.
    #[must_use]
    pub fn draw(study: &Preemption, stream: u64) -> Self {
        let seed = count(study.stream.seed) as u64;
        // Streams of neighbouring seeds have nothing in common.
        let mut random = Pcg64Mcg::seed_from_u64(seed.wrapping_mul(SPREAD) ^ stream);
        if !study.stream.listed.is_empty() {
            return Self::listed(study, &mut random);
        }
        let launched = count(study.stream.launches);
        let mean = mean_cycles(study);
        let gap = mean / study.stream.load;
        let recorded = study.stream.recorded.as_ref().filter(|recorded| recorded.seconds.len() > 1);
        let weights: Vec<f64> = study
            .kernels
            .iter()
            .scan(0.0, |sum, kernel| {
                *sum += kernel.weight;
                Some(*sum)
            })
            .collect();
        let all = weights.last().copied().unwrap_or(0.0);
        let mut launches = Self::with_capacity(launched);
        let mut now = 0.0;
        let span = recorded.map_or(0.0, |of| of.seconds[of.seconds.len() - 1] - of.seconds[0]);
        let mean_size =
            recorded.filter(|of| !of.sizes.is_empty()).map(|of| of.sizes.iter().sum::<f64>() / of.sizes.len() as f64);
        // A stream of recorded requests begins anywhere in the record, and goes on at its beginning.
        let first = recorded.map_or(0, |of| count(draw_unit(&mut random) * of.seconds.len() as f64));
        for place in 0..launched {
            let mut scale = 1.0;
            match recorded {
                None => {
                    let drawn: f64 = Exp1.sample(&mut random);
                    now += gap * drawn;
                }
                Some(of) => {
                    let length = of.seconds.len();
                    let at = (first + place) % length;
                    if place > 0 {
                        let before = (at + length - 1) % length;
                        // Between the last and the first as long as on average.
                        let gaps = (length - 1) as f64;
                        let step = if at == 0 { span / gaps } else { of.seconds[at] - of.seconds[before] };
                        now += if span > 0.0 { step / span * gaps * gap } else { 0.0 };
                    }
                    if let Some(mean) = mean_size {
                        scale = of.sizes[at] / mean;
                    }
                }
            }
            let point = draw_unit(&mut random) * all;
            let kernel = weights.partition_point(|sum| *sum <= point).min(study.kernels.len() - 1);
            launches.push(study, kernel, now, scale, &mut random);
        }
        launches
    }

    /// Multiplies the gaps between arrivals.
    pub(super) fn stretch(&mut self, factor: f64) {
        let first = self.arrivals.first().copied().unwrap_or(0.0);
        for arrival in &mut self.arrivals {
            *arrival = first + (*arrival - first) * factor;
        }
    }

    /// The launches of a list, in order of arrival; those at the same time in the order of the list.
    fn listed(study: &Preemption, random: &mut Pcg64Mcg) -> Self {
        let listed = &study.stream.listed;
        let mut order: Vec<usize> = (0..listed.len()).collect();
        order.sort_by(|a, b| listed[*a].at_cycle.total_cmp(&listed[*b].at_cycle));
        let mut launches = Self::with_capacity(listed.len());
        for place in order {
            let launch = &listed[place];
            let kernel = study.kernels.iter().position(|kernel| kernel.name == launch.kernel);
            if let Some(kernel) = kernel {
                launches.push(study, kernel, launch.at_cycle, 1.0, random);
            }
        }
        launches
    }

    fn with_capacity(count: usize) -> Self {
        Self {
            kernel: Vec::with_capacity(count),
            arrivals: Vec::with_capacity(count),
            cycles: Vec::with_capacity(count),
            estimated: Vec::with_capacity(count),
        }
    }

    fn push(&mut self, study: &Preemption, place: usize, arrival: f64, scale: f64, random: &mut Pcg64Mcg) {
        let kernel = &study.kernels[place];
        let cycles = (kernel.alone_cycles() * scale).max(LEAST_CYCLES);
        let estimated = if kernel.instruction_error > 0.0 {
            let drawn: f64 = StandardNormal.sample(random);
            cycles * (kernel.instruction_error * drawn).exp()
        } else {
            cycles
        };
        self.kernel.push(u32::try_from(place).unwrap_or_default());
        self.arrivals.push(arrival);
        self.cycles.push(cycles);
        self.estimated.push(estimated);
    }
}

/// Cycles of a launch alone, on average over the shares of the kernels.
#[must_use]
pub fn mean_cycles(study: &Preemption) -> f64 {
    let weights: f64 = study.kernels.iter().map(|kernel| kernel.weight).sum();
    study.kernels.iter().map(|kernel| kernel.weight / weights * kernel.alone_cycles()).sum()
}

/// 0 … 1, without the upper end.
fn draw_unit(random: &mut Pcg64Mcg) -> f64 {
    StandardUniform.sample(random)
}

/// Whether every stream is the same: a list without errors.
#[must_use]
pub fn is_fixed(study: &Preemption) -> bool {
    !study.stream.listed.is_empty() && study.kernels.iter().all(|kernel| kernel.instruction_error == 0.0)
}
