//! The region of prices, where the log ran in another one.

use crossover_decision::{Baseline, Candidate, Price};

/// Names the region of the prices beside every candidate with one of another region than the log's; gives the difference:
/// "the log ran in eu-west-1; prices are those of us-east-1", or "… prices of machines other than today’s are …" if today's price is
/// not of another region, as one that was entered.
pub fn name_region(baseline: Option<&Baseline>, candidates: &mut [Candidate], region: Option<&str>) -> Option<String> {
    let region = region?;
    let other = |price: Option<&Price>| price?.region.clone().filter(|of_price| of_price != region);
    let of_today = baseline.and_then(|today| other(today.price.as_ref()));
    let what = if of_today.is_some() { "prices" } else { "prices of machines other than today’s" };
    let mut first = None;
    for candidate in candidates.iter_mut().filter(|candidate| candidate.time.is_some()) {
        // Each is compared with today.
        if let Some(of_prices) = other(candidate.price.as_ref()).or_else(|| of_today.clone()) {
            let difference = format!("the log ran in {region}; {what} are those of {of_prices}");
            candidate.evidence.distance.push(difference.clone());
            first.get_or_insert(difference);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use crossover_decision::{PredictedTime, PriceBasis};

    use super::*;

    fn entered() -> Price {
        Price::entered(1.0)
    }

    fn listed() -> Price {
        Price { basis: PriceBasis::OnDemand, region: Some("us-east-1".to_owned()), ..entered() }
    }

    fn candidate(price: Price) -> Candidate {
        Candidate::predicted("option", PredictedTime::within(10.0, 1.5), Some(price))
    }

    fn today(price: Price) -> Baseline {
        Baseline::measured("today", 20.0, Some(price))
    }

    #[test]
    fn a_log_of_another_region_is_named_beside_prices_of_a_list() {
        let named = |of_today: Price, region: Option<&str>| {
            let mut candidates = [candidate(entered()), candidate(listed())];
            let found = name_region(Some(&today(of_today)), &mut candidates, region);
            (found, candidates.map(|candidate| candidate.evidence.distance.len()))
        };
        let both = Some("the log ran in eu-west-1; prices are those of us-east-1".to_owned());
        // The price of today is entered.
        let others = both.as_ref().map(|text| text.replace("prices are", "prices of machines other than today’s are"));
        assert_eq!(named(entered(), Some("eu-west-1")), (others, [0, 1]));
        // Each is compared with today, whose price is that of the list.
        assert_eq!(named(listed(), Some("eu-west-1")), (both, [1, 1]));
        assert_eq!(named(listed(), Some("us-east-1")), (None, [0, 0]));
        assert_eq!(named(listed(), None), (None, [0, 0]));
    }
}
