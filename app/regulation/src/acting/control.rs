//! How one setting of a real system is read, set and restored. It is written into the journal, from which another process
//! restores it.

use std::fs::File;
use std::path::{Path, PathBuf};

use crossover_files::programs::{NotAllowed, Programs};
use crossover_telemetry::GpuLimits;
use serde::{Deserialize, Serialize};

use super::mig::MigInstances;
use super::{driver, process};

/// Stands for the value in an argument of a program.
pub(super) const VALUE: &str = "{value}";

/// How a setting is read and set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) enum Control {
    /// By programs.
    Programs {
        /// The folder in which they start.
        folder: PathBuf,
        /// Sets a value: `{value}` in its arguments.
        set: Vec<String>,
        /// Prints the present value.
        read: Vec<String>,
        /// What stands before the value in what it prints, such as `ArrayTaskThrottle=`; empty: it prints the value alone.
        before: String,
    },
    /// The clocks of an NVIDIA GPU are locked between `least_mhz` and the value; 0 unlocks them.
    LockedClocks {
        /// Index or UUID.
        gpu: String,
        /// The lowest clock.
        least_mhz: f64,
    },
    /// The power limit of an NVIDIA GPU, W.
    PowerLimit {
        /// Index or UUID.
        gpu: String,
    },
    /// The number of GPU instances of a profile.
    MigInstances {
        /// The folder in which `nvidia-smi` starts.
        folder: PathBuf,
        /// Which.
        of: MigInstances,
    },
}

/// The present value of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Present {
    /// The value from which a controller begins; none: unlimited.
    pub(crate) value: Option<f64>,
    /// The value that restores it.
    pub(crate) original: f64,
}

impl Control {
    /// The programs that it starts; none: it starts none.
    ///
    /// # Errors
    /// A command line that a user cannot check.
    pub(crate) fn programs(&self) -> Result<Option<Programs>, NotAllowed> {
        match self {
            Self::Programs { folder, set, read, .. } => Programs::in_folder(folder, [&set[..], &read[..]]),
            Self::MigInstances { folder, of } => Programs::in_folder(folder, of.lines().iter().map(Vec::as_slice)),
            Self::LockedClocks { .. } | Self::PowerLimit { .. } => Ok(None),
        }
    }

    /// What sets a value, in words.
    pub(crate) fn action(&self, value: f64) -> String {
        match self {
            Self::Programs { set, .. } => with_value(set, value).join(" "),
            Self::LockedClocks { gpu, least_mhz } => {
                format!("lock the clocks of GPU {gpu} between {} and {} MHz", word(*least_mhz), word(value))
            }
            Self::PowerLimit { gpu } => format!("limit the power of GPU {gpu} to {} W", word(value)),
            Self::MigInstances { of, .. } => {
                format!("leave {} MIG instances of profile {} on GPU {}", word(value), of.profile, of.gpu)
            }
        }
    }

    /// Reads the present value.
    ///
    /// # Errors
    /// It cannot be read; a sentence about it.
    pub(crate) fn present(&self) -> Result<Present, String> {
        match self {
            Self::Programs { read, folder, before, .. } => printed_value(read, folder, before),
            // NVML does not report locked clocks. The GPU is looked up, so that one that is absent is named now.
            Self::LockedClocks { gpu, .. } => driver::answer(gpu, None, |_| Ok(Present { value: None, original: 0.0 })),
            Self::PowerLimit { gpu } => driver::answer(gpu, None, |limits| {
                let watts = limits.power_limit_watts()?;
                Ok(Present { value: Some(watts), original: watts })
            }),
            Self::MigInstances { folder, of } => {
                let count = of.count(folder)?;
                Ok(Present { value: Some(count), original: count })
            }
        }
    }

    /// Sets a value. The lock `held` lasts as long as the program or the call that sets it.
    ///
    /// # Errors
    /// It cannot be set; a sentence about it.
    pub(crate) fn set(&self, value: f64, held: &File) -> Result<(), String> {
        match self {
            Self::Programs { folder, set, .. } => {
                process::output_of(&with_value(set, value), folder, Some(held)).map(drop)
            }
            Self::LockedClocks { gpu, .. } if value == 0.0 => driver::answer(gpu, Some(held), GpuLimits::unlock_clocks),
            Self::LockedClocks { gpu, least_mhz } => {
                let least_mhz = *least_mhz;
                driver::answer(gpu, Some(held), move |limits| limits.lock_clocks(least_mhz, value))
            }
            Self::PowerLimit { gpu } => {
                driver::answer(gpu, Some(held), move |limits| limits.set_power_limit_watts(value))
            }
            Self::MigInstances { folder, of } => of.set(value, folder, held),
        }
    }
}

/// A command line with this value.
fn with_value(line: &[String], value: f64) -> Vec<String> {
    let value = word(value);
    line.iter().map(|word| word.replace(VALUE, &value)).collect()
}

/// A value as programs read it: without rounding errors of sums, and no "-0".
pub(crate) fn word(value: f64) -> String {
    let rounded = (value * 1e6).round() / 1e6 + 0.0;
    rounded.to_string()
}

/// The number that a program prints.
///
/// # Errors
/// It cannot be read; a sentence about it.
pub(super) fn printed_number(line: &[String], folder: &Path) -> Result<f64, String> {
    printed_value(line, folder, "").map(|present| present.original)
}

fn printed_value(line: &[String], folder: &Path, before: &str) -> Result<Present, String> {
    let printed = process::output_of(line, folder, None)?;
    let program = line.first().map_or("", String::as_str);
    present(&printed, before).map_err(|why| format!("“{program}” {why}"))
}

/// The value in what a program printed.
fn present(printed: &str, before: &str) -> Result<Present, String> {
    if before.is_empty() {
        let text = printed.trim();
        let number = text.parse::<f64>().ok().filter(|value| value.is_finite());
        let shown: String = text.chars().take(80).collect();
        let value = number.ok_or_else(|| format!("printed “{shown}”; expected one number"))?;
        return Ok(Present { value: Some(value), original: value });
    }
    let Some(found) = printed.split_whitespace().find_map(|word| word.strip_prefix(before)) else {
        // `scontrol` leaves the throttle of an array out where there is none, and 0 removes it.
        return Ok(Present { value: None, original: 0.0 });
    };
    let number = found.parse::<f64>().ok().filter(|value| value.is_finite());
    let value = number.ok_or_else(|| format!("printed “{before}{found}”; expected a number"))?;
    Ok(Present { value: (value != 0.0).then_some(value), original: value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_from_what_programs_print() {
        let read = |printed: &str, before: &str| present(printed, before);
        assert_eq!(read(" 8\n", ""), Ok(Present { value: Some(8.0), original: 8.0 }));
        assert_eq!(read("none\n", ""), Err("printed “none”; expected one number".to_owned()));
        assert!(read("", "").is_err() && read("NaN", "").is_err() && read("8 9", "").is_err());
        // As `scontrol show job` prints an array with the throttle of `--array=0-99%4`, and one without.
        let array = "JobId=17 ArrayJobId=17 ArrayTaskId=4-99%4 ArrayTaskThrottle=4 JobName=a\n UserId=u(1) Nice=0\n";
        assert_eq!(read(array, "ArrayTaskThrottle="), Ok(Present { value: Some(4.0), original: 4.0 }));
        assert_eq!(read("JobId=17 JobName=a", "ArrayTaskThrottle="), Ok(Present { value: None, original: 0.0 }));
    }

    #[test]
    fn a_value_is_written_as_programs_read_it() {
        for (value, expected) in [(98.0, "98"), (0.1 + 0.2, "0.3"), (-0.0, "0"), (1e7, "10000000"), (-2.5, "-2.5")] {
            assert_eq!(word(value), expected);
        }
    }

    #[test]
    fn every_place_of_the_value_is_filled_and_words_stay_whole() {
        let line = ["./set", "--workers={value}", "{value}", "a b"].map(str::to_owned);
        assert_eq!(with_value(&line, 3.0), ["./set", "--workers=3", "3", "a b"]);
    }
}
