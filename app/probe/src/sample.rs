//! The sample of the page without centres: three assumed centres that come with the program.

use crossover_chart::Chart;
use crossover_page::command::Command;
use crossover_page::widgets::empty::{Sample, SamplePicture};
use crossover_probe::evaluate;
use crossover_scenario::read;
use egui::Ui;

use super::charts::Charts;
use super::examples::CENTRES;

/// Draws what the page shows of compared centres, which [`picture`] makes, with the button that opens them.
pub(super) fn show(ui: &mut Ui, picture: &mut SamplePicture, commands: &mut Vec<Command>) {
    let open = [Command::OpenExample(CENTRES)];
    Sample { page: "Probe", name: "three assumed compute centres", open: &open }.show(ui, picture, commands);
    ui.add_space(8.0);
}

/// Their scores.
pub(super) fn picture() -> Option<Chart> {
    let scenario = read(CENTRES.text).ok()?;
    let study = scenario.study.probe()?;
    Some(Chart::Bars(Charts::new(study, &evaluate(study)).ranking))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_a_score_for_each_centre_of_the_sample() {
        let Some(Chart::Bars(chart)) = picture() else { panic!("no picture") };
        let scenario = read(CENTRES.text).expect("a valid example");
        let study = scenario.study.probe().expect("a probe study");
        let mut names: Vec<&str> = study.centres.iter().map(|centre| centre.name.as_str()).collect();
        let drawn = chart.rows.iter().map(|row| row.group.split_once(". ").map_or("", |(_, name)| name));
        let mut drawn: Vec<&str> = drawn.collect();
        names.sort_unstable();
        drawn.sort_unstable();
        assert_eq!(drawn, names);
    }
}
