//! "Where did the measured time go?": the stages of the run in the order of their starts, with work, wait and idle task slots.

use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::screen::{self, Swatch};
use crossover_chart::theme::Token;
use crossover_page::export_menu;
use crossover_quantity::text::counted;
use crossover_quantity::text::csv::Records;
use crossover_quantity::unit::Unit;
use crossover_query::measured_run::{StageTime, covered, time_parts};
use crossover_query::{Plan, StageRun};
use egui::{RichText, ScrollArea, Ui};

use super::super::{Env, Mode, Modes, mode_switch};

/// Longest task ÷ mean task from which a stage counts as skewed.
const SKEWED: f64 = 3.0;
/// Seconds of a part.
type Of = fn(&StageTime) -> f64;
/// Parts of a stage's time: name, colour, meaning, and seconds.
const PARTS: [(&str, Token, &str, Of); 5] = [
    ("work", Token::Cpu, "CPU time of tasks", |spent| spent.work),
    ("GC time", Token::Threshold, "Garbage collection", |spent| spent.gc),
    ("shuffle wait", Token::Ethernet, "Tasks waited for shuffled data of other machines", |spent| spent.fetch),
    ("other wait", Token::InfiniBand, "Tasks waited for storage, disks or the GPU", |spent| spent.other),
    (
        "idle task slots",
        Token::Uncontrolled,
        "Task slots without a task of this stage: its tasks had different lengths, it had too few tasks, or other stages ran",
        |spent| spent.idle,
    ),
];

/// The stages as bars along the time of the query.
pub(super) fn chart(plan: &Plan) -> BarChart {
    let row = |stage: &StageRun| {
        let spent = stage.time_parts();
        let parts = PARTS.iter().map(|(name, token, _, of)| Segment {
            name: (*name).to_owned(),
            token: *token,
            value: of(&spent),
        });
        BarRow {
            group: format!("stage {}", stage.id),
            label: String::new(),
            token: Token::Text,
            start: stage.start,
            interval: None,
            segments: parts.collect(),
            total: stage.seconds(),
            note: note(stage),
            detail: String::new(),
        }
    };
    BarChart {
        title: "Where did the measured time go?".to_owned(),
        subtitle: format!("{} · as measured, from the start of the query", plan.engine),
        answer: answer(plan),
        step_unit: 1.0,
        unit_format: |value| Unit::Seconds.format(value),
        rows: plan.stages.iter().map(row).collect(),
    }
}

/// "200 tasks · longest task 4.1× the mean · 1.2 GB spilled".
fn note(stage: &StageRun) -> String {
    let mut notes = vec![counted(stage.tasks, "task")];
    if stage.run <= 0.0 {
        notes.push("the log has no task times".to_owned());
    }
    if stage.skew() >= SKEWED {
        notes.push(format!("longest task {} the mean", Unit::Factor.format(stage.skew())));
    }
    if stage.spilled > 0.0 {
        notes.push(format!("{} spilled", Unit::Gigabytes.format(stage.spilled / 1e9)));
    }
    notes.join(" · ")
}

/// The parts of the time in which stages ran, as remarks about a log count it, and the time without a stage.
fn answer(plan: &Plan) -> String {
    let total = covered(&plan.stages);
    if total <= 0.0 {
        return "The log has no stage with a measured time.".to_owned();
    }
    let share = |seconds: f64| Unit::Share.format((seconds / total * 100.0).round() / 100.0);
    let spent = time_parts(&plan.stages);
    let mut parts: Vec<(f64, &str)> = PARTS.iter().map(|(name, .., of)| (of(&spent), *name)).collect();
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let parts: Vec<String> = parts
        .iter()
        .filter(|(seconds, _)| *seconds > 0.0)
        .map(|(seconds, name)| format!("{} {name}", share(*seconds)))
        .collect();
    let stages = counted(plan.stages.len() as f64, "stage");
    let mut answer = format!("Of the {} in which {stages} ran: {}.", Unit::Seconds.format(total), parts.join(", "));
    if let Some(duration) = plan.duration_seconds {
        let outside = (duration - total).max(0.0);
        answer += &format!(
            " For {} of the query's {}, no stage was running: planning, start and collection of results.",
            Unit::Seconds.format(outside),
            Unit::Seconds.format(duration)
        );
    }
    if let Some(longest) = plan.stages.iter().max_by(|a, b| a.seconds().total_cmp(&b.seconds())) {
        let tasks = counted(longest.tasks, "task");
        answer +=
            &format!(" The longest is stage {}, {} with {tasks}.", longest.id, Unit::Seconds.format(longest.seconds()));
    }
    if plan.nodes.iter().any(|node| node.ran_on_gpu) {
        answer += " Operators ran on GPUs; tasks wait for them, which counts as other wait.";
    }
    let skewed = plan.stages.iter().filter(|stage| stage.skew() >= SKEWED).count();
    if skewed > 0 {
        let stages = counted(skewed as f64, "stage");
        answer += &format!(" In {stages} the longest task took at least {} the mean.", Unit::Factor.format(SKEWED));
    }
    let spilled: f64 = plan.stages.iter().map(|stage| stage.spilled).sum();
    if spilled > 0.0 {
        answer += &format!(" Spill to disk: {}.", Unit::Gigabytes.format(spilled / 1e9));
    }
    answer
}

/// The stages as CSV: measured times and their parts, seconds.
pub(in super::super) fn csv(plan: &Plan) -> String {
    let mut csv = Records::default();
    let measured = ["stage", "start", "end", "tasks", "slots", "run", "cpu", "gc", "fetch", "longest", "spilled_bytes"];
    csv.push(measured.into_iter().chain(PARTS.map(|(name, ..)| name)));
    for stage in &plan.stages {
        let StageRun { id, start, end, tasks, slots, run, cpu, gc, fetch, longest, spilled } = *stage;
        let spent = stage.time_parts();
        let numbers = [start, end, tasks, slots, run, cpu, gc, fetch, longest, spilled];
        let numbers = numbers.into_iter().chain(PARTS.map(|(.., of)| of(&spent)));
        csv.push(std::iter::once(id.to_string()).chain(numbers.map(|number| number.to_string())));
    }
    csv.into_text()
}

/// Draws the page; `warnings` draws those about the query.
pub(in super::super) fn show(
    ui: &mut Ui,
    chart: &BarChart,
    modes: Modes,
    warnings: impl FnOnce(&mut Ui),
    mode: &mut Option<Mode>,
    env: &mut Env<'_>,
) {
    ui.horizontal_wrapped(|ui| {
        mode_switch(ui, mode, Mode::Run, modes);
        ui.heading(&chart.title);
        ui.label(RichText::new(&chart.subtitle).weak());
        export_menu::show(ui, env, 0, false);
    });
    warnings(ui);
    ui.label(&chart.answer);
    ui.horizontal_wrapped(|ui| {
        for (name, token, meaning, _) in PARTS {
            screen::entry(ui, token, Swatch::Square, name).on_hover_text(meaning);
            ui.add_space(4.0);
        }
    });
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| screen::course(ui, chart));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_names_the_parts_of_the_run() {
        let stage = StageRun {
            tasks: 8.0,
            slots: 4.0,
            end: 10.0,
            run: 20.0,
            cpu: 20.0,
            longest: 10.0,
            spilled: 2e9,
            ..StageRun::default()
        };
        let plan = Plan { stages: vec![stage], duration_seconds: Some(12.0), ..Plan::default() };
        let chart = chart(&plan);
        assert_eq!(
            chart.answer,
            "Of the 10 s in which 1 stage ran: 50 % work, 50 % idle task slots. For 2 s of the query's 12 s, no stage was running: \
             planning, start and collection of results. The longest is stage 0, 10 s with 8 tasks. In 1 stage the longest task took at \
             least 3× the mean. Spill to disk: 2 GB."
        );
        assert_eq!(chart.rows[0].note, "8 tasks · longest task 4× the mean · 2 GB spilled");
        // Twice 20 s of tasks on four slots in the same 10 s.
        let twice = Plan { stages: vec![stage, stage], ..Plan::default() };
        assert!(answer(&twice).starts_with("Of the 10 s in which 2 stages ran: 100 % work. "), "{}", answer(&twice));
        let nothing = Plan { stages: vec![StageRun::default()], ..Plan::default() };
        assert_eq!(answer(&nothing), "The log has no stage with a measured time.");
    }
}
