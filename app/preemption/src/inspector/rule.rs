//! The sharing policy and its parameters.

use crossover_page::widgets::form::{self, Choice};
use crossover_preemption::{Displacement, Gain, Order, Policy, Preemption};
use crossover_quantity::unit::Unit;
use egui::Ui;

use super::Env;

/// Draws choices and numbers.
pub(super) fn show(ui: &mut Ui, study: &mut Preemption, env: &mut Env<'_>) {
    let policies = Policy::ALL.map(|policy| Choice::new(policy, policy.label(), policy.meaning()));
    let title = ("policy", "Sharing policy of the figures and charts");
    form::choose(ui, title, "rule.policy", &mut study.rule.policy, policies, env.commands);
    form::all(ui, study, "rule", &[], env.commands);
    saving(ui, study, env);
    let gains = [
        Choice::new(Gain::Difference, "work difference", "Work with the switch minus work without it"),
        Choice::new(
            Gain::AgainstCost,
            "gain against cost",
            "Extra work of the new combination after the switch, minus the staying kernel's work during the switch",
        ),
    ];
    let title = ("gain criterion", "Criterion for a preemption");
    form::choose(ui, title, "rule.gain", &mut study.rule.gain, gains, env.commands);
    let orders = [
        Choice::new(Order::Sum, "largest sum", "The largest sum of normalised IPC is first"),
        Choice::new(
            Order::Classes,
            "by classes",
            "Memory with compute, then compute with compute, then memory with memory; within each by sum",
        ),
    ];
    let title = ("order of candidates", "Order of candidate combinations");
    form::choose(ui, title, "rule.order", &mut study.rule.order, orders, env.commands);
    let displacements = [
        Choice::new(
            Displacement::Saved,
            "contexts saved",
            "A launch without free resources displaces blocks of running kernels, whose contexts are saved first",
        ),
        Choice::new(
            Displacement::Free,
            "free",
            "Blocks of a launch start as those of running kernels end, as with CUDA streams and MPS",
        ),
    ];
    let title = ("displaced blocks", "How a launch gets its place when running kernels fill the GPU");
    form::choose(ui, title, "rule.displacement", &mut study.rule.displacement, displacements, env.commands);
}

/// The rate at which a context is saved, beside the memory bandwidth of the GPU.
fn saving(ui: &mut Ui, study: &Preemption, env: &Env<'_>) {
    if study.rule.byte_cycles <= 0.0 {
        return;
    }
    let rate = study.gpu.clock_mhz * 1e6 / study.rule.byte_cycles / 1e9;
    let mut text = format!(
        "Contexts are saved at {} while the other kernel has no L2 misses",
        Unit::GigabytesPerSecond.format(rate)
    );
    let memory = env.catalogue.gpus.iter().find(|gpu| gpu.name == study.gpu.model);
    if let Some(memory) = memory {
        text += &format!(
            "; memory bandwidth of the GPU: {}",
            Unit::GigabytesPerSecond.format(memory.memory_gb_per_s.value)
        );
    }
    ui.weak(text);
}
