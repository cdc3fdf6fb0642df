//! What a step took: time, processor time, memory and disk space. All but the time are measured on Linux only.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What a step took; `None` where it was not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    pub(crate) wall_seconds: f64,
    /// Of this process, and of all that it started and that have ended.
    pub(crate) cpu_seconds: Option<f64>,
    /// The most memory that the machine had in use, above that at the start of the step.
    pub(crate) memory_mb: Option<f64>,
    /// The size of what is built, after the step.
    pub(crate) disk_mb: Option<f64>,
}

/// How often memory is sampled.
const SAMPLED: Duration = Duration::from_millis(200);

/// Clock ticks per second in `/proc`: `USER_HZ`, 100 on every architecture that Rust builds for.
const TICKS_PER_SECOND: f64 = 100.0;

/// Measures a step from its start.
pub(crate) struct Meter {
    started: Instant,
    cpu_seconds: Option<f64>,
    memory: Option<MemorySampler>,
}

impl Meter {
    pub(crate) fn start() -> Self {
        Self { started: Instant::now(), cpu_seconds: cpu_seconds(), memory: MemorySampler::start() }
    }

    /// Ends the step; `built` are the folders of what is built.
    pub(crate) fn stop(self, built: &[PathBuf]) -> Usage {
        Usage {
            wall_seconds: self.started.elapsed().as_secs_f64(),
            cpu_seconds: cpu_seconds().zip(self.cpu_seconds).map(|(after, before)| after - before),
            memory_mb: self.memory.and_then(MemorySampler::stop),
            disk_mb: cfg!(target_os = "linux").then(|| bytes_below(built) as f64 / 1e6),
        }
    }
}

/// A thread that samples memory until it is stopped.
struct MemorySampler {
    stop: Sender<()>,
    thread: JoinHandle<u64>,
}

impl MemorySampler {
    fn start() -> Option<Self> {
        let before = used_memory_kb()?;
        let (stop, stopped) = mpsc::channel();
        let sample = move || {
            let mut highest = before;
            loop {
                let is_last = stopped.recv_timeout(SAMPLED) != Err(RecvTimeoutError::Timeout);
                highest = highest.max(used_memory_kb().unwrap_or_default());
                if is_last {
                    return highest - before;
                }
            }
        };
        let thread = thread::Builder::new().name("memory".into()).spawn(sample).ok()?;
        Some(Self { stop, thread })
    }

    /// The most memory since the start, in MB above that at the start.
    fn stop(self) -> Option<f64> {
        drop(self.stop);
        let kb = self.thread.join().ok()?;
        Some(kb as f64 * 1024.0 / 1e6)
    }
}

fn cpu_seconds() -> Option<f64> {
    cpu_seconds_in(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// User and system time, own and of children that have ended: fields 14 to 17 of `proc_pid_stat(5)`.
fn cpu_seconds_in(stat: &str) -> Option<f64> {
    // The second field is the name of the program in parentheses, which may have any characters in it.
    let (_, from_third) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = from_third.split_whitespace().collect();
    let ticks = fields.get(11..15)?.iter().map(|field| field.parse::<u32>().ok()).sum::<Option<u32>>()?;
    Some(f64::from(ticks) / TICKS_PER_SECOND)
}

fn used_memory_kb() -> Option<u64> {
    used_memory_kb_in(&fs::read_to_string("/proc/meminfo").ok()?)
}

/// What is not available to new programs, by `proc_meminfo(5)`.
fn used_memory_kb_in(meminfo: &str) -> Option<u64> {
    let kb = |key: &str| {
        let value = meminfo.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        value.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    kb("MemTotal")?.checked_sub(kb("MemAvailable")?)
}

/// The size of all files below some folders. A file with several names counts once: cargo links final artefacts.
fn bytes_below(folders: &[PathBuf]) -> u64 {
    let (mut bytes, mut seen, mut waiting) = (0, BTreeSet::new(), folders.to_vec());
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            // What is gone by now has no size.
            let Ok(about) = entry.metadata() else { continue };
            if about.is_dir() {
                waiting.push(entry.path());
            } else if is_new(&about, &mut seen) {
                bytes += about.len();
            }
        }
    }
    bytes
}

/// Whether a file is none of those seen, by their devices and inodes.
#[cfg(unix)]
fn is_new(about: &Metadata, seen: &mut BTreeSet<(u64, u64)>) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    seen.insert((about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn is_new(_: &Metadata, _: &mut BTreeSet<(u64, u64)>) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_own_and_that_of_children() {
        let stat =
            "4242 (a (strange) name) S 1 4242 4242 0 -1 4194560 1200 98000 3 40 150 50 7000 800 20 0 1 0 12345 1 2";
        assert_eq!(cpu_seconds_in(stat), Some(80.0));
        assert_eq!(cpu_seconds_in("4242 (name) S 1"), None);
        assert_eq!(cpu_seconds_in(""), None);
    }

    #[test]
    fn memory_in_use_is_what_is_not_available() {
        let meminfo =
            "MemTotal:        8000000 kB\nMemFree:          100000 kB\nMemAvailable:    6500000 kB\nBuffers: 1 kB\n";
        assert_eq!(used_memory_kb_in(meminfo), Some(1_500_000));
        assert_eq!(used_memory_kb_in("MemTotal: 8000000 kB\n"), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_two_names_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let (built, final_artefacts) = (folder.path().join("build"), folder.path().join("target"));
        fs::create_dir_all(built.join("debug/deps")).unwrap();
        fs::create_dir(&final_artefacts).unwrap();
        fs::write(built.join("debug/deps/program-1"), [0; 3000]).unwrap();
        fs::hard_link(built.join("debug/deps/program-1"), final_artefacts.join("program")).unwrap();
        fs::write(final_artefacts.join("list"), [0; 50]).unwrap();
        assert_eq!(bytes_below(&[built, final_artefacts, folder.path().join("none")]), 3050);
    }

    #[test]
    fn a_step_is_measured_from_its_start_to_its_end() {
        let meter = Meter::start();
        let usage = meter.stop(&[]);
        assert!(usage.wall_seconds > 0.0);
        let measured = [usage.cpu_seconds, usage.memory_mb, usage.disk_mb].map(|figure| figure.is_some());
        assert_eq!(measured, [cfg!(target_os = "linux"); 3]);
    }
}
