//! Every tool runs over every shipped scenario of every kind: it answers, or says why it cannot.

use crossover_quantity::quantity::Quantity;
use crossover_quantity::spread::{Distribution, Spread};
use crossover_scenario::{Kind, Scenario, read};
use crossover_study::{Better, Watch, answer, numbers, set_number, validate};
use crossover_tools::search::{BUDGET, Objective};
use crossover_tools::selected::EVERY;
use crossover_tools::{
    Map, Range, Sampling, Search, Sweep, Unknowns, bands, compare, map, paired, search, sensitivity, sweep, uncertainty,
};

/// The shipped scenarios, by the names of their files.
#[expect(clippy::disallowed_methods, reason = "the model does no I/O, this test looks at the files that come with it")]
fn shipped() -> Vec<(String, Scenario)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of scenarios")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ron"));
    files.sort();
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, read(&std::fs::read_to_string(&path).expect("a file")).expect("a valid scenario"))
    };
    files.into_iter().map(read).collect()
}

/// The first two numbers that may be a tenth larger, with the rest as it is.
fn movable(scenario: &Scenario) -> Vec<(String, &'static Quantity, f64)> {
    let fits = |path: &str, value: f64| {
        let mut study = scenario.study.clone();
        set_number(study.subject_mut(), path, value) && validate(study.subject()).is_ok()
    };
    let all = numbers(scenario.study.subject()).into_iter();
    let all = all.map(|(path, quantity, value)| (path.to_string(), quantity, value));
    let is_movable = |(path, quantity, value): &(String, &'static Quantity, f64)| {
        !quantity.whole && *value > 0.0 && fits(path, 1.1 * value) && fits(path, 1.05 * value)
    };
    all.filter(is_movable).take(2).collect()
}

fn range((path, _, value): &(String, &'static Quantity, f64), points: usize) -> Range {
    Range { path: path.clone(), ends: [*value, 1.1 * value], points, is_logarithmic: false }
}

#[test]
fn every_tool_runs_over_every_shipped_scenario_of_every_kind() {
    let shipped = shipped();
    assert!(shipped.len() >= 22);
    for kind in Kind::ALL {
        assert!(shipped.iter().any(|(_, scenario)| scenario.study.kind() == kind), "{}", kind.key());
    }
    for (file, scenario) in &shipped {
        let study = scenario.study.subject();
        let now = Watch::uncancellable(|watch| answer(study, watch)).expect("not cancelled");
        // The published probe has not been run anywhere: it is an example of what is asked.
        let has_answer = now.iter().any(|one| one.value.is_some());
        assert!(has_answer || file == "probe-published.ron", "{file} answers nothing");
        let movable = movable(scenario);
        let [first, second] = &movable[..] else { panic!("{file} has two numbers that can be moved") };

        let wanted = Sweep { x: range(first, 3), figures: vec![EVERY.to_owned()] };
        let swept = Watch::uncancellable(|watch| sweep(study, &wanted, watch)).expect(file).expect("not cancelled");
        assert_eq!(swept.values.len(), 3, "{file}");
        // Where the number is as it stands, the figures are, too.
        for (figure, one) in swept.curves.iter().zip(&now) {
            assert_eq!(figure.values[0], one.value, "{file}: {}", figure.key);
        }

        let wanted = Map { x: range(first, 2), y: range(second, 2), figures: Vec::new() };
        let mapped = Watch::uncancellable(|watch| map(study, &wanted, watch)).expect(file).expect("not cancelled");
        for figure in &mapped.figures {
            let one = now.iter().find(|one| one.key() == figure.key).expect("the figure");
            assert_eq!(figure.values[0], one.value, "{file}: {}", figure.key);
        }

        let compared =
            Watch::uncancellable(|watch| compare(&[study, study], watch)).expect(file).expect("not cancelled");
        assert!(compared.numbers.is_empty(), "{file} is itself");

        let mut unsure = study.to_owned();
        let (path, _, value) = first;
        let spread = Spread::alone(Distribution::Uniform { low: *value, high: 1.1 * value });
        unsure.spreads_mut().insert(path.clone(), spread);
        let sampling = Sampling { samples: 64, ..Sampling::default() };
        let found = Watch::uncancellable(|watch| uncertainty(&*unsure, &sampling, watch)).expect(file);
        let found = found.expect("not cancelled");
        assert!(
            found.samples >= 64 && found.figures.iter().any(|figure| figure.missing < found.samples) == has_answer,
            "{file}"
        );
        let found = Watch::uncancellable(|watch| sensitivity(&*unsure, &sampling, watch)).expect(file);
        let found = found.expect("not cancelled");
        assert!(found.causes.iter().any(|cause| cause.name == *path), "{file}");
        let wanted = Sweep { x: range(second, 2), figures: Vec::new() };
        let found = Watch::uncancellable(|watch| bands(&*unsure, &wanted, &sampling, watch)).expect(file);
        assert!(found.expect("not cancelled").unknown >= 1, "{file}");
        let both = [&*unsure, study];
        let found = Watch::uncancellable(|watch| paired(&both, &compared.figures, &sampling, watch)).expect(file);
        let found = found.expect("not cancelled");
        let unknown = both.map(|study| Unknowns::of(study).numbers.len());
        assert_eq!((&found.unknown[..], found.figures.len()), (&unknown[..], now.len()), "{file}");

        let objective =
            now.iter().find(|one| one.of.is_none() && one.figure.better != Better::Neither && one.value.is_some());
        let Some(objective) = objective.and_then(Objective::usual) else { continue };
        let wanted = Search {
            free: vec![range(first, 2), range(second, 2)],
            choices: Vec::new(),
            shared: Vec::new(),
            constraints: Vec::new(),
            objectives: vec![objective],
            seed: 1,
            budget: BUDGET,
        };
        let found = Watch::uncancellable(|watch| search(study, &wanted, watch)).expect(file).expect("not cancelled");
        assert!(found.is_exhaustive() && found.evaluated == 4 && found.recommended().is_some(), "{file}");
    }
}
