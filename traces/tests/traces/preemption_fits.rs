//! What is fitted for preemption, against public measurements: instructions of Rodinia's kernels (Amarís and others,
//! gpuperfpredict, CC BY 4.0), and training jobs that shared a GPU (Gavel, OSDI 2020, MIT licence).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crossover_needs::test_data;
use crossover_preemption::analysis::{FittedLaw, Law, Point, fit_laws};
use crossover_preemption::fitted::{Error, Estimator, Fit};
use crossover_preemption::study::Pair;

/// A launch of Rodinia.
#[derive(Debug, Clone, Copy)]
struct Launch {
    size: f64,
    blocks: f64,
    instructions: f64,
}

/// Launches of each kernel on each GPU.
fn rodinia(table: &Path) -> BTreeMap<(String, String), Vec<Launch>> {
    let mut reader = csv::Reader::from_path(table).expect("the table");
    let header = reader.headers().expect("a header").clone();
    let place = |name: &str| header.iter().position(|column| column == name).expect("a column");
    let columns = ["name", "gpu_name", "input.size.1", "n_tb", "inst_executed"].map(place);
    let mut kernels: BTreeMap<(String, String), Vec<Launch>> = BTreeMap::new();
    for record in reader.records().map(|record| record.expect("a row")) {
        let [kernel, gpu, size, blocks, instructions] = columns.map(|column| &record[column]);
        let [size, blocks, instructions] = [size, blocks, instructions].map(|text| text.parse().expect("a number"));
        kernels.entry((kernel.to_owned(), gpu.to_owned())).or_default().push(Launch { size, blocks, instructions });
    }
    kernels
}

/// Sizes and instructions.
fn by_size(launches: &[Launch]) -> Vec<[f64; 2]> {
    launches.iter().map(|launch| [launch.size, launch.instructions]).collect()
}

fn learned(seen: &[[f64; 2]]) -> FittedLaw {
    let point = |[size, instructions]: &[f64; 2]| Point {
        application: String::new(),
        size: *size,
        instructions: *instructions,
    };
    fit_laws(&seen.iter().map(point).collect::<Vec<_>>()).pop().expect("an application").expect("a law")
}

/// What a law and the mean of what it was learned from say of a launch that neither had seen.
struct HeldOut {
    law: Law,
    /// How far instructions are off, of those counted.
    off: f64,
    off_by_mean: f64,
    /// Whether those counted are in the interval.
    is_inside: bool,
}

fn held_out(points: &[[f64; 2]], is_held_out: impl Fn(f64) -> bool) -> Vec<HeldOut> {
    let (held_out, seen): (Vec<[f64; 2]>, Vec<[f64; 2]>) = points.iter().partition(|[size, _]| is_held_out(*size));
    let law = learned(&seen);
    let mean = (seen.iter().map(|[_, instructions]| instructions.ln()).sum::<f64>() / seen.len() as f64).exp();
    let predicted = |[size, counted]: &[f64; 2]| {
        let predicted = law.predict(*size).expect("a size");
        // Numbers of the table have six digits.
        let is_inside = predicted.low * (1.0 - 1e-5) <= *counted && *counted <= predicted.high * (1.0 + 1e-5);
        let [off, off_by_mean] = [predicted.instructions, mean].map(|predicted| (predicted / counted - 1.0).abs());
        HeldOut { law: law.law, off, off_by_mean, is_inside }
    };
    held_out.iter().map(predicted).collect()
}

/// Medians of how far the law and the mean are off, and the share of launches in the interval.
fn medians(held_out: &[HeldOut]) -> [f64; 3] {
    let median = |mut off: Vec<f64>| {
        off.sort_by(f64::total_cmp);
        off[off.len() / 2]
    };
    let inside = held_out.iter().filter(|held_out| held_out.is_inside).count() as f64 / held_out.len() as f64;
    let of_law = median(held_out.iter().map(|held_out| held_out.off).collect());
    [of_law, median(held_out.iter().map(|held_out| held_out.off_by_mean).collect()), inside]
}

/// The largest fifth of the sizes, learned from all others.
fn beyond(points: &[[f64; 2]]) -> Vec<HeldOut> {
    let sizes = sizes(points);
    let first = sizes[sizes.len() - sizes.len().div_ceil(5)];
    held_out(points, |size| size >= first)
}

/// Every fifth of the sizes but the smallest and the largest, drawn by chance, learned from all others.
fn between(points: &[[f64; 2]]) -> Vec<HeldOut> {
    let sizes = sizes(points);
    let mut drawn: Vec<(u64, f64)> = (1..)
        .zip(&sizes[1..sizes.len() - 1])
        .map(|(place, size)| (0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(place) >> 20, *size))
        .collect();
    drawn.sort_by_key(|(key, _)| *key);
    let fold = |size: f64| drawn.iter().position(|(_, drawn)| *drawn == size).map(|place| place % 5);
    (0..drawn.len().min(5)).flat_map(|held| held_out(points, |size| fold(size) == Some(held))).collect()
}

fn sizes(points: &[[f64; 2]]) -> Vec<f64> {
    let mut sizes: Vec<f64> = points.iter().map(|[size, _]| *size).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    sizes
}

#[test]
fn instructions_of_rodinia_follow_the_size_of_the_input() {
    let Some(table) = test_data("kernels/rodinia_kernels.csv") else { return };
    // Of each kernel: medians of how far the law may be off beyond and between the sizes that it was learned from (those seen, and
    // a little), and how far the mean is off at least.
    let expected = [
        ("bpnn_adjust_weights_cuda", [2e-5, 2e-5], [0.5, 0.3]),
        ("bpnn_layerforward_CUDA", [1e-6, 2e-6], [0.5, 0.3]),
        ("calculate_temp", [0.08, 0.02], [0.9, 0.8]),
        // Heartwall by its frames: 4 % between the smallest and the largest.
        ("kernel", [0.0045, 0.003], [0.011, 0.007]),
    ];
    let mut pooled: [Vec<HeldOut>; 2] = Default::default();
    for ((kernel, gpu), launches) in rodinia(&table) {
        let Some((_, at_most, by_mean)) = expected.iter().find(|(name, ..)| *name == kernel) else { continue };
        let points = by_size(&launches);
        for (place, held_out) in [beyond(&points), between(&points)].into_iter().enumerate() {
            let [off, off_by_mean, inside] = medians(&held_out);
            println!(
                "{kernel:25} {gpu:10} {place} off {off:.2e}, mean {off_by_mean:.2e}, {:.0} % inside",
                100.0 * inside
            );
            assert!(held_out.iter().all(|held_out| held_out.law == Law::Power), "{kernel} on {gpu}");
            assert!(off <= at_most[place] && off_by_mean >= by_mean[place], "{kernel} on {gpu}: {off}, {off_by_mean}");
            // Beyond what was measured an interval promises nothing, and says so.
            assert!(place == 0 || inside > 0.9, "{kernel} on {gpu}: {inside}");
            pooled[place].extend(held_out);
        }
    }
    assert_eq!(pooled[1].len(), 9 * (55 + 55 + 12 + 83));
    for held_out in pooled {
        let [off, off_by_mean, inside] = medians(&held_out);
        println!("all: off {off:.2e}, mean {off_by_mean:.2e}, {:.1} % inside of {}", 100.0 * inside, held_out.len());
        assert!(1_000.0 * off < off_by_mean, "{off}, {off_by_mean}");
    }
}

#[test]
fn kernels_of_rodinia_that_do_not_follow_the_size_are_told_apart() {
    let Some(table) = test_data("kernels/rodinia_kernels.csv") else { return };
    for ((kernel, gpu), launches) in rodinia(&table) {
        let points = by_size(&launches);
        let law = learned(&points);
        let joined = law.cautions().join("; ");
        match kernel.as_str() {
            // One block, whatever the size of the matrix.
            "lud_diagonal" => {
                assert_eq!((law.law, law.error), (Law::Constant, 0.0), "{gpu}");
                assert!(joined.contains("do not depend on the input size"), "{gpu}: {joined}");
            }
            // Launched for what is left of the matrix again and again: its blocks say how many instructions, its size does not.
            "lud_perimeter" => {
                assert!(law.error > 2.0 && joined.contains("depend little"), "{gpu}: {law:?}");
                let by_blocks: Vec<[f64; 2]> =
                    launches.iter().map(|launch| [launch.blocks, launch.instructions]).collect();
                let law = learned(&by_blocks);
                assert!(law.law == Law::Power && law.error < 1e-5 && law.cautions().is_empty(), "{gpu}: {law:?}");
            }
            _ => assert_eq!(joined, "", "{kernel} on {gpu}"),
        }
    }
}

/// Pairs of training jobs on one GPU that both ran, and the family of each job's network.
struct Jobs {
    pairs: Vec<Pair>,
    families: BTreeMap<String, String>,
    /// Sums of normalised speeds as often as they stand in the table: those of two different jobs twice.
    sums: Vec<f64>,
}

fn gavel(table: &serde_json::Value, gpu: &str) -> Jobs {
    let jobs = table[gpu].as_object().expect("a GPU");
    let alone = |job: &str| jobs.get(job).and_then(|of_job| of_job["null"].as_f64()).filter(|speed| *speed > 0.0);
    let mut found = Jobs { pairs: Vec::new(), families: BTreeMap::new(), sums: Vec::new() };
    for (first, of_first) in jobs {
        for (second, speeds) in of_first.as_object().expect("pairs").iter().filter(|(second, _)| *second != "null") {
            let (Some(first_alone), Some(second_alone)) = (alone(first), alone(second)) else { continue };
            let [of_first, of_second] = [0, 1].map(|side| speeds[side].as_f64().expect("a speed"));
            if of_first <= 0.0 || of_second <= 0.0 {
                continue;
            }
            let (first_normalised, second_normalised) = (of_first / first_alone, of_second / second_alone);
            found.sums.push(first_normalised + second_normalised);
            for job in [first, second] {
                // "('ResNet-18 (batch size 16)', 1)".
                let family = job.trim_start_matches("('").split([' ', '\'']).next().expect("a name");
                found.families.insert(job.clone(), family.to_owned());
            }
            let (first, second) = (first.clone(), second.clone());
            found.pairs.push(Pair { first, second, first_normalised, second_normalised });
        }
    }
    found
}

/// Root mean square of how far guesses are off at pairs that were left out, of the fit and of the mean of the others, and how
/// many of so many speeds are in their intervals.
fn left_out(pairs: &[Pair], families: &BTreeMap<String, &str>) -> ([f64; 2], f64) {
    let key = |pair: &Pair| [pair.first.clone().min(pair.second.clone()), pair.first.clone().max(pair.second.clone())];
    let keys: BTreeSet<[String; 2]> = pairs.iter().map(key).collect();
    let folds: BTreeMap<&[String; 2], usize> = keys.iter().enumerate().map(|(place, key)| (key, place % 10)).collect();
    let (mut squares, mut inside, mut count) = ([0.0, 0.0], 0.0, 0.0);
    for fold in 0..10 {
        let (held_out, seen): (Vec<Pair>, Vec<Pair>) =
            pairs.iter().cloned().partition(|pair| folds[&key(pair)] == fold);
        let fit = Fit::of(&seen, families).expect("pairs");
        for pair in held_out {
            let estimate = fit.estimate(&pair.first, &pair.second).expect("both are known");
            squares[0] += (estimate.first_normalised - pair.first_normalised).powi(2);
            squares[1] += (fit.mean_sum / 2.0 - pair.first_normalised).powi(2);
            inside +=
                f64::from((estimate.first_interval[0]..=estimate.first_interval[1]).contains(&pair.first_normalised));
            count += 1.0;
        }
    }
    (squares.map(|squares: f64| (squares / count).sqrt()), inside / count)
}

#[test]
fn jobs_of_gavel_that_were_not_measured_together_are_guessed_from_those_that_were() {
    let Some(table) = test_data("dl/gavel/simulation_throughputs.json") else { return };
    let table = serde_json::from_str(&std::fs::read_to_string(table).expect("the table")).expect("JSON");
    let is_near = |found: Error, normalised: f64, sum: f64| {
        (found.normalised - normalised).abs() < 5e-4 && (found.sum - sum).abs() < 5e-4
    };
    // GPU; entries of the table whose sum is above 1, %, and their mean sum; pairs. Then root mean square errors of normalised
    // speeds and of sums by mean, families, jobs, and both, as a script of its own (numpy) has them with the same pairs left out.
    for (gpu, above, mean, count, errors) in [
        ("k80", 75.0, 1.07, 306, [[0.1129, 0.0966], [0.0866, 0.0435], [0.0479, 0.0851], [0.0281, 0.0414]]),
        ("p100", 87.0, 1.20, 340, [[0.1424, 0.1841], [0.0722, 0.1016], [0.0696, 0.1196], [0.0418, 0.0582]]),
        ("v100", 78.0, 1.31, 330, [[0.2403, 0.4043], [0.1596, 0.2447], [0.1622, 0.3029], [0.1284, 0.2303]]),
    ] {
        let Jobs { pairs, families, sums } = gavel(&table, gpu);
        let families: BTreeMap<String, &str> =
            families.iter().map(|(job, family)| (job.clone(), family.as_str())).collect();
        let share = 100.0 * sums.iter().filter(|sum| **sum > 1.0).count() as f64 / sums.len() as f64;
        assert_eq!(share.round(), above, "{gpu}: {share}");
        let found = sums.iter().sum::<f64>() / sums.len() as f64;
        assert!((found - mean).abs() < 0.006, "{gpu}: {found}");

        let fit = Fit::of(&pairs, &families).expect("pairs");
        assert_eq!((fit.measured, fit.by, fit.cautions()), (count, Estimator::KernelsInClasses, vec![]), "{gpu}");
        // Here those of two different jobs count once.
        assert!((100.0 * fit.share_above_one - above).abs() < 1.5 && (fit.mean_sum - mean).abs() < 0.01, "{gpu}");
        let by_families = fit.error_of_classes.expect("families");
        for (found, [normalised, sum]) in
            [fit.error_of_mean, by_families, fit.error_of_kernels, fit.error].into_iter().zip(errors)
        {
            assert!(is_near(found, normalised, sum), "{gpu}: {found:?}");
        }
        let ([off, off_by_mean], inside) = left_out(&pairs, &families);
        println!(
            "{gpu}: {share:.1} % above 1, mean {found:.3}; left out {off:.4} ({off_by_mean:.4}), {inside:.3} inside"
        );
        assert!(off < 0.6 * off_by_mean && (0.86..0.95).contains(&inside), "{gpu}: {off}, {off_by_mean}, {inside}");

        // Without families: jobs alone are enough to be far nearer than the mean.
        let bare = Fit::<&str>::of(&pairs, &BTreeMap::new()).expect("pairs");
        assert_eq!((bare.by, bare.error), (Estimator::Kernels, fit.error_of_kernels), "{gpu}");
        assert!(bare.error.normalised < 0.7 * bare.error_of_mean.normalised, "{gpu}: {bare:?}");
        let ([off, off_by_mean], inside) = left_out(&pairs, &BTreeMap::new());
        println!("{gpu}: without families {off:.4} ({off_by_mean:.4}), {inside:.3} inside");
        assert!(off < 0.7 * off_by_mean && (0.86..0.95).contains(&inside), "{gpu}: {off}, {off_by_mean}, {inside}");
    }
}
