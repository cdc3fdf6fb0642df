//! What came of a study in one sentence.

use super::metrics::{More, OfPolicy};
use super::outcome::Outcome;
use super::policy::Policy;
use super::stream::is_fixed;
use super::study::Preemption;
use crossover_quantity::unit::Unit;

impl Outcome {
    /// "Weighed preemption does 1.51× the work of one kernel at a time, with turnaround 2× shorter; that is 3 % more than best pairs
    /// without preemption. Most work: drain, 1.6."
    #[must_use]
    pub fn sentence(&self, study: &Preemption) -> String {
        let own = self.chosen(study);
        if own.policy == Policy::Exclusive {
            return format!("One at a time is what the others are compared with.{}", self.most_work(study));
        }
        let mut text = self.against_alone(own);
        if own.policy != Policy::Combining {
            text += &match own.means.more_work(&self.of(Policy::Combining).means, is_fixed(study)) {
                More::By(more) if more > 0.0 => {
                    format!("; that is {} more than best pairs without preemption", Unit::Share.format(more))
                }
                More::By(less) => {
                    format!("; that is {} less than best pairs without preemption", Unit::Share.format(-less))
                }
                More::Equal => "; best pairs without preemption cannot be told apart from it".to_owned(),
                More::Unknown => "; one stream does not tell whether best pairs without preemption do more".to_owned(),
            };
        }
        text.push('.');
        text + &self.never(study) + &self.most_work(study)
    }

    /// "Weighed preemption does 1.51× the work of one kernel at a time, with turnaround 2× shorter".
    fn against_alone(&self, own: &OfPolicy) -> String {
        let alone = self.of(Policy::Exclusive);
        let mut name = own.policy.label().to_owned();
        name[..1].make_ascii_uppercase();
        let ratio = |own: f64, other: f64| Unit::Factor.format(own / other);
        let work = ratio(own.means.throughput.mean, alone.means.throughput.mean);
        let [own_turnaround, turnaround] = [own, alone].map(|of| of.means.turnaround.mean);
        let turnaround = if alone.means.is_growing() {
            // How much shorter depends on nothing but the length of the stream.
            "; one at a time its queue would grow without end".to_owned()
        } else if own_turnaround <= turnaround {
            format!(", with turnaround {} shorter", ratio(turnaround, own_turnaround))
        } else {
            format!(", with turnaround {} longer", ratio(own_turnaround, turnaround))
        };
        format!("{name} does {work} the work of one kernel at a time{turnaround}")
    }

    /// Why weighed preemption never preempts anything, if it does not.
    fn never(&self, study: &Preemption) -> String {
        let own = self.chosen(study);
        if own.policy != Policy::Weighing || own.means.preemptions > 0.0 {
            return String::new();
        }
        let cycles = |cycles: f64| Unit::Count.format(cycles.round());
        match self.telling() {
            None => " No kernel came that would combine better: nothing was weighed.".to_owned(),
            Some(nearest) => format!(
                " It never preempts here: the nearest switch would pay up to {} cycles and takes {}.",
                cycles(nearest.weighed.break_even_cycles),
                cycles(nearest.case.preempt_cycles)
            ),
        }
    }

    /// "Most work: drain, 1.577.", and who else cannot be told apart from it.
    fn most_work(&self, study: &Preemption) -> String {
        let throughput = |of: &&OfPolicy| of.means.throughput.mean;
        let Some(most) = self.policies.iter().max_by(|a, b| throughput(a).total_cmp(&throughput(b))) else {
            return String::new();
        };
        let own = self.chosen(study);
        let is_equal = |of: &OfPolicy| !matches!(most.means.more_work(&of.means, is_fixed(study)), More::By(_));
        if is_equal(own) {
            return match self.policies.iter().filter(|of| of.policy != own.policy && is_equal(of)).count() {
                0 => " No other policy does as much.".to_owned(),
                1 => " One other policy does as much as far as can be told; none does more.".to_owned(),
                count => format!(" {count} others do as much as far as can be told; none does more."),
            };
        }
        format!(" Most work: {}, {}.", most.policy.label(), Unit::Ratio.format(most.means.throughput.mean))
    }
}
