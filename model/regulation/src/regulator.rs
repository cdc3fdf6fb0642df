//! A regulator of real settings: from readings of a cluster to the values that its actuators should have, each in its range and no
//! faster than its rate. Pure: whoever carries a change out reports it by [`Regulator::commit`].

use super::advice::{Advice, Advisor};
use super::study::{Actuator, ActuatorMode, Actuators, Cluster, Controller, Regulation};

/// Limits of a setting, in its own unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Smallest value.
    pub least: f64,
    /// Largest value.
    pub most: f64,
    /// Largest change in a second. A whole setting may change by one as soon as that much time has passed.
    pub per_second: f64,
    /// Whether values are whole numbers, such as of replicas.
    pub is_whole: bool,
}

/// A setting that a regulator changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// The column of the control table that changes it.
    pub changes: Actuator,
    /// Its change for one vGPU, task, MHz or precision level of the control table; negative: in the other direction.
    pub scale: f64,
    /// Its limits.
    pub limits: Limits,
    /// Its value.
    pub value: f64,
}

/// A change of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Index of the setting.
    pub setting: usize,
    /// Its value before.
    pub from: f64,
    /// Its value after.
    pub to: f64,
}

/// What a regulator decides for a reading.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The output of the controller and its row of the control table.
    pub advice: Advice,
    /// The changes; none in the dead zone, at the end of a range, or until the rate allows one.
    pub changes: Vec<Change>,
}

/// A controller with the settings of one cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Regulator {
    advisor: Advisor,
    resets: bool,
    mode: ActuatorMode,
    /// Indices of the settings, in the order in which their actuators act.
    order: Vec<usize>,
    settings: Vec<Held>,
    cluster_step_mhz: f64,
}

/// A setting, and how much it may change now.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Held {
    setting: Setting,
    allowance: f64,
    most_allowance: f64,
}

impl Setting {
    /// What is wrong with it; none if a regulator can change it.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let Limits { least, most, per_second, is_whole } = self.limits;
        let value = self.value;
        if [least, most, per_second, self.scale, value].iter().any(|number| !number.is_finite()) {
            return Some("a limit, the scale or the value is not a finite number".to_owned());
        }
        let problem = if least > most {
            format!("its range {least} … {most} has no value")
        } else if is_whole && [least, most, value].iter().any(|number| number.fract() != 0.0) {
            format!("it is set to whole numbers; its range is {least} … {most} and its value {value}")
        } else if per_second <= 0.0 {
            format!("its largest change in a second is {per_second}; expected a number above 0")
        } else if self.scale == 0.0 {
            "its scale is 0, so that nothing would change it".to_owned()
        } else if !(least..=most).contains(&value) {
            format!("it is {value}, outside of its range {least} … {most}")
        } else {
            return None;
        };
        Some(problem)
    }

    /// Its value after a wanted change in units of the control table, without a limit of time.
    fn target(&self, wanted: f64) -> f64 {
        let change = wanted * self.scale;
        // Less than one would never change a whole number.
        let change = if self.limits.is_whole { change.signum() * change.abs().round().max(1.0) } else { change };
        (self.value + change).clamp(self.limits.least, self.limits.most)
    }
}

impl Held {
    fn new(setting: Setting, period_seconds: f64) -> Self {
        let one = if setting.limits.is_whole { 1.0 } else { 0.0 };
        let most_allowance = (setting.limits.per_second * period_seconds).max(one);
        Self { setting, allowance: 0.0, most_allowance }
    }

    fn wait(&mut self, seconds: f64) {
        self.allowance = (self.allowance + self.setting.limits.per_second * seconds).min(self.most_allowance);
    }

    /// The value on the way to a target that the rate allows now.
    fn towards(&self, target: f64) -> f64 {
        let change = (target - self.setting.value).clamp(-self.allowance, self.allowance);
        let change = if self.setting.limits.is_whole { change.trunc() } else { change };
        (self.setting.value + change).clamp(self.setting.limits.least, self.setting.limits.most)
    }
}

impl Regulator {
    /// A regulator with a controller of the study, of the settings of one of its clusters.
    ///
    /// # Errors
    /// There is no setting, no actuator of the study changes a setting, or a setting has a [problem](Setting::problem); with
    /// its index.
    pub fn new(
        study: &Regulation,
        controller: &Controller,
        cluster: &Cluster,
        settings: &[Setting],
    ) -> Result<Self, (usize, String)> {
        for (index, setting) in settings.iter().enumerate() {
            if let Some(problem) = setting.problem() {
                return Err((index, problem));
            }
            if !study.actuators.order.contains(&setting.changes) {
                let changes = setting.changes;
                return Err((index, format!("it changes {changes:?}, which is none of the actuators of the scenario")));
            }
        }
        if settings.is_empty() {
            return Err((0, "there is no setting to change".to_owned()));
        }
        let is_used = |actuator: &&Actuator| settings.iter().any(|setting| setting.changes == **actuator);
        let used: Vec<Actuator> = study.actuators.order.iter().filter(is_used).copied().collect();
        let of = |actuator: &Actuator| {
            let actuator = *actuator;
            settings.iter().enumerate().filter(move |(_, setting)| setting.changes == actuator).map(|(index, _)| index)
        };
        let order = used.iter().flat_map(of).collect();
        // The integral is reset here, as it depends on what the limits allow.
        let without_reset = Controller { reset_after_action: false, ..controller.clone() };
        let actuators = Actuators { mode: study.actuators.mode, order: used };
        Ok(Self {
            advisor: Advisor::new(&without_reset, &study.table, &actuators),
            resets: controller.reset_after_action,
            mode: study.actuators.mode,
            order,
            settings: settings.iter().map(|setting| Held::new(*setting, study.run.period_seconds)).collect(),
            cluster_step_mhz: cluster.step_ghz * 1000.0,
        })
    }

    /// The settings with their present values.
    pub fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.settings.iter().map(|held| &held.setting)
    }

    /// Sets the largest value of a setting from now on, such as what others leave of a pool; at least its smallest value. A value
    /// above it stays until the setting is changed.
    pub fn set_most(&mut self, setting: usize, most: f64) {
        if let Some(held) = self.settings.get_mut(setting) {
            held.setting.limits.most = most.max(held.setting.limits.least);
        }
    }

    /// Takes a reading of PCIe occupancy and compute load, 0 … 1, so many seconds after the one before, and decides. A reading
    /// that is not a number decides nothing.
    pub fn step(&mut self, read: [f64; 2], seconds: f64) -> Option<Decision> {
        let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
        for held in &mut self.settings {
            held.wait(seconds);
        }
        let advice = self.advisor.advise(read)?;
        let changes = self.changes(&advice);
        if self.resets && !changes.is_empty() {
            self.advisor.reset_integral();
        }
        Some(Decision { advice, changes })
    }

    /// The changes of a row, as `actions.rs` takes them: all settings, or the first that is not at the end of its range.
    fn changes(&self, advice: &Advice) -> Vec<Change> {
        let row = &advice.row;
        let mut changes = Vec::new();
        if row.vgpus == 0.0 && row.frequency_mhz == 0.0 && row.precision == 0.0 {
            return changes;
        }
        // More compute where compute is short, less where transfer is.
        let more = -advice.output.signum();
        let mut is_fallback = false;
        for index in &self.order {
            let held = &self.settings[*index];
            let actuator = held.setting.changes;
            let wanted = actuator.column(row);
            let wanted =
                if wanted == 0.0 && is_fallback { actuator.one_step(more, self.cluster_step_mhz) } else { wanted };
            if wanted == 0.0 {
                continue;
            }
            let from = held.setting.value;
            let target = held.setting.target(wanted);
            let to = held.towards(target);
            if to != from {
                changes.push(Change { setting: *index, from, to });
            }
            if self.mode == ActuatorMode::InOrder {
                // One that only waits for its rate is not at its end.
                if target != from {
                    break;
                }
                is_fallback = true;
            }
        }
        changes
    }

    /// Notes that a change was carried out.
    pub fn commit(&mut self, change: Change) {
        if let Some(held) = self.settings.get_mut(change.setting) {
            held.allowance = (held.allowance - (change.to - held.setting.value).abs()).max(0.0);
            held.setting.value = change.to;
        }
    }
}
