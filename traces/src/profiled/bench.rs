//! What `gpu-bench pairs --json` writes: executions per second of kernels alone, and of each beside another one.

use std::collections::BTreeMap;

use crossover_measured::kernels::Class;
use serde_json::Value;

use super::collected::Pairs;
use super::{MeasuredPair, number};
use crate::left_out::shown;

/// The version of these files that is known.
const VERSION: u64 = 1;
/// Repeats that a measurement may have.
const MOST_REPEATS: usize = 100_000;

/// Reads all pairs. The normalised speed of a kernel is the median of its repeats beside the other one over the median of
/// its repeats alone, as `gpu-bench pairs` prints it: one interruption by the system would move a mean.
///
/// # Errors
/// It is another version, or has no kernels.
pub(super) fn read(value: &Value, pairs: &mut Pairs) -> Result<(), String> {
    let version = value.get("version");
    if version.and_then(Value::as_u64) != Some(VERSION) {
        let found = version.map_or_else(|| "none".to_owned(), |version| shown(&version.to_string()));
        return Err(format!("its version is {found}; expected {VERSION}: measure again with this program"));
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let device = text("device").or_else(|| text("adapter")).unwrap_or_default();
    if value.get("is_software").and_then(Value::as_bool) == Some(true) {
        pairs.note("measured on a software adapter: not valid for a GPU".to_owned());
    }
    let Some(list) = value.get("kernels").and_then(Value::as_array) else {
        return Err("“kernels” is not a list; expected what `gpu-bench pairs --json` writes".to_owned());
    };
    let mut kernels: BTreeMap<&str, (f64, Option<Class>)> = BTreeMap::new();
    for (place, kernel) in (1..).zip(list) {
        match alone(kernel) {
            Ok((name, rate, class)) => drop(kernels.insert(name, (rate, class))),
            Err(problem) => pairs.leave_out(0, || format!("kernel {place}"), &problem),
        }
    }
    for (place, entry) in (1..).zip(value.get("pairs").and_then(Value::as_array).into_iter().flatten()) {
        if let Err(problem) = pair(entry, device, &kernels, pairs) {
            pairs.leave_out(1, || format!("pair {place}"), &problem);
        }
    }
    Ok(())
}

/// Name, median rate and class of a kernel alone.
fn alone(kernel: &Value) -> Result<(&str, f64, Option<Class>), String> {
    let name = named(kernel, "name")?;
    let rate = median(kernel, "alone_per_second")?;
    if rate <= 0.0 {
        return Err(format!("alone_per_second of {} is 0; expected a number above 0", shown(name)));
    }
    let class = number::class("class", kernel.get("class").and_then(Value::as_str).unwrap_or_default())?;
    Ok((name, rate, class))
}

fn pair(
    entry: &Value,
    device: &str,
    kernels: &BTreeMap<&str, (f64, Option<Class>)>,
    pairs: &mut Pairs,
) -> Result<(), String> {
    let one = |name_key: &str, rate_key: &str| {
        let name = named(entry, name_key)?;
        let (alone, class) = kernels.get(name).ok_or_else(|| format!("“{}” is not one of its kernels", shown(name)))?;
        Ok::<_, String>((name, median(entry, rate_key)? / alone, *class))
    };
    let (first, first_normalised, first_class) = one("first", "first_per_second")?;
    let (second, second_normalised, second_class) = one("second", "second_per_second")?;
    if first_normalised == 0.0 || second_normalised == 0.0 {
        pairs.not_together(device, first, second);
        return Ok(());
    }
    let (first, second) = (first.to_owned(), second.to_owned());
    pairs.add(device, MeasuredPair { first, second, first_normalised, second_normalised, first_class, second_class })
}

fn named<'a>(value: &'a Value, key: &str) -> Result<&'a str, String> {
    let name = value.get(key).and_then(Value::as_str).filter(|name| !name.is_empty());
    name.ok_or_else(|| format!("it has no “{key}”"))
}

/// The median of the repeats of a measurement.
fn median(value: &Value, key: &str) -> Result<f64, String> {
    let expected = || format!("“{key}” is not a list of numbers from 0 on");
    let repeats = value.get(key).and_then(Value::as_array).filter(|repeats| repeats.len() <= MOST_REPEATS);
    let repeats: Option<Vec<f64>> = repeats.ok_or_else(expected)?.iter().map(Value::as_f64).collect();
    let mut repeats =
        repeats.filter(|repeats| repeats.iter().all(|rate| (0.0..=1e18).contains(rate))).ok_or_else(expected)?;
    if repeats.is_empty() {
        return Err(format!("“{key}” is empty"));
    }
    repeats.sort_by(f64::total_cmp);
    let middle = repeats.len() / 2;
    Ok(f64::midpoint(repeats[(repeats.len() - 1) / 2], repeats[middle]))
}

#[cfg(test)]
mod tests {
    use super::super::pairs::tests::read_text;
    use super::*;

    const MEASURED: &str = r#"{"version":1,"device":"NVIDIA H100","adapter":"NVIDIA H100 (Vulkan)","is_software":false,
        "kernels":[{"name":"gemm","class":"Compute","alone_per_second":[90.0,110.0,7.0,101.0]},
                   {"name":"copy","class":"Memory","alone_per_second":[50.0]}],
        "pairs":[{"first":"gemm","second":"copy","first_per_second":[80.0,10.0,81.0],"second_per_second":[40.0]},
                 {"first":"copy","second":"copy","first_per_second":[25.0],"second_per_second":[25.0]}]}"#;

    #[test]
    fn medians_of_the_repeats_over_those_alone() {
        let read = read_text(MEASURED).expect("pairs");
        let [h100] = &read.devices[..] else { panic!("{:?}", read.devices) };
        let expected = MeasuredPair {
            first: "gemm".into(),
            second: "copy".into(),
            // 80 over (90 + 101) / 2; the repeat in which the system was busy moves neither.
            first_normalised: 80.0 / 95.5,
            second_normalised: 0.8,
            first_class: Some(Class::Compute),
            second_class: Some(Class::Memory),
        };
        assert_eq!((&*h100.device, h100.pairs.len(), &h100.pairs[0]), ("NVIDIA H100", 2, &expected));
        assert_eq!(h100.pairs[1].first_normalised, 0.5);
        assert!(read.notes.is_empty() && read.left_out.is_empty());
    }

    #[test]
    fn a_processor_that_stands_in_for_a_gpu_is_noted() {
        let read = read_text(&MEASURED.replace("\"is_software\":false", "\"is_software\":true")).expect("pairs");
        assert!(read.notes[0].contains("not valid for a GPU"), "{:?}", read.notes);
    }

    #[test]
    fn another_version_and_bad_entries_are_named() {
        for (from, to, expected) in [
            ("\"version\":1", "\"version\":2", "its version is 2; expected 1"),
            ("\"version\":1,", "", "its version is none; expected 1"),
            ("\"kernels\":[", "\"kernals\":[", "“kernels” is not a list"),
        ] {
            let problem = read_text(&MEASURED.replace(from, to)).expect_err(to).to_string();
            assert!(problem.contains(expected), "{problem}");
        }
        for (from, to, expected) in [
            ("[80.0,10.0,81.0]", "[70.0,null]", "pair 1: “first_per_second” is not a list of numbers from 0 on"),
            ("[80.0,10.0,81.0]", "[]", "pair 1: “first_per_second” is empty"),
            ("[80.0,10.0,81.0]", "[-1]", "pair 1: “first_per_second” is not a list of numbers"),
            ("\"first\":\"gemm\"", "\"first\":\"sort\"", "pair 1: “sort” is not one of its kernels"),
            ("[90.0,110.0,7.0,101.0]", "[0]", "kernel 1: alone_per_second of gemm is 0"),
            ("[80.0,10.0,81.0]", "[955]", "pair 1: normalised speed of the first is 10"),
        ] {
            let left_out = read_text(&MEASURED.replace(from, to)).expect(to).left_out.join("");
            assert!(left_out.contains(expected), "{left_out}");
        }
    }
}
