//! The format of a file of measurements, by its content.

use super::{mlperf, osu, plain, reframe};
use crate::left_out::shown;

/// Lines of a log that are searched for its format.
const LINES: usize = 10_000;

/// A format that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Reports of our own probe command.
    Reports,
    /// A performance log of `ReFrame`.
    Reframe,
    /// What the OSU micro-benchmarks print.
    Osu,
    /// What `hyperfine --export-json` writes.
    Hyperfine,
    /// Results of `MLPerf` Training.
    Mlperf,
    /// A table with the columns `units` and `seconds`.
    Plain,
}

impl Format {
    /// The format of a text.
    ///
    /// # Errors
    /// Its format is unknown: the reason, and the supported formats.
    pub(super) fn of(text: &str) -> Result<Self, String> {
        Self::known(text).ok_or_else(|| {
            format!(
                "no measurements of a centre: {}; expected one of: reports of the probe command (JSON); a performance log of ReFrame; output of \
                 the OSU micro-benchmarks or of `hyperfine --export-json`; results of MLPerf Training (CSV); a table with the \
                 columns units,seconds and optionally centre,unit_type,time,relative_error",
                reason(text)
            )
        })
    }

    fn known(text: &str) -> Option<Self> {
        let has = |key: &str| text.contains(key);
        if text.trim_start().starts_with('{') && has("\"results\"") && has("\"command\"") && !has("\"operators\"") {
            return Some(Self::Hyperfine);
        }
        let has_json = || text.lines().any(|line| line.trim_start().starts_with(['{', '[']));
        if has("\"report\"") && has("\"probe\"") && has_json() {
            return Some(Self::Reports);
        }
        if text.lines().take(LINES).any(|line| osu::title(line).is_some()) {
            return Some(Self::Osu);
        }
        if text.lines().take(LINES).any(reframe::is_of_log) {
            return Some(Self::Reframe);
        }
        let mut table = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let header: Vec<String> = table.headers().ok()?.iter().map(str::to_owned).collect();
        if plain::has_columns(&header) {
            return Some(Self::Plain);
        }
        mlperf::has_columns(&header).then_some(Self::Mlperf)
    }

    /// Name of an entry of the file, singular and plural.
    pub(super) fn entries(self) -> [&'static str; 2] {
        match self {
            Self::Reports => ["probe report", "probe reports"],
            Self::Hyperfine | Self::Mlperf => ["result", "results"],
            Self::Reframe | Self::Osu | Self::Plain => ["line", "lines"],
        }
    }
}

/// Why the format of a text is unknown.
fn reason(text: &str) -> String {
    let Some(first) = text.lines().map(str::trim).find(|line| !line.is_empty()) else {
        return "it is empty".to_owned();
    };
    if first.starts_with(['{', '[']) {
        return "it is JSON without “report”: “probe” and without “results”".to_owned();
    }
    format!("the first line, “{}”, matches no known format", shown(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_told_by_its_content() {
        let cases = [
            ("starting\n{\"report\":\"probe\",\"library\":1}\n", Format::Reports),
            ("[{\"report\": \"probe\"}]", Format::Reports),
            ("{\n  \"results\": [\n {\"command\": \"sleep 1\", \"times\": [1.0]}]}", Format::Hyperfine),
            ("+ srun osu_bw\n# OSU MPI Bandwidth Test v5.9\n", Format::Osu),
            ("result|job_completion_time|name|bw_value|bw_unit\n", Format::Reframe),
            ("2022-06-23T20:18:19|reframe 3.9.2|T on a:b using c|Copy=1|ref=0 (l=null, u=null)|MB/s", Format::Reframe),
            ("division,submitter,system,accelerators_count,bert\n", Format::Mlperf),
            ("\"centre\",\"units\",\"seconds\"\n", Format::Plain),
        ];
        for (text, expected) in cases {
            assert_eq!(Format::known(text), Some(expected), "{text}");
        }
        for text in ["", "\n\n", "{}", "sn,cpu_milli\n", "a|b|c\n1|2|3"] {
            assert_eq!(Format::known(text), None, "{text}");
        }
    }
}
