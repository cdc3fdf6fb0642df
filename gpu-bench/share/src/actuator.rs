//! The ways to divide a device between two programs: what each sets before and after a program starts.

use std::path::Path;
use std::process::Child;
use std::time::Duration;

use crossover_files::process_group;
use crossover_measured::sharing::{SharedResource, SharingSetting, Side};

use super::cgroups::Cgroups;
use super::error::ShareError;
use super::mps;

/// Duration of a turn unless the user names one: many times what a switch takes, and a small part of most programs.
const USUAL_SLICE: f64 = 0.1;
/// Ratio of CPU time between two neighbouring nice levels (Linux, `sched_prio_to_weight`).
const NICE_STEP: f64 = 1.25;
/// Lowest priority.
const LOWEST_NICE: i32 = 19;

/// Divides a device between two programs.
pub(super) trait Actuator {
    /// Environment variables with which a program starts.
    fn environment(&self, _side: Side) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Acts on a program that has just started.
    fn act(&self, _side: Side, _program: &Child) -> Result<(), (&'static str, std::io::Error)> {
        Ok(())
    }

    /// Duration of a turn, if the programs run in turn.
    fn slice(&self) -> Option<Duration> {
        None
    }
}

/// Leaves all to driver and system.
pub(super) struct Uncontrolled;

impl Actuator for Uncontrolled {}

/// A variable that a client of MPS reads as it starts, with the value of each program.
struct MpsVariable(&'static str, [u32; 2]);

impl MpsVariable {
    /// Percent of the multiprocessors.
    fn shares(percent: [u32; 2]) -> Self {
        Self("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", percent)
    }

    /// Levels by which the priorities of all streams are lowered: 0 or 1.
    /// <https://docs.nvidia.com/deploy/mps/appendix-tools-and-interface-reference.html>
    fn priorities(levels: [u32; 2]) -> Self {
        Self("CUDA_MPS_CLIENT_PRIORITY", levels)
    }
}

impl Actuator for MpsVariable {
    fn environment(&self, side: Side) -> Vec<(&'static str, String)> {
        vec![(self.0, self.1[side.index()].to_string())]
    }
}

/// Programs run in turn for so long.
pub(super) struct TimeSlices(pub(super) Duration);

impl Actuator for TimeSlices {
    fn slice(&self) -> Option<Duration> {
        Some(self.0)
    }
}

impl Actuator for Cgroups {
    fn act(&self, side: Side, program: &Child) -> Result<(), (&'static str, std::io::Error)> {
        self.enter(side.index(), program.id()).map_err(|error| ("the cgroup", error))
    }
}

/// Levels of each program above the nice level of this one.
struct NiceLevels([i32; 2]);

impl Actuator for NiceLevels {
    fn act(&self, side: Side, program: &Child) -> Result<(), (&'static str, std::io::Error)> {
        process_group::raise_nice(program, self.0[side.index()]).map_err(|error| ("the nice level", error))
    }
}

/// What runs two programs with a setting, and what to say about it. `number` is the position of the setting, and `cgroup` the folder in
/// which cgroups may be made.
pub(super) fn actuator(
    setting: SharingSetting,
    number: usize,
    on: SharedResource,
    cgroup: Option<&Path>,
) -> Result<(Box<dyn Actuator>, Option<String>), ShareError> {
    let other = |acts: &'static str| ShareError::OtherDevice { setting: setting.label(), acts };
    let made: (Box<dyn Actuator>, Option<String>) = match (setting, on) {
        (SharingSetting::Uncontrolled, _) => (Box::new(Uncontrolled), None),
        (SharingSetting::TimeSlices { seconds }, _) => (Box::new(TimeSlices(Duration::from_secs_f64(seconds))), None),
        (SharingSetting::MpsShares { .. } | SharingSetting::MpsPriorities { .. }, SharedResource::Cpu) => {
            return Err(other("a GPU"));
        }
        (SharingSetting::CpuWeights { .. }, SharedResource::Gpu) => return Err(other("CPUs")),
        (SharingSetting::MpsShares { first, second }, SharedResource::Gpu) => {
            mps::required()?;
            (Box::new(MpsVariable::shares([first, second])), None)
        }
        (SharingSetting::MpsPriorities { first, second }, SharedResource::Gpu) => {
            mps::required()?;
            (Box::new(MpsVariable::priorities([first, second])), None)
        }
        (SharingSetting::CpuWeights { first, second }, SharedResource::Cpu) => {
            match Cgroups::new(cgroup, number, [first, second]) {
                Ok(cgroups) => (Box::new(cgroups), None),
                Err(why) => {
                    let levels = nice_levels([first, second]);
                    let note = format!(
                        "CPU weights {first}:{second} are nice levels {} and {}, as there are no cgroups to write ({why}). Nice levels \
                         weigh each thread, cgroups a whole program",
                        levels[0], levels[1]
                    );
                    (Box::new(NiceLevels(levels)), Some(note))
                }
            }
        }
    };
    Ok(made)
}

/// Nice levels whose CPU time is in the ratio of two weights, as nearly as levels allow. The larger weight has 0, the level of this
/// program: lower ones are for root alone.
fn nice_levels(weights: [u32; 2]) -> [i32; 2] {
    let largest = f64::from(weights[0].max(weights[1]));
    weights.map(|weight| {
        let steps = (largest / f64::from(weight)).ln() / NICE_STEP.ln();
        (0..LOWEST_NICE).find(|level| f64::from(*level) + 0.5 > steps).unwrap_or(LOWEST_NICE)
    })
}

/// The settings that are measured unless the user names some.
#[must_use]
pub fn usual_settings(on: SharedResource) -> Vec<SharingSetting> {
    let mut settings = vec![SharingSetting::Uncontrolled, SharingSetting::TimeSlices { seconds: USUAL_SLICE }];
    match on {
        SharedResource::Gpu if mps::is_running(&mps::folder()) => {
            settings.push(SharingSetting::MpsShares { first: 50, second: 50 });
            settings.push(SharingSetting::MpsPriorities { first: 0, second: 1 });
        }
        SharedResource::Gpu => {}
        SharedResource::Cpu => settings.push(SharingSetting::CpuWeights { first: 100, second: 900 }),
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights of `sched_prio_to_weight` in Linux: 1024 at level 0, 335 at 5, 110 at 10, 15 at 19.
    #[test]
    fn nice_levels_have_the_ratio_of_the_weights() {
        assert_eq!(nice_levels([100, 100]), [0, 0]);
        assert_eq!(nice_levels([1024, 335]), [0, 5]);
        assert_eq!(nice_levels([110, 1024]), [10, 0]);
        assert_eq!(nice_levels([100, 900]), [10, 0]);
        assert_eq!(nice_levels([1, 10_000]), [19, 0]);
    }

    /// Variables and values of NVIDIA's documentation of MPS, sections 4.2.5 and 4.2.8.
    #[test]
    fn clients_of_mps_start_with_their_share_or_priority() {
        let started = |variable: MpsVariable| Side::BOTH.map(|side| variable.environment(side));
        let expected = |name: &'static str, values: [&str; 2]| values.map(|value| vec![(name, value.to_owned())]);
        let shares = expected("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", ["70", "30"]);
        assert_eq!(started(MpsVariable::shares([70, 30])), shares);
        let priorities = expected("CUDA_MPS_CLIENT_PRIORITY", ["0", "1"]);
        assert_eq!(started(MpsVariable::priorities([0, 1])), priorities);
    }

    #[test]
    fn a_setting_of_another_device_is_refused() {
        let refused = |setting, on| actuator(setting, 0, on, None).map(|_| ()).expect_err("refused").to_string();
        let shares = refused(SharingSetting::MpsShares { first: 50, second: 50 }, SharedResource::Cpu);
        assert_eq!(shares, "MPS shares 50:50 act on a GPU; choose it with --on");
        let priorities = refused(SharingSetting::MpsPriorities { first: 0, second: 1 }, SharedResource::Cpu);
        assert_eq!(priorities, "MPS priorities 0:1 act on a GPU; choose it with --on");
        let weights = refused(SharingSetting::CpuWeights { first: 1, second: 2 }, SharedResource::Gpu);
        assert_eq!(weights, "CPU weights 1:2 act on CPUs; choose it with --on");
    }
}
