//! GPUs as `HAMi` and Volcano register them in an annotation of a node, each split among several tasks.
//!
//! An entry of `HAMi` is `id,count,devmem,devcore,type,numa,health`, one of older Volcano `id,count,devmem,type,health`, each ended
//! by a colon; newer versions write a list of JSON objects with these names.
//! <https://github.com/Project-HAMi/HAMi/blob/master/docs/develop/protocol.md>

use std::collections::BTreeMap;

use serde_json::Value;

use super::conventions::REGISTERS;
use crate::left_out::shown;

/// A registered GPU.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Card {
    /// Product, without the name of the maker that `HAMi` puts before it.
    pub(super) product: String,
    /// Memory, MiB.
    pub(super) memory_mib: u32,
    /// Most tasks on it.
    pub(super) slots: u32,
}

/// The registered GPUs of a node; none without such an annotation.
///
/// # Errors
/// The annotation has another form.
pub(super) fn read(annotations: &BTreeMap<String, String>) -> Result<Vec<Card>, String> {
    let Some((name, text)) = REGISTERS.iter().find_map(|name| Some((name, annotations.get(*name)?))) else {
        return Ok(Vec::new());
    };
    of(name, text)
}

/// The identifiers of the GPUs that an annotation registers, in the order in which a node has them: alike ones together. Empty if
/// it has another form.
pub(super) fn identifiers(text: &str) -> Vec<String> {
    let found: Option<Vec<(Card, String)>> = if text.trim_start().starts_with('[') {
        let of = |entry: &Value| Some((of_object(entry)?, entry.get("id")?.as_str()?.to_owned()));
        serde_json::from_str::<Value>(text).ok().and_then(|value| value.as_array()?.iter().map(of).collect())
    } else {
        let of = |entry: &str| Some((of_entry(entry)?, entry.split(',').next()?.trim().to_owned()));
        entries(text).map(of).collect()
    };
    let mut found = found.unwrap_or_default();
    found.sort_by(|(a, _), (b, _)| (&a.product, a.memory_mib).cmp(&(&b.product, b.memory_mib)));
    found.into_iter().map(|(_, identifier)| identifier).collect()
}

/// The GPUs that an annotation registers.
///
/// # Errors
/// It has another form.
pub(super) fn of(annotation: &str, text: &str) -> Result<Vec<Card>, String> {
    let cards = if text.trim_start().starts_with('[') { of_json(text) } else { of_entries(text) };
    cards.ok_or_else(|| format!("annotation {annotation} is “{}”; expected GPUs with count and memory", shown(text)))
}

fn of_entries(text: &str) -> Option<Vec<Card>> {
    entries(text).map(of_entry).collect()
}

/// Entries of an annotation. Identifiers may have colons only between entries.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(':').map(str::trim).filter(|entry| !entry.is_empty())
}

fn of_entry(entry: &str) -> Option<Card> {
    let fields: Vec<&str> = entry.split(',').map(str::trim).collect();
    let [_, slots, memory, rest @ ..] = &fields[..] else { return None };
    // The share of cores that newer versions have before the type is a number.
    let product = rest.iter().find(|field| field.parse::<f64>().is_err())?;
    card(product, slots.parse().ok()?, memory.parse().ok()?)
}

fn of_json(text: &str) -> Option<Vec<Card>> {
    let value: Value = serde_json::from_str(text).ok()?;
    value.as_array()?.iter().map(of_object).collect()
}

fn of_object(entry: &Value) -> Option<Card> {
    let number = |name: &str| entry.get(name).and_then(Value::as_u64);
    card(entry.get("type")?.as_str()?, number("count")?, number("devmem")?)
}

fn card(product: &str, slots: u64, memory_mib: u64) -> Option<Card> {
    let product = product.strip_prefix("NVIDIA-").unwrap_or(product).trim();
    Some(Card {
        product: if product.is_empty() { "GPU".to_owned() } else { product.to_owned() },
        memory_mib: u32::try_from(memory_mib).ok()?,
        slots: u32::try_from(slots).ok().filter(|slots| (1..=1_000).contains(slots))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(name: &str, text: &str) -> Result<Vec<Card>, String> {
        read(&BTreeMap::from([(name.to_owned(), text.to_owned())]))
    }

    #[test]
    fn gpus_of_every_published_form_are_read() {
        let l4 = |slots| Card { product: "NVIDIA L4".to_owned(), memory_mib: 23_034, slots };
        let hami = "GPU-1,5,23034,100,NVIDIA-NVIDIA L4,0,true:GPU-2,5,23034,100,NVIDIA-NVIDIA L4,1,true:";
        assert_eq!(read_one("hami.io/node-nvidia-register", hami), Ok(vec![l4(5), l4(5)]));
        let volcano = "GPU-1,4,23034,NVIDIA-NVIDIA L4,false:";
        assert_eq!(read_one("volcano.sh/node-vgpu-register", volcano), Ok(vec![l4(4)]));
        let json = r#"[{"id":"GPU-1","count":3,"devmem":23034,"devcore":100,"type":"NVIDIA-NVIDIA L4","health":true}]"#;
        assert_eq!(read_one("hami.io/node-nvidia-register", json), Ok(vec![l4(3)]));
        assert_eq!(read_one("example.com/other", hami), Ok(Vec::new()));
        let two = "GPU-b,5,23034,100,NVIDIA-NVIDIA L4,0,true:GPU-a,5,16384,100,NVIDIA-A10,1,true:GPU-c,5,23034,100,NVIDIA-NVIDIA L4,0,true:";
        // An A10 stands before an L4, as among the types of a node; alike ones stay in their order.
        assert_eq!(identifiers(two), ["GPU-a", "GPU-b", "GPU-c"]);
        assert_eq!(identifiers(json), ["GPU-1"]);
        assert_eq!(identifiers("GPU-1,x,1,T4,true:"), [""; 0]);
        for damaged in ["GPU-1", "GPU-1,x,1,T4,true:", "[{}]", "GPU-1,0,5,T4,true:", "[7"] {
            assert!(read_one("hami.io/node-nvidia-register", damaged).is_err(), "{damaged}");
        }
    }
}
