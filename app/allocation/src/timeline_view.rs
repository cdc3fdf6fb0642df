//! The timeline (Gantt): GPUs as rows, tasks as bars over time, a cursor, and the reason for the placement of a task.

use std::sync::Arc;
use std::time::Duration;

use crossover_allocation::explain::{Explanation, explanation};
use crossover_allocation::{Described, Log, Outcome, Policy, TaskRun};
use crossover_chart::screen::{self, Swatch};
use crossover_chart::theme::Token;
use crossover_export::allocation::timeline::share_changes;
use crossover_page::span::Span;
use crossover_page::widgets::slider;
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, elapsed};
use egui::{
    Align2, EventFilter, FontId, Key, Painter, Rect, Response, RichText, Role, ScrollArea, Sense, Slider, Stroke,
    TextStyle, Ui, WidgetInfo, pos2, vec2,
};

use super::timeline::{Row, Timeline};

/// The title of the part.
pub(super) const TITLE: &str = "Timeline";
/// Height of the row of a GPU, in points.
const ROW: f32 = 16.0;
/// Width of the names of nodes, in points.
const NAMES: f32 = 150.0;
/// Most height of all rows, in points.
const HEIGHT: f32 = 260.0;
/// Time to play the whole replay, seconds.
const PLAY_SECONDS: f64 = 20.0;
/// Time between two frames while playing, seconds.
const FRAME: f64 = 1.0 / 30.0;
/// Narrower bars are drawn as wide as this, in points.
const NARROWEST: f32 = 1.0;
/// Width of a bar that can hold a name, in points.
const NAMED: f32 = 40.0;

/// The state of the timeline between frames.
#[derive(Debug, Default)]
pub(super) struct TimelineState {
    /// Time of the cursor, seconds.
    at: Option<f64>,
    is_playing: bool,
    /// The visible interval; `None`: all.
    seen: Option<[f64; 2]>,
    /// Index in the log of the chosen run of a task.
    chosen: Option<usize>,
    /// The reason for its placement, with the run and outcome that it belongs to.
    explanation: Option<(usize, Arc<Outcome>, Explanation)>,
}

/// The replay that is drawn, with the study's own policy.
pub(super) struct Replayed<'a> {
    pub(super) outcome: &'a Arc<Outcome>,
    pub(super) described: &'a Described,
    pub(super) timeline: &'a Timeline,
}

impl Replayed<'_> {
    fn log(&self) -> Option<&Log> {
        self.outcome.replayed.get(self.outcome.chosen).map(|replayed| &replayed.log)
    }

    fn policy(&self) -> Policy {
        self.outcome.own().policy
    }

    fn name(&self, task_run: &TaskRun) -> &str {
        self.described.replay_tasks.name(task_run)
    }
}

/// Draws GPUs over time, and the reason for the placement of the chosen task.
pub(super) fn show(ui: &mut Ui, state: &mut TimelineState, replayed: &Replayed<'_>) {
    let Some(log) = replayed.log().filter(|log| !log.task_runs.is_empty()) else { return };
    ui.add_space(8.0);
    ui.heading(TITLE);
    let cut = if log.is_truncated {
        format!(", only the first {} to end", counted(log.task_runs.len() as f64, "run"))
    } else {
        String::new()
    };
    ui.label(
        RichText::new(format!(
            "First replay{cut}. Each row is a GPU; the height of a bar is the GPU share of its task. Click a task, or \
             choose it with the arrow keys, to see why it runs there. Drag to move, Ctrl + wheel to zoom"
        ))
        .weak(),
    );
    ui.horizontal_wrapped(|ui| {
        for (token, text) in
            [(Token::Sensitive, "latency-sensitive"), (Token::Patient, "other tasks"), (Token::Text, "preempted")]
        {
            screen::entry(ui, token, Swatch::Line, text);
            ui.add_space(8.0);
        }
    });
    let end = replayed.timeline.end.max(1e-9);
    state.at = state.at.map(|at| at.min(end));
    state.chosen = state.chosen.filter(|chosen| *chosen < log.task_runs.len());
    controls(ui, state, replayed, log, end);
    bars(ui, state, replayed, log, end);
    if let Some(chosen) = state.chosen {
        explain(ui, state, replayed, log, chosen);
    }
}

/// Buttons, the slider of the cursor, and the running and waiting tasks at its time.
fn controls(ui: &mut Ui, state: &mut TimelineState, replayed: &Replayed<'_>, log: &Log, end: f64) {
    if state.is_playing {
        let seconds = f64::from(ui.input(|input| input.stable_dt)).min(0.25);
        let at = state.at.unwrap_or(0.0) + end / PLAY_SECONDS * seconds;
        state.at = Some(at.min(end));
        state.is_playing = at < end;
        ui.ctx().request_repaint_after(Duration::from_secs_f64(FRAME));
    }
    ui.horizontal_wrapped(|ui| {
        if ui.button(if state.is_playing { "Pause" } else { "Play" }).clicked() {
            state.is_playing = !state.is_playing;
            if state.is_playing && state.at.is_none_or(|at| at >= end) {
                state.at = Some(0.0);
            }
        }
        if ui.add_enabled(state.seen.is_some(), egui::Button::new("Show all")).clicked() {
            state.seen = None;
        }
        let mut at = state.at.unwrap_or(0.0);
        let width = (ui.available_size_before_wrap().x - 420.0).clamp(80.0, 900.0);
        slider::prepare(ui, width);
        let slider = ui.add(Slider::new(&mut at, 0.0..=end).show_value(false));
        slider.widget_info(|| WidgetInfo::slider(true, at, "Time"));
        if slider.changed() {
            state.at = Some(at);
            state.is_playing = false;
        }
        match state.at {
            Some(at) => drop(ui.label(at_a_time(replayed, log, at))),
            None => drop(ui.weak("Drag to choose a time")),
        }
    });
}

/// "after 3 h: 41 running tasks on 62 % of the GPUs; …".
fn at_a_time(replayed: &Replayed<'_>, log: &Log, at: f64) -> String {
    let after = log.queues.partition_point(|queued| queued.at <= at);
    let waiting = after.checked_sub(1).map_or([0; 2], |last| log.queues[last].waiting);
    let gpus = replayed.described.cluster.capacity.gpus();
    let running = replayed.timeline.running(at);
    format!(
        "after {}: {} on {} of the GPUs; waiting: {} and {}",
        elapsed(at),
        counted(running.tasks as f64, "running task"),
        Unit::Share.format(if gpus > 0.0 { (running.gpus / gpus).min(1.0) } else { 0.0 }),
        counted(f64::from(waiting[0]), "latency-sensitive task"),
        counted(f64::from(waiting[1]), "other task"),
    )
}

/// GPUs as rows; only visible rows are drawn.
fn bars(ui: &mut Ui, state: &mut TimelineState, replayed: &Replayed<'_>, log: &Log, end: f64) {
    let rows = &replayed.timeline.rows;
    let height = (ROW * rows.len() as f32 + 4.0).min(HEIGHT);
    let mut pressed = None;
    let scroll = ScrollArea::vertical().id_salt("gpus").max_height(height).auto_shrink([false, true]);
    ui.spacing_mut().item_spacing.y = 0.0;
    scroll.show_rows(ui, ROW, rows.len(), |ui, seen_rows| {
        let size = vec2(ui.available_width(), ROW * seen_rows.len() as f32);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        describe(&response, replayed, log, state.chosen);
        pressed = walked(ui, &response, state.chosen, log.task_runs.len());
        let scale = Span {
            left: rect.left() + NAMES,
            width: (rect.width() - NAMES).max(1.0),
            seen: state.seen.unwrap_or([0.0, end]),
        };
        if let Some(seen) = scale.moved(ui, &response, end) {
            state.seen = (seen[1] - seen[0] < end).then_some(seen);
        }
        let painter = ui.painter_at(rect);
        let dark = ui.visuals().dark_mode;
        let pointer = response.hover_pos();
        for (place, row) in rows[seen_rows.clone()].iter().enumerate() {
            let top = rect.top() + ROW * place as f32;
            let lane = Rect::from_min_size(pos2(rect.left(), top), vec2(rect.width(), ROW));
            let is_first = row.gpu == 0 || place == 0;
            name(ui, &painter, lane, is_first.then(|| replayed.outcome.nodes.get(row.node)).flatten(), row, dark);
            let hit = pointer.filter(|at| lane.contains(*at) && at.x >= scale.left);
            let found = lane_bars(&painter, lane, row, replayed, log, (scale, dark), (state.chosen, hit), ui);
            if let Some(task_run) = found {
                response.clone().on_hover_text_at_pointer(in_words(replayed, &log.task_runs[task_run]));
                pressed = response.clicked().then_some(task_run).or(pressed);
            }
        }
        if let Some(at) = state.at {
            let x = scale.x(at);
            if x >= scale.left && x <= rect.right() {
                painter.vline(x, rect.y_range(), Stroke::new(1.5, Token::Text.color(dark)));
            }
        }
    });
    if pressed.is_some() {
        state.chosen = pressed;
    }
    ui.horizontal(|ui| {
        ui.add_space(NAMES);
        let [from, until] = state.seen.unwrap_or([0.0, end]);
        ui.weak(elapsed(from));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.weak(elapsed(until)));
    });
}

/// What an assistive technology reads instead of the bars: how many there are, and the chosen one.
fn describe(response: &Response, replayed: &Replayed<'_>, log: &Log, chosen: Option<usize>) {
    let [gpus, runs] =
        [counted(replayed.timeline.rows.len() as f64, "GPU"), counted(log.task_runs.len() as f64, "run")];
    let chosen = chosen.and_then(|chosen| log.task_runs.get(chosen)).map(|task_run| in_words(replayed, task_run));
    let chosen = chosen.unwrap_or_else(|| "Arrow keys choose a task.".to_owned());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, format!("Timeline: {runs} on {gpus}. {chosen}")));
}

/// The run that arrow keys move to from the chosen one, in the order of the log, while the timeline has the focus.
fn walked(ui: &Ui, response: &Response, chosen: Option<usize>, count: usize) -> Option<usize> {
    if !response.has_focus() {
        return None;
    }
    let arrows = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, arrows));
    let [right, down, left, up] = ui.input(|input| {
        [Key::ArrowRight, Key::ArrowDown, Key::ArrowLeft, Key::ArrowUp].map(|key| input.num_presses(key))
    });
    let (on, back) = (right + down, left + up);
    if on + back == 0 || count == 0 {
        return None;
    }
    Some(chosen.map_or(0, |chosen| (chosen + on).saturating_sub(back).min(count - 1)))
}

/// The name of a node at its first visible GPU, and the number of the GPU.
fn name(ui: &Ui, painter: &Painter, lane: Rect, node: Option<&String>, row: &Row, dark: bool) {
    let font = TextStyle::Small.resolve(ui.style());
    let names =
        painter.with_clip_rect(Rect::from_min_size(lane.min, vec2(NAMES - 26.0, ROW)).intersect(painter.clip_rect()));
    if let Some(node) = node {
        names.text(lane.left_center(), Align2::LEFT_CENTER, node, font.clone(), Token::Text.color(dark));
        painter.hline(lane.x_range(), lane.top(), Stroke::new(1.0, Token::Grid.color(dark)));
    }
    let at = pos2(lane.left() + NAMES - 6.0, lane.center().y);
    painter.text(at, Align2::RIGHT_CENTER, format!("{}", row.gpu), font, Token::TextWeak.color(dark));
}

/// Draws the tasks on one GPU; returns the one under the pointer.
#[expect(clippy::too_many_arguments, reason = "one call, in the loop over rows")]
fn lane_bars(
    painter: &Painter,
    lane: Rect,
    row: &Row,
    replayed: &Replayed<'_>,
    log: &Log,
    (scale, dark): (Span, bool),
    (chosen, hit): (Option<usize>, Option<egui::Pos2>),
    ui: &Ui,
) -> Option<usize> {
    let mut found = None;
    let painter = painter
        .with_clip_rect(Rect::from_min_max(pos2(scale.left, lane.top()), lane.max).intersect(painter.clip_rect()));
    let inside = lane.shrink2(vec2(0.0, 1.0));
    // A narrow bar within a drawn one is not visible.
    let mut drawn_to = f32::NEG_INFINITY;
    for bar in row.bars_in(scale.seen) {
        let (from, until) = (scale.x(bar.from), scale.x(bar.until));
        if until < drawn_to && until - from < NARROWEST && Some(bar.task_run) != chosen {
            continue;
        }
        let until = until.max(from + NARROWEST);
        if until - from <= NARROWEST {
            drawn_to = until;
        }
        let y = |share: f32| inside.bottom() - share * inside.height();
        let rect = Rect::from_min_max(pos2(from, y(bar.share[1])), pos2(until, y(bar.share[0])));
        let task_run = &log.task_runs[bar.task_run];
        let token = if task_run.is_sensitive { Token::Sensitive } else { Token::Patient };
        let color = token.color(dark);
        let is_chosen = Some(bar.task_run) == chosen;
        painter.rect_filled(rect, 1.0, color.gamma_multiply(if is_chosen { 1.0 } else { 0.65 }));
        // A mark ends the bar of a preempted task.
        if !task_run.is_end && rect.width() > 3.0 {
            painter.vline(rect.right() - 1.0, rect.y_range(), Stroke::new(2.0, Token::Text.color(dark)));
        }
        if is_chosen {
            painter.rect_stroke(rect, 1.0, Stroke::new(1.5, Token::Text.color(dark)), egui::StrokeKind::Inside);
        }
        let seen_width = rect.right().min(lane.right()) - rect.left().max(scale.left);
        if seen_width > NAMED && rect.height() > 9.0 {
            let font = FontId::proportional(TextStyle::Small.resolve(ui.style()).size - 1.0);
            let at = pos2(rect.left().max(scale.left) + 3.0, rect.center().y);
            let inside = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
            inside.text(at, Align2::LEFT_CENTER, replayed.name(task_run), font, Token::Text.color(dark));
        }
        if hit.is_some_and(|at| rect.expand2(vec2(1.0, 0.0)).contains(at)) {
            found = Some(bar.task_run);
        }
    }
    found
}

/// "small inference, task 17: arrived after 2 h, started 3 min later, ran 41 min …".
fn in_words(replayed: &Replayed<'_>, task_run: &TaskRun) -> String {
    let waited = task_run.from - task_run.arrived;
    let waited = if waited > 0.0 { format!("started {} later", elapsed(waited)) } else { "started at once".to_owned() };
    let end = if task_run.is_end { "and ended" } else { "and was preempted" };
    let node = replayed.outcome.nodes.get(task_run.place.node).map_or("", String::as_str);
    let gpus: Vec<String> = task_run.place.gpus.places().map(|gpu| gpu.to_string()).collect();
    let gpus = match gpus.len() {
        0 => "without a GPU".to_owned(),
        1 => format!("on GPU {}", gpus[0]),
        _ => format!("on GPUs {}", gpus.join(", ")),
    };
    format!(
        "{}, task {}: arrived after {}, {waited}, ran {} on {node} {gpus} {end}",
        replayed.name(task_run),
        task_run.task + 1,
        elapsed(task_run.arrived),
        elapsed(task_run.until - task_run.from)
    )
}

/// The reason for the placement of the chosen task.
fn explain(ui: &mut Ui, state: &mut TimelineState, replayed: &Replayed<'_>, log: &Log, chosen: usize) {
    let task_run = &log.task_runs[chosen];
    let is_same = |of: usize, outcome: &Arc<Outcome>| of == chosen && Arc::ptr_eq(outcome, replayed.outcome);
    if state.explanation.as_ref().is_none_or(|(of, outcome, _)| !is_same(*of, outcome)) {
        let explanation = explanation(replayed.described, replayed.policy(), log, task_run);
        state.explanation = Some((chosen, Arc::clone(replayed.outcome), explanation));
    }
    let Some((.., explanation)) = &state.explanation else { return };
    ui.add_space(4.0);
    let mut is_closed = ui.input(|input| input.key_pressed(Key::Escape));
    ui.horizontal_wrapped(|ui| {
        ui.strong("Why on this node?");
        is_closed |= ui.small_button("Close").clicked();
    });
    for line in sentences(replayed, log, chosen, explanation) {
        ui.label(line);
    }
    if is_closed {
        state.chosen = None;
    }
}

/// What is known about a run, by its index in the log.
fn sentences(replayed: &Replayed<'_>, log: &Log, index: usize, explanation: &Explanation) -> Vec<String> {
    let task_run = &log.task_runs[index];
    let node = |place: usize| replayed.outcome.nodes.get(place).cloned().unwrap_or_default();
    let policy = replayed.policy();
    let mut lines = vec![format!("{}.", in_words(replayed, task_run))];
    if let Some(changes) = share_changes(log.changes_of(index)) {
        lines.push(format!("Its share of the GPU changed: {changes}."));
    }
    if log.is_truncated {
        lines.push("The log is truncated: the tasks that ran at the same time are not available.".to_owned());
        return lines;
    }
    if let Some(waited) = &explanation.waited {
        lines.push(format!("It waited: on arrival, {}.", waited.sentence(node)));
    }
    match explanation.score {
        Some(_) if policy == Policy::Random => {
            lines.push(format!(
                "Nodes that it fitted: {}; {} chooses one at random.",
                explanation.fitting,
                policy.label()
            ));
        }
        Some(score) => {
            let alike = match explanation.alike {
                0 => "higher than any other node".to_owned(),
                1 => "as high as one other node; the first of equal nodes is chosen".to_owned(),
                count => {
                    let others = counted(count as f64, "other node");
                    format!("as high as {others}; the first of equal nodes is chosen")
                }
            };
            lines.push(format!(
                "{} gave {} the score {score}, {alike}. {}",
                policy.label(),
                node(task_run.place.node),
                policy.meaning()
            ));
            let others: Vec<String> =
                explanation.others.iter().map(|(place, score)| format!("{} {score}", node(*place))).collect();
            if !others.is_empty() {
                lines.push(format!("Next best nodes: {}.", others.join(", ")));
            }
        }
        None => lines.push(
            "It did not fit beside the tasks that ran then: they were preempted for it, or their shares were reduced."
                .to_owned(),
        ),
    }
    let unfit = replayed.described.cluster.nodes.len() - explanation.fitting;
    if unfit > 0 && explanation.score.is_some() {
        let nodes = if unfit == 1 { "node" } else { "nodes" };
        lines.push(format!("It did not fit on {unfit} {nodes}."));
    }
    lines
}
