//! Measurements of compute centres, from several tools, as runs of probes.
//!
//! - `report`: reports of the probe command
//! - `reframe`: performance logs of `ReFrame`
//! - `osu`: output of the OSU micro-benchmarks
//! - `mlperf`: tables of results of `MLPerf` Training
//! - `hyperfine`: output of `hyperfine --export-json`
//! - `plain`: a plain table
//! - `format`: the format of a file, by its content
//! - `found`: results of a reader
//! - `quantity`, `when`: numbers and times in these files

mod format;
mod found;
mod hyperfine;
mod mlperf;
mod osu;
mod plain;
mod quantity;
mod reframe;
mod report;
mod when;

use std::path::Path;

use self::format::Format;
use self::found::RunCollector;
use crate::error::{self, TraceError};

/// Largest file. JSON takes up to thirty times as much in memory as on disk.
const LARGEST_BYTES: u64 = 32 << 20;

/// One run of a probe at a centre.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// Centre or system; empty: not in the file.
    pub centre: String,
    /// Probe or test; empty: not in the file.
    pub probe: String,
    /// Type of the compute units; empty: not in the file.
    pub unit: String,
    /// Number of units, 1 to 10⁹; 1, with a note, if not in the file.
    pub units: f64,
    /// Start, hours from the midnight before Monday 2001-01-01, UTC; none: not in the file. `ReFrame` records the end of a run,
    /// hyperfine the start of the first run.
    pub at_hours: Option<f64>,
    /// Duration, seconds, above 0; none: only a rate was measured, or it failed.
    pub seconds: Option<f64>,
    /// Work in a time, above 0, with its unit as the file writes it, such as GFLOP/s.
    pub rate: Option<(f64, String)>,
    /// Relative error of the output, 0 or more; none: no reference value.
    pub error: Option<f64>,
    /// Predicted time of the whole target task, seconds, above 0; none: not available.
    pub target_seconds: Option<f64>,
    /// Why the run is invalid, as a sentence without its full stop: a precision failure, a crash, another version.
    pub failure: Option<String>,
    /// [`fingerprint`](crossover_measured::probe::ProbeTask::fingerprint) of the probe that ran; none: other tools do not
    /// tell.
    pub fingerprint: Option<String>,
    /// Version of the probe library, in reports of the probe command.
    pub library: Option<u32>,
}

impl Probed {
    /// A run without measurements yet.
    fn new(probe: impl Into<String>, units: f64) -> Self {
        Self {
            centre: String::new(),
            probe: probe.into(),
            unit: String::new(),
            units,
            at_hours: None,
            seconds: None,
            rate: None,
            error: None,
            target_seconds: None,
            failure: None,
            fingerprint: None,
            library: None,
        }
    }
}

/// Measurements of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// Its runs in its order; at least one.
    pub runs: Vec<Probed>,
    /// How many entries were left out, of how many runs, and what is wrong with the first three, each with its line; none: nothing
    /// was.
    pub left_out: Option<String>,
    /// What else the user should know: what was assumed, and clocks that are wrong.
    pub notes: Vec<String>,
}

/// The runs of a file. Its content decides its format, not its name; only `ReFrame`'s folders, named by system and
/// partition, are also looked at. `now_hours`: the time now, counted as [`Probed::at_hours`]; with it, our own reports that
/// began more than 5 minutes later are noted, as their clocks are wrong.
///
/// # Errors
/// [`TraceError`]: unreadable, larger than 32 MiB, of no format that is known, without a single usable run, or with more than
/// 200,000.
pub fn read(path: &Path, now_hours: Option<f64>) -> Result<Read, TraceError> {
    let text = error::text(path, LARGEST_BYTES)?;
    let format = Format::of(&text).map_err(|problem| TraceError::unusable(path, problem))?;
    let mut found = RunCollector::new(format.entries());
    match format {
        Format::Reports => report::read(&text, now_hours, &mut found),
        Format::Reframe => reframe::read(path, &text, &mut found),
        Format::Osu => osu::read(&text, &mut found),
        Format::Hyperfine => {
            hyperfine::read(&text, &mut found).map_err(|problem| TraceError::unusable(path, problem))?;
        }
        Format::Mlperf => mlperf::read(path, &text, &mut found)?,
        Format::Plain => plain::read(path, &text, &mut found)?,
    }
    found.end(path, format.entries()[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(name: &str, text: &str) -> Result<Read, TraceError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("space");
        read(&path, None)
    }

    #[test]
    fn a_file_is_read_by_its_content_whatever_its_name() {
        let read = read_text("results.json", "units,seconds\n8,2.5\n").expect("a plain table");
        assert_eq!((read.runs[0].units, read.runs[0].seconds), (8.0, Some(2.5)));
        assert_eq!((read.left_out, read.notes), (None, Vec::new()));
        let read =
            read_text("results.csv", "# OSU MPI Latency Test v7.5\n# Size  Latency (us)\n8  1.25\n").expect("OSU");
        assert_eq!(read.runs[0].probe, "osu_latency 8 bytes");
    }

    #[test]
    fn what_is_left_out_is_named_by_its_line_and_what_is_assumed_is_noted() {
        let text = "units,seconds,time\n4,-1,\n4,NaN,\n\n4,inf,\n4,0,\n0,1,\n4,1e999,\n,3,2026-11-02T14:00:00\n";
        let read = read_text("a.csv", text).expect("one run");
        assert_eq!(read.runs.len(), 1);
        let left_out = read.left_out.expect("six lines");
        assert!(
            left_out
                .contains("6 lines were left out (6 of 7 runs): line 2: seconds is “-1”; expected a number above 0"),
            "{left_out}"
        );
        assert!(
            left_out.contains("line 3: seconds is “NaN”") && left_out.contains("line 5: seconds is “inf”"),
            "{left_out}"
        );
        assert!(left_out.ends_with("and 3 more"), "{left_out}");
        let [units, times] = &read.notes[..] else { panic!("{:?}", read.notes) };
        assert!(units.contains("assumed 1"), "{units}");
        assert!(times.contains("UTC"), "{times}");
    }

    proptest::proptest! {
        /// Entries of two runs, of which each may be bad, or the entry as a whole: what is not read is counted.
        #[test]
        fn every_run_of_a_file_is_read_or_counted(
            entries in proptest::collection::vec(
                (proptest::array::uniform2(proptest::bool::ANY), proptest::bool::weighted(0.8)),
                0..12,
            ),
        ) {
            let [mut plain, mut osu, mut reframe, mut mlperf] = [
                "units,seconds\n",
                "# OSU MPI Latency Test v7.5\n# Size  Latency (us)\n",
                "result|job_completion_time|name|num_tasks|a_value|a_unit|b_value|b_unit\n",
                "submitter,system,accelerators_count,bert,resnet\n",
            ]
            .map(str::to_owned);
            let mut results = Vec::new();
            let (mut kept, mut lost) = (0, 0);
            for (are_good, is_whole) in [([true; 2], true)].into_iter().chain(entries) {
                let good = are_good.iter().filter(|is_good| **is_good && is_whole).count();
                kept += good;
                lost += 2 - good;
                let [a, b] = are_good.map(|is_good| if is_good { 5 } else { -5 });
                let units = if is_whole { 4 } else { -4 };
                plain += &format!("{units},{a}\n{units},{b}\n");
                osu += &format!("{units} {a}\n{units} {b}\n");
                reframe += &format!("pass|2024-02-21T22:51:16|t|{units}|{a}|s|{b}|s\n");
                mlperf += &format!("A,b,{units},{a},{b}\n");
                let command = if is_whole { "\"command\":\"a\"," } else { "" };
                results.push(format!("{{{command}\"times\":[{a},{b}]}}"));
            }
            let hyperfine = format!("{{\"results\":[{}]}}", results.join(","));
            let all = kept + lost;
            for (name, text) in
                [("a.csv", plain), ("a.txt", osu), ("a.log", reframe), ("b.csv", mlperf), ("a.json", hyperfine)]
            {
                let read = read_text(name, &text).expect("a run");
                proptest::prop_assert_eq!(read.runs.len(), kept, "{}", text);
                let total = format!(" left out ({lost} of {all} runs): ");
                let is_counted = read.left_out.as_ref().map_or(lost == 0, |note| note.contains(&total));
                proptest::prop_assert!(is_counted, "{:?}: {}", read.left_out, text);
            }
        }
    }

    #[test]
    fn what_is_none_of_the_formats_is_refused_with_the_reason() {
        let cases = [
            ("", "it is empty"),
            ("{\"a\": 1}", "JSON without “report”: “probe” and without “results”"),
            ("a,b,c\n1,2,3\n", "the first line, “a,b,c”"),
            ("hello", "the first line, “hello”"),
            ("\u{0}\u{1}", "the first line"),
            ("[]", "JSON"),
        ];
        for (text, why) in cases {
            let problem = read_text("x", text).expect_err(text).to_string();
            assert!(problem.contains(why), "{text}: {problem}");
            assert!(problem.contains("ReFrame") && problem.contains("units,seconds"), "{problem}");
        }
    }

    #[test]
    fn deep_json_and_bytes_that_are_no_text_are_refused() {
        for open in ["[", "{\"results\":", "{\"report\":\"probe\",\"command\":["] {
            let deep = format!("{{\"report\":\"probe\",\"results\":{}", open.repeat(100_000));
            assert!(read_text("deep", &deep).is_err());
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("binary");
        std::fs::write(&path, [0xff, 0xfe, 0x00]).expect("space");
        assert!(read(&path, None).expect_err("no text").to_string().ends_with("not UTF-8 text"));
        assert!(read(&folder.path().join("none"), None).is_err());
    }

    #[test]
    fn a_file_without_a_usable_run_is_refused_with_its_first_problem() {
        let problem = read_text("a.csv", "units,seconds\n4,-1\n").expect_err("no run").to_string();
        assert!(problem.ends_with("no valid line; line 2: seconds is “-1”; expected a number above 0"), "{problem}");
    }
}
