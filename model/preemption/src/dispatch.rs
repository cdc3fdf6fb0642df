//! Runs a stream under any policy.

use super::observer::Observer;
use super::policy::Policy;
use super::run::Run;
use super::simulate::simulated;
use super::simulator::Simulator;
use super::slicing::sliced;
use super::stream::Launches;
use crossover_study::Watch;

impl Simulator<'_> {
    /// Runs a stream under a policy; `None` if it was cancelled.
    pub fn run<O: Observer>(
        &self,
        launches: &Launches,
        policy: Policy,
        observer: &mut O,
        watch: Watch<'_>,
    ) -> Option<Run> {
        if policy == Policy::Slicing {
            sliced(self, launches, observer, watch)
        } else {
            simulated(self, launches, policy, observer, watch)
        }
    }
}
