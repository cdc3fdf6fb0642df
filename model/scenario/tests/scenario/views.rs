//! Settings of tool pages in a file: kept, checked like the rest of it, and of no effect on the study.

use crossover_scenario::views::{
    CameraView, CompareView, ConstraintView, Goal, Limit, MapView, ObjectiveView, OtherScenario, PageView, SearchView,
    SortedView, SweepView, UncertaintyView, ViewRange, ZoomView,
};
use crossover_scenario::{Scenario, Views, read};

use super::{PUBLISHED, published};

/// The published placement with this text as its views.
fn with_views(views: &str) -> String {
    let study = PUBLISHED.trim_end().strip_suffix(')').expect("the scenario ends with a bracket");
    format!("{study}    views: {views},\n)\n")
}

fn range(path: &str) -> ViewRange {
    ViewRange { path: path.to_owned(), from: 0.1, to: 1e3, points: 201, log: true }
}

#[test]
fn a_file_without_views_has_none_and_gets_none() {
    assert_eq!(published().views, Views::default());
    assert!(!published().to_ron().contains("views"));
}

#[test]
fn the_settings_of_every_tool_are_read_as_they_were_written() {
    let views = Views {
        sweep: Some(SweepView { x: range("cluster.machines"), parts: true, hidden: vec!["on_gpu".to_owned()] }),
        map: Some(MapView {
            x: range("cluster.machines"),
            y: range("gpu.gpu_parallelism"),
            exact: true,
            figure: Some("operators.join.speedup".to_owned()),
            level: "1.5×".to_owned(),
        }),
        compare: Some(CompareView {
            x: Some(range("cluster.machines")),
            with: vec![
                OtherScenario::File("clusters/größe \"b\".ron".to_owned()),
                OtherScenario::Unsaved("18f3a-2b-7".to_owned()),
            ],
        }),
        uncertainty: Some(UncertaintyView { spread_all: Some(0.1), figure: Some("speedup".to_owned()) }),
        search: Some(SearchView {
            free: vec![range("cluster.machines")],
            lists: vec!["gpu".to_owned()],
            constraints: vec![ConstraintView {
                figure: "seconds".to_owned(),
                side: Limit::AtMost,
                value: "2 min".to_owned(),
            }],
            objectives: vec![ObjectiveView { figure: "run_usd".to_owned(), goal: Goal::Minimise }],
            weak_scaling: true,
            likelihood: "90 %".to_owned(),
            spread_all: "20 %".to_owned(),
        }),
        page: Some(PageView {
            of_query: true,
            selected: Some(3),
            sorted: Some(SortedView { column: "CPU time".to_owned(), descending: true }),
            camera: Some(CameraView { scale: 1.5, x: 320.25, y: 40.0 }),
            zoomed: vec![ZoomView {
                chart: "(\"class\", 0)".to_owned(),
                x_from: 0.5,
                x_to: 8.0,
                y_from: -1.0,
                y_to: 2.5,
            }],
        }),
        tool_zoomed: vec![ZoomView {
            chart: "(\"sweep\", \"speedup\")".to_owned(),
            x_from: 10.0,
            x_to: 100.0,
            y_from: 0.5,
            y_to: 1.5,
        }],
    };
    let scenario = Scenario { views, ..published() };
    assert_eq!(read(&scenario.to_ron()).expect("what was written can be read"), scenario);
}

#[test]
fn views_are_written_by_hand_like_the_rest_of_a_file() {
    let text = with_views("(sweep: (x: (path: \"cluster.machines\", from: 10, to: 1000, points: 50, log: true)))");
    let scenario = read(&text).expect("a valid scenario");
    let x = ViewRange { path: "cluster.machines".to_owned(), from: 10.0, to: 1000.0, points: 50, log: true };
    assert_eq!(scenario.views.sweep, Some(SweepView { x, parts: false, hidden: Vec::new() }));
    assert_eq!(scenario.study, published().study);
}

#[test]
fn a_part_of_a_picture_without_end_is_rejected() {
    let text = with_views("(page: (camera: (scale: inf, x: 0, y: 0)))");
    let problem = read(&text).expect_err("no picture is that large").to_string();
    assert!(problem.contains("views.page.camera.scale") && problem.contains("finite"), "{problem}");
}

#[test]
fn parts_of_charts_are_finite_and_few() {
    let part = |x_to: &str| format!("(chart: \"a\", x_from: 0, x_to: {x_to}, y_from: 0, y_to: 1)");
    for (path, before, behind) in
        [("views.page.zoomed", "(page: (zoomed: [", "]))"), ("views.tool_zoomed", "(tool_zoomed: [", "])")]
    {
        let problem = |parts: &str| {
            let text = with_views(&format!("{before}{parts}{behind}"));
            read(&text).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(problem(&part("1")), Ok(()));
        let infinite = problem(&part("inf")).expect_err("no chart is that wide");
        assert!(infinite.contains(&format!("{path}.0.x_to")) && infinite.contains("finite"), "{infinite}");
        let many = problem(&vec![part("1"); 65].join(", ")).expect_err("no page has that many");
        assert!(many.contains("at most 64 charts, found 65"), "{many}");
    }
}

#[test]
fn a_comparison_may_name_scenarios_only_or_a_number_only() {
    let compared = |text: &str| read(&with_views(text)).expect("a valid scenario").views.compare.expect("a comparison");
    let of_files = compared("(compare: (with: [File(\"other.ron\")]))");
    assert_eq!(of_files, CompareView { x: None, with: vec![OtherScenario::File("other.ron".to_owned())] });
    let of_number = compared("(compare: (x: (path: \"cluster.machines\", from: 1, to: 2, points: 50)))");
    assert_eq!((of_number.x.map(|x| x.path).as_deref(), of_number.with), (Some("cluster.machines"), Vec::new()));
    let range = "(path: \"cluster.machines\", from: inf, to: 2, points: 50)";
    let error = read(&with_views(&format!("(compare: (x: {range}))"))).expect_err("no number");
    assert_eq!(error.field.as_deref(), Some("views.compare.x.from"));
}

/// The number may come back, for example when the removal of an operator is undone.
#[test]
fn a_number_that_the_study_lacks_is_no_error() {
    let text = with_views("(sweep: (x: (path: \"operators.gone.input_gb\", from: 1, to: 2, points: 50)))");
    let scenario = read(&text).expect("a valid scenario");
    assert_eq!(scenario.views.sweep.expect("a sweep").x.path, "operators.gone.input_gb");
}

#[test]
fn what_views_cannot_be_is_refused_with_its_place() {
    let error = read(&with_views("(sweeps: ())")).expect_err("no such tool");
    assert!(error.to_string().contains("“sweeps” is not a field, did you mean “sweep”?"), "{error}");
    let range = "(x: (path: \"cluster.machines\", from: 1, to: inf, points: 50))";
    let error = read(&with_views(&format!("(sweep: {range})"))).expect_err("an infinite end");
    assert_eq!(error.field.as_deref(), Some("views.sweep.x.to"));
    assert_eq!(error.problem, "expected a finite number, found inf");
}

#[test]
fn an_edit_of_a_field_leaves_the_views_as_they_are() {
    let text = with_views("(uncertainty: (spread_all: 0.2))");
    let scenario = read(&text).expect("a valid scenario");
    let edited = scenario.with("cluster.machines=200").expect("a valid value");
    assert_eq!(edited.views, scenario.views);
    assert!(scenario.with("views.uncertainty.spread_all=0.3").is_err(), "a view is no field of the study");
}
