//! Orion's profiles: a line for each launch of a network, with its class, the multiprocessors that it fills, and its time in
//! nanoseconds. <https://github.com/eth-easl/orion/tree/main/profiling>: `postprocessing/generate_file.py` writes them, after
//! `roofline_analysis.py` has classified launches: memory (0), arithmetic (1), and −1 where neither was busy.

use crossover_measured::kernels::Class;
use crossover_quantity::text::counted;

use super::ProfiledKernel;
use super::columns::Columns;
use super::found::{KernelCollector, MOST_BLOCKS, MOST_SECONDS};
use super::gathered::Launch;
use crate::error::TraceError;
use crate::table::{Row, Table};

/// Columns of a profile.
pub(super) const COLUMNS: [&str; 4] = ["name", "profile", "sm_usage", "duration"];

/// Whether a header is that of such a table, or of one from which something is missing.
pub(super) fn is_header(columns: &Columns) -> bool {
    columns.has(&["name", "profile"]) || columns.has(&["name", "sm_usage"])
}

/// Reads all launches. Tiny ones are counted in a note.
///
/// # Errors
/// [`TraceError`]: columns are missing, or there are too many kernels.
pub(super) fn read(text: &str, found: &mut KernelCollector<'_>) -> Result<(), TraceError> {
    let table = Table::of(found.path(), text, &[])?;
    let columns = Columns::of_table(&table);
    columns.need(found.path(), &COLUMNS)?;
    table.name_unread(&COLUMNS, found.unread());
    let (mut tiny, mut tiny_seconds) = (0_usize, 0.0);
    let mut outcome = Ok(());
    table.each(|line, row| {
        let stated = row.as_ref().ok().and_then(|row| seconds(&columns, row).ok());
        match row.and_then(|row| launch(&columns, &row)) {
            Ok(launch) if launch.kernel.class.is_none() => {
                tiny += 1;
                tiny_seconds += launch.kernel.seconds.unwrap_or(0.0);
            }
            Ok(launch) if outcome.is_ok() => outcome = found.add(launch),
            Ok(_) => {}
            Err(problem) => found.leave_out(line, stated, &problem),
        }
    });
    found.lose_time(tiny_seconds, "launches too small to classify");
    if tiny > 0 {
        let launches = counted(tiny as f64, "launch");
        found.note(&format!("{launches} too small to classify (Profile −1): left out"));
    }
    outcome
}

/// Run time of the launch of a row, seconds.
fn seconds(columns: &Columns, row: &Row<'_>) -> Result<f64, String> {
    Ok(columns.number(row, "duration", 1e-3..=MOST_SECONDS * 1e9)? / 1e9)
}

/// A launch; a tiny one has no class.
fn launch(columns: &Columns, row: &Row<'_>) -> Result<Launch, String> {
    let class = match columns.number(row, "profile", -1.0..=1.0)? {
        0.0 => Some(Class::Memory),
        1.0 => Some(Class::Compute),
        -1.0 => None,
        other => return Err(format!("profile is “{other}”; allowed: −1, 0 or 1")),
    };
    let seconds = seconds(columns, row)?;
    let filled = columns.number(row, "sm_usage", 0.0..=MOST_BLOCKS)?;
    let kernel = ProfiledKernel {
        name: columns.named(row, "name")?,
        launches: 1,
        seconds: Some(seconds),
        filled: Some(filled.max(1.0)),
        class,
        ..ProfiledKernel::default()
    };
    Ok(Launch { kernel, ..Launch::default() })
}

#[cfg(test)]
mod tests {
    use super::super::ProfileFormat;
    use super::super::found::tests::read_as;
    use super::*;

    const LAUNCHES: &str = "Name,Profile,Memory_footprint,SM_usage,Duration\nConv,1,0,98,100480\nBatchNorm,0,0,64,40480\n\
                            void at::native::vectorized_elementwise_kernel,-1,0,196,14687\nConv,1,0,49,20480\n";

    #[test]
    fn launches_of_a_name_are_joined_and_tiny_ones_counted() {
        let read = read_as(LAUNCHES, read, ProfileFormat::Orion).expect("kernels");
        let [conv, norm] = &read.kernels[..] else { panic!("{:?}", read.kernels) };
        assert_eq!((&*conv.name, conv.launches, conv.class), ("Conv", 2, Some(Class::Compute)));
        assert_eq!((conv.filled, norm.class, norm.seconds), (Some(73.5), Some(Class::Memory), Some(40_480.0 / 1e9)));
        assert!(conv.seconds.is_some_and(|seconds| (seconds - 60.48e-6).abs() < 1e-15), "{conv:?}");
        let [tiny, time] = &read.notes[..] else { panic!("{:?}", read.notes) };
        assert_eq!(tiny, "a.csv: 1 launch too small to classify (Profile −1): left out");
        // 14,687 of 176,127 ns.
        assert!(time.starts_with("a.csv: 8.3 % of its kernel time ("), "{time}");
        assert!(time.ends_with("belongs to no kernel: launches too small to classify"), "{time}");
    }

    #[test]
    fn missing_columns_and_bad_lines_are_named() {
        let problem =
            read_as("Name,Profile,Time\nConv,1,2\n", read, ProfileFormat::Orion).expect_err("columns").to_string();
        let expected =
            "a.csv: no columns “sm_usage”, “duration” in “name,profile,time”; expected name,profile,sm_usage,duration";
        assert_eq!(problem, expected);
        let text = format!("{LAUNCHES}Conv,2,0,1,1\nConv,0.5,0,1,1\nConv,1,0,1,0\nConv,1,0,x,5\n,1,0,1,5\nConv,1\n");
        let left_out = read_as(&text, read, ProfileFormat::Orion).expect("kernels").left_out.join("");
        let expected = "6 lines were left out: line 6: profile is “2”; allowed: a number from -1 to 1; line 7: profile is \
                        “0.5”; allowed: −1, 0 or 1; line 8: duration is “0”";
        assert!(left_out.contains(expected), "{left_out}");
        // 1 ns each of the first two, 5 ns each where only the multiprocessors or the name cannot be read.
        let tiny = 14_687.0;
        let balance = read_as(&text, read, ProfileFormat::Orion).expect("kernels").balances.pop().expect("times");
        assert!((balance.missing() * 1e9 - (tiny + 12.0)).abs() < 1e-3, "{balance:?}");
        assert!((balance.accounted * 1e9 - 161_440.0).abs() < 1e-3, "{balance:?}");
    }

    #[test]
    fn a_profile_of_tiny_launches_only_has_no_kernel() {
        let text = "Name,Profile,Memory_footprint,SM_usage,Duration\nk,-1,0,1,6144\n";
        let problem = read_as(text, read, ProfileFormat::Orion).expect_err("none").to_string();
        assert!(problem.ends_with("no valid kernel"), "{problem}");
    }
}
