//! Where the tasks of a study run, as pods of Kubernetes.

use crossover_model::allocation::{Allocation, Described};
use crossover_traces::manifest::{self, Placed};

/// Every task of the list on the node that it gets, as JSON that `kubectl apply -f` takes; and how many fit nowhere.
pub(crate) fn of(study: &Allocation) -> (String, usize) {
    let described = Described::new(study, 0);
    let workload = described.asked(study.policy.rule);
    let (mut pods, mut without) = (Vec::new(), 0);
    for (task, places) in described.placed(study).into_iter().enumerate() {
        let request = described.tasks[task];
        let Some(places) = places else {
            without += 1;
            continue;
        };
        let asked = &workload.requests()[request];
        for place in places {
            let needs = workload.needs(request, &described.cluster.nodes[place.node]);
            let share = place.gpus.places().map(|gpu| needs[gpu]).next().unwrap_or(crossover_model::allocation::WHOLE);
            pods.push(Placed {
                task: study.tasks[request].name.clone(),
                node: described.nodes[place.node].clone(),
                cpu_milli: asked.cpu_milli,
                memory_mib: asked.memory_mib,
                gpus: asked.gpus,
                share,
            });
        }
    }
    (manifest::manifests(&pods), without)
}
