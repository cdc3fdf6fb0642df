//! The spread of a number by its source: the interval of a measurement or a fit, and the variation between machines of a type.

use super::{Distribution, IN_95, Spread, Z_90};
use crate::provenance::Provenance;

/// Error factor (95 %) of derived catalogue figures: measured memory bandwidth ÷ data sheet of the 14 GPUs of `gpus.ron` that have both, as a standard deviation of logarithms.
const DERIVED: f64 = 1.25;
/// The same for figures measured on another machine of the type: speeds of PCIe 3.0, 4.0 and 5.0 links with 16 lanes there.
const MEASURED_ELSEWHERE: f64 = 1.2;

/// By the confidence at the end of a catalogue source; figures of data sheets are exact.
fn of_catalogue(source: &str) -> Option<Spread> {
    let factor = if source.ends_with("(derived)") {
        DERIVED
    } else if source.ends_with("(measured)") {
        MEASURED_ELSEWHERE
    } else {
        return None;
    };
    Some(Spread::alone(Distribution::LogNormal { factor }))
}

impl Spread {
    /// The spread by the source of a number: the interval of a measured or fitted one, and for a catalogue figure the variation
    /// between machines of the same type.
    #[must_use]
    pub fn of_source(source: &Provenance, value: f64) -> Option<Self> {
        let (ends, deviations) = match source {
            Provenance::Measured { interval, .. } => (interval, IN_95),
            Provenance::Fitted { interval, .. } => (interval, Z_90),
            Provenance::Preset { source, .. } => return of_catalogue(source).filter(|_| value > 0.0),
            Provenance::Entered
            | Provenance::Published(_)
            | Provenance::PriceList { .. }
            | Provenance::Assumed { .. }
            | Provenance::Imported { .. } => return None,
        };
        let (low, high) = *ends;
        if low.partial_cmp(&high) != Some(std::cmp::Ordering::Less) {
            return None;
        }
        // An interval that is symmetric by factors is log-normal, as in fits of times and rates.
        let is_by_factors = low > 0.0 && value > 0.0 && ((high / value) / (value / low) - 1.0).abs() < 0.02;
        Some(Self::alone(if is_by_factors && high / low > 1.2 {
            Distribution::LogNormal { factor: ((high / low).ln() / 2.0 / deviations * IN_95).exp() }
        } else {
            Distribution::Normal { standard_deviation: (high - low) / 2.0 / deviations }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_say_how_far_a_number_may_be() {
        let measured = |low, high| Provenance::Measured {
            device: "a GPU".to_owned(),
            date: "2026-01-01".to_owned(),
            interval: (low, high),
        };
        let of = |source: &Provenance| Spread::of_source(source, 10.0).map(|spread| spread.distribution);
        let Some(Distribution::Normal { standard_deviation }) = of(&measured(10.0 - IN_95, 10.0 + IN_95)) else {
            panic!("alike on both sides")
        };
        assert!((standard_deviation - 1.0).abs() < 1e-12);
        let Some(Distribution::LogNormal { factor }) = of(&measured(5.0, 20.0)) else { panic!("by factors") };
        assert!((factor - 2.0).abs() < 1e-9);
        assert_eq!(of(&measured(10.0, 10.0)), None);
        assert_eq!(of(&Provenance::Entered), None);
    }

    /// Standard deviation of the logarithms within groups, as the factor of 95 of 100 cases.
    fn factor(groups: &[Vec<f64>]) -> f64 {
        let (mut squares, mut freedom) = (0.0, 0.0);
        for group in groups {
            let mean = group.iter().map(|value| value.ln()).sum::<f64>() / group.len() as f64;
            squares += group.iter().map(|value| (value.ln() - mean).powi(2)).sum::<f64>();
            freedom += group.len() as f64 - 1.0;
        }
        (IN_95 * (squares / freedom).sqrt()).exp()
    }

    #[test]
    fn numbers_of_the_catalogue_spread_as_far_as_those_of_the_catalogue_do() {
        let [gpus, others] = [include_str!("../../../../assets/gpus.ron"), "[]"];
        let gpus =
            crate::catalogue::Catalogue::parse([gpus, others, others, others, others]).expect("the catalogue").gpus;
        let achieved = |gpu: &crate::catalogue::Gpu| {
            let (_, measured) = gpu.parallelism.source.split_once("achievable = ")?;
            let (value, _) = measured.split_once(" GB/s measured")?;
            Some(value.parse::<f64>().expect("a speed") / gpu.memory_gb_per_s.value)
        };
        let shares: Vec<f64> = gpus.iter().filter_map(achieved).collect();
        assert!(shares.len() >= 14);
        assert!((factor(&[shares]) - DERIVED).abs() < 0.02);
        // Where several cards have one type of link, and it was measured; one stood in a slower slot: it got less than cards
        // with PCIe 4.0 did.
        let links = ["PCIe 3.0 ×16", "PCIe 4.0 ×16", "PCIe 5.0 ×16"].map(|link| {
            let measured = gpus.iter().filter(|gpu| gpu.host_link == link && gpu.name != "AMD Radeon RX 9060 XT 16 GB");
            let measured = measured.map(|gpu| &gpu.to_gpu_gb_per_s);
            let measured = measured.filter(|speed| speed.confidence == crate::catalogue::Confidence::Measured);
            measured.map(|speed| speed.value).collect::<Vec<_>>()
        });
        assert!(links.iter().all(|link| link.len() >= 3));
        assert!((factor(&links) - MEASURED_ELSEWHERE).abs() < 0.03, "{}", factor(&links));
        let of = |confidence: &str| {
            let source = Provenance::Preset { entry: "a card".to_owned(), source: format!("a page ({confidence})") };
            Spread::of_source(&source, 10.0).map(|spread| spread.distribution)
        };
        assert_eq!(of("derived"), Some(Distribution::LogNormal { factor: DERIVED }));
        assert_eq!(of("measured"), Some(Distribution::LogNormal { factor: MEASURED_ELSEWHERE }));
        assert_eq!(of("data sheet"), None);
    }
}
