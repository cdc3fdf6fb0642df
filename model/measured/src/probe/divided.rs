//! A probe whose units are processes: its executions are divided among them, and their reports are put together.

use super::report::{OperatorReport, ProbeReport};
use super::task::{ProbeOperator, ProbeTask};

impl ProbeTask {
    /// The part of each of so many processes. Executions are divided evenly; the first processes have those that remain.
    ///
    /// # Errors
    /// An operator has fewer executions than there are processes; a sentence without its full stop.
    pub fn divided(&self, processes: u32) -> Result<Vec<Self>, String> {
        let processes = processes.max(1);
        if let Some(few) = self.operators.iter().find(|of| of.executions < processes) {
            let ProbeOperator { name, executions, .. } = few;
            return Err(format!(
                "“{name}” is executed {executions} times, which cannot be divided among {processes} units; use fewer units, or \
                 a lower reference ratio"
            ));
        }
        let part = |process: u32| {
            let of_part = |of: &ProbeOperator| {
                let executions = of.executions / processes + u32::from(process < of.executions % processes);
                ProbeOperator { executions, ..of.clone() }
            };
            Self { operators: self.operators.iter().map(of_part).collect(), ..self.clone() }
        };
        Ok((0..processes).map(part).collect())
    }
}

/// The report of a probe from those of its processes, in their order. Its time is that of the slowest one.
///
/// # Errors
/// A process failed, or its report is not that of its part; a sentence without its full stop.
pub fn joined(task: &ProbeTask, reports: &[ProbeReport]) -> Result<ProbeReport, String> {
    let processes = u32::try_from(reports.len()).unwrap_or(u32::MAX);
    let parts = task.divided(processes)?;
    for (number, (part, report)) in (1..).zip(parts.iter().zip(reports)) {
        if let Some(fault) = report.fault() {
            return Err(format!("unit {number}: {fault}"));
        }
        if report.units != 1 || report.task.fingerprint() != part.fingerprint() {
            return Err(format!("unit {number}: its report is not that of its part of the probe"));
        }
    }
    let first = reports.first().ok_or("no process has reported")?;
    let operators = (0..task.operators.len()).map(|place| {
        let of: Vec<&OperatorReport> = reports.iter().filter_map(|report| report.operators.get(place)).collect();
        operator(&of)
    });
    let operators: Option<Vec<OperatorReport>> = operators.collect();
    let slowest = reports.iter().map(|report| report.seconds).fold(0.0, f64::max);
    Ok(ProbeReport {
        units: processes,
        threads: reports.iter().map(|report| report.threads).fold(0, u32::saturating_add),
        task: task.clone(),
        seconds: slowest,
        operators: operators.ok_or("no process has reported")?,
        processes: Some(processes),
        ..first.clone()
    })
}

/// The report of an operator from those of its processes; none without any.
fn operator(of: &[&OperatorReport]) -> Option<OperatorReport> {
    let first = *of.first()?;
    let mean = |value: &dyn Fn(&OperatorReport) -> Option<f64>| -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for one in of {
            let executions = one.seconds.len() as f64;
            sum += value(one)? * executions;
            count += executions;
        }
        Some(sum / count)
    };
    // All processes have the same true value, unless their inputs differ: a mean would be rounded.
    let is_same = of.iter().all(|one| one.value == first.value && one.true_value == first.true_value);
    let (value, true_value) =
        if is_same { (first.value, first.true_value) } else { (mean(&|one| one.value), mean(&|one| one.true_value)) };
    Some(OperatorReport {
        seconds: of.iter().flat_map(|one| one.seconds.iter().copied()).collect(),
        value,
        true_value,
        error: of.iter().filter_map(|one| one.error).reduce(f64::max),
        tolerance: of.iter().map(|one| one.tolerance).fold(0.0, f64::max),
        ..first.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::super::LIBRARY_VERSION;
    use super::super::task::Executed;
    use super::*;

    fn task(executions: u32) -> ProbeTask {
        let operator = ProbeOperator {
            name: "solver".into(),
            runs: Executed::Library("dgemm".into()),
            executions,
            in_target: 2_000.0,
            from: Vec::new(),
        };
        ProbeTask { name: "probe".into(), task_type: String::new(), operators: vec![operator] }
    }

    /// The report of a process whose executions took these times.
    fn report(task: ProbeTask, seconds: &[f64]) -> ProbeReport {
        ProbeReport {
            report: "probe".into(),
            library: LIBRARY_VERSION,
            tool: "gpu-bench".into(),
            began: "2026-11-02T14:00:00Z".into(),
            processor: "a processor".into(),
            unit: "cpu:2".into(),
            units: 1,
            threads: 2,
            task,
            seconds: seconds.iter().sum(),
            operators: vec![OperatorReport {
                name: "solver".into(),
                seconds: seconds.to_vec(),
                value: Some(1.0),
                true_value: Some(1.0),
                error: Some(1e-15),
                tolerance: 1e-12,
                failure: None,
            }],
            machine: None,
            processes: None,
        }
    }

    #[test]
    fn executions_are_divided_evenly() {
        let executions = |parts: &[ProbeTask]| parts.iter().map(|of| of.operators[0].executions).collect::<Vec<u32>>();
        assert_eq!(task(10).divided(4).map(|parts| executions(&parts)), Ok(vec![3, 3, 2, 2]));
        assert_eq!(task(3).divided(1).map(|parts| executions(&parts)), Ok(vec![3]));
        let few = task(3).divided(4).expect_err("too few");
        assert!(few.starts_with("“solver” is executed 3 times, which cannot be divided among 4 units"), "{few}");
    }

    #[test]
    fn the_time_of_several_processes_is_that_of_the_slowest() {
        let parts = task(3).divided(2).expect("parts");
        let reports = [report(parts[0].clone(), &[0.25, 0.25]), report(parts[1].clone(), &[0.75])];
        let joined = super::joined(&task(3), &reports).expect("a report");
        assert_eq!((joined.seconds, joined.units, joined.threads, joined.fault()), (0.75, 2, 4, None));
        assert_eq!(joined.operators[0].seconds, [0.25, 0.25, 0.75]);
        // 2,000 executions of 1.25 s ÷ 3, on two units at once.
        let target = joined.target_seconds().expect("a time");
        assert!((target - 2_000.0 * 1.25 / 3.0 / 2.0).abs() < 1e-9, "{target}");
        assert_eq!(joined.task.fingerprint(), task(3).fingerprint());
        // A time below that of the slowest process cannot be.
        let impossible = ProbeReport { seconds: 0.5, ..joined }.fault().expect("a fault");
        assert!(impossible.contains("took 1.25 s together"), "{impossible}");

        let swapped = [reports[1].clone(), reports[0].clone()];
        let why = super::joined(&task(3), &swapped).expect_err("swapped");
        assert_eq!(why, "unit 1: its report is not that of its part of the probe");
        let mut wrong = reports;
        wrong[1].operators[0].failure = Some("value 2, right is 1".into());
        assert_eq!(super::joined(&task(3), &wrong).expect_err("wrong"), "unit 2: solver: value 2, right is 1");
    }
}
