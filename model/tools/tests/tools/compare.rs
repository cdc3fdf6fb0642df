//! Scenarios side by side: what differs is told, what does not is counted, and the better figure is known.

use crossover_scenario::{Scenario, read};
use crossover_study::{Subject, Watch, numbers};
use crossover_tools::compare::Standing;
use crossover_tools::{CompareError, Comparison, compare};

const PLACEMENT: &str = include_str!("../../../../scenarios/placement-published.ron");
const REGULATION: &str = include_str!("../../../../scenarios/regulation-published.ron");

fn scenario(text: &str) -> Scenario {
    read(text).expect("a shipped scenario")
}

fn compared(scenarios: &[&Scenario]) -> Result<Comparison, CompareError> {
    let studies: Vec<&dyn Subject> = scenarios.iter().map(|scenario| scenario.study.subject()).collect();
    Watch::uncancellable(|watch| compare(&studies, watch)).map(|found| found.expect("not cancelled"))
}

#[test]
fn a_number_that_differs_is_told_with_its_sources() {
    let baseline = scenario(PLACEMENT);
    let other = baseline.with("cluster.machines=200").expect("a valid value");
    let found = compared(&[&baseline, &other]).expect("a comparison");
    let count = numbers(baseline.study.subject()).len();
    assert_eq!((found.numbers.len(), found.same), (1, count - 1));
    let number = &found.numbers[0];
    let stated: Vec<(f64, &str)> = number.values.iter().flatten().map(|one| (one.value, one.source)).collect();
    assert_eq!((number.path.as_str(), stated), ("cluster.machines", vec![(1000.0, "published"), (200.0, "entered")]));
    assert_eq!(found.differs_otherwise, [false, false]);
}

#[test]
fn figures_have_differences_ratios_and_the_better_one() {
    let baseline = scenario(PLACEMENT);
    let fast = baseline.with("networks.100 Gb InfiniBand.effective_gbit_per_s=100").expect("a valid value");
    let slow = baseline.with("networks.100 Gb InfiniBand.effective_gbit_per_s=0.5").expect("a valid value");
    let found = compared(&[&baseline, &fast, &slow]).expect("a comparison");
    let answer = |scenario: &Scenario, key: &str| {
        let answer = Watch::uncancellable(|watch| scenario.study.subject().answer(watch)).expect("not cancelled");
        answer.iter().find(|one| one.key() == key).and_then(|one| one.value)
    };
    let seconds = found.figures.iter().find(|figure| figure.key == "seconds").expect("the time");
    for (column, scenario) in [&baseline, &fast, &slow].into_iter().enumerate() {
        assert_eq!(seconds.values[column], answer(scenario, "seconds"));
    }
    let [first, second, third] = [0, 1, 2].map(|column| seconds.values[column].expect("a time"));
    assert!(second < first && first < third);
    assert_eq!(seconds.difference(1), Some(second - first));
    assert_eq!(seconds.ratio(2), Some(third / first));
    assert_eq!([0, 1, 2].map(|column| seconds.is_best(column)), [false, true, false], "less time is better");
    let standings = [0, 1, 2].map(|column| seconds.standing(column));
    assert_eq!(standings, [Some(Standing::Same), Some(Standing::Better), Some(Standing::Worse)]);
    let is_sorted = found.figures.windows(2).all(|pair| pair[0].is_of_whole >= pair[1].is_of_whole);
    assert!(is_sorted, "the whole study's figures come first");
}

#[test]
fn what_one_scenario_does_not_have_is_absent() {
    let baseline = scenario(PLACEMENT);
    let other = baseline.with("operators.join.name=match").expect("a free name");
    let found = compared(&[&baseline, &other]).expect("a comparison");
    let has = |path: &str| {
        let number = found.numbers.iter().find(|number| number.path == path).expect(path);
        number.values.iter().map(Option::is_some).collect::<Vec<_>>()
    };
    assert_eq!(has("operators.join.input_gb"), [true, false]);
    assert_eq!(has("operators.match.input_gb"), [false, true]);
    let of_part = found.figures.iter().find(|figure| figure.key == "operators.match.speedup").expect("its speedup");
    assert!(of_part.values[0].is_none() && of_part.standing(1).is_none() && !of_part.is_best(0));
    assert!(of_part.differs());
}

#[test]
fn a_choice_that_differs_is_no_number_and_is_told() {
    let baseline = scenario(PLACEMENT);
    let other = baseline.with("policy.network=10 Gb Ethernet").expect("one of its networks");
    let found = compared(&[&baseline, &other, &baseline]).expect("a comparison");
    assert!(found.numbers.is_empty());
    assert_eq!(found.differs_otherwise, [false, true, false]);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let (placement, regulation) = (scenario(PLACEMENT), scenario(REGULATION));
    let refused = |scenarios: &[&Scenario]| compared(scenarios).expect_err("no comparison").to_string();
    let message = refused(&[&placement, &placement, &regulation]);
    assert!(message.contains("baseline is of kind placement, and scenario 3 of kind regulation"), "{message}");
    for (count, ending) in [(0, "found 0"), (1, "found 1"), (5, "found 5")] {
        let message = refused(&vec![&placement; count]);
        assert!(message.contains("expected 2 to 4 scenarios") && message.ends_with(ending), "{message}");
    }
}
