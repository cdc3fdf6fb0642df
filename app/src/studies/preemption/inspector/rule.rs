//! The policy, and what it weighs.

use crossover_model::preemption::{Gain, Order, Policy, Preemption};
use egui::Ui;

use super::Env;
use crate::widgets::form::{self, Choice};

/// Draws choices and numbers.
pub(super) fn show(ui: &mut Ui, study: &mut Preemption, env: &mut Env<'_>) {
    let policies = Policy::ALL.map(|policy| Choice::new(policy, policy.label(), policy.meaning()));
    let title = ("policy", "Which of the policies is looked at");
    form::choose(ui, title, "rule.policy", &mut study.rule.policy, policies, env.commands);
    form::all(ui, study, "rule", &[], env.commands);
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
