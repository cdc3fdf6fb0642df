//! How sure the answer for a whole plan is: times of both engines with the ranges of their profile, and the sentence that
//! comes first.

use crate::engine::predict::{Range, chance_above};
use crate::engine::{Engine, Engines};
use crate::placement::study::Side;
use crate::plan::Plan;
use crate::unit::Unit;

/// Chances between these, and 1 minus these, decide nothing.
const CLEAR_FROM: f64 = 0.9;

/// Times of a plan in both engines, and how sure they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Sure {
    /// Everything on CPUs, seconds: as measured, where the CPU side's engine measured this run.
    pub cpu: Range,
    /// Whether that was measured.
    pub is_measured: bool,
    /// Everything on GPUs, seconds.
    pub gpu: Range,
    /// CPU ÷ GPU.
    pub speedup: Range,
    /// Chance that the GPU is faster, 0 … 1.
    pub chance: f64,
    /// Names of both engines.
    names: [String; 2],
}

impl Sure {
    /// Of a plan that takes so long on either side by the engines' numbers. `None` if they say nothing of their errors.
    pub(super) fn new(engines: &Engines, plan: &Plan, cpu: f64, gpu: f64) -> Option<Self> {
        let usable = cpu > 0.0 && gpu > 0.0 && engines.speedup_within > 1.0;
        let names = [engines.cpu.name.clone(), engines.gpu.name.clone()];
        let measured = plan.duration_seconds.filter(|seconds| *seconds > 0.0 && is_of(plan, &engines.cpu));
        let anchor = measured.filter(|_| engines.anchored_within > 1.0);
        let (within, own) = (engines.anchored_within, engines.speedup_within);
        // What made the CPU's time longer than its parts makes the GPU's longer too, in part.
        let anchored = anchor.map(|seconds| (seconds, gpu * (seconds / cpu).powf(engines.carried)));
        let (cpu, gpu, speedup) = match anchored {
            Some((cpu, gpu)) => (Range::new(cpu, 1.0), Range::new(gpu, within), Range::new(cpu / gpu, within)),
            None => {
                (Range::new(cpu, engines.cpu.within), Range::new(gpu, engines.gpu.within), Range::new(cpu / gpu, own))
            }
        };
        let chance = chance_above(speedup.value, if anchored.is_some() { within } else { own });
        let sure = Self { cpu, is_measured: anchored.is_some(), gpu, speedup, chance, names };
        usable.then_some(sure)
    }

    /// The side that is faster, if that is sure enough to act on.
    #[must_use]
    pub fn side(&self) -> Option<Side> {
        match self.chance {
            chance if chance >= CLEAR_FROM => Some(Side::Gpu),
            chance if chance <= 1.0 - CLEAR_FROM => Some(Side::Cpu),
            _ => None,
        }
    }

    /// "71 s today → 38 s (30 s … 51 s) on RAPIDS; the GPU pays with 93 %".
    #[must_use]
    pub fn sentence(&self) -> String {
        let seconds = |value: f64| Unit::Seconds.format(rounded(value));
        let range =
            |range: Range| format!("{} ({} … {})", seconds(range.value), seconds(range.low), seconds(range.high));
        let on = |name: &str| if name.is_empty() { String::new() } else { format!(" on {name}") };
        let [cpu, gpu] = &self.names;
        let today = if self.is_measured {
            format!("{} today", Unit::Seconds.format(self.cpu.value))
        } else {
            format!("{}{}", range(self.cpu), on(cpu))
        };
        let percent = Unit::Share.format((self.chance * 100.0).round().clamp(1.0, 99.0) / 100.0);
        let verdict = match self.side() {
            Some(Side::Gpu) => format!("the GPU pays with {percent}"),
            Some(Side::Cpu) => format!("the GPU does not pay: it is faster with {percent} only"),
            None => format!("too close to call: the GPU pays with {percent}"),
        };
        format!("{today} → {}{}; {verdict}", range(self.gpu), on(gpu))
    }
}

/// Two digits: more would promise what the range takes back.
fn rounded(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return value;
    }
    let unit = 10_f64.powf(value.log10().floor() - 1.0);
    (value / unit).round() * unit
}

/// Whether a plan comes from an engine: its name begins with the same word.
pub(super) fn is_of(plan: &Plan, engine: &Engine) -> bool {
    let word = |text: &str| text.split([' ', ',', '/']).next().unwrap_or_default().to_lowercase();
    !plan.engine.is_empty() && word(&plan.engine) == word(&engine.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines() -> Engines {
        let mut engines = Engines::plain();
        (engines.cpu.name, engines.gpu.name) = ("Spark 3.5".to_owned(), "RAPIDS".to_owned());
        (engines.cpu.within, engines.gpu.within, engines.speedup_within) = (2.0, 3.0, 2.0);
        (engines.carried, engines.anchored_within) = (0.5, 1.5);
        engines
    }

    #[test]
    fn a_measured_run_carries_a_part_of_its_rest_over() {
        let plan = Plan { engine: "Spark 3.5.3".to_owned(), duration_seconds: Some(80.0), ..Plan::default() };
        // 20 s by its parts: four times as long, so twice as long on the GPU, 10 s instead of 5.
        let sure = Sure::new(&engines(), &plan, 20.0, 5.0).expect("a profile with errors");
        assert!(sure.is_measured);
        assert!((sure.gpu.value - 10.0).abs() < 1e-12);
        assert!((sure.gpu.low - 10.0 / 1.5).abs() < 1e-12);
        assert_eq!(sure.sentence(), "80 s today → 10 s (6.7 s … 15 s) on RAPIDS; the GPU pays with 99 %");
    }

    #[test]
    fn a_run_of_another_engine_measures_nothing_here() {
        let plan = Plan { engine: "DuckDB".to_owned(), duration_seconds: Some(80.0), ..Plan::default() };
        let sure = Sure::new(&engines(), &plan, 6.0, 5.0).expect("a profile with errors");
        assert!(!sure.is_measured);
        assert_eq!(
            sure.sentence(),
            "6 s (3 s … 12 s) on Spark 3.5 → 5 s (1.7 s … 15 s) on RAPIDS; too close to call: the GPU pays with 67 %"
        );
    }

    #[test]
    fn a_profile_without_errors_promises_nothing() {
        assert_eq!(Sure::new(&Engines::plain(), &Plan::default(), 6.0, 5.0), None);
    }
}
