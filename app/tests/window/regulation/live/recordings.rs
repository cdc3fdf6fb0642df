//! Recordings of GPUs become the demand of a cluster.

use std::path::Path;
use std::sync::Arc;

use crossover_page::command::Command;
use crossover_quantity::provenance::Provenance;
use crossover_regulation::Shape;
use crossover_regulation_page::Request;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;

use super::super::super::files::Dropped;
use super::super::super::{Window, send, settle, type_path};
use super::{page, polls, press, shows, study, watch_until};

/// Answers the question for a recording with this path.
fn import(window: &mut Window, path: &Path) {
    send(window, Command::ask(Request::IMPORT));
    type_path(window, path);
}

fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> std::path::PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("written");
    path
}

/// Three seconds of a GPU that is half busy, at a quarter of a bus of 31.5 GB/s.
const GOOD: &str = "seconds,gpu,pcie_tx_gb_per_s,pcie_rx_gb_per_s,sm_active\n\
                    0,A,1.0,7.875,0.5\n\
                    1,A,1.0,7.875,0.25\n\
                    2,A,1.0,7.875,0.5\n";

#[test]
fn a_good_recording_becomes_the_demand_in_one_undo_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "night.csv", GOOD);
    let mut window = page(polls([]));
    let before = study(&window).clone();
    import(&mut window, &path);
    assert!(shows(&window, "3 values, one every 1 s, 3 s in all: 2,500 TOPS … 5,000 TOPS"));
    press(&mut window, "Import");
    // 100 vGPUs × 100 TOPS, half and a quarter busy.
    let after = study(&window).clone();
    let demand = &after.clusters[0].demand;
    assert_eq!((demand.shape, demand.seconds_per_value), (Shape::Recorded, 1.0));
    assert_eq!(*demand.series, [5000.0, 2500.0, 5000.0]);
    // p_p is 7.875 of 31.5 GB/s, a quarter: the median of 5,000, 2,500 and 5,000 over that is 20,000 TOPS.
    assert!((after.clusters[0].pcie_tops - 20_000.0).abs() < 1e-6, "{}", after.clusters[0].pcie_tops);
    for path in ["clusters.I.demand.series", "clusters.I.pcie_tops"] {
        assert_eq!(after.sources.get(path), Some(&Provenance::Imported { file: "night.csv".into() }), "{path}");
    }
    assert_eq!(after.clusters[1], before.clusters[1]);
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), before);
    send(&mut window, Command::Redo);
    assert_eq!(*study(&window), after);
}

#[test]
fn the_cluster_and_whether_the_ceiling_is_taken_are_the_users_choice() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "night.csv", &GOOD.replace("7.875", "15.75"));
    let mut window = page(polls([]));
    let before = study(&window).clone();
    send(&mut window, Command::ask(Request::Import { cluster: Some("II".into()) }));
    type_path(&mut window, &path);
    // p_p is half of the bus.
    window.get_by_label("Set the transfer ceiling of II to 10,000 TOPS, now 20,000 TOPS").click();
    settle(&mut window);
    press(&mut window, "Import");
    assert_eq!(study(&window).clusters[0], before.clusters[0]);
    assert_eq!(study(&window).clusters[1].demand.series.len(), 3);
    assert_eq!(study(&window).clusters[1].pcie_tops, before.clusters[1].pcie_tops);
}

#[test]
fn a_cancelled_import_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "night.csv", GOOD);
    let mut window = page(polls([]));
    let before = study(&window).clone();
    import(&mut window, &path);
    press(&mut window, "Cancel");
    assert_eq!(*study(&window), before);
    assert!(!window.state().active().expect("open").can_undo());
}

#[test]
fn a_recording_with_a_hole_is_refused_with_file_line_and_field() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "hole.csv", "seconds,gpu,sm_active\n0,A,0.5\n1,A,\n2,A,0.5\n");
    let mut window = page(polls([]));
    let before = study(&window).clone();
    import(&mut window, &path);
    let message = window.state().messages().next().expect("a message").to_owned();
    assert!(message.starts_with(&format!("{}:3:5: sm_active: the value", path.display())), "{message}");
    assert_eq!(*study(&window), before);
    // It stays until it is read.
    window.step();
    press(&mut window, "Dismiss");
    assert_eq!(window.state().messages().count(), 0);
}

#[test]
fn a_dropped_recording_is_offered_on_a_regulation_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "night.csv", GOOD);
    let mut window = page(polls([]));
    window.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    settle(&mut window);
    assert!(shows(&window, "3 values, one every 1 s"));
    press(&mut window, "Import");
    assert_eq!(study(&window).clusters[0].demand.shape, Shape::Recorded);
}

#[test]
fn a_text_series_of_dcgm_exporter_becomes_the_demand_of_all_its_gpus() {
    let folder = tempfile::tempdir().expect("a folder");
    let scrape = |second: u32, first: f64, other: f64| {
        let metric = "DCGM_FI_PROF_SM_ACTIVE";
        let time = second * 1000;
        format!("{metric}{{gpu=\"0\"}} {first} {time}\n{metric}{{gpu=\"1\"}} {other} {time}\n")
    };
    let path = written(&folder, "scrapes.prom", &[scrape(0, 0.5, 1.0), scrape(30, 0.5, 0.0)].concat());
    let mut window = page(polls([]));
    import(&mut window, &path);
    window.get_by_role_and_label(Role::ComboBox, "GPU of the recording").click();
    settle(&mut window);
    window.get_by_label("all GPUs").click();
    settle(&mut window);
    assert!(shows(
        &window,
        "No transfer ceiling is proposed. The recording lacks the PCIe transfer of at least one GPU."
    ));
    press(&mut window, "Import");
    let demand = &study(&window).clusters[0].demand;
    // 100 vGPUs × 100 TOPS, as busy as both on average: (0.5 + 1) / 2 and (0.5 + 0) / 2.
    assert_eq!((demand.seconds_per_value, &*demand.series), (30.0, [7500.0, 2500.0].as_slice()));
}

#[test]
fn the_inspector_imports_for_its_cluster() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "night.csv", GOOD);
    let mut window = page(polls([]));
    window.set_size(egui::vec2(1280.0, 2600.0));
    settle(&mut window);
    window.get_by_label("II · 100 vGPUs").click();
    settle(&mut window);
    window.run_steps(20);
    window.get_all_by_label("Import a recording…").last().expect("that of the last cluster").click();
    settle(&mut window);
    type_path(&mut window, &path);
    press(&mut window, "Import");
    assert_eq!(study(&window).clusters[1].demand.series.len(), 3);
}

#[test]
fn a_recording_for_a_closed_scenario_is_dropped_with_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, "night.csv", GOOD);
    let mut window = page(polls([]));
    window.state_mut().send(Command::ask(Request::ImportFile(path)));
    window.state_mut().send(Command::CloseTab);
    settle(&mut window);
    let message = window.state().messages().next().expect("a message");
    assert_eq!(message, "night.csv: the target scenario is closed; nothing was imported");
}

#[test]
fn a_saved_recording_holds_the_values_that_were_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("seen.csv");
    let mut window = page(polls([[0.25, 0.5], [0.25, 0.3], [0.25, 0.1]]));
    watch_until(&mut window, 3);
    send(&mut window, Command::ask(Request::SaveRecording));
    type_path(&mut window, &path);
    assert!(path.exists());

    send(&mut window, Command::ask(Request::UseRecording));
    press(&mut window, "Import");
    let direct = study(&window).clusters[0].clone();
    // 100 vGPUs × 100 TOPS, as busy as the GPU was.
    assert_eq!(*direct.demand.series, [5000.0, 3000.0, 1000.0]);
    send(&mut window, Command::Undo);
    import(&mut window, &path);
    press(&mut window, "Import");
    assert_eq!(study(&window).clusters[0], direct);
}
