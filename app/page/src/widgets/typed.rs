//! Fields for numbers that are typed with their unit. A text that cannot be read stays in its field, with the reason behind the fields.

use std::cell::Cell;
use std::ops::RangeInclusive;

use crossover_chart::theme::Token;
use crossover_decision::TimeLimit;
use crossover_quantity::text::shortened;
use crossover_quantity::unit::Unit;
use egui::{DragValue, Id, Response, Ui};

/// Most characters of a rejected text that a field shows.
const LONGEST: usize = 30;
/// Most decimals of an amount of money: those of the smallest budget.
const DECIMALS: usize = 6;
/// Most decimals of a factor of today's time: one that is dragged or offered may have many.
const DECIMALS_OF_LIMIT: usize = 4;

/// How a number is shown, read and dragged.
pub struct Format<'a> {
    /// Allowed numbers.
    pub range: RangeInclusive<f64>,
    /// How far one point of a drag moves the number.
    pub speed: f64,
    /// The text of a number.
    pub shown: &'a dyn Fn(f64) -> String,
    /// The number of a typed text, or why it has none.
    pub read: &'a dyn Fn(&str) -> Result<f64, String>,
}

/// A text that is not the number of its field, while the number stays the same.
#[derive(Debug, Clone)]
struct Rejected {
    /// The bits of the number.
    of: u64,
    text: String,
    reason: String,
}

/// The rejected text of a field with this number.
fn kept(ui: &Ui, id: Id, value: f64) -> Option<Rejected> {
    let rejected = ui.data(|data| data.get_temp::<Rejected>(id));
    rejected.filter(|rejected| rejected.of == value.to_bits())
}

/// The fields of a row, with the reasons why texts in them cannot be read.
#[derive(Default)]
pub struct Fields {
    reasons: Vec<String>,
}

impl Fields {
    /// Draws the field of a number behind its label, and edits the number when its text is complete; true if it is another one. `name`:
    /// of the number in a reason, `meaning`: the tooltip.
    pub fn add(
        &mut self,
        ui: &mut Ui,
        (label, name, meaning): (&Response, &str, &str),
        value: &mut f64,
        format: &Format<'_>,
    ) -> bool {
        let before = *value;
        let id = label.id.with("rejected");
        let rejected = kept(ui, id, before).map(|rejected| rejected.text);
        let shown = (format.shown)(before);
        let outcome: Cell<Option<Result<(), Rejected>>> = Cell::new(None);
        let drag = DragValue::new(value)
            .range(format.range.clone())
            .speed(format.speed)
            .update_while_editing(false)
            .custom_formatter(|number, _| match &rejected {
                Some(text) if number.to_bits() == before.to_bits() => text.clone(),
                _ => (format.shown)(number),
            })
            .custom_parser(|text| {
                // To leave a field must not round the number to the shown text.
                let read = if text == shown { Ok(before) } else { format.number(text) };
                let (number, found) = match read {
                    Ok(number) => (Some(number), Ok(())),
                    Err(problem) => {
                        let reason = format!("{name}: {problem}; the value stays {shown}");
                        let text = shortened(text, LONGEST);
                        (None, Err(Rejected { of: before.to_bits(), text, reason }))
                    }
                };
                outcome.set(Some(found));
                number
            });
        ui.add(drag).labelled_by(label.id).on_hover_text(meaning);
        match outcome.into_inner() {
            Some(Err(found)) => {
                ui.data_mut(|data| data.insert_temp(id, found));
                ui.ctx().request_repaint();
            }
            Some(Ok(())) => ui.data_mut(|data| data.remove::<Rejected>(id)),
            None => {}
        }
        match kept(ui, id, *value) {
            Some(rejected) => self.reasons.push(rejected.reason),
            // The number was dragged, or an edit was undone.
            None => ui.data_mut(|data| data.remove::<Rejected>(id)),
        }
        value.to_bits() != before.to_bits()
    }

    /// Draws the reasons. They are behind all fields, so that these stay in place.
    pub fn reasons(self, ui: &mut Ui) {
        for reason in self.reasons {
            ui.colored_label(Token::Error.color(ui.visuals().dark_mode), reason);
        }
    }
}

impl Format<'_> {
    /// The number of a typed text, if it is allowed. Where 0 is allowed, an empty text is 0.
    fn number(&self, text: &str) -> Result<f64, String> {
        if text.trim().is_empty() && self.range.contains(&0.0) {
            return Ok(0.0);
        }
        let number = (self.read)(text)?;
        if self.range.contains(&number) {
            return Ok(number);
        }
        let [low, high] = [self.range.start(), self.range.end()].map(|end| (self.shown)(*end));
        Err(format!("\"{}\" is out of range; allowed: {low} … {high}", shortened(text, LONGEST)))
    }
}

/// A number without a unit.
///
/// # Errors
/// The text is no number.
pub fn count(text: &str) -> Result<f64, String> {
    Unit::Count.parse(text).map_err(|problem| problem.to_string())
}

/// US dollars: "5000", "$5,000", "12k".
///
/// # Errors
/// The text is no amount of money.
pub fn dollars(text: &str) -> Result<f64, String> {
    let amount = text.trim();
    let amount = amount.strip_prefix('$').unwrap_or(amount);
    Unit::UsDollars
        .parse(amount)
        .map_err(|_| format!("expected US dollars, such as $5,000 or $0.02, found \"{}\"", shortened(text, LONGEST)))
}

/// An entered amount of US dollars: "$5000".
#[must_use]
pub fn in_dollars(usd: f64) -> String {
    format!("${}", plain(usd, DECIMALS))
}

/// A limit of the time of a run as a factor of today's: "1.2×".
#[must_use]
pub fn in_factor(factor: f64) -> String {
    format!("{}×", plain(factor, DECIMALS_OF_LIMIT))
}

/// A number with at most so many decimals, and no zeros behind them.
pub(super) fn plain(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A limit of the time of a run in the form in which it was entered: "1.2×", "30 s".
#[must_use]
pub fn in_limit(limit: TimeLimit) -> String {
    match limit {
        TimeLimit::Factor(factor) => in_factor(factor),
        TimeLimit::Seconds(seconds) => format!("{} s", plain(seconds, DECIMALS)),
    }
}

/// A limit of the time of a run: a factor of today's, "1.2×" and "1.2", a share of it, "80 %", or a time, "30 s".
///
/// # Errors
/// The text is none of these, or out of range.
pub fn time_limit(text: &str) -> Result<TimeLimit, String> {
    let factor = Unit::Ratio.parse(text).ok().map(TimeLimit::Factor);
    let limit = factor.or_else(|| Unit::Seconds.parse(text).ok().map(TimeLimit::Seconds));
    let found = || shortened(text, LONGEST);
    let limit = limit.ok_or_else(|| {
        let forms = "a factor such as 1.2×, a share such as 80 % or a time such as 30 s";
        format!("expected {forms}, found \"{}\"", found())
    })?;
    if limit.range().contains(&limit.amount()) {
        return Ok(limit);
    }
    let range = limit.range();
    let [low, high] = [range.start(), range.end()].map(|end| in_limit(limit.with_amount(*end)));
    Err(format!("\"{}\" is out of range; allowed: {low} … {high}", found()))
}

/// A limit of the times of several runs, each of which has its own time today: a factor of it, "1.2×" and "1.2", or a share, "80 %".
///
/// # Errors
/// The text is none of these.
pub fn factor_of_today(text: &str) -> Result<f64, String> {
    Unit::Ratio.parse(text).map_err(|_| {
        format!("expected a factor such as 1.2× or a share such as 80 %, found \"{}\"", shortened(text, LONGEST))
    })
}

#[cfg(test)]
mod tests {
    use egui::accesskit::Role;
    use egui_kittest::Harness;
    use egui_kittest::kittest::{NodeT as _, Queryable as _};

    use super::*;

    #[test]
    fn a_time_limit_is_a_factor_a_share_or_a_time() {
        for (text, expected) in [("1.2×", 1.2), ("1.2x", 1.2), ("0.5", 0.5), ("80 %", 0.8)] {
            let found = time_limit(text).expect(text).as_factor().expect(text);
            assert!((found - expected).abs() < 1e-12, "{text}: {found}");
            assert_eq!(factor_of_today(text), Ok(found));
        }
        for (text, seconds) in [("30 s", 30.0), ("1 min", 60.0)] {
            assert_eq!(time_limit(text), Ok(TimeLimit::Seconds(seconds)), "{text}");
        }
        assert_eq!(time_limit("2000×"), Err("\"2000×\" is out of range; allowed: 0.01× … 1000×".to_owned()));
        assert_eq!(
            time_limit("fast"),
            Err("expected a factor such as 1.2×, a share such as 80 % or a time such as 30 s, found \"fast\""
                .to_owned())
        );
        assert_eq!(
            factor_of_today("30 s"),
            Err("expected a factor such as 1.2× or a share such as 80 %, found \"30 s\"".to_owned())
        );
    }

    #[test]
    fn what_is_entered_is_shown_without_zeros() {
        assert_eq!([0.0, 5000.0, 0.02, 1e-6].map(in_dollars), ["$0", "$5000", "$0.02", "$0.000001"]);
        // 30 s of 43.66 s today.
        assert_eq!([1.0, 0.01, 30.0 / 43.66].map(in_factor), ["1×", "0.01×", "0.6871×"]);
        assert_eq!([TimeLimit::Factor(1.2), TimeLimit::Seconds(20.5)].map(in_limit), ["1.2×", "20.5 s"]);
    }

    #[test]
    fn money_has_a_dollar_sign_or_none_and_commas() {
        for (text, expected) in [("5000", 5000.0), ("$5,000", 5000.0), (" $0.02 ", 0.02), ("12k", 12_000.0)] {
            assert_eq!(dollars(text), Ok(expected), "{text}");
        }
        assert_eq!(
            dollars("30/month"),
            Err("expected US dollars, such as $5,000 or $0.02, found \"30/month\"".to_owned())
        );
    }

    /// A row with one field for an effort from 0 to 100 dollars.
    fn row() -> Harness<'static, f64> {
        let mut row = Harness::builder().with_size([800.0, 100.0]).build_ui_state(
            |ui, usd: &mut f64| {
                ui.horizontal_wrapped(|ui| {
                    let mut fields = Fields::default();
                    let label = ui.label("Effort");
                    let format = Format { range: 0.0..=100.0, speed: 1.0, shown: &in_dollars, read: &dollars };
                    fields.add(ui, (&label, "effort", "Cost of the move"), usd, &format);
                    fields.reasons(ui);
                });
            },
            20.0,
        );
        row.run_steps(2);
        row
    }

    fn enter(row: &mut Harness<'_, f64>, text: &str) {
        row.get_by_role_and_label(Role::SpinButton, "Effort").focus();
        row.run_steps(2);
        row.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        row.run_steps(1);
        row.event(egui::Event::Text(text.to_owned()));
        row.run_steps(1);
        row.key_press(egui::Key::Enter);
        row.run_steps(4);
    }

    fn shown(row: &Harness<'_, f64>) -> Option<String> {
        row.get_by_role_and_label(Role::SpinButton, "Effort").accesskit_node().value()
    }

    #[test]
    fn a_text_that_cannot_be_read_stays_in_its_field_with_the_reason_until_a_number_is_entered() {
        let mut row = row();
        for (text, reason) in [
            ("soon", "effort: expected US dollars, such as $5,000 or $0.02, found \"soon\"; the value stays $20"),
            ("$300", "effort: \"$300\" is out of range; allowed: $0 … $100; the value stays $20"),
        ] {
            enter(&mut row, text);
            assert_eq!(*row.state(), 20.0, "{text}");
            assert_eq!(shown(&row).as_deref(), Some(text));
            row.get_by_label(reason);
        }
        enter(&mut row, "$30");
        assert_eq!(*row.state(), 30.0);
        assert_eq!(shown(&row).as_deref(), Some("$30"));
        assert!(row.query_by_label_contains("the value stays").is_none());
    }
}
