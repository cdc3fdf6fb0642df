//! Outputs of `ib_write_bw` of perftest as a report: RDMA between two machines.
//!
//! A run has one average; several runs give the interval.

use std::time::SystemTime;

use crossover_measured::network::{Measures, NETWORK_SCHEMA, NetworkDirection, NetworkEnd, NetworkReport, Transport};

use super::{end, sampling};

/// Fewest runs: fewer say nothing about their spread.
const FEWEST_RUNS: usize = 3;
/// MiB/s in Gbit/s.
const MEBIBYTES: f64 = 8.0 * 1_048_576.0 / 1e9;

/// A line of results.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RdmaRun {
    /// Bytes of a message.
    message_bytes: u64,
    /// Queue pairs at the same time.
    queue_pairs: u32,
    /// Average, Gbit/s.
    gbit_per_s: f64,
}

/// The runs of an output.
///
/// # Errors
/// There is none, or its averages are of both directions or in another unit; in words.
pub fn runs(text: &str) -> Result<Vec<RdmaRun>, String> {
    let (mut unit, mut queue_pairs) = (None, 1);
    let mut runs = Vec::new();
    for line in text.lines() {
        if line.contains("Bidirectional") {
            return Err("its averages are sums of both directions; run ib_write_bw without -b".to_owned());
        }
        if let Some((_, rest)) = line.split_once("Number of qps") {
            let number = rest.trim_start_matches([' ', '\t', ':']).split_whitespace().next();
            queue_pairs = number.and_then(|number| number.parse().ok()).unwrap_or(1);
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        match (&fields[..], unit) {
            (["#bytes", ..], _) if line.contains("BW average[Gb/sec]") => unit = Some(1.0),
            (["#bytes", ..], _) if line.contains("BW average[MiB/sec]") => unit = Some(MEBIBYTES),
            (["#bytes", ..], _) => {
                return Err("it has no column “BW average[Gb/sec]”; run ib_write_bw with --report_gbits".to_owned());
            }
            ([bytes, iterations, _, average, ..], Some(unit)) => {
                let counts = bytes.parse::<u64>().ok().zip(iterations.parse::<u64>().ok());
                let average = average.parse().ok().filter(|average: &f64| average.is_finite() && *average > 0.0);
                if let (Some((message_bytes, _)), Some(average)) = (counts, average) {
                    runs.push(RdmaRun { message_bytes, queue_pairs, gbit_per_s: average * unit });
                }
            }
            _ => {}
        }
    }
    if runs.is_empty() { Err("it has no line with an average of ib_write_bw".to_owned()) } else { Ok(runs) }
}

/// The report of runs from this machine to another one. Of several message sizes the largest counts.
///
/// # Errors
/// There are fewer runs than an interval needs; in words.
pub fn report(runs: &[RdmaRun], other: &str, at: SystemTime) -> Result<NetworkReport, String> {
    let largest = runs.iter().map(|run| run.message_bytes).max().unwrap_or(0);
    let counted: Vec<&RdmaRun> = runs.iter().filter(|run| run.message_bytes == largest).collect();
    let speeds: Vec<f64> = counted.iter().map(|run| run.gbit_per_s).collect();
    let streams = counted.iter().map(|run| run.queue_pairs).max().unwrap_or(1);
    if speeds.len() < FEWEST_RUNS {
        return Err(format!(
            "{} with messages of {largest} bytes; an interval needs {FEWEST_RUNS}: run ib_write_bw again and name all outputs",
            crossover_quantity::text::counted(speeds.len() as f64, "run")
        ));
    }
    let throughput = sampling::of_slices(streams, NetworkDirection::HereToThere, speeds);
    let time = jiff::Timestamp::try_from(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    Ok(NetworkReport {
        schema: NETWORK_SCHEMA,
        measures: Measures::Network,
        transport: Transport::Rdma,
        tool: "ib_write_bw of perftest".to_owned(),
        unoptimised: false,
        time: time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        here: NetworkEnd { machine: end::machine(), ..NetworkEnd::default() },
        there: NetworkEnd { machine: other.to_owned(), ..NetworkEnd::default() },
        round_trips: None,
        throughput: throughput.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// As perftest 4.5 and newer write it, with messages beside it.
    fn output(unit: &str, rows: &str) -> String {
        format!(
            "                    RDMA_Write BW Test\n Dual-port       : OFF\t\tDevice         : mlx5_0\n \
             Number of qps   : 4\t\tTransport type : IB\n Connection type : RC\t\tUsing SRQ      : OFF\n\
             ------------------------------------------------\n \
             #bytes     #iterations    BW peak[{unit}]    BW average[{unit}]   MsgRate[Mpps]\n\
             Conflicting CPU frequency values detected: 1500.000000 != 3300.016000. CPU Frequency is not max.\n{rows}\
             ------------------------------------------------\n"
        )
    }

    #[test]
    fn the_average_is_read_in_either_unit() {
        let gbit =
            runs(&output("Gb/sec", " 65536      560845           0.00               98.02                0.186950\n"));
        assert_eq!(gbit, Ok(vec![RdmaRun { message_bytes: 65_536, queue_pairs: 4, gbit_per_s: 98.02 }]));
        let mebibytes =
            runs(&output("MiB/sec", " 65536      5000             11030.78            11030.45\t\t     0.176487\n"));
        // 11030.45 · 2^20 bytes are 11.5663 GB.
        let gbit_per_s = mebibytes.expect("a run")[0].gbit_per_s;
        assert!((gbit_per_s - 92.53).abs() < 0.01, "{gbit_per_s}");
    }

    #[test]
    fn several_runs_of_the_largest_messages_give_the_interval() {
        let text = output("Gb/sec", " 2  5000  0.14  0.12  0.76\n 65536  5000  97  96  0.1\n")
            + &output("Gb/sec", " 65536  5000  98  97  0.1\n")
            + &output("Gb/sec", " 65536  5000  98  98  0.1\n");
        let at = SystemTime::UNIX_EPOCH + Duration::from_hours(24);
        let report = report(&runs(&text).expect("runs"), "node2", at).expect("three runs");
        let effective = report.effective().expect("a speed");
        assert_eq!(
            (effective.streams, effective.gbit_per_s.value, &effective.slices[..]),
            (4, 97.0, &[96.0, 97.0, 98.0][..])
        );
        let (low, high) = effective.gbit_per_s.interval;
        assert!((96.0..=97.0).contains(&low) && (97.0..=98.0).contains(&high), "{low} … {high}");
        assert_eq!(report.date(), "1970-01-02");
        assert!(report.machines().ends_with(" and node2, RDMA") && !report.is_loopback(), "{}", report.machines());
    }

    #[test]
    fn what_is_no_single_direction_or_too_few_is_refused() {
        let of = |text: &str| runs(text).expect_err(text);
        assert!(of("").contains("no line with an average"));
        assert!(of("RDMA_Write Bidirectional BW Test\n").contains("sums of both directions"));
        assert!(of(&output("MB/sec", " 65536 5000 98 97 0.1\n")).contains("with --report_gbits"));
        assert!(of(&output("Gb/sec", " 65536 5000 nan nan 0.1\n")).contains("no line with an average"));
        let one = runs(&output("Gb/sec", " 65536 5000 98 97 0.1\n")).expect("a run");
        let problem = report(&one, "node2", SystemTime::UNIX_EPOCH).expect_err("one run");
        assert!(problem.starts_with("1 run with messages of 65536 bytes; an interval needs 3"), "{problem}");
    }
}
