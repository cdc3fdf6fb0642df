//! Sets predicted from another cluster: by the fit to it, or by its constant where left-out clusters say that no fit is better.

use crossover_engine::fit::{AnchoredFit, LEAST_FOR_ERROR, left_out_error_factor};
use crossover_engine::score::family;
use crossover_engine::{Range, Score, ScoredQuery};

use super::{MeasuredSet, ScoredSet};

/// The set of the same engines on another cluster with the most queries.
pub(super) fn other_cluster<'a>(set: &MeasuredSet, sets: &'a [MeasuredSet]) -> Option<&'a MeasuredSet> {
    let others = sets.iter().filter(|other| other.pair == set.pair && other.name != set.name);
    others.max_by_key(|other| other.runs.len())
}

/// Each set as the fit to the same engines on another cluster predicts it, in the order of the sets; `fits` are those to the sets. If such
/// fits predict all left-out clusters of these engines no better than the constants of the other clusters, the constants answer. `None`
/// without another cluster or a fit to it.
#[must_use]
pub fn clusters_left_out(sets: &[MeasuredSet], fits: &[Option<AnchoredFit>]) -> Vec<Option<ScoredSet>> {
    let fit_of = |name: &str| sets.iter().zip(fits).find(|(set, _)| set.name == name)?.1.as_ref();
    let by_fit = |set: &MeasuredSet| {
        let other = other_cluster(set, sets)?;
        Some(set.cluster_left_out(other, fit_of(other.name)?))
    };
    let by_fit: Vec<Option<ScoredSet>> = sets.iter().map(by_fit).collect();
    let of_engines = |pair: [&str; 2]| -> Vec<ScoredQuery> {
        by_fit.iter().flatten().filter(|set| set.pair == pair).flat_map(|set| set.queries.clone()).collect()
    };
    let answered = |set: &Option<ScoredSet>| {
        let set = set.as_ref()?;
        let left_out = of_engines(set.pair);
        Some(if Score::of(&left_out).is_better_than_constant() == Some(false) {
            by_constant(set, &left_out)
        } else {
            set.clone()
        })
    };
    by_fit.iter().map(answered).collect()
}

/// A set with the constant of the other cluster as the answer. The interval of a query follows from the errors of the constants of all
/// left-out clusters of these engines, without the query and its parts.
fn by_constant(set: &ScoredSet, left_out: &[ScoredQuery]) -> ScoredSet {
    let error = |query: &ScoredQuery| Some((query.constant? / query.speedup()).ln().abs());
    let within = |query: &str| {
        let others = left_out.iter().filter(|other| family(&other.query) != family(query));
        let errors: Vec<f64> = others.filter_map(error).collect();
        if errors.len() < LEAST_FOR_ERROR { 1.0 } else { left_out_error_factor(errors) }
    };
    let answer = |query: &ScoredQuery| {
        let seconds = query.constant.map(|constant| query.cpu_seconds / constant);
        let predicted = seconds.map(|seconds| Range::new(seconds, within(&query.query)));
        ScoredQuery { predicted, ..query.clone() }
    };
    let queries: Vec<ScoredQuery> = set.queries.iter().map(answer).collect();
    // One speedup for all has no order.
    let score = Score { rank_correlation: None, ..Score::of(&queries) };
    let form = "one speedup for all queries, the geometric mean on the other cluster (1 parameter)".to_owned();
    ScoredSet { form, is_constant: true, queries, score, ..set.clone() }
}
