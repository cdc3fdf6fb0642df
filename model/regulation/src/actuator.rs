//! What an actuator is called and what it takes from the control table, and a precision as text.

use super::study::{Actuator, Band, Regulation};
use crossover_quantity::unit::Unit;

impl Actuator {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Vgpus, Self::Frequency, Self::Precision, Self::Voltage, Self::Concurrency];

    /// Its name.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Vgpus => "vGPUs",
            Self::Frequency => "frequency",
            Self::Precision => "precision",
            Self::Voltage => "voltage",
            Self::Concurrency => "concurrency",
        }
    }

    /// Its change in a row of the control table: vGPUs, MHz, levels of precision, MHz of the highest frequency, or tasks.
    #[must_use]
    pub fn column(self, row: &Band) -> f64 {
        match self {
            Self::Vgpus | Self::Concurrency => row.vgpus,
            Self::Frequency | Self::Voltage => row.frequency_mhz,
            Self::Precision => row.precision,
        }
    }

    /// Its smallest change that adds compute (`more` is 1) or takes it away (−1); `step_mhz` is that of the cluster.
    #[must_use]
    pub fn one_step(self, more: f64, step_mhz: f64) -> f64 {
        match self {
            Self::Vgpus | Self::Concurrency => more,
            Self::Frequency | Self::Voltage => more * step_mhz,
            // A lower precision does more work in the same time.
            Self::Precision => -more,
        }
    }
}

impl Regulation {
    /// The precision of a cluster that computes this share of its data in the level below: "int8", "int8, 35 % in int4".
    #[must_use]
    pub fn precision_text(&self, level: usize, converted_share: f64) -> String {
        let name = |level: usize| self.precisions.get(level).map_or("", |level| level.name.as_str());
        if converted_share == 0.0 {
            name(level).to_owned()
        } else {
            let share = Unit::Share.format(converted_share);
            format!("{}, {share} in {}", name(level), name(level.saturating_sub(1)))
        }
    }
}
