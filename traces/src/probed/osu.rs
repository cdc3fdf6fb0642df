//! What the OSU micro-benchmarks print: a title such as `# OSU MPI Latency Test v7.5`, a header such as
//! `# Size      Latency (us)`, and a line for each size of messages. <https://mvapich.cse.ohio-state.edu/benchmarks/>
//!
//! Of the columns the first behind the size is read: the average of collective tests, all of a non-blocking one. Other lines
//! of a log may stand between.

use crossover_quantity::unread::UnreadKind;

use super::Probed;
use super::found::RunCollector;
use super::quantity::{self, Quantity};
use crate::left_out::shown;

/// Collective tests, whose programs are named by the operation alone.
const COLLECTIVE: [&str; 14] = [
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "reduce",
    "reduce_scatter",
    "scatter",
    "scatterv",
];

/// A test whose lines come.
struct Test {
    /// Name of its program.
    name: String,
    /// Memory of the buffers of sender and receiver, as the program's arguments have it: " D H"; empty if it does not say so.
    buffers: String,
    /// Processes, if it says so.
    processes: Option<f64>,
    columns: Option<Columns>,
}

/// Columns of its table.
struct Columns {
    /// Whether the first is the size of messages.
    has_size: bool,
    /// Unit of the next.
    unit: &'static str,
    /// Further times, by place and name.
    unread: Vec<(usize, String)>,
    /// Whether a line was read already.
    has_begun: bool,
}

/// What a title names between “OSU” and “Test”; none if the line is no title.
pub(super) fn title(line: &str) -> Option<&str> {
    let title = comment(line).strip_prefix("OSU ")?;
    let end = title.find(" Test")?;
    Some(title[..end].trim())
}

/// Reads all tests of a text.
pub(super) fn read(text: &str, found: &mut RunCollector) {
    let mut test: Option<Test> = None;
    for (number, line) in (1_u64..).zip(text.lines()) {
        if let Some(title) = title(line) {
            test = Some(Test { name: program(title), buffers: String::new(), processes: None, columns: None });
        } else if let Some(test) = &mut test
            && let Err(problem) = read_line(test, line, found)
        {
            // A comment has no run.
            let runs = usize::from(!line.trim_start().starts_with('#'));
            found.leave_out(runs, || format!("line {number}"), &problem);
        }
    }
}

/// A line behind the title of a test.
fn read_line(test: &mut Test, line: &str, found: &mut RunCollector) -> Result<(), String> {
    if let Some(pairs) = line.split("pairs:").nth(1).filter(|_| line.trim_start().starts_with('#')) {
        let pairs = pairs.split_whitespace().next().unwrap_or_default();
        test.processes = Some(2.0 * quantity::units("pairs", pairs)?);
        return Ok(());
    }
    if let Some(buffers) = buffers(line) {
        test.buffers = buffers;
        return Ok(());
    }
    if let Some(columns) = header(line) {
        test.columns = Some(columns);
        return Ok(());
    }
    if line.starts_with("nprocs:") {
        return start_up(test, line, found);
    }
    let Some(columns) = &mut test.columns else { return Ok(()) };
    let fields: Vec<&str> = line.split_whitespace().collect();
    if fields.first().is_none_or(|first| first.parse::<f64>().is_err()) {
        if fields.is_empty() && columns.has_begun {
            test.columns = None;
        }
        return Ok(());
    }
    columns.has_begun = true;
    let probe = if columns.has_size {
        let size = fields[0].parse::<u64>();
        let size = size.map_err(|_| format!("the size is “{}”; expected a whole number of bytes", shown(fields[0])))?;
        format!("{}{} {size} bytes", test.name, test.buffers)
    } else {
        format!("{}{}", test.name, test.buffers)
    };
    let value = fields.get(usize::from(columns.has_size)).copied().unwrap_or_default();
    let quantity = Quantity::of(quantity::above_zero("the value", value)?, columns.unit)?;
    for (_, name) in columns.unread.iter().filter(|(place, _)| *place < fields.len()) {
        found.unread().add(UnreadKind::Time, name, &test.name);
    }
    // With `-c`, a last column has the result of data validation.
    let is_wrong = fields.iter().any(|field| field.eq_ignore_ascii_case("fail"));
    if !columns.has_size {
        test.columns = None;
    }
    let mut run = Probed::new(&probe, found.units(test.processes, &probe));
    run.failure = is_wrong.then(|| "data validation failed".to_owned());
    quantity.put_into(&mut run);
    found.add(run);
    Ok(())
}

/// `nprocs: 4, min: 67 ms, max: 67 ms, avg: 67 ms` of `osu_init`.
fn start_up(test: &Test, line: &str, found: &mut RunCollector) -> Result<(), String> {
    let value_of = |name: &str| {
        let part = line.split(',').find_map(|part| part.trim().strip_prefix(name));
        part.map(str::trim).ok_or_else(|| format!("no “{name}” in it"))
    };
    let processes = quantity::units("nprocs", value_of("nprocs:")?)?;
    let (value, unit) = value_of("avg:")?.split_once(' ').ok_or("the average has no unit")?;
    let mut run = Probed::new(&test.name, processes);
    Quantity::of(quantity::above_zero("avg", value)?, unit.trim())?.put_into(&mut run);
    found.add(run);
    Ok(())
}

/// The buffers of `# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)`: " D H".
fn buffers(line: &str) -> Option<String> {
    let (send, receive) = comment(line).strip_prefix("Send Buffer on ")?.split_once(" and Receive Buffer on ")?;
    let short = |text: &str| {
        let (_, rest) = text.split_once('(')?;
        rest.split(')').next().filter(|short| !short.is_empty()).map(str::to_owned)
    };
    Some(format!(" {} {}", short(send)?, short(receive)?))
}

/// A header, which is a comment unless something took the signs away.
fn header(line: &str) -> Option<Columns> {
    let is_comment = line.trim_start().starts_with('#');
    let names = comment(line).to_ascii_lowercase();
    let has_size = names.starts_with("size");
    if !is_comment && !has_size {
        return None;
    }
    let units = [("(us)", "us"), ("(ms)", "ms"), ("(s)", "s"), ("mb/s", "MB/s"), ("gb/s", "GB/s")];
    let first = units.iter().filter_map(|(name, unit)| Some((names.find(name)?, *unit))).min();
    let unread = further_times(comment(line), usize::from(has_size));
    first.map(|(_, unit)| Columns { has_size, unit, unread, has_begun: false })
}

/// Times behind the column that is read, by place and name; extremes of the same time are none. Columns are parted by two blanks
/// or more.
fn further_times(names: &str, read: usize) -> Vec<(usize, String)> {
    let names = names.split("  ").map(str::trim).filter(|name| !name.is_empty()).enumerate();
    let is_further = |name: &str| {
        let name = name.to_ascii_lowercase();
        let is_time = ["(us)", "(ms)", "(s)"].iter().any(|unit| name.ends_with(unit));
        is_time && !name.starts_with("min ") && !name.starts_with("max ")
    };
    let further = names.filter(|(place, name)| *place > read && is_further(name));
    further.map(|(place, name)| (place, name.to_owned())).collect()
}

/// A line without the sign of a comment.
fn comment(line: &str) -> &str {
    line.trim_start().trim_start_matches('#').trim()
}

/// The name of the program whose title this is, with the device that its buffers are on.
fn program(title: &str) -> String {
    let title = title.to_ascii_lowercase();
    let (first, rest) = title.split_once(' ').unwrap_or(("", &title));
    let (device, test) = match first.strip_prefix("mpi") {
        Some("") => ("", rest),
        Some(device) if device.starts_with('-') => (device, rest),
        _ => ("", title.as_str()),
    };
    let test = test.trim();
    let known = match test {
        "bandwidth" => "bw".to_owned(),
        "bi-directional bandwidth" => "bibw".to_owned(),
        "multiple bandwidth / message rate" => "mbw_mr".to_owned(),
        "multi latency" | "multi-pair latency" => "multi_lat".to_owned(),
        "multi-threaded latency" | "latency multi-threaded" => "latency_mt".to_owned(),
        test => collective(test).unwrap_or_else(|| test.replace([' ', '-', '/'], "_")),
    };
    format!("osu_{known}{device}")
}

/// The name of a collective test: `non-blocking all-to-all latency` is `ialltoall`.
fn collective(test: &str) -> Option<String> {
    let operation = test.strip_suffix(" latency")?;
    let (prefix, operation) = operation.strip_prefix("non-blocking ").map_or(("", operation), |rest| ("i", rest));
    let operation = operation.strip_suffix(" personalized exchange").unwrap_or(operation);
    let name = if operation == "broadcast" { "bcast".to_owned() } else { operation.replace("all-to-all", "alltoall") };
    COLLECTIVE.contains(&name.as_str()).then(|| format!("{prefix}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> super::super::Read {
        let mut found = RunCollector::new(["line", "lines"]);
        read(text, &mut found);
        found.end(std::path::Path::new("osu.txt"), "line").expect("a run")
    }

    /// Names with microseconds.
    fn micros(text: &str) -> Vec<(String, f64)> {
        found(text)
            .runs
            .into_iter()
            .map(|run| (run.probe, (run.seconds.expect("a time") * 1e8).round() / 100.0))
            .collect()
    }

    #[test]
    fn latencies_are_times_of_each_size() {
        let text = "+ mpirun -np 2 osu_latency\n# OSU MPI Latency Test v7.5\n# Datatype: MPI_CHAR.\n\
                    # Size       Latency (us)\n0                       1.06\n8                       1.05\n\
                    [node1] a warning\n4194304              2178.66\n\nreal 0m5.7s\n7 8\n";
        let expected =
            [("osu_latency 0 bytes", 1.06), ("osu_latency 8 bytes", 1.05), ("osu_latency 4194304 bytes", 2178.66)];
        assert_eq!(micros(text), expected.map(|(name, micros)| (name.to_owned(), micros)));
        assert!(found(text).notes[0].contains("3 runs (osu_latency 0 bytes, ") && found(text).left_out.is_none());
    }

    #[test]
    fn bandwidths_are_rates_and_pairs_are_two_processes_each() {
        let text = "# OSU MPI Multiple Bandwidth / Message Rate Test v5.7\n# [ pairs: 15 ] [ window size: 64 ]\n\
                    # Size                  MB/s        Messages/s\n1                       6.39        6385003.80\n\
                    # OSU MPI-CUDA Bi-Directional Bandwidth Test v7.0\n# Size      Bandwidth (MB/s)\n8   12.39\n";
        let runs = found(text).runs;
        assert_eq!((runs[0].probe.as_str(), runs[0].units), ("osu_mbw_mr 1 bytes", 30.0));
        assert_eq!(runs[0].rate, Some((6.39, "MB/s".to_owned())));
        assert_eq!((runs[1].probe.as_str(), runs[1].units), ("osu_bibw-cuda 8 bytes", 1.0));
        assert_eq!((runs[1].seconds, &runs[1].rate), (None, &Some((12.39, "MB/s".to_owned()))));
    }

    /// `osu_latency H D` and `osu_latency D H` of one log are two tests.
    #[test]
    fn buffers_of_host_and_device_are_different_tests() {
        let text = "# OSU MPI-CUDA Latency Test v7.2\n# Send Buffer on HOST (H) and Receive Buffer on DEVICE (D)\n\
                    # Size          Latency (us)\n8    9.50\n\n\
                    # OSU MPI-CUDA Latency Test v7.2\n# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)\n\
                    # Size          Latency (us)\n8    7.25\n";
        let expected = [("osu_latency-cuda H D 8 bytes", 9.5), ("osu_latency-cuda D H 8 bytes", 7.25)];
        assert_eq!(micros(text), expected.map(|(name, micros)| (name.to_owned(), micros)));
    }

    #[test]
    fn of_collective_tests_the_average_is_read() {
        let text = "# OSU MPI Allgather Latency Test v7.4\n# Datatype: MPI_CHAR.\n\
                    # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n\
                    1                       2.81              1.89              3.73          10\n\
                    # OSU MPI Barrier Latency Test v5.8\n# Avg Latency(us)\n            12.57\n1 2\n\
                    # OSU MPI Non-blocking All-to-All Latency Test v5.6.3\n\
                    # Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n\
                    # Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)\n\
                    1                      11.09              6.10              5.18              3.46\n";
        let expected = [("osu_allgather 1 bytes", 2.81), ("osu_barrier", 12.57), ("osu_ialltoall 1 bytes", 11.09)];
        assert_eq!(micros(text), expected.map(|(name, micros)| (name.to_owned(), micros)));
        let notes = found(text).notes;
        let unread = "not used: time metrics Compute(us) (1, first in osu_ialltoall), Pure Comm.(us) (1, first in osu_ialltoall)";
        assert_eq!(notes.last().map(String::as_str), Some(unread));
    }

    #[test]
    fn the_start_of_processes_is_read_without_a_table() {
        let run = &found("# OSU MPI Init Test v5.6.2\nnprocs: 4, min: 66 ms, max: 68 ms, avg: 67 ms\n").runs[0];
        assert_eq!((run.probe.as_str(), run.units, run.seconds), ("osu_init", 4.0, Some(0.067)));
    }

    #[test]
    fn programs_are_named_by_their_titles() {
        let cases = [
            ("MPI Latency", "osu_latency"),
            ("MPI Multi Latency", "osu_multi_lat"),
            ("MPI-ROCM Bandwidth", "osu_bw-rocm"),
            ("MPI Broadcast Latency", "osu_bcast"),
            ("MPI All-to-All Personalized Exchange Latency", "osu_alltoall"),
            ("MPI All-to-Allv Personalized Exchange Latency", "osu_alltoallv"),
            ("MPI Non-blocking Allreduce Latency", "osu_iallreduce"),
            ("MPI Reduce_scatter Latency", "osu_reduce_scatter"),
            ("MPI_Put Latency", "osu_mpi_put_latency"),
            ("MPI", "osu_mpi"),
        ];
        for (title, expected) in cases {
            assert_eq!(program(title), expected);
        }
    }

    #[test]
    fn bad_lines_are_left_out_and_wrong_data_fail() {
        let text = "# OSU MPI Latency Test v7.5\n# Size  Latency (us)  Validation\n1 0.00 Pass\n2 -1 Pass\n4\n\
                    -8 1.0 Pass\n8 nan Pass\n16 1.5 Fail\n32 1.5 Pass\n";
        let read = found(text);
        let failures: Vec<bool> = read.runs.iter().map(|run| run.failure.is_some()).collect();
        assert_eq!(failures, [true, false]);
        let left_out = read.left_out.expect("five lines");
        let expected = "5 lines were left out (5 of 7 runs): line 3: the value is “0.00”; expected a number above 0; line 4: the value is “-1”";
        assert!(left_out.contains(expected) && left_out.ends_with("and 2 more"), "{left_out}");
    }
}
