//! "Which kernel runs when?": the timeline (Gantt) of the GPU, with its slots as rows, launches as bars, and the queue.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::gantt::{Bar, BarStyle, GanttChart, Lane};
use crossover_chart::screen::Swatch;
use crossover_chart::theme::Token;
use crossover_page::span::Span;
use crossover_preemption::outcome::seconds;
use crossover_preemption::{Log, Preemption, SlotInterval, SlotState};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use egui::{Align2, FontId, Painter, Rect, RichText, Sense, Shape, Stroke, TextStyle, Ui, WidgetInfo, pos2, vec2};

use super::decisions::whole;
use super::evaluated::EvaluatedStudy;
use super::timeline::{Timeline, between, steps};
use super::{elided, legend, token};

/// Height of a slot, of the queue and of the axis, in points.
const ROW: f32 = 24.0;
const QUEUE: f32 = 34.0;
const AXIS: f32 = 16.0;
/// Room for names of rows, in points.
const NAMES: f32 = 74.0;
/// Narrower bars are drawn as wide as this, in points.
const NARROWEST: f32 = 1.0;
/// Width of a bar that can hold a number, in points.
const NAMED: f32 = 8.0;
/// Distance of the lines through a context switch, in points.
const PITCH: f32 = 5.0;
/// About so far apart are ticks, in points.
const TICKS: f32 = 120.0;
/// Title of the chart.
const TITLE: &str = "Which kernel runs when?";
/// Letters of a name in a picture.
const LETTERS: usize = 26;
/// Kernels in the legend.
const LISTED: usize = 12;

/// State of the timeline between frames.
#[derive(Debug, Default)]
pub(super) struct State {
    seen: VisibleTime,
    /// Number of the outcome.
    number: u64,
    /// Whether the chosen decision is to be brought into view.
    is_revealing: bool,
}

/// The visible part of the time.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum VisibleTime {
    /// The first launches.
    #[default]
    First,
    All,
    Between([f64; 2]),
}

impl State {
    /// Brings the chosen decision into view.
    pub(super) fn reveal(&mut self) {
        self.is_revealing = true;
    }
}

/// Draws the timeline; `number` is that of the outcome, `chosen` a decision by its index in the log; `export` draws the export menu.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    shown: &EvaluatedStudy,
    (number, chosen): (u64, Option<usize>),
    export: impl FnOnce(&mut Ui),
) {
    let (study, log, timeline) = (&shown.study, &shown.outcome.log, &shown.timeline);
    ui.add_space(10.0);
    ui.horizontal_wrapped(|ui| {
        ui.heading(TITLE);
        export(ui);
    });
    if log.intervals.is_empty() || timeline.end <= 0.0 {
        ui.weak("No launches.");
        return;
    }
    let cut = if log.is_truncated { "; the log is truncated" } else { "" };
    let text = format!(
        "First stream under {}, one row for each slot of the GPU; drag to move, Ctrl + wheel to zoom{cut}",
        study.rule.policy.label()
    );
    ui.label(RichText::new(text).weak());
    if state.number != number {
        state.number = number;
        if let VisibleTime::Between([_, until]) = state.seen
            && until > timeline.end
        {
            state.seen = VisibleTime::First;
        }
    }
    let at = chosen.and_then(|chosen| log.decisions.get(chosen)).map(|decision| decision.at);
    if let (true, Some(at)) = (std::mem::take(&mut state.is_revealing), at) {
        reveal(state, timeline, at);
    }
    legend(ui, state, study, timeline);
    ui.add_space(4.0);
    bars(ui, state, shown, at);
    ui.label(answer(timeline));
}

/// The visible part as it is exported, with the selected decision.
pub(super) fn chart(state: &State, shown: &EvaluatedStudy, chosen: Option<usize>) -> GanttChart {
    let (study, log, timeline) = (&shown.study, &shown.outcome.log, &shown.timeline);
    let seen = seen(state, timeline);
    let hertz = seconds(study, 1.0);
    let name = |kernel: u32| study.kernels.get(kernel as usize).map_or("", |kernel| kernel.name.as_str());
    let bar = |interval: &SlotInterval| Bar {
        from: interval.from * hertz,
        to: interval.to * hertz,
        token: token::kernel(interval.kernel as usize),
        style: match interval.state {
            SlotState::Done => BarStyle::Plain,
            SlotState::Preempted => BarStyle::CutShort,
            SlotState::ContextSwitch => BarStyle::Hatched,
        },
        text: if interval.state == SlotState::ContextSwitch {
            String::new()
        } else {
            format!("{} · {}", elided::letters(name(interval.kernel), LETTERS), interval.launch + 1)
        },
        tooltip: in_words(study, interval),
    };
    let lanes = timeline.rows.iter().enumerate().map(|(place, row)| Lane {
        name: format!("slot {}", place + 1),
        bars: between(row, &log.intervals, seen).map(bar).collect(),
    });
    let first = log.waiting.partition_point(|(at, _)| *at <= seen[0]).saturating_sub(1);
    let last = log.waiting.partition_point(|(at, _)| *at <= seen[1]);
    let waiting = &log.waiting[first.min(last)..last];
    let most = waiting.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let colours = study.kernels.iter().enumerate().take(LISTED);
    GanttChart {
        title: TITLE.to_owned(),
        subtitle: format!("first stream under {}, one row for each slot of the GPU", study.rule.policy.label()),
        answer: answer(timeline),
        x: Axis {
            label: "time".to_owned(),
            format: Unit::Seconds.formatter(),
            scale: Scale::Linear,
            range: seen.map(|at| at * hertz),
            step_unit: 1.0,
        },
        lanes: lanes.collect(),
        waiting: (waiting_name(most), waiting.iter().map(|(at, count)| [at * hertz, *count as f64]).collect()),
        moment: chosen.and_then(|chosen| log.decisions.get(chosen)).map(|decision| decision.at * hertz),
        colours: colours
            .map(|(place, kernel)| (elided::letters(&kernel.name, LETTERS).into_owned(), token::kernel(place)))
            .collect(),
        patterns: ["context switch", "preempted"],
    }
}

/// Moves the visible part so that a time is in the middle, unless it is visible already.
fn reveal(state: &mut State, timeline: &Timeline, at: f64) {
    let [from, until] = seen(state, timeline);
    if (from..=until).contains(&at) {
        return;
    }
    let length = until - from;
    let from = (at - length / 2.0).clamp(0.0, (timeline.end - length).max(0.0));
    state.seen = VisibleTime::Between([from, from + length]);
}

fn seen(state: &State, timeline: &Timeline) -> [f64; 2] {
    match state.seen {
        VisibleTime::First => [0.0, timeline.first.max(1.0)],
        VisibleTime::All => [0.0, timeline.end],
        VisibleTime::Between(seen) => seen,
    }
}

fn legend(ui: &mut Ui, state: &mut State, study: &Preemption, timeline: &Timeline) {
    legend::row(ui, |ui| {
        if timeline.first < timeline.end || state.seen != VisibleTime::First {
            for (text, seen) in [("First launches", VisibleTime::First), ("Show all", VisibleTime::All)] {
                if ui.add_enabled(state.seen != seen, egui::Button::new(text).small()).clicked() {
                    state.seen = seen;
                }
            }
        }
        for (place, kernel) in study.kernels.iter().enumerate().take(LISTED) {
            legend::key(ui, token::kernel(place), Swatch::Square, &kernel.name);
        }
        if study.kernels.len() > LISTED {
            ui.weak(format!("and {} more", study.kernels.len() - LISTED));
        }
        legend::sampled(ui, 18.0, "context switch", |ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(18.0, 12.0), Sense::hover());
            switching(&ui.painter_at(rect), rect, Token::TextWeak, ui.visuals().dark_mode);
        });
        legend::sampled(ui, 6.0, "preempted", |ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(6.0, 12.0), Sense::hover());
            let stroke = Stroke::new(3.0, Token::Text.color(ui.visuals().dark_mode));
            ui.painter().vline(rect.center().x, rect.y_range(), stroke);
        });
    });
}

fn bars(ui: &mut Ui, state: &mut State, shown: &EvaluatedStudy, decision: Option<f64>) {
    let (study, log, timeline) = (&shown.study, &shown.outcome.log, &shown.timeline);
    let rows = timeline.rows.len() as f32;
    let size = vec2(ui.available_width(), ROW * rows + QUEUE + AXIS + 4.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    // The names of rows never reach the bars.
    let small = TextStyle::Small.resolve(ui.style());
    let most_wait = waiting_name(log.waiting.iter().map(|(_, count)| *count).max().unwrap_or(0));
    let left = NAMES.max(elided::width(ui.painter(), &most_wait, &small) + 8.0);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, format!("{TITLE} {}", answer(timeline))));
    let span = Span { left: rect.left() + left, width: (rect.width() - left).max(1.0), seen: seen(state, timeline) };
    if let Some(moved) = span.moved(ui, &response, timeline.end) {
        state.seen = if moved == [0.0, timeline.end] { VisibleTime::All } else { VisibleTime::Between(moved) };
    }
    let dark = ui.visuals().dark_mode;
    let painter = ui.painter_at(rect);
    let names = small;
    let weak = Token::TextWeak.color(dark);
    let pointer = response.hover_pos().filter(|at| at.x >= span.left);
    let mut pointed = None;
    let bottom = rect.top() + ROW * rows + QUEUE;
    ticks(&painter, &span, study, [rect.top(), bottom], &names, dark);
    for (place, row) in timeline.rows.iter().enumerate() {
        let lane = Rect::from_min_size(pos2(span.left, rect.top() + ROW * place as f32), vec2(span.width, ROW));
        let name = format!("slot {}", place + 1);
        painter.text(pos2(rect.left(), lane.center().y), Align2::LEFT_CENTER, name, names.clone(), weak);
        let hit = pointer.filter(|at| lane.contains(*at));
        pointed = lane_bars(&painter, lane, (row, log, study), (&span, dark), hit).or(pointed);
    }
    let lane = Rect::from_min_max(pos2(span.left, bottom - QUEUE), pos2(rect.right(), bottom));
    let most = queue(&painter, lane, (log, timeline), (&span, dark));
    painter.text(pos2(rect.left(), lane.center().y + 3.0), Align2::LEFT_CENTER, waiting_name(most), names, weak);
    if let Some(x) = decision.map(|at| span.x(at)).filter(|x| (span.left..=rect.right()).contains(x)) {
        painter.vline(x, rect.top()..=bottom, Stroke::new(1.5, Token::Accent.color(dark)));
    }
    if let Some(at) = pointer {
        let cycle = span.time(at.x);
        let text = match pointed {
            Some(interval) => in_words(study, interval),
            None => format!(
                "cycle {}, {}: {} waiting",
                whole(cycle),
                Unit::Seconds.format(seconds(study, cycle)),
                Unit::Count.format(waiting(log, cycle) as f64)
            ),
        };
        response.on_hover_text_at_pointer(text);
    }
}

/// Name of the queue, with its largest visible length.
fn waiting_name(most: usize) -> String {
    format!("queue, ≤ {}", Unit::Count.format(most as f64))
}

/// "First stream: 180 launches ended, 3 preemptions, 5 context switches (displaced blocks included)."
fn answer(timeline: &Timeline) -> String {
    let [done, preempted, switches] = timeline.counts;
    let count = |count: usize| Unit::Count.format(count as f64);
    let ended = format!("{} ended", counted(done as f64, "launch"));
    let preempted = match preempted {
        0 => "no preemptions".to_owned(),
        1 => "1 preemption".to_owned(),
        several => format!("{} preemptions", count(several)),
    };
    let switched = match switches {
        0 => String::new(),
        1 => ", 1 context switch (displaced blocks included)".to_owned(),
        several => format!(", {} context switches (displaced blocks included)", count(several)),
    };
    format!("First stream: {ended}, {preempted}{switched}.")
}

/// "hotspot, launch 17: cycles 120,000 to 420,113 (403 µs), ended".
fn in_words(study: &Preemption, interval: &SlotInterval) -> String {
    let name = study.kernels.get(interval.kernel as usize).map_or("", |kernel| kernel.name.as_str());
    let state = match interval.state {
        SlotState::Done => "ended",
        SlotState::Preempted => "preempted",
        SlotState::ContextSwitch => "context switch",
    };
    format!(
        "{name}, launch {}: cycles {} to {} ({}), {state}",
        interval.launch + 1,
        whole(interval.from),
        whole(interval.to),
        Unit::Seconds.format(seconds(study, interval.to - interval.from))
    )
}

/// Length of the queue at a time.
fn waiting(log: &Log, at: f64) -> usize {
    let after = log.waiting.partition_point(|(from, _)| *from <= at);
    after.checked_sub(1).map_or(0, |last| log.waiting[last].1)
}

/// Draws the launches in one slot; returns the one under the pointer.
fn lane_bars<'a>(
    painter: &Painter,
    lane: Rect,
    (row, log, study): (&'a [usize], &'a Log, &Preemption),
    (span, dark): (&Span, bool),
    hit: Option<egui::Pos2>,
) -> Option<&'a SlotInterval> {
    let painter = painter.with_clip_rect(lane.intersect(painter.clip_rect()));
    let inside = lane.shrink2(vec2(0.0, 2.0));
    let mut found = None;
    // Narrow bars that an earlier one covers are skipped.
    let mut drawn_to = f32::NEG_INFINITY;
    for interval in between(row, &log.intervals, span.seen) {
        let (from, to) = (span.x(interval.from), span.x(interval.to));
        if to < drawn_to && to - from < NARROWEST {
            continue;
        }
        let to = to.max(from + NARROWEST);
        if to - from <= NARROWEST {
            drawn_to = to;
        }
        let rect = Rect::from_min_max(pos2(from, inside.top()), pos2(to, inside.bottom()));
        let token = token::kernel(interval.kernel as usize);
        let color = token.color(dark);
        if interval.state == SlotState::ContextSwitch {
            switching(&painter, rect.intersect(lane), token, dark);
        } else {
            painter.rect_filled(rect, 1.0, color.gamma_multiply(0.34));
            painter.vline(rect.left() + 0.5, rect.y_range(), Stroke::new(1.0, color));
            if interval.state == SlotState::Preempted && rect.width() > 3.0 {
                painter.vline(rect.right() - 1.5, rect.y_range(), Stroke::new(3.0, Token::Text.color(dark)));
            }
            let left = rect.left().max(lane.left()) + 4.0;
            let end = if interval.state == SlotState::Preempted { 6.0 } else { 3.0 };
            let room = rect.right().min(lane.right()) - end - left;
            if room > NAMED {
                // Its name if it fits completely, else its number.
                let name = study.kernels.get(interval.kernel as usize).map_or("", |kernel| kernel.name.as_str());
                let color = Token::Text.color(dark);
                let font = FontId::proportional(11.5);
                let names =
                    [format!("{name} · {}", interval.launch + 1), name.to_owned(), (interval.launch + 1).to_string()];
                let fits = |text: String| {
                    let galley = painter.layout_no_wrap(text, font.clone(), color);
                    (galley.size().x <= room).then_some(galley)
                };
                if let Some(galley) = names.into_iter().find_map(fits) {
                    painter.galley(pos2(left, rect.center().y - galley.size().y / 2.0), galley, color);
                }
            }
        }
        if hit.is_some_and(|at| rect.expand2(vec2(1.0, 0.0)).contains(at)) {
            found = Some(interval);
        }
    }
    found
}

/// A context switch: hatched.
fn switching(painter: &Painter, rect: Rect, token: Token, dark: bool) {
    let color = token.color(dark);
    painter.rect_filled(rect, 1.0, color.gamma_multiply(0.16));
    let inside = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
    let stroke = Stroke::new(1.4, color);
    let height = rect.height();
    let mut x = ((rect.left() - height) / PITCH).floor() * PITCH;
    while x < rect.right() {
        inside.line_segment([pos2(x, rect.bottom()), pos2(x + height, rect.top())], stroke);
        x += PITCH;
    }
    painter.rect_stroke(rect, 1.0, Stroke::new(1.0, color), egui::StrokeKind::Inside);
}

/// The queue as an area; returns its largest visible length.
fn queue(painter: &Painter, lane: Rect, (log, timeline): (&Log, &Timeline), (span, dark): (&Span, bool)) -> usize {
    let painter = painter.with_clip_rect(lane.intersect(painter.clip_rect()));
    let color = Token::TextWeak.color(dark);
    painter.hline(lane.x_range(), lane.bottom(), Stroke::new(1.0, Token::Grid.color(dark)));
    let first = log.waiting.partition_point(|(at, _)| *at <= span.seen[0]).saturating_sub(1);
    let last = log.waiting.partition_point(|(at, _)| *at <= span.seen[1]);
    let in_view = &log.waiting[first.min(last)..last];
    let most = in_view.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let height = lane.height() - 6.0;
    let mut line = Vec::new();
    let steps = steps(in_view, |at| span.x(at).max(lane.left()));
    let ends = steps.iter().skip(1).map(|(next, _)| *next).chain([span.x(timeline.end)]);
    for ((left, count), right) in steps.iter().zip(ends) {
        let right = right.min(lane.right());
        let top = lane.bottom() - height * *count as f32 / most.max(1) as f32;
        let area = Rect::from_min_max(pos2(*left, top), pos2(right, lane.bottom()));
        painter.rect_filled(area, 0.0, color.gamma_multiply(0.22));
        line.extend([pos2(*left, top), pos2(right, top)]);
    }
    painter.add(Shape::line(line, Stroke::new(1.2, color)));
    most
}

/// Lines at round cycles, with their numbers.
fn ticks(painter: &Painter, span: &Span, study: &Preemption, [top, bottom]: [f32; 2], font: &FontId, dark: bool) {
    let [from, until] = span.seen;
    let wanted = f64::from((span.width / TICKS).max(1.0));
    let rough = ((until - from) / wanted).max(1e-9);
    let decade = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|of| of * decade).into_iter().find(|step| *step >= rough).unwrap_or(rough);
    let mut at = (from / step).ceil() * step;
    while at <= until {
        let x = span.x(at);
        painter.vline(x, top..=bottom, Stroke::new(1.0, Token::Grid.color(dark)));
        let text = if at == 0.0 {
            "cycle 0".to_owned()
        } else {
            format!("{} · {}", short(at), Unit::Seconds.format(seconds(study, at)))
        };
        let color = Token::TextWeak.color(dark);
        let width = painter.layout_no_wrap(text.clone(), font.clone(), color).size().x;
        let left = (x - width / 2.0).max(span.left);
        if left + width <= span.left + span.width {
            painter.text(pos2(left, bottom + 3.0), Align2::LEFT_TOP, text, font.clone(), color);
        }
        at += step;
    }
}

/// "1.2 M".
fn short(cycles: f64) -> String {
    let (divisor, prefix) = match cycles {
        large if large >= 1e9 => (1e9, " G"),
        large if large >= 1e6 => (1e6, " M"),
        large if large >= 1e3 => (1e3, " k"),
        _ => (1.0, ""),
    };
    format!("{}{prefix}", Unit::Ratio.format(cycles / divisor))
}
