//! "Run at several centres": a list of centres, each with its transport and its limit, and what each of them gets.

use std::time::Duration;

use crossover_page::command::Command;
use crossover_page::widgets::form::list;
use crossover_probe::Probe;
use crossover_quantity::text::one_line;
use egui::{
    Button, CollapsingHeader, ComboBox, DragValue, Label, Response, RichText, Role, ScrollArea, TextEdit, Ui,
    WidgetInfo,
};

use super::Env;
use super::centres::{CentreAddress, GPU_BENCH};
use super::request::Request;
use super::requested::RequestedRuns;
use super::subject::THIS_MACHINE;
use super::transport::address::TransportKind;

/// Most centres in the list.
const MOST: usize = 100;
/// Longest limit of a centre, minutes: 30 days.
const LONGEST_MINUTES: f64 = 43_200.0;
/// Height of what is sent, in points.
const HEIGHT: f32 = 240.0;

/// The entered list.
#[derive(Debug)]
pub(super) struct State {
    rows: Vec<Row>,
    program: String,
    image: String,
    /// What each centre would get, as the user last requested it.
    sent: Option<String>,
}

/// A centre of the list.
#[derive(Debug, Default)]
struct Row {
    /// Empty for this machine, whose centre has one name.
    name: String,
    kind: TransportKind,
    /// Partition, host or context.
    place: String,
    /// Time limit for all of its runs, waiting in its queue included; 0: none.
    minutes: f64,
}

/// The runs of each centre, as they are entered above the list.
pub(super) struct EachCentre {
    /// Numbers of units, or what is wrong with them.
    pub(super) units: Result<Vec<u32>, String>,
    /// Runs with each number of units.
    pub(super) repeats: u32,
    /// Whether probes are running.
    pub(super) is_running: bool,
}

impl Default for State {
    fn default() -> Self {
        Self { rows: Vec::new(), program: GPU_BENCH.to_owned(), image: GPU_BENCH.to_owned(), sent: None }
    }
}

impl Row {
    fn centre(&self) -> Result<CentreAddress, String> {
        let name = if self.kind == TransportKind::Local { THIS_MACHINE } else { self.name.trim() };
        if name.is_empty() {
            return Err("Name every centre of the list".to_owned());
        }
        let address = self.kind.address(&self.place).map_err(|why| format!("{name}: {why}"))?;
        let answer_within = (self.minutes > 0.0).then(|| Duration::from_secs_f64(60.0 * self.minutes));
        Ok(CentreAddress { name: Some(name.to_owned()), address, answer_within })
    }
}

impl State {
    /// Shows what each centre would get.
    pub(super) fn show_sent(&mut self, sent: String) {
        self.sent = Some(sent);
    }

    /// The runs of the list.
    fn requested(&self, each: &EachCentre) -> Result<RequestedRuns, String> {
        if self.rows.is_empty() {
            return Err("Add a centre to the list first".to_owned());
        }
        let or_default = |text: &str| Some(text.trim()).filter(|text| !text.is_empty()).unwrap_or(GPU_BENCH).to_owned();
        Ok(RequestedRuns {
            centres: self.rows.iter().map(Row::centre).collect::<Result<_, _>>()?,
            units: each.units.clone()?,
            repeats: each.repeats,
            remote_program: or_default(&self.program),
            image: or_default(&self.image),
        })
    }

    /// This machine first, then the centres of the study that the list does not have.
    fn add(&mut self, study: &Probe) {
        if self.rows.iter().all(|row| row.kind != TransportKind::Local) {
            return self.rows.push(Row::default());
        }
        let mut names = study.centres.iter().map(|centre| centre.name.as_str()).filter(|name| *name != THIS_MACHINE);
        let next = names.find(|name| self.rows.iter().all(|row| row.name != *name));
        let name = next.unwrap_or_default().to_owned();
        self.rows.push(Row { name, kind: TransportKind::Slurm, ..Row::default() });
    }
}

/// Draws the list, closed at first.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &Probe, each: &EachCentre, env: &mut Env<'_>) {
    CollapsingHeader::new("Run at several centres").id_salt("several centres").show(ui, |ui| {
        ui.weak("The centres run side by side, each with the units and the number of runs above.");
        let mut gone = None;
        for (index, centre) in state.rows.iter_mut().enumerate() {
            if ui.push_id(("centre", index), |ui| row(ui, centre, index + 1)).inner {
                gone = Some(index);
            }
        }
        if let Some(index) = gone {
            state.rows.remove(index);
        }
        if list::add_button(ui, "Add centre to the list", state.rows.len(), MOST) {
            state.add(study);
        }
        remote(ui, state);
        buttons(ui, state, each, env);
        sent(ui, &mut state.sent);
    });
}

/// A centre of the list; whether it was removed.
fn row(ui: &mut Ui, row: &mut Row, number: usize) -> bool {
    ui.horizontal_wrapped(|ui| {
        let shown = row.kind.label();
        let kind = ComboBox::from_id_salt("transport").selected_text(shown).width(110.0).show_ui(ui, |ui| {
            for kind in TransportKind::ALL {
                ui.selectable_value(&mut row.kind, kind, kind.label());
            }
        });
        kind.response.widget_info(|| {
            let mut info = WidgetInfo::labeled(Role::ComboBox, true, format!("transport of centre {number}"));
            info.current_text_value = Some(shown.to_owned());
            info
        });
        kind.response.on_hover_text("How the centre is reached");
        if row.kind != TransportKind::Local {
            let name = field(ui, &mut row.name, "centre", &format!("name of centre {number}"));
            name.on_hover_text("A centre of this study; over SSH also a new one, whose host lists its units");
        }
        if let Some(place) = row.kind.place() {
            field(ui, &mut row.place, place, &format!("{place} of centre {number}"));
        }
        ui.label("within");
        let minutes = DragValue::new(&mut row.minutes).range(0.0..=LONGEST_MINUTES).speed(0.5).max_decimals(2);
        let minutes = ui.add(minutes.suffix(" min"));
        minutes.widget_info(|| WidgetInfo::labeled(Role::SpinButton, true, format!("limit of centre {number}")));
        minutes.on_hover_text("Time limit for all runs of the centre, waiting in its queue included; 0: none");
        let remove = ui.add(Button::new("Remove").small());
        remove.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("remove centre {number}")));
        remove.clicked()
    })
    .inner
}

/// A text field with a hint and an accessible name.
fn field(ui: &mut Ui, text: &mut String, hint: &str, name: &str) -> Response {
    let field = ui.add(TextEdit::singleline(text).desired_width(120.0).hint_text(hint));
    field.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, name));
    field
}

/// The measuring program at hosts and clusters, and its container image.
fn remote(ui: &mut Ui, state: &mut State) {
    let has = |kind: TransportKind| state.rows.iter().any(|row| row.kind == kind);
    let (has_ssh, has_kubernetes) = (has(TransportKind::Ssh), has(TransportKind::Kubernetes));
    if !has_ssh && !has_kubernetes {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.label("program");
        field(ui, &mut state.program, GPU_BENCH, "program at hosts")
            .on_hover_text("The measuring program at hosts over SSH and in containers of Kubernetes");
        if has_kubernetes {
            ui.label("image");
            field(ui, &mut state.image, GPU_BENCH, "container image")
                .on_hover_text("Container image with the measuring program");
        }
    });
}

fn buttons(ui: &mut Ui, state: &State, each: &EachCentre, env: &mut Env<'_>) {
    let requested = state.requested(each);
    ui.horizontal_wrapped(|ui| {
        let why = requested.as_ref().err().map_or("Probes are already running", String::as_str);
        let run = ui.add_enabled(requested.is_ok() && !each.is_running, Button::new("Run at these centres"));
        let is_run = run.on_disabled_hover_text(why).clicked();
        let show = ui.add_enabled(requested.is_ok(), Button::new("Show what is sent"));
        let text = "Shows the programs, scripts and manifests that each centre would get, and starts nothing";
        let is_shown = show.on_hover_text(text).on_disabled_hover_text(why).clicked();
        if let Err(why) = &requested {
            ui.weak(why);
        }
        let Ok(requested) = requested else { return };
        if is_run {
            env.commands.push(Command::ask(Request::Run(requested)));
        } else if is_shown {
            env.commands.push(Command::ask(Request::ShowSent(requested)));
        }
    });
}

/// What each centre would get, until the user hides it.
fn sent(ui: &mut Ui, sent: &mut Option<String>) {
    let Some(text) = sent else { return };
    ScrollArea::both().id_salt("sent").max_height(HEIGHT).show(ui, |ui| {
        for line in text.lines() {
            ui.add(Label::new(RichText::new(one_line(line)).monospace()).extend());
        }
    });
    if ui.button("Hide what is sent").clicked() {
        *sent = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::address::Address;

    fn each() -> EachCentre {
        EachCentre { units: Ok(vec![1, 2]), repeats: 5, is_running: false }
    }

    #[test]
    fn a_list_is_the_call_with_the_same_centres() {
        let row = |name: &str, kind, place: &str, minutes| Row {
            name: name.to_owned(),
            kind,
            place: place.to_owned(),
            minutes,
        };
        let rows = vec![
            row("", TransportKind::Local, "", 0.0),
            row("north", TransportKind::Slurm, " short ", 10.0),
            row(" east ", TransportKind::Ssh, "login.east", 0.05),
            row("west", TransportKind::Kubernetes, "", 0.0),
        ];
        let requested = State { rows, ..State::default() }.requested(&each()).expect("a list");
        let found: Vec<_> = requested.centres.iter().map(|centre| (&centre.address, centre.answer_within)).collect();
        let expected = [
            (&Address::Local, None),
            (&Address::Slurm(Some("short".to_owned())), Some(Duration::from_mins(10))),
            (&Address::Ssh("login.east".to_owned()), Some(Duration::from_secs(3))),
            (&Address::Kubernetes(None), None),
        ];
        assert_eq!(found, expected);
        assert_eq!(requested.names(), "this machine, north, east, west");
        assert_eq!((requested.remote_program.as_str(), requested.units), (GPU_BENCH, vec![1, 2]));
    }

    #[test]
    fn a_list_that_cannot_run_says_why() {
        let of = |name: &str, kind, place: &str| {
            let row = Row { name: name.to_owned(), kind, place: place.to_owned(), minutes: 0.0 };
            State { rows: vec![row], ..State::default() }.requested(&each()).expect_err("no list")
        };
        assert_eq!(State::default().requested(&each()), Err("Add a centre to the list first".to_owned()));
        assert_eq!(of(" ", TransportKind::Slurm, ""), "Name every centre of the list");
        assert_eq!(of("east", TransportKind::Ssh, " "), "east: Name the host, for example login.example.org");
        assert!(of("east", TransportKind::Ssh, "-oProxyCommand=x").contains("is not a name"));
    }

    #[test]
    fn the_list_grows_by_this_machine_and_then_by_the_centres_of_the_study() {
        let scenario = crossover_scenario::read(crate::examples::CENTRES.text).expect("a scenario");
        let study = scenario.probe().expect("a probe study");
        let mut state = State::default();
        for _ in 0..3 {
            state.add(study);
        }
        let names: Vec<&str> = state.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["", study.centres[0].name.as_str(), study.centres[1].name.as_str()]);
    }
}
