//! Random valid studies.

use crossover_quantity::provenance::Sources;
use crossover_quantity::quantity::Quantity;
use crossover_regulation::gain_table::{CELLS, GainTable};
use crossover_regulation::pid::Gains;
use crossover_regulation::{
    Actuator, ActuatorMode, Actuators, Band, Cluster, Concurrency, Controller, CurvePoint, Demand, Derivative, Form,
    Fuzzy, Integration, Manager, Measurement, Policy, Power, PowerLaw, PrecisionLevel, Regulation, Run, Schedule,
    ServeOrder, Shape, Voltage,
};
use crossover_scenario::{Scenario, Study};
use proptest::prelude::*;

/// A value of a quantity's whole range: its ends, and values evenly spread over its decades.
pub(super) fn any_of(quantity: Quantity) -> BoxedStrategy<f64> {
    let Quantity { min, max, whole, .. } = quantity;
    let spread = (min.max(1e-6).ln()..=max.ln()).prop_map(move |u| {
        let value = u.exp().clamp(min, max);
        if whole { value.round() } else { value }
    });
    prop_oneof![1 => Just(min), 1 => Just(max), 8 => spread].boxed()
}

/// A value between two likely ones, seldom one from the whole range.
fn likely(quantity: Quantity, low: f64, high: f64) -> BoxedStrategy<f64> {
    let whole = quantity.whole;
    let spread = (low..=high).prop_map(move |value| if whole { value.round() } else { value });
    prop_oneof![19 => spread, 1 => any_of(quantity)].boxed()
}

fn demand() -> impl Strategy<Value = Demand> {
    let shapes = [Shape::Constant, Shape::Constant, Shape::Step, Shape::Ramp, Shape::Day, Shape::Recorded];
    let level = || prop_oneof![1 => Just(0.0), 9 => likely(Demand::HIGH_TOPS, 0.0, 30_000.0)];
    let time = || likely(Demand::START_SECONDS, 0.0, 200.0);
    (
        prop::sample::select(shapes.to_vec()),
        (level(), level()),
        (time(), time()),
        likely(Demand::SECONDS_PER_VALUE, 0.5, 20.0),
        prop::collection::vec(level(), 1..20),
    )
        .prop_map(|(shape, (low_tops, high_tops), (start, end), seconds_per_value, series)| {
            let (start_seconds, end_seconds) = (start.min(end), start.max(end));
            let flat = shape == Shape::Ramp && start_seconds == end_seconds;
            Demand {
                shape: if flat { Shape::Constant } else { shape },
                low_tops,
                high_tops,
                start_seconds,
                end_seconds,
                seconds_per_value,
                series: if shape == Shape::Recorded { series.into() } else { Vec::new().into() },
            }
        })
}

/// Three values, ascending.
fn ascending(values: impl Strategy<Value = f64> + 'static) -> impl Strategy<Value = [f64; 3]> {
    let values: BoxedStrategy<f64> = values.boxed();
    (values.clone(), values.clone(), values).prop_map(|(a, b, c)| {
        let mut values = [a, b, c];
        values.sort_by(f64::total_cmp);
        values
    })
}

fn cluster(levels: usize) -> impl Strategy<Value = Cluster> {
    let work = (
        likely(Cluster::TOPS_PER_VGPU, 1.0, 200.0),
        likely(Cluster::BASE_GHZ, 0.5, 2.0),
        likely(Cluster::STEP_GHZ, 0.01, 0.3),
        likely(Cluster::PCIE_TOPS, 100.0, 30_000.0),
        likely(Cluster::WATTS_PER_VGPU, 10.0, 500.0),
        prop_oneof![2 => Just(0.0), 1 => likely(Cluster::BACKLOG_LIMIT, 0.0, 1e6)],
    );
    (
        ascending(likely(Cluster::VGPUS, 0.0, 200.0)),
        ascending(likely(Cluster::START_GHZ, 0.3, 2.5)),
        prop::collection::vec(0..levels, 3),
        work,
        demand(),
        (prop_oneof![2 => Just(1.0), 1 => 0.01..=1.0f64], voltage(), concurrency()),
    )
        .prop_map(
            |([min_vgpus, vgpus, max_vgpus], [min_ghz, start_ghz, max_ghz], mut levels, work, demand, finer)| {
                let (converted_share, voltage, concurrency) = finer;
                levels.sort_unstable();
                let level = |which: usize| format!("level {}", levels[which]);
                let (tops_per_vgpu, base_ghz, step_ghz, pcie_tops, watts_per_vgpu, backlog_limit) = work;
                Cluster {
                    name: String::new(),
                    vgpus,
                    min_vgpus,
                    max_vgpus,
                    tops_per_vgpu,
                    base_ghz,
                    start_ghz,
                    min_ghz,
                    max_ghz,
                    step_ghz,
                    precision: level(1),
                    lowest_precision: level(0),
                    highest_precision: level(2),
                    converted_share,
                    voltage,
                    concurrency,
                    pcie_tops,
                    watts_per_vgpu,
                    backlog_limit,
                    demand,
                }
            },
        )
}

fn voltage() -> impl Strategy<Value = Option<Voltage>> {
    let range = ascending(likely(Voltage::START, 0.8, 1.2));
    prop::option::of(range.prop_map(|[least, start, most]| Voltage { start, least, most }))
}

fn concurrency() -> impl Strategy<Value = Option<Concurrency>> {
    let tasks = (ascending(likely(Concurrency::START, 1.0, 8.0)), likely(Concurrency::TASK_SHARE, 0.05, 1.0));
    prop::option::of(tasks.prop_map(|([_, start, most], task_share)| Concurrency { start, most, task_share }))
}

fn gain() -> BoxedStrategy<f64> {
    prop_oneof![2 => Just(0.0), 1 => Just(1.0), 7 => likely(Controller::KP, 0.0, 3.0)].boxed()
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let errors = (0.02..0.2f64, 0.25..1.0f64, 0.001..0.2f64);
    (errors, prop::collection::vec(gain(), 10)).prop_map(|((small_error, large_error, fast_change), gains)| Schedule {
        large_error,
        small_error,
        fast_change,
        kp1: gains[0],
        kp2: gains[1],
        kp3: gains[2],
        ki1: gains[3],
        ki2: gains[4],
        ki3: gains[5],
        kd1: gains[6],
        kd2: gains[7],
        kd3: gains[8],
        kd4: gains[9],
    })
}

fn learned() -> impl Strategy<Value = GainTable> {
    let gains = (gain(), gain(), gain()).prop_map(|(kp, ki, kd)| Gains { kp, ki, kd });
    let errors = (0.02..0.2f64, 0.25..1.0f64, 0.001..0.2f64);
    (any::<u32>(), errors, prop::collection::vec(gains, CELLS)).prop_map(|(seed, errors, gains)| {
        let (small_error, large_error, fast_change) = errors;
        GainTable { seed: u64::from(seed), small_error, large_error, fast_change, gains }
    })
}

fn fuzzy() -> impl Strategy<Value = Fuzzy> {
    (0.1..1.0f64, 0.01..1.0f64, gain(), gain(), gain()).prop_map(
        |(error_range, change_range, kp_range, ki_range, kd_range)| Fuzzy {
            error_range,
            change_range,
            kp_range,
            ki_range,
            kd_range,
        },
    )
}

pub(super) fn controller() -> impl Strategy<Value = Controller> {
    let forms = [Form::P, Form::PI, Form::PD, Form::PID];
    let integrations = [Integration::InDeadZone, Integration::UnlessSaturated, Integration::Always];
    let derivatives = [Derivative::OnError, Derivative::OnMeasurement];
    (
        prop::sample::select(forms.to_vec()),
        (gain(), gain(), gain()),
        prop::sample::select(integrations.to_vec()),
        any::<bool>(),
        likely(Controller::INTEGRAL_LIMIT, 0.0, 2.0),
        prop::sample::select(derivatives.to_vec()),
        (
            prop::option::weighted(0.3, schedule()),
            prop::option::weighted(0.2, learned()),
            prop::option::weighted(0.3, fuzzy()),
        ),
    )
        .prop_map(|(form, (kp, ki, kd), integration, reset_after_action, integral_limit, derivative, tuned)| {
            let (schedule, learned, fuzzy) = tuned;
            Controller {
                name: String::new(),
                form,
                kp,
                ki,
                kd,
                integration,
                reset_after_action,
                integral_limit,
                derivative,
                schedule,
                learned,
                fuzzy,
            }
        })
}

/// A contiguous table with zero inside one row, which does not act; the other rows do anything.
fn table() -> impl Strategy<Value = Vec<Band>> {
    let acts = || (-3..=3i8, -4..=4i8, -20..=20i8);
    let half = || prop::collection::vec((0.01..0.5f64, acts()), 0..5);
    ((0.01..0.3f64, 0.01..0.3f64), half(), half()).prop_map(|((below, above), negative, positive)| {
        let band = |from, to, (precision, hundred_mhz, vgpus): (i8, i8, i8)| Band {
            from,
            to,
            precision: f64::from(precision),
            frequency_mhz: 100.0 * f64::from(hundred_mhz),
            vgpus: f64::from(vgpus),
        };
        let mut table = vec![band(-below, above, (0, 0, 0))];
        for (width, acts) in negative {
            let to = table[0].from;
            table.insert(0, band(to - width, to, acts));
        }
        for (width, acts) in positive {
            let from = table[table.len() - 1].to;
            table.push(band(from, from + width, acts));
        }
        table
    })
}

fn actuators() -> impl Strategy<Value = Actuators> {
    let order = prop::sample::subsequence(Actuator::ALL.to_vec(), 1..=Actuator::ALL.len()).prop_shuffle();
    let modes = [ActuatorMode::InOrder, ActuatorMode::Together];
    (prop::sample::select(modes.to_vec()), order).prop_map(|(mode, order)| Actuators { mode, order })
}

fn manager() -> impl Strategy<Value = Manager> {
    let orders = [ServeOrder::LargestFirst, ServeOrder::AsListed, ServeOrder::Rotating];
    (
        prop_oneof![Just(0.0), likely(Manager::SPARE_VGPUS, 0.0, 100.0)],
        prop_oneof![2 => Just(0.0), 1 => likely(Manager::DELAY_PERIODS, 0.0, 10.0)],
        likely(Manager::MOST_PER_PERIOD, 1.0, 20.0),
        prop::sample::select(orders.to_vec()),
        0.0..=1.0f64,
    )
        .prop_map(|(spare_vgpus, delay_periods, most_per_period, order, pool_power_share)| Manager {
            spare_vgpus,
            delay_periods,
            most_per_period,
            order,
            pool_power_share,
        })
}

fn power() -> impl Strategy<Value = Power> {
    let laws = [PowerLaw::Linear, PowerLaw::Square, PowerLaw::Cube, PowerLaw::Measured];
    let points = prop::collection::vec((0.05..0.5f64, 0.0..3.0f64), 2..6);
    (prop::sample::select(laws.to_vec()), points, 0.0..=1.0f64, 0.0..1.0f64).prop_map(
        |(law, steps, idle_share, price_per_kwh)| {
            let mut frequency_ratio = 0.0;
            let curve = steps.into_iter().map(|(step, power_ratio)| {
                frequency_ratio += step;
                CurvePoint { frequency_ratio, power_ratio }
            });
            let curve = if law == PowerLaw::Measured { curve.collect() } else { Vec::new() };
            Power { law, curve, idle_share, price_per_kwh }
        },
    )
}

fn run() -> impl Strategy<Value = Run> {
    (likely(Run::PERIOD_SECONDS, 0.1, 600.0), 10..200u32, 0.01..=1.0f64, 0.01..=1.0f64, any::<u16>()).prop_map(
        |(period_seconds, periods, averaged, light_share, seed)| Run {
            period_seconds,
            periods: f64::from(periods),
            average_periods: (f64::from(periods) * averaged).ceil(),
            light_share,
            seed: f64::from(seed),
        },
    )
}

fn measurement() -> impl Strategy<Value = Measurement> {
    let noise_share = prop_oneof![3 => Just(0.0), 1 => 0.0..0.2f64];
    let delay_periods = prop_oneof![3 => Just(0.0), 1 => likely(Measurement::DELAY_PERIODS, 0.0, 8.0)];
    (noise_share, delay_periods).prop_map(|(noise_share, delay_periods)| Measurement { noise_share, delay_periods })
}

/// Any valid study: every shape of demand, form, actuator, order and law, with likely numbers and now and then an
/// extreme one.
pub(super) fn study() -> impl Strategy<Value = Regulation> {
    let precisions = prop::collection::vec((0.05..4.0f64, 0.2..4.0f64), 1..5);
    let lists = precisions.prop_flat_map(|precisions| {
        let levels = precisions.len();
        (prop::collection::vec(cluster(levels), 1..5), prop::collection::vec(controller(), 1..4), Just(precisions))
    });
    (run(), lists, table(), actuators(), manager(), measurement(), power()).prop_map(
        |(run, (mut clusters, mut controllers, precisions), table, actuators, manager, measurement, power)| {
            for (index, cluster) in clusters.iter_mut().enumerate() {
                cluster.name = format!("cluster {index}");
            }
            for (index, controller) in controllers.iter_mut().enumerate() {
                controller.name = format!("controller {index}");
            }
            let level = |(index, (compute_factor, transfer_factor))| {
                let name = format!("level {index}");
                PrecisionLevel { name, compute_factor, transfer_factor, note: String::new() }
            };
            Regulation {
                run,
                policy: Policy { controller: controllers[0].name.clone() },
                clusters,
                controllers,
                table,
                actuators,
                precisions: precisions.into_iter().enumerate().map(level).collect(),
                manager,
                measurement,
                power,
                sources: Sources::default(),
                bill: None,
                uncertain: std::collections::BTreeMap::default(),
            }
        },
    )
}

/// A scenario around a study.
pub(super) fn scenario(study: Regulation) -> Scenario {
    Scenario::new("any", "", Study::Regulation(study))
}
