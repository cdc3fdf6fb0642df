//! The command that the window prints has the inputs of the window, and decides the same.

use std::path::Path;

use clap::Parser;
use crossover_decision::{Decision, Goal, PriceBasis, TimeLimit};
use crossover_export::arguments::DecideArguments;
use crossover_page::catalogue::shipped as catalogue;
use crossover_placement::{CandidateCluster, Placement, Side};
use crossover_placement_page::{decide_arguments, enter_todays_machines, on_instance};
use crossover_plan::decide::{decision, objective};
use crossover_plan::history::Histories;
use crossover_plan::{Control, Import, spark};
use crossover_quantity::catalogue::{Catalogue, Instance};

use super::{DecideOptions, Question, decide_log};
use crate::shipped;
use crate::whole::DECIDE;

/// What the user does in the window.
type Edit = fn(&mut Placement, &Catalogue);

const GOALS: [Edit; 6] = [
    |_, _| {},
    |study, _| study.edit_decision(|inputs| inputs.time_limit = 0.1 + 0.2),
    |study, _| study.edit_decision(|inputs| inputs.set_limit(TimeLimit::Seconds(5.25))),
    |study, _| study.edit_decision(|inputs| inputs.goal = Goal::Time),
    |study, _| {
        study.edit_decision(|inputs| {
            inputs.goal = Goal::Time;
            inputs.budget_usd = Some(0.012_345_678_9);
        });
    },
    |study, _| {
        study.edit_decision(|inputs| {
            inputs.goal = Goal::ParetoFront;
            // Limits of the other goals are kept, and have no effect.
            inputs.time_limit = 3.0;
            inputs.budget_usd = Some(0.01);
        });
    },
];

const AMOUNTS: [Edit; 5] = [
    |_, _| {},
    |study, _| study.edit_decision(|inputs| inputs.runs_per_month = Some(3000.0)),
    |study, _| study.edit_decision(|inputs| inputs.effort_usd = Some(1600.5)),
    |study, _| {
        study.edit_decision(|inputs| {
            inputs.runs_per_month = Some(0.5);
            inputs.effort_hours = Some(2.25);
            inputs.hourly_rate_usd = Some(90.1);
        });
    },
    |study, _| {
        study.edit_decision(|inputs| {
            inputs.effort_usd = Some(100.0);
            inputs.effort_hours = Some(1.0 / 3.0);
            inputs.hourly_rate_usd = Some(90.0);
        });
    },
];

const TODAY: [Edit; 5] = [
    |_, _| {},
    |study, _| enter_price_today(study, 1.0 / 3.0),
    |study, _| study.edit_decision(|inputs| inputs.today_price = Some(PriceBasis::Reserved)),
    |study, catalogue| enter_todays_machines(study, catalogue, instance(catalogue, "c5d.12xlarge"), 8.0),
    |study, catalogue| {
        enter_todays_machines(study, catalogue, instance(catalogue, "c5d.12xlarge"), 3.0);
        enter_price_today(study, 0.9);
        study.edit_decision(|inputs| inputs.today_price = Some(PriceBasis::Spot));
    },
];

const GPUS: [Edit; 2] = [
    |_, _| {},
    |study, _| {
        study.engines.as_mut().expect("engines").gpu.usd_per_hour = Some(0.7);
        study.sources.remove("engines.gpu.usd_per_hour");
    },
];

const CLUSTERS: [Edit; 5] = [
    |_, _| {},
    |study, catalogue| add_cluster(study, catalogue, "g6.xlarge", 16.0),
    |study, catalogue| {
        add_cluster(study, catalogue, "g6.2xlarge", 4.0);
        study.edit_decision(|inputs| {
            inputs.candidates[0].usd_per_hour = Some(0.40);
            inputs.candidates[0].price_basis = PriceBasis::Spot;
        });
    },
    // One with other GPUs than those of the measurement.
    |study, catalogue| {
        add_cluster(study, catalogue, "g6.4xlarge", 2.0);
        add_cluster(study, catalogue, "g6e.4xlarge", 1.0);
    },
    |study, catalogue| {
        add_cluster(study, catalogue, "g6.12xlarge", 1.0);
        add_cluster(study, catalogue, "g6.12xlarge", 1.0);
        study.edit_decision(|inputs| inputs.candidates[1].usd_per_hour = Some(2.0));
    },
];

#[derive(Debug, Parser)]
struct Command {
    #[command(flatten)]
    options: DecideOptions,
}

/// The arguments as the program reads them from its own command line.
fn parsed(arguments: &DecideArguments) -> DecideArguments {
    let words = ["decide", "LOG"].map(str::to_owned).into_iter().chain(arguments.words());
    let command = Command::try_parse_from(words).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    command.options.arguments()
}

fn instance<'a>(catalogue: &'a Catalogue, name: &str) -> &'a Instance {
    catalogue.instances.iter().find(|instance| instance.name == name).expect(name)
}

fn enter_price_today(study: &mut Placement, usd: f64) {
    study.engines.as_mut().expect("engines").cpu.usd_per_hour = Some(usd);
    study.sources.remove("engines.cpu.usd_per_hour");
}

/// Adds a cluster to compare, with the numbers of the catalogue.
fn add_cluster(study: &mut Placement, catalogue: &Catalogue, machine: &str, machines: f64) {
    let chosen = instance(catalogue, machine);
    let gpu = study.engines.as_deref().expect("engines").gpu.clone();
    let (numbers, _) = on_instance(&gpu, catalogue, chosen, Side::Gpu);
    let [(_, lanes), _, (_, memory), (_, network), (_, usd_per_hour)] = numbers;
    let is_measured = instance(catalogue, &gpu.machine).gpu == chosen.gpu;
    let name = study.add_candidate(CandidateCluster {
        name: "cluster".to_owned(),
        machine: machine.to_owned(),
        other_gpu: if is_measured { String::new() } else { chosen.gpu.clone() },
        machines,
        lanes: lanes.expect("GPUs"),
        network_gbit_per_s: network,
        exchange_memory_gb: memory,
        usd_per_hour,
        price_basis: PriceBasis::OnDemand,
        region: String::new(),
    });
    let path = format!("decision.candidates.{}.usd_per_hour", name.expect("a free place"));
    study.sources.insert(path, chosen.price_source());
}

fn import() -> Import {
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plan/samples/spark/shop-eventlog.zstd");
    spark::read(Path::new(log), &Control::default()).expect("a log")
}

/// The study that the window has after it opened query 6.
fn opened(import: &Import) -> Placement {
    let base = shipped::base().expect("shipped engines");
    let query = import.queries.iter().find(|query| query.id == "6").expect("query 6");
    let scenario = base.of_engine(&import.engine).expect("Spark").scenario_of(import, query);
    scenario.placement().expect("a placement study").clone()
}

#[test]
fn every_combination_of_inputs_is_on_the_command_line() {
    let catalogue = catalogue().expect("a catalogue");
    let study = opened(&import());
    for goal in GOALS {
        for amount in AMOUNTS {
            for today in TODAY {
                for gpus in GPUS {
                    for clusters in CLUSTERS {
                        let mut study = study.clone();
                        for edit in [goal, amount, today, gpus, clusters] {
                            edit(&mut study, &catalogue);
                        }
                        let found = decide_arguments(&study, true);
                        assert_eq!(found.left_out, [""; 0], "{found:?}");
                        assert_eq!(found.query.as_deref(), Some("6"));
                        let read = parsed(&found);
                        assert_eq!(read, found);
                        // A limit or a budget of another goal has no effect.
                        let mut wanted = objective(&study);
                        wanted.budget_usd = wanted.budget_usd.filter(|_| wanted.goal == Goal::Time);
                        wanted.time_limit =
                            if wanted.goal == Goal::Cost { wanted.time_limit } else { TimeLimit::TODAY };
                        assert_eq!(read.objective(), wanted, "{found:?}");
                    }
                }
            }
        }
    }
}

/// What is recommended, and the numbers of each option.
fn assert_same(one: &Decision, other: &Decision, about: &DecideArguments) {
    assert_eq!((one.verdict, one.best), (other.verdict, other.best), "{about:?}");
    let numbers = |decision: &Decision| -> Vec<Option<f64>> {
        let of_options = decision.options.iter().flat_map(|option| {
            let time = option.candidate.time.map(|time| time.value());
            [time, option.usd.map(|usd| usd.value), option.better, option.saving]
        });
        let today = [Some(decision.baseline.time.value()), decision.today_usd().map(|usd| usd.value)];
        today.into_iter().chain(of_options).collect()
    };
    let [of_one, of_other] = [one, other].map(numbers);
    assert_eq!(of_one.len(), of_other.len(), "{about:?}");
    for pair in of_one.into_iter().zip(of_other) {
        let is_same = match pair {
            (Some(one), Some(other)) => (one - other).abs() <= 1e-9 * one.abs().max(other.abs()),
            (one, other) => one.is_none() && other.is_none(),
        };
        assert!(is_same, "{pair:?}: {about:?}");
    }
}

#[test]
fn the_command_decides_as_the_window() {
    let (import, base) = (import(), shipped::base().expect("shipped engines"));
    let catalogue = catalogue().expect("a catalogue");
    for place in 0..GOALS.len() {
        let mut study = opened(&import);
        // Each edit of a list meets others.
        let edits = [
            GOALS[place],
            AMOUNTS[(place + 1) % AMOUNTS.len()],
            TODAY[(place + 2) % TODAY.len()],
            GPUS[place % GPUS.len()],
            CLUSTERS[place % CLUSTERS.len()],
        ];
        for edit in edits {
            edit(&mut study, &catalogue);
        }
        for is_about_query in [false, true] {
            let arguments = parsed(&decide_arguments(&study, is_about_query));
            let of_command = decide_log(&import, &base, &Question::new(&arguments), &Histories::default());
            let of_command = of_command.expect("a decision").decision.expect("a prediction");
            let of_window = if is_about_query {
                decision(&study)
            } else {
                (DECIDE.report)(&import, &study).and_then(|decided| decided.decision)
            };
            assert_same(&of_window.expect("a decision"), &of_command, &arguments);
        }
    }
}

#[test]
fn what_no_option_carries_is_named() {
    let catalogue = catalogue().expect("a catalogue");
    let study = opened(&import());
    let cases: [(Edit, &str); 10] = [
        (
            |study, _| study.edit_decision(|inputs| inputs.today_region = "eu-west-1".to_owned()),
            "the price region of today’s machines",
        ),
        (
            |study, _| {
                study.engines.as_mut().expect("engines").cpu.lanes += 1.0;
                study.sources.remove("engines.cpu.lanes");
            },
            "the cores of today’s machines",
        ),
        (
            |study, _| study.engines.as_mut().expect("engines").cpu.usd_per_hour = None,
            "the missing price of today’s machines",
        ),
        (|study, _| enter_price_today(study, 0.0), "the price of 0 of today’s machines"),
        (
            |study, _| study.engines.as_mut().expect("engines").gpu.network_gbit_per_s += 1.0,
            "the network of the measured GPU cluster",
        ),
        (
            |study, catalogue| {
                add_cluster(study, catalogue, "g6.xlarge", 4.0);
                study.edit_decision(|inputs| inputs.candidates[0].lanes = 2.0);
            },
            "the GPUs of “cluster”",
        ),
        (
            |study, catalogue| {
                add_cluster(study, catalogue, "g6.xlarge", 4.0);
                study.edit_decision(|inputs| inputs.candidates[0].region = "eu-west-1".to_owned());
            },
            "the price region of “cluster”",
        ),
        // The price of the GPU machines would be that of this cluster, too.
        (
            |study, catalogue| {
                GPUS[1](study, catalogue);
                add_cluster(study, catalogue, "g2-standard-16", 2.0);
            },
            "the missing price of “cluster”",
        ),
        (|study, _| study.engines.as_mut().expect("engines").gpu.work_ratio += 1.0, "numbers of the engines"),
        (|study, _| study.engines.as_mut().expect("engines").measured_seconds = Some(1234.5), "the measured time"),
    ];
    for (edit, expected) in cases {
        let mut study = study.clone();
        edit(&mut study, &catalogue);
        let found = decide_arguments(&study, true);
        assert_eq!(found.left_out, [expected], "{found:?}");
        // What it carries is still read.
        assert_eq!(DecideArguments { left_out: found.left_out.clone(), ..parsed(&found) }, found);
    }
}

#[test]
fn typed_arguments_are_those_of_the_command() {
    let again = |asked: &[&str]| {
        let command = Command::try_parse_from([&["decide", "LOG"][..], asked].concat()).expect("arguments");
        command.options.arguments().words()
    };
    let asked = ["--query", "1", "--on", "4xg6.2xlarge@0.4", "--least", "time", "--budget", "0.01"];
    assert_eq!(again(&asked), asked);
    let asked = ["--within", "10s", "--runs-per-month", "2000..4000", "--effort", "40h", "--hourly-rate", "90"];
    assert_eq!(again(&asked), asked);
    let asked = ["--today", "8xc5d.12xlarge", "--price-gpu", "0.8/gpu:spot", "--date", "2026-11-26"];
    assert_eq!(again(&asked), asked);
    assert_eq!(again(&["--trial", "TRIAL_LOG", "--format", "json"]), [""; 0]);
    assert_eq!(again(&["--base", "my scenario.ron"]), ["--base", "my scenario.ron"]);
    assert_eq!(again(&["--query=-1"]), ["--query=-1"]);
}
