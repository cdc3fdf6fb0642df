//! Editing numbers, lists and the control table in the inspector, and what follows from it.

use crossover::workbench::{Start, Workbench};
use crossover_page::command::Command;
use crossover_quantity::provenance::Provenance;
use crossover_regulation::{Actuator, Form, Fuzzy, PowerLaw, Schedule, Shape};
use crossover_regulation_page::examples;
use crossover_study::validate;
use egui::accesskit::Role;
use egui::{Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

use super::{change, study, window};
use crate::{Window, enter, enter_number, send, settle};

const KP: &str = "controllers.PID.kp";

/// Presses what has this accessible name.
fn press(window: &mut Window, label: &str) {
    window.get_by_label(label).click_accesskit();
    settle(window);
}

/// Picks an entry of a list that opens.
fn choose(window: &mut Window, field: &str, entry: &str) {
    window.get_by_role_and_label(Role::ComboBox, field).click();
    settle(window);
    window.get_all_by_label(entry).last().expect("an entry of the list").click();
    settle(window);
}

fn assert_valid(window: &Window) {
    validate(study(window)).expect("a valid study");
}

#[test]
fn a_typed_gain_is_taken_over_and_is_one_undo_step() {
    let mut window = window();
    let original = study(&window).clone();
    enter_number(&mut window, KP, "0.8");
    assert_eq!(study(&window).controllers[3].kp, 0.8);
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), original);
    send(&mut window, Command::Redo);
    assert_eq!(study(&window).controllers[3].kp, 0.8);
}

#[test]
fn a_dragged_gain_is_one_undo_step_and_leaves_zero_too() {
    let mut window = window();
    change(&mut window, |study| study.controllers[3].ki = 0.0);
    let original = study(&window).clone();
    let field = window.get_by_role_and_label(Role::SpinButton, "controllers.PID.ki").rect().center();
    window.drag_at(field);
    window.run_steps(2);
    for step in 1..=20u8 {
        window.hover_at(field + vec2(5.0 * f32::from(step), 0.0));
        window.run_steps(1);
    }
    window.drop_at(field + vec2(100.0, 0.0));
    settle(&mut window);
    let dragged = study(&window).controllers[3].ki;
    assert!((0.01..10.0).contains(&dragged), "{dragged}");
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), original);
}

#[test]
fn an_edited_number_counts_as_entered() {
    let mut window = window();
    change(&mut window, |study| {
        study.sources.insert(KP.into(), Provenance::Published("the worked example".into()));
    });
    enter_number(&mut window, KP, "2");
    assert!(!study(&window).sources.contains_key(KP));
}

#[test]
fn a_reset_field_has_its_saved_value_again() {
    let mut window = window();
    let original = study(&window).clone();
    for (field, text) in [(KP, "0.5"), ("clusters.I.max_ghz", "1.4 GHz"), ("manager.spare_vgpus", "12")] {
        enter_number(&mut window, field, text);
        assert_ne!(*study(&window), original, "{field}");
        send(&mut window, Command::ResetField(field.into()));
        assert_eq!(*study(&window), original, "{field}");
    }
}

#[test]
fn an_end_of_a_row_goes_back_to_its_saved_value_together_with_its_neighbour() {
    let mut window = window();
    let original = study(&window).clone();
    enter_number(&mut window, "table.5.to", "0.25");
    assert_ne!(*study(&window), original);
    send(&mut window, Command::ResetField("table.5.to".into()));
    assert_eq!(*study(&window), original);
}

#[test]
fn limits_push_what_they_would_exclude() {
    let mut window = window();
    enter_number(&mut window, "clusters.I.min_vgpus", "150");
    let cluster = &study(&window).clusters[0];
    assert_eq!((cluster.min_vgpus, cluster.vgpus, cluster.max_vgpus), (150.0, 150.0, 200.0));
    enter_number(&mut window, "clusters.I.max_vgpus", "40");
    let cluster = &study(&window).clusters[0];
    assert_eq!((cluster.min_vgpus, cluster.vgpus, cluster.max_vgpus), (40.0, 40.0, 40.0));
    enter_number(&mut window, "clusters.I.max_ghz", "0.5 GHz");
    let cluster = &study(&window).clusters[0];
    assert_eq!((cluster.min_ghz, cluster.start_ghz, cluster.max_ghz), (0.5, 0.5, 0.5));
    enter_number(&mut window, "run.average_periods", "5000");
    assert!(study(&window).run.average_periods <= study(&window).run.periods);
    assert_valid(&window);
}

#[test]
fn a_precision_outside_the_range_widens_the_range() {
    let mut window = window();
    choose(&mut window, "clusters.I.precision", "fp16");
    let cluster = &study(&window).clusters[0];
    assert_eq!((cluster.precision.as_str(), cluster.highest_precision.as_str()), ("fp16", "fp16"));
    assert_eq!(cluster.lowest_precision, "int8");
    choose(&mut window, "clusters.I.highest_precision", "int4");
    let cluster = &study(&window).clusters[0];
    assert_eq!(cluster.precision, "int4");
    assert_eq!(cluster.lowest_precision, "int4");
    assert_valid(&window);
}

#[test]
fn controllers_are_added_removed_and_chosen() {
    let mut window = window();
    let names =
        |window: &Window| -> Vec<String> { study(window).controllers.iter().map(|one| one.name.clone()).collect() };
    press(&mut window, "Add controller");
    assert_eq!(names(&window), ["P", "PD", "PI", "PID"], "four are the most");
    // The open form is that of PID, which is the clusters'; those of cluster I come before.
    window.get_all_by_label("Remove").last().expect("a button").click_accesskit();
    settle(&mut window);
    assert_eq!(names(&window), ["P", "PD", "PI"]);
    assert_eq!(study(&window).policy.controller, "P");
    press(&mut window, "Add controller");
    assert_eq!(names(&window), ["P", "PD", "PI", "controller"]);
    // Charts name the controllers too, on the right of the inspector.
    let header = window.get_all_by_label("PI").find(|node| node.rect().right() < 348.0);
    header.expect("a header of the inspector").click_accesskit();
    settle(&mut window);
    press(&mut window, "policy.controller=PI");
    assert_eq!(study(&window).policy.controller, "PI");
    assert_valid(&window);
}

#[test]
fn clusters_are_added_duplicated_reordered_and_removed() {
    let mut window = window();
    let names =
        |window: &Window| -> Vec<String> { study(window).clusters.iter().map(|one| one.name.clone()).collect() };
    press(&mut window, "Add cluster");
    assert_eq!(names(&window), ["I", "II", "cluster"]);
    for (label, expected) in [
        ("Duplicate", ["I", "I 2", "II", "cluster"].as_slice()),
        ("Down", &["I 2", "I", "II", "cluster"]),
        ("Remove", &["I", "II", "cluster"]),
    ] {
        window.get_all_by_label(label).next().expect("a button").click_accesskit();
        settle(&mut window);
        assert_eq!(names(&window), expected, "after “{label}”");
        assert_valid(&window);
    }
}

#[test]
fn a_renamed_cluster_keeps_its_sources_and_a_renamed_controller_the_policy() {
    let mut window = window();
    let source = Provenance::Published("the worked example".into());
    change(&mut window, |study| {
        study.sources.insert("clusters.I.pcie_tops".into(), source.clone());
    });
    let sources = study(&window).sources.len();
    enter(&mut window, Role::TextInput, "clusters.I.name", "front");
    assert_eq!(study(&window).clusters[0].name, "front");
    assert_eq!(study(&window).sources.get("clusters.front.pcie_tops"), Some(&source));
    assert_eq!(study(&window).sources.len(), sources);
    assert!(!study(&window).sources.keys().any(|path| path.starts_with("clusters.I.")));
    enter(&mut window, Role::TextInput, "controllers.PID.name", "steady");
    assert_eq!(study(&window).controllers[3].name, "steady");
    assert_eq!(study(&window).policy.controller, "steady");
    send(&mut window, Command::Undo);
    assert_eq!(study(&window).policy.controller, "PID");
}

#[test]
fn a_taken_or_empty_name_is_refused_with_the_reason() {
    let mut window = window();
    for (text, reason) in [("II", "This name is already used"), ("  ", "A name must not be empty")] {
        enter(&mut window, Role::TextInput, "clusters.I.name", text);
        assert_eq!(study(&window).clusters[0].name, "I");
        assert!(window.state().messages().any(|message| message.contains(reason)), "{reason}");
    }
}

#[test]
fn an_end_of_a_row_moves_that_of_its_neighbour() {
    let mut window = window();
    let ends = |window: &Window, row: usize| (study(window).table[row].from, study(window).table[row].to);
    enter_number(&mut window, "table.5.to", "0.25");
    assert_eq!((ends(&window, 5), ends(&window, 6)), ((0.1, 0.25), (0.25, 0.5)));
    enter_number(&mut window, "table.4.from", "−0.2");
    assert_eq!((ends(&window, 3), ends(&window, 4)), ((-0.3, -0.2), (-0.2, 0.1)));
    // Beyond the neighbour, and on the wrong side of zero.
    for (field, text) in [("table.5.to", "0.7"), ("table.4.to", "−0.5"), ("table.8.to", "−3"), ("table.0.from", "3")]
    {
        enter_number(&mut window, field, text);
        assert_valid(&window);
    }
    for (from, to) in
        study(&window).table.iter().map(|band| band.to).zip(study(&window).table[1..].iter().map(|b| b.from))
    {
        assert_eq!(from, to, "no gap and no overlap");
    }
}

#[test]
fn rows_are_divided_removed_and_added_and_the_published_table_comes_back() {
    let mut window = window();
    let published = study(&window).table.clone();
    press(&mut window, "split table.6");
    assert_eq!(study(&window).table.len(), 10);
    assert_valid(&window);
    press(&mut window, "remove table.3");
    // The dead zone is nearer to zero: it takes the outputs over.
    assert_eq!((study(&window).table[3].from, study(&window).table[3].to), (-0.3, 0.1));
    press(&mut window, "Add first row");
    press(&mut window, "Add last row");
    assert_eq!(study(&window).table.len(), 11);
    assert_valid(&window);
    press(&mut window, "Published table");
    assert_eq!(study(&window).table, published);
    let source = study(&window).sources.get("table.8.vgpus").map(Provenance::kind);
    assert_eq!(source, Some("published"));
    assert_valid(&window);
}

#[test]
fn the_dead_zone_has_ends_but_no_actions() {
    let mut window = window();
    assert!(window.query_by_label("dead zone: no action").is_some());
    assert!(window.query_by_label("table.4.vgpus").is_none());
    enter_number(&mut window, "table.4.to", "0.05");
    assert_eq!(study(&window).table[5].from, 0.05);
}

#[test]
fn a_demand_shows_the_fields_of_its_shape_only() {
    let mut window = window();
    let all = ["low_tops", "high_tops", "start_seconds", "end_seconds", "seconds_per_value"];
    for (entry, shape, used) in [
        ("step", Shape::Step, ["low_tops", "high_tops", "start_seconds"].as_slice()),
        ("ramp", Shape::Ramp, &["low_tops", "high_tops", "start_seconds", "end_seconds"]),
        ("day curve", Shape::Day, &["low_tops", "high_tops", "start_seconds"]),
        ("recorded", Shape::Recorded, &["seconds_per_value"]),
        ("constant", Shape::Constant, &["high_tops"]),
    ] {
        choose(&mut window, "clusters.I.demand.shape", entry);
        assert_eq!(study(&window).clusters[0].demand.shape, shape);
        for field in all {
            let shown = window.query_by_label(&format!("clusters.I.demand.{field}")).is_some();
            assert_eq!(shown, used.contains(&field), "{field} of {entry}");
        }
        assert_valid(&window);
    }
}

#[test]
fn a_schedule_replaces_the_gains_and_says_where_it_departs_from_the_published_method() {
    let mut window = window();
    press(&mut window, "controllers.PID.schedule");
    assert_eq!(study(&window).controllers[3].schedule, Some(Schedule::expert()));
    assert!(window.query_by_label(KP).is_none());
    assert!(window.query_by_label("Meets the published inequalities").is_some());
    // Published: 0 = Ki1.
    enter_number(&mut window, "controllers.PID.schedule.ki1", "0.5");
    assert!(window.query_all_by_label_contains("Departs from the published method").next().is_some());
    enter_number(&mut window, "controllers.PID.schedule.small_error", "0.9");
    assert_valid(&window);
    let small_error = "controllers.PID.schedule.small_error";
    for text in ["20", "20%", "20 %"] {
        enter_number(&mut window, small_error, "0.5 %");
        enter_number(&mut window, small_error, text);
        let schedule = study(&window).controllers[3].schedule.as_ref();
        assert_eq!(schedule.map(|schedule| schedule.small_error), Some(0.2), "{text}");
    }
    press(&mut window, "Use expert start values");
    assert_eq!(study(&window).controllers[3].schedule, Some(Schedule::expert()));
    press(&mut window, "controllers.PID.schedule");
    assert_eq!(study(&window).controllers[3].schedule, None);
    press(&mut window, "controllers.PID.fuzzy");
    assert_eq!(study(&window).controllers[3].fuzzy, Some(Fuzzy::expert()));
    assert!(window.query_by_label("controllers.PID.fuzzy.kd_range").is_some());
}

#[test]
fn a_form_shows_the_gains_it_has() {
    let mut window = window();
    press(&mut window, "controllers.PID.form=PD");
    assert_eq!(study(&window).controllers[3].form, Form::PD);
    for (field, is_shown) in
        [("kp", true), ("ki", false), ("kd", true), ("integral_limit", false), ("derivative", true)]
    {
        assert_eq!(window.query_by_label(&format!("controllers.PID.{field}")).is_some(), is_shown, "{field}");
    }
}

#[test]
fn actuators_are_used_and_ordered_and_one_remains() {
    let mut window = window();
    press(&mut window, "actuators.order.Precision");
    assert_eq!(study(&window).actuators.order, [Actuator::Vgpus, Actuator::Frequency, Actuator::Precision]);
    assert!(window.query_by_label_contains("precision cannot change").is_some(), "int8 alone is allowed");
    press(&mut window, "actuators.order.Vgpus");
    press(&mut window, "actuators.order.Frequency");
    press(&mut window, "actuators.order.Precision");
    assert_eq!(study(&window).actuators.order, [Actuator::Precision], "one is needed");
}

#[test]
fn a_measured_curve_can_be_pasted_and_a_bad_line_is_named() {
    let mut window = window();
    press(&mut window, "power.law=Measured");
    assert_eq!(study(&window).power.law, PowerLaw::Measured);
    assert_valid(&window);
    press(&mut window, "Paste points…");
    let field = |window: &mut Window, text: &str| {
        window.get_by_role_and_label(Role::MultilineTextInput, "power.curve").focus();
        window.run_steps(2);
        window.key_press_modifiers(Modifiers::COMMAND, Key::A);
        window.event(egui::Event::Paste(text.to_owned()));
        settle(window);
    };
    field(&mut window, "0.8, 0.6\n1.1");
    assert!(window.query_by_label_contains("Line 2: expected two numbers").is_some());
    field(&mut window, "0.8, 0.6\n1.0, 1.0\n1.1, 1.25");
    press(&mut window, "Apply");
    let points: Vec<_> = study(&window).power.curve.iter().map(|at| (at.frequency_ratio, at.power_ratio)).collect();
    assert_eq!(points, [(0.8, 0.6), (1.0, 1.0), (1.1, 1.25)]);
    enter_number(&mut window, "power.curve.1.frequency_ratio", "2");
    assert_valid(&window);
}

#[test]
fn a_precision_that_a_cluster_names_stays_and_follows_its_name() {
    let mut window = window();
    press(&mut window, "Precision levels");
    press(&mut window, "int8 · 1×");
    enter(&mut window, Role::TextInput, "precisions.int8.name", "i8");
    assert_eq!(study(&window).clusters[0].precision, "i8");
    let before = study(&window).precisions.len();
    window.get_all_by_label("Remove").last().expect("a button").click_accesskit();
    settle(&mut window);
    assert_eq!(study(&window).precisions.len(), before, "it is in use");
    assert_valid(&window);
}

#[test]
fn a_note_on_quality_is_one_undo_step() {
    let mut window = window();
    press(&mut window, "Precision levels");
    press(&mut window, "int4 · 2×");
    let original = study(&window).clone();
    window.get_by_role_and_label(Role::TextInput, "precisions.int4.note").focus();
    window.run_steps(2);
    for letter in ["p", "o", "o", "r"] {
        window.event(egui::Event::Text(letter.to_owned()));
        window.run_steps(1);
    }
    assert_eq!(*study(&window), original, "nothing is taken over while it is typed");
    window.key_press(Key::Enter);
    settle(&mut window);
    assert_eq!(study(&window).precisions[0].note, "poor");
    send(&mut window, Command::Undo);
    assert_eq!(*study(&window), original);
}

#[test]
fn every_section_fits_the_panel_and_the_drawer() {
    // The drawer stands beside its handle; long names may widen it a little.
    for (size, right) in [(vec2(1280.0, 2600.0), 348.0), (vec2(800.0, 2600.0), 30.0 + 310.0)] {
        let mut window = Harness::builder()
            .with_size(size)
            .with_os(egui::os::OperatingSystem::Nix)
            .build_eframe(|creation| Workbench::new(creation, Start::default()));
        send(&mut window, Command::OpenExample(examples::PUBLISHED));
        if size.x < 1000.0 {
            press(&mut window, "▼ Parameters");
        }
        press(&mut window, "controllers.PID.schedule");
        press(&mut window, "controllers.PID.fuzzy");
        press(&mut window, "What do e, u and vGPU mean?");
        press(&mut window, "power.law=Measured");
        choose(&mut window, "clusters.I.demand.shape", "ramp");
        for name in [
            "clusters.I.name",
            "clusters.I.pcie_tops",
            "clusters.I.precision",
            "clusters.I.demand.end_seconds",
            "controllers.PID.schedule.kp1",
            "remove table.0",
            "Published table",
            "remove power.curve.0",
        ] {
            let rect = window.get_by_label(name).rect();
            assert!(rect.right() <= right, "{name} ends at {}", rect.right());
        }
    }
}

#[test]
fn a_catalogue_gpu_fills_the_power_and_says_so() {
    let mut window = window();
    window.get_by_role_and_label(Role::ComboBox, "clusters.I.watts_per_vgpu preset").click();
    settle(&mut window);
    // Further down the list than is seen at first.
    window.get_by_label("NVIDIA H200 SXM 700 W").click_accesskit();
    settle(&mut window);
    // The catalogue: 700 W.
    assert_eq!(study(&window).clusters[0].watts_per_vgpu, 700.0);
    let source = study(&window).sources.get("clusters.I.watts_per_vgpu").map(Provenance::kind);
    assert_eq!(source, Some("catalogue"));
    assert_valid(&window);
}

#[test]
fn random_edits_never_break_the_study() {
    let mut scenarios = 0;
    for seed in [1, 2] {
        let mut window = super::super::window();
        send(&mut window, Command::OpenExample(examples::PUBLISHED));
        crate::stress::random_events(&mut window, seed, 150);
        scenarios += crate::stress::valid_scenarios(&window);
    }
    assert!(scenarios > 0, "all tabs were closed, so nothing was tested");
}
