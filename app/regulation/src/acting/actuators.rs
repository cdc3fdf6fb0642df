//! The file that lists actuators of real systems: what each changes, in which range, how fast, and through what.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, ensure};
use crossover_files::programs::{NotAllowed, Programs};
use crossover_files::read;
use crossover_quantity::invalid::did_you_mean;
use crossover_regulation::Actuator;
use crossover_regulation::regulator::{Limits, Setting};
use serde::{Deserialize, Deserializer};

use super::control::{Control, VALUE};
use super::mig::MigInstances;
use super::pool::Pool;

/// Largest file of actuators.
const LARGEST_BYTES: u64 = 1 << 20;

/// An actuator of a real system.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RealActuator {
    /// Name, unique in the file.
    pub(crate) name: String,
    /// The column of the control table that changes it.
    changes: Actuator,
    /// Its change for one vGPU, task, MHz or precision level.
    #[serde(default = "one")]
    scale: f64,
    least: f64,
    most: f64,
    /// Largest change in a second.
    per_second: f64,
    /// Whether it is set to whole numbers.
    #[serde(default = "yes")]
    whole: bool,
    through: Through,
    /// What it shares with settings of other loops.
    #[serde(default, deserialize_with = "some")]
    pool: Option<Pool>,
}

/// What reads and sets it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
enum Through {
    /// Programs of the user: one that sets `{value}`, one that prints the present value.
    Programs { set: Vec<String>, read: Vec<String> },
    /// The replicas of a deployment, a stateful set or a replica set, by `kubectl scale`.
    Kubernetes {
        /// Such as `deployment/serve`.
        resource: String,
        #[serde(default)]
        namespace: String,
        #[serde(default)]
        context: String,
    },
    /// The tasks of a job array that run at once, by `scontrol update`.
    SlurmArray { job: u32 },
    /// The highest clock of an NVIDIA GPU, by its index or UUID; the lowest is that of the range.
    LockedClocks { gpu: String },
    /// The power limit of an NVIDIA GPU, W.
    PowerLimit { gpu: String },
    /// GPU instances of a profile on an NVIDIA GPU in MIG mode, by `nvidia-smi mig`.
    MigInstances { gpu: String, profile: u32 },
}

/// A pool without the word `Some`.
fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Pool>, D::Error> {
    Pool::deserialize(deserializer).map(Some)
}

fn one() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}

/// The actuators of a file with these names, in their order; all without names.
///
/// # Errors
/// The file cannot be read or is no list of actuators, with its place; a name that it does not have.
pub(crate) fn open(path: &Path, names: &[String]) -> Result<Vec<RealActuator>> {
    let file = path.display();
    let text = read::text(path, LARGEST_BYTES).with_context(|| format!("cannot read {file}"))?;
    let all: Vec<RealActuator> = ron::from_str(&text).map_err(|error| {
        let place = error.span.start;
        anyhow!("{file}:{}:{}: {}", place.line, place.col, error.code)
    })?;
    for (index, actuator) in all.iter().enumerate() {
        let name = &actuator.name;
        ensure!(!name.is_empty(), "{file}: actuator {index} has no name");
        ensure!(all[..index].iter().all(|before| before.name != *name), "{file}: two actuators are called “{name}”");
        actuator.check().map_err(|problem| anyhow!("{file}: actuator “{name}”: {problem}"))?;
    }
    ensure!(!all.is_empty(), "{file}: there is no actuator");
    if names.is_empty() {
        return Ok(all);
    }
    let known: Vec<&str> = all.iter().map(|actuator| actuator.name.as_str()).collect();
    let named = |name: &String| {
        let found = all.iter().find(|actuator| actuator.name == *name).cloned();
        let hint = did_you_mean(name, &known);
        found
            .with_context(|| format!("--actuator: {file} has no actuator “{name}”{hint}; it has: {}", known.join(", ")))
    };
    names.iter().map(named).collect()
}

impl RealActuator {
    /// The setting that a controller changes, at this value; none: at the end of its range.
    pub(crate) fn setting(&self, value: Option<f64>) -> Setting {
        let limits = Limits { least: self.least, most: self.most, per_second: self.per_second, is_whole: self.whole };
        Setting { changes: self.changes, scale: self.scale, limits, value: value.unwrap_or(self.most) }
    }

    /// The column of the control table that changes it.
    pub(crate) fn changes(&self) -> Actuator {
        self.changes
    }

    /// How it is read and set; its programs start in a folder.
    pub(crate) fn control(&self, folder: &Path) -> Control {
        self.through.control(folder.to_owned(), self.least)
    }

    /// The programs that read its pool, which start in a folder; none without a pool.
    ///
    /// # Errors
    /// A command line that a user cannot check.
    pub(crate) fn pool_programs(&self, folder: &Path) -> Result<Option<Programs>, NotAllowed> {
        self.pool.as_ref().map_or(Ok(None), |pool| pool.programs(folder))
    }

    /// The largest value at present: the end of its range, or what others leave of its pool. None without a pool.
    ///
    /// # Errors
    /// What others use cannot be read; a sentence about it.
    pub(crate) fn most_of_pool(&self, folder: &Path) -> Result<Option<f64>, String> {
        let Some(pool) = &self.pool else { return Ok(None) };
        let left = pool.left(folder)?;
        let left = if self.whole { left.floor() } else { left };
        Ok(Some(left.min(self.most)))
    }

    fn check(&self) -> Result<()> {
        self.through.check()?;
        self.pool.as_ref().map_or(Ok(()), Pool::check)?;
        let least = match self.through {
            Through::Programs { .. } => return Ok(()),
            Through::Kubernetes { .. } | Through::MigInstances { .. } => 0.0,
            // 0 removes the throttle of an array, and unlocks clocks.
            Through::SlurmArray { .. } | Through::LockedClocks { .. } | Through::PowerLimit { .. } => 1.0,
        };
        ensure!(self.least >= least, "least: {} is too small; expected {least} or more", self.least);
        let is_count = matches!(
            self.through,
            Through::Kubernetes { .. } | Through::SlurmArray { .. } | Through::MigInstances { .. }
        );
        ensure!(self.whole || !is_count, "whole: replicas, tasks and instances are whole numbers");
        Ok(())
    }
}

impl Through {
    fn check(&self) -> Result<()> {
        match self {
            Self::Programs { set, read } => {
                let has_value = set.iter().skip(1).any(|word| word.contains(VALUE));
                ensure!(has_value, "set: no argument has {VALUE}, which stands for the value");
                ensure!(!set[0].contains(VALUE), "set: the program is {VALUE}; only its arguments may contain it");
                ensure!(!read.is_empty(), "read: there is no program that prints the present value");
            }
            Self::Kubernetes { resource, namespace, context } => {
                let is_resource = resource.split('/').count() == 2 && resource.split('/').all(is_kubernetes_name);
                ensure!(is_resource, "resource: expected a resource such as deployment/serve, found “{resource}”");
                let is_namespace = namespace.is_empty() || is_kubernetes_name(namespace);
                ensure!(is_namespace, "namespace: “{namespace}” is not a name that Kubernetes allows");
                ensure!(!context.starts_with('-'), "context: “{context}” is not the name of a context");
            }
            Self::SlurmArray { job } => {
                ensure!(*job > 0, "job: 0 is not the number of a job array");
            }
            Self::LockedClocks { gpu } | Self::PowerLimit { gpu } | Self::MigInstances { gpu, .. } => {
                let is_gpu = !gpu.is_empty() && !gpu.starts_with('-');
                ensure!(is_gpu, "gpu: expected the index or the UUID of a GPU, such as \"0\"");
            }
        }
        Ok(())
    }

    fn control(&self, folder: PathBuf, least: f64) -> Control {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        match self {
            Self::Programs { set, read } => {
                Control::Programs { folder, set: set.clone(), read: read.clone(), before: String::new() }
            }
            Self::Kubernetes { resource, namespace, context } => {
                let options = [("--namespace=", namespace), ("--context=", context)];
                let options = options.iter().filter(|(_, value)| !value.is_empty());
                let mut options: Vec<String> = options.map(|(option, value)| format!("{option}{value}")).collect();
                options.push("--request-timeout=8s".to_owned());
                let line = |words: Vec<String>| [words, options.clone()].concat();
                let set = line(words(&["kubectl", "scale", resource, "--replicas={value}"]));
                let read = line(words(&["kubectl", "get", resource, "--output=jsonpath={.spec.replicas}"]));
                Control::Programs { folder, set, read, before: String::new() }
            }
            Self::SlurmArray { job } => {
                let id = format!("JobId={job}");
                let set = words(&["scontrol", "update", &id, "ArrayTaskThrottle={value}"]);
                let read = words(&["scontrol", "show", "job", &job.to_string()]);
                Control::Programs { folder, set, read, before: "ArrayTaskThrottle=".to_owned() }
            }
            Self::LockedClocks { gpu } => Control::LockedClocks { gpu: gpu.clone(), least_mhz: least },
            Self::PowerLimit { gpu } => Control::PowerLimit { gpu: gpu.clone() },
            Self::MigInstances { gpu, profile } => {
                Control::MigInstances { folder, of: MigInstances { gpu: gpu.clone(), profile: *profile } }
            }
        }
    }
}

/// Whether a text is a name as Kubernetes has them (RFC 1123), which no option of a command can be.
fn is_kubernetes_name(text: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    let is_end = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.len() <= 253 && text.starts_with(is_end) && text.ends_with(is_end) && text.chars().all(is_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"[
        (name: "workers", changes: Vgpus, least: 1, most: 16, per_second: 0.5,
         through: Programs(set: ["./set", "{value}"], read: ["./read"])),
        (name: "replicas", changes: Vgpus, least: 1, most: 8, per_second: 1,
         through: Kubernetes(resource: "deployment/serve", namespace: "ml")),
        (name: "tasks", changes: Vgpus, least: 1, most: 64, per_second: 1, through: SlurmArray(job: 17)),
        (name: "speed", changes: Frequency, scale: 0.5, least: 0, most: 2.5, per_second: 1, whole: false,
         through: Programs(set: ["s", "{value}"], read: ["r"])),
        (name: "clock", changes: Frequency, least: 900, most: 1980, per_second: 100, through: LockedClocks(gpu: "0")),
        (name: "power", changes: Frequency, scale: 0.3, least: 200, most: 700, per_second: 50,
         through: PowerLimit(gpu: "GPU-1")),
        (name: "instances", changes: Vgpus, least: 1, most: 7, per_second: 1,
         through: MigInstances(gpu: "0", profile: 19), pool: (total: 7, others: [["./used"]])),
    ]"#;

    fn read(text: &str, names: &[&str]) -> Result<Vec<RealActuator>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("actuators.ron");
        std::fs::write(&path, text).unwrap();
        open(&path, &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    fn lines(actuator: &RealActuator) -> Vec<String> {
        let control = actuator.control(Path::new("/"));
        control.programs().unwrap().unwrap().lines()
    }

    #[test]
    fn actuators_have_their_command_lines() {
        let all = read(FILE, &[]).unwrap();
        assert_eq!(lines(&all[0]), ["./set '{value}'", "./read"]);
        let replicas = [
            "kubectl scale deployment/serve '--replicas={value}' --namespace=ml --request-timeout=8s",
            "kubectl get deployment/serve '--output=jsonpath={.spec.replicas}' --namespace=ml --request-timeout=8s",
        ];
        assert_eq!(lines(&all[1]), replicas);
        let tasks = ["scontrol update 'JobId=17' 'ArrayTaskThrottle={value}'", "scontrol show job 17"];
        assert_eq!(lines(&all[2]), tasks);
        assert_eq!(all[0].setting(Some(4.0)).value, 4.0);
        assert_eq!(all[2].setting(None).value, 64.0, "an array without a throttle begins at the end of its range");
        assert!(!all[3].setting(Some(1.0)).limits.is_whole);
        let [clock, power] = [&all[4], &all[5]].map(|actuator| actuator.control(Path::new("/")));
        assert!(clock.programs().unwrap().is_none() && power.programs().unwrap().is_none());
        assert_eq!(clock.action(1500.0), "lock the clocks of GPU 0 between 900 and 1500 MHz");
        assert_eq!(power.action(350.0), "limit the power of GPU GPU-1 to 350 W");
        let instances = all[6].control(Path::new("/"));
        assert_eq!(instances.action(3.0), "leave 3 MIG instances of profile 19 on GPU 0");
        assert_eq!(lines(&all[6]).len(), 4, "to list, create and destroy");
        let of_pool = all[6].pool_programs(Path::new("/")).unwrap().unwrap();
        assert_eq!(of_pool.lines(), ["./used"]);
        assert!(all[5].pool_programs(Path::new("/")).unwrap().is_none());
    }

    #[test]
    fn names_choose_actuators() {
        let chosen = read(FILE, &["speed", "tasks"]).unwrap();
        assert_eq!(chosen.iter().map(|actuator| &*actuator.name).collect::<Vec<_>>(), ["speed", "tasks"]);
        let problem = read(FILE, &["task"]).unwrap_err().to_string();
        assert!(problem.contains("no actuator “task”, did you mean “tasks”?"), "{problem}");
    }

    #[test]
    fn a_bad_file_is_refused_with_its_place() {
        let cases = [
            ("changes: Vgpus, least: 1, most: 16", "changes: Vgpu, least: 1, most: 16", "actuators.ron:2:"),
            ("most: 16,", "", "most"),
            ("\"{value}\"], read: [\"./read\"]", "\"8\"], read: [\"./read\"]", "no argument has {value}"),
            ("[\"./read\"]", "[]", "read: there is no program"),
            ("deployment/serve", "deployment/--all", "expected a resource such as deployment/serve"),
            ("deployment/serve", "serve", "expected a resource such as deployment/serve"),
            ("\"ml\"", "\"-n\"", "not a name that Kubernetes allows"),
            ("job: 17", "job: 0", "not the number of a job array"),
            ("least: 1, most: 64", "least: 0, most: 64", "least: 0 is too small; expected 1 or more"),
            ("gpu: \"0\"", "gpu: \"\"", "expected the index or the UUID of a GPU"),
            ("gpu: \"0\", profile", "gpu: \"-dgi\", profile", "expected the index or the UUID of a GPU"),
            ("total: 7", "total: 0", "pool: total: expected a number above 0"),
            ("[[\"./used\"]]", "[]", "pool: others: no other member"),
            ("per_second: 1, through: Slurm", "per_second: 1, whole: false, through: Slurm", "are whole numbers"),
            ("\"tasks\"", "\"workers\"", "two actuators are called “workers”"),
        ];
        for (from, to, expected) in cases {
            assert!(FILE.contains(from), "{from}");
            let problem = format!("{:#}", read(&FILE.replacen(from, to, 1), &[]).expect_err(expected));
            assert!(problem.contains("actuators.ron") && problem.contains(expected), "{problem}");
        }
    }
}
