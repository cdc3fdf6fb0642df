//! The strip on top for a query that the hardware model places; with engines the strip has the decision.

use crossover_page::headline::{headline, strip};
use crossover_quantity::unit::Unit;

use super::PlanBoard;
use super::board::Counts;
use super::text::factor;
use super::totals::first_up;
use super::verdict::HardwareVerdict;

/// The figures of the strip.
pub(in super::super) fn figures(ui: &mut egui::Ui, plan: &PlanBoard, verdict: HardwareVerdict<'_>) {
    let whole = verdict.whole;
    strip(ui, |ui| {
        if let Some(why) = &whole.not_judged {
            let share = "too much of its time belongs to no operator";
            headline(ui, "Cannot be judged", share, &first_up(why));
            return;
        }
        headline(ui, &factor(verdict.speedup()), "query speedup", "Time with all operators on CPUs ÷ time as placed.");
        let seconds = |value: f64| Unit::Seconds.format(value);
        headline(
            ui,
            &format!("{} → {}", seconds(whole.baselines.all_cpu), seconds(whole.seconds)),
            "all on CPU → as placed",
            &format!("All on GPU: {}.", seconds(whole.baselines.all_gpu)),
        );
        let Counts { on_cpu, on_gpu, transfers, transfer_seconds, .. } = *plan.counts();
        let count = whole.operators.len();
        headline(
            ui,
            &format!("{on_gpu} of {count}"),
            if count == 1 { "operator on GPU" } else { "operators on GPU" },
            &format!("{on_cpu} on CPU, {on_gpu} on GPU."),
        );
        headline(
            ui,
            &seconds(transfer_seconds),
            "data transfer between sides",
            &match transfers {
                1 => "Time to move data between CPU and GPU, once.".to_owned(),
                _ => format!("Time to move data between CPU and GPU, {transfers} times."),
            },
        );
        let (term, share) = plan.breakdown().dominant();
        headline(
            ui,
            term.label(),
            &format!("bottleneck, {}", Unit::Share.format(share)),
            "The term with the largest share of the time as placed.",
        );
    });
}
