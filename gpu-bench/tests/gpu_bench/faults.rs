//! What goes wrong with GPUs, and that it costs a reason in the report and never the run.
//!
//! A GPU that never answers is not tested: the software adapter would compute on after the test. Every wait
//! goes through `Gpu::wait_for`, which gives up after `PATIENCE`.

use std::process::{Command, Output};

use crossover_gpu_bench::benchmarks::case::Suite;
use crossover_gpu_bench::failure::Failure;
use crossover_gpu_bench::gpu::clock::TimingSource;
use crossover_gpu_bench::gpu::transfer::{DeviceToHost, HostToDevice};
use crossover_gpu_bench::gpu::{Gpu, adapter};
use crossover_gpu_bench::kernels;
use crossover_gpu_bench::report::{Report, Side, Verified};
use crossover_gpu_bench::runner::{self, Event, Plan};
use crossover_harness::Cancel;
use crossover_harness::generator::Generator;
use crossover_needs::{deadline, gpu_adapter, not_run};

use super::gpu;

fn plan(only: &[&str]) -> Plan {
    let only = only.iter().map(|only| (*only).to_owned()).collect();
    Plan { suite: Suite::Ci, budget_seconds: deadline().as_secs_f64(), only }
}

/// The report of a run, and how many measurements were planned.
fn run(only: &[&str], gpu: Result<&Gpu, &Failure>, cancel: &Cancel, mut hear: impl FnMut(&Event)) -> (Report, usize) {
    let mut planned = 0;
    let report = runner::run(&plan(only), gpu, cancel, &mut |event| {
        if let Event::Planned { total, .. } = &event {
            planned = *total;
        }
        hear(&event);
    });
    (report, planned)
}

/// This test program again, only the test `name`, with `RERUN` set, started by `sh` after `preparation`.
fn rerun(name: &str, preparation: &str) -> Output {
    let program = std::env::current_exe().expect("this program");
    Command::new("sh")
        .arg("-c")
        .arg(format!("{preparation}; exec \"$0\" --exact faults::{name} --nocapture"))
        .arg(program)
        .env("RERUN", "1")
        .output()
        .expect("sh starts")
}

fn is_rerun() -> bool {
    std::env::var_os("RERUN").is_some()
}

#[test]
fn without_an_adapter_the_cpu_is_measured_and_the_report_says_why() {
    let failure = adapter::choose(Vec::new(), None).expect_err("there is none");
    assert_eq!(failure, Failure::NoAdapter);
    let (report, planned) = run(&["memory.copy"], Err(&failure), &Cancel::default(), |_| ());
    assert!(report.adapter.is_none());
    assert!(report.notes.iter().any(|note| note.contains("no GPU adapter")), "{:?}", report.notes);
    assert!(planned > 0 && report.results.len() == planned);
    assert!(report.results.iter().all(|result| result.side == Side::Cpu && result.time.is_some()));
}

#[cfg(unix)]
#[test]
fn drivers_that_cannot_be_loaded_are_as_good_as_none() {
    if is_rerun() {
        assert!(adapter::list().iter().all(|adapter| adapter.description.backend != "vulkan"));
        return;
    }
    let child = rerun(
        "drivers_that_cannot_be_loaded_are_as_good_as_none",
        "export VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent",
    );
    let printed = String::from_utf8_lossy(&child.stderr) + String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && printed.contains("1 passed"), "{printed}");
    assert!(!printed.contains("panicked"), "{printed}");
}

#[test]
fn an_unknown_name_is_answered_with_the_names_there_are() {
    let adapters = adapter::list();
    let Some(first) = gpu_adapter(adapters.first()) else { return };
    let first = first.description.name.clone();
    let failure = adapter::choose(adapters, Some("Voodoo 2")).expect_err("not here").to_string();
    assert!(failure.contains("Voodoo 2") && failure.contains(&first), "{failure}");
}

#[test]
fn an_adapter_that_cannot_compute_is_not_opened() {
    let Some(mut adapter) = gpu_adapter(adapter::choose(adapter::list(), None).ok()) else { return };
    adapter.description.limits.workgroups = 0;
    let failure = Gpu::open(&adapter).expect_err("refused");
    assert!(matches!(failure, Failure::Unsupported(_)), "{failure}");
}

#[test]
fn a_gpu_lost_in_the_middle_leaves_what_was_measured_and_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let (report, planned) = run(&["launch.roundtrip", "memory"], Ok(&gpu), &Cancel::default(), |event| {
        if matches!(event, Event::Finished { index: 1, .. }) {
            gpu.destroy();
        }
    });
    assert_eq!(report.results.len(), planned);
    let (before, after) = report.results.split_at(2);
    assert!(before.iter().all(|result| result.time.is_some()), "{before:?}");
    assert!(after.iter().any(|result| result.side == Side::Cpu) && after.iter().any(|result| result.side == Side::Gpu));
    for result in after {
        let lost = result.reason.as_deref().is_some_and(|reason| reason.contains("the GPU was lost"));
        let on_cpu = result.side == Side::Cpu;
        assert_eq!((result.time.is_some(), lost), (on_cpu, !on_cpu), "{result:?}");
    }
}

#[test]
fn every_call_on_a_lost_gpu_fails_with_the_loss() {
    let Some(gpu) = gpu() else { return };
    let words = Generator::new(1).words(1_024);
    let buffer = gpu.upload("words", &words).expect("uploaded");
    let program = kernels::launch::count(&gpu, &buffer).expect("prepared");
    let mut to_gpu = HostToDevice::new(&gpu).expect("prepared");
    let mut from_gpu = DeviceToHost::new(&gpu).expect("prepared");
    gpu.destroy();
    let outcomes = [
        gpu.run(&program),
        gpu.time(&program, 3).map(drop),
        gpu.wait(),
        gpu.write(&buffer, &words).and_then(|()| gpu.wait()),
        gpu.buffer("more", 1_024).map(drop),
        gpu.download(&buffer, 1_024).map(drop),
        kernels::launch::count(&gpu, &buffer).map(drop),
        kernels::generate::words(&gpu, Generator::new(1), 1_024, None).map(drop),
        to_gpu.send(&words, &buffer),
        from_gpu.receive(&buffer, &mut vec![0; 1_024]),
    ];
    for (call, outcome) in outcomes.iter().enumerate() {
        assert!(matches!(outcome, Err(Failure::DeviceLost(_))), "call {call}: {outcome:?}");
    }
}

#[test]
fn a_buffer_beyond_the_limits_is_too_large() {
    let Some(gpu) = gpu() else { return };
    let failure = gpu.buffer("a table", gpu.max_words() + 1).expect_err("too large");
    assert!(matches!(failure, Failure::TooLarge { .. }), "{failure}");
    assert!(failure.to_string().contains("a table needs"), "{failure}");
}

/// On the software adapter the GPU's memory is the process's address space, which can be limited.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_runs_out_is_a_failure_and_the_gpu_goes_on() {
    if is_rerun() {
        let gpu = gpu().expect("the adapter that was there before");
        let words = gpu.description.limits.buffer_bytes.min(1 << 30) / 4;
        let usage = wgpu::BufferUsages::COPY_DST;
        let mut buffers = Vec::new();
        let failure = loop {
            match gpu.allocate("a heap", words, usage) {
                Ok(buffer) if buffers.len() < 64 => buffers.push(buffer),
                Ok(_) => panic!("64 buffers of {words} words in 12 GiB"),
                Err(failure) => break failure,
            }
        };
        assert!(matches!(failure, Failure::OutOfMemory(_)), "{failure:?}");
        assert!(failure.to_string().contains("a heap needs 1073741824 bytes"), "{failure}");
        drop(buffers);
        let kept = gpu.upload("small", &[1, 2, 3, 4]).and_then(|buffer| gpu.download(&buffer, 4));
        assert_eq!(kept, Ok(vec![1, 2, 3, 4]));
        return;
    }
    let Some(gpu) = gpu() else { return };
    if !gpu.description.software {
        return not_run("the GPU is a real one: to fill it would disturb whoever else uses it");
    }
    drop(gpu);
    let child = rerun("memory_that_runs_out_is_a_failure_and_the_gpu_goes_on", "ulimit -v 12582912");
    let printed = String::from_utf8_lossy(&child.stderr) + String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && printed.contains("1 passed"), "{printed}");
}

#[test]
fn a_run_that_is_cancelled_ends_with_what_was_measured() {
    let Some(gpu) = gpu() else { return };
    let cancel = Cancel::default();
    let (report, planned) = run(&["launch"], Ok(&gpu), &cancel, |event| {
        if matches!(event, Event::Started { index: 1, .. }) {
            cancel.request();
        }
    });
    assert!(planned > 2);
    let outcomes: Vec<(bool, Option<&str>)> =
        report.results.iter().map(|result| (result.time.is_some(), result.reason.as_deref())).collect();
    assert_eq!(outcomes, [(true, None), (false, Some("cancelled"))]);
    assert!(report.notes.iter().any(|note| note.contains("cancelled after 1 of")), "{:?}", report.notes);
}

#[test]
fn a_shader_that_does_not_compile_is_refused_with_the_compilers_message() {
    let Some(gpu) = gpu() else { return };
    let failure = gpu.kernel("@compute @workgroup_size(1) fn broken() { let x = nowhere; }", "broken", &[]);
    let failure = failure.expect_err("refused");
    assert!(matches!(failure, Failure::Refused(_)) && failure.to_string().contains("nowhere"), "{failure}");
    let missing = gpu.kernel("@compute @workgroup_size(1) fn there() {}", "elsewhere", &[]).expect_err("refused");
    assert!(matches!(missing, Failure::Refused(_)), "{missing}");
    let counter = gpu.upload("counter", &[5]).expect("the device goes on");
    gpu.run(&kernels::launch::count(&gpu, &counter).expect("compiled")).expect("ran");
    assert_eq!(gpu.download(&counter, 1), Ok(vec![6]));
}

#[test]
fn buffers_that_do_not_fit_a_kernel_are_refused() {
    let Some(gpu) = gpu() else { return };
    let buffer = gpu.buffer("one", 16).expect("a buffer");
    let kernel = gpu.kernel(include_str!("../../src/kernels/launch.wgsl"), "count", &[]).expect("compiled");
    let failure = gpu.dispatch(&kernel, &[&buffer, &buffer], 1).expect_err("one binding, two buffers");
    assert!(matches!(failure, Failure::Refused(_)), "{failure}");
    let beyond = gpu.download(&buffer, 17).expect_err("16 words");
    assert!(matches!(beyond, Failure::Refused(_)), "{beyond}");
}

#[test]
fn without_a_trusted_timer_the_wall_clock_measures() {
    let Some(gpu) = gpu() else { return };
    gpu.distrust_timestamps();
    let (report, planned) = run(&["launch.dispatch", "memory.read"], Ok(&gpu), &Cancel::default(), |_| ());
    assert_eq!(report.results.len(), planned);
    assert_eq!(report.adapter.map(|adapter| adapter.timing_source), Some(TimingSource::WallClock));
    for result in &report.results {
        assert_eq!(result.time.map(|time| time.source), Some(TimingSource::WallClock), "{result:?}");
        assert_eq!(result.verified, Verified::Exact);
    }
}
