//! The schedule of work: centre, units and start of each task, with a reason, compared with baselines without measurements.

use std::collections::BTreeMap;

use super::centre::CentreOutcome;
use super::study::{Centre, Planning, Probe, UnitType, Work};
use crossover_quantity::text::counted;
use crossover_quantity::unit;
use crossover_study::Watch;

/// Seconds of an hour.
const HOUR: f64 = 3_600.0;

/// A scheduled task.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduledTask {
    /// Index in the list of work.
    pub work: usize,
    /// Number of the copy, from 0.
    pub copy: usize,
    /// Index of the centre.
    pub centre: usize,
    /// Units.
    pub units: f64,
    /// Start, hours after the start of the plan.
    pub from: f64,
    /// End, hours after the start of the plan.
    pub until: f64,
    /// Cost, US dollars.
    pub cost: f64,
    /// Reason of the choice; empty in baselines.
    pub reason: String,
}

/// A plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Planner of the plan.
    pub planner: Planner,
    /// All tasks.
    pub tasks: Vec<ScheduledTask>,
    /// End of the last task, hours.
    pub makespan: f64,
    /// Cost of all tasks.
    pub cost: f64,
    /// Objective that is minimised: cost + value of the hours from arrival to end of each task.
    pub objective: f64,
}

/// A planner: from probes, or a baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planner {
    /// By score, scaling and window.
    Measured,
    /// All units of the centre with the most units.
    MostUnits,
    /// All units of the centre with the highest benchmark rate.
    Benchmark,
    /// All units of one centre after another.
    RoundRobin,
}

impl Planner {
    /// The baselines, in the order of tables.
    pub const BASELINES: [Self; 3] = [Self::MostUnits, Self::Benchmark, Self::RoundRobin];

    /// Name for the user.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Measured => "by probes",
            Self::MostUnits => "most units",
            Self::Benchmark => "best benchmark",
            Self::RoundRobin => "round robin",
        }
    }
}

/// All plans: from probes first, then the baselines. Empty without work or without a centre that can run it; `None` if
/// cancelled.
#[must_use]
pub fn plans(study: &Probe, centres: &[CentreOutcome], watch: Watch<'_>) -> Option<Vec<Plan>> {
    let open: Vec<usize> = (0..centres.len()).filter(|centre| centres[*centre].target.is_some()).collect();
    let tasks = tasks(study);
    if open.is_empty() || tasks.is_empty() {
        return Some(Vec::new());
    }
    let scheduler = Scheduler { study, centres, open };
    let has_benchmark = scheduler.open.iter().any(|centre| study.centres[*centre].benchmark_tops > 0.0);
    let baselines = Planner::BASELINES.into_iter().filter(|planner| *planner != Planner::Benchmark || has_benchmark);
    std::iter::once(Planner::Measured).chain(baselines).map(|planner| scheduler.plan(&tasks, planner, watch)).collect()
}

/// A task to schedule.
#[derive(Debug, Clone, Copy)]
struct Task {
    work: usize,
    copy: usize,
}

/// Every copy by arrival time; of equal arrivals the largest first.
fn tasks(study: &Probe) -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    for (work, of) in study.work.iter().enumerate() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 10,000")]
        tasks.extend((0..of.copies as usize).map(|copy| Task { work, copy }));
    }
    let of = |task: &Task| &study.work[task.work];
    tasks.sort_by(|a, b| {
        of(a).arrives_after_hours.total_cmp(&of(b).arrives_after_hours).then(of(b).size.total_cmp(&of(a).size))
    });
    tasks
}

/// Centres with their results.
struct Scheduler<'a> {
    study: &'a Probe,
    centres: &'a [CentreOutcome],
    /// Centres with a known time of the target task.
    open: Vec<usize>,
}

/// A possible start of a task on units of a centre.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    centre: usize,
    units: f64,
    from: f64,
    until: f64,
    cost: f64,
    /// Whether it waits for the best window of the day.
    is_in_window: bool,
}

impl Scheduler<'_> {
    fn plan(&self, tasks: &[Task], planner: Planner, watch: Watch<'_>) -> Option<Plan> {
        let mut free: Vec<Free> = (0..self.centres.len()).map(|centre| Free::new(self.most(centre))).collect();
        let mut scheduled = Vec::with_capacity(tasks.len());
        for (index, task) in tasks.iter().enumerate() {
            if watch.is_cancelled() {
                return None;
            }
            let work = &self.study.work[task.work];
            let (candidate, reason) = match planner {
                Planner::Measured => self.best(work, &free),
                _ => (self.baseline(planner, index, work, &free), String::new()),
            };
            free[candidate.centre].take(candidate.units, candidate.from, candidate.until);
            let Candidate { centre, units, from, until, cost, .. } = candidate;
            scheduled.push(ScheduledTask {
                work: task.work,
                copy: task.copy,
                centre,
                units,
                from,
                until,
                cost,
                reason,
            });
        }
        let cost = scheduled.iter().map(|task| task.cost).sum::<f64>();
        let hours: f64 = scheduled.iter().map(|task| task.until - self.study.work[task.work].arrives_after_hours).sum();
        Some(Plan {
            planner,
            makespan: scheduled.iter().map(|task| task.until).fold(0.0, f64::max),
            objective: cost + self.planning().hour_value * hours,
            cost,
            tasks: scheduled,
        })
    }

    fn planning(&self) -> &Planning {
        &self.study.planning
    }

    /// Units of the type of a centre that is compared.
    fn most(&self, centre: usize) -> f64 {
        self.of_type(centre, |of| of.count)
    }

    fn of_type(&self, centre: usize, value: impl Fn(&UnitType) -> f64) -> f64 {
        let of: &Centre = &self.study.centres[centre];
        self.centres[centre].unit.as_ref().ok().and_then(|unit| of.units.get(*unit)).map_or(0.0, value)
    }

    /// A task on a number of units, as early as they are free, or at the next `window` hour of the day.
    fn candidate(&self, centre: usize, units: f64, work: &Work, free: &Free, window: Option<f64>) -> Candidate {
        let of = &self.centres[centre];
        let earliest = free.earliest(units).max(work.arrives_after_hours);
        let begins = self.planning().start_hour;
        let from = match window {
            Some(hour) => earliest + (hour - (begins + earliest)).rem_euclid(24.0),
            None => earliest,
        };
        let alone = of.target.map_or(0.0, |(target, _)| target.mean) * of.slowdown(units) * work.size / HOUR;
        let hours = if work.is_networked { stretched(of, begins + from, alone) } else { alone };
        let cost = hours * units * self.of_type(centre, |of| of.price_per_hour);
        Candidate { centre, units, from, until: from + hours, cost, is_in_window: window.is_some() }
    }

    /// The option with the least objective, over all centres, numbers of units, and start at once or in the best window.
    fn best(&self, work: &Work, free: &[Free]) -> (Candidate, String) {
        let objective = |candidate: &Candidate| {
            candidate.cost + self.planning().hour_value * (candidate.until - work.arrives_after_hours)
        };
        let mut candidates: BTreeMap<usize, Candidate> = BTreeMap::new();
        for centre in &self.open {
            let of = &self.centres[*centre];
            let window = of.best_window().filter(|_| work.is_networked);
            // Without a fit the time on other units is not known.
            let halves = if of.scaled.is_ok() { usize::MAX } else { 1 };
            for units in numbers(of.recommended.min(self.most(*centre))).take(halves) {
                for window in [None].into_iter().chain(window.map(|window| Some(window.from))) {
                    let candidate = self.candidate(*centre, units, work, &free[*centre], window);
                    let is_better = candidates.get(centre).is_none_or(|other| objective(&candidate) < objective(other));
                    if is_better {
                        candidates.insert(*centre, candidate);
                    }
                }
            }
        }
        let mut order: Vec<Candidate> = candidates.into_values().collect();
        order.sort_by(|a, b| objective(a).total_cmp(&objective(b)));
        let best = order[0];
        (best, self.reason(&best, order.get(1), work))
    }

    /// "16 units: lower cost + value of time than on the recommended 32; next best: B, ends 24 min later and costs 35.66 USD more".
    fn reason(&self, candidate: &Candidate, second: Option<&Candidate>, work: &Work) -> String {
        let of = &self.centres[candidate.centre];
        let recommended = of.recommended.min(self.most(candidate.centre));
        let units = if of.scaled.is_err() {
            "the compared units (no scaling fit)".to_owned()
        } else if candidate.units < recommended {
            let [units, recommended] = [counted(candidate.units, "unit"), unit::Unit::Count.format(recommended)];
            format!("{units}: lower cost + value of time than on the recommended {recommended}")
        } else {
            "recommended units".to_owned()
        };
        let against = match second {
            None => "no other centre has run the probe".to_owned(),
            Some(second) => {
                let (later, dearer) = (second.until - candidate.until, second.cost - candidate.cost);
                let hours = unit::elapsed(later.abs() * HOUR);
                let money = unit::Unit::UsDollars.format(dearer.abs());
                let hours = format!("{hours} {}", if later >= 0.0 { "later" } else { "earlier" });
                let more = if dearer >= 0.0 { "more" } else { "less" };
                format!("next best: {}, ends {hours} and costs {money} {more}", self.study.centres[second.centre].name)
            }
        };
        let waited = candidate.from > work.arrives_after_hours + 1e-9;
        let when = match (candidate.is_in_window, waited) {
            (true, _) => "; started in the best window of the day",
            (false, true) => "; started when units became free",
            (false, false) => "",
        };
        format!("{units}; {against}{when}")
    }

    /// The choice of a baseline: all units of a centre, as soon as they are free.
    fn baseline(&self, planner: Planner, index: usize, work: &Work, free: &[Free]) -> Candidate {
        let by = |value: &dyn Fn(usize) -> f64| {
            // Of equal centres, the first.
            self.open.iter().copied().reduce(|best, centre| if value(centre) > value(best) { centre } else { best })
        };
        let centre = match planner {
            Planner::MostUnits => by(&|centre| self.most(centre)),
            Planner::Benchmark => by(&|centre| self.study.centres[centre].benchmark_tops),
            Planner::RoundRobin | Planner::Measured => self.open.get(index % self.open.len()).copied(),
        };
        let centre = centre.unwrap_or(self.open[0]);
        self.candidate(centre, self.most(centre), work, &free[centre], None)
    }
}

/// Time of a task that depends on the network and starts at an hour, hours; computed hour by hour.
fn stretched(of: &CentreOutcome, begins: f64, alone: f64) -> f64 {
    if of.network.is_none() {
        return alone;
    }
    let (mut at, mut left) = (begins, alone);
    // Beyond a week every hour occurs equally often.
    for _ in 0..=168 {
        let until = at.floor() + 1.0;
        let factor = of.at_hour(at);
        let done = (until - at) / factor;
        if done >= left {
            return at + left * factor - begins;
        }
        left -= done;
        at = until;
    }
    at + left - begins
}

/// Numbers of units to try: the most, halved down to 1.
fn numbers(most: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(most.max(1.0)), |units| (*units > 1.0).then(|| (units / 2.0).floor()))
}

/// Free units of a centre over time.
#[derive(Debug, Clone)]
struct Free {
    /// Hour, and number of units that become free then; in ascending order.
    from: Vec<(f64, f64)>,
}

impl Free {
    fn new(units: f64) -> Self {
        Self { from: vec![(0.0, units)] }
    }

    /// Earliest hour at which this many units are free at once.
    fn earliest(&self, units: f64) -> f64 {
        let mut sum = 0.0;
        for (hour, free) in &self.from {
            sum += free;
            if sum >= units {
                return *hour;
            }
        }
        self.from.last().map_or(0.0, |(hour, _)| *hour)
    }

    /// Allocates units from an hour on: of the free ones those that became free last, so that earlier ones stay available.
    fn take(&mut self, units: f64, from: f64, until: f64) {
        let mut missing = units;
        let free = self.from.iter().rposition(|(hour, _)| *hour <= from).map_or(0, |place| place + 1);
        for (_, free) in self.from[..free].iter_mut().rev() {
            let taken = free.min(missing);
            *free -= taken;
            missing -= taken;
        }
        self.from.retain(|(_, free)| *free > 0.0);
        let place = self.from.partition_point(|(hour, _)| *hour <= until);
        self.from.insert(place, (until, units));
    }
}
