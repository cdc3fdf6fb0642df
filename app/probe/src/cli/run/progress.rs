//! Progress of runs at several centres: a line a centre on a terminal, otherwise a line for each change.

use crossover_page::terminal::{StatusLines, message};

use crate::centres::result::CentreProgress;
use crate::centres::target::Target;
use crate::transport::address::Address;
use crate::transport::round::Progress;

/// The progress of every centre.
pub(super) struct ProgressView<'a> {
    targets: &'a [Target],
    states: Vec<CentreProgress>,
    /// Runs of a centre in one round; of several rounds no number is known.
    total: Option<u32>,
    lines: StatusLines,
}

impl<'a> ProgressView<'a> {
    pub(super) fn new(targets: &'a [Target], total: Option<u32>) -> Self {
        let states = vec![CentreProgress::default(); targets.len()];
        // One centre needs no table.
        let lines = StatusLines::new(targets.len() > 1);
        Self { targets, states, total, lines }
    }

    /// Takes the progress of a centre.
    pub(super) fn tell(&mut self, centre: usize, progress: &Progress) {
        let name = &self.targets[centre].subject.centre;
        match progress {
            Progress::State(text) => {
                // Runs on this machine and over SSH tell their end soon enough.
                let is_queue = matches!(self.targets[centre].address, Address::Slurm(_) | Address::Kubernetes(_));
                if is_queue && !self.lines.are_shown() {
                    message(format!("{name}: {text}"));
                }
            }
            Progress::Finished(text) if !self.lines.are_shown() => message(format!("{name}, {text}")),
            Progress::Finished(_) => {}
            Progress::Note(text) => {
                self.lines.clear();
                message(format!("note: {name}: {text}"));
            }
        }
        self.states[centre].take(progress);
        self.draw();
    }

    /// The centre has ended, with this state.
    pub(super) fn end(&mut self, centre: usize, state: &str) {
        state.clone_into(&mut self.states[centre].state);
        self.draw();
    }

    /// Prints a message above the lines.
    pub(super) fn message(&mut self, text: &str) {
        self.lines.clear();
        message(text);
        self.draw();
    }

    /// Removes the lines.
    pub(super) fn clear(&mut self) {
        self.lines.clear();
    }

    fn draw(&mut self) {
        let names: Vec<&str> = self.targets.iter().map(|target| target.subject.centre.as_str()).collect();
        let lines = lines(&names, &self.states, self.total);
        self.lines.show(&lines);
    }
}

/// A line for each centre: name, finished runs, state.
fn lines(names: &[&str], states: &[CentreProgress], total: Option<u32>) -> Vec<String> {
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let line = |(name, progress): (&&str, &CentreProgress)| {
        format!("{name:width$}  {}  {}", progress.runs(total), progress.state)
    };
    names.iter().zip(states).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{CentreProgress, lines};

    #[test]
    fn every_centre_has_a_line() {
        let states = [(2, "1 unit: 0.5 s"), (0, "job 7: 5 waiting")]
            .map(|(done, state)| CentreProgress { done, state: state.to_owned() });
        let expected = ["north  2 of 5 runs  1 unit: 0.5 s", "ost    0 of 5 runs  job 7: 5 waiting"];
        assert_eq!(lines(&["north", "ost"], &states, Some(5)), expected);
        assert_eq!(lines(&["ost"], &states[1..], None), ["ost  0 runs  job 7: 5 waiting"]);
    }
}
