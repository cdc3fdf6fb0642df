//! The sums of the events of a log.

use std::collections::BTreeMap;

use crossover_quantity::unread::Unread;

use super::calendar::moment;
use super::cluster::Machines;
use super::events::{ApplicationStart, Event, Execution};
use super::native::Loaded;
use super::raw::{RawNode, RawQuery, RawStage};
use super::stage::Tally;
use super::sums::Sums;
use super::tasks::TaskEnd;
use super::unread;
use crate::import::Run;

/// Most memory for a log of any size, bytes. A join of three tables has 200 parts of about 100 bytes and 10 kB of
/// texts, so that is the log of 70,000 of them.
const MOST_BYTES: usize = 2 << 30;
/// Memory of one part of a plan, stage, executor or sum, bytes: about the mean.
const PART_BYTES: usize = 100;

/// The sums of all events so far. Their size depends on the number of queries and stages, not of tasks.
pub(super) struct Log {
    /// Lines that were understood.
    pub(super) lines: u64,
    /// Those of them that are events of Spark with figures.
    pub(super) events: u64,
    /// Spark's version.
    version: Option<String>,
    /// The application.
    pub(super) application: Option<ApplicationStart>,
    /// Whether its end is in the log.
    pub(super) ended: bool,
    /// When it ended, milliseconds since 1970; until then the latest time of an event.
    end_ms: Option<u64>,
    /// Its executors.
    pub(super) machines: Machines,
    /// Engines that run plans instead of Spark.
    pub(super) engines: Loaded,
    /// Settings of plugins and accelerators that nothing uses.
    unread_settings: Unread,
    queries: BTreeMap<u64, RawQuery>,
    stages: BTreeMap<u64, Tally>,
    /// The SQL execution of each job that runs.
    jobs: BTreeMap<u64, u64>,
    /// When each job that runs for no SQL execution started.
    others: BTreeMap<u64, u64>,
    /// When those that ended ran, from and to.
    other_spans: Vec<(u64, u64)>,
    sums: Sums,
    /// Operators of all plans, with their metrics and other parts.
    parts: usize,
    /// Attempts of stages and groups of their tasks.
    attempts: usize,
    /// Bytes of the texts of all queries.
    text: usize,
    /// Most memory, bytes.
    most_bytes: usize,
}

impl Default for Log {
    fn default() -> Self {
        Self::within(MOST_BYTES)
    }
}

/// The log cannot be used: it has several applications, whose ids mean different things, or too much of anything. The
/// error message.
#[derive(Debug, PartialEq)]
pub(super) struct Unusable(pub(super) String);

impl Log {
    /// An empty log with this memory limit.
    fn within(most_bytes: usize) -> Self {
        Self {
            lines: 0,
            events: 0,
            version: None,
            application: None,
            ended: false,
            end_ms: None,
            machines: Machines::default(),
            engines: Loaded::default(),
            unread_settings: Unread::default(),
            queries: BTreeMap::new(),
            stages: BTreeMap::new(),
            jobs: BTreeMap::new(),
            others: BTreeMap::new(),
            other_spans: Vec::new(),
            sums: Sums::default(),
            parts: 0,
            attempts: 0,
            text: 0,
            most_bytes,
        }
    }

    /// Adds an event.
    ///
    /// # Errors
    /// It is the start of another application, or the log has more in it than can be held.
    pub(super) fn add(&mut self, event: Event) -> Result<(), Unusable> {
        self.lines += 1;
        if self.bytes() > self.most_bytes {
            return Err(Unusable::too_large(self.most_bytes));
        }
        self.events += u64::from(!matches!(event, Event::Other));
        match event {
            Event::TaskEnd(task) => self.task_ended(&task),
            Event::LogStart(start) => self.version = Some(start.version),
            Event::Environment(environment) => {
                self.machines.configure(&environment.spark);
                self.engines.configure(&environment.spark, environment.class_path.keys().map(String::as_str));
                unread::add_settings(environment.spark.keys(), &mut self.unread_settings);
            }
            Event::RapidsBuild(build) => self.engines.rapids(&build),
            Event::GlutenBuild(build) => self.engines.gluten(&build),
            Event::ApplicationStart(application) => match self.application.take() {
                Some(first) if !first.is_of(&application) => return Err(Unusable::second(&first, &application)),
                first => {
                    let time = moment(application.time);
                    self.saw(time);
                    self.application = first.or(Some(ApplicationStart { time, ..application }));
                }
            },
            Event::ApplicationEnd(end) => {
                self.ended = true;
                self.end_ms = moment(end.time).or(self.end_ms);
            }
            Event::ExecutorAdded(executor) => self.machines.add(executor),
            Event::ExecutorRemoved(executor) => self.machines.remove(&executor.id),
            Event::JobStart(job) => {
                if let Some(execution) = job.execution {
                    self.jobs.insert(job.id, execution);
                    for stage in job.stages {
                        self.stages.entry(stage).or_default().execution.get_or_insert(execution);
                    }
                } else if let Some(time) = moment(job.time) {
                    self.others.insert(job.id, time);
                }
            }
            Event::JobEnd(job) => {
                let time = moment(job.time);
                self.saw(time);
                if let Some((from, to)) = self.others.remove(&job.id).zip(time).filter(|(from, to)| from < to) {
                    self.other_spans.push((from, to));
                }
                if let (Some(execution), Some(failure)) = (self.jobs.remove(&job.id), job.result.failure()) {
                    self.tell(execution, |query| _ = query.failure.get_or_insert(failure));
                }
            }
            Event::StageSubmitted(stage) => {
                let tally = self.stages.entry(stage.id).or_default();
                let before = tally.held();
                tally.submit(&stage);
                self.attempts += tally.held() - before;
                // Of several jobs that need a stage, one runs it.
                tally.execution = stage.execution.or(tally.execution);
            }
            Event::StageCompleted(stage) => {
                for (accumulator, _) in stage.accumulables.0 {
                    self.sums.visit(accumulator, stage.id, None);
                }
            }
            Event::Execution(execution) => self.execution_started(execution),
            Event::AdaptivePlan(Execution { id, nodes, .. }) => {
                // The last plan is the one that ran; accumulators that it shares with earlier ones keep their totals.
                if !nodes.is_empty() {
                    self.replace_nodes(id, nodes);
                }
            }
            Event::DriverUpdates(driver) => self.sums.add_of_driver(&driver.updates),
            Event::ExecutionEnd(end) => {
                let time = moment(end.time);
                self.saw(time);
                self.tell(end.id, |query| {
                    query.end_ms = time;
                    // An empty message says that all went well, even if a job had to be repeated.
                    if let Some(error) = end.error {
                        query.failure = Some(error).filter(|error| !error.is_empty());
                    }
                });
            }
            Event::Other => {}
        }
        Ok(())
    }

    /// Notes the time of an event.
    fn saw(&mut self, time: Option<u64>) {
        if !self.ended {
            self.end_ms = self.end_ms.max(time);
        }
    }

    fn query(&mut self, id: u64) -> &mut RawQuery {
        self.queries.entry(id).or_insert_with(|| RawQuery { id, ..RawQuery::default() })
    }

    fn execution_started(&mut self, execution: Execution) {
        let Execution { id, root, description, time, nodes } = execution;
        self.replace_nodes(id, nodes);
        self.tell(id, |query| {
            let nodes = std::mem::take(&mut query.nodes);
            *query = RawQuery { id, root, description, start_ms: moment(time), nodes, ..RawQuery::default() };
        });
    }

    /// Changes what is known of a query but for its plan.
    fn tell(&mut self, id: u64, change: impl FnOnce(&mut RawQuery)) {
        let query = self.query(id);
        let text = |query: &RawQuery| query.description.len() + query.failure.as_ref().map_or(0, String::len);
        let before = text(query);
        change(query);
        let after = text(query);
        self.text = self.text + after - before;
    }

    fn replace_nodes(&mut self, id: u64, nodes: Vec<RawNode>) {
        let parts = |nodes: &[RawNode]| nodes.iter().map(RawNode::parts).sum::<usize>();
        let text = |nodes: &[RawNode]| nodes.iter().map(RawNode::text_bytes).sum::<usize>();
        self.parts += parts(&nodes);
        self.text += text(&nodes);
        let before = std::mem::replace(&mut self.query(id).nodes, nodes);
        self.parts -= parts(&before);
        self.text -= text(&before);
    }

    /// Approximate memory, bytes.
    fn bytes(&self) -> usize {
        let Self { queries, stages, jobs, others, other_spans, sums, machines, parts, attempts, .. } = self;
        let jobs = jobs.len() + others.len() + other_spans.len();
        let held = queries.len() + stages.len() + attempts + jobs + sums.held() + machines.held() + parts;
        held * PART_BYTES + self.text + machines.text_bytes()
    }

    fn task_ended(&mut self, task: &TaskEnd) {
        self.saw(task.info.finished);
        let tally = self.stages.entry(task.stage).or_default();
        let before = tally.held();
        let counts = tally.count(task);
        self.attempts += tally.held() - before;
        for (accumulator, update) in &task.info.accumulables.0 {
            self.sums.visit(*accumulator, task.stage, update.filter(|_| counts));
        }
    }

    /// The engine that ran its operators instead of Spark, with its version.
    pub(super) fn native_engine(&self) -> Option<String> {
        self.engines.ran(self.queries.values().flat_map(|query| &query.nodes))
    }

    /// Takes the settings of plugins and accelerators that nothing uses.
    pub(super) fn take_unread_settings(&mut self) -> Unread {
        std::mem::take(&mut self.unread_settings)
    }

    /// Spark and its version; Databricks logs lack Spark's version.
    pub(super) fn spark(&self) -> String {
        match (&self.version, &self.machines.databricks) {
            (Some(version), _) => format!("Spark {version}"),
            (None, Some(version)) => format!("Databricks {version}"),
            (None, None) => "Spark".to_owned(),
        }
    }

    /// The application as a whole, from the events so far.
    pub(super) fn run(&self) -> Run {
        let application = self.application.as_ref();
        let text = |field: fn(&ApplicationStart) -> &Option<String>| {
            application.and_then(|application| field(application).clone()).unwrap_or_default()
        };
        Run {
            id: text(|application| &application.id),
            attempt: text(|application| &application.attempt),
            user: text(|application| &application.user),
            queue: self.machines.queue.clone().unwrap_or_default(),
            start_ms: application.and_then(|application| application.time),
            end_ms: self.end_ms,
            ended: self.ended,
            other_jobs_ms: apart(self.other_spans.clone()),
        }
    }

    /// Queries in the order in which they started, with all totals, and the stages that ran, by id.
    pub(super) fn finish(self) -> (Vec<RawQuery>, BTreeMap<u64, RawStage>) {
        let Self { mut queries, stages, sums, .. } = self;
        for (id, tally) in stages.iter().filter(|(_, tally)| tally.ran()) {
            if let Some(query) = tally.execution.and_then(|execution| queries.get_mut(&execution)) {
                query.stages.push(*id);
            }
        }
        for node in queries.values_mut().flat_map(|query| &mut query.nodes) {
            for metric in &mut node.metrics {
                metric.total = sums.total(metric.accumulator, &metric.metric_type);
                node.stages.extend(sums.stages(metric.accumulator));
            }
            node.stages.sort_unstable();
            node.stages.dedup();
        }
        let mut queries: Vec<RawQuery> = queries.into_values().collect();
        queries.sort_by_key(|query| (query.start_ms, query.id));
        let ran = stages.into_iter().filter(|(_, tally)| tally.ran());
        (queries, ran.map(|(id, tally)| (id, tally.into_raw(id))).collect())
    }
}

/// The same times in order, those that touch as one.
fn apart(mut spans: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    spans.sort_unstable();
    let mut apart: Vec<(u64, u64)> = Vec::new();
    for (from, to) in spans {
        match apart.last_mut() {
            Some((_, end)) if from <= *end => *end = to.max(*end),
            _ => apart.push((from, to)),
        }
    }
    apart
}

impl Unusable {
    fn second(first: &ApplicationStart, second: &ApplicationStart) -> Self {
        Self(format!(
            "it has events of several applications, {} and then {}; expected the log of one application: split it \
             at each SparkListenerApplicationStart",
            first.describe(),
            second.describe()
        ))
    }

    fn too_large(most_bytes: usize) -> Self {
        Self(format!(
            "its plans, stages, executors and metrics take more than {} MiB of memory; expected the log of one application: \
             split it by its SQL executions",
            most_bytes >> 20
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a log of which 1 MiB may be held, of as many lines of a kind as would be read.
    fn refused(line: impl Fn(usize) -> String) -> Option<String> {
        let mut log = Log::within(1 << 20);
        let added = (0..20_000).try_for_each(|number| {
            let event = Event::parse(line(number).as_bytes()).expect("an event");
            log.add(event)
        });
        added.err().map(|Unusable(why)| why)
    }

    #[test]
    fn whatever_is_held_is_bounded() {
        let start = "{\"Event\":\"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart\",\"time\":1";
        let task = "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":0,\"Task End Reason\":{\"Reason\":\"Success\"}";
        let metrics = ["{\"accumulatorId\":1}"; 50].join(",");
        let text = "x".repeat(2_000);
        let lines: [&dyn Fn(usize) -> String; 7] = [
            &|id| format!("{start},\"executionId\":{id},\"description\":\"{text}\"}}"),
            &|id| format!("{start},\"executionId\":{id},\"sparkPlanInfo\":{{\"nodeName\":\"{text}\"}}}}"),
            &|id| format!("{start},\"executionId\":{id},\"sparkPlanInfo\":{{\"metrics\":[{metrics}]}}}}"),
            &|id| {
                format!(
                    "{{\"Event\":\"SparkListenerExecutorAdded\",\"Executor ID\":\"{id}\",\"Executor Info\":{{\"Host\":\"h{id}\",\"Total Cores\":1}}}}"
                )
            },
            &|id| format!("{task},\"Task Info\":{{\"Index\":{}}}}}", id * 64),
            &|id| format!("{task},\"Stage Attempt ID\":{id},\"Task Info\":{{\"Index\":0,\"Failed\":true}}}}"),
            &|id| {
                format!(
                    "{task},\"Task Info\":{{\"Index\":0,\"Accumulables\":[{{\"ID\":{id},\"Metadata\":\"sql\"}}]}}}}"
                )
            },
        ];
        for line in lines {
            let why = refused(line).unwrap_or_else(|| panic!("{} is held without end", line(7)));
            assert!(why.contains("more than 1 MiB of memory"), "{why}");
        }
        // A plan that takes the place of another takes its room.
        let again = |_| {
            format!(
                "{start},\"executionId\":1,\"description\":\"{text}\",\"sparkPlanInfo\":{{\"metrics\":[{metrics}]}}}}"
            )
        };
        assert_eq!(refused(again), None);
    }
}
