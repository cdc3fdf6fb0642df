//! Warnings about the inputs and results of a study.

use super::metrics::{Comparison, PolicyOutcome};
use super::occupancy;
use super::policy::Policy;
use super::stream::is_fixed;
use super::study::Preemption;
use super::table::Table;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;

/// All warnings.
pub(super) fn warnings(study: &Preemption, table: &Table, policies: &[PolicyOutcome]) -> Vec<String> {
    let launched: Vec<usize> = (0..study.kernels.len()).filter(|place| is_launched(study, *place)).collect();
    let mut warnings = Vec::new();
    warnings.extend(of_another_gpu(study));
    warnings.extend(of_pairs(study, table, &launched));
    warnings.extend(of_contexts(study, &launched));
    warnings.extend(of_streams(study, policies));
    warnings.extend(of_policy(study, policies, &launched));
    warnings
}

/// Kernels were profiled on another GPU than the one that they run on.
fn of_another_gpu(study: &Preemption) -> Option<String> {
    let on = study.profiled_on.as_str();
    (!on.is_empty() && on != study.gpu.model).then(|| {
        format!(
            "The kernels were profiled on {on}: their IPC and their pairs are those of that GPU. Only the clock and the resident blocks are \
             those of {}.",
            study.gpu.model
        )
    })
}

/// Pairs that were not measured.
fn of_pairs(study: &Preemption, table: &Table, launched: &[usize]) -> Vec<String> {
    let mut warnings = Vec::new();
    if study.rule.limit < 2.0 {
        return warnings;
    }
    let pairs = launched
        .iter()
        .enumerate()
        .flat_map(|(place, first)| launched[place..].iter().map(move |second| (*first, *second)));
    let (mut all, mut unmeasured, mut apart) = (0_usize, 0_usize, 0_usize);
    for (first, second) in pairs {
        all += 1;
        if !(table.is_measured(first, second) && table.is_measured(second, first)) {
            unmeasured += 1;
            let kernels = [first, second].map(|place| &study.kernels[place]);
            apart += usize::from(!occupancy::fit_together(&study.gpu, kernels));
        }
    }
    if unmeasured > 0 {
        warnings.push(if unmeasured == all {
            format!(
                "No pair of kernels is measured: all {unmeasured} are assumed from classes, or from an imported fit."
            )
        } else {
            format!(
                "{unmeasured} of {all} pairs are not measured: they are assumed from classes or fitted to other pairs."
            )
        });
    }
    if apart > 0 {
        warnings.push(format!(
            "In {} unmeasured pairs, a multiprocessor cannot hold a block of both kernels. They can only divide the multiprocessors, so \
             their values are too optimistic.",
            Unit::Count.format(apart as f64)
        ));
    }
    if study.rule.limit > 2.0 {
        warnings.push(
            "No combination of three or more kernels is measured: the speed of each is the product of its pairs."
                .to_owned(),
        );
    }
    warnings
}

/// Empty contexts cost nothing to save.
fn of_contexts(study: &Preemption, launched: &[usize]) -> Option<String> {
    let is_empty = |place: &&usize| {
        let kernel = &study.kernels[**place];
        kernel.register_bytes == 0.0 && kernel.shared_bytes == 0.0
    };
    let unknown = launched.iter().filter(is_empty).count();
    (unknown > 0).then(|| {
        let of = if unknown == launched.len() {
            "Kernels have".to_owned()
        } else {
            format!("{unknown} of {} kernels have", launched.len())
        };
        format!("{of} neither registers nor shared memory: saving and loading them costs nothing here.")
    })
}

/// Limits of the streams.
fn of_streams(study: &Preemption, policies: &[PolicyOutcome]) -> Vec<String> {
    let mut warnings = Vec::new();
    if !study.stream.listed.is_empty() {
        return warnings;
    }
    let growing: Vec<&str> = policies.iter().filter(|of| of.means.is_growing()).map(|of| of.policy.label()).collect();
    if !growing.is_empty() {
        warnings.push(format!(
            "At this load these policies are unstable: {}; latency depends on the stream length, here {}.",
            growing.join(", "),
            counted(study.stream.launches, "launch")
        ));
    }
    if study.stream.streams < 2.0 {
        warnings.push("Only one stream: no confidence intervals.".to_owned());
    }
    warnings
}

/// Limits of the chosen policy.
fn of_policy(study: &Preemption, policies: &[PolicyOutcome], launched: &[usize]) -> Vec<String> {
    let mut warnings = Vec::new();
    let longest = launched.iter().map(|place| study.kernels[*place].alone_cycles()).fold(0.0, f64::max);
    if longest <= study.rule.slice_cycles {
        warnings.push(format!(
            "No kernel lasts longer than a time slice of {} cycles, so time slicing behaves like exclusive execution.",
            Unit::Count.format(study.rule.slice_cycles)
        ));
    }
    let cannot: Vec<&str> = launched
        .iter()
        .filter(|place| !study.kernels[**place].is_idempotent)
        .map(|place| study.kernels[*place].name.as_str())
        .collect();
    if study.rule.policy == Policy::Flushing && !cannot.is_empty() {
        warnings.push(format!("These kernels are not idempotent, so they are never flushed: {}.", cannot.join(", ")));
    }
    let of = |policy: Policy| policies.iter().find(|of| of.policy == policy);
    if let (Some(own), Some(unpreempted)) = (of(study.rule.policy), of(Policy::Combining))
        && study.rule.policy.preempts()
        && matches!(own.means.more_work(&unpreempted.means, is_fixed(study)), Comparison::Differs(more) if more < 0.0)
    {
        warnings.push("Preemption has less throughput here than best pairs, which never preempts.".to_owned());
    }
    warnings
}

/// Whether a kernel is launched at all.
fn is_launched(study: &Preemption, place: usize) -> bool {
    let kernel = &study.kernels[place];
    if study.stream.listed.is_empty() {
        kernel.weight > 0.0
    } else {
        study.stream.listed.iter().any(|launch| launch.kernel == kernel.name)
    }
}
