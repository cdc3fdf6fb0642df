//! Cases on screen: predicted against measured, the selected case, and the list of all.

use std::sync::Arc;

use crossover_chart::lines::{Labelled, LineChart};
use crossover_chart::screen::{self, Gesture};
use crossover_chart::theme::Token;
use crossover_engine::truth::{Errors, Sides, TOO_CLOSE};
use crossover_engine::{Profile, Summary, judge};
use crossover_export::placement::truth::{Of, judged, labels, shown, truth_chart, truth_json, truth_markdown};
use crossover_page::command::Command;
use crossover_page::export_menu;
use crossover_page::widgets::cell::right;
use crossover_page::widgets::chart_tabs;
use crossover_page::widgets::copied::copy;
use crossover_page::widgets::drawer::{self, Below};
use crossover_plan::cases::Compared;
use crossover_quantity::unit::Unit;
use egui::{Grid, RichText, Ui};

use super::list::{self, Sort};
use super::{Request, parts};

/// Least and largest height of the chart, and about what its title and its answer take.
const CHART: [f32; 2] = [170.0, 520.0];
const HEADING: f32 = 128.0;
/// About what a picked case takes below the chart.
const CASE: f32 = 150.0;
/// Tabs of the charts in a small window: of all cases, and of the picked one.
const ALL: &str = "All cases";
const ONE: &str = "Selected case";
/// Least and usual height of the list.
const LIST: [f32; 2] = [110.0, 210.0];

/// View of the cases.
#[derive(Debug, Default)]
pub(super) struct CaseView {
    of: Of,
    sort: Sort,
    /// The selected case, by its position in the file.
    picked: Option<usize>,
}

/// The chart of some cases; made once for each outcome.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    /// The outcome and the quantity that it was made of.
    of: Option<(u64, Of)>,
    chart: Option<LineChart>,
    shown: [Vec<usize>; 2],
    summary: Summary,
    order: Vec<usize>,
    sort: Option<Sort>,
}

impl Drawn {
    /// The chart as it was last drawn.
    pub(super) fn chart(&self) -> Option<&LineChart> {
        self.chart.as_ref()
    }

    /// Makes the chart of an outcome with this number, unless it is up to date.
    fn refresh(&mut self, number: u64, cases: &[Compared], look: &CaseView) {
        if self.of != Some((number, look.of)) {
            *self = Self {
                of: Some((number, look.of)),
                chart: Some(truth_chart(cases, look.of)),
                shown: shown(cases, look.of),
                summary: judge(&judged(cases)),
                order: Vec::new(),
                sort: None,
            };
        }
        if self.sort != Some(look.sort) {
            self.order = look.sort.order(cases);
            self.sort = Some(look.sort);
        }
    }
}

impl CaseView {
    /// Clears the selection of other cases.
    pub(super) fn of_other_cases(&mut self) {
        self.picked = None;
    }

    /// The quantity of the chart, and the errors, next to the chart. `number` is that of the outcome.
    pub(super) fn overview(
        &mut self,
        ui: &mut Ui,
        drawn: &mut Drawn,
        number: u64,
        cases: &[Compared],
        commands: &mut Vec<Command>,
    ) {
        ui.heading("Which number?");
        for of in Of::ALL {
            if ui.radio(self.of == of, of.label(cases)).clicked() {
                self.of = of;
            }
        }
        drawn.refresh(number, cases, self);
        ui.add_space(8.0);
        ui.heading("How large are the errors?");
        error_table(ui, &drawn.summary, &labels(cases));
        ui.horizontal_wrapped(|ui| {
            for (format, write) in [("Markdown", truth_markdown as fn(&[Compared]) -> String), ("JSON", truth_json)] {
                if ui.button(format!("Copy as {format}")).clicked() {
                    copy(ui, commands, write(cases), &format!("the cases as {format}"));
                }
            }
        });
    }

    /// Keeps room for the list of all cases.
    pub(super) fn below(ui: &mut Ui) -> Below {
        drawer::below(ui, "cases", "All cases", LIST)
    }

    /// The list of all cases, in its room.
    pub(super) fn list(&mut self, ui: &mut Ui, below: Below, drawn: &mut Drawn, number: u64, cases: &[Compared]) {
        drawn.refresh(number, cases, self);
        below.show(ui, |ui| list::show(ui, cases, &drawn.order, &mut self.sort, &mut self.picked));
    }

    /// The chart with its answer, and the selected case; `profile`: its engines when it is opened, `room`: the visible
    /// height.
    #[expect(clippy::too_many_arguments, reason = "the state, the data, the engines and the height")]
    pub(super) fn chart(
        &mut self,
        ui: &mut Ui,
        drawn: &mut Drawn,
        number: u64,
        cases: &[Compared],
        profile: Option<&Arc<Profile>>,
        commands: &mut Vec<Command>,
        room: f32,
    ) {
        drawn.refresh(number, cases, self);
        let Some(chart) = &mut drawn.chart else { return };
        let picked = self.picked.and_then(|at| cases.get(at));
        chart.points = picked.and_then(|compared| mark(compared, self.of)).into_iter().collect();
        // Both tabs are always there: a picked case moves nothing.
        let on_screen = chart_tabs::choose_of(ui, "cases", &[(ALL, true), (ONE, true)]);
        if on_screen.has(ALL) {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new(&chart.title).heading());
                export_menu::of_tool(ui, commands, [chart.captions()]);
            });
            ui.label(&chart.answer);
            screen::legend(ui, chart);
            let below = if on_screen.has(ONE) && picked.is_some() { CASE } else { 0.0 };
            let height = (room - HEADING - below).clamp(CHART[0], CHART[1]);
            let gesture = screen::lines(ui, ("truth", self.of), chart, None, height);
            if let Some(Gesture::PickedSample(series, sample)) = gesture {
                // The first curve is the diagonal.
                self.picked = series.checked_sub(1).and_then(|part| drawn.shown.get(part)?.get(sample).copied());
            }
        }
        match picked {
            None => drop(ui.weak("Select a case in the chart or in the list to see the parts of its time.")),
            Some(_) if !on_screen.has(ONE) => {}
            Some(compared) => {
                parts::show(ui, compared);
                let open =
                    ui.button("Open as a scenario").on_hover_text("Its plan, with these engines, in a tab of its own");
                if open.clicked() {
                    commands.push(Command::ask(Request::Open(Box::new(compared.case.clone()), profile.cloned())));
                }
            }
        }
    }
}

/// The name of a case at its mark.
fn mark(compared: &Compared, of: Of) -> Option<Labelled> {
    let (found, measured) = of.pair(&compared.judged)?;
    Some(Labelled {
        label: compared.case.name.clone(),
        short: String::new(),
        x: measured,
        y: found.value,
        token: Token::Text,
    })
}

/// Errors of all cases, next to the median baseline.
fn error_table(ui: &mut Ui, summary: &Summary, [cpu, gpu]: &[String; 2]) {
    type Write = fn(&Errors) -> String;
    const ROWS: [(&str, &str, Write); 5] = [
        ("cases", "Measured cases", |errors| errors.count.to_string()),
        ("median error", "Half of the cases have a smaller error", |errors| Unit::Share.format(errors.median)),
        ("90 % within", "90 % of the cases have a smaller error", |errors| Unit::Share.format(errors.ninth_decile)),
        ("geometric mean", "Predicted ÷ measured: above 1, predictions are too large", |errors| {
            Unit::Factor.format(errors.bias)
        }),
        ("inside the interval", "Share of measured values inside the 90 % interval", |errors| {
            errors.coverage.map_or_else(|| "–".to_owned(), |share| Unit::Share.format(share))
        }),
    ];
    let columns = [
        (cpu.as_str(), summary.cpu),
        (gpu.as_str(), summary.gpu),
        ("speedup", summary.speedup),
        ("median baseline", summary.median_baseline_speedup),
    ];
    let columns: Vec<(&str, Errors)> = columns.into_iter().filter_map(|(name, errors)| Some((name, errors?))).collect();
    Grid::new("summary").striped(true).min_col_width(0.0).spacing([6.0, 4.0]).show(ui, |ui| {
        ui.label("");
        for (name, _) in &columns {
            // One word per line keeps the column as narrow as its numbers.
            right(ui, RichText::new(name.replace(' ', "\n")).strong());
        }
        ui.end_row();
        for (name, meaning, write) in ROWS {
            ui.label(name).on_hover_text(meaning);
            for (_, errors) in &columns {
                right(ui, RichText::new(write(errors)));
            }
            ui.end_row();
        }
    });
    if summary.sides.of > 0 {
        let Sides { right, of, clear_right, clear } = summary.sides;
        let usual = summary.median_baseline_sides;
        ui.label(format!("Faster side predicted correctly: {right} of {of}; by the median baseline: {}.", usual.right));
        let meaning = format!(
            "The measured speedup is below {} or above {}",
            Unit::Factor.format(*TOO_CLOSE.start()),
            Unit::Factor.format(*TOO_CLOSE.end())
        );
        let text = format!("In clear cases: {clear_right} of {clear}; by the median baseline: {}.", usual.clear_right);
        ui.label(text).on_hover_text(meaning);
        let (decided, decided_right) = (summary.decided, summary.decided_right);
        let text = format!("At least 90 % likely: {decided} of {of}, of which {decided_right} correct.");
        ui.label(text).on_hover_text(format!(
            "{gpu} at least 90 % or at most 10 % likely to be faster; all others are too close to call"
        ));
    }
    if let Some(correlation) = summary.rank_correlation {
        let meaning = "Spearman: 1 if the speedups are predicted in the right order, 0 if in no order";
        ui.label(format!("Rank correlation of the speedups: {correlation:.2}.")).on_hover_text(meaning);
    }
}
