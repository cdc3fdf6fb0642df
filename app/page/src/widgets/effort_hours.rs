//! The fields for the work of a move: its hours, and the cost of an hour.

use egui::Ui;

use super::typed::{Fields, Format, count, dollars, in_dollars, plain};
use super::warning;

/// Said where hours have no rate.
const NO_RATE: &str = "Without an hourly rate, the hours are not counted.";

/// Most decimals of hours.
const DECIMALS: usize = 2;
/// Hours of work.
const HOURS: Format<'static> = Format { range: 0.0..=1e9, speed: 1.0, shown: &in_hours, read: &hours };
/// Costs of an hour, US dollars; at 0 the hours are not counted.
const HOURLY_RATES: Format<'static> = Format { range: 0.0..=1e5, speed: 1.0, shown: &in_dollars, read: &dollars };

/// "40 h".
fn in_hours(hours: f64) -> String {
    format!("{} h", plain(hours, DECIMALS))
}

/// Hours: "40", "40 h".
fn hours(text: &str) -> Result<f64, String> {
    let number = text.trim();
    count(number.strip_suffix('h').unwrap_or(number))
        .map_err(|_| format!("expected hours, such as 40 h, found \"{number}\""))
}

/// Draws the fields, and edits both numbers. The field for the rate appears once hours are entered; the rate is kept while there are none.
pub fn fields(ui: &mut Ui, fields: &mut Fields, hours: &mut Option<f64>, hourly_rate_usd: &mut Option<f64>) {
    let label = ui.label("Work");
    let mut number = hours.unwrap_or(0.0);
    let meaning = "Hours of work for the move. Hours × hourly rate is part of its effort. 0: none";
    if fields.add(ui, (&label, "work", meaning), &mut number, &HOURS) {
        *hours = (number > 0.0).then_some(number);
    }
    if hours.is_some() {
        let label = ui.label("Hourly rate");
        let mut usd = hourly_rate_usd.unwrap_or(0.0);
        let meaning = "Cost of an hour of this work, US dollars; 0: the hours are not counted";
        if fields.add(ui, (&label, "hourly rate", meaning), &mut usd, &HOURLY_RATES) {
            *hourly_rate_usd = (usd > 0.0).then_some(usd);
        }
        if hourly_rate_usd.is_none() {
            warning::show(ui, NO_RATE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_have_their_unit_or_none() {
        assert_eq!(["40", "40 h", "40h"].map(hours), [Ok(40.0), Ok(40.0), Ok(40.0)]);
        assert_eq!(hours("2 days"), Err("expected hours, such as 40 h, found \"2 days\"".to_owned()));
    }
}
