//! What runs a workload today: its engine, its machines, and their price.

use crossover_decision::{Baseline, Candidate, PredictedTime, Price, PriceBasis, set_price_today};
use crossover_engine::{Engine, Engines};
use crossover_placement::Placement;
use crossover_quantity::provenance::{Provenance, Sources};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;

/// A price with the origin of its number; without one, it was entered.
#[must_use]
pub fn price_of(usd_per_hour: Option<f64>, origin: Option<&Provenance>) -> Option<Price> {
    let entered = Price::entered(usd_per_hour?);
    let listed = |source: &str| Price { basis: PriceBasis::OnDemand, source: source.to_owned(), ..entered.clone() };
    Some(match origin {
        None | Some(Provenance::Entered) => entered,
        Some(Provenance::PriceList { source, date, region }) => {
            Price { date: *date, region: region.clone(), ..listed(source) }
        }
        Some(Provenance::Assumed { why, from }) => {
            let from = price_of(usd_per_hour, Some(from.as_ref()))?;
            Price { basis: PriceBasis::Assumed, source: why.clone(), ..from }
        }
        Some(Provenance::Published(source) | Provenance::Preset { source, .. }) => listed(source),
        Some(other) => listed(other.kind()),
    })
}

/// Price of one of today's machines in a study, with the basis and the region that the user entered; `sources` are those of the engines,
/// by path in them.
pub(crate) fn entered_price_today(study: &Placement, engines: &Engines, sources: &Sources) -> Option<Price> {
    let mut price = price_of(engines.cpu.usd_per_hour, sources.get("cpu.usd_per_hour"))?;
    if let Some(inputs) = study.decision.as_deref() {
        // An assumed price stays one until the user says what it is.
        if let Some(basis) = inputs.today_price {
            price.basis = basis;
        }
        if !inputs.today_region.is_empty() {
            price.region = Some(inputs.today_region.clone());
        }
    }
    Some(price)
}

/// What runs a workload today, in this time; the price of one of its machines is also that of the candidates on the same machines.
#[must_use]
pub fn baseline(
    engines: &Engines,
    price: Option<&Price>,
    time: PredictedTime,
    is_measured: bool,
    candidates: &mut [Candidate],
) -> Baseline {
    let cpu = &engines.cpu;
    let title = format!("{}, {}", cpu.name, machines_of(cpu));
    let mut baseline = Baseline { machines: cpu.machines, title, time, is_measured, price: None, runs: None };
    set_price_today(&mut baseline, candidates, price);
    baseline
}

/// "2 × c5d.12xlarge", "4 machines with 8 cores each".
pub(super) fn machines_of(engine: &Engine) -> String {
    let Engine { machine, machines, lanes, .. } = engine;
    match (machine.as_str(), machines.round()) {
        ("", 1.0) => format!("machine with {}", counted(*lanes, "core")),
        ("", count) => format!("{} machines with {} each", Unit::Count.format(count), counted(*lanes, "core")),
        (machine, count) => format!("{} × {machine}", Unit::Count.format(count)),
    }
}
