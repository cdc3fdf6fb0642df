//! Which profiler wrote a file, by its content.

use super::columns::{Columns, fields};
use super::form::ProfileFormat;
use super::{nsight, nsys, nvprof, orion, plain, rocprof, rodinia};
use crate::left_out::shown;
use crate::table::delimiter;

/// Most lines before the table of a log.
const LINES: usize = 10_000;

impl ProfileFormat {
    /// The format of a text.
    ///
    /// # Errors
    /// Its format is unknown: the reason, and the supported formats.
    pub(super) fn of(text: &str) -> Result<Self, String> {
        Self::known(text).ok_or_else(|| {
            format!(
                "no profile of kernels: {}; expected one of: output of `nvprof --csv --print-gpu-trace`, `nvprof --csv --metrics …`, `ncu --csv` \
                 or `nsys stats --format csv`; a file of `nsys export --type sqlite`, `rocprof` or `rocprofv3`; Orion's \
                 table ({}); Rodinia's counters; a table with the columns {}",
                reason(text),
                orion::COLUMNS.join(","),
                plain::ALL.join(",")
            )
        })
    }

    fn known(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty()).take(LINES).peekable();
        let first = lines.peek()?;
        let first = match delimiter(first) {
            b';' => {
                Columns::of(&first.split(';').map(|name| name.trim().trim_matches('"').to_owned()).collect::<Vec<_>>())
            }
            _ => Columns::of(&fields(first)),
        };
        for line in lines.filter(|line| line.contains(',')) {
            let columns = Columns::of(&fields(line));
            if nvprof::is_header(&columns) {
                return Some(Self::Nvprof);
            }
            if nsys::is_header(&columns) {
                return Some(Self::Nsys);
            }
            if rocprof::is_header(&columns) {
                return Some(Self::Rocprof);
            }
            if nsight::is_long_header(&columns) {
                return Some(Self::NsightDetails);
            }
            if nsight::is_wide_header(&columns) {
                return Some(Self::NsightRaw);
            }
        }
        [(rodinia::is_header as fn(&Columns) -> bool, Self::Rodinia), (orion::is_header, Self::Orion)]
            .into_iter()
            .find_map(|(is_header, form)| is_header(&first).then_some(form))
            .or_else(|| plain::is_header(&first).then_some(Self::Plain))
    }
}

/// Why the format of a text is unknown.
pub(super) fn reason(text: &str) -> String {
    match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        None => "it is empty".to_owned(),
        Some(first) => format!("the first line, “{}”, matches no known format", shown(first)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_told_by_its_content() {
        let cases = [
            ("==7== NVPROF is\n\"Start\",\"Duration\",\"Grid X\",\"Block X\",\"Name\"\n", ProfileFormat::Nvprof),
            ("\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Min\",\"Max\",\"Avg\"\n", ProfileFormat::Nvprof),
            ("hello, world\n\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n", ProfileFormat::NsightRaw),
            ("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n", ProfileFormat::NsightDetails),
            ("Processing…\n\nStart (ns),Duration (ns),GrdX,BlkX,Reg/Trd,Name\n", ProfileFormat::Nsys),
            ("Start (ns),Duration (ns),GrdX,BlkX,Name\n", ProfileFormat::Nsys),
            ("Time (%),Total Time (ns),Instances,Avg (ns),Name\n", ProfileFormat::Nsys),
            ("Processing\n\nTime (%),Instances,Avg (us),Name\n", ProfileFormat::Nsys),
            ("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\"\n", ProfileFormat::Rocprof),
            ("Name,Profile,Memory_footprint,SM_usage,Duration\n", ProfileFormat::Orion),
            ("gpu_name,name,inst_executed\n", ProfileFormat::Rodinia),
            (" NAME , Instructions ,ipc\n", ProfileFormat::Plain),
            ("\"name\";instructions;ipc\n", ProfileFormat::Plain),
        ];
        for (text, expected) in cases {
            assert_eq!(ProfileFormat::known(text), Some(expected), "{text}");
        }
        for text in ["", "\n\n", "{}", "a,b,c\n", "Name,Time\n", "\u{0}\u{1}"] {
            assert_eq!(ProfileFormat::known(text), None, "{text}");
            let problem = ProfileFormat::of(text).expect_err("none");
            assert!(problem.contains("ncu --csv") && problem.contains("name,instructions"), "{problem}");
        }
    }
}
