//! Nodes of PostgreSQL that no GPU engine runs, and those that ran on a GPU.

use crossover_query::{CpuOnly, Node};

use super::kind::LOOPS;
use super::{links, own_time};
use crate::outline::Outline;

/// Marks what stays on CPUs, and what PG-Strom ran on a GPU.
pub(super) fn mark(outline: &Outline<'_>, nodes: &mut [Node]) {
    let processes = own_time::processes(nodes);
    // A part below a subplan that runs for every row, or below the repeated side of a recursion, stays as a whole.
    let mut of_part: Vec<Option<CpuOnly>> = vec![None; nodes.len()];
    for id in 0..nodes.len() {
        let relationship = outline.text(id, &["Parent Relationship"]).unwrap_or_default();
        if let Some(parent) = outline.operators[id].parent {
            // More often than once in each process; without ANALYZE, that is unknown.
            let runs_again = nodes[id].metric(LOOPS).map(|loops| loops > processes[id].max(1.0));
            // Only an InitPlan that runs once is not part of what is around it.
            let is_of_part = relationship != "InitPlan" || runs_again.unwrap_or(true);
            of_part[id] = of_part[parent].filter(|_| is_of_part);
            let name = outline.text(id, &["Subplan Name"]).unwrap_or_default();
            if relationship == "SubPlan" && runs_again.unwrap_or_else(|| !links::is_hashed(outline, parent, name)) {
                of_part[id] = Some(CpuOnly::Loop);
                // It runs the subplan.
                nodes[parent].cpu_only = nodes[parent].cpu_only.or(Some(CpuOnly::Loop));
            } else if nodes[parent].name == "Recursive Union" && relationship == "Inner" {
                of_part[id] = Some(CpuOnly::Recursion);
            }
        }
        let provider = outline.text(id, &["Custom Plan Provider"]).unwrap_or_default();
        nodes[id].ran_on_gpu = provider.starts_with("Gpu");
        nodes[id].cpu_only = of_node(&nodes[id].name, provider).or(of_part[id]).or(nodes[id].cpu_only);
    }
}

fn of_node(node_type: &str, provider: &str) -> Option<CpuOnly> {
    match node_type {
        "ModifyTable" => Some(CpuOnly::TableWrite),
        "LockRows" => Some(CpuOnly::RowLock),
        "Recursive Union" | "WorkTable Scan" => Some(CpuOnly::Recursion),
        "Foreign Scan" => Some(CpuOnly::Remote),
        "Custom Scan" if provider.starts_with("Citus") => Some(CpuOnly::Remote),
        _ => None,
    }
}
