//! Calls of NVIDIA's driver that change a GPU. A call may never return, so each GPU has a thread for its calls, and the loop waits for
//! an answer only until a time limit. It then ends and restores its other settings.
//!
//! The calls for a GPU run one after the other: a call that returns late does not replace the value that was restored after it.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crossover_telemetry::{GpuLimits, SourceError};

/// Time limits of the first call for a GPU, for which the driver may have to initialise all GPUs, and of every further one.
const LIMITS: [Duration; 2] = [Duration::from_secs(30), Duration::from_secs(5)];

/// A call, which sends its own answer.
type Call = Box<dyn FnOnce() + Send>;

/// The thread of each GPU, by the index or UUID that names it.
static THREADS: Mutex<BTreeMap<String, Sender<Call>>> = Mutex::new(BTreeMap::new());

/// The answer of the driver to a call about a GPU. The lock `held` lasts until the call has returned, also after the time limit.
///
/// # Errors
/// The driver refuses, or it does not answer within the time limit; a sentence about it.
pub(super) fn answer<T: Send + 'static>(
    gpu: &str,
    held: Option<&File>,
    call: impl FnOnce(&mut GpuLimits) -> Result<T, SourceError> + Send + 'static,
) -> Result<T, String> {
    let held = held.map(File::try_clone).transpose();
    let held = held.map_err(|error| format!("the journal cannot be kept locked: {error}"))?;
    let name = gpu.to_owned();
    answer_within(LIMITS, gpu, move || {
        let answer = GpuLimits::open(&name).and_then(|mut limits| call(&mut limits));
        drop(held);
        answer.map_err(|error| error.to_string())
    })
}

fn answer_within<T: Send + 'static>(
    [first, further]: [Duration; 2],
    device: &str,
    call: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (answered, answer) = channel();
    let call: Call = Box::new(move || {
        // Nothing receives it after the time limit.
        _ = answered.send(call());
    });
    let limit = if pass(device, call)? { first } else { further };
    answer.recv_timeout(limit).unwrap_or_else(|error| {
        Err(match error {
            RecvTimeoutError::Timeout => format!(
                "NVIDIA's driver has not answered within {} s; if `nvidia-smi` does not answer either, restart the machine",
                limit.as_secs_f64()
            ),
            RecvTimeoutError::Disconnected => "the call of NVIDIA's driver has ended without an answer".to_owned(),
        })
    })
}

/// Passes a call to the thread of its device; the first call starts the thread. Returns whether it is the first call. If a panic has
/// ended the thread, the call is dropped, and with it the sender of its answer.
fn pass(device: &str, call: Call) -> Result<bool, String> {
    let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = threads.get(device) {
        _ = known.send(call);
        return Ok(false);
    }
    let (sender, calls) = channel::<Call>();
    let work = move || {
        for call in calls {
            call();
        }
    };
    let started = thread::Builder::new().name("driver calls".to_owned()).spawn(work);
    started.map_err(|error| format!("no thread for calls of NVIDIA's driver: {error}"))?;
    _ = sender.send(call);
    threads.insert(device.to_owned(), sender);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: [Duration; 2] = [Duration::from_millis(20); 2];

    /// The stand-in for the driver does not return from its first call until the test ends it.
    #[test]
    fn a_call_that_does_not_return_ends_at_the_limit_and_holds_up_no_other_gpu() {
        let (end, ended) = channel::<()>();
        let (done, order) = channel();
        let done_late = done.clone();
        let hanging = move || {
            // Returns once `end` is dropped.
            _ = ended.recv();
            done_late.send("set").map_err(|error| error.to_string())
        };
        let problem = answer_within(SHORT, "hangs", hanging).unwrap_err();
        assert!(problem.starts_with("NVIDIA's driver has not answered within 0.02 s; "), "{problem}");
        assert_eq!(answer_within(LIMITS, "answers", || Ok(7)), Ok(7));

        let restoring = move || done.send("restored").map_err(|error| error.to_string());
        assert!(answer_within(SHORT, "hangs", restoring).is_err(), "the first call has not returned");
        drop(end);
        assert_eq!(order.iter().collect::<Vec<_>>(), ["set", "restored"]);
    }

    #[test]
    fn a_call_that_panics_gives_no_answer() {
        let problem = answer_within::<()>(LIMITS, "panics", || panic!("a stand-in that fails")).unwrap_err();
        assert_eq!(problem, "the call of NVIDIA's driver has ended without an answer");
    }
}
