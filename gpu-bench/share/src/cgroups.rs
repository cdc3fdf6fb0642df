//! Weights of CPU time by cgroups of version 2, in a folder that the user may write.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, process, thread};

/// Where Linux mounts cgroups.
const ROOT: &str = "/sys/fs/cgroup";
/// Polling interval for the end of the last processes of a cgroup, and how often.
const POLL: (Duration, u32) = (Duration::from_millis(10), 100);

/// A cgroup for each of two programs; they are removed when this is dropped.
#[derive(Debug)]
pub(super) struct Cgroups {
    folders: Vec<PathBuf>,
    /// File of the parent in which the controller was enabled here, to be disabled again.
    enabled: Option<PathBuf>,
}

impl Cgroups {
    /// Cgroups with these weights below a parent; by default below the cgroup of this process. `number` tells those of several
    /// settings apart.
    ///
    /// # Errors
    /// Why there are none, as a part of a sentence.
    pub(super) fn new(parent: Option<&Path>, number: usize, weights: [u32; 2]) -> Result<Self, String> {
        let own = || own(&fs::read_to_string("/proc/self/cgroup").unwrap_or_default());
        let parent = parent.map_or_else(own, Path::to_owned);
        let has_cpu = |file: &str| {
            fs::read_to_string(parent.join(file)).map(|text| text.split_whitespace().any(|name| name == "cpu"))
        };
        let shown = parent.display();
        match has_cpu("cgroup.controllers") {
            Err(error) => return Err(format!("{shown} is not a cgroup of version 2: {error}")),
            Ok(false) => return Err(format!("{shown} has no controller “cpu”")),
            Ok(true) => {}
        }
        let mut made = Self { folders: Vec::new(), enabled: None };
        let control = parent.join("cgroup.subtree_control");
        if !has_cpu("cgroup.subtree_control").unwrap_or(false) {
            // Refused in a cgroup that has processes of its own.
            fs::write(&control, "+cpu").map_err(|error| format!("the controller “cpu” of {shown}: {error}"))?;
            made.enabled = Some(control);
        }
        for (name, weight) in ["first", "second"].into_iter().zip(weights) {
            let folder = parent.join(format!("crossover-share-{}-{number}-{name}", process::id()));
            let failed = |error| format!("{}: {error}", folder.display());
            fs::create_dir(&folder).map_err(failed)?;
            made.folders.push(folder.clone());
            fs::write(folder.join("cpu.weight"), weight.to_string()).map_err(failed)?;
        }
        Ok(made)
    }

    /// Moves a process that has just been started into a cgroup; those that it starts follow.
    pub(super) fn enter(&self, place: usize, process: u32) -> std::io::Result<()> {
        fs::write(self.folders[place].join("cgroup.procs"), process.to_string())
    }
}

impl Drop for Cgroups {
    fn drop(&mut self) {
        let (interval, times) = POLL;
        for folder in &self.folders {
            // Processes of a killed group take a moment to leave. A cgroup that stays is empty and has no effect.
            for _ in 0..times {
                if fs::remove_dir(folder).is_ok() {
                    break;
                }
                thread::sleep(interval);
            }
        }
        if let Some(control) = &self.enabled {
            _ = fs::write(control, "-cpu");
        }
    }
}

/// The cgroup of version 2 of a process, from the lines of its `/proc/self/cgroup`.
fn own(lines: &str) -> PathBuf {
    let path = lines.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
    Path::new(ROOT).join(path.trim_start_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cgroup_of_this_process_is_that_of_version_2() {
        let hybrid = "9:name=systemd:/\n1:cpu:/\n0::/user.slice/user-1000.slice/a b.scope\n";
        assert_eq!(own(hybrid), Path::new("/sys/fs/cgroup/user.slice/user-1000.slice/a b.scope"));
        assert_eq!(own("1:cpu:/x\n"), Path::new("/sys/fs/cgroup"));
    }

    #[test]
    fn without_cgroups_the_reason_is_told_and_nothing_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let none = Cgroups::new(Some(folder.path()), 0, [100, 900]).expect_err("no cgroup");
        assert!(none.contains("is not a cgroup of version 2"), "{none}");
        fs::write(folder.path().join("cgroup.controllers"), "cpuset io memory\n").expect("written");
        let none = Cgroups::new(Some(folder.path()), 0, [100, 900]).expect_err("no controller");
        assert!(none.ends_with("has no controller “cpu”"), "{none}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }
}
