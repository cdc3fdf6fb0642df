//! The page of training: measured runs, target, learning curve during training, and prediction errors.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossover_chart::lines::LineChart;
use crossover_chart::theme::Token;
use crossover_chart::{Chart, screen};
use crossover_page::cache::Cache;
use crossover_page::command::{Command, Tool};
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_page::export_menu;
use crossover_page::services::name_of;
use crossover_page::storage::kept;
use crossover_page::tool::{PageContext, ToolPage};
use crossover_page::widgets::cell::right;
use crossover_page::widgets::copied::copy;
use crossover_page::widgets::empty::{Sample, SamplePicture};
use crossover_page::widgets::{drawer, focus};
use crossover_predict::train::{Dataset, Epoch, Errors, FeatureSet, Loss, Model, Options, Target, TrainError, train};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_study::Watch;
use egui::{CentralPanel, ComboBox, DragValue, Grid, RichText, ScrollArea, Ui};

use super::kept::{KeptTraining, TrainingSettings};
use super::sample::SampleRuns;
use super::{MeasuredRuns, Request, TOOL, chart, sample};

/// The header of a file of runs, and an example row.
const EXAMPLE: &str = "device,batch,conv2d,relu,matmul,compute_percent,memory_percent,seconds\n\
                       T4,32,4800,1000,4200,63.5,41,812\n";
/// Time between two drawings of the learning curve during training.
const FRAME: Duration = Duration::from_millis(200);

/// Labels of the targets.
const TARGETS: [(Target, &str); 3] =
    [(Target::Compute, "GPU utilisation"), (Target::Memory, "GPU memory"), (Target::Time, "run time")];

/// The inputs of a training, and its learning curve so far.
#[derive(Debug, Clone)]
struct Training {
    runs: PathBuf,
    opened: u64,
    target: Target,
    loss: Loss,
    seed: u64,
    curve: Arc<Mutex<Vec<Epoch>>>,
}

/// A trained network.
#[derive(Debug, Clone)]
struct Trained {
    model: Arc<Model>,
    notes: Vec<String>,
}

impl Work for Training {
    type Outcome = Result<Trained, String>;
    const NAME: &'static str = "training";
    const AGAIN: &'static str = "Train";

    fn milliseconds(&self) -> f64 {
        // Reading files and training never fit in a frame.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        format!("Training on {}", self.runs.display())
    }

    fn compute(&self, _: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let data = match Dataset::read(&self.runs, self.target, FeatureSet::BeforeTheRun) {
            Ok(data) => data,
            Err(error) => return Some(Err(error.to_string())),
        };
        let options = Options { loss: self.loss, seed: self.seed, ..Options::default() };
        let mut record = |epoch: Epoch| {
            if let Ok(mut curve) = self.curve.lock() {
                curve.push(epoch);
            }
        };
        let learn = |watch: Watch<'_>| Some(train(&data, &options, watch, &mut record));
        match watched(ticket, options.most_epochs, learn)? {
            Ok(model) => Some(Ok(Trained { model: Arc::new(model), notes: data.notes.clone() })),
            Err(TrainError::Cancelled) => None,
            Err(error) => Some(Err(error.to_string())),
        }
    }
}

/// The page.
#[derive(Debug)]
pub(super) struct Page {
    settings: TrainingSettings,
    trained: Computed<Training>,
    /// The learning curve of the newest training.
    curve: Arc<Mutex<Vec<Epoch>>>,
    /// The chart on the screen.
    drawn: Option<LineChart>,
    /// The picture of the page without runs.
    sample: SamplePicture,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            settings: TrainingSettings::default(),
            trained: Computed::new(),
            curve: Arc::default(),
            drawn: None,
            sample: SamplePicture::new(sample::picture),
        }
    }
}

impl ToolPage for Page {
    fn tool(&self) -> Tool {
        TOOL
    }

    fn status(&self) -> String {
        match self.trained.shown().map(AsRef::as_ref) {
            _ if self.trained.is_busy() => "training".to_owned(),
            Some(Ok(trained)) => {
                format!("trained on {}", counted(trained.model.card().rows.training as f64, "run"))
            }
            Some(Err(_)) => "the runs cannot be used for training".to_owned(),
            None => "no runs opened".to_owned(),
        }
    }

    fn waits_for(&self) -> Option<&'static str> {
        (self.trained.is_busy() || self.sample.is_busy()).then_some(Training::NAME)
    }

    fn is_at_work(&self) -> bool {
        self.trained.is_busy()
    }

    fn cancel_prompt(&self) -> [&'static str; 4] {
        ["Cancel the training?", "Closing discards the predictor.", "Cancel and close", "Keep training"]
    }

    fn charts(&self) -> Vec<Chart> {
        self.drawn.iter().cloned().map(Chart::Lines).collect()
    }

    fn kept(&self, cache: &Cache) -> Option<String> {
        let runs = cache.get::<MeasuredRuns>().and_then(|measured| measured.runs.as_ref());
        let is_sample = |runs: &Path| cache.get::<SampleRuns>().is_some_and(|sample| sample.runs() == runs);
        let runs = runs.map(|(runs, _)| runs.as_path()).filter(|runs| !is_sample(runs));
        kept::write(&KeptTraining::new(runs, self.settings))
    }

    fn restore(&mut self, kept: &str, cache: &mut Cache) -> Result<(), String> {
        let KeptTraining { runs, settings } = kept::read(kept)?;
        // What the user has opened meanwhile stays.
        if cache.get::<MeasuredRuns>().is_none_or(|measured| measured.runs.is_none()) {
            cache.put(MeasuredRuns { runs: runs.map(|runs| (runs, 0)) });
        }
        self.settings = settings;
        Ok(())
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut PageContext<'_>) {
        self.drawn = None;
        let Some((runs, opened)) = context.cache.get::<MeasuredRuns>().and_then(|measured| measured.runs.clone())
        else {
            CentralPanel::default_margins().show(ui, |ui| {
                ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                    focus::follow(ui);
                    first_visit(ui, &mut self.sample, context.commands);
                });
            });
            return;
        };
        self.sample.forget();
        drawer::left(ui, Training::NAME, ["Runs and network", "runs and network"], true, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.choose(ui, &runs, context);
            });
        });
        let TrainingSettings { target, loss, seed } = self.settings;
        let is_same = |training: &Training| {
            training.runs == runs
                && training.opened == opened
                && (training.target, training.loss, training.seed) == (target, loss, seed)
        };
        let newest = &mut self.curve;
        self.trained.refresh(ui.ctx(), is_same, || {
            *newest = Arc::default();
            Training { runs: runs.clone(), opened, target, loss, seed, curve: Arc::clone(newest) }
        });
        if self.trained.is_busy() {
            ui.ctx().request_repaint_after(FRAME);
        }
        CentralPanel::default_margins().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.answer(ui, context);
            });
        });
    }
}

impl Page {
    /// Measured runs, target and training options.
    fn choose(&mut self, ui: &mut Ui, runs: &Path, context: &mut PageContext<'_>) {
        ui.heading("Measured runs");
        ui.label(name_of(runs)).on_hover_text(runs.display().to_string());
        ui.horizontal_wrapped(|ui| {
            if ui.button("Open…").on_hover_text(crossover_page::ask::Ask::tooltip(&Request::PickRuns)).clicked() {
                context.commands.push(Command::ask(Request::PickRuns));
            }
            if ui.button("Read again").clicked() {
                context.commands.push(Command::ask(Request::UseRuns(runs.to_path_buf())));
            }
        });
        ui.add_space(8.0);
        ui.heading("Target");
        for (target, text) in TARGETS {
            ui.radio_value(&mut self.settings.target, target, text)
                .on_hover_text(format!("Column {}", target.column()));
        }
        ui.add_space(8.0);
        ui.heading("Loss and seed");
        let named = |loss: Loss| match loss {
            Loss::Squared => "mean squared error",
            Loss::Absolute => "mean absolute error",
        };
        let combo = ComboBox::from_id_salt("loss").selected_text(named(self.settings.loss)).show_ui(ui, |ui| {
            for loss in [Loss::Squared, Loss::Absolute] {
                ui.selectable_value(&mut self.settings.loss, loss, named(loss));
            }
        });
        combo.response.on_hover_text("The loss that training minimises");
        ui.horizontal(|ui| {
            let label = ui.label("seed").on_hover_text("Seed of the split of the runs and of the initial weights");
            ui.add(DragValue::new(&mut self.settings.seed).range(0..=1_000_000)).labelled_by(label.id);
        });
    }

    /// The learning curve and the prediction errors.
    fn answer(&mut self, ui: &mut Ui, context: &mut PageContext<'_>) {
        self.trained.state(ui);
        let shown = self.trained.shown().cloned();
        if let Some(Err(problem)) = shown.as_deref() {
            ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
            return;
        }
        let curve = self.curve.lock().map(|curve| curve.clone()).unwrap_or_default();
        if curve.len() > 1 {
            let chart = chart::learning(&curve);
            ui.horizontal_wrapped(|ui| {
                ui.heading(&chart.title);
                export_menu::of_tool(ui, context.commands, [chart.captions()]);
            });
            screen::legend(ui, &chart);
            screen::lines(ui, "learning", &chart, None, 260.0);
            ui.label(&chart.answer);
            self.drawn = Some(chart);
        }
        let Some(Ok(Trained { model, notes })) = shown.as_deref() else { return };
        ui.add_space(8.0);
        ui.heading("How accurate is the predictor?");
        ui.label(sentence(model));
        errors(ui, model);
        ui.add_space(4.0);
        let save = Request::Save(Arc::clone(model));
        if ui.button("Save the predictor…").on_hover_text(crossover_page::ask::Ask::tooltip(&save)).clicked() {
            context.commands.push(Command::ask(save));
        }
        for note in notes {
            ui.weak(format!("Note: {note}."));
        }
    }
}

/// What to do without measured runs.
fn first_visit(ui: &mut Ui, sample: &mut SamplePicture, commands: &mut Vec<Command>) {
    ui.heading("What does a task need of a GPU?");
    ui.label(
        "Measured runs train a predictor of GPU utilisation, memory or time of a deep-learning task before the task \
         runs. Its errors on a test set are shown beside those of the mean and of ridge regression.",
    );
    ui.add_space(8.0);
    if ui.button("Open measured runs…").clicked() {
        commands.push(Command::ask(Request::PickRuns));
    }
    ui.add_space(8.0);
    let open = [Command::ask(Request::UseSample)];
    Sample { page: TOOL.title, name: sample::NAME, open: &open }.show(ui, sample, commands);
    ui.add_space(12.0);
    ui.label("A file of runs is a CSV. The column “device” is optional; one of the three measured columns is enough:");
    ui.label(RichText::new(EXAMPLE.trim_end()).monospace());
    if ui.button("Copy these lines").clicked() {
        copy(ui, commands, EXAMPLE.to_owned(), "the example of a file of runs");
    }
    ui.add_space(4.0);
    ui.label("“crossover predict FILE” prints these features for a network from ONNX, torchinfo or Keras.");
}

/// "RMSE on 600 test runs: network 2.1 %, ridge regression 6.8 %, mean 17 %."
fn sentence(model: &Model) -> String {
    let card = model.card();
    let number = |value: f64| format!("{} {}", Unit::Ratio.format(value), card.unit);
    let verdict = if card.errors.network.rmse < card.errors.mean.rmse.min(card.errors.ridge.rmse) {
        ""
    } else {
        " A simpler predictor is at least as accurate: do not use this one."
    };
    format!(
        "RMSE on {} test runs: network {}, ridge regression {}, mean {}.{verdict}",
        card.rows.test,
        number(card.errors.network.rmse),
        number(card.errors.ridge.rmse),
        number(card.errors.mean.rmse),
    )
}

fn errors(ui: &mut Ui, model: &Model) {
    let card = model.card();
    Grid::new("errors").striped(true).spacing([18.0, 4.0]).show(ui, |ui| {
        for (at, title) in ["device", "predictor", "RMSE", "MAE", "MAPE", "runs"].into_iter().enumerate() {
            let title = RichText::new(title).strong();
            drop(if at < 2 { ui.label(title) } else { right(ui, title) });
        }
        ui.end_row();
        let further = card.of_devices.iter().filter(|_| card.devices.len() > 1);
        for compared in std::iter::once(&card.errors).chain(further) {
            let of: [(&str, &Errors); 3] =
                [("network", &compared.network), ("ridge regression", &compared.ridge), ("mean", &compared.mean)];
            for (name, errors) in of {
                ui.label(compared.device.as_deref().unwrap_or("all"));
                ui.label(name);
                right(ui, RichText::new(Unit::Ratio.format(errors.rmse)));
                right(ui, RichText::new(Unit::Ratio.format(errors.mae)));
                let mape = errors.mape_percent.map_or_else(|| "–".to_owned(), |mape| Unit::Share.format(mape / 100.0));
                right(ui, RichText::new(mape));
                right(ui, RichText::new(errors.runs.to_string()));
                ui.end_row();
            }
        }
    });
}
