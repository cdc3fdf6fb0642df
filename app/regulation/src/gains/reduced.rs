//! The inputs of each section of the page. A study with recorded demands is large, so it is copied only when it has
//! changed, not in every frame.

use std::ops::Deref;
use std::sync::Arc;

use crossover_quantity::provenance::Sources;
use crossover_regulation::{Controller, Power, Regulation};

/// A study without the fields that a result does not depend on.
#[derive(Debug, Clone)]
pub(super) struct Part(Arc<Regulation>);

impl Part {
    /// The former part if it is the same, so that both are found equal at once.
    fn new(study: Regulation, former: Option<&Self>) -> Self {
        former.filter(|former| *former.0 == study).cloned().unwrap_or_else(|| Self(Arc::new(study)))
    }
}

impl Deref for Part {
    type Target = Regulation;

    fn deref(&self) -> &Regulation {
        &self.0
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

/// All parts of a study for one controller.
#[derive(Debug)]
pub(super) struct Reduced {
    of: Regulation,
    /// Index of the chosen controller.
    pub(super) index: usize,
    /// With this controller alone.
    pub(super) one: Part,
    /// With this controller alone, without its gains.
    pub(super) gainless: Part,
    /// With this controller alone, without its Kp, Ki and name: what a stability map depends on.
    pub(super) map: Part,
    /// Without controllers: what a relay experiment depends on.
    pub(super) relay: Part,
}

impl Reduced {
    /// Brings the parts up to date.
    pub(super) fn refresh<'r>(kept: &'r mut Option<Self>, study: &Regulation, index: usize) -> &'r Self {
        let former = kept.take();
        let is_current = |reduced: &Self| reduced.index == index && reduced.of == *study;
        let reduced = match former {
            Some(former) if is_current(&former) => former,
            former => Self::new(study, index, former.as_ref()),
        };
        kept.insert(reduced)
    }

    fn new(study: &Regulation, index: usize, former: Option<&Self>) -> Self {
        let one = relevant_inputs(study, index);
        let mut gainless = one.clone();
        for controller in &mut gainless.controllers {
            *controller = Controller { kp: 0.0, ki: 0.0, kd: 0.0, schedule: None, learned: None, ..controller.clone() };
        }
        let mut map = one.clone();
        map.policy.controller.clear();
        for controller in &mut map.controllers {
            let unnamed = Controller { name: String::new(), schedule: None, learned: None, ..controller.clone() };
            *controller = Controller { kp: 0.0, ki: 0.0, ..unnamed };
        }
        let mut relay = one.clone();
        relay.controllers.clear();
        relay.policy.controller.clear();
        Self {
            of: study.clone(),
            index,
            one: Part::new(one, former.map(|former| &former.one)),
            gainless: Part::new(gainless, former.map(|former| &former.gainless)),
            map: Part::new(map, former.map(|former| &former.map)),
            relay: Part::new(relay, former.map(|former| &former.relay)),
        }
    }
}

/// The fields that the runs of one controller depend on: two studies for which this is the same have the same
/// maps and the same best gains.
fn relevant_inputs(study: &Regulation, index: usize) -> Regulation {
    let controllers = study.controllers.get(index).cloned().into_iter().collect();
    Regulation { controllers, sources: Sources::default(), power: Power::default(), ..study.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;

    #[test]
    fn parts_are_copied_only_when_they_change() {
        let scenario = crossover_scenario::read(examples::PUBLISHED.text).unwrap();
        let mut study = scenario.regulation().unwrap().clone();
        let mut kept = None;
        let parts = |kept: &mut Option<Reduced>, study: &Regulation| {
            let Reduced { one, map, relay, .. } = Reduced::refresh(kept, study, 3);
            [one, map, relay].map(|part| Arc::as_ptr(&part.0))
        };
        let first = parts(&mut kept, &study);
        assert_eq!(parts(&mut kept, &study), first);
        study.controllers[3].kp = 2.0;
        let second = parts(&mut kept, &study);
        assert_ne!(second[0], first[0]);
        assert_eq!(second[1..], first[1..], "a map holds for all Kp, a relay for all controllers");
        study.clusters[0].pcie_tops = 4000.0;
        let third = parts(&mut kept, &study);
        assert!((0..3).all(|part| third[part] != second[part]));
    }
}
