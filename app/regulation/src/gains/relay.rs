//! "Ziegler–Nichols by relay experiment": a relay makes one cluster oscillate; the oscillation gives gains.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{LineChart, Series};
use crossover_chart::screen;
use crossover_chart::theme::Token;
use crossover_page::compute::background::Background;
use crossover_page::export_menu;
use crossover_page::page::Env;
use crossover_page::widgets::warning;
use crossover_quantity::unit::Unit;
use crossover_regulation::tuning::relay::{Experiment, NoOscillation, Oscillation, experiment_watched};
use crossover_regulation::{Form, Regulation, Simulation};
use egui::{ComboBox, DragValue, Grid, RichText, Ui};

use super::reduced::{Part, Reduced};
use super::{Proposal, rounded, watched};

/// Title of the section.
const TITLE: &str = "Ziegler–Nichols by relay experiment";
/// The question of the chart.
const QUESTION: &str = "How does the loop oscillate?";
/// Height of the chart, in points.
const CHART_HEIGHT: f32 = 150.0;

/// The inputs of an experiment.
#[derive(Debug, Clone, PartialEq)]
struct Key {
    /// Without controllers: the relay replaces one.
    study: Part,
    cluster: Option<usize>,
    output: Option<f64>,
}

/// Inputs, computation and result.
#[derive(Debug)]
pub(super) struct State {
    /// Cluster whose controller the relay replaces; none: the one with the largest error.
    cluster: Option<usize>,
    /// Output of the relay; none: the smallest that causes an action.
    output: Option<f64>,
    worker: Background<Key, (Key, Experiment)>,
    found: Option<(Key, Experiment)>,
    problem: Option<String>,
    chart: Option<LineChart>,
}

impl Default for State {
    fn default() -> Self {
        let worker = Background::new("relay experiment", |key: Key, ticket| {
            let simulation = Simulation::new(&key.study);
            let total = simulation.periods();
            let found =
                watched(ticket, total, |watch| experiment_watched(&simulation, key.cluster, key.output, watch))?;
            Some((key, found))
        });
        Self { cluster: None, output: None, worker, found: None, problem: None, chart: None }
    }
}

impl State {
    /// The chart on the screen.
    pub(super) fn chart(&self) -> Option<&LineChart> {
        self.chart.as_ref()
    }

    pub(super) fn is_busy(&self) -> bool {
        self.worker.is_busy()
    }

    /// The gains for the form that the controller has, if they belong to this study.
    pub(super) fn proposal(&self, study: &Regulation, reduced: &Reduced) -> Option<Proposal> {
        let (key, found) = self.found.as_ref()?;
        let form = study.controllers.get(reduced.index)?.form;
        let gains = found.oscillation.as_ref().ok()?.gains(form)?;
        (*key == self.key(reduced)).then_some(Proposal { name: "Ziegler–Nichols", form, gains })
    }

    fn key(&self, reduced: &Reduced) -> Key {
        Key { study: reduced.relay.clone(), cluster: self.cluster, output: self.output }
    }
}

/// Draws the section; `number` is that of its chart among those of the page.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    study: &mut Regulation,
    reduced: &Reduced,
    number: usize,
    env: &mut Env<'_>,
) {
    ui.heading(TITLE);
    if state.cluster.is_some_and(|cluster| cluster >= study.clusters.len()) {
        state.cluster = None;
    }
    choices(ui, state, study);
    let key = state.key(reduced);
    match state.worker.poll() {
        Some((_, Ok(found))) => state.found = Some(found),
        Some((_, Err(problem))) => state.problem = Some(problem),
        None => {}
    }
    ui.horizontal(|ui| {
        ui.set_min_height(20.0);
        if ui.add_enabled(!state.worker.is_busy(), egui::Button::new("Run the experiment")).clicked() {
            state.problem = None;
            state.worker.submit(ui.ctx(), key.clone());
        }
        state.worker.show_progress(ui, "relay experiment");
    });
    let dark = ui.visuals().dark_mode;
    if let Some(problem) = &state.problem {
        ui.colored_label(Token::Error.color(dark), problem);
    }
    state.chart = None;
    let Some((of, found)) = &state.found else {
        ui.label(
            RichText::new(
                "A relay replaces the controller of one cluster until the loop oscillates. The oscillation gives the \
                 ultimate gain Ku and the ultimate period Tu. The Ziegler–Nichols rules derive the gains from them.",
            )
            .weak(),
        );
        return;
    };
    if *of != key {
        warning::show(ui, "The study has changed. Run the experiment again.");
    }
    match &found.oscillation {
        Ok(oscillation) => {
            let chart = chart(&of.study, found, oscillation);
            ui.horizontal(|ui| {
                ui.label(RichText::new(QUESTION).strong());
                export_menu::show(ui, env, number, false);
            });
            screen::lines(ui, "relay", &chart, None, CHART_HEIGHT);
            ui.label(&chart.answer);
            table(ui, oscillation, study, reduced.index);
            ui.label(
                RichText::new(format!(
                    "The control table has discrete rows, so the loop is not linear: this Ku is valid for a relay output \
                     of ±{} only. Use the gains as a starting point and check them on the map.",
                    Unit::Ratio.format(found.relay.output)
                ))
                .weak(),
            );
            state.chart = Some(chart);
        }
        Err(reason) => {
            warning::show(ui, format!("No gains: {reason}."));
            ui.label(remedy(reason));
        }
    }
}

fn choices(ui: &mut Ui, state: &mut State, study: &Regulation) {
    ui.horizontal_wrapped(|ui| {
        ui.label("cluster");
        let name = |cluster: Option<usize>| match cluster {
            Some(cluster) => study.clusters[cluster].name.clone(),
            None => "largest error".to_owned(),
        };
        let combo = ComboBox::from_id_salt("relay cluster").selected_text(name(state.cluster)).show_ui(ui, |ui| {
            for cluster in std::iter::once(None).chain((0..study.clusters.len()).map(Some)) {
                ui.selectable_value(&mut state.cluster, cluster, name(cluster));
            }
        });
        combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "cluster of the relay"));
        let default = crossover_regulation::tuning::relay::default_output(&study.table);
        let mut output = state.output.unwrap_or(default);
        ui.label("output ±").on_hover_text("Output of the relay: + above an error of zero, − below it");
        let drag = ui.add(DragValue::new(&mut output).range(0.0..=1000.0).speed(0.01).max_decimals(4));
        drag.widget_info(|| {
            let mut info = egui::WidgetInfo::new(egui::Role::SpinButton);
            info.label = Some("output of the relay".to_owned());
            info.value = Some(output);
            info
        });
        if drag.changed() {
            state.output = Some(output).filter(|output| (output - default).abs() > 1e-9);
        }
    });
}

/// Gains by form, each with a button that uses them.
fn table(ui: &mut Ui, oscillation: &Oscillation, study: &mut Regulation, index: usize) {
    Grid::new("relay gains").num_columns(5).spacing([14.0, 4.0]).show(ui, |ui| {
        for title in ["", "Kp", "Ki", "Kd"] {
            ui.label(RichText::new(title).weak());
        }
        ui.end_row();
        for (form, gains) in &oscillation.gains {
            let name = name(*form);
            ui.label(name);
            let rest =
                [Some(gains.kp), form.has_integral().then_some(gains.ki), form.has_derivative().then_some(gains.kd)];
            for gain in rest {
                ui.label(gain.map_or_else(|| "–".to_owned(), |gain| Unit::Ratio.format(rounded(gain))));
            }
            let mut used = *gains;
            for gain in [&mut used.kp, &mut used.ki, &mut used.kd] {
                *gain = rounded(*gain);
            }
            let problem = used.problem();
            let button = ui.add_enabled(problem.is_none(), egui::Button::new("Use"));
            button.widget_info(|| {
                let name = format!("Use Ziegler–Nichols {name}");
                egui::WidgetInfo::labeled(egui::Role::Button, problem.is_none(), name)
            });
            let explanation = "Sets the form and the gains of the controller";
            let button = button.on_hover_text(explanation).on_disabled_hover_text(problem.unwrap_or_default());
            if button.clicked() {
                study.set_gains(index, *form, used);
            }
            ui.end_row();
        }
    });
}

fn name(form: Form) -> &'static str {
    match form {
        Form::P => "P",
        Form::PI => "PI",
        Form::PD => "PD",
        Form::PID => "PID",
    }
}

/// The measured cycles; `study` is the one of the experiment, which may have had other clusters than the present one.
fn chart(study: &Regulation, found: &Experiment, oscillation: &Oscillation) -> LineChart {
    let points: Vec<[f64; 2]> =
        found.steps.iter().skip(oscillation.from_period).map(|step| [step.seconds, step.error]).collect();
    let from = points.first().map_or(0.0, |point| point[0]);
    let until = from + oscillation.cycles as f64 * oscillation.period_seconds;
    let points: Vec<[f64; 2]> = points.into_iter().take_while(|[seconds, _]| *seconds <= until).collect();
    let errors = || points.iter().map(|[_, error]| *error);
    let (low, high) = errors().fold((0.0_f64, 0.0_f64), |(low, high), error| (low.min(error), high.max(error)));
    let name = &study.clusters[found.relay.cluster].name;
    let ratio = |value: f64| Unit::Ratio.format(value);
    LineChart {
        subtitle: format!("cluster {name} under a relay of ±{}", ratio(found.relay.output)),
        answer: format!(
            "Cluster {name} oscillates by ±{} every {}: Ku {}, Tu {}, from {} cycles.",
            ratio(rounded(oscillation.amplitude)),
            Unit::Seconds.format(oscillation.period_seconds),
            ratio(rounded(oscillation.ultimate_gain)),
            Unit::Seconds.format(oscillation.period_seconds),
            oscillation.cycles
        ),
        series: vec![Series::line("error e", Token::Accent, points)],
        ..LineChart::new(
            QUESTION,
            Axis {
                label: "seconds".to_owned(),
                format: Unit::Ratio.formatter(),
                scale: Scale::Linear,
                range: [from, until],
                step_unit: 1.0,
            },
            Axis {
                label: "error e = p_p − p_d".to_owned(),
                format: Unit::Ratio.formatter(),
                scale: Scale::Linear,
                range: [low * 1.1, high * 1.1],
                step_unit: 1.0,
            },
        )
    }
}

/// What to do if the loop does not oscillate.
fn remedy(reason: &NoOscillation) -> &'static str {
    match reason {
        NoOscillation::NoCluster { .. } => "Choose another cluster.",
        NoOscillation::InDeadZone { .. } => "Enter a larger relay output.",
        NoOscillation::DemandChanges => "Choose constant demand, or a step early in the run.",
        NoOscillation::AlwaysBalanced { .. } => "Choose a cluster whose transfer and compute are out of balance.",
        NoOscillation::AtLimits { .. } => {
            "Widen the limits of its vGPUs or frequency, give the cloud manager spare vGPUs, or choose another cluster."
        }
        NoOscillation::TooShort { .. } => "Raise the number of periods in section Run.",
        NoOscillation::Irregular { .. } => "Lower the noise in section Measurement, or enter a larger relay output.",
    }
}
