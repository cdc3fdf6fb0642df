//! Measures two programs: each alone, both beside each other with each setting, and a queue of both as the policy starts it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossover_harness::Cancel;
use crossover_harness::tool::Tool;
use crossover_measured::sharing::{
    QueueRun, SHARING_SCHEMA, SharedResource, SharedRuns, SharingDecision, SharingMeasures, SharingReport,
    SharingRound, SharingSetting, Side,
};
use jiff::Timestamp;

use super::actuator::{Actuator, Uncontrolled, actuator};
use super::error::ShareError;
use super::mps;
use super::policy::{Experience, Next, Occupant, next};
use super::stage::Stage;

/// What to measure.
#[derive(Debug, Clone)]
pub struct SharePlan {
    /// Command lines of both programs, as the user wrote them.
    pub commands: [String; 2],
    /// The same as words.
    pub lines: [Vec<String>; 2],
    /// What they share.
    pub on: SharedResource,
    /// How they run beside each other.
    pub settings: Vec<SharingSetting>,
    /// Rounds; each measures everything once.
    pub rounds: u32,
    /// Launches of each program that wait in the queue of the policy.
    pub queue_launches: u32,
    /// The longest time of a run.
    pub limit: Duration,
    /// Cgroup in which those of the programs are made; none: that of this process.
    pub cgroup: Option<PathBuf>,
}

/// Whole rounds, and why there are no more of them.
#[derive(Debug)]
pub struct ShareOutcome {
    /// The rounds so far.
    pub report: SharingReport,
    /// Why the measurement ended before its last round.
    pub stopped: Option<ShareError>,
}

/// Measures two programs. `device` is the name of what they share, and `on_step` gets each step: the number of the round and what is
/// measured.
///
/// # Errors
/// A setting is not available here; nothing was started.
pub fn run(
    plan: &SharePlan,
    device: String,
    cancel: &Cancel,
    mut on_step: impl FnMut(u32, &str),
) -> Result<ShareOutcome, ShareError> {
    let mut notes = notes(plan.on);
    let mut settings = Vec::new();
    for (number, setting) in plan.settings.iter().enumerate() {
        let (made, note) = actuator(*setting, number, plan.on, plan.cgroup.as_deref())?;
        settings.push(made);
        notes.extend(note);
    }
    let [first, second] = plan.commands.clone();
    let mut report = SharingReport {
        schema: SHARING_SCHEMA,
        measures: SharingMeasures::Sharing,
        tool: format!("gpu-bench {}", Tool::here().version),
        time: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        on: plan.on,
        device,
        notes,
        first,
        second,
        queue_launches: plan.queue_launches,
        settings: plan.settings.clone(),
        rounds: Vec::new(),
    };
    let stage = Stage::new(&plan.lines, plan.limit, cancel);
    let mut rounds = Rounds { plan, stage, settings, on_step: &mut on_step };
    let mut experience = Experience::of(plan.settings.len());
    let mut stopped = None;
    for number in 0..plan.rounds {
        match rounds.round(number, &mut experience) {
            Ok(round) => report.rounds.push(round),
            Err(why) => {
                stopped = Some(why);
                break;
            }
        }
    }
    Ok(ShareOutcome { report, stopped })
}

/// What limits the use of the figures.
fn notes(on: SharedResource) -> Vec<String> {
    let notes = match on {
        SharedResource::Cpu => vec![
            "CPU processes stand for GPU programs: how much kernels slow each other down on a GPU is not measured",
            "Where cores are idle, both programs keep their speed whatever their weights; “taskset” limits both to the same cores",
        ],
        SharedResource::Gpu => {
            let alone = if mps::is_running(&mps::folder()) {
                "The MPS control daemon runs: kernels of both programs run at the same time"
            } else {
                "The MPS control daemon does not run: the driver gives both programs the whole GPU in turn"
            };
            vec![
                alone,
                "No user program can save the context of a multiprocessor: a stopped program keeps its GPU memory, and kernels that \
                 it has launched run to their end",
                "MPS lowers the priority of all streams of a program; those within a program are set by the program alone",
            ]
        }
    };
    notes.into_iter().map(str::to_owned).collect()
}

/// What a round measures beside the queue.
#[derive(Clone, Copy)]
enum Item {
    Alone(Side),
    Together(usize),
}

/// The rounds of a plan.
struct Rounds<'run> {
    plan: &'run SharePlan,
    // Before the settings: programs end before their cgroups are removed.
    stage: Stage<'run>,
    /// What runs both programs with each setting of the plan.
    settings: Vec<Box<dyn Actuator>>,
    on_step: &'run mut dyn FnMut(u32, &str),
}

impl Rounds<'_> {
    /// Measures everything once. The order rotates, so that a machine that slows down affects numerator and denominator.
    fn round(&mut self, number: u32, experience: &mut Experience) -> Result<SharingRound, ShareError> {
        let mut items: Vec<Item> = Side::BOTH.map(Item::Alone).to_vec();
        items.extend((0..self.settings.len()).map(Item::Together));
        let places = items.len();
        items.rotate_left(number as usize % places);
        let mut round = SharingRound {
            alone_seconds: [0.0; 2],
            together: vec![SharedRuns::default(); self.settings.len()],
            queue: None,
        };
        for item in items {
            match item {
                Item::Alone(side) => {
                    let name = if side == Side::First { "the first program alone" } else { "the second program alone" };
                    (self.on_step)(number, name);
                    round.alone_seconds[side.index()] = self.alone(side)?;
                }
                Item::Together(setting) => {
                    (self.on_step)(number, &format!("both, {}", self.plan.settings[setting].label()));
                    round.together[setting] = self.together(setting)?;
                }
            }
        }
        for setting in 0..self.settings.len() {
            if let Some([first, second]) = round.progress(setting) {
                experience.observe(setting, first + second);
            }
        }
        (self.on_step)(number, "the queue of the policy");
        round.queue = Some(self.queue(experience)?);
        Ok(round)
    }

    /// Wall time of a run alone.
    fn alone(&mut self, side: Side) -> Result<f64, ShareError> {
        self.stage.start(side, &Uncontrolled)?;
        self.stage.next_end().map(|(_, seconds)| seconds)
    }

    /// Runs both beside each other until each has completed a run. One that ends before is started again, so that the other is never
    /// alone. The last run of it ends by itself, and does not count.
    fn together(&mut self, setting: usize) -> Result<SharedRuns, ShareError> {
        let actuator = &*self.settings[setting];
        for side in Side::BOTH {
            self.stage.start(side, actuator)?;
        }
        let mut runs = SharedRuns::default();
        loop {
            let (side, seconds) = self.stage.next_end()?;
            runs.seconds[side.index()].push(seconds);
            if runs.seconds.iter().all(|seconds| !seconds.is_empty()) {
                break;
            }
            self.stage.start(side, actuator)?;
        }
        while Side::BOTH.into_iter().any(|side| self.stage.is_running(side)) {
            self.stage.next_end()?;
        }
        Ok(runs)
    }

    /// Runs a queue of launches of both programs, all of which arrive at once, as the policy decides between launches.
    fn queue(&mut self, experience: &Experience) -> Result<QueueRun, ShareError> {
        let mut waiting = [self.plan.queue_launches; 2];
        let mut running: Option<Occupant> = None;
        let mut decisions = Vec::new();
        let began = Instant::now();
        loop {
            let at_seconds = began.elapsed().as_secs_f64();
            let (started, setting, sum) = match next(experience, waiting, running) {
                Next::Done => break,
                Next::Wait => (Vec::new(), None, None),
                Next::Alone(side) => (vec![side], None, None),
                Next::Beside { side, setting, sum } => (vec![side], Some(setting), Some(sum)),
                Next::Both { setting, sum } => (Side::BOTH.to_vec(), Some(setting), Some(sum)),
            };
            for side in &started {
                match setting {
                    Some(setting) => self.stage.start(*side, &*self.settings[setting])?,
                    None => self.stage.start(*side, &Uncontrolled)?,
                }
                waiting[side.index()] -= 1;
            }
            if !started.is_empty() {
                let setting = setting.map(|setting| self.plan.settings[setting]);
                decisions.push(SharingDecision { at_seconds, started, setting, expected_sum: sum });
            }
            let in_use = setting.or(running.and_then(|running| running.setting));
            let (ended, _) = self.stage.next_end()?;
            let left = Some(ended.other()).filter(|side| self.stage.is_running(*side));
            running = left.map(|side| Occupant { side, setting: in_use });
        }
        Ok(QueueRun { makespan_seconds: began.elapsed().as_secs_f64(), decisions })
    }
}
