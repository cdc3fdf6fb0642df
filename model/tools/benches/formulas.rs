//! How fast a placement study is evaluated at many points at once: of samples that are made where they are used, and of arrays
//! in memory, beside the fastest that memory allows, one evaluation at a time, and NumPy with the same formula
//! (`formulas.py` beside this file, run here where a Python with NumPy is there).

#![expect(clippy::doc_markdown, reason = "NumPy is a name")]
#![expect(clippy::disallowed_methods, reason = "the clock is that of a benchmark, not of the model")]

use std::collections::HashMap;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use crossover_quantity::spread::{Distribution, Spread};
use crossover_scenario::{Scenario, read};
use crossover_study::formula::{LANES, Program, Registers, Tape};
use crossover_study::{Watch, answer, formulas, set_number};
use crossover_tools::points::{Pointwise as _, evaluate_shard};
use crossover_tools::uncertainty::MOST_SAMPLES;
use crossover_tools::{Map, Range, Sampling, Shard, map, uncertainty};
use rayon::prelude::*;

/// As in the programs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Points; NumPy has as many.
const POINTS: usize = 1 << 22;
/// What varies: t, D, σ and B of the published join, from where to where.
const VARIED: [(&str, f64, f64); 4] = [
    ("operators.join.cpu_seconds_per_100mb", 0.1, 0.4),
    ("operators.join.input_gb", 0.5, 2.0),
    ("operators.join.output_ratio", 0.1, 1.0),
    ("networks.100 Gb InfiniBand.effective_gbit_per_s", 10.0, 80.0),
];
const FIGURE: &str = "operators.join.speedup";

fn published() -> Scenario {
    read(include_str!("../../../scenarios/placement-published.ron")).expect("the shipped scenarios are valid")
}

/// The place of the figure among all of the study.
fn place(scenario: &Scenario) -> usize {
    let figures = Watch::uncancellable(|watch| answer(scenario.study.subject(), watch)).expect("all");
    figures.iter().position(|figure| figure.key() == FIGURE).expect("a figure")
}

fn program(scenario: &Scenario) -> Program {
    let tape = Tape::default();
    let number = |path: &str, value: f64| match VARIED.iter().position(|(varied, ..)| *varied == path) {
        Some(place) => tape.input(place),
        None => value.into(),
    };
    let formulas = formulas(scenario.study.subject(), &number).expect("a study of formulas");
    Program::new(&tape, &[formulas[place(scenario)]])
}

/// Values of a number at some points, evenly distributed: multiples of the golden ratio.
fn draw(values: &mut [f64], number: usize) {
    let (_, from, to) = VARIED[number];
    for (point, value) in values.iter_mut().enumerate() {
        *value = from + (to - from) * ((point + number * POINTS) as f64 * 0.618_033_988_749_895).fract();
    }
}

fn bench(criterion: &mut Criterion) {
    let scenario = published();
    let program = program(&scenario);
    let place = place(&scenario);
    eprintln!("{} steps for each point", program.len());

    let mut group = criterion.benchmark_group("speedup of a join");
    let points = POINTS as u64;
    group.throughput(Throughput::Elements(points));
    group.sample_size(20);
    let mut uncertain = scenario.study.clone();
    for (path, low, high) in VARIED {
        let spread = Spread::alone(Distribution::Uniform { low, high });
        uncertain.subject_mut().spreads_mut().insert(path.to_owned(), spread);
    }
    let sampling =
        Sampling { samples: POINTS.min(MOST_SAMPLES), figures: vec![FIGURE.to_owned()], ..Sampling::default() };
    let samples = Watch::uncancellable(|watch| uncertainty::begin(uncertain.subject(), &sampling, watch))
        .expect("unknown")
        .expect("all");
    let all = Shard::new(1, 1).expect("a shard");
    group.throughput(Throughput::Elements(samples.points() as u64));
    group.bench_function("samples made in place, all cores", |bencher| {
        bencher.iter(|| Watch::uncancellable(|watch| evaluate_shard(&samples, all, watch)).expect("all").len());
    });
    group.bench_function("the same with what comes of them", |bencher| {
        bencher.iter(|| {
            Watch::uncancellable(|watch| uncertainty(uncertain.subject(), &sampling, watch))
                .expect("unknown")
                .expect("all")
                .samples
        });
    });
    let of_map = (format!("{}=10ms..10s:512:log", VARIED[0].0), format!("{}=1..100:512:log", VARIED[3].0));
    let [x, y] = [of_map.0, of_map.1].map(|range| Range::read(scenario.study.subject(), &range, 2).expect("a range"));
    let requested = Map { x, y, figures: vec![FIGURE.to_owned()] };
    let cells = Watch::uncancellable(|watch| map::begin(scenario.study.subject(), &requested, watch))
        .expect("a map")
        .expect("all");
    group.throughput(Throughput::Elements(cells.points() as u64));
    group.bench_function("cells of a map made in place, all cores", |bencher| {
        bencher.iter(|| Watch::uncancellable(|watch| evaluate_shard(&cells, all, watch)).expect("all").len());
    });
    group.bench_function("the whole map", |bencher| {
        bencher.iter(|| {
            Watch::uncancellable(|watch| map(scenario.study.subject(), &requested, watch))
                .expect("a map")
                .expect("all")
                .figures
                .len()
        });
    });
    group.throughput(Throughput::Elements(points));

    let columns: [Vec<f64>; VARIED.len()] = std::array::from_fn(|number| {
        let mut column = vec![0.0; POINTS];
        draw(&mut column, number);
        column
    });
    let mut out = vec![0.0; POINTS];
    group.bench_function("arrays from memory, all cores", |bencher| {
        bencher.iter(|| arrays(&program, &columns, &mut out));
    });
    group.throughput(Throughput::Elements(LANES as u64));
    let mut small = [0.0; LANES];
    let mut registers = Registers::default();
    group.bench_function("arrays in the cache, one core", |bencher| {
        let inputs: Vec<&[f64]> = columns.iter().map(|column| &column[..LANES]).collect();
        bencher.iter(|| program.run(black_box(&inputs), &mut [&mut small], &mut registers));
    });
    group.throughput(Throughput::Elements(points));
    group.bench_function("the memory's roof: the same arrays added up, all cores", |bencher| {
        bencher.iter(|| added(&columns, &mut out));
    });
    let few = 1 << 14;
    group.throughput(Throughput::Elements(few as u64));
    group.bench_function("one by one, one core", |bencher| {
        let mut study = scenario.study.clone();
        bencher.iter(|| {
            for point in 0..few {
                for ((path, ..), column) in VARIED.iter().zip(&columns) {
                    set_number(study.subject_mut(), path, column[point]);
                }
                black_box(Watch::uncancellable(|watch| answer(study.subject(), watch)).expect("all")[place].value);
            }
        });
    });
    group.finish();

    // The peers in the same minute, each the least of several runs as in the script.
    let mega_points = |points: usize, run: &mut dyn FnMut()| {
        let least = (0..15).map(|_| {
            let began = Instant::now();
            run();
            began.elapsed().as_secs_f64()
        });
        points as f64 / least.fold(f64::INFINITY, f64::min) / 1e6
    };
    let drawn = mega_points(samples.points(), &mut || {
        black_box(Watch::uncancellable(|watch| evaluate_shard(&samples, all, watch)));
    });
    let mapped = mega_points(cells.points(), &mut || {
        black_box(Watch::uncancellable(|watch| evaluate_shard(&cells, all, watch)));
    });
    let read = mega_points(POINTS, &mut || arrays(&program, &columns, &mut out));
    let roof = mega_points(POINTS, &mut || added(&columns, &mut out));
    eprintln!("samples {drawn:.1} M points/s, map {mapped:.1}, arrays {read:.1}, the memory's roof {roof:.1}");
    eprintln!("arrays / roof: {:.2}", read / roof);
    let Some(peer) = numpy(&program) else { return };
    let of = |name: &str| peer.get(name).copied().unwrap_or(f64::NAN);
    for (what, own, name) in [
        ("samples", drawn, "whole arrays"),
        ("samples", drawn, "blocks in the cache"),
        ("samples", drawn, "whole arrays, drawn anew"),
        ("arrays", read, "whole arrays"),
        ("map", mapped, "map"),
    ] {
        eprintln!("{what} / NumPy, {name}: {:.1}", own / of(name));
    }
}

/// Works a program out over columns, on all cores.
fn arrays(program: &Program, columns: &[Vec<f64>; VARIED.len()], out: &mut [f64]) {
    let each = POINTS / 64;
    out.par_chunks_mut(each).enumerate().for_each_init(Registers::default, |registers, (part, out)| {
        let inputs: Vec<&[f64]> = columns.iter().map(|column| &column[part * each..][..each]).collect();
        program.run(&inputs, &mut [out], registers);
    });
}

/// Adds the same columns up, on all cores: what memory allows.
fn added([times, sizes, ratios, speeds]: &[Vec<f64>; VARIED.len()], out: &mut [f64]) {
    let each = POINTS / 64;
    out.par_chunks_mut(each).enumerate().for_each(|(part, out)| {
        let part = part * each..(part + 1) * each;
        let times_sizes = times[part.clone()].iter().zip(&sizes[part.clone()]);
        let others = ratios[part.clone()].iter().zip(&speeds[part]);
        for ((out, (t, d)), (o, b)) in out.iter_mut().zip(times_sizes).zip(others) {
            *out = (t + d) + (o + b);
        }
    });
}

/// What NumPy reaches with the same, by the names of its script, million points a second; none without NumPy.
///
/// # Panics
/// If its result is another one.
fn numpy(program: &Program) -> Option<HashMap<String, f64>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/formulas.py");
    let output = match Command::new("python3").args([script, &POINTS.to_string()]).output() {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        Ok(output) => {
            eprintln!("NumPy: {}", String::from_utf8_lossy(&output.stderr));
            return None;
        }
        Err(error) => {
            eprintln!("NumPy: python3: {error}");
            return None;
        }
    };
    eprintln!("{output}");
    let number = |line: &str| {
        let (name, number) = line.split_once(": ")?;
        Some((name.to_owned(), number.split(' ').next()?.parse().ok()?))
    };
    let found: HashMap<String, f64> = output.lines().filter_map(number).collect();
    let inputs = [[0.25], [1.3], [0.4], [37.0]];
    let mut own = [0.0];
    let inputs: Vec<&[f64]> = inputs.iter().map(<[f64; 1]>::as_slice).collect();
    program.run(&inputs, &mut [&mut own], &mut Registers::default());
    let peers = found["check"];
    assert!((own[0] / peers - 1.0).abs() < 1e-12, "{} here, {peers} by NumPy", own[0]);
    Some(found)
}

criterion_group!(benches, bench);
criterion_main!(benches);
