//! Description of one number of a study: name, symbol, unit, range, meaning and source. Forms, tooltips, checks and axes
//! use it.

use crate::unit::{ParseQuantityError, Unit};

/// Whether a number is a decision variable. A decision variable can be uncertain, too, such as a number of machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A decision variable: the user can choose it, such as a number of machines, a price or a gain. A search suggests such numbers.
    Decision,
    /// A fact of the workload or the hardware, an estimate, or a number of the method: another value is not a better configuration.
    Estimate,
}

/// Description of one number of a study.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    /// Name in files; the last part of its path.
    pub key: &'static str,
    /// Symbol in the formulas.
    pub symbol: &'static str,
    /// Short name for a form.
    pub label: &'static str,
    /// Unit of the value.
    pub unit: Unit,
    /// Smallest allowed value.
    pub min: f64,
    /// Largest allowed value.
    pub max: f64,
    /// Whether only whole numbers are allowed.
    pub whole: bool,
    /// Whether it has no uncertainty of its own: it was chosen for a method or for a fit, such as a weight or a number of periods.
    pub chosen: bool,
    /// Whether it is a decision variable.
    pub role: Role,
    /// Whether the field may be `None`.
    pub optional: bool,
    /// The value without effect: it switches a term off. It replaces an absent optional field.
    pub neutral: Option<f64>,
    /// Meaning, one sentence.
    pub meaning: &'static str,
    /// Source of the definition.
    pub source: &'static str,
}

impl Quantity {
    /// A quantity of this name, symbol and label whose definition comes from `source`.
    #[must_use]
    pub const fn new(key: &'static str, symbol: &'static str, label: &'static str, source: &'static str) -> Self {
        Self {
            key,
            symbol,
            label,
            unit: Unit::Ratio,
            min: 0.0,
            max: 0.0,
            whole: false,
            chosen: false,
            role: Role::Estimate,
            optional: false,
            neutral: None,
            meaning: "",
            source,
        }
    }

    /// In this unit, from `min` to `max`.
    #[must_use]
    pub const fn unit(mut self, unit: Unit, min: f64, max: f64) -> Self {
        self.unit = unit;
        self.min = min;
        self.max = max;
        self
    }

    /// Only whole numbers.
    #[must_use]
    pub const fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// It has no uncertainty of its own.
    #[must_use]
    pub const fn chosen(mut self) -> Self {
        self.chosen = true;
        self
    }

    /// It is a decision variable.
    #[must_use]
    pub const fn decision(mut self) -> Self {
        self.role = Role::Decision;
        self
    }

    /// The field may be `None`.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Sets the neutral value.
    #[must_use]
    pub const fn neutral(mut self, neutral: f64) -> Self {
        self.neutral = Some(neutral);
        self
    }

    /// The value of an absent optional field; it switches the term off.
    #[must_use]
    pub const fn when_absent(&self) -> f64 {
        match self.neutral {
            Some(neutral) => neutral,
            None => 0.0,
        }
    }

    /// Sets the meaning, one sentence.
    #[must_use]
    pub const fn meaning(mut self, meaning: &'static str) -> Self {
        self.meaning = meaning;
        self
    }

    /// Reads a value as its unit does; where a share may be above 1, a plain number is one too: "1.5" for 150 %.
    ///
    /// # Errors
    /// [`ParseQuantityError`] of [`Unit::parse`].
    pub fn parse(&self, text: &str) -> Result<f64, ParseQuantityError> {
        let plain = |error| self.plain().and_then(|unit| unit.parse(text).ok()).ok_or(error);
        self.unit.parse(text).or_else(plain)
    }

    /// Reads what a person typed into a field of this quantity: as [`Quantity::parse`] where that is allowed, else as
    /// [`Unit::parse_typed`]. Where a share may be up to 200 %, "1.5" is 150 % and "20" is 20 %.
    ///
    /// # Errors
    /// [`ParseQuantityError`] of [`Unit::parse`].
    pub fn parse_typed(&self, text: &str) -> Result<f64, ParseQuantityError> {
        match self.parse(text) {
            Ok(value) if self.problem(value).is_none() => Ok(value),
            _ => self.unit.parse_typed(text),
        }
    }

    /// Reads both ends of a range as [`Unit::parse_range`] does, each as [`Quantity::parse`] does.
    ///
    /// # Errors
    /// [`ParseQuantityError`] as there.
    pub fn parse_range(&self, from: &str, to: &str) -> Result<[f64; 2], ParseQuantityError> {
        let plain = |error| self.plain().and_then(|unit| unit.parse_range(from, to).ok()).ok_or(error);
        self.unit.parse_range(from, to).or_else(plain)
    }

    /// The unit of a bare number that is clearly not in percent.
    fn plain(&self) -> Option<Unit> {
        (self.unit == Unit::Share && self.max > 1.0).then_some(Unit::Ratio)
    }

    /// Whether it is a decision variable.
    #[must_use]
    pub fn is_decision(&self) -> bool {
        self.role == Role::Decision
    }

    /// Whether the range spans so many decades that a linear slider would be useless.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.min > 0.0 && self.max / self.min >= 1e3
    }

    /// The allowed range in words, e.g. "1 … 1,000,000".
    #[must_use]
    pub fn range(&self) -> String {
        let whole = if self.whole { ", whole" } else { "" };
        format!("{} … {}{whole}", self.unit.format(self.min), self.unit.format(self.max))
    }

    /// The problem of a value, if any.
    #[must_use]
    pub fn problem(&self, value: f64) -> Option<String> {
        if !value.is_finite() {
            Some(format!("{value} is not a finite number; allowed: {}", self.range()))
        } else if value < self.min || value > self.max {
            Some(format!("{value} is out of range; allowed: {}", self.range()))
        } else if self.whole && value.fract() != 0.0 {
            Some(format!("{value} is not a whole number; allowed: {}", self.range()))
        } else {
            None
        }
    }
}

/// Writes a whole number without a decimal point.
///
/// # Errors
/// Errors of the serializer.
pub fn whole<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
    if value.fract() == 0.0 && (0.0..LARGEST_EXACT).contains(value) && !(*value == 0.0 && value.is_sign_negative()) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number within 0..2^53")]
        serializer.serialize_u64(*value as u64)
    } else {
        serializer.serialize_f64(*value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARE: Quantity = Quantity::new("share", "s", "Share", "none").unit(Unit::Share, 0.0, 1.0);
    const UP_TO_TWICE: Quantity = Quantity::new("load", "l", "Load", "none").unit(Unit::Share, 0.0, 2.0);

    #[test]
    fn a_field_reads_every_allowed_number_as_the_command_line_does() {
        let cases = [(SHARE, ["1", "0.2", "20 %"]), (UP_TO_TWICE, ["1", "1.5", "150 %"])];
        for (quantity, texts) in cases {
            for text in texts {
                assert_eq!(quantity.parse_typed(text), quantity.parse(text), "{text}");
            }
        }
        assert_eq!(UP_TO_TWICE.parse_typed("1.5"), Ok(1.5));
    }

    #[test]
    fn a_field_in_percent_reads_what_was_rejected_as_percent() {
        for quantity in [SHARE, UP_TO_TWICE] {
            assert_eq!(quantity.parse_typed("20"), Ok(0.2));
            assert_eq!(quantity.parse_typed("50"), quantity.parse("50 %"));
            assert_eq!(quantity.parse_typed("900 %"), Ok(9.0), "out of range, for the message");
            assert!(quantity.parse_typed("a few").is_err());
        }
        let factor = Quantity::new("factor", "f", "Factor", "none").unit(Unit::Factor, 0.0, 2.0);
        assert_eq!(factor.parse_typed("20"), Ok(20.0));
    }
}
