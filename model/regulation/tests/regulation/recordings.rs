//! Recordings: what is read, what is refused and where, what is replayed.

use std::collections::BTreeMap;

use crossover_regulation::Regulation;
use crossover_regulation::recording::{Column, Gpus, LiveReading, Recording, Track, read, to_demand};
use proptest::prelude::*;

fn good(text: &str) -> Recording {
    read(text, 1.0).unwrap_or_else(|error| panic!("{error}"))
}

/// Refused at this line and column, with this field and these words.
fn refused(text: &str, [line, column]: [usize; 2], field: &str, words: &str) {
    let error = read(text, 1.0).expect_err(text);
    assert_eq!([error.line, error.column], [line, column], "{error}");
    assert_eq!(error.field.as_deref().unwrap_or_default(), field, "{error}");
    assert!(error.problem.contains(words), "“{words}” is not in: {error}");
    assert!(error.to_string().starts_with(&format!("line {line}, column {column}: ")), "{error}");
}

fn values(track: &Track, column: Column) -> &[f64] {
    &track.values[&column]
}

#[test]
fn a_demand_series_is_read_with_byte_order_mark_and_carriage_returns() {
    let recording = good("\u{feff}seconds,demand_tops\r\n10,4000\r\n12,5000.5\r\n14,0\r\n\r\n");
    assert_eq!(recording.tracks.len(), 1);
    assert_eq!(recording.tracks[0].seconds, [0.0, 2.0, 4.0]);
    assert_eq!(values(&recording.tracks[0], Column::DemandTops), [4000.0, 5000.5, 0.0]);
    assert_eq!(recording.tracks[0].interval(), Some(2.0));
}

#[test]
fn telemetry_of_several_gpus_is_read_and_an_unknown_column_is_named() {
    let recording = good(
        "gpu,seconds,sm_active,pcie_tx_gb_per_s,sm_activ,pcie_rx_gb_per_s,watts\n\
         0,0,0.5,1,x,10,300\n\"1, rear\",0,1,2,,20,\n0,1,0.25,1.5,,11,310\n\"1, rear\",1,0.75,2.5,,21,\n",
    );
    let [first, second] = recording.tracks.as_slice() else { panic!("two GPUs") };
    assert_eq!((first.gpu.as_str(), second.gpu.as_str()), ("0", "1, rear"));
    assert_eq!(values(first, Column::SmActive), [0.5, 0.25]);
    assert_eq!(values(first, Column::Watts), [300.0, 310.0]);
    assert_eq!(values(second, Column::PcieRx), [20.0, 21.0]);
    assert!(!second.values.contains_key(&Column::Watts), "a column that is empty throughout is not there");
    assert_eq!(recording.left_out, ["Column “sm_activ” is not known, did you mean “sm_active”?"]);
}

#[test]
fn scrapes_with_timestamps_are_read_in_the_units_of_the_exporter() {
    let recording = good(
        "# HELP DCGM_FI_PROF_PCIE_TX_BYTES The rate of data transmitted over the PCIe bus.\n\
         # TYPE DCGM_FI_PROF_PCIE_TX_BYTES gauge\n\
         DCGM_FI_PROF_PCIE_TX_BYTES{gpu=\"0\",UUID=\"GPU-a\",device=\"nvidia0\",Hostname=\"h\"} 1.2e9 1700000000000\n\
         DCGM_FI_PROF_PCIE_RX_BYTES{gpu=\"0\",Hostname=\"h\"} 25000000000 1700000000000\n\
         DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\",Hostname=\"h\"} 0.75 1700000000000\n\
         DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",Hostname=\"h\"} 98 1700000000000\n\
         DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",Hostname=\"h\"} 1980 1700000000000\n\
         DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",Hostname=\"h\"} 412.5 1700000000000\n\
         DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",Hostname=\"h\"} 40 1700000000000\n\
         DCGM_FI_PROF_PCIE_TX_BYTES{gpu=\"0\",Hostname=\"h\"} 0 1700000000500\n\
         DCGM_FI_PROF_PCIE_RX_BYTES{gpu=\"0\",Hostname=\"h\"} 1e9 1700000000500\n\
         DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\",Hostname=\"h\"} 1 1700000000500\n\
         DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",Hostname=\"h\"} 100 1700000000500\n\
         DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",Hostname=\"h\"} 1980 1700000000500\n\
         DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",Hostname=\"h\"} 400 1700000000500\n",
    );
    let [track] = recording.tracks.as_slice() else { panic!("one GPU") };
    assert_eq!((track.gpu.as_str(), track.seconds.as_slice()), ("0", [0.0, 0.5].as_slice()));
    assert_eq!(values(track, Column::PcieTx), [1.2, 0.0]);
    assert_eq!(values(track, Column::PcieRx), [25.0, 1.0]);
    assert_eq!(values(track, Column::SmActive), [0.75, 1.0]);
    assert_eq!(values(track, Column::GpuUtilisation), [0.98, 1.0]);
    assert_eq!(values(track, Column::SmClock), [1980.0, 1980.0]);
    assert_eq!(values(track, Column::Watts), [412.5, 400.0]);
    assert_eq!(recording.left_out, ["Metrics that are not used: DCGM_FI_DEV_GPU_TEMP"]);
}

#[test]
fn a_metric_that_comes_again_begins_the_next_scrape_where_there_are_no_timestamps() {
    let scrape = |values: [f64; 4]| {
        let [tx0, tx1, sm0, sm1] = values;
        format!(
            "# TYPE DCGM_FI_PROF_PCIE_TX_BYTES counter\n\
             DCGM_FI_PROF_PCIE_TX_BYTES{{gpu=\"0\"}} {tx0}\nDCGM_FI_PROF_PCIE_TX_BYTES{{gpu=\"1\",pod=\"a\\\"b\"}} {tx1}\n\
             DCGM_FI_PROF_SM_ACTIVE{{gpu=\"0\"}} {sm0}\nDCGM_FI_PROF_SM_ACTIVE{{gpu=\"1\",pod=\"a}}b\",}} {sm1}\n"
        )
    };
    let text = [scrape([1e9, 2e9, 0.5, 0.25]), scrape([3e9, 4e9, 1.0, 0.0]), scrape([5e9, 6e9, 0.0, 1.0])].concat();
    let recording = read(&text, 30.0).unwrap();
    let [first, second] = recording.tracks.as_slice() else { panic!("two GPUs") };
    assert_eq!(first.seconds, [0.0, 30.0, 60.0]);
    assert_eq!(values(first, Column::PcieTx), [1.0, 3.0, 5.0]);
    assert_eq!(values(second, Column::PcieTx), [2.0, 4.0, 6.0]);
    assert_eq!(values(second, Column::SmActive), [0.25, 0.0, 1.0]);
    assert_eq!(recording.left_out.len(), 1, "{:?}", recording.left_out);
    assert!(recording.left_out[0].contains("read as a rate"), "{:?}", recording.left_out);
    let error = read(&text, f64::NAN).unwrap_err();
    assert!(error.problem.contains("enter the scrape interval"), "{error}");
}

#[test]
fn parts_of_a_gpu_and_gpus_of_two_machines_are_told_apart() {
    let recording = good(
        "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\",GPU_I_ID=\"1\",Hostname=\"a\"} 0.1\n\
         DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\",GPU_I_ID=\"2\",Hostname=\"a\"} 0.2\n\
         DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\",Hostname=\"b\"} 0.3\n",
    );
    let names: Vec<_> = recording.tracks.iter().map(|track| track.gpu.as_str()).collect();
    assert_eq!(names, ["a/0/1", "a/0/2", "b/0"]);
}

/// The place is the same whichever ends the lines have.
#[track_caller]
fn refused_csv(text: &str, place: [usize; 2], field: &str, part: &str) {
    refused(text, place, field, part);
    if !text.contains('\r') {
        refused(&text.replace('\n', "\r\n"), place, field, part);
        refused(&text.replace('\n', "\r"), place, field, part);
    }
}

#[test]
fn each_bad_csv_is_refused_with_line_column_field_and_reason() {
    refused_csv("", [1, 1], "", "empty");
    refused_csv(" \r\n\n", [1, 1], "", "empty");
    refused_csv("seconds,demand_tops\n", [2, 1], "", "no row");
    refused_csv("seconds;demand_tops\n0;1\n", [1, 8], "", "semicolons");
    refused_csv("seconds\tdemand_tops\n0\t1\n", [1, 8], "", "tabs");
    refused_csv("time,demand_tops\n0,1\n", [1, 1], "seconds", "the column is missing");
    refused_csv("second,demand_tops\n0,1\n", [1, 1], "seconds", "did you mean");
    refused_csv("seconds,load\n0,1\n", [1, 1], "", "known columns: seconds, gpu, demand_tops");
    refused_csv("seconds,watts,watts\n0,1,1\n", [1, 15], "watts", "twice");
    refused_csv("seconds,watts,demand_tops\n0,1,1\n", [1, 15], "demand_tops", "not both");
    refused_csv("seconds,demand_tops\n0,1\n1\n2,3\n", [3, 1], "demand_tops", "1 field, the header 2");
    refused_csv("seconds,demand_tops\n0,1\n1,2,5\n", [3, 5], "", "decimal point");
    refused_csv("seconds,demand_tops\n0,1\n1,\n2,3\n", [3, 3], "demand_tops", "missing");
    refused_csv("seconds,demand_tops\n0,1\n,2\n", [3, 1], "seconds", "missing");
    refused_csv("seconds,gpu,watts\n0,a,\n1,a,\n", [2, 5], "watts", "missing");
    refused_csv("seconds,gpu,watts\n0,a,1\n0,b,\n1,a,1\n1,b,5\n", [3, 5], "watts", "GPU “b” is missing");
    refused_csv("seconds,demand_tops\n0,NaN\n", [2, 3], "demand_tops", "not a finite number");
    refused_csv("seconds,demand_tops\n0,inf\n", [2, 3], "demand_tops", "not a finite number");
    refused_csv("seconds,demand_tops\n0,abc\n", [2, 3], "demand_tops", "“abc”");
    refused_csv("seconds,demand_tops\n0,-1\n", [2, 3], "demand_tops", "-1 is out of range");
    refused_csv("seconds,demand_tops\n-1,1\n", [2, 1], "seconds", "-1 is out of range");
    refused_csv("seconds,sm_active\n0,1.01\n", [2, 3], "sm_active", "allowed: 0 … 1");
    refused_csv("seconds,pcie_tx_gb_per_s\n0,1e9\n", [2, 3], "pcie_tx_gb_per_s", "not a total");
    refused_csv("seconds,demand_tops\n0,1\n1,1\n1,1\n", [4, 1], "seconds", "must ascend");
    refused_csv("seconds,demand_tops\n0,1\n1,1\n2,1\n3.6,1\n", [5, 1], "seconds", "expected one every 1 s");
    refused_csv("seconds,gpu,watts\n0,\"a,1\n", [2, 3], "", "never closed");
    refused_csv("seconds,gpu,watts\n0,\"a\"b,1\n", [2, 6], "", "“b” follows");
    refused_csv("seconds,gpu,watts\n0,\"a\"b\"c\",1\n", [2, 6], "", "“b\"c\"” follows");
    refused_csv("seconds,gpu,watts\n0,\"a\" \"b\",1\n", [2, 6], "", "“\"b\"” follows");
    refused_csv("seconds,gpu,watts\n0,\"a\"b\"x,1\n", [2, 6], "", "“b\"x” follows");
    refused_csv("seconds,gpu,watts\n\n0,a,\"1\" x\n", [3, 8], "", "“x” follows");
    refused_csv("seconds,watts\n\n\n", [4, 1], "", "no row");
    let many = format!("seconds,{}watts\n0,1\n", "x,".repeat(1_000));
    refused_csv(&many, [1, 2_007], "", "at most 1000");
}

#[test]
fn quotation_marks_and_blanks_behind_them_are_no_part_of_a_field() {
    let expected = good("seconds,gpu,watts\n0,a\"b,1\n1,a\"b,2\n");
    assert_eq!(expected.tracks[0].gpu, "a\"b");
    assert_eq!(good("\"seconds\" ,\"gpu\", \twatts\n\"0\" ,\"a\"\"b\" \t,1\n1,\"a\"\"b\",\"2\"\n"), expected);
}

#[test]
fn a_late_reading_is_no_gap_up_to_one_and_a_half_intervals() {
    assert_eq!(good("seconds,watts\n0,1\n1,1\n2,1\n3.5,1\n").tracks[0].seconds.len(), 4);
}

#[test]
fn each_bad_scrape_is_refused_with_line_metric_and_reason() {
    const SM: &str = "DCGM_FI_PROF_SM_ACTIVE";
    refused("# nothing\n", [1, 1], "", "no sample of a known metric");
    refused("# a\nup{job=\"dcgm\"} 1\n", [1, 1], "", "DCGM_FI_PROF_PCIE_TX_BYTES");
    refused("# a\n<html>\n", [2, 1], "", "name of a metric");
    refused("DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"} 1.5\n", [1, 33], SM, "allowed: 0 … 1");
    refused("DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"} NaN\n", [1, 33], SM, "not a finite number");
    refused("DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"} -0.5\n", [1, 33], SM, "out of range");
    refused("DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"} many\n", [1, 33], SM, "a number is expected");
    refused("DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"\n", [1, 31], SM, "a label");
    refused("DCGM_FI_PROF_SM_ACTIVE{gpu=\"0} 1\n", [1, 24], SM, "quotation marks");
    refused("DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"} 1 1.5\n", [1, 35], SM, "whole milliseconds");
    refused("DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 101\n", [1, 31], "DCGM_FI_DEV_GPU_UTIL", "allowed: 0 … 100");
    refused("DCGM_FI_PROF_PCIE_TX_BYTES{gpu=\"0\"} 5e12\n", [1, 37], "DCGM_FI_PROF_PCIE_TX_BYTES", "not a total");
    refused("DCGM_FI_PROF_SM_ACTIVE 1 5\nDCGM_FI_PROF_SM_ACTIVE 1\n", [2, 24], SM, "all or none");
    refused("DCGM_FI_PROF_SM_ACTIVE 1 5\nDCGM_FI_PROF_SM_ACTIVE 0 5\n", [2, 24], SM, "second value");
    // The second scrape has no clock.
    let hole = "DCGM_FI_PROF_SM_ACTIVE 1\nDCGM_FI_DEV_SM_CLOCK 9\nDCGM_FI_PROF_SM_ACTIVE 1\n";
    refused(hole, [3, 1], "DCGM_FI_DEV_SM_CLOCK", "missing");
    let gap = "DCGM_FI_DEV_SM_CLOCK 9 0\nDCGM_FI_DEV_SM_CLOCK 9 1000\nDCGM_FI_DEV_SM_CLOCK 9 3000\n";
    refused(gap, [3, 22], "seconds", "no reading for 2 s");
}

#[test]
fn more_readings_than_a_study_may_hold_are_refused_at_the_first_one_too_many() {
    let rows = (0..=100_000).map(|second| format!("{second},1\n")).collect::<Vec<_>>().concat();
    refused(&format!("seconds,demand_tops\n{rows}"), [100_002, 1], "", "more than 100000 readings");
    let gpus = (0..65).map(|gpu| format!("0,{gpu},1\n")).collect::<Vec<_>>().concat();
    refused(&format!("seconds,gpu,watts\n{gpus}"), [66, 1], "", "more than 64 GPUs");
}

/// The published example: two clusters of 100 vGPUs × 100 TOPS, a capacity of 10,000 TOPS each.
fn published() -> Regulation {
    let scenario = crossover_scenario::read(include_str!("../../../../scenarios/regulation-published.ron"));
    scenario.expect("a valid scenario").regulation().expect("a regulation study").clone()
}

fn near(found: &[f64], expected: &[f64]) {
    let is_near = |(found, expected): (&f64, &f64)| (found - expected).abs() <= 1e-9 * expected.abs().max(1.0);
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(is_near), "{found:?}, not {expected:?}");
}

#[test]
fn activity_becomes_work_and_the_busier_direction_gives_the_ceiling() {
    // X = 0.5, 0.25, 0.1 of 10,000 TOPS; p_p = 50/50, 25/50, 20/50: B = 5,000, 5,000, 2,500.
    let recording =
        good("seconds,pcie_tx_gb_per_s,pcie_rx_gb_per_s,sm_active\n0,1,50,0.5\n2,25,3,0.25\n4,20,0,0.1\n6,0,0,0\n");
    let replay = to_demand(&recording, Gpus::One(0), &published(), 0, 50.0, None).unwrap();
    near(&replay.demand.series, &[5000.0, 2500.0, 1000.0, 0.0]);
    assert_eq!((replay.demand.seconds_per_value, replay.demand.high_tops), (2.0, 5000.0));
    near(&[replay.pcie_tops.unwrap()], &[5000.0]);
    assert!(replay.notes.is_empty(), "{:?}", replay.notes);
}

#[test]
fn a_recorded_demand_is_taken_as_it_is_and_says_nothing_about_the_ceiling() {
    let rows = (0..50).map(|tenth| format!("{},{}\n", f64::from(tenth) / 10.0, 1000 + tenth));
    let text = rows.collect::<Vec<_>>().concat();
    let recording = good(&format!("seconds,demand_tops\n{text}"));
    let replay = to_demand(&recording, Gpus::One(0), &published(), 1, 50.0, None).unwrap();
    let expected: Vec<f64> = (0..50).map(|tenth| f64::from(1000 + tenth)).collect();
    assert_eq!(*replay.demand.series, expected, "exactly as recorded");
    assert!(replay.pcie_tops.unwrap_err().contains("no transfer rate"));
}

#[test]
fn resampling_loses_no_work() {
    // 1,000 for 2 s, 3,000 for 3 s, 500 for 2 s. In threes: (2·1,000 + 3,000)/3, (2·3,000 + 500)/3; the second
    // that is left does not fill a value.
    let recording = good("seconds,demand_tops\n0,1000\n2,3000\n5,500\n");
    let replay = |seconds| to_demand(&recording, Gpus::One(0), &published(), 0, 50.0, Some(seconds)).unwrap();
    near(&replay(3.0).demand.series, &[5000.0 / 3.0, 6500.0 / 3.0]);
    near(&replay(1.0).demand.series, &[1000.0, 1000.0, 3000.0, 3000.0, 3000.0, 500.0, 500.0]);
}

#[test]
fn several_gpus_are_averaged_over_the_time_that_all_were_recorded() {
    let recording = good(
        "seconds,gpu,gpu_utilisation,pcie_tx_gb_per_s\n0,a,0.2,10\n1,a,0.4,10\n2,a,0.6,10\n1,b,0.8,30\n2,b,1,30\n3,b,0,30\n",
    );
    let replay = to_demand(&recording, Gpus::All, &published(), 0, 40.0, None).unwrap();
    // Seconds 1 and 2: (0.4 + 0.8)/2, (0.6 + 1)/2 of 10,000; p_p = (0.25 + 0.75)/2: B = 12,000 and 16,000.
    near(&replay.demand.series, &[6000.0, 8000.0]);
    near(&[replay.pcie_tops.unwrap()], &[14_000.0]);
    assert!(replay.notes[0].contains("no SM activity"), "{:?}", replay.notes);
    assert!(replay.notes[1].contains("2 GPUs"), "{:?}", replay.notes);
}

#[test]
fn what_cannot_be_replayed_is_refused_with_the_choice_and_the_reason() {
    let recording = good("seconds,sm_active,pcie_tx_gb_per_s\n0,0.5,60\n1,0.5,60\n");
    let study = published();
    let check = |recording: &Recording, gpus, cluster, seconds, field: &str| {
        let error = to_demand(recording, gpus, &study, cluster, 64.0, seconds).unwrap_err();
        assert_eq!(error.field, field, "{error}");
    };
    check(&recording, Gpus::One(1), 0, None, "gpu");
    check(&recording, Gpus::One(0), 2, None, "cluster");
    check(&recording, Gpus::One(0), 0, Some(0.0), "demand.seconds_per_value");
    check(&recording, Gpus::One(0), 0, Some(f64::NAN), "demand.seconds_per_value");
    check(&recording, Gpus::One(0), 0, Some(3.0), "demand.seconds_per_value");
    check(&good("seconds,watts\n0,1\n1,1\n"), Gpus::One(0), 0, None, "gpu");
    check(&good("seconds,sm_active\n0,1\n"), Gpus::One(0), 0, None, "demand.seconds_per_value");
    let long = good("seconds,sm_active\n0,1\n1000000,1\n");
    check(&long, Gpus::One(0), 0, Some(1.0), "demand.seconds_per_value");
    check(&Recording::default(), Gpus::All, 0, None, "gpu");

    let no_ceiling = |recording: &Recording, bus, words: &str| {
        let replay = to_demand(recording, Gpus::One(0), &study, 0, bus, None).unwrap();
        let reason = replay.pcie_tops.unwrap_err();
        assert!(reason.contains(words), "{reason}");
    };
    no_ceiling(&recording, 50.0, "60 GB/s, more than the bus");
    no_ceiling(&recording, 0.0, "above 0");
    no_ceiling(&good("seconds,sm_active\n0,1\n1,1\n"), 50.0, "lacks the PCIe transfer");
    no_ceiling(&good("seconds,sm_active,pcie_tx_gb_per_s\n0,1,0\n1,0,40\n"), 50.0, "at least 1 %");
}

#[test]
fn a_live_recording_keeps_its_longest_stretch_and_its_complete_columns() {
    let reading = |seconds: f64, with_watts: bool| {
        let mut values = BTreeMap::from([(Column::SmActive, 0.5)]);
        if with_watts {
            values.insert(Column::Watts, 300.0);
        }
        LiveReading { seconds, values }
    };
    let first = [5.0, 6.0, 9.0, 10.0, 11.1].map(|seconds| reading(seconds, true)).to_vec();
    let second = vec![reading(9.0, true), reading(10.0, false)];
    let recording = Recording::of_readings(vec![("0".into(), first), ("1".into(), second)]);
    assert_eq!(
        recording.left_out,
        ["GPU “0”: 2 readings before or after a gap in time", "GPU “1”: watts, which some readings lack"]
    );
    near(&recording.tracks[0].seconds, &[0.0, 1.0, 2.1]);
    assert_eq!(recording.tracks[1].seconds, [0.0, 1.0]);
    assert!(!recording.tracks[1].values.contains_key(&Column::Watts));
    assert_eq!(read(&recording.to_csv(), 1.0).unwrap().tracks, recording.tracks);
}

/// A recording that can be: uniform times with jitter, values in their ranges, names that differ.
fn recordings() -> impl Strategy<Value = Recording> {
    let columns = proptest::sample::subsequence(&Column::ALL[1..], 1..7);
    let track = (columns, 1..20_usize, 0.001..1e4_f64).prop_flat_map(|(columns, rows, interval)| {
        let values = columns.into_iter().map(|column| {
            let most = match column {
                Column::SmActive | Column::GpuUtilisation => 1.0,
                _ => 1000.0,
            };
            (Just(column), proptest::collection::vec(0.0..=most, rows))
        });
        (values.collect::<Vec<_>>(), proptest::collection::vec(0.0..0.15_f64, rows), Just(interval))
    });
    let track = track.prop_map(|(values, jitter, interval)| Track {
        gpu: String::new(),
        seconds: jitter.iter().enumerate().map(|(index, part)| (index as f64 + part) * interval).collect(),
        values: values.into_iter().collect(),
    });
    proptest::collection::btree_map("[a-z0-9\"][ ,;\"é\n]{0,3}[a-z\"]", track, 1..4).prop_map(|tracks| {
        let tracks = tracks.into_iter().map(|(gpu, mut track)| {
            // The first reading is the beginning.
            track.seconds[0] = 0.0;
            track.gpu = gpu;
            track
        });
        Recording { tracks: tracks.collect(), left_out: Vec::new() }
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(recording in recordings()) {
        prop_assert_eq!(read(&recording.to_csv(), 1.0).unwrap(), recording);
    }

    #[test]
    fn no_text_panics(text in ".*") {
        drop(read(&text, 1.0));
    }

    #[test]
    fn nothing_that_looks_like_a_recording_panics(
        text in "(seconds|gpu|watts|DCGM_FI_PROF_SM_ACTIVE|\\{|\\}|gpu=|\"|\\\\|,|;|\n|\r\n| |#|-?[0-9]{1,20}|0.5|NaN|é|\u{feff}){0,40}",
        interval in proptest::num::f64::ANY,
    ) {
        if let Ok(recording) = read(&text, interval) {
            let study = published();
            drop(to_demand(&recording, Gpus::All, &study, 0, interval, Some(interval)));
            drop(to_demand(&recording, Gpus::One(0), &study, 1, 1.0, None));
        }
    }

    #[test]
    fn a_live_recording_can_always_be_read_back(steps in proptest::collection::vec(0.0..3.0_f64, 1..40)) {
        let mut seconds = 0.0;
        let readings = steps.iter().map(|step| {
            seconds += step;
            LiveReading { seconds, values: BTreeMap::from([(Column::Watts, *step)]) }
        });
        let recording = Recording::of_readings(vec![("0".into(), readings.collect())]);
        prop_assert_eq!(read(&recording.to_csv(), 1.0).unwrap().tracks, recording.tracks);
    }
}
