//! The result of a search, as text.

mod record;

use crossover_decision::Decision;
use crossover_quantity::text::csv::{Records, cell};
use crossover_quantity::text::{Align, Column, Table, TextReport, counted, counted_of};
use crossover_quantity::unit::{Unit, share_of_samples};
use crossover_scenario::{Scenario, Study};
use crossover_study::Subject;
use crossover_tools::search::likelihood::{CandidateLikelihood, LISTED, Likelihoods};
use crossover_tools::search::{Bound, Domain, Found, Neighbour, Why};
use crossover_tools::selected::SelectedFigure;
use crossover_tools::uncertainty::Sampled;
use crossover_tools::{Search, Searched};

use self::record::Record;
use super::Format;
use super::about::statements;
pub use super::candidate::NumberNames;
use super::candidate::{objective_in_words, setting, value};
use super::decided::{self, of_study, sampling_note};
use super::likelihood::{cases, likelihood_sentences, range_in_words};

/// The result of a search in a format, with its likelihoods where they are known.
#[must_use]
pub fn written(
    scenario: &Scenario,
    search: &Search,
    found: &Searched,
    likelihoods: Option<&Likelihoods>,
    decisions: &Decisions,
    format: Format,
) -> String {
    let text_report = || text_report(scenario, search, found, likelihoods, decisions);
    let record = || Record::of(scenario, search, found, likelihoods, decisions);
    format.write(text_report, record, || csv(found, likelihoods))
}

/// What should run the query of a scenario in whole engines, as it is and with the recommended candidate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decisions {
    /// As it is; `None` without engines and a query.
    pub present: Option<Decision>,
    /// With the recommended candidate.
    pub recommended: Option<Decision>,
    /// Engine and machines of the recommended candidate: its title, and the engine alone.
    searched: Option<[String; 2]>,
}

impl Decisions {
    /// The decisions of a search; `take` applies a candidate to a study.
    #[must_use]
    pub fn of(study: &Study, found: &Searched, take: impl FnOnce(&mut Study, &Found)) -> Self {
        let present = of_study(study);
        let chosen = found.recommended().filter(|_| present.is_some()).map(|best| {
            let mut chosen = study.clone();
            take(&mut chosen, best);
            chosen
        });
        let engines = chosen.as_ref().and_then(|chosen| chosen.placement()?.engines.as_deref());
        let searched = engines.map(|engines| [engines.gpu.title(), engines.gpu.name.clone()]);
        Self { present, recommended: chosen.as_ref().and_then(of_study), searched }
    }

    /// The decisions with the names of their candidates.
    fn named(&self) -> impl Iterator<Item = (&'static str, &Decision)> {
        let all = [("recommended candidate", &self.recommended), ("current scenario", &self.present)];
        all.into_iter().filter_map(|(name, decision)| Some((name, decision.as_ref()?)))
    }

    /// What the decision recommends instead of the recommended candidate, and why they differ; `None` if they are the same, or if there is
    /// no recommendation.
    #[must_use]
    pub fn other_recommendation(&self) -> Option<String> {
        let (decision, [title, engine]) = (self.recommended.as_ref()?, self.searched.as_ref()?);
        let other = match decision.recommended_title(" or ") {
            Some(_) if decision.recommends_title(title) => return None,
            Some(other) => other,
            None if decision.recommends_to_stay() => format!("staying with {}", decision.baseline.title),
            None => return None,
        };
        let compared = compared(decision, engine).unwrap_or_default();
        let wanted = decision.wanted();
        Some(format!(
            "The candidates of this search run {engine} only, and {title} is the best of them. The decision has a goal of its own: {wanted}. \
             It compares {compared}other options, and recommends {other}."
        ))
    }

    /// A sentence for each decision, after that on another recommendation.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        let of_decision = move |(name, decision): (&str, &Decision)| {
            let compared = self.searched.as_ref().and_then(|[_, engine]| compared(decision, engine));
            let among = compared.map(|compared| format!(", of {compared}other options")).unwrap_or_default();
            format!("Decision for the {name}{among}: {}", decision.sentence())
        };
        let of_decisions = self.named().map(of_decision);
        self.other_recommendation().into_iter().chain(of_decisions)
    }

    /// A row for each decision.
    #[must_use]
    pub fn table(&self) -> Table {
        decided::table("candidate", self.named().map(|(name, decision)| (name.to_owned(), decision)))
    }
}

/// "RAPIDS 25.12 (L4) on 2, 4, 8 and 16 machines, and ": the clusters with an engine that a decision compares; `None` if it compares none.
fn compared(decision: &Decision, engine: &str) -> Option<String> {
    let options = decision.options.iter().map(|option| &option.candidate);
    let of_engine = options.filter(|option| option.engine == engine && !option.is_on_same_machines);
    let mut counts: Vec<f64> = of_engine.filter_map(|option| option.machines).collect();
    counts.sort_by(f64::total_cmp);
    counts.dedup();
    let last = counted(counts.pop()?, "machine");
    let before: Vec<String> = counts.into_iter().map(|count| Unit::Count.format(count)).collect();
    let and = if before.is_empty() { "" } else { " and " };
    Some(format!("{engine} on {}{and}{last}, and ", before.join(", ")))
}

/// What the study of a scenario has after a candidate is applied: "Sets machines (engines.gpu) 16, gpu-machines g6.xlarge"; with a decision,
/// also which of its options stay.
#[must_use]
pub fn applied(study: &Study, found: &Searched, of: &Found) -> String {
    let kept = if study.placement().is_some_and(|study| study.query.is_some() && study.engines.is_some()) {
        ". The decision still compares the numbers of machines that it compared before"
    } else {
        ""
    };
    format!("Sets {}{kept}", setting(found, of, NumberNames::Labels))
}

/// The likelihoods of the answer in words, and what samples vary.
#[must_use]
pub fn sampled_sentences(
    study: &Study,
    search: &Search,
    found: &Searched,
    likelihoods: Option<&Likelihoods>,
    names: NumberNames,
) -> Vec<String> {
    let Some(likelihoods) = likelihoods else { return Vec::new() };
    likelihood_sentences(search, found, likelihoods, names).into_iter().chain(sampling_note(study)).collect()
}

/// What it is about, the answer, the decisions, the candidates, and why the neighbours lose.
fn text_report(
    scenario: &Scenario,
    search: &Search,
    found: &Searched,
    likelihoods: Option<&Likelihoods>,
    decisions: &Decisions,
) -> TextReport {
    // Options take the numbers by their paths.
    let names = NumberNames::Paths;
    let mut text_report = TextReport::titled(&scenario.name);
    for statement in statements(&scenario.study) {
        text_report.paragraph(statement);
    }
    text_report.paragraph(sentence(search, found, names));
    let sampled = sampled_sentences(&scenario.study, search, found, likelihoods, names);
    for sentence in decisions.sentences().chain(sampled) {
        text_report.paragraph(sentence);
    }
    text_report
        .table(candidates(search, found, likelihoods, names))
        .section("Decisions", |section| section.table(decisions.table()))
        .section("Neighbours", |section| section.table(neighbours(search, found, likelihoods, names)))
        .paragraph(evaluated(found));
    text_report
}

/// The answer: the recommended candidate, or the nearest one.
#[must_use]
pub fn sentence(search: &Search, found: &Searched, names: NumberNames) -> String {
    let objective = |values: &[Option<f64>]| objective_in_words(search, found, values);
    match (found.recommended(), &found.nearest) {
        (Some(best), _) => {
            let end = if search.objectives.first().is_some_and(|objective| objective.is_minimised) {
                "lowest"
            } else {
                "highest"
            };
            let all = match (found.is_exhaustive(), search.constraints.is_empty()) {
                (true, true) => "of all candidates",
                (true, false) => "of all feasible candidates",
                (false, true) => "found",
                (false, false) => "of the feasible candidates found",
            };
            let now = match found.present.violated.as_slice() {
                [] => format!("current scenario: {}", objective(&found.present.values)),
                _ => format!(
                    "current scenario: {}; {}",
                    objective(&found.present.values),
                    breaks(search, found, &found.present)
                ),
            };
            let others = match found.of_front {
                0 | 1 => String::new(),
                many => {
                    let are = if many == 2 { "is" } else { "are" };
                    format!(" {} {are} on the Pareto front.", counted((many - 1) as f64, "more candidate"))
                }
            };
            format!("{}: {}, the {end} {all}; {now}.{others}", setting(found, best, names), objective(&best.values))
        }
        (None, Some(nearest)) => {
            format!(
                "No feasible candidate. The nearest is {}: {}.",
                setting(found, nearest, names),
                breaks(search, found, nearest)
            )
        }
        (None, None) if found.feasible > 0 => {
            "No feasible candidate has a value of the objective, so none is recommended.".to_owned()
        }
        (None, None) => "No candidate found.".to_owned(),
    }
}

/// Strong scaling: which total is divided among which number.
#[must_use]
pub fn divided(study: &dyn Subject, found: &Searched, names: NumberNames) -> Option<String> {
    let axis = found.axes.iter().find(|axis| !axis.shares.is_empty())?;
    let named = |(path, _): &(String, f64)| names.at(study, path);
    let listed = match axis.shares.as_slice() {
        [first, _, _, .., last] => format!("{} … {}", named(first), named(last)),
        few => few.iter().map(named).collect::<Vec<_>>().join(" and "),
    };
    Some(format!("Strong scaling: the total of {listed} is constant while {} changes.", names.of(axis)))
}

/// Warnings about an answer.
#[must_use]
pub fn cautions(found: &Searched, names: NumberNames) -> Vec<String> {
    let idle = match found.decided {
        Some([0, of]) => Some(format!(
            "the recommended candidate runs none of the {} decided items on GPUs: these stay idle, so the search selects the smallest and \
             cheapest ones",
            Unit::Count.format(of as f64)
        )),
        _ => None,
    };
    let ends =
        found.at_ends().map(|axis| format!("{}: optimum at the bound of its range; widen the range", names.of(axis)));
    let idle_axes = found.idle().map(|axis| {
        format!(
            "{} makes no difference here: neighbouring values have equal objectives and meet every constraint",
            names.of(axis)
        )
    });
    let unpriced = found.unpriced.iter().filter_map(|place| {
        let axis = found.axes.get(*place)?;
        Some(format!("{}: no price of the bill depends on it, so its cost is not counted", names.of(axis)))
    });
    let cut = (found.of_front > found.front.len()).then(|| {
        let shown = Unit::Count.format(found.front.len() as f64);
        let all = counted(found.of_front as f64, "candidate");
        format!("the Pareto front has {all}; the best {shown} by the first objective are kept")
    });
    idle.into_iter().chain(ends).chain(idle_axes).chain(unpriced).chain(cut).collect()
}

/// "time as placed 80 s, at most 60 s is allowed".
fn breaks(search: &Search, found: &Searched, of: &Found) -> String {
    let one = |constraint: &usize| {
        constraint_in_words(search, found, *constraint, |place| of.values.get(place).copied().flatten())
    };
    of.violated.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn constraint_in_words(
    search: &Search,
    found: &Searched,
    constraint: usize,
    at: impl Fn(usize) -> Option<f64>,
) -> String {
    let Some(constraint) = search.constraints.get(constraint) else { return String::new() };
    let Some(place) = found.figures.iter().position(|figure| figure.key == constraint.key) else {
        return String::new();
    };
    let figure = &found.figures[place];
    let side = match constraint.side {
        _ if figure.figure.unit == Unit::Decision => "only",
        Bound::AtMost => "at most",
        Bound::AtLeast => "at least",
    };
    let allowed = figure.figure.unit.format(constraint.value);
    format!("{} {}, {side} {allowed} is allowed", figure.label, value(figure, at(place)))
}

/// A row for each candidate of the Pareto front, or the nearest; and the scenario as it is.
#[must_use]
pub fn candidates(search: &Search, found: &Searched, likelihoods: Option<&Likelihoods>, names: NumberNames) -> Table {
    let mut columns: Vec<Column> = found.axes.iter().map(|axis| headed(&names.of(axis), Align::Left)).collect();
    columns.extend(found.figures.iter().map(|figure| headed(&figure.label, Align::Right)));
    let has_feasible_share = likelihoods.is_some() && !search.constraints.is_empty();
    if has_feasible_share {
        columns.push(headed("feasible share", Align::Right));
    }
    let row = |of: &Found, settings: Vec<String>, likelihood: Option<&CandidateLikelihood>| {
        let range = |place: usize| likelihood.and_then(|likelihood| likelihood.ranges.get(place).copied().flatten());
        let figures = found.figures.iter().zip(&of.values).enumerate();
        let values = figures
            .map(|(place, (figure, of))| format!("{}{}", value(figure, *of), range_in_words(figure, range(place))));
        let share = likelihood.map_or_else(String::new, |likelihood| share_of_samples(likelihood.feasible.value));
        settings.into_iter().chain(values).chain(has_feasible_share.then_some(share)).collect::<Vec<_>>()
    };
    let listed = found.front.iter().chain(&found.nearest).take(LISTED).enumerate();
    let candidate = |(number, of): (usize, &Found)| {
        let settings = found.axes.iter().zip(&of.place).map(|(axis, place)| axis.text(*place)).collect();
        row(of, settings, likelihoods.and_then(|likelihoods| likelihoods.listed.get(number)))
    };
    let mut rows: Vec<Vec<String>> = listed.map(candidate).collect();
    let mut now = vec![String::new(); found.axes.len()];
    if let Some(first) = now.first_mut() {
        "current scenario".clone_into(first);
    }
    rows.push(row(&found.present, now, likelihoods.map(|likelihoods| &likelihoods.present)));
    Table { columns, rows }
}

/// A column under what something is called.
fn headed(title: &str, align: Align) -> Column {
    Column { title: title.to_owned().into(), align }
}

/// A row for each neighbour of the recommended candidate.
#[must_use]
pub fn neighbours(search: &Search, found: &Searched, likelihoods: Option<&Likelihoods>, names: NumberNames) -> Table {
    let row = |(number, neighbour): (usize, &Neighbour)| {
        let axis = &found.axes[neighbour.axis];
        let no_better = no_better_share(likelihoods, number, neighbour).map(cases);
        let cells = [names.of(axis), axis.text(neighbour.place), why(search, found, neighbour)];
        cells.into_iter().chain(likelihoods.map(|_| no_better.unwrap_or_default())).collect()
    };
    let mut columns = ["parameter", "value", "reason for rejection"].map(Column::text).to_vec();
    columns.extend(likelihoods.map(|_| Column::text("likelihood of no gain")));
    Table { columns, rows: found.neighbours.iter().enumerate().map(row).collect() }
}

/// How likely a neighbour is no better; `None` where it is invalid or never differs.
fn no_better_share(likelihoods: Option<&Likelihoods>, number: usize, neighbour: &Neighbour) -> Option<Sampled> {
    let share = likelihoods?.neighbours.get(number).copied().flatten();
    share.filter(|share| share.value.is_finite() && neighbour.why != Why::Same)
}

/// Why a neighbour is not recommended.
fn why(search: &Search, found: &Searched, neighbour: &Neighbour) -> String {
    match &neighbour.why {
        Why::NotAllowed(invalid) => format!("invalid: {}: {}", invalid.path, invalid.problem),
        Why::Violates { constraint, value } => constraint_in_words(search, found, *constraint, |_| *value),
        Why::Worse { objective, value: there } => {
            let Some(objective) = search.objectives.get(*objective) else { return String::new() };
            let Some(place) = found.figures.iter().position(|figure| figure.key == objective.key) else {
                return String::new();
            };
            let figure = &found.figures[place];
            let best = found.recommended().and_then(|best| best.values[place]);
            let change = match (best, there) {
                // A difference that is too small for the digits is not shown.
                (Some(best), Some(there)) if best != 0.0 && (there / best - 1.0).abs() >= 1e-4 => {
                    let sign = if *there > best { "+" } else { "" };
                    format!(" ({sign}{})", Unit::Share.format(there / best - 1.0))
                }
                _ => String::new(),
            };
            format!("{} {}{change}", figure.label, value(figure, *there))
        }
        Why::Same => "equal in every objective".to_owned(),
    }
}

/// How many candidates there were.
fn evaluated(found: &Searched) -> String {
    let feasible = Unit::Count.format(found.feasible as f64);
    let are = if found.feasible == 1 { "is" } else { "are" };
    if found.is_exhaustive() {
        let evaluated = counted(found.evaluated as f64, "candidate");
        format!("All {evaluated} of the search space were evaluated; {feasible} {are} feasible.")
    } else {
        let evaluated = counted_of(found.evaluated as f64, found.candidates as f64, "candidate");
        format!(
            "{evaluated} of the search space were evaluated; {feasible} {are} feasible. Increase --budget to evaluate more."
        )
    }
}

/// CSV with a line for each candidate of the Pareto front.
#[must_use]
pub fn csv(found: &Searched, likelihoods: Option<&Likelihoods>) -> String {
    let mut csv = Records::default();
    let columns = found.axes.iter().map(|axis| axis.name.clone());
    let mut columns: Vec<String> = columns.chain(found.figures.iter().map(|figure| figure.key.clone())).collect();
    if likelihoods.is_some() {
        let ends = |figure: &SelectedFigure| [format!("5 % of {}", figure.key), format!("95 % of {}", figure.key)];
        columns.extend(found.figures.iter().flat_map(ends));
        columns.push("feasible share".to_owned());
    }
    csv.push(&columns);
    for (number, of) in found.front.iter().enumerate() {
        let settings = found.axes.iter().zip(&of.place).map(|(axis, place)| match &axis.what {
            Domain::Number { values, .. } => values[*place].to_string(),
            Domain::Choice(entries) => entries[*place].name.clone(),
        });
        let values = of.values.iter().copied().map(cell);
        let mut row: Vec<String> = settings.chain(values).collect();
        if let Some(likelihood) = likelihoods.and_then(|likelihoods| likelihoods.listed.get(number)) {
            let ends =
                |range: &Option<[f64; 2]>| range.map_or_else(Default::default, |ends| ends.map(|end| end.to_string()));
            row.extend(likelihood.ranges.iter().flat_map(ends));
            row.push(likelihood.feasible.value.to_string());
        }
        // The others were not sampled.
        row.resize(columns.len(), String::new());
        csv.push(row);
    }
    csv.into_text()
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Objective, PredictedTime, Price, TimeLimit, judge};

    use super::*;

    /// Today 100 s at 1 $ an hour; the searched cluster takes 60 s, Gluten 50 s at 1 $ an hour, so a run costs half. 2 and 16 machines are
    /// compared, in any order.
    #[test]
    fn another_recommendation_than_the_searched_cluster_is_named_with_the_reason() {
        let engine = "RAPIDS 25.12 (L4)";
        let searched = "RAPIDS 25.12 (L4), 2 × g6.xlarge";
        let within = |usd_per_hour: f64, seconds_of_gluten: f64, time_limit: TimeLimit| {
            let option = |title: &str, seconds: f64, usd_per_hour: f64| {
                Candidate::predicted(title, PredictedTime::within(seconds, 1.2), Some(Price::entered(usd_per_hour)))
            };
            let cluster = |title: &str, machines: f64, seconds: f64, usd_per_hour: f64| Candidate {
                engine: engine.to_owned(),
                machines: Some(machines),
                ..option(title, seconds, usd_per_hour)
            };
            let options = vec![
                cluster("RAPIDS 25.12 (L4), 16 × g6.xlarge", 16.0, 60.0, 1000.0),
                cluster(searched, 2.0, 60.0, usd_per_hour),
                option("Gluten (Velox) on Spark 3.5.3, same machines", seconds_of_gluten, 1.0),
            ];
            let baseline = Baseline::measured("Spark 3.1.1, 1 × host", 100.0, Some(Price::entered(1.0)));
            let searched = [searched.to_owned(), engine.to_owned()];
            let recommended = Some(judge(baseline, options, Objective { time_limit, ..Objective::default() }));
            Decisions { recommended, searched: Some(searched), ..Decisions::default() }
        };
        let decisions =
            |usd_per_hour: f64, seconds_of_gluten: f64| within(usd_per_hour, seconds_of_gluten, TimeLimit::TODAY);
        let other = |usd_per_hour: f64, seconds_of_gluten: f64| {
            decisions(usd_per_hour, seconds_of_gluten).other_recommendation()
        };
        let differs = |title: &str| {
            Some(format!(
                "The candidates of this search run RAPIDS 25.12 (L4) only, and RAPIDS 25.12 (L4), 2 × g6.xlarge is the best of them. The \
                 decision has a goal of its own: cheaper and not slower. It compares RAPIDS 25.12 (L4) on 2 and 16 machines, and other \
                 options, and recommends {title}."
            ))
        };
        // 60 s at 10 $ cost six times as much as 100 s at 1 $.
        assert_eq!(other(10.0, 50.0), differs("Gluten (Velox) on Spark 3.5.3, same machines"));
        assert_eq!(other(10.0, 1000.0), differs("staying with Spark 3.1.1, 1 × host"));
        // 60 s at 0.1 $ cost 6/50 of Gluten's 50 s at 1 $.
        assert_eq!(other(0.1, 50.0), None);
        // Today's 100 s break a limit of 70 s.
        let broken = within(10.0, 50.0, TimeLimit::Seconds(70.0)).other_recommendation().expect("Gluten");
        assert!(broken.contains("goal of its own: done within 70 s (0.7× today’s time). It compares"), "{broken}");
        let sentences: Vec<String> = decisions(0.1, 50.0).sentences().collect();
        let beginning =
            "Decision for the recommended candidate, of RAPIDS 25.12 (L4) on 2 and 16 machines, and other options: ";
        assert!(sentences.len() == 1 && sentences[0].starts_with(beginning), "{sentences:?}");
    }
}
