//! A roofline: estimates times from operations and bytes alone, where there are no measurements.
//!
//! time = Σ count · (max(flops / (peak · c), bytes / (bandwidth · m)) + launch), after Williams, Waterman and Patterson,
//! Roofline, CACM 52(4), 2009. c and m are the shares of the peak rates that operators reach, [`Efficiency`].

use crossover_quantity::text::counted;
use thiserror::Error;

/// Label of an estimate wherever it is shown.
pub const LABEL: &str = "estimated by a roofline, not by a network trained on measurements";
/// Floating-point operations per byte at which [`Efficiency::compute`] holds: about a V100 in single precision.
const USUAL_BALANCE: f64 = 20.0;
/// Largest operations, bytes or launches of an operator, and largest rate per second.
const LARGEST: f64 = 1e24;
/// Start of the fit.
const START: Efficiency = Efficiency { compute: 0.75, balance_exponent: 0.0, memory: 0.75, launch_seconds: 5e-6 };
/// Steps of the fit; it converges after about a hundred.
const STEPS: usize = 300;

/// Peak rates of a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    /// Name.
    pub name: String,
    /// Peak floating-point operations per second, in the precision and on the units (tensor cores or not) that the task uses.
    pub flops_per_s: f64,
    /// Peak bandwidth of its memory, bytes per second.
    pub bytes_per_s: f64,
}

/// Operators of equal size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operator {
    /// Number of operators.
    pub count: f64,
    /// Floating-point operations of one; 2·m·n·k for a product of matrices.
    pub flops: f64,
    /// Bytes that one reads from and writes to the device's memory.
    pub bytes: f64,
}

/// Shares of the peak rates of a device that operators reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Efficiency {
    /// Share of the peak operations per second on a device with 20 FLOP per byte of bandwidth.
    pub compute: f64,
    /// How this share changes with the device: it is multiplied by (balance / 20)^this, balance = peak operations per byte of
    /// peak bandwidth. Below 0: units that the memory cannot feed, or that the power limit slows down, reach less.
    pub balance_exponent: f64,
    /// Share of the peak bandwidth.
    pub memory: f64,
    /// Time between two operators, seconds.
    pub launch_seconds: f64,
}

impl Default for Efficiency {
    /// Fitted by [`fit`] to 135 measured latencies of transformers in single precision, inference and training, on 11 types
    /// of GPUs of NVIDIA and AMD (`NeuSight`, ASPLOS 2025, <https://github.com/sitar-lab/NeuSight>).
    fn default() -> Self {
        Self { compute: 0.67, balance_exponent: -0.41, memory: 0.86, launch_seconds: 9.3e-6 }
    }
}

impl Efficiency {
    /// Peak rates, without launch time: the lower bound of a time.
    pub const PEAK: Self = Self { compute: 1.0, balance_exponent: 0.0, memory: 1.0, launch_seconds: 0.0 };

    /// Shares of the peak operations and of the peak bandwidth that are reached on a device.
    fn on(&self, device: &Device) -> [f64; 2] {
        let balance = device.flops_per_s / device.bytes_per_s;
        let compute = self.compute * (balance / USUAL_BALANCE).powf(self.balance_exponent);
        [compute.clamp(1e-6, 1.0), self.memory.clamp(1e-6, 1.0)]
    }
}

/// Estimate for a task on a device; see [`LABEL`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Execution time, seconds.
    pub seconds: f64,
    /// Part of it in which the compute units work at the rate they reach, percent.
    pub compute_percent: f64,
    /// Part of it in which the memory works at the rate it reaches, percent.
    pub memory_percent: f64,
}

/// A measured task, to fit efficiencies to.
#[derive(Debug, Clone, Copy)]
pub struct Measured<'a> {
    /// Device on which it ran.
    pub device: &'a Device,
    /// Its operators.
    pub operators: &'a [Operator],
    /// Measured time, seconds.
    pub seconds: f64,
}

/// Why there is no estimate; a sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NoEstimate(String);

/// The time and the utilisation of a task on a device.
///
/// # Errors
/// [`NoEstimate`]: a number outside its range, or a task without operators.
pub fn estimate(device: &Device, operators: &[Operator], efficiency: &Efficiency) -> Result<Estimate, NoEstimate> {
    check(device, operators, efficiency)?;
    let [seconds, compute, memory] = times(device, operators, efficiency);
    if seconds <= 0.0 {
        return Err(NoEstimate(
            "the task has no operation and no byte; enter operations or bytes of its operators".to_owned(),
        ));
    }
    Ok(Estimate { seconds, compute_percent: 100.0 * compute / seconds, memory_percent: 100.0 * memory / seconds })
}

/// The whole time, and the times in which compute units and memory are busy; seconds.
fn times(device: &Device, operators: &[Operator], efficiency: &Efficiency) -> [f64; 3] {
    let [compute_share, memory_share] = efficiency.on(device);
    operators.iter().fold([0.0; 3], |[seconds, compute, memory], operator| {
        let of_compute = operator.flops / (device.flops_per_s * compute_share);
        let of_memory = operator.bytes / (device.bytes_per_s * memory_share);
        let one = of_compute.max(of_memory) + efficiency.launch_seconds;
        [seconds + operator.count * one, compute + operator.count * of_compute, memory + operator.count * of_memory]
    })
}

fn check(device: &Device, operators: &[Operator], efficiency: &Efficiency) -> Result<(), NoEstimate> {
    let rates = [("operations per second", device.flops_per_s), ("bytes per second", device.bytes_per_s)];
    if let Some((what, rate)) = rates.into_iter().find(|(_, rate)| !(1.0..=LARGEST).contains(rate)) {
        return Err(NoEstimate(format!("{}: {what} are {rate}; expected 1 to {LARGEST:e}", device.name)));
    }
    let sizes = |operator: &Operator| [operator.count, operator.flops, operator.bytes];
    let bad = operators.iter().position(|operator| !sizes(operator).iter().all(|size| (0.0..=LARGEST).contains(size)));
    if let Some(place) = bad {
        let problem = format!("operator {}: expected count, operations and bytes from 0 to {LARGEST:e}", place + 1);
        return Err(NoEstimate(problem));
    }
    let Efficiency { compute, balance_exponent, memory, launch_seconds } = efficiency;
    let shares = [*compute, *memory].iter().all(|share| *share > 0.0 && *share <= 10.0);
    if !shares || !(-10.0..=10.0).contains(balance_exponent) || !(0.0..=1.0).contains(launch_seconds) {
        let problem = "efficiency: expected shares of compute and memory above 0, an exponent from -10 to 10 and a launch \
                       from 0 to 1 s";
        return Err(NoEstimate(problem.to_owned()));
    }
    Ok(())
}

/// Efficiencies with the smallest mean |ln(estimated / measured)| over measured tasks, to estimate devices without measurements.
/// If all devices have the same balance, the exponent keeps its default.
///
/// # Errors
/// [`NoEstimate`]: fewer than 4 tasks, or a number outside its range.
pub fn fit(measured: &[Measured<'_>]) -> Result<Efficiency, NoEstimate> {
    if measured.len() < 4 {
        let problem =
            format!("{}; at least 4 are needed to fit 4 efficiencies", counted(measured.len() as f64, "measured task"));
        return Err(NoEstimate(problem));
    }
    for (place, Measured { device, operators, seconds }) in measured.iter().enumerate() {
        check(device, operators, &START)?;
        if !(1e-9..=3.2e9).contains(seconds) || times(device, operators, &START)[0] <= 0.0 {
            let problem = format!("task {}: {seconds} s measured; expected 1e-9 to 3.2e9, and operators", place + 1);
            return Err(NoEstimate(problem));
        }
    }
    let balances = || measured.iter().map(|task| task.device.flops_per_s / task.device.bytes_per_s);
    let [least, most] =
        balances().fold([f64::INFINITY, 0.0], |[least, most], b| [f64::min(least, b), f64::max(most, b)]);
    let efficiency = |[compute, memory, launch, exponent]: [f64; 4]| Efficiency {
        compute: compute.exp().clamp(1e-6, 10.0),
        memory: memory.exp().clamp(1e-6, 1.0),
        launch_seconds: launch.exp().min(1.0),
        balance_exponent: if most / least > 1.01 {
            exponent.clamp(-10.0, 10.0)
        } else {
            Efficiency::default().balance_exponent
        },
    };
    let error = |at: [f64; 4]| {
        let efficiency = efficiency(at);
        let of_task =
            |task: &Measured<'_>| (times(task.device, task.operators, &efficiency)[0] / task.seconds).ln().abs();
        measured.iter().map(of_task).sum::<f64>() / measured.len() as f64
    };
    let from = [START.compute.ln(), START.memory.ln(), START.launch_seconds.ln(), START.balance_exponent];
    Ok(efficiency(least_of(error, from)))
}

/// The minimum of a function, by the simplex of Nelder and Mead (1965) with reflection 1, expansion 2, contraction and shrinking ½.
fn least_of<const N: usize>(of: impl Fn([f64; N]) -> f64, from: [f64; N]) -> [f64; N] {
    const SIDE: f64 = 0.3;
    let along = |from: [f64; N], to: [f64; N], part: f64| -> [f64; N] {
        std::array::from_fn(|axis| from[axis] + part * (to[axis] - from[axis]))
    };
    let mut corners = vec![(of(from), from)];
    for axis in 0..N {
        let mut corner = from;
        corner[axis] += SIDE;
        corners.push((of(corner), corner));
    }
    for _ in 0..STEPS {
        corners.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (best, (second_worst, worst)) = (corners[0], (corners[N - 1].0, corners[N]));
        let middle = std::array::from_fn(|axis| corners[..N].iter().map(|(_, at)| at[axis]).sum::<f64>() / N as f64);
        let towards = |part: f64| {
            let at = along(middle, worst.1, part);
            (of(at), at)
        };
        let reflected = towards(-1.0);
        corners[N] = if reflected.0 < best.0 {
            let expanded = towards(-2.0);
            if expanded.0 < reflected.0 { expanded } else { reflected }
        } else if reflected.0 < second_worst {
            reflected
        } else {
            let contracted = towards(0.5);
            if contracted.0 < worst.0 {
                contracted
            } else {
                for (error, at) in corners.iter_mut().skip(1) {
                    *at = along(best.1, *at, 0.5);
                    *error = of(*at);
                }
                continue;
            }
        };
    }
    corners.sort_by(|a, b| a.0.total_cmp(&b.0));
    corners[0].1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device() -> Device {
        Device { name: "A".to_owned(), flops_per_s: 1e12, bytes_per_s: 1e11 }
    }

    #[test]
    fn an_operator_takes_what_its_scarcer_resource_takes() {
        // 2e12 operations take 2 s, 1e11 bytes 1 s; then 1e11 operations take 0.1 s, 3e11 bytes 3 s: 5 s in all, of which the
        // compute units work 2.1 s and the memory 4 s.
        let operators =
            [Operator { count: 1.0, flops: 2e12, bytes: 1e11 }, Operator { count: 1.0, flops: 1e11, bytes: 3e11 }];
        let found = estimate(&device(), &operators, &Efficiency::PEAK).expect("an estimate");
        assert!((found.seconds - 5.0).abs() < 1e-12, "{found:?}");
        assert!((found.compute_percent - 42.0).abs() < 1e-9 && (found.memory_percent - 80.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn launches_and_efficiencies_lengthen_the_time() {
        let efficiency = Efficiency { compute: 0.5, balance_exponent: 0.0, memory: 0.25, launch_seconds: 0.5 };
        let operators = [Operator { count: 3.0, flops: 1e12, bytes: 1e10 }];
        // 1e12 / (1e12 · ½) = 2 s of compute, 1e10 / (1e11 · ¼) = 0.4 s of memory, ½ s of launch; three times.
        let found = estimate(&device(), &operators, &efficiency).expect("an estimate");
        assert!((found.seconds - 7.5).abs() < 1e-12, "{found:?}");
        // The balance is 10: with an exponent of -1, 20 / 10 = 2 times as much of the peak is reached.
        let efficiency = Efficiency { balance_exponent: -1.0, launch_seconds: 0.0, ..efficiency };
        let found = estimate(&device(), &operators, &efficiency).expect("an estimate");
        assert!((found.seconds - 3.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn a_fit_finds_the_efficiencies_that_times_were_made_with() {
        let devices = [(1e13, 4e11), (2e13, 2e12), (6e13, 3e12)].map(|(flops_per_s, bytes_per_s)| Device {
            flops_per_s,
            bytes_per_s,
            ..device()
        });
        let tasks =
            [[1e12, 1e9, 1e4], [1e11, 1e11, 1e3], [5e12, 1e10, 1e5], [1e13, 3e11, 1e2]].map(|[flops, bytes, count]| {
                [
                    Operator { count: 1.0, flops, bytes: bytes / 10.0 },
                    Operator { count: 1.0, flops: 0.0, bytes },
                    Operator { count, flops: 0.0, bytes: 0.0 },
                ]
            });
        let truth = Efficiency { compute: 0.5, balance_exponent: -0.2, memory: 0.7, launch_seconds: 2e-6 };
        let measured: Vec<Measured<'_>> = devices
            .iter()
            .flat_map(|device| tasks.iter().map(move |operators| (device, operators)))
            .map(|(device, operators)| {
                let seconds = estimate(device, operators, &truth).expect("an estimate").seconds;
                Measured { device, operators, seconds }
            })
            .collect();
        let found = fit(&measured).expect("a fit");
        assert!((found.compute / truth.compute - 1.0).abs() < 0.01, "{found:?}");
        assert!((found.memory / truth.memory - 1.0).abs() < 0.01, "{found:?}");
        assert!((found.launch_seconds / truth.launch_seconds - 1.0).abs() < 0.01, "{found:?}");
        assert!((found.balance_exponent - truth.balance_exponent).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn what_cannot_be_estimated_is_said_with_its_place() {
        let says = |device: &Device, operators: &[Operator]| {
            estimate(device, operators, &Efficiency::default()).expect_err("nothing to estimate").to_string()
        };
        let operator = Operator { count: 1.0, flops: 1.0, bytes: f64::NAN };
        assert!(says(&device(), &[operator]).starts_with("operator 1:"));
        let slow = Device { flops_per_s: 0.0, ..device() };
        assert_eq!(says(&slow, &[]), "A: operations per second are 0; expected 1 to 1e24");
        assert!(says(&device(), &[]).contains("no operation and no byte"));
        assert!(fit(&[]).expect_err("no measurements").to_string().contains("at least 4"));
    }
}
