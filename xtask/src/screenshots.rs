//! `cargo xtask screenshots`: the pictures of docs/images, made by the application itself.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::build;
use crate::environment::TestEnvironment;
use crate::packages::{self, Purpose};
use crate::process;
use crate::report::{Outcome, Report};

/// One picture: its file in docs/images, what it shows, and the theme.
struct Picture {
    file: &'static str,
    /// Arguments of `crossover screenshot`.
    shows: &'static [&'static str],
    theme: &'static str,
}

/// A file of cases, and the folder with their plans, which `plans.py` beside it makes.
const CASES: &str = "scenarios/truth/aws-l4.csv";
const PLANS: &str = "scenarios/truth/plans";

/// A folder of results of a made-up organisation, and how many applications it has; an example of the crate of fleets writes it.
const ORGANISATION: &str = "target/spark-history";
const APPLICATIONS: &str = "312";

/// A log that comes with the program, and the query of it that is shown.
const LOG: &str = "plan/samples/spark/shop-eventlog.zstd";
const QUERY_ID: &str = "6";
/// The scenario of this query, and the same after a trial; `crossover import` makes the first.
const QUERY: &str = "target/picture-query.ron";
const TRIED: &str = "target/picture-trial.ron";
/// The beginning of the inputs of a decision in a scenario, and the trial that is added there.
const DECISION: &str = "decision: Some((";
const TRIAL: &str = r#"trial: Some((file: "shop-on-comet.zstd", query: "6", option: "Comet 0.17.0 on Spark 3.5.8, same machines", seconds: 5.2)),"#;

/// Width and height of every picture, in points.
const SIZE: &str = "1280x800";

const PICTURES: [Picture; 18] = [
    Picture { file: "placement-light.png", shows: &["scenarios/placement-published.ron"], theme: "light" },
    Picture { file: "placement-dark.png", shows: &["scenarios/placement-published.ron"], theme: "dark" },
    Picture { file: "plan-light.png", shows: &["scenarios/placement-spark.ron"], theme: "light" },
    Picture { file: "plan-dark.png", shows: &["scenarios/placement-spark.ron"], theme: "dark" },
    Picture { file: "regulation-light.png", shows: &["scenarios/regulation-published.ron"], theme: "light" },
    Picture { file: "truth-light.png", shows: &["--page", "truth", "--cases", CASES], theme: "light" },
    Picture { file: "fleet-light.png", shows: &["--page", "fleet", "--results", ORGANISATION], theme: "light" },
    Picture { file: "allocation-light.png", shows: &["scenarios/allocation-shared.ron"], theme: "light" },
    Picture { file: "probe.png", shows: &["scenarios/probe-centres.ron"], theme: "light" },
    Picture { file: "preemption.png", shows: &["scenarios/preemption-rodinia.ron"], theme: "light" },
    Picture { file: "regulation-dark.png", shows: &["scenarios/regulation-published.ron"], theme: "dark" },
    Picture { file: "start-light.png", shows: &["--page", "start"], theme: "light" },
    Picture { file: "what-light.png", shows: &["--page", "what"], theme: "light" },
    Picture { file: "where-light.png", shows: &[QUERY, "--page", "where"], theme: "light" },
    Picture { file: "answer-light.png", shows: &[QUERY], theme: "light" },
    Picture { file: "answer-dark.png", shows: &[QUERY], theme: "dark" },
    Picture { file: "answer-trial-light.png", shows: &[TRIED], theme: "light" },
    Picture { file: "answer-trial-dark.png", shows: &[TRIED], theme: "dark" },
];

/// Builds the application and renders every picture, with the renderer the tests use.
pub(crate) fn run(root: &Path) -> Result<Report> {
    let missing = packages::bring();
    let environment = TestEnvironment::new()?;
    build::programs(root)?;
    fs::create_dir_all(root.join("docs/images")).context("docs/images cannot be made")?;

    if !root.join(ORGANISATION).exists() {
        process::run(
            Command::new(build::example(root, "organisation")).current_dir(root).args([ORGANISATION, APPLICATIONS]),
        )?;
    }

    queries(root)?;

    let mut report = Report::new(root);
    for picture in &PICTURES {
        report.check(picture.file, || match missing.reason_for(&[Purpose::Rendering]) {
            Some(reason) => Outcome::CouldNotRun(reason),
            None if picture.shows.contains(&CASES) && !root.join(PLANS).exists() => {
                Outcome::CouldNotRun(format!("{PLANS} is not there; scenarios/truth/plans.py makes it"))
            }
            None => render(root, &environment, picture).into(),
        });
    }
    Ok(report)
}

/// Makes the scenarios of the query of the log.
fn queries(root: &Path) -> Result<()> {
    let mut import = Command::new(build::application(root));
    import.current_dir(root).args(["import", "spark-log", LOG, "--query", QUERY_ID]);
    // The number is not the default, so that the scenario has the part `decision`.
    import.args(["--set", "decision.runs_per_month=3000", "--out", QUERY]);
    process::run(&mut import)?;
    let text = fs::read_to_string(root.join(QUERY)).with_context(|| format!("{QUERY} was not written"))?;
    ensure!(text.contains(DECISION), "{QUERY}: expected “{DECISION}”");
    let tried = text.replacen(DECISION, &format!("{DECISION}{TRIAL}"), 1);
    fs::write(root.join(TRIED), tried).with_context(|| format!("{TRIED} cannot be written"))
}

fn render(root: &Path, environment: &TestEnvironment, picture: &Picture) -> Result<String> {
    let file = Path::new("docs/images").join(picture.file);
    let mut command = Command::new(build::application(root));
    command.current_dir(root).arg("screenshot").args(picture.shows).arg("--out").arg(&file);
    command.args(["--size", SIZE, "--scale", "1", "--theme", picture.theme]);
    process::run(environment.apply(&mut command))?;
    let length = fs::metadata(root.join(&file)).with_context(|| format!("{} was not written", file.display()))?.len();
    ensure!(length > 0, "{} is empty", file.display());
    Ok(format!("{} kB", length.div_ceil(1000)))
}
