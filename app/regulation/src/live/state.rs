//! What is watched, how it is looked at, and what has been made of it.

use std::time::Duration;

use crossover_chart::Chart;
use crossover_chart::lines::LineChart;
use crossover_page::widgets::bus_speed;
use crossover_regulation::recording::Recording;
use crossover_regulation::{Controller, Regulation};
use crossover_telemetry::watch::{LONGEST_PERIOD, SHORTEST_PERIOD};
use crossover_telemetry::{Device, EndReason, Link, Opener, Reading, Watch};
use egui::Context;

use super::charts::charts;
use super::data;
use super::record::recording;
use super::track::{Basis, Point, Track};

/// Samples that are kept: an hour of one a second.
const KEEP: usize = 3600;

/// What is watched.
#[derive(Debug)]
pub struct State {
    watching: Option<Watching>,
    /// Why no thread could be started.
    problem: Option<String>,
    /// Whether the picture stands still.
    pub(super) is_paused: bool,
    /// Place of the GPU that is looked at.
    pub(super) device: usize,
    /// Name of the controller that advises; none, or not in the study: the clusters' own.
    pub(super) controller: Option<String>,
    /// Bus speed that the user assumes, GB/s.
    pub(super) assumed_bus: Option<f64>,
    /// How far the charts go back, minutes.
    pub(super) minutes: u32,
    /// Time that the crosshair is pinned to, seconds after watching began.
    pub(super) pinned_seconds: Option<f64>,
    track: Track,
    /// The charts of the track; none before anything was seen.
    pub(super) charts: Vec<LineChart>,
    /// What the charts were made of.
    charted: (u64, u32),
}

impl Default for State {
    fn default() -> Self {
        Self {
            watching: None,
            problem: None,
            is_paused: false,
            device: 0,
            controller: None,
            assumed_bus: None,
            minutes: 5,
            pinned_seconds: None,
            track: Track::default(),
            charts: Vec::new(),
            charted: (0, 0),
        }
    }
}

/// A watch, going on or over.
#[derive(Debug)]
struct Watching {
    watch: Watch,
    period: Duration,
    is_over: bool,
}

/// Where the bus speed comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BusSource {
    /// The link that the driver tells.
    Link(Link),
    /// The user's word.
    User,
    /// Nobody said anything.
    Assumed,
}

/// Time from one sample to the next: the study's sampling period, brought to what a driver can do.
pub(super) fn sampling_period(study: &Regulation) -> Duration {
    let seconds = study.run.period_seconds.clamp(SHORTEST_PERIOD.as_secs_f64(), LONGEST_PERIOD.as_secs_f64());
    Duration::from_secs_f64(seconds)
}

impl State {
    /// Begins to watch; what was seen before is dropped.
    pub(crate) fn start(&mut self, opener: &Opener, study: &Regulation, ctx: &Context) {
        let period = sampling_period(study);
        self.is_paused = false;
        self.pinned_seconds = None;
        self.track = Track::default();
        let ctx = ctx.clone();
        let wake = Box::new(move |after| ctx.request_repaint_after(after));
        match Watch::start(opener.open(), period, KEEP, wake) {
            Ok(watch) => {
                self.problem = None;
                self.watching = Some(Watching { watch, period, is_over: false });
            }
            Err(error) => {
                self.problem = Some(format!("The system gives no thread to watch with: {error}"));
                self.watching = None;
            }
        }
    }

    /// Ends watching; what was seen stays.
    pub(crate) fn stop(&mut self) {
        self.is_paused = false;
        if let Some(watching) = &mut self.watching {
            watching.watch.update();
            watching.watch.stop();
            watching.is_over = true;
        }
    }

    /// Takes over what has arrived, and computes what the controller makes of it.
    pub(super) fn update(&mut self, study: &Regulation) {
        let Some(watching) = &mut self.watching else { return };
        if !watching.is_over && !self.is_paused {
            watching.watch.update();
            watching.is_over = watching.watch.ended().is_some();
        }
        self.device = self.device.min(watching.watch.devices().len().saturating_sub(1));
        let (bus, _) = self.bus();
        let Some(controller) = self.controller(study) else { return };
        let basis = Basis::new(self.device, bus, study, controller);
        if let Some(watching) = &self.watching {
            self.track.update(watching.watch.samples(), basis);
        }
        self.chart();
    }

    /// Draws the charts anew if there is anything new in them.
    fn chart(&mut self) {
        let charted = (self.track.revision(), self.minutes);
        if self.charted == charted {
            return;
        }
        let points = self.charted_points();
        let activity = self.last_reading().and_then(|reading| reading.activity);
        let name = activity.map_or("p_d, compute".to_owned(), |activity| format!("p_d, {}", activity.label()));
        let dead_zone = self.track.dead_zone();
        let drawn = charts(&points, &name, dead_zone).to_vec();
        drop(points);
        self.charts = drawn;
        self.charted = charted;
    }

    /// What lies in the minutes that the charts show, the oldest first.
    fn charted_points(&self) -> impl Iterator<Item = &Point> + Clone {
        let points = self.track.points();
        let from = points.back().map_or(0.0, |last| last.seconds - f64::from(self.minutes) * 60.0);
        points.range(points.partition_point(|point| point.seconds < from)..)
    }

    /// What the charts show as CSV, or why there is nothing.
    pub(crate) fn data_csv(&self) -> Result<String, String> {
        if self.track.points().is_empty() {
            return Err("Nothing has been seen yet; start watching first".to_owned());
        }
        Ok(data::csv(self.charted_points()))
    }

    /// Whether the thread samples.
    #[must_use]
    pub fn is_watching(&self) -> bool {
        self.watching.as_ref().is_some_and(|watching| !watching.is_over)
    }

    /// Samples that were seen and are kept.
    #[must_use]
    pub fn sample_count(&self) -> usize {
        self.watching.as_ref().map_or(0, |watching| watching.watch.samples().len())
    }

    /// Whether anything was seen.
    pub(super) fn has_samples(&self) -> bool {
        self.sample_count() > 0
    }

    /// The GPUs that are watched.
    #[must_use]
    pub fn devices(&self) -> &[Device] {
        self.watching.as_ref().map_or(&[], |watching| watching.watch.devices())
    }

    /// Why watching ended by itself, or did not begin.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        let ended = self.watching.as_ref().and_then(|watching| watching.watch.ended()).map(EndReason::to_string);
        ended.or_else(|| self.problem.clone())
    }

    /// Seconds from the begin to the last sample.
    pub(super) fn elapsed(&self) -> f64 {
        let samples = self.watching.as_ref().map(|watching| watching.watch.samples());
        samples.and_then(|samples| samples.back()).map_or(0.0, |sample| sample.seconds)
    }

    /// Time from one sample to the next.
    pub(super) fn period(&self) -> Duration {
        self.watching.as_ref().map_or(Duration::ZERO, |watching| watching.period)
    }

    /// How long nothing has been heard from a source that ought to tell something.
    pub(super) fn silent_for(&self) -> Duration {
        self.watching
            .as_ref()
            .filter(|watching| !watching.is_over)
            .map_or(Duration::ZERO, |watching| watching.watch.silent_for())
    }

    /// The last reading of the chosen GPU.
    pub(super) fn last_reading(&self) -> Option<&Reading> {
        self.readings().next_back()
    }

    /// The readings of the chosen GPU, the oldest first.
    fn readings(&self) -> impl DoubleEndedIterator<Item = &Reading> {
        let samples = self.watching.iter().flat_map(|watching| watching.watch.samples());
        samples.filter_map(|sample| sample.readings.iter().find(|reading| reading.device == self.device))
    }

    /// The charts, to be written to files.
    pub(crate) fn charts(&self) -> Vec<Chart> {
        self.charts.iter().cloned().map(Chart::Lines).collect()
    }

    /// What was seen of all GPUs, as a recording; `None` if that was nothing.
    pub(crate) fn recording(&self) -> Option<Recording> {
        let watch = &self.watching.as_ref()?.watch;
        Some(recording(watch.devices(), watch.samples())).filter(|recording| !recording.tracks.is_empty())
    }

    /// What was made of the samples.
    pub(super) fn track(&self) -> &Track {
        &self.track
    }

    /// The controller that advises.
    pub(super) fn controller<'s>(&self, study: &'s Regulation) -> Option<&'s Controller> {
        let named = |name: &str| study.controllers.iter().find(|controller| controller.name == name);
        self.controller.as_deref().and_then(named).or_else(|| named(&study.policy.controller))
    }

    /// Speed of one direction of the bus, GB/s, and where it comes from.
    pub(super) fn bus(&self) -> (f64, BusSource) {
        if let Some(speed) = self.assumed_bus {
            return (speed, BusSource::User);
        }
        let link = self.readings().next().and_then(|first| first.link);
        let told = link.and_then(|link| Some((link.gb_per_s()?, BusSource::Link(link))));
        told.unwrap_or((bus_speed::USUAL, BusSource::Assumed))
    }

    /// Speed of one direction of the bus that is assumed or told, GB/s; `None` if nobody said anything.
    pub(crate) fn bus_speed(&self) -> Option<f64> {
        let (speed, source) = self.bus();
        (source != BusSource::Assumed).then_some(speed)
    }
}
