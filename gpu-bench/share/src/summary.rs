//! The report of two programs as text.

use crossover_measured::sharing::{RoundSpread, SharedResource, SharingReport, SharingSetting, Side};
use crossover_quantity::text::{Column, Table, TextReport, counted};
use crossover_quantity::unit::Unit;

/// A program that takes less alone is measured with the start of its process, seconds.
const SHORT: f64 = 0.2;
/// Fewest rounds whose range contains the median with a probability near 95 %.
const FEW: usize = 5;

/// A report with both programs alone, beside each other with each setting, and the queue of the policy.
#[must_use]
pub fn text_report(report: &SharingReport) -> TextReport {
    let mut text_report = TextReport::titled("Two programs that share a device");
    let device = match report.on {
        SharedResource::Gpu => "GPU",
        SharedResource::Cpu => "CPU",
    };
    text_report.facts([
        (device, report.device.clone()),
        ("first", report.first.clone()),
        ("second", report.second.clone()),
        ("measured", format!("{}, {}, {}", report.time, counted(report.rounds.len() as f64, "round"), report.tool)),
    ]);
    text_report.section("alone", |section| section.table(alone(report)));
    text_report.section("beside each other, with normalised progress", |section| {
        section.table(together(report));
        section.paragraph(verdict(report))
    });
    text_report.section("queue of the policy", |section| section.table(queue(report)));
    text_report.notes(&report.notes);
    text_report.warnings(warnings(report));
    text_report
}

fn cells(spread: Option<RoundSpread>, unit: Unit) -> [String; 2] {
    let Some(RoundSpread { median, range }) = spread else { return [String::new(), String::new()] };
    let range = range.map(|(least, greatest)| format!("{} … {}", unit.format(least), unit.format(greatest)));
    [unit.format(median), range.unwrap_or_default()]
}

fn alone(report: &SharingReport) -> Table {
    let rows = [("first", Side::First), ("second", Side::Second)].into_iter().filter_map(|(name, side)| {
        let cells = cells(Some(report.alone(side)?), Unit::Seconds);
        Some([name.to_owned()].into_iter().chain(cells).collect())
    });
    let columns = vec![Column::text("program"), Column::number("median"), Column::text("range")];
    Table { columns, rows: rows.collect() }.without_empty_columns()
}

fn together(report: &SharingReport) -> Table {
    let rows = report.settings.iter().enumerate().filter_map(|(place, setting)| {
        let progress = report.progress(place)?;
        let times = Side::BOTH.map(|side| cells(report.beside(place, side), Unit::Seconds)[0].clone());
        let spreads = [progress.each[0], progress.each[1], progress.sum].map(|spread| cells(Some(spread), Unit::Ratio));
        Some([setting.label()].into_iter().chain(times).chain(spreads.into_iter().flatten()).collect())
    });
    let columns = vec![
        Column::text("setting"),
        Column::number("first, time"),
        Column::number("second, time"),
        Column::number("first, progress"),
        Column::text("range"),
        Column::number("second, progress"),
        Column::text("range"),
        Column::number("sum"),
        Column::text("range"),
    ];
    Table { columns, rows: rows.collect() }.without_empty_columns()
}

/// What the policy does with these sums.
fn verdict(report: &SharingReport) -> String {
    let Some((place, progress)) = report.best_setting() else { return String::new() };
    let sum = Unit::Ratio.format(progress.sum.median);
    let name = report.settings[place].label();
    if progress.sum.median > 1.0 {
        format!("Best: {name}, sum of normalised progress {sum}; one program after the other: 1.")
    } else {
        format!("Best: one program after the other, sum of normalised progress 1; {name}: {sum}.")
    }
}

fn queue(report: &SharingReport) -> Table {
    let spread = report.queue_throughput();
    let launches = format!("{} of each program", counted(f64::from(report.queue_launches), "launch"));
    let rows = spread.map(|spread| {
        let [median, range] = cells(Some(spread), Unit::Ratio);
        vec![launches, median, range, starts(report)]
    });
    let columns = vec![
        Column::text("queue"),
        Column::number("throughput (STP)"),
        Column::text("range"),
        Column::text("starts of all rounds"),
    ];
    Table { columns, rows: rows.into_iter().collect() }.without_empty_columns()
}

/// How often the policy started programs with each setting, and alone.
fn starts(report: &SharingReport) -> String {
    let decisions: Vec<_> =
        report.rounds.iter().filter_map(|round| round.queue.as_ref()).flat_map(|of| &of.decisions).collect();
    let with = |setting: Option<SharingSetting>| {
        decisions
            .iter()
            .filter(|decision| decision.setting == setting)
            .map(|decision| decision.started.len())
            .sum::<usize>()
    };
    let shared = report.settings.iter().map(|setting| (setting.label(), with(Some(*setting))));
    let all = shared.chain([("alone".to_owned(), with(None))]).filter(|(_, count)| *count > 0);
    all.map(|(name, count)| format!("{name}: {count}")).collect::<Vec<String>>().join(", ")
}

fn warnings(report: &SharingReport) -> Vec<String> {
    let mut warnings = Vec::new();
    for (name, side) in [("first", Side::First), ("second", Side::Second)] {
        if let Some(alone) = report.alone(side).filter(|alone| alone.median < SHORT) {
            let time = Unit::Seconds.format(alone.median);
            warnings
                .push(format!("the {name} program takes {time} alone; the start of a process is a large part of that"));
        }
    }
    let rounds = report.rounds.len();
    if (2..FEW).contains(&rounds) {
        warnings.push(format!(
            "the range of {} is no 95 % interval; that of {FEW} rounds or more nearly is",
            counted(rounds as f64, "round")
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use crossover_measured::sharing::{QueueRun, SharedRuns, SharingDecision, SharingRound};
    use crossover_needs::sharing_report;

    use super::*;

    fn report(sums: [f64; 2]) -> SharingReport {
        let slices = SharingSetting::TimeSlices { seconds: 0.1 };
        // Alone 2 s and 4 s; beside each other both keep the same part of their speed.
        let together = sums.map(|sum| SharedRuns { seconds: [vec![4.0 / sum], vec![8.0 / sum]] });
        let decision = SharingDecision {
            at_seconds: 0.0,
            started: Side::BOTH.to_vec(),
            setting: Some(SharingSetting::Uncontrolled),
            expected_sum: Some(sums[0]),
        };
        let alone = SharingDecision { at_seconds: 3.0, started: vec![Side::Second], setting: None, expected_sum: None };
        let round = SharingRound {
            alone_seconds: [2.0, 4.0],
            together: together.to_vec(),
            queue: Some(QueueRun { makespan_seconds: 10.0, decisions: vec![decision, alone] }),
        };
        SharingReport {
            notes: vec!["A note".to_owned()],
            settings: vec![SharingSetting::Uncontrolled, slices],
            rounds: vec![round; 2],
            ..sharing_report()
        }
    }

    fn squeezed(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_report_has_times_progress_and_the_queue() {
        let text = squeezed(&text_report(&report([1.25, 0.8])).terminal());
        for expected in [
            "first 2 s 2 s … 2 s",
            // Alone 2 s, beside the other 3.2 s: 0.625 of its speed.
            "uncontrolled 3.2 s 6.4 s 0.625 0.625 … 0.625 0.625 0.625 … 0.625 1.25 1.25 … 1.25",
            "time slices of 0.1 s 5 s 10 s 0.4",
            "Best: uncontrolled, sum of normalised progress 1.25; one program after the other: 1.",
            // 2 · (2 + 4) s of work in 10 s.
            "2 launches of each program 1.2 1.2 … 1.2 uncontrolled: 4, alone: 2",
            "the range of 2 rounds is no 95 % interval",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        assert!(!text.contains("start of a process"), "{text}");
    }

    #[test]
    fn sharing_that_loses_is_not_recommended() {
        let text = squeezed(&text_report(&report([0.9, 0.8])).terminal());
        assert!(
            text.contains("Best: one program after the other, sum of normalised progress 1; uncontrolled: 0.9."),
            "{text}"
        );
    }
}
