//! Limits of an NVIDIA GPU that a regulation loop changes: locked clocks and the power limit. The only module that changes a GPU;
//! watching a GPU does not come here.
//!
//! NVML has no way to read locked clocks. So they are restored by unlocking them, which is the state after a restart.

use nvml_wrapper::Device;
use nvml_wrapper::enums::device::GpuLockedClocksSetting;
use nvml_wrapper::error::NvmlError;

use super::SourceError;
use super::nvml::{explain, library};

/// Highest clock or power that is taken, MHz or W.
const MOST: f64 = 1e6;

/// An NVIDIA GPU whose limits are changed. Every change needs the rights of an administrator.
#[derive(Debug)]
pub struct GpuLimits {
    device: Device<'static>,
}

impl GpuLimits {
    /// The GPU with this index or UUID.
    ///
    /// # Errors
    /// There is no driver, or no such GPU.
    pub fn open(gpu: &str) -> Result<Self, SourceError> {
        let nvml = library().map_err(|error| explain(&error))?;
        let device = match gpu.parse::<u32>() {
            Ok(index) => nvml.device_by_index(index),
            Err(_) => nvml.device_by_uuid(gpu),
        };
        let absent = |_| SourceError::new(format!("There is no GPU {gpu}"), "`nvidia-smi -L` lists indices and UUIDs.");
        Ok(Self { device: device.map_err(absent)? })
    }

    /// Limits the clock of the multiprocessors to a range, MHz.
    ///
    /// # Errors
    /// The GPU, its driver or the rights of the user do not allow it.
    pub fn lock_clocks(&mut self, least_mhz: f64, most_mhz: f64) -> Result<(), SourceError> {
        let [min_clock_mhz, max_clock_mhz] = [whole(least_mhz)?, whole(most_mhz)?];
        let setting = GpuLockedClocksSetting::Numeric { min_clock_mhz, max_clock_mhz };
        self.device.set_gpu_locked_clocks(setting).map_err(|error| refused("Clocks are not locked", &error))
    }

    /// Removes the limit of the clock.
    ///
    /// # Errors
    /// As [`Self::lock_clocks`].
    pub fn unlock_clocks(&mut self) -> Result<(), SourceError> {
        self.device.reset_gpu_locked_clocks().map_err(|error| refused("Clocks are not unlocked", &error))
    }

    /// The power limit, W.
    ///
    /// # Errors
    /// The GPU or its driver does not report it.
    pub fn power_limit_watts(&self) -> Result<f64, SourceError> {
        let milliwatts = self.device.power_management_limit();
        milliwatts.map(|limit| f64::from(limit) / 1e3).map_err(|error| refused("The power limit is not read", &error))
    }

    /// Sets the power limit, W.
    ///
    /// # Errors
    /// As [`Self::lock_clocks`], or the limit is out of the range of the GPU.
    pub fn set_power_limit_watts(&mut self, watts: f64) -> Result<(), SourceError> {
        let limit = whole(watts * 1e3)?;
        self.device.set_power_management_limit(limit).map_err(|error| refused("The power limit is not set", &error))
    }
}

/// A value as NVML takes it.
fn whole(value: f64) -> Result<u32, SourceError> {
    let rounded = value.round();
    if (0.0..=MOST * 1e3).contains(&rounded) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, from 0 to 1e9")]
        let whole = rounded as u32;
        Ok(whole)
    } else {
        let what = format!("{value} is neither a clock nor a power limit");
        Err(SourceError::new(what, "Correct the range of the actuator."))
    }
}

fn refused(what: &str, error: &NvmlError) -> SourceError {
    let advice = match error {
        NvmlError::NoPermission => "It needs the rights of an administrator.",
        NvmlError::NotSupported | NvmlError::FunctionNotFound | NvmlError::FailedToLoadSymbol(_) => {
            "This GPU, its driver or its virtual machine does not support it."
        }
        NvmlError::InvalidArg => {
            "The value is out of the range of this GPU, which `nvidia-smi -q -d CLOCK,POWER` prints."
        }
        _ => "Run `nvidia-smi`; if it fails too, restart the machine.",
    };
    SourceError::new(format!("{what}: {error}"), advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_rounded_and_none_wraps_round() {
        assert_eq!(whole(1409.6).unwrap(), 1410);
        for wrong in [-1.0, 5e9, f64::NAN, f64::INFINITY] {
            assert!(whole(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        let told = |error: &NvmlError| refused("The power limit is not set", error).to_string();
        assert!(told(&NvmlError::NoPermission).ends_with(". It needs the rights of an administrator."));
        assert!(told(&NvmlError::NotSupported).contains("does not support it"));
    }
}
