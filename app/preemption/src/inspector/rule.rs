//! The policy, and what it weighs.

use crossover_page::widgets::form::{self, Choice};
use crossover_preemption::{Gain, Order, Policy, Preemption};
use crossover_quantity::unit::Unit;
use egui::Ui;

use super::Env;

/// Draws choices and numbers.
pub(super) fn show(ui: &mut Ui, study: &mut Preemption, env: &mut Env<'_>) {
    let policies = Policy::ALL.map(|policy| Choice::new(policy, policy.label(), policy.meaning()));
    let title = ("policy", "Which of the policies is looked at");
    form::choose(ui, title, "rule.policy", &mut study.rule.policy, policies, env.commands);
    form::all(ui, study, "rule", &[], env.commands);
    saving(ui, study, env);
    let gains = [
        Choice::new(Gain::Difference, "with against without", "Work done with the switch against work done without it"),
        Choice::new(
            Gain::AgainstCost,
            "more against cost",
            "What the new combination does more after the switch against what the kernel that stays does during it",
        ),
    ];
    let title = ("gain", "What is compared with what when a kernel might be preempted");
    form::choose(ui, title, "rule.gain", &mut study.rule.gain, gains, env.commands);
    let orders = [
        Choice::new(Order::Sum, "largest sum", "The largest sum of normalised instructions per cycle comes first"),
        Choice::new(
            Order::Classes,
            "by classes",
            "Memory with compute, then compute with compute, then memory with memory; sums among those alike",
        ),
    ];
    let title = ("order", "Which combination of kernels comes first");
    form::choose(ui, title, "rule.order", &mut study.rule.order, orders, env.commands);
}

/// How fast a context is saved, beside the memory of the GPU: what a reader can judge.
fn saving(ui: &mut Ui, study: &Preemption, env: &Env<'_>) {
    if study.rule.byte_cycles <= 0.0 {
        return;
    }
    let rate = study.gpu.clock_mhz * 1e6 / study.rule.byte_cycles / 1e9;
    let mut text =
        format!("Beside a kernel that never misses a context is saved at {}", Unit::GigabytesPerSecond.format(rate));
    let memory = env.catalogue.gpus.iter().find(|gpu| gpu.name == study.gpu.model);
    if let Some(memory) = memory {
        text += &format!("; the memory has {}", Unit::GigabytesPerSecond.format(memory.memory_gb_per_s.value));
    }
    ui.weak(text);
}
