//! The bill of a study: prices of its machines, and the cost figures that follow.

use serde::{Deserialize, Serialize};

use crossover_study_derive::Part;

use super::field::{Describe as _, Field, Part};
use super::figure::{Better, Figure, FigureValue};
use super::walk::{number_at, numbers, usual_path};
use crate::formula::{Node, Real};
use crossover_quantity::invalid::{Invalid, did_you_mean};
use crossover_quantity::unit::Unit;

/// Source of the cost figures.
const COSTS: &str = "total cost of ownership (docs/model/tools.md, Costs)";
/// Hours of a year, leap years included.
const HOURS_PER_YEAR: f64 = 8766.0;
const SECONDS_PER_HOUR: f64 = 3600.0;
/// Most items of a bill.
const MOST_ITEMS: usize = 50;

/// Prices of the machines of a study, in US dollars.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[numbers(BillNumbers)]
pub struct Bill {
    /// Date of the prices, such as "May 2026".
    pub as_of: String,
    /// Key of the figure that is the time of a run; empty: the study has no runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// Years over which purchases are written off.
    #[number(symbol = "", label = "years of use", unit = Years, range = 0.1..=100.0, source = COSTS, decision)]
    pub years: f64,
    /// Share of these years in which the machines work; purchases are written off over this time.
    #[number(symbol = "", label = "utilisation", unit = Share, range = 0.001..=1.0, source = COSTS)]
    pub utilisation: f64,
    /// Price of electricity.
    #[number(symbol = "", label = "electricity", unit = UsDollarsPerKilowattHour, range = 0.0..=100.0, source = COSTS, decision)]
    pub usd_per_kwh: f64,
    /// Power usage effectiveness: power of the site ÷ power of its machines.
    #[number(symbol = "PUE", label = "PUE", unit = Ratio, range = 1.0..=10.0, source = COSTS)]
    pub pue: f64,
    /// Items that are bought or rented; one to 50, names unique.
    #[list(named, least = 1, most = MOST_ITEMS)]
    pub items: Vec<Item>,
}

/// A line of the bill: a quantity of one kind of item.
#[derive(Debug, Clone, PartialEq, Part, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[numbers(ItemNumbers)]
pub struct Item {
    /// Unique in the bill.
    #[name]
    pub name: String,
    /// Kind of catalogue entry, whose prices are then known.
    #[serde(default, skip_serializing_if = "ItemKind::is_other")]
    pub kind: ItemKind,
    /// Paths of numbers of the study whose product multiplies the quantity; none: factor 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per: Vec<String>,
    /// Number of items; where it is per machine, GPU or another counted unit, of each.
    #[number(symbol = "", label = "quantity", unit = Count, range = 0.0..=1e9, source = COSTS, decision)]
    pub quantity: f64,
    /// Purchase price of one item.
    #[number(symbol = "", label = "price", unit = UsDollars, range = 0.0..=1e9, source = COSTS, decision)]
    pub usd: f64,
    /// Rent of one item, paid while it works.
    #[number(symbol = "", label = "rent", unit = UsDollarsPerHour, range = 0.0..=1e6, source = COSTS, decision)]
    pub usd_per_hour: f64,
    /// Power of one item while it works; 0 if the rent includes it: then the power of the site is not available.
    #[number(symbol = "", label = "power", unit = Watts, range = 0.0..=1e7, source = COSTS)]
    pub watts: f64,
}

/// Kind of catalogue entry of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ItemKind {
    /// A GPU.
    Gpu,
    /// A machine without its GPUs.
    Node,
    /// Not in the catalogue.
    #[default]
    Other,
}

impl ItemKind {
    /// Whether it is not in the catalogue.
    #[must_use]
    pub fn is_other(&self) -> bool {
        *self == Self::Other
    }
}

/// Purchase price of the machines.
pub const PURCHASE: Figure = Figure {
    key: "bill_usd",
    label: "purchase price",
    unit: Unit::UsDollars,
    better: Better::Lower,
    list: None,
    meaning: "Purchase price of all items.",
};
/// Cost of an hour of work.
pub const PER_HOUR: Figure = Figure {
    key: "bill_usd_per_hour",
    label: "cost per hour",
    unit: Unit::UsDollarsPerHour,
    better: Better::Lower,
    list: None,
    meaning: "Write-off, rent and electricity per hour in which the machines work.",
};
/// Power of the site.
pub const POWER: Figure = Figure {
    key: "bill_watts",
    label: "power of the site",
    unit: Unit::Watts,
    better: Better::Lower,
    list: None,
    meaning: "Power of all items while they work, with cooling and distribution; not available if a rented item has no power value.",
};
/// Cost of a run.
pub const RUN_COST: Figure = Figure {
    key: "run_usd",
    label: "cost of a run",
    unit: Unit::UsDollars,
    better: Better::Lower,
    list: None,
    meaning: "Cost per hour × the time of a run.",
};
/// Energy of a run.
pub const RUN_ENERGY: Figure = Figure {
    key: "run_kwh",
    label: "energy of a run",
    unit: Unit::KilowattHours,
    better: Better::Lower,
    list: None,
    meaning: "Power of the site × the time of a run; not available without the power of the site.",
};

/// Hint in errors where one of these figures is requested of a study without prices.
pub const HINT: &str = "; it needs prices, but this study has no bill (docs/model/tools.md, Costs)";

/// Whether a key is that of a figure of a bill.
#[must_use]
pub fn is_figure(key: &str) -> bool {
    [PURCHASE, PER_HOUR, POWER, RUN_COST, RUN_ENERGY].iter().any(|figure| figure.key == key)
}

impl Bill {
    /// A new bill without prices.
    #[must_use]
    pub fn begun(figures: &[Figure]) -> Self {
        let run = figures.iter().find(|figure| is_time(figure)).map_or("", |figure| figure.key);
        Self {
            as_of: String::new(),
            run: run.to_owned(),
            years: 4.0,
            utilisation: 0.5,
            usd_per_kwh: 0.15,
            pue: 1.4,
            items: vec![Item::named("machines")],
        }
    }

    /// The figures, of a study that has this bill and these other figures.
    #[must_use]
    pub fn figures(&self, study: &dyn Part, others: &[FigureValue]) -> Vec<FigureValue> {
        let number = |path: &str| number_or_neutral(study, path);
        let items = self.items.iter().map(|item| (item.into(), times(&item.per, number)));
        let time = others.iter().find(|one| one.of.is_none() && one.figure.key == self.run);
        let [whole @ .., run_cost, run_energy] =
            costs(&self.into(), items, time.and_then(|time| time.value).unwrap_or(f64::NAN));
        let figures = [&PURCHASE, &PER_HOUR, &POWER].into_iter().zip(whole);
        let of_run = [&RUN_COST, &RUN_ENERGY].into_iter().zip([run_cost, run_energy]);
        let figures = figures.chain(of_run.take(if self.run.is_empty() { 0 } else { 2 }));
        figures.map(|(figure, value)| FigureValue::whole(figure, value)).collect()
    }

    /// The same, in the same order, as formulas of the numbers that `number` gives by path and value; `time`: that of a run.
    pub(crate) fn formulas<'t>(
        &self,
        study: &dyn Part,
        time: Option<Node<'t>>,
        number: &dyn Fn(&str, f64) -> Node<'t>,
    ) -> Vec<Node<'t>> {
        let named = |part: &str, fields: &'static [Field], field: usize, value| {
            number(&format!("bill.{part}{}", fields[field].key), value)
        };
        let own = BillNumbers::from(self).map(&mut |field, _, value| named("", Self::FIELDS, field, value));
        let items = self.items.iter().map(|item| {
            let part = format!("items.{}.", item.name);
            let own = ItemNumbers::from(item).map(&mut |field, _, value| named(&part, Item::FIELDS, field, value));
            // A path may address an entry of a list by its index.
            let of_path = |path: &str| {
                let usual = usual_path(study, path);
                number(usual.as_deref().unwrap_or(path), number_or_neutral(study, path))
            };
            (own, times(&item.per, of_path))
        });
        let costs = costs(&own, items, time.unwrap_or_else(|| f64::NAN.into()));
        costs.into_iter().take(if self.run.is_empty() { 3 } else { 5 }).collect()
    }

    /// Checks the bill against the study.
    ///
    /// # Errors
    /// A path that leads to no number of it, or to one of a bill; a run whose time is no figure of it.
    pub(crate) fn check(&self, study: &dyn Part, figures: &[Figure]) -> Result<(), Invalid> {
        for item in &self.items {
            for path in &item.per {
                let invalid = |problem| Invalid { path: format!("bill.items.{}.per", item.name), problem };
                if path.starts_with("bill.") {
                    return Err(invalid(format!("“{path}” is a number of the bill; expected a number of the study")));
                }
                let found = number_at(study, path);
                if found.is_some_and(|(quantity, value)| value.is_none() && !quantity.when_absent().is_finite()) {
                    return Err(invalid(format!("“{path}” has no value, so the quantity is unknown; set a value")));
                }
                if found.is_none() {
                    let known: Vec<String> = numbers(study).iter().map(|(path, ..)| path.to_string()).collect();
                    return Err(invalid(format!(
                        "“{path}” is not a number of this study{}",
                        did_you_mean(path, &known)
                    )));
                }
            }
        }
        let times: Vec<&str> = figures.iter().filter(|figure| is_time(figure)).map(|figure| figure.key).collect();
        if self.run.is_empty() || times.contains(&self.run.as_str()) {
            return Ok(());
        }
        let problem = if times.is_empty() {
            "a study of this kind has no figure for the time of a run; leave it empty".to_owned()
        } else {
            let known = times.join(", ");
            format!(
                "“{}” is not a time figure of the study{}; expected: {known}",
                self.run,
                did_you_mean(&self.run, &times)
            )
        };
        Err(Invalid { path: "bill.run".to_owned(), problem })
    }

    /// Updates paths of moved numbers; each pair is the new path and the old one.
    pub(crate) fn follow(&mut self, paths: &[(String, String)]) {
        for path in self.items.iter_mut().flat_map(|item| &mut item.per) {
            if let Some((new, _)) = paths.iter().find(|(_, before)| before == path) {
                path.clone_from(new);
            }
        }
    }
}

impl Item {
    /// One item with a name and no prices.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: ItemKind::Other,
            per: Vec::new(),
            quantity: 1.0,
            usd: 0.0,
            usd_per_hour: 0.0,
            watts: 0.0,
        }
    }

    /// Number of these items in a study.
    #[must_use]
    pub fn count(&self, study: &dyn Part) -> f64 {
        self.quantity * times(&self.per, |path| number_or_neutral(study, path))
    }
}

/// Purchase price, cost per hour, power, and cost and energy of a run of this many seconds, for items with their factors.
fn costs<N: Real>(bill: &BillNumbers<N>, items: impl Iterator<Item = (ItemNumbers<N>, N)>, seconds: N) -> [N; 5] {
    let [mut usd, mut rent, mut paid_watts, mut watts] = [N::from(0.0); 4];
    for (item, times) in items {
        let count = item.quantity * times;
        usd = usd + count * item.usd;
        rent = rent + count * item.usd_per_hour;
        paid_watts = paid_watts + count * item.watts;
        watts = watts + count.if_above(N::from(0.0), count * drawn(&item), N::from(0.0));
    }
    let site_kilowatts = |watts: N| watts * bill.pue / N::from(1000.0);
    let write_off = usd / (bill.years * N::from(HOURS_PER_YEAR) * bill.utilisation);
    let per_hour = write_off + rent + site_kilowatts(paid_watts) * bill.usd_per_kwh;
    let hours = seconds / N::from(SECONDS_PER_HOUR);
    [usd, per_hour, watts * bill.pue, hours * per_hour, hours * site_kilowatts(watts)]
}

/// Power of an item; not a number if its rent includes the electricity, since the power is then unknown.
fn drawn<N: Real>(item: &ItemNumbers<N>) -> N {
    let nothing = N::from(0.0);
    let rented = item.watts.if_above(nothing, item.watts, f64::NAN.into());
    item.usd_per_hour.if_above(nothing, rented, item.watts)
}

/// The product of the numbers at some paths.
fn times<N: Real>(paths: &[String], number: impl Fn(&str) -> N) -> N {
    paths.iter().map(|path| number(path)).fold(N::from(1.0), |product, one| product * one)
}

/// The number at a path; its neutral value if it is absent.
fn number_or_neutral(study: &dyn Part, path: &str) -> f64 {
    match number_at(study, path) {
        Some((_, Some(value))) => value,
        Some((quantity, None)) => quantity.when_absent(),
        None => f64::NAN,
    }
}

/// Whether a figure is a time of the whole study.
fn is_time(figure: &Figure) -> bool {
    figure.list.is_none() && figure.unit == Unit::Seconds
}
