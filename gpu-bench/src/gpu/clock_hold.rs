//! Holds the clocks of an NVIDIA GPU where CUDA programs find them.
//!
//! NVIDIA's driver keeps the clocks up while a CUDA context exists. Without one it lowers them after some seconds of
//! little work, and raises them slowly: kernels of Vulkan then ran at 345 instead of 1980 MHz of an H100, 1.8 to 5.9 times
//! slower. Engines are CUDA programs, so an idle context of a child process gives the clocks that they have. No setting of
//! the GPU is changed; the context ends with the child, and the child with this process.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crossover_files::process_group;

/// What the child prints once the context exists.
const HELD: &str = "held";
/// How long a context may take to appear.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the child may take to end.
const GRACE: Duration = Duration::from_secs(2);

/// An idle CUDA context in a child process.
#[derive(Debug)]
pub struct ClockHold {
    child: Child,
    /// The child ends when this is closed.
    input: Option<ChildStdin>,
}

impl ClockHold {
    /// Starts a command that calls [`serve`]. `None` if it makes no context within 10 s, as on a machine without CUDA.
    #[must_use]
    pub fn start(mut command: Command) -> Option<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        process_group::own(&mut command);
        let mut child = command.spawn().ok()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        // From here on the child ends with this value.
        let hold = Self { child, input };
        let (tell, held) = mpsc::channel();
        let listen = move || {
            let lines = output.into_iter().flat_map(|output| BufReader::new(output).lines()).map_while(Result::ok);
            for line in lines {
                if line == HELD {
                    // The receiver is gone only after its patience has ended.
                    _ = tell.send(());
                }
            }
        };
        thread::Builder::new().name("clock hold".to_owned()).spawn(listen).ok()?;
        held.recv_timeout(PATIENCE).is_ok().then_some(hold)
    }
}

impl Drop for ClockHold {
    fn drop(&mut self) {
        drop(self.input.take());
        let asked = Instant::now();
        while asked.elapsed() < GRACE {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        process_group::end(&mut self.child);
        // It is killed, so this does not wait for long.
        _ = self.child.wait();
    }
}

/// The child: makes an idle context on the GPU at this PCI address, says so, and keeps it until standard input is closed.
///
/// # Errors
/// A message if CUDA has no such GPU.
#[expect(clippy::disallowed_methods, reason = "a word for the program that reads it")]
pub fn serve(pci: &str) -> Result<(), String> {
    let context = cuda::context(pci)?;
    let mut output = io::stdout().lock();
    writeln!(output, "{HELD}").and_then(|()| output.flush()).map_err(|error| error.to_string())?;
    let mut input = io::stdin().lock();
    let mut ignored = [0; 64];
    while input.read(&mut ignored).is_ok_and(|count| count > 0) {}
    drop(context);
    Ok(())
}

#[cfg(not(target_os = "macos"))]
mod cuda {
    use std::sync::Arc;

    use cudarc::driver::CudaContext;
    use cudarc::driver::sys::CUdevice_attribute as Attribute;

    /// A context on the GPU at this PCI address.
    pub(super) fn context(pci: &str) -> Result<Arc<CudaContext>, String> {
        let count = CudaContext::device_count().map_err(|error| error.to_string())?;
        for ordinal in 0..usize::try_from(count).unwrap_or(0) {
            // A GPU that other processes use exclusively is left out.
            let Ok(context) = CudaContext::new(ordinal) else { continue };
            if address(&context).is_some_and(|address| pci.eq_ignore_ascii_case(&address)) {
                return Ok(context);
            }
        }
        Err(format!("CUDA has no GPU at the PCI address {pci}"))
    }

    /// "0000:00:06.0", as Vulkan drivers give it.
    fn address(context: &CudaContext) -> Option<String> {
        let attribute = |attribute| context.attribute(attribute).ok();
        let domain = attribute(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)?;
        let bus = attribute(Attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)?;
        let device = attribute(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)?;
        Some(format!("{domain:04x}:{bus:02x}:{device:02x}.0"))
    }
}

#[cfg(target_os = "macos")]
mod cuda {
    /// There is no CUDA on this system.
    pub(super) fn context(_pci: &str) -> Result<(), String> {
        Err("this system has no CUDA".to_owned())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_child_that_holds_ends_with_its_owner() {
        let hold = ClockHold::start(shell("echo held; cat > /dev/null")).expect("it says that it holds");
        let id = hold.child.id();
        drop(hold);
        assert!(!std::path::Path::new(&format!("/proc/{id}")).exists(), "it still runs");
    }

    #[test]
    fn a_child_that_fails_holds_nothing() {
        assert!(ClockHold::start(shell("echo no CUDA; exit 1")).is_none());
        assert!(ClockHold::start(Command::new("/no such program")).is_none());
    }
}
