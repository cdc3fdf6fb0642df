//! What surrounds the kernels: every route carries every word, and every record of it is verified.

use crossover_gpu_bench::benchmarks::case::Suite;
use crossover_gpu_bench::gpu::transfer::{Copy, DeviceToHost, HostToDevice};
use crossover_gpu_bench::kernels::launch;
use crossover_gpu_bench::report::Verified;
use crossover_gpu_bench::runner::{self, Plan};
use crossover_harness::Cancel;
use crossover_harness::generator::Generator;
use crossover_needs::deadline;

use super::gpu;

/// Around the sizes of a thread's share and of a staging buffer, and so many that each is used twice.
const SIZES: [usize; 8] = [0, 1, 257, 65_535, 65_537, 4 << 20, (4 << 20) + 1, LARGEST];
const LARGEST: usize = 13_000_001;

#[test]
fn words_sent_through_staging_arrive() {
    let Some(gpu) = gpu() else { return };
    let mut route = HostToDevice::new(&gpu).expect("staging");
    let to = gpu.buffer("to", LARGEST as u64).expect("a buffer");
    for (seed, count) in (0..).zip(SIZES) {
        let words = Generator::new(seed).words(count);
        route.send(&words, &to).expect("sent");
        assert!(gpu.download(&to, count as u64).expect("downloaded") == words, "{count} words");
        let words = Generator::new(seed + 100).words(count);
        route.send_parallel(&words, &to).expect("sent");
        assert!(gpu.download(&to, count as u64).expect("downloaded") == words, "{count} words on all threads");
    }
}

#[test]
fn words_received_through_staging_are_those_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let mut route = DeviceToHost::new(&gpu).expect("staging");
    for (seed, count) in (200..).zip(SIZES) {
        let expected = Generator::new(seed).words(count);
        let from = gpu.upload("from", &expected).expect("uploaded");
        let mut words = vec![0; count];
        route.receive(&from, &mut words).expect("received");
        assert!(words == expected, "{count} words");
        words.fill(0);
        route.receive_parallel(&from, &mut words).expect("received");
        assert!(words == expected, "{count} words on all threads");
    }
}

#[test]
fn mapped_buffers_carry_words_both_ways() {
    let Some(gpu) = gpu() else { return };
    if !gpu.has_mappable_buffers() {
        assert!(gpu.buffer_from_host("mapped", 4).is_err());
        return;
    }
    for (seed, count) in (300..).zip(SIZES) {
        let words = Generator::new(seed).words(count);
        let (to, from) = (
            gpu.buffer_from_host("to", count as u64).expect("a buffer"),
            gpu.buffer_to_host("from", count as u64).expect("a buffer"),
        );
        for parallel in [false, true] {
            let mut received = vec![0; count];
            if parallel {
                gpu.write_mapped_parallel(&words, &to).expect("written");
            } else {
                gpu.write_mapped(&words, &to).expect("written");
            }
            assert!(gpu.download(&to, count as u64).expect("downloaded") == words, "{count} words");
            gpu.write(&from, &words).expect("written");
            if parallel {
                gpu.read_mapped_parallel(&from, &mut received).expect("read");
            } else {
                gpu.read_mapped(&from, &mut received).expect("read");
            }
            assert!(received == words, "{count} words");
        }
    }
}

#[test]
fn pinned_memory_carries_words_both_ways_and_between_programs() {
    let Some(gpu) = gpu() else { return };
    if !gpu.has_mappable_buffers() {
        assert!(gpu.pinned("pinned", 4).is_err());
        return;
    }
    for (seed, count) in (400..).zip(SIZES) {
        let words = Generator::new(seed).words(count);
        let sent = gpu.pinned_words("sent", &words).expect("pinned memory");
        let on_gpu = gpu.buffer("on the GPU", count as u64).expect("a buffer");
        gpu.copy(&sent, &on_gpu, count as u64).expect("sent");
        assert!(gpu.download(&on_gpu, count as u64).expect("downloaded") == words, "{count} words");
        let received = gpu.pinned("received", count as u64).expect("pinned memory");
        gpu.copy(&on_gpu, &received, count as u64).expect("received");
        let mut found = vec![0; count];
        gpu.read_mapped(&received, &mut found).expect("read");
        assert!(found == words, "{count} words");
    }
    // In one submission, in order: words to the GPU, a kernel that counts its launches in the first of them, and back.
    let words = [7, 11, 13, 17];
    let (sent, received) =
        (gpu.pinned_words("sent", &words).expect("pinned"), gpu.pinned("received", 4).expect("pinned"));
    let on_gpu = gpu.buffer("counter", 4).expect("a buffer");
    let count = launch::count(&gpu, &on_gpu).expect("a kernel");
    let before = [Copy { from: &sent, to: &on_gpu, words: 4 }];
    gpu.run_between(&before, &count, &[Copy { from: &on_gpu, to: &received, words: 4 }]).expect("run");
    let mut found = [0; 4];
    gpu.read_mapped(&received, &mut found).expect("read");
    assert_eq!(found, [8, 11, 13, 17]);
}

#[test]
fn launches_transfers_and_roofs_are_measured_and_verified() {
    let Some(gpu) = gpu() else { return };
    let only = ["launch", "transfer", "memory"].map(str::to_owned).to_vec();
    let plan = Plan { suite: Suite::Ci, budget_seconds: deadline().as_secs_f64(), only };
    let report = runner::run(&plan, Ok(&gpu), &Cancel::default(), &mut |_| ());
    for result in &report.results {
        assert!(result.time.is_some() && result.verified == Verified::Exact, "{result:?}");
    }
    let mut ids: Vec<&str> = report.results.iter().map(|result| result.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let expected = [
        "launch.dispatch",
        "launch.roundtrip",
        "launch.submit",
        "memory.copy",
        "memory.copy_buffer",
        "memory.gather",
        "memory.read",
        "memory.write",
        "transfer.d2h.mappable",
        "transfer.d2h.pinned",
        "transfer.d2h.staging",
        "transfer.h2d.mappable",
        "transfer.h2d.one_call",
        "transfer.h2d.pieces",
        "transfer.h2d.pinned",
        "transfer.h2d.staging",
    ];
    assert_eq!(ids, expected);
}
