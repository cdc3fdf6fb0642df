//! The kind of a file of a recorded cluster, by its beginning.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::error::TraceError;
use crate::job_log;

/// Bytes at the beginning of a file that determine its kind.
const BEGINNING: u64 = 1 << 16;

/// The kind of a file of a recorded cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Nodes of Alibaba's cluster.
    OpenbNodes,
    /// Pods of Alibaba's cluster.
    OpenbPods,
    /// Jobs of Philly, Helios, Acme or PAI.
    PhillyJobs,
    /// What `kubectl` prints.
    Kubernetes,
    /// What `scontrol show node` or `sinfo` prints.
    SlurmNodes,
    /// What `squeue --json`, `scontrol show job` or `sacct` prints.
    SlurmJobs,
    /// Decisions of `crossover allocate serve`.
    Decisions,
}

impl FileKind {
    /// The kind of a file, by its beginning.
    ///
    /// # Errors
    /// [`TraceError`]: it cannot be read, or is none of these.
    pub fn of(path: &Path) -> Result<Self, TraceError> {
        Self::of_text(&beginning(path)?).ok_or_else(|| {
            let expected = "a table of openb (nodes or pods) or Philly, JSON of kubectl, squeue, sacct or scontrol, the output of \
                            `scontrol show node`, `scontrol show job`, `sinfo` or `sacct --parsable2`, or a log of `crossover allocate serve`";
            TraceError::unusable(path, format!("not a recorded cluster; expected {expected}"))
        })
    }

    fn of_text(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('{') || text.starts_with('[') {
            let has = |name: &str| text.contains(name);
            if text.starts_with('[') && has("\"jobid\"") && has("\"attempts\"") {
                return Some(Self::PhillyJobs);
            }
            if text.starts_with("{\"event\":") {
                return Some(Self::Decisions);
            }
            let is_slurm = !has("\"apiVersion\"");
            return Some(if is_slurm && has("\"jobs\"") {
                Self::SlurmJobs
            } else if is_slurm && (has("\"sinfo\"") || has("\"nodes\"")) {
                Self::SlurmNodes
            } else {
                Self::Kubernetes
            });
        }
        let first = text.lines().next()?;
        let is_table = ["NODELIST", "HOSTNAMES"].iter().any(|name| first.contains(name));
        if first.starts_with("NodeName=") || is_table {
            return Some(Self::SlurmNodes);
        }
        if first.starts_with("JobId=") || first.split('|').any(|name| ["JobID", "JobIDRaw"].contains(&name)) {
            return Some(Self::SlurmJobs);
        }
        let header: Vec<&str> = text.lines().next()?.split(',').map(|name| name.trim().trim_matches('"')).collect();
        let has = |names: &[&str]| names.iter().all(|name| header.contains(name));
        [(&["sn", "cpu_milli", "gpu"][..], Self::OpenbNodes), (&["name", "num_gpu", "gpu_milli"], Self::OpenbPods)]
            .into_iter()
            .find_map(|(names, kind)| has(names).then_some(kind))
            .or_else(|| job_log::is_first_line(&header).then_some(Self::PhillyJobs))
    }
}

/// The beginning of a file as text, without the mark of its encoding.
pub(crate) fn beginning(path: &Path) -> Result<String, TraceError> {
    let unreadable = |error: io::Error| TraceError::unreadable(path, error);
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(BEGINNING).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_beginning() {
        let cases = [
            ("sn,cpu_milli,memory_mib,gpu,model\n", Some(FileKind::OpenbNodes)),
            ("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\n", Some(FileKind::OpenbPods)),
            ("\u{feff}job_id,submit_time,num_gpu,duration,ddl\n", Some(FileKind::PhillyJobs)),
            ("j1,worker,1.0,Terminated,100.0,160.0,600.0,29.3,50.0,MISC\n", Some(FileKind::PhillyJobs)),
            ("{\"apiVersion\": \"v1\", \"items\": []}", Some(FileKind::Kubernetes)),
            ("{\"meta\": {}, \"jobs\": []}", Some(FileKind::SlurmJobs)),
            ("{\"nodes\": [], \"meta\": {}}", Some(FileKind::SlurmNodes)),
            ("{\"sinfo\": [{\"nodes\": {}}]}", Some(FileKind::SlurmNodes)),
            ("{\"event\":\"cluster\",\"nodes\":[]}", Some(FileKind::Decisions)),
            ("NodeName=n1 Arch=x86_64", Some(FileKind::SlurmNodes)),
            ("NODELIST CPUS MEMORY GRES\n", Some(FileKind::SlurmNodes)),
            ("JobID|State|Start|End\n", Some(FileKind::SlurmJobs)),
            ("JobId=1 JobName=wrap\n", Some(FileKind::SlurmJobs)),
            ("a,b,c\n1,2,3", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(FileKind::of_text(text), expected, "{text}");
        }
    }
}
