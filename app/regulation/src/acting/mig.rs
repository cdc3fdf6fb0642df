//! GPU instances of an NVIDIA GPU in MIG mode as a setting: how many there are of a profile, by `nvidia-smi mig`.

use std::fs::File;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::process;

/// Stands for the identifier of an instance in the lines that a user allows.
const INSTANCE: &str = "{instance}";
/// What `nvidia-smi` prints where there are none, and ends with a failure.
const NONE: &str = "No GPU instances found";

/// The GPU instances of a profile on a GPU, each with one compute instance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MigInstances {
    /// Index or UUID.
    pub(super) gpu: String,
    /// Number of the profile, as `nvidia-smi mig -lgip` lists it.
    pub(super) profile: u32,
}

impl MigInstances {
    /// The lines that it starts, with a place for an instance.
    pub(super) fn lines(&self) -> [Vec<String>; 4] {
        let [end_compute, end] = self.destroy(INSTANCE);
        [self.list(), self.create(), end_compute, end]
    }

    /// How many instances there are.
    ///
    /// # Errors
    /// They cannot be listed; a sentence about it.
    pub(super) fn count(&self, folder: &Path) -> Result<f64, String> {
        Ok(self.instances(folder)?.len() as f64)
    }

    /// Creates or destroys instances until there are so many. The driver destroys none with a process: others are tried then, the
    /// newest first.
    ///
    /// # Errors
    /// There are not so many; a sentence about it.
    pub(super) fn set(&self, value: f64, folder: &Path, held: &File) -> Result<(), String> {
        let run = |line: &[String]| process::output_of(line, folder, Some(held)).map(drop);
        let instances = self.instances(folder)?;
        let mut count = instances.len() as f64;
        while count < value {
            run(&self.create())?;
            count += 1.0;
        }
        let mut refused = None;
        for instance in instances.iter().rev() {
            if count <= value {
                break;
            }
            let ended = self.destroy(instance).iter().try_for_each(|line| run(line));
            match ended {
                Ok(()) => count -= 1.0,
                Err(why) => refused = Some(why),
            }
        }
        match refused {
            Some(why) if count > value => Err(format!("{count} GPU instances are left: {why}")),
            _ => Ok(()),
        }
    }

    fn instances(&self, folder: &Path) -> Result<Vec<String>, String> {
        match process::output_of(&self.list(), folder, None) {
            Ok(printed) => Ok(identifiers(&printed, self.profile)),
            Err(why) if why.contains(NONE) => Ok(Vec::new()),
            Err(why) => Err(why),
        }
    }

    fn list(&self) -> Vec<String> {
        self.line(&["-lgi"])
    }

    fn create(&self) -> Vec<String> {
        self.line(&["-cgi", &self.profile.to_string(), "-C"])
    }

    /// Compute instances first: a GPU instance that has one is not destroyed.
    fn destroy(&self, instance: &str) -> [Vec<String>; 2] {
        [self.line(&["-dci", "-gi", instance]), self.line(&["-dgi", "-gi", instance])]
    }

    fn line(&self, action: &[&str]) -> Vec<String> {
        ["nvidia-smi", "mig", "-i", self.gpu.as_str()].iter().chain(action).map(|word| (*word).to_owned()).collect()
    }
}

/// Identifiers of the instances of a profile, by the table of `nvidia-smi mig -lgi`: GPU, name, profile, instance, placement.
fn identifiers(printed: &str, profile: u32) -> Vec<String> {
    let of_line = |line: &str| {
        let words: Vec<&str> = line.trim().trim_matches('|').split_whitespace().collect();
        let [_, "MIG", .., of, instance, placement] = words[..] else { return None };
        let is_this =
            of.parse::<u32>().ok() == Some(profile) && placement.contains(':') && instance.parse::<u32>().is_ok();
        is_this.then(|| instance.to_owned())
    };
    printed.lines().filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The form of NVIDIA's MIG user guide, with instances of two profiles.
    #[test]
    fn instances_of_a_profile_are_read_from_the_table() {
        let table = "\
+-------------------------------------------------------+
| GPU instances:                                        |
| GPU   Name             Profile  Instance   Placement  |
|                          ID       ID       Start:Size |
|=======================================================|
|   0  MIG 1g.5gb          19        7          4:1     |
+-------------------------------------------------------+
|   0  MIG 1g.5gb          19        8          5:1     |
+-------------------------------------------------------+
|   0  MIG 3g.20gb          9        2          0:4     |
+-------------------------------------------------------+
";
        assert_eq!(identifiers(table, 19), ["7", "8"]);
        assert_eq!(identifiers(table, 9), ["2"]);
        assert_eq!(identifiers("No GPU instances found: Not Found\n", 19), [""; 0]);
    }

    #[test]
    fn lines_name_gpu_profile_and_instance() {
        let instances = MigInstances { gpu: "0".to_owned(), profile: 19 };
        let expected = [
            "nvidia-smi mig -i 0 -lgi",
            "nvidia-smi mig -i 0 -cgi 19 -C",
            "nvidia-smi mig -i 0 -dci -gi {instance}",
            "nvidia-smi mig -i 0 -dgi -gi {instance}",
        ];
        assert_eq!(instances.lines().map(|line| line.join(" ")), expected);
    }
}
