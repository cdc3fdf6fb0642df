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

/// Width and height of every picture, in points.
const SIZE: &str = "1280x800";

const PICTURES: [Picture; 11] = [
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
