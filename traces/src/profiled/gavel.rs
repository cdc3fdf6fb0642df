//! Gavel's table: iterations per second of jobs of deep learning on several GPUs, alone and beside each other.
//! <https://github.com/stanford-futuredata/gavel> (`scheduler/simulation_throughputs.json`). A job is a key like
//! `('ResNet-18 (batch size 16)', 1)`, where the number is that of its GPUs; `null` is what it does alone, any other key what it
//! and the other do together.

use crossover_quantity::text::counted;
use serde_json::Value;

use super::MeasuredPair;
use super::collected::Pairs;

/// Ending of the names of GPUs whose jobs of several GPUs are spread over machines.
const UNCONSOLIDATED: &str = "_unconsolidated";

/// Whether a value is such a table: GPUs with jobs, at least one with its throughput alone.
pub(super) fn is_table(value: &Value) -> bool {
    value.as_object().is_some_and(|devices| {
        devices
            .values()
            .any(|jobs| jobs.as_object().is_some_and(|jobs| jobs.values().any(|job| job.get("null").is_some())))
    })
}

/// Reads all pairs of jobs that have one GPU each.
pub(super) fn read(value: &Value, pairs: &mut Pairs) {
    let mut of_several = 0_usize;
    for (device, jobs) in value.as_object().into_iter().flatten() {
        let Some(jobs) = jobs.as_object() else {
            pairs.leave_out(0, || device.clone(), "no jobs");
            continue;
        };
        let alone = |key: &str| jobs.get(key)?.get("null")?.as_f64().filter(|rate| *rate > 0.0);
        for (own_key, job) in jobs {
            for (other_key, together) in job.as_object().into_iter().flatten() {
                if other_key == "null" {
                    continue;
                }
                let place = || format!("{device}: {own_key} beside {other_key}");
                let Some((own, other)) = name(own_key).zip(name(other_key)) else {
                    pairs.leave_out(1, place, "expected names like ('ResNet-18 (batch size 16)', 1)");
                    continue;
                };
                if own.1 != 1 || other.1 != 1 {
                    of_several += 1;
                    continue;
                }
                let rates = together.as_array().and_then(|rates| match &rates[..] {
                    [own, other] => own.as_f64().zip(other.as_f64()),
                    _ => None,
                });
                let Some((own_rate, other_rate)) = rates else {
                    pairs.leave_out(1, place, "expected two throughputs");
                    continue;
                };
                if own_rate == 0.0 || other_rate == 0.0 {
                    pairs.not_together(device, own.0, other.0);
                    continue;
                }
                let Some((own_alone, other_alone)) = alone(own_key).zip(alone(other_key)) else {
                    pairs.leave_out(1, place, "a job without a throughput alone; expected a key “null”");
                    continue;
                };
                let pair = MeasuredPair {
                    first: own.0.to_owned(),
                    second: other.0.to_owned(),
                    first_normalised: own_rate / own_alone,
                    second_normalised: other_rate / other_alone,
                    first_class: None,
                    second_class: None,
                };
                if let Err(problem) = pairs.add(device, pair) {
                    pairs.leave_out(1, place, &problem);
                }
            }
        }
    }
    if of_several > 0 {
        let entries = counted(of_several as f64, "entry");
        pairs.note(format!("{entries} of jobs on several GPUs: ignored"));
        pairs.ignore(of_several, "jobs on several GPUs");
    }
    pairs.drop_copies(|name| name.strip_suffix(UNCONSOLIDATED));
}

/// Name and number of GPUs of a job: `('A3C', 1)`.
fn name(key: &str) -> Option<(&str, u32)> {
    let inner = key.trim().strip_prefix('(')?.strip_suffix(')')?;
    let (name, gpus) = inner.rsplit_once(',')?;
    let name = name.trim();
    let quoted = |quote: char| name.strip_prefix(quote)?.strip_suffix(quote);
    let name = quoted('\'').or_else(|| quoted('"')).filter(|name| !name.is_empty())?;
    Some((name, gpus.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::super::pairs;
    use super::super::pairs::tests::read_text;
    use super::*;
    use crossover_needs::test_data;
    use crossover_quantity::balance::{Balance, BalanceOf};

    const TABLE: &str = r#"{"k80": {
        "('ResNet-18 (batch size 16)', 1)": {"null": 4.0, "('A3C', 1)": [2.0, 6.0],
            "('ResNet-18 (batch size 16)', 1)": [1.0, 1.0], "('LM', 1)": [0.0, 0.0], "('A3C', 2)": [1.0, 1.0]},
        "('A3C', 1)": {"null": 8.0, "('ResNet-18 (batch size 16)', 1)": [6.0, 2.0]},
        "('LM', 1)": {"null": 1.0, "('ResNet-18 (batch size 16)', 1)": [0.0, 0.0]},
        "('A3C', 2)": {"null": 15.0}},
      "k80_unconsolidated": {
        "('ResNet-18 (batch size 16)', 1)": {"null": 4.0, "('A3C', 1)": [2.0, 6.0],
            "('ResNet-18 (batch size 16)', 1)": [1.0, 1.0]},
        "('A3C', 1)": {"null": 8.0}}}"#;

    #[test]
    fn each_pair_of_jobs_on_one_gpu_is_read_once() {
        let read = read_text(TABLE).expect("pairs");
        let [k80] = &read.devices[..] else { panic!("{:?}", read.devices) };
        let seen: Vec<_> = k80
            .pairs
            .iter()
            .map(|pair| (&*pair.first, &*pair.second, pair.first_normalised, pair.second_normalised))
            .collect();
        let resnet = "ResNet-18 (batch size 16)";
        assert_eq!(seen, [("A3C", resnet, 0.75, 0.5), (resnet, resnet, 0.25, 0.25)]);
        let [several, copies, apart] = &read.notes[..] else { panic!("{:?}", read.notes) };
        assert!(several.ends_with("1 entry of jobs on several GPUs: ignored"), "{several}");
        assert!(copies.ends_with("k80_unconsolidated: same pairs as k80: left out"), "{copies}");
        assert!(apart.contains("1 pair (LM + ResNet-18 (batch size 16)): could not run together on k80"), "{apart}");
        // Eight entries: three of the pairs of k80, the two of its copy, two directions of one that could not run, one on two GPUs.
        let expected = Balance::new(BalanceOf::Pairs, 8.0, 3.0)
            .without(2.0, "could not run together")
            .without(1.0, "jobs on several GPUs")
            .without(2.0, "same pairs as k80");
        assert_eq!(read.balances, [expected]);
    }

    #[test]
    fn directions_that_differ_are_means_and_noted() {
        let read = read_text(&TABLE.replace("[6.0, 2.0]", "[5.0, 2.0]")).expect("pairs");
        assert_eq!(read.devices[0].pairs[0].first_normalised, 0.687_5);
        assert!(read.notes.iter().any(|note| note.contains("different results")), "{:?}", read.notes);
    }

    #[test]
    fn what_is_no_pair_is_left_out_with_its_place() {
        let text =
            TABLE.replace("[6.0, 2.0]", "[6.0]").replace("\"null\": 8.0, ", "").replacen("[2.0, 6.0]", "\"x\"", 1);
        let left_out = read_text(&text).expect("pairs").left_out.join("");
        assert!(left_out.contains("2 entries were left out (2 of 8 pairs): k80: ('A3C', 1) beside"), "{left_out}");
        assert!(left_out.contains("expected two throughputs"), "{left_out}");
        for (key, expected) in
            [("('a, b', 1)", Some(("a, b", 1))), ("(\"a\", 2)", Some(("a", 2))), ("a", None), ("()", None)]
        {
            assert_eq!(name(key), expected);
        }
    }

    /// Share of sums above 1 and mean sum over all entries of the published table (<https://github.com/stanford-futuredata/gavel>,
    /// `scheduler/simulation_throughputs.json`), both directions counted.
    #[test]
    fn the_published_table_has_the_sums_that_are_known_of_it() {
        let Some(file) = test_data("dl/gavel/simulation_throughputs.json") else { return };
        let read = pairs::read(&file).expect("the table");
        let names: Vec<&str> = read.devices.iter().map(|of| of.device.as_str()).collect();
        assert_eq!((&names[..], read.left_out.len()), (&["k80", "p100", "v100"][..], 0));
        for (of, (share, mean, pairs)) in read.devices.iter().zip([(75, 1.07, 306), (87, 1.20, 340), (78, 1.31, 330)]) {
            let sums = of.pairs.iter().flat_map(|pair| {
                let sum = pair.first_normalised + pair.second_normalised;
                let directions = if pair.first == pair.second { 1 } else { 2 };
                std::iter::repeat_n(sum, directions)
            });
            let sums: Vec<f64> = sums.collect();
            let above = sums.iter().filter(|sum| **sum > 1.0).count() as f64 / sums.len() as f64;
            assert_eq!((of.pairs.len(), (above * 100.0).round()), (pairs, f64::from(share)), "{}", of.device);
            let found = sums.iter().sum::<f64>() / sums.len() as f64;
            assert!((found - mean).abs() < 0.0051, "{}: {found}", of.device);
        }
        assert!(!read.notes.iter().any(|note| note.contains("different results")), "{:?}", read.notes);
        // Jobs on several GPUs, three copies of tables, and what could not run together on three GPUs.
        assert_eq!(read.notes.len(), 7, "{:?}", read.notes);
    }
}
