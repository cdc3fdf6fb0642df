//! `cargo xtask fuzz`: every fuzz target for a while, and what `cargo xtask ci --release` checks of them.
//!
//! They are built as `cargo fuzz` builds them: LLVM counts the branches that an input takes, and libFuzzer, which comes
//! with `libfuzzer-sys` and needs a C++ compiler, looks for inputs that take new ones. `AddressSanitizer` watches what
//! dependencies do with memory; its runtime comes with the stable compiler, its flag is told to it as to a nightly one.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use crossover_needs::on_build_server;

use crate::process::{cargo, run as run_command};
use crate::report::{Outcome, Report};
use crate::subcommand::{CLIPPY, FMT};

/// Where the targets are, a workspace of their own.
const FOLDER: &str = "fuzz";
/// Their manifest.
const MANIFEST: &str = "fuzz/Cargo.toml";
/// Where they are built, apart from what is built without counters.
const BUILT: &str = "fuzz/target";
/// How `cargo fuzz run` has them compiled.
const COMPILED: &str = "--cfg fuzzing -Zsanitizer=address -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                        -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
                        -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
                        -Ccodegen-units=1";
/// Memory from which on an input counts as a defect, MB: 2 GB, and what the sanitizer keeps back.
const MOST_MEMORY_MB: u32 = 3072;

/// A target, and the beginnings of the samples that it starts from.
struct Target {
    name: &'static str,
    samples: &'static [&'static str],
}

/// All targets: one for each importer of query plans, one for the product's own files, two for fleets, one for each other kind of file.
const TARGETS: [Target; 12] = [
    Target { name: "spark_log", samples: &["plan/samples/spark/shop-eventlog"] },
    Target { name: "spark_plan", samples: &["plan/samples/spark-plan"] },
    Target { name: "duckdb", samples: &["plan/samples/duckdb-"] },
    Target { name: "postgres", samples: &["plan/samples/postgres-"] },
    Target { name: "sql", samples: &["plan/sql/tests/sql/tpch.sql"] },
    Target {
        name: "scenario",
        samples: &[
            "scenarios/placement-",
            "scenarios/regulation-",
            "scenarios/truth/aws-l4-start",
            "scenarios/truth/gh200-start",
        ],
    },
    Target { name: "fleet_log", samples: &["plan/samples/spark/shop-eventlog"] },
    Target { name: "ledger", samples: &["fleet/samples/ledger"] },
    Target { name: "cluster", samples: &["fuzz/samples/cluster-"] },
    Target { name: "kernels", samples: &["fuzz/samples/kernels-"] },
    Target { name: "network", samples: &["fuzz/samples/network-"] },
    Target { name: "probe", samples: &["fuzz/samples/probe-"] },
];

/// Formatting and lints of the targets, which no command for the whole workspace reaches.
pub(crate) fn check(root: &Path, report: &mut Report) {
    report.check("fuzz targets, formatting", || FMT.run(root, &["--manifest-path", MANIFEST, "--check"]));
    report.check("fuzz targets, lints", || {
        // With the workspace's, so that what both need is checked once.
        let arguments = ["--manifest-path", MANIFEST, "--target-dir", "target", "--locked"];
        CLIPPY.run(root, &[&arguments[..], &["--all-targets", "--", "-D", "warnings"]].concat())
    });
}

/// Builds all targets and runs each for so many minutes.
pub(crate) fn run(root: &Path, minutes: u32) -> Report {
    let mut report = Report::new(root);
    let mut programs = None;
    report.check("build", || match build(root) {
        Ok(folder) => {
            programs = Some(folder);
            Outcome::Passed(String::new())
        }
        Err(error) => Outcome::Failed(format!("{error:#}")),
    });
    for target in &TARGETS {
        report.check(target.name, || match &programs {
            Some(programs) => target.run(root, programs, minutes).into(),
            None => Outcome::CouldNotRun("the build failed".into()),
        });
    }
    report
}

/// Builds all targets; the folder of the programs.
fn build(root: &Path) -> Result<PathBuf> {
    ensure!(OS == "linux", "libFuzzer's counters are known to work on Linux only");
    // Naming the platform keeps the counters out of what runs while compiling.
    let platform = format!("{ARCH}-unknown-linux-gnu");
    let arguments = ["build", "--release", "--bins", "--manifest-path", MANIFEST, "--target-dir", BUILT];
    let mut command = cargo(root, arguments);
    command.args(["--target", &platform]).env("RUSTFLAGS", COMPILED).env("RUSTC_BOOTSTRAP", "1");
    if on_build_server() {
        command.arg("--locked");
    }
    run_command(&mut command).context("the targets need a C++ compiler, else only Rust")?;
    Ok(root.join(BUILT).join(platform).join("release"))
}

impl Target {
    /// Looks for inputs that break the importer, starting from the samples and what earlier runs found.
    fn run(&self, root: &Path, programs: &Path, minutes: u32) -> Result<String> {
        let folder = root.join(FOLDER);
        let corpus = folder.join("corpus").join(self.name);
        let artifacts = folder.join("artifacts").join(self.name);
        for made in [&corpus, &artifacts] {
            fs::create_dir_all(made).with_context(|| format!("{}", made.display()))?;
        }
        let started = self.add_samples(root, &corpus)?;
        ensure!(started > 0, "there is no sample to start from");
        let mut command = Command::new(programs.join(self.name));
        command.current_dir(root).arg(&corpus);
        command
            .arg(format!("-max_total_time={}", u64::from(minutes) * 60))
            .arg(format!("-rss_limit_mb={MOST_MEMORY_MB}"));
        command.arg(format!("-artifact_prefix={}/", artifacts.display())).arg("-print_final_stats=1");
        // The C library keeps a few bytes for what a thread does at its end, which counts as a leak of the input.
        command.arg("-detect_leaks=0");
        // Every input goes through a file.
        let memory = Path::new("/dev/shm");
        if memory.is_dir() {
            command.env("TMPDIR", memory);
        }
        if let Err(error) = run_command(&mut command) {
            bail!("{error:#}; the input is in {}", artifacts.display());
        }
        Ok(format!("{minutes} min, {} inputs kept", fs::read_dir(&corpus)?.count()))
    }

    /// Copies the samples to the inputs; how many there are.
    fn add_samples(&self, root: &Path, corpus: &Path) -> Result<usize> {
        let mut count = 0;
        for beginning in self.samples {
            let beginning = root.join(beginning);
            let (Some(folder), Some(name)) = (beginning.parent(), beginning.file_name()) else { continue };
            let name = name.to_string_lossy();
            for entry in fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
                let entry = entry?;
                if entry.file_name().to_string_lossy().starts_with(&*name) {
                    fs::copy(entry.path(), corpus.join(entry.file_name()))?;
                    count += 1;
                }
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_of_the_manifest_is_run_and_has_samples_to_start_from() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let manifest: toml::Table = fs::read_to_string(root.join(MANIFEST)).unwrap().parse().unwrap();
        let programs = manifest["bin"].as_array().unwrap().iter().map(|program| program["name"].as_str().unwrap());
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        assert_eq!(programs.collect::<Vec<_>>(), names);
        for target in &TARGETS {
            let corpus = tempfile::tempdir().unwrap();
            let count = target.add_samples(root, corpus.path()).unwrap();
            assert!(count > 0, "{}", target.name);
            assert_eq!(fs::read_dir(corpus.path()).unwrap().count(), count);
        }
    }
}
