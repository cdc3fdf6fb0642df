//! GPUs of the catalogue in preemption studies.

use crossover_page::widgets::preset;
use crossover_preemption::{Gpu, Preemption};
use crossover_quantity::catalogue::{Catalogue, Gpu as Entry, Multiprocessor};
use crossover_quantity::invalid::did_you_mean;

/// The GPUs whose multiprocessors are known.
pub(super) fn known(catalogue: &Catalogue) -> impl Iterator<Item = (&Entry, &Multiprocessor)> {
    catalogue
        .gpus
        .iter()
        .filter_map(|gpu| Some((gpu, gpu.multiprocessor.as_ref().filter(|_| gpu.compute_units.is_some())?)))
}

/// Sets the GPU of a study to one of the catalogue.
pub(super) fn fill(study: &mut Preemption, gpu: &Entry, one: &Multiprocessor) {
    let Some(units) = &gpu.compute_units else { return };
    let Multiprocessor { clock_mhz, register_bytes, shared_bytes, threads, blocks } = one;
    study.gpu = Gpu {
        model: gpu.name.clone(),
        clock_mhz: clock_mhz.value,
        multiprocessors: units.value,
        register_bytes: register_bytes.value,
        shared_bytes: shared_bytes.value,
        threads: threads.value,
        blocks: blocks.value,
    };
    for (quantity, datum) in [
        (&Gpu::CLOCK_MHZ, clock_mhz),
        (&Gpu::MULTIPROCESSORS, units),
        (&Gpu::REGISTER_BYTES, register_bytes),
        (&Gpu::SHARED_BYTES, shared_bytes),
        (&Gpu::THREADS, threads),
        (&Gpu::BLOCKS, blocks),
    ] {
        study.sources.insert(format!("gpu.{}", quantity.key), preset::source(&gpu.name, datum));
    }
}

/// The GPU of the catalogue with this name, ignoring case.
///
/// # Errors
/// There is none with known multiprocessors; the text lists the GPUs.
pub(super) fn named<'c>(catalogue: &'c Catalogue, name: &str) -> Result<(&'c Entry, &'c Multiprocessor), String> {
    let is_named = |(gpu, _): &(&Entry, &Multiprocessor)| gpu.name.eq_ignore_ascii_case(name.trim());
    known(catalogue).find(is_named).ok_or_else(|| {
        let names: Vec<String> = known(catalogue).map(|(gpu, _)| gpu.name.clone()).collect();
        format!("no GPU “{name}” in the catalogue{}; expected one of: {}", did_you_mean(name, &names), names.join(", "))
    })
}
