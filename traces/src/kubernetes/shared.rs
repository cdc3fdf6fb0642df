//! GPUs of other makers than NVIDIA that `HAMi` shares among tasks. How many there are, and their memory, is in an annotation of the
//! node (Hygon, Iluvatar, `MetaX`, Enflame) or follows from the cores and the memory that it offers (Cambricon, Moore Threads).
//! <https://github.com/Project-HAMi/HAMi/tree/master/pkg/device>

use std::collections::BTreeMap;

use crossover_allocation::Part;
use crossover_quantity::text::counted;
use serde_json::Value;

use super::conventions::{self, ENFLAME_REGISTER, METAX_REGISTER, Meaning};
use super::facts::{Facts, Remarks};
use super::registered::{self, Card};
use crate::gpus::Device;
use crate::left_out::shown;

/// Names of Iluvatar's chips in annotations and resources.
const ILUVATAR_CHIPS: [&str; 2] = ["BI-V", "MR-V"];

/// A device, and how many GPUs of a node it is.
type Counted = (Device, u64);

/// Shared GPUs of a node, alike ones together.
pub(super) fn devices(facts: &Facts<'_>, remarks: &mut Remarks) -> Result<Vec<Counted>, String> {
    let mut found = registered(facts, remarks)?;
    found.extend(of_enflame(facts)?);
    let totals = totals(facts, &found)?;
    found.extend(totals);
    Ok(found)
}

/// GPUs that an annotation registers, each with the places that tasks take.
fn registered(facts: &Facts<'_>, remarks: &mut Remarks) -> Result<Vec<Counted>, String> {
    let mut found = Vec::new();
    for (annotation, text) in facts.annotations {
        let (cards, resources) = if annotation == METAX_REGISTER {
            let resources = ["sgpu", "vcore", "vmemory"].map(|name| format!("metax-tech.com/{name}"));
            (of_metax(text)?, resources)
        } else {
            let maker = annotation.strip_prefix("hami.io/node-").and_then(|rest| rest.strip_suffix("-register"));
            let Some(resources) = maker.and_then(|maker| of_maker(facts, maker)) else { continue };
            (registered::of(annotation, text)?, resources)
        };
        let slots: u64 = cards.iter().map(|card| u64::from(card.slots)).sum();
        let offered = facts.count(&resources[0])?;
        if offered > 0 && offered != slots {
            let (resource, count) = (&resources[0], cards.len());
            let registered = counted(count as f64, "registered GPU");
            let what = format!("{offered} {resource}, but the slots of {registered} are {slots}; {count} read");
            remarks.contradictions.add(facts.name, &what);
        }
        if cards.iter().any(|card| card.slots > 1) {
            remarks.split.add(facts.name);
        }
        let mut alike: BTreeMap<Card, u64> = BTreeMap::new();
        for card in cards {
            // Places do not tell GPUs apart.
            *alike.entry(Card { slots: 1, ..card }).or_default() += 1;
        }
        let offers: BTreeMap<String, Part> = resources.into_iter().map(|resource| (resource, Part::ONE)).collect();
        found.extend(alike.into_iter().map(|(card, count)| {
            let (product, label, offers) = (card.product.clone(), card.product, offers.clone());
            (Device { product, cut: String::new(), label, offers, memory_mib: card.memory_mib }, count)
        }));
    }
    Ok(found)
}

/// The resources of a maker that registers its GPUs as `HAMi` does: places, cores, memory.
fn of_maker(facts: &Facts<'_>, maker: &str) -> Option<[String; 3]> {
    if maker == "dcu" {
        return Some(["dcunum", "dcucores", "dcumem"].map(|name| format!("hygon.com/{name}")));
    }
    let chip = format!("iluvatar.ai/{maker}");
    let is_iluvatar = ILUVATAR_CHIPS.iter().any(|known| maker.starts_with(known))
        || facts.has.keys().any(|resource| resource.starts_with(&chip));
    is_iluvatar.then(|| ["-vgpu", ".vCore", ".vMem"].map(|end| format!("{chip}{end}")))
}

/// The GPUs of the annotation of `MetaX`.
fn of_metax(text: &str) -> Result<Vec<Card>, String> {
    let problem =
        || format!("annotation {METAX_REGISTER} is “{}”; expected GPUs with model and totalVRam", shown(text));
    let value: Value = serde_json::from_str(text).map_err(|_| problem())?;
    let entries = value.as_array().ok_or_else(problem)?;
    let card = |entry: &Value| {
        let number = |name: &str| entry.get(name).and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
        let model = entry.get("model").and_then(Value::as_str).unwrap_or_default();
        Some(Card {
            product: if model.is_empty() { "MetaX GPU".to_owned() } else { model.to_owned() },
            memory_mib: number("totalVRam")?,
            slots: number("totalDevCount").unwrap_or(1),
        })
    };
    entries.iter().map(card).collect::<Option<Vec<Card>>>().ok_or_else(problem)
}

/// GPUs of Enflame that are cut into partitions when a task needs them: one of so many slices, of which a task requests some.
fn of_enflame(facts: &Facts<'_>) -> Result<Option<Counted>, String> {
    let Some(text) = facts.annotations.get(ENFLAME_REGISTER) else { return Ok(None) };
    let problem =
        || format!("annotation {ENFLAME_REGISTER} is “{}”; expected devices, and profiles like 3g.20gb", shown(text));
    let value: Value = serde_json::from_str(text).map_err(|_| problem())?;
    let gpus = value.get("devices").and_then(Value::as_array).map_or(0, Vec::len) as u64;
    let profiles = value.get("profiles").and_then(Value::as_object).ok_or_else(problem)?;
    let profile = |name: &String| -> Option<(u32, u32)> {
        let (slices, memory) = name.split_once('.')?;
        Some((slices.strip_suffix('g')?.parse().ok()?, memory.strip_suffix("gb")?.parse().ok()?))
    };
    let profiles: Option<Vec<(u32, u32)>> = profiles.keys().map(profile).collect();
    // The largest profile is the whole GPU.
    let (slices, gb) = profiles.and_then(|profiles| profiles.into_iter().max()).ok_or_else(problem)?;
    if slices == 0 {
        return Err(problem());
    }
    let part = Part::one_of(slices);
    let offers = ["drs-gcu", "gcu-core", "gcu-memory"].map(|name| (format!("enflame.com/{name}"), part));
    let device = Device {
        product: "Enflame GCU".to_owned(),
        cut: format!("{slices} slices"),
        label: String::new(),
        offers: BTreeMap::from(offers),
        memory_mib: gb.saturating_mul(1_024),
    };
    Ok((gpus > 0).then_some((device, gpus)))
}

/// GPUs that the cores of a node are, of makers that register none. `found`: those that are registered.
fn totals(facts: &Facts<'_>, found: &[Counted]) -> Result<Vec<Counted>, String> {
    let mut of_totals = Vec::new();
    for cores in facts.has.keys() {
        let Some((Meaning::Cores { whole, .. }, product)) = conventions::of(cores) else { continue };
        let is_found = found.iter().any(|(device, _)| device.offers.contains_key(cores));
        let total = facts.count(cores)?;
        if product == "GPU" || is_found || total == 0 {
            continue;
        }
        let gpus = total.div_ceil(u64::from(whole));
        let memory = match cores.strip_suffix(".vCore") {
            Some(chip) => format!("{chip}.vMem"),
            None => cores.replace("core", "memory"),
        };
        let memory_mib = match conventions::of(&memory) {
            Some((Meaning::Memory { mib, .. }, _)) => facts.count(&memory)?.saturating_mul(u64::from(mib)) / gpus,
            _ => 0,
        };
        let counts: Vec<String> = match product {
            "Cambricon MLU" => ["mlu", "mlunum", "vmlu"].map(|name| format!("cambricon.com/{name}")).to_vec(),
            "Hygon DCU" => vec!["hygon.com/dcunum".to_owned()],
            "Iluvatar GPU" => {
                let chip = cores.strip_suffix(".vCore").map(|chip| format!("{chip}-vgpu"));
                vec![chip.unwrap_or_else(|| "iluvatar.ai/vgpu".to_owned())]
            }
            "MetaX GPU" => vec!["metax-tech.com/sgpu".to_owned()],
            "Moore Threads GPU" => vec!["mthreads.com/vgpu".to_owned()],
            _ => Vec::new(),
        };
        let offers = counts.into_iter().chain([cores.clone(), memory]).map(|resource| (resource, Part::ONE)).collect();
        let device = Device {
            product: product.to_owned(),
            cut: String::new(),
            label: String::new(),
            offers,
            memory_mib: u32::try_from(memory_mib).unwrap_or(0),
        };
        of_totals.push((device, gpus));
    }
    Ok(of_totals)
}
