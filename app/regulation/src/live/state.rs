//! The watch, its view and its charts.

use std::time::Duration;

use crossover_chart::Chart;
use crossover_chart::lines::LineChart;
use crossover_page::widgets::bus_speed;
use crossover_page::widgets::empty::SamplePicture;
use crossover_regulation::recording::Recording;
use crossover_regulation::{Controller, Regulation};
use crossover_telemetry::watch::{LONGEST_PERIOD, SHORTEST_PERIOD};
use crossover_telemetry::{Device, EndReason, Link, Opener, Reading, Watch};
use egui::Context;

use super::charts::charts;
use super::data;
use super::record::recording;
use super::sample;
use super::track::{Basis, Point, Track};

/// Samples that are kept: an hour of one a second.
const KEEP: usize = 3600;

/// State of the section.
#[derive(Debug)]
pub struct State {
    watching: Option<Watching>,
    /// Why no thread could be started.
    problem: Option<String>,
    /// Whether the charts are paused.
    pub(super) is_paused: bool,
    /// Index of the watched GPU.
    pub(super) device: usize,
    /// Name of the advising controller; none, or not in the study: the chosen one.
    pub(super) controller: Option<String>,
    /// Bus speed that the user assumes, GB/s.
    pub(super) assumed_bus: Option<f64>,
    /// How far the charts go back, minutes.
    pub(super) minutes: u32,
    /// Time that the crosshair is pinned to, seconds after watching began.
    pub(super) pinned_seconds: Option<f64>,
    track: Track,
    /// The charts of the track; none before the first sample.
    pub(super) charts: Vec<LineChart>,
    /// Inputs of the charts.
    charted: (u64, u32),
    /// The picture of the section before the first sample.
    pub(super) sample: SamplePicture,
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
            sample: SamplePicture::new(sample::picture),
        }
    }
}

/// A running or finished watch.
#[derive(Debug)]
struct Watching {
    watch: Watch,
    period: Duration,
    is_over: bool,
}

/// Where the bus speed comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BusSource {
    /// The link that the driver reports.
    Link(Link),
    /// Entered by the user.
    User,
    /// Default: neither reported nor entered.
    Assumed,
}

/// Time from one sample to the next: the study's sampling period, limited to the polling intervals of a driver.
pub(super) fn sampling_period(study: &Regulation) -> Duration {
    let seconds = study.run.period_seconds.clamp(SHORTEST_PERIOD.as_secs_f64(), LONGEST_PERIOD.as_secs_f64());
    Duration::from_secs_f64(seconds)
}

impl State {
    /// Starts to watch and discards earlier samples.
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
                self.problem = Some(format!("Cannot start the sampling thread: {error}"));
                self.watching = None;
            }
        }
    }

    /// Ends watching and keeps the samples.
    pub(crate) fn stop(&mut self) {
        self.is_paused = false;
        if let Some(watching) = &mut self.watching {
            watching.watch.update();
            watching.watch.stop();
            watching.is_over = true;
        }
    }

    /// Takes new samples and computes the controller output for them.
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

    /// Draws the charts again if their inputs have changed.
    fn chart(&mut self) {
        let charted = (self.track.revision(), self.minutes);
        if self.charted == charted {
            return;
        }
        let points = self.charted_points();
        let activity = self.last_reading().and_then(|reading| reading.activity);
        let name = activity
            .map_or("compute load p_d".to_owned(), |activity| format!("compute load p_d: {}", activity.label()));
        let dead_zone = self.track.dead_zone();
        let drawn = charts(&points, &name, dead_zone).to_vec();
        drop(points);
        self.charts = drawn;
        self.charted = charted;
    }

    /// The samples in the time range of the charts, the oldest first.
    fn charted_points(&self) -> impl Iterator<Item = &Point> + Clone {
        let points = self.track.points();
        let from = points.back().map_or(0.0, |last| last.seconds - f64::from(self.minutes) * 60.0);
        points.range(points.partition_point(|point| point.seconds < from)..)
    }

    /// The data of the charts as CSV, or why there is none.
    pub(crate) fn data_csv(&self) -> Result<String, String> {
        if self.track.points().is_empty() {
            return Err("No samples yet; choose Start monitoring first".to_owned());
        }
        Ok(data::csv(self.charted_points()))
    }

    /// Whether the picture of the section is being computed.
    pub(crate) fn is_busy(&self) -> bool {
        self.sample.is_busy()
    }

    /// Whether the thread samples.
    #[must_use]
    pub fn is_watching(&self) -> bool {
        self.watching.as_ref().is_some_and(|watching| !watching.is_over)
    }

    /// Number of kept samples.
    #[must_use]
    pub fn sample_count(&self) -> usize {
        self.watching.as_ref().map_or(0, |watching| watching.watch.samples().len())
    }

    /// Whether there are samples.
    pub(super) fn has_samples(&self) -> bool {
        self.sample_count() > 0
    }

    /// The GPUs that are watched.
    #[must_use]
    pub fn devices(&self) -> &[Device] {
        self.watching.as_ref().map_or(&[], |watching| watching.watch.devices())
    }

    /// Why watching ended or did not start.
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

    /// Time since the last answer of a source that should report.
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

    /// The samples of all GPUs as a recording; `None` without samples.
    pub(crate) fn recording(&self) -> Option<Recording> {
        let watch = &self.watching.as_ref()?.watch;
        Some(recording(watch.devices(), watch.samples())).filter(|recording| !recording.tracks.is_empty())
    }

    /// The samples with the controller output.
    pub(super) fn track(&self) -> &Track {
        &self.track
    }

    /// The advising controller.
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
        let reported = link.and_then(|link| Some((link.gb_per_s()?, BusSource::Link(link))));
        reported.unwrap_or((bus_speed::USUAL, BusSource::Assumed))
    }

    /// Speed of one direction of the bus, GB/s; `None` if it is neither reported nor entered.
    pub(crate) fn bus_speed(&self) -> Option<f64> {
        let (speed, source) = self.bus();
        (source != BusSource::Assumed).then_some(speed)
    }
}
