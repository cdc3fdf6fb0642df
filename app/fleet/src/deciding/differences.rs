//! Clusters far from the measured one, which the user names.

use crossover_decision::Candidate;
use crossover_engine::Engine;
use crossover_quantity::catalogue::Catalogue;

/// Warns of the options with the measured GPU engine on clusters that its model does not hold for.
pub(crate) fn warn_of_clusters(candidates: &mut [Candidate], measured: &Engine, catalogue: Option<&Catalogue>) {
    for candidate in candidates.iter_mut().filter(|candidate| candidate.engine == measured.name) {
        // The kind of a price may stand behind the machines.
        let machine = candidate.title.rsplit(" × ").next().and_then(|end| end.split_whitespace().next());
        let (Some(machine), Some(count)) = (machine, candidate.machines) else { continue };
        let warnings = cluster_warnings(measured, catalogue, count, machine);
        candidate.evidence.warnings.extend(warnings);
    }
}

/// Warns of a cluster whose time the model of the measured one does not hold for: one machine, or fewer CPUs beside each GPU.
fn cluster_warnings(measured: &Engine, catalogue: Option<&Catalogue>, machines: f64, machine: &str) -> Vec<String> {
    let mut warnings = Vec::new();
    let (count, type_measured) = measured.fitted_machines();
    if machines <= 1.0 && count > 1.0 {
        warnings.push(format!(
            "its time on 1 × {machine} may be too short: it was measured on {} machines, and the model has no memory \
             limit of one machine, and no exchanges on one, so one may be predicted to be faster than two, with a narrower interval",
            count.round()
        ));
    }
    let per_gpu = |name: &str| {
        let found = catalogue?.instances.iter().find(|instance| instance.name == name && instance.gpus > 0)?;
        Some(found.vcpus / f64::from(found.gpus))
    };
    if let Some((own, of_measured)) = per_gpu(machine).zip(per_gpu(type_measured)).filter(|(own, other)| own < other) {
        warnings.push(format!(
            "{machine}: {own} vCPUs for each GPU, where the measured {type_measured} has {of_measured}; only the number of GPUs is \
             modelled, so its time may be too short"
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use crossover_page::catalogue::shipped;

    use super::*;

    #[test]
    fn one_machine_and_fewer_cpus_for_each_gpu_are_warned_of() {
        let catalogue = shipped().expect("a catalogue");
        let base = crate::shipped::base().expect("a base");
        let measured = base.gpu_engine();
        let of = |machines: f64, machine: &str| cluster_warnings(measured, Some(&catalogue), machines, machine);
        assert_eq!(of(4.0, "g6.2xlarge"), Vec::<String>::new());
        let of_one = &of(1.0, "g6.2xlarge")[0];
        assert!(of_one.contains("no memory limit") && of_one.contains("no exchanges on one"), "{of_one}");
        // Four vCPUs instead of eight beside an L4.
        let half = of(2.0, "g6.xlarge");
        assert!(half.len() == 1 && half[0].contains("4 vCPUs") && half[0].contains("has 8"), "{half:?}");
    }
}
