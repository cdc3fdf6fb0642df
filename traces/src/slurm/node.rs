//! Nodes as `scontrol show node` prints them: records of `Name=value`, on several lines or, with `-o`, on one.
//! <https://slurm.schedmd.com/scontrol.html>

use std::collections::BTreeMap;

use crossover_allocation::{MOST_GPUS, Part};
use crossover_quantity::unread::{Unread, UnreadKind, suggests_accelerator};

use super::gres::{self, Gres};
use crate::gpus::{Device, ParsedNode};
use crate::left_out::{Named, shown};
use crate::mig::{self, Profile};

/// States in which a node accepts no jobs.
const AWAY: [&str; 7] = ["DOWN", "DRAIN", "FAIL", "ERROR", "MAINT", "FUTURE", "UNKNOWN"];

/// Notes on the nodes that were read.
#[derive(Default)]
pub(super) struct Remarks {
    pub(super) away: Named,
    pub(super) cut: Named,
    pub(super) mixed_shards: Named,
}

impl Remarks {
    pub(super) fn note(&self, notes: &mut Vec<String>) {
        const NODES: [&str; 2] = ["node", "nodes"];
        self.away.note(notes, NODES, "down, drained or reserved for maintenance; assumed available");
        self.cut.note(notes, NODES, "parts of a GPU are rounded down to 1/42,000 of it");
        self.mixed_shards.note(notes, NODES, "shares of several GPU types; spread evenly over all");
    }
}

/// The fields of a node that are read, by their names in `scontrol show node`.
pub(super) type Record = BTreeMap<&'static str, String>;

/// These names.
const FIELDS: [&str; 13] = [
    "NodeName",
    "CPUEfctv",
    "CPUTot",
    "CPUSpecList",
    "CoreSpecCount",
    "ThreadsPerCore",
    "RealMemory",
    "MemSpecLimit",
    "Gres",
    "State",
    "ActiveFeatures",
    "CfgTRES",
    "Partitions",
];

/// Records of a text, with the line on which each begins.
pub(super) fn records(text: &str) -> Vec<(usize, Record)> {
    let mut records: Vec<(usize, Record)> = Vec::new();
    for (place, line) in text.lines().enumerate() {
        for word in line.split_whitespace() {
            let Some((name, value)) = word.split_once('=') else { continue };
            if name == "NodeName" && line.trim_start().starts_with(word) {
                records.push((place + 1, Record::new()));
            }
            let field = FIELDS.into_iter().find(|field| *field == name);
            if let (Some((_, record)), Some(field)) = (records.last_mut(), field) {
                // Comments stand at the end: their words that look like fields are ignored.
                record.entry(field).or_insert_with(|| value.to_owned());
            }
        }
    }
    records
}

/// The allocatable resources of a node.
pub(super) fn read(record: &Record, remarks: &mut Remarks, unread: &mut Unread) -> Result<ParsedNode, String> {
    let name = record.get("NodeName").filter(|name| !name.is_empty()).ok_or("NodeName is empty")?;
    let number = |field: &str| -> Result<Option<u32>, String> {
        let Some(text) = record.get(field) else { return Ok(None) };
        let value = text.parse().ok().filter(|value| *value <= 4_000_000_000);
        value.map(Some).ok_or_else(|| format!("{field} is “{}”; expected a whole number", shown(text)))
    };
    // Cores that are kept for the system are not in `CPUEfctv`, which exists from 22.05 on.
    let cores = if let Some(cores) = number("CPUEfctv")? {
        cores
    } else {
        let threads = number("ThreadsPerCore")?.unwrap_or(1);
        let of_cores = || number("CoreSpecCount").map(|cores| cores.unwrap_or(0).saturating_mul(threads));
        let kept = record.get("CPUSpecList").and_then(|list| listed_count(list)).map_or_else(of_cores, Ok)?;
        number("CPUTot")?.ok_or("CPUTot is absent")?.saturating_sub(kept)
    };
    let cpu_milli = cores.checked_mul(1000).ok_or_else(|| format!("it has {cores} cores; more than supported"))?;
    let memory_mib = number("RealMemory")?.ok_or("RealMemory is absent")?;
    let memory_mib = memory_mib.saturating_sub(number("MemSpecLimit")?.unwrap_or(0));
    let text = record.get("Gres").map_or("", String::as_str);
    let listed = gres::list(text).map_err(|problem| format!("Gres: {problem}"))?;
    for kind in gres::others(text, false) {
        unread.add(UnreadKind::Resource, &format!("gres/{kind}"), &format!("node {name}"));
    }
    let devices = devices(&listed, name, remarks)?;
    if devices.is_empty() {
        report_gpus(record, name, unread);
    }
    let gpus = devices.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
    if gpus > MOST_GPUS as u64 {
        return Err(format!("Gres: {gpus} GPUs; at most {MOST_GPUS} per node are supported"));
    }
    let state = record.get("State").map_or("", String::as_str);
    if AWAY.iter().any(|away| state.contains(away)) {
        remarks.away.add(name);
    }
    if devices.iter().any(|(device, _)| device.is_rounded()) {
        remarks.cut.add(name);
    }
    // Checked: 0 … 16 altogether.
    let devices = devices.into_iter().map(|(device, count)| (device, usize::try_from(count).unwrap_or(MOST_GPUS)));
    Ok(ParsedNode {
        name: name.clone(),
        cpu_milli,
        memory_mib,
        devices: devices.filter(|(_, count)| *count > 0).collect(),
    })
}

/// How many numbers a list such as `0-1,32-33` has.
fn listed_count(list: &str) -> Option<u32> {
    let of_range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        last.checked_sub(first)?.checked_add(1)
    };
    list.split(',').try_fold(0, |sum: u32, range| sum.checked_add(of_range(range)?))
}

/// Reports what says that a node without GPUs in its list of generic resources has some.
fn report_gpus(record: &Record, name: &str, unread: &mut Unread) {
    let place = format!("node {name}");
    let text = |field: &str| record.get(field).map_or("", String::as_str);
    for feature in text("ActiveFeatures").split(',').filter(|feature| suggests_accelerator(feature)) {
        unread.add(UnreadKind::Label, feature, &place);
    }
    for kind in text("CfgTRES").split(',').filter_map(|entry| entry.strip_prefix("gres/")?.split([':', '=']).next()) {
        if suggests_accelerator(kind) {
            unread.add(UnreadKind::Resource, &format!("gres/{kind}"), &place);
        }
    }
}

/// GPUs of a node, alike ones together. Types like `a100_1g.5gb` are instances (MIG), as many GPUs as their slices
/// make.
fn devices(listed: &[Gres], name: &str, remarks: &mut Remarks) -> Result<Vec<(Device, u64)>, String> {
    let mut whole: BTreeMap<String, u64> = BTreeMap::new();
    let mut cut: BTreeMap<String, BTreeMap<Profile, (String, u64)>> = BTreeMap::new();
    for gres in listed.iter().filter(|gres| gres.kind == "gpu" && gres.count > 0) {
        if let Some((product, profile)) = instance(&gres.of) {
            let (_, count) = cut.entry(product.to_owned()).or_default().entry(profile).or_insert((gres.of.clone(), 0));
            *count = count.saturating_add(gres.count);
        } else {
            let count = whole.entry(gres.of.clone()).or_default();
            *count = count.saturating_add(gres.count);
        }
    }
    let gpus = whole.values().copied().fold(0, u64::saturating_add);
    let called = |of: &str| if of.is_empty() { "GPU".to_owned() } else { of.to_owned() };
    let mut shared = Vec::new();
    for gres in shares(listed) {
        // A shared resource that names a type shares GPUs of that type.
        let behind = if gres.of.is_empty() { Some(gpus) } else { whole.get(&gres.of).copied() };
        let behind = behind.filter(|behind| *behind > 0);
        let behind = behind.ok_or_else(|| format!("Gres: {} without a GPU", gres.resource()))?;
        let [of, all] = [behind, gres.count].map(u32::try_from);
        let (Ok(of), Ok(all)) = (of, all) else {
            return Err(format!("Gres: {} {}; more than supported", gres.count, gres.resource()));
        };
        let how = format!("{} {} for {behind}", gres.count, gres.kind);
        shared.push((gres, Part { of, whole: all }, how));
    }
    if whole.len() > 1 && shared.iter().any(|(gres, ..)| gres.of.is_empty()) {
        remarks.mixed_shards.add(name);
    }
    let mut devices = Vec::new();
    for (of, count) in whole {
        let mut offers = offers_of(&of, Part::ONE);
        let mut cut: Vec<&str> = Vec::new();
        for (gres, part, how) in shared.iter().filter(|(gres, ..)| gres.of.is_empty() || gres.of == of) {
            offers.insert(gres.kind.clone(), *part);
            offers.insert(format!("{}:{of}", gres.kind), *part);
            cut.push(how);
        }
        let (product, cut) = (called(&of), cut.join(", "));
        devices.push((Device { product: product.clone(), cut, label: product, offers, memory_mib: 0 }, count));
    }
    for (product, instances) in cut {
        let mut offers = BTreeMap::new();
        // The smallest first: a request for any GPU may get that one.
        for (profile, (of, _)) in &instances {
            let part = profile.part(&product);
            offers.entry("gpu".to_owned()).or_insert(part);
            offers.insert(format!("gpu:{of}"), part);
        }
        let names: Vec<&str> = instances.values().map(|(of, _)| profile_name(&of[product.len()..])).collect();
        let how = format!("MIG {}", names.join(" "));
        let counts = instances.iter().map(|(profile, (_, count))| (*profile, *count)).collect();
        let gpus = mig::gpus(&product, &counts);
        let product = called(&product);
        devices.push((Device { product: product.clone(), cut: how, label: product, offers, memory_mib: 0 }, gpus));
    }
    Ok(devices)
}

/// The shares of GPUs in a list, those of one kind and type together.
fn shares(listed: &[Gres]) -> Vec<Gres> {
    let mut found: Vec<Gres> = Vec::new();
    for gres in listed.iter().filter(|gres| gres.kind != "gpu" && gres.count > 0) {
        match found.iter_mut().find(|known| known.kind == gres.kind && known.of == gres.of) {
            Some(known) => known.count = known.count.saturating_add(gres.count),
            None => found.push(gres.clone()),
        }
    }
    found
}

/// Signs between a product and the profile of its instances.
const SEPARATORS: [char; 4] = ['_', '-', ':', '.'];

/// The product and the profile of a type that is an instance: `a100_1g.5gb`, `1g.10gb`, `h100-3g.40gb`, `a100_2g10gb`, `a100-mig-1g.5gb`. A site
/// chooses these names.
fn instance(of: &str) -> Option<(&str, Profile)> {
    let profile = |text: &str| {
        // Some sites leave out the dot.
        let dotted =
            || text.split_once('g').map(|(slices, rest)| format!("{slices}g.{}", rest.trim_start_matches(SEPARATORS)));
        Profile::parse(text).or_else(|| dotted().and_then(|text| Profile::parse(&text)))
    };
    let starts =
        of.char_indices().filter(|(_, c)| SEPARATORS.contains(c)).map(|(place, c)| (place, place + c.len_utf8()));
    let found =
        std::iter::once((0, 0)).chain(starts).find_map(|(end, start)| Some((&of[..end], profile(&of[start..])?)));
    found.map(|(product, profile)| (without_mig(product), profile))
}

/// A product without the word MIG at its end: `a100-mig` of `a100-mig-1g.5gb`.
fn without_mig(product: &str) -> &str {
    let place = product.len().saturating_sub(3);
    let is_word = product.get(place..).is_some_and(|word| word.eq_ignore_ascii_case("mig"));
    let before = product.get(..place).unwrap_or_default();
    if is_word && (before.is_empty() || before.ends_with(SEPARATORS)) {
        before.trim_end_matches(SEPARATORS)
    } else {
        product
    }
}

/// The profile behind a product, without what is between them.
fn profile_name(behind: &str) -> &str {
    let name = behind.trim_start_matches(SEPARATORS);
    let is_word = name.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("mig"));
    if is_word { name[3..].trim_start_matches(SEPARATORS) } else { name }
}

fn offers_of(of: &str, part: Part) -> BTreeMap<String, Part> {
    let mut offers = BTreeMap::from([("gpu".to_owned(), part)]);
    if !of.is_empty() {
        offers.insert(format!("gpu:{of}"), part);
    }
    offers
}
