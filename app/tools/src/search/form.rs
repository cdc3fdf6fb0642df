//! The form of a search: objectives, constraints and free parameters.

use crossover_files::shell::quoted;
use crossover_page::command::Command;
use crossover_page::offer::Offer;
use crossover_quantity::quantity::Quantity;
use crossover_quantity::unit::Unit;
use crossover_scenario::Study;
use crossover_scenario::views::{ConstraintView, Goal, Limit, ObjectiveView, SearchView};
use crossover_study::{FigureValue, number_at};
use crossover_tools::range::written;
use crossover_tools::search::{BUDGET, Bound, Choice, Constraint, MOST_POINTS, Objective, POINTS, Shared};
use crossover_tools::{Range, Search};
use egui::{Button, CollapsingHeader, ComboBox, Role, TextEdit, Ui, WidgetInfo};

use super::super::influence::Ranking;
use super::super::kept;
use super::super::pick;
use super::Proposal;

/// Numbers that a form without a free parameter offers first.
const MOST_OFFERED: usize = 3;
/// How far the range of a free parameter reaches beyond the present value, each way, and is widened.
const NEARBY: f64 = 4.0;

/// What the form offers for a study.
pub(super) struct Around<'a> {
    pub(super) study: &'a Study,
    pub(super) figures: &'a [FigureValue],
    /// Hardware of the catalogue that the study can use.
    pub(super) offers: &'a [Offer],
    /// Numbers that are parts of a total under strong scaling.
    pub(super) shared: &'a [Shared],
}

/// What the form keeps between frames.
#[derive(Debug, Default)]
pub(super) struct State {
    free: Vec<Range>,
    /// Lists to choose from, by their names.
    lists: Vec<String>,
    constraints: Vec<Entered>,
    objectives: Vec<Objective>,
    filter: String,
    /// Whether weak scaling holds, instead of strong scaling.
    weak_scaling: bool,
    /// Required likelihood of meeting every constraint, as typed.
    share: String,
    /// Uncertainty of numbers without a distribution, as typed.
    spread_all: String,
}

/// Required likelihood, and uncertainty of numbers without a distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RequiredLikelihood {
    /// Required likelihood of meeting every constraint.
    pub(super) share: Option<f64>,
    /// Uncertainty of numbers without a distribution, as a share of their values.
    pub(super) spread_all: Option<f64>,
}

/// A constraint as typed.
#[derive(Debug)]
struct Entered {
    key: String,
    side: Bound,
    value: String,
}

impl State {
    /// The form as a document keeps it.
    pub(super) fn kept(view: &SearchView, study: &Study) -> Self {
        let constraint = |of: &ConstraintView| Entered {
            key: of.figure.clone(),
            side: match of.side {
                Limit::AtMost => Bound::AtMost,
                Limit::AtLeast => Bound::AtLeast,
            },
            value: of.value.clone(),
        };
        let objective =
            |of: &ObjectiveView| Objective { key: of.figure.clone(), is_minimised: of.goal == Goal::Minimise };
        Self {
            free: view.free.iter().map(|range| kept::range(range, study)).collect(),
            lists: view.lists.clone(),
            constraints: view.constraints.iter().map(constraint).collect(),
            objectives: view.objectives.iter().map(objective).collect(),
            filter: String::new(),
            weak_scaling: view.weak_scaling,
            share: view.likelihood.clone(),
            spread_all: view.spread_all.clone(),
        }
    }

    /// What a document keeps of it.
    pub(super) fn view(&self) -> SearchView {
        let constraint = |of: &Entered| ConstraintView {
            figure: of.key.clone(),
            side: match of.side {
                Bound::AtMost => Limit::AtMost,
                Bound::AtLeast => Limit::AtLeast,
            },
            value: of.value.clone(),
        };
        let objective = |of: &Objective| ObjectiveView {
            figure: of.key.clone(),
            goal: if of.is_minimised { Goal::Minimise } else { Goal::Maximise },
        };
        SearchView {
            free: self.free.iter().map(kept::view_of).collect(),
            lists: self.lists.clone(),
            constraints: self.constraints.iter().map(constraint).collect(),
            objectives: self.objectives.iter().map(objective).collect(),
            weak_scaling: self.weak_scaling,
            likelihood: self.share.clone(),
            spread_all: self.spread_all.clone(),
        }
    }

    /// The same form with the filter of another one.
    pub(super) fn filtered_as(self, other: Self) -> Self {
        Self { filter: other.filter, ..self }
    }

    /// Without an objective, it is the cost, or the first figure that has a better end.
    pub(super) fn begin(&mut self, figures: &[FigureValue]) {
        if self.objectives.is_empty() {
            let cost = figures.iter().find(|one| one.figure.key == crossover_study::bill::RUN_COST.key);
            self.objectives.extend(cost.or(figures.first()).and_then(Objective::usual));
        }
    }

    /// The form of a proposed search; numbers that the study lacks are left out.
    pub(super) fn proposed(proposal: &Proposal, study: &Study) -> Self {
        let free = proposal.free.iter().filter_map(|(path, ends)| {
            let (quantity, Some(now)) = number_at(study.subject(), path)? else { return None };
            Some(Range { ends: *ends, ..around(path.clone(), quantity, now) })
        });
        let constraint = |(key, side, value): &(String, Bound, String)| Entered {
            key: key.clone(),
            side: *side,
            value: value.clone(),
        };
        Self {
            free: free.collect(),
            lists: proposal.lists.clone(),
            constraints: proposal.constraints.iter().map(constraint).collect(),
            objectives: proposal.objectives.clone(),
            ..Self::default()
        }
    }

    /// The search; else what to enter next.
    pub(super) fn search(&self, around: &Around<'_>) -> Result<Search, String> {
        let Around { study, figures, offers, shared } = around;
        let shared = if self.weak_scaling { Vec::new() } else { shared.to_vec() };
        let free: Vec<Range> =
            self.free.iter().filter(|range| pick::has_number(study, &range.path)).cloned().map(ascending).collect();
        let chosen = offers.iter().filter(|offer| self.lists.contains(&offer.choice.name));
        let choices: Vec<Choice> = chosen.map(|offer| offer.choice.clone()).collect();
        if free.is_empty() && choices.is_empty() {
            return Err("Choose free parameters on the left: a number, or a list of the catalogue.".to_owned());
        }
        let has = |key: &str| figures.iter().any(|one| one.key() == key);
        let mut constraints = Vec::new();
        for constraint in
            self.constraints.iter().filter(|constraint| has(&constraint.key) && !constraint.value.trim().is_empty())
        {
            let figure = figures.iter().find(|one| one.key() == constraint.key).map(|one| one.figure);
            let Some(figure) = figure else { continue };
            let value = figure.unit.parse_typed(&constraint.value);
            let value = value.map_err(|error| format!("{}: {error}", figure.label))?;
            constraints.push(Constraint { key: constraint.key.clone(), side: constraint.side, value });
        }
        let objectives: Vec<Objective> =
            self.objectives.iter().filter(|objective| has(&objective.key)).cloned().collect();
        if objectives.is_empty() {
            return Err("Choose an objective on the left: a figure to minimise or maximise.".to_owned());
        }
        Ok(Search { free, choices, shared, constraints, objectives, seed: 1, budget: BUDGET })
    }

    /// Where nothing is free, a button for the number to begin with.
    pub(super) fn first_step(&mut self, ui: &mut Ui, study: &Study, ranking: Option<&Ranking>) {
        if self.free.is_empty()
            && self.lists.is_empty()
            && let Some(number) = pick::first_number(study, ranking)
            && ui.button(format!("Search over {}", pick::title(number.quantity, &number.path))).clicked()
        {
            self.free.push(around(number.path, number.quantity, number.value));
        }
    }

    /// Moves the ends of the range of a free number further apart, as far as the number may be.
    pub(super) fn widen(&mut self, path: &str, quantity: &Quantity) {
        let Some(range) = self.free.iter_mut().find(|range| range.path == path) else { return };
        let [from, to] = range.ends;
        let ends = if from > 0.0 {
            [from / NEARBY, to * NEARBY]
        } else {
            let reach = (to - from).abs();
            [from - reach, to + reach]
        };
        let ends = if quantity.whole { ends.map(f64::floor) } else { ends };
        range.ends = ends.map(|end| end.clamp(quantity.min, quantity.max));
        range.is_logarithmic &= range.ends.iter().all(|end| *end > 0.0);
    }

    /// The required likelihood; else what is wrong with the typed text.
    pub(super) fn required(&self) -> Result<RequiredLikelihood, String> {
        let share = |text: &str, most: f64, what: &str| match text.trim() {
            "" => Ok(None),
            text => match Unit::Share.parse_typed(text) {
                Ok(share) if share > 0.0 && share <= most => Ok(Some(share)),
                Ok(share) => Err(format!(
                    "{what}: expected a share above 0 % and at most {}, found {}",
                    Unit::Share.format(most),
                    Unit::Share.format(share)
                )),
                Err(error) => Err(format!("{what}: {error}")),
            },
        };
        let typed = if self.constraints.is_empty() { "" } else { &self.share };
        Ok(RequiredLikelihood {
            share: share(typed, 1.0, "likelihood")?,
            spread_all: share(&self.spread_all, 0.99, "other numbers")?,
        })
    }
}

/// A range whose ends are in order.
fn ascending(mut range: Range) -> Range {
    range.ends.sort_by(f64::total_cmp);
    range
}

/// Draws the form.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    Around { study, figures, offers, shared }: &Around<'_>,
    ranking: Option<&Ranking>,
    commands: &mut Vec<Command>,
) {
    objectives(ui, state, figures);
    ui.add_space(8.0);
    constraints(ui, state, figures);
    ui.add_space(8.0);
    free(ui, state, study, ranking, commands);
    if let Some(shared) = shared.iter().find(|shared| state.free.iter().any(|range| range.path == shared.by)) {
        let mut stays = !state.weak_scaling;
        let hint = format!(
            "The total of {} is constant while {} changes; off: the amount of each is constant (weak scaling)",
            shared.paths.join(", "),
            shared.by
        );
        ui.checkbox(&mut stays, "Strong scaling").on_hover_text(hint);
        state.weak_scaling = !stays;
    }
    ui.add_space(8.0);
    if !offers.is_empty() {
        ui.heading("Hardware choices");
        for offer in *offers {
            let name = &offer.choice.name;
            let mut is_on = state.lists.contains(name);
            let text = format!("{name}: any of {}", offer.choice.entries.len());
            let entries: Vec<&str> = offer.choice.entries.iter().map(|entry| entry.name.as_str()).collect();
            let mut hint = entries.join("\n");
            for sentence in offer.left_out_in_words() {
                hint += "\n";
                hint += &sentence;
            }
            if ui.checkbox(&mut is_on, text).on_hover_text(hint).changed() {
                state.lists.retain(|list| list != name);
                if is_on {
                    state.lists.push(name.clone());
                }
            }
        }
        ui.add_space(8.0);
    }
    required(ui, state);
}

/// The required likelihood.
fn required(ui: &mut Ui, state: &mut State) {
    ui.heading("Likelihood");
    let mut field = |label: &str, hint: &str, about: &str, text: &mut String| {
        ui.horizontal(|ui| {
            ui.label(label).on_hover_text(about);
            let field = TextEdit::singleline(text).hint_text(hint).desired_width(60.0);
            ui.add(field).on_hover_text(about).widget_info(|| WidgetInfo::labeled(Role::TextInput, true, label));
        });
    };
    if !state.constraints.is_empty() {
        let about =
            "Also finds the best candidate that is feasible with at least this likelihood, given the uncertain numbers";
        field("Likely feasible, at least", "90 %", about, &mut state.share);
    }
    let about = "Uncertainty of numbers without a distribution; empty: they are exact";
    field("Assumed uncertainty, ±", "20 %", about, &mut state.spread_all);
}

/// Numbers that are free, and others to choose from.
fn free(ui: &mut Ui, state: &mut State, study: &Study, ranking: Option<&Ranking>, commands: &mut Vec<Command>) {
    ui.heading("Free parameters");
    if state.free.is_empty()
        && let Some(ranking) = ranking
    {
        most_effect(ui, state, study, ranking);
    }
    let mut gone = None;
    for (place, range) in state.free.iter_mut().enumerate() {
        let number = number_at(study.subject(), &range.path).and_then(|(quantity, now)| Some((quantity, now?)));
        ui.horizontal(|ui| {
            let name = format!("remove free parameter {}", range.path);
            if small(ui, &name) {
                gone = Some(place);
            }
            pick::named(ui, study, &range.path);
        });
        let Some((quantity, now)) = number else {
            ui.weak(kept::lacks(&range.path));
            continue;
        };
        ui.weak(format!("now {}", quantity.unit.format(now)));
        pick::range(ui, &range.path.clone(), study, range, commands);
    }
    if let Some(place) = gone {
        state.free.remove(place);
    }
    let header = CollapsingHeader::new("Pick a number…").id_salt("free numbers").default_open(state.free.is_empty());
    header.show(ui, |ui| {
        if let Some(number) = pick::number(ui, study, &mut state.filter, None, ranking)
            && state.free.iter().all(|range| range.path != number.path)
        {
            state.free.push(around(number.path, number.quantity, number.value));
        }
    });
}

/// The numbers that the first objective depends on most, to begin with.
fn most_effect(ui: &mut Ui, state: &mut State, study: &Study, ranking: &Ranking) {
    let Some(objective) = state.objectives.first() else { return };
    let most = ranking.of_figure(&objective.key).iter().take(MOST_OFFERED);
    let most = most.filter_map(|path| {
        let (quantity, value) = number_at(study.subject(), path)?;
        Some((path, quantity, value?))
    });
    let mut most = most.peekable();
    if most.peek().is_none() {
        return;
    }
    ui.weak("The first objective depends most on:");
    for (path, quantity, value) in most {
        let button = Button::new(pick::title(quantity, path)).truncate();
        if ui.add(button).on_hover_text(format!("Makes {path} a free parameter")).clicked() {
            state.free.push(around(path.clone(), quantity, value));
        }
    }
}

/// A free parameter with the range around its value.
fn around(path: String, quantity: &Quantity, value: f64) -> Range {
    let (ends, is_logarithmic) = nearby(quantity, value);
    // As close to each other however far the ends are apart.
    let decades = if is_logarithmic { (ends[1] / ends[0]).log(NEARBY * NEARBY).ceil().max(1.0) } else { 1.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 … 10,000")]
    let points = POINTS * decades.min((MOST_POINTS / POINTS) as f64) as usize;
    Range { path, ends, points, is_logarithmic }
}

/// From a quarter to four times the value, which can be bought; of counts from one, as one machine may be enough.
fn nearby(quantity: &Quantity, value: f64) -> ([f64; 2], bool) {
    if value > 0.0 {
        let least = if quantity.whole { 1.0 } else { value / NEARBY };
        let ends = [least.max(quantity.min), (value * NEARBY).min(quantity.max)];
        let ends = if quantity.whole { ends.map(f64::floor) } else { ends };
        if ends[0] < ends[1] {
            return (ends, quantity.is_wide());
        }
    }
    pick::around(quantity, value)
}

/// The constraints.
fn constraints(ui: &mut Ui, state: &mut State, figures: &[FigureValue]) {
    ui.heading("Constraints");
    let mut gone = None;
    for (place, constraint) in state.constraints.iter_mut().enumerate() {
        ui.push_id(("constraint", place), |ui| {
            ui.horizontal(|ui| {
                if small(ui, &format!("remove constraint {}", place + 1)) {
                    gone = Some(place);
                }
                figure(ui, &format!("figure of constraint {}", place + 1), figures, &mut constraint.key);
            });
            ui.horizontal(|ui| {
                ui.add_space(24.0);
                for (side, text) in [(Bound::AtMost, "at most"), (Bound::AtLeast, "at least")] {
                    ui.selectable_value(&mut constraint.side, side, text);
                }
                let unit =
                    figures.iter().find(|one| one.key() == constraint.key).map_or("", |one| one.figure.unit.symbol());
                let field = TextEdit::singleline(&mut constraint.value).hint_text(unit).desired_width(90.0);
                let name = format!("constraint {}", place + 1);
                ui.add(field).widget_info(|| WidgetInfo::labeled(Role::TextInput, true, &name));
            });
        });
    }
    if let Some(place) = gone {
        state.constraints.remove(place);
    }
    if ui.button("Add constraint").clicked() {
        let time =
            figures.iter().find(|one| one.figure.unit == crossover_quantity::unit::Unit::Seconds).or(figures.first());
        if let Some(one) = time {
            state.constraints.push(Entered { key: one.key(), side: Bound::AtMost, value: String::new() });
        }
    }
}

/// The objectives.
fn objectives(ui: &mut Ui, state: &mut State, figures: &[FigureValue]) {
    ui.heading("Objectives");
    let mut gone = None;
    let is_alone = state.objectives.len() == 1;
    for (place, objective) in state.objectives.iter_mut().enumerate() {
        ui.push_id(("objective", place), |ui| {
            ui.horizontal(|ui| {
                if !is_alone && small(ui, &format!("remove objective {}", place + 1)) {
                    gone = Some(place);
                }
                ui.selectable_value(&mut objective.is_minimised, true, "minimise");
                ui.selectable_value(&mut objective.is_minimised, false, "maximise");
                figure(ui, &format!("objective {}", place + 1), figures, &mut objective.key);
            });
        });
    }
    if let Some(place) = gone {
        state.objectives.remove(place);
    }
    if ui.button("Add objective").on_hover_text("Lists the Pareto front of all objectives").clicked() {
        let is_new = |one: &&FigureValue| state.objectives.iter().all(|objective| objective.key != one.key());
        let next = figures.iter().filter(is_new).find_map(Objective::usual);
        state.objectives.extend(next);
    }
}

/// A list to choose a figure from.
fn figure(ui: &mut Ui, name: &str, figures: &[FigureValue], key: &mut String) {
    let label = figures.iter().find(|one| one.key() == *key).map_or_else(|| key.clone(), FigureValue::label);
    let combo = ComboBox::from_id_salt(name).selected_text(label).width(ui.available_width() - 8.0).truncate();
    let combo = combo.show_ui(ui, |ui| {
        for one in figures {
            if ui.selectable_label(one.key() == *key, one.label()).on_hover_text(one.figure.meaning).clicked() {
                *key = one.key();
            }
        }
    });
    combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, name));
}

/// A button that removes a line; whether it was pressed.
fn small(ui: &mut Ui, name: &str) -> bool {
    let button = ui.small_button("×").on_hover_text("Remove");
    button.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    button.clicked()
}

/// The same search on the command line.
pub(super) fn command_line(state: &State, search: &Search, required: RequiredLikelihood) -> String {
    let mut line = "crossover search FILE".to_owned();
    if state.weak_scaling {
        line += " --weak-scaling";
    }
    for range in &search.free {
        line += &format!(" --free {}", quoted(&written(range, POINTS)));
    }
    for choice in &search.choices {
        line += &format!(" --choose {}", quoted(&choice.name));
    }
    for Constraint { key, side, value } in &search.constraints {
        let sign = match side {
            Bound::AtMost => "<=",
            Bound::AtLeast => ">=",
        };
        line += &format!(" --constraint {}", quoted(&format!("{key}{sign}{value}")));
    }
    for Objective { key, is_minimised } in &search.objectives {
        line += &format!(" --{} {}", if *is_minimised { "minimise" } else { "maximise" }, quoted(key));
    }
    for (option, share) in [("--likelihood", required.share), ("--spread-all", required.spread_all)] {
        if let Some(share) = share {
            line += &format!(" {option} {}", quoted(&Unit::Share.format(share)));
        }
    }
    if search.budget != BUDGET {
        line += &format!(" --budget {}", search.budget);
    }
    line
}
