//! The value of a parameter at which the placement flips, all other numbers unchanged.
//!
//! The gap T_cpu − θ·T_gpu changes its sign there. Three properties of the model make the search exact:
//!
//! - A parameter's range falls into pieces at whose ends the model may jump, because a count of rounds
//!   or passes changes.
//! - Where terms overlap, only the longest group counts. Wherever the placement flips, the gap taken
//!   with some fixed pair of groups has a root, so the roots of all pairs are the candidates.
//! - Within a piece the gap of one pair is linear in the parameter, its reciprocal or a power of it, so
//!   it has one root at most. Machines and fan-in of the published form have one extremum between two
//!   roots; so have, nearly, amounts of data that pass many times through GPU memory.

use super::axis::Axis;
use super::cost::{Breakdown, Cost, FITS, Term, evaluate, evaluate_apart};
use super::parameter::Parameter;
use super::point::Point;
use super::root::{Sample, bracketed_root, first_whole, turning_point};
use super::study::Aggregation;

/// The value of a parameter at which the placement flips.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BreakEven {
    /// Value at which the placement flips; for whole numbers the last one with the GPU.
    pub value: f64,
    /// The side of the value on which the GPU exceeds the threshold.
    pub gpu_recommended: GpuRecommended,
}

/// The side of a break-even on which the GPU exceeds the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GpuRecommended {
    /// At larger values.
    Above,
    /// At smaller values.
    Below,
}

impl GpuRecommended {
    /// "above" or "below".
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::Below => "below",
        }
    }
}

/// T_cpu − θ·T_gpu in seconds; positive where the GPU exceeds the threshold.
#[must_use]
pub fn gap(point: &Point) -> f64 {
    evaluate(point).gap(point.policy.threshold)
}

/// The break-even nearest to the current value of a parameter, by their ratio; `None` if the placement
/// is the same over its whole range.
#[must_use]
pub fn break_even(point: &Point, axis: Axis) -> Option<BreakEven> {
    let info = axis.parameter().info();
    let current = axis.value(point);
    if !(info.min..=info.max).contains(&current) {
        return None; // an optional term that is switched off
    }
    let whole = point.is_whole(axis.parameter());
    let mut search = Search { point, axis, range: [info.min, info.max], current, whole, nearest: None };
    search.run();
    search.nearest.map(|(_, found)| found)
}

struct Search<'p> {
    point: &'p Point,
    axis: Axis,
    range: [f64; 2],
    current: f64,
    whole: bool,
    /// The nearest break-even so far, with its distance from the current value.
    nearest: Option<(f64, BreakEven)>,
}

impl Search<'_> {
    fn run(&mut self) {
        let threshold = self.point.policy.threshold;
        for piece in pieces(self.point, self.axis, self.range) {
            let ends = (self.apart(piece.low), self.apart(piece.high));
            for pair in pairs(self.point, &ends) {
                // The threshold may itself be the parameter.
                let gap = |cost: &Cost, x| pair.gap(cost, self.threshold(threshold, x));
                let low = (piece.low, gap(&ends.0, piece.low));
                let high = (piece.high, gap(&ends.1, piece.high));
                let gap_at = |x: f64| gap(&self.apart(x), x);
                let root = |a: Sample, b: Sample| {
                    if self.whole { first_whole(gap_at, a, b.0) } else { bracketed_root(gap_at, a, b) }
                };
                let above_zero = low.1 > 0.0;
                let mut roots = [None; 2];
                if above_zero != (high.1 > 0.0) {
                    roots[0] = Some(root(low, high));
                } else if piece.has_extremum
                    && let Some(turn) = turning_point(gap_at, low.0, high.0, above_zero)
                {
                    roots = [Some(root(low, turn)), Some(root(turn, high))];
                }
                for root in roots.into_iter().flatten() {
                    self.consider(root);
                }
            }
            if let Some(jump) = piece.jump {
                self.consider(jump);
            }
        }
    }

    /// Accepts a candidate if the placement flips there and it is the nearest one so far. A whole
    /// number represents the step up to it.
    fn consider(&mut self, candidate: f64) {
        // Far below every tolerance on an input, far above rounding; jumps that lie closer do not count.
        const STEP: f64 = 1e-6;
        let (position, below, above) = if self.whole {
            (candidate - 0.5, candidate - 1.0, candidate)
        } else {
            let [min, max] = self.range;
            (candidate, (candidate * (1.0 - STEP)).max(min), (candidate * (1.0 + STEP)).min(max))
        };
        let distance = (position.max(f64::MIN_POSITIVE) / self.current.max(f64::MIN_POSITIVE)).ln().abs();
        if self.nearest.is_some_and(|(nearest, _)| nearest <= distance) {
            return;
        }
        let gpu_below = gap(&self.moved(below)) > 0.0;
        let gpu_above = gap(&self.moved(above)) > 0.0;
        if gpu_below != gpu_above {
            let (gpu_recommended, on_gpu) =
                if gpu_above { (GpuRecommended::Above, above) } else { (GpuRecommended::Below, below) };
            let value = if self.whole { on_gpu } else { candidate };
            self.nearest = Some((distance, BreakEven { value, gpu_recommended }));
        }
    }

    fn moved(&self, x: f64) -> Point {
        let mut moved = *self.point;
        self.axis.apply(&mut moved, x);
        moved
    }

    fn apart(&self, x: f64) -> Cost {
        evaluate_apart(&self.moved(x))
    }

    fn threshold(&self, unchanged: f64, x: f64) -> f64 {
        if self.axis.parameter() == Parameter::THRESHOLD { x } else { unchanged }
    }
}

/// One group of overlapping terms on each side, assumed to be the longest: 1 for terms that then count, 0
/// for those hidden under it.
struct Pair {
    cpu: [f64; Term::COUNT],
    gpu: [f64; Term::COUNT],
}

impl Pair {
    /// The gap if the chosen groups are the longest ones.
    fn gap(&self, apart: &Cost, threshold: f64) -> f64 {
        let counted =
            |breakdown: &Breakdown, counts: &[f64; Term::COUNT], term: usize| counts[term] * breakdown.seconds[term];
        (0..Term::COUNT)
            .map(|term| counted(&apart.cpu, &self.cpu, term) - threshold * counted(&apart.gpu, &self.gpu, term))
            .sum()
    }
}

/// Every pair of groups that can be the longest on their side somewhere between the ends of a piece.
fn pairs(point: &Point, ends: &(Cost, Cost)) -> impl Iterator<Item = Pair> {
    let (on_cpu, on_gpu) = (point.overlap.groups_on_cpu(), point.overlap.groups_on_gpu());
    let gpu_candidates = candidates(on_gpu, &ends.0.gpu, &ends.1.gpu);
    candidates(on_cpu, &ends.0.cpu, &ends.1.cpu).flat_map(move |cpu| {
        let pair = move |gpu| Pair { cpu: counts(on_cpu, cpu), gpu: counts(on_gpu, gpu) };
        gpu_candidates.clone().map(pair)
    })
}

/// Indices of the groups that can be the longest; one index where all terms add up.
///
/// Within a piece all terms of a group grow or all shrink, so a group takes no more than at one end and
/// no less than at the other. One that always stays below another is never the longest.
fn candidates(
    groups: &'static [&'static [Term]],
    low: &Breakdown,
    high: &Breakdown,
) -> impl Iterator<Item = usize> + Clone + use<> {
    let seconds = |breakdown: &Breakdown, group: &[Term]| group.iter().map(|term| breakdown.get(*term)).sum::<f64>();
    let mut most = [0.0; Term::COUNT]; // more groups than terms there cannot be
    let mut least_of_longest = 0.0;
    for (most, group) in most.iter_mut().zip(groups) {
        let at_ends: [f64; 2] = [seconds(low, group), seconds(high, group)];
        *most = at_ends[0].max(at_ends[1]);
        least_of_longest = at_ends[0].min(at_ends[1]).max(least_of_longest);
    }
    (0..groups.len().max(1)).filter(move |group| most[*group] >= least_of_longest)
}

fn counts(groups: &[&[Term]], longest: usize) -> [f64; Term::COUNT] {
    let mut counts = [1.0; Term::COUNT];
    for (index, group) in groups.iter().enumerate() {
        if index != longest {
            for term in *group {
                counts[*term as usize] = 0.0;
            }
        }
    }
    counts
}

/// A part of a range in which the model does not jump, both ends included.
#[derive(Debug, Clone, Copy)]
struct Piece {
    low: f64,
    high: f64,
    /// Where the model jumps after the piece; of whole numbers the first one of the next piece.
    jump: Option<f64>,
    /// Whether the gap of a pair may turn once instead of being monotone.
    has_extremum: bool,
}

/// The pieces of a parameter's range, in ascending order.
fn pieces(point: &Point, axis: Axis, [min, max]: [f64; 2]) -> Vec<Piece> {
    /// Passes through GPU memory, in both directions from the current one, that get a piece of their own.
    const PASSES: f64 = 8.0;
    let memory = point.gpu.gpu_memory_gb * point.gpu.gpus_per_machine / FITS;
    let mut has_extremum = [false; 2]; // of the first and the last piece
    let mut ends = Vec::new();
    match axis.parameter() {
        Parameter::MACHINES if point.aggregation == Aggregation::Exact => {
            // Rounds grow right after each power of the fan-in.
            ends.extend(
                std::iter::successors(Some(1.0), |power| Some(power * point.cluster.fan_in))
                    .take_while(|power| *power < max),
            );
        }
        Parameter::FAN_IN if point.aggregation == Aggregation::Exact => {
            // Rounds fall to j at the smallest fan-in k with k^j ≥ n; 2^20 exceeds every number of machines.
            ends.extend((1..=20).rev().map(|rounds| smallest_fan_in(point.cluster.machines, rounds) - 1.0));
        }
        Parameter::MACHINES | Parameter::FAN_IN => has_extremum = [true; 2],
        // Above linear work every pass streams all of the input.
        Parameter::POWER => ends.push(1.0),
        Parameter::INPUT_SIZE | Parameter::OUTPUT_RATIO if memory.is_finite() => {
            let input = point.operator.input_gb;
            let output_ratio = point.operator.output_ratio;
            let passes = (input * (1.0 + output_ratio) / memory).ceil();
            let first = (passes - PASSES).max(1.0);
            has_extremum = [first > 1.0, true];
            ends.extend((0..=16).map(|index| first + f64::from(index)).map(|passes| match axis.parameter() {
                Parameter::INPUT_SIZE => passes * memory / (1.0 + output_ratio),
                _ => passes * memory / input - 1.0,
            }));
        }
        _ => {}
    }
    ends.extend(memory_bound(point, axis.parameter()));
    ends.retain(|end| (min..max).contains(end));
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    let whole = point.is_whole(axis.parameter());
    // Rounding is relative to this: passes come from the sum of input and output.
    let offset = if axis.parameter() == Parameter::OUTPUT_RATIO { 1.0 } else { 0.0 };
    let mut low = min;
    let mut pieces: Vec<Piece> = ends
        .into_iter()
        .map(|end| {
            // Rounding may put a jump a little before or after the value where it belongs.
            let margin = if whole { 0.0 } else { 1e-12 * (offset + end) };
            let jump = if whole { end + 1.0 } else { end };
            let piece = Piece { low, high: (end - margin).max(low), jump: Some(jump), has_extremum: false };
            low = (jump + margin).min(max);
            piece
        })
        .collect();
    pieces.push(Piece { low, high: max, jump: None, has_extremum: has_extremum[1] });
    pieces[0].has_extremum |= has_extremum[0];
    pieces
}

/// The value of a parameter at which the cores of a machine together reach its memory bandwidth.
fn memory_bound(point: &Point, parameter: Parameter) -> Option<f64> {
    let (cores, bandwidth) = (point.node.cpu_parallelism, point.node.memory_gb_per_s);
    let (relative_time, power) = (point.operator.cpu_seconds_per_100mb / 0.1, point.operator.class);
    if point.operator.cpu_curve.is_some() || !bandwidth.is_finite() {
        return None;
    }
    match parameter {
        Parameter::CPU_TIME => Some(0.1 * (cores / bandwidth).powf(1.0 / power)),
        Parameter::POWER => Some((cores / bandwidth).ln() / relative_time.ln()),
        Parameter::CPU_PARALLELISM => Some(relative_time.powf(power) * bandwidth),
        Parameter::MEMORY_BANDWIDTH => Some(cores / relative_time.powf(power)),
        _ => None,
    }
}

/// The smallest whole k with k^rounds ≥ machines.
fn smallest_fan_in(machines: f64, rounds: i32) -> f64 {
    let mut fan_in = machines.powf(1.0 / f64::from(rounds)).floor().max(2.0);
    while fan_in.powi(rounds) < machines {
        fan_in += 1.0;
    }
    fan_in
}
