//! The answer of a study in a few sentences.

use super::metrics::{ComparedMetric, Comparison, Means, PolicyOutcome};
use super::outcome::Outcome;
use super::policy::Policy;
use super::stream::is_fixed;
use super::study::Preemption;
use crossover_quantity::unit::Unit;

/// Whether a policy cannot keep up with the load of a study. Listed launches have no load, so their queue ends.
fn is_unstable(study: &Preemption, means: &Means) -> bool {
    study.stream.listed.is_empty() && means.is_growing()
}

/// How much longer or shorter a time is than another one: "50 % longer".
fn longer(own: f64, other: f64) -> String {
    let difference = own / other - 1.0;
    let how = if difference > 0.0 { "longer" } else { "shorter" };
    format!("{} {how}", Unit::Share.format(difference.abs()))
}

impl Outcome {
    /// "Cost-aware preemption: throughput (STP) 1.55, 1.51× that of exclusive execution, with turnaround 50 % shorter. That is
    /// 3 % more throughput than best pairs, which never preempts. Its turnaround is 33 % shorter than that of best pairs. Highest
    /// throughput: drain, 1.6."
    #[must_use]
    pub fn sentence(&self, study: &Preemption) -> String {
        let own = self.chosen(study);
        if own.policy == Policy::Exclusive {
            return format!("Exclusive execution is the baseline of the comparison.{}", self.most_work(study));
        }
        let mut text = self.against_alone(own, study) + ".";
        if own.policy != Policy::Combining {
            text += &match own.means.more_work(&self.of(Policy::Combining).means, is_fixed(study)) {
                Comparison::Differs(more) if more > 0.0 => {
                    format!(
                        " That is {} more throughput than best pairs, which never preempts.",
                        Unit::Share.format(more)
                    )
                }
                Comparison::Differs(less) => {
                    let less = Unit::Share.format(-less);
                    format!(" That is {less} less throughput than best pairs, which never preempts.")
                }
                Comparison::Equal => {
                    " Best pairs, which never preempts, does not differ significantly in throughput.".to_owned()
                }
                Comparison::Unknown => {
                    " One stream is too few to compare it with best pairs, which never preempts.".to_owned()
                }
            };
            text += &self.turnaround_against_pairs(study);
        }
        text + &self.never(study) + &self.most_work(study)
    }

    /// "Cost-aware preemption: throughput (STP) 1.55, 1.51× that of exclusive execution, with turnaround 50 % shorter".
    fn against_alone(&self, own: &PolicyOutcome, study: &Preemption) -> String {
        let alone = self.of(Policy::Exclusive);
        let mut name = own.policy.label().to_owned();
        name[..1].make_ascii_uppercase();
        let ratio = |own: f64, other: f64| Unit::Factor.format(own / other);
        let work = ratio(own.means.throughput.mean, alone.means.throughput.mean);
        let [own_turnaround, turnaround] = [own, alone].map(|of| of.means.turnaround.mean);
        let turnaround = if is_unstable(study, &alone.means) {
            // How much shorter depends only on the length of the stream.
            ". Exclusive execution is unstable at this load: its queue grows".to_owned()
        } else {
            format!(", with turnaround {}", longer(own_turnaround, turnaround))
        };
        let throughput = Unit::Ratio.format(own.means.throughput.mean);
        format!("{name}: throughput (STP) {throughput}, {work} that of exclusive execution{turnaround}")
    }

    /// " Its turnaround is 50 % shorter than that of best pairs.", where they differ and do not depend on the length of the stream.
    fn turnaround_against_pairs(&self, study: &Preemption) -> String {
        let [own, pairs] = [self.chosen(study), self.of(Policy::Combining)].map(|of| &of.means);
        let compared = own.more(pairs, ComparedMetric::Turnaround, is_fixed(study));
        if is_unstable(study, own) || is_unstable(study, pairs) || !matches!(compared, Comparison::Differs(_)) {
            return String::new();
        }
        let [own, pairs] = [own, pairs].map(|of| of.turnaround.mean);
        format!(" Its turnaround is {} than that of best pairs.", longer(own, pairs))
    }

    /// Why cost-aware preemption never preempts, if it does not.
    fn never(&self, study: &Preemption) -> String {
        let own = self.chosen(study);
        if own.policy != Policy::Weighing || own.means.preemptions > 0.0 {
            return String::new();
        }
        let cycles = |cycles: f64| Unit::Count.format(cycles.round());
        match self.largest_gain() {
            None => {
                " No arriving kernel gives a higher sum of normalised IPC, so no preemption was evaluated.".to_owned()
            }
            Some(nearest) => format!(
                " Cost-aware preemption never preempts in this study. Even the evaluated preemption with the smallest loss of work takes a \
                 context switch of {} cycles; its break-even switch cost is {} cycles.",
                cycles(nearest.case.preempt_cycles),
                cycles(nearest.weighed.break_even_cycles)
            ),
        }
    }

    /// "Highest throughput: drain, 1.577.", or how many policies do not differ significantly from the own one.
    fn most_work(&self, study: &Preemption) -> String {
        let throughput = |of: &&PolicyOutcome| of.means.throughput.mean;
        let Some(most) = self.policies.iter().max_by(|a, b| throughput(a).total_cmp(&throughput(b))) else {
            return String::new();
        };
        let own = self.chosen(study);
        let is_equal =
            |of: &PolicyOutcome| !matches!(most.means.more_work(&of.means, is_fixed(study)), Comparison::Differs(_));
        if is_equal(own) {
            return match self.policies.iter().filter(|of| of.policy != own.policy && is_equal(of)).count() {
                0 => " No other policy has as much throughput.".to_owned(),
                1 => " One other policy does not differ significantly; none has more.".to_owned(),
                count => format!(" {count} other policies do not differ significantly; none has more."),
            };
        }
        format!(" Highest throughput: {}, {}.", most.policy.label(), Unit::Ratio.format(most.means.throughput.mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_against_another_one_has_the_difference_in_percent_of_that_one() {
        assert_eq!(longer(3.0, 2.0), "50 % longer");
        assert_eq!(longer(3.0, 4.0), "25 % shorter");
    }
}
