//! The region of prices, where the log ran in another one.

use crossover_decision::{Baseline, Candidate};

/// Region of the catalogue's prices.
const REGION_OF_PRICES: &str = "us-east-1";
/// Beginning of the source of a price that the user entered.
const ENTERED: &str = "entered";

/// Names the region of the prices beside every candidate with one from the catalogue if the log ran in another region; gives the
/// difference: "the log ran in eu-west-1; prices are those of us-east-1".
pub fn name_region(baseline: Option<&Baseline>, candidates: &mut [Candidate], region: Option<&str>) -> Option<String> {
    let region = region.filter(|region| *region != REGION_OF_PRICES)?;
    let difference = format!("the log ran in {region}; prices are those of {REGION_OF_PRICES}");
    let is_of_catalogue = |source: &str| !source.starts_with(ENTERED);
    let of_today = baseline.is_some_and(|today| is_of_catalogue(&today.price_source));
    let mut is_named = false;
    for candidate in candidates.iter_mut().filter(|candidate| candidate.time.is_some()) {
        // Engines on the machines of today have their price, and no source of their own.
        let own = if candidate.price_source.is_empty() { of_today } else { is_of_catalogue(&candidate.price_source) };
        if own || of_today {
            candidate.evidence.distance.push(difference.clone());
            is_named = true;
        }
    }
    is_named.then_some(difference)
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Evidence, PredictedTime, PriceBasis};

    use super::*;

    fn candidate(price_source: &str) -> Candidate {
        Candidate {
            title: "option".to_owned(),
            engine: "option".to_owned(),
            time: Some(PredictedTime::within(10.0, 1.5)),
            deviation_of_ratio: None,
            machines: None,
            lanes: None,
            usd_per_hour: Some(1.0),
            price_source: price_source.to_owned(),
            price_basis: PriceBasis::OnDemand,
            blocked_by: None,
            evidence: Evidence::default(),
        }
    }

    fn today(price_source: &str) -> Baseline {
        Baseline {
            title: "today".to_owned(),
            time: PredictedTime::measured(20.0),
            is_measured: true,
            machines: 1.0,
            usd_per_hour: Some(1.0),
            price_source: price_source.to_owned(),
            price_basis: PriceBasis::OnDemand,
        }
    }

    #[test]
    fn a_log_of_another_region_is_named_beside_prices_of_the_catalogue() {
        let named = |today_source: &str, region: Option<&str>| {
            let mut candidates = [candidate("entered"), candidate(""), candidate("on demand, us-east-1, 2026-07-20")];
            let found = name_region(Some(&today(today_source)), &mut candidates, region);
            (found.is_some(), candidates.map(|candidate| candidate.evidence.distance.len()))
        };
        assert_eq!(named("entered, spot", Some("eu-west-1")), (true, [0, 0, 1]));
        // Each is compared with today, whose price is that of the catalogue.
        assert_eq!(named("on demand, us-east-1", Some("eu-west-1")), (true, [1, 1, 1]));
        assert_eq!(named("on demand, us-east-1", Some("us-east-1")), (false, [0, 0, 0]));
        assert_eq!(named("on demand, us-east-1", None), (false, [0, 0, 0]));
    }
}
