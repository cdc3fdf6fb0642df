//! `cargo xtask screenshots`: pictures of every page in every look, made by the application itself; some are in docs/images.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::build;
use crate::environment::TestEnvironment;
use crate::packages::{self, Purpose};
use crate::process;
use crate::report::{Outcome, Report};

/// A page or a step, and how the application shows it.
struct Subject {
    /// Name of its pictures.
    name: &'static str,
    /// Arguments of `crossover screenshot`.
    shows: &'static [&'static str],
}

/// The folder with all pictures.
const PICTURES: &str = "target/screenshots";
/// Those of every subject, written by one window: colours, size in points, pixels per point.
const LOOKS: [&str; 6] =
    ["light-1280x800", "dark-1280x800", "light-1920x1080", "dark-1920x1080", "light-1280x800@2", "light-800x600"];

/// A file of cases, and the folder with their plans, which `plans.py` beside it makes.
const CASES: &str = "scenarios/truth/aws-l4.csv";
const PLANS: &str = "scenarios/truth/plans";
/// A measurement that comes with the program.
const MEASUREMENT: &str = "gpu-bench/results/nvidia-h100-80gb-hbm3-2026-11-27-quick.json";

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

const PUBLISHED: &str = "scenarios/placement-published.ron";
const SPARK: &str = "scenarios/placement-spark.ron";
const REGULATION: &str = "scenarios/regulation-published.ron";

const fn of(name: &'static str, shows: &'static [&'static str]) -> Subject {
    Subject { name, shows }
}

/// Every page and every step.
static SUBJECTS: [Subject; 31] = [
    of("start", &["--page", "start"]),
    of("what", &["--page", "what"]),
    of("where", &[QUERY, "--page", "where"]),
    of("answer", &[QUERY]),
    of("answer-trial", &[TRIED]),
    of("answer-application", &[LOG, "--page", "answer"]),
    of("query-plan", &[QUERY, "--page", "plan"]),
    of("query-curves", &[QUERY, "--page", "curves"]),
    of("query-run", &[QUERY, "--page", "run"]),
    of("placement", &[PUBLISHED]),
    of("plan", &[SPARK]),
    of("curves", &[SPARK, "--page", "curves"]),
    of("regulation", &[REGULATION]),
    of("regulation-gains", &[REGULATION, "--page", "gains"]),
    of("regulation-monitor", &[REGULATION, "--page", "monitor"]),
    of("allocation", &["scenarios/allocation-shared.ron"]),
    of("probe", &["scenarios/probe-centres.ron"]),
    of("preemption", &["scenarios/preemption-rodinia.ron"]),
    of("fleet", &["--page", "fleet", "--results", ORGANISATION]),
    of("fleet-empty", &["--page", "fleet"]),
    of("sweep", &[PUBLISHED, "--page", "sweep"]),
    of("map", &[PUBLISHED, "--page", "map"]),
    of("compare", &[PUBLISHED, "--page", "compare"]),
    of("uncertainty", &[PUBLISHED, "--page", "uncertainty"]),
    of("search", &[PUBLISHED, "--page", "search"]),
    of("truth", &["--page", "truth", "--cases", CASES]),
    of("fit", &["--page", "fit", "--cases", CASES]),
    of("replay", &["--page", "replay"]),
    of("train", &["--page", "train"]),
    of("calibrate", &["--page", "calibrate", "--report", MEASUREMENT]),
    of("help", &[PUBLISHED, "--page", "help"]),
];

/// The pictures of docs/images: file, subject and look.
const DOCUMENTED: [(&str, &str, &str); 11] = [
    ("placement-light.png", "placement", "light-1280x800"),
    ("placement-dark.png", "placement", "dark-1280x800"),
    ("plan-light.png", "plan", "light-1280x800"),
    ("plan-dark.png", "plan", "dark-1280x800"),
    ("regulation-light.png", "regulation", "light-1280x800"),
    ("regulation-dark.png", "regulation", "dark-1280x800"),
    ("truth-light.png", "truth", "light-1280x800"),
    ("fleet-light.png", "fleet", "light-1280x800"),
    ("allocation-light.png", "allocation", "light-1280x800"),
    ("probe.png", "probe", "light-1280x800"),
    ("preemption.png", "preemption", "light-1280x800"),
];

/// Builds the application and draws every picture, with the renderer the tests use. `only`: the subjects whose names begin so.
pub(crate) fn run(root: &Path, only: Option<&str>) -> Result<Report> {
    let subjects = wanted(only)?;
    let missing = packages::bring();
    let environment = TestEnvironment::new()?;
    build::programs(root)?;
    for folder in [PICTURES, "docs/images"] {
        fs::create_dir_all(root.join(folder)).with_context(|| format!("{folder} cannot be made"))?;
    }

    let reads = |file: &str| subjects.iter().any(|subject| subject.shows.contains(&file));
    if reads(ORGANISATION) && !root.join(ORGANISATION).exists() {
        process::run(
            Command::new(build::example(root, "organisation")).current_dir(root).args([ORGANISATION, APPLICATIONS]),
        )?;
    }
    if reads(QUERY) || reads(TRIED) {
        queries(root)?;
    }

    let mut report = Report::new(root);
    for subject in subjects {
        report.check(subject.name, || match missing.reason_for(&[Purpose::Rendering]) {
            Some(reason) => Outcome::CouldNotRun(reason),
            None if subject.shows.contains(&CASES) && !root.join(PLANS).exists() => {
                Outcome::CouldNotRun(format!("{PLANS} is not there; scenarios/truth/plans.py makes it"))
            }
            None => draw(root, &environment, subject).into(),
        });
    }
    Ok(report)
}

/// The subjects whose names begin so; all without a beginning.
fn wanted(only: Option<&str>) -> Result<Vec<&'static Subject>> {
    let found: Vec<&Subject> =
        SUBJECTS.iter().filter(|subject| subject.name.starts_with(only.unwrap_or_default())).collect();
    let names = || SUBJECTS.iter().map(|subject| subject.name).collect::<Vec<_>>().join(", ");
    ensure!(!found.is_empty(), "no page begins with “{}”; pages: {}", only.unwrap_or_default(), names());
    Ok(found)
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

/// The file of a subject in a look.
fn file(name: &str, look: &str) -> PathBuf {
    Path::new(PICTURES).join(format!("{name}-{look}.png"))
}

/// Draws all looks of a subject in one window, prints the files, and copies those of docs/images.
fn draw(root: &Path, environment: &TestEnvironment, subject: &Subject) -> Result<String> {
    let out = Path::new(PICTURES).join(format!("{}.png", subject.name));
    let mut command = Command::new(build::application(root));
    command.current_dir(root).arg("screenshot").args(subject.shows).arg("--out").arg(&out);
    command.args(["--looks", &LOOKS.join(",")]);
    process::run(environment.apply(&mut command))?;
    let mut bytes = 0;
    for look in LOOKS {
        let file = file(subject.name, look);
        let written = fs::metadata(root.join(&file)).with_context(|| format!("{} was not written", file.display()))?;
        ensure!(written.len() > 0, "{} is empty", file.display());
        bytes += written.len();
        eprintln!("{}", file.display());
    }
    for (image, _, look) in DOCUMENTED.into_iter().filter(|(_, name, _)| *name == subject.name) {
        let image = Path::new("docs/images").join(image);
        fs::copy(root.join(file(subject.name, look)), root.join(&image))
            .with_context(|| format!("{} cannot be written", image.display()))?;
        eprintln!("{}", image.display());
    }
    Ok(format!("{} pictures, {} kB", LOOKS.len(), bytes.div_ceil(1000)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn text(path: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        fs::read_to_string(root.join(path)).expect(path)
    }

    /// The pages of `--page`, as the help of the application lists them.
    fn pages() -> Vec<String> {
        let help = text("app/tests/command_line/help.txt");
        let (_, help) = help.split_once("$ crossover screenshot --help").expect("its help");
        let (_, help) = help.split_once("Possible values:").expect("its pages");
        let lines = help.lines().skip(1).map(str::trim).take_while(|line| !line.is_empty());
        let names = lines.filter_map(|line| line.strip_prefix("- ")?.split_once(':'));
        names.map(|(name, _)| name.to_owned()).collect()
    }

    #[test]
    fn every_page_of_the_application_has_pictures() {
        let pages = pages();
        assert!(pages.iter().any(|page| page == "start"), "{pages:?}");
        for page in pages {
            let has_page = |subject: &Subject| {
                subject.shows.windows(2).any(|pair| pair == ["--page", page.as_str()])
                    || page == "answer" && subject.name == "answer"
            };
            assert!(SUBJECTS.iter().any(has_page), "no picture of --page {page}");
        }
    }

    #[test]
    fn every_kind_of_study_has_pictures() {
        for kind in ["placement", "regulation", "allocation", "probe", "preemption"] {
            let is_its = |file: &&str| file.starts_with(&format!("scenarios/{kind}-"));
            assert!(SUBJECTS.iter().any(|subject| subject.shows.first().is_some_and(is_its)), "{kind}");
        }
    }

    #[test]
    fn pictures_have_names_of_their_own_and_both_themes_have_both_sizes() {
        let names: BTreeSet<&str> = SUBJECTS.iter().map(|subject| subject.name).collect();
        assert_eq!(names.len(), SUBJECTS.len());
        for theme in ["light", "dark"] {
            for size in ["1280x800", "1920x1080"] {
                assert!(LOOKS.contains(&format!("{theme}-{size}").as_str()), "{theme} {size}");
            }
        }
        assert!(LOOKS.contains(&"light-1280x800@2") && LOOKS.contains(&"light-800x600"));
    }

    #[test]
    fn every_picture_of_the_documents_is_made_here() {
        for document in ["README.md", "docs/WORKBENCH.md", "docs/DECIDE-SPARK.md", "docs/FLEET.md", "docs/REGULATE.md"]
        {
            for named in text(document).split("images/").skip(1) {
                let name = named.split(')').next().unwrap_or_default();
                let is_made = DOCUMENTED.iter().any(|(file, ..)| *file == name);
                let is_drawing = Path::new(name).extension().is_some_and(|extension| extension == "svg");
                assert!(is_made || is_drawing, "{document}: {name}");
            }
        }
        for (file, subject, look) in DOCUMENTED {
            assert!(SUBJECTS.iter().any(|one| one.name == subject) && LOOKS.contains(&look), "{file}");
        }
    }

    #[test]
    fn pages_are_chosen_by_the_beginning_of_their_names() {
        let names = |only: &str| wanted(Some(only)).unwrap().iter().map(|subject| subject.name).collect::<Vec<_>>();
        assert_eq!(names("answer"), ["answer", "answer-trial", "answer-application"]);
        assert_eq!(names("map"), ["map"]);
        assert_eq!(wanted(None).unwrap().len(), SUBJECTS.len());
        let message = wanted(Some("nothing")).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.starts_with("no page begins with “nothing”; pages: start, what"), "{message}");
    }
}
