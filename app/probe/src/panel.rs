//! Runs the probe at the selected centre or at several: settings, progress, and the latest results.

use crossover_chart::theme::Token;
use crossover_page::command::Command;
use crossover_page::widgets::warning;
use crossover_probe::{Probe, Runs};
use crossover_quantity::text::one_line;
use crossover_quantity::unit::elapsed;
use egui::{Button, DragValue, ProgressBar, RichText, Role, TextEdit, Ui, WidgetInfo};

use super::Env;
use super::centres::{CentreAddress, GPU_BENCH};
use super::request::Request;
use super::requested::RequestedRuns;
use super::running::{CentreRow, Running};
use super::several;
use super::subject::THIS_MACHINE;
use super::transport::address::TransportKind;

/// Most runs with each number of units.
const MOST_REPEATS: u32 = 1_000;

/// The entered settings.
pub(super) struct State {
    units: String,
    repeats: u32,
    is_slurm: bool,
    partition: String,
    several: several::State,
}

impl State {
    /// Default settings: the compared units.
    pub(super) fn new(study: &Probe) -> Self {
        let several = several::State::default();
        Self { units: study.target.units.to_string(), repeats: 5, is_slurm: false, partition: String::new(), several }
    }

    /// Shows what each centre of the list would get.
    pub(super) fn show_sent(&mut self, sent: String) {
        self.several.show_sent(sent);
    }

    /// Runs at a centre: through Slurm, or on this machine.
    fn requested(&self, name: &str, kind: TransportKind) -> Result<RequestedRuns, String> {
        let address = kind.address(&self.partition)?;
        Ok(RequestedRuns {
            centres: vec![CentreAddress { name: Some(name.to_owned()), address, answer_within: None }],
            units: numbers(&self.units)?,
            repeats: self.repeats,
            remote_program: GPU_BENCH.to_owned(),
            image: GPU_BENCH.to_owned(),
        })
    }
}

/// Draws the row, and the progress below it.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    running: Option<&Running>,
    (study, picked): (&Probe, usize),
    env: &mut Env<'_>,
) {
    let picked = study.centres.get(picked).or(study.centres.first());
    // Runs of this machine are those of no other centre.
    let through_slurm = picked.filter(|_| state.is_slurm);
    let name = through_slurm.map_or(THIS_MACHINE, |centre| centre.name.as_str()).to_owned();
    let active = running.filter(|running| running.is_running());
    ui.horizontal_wrapped(|ui| {
        ui.strong(format!("Probe {name}"));
        ui.label("on");
        let units = ui.add(TextEdit::singleline(&mut state.units).desired_width(70.0));
        units.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "units to probe"));
        units.on_hover_text("Numbers of units, for example 1, 2, 4; a scaling fit needs at least three");
        ui.label("units,");
        let repeats = ui.add(DragValue::new(&mut state.repeats).range(1..=MOST_REPEATS).suffix(" ×"));
        repeats.widget_info(|| WidgetInfo::labeled(Role::SpinButton, true, "repeats"));
        repeats.on_hover_text("Runs with each number of units; an interval needs at least two");
        for (is_slurm, text, hint) in [
            (false, "on this machine", "Processes of this program, one after another; their centre is “this machine”"),
            (true, "through Slurm", "Slurm jobs of the selected centre, submitted by sbatch on this machine"),
        ] {
            let is_chosen = through_slurm.is_some() == is_slurm;
            // Slurm needs a centre that its jobs are of.
            let label = ui.add_enabled(!is_slurm || picked.is_some(), Button::selectable(is_chosen, text));
            if label.on_hover_text(hint).on_disabled_hover_text("Add a centre first").clicked() {
                state.is_slurm = is_slurm;
            }
        }
        if through_slurm.is_some() {
            let partition = TextEdit::singleline(&mut state.partition).desired_width(80.0).hint_text("partition");
            ui.add(partition).widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "partition"));
        }
        let kind = if through_slurm.is_some() { TransportKind::Slurm } else { TransportKind::Local };
        let requested = state.requested(&name, kind);
        let run = ui.add_enabled(active.is_none() && requested.is_ok(), Button::new("Run"));
        let why = requested.as_ref().err().map_or("Probes are already running", String::as_str);
        if run.on_disabled_hover_text(why).clicked()
            && let Ok(requested) = requested
        {
            env.commands.push(Command::ask(Request::Run(requested)));
        }
        let text =
            "Adds runs of this centre from a file of gpu-bench, ReFrame, OSU, MLPerf or hyperfine, or from a CSV";
        if ui.button("Read results…").on_hover_text(text).clicked() {
            env.commands.push(Command::ask(Request::Read(picked.map(|centre| centre.name.clone()))));
        }
    });
    let is_running = active.is_some();
    let each = several::EachCentre { units: numbers(&state.units), repeats: state.repeats, is_running };
    several::show(ui, &mut state.several, study, &each, env);
    if let Some(running) = running {
        progress(ui, running, env);
    } else if let Some(centre) = picked.filter(|centre| centre.units.iter().all(|of| of.runs == Runs::default())) {
        ui.weak(format!("{} has not run the probe yet. Choose Run, or Read results….", centre.name));
    } else if picked.is_none() {
        ui.weak("No centre yet. Run makes this machine one; Read results… adds the centres of a file.");
    }
    ui.add_space(6.0);
}

fn progress(ui: &mut Ui, running: &Running, env: &mut Env<'_>) {
    if running.is_at_work() {
        ui.horizontal_wrapped(|ui| {
            ui.weak(elapsed(running.elapsed().as_secs_f64().round()));
            if running.is_cancelled() {
                ui.weak("cancelling …");
            } else if ui.button("Cancel").on_hover_text("Finished runs stay").clicked() {
                env.commands.push(Command::ask(Request::Cancel));
            }
        });
        ui.ctx().request_repaint_after(std::time::Duration::from_millis(500));
    }
    for row in running.rows() {
        centre(ui, &row, running.total);
    }
    for text in running.messages() {
        let message = RichText::new(one_line(&text)).small();
        if text.contains("does not count") {
            warning::show(ui, message);
        } else {
            ui.label(message.color(Token::TextWeak.color(ui.visuals().dark_mode)));
        }
    }
}

/// A line for a centre: its runs and its state, or how it ended.
fn centre(ui: &mut Ui, row: &CentreRow, total: u32) {
    let name = one_line(&row.name);
    match &row.end {
        Some(Ok(end)) => drop(ui.weak(format!("{name}: {end}"))),
        Some(Err(why)) => drop(warning::show(ui, one_line(&format!("{name}: {why}")))),
        None => drop(ui.horizontal_wrapped(|ui| {
            let share = row.progress.done as f32 / total.max(1) as f32;
            let runs = row.progress.runs(Some(total));
            ui.add(ProgressBar::new(share).desired_width(220.0).text(runs));
            ui.label(one_line(&format!("{}: {}", row.called, row.progress.state)));
        })),
    }
}

/// The numbers of a list such as "1, 2, 4".
fn numbers(text: &str) -> Result<Vec<u32>, String> {
    let numbers: Vec<u32> = text
        .split([',', ' ', ';'])
        .filter(|part| !part.is_empty())
        .map(|part| {
            part.parse().ok().filter(|units| *units > 0).ok_or_else(|| format!("“{part}” is not a number of units"))
        })
        .collect::<Result<_, _>>()?;
    if numbers.is_empty() { Err("Enter numbers of units, for example 1, 2, 4".to_owned()) } else { Ok(numbers) }
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn a_list_of_units_is_read_or_refused_with_what_is_wrong() {
        assert_eq!(numbers("1, 2,4 8"), Ok(vec![1, 2, 4, 8]));
        assert_eq!(numbers("1, two"), Err("“two” is not a number of units".to_owned()));
        assert!(numbers("0").is_err() && numbers(" , ").is_err() && numbers("-1").is_err());
    }
}
