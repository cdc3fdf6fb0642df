//! A GPU opened for measuring: an instance and a device of its own, with the adapter's own limits.
//!
//! [`program`] has kernels and programs, [`memory`] holds data, [`transfer`] moves it, [`clock`] measures time. Errors of a driver
//! do not panic: they are stored and returned as the [`Failure`] of the next call.

pub mod adapter;
pub mod clock;
pub mod clock_hold;
pub mod memory;
pub mod pcie;
pub mod program;
pub mod transfer;

use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use self::adapter::{Adapter, Description};
use self::clock::Clock;
use self::clock_hold::ClockHold;
use crate::failure::Failure;

/// Longest wait for one submission. A submission is planned for 0.3 s at most on a GPU; a software adapter on a busy machine takes
/// a hundred times as long.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Invocations in a workgroup of every kernel; an adapter must take so many.
pub const WORKGROUP: u64 = 256;

/// Features that a kernel may use if the adapter has them.
const OPTIONAL_FEATURES: wgpu::Features =
    wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::SUBGROUP).union(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS);

/// An opened GPU.
#[derive(Debug)]
pub struct Gpu {
    /// Its description.
    pub description: Description,
    device: wgpu::Device,
    queue: wgpu::Queue,
    clock: Clock,
    clock_hold: Option<ClockHold>,
    fault: Fault,
}

impl Gpu {
    /// Opens an adapter and tests its timer.
    ///
    /// # Errors
    /// [`Failure::Unsupported`] if the adapter cannot compute, [`Failure::NoDevice`] if the driver refuses; any
    /// failure of the timer's self-test except a wrong timer.
    pub fn open(adapter: &Adapter) -> Result<Self, Failure> {
        adapter.description.limits.suffice()?;
        let features = adapter.inner.features() & OPTIONAL_FEATURES;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("gpu-bench"),
            required_features: features,
            required_limits: adapter.inner.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.inner.request_device(&descriptor))
            .map_err(|error| Failure::NoDevice(error.to_string()))?;
        let fault = Fault::default();
        fault.watch(&device);
        let clock = Clock::new(&device, &queue);
        let mut gpu = Self { description: adapter.description.clone(), device, queue, clock, clock_hold: None, fault };
        gpu.test_clock()?;
        Ok(gpu)
    }

    /// Holds the clocks of an NVIDIA GPU up as long as this value lives: `command` is to call [`clock_hold::serve`]. Other
    /// GPUs, and machines without CUDA, stay as they are.
    pub fn hold_clocks(&mut self, command: Command) {
        if self.description.driver.starts_with("NVIDIA") && !self.description.pci.is_empty() {
            self.clock_hold = ClockHold::start(command);
        }
    }

    /// Whether a CUDA context holds the clocks up.
    #[must_use]
    pub fn holds_clocks(&self) -> bool {
        self.clock_hold.is_some()
    }

    /// Whether kernels may use subgroup operations.
    #[must_use]
    pub fn has_subgroups(&self) -> bool {
        self.device.features().contains(wgpu::Features::SUBGROUP)
    }

    /// Whether the CPU may map the buffers that kernels use.
    #[must_use]
    pub fn has_mappable_buffers(&self) -> bool {
        self.device.features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS)
    }

    /// The device, for routes that need more than this module offers.
    #[must_use]
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// The queue, for routes that need more than this module offers.
    #[must_use]
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Submits commands and waits until the GPU has carried them out.
    ///
    /// # Errors
    /// [`Failure::Timeout`] after [`PATIENCE`], or what the driver reported.
    pub fn submit(&self, encoder: wgpu::CommandEncoder) -> Result<(), Failure> {
        let submission = self.start(encoder)?;
        self.wait_for(Some(submission))
    }

    /// Submits commands without waiting for them.
    ///
    /// # Errors
    /// What the driver reported.
    pub fn start(&self, encoder: wgpu::CommandEncoder) -> Result<wgpu::SubmissionIndex, Failure> {
        let commands = encoder.finish();
        self.check()?;
        Ok(self.queue.submit([commands]))
    }

    /// Records commands.
    #[must_use]
    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Waits for everything submitted so far.
    ///
    /// # Errors
    /// [`Failure::Timeout`] after [`PATIENCE`], or what the driver reported.
    pub fn wait(&self) -> Result<(), Failure> {
        self.wait_for(None)
    }

    /// Waits for a submission, and so for all before it.
    ///
    /// # Errors
    /// [`Failure::Timeout`] after [`PATIENCE`], or what the driver reported.
    pub fn wait_until(&self, submission: wgpu::SubmissionIndex) -> Result<(), Failure> {
        self.wait_for(Some(submission))
    }

    fn wait_for(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<(), Failure> {
        let waited = self.device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(PATIENCE) });
        self.check()?;
        match waited {
            Ok(_) => Ok(()),
            Err(wgpu::PollError::Timeout) => {
                // Dropping the queue would wait for the hung GPU, this time without a limit.
                std::mem::forget(self.queue.clone());
                Err(Failure::Timeout(PATIENCE))
            }
            Err(error) => Err(self.lost().unwrap_or(Failure::Refused(error.to_string()))),
        }
    }

    /// Errors that the driver reported since the last check.
    ///
    /// # Errors
    /// The first report. A lost device is reported again every time.
    pub fn check(&self) -> Result<(), Failure> {
        self.fault.take().map_err(|failure| self.lost().unwrap_or(failure))
    }

    /// The loss of the device, if it is lost. wgpu reports it only when polled; until then the affected
    /// calls return other errors.
    fn lost(&self) -> Option<Failure> {
        // Whatever this poll itself returns, the loss is what matters.
        _ = self.device.poll(wgpu::PollType::Poll);
        self.fault.take().err().filter(|failure| matches!(failure, Failure::DeviceLost(_)))
    }

    /// Destroys the device, like a crash of the driver; every later call fails.
    pub fn destroy(&self) {
        self.device.destroy();
    }
}

/// The first error since the last check.
#[derive(Debug, Clone, Default)]
struct Fault(Arc<Mutex<Option<Failure>>>);

impl Fault {
    fn watch(&self, device: &wgpu::Device) {
        let fault = self.clone();
        device.set_device_lost_callback(move |reason, message| {
            fault.set(Failure::DeviceLost(if message.is_empty() { format!("{reason:?}") } else { message.clone() }));
        });
        let fault = self.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            fault.set(match error {
                wgpu::Error::OutOfMemory { source } => Failure::OutOfMemory(source.to_string()),
                wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
                    Failure::Refused(description)
                }
            });
        }));
    }

    fn set(&self, failure: Failure) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() || matches!(failure, Failure::DeviceLost(_)) {
            *first = Some(failure);
        }
    }

    fn take(&self) -> Result<(), Failure> {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match first.as_ref() {
            None => Ok(()),
            Some(lost @ Failure::DeviceLost(_)) => Err(lost.clone()),
            Some(_) => first.take().map_or(Ok(()), Err),
        }
    }
}
