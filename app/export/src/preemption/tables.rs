//! The numbers of a preemption study, as tables for spreadsheets.

use crossover_preemption::outcome::seconds;
use crossover_preemption::{AtLoad, Bound, Outcome, Policy, Preemption, SlotState};
use crossover_quantity::text::csv::{Records, cell};

use super::{ESTIMATES, EstimateRecord, PairRecord, PolicyRecord, decision_record, estimates_of, name, results};

/// Latencies of a policy that are exported.
const QUANTILES: usize = 1_000;

const POLICY_COLUMNS: [&str; 20] = [
    "policy",
    "throughput",
    "throughput_low",
    "throughput_high",
    "turnaround",
    "turnaround_low",
    "turnaround_high",
    "fairness",
    "fairness_low",
    "fairness_high",
    "latency_seconds",
    "latency_seconds_low",
    "latency_seconds_high",
    "latency_p99_seconds",
    "latency_p99_seconds_low",
    "latency_p99_seconds_high",
    "preemptions_per_launch",
    "context_switch_share",
    "wasted_share",
    "utilisation",
];

fn policy_cells(of: &PolicyRecord) -> Vec<String> {
    let mut cells = vec![of.policy.to_owned()];
    let estimates = [of.throughput, of.turnaround, of.fairness, of.latency_seconds, of.latency_p99_seconds];
    cells.extend(estimates.into_iter().flat_map(estimate_cells));
    cells.extend(
        [of.preemptions_per_launch, of.context_switch_share, of.wasted_share, of.utilisation]
            .map(|value| value.to_string()),
    );
    cells
}

fn estimate_cells(of: EstimateRecord) -> [String; 3] {
    [of.mean.to_string(), cell(of.low), cell(of.high)]
}

/// A line for each policy.
pub(super) fn policies(policies: &[PolicyRecord]) -> String {
    let mut csv = Records::default();
    csv.push(POLICY_COLUMNS);
    for of in policies {
        csv.push(policy_cells(of));
    }
    csv.into_text()
}

/// Every number behind the charts of the page: tables one below the other, each with its own header and a blank line before it.
#[must_use]
pub fn data_csv(study: &Preemption, outcome: &Outcome, along_load: &[AtLoad]) -> String {
    let results = results("", study, outcome);
    let mut tables = vec![policies(&results.policies)];
    if !along_load.is_empty() {
        tables.push(loads_csv(study, along_load));
    }
    tables.push(latencies_csv(study, outcome));
    tables.extend([timeline_csv(study, outcome), waiting_csv(outcome), decisions_csv(study, outcome)]);
    tables.push(pairs_csv(&results.pairs));
    tables.join("\r\n")
}

/// A line for each load and policy, and one for the upper bound.
fn loads_csv(study: &Preemption, along_load: &[AtLoad]) -> String {
    let mut csv = Records::default();
    let (policy, estimates) = (POLICY_COLUMNS[0], &POLICY_COLUMNS[1..=3 * ESTIMATES]);
    csv.push(["load", policy].iter().chain(estimates));
    for at in along_load {
        for (policy, means) in Policy::ALL.iter().zip(&at.policies) {
            let head = [at.load.to_string(), policy.label().to_owned()];
            csv.push(head.into_iter().chain(estimates_of(study, means).into_iter().flat_map(estimate_cells)));
        }
        let Bound { throughput, turnaround, latency } = at.bound;
        let known = [Some(throughput), Some(turnaround), None, Some(seconds(study, latency)), None];
        let cells = known.into_iter().flat_map(|value| [cell(value), String::new(), String::new()]);
        csv.push([at.load.to_string(), "bound".to_owned()].into_iter().chain(cells));
    }
    csv.into_text()
}

/// Which share of the launches of the first stream is done within a time; of many launches as many as [`QUANTILES`] of each policy,
/// the last one among them.
fn latencies_csv(study: &Preemption, outcome: &Outcome) -> String {
    let mut csv = Records::default();
    csv.push(["policy", "latency_seconds", "share_of_launches"]);
    for of in &outcome.policies {
        let count = of.latencies.len();
        let step = count.div_ceil(QUANTILES).max(1);
        for (rank, cycles) in (1..).zip(&of.latencies).filter(|(rank, _)| rank % step == 0 || *rank == count) {
            let share = rank as f64 / count as f64;
            csv.push([of.policy.label().to_owned(), seconds(study, *cycles).to_string(), share.to_string()]);
        }
    }
    csv.into_text()
}

/// How many waited from which cycle on, in the first stream.
fn waiting_csv(outcome: &Outcome) -> String {
    let mut csv = Records::default();
    csv.push(["from_cycle", "waiting"]);
    for (at, count) in &outcome.log.waiting {
        csv.push([at.to_string(), count.to_string()]);
    }
    csv.into_text()
}

/// How fast each kernel runs beside each.
fn pairs_csv(pairs: &[PairRecord<'_>]) -> String {
    let mut csv = Records::default();
    csv.push(["kernel", "beside", "normalised_ipc", "basis"]);
    for PairRecord { kernel, beside, normalised_ipc, basis } in pairs {
        csv.push([*kernel, *beside, &normalised_ipc.to_string(), basis]);
    }
    csv.into_text()
}

/// The timeline of the first stream.
fn timeline_csv(study: &Preemption, outcome: &Outcome) -> String {
    let mut csv = Records::default();
    csv.push(["launch", "kernel", "slot", "from_cycle", "to_cycle", "state"]);
    for interval in &outcome.log.intervals {
        let state = match interval.state {
            SlotState::Done => "done",
            SlotState::Preempted => "preempted",
            SlotState::ContextSwitch => "context_switch",
        };
        csv.push([
            (interval.launch + 1).to_string(),
            name(study, interval.kernel).to_owned(),
            (interval.slot + 1).to_string(),
            interval.from.to_string(),
            interval.to.to_string(),
            state.to_owned(),
        ]);
    }
    csv.into_text()
}

/// Every possible preemption of the first stream.
fn decisions_csv(study: &Preemption, outcome: &Outcome) -> String {
    let mut csv = Records::default();
    csv.push([
        "at_cycle",
        "running",
        "running_launch",
        "waiting",
        "waiting_launch",
        "rest_cycles",
        "work_without_cycles",
        "work_with_cycles",
        "gain_cycles",
        "preempt_cycles",
        "break_even_cycles",
        "gain_cycles_low",
        "gain_cycles_high",
        "gain_probability",
        "is_preempted",
    ]);
    for decision in &outcome.log.decisions {
        let of = decision_record(study, decision);
        csv.push([
            of.at_cycle.to_string(),
            of.running.to_owned(),
            of.running_launch.to_string(),
            of.waiting.to_owned(),
            of.waiting_launch.to_string(),
            of.rest_cycles.to_string(),
            of.work_without_cycles.to_string(),
            of.work_with_cycles.to_string(),
            of.gain_cycles.to_string(),
            of.preempt_cycles.to_string(),
            of.break_even_cycles.to_string(),
            cell(of.gain_cycles_low),
            cell(of.gain_cycles_high),
            cell(of.gain_probability),
            of.is_preempted.to_string(),
        ]);
    }
    csv.into_text()
}

#[cfg(test)]
mod tests {
    use crossover_preemption::evaluate;
    use crossover_study::Watch;

    use super::super::tests::study;
    use super::*;
    use crate::csv::parse;

    /// The tables of the exported data, each with its header.
    fn tables(text: &str) -> Vec<Vec<Vec<String>>> {
        text.split("\r\n\r\n").map(parse).collect()
    }

    #[test]
    fn every_number_behind_the_charts_is_in_the_data() {
        let study = study();
        let outcome = evaluate(&study);
        let loads = Watch::uncancellable(|watch| crossover_preemption::along_load(&study, &[0.5, 1.0], watch));
        let text = data_csv(&study, &outcome, &loads.expect("not cancelled"));
        let found = tables(&text);
        let heads: Vec<&str> = found.iter().map(|table| table[0].last().map_or("", String::as_str)).collect();
        let expected = [
            "utilisation",
            "latency_p99_seconds_high",
            "share_of_launches",
            "state",
            "waiting",
            "is_preempted",
            "basis",
        ];
        assert_eq!(heads, expected, "{text}");
        let [_, along, latencies, _, waiting, _, pairs] = &found[..] else { panic!("{heads:?}") };
        // Nine policies and the bound at two loads, with intervals.
        assert_eq!((along.len(), along[0].len()), (1 + 2 * 10, 2 + 15));
        let number = |cell: &str| cell.parse::<f64>().unwrap_or_else(|_| panic!("{cell}"));
        assert!(
            number(&along[1][3]) < number(&along[1][2]) && number(&along[1][2]) < number(&along[1][4]),
            "{along:?}"
        );
        assert_eq!(latencies.len(), 1 + 9 * 60);
        assert_eq!(latencies.last().map(|row| row[2].as_str()), Some("1"));
        assert_eq!(waiting.len(), 1 + outcome.log.waiting.len());
        assert_eq!(pairs.len(), 1 + study.kernels.len().pow(2));
    }
}
