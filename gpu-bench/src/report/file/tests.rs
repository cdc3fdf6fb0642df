//! Files as they may be found, and reports written and read again.

use std::fs;

use proptest::prelude::*;

use super::super::{Measurement, example};
use super::*;

/// Why a file with this text is refused.
fn refusal(text: &str) -> String {
    parse(Path::new("some.json"), text).expect_err("no report").to_string()
}

#[test]
fn a_file_that_does_not_exist_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("missing.json");
    let error = read(&path).expect_err("nothing to read");
    assert!(matches!(error, FileError::Read { .. }) && error.to_string().contains("missing.json"), "{error}");
}

#[test]
fn what_is_no_report_is_refused_with_line_and_column() {
    let valid = serde_json::to_string(&example::report()).expect("JSON");
    let cut = &valid[..valid.len() / 2];
    for text in ["", "  \n", "{", cut, "[1, 2", "nonsense"] {
        let message = refusal(text);
        assert!(message.starts_with("some.json is not a gpu-bench report: "), "{message}");
        assert!(message.contains("line ") && message.contains("column "), "{message}");
    }
    assert!(refusal("{}").contains("missing field `schema`"));
    assert!(refusal("[]").starts_with("some.json is not a gpu-bench report: "));
}

#[test]
fn a_binary_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("picture.json");
    fs::write(&path, [0x89, b'P', b'N', b'G', 0xFF]).expect("written");
    assert!(
        read(&path)
            .expect_err("no text")
            .to_string()
            .contains("picture.json is not a gpu-bench report: not UTF-8 text")
    );
}

/// The example as JSON, changed.
fn changed(change: impl FnOnce(&mut serde_json::Value)) -> String {
    let mut value = serde_json::to_value(example::report()).expect("JSON");
    change(&mut value);
    value.to_string()
}

#[test]
fn another_schema_is_refused_even_if_nothing_else_is_known() {
    assert_eq!(refusal(r#"{"schema": 2}"#), "some.json has schema 2; this version reads schema 1");
    assert_eq!(refusal(r#"{"schema": 4294967297}"#), "some.json has schema 4294967297; this version reads schema 1");
    assert!(refusal(r#"{"schema": -1}"#).contains("not a gpu-bench report"));
}

#[test]
fn results_are_needed_and_may_be_empty() {
    let missing = changed(|value| _ = value.as_object_mut().expect("an object").remove("results"));
    assert!(refusal(&missing).contains("missing field `results`"));
    let empty = changed(|value| value["results"] = serde_json::json!([]));
    assert!(parse(Path::new("some.json"), &empty).expect("a report").results.is_empty());
}

#[test]
fn keys_of_newer_versions_are_ignored_and_missing_ones_are_defaults() {
    let text = changed(|value| {
        value["power_w"] = 300.into();
        value["tool"]["git"] = "abc".into();
        value["results"][0]["energy_j"] = 1.into();
        let measurement = value["results"][0].as_object_mut().expect("an object");
        measurement.retain(|key, _| key != "warnings" && key != "samples_s");
        value["host"].as_object_mut().expect("an object").remove("os");
    });
    let found = parse(Path::new("some.json"), &text).expect("a report");
    let mut expected = example::report();
    expected.results[0].samples_s.clear();
    expected.host.os.clear();
    assert_eq!(found, expected);
}

#[test]
fn numbers_that_are_none_are_refused_and_huge_ones_are_kept() {
    for number in ["1e999", "NaN", "Infinity", "null", "\"1\""] {
        let text = changed(|value| value["results"][0]["time"]["median_s"] = "HERE".into());
        let message = refusal(&text.replace("\"HERE\"", number));
        assert!(message.starts_with("some.json is not a gpu-bench report: "), "{number}: {message}");
    }
    let text = changed(|value| value["results"][0]["bytes_logical"] = 1e308.into());
    assert_eq!(
        parse(Path::new("some.json"), &text).expect("a report").results[0].bytes_logical.to_bits(),
        1e308_f64.to_bits()
    );
}

#[test]
fn deep_nesting_is_refused_instead_of_overflowing_the_stack() {
    let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(refusal(&text).contains("recursion limit"));
}

#[test]
fn a_failed_write_leaves_the_old_report_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("missing").join("report.json");
    let error = write(&path, &example::report()).expect_err("no such folder");
    assert!(matches!(error, FileError::Replace(_)) && error.to_string().contains("report.json"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_device_a_device() {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let [file, link, device] = ["report.json", "link.json", "device.json"].map(|name| folder.path().join(name));
    write(&file, &example::report()).expect("written");
    symlink(&file, &link).expect("linked");
    symlink("/dev/full", &device).expect("linked");
    let newer = Report { suite: "full".to_owned(), ..example::report() };
    write(&link, &newer).expect("written");
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert_eq!(read(&file).expect("a report"), newer);
    assert!(write(&device, &newer).is_err(), "a full device");
    assert!(fs::metadata("/dev/full").expect("a device").file_type().is_char_device());
    let others = fs::metadata(&file).expect("a file").permissions().mode() & 0o044;
    let plain = folder.path().join("plain");
    fs::write(&plain, "").expect("written");
    assert_eq!(others, fs::metadata(&plain).expect("a file").permissions().mode() & 0o044, "readable as any file");
}

/// Any number that JSON can hold.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![proptest::num::f64::NORMAL, proptest::num::f64::ZERO, proptest::num::f64::SUBNORMAL]
}

prop_compose! {
    fn measurement()(
        id in ".*",
        variant in "\\PC*",
        threads in any::<usize>(),
        params in proptest::collection::btree_map("[a-z_]*", number(), 0..4),
        samples_s in proptest::collection::vec(number(), 0..6),
        ends in (number(), number()),
        timed in any::<bool>(),
        roof_share in proptest::option::of(number()),
        warnings in proptest::collection::vec(".*", 0..3),
        reason in proptest::option::of(".*"),
    ) -> Measurement {
        let example = &example::report().results[0];
        let time = example.time.filter(|_| timed).map(|time| super::super::Time { ci95_s: ends, ..time });
        Measurement { id, threads, variant, params, samples_s, time, roof_share, warnings, reason, ..example.clone() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_is_written_is_read_again(
        results in proptest::collection::vec(measurement(), 0..4),
        notes in proptest::collection::vec(".*", 0..3),
        has_adapter in any::<bool>(),
    ) {
        let example = example::report();
        let adapter = example.adapter.clone().filter(|_| has_adapter);
        let report = Report { adapter, results, notes, ..example };
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.json");
        write(&path, &report).expect("written");
        prop_assert_eq!(read(&path).expect("read"), report);
        prop_assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }
}
